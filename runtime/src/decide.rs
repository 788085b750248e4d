//! Deciding: whether a session is accepted in one observation mode, and which stage says so.
//
// Idea: a plan is a row of stages, the cheap ones first (`decide/plans.rs`). One loop asks them in order; the first that is
// certain answers, and the last always does.
//
// Invariant: a stage gives only certain answers, so neither their order nor which of them are asked changes a verdict,
// except that a budget may be spent.

pub(crate) mod answer;
mod by_balance;
mod by_constraints;
mod by_parts;
pub(crate) mod decider;
mod global_prefix;
pub(crate) mod in_any_order;
mod limit;
mod on_automaton;
mod on_terms;
mod plans;
mod removal_graph;
mod run;
mod search_setup;
mod single_logs;

pub(crate) use decider::Decided;
pub use removal_graph::RemovalGraph;
pub(crate) use search_setup::{all_traces, traces};

use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::plans::{ONLY_CONSTRAINTS, follow, hidden_plan, plan};
use crate::decider_name::DeciderName;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{InconclusiveReason, LetterId, Observation, Session};

/// Whether a session is accepted in an observation mode.
pub(crate) fn decide(task: &Task<'_>, observation: Observation, scratch: &mut Scratch) -> Decided {
    scratch.begin();
    if has_unknown_events(task.session) {
        return Decided { answer: Answer::No, by: DeciderName::SingleLogs };
    }
    let by_constraints = task.config.comparison.search == SearchChoice::Constraints
        && observation != Observation::GlobalPrefix;
    let first = by_constraints.then(|| follow(&ONLY_CONSTRAINTS, task, observation, scratch));
    let plan = plan(task, observation);
    let decided = first.flatten().or_else(|| follow(plan, task, observation, scratch));
    decided.unwrap_or_else(|| {
        debug_assert!(false, "the last stage answers");
        let answer = Answer::Unknown(InconclusiveReason::Simulation(0));
        Decided { answer, by: DeciderName::SingleLogs }
    })
}

/// Whether a session is refused for certain, as far as short stages on terms tell.
pub(crate) fn is_refuted_on_terms(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> bool {
    let decided = follow(hidden_plan(task, observation), task, observation, scratch);
    decided.is_some_and(|decided| matches!(decided.answer, Answer::No))
}

fn has_unknown_events(session: &Session) -> bool {
    let unknown = || session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    !session.foreign.is_empty() || !session.unknown.is_empty() || unknown()
}
