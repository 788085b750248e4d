//! Deciding on terms, for specifications without an automaton, and for comparison.
//
// Idea: clusters refute what the interleavings of `par` would hide. Complete traces leave finitely many nodes, so one search
// decides them; where terms are large, constraints come before it derives many that no session met. Prefixes and missing logs
// are refuted by lifeline removal (papers 002 and 003), and confirmed by it where it is exact. So are slices, whose unobserved
// beginnings are simulated. Where it is not exact, the path that it found is lifted to the whole terms (`lifting.rs`),
// which confirms most. What that leaves open is confirmed by simulating unobserved moves (paper 000 sec. 4): first fairly, as far
// as a budget goes, then as far as the criterion goes.
//
// Invariant: removal over-approximates, so it confirms only where `removal_is_exact` or its path is lifted; simulation finds
// only what is accepted, so it refutes only if nothing was cut.
//
// Cost: finding derivatives, once for all sessions; then as the search on a compiled automaton.

use crate::budget::Allowance;
use crate::cause::local::is_impossible;
use crate::config::Method;
use crate::decide::answer::Answer;
use crate::decide::by_constraints::{
    briefly_by_constraints, first_by_constraints, has_large_terms, soon_by_constraints,
};
use crate::decide::run::run;
use crate::decide::searches_on_terms::{
    analysis, by_simulation, lift, problem, run_removed, simulate, traces,
};
use crate::decide::slices_on_terms::{at_ends, by_removal_at_ends};
use crate::lazy_automaton::LazyAutomaton;
use crate::scratch::Scratch;
use crate::search::problem::{PartialOrder, Problem, Unobserved};
use crate::search::question::Question;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{BudgetLimit, InconclusiveReason, Observation};

/// Whether the terms of the specification accept the session in an observation mode.
pub(crate) fn decide_on_terms(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Answer {
    let question = task.question(observation);
    if is_impossible(&question) {
        return Answer::No;
    }
    if let Some(answer) = first_by_constraints(task, observation, scratch) {
        return answer;
    }
    let Some(terms) = task.monitor.terms(traces(task.config), task.allowance.stop()) else {
        return Answer::No;
    };
    let known = on_known_terms(&terms, task, observation, scratch);
    if let Known::Decided(answer) = known {
        return answer;
    }
    let analysis = analysis(&terms, task, observation);
    let mut problem = problem(&terms, task, observation, &analysis);
    problem.witness = task.config.witness;
    if task.config.compares_nothing()
        && !matches!(known, Known::Open)
        && let Some(answer) = quickly(&mut scratch.search, &mut problem)
    {
        return answer;
    }
    scratch.keep_count();
    longer(task, observation, &mut problem, scratch)
}

/// Searches that may take the whole budget.
fn longer(
    task: &Task<'_>,
    observation: Observation,
    problem: &mut Problem<'_, LazyAutomaton>,
    scratch: &mut Scratch,
) -> Answer {
    // Complete logs leave few choices, so that most searches end soon.
    if task.config.compares_nothing()
        && problem.question.is_closed()
        && let Some(answer) = run_within(LONGER_NODES, &mut scratch.search, problem)
    {
        return answer;
    }
    if let Some(answer) = soon_by_constraints(task, observation, scratch) {
        return answer;
    }
    let search = &mut scratch.search;
    match (observation, task.config.comparison.method) {
        // Refuting is enough for a session that was cut, and unobserved moves may be endless.
        _ if !task.open_ends.is_empty() => by_removal(search, problem),
        (Observation::Complete, _) => run(search, problem),
        (Observation::Slice, Method::Removal) => Answer::Unknown(InconclusiveReason::Removal),
        (_, Method::Removal) => by_removal(search, problem),
        (_, Method::Simulation(criterion)) => simulate(search, problem, &criterion),
        (Observation::Missing | Observation::Prefix, Method::Exact) => by_both(search, problem),
        // As the papers have it: simulation alone.
        _ if task.config.comparison.reductions.is_some() => by_simulation(search, problem),
        (_, Method::Exact) => by_removal_at_ends(search, problem),
    }
}

/// The most nodes of the first search, and how many more for each event. Most sessions need no more, and asking
/// clusters takes longer. An estimate; by
/// `scripts/large` it is better than none.
const QUICK_NODES: u64 = 100;
const QUICK_NODES_PER_EVENT: u64 = 2;

/// The most nodes of the search of complete logs before constraints are asked: some 0.1 s at 10 us a node on terms (an
/// estimate).
const LONGER_NODES: u64 = 10_000;

/// The most weight of terms whose transitions no session has asked for before that the first search derives, if terms are
/// large: some 1 ms (an estimate, by `scripts/large`).
const MOST_FRESH: u64 = 4_000;

/// What a short search says that derives little beyond what sessions before it did.
enum Known {
    Decided(Answer),
    /// It was not asked, or it met too much that was new; and constraints do not decide soon, either.
    Cut,
    /// It met nothing new beyond the limit, and came to no end.
    Open,
}

/// Searches complete logs over terms that are known already, where terms are large; where that is not enough, asks constraints,
/// which take less time than to derive many new terms. Not where a witness is wanted: constraints give another one, and which one
/// is given must not depend on the sessions before.
fn on_known_terms(
    terms: &LazyAutomaton,
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Known {
    let is_closed = task.question(observation).is_closed();
    if !is_closed || task.config.witness || !has_large_terms(task) {
        return Known::Cut;
    }
    terms.limit_fresh(Some(MOST_FRESH));
    let analysis = analysis(terms, task, observation);
    let answer = quickly(&mut scratch.search, &mut problem(terms, task, observation, &analysis));
    let is_cut = terms.is_cut();
    terms.limit_fresh(None);
    match answer {
        // A path that was found is there, whatever was not looked at.
        Some(Answer::Yes(witness)) => Known::Decided(Answer::Yes(witness)),
        _ if is_cut => {
            scratch.keep_count();
            let answer = briefly_by_constraints(task, observation, scratch);
            answer.map_or(Known::Cut, Known::Decided)
        }
        Some(answer) => Known::Decided(answer),
        None => Known::Open,
    }
}

/// The answer of a search within so many nodes; `None` if it is spent.
fn run_within(
    most: u64,
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
) -> Option<Answer> {
    let all = problem.question.allowance.clone();
    problem.question.allowance = all.with_states(most);
    let answer = run(search, problem);
    let is_less = most < all.states;
    problem.question.allowance = all;
    match answer {
        Answer::Spent(BudgetLimit::States(_), _) if is_less => None,
        answer => Some(answer),
    }
}

/// The answer of a short search; `None` if another one must decide.
fn quickly(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Option<Answer> {
    let question = &problem.question;
    let (quick, all) = (quick_allowance(question), question.allowance.clone());
    let (is_closed, observation) = (question.is_closed(), question.observation);
    if !is_closed && problem.witness {
        return None;
    }
    problem.question.allowance = quick;
    let answer = match observation {
        _ if is_closed => run(search, problem),
        Observation::Slice => at_ends(search, problem),
        _ => by_lifting(search, problem),
    };
    problem.question.allowance = all;
    problem.unobserved = Unobserved::Moves;
    match answer {
        Answer::Yes(_) | Answer::No => Some(answer),
        Answer::Unknown(_) | Answer::Spent(..) => None,
    }
}

fn quick_allowance(question: &Question<'_>) -> Allowance {
    let most = QUICK_NODES + QUICK_NODES_PER_EVENT * question.event_count() as u64;
    question.allowance.with_states(most)
}

/// Whether clusters, or lifeline removal, refute the session in an observation mode other than slice.
pub(crate) fn is_refuted_on_terms(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> bool {
    let Some(terms) = task.monitor.terms(traces(task.config), task.allowance.stop()) else {
        return false;
    };
    let analysis = analysis(&terms, task, observation);
    let mut problem = problem(&terms, task, observation, &analysis);
    matches!(by_removal(&mut scratch.search, &mut problem), Answer::No)
}

/// The most nodes that are visited to refute a session soon: some 5 ms at 10 us a node on terms (an
/// estimate).
const SOON: u64 = 500;

/// Whether clusters, or a short search with lifeline removal, refute the session.
///
/// Terms are numbered as sessions meet them, and reductions and chains follow that order. Without them the
/// nodes of a search that finds nothing are the same in any order, so that whether it was cut is, too.
pub(crate) fn refutes_soon(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> bool {
    let question = task.question(observation);
    if is_impossible(&question) {
        return true;
    }
    let is_large = observation != Observation::Slice && has_large_terms(task);
    if is_large && let Some(answer) = briefly_by_constraints(task, observation, scratch) {
        return matches!(answer, Answer::No);
    }
    // Slices cannot be refuted by removal, and large terms take long.
    if is_large || observation == Observation::Slice {
        return false;
    }
    let terms = task.monitor.terms(traces(task.config), task.allowance.stop());
    let Some(terms) = terms else { return false };
    let analysis = analysis(&terms, task, observation);
    let mut problem = problem(&terms, task, observation, &analysis);
    problem.question.allowance = quick_allowance(&question);
    // Most logs that single locations refuse fit together otherwise, which is soon found.
    let search = &mut scratch.search;
    if matches!(run_removed(search, &mut problem, Unobserved::Removed), Answer::Yes(_)) {
        return false;
    }
    if let Some(answer) = briefly_by_constraints(task, observation, scratch) {
        return matches!(answer, Answer::No);
    }
    let search = &mut scratch.search;
    problem.question.allowance = question.allowance.with_states(SOON);
    (problem.partial_order, problem.whole_graph) = (PartialOrder::Off, true);
    matches!(run_removed(search, &mut problem, Unobserved::Removed), Answer::No)
}

/// Removal alone: it refutes, and confirms where it is exact.
fn by_removal(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    match run_removed(search, problem, Unobserved::Removed) {
        Answer::Yes(_) if !problem.automaton.removal_is_exact() => {
            Answer::Unknown(InconclusiveReason::Removal)
        }
        answer => answer,
    }
}

/// Removal, with what it finds lifted to the whole terms where it is not exact, or a witness is wanted.
fn by_lifting(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    let is_exact = problem.automaton.removal_is_exact();
    match run_removed(search, problem, Unobserved::Removed) {
        Answer::Yes(_) if is_exact && !problem.witness => Answer::Yes(None),
        Answer::Yes(_) => lift(search, problem).unwrap_or(match is_exact {
            true => Answer::Yes(None),
            false => Answer::Unknown(InconclusiveReason::Removal),
        }),
        answer => answer,
    }
}

/// Removal and lifting first, then simulation of what they leave open.
fn by_both(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    match by_lifting(search, problem) {
        Answer::Unknown(InconclusiveReason::Removal) => by_simulation(search, problem),
        Answer::Yes(None) if problem.witness => match by_simulation(search, problem) {
            Answer::Yes(witness) => Answer::Yes(witness),
            _ => Answer::Yes(None),
        },
        answer => answer,
    }
}
