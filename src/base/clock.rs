//! Wall and processor time, for reports. Nothing that decides what is compiled may look at a clock.
//!
//! Only the command reports times: without the feature `cli` there are no clocks, and all times are zero.

pub use here::{Stopwatch, process_time, thread_time};

#[cfg(feature = "cli")]
mod here {
    use rustix::time::{ClockId, clock_gettime};
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

    /// The time for which this thread has run.
    pub fn thread_time() -> Duration {
        time_of(ClockId::ThreadCPUTime)
    }

    /// The time for which all threads of this process have run.
    pub fn process_time() -> Duration {
        time_of(ClockId::ProcessCPUTime)
    }

    fn time_of(clock: ClockId) -> Duration {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

#[cfg(not(feature = "cli"))]
mod here {
    use std::time::Duration;

    /// Shows no time.
    #[derive(Copy, Clone, Debug)]
    pub struct Stopwatch;

    impl Stopwatch {
        /// Does not start.
        pub fn start() -> Self {
            Stopwatch
        }

        /// No time.
        pub fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// No time.
    pub fn thread_time() -> Duration {
        Duration::ZERO
    }

    /// No time.
    pub fn process_time() -> Duration {
        Duration::ZERO
    }
}
