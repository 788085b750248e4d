//! The messages that a session has and the text has not.

use super::alignment::{AlignedEvent, AlignedLogs};
use multitrace_interaction::ActionKind;
use std::collections::{BTreeMap, VecDeque};

/// A message between two lifelines, or an end of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExtraMessage {
    pub(super) sender: Option<String>,
    pub(super) receiver: Option<String>,
    pub(super) message: String,
    /// Its events: the log and the index there.
    pub(super) events: Vec<(usize, usize)>,
}

impl ExtraMessage {
    fn new(ends: &[(usize, usize)], logs: &AlignedLogs) -> ExtraMessage {
        let of = |kind| {
            let events = ends.iter().map(|&(log, at)| &logs[log][at]);
            let mut found = events.filter(|it| it.kind == kind);
            found.next().map(|it| it.lifeline.clone())
        };
        let (log, at) = ends[0];
        ExtraMessage {
            sender: of(ActionKind::Emission),
            receiver: of(ActionKind::Reception),
            message: logs[log][at].message.clone(),
            events: ends.to_vec(),
        }
    }

    /// Its events, each with its lifeline.
    pub(super) fn ends(&self) -> Vec<(String, ActionKind, String)> {
        let ends = [(&self.sender, ActionKind::Emission), (&self.receiver, ActionKind::Reception)];
        let ends = ends.into_iter().filter_map(|(at, kind)| Some((at.clone()?, kind)));
        ends.map(|(at, kind)| (at, kind, self.message.clone())).collect()
    }

    /// Whether it is written as the other one.
    pub(super) fn is_same(&self, other: &ExtraMessage) -> bool {
        let key = |it: &ExtraMessage| (it.sender.clone(), it.receiver.clone(), it.message.clone());
        key(self) == key(other)
    }
}

/// The extra events as messages, in an order that all logs allow: of one name, each reception belongs to the emission of the
/// same number. Where messages cross, so that no order is left, an end stands alone; `are_apart` lets all ends.
pub(super) fn extra_messages(logs: &AlignedLogs, are_apart: bool) -> Vec<ExtraMessage> {
    let mut partner = if are_apart { BTreeMap::new() } else { partners(logs) };
    let mut queues: Vec<VecDeque<usize>> = logs.iter().map(|log| extra(log)).collect();
    let mut messages = Vec::new();
    loop {
        let fronts = || queues.iter().enumerate().filter_map(|(log, it)| Some((log, *it.front()?)));
        let Some(first) = fronts().next() else { return messages };
        let ends = |event: (usize, usize)| match partner.get(&event) {
            None => Some(vec![event]),
            Some(&(log, at)) => {
                let behind = usize::from(log == event.0);
                (queues[log].get(behind) == Some(&at)).then(|| vec![event, (log, at)])
            }
        };
        match fronts().find_map(ends) {
            Some(ends) => {
                messages.push(ExtraMessage::new(&ends, logs));
                for (log, _) in ends {
                    queues[log].pop_front();
                }
            }
            None => {
                let other = partner.remove(&first);
                other.and_then(|it| partner.remove(&it));
            }
        }
    }
}

fn extra(log: &[AlignedEvent]) -> VecDeque<usize> {
    let extra = log.iter().enumerate().filter(|(_, event)| event.is_extra());
    extra.map(|(at, _)| at).collect()
}

/// The other end of each extra event that has one. An arrow to oneself is one event unless the whole diagram says otherwise, so
/// those stay apart.
fn partners(logs: &AlignedLogs) -> BTreeMap<(usize, usize), (usize, usize)> {
    let mut ends: BTreeMap<&str, [Vec<(usize, usize)>; 2]> = BTreeMap::new();
    for (log, events) in logs.iter().enumerate() {
        for at in extra(events) {
            let event = &events[at];
            let of_kind = usize::from(event.kind == ActionKind::Reception);
            ends.entry(&event.message).or_default()[of_kind].push((log, at));
        }
    }
    let mut partners = BTreeMap::new();
    for [sent, mut received] in ends.into_values() {
        for emission in sent {
            let lifeline = |(log, at): (usize, usize)| &logs[log][at].lifeline;
            let is_other = |it: &&(usize, usize)| lifeline(**it) != lifeline(emission);
            let Some(reception) = received.iter().find(is_other).copied() else { continue };
            received.retain(|it| *it != reception);
            partners.insert(emission, reception);
            partners.insert(reception, emission);
        }
    }
    partners
}
