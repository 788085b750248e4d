//! The answer for one session in one observation mode.

use crate::search::outcome::SearchOutcome;
use multitrace_interaction::{BudgetLimit, InconclusiveReason, Witness};

/// Whether one observation mode accepts a session.
pub(crate) enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
    /// A budget was spent at the end of a search that got as far as these positions; empty if
    /// no search ran.
    Spent(BudgetLimit, Vec<u32>),
}

impl Answer {
    /// The answer that the end of the last search gives, after this many nodes; `witness` is asked for if it
    /// found an interleaving, `furthest` if it was cut.
    pub(crate) fn of(
        outcome: SearchOutcome,
        explored: u64,
        witness: impl FnOnce() -> Option<Witness>,
        furthest: impl FnOnce() -> Vec<u32>,
    ) -> Answer {
        match outcome {
            SearchOutcome::Found => Answer::Yes(witness()),
            SearchOutcome::Exhausted => Answer::No,
            SearchOutcome::Spent(spent) => Answer::Spent(spent, furthest()),
            SearchOutcome::Cut | SearchOutcome::DoesNotFit => {
                Answer::Unknown(InconclusiveReason::Simulation(explored))
            }
        }
    }

    /// Its name in traces.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Answer::Yes(_) => "accepted",
            Answer::No => "refused",
            Answer::Unknown(_) => "unknown",
            Answer::Spent(..) => "budget spent",
        }
    }

    /// Whether the budget of nodes was spent.
    pub(crate) fn is_spent_on_nodes(&self) -> bool {
        matches!(self, Answer::Spent(BudgetLimit::States(_), _))
    }

    /// The answer of a search that may leave the session to another one; `None` if it does.
    pub(crate) fn certain(outcome: SearchOutcome) -> Option<Answer> {
        match outcome {
            SearchOutcome::Found => Some(Answer::Yes(None)),
            SearchOutcome::Exhausted => Some(Answer::No),
            SearchOutcome::Spent(_) | SearchOutcome::Cut | SearchOutcome::DoesNotFit => None,
        }
    }
}
