//! Tests of sums side by side.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::legal::{Rows, Vectors, rows};
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, run};

static ALL: Rows = rows(&[(Op::ALL, &[Type::I32x4, Type::F32x4])]);

/// Four sums over rows of `b`, of the numbers `at` in each row; how each is made of `%x`, which all have in common, `%y`
/// and `%s`, and what else stands in the loop.
fn text(ty: &str, at: [i32; 4], made: [&str; 4], more: &str) -> String {
    let zero = if ty == "float" { "0.0" } else { "0" };
    let lane = |k: usize, line: &str| line.replace('#', &k.to_string()).replace("TY", ty);
    let phis: String =
        (0..4).map(|k| lane(k, &format!("%s# = phi TY [ {zero}, %entry ], [ %t#, %l ]\n"))).collect();
    let sums: String = (0..4)
        .map(|k| {
            lane(
                k,
                &format!(
                    "%p# = getelementptr [8 x i32], ptr @b, i32 %k, i32 {}\n %y# = load TY, ptr %p#\n {}\n",
                    at[k], made[k]
                ),
            )
        })
        .collect();
    let stores: String = (0..4)
        .map(|k| lane(k, &format!("%c# = getelementptr i32, ptr @c, i32 {k}\n store TY %t#, ptr %c#\n")))
        .collect();
    format!(
        "@a = internal global [8 x i32] zeroinitializer
         @b = internal global [8 x [8 x i32]] zeroinitializer
         @c = internal global [8 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32)
         define internal void @fill(ptr %to, i32 %n) {{
         entry:
           br label %l
         l:
           %i = phi i32 [ 0, %entry ], [ %j, %l ]
           %p = getelementptr i32, ptr %to, i32 %i
           %u = mul i32 %i, 3
           %w = sub i32 77, %u
           %f = sitofp i32 %w to float
           store {ty} %{}, ptr %p
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %l, label %out
         out:
           ret void
         }}
         define i32 @main() {{
         begin:
           %n = call i32 @getint()
           call void @fill(ptr @a, i32 8)
           call void @fill(ptr @b, i32 64)
           br label %entry
         entry:
           br label %l
         l:
           {phis}
           %k = phi i32 [ 0, %entry ], [ %j, %l ]
           %p = getelementptr i32, ptr @a, i32 %k
           %x = load {ty}, ptr %p
           {sums}
           {more}
           %j = add i32 %k, 1
           %g = icmp slt i32 %j, %n
           br i1 %g, label %l, label %out
         out:
           {stores}
           br label %show
         show:
           %i = phi i32 [ 0, %out ], [ %h, %show ]
           %q = getelementptr i32, ptr @c, i32 %i
           %v = load i32, ptr %q
           call void @putint(i32 %v)
           %h = add i32 %i, 1
           %z = icmp slt i32 %h, 4
           br i1 %z, label %show, label %end
         end:
           ret i32 0
         }}",
        if ty == "float" { "f" } else { "w" },
    )
}

fn after(text: &str) -> (crate::ir::Module, crate::ir::Module, String) {
    let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    let facts = TargetFacts { word: 64, vectors: Vectors::of(&ALL), ..TargetFacts::default() };
    apply_for(facts, &[&SLP_VECTORIZE], &mut module);
    let have = print::module(&module);
    (before, module, have)
}

const FLOAT: &str = "%m# = fmul TY %x, %y#\n %t# = fadd TY %s#, %m#";
const INT: &str = "%m# = mul TY %x, %y#\n %t# = add TY %m#, %s#";

#[test]
fn four_sums_of_neighbours_are_one_of_vectors() {
    for (ty, at, made) in [
        ("float", [0, 1, 2, 3], [FLOAT; 4]),
        ("float", [7, 4, 6, 5], [FLOAT; 4]),
        ("i32", [2, 3, 4, 5], [INT; 4]),
    ] {
        let text = text(ty, at, made, "");
        let (before, module, have) = after(&text);
        assert!(have.contains("load <4 x") && have.contains("phi <4 x"), "{have}");
        // In order they are stored as one.
        assert_eq!(have.contains("store <4 x"), at[0] < at[1], "{have}");
        for n in ["1", "2", "3", "8"] {
            assert_eq!(run(&module, n), run(&before, n), "{n}\n{have}");
        }
    }
}

#[test]
fn what_is_not_alike_or_no_neighbours_or_used_elsewhere_stays() {
    let minus = "%m# = mul TY %x, %y#\n %t# = sub TY %s#, %m#";
    for (at, made, more) in [
        ([0, 1, 2, 4], [INT; 4], ""),
        ([0, 2, 4, 6], [INT; 4], ""),
        ([0, 1, 2, 3], [INT, INT, INT, minus], ""),
        ([0, 1, 2, 3], [INT; 4], "call void @putint(i32 %m2)"),
        ([0, 1, 2, 3], [INT; 4], "store i32 %x, ptr @c"),
        ([0, 1, 2, 3], [INT; 4], "%d = getelementptr i32, ptr @c, i32 %m1\n %e = load i32, ptr %d"),
    ] {
        let (_, _, have) = after(&text("i32", at, made, more));
        assert!(!have.contains("<4 x"), "{have}");
    }
}

/// One sum, to which a round adds what these lines make of `@b`, the last of which is `%s1`.
fn one_sum(lines: &str) -> String {
    let address = |k: i32| {
        format!("%p{k} = getelementptr [8 x i32], ptr @b, i32 %k, i32 {k}\n %y{k} = load i32, ptr %p{k}\n")
    };
    let loads: String = (0..6).map(address).collect();
    let whole = text("i32", [0, 1, 2, 3], [INT; 4], "");
    // The loop of `fill`, and that of `main`.
    let mut loops = whole.match_indices(" l:\n").skip(1);
    loops
        .next()
        .map(|(at, _)| {
            let head = &whole[..at];
            format!(
                "{head} l:
                   %s = phi i32 [ 5, %entry ], [ %s1, %l ]
                   %k = phi i32 [ 0, %entry ], [ %j, %l ]
                   {loads}
                   {lines}
                   %j = add i32 %k, 1
                   %g = icmp slt i32 %j, %n
                   br i1 %g, label %l, label %out
                 out:
                   call void @putint(i32 %s1)
                   ret i32 0
                 }}"
            )
        })
        .unwrap_or_default()
}

#[test]
fn summands_side_by_side_are_added_as_a_vector() {
    let four =
        "%a0 = add i32 %s, %y0\n %a1 = add i32 %a0, %y1\n %a2 = add i32 %y3, %y2\n %s1 = add i32 %a2, %a1";
    let six =
        "%a0 = add i32 %s, %y0\n %a1 = add i32 %a0, %y1\n %a2 = add i32 %a1, %y2\n %a3 = add i32 %a2, %y3
               %a4 = add i32 %a3, %y4\n %s1 = add i32 %a4, %y5";
    let products = "%m0 = mul i32 %y0, %k\n %m1 = mul i32 %y1, %k\n %m2 = mul i32 %y2, %k\n %m3 = mul i32 %y3, %k
                    %a0 = add i32 %s, %m0\n %a1 = add i32 %a0, %m1\n %a2 = add i32 %a1, %m2\n %s1 = add i32 %a2, %m3";
    for lines in [four, six, products] {
        let (before, module, have) = after(&one_sum(lines));
        assert!(have.contains("vector.reduce.add") && have.contains("load <4 x i32>"), "{have}");
        for n in ["1", "2", "3", "8"] {
            assert_eq!(run(&module, n), run(&before, n), "{n}\n{have}");
        }
    }
    // A summand that is needed elsewhere, one that is taken off, and a sum that a round looks at.
    for lines in [
        "%a0 = add i32 %s, %y0\n %a1 = add i32 %a0, %y1\n %a2 = add i32 %a1, %y2\n %a3 = add i32 %a2, %y2\n %s1 = add i32 %a3, %y4",
        "%a0 = add i32 %s, %y0\n %a1 = sub i32 %a0, %y1\n %a2 = add i32 %a1, %y2\n %s1 = add i32 %a2, %y3",
        "%a0 = add i32 %s, %y0\n %a1 = add i32 %a0, %y1\n %a2 = add i32 %a1, %y2\n %a3 = add i32 %a2, %y3\n %s1 = add i32 %a3, %a1",
    ] {
        let (_, _, have) = after(&one_sum(lines));
        assert!(!have.contains("<4 x"), "{have}");
    }
}
