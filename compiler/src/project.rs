//! Local verifiers: per location a deterministic automaton by subset construction, its transitions
//! labelled with the areas of the global automaton they stand for (paper 004 sec. 4.1).

use crate::limits::{BITS_PER_UNIT, Clock, KEPT_STATES, LimitExceeded, Limits, Work};
use crate::words::{Allowance, Closures, Degrees, common, long_words, own, span, unite};
use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use multitrace_formats::bundle::{Areas, Bits, DEAD, ForwardTable, Rows};
use multitrace_interaction::{Id, LetterId, Nfa, StateId, TransitionId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Range;

/// A labelled local verifier, with the set of global states behind each of its states.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Per state of the verifier, the states of the global automaton (paper 004 def. 5). Those
    /// reachable from the beginning come first.
    pub subsets: Vec<FixedBitSet>,
    /// The tables.
    pub table: ForwardTable,
}

/// The projection of an automaton onto the letters of one location.
///
/// # Errors
/// When there would be more states, more bytes of sets, or more work, than the limits allow.
pub fn project(
    nfa: &Nfa,
    letters: &[LetterId],
    limits: &Limits,
) -> Result<Projection, LimitExceeded> {
    project_until(nfa, letters, limits, Clock::default())
}

/// [`project`] as long as there is time.
pub(crate) fn project_until(
    nfa: &Nfa,
    letters: &[LetterId],
    limits: &Limits,
    clock: Clock,
) -> Result<Projection, LimitExceeded> {
    let (is_own, moving) = own(nfa, letters, |it| it.from);
    let mut pass = Pass {
        nfa,
        letters,
        is_own,
        moving,
        degrees: Degrees::new(nfa.states().map(|state| 1 + nfa.outgoing(state).len())),
        limits,
        work: Work::new(limits, clock),
        subsets: IndexSet::default(),
        next: Vec::new(),
        area_of: Vec::new(),
        areas: IndexSet::default(),
        known: FxHashMap::default(),
        kept: Vec::new(),
        closures: Closures::new(nfa.state_count()),
    };
    let (start, init) = pass.unobserved(nfa.initial().to_vec())?;
    let init = pass.areas.insert_full(init).0 as u32;
    pass.explore()?;
    // Slices have a part of their own, which may be over a limit while the rest is not.
    let (states, areas) = (pass.subsets.len(), pass.areas.len());
    let start_anywhere = pass.state(nfa.states().map(|state| state.index()).collect());
    let start_anywhere = match pass.explore() {
        Ok(()) => Some(start_anywhere),
        Err(limit) if limit.is_time() => return Err(limit),
        Err(_) => {
            pass.forget_beyond(states, areas);
            None
        }
    };
    Ok(pass.finish(start, start_anywhere, init))
}

struct Pass<'a> {
    nfa: &'a Nfa,
    letters: &'a [LetterId],
    is_own: FixedBitSet,
    /// The states with transitions of the location.
    moving: FixedBitSet,
    /// Per state, the work to look at it: one for it, and one for each of its transitions.
    degrees: Degrees,
    limits: &'a Limits,
    work: Work,
    subsets: IndexSet<FixedBitSet, FxBuildHasher>,
    next: Vec<u32>,
    area_of: Vec<u32>,
    areas: IndexSet<FixedBitSet, FxBuildHasher>,
    /// The place in `kept` of the result for these states: a letter often leads to the same ones from many states.
    known: FxHashMap<Vec<StateId>, u32>,
    kept: Vec<Kept>,
    closures: Closures,
}

/// A result of [`Pass::unobserved`], and the words of the two sets that are not all zero.
struct Kept {
    state: u32,
    area: FixedBitSet,
    spans: [Range<usize>; 2],
}

/// The most bytes of areas that are kept for another time. An estimate.
const KEPT_BYTES: usize = 16 << 20;

impl Pass<'_> {
    /// The most bytes of areas that are kept: little beside the table, if that must be small.
    fn kept_bytes(&self) -> usize {
        KEPT_BYTES.min(self.limits.local_bytes / 4)
    }

    fn state(&mut self, mut subset: FixedBitSet) -> u32 {
        // Equal sets need equal capacities to be equal.
        subset.grow(self.nfa.state_count());
        self.subsets.insert_full(subset).0 as u32
    }

    /// Expands every state that has no row yet. The limits are checked at every new entry: with many
    /// letters, the row of a single state may be beyond all of them.
    fn explore(&mut self) -> Result<(), LimitExceeded> {
        let width = self.letters.len();
        while self.next.len() < self.subsets.len() * width {
            let moves = self.moves(self.next.len() / width)?;
            let mut rest = moves.as_slice();
            for column in 0..width as u32 {
                let (own, behind) = rest.split_at(rest.partition_point(|&(c, _)| c <= column));
                self.expand(own)?;
                rest = behind;
            }
            self.check_limits()?;
        }
        Ok(())
    }

    /// The location's transitions out of a state: column and transition, sorted.
    fn moves(&mut self, state: usize) -> Result<Vec<(u32, TransitionId)>, LimitExceeded> {
        let subset = &self.subsets[state];
        self.work.spend(self.degrees.sum(subset))?;
        let mut moves = Vec::new();
        for from in common(subset, &self.moving).map(StateId::new) {
            for (id, transition) in self.nfa.outgoing_ids(from) {
                if self.is_own.contains(transition.letter.index())
                    && let Ok(column) = self.letters.binary_search(&transition.letter)
                {
                    moves.push((column as u32, id));
                }
            }
        }
        moves.sort_unstable();
        Ok(moves)
    }

    /// Adds the entry of the next letter, which reads these transitions.
    fn expand(&mut self, moves: &[(u32, TransitionId)]) -> Result<(), LimitExceeded> {
        if moves.is_empty() {
            self.next.push(DEAD);
            self.area_of.push(DEAD);
            return Ok(());
        }
        let read = moves.iter().map(|&(_, id)| self.nfa.transitions()[id.index()].to);
        let mut read: Vec<_> = read.collect();
        read.sort_unstable();
        read.dedup();
        let (target, mut area) = self.unobserved(read)?;
        moves.iter().for_each(|(_, id)| area.insert(id.index()));
        self.next.push(target);
        self.area_of.push(self.areas.insert_full(area).0 as u32);
        self.check_limits()
    }

    /// The state that stands for these and those reached by letters of other locations, and the transitions on the way.
    fn unobserved(&mut self, from: Vec<StateId>) -> Result<(u32, FixedBitSet), LimitExceeded> {
        if let Some(&known) = self.known.get(&from) {
            let known = &self.kept[known as usize];
            self.work.spend(1 + known.area.len() / BITS_PER_UNIT)?;
            return Ok((known.state, known.area.clone()));
        }
        let is_kept = from.len() <= KEPT_STATES
            && self.known.len() * (64 + self.nfa.transitions().len() / 8) < self.kept_bytes();
        let kept = is_kept.then(|| from.clone());
        let (states, area) = self.closure(from)?;
        let spans = [span(&states), span(&area)];
        let state = self.state(states);
        if let Some(from) = kept {
            let place = self.kept.len() as u32;
            self.closures.note(&from, place);
            self.known.insert(from, place);
            self.kept.push(Kept { state, area: area.clone(), spans });
        }
        Ok((state, area))
    }

    /// These states and those reached by letters of other locations, and the transitions on the way.
    fn closure(
        &mut self,
        mut todo: Vec<StateId>,
    ) -> Result<(FixedBitSet, FixedBitSet), LimitExceeded> {
        let mut states = FixedBitSet::with_capacity(self.nfa.state_count());
        let mut area = FixedBitSet::with_capacity(self.nfa.transitions().len());
        let mut allowance = Allowance::new(states.as_slice().len() + area.as_slice().len());
        let mut walked = 0;
        while let Some(state) = todo.pop() {
            if states.contains(state.index()) {
                continue;
            }
            let known = self.closures.of(state).map(|place| &self.kept[place]);
            if let Some(Kept { state, area: known, spans: [of_states, of_area] }) = known
                && allowance.take(of_states.len() + of_area.len())
            {
                unite(&mut states, &self.subsets[*state as usize], of_states.clone());
                unite(&mut area, known, of_area.clone());
                continue;
            }
            states.insert(state.index());
            for (id, transition) in self.nfa.outgoing_ids(state) {
                if !self.is_own.contains(transition.letter.index()) {
                    area.insert(id.index());
                    todo.push(transition.to);
                }
            }
            let units = 1 + self.nfa.outgoing(state).len();
            walked += units;
            self.work.spend(units)?;
        }
        // States of united sets count as if they were walked, so that limits do not depend on the sets that are known.
        self.work.spend(self.degrees.sum(&states).saturating_sub(walked))?;
        self.work.spend((states.len() + area.len()) / BITS_PER_UNIT)?;
        Ok((states, area))
    }

    /// Drops the states and areas found after these many. Earlier states have no transition to
    /// later ones, since they had all been expanded.
    fn forget_beyond(&mut self, states: usize, areas: usize) {
        self.subsets.truncate(states);
        self.next.truncate(states * self.letters.len());
        self.area_of.truncate(states * self.letters.len());
        self.areas.truncate(areas);
    }

    fn check_limits(&self) -> Result<(), LimitExceeded> {
        let limit = self.limits.local_states;
        if self.subsets.len() > limit {
            return Err(LimitExceeded::Count { limit, what: "states in a local verifier" });
        }
        let subsets = self.subsets.len() * self.nfa.state_count().div_ceil(8);
        let areas = self.areas.len() * self.nfa.transitions().len().div_ceil(8);
        let tables = self.subsets.len() * self.letters.len() * 2 * size_of::<u32>();
        let limit = self.limits.local_bytes;
        if subsets + areas + tables > limit {
            return Err(LimitExceeded::Count { limit, what: "bytes in a local verifier" });
        }
        Ok(())
    }

    fn finish(self, start: u32, start_anywhere: Option<u32>, init: u32) -> Projection {
        let mut finals = FixedBitSet::with_capacity(self.nfa.state_count());
        finals.extend(self.nfa.finals().map(|state| state.index()));
        let finals: Bits = self.subsets.iter().map(|it| !it.is_disjoint(&finals)).collect();
        let mut rows = Rows::new(self.nfa.transitions().len());
        rows.extend(self.areas.iter().map(long_words));
        let areas = Some(Areas { of: self.area_of, init, rows });
        let table = ForwardTable { next: self.next, finals, start, start_anywhere, areas };
        Projection { subsets: self.subsets.into_iter().collect(), table }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_automata::chain;

    #[test]
    fn slices_over_a_limit_leave_the_rest_of_the_table_as_it_is() {
        let letters = [0, 1].map(LetterId::new);
        let of = |local_states| {
            let limits = Limits { local_states, ..Limits::default() };
            project(&chain(), &letters, &limits)
        };
        let whole = of(1_000).expect("a small automaton");
        assert!(whole.table.start_anywhere.is_some() && whole.subsets.len() > 5);
        let Projection { subsets, table } = of(5).expect("a state each");
        assert_eq!(subsets, whole.subsets[..5]);
        assert_eq!(table.start_anywhere, None);
        assert_eq!(table.start, whole.table.start);
        assert_eq!(table.next, whole.table.next[..5 * letters.len()]);
        let (areas, all) = (table.areas.expect("areas"), whole.table.areas.expect("areas"));
        assert_eq!(areas.of, all.of[..5 * letters.len()]);
        assert!(areas.of.iter().all(|&area| area == DEAD || (area as usize) < areas.rows.len()));
        assert!(of(4).is_err());
    }

    #[test]
    fn a_limit_of_bytes_counts_sets_areas_and_entries() {
        let of = |local_bytes| {
            let limits = Limits { local_bytes, ..Limits::default() };
            project(&chain(), &[0, 1].map(LetterId::new), &limits)
        };
        let whole = of(1 << 20).expect("a small automaton");
        // Five states are a byte, four transitions another, a row two entries of twice four.
        let areas = whole.table.areas.expect("areas").rows.len();
        let bytes = whole.subsets.len() * (1 + 16) + areas;
        assert_eq!(of(bytes).expect("it fits").table.start_anywhere, whole.table.start_anywhere);
        assert_eq!(of(bytes - 1).expect("without slices").table.start_anywhere, None);
    }
}
