//! An object as an ELF file (System V ABI, chapter 4), through the `object` crate's encoder. O(bytes).
//!
//! ```text
//!   header | contents of sections | relocations | symbols | names | section headers
//! ```
//!
//! What is ours and not ELF's is spelled out here: a pair of RISC-V instructions gets a label for its second relocation.

use super::machine::{RISCV_PAIR_I, RISCV_PAIR_S};
use super::module::{Binding, Object, Place, Reloc, Section, SectionKind, Symbol, SymbolRow};
use crate::base::{Column, Handle};
use object::elf;
use object::write::elf::{FileHeader, Rel, SectionHeader, SinglePhaseWriter, Sym, Writer};

/// `R_RISCV_PCREL_HI20`, `_LO12_I`, `_LO12_S`.
const PCREL: [u32; 3] = [23, 24, 25];

/// The bytes of a relocatable file. `Err` says what is too large for one.
pub fn write(object: &Object) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(file_size(object));
    let mut header = Vec::new();
    let prefix = if object.machine.is_64 { ".rela" } else { ".rel" };
    let names: Vec<String> =
        object.sections.iter().map(|(_, section)| format!("{prefix}{}", section.name)).collect();
    let names = names.into();
    let mut writer = Writer::new_single_phase(object::Endianness::Little, object.machine.is_64, &mut bytes);
    write_to(&mut writer, object, &names)
        .and_then(|()| writer.write_file_header_to(&mut header))
        .map_err(|error| error.to_string())?;
    bytes[..header.len()].copy_from_slice(&header);
    Ok(bytes)
}

/// Roughly the bytes of the file, so that the buffer seldom grows.
fn file_size(object: &Object) -> usize {
    let sections = object.sections.iter().map(|(_, section)| section.data.len() + 24 * section.relocs.len());
    sections.sum::<usize>() + 24 * object.symbols.len() + object.names.len() + 4096
}

/// What symbols become: their numbers in the file, and labels for pairs.
struct Numbers {
    /// By symbol.
    symbols: Column<Symbol, u32>,
    /// The number of the first label.
    labels: u32,
    /// Symbols that only this file sees, the null symbol included.
    locals: u32,
}

fn write_to<'a>(
    out: &mut SinglePhaseWriter<'a>,
    object: &'a Object,
    relocation_names: &'a Column<Section, String>,
) -> object::write::Result<()> {
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
    for (_, section) in object.sections.iter() {
        let sh_offset =
            if section.kind == SectionKind::Zeros { out.offset() } else { out.write_align(section.align) };
        out.write(&section.data);
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
    let numbers = number(object);
    let with_relocs = object.sections.iter().filter(|(_, section)| !section.relocs.is_empty()).count();
    // Section headers: the null one, sections, their relocations, symbols, names of symbols, names of sections.
    let symtab = (1 + object.sections.len() + with_relocs) as u32;
    let mut labels = numbers.labels;
    for (k, section) in object.sections.iter().filter(|(_, section)| !section.relocs.is_empty()) {
        let sh_offset = out.write_align_relocation();
        for reloc in &section.relocs {
            relocation(out, machine.is_64, &numbers, reloc, &mut labels);
        }
        headers.push(SectionHeader {
            sh_name: name(out, relocation_names[k].as_bytes()),
            sh_type: if machine.is_64 { elf::SHT_RELA } else { elf::SHT_REL },
            // SHF_INFO_LINK
            sh_flags: elf::SectionFlags(0x40),
            sh_addr: 0,
            sh_offset,
            sh_size: out.offset() - sh_offset,
            sh_link: symtab,
            sh_info: section_number(k),
            sh_addralign: if machine.is_64 { 8 } else { 4 },
            sh_entsize: if machine.is_64 { 24 } else { 8 },
        });
    }
    symbols(out, object, &numbers, symtab, &mut headers);
    out.write_shstrtab()?;
    out.write_null_section_header();
    headers.iter().for_each(|header| {
        out.write_section_header(header);
    });
    out.write_shstrtab_section_header();
    Ok(())
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
fn is_pair(reloc: &Reloc) -> bool {
    matches!(reloc.kind, RISCV_PAIR_I | RISCV_PAIR_S)
}

/// Numbers the symbols: local ones, labels, and those that others see.
fn number(object: &Object) -> Numbers {
    let pairs: usize =
        object.sections.iter().map(|(_, s)| s.relocs.iter().filter(|reloc| is_pair(reloc)).count()).sum();
    let is_local = |row: &SymbolRow| row.binding == Binding::Local;
    let local = object.symbols.iter().filter(|(_, row)| is_local(row)).count();
    let labels = 1 + local as u32;
    let locals = labels + pairs as u32;
    let mut symbols = Column::filled(object.symbols.len(), 0);
    let (mut next_local, mut next_global) = (1, locals);
    for (symbol, row) in object.symbols.iter() {
        let next = if is_local(row) { &mut next_local } else { &mut next_global };
        symbols[symbol] = *next;
        *next += 1;
    }
    Numbers { symbols, labels, locals }
}

fn relocation(
    out: &mut SinglePhaseWriter,
    is_rela: bool,
    numbers: &Numbers,
    reloc: &Reloc,
    labels: &mut u32,
) {
    let mut write = |offset: u32, symbol: u32, kind: u32, addend: i64| {
        let (r_offset, r_type) = (u64::from(offset), elf::RelocationType(kind));
        out.write_relocation(is_rela, &Rel { r_offset, r_sym: symbol, r_type, r_addend: addend });
    };
    let symbol = numbers.symbols[reloc.symbol];
    if !is_pair(reloc) {
        return write(reloc.offset, symbol, reloc.kind, reloc.addend);
    }
    write(reloc.offset, symbol, PCREL[0], reloc.addend);
    write(reloc.offset + 4, *labels, PCREL[if reloc.kind == RISCV_PAIR_I { 1 } else { 2 }], 0);
    *labels += 1;
}

/// Writes the symbols and their names.
fn symbols<'a>(
    out: &mut SinglePhaseWriter<'a>,
    object: &'a Object,
    numbers: &Numbers,
    symtab: u32,
    headers: &mut Vec<SectionHeader>,
) {
    let sh_offset = out.write_null_symbol();
    let mut global = Vec::new();
    for (symbol, row) in object.symbols.iter() {
        if row.binding == Binding::Local {
            out.write_symbol(&entry(row));
        } else {
            global.push(symbol);
        }
    }
    let pairs = object.sections.iter().flat_map(|(k, section)| {
        section.relocs.iter().filter(|reloc| is_pair(reloc)).map(move |reloc| (k, reloc.offset))
    });
    for (section, offset) in pairs {
        out.write_symbol(&Sym {
            section: Some(section_number(section)),
            st_name: 0,
            st_info: elf::SymbolInfo(0),
            st_other: elf::SymbolOther(0),
            st_shndx: elf::SHN_UNDEF,
            st_value: u64::from(offset),
            st_size: 0,
        });
    }
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
        sh_info: numbers.locals,
        sh_addralign: if object.machine.is_64 { 8 } else { 4 },
        sh_entsize: if object.machine.is_64 { 24 } else { 16 },
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
