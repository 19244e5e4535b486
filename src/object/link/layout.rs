//! Where everything is: offsets in the file, addresses, segments.
//!
//! ```text
//!   file:    | headers | for reading | for running | for changing | not loaded | symbols | section headers |
//!   memory:  | headers, for reading |...| for running |...| thread-local, for changing, zeros |
//! ```
//!
//! The file has no holes: a segment starts at the same distance from a page border in memory as in the file,
//! so a page at a border is mapped twice, with different rights. O(pieces), times the rounds that veneers
//! take (mostly one).

use super::demand::Demand;
use super::frames::Frames;
use super::resolve::Edge;
use super::sections::{self, CHANGE, OutRow, RUN, SHARED, UNLOADED};
use super::veneer::Veneers;
use super::*;
use crate::object::format::{header_size, segment_size};
use crate::object::module::*;

/// The largest program, in bytes of the file.
const MOST_FILE: u64 = 1 << 32;

/// The most zeros that stand in the file, in between what others have bytes for.
const MOST_FILLED: u64 = 1 << 28;

/// The most output sections: ELF's numbers are 16 bits, with some at the end reserved.
const MOST_SECTIONS: usize = 0xfe00;

/// A part of the file that is mapped.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Segment {
    /// `PT_*`.
    pub(super) kind: u32,
    /// `PF_*`.
    pub(super) flags: u32,
    pub(super) offset: u64,
    pub(super) address: u64,
    pub(super) file_size: u64,
    pub(super) size: u64,
    pub(super) align: u64,
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_NOTE: u32 = 4;
const PT_TLS: u32 = 7;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PT_GNU_STACK: u32 = 0x6474_e551;
const PT_ARM_EXIDX: u32 = 0x7000_0001;
/// Readable, and with these also writable or executable.
const PF_R: u32 = 4;
const PF_W: u32 = 2;
const PF_X: u32 = 1;

/// The program's shape.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) outs: Column<Out, OutRow>,
    pub(super) segments: Vec<Segment>,
    /// Per piece.
    pub(super) address: Column<Piece, u64>,
    /// The end of what is mapped or carried along; symbols follow.
    pub(super) end: u64,
    /// Where thread-local memory starts, and what its symbols' addresses are counted from.
    pub(super) tls_start: u64,
    pub(super) tp: u64,
    /// The start of the GOT.
    pub(super) got: u64,
    /// Per symbol of `Demand::indirect`: the address of the function that finds the address.
    pub(super) resolvers: Vec<u64>,
    pub(super) veneers: Veneers,
    pub(super) index: Vec<index::Entry>,
    pub(super) frames: Frames,
}

/// Finds a place for everything, and every symbol's address.
pub(super) fn place(p: &mut Program<'_>, demand: &Demand) -> Result<Layout, Vec<LinkError>> {
    let frames = frames::collect(p);
    let mut outs = sections::collect(p);
    if outs.len() > MOST_SECTIONS {
        return Err(too_large(&format!("{} kinds of sections", outs.len())));
    }
    let index = index::order(p, &mut outs);
    let veneers = Veneers::prepare(p, &mut outs);
    let mut layout = Layout { outs, index, frames, veneers, ..Layout::default() };
    let values = std::mem::take(&mut p.symbols.address);
    loop {
        assign(p, &mut layout)?;
        p.symbols.address = addresses(p, &layout, &values);
        indirect(p, demand, &mut layout);
        if !veneer::extend(p, demand, &mut layout) {
            break;
        }
    }
    edges(p, &layout);
    veneer::fill(p, demand, &layout);
    index::fill(p, &layout);
    if !frames::fill(p, &layout) {
        return Err(too_large(frames::INDEX));
    }
    if let Some(stubs) = demand.stub_piece.get().filter(|_| !p.machine.code_mark.is_empty()) {
        p.add_symbol(stubs, p.machine.code_mark, layout.address[stubs], 0, 0);
    }
    Ok(layout)
}

fn too_large(what: &str) -> Vec<LinkError> {
    vec![LinkError { file: String::new(), message: format!("the program is too large: {what}") }]
}

fn align_up(value: u64, align: u64) -> Option<u64> {
    Some(value.checked_add(align - 1)? & !(align - 1))
}

/// Addresses and offsets of output sections and pieces.
fn assign(p: &Program<'_>, layout: &mut Layout) -> Result<(), Vec<LinkError>> {
    let machine = p.machine;
    let (header, entry) = (header_size(machine.is_64), segment_size(machine.is_64));
    let (mut offset, mut address) = (header + entry * segment_count(layout), p.base);
    address += offset;
    let limit = if machine.is_64 { 1 << 38 } else { 0xffff_0000 };
    layout.address.reset(p.pieces(), 0);
    let (mut part, mut filled) = (0, 0);
    for out in layout.outs.as_mut_slice() {
        let now = part_of(out.rank);
        if now != part && now < 3 {
            address = align_up(address, machine.page).ok_or_else(|| too_large("addresses"))?
                + offset % machine.page;
            part = now;
        }
        let loaded = out.rank < UNLOADED;
        let mut at = if loaded { address } else { offset };
        at = align_up(at, out.align).ok_or_else(|| too_large("addresses"))?;
        let start = at;
        for &piece in &out.pieces {
            let row = p.row(piece);
            at = align_up(at, row.align).ok_or_else(|| too_large(&row.name))?;
            layout.address[piece] = if loaded { at } else { at - start };
            at = at.checked_add(row.size).filter(|&at| at <= limit).ok_or_else(|| too_large(&row.name))?;
            filled += if out.kind == SectionKind::Zeros {
                0
            } else {
                row.size.saturating_sub(row.data.len() as u64)
            };
        }
        (out.size, out.address) = (at - start, if loaded { start } else { 0 });
        let (is_zeros, is_tls) = (out.kind == SectionKind::Zeros, out.flags & SHF_TLS != 0);
        if !loaded {
            (out.offset, offset) = (start, at);
        } else if !is_zeros {
            out.offset = offset + (start - address);
            (offset, address) = (out.offset + out.size, at);
        } else if is_tls {
            // Zeros in the memory of each thread, not here.
            out.offset = offset + (start - address);
            (offset, address) = (out.offset, start);
        } else {
            (out.offset, address) = (offset, at);
        }
        if offset > MOST_FILE || filled > MOST_FILLED {
            return Err(too_large(&out.name));
        }
    }
    layout.end = offset;
    segments(p, layout, header + entry * segment_count(layout));
    Ok(())
}

fn part_of(rank: u32) -> u32 {
    match rank {
        rank if rank < RUN => 0,
        rank if rank < CHANGE => 1,
        rank if rank < UNLOADED => 2,
        _ => 3,
    }
}

/// One per kind of rights, and those for the stack, thread-local memory, notes and unwinders' index.
fn segment_count(layout: &Layout) -> u64 {
    let has = |test: &dyn Fn(&OutRow) -> bool| u64::from(layout.outs.as_slice().iter().any(test));
    2 + has(&|out| part_of(out.rank) == 1)
        + has(&|out| part_of(out.rank) == 2)
        + has(&is_tls)
        + has(&is_note)
        + has(&is_dynamic)
        + has(&is_index)
        + has(&is_frames)
}

fn is_tls(out: &OutRow) -> bool {
    (CHANGE..SHARED).contains(&out.rank)
}

fn is_note(out: &OutRow) -> bool {
    out.rank == 0 && out.kind == SectionKind::Note
}

fn is_dynamic(out: &OutRow) -> bool {
    out.rank < UNLOADED && out.name == ".dynamic"
}

fn is_index(out: &OutRow) -> bool {
    out.rank < UNLOADED && out.name == index::INDEX
}

fn is_frames(out: &OutRow) -> bool {
    out.rank < UNLOADED && out.name == frames::INDEX
}

fn segments(p: &Program<'_>, layout: &mut Layout, headers: u64) {
    let base = p.base;
    let cover = |kind: u32, flags: u32, align: u64, test: &dyn Fn(&OutRow) -> bool| {
        let mut segment = Segment { kind, flags, align, ..Segment::default() };
        for out in layout.outs.as_slice().iter().filter(|out| test(out)) {
            if segment.size == 0 && segment.offset == 0 {
                (segment.offset, segment.address) = (out.offset, out.address);
            }
            let is_tls_zeros = out.flags & SHF_TLS != 0 && out.kind == SectionKind::Zeros;
            if !is_tls_zeros || kind == PT_TLS {
                segment.size = out.address + out.size - segment.address;
            }
            if out.kind != SectionKind::Zeros {
                segment.file_size = segment.size;
            }
            segment.align = segment.align.max(if kind == PT_LOAD { 1 } else { out.align });
        }
        segment
    };
    let page = p.machine.page;
    let mut first = cover(PT_LOAD, PF_R, page, &|out| part_of(out.rank) == 0);
    let end = if first.offset == 0 { base + headers } else { first.address + first.size };
    (first.offset, first.address, first.size, first.file_size) = (0, base, end - base, end - base);
    let run = cover(PT_LOAD, PF_R | PF_X, page, &|out| part_of(out.rank) == 1);
    let is_both = |out: &OutRow| part_of(out.rank) == 2 && out.flags & SHF_EXECINSTR != 0;
    let runs = if layout.outs.as_slice().iter().any(is_both) { PF_X } else { 0 };
    let change = cover(PT_LOAD, PF_R | PF_W | runs, page, &|out| part_of(out.rank) == 2);
    let tls = cover(PT_TLS, PF_R, 1, &is_tls);
    let note = cover(PT_NOTE, PF_R, 1, &is_note);
    let dynamic = cover(PT_DYNAMIC, PF_R | PF_W, 1, &is_dynamic);
    let index = cover(PT_ARM_EXIDX, PF_R, 1, &is_index);
    let frames = cover(PT_GNU_EH_FRAME, PF_R, 1, &is_frames);
    let stack = Segment { kind: PT_GNU_STACK, flags: PF_R | PF_W, align: 16, ..Segment::default() };
    let rest =
        [run, change, dynamic, tls, note, index, frames].into_iter().filter(|segment| segment.offset != 0);
    let tls = (tls.offset != 0).then_some(tls);
    layout.segments = [first].into_iter().chain(rest).chain([stack]).collect();
    layout.tls_start = tls.map_or(0, |tls| tls.address);
    // The thread pointer stands in front of the block, behind it a header of the thread library's.
    let header = p.machine.tls_header;
    let align = tls.map_or(1, |tls| tls.align.max(1));
    let header = if header == 0 { 0 } else { align.max(header) };
    layout.tp = layout.tls_start.wrapping_sub(header);
    let got = layout.outs.as_slice().iter().find(|out| out.name == ".got");
    layout.got = got.map_or(0, |out| out.address);
}

/// Every symbol's address, from what it was in its object.
fn addresses(p: &Program<'_>, layout: &Layout, values: &Column<Sym, u64>) -> Column<Sym, u64> {
    let address = |(sym, &value): (Sym, &u64)| match p.symbols.piece[sym].get() {
        Some(piece) if p.live.contains(piece) => layout.address[piece].wrapping_add(value),
        Some(_) => 0,
        None if p.symbols.flags[sym] & (flag::UNDEFINED | flag::DROPPED) != 0 => 0,
        None => value,
    };
    Column::from(values.iter().map(address).collect::<Vec<u64>>())
}

/// Indirect functions are known by their stubs.
fn indirect(p: &mut Program<'_>, demand: &Demand, layout: &mut Layout) {
    layout.resolvers = demand.indirect.iter().map(|&sym| p.symbols.address[sym]).collect();
    let Some(stubs) = demand.stub_piece.get() else { return };
    for sym in p.symbols.flags.keys() {
        if p.symbols.flags[sym] & flag::IFUNC != 0
            && let Some(offset) = demand.stub(p, p.symbols.definition[sym])
        {
            p.symbols.address[sym] = layout.address[stubs] + offset;
        }
    }
}

/// The linker's own symbols, and those that refer to them.
fn edges(p: &mut Program<'_>, layout: &Layout) {
    let outs = layout.outs.as_slice();
    let end_of = |test: &dyn Fn(&OutRow) -> bool| {
        let found = outs.iter().rev().find(|out| test(out));
        found.map_or(p.base, |out| out.address + out.size)
    };
    let data_end = end_of(&|out| {
        out.rank < UNLOADED
            && out.kind != SectionKind::Zeros
            && out.flags & SHF_WRITE != 0
            && out.flags & SHF_TLS == 0
    });
    let last =
        end_of(&|out| out.rank < UNLOADED && !(out.kind == SectionKind::Zeros && out.flags & SHF_TLS != 0));
    let named = |name: &str| outs.iter().find(|out| out.rank < UNLOADED && out.name == name);
    let value = |edge: &Edge| match edge {
        Edge::Start(name) if name == ".bss" => named(name).map_or(last, |out| out.address),
        Edge::Start(name) => named(name).map_or(p.base, |out| out.address),
        Edge::End(name) => named(name).map_or(p.base, |out| out.address + out.size),
        Edge::Base => p.base,
        Edge::Text => end_of(&|out| part_of(out.rank) == 1),
        Edge::Data => data_end,
        Edge::Last => last,
        Edge::GlobalPointer => named(".sdata").or(named(".data")).map_or(last, |out| out.address) + 0x800,
        Edge::Dynamic => named(".dynamic").map_or(0, |out| out.address),
        Edge::Zero => 0,
    };
    let values: Vec<(Sym, u64)> = p.edges.iter().map(|(sym, edge)| (*sym, value(edge))).collect();
    let Some(&(first, _)) = values.first() else { return };
    for (sym, value) in &values {
        p.symbols.address[*sym] = *value;
    }
    for sym in p.symbols.definition.keys() {
        let definition = p.symbols.definition[sym];
        if definition >= first {
            p.symbols.address[sym] = p.symbols.address[definition];
        }
    }
}
