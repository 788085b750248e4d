//! Sessions of event logs, and the problems of the input.

use crate::grouping::Grouped;
use multitrace_formats::problem::InputProblem;

/// About how many bytes of sessions are handed out at once: enough sessions that a thread works for
/// a while, few enough that the last ones do not keep the others waiting.
pub(crate) const CHUNK_BYTES: usize = 1 << 16;

/// Some sessions of event logs, or the problems of the input.
#[derive(Debug)]
pub enum EventItem {
    /// Sessions with all their events.
    Sessions {
        /// The sessions, in the order of their first events.
        sessions: Vec<Grouped>,
        /// Whether some of their events may be missing because a file was cut off.
        cut: bool,
        /// The sessions among them that the mapping leaves out.
        left_out: SessionsLeftOut,
    },
    /// Problems of the event logs.
    Problems(Vec<InputProblem>),
}

/// How many sessions the filters of a mapping leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionsLeftOut {
    /// All of them.
    pub all: u64,
    /// Those of them that no `[[keep-session]]` asks for, and no `[[drop-session]]` refuses.
    pub not_kept: u64,
}

impl SessionsLeftOut {
    pub(crate) const NONE: SessionsLeftOut = SessionsLeftOut { all: 0, not_kept: 0 };

    /// Adds those of other sessions.
    pub(crate) fn add(&mut self, more: SessionsLeftOut) {
        self.all += more.all;
        self.not_kept += more.not_kept;
    }
}
