//! Sessions that lack a part: a log, or the end of one. They say nothing about the interaction to learn.

// Idea: an emission or reception mostly has its other end in a log. Where it has not, and the lifelines that have
// it elsewhere wrote nothing, their logs are missing; where they wrote something, it was cut off, or lost. An action
// that often happens without its other end is part of the sessions.

use crate::arrow::{Arrow, Arrows};
use crate::matching::Matched;
use multitrace_interaction::{LifelineId, MessageId};
use std::collections::{BTreeMap, BTreeSet};

/// The part that is missing of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Logs of lifelines that other sessions have.
    Logs,
    /// Events of logs that are there.
    Events,
}

/// Of an action without its other end, the least share that has it elsewhere: for a log that is missing as a whole, and for
/// events. Estimates, not measured: logs are lost by whole machines, events seldom.
const SHARES: [f64; 2] = [0.5, 0.9];

/// One end of a message: whether it is the emission, who has it, and which message it is.
type End = (bool, LifelineId, MessageId);

#[derive(Default)]
struct Seen {
    whole: u64,
    alone: u64,
    /// The lifelines with the other ends.
    others: BTreeSet<LifelineId>,
}

/// The part that is missing of each session.
pub(crate) fn lacks(sessions: &[(Matched, u64)], arrows: &Arrows) -> Vec<Option<Lack>> {
    let all = seen(sessions.iter(), arrows);
    let without_logs: Vec<bool> = sessions
        .iter()
        .map(|(matched, _)| lack(matched, arrows, &all) == Some(Lack::Logs))
        .collect();
    // Where logs are missing, nothing is known of the events in them.
    let others = sessions.iter().zip(&without_logs).filter(|(_, is_without)| !**is_without);
    let others = seen(others.map(|(session, _)| session), arrows);
    let of = |((matched, _), is_without): (&(Matched, u64), &bool)| match is_without {
        true => Some(Lack::Logs),
        false => lack(matched, arrows, &others),
    };
    sessions.iter().zip(&without_logs).map(of).collect()
}

fn seen<'a>(
    sessions: impl Iterator<Item = &'a (Matched, u64)>,
    arrows: &Arrows,
) -> BTreeMap<End, Seen> {
    let mut counts = vec![0; arrows.len()];
    for (matched, count) in sessions {
        matched.labels.iter().for_each(|&it| counts[it as usize] += count);
    }
    let mut seen: BTreeMap<End, Seen> = BTreeMap::new();
    for (label, &count) in (0..).zip(&counts).filter(|(_, count)| **count > 0) {
        note(arrows.arrow(label), count, &mut seen);
    }
    seen
}

fn note(arrow: &Arrow, count: u64, seen: &mut BTreeMap<End, Seen>) {
    if let Some(end) = lone_end(arrow) {
        seen.entry(end).or_default().alone += count;
        return;
    }
    let ends = arrow.sender.into_iter().flat_map(|sender| {
        let received = arrow.receivers.iter().map(move |&it| ((false, it), sender));
        arrow.receivers.iter().map(move |&it| ((true, sender), it)).chain(received)
    });
    for ((is_emission, lifeline), other) in ends {
        let seen = seen.entry((is_emission, lifeline, arrow.message)).or_default();
        seen.whole += count;
        seen.others.insert(other);
    }
}

/// The end that an arrow has, if it has not both.
fn lone_end(arrow: &Arrow) -> Option<End> {
    match (arrow.sender, &arrow.receivers[..]) {
        (Some(sender), []) => Some((true, sender, arrow.message)),
        (None, [receiver]) => Some((false, *receiver, arrow.message)),
        _ => None,
    }
}

fn lack(matched: &Matched, arrows: &Arrows, seen: &BTreeMap<End, Seen>) -> Option<Lack> {
    let of_session = || matched.labels.iter().map(|&it| arrows.arrow(it));
    let mut lone_ends = of_session().filter_map(lone_end).peekable();
    lone_ends.peek()?;
    let writing: BTreeSet<LifelineId> = of_session().flat_map(Arrow::lifelines).collect();
    let lack = |end: End| {
        let Seen { whole, alone, others } = seen.get(&end)?;
        let share = *whole as f64 / (whole + alone) as f64;
        let is_silent = others.is_disjoint(&writing);
        let lack = if is_silent { Lack::Logs } else { Lack::Events };
        (*whole > 0 && share >= SHARES[usize::from(!is_silent)]).then_some(lack)
    };
    lone_ends.filter_map(lack).min()
}
