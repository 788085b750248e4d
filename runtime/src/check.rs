//! The verdict of one session: decided as complete, then as partly observed, and on failure the
//! cause.

use crate::automaton::Traces;
use crate::decide::Answer;
use crate::explain::{frontier, has_accepting_path, inter};
use crate::forward::local_failure;
use crate::monitor::Monitor;
use crate::search::ShuffleSearch;
use crate::suffixes::Suffixes;
use multitrace_formats::report::Engine;
use multitrace_interaction::{Cause, Frontier, LetterId, Observation, Session, Verdict, Witness};

/// Which procedure decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Procedure {
    /// Local checks first, then a search with look-ahead.
    #[default]
    SemiCentralized,
    /// Algorithm 1 of paper 004 as it is: a search over the full automaton, nothing before it.
    Centralized,
}

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

/// The most nodes visited to find the furthest interleaving of a session that failed: a fixed
/// number, and some per event, so that long logs with little choice are followed to their end.
const FRONTIER_BUDGET: u64 = 100_000;
const FRONTIER_BUDGET_PER_EVENT: u64 = 4;

fn frontier_budget(session: &Session, config: &CheckConfig) -> u64 {
    let events = session.event_count() as u64;
    (FRONTIER_BUDGET + FRONTIER_BUDGET_PER_EVENT * events).min(config.budget_states)
}

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
    pub(crate) suffixes: Suffixes,
    pub(crate) search: ShuffleSearch,
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
        let budget = frontier_budget(session, config);
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
        let budget = frontier_budget(session, config);
        let Some(terms) = self.terms(Traces::Enough) else {
            return Cause::Central(Frontier::default());
        };
        let mut furthest = frontier(self, &*terms, session, Observation::Complete, budget, search);
        furthest.complete &= config.observation == Observation::Complete;
        Cause::Central(furthest)
    }
}

fn has_unknown_events(session: &Session) -> bool {
    let unknown = || session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    !session.foreign.is_empty() || !session.unknown.is_empty() || unknown()
}
