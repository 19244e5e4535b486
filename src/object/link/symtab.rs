//! The program's symbol table: what debuggers and disassemblers read. O(symbols).
//!
//! Left out: symbols of sections, of what is not in the program, labels of the compiler's own (`.L`), and
//! names that are only referred to.

use super::layout::Layout;
use super::*;
use crate::object::format::{Entry, SHN_ABS, add_name, symbol, symbol_info, symbol_size};
use crate::object::module::*;

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
    let mut out_of: Column<Piece, u16> = Column::filled(p.pieces(), SHN_ABS);
    for (out, row) in layout.outs.iter() {
        row.pieces.iter().for_each(|&piece| out_of[piece] = number[out]);
    }
    let mut table = Table { symbols: Vec::new(), names: vec![0], locals: 0 };
    let is_64 = p.machine.is_64;
    symbol(&mut table.symbols, is_64, &Entry::default());
    let mut marks: Vec<(String, u32)> = Vec::new();
    for globals in [false, true] {
        for (file, row) in p.files.iter() {
            let object = &row.object;
            for (number, entry) in object.symbols.iter() {
                if (entry.binding != Binding::Local) != globals {
                    continue;
                }
                let (sym, name) = (p.sym(file, number), object.name(number));
                let section = match p.symbols.piece[sym].get() {
                    Some(piece) if p.live.contains(piece) => out_of[piece],
                    None if entry.place == Place::Absolute => SHN_ABS,
                    _ => continue,
                };
                let is_unwanted = name.is_empty() || name.starts_with(".L") || entry.kind == STT_SECTION;
                if is_unwanted || p.symbols.definition[sym] != sym {
                    continue;
                }
                let name = if name.starts_with('$') && marks.len() < MOST_MARKS {
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
                let mut value = p.symbols.address[sym];
                if entry.kind == STT_TLS {
                    value = value.wrapping_sub(layout.tls_start);
                }
                // The stub, which all callers go to, is an ordinary function.
                let kind = if entry.kind == STT_GNU_IFUNC { STT_FUNC } else { entry.kind };
                let (info, visibility) = (symbol_info(entry.binding, kind), entry.visibility);
                let row = Entry { name, info, visibility, section, value, size: entry.size };
                symbol(&mut table.symbols, is_64, &row);
            }
        }
        if !globals {
            table.locals = (table.symbols.len() as u64 / symbol_size(is_64)) as u32;
        }
    }
    table
}
