//! The rules of a mapping.

use super::condition::{Condition, Test};
use super::ids::SessionFilterId;
use super::mapped::Broken;
use super::order_fields::OrderRule;
use super::template::Template;
use crate::field::FieldId;
use crate::record::Record;
use multitrace_interaction::ActionKind;

/// The treatment of records that no rule matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// Nothing.
    Ignore,
    /// Say how many there were.
    #[default]
    Count,
    /// Each is an error.
    Error,
}

/// The treatment of events of one location that have the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// Report them: their order is not known.
    #[default]
    Report,
    /// Keep the order of the file, if they come from one file.
    File,
    /// They are in no order: any will do.
    Any,
}

/// A rule, filter or role: its condition on records, and its effect.
#[derive(Clone, Debug)]
pub(super) struct Named<T> {
    pub(super) name: String,
    /// Where it stands in the mapping.
    pub(super) line: usize,
    pub(super) when: Condition,
    pub(super) then: T,
}

#[derive(Clone, Debug)]
pub(super) enum RuleKind {
    /// Make these events, possibly none.
    Actions(Vec<ActionTemplate>),
    /// Leave the record out.
    Drop,
}

/// One event to be made.
#[derive(Clone, Debug)]
pub(super) struct ActionTemplate {
    pub(super) session: Template,
    pub(super) location: Option<Template>,
    pub(super) lifeline: Template,
    pub(super) direction: Direction,
    pub(super) message: Template,
    pub(super) order: Option<OrderRule>,
}

#[derive(Clone, Debug)]
pub(super) enum Direction {
    Fixed(ActionKind),
    Field { field: FieldId, emission: Test, reception: Test },
}

#[derive(Clone, Debug)]
pub(super) struct RoleRule {
    pub(super) lifeline: String,
    /// How many replicas have the role; `None` if one has.
    pub(super) most: Option<u32>,
    pub(super) session: Template,
    pub(super) value: Template,
    pub(super) order: Option<OrderRule>,
    /// Whether messages name the lifeline by the role, too.
    pub(super) in_messages: bool,
}

/// A filter of sessions.
#[derive(Clone, Debug)]
pub(super) struct SessionFilter {
    pub(super) filter: SessionFilterId,
    pub(super) session: Template,
    /// Whether the filter says so itself; else the sessions of events count.
    pub(super) is_own: bool,
    /// Where in the session the record stands; for sessions that gaps end.
    pub(super) order: Option<OrderRule>,
}

/// An id that tells the session of records without one.
#[derive(Clone, Debug)]
pub(super) struct JoinRule {
    pub(super) id: Template,
    pub(super) session: Template,
    pub(super) lost: Lost,
}

/// The treatment of events whose id leads to no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// They are an error.
    Error,
    /// They are left out, and counted.
    Count,
    /// The id is their session.
    Own,
}

impl Direction {
    /// The fields that tell it.
    pub(super) fn fields(&self) -> Vec<FieldId> {
        match self {
            Direction::Fixed(_) => Vec::new(),
            Direction::Field { field, emission, reception } => {
                [vec![*field], emission.compared(), reception.compared()].concat()
            }
        }
    }

    pub(super) fn of(&self, record: &Record<'_>) -> Result<ActionKind, Broken> {
        match self {
            Direction::Fixed(kind) => Ok(*kind),
            Direction::Field { field, emission, reception } => {
                // Nobody knows whether a value is equal to one in damaged JSON.
                if record.lacks_values()
                    && let Some(other) = self.fields().into_iter().find(|it| record.is_damaged(*it))
                {
                    return Err(Broken::NoField(other));
                }
                let value = record.get(*field);
                if value.is_none() {
                    return Err(Broken::NoField(*field));
                }
                match (emission.holds(value, record), reception.holds(value, record)) {
                    // Of a message to oneself, either end may be meant.
                    (true, true)
                        if [emission, reception].iter().all(|it| !it.compared().is_empty()) =>
                    {
                        Err(Broken::BothDirections(*field))
                    }
                    (true, _) => Ok(ActionKind::Emission),
                    (false, true) => Ok(ActionKind::Reception),
                    (false, false) => Err(Broken::Direction(*field)),
                }
            }
        }
    }
}
