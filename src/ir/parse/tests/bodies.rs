//! Bodies that are read by workers: the same module for any number of them, errors in order, names.

use super::*;
use crate::base::parallel::Workers;
use crate::ir::{Global, Image, Linkage};
use std::collections::BTreeSet;

/// Functions that each need what the outline does not have: shapes of memory and of steps, calls by address, addresses of
/// functions, functions of the C library; some the same, some of their own.
fn needy(count: u32) -> String {
    let mut text = String::new();
    for k in 0..count {
        let (own, shared) = (k + 3, k % 3 + 2);
        text += &format!(
            "define void @f{k}(ptr %p, i64 %n) {{\n\
             %a = alloca [{own} x i32], align 64\n %b = alloca [{shared} x [4 x i8]]\n\
             %c = getelementptr [{own} x i32], ptr %a, i64 0, i64 1\n\
             store ptr @f{}, ptr %p\n %r = call i32 %p(i32 {k}, ptr @f{})\n\
             {}call void @llvm.memmove.p0.p0.i64(ptr %b, ptr %c, i64 %n, i1 false)\n ret void\n}}\n",
            (k + 1) % count,
            k * 7 % count,
            if k % 2 == 0 { "call void %p(ptr %a)\n " } else { "" },
        );
    }
    text + "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"
}

#[test]
fn a_module_is_the_same_for_any_number_of_workers() {
    let text = needy(40);
    let read = |jobs: usize| parse_with(&text, &ANY, true, &Workers::new(jobs)).unwrap();
    let alone = read(1);
    crate::ir::verify::verify_module(&alone).unwrap();
    let (rows, shapes) = (alone.env.funcs.len(), alone.env.shapes.len());
    // 40 functions, memmove, two signatures, and what stands for memory with an alignment above the stack's; 41 arrays of their own and 3 others, with steps that may leave, alignment,
    // and rows of rows.
    assert_eq!(rows, 44);
    let once = print::module(&alone);
    for jobs in [2, 4] {
        let module = read(jobs);
        assert_eq!((module.env.funcs.len(), module.env.shapes.len()), (rows, shapes));
        assert_eq!(print::module(&module), once);
        assert_eq!(
            format!("{:?}", module.env.globals.iter().collect::<Vec<_>>()),
            format!("{:?}", alone.env.globals.iter().collect::<Vec<_>>())
        );
    }
    let again = parse_named(&once).unwrap();
    assert_eq!(print::module(&again), once);
}

#[test]
fn a_module_is_the_same_for_any_number_of_bodies_at_a_time() {
    let text = needy(40);
    let all = print::module(&parse_named(&text).unwrap());
    for (jobs, window) in [(1, 1), (3, 2), (2, 7)] {
        let (mut reader, mut env) = Reader::begin(&text, &ANY, true).unwrap();
        let funcs: Vec<FuncId> = reader.functions().map(|row| row.0).collect();
        let mut bodies = Vec::new();
        for funcs in funcs.chunks(window) {
            // What others have added meanwhile.
            let name = env.names.intern(&format!(".lit.{}", bodies.len()));
            let literal =
                Global::new(name, Shape::scalar(Type::I8), true, Linkage::Internal, Image::default());
            env.globals.push(literal);
            bodies.extend(reader.read(&mut env, funcs, &Workers::new(jobs)).unwrap());
            assert_eq!(reader.rest().len(), 40 - bodies.len());
        }
        assert!(reader.is_done());
        let module = Module::new(env, bodies);
        crate::ir::verify::verify_module(&module).unwrap();
        let lines = print::module(&module);
        let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with("@.lit")).collect();
        assert_eq!(lines.join("\n").trim(), all.trim(), "{jobs} {window}");
    }
}

#[test]
fn components_have_what_is_called_in_front() {
    let text = "@table = global [1 x ptr] [ptr @data]\n@other = alias void (), ptr @\"quoted\\20name\"\n\
                declare void @out()\n\
                define void @a() {\n call void @b()\n ret void\n}\n\
                define void @b() {\n call void @c()\n call void @out()\n ret void\n}\n\
                define void @c() {\n call void @b()\n store ptr @takes, ptr @table ; @a\n ret void\n}\n\
                define void @\"quoted name\"() {\n ret void\n}\n\
                define void @data() {\n call void @other()\n ret void\n}\n\
                define void @takes() {\n call void @takes()\n ret void\n}\n";
    let (reader, env) = Reader::begin(text, &ANY, false).unwrap();
    for jobs in [1, 3] {
        let rows = reader.components(&env, &Workers::new(jobs));
        let name = |func: FuncId| env.names.text(env.funcs[func].name);
        let ranks: BTreeMap<&str, u32> = rows.iter().map(|&(func, rank)| (name(func), rank)).collect();
        assert_eq!(rows.len(), 6);
        assert!(rows.is_sorted_by_key(|&(func, rank)| (rank, func)));
        // A comment costs an order that is better, and nothing else: here it makes the three one.
        assert!(ranks["a"] == ranks["b"] && ranks["b"] == ranks["c"], "{ranks:?}");
        assert!(ranks["takes"] < ranks["c"] && ranks["quoted name"] < ranks["data"], "{ranks:?}");
        let singles = [ranks["takes"], ranks["quoted name"], ranks["data"], ranks["a"]];
        assert_eq!(BTreeSet::from(singles).len(), 4);
    }
}

#[test]
fn each_body_has_its_error_and_they_come_in_order() {
    let text = "define void @a() {\n wrong\n}\ndefine void @b() {\n ret void\n}\n\
                define i32 @c() {\n ret i32 %x\n}\ndefine i32 @d() {\n %y = add i32 1, %z\n %z = add i32 %y, 1\n ret i32 %y\n}";
    for jobs in [1, 3] {
        let errors = parse_with(text, &ANY, false, &Workers::new(jobs)).unwrap_err();
        let said: Vec<(u32, &str)> = errors.iter().map(|row| (row.line, row.message.as_str())).collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert_eq!([said[0].0, said[1].0, said[2].0], [2, 8, 11]);
        assert!(said[0].1.contains("`wrong`") && said[1].1.contains("`%x`"), "{said:?}");
        assert!(said[2].1.contains("dominance"), "{said:?}");
    }
}

#[test]
fn numbers_too_large_for_the_text_are_names_like_others() {
    let text = "define i32 @f() {\n %012 = add i32 1, 2\n %12 = add i32 %012, 2\n %900000000 = add i32 %12, 1\n\
                 %4000000000 = add i32 %900000000, 1\n ret i32 %4000000000\n}";
    assert_eq!(parse(text).unwrap().nth(0).block_count(), 1);
    let twice = "define void @f() {\n %900000000 = add i32 1, 2\n %900000000 = add i32 1, 2\n ret void\n}";
    assert!(parse(twice).unwrap_err().message.contains("`%900000000` is defined twice"));
}
