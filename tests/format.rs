//! The formatter over our own programs, programs of all families, and the same with white space and comments put
//! between their tokens at random: a text stays the same tokens and the same tree, no comment is lost, what was
//! formatted is left alone, no line is longer than it has to be. `SYSYC_FORMAT` programs of families; by default
//! few.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

use super::generate;
use std::path::{Path, PathBuf};
use sysyc::base::{Handle, Interner};
use sysyc::format::{edits, is_same_program};
use sysyc::source::edit::apply;
use sysyc::source::{Diagnostics, SourceFile};
use sysyc::syntax::token::{Token, Tokens};
use sysyc::syntax::tree::Tree;
use sysyc::syntax::{Standard, lex, parser};

fn read(text: &[u8]) -> (Tokens, Tree) {
    let (file, mut diags) = (SourceFile::new("t.sy", text.to_vec()), Diagnostics::default());
    let tokens = lex(&file, &mut Interner::default(), &mut diags);
    let tree = parser::parse_as(Standard::Dialect, &file, &tokens, &mut diags);
    (tokens, tree)
}

/// A text as it is formatted; nothing if it has syntax errors. What always has to be is checked.
fn formatted(name: &str, text: &[u8]) -> Option<Vec<u8>> {
    let format = |text: &[u8]| {
        let file = SourceFile::new(name, text.to_vec());
        let edits = edits(&file, Standard::Dialect).ok()?;
        for edit in &edits {
            let old = &text[edit.span.start as usize..edit.span.end as usize];
            let is_white =
                |bytes: &[u8]| bytes.iter().all(|b| b.is_ascii_whitespace() || b"\x0b\\".contains(b));
            assert!(is_white(old) && is_white(edit.text.as_bytes()), "{name}: {edit:?}");
        }
        Some(apply(text, &[&edits]).0)
    };
    let once = format(text)?;
    let shown = String::from_utf8_lossy(&once).into_owned();
    assert!(is_same_program(text, &once), "{name}: other tokens or comments\n{shown}");
    let (old, new) = (read(text).1, read(&once).1);
    assert_eq!(old.kind.as_slice(), new.kind.as_slice(), "{name}: another tree\n{shown}");
    assert_eq!(old.token.as_slice(), new.token.as_slice(), "{name}: another tree\n{shown}");
    assert_eq!(old.size.as_slice(), new.size.as_slice(), "{name}: another tree\n{shown}");
    let twice = format(&once).expect("it has no errors");
    if twice != once {
        let twice = String::from_utf8_lossy(&twice).into_owned();
        let at = shown.lines().zip(twice.lines()).take_while(|(a, b)| a == b).count();
        let near =
            |text: &str| text.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n");
        panic!("{name}: formatted again it is another\n{}\n----\n{}", near(&shown), near(&twice));
    }
    assert!(once.is_empty() || once.ends_with(b"\n") && !once.ends_with(b"\n\n"), "{name}: its end");
    for line in shown.lines() {
        let is_code = !line.contains("//") && !line.contains('*') && !line.contains('"');
        assert!(!is_code || line.trim_end() == line, "{name}: blanks at the end of '{line}'");
        // What is longer has no place to break it at: none at all behind its indentation and first words.
        let is_long = line.chars().count() > 100 && !line.contains("/*");
        let places = [", ", " + ", " - ", " * ", " / ", " % ", " && ", " || ", " == ", " < ", "; "];
        let shortest = line.len() - line.trim_start().len() + 40;
        let breakable =
            || places.iter().any(|place| line.get(shortest..).unwrap_or_default().contains(place));
        assert!(!is_code || !is_long || !breakable() || shortest > 140, "{name}: a long line\n{line}");
    }
    Some(once)
}

/// The sources in a folder and those below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            match path.extension() {
                Some(ending) if ending == "sy" => found.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn our_programs_and_public_ones_stay_what_they_are() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let folders = std::env::var_os("SYSYC_SUITE").map(PathBuf::from).into_iter().chain([own]);
    let mut count = 0;
    for path in folders.flat_map(|folder| sources(&folder)) {
        let text = std::fs::read(&path).expect("it can be read");
        count += usize::from(formatted(&path.display().to_string(), &text).is_some());
    }
    assert!(count > 50, "{count}");
    println!("{count} programs");
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// The same program with other white space, and comments.
fn spaced(text: &[u8], random: &mut Random) -> Vec<u8> {
    const BETWEEN: [&str; 14] = [
        " ",
        " ",
        "\n",
        "\n\n",
        "\n\n\n",
        "  \t",
        " // c\n",
        "\n// c d \n",
        " /* c */ ",
        "\n/* c */",
        " /* c */\n",
        "\n\n/* a\n  * b\n   * c */\n\n",
        "\r\n",
        " \\\n",
    ];
    let (tokens, _) = read(text);
    let mut out = Vec::new();
    let mut last = 0;
    // Some have little between their tokens, some have much.
    let often = [2, 5, 20, 200][random.below(4) as usize];
    for k in 0..tokens.kind.len() {
        let token = Token::new(k);
        let span = tokens.span(text, token);
        let gap = &text[last..span.start as usize];
        // Signs that are one may not be parted, and others not be joined.
        let is_sign = |byte: Option<&u8>| byte.is_some_and(|byte| b"+-*/%@=<>!&|".contains(byte));
        let touches = gap.is_empty() && is_sign(out.last()) && is_sign(text.get(span.start as usize));
        if !touches && random.below(often) == 0 {
            out.extend_from_slice(BETWEEN[random.below(BETWEEN.len() as u64) as usize].as_bytes());
        } else {
            out.extend_from_slice(gap);
        }
        out.extend_from_slice(&text[span.start as usize..span.end as usize]);
        last = span.end as usize;
    }
    out
}

#[test]
fn generated_programs_stay_what_they_are_however_they_are_spaced() {
    let programs: usize =
        std::env::var("SYSYC_FORMAT").map_or(4 * generate::FAMILIES.len(), |n| n.parse().expect("a number"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut count = 0;
    for k in 0..programs {
        let family = generate::FAMILIES[k % generate::FAMILIES.len()].name;
        let seed = k / generate::FAMILIES.len();
        let text = generate::program(family, seed as u64, 60);
        let name = format!("{family} {seed}");
        let plain = formatted(&name, text.as_bytes()).expect("it is right");
        assert!(formatted(&name, &spaced(&plain, &mut random)).is_some(), "{name}");
        count += 2;
    }
    println!("{count} programs");
}
