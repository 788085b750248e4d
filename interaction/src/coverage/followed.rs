//! The result of following a trace.

/// The items of a specification that an accepted trace takes, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// The items that the first accepting derivation takes, sorted, each once.
    pub taken: Vec<u32>,
    /// The items that some accepting derivation takes, of this order of the events or of another one that the logs allow.
    /// Sorted, each once.
    pub possible: Vec<u32>,
    /// Whether there are too many derivations to be looked at, so that `possible` has all items that the events may take.
    pub is_cut: bool,
}

/// The items, sorted, each once.
pub(super) fn sorted(mut items: Vec<u32>) -> Vec<u32> {
    items.sort_unstable();
    items.dedup();
    items
}
