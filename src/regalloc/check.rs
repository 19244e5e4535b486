//! The symbolic checker: proves that an allocated function does what the given one did.
//!
//! It knows nothing of how the allocation was found. For every point it computes which values of the given
//! function each register and slot holds on all paths: a set of pairs {place, value}, intersected where paths
//! meet, to a fixpoint. Then every row must read each operand from a place that holds the value the given row
//! reads, fixed operands must be where they have to be, tied ones together, early definitions apart from the
//! uses. The allocator's own rows only move what is there; rows that are done again must be the same rows.
//! Pairs of values that are not live into a block are dropped at its head, so that a value of an earlier turn
//! of a loop is never taken for the present one. For tests and `-fverify`: O(rows * log + blocks * pairs), a
//! few times over. (The idea is regalloc2's.)

use super::flow::Flow;
use super::homes::{Homes, is_copy};
use super::liveness::{self, Liveness};
use crate::base::{Column, Handle};
use crate::mir::desc::{CALL, EARLY_DEF, MOVE, MachineOp, PHI, REMAT, WidthRow, ties};
use crate::mir::rewrite::Origins;
use crate::mir::{Block, Func, Inst, Machine, Operand, PReg, VReg};
use std::collections::BTreeSet;

/// Which place holds which value; places are registers, then slots from `SLOTS` on.
type State = BTreeSet<(u32, VReg)>;

/// The place of slot 0.
const SLOTS: u32 = 256;

struct Checker<'a> {
    given: &'a Func,
    func: &'a Func,
    flow: &'a Flow,
    origins: &'a Origins,
    machine: &'a Machine,
    live: Liveness,
    /// Per value: the value that it always equals because both come from the same row without inputs; else
    /// itself.
    same: Column<VReg, VReg>,
    /// Per value: the bytes of it that matter, which are those of the smallest that copies and phis connect
    /// it with.
    bytes: Column<VReg, u8>,
    /// Values defined by rows without inputs.
    constant: Column<VReg, bool>,
}

/// Checks; an error says what is wrong where.
pub(super) fn check(
    given: &Func,
    func: &Func,
    flow: &Flow,
    origins: &Origins,
    machine: &Machine,
) -> Result<(), String> {
    let live = liveness::compute(given, machine, flow, &Homes::new(given));
    let mut same: Column<VReg, VReg> = given.vregs.keys().collect::<Vec<_>>().into();
    let mut constant = Column::filled(given.vregs.len(), false);
    for &b in &flow.order.blocks {
        for i in given.rows(b) {
            let Some(d) = given.defs(i).first().and_then(|d| d.as_virt()) else { continue };
            if machine.is(given, i, REMAT) {
                constant[d] = true;
            } else if is_copy(given, machine, i)
                && let Some(s) = given.uses(i)[0].as_virt().filter(|&s| constant[same[s]])
            {
                same[d] = same[s];
            }
        }
    }
    let mut bytes: Column<VReg, u8> = given.vregs.iter().map(|(_, row)| row.bytes).collect::<Vec<_>>().into();
    while narrow(given, machine, &mut bytes) {}
    let checker = Checker { given, func, flow, origins, machine, live, same, bytes, constant };
    checker.run()
}

/// Takes the bytes that matter over copies and phis; true if that changed something.
fn narrow(given: &Func, machine: &Machine, bytes: &mut Column<VReg, u8>) -> bool {
    let mut changed = false;
    for i in given.blocks.keys().flat_map(|b| given.rows(b)) {
        if given.insts[i].op == PHI || is_copy(given, machine, i) {
            let values = || given.operands(i).iter().filter_map(|o| o.as_virt());
            let least = values().map(|v| bytes[v]).min().unwrap_or(0);
            values().for_each(|v| changed |= std::mem::replace(&mut bytes[v], least) != least);
        }
    }
    changed
}

impl Checker<'_> {
    fn run(&self) -> Result<(), String> {
        let mut heads: Column<Block, Option<State>> = Column::filled(self.given.blocks.len(), None);
        if let Some(&entry) = self.flow.order.blocks.first() {
            heads[entry] = Some(State::new());
        }
        let mut dirty = Column::filled(self.given.blocks.len(), true);
        loop {
            let mut changed = false;
            for &b in &self.flow.order.blocks {
                let Some(head) = heads[b].clone().filter(|_| std::mem::replace(&mut dirty[b], false)) else {
                    continue;
                };
                let state = self.block(b, head, false)?;
                for (k, succ) in self.given.blocks[b].succs.into_iter().enumerate() {
                    let Some(succ) = succ.get() else { continue };
                    let flowing = self.across(b, k, succ, &state);
                    let met = match &heads[succ] {
                        None => flowing,
                        Some(old) => old.intersection(&flowing).copied().collect(),
                    };
                    if heads[succ].as_ref() != Some(&met) {
                        heads[succ] = Some(met);
                        dirty[succ] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for &b in &self.flow.order.blocks {
            self.block(b, heads[b].clone().unwrap_or_default(), true)?;
        }
        let written = self.func.insts.keys().flat_map(|i| self.func.defs(i)).filter_map(|d| d.as_phys());
        for reg in written {
            let owed = self.machine.registers.units(reg).and(self.machine.callee_saved);
            if !owed.minus(self.func.saved).is_empty() {
                return Err(format!("{reg:?} is written and not among the saved registers"));
            }
        }
        Ok(())
    }

    /// What holds at the head of a successor when it is entered from `b`.
    fn across(&self, b: Block, k: usize, succ: Block, state: &State) -> State {
        let live_in = self.live.live_in(succ);
        let mut out: State = state
            .iter()
            .copied()
            .filter(|&(_, v)| self.constant[v] || live_in.binary_search(&v).is_ok())
            .collect();
        let phis: Vec<Inst> = Flow::phis(self.given, succ).collect();
        if phis.is_empty() {
            return out;
        }
        let by_value: BTreeSet<(VReg, u32)> = state.iter().map(|&(place, v)| (v, place)).collect();
        for i in phis {
            let use_ = self.given.uses(i)[self.flow.edge_slot[b][k] as usize];
            if let (Some(d), Some(s)) = (self.given.defs(i)[0].as_virt(), use_.as_virt()) {
                let s = self.same[s];
                out.extend(by_value.range((s, 0)..=(s, u32::MAX)).map(|&(_, place)| (place, d)));
            }
        }
        out
    }

    /// Runs a block's rows over a state; with `report`, checks what they read.
    fn block(&self, b: Block, mut state: State, report: bool) -> Result<State, String> {
        let mut left = self.given.rows(b).peekable();
        self.skip(&mut left, &mut state);
        for i in self.func.rows(b) {
            let origin = self.origins[i].get();
            match origin {
                None => self.own_row(i, &mut state)?,
                Some(o) if self.machine.is(self.given, o, REMAT) => self.again(i, o, &mut state)?,
                Some(o) => {
                    if left.next() != Some(o) {
                        return Err(format!("{b:?}: row {i:?} stands for {o:?}, out of order"));
                    }
                    self.given_row(i, o, &mut state, report)
                        .map_err(|what| format!("{b:?}: row {i:?} ({}): {what}", self.name(o)))?;
                    self.skip(&mut left, &mut state);
                }
            }
        }
        match left.next() {
            Some(o) => Err(format!("{b:?}: row {o:?} ({}) is missing", self.name(o))),
            None => Ok(state),
        }
    }

    fn name(&self, o: Inst) -> &'static str {
        self.machine.row(self.given.insts[o].op).name
    }

    /// Goes past given rows that need not have a row: phis, copies, rows that are done where they are needed.
    fn skip(&self, left: &mut std::iter::Peekable<impl Iterator<Item = Inst>>, state: &mut State) {
        while let Some(&o) = left.peek() {
            if is_copy(self.given, self.machine, o) {
                if let (Some(d), Some(s)) = (self.given.defs(o)[0].as_virt(), self.given.uses(o)[0].as_virt())
                    && self.same[d] == d
                {
                    let places: Vec<u32> =
                        state.iter().filter(|p| p.1 == self.same[s]).map(|p| p.0).collect();
                    state.extend(places.into_iter().map(|place| (place, d)));
                }
            } else if self.given.insts[o].op != PHI && !self.machine.is(self.given, o, REMAT) {
                return;
            }
            left.next();
        }
    }

    /// A move, load or store of the allocator's.
    fn own_row(&self, i: Inst, state: &mut State) -> Result<(), String> {
        let row = &self.func.insts[i];
        let reg = |o: Option<&Operand>| o.and_then(|o| o.as_phys());
        let (to, from) = (reg(self.func.defs(i).first()), reg(self.func.uses(i).first()));
        let Some(reg) = to.or(from) else {
            return Err(format!("row {i:?} is of the allocator's and no move"));
        };
        let class = self.machine.class(self.machine.registers.class(reg));
        // A row that is no class's moves all that there is.
        let width = |op: fn(&WidthRow) -> MachineOp| {
            let rows = class.widths.iter().filter(|width| op(width) == row.op);
            rows.map(|width| width.bytes).max()
        };
        let slot = SLOTS + row.sym;
        let (to, from, bytes) = match (to, from) {
            (Some(to), Some(from)) if self.machine.is(self.func, i, MOVE) => {
                (u32::from(to.0), u32::from(from.0), width(|width| width.copy).or(Some(u8::MAX)))
            }
            (Some(to), None) => (u32::from(to.0), slot, width(|width| width.reload)),
            (None, Some(from)) => (slot, u32::from(from.0), width(|width| width.spill)),
            _ => (0, 0, None),
        };
        let bytes = bytes.ok_or(format!("row {i:?} is of the allocator's and no move"))?;
        if to.max(from) >= SLOTS {
            if (row.sym as usize) < self.given.slots.len() {
                return Err(format!("row {i:?} moves to or from a slot that is not for spilling"));
            }
            if self.func.slots[crate::mir::Slot::new(row.sym as usize)].bytes < u32::from(bytes) {
                return Err(format!("row {i:?} moves {bytes} bytes to or from a smaller slot"));
            }
        }
        let values = holding(state, from);
        self.clobber(state, to);
        let moved = values.into_iter().filter(|&v| self.bytes[v] <= bytes);
        state.extend(moved.map(|v| (to, v)));
        Ok(())
    }

    /// What a place holds, and what overlaps it, is gone.
    fn clobber(&self, state: &mut State, place: u32) {
        let all = &self.machine.registers;
        match u8::try_from(place) {
            Ok(reg) if !all.is_flat => {
                let overlaps =
                    |other: u32| u8::try_from(other).is_ok_and(|r| all.overlap(PReg(r), PReg(reg)));
                state.retain(|&(other, _)| !overlaps(other));
            }
            _ => {
                for v in holding(state, place) {
                    state.remove(&(place, v));
                }
            }
        }
    }

    /// True if a value that is in a place before a call is there behind it.
    fn survives(&self, place: u32, v: VReg) -> bool {
        let bytes = u32::from(self.bytes[v]);
        u8::try_from(place).map_or(true, |reg| self.machine.survives_calls(PReg(reg), bytes))
    }

    /// A row without inputs, done here again or for the first time.
    fn again(&self, i: Inst, o: Inst, state: &mut State) -> Result<(), String> {
        let (row, given) = (&self.func.insts[i], &self.given.insts[o]);
        let same = (row.op, row.imm, row.sym) == (given.op, given.imm, given.sym);
        let to = self.func.defs(i).first().and_then(|d| d.as_phys());
        let value = self.given.defs(o).first().and_then(|d| d.as_virt());
        match (to, value) {
            (Some(to), Some(v)) if same && self.func.uses(i) == self.given.uses(o) => {
                self.clobber(state, u32::from(to.0));
                state.insert((u32::from(to.0), v));
                Ok(())
            }
            _ => Err(format!("row {i:?} is not what row {o:?} was")),
        }
    }

    fn given_row(&self, i: Inst, o: Inst, state: &mut State, report: bool) -> Result<(), String> {
        let (row, given) = (&self.func.insts[i], &self.given.insts[o]);
        if (row.op, row.imm, row.sym, row.defs, row.uses)
            != (given.op, given.imm, given.sym, given.defs, given.uses)
        {
            return Err("has changed".into());
        }
        for (&use_, &was) in self.func.uses(i).iter().zip(self.given.uses(o)) {
            let Some(v) = was.as_virt() else {
                if use_ != was {
                    return Err(format!("{was:?} became {use_:?}"));
                }
                continue;
            };
            let reg = use_.as_phys().ok_or("an operand without register")?;
            if was.constraint().is_some_and(|must| must != reg) {
                return Err(format!("{v:?} is in {reg:?} against its constraint"));
            }
            if report && !state.contains(&(u32::from(reg.0), self.same[v])) {
                let holds = holding(state, u32::from(reg.0));
                return Err(format!("reads {v:?} from {reg:?}, which holds {holds:?}"));
            }
        }
        let flags = self.machine.row(row.op).flags;
        if flags & CALL != 0 {
            state.retain(|&(place, v)| self.survives(place, v));
        }
        let (defs, uses) = (self.func.defs(i), self.func.uses(i));
        if ties(flags, uses.len()).enumerate().any(|(def, use_)| defs.get(def) != uses.get(use_)) {
            return Err("tied operands are apart".into());
        }
        let registers = &self.machine.registers;
        let meets = |a: &Operand, b: &Operand| match (a.as_phys(), b.as_phys()) {
            (Some(a), Some(b)) => registers.overlap(a, b),
            _ => false,
        };
        if flags & EARLY_DEF != 0 && defs.iter().any(|d| uses.iter().any(|u| meets(d, u))) {
            return Err("an early definition is where a use is".into());
        }
        for (k, def) in defs.iter().enumerate() {
            let reg = def.as_phys().ok_or("a definition without register")?;
            if defs[..k].iter().any(|other| meets(other, def)) {
                return Err(format!("defines {reg:?} twice"));
            }
            self.clobber(state, u32::from(reg.0));
        }
        for (def, was) in defs.iter().zip(self.given.defs(o)) {
            let (Some(reg), Some(v)) = (def.as_phys(), was.as_virt()) else { continue };
            if was.constraint().is_some_and(|must| must != reg)
                || registers.class(reg) != self.given.vregs[v].class
            {
                return Err(format!("{v:?} is in {reg:?} against its constraint"));
            }
            state.insert((u32::from(reg.0), v));
        }
        Ok(())
    }
}

fn holding(state: &State, place: u32) -> Vec<VReg> {
    let all = (place, VReg::new(0))..(place + 1, VReg::new(0));
    state.range(all).map(|&(_, v)| v).collect()
}
