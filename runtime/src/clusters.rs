//! Clusters: parts of a specification that refute a session alone, and order its events.

pub(crate) mod ask;
pub(crate) mod good_nodes;
pub(crate) mod order_graph;
pub(crate) mod orders;
pub(crate) mod refute;
pub(crate) mod restricted;
pub(crate) mod tables;
