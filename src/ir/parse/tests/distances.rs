//! Differences of two addresses in data, and what is read of them.

use super::memory::result;
use super::{parse, trip};
use crate::ir::parse::{ANY, Platform, parse_for};
use crate::ir::print;

/// How far one is from the start of another.
fn distance(to: &str, from: &str) -> String {
    format!("trunc (i64 sub (i64 ptrtoint (ptr {to} to i64), i64 ptrtoint (ptr {from} to i64)) to i32)")
}

#[test]
fn data_have_distances_from_their_start() {
    let (a, b, main) =
        (distance("@a", "@t"), distance("getelementptr (i8, ptr @b, i64 1)", "@t"), distance("@main", "@m"));
    let text = format!(
        "@a = internal constant [4 x i8] c\"abc\\00\"
         @b = internal constant [4 x i8] c\"xyz\\00\"
         @t = internal constant [3 x i32] [i32 {a}, i32 {b}, i32 5]
         @m = global {{ i32, [2 x i32], ptr }} {{ i32 7, [2 x i32] [i32 {main}, i32 9], ptr @a }}
         declare ptr @llvm.load.relative.i64(ptr, i64)
         define i32 @main() {{
           %p = call ptr @llvm.load.relative.i64(ptr @t, i64 4)
           %c = load i8, ptr %p
           %d = zext i8 %c to i32
           %q = call ptr @llvm.load.relative.i64(ptr @m, i64 4)
           %same = icmp eq ptr %q, @main
           %s = zext i1 %same to i32
           %last = load i32, ptr getelementptr ([3 x i32], ptr @t, i64 0, i64 2)
           %first = load i32, ptr @t
           %x = sub i32 %first, {a}
           %low = sub i32 ptrtoint (ptr @b to i32), ptrtoint (ptr @a to i32)
           %high = sub i64 ptrtoint (ptr @b to i64), ptrtoint (ptr @a to i64)
           %cut = trunc i64 %high to i32
           %y = sub i32 %low, %cut
           %1 = add i32 %last, %x
           %2 = add i32 %1, %d
           %3 = add i32 %2, %y
           %r = add i32 %3, %s
           ret i32 %r
         }}"
    );
    assert_eq!(result(&text), 5 + i32::from(b'y') + 1);
    let out = trip(&text);
    let has = |text: &str| assert!(out.contains(text), "no {text} in {out}");
    has(&format!("i32 {a}, i32 {b}, [1 x i32] [i32 5]"));
    has(&format!("i32 {main}, "));
    // As wide as addresses.
    let wide = |to: &str| format!("i64 sub (i64 ptrtoint (ptr {to} to i64), i64 ptrtoint (ptr @t to i64))");
    let text = format!(
        "@a = internal constant [4 x i8] c\"abc\\00\"
         @t = internal constant [3 x i64] [i64 7, {}, {}]
         @u = internal global {{ i8, i64 }} {{ i8 1, i64 sub (i64 ptrtoint (ptr @main to i64), i64 ptrtoint (ptr @u to i64)) }}
         define i32 @main() {{
           %n = load i64, ptr getelementptr ([3 x i64], ptr @t, i64 0, i64 1)
           %m = load i64, ptr getelementptr ([3 x i64], ptr @t, i64 0, i64 2)
           %d = sub i64 %m, %n
           %p = getelementptr i8, ptr @t, i64 %m
           %c = load i8, ptr %p
           %e = zext i8 %c to i32
           %o = load i64, ptr getelementptr (i8, ptr @u, i64 8)
           %q = getelementptr i8, ptr @u, i64 %o
           %same = icmp eq ptr %q, @main
           %s = zext i1 %same to i32
           %f = trunc i64 %d to i32
           %g = add i32 %e, %f
           %r = add i32 %g, %s
           ret i32 %r
         }}",
        wide("@a"),
        wide("getelementptr (i8, ptr @a, i64 2)")
    );
    assert_eq!(result(&text), i32::from(b'c') + 2 + 1);
    let out = trip(&text);
    assert!(out.contains(&wide("@a")), "{out}");
    let narrow = Platform { pointer_bytes: 4, ..ANY };
    let text = "@a = global i32 1\n@t = constant [2 x i32] [i32 sub (i32 ptrtoint (ptr @a to i32), \
                i32 ptrtoint (ptr @t to i32)), i32 ptrtoint (ptr @a to i32)]";
    let out = print::module(&parse_for(text, &narrow).unwrap());
    assert!(
        out.contains("<{ i32 sub (i32 ptrtoint (ptr @a to i32), i32 ptrtoint (ptr @t to i32)), ptr @a }>"),
        "{out}"
    );
}

#[test]
fn other_differences_are_errors() {
    let fails = |contents: &str, why: &str| {
        let text = format!("@a = global i32 1\n@b = global i32 2\n@t = constant {contents}");
        let error = parse(&text).expect_err(contents);
        assert!(error.message.contains(why) && error.line == 3, "{error}");
    };
    let [ours, other] = ["@t", "@b"].map(|from| distance("@a", from));
    fails(&format!("i32 {other}"), "from the start of the data");
    fails(&format!("i16 trunc (i32 {ours} to i16)"), "a part of an address");
    fails(&format!("i64 zext (i32 {ours} to i64)"), "`zext` of a part of an address");
    fails(
        "i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64))",
        "from the start of the data",
    );
    fails("i128 sub (i128 ptrtoint (ptr @a to i128), i128 ptrtoint (ptr @t to i128))", "");
    fails("i64 sub (i64 0, i64 ptrtoint (ptr @a to i64))", "two addresses");
    let twice = format!("i32 sub (i32 {ours}, i32 ptrtoint (ptr @b to i32))");
    fails(&twice, "three addresses");
}
