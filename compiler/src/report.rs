//! What compiling did: sizes before and after each pass, and what did not fit.

use multitrace_formats::bundle::Unsupported;
use multitrace_interaction::Nfa;

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
    /// Why there is no automaton, when there is none.
    pub unsupported: Option<Unsupported>,
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
    /// The location by name.
    pub location: String,
    /// Letters logged there.
    pub letters: usize,
    /// States and areas of the deterministic verifier, or why there is none.
    pub forward: Result<(usize, usize), String>,
    /// States and distinct rows of the look-ahead, or why there is none.
    pub backward: Result<(usize, usize), String>,
}

impl Report {
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
