//! What a thread is doing, so that a bug can be reported with the pass and the function it stands in.
//!
//! Setting it costs two stores into thread-local memory, and is done once per function and pass. Nothing but
//! the report of an internal error may read it; `trace` records it if that was asked for.

use super::trace;
use std::cell::Cell;

/// A phase or pass, and the function that is worked on, if it is one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Name of the phase or pass.
    pub phase: &'static str,
    /// Number of the function (of `ir::FuncId`); none where it works on the whole program.
    pub function: Option<u32>,
}

thread_local! {
    static ACTIVITY: Cell<Activity> = const { Cell::new(Activity { phase: "", function: None }) };
}

/// Says what the thread does from now on.
#[inline]
pub fn enter(phase: &'static str, function: Option<u32>) {
    ACTIVITY.set(Activity { phase, function });
    trace::switch(phase, function);
}

/// What the thread does.
pub fn activity() -> Activity {
    ACTIVITY.get()
}

/// Runs one phase, and says so.
pub fn phase<R>(name: &'static str, run: impl FnOnce() -> R) -> R {
    enter(name, None);
    let result = run();
    trace::switch("", None);
    result
}
