//! The parts of events in the tables of a mapping.

use super::order_fields::OrderRule;
use super::rule::Direction;
use super::template::Template;

/// The keys of the parts.
pub(super) const PARTS: &[&str; 6] =
    &["session", "location", "lifeline", "direction", "message", "order"];

/// The parts of events that a table of the mapping gives.
#[derive(Clone, Default)]
pub(super) struct EventParts {
    pub(super) session: Option<Template>,
    pub(super) location: Option<Template>,
    pub(super) lifeline: Option<Template>,
    pub(super) direction: Option<Direction>,
    pub(super) message: Option<Template>,
    pub(super) order: Option<OrderRule>,
}

impl EventParts {
    /// Which of [`PARTS`] are there.
    pub(super) fn are_there(&self) -> [bool; 6] {
        [
            self.session.is_some(),
            self.location.is_some(),
            self.lifeline.is_some(),
            self.direction.is_some(),
            self.message.is_some(),
            self.order.is_some(),
        ]
    }

    /// These parts, and those of the other for missing ones.
    pub(super) fn or(self, other: &EventParts) -> EventParts {
        let other = other.clone();
        EventParts {
            session: self.session.or(other.session),
            location: self.location.or(other.location),
            lifeline: self.lifeline.or(other.lifeline),
            direction: self.direction.or(other.direction),
            message: self.message.or(other.message),
            order: self.order.or(other.order),
        }
    }
}
