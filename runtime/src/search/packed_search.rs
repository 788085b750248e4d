//! The central search where a node fits one word, as it nearly always does: a compiled automaton,
//! no witness, no reduction.
//
// Idea: most sessions pass, and most of their nodes have one successor. So the search keeps the
// next event of each location at hand, follows the first successor without touching the stack, and
// records nodes as visited only where there are several successors, and now and then in between.
//
// Invariant: apart from initial nodes a node is pushed at most once, and a chain records a node at
// least every `UNRECORDED` steps, so the search ends. `left` counts the events that `positions` has
// not read.
//
// Cost: 10 to 15 ns a node on sessions of 18 events (table "The central search" of
// docs/BENCHMARKS.md), no allocation once warm. `shuffle_search.rs` is its oracle, and takes over
// where nodes are larger.

use crate::look_ahead::local_pass::LookAhead;
use crate::monitor::edges::Edges;
use crate::question::{Question, UNRECORDED};
use crate::search::epoch_set::EpochSet;
use crate::search::node_layout::NodeLayout;
use crate::search::outcome::SearchOutcome;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, StateId};

/// A search problem in any mode but global-prefix.
pub(crate) struct PackedProblem<'a> {
    /// Of its allowance, this search looks at the states only: it is meant to be short.
    pub(crate) question: Question<'a>,
    pub(crate) automaton: &'a Nfa,
    /// Its transitions.
    pub(crate) edges: &'a Edges,
    /// If present, nodes from which some local trace cannot be read to its end are left out. For
    /// the search automaton of the monitor only.
    pub(crate) look_ahead: Option<&'a LookAhead>,
}

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct PackedSearch {
    layout: NodeLayout,
    stack: Vec<u64>,
    seen: EpochSet,
    visits: u64,
    /// Of the node where the search is: per location, how many events are read, and the next one,
    /// `UNKNOWN` at the end.
    positions: Vec<u32>,
    next: Vec<LetterId>,
    /// The number of events that are not read yet.
    left: usize,
}

/// A node to go to, and the location that reads an event on the way.
#[derive(Clone, Copy)]
struct Move {
    node: u64,
    read: Option<u32>,
}

impl PackedSearch {
    /// Searches depth first.
    pub(crate) fn run(&mut self, problem: &PackedProblem<'_>) -> SearchOutcome {
        self.visits = 0;
        if !self.arrange(problem) {
            return SearchOutcome::DoesNotFit;
        }
        if let Some(spent) = problem.question.allowance.spent_states(1) {
            return SearchOutcome::Spent(spent);
        }
        self.seen.clear();
        self.stack.clear();
        for &state in problem.automaton.initial().iter().rev() {
            self.load(problem, state.index() as u64);
            if self.is_alive(problem, state, None) {
                self.stack.push(state.index() as u64);
            }
        }
        // Questions that every node asks are answered here once.
        let is_open = !problem.question.is_closed();
        match (is_open, problem.look_ahead.is_some()) {
            (false, false) => self.follow_all::<false, false>(problem),
            (false, true) => self.follow_all::<false, true>(problem),
            (true, false) => self.follow_all::<true, false>(problem),
            (true, true) => self.follow_all::<true, true>(problem),
        }
    }

    /// `OPEN`: locations may move unobserved. `LOOKS`: nodes are asked whether they live.
    fn follow_all<const OPEN: bool, const LOOKS: bool>(
        &mut self,
        problem: &PackedProblem<'_>,
    ) -> SearchOutcome {
        while let Some(node) = self.stack.pop() {
            match self.follow::<OPEN, LOOKS>(problem, node) {
                SearchOutcome::Exhausted => {}
                ended => return ended,
            }
        }
        SearchOutcome::Exhausted
    }

    /// Whether nodes of the last run fit one word; if not, it did not search.
    pub(crate) fn fits(&self) -> bool {
        self.layout.fits(u64::BITS)
    }

    /// How many nodes the last run visited, each as often as it was.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// Lays out nodes; false if they do not fit a word.
    fn arrange(&mut self, problem: &PackedProblem<'_>) -> bool {
        let trace = problem.question.trace;
        self.layout.arrange(problem.automaton.state_count(), trace.iter().map(Vec::len));
        self.positions.resize(trace.len(), 0);
        self.next.resize(trace.len(), LetterId::UNKNOWN);
        self.fits()
    }

    /// Goes to a node, and returns its state.
    fn load(&mut self, problem: &PackedProblem<'_>, node: u64) -> StateId {
        self.left = 0;
        for (location, local) in problem.question.trace.iter().enumerate() {
            let position = self.layout.position_of(node, location);
            self.positions[location] = position;
            let position = position as usize;
            self.next[location] = local.get(position).copied().unwrap_or(LetterId::UNKNOWN);
            self.left += local.len() - position;
        }
        self.layout.state_of(node)
    }

    /// Visits a node, then its successors one after the other until a node has no successor.
    fn follow<const OPEN: bool, const LOOKS: bool>(
        &mut self,
        problem: &PackedProblem<'_>,
        mut node: u64,
    ) -> SearchOutcome {
        let mut state = self.load(problem, node);
        let mut unrecorded = 0;
        loop {
            self.visits += 1;
            if let Some(spent) = problem.question.allowance.spent_states(self.visits) {
                return SearchOutcome::Spent(spent);
            }
            if self.left == 0 && may_stop(problem, state) {
                return SearchOutcome::Found;
            }
            let (first, several) = self.moves::<OPEN, LOOKS>(problem, node, state);
            let Some(first) = first else { return SearchOutcome::Exhausted };
            unrecorded += 1;
            if several || unrecorded > UNRECORDED {
                if !self.seen.insert(first.node) {
                    return SearchOutcome::Exhausted;
                }
                unrecorded = 0;
            }
            state = self.go_to(problem, first);
            node = first.node;
        }
    }

    /// The first living successor of the node where the search is, and whether there are others.
    /// Those go on the stack unless they were there before.
    fn moves<const OPEN: bool, const LOOKS: bool>(
        &mut self,
        problem: &PackedProblem<'_>,
        node: u64,
        state: StateId,
    ) -> (Option<Move>, bool) {
        let edges = problem.edges.of(state);
        let is_final = || problem.automaton.is_final(state);
        let looks = LOOKS && !problem.question.is_forced(edges.len(), is_final);
        let mut found = (None, false);
        for edge in edges {
            let location = edge.location as usize;
            if self.next[location] == edge.letter
                && (!looks || self.is_alive(problem, edge.to, Some(edge.location)))
            {
                let node = self.layout.with_state(node, edge.to) + self.layout.one_event(location);
                self.offer(&mut found, Move { node, read: Some(edge.location) });
            }
            if OPEN
                && problem.question.may_go_unobserved(location, self.positions[location])
                && (!looks || self.is_alive(problem, edge.to, None))
            {
                let node = self.layout.with_state(node, edge.to);
                self.offer(&mut found, Move { node, read: None });
            }
        }
        found
    }

    /// Keeps the first successor, and puts others on the stack unless they were there before.
    #[inline]
    fn offer(&mut self, (first, several): &mut (Option<Move>, bool), next: Move) {
        if first.is_none() {
            *first = Some(next);
        } else {
            *several = true;
            if self.seen.insert(next.node) {
                self.stack.push(next.node);
            }
        }
    }

    #[inline]
    fn go_to(&mut self, problem: &PackedProblem<'_>, to: Move) -> StateId {
        if let Some(location) = to.read {
            let location = location as usize;
            self.positions[location] += 1;
            let position = self.positions[location] as usize;
            let next = problem.question.trace[location].get(position);
            self.next[location] = next.copied().unwrap_or(LetterId::UNKNOWN);
            self.left -= 1;
        }
        self.layout.state_of(to.node)
    }

    /// Whether the rest of every local trace can be read from a state, each for itself, after a
    /// location has read its next event.
    fn is_alive(&self, problem: &PackedProblem<'_>, state: StateId, read: Option<u32>) -> bool {
        let Some(look_ahead) = problem.look_ahead else { return true };
        let monitor = problem.question.monitor;
        self.positions.iter().enumerate().all(|(location, &position)| {
            let position = position as usize + usize::from(read == Some(location as u32));
            look_ahead.allows(monitor, LocationId::new(location), position, state)
        })
    }
}

fn may_stop(problem: &PackedProblem<'_>, state: StateId) -> bool {
    problem.question.may_stop(|| problem.automaton.is_final(state), || true)
}
