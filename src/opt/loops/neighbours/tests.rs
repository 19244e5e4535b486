//! Tests of accesses that come together, and of those that stay.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::legal::{Rows, Vectors, rows};
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, run};

static ALL: Rows = rows(&[(Op::ALL, &[Type::I32x4, Type::F32x4])]);

/// A loop over an array, `%p` being the address of a round, with these lines; what it makes of `@a` and `@b` is printed.
fn text(lines: &str) -> String {
    format!(
        "@a = internal global [64 x i32] zeroinitializer
         @b = internal global [64 x i32] zeroinitializer
         declare void @putint(i32)
         define i32 @main() {{
         entry:
           br label %fill
         fill:
           %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
           %x = getelementptr i32, ptr @a, i32 %k
           %y = mul i32 %k, 77
           store i32 %y, ptr %x
           %k1 = add i32 %k, 1
           %kc = icmp slt i32 %k1, 64
           br i1 %kc, label %fill, label %loop
         loop:
           %i = phi i32 [ 0, %fill ], [ %j, %loop ]
           %p = getelementptr i32, ptr @a, i32 %i
           %q = getelementptr i32, ptr @b, i32 %i
           {lines}
           %j = add i32 %i, 4
           %c = icmp slt i32 %j, 60
           br i1 %c, label %loop, label %sum
         sum:
           %n = phi i32 [ 0, %loop ], [ %n1, %sum ]
           %s = phi i32 [ 0, %loop ], [ %s3, %sum ]
           %f = getelementptr i32, ptr @a, i32 %n
           %g = getelementptr i32, ptr @b, i32 %n
           %u = load i32, ptr %f
           %v = load i32, ptr %g
           %s1 = mul i32 %s, 31
           %s2 = add i32 %s1, %u
           %s3 = xor i32 %s2, %v
           %n1 = add i32 %n, 1
           %nc = icmp slt i32 %n1, 64
           br i1 %nc, label %sum, label %out
         out:
           call void @putint(i32 %s3)
           ret i32 0
         }}"
    )
}

/// The loads and stores of the loop behind the pass, in order: what they load, and where they store.
#[track_caller]
fn order(lines: &str) -> String {
    let text = text(lines);
    let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    let facts = TargetFacts {
        word: 64,
        pairs: true,
        offsets_vector: [-256, 65520],
        vectors: Vectors::of(&ALL),
        ..TargetFacts::default()
    };
    apply_for(facts, &[&crate::opt::values::dce::DCE, &NEIGHBOURS], &mut module);
    let all = print::module(&module);
    assert_eq!(run(&module, ""), run(&before, ""), "{all}");
    let body = all.split("b2:").nth(1).and_then(|rest| rest.split("b3:").next()).unwrap_or_default();
    let name = |line: &str| {
        let line = line.trim();
        match line.split_once(" = load ") {
            Some((name, rest)) => Some(format!("{name} {}", rest.split(',').next().unwrap_or_default())),
            None => Some(line.strip_prefix("store ")?.split(',').nth(1)?.trim().to_string()),
        }
    };
    body.lines().filter_map(name).collect::<Vec<_>>().join("; ")
}

#[test]
fn two_that_are_neighbours_come_together() {
    let have = order(
        "%p1 = getelementptr i32, ptr %p, i32 1
         %q1 = getelementptr i32, ptr %q, i32 1
         %l0 = load i32, ptr %p
         %m0 = add i32 %l0, 3
         store i32 %m0, ptr %q
         %l1 = load i32, ptr %p1
         %m1 = add i32 %l1, 3
         store i32 %m1, ptr %q1",
    );
    let names: Vec<&str> = have.split("; ").collect();
    assert!(names.len() == 4 && names[..2].iter().all(|name| name.ends_with("i32")), "{have}");
}

#[test]
fn nothing_moves_over_what_may_overlap() {
    // A store to what is loaded behind it, and to where the number that was loaded says.
    for between in [
        "store i32 %m0, ptr %p1",
        "%w = and i32 %l0, 63\n %o = getelementptr i32, ptr @a, i32 %w\n store i32 %m0, ptr %o",
    ] {
        let have = order(&format!(
            "%p1 = getelementptr i32, ptr %p, i32 1
             %l0 = load i32, ptr %p
             %m0 = add i32 %l0, 3
             {between}
             %l1 = load i32, ptr %p1
             %m1 = add i32 %l1, 3
             store i32 %m1, ptr %q"
        ));
        let names: Vec<&str> = have.split("; ").collect();
        assert!(
            names[0].ends_with("i32") && !names[1].ends_with("i32") && names[2].ends_with("i32"),
            "{have}"
        );
    }
}

#[test]
fn what_four_loads_put_into_all_lanes_are_lanes_of_one() {
    let lines = |last: i32, between: &str| {
        let each = |k: i32, at: i32| {
            format!(
                "%p{k} = getelementptr i32, ptr %p, i32 {at}
                 %l{k} = load i32, ptr %p{k}
                 %z{k} = insertelement <4 x i32> poison, i32 %l{k}, i32 0
                 %x{k} = shufflevector <4 x i32> %z{k}, <4 x i32> poison, <4 x i32> zeroinitializer
                 %r{k} = mul <4 x i32> %x{k}, %w\n"
            )
        };
        let sums =
            "%e0 = add <4 x i32> %r0, %r1\n %e1 = add <4 x i32> %r2, %r3\n %e2 = xor <4 x i32> %e0, %e1\n
                    store <4 x i32> %e2, ptr %q, align 4";
        let loads: String = [(0, 0), (1, 1), (2, 2)].map(|(k, at)| each(k, at)).concat();
        format!("%w = load <4 x i32>, ptr %q, align 4\n {loads} {between} {} {sums}", each(3, last))
    };
    let whole = order(&lines(3, ""));
    assert_eq!(whole.matches("<4 x i32>").count(), 2, "{whole}");
    for apart in [lines(4, ""), lines(3, "store <4 x i32> %r0, ptr %p, align 4\n")] {
        let have = order(&apart);
        assert_eq!(have.split("; ").filter(|access| access.ends_with(" i32")).count(), 4, "{have}");
    }
}

/// Vectors at these numbers behind a pointer that moves on, summed up.
fn window(at: [i32; 4]) -> String {
    let each = |k: usize| {
        format!(
            "%p{k} = getelementptr i32, ptr %r, i32 {}\n %l{k} = load <4 x i32>, ptr %p{k}, align 4\n",
            at[k]
        )
    };
    text("")
        .replace("%i = phi", "%r = phi ptr [ @a, %fill ], [ %r1, %loop ]\n %i = phi")
        .replace(
            "%j = add i32 %i, 4",
            &format!(
                "{}
             %e0 = add <4 x i32> %l0, %l1\n %e1 = xor <4 x i32> %l2, %l3\n %e2 = sub <4 x i32> %e0, %e1
             store <4 x i32> %e2, ptr %q, align 4
             %r1 = getelementptr i32, ptr %r, i32 4
             %j = add i32 %i, 4",
                (0..4).map(each).collect::<String>()
            ),
        )
        .replace("icmp slt i32 %j, 60", "icmp slt i32 %j, 40")
}

#[test]
fn vectors_between_multiples_have_a_pointer_of_their_own() {
    let facts = TargetFacts {
        word: 64,
        pairs: true,
        offsets_vector: [-256, 65520],
        vectors: Vectors::of(&ALL),
        ..TargetFacts::default()
    };
    for (at, pointers) in [([1, 5, 9, 13], 2), ([0, 4, 8, 12], 1), ([1, 6, 11, 12], 1)] {
        let text = window(at);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply_for(facts, &[&NEIGHBOURS], &mut module);
        let all = print::module(&module);
        assert_eq!(run(&module, ""), run(&before, ""), "{all}");
        assert_eq!(all.matches("phi ptr").count(), pointers, "{all}");
    }
}
