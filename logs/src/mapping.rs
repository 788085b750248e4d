//! Mappings: which field of a record is what, and which events a record makes.

mod buffer;
mod condition;
mod definition;
mod ids;
mod listing;
mod mapped;
mod order;
mod parse;
mod rename;
mod role;
mod rule;
mod span_rules;
mod template;
mod tree;

pub use buffer::{Binding, Event, Events};
pub use definition::Mapping;
pub use ids::{RoleId, RuleId};
pub use mapped::{Broken, EventPart, MappedRecord};
pub use order::{OrderKey, OrderKind};
pub use role::{RoleError, RoleNames};
pub use rule::Unmatched;
