//! The events of all lanes in one order.

use crate::pictures::message_pairs::MessagePairs;
use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::links::{Matcher, Readiness};
use crate::pictures::space_time::subject::SpaceTime;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The lanes of the events in the order of their clocks, or of the witness.
pub(crate) fn hint(session: &SpaceTime<'_>, lanes: &[String]) -> Option<Vec<usize>> {
    let lane = |name: &str| lanes.iter().position(|it| it == name);
    if session.timeline.in_order {
        let rows = session.timeline.rows.iter().filter(|row| row.event.is_some());
        return Some(rows.filter_map(|row| lane(&row.location)).collect());
    }
    let (witness, alphabet) = session.witness?;
    let observed = witness.steps.iter().filter(|step| step.observed);
    let name = |step: &multitrace_interaction::WitnessStep| {
        alphabet.location_name(alphabet.location_of(step.letter))
    };
    Some(observed.filter_map(|step| lane(name(step))).collect())
}

/// The events of each lane that are still to come.
fn queues(events: &[Event], lanes: usize) -> Vec<VecDeque<usize>> {
    let mut queues = vec![VecDeque::new(); lanes];
    for (at, event) in events.iter().enumerate() {
        queues[event.lane].push_back(at);
    }
    queues
}

/// The events as a hint has them, each after those inserted before it; then the others.
pub(crate) fn by_hint(events: &[Event], lanes: usize, hint: &[usize]) -> Vec<usize> {
    let mut queues = queues(events, lanes);
    let mut order = Vec::with_capacity(events.len());
    let is_logged = |at: usize| matches!(events[at].origin, Origin::Logged | Origin::Deleted);
    for &lane in hint {
        while let Some(at) = queues[lane].pop_front() {
            order.push(at);
            if is_logged(at) {
                // Insertions and the end of a log stand behind its last event.
                while queues[lane].iter().all(|&it| !is_logged(it)) {
                    let Some(at) = queues[lane].pop_front() else { break };
                    order.push(at);
                }
                break;
            }
        }
    }
    order.extend(queues.into_iter().flatten());
    order
}

/// The events in an order in which no message is received before it is emitted, as far as that can be.
/// An order in which arrived messages are received first and locations advance evenly, so that messages are short.
pub(crate) fn causal(events: &[Event], lanes: usize, pairs: &MessagePairs) -> Vec<usize> {
    let mut queues = queues(events, lanes);
    let lengths: Vec<usize> = queues.iter().map(VecDeque::len).collect();
    let mut matcher = Matcher::new(events, pairs);
    let mut order = Vec::with_capacity(events.len());
    // Per lane, how soon its next event should come. Only that of the lane that went on changes, and
    // those of lanes that receive.
    let mut ranks: Vec<Option<Rank>> = vec![None; lanes];
    for lane in 0..lanes {
        ranks[lane] = rank(lane, &queues[lane], lengths[lane], &matcher);
    }
    while let Some(next) = ranks.iter().flatten().min().copied() {
        let lane = next.lane;
        let Some(at) = queues[lane].pop_front() else { break };
        matcher.pass(at);
        order.push(at);
        // The end of a log stands behind its last event.
        while queues[lane].front().is_some_and(|&it| events[it].origin == Origin::End) {
            order.extend(queues[lane].pop_front());
        }
        for other in 0..lanes {
            let receives = ranks[other].is_some_and(|it| it.readiness != Readiness::Ready);
            if other == lane || receives {
                ranks[other] = rank(other, &queues[other], lengths[other], &matcher);
            }
        }
    }
    order
}

/// How soon the next event of a lane should come. A message that waits comes last: it is in a circle, or its message
/// comes from a lane that waits, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    readiness: Readiness,
    /// How much of the log is left, so that the one with most goes on.
    left: Reverse<usize>,
    lane: usize,
}

fn rank(lane: usize, queue: &VecDeque<usize>, length: usize, matcher: &Matcher) -> Option<Rank> {
    let readiness = matcher.readiness(*queue.front()?);
    let left = Reverse(queue.len() * 1_000_000 / length.max(1));
    Some(Rank { readiness, left, lane })
}
