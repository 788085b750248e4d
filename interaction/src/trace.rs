//! Multi-traces and sessions: the events of the logs (papers 000 sec. 2.2, 004 sec. 2.1).

use crate::id::{Id, LetterId, LocationId};

/// The events that one location logged, in order. An event that is not a letter of the alphabet is
/// [`LetterId::UNKNOWN`]; its text is in [`Session::unknown`].
pub type LocalTrace = Vec<LetterId>;

/// One local trace per location of an alphabet, in the order of its locations.
pub type MultiTrace = Vec<LocalTrace>;

/// An event that is not a letter of the alphabet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The index of the location in the multi-trace.
    pub location: usize,
    /// The index of the event in its local trace.
    pub index: usize,
    /// The event as it was written.
    pub text: String,
}

/// The log of a location that the specification does not have. It may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignTrace {
    /// The name of the location as it was written.
    pub location: String,
    /// Its events as they were written.
    pub events: Vec<String>,
}

/// One multi-trace as it was read; events outside the alphabet are kept beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The name of this session in the input.
    pub id: String,
    /// The local traces, one per location of the alphabet.
    pub trace: MultiTrace,
    /// The texts behind [`LetterId::UNKNOWN`], ordered by location and index.
    pub unknown: Vec<UnknownEvent>,
    /// Logs of locations unknown to the specification, in the order of the input.
    pub foreign: Vec<ForeignTrace>,
}

/// Events of one log that are in no order: a stretch of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiedEvents {
    /// The index of the location.
    pub location: usize,
    /// Events that keep their order among each other, by their indexes in the log.
    pub chains: Vec<Vec<usize>>,
}

impl Session {
    /// The number of events in all its logs.
    pub fn event_count(&self) -> usize {
        let local: usize = self.trace.iter().map(Vec::len).sum();
        local + self.foreign.iter().map(|foreign| foreign.events.len()).sum::<usize>()
    }

    /// The location that stands for a log of [`Session::foreign`]: these follow those of the alphabet.
    pub fn foreign_location(&self, index: usize) -> LocationId {
        LocationId::new(self.trace.len() + index)
    }

    /// The log of a location that the alphabet does not have; `None` if it has the location.
    ///
    /// # Panics
    /// If the session has no such log.
    pub fn foreign_log(&self, location: LocationId) -> Option<&ForeignTrace> {
        Some(&self.foreign[location.index().checked_sub(self.trace.len())?])
    }

    /// The session with the events of its locations in other orders: per location, the indexes of its events.
    pub fn in_order(&self, orders: &[Vec<usize>]) -> Session {
        let log =
            |(log, order): (&LocalTrace, &Vec<usize>)| order.iter().map(|&at| log[at]).collect();
        let mut session = self.clone();
        session.trace = self.trace.iter().zip(orders).map(log).collect();
        for unknown in &mut session.unknown {
            let to = orders[unknown.location].iter().position(|&from| from == unknown.index);
            unknown.index = to.unwrap_or(unknown.index);
        }
        session.unknown.sort_by_key(|it| (it.location, it.index));
        session
    }

    /// The text of the unknown event at an index of a location.
    pub fn unknown_text(&self, location: usize, index: usize) -> Option<&str> {
        let place =
            self.unknown.binary_search_by_key(&(location, index), |u| (u.location, u.index));
        place.ok().map(|at| self.unknown[at].text.as_str())
    }
}
