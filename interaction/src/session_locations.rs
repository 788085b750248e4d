//! The locations of a session by name: those of the alphabet, then those that only its logs name.

use crate::alphabet::Alphabet;
use crate::id::{Id, LocationId};
use crate::trace::Session;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Finds the locations of one session. A session may name a million places that the specification does not know, so
/// these are found by a table, made when the first one is asked for.
#[derive(Clone, Debug)]
pub struct SessionLocations<'s> {
    session: &'s Session,
    alphabet: &'s Alphabet,
    foreign: OnceCell<HashMap<&'s str, usize>>,
}

impl<'s> SessionLocations<'s> {
    /// Those of a session over this alphabet.
    pub fn new(session: &'s Session, alphabet: &'s Alphabet) -> SessionLocations<'s> {
        SessionLocations { session, alphabet, foreign: OnceCell::new() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.session.trace.len() + self.session.foreign.len()
    }

    /// The name of a location by its index.
    ///
    /// # Panics
    /// When the index is not below [`count`](SessionLocations::count), or the session is not over this alphabet.
    pub fn name(&self, index: usize) -> &'s str {
        match index.checked_sub(self.session.trace.len()) {
            None => self.alphabet.location_name(LocationId::new(index)),
            Some(foreign) => &self.session.foreign[foreign].location,
        }
    }

    /// The index of a location by its name; the first one, if the logs name it twice.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        if let Some(location) = self.alphabet.location(name) {
            return Some(location.index());
        }
        let table = self.foreign.get_or_init(|| {
            let foreign = &self.session.foreign;
            let first = self.session.trace.len();
            let numbered = (first..first + foreign.len()).zip(foreign).rev();
            numbered.map(|(index, foreign)| (foreign.location.as_str(), index)).collect()
        });
        table.get(name).copied()
    }
}
