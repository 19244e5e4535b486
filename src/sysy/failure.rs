//! Why nothing came out: faults of the program, of the system, and bugs of ours.

use crate::base::Handle;
use crate::base::crash::Activity;
use crate::ir::{Env, FuncId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Why nothing came out.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors, which were shown.
    Program,
    /// A file or another program is to blame.
    System(String),
    /// With `--run`: the program did what it may not, which was shown.
    Trap,
    /// We are to blame.
    Internal(Bug),
}

/// A bug of ours.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    /// What went wrong.
    pub message: String,
    /// Where in our source, if a panic told.
    pub place: String,
    /// What was being done.
    pub activity: Activity,
    /// Name of the function that was worked on, if it is known.
    pub function: String,
    /// Its IR, and what else helps; goes to the report only.
    pub details: String,
}

/// What the last panic said: a hook has nowhere else to put it. The first one counts.
static PANIC: Mutex<Option<Bug>> = Mutex::new(None);

/// Keeps what a panic says, for those that have set a hook.
pub fn note_panic(bug: Bug) {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(bug);
}

/// What the last panic said; nothing if there is no hook.
pub fn take_panic() -> Bug {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// What a panic while functions are worked on has to say, with the function's name, and its IR if `text` has
/// it.
pub fn describe(env: &Env, text: impl Fn(FuncId) -> Option<String>) -> Failure {
    let mut bug = take_panic();
    if let Some(func) = bug.activity.function.map(|k| FuncId::new(k as usize)) {
        bug.function = env.funcs.get(func).map_or("", |row| env.names.text(row.name)).to_string();
        // The tables may be in any state: what cannot be printed is not.
        if let Ok(Some(text)) = catch_unwind(AssertUnwindSafe(|| text(func))) {
            bug.details.push_str(&text);
        }
    }
    Failure::Internal(bug)
}
