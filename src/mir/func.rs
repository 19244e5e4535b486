//! One function in machine IR: instruction rows in execution order, 16 bytes each, and a flat operand pool.
//!
//! Rows stand in order, block after block, so a row number is a program point, and a block is a range of
//! rows. Passes that insert do not shift rows: they copy all rows once (`rewrite_rows`). There may be spare
//! rows between blocks.

use super::debug_values::DebugValues;
use super::desc::{Class, ENTRY, Features, MachineOp, PHI, PReg, PRegSet};
use super::inlined::{Inlined, Origin};
use super::landing::Landings;
use super::{Block, Inst, Slot, VReg};
use crate::base::graph::Graph;
use crate::base::{Column, Handle, Opt};

/// An operand: a register, virtual or physical.
///
/// ```text
///   31   30      24 23                       0
///  +----+----------+--------------------------+
///  | 0  |  fixed   |  virtual register        |   fixed: 0 any register, else 1 + the physical register it must be in
///  | 1  |          |  physical register       |   (fixed only on ENTRY, calls and returns)
///  +----+----------+--------------------------+
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Operand(u32);

/// The most virtual registers that a function can have.
pub const MAX_VREGS: usize = 1 << 24;

impl Operand {
    /// The base of frame references: stands for the stack pointer, with `sym` a slot, until the frame is laid
    /// out.
    pub const FRAME: Operand = Operand(1 << 31 | 0xff);

    /// A virtual register, wherever it may be.
    #[inline(always)]
    pub fn virt(v: VReg) -> Operand {
        debug_assert!(v.index() < MAX_VREGS);
        Operand(v.index() as u32)
    }

    /// A virtual register that must be in a given register here.
    pub fn fixed(v: VReg, reg: PReg) -> Operand {
        Operand(v.index() as u32 | (u32::from(reg.0) + 1) << 24)
    }

    /// A physical register: before allocation only one that is never allocated (zero, stack pointer).
    #[inline(always)]
    pub const fn phys(reg: PReg) -> Operand {
        Operand(1 << 31 | reg.0 as u32)
    }

    /// The virtual register.
    #[inline(always)]
    pub fn as_virt(self) -> Option<VReg> {
        if self.0 >> 31 == 0 { Some(VReg::new((self.0 & 0xff_ffff) as usize)) } else { None }
    }

    /// The physical register; none for `FRAME`.
    #[inline(always)]
    pub fn as_phys(self) -> Option<PReg> {
        if self.0 >> 31 == 1 && self != Operand::FRAME { Some(PReg(self.0 as u8)) } else { None }
    }

    /// All that it is, as a number: for tables.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The bits of a physical register's number; of other operands they mean nothing.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.0 as u8
    }

    /// This one if the mask is 0, another if it is all ones.
    #[inline(always)]
    pub(super) fn or(self, other: Operand, mask: u32) -> Operand {
        Operand(self.0 ^ (self.0 ^ other.0) & mask)
    }

    /// The register that a virtual register must be in here.
    #[inline(always)]
    pub fn constraint(self) -> Option<PReg> {
        let fixed = self.0 >> 24;
        if fixed != 0 && fixed < 128 { Some(PReg(fixed as u8 - 1)) } else { None }
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.as_virt(), self.as_phys(), self.constraint()) {
            (Some(v), _, Some(reg)) => write!(f, "{v:?}@{reg:?}"),
            (Some(v), _, None) => write!(f, "{v:?}"),
            (_, Some(reg), _) => write!(f, "{reg:?}"),
            _ => f.write_str("frame"),
        }
    }
}

/// A machine instruction. Its operands are `Func::operands[first ..]`: definitions first, then uses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct InstRow {
    /// Opcode of the target.
    pub op: MachineOp,
    /// Number of definitions.
    pub defs: u8,
    /// Number of uses; of a phi, see `imm`.
    pub uses: u8,
    /// First operand.
    pub first: u32,
    /// Immediate: what the opcode says; of a phi, the number of uses.
    pub imm: i32,
    /// Symbol: what the opcode's `SymKind` says.
    pub sym: u32,
}

const _: () = assert!(size_of::<InstRow>() == 16);

/// A basic block: rows `first .. end`. The last row is a terminator.
#[derive(Copy, Clone, Debug)]
pub struct BlockRow {
    /// First row.
    pub first: Inst,
    /// One past the last row.
    pub end: Inst,
    /// Where it goes: of a conditional branch, `succs[0]` is where it jumps to and `succs[1]` where it goes
    /// otherwise.
    pub succs: [Opt<Block>; 2],
    /// First predecessor in `Func::preds`.
    pub first_pred: u32,
    /// Number of predecessors.
    pub pred_count: u32,
    /// Loop depth, 0 outside of loops.
    pub loop_depth: u32,
    /// Estimated executions per call, in units of 1/1024.
    pub frequency: u64,
}

/// A virtual register's class and size, and what is known of the places of its rows when they are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct VRegRow {
    /// The class of its registers.
    pub class: Class,
    /// Bytes when spilled: 1 to 64.
    pub bytes: u8,
    /// True if another block than that of its definition, or a phi, names it.
    pub crosses: bool,
    /// The physical register that its definition gives it, if that is fixed; else `NO_REG`.
    pub comes_in: u8,
}

const _: () = assert!(size_of::<VRegRow>() == 4);

/// No physical register.
pub const NO_REG: u8 = u8::MAX;

impl VRegRow {
    /// A register of which nothing is known yet.
    pub fn new(class: Class, bytes: u32) -> VRegRow {
        VRegRow { class, bytes: bytes as u8, crosses: false, comes_in: NO_REG }
    }
}

/// What a frame slot is for, which decides where it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// An `alloca`.
    Local,
    /// A spilled value.
    Spill,
    /// Stack arguments that this function passes: at the stack pointer; the largest call decides its size.
    Outgoing,
    /// A stack argument that this function received, at this offset from the caller's stack pointer.
    Incoming(u32),
    /// Right below these, the registers that variadic arguments may have come in.
    Varargs,
}

/// A piece of the frame.
#[derive(Copy, Clone, Debug)]
pub struct SlotRow {
    /// What it is for.
    pub kind: SlotKind,
    /// Bytes. The front end keeps objects below 2 GiB.
    pub bytes: u32,
    /// Alignment, a power of two up to the stack's.
    pub align: u32,
    /// Offset from the stack pointer after the prologue, once the frame is laid out.
    pub offset: i64,
}

/// A function in machine IR.
#[derive(Clone, Debug, Default)]
pub struct Func {
    /// Its number in the module.
    pub id: u32,
    /// What the machine has that it is for.
    pub features: Features,
    /// Instructions in order.
    pub insts: Column<Inst, InstRow>,
    /// Per instruction: byte offset in the source, an origin of `inlined`, or `u32::MAX`. (Once allocated, if `debug_values` is there, the
    /// number of its row then; `place` is what is meant in any case.) Empty once allocated for -O0, unless
    /// `places` asks for it.
    pub loc: Column<Inst, u32>,
    /// Where those come from that are not from the function's own text.
    pub inlined: Inlined,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
    /// Blocks in row order; block 0 is the entry.
    pub blocks: Column<Block, BlockRow>,
    /// Predecessors of all blocks; use `k` of a phi belongs to predecessor `k` of its block.
    pub preds: Vec<Block>,
    /// The order in which the blocks are emitted; empty for row order.
    pub layout: Vec<Block>,
    /// Virtual registers.
    pub vregs: Column<VReg, VRegRow>,
    /// The frame.
    pub slots: Column<Slot, SlotRow>,
    /// Immediates over 32 bits.
    pub wide: Vec<i64>,
    /// Callee-saved registers that the code writes; the allocator fills this in.
    pub saved: PRegSet,
    /// True if it has values that are wider than most, for which the target splits words (`isa::select::Rules::splits_words`).
    pub is_wide: bool,
    /// The most lanes of its vectors; 0 if it has none.
    pub lanes: u32,
    /// It has vectors and no floating values.
    pub without_floats: bool,
    /// True if it takes memory of the stack as it runs: the frame is reached from a register then, which is not given to
    /// values (`desc::Need::Frame`).
    pub framed: bool,
    /// True if words may be accessed where they are not aligned, by a register.
    pub is_unaligned: bool,
    /// True if there are tables of jumps (`desc::TABLE`).
    pub has_tables: bool,
    /// True if it calls anything.
    pub has_calls: bool,
    /// True if what it calls may return more than once (`setjmp`): each value has a slot of its own then, since what comes
    /// behind the first return must not write what is needed behind another one.
    pub returns_twice: bool,
    /// True if frequencies of blocks are those of a profile.
    pub counted: bool,
    /// Bytes of the frame, once it is laid out.
    pub frame_bytes: i64,
    /// True if a jump with a place in the source stays, though its block does nothing else or goes to the
    /// next: a debugger may stop there.
    pub keep_jumps: bool,
    /// True if the rows' places in the source are needed to the end.
    pub places: bool,
    /// True if prologue and epilogues are to have rows for unwinding.
    pub unwind: bool,
    /// True if text says how the frame lies, in the directives of ARM's unwinders.
    pub indexed: bool,
    /// True if text has no `.cfi` directives, though there are rows of them: what ARM's unwinders read comes of these, and no debugger is told.
    pub without_cfi: bool,
    /// The frame slots of variables, with the numbers of `ir::Body::variables`.
    pub variables: Vec<(u32, Slot)>,
    /// What its landing pads catch, which their rows name, and what of: empty if there are none.
    pub landings: Landings,
    /// Of variables that have no slot, where debuggers are told: what they stand for, and where that is.
    pub debug_values: Option<Box<DebugValues>>,
    /// Scratch for code that writes all rows again; its contents mean nothing.
    pub spare: Vec<InstRow>,
}

impl Func {
    /// Bytes of instructions, operands, blocks and registers.
    pub fn bytes(&self) -> usize {
        let operands = size_of_val(self.operands.as_slice());
        self.insts.bytes() + self.loc.bytes() + operands + self.blocks.bytes() + self.vregs.bytes()
    }

    /// An empty function in the memory of one that is spent.
    pub fn renewed(self) -> Func {
        let Func { mut insts, mut loc, mut operands, mut blocks, mut preds, .. } = self;
        let Func { mut layout, mut vregs, mut slots, mut wide, mut variables, spare, .. } = self;
        insts.clear();
        loc.clear();
        operands.clear();
        blocks.clear();
        preds.clear();
        layout.clear();
        vregs.clear();
        slots.clear();
        wide.clear();
        variables.clear();
        let empty = Func { insts, loc, operands, blocks, preds, ..Func::default() };
        Func { layout, vregs, slots, wide, variables, spare, ..empty }
    }

    /// All operands of an instruction, definitions first.
    #[inline(always)]
    pub fn operands(&self, i: Inst) -> &[Operand] {
        let row = &self.insts[i];
        &self.operands[row.first as usize..row.first as usize + row.defs as usize + use_count(row)]
    }

    /// The definitions of an instruction.
    #[inline(always)]
    pub fn defs(&self, i: Inst) -> &[Operand] {
        let row = &self.insts[i];
        &self.operands[row.first as usize..row.first as usize + row.defs as usize]
    }

    /// The uses of an instruction.
    #[inline(always)]
    pub fn uses(&self, i: Inst) -> &[Operand] {
        let row = &self.insts[i];
        let first = row.first as usize + row.defs as usize;
        &self.operands[first..first + use_count(row)]
    }

    /// The byte offset in the source that an instruction comes from, or `u32::MAX`.
    #[inline]
    pub fn place(&self, i: Inst) -> u32 {
        self.origin(i).offset
    }

    /// The place in the source that an instruction comes from, and by which call.
    #[inline]
    pub fn origin(&self, i: Inst) -> Origin {
        let loc = self.loc.get(i).copied().unwrap_or(u32::MAX);
        self.inlined.origin(match &self.debug_values {
            Some(debug) if !debug.locs.is_empty() => {
                debug.locs.get(loc as usize).copied().unwrap_or(u32::MAX)
            }
            _ => loc,
        })
    }

    /// The rows of a block, in order.
    pub fn rows(&self, b: Block) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + use<> {
        let row = &self.blocks[b];
        (row.first.index()..row.end.index()).map(Inst::new)
    }

    /// True if a jump is one that has to stay. Without places, it says so by its immediate.
    pub fn is_kept(&self, i: Inst) -> bool {
        self.keep_jumps && self.loc.get(i).map_or(self.insts[i].imm != 0, |&loc| loc != u32::MAX)
    }

    /// The block of a row, by binary search.
    pub fn block_of(&self, i: Inst) -> Block {
        Block::new(self.blocks.as_slice().partition_point(|b| b.end <= i))
    }

    /// The predecessors of a block.
    #[inline]
    pub fn preds(&self, b: Block) -> &[Block] {
        let row = &self.blocks[b];
        &self.preds[row.first_pred as usize..(row.first_pred + row.pred_count) as usize]
    }

    /// The successors of a block.
    pub fn succs(&self, b: Block) -> impl Iterator<Item = Block> + use<> {
        self.blocks[b].succs.into_iter().filter_map(Opt::get)
    }

    /// Makes a virtual register.
    pub fn new_vreg(&mut self, class: Class, bytes: u32) -> VReg {
        self.vregs.push(VRegRow::new(class, bytes))
    }

    /// Makes a frame slot.
    pub fn new_slot(&mut self, kind: SlotKind, bytes: u32, align: u32) -> Slot {
        self.slots.push(SlotRow { kind, bytes, align, offset: 0 })
    }

    /// Makes a row, without placing it, with these operands.
    pub fn make_row(
        &mut self,
        op: MachineOp,
        defs: &[Operand],
        uses: &[Operand],
        imm: i32,
        sym: u32,
    ) -> InstRow {
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(defs);
        self.operands.extend_from_slice(uses);
        InstRow { op, defs: defs.len() as u8, uses: uses.len() as u8, first, imm, sym }
    }
}

/// A row that stands between blocks and means nothing. (No `ENTRY` that means something has an immediate.)
pub const SPARE: InstRow = InstRow { op: ENTRY, defs: 0, uses: 0, first: 0, imm: -1, sym: 0 };

/// Number of uses of a row.
#[inline(always)]
pub fn use_count(row: &InstRow) -> usize {
    if row.op == PHI { row.imm as usize } else { row.uses as usize }
}

impl Graph for Func {
    type Node = Block;

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn root(&self) -> Option<Block> {
        self.blocks.keys().next()
    }

    /// Of two the shallower one is the last, so that loops come out contiguous in a reverse postorder.
    fn successors(&self, b: Block) -> impl DoubleEndedIterator<Item = Block> {
        let [yes, no] = self.blocks[b].succs;
        let depth = |s: Opt<Block>| s.get().map_or(u32::MAX, |s| self.blocks[s].loop_depth);
        let succs = if depth(no) <= depth(yes) { [yes, no] } else { [no, yes] };
        succs.into_iter().filter_map(Opt::get)
    }

    fn predecessors(&self, b: Block) -> impl Iterator<Item = Block> {
        self.preds(b).iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_pack_and_unpack() {
        let v = VReg::new(MAX_VREGS - 1);
        assert_eq!((Operand::virt(v).as_virt(), Operand::virt(v).constraint()), (Some(v), None));
        let fixed = Operand::fixed(v, PReg(126));
        assert_eq!((fixed.as_virt(), fixed.constraint(), fixed.as_phys()), (Some(v), Some(PReg(126)), None));
        let phys = Operand::phys(PReg(0));
        assert_eq!((phys.as_virt(), phys.as_phys(), phys.constraint()), (None, Some(PReg(0)), None));
        assert_eq!(
            (Operand::FRAME.as_virt(), Operand::FRAME.as_phys(), Operand::FRAME.constraint()),
            (None, None, None)
        );
    }
}
