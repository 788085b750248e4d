//! The receivers of the messages of a lifeline, where the numbers of events tell them.

// Idea: if each message of a name is received by the same lifelines, then in all sessions a lifeline receives as many as
// some lifelines together emit. Where exactly one set of senders fits the numbers of each receiver, it is taken.

use indexmap::IndexMap;
use multitrace_interaction::{Action, ActionKind, LifelineId, MessageId};
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};

use crate::observed::SessionLogs;

/// More senders of one message than this are not looked at: their sets are tried one by one.
const MOST_SENDERS: usize = 8;

/// The receivers of each message by its sender, for messages whose receivers are all known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels {
    receivers: BTreeMap<(MessageId, LifelineId), BTreeSet<LifelineId>>,
    known: BTreeSet<MessageId>,
}

/// Per lifeline, how many events of a message it has in each session that has one.
type Counts = BTreeMap<LifelineId, Vec<(usize, u64)>>;

impl Channels {
    /// Finds the channels by the numbers of events in all sessions.
    pub(crate) fn new<'a>(sessions: impl Iterator<Item = &'a SessionLogs>) -> Channels {
        let mut counts: BTreeMap<MessageId, [Counts; 2]> = BTreeMap::new();
        for (action, numbers) in numbers(sessions) {
            let [sent, received] = counts.entry(action.message).or_default();
            let of_kind = if action.kind == ActionKind::Emission { sent } else { received };
            of_kind.insert(action.lifeline, numbers);
        }
        let mut channels = Channels::default();
        for (message, [sent, received]) in counts {
            if let Some(found) = senders(&sent, &received) {
                channels.known.insert(message);
                for (sender, receiver) in found {
                    channels.receivers.entry((message, sender)).or_default().insert(receiver);
                }
            }
        }
        channels
    }

    /// The receivers of the messages of a name from a sender; `None` if they are not known.
    pub(crate) fn receivers(
        &self,
        message: MessageId,
        sender: LifelineId,
    ) -> Option<impl Iterator<Item = LifelineId> + '_> {
        let own = self.receivers.get(&(message, sender));
        self.known.contains(&message).then(|| own.into_iter().flatten().copied())
    }
}

/// How often each action is in each session that has it.
fn numbers<'a>(
    sessions: impl Iterator<Item = &'a SessionLogs>,
) -> IndexMap<Action, Vec<(usize, u64)>, FxBuildHasher> {
    let mut numbers: IndexMap<Action, Vec<(usize, u64)>, FxBuildHasher> = IndexMap::default();
    for (session, logs) in sessions.enumerate() {
        for action in logs.iter().flatten() {
            let of_action = numbers.entry(*action).or_default();
            match of_action.last_mut().filter(|(last, _)| *last == session) {
                Some((_, number)) => *number += 1,
                None => of_action.push((session, 1)),
            }
        }
    }
    numbers
}

/// Pairs of senders and receivers that explain all numbers, if there is one way. Of several, that one counts in which no
/// emission goes to two lifelines.
fn senders(sent: &Counts, received: &Counts) -> Option<Vec<(LifelineId, LifelineId)>> {
    if sent.len() > MOST_SENDERS || received.is_empty() {
        return None;
    }
    let mut open: Vec<(LifelineId, Vec<BTreeSet<LifelineId>>)> = received
        .iter()
        .map(|(&receiver, numbers)| (receiver, fitting(sent, receiver, numbers)))
        .collect();
    let (mut pairs, mut used) = (Vec::new(), BTreeSet::new());
    while !open.is_empty() {
        let is_certain = |(_, sets): &(LifelineId, Vec<BTreeSet<LifelineId>>)| sets.len() == 1;
        let at = open.iter().position(is_certain)?;
        let (receiver, sets) = open.remove(at);
        pairs.extend(sets[0].iter().map(|&sender| (sender, receiver)));
        used.extend(sets[0].iter().copied());
        for (_, sets) in open.iter_mut().filter(|(_, sets)| sets.len() > 1) {
            sets.retain(|set| set.is_disjoint(&used));
        }
    }
    Some(pairs)
}

/// The sets of senders that emit as many together as a lifeline receives, in all sessions.
fn fitting(
    sent: &Counts,
    receiver: LifelineId,
    numbers: &[(usize, u64)],
) -> Vec<BTreeSet<LifelineId>> {
    let others: Vec<LifelineId> = sent.keys().copied().filter(|it| *it != receiver).collect();
    let chosen = |set: u32| (0..others.len()).filter(move |at| set & (1 << at) != 0);
    let total = |numbers: &[(usize, u64)]| numbers.iter().map(|it| it.1).sum::<u64>();
    let totals: Vec<u64> = others.iter().map(|it| total(&sent[it])).collect();
    let all = total(numbers);
    let fits = |&set: &u32| {
        if chosen(set).map(|at| totals[at]).sum::<u64>() != all {
            return false;
        }
        let mut sum: BTreeMap<usize, u64> = BTreeMap::new();
        for (session, count) in chosen(set).flat_map(|at| &sent[&others[at]]) {
            *sum.entry(*session).or_default() += count;
        }
        sum.into_iter().eq(numbers.iter().copied())
    };
    let sets = (1..1_u32 << others.len()).filter(fits);
    sets.map(|set| chosen(set).map(|at| others[at]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::Id;

    fn logs(events: &[(usize, char, usize)]) -> SessionLogs {
        let action = |&(lifeline, mark, count): &(usize, char, usize)| {
            let kind = if mark == '!' { ActionKind::Emission } else { ActionKind::Reception };
            let message = MessageId::ZERO;
            vec![Action { lifeline: LifelineId::new(lifeline), kind, message }; count]
        };
        events.iter().map(action).collect()
    }

    fn found(sessions: &[SessionLogs], sender: usize) -> Option<Vec<usize>> {
        let channels = Channels::new(sessions.iter());
        let receivers = channels.receivers(MessageId::ZERO, LifelineId::new(sender))?;
        Some(receivers.map(Id::index).collect())
    }

    #[test]
    fn a_message_that_is_passed_on_has_two_channels() {
        // 0 sends to 1, which passes some on to 2.
        let session =
            |all, some| logs(&[(0, '!', all), (1, '?', all), (1, '!', some), (2, '?', some)]);
        let sessions = [session(3, 1), session(2, 2)];
        assert_eq!((found(&sessions, 0), found(&sessions, 1)), (Some(vec![1]), Some(vec![2])));
        // If it passes all of them on, 0 could as well send to both.
        let sessions = [session(2, 2)];
        assert_eq!((found(&sessions, 0), found(&sessions, 1)), (Some(vec![1]), Some(vec![2])));
    }

    #[test]
    fn all_receive_what_one_sends_to_all() {
        let session = |first, second| {
            logs(&[(0, '!', first), (1, '?', first), (1, '!', second), (2, '?', first + second)])
        };
        let sessions = [session(3, 1), session(2, 2)];
        assert_eq!((found(&sessions, 0), found(&sessions, 1)), (Some(vec![1, 2]), Some(vec![2])));
        // A lost message fits no numbers.
        assert_eq!(found(&[logs(&[(0, '!', 2), (1, '?', 1)])], 0), None);
    }
}
