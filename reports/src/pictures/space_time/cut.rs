//! Which events are shown: all of short sessions, of long ones those around marks.

use crate::pictures::space_time::event::Origin;
use crate::pictures::space_time::story::Story;
use crate::pictures::space_time::subject::Cut;

/// An event, or those left out in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Event(usize),
    /// The first by its place in the order, and how many.
    Omitted(usize, usize),
}

/// The rows of a story.
pub(crate) fn rows(story: &Story, cut: Cut) -> Vec<Row> {
    let shown = shown(story, cut);
    let mut rows = Vec::new();
    for (place, &event) in story.order.iter().enumerate() {
        match (shown[place], rows.last_mut()) {
            (true, _) => rows.push(Row::Event(event)),
            (false, Some(Row::Omitted(_, count))) => *count += 1,
            (false, _) => rows.push(Row::Omitted(place, 1)),
        }
    }
    rows
}

/// By place in the order.
fn shown(story: &Story, cut: Cut) -> Vec<bool> {
    let length = story.order.len();
    let is_marked = |&at: &usize| {
        let event = &story.events[at];
        !event.notes.is_empty() || event.origin != Origin::Logged
    };
    if length <= cut.whole {
        return vec![true; length];
    }
    let mut shown = vec![false; length];
    for (place, _) in story.order.iter().enumerate().filter(|(_, at)| is_marked(at)) {
        let end = place.saturating_add(cut.context).min(length - 1);
        shown[place.saturating_sub(cut.context)..=end].fill(true);
    }
    if !shown.contains(&true) {
        let side = cut.context.max(cut.whole / 2).min(length / 2);
        shown[..side].fill(true);
        shown[length - side..].fill(true);
    }
    shown.iter_mut().filter(|it| **it).skip(cut.most).for_each(|it| *it = false);
    shown
}
