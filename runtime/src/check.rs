//! The verdict of one session: decided as complete, then as partly observed, and on failure the
//! cause.

use crate::automaton::Traces;
use crate::budget::{Allowance, Budget};
use crate::decide::Answer;
use crate::explain::{frontier, frontier_of_sets, has_accepting_path, inter};
use crate::forward::local_failure;
use crate::layered_search::LayeredSearch;
use crate::monitor::Monitor;
use crate::packed_search::PackedSearch;
use crate::search::ShuffleSearch;
use crate::simulation::Criterion;
use crate::suffixes::Suffixes;
use multitrace_interaction::{
    Cause, Engine, Frontier, LetterId, Nfa, Observation, Session, Verdict, Witness,
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

/// How a compiled automaton is searched. All but the first are for comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchChoice {
    /// As suits the session.
    #[default]
    Auto,
    /// Node by node, without look-ahead.
    Blind,
    /// Node by node, with look-ahead.
    Nodes,
    /// The same with nodes of one word, where they fit one and no witness is asked for.
    Packed,
    /// On sets of states, where the automaton is small and no witness is asked for.
    Sets,
}

/// How terms decide sessions that are partly observed, where the unobserved actions may be endless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Both of the others, the simulation as far as the budget goes.
    #[default]
    Exact,
    /// Lifeline removal alone (papers 002 and 003). It answers prefixes, and confirms them only
    /// where it is exact. For comparison.
    Removal,
    /// Simulation alone, as far as a criterion goes (paper 000 sec. 5). For comparison.
    Simulation(Criterion),
}

/// The reductions of paper 003, on the interaction as it was written and without any other. For
/// comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// Events that are one-unambiguous are read first (sec. 5.1).
    pub partial_order: bool,
    /// Dead ends are found by analyses of single locations (sec. 5.2).
    pub local_analyses: bool,
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
    /// How the compiled automaton is searched, by the semi-centralized procedure.
    pub search: SearchChoice,
    /// How many events of a local trace look-ahead on terms reads; `None` for all.
    pub look_ahead_depth: Option<u32>,
    /// How terms decide sessions that are partly observed.
    pub method: Method,
    /// These reductions on terms instead of our own.
    pub reductions: Option<Reductions>,
    /// The most one session may cost.
    pub budget: Budget,
    /// Whether passes come with a witness.
    pub witness: bool,
}

impl Default for CheckConfig {
    fn default() -> CheckConfig {
        CheckConfig {
            observation: Observation::Complete,
            engine: EngineChoice::Auto,
            procedure: Procedure::SemiCentralized,
            search: SearchChoice::Auto,
            look_ahead_depth: None,
            method: Method::Exact,
            reductions: None,
            budget: Budget::default(),
            witness: false,
        }
    }
}

/// The most nodes visited to find the furthest interleaving of a session that failed: a fixed
/// number, and some per event, so that long logs with little choice are followed to their end.
const FRONTIER_BUDGET: u64 = 100_000;
const FRONTIER_BUDGET_PER_EVENT: u64 = 4;

/// One session on its way to a verdict.
pub(crate) struct Task<'a> {
    pub(crate) session: &'a Session,
    pub(crate) config: &'a CheckConfig,
    pub(crate) engine: Engine,
    pub(crate) allowance: Allowance,
}

impl Task<'_> {
    fn frontier_allowance(&self) -> Allowance {
        let events = self.session.event_count() as u64;
        self.allowance.with_states(FRONTIER_BUDGET + FRONTIER_BUDGET_PER_EVENT * events)
    }
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
    pub(crate) packed: PackedSearch,
    pub(crate) layered: LayeredSearch,
    /// Nodes visited by searches other than `search`.
    pub(crate) visits: u64,
}

impl Scratch {
    fn reset(&mut self) {
        self.search.reset();
        self.visits = 0;
    }

    fn explored(&self) -> u64 {
        self.search.explored() + self.visits
    }
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
        let allowance = Allowance::begin(&config.budget);
        let task = Task { session, config, engine, allowance };
        let mut explored = 0;
        let mut decide = |observation, scratch: &mut Scratch| {
            scratch.reset();
            let answer = if has_unknown_events(session) {
                Answer::No
            } else {
                self.decide(&task, observation, scratch)
            };
            explored += scratch.explored();
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
            Answer::No => (Verdict::Fail(self.cause(&task, scratch)), None),
        };
        Checked { verdict, witness, explored }
    }

    /// The cause of a failure that has been decided.
    fn cause(&self, task: &Task<'_>, scratch: &mut Scratch) -> Cause {
        if let Some(failure) = local_failure(self, task.session, task.config.observation) {
            return Cause::Local(failure);
        }
        match (task.engine, self.central()) {
            (Engine::Nfa, Ok(automaton)) => self.global_cause(&automaton.full, task, scratch),
            _ => self.global_cause_on_terms(task, &mut scratch.search),
        }
    }

    fn global_cause(&self, full: &Nfa, task: &Task<'_>, scratch: &mut Scratch) -> Cause {
        let (session, observation) = (task.session, task.config.observation);
        let common = inter(self, full, session, observation);
        let allowance = task.frontier_allowance();
        let by_sets = matches!(task.config.search, SearchChoice::Auto | SearchChoice::Sets);
        let furthest = by_sets.then(|| {
            let search = &mut scratch.layered;
            frontier_of_sets(self, full, session, observation, &allowance, search)
        });
        let furthest = furthest.flatten().unwrap_or_else(|| {
            frontier(self, full, session, observation, allowance, &mut scratch.search)
        });
        if has_accepting_path(full, &common) {
            Cause::Central(furthest)
        } else {
            Cause::Inter(furthest)
        }
    }

    /// Areas are parts of a compiled automaton: without them there is no telling inter from
    /// central. Unobserved moves may be endless, so the frontier is that of the events alone.
    fn global_cause_on_terms(&self, task: &Task<'_>, search: &mut ShuffleSearch) -> Cause {
        let Some(terms) = self.terms(Traces::Enough) else {
            return Cause::Central(Frontier::default());
        };
        let (session, allowance) = (task.session, task.frontier_allowance());
        let complete = Observation::Complete;
        let mut furthest = frontier(self, &*terms, session, complete, allowance, search);
        furthest.complete &= task.config.observation == complete;
        Cause::Central(furthest)
    }
}

fn has_unknown_events(session: &Session) -> bool {
    let unknown = || session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    !session.foreign.is_empty() || !session.unknown.is_empty() || unknown()
}
