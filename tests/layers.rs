//! The house rules that the compiler of this crate cannot check: which folder of `src/` may name which, what passes
//! of one room of `opt/` may take from another, which files may name the crates that are each kept behind one file, that every file opens with a `//!` head, and
//! that what the tracking benchmark names exists.
//!
//! A source is read as text: comments and literals are blanked, then every path that starts at the crate's
//! root (`crate::x`, `crate::{x, y::z}`, `$crate::x`, `super::super::x`, and `sysyc::x` in the binary) is an
//! arrow. Tests inside `src/` obey the same arrows; a test that needs more of the compiler belongs in
//! `tests/`. One pass over the text.

use std::fs;
use std::path::Path;

/// A layer and the layers below that it may name. Whatever is not here may not be in `src/`.
const LAYERS: [(&str, &[&str]); 16] = [
    ("base", &[]),
    ("source", &["base"]),
    ("syntax", &["base", "source"]),
    ("format", &["base", "source", "syntax"]),
    ("sema", &["base", "source", "syntax"]),
    ("ir", &["base"]),
    ("lower", &["base", "source", "syntax", "sema", "ir"]),
    ("analysis", &["base", "ir"]),
    ("opt", &["base", "ir", "analysis"]),
    ("mir", &["base"]),
    ("regalloc", &["base", "mir"]),
    ("object", &["base"]),
    ("isa", &["base", "ir", "analysis", "mir", "object"]),
    ("backend", &["base", "ir", "analysis", "opt", "mir", "regalloc", "object", "isa"]),
    (
        "sysy",
        &[
            "base", "source", "syntax", "sema", "ir", "lower", "analysis", "opt", "mir", "isa", "object",
            "backend",
        ],
    ),
    (
        "driver",
        &[
            "base", "source", "syntax", "format", "sema", "ir", "lower", "analysis", "opt", "mir",
            "regalloc", "object", "isa", "backend", "sysy",
        ],
    ),
];

/// The rooms of `opt/` that all others may name; of these, `run` may name passes in its plans only.
const FRAME: [&str; 2] = ["run", "rules"];
/// Where the frame names passes: the plans, and what the tests of passes share.
const PLANS: [&str; 2] = ["opt/run/pipeline.rs", "opt/run/testing.rs"];

/// What passes of one room of `opt/` take from a file of another, and why.
const TAKEN: [(&str, &str, &str); 4] = [
    ("calls", "values/gvn", "equal calls are numbered as all else"),
    ("loops", "flow/simplify_cfg", "copies of rounds are cleaned before their size is looked at"),
    ("loops", "values/simplify", "the same"),
    ("values", "calls/globals", "what a load yields of a constant"),
];

/// What `main.rs` may name of the library.
const MAIN_MAY_NAME: [&str; 1] = ["command"];

/// Crates behind doors: the crate, and the start of the only paths in `src/` that may name it, a row a door.
const DOORS: [(&str, &str); 7] = [
    ("rayon", "base/parallel.rs"),
    ("mimalloc", "main.rs"),
    ("rustix", "driver/"),
    ("signal_hook", "driver/memory.rs"),
    ("rustix", "base/clock.rs"),
    ("fxhash", "base/"),
    ("hashbrown", "base/"),
];

#[test]
fn sources_keep_to_their_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut pending, mut faults, mut files) = (vec![root.clone()], Vec::new(), 0);
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("src/ is readable") {
            let path = entry.expect("src/ is readable").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name =
                    path.strip_prefix(&root).expect("it lies in src/").to_string_lossy().replace('\\', "/");
                faults.extend(faults_of(&name, &fs::read_to_string(&path).expect("sources are UTF-8")));
                files += 1;
            }
        }
    }
    faults.sort();
    assert!(files > 5, "only {files} files found: is this the right folder?");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Passes know of each other what is argued for, and the frame knows none of them.
#[test]
fn passes_keep_to_their_rooms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/opt");
    let (mut pending, mut faults, mut used) = (vec![root.clone()], Vec::new(), [false; TAKEN.len()]);
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("src/ is readable") {
            let path = entry.expect("src/ is readable").path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("it lies there").to_string_lossy().replace('\\', "/");
            let Some((room, _)) = name.split_once('/') else { continue };
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            // Tests run passes one behind the other.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            if name.ends_with("tests.rs") || PLANS.iter().any(|plan| plan.ends_with(&*name)) {
                continue;
            }
            let code = blank_comments_and_literals(text);
            for (at, _) in code.match_indices("crate::opt::") {
                let mut parts = code[at + "crate::opt::".len()..].split("::");
                let (other, file) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let file = file.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                if other == room || FRAME.contains(&other) {
                    continue;
                }
                let row = TAKEN.iter().position(|row| row.0 == room && row.1 == format!("{other}/{file}"));
                match row {
                    Some(row) => used[row] = true,
                    None => faults.push(format!(
                        "src/opt/{name}:{}: {room} takes something of {other}/{file}",
                        line_of(&code, at)
                    )),
                }
            }
        }
    }
    let idle = TAKEN.iter().zip(used).filter(|(_, used)| !used);
    faults.extend(idle.map(|(row, _)| format!("{} takes nothing of {} any more", row.0, row.1)));
    assert!(faults.is_empty(), "tests/layers.rs says what may be taken:\n{}", faults.join("\n"));
}

/// A function that moves takes its name along, and what it costs would be no phase's.
/// Where everything is, besides dot files and what is built.
const TOP: [&str; 13] = [
    "ARCHITECTURE.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "benches",
    "capi",
    "docs",
    "examples",
    "profiling",
    "runtime",
    "src",
    "tests",
];

/// Outputs of tests had been left at the top, and were committed with the rest twice.
#[test]
fn the_top_level_is_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(root).expect("the repository can be read").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.') && name != "target");
    names.sort();
    assert_eq!(names, TOP);
}

#[test]
fn phases_of_the_tracking_benchmark_name_functions_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("benches/track/phases.rs")).expect("it can be read");
    let mut symbols = text.split('"').filter_map(|piece| piece.strip_prefix("sysyc::")).peekable();
    assert!(symbols.peek().is_some(), "no symbols in benches/track/phases.rs");
    for symbol in symbols.filter(|symbol| !symbol.contains('*')) {
        let mut path: Vec<&str> = symbol.split("::").collect();
        let function = path.pop().unwrap_or_default();
        // A method stands in the file of its type's module.
        path.retain(|part| part.starts_with(char::is_lowercase));
        let file = root.join("src").join(path.join("/"));
        let files = [file.with_extension("rs"), file.join("mod.rs")];
        let source = files.iter().find_map(|file| fs::read_to_string(file).ok());
        let source = source.unwrap_or_else(|| panic!("{symbol} is in no file"));
        let head = format!("fn {function}");
        let mut found = source.match_indices(&head).map(|(at, _)| source[at + head.len()..].chars().next());
        assert!(found.any(|next| matches!(next, Some('(' | '<'))), "{symbol} is not in its file");
    }
}

/// Every broken rule of one file; `name` is its path in `src/`.
fn faults_of(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if !text.starts_with("//!") {
        faults.push(format!("src/{name}:1: opens without a //! head"));
    }
    let code = blank_comments_and_literals(text);
    for (word, at) in identifiers(&code) {
        let doors = || DOORS.iter().filter(|(krate, _)| *krate == word);
        if let Some((_, door)) = doors().next()
            && !doors().any(|(_, door)| name.starts_with(door))
        {
            faults
                .push(format!("src/{name}:{}: names {word}, which only src/{door} may", line_of(&code, at)));
        }
    }
    let layer = name.split('/').next().unwrap_or(name);
    let allowed: &[&str] = match (name, LAYERS.iter().find(|row| row.0 == layer)) {
        ("lib.rs", _) => return faults,
        ("main.rs", _) => &MAIN_MAY_NAME,
        (_, Some(row)) => row.1,
        (_, None) => {
            faults.push(format!("src/{name}:1: {layer} is not a layer; tests/layers.rs lists them"));
            return faults;
        }
    };
    for (named, at) in root_names(&code, name == "main.rs") {
        if named != layer && !allowed.contains(&named) {
            faults.push(format!("src/{name}:{}: {layer} may not name {named}", line_of(&code, at)));
        }
    }
    faults
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The text with comments, strings and characters replaced by spaces, byte for byte, newlines kept.
fn blank_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => {
                bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n)
            }
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'r' if raw_string_hashes(bytes, at).is_some() => {
                let hashes = raw_string_hashes(bytes, at).unwrap_or(0);
                let close = format!("\"{}", "#".repeat(hashes));
                let from = at + hashes + 2;
                text.get(from..)
                    .and_then(|rest| rest.find(&close))
                    .map_or(bytes.len(), |n| from + n + close.len())
            }
            b'"' => quoted_end(bytes, at, b'"'),
            // A quote is a character when it closes again after one character or an escape; otherwise a
            // lifetime.
            b'\'' if bytes.get(at + 1) == Some(&b'\\') => quoted_end(bytes, at, b'\''),
            b'\'' => {
                let width = text[at + 1..].chars().next().map_or(0, char::len_utf8);
                if bytes.get(at + 1 + width) == Some(&b'\'') { at + 2 + width } else { at + 1 }
            }
            _ => {
                at += 1;
                continue;
            }
        };
        out[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        at = end;
    }
    // Only whole characters were blanked, so this changes nothing.
    String::from_utf8_lossy(&out).into_owned()
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

/// How many `#` open the raw string at `at`, if one starts there.
fn raw_string_hashes(bytes: &[u8], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|k| bytes[k]);
    if before.is_some_and(|b| is_word(b) && b != b'b') {
        return None;
    }
    let hashes = bytes[at + 1..].iter().take_while(|&&b| b == b'#').count();
    (bytes.get(at + 1 + hashes) == Some(&b'"')).then_some(hashes)
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Every word of the code with its position.
fn identifiers(code: &str) -> Vec<(&str, usize)> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|&&b| is_word(b)).count();
        if length > 0 {
            found.push((&code[at..at + length], at));
        }
        at += length.max(1);
    }
    found
}

/// Every name that follows the crate's root in a path. A macro (`crate::name!`) is not an arrow: exported
/// macros live at the root whatever file makes them.
fn root_names(code: &str, binary: bool) -> Vec<(&str, usize)> {
    let words = identifiers(code);
    let mut found = Vec::new();
    for (k, &(word, at)) in words.iter().enumerate() {
        let starts = match word {
            "crate" => !before(code, at).ends_with("pub(") && !before(code, at).ends_with("::"),
            "sysyc" => binary,
            // The second of `super::super::` leaves the folder, or a file's own test module: only layers
            // count.
            "super" => k > 0 && words[k - 1].0 == "super",
            _ => false,
        };
        let Some(rest) = code[at + word.len()..].trim_start().strip_prefix("::").filter(|_| starts) else {
            continue;
        };
        let from = code.len() - rest.len();
        let only_layers = |name: &str| word != "super" || LAYERS.iter().any(|row| row.0 == name);
        let heads = group_heads(code, from);
        found.extend(heads.into_iter().filter(|(name, _)| *name != "super" && only_layers(name)));
    }
    found
}

fn before(code: &str, at: usize) -> &str {
    code[..at].trim_end()
}

/// The first names of `x::y` or of each member of `{x::y, z}` at `from`.
fn group_heads(code: &str, from: usize) -> Vec<(&str, usize)> {
    let bytes = code.as_bytes();
    let (mut heads, mut depth, mut fresh, mut at) = (Vec::new(), 0, true, from);
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' => fresh = depth == 1,
            b';' => break,
            b'*' if fresh => {
                heads.push(("*", at));
                fresh = false;
            }
            b if is_word(b) => {
                let length = bytes[at..].iter().take_while(|&&b| is_word(b)).count();
                let is_macro = bytes.get(at + length) == Some(&b'!');
                if fresh && !is_macro {
                    heads.push((&code[at..at + length], at));
                }
                fresh = false;
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 && !fresh {
            break;
        }
    }
    heads
}

#[test]
fn each_file_of_tests_is_a_program_or_a_part_of_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest is there");
    let texts = |path: &Path| fs::read_to_string(path).expect("tests are UTF-8");
    let files = fs::read_dir(root.join("tests")).expect("tests/ is readable");
    let files: Vec<_> = files.map(|entry| entry.expect("tests/ is readable").path()).collect();
    let roots: Vec<String> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy();
            manifest.contains(&format!("path = \"tests/{name}\""))
        })
        .map(|path| texts(path))
        .collect();
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let is_part = roots.iter().any(|text| text.contains(&format!("\nmod {name};\n")));
        let is_program = manifest.contains(&format!("path = \"tests/{name}.rs\""));
        assert!(is_part != is_program, "tests/{name}.rs is no part of a program, or one twice");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, code: &str) -> Vec<String> {
        faults_of(name, &format!("//! Head.\n{code}\n"))
    }

    #[test]
    fn forbidden_arrows_are_found() {
        for (name, code) in [
            ("ir/body.rs", "use crate::sema::Types;"),
            ("ir/body.rs", "use crate::{base::Column, source::Span};"),
            ("ir/body.rs", "use crate::{\n    base::{Column, mir},\n    mir::Row,\n};"),
            ("ir/body.rs", "fn f(x: &crate::mir::Row) {}"),
            ("mir/frame.rs", "use crate :: isa::riscv64;"),
            ("regalloc/scan.rs", "use super::super::isa::aarch64;"),
            ("isa/riscv64/select.rs", "use crate::regalloc::scan;"),
            ("base/list.rs", "macro_rules! m { () => { $crate::ir::Inst } }"),
            ("analysis/alias.rs", "use crate::opt;"),
            ("base/list.rs", "use crate::Compilation;"),
            ("base/list.rs", "use crate::*;"),
            ("main.rs", "use sysyc::opt::run::pipeline;"),
            ("utils/mod.rs", ""),
            ("helpers.rs", ""),
        ] {
            assert_eq!(faults(name, code).len(), 1, "{name}: {code}: {:?}", faults(name, code));
        }
    }

    #[test]
    fn allowed_arrows_pass() {
        for (name, code) in [
            ("ir/body.rs", "use crate::base::{Column, ir};\nuse crate::ir::{sema, Inst};"),
            ("ir/body.rs", "crate::handle! { pub struct Inst(\"i\"); }"),
            ("ir/body.rs", "pub(crate) fn sema() {} mod tests { use super::super::Inst; }"),
            ("ir/body.rs", "// use crate::sema::X;\n/* crate::sema /* nested */ crate::mir */"),
            (
                "ir/body.rs",
                "const A: &str = \"crate::sema\\\" crate::mir\"; const B: &str = r#\"crate::sema\"#;",
            ),
            ("ir/body.rs", "fn f<'a>(x: &'a str) -> char { '\"' } const Q: char = '\\''; // crate::sema"),
            ("lower/expr.rs", "use crate::{base, source, syntax, sema, ir};"),
            ("driver/mod.rs", "use crate::{regalloc, isa};"),
            ("main.rs", "use sysyc::command;"),
            ("lib.rs", "pub mod opt;"),
        ] {
            assert_eq!(faults(name, code), [""; 0], "{name}: {code}");
        }
    }

    #[test]
    fn doors_and_heads_are_checked() {
        assert_eq!(faults("base/parallel.rs", "use rayon::prelude::*;"), [""; 0]);
        assert_eq!(faults("opt/values/gvn.rs", "use rayon::prelude::*;").len(), 1);
        assert_eq!(faults("base/pool.rs", "use rayon::prelude::*;").len(), 1);
        assert_eq!(faults("ir/body.rs", "type M = hashbrown::HashMap<u32, u32>;").len(), 1);
        assert_eq!(faults("driver/mod.rs", "use mimalloc::MiMalloc;").len(), 1);
        assert_eq!(faults("opt/values/gvn.rs", "// rayon would be slower here"), [""; 0]);
        assert_eq!(
            faults_of("base/pool.rs", "use std::fmt;\n"),
            ["src/base/pool.rs:1: opens without a //! head"]
        );
    }
}
