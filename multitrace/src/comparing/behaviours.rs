//! Behaviours that sessions show, and how many sessions of either side show each.

use indexmap::IndexMap;
use multitrace_formats::shorten::shorten;
use multitrace_interaction::{Action, ActionKind, Signature, names};
use multitrace_learn::SessionLogs;
use std::collections::BTreeSet;

/// The most sessions of a side that are named.
const MOST_EXAMPLES: usize = 3;
/// The most characters of a title, but for names of messages.
const TITLE_CHARS: usize = 200;
/// The most characters of a message in a mark.
const MARK_CHARS: usize = 30;
/// The most messages that a title names.
const MOST_NAMED: usize = 3;

/// Equal sessions of both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct SideSession {
    pub(super) logs: SessionLogs,
    pub(super) counts: [u64; 2],
    pub(super) ids: [Vec<String>; 2],
}

/// Something that a session shows, those first that say most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Feature {
    /// An event.
    Event(Action),
    /// An event several times.
    Again(Action),
    /// An event directly after another in a log, or at its beginning or its end.
    Next(Option<Action>, Option<Action>),
    /// All of it.
    Whole,
}

/// Features that the same sessions show.
#[derive(Debug)]
pub(super) struct Behaviour {
    pub(super) shown: Vec<Feature>,
    /// How many sessions of either side show it.
    pub(super) counts: [u64; 2],
    /// Sessions of either side that show it, by number.
    pub(super) examples: [Vec<u32>; 2],
}

/// The sessions of both sides that show a feature, counted, with two sums of numbers that are drawn for each, equal for
/// equal sets.
#[derive(Default)]
struct Showing {
    counts: [u64; 2],
    sums: [u64; 2],
    examples: [Vec<u32>; 2],
}

impl Showing {
    fn add(&mut self, at: u32, session: &SideSession) {
        self.sums[0] = self.sums[0].wrapping_add(drawn(u64::from(at)));
        self.sums[1] = self.sums[1].wrapping_add(drawn(u64::from(at) | 1 << 63));
        for side in [0, 1] {
            self.counts[side] += session.counts[side];
            if session.counts[side] > 0 && self.examples[side].len() < MOST_EXAMPLES {
                self.examples[side].push(at);
            }
        }
    }
}

/// A number that looks random, the same for the same one (SplitMix64).
fn drawn(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The behaviours that sessions show.
pub(super) fn shown(sessions: &[SideSession]) -> Vec<Behaviour> {
    let mut showing: IndexMap<Feature, Showing> = IndexMap::new();
    for (at, session) in (0..).zip(sessions) {
        for feature in features(&session.logs) {
            showing.entry(feature).or_default().add(at, session);
        }
    }
    let mut behaviours: IndexMap<[u64; 2], Behaviour> = IndexMap::new();
    for (feature, Showing { counts, sums, examples }) in showing {
        let behaviour = behaviours.entry(sums);
        let empty = || Behaviour { shown: Vec::new(), counts, examples };
        behaviour.or_insert_with(empty).shown.push(feature);
    }
    let sorted = behaviours.into_values().map(|mut it| {
        it.shown.sort_unstable();
        it
    });
    sorted.collect()
}

/// Each session as a behaviour of its own.
pub(super) fn whole_sessions(sessions: &[SideSession]) -> Vec<Behaviour> {
    let of = |(at, session): (u32, &SideSession)| {
        let mut showing = Showing::default();
        showing.add(at, session);
        let Showing { counts, examples, .. } = showing;
        Behaviour { shown: vec![Feature::Whole], counts, examples }
    };
    (0..).zip(sessions).map(of).collect()
}

fn features(logs: &[Vec<Action>]) -> BTreeSet<Feature> {
    let mut features = BTreeSet::new();
    for log in logs {
        for &action in log {
            if !features.insert(Feature::Event(action)) {
                features.insert(Feature::Again(action));
            }
        }
        let events = log.iter().map(|it| Some(*it));
        let after = events.clone().chain([None]);
        features
            .extend([None].into_iter().chain(events).zip(after).map(|(a, b)| Feature::Next(a, b)));
    }
    features
}

impl Feature {
    /// It in words; `logs` are those of a session that shows it.
    pub(super) fn text(self, signature: &Signature, logs: &[Vec<Action>]) -> String {
        let of = |it: Action| {
            let lifeline = signature.lifeline_name(it.lifeline);
            names::action_text(lifeline, it.kind, signature.message_name(it.message))
        };
        match self {
            Feature::Event(action) => of(action),
            Feature::Again(action) => format!("{} more than once", of(action)),
            Feature::Next(Some(first), Some(then)) => {
                format!("{} directly after {}", of(then), of(first))
            }
            Feature::Next(None, Some(first)) => format!("a log begins with {}", of(first)),
            Feature::Next(Some(last), None) => format!("a log ends with {}", of(last)),
            Feature::Next(None, None) => "a log without events".to_owned(),
            Feature::Whole => {
                let log =
                    |log: &Vec<Action>| log.iter().map(|it| of(*it)).collect::<Vec<_>>().join(", ");
                let logs = logs.iter().filter(|log| !log.is_empty()).map(log);
                let logs = logs.collect::<Vec<_>>().join("; ");
                format!("a session exactly like this: {logs}")
            }
        }
    }
}

impl Behaviour {
    /// The events that it is.
    pub(super) fn events(&self) -> impl Iterator<Item = Action> + '_ {
        self.shown.iter().filter_map(|it| match it {
            Feature::Event(action) => Some(*action),
            _ => None,
        })
    }

    /// The events that sessions must have to show it.
    pub(super) fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        let of = |feature: &Feature| match *feature {
            Feature::Event(action) | Feature::Again(action) => [Some(action), None],
            Feature::Next(first, then) => [first, then],
            Feature::Whole => [None, None],
        };
        self.shown.iter().flat_map(of).flatten()
    }

    /// The events that show it in a picture, each with the part of it that is the behaviour: the events themselves if it has
    /// some, else their repetitions or neighbours.
    pub(super) fn marked(&self, signature: &Signature) -> Vec<(Action, String)> {
        let message = |action: Action| {
            shorten(signature.message_name(action.message), MARK_CHARS).into_owned()
        };
        let has_events = self.events().next().is_some();
        let of = |feature: &Feature| match *feature {
            Feature::Event(action) => Some((action, String::new())),
            Feature::Whole => None,
            _ if has_events => None,
            Feature::Again(action) => Some((action, " several times".to_owned())),
            Feature::Next(Some(first), Some(then)) => {
                Some((then, format!(" after {}", message(first))))
            }
            Feature::Next(None, Some(then)) => Some((then, " as the first".to_owned())),
            Feature::Next(last, None) => Some((last?, " as the last".to_owned())),
        };
        self.shown.iter().filter_map(of).collect()
    }

    /// A short text for it: its messages if it has some, else its first feature.
    pub(super) fn title(&self, signature: &Signature, logs: &[Vec<Action>]) -> String {
        let messages = messages(&self.events().collect::<Vec<_>>(), signature);
        if messages.is_empty() {
            let text = self.shown.first().map(|it| it.text(signature, logs));
            return shorten(&text.unwrap_or_default(), TITLE_CHARS).into_owned();
        }
        let named = messages.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
        match messages.len().saturating_sub(MOST_NAMED) {
            0 => named,
            more => format!("{named}; and {more} more"),
        }
    }
}

/// Emissions and receptions of one message as one.
fn messages(events: &[Action], signature: &Signature) -> Vec<String> {
    let of_kind = |kind, message| {
        let own = events.iter().filter(move |it| it.kind == kind && it.message == message);
        own.map(|it| signature.lifeline_name(it.lifeline)).collect::<Vec<_>>()
    };
    let messages: BTreeSet<_> = events.iter().map(|it| it.message).collect();
    let text = |message| {
        let (from, to) =
            (of_kind(ActionKind::Emission, message), of_kind(ActionKind::Reception, message));
        let name = signature.message_name(message);
        match (&from[..], &to[..]) {
            (_, []) => format!("{name} sent by {}", from.join(", ")),
            ([], _) => format!("{name} received by {}", to.join(", ")),
            _ => format!("{name} from {} to {}", from.join(", "), to.join(", ")),
        }
    };
    messages.into_iter().map(text).collect()
}
