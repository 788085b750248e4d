//! From a bundle and multi-traces to verdicts. No compiling here: everything this crate needs is
//! in the bundle.

mod automaton;

mod bit_set;
mod budget;
mod check;
mod content_cache;
mod decide;
mod decide_terms;
mod edges;
mod epoch_set;
mod explain;
mod forward;
mod layered_search;
mod lazy_rows;
mod local_analysis;
mod monitor;
mod pack;
mod packed_search;
mod replay;
mod search;
mod simulation;
mod suffixes;

pub use budget::Budget;
pub use check::{
    CheckConfig, Checked, EngineChoice, Method, Procedure, Reductions, Scratch, SearchChoice,
};
pub use content_cache::ContentCache;
pub use decide_terms::RemovalGraph;
pub use monitor::Monitor;
pub use replay::{ReplayError, replay};
pub use simulation::{ActionLimit, Criterion, LoopLimit};

use bit_set::BitSet;
use multitrace_interaction::{Id, LocationId, Observation, Session, TransitionId};
use std::collections::BTreeSet;

/// The areas of a session: per location the transitions of the full automaton that its local
/// trace may use, and those common to all (paper 004 defs. 8 and 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAreas {
    /// One area per location, in order.
    pub of: Vec<BTreeSet<TransitionId>>,
    /// What they have in common.
    pub inter: BTreeSet<TransitionId>,
}

impl Monitor {
    /// The areas of a session of which every local trace is possible; `None` when there is no
    /// automaton or some local trace is impossible.
    pub fn areas(&self, session: &Session, observation: Observation) -> Option<SessionAreas> {
        let full = &self.central().ok()?.full;
        if forward::local_failure(self, session, observation).is_some() {
            return None;
        }
        let transitions = |bits: BitSet| bits.ones().map(TransitionId::new).collect();
        let area = |location: LocationId| {
            let local = &session.trace[location.index()];
            transitions(forward::area(self, full, location, local, observation))
        };
        let of = self.locations().map(area).collect();
        let inter = transitions(explain::inter(self, full, session, observation));
        Some(SessionAreas { of, inter })
    }
}
