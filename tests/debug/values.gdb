break values.sy:18
continue
info args
info locals
print a * b
continue
info args
info locals
delete
break values.sy:9
continue
info args
info locals
continue
info locals
continue
info locals
up
info locals
delete
break values.sy:26
break values.sy:28
break values.sy:30
break values.sy:31
continue
info args
info locals
continue
info args
info locals
continue
info locals
continue
info args
info locals
finish
