//! Wall time, for reports. Nothing that decides what is compiled may look at a clock.

use std::time::{Duration, Instant};

/// A running stopwatch.
#[derive(Copy, Clone, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
