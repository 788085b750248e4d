//! The memory of a worker, reused from session to session.

use crate::constraints::Encoding;
use crate::look_ahead::local_pass::LookAhead;
use crate::search::layered_search::LayeredSearch;
use crate::search::packed_search::PackedSearch;
use crate::search::shuffle_search::ShuffleSearch;

/// Buffers that searches keep between sessions, so that a session that passes allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) look_ahead: LookAhead,
    pub(crate) search: ShuffleSearch,
    pub(crate) packed: PackedSearch,
    pub(crate) layered: LayeredSearch,
    pub(crate) constraints: Encoding,
    /// Events by letter.
    pub(crate) counts: Vec<u32>,
    /// Nodes visited by searches other than `search`.
    pub(crate) visits: u64,
}

impl Scratch {
    /// Prepares for deciding one session in one mode.
    pub(crate) fn begin(&mut self) {
        self.search.reset();
        self.visits = 0;
    }

    /// Counts the nodes that `search` has visited before it searches again for the same answer.
    pub(crate) fn keep_count(&mut self) {
        self.visits += self.search.explored();
        self.search.reset();
    }

    /// Nodes visited since then.
    pub(crate) fn explored(&self) -> u64 {
        self.search.explored() + self.visits
    }
}
