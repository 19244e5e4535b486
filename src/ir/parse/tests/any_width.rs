//! Intrinsics on integers of any width, and floats as such: in the interpreter, beside the same computed in 128 bits.

use super::memory::result;
use super::parse;
use crate::ir::parse::{Platform, parse_for};
use crate::ir::print;

const WIDTHS: [u32; 9] = [1, 3, 8, 24, 33, 64, 65, 100, 127];

fn signed(x: i128, bits: u32) -> i128 {
    x << (128 - bits) >> (128 - bits)
}

fn unsigned(x: i128, bits: u32) -> i128 {
    // Of at most 127 bits.
    ((x as u128) << (128 - bits) >> (128 - bits)) as i128
}

/// Numbers of a width: its ends, and some between.
fn numbers(bits: u32) -> Vec<i128> {
    let most = (1i128 << (bits - 1)) - 1;
    let mut all = vec![0, 1, -1, most, !most, most / 3, !most / 5, 0x5_1234_5678_9abc_def1_0246];
    all.iter_mut().for_each(|x| *x = signed(*x, bits));
    all.sort_unstable();
    all.dedup();
    all
}

/// What an intrinsic yields of two numbers, as a number of its width, and whether that overflows.
fn computed(name: &str, x: i128, y: i128, bits: u32) -> (i128, bool) {
    let (ux, uy) = (unsigned(x, bits), unsigned(y, bits));
    let is_signed = name.starts_with('s') || name == "abs";
    // 127 bits and less: a product may have 254, so it is told whether it fits by a quotient.
    let product = |a: i128, b: i128| {
        let low = a.wrapping_mul(b);
        (low, a.checked_mul(b).is_none())
    };
    let ((exact, is_long), kind) = match name.split('.').next().unwrap_or_default() {
        kind @ "sadd" => ((x + y, false), kind),
        kind @ "ssub" => ((x - y, false), kind),
        kind @ "smul" => (product(x, y), kind),
        kind @ "uadd" => ((ux.wrapping_add(uy), false), kind),
        kind @ "usub" => ((ux - uy, false), kind),
        kind @ "umul" => (product(ux, uy), kind),
        kind => ((0, false), kind),
    };
    let cut = signed(exact, bits);
    let over = is_long || if is_signed { cut != exact } else { unsigned(exact, bits) != exact };
    let most = (1i128 << (bits - 1)) - 1;
    let plain = match kind {
        "smin" => x.min(y),
        "smax" => x.max(y),
        "umin" => signed(ux.min(uy), bits),
        "umax" => signed(ux.max(uy), bits),
        "abs" => signed(x.wrapping_abs(), bits),
        "scmp" => x.cmp(&y) as i128,
        "ucmp" => ux.cmp(&uy) as i128,
        "ctpop" => ux.count_ones().into(),
        "ctlz" => i128::from(ux.leading_zeros()) - i128::from(128 - bits),
        "cttz" => {
            if ux == 0 {
                bits.into()
            } else {
                ux.trailing_zeros().into()
            }
        }
        "bitreverse" => ((ux as u128).reverse_bits() >> (128 - bits)) as i128,
        "fshl" | "fshr" => {
            let by = (uy as u128 % u128::from(bits)) as u32;
            let by = if kind == "fshl" { by } else { (bits - by) % bits };
            // Both halves are alike, but of a shift to the right by nothing, which is the lower one, too.
            if by == 0 { ux } else { (((ux as u128) << by) | (ux as u128 >> (bits - by))) as i128 }
        }
        _ if !over || !name.ends_with(".sat") => cut,
        _ if kind == "uadd" => -1,
        _ if kind == "usub" => 0,
        _ => {
            if exact < 0 {
                !most
            } else {
                most
            }
        }
    };
    (signed(plain, bits), over)
}

#[test]
fn intrinsics_of_any_width_do_what_128_bits_say() {
    const NAMES: [&str; 23] = [
        "sadd.with.overflow",
        "ssub.with.overflow",
        "smul.with.overflow",
        "uadd.with.overflow",
        "usub.with.overflow",
        "umul.with.overflow",
        "sadd.sat",
        "ssub.sat",
        "uadd.sat",
        "usub.sat",
        "smin",
        "smax",
        "umin",
        "umax",
        "abs",
        "scmp",
        "ucmp",
        "ctpop",
        "ctlz",
        "cttz",
        "bitreverse",
        "fshl",
        "fshr",
    ];
    for bits in WIDTHS {
        for name in NAMES {
            let ty = format!("i{bits}");
            let is_order = name.ends_with("cmp");
            let of = if is_order { "i8".to_string() } else { ty.clone() };
            let suffix = if is_order { format!("i8.{ty}") } else { ty.clone() };
            let (yields, args) = match name {
                _ if name.ends_with("overflow") => (format!("{{ {ty}, i1 }}"), format!("{ty} %x, {ty} %y")),
                "abs" | "ctlz" | "cttz" => (of.clone(), format!("{ty} %x, i1 false")),
                "ctpop" | "bitreverse" => (of.clone(), format!("{ty} %x")),
                "fshl" | "fshr" => (of.clone(), format!("{ty} %x, {ty} %x, {ty} %y")),
                _ => (of.clone(), format!("{ty} %x, {ty} %y")),
            };
            let declared = args.replace(" %x", "").replace(" %y", "").replace(" false", "");
            let mut text = format!("declare {yields} @llvm.{name}.{suffix}({declared})\n");
            text += &format!("define i32 @f({ty} %x, {ty} %y, {of} %want, i1 %over) {{\n");
            text += &format!(" %r = call {yields} @llvm.{name}.{suffix}({args})\n");
            if name.ends_with("overflow") {
                text += &format!(" %v = extractvalue {yields} %r, 0\n %o = extractvalue {yields} %r, 1\n");
            } else {
                text += &format!(" %v = freeze {of} %r\n %o = icmp ne i1 %over, false\n");
            }
            text +=
                &format!(" %a = icmp eq {of} %v, %want\n %b = icmp eq i1 %o, %over\n %c = and i1 %a, %b\n");
            text += " %d = zext i1 %c to i32\n ret i32 %d\n}\ndefine i32 @main() {\n %s0 = add i32 0, 0\n";
            let (mut count, mut pairs) = (0, Vec::new());
            for x in numbers(bits) {
                for y in numbers(bits) {
                    let (value, over) = computed(name, x, y, bits);
                    let number = |x: i128, ty: &str| match ty {
                        "i1" => {
                            if x & 1 != 0 {
                                "true".to_string()
                            } else {
                                "false".to_string()
                            }
                        }
                        _ => x.to_string(),
                    };
                    let [x, y] = [x, y].map(|x| number(x, &ty));
                    let want = if is_order { (value << 120 >> 120).to_string() } else { number(value, &of) };
                    let want = if is_order && bits == 1 { computed_order(name, &x, &y) } else { want };
                    text +=
                        &format!(" %c{count} = call i32 @f({ty} {x}, {ty} {y}, {of} {want}, i1 {over})\n");
                    text += &format!(" %s{} = add i32 %s{count}, %c{count}\n", count + 1);
                    pairs.push((x, y));
                    count += 1;
                }
            }
            text += &format!(" ret i32 %s{count}\n}}\n");
            assert_eq!(result(&text), count, "{name} of {ty}:\n{text}");
        }
    }
}

/// Of one bit, which is 0 or -1 with a sign.
fn computed_order(name: &str, x: &str, y: &str) -> String {
    let order = (x == "true").cmp(&(y == "true"));
    (if name == "scmp" { order.reverse() } else { order } as i32).to_string()
}

#[test]
fn floats_become_integers_at_the_ends_of_their_type_and_come_back() {
    let floats = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        6.9,
        -8.9,
        1e9,
        -3e9,
        1.9e19,
        -1e30,
        1.6e38,
        4e38,
        -1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    for bits in [2, 7, 31, 32, 48, 64, 90, 127, 128] {
        for (name, is_signed) in [("fptosi", true), ("fptoui", false)] {
            let mut text = format!("declare i{bits} @llvm.{name}.sat.i{bits}.f64(double)\n");
            text += &format!(
                "define i32 @f(double %x, i{bits} %want) {{\n %v = call i{bits} @llvm.{name}.sat.i{bits}.f64(double %x)\n"
            );
            text += &format!(" %a = icmp eq i{bits} %v, %want\n %d = zext i1 %a to i32\n ret i32 %d\n}}\n");
            text += "define i32 @main() {\n %s0 = add i32 0, 0\n";
            for (k, &x) in floats.iter().enumerate() {
                let want = match is_signed {
                    true => {
                        let most = ((1u128 << (bits - 1)) - 1) as i128;
                        (x as i128).clamp(!most, most).to_string()
                    }
                    false => (x as u128).min(u128::MAX >> (128 - bits)).to_string(),
                };
                text += &format!(" %c{k} = call i32 @f(double 0x{:016X}, i{bits} {want})\n", x.to_bits());
                text += &format!(" %s{} = add i32 %s{k}, %c{k}\n", k + 1);
            }
            text += &format!(" ret i32 %s{}\n}}\n", floats.len());
            assert_eq!(result(&text), floats.len() as i32, "{name} of i{bits}");
        }
    }
    // Halves are rounded to even, and what is below shows.
    for x in [
        0i128,
        1,
        -1,
        i128::MAX,
        i128::MIN,
        1 << 100,
        (1 << 100) + (1 << 47),
        (1 << 100) + (1 << 47) + 1,
        -(1 << 77) - 12345,
    ] {
        for (op, double, single) in
            [("sitofp", x as f64, x as f32), ("uitofp", x as u128 as f64, x as u128 as f32)]
        {
            let text = format!(
                "define i32 @main() {{\n %p = alloca i128\n store i128 {x}, ptr %p\n %x = load i128, ptr %p\n %d = {op} i128 %x to double\n
                 %s = {op} i128 %x to float\n %a = bitcast double %d to i64\n %b = bitcast float %s to i32\n
                 %c = icmp eq i64 %a, {}\n %e = icmp eq i32 %b, {}\n %f = and i1 %c, %e\n %r = zext i1 %f to i32\n ret i32 %r\n}}\n",
                double.to_bits() as i64,
                single.to_bits() as i32
            );
            assert_eq!(result(&text), 1, "{op} of {x}");
        }
    }
}

#[test]
fn quotients_of_any_width_are_right() {
    for bits in [129, 192, 200] {
        let text = format!(
            "define i{bits} @f(i{bits} %a, i{bits} %b) {{
               %q = sdiv i{bits} %a, %b
               %r = srem i{bits} %a, %b
               %p = mul i{bits} %q, %b
               %s = add i{bits} %p, %r
               ret i{bits} %s
             }}
             define i32 @main() {{
               %x = shl i{bits} 12345678901234567890123, 50
               %m = sub i{bits} 0, %x
               %s = call i{bits} @f(i{bits} %m, i{bits} 987654321987)
               %a = icmp eq i{bits} %s, %m
               %t = udiv i{bits} %x, %x
               %c = icmp eq i{bits} %t, 1
               %ab = and i1 %a, %c
               %r = zext i1 %ab to i32
               ret i32 %r
             }}"
        );
        assert_eq!(result(&text), 1, "i{bits}");
    }
}

#[test]
fn cases_above_64_bits_are_asked_for_one_by_one() {
    let numbers = [0, 5, i128::from(u64::MAX), 1 << 64, (1 << 64) + 5, -1, -(1 << 100), i128::MAX];
    let rows: String =
        numbers.iter().enumerate().skip(1).map(|(k, x)| format!(" i128 {x}, label %b{}\n", k % 3)).collect();
    let mut text = format!(
        "define i32 @f(i128 %x) {{\na:\n switch i128 %x, label %d [\n{rows} ]\nb0:\n br label %d\nb1:\n br label %d\nb2:\n br label %d\n\
         d:\n %r = phi i32 [ 7, %a ], [ 1, %b0 ], [ 2, %b1 ], [ 3, %b2 ]\n ret i32 %r\n}}\ndefine i32 @main() {{\n %s0 = add i32 0, 0\n"
    );
    let mut expected = 0;
    for (k, &x) in numbers.iter().enumerate() {
        text += &format!(
            " %c{k} = call i32 @f(i128 {x})\n %m{k} = mul i32 %s{k}, 5\n %s{} = add i32 %m{k}, %c{k}\n",
            k + 1
        );
        expected = expected * 5 + if k == 0 { 7 } else { k as i32 % 3 + 1 };
    }
    text += &format!(" ret i32 %s{}\n}}\n", numbers.len());
    assert_eq!(result(&text), expected);
}

#[test]
fn results_of_many_parts_go_by_memory_where_the_machine_has_no_registers_for_them() {
    let text = "define { i64, i64, i64 } @f(i64 %a) {
           %r = insertvalue { i64, i64, i64 } { i64 1, i64 2, i64 3 }, i64 %a, 1
           ret { i64, i64, i64 } %r
         }
         declare i200 @g()
         define i64 @h(ptr %p) {
           %a = call { i64, i64, i64 } @f(i64 9)
           %b = call { i64, i64, i64 } %p(i64 9)
           %c = call i200 @g()
           %x = extractvalue { i64, i64, i64 } %a, 1
           %y = extractvalue { i64, i64, i64 } %b, 2
           %z = trunc i200 %c to i64
           %s = add i64 %x, %y
           %t = add i64 %s, %z
           ret i64 %t
         }";
    for (name, bytes, in_memory) in [("riscv64", 8, true), ("aarch64", 8, false), ("armv7", 4, true)] {
        let platform = Platform { pointer_bytes: bytes, name, ..super::super::ANY };
        let module = parse_for(text, &platform).unwrap();
        let out = print::module(&module);
        assert_eq!(out.contains("define void @f(ptr sret(i8) %p0"), in_memory, "{out}");
        assert_eq!(out.contains("\"results\"="), !in_memory, "{out}");
        assert_eq!(out.matches("sret(i8)").count(), if in_memory { 5 } else { 0 }, "{out}");
    }
    // Nothing is known of how text for any machine travels.
    assert!(print::module(&parse(text).unwrap()).contains("\"results\"=\"i64 0 i64 8 i64 16\""));
    let variadic = "define { i64, i64, i64 } @f(i64 %a, ...) {\n ret { i64, i64, i64 } undef\n}";
    let platform = Platform { pointer_bytes: 8, name: "riscv64", ..super::super::ANY };
    let error = parse_for(variadic, &platform).unwrap_err();
    assert!(error.message.contains("a variadic function with a result of so many parts"), "{error}");
}

#[test]
fn an_empty_assembly_is_a_barrier() {
    let text = "define i32 @main() {
           %p = alloca i32
           store i32 5, ptr %p
           call void asm sideeffect \"\", \"r,~{memory}\"(ptr %p)
           call void asm sideeffect \"\", \"~{memory}\"()
           fence syncscope(\"singlethread\") seq_cst
           %x = load i32, ptr %p
           %y = call i32 asm sideeffect \" \", \"=r,0\"(i32 %x)
           %none = alloca [0 x i8], align 1
           %c = icmp eq ptr %none, %p
           %z = zext i1 %c to i32
           %r = add i32 %y, %z
           ret i32 %r
         }";
    let out = super::trip(text);
    assert_eq!(out.matches("call void asm sideeffect \"\", \"r,~{memory}\"(ptr").count(), 1, "{out}");
    assert_eq!(out.matches("call void asm sideeffect \"\", \"~{memory}\"()").count(), 2, "{out}");
    assert!(out.contains("load volatile i32") && !out.contains("fence"), "{out}");
    assert_eq!(result(text), 5);
    for assembly in
        ["asm \"nop\", \"=r\"()", "asm \"nop\", \"q\"(i32 5)", "asm \"\", \"=r\"()", "asm \"\", \"r\"()"]
    {
        let text = format!("define void @f() {{\n call void {assembly}\n ret void\n}}");
        assert!(parse(&text).unwrap_err().message.contains("inline assembly is not supported"), "{assembly}");
    }
}
