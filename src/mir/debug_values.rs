//! Where the variables of a function are, instruction by instruction, for debuggers. Only where they are told
//! of variables that `mem2reg` has promoted (`ir/debug_values`); nothing here changes code.
//!
//! ```text
//!   select     per change of a variable: the virtual register of its value (a *label*), or a constant
//!   allocate   what rows do to places: one gets the value of a label, or what another one has (`Effect`);
//!              phis do where their block begins (`arrivals`). From here on `Func::loc` has the number of the
//!              row as it was then, and `locs` its place in the source, so that later passes keep both
//!   locate     behind the last pass: the dataflow of labels in places over the rows that there are, and a
//!              walk that joins it with what variables stand for at each row's place in the source
//! ```

mod expand;
mod locate;
mod state;

use super::desc::{LOADS, MOVE, Machine, PReg};
use super::inlined::{Call, Origin};
use super::{Block, Func, Inst, Slot, SlotKind, SymKind, VReg};
use crate::base::formula::Term;
use crate::base::{Column, Handle, Opt};
use std::ops::Range;

pub use locate::locate;

crate::handle! {
    /// A value that variables stand for: a virtual register as selected.
    pub struct Label("l");
}

/// A register, or a frame slot.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot(u32);

/// Spots from here on are slots.
const FIRST_SLOT: u32 = 128;

impl Spot {
    /// Of a register.
    pub fn reg(reg: PReg) -> Spot {
        Spot(u32::from(reg.0))
    }

    /// Of a slot.
    pub fn slot(slot: Slot) -> Spot {
        Spot(FIRST_SLOT + slot.index() as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }

    fn place(self) -> Where {
        match self.0.checked_sub(FIRST_SLOT) {
            Some(slot) => Where::Slot(Slot::new(slot as usize)),
            None => Where::Reg(PReg(self.0 as u8)),
        }
    }
}

/// What a row does to what is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The value of a label is made there.
    Put(Spot, Label),
    /// A spot gets what another one has.
    Copy(Spot, Spot),
    /// A spot gets something else.
    Lose(Spot),
}

/// What a variable stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stood {
    /// Nothing that can be shown.
    Nothing,
    /// A constant with these bits.
    Bits(u64),
    /// A value.
    Label(Label),
    /// What is in a slot.
    Slot(Slot),
    /// The address of a slot.
    Address(Slot),
    /// The address of a global, by its number.
    Global(u32),
    /// A row of `DebugValues::formulas`.
    Formula(u32),
}

/// Where a variable is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// In a register.
    Reg(PReg),
    /// In a slot.
    Slot(Slot),
    /// Nowhere: it is a constant with these bits.
    Bits(u64),
    /// Nowhere: it is the address of a slot.
    Address(Slot),
    /// Nowhere: it is the address of a global.
    Global(u32),
    /// Nowhere: it is computed, as a row of `DebugValues::located` says.
    Formula(u32),
}

/// From a row on a variable is somewhere, or cannot be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The row.
    pub row: Inst,
    /// It is a call, and what returns to it, but not what is about to make it, sees this.
    pub in_call: bool,
    /// Which variable: a row of `DebugValues::variables`.
    pub variable: u32,
    /// Where it is.
    pub at: Option<Where>,
}

/// The text of a function, the one itself or one that it has inlined: ranges of the columns of `DebugValues`, and
/// times as in `ir::Text`, which count from the start of its changes.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// By which call it got here.
    pub call: Opt<Call>,
    /// Its variables.
    pub variables: Range<u32>,
    /// Its changes.
    pub changes: Range<u32>,
    /// As in `ir::Text`.
    pub points: Vec<(u32, u32)>,
    /// As in `ir::Text`.
    pub entry: u32,
    /// In versions of the code but the first, by ascending number: changes that make other values of their variables
    /// there, counted from the first of all texts, and which. Code of other versions is not told of.
    pub versions: Vec<(u32, Vec<(u32, Stood)>)>,
}

impl Text {
    /// What a change makes of its variable in a version.
    fn in_version(&self, version: u32, change: u32, written: Stood) -> Stood {
        if version == 0 {
            return written;
        }
        let at = self.versions.binary_search_by_key(&version, |row| row.0).ok();
        let Some((_, others)) = at.and_then(|k| self.versions.get(k)) else { return Stood::Nothing };
        others.binary_search_by_key(&change, |row| row.0).map_or(written, |k| others[k].1)
    }
}

/// By what else a value can be told.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// What it was computed from.
    pub made_of: Option<Vec<Term<Stood>>>,
    /// What was computed from it, inverted.
    pub inverses: Vec<Vec<Term<Stood>>>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct DebugValues {
    /// By text, the function's own first, then by inlined call.
    pub texts: Vec<Text>,
    /// Variables of all texts: by which call they got here, and the number that the front end has for it.
    pub variables: Vec<(Opt<Call>, u32)>,
    /// As in `ir::Text`, with what values have become, of all texts.
    pub changes: Vec<(u32, Stood)>,
    /// Formulas that variables stand for, each once.
    pub formulas: Vec<Vec<Term<Stood>>>,
    /// Labels of virtual registers.
    pub labels: Column<VReg, Opt<Label>>,
    /// Per label: by what else its value can be told while it is nowhere itself.
    pub others: Column<Label, Others>,
    /// Ascending: a label, and one that has been computed from it and tells it. Once the former is made again, the latter is of
    /// before.
    pub derived: Vec<(Label, Label)>,
    /// How many labels there are.
    pub label_count: usize,
    /// Per row as allocated: its place in the source.
    pub locs: Vec<u32>,
    /// Per block as allocated: its rows.
    pub blocks: Vec<(u32, u32)>,
    /// What rows as allocated do, in order.
    pub effects: Vec<(u32, Effect)>,
    /// By block: where its phis are.
    pub arrivals: Vec<(Block, Spot, Label)>,
    /// Rows as allocated that have become one.
    pub merged: Vec<(u32, u32)>,
    /// Once located: where variables are, in the order of the layout.
    pub events: Vec<Event>,
    /// What formulas are of at events.
    pub located: Vec<Vec<Term<Where>>>,
}

impl DebugValues {
    /// The label of a virtual register.
    pub fn label(&self, v: VReg) -> Option<Label> {
        self.labels.get(v).copied().and_then(Opt::get)
    }

    /// The label of a virtual register, which gets one.
    pub fn labelled(&mut self, v: VReg) -> Label {
        self.labels.grow_to(v.index() + 1, Opt::NONE);
        match self.labels[v].get() {
            Some(label) => label,
            None => {
                let label = Label::new(self.label_count);
                self.label_count += 1;
                self.labels[v] = Opt::some(label);
                label
            }
        }
    }

    /// The place in the source of a row of the function, from which this has been taken.
    fn origin(&self, func: &Func, i: Inst) -> Origin {
        let row = func.loc.get(i).copied().unwrap_or(u32::MAX);
        func.inlined.origin(self.locs.get(row as usize).copied().unwrap_or(u32::MAX))
    }

    /// Takes what rows do in a function that has just been allocated: `label` has what operand `k` of a row,
    /// a definition, is of the values as selected.
    pub fn allocated(
        &mut self,
        func: &mut Func,
        machine: &Machine,
        label: impl Fn(&DebugValues, Inst, usize) -> Option<Label>,
    ) {
        for b in func.blocks.keys() {
            let rows = &func.blocks[b];
            self.blocks.push((rows.first.index() as u32, rows.end.index() as u32));
            for i in func.rows(b) {
                for (k, def) in func.defs(i).iter().enumerate() {
                    if let (Some(reg), Some(label)) = (def.as_phys(), label(self, i, k)) {
                        self.effects.push((i.index() as u32, Effect::Put(Spot::reg(reg), label)));
                    }
                }
                if self.effects.last().is_none_or(|effect| effect.0 != i.index() as u32) {
                    self.effects.extend(copy(func, machine, i).map(|effect| (i.index() as u32, effect)));
                }
            }
        }
        self.locs = func.loc.as_slice().to_vec();
        for (k, loc) in func.loc.as_mut_slice().iter_mut().enumerate() {
            *loc = k as u32;
        }
    }

    /// Does what loads and stores do that have become one row only where the later of the two stood. In
    /// between, their spots hold what is not known.
    fn merge(&mut self) {
        for &(first, second) in &self.merged {
            let of = |row: u32| {
                let start = self.effects.partition_point(|effect| effect.0 < row);
                let end = self.effects.partition_point(|effect| effect.0 <= row);
                start..end
            };
            let both: Vec<Effect> =
                [first, second].into_iter().flat_map(|row| &self.effects[of(row)]).map(|row| row.1).collect();
            let lost = both.iter().map(|&effect| match effect {
                Effect::Put(to, _) | Effect::Copy(to, _) | Effect::Lose(to) => (first, Effect::Lose(to)),
            });
            let lost: Vec<(u32, Effect)> = lost.collect();
            self.effects.splice(of(second), both.into_iter().map(|effect| (second, effect)));
            let start = self.effects.partition_point(|effect| effect.0 < first);
            let end = self.effects.partition_point(|effect| effect.0 <= first);
            self.effects.splice(start..end, lost);
        }
        self.merged.clear();
    }
}

/// What a row does that only moves something.
fn copy(func: &Func, machine: &Machine, i: Inst) -> Option<Effect> {
    let row = &func.insts[i];
    let desc = machine.row(row.op);
    let reg = |k: usize| func.operands(i).get(k)?.as_phys().map(Spot::reg);
    if desc.flags & MOVE != 0 && row.defs == 1 && row.uses == 1 {
        return Some(Effect::Copy(reg(0)?, reg(1)?));
    }
    let slot = Slot::new(row.sym as usize);
    if desc.sym == SymKind::Slot && func.slots.get(slot)?.kind == SlotKind::Spill {
        let slot = Spot::slot(slot);
        return match (row.defs, desc.flags & LOADS != 0) {
            (1, true) => Some(Effect::Copy(reg(0)?, slot)),
            (0, false) => Some(reg(0).map_or(Effect::Lose(slot), |reg| Effect::Copy(slot, reg))),
            _ => None,
        };
    }
    None
}
