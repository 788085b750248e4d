//! Which multi-traces are new, and when to give up looking for another one.

use crate::trace::MultiTrace;
use rustc_hash::FxHashSet;

/// So many in a row that are not new, and no other is expected to come.
const MAX_MISSES: usize = 2_000;

/// The multi-traces so far.
#[derive(Debug)]
pub(super) struct Fresh {
    /// Without it, all are new.
    seen: Option<FxHashSet<MultiTrace>>,
    misses: usize,
}

impl Fresh {
    pub(super) fn new(duplicates: bool) -> Fresh {
        Fresh { seen: (!duplicates).then(FxHashSet::default), misses: 0 }
    }

    /// Whether a multi-trace is new; it is not any more.
    pub(super) fn accept(&mut self, trace: &MultiTrace) -> bool {
        let new = self.seen.as_mut().is_none_or(|seen| seen.insert(trace.clone()));
        self.misses = if new { 0 } else { self.misses + 1 };
        new
    }

    /// Counts one that could not be made.
    pub(super) fn miss(&mut self) {
        self.misses += 1;
    }

    /// Whether there have been none for long.
    pub(super) fn is_hopeless(&self) -> bool {
        self.misses >= MAX_MISSES
    }
}
