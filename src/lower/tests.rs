//! Expected IR, construct by construct; every module must verify.

use super::{Checks, Input, Program, Scratch};
use crate::ir::{self, Flags, Module};
use crate::sema::runtime::SYSY;
use crate::sema::{self, BodyTables, WarningSet};
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::tree::Tree;
use crate::syntax::{lexer, parser};

fn module(text: &str) -> Module {
    checked(text, Checks::NONE)
}

fn checked(text: &str, checks: Checks) -> Module {
    lowered(text, checks, Flags::NONE, true)
}

fn lowered(text: &str, checks: Checks, math: Flags, in_memory: bool) -> Module {
    let mut diags = Diagnostics::default();
    let main = if text.contains("main()") { "" } else { "\nint main() { return 0; }" };
    let file = SourceFile::new("t.sy", format!("{text}{main}").into_bytes());
    let mut names = sema::interner(&SYSY);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let whole = parser::parse(&file, &tokens, &mut diags);
    let outline = sema::outline(&SYSY, &file, names, &tokens, &whole, &WarningSet::NONE, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.list());
    let (program, mut env) = Program::new(&outline.sema, checks);
    let (mut tree, mut tables, mut scratch) = (Tree::default(), BodyTables::default(), Scratch::default());
    let mut bodies = Vec::new();
    for (k, function) in outline.sema.functions.iter().enumerate() {
        tree.copy_body(&whole, function.signature, function.def);
        let body = (&file, &tokens, &tree);
        sema::check_body(&outline, k, body, &outline.sema.names, &mut tables, &mut diags);
        assert!(!diags.has_errors(), "{:?}", diags.list());
        let sema = tables.checked(&outline);
        let input = Input {
            file: &file,
            tokens: &tokens,
            tree: &tree,
            sema,
            variables: false,
            in_memory,
            places: true,
            names: false,
            checks,
            math,
        };
        let mut body = program.body(&env, input, function.sym, &mut scratch);
        env.grant(&mut body);
        bodies.push(body);
    }
    let module = Module::new(env, bodies);
    assert_eq!(ir::verify::verify_module(&module).map_err(|error| error.to_string()), Ok(()), "{text}");
    module
}

#[test]
fn what_may_be_done_to_floats_is_promised_where_it_can_be() {
    let text = "float f(float x, int i) { if (x > 1.5) return -x * i; return i + 2; }";
    let all = ir::print::module(&lowered(text, Checks::NONE, Flags::FAST, true));
    let some = ir::print::module(&lowered(text, Checks::NONE, Flags::ARCP.with(Flags::NSZ), true));
    for (module, lines) in [
        (&all, ["fcmp ogt float", "fmul reassoc nnan nsz arcp contract float", "= fneg float", "= add i32"]),
        (&some, ["fcmp ogt float", "fmul nsz arcp float", "= fneg float", "= add i32"]),
    ] {
        assert!(lines.iter().all(|line| module.contains(line)), "{module}");
    }
}

/// The text of the function `f` of a program, without its first and last line, and without indentation.
fn body_of(text: &str) -> Vec<String> {
    f_of(&module(text))
}

fn f_of(module: &Module) -> Vec<String> {
    let printed = ir::print::module(module);
    let lines = printed.lines().skip_while(|line| !(line.starts_with("define") && line.contains("@f(")));
    lines.skip(1).take_while(|line| *line != "}").map(|line| line.trim().to_string()).collect()
}

fn expect(text: &str, expected: &str) {
    let found = body_of(text).join("\n");
    let expected: Vec<_> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(found, expected.join("\n"), "\n{text}\nfound:\n{found}\n");
}

fn instructions(text: &str) -> usize {
    body_of(text).len()
}

#[test]
fn scalars_live_in_memory_and_convert_where_the_language_says() {
    expect(
        "int f(int a, float x) { float y = a; a = x * 2; return y - a; }",
        "b0:
         %v0 = alloca i32
         %v1 = alloca float
         %v2 = alloca float
         store i32 %p0, ptr %v0
         store float %p1, ptr %v1
         %v3 = load i32, ptr %v0
         %v4 = sitofp i32 %v3 to float
         store float %v4, ptr %v2
         %v5 = load float, ptr %v1
         %v6 = fmul float %v5, 0x4000000000000000
         %v7 = fptosi float %v6 to i32
         store i32 %v7, ptr %v0
         %v8 = load float, ptr %v2
         %v9 = load i32, ptr %v0
         %v10 = sitofp i32 %v9 to float
         %v11 = fsub float %v8, %v10
         %v12 = fptosi float %v11 to i32
         ret i32 %v12",
    );
}

#[test]
fn a_left_operand_is_loaded_before_the_right_one_has_effects() {
    expect(
        "int g; int h() { g = 1; return 2; } int f() { return g + h(); }",
        "b0:
         %v0 = load i32, ptr @g
         %v1 = call i32 @h()
         %v2 = add i32 %v0, %v1
         ret i32 %v2",
    );
    expect(
        "int g; int a[9]; int h() { g = 1; return 2; } int f() { a[g] = h(); return a[g] - (h()); }",
        "b0:
         %v0 = load i32, ptr @g
         %v1 = getelementptr inbounds i32, ptr @a, i32 %v0
         %v2 = call i32 @h()
         store i32 %v2, ptr %v1
         %v3 = load i32, ptr @g
         %v4 = getelementptr inbounds i32, ptr @a, i32 %v3
         %v5 = load i32, ptr %v4
         %v6 = call i32 @h()
         %v7 = sub i32 %v5, %v6
         ret i32 %v7",
    );
}

#[test]
fn what_is_changed_is_evaluated_once_and_read_before_the_right_side() {
    expect(
        "int a[9]; int h() { return 2; } int f() { a[h()] += h(); return 0; }",
        "b0:
         %v0 = call i32 @h()
         %v1 = getelementptr inbounds i32, ptr @a, i32 %v0
         %v2 = load i32, ptr %v1
         %v3 = call i32 @h()
         %v4 = add i32 %v2, %v3
         store i32 %v4, ptr %v1
         ret i32 0",
    );
}

#[test]
fn continue_goes_to_the_step_of_a_for_and_to_the_condition_of_a_do() {
    expect(
        "int a; void f() { for (a = 1; a; a++) if (a) continue; else break; }",
        "b0:
         store i32 1, ptr @a
         br label %b1
         b1:
         %v0 = load i32, ptr @a
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b2, label %b6
         b2:
         %v2 = load i32, ptr @a
         %v3 = icmp ne i32 %v2, 0
         br i1 %v3, label %b3, label %b4
         b3:
         br label %b5
         b4:
         br label %b6
         b5:
         %v4 = load i32, ptr @a
         %v5 = add i32 %v4, 1
         store i32 %v5, ptr @a
         br label %b1
         b6:
         ret void",
    );
    expect(
        "int a; void f() { do { if (a) continue; break; } while (a); }",
        "b0:
         br label %b1
         b1:
         %v0 = load i32, ptr @a
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b2, label %b3
         b2:
         br label %b4
         b3:
         br label %b5
         b4:
         %v2 = load i32, ptr @a
         %v3 = icmp ne i32 %v2, 0
         br i1 %v3, label %b1, label %b5
         b5:
         ret void",
    );
}

#[test]
fn short_circuits_branch_and_share_their_targets() {
    expect(
        "int a; int b; int c; int f() { if (a && b || !c) return 1; return 2; }",
        "b0:
         %v0 = load i32, ptr @a
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b1, label %b2
         b1:
         %v2 = load i32, ptr @b
         %v3 = icmp ne i32 %v2, 0
         br i1 %v3, label %b3, label %b2
         b2:
         %v4 = load i32, ptr @c
         %v5 = icmp ne i32 %v4, 0
         br i1 %v5, label %b4, label %b3
         b3:
         ret i32 1
         b4:
         ret i32 2",
    );
}

#[test]
fn arguments_are_converted_where_a_short_circuit_in_the_last_one_has_ended() {
    expect(
        "void h(float x, int y) {} void f(int p) { h(p, p || 0 < p); }",
        "b0:
         %v0 = alloca i32
         store i32 %p0, ptr %v0
         %v1 = load i32, ptr %v0
         %v2 = load i32, ptr %v0
         %v3 = icmp ne i32 %v2, 0
         br i1 %v3, label %b2, label %b1
         b1:
         %v4 = load i32, ptr %v0
         %v5 = icmp sgt i32 %v4, 0
         br label %b2
         b2:
         %v6 = phi i1 [ true, %b0 ], [ %v5, %b1 ]
         %v7 = sitofp i32 %v1 to float
         %v8 = zext i1 %v6 to i32
         call void @h(float %v7, i32 %v8)
         ret void",
    );
    for text in [
        "int f(int p) { float x = p; putf(\"%f %d\", x, p && x); return 0; }",
        "float h(float x, float y) { return x; } float f(int p) { return h(p < 3, h(!p, p && p) || p); }",
    ] {
        module(text);
    }
}

#[test]
fn a_condition_as_a_value_is_a_phi_and_a_comparison_turned_around_in_place() {
    expect(
        "int a; float x; int f() { return (a && x) + !(a < 3); }",
        "b0:
         %v0 = load i32, ptr @a
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b1, label %b2
         b1:
         %v2 = load float, ptr @x
         %v3 = fcmp une float %v2, 0x0000000000000000
         br label %b2
         b2:
         %v4 = phi i1 [ false, %b0 ], [ %v3, %b1 ]
         %v5 = load i32, ptr @a
         %v6 = icmp sge i32 %v5, 3
         %v7 = zext i1 %v6 to i32
         %v8 = zext i1 %v4 to i32
         %v9 = add i32 %v8, %v7
         ret i32 %v9",
    );
}

#[test]
fn a_negated_float_comparison_holds_for_nan() {
    let text = body_of("float x; float y; int f() { return !(x < y); }").join("\n");
    assert!(text.contains("fcmp uge float"), "{text}");
    let text = body_of("float x; float y; int f() { return !!(x < y); }").join("\n");
    assert!(text.contains("fcmp olt float"), "{text}");
}

#[test]
fn loops_with_break_and_continue_have_no_dead_blocks() {
    expect(
        "int n; void f() { while (n) { if (n > 5) { break; n = 1; } n = n - 1; continue; n = 2; } }",
        "b0:
         br label %b1
         b1:
         %v0 = load i32, ptr @n
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b2, label %b5
         b2:
         %v2 = load i32, ptr @n
         %v3 = icmp sgt i32 %v2, 5
         br i1 %v3, label %b3, label %b4
         b3:
         br label %b5
         b4:
         %v4 = load i32, ptr @n
         %v5 = sub i32 %v4, 1
         store i32 %v5, ptr @n
         br label %b1
         b5:
         ret void",
    );
}

#[test]
fn constant_conditions_branch_one_way() {
    expect("int f() { if (0 && 1 || 3.5) return 1; else return 2; }", "b0:\nbr label %b1\nb1:\nret i32 1");
    expect(
        "int g; int h() { return 1; } int f() { while (g || 0 && h()) g = 0; return g && 1; }",
        "b0:
         br label %b1
         b1:
         %v0 = load i32, ptr @g
         %v1 = icmp ne i32 %v0, 0
         br i1 %v1, label %b3, label %b2
         b2:
         br label %b4
         b3:
         store i32 0, ptr @g
         br label %b1
         b4:
         %v2 = load i32, ptr @g
         %v3 = icmp ne i32 %v2, 0
         br i1 %v3, label %b5, label %b6
         b5:
         br label %b6
         b6:
         %v4 = phi i1 [ false, %b4 ], [ true, %b5 ]
         %v5 = zext i1 %v4 to i32
         ret i32 %v5",
    );
}

#[test]
fn an_element_keeps_its_subscripts_and_a_slice_is_an_address() {
    expect(
        "int a[2][3][4]; int h(int b[][4], int i) { return b[i][i]; } int f(int c[][3][4], int i) { return h(a[i], i) + a[1][i][0] + h(c[0], c[i][1][2]); }",
        "b0:
         %v0 = alloca ptr
         %v1 = alloca i32
         store ptr %p0, ptr %v0
         store i32 %p1, ptr %v1
         %v2 = load i32, ptr %v1
         %v3 = getelementptr inbounds [3 x [4 x i32]], ptr @a, i32 %v2
         %v4 = load i32, ptr %v1
         %v5 = call i32 @h(ptr %v3, i32 %v4)
         %v6 = load i32, ptr %v1
         %v7 = getelementptr inbounds [3 x [4 x i32]], ptr @a, i32 1, i32 %v6, i32 0
         %v8 = load i32, ptr %v7
         %v9 = add i32 %v5, %v8
         %v10 = getelementptr inbounds [3 x [4 x i32]], ptr %p0, i32 0
         %v11 = load i32, ptr %v1
         %v12 = getelementptr inbounds [3 x [4 x i32]], ptr %p0, i32 %v11, i32 1, i32 2
         %v13 = load i32, ptr %v12
         %v14 = call i32 @h(ptr %v10, i32 %v13)
         %v15 = add i32 %v9, %v14
         ret i32 %v15",
    );
}

#[test]
fn initialisers_fill_first_and_store_in_order() {
    expect(
        "int h(int x) { return x; } int f() { int a[2][3] = {h(1), 2, {}, {h(4)}}; return a[0][0]; }",
        "b0:
         %v0 = alloca [2 x [3 x i32]]
         call void @llvm.memset.p0.i64(ptr %v0, i8 0, i64 24, i1 false)
         %v1 = call i32 @h(i32 1)
         store i32 %v1, ptr %v0
         %v2 = getelementptr inbounds [3 x i32], ptr %v0, i32 0, i32 1
         store i32 2, ptr %v2
         %v3 = call i32 @h(i32 4)
         %v4 = getelementptr inbounds [3 x i32], ptr %v0, i32 1, i32 0
         store i32 %v3, ptr %v4
         %v5 = getelementptr inbounds [3 x i32], ptr %v0, i32 0, i32 0
         %v6 = load i32, ptr %v5
         ret i32 %v6",
    );
    // All elements are written, so nothing is filled; constants convert.
    expect(
        "void f(int n) { float x[2] = {n, 3}; }",
        "b0:
         %v0 = alloca i32
         %v1 = alloca [2 x float]
         store i32 %p0, ptr %v0
         %v2 = load i32, ptr %v0
         %v3 = sitofp i32 %v2 to float
         store float %v3, ptr %v1
         %v4 = getelementptr inbounds float, ptr %v1, i32 1
         store float 0x4008000000000000, ptr %v4
         ret void",
    );
}

#[test]
fn few_zeros_are_stored_and_memory_is_not_filled_for_them() {
    expect(
        "void f() { int a[2][2] = {{1}, {2, 3}}; float x[1] = {}; }",
        "b0:
         %v0 = alloca [2 x [2 x i32]]
         %v1 = alloca [1 x float]
         %v2 = getelementptr inbounds [2 x i32], ptr %v0, i32 0, i32 1
         store i32 0, ptr %v2
         store i32 1, ptr %v0
         %v3 = getelementptr inbounds [2 x i32], ptr %v0, i32 1, i32 0
         store i32 2, ptr %v3
         %v4 = getelementptr inbounds [2 x i32], ptr %v0, i32 1, i32 1
         store i32 3, ptr %v4
         store float 0x0000000000000000, ptr %v1
         ret void",
    );
    let list = vec!["n"; 80].join(", ");
    let long = format!("void f(int n) {{ int a[100] = {{{list}}}; }}");
    assert!(body_of(&long).iter().any(|line| line.contains("memset")));
}

#[test]
fn large_initialisers_cost_what_is_written() {
    let list = |n: usize, item: &str| vec![item; n].join(", ");
    let zeros = format!("int f() {{ int a[100000] = {{{}}}; return a[1]; }}", list(5000, "0"));
    assert!(instructions(&zeros) < 8);
    let dense =
        format!("int f(int n) {{ int a[300] = {{{}, n, {}}}; return a[1]; }}", list(100, "7"), list(9, "8"));
    let text = body_of(&dense).join("\n");
    assert!(text.contains("call void @llvm.memcpy.p0.p0.i64(ptr %v1, ptr @.lit.0, i64 1200"), "{text}");
    assert!(instructions(&dense) < 14, "{text}");
    let sparse = format!("int f() {{ int a[100000] = {{{}}}; return a[1]; }}", list(20, "7"));
    assert!(body_of(&sparse).iter().any(|line| line.contains("memset")), "{:?}", body_of(&sparse));
}

#[test]
fn constants_need_no_memory_until_they_are_subscripted_at_run_time() {
    expect(
        "const int N = 4; const float P = 2.5; int f() { const int k[3] = {1, 2}; const int q = k[1] + N; return q * P; }",
        "b0:\nret i32 15",
    );
    expect(
        "int f(int n) { const int k[3] = {1, 2}; return k[n]; }",
        "b0:
         %v0 = alloca i32
         store i32 %p0, ptr %v0
         %v1 = load i32, ptr %v0
         %v2 = getelementptr inbounds i32, ptr @.lit.0, i32 %v1
         %v3 = load i32, ptr %v2
         ret i32 %v3",
    );
    let known = module("int f(int n) { const int k[3] = {1, 2}; return k[1] * n + k[2]; }");
    assert!(known.env.globals.is_empty());
}

#[test]
fn runtime_functions_are_declared_and_names_do_not_collide() {
    let text = ir::print::module(&module(
        "int memset; float putint(float x) { return x; }\n\
         void f() { starttime();\n putf(\"%d %f\\n\", memset, putint(1)); }\n\
         int main() { f(); }",
    ));
    for line in [
        "@memset.user = internal global i32 0",
        "@.lit.1 = internal constant [7 x i8] c\"%d %f\\0A\\00\"",
        "declare void @putf(ptr, ...) memory(argmem: read, inaccessiblemem: readwrite)",
        "declare void @_sysy_starttime(i32) memory(inaccessiblemem: readwrite)",
        "define internal float @putint.user(float %p0) {",
        "  call void @_sysy_starttime(i32 2)",
        "  %v2 = fpext float %v1 to double",
        "  call void (ptr, ...) @putf(ptr @.lit.1, i32 %v0, double %v2)",
        "define i32 @main() {",
        "  ret i32 0",
    ] {
        assert!(text.lines().any(|found| found == line), "no '{line}' in\n{text}");
    }
    assert!(!text.contains("call float @putint("), "{text}");
}

#[test]
fn a_missing_return_is_undefined_except_in_main() {
    expect("float f() { }", "b0:\nret float undef");
    expect(
        "int f() { if (1) return 1; else return 2; int b = 1; }",
        "b0:\n%v0 = alloca i32\nbr label %b1\nb1:\nret i32 1",
    );
}

#[test]
fn instructions_know_where_they_come_from() {
    let text = "int f(int a) {\n  return a * 7;\n}";
    let module = module(text);
    let f = module.nth(0);
    let b = f.entry().unwrap();
    let mul = f.insts(b).find(|&i| f.op(i) == ir::Op::Mul).unwrap();
    assert_eq!(f.loc(mul) as usize, text.find('*').unwrap());
}

#[test]
fn constants_of_bodies_are_numbered_in_the_order_of_functions() {
    let mut text = String::new();
    for k in 0..60 {
        text.push_str(&format!("int f{k}(int n) {{ const int t[4] = {{{k}}}; return t[n] + {k}; }}\n"));
    }
    let printed = ir::print::module(&module(&text));
    assert!(printed.contains("@.lit.59 = internal constant [4 x i32] [i32 59"), "{printed}");
}

#[test]
fn deep_and_long_conditions_are_linear() {
    let count = |terms: usize, text: &dyn Fn(usize) -> String| instructions(&text(terms)) as f64;
    let chain = |n: usize| format!("int a; void f() {{ if ({}) a = 1; }}", vec!["a"; n].join(" && "));
    let nest =
        |n: usize| format!("int a; int f() {{ return {}a{}; }}", "a || (a && ".repeat(n), ")".repeat(n));
    let negations = |n: usize| format!("int a; int f() {{ return {}a; }}", "!".repeat(n));
    let families: [&dyn Fn(usize) -> String; 3] = [&chain, &nest, &negations];
    for text in families {
        assert!(count(4000, text) < 4.1 * count(1000, text).max(20.0));
    }
    assert!(instructions(&negations(50_001)) < 10);
    assert!(instructions(&chain(100_000)) < 400_010);
}

/// The lines of `f` that checks make, without their numbers.
fn checks_of(text: &str, checks: Checks) -> Vec<String> {
    let printed = ir::print::module(&checked(text, checks));
    let lines = printed.lines().skip_while(|line| !(line.starts_with("define") && line.contains("@f(")));
    let lines = lines.take_while(|line| *line != "}").map(str::trim);
    let lines = lines.filter(|line| line.contains("icmp") || line.contains("fcmp") || line.contains("fault"));
    lines.map(|line| line.split_once(" = ").map_or(line, |(_, rest)| rest).to_string()).collect()
}

#[test]
fn checks_compare_with_what_is_still_right() {
    let all = Checks::OVERFLOW.with(Checks::DIVISION).with(Checks::BOUNDS).with(Checks::CONVERSION);
    for (expression, expected) in [
        ("x + 5", "icmp sgt i32 %x, 2147483642"),
        ("5 + x", "icmp sgt i32 %x, 2147483642"),
        ("x + -5", "icmp slt i32 %x, -2147483643"),
        ("x - 5", "icmp slt i32 %x, -2147483643"),
        ("x - -5", "icmp sgt i32 %x, 2147483642"),
        ("5 - x", "icmp slt i32 %x, -2147483642"),
        ("-5 - x", "icmp sgt i32 %x, 2147483643"),
        ("-x", "icmp eq i32 %x, -2147483648"),
        ("x * 3", "icmp ugt i32 %x, 1431655764"),
        ("-3 * x", "icmp ugt i32 %x, 1431655764"),
        ("x * -1", "icmp eq i32 %x, -2147483648"),
        ("x / -1", "icmp eq i32 %x, -2147483648"),
        ("a[x]", "icmp ugt i32 %x, 6"),
        ("b[1][x]", "icmp ugt i32 %x, 3"),
    ] {
        let found =
            checks_of(&format!("int a[7]; int b[2][4]; int f(int x) {{ return {expression}; }}"), all);
        let plain = |line: &String| {
            let words = line.split_whitespace().map(|word| if word.starts_with('%') { "%x," } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found.first().map(plain).as_deref(), Some(expected), "{expression}: {found:?}");
        assert!(found.len() == 2 && found[1].contains("@sysy.fault(ptr @.lit."), "{expression}: {found:?}");
    }
    // Nothing can be wrong, or nothing is asked for.
    for expression in
        ["x + 0", "x * 1", "x * 0", "x / 7", "x % 2", "-1 - x", "a[3]", "b[1][3]", "x < 5", "!x", "+x"]
    {
        let text = format!("int a[7]; int b[2][4]; int f(int x) {{ return {expression}; }}");
        assert!(checks_of(&text, all).iter().all(|line| !line.contains("fault")), "{expression}");
    }
    for (checks, text, count) in [
        (Checks::BOUNDS, "int a[7]; int f(int x) { return a[x] + x * x / x; }", 1),
        (Checks::OVERFLOW, "int a[7]; int f(int x) { return a[x] + x * x / x; }", 3),
        (Checks::DIVISION, "int a[7]; int f(int x) { return a[x] + x * x / x; }", 1),
        (Checks::CONVERSION, "int f(float x) { return x + 1; }", 1),
        // The first length of a parameter comes with it.
        (all, "int f(float a[][3], int x) { return a[x][x] > 1.0; }", 2),
        (all, "int g(int a[][4]) { return 0; } int b[2][3][4]; int f(int x) { return g(b[x]); }", 1),
        // What always fails is told at once, and what follows is not there.
        (all, "int a[7]; int f(int x) { int y = a[x]; return a[7] + x; }", 2),
        (all, "const int a[2] = {2147483647, 1}; int f(int x) { return a[0] + a[1]; }", 1),
        (all, "int f(int x) { return -2147483648; }", 0),
    ] {
        let found = checks_of(text, checks);
        assert_eq!(found.iter().filter(|line| line.contains("fault")).count(), count, "{text}: {found:?}");
    }
    // The end of an array may be named.
    let text = "int g(int a[]) { return 0; } int b[2][3]; int f(int x) { return g(b[x]); }";
    assert!(checks_of(text, all)[0].starts_with("icmp ugt") && checks_of(text, all)[0].ends_with(", 2"));
}

/// A variable that was read or written is not read again, up to where control may have come from elsewhere.
#[test]
fn values_that_are_known_are_not_loaded() {
    let loads = |text: &str| {
        let module = lowered(text, Checks::NONE, Flags::NONE, false);
        f_of(&module).iter().filter(|line| line.contains("= load")).count()
    };
    for (text, known, all) in [
        ("int f(int a) { int x = a * 2; return x + x * a; }", 0, 4),
        ("int f() { int x; return x + x; }", 1, 2),
        ("float f(int a) { float x = a; a = x; return x + a; }", 0, 4),
        ("int f(int a) { a = a + 1; a = a + 1; return a; }", 0, 3),
        // Into an arm, and to what follows && and ||.
        ("int f(int a) { if (a > 1) return a; return 0; }", 0, 2),
        ("int f(int a) { if (a > 1 && a < 7) a = -a; return 0; }", 0, 3),
        // A name that is declared again is another variable.
        ("int f(int a) { { int a = getint(); a = a + a; } return a; }", 0, 3),
        ("int f(int a) { int x = getint(); { int x = a * a; a = x; } return x; }", 0, 4),
        // The head of a loop; what is known there holds in the round.
        ("int f(int a) { while (a > 0) a = a - 1; return 0; }", 1, 2),
        ("int f(int a) { while (a > 0) { a = a / 2; if (a == 7) continue; } return a; }", 2, 4),
        ("void f(int a) { int x = a * 3; while (getint()) { putint(x); x = x + 1; } }", 1, 3),
        // Behind a loop, an arm, an if, and where values meet.
        ("int f(int a) { while (getint()) a = a * a; return a; }", 2, 3),
        ("int f(int a) { if (getint()) a = 3; return a; }", 1, 1),
        ("int f(int a) { if (getint()) putint(a); else a = 3; return a; }", 1, 2),
        ("int f(int a) { if (getint()) a = getint(); else return a; return a; }", 2, 2),
        ("int f(int a) { int x = a > 1 || a < -1; return a + x; }", 1, 4),
        ("int f(int a) { if (getint() || a) putint(a); return 0; }", 1, 2),
        // What nothing executes.
        ("int f(int a) { if (0 && (a + getint())) return 1; return a; }", 1, 1),
        // Globals and elements change behind calls and through other names.
        ("int g; void h() { g = g + 1; } int f() { int x = g; h(); return g + x; }", 2, 3),
        ("int g; int f() { g = 1; return g; }", 1, 1),
        ("int f(int a[], int b[]) { a[0] = 1; b[0] = 2; return a[0]; }", 1, 1),
        ("int f() { int a[2]; a[0] = getint(); return a[0]; }", 1, 1),
        // Constants are loaded: no branch depends on the level.
        ("int f() { int x = 1; if (x) return 2; return 3; }", 1, 1),
        ("int f(int a) { a = getint(); a = 7; return a; }", 1, 1),
    ] {
        assert_eq!(
            loads(text),
            known,
            "{text}\n{}",
            f_of(&lowered(text, Checks::NONE, Flags::NONE, false)).join("\n")
        );
        assert_eq!(body_of(text).iter().filter(|line| line.contains("= load")).count(), all, "{text}");
        // With checks each read is looked at.
        let checked = lowered(text, Checks::MEMORY, Flags::NONE, false);
        assert_eq!(f_of(&checked), f_of(&lowered(text, Checks::MEMORY, Flags::NONE, true)), "{text}");
    }
}
