//! The cause of a failure (paper 004 sec. 4): events and ends that are
//! impossible at single locations, areas that do not meet, or no accepted interleaving.

pub(crate) mod areas;
mod cycle;
pub(crate) mod frontier;
pub(crate) mod local;
pub(crate) mod remains;
mod single_slices;

use crate::cause::areas::{has_accepting_path, inter};
use crate::cause::cycle::cycle;
use crate::cause::frontier::{describe, frontier, frontier_of_sets};
use crate::cause::local::{LocalFindings, local_findings};
use crate::cause::remains::Remains;
use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::{decide, is_refuted_on_terms};
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::question::Question;
use crate::scratch::Scratch;
use crate::search::layered_terms::{Furthest, LayeredTerms, WEIGHT_BESIDE_A_LAW};
use crate::task::Task;
use multitrace_formats::bundle::Bundle;
use multitrace_interaction::{Cause, Engine, Failure, Frontier, Imbalance, Nfa, Observation};

/// Everything that is wrong with a session that is not accepted. Where there is an automaton it is found there, whatever
/// engine decided: causes do not depend on the engine.
pub(crate) fn failure(task: &Task<'_>, scratch: &mut Scratch, remains: &mut Remains) -> Failure {
    let engine = if task.monitor.central().is_ok() { Engine::Nfa } else { task.engine };
    let task = &Task { engine, allowance: task.allowance.clone(), ..*task };
    let observation = task.config.observation;
    let mut findings =
        local_findings(task.monitor, task.session, observation, task.allowance.stop());
    if observation == Observation::Slice && engine == Engine::Term {
        single_slices::add_findings(task, &mut findings, scratch);
    }
    if findings.is_empty() {
        return Failure::single(global_cause(task, observation, scratch));
    }
    let hidden = hidden_cause(task, &findings.cuts, scratch, remains);
    let LocalFindings { unknown, impossible, early_ends, omitted, .. } = findings;
    let local = unknown.into_iter().chain(impossible).chain(early_ends).map(Cause::Local);
    Failure { causes: local.chain(hidden).collect(), omitted }
}

/// The most nodes that are visited on an automaton to see whether all logs together have a fault beside those at single
/// locations: some milliseconds. If more would be needed, that finding is left out.
const HIDDEN_NODES: u64 = 20_000;

/// The copy of a session of more events is not kept for the next one: more than 1 MB.
const MOST_EVENTS_KEPT: usize = 100_000;

/// The cause that all logs have together beside the local findings, if a short search makes it certain. `cuts` are
/// those of the findings.
fn hidden_cause(
    task: &Task<'_>,
    cuts: &[Option<usize>],
    scratch: &mut Scratch,
    remains: &mut Remains,
) -> Option<Cause> {
    remains.keep(task.session, cuts, task.config.observation);
    let cause = cause_of_remains(task, remains, scratch);
    if task.session.event_count() > MOST_EVENTS_KEPT {
        *remains = Remains::default();
    }
    cause
}

fn cause_of_remains(task: &Task<'_>, remains: &Remains, scratch: &mut Scratch) -> Option<Cause> {
    let Remains { session, open_ends, observation, .. } = remains;
    let is_nfa = task.engine == Engine::Nfa && *observation != Observation::GlobalPrefix;
    let most = if is_nfa { HIDDEN_NODES } else { u64::MAX };
    let allowance = task.allowance.with_states(most);
    let task = Task { session, open_ends, allowance, ..*task };
    let is_certain = match (task.engine, observation) {
        (Engine::Nfa, _) | (_, Observation::GlobalPrefix) => {
            matches!(decide(&task, *observation, scratch).answer, Answer::No)
        }
        (Engine::Term, _) => is_refuted_on_terms(&task, *observation, scratch),
    };
    is_certain.then(|| remains.restore(global_cause(&task, *observation, scratch)))
}

/// Why the logs are not accepted together, although each is possible alone.
fn global_cause(task: &Task<'_>, observation: Observation, scratch: &mut Scratch) -> Cause {
    let is_closed = task.question(observation).is_closed();
    let imbalance = is_closed.then(|| imbalance(task, scratch)).flatten();
    let mut cause = furthest_cause(task, observation, imbalance.is_some(), scratch);
    if let Cause::Inter(frontier) | Cause::Central(frontier) = &mut cause {
        // Without terms there is no frontier whose events could be named.
        let is_wanted = !frontier.locations.is_empty() && !task.config.without_cycles;
        frontier.cycle = if is_wanted { cycle(task, observation, scratch) } else { Vec::new() };
        frontier.imbalance = imbalance.filter(|_| !frontier.complete);
    }
    cause
}

/// The law of balance that the counts of a complete session break.
fn imbalance(task: &Task<'_>, scratch: &mut Scratch) -> Option<Imbalance> {
    let Bundle { balance, alphabet, .. } = task.monitor.bundle();
    let (trace, letters) = (&task.session.trace, alphabet.letters().len());
    let law = balance.broken(trace, letters, &mut scratch.counts)?;
    Some(Imbalance::new(law, &scratch.counts))
}

/// The cause, with how far an interleaving gets. On terms, if the session breaks a law, only if that takes little.
fn furthest_cause(
    task: &Task<'_>,
    observation: Observation,
    breaks_law: bool,
    scratch: &mut Scratch,
) -> Cause {
    match (task.engine, task.monitor.central()) {
        (Engine::Nfa, Ok(automaton)) => {
            cause_on_automaton(&automaton.full, task, observation, scratch)
        }
        _ => cause_on_terms(task, observation, breaks_law),
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
    let furthest = (choice == SearchChoice::Auto)
        .then(|| frontier_of_sets(task, full, observation, &mut scratch.layered));
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
fn cause_on_terms(task: &Task<'_>, observation: Observation, breaks_law: bool) -> Cause {
    let Some(terms) = task.monitor.terms(Traces::Enough, task.allowance.stop()) else {
        return Cause::Central(Frontier::default());
    };
    let question = task.question(observation);
    let complete = question.is_closed();
    let most = if breaks_law { WEIGHT_BESIDE_A_LAW } else { u64::MAX };
    let Some(Furthest { positions, states, complete: all }) = furthest(question, &terms, most)
    else {
        return Cause::Central(Frontier::default());
    };
    let furthest = describe(task, (&terms, observation), &positions, states, complete && all);
    Cause::Central(furthest)
}

/// How far a search for the events of a session gets on terms; `None` on a compiled automaton.
///
/// In what order a search that was cut visited nodes depends on the sessions that the terms served
/// before, and the findings of a session must not.
pub(crate) fn furthest_on_terms(task: &Task<'_>) -> Option<Vec<u32>> {
    let on_terms =
        task.engine == Engine::Term || task.config.observation == Observation::GlobalPrefix;
    let terms = task.monitor.terms(Traces::Enough, task.allowance.stop()).filter(|_| on_terms)?;
    let question = task.question(task.config.observation);
    Some(furthest(question, &terms, u64::MAX)?.positions.into_vec())
}

/// How far the events alone lead: unobserved moves may be endless.
fn furthest(question: Question<'_>, terms: &LazyAutomaton, most: u64) -> Option<Furthest> {
    LayeredTerms { question, terms, most }.run()
}
