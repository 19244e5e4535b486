break sum
break down
break count
continue
continue
next
info locals
continue
continue
continue
continue
continue
