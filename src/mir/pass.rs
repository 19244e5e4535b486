//! What a machine pass is, and what is asked of a list of them: print before and after, leave out, stop
//! behind, verify.
//!
//! A pass is a row with the states that it takes a function from and to (`mir/mod.rs`); rows stand in order,
//! and a new pass is one more. What a row runs on is up to its owner, which walks over the rows: `Watch` says
//! what to do around each. Passes are named as in their rows; `mir` names all of them. O(1) a pass, where
//! nothing is asked for.

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

    /// What to do behind it: print, verify; false if it is the last.
    pub fn leave(
        &self,
        k: usize,
        pass: &MachinePass,
        (func, machine): (&Func, &Machine),
        show: impl FnOnce() -> String,
        out: &mut String,
    ) -> Result<bool, String> {
        if self.after.has(k) && pass.to != State::Ir {
            out.push_str(&format!("; after {}\n{}\n", pass.name, show()));
        }
        match pass.to {
            State::Selected if self.verify => verify_selected(func, machine)?,
            State::Allocated if self.verify && pass.from != State::Allocated => {
                verify_allocated(func, machine)?
            }
            _ => {}
        }
        Ok(!self.stop.has(k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, print, toy};

    const fn pass(name: &'static str, from: State, to: State, optional: bool) -> MachinePass {
        MachinePass { name, description: "", from, to, optional }
    }

    static PASSES: [MachinePass; 3] = [
        pass("select", State::Ir, State::Selected, false),
        pass("schedule", State::Selected, State::Selected, true),
        pass("allocate", State::Selected, State::Allocated, false),
    ];

    #[test]
    fn passes_are_printed_left_out_stopped_and_verified_as_asked() {
        let machine = toy::machine();
        let func = parse::parse("mb0\n    entry\n    v0:i4 = li\n    ret v0@r1\n", &machine).unwrap();
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let run = |watch: Watch| {
            let (mut out, mut ran) = (String::new(), Vec::new());
            for (k, pass) in PASSES.iter().enumerate() {
                let show = || print::print(&func, &machine);
                if watch.enter(k, pass, show, &mut out) {
                    ran.push(pass.name);
                    match watch.leave(k, pass, (&func, &machine), show, &mut out) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(_) => ran.push("wrong"),
                    }
                }
            }
            let heads: Vec<String> = out.lines().filter(|l| l.starts_with(';')).map(str::to_string).collect();
            (ran, heads)
        };
        let watch = |before: &[&str], after: &[&str], disabled: &[&str], stop: &[&str]| {
            Watch::of(PASSES.iter(), &list(before), &list(after), &list(disabled), &list(stop))
        };
        assert_eq!(run(watch(&[], &[], &[], &[])), (vec!["select", "schedule", "allocate"], vec![]));
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
