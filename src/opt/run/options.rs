//! What is asked of passes, and what they tell.

use crate::analysis::TargetFacts;
use crate::base::stop::Stop;
use crate::ir::Size;
use crate::opt::run::pass::{ModulePass, PassError};

/// What the command line asks of the passes. Passes are named as in their rows; `all` names every one.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Print functions before these passes.
    pub print_before: Vec<String>,
    /// Print functions after these passes.
    pub print_after: Vec<String>,
    /// Skip these passes.
    pub disable: Vec<String>,
    /// Skip everything behind the first run of this pass.
    pub stop_after: Option<String>,
    /// Of every function, do only as many applications of function passes that change something.
    pub bisect: Option<u32>,
    /// Verify after every pass, and compare every analysis that it says it kept with a new one.
    pub verify: bool,
    /// Keep what each pass changes of each function (`Function::history`).
    pub changes: bool,
    /// Keep what passes have to say (`Function::remarks`).
    pub remarks: bool,
    /// The functions of which something is printed or kept; all, if there are none.
    pub only: Vec<String>,
    /// What passes may know of the machine.
    pub target: TargetFacts,
    /// What counts of all code.
    pub size: Size,
    /// Count instructions for a report (times are `base/trace`'s).
    pub time_report: bool,
    /// Set if nothing of it is wanted any more: functions are left as they are then.
    pub stop: Stop,
}

impl Options {
    /// True if module passes need the IR of every function, although its code has been made.
    pub(super) fn keeps_bodies(&self) -> bool {
        let dumps =
            |pass: &&ModulePass| names(&self.print_before, pass.name) || names(&self.print_after, pass.name);
        self.verify || crate::opt::run::pipeline::MODULE_PASSES.iter().any(dumps)
    }

    /// True if something is to be printed or kept of this function.
    pub fn shows(&self, func: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == func)
    }

    /// A name in the options that is no pass, of these or of others that are known elsewhere.
    pub fn unknown_pass(&self, is_other: impl Fn(&str) -> bool) -> Option<&str> {
        let lists = self.print_before.iter().chain(&self.print_after).chain(&self.disable);
        let mut names = lists.chain(&self.stop_after).map(String::as_str);
        names.find(|&name| {
            name != "all" && !super::pipeline::passes().any(|(known, _)| known == name) && !is_other(name)
        })
    }
}

/// True if a list of passes names this one.
pub(super) fn names(list: &[String], pass: &str) -> bool {
    list.iter().any(|name| name == pass || name == "all")
}

/// What one pass of the plan did, over all functions.
#[derive(Copy, Clone, Debug)]
pub struct PassRow {
    /// The pass.
    pub name: &'static str,
    /// On how many functions it ran.
    pub runs: u32,
    /// How many of them it changed.
    pub changed: u32,
    /// Instructions before, over all runs.
    pub insts_in: u64,
    /// Instructions after.
    pub insts_out: u64,
}

impl PassRow {
    pub(super) fn new(name: &'static str) -> PassRow {
        PassRow { name, runs: 0, changed: 0, insts_in: 0, insts_out: 0 }
    }

    pub(super) fn add(&mut self, other: &PassRow) {
        self.runs += other.runs;
        self.changed += other.changed;
        self.insts_in += other.insts_in;
        self.insts_out += other.insts_out;
    }
}

/// What the passes have to tell.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// A row for each function pass of the plan, then one for each module pass; counts only if asked for.
    pub rows: Vec<PassRow>,
    /// What `print_before`, `print_after` and `bisect` print, as LLVM text and comments.
    pub dump: String,
}

/// What passes have to tell of one function.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) dump: String,
    pub(super) error: Option<PassError>,
}

impl Told {
    /// Nothing, if there is nothing to tell.
    pub(super) fn boxed(self) -> Option<Box<Told>> {
        let silent = self.dump.is_empty() && self.error.is_none();
        (!silent).then(|| Box::new(self))
    }
}
