//! Parallel moves in sequence: registers, slots and recomputed values in any mixture.
//!
//! A transfer may go ahead once no other still has to read a part of the place it writes. What is left when
//! none may are cycles. One is broken by saving what would be overwritten: in the class's scratch register if
//! it is one place and the cycle runs through registers only, else in slots kept for this, because moves
//! between slots need the scratch register themselves. O(n) for n transfers of which none waits for another,
//! as most do, else O(n log n) by units.

use crate::base::{Column, Handle};
use crate::mir::func::SlotRow;
use crate::mir::{Class, Inst, Machine, PReg, PRegSet, Slot, SlotKind};

/// Where a value is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a register.
    Reg(PReg),
    /// In a slot.
    Slot(Slot),
    /// Nowhere: it is what this row computes.
    Again(Inst),
}

/// One of the moves that happen at the same time.
#[derive(Copy, Clone, Debug)]
pub(super) struct Transfer {
    pub(super) to: Place,
    pub(super) from: Place,
    pub(super) class: Class,
    /// Bytes of the value that is read, and of the one that is written.
    pub(super) from_bytes: u32,
    pub(super) to_bytes: u32,
}

/// One of the moves in sequence.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Register to register.
    Move { to: PReg, from: PReg, class: Class, bytes: u32 },
    /// Slot to register.
    Load { to: PReg, from: Slot, class: Class, bytes: u32 },
    /// Register to slot.
    Store { to: Slot, from: PReg, class: Class, bytes: u32 },
    /// The row's result to a register.
    Again { to: PReg, row: Inst },
}

/// Slots through which cycles are broken, made when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Spares(Vec<Slot>);

impl Spares {
    /// The `k`th, with room for so many bytes, among the slots of a function.
    fn get(&mut self, k: usize, bytes: u32, slots: &mut Column<Slot, SlotRow>, machine: &Machine) -> Slot {
        match self.0.get(k) {
            Some(&slot) if slots[slot].bytes >= bytes => slot,
            _ => {
                let bytes = bytes.max(8);
                let align = bytes.min(machine.stack_align);
                let slot = slots.push(SlotRow { kind: SlotKind::Spill, bytes, align, offset: 0 });
                self.0.truncate(k);
                self.0.push(slot);
                slot
            }
        }
    }
}

/// Scratch columns, kept from one use to the next.
#[derive(Debug, Default)]
pub(super) struct Sequencer {
    /// Unit or slot that is written, and the transfer that does; sorted.
    targets: Vec<(u64, usize)>,
    /// Per transfer: pending transfers that read what it writes.
    readers: Vec<u32>,
    /// A transfer that reads something, and one that writes it; sorted, each pair once.
    waits: Vec<(usize, usize)>,
    /// The same pairs, writer first, sorted.
    held_up: Vec<(usize, usize)>,
    done: Vec<bool>,
    ready: Vec<usize>,
    /// Per spare slot: the transfer that reads it.
    saved_for: Vec<usize>,
}

/// What a place is made of: units of registers, or a slot.
fn parts(machine: &Machine, place: Place) -> impl Iterator<Item = u64> {
    let (units, slot) = match place {
        Place::Reg(reg) => (machine.registers.units(reg), None),
        Place::Slot(slot) => (PRegSet::EMPTY, Some(128 + slot.index() as u64)),
        Place::Again(_) => (PRegSet::EMPTY, None),
    };
    units.iter().map(|unit| u64::from(unit.0)).chain(slot)
}

/// Transfers among whose slots each is compared with each; of more, slots are taken as one place.
const FEW: usize = 16;

/// True if a transfer may write a slot that another one reads.
fn slots_meet(transfers: &[Transfer]) -> bool {
    let all = || transfers.iter().filter(|t| t.to != t.from);
    let is_slot = |place: &Place| matches!(place, Place::Slot(_));
    transfers.len() > FEW || all().any(|t| is_slot(&t.from) && all().any(|other| other.to == t.from))
}

/// True if a transfer may write what another one reads: then their order matters.
fn interfere(machine: &Machine, transfers: &[Transfer]) -> bool {
    let (mut read, mut written) = (PRegSet::EMPTY, PRegSet::EMPTY);
    let (mut slots_read, mut slots_written) = (false, false);
    for t in transfers.iter().filter(|t| t.to != t.from) {
        match t.from {
            Place::Reg(reg) => read = read.or(machine.registers.units(reg)),
            Place::Slot(_) => slots_read = true,
            Place::Again(_) => {}
        }
        match t.to {
            Place::Reg(reg) => written = written.or(machine.registers.units(reg)),
            _ => slots_written = true,
        }
    }
    read.meets(written) || slots_read && slots_written && slots_meet(transfers)
}

impl Sequencer {
    /// Appends the steps that do all the transfers. Destinations do not overlap and are never `Again`; spare
    /// slots are made among `slots`.
    pub(super) fn run(
        &mut self,
        machine: &Machine,
        transfers: &[Transfer],
        spares: &mut Spares,
        slots: &mut Column<Slot, SlotRow>,
        steps: &mut Vec<Step>,
    ) {
        if transfers.len() == 1 || !interfere(machine, transfers) {
            transfers.iter().filter(|t| t.to != t.from).for_each(|t| emit(machine, t, t.from, steps));
            return;
        }
        self.prepare(machine, transfers);
        let mut from: Vec<Place> = transfers.iter().map(|t| t.from).collect();
        for start in 0..transfers.len() {
            self.drain(machine, transfers, &from, steps);
            if self.done[start] {
                continue;
            }
            // A cycle: save what others will read of the place that `start` writes.
            let in_register = self.is_cycle_of_registers(transfers, start);
            let at = self.held_up.partition_point(|pair| pair.0 < start);
            for at in at.. {
                let Some(&(_, reader)) = self.held_up.get(at).filter(|pair| pair.0 == start) else { break };
                if self.done[reader] {
                    continue;
                }
                let t = &transfers[reader];
                let bytes = t.from_bytes;
                let saved = if in_register {
                    Place::Reg(machine.class(t.class).scratch)
                } else {
                    let k = self.saved_for.iter().position(|&reader| self.done[reader]);
                    let k = k.unwrap_or(self.saved_for.len());
                    self.saved_for.resize(self.saved_for.len().max(k + 1), reader);
                    self.saved_for[k] = reader;
                    Place::Slot(spares.get(k, bytes, slots, machine))
                };
                emit(machine, &Transfer { to: saved, to_bytes: bytes, ..*t }, from[reader], steps);
                from[reader] = saved;
                self.stop_waiting_for(reader);
            }
        }
        self.drain(machine, transfers, &from, steps);
    }

    fn prepare(&mut self, machine: &Machine, transfers: &[Transfer]) {
        self.saved_for.clear();
        self.targets.clear();
        self.readers.clear();
        self.readers.resize(transfers.len(), 0);
        self.waits.clear();
        self.done.clear();
        self.done.extend(transfers.iter().map(|t| t.to == t.from));
        for (k, t) in transfers.iter().enumerate() {
            // A place that keeps its value has no writer to hold up.
            let parts = parts(machine, t.to).filter(|_| t.to != t.from);
            self.targets.extend(parts.map(|part| (part, k)));
        }
        self.targets.sort_unstable();
        for (k, t) in transfers.iter().enumerate().filter(|(_, t)| t.to != t.from) {
            let first = self.waits.len();
            for part in parts(machine, t.from) {
                let at = self.targets.partition_point(|&(to, _)| to < part);
                if let Some(&(_, writer)) = self.targets.get(at).filter(|target| target.0 == part)
                    && writer != k
                {
                    self.waits.push((k, writer));
                }
            }
            self.waits[first..].sort_unstable();
        }
        self.waits.dedup();
        self.waits.iter().for_each(|&(_, writer)| self.readers[writer] += 1);
        self.held_up.clear();
        self.held_up.extend(self.waits.iter().map(|&(reader, writer)| (writer, reader)));
        self.held_up.sort_unstable();
        self.ready.clear();
        self.ready.extend((0..transfers.len()).rev().filter(|&k| self.readers[k] == 0 && !self.done[k]));
    }

    /// The transfers that write what one reads.
    fn writers(&self, reader: usize) -> &[(usize, usize)] {
        let from = self.waits.partition_point(|wait| wait.0 < reader);
        let to = self.waits.partition_point(|wait| wait.0 <= reader);
        &self.waits[from..to]
    }

    /// A transfer has read what it reads.
    fn stop_waiting_for(&mut self, reader: usize) {
        let from = self.waits.partition_point(|wait| wait.0 < reader);
        let to = self.waits.partition_point(|wait| wait.0 <= reader);
        for k in from..to {
            // Written by nothing from now on, should it be asked again.
            let writer = std::mem::replace(&mut self.waits[k].1, usize::MAX);
            if let Some(readers) = self.readers.get_mut(writer) {
                *readers -= 1;
                if *readers == 0 {
                    self.ready.push(writer);
                }
            }
        }
    }

    /// Does everything that may be done.
    fn drain(&mut self, machine: &Machine, transfers: &[Transfer], from: &[Place], steps: &mut Vec<Step>) {
        while let Some(k) = self.ready.pop() {
            self.done[k] = true;
            emit(machine, &transfers[k], from[k], steps);
            self.stop_waiting_for(k);
        }
    }

    /// True if what `start` waits for is one transfer, that one waits for another one, and so on round to
    /// `start`, and all are between registers.
    fn is_cycle_of_registers(&self, transfers: &[Transfer], start: usize) -> bool {
        let mut k = start;
        for _ in 0..transfers.len() {
            if !matches!(transfers[k].to, Place::Reg(_)) || self.readers[k] != 1 {
                return false;
            }
            match *self.writers(k) {
                [(_, writer)] if writer == start => return true,
                [(_, writer)] if writer < transfers.len() => k = writer,
                _ => return false,
            }
        }
        false
    }
}

fn emit(machine: &Machine, t: &Transfer, from: Place, steps: &mut Vec<Step>) {
    let class = t.class;
    let scratch = machine.class(class).scratch;
    let to = match t.to {
        Place::Reg(reg) => reg,
        _ => scratch,
    };
    let in_reg = match from {
        Place::Reg(reg) if matches!(t.to, Place::Slot(_)) => reg,
        Place::Reg(reg) => {
            steps.push(Step::Move { to, from: reg, class, bytes: t.to_bytes });
            to
        }
        Place::Slot(slot) => {
            steps.push(Step::Load { to, from: slot, class, bytes: t.from_bytes });
            to
        }
        Place::Again(row) => {
            steps.push(Step::Again { to, row });
            to
        }
    };
    if let Place::Slot(slot) = t.to {
        steps.push(Step::Store { to: slot, from: in_reg, class, bytes: t.to_bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::toy;
    use std::collections::BTreeMap;

    fn place(n: u32) -> Place {
        if n < 5 { Place::Reg(toy::i(n as u8)) } else { Place::Slot(Slot::new(n as usize)) }
    }

    fn key(place: Place) -> Option<u64> {
        match place {
            Place::Reg(reg) => Some(u64::from(reg.0)),
            Place::Slot(slot) => Some(128 + slot.index() as u64),
            Place::Again(_) => None,
        }
    }

    /// Ten slots of a function, so that spare ones come behind them.
    fn ten_slots() -> Column<Slot, SlotRow> {
        Column::filled(10, SlotRow { kind: SlotKind::Local, bytes: 8, align: 8, offset: 0 })
    }

    /// Runs steps over a store of labelled values; `Again` gives 1000 + its row.
    fn execute(steps: &[Step], store: &mut BTreeMap<u64, u64>) {
        let at = |place| key(place).unwrap_or(0);
        for step in steps {
            let (to, value) = match *step {
                Step::Move { to, from, .. } => (at(Place::Reg(to)), store[&at(Place::Reg(from))]),
                Step::Load { to, from, .. } => (at(Place::Reg(to)), store[&at(Place::Slot(from))]),
                Step::Store { to, from, .. } => (at(Place::Slot(to)), store[&at(Place::Reg(from))]),
                Step::Again { to, row } => (at(Place::Reg(to)), 1000 + row.index() as u64),
            };
            store.insert(to, value);
        }
    }

    #[test]
    fn every_mapping_of_registers_and_slots_comes_out_right() {
        let machine = toy::machine();
        let mut sequencer = Sequencer::default();
        let mut seed = 7u32;
        let mut random = move |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 12) % n
        };
        for _ in 0..20_000 {
            let mut transfers = Vec::new();
            for to in 0..10 {
                if random(3) > 0 {
                    let from = match random(12) {
                        n @ 0..10 => place(n),
                        n => Place::Again(Inst::new(n as usize)),
                    };
                    transfers.push(Transfer {
                        to: place(to),
                        from,
                        class: Class::INT,
                        from_bytes: 8,
                        to_bytes: 8,
                    });
                }
            }
            let mut steps = Vec::new();
            sequencer.run(&machine, &transfers, &mut Spares::default(), &mut ten_slots(), &mut steps);
            let before: BTreeMap<u64, u64> =
                (0..10).map(|n| (key(place(n)).unwrap_or(0), u64::from(n))).collect();
            let mut after = before.clone();
            execute(&steps, &mut after);
            for t in &transfers {
                let want = match t.from {
                    Place::Again(row) => 1000 + row.index() as u64,
                    from => before[&key(from).unwrap_or(0)],
                };
                assert_eq!(after[&key(t.to).unwrap_or(0)], want, "{transfers:?}\n{steps:?}");
            }
            for n in (0..10).filter(|&n| transfers.iter().all(|t| t.to != place(n))) {
                assert_eq!(after[&key(place(n)).unwrap_or(0)], u64::from(n), "{transfers:?}\n{steps:?}");
            }
            let useless = transfers.iter().filter(|t| t.to == t.from).count();
            assert!(steps.len() <= 3 * (transfers.len() - useless), "{transfers:?}\n{steps:?}");
        }
    }

    #[test]
    fn a_swap_of_registers_takes_three_moves_and_no_memory() {
        let machine = toy::machine();
        let swap = |to, from| Transfer {
            to: place(to),
            from: place(from),
            class: Class::INT,
            from_bytes: 4,
            to_bytes: 4,
        };
        let mut steps = Vec::new();
        let swaps = [swap(0, 1), swap(1, 0)];
        Sequencer::default().run(&machine, &swaps, &mut Spares::default(), &mut ten_slots(), &mut steps);
        assert_eq!(steps.len(), 3);
        assert!(steps.iter().all(|s| matches!(s, Step::Move { .. })), "{steps:?}");
    }
}
