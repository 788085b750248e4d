//! What deciding gives: the answer for one session in one observation mode.

use crate::search::outcome::SearchOutcome;
use multitrace_interaction::{BudgetLimit, InconclusiveReason, Witness};

/// Whether one observation mode accepts a session.
pub(crate) enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
    /// A budget was spent at the end of a search that got as far as these positions; empty if there
    /// was no search.
    Spent(BudgetLimit, Vec<u32>),
}

impl Answer {
    /// What the end of the last search says, after this many nodes; `witness` is asked for if it
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

    /// What a quick search says; `None` if another search must decide.
    pub(crate) fn certain(outcome: SearchOutcome) -> Option<Answer> {
        match outcome {
            SearchOutcome::Found => Some(Answer::Yes(None)),
            SearchOutcome::Exhausted => Some(Answer::No),
            SearchOutcome::Spent(_) | SearchOutcome::Cut | SearchOutcome::DoesNotFit => None,
        }
    }
}
