//! Where a session and its events were read.

use serde::Serialize;
use std::sync::Arc;

/// A file, or a line of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line, from 1; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
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
