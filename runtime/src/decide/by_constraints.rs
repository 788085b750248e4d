//! Deciding by constraints (`constraints.rs`), where a search for an interleaving takes long.

use crate::constraints::{Constrained, decide_by_constraints};
use crate::decide::answer::Answer;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{InconclusiveReason, Observation};

/// The answer of constraints within about so many choices; `None` if they have none, or the specification has no form
/// for them.
fn by_constraints(
    task: &Task<'_>,
    observation: Observation,
    most: u64,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let plan = task.monitor.plan()?;
    let question = task.question(observation);
    let most = most.min(task.allowance.states / NODES_PER_CHOICE);
    // The same choices would be made again.
    let is_vain = scratch.undecided.is_some_and(|(mode, made)| mode == observation && most <= made);
    if most == 0 || is_vain {
        return None;
    }
    let (found, visits) = decide_by_constraints(plan, &question, most, &mut scratch.constraints);
    scratch.visits += visits;
    match found {
        Constrained::Accepted(witness) => Some(Answer::Yes(task.config.witness.then_some(witness))),
        Constrained::Refused => Some(Answer::No),
        Constrained::Open => {
            scratch.undecided = Some((observation, most));
            None
        }
    }
}

/// The most choices before other searches go on: some 0.1 s at 2 us a choice (an estimate).
const SOON: u64 = 50_000;

/// The most choices before longer searches, in all and for each event: small sessions that constraints do not decide soon are
/// searched sooner. Slices get more, since a search on terms seldom decides soon what constraints do not (`scripts/large`,
/// `scripts/corners`).
const BRIEFLY: u64 = 1_200;
const BRIEFLY_PER_EVENT: u64 = 16;
const BRIEFLY_IN_SLICES: u64 = 8_000;

/// A choice takes about as long as so many nodes of a search on an automaton (an estimate).
const NODES_PER_CHOICE: u64 = 10;

/// Specifications of more nodes are tried before any search on terms, where a node takes longer with each step that there is:
/// logs that may lack events, which leave much to choose; and of far more nodes, all logs. Estimates.
const LARGE: usize = 100;
const VAST: usize = 2_000;

/// Longer sessions are not tried: to write them out takes longer than most searches do. An estimate.
const MOST_EVENTS: usize = 2_000;

/// The answer of constraints after the short searches, unless what is compared does without them.
pub(super) fn soon_by_constraints(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Answer> {
    by_constraints_within(task, observation, SOON, scratch)
}

fn by_constraints_within(
    task: &Task<'_>,
    observation: Observation,
    most: u64,
    scratch: &mut Scratch,
) -> Option<Answer> {
    if !asks_constraints(task) {
        return None;
    }
    by_constraints(task, observation, most, scratch)
}

/// The answer of constraints that is soon there.
pub(super) fn briefly_by_constraints(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let most = match observation {
        Observation::Slice => BRIEFLY_IN_SLICES,
        _ => BRIEFLY.min(BRIEFLY_PER_EVENT * task.session.event_count() as u64),
    };
    by_constraints_within(task, observation, most, scratch)
}

/// The answer of constraints before any search on terms, for specifications whose terms are large.
pub(super) fn first_by_constraints(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let may_lack_events =
        matches!(observation, Observation::Missing | Observation::Prefix | Observation::Slice);
    if has_more_nodes(task, if may_lack_events { LARGE } else { VAST }) {
        briefly_by_constraints(task, observation, scratch)
    } else {
        None
    }
}

/// Whether a search on terms takes longer than constraints, which there are.
pub(super) fn has_large_terms(task: &Task<'_>) -> bool {
    has_more_nodes(task, LARGE) && asks_constraints(task) && task.monitor.plan().is_some()
}

fn asks_constraints(task: &Task<'_>) -> bool {
    task.config.compares_nothing() && task.session.event_count() <= MOST_EVENTS
}

fn has_more_nodes(task: &Task<'_>, count: usize) -> bool {
    let source = task.monitor.bundle().source.as_ref();
    source.is_some_and(|(_, interaction)| interaction.nodes().len() > count)
}

/// The answer of constraints alone, in any mode.
pub(super) fn only_by_constraints(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let answer = by_constraints(task, observation, u64::MAX, scratch)?;
    if observation != Observation::GlobalPrefix || !matches!(answer, Answer::No) {
        return Some(answer);
    }
    match by_constraints(task, Observation::Prefix, u64::MAX, scratch)? {
        Answer::No => Some(Answer::No),
        _ => Some(Answer::Unknown(InconclusiveReason::LackOfObservation)),
    }
}
