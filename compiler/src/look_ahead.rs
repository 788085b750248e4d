//! Look-ahead: per location, from which states of the automaton the rest of a local trace can
//! still be read, whatever the other locations do.
//!
//! The subset construction of `project.rs`, backwards. States outside the set of the suffix that
//! is left are dead ends, so a search need not enter them.

use crate::limits::{BITS_PER_UNIT, Clock, KEPT_STATES, LimitExceeded, Limits, Work};
use crate::persist::incoming;
use crate::words::{Allowance, Closures, Degrees, common, long_words, own, span, unite};
use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use multitrace_formats::bundle::{BackwardTable, DEAD, Rows};
use multitrace_interaction::{Id, LetterId, Nfa, StateId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Range;

/// The look-ahead of one location over an automaton.
///
/// # Errors
/// When there would be more states, more bytes of sets, or more work, than the limits allow.
pub fn look_ahead(
    nfa: &Nfa,
    letters: &[LetterId],
    limits: &Limits,
) -> Result<BackwardTable, LimitExceeded> {
    look_ahead_until((nfa, &incoming(nfa)), letters, limits, Clock::default())
}

/// Per state, the transitions that lead to it: letter and source.
type Incoming = Vec<(LetterId, StateId)>;

/// [`look_ahead`] over an automaton with the transitions into its states, as long as there is time.
pub(crate) fn look_ahead_until(
    (nfa, incoming): (&Nfa, &[Incoming]),
    letters: &[LetterId],
    limits: &Limits,
    clock: Clock,
) -> Result<BackwardTable, LimitExceeded> {
    let (is_own, moved) = own(nfa, letters, |it| it.to);
    let mut pass = Pass {
        nfa,
        letters,
        is_own,
        moved,
        degrees: Degrees::new(incoming.iter().map(Vec::len)),
        limits,
        work: Work::new(limits, clock),
        incoming,
        sets: IndexSet::default(),
        spans: Vec::new(),
        next: Vec::new(),
        known: FxHashMap::default(),
        closures: Closures::new(nfa.state_count()),
    };
    let at_end = pass.unobserved(nfa.finals().collect())?;
    pass.explore()?;
    // Prefixes and slices have a part of their own, which may be over a limit while the rest is
    // not. Earlier sets have no transition into it, since they were expanded before.
    let complete = pass.sets.len();
    let work = pass.work.clone();
    let open_end = pass.state(nfa.states().map(|state| state.index()).collect());
    let open_end = match pass.explore() {
        Ok(()) => Some(open_end),
        Err(limit) if limit.is_time() => return Err(limit),
        Err(_) => {
            // Work spent on it is not missing for the rest.
            pass.work = work;
            pass.sets.truncate(complete);
            pass.spans.truncate(complete);
            pass.next.truncate(complete * letters.len());
            None
        }
    };
    pass.finish(at_end, open_end, complete)
}

struct Pass<'a> {
    nfa: &'a Nfa,
    letters: &'a [LetterId],
    is_own: FixedBitSet,
    /// The states that transitions of the location lead to.
    moved: FixedBitSet,
    /// Per state, how many transitions lead to it.
    degrees: Degrees,
    limits: &'a Limits,
    work: Work,
    incoming: &'a [Incoming],
    sets: IndexSet<FixedBitSet, FxBuildHasher>,
    /// Per set, the words that are not all zero.
    spans: Vec<Range<usize>>,
    next: Vec<u32>,
    /// The result of [`Pass::unobserved`] for these states: a letter often comes from the same ones into many sets.
    known: FxHashMap<Vec<StateId>, u32>,
    closures: Closures,
}

/// The most sets of states whose answer is kept. An estimate: 16 MB.
const KEPT: usize = 1 << 18;

impl Pass<'_> {
    fn state(&mut self, mut set: FixedBitSet) -> u32 {
        set.grow(self.nfa.state_count());
        let words = span(&set);
        let (state, is_new) = self.sets.insert_full(set);
        if is_new {
            self.spans.push(words);
        }
        state as u32
    }

    /// The set of these states and those that lead into them by letters of other locations.
    fn unobserved(&mut self, roots: Vec<StateId>) -> Result<u32, LimitExceeded> {
        if let Some(&known) = self.known.get(&roots) {
            return Ok(known);
        }
        let mut set = FixedBitSet::with_capacity(self.nfa.state_count());
        let mut allowance = Allowance::new(set.as_slice().len());
        let mut todo = roots.clone();
        while let Some(state) = todo.pop() {
            if set.contains(state.index()) {
                continue;
            }
            if let Some(known) = self.closures.of(state)
                && allowance.take(self.spans[known].len())
            {
                unite(&mut set, &self.sets[known], self.spans[known].clone());
                continue;
            }
            set.insert(state.index());
            let others = self.incoming[state.index()].iter();
            let others = others.filter(|(letter, _)| !self.is_own.contains(letter.index()));
            todo.extend(others.map(|&(_, from)| from));
        }
        let visited = roots.len() + self.degrees.sum(&set);
        self.work.spend(visited + set.len() / BITS_PER_UNIT)?;
        let state = self.state(set);
        self.closures.note(&roots, state);
        if roots.len() <= KEPT_STATES && self.known.len() < KEPT {
            self.known.insert(roots, state);
        }
        Ok(state)
    }

    /// Expands every set that has no row yet. The limits are checked at every new entry: with many
    /// letters, the row of a single set may be beyond all of them.
    fn explore(&mut self) -> Result<(), LimitExceeded> {
        let width = self.letters.len();
        while self.next.len() < self.sets.len() * width {
            let moves = self.moves(self.next.len() / width)?;
            let mut rest = moves.as_slice();
            for column in 0..width as u32 {
                let (own, behind) = rest.split_at(rest.partition_point(|&(c, _)| c <= column));
                let next = self.before(own)?;
                self.next.push(next);
                rest = behind;
            }
            self.check_limits()?;
        }
        Ok(())
    }

    /// The location's transitions into a set: column and source, sorted.
    fn moves(&mut self, set: usize) -> Result<Vec<(u32, StateId)>, LimitExceeded> {
        let set = &self.sets[set];
        self.work.spend(set.count_ones(..) + self.degrees.sum(set))?;
        let mut moves = Vec::new();
        for target in common(set, &self.moved) {
            for &(letter, from) in &self.incoming[target] {
                if self.is_own.contains(letter.index())
                    && let Ok(column) = self.letters.binary_search(&letter)
                {
                    moves.push((column as u32, from));
                }
            }
        }
        moves.sort_unstable();
        Ok(moves)
    }

    /// The state after reading one more letter backwards, by these transitions.
    fn before(&mut self, moves: &[(u32, StateId)]) -> Result<u32, LimitExceeded> {
        if moves.is_empty() {
            return Ok(DEAD);
        }
        let mut sources: Vec<_> = moves.iter().map(|&(_, from)| from).collect();
        sources.dedup();
        let state = self.unobserved(sources)?;
        self.check_limits()?;
        Ok(state)
    }

    fn check_limits(&self) -> Result<(), LimitExceeded> {
        let limit = self.limits.local_states;
        if self.sets.len() > limit {
            return Err(LimitExceeded::Count { limit, what: "states in a look-ahead" });
        }
        let sets = self.sets.len() * self.nfa.state_count().div_ceil(8);
        let tables = self.sets.len() * self.letters.len() * size_of::<u32>();
        let limit = self.limits.local_bytes;
        if sets + tables > limit {
            return Err(LimitExceeded::Count { limit, what: "bytes in a look-ahead" });
        }
        Ok(())
    }

    /// Sets become rows; a location that has not begun may first move unobserved, so its rows are
    /// closed under every letter backwards.
    ///
    /// # Errors
    /// If that takes more work than the limits allow.
    fn finish(
        mut self,
        at_end: u32,
        open_end: Option<u32>,
        complete: usize,
    ) -> Result<BackwardTable, LimitExceeded> {
        let closed = self.closed_sets(complete)?;
        let begun = (0..self.sets.len() as u32).collect();
        let mut distinct = self.sets;
        let insert = |set: FixedBitSet| distinct.insert_full(set).0 as u32;
        let unbegun = closed.into_iter().map(insert).collect();
        let mut rows = Rows::new(self.nfa.state_count());
        rows.extend(distinct.iter().map(long_words));
        Ok(BackwardTable { next: self.next, at_end, open_end, begun, unbegun, rows })
    }

    /// Per set, the states that lead into it by any letters. Sets of open ends come last, since those of single states are
    /// among the `complete` ones; these come in the order of logs, where a set seldom needs one that is still to come.
    fn closed_sets(&mut self, complete: usize) -> Result<Vec<FixedBitSet>, LimitExceeded> {
        let mut closed = vec![FixedBitSet::new(); self.sets.len()];
        for at in (0..complete).rev().chain(complete..self.sets.len()) {
            let found = self.closed(at, &closed);
            self.work.spend(self.sets[at].count_ones(..) + self.degrees.sum(&found))?;
            closed[at] = found;
        }
        Ok(closed)
    }

    /// The states that lead into a set by any letters, where those of some sets are known, and empty for the others. A set
    /// of the pass has all that lead into it by letters of other locations.
    fn closed(&self, at: usize, known: &[FixedBitSet]) -> FixedBitSet {
        let mut closed = self.sets[at].clone();
        let mut allowance = Allowance::new(closed.as_slice().len());
        let before = |state: usize| self.incoming[state].iter().map(|&(_, from)| from);
        let mut todo: Vec<_> = common(&self.sets[at], &self.moved).flat_map(before).collect();
        while let Some(state) = todo.pop() {
            if closed.contains(state.index()) {
                continue;
            }
            let same = self.closures.of(state).and_then(|set| known.get(set));
            if let Some(same) = same.filter(|it| !it.is_empty())
                && allowance.take(same.as_slice().len())
            {
                closed.union_with(same);
                continue;
            }
            closed.insert(state.index());
            todo.extend(before(state.index()));
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_automata::chain;

    fn of(limits: Limits) -> Result<BackwardTable, LimitExceeded> {
        look_ahead(&chain(), &[0, 1].map(LetterId::new), &limits)
    }

    #[test]
    fn a_limit_of_bytes_counts_sets_and_entries() {
        let of_bytes = |local_bytes| of(Limits { local_bytes, ..Limits::default() });
        // A set of five states is a byte, a row two entries of four.
        let complete = 5 * (1 + 8);
        assert!(of_bytes(complete - 1).is_err());
        assert_eq!(of_bytes(complete).expect("it fits").open_end, None);
        let all = of(Limits::default()).expect("a small automaton");
        let whole = all.begun.len() * (1 + 8);
        assert_eq!(of_bytes(whole - 1).expect("it fits").open_end, None);
        assert_eq!(of_bytes(whole), Ok(all));
    }

    #[test]
    fn rows_are_the_states_from_which_the_rest_can_be_read() {
        let letter = LetterId::new;
        let rows = |letters: &[LetterId], rest: &[LetterId]| {
            let table = look_ahead(&chain(), letters, &Limits::default()).expect("it fits");
            let step = |set: u32, it: &LetterId| {
                let column = letters.binary_search(it).expect("a letter of the location");
                table.next[set as usize * letters.len() + column]
            };
            let set = rest.iter().rev().fold(table.at_end, step);
            let row = table.rows.row(table.begun[set as usize])[0];
            (0..5).filter(|state| row >> state & 1 == 1).collect::<Vec<_>>()
        };
        let both = [letter(0), letter(1)];
        assert_eq!(rows(&both, &[]), [4]);
        assert_eq!(rows(&both, &[letter(1), letter(0)]), [2]);
        // The other location moves unobserved.
        assert_eq!(rows(&both[..1], &[letter(0)]), [2, 3]);
        assert_eq!(rows(&both[1..], &[]), [3, 4]);
    }

    #[test]
    fn open_ends_over_a_limit_leave_the_rest_of_the_table_as_it_is() {
        let all = of(Limits::default()).expect("a small automaton");
        let limited = of(Limits { local_states: 5, ..Limits::default() }).expect("a set each");
        assert_eq!((limited.at_end, limited.open_end), (all.at_end, None));
        assert_eq!(limited.next, all.next[..10]);
        assert_eq!(limited.begun.len(), 5);
        assert!(of(Limits { local_states: 4, ..Limits::default() }).is_err());
    }
}
