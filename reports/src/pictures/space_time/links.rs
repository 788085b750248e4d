//! Which emission each reception received: the earliest one of its message that nobody has received yet. Only
//! emissions that happened before it count, so no message goes back in time.

use crate::pictures::message_pairs::MessagePairs;
use crate::pictures::space_time::event::{Event, Origin};
use multitrace_interaction::{ActionKind, names};
use std::collections::{BTreeSet, HashMap};

/// Per event, the emission it received when the events happen in this order.
pub(crate) fn sources(
    events: &[Event],
    order: &[usize],
    pairs: &MessagePairs,
) -> Vec<Option<usize>> {
    let mut matcher = Matcher::new(events, pairs);
    let mut sources = vec![None; events.len()];
    for &at in order {
        sources[at] = matcher.pass(at);
    }
    sources
}

/// Whether an event emits or receives. An event that a repair deletes has neither.
fn kind(event: &Event) -> Option<ActionKind> {
    match event.origin {
        Origin::Deleted | Origin::End => None,
        _ => names::split_action(&event.text).map(|(_, kind, _)| kind),
    }
}

/// The messages on their way while the events happen one after the other. Keys of messages are numbered in their order.
pub(crate) struct Matcher {
    /// Per event, whether it emits or receives.
    kinds: Vec<Option<ActionKind>>,
    /// Per event, its keys, each with the slot that counts the messages of such receptions.
    keys: Vec<Vec<(usize, usize)>>,
    /// By key, the emissions that have happened, each with its place.
    emitted: Vec<Vec<(usize, usize)>>,
    /// By key, how many emissions there are in all.
    all: Vec<usize>,
    /// By slot, how many emissions have been received: of broadcasts by the receptions of each text.
    taken: Vec<usize>,
    happened: usize,
}

/// Whether an event may happen now, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Readiness {
    /// The message it receives has been emitted.
    Arrives,
    /// It receives nothing, or nothing that will ever be emitted.
    Ready,
    /// The message it receives is still to be emitted.
    Waits,
}

impl Matcher {
    pub(crate) fn new(events: &[Event], pairs: &MessagePairs) -> Matcher {
        let kinds: Vec<Option<ActionKind>> = events.iter().map(kind).collect();
        let names = |event: &Event| pairs.keys(&event.text);
        let all_names: BTreeSet<String> = events.iter().flat_map(names).collect();
        let numbers: HashMap<String, usize> = all_names.into_iter().zip(0..).collect();
        let mut slots: HashMap<(usize, &str), usize> = HashMap::new();
        let mut all = vec![0; numbers.len()];
        let mut keys = Vec::with_capacity(events.len());
        for (event, kind) in events.iter().zip(&kinds) {
            let mut own = Vec::new();
            for name in names(event) {
                let key = numbers[&name];
                all[key] += usize::from(*kind == Some(ActionKind::Emission));
                // All receivers are counted together, unless it is a broadcast.
                let receiver = if pairs.is_broadcast(&name) { &*event.text } else { "" };
                let next = slots.len();
                own.push((key, *slots.entry((key, receiver)).or_insert(next)));
            }
            keys.push(own);
        }
        let (emitted, taken) = (vec![Vec::new(); all.len()], vec![0; slots.len()]);
        Matcher { kinds, keys, emitted, all, taken, happened: 0 }
    }

    /// Whether an event may happen now, as far as messages go.
    pub(crate) fn readiness(&self, at: usize) -> Readiness {
        if self.kinds[at] != Some(ActionKind::Reception) {
            return Readiness::Ready;
        }
        if self.arrived(at).is_some() {
            return Readiness::Arrives;
        }
        let is_to_come = |&(key, slot): &(usize, usize)| self.all[key] > self.taken[slot];
        if self.keys[at].iter().any(is_to_come) { Readiness::Waits } else { Readiness::Ready }
    }

    /// Lets an event happen, and gives the emission that it received.
    pub(crate) fn pass(&mut self, at: usize) -> Option<usize> {
        let place = self.happened;
        self.happened += 1;
        match self.kinds[at]? {
            ActionKind::Emission => {
                self.keys[at].iter().for_each(|&(key, _)| self.emitted[key].push((place, at)));
                None
            }
            ActionKind::Reception => {
                let (slot, source) = self.arrived(at)?;
                self.taken[slot] += 1;
                Some(source)
            }
        }
    }

    /// The emission that a reception receives, and the slot that counts it: the earliest of those that may be.
    fn arrived(&self, at: usize) -> Option<(usize, usize)> {
        let first = self.keys[at].iter().filter_map(|&(key, slot)| {
            let &(place, source) = self.emitted[key].get(self.taken[slot])?;
            Some((place, key, slot, source))
        });
        first.min().map(|(_, _, slot, source)| (slot, source))
    }
}
