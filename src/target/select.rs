//! From SSA to machine IR, shared by the targets.
//!
//! Blocks are walked in postorder and instructions last to first, so every use of a value is seen before its
//! definition: an instruction is selected only if something has *demanded* its result (or it has an effect), and a
//! user that folds its operand's definition into itself simply does not demand it. Within one IR instruction
//! the target emits machine rows forwards; the walk reverses them, and the whole row column once at the end. Dead code
//! costs nothing. O(instructions + edges x phis).
//!
//! (Selecting backwards with folding by non-demand is Cranelift's; see its `machinst/lower.rs`.)

use super::prepare::{Prepared, frequency};
use crate::base::intern::DenseMap;
use crate::base::{Column, Handle, Opt};
use crate::ir::{self, Body, Env, Op, Type, Value};
use crate::mir::desc::{CALL, ENTRY, PHI};
use crate::mir::func::{BlockRow, MAX_VREGS};
use crate::mir::{self, Class, Features, Func, InstRow, Machine, MachineOp, Operand, SlotKind, VReg};

/// What a target adds to the walk.
#[derive(Debug)]
pub struct Rules {
    /// The target's description.
    pub machine: &'static Machine,
    /// Selects an instruction that is no phi, alloca or terminator: it is demanded (`Select::result`) or has an effect.
    pub inst: fn(&mut Select, ir::Inst),
    /// Selects a terminator. Exactly one terminator row, the last emitted; a conditional branch jumps to
    /// `Select::succ(0)`.
    pub terminator: fn(&mut Select, ir::Inst),
    /// Emits what puts a constant, a global's address or undef in a register: a fresh one, or one that always holds it.
    pub constant: fn(&mut Select, Value) -> Operand,
    /// Emits what puts the address of a frame slot in a register.
    pub slot_address: fn(&mut Select, mir::Slot) -> Operand,
    /// Emits the `ENTRY` row and what else the demanded parameters need.
    pub entry: fn(&mut Select),
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
    /// Per IR block: its machine block.
    block_of: Column<ir::Block, Opt<mir::Block>>,
    /// Per IR instruction: the register that its result is wanted in.
    wanted: Column<ir::Inst, Opt<VReg>>,
    /// Per IR instruction: the frame slot of an alloca.
    slots: Column<ir::Inst, Opt<mir::Slot>>,
    /// Per block: where constants that it needs are made, if not where they are needed.
    before_loops: &'a Column<ir::Block, Opt<ir::Block>>,
    /// Constants made in front of loops, by block and what they are.
    shared: DenseMap<(u32, Shared), Operand>,
    /// Per block: the rows that make those.
    hoisted: Column<ir::Block, Vec<InstRow>>,
    /// The slot for outgoing arguments, once there is one.
    outgoing: Option<mir::Slot>,
    /// Rows of the current IR instruction, forwards.
    pending: Vec<InstRow>,
    /// Rows of everything selected so far, backwards, and their source offsets.
    reversed: Vec<InstRow>,
    reversed_loc: Vec<u32>,
    /// What the target cannot do, if something came up.
    error: Option<String>,
}

impl<'a> Select<'a> {
    // ---- What targets ask ---------------------------------------------------------------------------------

    /// The register that holds a value here; demands the value. Constants are made on the spot, or in front of loops.
    pub fn reg(&mut self, v: Value) -> Operand {
        let key = match (v.as_inst(), self.body.as_int(v)) {
            (Some(i), _) if self.body.op(i) == Op::Alloca => Shared::Slot(self.slot_of(i)),
            (Some(i), _) => return Operand::virt(self.result(i)),
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
                (self.rules.slot_address)(self, slot)
            }
            Some(i) => Operand::virt(self.result(i)),
            None => (self.rules.constant)(self, v),
        }
    }

    /// What `make` puts in a register, which must depend on `key` alone: made here, or once in front of the loops.
    pub fn shared(&mut self, key: Shared, make: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let Some(at) = self.before_loops[self.block].get() else { return make(self) };
        let key = (at.index() as u32, key);
        if let Some(&operand) = self.shared.get(&key) {
            return operand;
        }
        let pending = std::mem::take(&mut self.pending);
        let operand = make(self);
        let rows = std::mem::replace(&mut self.pending, pending);
        self.hoisted[at].extend(rows);
        self.shared.insert(key, operand);
        operand
    }

    /// True if constants that this block needs are made in front of a loop.
    pub fn shares(&self) -> bool {
        self.before_loops[self.block].is_some()
    }

    /// The register for the result of an instruction; demands it. In `Rules::inst`, where to put the result.
    pub fn result(&mut self, i: ir::Inst) -> VReg {
        match self.wanted[i].get() {
            Some(v) => v,
            None => {
                let v = self.new_reg(self.body.ty(i));
                self.wanted[i] = Opt::some(v);
                v
            }
        }
    }

    /// True if something has demanded the result.
    pub fn is_wanted(&self, i: ir::Inst) -> bool {
        self.wanted[i].is_some()
    }

    /// A fresh register for a value of a type.
    pub fn new_reg(&mut self, ty: Type) -> VReg {
        if self.out.vregs.len() + 1 >= MAX_VREGS {
            self.fail("the function needs too many registers");
            return VReg::new(0);
        }
        let bytes = if ty == Type::Ptr { self.rules.machine.pointer_bytes } else { ty.bytes().max(4) };
        let class = if ty.is_float() { Class::Float } else { Class::Int };
        self.out.new_vreg(class, bytes)
    }

    /// Emits a row behind those already emitted for this instruction.
    pub fn emit(&mut self, op: MachineOp, defs: &[Operand], uses: &[Operand], imm: i32, sym: u32) {
        let row = self.out.make_row(op, defs, uses, imm, sym);
        self.out.has_calls |= self.rules.machine.row(op).flags & CALL != 0;
        self.pending.push(row);
    }

    /// The instruction that computes `v`, if it can be folded into the instruction being selected without doing its
    /// work twice: it stands in the same block and has no other use. It must not be demanded then. Loads are not
    /// offered: something between may write.
    pub fn foldable(&self, v: Value) -> Option<ir::Inst> {
        let i = v.as_inst()?;
        let same = self.body.block_of(i) == Some(self.block) && self.body.op(i).has(ir::opcode::PURE);
        (same && self.body.single_use(i).is_some()).then_some(i)
    }

    /// A shift by a constant, or a product with a power of two, that can be folded: what is shifted, how (0 left, 1 right,
    /// 2 right with the sign), by how much.
    pub fn shift_of(&self, v: Value) -> Option<(Value, u16, i32)> {
        let i = self.foldable(v)?;
        let ty = self.body.ty(i);
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        let amount = self.body.as_int(*self.body.args(i).get(1)?)?;
        let bits = i64::from(ty.int_bits());
        let (kind, amount) = match self.body.op(i) {
            Op::Shl => (0, amount),
            Op::LShr => (1, amount),
            Op::AShr => (2, amount),
            Op::Mul => {
                let factor = if ty == Type::I32 { u64::from(amount as u32) } else { amount as u64 };
                (0, i64::from(if factor.is_power_of_two() { factor.trailing_zeros() } else { 0 }))
            }
            _ => return None,
        };
        (0 < amount && amount < bits).then(|| (self.body.arg(i, 0), kind, amount as i32))
    }

    /// The machine block of successor `k`, for branches.
    pub fn succ(&self, k: usize) -> u32 {
        let target =
            self.body.succs(self.block).nth(k).and_then(|e| self.block_of[self.body.edge_to(e)].get());
        target.map_or(0, |b| b.index() as u32)
    }

    /// The frame slot of an alloca.
    pub fn slot_of(&mut self, i: ir::Inst) -> mir::Slot {
        match self.slots[i].get() {
            Some(slot) => slot,
            None => {
                let shape = ir::Shape::new(self.body.payload(i) as usize);
                let bytes = self.env.shapes.bytes(shape);
                if bytes > i32::MAX as u64 {
                    self.fail("a local object is over 2 GiB");
                }
                let align = if bytes >= 16 { 16 } else { 8 }.min(self.rules.machine.stack_align);
                let slot = self.out.new_slot(SlotKind::Local, bytes.min(i32::MAX as u64) as u32, align);
                self.slots[i] = Opt::some(slot);
                slot
            }
        }
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

    fn flush(&mut self, loc: u32) {
        while let Some(row) = self.pending.pop() {
            self.reversed.push(row);
            self.reversed_loc.push(loc);
        }
    }

    /// Makes the phi rows of a block, with their operands still to come, and returns them.
    fn phi_rows(&mut self, b: ir::Block) -> Vec<InstRow> {
        let phis: Vec<ir::Inst> = self.body.phis(b).collect();
        let count = self.body.preds(b).len();
        phis.into_iter()
            .map(|phi| {
                let def = Operand::virt(self.result(phi));
                let mut row = self.out.make_row(PHI, &[def], &[], count as i32, 0);
                row.first = self.out.operands.len() as u32 - 1;
                self.out.operands.resize(self.out.operands.len() + count, def);
                row
            })
            .collect()
    }

    /// Puts the operands that `b` gives to the phis of its successors in place.
    fn phi_operands(&mut self, b: ir::Block, phis: &Column<mir::Block, Vec<InstRow>>) {
        for e in self.body.succs(b) {
            let target = self.body.edge_to(e);
            let Some(block) = self.block_of[target].get() else { continue };
            let slot = self.body.edge_slot(e);
            for (phi, row) in self.body.phis(target).zip(&phis[block]) {
                let mut operand = self.fresh(self.body.arg(phi, slot));
                if operand.as_virt().is_none() {
                    // A register that always holds the value is no operand for a phi: copy it.
                    let ty = self.body.ty(phi);
                    let copy = Operand::virt(self.new_reg(ty));
                    let class = if ty.is_float() { Class::Float } else { Class::Int };
                    let bytes =
                        if ty == Type::Ptr { self.rules.machine.pointer_bytes } else { ty.bytes().max(4) };
                    self.emit((self.rules.machine.move_op)(class, bytes), &[copy], &[operand], 0, 0);
                    operand = copy;
                }
                self.out.operands[row.first as usize + 1 + slot] = operand;
            }
        }
    }

    fn block(&mut self, b: ir::Block, is_entry: bool, phis: &Column<mir::Block, Vec<InstRow>>) {
        self.block = b;
        let mut next = self.body.last(b);
        if let Some(terminator) = self.body.terminator(b) {
            (self.rules.terminator)(self, terminator);
            self.flush(self.body.loc[terminator]);
            next = self.body.prev(terminator);
        }
        self.phi_operands(b, phis);
        self.flush(ir::body::NO_LOC);
        self.pending.append(&mut self.hoisted[b]);
        self.flush(ir::body::NO_LOC);
        while let Some(i) = next {
            next = self.body.prev(i);
            match self.body.op(i) {
                Op::Phi => break,
                Op::Alloca => {}
                op if op.has(ir::opcode::WRITES) || self.is_wanted(i) => {
                    (self.rules.inst)(self, i);
                    self.flush(self.body.loc[i]);
                }
                _ => {}
            }
        }
        if is_entry {
            (self.rules.entry)(self);
            debug_assert!(self.pending.first().is_some_and(|row| row.op == ENTRY));
            self.flush(ir::body::NO_LOC);
        }
    }
}

/// Selects a function that `prepare` has seen, for a machine that has these features. `Err` says what the target
/// cannot do.
pub fn select(
    env: &Env,
    body: &Body,
    prepared: &Prepared,
    rules: &'static Rules,
    features: Features,
) -> Result<Func, String> {
    let order = &prepared.order.blocks[..];
    let mut block_of = Column::filled(body.block_count(), Opt::NONE);
    for (k, &b) in order.iter().enumerate() {
        block_of[b] = Opt::some(mir::Block::new(k));
    }
    let mut cx = Select {
        env,
        body,
        out: Func { id: body.func.index() as u32, features, ..Func::default() },
        rules,
        block: order.first().copied().unwrap_or(ir::Block::new(0)),
        block_of,
        wanted: Column::filled(body.inst_count(), Opt::NONE),
        slots: Column::filled(body.inst_count(), Opt::NONE),
        before_loops: &prepared.before_loops,
        shared: DenseMap::default(),
        hoisted: Column::filled(body.block_count(), Vec::new()),
        outgoing: None,
        pending: Vec::new(),
        reversed: Vec::new(),
        reversed_loc: Vec::new(),
        error: None,
    };
    let mut phis: Column<mir::Block, Vec<InstRow>> = Column::new();
    for &b in order {
        let rows = cx.phi_rows(b);
        phis.push(rows);
    }
    // Per block in order: how many reversed rows there were before it, and after it.
    let mut spans = vec![(0, 0); order.len()];
    for (k, &b) in order.iter().enumerate().rev() {
        let before = cx.reversed.len();
        cx.block(b, k == 0, &phis);
        cx.pending.extend_from_slice(&phis[mir::Block::new(k)]);
        cx.flush(ir::body::NO_LOC);
        spans[k] = (before, cx.reversed.len());
    }
    if let Some(error) = cx.error {
        return Err(error);
    }
    for &(value, number) in &body.variables {
        if let Some(slot) = value.as_inst().and_then(|i| cx.slots[i].get()) {
            cx.out.variables.push((number, slot));
        }
    }
    let total = cx.reversed.len();
    cx.reversed.reverse();
    cx.reversed_loc.reverse();
    let mut out = cx.out;
    out.insts = cx.reversed.into();
    out.loc = cx.reversed_loc.into();
    for (k, &b) in order.iter().enumerate() {
        let mut succs = [Opt::NONE; 2];
        for (slot, e) in succs.iter_mut().zip(body.succs(b)) {
            *slot = cx.block_of[body.edge_to(e)];
        }
        let first_pred = out.preds.len() as u32;
        let block_of = &cx.block_of;
        out.preds.extend(body.preds(b).iter().filter_map(|&e| block_of[body.edge_from(e)].get()));
        out.blocks.push(BlockRow {
            first: mir::Inst::new(total - spans[k].1),
            end: mir::Inst::new(total - spans[k].0),
            succs,
            first_pred,
            pred_count: out.preds.len() as u32 - first_pred,
            loop_depth: prepared.loops.depth_of(b),
            frequency: frequency(prepared.loops.depth_of(b)),
        });
    }
    Ok(out)
}
