//! Deciding on terms, for what has no automaton, and for comparison.
//!
//! Complete traces leave finitely many nodes. Prefixes are refuted by lifeline removal (papers 002
//! and 003), and confirmed by it where it is exact; else, and for slices, unobserved moves are
//! simulated (paper 000 sec. 4).

use crate::automaton::{Automaton, LazyAutomaton, Traces};
use crate::budget::Allowance;
use crate::check::{CheckConfig, Method, Reductions, SearchChoice, Task};
use crate::decide::{Answer, run};
use crate::forward::local_failure;
use crate::local_analysis::LocalAnalysis;
use crate::monitor::Monitor;
use crate::search::{LookAhead, Outcome, Problem, ShuffleSearch, Unobserved};
use crate::simulation::{Criterion, simulate};
use multitrace_interaction::{Engine, InconclusiveReason, Observation, Session};
use std::cell::RefCell;

/// The most nodes visited while unobserved moves of a term are simulated without a criterion.
const SIMULATION_BUDGET: u64 = 50_000;

/// What a search with lifeline removal came across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovalGraph {
    /// How many nodes it visited.
    pub vertices: u64,
    /// Whether it found an interleaving; `None` when the budget was spent first.
    pub is_prefix: Option<bool>,
}

impl Monitor {
    /// Whether the terms of the specification accept the session in an observation mode.
    pub(crate) fn decide_on_terms(
        &self,
        task: &Task<'_>,
        observation: Observation,
        search: &mut ShuffleSearch,
    ) -> Answer {
        if local_failure(self, task.session, observation).is_some() {
            return Answer::No;
        }
        let Some(terms) = self.terms(traces(task.config)) else { return Answer::No };
        let analysis = analysis(&terms, task, observation);
        let mut problem = self.problem(&terms, task, observation, &analysis);
        problem.witness = task.config.witness;
        match (observation, task.config.method) {
            (Observation::Complete, _) => run(search, &problem),
            (Observation::Slice, Method::Removal) => Answer::Unknown(InconclusiveReason::Removal),
            (_, Method::Removal) => by_removal(search, &mut problem),
            (_, Method::Simulation(criterion)) => simulate(&problem, &criterion),
            (Observation::Missing | Observation::Prefix, Method::Exact) => {
                by_both(search, &mut problem)
            }
            (_, Method::Exact) => by_simulation(search, &mut problem),
        }
    }

    /// The search for an interleaving of a prefix with lifeline removal, to its end or until one is
    /// found, whichever is asked for; `None` when there are no terms. This is what paper 003 sec. 6
    /// measures. Here a lifeline is removed in the step that ends its log, and nodes that a local
    /// analysis refuses are not counted.
    pub fn removal_graph(
        &self,
        session: &Session,
        config: &CheckConfig,
        whole: bool,
    ) -> Option<RemovalGraph> {
        let terms = self.terms(traces(config))?;
        let allowance = Allowance::begin(&config.budget);
        let task = Task { session, config, engine: Engine::Term, allowance };
        let analysis = analysis(&terms, &task, Observation::Prefix);
        let mut problem = self.problem(&terms, &task, Observation::Prefix, &analysis);
        problem.unobserved = Unobserved::Removed;
        problem.whole_graph = whole;
        let mut search = ShuffleSearch::default();
        let is_prefix = match search.run(&problem, &mut |_, _| {}) {
            Outcome::Spent(_) | Outcome::Cut => None,
            Outcome::Found(_) => Some(true),
            Outcome::Exhausted => Some(false),
        };
        Some(RemovalGraph { vertices: search.explored(), is_prefix })
    }

    fn problem<'a>(
        &'a self,
        terms: &'a LazyAutomaton,
        task: &Task<'a>,
        observation: Observation,
        analysis: &'a RefCell<LocalAnalysis<'a>>,
    ) -> Problem<'a, LazyAutomaton> {
        let (trace, allowance) = (&task.session.trace, task.allowance.clone());
        let mut problem = Problem::plain(self, terms, trace, observation, allowance);
        let ours = Reductions { partial_order: false, local_analyses: true };
        let reductions = task.config.reductions.unwrap_or(ours);
        problem.partial_order = reductions.partial_order;
        if task.config.search != SearchChoice::Blind && reductions.local_analyses {
            problem.look_ahead = LookAhead::Terms(analysis);
        }
        problem.heaviest = heaviest(terms, task.session);
        problem
    }
}

/// The reductions of paper 003 and its simulation are of the interaction as it was written.
fn traces(config: &CheckConfig) -> Traces {
    let as_written = config.reductions.is_some() || matches!(config.method, Method::Simulation(_));
    if as_written { Traces::All } else { Traces::Enough }
}

fn analysis<'a>(
    terms: &'a LazyAutomaton,
    task: &Task<'a>,
    observation: Observation,
) -> RefCell<LocalAnalysis<'a>> {
    let depth = task.config.look_ahead_depth.unwrap_or(u32::MAX);
    RefCell::new(LocalAnalysis::new(terms, &task.session.trace, observation, depth))
}

/// Removal alone: it refutes, and confirms where it is exact.
fn by_removal(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    problem.unobserved = Unobserved::Removed;
    // The way through removed terms is none of the specification.
    let witness = std::mem::replace(&mut problem.witness, false);
    let answer = run(search, problem);
    problem.witness = witness;
    match answer {
        Answer::Yes(_) if !problem.automaton.removal_is_exact() => {
            Answer::Unknown(InconclusiveReason::Removal)
        }
        answer => answer,
    }
}

/// Removal first, then simulation of what it leaves open.
fn by_both(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    match by_removal(search, problem) {
        Answer::Unknown(InconclusiveReason::Removal) => by_simulation(search, problem),
        Answer::Yes(_) if problem.witness => match by_simulation(search, problem) {
            Answer::Yes(witness) => Answer::Yes(witness),
            _ => Answer::Yes(None),
        },
        answer => answer,
    }
}

/// Simulation as far as the budget goes; then as far as the criterion of paper 000 goes.
fn by_simulation(search: &mut ShuffleSearch, problem: &mut Problem<'_, LazyAutomaton>) -> Answer {
    problem.allowance = problem.allowance.with_states(SIMULATION_BUDGET);
    problem.unobserved = Unobserved::FairMoves;
    match run(search, problem) {
        Answer::Unknown(InconclusiveReason::StateBudget(_) | InconclusiveReason::Simulation(_)) => {
            problem.unobserved = Unobserved::Moves;
            match simulate(problem, &Criterion::default()) {
                Answer::Unknown(InconclusiveReason::StateBudget(states)) => {
                    Answer::Unknown(InconclusiveReason::Simulation(states))
                }
                answer => answer,
            }
        }
        decided => decided,
    }
}

/// How large terms may get by unobserved moves: a few times the specification, and room for as
/// many unfinished repetitions as there are events.
fn heaviest(terms: &LazyAutomaton, session: &Session) -> u32 {
    let specification = terms.initial().iter().map(|&state| terms.weight(state)).sum::<u32>();
    let events = u32::try_from(session.event_count()).unwrap_or(u32::MAX);
    let room = events.saturating_mul(2).saturating_add(64);
    specification.saturating_mul(4).saturating_add(room)
}
