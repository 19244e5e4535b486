//! The fixed rows of ELF files (System V ABI, chapters 4 and 5), of objects and of programs: headers,
//! symbols, relocations.

use super::machine::Machine;
use super::module::Binding;

/// `ET_REL` and `ET_EXEC`.
pub(super) const OBJECT: u16 = 1;
pub(super) const PROGRAM: u16 = 2;
/// A program that is loaded anywhere (`ET_DYN`).
pub(super) const MOVABLE: u16 = 3;

pub(super) const SHT_PROGBITS: u32 = 1;
pub(super) const SHT_SYMTAB: u32 = 2;
pub(super) const SHT_STRTAB: u32 = 3;
pub(super) const SHT_RELA: u32 = 4;
pub(super) const SHT_NOTE: u32 = 7;
pub(super) const SHT_NOBITS: u32 = 8;
pub(super) const SHT_REL: u32 = 9;
pub(super) const SHT_ARM_EXIDX: u32 = 0x7000_0001;

/// Section numbers that name no section.
pub(super) const SHN_UNDEF: u16 = 0;
pub(super) const SHN_ABS: u16 = 0xfff1;
pub(super) const SHN_COMMON: u16 = 0xfff2;

/// Bytes of an address.
pub(super) fn word_size(is_64: bool) -> u64 {
    if is_64 { 8 } else { 4 }
}

/// Bytes of the file header.
pub(super) fn header_size(is_64: bool) -> u64 {
    if is_64 { 64 } else { 52 }
}

/// Bytes of a segment's header.
pub(super) fn segment_size(is_64: bool) -> u64 {
    if is_64 { 56 } else { 32 }
}

/// Bytes of a symbol.
pub(super) fn symbol_size(is_64: bool) -> u64 {
    if is_64 { 24 } else { 16 }
}

/// Bytes of a relocation.
pub(super) fn relocation_size(is_64: bool) -> u64 {
    if is_64 { 24 } else { 8 }
}

/// Numbers of the file's own width, appended.
pub(super) struct Fields<'a> {
    pub(super) bytes: &'a mut Vec<u8>,
    pub(super) is_64: bool,
}

impl Fields<'_> {
    pub(super) fn half(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn word(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// An address, offset or size.
    pub(super) fn wide(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes()[..word_size(self.is_64) as usize]);
    }
}

/// A section header; its name is an offset in the table of names.
#[derive(Clone, Default)]
pub(super) struct Header {
    pub(super) name: u32,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) address: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) link: u32,
    pub(super) info: u32,
    pub(super) align: u64,
    pub(super) entry_size: u64,
}

/// The section headers of a file, the null header first, and their names.
pub(super) struct Headers {
    pub(super) rows: Vec<Header>,
    names: Vec<u8>,
}

impl Default for Headers {
    fn default() -> Headers {
        Headers { rows: vec![Header::default()], names: vec![0] }
    }
}

impl Headers {
    /// Appends a header.
    pub(super) fn push(&mut self, name: &str, header: Header) {
        self.rows.push(Header { name: add_name(&mut self.names, name), ..header });
    }

    /// Appends those of a table of symbols and of its names, whose contents begin at these offsets and end at
    /// the last.
    pub(super) fn push_symbols(&mut self, is_64: bool, [symbols, names, end]: [u64; 3], locals: u32) {
        let (size, link) = (names - symbols, self.rows.len() as u32 + 1);
        let (align, entry_size) = (word_size(is_64), symbol_size(is_64));
        let (kind, offset, info) = (SHT_SYMTAB, symbols, locals);
        let table = Header { kind, offset, size, link, info, align, entry_size, ..Header::default() };
        self.push(".symtab", table);
        let (kind, offset, size) = (SHT_STRTAB, names, end - names);
        self.push(".strtab", Header { kind, offset, size, align: 1, ..Header::default() });
    }

    /// Appends the names and the headers to a file of which `before` bytes stand in front of `bytes`. Returns
    /// where the headers start.
    pub(super) fn write(mut self, is_64: bool, before: u64, bytes: &mut Vec<u8>) -> End {
        let at = |bytes: &[u8]| before + bytes.len() as u64;
        let (kind, offset) = (SHT_STRTAB, at(bytes));
        self.push(".shstrtab", Header { kind, offset, align: 1, ..Header::default() });
        if let Some(own) = self.rows.last_mut() {
            own.size = self.names.len() as u64;
        }
        bytes.extend_from_slice(&self.names);
        let offset = at(bytes).next_multiple_of(word_size(is_64));
        bytes.resize((offset - before) as usize, 0);
        let mut out = Fields { bytes, is_64 };
        for row in &self.rows {
            out.word(row.name);
            out.word(row.kind);
            [row.flags, row.address, row.offset, row.size].into_iter().for_each(|value| out.wide(value));
            out.word(row.link);
            out.word(row.info);
            out.wide(row.align);
            out.wide(row.entry_size);
        }
        End { headers: offset, sections: self.rows.len() as u16 }
    }
}

/// Appends a name to a table of them, and returns where it starts.
pub(super) fn add_name(names: &mut Vec<u8>, name: &str) -> u32 {
    let place = names.len() as u32;
    names.extend_from_slice(name.as_bytes());
    names.push(0);
    place
}

/// Where the section headers of a file are, and how many; the last has their names.
pub(super) struct End {
    pub(super) headers: u64,
    pub(super) sections: u16,
}

/// Appends a file header: of the kind of file, its flags, its entry and the number of its segments.
pub(super) fn file_header(
    out: &mut Fields,
    machine: &Machine,
    (kind, flags): (u16, u32),
    entry: u64,
    segments: u16,
    end: &End,
) {
    let is_64 = out.is_64;
    out.bytes.extend_from_slice(&[0x7f, b'E', b'L', b'F', if is_64 { 2 } else { 1 }, 1, 1, 0]);
    out.bytes.extend_from_slice(&[0; 8]);
    out.half(kind);
    out.half(machine.number);
    out.word(1);
    let (size, segment) = (header_size(is_64), if segments == 0 { 0 } else { segment_size(is_64) });
    let segments_at = if segments == 0 { 0 } else { size };
    [entry, segments_at, end.headers].into_iter().for_each(|value| out.wide(value));
    out.word(flags);
    let section = if is_64 { 64 } else { 40 };
    [size as u16, segment as u16, segments, section, end.sections, end.sections - 1]
        .into_iter()
        .for_each(|value| out.half(value));
}

/// A symbol.
#[derive(Clone, Default)]
pub(super) struct Entry {
    pub(super) name: u32,
    pub(super) info: u8,
    pub(super) visibility: u8,
    pub(super) section: u16,
    pub(super) value: u64,
    pub(super) size: u64,
}

/// `st_info`.
pub(super) fn symbol_info(binding: Binding, kind: u8) -> u8 {
    let binding = match binding {
        Binding::Local => 0,
        Binding::Global => 1,
        Binding::Weak => 2,
    };
    binding << 4 | kind & 0xf
}

/// Appends a symbol. The 32-bit form has value and size where the 64-bit form has other things.
#[inline(always)]
pub(super) fn symbol(out: &mut Vec<u8>, is_64: bool, entry: &Entry) {
    let mut row = [0; 24];
    row[..4].copy_from_slice(&entry.name.to_le_bytes());
    let rest = if is_64 { 4 } else { 12 };
    (row[rest], row[rest + 1]) = (entry.info, entry.visibility);
    row[rest + 2..rest + 4].copy_from_slice(&entry.section.to_le_bytes());
    if is_64 {
        row[8..16].copy_from_slice(&entry.value.to_le_bytes());
        row[16..].copy_from_slice(&entry.size.to_le_bytes());
        out.extend_from_slice(&row);
    } else {
        row[4..8].copy_from_slice(&(entry.value as u32).to_le_bytes());
        row[8..12].copy_from_slice(&(entry.size as u32).to_le_bytes());
        out.extend_from_slice(&row[..16]);
    }
}

/// Appends an `Elf64_Rela`, or an `Elf32_Rel`, whose addend is in the code.
#[inline(always)]
pub(super) fn relocation(out: &mut Vec<u8>, is_64: bool, offset: u32, symbol: u32, kind: u32, addend: i64) {
    if is_64 {
        let mut row = [0; 24];
        row[..8].copy_from_slice(&u64::from(offset).to_le_bytes());
        row[8..12].copy_from_slice(&kind.to_le_bytes());
        row[12..16].copy_from_slice(&symbol.to_le_bytes());
        row[16..].copy_from_slice(&addend.to_le_bytes());
        out.extend_from_slice(&row);
    } else {
        let mut row = [0; 8];
        row[..4].copy_from_slice(&offset.to_le_bytes());
        row[4..].copy_from_slice(&(symbol << 8 | kind & 0xff).to_le_bytes());
        out.extend_from_slice(&row);
    }
}
