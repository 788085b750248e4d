//! Mappings: which field of a record is what, and which events a record makes.

mod buffer;
mod condition;
mod definition;
mod explain;
mod fragments;
mod ids;
mod listing;
mod mapped;
mod order;
mod order_fields;
mod parse;
mod rename;
mod role;
mod rule;
mod span_rules;
mod template;
mod time_format;
mod tree;
mod unmatched;

pub use buffer::{Binding, Event, Events, SessionMark};
pub use definition::Mapping;
pub use explain::Explained;
pub use ids::{OrderFieldId, RoleId, RuleId, SessionFilterId};
pub use mapped::{Broken, EventPart, MappedRecord};
pub use order::{OrderKey, OrderKind};
pub(crate) use rename::MergedName;
pub use role::{RoleError, RoleNames};
pub use rule::{Ties, Unmatched};
pub(crate) use time_format::TimeFormat;
pub use unmatched::WhyUnmatched;
