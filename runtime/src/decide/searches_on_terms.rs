//! Searches on terms, and what they are set up with: reductions, look-ahead, removal, simulation.
//
// Idea: the ways to decide on terms (`on_terms.rs`, `slices_on_terms.rs`, `global_prefix.rs`) put the same searches into
// different orders.
//
// Invariant: removal over-approximates, so it confirms only where `removal_is_exact`; simulation finds only what is
// accepted, so it refutes only if nothing was cut.
//
// Cost: that of the search; setting one up takes no search.

use crate::config::{CheckConfig, Criterion, Method, Reductions, SearchChoice};
use crate::decide::answer::Answer;
use crate::decide::run::run;
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::look_ahead::dead_ends::DeadEnds;
use crate::look_ahead::local_analysis::LocalAnalysis;
use crate::search::lifting::Lifting;
use crate::search::problem::{PartialOrder, Problem, Unobserved};
use crate::search::shuffle_search::ShuffleSearch;
use crate::search::simulation::Simulation;
use crate::task::Task;
use multitrace_interaction::{BudgetLimit, InconclusiveReason, Observation};
use std::cell::RefCell;

/// The most nodes visited while unobserved moves of a term are simulated without a criterion, and then with one. It
/// bounds the time that a session without an answer takes. By `scripts/large` with 12 lifelines and 40 messages, of
/// 2,500 slices 147 stay open with 3,000 nodes, 102 with 10,000 and 80 with 20,000, and the longest that an automaton does not
/// decide takes twice as long each time.
pub(super) const FAIR_NODES: u64 = 10_000;

/// What to search: the terms, with the reductions and the look-ahead of the configuration.
pub(crate) fn problem<'a>(
    terms: &'a LazyAutomaton,
    task: &Task<'a>,
    observation: Observation,
    analysis: &'a RefCell<LocalAnalysis<'a>>,
) -> Problem<'a, LazyAutomaton> {
    let mut question = task.question(observation);
    question.allowance = question.allowance.on(terms);
    let mut problem = Problem::plain(question, terms);
    let reductions = task.config.comparison.reductions;
    problem.partial_order = match reductions {
        None => PartialOrder::FreePlaces,
        Some(Reductions { partial_order: true, .. }) => PartialOrder::OneUnambiguous,
        Some(_) => PartialOrder::Off,
    };
    let looks_ahead = reductions.is_none_or(|reductions| reductions.local_analyses);
    if task.config.comparison.search != SearchChoice::Blind && looks_ahead {
        problem.dead_ends = DeadEnds::Terms(analysis);
    }
    problem.heaviest = terms.heaviest(task.session.event_count());
    problem
}

/// The reductions of paper 003 and its simulation apply to the interaction as it was written.
pub(crate) fn traces(config: &CheckConfig) -> Traces {
    let comparison = &config.comparison;
    let is_simulated = matches!(comparison.method, Method::Simulation(_));
    if comparison.reductions.is_some() || is_simulated { Traces::Written } else { Traces::Enough }
}

/// The look-ahead of the configuration.
pub(crate) fn analysis<'a>(
    terms: &'a LazyAutomaton,
    task: &Task<'a>,
    observation: Observation,
) -> RefCell<LocalAnalysis<'a>> {
    let depth = task.config.comparison.look_ahead_depth.unwrap_or(u32::MAX);
    RefCell::new(LocalAnalysis::new(terms, task.question(observation), depth))
}

/// Searches terms with locations removed. Their paths are no traces of the specification, so they are no
/// witnesses.
pub(super) fn run_removed(
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
    unobserved: Unobserved,
) -> Answer {
    problem.unobserved = unobserved;
    let witness = std::mem::replace(&mut problem.witness, false);
    problem.keeps_path = witness || !problem.automaton.removal_is_exact();
    let answer = run(search, problem);
    (problem.witness, problem.keeps_path) = (witness, false);
    answer
}

/// The most nodes that are visited to lift a path, and how many more for each step of the path. Estimates.
const LIFTED_NODES: u64 = 400;
const LIFTED_NODES_PER_STEP: u64 = 8;

/// Confirms what a search with locations removed has just found, if its path can be lifted.
pub(super) fn lift(
    search: &mut ShuffleSearch,
    problem: &Problem<'_, LazyAutomaton>,
) -> Option<Answer> {
    let path = search.path_found();
    let most = LIFTED_NODES + LIFTED_NODES_PER_STEP * path.1.len() as u64;
    let mut lifting = Lifting::new(problem, path, most);
    let is_found = lifting.run();
    search.count(lifting.visits());
    is_found.then(|| Answer::Yes(problem.witness.then(|| lifting.witness()).flatten()))
}

/// Simulation as far as the budget goes; then as far as the criterion of paper 000 goes.
pub(super) fn by_simulation(
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
) -> Answer {
    problem.question.allowance = problem.question.allowance.with_states(FAIR_NODES);
    problem.unobserved = Unobserved::FairMoves;
    match run(search, problem) {
        Answer::Spent(BudgetLimit::States(_), _)
        | Answer::Unknown(InconclusiveReason::Simulation(_)) => by_criterion(search, problem),
        decided => decided,
    }
}

/// Simulation as far as the criterion of paper 000 goes, within the budget of fair simulation.
pub(super) fn by_criterion(
    search: &mut ShuffleSearch,
    problem: &mut Problem<'_, LazyAutomaton>,
) -> Answer {
    problem.question.allowance = problem.question.allowance.with_states(FAIR_NODES);
    problem.unobserved = Unobserved::Moves;
    match simulate(search, problem, &Criterion::default()) {
        Answer::Spent(BudgetLimit::States(states), _) => {
            Answer::Unknown(InconclusiveReason::Simulation(states))
        }
        answer => answer,
    }
}

/// Simulation as far as a criterion goes.
pub(super) fn simulate(
    search: &mut ShuffleSearch,
    problem: &Problem<'_, LazyAutomaton>,
    criterion: &Criterion,
) -> Answer {
    let mut simulation = Simulation::new(problem, criterion);
    let outcome = simulation.run();
    search.count(simulation.explored());
    let (witness, furthest) = (|| simulation.witness(), || simulation.furthest());
    Answer::of(outcome, simulation.explored(), witness, furthest)
}
