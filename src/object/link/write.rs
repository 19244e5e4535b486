//! The program's bytes: headers, contents with relocations applied, symbols, section headers. O(bytes).

use super::apply::{MOST_ERRORS, Values};
use super::demand::Demand;
use super::layout::Layout;
use super::*;
use crate::base::parallel::Workers;
use crate::object::module::*;
use std::ops::Range;

const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_RELA: u32 = 4;
const SHT_NOTE: u32 = 7;
const SHT_NOBITS: u32 = 8;
const SHT_REL: u32 = 9;
const SHT_ARM_EXIDX: u32 = 0x7000_0001;
/// `SHF_LINK_ORDER`, which readers expect of ARM's index.
const SHF_LINK_ORDER: u64 = 0x80;
const SHF_STRINGS: u64 = 0x30;

/// Numbers of the file's own width, appended.
struct Fields {
    bytes: Vec<u8>,
    is_64: bool,
}

impl Fields {
    fn half(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn word(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// An address, offset or size.
    fn wide(&mut self, value: u64) {
        if self.is_64 {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        } else {
            self.word(value as u32);
        }
    }
}

/// A section header's fields.
#[derive(Default)]
struct Header {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
}

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
    let headers = tail(p, layout, &mut bytes);
    let head = head(p, layout, &headers);
    bytes[..head.len()].copy_from_slice(&head);
    Ok(bytes)
}

/// Bytes that a worker takes at a time.
const JOB: usize = 1 << 20;

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

/// Divides the file among jobs. Pieces stand in the file in the order of the output sections and their pieces.
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

/// A byte from `from` on that begins a place and where all before have ended, and the number of the relocation there.
fn border(row: &SectionRow<'_>, from: usize) -> Option<(usize, usize)> {
    const LONGEST: u32 = 8;
    let first = row.relocs.partition_point(|reloc| (reloc.offset as usize) < from).max(1);
    let mut pairs = row.relocs.get(first - 1..)?.windows(2).take(1000);
    let k = first + pairs.position(|pair| pair[1].offset - pair[0].offset >= LONGEST)?;
    Some((row.relocs[k].offset as usize, k))
}

/// Where the section headers are, how many there are, and which of them has their names.
struct Headers {
    offset: u64,
    count: u16,
    names: u16,
}

/// Symbols and section headers, appended.
fn tail(p: &Program<'_>, layout: &Layout, bytes: &mut Vec<u8>) -> Headers {
    let mut names = vec![0_u8];
    let mut headers = vec![Header::default()];
    let mut number: Column<Out, u16> = Column::filled(layout.outs.len(), 0);
    let mut name = |text: &str| {
        let place = names.len() as u32;
        names.extend_from_slice(text.as_bytes());
        names.push(0);
        place
    };
    for (out, row) in layout.outs.iter() {
        if row.size == 0 && row.pieces.iter().all(|&piece| p.row(piece).size == 0) {
            // A symbol in it needs a number all the same: the next one's, whose address it has.
            number[out] = headers.len() as u16;
            continue;
        }
        number[out] = headers.len() as u16;
        let (kind, extra) = match row.kind {
            _ if row.name == ".ARM.exidx" => (SHT_ARM_EXIDX, SHF_LINK_ORDER),
            SectionKind::Data if row.name == ".rela.iplt" => (SHT_RELA, 0),
            SectionKind::Data if row.name == ".rel.iplt" => (SHT_REL, 0),
            SectionKind::Data => (SHT_PROGBITS, 0),
            SectionKind::Zeros => (SHT_NOBITS, 0),
            SectionKind::Note => (SHT_NOTE, 0),
            SectionKind::Other(number) if row.entry_size == 1 => (number, SHF_STRINGS),
            SectionKind::Array(number) | SectionKind::Other(number) => (number, 0),
        };
        headers.push(Header {
            name: name(&row.name),
            kind,
            flags: row.flags | extra,
            address: row.address,
            offset: row.offset,
            size: row.size,
            align: row.align,
            entry_size: row.entry_size,
            ..Header::default()
        });
    }
    let code = layout.outs.iter().find(|(_, row)| row.name == ".text").map_or(0, |(out, _)| number[out]);
    for header in headers.iter_mut().filter(|header| header.kind == SHT_ARM_EXIDX) {
        header.link = u32::from(code);
    }
    let word = if p.machine.is_64 { 8 } else { 4 };
    if !p.strip {
        let last = (headers.len() - 1) as u16;
        number.as_mut_slice().iter_mut().for_each(|number| *number = (*number).min(last));
        let table = symtab::table(p, layout, &number);
        bytes.resize(bytes.len().next_multiple_of(word), 0);
        let (kind, align, link) = (SHT_SYMTAB, word as u64, headers.len() as u32 + 1);
        let (offset, size, entry_size) = (bytes.len() as u64, table.symbols.len() as u64, 3 * word as u64);
        let entry_size = if p.machine.is_64 { entry_size } else { 16 };
        let info = table.locals;
        headers.push(Header {
            name: name(".symtab"),
            kind,
            offset,
            size,
            link,
            info,
            align,
            entry_size,
            ..Header::default()
        });
        bytes.extend_from_slice(&table.symbols);
        let (offset, size) = (bytes.len() as u64, table.names.len() as u64);
        headers.push(Header {
            name: name(".strtab"),
            kind: SHT_STRTAB,
            offset,
            size,
            align: 1,
            ..Header::default()
        });
        bytes.extend_from_slice(&table.names);
    }
    let own = name(".shstrtab");
    let (offset, size) = (bytes.len() as u64, names.len() as u64);
    headers.push(Header { name: own, kind: SHT_STRTAB, offset, size, align: 1, ..Header::default() });
    bytes.extend_from_slice(&names);
    bytes.resize(bytes.len().next_multiple_of(word), 0);
    let offset = bytes.len() as u64;
    let mut fields = Fields { bytes: std::mem::take(bytes), is_64: p.machine.is_64 };
    for header in &headers {
        fields.word(header.name);
        fields.word(header.kind);
        [header.flags, header.address, header.offset, header.size]
            .iter()
            .for_each(|&value| fields.wide(value));
        fields.word(header.link);
        fields.word(header.info);
        fields.wide(header.align);
        fields.wide(header.entry_size);
    }
    *bytes = fields.bytes;
    Headers { offset, count: headers.len() as u16, names: (headers.len() - 1) as u16 }
}

/// The file header and the segments.
fn head(p: &Program<'_>, layout: &Layout, headers: &Headers) -> Vec<u8> {
    let is_64 = p.machine.is_64;
    let mut fields = Fields { bytes: Vec::new(), is_64 };
    fields.bytes.extend_from_slice(&[0x7f, b'E', b'L', b'F', if is_64 { 2 } else { 1 }, 1, 1, 0]);
    fields.bytes.resize(16, 0);
    let sizes = if is_64 { (64, 56, 64) } else { (52, 32, 40) };
    fields.half(2);
    fields.half(p.machine.number);
    fields.word(1);
    fields.wide(p.symbols.address[p.entry]);
    fields.wide(sizes.0.into());
    fields.wide(headers.offset);
    fields.word(p.flags);
    for half in [sizes.0, sizes.1, layout.segments.len() as u16, sizes.2, headers.count, headers.names] {
        fields.half(half);
    }
    for segment in &layout.segments {
        fields.word(segment.kind);
        if is_64 {
            fields.word(segment.flags);
        }
        let places = [segment.offset, segment.address, segment.address, segment.file_size, segment.size];
        places.iter().for_each(|&value| fields.wide(value));
        if !is_64 {
            fields.word(segment.flags);
        }
        fields.wide(segment.align);
    }
    fields.bytes
}
