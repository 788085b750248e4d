//! The logs of sessions, as ids.

use multitrace_interaction::{Action, Signature};
use std::sync::Arc;

/// The logs of a session, one for each lifeline or location, in the order of their events. Shared, since parts of the
/// sessions are learnt from, too.
pub type SessionLogs = Arc<[Vec<Action>]>;

/// Sessions with the names of their lifelines and messages. Equal sessions are there once, with their number.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// The names.
    pub signature: Signature,
    /// The logs of each session, and how many sessions have them.
    pub sessions: Vec<(SessionLogs, u64)>,
}

impl Observations {
    /// How many sessions there are.
    pub fn count(&self) -> u64 {
        self.sessions.iter().map(|(_, count)| count).sum()
    }
}
