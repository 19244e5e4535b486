//! Which objects take part, and which symbol every name means.
//!
//! Order: every input in turn, so that the first definition counts; then members of libraries for names that
//! are wanted and not defined, until no more are; then common symbols and the names that linkers define.
//! Members stand where their library does, so that what has to be first or last (`crti.o`, `crtn.o`) is.
//! O(symbols of loaded objects + indices).

use super::*;
use crate::base::intern::DenseMap;
use crate::base::{Interner, Name};
use crate::object::archive::{self, Archive};
use crate::object::module::*;
use crate::object::read;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a symbol of the linker's stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Where a section of the program starts, and where its segment does if there is no such section.
    Start(Cow<'static, str>),
    /// Where it ends.
    End(Cow<'static, str>),
    /// The first byte of the program.
    Base,
    /// The end of code.
    Text,
    /// The end of what comes from the file.
    Data,
    /// The end of everything.
    Last,
    /// What tells a program that is loaded anywhere how to change itself.
    Dynamic,
    /// What RISC-V's `gp` points to: short offsets reach as much as possible of small data.
    GlobalPointer,
    /// Any address of the program's own.
    Zero,
}

const EDGES: [(&str, Edge); 27] = [
    ("__preinit_array_start", Edge::Start(Cow::Borrowed(".preinit_array"))),
    ("__preinit_array_end", Edge::End(Cow::Borrowed(".preinit_array"))),
    ("__init_array_start", Edge::Start(Cow::Borrowed(".init_array"))),
    ("__init_array_end", Edge::End(Cow::Borrowed(".init_array"))),
    ("__fini_array_start", Edge::Start(Cow::Borrowed(".fini_array"))),
    ("__fini_array_end", Edge::End(Cow::Borrowed(".fini_array"))),
    ("__rela_iplt_start", Edge::Start(Cow::Borrowed(".rela.iplt"))),
    ("__rela_iplt_end", Edge::End(Cow::Borrowed(".rela.iplt"))),
    ("__rel_iplt_start", Edge::Start(Cow::Borrowed(".rel.iplt"))),
    ("__rel_iplt_end", Edge::End(Cow::Borrowed(".rel.iplt"))),
    ("__exidx_start", Edge::Start(Cow::Borrowed(".ARM.exidx"))),
    ("__exidx_end", Edge::End(Cow::Borrowed(".ARM.exidx"))),
    ("_GLOBAL_OFFSET_TABLE_", Edge::Start(Cow::Borrowed(".got"))),
    ("__bss_start", Edge::Start(Cow::Borrowed(".bss"))),
    ("__bss_start__", Edge::Start(Cow::Borrowed(".bss"))),
    ("__ehdr_start", Edge::Base),
    ("__executable_start", Edge::Base),
    ("_etext", Edge::Text),
    ("etext", Edge::Text),
    ("_edata", Edge::Data),
    ("edata", Edge::Data),
    ("_end", Edge::Last),
    ("end", Edge::Last),
    ("__end__", Edge::Last),
    ("__global_pointer$", Edge::GlobalPointer),
    ("__dso_handle", Edge::Zero),
    ("_DYNAMIC", Edge::Dynamic),
];

/// How strong a definition is. A stronger one replaces a weaker one; two of the strongest are an error.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    None,
    Weak,
    Common,
    Strong,
}

/// What is known of a global name.
#[derive(Copy, Clone)]
struct Global {
    rank: Rank,
    /// The definition: which loaded object, and its symbol there.
    at: (u32, Symbol),
    /// The library and member that would define it.
    member: Option<(u32, u64)>,
    /// Some object cannot do without it.
    wanted: bool,
}

/// An object on the way in.
struct Loaded<'a> {
    /// Number of the input that it comes from.
    position: u32,
    name: String,
    object: Object<'a>,
    /// Per symbol: the name, if it is global.
    names: Column<Symbol, Opt<Name>>,
    dropped: BitSet<Section>,
}

struct Library<'a> {
    name: String,
    position: u32,
    archive: Archive<'a>,
    /// Bytes that members may still have: members do not overlap.
    budget: u64,
}

struct Resolver<'a> {
    machine: &'static Machine,
    pie: bool,
    names: Interner,
    globals: Column<Name, Global>,
    /// Groups that an object has brought.
    groups: DenseMap<u32, ()>,
    loaded: Vec<Loaded<'a>>,
    libraries: Vec<Library<'a>>,
    members: DenseMap<(u32, u64), ()>,
    /// Wanted names that a library has.
    queue: Vec<Name>,
    /// Of common names: what the strictest object wants them aligned to.
    common_aligns: BTreeMap<Name, u64>,
    errors: Vec<LinkError>,
}

/// Loads the inputs and whatever of libraries is wanted, and resolves all names.
pub(super) fn resolve<'a>(
    inputs: Vec<Input<'a>>,
    options: &Options<'_>,
) -> Result<Program<'a>, Vec<LinkError>> {
    let (mut r, entry) = Resolver::of(inputs, options);
    if r.globals[entry].rank == Rank::None {
        r.error("", format!("the program has no '{}', where it would start", options.entry));
    }
    if !r.errors.is_empty() {
        return Err(r.errors);
    }
    let edges = r.own_object();
    Ok(r.finish(options, entry, edges))
}

/// The names that stay wanted, sorted. O(relocations of the inputs) if there are any.
pub(super) fn undefined(
    inputs: Vec<Input<'_>>,
    options: &Options<'_>,
) -> Result<Vec<Undefined>, Vec<LinkError>> {
    let (mut r, _) = Resolver::of(inputs, options);
    if !r.errors.is_empty() {
        return Err(r.errors);
    }
    r.own_object();
    let mut rows: Column<Name, Option<Undefined>> = Column::filled(r.names.len(), None);
    for (name, _) in r.globals.iter().filter(|(_, global)| global.wanted && global.rank == Rank::None) {
        rows[name] = Some(Undefined { name: r.names.text(name).to_string(), users: Vec::new() });
    }
    for Loaded { name: file, object, names, .. } in &r.loaded {
        for (symbol, row) in object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined) {
            if row.binding == Binding::Global
                && let Some(undefined) = names[symbol].get().and_then(|name| rows[name].as_mut())
            {
                undefined.users.push((file.clone(), user(object, symbol)));
            }
        }
    }
    let mut rows: Vec<Undefined> = rows.into_vec().into_iter().flatten().collect();
    rows.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(rows)
}

/// The function of an object whose code is the first that refers to a symbol.
fn user(object: &Object, symbol: Symbol) -> Option<String> {
    let (section, offset) = object.sections.iter().find_map(|(section, row)| {
        let reloc = row.relocs.iter().find(|reloc| reloc.symbol == symbol)?;
        Some((section, u64::from(reloc.offset)))
    })?;
    let is_around = |row: &SymbolRow| {
        row.kind == STT_FUNC
            && row.place == Place::In(section)
            && (row.value..row.value + row.size).contains(&offset)
    };
    let (function, _) = object.symbols.iter().find(|(_, row)| is_around(row))?;
    Some(object.name(function).to_string())
}

impl<'a> Resolver<'a> {
    /// All that is loaded of the inputs, and the name of the entry.
    fn of(inputs: Vec<Input<'a>>, options: &Options<'_>) -> (Self, Name) {
        let mut r = Resolver {
            machine: options.machine,
            pie: options.pie,
            names: Interner::default(),
            globals: Column::new(),
            common_aligns: BTreeMap::new(),
            groups: DenseMap::default(),
            loaded: Vec::new(),
            libraries: Vec::new(),
            members: DenseMap::default(),
            queue: Vec::new(),
            errors: Vec::new(),
        };
        let entry = r.intern(options.entry);
        r.globals[entry].wanted = true;
        r.load(inputs);
        (r, entry)
    }

    /// Reads all inputs, then members of libraries until nothing is wanted that they have.
    fn load(&mut self, inputs: Vec<Input<'a>>) {
        for (position, input) in inputs.into_iter().enumerate() {
            self.input(position as u32, input);
        }
        let mut next = 0;
        while next < self.queue.len() {
            self.load_member(self.queue[next]);
            next += 1;
        }
    }

    fn error(&mut self, file: &str, message: String) {
        self.errors.push(LinkError { file: file.to_string(), message });
    }

    fn intern(&mut self, name: &str) -> Name {
        let name = self.names.intern(name);
        let none = Global { rank: Rank::None, at: (0, Symbol::new(0)), member: None, wanted: false };
        self.globals.grow_to(self.names.len(), none);
        name
    }

    fn input(&mut self, position: u32, input: Input<'a>) {
        let name = input.name;
        match input.content {
            Content::Object(mut object) => {
                if let Some(stretch) = veneer::stretch(self.machine) {
                    split::split(&mut object, stretch, stretch / 4);
                }
                self.add(position, name, *object);
            }
            Content::Bytes(bytes) if archive::is_archive(bytes) => self.open_library(position, name, bytes),
            Content::Bytes(bytes) if read::is_elf(bytes) => self.read(position, name, bytes),
            Content::Bytes(_) => self.error(&name, "neither an object file nor a library".to_string()),
        }
    }

    fn read(&mut self, position: u32, name: String, bytes: &'a [u8]) {
        if let Some(message) = archive::ir_in_text(bytes) {
            return self.error(&name, message);
        }
        match read::read(bytes, self.machine) {
            Ok(object) => self.add(position, name, object),
            Err(message) => self.error(&name, message),
        }
    }

    fn open_library(&mut self, position: u32, name: String, bytes: &'a [u8]) {
        let opened =
            Archive::open(bytes).and_then(|archive| archive.symbols().map(|symbols| (archive, symbols)));
        let (archive, symbols) = match opened {
            Ok(opened) => opened,
            Err(message) => return self.error(&name, message),
        };
        let library = self.libraries.len() as u32;
        self.libraries.push(Library { name, position, archive, budget: bytes.len() as u64 });
        for (symbol, offset) in symbols {
            let symbol = self.intern(symbol);
            let global = &mut self.globals[symbol];
            if global.member.is_none() {
                global.member = Some((library, offset));
                if global.wanted && global.rank == Rank::None {
                    self.queue.push(symbol);
                }
            }
        }
    }

    fn load_member(&mut self, name: Name) {
        let global = self.globals[name];
        let Some((number, offset)) = global.member.filter(|_| global.rank == Rank::None) else { return };
        if self.members.insert((number, offset), ()).is_some() {
            return;
        }
        let library = &mut self.libraries[number as usize];
        let (position, library_name) = (library.position, library.name.clone());
        match library.archive.member(offset) {
            Ok((_, bytes)) if bytes.len() as u64 > library.budget => {
                self.error(&library_name, "its members overlap".to_string());
            }
            Ok((member, bytes)) => {
                library.budget -= bytes.len() as u64;
                self.read(position, format!("{library_name}({member})"), bytes);
            }
            Err(message) => self.error(&library_name, message),
        }
    }

    /// Enters an object's global names.
    fn add(&mut self, position: u32, name: String, object: Object<'a>) {
        if object.machine.number != self.machine.number {
            return self.error(&name, format!("for {}, not for {}", object.machine.name, self.machine.name));
        }
        if let Some(message) = flags_differ(self.machine, object.flags) {
            return self.error(&name, message);
        }
        let number = self.loaded.len() as u32;
        let mut dropped = BitSet::new(object.sections.len());
        for group in &object.groups {
            let signature = self.intern(object.text(group.name));
            if self.groups.insert(signature.index() as u32, ()).is_some() {
                group.sections.iter().for_each(|&section| {
                    dropped.insert(section);
                });
            }
        }
        let mut names = Column::filled(object.symbols.len(), Opt::NONE);
        for (symbol, row) in object.symbols.iter() {
            if row.binding == Binding::Local {
                continue;
            }
            let global = self.intern(object.name(symbol));
            names[symbol] = Opt::some(global);
            let rank = match row.place {
                Place::Undefined => Rank::None,
                Place::In(section) if dropped.contains(section) => Rank::None,
                Place::Common => Rank::Common,
                _ if row.binding == Binding::Weak => Rank::Weak,
                _ => Rank::Strong,
            };
            if rank == Rank::Common {
                let align = self.common_aligns.entry(global).or_default();
                *align = row.value.max(*align);
            }
            let old = self.globals[global];
            if rank == Rank::None {
                if row.binding == Binding::Global && !old.wanted {
                    self.globals[global].wanted = true;
                    if old.rank == Rank::None && old.member.is_some() {
                        self.queue.push(global);
                    }
                }
            } else if rank > old.rank || rank == Rank::Common && self.is_larger(row, old) {
                (self.globals[global].rank, self.globals[global].at) = (rank, (number, symbol));
            } else if rank == Rank::Strong && old.rank == Rank::Strong {
                let first = self.loaded.get(old.at.0 as usize).map_or(&name, |other| &other.name);
                let message = format!("'{}' is defined here and in {first}", object.name(symbol));
                self.errors.push(LinkError { file: name.clone(), message });
            }
        }
        self.loaded.push(Loaded { position, name, object, names, dropped });
    }

    /// Of two common symbols the larger one stays.
    fn is_larger(&self, row: &SymbolRow, old: Global) -> bool {
        let other = self.loaded.get(old.at.0 as usize).map(|file| file.object.symbols[old.at.1]);
        old.rank == Rank::Common && other.is_some_and(|other| row.size > other.size)
    }

    /// Makes the object with what no input defines; it is the last.
    fn own_object(&mut self) -> Vec<(Symbol, Edge)> {
        let mut object = Object::new(self.machine);
        let (mut names, mut edges) = (Column::new(), Vec::new());
        let number = self.loaded.len() as u32;
        // By file and symbol, which is the order of the inputs.
        let mut commons: Vec<_> = self
            .globals
            .iter()
            .filter(|(_, global)| global.rank == Rank::Common)
            .map(|(name, global)| (global.at, name))
            .collect();
        commons.sort_unstable();
        for ((file, symbol), name) in commons {
            let row = self.loaded[file as usize].object.symbols[symbol];
            let align = self.common_aligns.get(&name).copied().unwrap_or(row.value).max(1);
            let is_tls = row.kind == STT_TLS;
            let (name_in, more) = if is_tls { (".tbss", SHF_TLS) } else { (".bss", 0) };
            let flags = SHF_ALLOC | SHF_WRITE | more;
            let zeros = SectionRow::new(name_in, SectionKind::Zeros, flags, align);
            let section = object.sections.push(SectionRow { size: row.size, ..zeros });
            let text = object.add_name(self.names.text(name));
            let row = SymbolRow { name: text, place: Place::In(section), value: 0, ..row };
            let symbol = object.symbols.push(row);
            names.push(Opt::some(name));
            self.globals[name].at = (number, symbol);
        }
        let mut define = |r: &mut Self, name: Name, edge: Edge| {
            let (text, binding) = (object.add_name(r.names.text(name)), Binding::Global);
            let row = SymbolRow::new(Place::Absolute);
            let symbol = object.symbols.push(SymbolRow { name: text, binding, visibility: 2, ..row });
            names.push(Opt::some(name));
            edges.push((symbol, edge));
            (r.globals[name].rank, r.globals[name].at) = (Rank::Strong, (number, symbol));
        };
        for (text, edge) in EDGES {
            if let Some(name) = self.names.find(text)
                && self.globals[name].rank == Rank::None
                && (self.pie || edge != Edge::Dynamic)
            {
                define(self, name, edge);
            }
        }
        // `__start_x` and `__stop_x`, for every section `x`.
        let mut sections: Vec<&str> = Vec::new();
        for file in &self.loaded {
            let rows = file.object.sections.as_slice().iter();
            sections.extend(rows.filter(|row| is_identifier(&row.name)).map(|row| &*row.name));
        }
        sections.sort_unstable();
        sections.dedup();
        let mut found = Vec::new();
        for section in sections {
            let start = self.names.find(&format!("__start_{section}"));
            let stop = self.names.find(&format!("__stop_{section}"));
            found.extend(start.map(|name| (name, Edge::Start(section.to_string().into()))));
            found.extend(stop.map(|name| (name, Edge::End(section.to_string().into()))));
        }
        for (name, edge) in found {
            if self.globals[name].rank == Rank::None {
                define(self, name, edge);
            }
        }
        let (name, dropped) = ("what the linker adds".to_string(), BitSet::new(0));
        self.loaded.push(Loaded { position: u32::MAX, name, object, names, dropped });
        edges
    }

    /// Files in the order of inputs, and all columns by symbol.
    fn finish(self, options: &Options<'_>, entry: Name, edges: Vec<(Symbol, Edge)>) -> Program<'a> {
        let mut order: Vec<u32> = (0..self.loaded.len() as u32).collect();
        order.sort_by_key(|&number| self.loaded[number as usize].position);
        let mut first_sym = vec![Sym::new(0); self.loaded.len()];
        let mut syms = 0;
        for &number in &order {
            first_sym[number as usize] = Sym::new(syms);
            syms += self.loaded[number as usize].object.symbols.len();
        }
        let at = |(file, symbol): (u32, Symbol)| Sym::new(first_sym[file as usize].index() + symbol.index());
        let mut symbols = Symbols {
            definition: Column::with_capacity(syms),
            piece: Column::with_capacity(syms),
            address: Column::with_capacity(syms),
            flags: Column::with_capacity(syms),
        };
        let mut files: Column<File, FileRow<'a>> = Column::new();
        let mut file_of: Column<Piece, File> = Column::new();
        let flags =
            self.loaded.iter().fold(self.machine.program_flags, |flags, file| flags | file.object.flags);
        let mut loaded: Vec<_> = self.loaded.into_iter().map(Some).collect();
        let order = order.into_iter().filter_map(|number| loaded[number as usize].take());
        for Loaded { name, object, names, dropped, .. } in order {
            let (first_piece, first_sym) = (file_of.next_handle(), symbols.definition.next_handle());
            let file = files.next_handle();
            object.sections.keys().for_each(|_| {
                file_of.push(file);
            });
            for (symbol, row) in object.symbols.iter() {
                let sym = symbols.definition.next_handle();
                let global = names[symbol].get().map(|name| self.globals[name]);
                let definition =
                    global.filter(|global| global.rank != Rank::None).map_or(sym, |global| at(global.at));
                symbols.definition.push(definition);
                let (mut piece, mut flags) = (Opt::NONE, 0);
                match row.place {
                    Place::In(section) if dropped.contains(section) => flags |= flag::DROPPED,
                    Place::In(section) => {
                        piece = Opt::some(Piece::new(first_piece.index() + section.index()))
                    }
                    // Symbol 0 of a file stands for no symbol at all: address 0.
                    Place::Undefined if row.binding != Binding::Local => flags |= flag::UNDEFINED,
                    _ => {}
                }
                flags |= if row.binding == Binding::Weak { flag::WEAK } else { 0 };
                flags |= if row.kind == STT_GNU_IFUNC { flag::IFUNC } else { 0 };
                flags |= if row.kind == STT_TLS { flag::TLS } else { 0 };
                if matches!(row.kind, STT_FUNC | STT_GNU_IFUNC) {
                    let is_thumb = self.machine.call_bias.is_some() && row.value & 1 != 0;
                    flags |= flag::FUNC | if is_thumb { flag::THUMB } else { 0 };
                }
                symbols.piece.push(piece);
                symbols.address.push(row.value);
                symbols.flags.push(flags);
            }
            files.push(FileRow { name, object, dropped, first_piece, first_sym });
        }
        // What refers to a definition gets what is known of it.
        for sym in symbols.definition.keys() {
            let definition = symbols.definition[sym];
            if definition != sym {
                symbols.piece[sym] = symbols.piece[definition];
                symbols.address[sym] = symbols.address[definition];
                symbols.flags[sym] = symbols.flags[definition];
            }
        }
        let own_first = first_sym.last().map_or(0, |sym| sym.index());
        let edges =
            edges.into_iter().map(|(symbol, edge)| (Sym::new(own_first + symbol.index()), edge)).collect();
        Program {
            machine: self.machine,
            strip: options.strip,
            keep_unused: options.keep_unused,
            pie: options.pie,
            base: if options.pie { 0 } else { self.machine.base },
            flags,
            entry: at(self.globals[entry].at),
            files,
            live: BitSet::new(file_of.len()),
            file_of,
            symbols,
            names: self.names,
            edges,
        }
    }
}

/// True if a program can name the section's ends in C.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Objects that pass floating-point arguments in other registers than ours cannot be called.
fn flags_differ(machine: &Machine, flags: u32) -> Option<String> {
    let (mask, expected) = machine.convention_flags;
    (flags & mask != expected)
        .then(|| format!("made for another calling convention (flags {flags:#x}, not {:#x})", machine.flags))
}
