//! The multi-traces of an automaton, fewer events first, each once.
//
// Level by level: all multi-traces of the same number of events that begin an accepted one, each with
// the states in which it can be. Local traces are shared: one is a number, the one before it and a
// letter, so a multi-trace is a number for each location.

use super::automata::Automaton;
use multitrace_interaction::{Id, LetterId, LocationId, MultiTrace, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// Which multi-traces are followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The most events.
    pub(super) events: usize,
    /// The most multi-traces, finished or not.
    pub(super) sessions: usize,
}

impl Bounds {
    /// The most transitions: a multi-trace may be in very many states, and each takes long on terms (an estimate).
    fn moves(self) -> usize {
        self.sessions.saturating_mul(10)
    }
}

/// A local trace that is shared, by its number; the empty one is the first.
type LocalId = u32;
type Level = BTreeMap<Box<[LocalId]>, BTreeSet<StateId>>;

/// Why no further level is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// There are no other multi-traces.
    Exhausted,
    /// A bound was reached.
    Cut,
}

/// The multi-traces of an automaton by their numbers of events.
pub(super) struct Levels<'a> {
    automaton: &'a mut dyn Automaton,
    /// The location of each letter.
    location_of: &'a dyn Fn(LetterId) -> LocationId,
    bounds: Bounds,
    level: Level,
    events: usize,
    followed: usize,
    /// How many transitions were followed.
    moves: usize,
    locals: Vec<(LocalId, LetterId)>,
    ids: BTreeMap<(LocalId, LetterId), LocalId>,
}

impl<'a> Levels<'a> {
    pub(super) fn new(
        automaton: &'a mut dyn Automaton,
        location_count: usize,
        location_of: &'a dyn Fn(LetterId) -> LocationId,
        bounds: Bounds,
    ) -> Levels<'a> {
        let initial: BTreeSet<StateId> = automaton.initial().into_iter().collect();
        let nothing = vec![0; location_count].into_boxed_slice();
        let level = if initial.is_empty() { Level::new() } else { [(nothing, initial)].into() };
        Levels {
            automaton,
            location_of,
            bounds,
            level,
            events: 0,
            followed: 1,
            moves: 0,
            // The empty one has no letter; nothing asks for it.
            locals: vec![(0, LetterId::UNKNOWN)],
            ids: BTreeMap::new(),
        }
    }

    /// The number of events on this level.
    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// How many multi-traces were followed up to this level, finished or not.
    pub(super) fn followed(&self) -> usize {
        self.followed
    }

    /// The accepted multi-traces of this level, in a fixed order.
    pub(super) fn accepted(&self) -> impl Iterator<Item = MultiTrace> {
        let ends =
            |states: &BTreeSet<StateId>| states.iter().any(|&it| self.automaton.is_final(it));
        let accepted = self.level.iter().filter(move |(_, states)| ends(states));
        accepted.map(|(trace, _)| trace.iter().map(|&local| self.letters(local)).collect())
    }

    fn letters(&self, mut local: LocalId) -> Vec<LetterId> {
        let mut letters = Vec::new();
        while local != 0 {
            let (before, letter) = self.locals[local as usize];
            letters.push(letter);
            local = before;
        }
        letters.reverse();
        letters
    }

    /// Goes on to the multi-traces of one more event.
    pub(super) fn next(&mut self) -> Result<(), End> {
        let mut next = Level::new();
        let is_last = self.events == self.bounds.events;
        for (trace, states) in std::mem::take(&mut self.level) {
            for state in states {
                let found = self.automaton.transitions(state).ok_or(End::Cut)?;
                self.moves += found.len();
                if is_last && !found.is_empty() || self.moves > self.bounds.moves() {
                    return Err(End::Cut);
                }
                for (letter, target) in found {
                    next.entry(self.after(&trace, letter)).or_default().insert(target);
                }
            }
            if self.followed + next.len() > self.bounds.sessions {
                return Err(End::Cut);
            }
        }
        self.followed += next.len();
        self.events += 1;
        self.level = next;
        if self.level.is_empty() { Err(End::Exhausted) } else { Ok(()) }
    }

    fn after(&mut self, trace: &[LocalId], letter: LetterId) -> Box<[LocalId]> {
        let at = (self.location_of)(letter).index();
        let mut after: Box<[LocalId]> = trace.into();
        let key = (trace[at], letter);
        after[at] = *self.ids.entry(key).or_insert_with(|| {
            self.locals.push(key);
            (self.locals.len() - 1) as LocalId
        });
        after
    }
}
