//! The events of one session as rows: in one order over all locations if their events have one, else
//! location by location. Shows all rows, or windows around findings.

use crate::codes::Code;
use crate::explanation::{EventExplanation, EventState, Explanation, LocationExplanation};
use crate::view::Expected;
use multitrace_formats::place::{EventOrder, Place, Places};
use serde::{Deserialize, Serialize};

/// Sessions of at most this many rows are shown whole: two screens.
const SHORT: usize = 60;

/// The events of one session as rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// Whether the rows are in one order of all locations; else those of a location are together.
    pub in_order: bool,
    /// The rows that are shown.
    pub rows: Vec<TimelineRow>,
    /// Rows after the last one shown.
    pub after: usize,
}

/// One event, or the end of a log where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// Rows before this one that are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before: usize,
    /// The location by name.
    pub location: String,
    /// The index in its log, from 0; its length at its end.
    pub index: usize,
    /// The event; `None` at the end of the log.
    pub event: Option<String>,
    /// Whether it is explained, blocked or not reached.
    pub state: EventState,
    /// The finding here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The events that were possible, if there is a finding here.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Where the event was read, if single events have places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The line of the log at that place, if its format has lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Whether the place is a line of a text.
    #[serde(skip)]
    pub is_line: bool,
    #[serde(skip)]
    order: Option<EventOrder>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How much of a session is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Everything.
    Full,
    /// This many rows before and after each one where something is wrong. Short sessions are shown
    /// whole all the same.
    Around(usize),
}

impl Timeline {
    /// The rows of a session that was explained whole.
    pub fn new(explanation: &Explanation, places: &dyn Places, window: Window) -> Timeline {
        let mut rows = Vec::new();
        for (at, location) in explanation.locations.iter().enumerate() {
            let event = |event: &EventExplanation| TimelineRow {
                order: places.order(at, event.index),
                is_line: places.is_line(at, event.index),
                place: event.place.clone(),
                state: event.state,
                ..row(location, event.index, Some(event.event.clone()))
            };
            let start = rows.len();
            rows.extend(location.log.iter().map(event));
            if location.mark(location.length).is_some() {
                // The end stands behind the last event.
                let order = rows[start..].last().and_then(|row| row.order);
                rows.push(TimelineRow { order, ..row(location, location.length, None) });
            }
        }
        let in_order = sort(&mut rows);
        let (rows, after) = shown(rows, window);
        Timeline { in_order, rows, after }
    }

    /// The rows around those where something is wrong, `context` before and after each.
    #[must_use]
    pub fn around_findings(self, context: usize) -> Vec<TimelineRow> {
        around(self.rows, context).0
    }
}

/// A row without place and order.
fn row(location: &LocationExplanation, index: usize, event: Option<String>) -> TimelineRow {
    let mark = location.mark(index);
    TimelineRow {
        before: 0,
        location: location.location.clone(),
        index,
        event,
        state: EventState::Blocked,
        code: mark.map(|mark| mark.code),
        expected: mark.map(|mark| mark.expected.clone()),
        place: None,
        line: None,
        is_line: false,
        order: None,
    }
}

/// Brings the rows into one order; false if their events have none. The ends of logs without events
/// come first.
fn sort(rows: &mut [TimelineRow]) -> bool {
    let has_order =
        |row: &TimelineRow| row.order.is_some() || (row.event.is_none() && row.index == 0);
    let mut kinds = rows.iter().filter_map(|row| row.order.map(|order| order.is_time));
    let first = kinds.next();
    let is_ordered = rows.iter().all(has_order) && kinds.all(|kind| Some(kind) == first);
    if is_ordered && first.is_some() {
        rows.sort_by_key(|row| row.order);
        return true;
    }
    false
}

/// The rows that a window shows, and how many are left out after them.
fn shown(rows: Vec<TimelineRow>, window: Window) -> (Vec<TimelineRow>, usize) {
    let context = match window {
        Window::Around(context) if rows.len() > SHORT => context,
        _ => return (rows, 0),
    };
    around(rows, context)
}

fn around(rows: Vec<TimelineRow>, context: usize) -> (Vec<TimelineRow>, usize) {
    let mut near = vec![false; rows.len()];
    for (at, _) in rows.iter().enumerate().filter(|(_, row)| row.code.is_some()) {
        let end = at.saturating_add(context).min(rows.len() - 1);
        near[at.saturating_sub(context)..=end].fill(true);
    }
    let (mut kept, mut skipped) = (Vec::new(), 0);
    for (row, near) in rows.into_iter().zip(near) {
        match near {
            true => kept.push(TimelineRow { before: std::mem::take(&mut skipped), ..row }),
            false => skipped += 1,
        }
    }
    (kept, skipped)
}
