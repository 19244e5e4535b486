//! The walk itself: blocks in postorder, instructions last to first, then the columns of rows turned around.

use super::{Columns, Home, Rules, Select, WorkerMemory};
use crate::analysis::Order;
use crate::base::graph::order::UNREACHABLE;
use crate::base::intern::DenseMap;
use crate::base::{Handle, Opt, empty_with_room};
use crate::ir::opcode::WRITES;
use crate::ir::scalarise::scalarise;
use crate::ir::{self, Body, Env, Op, Type};
use crate::isa::legalise::expand;
use crate::isa::prepare::Prepared;
use crate::isa::words::split;
use crate::isa::{convention, invoke};
use crate::mir::desc::{ENTRY, PHI};
use crate::mir::func::{BlockRow, VRegRow};
use crate::mir::{self, Class, Features, Func, Operand, VReg};

impl Select<'_> {
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
            locs.resize(rows.len(), i.map_or(ir::NO_LOC, |i| self.body.place(i).bits()));
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
                let operand = self.movable(self.body.arg(phi, slot));
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
            if let Some(call) = std::mem::replace(&mut self.jumped, Opt::NONE).get() {
                next = body.prev(call);
            }
        }
        if body.has_phis() {
            self.phi_operands(b);
            self.flush(None);
        }
        if b.index() < self.columns.hoisted.len() && !self.columns.hoisted[b].is_empty() {
            // Behind a call that an exception may leave they would be made on one of the two ways only.
            if let Some(call) = invoke::left(self.env, body, b) {
                next = self.insts::<true>(body, next, Some(call));
            }
            self.columns.rows.append(&mut self.columns.hoisted[b]);
            self.flush(None);
        }
        self.insts::<false>(body, next, None);
        if is_entry {
            self.entry();
        }
    }

    /// What stands in front of a terminator, last to first, or a `PART` of it up to `end`; what is in front of that. By itself, so that
    /// the compiler has registers for the loop.
    #[inline(never)]
    fn insts<const PART: bool>(
        &mut self,
        body: &Body,
        mut next: Option<ir::Inst>,
        end: Option<ir::Inst>,
    ) -> Option<ir::Inst> {
        let (rules, earlier) = (self.rules, self.earlier);
        let mut is_there = false;
        while let Some(i) = next.filter(|_| !PART || !is_there) {
            next = body.prev(i);
            is_there = PART && Some(i) == end;
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
            if !self.nearby.is_empty() && matches!(op, Op::Call | Op::MemInit | Op::MemSet | Op::MemCopy) {
                self.place_nearby();
            }
            (rules.handlers[op as usize])(self, i);
            self.flush(Some(i));
        }
        if !self.nearby.is_empty() {
            self.place_nearby();
        }
        next
    }

    /// Places the rows that make what all that has been selected since the last call shares.
    #[cold]
    #[inline(never)]
    fn place_nearby(&mut self) {
        self.nearby.clear();
        self.columns.rows.append(&mut self.waiting);
        self.flush(None);
    }

    /// A load of a variable in the frame that has a slot: a third of what there is at -O0. False, and nothing
    /// done, for any other.
    #[inline(always)]
    fn load(&mut self, body: &Body, i: ir::Inst, home: Home) -> bool {
        let Some(variable) = body.arg(i, 0).as_inst() else { return false };
        if self.extension(i).is_some() {
            return false;
        }
        let slot = self.columns.homes[variable].as_slot();
        let op = self.rules.slot_loads[body.ty(i).register_number()];
        if let (Some(slot), Some(op), Some(d)) = (slot, op, home.as_reg()) {
            self.emit_row(op, 1, &[Operand::virt(d), Operand::FRAME], 0, slot.index() as u32);
            self.flushed += 1;
            if self.places {
                self.columns.locs.push(body.place(i).bits());
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

/// The registers for values, by type. Vectors are in the last class, all of the same size.
fn kinds(rules: &Rules) -> [VRegRow; Type::NUMBERS] {
    let mut kinds = Type::SCALARS.map(|ty| {
        let bytes = if ty == Type::Ptr { rules.machine.pointer_bytes } else { ty.bytes().max(4) };
        VRegRow::new(if ty.is_float() { Class::FLOAT } else { Class::INT }, bytes)
    });
    let last = Class(rules.machine.classes.len() as u8 - 1);
    let largest = rules.machine.class(last).widths.last().map_or(0, |width| width.bytes);
    let bytes = if rules.lanes == 0 { largest.into() } else { 4 * rules.lanes };
    kinds[Type::VECTOR] = VRegRow::new(last, bytes);
    kinds
}

/// Selects a function that `prepare` has seen, for a machine that has these features. `Err` says what the
/// target cannot do. Instructions that it has no code for are rewritten first; a body that has vectors after that
/// takes the rules for those.
pub fn select(
    env: &Env,
    body: &mut Body,
    (prepared, memory): (&Prepared, &mut WorkerMemory),
    rules: &'static Rules,
    features: Features,
) -> Result<Func, String> {
    scalarise(&env.shapes, body, (rules.vectors)(features));
    let rules = with_vectors(rules, body).unwrap_or(rules);
    match legalised(env, body, (prepared, memory), rules, (features, false)) {
        Err(_) if rules.splits_words => {
            split(body);
            legalised(env, body, (prepared, memory), rules, (features, true))
        }
        done => done,
    }
}

/// The rules for a function with vectors: by the most lanes of one.
fn with_vectors(rules: &Rules, body: &Body) -> Option<&'static Rules> {
    let last = *rules.with_vectors.last().filter(|_| body.has_vectors())?;
    if rules.with_vectors.len() == 1 {
        return Some(last);
    }
    let of = |i: ir::Inst| body.args(i).iter().map(|&v| body.type_of(v)).chain([body.ty(i)]);
    let vectors = body.blocks().flat_map(|b| body.insts(b)).flat_map(of).filter(|ty| ty.is_vector());
    let lanes = vectors.map(Type::lanes).max().unwrap_or(0);
    Some(rules.with_vectors.iter().copied().find(|rules| rules.lanes >= lanes).unwrap_or(last))
}

/// Selects with these rules, until nothing is lacking.
fn legalised(
    env: &Env,
    body: &mut Body,
    (prepared, memory): (&Prepared, &mut WorkerMemory),
    rules: &'static Rules,
    how: (Features, bool),
) -> Result<Func, String> {
    loop {
        let (func, lacking) = attempt(env, body, (prepared, memory), rules, how)?;
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

/// Selects once, as a function of wide values or not; the instructions that the target lacks.
#[inline(never)]
fn attempt(
    env: &Env,
    body: &Body,
    (prepared, memory): (&Prepared, &mut WorkerMemory),
    rules: &'static Rules,
    (features, is_wide): (Features, bool),
) -> Result<(Func, Vec<ir::Inst>), String> {
    let mut columns = std::mem::take(&mut memory.columns);
    let order = &prepared.order.blocks[..];
    columns.homes.reset(body.inst_count(), Home::NONE);
    columns.hoisted.grow_to(if prepared.hoist { body.block_count() } else { 0 }, Vec::new());
    columns.phis.clear();
    columns.phi_starts.clear();
    columns.locs.clear();
    columns.extensions.clear();
    let spent = std::mem::take(&mut memory.spent).renewed();
    let (id, lanes) = (body.func.index() as u32, rules.lanes);
    let mut out = Func { id, features, is_wide, lanes, places: prepared.places, ..spent };
    // What most functions need.
    empty_with_room(&mut columns.rows, body.inst_count() + body.inst_count() / 2);
    empty_with_room(&mut out.operands, 3 * body.inst_count());
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
        kinds: kinds(rules),
        flushed: 0,
        earlier: 0,
        position: &prepared.order.position,
        succs: [Opt::NONE; 2],
        constants_at: Opt::NONE,
        addresses_at: Opt::NONE,
        nearby: Vec::new(),
        waiting: Vec::new(),
        shares_nearby: prepared.over_calls,
        places: prepared.places,
        marks_jumps: !prepared.places && !prepared.hoist,
        hoists: prepared.hoist,
        shared: DenseMap::default(),
        moving: None,
        halves: Vec::new(),
        jumped: Opt::NONE,
        overwrites: false,
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
        cx.addresses_at = prepared.addresses_at(b);
        cx.block(b, k == 0);
        if body.has_phis() {
            let phis = cx.phis_of(mir::Block::new(k));
            cx.columns.rows.extend_from_slice(&cx.columns.phis[phis]);
            cx.flush(None);
        }
        let (first, loop_depth) = (mir::Inst::new(cx.flushed), prepared.depth_of(b));
        let (succs, frequency) = (cx.succs, prepared.frequency_of(b));
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
    cx.out.is_unaligned |= body.is_unaligned();
    let Select { mut out, mut columns, error, lacking, operands, indices, .. } = cx;
    out.without_floats =
        rules.lanes != 0 && out.vregs.as_slice().iter().all(|value| value.class != Class::FLOAT);
    (columns.operands, columns.indices) = (operands, indices);
    if let Some(error) = error {
        return Err(error);
    }
    let has_wide = || out.vregs.as_slice().iter().fold(false, |any, value| any | (value.bytes == 8));
    if rules.splits_words && !is_wide && has_wide() {
        return Err(format!("{}: i64 or double in a register", rules.machine.name));
    }
    for &(value, number) in &body.variables {
        if let Some(slot) = value.as_inst().and_then(|i| columns.homes[i].as_slot()) {
            out.variables.push((number, slot));
        }
    }
    if prepared.places && !body.places.rows().is_empty() {
        out.inlined = super::inlined::inlined(body);
    }
    if let Some(debug) = body.debug_values.as_deref().filter(|_| prepared.places) {
        out.debug_values = Some(super::debug_values::lower(
            debug,
            body,
            &columns,
            (&out.inlined, env, rules.machine.pointer_bytes),
        ));
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
