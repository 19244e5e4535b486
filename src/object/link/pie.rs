//! Programs that are loaded anywhere: linked as if they started at address 0, with a list of the places that hold addresses
//! (`R_*_RELATIVE`), to each of which something adds where the program is.
//!
//! With a C library that is its own start code, which finds the list by `_DYNAMIC` (`rcrt1.o`); where nothing asks for that, it
//! is code of the linker's at the entry, which goes to the entry that was asked for. There are no shared libraries in the
//! program, so no symbols, no hash and no interpreter. Addresses in what is not written to, or in instructions, cannot be put
//! in (`DT_TEXTREL` is not made), and are errors. O(relocations).

use super::apply::Values;
use super::demand::{Demand, Entry, own_section};
use super::resolve::Edge;
use super::*;
use crate::object::format::{relocation_size, symbol_size, word_size};
use crate::object::module::*;
use crate::object::reloc::{How, Row, What};

/// What a program of this kind has besides.
#[derive(Default)]
pub(super) struct Pie {
    /// Places that hold addresses.
    pub(super) places: u64,
    /// The list of them, the dynamic section, and what that tells of symbols, which are none.
    pub(super) list: Opt<Piece>,
    dynamic: Opt<Piece>,
    symbols: Opt<Piece>,
    strings: Opt<Piece>,
    /// The code that puts addresses in, if the program does not do it itself.
    pub(super) start: Opt<Piece>,
}

/// What a relocation computes that is known only when the program is loaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Late {
    /// Nothing.
    No,
    /// A word, which something puts in.
    Word,
    /// A part of an address.
    Part,
}

/// By `Late`: where an address stands that cannot be put in when the program is loaded. The first is never read.
const WHERE: [&str; 3] = ["", "in what is not written to", "in code for a fixed address"];

/// True if a symbol's address is where the program is and so much more.
fn moves(p: &Program<'_>, sym: Sym) -> bool {
    let first_own = p.files[p.own()].first_sym;
    p.symbols.piece[sym].is_some() || p.symbols.definition[sym] >= first_own
}

/// See `Late`.
pub(super) fn late(p: &Program<'_>, kind: &Row, sym: Sym) -> Late {
    if kind.what != What::Symbol || kind.how != How::Plain || !moves(p, sym) {
        return Late::No;
    }
    match kind.number {
        number if p.machine.whole.contains(&number) => Late::Word,
        number if (p.machine.stays)(number) => Late::No,
        _ => Late::Part,
    }
}

/// What is wrong with a relocation that would have to be done when the program is loaded.
pub(super) fn complaint(
    p: &Program<'_>,
    piece: Piece,
    reloc: &Reloc,
    (kind, late): (&Row, Late),
    sym: Sym,
) -> LinkError {
    let (row, name) = (p.row(piece), p.name_of(sym));
    let message = format!(
        "section {}: {} at {:#x} wants the address of '{name}' {}: compile with -fPIE",
        row.name, kind.name, reloc.offset, WHERE[late as usize]
    );
    p.error(p.file_of[piece], message)
}

/// Counts the entries of the table of addresses among the places, and makes the sections.
pub(super) fn make_sections(p: &mut Program<'_>, demand: &mut Demand) -> Result<(), Vec<LinkError>> {
    let is_place = |&&(sym, _, entry, _): &&(Sym, i64, Entry, u64)| entry == Entry::Address && moves(p, sym);
    demand.pie.places += demand.got.iter().filter(is_place).count() as u64;
    let relocates_itself = p.edges.iter().any(|(_, edge)| *edge == Edge::Dynamic);
    if !demand.indirect.is_empty() && !relocates_itself {
        let name = p.name_of(demand.indirect[0]);
        let message = format!("the indirect function '{name}' wants a C library that relocates itself");
        return Err(vec![LinkError { file: String::new(), message }]);
    }
    let (is_64, word) = (p.machine.is_64, word_size(p.machine.is_64));
    let (entry, rows) = (relocation_size(is_64), demand.pie.places + demand.indirect.len() as u64);
    let mut list = own_section(if is_64 { ".rela.dyn" } else { ".rel.dyn" }, 0, word, rows * entry);
    list.entry_size = entry;
    demand.pie.list = Opt::some(p.add_section(list));
    demand.pie.symbols = Opt::some(p.add_section(own_section(".dynsym", 0, word, symbol_size(is_64))));
    demand.pie.strings = Opt::some(p.add_section(own_section(".dynstr", 0, 1, 1)));
    let dynamic = own_section(".dynamic", SHF_WRITE, word, 2 * word * TAGS);
    demand.pie.dynamic = Opt::some(p.add_section(dynamic));
    if !relocates_itself {
        let bytes = 4 * p.machine.start.words.len() as u64;
        demand.pie.start = Opt::some(p.add_section(own_section(".text.relocate", SHF_EXECINSTR, 4, bytes)));
    }
    Ok(())
}

/// Entries of the dynamic section.
const TAGS: u64 = 9;

/// Fills the sections in, when all addresses are known.
pub(super) fn fill(values: &Values<'_, '_>) -> Vec<(Piece, Vec<u8>)> {
    let Values { p, demand, layout } = *values;
    let (Some(list), Some(dynamic), Some(symbols), Some(strings)) =
        (demand.pie.list.get(), demand.pie.dynamic.get(), demand.pie.symbols.get(), demand.pie.strings.get())
    else {
        return Vec::new();
    };
    let (is_64, word) = (p.machine.is_64, word_size(p.machine.is_64) as usize);
    let mut rows = Vec::new();
    let mut row = |place: u64, kind: u32, addend: i64| {
        rows.extend_from_slice(&place.to_le_bytes()[..word]);
        rows.extend_from_slice(&u64::from(kind).to_le_bytes()[..word]);
        if is_64 {
            rows.extend_from_slice(&addend.to_le_bytes());
        }
    };
    for piece in p.live.iter().filter(|&piece| p.row(piece).flags & SHF_ALLOC != 0) {
        for reloc in &p.row(piece).relocs {
            let sym = p.sym(p.file_of[piece], reloc.symbol);
            let Some(kind) = demand.rows.get(reloc.kind).filter(|kind| late(p, kind, sym) == Late::Word)
            else {
                continue;
            };
            let value = values.value(piece, sym, reloc, kind).unwrap_or(0);
            row(layout.address[piece] + u64::from(reloc.offset), p.machine.rebased, value);
        }
    }
    for &(sym, addend, entry, at) in &demand.got {
        if entry == Entry::Address && moves(p, sym) {
            row(layout.got + at, p.machine.rebased, (p.symbols.address[sym] as i64).wrapping_add(addend));
        }
    }
    for (&sym, &resolver) in demand.indirect.iter().zip(&layout.resolvers) {
        let entry = layout.got + demand.slot(sym, 0, Entry::Indirect).unwrap_or(0);
        row(entry, p.machine.indirect, resolver as i64);
    }
    let (at, size) = (layout.address[list], p.row(list).size);
    let (kinds, flags_1) = (if is_64 { [7, 8, 9] } else { [17, 18, 19] }, 0x6fff_fffb);
    let tags: [(u64, u64); TAGS as usize] = [
        (5, layout.address[strings]),
        (6, layout.address[symbols]),
        (10, 1),
        (11, symbol_size(is_64)),
        (kinds[0], at),
        (kinds[1], size),
        (kinds[2], relocation_size(is_64)),
        // DF_1_PIE.
        (flags_1, 0x0800_0000),
        (0, 0),
    ];
    let tags = tags.iter().flat_map(|&(tag, value)| [tag, value]);
    let tags: Vec<u8> = tags.flat_map(|number| number.to_le_bytes().into_iter().take(word)).collect();
    let mut filled = vec![(list, rows), (dynamic, tags)];
    if let Some(piece) = demand.pie.start.get() {
        let start = p.machine.start;
        let mut bytes: Vec<u8> = start.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let goals = [at, at + size, 0, p.symbols.address[p.entry]];
        for &(number, offset, goal) in start.puts {
            let Some(kind) = demand.rows.get(number) else { continue };
            let place = (layout.address[piece] + offset as u64) as i64;
            let value = (goals[goal as usize] as i64).wrapping_add((kind.get)(&bytes[offset..]));
            let value = match kind.how {
                How::FromPlace => value.wrapping_sub(place),
                How::Pages => (value & !0xfff).wrapping_sub(place & !0xfff),
                _ => value,
            };
            (kind.put)(&mut bytes[offset..], value);
        }
        filled.push((piece, bytes));
    }
    filled
}
