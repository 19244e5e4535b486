declare void @putint(i32)
define i32 @f(i32 %x) {
 switch i32 %x, label %other [ i32 0, label %b0 i32 1, label %b1 i32 2, label %b2 i32 3, label %b3 i32 4, label %b4 i32 5, label %b5 i32 6, label %b6 i32 7, label %b7 i32 8, label %b8 i32 9, label %b9 i32 10, label %b10 i32 11, label %b11 i32 12, label %b12 i32 13, label %b13 i32 14, label %b14 i32 15, label %b15 i32 16, label %b16 i32 17, label %b17 i32 18, label %b18 i32 19, label %b19 i32 20, label %b20 i32 21, label %b21 i32 22, label %b22 i32 23, label %b23 ]
b0:
 call void @putint(i32 7)
 ret i32 0
b1:
 call void @putint(i32 7)
 ret i32 0
b2:
 call void @putint(i32 7)
 ret i32 0
b3:
 call void @putint(i32 7)
 ret i32 0
b4:
 call void @putint(i32 7)
 ret i32 0
b5:
 call void @putint(i32 7)
 ret i32 0
b6:
 call void @putint(i32 7)
 ret i32 0
b7:
 call void @putint(i32 7)
 ret i32 0
b8:
 call void @putint(i32 7)
 ret i32 0
b9:
 call void @putint(i32 7)
 ret i32 0
b10:
 call void @putint(i32 7)
 ret i32 0
b11:
 call void @putint(i32 7)
 ret i32 0
b12:
 call void @putint(i32 9)
 ret i32 1
b13:
 call void @putint(i32 9)
 ret i32 1
b14:
 call void @putint(i32 9)
 ret i32 1
b15:
 call void @putint(i32 9)
 ret i32 1
b16:
 call void @putint(i32 9)
 ret i32 1
b17:
 call void @putint(i32 9)
 ret i32 1
b18:
 call void @putint(i32 9)
 ret i32 1
b19:
 call void @putint(i32 9)
 ret i32 1
b20:
 call void @putint(i32 9)
 ret i32 1
b21:
 call void @putint(i32 9)
 ret i32 1
b22:
 call void @putint(i32 9)
 ret i32 1
b23:
 call void @putint(i32 9)
 ret i32 1
other:
 ret i32 -1
}
define i32 @main() {
 %r0 = call i32 @f(i32 0)
 call void @putint(i32 %r0)
 %r1 = call i32 @f(i32 11)
 call void @putint(i32 %r1)
 %r2 = call i32 @f(i32 12)
 call void @putint(i32 %r2)
 %r3 = call i32 @f(i32 23)
 call void @putint(i32 %r3)
 %r4 = call i32 @f(i32 24)
 call void @putint(i32 %r4)
 %r5 = call i32 @f(i32 -1)
 call void @putint(i32 %r5)
 ret i32 0
}
