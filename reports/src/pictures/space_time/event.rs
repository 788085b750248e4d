//! One event of a session, with its state and notes.

use crate::explanation::EventState;
use multitrace_interaction::names;
use serde::{Deserialize, Serialize};

/// Why an event is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    pub(crate) lane: usize,
    /// The event as it was logged; empty for an end.
    pub(crate) text: String,
    /// Its index in the log, if it is there.
    pub(crate) index: Option<usize>,
    pub(crate) origin: Origin,
    pub(crate) state: EventState,
    /// The findings at this event, in words.
    pub(crate) notes: Vec<String>,
}

impl Event {
    /// Its text at its lane: without the lifeline where the lane has no other.
    pub(crate) fn label(&self, lanes: &[String]) -> String {
        match names::split_action(&self.text) {
            Some((lifeline, kind, message))
                if names::location_text([&*lifeline]) == lanes[self.lane]
                    || lifeline == lanes[self.lane] =>
            {
                format!("{}{message}", kind.mark())
            }
            _ => self.text.clone(),
        }
    }
}
