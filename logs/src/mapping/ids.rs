//! References to parts of a mapping.

/// A rule or filter of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// `[[rule]]`, `[event]` and the rules that `[spans]` stands for.
    Rule(u32),
    /// `[[drop]]`.
    Drop(u32),
    /// `[[role]]`.
    Role(u32),
    /// `[[keep-session]]` and `[[drop-session]]`.
    SessionFilter(u32),
    /// `[[join]]`.
    Join(u32),
    /// `reply-to`.
    ReplyTo,
    /// All of `[[keep]]`, for a record that none of them matches.
    Keep,
}

/// The effect of a filter on a session with a record that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionFilterId {
    /// `[[keep-session]]`: the session counts.
    Keep,
    /// `[[drop-session]]`: it does not.
    Drop,
}

/// A role of a mapping, by its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub(crate) u32);

impl RoleId {
    /// The role at a position.
    pub fn new(index: u32) -> RoleId {
        RoleId(index)
    }

    /// The position among the roles.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A `[[join]]` of a mapping, by its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JoinId(pub(crate) u32);

/// One order field of a mapping, by its position among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFieldId(pub(crate) u32);
