//! The bytes of one function, with what is not known yet: places that depend on the addresses of functions and globals.

/// What a place depends on: a function of the module, a global, or a function of the library, as in `mir`'s rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
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
    /// Whose address.
    pub target: Target,
    /// What is added to it.
    pub addend: i32,
}

/// A position in the source for the instructions from here on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// Byte offset in the source, or `u32::MAX` for code that stands for nothing in it.
    pub loc: u32,
}

/// What an unwinder has to know from some place of a function on (DWARF 5, 6.4). Registers have DWARF's numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The caller's stack pointer is so many bytes above ours.
    Frame(i32),
    /// The caller's value of a register is so many bytes from the caller's stack pointer (below, if negative).
    Saved(u16, i32),
    /// A register has the caller's value again.
    Restored(u16),
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

/// One function's code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The instructions.
    pub bytes: Vec<u8>,
    /// By ascending offset.
    pub fixups: Vec<Fixup>,
    /// By ascending offset, one per change; only where lines are wanted.
    pub lines: Vec<Line>,
    /// By ascending offset; only where debug information is wanted.
    pub unwind: Vec<Unwind>,
}

impl Code {
    /// Appends 32 bits, little-endian.
    #[inline(always)]
    pub fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Appends 16 bits, little-endian.
    #[inline(always)]
    pub fn half(&mut self, half: u16) {
        self.bytes.extend_from_slice(&half.to_le_bytes());
    }

    /// Notes that what is appended next depends on an address.
    #[inline(always)]
    pub fn fixup(&mut self, kind: u32, target: Target, addend: i32) {
        self.fixups.push(Fixup { offset: self.bytes.len() as u32, kind, target, addend });
    }
}
