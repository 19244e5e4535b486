//! The program's bytes: headers, contents with relocations applied, symbols, section headers. O(bytes).

use super::apply::Values;
use super::demand::Demand;
use super::layout::Layout;
use super::sections::OutRow;
use super::*;
use crate::object::module::*;

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
    let mut errors = Vec::new();
    let values = Values { p, demand, layout };
    for out in layout.outs.as_slice() {
        contents(&values, out, &mut bytes, &mut errors);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let headers = tail(p, layout, &mut bytes);
    let head = head(p, layout, &headers);
    bytes[..head.len()].copy_from_slice(&head);
    Ok(bytes)
}

/// An output section's bytes.
fn contents(values: &Values<'_, '_>, out: &OutRow, bytes: &mut [u8], errors: &mut Vec<LinkError>) {
    if out.kind == SectionKind::Zeros {
        return;
    }
    for &piece in &out.pieces {
        let row = values.p.row(piece);
        let start = out.offset + values.layout.address[piece] - out.address;
        let place = &mut bytes[start as usize..][..row.data.len()];
        place.copy_from_slice(&row.data);
        values.apply(piece, place, errors);
    }
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
