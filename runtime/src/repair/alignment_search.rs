//! The search for a cheapest way through all logs and the automaton.
//
// Idea: A* in levels. A level holds the nodes whose cost and estimate add up to it, and is searched
// to its end before the next one begins; within it the node with the most events passed comes
// first. Successors that belong to a later level are not made: their node waits in the queue for
// the first of these levels and is then looked at again. The levels behind the last one are never
// made, and they would hold most nodes.
//
// Events are deleted together with a move: in front of the next event that a transition reads, or
// at the end of the logs. To read a later event of the same letter instead would cost the same, or
// more. Where a log may go on unobserved, its rest can also be deleted alone.
//
// Invariant: the stack of a level is sorted by events passed, since a node's successors have passed
// at least as many, and no other node on the stack has passed more. A node is taken up again if a
// cheaper way to it is found; with estimates that are consistent this never happens.
//
// Cost: one word and one look-up for each node of the levels up to the distance, plus the estimates
// of their successors: a load per location.

mod least_path;

use self::least_path::LeastPath;
use crate::automaton::{Automaton, Late};
use crate::budget::TermMeter;
use crate::repair::cost::Cost;
use crate::repair::estimate::Estimate;
use crate::repair::node_arena::{Move, NO_NODE, NodeArena, Way};
use crate::repair::problem::AlignmentProblem;
use crate::search::node_layout::NodeLayout;
use crate::search::problem::Unobserved;
use multitrace_interaction::{Id, LetterId, LocationId, StateId, Transition};
use std::collections::BTreeMap;

/// The distance that a search found, and its lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Distance {
    /// A lower bound of the least cost.
    pub(crate) least: u64,
    /// The cost of the path that the search found; `None` if it found none.
    pub(crate) found: Option<u64>,
}

impl Distance {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Distance = Distance { least: 0, found: None };

    /// The same with another lower bound.
    pub(crate) fn at_least(self, least: u64) -> Distance {
        Distance { least: self.least.max(least), ..self }
    }

    /// Whether the path is a cheapest one.
    pub(crate) fn is_exact(self) -> bool {
        self.found == Some(self.least)
    }
}

/// A node that waits for its level.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    node: u32,
    /// The cost of the node when it was queued; if it is lower now, the node was queued again.
    cost: Cost,
    /// Successors of lower levels were made before.
    from: Cost,
}

/// A successor of the node where the search is, of the current level or a lower one.
#[derive(Clone, Copy, Debug)]
struct Successor {
    to: StateId,
    location: u32,
    /// How many events it passes.
    passes: u32,
    /// The cost of the way to it.
    cost: Cost,
    by: Move,
}

/// More lists of nodes than this are not kept for the next session: most have nodes of a few levels (an estimate).
const MOST_SPARE: usize = 64;

/// How many visits the choice of a way takes at most for each visit of the search before it (an estimate).
const VISITS_OF_A_CHOICE: u64 = 64;

/// How many visits a straight way may take beside two for each event (an estimate).
const VISITS_OF_A_STRAIGHT_WAY: u64 = 32;

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct AlignmentSearch {
    layout: NodeLayout,
    arena: NodeArena,
    /// The nodes of the current level that are left, and those of the levels behind it.
    stack: Vec<Waiting>,
    queue: BTreeMap<Cost, Vec<Waiting>>,
    queued: usize,
    /// Lists of nodes whose memory is used again.
    spare: Vec<Vec<Waiting>>,
    level: Cost,
    /// The level of the first move that was not followed because it led to too large a term.
    cut: Option<Cost>,
    terms: TermMeter,
    visits: u64,
    /// The node where the search is.
    positions: Vec<u32>,
    successors: Vec<Successor>,
    /// The least level behind the current one that has a successor of it.
    later: Option<Cost>,
    /// Successors of lower levels than this were made before.
    from: Cost,
    candidate: Vec<u64>,
    path: Vec<Move>,
    least: LeastPath,
}

impl AlignmentSearch {
    /// The moves of the way that the last run found.
    pub(crate) fn path(&self) -> &[Move] {
        &self.path
    }

    /// The distance after the levels below the current one were searched: exact if a path leads to a node, else a lower
    /// bound.
    fn distance(&self, end: Option<u32>) -> Distance {
        let least = self.cut.map_or(self.level, |cut| cut.min(self.level));
        Distance { least: least.edits(), found: end.map(|_| self.level.edits()) }
    }

    /// The next node: of the current level, or of the first one behind it that has some.
    fn next(&mut self) -> Option<Waiting> {
        if self.stack.is_empty() {
            self.begin_level();
        }
        self.stack.pop()
    }

    /// Takes the current level from the queue, the nodes with the most events passed last.
    fn begin_level(&mut self) {
        let Some((level, nodes)) = self.queue.pop_first() else { return };
        self.level = level;
        self.spare.push(std::mem::replace(&mut self.stack, nodes));
        self.queued -= self.stack.len();
        let arena = &self.arena;
        self.stack.sort_unstable_by_key(|w| (arena.way(w.node).passed, w.node, w.from));
    }

    /// Queues a node for a level that is not below the current one.
    fn wait(&mut self, waiting: Waiting, level: Cost) {
        let spare = &mut self.spare;
        let nodes = self.queue.entry(level).or_insert_with(|| spare.pop().unwrap_or_default());
        nodes.push(waiting);
        self.queued += 1;
    }

    /// Notes a level behind the current one that has a successor of the node.
    fn postpone(&mut self, level: Cost) {
        self.later = Some(self.later.map_or(level, |later| later.min(level)));
    }

    /// Keeps a successor of the current level; notes the level of one that belongs to a later one.
    #[inline]
    fn offer(&mut self, successor: Successor, at: Cost) {
        let level = successor.cost + at;
        if level > self.level {
            self.postpone(level);
        } else if level >= self.from {
            self.successors.push(successor);
        }
    }

    /// Puts the successors of a node on the stack, except those to which no cheaper way is known:
    /// the first one with the most events passed comes next.
    fn record(&mut self, from: u32, passed: u32) {
        self.successors.reverse();
        self.successors.sort_by_key(|successor| successor.passes);
        for &Successor { to, location, passes, cost, by } in &self.successors {
            self.candidate.copy_from_slice(self.arena.words(from));
            self.layout.pass(&mut self.candidate, to, location as usize, passes);
            let way = Way { from, by, cost, passed: passed + passes };
            if let Some(node) = self.arena.offer(&self.candidate, way) {
                self.stack.push(Waiting { node, cost, from: Cost::ZERO });
            }
        }
    }

    /// Keeps the moves that lead to a node.
    fn trace_back(&mut self, mut node: u32) {
        while node != NO_NODE {
            let way = self.arena.way(node);
            self.path.push(way.by);
            node = way.from;
        }
        self.path.reverse();
    }

    fn bytes(&self) -> u64 {
        let waiting = self.queued + self.stack.len();
        self.arena.bytes() + (waiting * size_of::<Waiting>()) as u64 + self.terms.bytes()
    }
}

/// A search of one problem.
pub(crate) struct AlignmentRun<'r, 'p, A, E> {
    pub(crate) search: &'r mut AlignmentSearch,
    pub(crate) problem: &'r AlignmentProblem<'p, A>,
    pub(crate) estimate: &'r mut E,
}

impl<A: Automaton, E: Estimate> AlignmentRun<'_, '_, A, E> {
    /// Searches until the cheapest way is found, or the allowance is spent.
    pub(crate) fn run(&mut self) -> Distance {
        if let Err(Late) = self.start() {
            return Distance::UNKNOWN;
        }
        if self.walk_straight() {
            let edits = self.search.level.edits();
            return Distance { least: edits, found: Some(edits) };
        }
        let found = self.search();
        if found.found.is_some() {
            self.choose(VISITS_OF_A_CHOICE * (self.search.visits + 1));
        }
        found
    }

    /// Looks for a way that costs as much as the estimate of the first nodes. No way costs less, so the first one found is a
    /// least one; most sessions with a log that is impossible alone have one. False if there is no such way, or finding it
    /// would take long.
    fn walk_straight(&mut self) -> bool {
        // A session that fails has no way that costs nothing.
        if self.search.level == Cost::ZERO {
            return false;
        }
        let events = |location| self.problem.logs.log(location).len() as u64;
        let most = VISITS_OF_A_STRAIGHT_WAY
            + 2 * (0..self.problem.logs.locations()).map(events).sum::<u64>();
        let (cut, found) = (self.search.cut, self.choose(most));
        self.search.cut = cut;
        found
    }

    fn search(&mut self) -> Distance {
        while let Some(waiting) = self.search.next() {
            if self.search.arena.way(waiting.node).cost != waiting.cost {
                continue;
            }
            self.search.visits += 1;
            let bytes = || self.search.bytes() + self.estimate.bytes();
            if self.problem.allowance.spent(self.search.visits, bytes).is_some() {
                return self.search.distance(None);
            }
            match self.visit(waiting) {
                Err(Late) => return self.search.distance(None),
                Ok(false) => {}
                Ok(true) => {
                    self.search.trace_back(waiting.node);
                    return self.search.distance(Some(waiting.node));
                }
            }
        }
        self.search.distance(None)
    }

    /// Forgets the last run and queues the initial nodes.
    fn start(&mut self) -> Result<(), Late> {
        let lengths = (0..self.problem.logs.locations())
            .map(|location| self.problem.logs.log(location).len());
        let search = &mut *self.search;
        search.layout.arrange(self.problem.automaton.state_bound(), lengths);
        search.arena.begin(search.layout.words());
        search.stack.clear();
        search.spare.extend(std::mem::take(&mut search.queue).into_values());
        search.spare.iter_mut().for_each(Vec::clear);
        search.spare.truncate(MOST_SPARE);
        (search.queued, search.cut, search.visits) = (0, None, 0);
        search.terms.reset();
        search.path.clear();
        search.candidate.clear();
        search.candidate.resize(search.layout.words(), 0);
        search.positions.clear();
        search.positions.resize(self.problem.logs.locations(), 0);
        self.queue_initial()
    }

    fn queue_initial(&mut self) -> Result<(), Late> {
        self.estimate.load(&self.search.positions);
        let initial = self.problem.automaton.initial().iter();
        let states: Vec<_> = initial
            .map(|&state| without_silent(self.problem, state))
            .collect::<Result<_, Late>>()?;
        self.search.level =
            states.iter().map(|&state| self.estimate.at(state)).min().unwrap_or_default();
        for state in states.into_iter().rev() {
            self.search.layout.pack(&mut self.search.candidate, state, &self.search.positions);
            let way = Way { from: NO_NODE, by: Move::Start, cost: Cost::ZERO, passed: 0 };
            if let Some(node) = self.search.arena.offer(&self.search.candidate, way) {
                let level = self.estimate.at(state);
                self.search.wait(Waiting { node, cost: Cost::ZERO, from: Cost::ZERO }, level);
            }
        }
        self.search.begin_level();
        Ok(())
    }

    /// Makes the successors of a node that belong to the current level; true if the node can be the
    /// last one instead.
    fn visit(&mut self, waiting: Waiting) -> Result<bool, Late> {
        let state = self
            .search
            .layout
            .unpack(self.search.arena.words(waiting.node), &mut self.search.positions);
        let way = *self.search.arena.way(waiting.node);
        self.search.later = None;
        self.search.from = waiting.from;
        self.search.successors.clear();
        if self.expand(state, &way)? {
            return Ok(true);
        }
        self.search.record(waiting.node, way.passed);
        if let Some(later) = self.search.later {
            self.search.wait(Waiting { from: self.search.level.next(), ..waiting }, later);
        }
        Ok(false)
    }

    /// Adds the successors of a node at the current positions that belong to the current level; true if the node can be
    /// the last one instead.
    fn expand(&mut self, state: StateId, way: &Way) -> Result<bool, Late> {
        if self.problem.logs.may_stop_anywhere() || self.problem.automaton.is_final(state) {
            let rest = |(location, &at): (usize, &u32)| {
                self.problem.logs.deletion(
                    location,
                    at,
                    self.problem.logs.log(location).len() as u32,
                )
            };
            let end = way.cost + self.search.positions.iter().enumerate().map(rest).sum();
            if end <= self.search.level {
                return Ok(true);
            }
            self.search.postpone(end);
        }
        self.estimate.load(&self.search.positions);
        self.collect(state, way)?;
        self.skip(state, way)?;
        Ok(false)
    }

    /// The successors by the transitions of a state.
    fn collect(&mut self, state: StateId, way: &Way) -> Result<(), Late> {
        for transition in &*self.problem.automaton.outgoing(state)? {
            let Transition { letter, to, .. } = *transition;
            self.search.terms.touch(to, self.problem.automaton.weight(to));
            let location = self.problem.monitor.location_of(letter).index();
            let position = self.search.positions[location];
            if self.problem.logs.is_open(location, position) {
                let at = self.estimate.at(to);
                if self.problem.automaton.weight(to) > self.problem.heaviest {
                    let level = self.search.level.max(way.cost + at);
                    self.search.cut = Some(self.search.cut.map_or(level, |cut| cut.min(level)));
                } else {
                    let (location, by) = (location as u32, Move::Unobserved);
                    self.search
                        .offer(Successor { to, location, passes: 0, cost: way.cost, by }, at);
                }
            } else {
                self.insert((letter, to, location), way);
            }
            self.read((letter, to, location), way)?;
        }
        Ok(())
    }

    /// The successors that insert a letter.
    fn insert(&mut self, (letter, to, location): (LetterId, StateId, usize), way: &Way) {
        let zone = self.problem.logs.zone(location, self.search.positions[location]);
        let cost = way.cost + zone.insertion();
        // The cost of the rest counts once the level is reached.
        match cost > self.search.level {
            true => self.search.postpone(cost),
            false => {
                let (at, by) = (self.estimate.at(to), Move::Insert(letter, 0));
                let location = location as u32;
                self.search.offer(Successor { to, location, passes: 0, cost, by }, at);
            }
        }
        self.insert_at_evidence_end((letter, to, location), way);
    }

    /// The successor that deletes all events up to where the evidence ends and inserts there, which contradicts the
    /// evidence once less than to insert before them.
    fn insert_at_evidence_end(
        &mut self,
        (letter, to, location): (LetterId, StateId, usize),
        way: &Way,
    ) {
        let position = self.search.positions[location];
        let end = self.problem.logs.evidence(location).filter(|&end| position < end);
        let Some(end) = end else { return };
        let deletion = self.problem.logs.deletion(location, position, end);
        let cost = way.cost + deletion + self.problem.logs.zone(location, end).insertion();
        if cost > self.search.level {
            return self.search.postpone(cost);
        }
        let passes = end - position;
        let at = self.estimate.moved(to, location, end);
        let by = Move::Insert(letter, passes);
        self.search.offer(Successor { to, location: location as u32, passes, cost, by }, at);
    }

    /// The successors that read an event with a letter: the next one, and if that one is accused, the one after it.
    fn read(
        &mut self,
        (letter, to, location): (LetterId, StateId, usize),
        way: &Way,
    ) -> Result<(), Late> {
        let log = self.problem.logs.log(location);
        let end = self.problem.logs.evidence(location);
        let position = self.search.positions[location];
        for (event, &next) in (position..).zip(&log[position as usize..]) {
            let deleted = way.cost + self.problem.logs.deletion(location, position, event);
            if deleted > self.search.level {
                self.search.postpone(deleted);
                break;
            }
            if next == letter {
                let passes = event + 1 - position;
                let to = settle(self.problem, to, location, event + 1)?;
                let at = self.estimate.moved(to, location, event + 1);
                let by = Move::Read(letter, passes - 1);
                let cost = deleted + self.problem.logs.zone(location, event).reading();
                self.search
                    .offer(Successor { to, location: location as u32, passes, cost, by }, at);
                if end != Some(event) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The successors that delete the rest of a log which may go on unobserved.
    fn skip(&mut self, state: StateId, way: &Way) -> Result<(), Late> {
        if !self.problem.logs.may_stop_anywhere() {
            return Ok(());
        }
        for location in 0..self.search.positions.len() {
            let length = self.problem.logs.log(location).len() as u32;
            let position = self.search.positions[location];
            let left = length - position;
            let cost = way.cost + self.problem.logs.deletion(location, position, length);
            if cost > self.search.level {
                self.search.postpone(cost);
            } else if left > 0 {
                let to = settle(self.problem, state, location, length)?;
                let at = self.estimate.moved(to, location, length);
                let location = location as u32;
                let by = Move::Skip(location);
                self.search.offer(Successor { to, location, passes: left, cost, by }, at);
            }
        }
        Ok(())
    }
}

/// The state after a location has reached a position: without the location if the search removes
/// those that may go on unobserved.
fn settle<A: Automaton>(
    problem: &AlignmentProblem<'_, A>,
    state: StateId,
    location: usize,
    position: u32,
) -> Result<StateId, Late> {
    let is_over = problem.unobserved == Unobserved::Removed
        && problem.logs.may_go_on(location)
        && problem.logs.log(location).len() == position as usize;
    if is_over { problem.automaton.forget(state, LocationId::new(location)) } else { Ok(state) }
}

/// A state without the locations that have no events and may go on, if the search removes those.
fn without_silent<A: Automaton>(
    problem: &AlignmentProblem<'_, A>,
    state: StateId,
) -> Result<StateId, Late> {
    let mut locations = 0..problem.logs.locations();
    locations.try_fold(state, |state, location| settle(problem, state, location, 0))
}
