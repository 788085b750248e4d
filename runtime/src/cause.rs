//! The cause of a failure that has been decided (paper 004 sec. 4): a local trace that is
//! impossible alone, areas that do not meet, or no accepted interleaving.

pub(crate) mod areas;
pub(crate) mod frontier;
pub(crate) mod local;
pub(crate) mod local_walk;
mod set_walk;

use crate::cause::areas::{has_accepting_path, inter};
use crate::cause::frontier::{frontier, frontier_of_sets};
use crate::cause::local::local_failure;
use crate::config::SearchChoice;
use crate::lazy_automaton::Traces;
use crate::scratch::Scratch;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{Cause, Engine, Frontier, Nfa, Observation};

/// The cause of a failure that has been decided.
pub(crate) fn cause(task: &Task<'_>, scratch: &mut Scratch) -> Cause {
    if let Some(failure) = local_failure(task.monitor, task.session, task.config.observation) {
        return Cause::Local(failure);
    }
    match (task.engine, task.monitor.central()) {
        (Engine::Nfa, Ok(automaton)) => global_cause(&automaton.full, task, scratch),
        _ => global_cause_on_terms(task, &mut scratch.search),
    }
}

fn global_cause(full: &Nfa, task: &Task<'_>, scratch: &mut Scratch) -> Cause {
    let observation = task.config.observation;
    let common = inter(task.monitor, full, task.session, observation);
    let choice = task.config.comparison.search;
    let by_sets = matches!(choice, SearchChoice::Auto | SearchChoice::Sets);
    let furthest = by_sets.then(|| frontier_of_sets(task, full, observation, &mut scratch.layered));
    let furthest = furthest
        .flatten()
        .unwrap_or_else(|| frontier(task, full, observation, &mut scratch.search));
    if has_accepting_path(full, &common) {
        Cause::Central(furthest)
    } else {
        Cause::Inter(furthest)
    }
}

/// Areas are parts of a compiled automaton: without one, inter and central look alike. Unobserved
/// moves may be endless, so the frontier is that of the events alone.
fn global_cause_on_terms(task: &Task<'_>, search: &mut ShuffleSearch) -> Cause {
    let Some(terms) = task.monitor.terms(Traces::Enough) else {
        return Cause::Central(Frontier::default());
    };
    let mut furthest = frontier(task, &*terms, Observation::Complete, search);
    furthest.complete &= task.config.observation == Observation::Complete;
    Cause::Central(furthest)
}
