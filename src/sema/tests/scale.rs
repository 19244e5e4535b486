//! Large inputs.

use super::*;

#[test]
fn a_million_elements_and_deep_nests() {
    let elements = vec!["1,0,2,{3}"; 250_000].join(",");
    let text = format!("int a[1000000] = {{{elements}}};");
    let sema = meaning(&text).outline.sema;
    let (_, init) = sema.checked().init(sema.globals[0]).expect("a list");
    assert_eq!(sema.inits.image(init).len(), 1);
    assert_eq!((sema.inits.word_at(init, 999_999), sema.inits.word_at(init, 999_997)), (3, 0));
    let depth = 100_000;
    let text = format!("int f(int n) {{ return {}n{}; }}", "(".repeat(depth), ")".repeat(depth));
    meaning(&text);
    let text = format!("void f() {{ {} {} }}", "{int a = 1; a = a;".repeat(depth), "}".repeat(depth));
    meaning(&text);
    let text = format!("int a[2] = {{{}1{}}};", "{".repeat(depth), "}".repeat(depth));
    meaning(&text);
}

#[test]
fn sparse_images_stay_small() {
    let rows = vec!["{1}"; 1000].join(",");
    let sema = meaning(&format!("int a[1000][10000] = {{{rows}}};")).outline.sema;
    assert_eq!((sema.inits.runs.len(), sema.inits.words.len()), (1000, 1000));
    let sema = meaning("int a[20000000] = {}; int b[3] = {};").outline.sema;
    assert_eq!((sema.inits.runs.len(), sema.inits.words.len()), (0, 0));
}

#[test]
fn messages_do_not_repeat_what_is_very_long() {
    let (name, dims) = ("x".repeat(100_000), "[1]".repeat(10_000));
    let uses = "f(1);".repeat(500);
    let checked = checked(&format!("void f(int {name}[]{dims}) {{ {uses} }}"), &[]);
    assert_eq!(checked.diags.errors(), 500);
    let bytes: usize = checked.diags.list().iter().map(|d| d.label.len() + d.secondary[0].1.len()).sum();
    assert!(bytes < 500 * 400, "{bytes}");
}
