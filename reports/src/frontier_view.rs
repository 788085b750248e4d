//! Views of several locations of a session, with names: the furthest interleaving, and how far a search
//! that was cut has read.

use crate::imbalance::imbalance_text;
use crate::session_names::SessionNames;
use crate::view::View;
use multitrace_interaction::{
    Alphabet, CycleEvent, Frontier, FrontierEntry, Id, LocationId, Reached,
};
use serde::Serialize;

/// The furthest an interleaving gets ([`Frontier`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontierView {
    /// One row per location of the alphabet, in order.
    pub locations: Vec<FrontierRow>,
    /// False if another interleaving may get further.
    pub complete: bool,
    /// Events that would each have to come before the next, and the last before the first.
    pub cycle: Vec<NamedEvent>,
    /// Numbers of events that no accepted session has, as a sentence.
    pub balance: Option<String>,
}

/// How far one location gets in the furthest interleaving ([`FrontierEntry`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrontierRow {
    /// The name of the location.
    pub location: String,
    /// How many of its events are explained.
    pub explained: usize,
    /// The index of the event that blocks, or of the end.
    pub index: usize,
    /// How many events its trace has.
    pub length: usize,
    /// The event that blocks; `None` if all events are explained.
    pub event: Option<String>,
    /// The events that the specification allows at this location there, sorted.
    pub expected: Vec<String>,
}

/// An event by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedEvent {
    /// The name of the location.
    pub location: String,
    /// The index of the event in its local trace.
    pub index: usize,
    /// The event.
    pub event: String,
}

/// How far a search got in the log of one location ([`Reached`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReachedRow {
    /// The name of the location.
    pub location: String,
    /// How many of its events were read.
    pub read: usize,
    /// How many events its log has.
    pub length: usize,
}

impl ReachedRow {
    /// With the name of its location.
    pub fn new(reached: &Reached, alphabet: &Alphabet) -> ReachedRow {
        let &Reached { location, read, length } = reached;
        ReachedRow { location: alphabet.location_name(location).to_owned(), read, length }
    }
}

impl FrontierView {
    /// With the names of its locations and events.
    pub fn new(frontier: &Frontier, names: &SessionNames<'_>) -> FrontierView {
        let row = |(at, entry): (usize, &FrontierEntry)| {
            let location = LocationId::new(at);
            FrontierRow {
                location: names.location(location).to_owned(),
                explained: entry.explained,
                index: entry.index,
                length: entry.length,
                event: entry.event.map(|event| names.alphabet.letter_name(event).to_owned()),
                expected: names.letters(&entry.expected),
            }
        };
        let event = |it: &CycleEvent| NamedEvent {
            location: names.location(it.location).to_owned(),
            index: it.index,
            event: names.event(it.location, it.index).unwrap_or_default().to_owned(),
        };
        FrontierView {
            locations: frontier.locations.iter().enumerate().map(row).collect(),
            complete: frontier.complete,
            cycle: frontier.cycle.iter().map(event).collect(),
            balance: frontier.imbalance.as_ref().map(|it| imbalance_text(it, names.alphabet)),
        }
    }

    /// The rows that stand in the way: those with an event that is blocked. If every event is read, those are missing
    /// that could go on.
    pub(crate) fn blocked(&self) -> impl Iterator<Item = &FrontierRow> {
        let all_read = self.locations.iter().all(|row| row.event.is_none());
        let is_blocked =
            move |row: &&FrontierRow| row.event.is_some() || (all_read && !row.expected.is_empty());
        self.locations.iter().filter(is_blocked)
    }

    /// Events that would each have to come before the next, as a sentence, if there are any.
    pub(crate) fn cycle_text(&self) -> Option<String> {
        // People count from 1.
        let name =
            |it: &NamedEvent| format!("{} ({}, event {})", it.event, it.location, it.index + 1);
        let names: Vec<String> = self.cycle.iter().map(name).collect();
        let all = names.join("; ");
        let text = "no order is left, since each of these would have to come before the next and the last \
                    before the first";
        (!names.is_empty()).then(|| format!("{text}: {all}"))
    }

    /// The same with its texts cut as a view shows them.
    #[must_use]
    pub(crate) fn shortened(&self, view: &View) -> FrontierView {
        let row = |row: &FrontierRow| FrontierRow {
            location: view.name(&row.location),
            event: row.event.as_ref().map(|event| view.name(event)),
            expected: view.names(&row.expected),
            ..row.clone()
        };
        let event = |it: &NamedEvent| NamedEvent {
            location: view.name(&it.location),
            event: view.name(&it.event),
            ..it.clone()
        };
        // With a gap it is not a cycle.
        let cycle = if self.cycle.len() <= view.expected { &self.cycle[..] } else { &[] };
        FrontierView {
            locations: self.locations.iter().map(row).collect(),
            complete: self.complete,
            cycle: cycle.iter().map(event).collect(),
            balance: self.balance.as_ref().map(|it| view.name(it)),
        }
    }
}
