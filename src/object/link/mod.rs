//! The static linker: objects and libraries to a program.
//!
//! | step | file | does | cost |
//! | --- | --- | --- | --- |
//! | resolve | `resolve`, `split` | loads what is asked for, finds every name's definition | names |
//! | mark | `live`, `unwind` | what can be reached from the entry | sections + relocations |
//! | scan | `demand`, `pie` | entries of the address table, indirect functions, undefined names | relocations |
//! | place | `layout`, `sections`, `index`, `frames`, `veneer` | output sections, segments, addresses; indices of unwinders; jumps in between for far calls | sections |
//! | write | `apply`, `write`, `symtab` | bytes, relocations applied, symbols, headers | bytes |
//!
//! What the linker makes itself (tables, veneers, common symbols, `_end`, ...) are sections and symbols of
//! one more object, the last, so that no step has a case for them. Names are hashed once per object that has
//! them as global ones; everything behind `resolve` works on columns. The output depends on the inputs and
//! their order only.
//!
//! Absent on purpose: shared libraries, version scripts, link-time relaxation (but for descriptors of thread-local data).

mod apply;
mod demand;
mod frames;
mod index;
mod layout;
mod live;
mod pie;
mod resolve;
mod sections;
mod split;
mod symtab;
mod unwind;
mod veneer;
mod write;

use super::machine::{Machine, Sequence};
use super::module::{Object, Place, Section, SectionRow, Symbol, SymbolRow};
use crate::base::parallel::Workers;
use crate::base::{BitSet, Column, Handle, Interner, Opt};
use std::fmt;
use std::ops::Range;

crate::handle! {
    /// An object that takes part, in the order in which they stand in the program.
    struct File("file");
    /// A section of an object: all sections of the first file, then all of the second, ...
    struct Piece("piece");
    /// A symbol of an object, numbered likewise.
    struct Sym("sym");
    /// A section of the program.
    struct Out("out");
}

/// What there is to link, in order.
#[derive(Debug)]
pub struct Input<'a> {
    /// For messages.
    pub name: String,
    /// An object, or what stands in a file.
    pub content: Content<'a>,
}

/// See `Input`.
#[derive(Debug)]
pub enum Content<'a> {
    /// An object in tables.
    Object(Box<Object<'a>>),
    /// The bytes of an object file or a library.
    Bytes(&'a [u8]),
}

/// What to make of it.
#[derive(Copy, Clone, Debug)]
pub struct Options<'a> {
    /// The machine of all objects and of the program.
    pub machine: &'static Machine,
    /// The symbol where the program starts.
    pub entry: &'a str,
    /// Leave out symbols and whatever is not loaded.
    pub strip: bool,
    /// Keep sections that nothing refers to.
    pub keep_unused: bool,
    /// The program is loaded anywhere (a static PIE).
    pub pie: bool,
    /// The threads that apply relocations; the caller's own thread if there are none. The program is the
    /// same.
    pub workers: Option<&'a Workers>,
}

impl Options<'_> {
    /// As most programs want it: from `_start`, with symbols, without unused sections.
    pub fn new(machine: &'static Machine) -> Self {
        Options { machine, entry: "_start", strip: false, keep_unused: false, pie: false, workers: None }
    }
}

/// Something that makes a program impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    /// The object, with the library's name in front if it is a member; empty where no single one is at fault.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.as_str() {
            "" => f.write_str(&self.message),
            file => write!(f, "{file}: {}", self.message),
        }
    }
}

/// Links a program. All errors of the first step that has any are returned.
pub fn link(inputs: Vec<Input<'_>>, options: &Options<'_>) -> Result<Vec<u8>, Vec<LinkError>> {
    let mut program = resolve::resolve(inputs, options)?;
    live::mark(&mut program, options.workers);
    let demand = demand::scan(&mut program, options.workers)?;
    let layout = layout::place(&mut program, &demand)?;
    write::write(&mut program, &demand, &layout, options.workers)
}

/// A name that no input defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// As objects have it.
    pub name: String,
    /// The objects that refer to it, in order, each with the first function that does if that is known; none of the entry.
    pub users: Vec<(String, Option<String>)>,
}

/// The names that the inputs want, the entry among them, and that none of them defines, sorted; what
/// libraries have counts as defined. So a caller finds out which libraries are missing.
pub fn undefined(inputs: &[Input<'_>], options: &Options<'_>) -> Result<Vec<Undefined>, Vec<LinkError>> {
    let shells = inputs.iter().map(|input| {
        let content = match &input.content {
            Content::Object(object) => Content::Object(Box::new(object.shell())),
            Content::Bytes(bytes) => Content::Bytes(bytes),
        };
        Input { name: input.name.clone(), content }
    });
    resolve::undefined(shells.collect(), options)
}

/// Relocations that a worker looks at at a time.
const TOGETHER: usize = 1 << 12;

/// So many relocations in parts, and who looks at them, if there are enough for several workers.
fn parts_of(relocs: usize, workers: Option<&Workers>) -> Option<(Vec<Range<usize>>, &Workers)> {
    let workers = workers.filter(|workers| workers.jobs() > 1 && relocs > TOGETHER)?;
    let parts = (0..relocs).step_by(TOGETHER).map(|first| first..relocs.min(first + TOGETHER));
    Some((parts.collect(), workers))
}

/// An object of the program.
struct FileRow<'a> {
    /// For messages.
    name: String,
    object: Object<'a>,
    /// Copies of sections that another object brought first.
    dropped: BitSet<Section>,
    /// The piece of its first section.
    first_piece: Piece,
    /// The number of its first symbol.
    first_sym: Sym,
}

/// What is known of symbols; see `Symbols::flags`.
mod flag {
    /// No object defines it.
    pub(super) const UNDEFINED: u8 = 1;
    /// This object can do without it.
    pub(super) const WEAK: u8 = 2;
    /// Its address is only known when the program runs.
    pub(super) const IFUNC: u8 = 4;
    /// In thread-local memory.
    pub(super) const TLS: u8 = 8;
    /// In a copy that was dropped: whatever points there is of no use.
    pub(super) const DROPPED: u8 = 16;
    /// A function.
    pub(super) const FUNC: u8 = 32;
    /// A function in Thumb state.
    pub(super) const THUMB: u8 = 64;
}

/// Columns by symbol. What holds of a name's definition stands in the rows of all that refer to it.
#[derive(Default)]
struct Symbols {
    /// The symbol that defines it: itself, if no other does.
    definition: Column<Sym, Sym>,
    /// The piece that it is in.
    piece: Column<Sym, Opt<Piece>>,
    /// Its value in the object; then its address.
    address: Column<Sym, u64>,
    /// See `flag`.
    flags: Column<Sym, u8>,
}

/// Everything that the steps share.
struct Program<'a> {
    machine: &'static Machine,
    strip: bool,
    keep_unused: bool,
    pie: bool,
    /// Where it starts in memory; of one that is loaded anywhere, how far from there.
    base: u64,
    /// `e_flags`: what any object uses, the program does.
    flags: u32,
    /// The entry's symbol.
    entry: Sym,
    files: Column<File, FileRow<'a>>,
    /// Per piece.
    file_of: Column<Piece, File>,
    /// Per piece: it goes into the program.
    live: BitSet<Piece>,
    symbols: Symbols,
    /// All global names.
    names: Interner,
    /// Symbols of the linker's own object, and what they stand for.
    edges: Vec<(Sym, resolve::Edge)>,
}

impl<'a> Program<'a> {
    fn pieces(&self) -> usize {
        self.file_of.len()
    }

    /// What jumps to what an entry of the table of addresses holds.
    fn stub(&self) -> &'static Sequence {
        self.machine.anywhere.filter(|_| self.pie).map_or(&self.machine.stub, |row| &row.0)
    }

    /// Jumps anywhere.
    fn veneers(&self) -> &'static [Sequence] {
        self.machine.anywhere.filter(|_| self.pie).map_or(self.machine.veneers, |row| &row.1)
    }

    /// The linker's own object.
    fn own(&self) -> File {
        File::new(self.files.len() - 1)
    }

    fn section_of(&self, piece: Piece) -> Section {
        Section::new(piece.index() - self.files[self.file_of[piece]].first_piece.index())
    }

    fn row(&self, piece: Piece) -> &SectionRow<'a> {
        &self.files[self.file_of[piece]].object.sections[self.section_of(piece)]
    }

    fn piece(&self, file: File, section: Section) -> Piece {
        Piece::new(self.files[file].first_piece.index() + section.index())
    }

    fn sym(&self, file: File, symbol: Symbol) -> Sym {
        Sym::new(self.files[file].first_sym.index() + symbol.index())
    }

    /// The object that a symbol stands in, and its number there. O(log files).
    fn symbol_of(&self, sym: Sym) -> (File, Symbol) {
        let file = self.files.as_slice().partition_point(|row| row.first_sym <= sym) - 1;
        (File::new(file), Symbol::new(sym.index() - self.files[File::new(file)].first_sym.index()))
    }

    /// What is wrong with an object.
    fn error(&self, file: File, message: String) -> LinkError {
        LinkError { file: self.files[file].name.clone(), message }
    }

    /// A symbol's name, for messages.
    fn name_of(&self, sym: Sym) -> &str {
        let (file, symbol) = self.symbol_of(sym);
        let object = &self.files[file].object;
        match (object.name(symbol), object.section_of(symbol).get()) {
            ("", Some(section)) => &object.sections[section].name,
            (name, _) => name,
        }
    }

    /// Adds a section to the linker's own object.
    fn add_section(&mut self, row: SectionRow<'a>) -> Piece {
        let own = self.own();
        self.files[own].object.sections.push(row);
        let piece = self.file_of.push(own);
        self.live.insert(piece);
        piece
    }

    /// Adds a symbol to the linker's own object, when all addresses are known.
    fn add_symbol(&mut self, piece: Piece, name: &str, address: u64, size: u64, kind: u8) {
        let (own, section) = (self.own(), self.section_of(piece));
        let object = &mut self.files[own].object;
        object.add_symbol(name, SymbolRow { size, kind, ..SymbolRow::new(Place::In(section)) });
        let sym = self.symbols.definition.next_handle();
        self.symbols.definition.push(sym);
        self.symbols.piece.push(Opt::some(piece));
        self.symbols.address.push(address);
        self.symbols.flags.push(0);
    }

    fn own_row(&mut self, piece: Piece) -> &mut SectionRow<'a> {
        let (own, section) = (self.own(), self.section_of(piece));
        &mut self.files[own].object.sections[section]
    }
}
