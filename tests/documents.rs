//! The documents tell the truth: commands in them do what they show, programs in them are right or wrong as is
//! said, and pages that are made of tables are what the tables say.
//!
//! In `docs/*.md` and `README.md` a block of
//!
//! | kind | is |
//! | --- | --- |
//! | `sysy NAME` | a program, which stands in the document's folder as `NAME` from there on |
//! | `sysy` | a program without errors |
//! | `sysy wrong` | a program with errors |
//! | `console` | commands behind `$ `, each with all that it prints, on either stream, also in a terminal; `...` stands for anything |
//! | `terminal` | a session in a terminal: what is typed behind `$ ` or gdb's prompt, and what is shown |
//!
//! Nothing that people type stands in a block of another kind. Port 1234 is another one in the tests.
//!
//! `SYSYC_BLESS=1 cargo test --test house documents::` writes what commands print, and the pages, as they are now. A
//! command that fails says so itself (`; echo $?`), or the test fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::terminal::Terminal;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use sysyc::backend::code;
use sysyc::ir::parse::keywords::{Handling, KEYWORDS, METADATA, Places, TEXTS, When};
use sysyc::mir::analyses::Needs;
use sysyc::opt::run::manager::{Stage, Step};
use sysyc::opt::run::pipeline;
use sysyc::opt::{self, Level};
use sysyc::sema::explain::EXPLANATIONS;
use sysyc::sema::warning::{self, GROUPS};

pub(crate) fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blesses() -> bool {
    std::env::var_os("SYSYC_BLESS").is_some()
}

fn documents() -> Vec<PathBuf> {
    let entries = fs::read_dir(manifest().join("docs")).unwrap().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    paths.push(manifest().join("README.md"));
    paths.sort();
    paths
}

/// Runs a line of a shell; what it prints on both streams, and whether it succeeded.
pub(crate) fn shell(line: &str, folder: &Path) -> (String, bool) {
    let bin = Path::new(env!("CARGO_BIN_EXE_sysyc")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin.to_path_buf()].into_iter().chain(std::env::split_paths(&path)));
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(folder).env("PATH", path.unwrap());
    bash.env("COLUMNS", "100").env_remove("CLICOLOR_FORCE").stdin(std::process::Stdio::null());
    // Scripts of the repository take this binary.
    bash.env("SYSYC_BIN", env!("CARGO_BIN_EXE_sysyc"));
    let done = bash.output().unwrap();
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.success())
}

const PROMPTS: [&str; 2] = ["$ ", "(gdb) "];

/// A session in a terminal: each line that is typed waits for its prompt, as people do, and what is shown up to the next prompt
/// is what the block has, but for notes that only people in front of a terminal get, where a block has none.
fn session(name: &str, block: &str, folder: &Path) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let block = block.replace("1234", &free.unwrap().port().to_string());
    let bin = Path::new(env!("CARGO_BIN_EXE_sysyc")).parent().unwrap();
    let setup =
        "PS1='$ '; bind 'set enable-bracketed-paste off'; set +H; shopt -u checkwinsize; export COLUMNS=100";
    let setup = format!("{setup} PATH={}:$PATH\n", bin.display());
    fs::write(folder.join(".setup"), setup).unwrap();
    // As wide as what is typed, which would scroll otherwise.
    let start = "stty cols 200; exec bash --noprofile --rcfile .setup -i";
    let variables = [("HOME", folder), ("SYSYC_BIN", Path::new(env!("CARGO_BIN_EXE_sysyc")))];
    let mut terminal = Terminal::start(start, folder, &variables);
    terminal.wait("the shell", |shown| shown.ends_with("$ "));
    let prompt = |line: &str| PROMPTS.iter().copied().find(|prompt| line.starts_with(prompt));
    let mut lines = block.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let own = prompt(line).unwrap_or_else(|| panic!("{name}: output without a command: {line}"));
        let mut expected = line.to_string();
        while let Some(more) = lines.next_if(|line| prompt(line).is_none()) {
            expected.push_str(more);
        }
        let next = lines.peek().and_then(|line| prompt(line)).unwrap_or("$ ");
        terminal.type_keys(&line[own.len()..]);
        let shown = terminal.wait(line, |shown| shown.ends_with(&format!("\n{next}")));
        let mut shown = format!("{own}{}", shown.strip_suffix(next).unwrap_or(&shown));
        const NOTE: &str = "sysyc: note: '";
        if !expected.contains(NOTE) {
            shown = shown.split_inclusive('\n').filter(|line| !line.starts_with(NOTE)).collect();
        }
        assert!(fits(&expected, &shown), "{name}: in a terminal\n{shown}-- and not\n{expected}");
    }
}

/// True if a text is the pattern, in which `...` stands for anything, and in a line of its own for no line, too: what a shell says of a
/// program that ends in the background comes with this prompt or the next one.
fn fits(pattern: &str, text: &str) -> bool {
    let pattern = pattern.replace("\n...\n", "\n...");
    let mut pieces = pattern.split("...");
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some((_, behind)) = rest.split_once(piece) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// A block of a document: its kind, its text, and where that stands.
fn blocks(text: &str) -> Vec<(String, String, std::ops::Range<usize>)> {
    let (mut blocks, mut at, mut open) = (Vec::new(), 0, None);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if let Some(kind) = line.trim_end().strip_prefix("```") {
            match open.take() {
                None => open = Some((kind.to_string(), next)),
                Some((kind, from)) => blocks.push((kind, text[from..at].to_string(), from..at)),
            }
        }
        at = next;
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

/// The commands of a block, with what they are to print.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.split_inclusive('\n') {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.trim_end().to_string(), String::new())),
            (None, Some((_, output))) => output.push_str(line),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    commands
}

#[test]
fn what_documents_show_is_so() {
    for path in documents() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(manifest().join("profiling"), folder.path().join("profiling")).unwrap();
        let mut blessed = text.clone();
        // From the end, so that places stay true.
        let mut changes = Vec::new();
        for (kind, block, place) in blocks(&text) {
            match kind.split_whitespace().collect::<Vec<_>>()[..] {
                ["sysy", "wrong"] => {
                    fs::write(folder.path().join("wrong.sysy"), &block).unwrap();
                    let (said, is_right) = shell("sysyc check wrong.sysy", folder.path());
                    assert!(!is_right, "{name}: nothing is wrong with\n{block}{said}");
                }
                ["sysy"] => {
                    fs::write(folder.path().join("right.sysy"), &block).unwrap();
                    let (said, is_right) = shell("sysyc check right.sysy", folder.path());
                    assert!(is_right, "{name}:\n{block}{said}");
                }
                ["sysy", file] => fs::write(folder.path().join(file), &block).unwrap(),
                ["console"] => {
                    let mut now = String::new();
                    for (command, expected) in commands(&block) {
                        let (printed, is_good) = shell(&command, folder.path());
                        assert!(is_good, "{name}: $ {command}\n{printed}");
                        let fits = fits(&expected, &printed);
                        assert!(fits || blesses(), "{name}: $ {command}\n{printed}-- and not\n{expected}");
                        _ = write!(now, "$ {command}\n{}", if fits { expected } else { printed });
                    }
                    changes.push((place, now));
                    // In an interactive terminal it is the same, and nothing waits for input.
                    if !blesses() {
                        session(&name, &block, folder.path());
                    }
                }
                ["terminal"] => session(&name, &block, folder.path()),
                _ => assert!(
                    !block.lines().any(|line| line.starts_with("$ ")),
                    "{name}: what is typed is tested: a block of the kind 'console' or 'terminal'\n{block}"
                ),
            }
        }
        for (place, now) in changes.into_iter().rev() {
            blessed.replace_range(place, &now);
        }
        if blesses() && blessed != text {
            fs::write(&path, blessed).unwrap();
        }
    }
}

/// The list of commands in the README, one after the other in one folder, with the files that they name.
#[test]
fn each_command_of_the_readme_succeeds() {
    let text = fs::read_to_string(manifest().join("README.md")).unwrap();
    let (_, usage) = text.split_once("\n## Use\n").expect("it says how it is used");
    let usage = usage.split("\n## ").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = "int a[8];\nint main() {\n    a[1] = getint();\n    putint(a[1]);\n    return 0;\n}\n";
    for (name, text) in [
        ("x.sy", program),
        ("huge.sy", program),
        ("a.sy", "int half(int n);\nint main() { return half(0); }\n"),
        ("b.sy", "int half(int n) { return n / 2; }\n"),
        ("input", "7\n"),
        ("x.ll", "define i32 @main() {\n  ret i32 0\n}\n"),
        ("other.sy", "int other() { return 1; }\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    std::os::unix::fs::symlink(manifest().join("runtime"), folder.path().join("runtime")).unwrap();
    let archive = "sysyc -c other.sy && riscv64-linux-gnu-ar rcs libsysy.a other.o";
    let (said, is_good) = shell(archive, folder.path());
    assert!(is_good, "{said}");
    let mut count = 0;
    for line in usage.lines().filter_map(|line| line.strip_prefix("    ")) {
        // What it does stands behind it.
        let command = line.split("  ").next().unwrap();
        // `lsp.rs` speaks with the server.
        if !command.starts_with("sysyc ") || command == "sysyc lsp" {
            continue;
        }
        let (said, is_good) = shell(command, folder.path());
        assert!(is_good, "{command}\n{said}");
        count += 1;
    }
    assert!(count >= 20, "{count} commands");
}

/// A page that is made of tables is what they say; what stands before its mark is written by hand.
fn is_made(name: &str, made: &str) {
    const MARK: &str = "<!-- What follows is made by tests/documents.rs. -->\n";
    let path = manifest().join("docs").join(name);
    let text = fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once(MARK).expect("the mark");
    let now = format!("{head}{MARK}\n{made}");
    if blesses() {
        fs::write(&path, &now).unwrap();
    }
    assert!(text == now || blesses(), "docs/{name} is not what the tables say: SYSYC_BLESS=1 writes it");
}

#[test]
fn the_page_of_diagnostics_is_made_of_the_codes() {
    let mut page = String::from("| code | is | |\n| --- | --- | --- |\n");
    let when = |code: &str| match GROUPS.iter().find(|group| group.name == code).map(|group| group.level) {
        None => "error".to_string(),
        Some(warning::Level::Default) => "warning".to_string(),
        Some(warning::Level::All) => "warning, with `-Wall`".to_string(),
        Some(warning::Level::Extra) => "warning, with `-Wextra`".to_string(),
        Some(warning::Level::Pedantic) => "warning, with `-Wpedantic`".to_string(),
        Some(warning::Level::Named) => format!("warning, with `-W{code}`"),
    };
    for row in &EXPLANATIONS {
        _ = writeln!(page, "| [{0}](#{0}) | {1} | {2} |", row.code, row.title, when(row.code));
    }
    for row in &EXPLANATIONS {
        _ = write!(page, "\n## {}\n\n{} ({}). {}\n", row.code, row.title, when(row.code), row.text);
        // Tested in `sema/explain`, with the options that each needs.
        _ = write!(page, "\n```c\n{}\n```\n\nRight:\n\n```c\n{}\n```\n", row.wrong, row.right);
    }
    is_made("diagnostics.md", &page);
}

#[test]
fn the_page_of_passes_is_made_of_their_rows() {
    let mut page = String::from("## What runs at each level\n");
    for (level, name) in [(Level::O0, "-O0"), (Level::O1, "-O1"), (Level::O2, "-O2")] {
        _ = write!(page, "\n**{name}**\n\n");
        for step in pipeline::plan(level) {
            let line = match step {
                Step::Summary(summary) => format!("summary, callees first: `{}`", summary.name),
                Step::All(pass) => format!("barrier, over all functions: `{}`", pass.name),
                Step::Each(stages) => {
                    let stage = |stage: &Stage| match stage {
                        Stage::Make => "from source to IR".to_string(),
                        Stage::Passes(passes) => passes
                            .iter()
                            .map(|pass| format!("`{}`", pass.name))
                            .collect::<Vec<_>>()
                            .join(", "),
                        Stage::Canonical => String::new(),
                        Stage::Pack => "packed".to_string(),
                        Stage::Code => "code".to_string(),
                    };
                    let stages: Vec<String> =
                        stages.iter().map(stage).filter(|text| !text.is_empty()).collect();
                    format!("each function: {}", stages.join(", "))
                }
            };
            _ = writeln!(page, "1. {line}");
        }
    }
    page.push_str("\n## All passes\n\n| pass | what it is for |\n| --- | --- |\n");
    for (name, description) in pipeline::passes() {
        _ = writeln!(page, "| `{name}` | {description} |");
    }
    page.push_str("\n## Machine passes\n\nIn order; `at` is the first level that has it in its plan, `needs` and `keeps` are what is known of the graph.\n\n");
    page.push_str("| pass | what it is for | from | to | at | needs | keeps |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for pass in code::passes() {
        let list = |needs: Needs| match needs {
            Needs::ALL => "all".to_string(),
            some => some.names().collect::<Vec<_>>().join(", "),
        };
        let least =
            (0..4u8).find(|&level| pass.runs_at(level)).map_or(String::new(), |level| format!("-O{level}"));
        let (from, to) = (format!("{:?}", pass.from).to_lowercase(), format!("{:?}", pass.to).to_lowercase());
        let (needs, keeps) = (list(pass.needs), list(pass.keeps));
        _ = writeln!(
            page,
            "| `{}` | {} | {from} | {to} | {least} | {needs} | {keeps} |",
            pass.name, pass.description
        );
    }
    page.push_str("\n## Switches\n\n`-fno-NAME` leaves these passes out, `-fNAME` takes that back; names are those of gcc and clang ");
    page.push_str("where they have one.\n\n| name | passes | what they do |\n| --- | --- | --- |\n");
    for row in opt::SWITCHES {
        let passes: Vec<String> = row.passes.iter().map(|pass| format!("`{pass}`")).collect();
        _ = writeln!(page, "| `{}` | {} | {} |", row.name, passes.join(", "), row.help);
    }
    page.push_str("\n## What their order obeys\n\n| first | then | since |\n| --- | --- | --- |\n");
    for row in pipeline::CONSTRAINTS {
        _ = writeln!(page, "| `{}` | `{}` | {} |", row.first, row.then, row.reason);
    }
    is_made("passes.md", &page);
}

#[test]
fn the_page_of_the_ir_lists_the_keywords() {
    let mut page = String::from(
        "## Keywords\n\nWhat says how something is meant, and what is done about it. A word that is not here is refused as unknown.\n",
    );
    // Rows with one note are one row, in the order of the first.
    let list = |page: &mut String, rows: Vec<(String, String)>| {
        _ = write!(page, "\n| words | |\n| --- | --- |\n");
        let mut notes: Vec<&str> = Vec::new();
        for (_, note) in &rows {
            if !notes.contains(&note.as_str()) {
                notes.push(note);
            }
        }
        for note in notes {
            let words: Vec<&str> =
                rows.iter().filter(|row| row.1 == note).map(|row| row.0.as_str()).collect();
            _ = writeln!(page, "| {} | {note} |", words.join(" "));
        }
    };
    let values = Places::PARAMETER.or(Places::RESULT);
    let heads = Places::HEAD.or(Places::TAIL);
    for (title, at, but) in [
        ("Attributes of parameters and results", values, Places::CALL),
        ("Attributes of functions and calls", Places::FUNCTION, values.or(heads)),
        ("Calls, and how functions are called", Places::CALL.or(Places::CONVENTION), values),
        ("Heads and ends of globals and functions", heads, values),
        ("Flags of operations", Places::flags(), values),
    ] {
        for (handling, what) in [
            (Handling::Honoured, "honoured"),
            (Handling::PassedOver, "passed over"),
            (Handling::Refused, "refused"),
        ] {
            let rows = KEYWORDS
                .iter()
                .filter(|row| row.handling == handling && row.at.meet(at) && !row.at.meet(but));
            let rows: Vec<(String, String)> =
                rows.map(|row| (format!("`{}`", row.word), row.note.to_string())).collect();
            if !rows.is_empty() {
                _ = write!(page, "\n**{title}, {what}**\n");
                list(&mut page, rows);
            }
        }
    }
    page.push_str("\n**String attributes that are refused**; all others are passed over\n");
    let texts = TEXTS.iter().map(|row| {
        let value = match row.when {
            When::Any => String::new(),
            When::Is(text) => format!("=\"{text}\""),
            When::Has(text) => format!(" with `{text}`"),
            When::IsNot(text) => format!(" but `{text}`"),
        };
        (format!("`\"{}\"`{value}", row.key), row.note.to_string())
    });
    list(&mut page, texts.collect());
    page.push_str("\n**Kinds of metadata of which something is known**; all others are passed over\n");
    let kinds = METADATA.iter().map(|row| {
        let what = match row.handling {
            Handling::Honoured => "honoured",
            Handling::PassedOver => "checked, and passed over",
            Handling::Refused => "refused",
        };
        (format!("`!{}`", row.name), format!("{what}: {}", row.note))
    });
    list(&mut page, kinds.collect());
    for row in KEYWORDS {
        assert!(page.contains(&format!("`{}`", row.word)), "{} is on no list", row.word);
    }
    is_made("ir.md", &page);
}

#[test]
fn the_language_page_names_every_function_of_the_library() {
    let text = fs::read_to_string(manifest().join("docs/language.md")).unwrap();
    // The two with a prefix are what macros of C call.
    for row in sysyc::sema::runtime::SYSY.functions.iter().filter(|row| !row.name.starts_with('_')) {
        assert!(text.contains(&format!("{}(", row.name)), "{}", row.name);
    }
}

#[test]
fn patterns_fit_what_they_stand_for() {
    for (pattern, text, is_fitting) in [
        ("a\n", "a\n", true),
        ("a\n", "b\n", false),
        ("...", "anything", true),
        ("a...z\n", "abcz\n", true),
        ("a...b...z", "a1b2z", true),
        ("a...b...z", "a1c2z", false),
        ("", "a", false),
    ] {
        assert_eq!(fits(pattern, text), is_fitting, "{pattern:?} {text:?}");
    }
}
