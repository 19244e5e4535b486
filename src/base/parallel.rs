//! Jobs in parallel, results in job order. The only file that names rayon.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// How many workers there are.
#[derive(Debug)]
pub struct Workers {
    pool: Option<rayon::ThreadPool>,
    jobs: usize,
}

impl Workers {
    /// `jobs` workers; 1 never starts a thread, and neither does a system that refuses to give any.
    pub fn new(jobs: usize) -> Self {
        let jobs = jobs.clamp(1, 1024);
        let pool = if jobs > 1 {
            rayon::ThreadPoolBuilder::new()
                .num_threads(jobs)
                .thread_name(|k| format!("sysyc-{k}"))
                .build()
                .ok()
        } else {
            None
        };
        Workers { pool, jobs }
    }

    /// Number of workers asked for.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Applies `run` to every item, giving each worker a scratch made by `scratch`; results come in item order
    /// whatever the schedule was. Items are handed out one at a time: they may differ in size by orders.
    pub fn map<T: Send, S: Send, R: Send>(
        &self,
        items: &mut [T],
        scratch: impl Fn() -> S + Sync + Send,
        run: impl Fn(&mut S, usize, &mut T) -> R + Sync + Send,
    ) -> Vec<R> {
        let Some(pool) = self.pool.as_ref().filter(|_| items.len() > 1) else {
            let mut scratch = scratch();
            return items
                .iter_mut()
                .enumerate()
                .map(|(index, item)| run(&mut scratch, index, item))
                .collect();
        };
        // A scratch per thread, made when the thread first needs it. (`map_init` would make one per item here.)
        let scratches: Vec<Mutex<Option<S>>> = (0..self.jobs).map(|_| Mutex::new(None)).collect();
        pool.install(|| {
            items
                .par_iter_mut()
                .enumerate()
                .with_max_len(1)
                .map(|(index, item)| {
                    let thread = rayon::current_thread_index().unwrap_or(0) % self.jobs;
                    let mut mine = scratches[thread].lock().unwrap_or_else(PoisonError::into_inner);
                    run(mine.get_or_insert_with(&scratch), index, item)
                })
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_item_order_for_any_number_of_workers() {
        for jobs in [1, 2, 8] {
            let mut items: Vec<u64> = (0..500).collect();
            let squares = Workers::new(jobs).map(&mut items, Vec::<u64>::new, |scratch, index, item| {
                scratch.push(*item);
                *item += 1;
                index as u64 * *item
            });
            assert_eq!(squares, (0..500).map(|k| k * (k + 1)).collect::<Vec<u64>>());
            assert_eq!(items[499], 500);
        }
    }
}
