//! How much a stage may do.

use crate::task::Task;

/// How many nodes a stage may visit, or sets, or choices it may make: of one stage always the same.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// All that the budget of the session allows.
    Budget,
    /// This many.
    AtMost(u64),
    /// The first number, and the other number of quarters more for each event.
    Growing(u64, u64),
    /// The second number for each event, and the first at most.
    PerEvent(u64, u64),
}

impl Limit {
    /// The number for a session.
    pub(super) fn of(self, task: &Task<'_>) -> u64 {
        let events = task.session.event_count() as u64;
        let most = match self {
            Limit::Budget => u64::MAX,
            Limit::AtMost(most) => most,
            Limit::Growing(fixed, quarters) => fixed + quarters * events / 4,
            Limit::PerEvent(most, each) => most.min(each * events),
        };
        most.min(task.allowance.states)
    }
}
