//! An object as an ELF file. O(bytes).
//!
//! ```text
//!   header | contents of sections | relocations | symbols | names | section headers
//! ```
//!
//! Relocations, labels and code are made when their part of the file is written, so that a large file never
//! stands in memory: on a million lines that is 65 MB of 97. A pair of RISC-V instructions gets a label for
//! its second relocation here.

use super::assemble::{Assembled, filled, jobs, relocations};
use super::code::Code;
use super::format::{self, Entry, Fields, Header, Headers};
use super::module::{Binding, Object, Place, Reloc, SHF_LINK_ORDER, Section, SectionKind, Symbol, SymbolRow};
use super::reloc::riscv::*;
use crate::base::parallel::Workers;
use crate::base::parts::{Part, concat};
use crate::base::{Column, Handle};
use std::ops::Range;

const SHF_INFO_LINK: u64 = 0x40;

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
    File { assembled, symbols, locals, relocs }
}

/// A file on its way: its parts, and how long they are.
struct Out<'a> {
    parts: Vec<Part<'a>>,
    size: u64,
}

/// From so many bytes on, contents are parts of their own and not copied.
const LARGE: usize = 1 << 14;

impl<'a> Out<'a> {
    /// Appends bytes to the last part.
    fn write(&mut self, bytes: &[u8]) {
        match self.parts.last_mut() {
            Some(Part::Own(last)) => last.extend_from_slice(bytes),
            _ => self.parts.push(Part::Own(bytes.to_vec())),
        }
        self.size += bytes.len() as u64;
    }

    /// Goes on at a multiple of an alignment, which is returned.
    fn align(&mut self, align: u64) -> u64 {
        self.write(&vec![0; (self.size.next_multiple_of(align) - self.size) as usize]);
        self.size
    }

    fn append(&mut self, contents: Vec<Part<'a>>) {
        let total: usize = contents.iter().map(Part::size).sum();
        if total < LARGE {
            return self.write(&concat(&contents));
        }
        self.parts.extend(contents);
        self.size += total as u64;
    }
}

/// The parts of a file, one behind the other.
#[inline(never)]
pub fn parts(file: &File) -> Result<Vec<Part<'_>>, String> {
    let object = &file.assembled.object;
    let (machine, is_64) = (object.machine, object.machine.is_64);
    let word = format::word_size(is_64);
    let mut out = Out { parts: Vec::new(), size: 0 };
    out.write(&vec![0; format::header_size(is_64) as usize]);
    let mut headers = Headers::default();
    for (k, section) in object.sections.iter() {
        let offset = if section.kind == SectionKind::Zeros { out.size } else { out.align(section.align) };
        out.append(contents(file, k));
        // Of ours, only ARM's index goes by the order of another.
        let order = object.links.binary_search_by_key(&k, |link| link.0).ok().map(|at| object.links[at].1);
        let (ordered, link) = order.map_or((0, 0), |of| (SHF_LINK_ORDER, section_number(of).into()));
        let kind = match section.kind {
            SectionKind::Data if order.is_some() => format::SHT_ARM_EXIDX,
            SectionKind::Data => format::SHT_PROGBITS,
            SectionKind::Zeros => format::SHT_NOBITS,
            SectionKind::Note => format::SHT_NOTE,
            SectionKind::Array(number) | SectionKind::Other(number) => number,
        };
        let (flags, size, align, entry_size) =
            (section.flags | ordered, section.size, section.align, section.entry_size);
        headers.push(
            &section.name,
            Header { kind, flags, offset, size, link, align, entry_size, ..Header::default() },
        );
    }
    let with_relocs = || file.relocs.iter().filter(|(_, chunks)| !chunks.is_empty());
    // Section headers: the null one, sections, their relocations, symbols, names of symbols, names of
    // sections.
    let link = (headers.rows.len() + with_relocs().count()) as u32;
    for (k, chunks) in with_relocs() {
        let offset = out.align(word);
        out.append(chunks.iter().map(|chunk| packed(file, k, chunk)).collect());
        let (prefix, kind) = if is_64 { (".rela", format::SHT_RELA) } else { (".rel", format::SHT_REL) };
        let header = Header {
            kind,
            flags: SHF_INFO_LINK,
            offset,
            size: out.size - offset,
            link,
            info: section_number(k).into(),
            align: word,
            entry_size: format::relocation_size(is_64),
            ..Header::default()
        };
        headers.push(&format!("{prefix}{}", object.sections[k].name), header);
    }
    let (locals, globals): (Vec<_>, Vec<_>) =
        object.symbols.as_slice().iter().partition(|row| row.binding == Binding::Local);
    let pack = |rows: &[&SymbolRow], out: &mut Out| {
        let mut bytes = Vec::new();
        rows.iter().for_each(|row| format::symbol(&mut bytes, is_64, &entry(row)));
        out.write(&bytes);
    };
    let symbols = out.align(word);
    out.write(&vec![0; format::symbol_size(is_64) as usize]);
    pack(&locals, &mut out);
    let chunks = file.relocs.iter().flat_map(|(k, chunks)| chunks.iter().map(move |chunk| (k, chunk)));
    let chunks = chunks.filter(|(_, chunk)| chunk.pairs > 0);
    out.append(chunks.map(|(k, chunk)| labels(file, k, chunk)).collect());
    pack(&globals, &mut out);
    let names = out.size;
    out.write(object.names.as_bytes());
    headers.push_symbols(is_64, [symbols, names, out.size], file.locals);
    let mut last = Vec::new();
    let end = headers.write(is_64, out.size, &mut last);
    out.write(&last);
    if !is_64 && u32::try_from(out.size).is_err() {
        return Err(format!("{} bytes are more than an object file can hold", out.size));
    }
    let mut header = Vec::new();
    let mut fields = Fields { bytes: &mut header, is_64 };
    format::file_header(&mut fields, machine, (format::OBJECT, object.flags), 0, 0, &end);
    if let Some(Part::Own(first)) = out.parts.first_mut() {
        first[..header.len()].copy_from_slice(&header);
    }
    Ok(out.parts)
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
    let size =
        (chunk.rows + chunk.pairs) * format::relocation_size(file.assembled.object.machine.is_64) as usize;
    let make = move |out: &mut Vec<u8>| {
        let (is_64, mut label) = (file.assembled.object.machine.is_64, chunk.label);
        out.reserve(size);
        each(file, section, chunk, |reloc| {
            let symbol = file.symbols[reloc.symbol];
            if is_pair(reloc.kind) {
                let (high, low) = match reloc.kind {
                    RISCV_PAIR_I => (R_RISCV_PCREL_HI20, R_RISCV_PCREL_LO12_I),
                    RISCV_PAIR_S => (R_RISCV_PCREL_HI20, R_RISCV_PCREL_LO12_S),
                    RISCV_PAIR_GOT => (R_RISCV_GOT_HI20, R_RISCV_PCREL_LO12_I),
                    RISCV_PAIR_GD => (R_RISCV_TLS_GD_HI20, R_RISCV_PCREL_LO12_I),
                    _ => (R_RISCV_TLS_GOT_HI20, R_RISCV_PCREL_LO12_I),
                };
                format::relocation(out, is_64, reloc.offset, symbol, high, reloc.addend);
                format::relocation(out, is_64, reloc.offset + 4, label, low, 0);
                label += 1;
            } else {
                format::relocation(out, is_64, reloc.offset, symbol, reloc.kind, reloc.addend);
            }
        });
    };
    Part::Made(size, Box::new(make))
}

/// The labels that a chunk's pairs need: symbols of which only section and value are not 0.
fn labels<'a>(file: &'a File, section: Section, chunk: &'a Chunk) -> Part<'a> {
    let size = chunk.pairs * format::symbol_size(file.assembled.object.machine.is_64) as usize;
    let make = move |out: &mut Vec<u8>| {
        let is_64 = file.assembled.object.machine.is_64;
        out.reserve(size);
        each(file, section, chunk, |reloc| {
            if is_pair(reloc.kind) {
                let (section, value) = (section_number(section), reloc.offset.into());
                format::symbol(out, is_64, &Entry { section, value, ..Entry::default() });
            }
        });
    };
    Part::Made(size, Box::new(make))
}

fn section_number(section: Section) -> u16 {
    section.index() as u16 + 1
}

/// True for a relocation of a pair of instructions.
fn is_pair(kind: u32) -> bool {
    matches!(kind, RISCV_PAIR_I | RISCV_PAIR_S | RISCV_PAIR_THREAD | RISCV_PAIR_GOT | RISCV_PAIR_GD)
}

fn entry(row: &SymbolRow) -> Entry {
    let section = match row.place {
        Place::In(section) => section_number(section),
        Place::Undefined => format::SHN_UNDEF,
        Place::Absolute => format::SHN_ABS,
        Place::Common => format::SHN_COMMON,
    };
    Entry {
        name: row.name.0,
        info: format::symbol_info(row.binding, row.kind),
        visibility: row.visibility,
        section,
        value: row.value,
        size: row.size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::assemble::{self, Function, Parts};
    use crate::object::code::{Target, Writer};
    use crate::object::data::Datum;
    use crate::object::machine::{AARCH64, ARMV7, MACHINES, Machine, RISCV64};
    use object::read::elf::{ElfFile, FileHeader as Header};
    use object::{Endianness, Object as _, ObjectSection, ObjectSymbol, RelocationFlags, elf};

    /// Code and data as one object.
    fn flat(machine: &'static Machine, parts: Parts) -> Result<Object<'static>, String> {
        let workers = Workers::new(1);
        Ok(assemble::flat(assemble::assemble(machine, parts, None, &workers)?, &workers))
    }

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
        leaf.put(7, 2);
        leaf.fixup(5, Target::Func(100), 0);
        leaf.word(8);
        let functions = vec![
            Function {
                name: "main",
                code: Some(main.finish()),
                binding: Binding::Global,
                section: None,
                visibility: 0,
            },
            Function {
                name: "leaf",
                code: Some(leaf.finish()),
                binding: Binding::Local,
                section: None,
                visibility: 0,
            },
            Function { name: "putint", code: None, binding: Binding::Local, section: None, visibility: 0 },
        ];
        let datum = |name, constant, bytes, runs| Datum {
            name,
            binding: Binding::Local,
            visibility: 0,
            is_defined: true,
            align: 16,
            constant,
            bytes,
            scalar: 4,
            runs,
            addresses: Vec::new(),
            func: None,
            section: None,
            thread: false,
            common: false,
        };
        let data = [
            datum("c", true, 8, vec![(1, &[9u32][..])]),
            datum("v", false, 20, vec![(0, &[5, 6][..])]),
            datum("z", false, 1 << 30, vec![]),
        ];
        let (library, library_base, flags) = (&["memset"][..], 100, machine.flags);
        let parts = Parts {
            functions,
            data: &data,
            aliases: &[],
            library,
            library_base,
            flags,
            attributes: b"A",
            unwind: false,
            cells: &[],
        };
        write(flat(machine, parts).unwrap()).unwrap()
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
            visibility: 0,
            is_defined: true,
            align: 16,
            constant: true,
            bytes: 1 << 33,
            scalar: 4,
            runs: vec![],
            addresses: Vec::new(),
            func: None,
            section: None,
            thread: false,
            common: false,
        };
        for machine in MACHINES {
            let (library, library_base, flags) = (&[][..], 100, 0);
            let parts = Parts {
                aliases: &[],
                functions: vec![],
                data: std::slice::from_ref(&huge),
                library,
                library_base,
                flags,
                attributes: b"A",
                unwind: false,
                cells: &[],
            };
            assert!(flat(machine, parts).unwrap_err().contains(".rodata"));
        }
    }
}
