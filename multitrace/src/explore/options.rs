//! How far an interaction is explored.

use multitrace_interaction::LifelineSet;

/// In which order nodes are found. Without limits the order makes no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Nodes near the first ones first.
    #[default]
    Breadth,
    /// One path to its end, then the next one.
    Depth,
    /// The action first that was followed least so far (paper 000 sec. 7.3: high coverage).
    Coverage,
}

/// The part of an interaction that is explored, and how far (paper 000 fig. 17).
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// The order.
    pub strategy: Strategy,
    /// The most steps from the first node; `None` sets no limit.
    pub depth: Option<usize>,
    /// The most nodes.
    pub nodes: usize,
    /// The most repetitions of loops that begin on a path; `None` sets no limit.
    pub loops: Option<u32>,
    /// Follow only actions at these lifelines; `None` follows all.
    pub only: Option<LifelineSet>,
    /// Nodes where the same remains are one node.
    pub merge: bool,
    /// For a session: end with the first path that covers it.
    pub first: bool,
}

impl Default for ExploreOptions {
    fn default() -> ExploreOptions {
        ExploreOptions {
            strategy: Strategy::Breadth,
            depth: Some(ExploreOptions::DEPTH),
            nodes: ExploreOptions::NODES,
            loops: None,
            only: None,
            merge: false,
            first: false,
        }
    }
}

impl ExploreOptions {
    /// The usual depth: with four actions at each node, about as much as a screen shows.
    pub const DEPTH: usize = 3;
    /// The usual number of nodes: more cannot be looked at.
    pub const NODES: usize = 200;

    /// The usual options for the analysis graph of a session, which its events end.
    pub fn of_session() -> ExploreOptions {
        ExploreOptions { depth: None, merge: true, ..ExploreOptions::default() }
    }
}
