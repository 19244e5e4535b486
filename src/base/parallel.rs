//! Jobs in parallel, results in job order: on own threads or a client's. The only file that names rayon; without the
//! feature `parallel` there are no own threads.

use super::{crash, trace};
use std::cmp::Reverse;
use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Does a job on each of a client's threads, and comes back when all have done it.
pub type OnEach = dyn Fn(&(dyn Fn() + Sync)) + Send + Sync;

/// Threads that wait for work.
enum Pool {
    #[cfg(feature = "parallel")]
    Own(Threads),
    Client(Box<OnEach>),
}

/// Own threads, and what waits for their end, where a client wants them to have ended.
#[cfg(feature = "parallel")]
struct Threads {
    /// There up to the end.
    pool: Option<rayon::ThreadPool>,
    handles: Vec<std::thread::JoinHandle<()>>,
}

#[cfg(feature = "parallel")]
impl Drop for Threads {
    fn drop(&mut self) {
        // They end where the pool does, and no thread waits for itself.
        let Some(pool) = self.pool.take() else { return };
        let is_outside = pool.current_thread_index().is_none();
        drop(pool);
        for handle in self.handles.drain(..).filter(|_| is_outside) {
            // A thread that has panicked has ended, too.
            _ = handle.join();
        }
    }
}

impl Pool {
    #[cfg(feature = "parallel")]
    fn new(jobs: usize, joined: bool) -> Option<Pool> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).thread_name(|k| format!("sysyc-{k}"));
        if !joined {
            let pool = Some(pool.build().ok()?);
            return Some(Pool::Own(Threads { pool, handles: Vec::new() }));
        }
        let handles = Mutex::new(Vec::with_capacity(jobs));
        let pool = pool.spawn_handler(|thread| {
            let named = std::thread::Builder::new().name(thread.name().unwrap_or_default().to_string());
            let handle = named.spawn(|| thread.run())?;
            handles.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
            Ok(())
        });
        let pool = Some(pool.build().ok()?);
        let handles = handles.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some(Pool::Own(Threads { pool, handles }))
    }

    #[cfg(not(feature = "parallel"))]
    fn new(_: usize, _: bool) -> Option<Pool> {
        None
    }

    /// What each thread makes of it.
    fn all<R: Send>(&self, run: impl Fn() -> R + Sync) -> Vec<R> {
        match self {
            #[cfg(feature = "parallel")]
            Pool::Own(threads) => match &threads.pool {
                Some(pool) => pool.broadcast(|_| run()),
                // `drop` alone takes the pool out, so there is one; that is no reason to panic.
                None => vec![run()],
            },
            Pool::Client(on_each) => {
                // Whatever the client makes of panics, and however often it does the job: it is done to its end here.
                let (done, failed) = (Mutex::new(Vec::new()), Mutex::new(None));
                let job = || match catch_unwind(AssertUnwindSafe(&run)) {
                    Ok(result) => done.lock().unwrap_or_else(PoisonError::into_inner).push(result),
                    Err(panic) => *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic),
                };
                on_each(&job);
                job();
                if let Some(panic) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    resume_unwind(panic);
                }
                done.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }
}

/// How many workers there are. Copies have the same threads.
#[derive(Clone)]
pub struct Workers {
    pool: Option<Arc<Pool>>,
    jobs: usize,
}

impl Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} workers", self.jobs)
    }
}

impl Workers {
    /// `jobs` workers; 1 never starts a thread, and neither does a system that refuses to give any.
    pub fn new(jobs: usize) -> Self {
        Workers::of(jobs, false)
    }

    /// The same, whose threads have ended when the last copy goes: for clients that unload a library, or count threads. A
    /// command that ends does not wait for them.
    pub fn joined(jobs: usize) -> Self {
        Workers::of(jobs, true)
    }

    fn of(jobs: usize, joined: bool) -> Self {
        let jobs = jobs.clamp(1, 1024);
        let pool = if jobs > 1 { Pool::new(jobs, joined) } else { None };
        Workers { pool: pool.map(Arc::new), jobs }
    }

    /// The threads of a client, and the one that waits for them.
    pub fn of_client(on_each: Box<OnEach>) -> Self {
        Workers { pool: Some(Arc::new(Pool::Client(on_each))), jobs: 1 }
    }

    /// Number of workers asked for.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Applies `run` to every item, giving each worker a scratch made by `scratch`; results come in item
    /// order whatever the schedule was. Items are handed out one at a time, in order: they may differ in size
    /// by orders.
    pub fn map<T: Send, S, R: Send>(
        &self,
        items: &mut [T],
        scratch: impl Fn() -> S + Sync + Send,
        run: impl Fn(&mut S, usize, &mut T) -> R + Sync + Send,
    ) -> Vec<R> {
        self.map_by_size(items, |_, _| 0, scratch, run)
    }

    /// The same, with the large items handed out first, so that none is begun when the others are nearly
    /// done.
    pub fn map_by_size<T: Send, S, R: Send>(
        &self,
        items: &mut [T],
        size: impl Fn(usize, &T) -> usize,
        scratch: impl Fn() -> S + Sync + Send,
        run: impl Fn(&mut S, usize, &mut T) -> R + Sync + Send,
    ) -> Vec<R> {
        let phase = crash::activity().phase;
        let Some(pool) = self.pool.as_ref().filter(|_| items.len() > 1) else {
            let mut scratch = scratch();
            trace::begin_batch(phase);
            let each = |(index, item)| run(&mut scratch, index, item);
            let results = items.iter_mut().enumerate().map(each).collect();
            trace::end_batch();
            trace::switch(phase, None);
            return results;
        };
        let sizes: Vec<usize> = items.iter().enumerate().map(|(index, item)| size(index, item)).collect();
        let order = large_first(&sizes);
        // The thread that takes a number of `next` owns the item that has it; the lock is never waited for.
        let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        trace::wait();
        let done: Vec<Vec<(usize, R)>> = pool.all(|| {
            trace::begin_batch(phase);
            let mut mine = Vec::new();
            let mut own = None;
            while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut item = items[index].lock().unwrap_or_else(PoisonError::into_inner);
                mine.push((index, run(own.get_or_insert_with(&scratch), index, &mut item)));
            }
            trace::flush();
            mine
        });
        let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
        for (index, result) in done.into_iter().flatten() {
            results[index] = Some(result);
        }
        results.into_iter().flatten().collect()
    }
}

/// Scratch that outlives a map, for the workers of the next.
#[derive(Debug, Default)]
pub struct Shelf<S>(Mutex<Vec<S>>);

impl<S: Default> Shelf<S> {
    /// A scratch from the shelf, or a new one. It comes back when it is dropped.
    pub fn take(&self) -> Lent<'_, S> {
        Lent { shelf: self, own: self.0.lock().unwrap_or_else(PoisonError::into_inner).pop() }
    }

    /// Everything that is on the shelf.
    pub fn into_all(self) -> Vec<S> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scratch that belongs to a shelf.
#[derive(Debug)]
pub struct Lent<'a, S: Default> {
    shelf: &'a Shelf<S>,
    /// What was taken; none until a new one is needed.
    own: Option<S>,
}

impl<S: Default> Lent<'_, S> {
    /// The scratch.
    pub fn get(&mut self) -> &mut S {
        self.own.get_or_insert_default()
    }
}

impl<S: Default> Drop for Lent<'_, S> {
    fn drop(&mut self) {
        if let Some(own) = self.own.take() {
            self.shelf.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        }
    }
}

/// One in so many parts of the work is a large item.
const LARGE: usize = 1024;

/// The numbers of items in the order in which they are begun: the large ones by size, and then the others as
/// they stand. What stands together is in the cache together; by size, a million lines took 12% more of the
/// processor's time.
fn large_first(sizes: &[usize]) -> Vec<usize> {
    let large = sizes.iter().sum::<usize>() / LARGE;
    let (mut order, others): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|&k| sizes[k] > large);
    order.sort_by_key(|&k| Reverse(sizes[k]));
    order.extend(others);
    order
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

    #[test]
    fn threads_of_a_client_do_the_same_however_often_it_does_the_job() {
        for times in [0, 1, 3] {
            let on_each = move |job: &(dyn Fn() + Sync)| {
                std::thread::scope(|scope| (0..times).for_each(|_| _ = scope.spawn(job)));
            };
            let workers = Workers::of_client(Box::new(on_each));
            let mut items: Vec<u64> = (0..500).collect();
            let twice = workers.map(&mut items, || (), |(), _, item| 2 * *item);
            assert_eq!(twice, (0..500).map(|k| 2 * k).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_shelf_keeps_what_was_taken_from_it() {
        let shelf: Shelf<Vec<u8>> = Shelf::default();
        shelf.take().get().push(3);
        let (mut first, mut second) = (shelf.take(), shelf.take());
        assert_eq!((first.get().as_slice(), second.get().as_slice()), (&[3][..], &[][..]));
    }

    #[test]
    fn large_items_are_first_by_size_and_others_stay_as_they_are() {
        assert_eq!(large_first(&[3, 9, 1, 9, 3]), [1, 3, 0, 4, 2]);
        let mut sizes = vec![1; 3000];
        (sizes[7], sizes[70]) = (50, 500);
        assert_eq!(large_first(&sizes)[..4], [70, 7, 0, 1]);
        assert_eq!(large_first(&[0, 0]), [0, 1]);
        let mut items = [3usize, 9, 1, 9];
        let results = Workers::new(2).map_by_size(&mut items, |_, &item| item, || (), |(), index, _| index);
        assert_eq!(results, [0, 1, 2, 3]);
    }
}
