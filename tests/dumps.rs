//! What can be looked at besides the page: remarks of passes in text and JSON, graphs that graphviz draws,
//! stages in files of their own, machine IR with names, assembly with lines of the source.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "int g;
int a[100], b[100];
int fact(int n) {
    if (n == 0) return 1;
    return n * fact(n - 1);
}
int deep(int n) {
    if (n < 2) return 1;
    return deep(n - 1) / 2 + deep(n - 2);
}
int square(int x) { return x * x; }
void clear(int x[], int n) {
    int i = 0;
    while (i < n) {
        x[i] = 0;
        i = i + 1;
    }
}
void show(int x[], int n) {
    int i = 0;
    while (i < n) {
        x[i] = x[i] + g;
        putint(x[i]);
        if (x[i] > 3) { g = g + 1; }
        i = i + 1;
    }
}
int main() {
    int n = getint();
    int i = 0;
    clear(a, n);
    while (i < n) {
        a[i] = square(i) + square(5);
        if (n > 50) { b[i] = a[i]; }
        i = i + 1;
    }
    show(a, n);
    show(b, n);
    return fact(n) + fact(5) + deep(n);
}
";

struct Run {
    out: String,
    err: String,
    code: Option<i32>,
}

fn sysyc(folder: &Path, line: &str) -> Run {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("sysyc starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    Run { out: text(done.stdout), err: text(done.stderr), code: done.status.code() }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("x.sy"), PROGRAM).expect("it can be written");
    folder
}

/// The number of the line that has this text.
fn line(text: &str) -> usize {
    PROGRAM.lines().position(|line| line.contains(text)).expect("it is there") + 1
}

#[test]
fn remarks_say_what_was_done_and_why_not_where_it_stands() {
    let folder = folder();
    let run = sysyc(folder.path(), "-O2 -c x.sy -Rpass -Rpass-missed --error-format=short");
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    let says = |at: usize, what: &str, option: &str| {
        let start = format!("x.sy:{at}:");
        let mut lines = run.err.lines().skip_while(|line| !(line.starts_with(&start) && line.contains(what)));
        let found = lines.next().is_some() && lines.next().is_some_and(|line| line.contains(option));
        assert!(found, "{at}: {what} {option}\n{}", run.err);
    };
    says(line("square(i)"), "'square' is inlined: it is small", "in 'main' [-Rpass=inline]");
    says(line("clear(a, n)"), "'clear' is inlined: this is its only call", "[-Rpass=inline]");
    says(line("square(5)"), "the call of 'square' is made now", "[-Rpass=evaluate]");
    says(line("fact(n - 1)"), "a jump to its start", "in 'fact' [-Rpass=tail_calls]");
    says(line("deep(n - 1)"), "is not made a loop", "in 'deep' [-Rpass-missed=tail_calls]");
    says(line("x[i] = 0"), "memory is filled with bytes 0", "[-Rpass=memory_loops]");
    says(line("n > 50"), "the condition is asked once", "[-Rpass=split_loops]");
    says(line("while (i < n)"), "the loop does ", "[-Rpass=unroll]");
    says(line("g = g + 1") - 3, "not unrolled: it calls 'putint'", "[-Rpass-missed=unroll]");
    // In the order of the text.
    let places: Vec<usize> =
        run.err.lines().filter_map(|line| line.split(':').nth(1)?.parse().ok()).collect();
    assert!(places.is_sorted() && places.len() > 20, "{}", run.err);
}

#[test]
fn remarks_are_of_the_passes_and_functions_that_are_asked_for_and_the_same_for_all_workers() {
    let folder = folder();
    let said = |words: &str| sysyc(folder.path(), &format!("-O2 -c x.sy {words}")).err;
    let inline = said("-Rpass=inline");
    assert!(
        inline.contains("note[inline]: 'square' is inlined") && inline.contains("[-Rpass=inline]"),
        "{inline}"
    );
    assert!(!inline.contains("unroll") && !inline.contains("missed"), "{inline}");
    let both = said("-Rpass=unroll|licm -Rpass-missed=tail_ --error-format=short");
    assert!(
        both.contains("=unroll]") && both.contains("-missed=tail_calls]") && !both.contains("inline"),
        "{both}"
    );
    assert_eq!(said("-Rpass=.*"), said("-Rpass"));
    // Clang's names stand for passes that do the same.
    let unrolled = said("-Rpass=loop-unroll --error-format=short");
    assert_eq!(unrolled, said("-Rpass=unroll --error-format=short"));
    assert!(unrolled.contains("=unroll]"), "{unrolled}");
    let idioms = said("-Rpass=loop-idiom,simple-loop-unswitch --error-format=short");
    assert!(idioms.contains("=memory_loops]") && idioms.contains("=split_loops]"), "{idioms}");
    assert!(!idioms.contains("=unroll"), "{idioms}");
    let of_fact = said("-Rpass -fprint-only=fact");
    assert!(of_fact.contains("in 'fact'") && !of_fact.contains("in 'main'"), "{of_fact}");
    let all = "-Rpass -Rpass-missed -Rpass-analysis";
    assert_eq!(said(&format!("{all} -j1")), said(&format!("{all} -j8 -fwindow=100 -fpack=0")));
    assert_eq!(said(""), "");
    let json = said("-Rpass=inline --error-format=json");
    let rows: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(rows.iter().any(|row| row.to_string().contains("-Rpass=inline")), "{json}");
    let wrong = sysyc(folder.path(), "-O2 -c x.sy -Rpass=inlin3");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("did you mean 'inline'"), "{}", wrong.err);
}

/// What the allocator could not keep is said of the loop that it is in.
#[test]
fn spills_are_told_by_loop() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names: Vec<String> = (0..40).map(|k| format!("v{k}")).collect();
    let mut text = String::from("int main() {\n");
    names.iter().for_each(|name| text.push_str(&format!("int {name} = getint();\n")));
    text.push_str("int i = 0;\nwhile (i < 100) {\n");
    (0..40).for_each(|k| {
        text.push_str(&format!("{} = {} * {} + i;\n", names[k], names[(k + 1) % 40], names[(k + 7) % 40]))
    });
    text.push_str("i = i + 1;\n}\n");
    names.iter().for_each(|name| text.push_str(&format!("putint({name});\n")));
    text.push_str("return 0;\n}\n");
    fs::write(folder.path().join("x.sy"), text).expect("it can be written");
    let run = sysyc(folder.path(), "-O1 -c x.sy -Rpass-analysis --error-format=short");
    assert!(run.err.contains("accesses to spilled values in each round of the loop"), "{}", run.err);
    assert!(run.err.contains("[-Rpass-analysis=allocate]"), "{}", run.err);
}

/// What graphviz makes of a text: names of nodes, and pairs of them.
fn drawn(folder: &Path, text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let mut child = Command::new("dot")
        .args(["-Tplain"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("graphviz is here: tests/install.sh installs it");
    let mut input = child.stdin.take().expect("it is piped");
    std::io::Write::write_all(&mut input, text.as_bytes()).expect("it reads");
    drop(input);
    let done = child.wait_with_output().expect("it ends");
    let wrong = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && wrong.is_empty(), "{wrong}\n{text}");
    let plain = String::from_utf8(done.stdout).expect("it is UTF-8");
    // A name is in quotes if it has a blank.
    let words = |line: &str| {
        let mut words = Vec::new();
        let mut rest = line.trim();
        while !rest.is_empty() {
            let (word, tail) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => rest.split_once(' ').unwrap_or((rest, "")),
            };
            words.push(word.to_string());
            rest = tail.trim_start();
        }
        words
    };
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for line in plain.lines() {
        if let Some(rest) = line.strip_prefix("node ") {
            nodes.push(words(rest)[0].clone());
        } else if let Some(rest) = line.strip_prefix("edge ") {
            let row = words(rest);
            edges.push((row[0].clone(), row[1].clone()));
        }
    }
    (nodes, edges)
}

#[test]
fn graphs_are_what_graphviz_draws() {
    let folder = folder();
    let graph = |words: &str| {
        let run = sysyc(folder.path(), &format!("x.sy {words}"));
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{words}");
        drawn(folder.path(), &run.out)
    };
    let (nodes, edges) = graph("-O0 --emit=callgraph");
    let has = |a: &str, b: &str| edges.contains(&(a.to_string(), b.to_string()));
    assert!(
        has("main", "fact") && has("fact", "fact") && has("show", "putint") && has("main", "getint"),
        "{edges:?}"
    );
    assert!(!has("fact", "main") && nodes.len() == 8, "{nodes:?}");
    let (nodes, edges) = graph("-O1 --emit=cfg -fprint-only=clear");
    let (tree, above) = graph("-O1 --emit=domtree -fprint-only=clear");
    assert!(nodes.len() >= 3 && nodes.iter().all(|node| node.starts_with("clear b")), "{nodes:?}");
    assert!(edges.len() > nodes.len() - 1, "a loop goes back: {edges:?}");
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(sorted(tree.clone()), sorted(nodes));
    assert_eq!(above.len(), tree.len() - 1);
    assert!(graph("-O2 --emit=cfg").0.len() > 10);
}

#[test]
fn stages_go_where_each_is_wanted() {
    let folder = folder();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it has been written");
    let out = |words: &str| sysyc(folder.path(), &format!("x.sy {words}"));
    let [ir, asm, cfg] = ["ir", "asm", "cfg"].map(|stage| out(&format!("--emit={stage}")).out);
    let run = out("--emit=ir=x.ll,asm=x.s,cfg=x.dot");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
    assert!(read("x.ll") == ir && read("x.s") == asm && read("x.dot") == cfg);
    // What has no file of its own goes where all goes.
    let run = out("--emit=ir --emit=asm=y.s --emit=callgraph -o y.txt");
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(read("y.s") == asm && read("y.txt") == ir.clone() + &out("--emit=callgraph").out);
    for wrong in ["--emit=ir=", "--emit=ir=x.ll x.sy", "--emit=irr=x.ll"] {
        assert_eq!(out(wrong).code, Some(2), "{wrong}");
    }
    assert!(!folder.path().join("irr").exists());
}

#[test]
fn machine_ir_has_names_and_lines_and_assembly_has_lines() {
    let folder = folder();
    let mir = sysyc(folder.path(), "-O1 --emit=mir x.sy -fprint-only=show").out;
    assert!(mir.starts_with("; after select\nfunction show"), "{mir}");
    assert!(mir.contains("@putint") && mir.contains("@g") && mir.contains("; line 22"), "{mir}");
    let allocated = mir.split("; after allocate").nth(1).expect("it is there");
    assert!(allocated.contains(" = lw a0") || allocated.contains("a0 = "), "{allocated}");
    for (target, comment) in [("riscv64", "#"), ("aarch64", "//"), ("armv7", "@")] {
        let words = format!("-O1 -S -o - --target={target} x.sy");
        let plain = sysyc(folder.path(), &words).out;
        let said = sysyc(folder.path(), &format!("{words} -fverbose-asm")).out;
        let own = format!("\t{comment} 22: x[i] = x[i] + g;\n");
        assert!(said.contains(&own), "{said}");
        let is_comment = |line: &&str| {
            let rest = line.trim_start().strip_prefix(comment).and_then(|rest| rest.strip_prefix(' '));
            rest.and_then(|rest| rest.split(':').next()).is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let rest: Vec<&str> = said.lines().filter(|line| !is_comment(line)).collect();
        assert_eq!(rest.join("\n"), plain.trim_end());
    }
}

#[test]
fn the_pipeline_of_each_level_is_listed() {
    let folder = folder();
    let text = sysyc(folder.path(), "--print=pipeline").out;
    let level = |from: &str, to: &str| {
        let rest = text.split(from).nth(1).expect("it is there");
        rest.split(to).next().expect("it is there").to_string()
    };
    assert!(!level("-O0", "-O1").contains("gvn") && level("-O1", "-O2").contains("mem2reg"), "{text}");
    let last = level("-O2", "\u{0}");
    let at = |pass: &str| last.find(pass).expect("it is there");
    assert!(at("candidates") < at("inline") && at("rotate") < at("unroll") && at("select") < at("allocate"));
    assert!(text.lines().all(|line| line.len() <= 110), "{text}");
}

#[test]
fn the_tree_says_types_and_what_names_mean() {
    let folder = folder();
    let tree = sysyc(folder.path(), "--emit=tree x.sy -o -");
    assert_eq!((tree.code, tree.err.as_str()), (Some(0), ""));
    let rows: Vec<&str> = tree.out.lines().collect();
    assert_eq!(rows[0], "Decl @1");
    let has = |row: &str| rows.iter().any(|line| line.trim_start() == row);
    assert!(has("Name x : int[] (parameter of line 19) @22"), "{}", tree.out);
    assert!(
        has("Name g : int (global variable of line 1) @22") && has("Call fact : int @39"),
        "{}",
        tree.out
    );
    assert_eq!(rows.iter().filter(|row| row.starts_with("FuncDef")).count(), 6);
    // With others, in one go.
    let both = sysyc(folder.path(), "--emit=tree,ir x.sy -O1 -j2 -fwindow=100").out;
    assert!(both.starts_with(&tree.out) && both.len() > tree.out.len());
}
