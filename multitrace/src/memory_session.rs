//! Sessions that are given in memory.

use crate::combined_sessions::CombinedSessions;
use multitrace_formats::problem::InputProblem;
use multitrace_interaction::Session;
use std::sync::Arc;

/// A session in memory, or the problem of its text.
#[derive(Debug)]
pub(crate) enum MemorySession {
    Read(Session),
    /// One of those that are put together of the words of locations, by its number.
    Combined(Arc<CombinedSessions>, usize),
    /// With the id of the session, if it has one.
    Wrong(Option<String>, InputProblem),
}

impl MemorySession {
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            MemorySession::Read(session) => Some(&session.id),
            MemorySession::Combined(all, number) => Some(&all.names[*number]),
            MemorySession::Wrong(id, _) => id.as_deref(),
        }
    }
}
