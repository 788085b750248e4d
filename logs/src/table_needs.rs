//! What a table must have, so that a mapping can make events of its rows.

use crate::field::FieldId;

/// What a table must have, so that its rows can become events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableNeeds {
    /// The needs of one rule are enough.
    pub(crate) rules: Vec<RuleNeeds>,
    /// Whether rows may be left out before any rule looks at them.
    pub(crate) leaves_rows_out: bool,
}

/// What a rule needs of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleNeeds {
    /// Without these fields it does not hold.
    pub(crate) tested: Vec<NeededField>,
    /// Without these it is an error where it holds.
    pub(crate) read: Vec<NeededField>,
}

/// A field that a rule needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeededField {
    pub(crate) field: FieldId,
    /// What needs it, in words.
    pub(crate) by: String,
}
