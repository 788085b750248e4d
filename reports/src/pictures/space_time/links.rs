//! Which emission each reception received: the earliest one of its message that nobody has received yet. Only
//! emissions that happened before it count, so no message goes back in time.

use crate::pictures::message_pairs::MessagePairs;
use crate::pictures::space_time::event::{Event, Origin};
use multitrace_interaction::{ActionKind, names};
use std::collections::BTreeMap;

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

/// The messages on their way while the events happen one after the other.
pub(crate) struct Matcher<'a> {
    events: &'a [Event],
    pairs: &'a MessagePairs,
    /// By key, the emissions that have happened, each with its place.
    emitted: BTreeMap<String, Vec<(usize, usize)>>,
    /// By key, how many emissions there are in all.
    all: BTreeMap<String, usize>,
    /// How many emissions of a key have been received: of broadcasts by the receptions of each text.
    taken: BTreeMap<(String, String), usize>,
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

impl<'a> Matcher<'a> {
    pub(crate) fn new(events: &'a [Event], pairs: &'a MessagePairs) -> Matcher<'a> {
        let mut all: BTreeMap<String, usize> = BTreeMap::new();
        for event in events.iter().filter(|it| kind(it) == Some(ActionKind::Emission)) {
            for key in pairs.keys(&event.text) {
                *all.entry(key).or_default() += 1;
            }
        }
        let (emitted, taken) = (BTreeMap::new(), BTreeMap::new());
        Matcher { events, pairs, emitted, all, taken, happened: 0 }
    }

    /// Whether an event may happen now, as far as messages go.
    pub(crate) fn readiness(&self, at: usize) -> Readiness {
        if kind(&self.events[at]) != Some(ActionKind::Reception) {
            return Readiness::Ready;
        }
        if self.arrived(at).is_some() {
            return Readiness::Arrives;
        }
        let is_to_come =
            |key: &String| self.all.get(key).copied().unwrap_or(0) > self.taken(key, at);
        let keys = self.pairs.keys(&self.events[at].text);
        if keys.iter().any(is_to_come) { Readiness::Waits } else { Readiness::Ready }
    }

    /// Lets an event happen, and gives the emission that it received.
    pub(crate) fn pass(&mut self, at: usize) -> Option<usize> {
        let place = self.happened;
        self.happened += 1;
        match kind(&self.events[at])? {
            ActionKind::Emission => {
                for key in self.pairs.keys(&self.events[at].text) {
                    self.emitted.entry(key).or_default().push((place, at));
                }
                None
            }
            ActionKind::Reception => {
                let (key, source) = self.arrived(at)?;
                let receiver = self.receiver(&key, at);
                *self.taken.entry((key, receiver)).or_default() += 1;
                Some(source)
            }
        }
    }

    /// The emission that a reception receives, and its key: the earliest of those that may be.
    fn arrived(&self, at: usize) -> Option<(String, usize)> {
        let keys = self.pairs.keys(&self.events[at].text).into_iter();
        let first = keys.filter_map(|key| {
            let next = self.taken(&key, at);
            let &(place, source) = self.emitted.get(&key)?.get(next)?;
            Some((place, key, source))
        });
        first.min().map(|(_, key, source)| (key, source))
    }

    fn taken(&self, key: &str, at: usize) -> usize {
        self.taken.get(&(key.to_owned(), self.receiver(key, at))).copied().unwrap_or(0)
    }

    /// The receiver for which the emissions of a reception are counted: all receivers together, unless it is a
    /// broadcast.
    fn receiver(&self, key: &str, at: usize) -> String {
        match self.pairs.is_broadcast(key) {
            true => self.events[at].text.clone(),
            false => String::new(),
        }
    }
}
