//! Many sessions at once: in parallel, with results in input order, and a panic in one of them
//! contained to it.

use rayon::prelude::*;
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The check of one session panicked: a bug, which must not take the other results with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {0}")]
pub struct Panicked(pub String);

/// Runs on a pool of this many threads; 0 means one for each processor. Where the system starts fewer, fewer do the work, and at
/// last the current one alone, which does it on a target without threads, too.
pub fn in_pool<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    if cfg!(target_family = "wasm") {
        return run();
    }
    let most = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut threads = if threads == 0 { most } else { threads };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads);
    loop {
        let built = match threads {
            0 => pool(1).use_current_thread().build(),
            threads => pool(threads).build(),
        };
        match built {
            Ok(pool) => return pool.install(run),
            Err(_) if threads > 0 => threads /= 2,
            // No thread, and this one is part of another pool.
            Err(_) => return run(),
        }
    }
}

/// The state that each thread of a pool keeps from one batch to the next.
#[derive(Debug)]
pub struct Workers<S>(Vec<Mutex<S>>);

impl<S: Send> Workers<S> {
    /// One state for each of `threads` threads.
    pub fn new(threads: usize, make: impl Fn() -> S) -> Workers<S> {
        Workers((0..threads.max(1)).map(|_| Mutex::new(make())).collect())
    }

    /// The same with states that may not be available.
    ///
    /// # Errors
    /// When `make` fails.
    pub fn try_new<E>(threads: usize, make: impl Fn() -> Result<S, E>) -> Result<Workers<S>, E> {
        let states = (0..threads.max(1)).map(|_| make().map(Mutex::new));
        Ok(Workers(states.collect::<Result<_, E>>()?))
    }

    /// Applies `work` to every item on the current thread pool; the results are in the order of
    /// the items.
    pub fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &mut S) -> R + Sync,
    ) -> Vec<R> {
        let on_thread = |item| work(item, &mut self.of_this_thread());
        items.par_iter().with_max_len(1).map(on_thread).collect()
    }

    /// The same, but hands on the result of each item as soon as those before it have been handed on: by
    /// any thread, never two at once.
    //
    // Threads take the items in order, so that few results wait for one before them. Nobody waits to hand
    // on a result: whoever does so hands on all that are there, and results that come in between wait for the next one.
    // So `take` may itself use the thread pool.
    pub fn each_in_order<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T, &mut S) -> R + Sync,
        take: impl FnMut(&T, R) + Send,
    ) {
        let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::default()).collect();
        let taker = Mutex::new(Taker { items, results: &results, taken: 0, take });
        let next = AtomicUsize::new(0);
        (0..items.len()).into_par_iter().with_max_len(1).for_each(|_| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let result = work(&items[index], &mut self.of_this_thread());
            *locked(&results[index]) = Some(result);
            if let Ok(mut taker) = taker.try_lock() {
                taker.take_ready();
            }
        });
        taker.into_inner().unwrap_or_else(PoisonError::into_inner).take_ready();
    }

    /// The state of the current thread. Work that panicked half-way is replaced by `guarded`, so the state is usable.
    fn of_this_thread(&self) -> MutexGuard<'_, S> {
        locked(&self.0[rayon::current_thread_index().unwrap_or(0) % self.0.len()])
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands on results in the order of their items.
struct Taker<'a, T, R, F> {
    items: &'a [T],
    results: &'a [Mutex<Option<R>>],
    /// How many were handed on.
    taken: usize,
    take: F,
}

impl<T, R, F: FnMut(&T, R)> Taker<'_, T, R, F> {
    /// Hands on all results that are there, up to one that is not.
    fn take_ready(&mut self) {
        while let Some(result) = self.results.get(self.taken).and_then(|it| locked(it).take()) {
            (self.take)(&self.items[self.taken], result);
            self.taken += 1;
        }
    }
}

/// Runs a check on memory that is replaced after a panic, since it may be half-written.
///
/// # Errors
/// When the check panics.
pub fn guarded<S: Default, R>(
    state: &mut S,
    check: impl FnOnce(&mut S) -> R,
) -> Result<R, Panicked> {
    contained(|| check(state)).inspect_err(|_| *state = S::default())
}

/// Runs a function whose panic must not take other work with it. A value that it was changing may be half-written then;
/// the caller replaces it.
///
/// # Errors
/// When the function panics.
pub fn contained<R>(check: impl FnOnce() -> R) -> Result<R, Panicked> {
    let _containing = Containing::begin();
    catch_unwind(AssertUnwindSafe(check)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&s| s.to_owned()));
        Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}

thread_local! {
    /// How many calls of [`contained`] this thread is in.
    static CONTAINING: Cell<u32> = const { Cell::new(0) };
}

/// Whether a panic on this thread would be contained now. A panic hook need not print it then: it
/// becomes an error with a place.
pub fn is_contained() -> bool {
    CONTAINING.get() > 0
}

/// A call of [`contained`], until it is dropped.
struct Containing;

impl Containing {
    fn begin() -> Containing {
        CONTAINING.set(CONTAINING.get() + 1);
        Containing
    }
}

impl Drop for Containing {
    fn drop(&mut self) {
        CONTAINING.set(CONTAINING.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_one_result_and_the_order_stays() {
        let items: Vec<u32> = (0..500).collect();
        let workers = Workers::new(3, Vec::new);
        let results = workers.map(&items, |&item, seen: &mut Vec<u32>| {
            guarded(seen, |seen| {
                seen.push(item);
                assert!(item != 77, "seventy-seven");
                item * 2
            })
        });
        for (item, result) in items.iter().zip(results) {
            match result {
                Ok(double) => assert_eq!(double, item * 2),
                Err(Panicked(text)) => assert_eq!((*item, text.as_str()), (77, "seventy-seven")),
            }
        }
    }

    #[test]
    fn results_are_handed_on_in_order_whichever_is_ready_first() {
        let items: Vec<u64> = (0..200).collect();
        for threads in 1..5 {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let workers = Workers::new(threads, || 0_u64);
            let mut taken = Vec::new();
            // Some items take longer than those after them.
            let work = |&item: &u64, done: &mut u64| {
                *done += 1;
                let spin: u64 = (0..item * 7919 % 5_000).map(std::hint::black_box).sum();
                (item, std::hint::black_box(spin))
            };
            pool.install(|| {
                workers.each_in_order(&items, work, |&item, (of, _)| {
                    assert_eq!(item, of);
                    // It may use the pool.
                    let sum: u64 = (0..item).into_par_iter().sum();
                    assert_eq!(sum, item * item.saturating_sub(1) / 2);
                    taken.push(item);
                });
            });
            assert_eq!(taken, items);
            let done: u64 = workers.0.iter().map(|done| *locked(done)).sum();
            assert_eq!(done, 200);
        }
    }

    #[test]
    fn a_thread_knows_whether_it_is_contained() {
        assert!(!is_contained());
        let inner = contained(|| {
            let other = std::thread::spawn(is_contained).join().expect("no panic");
            let nested = contained(is_contained);
            (is_contained(), nested, other)
        });
        assert_eq!(inner, Ok((true, Ok(true), false)));
        assert!(contained(|| panic!("on purpose")).is_err());
        assert!(!is_contained());
    }
}
