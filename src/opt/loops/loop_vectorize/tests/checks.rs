//! What is asked in front of a loop in vectors, of accesses that may meet.

use super::*;

/// A value of the row that is stored to is stored to in some round.
#[test]
fn what_is_loaded_for_all_rounds_is_not_in_the_row_that_they_store_to() {
    let of = |row: &str| {
        let round = format!(
            "%x = getelementptr [16 x i32], ptr @b, i32 {row}, i32 %n
             %d = load i32, ptr %x
             %y = getelementptr [16 x i32], ptr @b, i32 2, i32 %i
             %v = load i32, ptr %y
             %z = add i32 %v, %d
             store i32 %z, ptr %y{ON}"
        );
        text("15", &round, "%i")
            .replace("phi i32 [ 8, %entry ], [ %j, %tail ]", "phi i32 [ 0, %entry ], [ %j, %tail ]")
    };
    assert_eq!(made(&of("2")), None);
    assert!(made(&of("%n")).is_some());
}

/// Pointers of which nothing is known are asked for: apart, equal, a round and a vector ahead or behind.
#[test]
fn what_may_meet_is_asked_in_front() {
    let text = "@a = internal global [64 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32)
         define void @f(ptr %p, ptr %q, ptr %one, i32 %n) {
         entry:
           %g = icmp slt i32 0, %n
           br i1 %g, label %head, label %out
         head:
           %i = phi i32 [ 0, %entry ], [ %j, %head ]
           %x = getelementptr i32, ptr %p, i32 %i
           %y = getelementptr i32, ptr %q, i32 %i
           %u = load i32, ptr %x
           %k = load i32, ptr %one
           %v = mul i32 %u, 3
           %w = add i32 %v, %k
           store i32 %w, ptr %y
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %out
         out:
           ret void
         }
         define i32 @main() {
         entry:
           %d = call i32 @getint()
           %o = call i32 @getint()
           %n = call i32 @getint()
           %p = getelementptr i32, ptr @a, i32 20
           %q = getelementptr i32, ptr %p, i32 %d
           %one = getelementptr i32, ptr @a, i32 %o
           store i32 11, ptr @a
           store i32 13, ptr %p
           call void @f(ptr @a, ptr %p, ptr %one, i32 7)
           call void @f(ptr %p, ptr %q, ptr %one, i32 %n)
           br label %head";
    asked(&(text.to_string() + &in_one("entry", "0")), 4);
}

/// One goes up and one goes down: apart, with one word in common, and in one another.
#[test]
fn what_goes_up_and_what_goes_down_is_asked_in_front() {
    let text = "@a = internal global [64 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32)
         define void @f(ptr %p, ptr %q, i32 %n) {
         entry:
           %g = icmp slt i32 0, %n
           br i1 %g, label %head, label %out
         head:
           %i = phi i32 [ 0, %entry ], [ %j, %head ]
           %k = phi i32 [ 0, %entry ], [ %l, %head ]
           %x = getelementptr i32, ptr %p, i32 %i
           %y = getelementptr i32, ptr %q, i32 %k
           %u = load i32, ptr %x
           %v = load i32, ptr %y
           %w = mul i32 %u, 3
           store i32 %v, ptr %x
           store i32 %w, ptr %y
           %j = add i32 %i, 1
           %l = add i32 %k, -1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %out
         out:
           ret void
         }
         define i32 @main() {
         entry:
           %d = call i32 @getint()
           %o = call i32 @getint()
           %n = call i32 @getint()
           %p = getelementptr i32, ptr @a, i32 20
           %q = getelementptr i32, ptr %p, i32 %d
           br label %fill
         fill:
           %e = phi i32 [ 0, %entry ], [ %f, %fill ]
           %x0 = getelementptr i32, ptr @a, i32 %e
           %y0 = mul i32 %e, 77
           store i32 %y0, ptr %x0
           %f = add i32 %e, 1
           %c0 = icmp slt i32 %f, 64
           br i1 %c0, label %fill, label %filled
         filled:
           call void @f(ptr %p, ptr %q, i32 %n)
           br label %head";
    asked(&(text.to_string() + &in_one("filled", "%o")), 2);
}

/// What is left of `main` behind a block: the words of `@a` as one number, from a number on.
fn in_one(before: &str, start: &str) -> String {
    format!(
        "
         head:
           %i = phi i32 [ 0, %{before} ], [ %j, %head ]
           %s = phi i32 [ {start}, %{before} ], [ %t, %head ]
           %x = getelementptr i32, ptr @a, i32 %i
           %u = load i32, ptr %x
           %m = mul i32 %s, 31
           %t = add i32 %m, %u
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, 64
           br i1 %c, label %head, label %out
         out:
           call void @putint(i32 %t)
           ret i32 0
         }}"
    )
}

/// The pass asks about addresses in front of loops, and what comes of it does what it did.
fn asked(text: &str, addresses: usize) {
    let before = parse(text).unwrap();
    let mut module = before.clone();
    assert!(apply_for(facts(), &[&LOOP_VECTORIZE], &mut module));
    let have = print::module(&module);
    assert!(have.matches("ptrtoint").count() >= addresses && have.contains("store <4 x i32>"), "{have}");
    for d in [-16, -5, -4, -3, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 30, 31, 32] {
        for one in [0, 20, 23, 24, 25, 40] {
            for n in [0, 3, 4, 7, 9, 16] {
                let input = format!("{d} {one} {n}");
                assert_eq!(run(&module, &input), run(&before, &input), "{input}\n{have}");
            }
        }
    }
}
