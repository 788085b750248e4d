//! Look-ahead on terms: whether the rest of each local trace can still be read from a term when
//! all other locations are removed from it (local analyses, paper 003 sec. 5.2).
//
// Idea: depth first over the pairs of local state and position, each decided once per session. For a log
// whose beginning was not observed, breadth first to the nearest local state from which it can be read.
//
// Invariant: removal keeps every local behaviour, so a node that fails is a dead end. A node that is not remembered,
// or is asked for too late, counts as alive.
//
// Cost: one derivative per pair, found once for all sessions by the lazy automaton.

use crate::automaton::{Automaton, Late};
use crate::lazy_automaton::{LazyAutomaton, MOST_DERIVED};
use crate::question::Question;
use indexmap::IndexMap;
use multitrace_interaction::{Id, LocationId, StateId};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Answers on one session's local traces, each computed when first asked.
#[derive(Debug)]
pub(crate) struct LocalAnalysis<'a> {
    automaton: &'a LazyAutomaton,
    question: Question<'a>,
    /// How many events it reads ahead.
    depth: u32,
    /// For a local state, whether the events from one position to another can be read.
    known: FxHashMap<(StateId, Stretch), bool>,
    /// For a local state, how many unobserved moves it takes at least to where the log of the location can begin;
    /// `None` if it cannot begin any more.
    beginnings: FxHashMap<(StateId, LocationId), Option<u32>>,
    /// The weight of the terms that were derived.
    derived: u64,
}

/// A part of a local trace: from a position on, until a number of events is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stretch {
    location: LocationId,
    from: u32,
    to: u32,
}

/// The most answers that are remembered of one session: 240 MB by the estimate of `bytes`, a
/// quarter of the default budget.
const MOST_KNOWN: usize = 1 << 20;

/// The most local states that are looked at to find where a log can begin.
const MOST_BEFORE: usize = 1_000;

/// A position in a local trace on the way to its end: the state there, and the states and positions still to try
/// behind it.
struct OpenPosition {
    state: StateId,
    position: u32,
    successors: Vec<(StateId, u32)>,
}

impl<'a> LocalAnalysis<'a> {
    /// An analysis of the traces of a question, `depth` events ahead.
    pub(crate) fn new(automaton: &'a LazyAutomaton, question: Question<'a>, depth: u32) -> Self {
        LocalAnalysis {
            automaton,
            question,
            depth,
            known: FxHashMap::default(),
            beginnings: FxHashMap::default(),
            derived: 0,
        }
    }

    /// About how many bytes the answers take.
    pub(crate) fn bytes(&self) -> u64 {
        // Every answer may stand for a term of its own.
        (self.known.len() * (2 * size_of::<(StateId, Stretch)>() + 200)) as u64 + self.derived
    }

    /// Whether nothing more is analysed, since that would take too much memory.
    fn is_full(&self) -> bool {
        self.known.len() >= MOST_KNOWN || self.derived > MOST_DERIVED
    }

    /// How many unobserved moves it takes at least until the logs that have not begun can begin, if the rest of every
    /// local trace can be read from a state, each for itself; `None` if one cannot.
    pub(crate) fn ahead(&mut self, state: StateId, positions: &[u32]) -> Option<u32> {
        let mut moves = 0_u32;
        for (index, &from) in positions.iter().enumerate() {
            moves = moves.saturating_add(self.ahead_at(state, index, from)?);
        }
        Some(moves)
    }

    fn ahead_at(&mut self, state: StateId, index: usize, from: u32) -> Option<u32> {
        let location = LocationId::new(index);
        let length = self.question.trace[index].len() as u32;
        let read = self.question.read_until(index, from);
        if self.is_full() || read == length && self.question.may_go_on(index) {
            return Some(0);
        }
        let may_begin_later = self.question.may_go_unobserved(index, read);
        if may_begin_later && read == length {
            return Some(0);
        }
        let Ok(local) = self.automaton.local(state, location) else { return Some(0) };
        if may_begin_later {
            return self.beginning(local, location);
        }
        let to = length.min(read.saturating_add(self.depth));
        self.can_read(local, Stretch { location, from, to }).then_some(0)
    }

    /// How many unobserved moves it takes at least from a local state to one where the log can begin. Breadth first.
    fn beginning(&mut self, local: StateId, location: LocationId) -> Option<u32> {
        if let Some(&known) = self.beginnings.get(&(local, location)) {
            return known;
        }
        let to = (self.question.trace[location.index()].len() as u32).min(self.depth);
        let stretch = Stretch { location, from: 0, to };
        // Per state that was found, the place of the state before it.
        let mut found: IndexMap<StateId, usize, FxBuildHasher> = IndexMap::default();
        found.insert(local, 0);
        let mut at = 0;
        while let Some((&state, _)) = found.get_index(at) {
            let there = match self.beginnings.get(&(state, location)) {
                Some(&known) => known,
                None => self.can_read(state, stretch).then_some(0),
            };
            if let Some(moves) = there {
                return Some(self.settle_beginning(&found, at, moves, location));
            }
            if found.len() > MOST_BEFORE || self.is_full() {
                self.beginnings.insert((local, location), Some(0));
                return Some(0);
            }
            let Ok(row) = self.automaton.outgoing(state) else { return Some(0) };
            self.derived += self.automaton.weight_of_row(state, &row);
            for transition in &*row {
                found.entry(transition.to).or_insert(at);
            }
            at += 1;
        }
        for &state in found.keys() {
            self.beginnings.insert((state, location), None);
        }
        None
    }

    /// Remembers the distance of the states on the way to a beginning.
    fn settle_beginning(
        &mut self,
        found: &IndexMap<StateId, usize, FxBuildHasher>,
        mut at: usize,
        mut moves: u32,
        location: LocationId,
    ) -> u32 {
        loop {
            let (&state, &before) = found.get_index(at).expect("found");
            self.beginnings.insert((state, location), Some(moves));
            if at == 0 {
                return moves;
            }
            (at, moves) = (before, moves + 1);
        }
    }

    /// Whether a part of a local trace can be read. Depth first, each state and position once.
    fn can_read(&mut self, local: StateId, stretch: Stretch) -> bool {
        if let Some(&known) = self.known.get(&(local, stretch)) {
            return known;
        }
        let Ok(first) = self.frame(local, stretch) else { return true };
        let mut path = vec![first];
        while let Some(last) = path.len().checked_sub(1) {
            if self.is_full() {
                return true;
            }
            let here = Stretch { from: path[last].position, ..stretch };
            let state = path[last].state;
            if self.is_at_end(here) && self.may_end(state, here) {
                return self.settle(&path, stretch);
            }
            match path[last].successors.pop() {
                None => {
                    self.known.insert((state, here), false);
                    path.pop();
                }
                Some((next, from)) => {
                    let there = Stretch { from, ..here };
                    match self.known.get(&(next, there)) {
                        Some(true) => return self.settle(&path, stretch),
                        Some(false) => {}
                        None => match self.frame(next, there) {
                            Ok(frame) => path.push(frame),
                            Err(Late) => return true,
                        },
                    }
                }
            }
        }
        false
    }

    /// Remembers that the rest can be read from everywhere on a path that reaches the end.
    fn settle(&mut self, path: &[OpenPosition], stretch: Stretch) -> bool {
        for frame in path {
            let here = Stretch { from: frame.position, ..stretch };
            self.known.insert((frame.state, here), true);
        }
        true
    }

    fn is_at_end(&self, here: Stretch) -> bool {
        self.question.read_until(here.location.index(), here.from) == here.to
    }

    /// Whether a trace may stop in a state: always, except at the end of a complete log.
    fn may_end(&self, local: StateId, here: Stretch) -> bool {
        let location = here.location.index();
        let length = self.question.trace[location].len();
        let at_end = here.to as usize == length;
        !at_end || self.question.may_go_on(location) || self.automaton.is_final(local)
    }

    fn frame(&mut self, state: StateId, here: Stretch) -> Result<OpenPosition, Late> {
        let (mut successors, position) = (Vec::new(), here.from);
        if !self.is_at_end(here) {
            let at = (here.location.index(), position);
            let row = self.automaton.outgoing(state)?;
            self.derived += self.automaton.weight_of_row(state, &row);
            for transition in &*row {
                let next = |to| successors.push((transition.to, to));
                self.question.each_after(at, transition.letter, next);
            }
        }
        Ok(OpenPosition { state, position, successors })
    }
}
