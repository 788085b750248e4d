//! Which events are shown: all of short sessions, of long ones those around what is marked.

use crate::pictures::space_time::story::{Origin, Story};

/// Sessions of at most this many events are shown whole: two screens.
const SHORT: usize = 60;

/// An event, or how many are left out in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Event(usize),
    Omitted(usize),
}

/// The rows of a story.
pub(crate) fn rows(story: &Story, context: usize) -> Vec<Row> {
    let shown = shown(story, context);
    let mut rows = Vec::new();
    for (&event, &is_shown) in story.order.iter().zip(&shown) {
        match (is_shown, rows.last_mut()) {
            (true, _) => rows.push(Row::Event(event)),
            (false, Some(Row::Omitted(count))) => *count += 1,
            (false, _) => rows.push(Row::Omitted(1)),
        }
    }
    rows
}

fn shown(story: &Story, context: usize) -> Vec<bool> {
    let length = story.order.len();
    let is_marked = |&at: &usize| {
        let event = &story.events[at];
        !event.notes.is_empty() || event.origin != Origin::Logged
    };
    if length <= SHORT {
        return vec![true; length];
    }
    let mut shown = vec![false; length];
    for (place, _) in story.order.iter().enumerate().filter(|(_, at)| is_marked(at)) {
        let end = place.saturating_add(context).min(length - 1);
        shown[place.saturating_sub(context)..=end].fill(true);
    }
    if !shown.contains(&true) {
        shown[..SHORT / 2].fill(true);
        shown[length - SHORT / 2..].fill(true);
    }
    shown
}
