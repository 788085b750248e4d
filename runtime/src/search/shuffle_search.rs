//! The central search on any automaton: it gives witnesses, uses every reduction, and is the oracle
//! of the faster searches.
//
// Idea: depth first over nodes, which are words of a fixed number (`node_layout.rs`), all in one
// vector in the order of discovery. A hash table over their indexes is the visited set, so a node
// is stored once. In fair searches a heap replaces the stack: there may be infinitely many nodes,
// and the cheapest comes first.
//
// Invariant: a node that is not recorded as visited has one successor, and at most `UNRECORDED`
// such nodes follow one another. A search that needs paths or costs records every node.
//
// Cost: one look-up for each node that has several successors, plus the time of the automaton for listing transitions:
// a table row, or the derivatives of a term.

use crate::automaton::{Automaton, Late};
use crate::budget::TermMeter;
use crate::question::UNRECORDED;
use crate::search::node_layout::NodeLayout;
use crate::search::outcome::SearchOutcome;
use crate::search::path_to_final::path_to_final;
use crate::search::problem::{PartialOrder, Problem};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{
    BudgetLimit, FirstPlaces, Id, LetterId, LocationId, Observation, StateId, Transition, Witness,
    WitnessStep,
};
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher;

/// How the walk from one node ended.
enum WalkEnd {
    /// At a node with no successor, or with several, which are recorded.
    Recorded,
    /// At a node where everything is explained.
    Goal,
    Spent(BudgetLimit),
}

/// In fair searches, how many unobserved moves an event that is read outweighs. A larger number
/// follows promising nodes deeper before it tries others; a smaller one is nearer to breadth first,
/// which finds shorter witnesses and visits more nodes. Not measured.
const OBSERVED_GAIN: u64 = 4;

/// The predecessor of initial nodes.
const NO_NODE: u32 = u32::MAX;

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct ShuffleSearch {
    layout: NodeLayout,
    /// The first node found where everything is explained.
    found: Option<u32>,
    /// The words of all nodes, in the order of discovery.
    nodes: Vec<u64>,
    /// Per node, the node it was found from and the action in between.
    found_by: Vec<(u32, WitnessStep)>,
    visited: HashTable<u32>,
    stack: Vec<u32>,
    /// In fair searches, the nodes to follow: the cheapest first, and of those the newest.
    queue: BinaryHeap<(Reverse<u64>, u32)>,
    /// In fair searches, the cost of each node.
    costs: Vec<u64>,
    /// Whether a move was not followed because it led to too large a term.
    cut: bool,
    /// The terms that the search has met.
    terms: TermMeter,
    /// The number of visits; a node may be visited more than once.
    visits: u64,
    /// The node where the search is: its words, and its positions.
    here: Vec<u64>,
    positions: Vec<u32>,
    successors: Vec<Successor>,
    candidate: Vec<u64>,
}

/// A successor of the node where the search is.
#[derive(Clone, Copy, Debug)]
struct Successor {
    state: StateId,
    /// The location that reads an event on the way, if any.
    read: Option<LocationId>,
    letter: LetterId,
    /// How many unobserved moves must come at least before the logs that have not begun.
    ahead: u32,
}

impl ShuffleSearch {
    /// Searches. Every visited node is shown to `watch`: its state and its positions.
    pub(crate) fn run<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        watch: &mut dyn FnMut(StateId, &[u32]),
    ) -> SearchOutcome {
        if let Err(Late) = self.start(problem) {
            return SearchOutcome::Spent(problem.question.allowance.time_spent());
        }
        while let Some(node) = self.next() {
            match self.walk(problem, node, watch) {
                Err(Late) => return SearchOutcome::Spent(problem.question.allowance.time_spent()),
                Ok(WalkEnd::Recorded) => {}
                Ok(WalkEnd::Goal) => {
                    self.found.get_or_insert(node);
                    if !problem.whole_graph {
                        return SearchOutcome::Found;
                    }
                }
                Ok(WalkEnd::Spent(spent)) => return SearchOutcome::Spent(spent),
            }
        }
        match self.found {
            Some(_) => SearchOutcome::Found,
            None if self.cut => SearchOutcome::Cut,
            None => SearchOutcome::Exhausted,
        }
    }

    /// Visits a node and those after it as long as each has one successor; then records the
    /// successors of the last one.
    fn walk<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        node: u32,
        watch: &mut dyn FnMut(StateId, &[u32]),
    ) -> Result<WalkEnd, Late> {
        let words = self.layout.words();
        self.here.copy_from_slice(&self.nodes[node as usize * words..][..words]);
        let mut state = self.layout.unpack(&self.here, &mut self.positions);
        let unrecorded = if problem.records_all() { 0 } else { UNRECORDED };
        let mut is_goal_passed = false;
        for passed in 0.. {
            self.visits += 1;
            let allowance = &problem.question.allowance;
            if let Some(spent) = allowance.spent(self.explored(), || self.bytes(problem)) {
                return Ok(WalkEnd::Spent(spent));
            }
            watch(state, &self.positions);
            if is_goal(problem, state, &self.positions) {
                if !problem.whole_graph {
                    return Ok(WalkEnd::Goal);
                }
                is_goal_passed = true;
            }
            self.collect(problem, state)?;
            match *self.successors.as_slice() {
                [only] if passed < unrecorded => state = self.go_to(only),
                _ => break,
            }
        }
        self.record(problem, node);
        Ok(if is_goal_passed { WalkEnd::Goal } else { WalkEnd::Recorded })
    }

    fn go_to(&mut self, successor: Successor) -> StateId {
        let read = successor.read.map(LocationId::index);
        self.layout.advance(&mut self.here, successor.state, read);
        if let Some(location) = read {
            self.positions[location] += 1;
        }
        successor.state
    }

    /// Records the successors of the node where the search is, except those that are known.
    fn record<A>(&mut self, problem: &Problem<'_, A>, node: u32) {
        let cost = problem.is_fair().then(|| self.costs[node as usize]);
        for index in 0..self.successors.len() {
            let Successor { state, read, letter, ahead } = self.successors[index];
            let observed = read.is_some();
            let cost = cost.map(|cost| if observed { cost - OBSERVED_GAIN } else { cost + 1 });
            let step = WitnessStep { letter, observed };
            self.candidate.copy_from_slice(&self.here);
            self.layout.advance(&mut self.candidate, state, read.map(LocationId::index));
            self.discover((node, step), cost, ahead);
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
        self.found = None;
        self.cut = false;
        self.terms.reset();
        self.visits = 0;
    }

    /// How many nodes the last run visited or, if there are more, found.
    pub(crate) fn explored(&self) -> u64 {
        self.visits.max(self.found_by.len() as u64)
    }

    /// Forgets the last run and finds the initial nodes.
    fn start<A: Automaton>(&mut self, problem: &Problem<'_, A>) -> Result<(), Late> {
        let trace = problem.question.trace;
        self.layout.arrange(problem.automaton.state_bound(), trace.iter().map(Vec::len));
        self.reset();
        for words in [&mut self.here, &mut self.candidate] {
            words.clear();
            words.resize(self.layout.words(), 0);
        }
        self.positions.clear();
        self.positions.resize(trace.len(), 0);
        let events = problem.question.event_count() as u64;
        let cost = problem.is_fair().then_some(events * OBSERVED_GAIN);
        let step = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        for &state in problem.automaton.initial().iter().rev() {
            let state = without_empty(problem, state)?;
            if let Some(ahead) = self.ahead(problem, state) {
                self.layout.pack(&mut self.candidate, state, &self.positions);
                self.discover((NO_NODE, step), cost, ahead);
            }
        }
        Ok(())
    }

    /// Lists the living successors of the node where the search is, the one to follow first last.
    fn collect<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        state: StateId,
    ) -> Result<(), Late> {
        self.successors.clear();
        let transitions = &*problem.automaton.outgoing(state)?;
        self.terms.touch_row(problem.automaton, state, transitions);
        match free_moves(problem, state, &self.positions, transitions)? {
            Some(FreeMoves::Event(letter, places)) => {
                // The only successor of a dead node may be dead, too. No other node leads to more of
                // them, so to ask at the next choice is soon enough. Tables of paper 003 count the
                // nodes that an analysis leaves.
                let forced =
                    places == FirstPlaces::One && problem.partial_order == PartialOrder::FreePlaces;
                let mut by_event = transitions.iter().rev().filter(|it| it.letter == letter);
                by_event.try_for_each(|transition| self.read_event(problem, transition, forced))
            }
            Some(FreeMoves::Beginning(location)) => {
                let monitor = problem.question.monitor;
                let own = |it: &&Transition| monitor.location_of(it.letter) == location;
                self.follow(problem, transitions.iter().rev().filter(own), false)
            }
            None => {
                let is_final = || problem.automaton.is_final(state);
                let forced = problem.question.is_forced(transitions.len(), is_final);
                self.follow(problem, transitions.iter().rev(), forced)
            }
        }
    }

    /// Lists the successors by transitions, with an event and without.
    fn follow<'t, A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        transitions: impl Iterator<Item = &'t Transition>,
        forced: bool,
    ) -> Result<(), Late> {
        for transition in transitions {
            self.go_unobserved(problem, transition, forced);
            if problem.question.reads(transition.letter, &self.positions) {
                self.read_event(problem, transition, forced)?;
            }
        }
        Ok(())
    }

    /// Lists a transition that no event stands for, where the observation mode allows it.
    fn go_unobserved<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        transition: &Transition,
        forced: bool,
    ) {
        let location = problem.question.monitor.location_of(transition.letter).index();
        if !problem.moves_unobserved(location, self.positions[location]) {
            return;
        }
        self.terms.touch(transition.to, problem.automaton.weight(transition.to));
        if self.is_too_heavy(problem, transition.to) {
            self.cut = true;
        } else if let Some(ahead) = self.ahead_unless(forced, problem, transition.to) {
            let &Transition { letter, to: state, .. } = transition;
            self.successors.push(Successor { state, read: None, letter, ahead });
        }
    }

    /// Lists a transition that reads the next event of its location.
    fn read_event<A: Automaton>(
        &mut self,
        problem: &Problem<'_, A>,
        transition: &Transition,
        forced: bool,
    ) -> Result<(), Late> {
        let &Transition { letter, to: mut state, .. } = transition;
        let location = problem.question.monitor.location_of(letter);
        if problem.removes(location.index(), self.positions[location.index()] + 1) {
            state = problem.automaton.forget(state, location)?;
        }
        self.positions[location.index()] += 1;
        self.terms.touch(state, problem.automaton.weight(state));
        if let Some(ahead) = self.ahead_unless(forced, problem, state) {
            self.successors.push(Successor { state, read: Some(location), letter, ahead });
        }
        self.positions[location.index()] -= 1;
        Ok(())
    }

    /// About how many bytes the search uses.
    fn bytes<A: Automaton>(&self, problem: &Problem<'_, A>) -> u64 {
        let of_node = size_of::<(u32, WitnessStep)>() + 2 * size_of::<u32>();
        let nodes = self.nodes.len() * size_of::<u64>()
            + self.found_by.len() * of_node
            + self.costs.len() * 3 * size_of::<u64>();
        nodes as u64 + self.terms.bytes() + problem.dead_ends.bytes()
    }

    fn is_too_heavy<A: Automaton>(&self, problem: &Problem<'_, A>, state: StateId) -> bool {
        problem.is_fair() && problem.automaton.weight(state) > problem.heaviest
    }

    /// If the rest of every local trace can be read from here, each for itself: how many unobserved moves that takes
    /// at least.
    fn ahead<A: Automaton>(&self, problem: &Problem<'_, A>, state: StateId) -> Option<u32> {
        problem.dead_ends.ahead(problem.question.monitor, state, &self.positions)
    }

    /// The same, without a look unless the search is fair.
    fn ahead_unless<A: Automaton>(
        &self,
        forced: bool,
        problem: &Problem<'_, A>,
        state: StateId,
    ) -> Option<u32> {
        if forced && !problem.is_fair() { Some(0) } else { self.ahead(problem, state) }
    }

    /// Adds the candidate unless it is known. With a cost it is followed once it is the cheapest;
    /// without a cost it is followed next.
    fn discover(&mut self, found_by: (u32, WitnessStep), cost: Option<u64>, ahead: u32) {
        let count = self.layout.words();
        let (nodes, candidate) = (&self.nodes, &self.candidate);
        let words = |node: u32| &nodes[node as usize * count..][..count];
        let entry = self.visited.entry(
            hash(candidate),
            |&node| words(node) == candidate.as_slice(),
            |&node| hash(words(node)),
        );
        if let Entry::Vacant(entry) = entry {
            let node = u32::try_from(self.found_by.len()).expect("budgets are below 2^32 nodes");
            entry.insert(node);
            self.nodes.extend_from_slice(&self.candidate);
            self.found_by.push(found_by);
            match cost {
                None => self.stack.push(node),
                Some(cost) => {
                    self.costs.push(cost);
                    let whole = cost + OBSERVED_GAIN * u64::from(ahead);
                    self.queue.push((Reverse(whole), node));
                }
            }
        }
    }

    /// After a search that was cut: of the nodes that it found, the positions of the one with the
    /// most events read, the last such positions in their order. Nodes that were not recorded are at
    /// most a few events further.
    pub(crate) fn furthest(&self) -> Vec<u32> {
        let mut furthest = self.positions.clone();
        let mut most = events_read(&furthest);
        let mut positions = furthest.clone();
        for words in self.nodes.chunks_exact(self.layout.words()) {
            self.layout.unpack(words, &mut positions);
            let read = events_read(&positions);
            if (read, &positions) > (most, &furthest) {
                most = read;
                furthest.copy_from_slice(&positions);
            }
        }
        furthest
    }

    /// After a search that found one: an accepted global trace. The problem must ask for it.
    pub(crate) fn witness<A: Automaton>(&self, problem: &Problem<'_, A>) -> Option<Witness> {
        let found = self.found.filter(|_| problem.witness)?;
        let words = self.layout.words();
        let state = self.layout.state_of(self.nodes[found as usize * words]);
        let mut steps: Vec<_> = self.path_found().1.into_iter().map(|(step, _)| step).collect();
        steps.extend(path_to_final(problem.automaton, state)?);
        Some(Witness { steps })
    }

    /// After a search that found one and recorded all nodes: the state at the beginning, and the steps on the way,
    /// each with the state after it.
    pub(crate) fn path_found(&self) -> (StateId, Vec<(WitnessStep, StateId)>) {
        let mut steps = Vec::new();
        let mut node = self.found.expect("one was found");
        loop {
            let state = self.layout.state_of(self.nodes[node as usize * self.layout.words()]);
            let (before, step) = self.found_by[node as usize];
            if before == NO_NODE {
                steps.reverse();
                return (state, steps);
            }
            steps.push((step, state));
            node = before;
        }
    }

    /// Counts nodes that another search has visited for this one.
    pub(crate) fn count(&mut self, visits: u64) {
        self.visits += visits;
    }
}

fn events_read(positions: &[u32]) -> u64 {
    positions.iter().map(|&position| u64::from(position)).sum()
}

/// Removes the locations that may act unobserved from the beginning, if the search removes
/// locations.
fn without_empty<A: Automaton>(problem: &Problem<'_, A>, state: StateId) -> Result<StateId, Late> {
    let Problem { question, automaton, .. } = problem;
    let mut locations = question.monitor.locations();
    locations.try_fold(state, |state, location| match problem.removes(location.index(), 0) {
        true => automaton.forget(state, location),
        false => Ok(state),
    })
}

/// Moves that a search follows alone: nothing is lost by it.
#[derive(Clone, Copy, Debug)]
enum FreeMoves {
    /// To read this event, whose action has free places.
    Event(LetterId, FirstPlaces),
    /// All moves of this location, whose log has not begun. All that can come first there has free places, and some of it
    /// must come, since the log is read after it.
    Beginning(LocationId),
}

/// Moves that are followed alone: an event that has a single place if there is one, else those with the fewest
/// transitions.
fn free_moves<A: Automaton>(
    problem: &Problem<'_, A>,
    state: StateId,
    positions: &[u32],
    transitions: &[Transition],
) -> Result<Option<FreeMoves>, Late> {
    if problem.partial_order == PartialOrder::Off {
        return Ok(None);
    }
    let question = &problem.question;
    let is_slice = question.observation == Observation::Slice;
    let mut fewest: Option<(usize, FreeMoves)> = None;
    let mut offer = |count: usize, moves: FreeMoves| {
        if fewest.is_none_or(|(fewest, _)| count < fewest) {
            fewest = Some((count, moves));
        }
    };
    for alike in transitions.chunk_by(|a, b| a.letter == b.letter) {
        let letter = alike[0].letter;
        let location = question.monitor.location_of(letter);
        if is_slice && positions[location.index()] == 0 {
            if let Some(count) = free_beginning(problem, state, location, transitions)? {
                offer(count, FreeMoves::Beginning(location));
            }
            continue;
        }
        if !question.reads(letter, positions) {
            continue;
        }
        match problem.automaton.first_places(state, letter, location)? {
            FirstPlaces::One => return Ok(Some(FreeMoves::Event(letter, FirstPlaces::One))),
            places @ FirstPlaces::Several => offer(alike.len(), FreeMoves::Event(letter, places)),
            FirstPlaces::None | FirstPlaces::Behind => {}
        }
    }
    let is_free = problem.partial_order == PartialOrder::FreePlaces;
    Ok(fewest.filter(|_| is_free).map(|(_, moves)| moves))
}

/// Where more transitions than this start, beginnings are not looked for: to look takes the square of their number.
const MOST_MOVES: usize = 128;

/// How many of the transitions a location does, if all that can come first there has free places, and some of it must
/// come.
fn free_beginning<A: Automaton>(
    problem: &Problem<'_, A>,
    state: StateId,
    location: LocationId,
    transitions: &[Transition],
) -> Result<Option<usize>, Late> {
    let question = &problem.question;
    let is_empty = question.trace[location.index()].is_empty();
    if problem.partial_order != PartialOrder::FreePlaces
        || transitions.len() > MOST_MOVES
        || is_empty
        || !problem.automaton.begins_freely(state, location)?
    {
        return Ok(None);
    }
    let own = |it: &&Transition| question.monitor.location_of(it.letter) == location;
    Ok(Some(transitions.iter().filter(own).count()))
}

/// Whether everything is explained, and a path may stop here.
fn is_goal<A: Automaton>(problem: &Problem<'_, A>, state: StateId, positions: &[u32]) -> bool {
    let Problem { question, automaton, .. } = problem;
    question.may_stop(|| automaton.is_final(state), || automaton.is_between_steps(state))
        && question.is_read(positions)
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in words {
        hasher.write_u64(word);
    }
    hasher.finish()
}
