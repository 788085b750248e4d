//! Clusters: parts of a specification that refute a session alone.

pub(crate) mod refute;
pub(crate) mod restricted;
pub(crate) mod tables;
