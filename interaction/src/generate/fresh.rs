//! Which multi-traces are new, and when to give up looking for another.

use crate::trace::MultiTrace;
use rustc_hash::FxHashSet;

/// After this many multi-traces in a row that are not new, no new one is expected. A larger number
/// finds rarer ones and takes longer to end.
const MAX_MISSES: usize = 2_000;

/// The multi-traces so far.
#[derive(Debug)]
pub(super) struct Fresh {
    /// `None` if all count as new.
    seen: Option<FxHashSet<MultiTrace>>,
    misses: usize,
}

impl Fresh {
    pub(super) fn new(duplicates: bool) -> Fresh {
        Fresh { seen: (!duplicates).then(FxHashSet::default), misses: 0 }
    }

    /// Whether a multi-trace is new. It is known from then on.
    pub(super) fn accept(&mut self, trace: &MultiTrace) -> bool {
        let new = self.seen.as_mut().is_none_or(|seen| seen.insert(trace.clone()));
        self.misses = if new { 0 } else { self.misses + 1 };
        new
    }

    /// Counts a multi-trace that could not be made.
    pub(super) fn miss(&mut self) {
        self.misses += 1;
    }

    /// Whether the last `MAX_MISSES` multi-traces were all known.
    pub(super) fn is_hopeless(&self) -> bool {
        self.misses >= MAX_MISSES
    }
}
