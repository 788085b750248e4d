//! Repairs on terms, for specifications without an automaton, and for comparison.
//
// Idea: where locations may go on unobserved at the ends of their logs, they are removed from the
// term there (papers 002 and 003), which leaves finitely many nodes of each cost. Where removal is
// not exact, it still gives a lower bound, and the moves that cost nothing are followed as far as
// terms do not grow too large.
//
// Invariant: a path without removed locations is one of the specification, so its edits are valid;
// the distance is exact if no cut was made below it, or if removal gives the same. Each session has
// an automaton of its own: the order of transitions depends on the terms explored before, and the choice among several
// repairs must not.
//
// Cost: the terms are derived again for each session.

use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::repair::alignment_search::{AlignmentRun, AlignmentSearch, Distance};
use crate::repair::known_logs::KnownLogs;
use crate::repair::problem::AlignmentProblem;
use crate::repair::term_costs::TermCosts;
use crate::search::problem::Unobserved;
use crate::task::Task;
use multitrace_interaction::Observation;

/// The distance of some logs from the multi-traces of the terms; the search has the
/// path.
pub(crate) fn align(task: &Task<'_>, logs: &KnownLogs, search: &mut AlignmentSearch) -> Distance {
    let monitor = task.monitor;
    let Some((signature, interaction)) = &monitor.bundle().source else { return Distance::UNKNOWN };
    let (alphabet, stop) = (monitor.alphabet(), task.allowance.stop());
    let terms = LazyAutomaton::alone(signature, interaction, alphabet, Traces::Enough, stop);
    let allowance = task.allowance.on(&terms);
    let mut run = |unobserved| {
        let estimate = &mut TermCosts::new(&terms, logs, &allowance);
        let problem = AlignmentProblem {
            monitor,
            logs,
            automaton: &terms,
            allowance: &allowance,
            unobserved,
            heaviest: terms.heaviest(task.session.event_count()),
        };
        AlignmentRun { search, problem: &problem, estimate }.run()
    };
    match logs.observation() {
        Observation::Missing | Observation::Prefix => match run(Unobserved::Removed) {
            removed if terms.removal_is_exact() => removed,
            removed => run(Unobserved::Moves).at_least(removed.least),
        },
        _ => run(Unobserved::Moves),
    }
}
