//! Sessions as records name them: by their name, or by an id of `[[join]]`.

use super::ids::JoinId;
use std::fmt;

/// The session of an event, as far as its record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionRef<'a> {
    /// By its name.
    Named(&'a str),
    /// That of the records with this id.
    Joined {
        /// Which kind of id.
        join: JoinId,
        /// The id.
        id: &'a str,
    },
}

impl fmt::Display for SessionRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionRef::Named(name) => f.write_str(name),
            SessionRef::Joined { id, .. } => f.write_str(id),
        }
    }
}

/// An id that belongs to a session, and so do its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLink<'a> {
    /// The kind of the id, and the id.
    pub from: (JoinId, &'a str),
    /// Its session.
    pub to: SessionRef<'a>,
}
