//! What passes say of code that they copy or rotate, for debuggers (`ir/debug_values/versions`). Costs nothing where
//! they are not told of variables, and else O(instructions of the region).

use super::Body;
use crate::base::intern::DenseMap;
use crate::base::{BitSet, Handle, Opt};
use crate::ir::body::region::Copies;
use crate::ir::debug_values::versions::PlaceRow;
use crate::ir::place::{Inlined, Place};
use crate::ir::{Block, Inst, Op, Type, Value};

/// A change of a region.
#[derive(Copy, Clone, Debug)]
pub struct Event(u32);

impl Body {
    /// Begins a change of a region, or returns none if the body has no debug values. Behind the region, values are what phis
    /// make of them there.
    #[inline]
    pub fn begin_event(&mut self, blocks: &[Block]) -> Option<Event> {
        self.debug_values.is_some().then(|| self.begin_told_event(blocks)).flatten()
    }

    #[cold]
    #[inline(never)]
    fn begin_told_event(&mut self, blocks: &[Block]) -> Option<Event> {
        let mut inside = BitSet::new(self.block_count());
        blocks.iter().for_each(|&b| _ = inside.insert(b));
        let mut outside: Vec<(Inst, Value)> = Vec::new();
        for e in blocks.iter().flat_map(|&b| self.succs(b)) {
            let to = self.edge_to(e);
            if inside.contains(to) {
                continue;
            }
            for phi in self.phis(to) {
                let Some(i) = self.arg(phi, self.edge_slot(e)).as_inst() else { continue };
                let is_of = |e: &&crate::ir::Edge| inside.contains(self.edge_from(**e));
                let mut ways = self.preds(to).iter().filter(is_of);
                if self.is_within(&inside, i)
                    && ways.all(|&e| self.arg(phi, self.edge_slot(e)) == Value::inst(i))
                {
                    outside.push((i, Value::inst(phi)));
                }
            }
        }
        // Of what leaves by several ways it is not known which.
        outside.sort_by_key(|row| row.0);
        outside.dedup();
        for k in 1..outside.len() {
            if outside[k].0 == outside[k - 1].0 {
                (outside[k].1, outside[k - 1].1) = (Value::undef(Type::Void), Value::undef(Type::Void));
            }
        }
        outside.dedup();
        let known = outside.len();
        for i in blocks.iter().flat_map(|&b| self.insts(b)) {
            if outside[..known].binary_search_by_key(&i, |row| row.0).is_err() {
                outside.push((i, Value::undef(Type::Void)));
            }
        }
        let debug = self.debug_values.as_deref_mut()?;
        Some(Event(debug.versions.begin(outside.into_iter())))
    }

    fn is_within(&self, blocks: &BitSet<Block>, i: Inst) -> bool {
        self.block_of(i).is_some_and(|b| blocks.contains(b))
    }

    /// In these instructions a value of the map is described as what it has there.
    #[cold]
    #[inline(never)]
    pub fn enter_version(&mut self, event: Event, insts: &[Inst], values: Vec<(Inst, Value)>) {
        let Some(mut debug) = self.debug_values.take() else { return };
        let map = debug.versions.map(event.0, values);
        let mut versions: DenseMap<u32, u32> = DenseMap::default();
        let mut last: Option<(Place, Place)> = None;
        for &i in insts {
            let place = self.place(i);
            if place == Place::NONE {
                continue;
            }
            let new = last.filter(|last| last.0 == place).map(|last| last.1);
            let new = new.unwrap_or_else(|| {
                let of = self.places.number(place).map_or(0, |row| debug.versions.of(row));
                let version = *versions.entry(of).or_insert_with(|| debug.versions.enter(of, map));
                let own = Inlined { func: self.func, offset: self.places.offset(place), call: Place::NONE };
                let new = self.places.again(self.places.get(place).unwrap_or(own));
                if let Some(row) = self.places.number(new) {
                    debug.versions.set(PlaceRow::new(row), version);
                }
                new
            });
            last = Some((place, new));
            self.rows.replace_place(i, new);
        }
        self.debug_values = Some(debug);
    }

    /// A region has been copied, of which nothing else is changed yet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_copied(&mut self, blocks: &[Block], copies: &Copies) {
        let insts: Vec<Inst> = blocks.iter().flat_map(|&b| self.insts(b)).collect();
        let mut same: Vec<(Inst, Value)> = insts.iter().map(|&i| (i, Value::inst(i))).collect();
        same.sort_by_key(|row| row.0);
        let copy = |&i: &Inst| Some((i, copies.values.get(i).copied().flatten()?));
        let values: Vec<(Inst, Value)> = insts.iter().filter_map(copy).collect();
        let copied = blocks.iter().filter_map(|&b| copies.blocks.get(b).copied().and_then(Opt::get));
        let copied: Vec<Inst> = copied.flat_map(|b| self.insts(b)).collect();
        let first = insts.iter().find_map(|&i| self.places.number(self.place(i)));
        let versions = self.debug_values.as_deref().map(|debug| &debug.versions);
        let known = versions.zip(first).and_then(|(of, row)| of.event_of(of.of(row), &same));
        if let Some(event) = known {
            // One copy more.
            self.enter_version(Event(event), &copied, values);
        } else if let Some(event) = self.begin_event(blocks) {
            // Phis behind the region have the copies' values already, too, from edges of blocks that are not of the region.
            self.enter_version(event, &copied, values);
            self.enter_version(event, &insts, same);
        }
    }

    /// The instructions of blocks.
    pub fn insts_of(&self, blocks: &[Block]) -> Vec<Inst> {
        blocks.iter().flat_map(|&b| self.insts(b)).filter(|&i| self.op(i) != Op::Unreachable).collect()
    }
}
