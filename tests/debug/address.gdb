break pick
continue
print v[0]
print *v@4
up
print own
