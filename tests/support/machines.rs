//! The machines that random programs are compiled for: each target as it is unless told otherwise, and with vectors where
//! those are an extension. What passes make of a loop differs between all of them.

// A name that does not exist is a mistake in this table.
#![allow(clippy::expect_used)]

use sysyc::isa::features::{default_of, parse};
use sysyc::isa::{TARGETS, Target};
use sysyc::mir::Features;
use sysyc::opt::run::manager::Options;

/// The target by its row in `TARGETS`, and what `-march=` says; the first three are the targets.
pub(crate) const MACHINES: [(usize, Option<&str>); 5] =
    [(0, None), (1, None), (2, None), (0, Some("rv64gcv")), (2, Some("armv7ve+neon"))];

/// The target of a machine, and its features.
pub(crate) fn machine(number: usize) -> (&'static Target, Features) {
    let (target, machine) = MACHINES[number];
    let target = TARGETS[target];
    let features = machine.map_or(default_of(target), |machine| parse(target, machine).expect("a machine"));
    (target, features)
}

/// What passes are told of a machine.
pub(crate) fn options(number: usize) -> Options {
    let (target, features) = machine(number);
    Options { target: (target.facts)(features), ..Options::default() }
}

/// All machines of a kind of program: one without vectors and one with them take turns where there are two.
pub(crate) fn of_program(number: u64) -> [usize; 3] {
    if number.is_multiple_of(2) { [0, 1, 2] } else { [3, 1, 4] }
}
