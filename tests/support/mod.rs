//! The parts of the suite runner, and what other integration tests share with it.

#[allow(dead_code)]
pub(crate) mod beside_c;
#[allow(dead_code)]
pub(crate) mod count;
#[allow(dead_code)]
pub(crate) mod front;
pub(crate) mod judge;
#[allow(dead_code)]
pub(crate) mod machines;
pub(crate) mod process;
#[allow(dead_code)]
pub(crate) mod reduce;
pub(crate) mod settings;
pub(crate) mod suite;
#[allow(dead_code)]
pub(crate) mod terminal;
pub(crate) mod toolchain;

use std::io::Write;

/// Prints a line past the test harness, which would hold it back until the end, or for good when the test
/// passes.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A closed stdout leaves no reader.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
