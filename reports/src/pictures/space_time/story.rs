//! The events of a session in one order, each with its state and notes.

use crate::explanation::{EventState, LocationExplanation};
use crate::frontier_view::NamedEvent;
use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::links;
use crate::pictures::space_time::notes::notes_at;
use crate::pictures::space_time::order;
use crate::pictures::space_time::subject::SpaceTime;
use crate::repair_view::EditView;
use multitrace_interaction::EditKind;
use std::collections::BTreeSet;

/// A session in one order.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) lanes: Vec<String>,
    /// By lane, then in the order of its log.
    pub(crate) events: Vec<Event>,
    /// The events as they stand down the page.
    pub(crate) order: Vec<usize>,
    /// Per event, the emission that it received.
    pub(crate) sources: Vec<Option<usize>>,
    /// Events of different lanes of which the first would have to come before the second, and all
    /// together before each other.
    pub(crate) orders: Vec<(usize, usize)>,
}

impl Story {
    pub(crate) fn new(session: &SpaceTime<'_>) -> Story {
        let locations = &session.explanation.locations;
        let lanes: Vec<String> = locations.iter().map(|it| it.location.clone()).collect();
        let events: Vec<Event> = locations
            .iter()
            .enumerate()
            .flat_map(|(lane, location)| lane_events(lane, location, session))
            .collect();
        let hint = order::hint(session, &lanes);
        let known = hint.as_ref().map(|hint| order::by_hint(&events, lanes.len(), hint));
        let received = |order: &[usize]| {
            let sources = links::sources(&events, order, session.pairs);
            (sources.iter().flatten().count(), sources)
        };
        let causal = order::causal(&events, lanes.len(), session.pairs);
        let (count, sources) = received(&causal);
        // Clocks that differ would show messages that arrive before they are sent.
        let known = known.map(|order| (received(&order), order));
        let known = known.filter(|((known, _), _)| *known >= count);
        let (order, sources) = match known {
            Some(((_, sources), order)) => (order, sources),
            None => (causal, sources),
        };
        let orders = orders(session, &events);
        Story { lanes, events, order, sources, orders }
    }
}

/// The events of cycles, each with the next one, where that is at another lane.
fn orders(session: &SpaceTime<'_>, events: &[Event]) -> Vec<(usize, usize)> {
    let locations = &session.explanation.locations;
    let find = |it: &NamedEvent| {
        let lane = locations.iter().position(|location| location.location == it.location)?;
        events.iter().position(|event| event.lane == lane && event.index == Some(it.index))
    };
    let frontiers = session.evidence.iter().filter_map(|finding| finding.frontier.as_ref());
    let mut orders = Vec::new();
    for cycle in frontiers.map(|frontier| &frontier.cycle) {
        let next = cycle.iter().cycle().skip(1);
        let pairs = cycle.iter().zip(next).filter(|(a, b)| a.location != b.location);
        orders.extend(pairs.filter_map(|(a, b)| Some((find(a)?, find(b)?))));
    }
    orders
}

/// The events of a log, those that a repair inserts among them.
fn lane_events(lane: usize, location: &LocationExplanation, session: &SpaceTime<'_>) -> Vec<Event> {
    let (insertions, deletions) = edits(location, session);
    let mut insertions = insertions.into_iter().peekable();
    let insertion = |edit: &EditView| Event {
        text: edit.action.clone(),
        ..event(lane, Origin::Inserted, EventState::NotReached)
    };
    let mut events = Vec::new();
    for logged in &location.log {
        while let Some(edit) = insertions.next_if(|edit| edit.index <= logged.index) {
            events.push(insertion(edit));
        }
        let is_deleted = deletions.contains(&logged.index);
        let origin = if is_deleted { Origin::Deleted } else { Origin::Logged };
        let notes = notes_at(location, logged.index);
        let state = state(logged.state, session);
        let index = Some(logged.index);
        let text = logged.event.clone();
        events.push(Event { text, index, notes, ..event(lane, origin, state) });
    }
    let notes = notes_at(location, location.length);
    if !notes.is_empty() {
        events.push(Event { notes, ..event(lane, Origin::End, EventState::Blocked) });
    }
    events.extend(insertions.map(insertion));
    events
}

/// The insertions of a repair at a location, and the indices of the events it deletes.
fn edits<'a>(
    location: &LocationExplanation,
    session: &SpaceTime<'a>,
) -> (Vec<&'a EditView>, BTreeSet<usize>) {
    let edits = session.repair.iter().flat_map(|repair| &repair.edits);
    let (insertions, deletions): (Vec<&EditView>, Vec<&EditView>) = edits
        .filter(|edit| edit.location == location.location)
        .partition(|edit| edit.kind == EditKind::Insert);
    (insertions, deletions.into_iter().map(|edit| edit.index).collect())
}

/// The witness of a pass explains everything.
fn state(state: EventState, session: &SpaceTime<'_>) -> EventState {
    match session.witness.is_some() && session.findings.is_empty() {
        true => EventState::Explained,
        false => state,
    }
}

fn event(lane: usize, origin: Origin, state: EventState) -> Event {
    Event { lane, text: String::new(), index: None, origin, state, notes: Vec::new() }
}
