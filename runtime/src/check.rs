//! The verdict of one session: the local pass, the central search, and on failure the cause.

use crate::explain::{frontier, has_accepting_path, inter};
use crate::forward::local_failure;
use crate::monitor::Monitor;
use crate::search::{Outcome, Problem, ShuffleSearch};
use crate::suffixes::Suffixes;
use multitrace_formats::bundle::Automaton;
use multitrace_interaction::{
    Cause, InconclusiveReason, LetterId, Observation, Session, Verdict, Witness,
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

/// How to check sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckConfig {
    /// What the logs are assumed to contain.
    pub observation: Observation,
    /// Which procedure decides.
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

/// What one observation mode says.
enum Answer {
    Yes(Option<Witness>),
    No,
    OutOfBudget,
}

impl Monitor {
    /// Checks one session.
    pub fn check(&self, session: &Session, config: &CheckConfig, scratch: &mut Scratch) -> Checked {
        match self.central() {
            Ok(automaton) => self.check_with_automaton(automaton, session, config, scratch),
            Err(unsupported) => {
                let reason = || InconclusiveReason::NoAutomaton(unsupported.to_string());
                let verdict = match local_failure(self, session, config.observation) {
                    Some(failure) => Verdict::Fail(Cause::Local(failure)),
                    None => Verdict::Inconclusive(reason()),
                };
                Checked { verdict, witness: None, explored: 0 }
            }
        }
    }

    fn check_with_automaton(
        &self,
        automaton: &Automaton,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Checked {
        let mut explored = 0;
        let mut decide = |observation, scratch: &mut Scratch| {
            let answer = self.decide(automaton, session, config, observation, scratch);
            explored += scratch.search.explored();
            answer
        };
        let out_of_budget =
            || Verdict::Inconclusive(InconclusiveReason::StateBudget(config.budget_states));
        let complete = decide(Observation::Complete, scratch);
        let (verdict, witness) = match complete {
            Answer::Yes(witness) => (Verdict::Pass, witness),
            // A weak answer would leave open whether it is a pass.
            Answer::OutOfBudget => (out_of_budget(), None),
            Answer::No if config.observation == Observation::Complete => {
                (self.failure(automaton, session, config, scratch), None)
            }
            Answer::No => match decide(config.observation, scratch) {
                Answer::Yes(witness) => (Verdict::WeakPass, witness),
                Answer::OutOfBudget => (out_of_budget(), None),
                Answer::No => (self.failure(automaton, session, config, scratch), None),
            },
        };
        Checked { verdict, witness, explored }
    }

    /// Whether the session is accepted in an observation mode.
    fn decide(
        &self,
        automaton: &Automaton,
        session: &Session,
        config: &CheckConfig,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        let Scratch { suffixes, search } = scratch;
        search.reset();
        let trace = &session.trace;
        let unknown = || trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
        if !session.foreign.is_empty() || !session.unknown.is_empty() || unknown() {
            return Answer::No;
        }
        let centralized = config.procedure == Procedure::Centralized;
        if !centralized && !suffixes.fill(self, &automaton.search, trace, observation) {
            return Answer::No;
        }
        let look_ahead = (!centralized && config.look_ahead).then_some(&*suffixes);
        let nfa = if centralized { &automaton.full } else { &automaton.search };
        let budget = config.budget_states.min(MOST_NODES);
        let problem = Problem { monitor: self, nfa, trace, observation, look_ahead, budget };
        match search.run(&problem, &mut |_, _| {}) {
            Outcome::Found(node) => {
                Answer::Yes(config.witness.then(|| search.witness(&problem, node)))
            }
            Outcome::Exhausted => Answer::No,
            Outcome::OutOfBudget => Answer::OutOfBudget,
        }
    }

    /// The cause of a failure that has been decided.
    fn failure(
        &self,
        automaton: &Automaton,
        session: &Session,
        config: &CheckConfig,
        scratch: &mut Scratch,
    ) -> Verdict {
        if let Some(failure) = local_failure(self, session, config.observation) {
            return Verdict::Fail(Cause::Local(failure));
        }
        let full = &automaton.full;
        let common = inter(self, full, session, config.observation);
        let budget = FRONTIER_BUDGET.min(config.budget_states);
        let furthest =
            frontier(self, full, session, config.observation, budget, &mut scratch.search);
        Verdict::Fail(if has_accepting_path(full, &common) {
            Cause::Central(furthest)
        } else {
            Cause::Inter(furthest)
        })
    }
}
