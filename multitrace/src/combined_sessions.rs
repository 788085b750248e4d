//! Sessions put together of the words that their locations have logged.

use multitrace_interaction::{
    Cause, Failure, ForeignTrace, LetterId, LocalFailure, LocationId, Session, UnknownEvent,
};
use multitrace_reports::local_files::{LocalStop, LoggedEvent, LoggedWord};
use multitrace_runtime::Gaps;
use std::collections::HashMap;

/// The text of an event whose letter stays at its location.
const WITHHELD: &str = "…";

/// The gaps of a row, by number.
const GAPS: [Gaps; 4] = [Gaps::None, Gaps::Locations, Gaps::Ends, Gaps::Events];

/// A word of a location.
#[derive(Debug)]
pub(crate) struct CombinedWord {
    pub(crate) length: usize,
    pub(crate) stop: Option<LocalStop>,
    /// Its events; `None` if they stay at the location.
    pub(crate) logged: Option<LoggedWord>,
}

/// Sessions as rows: the number of a word for each location, from 1, 0 for none; then that of their gaps. Equal rows
/// are equal sessions but for their names.
#[derive(Debug)]
pub(crate) struct CombinedSessions {
    /// By location, its letters and its words.
    pub(crate) locations: Vec<(Vec<LetterId>, Vec<CombinedWord>)>,
    pub(crate) names: Vec<String>,
    /// All rows, one after another.
    pub(crate) rows: Vec<u8>,
    /// The failures of rows that fail whatever the letters are that stay at their locations.
    pub(crate) failures: HashMap<Vec<u8>, Failure>,
}

/// A row of a session.
pub(crate) fn row(words: &[u32], gaps: Gaps) -> impl Iterator<Item = u8> {
    let gaps = GAPS.iter().position(|it| *it == gaps).unwrap_or(GAPS.len() - 1) as u8;
    words.iter().flat_map(|word| word.to_le_bytes()).chain([gaps])
}

/// The letters of a stop, in the numbers of the specification.
pub(crate) fn failure(location: LocationId, stop: &LocalStop, letters: &[LetterId]) -> Cause {
    let letter = |number: &u32| letters[*number as usize];
    Cause::Local(LocalFailure {
        location,
        index: stop.index as usize,
        event: stop.letter.as_ref().map(letter),
        expected: stop.expected.iter().map(letter).collect(),
    })
}

impl CombinedSessions {
    /// Bytes that stand for the content of a session.
    pub(crate) fn key(&self, number: usize) -> &[u8] {
        let width = self.locations.len() * size_of::<u32>() + 1;
        &self.rows[number * width..][..width]
    }

    /// Reads a session. With a failure, if it is one whose letters stay at their locations.
    pub(crate) fn read(&self, number: usize, session: &mut Session) -> (Gaps, Option<&Failure>) {
        session.id.clone_from(&self.names[number]);
        session.trace.resize(self.locations.len(), Vec::new());
        session.trace.iter_mut().for_each(Vec::clear);
        session.unknown.clear();
        session.foreign.clear();
        let key = self.key(number);
        let (words, gaps) = key.split_at(key.len() - 1);
        let words = words.chunks_exact(size_of::<u32>()).zip(&self.locations).enumerate();
        for (at, (word, (letters, known))) in words {
            let number = word.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            if let Some(word) = number.checked_sub(1).map(|it| &known[it]) {
                word.add_to(session, at, letters);
            }
        }
        (GAPS[usize::from(gaps[0])], self.failures.get(key))
    }
}

impl CombinedWord {
    fn add_to(&self, session: &mut Session, location: usize, letters: &[LetterId]) {
        let Some(logged) = &self.logged else {
            return self.add_withheld(session, location, letters);
        };
        for event in &logged.events {
            match event {
                LoggedEvent::Letter(letter) => {
                    session.trace[location].push(letters[*letter as usize]);
                }
                LoggedEvent::Unknown(text) => push_unknown(session, location, text),
            }
        }
        for (name, events) in &logged.foreign {
            add_foreign(session, name, events);
        }
    }

    fn add_withheld(&self, session: &mut Session, location: usize, letters: &[LetterId]) {
        for index in 0..self.length {
            let stop = self.stop.as_ref().filter(|stop| stop.index as usize == index);
            match stop.and_then(|stop| stop.letter) {
                Some(letter) => session.trace[location].push(letters[letter as usize]),
                None => push_unknown(session, location, WITHHELD),
            }
        }
    }
}

fn push_unknown(session: &mut Session, location: usize, text: &str) {
    let index = session.trace[location].len();
    session.trace[location].push(LetterId::UNKNOWN);
    session.unknown.push(UnknownEvent { location, index, text: text.to_owned() });
}

/// The same log may have come to several locations.
fn add_foreign(session: &mut Session, name: &str, events: &[String]) {
    match session.foreign.iter_mut().find(|it| it.location == name) {
        Some(known) if known.events == events => {}
        Some(known) => known.events.extend_from_slice(events),
        None => {
            let (location, events) = (name.to_owned(), events.to_vec());
            session.foreign.push(ForeignTrace { location, events });
        }
    }
}
