//! Many sessions at once: in parallel, with results in input order, and a panic in one of them
//! contained to it.

use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The check of one item panicked: a bug, which must not take the other results with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {0}")]
pub struct Panicked(pub String);

/// Applies `check` to every item on the current thread pool. Each worker has its own scratch
/// memory, which is replaced after a panic, since it may be half-written.
pub fn check_all<T: Sync, S: Default + Send, R: Send>(
    items: &[T],
    check: impl Fn(&T, &mut S) -> R + Sync,
) -> Vec<Result<R, Panicked>> {
    items.par_iter().map_init(S::default, |scratch, item| guarded(item, scratch, &check)).collect()
}

fn guarded<T, S: Default, R>(
    item: &T,
    scratch: &mut S,
    check: &impl Fn(&T, &mut S) -> R,
) -> Result<R, Panicked> {
    let run = AssertUnwindSafe(|| check(item, scratch));
    catch_unwind(run).map_err(|payload| {
        *scratch = S::default();
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&s| s.to_owned()));
        Panicked(text.unwrap_or_else(|| "no message".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_one_result_and_the_order_stays() {
        let items: Vec<u32> = (0..500).collect();
        let results = check_all(&items, |&item, seen: &mut Vec<u32>| {
            seen.push(item);
            assert!(item != 77, "seventy-seven");
            item * 2
        });
        for (item, result) in items.iter().zip(results) {
            match result {
                Ok(double) => assert_eq!(double, item * 2),
                Err(Panicked(text)) => assert_eq!((*item, text.as_str()), (77, "seventy-seven")),
            }
        }
    }
}
