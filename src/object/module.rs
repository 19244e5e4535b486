//! A relocatable object as tables: sections, symbols, relocations. What the backends fill, `elf` writes to a
//! file, and `link` reads from files and puts together.
//!
//! Nothing is copied that need not be: the bytes of a section read from a file stay in the file's buffer.

use super::machine::Machine;
use crate::base::{Column, Opt};
use std::borrow::Cow;

crate::handle! {
    /// A section of an object.
    pub struct Section("section");
    /// A symbol of an object.
    pub struct Symbol("symbol");
}

/// What a section is for: with `writable` and `executable`, which segment of a program it goes to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Bytes that a program has in memory (`SHT_PROGBITS`).
    Data,
    /// Memory that starts as zeros and takes no room in a file (`SHT_NOBITS`).
    Zeros,
    /// Addresses of functions to be called before main, and after it (`SHT_INIT_ARRAY`, `SHT_FINI_ARRAY`,
    /// `SHT_PREINIT_ARRAY`).
    Array(u32),
    /// A note (`SHT_NOTE`).
    Note,
    /// Not loaded: debug information, attributes, comments. The number is ELF's section type.
    Other(u32),
}

/// The type of a section of this name that holds functions to be called: as assemblers call it, and its number.
pub fn array(section: &str) -> Option<(&'static str, u32)> {
    let mut rows = [("init_array", 14), ("fini_array", 15), ("preinit_array", 16)].into_iter();
    let rest = section.strip_prefix('.')?;
    rows.find(|(name, _)| {
        rest.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// A section.
#[derive(Clone, Debug)]
pub struct SectionRow<'a> {
    /// `.text`, `.data`, ...
    pub name: Cow<'a, str>,
    /// What it is for.
    pub kind: SectionKind,
    /// `SHF_ALLOC`, `SHF_WRITE`, `SHF_EXECINSTR`, `SHF_TLS`, ... as in ELF.
    pub flags: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// Bytes in memory.
    pub size: u64,
    /// The contents; empty for `Zeros`.
    pub data: Cow<'a, [u8]>,
    /// Bytes of one entry of a table or string section, else 0.
    pub entry_size: u64,
    /// Relocations of the contents, by ascending offset.
    pub relocs: Vec<Reloc>,
}

impl<'a> SectionRow<'a> {
    /// An empty section.
    pub fn new(name: impl Into<Cow<'a, str>>, kind: SectionKind, flags: u64, align: u64) -> SectionRow<'a> {
        let (name, data, relocs) = (name.into(), Cow::Borrowed(&[][..]), Vec::new());
        SectionRow { name, kind, flags, align, size: 0, data, entry_size: 0, relocs }
    }

    /// The section with other contents.
    pub fn with(self, data: Vec<u8>) -> SectionRow<'a> {
        SectionRow { size: data.len() as u64, data: data.into(), ..self }
    }
}

/// A place in a section that depends on the address of a symbol.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Where in the section.
    pub offset: u32,
    /// ELF's number for the machine, or one of `machine`'s numbers for pairs of instructions.
    pub kind: u32,
    /// The symbol whose address it is.
    pub symbol: Symbol,
    /// What is added to the address.
    pub addend: i64,
}

const _: () = assert!(size_of::<Reloc>() == 24);

/// The objects that see a symbol (`STB_*`).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// This object only.
    Local,
    /// Every object; two definitions are an error.
    Global,
    /// Every object; a global definition wins, and none at all means address 0.
    Weak,
}

/// Where a symbol is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In another object.
    Undefined,
    /// `value` bytes into a section.
    In(Section),
    /// `value` is the address itself.
    Absolute,
    /// Wherever the linker has room for `size` zeros, aligned to `value`.
    Common,
}

/// A symbol.
#[derive(Copy, Clone, Debug)]
pub struct SymbolRow {
    /// Its name in `Object::names`: first byte and length.
    pub name: (u32, u32),
    /// Where it is.
    pub place: Place,
    /// See `Place`.
    pub value: u64,
    /// Bytes of what it names; 0 if unknown.
    pub size: u64,
    /// The objects that see it.
    pub binding: Binding,
    /// `STT_*`: 0 none, 1 object, 2 function, 3 section, 6 thread-local, 10 indirect function.
    pub kind: u8,
    /// `STV_*`: 0 default, 2 hidden, 3 protected.
    pub visibility: u8,
}

impl SymbolRow {
    /// A symbol without a name at the start of its place, for this object only.
    pub fn new(place: Place) -> SymbolRow {
        SymbolRow { name: (0, 0), place, value: 0, size: 0, binding: Binding::Local, kind: 0, visibility: 0 }
    }
}

/// A relocatable object.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// The machine it is for.
    pub machine: &'static Machine,
    /// `e_flags` of its header.
    pub flags: u32,
    /// Sections, in the order of the file.
    pub sections: Column<Section, SectionRow<'a>>,
    /// Symbols; those that only this object sees come first.
    pub symbols: Column<Symbol, SymbolRow>,
    /// Names of symbols, each with a NUL behind it, and a NUL in front: what ELF calls a string table.
    pub names: String,
    /// Sections of which a program has one copy, however many objects bring them (`SHT_GROUP` with
    /// `GRP_COMDAT`).
    pub groups: Vec<Group>,
    /// Sections that are in a program only if another one is (`SHF_LINK_ORDER`): those, then the others.
    pub links: Vec<(Section, Section)>,
}

/// See `Object::groups`.
#[derive(Clone, Debug)]
pub struct Group {
    /// Groups of the same name are copies: first byte and length in `Object::names`.
    pub name: (u32, u32),
    /// Its sections.
    pub sections: Vec<Section>,
}

impl<'a> Object<'a> {
    /// An object with nothing in it.
    pub fn new(machine: &'static Machine) -> Object<'a> {
        Object {
            machine,
            flags: machine.flags,
            sections: Column::default(),
            symbols: Column::default(),
            names: String::from("\0"),
            groups: Vec::new(),
            links: Vec::new(),
        }
    }

    /// A copy without contents: names and where they are.
    pub fn shell(&self) -> Object<'static> {
        let rows = self.sections.as_slice().iter().map(|row| {
            let shell = SectionRow::new(row.name.to_string(), row.kind, row.flags, row.align);
            SectionRow { size: row.size, entry_size: row.entry_size, ..shell }
        });
        let (symbols, names) = (self.symbols.clone(), self.names.clone());
        let (groups, links) = (self.groups.clone(), self.links.clone());
        let sections = rows.collect::<Vec<_>>().into();
        Object { machine: self.machine, flags: self.flags, sections, symbols, names, groups, links }
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.text(self.symbols[symbol].name)
    }

    /// The name at a place of `names`.
    pub fn text(&self, (first, len): (u32, u32)) -> &str {
        self.names.get(first as usize..first as usize + len as usize).unwrap_or("")
    }

    /// Puts a name into the pool.
    pub fn add_name(&mut self, name: &str) -> (u32, u32) {
        let first = self.names.len() as u32;
        self.names.push_str(name);
        self.names.push('\0');
        (first, name.len() as u32)
    }

    /// Adds a symbol under a name.
    pub fn add_symbol(&mut self, name: &str, row: SymbolRow) -> Symbol {
        let name = self.add_name(name);
        self.symbols.push(SymbolRow { name, ..row })
    }

    /// The first section of this name. O(sections).
    pub fn section(&self, name: &str) -> Option<Section> {
        self.sections.keys().find(|&section| self.sections[section].name == name)
    }

    /// The section of a symbol that is in one.
    pub fn section_of(&self, symbol: Symbol) -> Opt<Section> {
        match self.symbols[symbol].place {
            Place::In(section) => Opt::some(section),
            _ => Opt::NONE,
        }
    }
}

/// Loaded into memory.
pub const SHF_ALLOC: u64 = 2;
/// Writable.
pub const SHF_WRITE: u64 = 1;
/// Executable.
pub const SHF_EXECINSTR: u64 = 4;
/// In a program only with another section, and in the order of those.
pub const SHF_LINK_ORDER: u64 = 0x80;
/// Copied for each thread.
pub const SHF_TLS: u64 = 0x400;
/// `STT_OBJECT`.
pub const STT_OBJECT: u8 = 1;
/// `STT_FUNC`.
pub const STT_FUNC: u8 = 2;
/// Kept whether it is used or not.
pub const SHF_GNU_RETAIN: u64 = 0x20_0000;
/// Not for programs.
pub const SHF_EXCLUDE: u64 = 0x8000_0000;
/// `STV_HIDDEN`.
pub const STV_HIDDEN: u8 = 2;
/// `STT_SECTION`.
pub const STT_SECTION: u8 = 3;
/// `STT_TLS`.
pub const STT_TLS: u8 = 6;
/// `STT_GNU_IFUNC`: the function's address is what this one returns.
pub const STT_GNU_IFUNC: u8 = 10;
