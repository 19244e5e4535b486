//! What a machine pass is, and what is asked of a list of them: print before and after, leave out, stop
//! behind, verify.
//!
//! A pass is a row with the states that it takes a function from and to (`mir/mod.rs`), the levels at which it runs, the
//! analyses that it needs and those that it leaves true (`mir/analyses.rs`); rows stand in order, and a new pass is one
//! more. What a row runs on is up to its owner, which walks over the rows: `Watch` says what to do around each. Passes are
//! named as in their rows; `mir` names all of them. O(1) a pass, where nothing is asked for.

use super::analyses::{Analyses, Needs};
use super::verify::{verify_allocated, verify_selected};
use super::{Func, Machine};

/// How far a function is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// There is IR only.
    Ir,
    /// Virtual registers in SSA form.
    Selected,
    /// Physical registers.
    Allocated,
    /// Slots have offsets in the frame.
    Framed,
    /// Real instructions with legal immediates, prologue and epilogues in place.
    Final,
    /// Every branch in reach.
    Placed,
}

/// A pass over the machine IR of one function.
#[derive(Debug)]
pub struct MachinePass {
    /// What dumps, flags and reports call it.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// The state that it takes a function from, and to.
    pub from: State,
    /// See `from`.
    pub to: State,
    /// True if code is right without it, too.
    pub optional: bool,
    /// The levels that have it in their plan.
    pub levels: Levels,
    /// What is known of the graph when it starts.
    pub needs: Needs,
    /// What of that is still so behind it.
    pub keeps: Needs,
}

/// A set of levels of optimisation, a bit each.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Levels(u8);

impl Levels {
    /// Every level.
    pub const ALL: Levels = Levels::FROM[0];
    /// By number: this level and those above it. Small code, 4 and 5, has what -O2 has.
    pub const FROM: [Levels; 4] = [Levels(!0), Levels(!1), Levels(!3), Levels(1 << 3)];

    /// True if a level is in it, by its number.
    pub const fn has(self, level: u8) -> bool {
        self.0 >> level & 1 != 0
    }
}

impl MachinePass {
    /// A pass of every level that code needs and that changes edges.
    pub const fn new(name: &'static str, description: &'static str, from: State, to: State) -> MachinePass {
        let (levels, needs, keeps) = (Levels::ALL, Needs::NONE, Needs::NONE);
        MachinePass { name, description, from, to, optional: false, levels, needs, keeps }
    }

    /// The same, without which code is right, too.
    pub const fn optional(self) -> MachinePass {
        MachinePass { optional: true, ..self }
    }

    /// The same, from a level on.
    pub const fn from_level(self, level: usize) -> MachinePass {
        MachinePass { levels: Levels::FROM[level], ..self }
    }

    /// The same, with these analyses at hand.
    pub const fn needs(self, needs: Needs) -> MachinePass {
        MachinePass { needs, ..self }
    }

    /// The same, leaving these as they are.
    pub const fn keeps(self, keeps: Needs) -> MachinePass {
        MachinePass { keeps, ..self }
    }

    /// True if the plan of a level has it.
    pub const fn runs_at(&self, level: u8) -> bool {
        self.levels.has(level)
    }
}

/// A set of passes by their place in the list.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Places(u32);

impl Places {
    fn of<'a>(list: &[String], passes: impl Iterator<Item = &'a MachinePass>) -> Places {
        let is_named = |pass: &MachinePass| list.iter().any(|name| name == pass.name || name == "mir");
        let named = passes.enumerate().filter(|(_, pass)| is_named(pass));
        Places(named.fold(0, |set, (k, _)| set | 1 << k))
    }

    fn has(self, k: usize) -> bool {
        self.0 >> k & 1 != 0
    }
}

/// What is asked of a list of passes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    before: Places,
    after: Places,
    disabled: Places,
    stop: Places,
    /// Check the rules of the state behind each pass.
    pub verify: bool,
}

impl Watch {
    /// From names on the command line; other names are other passes' and mean nothing here.
    pub fn of<'a>(
        passes: impl Iterator<Item = &'a MachinePass> + Clone,
        before: &[String],
        after: &[String],
        disabled: &[String],
        stop: &[String],
    ) -> Watch {
        Watch {
            before: Places::of(before, passes.clone()),
            after: Places::of(after, passes.clone()),
            disabled: Places::of(disabled, passes.clone()),
            stop: Places::of(stop, passes),
            verify: false,
        }
    }

    /// The same, with the rules of each state checked, or not.
    pub fn verifying(self, verify: bool) -> Watch {
        Watch { verify, ..self }
    }

    /// The same, without a word.
    pub fn silent(self) -> Watch {
        Watch { before: Places::default(), after: Places::default(), ..self }
    }

    /// True if functions are printed somewhere.
    pub fn prints(&self) -> bool {
        self.before.0 | self.after.0 != 0
    }

    /// True if pass `k` is the last.
    pub fn stops(&self, k: usize) -> bool {
        self.stop.has(k)
    }

    /// True if some pass is.
    pub fn stops_early(&self) -> bool {
        self.stop != Places::default()
    }

    /// What to do in front of pass `k`: print; false if it is left out.
    pub fn enter(
        &self,
        k: usize,
        pass: &MachinePass,
        show: impl FnOnce() -> String,
        out: &mut String,
    ) -> bool {
        if self.before.has(k) && pass.from != State::Ir {
            out.push_str(&format!("; before {}\n{}\n", pass.name, show()));
        }
        !(pass.optional && self.disabled.has(k))
    }

    /// What to do behind it: print, verify.
    pub fn leave(
        &self,
        k: usize,
        pass: &MachinePass,
        (func, machine, analyses): (&Func, &Machine, &Analyses),
        show: impl FnOnce() -> String,
        out: &mut String,
    ) -> Result<(), String> {
        if self.after.has(k) && pass.to != State::Ir {
            out.push_str(&format!("; after {}\n{}\n", pass.name, show()));
        }
        if !self.verify {
            return Ok(());
        }
        match pass.to {
            State::Selected => verify_selected(func, machine)?,
            State::Allocated if pass.from != State::Allocated => verify_allocated(func, machine)?,
            _ => {}
        }
        analyses.find_stale(func).map_or(Ok(()), |name| Err(format!("the {name} of blocks changed")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, print, toy};

    const fn pass(name: &'static str, from: State, to: State) -> MachinePass {
        MachinePass::new(name, "", from, to)
    }

    static PASSES: [MachinePass; 3] = [
        pass("select", State::Ir, State::Selected),
        pass("schedule", State::Selected, State::Selected).optional().from_level(1),
        pass("allocate", State::Selected, State::Allocated),
    ];

    #[test]
    fn passes_are_printed_left_out_stopped_and_verified_as_asked() {
        let machine = toy::machine();
        let func = parse::parse("mb0\n    entry\n    v0:i4 = li\n    ret v0@r1\n", &machine).unwrap();
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let run = |watch: Watch| {
            let (mut out, mut ran, analyses) = (String::new(), Vec::new(), Analyses::default());
            for (k, pass) in PASSES.iter().enumerate() {
                let show = || print::print(&func, &machine);
                if watch.enter(k, pass, show, &mut out) {
                    ran.push(pass.name);
                    if watch.leave(k, pass, (&func, &machine, &analyses), show, &mut out).is_err() {
                        ran.push("wrong");
                    }
                }
                if watch.stops(k) {
                    break;
                }
            }
            let heads: Vec<String> = out.lines().filter(|l| l.starts_with(';')).map(str::to_string).collect();
            (ran, heads)
        };
        let watch = |before: &[&str], after: &[&str], disabled: &[&str], stop: &[&str]| {
            Watch::of(PASSES.iter(), &list(before), &list(after), &list(disabled), &list(stop))
        };
        assert_eq!(run(watch(&[], &[], &[], &[])), (vec!["select", "schedule", "allocate"], vec![]));
        // Another level has another plan.
        assert_eq!([0, 1, 2].map(|level| PASSES[1].runs_at(level)), [false, true, true]);
        // What is left out may be the last all the same.
        assert_eq!(run(watch(&[], &[], &["schedule"], &["schedule"])).0, ["select"]);
        // What is not optional stays.
        assert_eq!(run(watch(&[], &[], &["mir"], &[])).0, ["select", "allocate"]);
        assert_eq!(run(watch(&[], &[], &[], &["select"])).0, ["select"]);
        let printed = run(watch(&["allocate"], &["select", "gvn"], &[], &[])).1;
        assert_eq!(printed, ["; after select", "; before allocate"]);
        // Nothing has been allocated.
        let verified = run(Watch { verify: true, ..watch(&[], &[], &[], &[]) });
        assert_eq!(verified.0, ["select", "schedule", "allocate", "wrong"]);
    }
}
