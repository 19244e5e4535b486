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

; ---- Narrow arguments and results, as these ABIs want them ----

declare signext i8 @c_signed(i8 signext, i8 zeroext, i1 zeroext)
declare zeroext i8 @c_unsigned(i8 zeroext)
declare zeroext i1 @c_truth(i1 zeroext)

define signext i8 @ll_signed(i8 signext %a, i8 zeroext %b, i1 zeroext %c) {
  %s = add i8 %a, %b
  %w = zext i1 %c to i8
  %t = add i8 %s, %w
  ret i8 %t
}

define zeroext i8 @ll_unsigned(i8 zeroext %0) {
  %2 = mul i8 %0, 3
  ret i8 %2
}

define zeroext i1 @ll_truth(i1 zeroext %a) {
  %b = xor i1 %a, true
  ret i1 %b
}

define i32 @calls_narrow(i32 %x) {
  %a = trunc i32 %x to i8
  %b = add i8 %a, 100
  %c = icmp slt i8 %b, 0
  %d = call signext i8 @c_signed(i8 signext %b, i8 zeroext %b, i1 zeroext %c)
  %e = call zeroext i8 @c_unsigned(i8 zeroext %b)
  %f = call zeroext i1 @c_truth(i1 zeroext %c)
  %g = sext i8 %d to i32
  %h = zext i8 %e to i32
  %i = zext i1 %f to i32
  %j = mul i32 %h, 1000
  %k = add i32 %g, %j
  %l = mul i32 %i, 1000000
  %m = add i32 %k, %l
  ret i32 %m
}

; ---- Comparisons of narrow constants, NaN, undef ----

define i32 @equal_bytes() {
  %a = icmp ne i8 -9, -9
  %b = icmp ult i8 1, -9
  %c = icmp slt i8 -9, 1
  %d = icmp ugt i8 -9, -10
  %e = zext i1 %a to i32
  %f = zext i1 %b to i32
  %g = zext i1 %c to i32
  %h = zext i1 %d to i32
  %i = shl i32 %f, 1
  %j = shl i32 %g, 2
  %k = shl i32 %h, 3
  %l = or i32 %e, %i
  %m = or i32 %j, %k
  %n = or i32 %l, %m
  ret i32 %n
}

define i32 @to_int(float %x) {
  %y = fptosi float %x to i32
  ret i32 %y
}

define i32 @nan_to_int() {
  %y = fptosi float 0x7FF8000000000000 to i32
  ret i32 %y
}

define i32 @frozen() {
  %x = freeze i32 undef
  %y = sub i32 %x, %x
  %t = fcmp true float 1.0, 2.0
  %f = fcmp false float 1.0, 2.0
  %a = zext i1 %t to i32
  %b = zext i1 %f to i32
  %c = mul i32 %b, 2
  %d = add i32 %y, %a
  %e = add i32 %d, %c
  ret i32 %e
}

; ---- Thread-local data ----

@own = thread_local global i32 5

declare ptr @llvm.threadlocal.address.p0(ptr)

; At -O0 the address may be made again on the way to the phi, in the allocator's scratch register.
define i32 @first_own(i32 %rounds, ptr %then) {
entry:
  %own = call ptr @llvm.threadlocal.address.p0(ptr @own)
  br label %head
head:
  %at = phi ptr [ %own, %entry ], [ %then, %round ]
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %next = add i32 %i, 1
  %done = icmp sge i32 %i, %rounds
  br i1 %done, label %exit, label %round
round:
  br label %head
exit:
  %x = load i32, ptr %at
  ret i32 %x
}
