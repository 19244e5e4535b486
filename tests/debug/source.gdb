break twice
continue
backtrace
next
info locals
up
info args
info locals
print *at
print *at->next
ptype at
up
info locals
print table
whatis small
delete
frame 0
finish
next
info locals
