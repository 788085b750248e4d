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
    let (found, visits) = decide_by_constraints(plan, &question, most.min(task.allowance.states));
    scratch.visits += visits;
    match found {
        Constrained::Accepted(witness) => Some(Answer::Yes(task.config.witness.then_some(witness))),
        Constrained::Refused => Some(Answer::No),
        Constrained::Open => None,
    }
}

/// The most choices before other searches go on: some 20 ms at 2 us a choice (an estimate).
const SOON: u64 = 10_000;

/// Longer sessions are not tried: to write them out takes longer than most searches do. An estimate.
const MOST_EVENTS: usize = 2_000;

/// The answer of constraints after the short searches, unless what is compared does without them.
pub(super) fn soon_by_constraints(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Answer> {
    if !task.config.asks_clusters() || task.session.event_count() > MOST_EVENTS {
        return None;
    }
    by_constraints(task, observation, SOON, scratch)
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
