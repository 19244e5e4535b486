//! Code that passes have copied or turned around: what stands for a value there.
//!
//! A variable stands for a value wherever its place in the source is in the code as it was. A pass that makes several of
//! a region, or lets other values bring a round's, says so by an *event*: the region's instructions get places of
//! a *version* each (`Body::enter_version`), by which a value of before is told as another one. Code that is in none of
//! an event's versions is outside of the region, where a value is what the phis behind it make of it.
//!
//! ```text
//!   rows     per version but the first, of code as written: the version that its code was of before, and its map
//!   maps     event, and what stands for each value that it knows there
//!   outside  value, event, and what stands for the value where that event has no version of the code
//! ```
//!
//! A value is followed through the events in their order; one that an event does not know stays what it is.

use crate::base::Column;
use crate::ir::{Inst, Value};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Per row of `Places`: the version of code with this place; the first, if it has none.
    of_row: Column<PlaceRow, u32>,
    rows: Vec<(u32, u32)>,
    maps: Vec<Map>,
    /// Sorted up to the last event.
    outside: Vec<(Inst, u32, Value)>,
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

    pub(in crate::ir) fn set(&mut self, row: PlaceRow, version: u32) {
        self.of_row.grow_to(crate::base::Handle::index(row) + 1, 0);
        self.of_row[row] = version;
    }

    /// Begins an event, given what values of its region are outside of it.
    pub(in crate::ir) fn begin(&mut self, outside: impl Iterator<Item = (Inst, Value)>) -> u32 {
        self.events += 1;
        self.outside.extend(outside.map(|(i, v)| (i, self.events, v)));
        self.outside.sort_by_key(|row| (row.0, row.1));
        self.events
    }

    /// Begins a map of an event. Returns its number.
    pub(in crate::ir) fn map(&mut self, event: u32, mut values: Vec<(Inst, Value)>) -> u32 {
        values.sort_by_key(|row| row.0);
        self.maps.push(Map { event, values });
        self.maps.len() as u32 - 1
    }

    /// The version of what was of another one and has come to a map.
    pub(in crate::ir) fn enter(&mut self, outer: u32, map: u32) -> u32 {
        self.rows.push((outer, map));
        self.rows.len() as u32
    }

    /// True if code of this version knows the values of an event as they are, and these are all of a later one.
    pub(in crate::ir) fn is_within(&self, version: u32, values: &[(Inst, Value)]) -> bool {
        let row = (version as usize).checked_sub(1).and_then(|k| self.rows.get(k));
        let map = row.and_then(|row| self.maps.get(row.1 as usize));
        map.is_some_and(|map| map.values == values)
    }

    /// The maps of a version, in the order of their events; none if that is too many.
    fn chain(&self, version: u32) -> Option<Vec<&Map>> {
        let (mut chain, mut version) = (Vec::new(), version);
        while let Some(&(outer, map)) = (version as usize).checked_sub(1).and_then(|k| self.rows.get(k)) {
            chain.push(self.maps.get(map as usize).filter(|_| chain.len() < DEEPEST)?);
            version = outer;
        }
        chain.reverse();
        Some(chain)
    }

    /// How values are told in code of a version; none if it is not known.
    pub fn in_version(&self, version: u32) -> Option<Version<'_>> {
        Some(Version { all: self, chain: self.chain(version)? })
    }
}

/// A version.
#[derive(Clone, Debug)]
pub struct Version<'a> {
    all: &'a Versions,
    chain: Vec<&'a Map>,
}

impl Version<'_> {
    /// The first thing that happened to a value behind an event: its number, and what stands for the value since.
    pub(in crate::ir) fn next(&self, i: Inst, event: u32) -> Option<(u32, Value)> {
        let later = &self.chain[self.chain.partition_point(|map| map.event <= event)..];
        let inside = later.iter().find_map(|map| Some((map.event, map.get(i)?)));
        let outside = &self.all.outside;
        let first = outside.partition_point(|row| (row.0, row.1) <= (i, event));
        let is_inside = |event: u32| self.chain.binary_search_by_key(&event, |map| map.event).is_ok();
        let mut outside = outside[first..].iter().take_while(|row| row.0 == i);
        let outside = outside.find(|row| !is_inside(row.1)).map(|row| (row.1, row.2));
        match (inside, outside) {
            (Some(a), Some(b)) => Some(if a.0 < b.0 { a } else { b }),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;

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
            let (mut v, mut event) = (Value::inst(a), 0);
            while let Some((at, next)) = v.as_inst().and_then(|i| version.next(i, event)) {
                (v, event) = (next, at);
            }
            v
        };
        assert_eq!([first, second, third].map(of), [Value::inst(a), Value::bool(true), Value::inst(c)]);
        assert_eq!([0, around].map(of), [Value::inst(out), Value::inst(d)]);
        assert!(versions.is_within(first, &[(a, Value::inst(a))]) && !versions.is_within(0, &[]));
    }
}
