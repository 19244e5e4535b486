//! What the promoted variables of a function stand for, so that debuggers can show them. Kept only where they
//! are told (`-g`); no pass looks at it, so code is the same with and without.
//!
//! `mem2reg` knows, at every instruction, the value that reaches it of each variable. A variable of SysY
//! changes only at statements of its own, so that is a function of the place in the source; and instructions
//! keep their places, wherever passes put them. So what is kept is by place, and no pass has to keep it in
//! order:
//!
//! ```text
//!   changes   what each variable stands for from then on, in the order of a walk over the code; going back
//!             up the dominator tree undoes changes by others. A *time* is a number of changes
//!   points    per byte offset of the source that an instruction has: the time at which it is executed
//!   forwards  per value that has gone: what took its place
//! ```
//!
//! What is inlined brings its own table along (`Text`), with what its values have become here; a place in it is one
//! in the text of that call (`ir/place`).
//!
//! Passes of -O2 copy loops and step variables elsewhere. What has been copied, or may be of another round than the
//! place, is *unclear* from then on, and not shown. What makes a loop of a recursion drops the table.
//!
//! A value that has gone without another in its place, or that may be an old one (`forget`), is nothing. So a
//! mistake shows as a variable that cannot be seen, and not as one that is wrong. (LLVM has records between
//! instructions, which every pass must keep, and Cranelift labels of values, which say nothing of when; this
//! is the table of the former, by place.)

pub mod versions;

use super::{Inst, Place, Type, Value};
use crate::base::{BitSet, Column, Handle};
use versions::{Version, Versions};

/// What the variables of one text stand for: of the function itself, or of one that has been inlined.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// A place in what has been inlined; nowhere for the function itself.
    pub place: Place,
    /// Per variable: the number that the front end has for it.
    pub variables: Vec<u32>,
    /// Variable and what it stands for from then on, in the order of time.
    pub changes: Vec<(u32, Value)>,
    /// By ascending offset, each once: offset, time.
    pub points: Vec<(u32, u32)>,
    /// The time at which the function has its arguments.
    pub entry: u32,
    /// Variables that are in memory, by address, if the text has been inlined. (`Body::variables` are the function's own.)
    pub slots: Vec<(Value, u32)>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct DebugValues {
    /// The function's own text, then those of what it has inlined.
    pub texts: Vec<Text>,
    /// What passes have made of the code.
    pub versions: Versions,
    /// What may be of another round of a loop than the place where it is asked for.
    unclear: BitSet<Inst>,
    /// Per value that has gone: what took its place, and when (`versions`).
    forwards: Column<Inst, Option<(Value, u32)>>,
}

/// The most values that took the place of one another.
const LONGEST: usize = 1 << 12;

impl Text {
    /// Sets the times of offsets, from all pairs of the two. What is executed at several times with different
    /// values of variables, has none.
    pub fn set_points(&mut self, mut pairs: Vec<(u32, u32)>) {
        pairs.sort_unstable();
        pairs.dedup();
        let mut rest = &pairs[..];
        while let Some(&(offset, time)) = rest.first() {
            let count = rest.iter().take_while(|pair| pair.0 == offset).count();
            if count == 1 {
                self.points.push((offset, time));
            }
            rest = rest.get(count..).unwrap_or_default();
        }
        self.points.shrink_to_fit();
    }

    /// The same with other values in the place of these.
    pub fn map(&self, place: Place, mut of: impl FnMut(Value) -> Value) -> Text {
        let changes = self.changes.iter().map(|&(variable, v)| (variable, of(v))).collect();
        let slots = self.slots.iter().map(|&(v, number)| (of(v), number)).collect();
        let (variables, points) = (self.variables.clone(), self.points.clone());
        Text { place, variables, changes, points, entry: self.entry, slots }
    }
}

impl DebugValues {
    /// Nothing is known of their values but what they say.
    pub fn of(texts: Vec<Text>) -> DebugValues {
        DebugValues { texts, ..DebugValues::default() }
    }

    /// Another value takes the place of one.
    pub fn forward(&mut self, i: Inst, v: Value) {
        self.forwards.grow_to(i.index() + 1, None);
        self.forwards[i] = Some((v, self.versions.now()));
    }

    /// What is computed under this name, somewhere, may be older than what a variable stands for.
    pub fn forget(&mut self, i: Inst) {
        self.forward(i, Value::undef(Type::Void));
    }

    /// What is computed under this name is not of the round of the places that ask for it, or may not be.
    pub fn obscure(&mut self, i: Inst) {
        self.unclear.insert(i);
    }

    /// What is unclear.
    pub fn unclear(&self) -> impl Iterator<Item = Inst> {
        self.unclear.iter()
    }

    /// The value that stands for one now in code of a version, as far as something does; `is_there` says whether an
    /// instruction still computes its result.
    pub fn resolve(&self, v: Value, version: &Version, is_there: impl Fn(Inst) -> bool) -> Option<Value> {
        let (mut v, mut time) = (v, 0);
        for _ in 0..LONGEST {
            let Some(i) = v.as_inst() else { return Some(v).filter(|v| !v.is_undef()) };
            if let Some((at, by)) = version.next(i, time) {
                (v, time) = (by, at);
                continue;
            }
            let is_clear = !self.unclear.contains(i);
            match self.forwards.get(i).copied().flatten() {
                Some((by, _)) if by.is_number() => return Some(by),
                // Nothing uses it any more; what it is for, only the pass knows that did this.
                Some(_) if !is_clear || is_there(i) => return None,
                // What happened before to the other value did not happen to this one.
                Some((by, at)) => (v, time) = (by, time.max(at)),
                None => return Some(v).filter(|_| is_clear && is_there(i)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_executed_at_several_times_have_none() {
        let mut text = Text::default();
        text.set_points(vec![(9, 4), (3, 1), (5, 2), (5, 3), (3, 1)]);
        assert_eq!(text.points, [(3, 1), (9, 4)]);
    }

    #[test]
    fn values_are_followed_as_far_as_something_stands_for_them() {
        let [a, b, c, d]: [Inst; 4] = [0, 1, 2, 3].map(Inst::new);
        let mut debug = DebugValues::default();
        debug.forward(a, Value::inst(b));
        debug.forward(b, Value::bool(true));
        debug.forward(c, Value::inst(c));
        let resolve = |debug: &DebugValues, i, there: Inst| {
            debug.resolve(Value::inst(i), &debug.versions.in_version(0).unwrap(), |i| i == there)
        };
        assert_eq!(resolve(&debug, a, d), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, a, a), resolve(&debug, d, d)), (None, Some(Value::inst(d))));
        assert_eq!(resolve(&debug, b, b), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, c, d), resolve(&debug, d, a)), (None, None));
        debug.forget(b);
        assert_eq!(resolve(&debug, a, d), None);
        let version = debug.versions.in_version(0).unwrap();
        assert_eq!(debug.resolve(Value::undef(Type::I32), &version, |_| true), None);
        debug.obscure(d);
        assert_eq!((resolve(&debug, c, d), resolve(&debug, d, d)), (None, None));
    }
}
