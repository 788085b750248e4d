//! One event of a session, with what became of it.

use crate::explanation::EventState;

/// Why an event is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Logged,
    /// The repair deletes it.
    Deleted,
    /// The repair inserts it.
    Inserted,
    /// The end of a log where something is wrong.
    End,
}

/// An event, or the end of a log.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) lane: usize,
    /// The event as it was logged; empty for an end.
    pub(crate) text: String,
    /// Its index in the log, if it is there.
    pub(crate) index: Option<usize>,
    pub(crate) origin: Origin,
    pub(crate) state: EventState,
    /// What is wrong there.
    pub(crate) notes: Vec<String>,
}
