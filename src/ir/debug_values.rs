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
//! Passes of -O2 copy loops and step variables elsewhere. What is made once in a call stays what it is, and a
//! constant is right wherever the place is, so these are what is shown then (`only_once`). What makes a loop of
//! a recursion, or copies a body into itself, drops the table.
//!
//! A value that has gone without another in its place, or that may be an old one (`forget`), is nothing. So a
//! mistake shows as a variable that cannot be seen, and not as one that is wrong. (LLVM has records between
//! instructions, which every pass must keep, and Cranelift labels of values, which say nothing of when; this
//! is the table of the former, by place.)

use super::{Inst, Type, Value};
use crate::base::{Column, Handle};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct DebugValues {
    /// Per variable: the number that the front end has for it.
    pub variables: Vec<u32>,
    /// Variable and what it stands for from then on, in the order of time.
    pub changes: Vec<(u32, Value)>,
    /// Per change: its value is made at most once in each call of the function, or is a constant.
    pub is_once: Vec<bool>,
    /// Passes have had the function that copy code and step variables elsewhere (-O2): what was made in loops
    /// may be made in several places now, and be what it was in another round.
    pub only_once: bool,
    /// By ascending offset, each once: offset, time.
    pub points: Vec<(u32, u32)>,
    /// The time at which the function has its arguments.
    pub entry: u32,
    forwards: Column<Inst, Option<Value>>,
}

/// The most values that took the place of one another.
const LONGEST: usize = 1 << 12;

impl DebugValues {
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

    /// The time at which a place is executed.
    pub fn time(&self, offset: u32) -> Option<u32> {
        let k = self.points.binary_search_by_key(&offset, |point| point.0).ok()?;
        Some(self.points[k].1)
    }

    /// Another value takes the place of one.
    pub fn forward(&mut self, i: Inst, v: Value) {
        self.forwards.grow_to(i.index() + 1, None);
        self.forwards[i] = Some(v);
    }

    /// What is computed under this name, somewhere, may be older than what a variable stands for.
    pub fn forget(&mut self, i: Inst) {
        self.forward(i, Value::undef(Type::Void));
    }

    /// What a change makes of its variable, if that can be told now; `is_there` as below.
    pub fn change(&self, k: usize, is_there: impl Fn(Inst) -> bool) -> Option<Value> {
        let is_told = !self.only_once || self.is_once.get(k).copied().unwrap_or(false);
        self.changes.get(k).filter(|_| is_told).and_then(|&(_, v)| self.resolve(v, is_there))
    }

    /// The value that stands for one now, as far as something does; `is_there` says whether an instruction
    /// still computes its result.
    pub fn resolve(&self, v: Value, is_there: impl Fn(Inst) -> bool) -> Option<Value> {
        let mut v = v;
        for _ in 0..LONGEST {
            let Some(i) = v.as_inst() else { return Some(v).filter(|v| !v.is_undef()) };
            match self.forwards.get(i).copied().flatten() {
                // Nothing uses it any more; what it is for, only the pass knows that did this.
                Some(by) if is_there(i) && !by.is_number() => return None,
                Some(by) if self.only_once && !by.is_number() => return None,
                Some(by) => v = by,
                None => return Some(v).filter(|_| is_there(i)),
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
        let mut debug = DebugValues::default();
        debug.set_points(vec![(9, 4), (3, 1), (5, 2), (5, 3), (3, 1)]);
        assert_eq!(debug.points, [(3, 1), (9, 4)]);
    }

    #[test]
    fn values_are_followed_as_far_as_something_stands_for_them() {
        let [a, b, c, d]: [Inst; 4] = [0, 1, 2, 3].map(Inst::new);
        let mut debug = DebugValues::default();
        debug.forward(a, Value::inst(b));
        debug.forward(b, Value::bool(true));
        debug.forward(c, Value::inst(c));
        let resolve = |debug: &DebugValues, i, there: Inst| debug.resolve(Value::inst(i), |i| i == there);
        assert_eq!(resolve(&debug, a, d), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, a, a), resolve(&debug, d, d)), (None, Some(Value::inst(d))));
        assert_eq!(resolve(&debug, b, b), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, c, d), resolve(&debug, d, a)), (None, None));
        debug.forget(b);
        assert_eq!(resolve(&debug, a, d), None);
        assert_eq!(debug.resolve(Value::undef(Type::I32), |_| true), None);
    }
}
