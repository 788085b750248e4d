//! Stages on terms, whose derivatives are found on demand.
//
// Idea: complete logs leave finitely many nodes, so one search decides them. Prefixes and missing logs are refuted by
// lifeline removal (papers 002 and 003), and confirmed by it where it is exact. So are slices, whose unobserved beginnings
// are simulated. Where it is not exact, the path that it found is lifted to the whole terms (`lifting.rs`), which confirms
// most. Sessions that stay open are decided with as many repetitions of loops as they can need (`search/repetitions.rs`).
//
// Invariant: removal over-approximates, so it confirms only where `removal_is_exact` or its path is lifted; simulation
// finds only accepted sessions, so it refutes only if nothing was cut.
//
// Cost: finding derivatives, once for all sessions; then as the search on a compiled automaton.

use crate::config::{Criterion, Method};
use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decide::run::run;
use crate::decider_name::DeciderName;
use crate::lazy_automaton::LazyAutomaton;
use crate::search::lifting::Lifting;
use crate::search::problem::{PartialOrder, Problem, Unobserved};
use crate::search::repetitions::RepetitionSearch;
use crate::search::shuffle_search::ShuffleSearch;
use crate::search::simulation::Simulation;
use multitrace_interaction::{InconclusiveReason, Observation};

/// A search problem on terms.
type TermProblem<'t> = Problem<'t, LazyAutomaton>;

/// A search of complete logs.
pub(super) struct TermSearch;

/// Removal of locations whose logs are read, and the way in which its paths become certain.
pub(super) enum Removal {
    /// Paths that it finds are lifted to the whole terms where it is not exact, or a witness is wanted.
    Lifted,
    /// It refutes, and confirms where it is exact.
    Alone,
    /// It confirms that nothing can be refuted.
    Fitting,
    /// It refutes alone, and visits the same nodes whatever the numbers of terms.
    Whole,
}

/// Removal of locations at the ends of their logs, for slices. Of the many ways into the middle of an execution it follows the
/// shortest first.
pub(super) struct RemovalAtEnds;

/// Unobserved moves with as many repetitions of loops as the session can need.
pub(super) struct Repetitions;

/// Simulation as far as the criterion of the configuration goes.
pub(super) struct CriterionSimulation;

/// Searches within a number of nodes, and leaves the problem as it was.
fn within<'t, R>(
    limit: u64,
    problem: &mut TermProblem<'t>,
    search: impl FnOnce(&mut TermProblem<'t>) -> R,
) -> R {
    let whole = problem.question.allowance.clone();
    problem.question.allowance = whole.with_states(limit);
    let found = search(problem);
    problem.question.allowance = whole;
    problem.unobserved = Unobserved::Moves;
    found
}

impl Decider for TermSearch {
    fn name(&self) -> DeciderName {
        DeciderName::TermSearch
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let (search, problem) = (&mut run.scratch.search, run.terms.as_mut()?);
        let answer = within(limit, problem, |problem| self::run(search, problem));
        run.unless_cut(answer, limit)
    }
}

impl Decider for Removal {
    fn name(&self) -> DeciderName {
        DeciderName::Removal
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let is_slice = run.observation == Observation::Slice;
        let (search, problem) = (&mut run.scratch.search, run.terms.as_mut()?);
        let is_exact = problem.automaton.removal_is_exact();
        let open = Answer::Unknown(InconclusiveReason::Removal);
        if is_slice {
            return Some(open);
        }
        let partial_order = problem.partial_order;
        if matches!(self, Removal::Whole) {
            (problem.partial_order, problem.whole_graph) = (PartialOrder::Off, true);
        }
        let answer = within(limit, problem, |problem| {
            let answer = run_removed(search, problem, Unobserved::Removed);
            match (self, answer) {
                (Removal::Lifted, Answer::Yes(_)) if !is_exact || problem.witness => {
                    lift(search, problem).or(is_exact.then_some(Answer::Yes(None)))
                }
                (Removal::Alone, Answer::Yes(_)) if !is_exact => Some(open),
                (Removal::Fitting, Answer::No) | (Removal::Whole, Answer::Yes(_)) => None,
                (_, answer) => Some(answer),
            }
        });
        (problem.partial_order, problem.whole_graph) = (partial_order, false);
        run.unless_cut(answer?, limit)
    }
}

impl Decider for RemovalAtEnds {
    fn name(&self) -> DeciderName {
        DeciderName::RemovalAtEnds
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let (search, problem) = (&mut run.scratch.search, run.terms.as_mut()?);
        let answer = within(limit, problem, |problem| at_ends(search, problem));
        answer.filter(|it| !it.is_spent_on_nodes() && !matches!(it, Answer::Unknown(_)))
    }
}

/// `None` if the path that removal finds cannot be lifted.
fn at_ends(search: &mut ShuffleSearch, problem: &mut TermProblem<'_>) -> Option<Answer> {
    match run_removed(search, problem, Unobserved::RemovedAtEnd) {
        Answer::Yes(_) if problem.automaton.removal_is_exact() => Some(Answer::Yes(None)),
        Answer::Yes(_) => lift(search, problem),
        answer => Some(answer),
    }
}

impl Decider for Repetitions {
    fn name(&self) -> DeciderName {
        DeciderName::Repetitions
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let (scratch, problem) = (&mut run.scratch.search, run.terms.as_mut()?);
        let answer = within(limit, problem, |problem| {
            let mut search = RepetitionSearch::new(problem);
            let outcome = search.run();
            scratch.count(search.visits());
            let (witness, furthest) = (|| search.witness(), || search.furthest());
            Answer::of(outcome, search.visits(), witness, furthest)
        });
        run.unless_cut(answer, limit)
    }
}

impl Decider for CriterionSimulation {
    fn name(&self) -> DeciderName {
        DeciderName::Simulation
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let (search, problem) = (&mut run.scratch.search, run.terms.as_mut()?);
        let Method::Simulation(criterion) = run.task.config.comparison.method else { return None };
        Some(within(limit, problem, |problem| simulate(search, problem, &criterion)))
    }
}

/// Simulation as far as a criterion goes.
fn simulate(
    search: &mut ShuffleSearch,
    problem: &TermProblem<'_>,
    criterion: &Criterion,
) -> Answer {
    let mut simulation = Simulation::new(problem, criterion);
    let outcome = simulation.run();
    search.count(simulation.explored());
    let (witness, furthest) = (|| simulation.witness(), || simulation.furthest());
    Answer::of(outcome, simulation.explored(), witness, furthest)
}

/// Searches terms with locations removed. Their paths are not traces of the specification, so they are not witnesses.
fn run_removed(
    search: &mut ShuffleSearch,
    problem: &mut TermProblem<'_>,
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

/// Confirms the session for which a search with locations removed has just found a path, if the path can be lifted.
fn lift(search: &mut ShuffleSearch, problem: &TermProblem<'_>) -> Option<Answer> {
    let path = search.path_found();
    let most = LIFTED_NODES + LIFTED_NODES_PER_STEP * path.1.len() as u64;
    let mut lifting = Lifting::new(problem, path, most);
    let is_found = matches!(lifting.run(), Ok(true));
    search.count(lifting.visits());
    is_found.then(|| Answer::Yes(problem.witness.then(|| lifting.witness()).flatten()))
}
