break fact
continue
backtrace
delete
break show
continue
backtrace
up
print local
print v
print v[2]
print f
print table
print ratio
print N
