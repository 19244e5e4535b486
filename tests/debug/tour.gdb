break fact
continue
print n
next
step
backtrace
delete
break 8
continue
backtrace
finish
next
finish
delete
break 19
continue
info locals
info args
print x
print *a@n
print a[1]
next
next
next
delete
finish
print table
print ratio
print v
print v[2]
print local
print local[1][0]
print N
whatis local
whatis ratio
break show
continue
print rows[1][1]
print rows[0]
print *rows@count
whatis rows
up
info locals
down
finish
next
next
next
print table[1][1]
next
print f
next
print f
print local[1]
