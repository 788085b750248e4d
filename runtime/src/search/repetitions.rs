//! Unobserved actions on terms with as many repetitions of loops as a session can need: an exact search where they may be
//! endless.
//
// Idea: of the accepted traces that explain the logs, take one with the fewest repetitions of loops. Each of them has an
// observed action. Else the whole repetition could be taken out: the loops of all kinds order the repetitions that are left
// as before, since weak, strict and parallel sequencing and co-regions order each pair of them alone, and a head-first
// loop orders their first actions, which stay in order; and the logs are explained as before, since each is still
// a beginning of the log of its location, or in one piece, or all of it. An action is part of `depth` repetitions at most, one for each loop
// around it. So after `r` of `n` events are read, at most `depth * (n - r)` further repetitions begin.
//
// A node carries how many may still begin. Of two equal nodes the one that allows more reaches all that the other
// reaches, so that nodes are kept once, and visited again when they are found with more. Those before which the fewest
// repetitions began unobserved come first, and of these the last one found: an answer is mostly near.
//
// Invariant: an interleaving that is found is accepted, and a session is accepted only if one is found: the term
// has finitely many actions outside loops, so that there are finitely many nodes.
//
// The same search serves sessions whose events are partly in no order, on compiled automata, too: their positions are cuts
// (`tied_logs.rs`), and a letter may lead to several.
//
// Cost: up to the size of the graph, which grows with the repetitions that may be unfinished at once. Nodes are keys of a map,
// and transitions are derived once for each term.

use crate::automaton::{Automaton, Late};
use crate::budget::TermMeter;
use crate::search::outcome::SearchOutcome;
use crate::search::path_to_final::path_to_final;
use crate::search::problem::{Problem, furthest};
use crate::tied_logs::TiedLogs;
use indexmap::IndexMap;
use indexmap::map::Entry;
use multitrace_interaction::{Id, LetterId, StateId, Transition, Witness, WitnessStep};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A state, and per location how many events were read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NodeKey {
    state: StateId,
    positions: Box<[u32]>,
}

/// The best way to a node so far.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// The node before it, and the action in between.
    from: (usize, WitnessStep),
    /// How many repetitions may still begin.
    allowed: u64,
    /// How many began with an unobserved action.
    begun: usize,
    is_visited: bool,
}

/// Transitions with the repetitions that they begin.
type Row = Rc<[(Transition, u32)]>;

/// The search of one session.
pub(crate) struct RepetitionSearch<'a, 'p, A> {
    problem: &'a Problem<'p, A>,
    /// The deepest nesting of loops.
    depth: u64,
    events: u64,
    nodes: IndexMap<NodeKey, Way, FxBuildHasher>,
    /// Nodes to visit, by the number of repetitions that began unobserved.
    todo: BTreeMap<usize, Vec<usize>>,
    rows: FxHashMap<StateId, Row>,
    bytes_of_rows: usize,
    visits: u64,
    terms: TermMeter,
    /// The node where everything is explained.
    found: Option<usize>,
}

/// The predecessor of initial nodes.
const NO_NODE: usize = usize::MAX;

impl<'a, 'p, A: Automaton> RepetitionSearch<'a, 'p, A> {
    pub(crate) fn new(problem: &'a Problem<'p, A>) -> RepetitionSearch<'a, 'p, A> {
        let automaton = problem.automaton;
        let depths = automaton.initial().iter().map(|&state| automaton.loop_depth(state));
        RepetitionSearch {
            problem,
            depth: depths.max().unwrap_or(0),
            events: problem.question.event_count() as u64,
            nodes: IndexMap::default(),
            todo: BTreeMap::new(),
            rows: FxHashMap::default(),
            bytes_of_rows: 0,
            visits: 0,
            terms: TermMeter::default(),
            found: None,
        }
    }

    pub(crate) fn run(&mut self) -> SearchOutcome {
        let none = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        for &state in self.problem.automaton.initial() {
            let positions = vec![0; self.problem.question.trace.len()].into();
            let allowed = self.depth.saturating_mul(self.events);
            let way = Way { from: (NO_NODE, none), allowed, begun: 0, is_visited: false };
            self.discover(NodeKey { state, positions }, way);
        }
        while let Some(index) = self.next() {
            let allowance = &self.problem.question.allowance;
            if let Some(spent) = allowance.spent(self.visits, || self.bytes()) {
                return SearchOutcome::Spent(spent);
            }
            self.visits += 1;
            let Some((key, way)) = self.nodes.get_index_mut(index) else { continue };
            way.is_visited = true;
            let (key, way) = (key.clone(), *way);
            if self.is_goal(&key) {
                self.found = Some(index);
                return SearchOutcome::Found;
            }
            if let Err(Late) = self.expand(index, &key, way) {
                return SearchOutcome::Spent(self.problem.question.allowance.time_spent());
            }
        }
        SearchOutcome::Exhausted
    }

    /// How many nodes were visited, again or for the first time.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// The next node to visit.
    fn next(&mut self) -> Option<usize> {
        while let Some(mut first) = self.todo.first_entry() {
            let Some(index) = first.get_mut().pop() else {
                first.remove();
                continue;
            };
            // One that was found again waits in two places.
            if self.nodes.get_index(index).is_some_and(|(_, way)| !way.is_visited) {
                return Some(index);
            }
        }
        None
    }

    /// Whether everything is explained at a node.
    fn is_goal(&self, NodeKey { state, positions }: &NodeKey) -> bool {
        let Problem { question, automaton, .. } = self.problem;
        let mut locations = positions.iter().zip(question.trace).enumerate();
        locations.all(|(at, (&it, log))| question.read_until(at, it) as usize == log.len())
            && question
                .may_stop(|| automaton.is_final(*state), || automaton.is_between_steps(*state))
    }

    /// How many events are read at a node.
    fn read_until(&self, positions: &[u32]) -> u64 {
        let question = &self.problem.question;
        let read = |(at, &it): (usize, &u32)| u64::from(question.read_until(at, it));
        positions.iter().enumerate().map(read).sum()
    }

    fn expand(&mut self, from: usize, key: &NodeKey, way: Way) -> Result<(), Late> {
        let row = self.row(key.state)?;
        let read = self.read_until(&key.positions) + 1;
        for &(transition, loops) in row.iter().rev() {
            self.terms.touch(transition.to, self.problem.automaton.weight(transition.to));
            let Some(allowed) = way.allowed.checked_sub(u64::from(loops)) else { continue };
            let problem = self.problem;
            let question = &problem.question;
            let (letter, state) = (transition.letter, transition.to);
            let location = question.monitor.location_of(letter).index();
            let position = key.positions[location];
            let until = question.read_until(location, position);
            if question.may_go_unobserved(location, until) {
                let from = (from, WitnessStep { letter, observed: false });
                let begun = way.begun + loops as usize;
                let way = Way { from, allowed, begun, is_visited: false };
                self.discover(NodeKey { state, positions: key.positions.clone() }, way);
            }
            question.each_after((location, position), letter, |to| {
                let mut positions = key.positions.clone();
                positions[location] = to;
                let allowed = allowed.min(self.depth.saturating_mul(self.events - read));
                let from = (from, WitnessStep { letter, observed: true });
                self.discover(
                    NodeKey { state, positions },
                    Way { from, allowed, is_visited: false, ..way },
                );
            });
        }
        Ok(())
    }

    /// The transitions of a state.
    fn row(&mut self, state: StateId) -> Result<Row, Late> {
        if let Some(row) = self.rows.get(&state) {
            return Ok(Rc::clone(row));
        }
        let automaton = self.problem.automaton;
        let mut row = automaton.transitions_with_loops(state)?;
        if self.problem.question.tied.is_some() {
            // Derivatives come in an order that other sessions decide, and the order that is found is told.
            row.sort_by_key(|(it, loops)| (*loops, automaton.weight(it.to), it.letter));
        }
        let row: Row = row.into();
        self.bytes_of_rows += size_of_val(&*row) + size_of::<(StateId, Row)>();
        self.rows.insert(state, Rc::clone(&row));
        Ok(row)
    }

    /// Keeps a node that is new or allows more than before, unless some log cannot be read to its end from it.
    fn discover(&mut self, key: NodeKey, way: Way) {
        let begun = way.begun;
        let index = match self.nodes.entry(key) {
            Entry::Occupied(mut known) => {
                if known.get().allowed >= way.allowed {
                    return;
                }
                known.insert(way);
                known.index()
            }
            Entry::Vacant(free) => {
                let Problem { question, dead_ends, .. } = self.problem;
                let NodeKey { state, positions } = free.key();
                if !dead_ends.is_alive(question.monitor, *state, positions) {
                    return;
                }
                let index = free.index();
                free.insert(way);
                index
            }
        };
        self.todo.entry(begun).or_default().push(index);
    }

    fn bytes(&self) -> u64 {
        let positions = self.problem.question.trace.len() * size_of::<u32>();
        let node = size_of::<(NodeKey, Way)>() + 4 * size_of::<usize>() + positions;
        (self.nodes.capacity() * node + self.bytes_of_rows) as u64
            + self.terms.bytes()
            + self.problem.dead_ends.bytes()
            + self.problem.question.tied.map_or(0, TiedLogs::bytes)
    }

    /// After a search that was cut: of the nodes that it found, the positions of the one with the most events read, the
    /// last such positions in their order.
    pub(crate) fn furthest(&self) -> Vec<u32> {
        furthest(self.nodes.keys().map(|key| &*key.positions))
    }

    /// After a search on logs whose events are partly in no order: the positions on the way to the node where everything is
    /// explained, else to the one with the most events read, the first such node.
    pub(crate) fn way(&self) -> Vec<&[u32]> {
        let read =
            |at: &usize| self.nodes.get_index(*at).map(|(key, _)| self.read_until(&key.positions));
        let most = (0..self.nodes.len()).rev().max_by_key(read);
        let mut at = self.found.or(most).unwrap_or(NO_NODE);
        let mut way = Vec::new();
        while let Some((key, &Way { from: (from, _), .. })) = self.nodes.get_index(at) {
            way.push(&*key.positions);
            at = from;
        }
        way.reverse();
        way
    }

    /// After a search that found one: an accepted global trace, if the problem asks for it.
    pub(crate) fn witness(&self) -> Option<Witness> {
        let mut at = self.found.filter(|_| self.problem.witness)?;
        let (end, _) = self.nodes.get_index(at)?;
        let mut steps = Vec::new();
        while let Some((_, &Way { from: (from, step), .. })) = self.nodes.get_index(at)
            && from != NO_NODE
        {
            steps.push(step);
            at = from;
        }
        steps.reverse();
        steps.extend(path_to_final(self.problem.automaton, end.state)?);
        Some(Witness { steps })
    }
}
