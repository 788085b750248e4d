//! The stretches of a diagram that a session goes through in another way.

// Idea: messages that the session lacks are left out where they stand, and its other ones come behind the last event before
// them. Neighbours are one stretch; so is all between the place that a message left and the one where it is now. Which place is
// right cannot always be seen from the logs, so there are several ways, and the caller checks the result of each.

use super::alignment::{AlignedEvent, AlignedLogs};
use super::outline::{Events, Outline, Place};
use super::units::ExtraMessage;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Statements of a body, and the other way through them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) body: usize,
    pub(super) range: Range<usize>,
    pub(super) other: Vec<OtherStep>,
    /// Whether they are repeated, or the other steps if there are no statements.
    pub(super) is_loop: bool,
}

/// A step of the other way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OtherStep {
    /// The statement of this number.
    Kept(usize),
    New(ExtraMessage),
}

/// Where new messages stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placing {
    /// In the innermost frame around the events before and after.
    Between,
    /// Right behind the event before.
    Behind,
    /// Right before the event after.
    Before,
}

/// All of a text, and a session instead.
pub(super) fn whole(outline: &Outline, messages: Vec<ExtraMessage>) -> Vec<Piece> {
    let other = messages.into_iter().map(OtherStep::New).collect();
    vec![Piece::whole(outline, other)]
}

/// The pieces with loops in place of new messages that repeat one another or statements around them; `all` lets all new
/// messages be repeated.
pub(super) fn looped(pieces: &[Piece], events: &BTreeMap<Place, Events>, all: bool) -> Vec<Piece> {
    pieces.iter().map(|piece| piece.looped(events, all).unwrap_or_else(|| piece.clone())).collect()
}

impl Piece {
    fn new(body: usize, range: Range<usize>, other: Vec<OtherStep>) -> Piece {
        Piece { body, range, other, is_loop: false }
    }

    /// All of a text.
    pub(super) fn whole(outline: &Outline, other: Vec<OtherStep>) -> Piece {
        Piece::new(0, 0..outline.0[0].items.len(), other)
    }

    /// `None` if nothing is repeated.
    fn looped(&self, events: &BTreeMap<Place, Events>, all: bool) -> Option<Piece> {
        if !self.range.is_empty() {
            return None;
        }
        let new = self.other.iter().map(|step| match step {
            OtherStep::New(message) => Some(message),
            OtherStep::Kept(_) => None,
        });
        let new: Vec<&ExtraMessage> = new.collect::<Option<_>>()?;
        if let Some(range) = self.repeated(events, &new) {
            return Some(Piece { range, other: Vec::new(), is_loop: true, ..*self });
        }
        let is_unit = |size: &usize| {
            new.len().is_multiple_of(*size)
                && (*size..new.len()).all(|at| new[at].is_same(new[at - size]))
        };
        let size = (1..=new.len()).find(is_unit)?;
        let other = self.other[..size].to_vec();
        (all || size < new.len()).then(|| Piece {
            other,
            is_loop: true,
            range: self.range.clone(),
            ..*self
        })
    }

    /// The fewest statements at the place of new messages that have all these, from the first one to the last.
    fn repeated(
        &self,
        events: &BTreeMap<Place, Events>,
        new: &[&ExtraMessage],
    ) -> Option<Range<usize>> {
        let new: Events = new.iter().flat_map(|it| it.ends()).collect();
        let of = |item| events.get(&Place { body: self.body, item });
        let repeats = |range: &Range<usize>| {
            let shares = |item| of(item).is_some_and(|it| !it.is_disjoint(&new));
            let has = |end| range.clone().filter_map(of).any(|it| it.contains(end));
            shares(range.start) && shares(range.end - 1) && new.iter().all(has)
        };
        let at = self.range.start;
        let ranges = (1..=new.len())
            .flat_map(|size| (at.saturating_sub(size)..=at).map(move |start| start..start + size));
        ranges.into_iter().find(repeats)
    }
}

/// The changes of one body.
#[derive(Debug, Default)]
struct BodyChanges {
    /// Statements, each with the events of it that the session lacks, unless it is a frame.
    left_out: BTreeMap<usize, Events>,
    /// By the number of the statement behind them.
    new: BTreeMap<usize, Vec<ExtraMessage>>,
}

/// The pieces for a session; `None` if an event is at no statement. `is_joined` makes one of neighbours.
pub(super) fn pieces(
    (logs, messages): (&AlignedLogs, &[ExtraMessage]),
    outline: &Outline,
    placing: Placing,
    is_joined: bool,
) -> Option<Vec<Piece>> {
    let mut changes: BTreeMap<usize, BodyChanges> = BTreeMap::new();
    let mut used: BTreeSet<Place> = BTreeSet::new();
    for message in messages {
        let position = position(message, logs, outline, placing)?;
        let frames = outline.0[position.body].parent;
        used.extend(frames.into_iter().flat_map(|it| outline.ancestors(it)));
        let new = &mut changes.entry(position.body).or_default().new;
        let known = new.entry(position.item).or_default();
        // In another repetition it is the same place of the text.
        if is_joined || !known.iter().any(|it| it.is_same(message)) {
            known.push(message.clone());
        }
    }
    let mut left_out: BTreeMap<Place, Events> = BTreeMap::new();
    for event in logs.iter().flatten() {
        let Some((_, span)) = event.step else { continue };
        let place = outline.place(span)?;
        if !event.is_logged {
            let key = (event.lifeline.clone(), event.kind, event.message.clone());
            left_out.entry(place).or_default().insert(key);
        } else if !event.is_half {
            used.extend(outline.ancestors(place));
        }
    }
    for (place, events) in frames_left_out(left_out, &used, outline) {
        changes.entry(place.body).or_default().left_out.insert(place.item, events);
    }
    let pieces = changes.iter().flat_map(|(&body, changes)| changes.pieces(body, is_joined));
    Some(pieces.collect())
}

/// Whole frames instead of their statements, where nothing of them is used.
fn frames_left_out(
    mut left_out: BTreeMap<Place, Events>,
    used: &BTreeSet<Place>,
    outline: &Outline,
) -> BTreeMap<Place, Events> {
    for (body, of) in outline.0.iter().enumerate().rev() {
        let Some(frame) = of.parent.filter(|it| !used.contains(it)) else { continue };
        let before = left_out.len();
        left_out.retain(|it, _| it.body != body);
        if left_out.len() < before {
            left_out.insert(frame, Events::new());
        }
    }
    left_out
}

/// The statement before which a message stands, or the end of its body.
fn position(
    message: &ExtraMessage,
    logs: &AlignedLogs,
    outline: &Outline,
    placing: Placing,
) -> Option<Place> {
    let behind = |place: Place| Place { item: place.item + 1, ..place };
    // The end of a message whose other end is missing replaces it.
    let half = message.events.iter().map(|&(log, at)| &logs[log][at]).find(|it| it.is_half);
    if let Some((_, span)) = half.and_then(|it| it.step) {
        return outline.place(span).map(behind);
    }
    let stands = |event: &AlignedEvent| event.step;
    let before = |&(log, at): &(usize, usize)| logs[log][..at].iter().rev().find_map(stands);
    let after = |&(log, at): &(usize, usize)| logs[log][at + 1..].iter().find_map(stands);
    let last = message.events.iter().filter_map(before).max_by_key(|it| it.0);
    let next = message.events.iter().filter_map(after).min_by_key(|it| it.0);
    let last = last.and_then(|(_, span)| outline.place(span));
    let next = next.and_then(|(_, span)| outline.place(span));
    let end = Place { body: 0, item: outline.0[0].items.len() };
    let common = |place: Place, other: Option<Place>| {
        let bodies: Vec<usize> = match other {
            Some(other) => outline.ancestors(other).map(|it| it.body).collect(),
            None => vec![0],
        };
        outline.ancestors(place).find(|it| bodies.contains(&it.body))
    };
    match (last, next, placing) {
        (_, Some(next), Placing::Before) => Some(next),
        (Some(last), next, Placing::Between) => common(last, next).map(behind),
        (Some(last), _, _) => Some(behind(last)),
        (None, Some(next), _) => common(next, None),
        (None, None, _) => Some(end),
    }
}

impl BodyChanges {
    fn pieces(&self, body: usize, is_joined: bool) -> Vec<Piece> {
        let left_out = self.left_out.keys().map(|&it| it..it + 1);
        if !is_joined {
            let without = left_out.map(|range| Piece::new(body, range, Vec::new()));
            let alone = |(&at, messages): (&usize, &Vec<ExtraMessage>)| {
                let other = messages.clone().into_iter().map(|it| vec![OtherStep::New(it)]);
                other.map(|other| Piece::new(body, at..at, other)).collect::<Vec<_>>()
            };
            return without.chain(self.new.iter().flat_map(alone)).collect();
        }
        let mut ranges: Vec<Range<usize>> = left_out.chain(self.moved()).collect();
        ranges.extend(self.new.keys().map(|&it| it..it));
        ranges.sort_by_key(|it| (it.start, it.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => joined.push(range),
            }
        }
        joined.into_iter().map(|range| self.joined(body, range)).collect()
    }

    fn joined(&self, body: usize, range: Range<usize>) -> Piece {
        let mut other = Vec::new();
        for at in range.start..=range.end {
            let new = self.new.get(&at).into_iter().flatten().cloned();
            other.extend(new.map(OtherStep::New));
            if at < range.end && !self.left_out.contains_key(&at) {
                other.push(OtherStep::Kept(at));
            }
        }
        Piece::new(body, range, other)
    }

    /// From the places that messages left to those where they are now.
    fn moved(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for (&left, events) in &self.left_out {
            let is_here = |message: &ExtraMessage| {
                let ends = message.ends();
                ends.len() == 2 && ends.iter().all(|it| events.contains(it))
            };
            let now = self.new.iter().filter(|(_, messages)| messages.iter().any(is_here));
            ranges.extend(now.map(|(&at, _)| left.min(at)..(left + 1).max(at)));
        }
        ranges
    }
}
