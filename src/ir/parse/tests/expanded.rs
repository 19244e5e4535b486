//! What becomes several instructions of the tables: it computes what LLVM says.

use super::memory::{checked, result};
use super::*;

#[test]
fn a_switch_is_a_table_whose_edges_fit_the_phis() {
    let cases: String = (0..40).map(|k| format!(" i32 {k}, label %b{}\n", k / 5 % 3)).collect();
    let text = format!(
        "define i32 @f(i32 %x) {{\n switch i32 %x, label %d [\n{cases} i32 77, label %d\n ]\n\
         b0:\n br label %d\nb1:\n br label %d\nb2:\n br label %d\nd:\n\
         %r = phi i32 [ 0, %0 ], [ 0, %0 ], [ 1, %b0 ], [ 2, %b1 ], [ 3, %b2 ]\n ret i32 %r\n}}\n\
         define i32 @all(i1 %x) {{\na:\n switch i1 %x, label %c [ i1 true, label %b\n i1 false, label %d ]\n\
         b:\n ret i32 1\nc:\n %p = phi i32 [ 5, %a ]\n ret i32 %p\nd:\n ret i32 2\n}}\n\
         define i32 @main() {{\n{}}}\n",
        (0..44)
            .map(|k| {
                let last = if k == 0 { "0".to_string() } else { format!("%s{}", k - 1) };
                format!(
                    " %r{k} = call i32 @f(i32 {})\n %m{k} = mul i32 {last}, 3\n %s{k} = add i32 %m{k}, %r{k}\n",
                    k - 2
                )
            })
            .chain([
                " %t = call i32 @all(i1 true)\n %u = call i32 @all(i1 false)\n %v = mul i32 %t, %u\n",
                " %w = mul i32 %s43, %v\n %y = and i32 %w, 127\n ret i32 %y\n",
            ]
            .map(String::from))
            .collect::<String>()
    );
    let module = parse(&text).unwrap();
    // A table: an edge for each case, and one for all other numbers.
    let f = module.nth(0);
    let ends: Vec<usize> = f.blocks().map(|b| f.succs(b).len()).filter(|&edges| edges > 1).collect();
    assert_eq!((ends, f.ops().filter(|row| row.1 == Op::ICmp).count()), (vec![41], 0));
    let expected = (-2i32..42)
        .map(|k| if (0..40).contains(&k) { k / 5 % 3 + 1 } else { 0 })
        .fold(0i32, |sum, r| sum.wrapping_mul(3).wrapping_add(r))
        .wrapping_mul(2)
        & 127;
    assert_eq!(checked(&text), expected);
    let twice = "define void @f(i32 %x) {\n switch i32 %x, label %d [ i32 1, label %d\n i32 1, label %d ]\nd:\n ret void\n}";
    assert!(parse(twice).unwrap_err().message.contains("1 is a case twice"));
}

#[test]
fn a_switch_may_be_of_any_width() {
    // The function says which case it was; a weight for each value that is tried.
    for bits in [2u32, 3, 7, 17, 24, 33, 48, 63, 65, 100, 127, 128] {
        let top = 1i128 << (bits.min(64) - 1);
        let mut cases = vec![-top, -top + 1, -1, 0, 1, top - 1, top / 2, -top / 3];
        cases.sort_unstable();
        cases.dedup();
        // Of i2 these are all numbers: nothing goes where others would, and a phi there has no edge.
        let rows: String =
            (0..).zip(&cases).map(|(k, x)| format!(" i{bits} {x}, label %b{}\n", k % 3)).collect();
        let mut tried: Vec<i128> = cases.iter().flat_map(|&x| [x - 1, x, x + 1]).collect();
        if bits > 64 {
            tried.extend(cases.iter().flat_map(|&x| [x ^ 1 << 64, x ^ 1 << (bits - 1).min(126)]));
        }
        let wrap = |x: i128| x << (128 - bits) >> (128 - bits);
        tried.iter_mut().for_each(|x| *x = wrap(*x));
        let (mut text, mut expected) = (String::new(), 0i32);
        text += &format!(
            "define i32 @f(i{bits} %x) {{\na:\n switch i{bits} %x, label %d [\n{rows} ]\nb0:\n br label %d\nb1:\n br label %d\n\
             b2:\n br label %d\nd:\n %r = phi i32 [ 7, %a ], [ 1, %b0 ], [ 2, %b1 ], [ 3, %b2 ]\n ret i32 %r\n}}\n\
             define i32 @main() {{\n %s0 = add i32 0, 0\n"
        );
        for (k, &x) in tried.iter().enumerate() {
            text += &format!(
                " %c{k} = call i32 @f(i{bits} {x})\n %m{k} = mul i32 %s{k}, 5\n %s{} = add i32 %m{k}, %c{k}\n",
                k + 1
            );
            let case = cases.iter().position(|&case| wrap(case) == x);
            expected = expected.wrapping_mul(5).wrapping_add(case.map_or(7, |case| (case % 3) as i32 + 1));
        }
        text += &format!(" %y = and i32 %s{}, 127\n ret i32 %y\n}}\n", tried.len());
        assert_eq!(result(&text), expected & 127, "i{bits}");
    }
    let refused = [
        (
            "i100 18446744073709551616, label %d\n i100 18446744073709551616",
            "18446744073709551616 is a case twice",
        ),
        ("i128 -1, label %d\n i128 340282366920938463463374607431768211455", "-1 is a case twice"),
        ("i7 128", "128 does not fit i7"),
        ("i7 3, label %d\n i7 3", "3 is a case twice"),
        ("i8 3", "of the switch's type"),
    ];
    for (case, message) in refused {
        let bits = ["100", "128"].into_iter().find(|bits| case[1..].starts_with(bits)).unwrap_or("7");
        let text = format!(
            "define void @f(i{bits} %x) {{\n switch i{bits} %x, label %d [ {case}, label %e ]\nd:\n ret void\ne:\n ret void\n}}"
        );
        assert!(parse(&text).unwrap_err().message.contains(message), "{case}");
    }
}

#[test]
fn sums_and_products_say_whether_they_fit() {
    let big = [0, 1, -1, 2, i64::MAX, i64::MIN, 3_037_000_500, -3_037_000_500];
    type Compute = fn(i64, i64) -> (i64, bool);
    let kinds: [(&str, Compute); 4] = [
        ("sadd", i64::overflowing_add),
        ("ssub", i64::overflowing_sub),
        ("smul", i64::overflowing_mul),
        ("umul", |x, y| {
            let (product, flag) = (x as u64).overflowing_mul(y as u64);
            (product as i64, flag)
        }),
    ];
    let (mut text, mut count, mut expected) = (String::new(), 0, 0i64);
    for (name, _) in kinds {
        text += &format!("declare {{ i64, i1 }} @llvm.{name}.with.overflow.i64(i64, i64)\n");
        text += &format!(
            "define i64 @{name}(i64 %x, i64 %y) {{\n %p = call {{ i64, i1 }} @llvm.{name}.with.overflow.i64(i64 %x, i64 %y)\n\
             %v = extractvalue {{ i64, i1 }} %p, 0\n %o = extractvalue {{ i64, i1 }} %p, 1\n\
             %w = zext i1 %o to i64\n %m = mul i64 %v, 31\n %r = add i64 %m, %w\n ret i64 %r\n}}\n"
        );
    }
    text += "define i32 @main() {\n";
    let mut last = "0".to_string();
    for (name, compute) in kinds {
        for (x, y) in big.iter().flat_map(|&x| big.map(|y| (x, y))) {
            let (value, flag) = compute(x, y);
            let result = value.wrapping_mul(31).wrapping_add(i64::from(flag));
            expected = expected.wrapping_mul(7).wrapping_add(result);
            text += &format!(
                " %c{count} = call i64 @{name}(i64 {x}, i64 {y})\n %m{count} = mul i64 {last}, 7\n\
                 %s{count} = add i64 %m{count}, %c{count}\n"
            );
            last = format!("%s{count}");
            count += 1;
        }
    }
    text += &format!(
        " %good = icmp eq i64 {last}, {expected}\n %code = zext i1 %good to i32\n ret i32 %code\n}}\n"
    );
    assert_eq!(result(&text), 1);
}

#[test]
fn quotients_of_two_words_are_calls_and_shifts_by_any_amount_are_not() {
    let text = "define i128 @f(i128 %a, i128 %b, i128 %n) {
           %q = sdiv i128 %a, %b
           %r = urem i128 %q, 10
           %s = ashr i128 %r, %n
           ret i128 %s
         }
         define i100 @g(i100 %a, i100 %b) {
           %q = sdiv i100 %a, %b
           ret i100 %q
         }";
    let machine = Platform { pointer_bytes: 8, name: "riscv64", ..ANY };
    let out = print::module(&parse_for(text, &machine).unwrap());
    assert_eq!(out.matches("call void @__divti3(").count(), 2, "{out}");
    assert_eq!(out.matches("call void @__umodti3(").count(), 1, "{out}");
    assert!(
        out.contains("declare void @__divti3(ptr \"results\"=\"i64 0 i64 8\", i64 \"parts\"=\"2 16\", i64"),
        "{out}"
    );
    // What the library lacks is a loop: three words; two of 32 bits are a type of the tables.
    let narrow = Platform { pointer_bytes: 4, ..ANY };
    for (bits, platform) in [(200, &machine), (128, &ANY), (96, &narrow), (128, &narrow)] {
        let text = format!("define i{bits} @f(i{bits} %a) {{\n %q = udiv i{bits} %a, 7\n ret i{bits} %q\n}}");
        let module = parse_for(&text, platform).unwrap();
        assert!(!print::module(&module).contains("__udiv"));
    }
    // The amount is known when the program runs.
    for (op, value, by, bit) in [
        ("shl", 3, 70, 71),
        ("lshr", -1, 100, 27),
        ("ashr", -1, 100, 127),
        ("shl", 1, 3, 3),
        ("lshr", -1, 0, 127),
    ] {
        let text = format!(
            "@n = global i64 {by}
             define i32 @main() {{
               %n = load i64, ptr @n
               %by = zext i64 %n to i128
               %x = {op} i128 {value}, %by
               %at = lshr i128 %x, {bit}
               %all = trunc i128 %at to i32
               %r = and i32 %all, 3
               ret i32 %r
             }}"
        );
        assert_eq!(result(&text), 1, "{text}");
    }
}
