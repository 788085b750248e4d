//! The backward verifier of a location whose table is over a limit, made as far as sessions need
//! it: sets of states of the search automaton, each found once, with the moves between them that
//! were asked for. Bounded; when it has grown too large it is begun anew.

use crate::bit_set::ones;
use crate::monitor::Monitor;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, StateId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// More bytes of sets and moves than this are given up.
const MOST_BYTES: usize = 64 << 20;

/// The states from which what is left of a log can be read, by what is left of it.
#[derive(Debug, Default)]
pub(crate) struct LazyRows {
    /// Words of a set.
    stride: usize,
    sets: Vec<u64>,
    known: HashTable<u32>,
    moves: FxHashMap<(u32, Move), u32>,
    states: Vec<StateId>,
    row: Vec<u64>,
}

/// How one set follows from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Move {
    /// One more event, which is read before the others.
    Read(LetterId),
    /// The location has not begun: its own letters go unobserved, too.
    NotBegun,
}

impl LazyRows {
    /// Makes ready for a session.
    pub(crate) fn begin(&mut self, states: usize) {
        let stride = states.div_ceil(64);
        if stride != self.stride || self.is_full() {
            *self = LazyRows { stride, ..LazyRows::default() };
        }
    }

    /// Whether it has grown too large.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes() > MOST_BYTES
    }

    /// Forgets all sets but one, which gets a new number.
    pub(crate) fn keep_only(&mut self, set: u32) -> u32 {
        let row = self.row(set).to_vec();
        *self = LazyRows { stride: self.stride, row, ..LazyRows::default() };
        self.intern()
    }

    /// The set of a log that is read to its end, where the location may go on, or may not.
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

    /// The set of a log with one more event at its beginning; `None` when it is empty.
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

    /// The set of the same log, where its location need not have begun.
    pub(crate) fn not_begun(&mut self, monitor: &Monitor, set: u32) -> u32 {
        self.follow(set, Move::NotBegun, |rows| {
            rows.states = rows.members(set);
            rows.close(monitor, &|_| true)
        })
    }

    /// The words of a set.
    #[inline]
    pub(crate) fn row(&self, set: u32) -> &[u64] {
        &self.sets[set as usize * self.stride..][..self.stride]
    }

    fn bytes(&self) -> usize {
        self.sets.len() * size_of::<u64>() + self.moves.len() * 4 * size_of::<u64>()
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

    /// The set of all states that lead into the listed ones by letters that pass, them included.
    fn close(&mut self, monitor: &Monitor, passes: &dyn Fn(LetterId) -> bool) -> u32 {
        self.row.clear();
        self.row.resize(self.stride, 0);
        while let Some(state) = self.states.pop() {
            let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
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
        let words = |sets: &[u64], set: u32| hash(&sets[set as usize * *stride..][..*stride]);
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

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}
