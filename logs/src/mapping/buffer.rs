//! Where mapped events go: a buffer that threads reuse.

use super::ids::{JoinId, RoleId, SessionFilterId};
use super::order::OrderKey;
use super::rename::{KnownNames, MergedName, merged};
use super::session_ref::{SessionLink, SessionRef};
use crate::record::RecordPlace;
use multitrace_interaction::{ActionKind, names};
use std::ops::Range;

/// The events of records, and the bindings of roles. A thread keeps one, and clears it for the next record.
#[derive(Clone, Debug, Default)]
pub struct Events {
    pub(super) text: String,
    pub(super) events: Vec<BufferedEvent>,
    pub(super) bindings: Vec<BufferedBinding>,
    pub(super) marks: Vec<BufferedMark>,
    pub(super) links: Vec<BufferedLink>,
    pub(super) lifelines: KnownNames,
    pub(super) messages: KnownNames,
}

/// A session whose name, or the id that tells it, is in the buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferedSession {
    pub(super) join: Option<JoinId>,
    pub(super) range: Range<usize>,
}

impl BufferedSession {
    /// The session, with the text of its buffer.
    pub(super) fn of<'t>(&self, text: &'t str) -> SessionRef<'t> {
        let name = &text[self.range.clone()];
        match self.join {
            None => SessionRef::Named(name),
            Some(join) => SessionRef::Joined { join, id: name },
        }
    }
}

/// An id and its session, or an id of the same session.
#[derive(Clone, Debug)]
pub(super) struct BufferedLink {
    pub(super) from: (JoinId, Range<usize>),
    pub(super) to: BufferedSession,
}

/// An event whose texts are in the buffer.
#[derive(Clone, Debug)]
pub(super) struct BufferedEvent {
    pub(super) session: BufferedSession,
    pub(super) location: Option<Range<usize>>,
    pub(super) lifeline: Range<usize>,
    pub(super) message: Range<usize>,
    pub(super) kind: ActionKind,
    pub(super) order: Option<OrderKey>,
    pub(super) place: RecordPlace,
}

/// The same for the binding of a role.
#[derive(Clone, Debug)]
pub(super) struct BufferedBinding {
    pub(super) role: RoleId,
    pub(super) session: BufferedSession,
    pub(super) value: Range<usize>,
    pub(super) order: Option<OrderKey>,
    pub(super) place: RecordPlace,
}

/// The same for the mark of a session.
#[derive(Clone, Debug)]
pub(super) struct BufferedMark {
    pub(super) filter: SessionFilterId,
    pub(super) session: BufferedSession,
    pub(super) order: Option<OrderKey>,
    pub(super) place: RecordPlace,
}

/// A record that a filter of sessions matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionMark<'a> {
    /// Whether the filter keeps or drops the session.
    pub filter: SessionFilterId,
    /// Of which session.
    pub session: SessionRef<'a>,
    /// The place of the record in the local order, if it has one.
    pub order: Option<OrderKey>,
    /// The record.
    pub place: RecordPlace,
}

/// One emission or reception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its session.
    pub session: SessionRef<'a>,
    /// Where it was logged, when the mapping says so; else at its lifeline.
    pub location: Option<&'a str>,
    /// Its lifeline. With roles it may be an alias, which `RoleNames` resolves.
    pub lifeline: &'a str,
    /// Emission or reception.
    pub kind: ActionKind,
    /// Its message.
    pub message: &'a str,
    /// Its place in the local order, when the mapping names a field; else the order of places.
    pub order: Option<OrderKey>,
    /// The record it was made of.
    pub place: RecordPlace,
}

/// A record that may bind a role in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding<'a> {
    /// Which role.
    pub role: RoleId,
    /// In which session.
    pub session: SessionRef<'a>,
    /// The name in the log that has the role.
    pub value: &'a str,
    /// The place of the record in the local order, when the mapping names a field.
    pub order: Option<OrderKey>,
    /// The record.
    pub place: RecordPlace,
    /// Its file, by its position among the inputs; 0 where only one is read.
    pub file: u32,
}

impl Events {
    /// Forgets the events and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.events.clear();
        self.bindings.clear();
        self.marks.clear();
        self.links.clear();
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are neither events nor bindings.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.bindings.is_empty()
    }

    /// Which ids belong to which sessions, by the records.
    pub fn links(&self) -> impl Iterator<Item = SessionLink<'_>> {
        self.links.iter().map(|BufferedLink { from: (join, id), to }| SessionLink {
            from: (*join, &self.text[id.clone()]),
            to: to.of(&self.text),
        })
    }

    /// The lifelines and the messages that several names of the log became, as far as their names are
    /// remembered.
    pub(crate) fn merged_names(&self) -> [(&'static str, Vec<MergedName>, bool); 2] {
        let of = |what, known| {
            let (merged, is_cut) = merged(known);
            (what, merged, is_cut)
        };
        [of("lifelines", &self.lifelines), of("messages", &self.messages)]
    }

    /// The events, in the order they were made.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Event<'_>> {
        self.events.iter().map(|stored| Event {
            session: stored.session.of(&self.text),
            location: stored.location.clone().map(|range| &self.text[range]),
            lifeline: &self.text[stored.lifeline.clone()],
            kind: stored.kind,
            message: &self.text[stored.message.clone()],
            order: stored.order,
            place: stored.place,
        })
    }

    /// The marks of filters of sessions, in the order of the records.
    pub fn marks(&self) -> impl ExactSizeIterator<Item = SessionMark<'_>> {
        self.marks.iter().map(|stored| SessionMark {
            filter: stored.filter,
            session: stored.session.of(&self.text),
            order: stored.order,
            place: stored.place,
        })
    }

    /// The bindings of roles, in the order of the records.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = Binding<'_>> {
        self.bindings.iter().map(|stored| Binding {
            role: stored.role,
            session: stored.session.of(&self.text),
            value: &self.text[stored.value.clone()],
            order: stored.order,
            place: stored.place,
            file: 0,
        })
    }
}

impl std::fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&names::action_text(self.lifeline, self.kind, self.message))
    }
}
