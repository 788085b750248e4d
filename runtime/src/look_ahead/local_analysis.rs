//! Look-ahead on terms: whether the rest of each local trace can still be read from a term when
//! all other locations are removed from it (local analyses, paper 003 sec. 5.2).
//
// Idea: depth first over the pairs of local state and position, each decided once per session.
//
// Invariant: removal keeps every local behaviour, so a node that fails is a dead end. What is not
// remembered counts as alive.
//
// Cost: one derivative per pair, found once for all sessions by the lazy automaton.

use crate::automaton::Automaton;
use crate::lazy_automaton::{LazyAutomaton, MOST_DERIVED};
use crate::search::question::Question;
use multitrace_interaction::{Id, LocationId, StateId};
use rustc_hash::FxHashMap;

/// What is known of one session's local traces.
#[derive(Debug)]
pub(crate) struct LocalAnalysis<'a> {
    automaton: &'a LazyAutomaton,
    question: Question<'a>,
    /// How many events it reads ahead.
    depth: u32,
    /// For a local state, whether the events from one position to another can be read.
    known: FxHashMap<(StateId, Stretch), bool>,
    /// The weight of the terms that were derived.
    derived: u64,
}

/// A part of a local trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stretch {
    location: LocationId,
    from: u32,
    to: u32,
}

/// The most answers that are remembered of one session: 240 MB by the estimate of `bytes`, a
/// quarter of the default budget.
const MOST_KNOWN: usize = 1 << 20;

/// A position in a local trace on the way to its end: the state there, and the states still to try
/// behind it.
struct Frame {
    state: StateId,
    successors: Vec<StateId>,
}

impl<'a> LocalAnalysis<'a> {
    /// An analysis of the traces of a question, `depth` events ahead.
    pub(crate) fn new(automaton: &'a LazyAutomaton, question: Question<'a>, depth: u32) -> Self {
        LocalAnalysis { automaton, question, depth, known: FxHashMap::default(), derived: 0 }
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

    /// Whether the rest of every local trace can be read from a state, each for itself.
    pub(crate) fn is_alive(&mut self, state: StateId, positions: &[u32]) -> bool {
        (0..positions.len()).all(|index| {
            let (location, from) = (LocationId::new(index), positions[index]);
            let length = self.question.trace[index].len() as u32;
            let is_open = self.question.may_go_unobserved(index, from)
                || from == length && self.question.may_go_on(index);
            is_open || self.is_full() || {
                let local = self.automaton.local(state, location);
                let to = length.min(from.saturating_add(self.depth));
                self.can_read(local, Stretch { location, from, to })
            }
        })
    }

    /// Whether a part of a local trace can be read. Depth first, each state and position once.
    fn can_read(&mut self, local: StateId, stretch: Stretch) -> bool {
        if let Some(&known) = self.known.get(&(local, stretch)) {
            return known;
        }
        let mut path = vec![self.frame(local, stretch)];
        while let Some(last) = path.len().checked_sub(1) {
            if self.is_full() {
                return true;
            }
            let here = Stretch { from: stretch.from + last as u32, ..stretch };
            let state = path[last].state;
            if here.from == here.to && self.may_end(state, here) {
                return self.settle(&path, stretch);
            }
            match path[last].successors.pop() {
                None => {
                    self.known.insert((state, here), false);
                    path.pop();
                }
                Some(next) => {
                    let there = Stretch { from: here.from + 1, ..here };
                    match self.known.get(&(next, there)) {
                        Some(true) => return self.settle(&path, stretch),
                        Some(false) => {}
                        None => path.push(self.frame(next, there)),
                    }
                }
            }
        }
        false
    }

    /// Remembers that the rest can be read from everywhere on a path that reaches the end.
    fn settle(&mut self, path: &[Frame], stretch: Stretch) -> bool {
        for (offset, frame) in path.iter().enumerate() {
            let here = Stretch { from: stretch.from + offset as u32, ..stretch };
            self.known.insert((frame.state, here), true);
        }
        true
    }

    /// Whether a trace may stop in a state: always, except at the end of a complete log.
    fn may_end(&self, local: StateId, here: Stretch) -> bool {
        let location = here.location.index();
        let length = self.question.trace[location].len();
        let at_end = here.to as usize == length;
        !at_end || self.question.may_go_on(location) || self.automaton.is_final(local)
    }

    fn frame(&mut self, state: StateId, here: Stretch) -> Frame {
        let mut successors = Vec::new();
        if here.from < here.to {
            let letter = self.question.trace[here.location.index()][here.from as usize];
            self.automaton.outgoing(state, &mut |row| {
                self.derived += self.automaton.weight_of_row(state, row);
                let reading = row.iter().filter(|transition| transition.letter == letter);
                successors.extend(reading.map(|transition| transition.to));
            });
        }
        Frame { state, successors }
    }
}
