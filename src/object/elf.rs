//! An object as an ELF file (System V ABI, chapter 4), through the `object` crate's encoder. O(bytes).
//!
//! ```text
//!   header | contents of sections | relocations | symbols | names | section headers
//! ```
//!
//! Relocations and labels, of which there are as many as instructions in bad cases, are packed here and not by the crate, which
//! takes ten times as long for each; a test reads them back with the crate. Like code, they are made when their part of the file
//! is written, so that a large file never stands in memory: on a million lines that is 65 MB of 97.
//!
//! What is ours and not ELF's is spelled out here: a pair of RISC-V instructions gets a label for its second relocation.

use super::assemble::{Assembled, filled, jobs, relocations};
use super::code::Code;
use super::machine::{RISCV_PAIR_I, RISCV_PAIR_S};
use super::module::{Binding, Object, Place, Reloc, Section, SectionKind, Symbol, SymbolRow};
use crate::base::parallel::Workers;
use crate::base::parts::{Part, concat};
use crate::base::{Column, Handle};
use object::elf;
use object::write::elf::{FileHeader, SectionHeader, SinglePhaseWriter, Sym, Writer};
use object::write::{GrowableBuffer, WritableBuffer};
use std::ops::Range;

/// `R_RISCV_PCREL_HI20`, `_LO12_I`, `_LO12_S`.
const PCREL: [u32; 3] = [23, 24, 25];

/// The bytes of a relocatable file. `Err` says what is too large for one.
pub fn write(object: Object<'static>) -> Result<Vec<u8>, String> {
    let file = number(object.into(), &Workers::new(1));
    parts(&file).map(|parts| concat(&parts))
}

/// A file of which it is known what goes where.
#[derive(Debug)]
pub struct File {
    assembled: Assembled,
    /// By symbol: its number in the file.
    symbols: Column<Symbol, u32>,
    /// Symbols that only this file sees, the null symbol included.
    locals: u32,
    /// The names of sections of relocations.
    names: Column<Section, String>,
    /// Relocations by section, in jobs.
    relocs: Column<Section, Vec<Chunk>>,
}

/// Relocations that are packed in one go.
#[derive(Clone, Debug)]
struct Chunk {
    /// Of which functions of `.text`, or which rows of another section.
    of: Range<usize>,
    /// How many there are as our rows, and how many of these are pairs.
    rows: usize,
    pairs: usize,
    /// The number of the first pair's label.
    label: u32,
}

/// Rows of a section other than `.text` in a chunk.
const CHUNK: usize = 1 << 14;

/// Numbers the symbols: local ones, labels, and those that others see. O(symbols + relocations).
#[inline(never)]
pub fn number(assembled: Assembled, workers: &Workers) -> File {
    let object = &assembled.object;
    let prefix = if object.machine.is_64 { ".rela" } else { ".rel" };
    let names: Vec<String> =
        object.sections.iter().map(|(_, section)| format!("{prefix}{}", section.name)).collect();
    let is_local = |row: &SymbolRow| row.binding == Binding::Local;
    let mut label = 1 + object.symbols.iter().filter(|(_, row)| is_local(row)).count() as u32;
    let mut relocs: Column<Section, Vec<Chunk>> = Column::filled(object.sections.len(), Vec::new());
    for (section, row) in object.sections.iter() {
        let mut chunks = if assembled.text.get() == Some(section) {
            let mut jobs = jobs(&assembled.codes, |code| code.fixups.len());
            workers.map(
                &mut jobs,
                || (),
                |(), _, job| {
                    let codes = &assembled.codes[job.clone()];
                    let rows = codes.iter().map(|(_, code)| code.fixups.len()).sum();
                    let pairs = |(_, code): &(u32, Code)| {
                        code.fixups.iter().filter(|fixup| is_pair(fixup.kind)).count()
                    };
                    Chunk { of: job.clone(), rows, pairs: codes.iter().map(pairs).sum(), label: 0 }
                },
            )
        } else {
            let starts = (0..row.relocs.len()).step_by(CHUNK);
            let ranges = starts.map(|start| start..row.relocs.len().min(start + CHUNK));
            let pairs =
                |of: &Range<usize>| row.relocs[of.clone()].iter().filter(|reloc| is_pair(reloc.kind)).count();
            ranges.map(|of| Chunk { rows: of.len(), pairs: pairs(&of), of, label: 0 }).collect()
        };
        chunks.retain(|chunk| chunk.rows > 0);
        for chunk in &mut chunks {
            chunk.label = label;
            label += chunk.pairs as u32;
        }
        relocs[section] = chunks;
    }
    let locals = label;
    let mut symbols = Column::filled(object.symbols.len(), 0);
    let (mut next_local, mut next_global) = (1, locals);
    for (symbol, row) in object.symbols.iter() {
        let next = if is_local(row) { &mut next_local } else { &mut next_global };
        symbols[symbol] = *next;
        *next += 1;
    }
    File { assembled, symbols, locals, names: names.into(), relocs }
}

/// The parts of a file, one behind the other.
#[inline(never)]
pub fn parts(file: &File) -> Result<Vec<Part<'_>>, String> {
    let mut pieces = Pieces::default();
    let mut header = Vec::new();
    let is_64 = file.assembled.object.machine.is_64;
    let mut writer = Writer::new_single_phase(object::Endianness::Little, is_64, &mut pieces);
    let mut large = Vec::new();
    write_to(&mut writer, file, &mut large)
        .and_then(|()| writer.write_file_header_to(&mut header))
        .map_err(|error| error.to_string())?;
    let mut parts = pieces.filled(large);
    if let Some(Part::Own(first)) = parts.first_mut() {
        first[..header.len()].copy_from_slice(&header);
    }
    Ok(parts)
}

/// A file in the making: what was written, and zeros in place of what is large and comes from elsewhere.
#[derive(Default)]
struct Pieces(Vec<Piece>);

enum Piece {
    Bytes(Vec<u8>),
    /// So many zeros, for the next large content.
    Hole,
}

/// From so many bytes on, contents are not copied into the file.
const LARGE: usize = 1 << 14;

impl Pieces {
    /// The whole, with the large contents in their places.
    fn filled(self, large: Vec<Vec<Part<'_>>>) -> Vec<Part<'_>> {
        let mut large = large.into_iter();
        let rows = self.0.into_iter();
        rows.flat_map(|piece| match piece {
            Piece::Bytes(bytes) => vec![Part::Own(bytes)],
            Piece::Hole => large.next().unwrap_or_default(),
        })
        .collect()
    }
}

impl WritableBuffer for Pieces {
    fn reserve(&mut self, _: u64) -> Result<(), ()> {
        Ok(())
    }

    fn write_bytes(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Piece::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.0.push(Piece::Bytes(bytes.to_vec())),
        }
    }

    fn write_zeros(&mut self, count: u64) {
        // Padding is shorter than any alignment, and that is at most a page.
        if count >= LARGE as u64 {
            self.0.push(Piece::Hole);
        } else {
            self.write_bytes(&[0; LARGE][..count as usize]);
        }
    }
}

impl GrowableBuffer for Pieces {
    fn as_writable(&mut self) -> &mut dyn WritableBuffer {
        self
    }
}

/// Puts contents into the file, or leaves a hole for them.
fn put<'a>(out: &mut SinglePhaseWriter, contents: Vec<Part<'a>>, large: &mut Vec<Vec<Part<'a>>>) {
    let total: usize = contents.iter().map(Part::size).sum();
    if total < LARGE {
        out.write(&concat(&contents));
    } else {
        out.pad_until(out.offset() + total as u64);
        large.push(contents);
    }
}

fn write_to<'w, 'f: 'w>(
    out: &mut SinglePhaseWriter<'w>,
    file: &'f File,
    large: &mut Vec<Vec<Part<'f>>>,
) -> object::write::Result<()> {
    let object = &file.assembled.object;
    let machine = object.machine;
    out.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_SYSV,
        abi_version: 0,
        e_type: elf::ET_REL,
        e_machine: elf::Machine(machine.number),
        e_entry: 0,
        e_flags: elf::FileFlags(object.flags),
    })?;
    let mut headers = Vec::with_capacity(2 * object.sections.len() + 3);
    for (k, section) in object.sections.iter() {
        let sh_offset =
            if section.kind == SectionKind::Zeros { out.offset() } else { out.write_align(section.align) };
        put(out, contents(file, k), large);
        headers.push(SectionHeader {
            sh_name: name(out, section.name.as_bytes()),
            sh_type: section_type(section.kind),
            sh_flags: elf::SectionFlags(section.flags),
            sh_addr: 0,
            sh_offset,
            sh_size: section.size,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry_size,
        });
    }
    let with_relocs = file.relocs.iter().filter(|(_, chunks)| !chunks.is_empty()).count();
    // Section headers: the null one, sections, their relocations, symbols, names of symbols, names of sections.
    let symtab = (1 + object.sections.len() + with_relocs) as u32;
    for (k, chunks) in file.relocs.iter().filter(|(_, chunks)| !chunks.is_empty()) {
        let sh_offset = out.write_align_relocation();
        put(out, chunks.iter().map(|chunk| packed(file, k, chunk)).collect(), large);
        headers.push(SectionHeader {
            sh_name: name(out, file.names[k].as_bytes()),
            sh_type: if machine.is_64 { elf::SHT_RELA } else { elf::SHT_REL },
            // SHF_INFO_LINK
            sh_flags: elf::SectionFlags(0x40),
            sh_addr: 0,
            sh_offset,
            sh_size: out.offset() - sh_offset,
            sh_link: symtab,
            sh_info: section_number(k),
            sh_addralign: if machine.is_64 { 8 } else { 4 },
            sh_entsize: relocation_size(file),
        });
    }
    symbols(out, file, symtab, &mut headers, large);
    out.write_shstrtab()?;
    out.write_null_section_header();
    headers.iter().for_each(|header| {
        out.write_section_header(header);
    });
    out.write_shstrtab_section_header();
    Ok(())
}

/// The contents of a section.
fn contents(file: &File, section: Section) -> Vec<Part<'_>> {
    let Assembled { object, text, codes, .. } = &file.assembled;
    let row = &object.sections[section];
    if text.get() != Some(section) {
        return row.data.chunks(WRITTEN).map(Part::Bytes).collect();
    }
    let end = |k: usize| codes.get(k).map_or(row.size, |code| u64::from(code.0));
    let part = |job: Range<usize>| {
        let size = end(job.end) - end(job.start);
        let make = move |out: &mut Vec<u8>| {
            job.clone().for_each(|k| filled(object.machine, &codes[k], end(k + 1), out));
        };
        Part::Made(size as usize, Box::new(make))
    };
    jobs(codes, |code| code.bytes.len()).into_iter().map(part).collect()
}

/// Bytes of data in a part.
const WRITTEN: usize = 1 << 20;

/// Bytes of a relocation, and of a symbol.
fn relocation_size(file: &File) -> u64 {
    if file.assembled.object.machine.is_64 { 24 } else { 8 }
}

fn symbol_size(file: &File) -> u64 {
    if file.assembled.object.machine.is_64 { 24 } else { 16 }
}

/// Hands a chunk's relocations to `to`, by ascending offset.
fn each(file: &File, section: Section, chunk: &Chunk, mut to: impl FnMut(Reloc)) {
    let assembled = &file.assembled;
    if assembled.text.get() == Some(section) {
        for code in &assembled.codes[chunk.of.clone()] {
            relocations(assembled, code).for_each(&mut to);
        }
    } else {
        assembled.object.sections[section].relocs[chunk.of.clone()].iter().copied().for_each(to);
    }
}

/// A chunk of relocations as in a file.
fn packed<'a>(file: &'a File, section: Section, chunk: &'a Chunk) -> Part<'a> {
    let size = (chunk.rows + chunk.pairs) * relocation_size(file) as usize;
    let make = move |out: &mut Vec<u8>| {
        let (is_64, mut label) = (file.assembled.object.machine.is_64, chunk.label);
        out.reserve(size);
        each(file, section, chunk, |reloc| {
            let symbol = file.symbols[reloc.symbol];
            if is_pair(reloc.kind) {
                let low = if reloc.kind == RISCV_PAIR_I { 1 } else { 2 };
                pack_relocation(out, is_64, reloc.offset, symbol, PCREL[0], reloc.addend);
                pack_relocation(out, is_64, reloc.offset + 4, label, PCREL[low], 0);
                label += 1;
            } else {
                pack_relocation(out, is_64, reloc.offset, symbol, reloc.kind, reloc.addend);
            }
        });
    };
    Part::Made(size, Box::new(make))
}

/// The labels that a chunk's pairs need: symbols of which only section and value are not 0.
fn labels<'a>(file: &'a File, section: Section, chunk: &'a Chunk) -> Part<'a> {
    let size = chunk.pairs * symbol_size(file) as usize;
    let make = move |out: &mut Vec<u8>| {
        let is_64 = file.assembled.object.machine.is_64;
        out.reserve(size);
        each(file, section, chunk, |reloc| {
            if is_pair(reloc.kind) {
                pack_label(out, is_64, section, reloc.offset);
            }
        });
    };
    Part::Made(size, Box::new(make))
}

fn name<'a>(out: &mut SinglePhaseWriter<'a>, name: &'a [u8]) -> u32 {
    let id = out.add_section_name(name);
    out.section_name_offset(Some(id))
}

fn section_type(kind: SectionKind) -> elf::SectionType {
    match kind {
        SectionKind::Data => elf::SHT_PROGBITS,
        SectionKind::Zeros => elf::SHT_NOBITS,
        SectionKind::Note => elf::SHT_NOTE,
        SectionKind::Array(number) | SectionKind::Other(number) => elf::SectionType(number),
    }
}

fn section_number(section: Section) -> u32 {
    section.index() as u32 + 1
}

/// True for a relocation of a pair of instructions.
fn is_pair(kind: u32) -> bool {
    matches!(kind, RISCV_PAIR_I | RISCV_PAIR_S)
}

/// `Elf64_Rela`, or `Elf32_Rel`: its addend is in the code.
#[inline(always)]
fn pack_relocation(chunk: &mut Vec<u8>, is_64: bool, offset: u32, symbol: u32, kind: u32, addend: i64) {
    if is_64 {
        let mut row = [0; 24];
        row[..8].copy_from_slice(&u64::from(offset).to_le_bytes());
        row[8..12].copy_from_slice(&kind.to_le_bytes());
        row[12..16].copy_from_slice(&symbol.to_le_bytes());
        row[16..].copy_from_slice(&addend.to_le_bytes());
        chunk.extend_from_slice(&row);
    } else {
        let mut row = [0; 8];
        row[..4].copy_from_slice(&offset.to_le_bytes());
        row[4..].copy_from_slice(&(symbol << 8 | kind & 0xff).to_le_bytes());
        chunk.extend_from_slice(&row);
    }
}

/// A label. The 32-bit form has the value where the 64-bit form has other things.
#[inline(always)]
fn pack_label(chunk: &mut Vec<u8>, is_64: bool, section: Section, value: u32) {
    let number = (section_number(section) as u16).to_le_bytes();
    if is_64 {
        let mut row = [0; 24];
        row[6..8].copy_from_slice(&number);
        row[8..12].copy_from_slice(&value.to_le_bytes());
        chunk.extend_from_slice(&row);
    } else {
        let mut row = [0; 16];
        row[14..].copy_from_slice(&number);
        row[4..8].copy_from_slice(&value.to_le_bytes());
        chunk.extend_from_slice(&row);
    }
}

/// Writes the symbols and their names.
fn symbols<'w, 'f: 'w>(
    out: &mut SinglePhaseWriter<'w>,
    file: &'f File,
    symtab: u32,
    headers: &mut Vec<SectionHeader>,
    large: &mut Vec<Vec<Part<'f>>>,
) {
    let object = &file.assembled.object;
    let sh_offset = out.write_null_symbol();
    let mut global = Vec::new();
    for (symbol, row) in object.symbols.iter() {
        if row.binding == Binding::Local {
            out.write_symbol(&entry(row));
        } else {
            global.push(symbol);
        }
    }
    let chunks = file.relocs.iter().flat_map(|(k, chunks)| chunks.iter().map(move |chunk| (k, chunk)));
    let chunks = chunks.filter(|(_, chunk)| chunk.pairs > 0);
    put(out, chunks.map(|(k, chunk)| labels(file, k, chunk)).collect(), large);
    global.iter().for_each(|&symbol| {
        out.write_symbol(&entry(&object.symbols[symbol]));
    });
    let plain = SectionHeader {
        sh_name: name(out, b".symtab"),
        sh_type: elf::SHT_SYMTAB,
        sh_flags: elf::SectionFlags(0),
        sh_addr: 0,
        sh_offset,
        sh_size: out.offset() - sh_offset,
        sh_link: symtab + 1,
        sh_info: file.locals,
        sh_addralign: if object.machine.is_64 { 8 } else { 4 },
        sh_entsize: symbol_size(file),
    };
    let sh_offset = out.offset();
    out.write(object.names.as_bytes());
    let names = SectionHeader {
        sh_name: name(out, b".strtab"),
        sh_type: elf::SHT_STRTAB,
        sh_offset,
        sh_size: object.names.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 1,
        sh_entsize: 0,
        ..plain.clone()
    };
    headers.push(plain);
    headers.push(names);
}

fn entry(row: &SymbolRow) -> Sym {
    let (section, st_shndx) = match row.place {
        Place::In(section) => (Some(section_number(section)), elf::SHN_UNDEF),
        Place::Undefined => (None, elf::SHN_UNDEF),
        Place::Absolute => (None, elf::SHN_ABS),
        Place::Common => (None, elf::SHN_COMMON),
    };
    let binding = match row.binding {
        Binding::Local => 0,
        Binding::Global => 1,
        Binding::Weak => 2,
    };
    Sym {
        section,
        st_name: row.name.0,
        st_info: elf::SymbolInfo(binding << 4 | row.kind),
        st_other: elf::SymbolOther(row.visibility),
        st_shndx,
        st_value: row.value,
        st_size: row.size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::assemble::{Function, Parts, assemble};
    use crate::object::code::{Target, Writer};
    use crate::object::data::Datum;
    use crate::object::machine::{AARCH64, ARMV7, MACHINES, Machine, RISCV64};
    use object::read::elf::{ElfFile, FileHeader as Header};
    use object::{Endianness, Object as _, ObjectSection, ObjectSymbol, RelocationFlags};

    /// Two functions, a constant, a variable, zeros and three names from elsewhere, as a file.
    fn sample(machine: &'static Machine) -> Vec<u8> {
        let mut main = Writer::default();
        main.word(1);
        main.fixup(if machine.number == RISCV64.number { RISCV_PAIR_S } else { 3 }, Target::Global(1), 4);
        main.word(2);
        main.word(3);
        main.fixup(5, Target::Func(1), 0);
        main.word(4);
        let mut leaf = Writer::default();
        leaf.half(7);
        leaf.fixup(5, Target::Func(100), 0);
        leaf.word(8);
        let functions = vec![
            Function { name: "main", code: Some(main.finish()), binding: Binding::Global },
            Function { name: "leaf", code: Some(leaf.finish()), binding: Binding::Local },
            Function { name: "putint", code: None, binding: Binding::Local },
        ];
        let datum = |name, constant, bytes, runs| Datum {
            name,
            binding: Binding::Local,
            is_defined: true,
            constant,
            bytes,
            scalar: 4,
            runs,
        };
        let data = [
            datum("c", true, 8, vec![(1, &[9u32][..])]),
            datum("v", false, 20, vec![(0, &[5, 6][..])]),
            datum("z", false, 1 << 30, vec![]),
        ];
        let (library, library_base, flags) = (&["memset"][..], 100, machine.flags);
        let parts = Parts { functions, data: &data, library, library_base, flags, attributes: b"A" };
        write(assemble(machine, parts).unwrap()).unwrap()
    }

    fn check<H: Header<Endian = Endianness>>(machine: &'static Machine) {
        let bytes = sample(machine);
        let file = ElfFile::<H>::parse(&bytes[..]).unwrap();
        let section = |name: &str| file.section_by_name(name).unwrap();
        // `leaf` is aligned, and so is what follows.
        assert_eq!((section(".text").size(), section(".text").align()), (24, 4));
        assert_eq!(section(".rodata").data().unwrap(), [0, 0, 0, 0, 9, 0, 0, 0]);
        assert_eq!((section(".data").size(), section(".data").data().unwrap()[4]), (20, 6));
        assert_eq!((section(".bss").size(), section(".bss").file_range()), (1 << 30, None));
        assert!(bytes.len() < 4096 && section(".note.GNU-stack").size() == 0);
        let symbol = |name: &str| file.symbol_by_name(name).unwrap();
        assert!(symbol("main").is_global() && symbol("leaf").is_local());
        assert_eq!((symbol("leaf").address(), symbol("leaf").size(), symbol("v").size()), (16, 6, 20));
        assert!(symbol("memset").is_undefined() && file.symbol_by_name("putint").is_none());
        let relocations: Vec<_> = section(".text")
            .relocations()
            .map(|(offset, reloc)| {
                let object::RelocationTarget::Symbol(index) = reloc.target() else { panic!("no symbol") };
                let symbol = file.symbol_by_index(index).unwrap();
                let RelocationFlags::Elf { r_type } = reloc.flags() else { panic!("no type") };
                let name = match symbol.name().unwrap() {
                    "" => format!("label {}", symbol.address()),
                    name => name.to_string(),
                };
                (offset, r_type.0, name, reloc.addend())
            })
            .collect();
        let named = |offset, kind, name: &str, addend| (offset, kind, name.to_string(), addend);
        let v = if machine.is_64 { 4 } else { 0 };
        let mut expected = vec![named(4, 3, "v", v), named(12, 5, "leaf", 0), named(18, 5, "memset", 0)];
        if machine.number == RISCV64.number {
            expected[0] = named(4, 23, "v", 4);
            expected.insert(1, named(8, 25, "label 4", 0));
        }
        assert_eq!(relocations, expected);
    }

    #[test]
    fn a_file_says_what_the_object_says() {
        check::<elf::FileHeader64<Endianness>>(&RISCV64);
        check::<elf::FileHeader64<Endianness>>(&AARCH64);
        check::<elf::FileHeader32<Endianness>>(&ARMV7);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let huge = Datum {
            name: "v",
            binding: Binding::Local,
            is_defined: true,
            constant: true,
            bytes: 1 << 33,
            scalar: 4,
            runs: vec![],
        };
        for machine in MACHINES {
            let (library, library_base, flags) = (&[][..], 100, 0);
            let parts = Parts {
                functions: vec![],
                data: std::slice::from_ref(&huge),
                library,
                library_base,
                flags,
                attributes: b"A",
            };
            assert!(assemble(machine, parts).unwrap_err().contains(".rodata"));
        }
    }
}
