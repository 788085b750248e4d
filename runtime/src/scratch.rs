//! The memory of a worker, reused from session to session.

use crate::cause::remains::Remains;
use crate::constraints::Encoding;
use crate::look_ahead::local_pass::LookAhead;
use crate::repair::RepairScratch;
use crate::search::layered_search::LayeredSearch;
use crate::search::packed_search::PackedSearch;
use crate::search::shuffle_search::ShuffleSearch;
use multitrace_interaction::Observation;

/// What searches keep between sessions, so that a session that passes allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) look_ahead: LookAhead,
    pub(crate) search: ShuffleSearch,
    pub(crate) packed: PackedSearch,
    pub(crate) layered: LayeredSearch,
    pub(crate) constraints: Encoding,
    pub(crate) repair: RepairScratch,
    pub(crate) remains: Remains,
    /// Within how many choices constraints did not decide the session, and in which mode.
    pub(crate) undecided: Option<(Observation, u64)>,
    /// Nodes visited by searches other than `search`.
    pub(crate) visits: u64,
}

impl Scratch {
    /// Prepares for deciding one session in one mode.
    pub(crate) fn begin(&mut self) {
        self.search.reset();
        self.visits = 0;
        self.undecided = None;
    }

    /// Counts what `search` has visited before it searches again for the same answer.
    pub(crate) fn keep_count(&mut self) {
        self.visits += self.search.explored();
        self.search.reset();
    }

    /// Nodes visited since then.
    pub(crate) fn explored(&self) -> u64 {
        self.search.explored() + self.visits
    }
}
