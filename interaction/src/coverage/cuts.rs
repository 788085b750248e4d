//! The cuts of a session: which number of the first events of each log is read.
//
// A trace has one order of the events of a session, its logs have as many as there are ways through the cuts.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A cut, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Cut(u32);

/// The logs of a session with the cuts that were come to.
pub(super) struct Cuts<'l, T> {
    logs: Vec<Vec<T>>,
    log_of: &'l dyn Fn(&T) -> usize,
    cuts: IndexSet<Box<[u32]>, FxBuildHasher>,
}

impl<'l, T: Copy + PartialEq> Cuts<'l, T> {
    /// The logs of a trace, and the cut before its first event.
    pub(super) fn new(word: &[T], log_of: &'l dyn Fn(&T) -> usize) -> (Cuts<'l, T>, Cut) {
        let mut logs: Vec<Vec<T>> = Vec::new();
        for event in word {
            let log = log_of(event);
            logs.resize_with(logs.len().max(log + 1), Vec::new);
            logs[log].push(*event);
        }
        let start = vec![0; logs.len()].into_boxed_slice();
        (Cuts { logs, log_of, cuts: IndexSet::from_iter([start]) }, Cut(0))
    }

    /// The next events of the logs.
    pub(super) fn next(&self, cut: Cut) -> Vec<T> {
        let read = self.logs.iter().zip(&self.cuts[cut.0 as usize]);
        read.filter_map(|(log, &read)| log.get(read as usize).copied()).collect()
    }

    /// Whether these are the next events of their logs.
    pub(super) fn can_read(&self, cut: Cut, events: &[T]) -> bool {
        let read = &self.cuts[cut.0 as usize];
        events.iter().enumerate().all(|(at, event)| {
            let log = (self.log_of)(event);
            let before = events[..at].iter().filter(|it| (self.log_of)(it) == log).count();
            self.logs.get(log).and_then(|it| it.get(read[log] as usize + before)) == Some(event)
        })
    }

    /// The cut after these events, which can be read.
    pub(super) fn after(&mut self, cut: Cut, events: &[T]) -> Cut {
        let mut read = self.cuts[cut.0 as usize].clone();
        events.iter().for_each(|event| read[(self.log_of)(event)] += 1);
        Cut(self.cuts.insert_full(read).0 as u32)
    }
}
