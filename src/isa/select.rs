//! From SSA to machine IR, shared by the targets.
//!
//! Blocks are walked in postorder and instructions last to first, so every use of a value is seen before its
//! definition: an instruction is selected only if something has *demanded* its result (or it has an effect),
//! and a user that folds its operand's definition into itself simply does not demand it. Within one IR
//! instruction the target emits machine rows forwards; the walk turns those few around in place, and the
//! whole column as it is copied out at the end. Dead code costs nothing. O(instructions + edges x phis); the
//! columns of the walk are a worker's.
//!
//! (Selecting backwards with folding by non-demand is Cranelift's; see its `machinst/lower.rs`.)

use super::convention::{self, Convention};
use super::legalise::expand;
use super::memory::{self, Memory};
use super::prepare::{Prepared, frequency};
use crate::analysis::Order;
use crate::base::graph::order::UNREACHABLE;
use crate::base::intern::DenseMap;
use crate::base::{Column, Handle, Opt};
use crate::ir::opcode::{OPS, WRITES};
use crate::ir::scalarise::scalarise;
use crate::ir::{self, Body, Env, Op, Type, Value};
use crate::mir::desc::{ENTRY, PHI};
use crate::mir::func::{BlockRow, MAX_VREGS, VRegRow};
use crate::mir::{self, Class, Features, Func, InstRow, Machine, MachineOp, Operand, SlotKind, VReg};

/// Selects an instruction: a terminator, or one that is demanded (`Select::result`) or has an effect. Of a
/// terminator exactly one terminator row, the last emitted; a conditional branch jumps to `Select::succ(0)`.
pub type Handler = fn(&mut Select, ir::Inst);

/// What a target adds to the walk.
#[derive(Debug)]
pub struct Rules {
    /// The target's description.
    pub machine: &'static Machine,
    /// By opcode; see `handlers`.
    pub handlers: [Handler; OPS.len()],
    /// How it addresses memory.
    pub memory: &'static Memory,
    /// By type: the row that loads from a frame slot. The walk makes it where the slot is known.
    pub slot_loads: ByType,
    /// By type: the row that stores to a frame slot.
    pub slot_stores: ByType,
    /// Emits what puts a constant, a global's address or undef in a register: a fresh one, or one that always
    /// holds it.
    pub constant: fn(&mut Select, Value) -> Operand,
    /// How arguments and results are passed.
    pub convention: &'static Convention,
}

/// A row for each type that has one.
pub type ByType = [Option<MachineOp>; Type::ALL.len()];

/// The table of handlers with these rows. Jumps, calls, returns and memory need none; what has none is made
/// of others (`legalise`).
pub const fn handlers(rows: &[(Op, Handler)]) -> [Handler; OPS.len()] {
    let mut table: [Handler; OPS.len()] = [lack; OPS.len()];
    table[Op::Alloca as usize] = nothing;
    table[Op::Phi as usize] = nothing;
    table[Op::Store as usize] = store;
    table[Op::Load as usize] = memory::load;
    table[Op::ElemAddr as usize] = memory::elem_addr;
    table[Op::MemInit as usize] = memory::mem_init;
    table[Op::Br as usize] = jump;
    table[Op::Call as usize] = convention::call;
    table[Op::Ret as usize] = convention::ret;
    table[Op::MemSet as usize] = convention::fill_or_copy;
    table[Op::MemCopy as usize] = convention::fill_or_copy;
    let mut k = 0;
    while k < rows.len() {
        table[rows[k].0 as usize] = rows[k].1;
        k += 1;
    }
    table
}

fn nothing(_: &mut Select, _: ir::Inst) {}

/// The handler of what the target has no code for, or what a handler leaves such an instruction to: it is
/// made of others, and the function is selected again.
pub fn lack(cx: &mut Select, i: ir::Inst) {
    // What it is made of may be lacking, too.
    for &v in cx.body.args(i) {
        cx.reg(v);
    }
    lack_alone(cx, i);
}

/// The same where the machine has no register for an operand, which goes.
pub fn lack_alone(cx: &mut Select, i: ir::Inst) {
    cx.lacking.push(i);
}

/// A store. Most are of what was computed, to variables in the frame, and one row.
fn store(cx: &mut Select, i: ir::Inst) {
    if let Some(value) = cx.body.arg(i, 0).as_inst()
        && cx.body.op(value) != Op::Alloca
        && let ty = cx.body.ty(value)
        && let Some(op) = cx.rules.slot_stores[ty.scalar_number()]
        && let Some(slot) = cx.variable(cx.body.arg(i, 1))
    {
        let value = cx.used_as(value, ty);
        return cx.emit_row(op, 0, &[value, Operand::FRAME], 0, slot.index() as u32);
    }
    memory::store(cx, i);
}

/// An unconditional branch. Where rows have no places, it says itself if it is to stay
/// (`mir::Func::is_kept`).
fn jump(cx: &mut Select, i: ir::Inst) {
    let stays = cx.marks_jumps && cx.body.loc(i) != ir::NO_LOC;
    cx.emit_row(cx.rules.machine.jump, 0, &[], i32::from(stays), cx.succ(0));
}

/// What an instruction's result is, as far as that is known: nothing yet, a register, or of an alloca a frame
/// slot.
///
/// ```text
///   31   30                       0
///  +----+-------------------------+
///  | 0  |  virtual register       |
///  | 1  |  slot; all ones: none   |
///  +----+-------------------------+
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Home(u32);

impl Home {
    const NONE: Home = Home(u32::MAX);

    fn reg(v: VReg) -> Home {
        Home(v.index() as u32)
    }

    fn slot(slot: mir::Slot) -> Home {
        Home(1 << 31 | slot.index() as u32)
    }

    #[inline(always)]
    fn as_reg(self) -> Option<VReg> {
        if self.0 >> 31 == 0 { Some(VReg::new(self.0 as usize)) } else { None }
    }

    #[inline(always)]
    fn as_slot(self) -> Option<mir::Slot> {
        if self.0 >> 31 != 0 && self != Home::NONE {
            Some(mir::Slot::new((self.0 & !(1 << 31)) as usize))
        } else {
            None
        }
    }
}

/// A constant that uses may share: what makes it again gives the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shared {
    /// A constant value, but for integers.
    Value(Value),
    /// An integer in a register of so many bytes.
    Int(u8, i64),
    /// The address of a slot.
    Slot(mir::Slot),
}

/// What a worker keeps for selection from function to function.
#[derive(Debug, Default)]
pub struct WorkerMemory {
    columns: Columns,
    /// A function that is done with, for its memory.
    pub spent: Func,
}

/// The columns of the walk.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Per IR instruction: the register that its result is wanted in, or the frame slot of an alloca.
    homes: Column<ir::Inst, Home>,
    /// Per block, as far as constants are shared: the rows that make some, at its end.
    hoisted: Column<ir::Block, Vec<InstRow>>,
    /// The rows of phis, by machine block: those of block `k` start at `phi_starts[k]`.
    phis: Vec<InstRow>,
    phi_starts: Vec<u32>,
    /// Rows selected so far, backwards but for those of the current IR instruction, and, if places are
    /// wanted, per row its source offset.
    rows: Vec<InstRow>,
    locs: Vec<u32>,
    /// See `Select`.
    operands: Vec<Operand>,
    indices: Vec<(Value, u32)>,
}

/// The state of the walk.
#[derive(Debug)]
pub struct Select<'a> {
    /// What functions share.
    pub env: &'a Env,
    /// The function being selected.
    pub body: &'a Body,
    /// The machine function so far. Rows are kept apart until the end.
    pub out: Func,
    /// The target.
    pub rules: &'static Rules,
    /// The block being selected.
    pub block: ir::Block,
    /// Room for the operands of a row with any number of them, between two rows.
    pub operands: Vec<Operand>,
    /// The indices of the addresses of the IR instruction being selected, and the bytes they scale by.
    pub indices: Vec<(Value, u32)>,
    columns: Columns,
    /// The registers for values, by type.
    kinds: [VRegRow; Type::ALL.len()],
    /// Rows of `columns.rows` that are those of earlier IR instructions.
    flushed: usize,
    /// Registers that are those of earlier blocks.
    earlier: usize,
    /// Per block, its number in the order.
    position: &'a Column<ir::Block, u32>,
    /// The machine blocks that the current block goes to.
    succs: [Opt<mir::Block>; 2],
    /// Where constants that the current block needs are made, if not where they are needed.
    constants_at: Opt<ir::Block>,
    /// Rows get places; jumps that have one, and get none, are marked.
    places: bool,
    marks_jumps: bool,
    /// Constants made in front of loops, by block and what they are.
    shared: DenseMap<(u32, Shared), Operand>,
    /// The slot for outgoing arguments, once there is one.
    outgoing: Option<mir::Slot>,
    /// Instructions that the target has no code for; see `lack`.
    lacking: Vec<ir::Inst>,
    /// What the target cannot do, if something came up.
    error: Option<String>,
}

impl<'a> Select<'a> {
    // ---- What targets ask ---------------------------------------------------------------------------------

    /// The register that holds a value here; demands the value. Constants are made on the spot, or in front
    /// of loops.
    #[inline(never)]
    pub fn reg(&mut self, v: Value) -> Operand {
        if let Some(i) = v.as_inst() {
            let home = self.columns.homes[i];
            if let Some(v) = home.as_reg() {
                return Operand::virt(v);
            }
            if home == Home::NONE && self.body.op(i) != Op::Alloca {
                return Operand::virt(self.demand(i));
            }
        }
        self.constant(v)
    }

    /// The registers of two values of a type that are results of instructions and no addresses of allocas, as
    /// most operands are.
    #[inline(always)]
    pub fn computed(&mut self, a: Value, b: Value, ty: Type) -> Option<[Operand; 2]> {
        let (a, b) = (a.as_inst()?, b.as_inst()?);
        Some([self.used_as(a, ty), self.used_as(b, ty)])
    }

    /// A register that holds a constant or the address of an alloca. Never part of `reg`, which then needs
    /// few registers.
    #[inline(never)]
    fn constant(&mut self, v: Value) -> Operand {
        if self.shares() { self.shared_constant(v) } else { self.fresh(v) }
    }

    fn shared_constant(&mut self, v: Value) -> Operand {
        let key = match (v.as_inst(), self.body.as_int(v)) {
            (Some(i), _) => Shared::Slot(self.slot_of(i)),
            (None, Some(x)) => Shared::Int(self.body.type_of(v).bytes().max(4) as u8, x),
            (None, None) => Shared::Value(v),
        };
        self.shared(key, |cx| cx.fresh(v))
    }

    /// A register of its own that holds a value here, if it is a constant.
    pub fn fresh(&mut self, v: Value) -> Operand {
        match v.as_inst() {
            Some(i) if self.body.op(i) == Op::Alloca => {
                let slot = self.slot_of(i);
                memory::slot_address(self, slot, 0)
            }
            Some(i) => Operand::virt(self.result(i)),
            None => (self.rules.constant)(self, v),
        }
    }

    /// What `make` puts in a register, which must depend on `key` alone: made here, or once in front of the
    /// loops.
    pub fn shared(&mut self, key: Shared, make: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let Some(at) = self.constants_at.get() else { return make(self) };
        let key = (at.index() as u32, key);
        if let Some(&operand) = self.shared.get(&key) {
            return operand;
        }
        let first = self.columns.rows.len();
        let operand = make(self);
        self.columns.hoisted[at].extend(self.columns.rows.drain(first..));
        self.note_crossing(operand);
        self.shared.insert(key, operand);
        operand
    }

    /// True if constants that this block needs are made in front of a loop.
    #[inline]
    pub fn shares(&self) -> bool {
        self.constants_at.is_some()
    }

    /// The register for the result of an instruction; demands it. In `Rules::handlers`, where to put the
    /// result.
    #[inline(always)]
    pub fn result(&mut self, i: ir::Inst) -> VReg {
        match self.columns.homes[i].as_reg() {
            Some(v) => v,
            None => self.demand(i),
        }
    }

    /// The same, for a user that is probably the first to demand it, and knows its type.
    #[inline(always)]
    pub fn used_as(&mut self, i: ir::Inst, ty: Type) -> Operand {
        Operand::virt(match self.columns.homes[i].as_reg() {
            Some(v) => v,
            None => self.first_use(i, ty),
        })
    }

    #[inline(always)]
    fn first_use(&mut self, i: ir::Inst, ty: Type) -> VReg {
        let v = self.new_reg(ty);
        self.columns.homes[i] = Home::reg(v);
        v
    }

    #[inline(never)]
    fn demand(&mut self, i: ir::Inst) -> VReg {
        let ty = self.body.ty(i);
        if self.out.vregs.is_full() || self.out.vregs.len() + 1 >= MAX_VREGS {
            return self.demand_slowly(i, ty);
        }
        let v = self.out.vregs.push(self.kinds[ty.scalar_number()]);
        self.columns.homes[i] = Home::reg(v);
        v
    }

    /// The same, where there may be no room; see `emit_fresh_slowly`.
    #[cold]
    #[inline(never)]
    fn demand_slowly(&mut self, i: ir::Inst, ty: Type) -> VReg {
        self.first_use(i, ty)
    }

    /// True if something has demanded the result.
    #[inline]
    pub fn is_wanted(&self, i: ir::Inst) -> bool {
        self.columns.homes[i].as_reg().is_some()
    }

    /// A fresh register for a value of a type.
    #[inline]
    pub fn new_reg(&mut self, ty: Type) -> VReg {
        if self.out.vregs.len() + 1 >= MAX_VREGS {
            return self.too_many_registers();
        }
        self.out.vregs.push(self.kinds[ty.scalar_number()])
    }

    /// Notes that another block or a phi uses a register.
    fn note_crossing(&mut self, operand: Operand) {
        if let Some(v) = operand.as_virt() {
            self.out.vregs[v].crosses = true;
        }
    }

    #[cold]
    fn too_many_registers(&mut self) -> VReg {
        self.fail("the function needs too many registers");
        VReg::new(0)
    }

    /// Emits a row behind those already emitted for this instruction, with one result, a fresh register;
    /// returns that.
    #[inline(never)]
    pub fn emit_fresh<const USES: usize>(
        &mut self,
        op: MachineOp,
        ty: Type,
        uses: &[Operand; USES],
        imm: i32,
        sym: u32,
    ) -> Operand {
        let Func { vregs, operands, .. } = &self.out;
        let rows = &self.columns.rows;
        if vregs.is_full()
            || operands.capacity() - operands.len() < USES + 1
            || rows.len() == rows.capacity()
            || vregs.len() + 1 >= MAX_VREGS
        {
            return self.emit_fresh_slowly(op, ty, *uses, imm, sym);
        }
        let d = Operand::virt(self.out.vregs.push(self.kinds[ty.scalar_number()]));
        self.emit(op, &[d], uses, imm, sym);
        d
    }

    /// The same, where there may be no room. Apart, so that where there is, nothing is called and no register
    /// saved.
    #[cold]
    #[inline(never)]
    fn emit_fresh_slowly<const USES: usize>(
        &mut self,
        op: MachineOp,
        ty: Type,
        uses: [Operand; USES],
        imm: i32,
        sym: u32,
    ) -> Operand {
        let d = Operand::virt(self.new_reg(ty));
        self.emit(op, &[d], &uses, imm, sym);
        d
    }

    /// Emits a row behind those already emitted for this instruction: of `operands`, the first `defs` are
    /// definitions.
    #[inline(always)]
    pub fn emit_row(&mut self, op: MachineOp, defs: u8, operands: &[Operand], imm: i32, sym: u32) {
        let (first, uses) = (self.out.operands.len() as u32, operands.len() as u8 - defs);
        self.out.operands.extend_from_slice(operands);
        self.columns.rows.push(InstRow { op, defs, uses, first, imm, sym });
    }

    /// As above, definitions and uses apart, four in all at most.
    #[inline(always)]
    pub fn emit<const DEFS: usize, const USES: usize>(
        &mut self,
        op: MachineOp,
        defs: &[Operand; DEFS],
        uses: &[Operand; USES],
        imm: i32,
        sym: u32,
    ) {
        const { assert!(DEFS + USES <= 4) };
        // Side by side first: then one check of capacities is enough.
        let mut operands = [Operand::FRAME; 4];
        operands[..DEFS].copy_from_slice(defs);
        operands[DEFS..DEFS + USES].copy_from_slice(uses);
        self.emit_row(op, DEFS as u8, &operands[..DEFS + USES], imm, sym);
    }

    /// Emits a call, as `emit_row` does other rows.
    pub fn emit_call(&mut self, op: MachineOp, defs: u8, operands: &[Operand], sym: u32) {
        self.out.has_calls = true;
        self.emit_fixed(op, defs, operands, sym);
    }

    /// Emits a row whose results come in given registers.
    pub fn emit_fixed(&mut self, op: MachineOp, defs: u8, operands: &[Operand], sym: u32) {
        for def in &operands[..usize::from(defs)] {
            if let (Some(v), Some(reg)) = (def.as_virt(), def.constraint()) {
                self.out.vregs[v].comes_in = reg.0;
            }
        }
        self.emit_row(op, defs, operands, 0, sym);
    }

    /// The instruction that computes `v`, if it can be folded into the instruction being selected without
    /// doing its work twice: it stands in the same block and has no other use. It must not be demanded then.
    /// Loads are not offered: something between may write.
    #[inline]
    pub fn foldable(&self, v: Value) -> Option<ir::Inst> {
        v.as_inst().filter(|&i| self.body.op(i).has(ir::opcode::PURE) && self.is_only_here(i))
    }

    /// As above, of one opcode, which must be pure.
    #[inline(always)]
    pub fn foldable_as(&self, v: Value, op: Op) -> Option<ir::Inst> {
        v.as_inst().filter(|&i| self.body.op(i) == op && self.is_only_here(i))
    }

    /// True if its only use is in this block, as it is itself.
    #[inline(always)]
    pub fn is_only_here(&self, i: ir::Inst) -> bool {
        self.body.block_of(i) == Some(self.block) && self.body.has_single_use(i)
    }

    /// The operands of an instruction, a constant, if there is one, last.
    pub fn constant_last(&self, i: ir::Inst) -> (Value, Value) {
        let (a, b) = (self.body.arg(i, 0), self.body.arg(i, 1));
        if a.is_constant() && !b.is_constant() { (b, a) } else { (a, b) }
    }

    /// A shift by a constant, or a product with a power of two, that can be folded: what is shifted, how (0
    /// left, 1 right, 2 right with the sign), by how much.
    #[inline]
    pub fn shift_of(&self, v: Value) -> Option<(Value, u16, i32)> {
        let i = v.as_inst()?;
        if matches!(self.body.op(i), Op::Mul | Op::Shl | Op::LShr | Op::AShr) { self.shift(i) } else { None }
    }

    /// The k of 2^k, of a constant of this type that is that.
    pub fn power_of_two(&self, ty: Type, v: Value) -> Option<i32> {
        let x = self.body.as_int(v).filter(|_| matches!(ty, Type::I32 | Type::I64))?;
        let x = if ty == Type::I32 { u64::from(x as u32) } else { x as u64 };
        x.is_power_of_two().then_some(x.trailing_zeros() as i32)
    }

    fn shift(&self, i: ir::Inst) -> Option<(Value, u16, i32)> {
        if !self.is_only_here(i) {
            return None;
        }
        let ty = self.body.ty(i);
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        let right = *self.body.args(i).get(1)?;
        let amount = self.body.as_int(right)?;
        let bits = i64::from(ty.int_bits());
        let (kind, amount) = match self.body.op(i) {
            Op::Shl => (0, amount),
            Op::LShr => (1, amount),
            Op::AShr => (2, amount),
            Op::Mul => (0, i64::from(self.power_of_two(ty, right)?)),
            _ => return None,
        };
        (0 < amount && amount < bits).then(|| (self.body.arg(i, 0), kind, amount as i32))
    }

    /// The machine block of successor `k`, for branches.
    #[inline]
    pub fn succ(&self, k: usize) -> u32 {
        self.succs[k].get().map_or(0, |b| b.index() as u32)
    }

    /// The frame slot of an alloca.
    #[inline]
    pub fn slot_of(&mut self, i: ir::Inst) -> mir::Slot {
        match self.columns.homes[i].as_slot() {
            Some(slot) => slot,
            None => self.new_slot(i),
        }
    }

    /// The frame slot that a pointer is the address of.
    #[inline(always)]
    pub fn variable(&mut self, v: Value) -> Option<mir::Slot> {
        let i = v.as_inst()?;
        match self.columns.homes[i].as_slot() {
            Some(slot) => Some(slot),
            None if self.body.op(i) == Op::Alloca => Some(self.new_slot(i)),
            None => None,
        }
    }

    fn new_slot(&mut self, i: ir::Inst) -> mir::Slot {
        let shape = ir::Shape::new(self.body.payload(i) as usize);
        let bytes = self.env.shapes.bytes(shape);
        if bytes > i32::MAX as u64 {
            self.fail("a local object is over 2 GiB");
        }
        let stack_align = self.rules.machine.stack_align;
        if self.env.shapes.asked_align(shape) > stack_align {
            self.fail("an alloca is aligned more than the stack is");
        }
        let align = self.env.shapes.align(shape).max(8).min(stack_align);
        let slot = self.out.new_slot(SlotKind::Local, bytes.min(i32::MAX as u64) as u32, align);
        self.columns.homes[i] = Home::slot(slot);
        slot
    }

    /// The slot at the stack pointer through which arguments are passed, at least `bytes` large.
    pub fn outgoing(&mut self, bytes: u32) -> mir::Slot {
        let align = self.rules.machine.stack_align;
        let slot = match self.outgoing {
            Some(slot) => slot,
            None => self.out.new_slot(SlotKind::Outgoing, 0, align),
        };
        self.outgoing = Some(slot);
        let row = &mut self.out.slots[slot];
        row.bytes = row.bytes.max(bytes);
        slot
    }

    /// True if the machine has all of these.
    pub fn has(&self, features: Features) -> bool {
        self.out.features.has(features)
    }

    /// Says that the target cannot do what the function asks for; selection goes on and fails at the end.
    pub fn fail(&mut self, why: &str) {
        self.error.get_or_insert_with(|| why.to_string());
    }

    // ---- The walk -----------------------------------------------------------------------------------------

    /// Turns the rows of an IR instruction around, or of nothing in the source.
    #[inline(always)]
    fn flush(&mut self, i: Option<ir::Inst>) {
        let Columns { rows, locs, .. } = &mut self.columns;
        match &mut rows[self.flushed..] {
            [] | [_] => {}
            [a, b] => std::mem::swap(a, b),
            more => more.reverse(),
        }
        self.flushed = rows.len();
        if self.places {
            locs.resize(rows.len(), i.map_or(ir::NO_LOC, |i| self.body.loc(i)));
        }
        self.indices.clear();
    }

    /// The machine block of a block; none if nothing enters it.
    #[inline(always)]
    fn machine_block(&self, b: ir::Block) -> Opt<mir::Block> {
        match self.position[b] {
            UNREACHABLE => Opt::NONE,
            k => Opt::some(mir::Block::new(k as usize)),
        }
    }

    /// Makes the phi rows of a block, with their operands still to come.
    fn phi_rows(&mut self, b: ir::Block) {
        self.columns.phi_starts.push(self.columns.phis.len() as u32);
        let (body, count) = (self.body, self.body.preds(b).len());
        for phi in body.phis(b) {
            let def = Operand::virt(self.result(phi));
            self.note_crossing(def);
            let row = self.out.make_row(PHI, &[def], &[], count as i32, 0);
            self.out.operands.resize(self.out.operands.len() + count, def);
            self.columns.phis.push(row);
        }
    }

    /// The range of a machine block's phi rows in `Columns::phis`.
    fn phis_of(&self, b: mir::Block) -> std::ops::Range<usize> {
        let starts = &self.columns.phi_starts;
        starts[b.index()] as usize..starts[b.index() + 1] as usize
    }

    /// Puts the operands that `b` gives to the phis of its successors in place.
    fn phi_operands(&mut self, b: ir::Block) {
        let body = self.body;
        for e in body.succs(b) {
            let target = body.edge_to(e);
            let Some(block) = self.machine_block(target).get() else { continue };
            let slot = body.edge_slot(e);
            for (phi, k) in body.phis(target).zip(self.phis_of(block)) {
                let row = self.columns.phis[k];
                let mut operand = self.fresh(self.body.arg(phi, slot));
                if operand.as_virt().is_none() {
                    // A register that always holds the value is no operand for a phi: copy it.
                    let ty = self.body.ty(phi);
                    let copy = Operand::virt(self.new_reg(ty));
                    let VRegRow { class, bytes, .. } = self.kinds[ty.scalar_number()];
                    let op = self.rules.machine.width(class, bytes.into()).copy;
                    self.emit(op, &[copy], &[operand], 0, 0);
                    operand = copy;
                }
                self.note_crossing(operand);
                self.out.operands[row.first as usize + 1 + slot] = operand;
            }
        }
    }

    fn block(&mut self, b: ir::Block, is_entry: bool) {
        let body = self.body;
        self.block = b;
        self.earlier = self.out.vregs.len();
        self.succs = [Opt::NONE; 2];
        for (k, e) in body.succs(b).enumerate() {
            self.succs[k] = self.machine_block(body.edge_to(e));
        }
        let mut next = body.last(b);
        if let Some(terminator) = body.terminator(b) {
            (self.rules.handlers[body.op(terminator) as usize])(self, terminator);
            self.flush(Some(terminator));
            next = body.prev(terminator);
        }
        if body.has_phis() {
            self.phi_operands(b);
            self.flush(None);
        }
        if b.index() < self.columns.hoisted.len() {
            self.columns.rows.append(&mut self.columns.hoisted[b]);
            self.flush(None);
        }
        self.insts(body, next);
        if is_entry {
            self.entry();
        }
    }

    /// What stands in front of a terminator, last to first. By itself, so that the compiler has registers for
    /// the loop.
    #[inline(never)]
    fn insts(&mut self, body: &Body, mut next: Option<ir::Inst>) {
        let (rules, earlier) = (self.rules, self.earlier);
        while let Some(i) = next {
            next = body.prev(i);
            let (op, home) = (body.op(i), self.columns.homes[i]);
            if home == Home::NONE && !op.has(WRITES) {
                continue;
            }
            if (home.0 as usize) < earlier {
                // Other blocks than its own come first, since it dominates them.
                self.out.vregs[VReg::new(home.0 as usize)].crosses = true;
            }
            if op == Op::Load && self.load(body, i, home) {
                continue;
            }
            (rules.handlers[op as usize])(self, i);
            self.flush(Some(i));
        }
    }

    /// A load of a variable in the frame that has a slot: a third of what there is at -O0. False, and nothing
    /// done, for any other.
    #[inline(always)]
    fn load(&mut self, body: &Body, i: ir::Inst, home: Home) -> bool {
        let Some(variable) = body.arg(i, 0).as_inst() else { return false };
        let slot = self.columns.homes[variable].as_slot();
        let op = self.rules.slot_loads[body.ty(i).scalar_number()];
        if let (Some(slot), Some(op), Some(d)) = (slot, op, home.as_reg()) {
            self.emit_row(op, 1, &[Operand::virt(d), Operand::FRAME], 0, slot.index() as u32);
            self.flushed += 1;
            if self.places {
                self.columns.locs.push(body.loc(i));
            }
            return true;
        }
        false
    }

    /// The row for what comes in. Parameters stand in no block.
    fn entry(&mut self) {
        for i in self.body.params() {
            if let Some(v) = self.columns.homes[i].as_reg() {
                self.out.vregs[v].crosses = true;
            }
        }
        convention::entry(self);
        debug_assert!(self.columns.rows[self.flushed].op == ENTRY);
        self.flush(None);
    }
}

fn class_of(ty: Type) -> Class {
    if ty.is_float() { Class::FLOAT } else { Class::INT }
}

/// Selects a function that `prepare` has seen, for a machine that has these features. `Err` says what the
/// target cannot do. Instructions that it has no code for are rewritten first.
pub fn select(
    env: &Env,
    body: &mut Body,
    (prepared, memory): (&Prepared, &mut WorkerMemory),
    rules: &'static Rules,
    features: Features,
) -> Result<Func, String> {
    scalarise(&env.shapes, body);
    loop {
        let (func, lacking) = attempt(env, body, (prepared, memory), rules, features)?;
        if lacking.is_empty() {
            return Ok(func);
        }
        for i in lacking {
            let (op, ty) = (body.op(i), body.ty(i));
            if !expand(body, i) {
                return Err(cannot(rules, op, ty));
            }
        }
        memory.spent = func;
    }
}

fn cannot(rules: &Rules, op: Op, ty: Type) -> String {
    format!("{} has no instruction for {} of {}", rules.machine.name, op.row().name, ty.name())
}

/// Selects once; the instructions that the target lacks.
#[inline(never)]
fn attempt(
    env: &Env,
    body: &Body,
    (prepared, memory): (&Prepared, &mut WorkerMemory),
    rules: &'static Rules,
    features: Features,
) -> Result<(Func, Vec<ir::Inst>), String> {
    let mut columns = std::mem::take(&mut memory.columns);
    let order = &prepared.order.blocks[..];
    columns.homes.reset(body.inst_count(), Home::NONE);
    columns.hoisted.grow_to(if prepared.hoist { body.block_count() } else { 0 }, Vec::new());
    columns.phis.clear();
    columns.phi_starts.clear();
    columns.rows.clear();
    columns.locs.clear();
    let spent = std::mem::take(&mut memory.spent).renewed();
    let mut out = Func { id: body.func.index() as u32, features, places: prepared.places, ..spent };
    // What most functions need.
    columns.rows.reserve(body.inst_count() + body.inst_count() / 2);
    out.operands.reserve(3 * body.inst_count());
    out.vregs.reserve(body.inst_count() + body.inst_count() / 4);
    let mut cx = Select {
        env,
        body,
        out,
        rules,
        block: order.first().copied().unwrap_or(ir::Block::new(0)),
        operands: std::mem::take(&mut columns.operands),
        indices: std::mem::take(&mut columns.indices),
        columns,
        kinds: Type::ALL.map(|ty| {
            let bytes = if ty == Type::Ptr { rules.machine.pointer_bytes } else { ty.bytes().max(4) };
            VRegRow::new(class_of(ty), bytes)
        }),
        flushed: 0,
        earlier: 0,
        position: &prepared.order.position,
        succs: [Opt::NONE; 2],
        constants_at: Opt::NONE,
        places: prepared.places,
        marks_jumps: !prepared.places && !prepared.hoist,
        shared: DenseMap::default(),
        outgoing: None,
        lacking: Vec::new(),
        error: None,
    };
    if body.has_phis() {
        order.iter().for_each(|&b| cx.phi_rows(b));
        cx.columns.phi_starts.push(cx.columns.phis.len() as u32);
    }
    cx.out.blocks.reserve(order.len());
    for (k, &b) in order.iter().enumerate().rev() {
        let end = mir::Inst::new(cx.flushed);
        cx.constants_at = prepared.before_loops[b];
        cx.block(b, k == 0);
        if body.has_phis() {
            let phis = cx.phis_of(mir::Block::new(k));
            cx.columns.rows.extend_from_slice(&cx.columns.phis[phis]);
            cx.flush(None);
        }
        let (first, loop_depth) = (mir::Inst::new(cx.flushed), prepared.depth_of(b));
        let (succs, frequency) = (cx.succs, frequency(loop_depth));
        cx.out.blocks.push(BlockRow {
            first,
            end,
            succs,
            first_pred: 0,
            pred_count: 0,
            loop_depth,
            frequency,
        });
    }
    let Select { mut out, mut columns, error, lacking, operands, indices, .. } = cx;
    (columns.operands, columns.indices) = (operands, indices);
    if let Some(error) = error {
        return Err(error);
    }
    for &(value, number) in &body.variables {
        if let Some(slot) = value.as_inst().and_then(|i| columns.homes[i].as_slot()) {
            out.variables.push((number, slot));
        }
    }
    let total = columns.rows.len();
    columns.rows.reverse();
    columns.locs.reverse();
    out.insts = std::mem::replace(&mut columns.rows, out.insts.into_vec()).into();
    out.loc = std::mem::replace(&mut columns.locs, out.loc.into_vec()).into();
    memory.columns = columns;
    place_blocks(&mut out, body, &prepared.order, total);
    Ok((out, lacking))
}

/// Turns the blocks around, whose rows were counted from the end, and fills in their predecessors.
fn place_blocks(out: &mut Func, body: &Body, order: &Order, total: usize) {
    let Func { blocks, preds, .. } = out;
    blocks.as_mut_slice().reverse();
    for (row, &b) in blocks.as_mut_slice().iter_mut().zip(&order.blocks) {
        (row.first, row.end) =
            (mir::Inst::new(total - row.first.index()), mir::Inst::new(total - row.end.index()));
        row.first_pred = preds.len() as u32;
        let from = body.preds(b).iter().map(|&e| order.position[body.edge_from(e)]);
        preds.extend(from.filter(|&k| k != UNREACHABLE).map(|k| mir::Block::new(k as usize)));
        row.pred_count = preds.len() as u32 - row.first_pred;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::opcode::Form;
    use crate::isa::TARGETS;

    #[test]
    fn every_target_selects_every_instruction_that_stands_in_a_block() {
        for target in TARGETS {
            for (k, handler) in target.rules.handlers.iter().enumerate() {
                let is_known = !std::ptr::fn_addr_eq(*handler, lack as Handler);
                let may_be_made = OPS[k].form != Form::Own && OPS[k].form != Form::Plain;
                let stands = ![Op::Param, Op::ExtractLane, Op::InsertLane].contains(&Op::ALL[k]);
                assert!(is_known == stands || may_be_made, "{} {}", target.name, OPS[k].name);
            }
        }
    }
}
