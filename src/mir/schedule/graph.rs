//! A region as a graph: a node a row, an edge from what has to come first to what has to come behind it, with the cycles
//! between. Registers, flags and memory make edges; of a block that is a loop, so do values from one round to the next,
//! which bind no order but say when operands are there. O(operands + accesses x those not known to be apart, of which the
//! last few are looked at).

use super::super::desc::{LOADS, PHI, SETS_FLAGS, STORES, TERMINATORS, USES_FLAGS, ties};
use super::super::memory::{Reference, apart, is_volatile, reference};
use super::super::model::{Model, OpClass, Timing};
use super::super::pair::{Pairs, WINDOW, would_pair};
use super::super::{Block, Func, Inst, Machine, PReg, VReg};
use super::is_loop;
use super::timeline::Timeline;
use crate::base::{Column, Handle};
use std::ops::Range;

/// An edge: from where, where it leads, the cycles between, and the next edge of the same node.
#[derive(Copy, Clone, Debug)]
struct Edge {
    from: u16,
    to: u16,
    cycles: u8,
    next: u32,
}

/// No edge, no node.
const NONE: u32 = u32::MAX;
pub(super) const NO_NODE: u16 = u16::MAX;

/// So many accesses are compared with one that comes behind them; then it comes behind all.
const MOST_ACCESSES: usize = 24;

/// Units that a machine may have, and the flags as one more.
const UNITS: usize = 129;
const FLAGS: usize = 128;

/// The place of a value that no row of the region makes.
#[derive(Copy, Clone, Debug)]
struct Outside {
    /// Unit, or value.
    place: u32,
    node: u16,
    operand: u8,
    operands: u8,
}

/// What was last done to a place.
#[derive(Copy, Clone, Debug)]
struct Place {
    /// The node that writes it.
    writer: u16,
    /// The first row of `readers` that reads it behind that.
    reader: u32,
    version: u32,
    /// The region that this is about; of others nothing is known.
    region: u32,
}

const UNTOUCHED: Place = Place { writer: NO_NODE, reader: NONE, version: 0, region: 0 };

/// An access to memory in a region.
#[derive(Copy, Clone, Debug)]
struct Access {
    node: u16,
    /// How often the register of its address has been written.
    version: u32,
    reference: Reference,
    /// It stands for all accesses before it.
    is_all: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// Per node.
    class: Vec<OpClass>,
    head: Vec<u32>,
    /// Edges that come in.
    pub(super) waits: Vec<u16>,
    /// Cycles to the end, on the longest way.
    pub(super) height: Vec<u32>,
    edges: Vec<Edge>,
    /// From one round to the next: a node, the node that reads it then, and cycles.
    carried: Vec<(u16, u16, u8)>,
    /// Per node: the one that comes right behind it.
    pub(super) follower: Vec<u16>,
    pub(super) is_loop: bool,
    /// True if the last node is a terminator.
    pub(super) ends: bool,
    /// Per unit, flags last; allocated only.
    places: Vec<Place>,
    readers: Vec<(u16, u32)>,
    outside: Vec<Outside>,
    stores: Vec<Access>,
    loads: Vec<Access>,
    /// Per value: the node that defines it in the region of this number.
    maker: Column<VReg, (u32, u16)>,
    /// Per value: what comes back to it at the end of its loop.
    next: Column<VReg, u32>,
    has_next: bool,
    number: u32,
    /// Of `cycles`, per node: when its operands are there, and when it issued.
    ready: Vec<u32>,
    issued: Vec<u32>,
}

impl Region {
    pub(super) fn begin(&mut self, func: &Func, allocated: bool) {
        // What functions before have left there is of regions with earlier numbers, until these run out.
        if self.number > u32::MAX / 2 {
            self.places.clear();
            self.maker.clear();
            self.number = 0;
        }
        self.places.resize(UNITS, UNTOUCHED);
        if allocated {
            return;
        }
        let values = func.vregs.len();
        self.maker.grow_to(values, (0, NO_NODE));
        self.next.clear();
        self.next.grow_to(values, NONE);
        self.has_next = false;
        for (b, block) in func.blocks.iter() {
            if block.loop_depth == 0 || block.pred_count < 2 {
                continue;
            }
            let Some(back) = func.preds(b).iter().position(|&from| from >= b) else { continue };
            for i in func.rows(b).take_while(|&i| func.insts[i].op == PHI) {
                let (old, new) = (func.defs(i).first(), func.uses(i).get(back));
                if let (Some(old), Some(new)) = (old.and_then(|o| o.as_virt()), new.and_then(|o| o.as_virt()))
                {
                    self.next[old] = new.index() as u32;
                    self.has_next = true;
                }
            }
        }
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        self.class.len()
    }

    pub(super) fn timing<'m>(&self, model: &'m Model, node: usize) -> &'m Timing {
        model.timing(self.class[node])
    }

    fn clear(&mut self, func: &Func, machine: &Machine, b: Block, rows: &Range<usize>) {
        let count = rows.len();
        self.class.clear();
        let insts = &func.insts.as_slice()[rows.clone()];
        self.class.extend(insts.iter().map(|row| machine.row(row.op).class));
        self.head.clear();
        self.head.resize(count, NONE);
        self.waits.clear();
        self.waits.resize(count, 0);
        self.edges.clear();
        self.follower.clear();
        self.follower.resize(count, NO_NODE);
        self.carried.clear();
        self.readers.clear();
        self.outside.clear();
        self.stores.clear();
        self.loads.clear();
        self.is_loop = is_loop(func, b);
        self.ends = insts.last().is_some_and(|row| machine.row(row.op).flags & TERMINATORS != 0);
        self.number += 1;
    }

    /// The block is taken for a loop, whatever it is.
    pub(super) fn repeat(&mut self) {
        self.is_loop = true;
    }

    fn edge(&mut self, from: u16, to: u16, cycles: u8) {
        if from == to || from == NO_NODE {
            return;
        }
        let next = std::mem::replace(&mut self.head[usize::from(from)], self.edges.len() as u32);
        self.edges.push(Edge { from, to, cycles, next });
        self.waits[usize::from(to)] += 1;
    }

    /// The edges of a node: where they lead, and cycles.
    pub(super) fn successors(&self, node: u16) -> impl Iterator<Item = (u16, u8)> {
        let mut next = self.head[usize::from(node)];
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.next;
            Some((edge.to, edge.cycles))
        })
    }

    /// Reads a region of a function in the state *selected*.
    pub(super) fn select(
        &mut self,
        func: &Func,
        machine: &Machine,
        (model, pairs): (&Model, Option<&Pairs>),
        b: Block,
        rows: Range<usize>,
    ) {
        self.clear(func, machine, b, &rows);
        let number = self.number;
        for (node, i) in rows.clone().map(Inst::new).enumerate() {
            let node = node as u16;
            let uses = func.uses(i);
            let reader = self.timing(model, usize::from(node));
            for (k, v) in uses.iter().enumerate().filter_map(|(k, o)| Some((k, o.as_virt()?))) {
                match self.maker[v] {
                    (in_region, maker) if in_region == number => {
                        let is_base = func.defs(rows_at(&rows, maker)).first() == Some(&uses[k]);
                        let writer = self.timing(model, usize::from(maker));
                        let cycles = writer.until(is_base, reader, (k, uses.len()));
                        self.edge(maker, node, cycles);
                    }
                    _ if self.is_loop => self.outside.push(Outside {
                        place: v.index() as u32,
                        node,
                        operand: k as u8,
                        operands: uses.len() as u8,
                    }),
                    _ => {}
                }
            }
            for v in func.defs(i).iter().filter_map(|o| o.as_virt()) {
                self.maker[v] = (number, node);
            }
            let flags = machine.row(func.insts[i].op).flags;
            if flags & (SETS_FLAGS | USES_FLAGS) != 0 {
                self.flags(flags, model, node, 0);
            }
            if flags & (LOADS | STORES) != 0 {
                self.memory(func, machine, i, node, 0);
            }
        }
        self.keep_registers(func, machine, rows.clone());
        if let Some(pairs) = pairs {
            self.keep_pairs(func, machine, pairs, rows.start);
        }
        let outside = std::mem::take(&mut self.outside);
        for &Outside { place, node, operand, operands } in &outside {
            let new = self.next[VReg::new(place as usize)];
            if new == NONE {
                continue;
            }
            if let (in_region, maker) = self.maker[VReg::new(new as usize)]
                && in_region == number
            {
                let reader = self.timing(model, usize::from(node));
                let base = func.defs(rows_at(&rows, maker)).first().and_then(|o| o.as_virt());
                let is_base = base == Some(VReg::new(new as usize));
                let writer = self.timing(model, usize::from(maker));
                let cycles = writer.until(is_base, reader, (operand.into(), operands.into()));
                self.carried.push((maker, node, cycles));
            }
        }
        self.outside = outside;
        self.finish();
    }

    /// Keeps in one register what is in one: what comes back to a phi stays behind the uses of that, and a tied row behind
    /// the other uses of what it takes.
    fn keep_registers(&mut self, func: &Func, machine: &Machine, rows: Range<usize>) {
        let number = self.number;
        let (first, count) = (rows.start, rows.len());
        // Per value used: the last node that does.
        for (node, i) in rows.clone().map(Inst::new).enumerate() {
            for v in func.uses(i).iter().filter_map(|o| o.as_virt()) {
                let new = if self.has_next { self.next[v] } else { NONE };
                if new != NONE
                    && let (in_region, maker) = self.maker[VReg::new(new as usize)]
                    && in_region == number
                    && usize::from(maker) > node
                {
                    self.edge(node as u16, maker, 0);
                }
            }
            for use_ in ties(machine.row(func.insts[i].op).flags, func.uses(i).len()) {
                let Some(tied) = func.uses(i)[use_].as_virt() else { continue };
                let is_used = |k: &usize| func.uses(Inst::new(*k)).iter().any(|o| o.as_virt() == Some(tied));
                if (i.index() + 1..first + count).any(|k| is_used(&k)) {
                    continue;
                }
                let from = match self.maker[tied] {
                    (in_region, maker) if in_region == number => first + usize::from(maker) + 1,
                    _ => first,
                };
                for k in (from..i.index()).filter(is_used) {
                    self.edge((k - first) as u16, node as u16, 0);
                }
            }
        }
    }

    /// Keeps accesses one behind the other that become one row (`mir/pair`), where what the second one waits for stands
    /// in front of the first.
    fn keep_pairs(&mut self, func: &Func, machine: &Machine, pairs: &Pairs, first: usize) {
        let may = |node: usize| {
            let op = func.insts[Inst::new(first + node)].op;
            pairs.of.get(usize::from(op.0)).is_some_and(|&of| of != 0)
                || pairs.doubles.iter().any(|row| row.0 == op)
        };
        let mut node = 0;
        while node < self.len() {
            let a = node;
            node += 1;
            if !may(a) || self.follower.contains(&(a as u16)) {
                continue;
            }
            let end = self.len().min(a + WINDOW);
            let [low, high] = [a, end].map(|k| Inst::new(first + k));
            let rows = (low.index() + 1..high.index()).map(Inst::new);
            let Some(i) =
                rows.filter(|i| may(i.index() - first)).find(|&i| would_pair(func, machine, pairs, low, i))
            else {
                continue;
            };
            let (a, b) = (a as u16, (i.index() - first) as u16);
            let is_pair = !self.follower.contains(&b);
            if is_pair && self.edges.iter().all(|edge| edge.to != b || edge.from <= a) {
                self.follower[usize::from(a)] = b;
                for k in 0..self.edges.len() {
                    let Edge { from, to, cycles, .. } = self.edges[k];
                    if to == b && from != a {
                        self.edge(from, a, cycles);
                    }
                }
            }
        }
    }

    /// Reads a region of a function in the state *allocated* or a later one.
    pub(super) fn allocated(
        &mut self,
        func: &Func,
        machine: &Machine,
        model: &Model,
        b: Block,
        rows: Range<usize>,
    ) {
        self.clear(func, machine, b, &rows);
        for (node, i) in rows.clone().map(Inst::new).enumerate() {
            let node = node as u16;
            let reader = self.timing(model, usize::from(node));
            let uses = func.uses(i);
            for (k, reg) in uses.iter().enumerate().filter_map(|(k, o)| Some((k, o.as_phys()?))) {
                each_unit(machine, reg, |unit| {
                    let place = self.place(unit);
                    if place.writer != NO_NODE {
                        let is_base = func.defs(rows_at(&rows, place.writer)).first() == Some(&uses[k]);
                        let writer = self.timing(model, usize::from(place.writer));
                        let cycles = writer.until(is_base, reader, (k, uses.len()));
                        self.edge(place.writer, node, cycles);
                    } else if self.is_loop {
                        self.outside.push(Outside {
                            place: unit as u32,
                            node,
                            operand: k as u8,
                            operands: uses.len() as u8,
                        });
                    }
                    self.read(unit, node);
                });
            }
            for reg in func.defs(i).iter().filter_map(|o| o.as_phys()) {
                each_unit(machine, reg, |unit| self.write(unit, node));
            }
            let flags = machine.row(func.insts[i].op).flags;
            if flags & (SETS_FLAGS | USES_FLAGS) != 0 {
                self.flags(flags, model, node, FLAGS);
            }
            if flags & (LOADS | STORES) == 0 {
                continue;
            }
            let base = func.operands(i).last().and_then(|o| o.as_phys());
            // Its address is what the register was in front of the row.
            let unit = base.and_then(|reg| first_unit(machine, reg));
            let place = unit.map_or(UNTOUCHED, |unit| self.place(unit));
            let version = place.version.wrapping_sub(u32::from(place.writer == node));
            self.memory(func, machine, i, node, version);
        }
        if self.is_loop {
            let outside = std::mem::take(&mut self.outside);
            for &Outside { place, node, operand, operands } in &outside {
                let writer = self.place(place as usize).writer;
                if writer != NO_NODE {
                    let reader = self.timing(model, usize::from(node));
                    let i = rows_at(&rows, node);
                    let base = func.defs(rows_at(&rows, writer)).first();
                    let is_base = base == func.uses(i).get(usize::from(operand));
                    let timing = self.timing(model, usize::from(writer));
                    let cycles = timing.until(is_base, reader, (operand.into(), operands.into()));
                    self.carried.push((writer, node, cycles));
                }
            }
            self.outside = outside;
        }
        self.finish();
    }

    #[inline]
    fn place(&self, place: usize) -> Place {
        let found = self.places[place];
        if found.region == self.number { found } else { UNTOUCHED }
    }

    fn read(&mut self, place: usize, node: u16) {
        let before = self.place(place);
        self.places[place] = Place { reader: self.readers.len() as u32, region: self.number, ..before };
        self.readers.push((node, before.reader));
    }

    /// A row writes a place: behind what has read it, and behind what has written it.
    fn write(&mut self, place: usize, node: u16) {
        let Place { writer, reader, version, .. } = self.place(place);
        let mut next = reader;
        while let Some(&(reader, before)) = self.readers.get(next as usize) {
            self.edge(reader, node, 0);
            next = before;
        }
        self.edge(writer, node, 0);
        let version = version.wrapping_add(1);
        self.places[place] = Place { writer: node, reader: NONE, version, region: self.number };
    }

    fn flags(&mut self, flags: u16, model: &Model, node: u16, place: usize) {
        if flags & USES_FLAGS != 0 {
            let writer = self.place(place).writer;
            if writer != NO_NODE {
                let cycles = self.timing(model, usize::from(writer)).latency;
                self.edge(writer, node, cycles);
            }
            self.read(place, node);
        }
        if flags & SETS_FLAGS != 0 {
            self.write(place, node);
        }
    }

    fn memory(&mut self, func: &Func, machine: &Machine, i: Inst, node: u16, version: u32) {
        let row = &func.insts[i];
        let Some(reference) = reference(func, machine, row) else { return };
        let access = Access { node, version, reference, is_all: false };
        // What is volatile is in order with loads, too.
        let stores = machine.row(row.op).flags & STORES != 0 || is_volatile(machine, row);
        let meets = |other: &Access| {
            if other.is_all {
                return true;
            }
            // The register of one address may have been written before the other.
            let a = if other.version == version { other.reference } else { other.reference.anywhere() };
            !apart(func, &a, &reference)
        };
        let mut all = std::mem::take(&mut self.stores);
        // A store behind so many accesses is behind all, and stands for them to what comes behind it.
        let full = stores && (all.len() >= MOST_ACCESSES || self.loads.len() >= MOST_ACCESSES);
        for other in all.iter().filter(|other| full || meets(other)) {
            self.edge(other.node, node, u8::from(!stores));
        }
        if stores {
            let loads = std::mem::take(&mut self.loads);
            for other in loads.iter().filter(|other| full || meets(other)) {
                self.edge(other.node, node, 0);
            }
            self.loads = loads;
            if full {
                all.clear();
                self.loads.clear();
                all.push(Access { is_all: true, ..access });
            } else {
                all.push(access);
            }
        } else {
            self.loads.push(access);
        }
        self.stores = all;
    }

    fn finish(&mut self) {
        self.height.clear();
        self.height.resize(self.len(), 0);
        for node in (0..self.len()).rev() {
            let ways = self.successors(node as u16);
            let height = ways.map(|(to, cycles)| self.height[usize::from(to)] + u32::from(cycles)).max();
            self.height[node] = height.unwrap_or(0);
        }
    }

    /// When operands are there that come from the round before, if its rows issued in these cycles, and it began so many
    /// cycles before this one.
    pub(super) fn arrive(&self, issued: &[u32], length: u32, ready: &mut [u32]) {
        for &(from, to, cycles) in &self.carried {
            let at = (issued[usize::from(from)] + u32::from(cycles)).saturating_sub(length);
            let ready = &mut ready[usize::from(to)];
            *ready = at.max(*ready);
        }
    }

    /// True if values go from one round to the next.
    pub(super) fn carries(&self) -> bool {
        !self.carried.is_empty()
    }

    /// Cycles that an order takes, and those of its last round, of so many.
    pub(super) fn cycles(&mut self, model: &Model, order: &[u16], rounds: u32) -> (u32, u32) {
        let mut timeline = Timeline::new(model);
        let mut ready = std::mem::take(&mut self.ready);
        let mut issued = std::mem::take(&mut self.issued);
        issued.clear();
        issued.resize(self.len(), 0);
        let mut last = 0;
        for round in 0..rounds {
            let start = timeline.cycle;
            ready.clear();
            ready.resize(self.len(), 0);
            if round > 0 {
                self.arrive(&issued, 0, &mut ready);
            }
            for &node in order {
                let timing = self.timing(model, usize::from(node));
                let at = timeline.earliest(timing, ready[usize::from(node)]);
                timeline.issue(timing, at);
                issued[usize::from(node)] = at;
                let mut next = self.head[usize::from(node)];
                while let Some(edge) = self.edges.get(next as usize) {
                    let ready = &mut ready[usize::from(edge.to)];
                    *ready = (at + u32::from(edge.cycles)).max(*ready);
                    next = edge.next;
                }
            }
            last = timeline.cycle - start;
        }
        (self.ready, self.issued) = (ready, issued);
        (timeline.cycle, last)
    }
}

/// The row of a node.
fn rows_at(rows: &Range<usize>, node: u16) -> Inst {
    Inst::new(rows.start + usize::from(node))
}

/// Each unit of a register: where a register is one, its number.
#[inline(always)]
fn each_unit(machine: &Machine, reg: PReg, mut each: impl FnMut(usize)) {
    match machine.registers.is_flat {
        true => each(usize::from(reg.0)),
        false => machine.registers.units(reg).iter().for_each(|unit| each(usize::from(unit.0))),
    }
}

/// The first one of them.
#[inline]
fn first_unit(machine: &Machine, reg: PReg) -> Option<usize> {
    let mut first = None;
    each_unit(machine, reg, |unit| first = first.or(Some(unit)));
    first
}
