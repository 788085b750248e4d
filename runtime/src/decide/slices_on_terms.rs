//! Deciding slices on terms, also for specifications with an automaton where its short searches give up.
//
// Idea: what happened before a log began is simulated, and a location whose log is read to its end is removed. That
// refutes, and confirms where removal is exact. Where it is not, its path is lifted (`lifting.rs`).
//
// Invariant: removal confirms only where it is exact, or where its path was lifted.
//
// Cost: a search on terms with removal, and what lifting takes.

use crate::config::EngineChoice;
use crate::decide::answer::Answer;
use crate::decide::searches_on_terms::{
    FAIR_NODES, analysis, by_criterion, by_simulation, lift, problem, run_removed, traces,
};
use crate::lazy_automaton::LazyAutomaton;
use crate::search::problem::{Problem, Unobserved};
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{BudgetLimit, InconclusiveReason, Observation};

/// The most nodes of the search on terms that comes before those an automaton decides slices by: some 5 ms at 10 us a
/// node on terms (an estimate).
pub(super) const SOON: u64 = 500;

/// The answer of a search on terms within so many nodes, for a specification that has an automaton. Of the many ways into
/// the middle of an execution it follows the shortest first, which searches of the automaton cannot tell from the others.
pub(super) fn decide_on_terms_within(
    task: &Task<'_>,
    most: u64,
    search: &mut ShuffleSearch,
) -> Option<Answer> {
    if task.config.engine != EngineChoice::Auto || !task.config.compares_nothing() {
        return None;
    }
    let terms = task.monitor.terms(traces(task.config), task.allowance.stop())?;
    let analysis = analysis(&terms, task, Observation::Slice);
    let mut problem = problem(&terms, task, Observation::Slice, &analysis);
    problem.question.allowance = problem.question.allowance.with_states(most);
    match at_ends(search, &mut problem) {
        answer @ (Answer::Yes(_) | Answer::No) => Some(answer),
        Answer::Unknown(_) | Answer::Spent(..) => None,
    }
}

/// Removal at the ends of logs, as far as the budget of fair simulation goes; then simulation of what it leaves open.
pub(super) fn by_removal_at_ends(
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
) -> Answer {
    let whole = problem.question.allowance.clone();
    problem.question.allowance = whole.with_states(FAIR_NODES);
    let answer = at_ends(search, problem);
    problem.question.allowance = whole;
    match answer {
        Answer::Yes(_) if problem.witness => match by_simulation(search, problem) {
            Answer::Yes(witness) => Answer::Yes(witness),
            _ => Answer::Yes(None),
        },
        Answer::Unknown(InconclusiveReason::Removal) => by_simulation(search, problem),
        // It accepts more than fair simulation does, which would not find it either.
        Answer::Spent(BudgetLimit::States(_), _) | Answer::Unknown(_) => {
            by_criterion(search, problem)
        }
        decided => decided,
    }
}

/// Removal at the ends of logs, within the allowance of the problem.
pub(super) fn at_ends(
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
) -> Answer {
    match run_removed(search, problem, Unobserved::RemovedAtEnd) {
        Answer::Yes(_) if problem.automaton.removal_is_exact() => Answer::Yes(None),
        Answer::Yes(_) => {
            lift(search, problem).unwrap_or(Answer::Unknown(InconclusiveReason::Removal))
        }
        answer => answer,
    }
}
