//! The program's bytes: headers, contents with relocations applied, symbols, section headers. O(bytes).

use super::apply::{MOST_ERRORS, Values};
use super::demand::Demand;
use super::layout::Layout;
use super::sections::OutRow;
use super::*;
use crate::base::parallel::Workers;
use crate::object::format::*;
use crate::object::module::*;
use std::ops::Range;

const SHF_STRINGS: u64 = 0x30;

/// Writes the program.
pub(super) fn write(
    p: &mut Program<'_>,
    demand: &Demand,
    layout: &Layout,
    workers: Option<&Workers>,
) -> Result<Vec<u8>, Vec<LinkError>> {
    let values = Values { p, demand, layout };
    let (table, (stubs, relocs)) = (values.table(), values.stubs());
    for (piece, data) in [(demand.got_piece, table), (demand.stub_piece, stubs), (demand.reloc_piece, relocs)]
    {
        if let Some(piece) = piece.get() {
            p.own_row(piece).data = data.into();
        }
    }
    for (piece, data) in pie::fill(&Values { p, demand, layout }) {
        p.own_row(piece).data = data.into();
    }
    let mut bytes = vec![0; layout.end as usize];
    let values = Values { p, demand, layout };
    let mut jobs = jobs(&values, &mut bytes);
    let done: Vec<Vec<LinkError>> = match workers {
        Some(workers) => workers.map(&mut jobs, || (), |_, _, job| job.run(&values)),
        None => jobs.iter_mut().map(|job| job.run(&values)).collect(),
    };
    let errors: Vec<LinkError> = done.into_iter().flatten().take(MOST_ERRORS).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let end = tail(p, layout, &mut bytes);
    let entry = demand.pie.start.get().map_or(p.symbols.address[p.entry], |start| layout.address[start]);
    let head = head(p, (layout, entry), &end);
    bytes[..head.len()].copy_from_slice(&head);
    Ok(bytes)
}

/// Bytes that a worker takes at a time.
const JOB: usize = 1 << 16;

/// A piece, or a part of a large one, and where it goes.
struct Part {
    piece: Piece,
    /// Where in the file.
    at: u64,
    /// Which of its bytes.
    bytes: Range<usize>,
    /// Which of its relocations: all that are in these bytes.
    relocs: Range<usize>,
}

/// A stretch of the program's bytes, and what goes there.
struct Job<'b> {
    bytes: &'b mut [u8],
    /// Where in the file it starts.
    start: u64,
    parts: Vec<Part>,
}

impl Job<'_> {
    fn run(&mut self, values: &Values<'_, '_>) -> Vec<LinkError> {
        let mut errors = Vec::new();
        for part in &self.parts {
            let row = values.p.row(part.piece);
            let place = &mut self.bytes[(part.at - self.start) as usize..][..part.bytes.len()];
            place.copy_from_slice(&row.data[part.bytes.clone()]);
            let relocs = &row.relocs[part.relocs.clone()];
            values.apply(part.piece, relocs, part.bytes.start, place, &mut errors);
        }
        errors
    }
}

/// Divides the file among jobs. Pieces stand in the file in the order of the output sections and their
/// pieces.
fn jobs<'b>(values: &Values<'_, '_>, bytes: &'b mut [u8]) -> Vec<Job<'b>> {
    let (mut jobs, mut parts) = (Vec::new(), Vec::new());
    let (mut rest, mut start, mut waiting) = (bytes, 0, 0);
    let mut push = |part: Part, is_last: bool| {
        let end = part.at + part.bytes.len() as u64;
        waiting += part.bytes.len();
        parts.push(part);
        if waiting >= JOB || is_last {
            let (bytes, after) = std::mem::take(&mut rest).split_at_mut((end - start) as usize);
            jobs.push(Job { bytes, start, parts: std::mem::take(&mut parts) });
            (rest, start, waiting) = (after, end, 0);
        }
    };
    let outs = values.layout.outs.as_slice().iter().filter(|out| out.kind != SectionKind::Zeros);
    let mut all = outs.flat_map(|out| out.pieces.iter().map(move |&piece| (out, piece))).peekable();
    while let Some((out, piece)) = all.next() {
        let row = values.p.row(piece);
        let at = out.offset + values.layout.address[piece] - out.address;
        let (mut byte, mut reloc) = (0, 0);
        // Code may be long and can be cut between two places. Data is short, and not all its places are.
        while row.flags & SHF_EXECINSTR != 0 && row.data.len() - byte > 2 * JOB {
            let Some((to, end)) = border(row, byte + JOB) else { break };
            push(Part { piece, at: at + byte as u64, bytes: byte..to, relocs: reloc..end }, false);
            (byte, reloc) = (to, end);
        }
        let part = Part {
            piece,
            at: at + byte as u64,
            bytes: byte..row.data.len(),
            relocs: reloc..row.relocs.len(),
        };
        push(part, all.peek().is_none());
    }
    jobs
}

/// A byte from `from` on that begins a place and where all before have ended, and the number of the
/// relocation there.
fn border(row: &SectionRow<'_>, from: usize) -> Option<(usize, usize)> {
    const LONGEST: u32 = 8;
    let first = row.relocs.partition_point(|reloc| (reloc.offset as usize) < from).max(1);
    let mut pairs = row.relocs.get(first - 1..)?.windows(2).take(1000);
    let k = first + pairs.position(|pair| pair[1].offset - pair[0].offset >= LONGEST)?;
    Some((row.relocs[k].offset as usize, k))
}

/// Symbols and section headers, appended.
fn tail(p: &Program<'_>, layout: &Layout, bytes: &mut Vec<u8>) -> End {
    let is_64 = p.machine.is_64;
    let mut headers = Headers::default();
    let mut number: Column<Out, u16> = Column::filled(layout.outs.len(), 0);
    for (out, row) in layout.outs.iter() {
        // A symbol in an empty section has the number of the next, whose address it has.
        number[out] = headers.rows.len() as u16;
        if row.size == 0 && row.pieces.iter().all(|&piece| p.row(piece).size == 0) {
            continue;
        }
        let (kind, extra) = match row.kind {
            // Readers expect it of ARM's index.
            _ if row.name == index::INDEX => (SHT_ARM_EXIDX, SHF_LINK_ORDER),
            SectionKind::Data if row.name == ".rela.iplt" => (SHT_RELA, 0),
            SectionKind::Data if row.name == ".rel.iplt" => (SHT_REL, 0),
            SectionKind::Data => (SHT_PROGBITS, 0),
            SectionKind::Zeros => (SHT_NOBITS, 0),
            SectionKind::Note => (SHT_NOTE, 0),
            SectionKind::Other(number) if row.entry_size == 1 => (number, SHF_STRINGS),
            SectionKind::Array(number) | SectionKind::Other(number) => (number, 0),
        };
        let OutRow { address, offset, size, align, entry_size, .. } = *row;
        let flags = row.flags | extra;
        let header = Header { kind, flags, address, offset, size, align, entry_size, ..Header::default() };
        headers.push(&row.name, header);
    }
    let code = layout.outs.iter().find(|(_, row)| row.name == ".text").map_or(0, |(out, _)| number[out]);
    for header in headers.rows.iter_mut().filter(|header| header.kind == SHT_ARM_EXIDX) {
        header.link = u32::from(code);
    }
    if !p.strip {
        let last = (headers.rows.len() - 1) as u16;
        number.as_mut_slice().iter_mut().for_each(|number| *number = (*number).min(last));
        let table = symtab::table(p, layout, &number);
        bytes.resize(bytes.len().next_multiple_of(word_size(is_64) as usize), 0);
        let symbols = bytes.len() as u64;
        bytes.extend_from_slice(&table.symbols);
        let names = bytes.len() as u64;
        bytes.extend_from_slice(&table.names);
        headers.push_symbols(is_64, [symbols, names, bytes.len() as u64], table.locals);
    }
    headers.write(is_64, 0, bytes)
}

/// The file header and the segments.
fn head(p: &Program<'_>, (layout, entry): (&Layout, u64), end: &End) -> Vec<u8> {
    let (mut bytes, is_64) = (Vec::new(), p.machine.is_64);
    let mut out = Fields { bytes: &mut bytes, is_64 };
    let (kind, segments) = (if p.pie { MOVABLE } else { PROGRAM }, layout.segments.len() as u16);
    file_header(&mut out, p.machine, (kind, p.flags), entry, segments, end);
    for segment in &layout.segments {
        out.word(segment.kind);
        if is_64 {
            out.word(segment.flags);
        }
        [segment.offset, segment.address, segment.address, segment.file_size, segment.size]
            .into_iter()
            .for_each(|value| out.wide(value));
        if !is_64 {
            out.word(segment.flags);
        }
        out.wide(segment.align);
    }
    bytes
}
