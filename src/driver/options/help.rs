//! The rows of options as text: the help and a page of the manual.

use super::read::WORDS;
use super::table::{Row, Section, Takes, rows};
use crate::backend::code;
use crate::base::spelling::nearest;
use crate::opt;
use crate::sema::warning::{GROUPS, Level};
use std::fmt::Write;

const EXAMPLES: [(&str, &str); 7] = [
    ("sysyc run x.sy", "execute a program, here and now"),
    ("sysyc -S -O2 -o x.s x.sy", "assembly for RISC-V 64"),
    ("sysyc -O2 x.sy -o x --target armv7", "a program for ARMv7"),
    ("sysyc -c -j8 huge.sy", "an object file, with eight workers"),
    ("sysyc check -Wall x.sy", "all errors and warnings"),
    ("sysyc --emit=ir -O2 x.sy", "what the optimiser makes of it"),
    ("sysyc explain uninitialized", "what a diagnostic means"),
];

/// The sections in their order, with their headings.
const SECTIONS: [(Section, &str); 8] = [
    (Section::Output, "What is made"),
    (Section::Optimisation, "How"),
    (Section::Machine, "For which machine"),
    (Section::Linking, "Linking"),
    (Section::Messages, "Messages"),
    (Section::Make, "For make"),
    (Section::Passes, "Looking at passes"),
    (Section::Other, "Other"),
];

const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "all is well"),
    ("1", "errors in the program, or files that cannot be read or written"),
    ("2", "wrong use"),
    ("70", "a bug of sysyc"),
    ("71", "not enough memory"),
    ("others", "with --run, the program's own; 134 if it did what it may not"),
];

/// Who is meant by a word that nothing knows, in brackets, or nothing.
pub fn near<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, words).map_or(String::new(), |near| format!(" (did you mean '{near}'?)"))
}

/// An option with what it takes.
fn spelled(row: &Row) -> String {
    let Row { name, value, .. } = row;
    match row.takes {
        Takes::Nothing => (*name).to_string(),
        Takes::Behind => format!("{name}{value}"),
        Takes::BehindOrNext | Takes::Next => format!("{name} {value}"),
        Takes::Equals | Takes::EqualsOrNext => format!("{name}={value}"),
    }
}

/// Rows of two columns.
fn table<'a>(text: &mut String, rows: impl Iterator<Item = (String, &'a str)>) {
    for (name, help) in rows {
        // What is too long for its column has a line of its own.
        let gap = if name.len() > 24 { format!("\n{:28}", "") } else { " ".repeat(26 - name.len()) };
        _ = writeln!(text, "  {name}{gap}{help}");
    }
}

/// What is on the page of `--help`.
pub fn text() -> String {
    let mut text = String::from(
        "sysyc compiles SysY for RISC-V 64, AArch64 and ARMv7\n\nUsage: sysyc [options] file...\n\n\
         Files are SysY sources, IR in text (.ll), and what is linked (.o, .a); - is the standard input.\n\
         @FILE stands for the words in a file.\n\nExamples:\n",
    );
    table(&mut text, EXAMPLES.iter().map(|&(line, help)| (line.to_string(), help)));
    text.push_str("\nWords in place of options:\n");
    table(&mut text, WORDS.iter().map(|&(word, _, help)| (format!("sysyc {word}"), help)));
    for (section, heading) in SECTIONS {
        _ = write!(text, "\n{heading}:\n");
        table(&mut text, rows_of(section).map(|row| (spelled(row), row.help)));
    }
    text.push_str("\nWarnings, -WGROUP and -Wno-GROUP:\n");
    table(&mut text, warnings());
    text.push_str("\nSwitches of passes, -fno-NAME and -fNAME:\n");
    table(&mut text, switches());
    text.push_str("\nPasses:\n");
    table(&mut text, passes());
    text.push_str("\nExit codes:\n");
    table(&mut text, EXIT_CODES.iter().map(|&(code, help)| (code.to_string(), help)));
    text
}

fn rows_of(section: Section) -> impl Iterator<Item = &'static Row> {
    rows().filter(move |row| row.section == section)
}

/// The groups of warnings; for those that are not on by themselves, what turns them on.
pub fn warnings() -> impl Iterator<Item = (String, &'static str)> {
    GROUPS.iter().map(|group| {
        let on = match group.level {
            Level::Default => "",
            Level::All => " (-Wall)",
            Level::Extra => " (-Wextra)",
            Level::Pedantic => " (-Wpedantic)",
            Level::Named => " (by name)",
        };
        (format!("{}{on}", group.name), group.description)
    })
}

/// The switches of passes, by their names in gcc and clang.
pub fn switches() -> impl Iterator<Item = (String, &'static str)> {
    opt::SWITCHES.iter().map(|row| (row.name.to_string(), row.help))
}

/// The passes of IR and of machine code.
pub fn passes() -> impl Iterator<Item = (String, &'static str)> {
    let machine = code::passes().map(|pass| (pass.name, pass.description));
    opt::passes().chain(machine).map(|(name, help)| (name.to_string(), help))
}

/// A list for `--print`.
pub fn lines<'a>(rows: impl Iterator<Item = (String, &'a str)>) -> String {
    let mut text = String::new();
    table(&mut text, rows);
    text
}

/// A text as troff prints it literally. A line that begins with `.` or `'` would be a request; `\&` in front, which
/// has no width, makes it text (groff(7), Control Characters).
fn escaped(text: &str) -> String {
    let mut out = String::new();
    if text.starts_with('.') {
        out.push_str("\\&");
    }
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '"' => out.push_str("\\(dq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            _ => out.push(c),
        }
    }
    out
}

/// The page of the manual, in the macros of `man`.
pub fn manual() -> String {
    let mut page = format!(
        ".TH SYSYC 1 \"\" \"sysyc {}\"\n.SH NAME\nsysyc \\- compiler for SysY\n.SH SYNOPSIS\n.B sysyc\n\
         .RI [ options ] \" file\" ...\n.SH DESCRIPTION\nCompiles SysY for RISC-V 64, AArch64 and ARMv7. Files are \
         SysY sources, IR in text (.ll), and what is linked (.o, .a); \\- is the standard input. @FILE stands for \
         the words in a file.\n.SH EXAMPLES\n",
        env!("CARGO_PKG_VERSION")
    );
    let mut item = |name: &str, help: &str| {
        _ = write!(page, ".TP\n.B {}\n{}\n", escaped(name), escaped(help));
    };
    EXAMPLES.iter().for_each(|(line, help)| item(line, help));
    WORDS.iter().for_each(|(word, _, help)| item(&format!("sysyc {word}"), help));
    let foreign = (Section::Foreign, "What users of other compilers say");
    for (section, heading) in SECTIONS.into_iter().chain([foreign]) {
        _ = writeln!(page, ".SH {}", heading.to_uppercase());
        for row in rows_of(section) {
            _ = write!(page, ".TP\n.B {}\n{}\n", escaped(&spelled(row)), escaped(row.help));
        }
    }
    let sections = [
        ("WARNINGS", warnings().collect::<Vec<_>>()),
        ("SWITCHES OF PASSES", switches().collect()),
        ("PASSES", passes().collect()),
    ];
    for (heading, rows) in sections {
        _ = writeln!(page, ".SH {heading}");
        for (name, help) in rows {
            _ = write!(page, ".TP\n.B {}\n{}\n", escaped(&name), escaped(help));
        }
    }
    page.push_str(".SH \"EXIT STATUS\"\n");
    for (code, help) in EXIT_CODES {
        _ = write!(page, ".TP\n.B {code}\n{}\n", escaped(help));
    }
    page
}
