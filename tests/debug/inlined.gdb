break square
continue
backtrace
info args
up
info args
info locals
up
info locals
down
down
next
info locals
finish
continue
backtrace
up
info locals
finish
