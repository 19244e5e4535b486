//! Input that no person writes: whatever the text is, `sysyc` ends within seconds, with exit code 0 or 1,
//! without a signal, a panic or an internal error, and with errors where the exit code is 1.
//!
//! Programs that are deep, wide or long in one way go through the front end and, where they are valid,
//! through every level and target; garbage and truncated programs through the front end. The stack is the
//! usual one of 8 MB, so recursion whose depth the input controls shows. Cost: a process an input and mode, a
//! few hundred in all.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::{generate, support};
use generate::Random;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::process::{Ending, Finished, run};

/// Far above what any input takes (a few seconds without optimisation of the compiler itself, on a busy
/// machine), far below what anything quadratic takes.
const LIMIT: Duration = Duration::from_secs(60);

const CHECK: &[&str] = &["-fsyntax-only"];

const FORMAT: &[&str] = &["--format"];

/// What a valid program goes through.
const MODES: [&[&str]; 9] = [
    CHECK,
    FORMAT,
    &["--emit=ir", "-O0"],
    &["--emit=ir", "-O2"],
    &["-S", "-O0", "--target=riscv64"],
    &["-S", "-O1", "--target=riscv64"],
    &["-S", "-O1", "--target=aarch64"],
    &["-S", "-O1", "--target=armv7"],
    &["-S", "-O0", "--target=armv7"],
];

struct Input {
    name: String,
    text: Vec<u8>,
    /// The exit code, if it is known.
    code: Option<i32>,
}

fn compile(input: &Input, flags: &[&str], folder: &Path) -> Result<Finished, String> {
    let (source, output) = (folder.join("t.sy"), folder.join("out"));
    fs::write(&source, &input.text).map_err(|error| error.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    command.args(flags).arg("-o").arg(&output).arg(&source);
    let done = run(&mut command, None, folder, LIMIT).map_err(|error| error.to_string())?;
    let code = match done.ending {
        Ending::Exit(code @ (0 | 1)) => code,
        _ => return Err(done.complaint()),
    };
    if input.code.is_some_and(|expected| expected != code) {
        return Err(done.complaint());
    }
    if done.stderr.windows(8).any(|window| window == b"panicked") {
        return Err("it panicked".to_string());
    }
    if (code == 1) != done.stderr.windows(5).any(|window| window == b"error") {
        return Err(format!("exit code {code}, stderr: {}", String::from_utf8_lossy(&done.stderr)));
    }
    // Errors are limited in number; warnings are to the 16384 that are kept.
    if done.stderr.len() > 16 << 20 {
        return Err(format!("{} bytes on stderr", done.stderr.len()));
    }
    Ok(done)
}

/// Every input in every mode, on all processors; panics with the list of what went wrong.
fn survive(inputs: &[Input], modes: &[&[&str]]) {
    let next = AtomicUsize::new(0);
    let worker = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut wrong = Vec::new();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(job / modes.len()) else { return wrong };
            let flags = modes[job % modes.len()];
            if let Err(why) = compile(input, flags, folder.path()) {
                wrong.push(format!(
                    "{} ({} bytes), {}: {why}",
                    input.name,
                    input.text.len(),
                    flags.join(" ")
                ));
            }
        }
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let mut wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    wrong.sort();
    assert!(wrong.is_empty(), "{} failures\n{}", wrong.len(), wrong.join("\n"));
}

fn input(name: &str, text: impl Into<Vec<u8>>, code: Option<i32>) -> Input {
    Input { name: name.to_string(), text: text.into(), code }
}

/// `open` n times, `middle`, `close` n times, in `main` behind `before`.
fn nest(before: &str, open: &str, middle: &str, close: &str, n: usize) -> String {
    format!("{before}{}{middle}{}\n    return 0;\n}}\n", open.repeat(n), close.repeat(n))
}

const MAIN: &str = "int main() {\n    int x = getint();\n";

/// `item(k)` for each k below n, joined.
fn each(n: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(separator)
}

#[test]
fn depth() {
    const N: usize = 100_000;
    let f = "int f(int x) { return x; }\nint a[2];\n";
    let inputs = [
        input(
            "parentheses",
            nest(MAIN, "(", "x", ")", N).replace(")\n    return", ");\n    return"),
            Some(0),
        ),
        input(
            "right operands",
            nest(&format!("{MAIN}x = "), "x - (", "x", ")", N).replace(")\n", ");\n"),
            Some(0),
        ),
        input("braces", nest(MAIN, "{", ";", "}", N), Some(0)),
        input("blocks with locals", nest(MAIN, "{int y = x;", ";", "}", N), Some(0)),
        input("minus", nest(&format!("{MAIN}x = "), "- ", "x;", "", N), Some(0)),
        input("not", nest(&format!("{MAIN}if ("), "!", "x) x = 2;", "", N), Some(0)),
        input(
            "subscripts",
            nest(&format!("{f}{MAIN}x = "), "a[", "0", "]", N).replace("]\n", "];\n"),
            Some(0),
        ),
        input("calls", nest(&format!("{f}{MAIN}x = "), "f(", "0", ")", N).replace(")\n", ");\n"), Some(0)),
        input("ifs", nest(MAIN, "if (x) ", "x = 1;", "", N), Some(0)),
        input("ifs with else", nest(MAIN, "if (x) {", "x = 1;", "} else x = 2;", N), Some(0)),
        input("else ifs", nest(MAIN, "if (x == 1) x = 2; else ", "x = 3;", "", N), Some(0)),
        input("whiles", nest(MAIN, "while (x) ", "x = 0;", "", N), Some(0)),
    ];
    survive(&inputs, &MODES);
}

#[test]
fn depth_in_error() {
    const N: usize = 100_000;
    let inputs = [
        input(
            "initialiser braces",
            format!("int a[2] = {}1{};\n{MAIN}}}", "{".repeat(N), "}".repeat(N)),
            None,
        ),
        input("open parentheses", format!("{MAIN}x = {}", "(".repeat(N)), Some(1)),
        input("open braces", format!("{MAIN}{}", "{".repeat(N)), Some(1)),
        input("open brackets", format!("{MAIN}x{}", "[".repeat(N)), Some(1)),
        input("open initialisers", format!("int a[3] = {}", "{".repeat(N)), Some(1)),
        input("open calls", format!("{MAIN}{}", "f(".repeat(N)), Some(1)),
        input("open ifs", format!("{MAIN}{}", "if (x) {".repeat(N)), Some(1)),
        input("heads", format!("{MAIN}{}", "if (".repeat(N)), Some(1)),
        input("elses", format!("{MAIN}{}", "else ".repeat(N)), Some(1)),
        input("closing", format!("{MAIN}{}", "}".repeat(N)), Some(1)),
        input("mixed brackets", format!("{MAIN}x = {};", "([{".repeat(N)), Some(1)),
        input("crossed brackets", format!("{MAIN}x = {}{};", "([".repeat(N), ")]".repeat(N)), Some(1)),
        input("bad ifs", nest(MAIN, "if (y) {", "x = 1;", "} else z = 2;", N), Some(1)),
        input("nested functions", format!("{MAIN}{}", "int f(int x) {".repeat(N)), Some(1)),
    ];
    survive(&inputs, &[CHECK, &["-S", "-O1"]]);
}

#[test]
fn length() {
    let sum =
        |operator: &str, n: usize| format!("{MAIN}    x = x{};\n    return x;\n}}\n", operator.repeat(n));
    let if_chain = |operator: &str, n: usize| format!("{MAIN}    if (x{}) x = 2;\n}}\n", operator.repeat(n));
    let params = |n: usize| each(n, ", ", |k| format!("int p{k}"));
    let inputs = [
        input("sum", sum(" + x", 300_000), Some(0)),
        input("constant sum", sum(" + 1", 1_000_000), Some(0)),
        input("product", sum(" * x", 100_000), Some(0)),
        input("comparisons", if_chain(" < x", 100_000), Some(0)),
        input("and", if_chain(" && x", 100_000), Some(0)),
        input("or", if_chain(" || x", 100_000), Some(0)),
        input("and or", if_chain(" && x || x == 1", 50_000), Some(0)),
        input(
            "parameters",
            format!(
                "int f({}) {{ return p0 + p9999; }}\n{MAIN}    return f({});\n}}\n",
                params(10_000),
                each(10_000, ", ", |k| k.to_string())
            ),
            Some(0),
        ),
        input(
            "functions",
            format!("{}\n{MAIN}}}\n", each(100_000, "\n", |k| format!("void f{k}() {{}}"))),
            Some(0),
        ),
        input(
            "globals",
            format!("{}\n{MAIN}}}\n", each(100_000, "\n", |k| format!("int g{k} = {k};"))),
            Some(0),
        ),
        input(
            "locals",
            format!("{MAIN}{}\n}}\n", each(100_000, "\n", |k| format!("int y{k} = x + {k};"))),
            Some(0),
        ),
        input(
            "local arrays",
            format!("{MAIN}{}\n}}\n", each(20_000, "\n", |k| format!("int y{k}[2] = {{x}};"))),
            Some(0),
        ),
        input("statements", format!("{MAIN}{}}}\n", "x = x * 3 + 1;\n".repeat(100_000)), Some(0)),
        input(
            "branches",
            format!("{MAIN}{}}}\n", "if (x > 3) x = x - 1; else x = x + 2;\n".repeat(30_000)),
            Some(0),
        ),
        input("loops", format!("{MAIN}{}}}\n", "while (x > 3) x = x - 1;\n".repeat(30_000)), Some(0)),
        input(
            "declarators",
            format!("{MAIN}int {};\n}}\n", each(100_000, ", ", |k| format!("y{k}"))),
            Some(0),
        ),
        input("calls", format!("{MAIN}{}}}\n", "putint(x);".repeat(50_000)), Some(0)),
        // Each string is passed by itself, whatever the distance to the next brace.
        input("strings", format!("{MAIN}{}}}\n", "putf(\"%d\", x);".repeat(200_000)), Some(0)),
        input(
            "initialiser",
            format!("int a[1000000] = {{{}}};\n{MAIN}}}\n", each(1_000_000, ",", |k| k.to_string())),
            Some(0),
        ),
        input(
            "local initialiser",
            format!(
                "{MAIN}int a[50000] = {{{}}};\n    return a[x];\n}}\n",
                each(50_000, ",", |k| k.to_string())
            ),
            Some(0),
        ),
        input("large array", format!("int a[500000000];\n{MAIN}    return a[x];\n}}\n"), Some(0)),
        input("large sparse array", format!("int a[400000000] = {{1}};\n{MAIN}    return a[x];\n}}\n"), None),
        input(
            "large local array",
            format!("{MAIN}    int a[400000000];\n    a[x] = 1;\n    return a[x + 1];\n}}\n"),
            None,
        ),
        input(
            "large zeroed local array",
            format!("{MAIN}    int a[100000000] = {{}};\n    return a[x + 1];\n}}\n"),
            None,
        ),
        input("20 dimensions", dimensions(20), Some(0)),
        input("1000 dimensions", dimensions(1000), Some(0)),
        input(
            "identifier",
            format!("int {0} = 1;\n{MAIN}    return {0};\n}}\n", "n".repeat(1 << 20)),
            Some(0),
        ),
        input("newlines", format!("{MAIN}{}}}\n", "\n".repeat(5_000_000)), Some(0)),
        input("comments", format!("{MAIN}{}}}\n", "/**/ // x\n".repeat(300_000)), Some(0)),
        input("semicolons", format!("{MAIN}{}}}\n", ";".repeat(1_000_000)), Some(0)),
        input("returns", format!("{MAIN}{}}}\n", "return x;\n".repeat(100_000)), Some(0)),
        input(
            "jumps",
            format!(
                "{MAIN}while (x) {{{}}}\n}}\n",
                "if (x == 1) break; if (x == 2) continue;\n".repeat(20_000)
            ),
            Some(0),
        ),
        input("leading zeros", format!("{MAIN}x = {}1;\n}}\n", "0".repeat(1_000_000)), Some(0)),
        input(
            "digits behind the point",
            format!("float f = 0.{};\n{MAIN}}}\n", "1".repeat(1_000_000)),
            Some(0),
        ),
    ];
    survive(&inputs, &MODES);
}

/// An array of n dimensions of length 1 or 2, its length below 2^19, one element of which is read and
/// written.
fn dimensions(n: usize) -> String {
    let lengths = each(n, "", |k| if k < 18 { "[2]".to_string() } else { "[1]".to_string() });
    let place = each(n, "", |k| if k < 18 { "[x % 2]".to_string() } else { "[0]".to_string() });
    format!("int a{lengths};\n{MAIN}    a{place} = 3;\n    return a{place};\n}}\n")
}

#[test]
fn length_in_error() {
    let numbered = |n: usize, item: &str| each(n, "\n", |k| item.replace('#', &k.to_string()));
    let inputs = [
        input("digits", format!("int a = {};\n{MAIN}}}\n", "9".repeat(10_000)), Some(1)),
        input("exponent", format!("float a = 1e{};\n{MAIN}}}\n", "9".repeat(10_000)), Some(0)),
        input("array too large", format!("int a[1073741824][1073741824];\n{MAIN}}}\n"), Some(1)),
        input("many large dimensions", format!("int a{};\n{MAIN}}}\n", "[2147483647]".repeat(1000)), Some(1)),
        input(
            "too many parameters",
            format!("int f({}) {{ return 1; }}\n{MAIN}}}\n", each(70_000, ", ", |k| format!("int p{k}"))),
            Some(1),
        ),
        input(
            "too many arguments",
            format!("{MAIN}putint({});\n}}\n", each(100_000, ", ", |k| k.to_string())),
            Some(1),
        ),
        input("errors", format!("{MAIN}{}}}\n", numbered(100_000, "u# = 1;")), Some(1)),
        input("syntax errors", format!("{MAIN}{}}}\n", numbered(100_000, "x = ;")), Some(1)),
        input("errors outside", numbered(100_000, "int f#( { }"), Some(1)),
        input("errors in one expression", format!("{MAIN}x = {}0;\n}}\n", "y + ".repeat(100_000)), Some(1)),
        input("unknown calls", format!("{MAIN}x = {}0;\n}}\n", "y() + ".repeat(100_000)), Some(1)),
        input("redeclarations", format!("{}{MAIN}}}\n", "int a;\n".repeat(100_000)), Some(1)),
        input(
            "near names",
            format!("{MAIN}{}\n{}}}\n", numbered(5_000, "int y#;"), numbered(5_000, "z# = 1;")),
            Some(1),
        ),
        input("stray bytes", format!("{MAIN}{}}}\n", "@ ".repeat(300_000)), Some(1)),
        input("stray colons", format!("{MAIN}{}}}\n", "? : ".repeat(300_000)), Some(1)),
        input("quotes", format!("{MAIN}{}}}\n", "\" \n".repeat(100_000)), Some(1)),
        input("long bad name", format!("{MAIN}{} = 1;\n}}\n", "n".repeat(1 << 20)), Some(1)),
        input("long bad line", format!("{MAIN}x = {} y;\n}}\n", "1 + ".repeat(1 << 18)), Some(1)),
        input("prototypes", numbered(50_000, "int f#(int x);") + "\nint f0;\n", Some(1)),
        input("excess", format!("int a[2] = {{{}}};\n{MAIN}}}\n", "1,".repeat(300_000)), Some(1)),
        input("commas", format!("{MAIN}x = {}1;\n}}\n", "1, ".repeat(100_000)), Some(1)),
        input("brackets", format!("{MAIN}x{} = 1;\n}}\n", "[0]".repeat(100_000)), Some(1)),
    ];
    survive(&inputs, &[CHECK, &["-S", "-O1", "-Wall", "-Wextra"], &["-fsyntax-only", "-ferror-limit=1000"]]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, code) in
        [("too many parameters", "too-many-parameters"), ("too many arguments", "too-many-arguments")]
    {
        let input = inputs.iter().find(|input| input.name == name).expect("an input of this name");
        let said = compile(input, CHECK, folder.path()).expect("an error of the program").stderr;
        assert!(String::from_utf8_lossy(&said).contains(code), "{name}");
    }
}

#[test]
fn bytes() {
    let main = "int main() { return 0; }\n";
    let mut inputs = vec![
        input("empty", "", Some(1)),
        input("a newline", "\n", Some(1)),
        input("a space", " ", Some(1)),
        input("newlines", "\n".repeat(1_000_000), Some(1)),
        input("byte order mark", format!("\u{feff}{main}"), None),
        input("byte order mark alone", "\u{feff}", Some(1)),
        input("windows lines", main.replace(' ', "\r\n"), Some(0)),
        input("old mac lines", main.replace(' ', "\r"), Some(0)),
        input("no newline at the end", main.trim_end(), Some(0)),
        input("a comment without newline", format!("{main}// the end"), Some(0)),
        input("an open comment", format!("{main}/* the end"), Some(1)),
        input("an almost closed comment", format!("{main}/* the end *"), Some(1)),
        input("a slash", format!("{main}/"), Some(1)),
        input("a backslash", format!("{main}\\"), None),
        input("an open string", format!("{main}\""), Some(1)),
        input("NUL bytes", vec![0; 100_000], Some(1)),
        input("a NUL behind", [main.as_bytes(), &[0]].concat(), Some(1)),
        input("0xff", vec![0xff; 100_000], Some(1)),
        input("invalid UTF-8 in a comment", [b"// \xff\xfe\xc3\n", main.as_bytes()].concat(), Some(0)),
        input("cut UTF-8 in a comment", [main.as_bytes(), b"// \xe4\xb8"].concat(), Some(0)),
        input("invalid UTF-8 in a string", b"int main() { putf(\"\xff\xc3\"); return 0; }".to_vec(), None),
        input("invalid UTF-8 in a name", b"int \xffa = 1; int main() { return 0; }".to_vec(), Some(1)),
        input(
            "UTF-16",
            "int main() {}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
            Some(1),
        ),
        input("wide characters", "变量".repeat(100_000), Some(1)),
        input("combining characters", format!("int a = {}1;", "e\u{301}".repeat(10_000)), Some(1)),
        input("form feeds", format!("\x0c\x0b{main}"), Some(0)),
        input("a digit", "1", Some(1)),
        input("a word", "int", Some(1)),
        input("two words", "int main", Some(1)),
        input("three words", "int main(", Some(1)),
        input("four words", "int main()", Some(1)),
        input("five words", "int main() {", Some(1)),
    ];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(2000);
        let any: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        let printable: Vec<u8> = (0..length).map(|_| 32 + random.below(95) as u8).collect();
        inputs.push(input(&format!("random bytes {seed}"), any, None));
        inputs.push(input(&format!("random text {seed}"), printable, None));
    }
    survive(&inputs, &[CHECK]);
}

#[test]
fn token_soup() {
    const TOKENS: [&str; 60] = [
        "int",
        "float",
        "void",
        "const",
        "if",
        "else",
        "while",
        "break",
        "continue",
        "return",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "=",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "&&",
        "||",
        "a",
        "b",
        "f",
        "main",
        "0",
        "1",
        "2147483648",
        "1.5",
        "\"s\"",
        "x[",
        "f(",
        "int a",
        "int f(int x) {",
        "return 0;",
        "}\n",
        ";\n",
        "a = 1;",
        "for",
        "@",
        "//\n",
        "/* */",
        "putint(",
        "struct",
        "0x",
        "1e9",
        "\n",
        "{}",
    ];
    let soup = |seed: u64| {
        let mut random = Random::new(seed);
        let mut text = String::new();
        for _ in 0..1 + random.below(3000) {
            text.push_str(TOKENS[random.below(TOKENS.len())]);
            text.push(' ');
        }
        input(&format!("soup {seed}"), text, None)
    };
    let inputs: Vec<Input> = (0..150).map(soup).collect();
    survive(&inputs, &[FORMAT, &["-S", "-O1", "-Wall", "-Wextra", "-ferror-limit=0"]]);
}

/// Valid programs with a token or some bytes taken out, doubled or exchanged: most of what people get wrong.
#[test]
fn damaged_programs() {
    let mut inputs = Vec::new();
    for seed in 0..150u64 {
        let mut random = Random::new(seed);
        let mut text = generate::program("mixed", seed, 120).into_bytes();
        for _ in 0..1 + random.below(3) {
            let (at, length) = (random.below(text.len()), 1 + random.below(6));
            let end = (at + length).min(text.len());
            let piece = text[at..end].to_vec();
            match random.below(3) {
                0 => _ = text.drain(at..end),
                1 => _ = text.splice(at..at, piece),
                _ => text.rotate_left(if random.chance(2) { at } else { 0 }),
            }
        }
        inputs.push(input(&format!("damaged {seed}"), text, None));
    }
    survive(&inputs, &[FORMAT, &["-S", "-O1", "-Wall", "-Wextra", "-ferror-limit=0"]]);
}

#[test]
fn truncated_programs() {
    let mut inputs = Vec::new();
    for (family, size) in [("mixed", 60), ("loose", 60), ("large_initialisers", 40), ("many_arguments", 30)] {
        let text = generate::program(family, 3, size);
        for k in 0..75 {
            let end = text.len() * k / 75;
            inputs.push(input(&format!("{family} cut at {end}"), &text.as_bytes()[..end], None));
        }
    }
    survive(&inputs, &[CHECK, FORMAT]);
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let names = ["missing.sy".to_string(), ".".to_string(), "missing/x.sy".to_string(), "n".repeat(300)];
    for name in names {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        command.args(["-S", "-o", "out.s", &name]).current_dir(folder.path());
        let done = run(&mut command, None, scratch.path(), LIMIT).expect("sysyc starts");
        assert_eq!(done.ending, Ending::Exit(1), "{name}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains("error") && said.contains(&name), "{name}: {said}");
        assert!(!folder.path().join("out.s").exists(), "{name}");
    }
}
