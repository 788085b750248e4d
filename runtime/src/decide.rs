//! Deciding: whether a session is accepted in one observation mode, on the compiled automaton; the
//! same on terms is in `decide_terms.rs`.

use crate::automaton::{Automaton, Traces};
use crate::check::{Procedure, Scratch, Task};
use crate::forward::local_failure;
use crate::monitor::Monitor;
use crate::search::{LookAhead, Outcome, Problem, ShuffleSearch};
use multitrace_formats::report::Engine;
use multitrace_interaction::{InconclusiveReason, Observation, Witness};

/// What one observation mode says.
pub(crate) enum Answer {
    Yes(Option<Witness>),
    No,
    Unknown(InconclusiveReason),
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
        let Scratch { suffixes, search } = scratch;
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
        if task.config.look_ahead {
            problem.look_ahead = LookAhead::Tables(suffixes);
        }
        problem.witness = task.config.witness;
        run(search, &problem)
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

pub(crate) fn run<A: Automaton>(search: &mut ShuffleSearch, problem: &Problem<'_, A>) -> Answer {
    match search.run(problem, &mut |_, _| {}) {
        Outcome::Found(node) => Answer::Yes(problem.witness.then(|| search.witness(problem, node))),
        Outcome::Exhausted => Answer::No,
        Outcome::Spent(spent) => Answer::Unknown(spent.into()),
        Outcome::Cut => Answer::Unknown(InconclusiveReason::Simulation(search.explored())),
    }
}
