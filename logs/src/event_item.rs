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
        /// How many sessions among them the mapping leaves out.
        left_out: u64,
    },
    /// Problems of the event logs.
    Problems(Vec<InputProblem>),
}
