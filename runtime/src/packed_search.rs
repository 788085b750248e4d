//! The central search where a node fits one word, as it nearly always does: a compiled automaton,
//! no witness, no reduction. It finds what `search.rs` finds, which remains its oracle, and the way
//! when nodes are larger.
//!
//! It keeps the next event of each location at hand, follows one successor without looking back at
//! the stack, and records nodes as visited only where there are several ways to go on, and now and
//! then in between.

use crate::epoch_set::EpochSet;
use crate::monitor::Monitor;
use crate::suffixes::Suffixes;
use multitrace_interaction::{Id, LetterId, LocationId, MultiTrace, Nfa, Observation, StateId};

/// What to search, in any mode but global-prefix.
pub(crate) struct PackedProblem<'a> {
    pub(crate) monitor: &'a Monitor,
    /// The monitor's search automaton.
    pub(crate) automaton: &'a Nfa,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) observation: Observation,
    /// Nodes from which some local trace cannot be read to its end are left out.
    pub(crate) suffixes: Option<&'a Suffixes>,
    /// Nodes to visit before giving up.
    pub(crate) most: u64,
}

/// Whether some interleaving is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Found,
    Exhausted,
    /// There may be one, among the nodes that were not visited; or nodes do not fit.
    GaveUp,
}

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct PackedSearch {
    /// The lowest bits of a node are its state.
    state_mask: u64,
    /// Per location, where its position begins, and its bits there.
    fields: Vec<(u32, u64)>,
    stack: Vec<u64>,
    seen: EpochSet,
    visits: u64,
    /// Of the node where the search is: per location, how many events are read, and the next one,
    /// `UNKNOWN` at the end.
    positions: Vec<u32>,
    next: Vec<LetterId>,
    /// How many events are still to be read.
    left: usize,
}

/// A node to go to, and the location that reads an event on the way.
#[derive(Clone, Copy)]
struct Move {
    node: u64,
    read: Option<u32>,
}

/// Of a chain of nodes with one way to go on, so many are passed before one is recorded.
const UNRECORDED: u32 = 16;

impl PackedSearch {
    /// Searches depth first.
    pub(crate) fn run(&mut self, problem: &PackedProblem<'_>) -> Attempt {
        self.visits = 0;
        if problem.most == 0 || !self.arrange(problem) {
            return Attempt::GaveUp;
        }
        self.seen.clear();
        self.stack.clear();
        for &state in problem.automaton.initial().iter().rev() {
            self.load(problem, state.index() as u64);
            if self.is_alive(problem, state, None) {
                self.stack.push(state.index() as u64);
            }
        }
        // What is asked at every node is decided here once.
        let is_open = problem.observation != Observation::Complete;
        match (is_open, problem.suffixes.is_some()) {
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
    ) -> Attempt {
        while let Some(node) = self.stack.pop() {
            match self.follow::<OPEN, LOOKS>(problem, node) {
                Attempt::Exhausted => {}
                ended => return ended,
            }
        }
        Attempt::Exhausted
    }

    /// How many nodes the last run visited, each as often as it was.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// Lays out a node; false when it does not fit.
    fn arrange(&mut self, problem: &PackedProblem<'_>) -> bool {
        let bits = |largest: usize| usize::BITS - largest.leading_zeros();
        let mut used = bits(problem.automaton.state_count().saturating_sub(1));
        self.state_mask = mask(used);
        self.fields.clear();
        for local in problem.trace {
            let width = bits(local.len());
            // A field of no bits at the end would be shifted by 64.
            self.fields.push((used % u64::BITS, mask(width)));
            used += width;
            if used > u64::BITS {
                return false;
            }
        }
        self.positions.resize(problem.trace.len(), 0);
        self.next.resize(problem.trace.len(), LetterId::UNKNOWN);
        true
    }

    /// Goes to a node; its state.
    fn load(&mut self, problem: &PackedProblem<'_>, node: u64) -> StateId {
        self.left = 0;
        for (location, local) in problem.trace.iter().enumerate() {
            let (shift, mask) = self.fields[location];
            let position = (node >> shift & mask) as usize;
            self.positions[location] = position as u32;
            self.next[location] = local.get(position).copied().unwrap_or(LetterId::UNKNOWN);
            self.left += local.len() - position;
        }
        StateId::new((node & self.state_mask) as usize)
    }

    /// Visits a node and goes on until there is no way to.
    fn follow<const OPEN: bool, const LOOKS: bool>(
        &mut self,
        problem: &PackedProblem<'_>,
        mut node: u64,
    ) -> Attempt {
        let mut state = self.load(problem, node);
        let mut unrecorded = 0;
        loop {
            self.visits += 1;
            if self.visits > problem.most {
                return Attempt::GaveUp;
            }
            if self.left == 0 && may_stop(problem, state) {
                return Attempt::Found;
            }
            let (first, several) = self.moves::<OPEN, LOOKS>(problem, node, state);
            let Some(first) = first else { return Attempt::Exhausted };
            unrecorded += 1;
            if several || unrecorded > UNRECORDED {
                if !self.seen.insert(first.node) {
                    return Attempt::Exhausted;
                }
                unrecorded = 0;
            }
            state = self.go_to(problem, first);
            node = first.node;
        }
    }

    /// The first living successor of the node where the search is, and whether there are others,
    /// which are put on the stack unless they were there before.
    fn moves<const OPEN: bool, const LOOKS: bool>(
        &mut self,
        problem: &PackedProblem<'_>,
        node: u64,
        state: StateId,
    ) -> (Option<Move>, bool) {
        let edges = problem.monitor.edges().of(state);
        let looks = LOOKS && !is_forced(problem, state, edges.len());
        let mut found = (None, false);
        for edge in edges {
            let location = edge.location as usize;
            if self.next[location] == edge.letter
                && (!looks || self.is_alive(problem, edge.to, Some(edge.location)))
            {
                let node = (node & !self.state_mask | edge.to.index() as u64)
                    + (1 << self.fields[location].0);
                self.offer(&mut found, Move { node, read: Some(edge.location) });
            }
            if OPEN
                && self.may_go_unobserved(problem, location)
                && (!looks || self.is_alive(problem, edge.to, None))
            {
                let node = node & !self.state_mask | edge.to.index() as u64;
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

    /// Whether a location may move without an event of its trace.
    #[inline]
    fn may_go_unobserved(&self, problem: &PackedProblem<'_>, location: usize) -> bool {
        let length = problem.trace[location].len();
        problem.observation.is_open(self.positions[location] as usize, length)
    }

    #[inline]
    fn go_to(&mut self, problem: &PackedProblem<'_>, to: Move) -> StateId {
        if let Some(location) = to.read {
            let location = location as usize;
            self.positions[location] += 1;
            let position = self.positions[location] as usize;
            let next = problem.trace[location].get(position);
            self.next[location] = next.copied().unwrap_or(LetterId::UNKNOWN);
            self.left -= 1;
        }
        StateId::new((to.node & self.state_mask) as usize)
    }

    /// Whether the rest of every local trace can be read from a state, each for itself, after a
    /// location has read its next event.
    fn is_alive(&self, problem: &PackedProblem<'_>, state: StateId, read: Option<u32>) -> bool {
        let Some(suffixes) = problem.suffixes else { return true };
        self.positions.iter().enumerate().all(|(location, &position)| {
            let position = position as usize + usize::from(read == Some(location as u32));
            suffixes.allows(problem.monitor, LocationId::new(location), position, state)
        })
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= u64::BITS { u64::MAX } else { (1 << bits) - 1 }
}

/// From every state of a compiled automaton a final one is reached, so a path may stop anywhere
/// where the rest was not observed.
fn may_stop(problem: &PackedProblem<'_>, state: StateId) -> bool {
    problem.observation.stops_anywhere() || problem.automaton.is_final(state)
}

/// Whether a living node lives on in its only successor; as in `search.rs`.
fn is_forced(problem: &PackedProblem<'_>, state: StateId, transitions: usize) -> bool {
    transitions == 1
        && match problem.observation {
            Observation::Complete | Observation::Missing => !problem.automaton.is_final(state),
            Observation::Prefix | Observation::GlobalPrefix => true,
            Observation::Slice => false,
        }
}
