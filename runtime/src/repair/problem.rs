//! The problem of a repair: logs, and the automaton to align them with.

use crate::budget::Allowance;
use crate::monitor::Monitor;
use crate::repair::known_logs::KnownLogs;
use crate::search::problem::Unobserved;

/// The logs to align with an automaton of any kind.
pub(crate) struct AlignmentProblem<'a, A> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) logs: &'a KnownLogs,
    pub(crate) automaton: &'a A,
    pub(crate) allowance: &'a Allowance,
    /// How a location moves where that costs nothing. Removal is not for slices.
    pub(crate) unobserved: Unobserved,
    /// Moves that cost nothing are not followed to larger terms than this.
    pub(crate) heaviest: u32,
}
