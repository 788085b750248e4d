//! How a search recognises nodes from which some local trace cannot be read to its end.

use crate::look_ahead::local_analysis::LocalAnalysis;
use crate::look_ahead::local_pass::LookAhead;
use crate::look_ahead::tied_rows::TiedRows;
use crate::monitor::Monitor;
use multitrace_interaction::{Id, StateId};
use std::cell::RefCell;

/// The source of knowledge on dead ends. Answers are one-sided: a node reported dead is dead; one reported
/// alive may be dead.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeadEnds<'a> {
    /// Nothing.
    Unknown,
    /// The rows of the local pass; only for the search automaton they were made for.
    Rows(&'a LookAhead),
    /// The same of logs whose events are partly in no order.
    TiedRows(&'a TiedRows),
    /// Analyses of the terms of a lazy automaton.
    Terms(&'a RefCell<LocalAnalysis<'a>>),
}

impl DeadEnds<'_> {
    /// Whether the rest of every local trace can be read from a node, each for itself.
    pub(crate) fn is_alive(&self, monitor: &Monitor, state: StateId, positions: &[u32]) -> bool {
        match self {
            DeadEnds::Unknown => true,
            DeadEnds::Rows(rows) => monitor.locations().all(|location| {
                rows.allows(monitor, location, positions[location.index()] as usize, state)
            }),
            DeadEnds::TiedRows(rows) => rows.is_alive(state, positions),
            DeadEnds::Terms(analysis) => analysis.borrow_mut().ahead(state, positions).is_some(),
        }
    }

    /// If a node is alive, how many unobserved moves must come at least before the logs that have not begun, as far as
    /// is known.
    pub(crate) fn ahead(
        &self,
        monitor: &Monitor,
        state: StateId,
        positions: &[u32],
    ) -> Option<u32> {
        match self {
            DeadEnds::Terms(analysis) => analysis.borrow_mut().ahead(state, positions),
            DeadEnds::Unknown | DeadEnds::Rows(_) | DeadEnds::TiedRows(_) => {
                self.is_alive(monitor, state, positions).then_some(0)
            }
        }
    }

    /// About how many bytes it has grown to during the search.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            DeadEnds::Terms(analysis) => analysis.borrow().bytes(),
            DeadEnds::Unknown | DeadEnds::Rows(_) | DeadEnds::TiedRows(_) => 0,
        }
    }
}
