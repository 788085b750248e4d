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
        names(alphabet, has_logged).map(str::to_owned).collect()
    }

    /// The names of all that could have logged something.
    pub(crate) fn all_names(alphabet: &Alphabet) -> BTreeSet<&str> {
        names(alphabet, |_| true).collect()
    }
}

/// The names of some locations and of their lifelines.
fn names(
    alphabet: &Alphabet,
    has: impl Fn(LocationId) -> bool + Copy,
) -> impl Iterator<Item = &str> {
    let locations = alphabet.locations().filter(move |it| has(*it));
    let locations = locations.map(|it| alphabet.location_name(it));
    let lifelines = alphabet.lifelines().filter(move |(_, it)| has(*it));
    locations.chain(lifelines.map(|(name, _)| name))
}
