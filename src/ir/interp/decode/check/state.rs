//! What slots hold at a point of the code: results of instructions, always the latest ones, and within a block
//! sums.

use super::super::super::code::Slot;
use super::sums::Sum;
use crate::ir::Inst;
use std::collections::HashMap;

/// What is known at the head of a block: ascending pairs of a slot and what it holds; and phis of which nothing is
/// known yet or ever will be, which any slot holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) pairs: Vec<(Slot, Inst)>,
    pub(super) open: Vec<Inst>,
}

impl Head {
    /// What holds if either does.
    pub(super) fn meet(&self, other: &Head) -> Head {
        let has = |head: &Head, pair: &(Slot, Inst)| {
            head.open.contains(&pair.1) || head.pairs.binary_search(pair).is_ok()
        };
        let mut pairs: Vec<_> = self.pairs.iter().filter(|pair| has(other, pair)).copied().collect();
        pairs.extend(other.pairs.iter().filter(|pair| has(self, pair)));
        pairs.sort_unstable();
        pairs.dedup();
        let open = self.open.iter().copied().filter(|i| other.open.contains(i)).collect();
        Head { pairs, open }
    }
}

#[derive(Clone, Debug, Default)]
struct Content {
    values: Vec<Inst>,
    sum: Option<Sum>,
}

/// What is known within a block.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    slots: HashMap<Slot, Content>,
    open: Vec<Inst>,
}

impl State {
    pub(super) fn new(head: &Head) -> State {
        let mut state = State { slots: HashMap::new(), open: head.open.clone() };
        for &(slot, i) in &head.pairs {
            state.slots.entry(slot).or_default().values.push(i);
        }
        state
    }

    pub(super) fn values(&self, slot: Slot) -> &[Inst] {
        self.slots.get(&slot).map_or(&[], |content| &content.values)
    }

    pub(super) fn sum(&self, slot: Slot) -> Option<&Sum> {
        self.slots.get(&slot)?.sum.as_ref()
    }

    /// True for a phi of which nothing is known.
    pub(super) fn is_open(&self, i: Inst) -> bool {
        self.open.contains(&i)
    }

    pub(super) fn open(&self) -> &[Inst] {
        &self.open
    }

    pub(super) fn set_sum(&mut self, slot: Slot, sum: Sum) {
        self.slots.insert(slot, Content { values: Vec::new(), sum: Some(sum) });
    }

    /// A slot that holds what only the row at hand knows.
    pub(super) fn set_unknown(&mut self, slot: Slot) {
        self.slots.insert(slot, Content::default());
    }

    pub(super) fn set(&mut self, slot: Slot, i: Inst) {
        self.slots.insert(slot, Content { values: vec![i], sum: None });
    }

    pub(super) fn copy(&mut self, to: Slot, from: Slot) {
        let content = self.slots.get(&from).cloned().unwrap_or_default();
        self.slots.insert(to, content);
    }

    /// All pairs of slots and what they hold, in no order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Slot, Inst)> + '_ {
        self.slots.iter().flat_map(|(&slot, content)| content.values.iter().map(move |&i| (slot, i)))
    }

    /// The slots that hold a constant.
    pub(super) fn constants(&self) -> impl Iterator<Item = (Slot, u64)> + '_ {
        self.slots.iter().filter_map(|(&slot, content)| Some((slot, content.sum.as_ref()?.as_constant()?)))
    }
}
