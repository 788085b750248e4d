//! Where a session and its events were read.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The name of standard input in messages and places.
pub const STANDARD_INPUT: &str = "standard input";

/// A file, a line of it, or a record of that line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line, from 1; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Which record of the line, from the second one on; `None` for the first, and for the whole line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<usize>,
}

impl Place {
    /// A line of a file, or the whole file.
    pub fn new(file: impl Into<Arc<str>>, line: Option<usize>) -> Place {
        Place { file: file.into(), line, record: None }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(record) = self.record {
            write!(f, ", record {record}")?;
        }
        Ok(())
    }
}

/// Where an event stands among those of all logs, by the order field of a mapping.
///
/// Clocks of locations may differ, so this is the order in which people see events, and no verdict depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventOrder {
    /// Whether it is a time; else it is a number. The two cannot be compared.
    pub is_time: bool,
    /// Seconds since 1970 or the number, in units of 10^-18.
    pub value: i128,
}

/// The places of one session and of its events.
pub trait Places {
    /// The place of the session.
    fn session(&self) -> Option<Place>;

    /// The place of one event, by the index of its location and its own index there. Locations that
    /// the specification does not know come after the others. `None` if only the session has a
    /// place.
    fn event(&self, location: usize, index: usize) -> Option<Place> {
        let _ = (location, index);
        None
    }

    /// Whether the place of one event, by the same indices, is a line of a text.
    fn is_line(&self, location: usize, index: usize) -> bool {
        let _ = (location, index);
        false
    }

    /// The order of one event, by the same indices; `None` if it has none.
    fn order(&self, location: usize, index: usize) -> Option<EventOrder> {
        let _ = (location, index);
        None
    }

    /// The name of the lifeline in the log, if a role of the mapping gave it another name.
    fn machine(&self, lifeline: &str) -> Option<&str> {
        let _ = lifeline;
        None
    }
}

/// Places that nobody is to be shown, such as rows of a part of a table. Only the order of events and
/// the machines are told.
#[derive(Clone, Copy)]
pub struct Unplaced<'a>(pub &'a dyn Places);

impl std::fmt::Debug for Unplaced<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unplaced").finish_non_exhaustive()
    }
}

impl Places for Unplaced<'_> {
    fn session(&self) -> Option<Place> {
        None
    }

    fn order(&self, location: usize, index: usize) -> Option<EventOrder> {
        self.0.order(location, index)
    }

    fn machine(&self, lifeline: &str) -> Option<&str> {
        self.0.machine(lifeline)
    }
}

/// A session with one place for all its events.
impl Places for Place {
    fn session(&self) -> Option<Place> {
        Some(self.clone())
    }
}

/// A session that may have no place, such as one made in memory.
impl Places for Option<Place> {
    fn session(&self) -> Option<Place> {
        self.clone()
    }
}
