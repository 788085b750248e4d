//! The setup of searches on terms: the terms, reductions, look-ahead.
//
// Cost: setting one up takes no search.

use crate::config::{CheckConfig, Method, Reductions, SearchChoice};
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::look_ahead::dead_ends::DeadEnds;
use crate::look_ahead::local_analysis::LocalAnalysis;
use crate::search::problem::{PartialOrder, Problem};
use crate::task::Task;
use multitrace_interaction::Observation;
use std::cell::RefCell;

/// A search problem: the terms, with the reductions and the look-ahead of the configuration.
pub(crate) fn problem<'a>(
    terms: &'a LazyAutomaton,
    task: &Task<'a>,
    observation: Observation,
    analysis: &'a RefCell<LocalAnalysis<'a>>,
) -> Problem<'a, LazyAutomaton> {
    let mut question = task.question(observation);
    question.allowance = question.allowance.on(terms);
    let mut problem = Problem::plain(question, terms);
    let reductions = task.config.comparison.reductions;
    problem.partial_order = match reductions {
        None => PartialOrder::FreePlaces,
        Some(Reductions { partial_order: true, .. }) => PartialOrder::OneUnambiguous,
        Some(_) => PartialOrder::Off,
    };
    let looks_ahead = reductions.is_none_or(|reductions| reductions.local_analyses);
    if task.config.comparison.search != SearchChoice::Blind && looks_ahead {
        problem.dead_ends = DeadEnds::Terms(analysis);
    }
    problem.heaviest = terms.heaviest(task.session.event_count());
    problem.witness = task.config.witness;
    problem
}

/// The reductions of paper 003 and its simulation apply to the interaction as it was written.
pub(crate) fn traces(config: &CheckConfig) -> Traces {
    let comparison = &config.comparison;
    let is_simulated = matches!(comparison.method, Method::Simulation(_));
    if comparison.reductions.is_some() || is_simulated { Traces::Written } else { Traces::Enough }
}

/// The look-ahead of the configuration.
pub(crate) fn analysis<'a>(
    terms: &'a LazyAutomaton,
    task: &Task<'a>,
    observation: Observation,
) -> RefCell<LocalAnalysis<'a>> {
    let depth = task.config.comparison.look_ahead_depth.unwrap_or(u32::MAX);
    RefCell::new(LocalAnalysis::new(terms, task.question(observation), depth))
}

/// The terms to search for global prefixes: with all global traces, and as they were written where that is compared.
pub(crate) fn all_traces(config: &CheckConfig) -> Traces {
    match traces(config) {
        Traces::Enough => Traces::All,
        written => written,
    }
}
