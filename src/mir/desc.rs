//! What a target says of itself, as data: rows for opcodes, sets of registers, and the few opcodes that
//! shared code (allocation, frames, branches) has to insert.
//!
//! The first opcode numbers are the same for all targets: `PHI`, `ENTRY`, `INVOKE` and `LANDING`.

pub use super::registers::{Class, ClassDesc, PReg, PRegSet, Registers, WidthRow};

use super::Func;
use super::model::OpClass;
use std::ops::Range;

/// What the machine that a function is for has, beyond the least of its target: a bit each, in the targets'
/// numbering.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(pub u32);

impl Features {
    /// True if all of these are there.
    #[inline]
    pub const fn has(self, some: Features) -> bool {
        self.0 & some.0 == some.0
    }

    /// These and others.
    pub const fn with(self, more: Features) -> Features {
        Features(self.0 | more.0)
    }
}

/// A machine opcode: the number of its row in its target's table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineOp(pub u16);

/// Joins values at a block's head: one definition, one use per predecessor. Row 0 of every target.
pub const PHI: MachineOp = MachineOp(0);
/// Stands first in the entry block and defines the parameters that arrive in registers. Row 1 of every
/// target.
pub const ENTRY: MachineOp = MachineOp(1);
/// Ends a block behind a call that may be left by an exception: goes to `sym`, a block that `LANDING` begins, if it is, and to
/// the other successor if not. It takes no bytes: an unwinder goes there, by the tables of the function. Row 2 of every target.
pub const INVOKE: MachineOp = MachineOp(2);
/// Stands first in such a block and defines the exception and the number of what has caught it. As behind a call, nothing is
/// left in registers that calls destroy. `sym` is a row of `Func::landings`. Row 3 of every target.
pub const LANDING: MachineOp = MachineOp(3);

/// What `InstRow::sym` is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SymKind {
    /// Nothing; of a load or store, see `memory::Object::note`; else free for the target.
    None,
    /// A global's number in the module.
    Global,
    /// A function's number in the module.
    Func,
    /// A block of this function: the target of a branch.
    Block,
    /// A frame slot; `imm` is an offset in it, and the base operand is `Operand::FRAME`.
    Slot,
    /// A row of `Func::wide`, for immediates over 32 bits.
    Wide,
    /// The row is no code: what it tells unwinders, in numbers that targets share.
    Unwind,
}

/// A machine opcode's description. Text and bytes are both made from it.
#[derive(Copy, Clone, Debug)]
pub struct OpRow {
    /// Name in machine IR dumps, unique in its table.
    pub name: &'static str,
    /// Assembly text: `%0` is operand 0, `%w0` operand 0 under the name the target's `reg_name` gives for
    /// variant `w`; `%i` the immediate; `%l` and `%h` its low byte and what is above that; `%s` the symbol; `%b` the
    /// block; `%%` a percent sign. Empty for a pseudo that the target replaces before emission.
    pub text: &'static str,
    /// Classes of the operands, definitions first: `i=ii` defines an int from two. `*` ends a list that
    /// varies.
    pub operands: &'static str,
    /// What `sym` is.
    pub sym: SymKind,
    /// A set of the flags below.
    pub flags: u16,
    /// What it has in common with opcodes that cores time alike.
    pub class: OpClass,
    /// The most bytes of code it takes.
    pub bytes: u8,
    /// Of a load or store: bytes that it touches at its address, which is the slot or global in `sym` or
    /// else the last use, plus the immediate. 0 if that is not where, or the bytes are not known.
    pub touches: u8,
    /// Of a branch: it reaches targets in [-2^(reach-1), 2^(reach-1)) bytes. 0 for everything.
    pub reach: u8,
    /// Of a conditional branch: the row of the opposite branch.
    pub inverse: MachineOp,
    /// How the bits are laid out, in the target's own numbering.
    pub format: u8,
    /// The fixed bits of the encoding.
    pub encoding: u32,
}

/// Copies operand 1 to operand 0 and does nothing else.
pub const MOVE: u16 = 1;
/// Calls a function: clobbers `Machine::caller_saved`.
pub const CALL: u16 = 2;
/// Leaves the function.
pub const RETURN: u16 = 4;
/// Jumps to `sym` if its condition holds, and goes to the block's other successor if not.
pub const COND_BRANCH: u16 = 8;
/// Jumps to `sym` always.
pub const JUMP: u16 = 16;
/// Has no register uses (frame apart) and gives the same result anywhere in the function: cheaper to do again
/// than to spill.
pub const REMAT: u16 = 32;
/// Use 0 must be in the register of definition 0.
pub const TIED: u16 = 64;
/// Definitions are written before all uses are read: they may not share registers.
pub const EARLY_DEF: u16 = 128;
/// Reads memory.
pub const LOADS: u16 = 256;
/// Writes memory.
pub const STORES: u16 = 512;
/// Writes the condition flags.
pub const SETS_FLAGS: u16 = 1024;
/// Reads the condition flags.
pub const USES_FLAGS: u16 = 2048;
/// Of a conditional branch: an entry of a table of jumps, behind a jump into it, which is in the row of the first one. It is as
/// long as any other entry, has no opposite, and stays. Its immediate is how many entries follow from it on; all but the last
/// are rows like it, a block each, and the last is where the block before it goes to otherwise, or a jump there.
pub const TABLE: u16 = 4096;
/// Definitions of the last class go to registers that follow one another, in their order, where there are any.
pub const IN_A_ROW: u16 = 8192;

/// Has an effect that no other flag tells of, or a result that depends on more than its operands: it is neither left out nor
/// moved for its result's sake.
pub const EFFECT: u16 = 1 << 14;

/// Of a row that is `TIED`: it is the last two uses that must be in the registers of definitions 0 and 1.
pub const TIED_LAST: u16 = 1 << 15;

/// The uses that must be in the registers of the definitions from the first one on, of a row with so many uses.
#[inline]
pub const fn ties(flags: u16, uses: usize) -> Range<usize> {
    match (flags & TIED != 0, flags & TIED_LAST != 0) {
        (false, _) => 0..0,
        (true, false) => 0..1,
        (true, true) => uses.saturating_sub(2)..uses,
    }
}

/// Ends a block.
pub const TERMINATORS: u16 = RETURN | COND_BRANCH | JUMP;

/// What the allocator of -O0 has to do for a row, by opcode: `4 x results + uses`, without the base of a
/// frame reference, of a row with one result or none, up to three uses, and nothing in particular about them;
/// else `SPECIAL`.
pub type Kind = u8;

/// See `Kind`: calls, copies, jumps, ties, whatever is not plain.
pub const SPECIAL: Kind = 8;

/// The kinds of a table of opcodes.
pub const fn kinds<const N: usize>(ops: &[OpRow]) -> [Kind; N] {
    let mut kinds = [SPECIAL; N];
    let mut k = 0;
    while k < N {
        kinds[k] = kind(&ops[k]);
        k += 1;
    }
    kinds
}

const fn kind(row: &OpRow) -> Kind {
    let text = row.operands.as_bytes();
    let (mut defs, mut uses, mut is_use, mut k) = (0, 0, false, 0);
    while k < text.len() {
        match text[k] {
            b'=' => is_use = true,
            b'*' => return SPECIAL,
            _ if is_use => uses += 1,
            _ => defs += 1,
        }
        k += 1;
    }
    if matches!(row.sym, SymKind::Slot) {
        uses -= 1;
    }
    let is_plain = row.flags & (CALL | RETURN | MOVE | TIED | EARLY_DEF | JUMP) == 0 && defs < 2 && uses < 4;
    if is_plain { 4 * defs + uses } else { SPECIAL }
}

/// What some functions have, for which registers are kept from values.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// A register that the frame is reached from (`Func::framed`).
    Frame,
    /// Vectors of so many lanes (`Func::lanes`).
    Lanes(u32),
    /// Floating values beside vectors.
    Floats,
    /// Wide values (`Func::is_wide`).
    Wide,
}

impl Need {
    fn is_of(self, func: &Func) -> bool {
        match self {
            Need::Frame => func.framed,
            Need::Lanes(lanes) => func.lanes == lanes,
            Need::Wide => func.is_wide,
            Need::Floats => func.lanes != 0 && !func.without_floats,
        }
    }
}

/// A target as shared code sees it.
#[derive(Debug)]
pub struct Machine {
    /// `riscv64`, `aarch64` or `armv7`.
    pub name: &'static str,
    /// Opcode rows, by number; the first are `PHI`, `ENTRY`, `INVOKE` and `LANDING`.
    pub ops: &'static [OpRow],
    /// The same rows' kinds (`kinds`).
    pub kinds: &'static [Kind],
    /// The register classes, by `Class`; class 0 holds addresses.
    pub classes: &'static [ClassDesc],
    /// What follows from them.
    pub registers: Registers,
    /// True if the last class is for functions with vectors alone: others are allocated as if there were none.
    pub has_vector_class: bool,
    /// Registers that functions which need this do not give to values.
    pub reserved: &'static [(Need, PRegSet)],
    /// Units that a call destroys.
    pub caller_saved: PRegSet,
    /// Units that a function must preserve (those of them that it uses).
    pub callee_saved: PRegSet,
    /// The name of a register in text, under a variant letter of the target's choice (0 for the plain name).
    pub reg_name: fn(PReg, u8) -> &'static str,
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// Alignment of the stack pointer at calls.
    pub stack_align: u32,
    /// The unconditional jump.
    pub jump: MachineOp,
}

impl Machine {
    /// The row of an opcode.
    #[inline(always)]
    pub fn row(&self, op: MachineOp) -> &'static OpRow {
        &self.ops[op.0 as usize]
    }

    /// The registers that values are never given, and that rows may use while they become final.
    pub fn scratch(&self) -> PRegSet {
        let mut all = PRegSet::EMPTY;
        self.classes.iter().for_each(|class| all.insert(class.scratch));
        all
    }

    /// The row of a class.
    #[inline(always)]
    pub fn class(&self, class: Class) -> &'static ClassDesc {
        &self.classes[class.index()]
    }

    /// The classes that values of a function may be of.
    #[inline]
    pub fn classes_of(&self, func: &Func) -> &'static [ClassDesc] {
        &self.classes[..self.classes.len() - usize::from(self.has_vector_class && func.lanes == 0)]
    }

    /// The files of these classes.
    #[inline]
    pub fn files_of(&self, func: &Func) -> usize {
        self.registers.files - usize::from(self.has_vector_class && func.lanes == 0)
    }

    /// The registers that a function does not give to values, though their class does.
    pub fn reserved(&self, func: &Func) -> PRegSet {
        let rows = self.reserved.iter().filter(|(need, _)| need.is_of(func));
        rows.fold(PRegSet::EMPTY, |all, &(_, regs)| all.or(regs))
    }

    /// The units of a file that a function gives to values.
    pub fn given_units(&self, func: &Func, file: usize) -> PRegSet {
        let classes = (0..self.classes.len()).filter(|&k| self.registers.file(Class(k as u8)) == file);
        let units = classes.fold(PRegSet::EMPTY, |all, k| all.or(self.registers.given_units[k]));
        self.reserved(func).iter().fold(units, |units, reg| units.minus(self.registers.units(reg)))
    }

    /// The class of a letter in the shapes of opcodes.
    pub fn class_of_letter(&self, letter: u8) -> Option<Class> {
        self.classes.iter().position(|class| class.letter == letter).map(|k| Class(k as u8))
    }

    /// What moves values of a class that have so many bytes.
    #[inline]
    pub fn width(&self, class: Class, bytes: u32) -> &'static WidthRow {
        self.class(class).width(bytes)
    }

    /// The callee-saved units of registers that are written, by rank.
    pub fn to_be_saved(&self, is_written: impl Fn(u8) -> bool) -> PRegSet {
        let registers = &self.registers;
        let written = registers.saved.iter().filter(|rank| is_written(rank.0));
        let units = written.map(|rank| registers.units(registers.by_rank[usize::from(rank.0 & 127)]));
        units.fold(PRegSet::EMPTY, PRegSet::or).and(self.callee_saved)
    }

    /// True if calls preserve so many bytes of a register.
    pub fn survives_calls(&self, reg: PReg, bytes: u32) -> bool {
        let registers = &self.registers;
        let kept = self.class(registers.class(reg)).kept_bytes;
        !registers.units(reg).meets(self.caller_saved) && bytes <= u32::from(kept)
    }

    /// True if the opcode of an instruction has any of these flags.
    #[inline(always)]
    pub fn is(&self, func: &Func, inst: super::Inst, flags: u16) -> bool {
        self.row(func.insts[inst].op).flags & flags != 0
    }
}
