//! What is wrong with a session that is not accepted (paper 004 sec. 4): events and ends that are
//! impossible at single locations, areas that do not meet, or no accepted interleaving.

pub(crate) mod areas;
mod event_name;
pub(crate) mod frontier;
pub(crate) mod local;
pub(crate) mod local_walk;
mod remains;
mod set_walk;

use crate::cause::areas::{has_accepting_path, inter};
use crate::cause::frontier::{frontier, frontier_of_sets};
use crate::cause::local::{LocalFindings, local_findings};
use crate::cause::remains::Remains;
use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::decide;
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::scratch::Scratch;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{Cause, Engine, Failure, Frontier, Nfa, Observation};

/// Everything that is wrong with a session that is not accepted.
pub(crate) fn failure(task: &Task<'_>, scratch: &mut Scratch) -> Failure {
    let observation = task.config.observation;
    let findings = local_findings(task.monitor, task.session, observation, task.allowance.stop());
    let LocalFindings { unknown, impossible, early_ends, .. } = &findings;
    let local = unknown.iter().chain(impossible).chain(early_ends).cloned();
    let mut causes: Vec<Cause> = local.map(Cause::Local).collect();
    if causes.is_empty() {
        return Failure::single(global_cause(task, observation, scratch));
    }
    causes.extend(hidden_cause(task, &findings, scratch));
    let omitted = findings.omitted_unknown + findings.omitted_impossible;
    Failure { causes, omitted }
}

/// What is wrong with all logs together beside the local findings, if that is certain.
fn hidden_cause(task: &Task<'_>, findings: &LocalFindings, scratch: &mut Scratch) -> Option<Cause> {
    let remains = Remains::of(task.session, findings, task.config.observation);
    let Remains { session, open_ends, observation, .. } = &remains;
    let task = Task { session, open_ends, allowance: task.allowance.clone(), ..*task };
    match decide(&task, *observation, scratch) {
        Answer::No => Some(remains.restore(global_cause(&task, *observation, scratch))),
        Answer::Yes(_) | Answer::Unknown(_) | Answer::Spent(..) => None,
    }
}

/// Why the logs are not accepted together, although each is possible alone.
fn global_cause(task: &Task<'_>, observation: Observation, scratch: &mut Scratch) -> Cause {
    match (task.engine, task.monitor.central()) {
        (Engine::Nfa, Ok(automaton)) => {
            cause_on_automaton(&automaton.full, task, observation, scratch)
        }
        _ => cause_on_terms(task, observation, &mut scratch.search),
    }
}

fn cause_on_automaton(
    full: &Nfa,
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Cause {
    let common = inter(&task.question(observation), full);
    let choice = task.config.comparison.search;
    let by_sets = matches!(choice, SearchChoice::Auto | SearchChoice::Sets);
    let furthest = by_sets.then(|| frontier_of_sets(task, full, observation, &mut scratch.layered));
    let furthest = furthest
        .flatten()
        .unwrap_or_else(|| frontier(task, full, observation, &mut scratch.search));
    if has_accepting_path(full, &common) {
        Cause::Central(furthest)
    } else {
        Cause::Inter(furthest)
    }
}

/// Areas are parts of a compiled automaton: without one, inter and central look alike. Unobserved
/// moves may be endless, so the frontier is that of the events alone.
fn cause_on_terms(task: &Task<'_>, observation: Observation, search: &mut ShuffleSearch) -> Cause {
    let is_closed = task.question(observation).is_closed();
    let closed = Task { open_ends: &[], allowance: task.allowance.clone(), ..*task };
    let mut furthest = frontier_on_terms(&closed, search).unwrap_or_default();
    furthest.complete &= is_closed;
    Cause::Central(furthest)
}

/// The most nodes of a search on terms for how far an interleaving gets, and how many more for each event: some 5 ms where
/// each node is a new term (an estimate). A larger number says of more sessions how far all interleavings get.
const TERM_NODES: u64 = 300;
const TERM_NODES_PER_EVENT: u64 = 4;

/// How far an interleaving gets on terms; `None` if there are none.
///
/// In what order a search on shared terms visits nodes depends on the sessions before it, and what is
/// said of a session must not: a search that was cut there is repeated on terms of its own.
fn frontier_on_terms(task: &Task<'_>, search: &mut ShuffleSearch) -> Option<Frontier> {
    let task = &within_term_nodes(task);
    let terms = task.monitor.terms(Traces::Enough, task.allowance.stop())?;
    let furthest = frontier(task, &terms, Observation::Complete, search);
    if furthest.complete { Some(furthest) } else { frontier_on_own_terms(task, search) }
}

/// How far an interleaving gets on terms that no other session uses.
fn frontier_on_own_terms(task: &Task<'_>, search: &mut ShuffleSearch) -> Option<Frontier> {
    let (signature, interaction) = task.monitor.bundle().source.as_ref()?;
    let (alphabet, stop) = (task.monitor.alphabet(), task.allowance.stop());
    let terms = LazyAutomaton::alone(signature, interaction, alphabet, Traces::Enough, stop);
    // The terms that all sessions share are still there, so these get less memory.
    let allowance = task.allowance.with_bytes(task.allowance.bytes / 4);
    let task = Task { allowance, ..*task };
    Some(frontier(&task, &terms, Observation::Complete, search))
}

fn within_term_nodes<'a>(task: &Task<'a>) -> Task<'a> {
    let events = task.session.event_count() as u64;
    let allowance = task.allowance.with_states(TERM_NODES + TERM_NODES_PER_EVENT * events);
    Task { allowance, ..*task }
}

/// How far a search for the events of a session gets, of each log the number of its events; `None` on a compiled automaton.
pub(crate) fn furthest_on_terms(task: &Task<'_>, search: &mut ShuffleSearch) -> Option<Vec<u32>> {
    let on_terms =
        task.engine == Engine::Term || task.config.observation == Observation::GlobalPrefix;
    if !on_terms {
        return None;
    }
    let furthest = frontier_on_own_terms(&within_term_nodes(task), search)?;
    Some(furthest.locations.iter().map(|entry| entry.explained as u32).collect())
}
