//! Which emission each reception received: of one message, the first reception at a lane the first
//! emission, the second the second.

use crate::pictures::message_pairs::MessagePairs;
use crate::pictures::space_time::event::{Event, Origin};
use multitrace_interaction::{ActionKind, names};
use std::collections::BTreeMap;

/// Per event, the emission it received. `places` are the events in the order in which those of
/// different lanes are taken.
pub(crate) fn sources(
    events: &[Event],
    places: &[usize],
    pairs: &MessagePairs,
) -> Vec<Option<usize>> {
    let mut matcher = Matcher {
        events,
        pairs,
        emissions: emissions(events, places, pairs),
        next: BTreeMap::new(),
    };
    let mut sources = vec![None; events.len()];
    for &at in places {
        if kind(&events[at]) == Some(ActionKind::Reception) {
            sources[at] = matcher.source(at);
        }
    }
    sources
}

/// Whether an event emits or receives. What a repair deletes takes part in nothing.
fn kind(event: &Event) -> Option<ActionKind> {
    match event.origin {
        Origin::Deleted | Origin::End => None,
        _ => names::split_action(&event.text).map(|(_, kind, _)| kind),
    }
}

/// The emissions by key.
fn emissions(
    events: &[Event],
    places: &[usize],
    pairs: &MessagePairs,
) -> BTreeMap<String, Vec<usize>> {
    let mut emissions: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &at in places.iter().filter(|&&at| kind(&events[at]) == Some(ActionKind::Emission)) {
        for key in pairs.keys(&events[at].text) {
            emissions.entry(key).or_default().push(at);
        }
    }
    emissions
}

struct Matcher<'a> {
    events: &'a [Event],
    pairs: &'a MessagePairs,
    emissions: BTreeMap<String, Vec<usize>>,
    /// How many emissions of a key the receptions of a text have taken; by names, those of all texts.
    next: BTreeMap<(String, String), usize>,
}

impl Matcher<'_> {
    fn source(&mut self, at: usize) -> Option<usize> {
        let text = &self.events[at].text;
        let receiver = if self.pairs.is_by_name() { String::new() } else { text.clone() };
        for key in self.pairs.keys(text) {
            let Some(emissions) = self.emissions.get(&key) else { continue };
            let next = self.next.entry((key, receiver.clone())).or_default();
            if let Some(&source) = emissions.get(*next) {
                *next += 1;
                return Some(source);
            }
        }
        None
    }
}
