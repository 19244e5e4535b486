//! `--fix` does only what is certain: generated programs are damaged in one place each, as people do it, and mended.
//!
//! | what | holds |
//! | --- | --- |
//! | all errors had certain edits | the mended text compiles |
//! | the mended text compiles | it means what the program in front of the damage meant: its IR is the same |
//! | the damaged text compiles | `--fix` leaves its IR alone, with all warnings on |
//!
//! Cost: three processes a damaged program. `SYSYC_FUZZ` is how many programs of each family there are (1), `SYSYC_SEED`
//! the first.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::generate::{Random, program};
use std::path::Path;
use std::process::Command;
use sysyc::base::{Handle, Interner};
use sysyc::source::{Diagnostics, SourceFile};
use sysyc::syntax::lexer;
use sysyc::syntax::token::{Token, TokenKind};

/// Damages of each program.
const DAMAGES: usize = 56;

/// What a token becomes.
const DAMAGE: [(&str, &str); 34] = [
    (";", ""),
    (";", ":"),
    (";", "\u{ff1b}"),
    (")", ""),
    (")", "]"),
    (")", "))"),
    (")", "):"),
    ("(", ""),
    ("(", "(("),
    ("]", ""),
    ("]", ")"),
    ("[", ""),
    ("}", ""),
    ("}", "}}"),
    ("{", ""),
    (",", ""),
    (",", ";"),
    ("==", "="),
    ("==", "==="),
    ("==", "= ="),
    ("!=", "<>"),
    ("<=", "=<"),
    ("&&", "and"),
    ("&&", "&"),
    ("return", "retrun"),
    ("while", "whlie"),
    ("int", "int int"),
    ("-", "\u{2212}"),
    // Valid, and not what was meant.
    ("<", "< 1 <"),
    ("=", "=="),
    ("=", "=! "),
    ("||", "|| 2 ||"),
    (")", ");"),
    (";", ";;"),
];

/// The IR of a file at -O0, if it compiles.
fn ir(path: &Path) -> Option<Vec<u8>> {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(["--emit=ir", "-O0", "-w", "-o", "-"])
        .arg(path)
        .output()
        .expect("it runs");
    done.status.success().then_some(done.stdout)
}

/// Mends a file. Whether there were errors, and all of them had certain edits.
fn fix(path: &Path) -> bool {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(["check", "--fix", "--error-format=json", "-ferror-limit=0", "-Wall", "-Wextra"])
        .arg(path)
        .output()
        .expect("it runs");
    let mut certain = Vec::new();
    for line in String::from_utf8_lossy(&done.stderr).lines() {
        let Ok(object) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        if object["severity"] == "error" {
            let edits = object["edits"].as_array().cloned().unwrap_or_default();
            let is_certain = |edit: &serde_json::Value| edit["applicability"] == "MachineApplicable";
            certain.push(!edits.is_empty() && edits.iter().all(is_certain));
        }
    }
    !certain.is_empty() && certain.iter().all(|&certain| certain)
}

/// A program with one token damaged, and what was done.
fn damaged(text: &str, random: &mut Random) -> Option<(String, String)> {
    let (mut names, mut diags) = (Interner::default(), Diagnostics::default());
    names.intern("");
    let file = SourceFile::new("p.sy", text.as_bytes().to_vec());
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let &(from, to) = random.pick(&DAMAGE);
    let kind = TokenKind::spelled(from)?;
    let places: Vec<Token> =
        (0..tokens.kind.len()).map(Token::new).filter(|&token| tokens.kind[token] == kind).collect();
    if places.is_empty() {
        return None;
    }
    let token = *random.pick(&places);
    let span = tokens.span(&file.text, token);
    let (start, end) = (span.start as usize, span.end as usize);
    let line = text[..start].matches('\n').count() + 1;
    let to = if to.chars().all(char::is_alphabetic) && !to.is_empty() {
        format!(" {to} ")
    } else {
        to.to_string()
    };
    Some((
        format!("{}{to}{}", &text[..start], &text[end..]),
        format!("'{from}' became '{to}' in line {line}"),
    ))
}

#[test]
fn what_is_certain_is_what_was_meant() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let (count, first) = (number("SYSYC_FUZZ", 1), number("SYSYC_SEED", 1));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("p.sy");
    let (mut wrong, mut mended, mut kept) = (Vec::new(), 0, 0);
    for (family, seed) in ["realistic", "mixed", "loose", "dialect", "loops"]
        .into_iter()
        .flat_map(|family| (first..first + count).map(move |seed| (family, seed)))
    {
        let text = program(family, seed, 60);
        std::fs::write(&path, &text).expect("it can be written");
        let meaning = ir(&path).expect("a program");
        let mut random = Random::new(seed ^ 0xf1c5);
        for _ in 0..DAMAGES {
            let Some((bad, what)) = damaged(&text, &mut random) else { continue };
            std::fs::write(&path, &bad).expect("it can be written");
            let before = ir(&path);
            let all = fix(&path);
            let fixed = std::fs::read_to_string(&path).expect("it is there");
            let after = ir(&path);
            let fault = match (&before, &after) {
                (Some(before), after) if Some(before) != after.as_ref() => {
                    "a valid program has another meaning"
                }
                (None, None) if all => "what is mended does not compile",
                (None, Some(after)) if *after != meaning => "what is mended means something else",
                _ => "",
            };
            mended += usize::from(before.is_none() && after.is_some());
            kept += usize::from(before.is_some());
            if !fault.is_empty() {
                let lines = bad.lines().zip(fixed.lines()).find(|(old, new)| old != new);
                wrong.push(format!("{family} {seed}: {what}: {fault}: {lines:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {mended}\n{}", wrong.len(), wrong.join("\n"));
    assert!(mended as u64 > 40 * count && kept > 0, "only {mended} were mended, {kept} were valid");
}
