//! How much work and memory rewriting may take, counted, and when to stop it.
//
// Idea: every operation on terms counts the operands it touches, which is the same on every machine.
// A clock, or whatever else ends the work early, is asked now and then.
//
// Invariant: once the work is over, operations return at once with terms that mean nothing, and
// nothing is remembered of them. So whoever sets a limit asks afterwards whether it was reached, and
// throws the result away if so.

use std::sync::Arc;

/// Says whether to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// How many units of work pass between two questions whether to stop: some 10 microseconds.
const WORK_BETWEEN_QUESTIONS: u64 = 1 << 10;

/// The work done, and its limit.
pub(crate) struct Effort {
    done: u64,
    most: u64,
    stop: Option<Stop>,
    /// When to ask `stop` next, or to compare with the limit.
    next_look: u64,
    is_over: bool,
    /// Bytes that are kept until the end, whatever work made them.
    bytes: usize,
    most_bytes: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            done: 0,
            most: u64::MAX,
            stop: None,
            next_look: u64::MAX,
            is_over: false,
            bytes: 0,
            most_bytes: usize::MAX,
        }
    }
}

impl std::fmt::Debug for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Effort").field("done", &self.done).field("most", &self.most).finish()
    }
}

impl Effort {
    /// Starts counting from zero: up to this much work, and until `stop` says so.
    pub(crate) fn begin(&mut self, most: u64, stop: Option<Stop>) {
        let next_look = if stop.is_some() { 0 } else { most };
        let is_over = self.is_memory_over();
        let Effort { bytes, most_bytes, .. } = *self;
        *self = Effort { done: 0, most, stop, next_look, is_over, bytes, most_bytes };
    }

    /// Limits the bytes that are kept, those that are there already included.
    pub(crate) fn limit_memory(&mut self, most_bytes: usize) {
        self.most_bytes = most_bytes;
        self.is_over |= self.is_memory_over();
    }

    /// Counts bytes that are kept.
    #[inline]
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.is_over |= self.is_memory_over();
    }

    pub(crate) fn is_memory_over(&self) -> bool {
        self.bytes > self.most_bytes
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts some work.
    #[inline]
    pub(crate) fn spend(&mut self, units: usize) {
        self.done += units as u64;
        if self.done > self.next_look {
            self.look();
        }
    }

    /// Whether the limit was reached, or it was time to stop.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    #[cold]
    fn look(&mut self) {
        let stops = self.stop.as_ref().is_some_and(|stop| stop());
        self.is_over |= stops || self.done > self.most;
        self.next_look = match self.stop {
            Some(_) => self.most.min(self.done + WORK_BETWEEN_QUESTIONS),
            None => self.most,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_over_when_the_limit_is_passed_or_it_is_time_to_stop() {
        let mut effort = Effort::default();
        effort.spend(1 << 40);
        assert!(!effort.is_over());
        effort.begin(10, None);
        effort.spend(10);
        assert!(!effort.is_over());
        effort.spend(1);
        assert!(effort.is_over());
        effort.begin(u64::MAX, Some(Arc::new(|| true)));
        effort.spend(1);
        assert!(effort.is_over() && !effort.is_memory_over());
    }

    #[test]
    fn memory_is_over_for_all_work_to_come() {
        let mut effort = Effort::default();
        effort.keep(10);
        effort.limit_memory(10);
        assert!(!effort.is_over());
        effort.keep(1);
        assert!(effort.is_over() && effort.is_memory_over());
        effort.begin(u64::MAX, None);
        assert!(effort.is_over());
    }
}
