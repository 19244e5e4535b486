//! Whether what is being done is still wanted: a flag that a client sets, from any thread, and that long work looks at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that may be there. Once it is set, it stays set.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// One that can be set.
    pub fn new() -> Stop {
        Stop(Some(Arc::default()))
    }

    /// Sets it.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// True if it has been set. Who joins a thread that has seen it set sees it set, too.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
