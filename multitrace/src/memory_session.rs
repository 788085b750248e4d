//! Sessions that are given in memory.

use crate::combined_sessions::CombinedSessions;
use crate::row_session::RowSession;
use multitrace_interaction::Session;
use std::sync::Arc;

/// A session in memory.
#[derive(Debug)]
pub(crate) enum MemorySession {
    Read(Session),
    /// One of those that are put together of the words of locations, by its number.
    Combined(Arc<CombinedSessions>, usize),
    /// One of rows of a table.
    Rows(RowSession),
}

impl MemorySession {
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            MemorySession::Read(session) => Some(&session.id),
            MemorySession::Combined(all, number) => Some(&all.names[*number]),
            MemorySession::Rows(rows) => rows.id.as_deref(),
        }
    }
}
