//! Deciding: whether a session is accepted in one observation mode, by each engine.

use crate::automaton::{Automaton, LazyAutomaton, Traces};
use crate::check::{CheckConfig, Procedure, Scratch};
use crate::forward::local_failure;
use crate::local_analysis::LocalAnalysis;
use crate::monitor::Monitor;
use crate::search::{LookAhead, Outcome, Problem, ShuffleSearch, Unobserved};
use multitrace_formats::report::Engine;
use multitrace_interaction::{InconclusiveReason, Observation, Session, Witness};
use std::cell::RefCell;

/// No search can hold more nodes than this, whatever the budget.
const MOST_NODES: u64 = 1 << 31;
/// The most nodes visited while unobserved moves of a term are simulated.
const SIMULATION_BUDGET: u64 = 50_000;

/// What one observation mode says.
pub(crate) enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
}

impl Monitor {
    /// Whether an engine accepts the session in an observation mode other than global-prefix.
    pub(crate) fn decide_by(
        &self,
        engine: Engine,
        session: &Session,
        config: &CheckConfig,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        match engine {
            Engine::Nfa => self.decide(session, config, observation, scratch),
            Engine::Term => self.decide_on_terms(session, config, observation, scratch),
        }
    }

    /// Whether the compiled automaton accepts the session in an observation mode.
    fn decide(
        &self,
        session: &Session,
        config: &CheckConfig,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        let Ok(automaton) = self.central() else { return Answer::No };
        let Scratch { suffixes, search } = scratch;
        let trace = &session.trace;
        let centralized = config.procedure == Procedure::Centralized;
        if !centralized && !suffixes.fill(self, &automaton.search, trace, observation) {
            return Answer::No;
        }
        let problem = Problem {
            monitor: self,
            automaton: if centralized { &automaton.full } else { &automaton.search },
            trace,
            observation,
            look_ahead: match config.look_ahead && !centralized {
                true => LookAhead::Tables(suffixes),
                false => LookAhead::Blind,
            },
            unobserved: Unobserved::Moves,
            budget: config.budget_states.min(MOST_NODES),
            heaviest: u32::MAX,
        };
        run(search, &problem, config.witness)
    }

    /// Whether the terms of the specification accept the session in an observation mode.
    ///
    /// Complete traces leave finitely many nodes. Prefixes are refuted by lifeline removal, and
    /// confirmed by it where it is exact; else, and for slices, unobserved moves are simulated.
    fn decide_on_terms(
        &self,
        session: &Session,
        config: &CheckConfig,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        if local_failure(self, session, observation).is_some() {
            return Answer::No;
        }
        let Some(terms) = self.terms(Traces::Enough) else { return Answer::No };
        let analysis = LocalAnalysis::new(&terms, &session.trace, observation);
        let analysis = RefCell::new(analysis);
        let mut problem = Problem {
            monitor: self,
            automaton: &*terms,
            trace: &session.trace,
            observation,
            look_ahead: match config.look_ahead {
                true => LookAhead::Terms(&analysis),
                false => LookAhead::Blind,
            },
            unobserved: Unobserved::Moves,
            budget: config.budget_states.min(MOST_NODES),
            heaviest: heaviest(&terms, session),
        };
        let search = &mut scratch.search;
        if observation == Observation::Complete {
            return run(search, &problem, config.witness);
        }
        let exact = observation == Observation::Prefix && terms.removal_is_exact();
        if observation == Observation::Prefix {
            problem.unobserved = Unobserved::Removed;
            let removed = run(search, &problem, false);
            if (exact && !config.witness) || !matches!(removed, Answer::Yes(_)) {
                return removed;
            }
        }
        problem.unobserved = Unobserved::FairMoves;
        problem.budget = problem.budget.min(SIMULATION_BUDGET);
        match run(search, &problem, config.witness) {
            Answer::Unknown(_) if exact => Answer::Yes(None),
            Answer::Unknown(_) => {
                Answer::Unknown(InconclusiveReason::Simulation(search.explored()))
            }
            decided => decided,
        }
    }

    /// Whether the session is the projection of a prefix of an accepted global trace: all events
    /// are read, nothing goes unobserved (paper 001 sec. 4.5). What is compiled keeps only some
    /// interleavings, so this runs on the interaction as it was written, or on the automaton that
    /// was given instead.
    ///
    /// When that fails for lack of observation, a longer observation might help, unless no
    /// extension of the local traces is accepted: then, and only then, it is a failure all the same.
    pub(crate) fn decide_global_prefix(
        &self,
        engine: Engine,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Answer {
        if local_failure(self, session, Observation::GlobalPrefix).is_some() {
            return Answer::No;
        }
        let answer = match (self.terms(Traces::All), self.central()) {
            (Some(terms), _) => self.read_all(&*terms, session, config, scratch),
            (None, Ok(automaton)) => self.read_all(&automaton.full, session, config, scratch),
            (None, Err(_)) => Answer::No,
        };
        if !matches!(answer, Answer::No) || !scratch.search.lacks_observation() {
            return answer;
        }
        match self.decide_by(engine, session, config, Observation::Prefix, scratch) {
            Answer::No => Answer::No,
            _ => Answer::Unknown(InconclusiveReason::LackOfObservation),
        }
    }

    fn read_all<A: Automaton>(
        &self,
        automaton: &A,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Answer {
        let problem = Problem {
            monitor: self,
            automaton,
            trace: &session.trace,
            observation: Observation::GlobalPrefix,
            look_ahead: LookAhead::Blind,
            unobserved: Unobserved::Moves,
            budget: config.budget_states.min(MOST_NODES),
            heaviest: u32::MAX,
        };
        run(&mut scratch.search, &problem, config.witness)
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

fn run<A: Automaton>(
    search: &mut ShuffleSearch,
    problem: &Problem<'_, A>,
    witness: bool,
) -> Answer {
    match search.run(problem, &mut |_, _| {}) {
        Outcome::Found(node) => Answer::Yes(witness.then(|| search.witness(problem, node))),
        Outcome::Exhausted => Answer::No,
        Outcome::OutOfBudget => Answer::Unknown(InconclusiveReason::StateBudget(problem.budget)),
    }
}
