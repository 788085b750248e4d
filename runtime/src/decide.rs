//! Deciding: whether a session is accepted in one observation mode, and which search says so.

pub(crate) mod answer;
mod by_constraints;
mod by_engine;
pub(crate) mod global_prefix;
mod on_automaton;
pub(crate) mod on_terms;
mod removal_graph;
mod run;
pub(crate) mod searches_on_terms;
mod slices_on_terms;

pub use removal_graph::RemovalGraph;

use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::by_constraints::only_by_constraints;
use crate::decide::by_engine::decide_by_engine;
use crate::decide::global_prefix::decide_global_prefix;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{LetterId, Observation, Session};

/// Whether a session is accepted in an observation mode.
pub(crate) fn decide(task: &Task<'_>, observation: Observation, scratch: &mut Scratch) -> Answer {
    scratch.begin();
    if has_unknown_events(task.session) {
        return Answer::No;
    }
    if task.config.comparison.search == SearchChoice::Constraints
        && let Some(answer) = only_by_constraints(task, observation, scratch)
    {
        return answer;
    }
    match observation {
        Observation::GlobalPrefix => decide_global_prefix(task, scratch),
        _ => decide_by_engine(task, observation, scratch),
    }
}

fn has_unknown_events(session: &Session) -> bool {
    let unknown = || session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    !session.foreign.is_empty() || !session.unknown.is_empty() || unknown()
}
