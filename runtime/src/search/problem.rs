//! A search problem on an automaton of any kind, with the reductions it may use.

use crate::automaton::Automaton;
use crate::lazy_automaton::LazyAutomaton;
use crate::look_ahead::dead_ends::DeadEnds;
use crate::question::Question;
use multitrace_interaction::StateId;

/// A question, the automaton to search, and the reductions.
pub(crate) struct Problem<'a, A> {
    pub(crate) question: Question<'a>,
    pub(crate) automaton: &'a A,
    /// How dead ends are recognised.
    pub(crate) dead_ends: DeadEnds<'a>,
    /// How a location moves where its observation is over, or has not begun.
    pub(crate) unobserved: Unobserved,
    /// In fair searches, unobserved moves to larger terms than this are not followed.
    pub(crate) heaviest: u32,
    /// Which events are read before all others.
    pub(crate) partial_order: PartialOrder,
    /// Whether the path to an accepted end will be asked for, as a witness.
    pub(crate) witness: bool,
    /// Whether that path will be asked for, to lift it (`lifting.rs`).
    pub(crate) keeps_path: bool,
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
            unobserved: Unobserved::Moves,
            heaviest: u32::MAX,
            partial_order: PartialOrder::Off,
            witness: false,
            keeps_path: false,
            whole_graph: false,
        }
    }

    /// Whether the cheapest nodes are followed first.
    pub(crate) fn is_fair(&self) -> bool {
        self.unobserved == Unobserved::RemovedAtEnd
    }

    /// Whether a location may move from a position without an event of its log.
    pub(crate) fn moves_unobserved(&self, location: usize, position: u32) -> bool {
        self.question.may_go_unobserved(location, position)
            && self.unobserved != Unobserved::Removed
            && !self.removes(location, position)
    }

    /// Whether a location is removed at a position.
    pub(crate) fn removes(&self, location: usize, position: u32) -> bool {
        match self.unobserved {
            Unobserved::Moves => false,
            Unobserved::Removed => self.question.may_go_unobserved(location, position),
            Unobserved::RemovedAtEnd => {
                position as usize == self.question.trace[location].len()
                    && self.question.may_go_unobserved(location, position)
            }
        }
    }

    /// Whether every node that is visited must be recorded.
    pub(crate) fn records_all(&self) -> bool {
        self.witness || self.keeps_path || self.whole_graph || self.is_fair()
    }
}

impl Problem<'_, LazyAutomaton> {
    /// Whether everything is explained in a state.
    pub(crate) fn is_goal(&self, state: StateId, positions: &[u32]) -> bool {
        let is_between_steps = || self.automaton.is_between_steps(state);
        self.question.is_read(positions)
            && self.question.may_stop(|| self.automaton.is_final(state), is_between_steps)
    }
}

/// The positions with the most events read, the last such positions in their order.
pub(crate) fn furthest<'n>(positions: impl Iterator<Item = &'n [u32]>) -> Vec<u32> {
    let read = |positions: &[u32]| positions.iter().map(|&it| u64::from(it)).sum::<u64>();
    positions.max_by_key(|it| (read(it), *it)).unwrap_or_default().to_vec()
}

/// Which events are read before all others, where a term can do them (`first_places.rs` of the
/// interaction says why nothing is lost).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartialOrder {
    /// None.
    Off,
    /// One-unambiguous ones (paper 003 sec. 5.1), with a look ahead as the paper has it.
    OneUnambiguous,
    /// All whose places are free: at any of the places. Those with one place without a look ahead.
    FreePlaces,
}

/// How a search treats the actions that no event stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unobserved {
    /// They are moves of the search, which follows nodes depth first. A compiled automaton has
    /// finitely many of them.
    Moves,
    /// A location that may go on unobserved is removed from the term. Not for slices.
    Removed,
    /// For slices: actions before a log begins are moves, and a location whose log is read to its end is removed. There
    /// may be infinitely many moves: the search first follows the nodes with the fewest unobserved moves before them and the
    /// most events read, so that no node waits for ever.
    RemovedAtEnd,
}
