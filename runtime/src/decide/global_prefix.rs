//! Global prefixes: all locations stopped at one moment (paper 001 sec. 4.5).
//
// Idea: all events are read and nothing goes unobserved, so any path that reads them will do, final
// or not. What is compiled keeps only some interleavings, so the search runs on the interaction as
// it was written, or on the automaton that was given instead.
//
// Invariant: "no" is certain. If the search met a node that lacks observation, a longer log might
// help; then it is a failure only if no extension of the local traces is accepted, which is the
// question of prefix mode.
//
// Cost: that of interleavings, without linearising: the dearest mode.

use crate::automaton::Automaton;
use crate::cause::local::is_impossible;
use crate::decide::answer::Answer;
use crate::decide::by_engine::decide_by_engine;
use crate::decide::run::run;
use crate::lazy_automaton::Traces;
use crate::scratch::Scratch;
use crate::search::problem::Problem;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{InconclusiveReason, Observation};

/// Whether a session is the projection of a prefix of an accepted global trace.
pub(crate) fn decide_global_prefix(task: &Task<'_>, scratch: &mut Scratch) -> Answer {
    let monitor = task.monitor;
    if is_impossible(&task.question(Observation::GlobalPrefix)) {
        return Answer::No;
    }
    let answer = match (monitor.terms(Traces::All, task.allowance.stop()), monitor.central()) {
        (Some(terms), _) => read_all(&terms, task, &mut scratch.search),
        (None, Ok(automaton)) => read_all(&automaton.full, task, &mut scratch.search),
        (None, Err(_)) => Answer::No,
    };
    if !matches!(answer, Answer::No) || !scratch.search.lacks_observation() {
        return answer;
    }
    match decide_by_engine(task, Observation::Prefix, scratch) {
        Answer::No => Answer::No,
        _ => Answer::Unknown(InconclusiveReason::LackOfObservation),
    }
}

fn read_all<A: Automaton>(automaton: &A, task: &Task<'_>, search: &mut ShuffleSearch) -> Answer {
    let mut question = task.question(Observation::GlobalPrefix);
    question.allowance = question.allowance.on(automaton);
    let mut problem = Problem::plain(question, automaton);
    problem.witness = task.config.witness;
    run(search, &problem)
}
