//! Mappings: the meaning of the fields of a record, and the events it makes.

mod buffer;
mod condition;
mod decisive;
mod definition;
mod event_parts;
mod explain;
mod fragments;
mod ids;
mod joins;
mod listing;
mod mapped;
#[cfg(feature = "columnar")]
mod needs;
mod order;
mod order_fields;
mod parse;
mod presets;
mod relations;
mod rename;
mod replies;
mod role;
mod rule;
mod session_ref;
mod span_rules;
mod template;
mod time_format;
mod tree;
mod unmatched;

pub use buffer::{Binding, Event, Events, SessionMark};
pub(crate) use decisive::{DecisiveFields, NumberKey, OnlyEvent};
pub use definition::Mapping;
pub use explain::Explained;
pub(crate) use fragments::expand_pattern;
pub use ids::{JoinId, OrderFieldId, RoleId, RuleId, SessionFilterId};
pub use mapped::{Broken, EventPart, MappedRecord};
pub(crate) use order::Cycle;
pub use order::{OrderKey, OrderKind};
pub(crate) use relations::{CallEnd, Relation, Relations};
pub(crate) use rename::MergedName;
pub(crate) use replies::{Replies, ReplyRole};
pub use role::{RoleError, RoleNames};
pub(crate) use rule::Lost;
pub use rule::{Ties, Unmatched};
pub use session_ref::{SessionLink, SessionRef};
pub(crate) use time_format::TimeFormat;
pub use unmatched::WhyUnmatched;
