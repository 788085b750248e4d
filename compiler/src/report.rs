//! A report on a compilation: sizes before and after each pass, and constructs that did not fit.

use crate::limits::LimitExceeded;
use multitrace_formats::bundle::{BackwardTable, ForwardTable, Unsupported};
use multitrace_interaction::{Balance, Nfa};

/// The passes of one compilation, in order, and the tables of each location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Distinct terms of the specification, when it was an interaction: as normalised, and as
    /// linearised.
    pub terms: Option<(usize, usize)>,
    /// The automaton after each pass.
    pub passes: Vec<PassReport>,
    /// One entry per location, in order.
    pub locals: Vec<LocalReport>,
    /// The construct that prevents an automaton; `None` if there is an automaton.
    pub unsupported: Option<Unsupported>,
    /// Whether a limit on time ended some step, so that another run may give another bundle.
    pub timed_out: bool,
}

/// The automaton a pass left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// The pass.
    pub name: &'static str,
    /// States of its result.
    pub states: usize,
    /// Transitions of its result.
    pub transitions: usize,
}

/// The tables of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalReport {
    /// Letters logged there.
    pub letters: usize,
    /// The deterministic verifier, whose sets are areas; or why it has no table.
    pub forward: Result<TableReport, NoTable>,
    /// The look-ahead, whose sets are sets of states; or why it has no table.
    pub backward: Result<TableReport, NoTable>,
}

/// Why a location has no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoTable {
    /// It would be over a limit.
    #[error("{0}")]
    Limit(LimitExceeded),
    /// Look-ahead is about the states of the global automaton.
    #[error("there is no global automaton")]
    NoAutomaton,
}

/// The size of a local table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableReport {
    /// States of the table.
    pub states: usize,
    /// Distinct sets it refers to.
    pub sets: usize,
    /// Whether it has the part for partial observation. Without it, slices (for the verifier) and
    /// prefixes and slices (for the look-ahead) are simulated on sets of states.
    pub partial: bool,
}

impl LocalReport {
    pub(crate) fn new(
        letters: usize,
        forward: Result<&ForwardTable, NoTable>,
        backward: Result<&BackwardTable, NoTable>,
    ) -> LocalReport {
        let forward = forward.map(|table| TableReport {
            states: table.state_count(),
            sets: table.areas.as_ref().map_or(0, |areas| areas.rows.len()),
            partial: table.start_anywhere.is_some(),
        });
        let backward = backward.map(|table| TableReport {
            states: table.begun.len(),
            sets: table.rows.len(),
            partial: table.open_end.is_some(),
        });
        LocalReport { letters, forward, backward }
    }
}

impl Report {
    /// The laws of balance, and none if they took too much work.
    pub(crate) fn balance(&mut self, balance: Result<Balance, LimitExceeded>) -> Balance {
        self.timed_out |= balance.as_ref().is_err_and(LimitExceeded::is_time);
        balance.unwrap_or_default()
    }

    pub(crate) fn pass(&mut self, name: &'static str, nfa: Nfa) -> Nfa {
        let transitions = nfa.transitions().len();
        self.passes.push(PassReport { name, states: nfa.state_count(), transitions });
        nfa
    }
}

/// The number of distinct terms below a term, itself included.
pub(crate) fn term_size(
    store: &multitrace_interaction::TermStore,
    term: multitrace_interaction::TermId,
) -> usize {
    crate::construct::subterms(store, term).len()
}
