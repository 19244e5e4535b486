//! Threads that compile, and how compilation is cancelled.

use crate::base::parallel::Workers;
use crate::base::stop::Stop;
use std::fmt;

/// Threads for any number of compilations: own ones, which wait between them, or those of the client. What comes out is
/// the same for any. Copies have the same threads.
///
/// ```
/// use sysyc::backend::{Level, Module, Options, Pool, Target};
///
/// let text = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
/// let module = Module::parse(text, Target::new("riscv64")?)?;
/// let own = Options::at(Level::O2).pool(&Pool::new(2));
/// // With rayon it is `move |job| { pool.broadcast(|_| job()); }`.
/// let threads = Pool::of(|job| std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(job))));
/// let clients = Options::at(Level::O2).pool(&threads);
/// assert_eq!(module.clone().compile(&own)?.to_elf()?, module.compile(&clients)?.to_elf()?);
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
#[derive(Clone)]
pub struct Pool {
    pub(super) workers: Workers,
}

impl Pool {
    /// So many threads; 1 starts none, and the caller's does the work. (Nor are there any without the feature `parallel`.)
    /// They have ended when the last copy goes.
    pub fn new(threads: usize) -> Pool {
        Pool { workers: Workers::joined(threads) }
    }

    /// Threads of the client. `on_each` gets a job that any number of them may do at the same time, and comes back
    /// when those that have begun it are done; the thread that asks for a compilation does it, too. Jobs of one
    /// compilation come one after the other.
    pub fn of(on_each: impl Fn(&(dyn Fn() + Sync)) + Send + Sync + 'static) -> Pool {
        Pool { workers: Workers::of_client(Box::new(on_each)) }
    }

    pub(crate) fn workers(&self) -> Workers {
        self.workers.clone()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool")
    }
}

/// Cancels compilations from any thread: once `cancel` is called, those that look at it end soon with an error of the
/// kind `Cancelled`. They look between functions, and between passes of a function. Copies are the same token.
#[derive(Clone, Debug)]
pub struct CancelToken {
    pub(super) stop: Stop,
}

impl Default for CancelToken {
    fn default() -> CancelToken {
        CancelToken { stop: Stop::new() }
    }
}

impl CancelToken {
    /// A token that has not been used.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// Cancels what looks at it, now and later.
    pub fn cancel(&self) {
        self.stop.set();
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// True if it has been used.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_set()
    }
}
