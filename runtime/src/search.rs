//! The central search: is there an interleaving of the local traces that the automaton accepts?
//!
//! A node is a state and one position per location (paper 004 def. 4, where positions are the
//! suffixes that are left). Where the observation mode allows, a location also moves unobserved:
//! once it is fully read (prefix, slice), and before its first event (slice). There are finitely
//! many nodes, so every mode is decided.

use crate::automaton::Automaton;
use crate::budget::{Allowance, Spent, TermMeter};
use crate::local_analysis::LocalAnalysis;
use crate::monitor::Monitor;
use crate::pack::Packing;
use crate::suffixes::Suffixes;
use hashbrown::HashTable;
use multitrace_interaction::{
    Id, LetterId, LocationId, MultiTrace, Observation, StateId, Transition, Witness, WitnessStep,
};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::Hasher;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// At this node everything is explained.
    Found(u32),
    /// There is no such node.
    Exhausted,
    /// The allowance was spent first.
    Spent(Spent),
    /// Some moves were not followed because they led to too large terms; all others were.
    Cut,
}

/// How the walk from one node ended.
enum Walk {
    /// Nowhere, or where there are several ways to go on.
    Ended,
    /// Everything is explained.
    Goal,
    Spent(Spent),
}

/// What to search.
pub(crate) struct Problem<'a, A> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) automaton: &'a A,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) observation: Observation,
    /// What is known of dead ends.
    pub(crate) look_ahead: LookAhead<'a>,
    /// How a location moves where its observation is over, or has not begun.
    pub(crate) unobserved: Unobserved,
    /// What the search may cost.
    pub(crate) allowance: Allowance,
    /// In fair searches, unobserved moves to larger terms than this are not followed.
    pub(crate) heaviest: u32,
    /// Whether an event that is one-unambiguous is read before all else (paper 003 sec. 5.1).
    pub(crate) partial_order: bool,
    /// Whether the way to a node where everything is explained will be asked for.
    pub(crate) witness: bool,
    /// Whether to visit every node, once, also after one where everything is explained.
    pub(crate) whole_graph: bool,
}

impl<'a, A> Problem<'a, A> {
    /// A plain search: no look-ahead, no reduction.
    pub(crate) fn plain(
        monitor: &'a Monitor,
        automaton: &'a A,
        trace: &'a MultiTrace,
        observation: Observation,
        allowance: Allowance,
    ) -> Problem<'a, A> {
        Problem {
            monitor,
            automaton,
            trace,
            observation,
            look_ahead: LookAhead::Blind,
            unobserved: Unobserved::Moves,
            allowance,
            heaviest: u32::MAX,
            partial_order: false,
            witness: false,
            whole_graph: false,
        }
    }
}

/// Ways to recognise nodes from which some local trace cannot be read to its end.
#[derive(Clone, Copy)]
pub(crate) enum LookAhead<'a> {
    /// None.
    Blind,
    /// The rows of the local pass; only for the search automaton they were made for.
    Tables(&'a Suffixes),
    /// Analyses of the terms of a lazy automaton.
    Terms(&'a RefCell<LocalAnalysis<'a>>),
}

impl LookAhead<'_> {
    /// About how many bytes it has come to while searching.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            LookAhead::Terms(analysis) => analysis.borrow().bytes(),
            LookAhead::Blind | LookAhead::Tables(_) => 0,
        }
    }
}

/// How the actions that no event stands for are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unobserved {
    /// They are moves of the search. On a compiled automaton these are finitely many; nodes are
    /// followed depth first.
    Moves,
    /// They are moves, and there may be infinitely many. The nodes with the fewest unobserved
    /// moves before them and the most events explained are followed first, so that none waits for
    /// ever.
    FairMoves,
    /// A location that may go on unobserved is removed from the term. Not for slices.
    Removed,
}

/// In fair searches, how many unobserved moves an explained event outweighs.
const OBSERVED_GAIN: u64 = 4;

fn is_fair<A>(problem: &Problem<'_, A>) -> bool {
    problem.unobserved == Unobserved::FairMoves
}

/// Whether every node that is visited must be recorded.
fn records_all<A>(problem: &Problem<'_, A>) -> bool {
    problem.witness || problem.whole_graph || is_fair(problem)
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
    /// In fair searches the nodes to follow, the cheapest and of those the newest first.
    queue: BinaryHeap<(Reverse<u64>, u32)>,
    /// In fair searches, the cost of each node.
    costs: Vec<u64>,
    /// Whether a move was not followed because it led to too large a term.
    cut: bool,
    /// The terms that were come across.
    terms: TermMeter,
    /// Whether a node was stuck although some local trace had ended before it.
    lacks_observation: bool,
    /// How many nodes were visited, each as often as it was.
    visits: u64,
    /// The node where the search is: its words, and its positions.
    here: Vec<u64>,
    positions: Vec<u32>,
    successors: Vec<Successor>,
    candidate: Vec<u64>,
}

/// A node that can be gone to from the one where the search is.
#[derive(Clone, Copy, Debug)]
struct Successor {
    state: StateId,
    /// The location that has read an event, if one has.
    read: Option<LocationId>,
    letter: LetterId,
}

/// While there is only one way to go on, no more than so many nodes are passed without being
/// recorded as visited. Recording some of them bounds what is walked again where ways meet, and
/// ends walks in circles.
const UNRECORDED: u32 = 16;

impl ShuffleSearch {
    /// Searches depth first. With a `watch` every visited node is shown to it: state, positions.
    pub(crate) fn run<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        watch: &mut dyn FnMut(StateId, &[u32]),
    ) -> Outcome {
        self.start(problem);
        let mut found = None;
        while let Some(node) = self.next() {
            match self.walk(problem, node, watch) {
                Walk::Ended => {}
                Walk::Goal if problem.whole_graph => found = found.or(Some(Outcome::Found(node))),
                Walk::Goal => return Outcome::Found(node),
                Walk::Spent(spent) => return Outcome::Spent(spent),
            }
        }
        found.unwrap_or(if self.cut { Outcome::Cut } else { Outcome::Exhausted })
    }

    /// Visits a node, and those after it as long as there is only one way to go on; then records
    /// where to go on.
    fn walk<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        node: u32,
        watch: &mut dyn FnMut(StateId, &[u32]),
    ) -> Walk {
        let stride = self.packing.stride();
        self.here.copy_from_slice(&self.nodes[node as usize * stride..][..stride]);
        let mut state = self.packing.unpack(&self.here, &mut self.positions);
        let unrecorded = if records_all(problem) { 0 } else { UNRECORDED };
        let mut is_goal_passed = false;
        for passed in 0.. {
            self.visits += 1;
            if let Some(spent) = problem.allowance.spent(self.explored(), || self.bytes(problem)) {
                return Walk::Spent(spent);
            }
            watch(state, &self.positions);
            if is_goal(problem, state, &self.positions) {
                if !problem.whole_graph {
                    return Walk::Goal;
                }
                is_goal_passed = true;
            }
            self.collect(problem, state);
            self.lacks_observation |= lacks_observation(problem, state, &self.positions);
            match *self.successors.as_slice() {
                [only] if passed < unrecorded => state = self.go_to(only),
                _ => break,
            }
        }
        self.record(problem, node);
        if is_goal_passed { Walk::Goal } else { Walk::Ended }
    }

    fn go_to(&mut self, successor: Successor) -> StateId {
        let read = successor.read.map(LocationId::index);
        self.packing.advance(&mut self.here, successor.state, read);
        if let Some(location) = read {
            self.positions[location] += 1;
        }
        successor.state
    }

    /// Records the successors of the node where the search is, all of them unless they are known.
    fn record<A>(&mut self, problem: &Problem<'_, A>, node: u32) {
        let cost = is_fair(problem).then(|| self.costs[node as usize]);
        for place in 0..self.successors.len() {
            let Successor { state, read, letter } = self.successors[place];
            let observed = read.is_some();
            let cost = cost.map(|cost| if observed { cost - OBSERVED_GAIN } else { cost + 1 });
            let step = WitnessStep { letter, observed };
            self.candidate.copy_from_slice(&self.here);
            self.packing.advance(&mut self.candidate, state, read.map(LocationId::index));
            self.discover((node, step), cost);
        }
    }

    fn next(&mut self) -> Option<u32> {
        self.stack.pop().or_else(|| Some(self.queue.pop()?.1))
    }

    /// Forgets the last run.
    pub(crate) fn reset(&mut self) {
        self.nodes.clear();
        self.found_by.clear();
        self.visited.clear();
        self.stack.clear();
        self.queue.clear();
        self.costs.clear();
        self.cut = false;
        self.terms.reset();
        self.lacks_observation = false;
        self.visits = 0;
    }

    /// Whether the last run met a node that reads no event, after some local trace had ended and
    /// before all had.
    pub(crate) fn lacks_observation(&self) -> bool {
        self.lacks_observation
    }

    /// How many nodes the last run visited, or found and did not come to visit.
    pub(crate) fn explored(&self) -> u64 {
        self.visits.max(self.found_by.len() as u64)
    }

    /// Forgets the last run and finds the initial nodes.
    fn start<A: Automaton>(&mut self, problem: &Problem<'_, A>) {
        let lengths = problem.trace.iter().map(Vec::len);
        self.packing.arrange(problem.automaton.state_bound(), lengths);
        self.reset();
        for words in [&mut self.here, &mut self.candidate] {
            words.clear();
            words.resize(self.packing.stride(), 0);
        }
        self.positions.clear();
        self.positions.resize(problem.trace.len(), 0);
        let events: usize = problem.trace.iter().map(Vec::len).sum();
        let cost = is_fair(problem).then_some(events as u64 * OBSERVED_GAIN);
        let step = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        for &state in problem.automaton.initial().iter().rev() {
            let state = without_read(problem, state);
            if self.is_alive(problem, state) {
                self.packing.pack(&mut self.candidate, state, &self.positions);
                self.discover((u32::MAX, step), cost);
            }
        }
    }

    /// Lists the living successors of the node where the search is, the one to follow first last.
    fn collect<A: Automaton>(&mut self, problem: &Problem<'_, A>, state: StateId) {
        self.successors.clear();
        problem.automaton.outgoing(state, &mut |transitions| {
            if problem.partial_order
                && let Some(first) = one_unambiguous(problem, state, &self.positions, transitions)
            {
                self.read_event(problem, first, false);
                return;
            }
            let forced = is_forced(problem, state, transitions.len());
            for transition in transitions.iter().rev() {
                self.go_unobserved(problem, transition, forced);
                if reads(problem, transition.letter, &self.positions) {
                    self.read_event(problem, transition, forced);
                }
            }
        });
    }

    /// Lists a transition that no event stands for, where the observation mode allows it.
    fn go_unobserved<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        transition: &Transition,
        forced: bool,
    ) {
        let location = problem.monitor.location_of(transition.letter).index();
        let (position, length) = (self.positions[location] as usize, problem.trace[location].len());
        if !may_go_unobserved(problem, position, length) {
            return;
        }
        self.terms.touch(transition.to, problem.automaton.weight(transition.to));
        if self.is_too_heavy(problem, transition.to) {
            self.cut = true;
        } else if forced || self.is_alive(problem, transition.to) {
            let &Transition { letter, to: state, .. } = transition;
            self.successors.push(Successor { state, read: None, letter });
        }
    }

    /// Lists a transition that reads the next event of its location.
    fn read_event<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        transition: &Transition,
        forced: bool,
    ) {
        let &Transition { letter, to: mut state, .. } = transition;
        let location = problem.monitor.location_of(letter);
        self.positions[location.index()] += 1;
        let position = self.positions[location.index()] as usize;
        let length = problem.trace[location.index()].len();
        let is_over = problem.observation.is_open(position, length);
        if problem.unobserved == Unobserved::Removed && is_over {
            state = problem.automaton.forget(state, location);
        }
        self.terms.touch(state, problem.automaton.weight(state));
        if forced || self.is_alive(problem, state) {
            self.successors.push(Successor { state, read: Some(location), letter });
        }
        self.positions[location.index()] -= 1;
    }

    /// About how many bytes the search uses.
    fn bytes<A: Automaton>(&self, problem: &Problem<'_, A>) -> u64 {
        let of_node = size_of::<(u32, WitnessStep)>() + 2 * size_of::<u32>();
        let nodes = self.nodes.len() * size_of::<u64>()
            + self.found_by.len() * of_node
            + self.costs.len() * 3 * size_of::<u64>();
        nodes as u64 + self.terms.bytes() + problem.look_ahead.bytes()
    }

    fn is_too_heavy<A: Automaton>(&self, problem: &Problem<'_, A>, state: StateId) -> bool {
        is_fair(problem) && problem.automaton.weight(state) > problem.heaviest
    }

    /// Whether the rest of every local trace can be read from here, each for itself.
    fn is_alive<A: Automaton>(&self, problem: &Problem<'_, A>, state: StateId) -> bool {
        match problem.look_ahead {
            LookAhead::Blind => true,
            LookAhead::Tables(suffixes) => problem.monitor.locations().all(|location| {
                let position = self.positions[location.index()] as usize;
                suffixes.allows(problem.monitor, location, position, state)
            }),
            LookAhead::Terms(analysis) => analysis.borrow_mut().is_alive(state, &self.positions),
        }
    }

    /// Adds the candidate unless it is there; with a cost to be followed when it is the cheapest,
    /// without one to be followed next.
    fn discover(&mut self, found_by: (u32, WitnessStep), cost: Option<u64>) {
        let stride = self.packing.stride();
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
            match cost {
                None => self.stack.push(node),
                Some(cost) => {
                    self.costs.push(cost);
                    self.queue.push((Reverse(cost), node));
                }
            }
        }
    }

    /// The actions that lead to a node, and on to a final state unobserved.
    pub(crate) fn witness<A: Automaton>(&self, problem: &Problem<'_, A>, found: u32) -> Witness {
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
        let rest = way_to_final(problem.automaton, state);
        steps.extend(rest.into_iter().map(|letter| WitnessStep { letter, observed: false }));
        Witness { steps }
    }
}

/// Whether a living node with this many transitions lives on in its only successor, so that no
/// look-ahead is needed: whatever can still be read is read through that one. Not so where a path
/// may end instead, nor in slices, where a location may begin by the move.
fn is_forced<A: Automaton>(problem: &Problem<'_, A>, state: StateId, transitions: usize) -> bool {
    let may_end = || match problem.observation {
        Observation::Complete | Observation::Missing => problem.automaton.is_final(state),
        Observation::Prefix | Observation::GlobalPrefix => false,
        Observation::Slice => true,
    };
    transitions == 1 && !may_end()
}

/// Removes the locations whose traces are empty, where removal is asked for.
fn without_read<A: Automaton>(problem: &Problem<'_, A>, state: StateId) -> StateId {
    if problem.unobserved != Unobserved::Removed {
        return state;
    }
    let read = problem.monitor.locations().filter(|l| problem.trace[l.index()].is_empty());
    read.fold(state, |state, location| problem.automaton.forget(state, location))
}

/// Whether a letter is the next event of its location.
fn reads<A>(problem: &Problem<'_, A>, letter: LetterId, positions: &[u32]) -> bool {
    let location = problem.monitor.location_of(letter).index();
    problem.trace[location].get(positions[location] as usize) == Some(&letter)
}

/// The first transition that reads an event which is one-unambiguous there. A location whose
/// unobserved beginning is not over does not count: its first event need not be its first action.
fn one_unambiguous<'a, A: Automaton>(
    problem: &Problem<'_, A>,
    state: StateId,
    positions: &[u32],
    transitions: &'a [Transition],
) -> Option<&'a Transition> {
    transitions.iter().find(|transition| {
        let location = problem.monitor.location_of(transition.letter);
        let has_begun =
            problem.observation != Observation::Slice || positions[location.index()] > 0;
        has_begun
            && reads(problem, transition.letter, positions)
            && problem.automaton.is_one_unambiguous(state, transition.letter, location)
    })
}

/// Whether a location may move without an event of its trace.
fn may_go_unobserved<A>(problem: &Problem<'_, A>, position: usize, length: usize) -> bool {
    problem.unobserved != Unobserved::Removed && problem.observation.is_open(position, length)
}

/// Everything is explained, and the automaton may stop here; now, or after unobserved actions:
/// from every state a final one is reached, since compiled automata are trimmed, and every term
/// accepts something.
fn is_goal<A: Automaton>(problem: &Problem<'_, A>, state: StateId, positions: &[u32]) -> bool {
    let read = |(local, &position): (&Vec<LetterId>, &u32)| local.len() == position as usize;
    let may_stop = match problem.observation {
        Observation::Complete | Observation::Missing => problem.automaton.is_final(state),
        // A prefix of a global trace does not end inside a step.
        Observation::GlobalPrefix => problem.automaton.is_between_steps(state),
        Observation::Prefix | Observation::Slice => true,
    };
    may_stop && problem.trace.iter().zip(positions).all(read)
}

/// Whether no step can be read from a node although some local trace has ended: more of that trace
/// might help (paper 001 sec. 4.5, rule R4b). Asked in global-prefix mode only.
fn lacks_observation<A: Automaton>(
    problem: &Problem<'_, A>,
    state: StateId,
    positions: &[u32],
) -> bool {
    let ended = |(local, &position): (&Vec<LetterId>, &u32)| local.len() == position as usize;
    problem.observation == Observation::GlobalPrefix
        && problem.automaton.is_between_steps(state)
        && problem.trace.iter().zip(positions).any(ended)
        && !reads_a_step(problem, state, positions)
}

/// Whether some step, of one action or several, can be read from a node to its end.
fn reads_a_step<A: Automaton>(problem: &Problem<'_, A>, state: StateId, positions: &[u32]) -> bool {
    let mut found = false;
    problem.automaton.outgoing(state, &mut |transitions| {
        found |= transitions.iter().any(|transition| {
            if !reads(problem, transition.letter, positions) {
                return false;
            }
            let location = problem.monitor.location_of(transition.letter).index();
            let mut after = positions.to_vec();
            after[location] += 1;
            let to = transition.to;
            problem.automaton.is_between_steps(to) || reads_a_step(problem, to, &after)
        });
    });
    found
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish()
}

/// The letters of a shortest path from a state to a final one.
pub(crate) fn way_to_final<A: Automaton>(automaton: &A, from: StateId) -> Vec<LetterId> {
    let mut found_by: FxHashMap<StateId, (StateId, LetterId)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        if automaton.is_final(state) {
            return path(&found_by, from, state);
        }
        automaton.outgoing(state, &mut |transitions| {
            for transition in transitions {
                if transition.to != from && !found_by.contains_key(&transition.to) {
                    found_by.insert(transition.to, (state, transition.letter));
                    queue.push_back(transition.to);
                }
            }
        });
    }
    Vec::new()
}

fn path(
    found_by: &FxHashMap<StateId, (StateId, LetterId)>,
    from: StateId,
    to: StateId,
) -> Vec<LetterId> {
    let mut letters = Vec::new();
    let mut state = to;
    while state != from {
        let Some(&(before, letter)) = found_by.get(&state) else { break };
        letters.push(letter);
        state = before;
    }
    letters.reverse();
    letters
}
