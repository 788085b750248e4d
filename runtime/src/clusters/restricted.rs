//! A session restricted to the letters of a cluster, in memory that is kept.

use crate::search::question::Question;
use multitrace_interaction::{Id, LetterId, MultiTrace, Observation};

/// The memory for restricted sessions.
#[derive(Debug, Default)]
pub(crate) struct ClusterScratch {
    pub(crate) trace: MultiTrace,
    /// Per location, whether its log may go on after its end; empty if none may beyond what the mode
    /// says.
    pub(crate) open_ends: Vec<bool>,
    /// Nodes that were visited to order events.
    pub(crate) visits: u64,
}

impl ClusterScratch {
    /// Restricts the logs of a question to some letters.
    pub(crate) fn restrict(&mut self, question: &Question<'_>, has: &[bool]) {
        self.trace.resize_with(question.trace.len(), Vec::new);
        for (own, local) in self.trace.iter_mut().zip(question.trace) {
            own.clear();
            let is_own = |letter: &LetterId| has.get(letter.index()) == Some(&true);
            own.extend(local.iter().copied().filter(is_own));
        }
    }

    /// Notes which logs may go on after their end, and returns the mode of the restricted session.
    pub(crate) fn settle(&mut self, question: &Question<'_>) -> Observation {
        let is_missing = question.observation == Observation::Missing;
        self.open_ends.clear();
        if is_missing || !question.open_ends.is_empty() {
            let open = |location: usize| {
                let is_empty = question.trace[location].is_empty();
                question.open_ends.get(location) == Some(&true) || is_missing && is_empty
            };
            self.open_ends.extend((0..question.trace.len()).map(open));
        }
        if is_missing { Observation::Complete } else { question.observation }
    }
}
