//! Debug information in assembly text: the directives of lines, and sections as directives of data. What an
//! assembler makes of it is what `object/debug` puts into an object, but for the encoding of the line table.

use super::debug::{Debug, Function, LineRow};
use super::module::{Object, Reloc};
use crate::base::Handle;
use std::fmt::Write;

/// Stands in the text of a function where code comes from another place of the source than before.
pub const MARK: &str = "\t.loc\n";

/// Sections that the assembler makes itself, of `.loc` and `.cfi_` directives.
const LINES: &str = ".debug_line";
const FRAMES: &str = ".debug_frame";

/// Appends the names of the source: 0 is what the unit is about, 1 what lines are in, if that is all.
pub fn files(out: &mut String, debug: &Debug) {
    let (folder, file) = (quoted(&debug.folder), quoted(&debug.file));
    let _ = writeln!(out, "\t.file 0 {folder} {file}");
    if debug.more_files.is_empty() {
        let _ = writeln!(out, "\t.file 1 {folder} {file}");
    }
    for (number, (_, file)) in (1..).zip(debug.more_files.iter()) {
        let _ = writeln!(out, "\t.file {number} {folder} {}", quoted(file));
    }
}

/// What assemblers read as this text.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', byte as char]),
            b' '..=b'~' => quoted.push(byte as char),
            _ => _ = write!(quoted, "\\{byte:03o}"),
        }
    }
    quoted.push('"');
    quoted
}

/// Appends the text of a function with directives in place of the marks, the first row of the function behind
/// its label. Whether lines begin statements holds from one directive to the next: `was_statement`.
pub fn locate(
    out: &mut String,
    text: &str,
    (debug, function): (&Debug, Option<&Function>),
    was_statement: &mut bool,
) {
    let mut rows = function.map_or(&[][..], |function| &function.lines).iter().peekable();
    let mut pieces = text.split(MARK);
    let head = pieces.next().unwrap_or_default();
    match (head.split_once(BEGIN), rows.next_if(|row| row.place.is_none())) {
        (Some((before, behind)), Some(row)) => {
            out.extend([before, BEGIN]);
            directive(out, debug, row, was_statement);
            out.push_str(behind);
        }
        _ => out.push_str(head),
    }
    for (place, piece) in (0..).zip(pieces) {
        if let Some(row) = rows.next_if(|row| row.place == Some(place)) {
            directive(out, debug, row, was_statement);
        }
        out.push_str(piece);
    }
}

/// What stands behind the label of a function.
const BEGIN: &str = "\t.cfi_startproc\n";

fn directive(out: &mut String, debug: &Debug, row: &LineRow, was_statement: &mut bool) {
    let (file, line) = debug.line_of(row.line);
    let file = if debug.more_files.is_empty() { 1 } else { file };
    let _ = write!(out, "\t.loc {file} {line} {}", row.column);
    if row.prologue_end {
        out.push_str(" prologue_end");
    }
    if row.is_statement != *was_statement {
        let _ = write!(out, " is_stmt {}", u8::from(row.is_statement));
        *was_statement = row.is_statement;
    }
    out.push('\n');
}

/// Appends the sections of debug information of an object, whose code and data are those of the text.
pub fn sections(out: &mut String, object: &Object) {
    for (section, row) in object.sections.iter().filter(|(_, row)| row.name.starts_with(".debug_")) {
        if row.name == FRAMES {
            continue;
        }
        let _ = writeln!(out, "\t.section {},\"\",%progbits\n.L{}:", row.name, section.index());
        if row.name == LINES {
            continue;
        }
        let mut at = 0;
        for reloc in &row.relocs {
            let size = if reloc.kind == object.machine.absolute[1] { 8 } else { 4 };
            bytes(out, &row.data[at..reloc.offset as usize]);
            relocated(out, object, reloc, size);
            at = reloc.offset as usize + size;
        }
        bytes(out, &row.data[at..]);
    }
}

/// An address: of other such sections by a label, of code and data by the section's name.
fn relocated(out: &mut String, object: &Object, reloc: &Reloc, size: usize) {
    let section = super::module::Section::new(reloc.symbol.index());
    let name = &object.sections[section].name;
    let _ = match name.starts_with(".debug_") {
        true => write!(out, "\t.{size}byte .L{}", section.index()),
        false => write!(out, "\t.{size}byte {name}"),
    };
    let _ = if reloc.addend == 0 { writeln!(out) } else { writeln!(out, "{:+}", reloc.addend) };
}

/// Bytes, sixteen a line.
fn bytes(out: &mut String, bytes: &[u8]) {
    for line in bytes.chunks(16) {
        out.push_str("\t.byte ");
        for (k, byte) in line.iter().enumerate() {
            let _ = write!(out, "{}{byte}", if k == 0 { "" } else { "," });
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Column;

    #[test]
    fn marks_become_directives_of_the_rows_that_are_told() {
        let row = |place, line, is_statement, prologue_end| LineRow {
            offset: 0,
            place,
            line,
            column: 2,
            is_statement,
            prologue_end,
        };
        let lines = vec![
            row(None, 1, true, false),
            row(Some(0), 2, true, true),
            row(Some(2), 3, false, false),
            row(Some(3), 4, true, false),
        ];
        let (name, scopes, variables) = ("f", Vec::new(), Vec::new());
        let (number, line, result, global) = (0, 1, None, false);
        let (is_inlined, calls) = (false, Vec::new());
        let function = Function {
            number,
            is_inlined,
            name: name.into(),
            line,
            result,
            global,
            lines,
            scopes,
            variables,
            calls,
        };
        let debug = Debug {
            producer: "",
            file: "x.sy".into(),
            folder: "/".into(),
            more_files: Vec::new().into(),
            types: Column::new(),
            functions: Vec::new(),
            globals: Vec::new(),
        };
        let text = format!("f:\n{BEGIN}{MARK}\ta\n{MARK}\tb\n{MARK}\tc\n{MARK}\td\n");
        let mut out = String::new();
        locate(&mut out, &text, (&debug, Some(&function)), &mut true);
        assert_eq!(
            out,
            "f:\n\t.cfi_startproc\n\t.loc 1 1 2\n\t.loc 1 2 2 prologue_end\n\ta\n\tb\n\
             \t.loc 1 3 2 is_stmt 0\n\tc\n\t.loc 1 4 2 is_stmt 1\n\td\n"
        );
        out.clear();
        locate(&mut out, &text, (&debug, None), &mut true);
        assert_eq!(out, format!("f:\n{BEGIN}\ta\n\tb\n\tc\n\td\n"));
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a \"b\\é"), "\"a \\\"b\\\\\\303\\251\"");
    }
}
