//! Global prefixes: all locations stopped at one moment (paper 001 sec. 4.5).
//
// Idea: all events are read and nothing goes unobserved, so any path that reads them will do, final
// or not. What is compiled keeps only some interleavings, so the search runs on the interaction as
// it was written, or on the automaton that was given instead. A short search comes first, since most sessions need
// no other; then the question of prefix mode, which what is compiled may answer: who is refused there is refused here. Then a
// longer search, constraints, which know all global traces, and a search within the budget.
//
// Reductions: look-ahead by single locations is right, since every location reads its log as a prefix of what it can do
// where the others are removed. So is reading an event whose places are free before all others: it is in every prefix that
// explains the logs, and moved to the front of it nothing else changes its place (`first_places.rs` of the interaction).
// Linearised terms and persistent locations are not: they keep multi-traces, by other global traces.
//
// Invariant: "no" is certain. It is a failure if no extension of the local traces is accepted, which is the
// question of prefix mode; else a longer log might help.
//
// Cost: that of interleavings, without linearising: the dearest mode.

use crate::automaton::Automaton;
use crate::cause::local::is_impossible;
use crate::config::{CheckConfig, Comparison};
use crate::decide::answer::Answer;
use crate::decide::by_constraints::soon_by_constraints;
use crate::decide::by_engine::{decide_by_engine, is_refuted_by_engine};
use crate::decide::run::run;
use crate::decide::searches_on_terms::{analysis, problem, traces};
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::scratch::Scratch;
use crate::search::problem::Problem;
use crate::task::Task;
use multitrace_interaction::{InconclusiveReason, Observation};

/// How many nodes the first search may visit: one for each event, and a few for dead ends. A larger number looks longer
/// for what prefix mode refuses at once. An estimate, not measured.
const SHORT: u64 = 32;
const SHORT_PER_EVENT: u64 = 2;

/// How many nodes are visited before constraints are asked: some 20 ms at 10 us a node on terms (an estimate).
const LONGER: u64 = 2_000;

/// Whether a session is the projection of a prefix of an accepted global trace.
pub(crate) fn decide_global_prefix(task: &Task<'_>, scratch: &mut Scratch) -> Answer {
    if is_impossible(&task.question(Observation::GlobalPrefix)) {
        return Answer::No;
    }
    match read_all(task, scratch) {
        Answer::No => {}
        answer => return answer,
    }
    scratch.keep_count();
    match decide_by_engine(task, Observation::Prefix, scratch) {
        Answer::No => Answer::No,
        _ => Answer::Unknown(InconclusiveReason::LackOfObservation),
    }
}

/// The terms to search: with all global traces, and as they were written where that is compared.
pub(crate) fn all_traces(config: &CheckConfig) -> Traces {
    match traces(config) {
        Traces::Enough => Traces::All,
        written => written,
    }
}

/// Whether all events can be read, and nothing else.
fn read_all(task: &Task<'_>, scratch: &mut Scratch) -> Answer {
    let monitor = task.monitor;
    match (monitor.terms(all_traces(task.config), task.allowance.stop()), monitor.central()) {
        (Some(terms), _) => read_all_on_terms(&terms, task, scratch),
        (None, Ok(automaton)) => {
            let question = task.question(Observation::GlobalPrefix);
            search(Problem::plain(question, &automaton.full), task, u64::MAX, scratch)
        }
        (None, Err(_)) => Answer::No,
    }
}

fn read_all_on_terms(terms: &LazyAutomaton, task: &Task<'_>, scratch: &mut Scratch) -> Answer {
    let analysis = analysis(terms, task, Observation::GlobalPrefix);
    let problem = || problem(terms, task, Observation::GlobalPrefix, &analysis);
    // What compares other ways searches once.
    if task.config.comparison == Comparison::default() {
        let short = SHORT + SHORT_PER_EVENT * task.session.event_count() as u64;
        match search(problem(), task, short, scratch) {
            Answer::Spent(..) => {}
            answer => return answer,
        }
        scratch.keep_count();
        if is_refuted_by_engine(task, Observation::Prefix, scratch) {
            return Answer::No;
        }
        scratch.keep_count();
        match search(problem(), task, LONGER, scratch) {
            Answer::Spent(..) => {}
            answer => return answer,
        }
        scratch.keep_count();
        if let Some(answer) = soon_by_constraints(task, Observation::GlobalPrefix, scratch) {
            return answer;
        }
    }
    search(problem(), task, u64::MAX, scratch)
}

/// Searches, visiting at most so many nodes.
fn search<A: Automaton>(
    mut problem: Problem<'_, A>,
    task: &Task<'_>,
    most: u64,
    scratch: &mut Scratch,
) -> Answer {
    problem.question.allowance = problem.question.allowance.on(problem.automaton).with_states(most);
    problem.witness = task.config.witness;
    run(&mut scratch.search, &problem)
}
