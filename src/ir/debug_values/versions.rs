//! Code that passes have copied or rotated: what stands for a value there.
//!
//! A variable stands for a value wherever its place in the source is in the code as it was. A pass that makes several of
//! a region, or lets other values bring a round's, says so by an *event*: the region's instructions get places of
//! a *version* each (`Body::enter_version`), by which a value of before is described as another one. Code that is in none of
//! an event's versions is outside of the region, where a value is what the phis behind it make of it.
//!
//! ```text
//!   rows     per version but the first, of code as written: the version that its code was of before, and its map
//!   maps     event, and what stands for each value that it knows there; a *time* is a number of maps
//!   outside  per value, by ascending time: what stands for it where this event has no version of the code
//! ```
//!
//! A value is followed in the order of time; what does not know it leaves it as it is. A region that is copied several
//! times as it is has one event.

use crate::base::{Column, Handle};
use crate::ir::{Inst, Value};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Per row of `Places`: the version of code with this place; the first, if it has none.
    of_row: Column<PlaceRow, u32>,
    rows: Vec<(u32, u32)>,
    maps: Vec<Map>,
    outside: Column<Inst, Vec<(u32, u32, Value)>>,
    events: u32,
}

crate::handle! {
    /// A row of `Places`.
    pub(in crate::ir) struct PlaceRow("place");
}

#[derive(Clone, Debug)]
struct Map {
    event: u32,
    /// By ascending value.
    values: Vec<(Inst, Value)>,
}

impl Map {
    fn get(&self, i: Inst) -> Option<Value> {
        let at = self.values.binary_search_by_key(&i, |row| row.0).ok()?;
        Some(self.values[at].1)
    }
}

/// A version's maps are this many at most; code that is copied more often is not told of.
const DEEPEST: usize = 200;

impl Versions {
    /// The version of code with a place of this row.
    pub fn of(&self, row: usize) -> u32 {
        self.of_row.as_slice().get(row).copied().unwrap_or(0)
    }

    /// True while all code is as written.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The time.
    pub(in crate::ir) fn now(&self) -> u32 {
        self.maps.len() as u32
    }

    pub(in crate::ir) fn set(&mut self, row: PlaceRow, version: u32) {
        self.of_row.grow_to(row.index() + 1, 0);
        self.of_row[row] = version;
    }

    /// Begins an event, given what values of its region are outside of it.
    pub(in crate::ir) fn begin(&mut self, outside: impl Iterator<Item = (Inst, Value)>) -> u32 {
        self.events += 1;
        for (i, v) in outside {
            self.outside.grow_to(i.index() + 1, Vec::new());
            self.outside[i].push((self.maps.len() as u32, self.events, v));
        }
        self.events
    }

    /// Begins a map of an event. Returns its number.
    pub(in crate::ir) fn map(&mut self, event: u32, mut values: Vec<(Inst, Value)>) -> u32 {
        values.sort_by_key(|row| row.0);
        self.maps.push(Map { event, values });
        self.maps.len() as u32 - 1
    }

    /// All values that stand for others.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let inside = self.maps.iter_mut().flat_map(|map| &mut map.values).map(|row| &mut row.1);
        inside.chain(self.outside.as_mut_slice().iter_mut().flatten().map(|row| &mut row.2))
    }

    /// The version of what was of another one and has come to a map.
    pub(in crate::ir) fn enter(&mut self, outer: u32, map: u32) -> u32 {
        self.rows.push((outer, map));
        self.rows.len() as u32
    }

    /// The event that has brought about this version with this map, in order.
    pub(in crate::ir) fn event_of(&self, version: u32, values: &[(Inst, Value)]) -> Option<u32> {
        let row = (version as usize).checked_sub(1).and_then(|k| self.rows.get(k))?;
        self.maps.get(row.1 as usize).filter(|map| map.values == values).map(|map| map.event)
    }

    /// The maps of a version by number, in order; none if that is too many.
    fn chain(&self, version: u32) -> Option<Vec<(u32, &Map)>> {
        let (mut chain, mut version) = (Vec::new(), version);
        while let Some(&(outer, map)) = (version as usize).checked_sub(1).and_then(|k| self.rows.get(k)) {
            let row = self.maps.get(map as usize).filter(|_| chain.len() < DEEPEST)?;
            chain.push((map, row));
            version = outer;
        }
        chain.reverse();
        Some(chain)
    }

    /// How values are told in code of a version; none if it is not known.
    pub fn in_version(&self, version: u32) -> Option<Version<'_>> {
        let chain = self.chain(version)?;
        let mut inside: Vec<u32> = chain.iter().map(|row| row.1.event).collect();
        inside.sort_unstable();
        Some(Version { all: self, chain, inside })
    }
}

/// A version.
#[derive(Clone, Debug)]
pub struct Version<'a> {
    all: &'a Versions,
    chain: Vec<(u32, &'a Map)>,
    /// The events that have a version of the code, in order.
    inside: Vec<u32>,
}

impl Version<'_> {
    /// The first thing that has happened to a value since a time: what stands for it since, and from when on.
    pub(in crate::ir) fn next(&self, i: Inst, since: u32) -> Option<(u32, Value)> {
        let later = &self.chain[self.chain.partition_point(|row| row.0 < since)..];
        let inside = later.iter().find_map(|&(number, map)| Some((number + 1, map.get(i)?)));
        let outside = self.all.outside.get(i).map_or(&[][..], Vec::as_slice);
        let is_of = |row: &&(u32, u32, Value)| row.0 >= since && self.inside.binary_search(&row.1).is_err();
        let outside = outside.iter().find(is_of).map(|row| (row.0, row.2));
        match (inside, outside) {
            (Some(a), Some(b)) => Some(if a.0 <= b.0 { a } else { b }),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_the_events_of_its_code_have_made_of_it() {
        let [a, b, c, out, d]: [Inst; 5] = [0, 1, 2, 3, 4].map(Inst::new);
        let mut versions = Versions::default();
        // A loop of `a` becomes two, and then the second of them a copy in a loop around it.
        let copied = versions.begin([(a, Value::inst(out))].into_iter());
        let same = versions.map(copied, vec![(a, Value::inst(a))]);
        let copy = versions.map(copied, vec![(a, Value::inst(b))]);
        let [first, second] = [same, copy].map(|map| versions.enter(0, map));
        let again = versions.begin([(b, Value::bool(true))].into_iter());
        let turned = versions.map(again, vec![(b, Value::inst(c)), (out, Value::inst(d))]);
        let [third, around] = [second, 0].map(|outer| versions.enter(outer, turned));
        let of = |version: u32| {
            let version = versions.in_version(version).unwrap();
            let (mut v, mut time) = (Value::inst(a), 0);
            while let Some((at, next)) = v.as_inst().and_then(|i| version.next(i, time)) {
                (v, time) = (next, at);
            }
            v
        };
        assert_eq!([first, second, third].map(of), [Value::inst(a), Value::bool(true), Value::inst(c)]);
        assert_eq!([0, around].map(of), [Value::inst(out), Value::inst(d)]);
        let same = [(a, Value::inst(a))];
        assert_eq!([first, 0].map(|version| versions.event_of(version, &same)), [Some(copied), None]);
    }
}
