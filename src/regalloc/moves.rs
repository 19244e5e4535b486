//! Parallel moves in sequence: registers, slots and recomputed values in any mixture.
//!
//! A transfer may go ahead once nobody still has to read the place it writes. What is left when none may are cycles, each
//! place read once: one place of a cycle is saved, in the class's scratch register if the cycle runs through registers only,
//! else in a slot kept for this, because moves between slots need the scratch register themselves.
//! O(n) for n transfers of which none waits for another, as most do, else O(n log n).

use crate::base::{Handle, Opt};
use crate::mir::{Class, Func, Inst, Machine, PReg, Slot, SlotKind};

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

/// Scratch columns, kept from one use to the next.
#[derive(Debug, Default)]
pub(super) struct Sequencer {
    /// Destination and transfer, sorted.
    targets: Vec<(u64, usize)>,
    /// Per transfer: pending transfers that read the place it writes.
    readers: Vec<u32>,
    /// Per transfer: the transfer that writes the place it reads.
    unblocks: Vec<Option<usize>>,
    done: Vec<bool>,
    ready: Vec<usize>,
}

/// The slot through which cycles of slots are broken, made when it is first needed.
pub(super) fn spare_slot(func: &mut Func, spare: &mut Opt<Slot>) -> Slot {
    let slot = spare.get().unwrap_or_else(|| func.new_slot(SlotKind::Spill, 8, 8));
    *spare = Opt::some(slot);
    slot
}

fn key(place: Place) -> Option<u64> {
    match place {
        Place::Reg(reg) => Some(u64::from(reg.0)),
        Place::Slot(slot) => Some(64 + slot.index() as u64),
        Place::Again(_) => None,
    }
}

/// True if a transfer may write what another one reads: then their order matters. (Slots are taken as one place.)
fn interfere(transfers: &[Transfer]) -> bool {
    let (mut read, mut written, mut slots_read, mut slots_written) = (0u64, 0u64, false, false);
    for t in transfers.iter().filter(|t| t.to != t.from) {
        match t.from {
            Place::Reg(reg) => read |= 1 << reg.0,
            Place::Slot(_) => slots_read = true,
            Place::Again(_) => {}
        }
        match t.to {
            Place::Reg(reg) => written |= 1 << reg.0,
            _ => slots_written = true,
        }
    }
    read & written != 0 || slots_read && slots_written
}

impl Sequencer {
    /// Appends the steps that do all the transfers. Destinations are distinct and never `Again`; `spare_slot` makes (or
    /// finds) a slot of 8 bytes.
    pub(super) fn run(
        &mut self,
        machine: &Machine,
        transfers: &[Transfer],
        mut spare_slot: impl FnMut() -> Slot,
        steps: &mut Vec<Step>,
    ) {
        if !interfere(transfers) {
            transfers.iter().filter(|t| t.to != t.from).for_each(|t| emit(machine, t, t.from, steps));
            return;
        }
        self.prepare(transfers);
        let mut from: Vec<Place> = transfers.iter().map(|t| t.from).collect();
        for start in 0..transfers.len() {
            self.drain(machine, transfers, &from, steps);
            if self.done[start] {
                continue;
            }
            // A cycle: save the place that `start` writes; whoever reads it will read the saved copy.
            let t = &transfers[start];
            let Some(reader) = self.reader_of(transfers, start) else { continue };
            let saved = if self.cycle_is_in_registers(transfers, start) {
                Place::Reg(machine.class(t.class).scratch)
            } else {
                Place::Slot(spare_slot())
            };
            let save = Transfer { to: saved, from: t.to, from_bytes: t.to_bytes, to_bytes: 8, ..*t };
            let bytes = transfers[reader].from_bytes;
            let save = Transfer { from_bytes: bytes, to_bytes: bytes, ..save };
            emit(machine, &save, save.from, steps);
            from[reader] = saved;
            self.unblocks[reader] = None;
            self.readers[start] = 0;
            self.ready.push(start);
        }
        self.drain(machine, transfers, &from, steps);
    }

    fn prepare(&mut self, transfers: &[Transfer]) {
        self.targets.clear();
        self.targets.extend(transfers.iter().enumerate().filter_map(|(k, t)| Some((key(t.to)?, k))));
        self.targets.sort_unstable();
        self.readers.clear();
        self.readers.resize(transfers.len(), 0);
        self.unblocks.clear();
        self.done.clear();
        for t in transfers {
            let noop = t.to == t.from;
            let writer = key(t.from).filter(|_| !noop).and_then(|from| {
                let at = self.targets.partition_point(|&(to, _)| to < from);
                self.targets.get(at).filter(|&&(to, _)| to == from).map(|&(_, k)| k)
            });
            // A place that keeps its value has no writer to hold up.
            let writer = writer.filter(|&k| transfers[k].to != transfers[k].from);
            if let Some(writer) = writer {
                self.readers[writer] += 1;
            }
            self.unblocks.push(writer);
            self.done.push(noop);
        }
        self.ready.clear();
        self.ready.extend((0..transfers.len()).rev().filter(|&k| self.readers[k] == 0 && !self.done[k]));
    }

    /// Does everything that may be done.
    fn drain(&mut self, machine: &Machine, transfers: &[Transfer], from: &[Place], steps: &mut Vec<Step>) {
        while let Some(k) = self.ready.pop() {
            self.done[k] = true;
            emit(machine, &transfers[k], from[k], steps);
            if let Some(writer) = self.unblocks[k] {
                self.readers[writer] -= 1;
                if self.readers[writer] == 0 {
                    self.ready.push(writer);
                }
            }
        }
    }

    /// The one pending transfer that reads what `start` writes, found by going round the cycle.
    fn reader_of(&self, transfers: &[Transfer], start: usize) -> Option<usize> {
        let mut k = start;
        for _ in 0..transfers.len() {
            let next = self.unblocks[k]?;
            if next == start {
                return Some(k);
            }
            k = next;
        }
        None
    }

    fn cycle_is_in_registers(&self, transfers: &[Transfer], start: usize) -> bool {
        let mut k = start;
        for _ in 0..transfers.len() {
            if !matches!(transfers[k].to, Place::Reg(_)) {
                return false;
            }
            match self.unblocks[k] {
                Some(next) if next != start => k = next,
                _ => break,
            }
        }
        true
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
        if n < 5 { Place::Reg(PReg::int(n as u8)) } else { Place::Slot(Slot::new(n as usize)) }
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
                        class: Class::Int,
                        from_bytes: 8,
                        to_bytes: 8,
                    });
                }
            }
            let mut steps = Vec::new();
            sequencer.run(&machine, &transfers, || Slot::new(99), &mut steps);
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
            class: Class::Int,
            from_bytes: 4,
            to_bytes: 4,
        };
        let mut steps = Vec::new();
        Sequencer::default().run(&machine, &[swap(0, 1), swap(1, 0)], || Slot::new(99), &mut steps);
        assert_eq!(steps.len(), 3);
        assert!(steps.iter().all(|s| matches!(s, Step::Move { .. })), "{steps:?}");
    }
}
