//! The verdict of one session: the local pass, the central search, and on failure the cause.

use crate::automaton::{Automaton, LazyAutomaton, Traces};
use crate::explain::{frontier, has_accepting_path, inter};
use crate::forward::local_failure;
use crate::local_analysis::LocalAnalysis;
use crate::monitor::Monitor;
use crate::search::{LookAhead, Outcome, Problem, ShuffleSearch, Unobserved};
use crate::suffixes::Suffixes;
use multitrace_formats::report::Engine;
use multitrace_interaction::{
    Cause, Frontier, InconclusiveReason, LetterId, Observation, Session, Verdict, Witness,
};

/// Which procedure decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Procedure {
    /// Local checks first, then a search with look-ahead.
    #[default]
    SemiCentralized,
    /// Algorithm 1 of paper 004 as it is: a search over the full automaton, nothing before it.
    Centralized,
}

use std::cell::RefCell;

/// Which engine decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The compiled automaton where there is one, else terms.
    #[default]
    Auto,
    /// The compiled automaton.
    Nfa,
    /// Terms, whose derivatives are computed on demand.
    Term,
}

/// How to check sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckConfig {
    /// What the logs are assumed to contain.
    pub observation: Observation,
    /// Which engine decides.
    pub engine: EngineChoice,
    /// Which procedure decides, on the compiled automaton.
    pub procedure: Procedure,
    /// Whether the search avoids the dead ends the local pass knows. For comparison.
    pub look_ahead: bool,
    /// The most nodes one search may visit.
    pub budget_states: u64,
    /// Whether passes come with a witness.
    pub witness: bool,
}

impl Default for CheckConfig {
    fn default() -> CheckConfig {
        CheckConfig {
            observation: Observation::Complete,
            engine: EngineChoice::Auto,
            procedure: Procedure::SemiCentralized,
            look_ahead: true,
            budget_states: 4_000_000,
            witness: false,
        }
    }
}

/// No search can hold more nodes than this, whatever the budget.
const MOST_NODES: u64 = 1 << 31;
/// The most nodes visited to find the furthest interleaving of a session that failed.
const FRONTIER_BUDGET: u64 = 100_000;

/// The answer for one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The verdict, with its evidence.
    pub verdict: Verdict,
    /// The accepted global trace behind a pass or a weak pass, when asked for.
    pub witness: Option<Witness>,
    /// Nodes visited to decide, not counting those for an explanation.
    pub explored: u64,
}

/// Memory that is reused from session to session; one per worker.
#[derive(Debug, Default)]
pub struct Scratch {
    suffixes: Suffixes,
    search: ShuffleSearch,
}

/// The most nodes visited while unobserved moves of a term are simulated.
const SIMULATION_BUDGET: u64 = 50_000;

/// What one observation mode says.
enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
}

impl Monitor {
    /// Which engine checks sessions with this choice; `None` when it is not to be had.
    pub fn engine(&self, choice: EngineChoice) -> Option<Engine> {
        let (nfa, terms) = (self.central().is_ok(), self.bundle().source.is_some());
        match choice {
            EngineChoice::Auto | EngineChoice::Nfa if nfa => Some(Engine::Nfa),
            EngineChoice::Auto | EngineChoice::Term if terms => Some(Engine::Term),
            _ => None,
        }
    }

    /// Checks one session.
    ///
    /// # Panics
    /// When the engine of the configuration is not to be had, see [`Monitor::engine`].
    pub fn check(&self, session: &Session, config: &CheckConfig, scratch: &mut Scratch) -> Checked {
        let engine = self.engine(config.engine).expect("the engine is to be had");
        let mut explored = 0;
        let mut decide = |observation, scratch: &mut Scratch| {
            scratch.search.reset();
            let answer = if has_unknown_events(session) {
                Answer::No
            } else if observation == Observation::GlobalPrefix {
                self.decide_global_prefix(engine, session, config, scratch)
            } else {
                self.decide_by(engine, session, config, observation, scratch)
            };
            explored += scratch.search.explored();
            answer
        };
        let mut answer = decide(Observation::Complete, scratch);
        let accepted = matches!(answer, Answer::Yes(_));
        // When the search was cut, a weak answer would leave open whether it is a pass.
        if matches!(answer, Answer::No) && config.observation != Observation::Complete {
            answer = decide(config.observation, scratch);
        }
        let (verdict, witness) = match answer {
            Answer::Yes(witness) if accepted => (Verdict::Pass, witness),
            Answer::Yes(witness) => (Verdict::WeakPass, witness),
            Answer::Unknown(reason) => (Verdict::Inconclusive(reason), None),
            Answer::No => (self.failure(engine, session, config, scratch), None),
        };
        Checked { verdict, witness, explored }
    }

    fn decide_by(
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
        if observation == Observation::Prefix {
            problem.unobserved = Unobserved::Removed;
            let removed = run(search, &problem, false);
            let exact = terms.removal_is_exact() && !config.witness;
            if exact || !matches!(removed, Answer::Yes(_)) {
                return removed;
            }
        }
        problem.unobserved = Unobserved::FairMoves;
        problem.budget = problem.budget.min(SIMULATION_BUDGET);
        match run(search, &problem, config.witness) {
            Answer::Unknown(_)
                if observation == Observation::Prefix && terms.removal_is_exact() =>
            {
                Answer::Yes(None)
            }
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
    fn decide_global_prefix(
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

    /// The cause of a failure that has been decided.
    fn failure(
        &self,
        engine: Engine,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Verdict {
        if let Some(failure) = local_failure(self, session, config.observation) {
            return Verdict::Fail(Cause::Local(failure));
        }
        let search = &mut scratch.search;
        let cause = match (engine, self.central()) {
            (Engine::Nfa, Ok(automaton)) => self.global_cause(automaton, session, config, search),
            _ => self.global_cause_on_terms(session, config, search),
        };
        Verdict::Fail(cause)
    }

    fn global_cause(
        &self,
        automaton: &multitrace_formats::bundle::Automaton,
        session: &Session,
        config: &CheckConfig,
        search: &mut ShuffleSearch,
    ) -> Cause {
        let (full, observation) = (&automaton.full, config.observation);
        let common = inter(self, full, session, observation);
        let budget = FRONTIER_BUDGET.min(config.budget_states);
        let furthest = frontier(self, full, session, observation, budget, search);
        if has_accepting_path(full, &common) {
            Cause::Central(furthest)
        } else {
            Cause::Inter(furthest)
        }
    }

    /// Areas are parts of a compiled automaton: without them there is no telling inter from
    /// central. Unobserved moves may be endless, so the frontier is that of the events alone.
    fn global_cause_on_terms(
        &self,
        session: &Session,
        config: &CheckConfig,
        search: &mut ShuffleSearch,
    ) -> Cause {
        let budget = FRONTIER_BUDGET.min(config.budget_states);
        let Some(terms) = self.terms(Traces::Enough) else {
            return Cause::Central(Frontier::default());
        };
        let mut furthest = frontier(self, &*terms, session, Observation::Complete, budget, search);
        furthest.complete &= config.observation == Observation::Complete;
        Cause::Central(furthest)
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

fn has_unknown_events(session: &Session) -> bool {
    let unknown = || session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    !session.foreign.is_empty() || !session.unknown.is_empty() || unknown()
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
