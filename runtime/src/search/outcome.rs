//! How a search ended: the same words for every search.

use multitrace_interaction::BudgetLimit;

/// How a search for an accepted interleaving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchOutcome {
    /// Some interleaving is accepted.
    Found,
    /// No interleaving is accepted: every node was visited or is a dead end.
    Exhausted,
    /// Unknown: the allowance was spent first.
    Spent(BudgetLimit),
    /// Unknown: the search left out some nodes and visited all others.
    Cut,
    /// Unknown: the nodes of this session do not fit the words of this search.
    DoesNotFit,
}
