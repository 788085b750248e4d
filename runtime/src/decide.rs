//! Deciding: whether a session is accepted in one observation mode, on the compiled automaton; the
//! same on terms is in `decide_terms.rs`.

use crate::automaton::{Automaton, Traces};
use crate::check::{Procedure, Scratch, SearchChoice, Task};
use crate::forward::local_failure;
use crate::layered_search::{LayeredOutcome, LayeredProblem};
use crate::monitor::Monitor;
use crate::packed_search::{Attempt, PackedProblem};
use crate::search::{LookAhead, Outcome, Problem, ShuffleSearch};
use multitrace_interaction::{Engine, InconclusiveReason, Nfa, Observation, Witness};

/// What one observation mode says.
pub(crate) enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
}

/// How many nodes or places each of the quick searches may visit; 0 leaves it out.
struct Visits {
    blind: u64,
    looking: u64,
    sets: u64,
}

impl Visits {
    /// `None` when none of them is wanted.
    fn of(task: &Task<'_>) -> Option<Visits> {
        let (all, events) = (task.allowance.states, task.session.event_count() as u64);
        let none = Visits { blind: 0, looking: 0, sets: 0 };
        match task.config.search {
            SearchChoice::Auto => Some(Visits {
                blind: (32 + events + events / 4).min(all),
                looking: (1_000 + 16 * events).min(all),
                sets: all / 4,
            }),
            SearchChoice::Packed => Some(Visits { looking: all, ..none }),
            SearchChoice::Sets => Some(Visits { sets: all, ..none }),
            SearchChoice::Blind | SearchChoice::Nodes => None,
        }
    }
}

impl Monitor {
    /// Whether a session is accepted in an observation mode.
    pub(crate) fn decide(
        &self,
        task: &Task<'_>,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        match (observation, task.engine) {
            (Observation::GlobalPrefix, _) => self.decide_global_prefix(task, scratch),
            (_, Engine::Nfa) => self.decide_on_automaton(task, observation, scratch),
            (_, Engine::Term) => self.decide_on_terms(task, observation, &mut scratch.search),
        }
    }

    fn decide_on_automaton(
        &self,
        task: &Task<'_>,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Answer {
        let Ok(automaton) = self.central() else { return Answer::No };
        if task.config.procedure == Procedure::SemiCentralized
            && !task.config.witness
            && let Some(answer) = self.decide_quickly(task, &automaton.search, observation, scratch)
        {
            return answer;
        }
        let Scratch { suffixes, search, .. } = scratch;
        let trace = &task.session.trace;
        let allowance = task.allowance.clone();
        if task.config.procedure == Procedure::Centralized {
            let problem = Problem::plain(self, &automaton.full, trace, observation, allowance);
            return run(search, &Problem { witness: task.config.witness, ..problem });
        }
        if !suffixes.fill(self, &automaton.search, trace, observation) {
            return Answer::No;
        }
        let mut problem = Problem::plain(self, &automaton.search, trace, observation, allowance);
        if task.config.search != SearchChoice::Blind {
            problem.look_ahead = LookAhead::Tables(suffixes);
        }
        problem.witness = task.config.witness;
        run(search, &problem)
    }

    /// The answer, when it can be had by the quick searches: a blind one, as most sessions pass
    /// and few lead into dead ends; one with look-ahead; and one on sets of states, for those
    /// that must be searched to the end. `None` when all of them give up.
    fn decide_quickly(
        &self,
        task: &Task<'_>,
        automaton: &Nfa,
        observation: Observation,
        scratch: &mut Scratch,
    ) -> Option<Answer> {
        let trace = &task.session.trace;
        let most = Visits::of(task)?;
        let Scratch { suffixes, packed, visits, .. } = scratch;
        let mut attempt = |suffixes, most| {
            let ended = packed.run(&PackedProblem {
                monitor: self,
                automaton,
                trace,
                observation,
                suffixes,
                most,
            });
            *visits += packed.visits();
            answer_of(ended)
        };
        if let Some(answer) = attempt(None, most.blind) {
            return Some(answer);
        }
        if !suffixes.fill(self, automaton, trace, observation) {
            return Some(Answer::No);
        }
        let answer = attempt(Some(suffixes), most.looking);
        answer.or_else(|| self.decide_on_sets(task, observation, scratch, most.sets))
    }

    /// The answer by sets of states, once suffixes are known.
    fn decide_on_sets(
        &self,
        task: &Task<'_>,
        observation: Observation,
        scratch: &mut Scratch,
        most: u64,
    ) -> Option<Answer> {
        let ended = scratch.layered.run(&LayeredProblem {
            monitor: self,
            table: self.search_sets()?,
            trace: &task.session.trace,
            observation,
            suffixes: Some(&scratch.suffixes),
            allowance: task.allowance.with_states(most),
            beam: 0,
        });
        scratch.visits += scratch.layered.visits();
        match ended {
            LayeredOutcome::Found => Some(Answer::Yes(None)),
            LayeredOutcome::Exhausted => Some(Answer::No),
            LayeredOutcome::Cut | LayeredOutcome::Spent(_) | LayeredOutcome::TooLong => None,
        }
    }

    /// Whether the session is the projection of a prefix of an accepted global trace: all events
    /// are read, nothing goes unobserved (paper 001 sec. 4.5). What is compiled keeps only some
    /// interleavings, so this runs on the interaction as it was written, or on the automaton that
    /// was given instead.
    ///
    /// When that fails for lack of observation, a longer observation might help, unless no
    /// extension of the local traces is accepted: then, and only then, it is a failure all the same.
    fn decide_global_prefix(&self, task: &Task<'_>, scratch: &mut Scratch) -> Answer {
        if local_failure(self, task.session, Observation::GlobalPrefix).is_some() {
            return Answer::No;
        }
        let answer = match (self.terms(Traces::All), self.central()) {
            (Some(terms), _) => self.read_all(&*terms, task, &mut scratch.search),
            (None, Ok(automaton)) => self.read_all(&automaton.full, task, &mut scratch.search),
            (None, Err(_)) => Answer::No,
        };
        if !matches!(answer, Answer::No) || !scratch.search.lacks_observation() {
            return answer;
        }
        match self.decide(task, Observation::Prefix, scratch) {
            Answer::No => Answer::No,
            _ => Answer::Unknown(InconclusiveReason::LackOfObservation),
        }
    }

    fn read_all<A: Automaton>(
        &self,
        automaton: &A,
        task: &Task<'_>,
        search: &mut ShuffleSearch,
    ) -> Answer {
        let (trace, allowance) = (&task.session.trace, task.allowance.clone());
        let problem = Problem::plain(self, automaton, trace, Observation::GlobalPrefix, allowance);
        run(search, &Problem { witness: task.config.witness, ..problem })
    }
}

fn answer_of(attempt: Attempt) -> Option<Answer> {
    match attempt {
        Attempt::Found => Some(Answer::Yes(None)),
        Attempt::Exhausted => Some(Answer::No),
        Attempt::GaveUp => None,
    }
}

pub(crate) fn run<A: Automaton>(search: &mut ShuffleSearch, problem: &Problem<'_, A>) -> Answer {
    match search.run(problem, &mut |_, _| {}) {
        Outcome::Found(node) => Answer::Yes(problem.witness.then(|| search.witness(problem, node))),
        Outcome::Exhausted => Answer::No,
        Outcome::Spent(spent) => Answer::Unknown(spent.into()),
        Outcome::Cut => Answer::Unknown(InconclusiveReason::Simulation(search.explored())),
    }
}
