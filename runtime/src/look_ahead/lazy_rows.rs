//! The backward verifier of a location whose table is over a limit, made as far as sessions need
//! it.
//
// Idea: a subset construction on demand. Sets of states of the search automaton are stored once and
// numbered; the moves between them are remembered when they were asked for.
//
// Invariant: a set is closed under actions of other locations before the events that are left. The
// memory is bounded: once it is full, all sets but the current one are forgotten, and the positions
// behind it have no row.
//
// Cost: a look-up per event once a move is known (12 ns, table "The local pass" of
// docs/BENCHMARKS.md); a walk backwards over the automaton for a new one.

use crate::bit_set::ones;
use crate::monitor::Monitor;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_formats::bundle::{WORD_BITS, Word, stride};
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, StateId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// With more bytes of sets and moves than this, all but one set are forgotten. It bounds a worker's
/// memory for each such location. The logs of tests/suite/long_logs.rs, 17,000 events each, go beyond it.
const MOST_BYTES: usize = 64 << 20;

/// The states from which a rest of a log can be read, for each rest that was met.
#[derive(Debug, Default)]
pub(crate) struct LazyRows {
    /// Words of a set.
    stride: usize,
    sets: Vec<Word>,
    known: HashTable<u32>,
    moves: FxHashMap<(u32, Move), u32>,
    states: Vec<StateId>,
    row: Vec<Word>,
}

/// How one set follows from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Move {
    /// By one more event, which is read before the others.
    Read(LetterId),
    /// By the location's own letters, too, unobserved: it has not begun.
    NotBegun,
}

impl LazyRows {
    /// Prepares for a session over an automaton with this many states.
    pub(crate) fn begin(&mut self, states: usize) {
        let stride = stride(states);
        if stride != self.stride || self.is_full() {
            *self = LazyRows { stride, ..LazyRows::default() };
        }
    }

    /// Whether it has grown too large.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes() > MOST_BYTES
    }

    /// Forgets all sets except one, which gets a new number.
    pub(crate) fn keep_only(&mut self, set: u32) -> u32 {
        let row = self.row(set).to_vec();
        *self = LazyRows { stride: self.stride, row, ..LazyRows::default() };
        self.intern()
    }

    /// The set at the end of a log, after which the location may or may not go on.
    pub(crate) fn end(
        &mut self,
        monitor: &Monitor,
        search: &Nfa,
        location: LocationId,
        may_go_on: bool,
    ) -> u32 {
        self.states.clear();
        match may_go_on {
            false => self.states.extend(search.finals()),
            true => self.states.extend(search.states()),
        }
        self.close(monitor, &|letter| monitor.location_of(letter) != location)
    }

    /// The set of a rest with one more event before it; `None` if it is empty.
    pub(crate) fn read(
        &mut self,
        monitor: &Monitor,
        location: LocationId,
        set: u32,
        letter: LetterId,
    ) -> Option<u32> {
        let next = self.follow(set, Move::Read(letter), |rows| {
            rows.states = rows.members(set);
            let before = rows.states.iter().flat_map(|&state| monitor.incoming(state));
            let before = before.filter(|(read, _)| *read == letter).map(|&(_, from)| from);
            rows.states = before.collect();
            rows.close(monitor, &|letter| monitor.location_of(letter) != location)
        });
        self.row(next).iter().any(|&word| word != 0).then_some(next)
    }

    /// The set of the same rest if the location may not have begun.
    pub(crate) fn not_begun(&mut self, monitor: &Monitor, set: u32) -> u32 {
        self.follow(set, Move::NotBegun, |rows| {
            rows.states = rows.members(set);
            rows.close(monitor, &|_| true)
        })
    }

    /// The words of a set.
    #[inline]
    pub(crate) fn row(&self, set: u32) -> &[Word] {
        &self.sets[set as usize * self.stride..][..self.stride]
    }

    fn bytes(&self) -> usize {
        self.sets.len() * size_of::<Word>() + self.moves.len() * 4 * size_of::<u64>()
    }

    fn follow(&mut self, set: u32, by: Move, find: impl FnOnce(&mut LazyRows) -> u32) -> u32 {
        if let Some(&known) = self.moves.get(&(set, by)) {
            return known;
        }
        let next = find(self);
        self.moves.insert((set, by), next);
        next
    }

    fn members(&self, set: u32) -> Vec<StateId> {
        ones(self.row(set)).map(StateId::new).collect()
    }

    /// The set of the listed states and of all that lead into them by letters that pass.
    fn close(&mut self, monitor: &Monitor, passes: &dyn Fn(LetterId) -> bool) -> u32 {
        self.row.clear();
        self.row.resize(self.stride, 0);
        while let Some(state) = self.states.pop() {
            let (word, bit) = (state.index() / WORD_BITS, 1 << (state.index() % WORD_BITS));
            if self.row[word] & bit == 0 {
                self.row[word] |= bit;
                let before = monitor.incoming(state).iter();
                let before = before.filter(|(letter, _)| passes(*letter));
                self.states.extend(before.map(|&(_, from)| from));
            }
        }
        self.intern()
    }

    fn intern(&mut self) -> u32 {
        let LazyRows { stride, sets, row, .. } = self;
        let words = |sets: &[Word], set: u32| hash(&sets[set as usize * *stride..][..*stride]);
        let is_known = |&set: &u32| &sets[set as usize * *stride..][..*stride] == row.as_slice();
        match self.known.entry(hash(row), is_known, |&set| words(sets, set)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let set = (sets.len() / (*stride).max(1)) as u32;
                entry.insert(set);
                sets.extend_from_slice(row);
                set
            }
        }
    }
}

fn hash(words: &[Word]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|&word| hasher.write_u32(word));
    hasher.finish()
}
