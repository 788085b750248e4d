//! The central search: is there an interleaving of the local traces that the automaton accepts?
//!
//! A node is a state and one position per location (paper 004 def. 4, where positions are the
//! suffixes that are left). Where the observation mode allows, a location also moves unobserved:
//! once it is fully read (prefix, slice), and before its first event (slice). There are finitely
//! many nodes, so every mode is decided.

use crate::monitor::Monitor;
use crate::pack::Packing;
use crate::suffixes::Suffixes;
use hashbrown::HashTable;
use multitrace_interaction::{
    Id, LetterId, MultiTrace, Nfa, Observation, StateId, Witness, WitnessStep,
};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// At this node everything is explained.
    Found(u32),
    /// There is no such node.
    Exhausted,
    /// The budget was spent first.
    OutOfBudget,
}

/// What to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) nfa: &'a Nfa,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) observation: Observation,
    /// Dead ends known beforehand; only for the search automaton.
    pub(crate) look_ahead: Option<&'a Suffixes>,
    /// The most nodes that may be visited.
    pub(crate) budget: u64,
}

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct ShuffleSearch {
    packing: Packing,
    /// The words of all nodes, in the order of discovery.
    nodes: Vec<u64>,
    /// Per node, the node it was found from and the action in between.
    found_by: Vec<(u32, WitnessStep)>,
    visited: HashTable<u32>,
    stack: Vec<u32>,
    positions: Vec<u32>,
    candidate: Vec<u64>,
}

impl ShuffleSearch {
    /// Searches depth first. With a `watch` every visited node is shown to it: state, positions.
    pub(crate) fn run(
        &mut self,
        problem: &Problem<'_>,
        watch: &mut dyn FnMut(StateId, &[u32]),
    ) -> Outcome {
        self.start(problem);
        for &state in problem.nfa.initial().iter().rev() {
            self.positions.fill(0);
            if self.is_alive(problem, state) {
                let step = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
                self.discover(state, (u32::MAX, step));
            }
        }
        let mut positions = vec![0; problem.trace.len()];
        while let Some(node) = self.stack.pop() {
            if self.found_by.len() as u64 > problem.budget {
                return Outcome::OutOfBudget;
            }
            let stride = self.packing.stride();
            let words = &self.nodes[node as usize * stride..][..stride];
            let state = self.packing.unpack(words, &mut positions);
            watch(state, &positions);
            if is_goal(problem, state, &positions) {
                return Outcome::Found(node);
            }
            self.expand(problem, node, state, &positions);
        }
        Outcome::Exhausted
    }

    /// Forgets the last run.
    pub(crate) fn reset(&mut self) {
        self.nodes.clear();
        self.found_by.clear();
        self.visited.clear();
        self.stack.clear();
    }

    /// How many nodes the last run visited.
    pub(crate) fn explored(&self) -> u64 {
        self.found_by.len() as u64
    }

    fn start(&mut self, problem: &Problem<'_>) {
        let lengths = problem.trace.iter().map(Vec::len);
        self.packing.arrange(problem.nfa.state_count(), lengths);
        self.reset();
        self.positions.clear();
        self.positions.resize(problem.trace.len(), 0);
        self.candidate.clear();
        self.candidate.resize(self.packing.stride(), 0);
    }

    fn expand(&mut self, problem: &Problem<'_>, node: u32, state: StateId, positions: &[u32]) {
        // Backwards, so that the first transition is followed first.
        for transition in problem.nfa.outgoing(state).iter().rev() {
            let letter = transition.letter;
            let location = problem.monitor.location_of(letter).index();
            let local = &problem.trace[location];
            let position = positions[location] as usize;
            self.positions.copy_from_slice(positions);
            if may_go_unobserved(problem.observation, position, local.len())
                && self.is_alive(problem, transition.to)
            {
                self.discover(transition.to, (node, WitnessStep { letter, observed: false }));
            }
            if local.get(position) == Some(&letter) {
                self.positions[location] += 1;
                if self.is_alive(problem, transition.to) {
                    self.discover(transition.to, (node, WitnessStep { letter, observed: true }));
                }
            }
        }
    }

    /// Whether the rest of every local trace can be read from here, each for itself.
    fn is_alive(&self, problem: &Problem<'_>, state: StateId) -> bool {
        let Some(suffixes) = problem.look_ahead else { return true };
        problem.monitor.locations().all(|location| {
            let position = self.positions[location.index()] as usize;
            suffixes.allows(problem.monitor, location, position, state)
        })
    }

    /// Adds the node of `self.positions` and this state unless it is there.
    fn discover(&mut self, state: StateId, found_by: (u32, WitnessStep)) {
        let stride = self.packing.stride();
        self.packing.pack(&mut self.candidate, state, &self.positions);
        let (nodes, candidate) = (&self.nodes, &self.candidate);
        let words = |node: u32| &nodes[node as usize * stride..][..stride];
        let entry = self.visited.entry(
            hash(candidate),
            |&node| words(node) == candidate.as_slice(),
            |&node| hash(words(node)),
        );
        if let hashbrown::hash_table::Entry::Vacant(entry) = entry {
            let node = u32::try_from(self.found_by.len()).expect("budgets are below 2^32 nodes");
            entry.insert(node);
            self.nodes.extend_from_slice(&self.candidate);
            self.found_by.push(found_by);
            self.stack.push(node);
        }
    }

    /// The actions that lead to a node, and on to a final state unobserved.
    pub(crate) fn witness(&self, problem: &Problem<'_>, found: u32) -> Witness {
        let mut steps = Vec::new();
        let mut node = found;
        loop {
            let (before, step) = self.found_by[node as usize];
            if before == u32::MAX {
                break;
            }
            steps.push(step);
            node = before;
        }
        steps.reverse();
        let stride = self.packing.stride();
        let mut positions = vec![0; problem.trace.len()];
        let words = &self.nodes[found as usize * stride..][..stride];
        let state = self.packing.unpack(words, &mut positions);
        let rest = way_to_final(problem.nfa, state);
        steps.extend(rest.into_iter().map(|letter| WitnessStep { letter, observed: false }));
        Witness { steps }
    }
}

/// Whether a location may move without an event of its trace.
fn may_go_unobserved(observation: Observation, position: usize, length: usize) -> bool {
    match observation {
        Observation::Complete => false,
        Observation::Prefix => position == length,
        Observation::Slice => position == length || position == 0,
    }
}

/// Everything is explained, and the automaton may stop here (now, or after unobserved actions:
/// it is trimmed, so from every state a final one is reached).
fn is_goal(problem: &Problem<'_>, state: StateId, positions: &[u32]) -> bool {
    let read = |(local, &position): (&Vec<LetterId>, &u32)| local.len() == position as usize;
    let may_stop = problem.observation != Observation::Complete || problem.nfa.is_final(state);
    may_stop && problem.trace.iter().zip(positions).all(read)
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish()
}

/// The letters of a shortest path from a state to a final one.
fn way_to_final(nfa: &Nfa, from: StateId) -> Vec<LetterId> {
    let mut found_by: Vec<Option<(StateId, LetterId)>> = vec![None; nfa.state_count()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        if nfa.is_final(state) {
            return path(&found_by, from, state);
        }
        for transition in nfa.outgoing(state) {
            if transition.to != from && found_by[transition.to.index()].is_none() {
                found_by[transition.to.index()] = Some((state, transition.letter));
                queue.push_back(transition.to);
            }
        }
    }
    Vec::new()
}

fn path(found_by: &[Option<(StateId, LetterId)>], from: StateId, to: StateId) -> Vec<LetterId> {
    let mut letters = Vec::new();
    let mut state = to;
    while state != from {
        let Some((before, letter)) = found_by[state.index()] else { break };
        letters.push(letter);
        state = before;
    }
    letters.reverse();
    letters
}
