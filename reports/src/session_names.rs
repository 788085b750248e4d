//! The names behind the ids of one session: those of its locations and of its events.

use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Session};

/// A session with the alphabet that it is over.
#[derive(Clone, Copy, Debug)]
pub struct SessionNames<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its alphabet.
    pub alphabet: &'a Alphabet,
}

impl<'a> SessionNames<'a> {
    /// Every location: those of the alphabet, then those that only the logs name.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.session.trace.len() + self.session.foreign.len()).map(LocationId::new)
    }

    /// The name of a location.
    ///
    /// # Panics
    /// If the session has no such location, or is not over this alphabet.
    pub fn location(&self, location: LocationId) -> &'a str {
        match self.session.foreign_log(location) {
            None => self.alphabet.location_name(location),
            Some(foreign) => &foreign.location,
        }
    }

    /// How many events the log of a location has.
    ///
    /// # Panics
    /// If the session has no such location.
    pub fn length(&self, location: LocationId) -> usize {
        match self.session.foreign_log(location) {
            None => self.session.trace[location.index()].len(),
            Some(foreign) => foreign.events.len(),
        }
    }

    /// An event as it was written; `None` behind the end of its log.
    ///
    /// # Panics
    /// If the session has no such location.
    pub fn event(&self, location: LocationId, index: usize) -> Option<&'a str> {
        if let Some(foreign) = self.session.foreign_log(location) {
            return foreign.events.get(index).map(String::as_str);
        }
        let at = location.index();
        Some(match *self.session.trace[at].get(index)? {
            LetterId::UNKNOWN => self.session.unknown_text(at, index).unwrap_or("?"),
            letter => self.alphabet.letter_name(letter),
        })
    }

    /// Whether the specification does not know an event.
    ///
    /// # Panics
    /// If the session has no such event.
    pub fn is_unknown(&self, location: LocationId, index: usize) -> bool {
        let log = self.session.trace.get(location.index());
        log.is_none_or(|log| log[index] == LetterId::UNKNOWN)
    }

    /// How many events of a log before an index are known.
    pub(crate) fn known(&self, location: LocationId, end: usize) -> usize {
        let log = self.session.trace.get(location.index()).map_or(&[][..], Vec::as_slice);
        log.iter().take(end).filter(|&&letter| letter != LetterId::UNKNOWN).count()
    }

    /// The names of letters, sorted, each once.
    pub fn letters(&self, letters: &[LetterId]) -> Vec<String> {
        letter_names(self.alphabet, letters)
    }
}

/// The names of letters of an alphabet, sorted, each once.
pub fn letter_names(alphabet: &Alphabet, letters: &[LetterId]) -> Vec<String> {
    let name = |&letter: &LetterId| alphabet.letter_name(letter).to_owned();
    let mut names: Vec<String> = letters.iter().map(name).collect();
    names.sort();
    names.dedup();
    names
}
