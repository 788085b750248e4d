//! The least cost, at one location alone, of the rest of a log on terms: the estimate of a search
//! over a lazy automaton.
//
// Idea: a term without the other locations is a term again (papers 002 and 003), and the terms that it reaches form a
// local automaton. Where that is small, it is explored to the end, and its costs are found backwards over the log, once
// for each of its states and positions.
//
// Invariant: removal keeps every local behaviour, so costs are lower bounds. Where a local automaton
// is too large, or no memory is left, they are 0, and the location is given up. So estimates may be inconsistent, and the search
// must take nodes up again.
//
// Cost: a derivative for each local state; then its transitions times the length of the log, some
// times over where loops need it.

use crate::automaton::{Automaton, Late};
use crate::budget::Allowance;
use crate::lazy_automaton::LazyAutomaton;
use crate::repair::cost::Cost;
use crate::repair::estimate::Estimate;
use crate::repair::known_logs::KnownLogs;
use multitrace_interaction::{Id, LocationId, StateId, Transition};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A local automaton with more states than this counts as too large. Most have some tens; a term
/// that grows with every repetition of a loop has no end. Estimated.
const MOST_LOCAL: usize = 256;

/// The costs may take one byte in this many of the budget; the rest is for the nodes. An even
/// split, not measured against others.
const COSTS_OF_BUDGET: u64 = 2;

/// The bytes that a local state takes beside its costs: its term, its row and its place in the maps.
const BYTES_PER_STATE: u64 = 400;

/// The costs of one session.
pub(crate) struct TermCosts<'a> {
    automaton: &'a LazyAutomaton,
    logs: &'a KnownLogs,
    allowance: &'a Allowance,
    bytes: u64,
    /// Per location, its local states: where their costs begin, or nothing if they are unknown.
    known: Vec<FxHashMap<StateId, Option<usize>>>,
    /// Per location, whether a local automaton was too large, so that no other is tried.
    is_too_large: Vec<bool>,
    /// One cost for each position from 0 to the end of the log, local state by local state.
    costs: Vec<Cost>,
    /// The local state of each state and location.
    local: FxHashMap<(StateId, usize), Option<usize>>,
    positions: Vec<u32>,
}

/// A part of a local automaton that is new, with the transitions of each state.
type Part = Vec<(StateId, Arc<[Transition]>)>;

impl<'a> TermCosts<'a> {
    /// No costs yet.
    pub(crate) fn new(
        automaton: &'a LazyAutomaton,
        logs: &'a KnownLogs,
        allowance: &'a Allowance,
    ) -> TermCosts<'a> {
        TermCosts {
            automaton,
            logs,
            allowance,
            bytes: 0,
            known: vec![FxHashMap::default(); logs.locations()],
            is_too_large: vec![false; logs.locations()],
            costs: Vec::new(),
            local: FxHashMap::default(),
            positions: Vec::new(),
        }
    }

    fn cost(&mut self, state: StateId, location: usize, position: u32) -> Cost {
        let costs = match self.local.get(&(state, location)) {
            Some(&known) => known,
            None if self.is_too_large[location] => None,
            None => {
                let local = self.automaton.local(state, LocationId::new(location));
                let costs = local.ok().and_then(|local| self.of_local(local, location));
                self.local.insert((state, location), costs);
                costs
            }
        };
        costs.map_or(Cost::ZERO, |start| self.costs[start + position as usize])
    }

    /// Where the costs of a local state begin.
    fn of_local(&mut self, local: StateId, location: usize) -> Option<usize> {
        if let Some(&known) = self.known[location].get(&local) {
            return known;
        }
        let Ok(part) = self.explore(local, location) else {
            self.is_too_large[location] = true;
            return None;
        };
        let length = self.logs.log(location).len() + 1;
        self.bytes += part.len() as u64 * (BYTES_PER_STATE + 8 * length as u64);
        let has_room = self.bytes <= self.allowance.bytes / COSTS_OF_BUDGET;
        let fits = part.len() <= MOST_LOCAL && has_room;
        self.is_too_large[location] = !fits;
        for (rank, (state, _)) in part.iter().enumerate() {
            let start = fits.then_some(self.costs.len() + rank * length);
            self.known[location].insert(*state, start);
        }
        if fits {
            self.costs.resize(self.costs.len() + part.len() * length, Cost::UNREACHABLE);
            (0..length).rev().for_each(|position| self.fill(&part, location, position));
        }
        self.known[location][&local]
    }

    /// The local states that are reached from one and not known yet, as far as they may be too
    /// many.
    fn explore(&self, local: StateId, location: usize) -> Result<Part, Late> {
        let mut part: Part = vec![(local, [].into())];
        let mut numbers = FxHashMap::from_iter([(local, ())]);
        let mut next = 0;
        while next < part.len() && part.len() <= MOST_LOCAL {
            let row = self.automaton.outgoing(part[next].0)?;
            for transition in &*row {
                let to = transition.to;
                if !self.known[location].contains_key(&to) && numbers.insert(to, ()).is_none() {
                    part.push((to, [].into()));
                }
            }
            part[next].1 = row;
            next += 1;
        }
        Ok(part)
    }

    /// The costs of new local states at one position; those behind it are filled.
    fn fill(&mut self, part: &Part, location: usize, position: usize) {
        let (logs, end) = (self.logs, self.logs.log(location).len());
        let letter = logs.log(location).get(position);
        for (state, row) in part {
            let cost = if position == end {
                let may_stop = logs.may_go_on(location) || self.automaton.is_final(*state);
                if may_stop { Cost::ZERO } else { Cost::UNREACHABLE }
            } else {
                let at = position as u32;
                let deleted = self.known_cost(*state, location, position + 1);
                let deleted = deleted + logs.deletion(location, at, at + 1);
                let reading = row.iter().filter(|transition| Some(&transition.letter) == letter);
                let read = reading.map(|t| self.known_cost(t.to, location, position + 1));
                let read = read.map(|cost| cost + logs.zone(location, at).reading());
                read.fold(deleted, Cost::min)
            };
            self.set(*state, location, position, cost);
        }
        let step = match logs.is_open(location, position as u32) {
            true => Cost::ZERO,
            false => logs.zone(location, position as u32).insertion(),
        };
        while self.relax(part, location, position, step) {}
    }

    /// Lowers costs to those of successors plus the cost of a transition; whether any was lowered.
    fn relax(&mut self, part: &Part, location: usize, position: usize, step: Cost) -> bool {
        let mut lowered = false;
        for (state, row) in part.iter().rev() {
            let after = row.iter().map(|t| self.known_cost(t.to, location, position));
            let cost = after.min().unwrap_or(Cost::UNREACHABLE) + step;
            if cost < self.known_cost(*state, location, position) {
                self.set(*state, location, position, cost);
                lowered = true;
            }
        }
        lowered
    }

    fn known_cost(&self, local: StateId, location: usize, position: usize) -> Cost {
        self.known[location][&local].map_or(Cost::ZERO, |start| self.costs[start + position])
    }

    fn set(&mut self, local: StateId, location: usize, position: usize, cost: Cost) {
        if let Some(start) = self.known[location][&local] {
            self.costs[start + position] = cost;
        }
    }
}

impl Estimate for TermCosts<'_> {
    fn load(&mut self, positions: &[u32]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn at(&mut self, state: StateId) -> Cost {
        (0..self.positions.len())
            .map(|location| self.cost(state, location, self.positions[location]))
            .sum()
    }

    fn moved(&mut self, state: StateId, location: usize, position: u32) -> Cost {
        let before = std::mem::replace(&mut self.positions[location], position);
        let cost = self.at(state);
        self.positions[location] = before;
        cost
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
