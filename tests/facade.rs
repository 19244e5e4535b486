//! The crate as others link it: what is public, as a text; features without each other; other systems; how many crates the
//! backend needs; what may go from thread to thread.
//!
//! `tests/facade/public.txt` has every public item with its signature and traits, taken from the pages of `cargo doc`, which
//! know macros and re-exports. Who changes it changes what clients can name: `SYSYC_BLESS=1 cargo test --test house facade::`.
//! They are in `target/doc`, as `tests/run` makes them.
//!
//! Cost: the library is checked 9 times, 13 s of CPU time each: with each feature of which two are asked for where the other is
//! not, and all but the command for other systems. `SYSYC_FACADE=all` has each feature alone, too: 5 times more. Two runs of
//! cargo have folders of their own, `target/facade/0` and `/1`, since one waits for the other in the same.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use sysyc::backend::*;

/// The target folder.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_path_buf()
}

fn cargo(folder: &Path, words: &[&str]) -> (String, String) {
    let mut cargo = Command::new(std::env::var_os("CARGO").expect("cargo runs its tests"));
    cargo.args(words).args(["--quiet", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.env("CARGO_TARGET_DIR", folder).env("RUSTDOCFLAGS", "-Dwarnings");
    let done = cargo.output().unwrap();
    let [out, said] = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(done.status.success(), "cargo {words:?}: {}\n{said}", done.status);
    (out, said)
}

#[test]
fn nothing_is_public_but_what_is_listed() {
    cargo(&target(), &["doc", "--no-deps"]);
    let pages = target().join("doc/sysyc");
    let all = fs::read_to_string(pages.join("all.html")).unwrap();
    let mut list = String::new();
    for link in all.split("<li><a href=\"").skip(1) {
        let (page, rest) = link.split_once('"').unwrap();
        if page.starts_with('#') {
            continue; // a heading
        }
        let name = plain(rest.split_once('>').unwrap().1.split_once("</a>").unwrap().0);
        list.push_str(&format!("{name}\n{}\n", item(&fs::read_to_string(pages.join(page)).unwrap())));
    }
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/facade/public.txt");
    if std::env::var_os("SYSYC_BLESS").is_some() {
        fs::write(&expected, &list).unwrap();
    }
    let expected = fs::read_to_string(expected).unwrap_or_default();
    let gone: Vec<&str> = expected.lines().filter(|line| !list.lines().any(|other| other == *line)).collect();
    let come: Vec<&str> = list.lines().filter(|line| !expected.lines().any(|other| other == *line)).collect();
    assert!(
        list == expected,
        "what is public has changed; if that is meant, SYSYC_BLESS=1\n- {}\n+ {}",
        gone.join("\n- "),
        come.join("\n+ ")
    );
}

/// The lines of one page: how the item is declared, what it can do, its traits by name.
fn item(page: &str) -> String {
    let (declared, rest) = between(page, "<pre class=\"rust item-decl\">", "</pre>").expect("a declaration");
    let mut lines = format!("    {}\n", plain(declared));
    // Behind the item's own traits come those that it has by itself, and then those that all types have.
    let (own, others) = rest.split_once("id=\"synthetic-implementations\"").unwrap_or((rest, ""));
    let (others, _) = others.split_once("id=\"blanket-implementations\"").unwrap_or((others, ""));
    let mut traits = Vec::new();
    for header in headers(own) {
        match trait_of(&header) {
            Some(name) => traits.push(name.to_string()),
            // What an impl of a trait has is the trait's.
            None if header.starts_with("pub ") && traits.is_empty() => {
                lines.push_str(&format!("    {header}\n"));
            }
            None => {}
        }
    }
    traits.retain(|name| name != "StructuralPartialEq");
    let own = headers(others).filter_map(|header| trait_of(&header).map(str::to_string));
    traits.extend(own.filter(|name| ["Send", "Sync"].contains(&name.as_str())));
    if !traits.is_empty() {
        lines.push_str(&format!("    traits: {}\n", traits.join(", ")));
    }
    lines
}

/// How impls, functions and constants are declared, in the order of the page.
fn headers(page: &str) -> impl Iterator<Item = String> {
    let texts = page.split("class=\"code-header\">").skip(1);
    texts.map(|text| plain(text.split_once("</h").map_or(text, |(header, _)| header)))
}

/// `Debug` of `impl<'a> Debug for X<'a>`.
fn trait_of(header: &str) -> Option<&str> {
    let rest = header.strip_prefix("impl")?.split_once(" for ")?.0;
    Some(if rest.starts_with('<') { rest.split_once('>')?.1.trim() } else { rest.trim() })
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(from)?.1.split_once(to)
}

/// A piece of a page without its tags, on one line.
fn plain(page: &str) -> String {
    let mut text = String::new();
    for piece in page.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    for (code, sign) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        text = text.replace(code, sign);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace("( ", "(").replace(", )", ")").replace("]pub", "] pub");
    // Enumerations with many variants are folded; slices have a sign that opens a note.
    let text = text.replace(" \u{24d8}", "");
    match between(&text, "{ Show ", " variants ") {
        Some((_, rest)) => format!("{}{{ {rest}", text.split_once("{ Show ").map_or("", |(head, _)| head)),
        None => text,
    }
}

/// What a client can ask for besides the backend.
const FEATURES: [&str; 7] = ["cli", "sysy", "interp", "llvm-text", "elf", "parallel", "debuginfo"];

/// Systems for which the library is checked without the command.
const SYSTEMS: [&str; 3] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin", "wasm32-unknown-unknown"];

/// Sets of features for which the library is checked.
const SETS: [&str; 6] =
    ["", "cli", "elf,parallel", "llvm-text,debuginfo", "sysy,debuginfo", "interp,parallel"];

/// Whether a feature asks for another, as `Cargo.toml` has it.
fn implies(feature: &str, other: &str) -> bool {
    match feature {
        "cli" => ["sysy", "interp", "llvm-text", "elf"].contains(&other),
        "sysy" => other == "elf",
        _ => false,
    }
}

#[test]
fn features_stand_without_each_other_and_the_library_is_for_other_systems_too() {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let root = Command::new(rustc).args(["--print", "sysroot"]).output().unwrap().stdout;
    let root = PathBuf::from(String::from_utf8(root).unwrap().trim());
    let others = FEATURES[1..].join(",");
    // Of any two features each is in a set in which the other is not, unless it asks for that itself.
    for (a, b) in FEATURES.iter().flat_map(|a| FEATURES.iter().map(move |b| (a, b))) {
        let with =
            |set: &str, feature: &str| set.split(',').any(|one| one == feature || implies(one, feature));
        let is_apart = SETS.iter().any(|set| with(set, a) && !with(set, b));
        assert!(a == b || implies(a, b) || is_apart, "no set has {a} without {b}");
    }
    let all = std::env::var("SYSYC_FACADE").is_ok_and(|text| text == "all");
    let alone = FEATURES.iter().filter(|feature| all && !SETS.contains(feature));
    let mut checks: Vec<Vec<&str>> = SETS.iter().chain(alone).map(|features| vec![*features]).collect();
    for system in SYSTEMS {
        if root.join("lib/rustlib").join(system).join("lib").is_dir() {
            checks.push(vec![&others, "--target", system]);
            continue;
        }
        _ = writeln!(
            std::io::stderr(), // not to what a test that passes does not show
            "NOT CHECKED: the library for {system}, whose standard library is not here (rustup target add {system})"
        );
    }
    let next = AtomicUsize::new(0);
    let worker = &|k: usize| {
        let folder = target().join("facade").join(k.to_string());
        while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let words = [&["check", "--lib", "--no-default-features", "--features"][..], check].concat();
            assert_eq!(cargo(&folder, &words).1, "", "with {check:?}");
        }
    };
    std::thread::scope(|scope| {
        for k in 0..2 {
            scope.spawn(move || worker(k));
        }
    });
}

#[test]
fn the_backend_alone_needs_six_small_crates_at_most() {
    let crates = |features: &str| {
        let words = ["tree", "--no-default-features", "--features", features];
        let (list, _) = cargo(&target(), &[&words[..], &["-e", "normal,build", "--prefix", "none"]].concat());
        let mut names: Vec<String> =
            list.lines().filter_map(|line| Some(line.split_once(' ')?.0.into())).collect();
        names.sort();
        names.dedup();
        names.retain(|name| name != "sysyc");
        names
    };
    assert_eq!(crates(""), ["bumpalo", "byteorder", "fxhash", "hashbrown"]);
    assert_eq!(crates("elf"), ["bumpalo", "byteorder", "fxhash", "hashbrown", "memchr", "object"]);
    assert_eq!(crates("sysy"), crates("elf"));
}

#[test]
fn values_go_from_thread_to_thread() {
    fn both<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    both::<(Module, Definition, Object, Linker<'_>, Options, Target, Level, Code, Relocation, Name)>();
    both::<(Error, ErrorKind, Signature, Data, Linkage, Func, Global, Symbol<'_>)>();
    both::<(Type, IntPred, FloatPred, Val, Block, Variable)>();
    both::<(sysyc::Settings, sysyc::Compilation, sysyc::Message, sysyc::Place, sysyc::Severity, sysyc::Wanted)>(
    );
    sent::<(Codegen, FunctionBuilder<'_>)>();
}
