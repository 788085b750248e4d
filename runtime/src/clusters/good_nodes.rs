//! The nodes of a cluster that some accepted run of a session goes through.
//
// Idea: a pass forward keeps every node and every move; a pass backward, from where a run may stop, keeps
// the nodes that lead there. What is known of other clusters may leave out some nodes later: then both
// passes are made again over what is left.
//
// Invariant: the automaton has all global traces of the cluster. So a run that explains the whole session,
// with all other letters hidden, goes through good nodes only.
//
// Cost: the interleavings of one cluster, within a limit on the nodes; about 0.5 us a node (an estimate).

use crate::search::edges::Edges;
use crate::search::node_layout::NodeLayout;
use crate::search::question::Question;
use multitrace_interaction::{Id, Nfa, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most moves for each node that there may be, in the mean.
const MOST_MOVES: usize = 16;

/// The nodes of a cluster, for a session restricted to its letters.
#[derive(Debug, Default)]
pub(crate) struct GoodNodes {
    layout: NodeLayout,
    /// In order of discovery, initial ones first.
    nodes: Vec<u64>,
    initial: usize,
    /// Where a move leads, the moves of one node side by side.
    moves: Lists,
    /// The same backwards.
    back: Lists,
    /// Where a run may stop.
    stops: Vec<u32>,
    /// Per node, whether a run from the start to where it may stop goes through it.
    good: Vec<bool>,
    /// The positions of good nodes, each as a word without a state.
    vectors: FxHashSet<u64>,
}

/// A list of nodes for each node.
#[derive(Debug, Default)]
struct Lists {
    /// Where the list of each node begins; and where the last one ends.
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn of(&self, node: u32) -> &[u32] {
        let (begin, end) = (self.first[node as usize], self.first[node as usize + 1]);
        &self.entries[begin as usize..end as usize]
    }

    /// The lists the other way round.
    fn reversed(&self) -> Lists {
        let nodes = self.first.len() - 1;
        let mut first = vec![0_u32; nodes + 1];
        self.entries.iter().for_each(|&to| first[to as usize + 1] += 1);
        (0..nodes).for_each(|node| first[node + 1] += first[node]);
        let mut next = first.clone();
        let mut entries = vec![0; self.entries.len()];
        for from in 0..nodes as u32 {
            for &to in self.of(from) {
                entries[next[to as usize] as usize] = from;
                next[to as usize] += 1;
            }
        }
        Lists { first, entries }
    }

    /// The `open` nodes that lists lead to from the `open` ones among these.
    fn reach(&self, from: impl Iterator<Item = u32>, open: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; open.len()];
        let mut todo: Vec<u32> = from.filter(|&node| open[node as usize]).collect();
        todo.iter().for_each(|&node| reached[node as usize] = true);
        while let Some(node) = todo.pop() {
            for &next in self.of(node) {
                if open[next as usize] && !reached[next as usize] {
                    reached[next as usize] = true;
                    todo.push(next);
                }
            }
        }
        reached
    }
}

impl GoodNodes {
    /// Finds the good nodes of a restricted session; false if there are more than `most` nodes, or if one does
    /// not fit a word. To be called once.
    pub(crate) fn fill(
        &mut self,
        question: &Question<'_>,
        automaton: &Nfa,
        edges: &Edges,
        most: usize,
    ) -> bool {
        self.layout.arrange(automaton.state_count(), question.trace.iter().map(Vec::len));
        if !self.layout.fits(u64::BITS) || !self.explore(question, automaton, edges, most) {
            return false;
        }
        self.back = self.moves.reversed();
        self.sweep(&vec![true; self.nodes.len()]);
        true
    }

    /// Finds all nodes and moves; false if there are too many.
    fn explore(
        &mut self,
        question: &Question<'_>,
        automaton: &Nfa,
        edges: &Edges,
        most: usize,
    ) -> bool {
        self.nodes.extend(automaton.initial().iter().map(|state| state.index() as u64));
        self.initial = self.nodes.len();
        let mut known: FxHashMap<u64, u32> = self.nodes.iter().copied().zip(0..).collect();
        let mut positions = vec![0; question.trace.len()];
        let mut at = 0;
        while at < self.nodes.len() {
            if self.nodes.len() > most || self.moves.entries.len() > MOST_MOVES * most {
                return false;
            }
            self.moves.first.push(self.moves.entries.len() as u32);
            let node = self.nodes[at];
            let state = self.layout.unpack(&[node], &mut positions);
            let may_stop = || question.may_stop(|| automaton.is_final(state), || true);
            if question.is_read(&positions) && may_stop() {
                self.stops.push(at as u32);
            }
            for edge in edges.of(state) {
                let (location, to) =
                    (edge.location as usize, self.layout.with_state(node, edge.to));
                let position = positions[location];
                if question.trace[location].get(position as usize) == Some(&edge.letter) {
                    self.go_to(to + self.layout.one_event(location), &mut known);
                }
                if question.may_go_unobserved(location, position) {
                    self.go_to(to, &mut known);
                }
            }
            at += 1;
        }
        self.moves.first.push(self.moves.entries.len() as u32);
        true
    }

    fn go_to(&mut self, node: u64, known: &mut FxHashMap<u64, u32>) {
        let next = self.nodes.len() as u32;
        let target = *known.entry(node).or_insert(next);
        if target == next {
            self.nodes.push(node);
        }
        self.moves.entries.push(target);
    }

    /// Finds what is good if runs go through `open` nodes only.
    fn sweep(&mut self, open: &[bool]) {
        let forward = self.moves.reach(0..self.initial as u32, open);
        self.good = self.back.reach(self.stops.iter().copied(), &forward);
        let without_state = |node: &u64| self.layout.with_state(*node, StateId::new(0));
        let good = self.nodes.iter().zip(&self.good).filter(|(_, good)| **good);
        self.vectors = good.map(|(node, _)| without_state(node)).collect();
    }

    /// Whether the cluster accepts the session as far as is known.
    pub(crate) fn are_there(&self) -> bool {
        !self.vectors.is_empty()
    }

    /// How many nodes there are, good or not.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Whether good nodes have these positions, each with its location; the others are 0.
    pub(crate) fn have(&self, positions: impl Iterator<Item = (usize, u32)>) -> bool {
        let word = positions.map(|(at, to)| u64::from(to) * self.layout.one_event(at));
        self.vectors.contains(&word.sum())
    }

    /// Leaves out what `is_possible` refuses; whether that changed anything.
    pub(crate) fn retain(
        &mut self,
        locations: usize,
        is_possible: impl Fn(&[u32]) -> bool,
    ) -> bool {
        let mut positions = vec![0; locations];
        let mut open = self.good.clone();
        for (node, open) in self.nodes.iter().zip(&mut open) {
            if *open {
                self.layout.unpack(&[*node], &mut positions);
                *open = is_possible(&positions);
            }
        }
        let changed = open != self.good;
        if changed {
            self.sweep(&open);
        }
        changed
    }

    /// Shows the positions of all good nodes, some of them several times.
    pub(crate) fn for_each(&self, locations: usize, mut visit: impl FnMut(&[u32])) {
        let mut positions = vec![0; locations];
        for (node, _) in self.nodes.iter().zip(&self.good).filter(|(_, good)| **good) {
            self.layout.unpack(&[*node], &mut positions);
            visit(&positions);
        }
    }
}
