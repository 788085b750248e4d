//! What following a trace yields.

/// What an accepted trace takes of a specification, by the index of the item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// What the first accepting derivation takes, sorted, each once.
    pub taken: Vec<u32>,
    /// What some accepting derivation takes, sorted, each once.
    pub possible: Vec<u32>,
    /// Whether the derivations were too many to look at all of them. Then `possible` may lack some.
    pub is_cut: bool,
}

/// The items, sorted, each once.
pub(super) fn sorted(mut items: Vec<u32>) -> Vec<u32> {
    items.sort_unstable();
    items.dedup();
    items
}
