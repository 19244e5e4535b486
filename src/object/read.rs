//! The bytes of a relocatable ELF file, as an `Object`. 64-bit files with addends in the relocations, 32-bit
//! ones with addends in place; both become the same rows.
//!
//! Order: header, section headers, symbols, groups, relocations. O(bytes). Any bytes may come: what is cut
//! off, out of range or of another machine is an error that says so, and nothing is allocated that the file
//! has no bytes for. Section contents stay where they are.

use super::align;
use super::machine::Machine;
use super::module::*;
use super::reloc::Rows;
use crate::base::{Column, Handle, Opt};
use object::LittleEndian as Le;
use object::elf;
use object::read::elf::{
    AttributesSection, FileHeader, Rel, Rela, SectionHeader, SectionTable, Sym, SymbolTable,
};
use std::borrow::Cow;

/// The most bytes of a section, so that sums of sizes stay numbers. No machine has that much memory.
const MOST_SIZE: u64 = 1 << 46;
/// The most that an alignment may be.
const MOST_ALIGN: u64 = 1 << 30;
/// And the most where bytes of the file are aligned: every piece may cost that in the program.
const MOST_DATA_ALIGN: u64 = 1 << 16;

/// True if the bytes open as every ELF file does.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// Reads an object file of the machine. The error says what is wrong with it.
pub fn read<'a>(bytes: &'a [u8], machine: &'static Machine) -> Result<Object<'a>, String> {
    match bytes {
        [0x7f, b'E', b'L', b'F', 2, 1, ..] if machine.is_64 => {
            Reader::<elf::FileHeader64<Le>>::run(bytes, machine)
        }
        [0x7f, b'E', b'L', b'F', 1, 1, ..] if !machine.is_64 => {
            Reader::<elf::FileHeader32<Le>>::run(bytes, machine)
        }
        [0x7f, b'E', b'L', b'F', ..] => {
            Err(format!("not for {}: wrong size of words or order of bytes", machine.name))
        }
        _ => Err("not an object file".to_string()),
    }
}

/// One file's tables on the way in.
struct Reader<'a, Elf: FileHeader<Endian = Le>> {
    bytes: &'a [u8],
    table: SectionTable<'a, Elf>,
    symbols: SymbolTable<'a, Elf>,
    /// Per section of the file: ours, if it is part of a program.
    sections: Vec<Opt<Section>>,
    object: Object<'a>,
}

fn said(error: object::Error) -> String {
    error.to_string()
}

impl<'a, Elf: FileHeader<Endian = Le>> Reader<'a, Elf> {
    fn run(bytes: &'a [u8], machine: &'static Machine) -> Result<Object<'a>, String> {
        let header = Elf::parse(bytes).map_err(said)?;
        let found = header.e_machine(Le).0;
        if found != machine.number {
            return Err(format!("for another machine ({found}), not for {}", machine.name));
        }
        if header.e_type(Le) != elf::ET_REL {
            return Err("not relocatable: a program or a shared library cannot be linked".to_string());
        }
        let table = header.sections(Le, bytes).map_err(said)?;
        let symbols = table.symbols(Le, bytes, elf::SHT_SYMTAB).map_err(said)?;
        let mut object = Object::new(machine);
        object.flags = header.e_flags(Le).0;
        let sections = vec![Opt::NONE; table.len()];
        let mut reader = Reader::<Elf> { bytes, table, symbols, sections, object };
        reader.read_sections()?;
        reader.read_symbols()?;
        reader.read_groups()?;
        reader.read_relocs()?;
        if reader.passes_floats_elsewhere() {
            return Err("made for another calling convention: floats are passed in registers for integers"
                .to_string());
        }
        align::settle(&mut reader.object)?;
        Ok(reader.object)
    }

    /// ARM says how floating-point arguments are passed in attributes only. Code without floats fits
    /// everywhere.
    fn passes_floats_elsewhere(&self) -> bool {
        const SHT_ARM_ATTRIBUTES: u32 = 0x7000_0003;
        let says = self.object.machine.convention_attributes;
        let mut headers =
            self.table.iter().filter(|header| says && header.sh_type(Le).0 == SHT_ARM_ATTRIBUTES);
        headers.any(|header| header.data(Le, self.bytes).ok().and_then(float_arguments) == Some(false))
    }

    fn read_sections(&mut self) -> Result<(), String> {
        // Sections of one file never overlap, so all together are no longer than the file.
        let mut total = 0_u64;
        for (index, header) in self.table.enumerate() {
            let name = self.table.section_name(Le, header).map_err(said)?;
            let name = String::from_utf8_lossy(name);
            let number = header.sh_type(Le);
            let kind = match number {
                elf::SHT_NULL
                | elf::SHT_SYMTAB
                | elf::SHT_STRTAB
                | elf::SHT_RELA
                | elf::SHT_REL
                | elf::SHT_GROUP
                | elf::SHT_SYMTAB_SHNDX => continue,
                elf::SHT_NOBITS => SectionKind::Zeros,
                elf::SHT_NOTE => SectionKind::Note,
                elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY => {
                    SectionKind::Array(number.0)
                }
                _ if header.sh_flags(Le).0 & SHF_ALLOC == 0 => SectionKind::Other(number.0),
                _ => SectionKind::Data,
            };
            let flags = header.sh_flags(Le).0;
            let size: u64 = header.sh_size(Le).into();
            if size > MOST_SIZE {
                return Err(format!("section {name} is {size:#x} bytes long"));
            }
            let align = header.sh_addralign(Le).into().max(1);
            let is_free = kind == SectionKind::Zeros && flags & SHF_TLS == 0;
            let most = if is_free { MOST_ALIGN } else { MOST_DATA_ALIGN };
            if !align.is_power_of_two() || align > most {
                return Err(format!("section {name} has the alignment {align:#x}"));
            }
            let data = header.data(Le, self.bytes).map_err(|_| format!("section {name} is cut off"))?;
            total += data.len() as u64;
            if total > self.bytes.len() as u64 {
                return Err("its sections overlap".to_string());
            }
            let entry_size = header.sh_entsize(Le).into();
            let (data, relocs) = (Cow::Borrowed(data), Vec::new());
            let row = SectionRow { name, kind, flags, align, size, data, entry_size, relocs };
            self.sections[index.0] = Opt::some(self.object.sections.push(row));
        }
        for (index, header) in self.table.enumerate() {
            let other = self.sections.get(header.sh_link(Le) as usize).and_then(|section| section.get());
            if header.sh_flags(Le).0 & elf::SHF_LINK_ORDER.0 != 0
                && let (Some(section), Some(other)) = (self.sections[index.0].get(), other)
            {
                self.object.links.push((section, other));
            }
        }
        Ok(())
    }

    fn read_symbols(&mut self) -> Result<(), String> {
        let strings = self.table.section(self.symbols.string_section());
        let pool = match strings {
            Ok(header) if !self.symbols.is_empty() => header.data(Le, self.bytes).map_err(said)?,
            _ => &[],
        };
        // One copy of all names; where they are no UTF-8 each symbol gets its own.
        let whole = std::str::from_utf8(pool).ok();
        self.object.names = whole.unwrap_or_default().to_string();
        let mut rows = Column::with_capacity(self.symbols.len());
        for (index, symbol) in self.symbols.enumerate() {
            let first = symbol.st_name(Le) as usize;
            let rest = pool.get(first..).unwrap_or_default();
            let text = &rest[..memchr::memchr(0, rest).unwrap_or(rest.len())];
            let name = match whole {
                _ if text.is_empty() => (0, 0),
                Some(_) => (first as u32, text.len() as u32),
                None => self.object.add_name(&String::from_utf8_lossy(text)),
            };
            let value: u64 = symbol.st_value(Le).into();
            let shown = || String::from_utf8_lossy(text).into_owned();
            let section = match symbol.st_shndx(Le) {
                elf::SHN_XINDEX => self.symbols.shndx(Le, index),
                number => Some(u32::from(number.0)),
            };
            let place = match (symbol.st_shndx(Le), section) {
                (elf::SHN_UNDEF, _) => Place::Undefined,
                (elf::SHN_ABS, _) => Place::Absolute,
                (elf::SHN_COMMON, _) => Place::Common,
                (_, Some(number)) => match self.sections.get(number as usize).map(|section| section.get()) {
                    Some(Some(section)) => Place::In(section),
                    // A symbol of a section that no program has: of the symbol table itself, for one.
                    Some(None) => Place::Absolute,
                    None => {
                        return Err(format!("the symbol '{}' is in a section that is not there", shown()));
                    }
                },
                _ => return Err(format!("the symbol '{}' is in a section that is not there", shown())),
            };
            if place == Place::Common && (!value.max(1).is_power_of_two() || value > MOST_ALIGN) {
                return Err(format!("the symbol '{}' has the alignment {value:#x}", shown()));
            }
            let binding = match symbol.st_bind() {
                elf::STB_LOCAL => Binding::Local,
                elf::STB_WEAK => Binding::Weak,
                _ => Binding::Global,
            };
            let (kind, visibility) = (symbol.st_type().0, symbol.st_visibility().0);
            rows.push(SymbolRow {
                name,
                place,
                value,
                size: symbol.st_size(Le).into(),
                binding,
                kind,
                visibility,
            });
        }
        self.object.symbols = rows;
        Ok(())
    }

    fn read_groups(&mut self) -> Result<(), String> {
        for (_, header) in self.table.enumerate() {
            let Some((flag, members)) = header.group(Le, self.bytes).map_err(said)? else { continue };
            if flag.0 & elf::GRP_COMDAT.0 == 0 {
                continue;
            }
            let signature = header.sh_info(Le) as usize;
            if signature >= self.object.symbols.len() {
                return Err("a group of sections has no name".to_string());
            }
            let row = self.object.symbols[Symbol::new(signature)];
            let sections: Vec<Section> = members
                .iter()
                .filter_map(|number| {
                    self.sections.get(number.get(Le) as usize).and_then(|section| section.get())
                })
                .collect();
            let name = match row.place {
                Place::In(section) if row.kind == STT_SECTION => {
                    let text = self.object.sections[section].name.clone();
                    self.object.add_name(&text)
                }
                _ => row.name,
            };
            self.object.groups.push(Group { name, sections });
        }
        Ok(())
    }

    fn read_relocs(&mut self) -> Result<(), String> {
        let rows = Rows::new(self.object.machine);
        let mut total = 0_u64;
        for (_, header) in self.table.enumerate() {
            let number = header.sh_type(Le);
            if number != elf::SHT_RELA && number != elf::SHT_REL {
                continue;
            }
            total = total.saturating_add(header.sh_size(Le).into());
            if total > self.bytes.len() as u64 {
                return Err("its relocations overlap".to_string());
            }
            let target = self.sections.get(header.sh_info(Le) as usize).and_then(|section| section.get());
            let Some(section) = target else { continue };
            let mut relocs = std::mem::take(&mut self.object.sections[section].relocs);
            if let Some((entries, _)) = header.rela(Le, self.bytes).map_err(said)? {
                relocs.reserve_exact(entries.len());
                for entry in entries {
                    let (offset, addend) = (entry.r_offset(Le).into(), entry.r_addend(Le).into());
                    let kind = entry.r_type(Le, false).0;
                    relocs.push(self.reloc(
                        &rows,
                        section,
                        offset,
                        kind,
                        entry.r_sym(Le, false),
                        Some(addend),
                    )?);
                }
            } else if let Some((entries, _)) = header.rel(Le, self.bytes).map_err(said)? {
                relocs.reserve_exact(entries.len());
                for entry in entries {
                    let (offset, kind) = (entry.r_offset(Le).into(), entry.r_type(Le).0);
                    relocs.push(self.reloc(&rows, section, offset, kind, entry.r_sym(Le), None)?);
                }
            }
            if !relocs.is_sorted_by_key(|reloc| reloc.offset) {
                relocs.sort_by_key(|reloc| reloc.offset);
            }
            self.object.sections[section].relocs = relocs;
        }
        Ok(())
    }

    /// A relocation of ours, after checking that its symbol and its bytes are there.
    fn reloc(
        &self,
        rows: &Rows,
        section: Section,
        offset: u64,
        kind: u32,
        symbol: u32,
        addend: Option<i64>,
    ) -> Result<Reloc, String> {
        let target = &self.object.sections[section];
        let Some(row) = rows.get(kind).filter(|row| row.number < 1 << 16) else {
            return Err(format!(
                "section {} has a relocation of unknown kind {kind}, at {offset:#x}",
                target.name
            ));
        };
        let end = offset.checked_add(u64::from(row.size)).filter(|&end| end <= target.data.len() as u64);
        if end.is_none() || u32::try_from(offset).is_err() {
            let what = if target.kind == SectionKind::Zeros { "which has no bytes" } else { "outside of it" };
            return Err(format!("a relocation of section {}, {what}, at {offset:#x}", target.name));
        }
        if symbol as usize >= self.object.symbols.len().max(1) {
            return Err(format!(
                "section {} has a relocation with symbol {symbol}, which is not there",
                target.name
            ));
        }
        let addend = match addend {
            Some(addend) => addend,
            None => (row.get)(&target.data[offset as usize..]),
        };
        Ok(Reloc { offset: offset as u32, kind, symbol: Symbol::new(symbol as usize), addend })
    }
}

/// Whether floating-point arguments are in floating-point registers, by ARM's attributes (Addenda to the ABI,
/// 3.3); none if there are no floats, if both kinds of callers are fine, or if the bytes cannot be
/// understood.
fn float_arguments(bytes: &[u8]) -> Option<bool> {
    const NUMBER_MODEL: u64 = 23;
    const ARGUMENTS: u64 = 28;
    let section = AttributesSection::<elf::FileHeader32<Le>>::new(Le, bytes).ok()?;
    let (mut model, mut arguments) = (0, 0);
    for subsection in
        section.subsections().ok()?.map_while(Result::ok).filter(|part| part.vendor() == b"aeabi")
    {
        for part in
            subsection.subsubsections().map_while(Result::ok).filter(|part| part.tag() == elf::Tag_File)
        {
            let mut reader = part.attributes();
            while let Some(tag) = reader.read_tag().ok()? {
                // Names of processors are texts, and so is what has an odd number from 32 on; that one has
                // both.
                let has_text = matches!(tag, 4 | 5 | 32) || tag > 32 && tag % 2 == 1;
                let number = if has_text && tag != 32 { 0 } else { reader.read_integer().ok()? };
                if has_text {
                    reader.read_string().ok()?;
                }
                match tag {
                    NUMBER_MODEL => model = number,
                    ARGUMENTS => arguments = number,
                    _ => {}
                }
            }
        }
    }
    match arguments {
        _ if model == 0 => None,
        1 => Some(true),
        3 => None,
        _ => Some(false),
    }
}
