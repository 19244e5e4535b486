//! The program's symbol table: what debuggers and disassemblers read. O(symbols).
//!
//! Left out: symbols of sections, of what is not in the program, labels of the compiler's own (`.L`), and names that are
//! only referred to.

use super::layout::Layout;
use super::*;
use crate::object::module::*;

/// `SHN_ABS`.
const ABSOLUTE: u16 = 0xfff1;

/// How many marks of code and data have their names once in the table; the machines have three.
const MOST_MARKS: usize = 16;

/// The table's bytes.
pub(super) struct Table {
    pub(super) symbols: Vec<u8>,
    pub(super) names: Vec<u8>,
    /// Number of symbols that only their object sees, the null symbol included; these come first.
    pub(super) locals: u32,
}

/// Makes the table. `number` is each output section's number in the program.
pub(super) fn table(p: &Program<'_>, layout: &Layout, number: &Column<Out, u16>) -> Table {
    let mut out_of: Column<Piece, u16> = Column::filled(p.pieces(), ABSOLUTE);
    for (out, row) in layout.outs.iter() {
        row.pieces.iter().for_each(|&piece| out_of[piece] = number[out]);
    }
    let mut table = Table { symbols: Vec::new(), names: vec![0], locals: 0 };
    push(&mut table, p.machine.is_64, (0, 0, 0), (0, 0, 0));
    let mut marks: Vec<(String, u32)> = Vec::new();
    for globals in [false, true] {
        for (file, row) in p.files.iter() {
            let object = &row.object;
            for (symbol, entry) in object.symbols.iter() {
                if (entry.binding != Binding::Local) != globals {
                    continue;
                }
                let (sym, name) = (p.sym(file, symbol), object.name(symbol));
                let out = match p.symbols.piece[sym].get() {
                    Some(piece) if p.live.contains(piece) => out_of[piece],
                    None if entry.place == Place::Absolute => ABSOLUTE,
                    _ => continue,
                };
                let is_unwanted = name.is_empty() || name.starts_with(".L") || entry.kind == STT_SECTION;
                if is_unwanted || p.symbols.definition[sym] != sym {
                    continue;
                }
                let place = if name.starts_with('$') && marks.len() < MOST_MARKS {
                    // There are thousands of the same few marks.
                    match marks.iter().find(|(mark, _)| mark == name) {
                        Some(&(_, place)) => place,
                        None => {
                            let place = add_name(&mut table.names, name);
                            marks.push((name.to_string(), place));
                            place
                        }
                    }
                } else {
                    add_name(&mut table.names, name)
                };
                let mut address = p.symbols.address[sym];
                if entry.kind == STT_TLS {
                    address = address.wrapping_sub(layout.tls_start);
                }
                let binding = match entry.binding {
                    Binding::Local => 0,
                    Binding::Global => 1,
                    Binding::Weak => 2,
                };
                // The stub, which is where everybody goes, is an ordinary function.
                let kind = if entry.kind == STT_GNU_IFUNC { STT_FUNC } else { entry.kind };
                let info = binding << 4 | kind & 0xf;
                push(
                    &mut table,
                    p.machine.is_64,
                    (place, address, entry.size),
                    (info, entry.visibility, out),
                );
            }
        }
        if !globals {
            table.locals = (table.symbols.len() / if p.machine.is_64 { 24 } else { 16 }) as u32;
        }
    }
    table
}

fn add_name(names: &mut Vec<u8>, name: &str) -> u32 {
    let place = names.len() as u32;
    names.extend_from_slice(name.as_bytes());
    names.push(0);
    place
}

fn push(
    table: &mut Table,
    is_64: bool,
    (name, value, size): (u32, u64, u64),
    (info, other, section): (u8, u8, u16),
) {
    let out = &mut table.symbols;
    out.extend_from_slice(&name.to_le_bytes());
    if !is_64 {
        out.extend_from_slice(&(value as u32).to_le_bytes());
        out.extend_from_slice(&(size as u32).to_le_bytes());
    }
    out.extend_from_slice(&[info, other]);
    out.extend_from_slice(&section.to_le_bytes());
    if is_64 {
        out.extend_from_slice(&value.to_le_bytes());
        out.extend_from_slice(&size.to_le_bytes());
    }
}
