//! The functions of which `mutated_ir` makes mutants, and which words may stand for each other in them.

/// Functions: `W` is an integer type, `F` a floating one, `up` and `down` are casts between `W` and i64. Of a line that ends in
/// `;` nothing is changed.
pub(crate) const SEEDS: [&str; 8] = [
    "entry:
 %s = lshr i64 %b, 7
 %p = down i64 %b to W
 %q = down i64 %s to W
 %v1 = add W %p, %q
 %v2 = mul W %v1, 7
 %v3 = xor W %v2, %p
 %v4 = sub W %v3, %q
 %v5 = shl W %v4, 3
 %v6 = lshr W %v5, %v1
 %v7 = ashr W %v3, 2
 %v8 = or W %v6, %v7
 %v9 = udiv W %v8, %q
 %v10 = srem W %v9, 9
 %v11 = sdiv W %v4, %v2
 %c1 = icmp slt W %v10, %v3
 %v12 = select i1 %c1, W %v9, W %v11
 br i1 %c1, label %then, label %else
then:
 %t1 = and W %v12, %v5
 %t2 = urem W %t1, 11
 %c2 = icmp ugt W %t2, %p
 %z = zext i1 %c2 to i64
 br label %join
else:
 %e1 = sub W 0, %v12
 %e2 = sub W %e1, %v10
 br label %join
join:
 %j = phi W [ %t2, %then ], [ %e2, %else ]
 %k = phi i64 [ %z, %then ], [ 77, %else ]
 %j2 = add W %j, %v3
 %r = up W %j2 to i64
 %r2 = xor i64 %r, %k
 %r3 = mul i64 %r2, 1000003
 ret i64 %r3
",
    "entry:
 %p = down i64 %b to W
 %q = down i64 %m0 to W
 br label %loop
loop:
 %n = phi i32 [ 0, %entry ], [ %n1, %latch ] ;
 %x0 = phi W [ %p, %entry ], [ %x1, %latch ]
 %y0 = phi W [ %q, %entry ], [ %y1, %latch ]
 %i = and i32 %n, 7
 %at = getelementptr [8 x i64], ptr %m, i32 0, i32 %i
 %l = load i64, ptr %at
 %w = down i64 %l to W
 %s = and W %x0, 3
 switch W %s, label %d [ W 0, label %c0 W 1, label %c1 W 2, label %c2 ] ;
c0:
 %a0 = add W %x0, %w
 br label %latch
c1:
 %a1 = xor W %y0, %w
 %a2 = mul W %a1, 5
 br label %latch
c2:
 %a3 = lshr W %x0, 1
 %a4 = sub W %y0, %a3
 br label %latch
d:
 %a5 = ashr W %x0, 2
 %a6 = or W %a5, %y0
 br label %latch
latch:
 %x1 = phi W [ %a0, %c0 ], [ %a2, %c1 ], [ %a4, %c2 ], [ %a6, %d ]
 %y1 = sub W %y0, %x1
 %u = up W %x1 to i64
 %o = xor i64 %l, %u
 store i64 %o, ptr %at
 %odd = icmp sgt W %x1, %y1
 %step = select i1 %odd, i32 1, i32 3
 %n0 = and i32 %step, 3
 %n2 = and i32 %n0, 3 ;
 %n3 = or i32 %n2, 1 ;
 %n1 = add i32 %n, %n3 ;
 %go = icmp ult i32 %n1, 24 ;
 br i1 %go, label %loop, label %out ;
out:
 %r1 = up W %y1 to i64
 %r2 = add i64 %r1, %u
 ret i64 %r2
",
    "entry:
 %y = sitofp i32 %a to F
 %xd = floatcast double %x to F
 %f1 = fadd F %xd, %y
 %f2 = fmul F %f1, 0.5
 %f3 = fsub F %f2, %xd
 %f4 = fdiv F %f3, %y
 %c1 = fcmp olt F %f4, %f1
 %f5 = select i1 %c1, F %f4, F %f2
 %i1 = fptosi F %f5 to i32
 %i2 = fptoui F %f3 to i64
 %f6 = uitofp i64 %i2 to F
 %f7 = sitofp i64 %b to F
 %f8 = fneg F %f6
 %f9 = call F @llvm.fabs.F(F %f7)
 %f10 = call F @llvm.sqrt.F(F %f9)
 %f11 = fadd F %f10, %f8
 %f12 = call F @llvm.floor.F(F %f5)
 %f13 = fsub F %f12, %f11
 br i1 %c1, label %then, label %join
then:
 %g1 = fmul F %f13, %f13
 %g2 = fadd F %g1, 1.5
 br label %join
join:
 %h = phi F [ %f12, %entry ], [ %g2, %then ]
 %c2 = fcmp une F %h, %f11
 %z = zext i1 %c2 to i64
 %h1 = floatcast2 F %h to double
 %at = getelementptr [8 x double], ptr %m, i32 0, i32 2
 store double %h1, ptr %at
 %e = floatcast2 F %f4 to double
 %at2 = getelementptr [8 x double], ptr %m, i32 0, i32 5
 store double %e, ptr %at2
 %i3 = sext i32 %i1 to i64
 %r1 = add i64 %i2, %i3
 %r2 = shl i64 %r1, 1
 %r3 = or i64 %r2, %z
 ret i64 %r3
",
    "entry:
 %p = down i64 %b to W
 %a64 = sext i32 %a to i64
 %q = down i64 %a64 to W
 %v1 = call W @llvm.smax.W(W %p, W %q)
 %v2 = call W @llvm.umin.W(W %v1, W %q)
 %v3 = call W @llvm.ctpop.W(W %v1)
 %v4 = call W @llvm.ctlz.W(W %p, i1 false)
 %v5 = call W @llvm.cttz.W(W %q, i1 false)
 %v6 = call W @llvm.fshl.W(W %p, W %v1, W %v3)
 %v7 = call W @llvm.fshr.W(W %v6, W %q, W 5)
 %v8 = call W @llvm.abs.W(W %v7, i1 false)
 %v9 = call W @llvm.uadd.sat.W(W %v8, W %v6)
 %v10 = call W @llvm.ssub.sat.W(W %v9, W %v7)
 %o = call { W, i1 } @llvm.sadd.with.overflow.W(W %v10, W %p)
 %o1 = extractvalue { W, i1 } %o, 0
 %o2 = extractvalue { W, i1 } %o, 1
 %t = call { W, i1 } @llvm.umul.with.overflow.W(W %o1, W %v4)
 %t1 = extractvalue { W, i1 } %t, 0
 %t2 = extractvalue { W, i1 } %t, 1
 %c = xor i1 %o2, %t2
 %v11 = select i1 %c, W %t1, W %v5
 %v12 = call W @llvm.bitreverse.W(W %v11)
 %v13 = add W %v12, %v3
 %f = freeze W %v13
 %r = up W %f to i64
 ret i64 %r
",
    "entry:
 %l = alloca [16 x i16], align 8 ;
 call void @llvm.memcpy.p0.p0.i32(ptr %l, ptr @image, i32 32, i1 false) ;
 %i1 = lshr i32 %a, 3
 %at1 = getelementptr [16 x i16], ptr %l, i32 0, i32 %i1
 %t = trunc i64 %b to i16
 store i16 %t, ptr %at1
 %i2 = add i32 %a, 5
 %at2 = getelementptr [16 x i16], ptr %l, i32 0, i32 %i2
 %u = load i16, ptr %at2
 %at3 = getelementptr [32 x i8], ptr %l, i32 0, i32 %i1
 %v = load i8, ptr %at3
 %w = zext i8 %v to i16
 %s = sub i16 %u, %w
 %at4 = getelementptr [8 x i32], ptr %l, i32 0, i32 %i2
 %k = load i32, ptr %at4
 %k1 = xor i32 %k, %a
 store i32 %k1, ptr %at4
 %c = icmp ult i32 %k1, %i2
 %to = select i1 %c, ptr %at1, ptr %at2
 store i16 %s, ptr %to
 br i1 %c, label %then, label %join
then:
 %at5 = getelementptr [64 x i8], ptr %m, i32 0, i32 %k1
 %n = trunc i32 %k1 to i8
 store i8 %n, ptr %at5
 br label %join
join:
 %at6 = getelementptr [8 x i64], ptr %m, i32 0, i32 %i1
 %o = load i64, ptr %at6
 %at7 = getelementptr [4 x i64], ptr %l, i32 0, i32 %i2
 %y = load i64, ptr %at7
 %z = sub i64 %o, %y
 store i64 %z, ptr %at6
 %e = sext i16 %s to i64
 %r = add i64 %z, %e
 %d = load i16, ptr %to
 %d1 = zext i16 %d to i64
 %r1 = xor i64 %r, %d1
 ret i64 %r1
",
    "entry:
 %p = down i64 %b to W
 %q = down i64 %m0 to W
 %c1 = icmp slt W %p, %q
 %c2 = icmp ult W %p, %q
 %c3 = icmp eq W %q, 0
 %n1 = and i1 %c1, %c2
 %n2 = xor i1 %n1, true
 %n3 = or i1 %n2, %c3
 %n6 = add i1 %n3, %c1
 %n7 = icmp slt i1 %n6, %c2
 %n4 = xor i1 %n7, %n6
 %n5 = select i1 %n4, i1 %c2, i1 %n2
 %h1 = call W @h(W %p, W %q, i1 %n5)
 br i1 %n5, label %one, label %two
one:
 %h2 = call W @h(W %h1, W 3, i1 %c3)
 %x0 = trunc i64 %b to i8
 %x1 = sext i8 %x0 to i32
 %x2 = mul i32 %x1, %a
 br label %join
two:
 %h3 = sub W %h1, %p
 %x3 = zext i1 %n3 to i32
 %c4 = icmp sge i32 %x3, %a
 br i1 %c4, label %join, label %three
three:
 %h4 = call W @h(W %q, W %h3, i1 true)
 br label %join
join:
 %j = phi W [ %h2, %one ], [ %h3, %two ], [ %h4, %three ]
 %k = phi i32 [ %x2, %one ], [ %x3, %two ], [ %a, %three ]
 %b1 = phi i1 [ %n1, %one ], [ %c4, %two ], [ false, %three ]
 %y = sext i1 %b1 to i32
 %y1 = add i32 %k, %y
 %y2 = zext i32 %y1 to i64
 %r = up W %j to i64
 %r1 = sub i64 %y2, %r
 ret i64 %r1
",
    "entry:
 %p = down i64 %b to W
 %q = down i64 %m0 to W
 br label %loop
loop:
 %n = phi i32 [ 0, %entry ], [ %n1, %latch ] ;
 %x0 = phi W [ %p, %entry ], [ %x1, %latch ]
 %y0 = phi W [ %q, %entry ], [ %y1, %latch ]
 %i = and i32 %n, 7
 %at = getelementptr [8 x i64], ptr %m, i32 0, i32 %i
 %l = load i64, ptr %at
 %w = down i64 %l to W
 %s0 = add W %x0, %y0
 %s1 = and W %s0, 31
 %s = sub W %s1, 4
 switch W %s, label %d [ W -3, label %c0 W -2, label %c1 W -1, label %c2 W 0, label %c3 W 1, label %c1 W 2, label %c4 \
    W 3, label %c5 W 4, label %c0 W 5, label %c2 W 6, label %c6 W 7, label %latch W 8, label %c3 \
    W 10, label %c7 W 11, label %c4 W 12, label %c8 W 13, label %latch W 14, label %c5 \
    W 15, label %c9 W 16, label %c1 W 19, label %c6 W 20, label %c10 W 21, label %c2 \
    W 22, label %c8 W 23, label %c11 W 24, label %c0 W 25, label %c7 W 26, label %c9 \
    W 27, label %latch W 28, label %c10 W 29, label %c3 W 60, label %c3 W -64, label %latch ]
c0:
 %a0 = add W %x0, %w
 br label %latch
c1:
 %a1 = xor W %y0, %w
 br label %latch
c2:
 %a2 = mul W %x0, 5
 br label %latch
c3:
 %a3 = sub W %y0, %x0
 br label %latch
c4:
 %a4 = lshr W %x0, 1
 br label %latch
c5:
 %a5 = or W %y0, %w
 br label %latch
c6:
 %a6 = ashr W %y0, 2
 br label %latch
c7:
 %a7 = and W %w, %x0
 br label %latch
c8:
 %a8 = sub W 7, %w
 br label %latch
c9:
 %a9 = shl W %w, 2
 br label %latch
c10:
 %a10 = udiv W %x0, 3
 br label %latch
c11:
 %a11 = xor W %x0, -1
 br label %c4
d:
 %a12 = xor W %y0, %x0
 br label %latch
latch:
 %x1 = phi W [ %a0, %c0 ], [ %a1, %c1 ], [ %a2, %c2 ], [ %a3, %c3 ], [ %a4, %c4 ], [ %a5, %c5 ], [ %a6, %c6 ], [ %a7, %c7 ], [ %a8, %c8 ], [ %a9, %c9 ], [ %a10, %c10 ], [ %a12, %d ], [ %w, %loop ], [ %w, %loop ], [ %w, %loop ], [ %w, %loop ]
 %y2 = mul W %y0, 3
 %y1 = sub W %y2, %x1
 %u = up W %x1 to i64
 %o = xor i64 %l, %u
 store i64 %o, ptr %at
 %n1 = add i32 %n, 1 ;
 %go = icmp ult i32 %n1, 40 ;
 br i1 %go, label %loop, label %out ;
out:
 %r1 = up W %y1 to i64
 %r2 = add i64 %r1, %u
 ret i64 %r2
",
    "entry:
 %p = down i64 %b to W
 %q = down i64 %m0 to W
 %v1 = mul W %p, %q
 %v2 = xor W %v1, %p
 %c1 = call i8 @llvm.scmp.i8.W(W %v1, W %q)
 %c2 = call i8 @llvm.ucmp.i8.W(W %v2, W %p)
 %f1 = sitofp W %v1 to F
 %f2 = uitofp W %v2 to F
 %xd = floatcast double %x to F
 %f3 = fmul F %f1, %xd
 %i1 = call W @llvm.fptosi.sat.W.F(F %f3)
 %i2 = call W @llvm.fptoui.sat.W.F(F %f2)
 %v3 = lshr W %i1, %i2
 %v4 = udiv W %v2, %v3
 %v5 = sub W %v4, %i2
 %z1 = sext i8 %c1 to i64
 %z2 = zext i8 %c2 to i64
 %s1 = shl i64 %z1, 9
 %r1 = xor i64 %s1, %z2
 %r2 = up W %v5 to i64
 %r3 = add i64 %r2, %r1
 %r4 = mul i64 %r3, 1000003
 ret i64 %r4
",
];

/// What the sixth calls.
pub(crate) const HELPER: &str = "define internal W @h(W %p, W %q, i1 %c) {
entry:
 %v = sub W %p, %q
 %w = mul W %v, 3
 %d = icmp ugt W %w, %q
 %e = xor i1 %d, %c
 br i1 %e, label %x, label %y
x:
 %t = and W %w, %p
 ret W %t
y:
 %u = add W %w, 100
 ret W %u
}
";

/// What may stand for each other.
pub(crate) const KINDS: &[&[&str]] = &[
    &["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem"],
    &["fadd", "fsub", "fmul", "fdiv"],
    &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"],
    &["oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult", "ule", "ugt", "uge", "ord", "uno"],
    &["zext", "sext"],
    &["sitofp", "uitofp"],
    &["fptosi", "fptoui"],
    &[
        "@llvm.smax.",
        "@llvm.smin.",
        "@llvm.umax.",
        "@llvm.umin.",
        "@llvm.uadd.sat.",
        "@llvm.usub.sat.",
        "@llvm.sadd.sat.",
        "@llvm.ssub.sat.",
    ],
    &["@llvm.fshl.", "@llvm.fshr."],
    &[
        "@llvm.sadd.with.overflow.",
        "@llvm.uadd.with.overflow.",
        "@llvm.ssub.with.overflow.",
        "@llvm.usub.with.overflow.",
        "@llvm.smul.with.overflow.",
        "@llvm.umul.with.overflow.",
    ],
    &["@llvm.ctlz.", "@llvm.cttz."],
    &["@llvm.scmp.", "@llvm.ucmp."],
    &["@llvm.fptosi.sat.", "@llvm.fptoui.sat."],
    &["@llvm.floor.", "@llvm.ceil.", "@llvm.trunc.", "@llvm.fabs.", "@llvm.rint.", "@llvm.sqrt."],
];
