//! What a target says of itself, as data: rows for opcodes, sets of registers, and the few opcodes that shared
//! code (allocation, frames, branches) has to insert.
//!
//! The first opcode numbers are the same for all targets: `PHI` and `ENTRY`.

use super::Func;

/// A register class.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Class {
    /// Integers and addresses.
    Int,
    /// Floating point (and vectors, which share the file on the targets that have them).
    Float,
}

impl Class {
    /// Both classes, in number order.
    pub const ALL: [Class; 2] = [Class::Int, Class::Float];
}

/// A physical register: 0-31 are the integer file, 32-63 the floating file, by the target's own numbering.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PReg(pub u8);

impl PReg {
    /// Integer register `n`.
    pub const fn int(n: u8) -> PReg {
        PReg(n)
    }

    /// Floating register `n`.
    pub const fn float(n: u8) -> PReg {
        PReg(32 + n)
    }

    /// The file it is in.
    pub fn class(self) -> Class {
        if self.0 < 32 { Class::Int } else { Class::Float }
    }

    /// Its number in its file: what goes into an encoding.
    pub const fn number(self) -> u8 {
        self.0 & 31
    }
}

impl std::fmt::Debug for PReg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.0 < 32 { 'r' } else { 'f' }, self.number())
    }
}

/// A set of physical registers, a bit each.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
pub struct PRegSet(pub u64);

impl PRegSet {
    /// No registers.
    pub const EMPTY: PRegSet = PRegSet(0);

    /// The set of these registers.
    pub const fn of(regs: &[PReg]) -> PRegSet {
        let mut bits = 0;
        let mut k = 0;
        while k < regs.len() {
            bits |= 1 << regs[k].0;
            k += 1;
        }
        PRegSet(bits)
    }

    /// True if the register is in the set.
    #[inline]
    pub const fn contains(self, reg: PReg) -> bool {
        self.0 >> reg.0 & 1 != 0
    }

    /// Adds a register.
    #[inline]
    pub fn insert(&mut self, reg: PReg) {
        self.0 |= 1 << reg.0;
    }

    /// Removes a register.
    #[inline]
    pub fn remove(&mut self, reg: PReg) {
        self.0 &= !(1 << reg.0);
    }

    /// Number of registers.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The registers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = PReg> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let reg = PReg(rest.trailing_zeros() as u8);
                rest &= rest - 1;
                reg
            })
        })
    }
}

impl std::fmt::Debug for PRegSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What the machine that a function is for has, beyond the least of its target: a bit each, in the targets' numbering.
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
/// Stands first in the entry block and defines the parameters that arrive in registers. Row 1 of every target.
pub const ENTRY: MachineOp = MachineOp(1);

/// What `InstRow::sym` is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SymKind {
    /// Nothing; free for the target.
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
    /// Assembly text: `%0` is operand 0, `%w0` operand 0 under the name the target's `reg_name` gives for variant
    /// `w`; `%i` the immediate; `%s` the symbol; `%b` the block; `%%` a percent sign. Empty for a pseudo that the
    /// target replaces before emission.
    pub text: &'static str,
    /// Classes of the operands, definitions first: `i=ii` defines an int from two. `*` ends a list that varies.
    pub operands: &'static str,
    /// What `sym` is.
    pub sym: SymKind,
    /// A set of the flags below.
    pub flags: u16,
    /// Cycles from issue to result on the core that the target schedules for.
    pub latency: u8,
    /// The execution unit, in the target's own numbering.
    pub unit: u8,
    /// The most bytes of code it takes.
    pub bytes: u8,
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
/// Has no register uses (frame apart) and gives the same result anywhere in the function: cheaper to do again than to spill.
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

/// Ends a block.
pub const TERMINATORS: u16 = RETURN | COND_BRANCH | JUMP;

/// What the allocator of -O0 has to do for a row, by opcode: `4 x results + uses`, without the base of a frame reference, of a row with
/// one result or none, up to three uses, and nothing in particular about them; else `SPECIAL`.
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

/// One register file as the allocator sees it.
#[derive(Clone, Debug)]
pub struct ClassDesc {
    /// Registers that may be given to values, caller-saved ones in the order of preference, then callee-saved ones.
    pub order: &'static [PReg],
    /// Kept out of allocation: breaks cycles of moves, carries memory-to-memory moves.
    pub scratch: PReg,
}

/// A target as shared code sees it.
#[derive(Debug)]
pub struct Machine {
    /// `riscv64`, `aarch64` or `armv7`.
    pub name: &'static str,
    /// Opcode rows, by number; 0 is `PHI` and 1 is `ENTRY`.
    pub ops: &'static [OpRow],
    /// The same rows' kinds (`kinds`).
    pub kinds: &'static [Kind],
    /// The register files, by `Class`.
    pub classes: [ClassDesc; 2],
    /// Registers that a call destroys.
    pub caller_saved: PRegSet,
    /// Registers that a function must preserve (those of them that it uses).
    pub callee_saved: PRegSet,
    /// The name of a register in text, under a variant letter of the target's choice (0 for the plain name).
    pub reg_name: fn(PReg, u8) -> &'static str,
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// Alignment of the stack pointer at calls.
    pub stack_align: u32,
    /// The unconditional jump.
    pub jump: MachineOp,
    /// Register to register copy, for a value of a class and size in bytes. Shape `x=x`.
    pub move_op: fn(Class, u32) -> MachineOp,
    /// Load from a frame slot. Shape `x=i`, the use being `Operand::FRAME`, `sym` the slot.
    pub reload_op: fn(Class, u32) -> MachineOp,
    /// Store to a frame slot. Shape `=xi`, as above.
    pub spill_op: fn(Class, u32) -> MachineOp,
}

impl Machine {
    /// The row of an opcode.
    #[inline(always)]
    pub fn row(&self, op: MachineOp) -> &'static OpRow {
        &self.ops[op.0 as usize]
    }

    /// The register file of a class.
    #[inline(always)]
    pub fn class(&self, class: Class) -> &ClassDesc {
        &self.classes[class as usize]
    }

    /// True if the opcode of an instruction has any of these flags.
    #[inline(always)]
    pub fn is(&self, func: &Func, inst: super::Inst, flags: u16) -> bool {
        self.row(func.insts[inst].op).flags & flags != 0
    }
}
