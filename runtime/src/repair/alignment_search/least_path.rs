//! The choice among the cheapest ways through all logs, which belongs to the language and not to an automaton (DESIGN,
//! section "Blame": repair).
//
// Idea: ways are compared as sequences of observable moves. A first part of a way is followed by all states that it can
// reach, so that neither the states of an automaton nor the order of its transitions count. Depth first, the least move
// first: events that are read before insertions, those before deletions, then by the names of locations, then letters that
// the log has elsewhere, then by letters.
//
// Invariant: the level of the search is the cost of the way that it has found, so that only a limit ends the choice
// without one.
//
// Cost: where estimates are exact, one look at each state that a first part of the way can reach. Where they are too low,
// parts lead to no end: their nodes are noted with the cost of the way to them, and are not followed again from a way
// that costs as much or more.

use super::{AlignmentRun, AlignmentSearch, Successor, without_silent};
use crate::automaton::{Automaton, Late};
use crate::lists::ranks_of;
use crate::monitor::Monitor;
use crate::repair::cost::Cost;
use crate::repair::estimate::Estimate;
use crate::repair::known_logs::KnownLogs;
use crate::repair::node_arena::{Move, NO_NODE, Way};
use multitrace_interaction::{Id, StateId};
use rustc_hash::FxHashMap;

/// A part that reaches more states than this is not followed: to find one among them takes a pass (an estimate).
const MOST_STATES_OF_PART: usize = 512;

/// The order of two moves: whether it deletes, whether it inserts, the rank of its location, whether
/// the log lacks its letter, the letter, and how many events it deletes. To insert an event that the log has elsewhere
/// is often half of a move.
type Rank = (bool, bool, u32, bool, usize, u32);

/// A first part of a way, by its last move.
#[derive(Clone, Copy, Debug)]
struct Part {
    by: Move,
    location: u32,
    passes: u32,
    cost: Cost,
    rank: Option<Rank>,
    /// Where its states begin.
    states: usize,
    /// The last move that was tried behind it.
    tried: Option<Rank>,
}

/// The memory of the choice, reused from one session to the next.
#[derive(Debug, Default)]
pub(super) struct LeastPath {
    parts: Vec<Part>,
    /// The states of all parts, one part behind the other.
    states: Vec<StateId>,
    /// Nodes that lead to no end, with the least cost of a way to them.
    failed: FxHashMap<Box<[u64]>, Cost>,
    /// Per location, its rank by name.
    ranks: Vec<u32>,
    /// The ranks of the successors of the last part.
    of_successors: Vec<Rank>,
}

impl LeastPath {
    fn begin(&mut self, monitor: &Monitor) {
        self.parts.clear();
        self.states.clear();
        self.failed.clear();
        if self.ranks.is_empty() {
            let alphabet = &monitor.bundle().alphabet;
            let names = monitor.locations().map(|it| alphabet.location_name(it));
            self.ranks = ranks_of(&names.collect::<Vec<&str>>());
        }
    }

    fn rank_all(&mut self, successors: &[Successor], logs: &KnownLogs) {
        let mut ranks = std::mem::take(&mut self.of_successors);
        ranks.clear();
        ranks.extend(successors.iter().map(|it| self.rank(it, logs)));
        self.of_successors = ranks;
    }

    fn rank(&self, successor: &Successor, logs: &KnownLogs) -> Rank {
        let location = self.ranks[successor.location as usize];
        match successor.by {
            Move::Read(letter, deleted) => {
                (deleted > 0, false, location, false, letter.index(), deleted)
            }
            Move::Insert(letter, deleted) => {
                let is_new = !logs.log(successor.location as usize).contains(&letter);
                (deleted > 0, true, location, is_new, letter.index(), deleted)
            }
            _ => (true, true, location, true, usize::MAX, successor.passes),
        }
    }
}

impl<A: Automaton, E: Estimate> AlignmentRun<'_, '_, A, E> {
    /// Takes the least way whose cost is the level of the search in place of the one that it has found, if any; false if
    /// there is none, or that takes more visits than `most`, more of the allowance than there is, or a part with too many
    /// states.
    pub(super) fn choose(&mut self, most: u64) -> bool {
        let is_found = matches!(self.follow(most), Ok(true));
        if is_found {
            self.search.path.clear();
            self.search.path.extend(self.search.least.parts.iter().map(|part| part.by));
        }
        is_found
    }

    /// Makes the parts of the least way; false if a limit is reached before.
    fn follow(&mut self, most: u64) -> Result<bool, Late> {
        self.search.least.begin(self.problem.monitor);
        self.search.positions.fill(0);
        self.search.from = Cost::ZERO;
        let by = Move::Start;
        let (location, passes, cost, states) = (0, 0, Cost::ZERO, 0);
        let start = Part { by, location, passes, cost, rank: None, states, tried: None };
        self.search.least.parts.push(start);
        self.estimate.load(&self.search.positions);
        for &state in self.problem.automaton.initial() {
            let state = without_silent(self.problem, state)?;
            if self.estimate.at(state) <= self.search.level {
                self.search.reach(state);
            }
        }
        let mut visits = 0;
        while let Some(&part) = self.search.least.parts.last() {
            if self.look_behind(&part)? {
                return Ok(true);
            }
            let states = self.search.least.states.len() - part.states;
            visits += states as u64;
            let bytes = || self.search.bytes() + self.estimate.bytes();
            let is_spent = self.problem.allowance.spent(visits, bytes).is_some();
            if visits > most || is_spent || states > MOST_STATES_OF_PART {
                return Ok(false);
            }
            self.search.least.rank_all(&self.search.successors, self.problem.logs);
            match self.search.next_rank(&part) {
                Some(rank) => self.search.enter(rank),
                None => self.search.leave(&part),
            }
        }
        Ok(false)
    }

    /// Makes the successors of a part, which reaches more states by moves that go unobserved; true if it can be the whole
    /// way.
    fn look_behind(&mut self, part: &Part) -> Result<bool, Late> {
        let way = Way { from: NO_NODE, by: part.by, cost: part.cost, passed: 0 };
        self.search.successors.clear();
        let mut at = part.states;
        while let Some(&state) = self.search.least.states.get(at) {
            if self.expand(state, &way)? {
                return Ok(true);
            }
            at += 1;
            while let Some(unobserved) = self.search.take_unobserved() {
                self.search.reach(unobserved);
            }
            if self.search.least.states.len() - part.states > MOST_STATES_OF_PART {
                return Ok(false);
            }
        }
        Ok(false)
    }
}

impl AlignmentSearch {
    /// Takes a successor out that goes unobserved.
    fn take_unobserved(&mut self) -> Option<StateId> {
        let at = self.successors.iter().position(|it| it.by == Move::Unobserved)?;
        Some(self.successors.swap_remove(at).to)
    }

    /// Adds a state to those of the last part, unless it leads to no end.
    fn reach(&mut self, state: StateId) {
        let Some(part) = self.least.parts.last() else { return };
        if self.least.states[part.states..].contains(&state) {
            return;
        }
        if !self.least.failed.is_empty() {
            self.layout.pack(&mut self.candidate, state, &self.positions);
            let failed = self.least.failed.get(&*self.candidate);
            if failed.is_some_and(|&failed| failed <= part.cost) {
                return;
            }
        }
        self.least.states.push(state);
    }

    /// The least move behind a part that was not tried.
    fn next_rank(&self, part: &Part) -> Option<Rank> {
        let ranks = self.least.of_successors.iter().copied();
        ranks.filter(|rank| part.tried.is_none_or(|tried| tried < *rank)).min()
    }

    /// Adds a move to the way.
    fn enter(&mut self, rank: Rank) {
        let mut is_first = true;
        for at in 0..self.successors.len() {
            if self.least.of_successors[at] != rank {
                continue;
            }
            let Successor { location, passes, cost, by, to } = self.successors[at];
            if std::mem::take(&mut is_first) {
                let (states, rank) = (self.least.states.len(), Some(rank));
                let part = Part { by, location, passes, cost, rank, states, tried: None };
                self.least.parts.push(part);
                self.positions[location as usize] += passes;
            }
            self.reach(to);
        }
    }

    /// Takes the last move back, since it leads to no end.
    fn leave(&mut self, part: &Part) {
        for at in part.states..self.least.states.len() {
            self.layout.pack(&mut self.candidate, self.least.states[at], &self.positions);
            let failed = self.least.failed.entry(self.candidate.as_slice().into());
            let least = failed.or_insert(part.cost);
            *least = part.cost.min(*least);
        }
        self.least.states.truncate(part.states);
        self.least.parts.pop();
        self.positions[part.location as usize] -= part.passes;
        if let Some(before) = self.least.parts.last_mut() {
            before.tried = part.rank;
        }
    }
}
