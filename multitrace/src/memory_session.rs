//! Sessions that are given in memory.

use multitrace_formats::problem::InputProblem;
use multitrace_interaction::Session;

/// A session in memory, or the problem of its text.
#[derive(Debug)]
pub(crate) enum MemorySession {
    Read(Session),
    /// With the id of the session, if it has one.
    Wrong(Option<String>, InputProblem),
}

impl MemorySession {
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            MemorySession::Read(session) => Some(&session.id),
            MemorySession::Wrong(id, _) => id.as_deref(),
        }
    }
}
