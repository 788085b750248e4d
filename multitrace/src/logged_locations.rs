//! Which locations logged something in the sessions of a run.

use multitrace_interaction::{Alphabet, Id, LocationId, Session};
use std::collections::BTreeSet;

/// For each location whether it logged something.
#[derive(Debug, Default)]
pub(crate) struct LoggedLocations(Vec<bool>);

impl LoggedLocations {
    /// Adds those of a session.
    pub(crate) fn add(&mut self, session: &Session) {
        self.0.resize(self.0.len().max(session.trace.len()), false);
        for (logged, log) in self.0.iter_mut().zip(&session.trace) {
            *logged |= !log.is_empty();
        }
    }

    /// Adds those of other sessions.
    pub(crate) fn merge(&mut self, other: &LoggedLocations) {
        self.0.resize(self.0.len().max(other.0.len()), false);
        self.0.iter_mut().zip(&other.0).for_each(|(logged, more)| *logged |= more);
    }

    /// Their names, and those of their lifelines.
    pub(crate) fn names(&self, alphabet: &Alphabet) -> BTreeSet<String> {
        let has_logged = |location: LocationId| self.0.get(location.index()) == Some(&true);
        let locations = alphabet.locations().filter(|it| has_logged(*it));
        let locations = locations.map(|it| alphabet.location_name(it));
        let lifelines = alphabet.lifelines().filter(|(_, it)| has_logged(*it));
        locations.chain(lifelines.map(|(name, _)| name)).map(str::to_owned).collect()
    }
}
