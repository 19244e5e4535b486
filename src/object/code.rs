//! The bytes of one function, with what is not known yet: places that depend on the addresses of functions
//! and globals.

use crate::base::Opt;
use crate::base::formula::Term;

/// What a place depends on: a function of the module, a global, or a function of the library, as in `mir`'s
/// rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Function number.
    Func(u32),
    /// Global number.
    Global(u32),
}

/// A place that depends on an address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fixup {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// As `Reloc::kind`.
    pub kind: u32,
    /// The address that it needs.
    pub target: Target,
    /// What is added to it.
    pub addend: i32,
}

/// The body of a function, behind its prologue, where it stands for no place in particular.
pub const BODY: u32 = u32::MAX - 1;

crate::handle! {
    /// A call that has been replaced by what it calls: a row of `Code::calls`.
    pub struct Call("call");
}

/// A call that has been replaced by what it calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The number of the function that was called.
    pub func: u32,
    /// The byte offset of the call in the source, or `u32::MAX`.
    pub at: u32,
    /// The call by which that text got here, if it is not the function's own.
    pub parent: Opt<Call>,
}

/// A position in the source for the instructions from here on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// Byte offset in the source, `BODY`, or `u32::MAX` for code that stands for nothing in it.
    pub loc: u32,
    /// By which call that got here, if it is not in the function's own text.
    pub call: Opt<Call>,
    /// Which of the copies that passes have made of that text.
    pub version: u32,
}

/// What an unwinder has to know from some place of a function on (DWARF 5, 6.4). Registers have DWARF's
/// numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The caller's stack pointer is so many bytes above ours.
    Frame(i32),
    /// The caller's value of a register is so many bytes from the caller's stack pointer (below, if
    /// negative).
    Saved(u16, i32),
    /// A register has the caller's value again.
    Restored(u16),
    /// The caller's stack pointer is as many bytes above this register as `Frame` says.
    CountsFrom(u16),
    /// What holds now will hold again (`Recall`): an epilogue follows, and code behind it.
    Remember,
    /// What was remembered last holds again.
    Recall,
}

/// A rule, and where it begins to hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Unwind {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// What holds from there on.
    pub rule: Rule,
}

/// Where a variable is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// In a register, by DWARF's number.
    Register(u16),
    /// So many bytes above the caller's stack pointer (below, if negative): frames are smaller than 2 GiB.
    Frame(i32),
    /// Nowhere: it is a constant with these bits.
    Value(u32),
    /// Nowhere: it is the address of what is so many bytes above the caller's stack pointer.
    Address(i32),
    /// Nowhere: it is the address of a global, by its number.
    Global(u32),
    /// Nowhere: it is computed, as a row of `DebugRows::formulas` says.
    Formula(u32),
}

/// From some place of a function on, a variable is somewhere, or cannot be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// The number that the front end has for it.
    pub variable: u32,
    /// By which call that got here, if it is not one of the function's own.
    pub call: Opt<Call>,
    /// Where it is.
    pub at: Option<Spot>,
}

const _: () = assert!(size_of::<Location>() == 20);

/// One function's code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The instructions.
    pub bytes: Vec<u8>,
    /// By ascending offset.
    pub fixups: Vec<Fixup>,
    /// By ascending offset; only where debug information is wanted.
    pub unwind: Vec<Unwind>,
    /// What exceptions find that unwind to it, if it has landing pads.
    pub exceptions: Option<Box<Exceptions>>,
    /// What debuggers are told, where lines are wanted: apart, since what is here stays of each function.
    pub debug: Option<Box<DebugRows>>,
}

/// What exceptions find that unwind to a function: its table, which the personality routine reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceptions {
    /// The personality routine.
    pub personality: Target,
    /// The table.
    pub bytes: Vec<u8>,
    /// By ascending offset, where in it the addresses stand of what describes types.
    pub types: Vec<(u32, Target)>,
}

impl Default for Exceptions {
    fn default() -> Exceptions {
        Exceptions { personality: Target::Func(0), bytes: Vec::new(), types: Vec::new() }
    }
}

/// What debuggers are told of a function's code.
#[derive(Clone, Debug, Default)]
pub struct DebugRows {
    /// By ascending offset, one per change.
    pub lines: Vec<Line>,
    /// Where blocks begin, ascending.
    pub blocks: Vec<u32>,
    /// By ascending offset; only where debug information is wanted.
    pub locations: Vec<Location>,
    /// Calls that lines and locations name; a call comes behind the one that it is in.
    pub calls: Vec<CallRow>,
    /// What variables are computed by, where they are nowhere.
    pub formulas: Vec<Formula>,
}

/// What is computed of spots.
pub type Formula = Vec<Term<Spot>>;

impl DebugRows {
    fn clear(&mut self) {
        self.lines.clear();
        self.blocks.clear();
        self.locations.clear();
        self.calls.clear();
        self.formulas.clear();
    }

    /// A copy of exactly its size, if there is something.
    pub fn kept(&self) -> Option<Box<DebugRows>> {
        let is_empty = self.blocks.is_empty() && self.calls.is_empty() && self.locations.is_empty();
        (!is_empty).then(|| Box::new(self.clone()))
    }

    fn size(&self) -> usize {
        let DebugRows { lines, blocks, locations, calls, formulas } = self;
        let terms: usize = formulas.iter().map(|terms| size_of_val(terms.as_slice())).sum();
        size_of_val(lines.as_slice())
            + size_of_val(blocks.as_slice())
            + size_of_val(locations.as_slice())
            + size_of_val(calls.as_slice())
            + terms
    }
}

impl Code {
    /// What debuggers are told; nothing where no lines are wanted.
    pub fn debug(&self) -> &DebugRows {
        static NONE: DebugRows = DebugRows {
            lines: Vec::new(),
            blocks: Vec::new(),
            locations: Vec::new(),
            calls: Vec::new(),
            formulas: Vec::new(),
        };
        self.debug.as_deref().unwrap_or(&NONE)
    }

    /// Bytes of its tables.
    pub fn size(&self) -> usize {
        let tables = size_of_val(self.fixups.as_slice()) + size_of_val(self.unwind.as_slice());
        let exceptions = self.exceptions.as_ref().map_or(0, |table| table.bytes.len());
        self.bytes.len() + tables + exceptions + self.debug.as_ref().map_or(0, |debug| debug.size())
    }
}

/// Code in the making. Its memory serves one function after the other: what stays of each is a `Code` of
/// exactly its size.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// Room for instructions, of which those before `at` are there.
    room: Vec<u8>,
    /// Bytes of instructions.
    pub at: usize,
    /// As `Code::fixups`.
    pub fixups: Vec<Fixup>,
    /// As `Code::unwind`.
    pub unwind: Vec<Unwind>,
    /// As `Code::debug`.
    pub debug: DebugRows,
}

impl Writer {
    /// Forgets what was written.
    pub fn clear(&mut self) {
        self.at = 0;
        self.fixups.clear();
        self.unwind.clear();
        self.debug.clear();
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.at]
    }

    /// What was written, as a function's code.
    pub fn finish(&self) -> Code {
        let (fixups, unwind) = (self.fixups.clone(), self.unwind.clone());
        let (bytes, debug) = (self.bytes().to_vec(), self.debug.kept());
        Code { bytes, fixups, unwind, exceptions: None, debug }
    }

    /// Appends the first `bytes` bytes of a word, little-endian. (All four are written, so that their number
    /// decides nothing.)
    #[inline(always)]
    pub fn put(&mut self, word: u32, bytes: usize) {
        loop {
            if let Some(place) = self.room.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<4>()) {
                *place = word.to_le_bytes();
                break;
            }
            self.grow();
        }
        self.at += bytes;
    }

    #[cold]
    fn grow(&mut self) {
        self.room.resize((2 * self.room.len()).max(1 << 12), 0);
    }

    /// Appends 32 bits, little-endian.
    #[inline(always)]
    pub fn word(&mut self, word: u32) {
        self.put(word, 4);
    }

    /// Notes that what is appended next depends on an address.
    #[inline(always)]
    pub fn fixup(&mut self, kind: u32, target: Target, addend: i32) {
        self.fixups.push(Fixup { offset: self.at as u32, kind, target, addend });
    }
}
