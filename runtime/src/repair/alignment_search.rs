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
    /// Searches until the cheapest way is found, or the allowance is spent.
    pub(crate) fn run<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
    ) -> Distance {
        if let Err(Late) = self.start(problem, estimate) {
            return Distance::UNKNOWN;
        }
        if self.walk_straight(problem, estimate) {
            let edits = self.level.edits();
            return Distance { least: edits, found: Some(edits) };
        }
        let found = self.search(problem, estimate);
        if found.found.is_some() {
            self.choose(problem, estimate, VISITS_OF_A_CHOICE * (self.visits + 1));
        }
        found
    }

    /// Looks for a way that costs as much as the estimate of the first nodes, which no way is below: most sessions with a
    /// log that alone is impossible have one, and then it is the least one, too. False if there is none, or it would take
    /// long.
    fn walk_straight<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
    ) -> bool {
        // A session that fails has no way that costs nothing.
        if self.level == Cost::ZERO {
            return false;
        }
        let events = |location| problem.logs.log(location).len() as u64;
        let most =
            VISITS_OF_A_STRAIGHT_WAY + 2 * (0..problem.logs.locations()).map(events).sum::<u64>();
        let (cut, found) = (self.cut, self.choose(problem, estimate, most));
        self.cut = cut;
        found
    }

    fn search<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
    ) -> Distance {
        while let Some(waiting) = self.next() {
            if self.arena.way(waiting.node).cost != waiting.cost {
                continue;
            }
            self.visits += 1;
            let bytes = || self.bytes() + estimate.bytes();
            if problem.allowance.spent(self.visits, bytes).is_some() {
                return self.distance(None);
            }
            match self.visit(problem, estimate, waiting) {
                Err(Late) => return self.distance(None),
                Ok(false) => {}
                Ok(true) => {
                    self.trace_back(waiting.node);
                    return self.distance(Some(waiting.node));
                }
            }
        }
        self.distance(None)
    }

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

    /// Forgets the last run and queues the initial nodes.
    fn start<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
    ) -> Result<(), Late> {
        let lengths =
            (0..problem.logs.locations()).map(|location| problem.logs.log(location).len());
        self.layout.arrange(problem.automaton.state_bound(), lengths);
        self.arena.begin(self.layout.words());
        self.stack.clear();
        self.spare.extend(std::mem::take(&mut self.queue).into_values());
        self.spare.iter_mut().for_each(Vec::clear);
        self.spare.truncate(MOST_SPARE);
        (self.queued, self.cut, self.visits) = (0, None, 0);
        self.terms.reset();
        self.path.clear();
        self.candidate.clear();
        self.candidate.resize(self.layout.words(), 0);
        self.positions.clear();
        self.positions.resize(problem.logs.locations(), 0);
        self.queue_initial(problem, estimate)
    }

    fn queue_initial<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
    ) -> Result<(), Late> {
        estimate.load(&self.positions);
        let initial = problem.automaton.initial().iter();
        let states: Vec<_> =
            initial.map(|&state| without_silent(problem, state)).collect::<Result<_, Late>>()?;
        self.level = states.iter().map(|&state| estimate.at(state)).min().unwrap_or_default();
        for state in states.into_iter().rev() {
            self.layout.pack(&mut self.candidate, state, &self.positions);
            let way = Way { from: NO_NODE, by: Move::Start, cost: Cost::ZERO, passed: 0 };
            if let Some(node) = self.arena.offer(&self.candidate, way) {
                let level = estimate.at(state);
                self.wait(Waiting { node, cost: Cost::ZERO, from: Cost::ZERO }, level);
            }
        }
        self.begin_level();
        Ok(())
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

    /// Makes the successors of a node that belong to the current level; true if the node can be the
    /// last one instead.
    fn visit<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        waiting: Waiting,
    ) -> Result<bool, Late> {
        let state = self.layout.unpack(self.arena.words(waiting.node), &mut self.positions);
        let way = *self.arena.way(waiting.node);
        self.later = None;
        self.from = waiting.from;
        self.successors.clear();
        if self.expand(problem, estimate, state, &way)? {
            return Ok(true);
        }
        self.record(waiting.node, way.passed);
        if let Some(later) = self.later {
            self.wait(Waiting { from: self.level.next(), ..waiting }, later);
        }
        Ok(false)
    }

    /// Adds the successors of a node at the current positions that belong to the current level; true if the node can be
    /// the last one instead.
    fn expand<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        state: StateId,
        way: &Way,
    ) -> Result<bool, Late> {
        if problem.logs.may_stop_anywhere() || problem.automaton.is_final(state) {
            let rest = |(location, &at): (usize, &u32)| {
                problem.logs.deletion(location, at, problem.logs.log(location).len() as u32)
            };
            let end = way.cost + self.positions.iter().enumerate().map(rest).sum();
            if end <= self.level {
                return Ok(true);
            }
            self.postpone(end);
        }
        estimate.load(&self.positions);
        self.collect(problem, estimate, state, way)?;
        self.skip(problem, estimate, state, way)?;
        Ok(false)
    }

    /// Notes a level behind the current one that has a successor of the node.
    fn postpone(&mut self, level: Cost) {
        self.later = Some(self.later.map_or(level, |later| later.min(level)));
    }

    /// The successors by the transitions of a state.
    fn collect<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        state: StateId,
        way: &Way,
    ) -> Result<(), Late> {
        for transition in &*problem.automaton.outgoing(state)? {
            let Transition { letter, to, .. } = *transition;
            self.terms.touch(to, problem.automaton.weight(to));
            let location = problem.monitor.location_of(letter).index();
            let position = self.positions[location];
            if problem.logs.is_open(location, position) {
                let at = estimate.at(to);
                if problem.automaton.weight(to) > problem.heaviest {
                    let level = self.level.max(way.cost + at);
                    self.cut = Some(self.cut.map_or(level, |cut| cut.min(level)));
                } else {
                    let (location, by) = (location as u32, Move::Unobserved);
                    self.offer(Successor { to, location, passes: 0, cost: way.cost, by }, at);
                }
            } else {
                self.insert(problem, estimate, (letter, to, location), way);
            }
            self.read(problem, estimate, (letter, to, location), way)?;
        }
        Ok(())
    }

    /// The successors that insert a letter.
    fn insert<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        (letter, to, location): (LetterId, StateId, usize),
        way: &Way,
    ) {
        let zone = problem.logs.zone(location, self.positions[location]);
        let cost = way.cost + zone.insertion();
        // The cost of the rest counts once the level is reached.
        match cost > self.level {
            true => self.postpone(cost),
            false => {
                let (at, by) = (estimate.at(to), Move::Insert(letter, 0));
                let location = location as u32;
                self.offer(Successor { to, location, passes: 0, cost, by }, at);
            }
        }
        self.insert_at_evidence_end(problem, estimate, (letter, to, location), way);
    }

    /// The successor that deletes all events up to where the evidence ends and inserts there, which contradicts the
    /// evidence once less than to insert before them.
    fn insert_at_evidence_end<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        (letter, to, location): (LetterId, StateId, usize),
        way: &Way,
    ) {
        let position = self.positions[location];
        let end = problem.logs.evidence(location).filter(|&end| position < end);
        let Some(end) = end else { return };
        let deletion = problem.logs.deletion(location, position, end);
        let cost = way.cost + deletion + problem.logs.zone(location, end).insertion();
        if cost > self.level {
            return self.postpone(cost);
        }
        let passes = end - position;
        let at = estimate.moved(to, location, end);
        let by = Move::Insert(letter, passes);
        self.offer(Successor { to, location: location as u32, passes, cost, by }, at);
    }

    /// The successors that read an event with a letter: the next one, and if that one is accused, the one after it.
    fn read<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        (letter, to, location): (LetterId, StateId, usize),
        way: &Way,
    ) -> Result<(), Late> {
        let log = problem.logs.log(location);
        let end = problem.logs.evidence(location);
        let position = self.positions[location];
        for (event, &next) in (position..).zip(&log[position as usize..]) {
            let deleted = way.cost + problem.logs.deletion(location, position, event);
            if deleted > self.level {
                self.postpone(deleted);
                break;
            }
            if next == letter {
                let passes = event + 1 - position;
                let to = settle(problem, to, location, event + 1)?;
                let at = estimate.moved(to, location, event + 1);
                let by = Move::Read(letter, passes - 1);
                let cost = deleted + problem.logs.zone(location, event).reading();
                self.offer(Successor { to, location: location as u32, passes, cost, by }, at);
                if end != Some(event) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The successors that delete the rest of a log which may go on unobserved.
    fn skip<A: Automaton, E: Estimate>(
        &mut self,
        problem: &AlignmentProblem<'_, A>,
        estimate: &mut E,
        state: StateId,
        way: &Way,
    ) -> Result<(), Late> {
        if !problem.logs.may_stop_anywhere() {
            return Ok(());
        }
        for location in 0..self.positions.len() {
            let length = problem.logs.log(location).len() as u32;
            let position = self.positions[location];
            let left = length - position;
            let cost = way.cost + problem.logs.deletion(location, position, length);
            if cost > self.level {
                self.postpone(cost);
            } else if left > 0 {
                let to = settle(problem, state, location, length)?;
                let at = estimate.moved(to, location, length);
                let location = location as u32;
                let by = Move::Skip(location);
                self.offer(Successor { to, location, passes: left, cost, by }, at);
            }
        }
        Ok(())
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
