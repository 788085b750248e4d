//! Deciding by the engine of the task.

use crate::decide::answer::Answer;
use crate::decide::on_automaton::decide_on_automaton;
use crate::decide::on_terms::{decide_on_terms, is_refuted_on_terms};
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{Engine, Observation};

/// Whether a session is accepted in an observation mode other than global-prefix.
pub(crate) fn decide_by_engine(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Answer {
    match task.engine {
        Engine::Nfa => decide_on_automaton(task, observation, scratch),
        Engine::Term => decide_on_terms(task, observation, scratch),
    }
}

/// Whether what the engine can refuse soon is refused: on an automaton everything, on terms what lifeline removal refutes.
pub(crate) fn is_refuted_by_engine(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> bool {
    match task.engine {
        Engine::Nfa => matches!(decide_on_automaton(task, observation, scratch), Answer::No),
        Engine::Term => is_refuted_on_terms(task, observation, scratch),
    }
}
