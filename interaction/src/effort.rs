//! How much work and memory rewriting may take, counted, and when to stop it.
//
// Idea: every operation on terms counts the operands it touches, which is the same on every machine.
// A clock, or whatever else ends the work early, is asked now and then.
//
// Invariant: once the work is over, operations return at once with terms that mean nothing, and
// nothing is remembered of them. So a limit holds for one piece of work, whose result is thrown away if it was reached.

use std::sync::Arc;

/// Says whether to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// How many units of work pass between two questions whether to stop: some 10 microseconds.
const WORK_BETWEEN_QUESTIONS: u64 = 1 << 10;

/// How much work on terms may be done; by default any.
#[derive(Clone)]
pub struct WorkLimit {
    /// The most units of work. A unit is about one operand of one operation.
    pub work: u64,
    /// The most bytes of all terms and of the results remembered for them, about.
    pub bytes: usize,
    /// Says when to stop.
    pub stop: Option<Stop>,
}

impl WorkLimit {
    /// At most this many units of work.
    pub fn work(work: u64) -> WorkLimit {
        WorkLimit { work, ..WorkLimit::default() }
    }
}

impl Default for WorkLimit {
    fn default() -> WorkLimit {
        WorkLimit { work: u64::MAX, bytes: usize::MAX, stop: None }
    }
}

impl std::fmt::Debug for WorkLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkLimit").field("work", &self.work).finish_non_exhaustive()
    }
}

/// The work done, and its limit.
#[derive(Debug)]
pub(crate) struct Effort {
    done: u64,
    limit: WorkLimit,
    /// When to ask `stop` next, or to compare with the limit.
    next_look: u64,
    is_over: bool,
    /// Bytes that are kept until the end, whatever work made them.
    bytes: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        let limit = WorkLimit::default();
        Effort { done: 0, limit, next_look: u64::MAX, is_over: false, bytes: 0 }
    }
}

impl Effort {
    /// Starts counting from zero.
    pub(crate) fn begin(&mut self, limit: &WorkLimit) {
        let next_look = if limit.stop.is_some() { 0 } else { limit.work };
        let (limit, bytes) = (limit.clone(), self.bytes);
        *self = Effort { done: 0, next_look, is_over: bytes > limit.bytes, limit, bytes };
    }

    /// Ends work under a limit, and takes it from the limit; whether none was reached.
    pub(crate) fn end(&mut self, limit: &mut WorkLimit) -> bool {
        limit.work = limit.work.saturating_sub(self.done);
        let is_over = self.is_over;
        *self = Effort { bytes: self.bytes, ..Effort::default() };
        !is_over
    }

    /// Counts bytes that are kept.
    #[inline]
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.is_over |= self.bytes > self.limit.bytes;
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
        let WorkLimit { work: most, stop, .. } = &self.limit;
        let stops = stop.as_ref().is_some_and(|stop| stop());
        self.is_over |= stops || self.done > *most;
        self.next_look = match stop {
            Some(_) => (*most).min(self.done + WORK_BETWEEN_QUESTIONS),
            None => *most,
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
        let mut limit = WorkLimit::work(10);
        effort.begin(&limit);
        effort.spend(4);
        assert!(effort.end(&mut limit));
        assert_eq!(limit.work, 6);
        effort.begin(&limit);
        effort.spend(6);
        assert!(!effort.is_over());
        effort.spend(1);
        assert!(effort.is_over() && !effort.end(&mut limit) && !effort.is_over());
        effort.begin(&WorkLimit { stop: Some(Arc::new(|| true)), ..WorkLimit::default() });
        effort.spend(1);
        assert!(effort.is_over());
    }

    #[test]
    fn memory_is_over_for_all_work_to_come() {
        let mut effort = Effort::default();
        effort.keep(10);
        let mut limit = WorkLimit { bytes: 10, ..WorkLimit::default() };
        effort.begin(&limit);
        assert!(!effort.is_over());
        effort.keep(1);
        assert!(!effort.end(&mut limit));
        effort.begin(&limit);
        assert!(effort.is_over());
    }
}
