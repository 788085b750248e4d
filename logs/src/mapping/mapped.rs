//! The result of mapping a record.

use super::ids::{OrderFieldId, RuleId};
use crate::field::FieldId;

/// The result of mapping a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedRecord {
    /// It made events, as many as the rule says, maybe none.
    Mapped {
        /// The rule that matched first.
        rule: RuleId,
    },
    /// A filter left it out.
    Dropped {
        /// Which one.
        by: RuleId,
    },
    /// No rule matched.
    Unmatched,
    /// A rule matched and could not be applied; no events were made.
    Broken {
        /// The rule.
        rule: RuleId,
        /// The reason.
        why: Broken,
    },
}

/// Why a rule that matched could not be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The record has no such field.
    NoField(FieldId),
    /// This would be empty.
    Empty(EventPart),
    /// The new name of this would be empty.
    Renamed(EventPart),
    /// The value of the field, which names this, is an object or a list.
    Parts(FieldId, EventPart),
    /// The value of the field means neither emission nor reception.
    Direction(FieldId),
    /// The value of the field means both.
    BothDirections(FieldId),
    /// The value of an order field cannot be read as its format.
    Order(OrderFieldId),
}

/// A part of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventPart {
    /// The session.
    Session,
    /// The location.
    Location,
    /// The lifeline.
    Lifeline,
    /// The message.
    Message,
    /// The value that binds a role.
    Role,
}

impl EventPart {
    pub(super) fn name(self) -> &'static str {
        match self {
            EventPart::Session => "session",
            EventPart::Location => "location",
            EventPart::Lifeline => "lifeline",
            EventPart::Message => "message",
            EventPart::Role => "role",
        }
    }
}
