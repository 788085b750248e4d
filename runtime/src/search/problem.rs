//! What a search on an automaton of any kind is asked, with the reductions it may use.

use crate::clusters::orders::Orders;
use crate::look_ahead::dead_ends::DeadEnds;
use crate::search::question::Question;

/// What to search, on which automaton and how.
pub(crate) struct Problem<'a, A> {
    pub(crate) question: Question<'a>,
    pub(crate) automaton: &'a A,
    /// How dead ends are recognised.
    pub(crate) dead_ends: DeadEnds<'a>,
    /// What clusters say of the session, if they were asked.
    pub(crate) orders: Option<&'a Orders>,
    /// How a location moves where its observation is over, or has not begun.
    pub(crate) unobserved: Unobserved,
    /// In fair searches, unobserved moves to larger terms than this are not followed.
    pub(crate) heaviest: u32,
    /// Whether a one-unambiguous event is read before all others (paper 003 sec. 5.1).
    pub(crate) partial_order: bool,
    /// Whether such an event is read without a look ahead.
    pub(crate) trusts_unambiguous: bool,
    /// Whether the path to an accepted end will be asked for.
    pub(crate) witness: bool,
    /// Whether to visit every node, once, even after an accepted end was found.
    pub(crate) whole_graph: bool,
}

impl<'a, A> Problem<'a, A> {
    /// A plain search: no look-ahead, no reduction.
    pub(crate) fn plain(question: Question<'a>, automaton: &'a A) -> Problem<'a, A> {
        Problem {
            question,
            automaton,
            dead_ends: DeadEnds::Unknown,
            orders: None,
            unobserved: Unobserved::Moves,
            heaviest: u32::MAX,
            partial_order: false,
            trusts_unambiguous: false,
            witness: false,
            whole_graph: false,
        }
    }

    /// Whether the cheapest nodes are followed first.
    pub(crate) fn is_fair(&self) -> bool {
        self.unobserved == Unobserved::FairMoves
    }

    /// Whether every node that is visited must be recorded.
    pub(crate) fn records_all(&self) -> bool {
        self.witness || self.whole_graph || self.is_fair()
    }
}

/// How a search treats the actions that no event stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unobserved {
    /// They are moves of the search, which follows nodes depth first. A compiled automaton has
    /// finitely many of them.
    Moves,
    /// They are moves, and there may be infinitely many. The search first follows the nodes with
    /// the fewest unobserved moves before them and the most events read, so that no node waits for
    /// ever.
    FairMoves,
    /// A location that may go on unobserved is removed from the term. Not for slices.
    Removed,
}
