//! Cases of value numbering.

use super::*;
use crate::opt::run::testing::{leaves_alone, rewrites};

#[test]
fn equal_computations_merge_with_operands_in_either_order() {
    rewrites(
        &GVN,
        "define i32 @f(i32 %x, i32 %y) {
         entry:
           %a = add i32 %x, %y
           %c = icmp slt i32 %a, %x
           br i1 %c, label %one, label %two
         one:
           %b = add i32 %y, %x
           %d = icmp sgt i32 %x, %b
           %e = zext i1 %d to i32
           %q = sdiv i32 %e, %a
           %r = sdiv i32 %e, %b
           %s = add i32 %q, %r
           ret i32 %s
         two:
           ret i32 %a
         }",
        "define i32 @f(i32 %x, i32 %y) {
         entry:
           %a = add i32 %x, %y
           %c = icmp slt i32 %a, %x
           br i1 %c, label %one, label %two
         one:
           %e = zext i1 %c to i32
           %q = sdiv i32 %e, %a
           %s = add i32 %q, %q
           ret i32 %s
         two:
           ret i32 %a
         }",
    );
}

#[test]
fn what_stays_promises_what_both_did() {
    let text = |first: &str, second: &str| {
        format!(
            "define i32 @f(i32 %x) {{
               %a = add {first} i32 %x, 1
               {second}
               ret i32 %c
             }}"
        )
    };
    let (b, c) = ("%b = add nsw i32 %x, 1", "%c = sdiv i32 %a, %a");
    rewrites(&GVN, &text("nuw nsw", &format!("{b}\n%c = sdiv i32 %a, %b")), &text("nsw", c));
}

#[test]
fn loads_merge_while_memory_is_what_it_was() {
    rewrites(
        &GVN,
        "@g = global [4 x i32] zeroinitializer
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @f(i32 %i, i32 %x) {
         entry:
           %p = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
           %a = load i32, ptr %p
           call void @putint(i32 %a)
           %b = load i32, ptr %p
           %q = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
           store i32 %x, ptr %q
           br label %next
         next:
           %c = load i32, ptr %p
           %d = add i32 %b, %c
           ret i32 %d
         }",
        "@g = global [4 x i32] zeroinitializer
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @f(i32 %i, i32 %x) {
         entry:
           %p = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
           %a = load i32, ptr %p
           call void @putint(i32 %a)
           store i32 %x, ptr %p
           br label %next
         next:
           %d = add i32 %a, %x
           ret i32 %d
         }",
    );
}

#[test]
fn calls_that_only_compute_are_made_once_while_what_they_read_is_what_it_was() {
    let text = |second: &str, result: &str, fourth: &str, read: &str| {
        format!(
            "@g = global i32 0
             @h = global i32 0
             define i32 @pure(i32 %x, i32 %y) {{
               %a = mul i32 %x, %y
               ret i32 %a
             }}
             define i32 @reads(i32 %x) {{
               %g = load i32, ptr @g
               ret i32 %g
             }}
             define i32 @f(i32 %x, i32 %y) {{
               %a = call i32 @pure(i32 %x, i32 %y)
               {second}
               %c = call i32 @pure(i32 %y, i32 %x)
               %d = call i32 @reads(i32 %x)
               store i32 %x, ptr @g
               %e = call i32 @reads(i32 %x)
               store i32 %x, ptr @h
               {fourth}
               %s = sdiv i32 %a, {result}
               %t = sdiv i32 %c, %s
               %u = sdiv i32 %d, %t
               %v = sdiv i32 %e, %u
               %w = sdiv i32 {read}, %v
               ret i32 %w
             }}"
        )
    };
    let more = ["%b = call i32 @pure(i32 %x, i32 %y)", "%i = call i32 @reads(i32 %x)"];
    rewrites(&GVN, &text(more[0], "%b", more[1], "%i"), &text("", "%a", "", "%e"));
}

#[test]
fn a_write_ends_only_what_it_may_have_changed() {
    // Loads of %a and @h outlive the call, that of @g does not; a store through %p may be to @g, but not
    // to %a.
    let text = |second: &str, last: &str| {
        format!(
            "@g = global i32 0
             @h = global i32 0
             define void @sets(ptr %q, i32 %x) {{
               store i32 %x, ptr %q
               store i32 %x, ptr @g
               ret void
             }}
             define i32 @f(ptr %p, i32 %x) {{
               %a = alloca [4 x i32]
               %b = alloca [4 x i32]
               %i = getelementptr [4 x i32], ptr %a, i32 0, i32 %x
               %g1 = load i32, ptr @g
               %h1 = load i32, ptr @h
               %a1 = load i32, ptr %i
               call void @sets(ptr %b, i32 %x)
               {second}
               store i32 %x, ptr %p
               %g3 = load i32, ptr @g
               %h3 = load i32, ptr @h
               {last}
               %s1 = add i32 %g1, %h1
               %s2 = add i32 %s1, %a1
               %s3 = add i32 %s2, %g2
               %s4 = add i32 %s3, %g3
               %s5 = add i32 %s4, %h3
               %t1 = mul i32 %s5, %h2
               %t2 = mul i32 %t1, %a2
               %t3 = mul i32 %t2, %a3
               ret i32 %t3
             }}"
        )
    };
    let before = text(
        "%g2 = load i32, ptr @g\n%h2 = load i32, ptr @h\n%a2 = load i32, ptr %i",
        "%a3 = load i32, ptr %i",
    );
    let after = text("%g2 = load i32, ptr @g", "");
    let after = after.replace("%h2", "%h1").replace("%a2", "%a1").replace("%a3", "%a1");
    rewrites(&GVN, &before, &after);
}

#[test]
fn what_is_set_or_copied_is_written() {
    leaves_alone(
        &GVN,
        "@g = global [4 x i32] zeroinitializer
         @h = global [4 x i32] zeroinitializer
         declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
         declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
         define i32 @f(i8 %x, i32 %n) {
           %a = load i32, ptr @g
           call void @llvm.memset.p0.i32(ptr @g, i8 %x, i32 %n, i1 false)
           %b = load i32, ptr @g
           call void @llvm.memcpy.p0.p0.i32(ptr @g, ptr @h, i32 %n, i1 false)
           %c = load i32, ptr @g
           %s = sub i32 %a, %b
           %t = sub i32 %s, %c
           ret i32 %t
         }
         define i32 @lanes(i32 %n) {
           %v = load <4 x i32>, ptr @g, align 4
           %m = icmp slt <4 x i32> %v, %v
           call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr @g, i32 4, <4 x i1> %m)
           %a = load i32, ptr @g
           %w = load <4 x i32>, ptr @g, align 4
           call void @llvm.experimental.vp.strided.store.v4i32.p0.i64(
             <4 x i32> %w, ptr @g, i64 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, i32 4)
           %b = load i32, ptr @g
           %x = load <4 x i32>, ptr @g, align 4
           %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %x)
           %s = sub i32 %a, %b
           %t = sub i32 %s, %r
           ret i32 %t
         }",
    );
}

#[test]
fn siblings_joins_stores_and_calls_that_write_keep_them_apart() {
    leaves_alone(
        &GVN,
        "@g = global i32 0
         define void @sets(i32 %x) {
           store i32 %x, ptr @g
           ret void
         }
         define i32 @f(i32 %x, i1 %c) {
         entry:
           %h = load i32, ptr @g
           call void @sets(i32 %h)
           br i1 %c, label %one, label %two
         one:
           %a = add i32 %x, 1
           %l = load i32, ptr @g
           br label %join
         two:
           %b = add i32 %x, 1
           %m = load i32, ptr @g
           store i32 %m, ptr @g
           br label %join
         join:
           %p = phi i32 [ %a, %one ], [ %b, %two ]
           %q = phi i32 [ %l, %one ], [ %m, %two ]
           %n = load i32, ptr @g
           %s = add i32 %p, %n
           %d = sub i32 %s, %q
           %e = sub i32 %q, %s
           %t = mul i32 %d, %e
           ret i32 %t
         }",
    );
}

/// A branch and a loop between two loads of @g, @a[%i + 1] and *%q, with something in each, and before the
/// last.
fn over(branch: &str, round: &str, last: &str, loads: &str, used: [&str; 3]) -> String {
    let [x, y, z] = used;
    format!(
        "@g = global i32 0
         @h = global i32 0
         @a = global [9 x [9 x i32]] zeroinitializer
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         declare void @unknown()
         define i32 @f(i1 %c, i32 %i, i32 %j, ptr %q) {{
         entry:
           %k = add i32 %i, 1
           %p = getelementptr inbounds [9 x [9 x i32]], ptr @a, i32 0, i32 %k, i32 4
           %g1 = load i32, ptr @g
           %a1 = load i32, ptr %p
           %q1 = load i32, ptr %q
           br i1 %c, label %then, label %loop
         then:
           {branch}
           br label %loop
         loop:
           {round}
           br i1 %c, label %loop, label %exit
         exit:
           {last}
           {loads}
           call void @putint(i32 {x})
           call void @putint(i32 {y})
           call void @putint(i32 {z})
           ret i32 %g1
         }}"
    )
}

const AGAIN: &str = "%g2 = load i32, ptr @g
                     %a2 = load i32, ptr %p
                     %q2 = load i32, ptr %q";

#[test]
fn what_nothing_on_the_way_writes_is_known_behind_branches_and_loops() {
    let (store, call) = ("store i32 %j, ptr @h", "call void @putint(i32 %j)");
    rewrites(
        &GVN_MEMORY,
        &over("", call, "", AGAIN, ["%g2", "%a2", "%q2"]),
        &over("", call, "", "", ["%g1", "%a1", "%q1"]),
    );
    // A parameter may point to @h.
    let known = over(store, call, "", "%q2 = load i32, ptr %q", ["%g1", "%a1", "%q2"]);
    rewrites(&GVN_MEMORY, &over(store, call, "", AGAIN, ["%g2", "%a2", "%q2"]), &known);
    let known = over("", store, "", "%q2 = load i32, ptr %q", ["%g1", "%a1", "%q2"]);
    rewrites(&GVN_MEMORY, &over("", store, "", AGAIN, ["%g2", "%a2", "%q2"]), &known);
    let unknown = "call void @unknown()";
    for (branch, round) in [(unknown, ""), ("", unknown), ("store i32 %j, ptr %q", call)] {
        leaves_alone(&GVN_MEMORY, &over(branch, round, "", AGAIN, ["%g2", "%a2", "%q2"]));
    }
}

#[test]
fn stores_to_other_elements_are_looked_back_over() {
    let store = |row: &str, column: &str| {
        format!(
            "%r = getelementptr inbounds [9 x [9 x i32]], ptr @a, i32 0, i32 {row}, i32 {column}
             store i32 %j, ptr %r"
        )
    };
    let load = "%a2 = load i32, ptr %p";
    for (row, column) in [("%i", "4"), ("%k", "3"), ("%j", "3"), ("%j", "5")] {
        let store = store(row, column);
        rewrites(
            &GVN_MEMORY,
            &over("", "", &store, load, ["0", "%a2", "0"]),
            &over("", "", &store, "", ["0", "%a1", "0"]),
        );
    }
    for (row, column) in [("%j", "4"), ("%k", "%j"), ("%i", "13"), ("%j", "-5")] {
        leaves_alone(&GVN_MEMORY, &over("", "", &store(row, column), load, ["0", "%a2", "0"]));
    }
}

#[test]
fn what_is_there_already_is_not_stored_and_cleared_arrays_hold_zeros() {
    let text = |store: &str, clear: &str, load: &str, x: &str| {
        format!(
            "define i32 @f(ptr %q, i32 %i) {{
               %a = alloca [4 x i32]
               {clear}
               %p = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 1
               store i32 7, ptr %p
               %r = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 2
               {load}
               %v = load i32, ptr %q
               {store}
               %b = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 %i
               %w = load i32, ptr %b
               %s = sdiv i32 {x}, %w
               %t = sdiv i32 %s, %v
               ret i32 %t
             }}"
        )
    };
    let load = "%x = load i32, ptr %r";
    let clear = |bytes: u32| format!("call void @llvm.memset.p0.i32(ptr %a, i8 0, i32 {bytes}, i1 false)");
    let declare = "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)\n";
    let with = |text: String| format!("{declare}{text}");
    rewrites(
        &GVN_MEMORY,
        &with(text("store i32 %v, ptr %q", &clear(16), load, "%x")),
        &with(text("", &clear(16), "", "0")),
    );
    leaves_alone(&GVN_MEMORY, &with(text("store i32 %i, ptr %q", &clear(8), load, "%x")));
}

#[test]
fn a_store_of_what_is_there_changes_nothing_wherever_it_goes() {
    let text = |stored: &str, again: &str| {
        format!(
            "@a = global [9 x i32] zeroinitializer
             define void @f(i32 %i, i32 %j, i32 %x) {{
               %p = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %i
               %q = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %j
               %v = load i32, ptr %p
               store i32 {stored}, ptr %q
               {again}
               ret void
             }}"
        )
    };
    rewrites(&GVN_MEMORY, &text("%v", "store i32 %v, ptr %p"), &text("%v", ""));
    leaves_alone(&GVN_MEMORY, &text("%x", "store i32 %v, ptr %p"));
    // Lanes of bytes may begin anywhere.
    leaves_alone(
        &GVN_MEMORY,
        "define void @f(ptr %p, i32 %j) {
           %q = getelementptr inbounds i8, ptr %p, i32 %j
           %v = load <4 x i8>, ptr %p, align 1
           store <4 x i8> %v, ptr %q, align 1
           store <4 x i8> %v, ptr %p, align 1
           ret void
         }",
    );
}

/// What a loop or a way around writes has been written before what is loaded first there.
#[test]
fn what_is_written_on_a_way_that_comes_later_in_the_walk_is_written() {
    let text = |before: &str, branch: &str, rest: &str| {
        format!(
            "@g = global i32 0
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i1 %c, i1 %d, i32 %j) {{
             entry:
               %g1 = load i32, ptr @g
               br i1 %c, label %next, label %{before}
             next:
               {branch}
             {rest}
             end:
               ret i32 %g1
             }}"
        )
    };
    let again = "%g2 = load i32, ptr @g\n call void @putint(i32 %g2)";
    // A loop, a loop in it, and a branch behind a branch.
    let own = format!("{again}\n store i32 %j, ptr @g\n br i1 %d, label %next, label %end");
    leaves_alone(&GVN_MEMORY, &text("end", &own, ""));
    let inner = format!("{again}\n br label %inner");
    let rest = "inner:\n store i32 %j, ptr @g\n br i1 %c, label %inner, label %latch
        latch:\n br i1 %d, label %next, label %end";
    leaves_alone(&GVN_MEMORY, &text("end", &inner, rest));
    let rest = format!(
        "one:\n store i32 %j, ptr @g\n br label %two\n two:\n br label %join\n join:\n {again}\n br label %end"
    );
    leaves_alone(&GVN_MEMORY, &text("join", "br i1 %d, label %one, label %two", &rest));
}

#[test]
fn what_may_be_anywhere_and_all_that_calls_read_may_be_written() {
    let text = |read: &str, write: &str| {
        format!(
            "@g = global i32 0
             @h = global i32 0
             define i32 @reads(i32 %x) {{
               %v = load i32, ptr @g
               %w = load i32, ptr @h
               %y = add i32 %v, %w
               ret i32 %y
             }}
             define i32 @f(i1 %c, i32 %x) {{
               %s = select i1 %c, ptr @g, ptr @h
               %a = {read}
               {write}
               %b = {read}
               %e = mul i32 %a, %b
               ret i32 %e
             }}"
        )
    };
    for write in ["store i32 %x, ptr @g", "store i32 %x, ptr @h", "store i32 %x, ptr %s"] {
        let calls = text("call i32 @reads(i32 %x)", write);
        if write.ends_with("%s") {
            leaves_alone(&GVN, &calls);
        } else {
            leaves_alone(&GVN, &calls.replace("%s = select i1 %c, ptr @g, ptr @h", ""));
            leaves_alone(&GVN, &text("load i32, ptr %s", write));
        }
    }
}

#[test]
fn what_other_threads_may_see_stays_as_often_and_in_its_place() {
    use crate::opt::loops::licm::LICM;
    use crate::opt::loops::loop_load_elim::LOOP_LOAD_ELIM;
    use crate::opt::loops::promote::PROMOTE;
    use crate::opt::memory::dead_stores::DEAD_STORES;
    use crate::opt::values::dce::DCE;
    let shared = [
        "fence release",
        "%x = load atomic i32, ptr @h acquire, align 4",
        "store atomic i32 %n, ptr @h monotonic, align 4",
        "%x = atomicrmw add ptr @h, i32 0 seq_cst",
        "%x = cmpxchg ptr @h, i32 1, i32 1 monotonic monotonic",
    ];
    for access in shared {
        let text = |first: &str, last: &str| {
            format!(
                "@g = global i32 0
                 @h = global i32 0
                 @q = global i32 0
                 @r = global i32 0
                 define i32 @f(i32 %n) {{
                 entry:
                   br label %loop
                 loop:
                   %k = phi i32 [ 0, %entry ], [ %l, %loop ]
                   {first}
                   {access}
                   {last}
                   {again}
                   %l = add nsw i32 %k, 1
                   %more = icmp slt i32 %l, %n
                   br i1 %more, label %loop, label %done
                 done:
                   ret i32 0
                 }}",
                again = access.replace("%x", "%y")
            )
        };
        let stores = text("store i32 1, ptr @g", "store i32 2, ptr @g");
        let loads = text(
            "%a = load i32, ptr @g\nstore i32 %a, ptr @q",
            "%b = load i32, ptr @g\nstore i32 %b, ptr @r",
        );
        for pass in [&GVN, &GVN_MEMORY, &DCE, &DEAD_STORES, &LICM, &PROMOTE, &LOOP_LOAD_ELIM] {
            leaves_alone(pass, &stores);
            leaves_alone(pass, &loads);
        }
    }
}
