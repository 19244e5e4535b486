//! Times of what is run again and again: the median of at least ten runs and at least a second, the quartiles around it, and
//! how much goes through in a second.
//!
//! Each run is timed by itself, without what makes its input and without dropping what it yields. It takes the place of a
//! library for benchmarks, whose 45 crates all builds of tests and benches compiled.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How much one run takes in.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) elements: u64,
    pub(crate) bytes: u64,
}

/// What the command line asks for.
pub(crate) struct Timer {
    /// Only benchmarks whose names hold one of these, if there are any.
    words: Vec<String>,
    /// Everything once: does it run?
    pub(crate) test: bool,
}

impl Timer {
    /// From the words behind the command; cargo's own is `--bench`.
    pub(crate) fn from(arguments: impl Iterator<Item = String>) -> Timer {
        let (options, words): (Vec<String>, _) = arguments.partition(|word| word.starts_with("--"));
        Timer { words, test: options.iter().any(|word| word == "--test") || options.is_empty() }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    /// Times `run` on what `input` makes, and prints a line.
    pub(crate) fn time<T, R>(
        &self,
        name: &str,
        size: Size,
        mut input: impl FnMut() -> T,
        mut run: impl FnMut(&mut T) -> R,
    ) {
        if !self.is_wanted(name) {
            return;
        }
        let mut once = || {
            let mut given = input();
            let start = Instant::now();
            let result = black_box(run(black_box(&mut given)));
            let took = start.elapsed();
            drop(result);
            took
        };
        let first = once();
        if self.test {
            println!("{name:48} runs, in {first:.1?}");
            return;
        }
        // The first runs meet cold caches, and memory that the system has to find.
        until(Duration::from_millis(200), 1, &mut once);
        let mut times = until(Duration::from_secs(1), 10, &mut once);
        times.sort_unstable();
        let at = |quarter: usize| times[(times.len() - 1) * quarter / 4];
        let a_second = |count: u64| count as f64 / at(2).as_secs_f64() / 1e6;
        println!(
            "{name:48} {:>10.1?} ({:.1?} to {:.1?}, {} runs) {:9.2} MB/s {:9.3} million elements/s",
            at(2),
            at(1),
            at(3),
            times.len(),
            a_second(size.bytes),
            a_second(size.elements)
        );
    }
}

/// The times of runs, until so much time has gone into them, and so many there are.
fn until(whole: Duration, least: usize, once: &mut impl FnMut() -> Duration) -> Vec<Duration> {
    let mut times = Vec::new();
    while times.len() < least || times.iter().sum::<Duration>() < whole {
        times.push(once());
    }
    times
}
