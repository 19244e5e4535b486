; See parts.c, which says what this is to do.

; ---- Names and linkage ----

@counter = global i32 5
@sp = global i32 77
@shared = external global i32
@shared_array = external constant [4 x i32]
@overridden = weak global i32 1
@not_overridden = linkonce global i32 3
@local = internal global i32 0

declare i32 @fp(i32)
declare i32 @twice(i32)

define i32 @f1(i32 %x) {
  %s = load i32, ptr @shared
  %p = getelementptr [4 x i32], ptr @shared_array, i64 0, i32 2
  %t = load i32, ptr %p
  %c = load i32, ptr @counter
  %n = add i32 %c, 1
  store i32 %n, ptr @counter
  %u = add i32 %s, %t
  %v = add i32 %u, %x
  ret i32 %v
}

define i32 @r0(i32 %x) {
  %y = call i32 @fp(i32 %x)
  ret i32 %y
}

define i32 @x0(i32 %x) {
  %y = call i32 @twice(i32 %x)
  ret i32 %y
}

define i32 @a0() {
  %x = call i32 @f2(i32 4)
  ret i32 %x
}

define internal i32 @f2(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}

define i32 @"a b \22"() {
  ret i32 11
}

define i32 @"a$b"() {
  %x = call i32 @"a b \22"()
  %y = add i32 %x, 1
  ret i32 %y
}

define weak i32 @overridden_function(i32 %x) {
  ret i32 0
}

define linkonce_odr i32 @not_overridden_function(i32 %x) {
  %y = add i32 %x, 2
  ret i32 %y
}

define i32 @sum_of_weak() {
  %a = load i32, ptr @overridden
  %b = load i32, ptr @not_overridden
  %c = call i32 @overridden_function(i32 5)
  %d = call i32 @not_overridden_function(i32 8)
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %g = add i32 %e, %f
  ret i32 %g
}

; ---- Effects ----

declare void @putarray(i32, ptr)

define i32 @calls_foreign(ptr %a) {
  %before = load i32, ptr %a
  call void @putarray(i32 7, ptr %a)
  %after = load i32, ptr %a
  ret i32 %after
}

; ---- Alignment and pointers ----

@small = global i8 1
@aligned = global i32 1, align 256
@aligned_zeros = global [3 x i8] zeroinitializer, align 64
@aligned_constant = constant [3 x i8] c"ab\00", align 32
@pointers = global [3 x ptr] zeroinitializer

define void @fill_pointers(ptr %x) {
  %p = getelementptr [3 x ptr], ptr @pointers, i32 0, i32 2
  store ptr %x, ptr %p
  %a = alloca [2 x ptr]
  %q = getelementptr [2 x ptr], ptr %a, i32 0, i32 1
  store ptr %x, ptr %q
  %y = load ptr, ptr %q
  store ptr %y, ptr @pointers
  ret void
}

declare i32 @is_aligned(ptr, i32)

define i32 @aligned_local() {
  %a = alloca i8, align ALIGN
  %b = alloca i8
  %c = alloca i8, align ALIGN
  %x = call i32 @is_aligned(ptr %a, i32 ALIGN)
  %y = call i32 @is_aligned(ptr %b, i32 1)
  %z = call i32 @is_aligned(ptr %c, i32 ALIGN)
  %s = add i32 %x, %y
  %t = add i32 %s, %z
  ret i32 %t
}
