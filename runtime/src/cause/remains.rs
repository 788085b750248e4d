//! The rest of a session without its local findings: each log without unknown events, cut before its first impossible
//! one.
//
// Idea: a fault in one log must not hide another one that only all logs together show. So the search runs on the rests
// of the logs: a log that was cut is open at its end, since nobody knows the events that should have followed.
//
// Invariant: if the rest is not accepted, then no change of the local findings makes the session
// accepted, as long as it only changes the logs from the first impossible event on and deletes
// unknown events. So a failure of the search is certain, and it is another fault.
//
// Cost: a copy of the session, of failures with a local finding, in memory that is kept.

use multitrace_interaction::{Cause, Frontier, Id, LetterId, Observation, Session};

/// A session without its local findings.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    pub(crate) session: Session,
    /// The mode to search it in.
    pub(crate) observation: Observation,
    /// Per location, whether its log may go on after the rest.
    pub(crate) open_ends: Vec<bool>,
    /// Per location, the index in its log of each event that remains, and of the end.
    indices: Vec<Vec<usize>>,
    lengths: Vec<usize>,
}

impl Remains {
    /// Becomes the rest of a session that has local findings, from the cuts of its logs. The copy has no name.
    pub(crate) fn keep(
        &mut self,
        session: &Session,
        cuts: &[Option<usize>],
        observation: Observation,
    ) {
        self.observation = observation;
        self.open_ends.clear();
        self.open_ends.extend(cuts.iter().map(Option::is_some));
        self.lengths.clear();
        self.lengths.extend(session.trace.iter().map(Vec::len));
        self.session.trace.resize_with(session.trace.len(), Vec::new);
        self.indices.resize_with(session.trace.len(), Vec::new);
        for (location, (local, cut)) in session.trace.iter().zip(cuts).enumerate() {
            self.keep_log(location, local, *cut);
        }
        self.settle_observation(session);
    }

    fn keep_log(&mut self, location: usize, local: &[LetterId], cut: Option<usize>) {
        let (own, indices) = (&mut self.session.trace[location], &mut self.indices[location]);
        let end = cut.unwrap_or(local.len());
        own.clear();
        indices.clear();
        for (index, &letter) in local[..end].iter().enumerate() {
            if letter != LetterId::UNKNOWN {
                own.push(letter);
                indices.push(index);
            }
        }
        indices.push(end);
    }

    /// Whether a log is missing is decided on the session as given: one that is empty only now is
    /// not. Where a log was cut, the others did not stop at that moment.
    fn settle_observation(&mut self, session: &Session) {
        let is_cut = self.open_ends.contains(&true);
        match self.observation {
            Observation::Missing => {
                self.observation = Observation::Complete;
                for (open, local) in self.open_ends.iter_mut().zip(&session.trace) {
                    *open |= local.is_empty();
                }
            }
            Observation::GlobalPrefix if is_cut => self.observation = Observation::Prefix,
            _ => {}
        }
    }

    /// A cause found in the rest, in terms of the session as given.
    pub(crate) fn restore(&self, mut cause: Cause) -> Cause {
        if let Cause::Inter(frontier) | Cause::Central(frontier) = &mut cause {
            self.restore_frontier(frontier);
        }
        cause
    }

    fn restore_frontier(&self, frontier: &mut Frontier) {
        for (location, entry) in frontier.locations.iter_mut().enumerate() {
            entry.index = self.indices[location][entry.index];
            entry.length = self.lengths[location];
        }
        for event in &mut frontier.cycle {
            event.index = self.indices[event.location.index()][event.index];
        }
    }
}
