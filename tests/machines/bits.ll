; Patterns that Zba and Zbb have instructions for, on every pair of some words: see tests/machines.rs.
@words = global [7 x i32] [i32 0, i32 1, i32 -1, i32 2147483647, i32 -2147483648, i32 305419896, i32 -559038737]

declare void @putint(i32)
declare void @putch(i32)

define void @show(i64 %x) {
  %low = trunc i64 %x to i32
  %shifted = lshr i64 %x, 32
  %high = trunc i64 %shifted to i32
  call void @putint(i32 %high)
  call void @putch(i32 32)
  call void @putint(i32 %low)
  call void @putch(i32 10)
  ret void
}

define void @pair(i32 %a, i32 %b) {
  %la = sext i32 %a to i64
  %lb = sext i32 %b to i64
  %za = zext i32 %a to i64
  %s1 = shl i64 %la, 1
  %r1 = add i64 %s1, %lb
  call void @show(i64 %r1)
  %z2 = shl i64 %za, 2
  %r2 = add i64 %lb, %z2
  call void @show(i64 %r2)
  %r3 = mul i64 %la, 45
  call void @show(i64 %r3)
  %r4 = mul i32 %a, 12
  %w4 = sext i32 %r4 to i64
  call void @show(i64 %w4)
  %n5 = xor i32 %b, -1
  %r5 = and i32 %a, %n5
  %w5 = sext i32 %r5 to i64
  call void @show(i64 %w5)
  %n6 = xor i32 %b, -1
  %r6 = or i32 %a, %n6
  %w6 = sext i32 %r6 to i64
  call void @show(i64 %w6)
  %x7 = xor i32 %a, %b
  %r7 = xor i32 %x7, -1
  %w7 = sext i32 %r7 to i64
  call void @show(i64 %w7)
  %c8 = icmp slt i32 %a, %b
  %r8 = select i1 %c8, i32 %a, i32 %b
  %w8 = sext i32 %r8 to i64
  call void @show(i64 %w8)
  %c9 = icmp ult i32 %a, %b
  %r9 = select i1 %c9, i32 %b, i32 %a
  %w9 = sext i32 %r9 to i64
  call void @show(i64 %w9)
  %c10 = icmp sgt i32 %a, 6
  %r10 = select i1 %c10, i32 %a, i32 7
  %w10 = sext i32 %r10 to i64
  call void @show(i64 %w10)
  %h11 = shl i32 %a, 5
  %l11 = lshr i32 %a, 27
  %r11 = or i32 %h11, %l11
  %w11 = sext i32 %r11 to i64
  call void @show(i64 %w11)
  %m12 = and i32 %b, 15
  %n12 = add i32 %m12, 1
  %o12 = sub i32 32, %n12
  %h12 = shl i32 %a, %n12
  %l12 = lshr i32 %a, %o12
  %r12 = or i32 %h12, %l12
  %w12 = sext i32 %r12 to i64
  call void @show(i64 %w12)
  %h13 = shl i32 %a, 24
  %r13 = ashr i32 %h13, 24
  %w13 = sext i32 %r13 to i64
  call void @show(i64 %w13)
  %r14 = and i32 %a, 65535
  %w14 = sext i32 %r14 to i64
  call void @show(i64 %w14)
  %h15 = shl i64 %la, 48
  %r15 = ashr i64 %h15, 48
  call void @show(i64 %r15)
  ret void
}

define i32 @main() {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %pa = getelementptr [7 x i32], ptr @words, i32 0, i32 %i
  %a = load i32, ptr %pa
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %pb = getelementptr [7 x i32], ptr @words, i32 0, i32 %j
  %b = load i32, ptr %pb
  call void @pair(i32 %a, i32 %b)
  %j1 = add i32 %j, 1
  %more = icmp slt i32 %j1, 7
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add i32 %i, 1
  %again = icmp slt i32 %i1, 7
  br i1 %again, label %outer, label %done
done:
  ret i32 0
}
