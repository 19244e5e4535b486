//! Addresses of blocks.

use super::memory::result;
use super::*;

/// A machine of three operations; its table is data, with distances beside it.
const MACHINE: &str = "
@code = constant [8 x i8] c\"\\00\\00\\01\\00\\02\\01\\02\\03\"
@table = internal constant [4 x ptr] [ptr blockaddress(@run, %add), ptr blockaddress(@run, %double), ptr blockaddress(@run, %negate), ptr blockaddress(@run, %halt)]
@distances = internal constant [3 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@run, %double) to i64), i64 ptrtoint (ptr blockaddress(@run, %add) to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@run, %negate) to i64), i64 ptrtoint (ptr blockaddress(@run, %add) to i64)) to i32)]
@mixed = internal constant { ptr, i32, ptr } { ptr @run, i32 7, ptr blockaddress(@run, %halt) }
define i32 @run(i32 %x) {
entry:
  br label %next
add:
  %x1 = add i32 %x0, 3
  br label %next
double:
  %x2 = mul i32 %x0, 2
  br label %next
negate:
  %x3 = sub i32 0, %x0
  br label %next
next:
  %x0 = phi i32 [ %x, %entry ], [ %x1, %add ], [ %x2, %double ], [ %x3, %negate ]
  %pc = phi i32 [ 0, %entry ], [ %pc1, %add ], [ %pc1, %double ], [ %pc1, %negate ]
  %pc1 = add i32 %pc, 1
  %place = getelementptr [8 x i8], ptr @code, i32 0, i32 %pc
  %byte = load i8, ptr %place
  %op = zext i8 %byte to i64
  %to = getelementptr [4 x ptr], ptr @table, i64 0, i64 %op
  %address = load ptr, ptr %to
  indirectbr ptr %address, [label %add, label %double, label %negate, label %halt]
halt:
  %r = phi i32 [ %x0, %next ]
  ret i32 %r
}
define i32 @jump(i32 %k) {
  %at = getelementptr [3 x i32], ptr @distances, i32 0, i32 %k
  %d = load i32, ptr %at
  %d64 = sext i32 %d to i64
  %half = getelementptr { ptr, i32, ptr }, ptr @mixed, i32 0, i32 2
  %halt = load ptr, ptr %half
  %is = icmp eq ptr %halt, null
  %one = select i1 %is, i64 100, i64 0
  %there = getelementptr i8, ptr blockaddress(@jump, %a), i64 %d64
  %there2 = getelementptr i8, ptr %there, i64 %one
  indirectbr ptr %there2, [label %c, label %a, label %b, label %a]
a:
  ret i32 1
b:
  ret i32 2
c:
  ret i32 3
}
";

#[test]
fn jumps_go_where_numbers_of_blocks_say() {
    // Of @jump the block a is 1, and c and b are the next: distances are counted from there.
    let main = "define i32 @main() {\n %r = call i32 @run(i32 5)\n %a = call i32 @jump(i32 0)\n %c = call i32 @jump(i32 1)\n \
                %b = call i32 @jump(i32 2)\n %s = mul i32 %a, 27\n %t = mul i32 %c, 9\n %u = mul i32 %b, 3\n %v = add i32 %s, %t\n \
                %w = add i32 %u, %v\n %x = add i32 %r, %w\n ret i32 %x\n}";
    let mut x = 5;
    for op in [0, 0, 1, 0, 2, 1, 2] {
        x = if op == 0 {
            x + 3
        } else if op == 1 {
            2 * x
        } else {
            -x
        };
    }
    assert_eq!(result(&format!("{MACHINE}{main}")), x + 27 + 9 * 3 + 3 * 2);
    // What is printed is what it has become.
    let out = trip(MACHINE);
    assert!(!out.contains("indirectbr") && !out.contains("blockaddress"), "{out}");
    let empty = "define void @f(ptr %p) {\n indirectbr ptr %p, []\n}";
    assert!(trip(empty).contains("unreachable"));
    let one = "define i32 @f(ptr %p) {\n indirectbr ptr %p, [label %a]\na:\n %x = phi i32 [ 4, %0 ]\n ret i32 %x\n}";
    assert!(trip(one).contains("br label"));
}

#[test]
fn blocks_that_are_not_there_and_jumps_that_are_wrong_are_errors() {
    let cases = [
        ("@x = global ptr blockaddress(@f, %b)", 1, "`@f` is no function with blocks"),
        ("@x = global ptr blockaddress(@f, %b)\ndeclare void @f()", 1, "`@f` is no function with blocks"),
        ("@x = global ptr blockaddress(@f, %b)\ndefine void @f() {\n ret void\n}", 4, "no block `%b`"),
        (
            "@x = global i64 blockaddress(@f, %b)\ndefine void @f() {\n ret void\n}",
            1,
            "as a constant expression is not supported",
        ),
        (
            "define ptr @f() {\n ret ptr blockaddress(@g, %b)\n}\ndefine void @g() {\n br label %b\nb:\n ret void\n}",
            2,
            "of another function that no data have is not supported",
        ),
        ("define ptr @f() {\n ret ptr blockaddress(@f, %b)\n}", 3, "no block `%b`"),
        ("define void @f(i64 %x) {\n indirectbr i64 %x, [label %a]\na:\n ret void\n}", 2, "must be to a ptr"),
        ("define void @f(ptr %x) {\n indirectbr ptr %x, [label %a label %b]\na:\n ret void\n}", 2, "`,`"),
        ("define void @f(ptr %x) {\n indirectbr ptr %x, [label %a]\n}", 3, "no block `%a`"),
        ("define ptr @f() {\n ret ptr blockaddress(@f, %\"7\")\n}", 2, "a number in quotes is not supported"),
    ];
    for (text, line, message) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}
