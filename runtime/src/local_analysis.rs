//! Look-ahead on terms: whether the rest of each local trace can still be read from a term when
//! all other locations are removed from it (local analyses, paper 003 sec. 5.2, here to the end of
//! the trace). Removal keeps every local behaviour, so a node that fails is a dead end.

use crate::automaton::{Automaton, LazyAutomaton};
use multitrace_interaction::{Id, LetterId, LocationId, MultiTrace, Observation, StateId};
use rustc_hash::FxHashMap;

/// What is known of one session's local traces.
#[derive(Debug)]
pub(crate) struct LocalAnalysis<'a> {
    automaton: &'a LazyAutomaton,
    trace: &'a MultiTrace,
    observation: Observation,
    /// Per local state, location and position: whether the rest can be read.
    known: FxHashMap<(StateId, LocationId, u32), bool>,
}

/// A position in a local trace on the way to its end: the state there, and the states still to try
/// behind it.
struct Frame {
    state: StateId,
    successors: Vec<StateId>,
}

impl<'a> LocalAnalysis<'a> {
    pub(crate) fn new(
        automaton: &'a LazyAutomaton,
        trace: &'a MultiTrace,
        observation: Observation,
    ) -> Self {
        LocalAnalysis { automaton, trace, observation, known: FxHashMap::default() }
    }

    /// Whether the rest of every local trace can be read from a state, each for itself.
    pub(crate) fn is_alive(&mut self, state: StateId, positions: &[u32]) -> bool {
        (0..positions.len()).all(|index| {
            let (location, position) = (LocationId::new(index), positions[index]);
            let length = self.trace[index].len() as u32;
            let is_open = match self.observation {
                Observation::Complete => false,
                Observation::Prefix | Observation::GlobalPrefix => position == length,
                Observation::Slice => position == length || position == 0,
            };
            is_open || {
                let local = self.automaton.local(state, location);
                self.can_read(local, location, position)
            }
        })
    }

    /// Whether the trace of a location can be read from a position to its end; depth first, each
    /// state and position once.
    fn can_read(&mut self, local: StateId, location: LocationId, position: u32) -> bool {
        if let Some(&known) = self.known.get(&(local, location, position)) {
            return known;
        }
        let trace: &'a [LetterId] = &self.trace[location.index()];
        let mut path = vec![self.frame(local, trace, position)];
        while let Some(last) = path.len().checked_sub(1) {
            let here = position + last as u32;
            let state = path[last].state;
            if here as usize == trace.len() && self.may_end(state) {
                return self.settle(&path, location, position);
            }
            match path[last].successors.pop() {
                None => {
                    self.known.insert((state, location, here), false);
                    path.pop();
                }
                Some(next) => match self.known.get(&(next, location, here + 1)) {
                    Some(true) => return self.settle(&path, location, position),
                    Some(false) => {}
                    None => path.push(self.frame(next, trace, here + 1)),
                },
            }
        }
        false
    }

    /// Everything on a path that reaches the end can be read.
    fn settle(&mut self, path: &[Frame], location: LocationId, position: u32) -> bool {
        for (offset, frame) in path.iter().enumerate() {
            self.known.insert((frame.state, location, position + offset as u32), true);
        }
        true
    }

    fn may_end(&self, local: StateId) -> bool {
        self.observation != Observation::Complete || self.automaton.is_final(local)
    }

    fn frame(&self, state: StateId, trace: &[LetterId], position: u32) -> Frame {
        let mut successors = Vec::new();
        if let Some(&letter) = trace.get(position as usize) {
            self.automaton.outgoing(state, &mut |row| {
                let reading = row.iter().filter(|transition| transition.letter == letter);
                successors.extend(reading.map(|transition| transition.to));
            });
        }
        Frame { state, successors }
    }
}
