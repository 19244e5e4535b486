//! Where ranges of arguments and results are known, and where they must not be.

use super::*;
use crate::ir::parse::parse;

const ALL: [i32; 2] = [i32::MIN, i32::MAX];

/// The ranges of the arguments of `@f`, and that of its result.
fn of_f(text: &str) -> Vec<[i32; 2]> {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = module.defined().find(|f| module.env.names.text(module.env.funcs[f.func].name) == "f").unwrap();
    let ranges = of(&module);
    let count = module.env.funcs[f.func].params.len();
    let arguments = (0..count as u32).map(|k| ranges.argument(f.func, k));
    arguments.chain([ranges.result(f.func, count)]).map(|range| [range.low, range.high]).collect()
}

/// The same, of a function that calls itself with `next` where `n` compares so, and is called with `first`.
fn recurring(linkage: &str, test: &str, next: &str, first: &str) -> [i32; 2] {
    of_f(&format!(
        "declare i32 @getint()
         define {linkage} i32 @f(i32 %n, i32 %m) {{
         entry:
           %c = icmp {test}
           br i1 %c, label %more, label %exit
         more:
           {next}
           %r = call i32 @f(i32 %o, i32 %m)
           br label %exit
         exit:
           ret i32 0
         }}
         define i32 @main() {{
         entry:
           %x = call i32 @getint()
           %v = call i32 @f(i32 {first}, i32 100)
           ret i32 %v
         }}"
    ))[0]
}

#[test]
fn what_a_function_passes_to_itself_counts_as_far_as_what_it_gets_lets_it() {
    let down = "%o = sub i32 %n, 1";
    assert_eq!(recurring("internal", "sgt i32 %n, 0", down, "50"), [0, 50]);
    assert_eq!(recurring("internal", "ne i32 %n, 0", down, "50"), [0, 50]);
    assert_eq!(recurring("internal", "sgt i32 %n, 0", "%o = sdiv i32 %n, 2", "1000"), [0, 1000]);
    let up = "%o = add i32 %n, 1";
    assert_eq!(recurring("internal", "slt i32 %n, %m", up, "3"), [3, 100]);
    assert_eq!(recurring("internal", "sgt i32 %m, %n", up, "3"), [3, 100]);
    assert_eq!(recurring("internal", "ne i32 %n, 9", up, "3"), [3, 9]);
    assert_eq!(recurring("internal", "ult i32 %n, 9", up, "0"), [0, 9]);
    assert_eq!(recurring("internal", "slt i32 %n, %m", "%o = mul i32 %n, 3", "1"), [1, 297]);
}

#[test]
fn what_grows_wraps_around_or_comes_from_outside_may_be_anything() {
    let (down, up) = ("%o = sub i32 %n, 1", "%o = add i32 %n, 1");
    // The test is of the other way, of nothing, or of the other argument.
    assert_eq!(recurring("internal", "sle i32 %n, 0", down, "-5"), ALL);
    assert_eq!(recurring("internal", "sgt i32 %m, 0", down, "50"), ALL);
    assert_eq!(recurring("internal", "sgt i32 %n, 0", up, "3"), ALL);
    // It steps over the only number that ends it.
    assert_eq!(recurring("internal", "ne i32 %n, 9", "%o = add i32 %n, 2", "4"), ALL);
    assert_eq!(recurring("internal", "sgt i32 %n, 0", "%o = mul i32 %n, 3", "1"), ALL);
    for linkage in ["", "weak"] {
        assert_eq!(recurring(linkage, "sgt i32 %n, 0", down, "50"), ALL);
    }
    for first in ["%x", "undef"] {
        assert_eq!(recurring("internal", "sgt i32 %n, 0", down, first), ALL);
    }
}

/// What `@f` gets and returns, which `@main` calls in such a way.
fn called(result: &str, body: &str) -> [[i32; 2]; 2] {
    let all = of_f(&format!(
        "declare i32 @getint()
         define internal i32 @f(i32 %n) {{
         entry:
           {result}
           ret i32 %r
         }}
         define i32 @main(i32 %p) {{
         entry:
           %x = call i32 @getint()
           {body}
         exit:
           ret i32 0
         }}"
    ));
    [all[0], all[1]]
}

#[test]
fn results_are_known_where_operations_bound_them() {
    let plain = "%v = call i32 @f(i32 3)\n%w = call i32 @f(i32 10)\n br label %exit";
    assert_eq!(called("%r = add i32 %n, 1", plain), [[3, 10], [4, 11]]);
    let unknown = "%v = call i32 @f(i32 %x)\n br label %exit";
    assert_eq!(called("%r = srem i32 %n, 10", unknown), [ALL, [-9, 9]]);
    assert_eq!(called("%r = and i32 255, %n", unknown), [ALL, [0, 255]]);
    assert_eq!(called("%r = add i32 %n, 0", unknown), [ALL, ALL]);
    // What another call has returned.
    let chain = "%y = srem i32 %x, 10\n%z = and i32 %y, 7\n%v = call i32 @f(i32 %z)\n\
                 %u = srem i32 %v, 3\n%w = call i32 @f(i32 %u)\n br label %exit";
    assert_eq!(called("%r = mul i32 %n, 2", chain), [[0, 7], [0, 14]]);
    let again = "%v = call i32 @f(i32 3)\n%u = add i32 %v, 20\n%w = call i32 @f(i32 %u)\n br label %exit";
    assert_eq!(called("%r = and i32 %n, 7", again), [[3, 27], [0, 7]]);
    let wraps = "%v = call i32 @f(i32 2147483647)\n%w = call i32 @f(i32 3)\n br label %exit";
    assert_eq!(called("%r = add i32 %n, 1", wraps), [[3, i32::MAX], ALL]);
}

#[test]
fn branches_above_narrow_what_is_passed_over_loops_but_not_over_joins() {
    let body = |into: &str, back: &str, ends: &str| {
        let text = format!(
            "%c = icmp sgt i32 %x, 5
             br i1 %c, label %{into}, label %other
           other:
             br label %{back}
           head:
             %i = phi i32 [ 0, %entry ], [ %j, %latch ] {ends}
             %d = icmp slt i32 %i, 8
             br i1 %d, label %body, label %exit
           body:
             %v = call i32 @f(i32 %x)
             %g = call i32 @getint()
             %h = icmp slt i32 %g, 8
             br i1 %h, label %left, label %latch
           left:
             br label %latch
           latch:
             %j = add i32 %i, 1
             br label %head"
        );
        called("%r = add i32 %n, 1", &text)[0]
    };
    assert_eq!(body("head", "exit", ""), [6, i32::MAX]);
    assert_eq!(body("head", "head", ", [ 0, %other ]"), ALL);
    // The loop has a second way in.
    let text = |to: &str| {
        format!(
            "%c = icmp sgt i32 %x, 5
             br i1 %c, label %head, label %other
           other:
             br label %{to}
           head:
             %v = call i32 @f(i32 %x)
             br label %latch
           latch:
             %d = icmp slt i32 %x, 8
             br i1 %d, label %head, label %exit"
        )
    };
    assert_eq!(called("%r = add i32 %n, 1", &text("exit"))[0], [6, i32::MAX]);
    assert_eq!(called("%r = add i32 %n, 1", &text("latch"))[0], ALL);
}

#[test]
fn counters_of_loops_are_as_their_tests_say() {
    let text = |test: &str, step: &str| {
        format!(
            "br label %head
           head:
             %i = phi i32 [ 2, %entry ], [ %j, %body ]
             %d = icmp {test}
             br i1 %d, label %body, label %exit
           body:
             %v = call i32 @f(i32 %i)
             %j = add i32 %i, {step}
             br label %head"
        )
    };
    let of = |test: &str, step: &str| called("%r = add i32 %n, 1", &text(test, step))[0];
    assert_eq!(of("slt i32 %i, 1000", "1"), [2, 999]);
    assert_eq!(of("slt i32 %i, %x", "1"), [2, i32::MAX - 1]);
    assert_eq!(of("slt i32 %i, %x", "2"), [i32::MIN, i32::MAX - 1]);
    assert_eq!(of("sgt i32 %i, 0", "-1"), [1, 2]);
    assert_eq!(of("ne i32 %i, %x", "1"), ALL);
}

#[test]
fn halves_of_an_interval_stay_in_it() {
    let have = of_f(
        "define internal i32 @f(i32 %l, i32 %r) {
         entry:
           %c = icmp sge i32 %l, %r
           br i1 %c, label %exit, label %more
         more:
           %s = add i32 %l, %r
           %m = sdiv i32 %s, 2
           %x = call i32 @f(i32 %l, i32 %m)
           %n = add i32 %m, 1
           %y = call i32 @f(i32 %n, i32 %r)
           br label %exit
         exit:
           ret i32 1
         }
         define i32 @main() {
           %v = call i32 @f(i32 0, i32 999)
           ret i32 %v
         }",
    );
    assert_eq!(have, [[0, 999], [0, 999], [1, 1]]);
}

#[test]
fn functions_that_call_each_other_are_looked_at_together() {
    let have = |step: &str| {
        of_f(&format!(
            "define internal i32 @g(i32 %n) {{
             entry:
               %m = add i32 %n, {step}
               %x = call i32 @f(i32 %m)
               ret i32 %x
             }}
             define internal i32 @f(i32 %n) {{
             entry:
               %c = icmp sgt i32 %n, 1
               br i1 %c, label %more, label %exit
             more:
               %m = sub i32 %n, 2
               %x = call i32 @g(i32 %m)
               ret i32 %x
             exit:
               ret i32 %n
             }}
             define i32 @main() {{
               %v = call i32 @g(i32 20)
               ret i32 %v
             }}"
        ))
    };
    assert_eq!(have("1"), [[1, 21], [1, 1]]);
    assert_eq!(have("2"), [[22, 22], ALL]);
    assert_eq!(have("3"), [ALL, [i32::MIN, 1]]);
}

/// The range of what `@g` holds, where `@main` does this with it, and `@f` with what it gets.
fn held(global: &str, body: &str, of_f: &str) -> [i32; 2] {
    let module = parse(&format!(
        "@g = {global}
         @h = internal global ptr null
         declare i32 @getint()
         declare i32 @getarray(ptr) memory(argmem: write, inaccessiblemem: readwrite)
         declare void @putarray(i32, ptr) memory(argmem: read, inaccessiblemem: readwrite)
         declare void @unknown()
         define internal void @f(ptr %p, i32 %n) {{
           {of_f}
           ret void
         }}
         define i32 @main(i1 %c, ptr %outside) {{
         entry:
           {body}
           ret i32 0
         }}"
    ))
    .unwrap_or_else(|error| panic!("{error}\n{body}\n{of_f}"));
    let (global, _) =
        module.env.globals.iter().find(|(_, row)| module.env.names.text(row.name) == "g").unwrap();
    let range = of(&module).memory.get(global).copied().unwrap_or(Range::ALL);
    [range.low, range.high]
}

const ARRAY: &str = "internal global [9 x i32] zeroinitializer";
const READ: &str = "%x = call i32 @getint()
    %p = getelementptr [9 x i32], ptr @g, i32 0, i32 %x";

#[test]
fn a_global_holds_what_it_had_and_what_is_stored() {
    let store = |what: &str| held(ARRAY, &format!("{READ}\n{what}"), "");
    assert_eq!(store("store i32 7, ptr %p"), [0, 7]);
    assert_eq!(store("%r = srem i32 %x, 10\nstore i32 %r, ptr %p"), [-9, 9]);
    assert_eq!(store("store i32 %x, ptr %p"), ALL);
    assert_eq!(held("internal global [2 x i32] [i32 3, i32 -4]", "", ""), [-4, 3]);
    assert_eq!(held("internal global [3 x i32] [i32 3, i32 4, i32 0]", "", ""), [0, 4]);
    assert_eq!(held("internal global i32 5", "%y = load i32, ptr @g\nstore i32 9, ptr @g", ""), [5, 9]);
    // What is loaded is of the same range: a generator of numbers.
    let next = "%a = load i32, ptr @g
        %b = mul i32 %a, 1103
        %c2 = add i32 %b, 12345
        %d = srem i32 %c2, 1000003
        store i32 %d, ptr @g";
    assert_eq!(held("internal global i32 7", next, ""), [0, 1_000_002]);
    let more = next.replace("1103", "11031");
    assert_eq!(held("internal global i32 7", &more, ""), [-1_000_002, 1_000_002]);
    let up = "%a = load i32, ptr @g\n%b = add i32 %a, 1\nstore i32 %b, ptr @g";
    assert_eq!(held("internal global i32 7", up, ""), ALL);
}

#[test]
fn sums_of_what_is_there_stay_below_what_they_are_reduced_by() {
    let sum = |reduced: &str| {
        let sum = format!("%y = load i32, ptr %q\n%s = add i32 %l, %y\n%r = {reduced}\nstore i32 %r, ptr %p");
        held(
            ARRAY,
            &format!(
                "{READ}\n%q = getelementptr i32, ptr %p, i32 1\n%l = load i32, ptr %p\nstore i32 1, ptr %p\n{sum}"
            ),
            "",
        )
    };
    assert_eq!(sum("srem i32 %s, 10007"), [0, 10006]);
    assert_eq!(sum("srem i32 %s, -10007"), [0, 10006]);
    // They may wrap around before they are reduced.
    assert_eq!(sum("srem i32 %s, 2000000000"), [-1_999_999_999, 1_999_999_999]);
    assert_eq!(sum("and i32 %s, -2")[0], i32::MIN);
    // An operation in the second operand is looked at.
    let weighted = "%d = shl i32 %l, 1\n%t = add i32 %y, %d\n%u = sdiv i32 %t, 3";
    assert_eq!(sum(&format!("add i32 0, 0\n{weighted}\n%v = add i32 %u, 0\nstore i32 %v, ptr %p")), [0, 1]);
}

#[test]
fn what_functions_store_through_their_arguments_counts_where_they_are_called() {
    let of_f = "%q = getelementptr i32, ptr %p, i32 %n\nstore i32 3, ptr %q";
    let call = format!("{READ}\ncall void @f(ptr %p, i32 1)");
    assert_eq!(held(ARRAY, &call, of_f), [0, 3]);
    assert_eq!(held(ARRAY, "call void @f(ptr @h, i32 1)", of_f), [0, 0]);
    assert_eq!(held(ARRAY, &call, "%y = load i32, ptr %p\nstore i32 %y, ptr %p"), ALL);
    assert_eq!(
        held(ARRAY, &call, "%y = srem i32 %n, 5\nstore i32 %y, ptr %p\ncall void @f(ptr %p, i32 -20)"),
        [-4, 1]
    );
    assert_eq!(held(ARRAY, &call, "%y = call i32 @getarray(ptr %p)"), ALL);
    assert_eq!(held(ARRAY, &call, "call void @putarray(i32 9, ptr %p)"), [0, 0]);
}

#[test]
fn a_global_that_something_else_can_write_to_may_hold_anything() {
    for linkage in ["global", "weak global", "external global"] {
        assert_eq!(
            held(
                &ARRAY
                    .replace("internal global", linkage)
                    .replace("external global [9 x i32] zeroinitializer", "external global [9 x i32]"),
                "",
                ""
            ),
            ALL,
            "{linkage}"
        );
    }
    for what in [
        "%n = call i32 @getarray(ptr %p)",
        "store ptr %p, ptr @h",
        "store float 1.0, ptr %p",
        "store ptr @h, ptr %outside\n%o = load ptr, ptr %outside\nstore i32 9, ptr %o",
        "%s = select i1 %c, ptr %p, ptr @h\nstore i32 9, ptr %s",
        "%k = ptrtoint ptr %p to i64",
        "store volatile i32 9, ptr %p",
        "%k = getelementptr i8, ptr @g, i32 1\nstore i32 9, ptr %k",
        "call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 8, i1 false)",
    ] {
        let declared = if what.contains("memset") {
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n@k"
        } else {
            "@k"
        };
        let text = format!("{ARRAY}\n{declared} = internal global i32 0");
        assert_eq!(held(&text, &format!("{READ}\n{what}"), ""), ALL, "{what}");
    }
    assert_eq!(held(&format!("{ARRAY}\n@k = internal global ptr @g"), "", ""), ALL);
    assert_eq!(
        held(ARRAY, &format!("{READ}\ncall void @putarray(i32 9, ptr %p)\ncall void @unknown()"), ""),
        [0, 0]
    );
}
