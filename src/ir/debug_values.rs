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
//!   formulas  per value that has gone with nothing in its place: what it was computed by (`base/formula`)
//! ```
//!
//! A value that nothing uses any more is a formula over what it was computed from: in SSA form that has not been computed
//! again where the value stands for a variable. Of a counter that a pointer does the work of, the pass says which
//! (`Body::note_formula`). (LLVM's `salvageDebugInfo`.)
//!
//! What is inlined brings its own table along (`Text`), with what its values have become here; a place in it is one
//! in the text of that call (`ir/place`).
//!
//! Passes of -O2 copy loops and step variables elsewhere, and say so (`versions`). What makes a loop of a recursion drops the
//! table.
//!
//! A value that has gone without another in its place, or that may be an old one (`forget`), is nothing. So a
//! mistake shows as a variable that cannot be seen, and not as one that is wrong. (LLVM has records between
//! instructions, which every pass must keep, and Cranelift labels of values, which say nothing of when; this
//! is the table of the former, by place.)

pub mod versions;

use super::{Inst, Place, Type, Value};
use crate::base::formula::{MOST_TERMS, Term};
use crate::base::{Column, Handle};
use versions::{Version, Versions};

/// What a variable stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A value.
    Value(Value),
    /// A row of `DebugValues::formulas`.
    Formula(u32),
}

/// What was computed, in terms of values.
pub type Formula = Vec<Term<Value>>;

/// What a text in LLVM's form says of variables: from a place in it on one is something, up to where the ways from that place meet
/// others.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Ascending: where blocks begin in the text.
    pub starts: Vec<u32>,
    /// By ascending place: that, the variable, and what it is from then on; nothing if that is not known.
    pub rows: Vec<(u32, u32, Formula)>,
}

/// What the variables of one text stand for: of the function itself, or of one that has been inlined.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// A place in what has been inlined; nowhere for the function itself.
    pub place: Place,
    /// Per variable: the number that the front end has for it.
    pub variables: Vec<u32>,
    /// Variable and what it stands for from then on, in the order of time.
    pub changes: Vec<(u32, Shown)>,
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
    /// Per value that has gone: what took its place, and when (`versions`).
    forwards: Column<Inst, Option<(Value, u32)>>,
    /// Per value that has gone, or may go, and that nothing took the place of: what it was, and when that was so.
    computed: Column<Inst, Option<Box<(Formula, u32)>>>,
    /// Formulas that variables stand for.
    pub formulas: Vec<Formula>,
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
    pub fn map(&self, place: Place, mut of: impl FnMut(Shown) -> Shown) -> Text {
        let changes = self.changes.iter().map(|&(variable, shown)| (variable, of(shown))).collect();
        let slot = |&(v, number): &(Value, u32)| match of(Shown::Value(v)) {
            Shown::Value(v) => Some((v, number)),
            Shown::Formula(_) => None,
        };
        let slots = self.slots.iter().filter_map(slot).collect();
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

    /// A value is this wherever it is not there any more, unless that has been said before.
    pub(in crate::ir) fn compute(&mut self, i: Inst, formula: Formula) {
        let is_known = self.computed.get(i).is_some_and(Option::is_some);
        if is_known || formula.len() > MOST_TERMS {
            return;
        }
        self.computed.grow_to(i.index() + 1, None);
        self.computed[i] = Some(Box::new((formula, self.versions.now())));
    }

    /// True if something has taken the place of a value.
    pub(in crate::ir) fn is_forwarded(&self, i: Inst) -> bool {
        self.forwards.get(i).is_some_and(Option::is_some)
    }

    /// Other values in the place of all these.
    pub fn replace(&mut self, of: impl Fn(Value) -> Value) {
        let shown = self.texts.iter_mut().flat_map(|text| &mut text.changes);
        let shown = shown.filter_map(|row| match &mut row.1 {
            Shown::Value(v) => Some(v),
            Shown::Formula(_) => None,
        });
        let computed = self.computed.as_mut_slice().iter_mut().flatten().map(|row| &mut row.0);
        let terms = self.formulas.iter_mut().chain(computed).flatten();
        let leaves = terms.filter_map(|term| match term {
            Term::Leaf(v) => Some(v),
            _ => None,
        });
        let forwards = self.forwards.as_mut_slice().iter_mut().flatten().map(|row| &mut row.0);
        shown.chain(leaves).chain(forwards).chain(self.versions.values_mut()).for_each(|v| *v = of(*v));
    }

    /// A formula of other tables becomes one of these.
    pub fn shown(&mut self, formula: Option<Formula>) -> Shown {
        match formula.as_deref() {
            None => Shown::Value(Value::undef(Type::Void)),
            Some(&[Term::Leaf(v)]) => Shown::Value(v),
            Some(_) => {
                self.formulas.extend(formula);
                Shown::Formula(self.formulas.len() as u32 - 1)
            }
        }
    }

    /// What stands for a variable now in code of a version, as far as something does: a value or a formula. `is_there`
    /// says whether an instruction still computes its result, and `made_of` what that is if it is only part of others.
    pub fn resolve(
        &self,
        shown: Shown,
        version: &Version,
        is_there: impl Fn(Inst) -> bool,
        made_of: impl Fn(Inst) -> Option<Formula>,
    ) -> Option<Formula> {
        let given = match &shown {
            Shown::Value(v) => &[Term::Leaf(*v)][..],
            Shown::Formula(row) => self.formulas.get(*row as usize)?.as_slice(),
        };
        // What is still to be followed, from which time on, the first term last.
        let mut open: Vec<(Term<Value>, u32)> = given.iter().rev().map(|&term| (term, 0)).collect();
        let (mut done, mut steps) = (Formula::new(), 0);
        while let Some((term, time)) = open.pop() {
            let Term::Leaf(v) = term else {
                done.push(term);
                continue;
            };
            match self.follow((v, time), version, &is_there, &mut steps)? {
                (v, time, false) => match v.as_inst().and_then(&made_of) {
                    Some(formula) => open.extend(formula.into_iter().rev().map(|term| (term, time))),
                    None => done.push(Term::Leaf(v)),
                },
                (v, time, true) => {
                    let (formula, at) = self.computed.get(v.as_inst()?)?.as_deref()?;
                    open.extend(formula.iter().rev().map(|&term| (term, time.max(*at))));
                }
            }
            if open.len() + done.len() > MOST_TERMS {
                return None;
            }
        }
        Some(done)
    }

    /// The value that stands for one from a time on, that time, and whether it has gone; in `steps` of all that is
    /// followed for one variable.
    fn follow(
        &self,
        (mut v, mut time): (Value, u32),
        version: &Version,
        is_there: impl Fn(Inst) -> bool,
        steps: &mut usize,
    ) -> Option<(Value, u32, bool)> {
        while *steps < LONGEST {
            *steps += 1;
            let Some(i) = v.as_inst() else { return Some((v, time, false)).filter(|row| !row.0.is_undef()) };
            if let Some((at, by)) = version.next(i, time) {
                (v, time) = (by, at);
                continue;
            }
            match self.forwards.get(i).copied().flatten() {
                Some((by, at)) if by.is_number() => return Some((by, at, false)),
                // Nothing uses it any more; what it is for, only the pass knows that did this.
                Some(_) if is_there(i) => return None,
                // What happened before to the other value did not happen to this one.
                Some((by, at)) => (v, time) = (by, time.max(at)),
                None => return Some((v, time, !is_there(i))),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::formula::Operator;

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
            let shown = Shown::Value(Value::inst(i));
            let formula =
                debug.resolve(shown, &debug.versions.in_version(0).unwrap(), |i| i == there, |_| None);
            match formula.as_deref() {
                Some(&[Term::Leaf(v)]) => Some(v),
                _ => None,
            }
        };
        assert_eq!(resolve(&debug, a, d), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, a, a), resolve(&debug, d, d)), (None, Some(Value::inst(d))));
        assert_eq!(resolve(&debug, b, b), Some(Value::bool(true)));
        assert_eq!((resolve(&debug, c, d), resolve(&debug, d, a)), (None, None));
        debug.forget(b);
        assert_eq!(resolve(&debug, a, d), None);
        let version = debug.versions.in_version(0).unwrap();
        let undef = Shown::Value(Value::undef(Type::I32));
        assert_eq!(debug.resolve(undef, &version, |_| true, |_| None), None);
    }

    #[test]
    fn what_has_gone_is_what_it_was_computed_from() {
        let [a, b, c]: [Inst; 3] = [0, 1, 2].map(Inst::new);
        let mut debug = DebugValues::default();
        let (leaf, plus) = (|i| Term::Leaf(Value::inst(i)), Term::Apply(Operator::Add));
        debug.compute(b, vec![leaf(a), Term::Number(1), plus]);
        debug.compute(c, vec![leaf(b), leaf(b), plus]);
        debug.compute(c, vec![Term::Number(7)]);
        let version = debug.versions.in_version(0).unwrap();
        let of = |there: &[Inst]| {
            let shown = Shown::Value(Value::inst(c));
            debug.resolve(shown, &version, |i| there.contains(&i), |_| None)
        };
        let step = [leaf(a), Term::Number(1), plus];
        assert_eq!(of(&[a]), Some([&step[..], &step, &[plus]].concat()));
        assert_eq!(of(&[a, b]), Some(vec![leaf(b), leaf(b), plus]));
        assert_eq!((of(&[a, b, c]), of(&[])), (Some(vec![leaf(c)]), None));
    }
}
