//! Local findings of slices where no walk judges a log alone: there is neither a table of the location nor an automaton.
//
// Idea: an empty log is a slice of any log, so a log is possible alone exactly if the session with it and no other event
// is accepted. The beginning of a slice is a slice, so the first impossible event is found by halving.
//
// Invariant: each finding is certain. Constraints that are cut, and specifications that cannot be written
// as constraints, find nothing.
//
// Cost: clauses for each log, a logarithm of them for a log that is impossible, and as many as the location has letters.
// Failures only.

use crate::cause::local::LocalFindings;
use crate::decide::is_refuted_on_terms;
use crate::local_walk::LocalWalk;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{Id, LetterId, LocalFailure, LocationId, Observation, Session};

/// Adds the first impossible event of each log that no walk can judge.
pub(crate) fn add_findings(task: &Task<'_>, findings: &mut LocalFindings, scratch: &mut Scratch) {
    let mut alone = Alone {
        task,
        session: Session {
            trace: vec![Vec::new(); task.session.trace.len()],
            ..Session::default()
        },
        scratch,
    };
    for (number, location) in task.monitor.locations().enumerate() {
        if LocalWalk::new(task.monitor, location, Observation::Slice).is_blind()
            && let Some(failure) = alone.first_impossible(location)
        {
            findings.cuts[number] = Some(failure.index);
            findings.impossible.push(failure);
        }
    }
}

/// A session in which one location has a log.
struct Alone<'a, 't> {
    task: &'a Task<'t>,
    session: Session,
    scratch: &'a mut Scratch,
}

impl Alone<'_, '_> {
    fn first_impossible(&mut self, location: LocationId) -> Option<LocalFailure> {
        let log = &self.task.session.trace[location.index()];
        // The specification has no part in an unknown event, as in the walk of other logs.
        let known = |index: &usize| log[*index] != LetterId::UNKNOWN;
        let indexes: Vec<usize> = (0..log.len()).filter(known).collect();
        let letters: Vec<LetterId> = indexes.iter().map(|&index| log[index]).collect();
        if letters.is_empty() || !self.is_refused(location, &letters) {
            return None;
        }
        // `possible` events are not refused, and one more than `refused` are.
        let (mut possible, mut refused) = (0, letters.len() - 1);
        while possible < refused {
            let middle = (possible + refused) / 2;
            match self.is_refused(location, &letters[..=middle]) {
                true => refused = middle,
                false => possible = middle + 1,
            }
        }
        let expected = self.expected(location, &letters[..refused]);
        let (index, event) = (indexes[refused], Some(letters[refused]));
        Some(LocalFailure { location, index, event, expected })
    }

    /// The events that are possible behind a log.
    fn expected(&mut self, location: LocationId, log: &[LetterId]) -> Vec<LetterId> {
        let own = &self.task.monitor.local(location).letters;
        let is_possible =
            |&&letter: &&LetterId| !self.is_refused(location, &[log, &[letter]].concat());
        own.iter().filter(is_possible).copied().collect()
    }

    fn is_refused(&mut self, location: LocationId, log: &[LetterId]) -> bool {
        let own = &mut self.session.trace[location.index()];
        own.clear();
        own.extend_from_slice(log);
        // The plan has limits of its own, so that findings do not depend on the budget.
        let allowance = self.task.allowance.of_time_only();
        let task = Task { session: &self.session, open_ends: &[], allowance, ..*self.task };
        let is_refused = is_refuted_on_terms(&task, Observation::Slice, self.scratch);
        self.session.trace[location.index()].clear();
        is_refused
    }
}
