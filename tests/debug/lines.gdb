break main
continue
next
next
next
next
next
next
next
next
next
print primes
print steps
next
next
next
next
next
delete
break 27
continue
delete
break 5
continue
next
next
print a
print b
print c
backtrace
delete
break 23
continue
print last
print big[4][4]
next
next
next
print i
step
step
next
step
print x
finish
next
print total
