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

use crate::lists::Lists;
use crate::search::edges::Edges;
use crate::search::node_layout::NodeLayout;
use crate::search::question::Question;
use multitrace_interaction::{Id, Nfa, StateId};
use rustc_hash::FxHashMap;

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
    /// The locations that have events of the cluster.
    locations: Vec<usize>,
    /// The number of each vector of positions, as a word without a state; and of the vector of each node.
    vectors: FxHashMap<u64, u32>,
    vector_of: Vec<u32>,
    /// Per vector, its positions at `locations`.
    positions: Vec<u32>,
    /// Per vector, whether a good node has it.
    has_good: Vec<bool>,
    /// The numbers of nodes by their words, while they are found; and the positions of the node where that is.
    known: FxHashMap<u64, u32>,
    here: Vec<u32>,
    /// Memory of `sweep` and `retain`: per node, whether runs may go through it, and whether some run from the start does.
    open: Vec<bool>,
    forward: Vec<bool>,
    todo: Vec<u32>,
}

/// Finds the `open` nodes that moves lead to from the `open` ones among these. `todo` is memory.
fn reach(
    moves: &Lists,
    from: impl Iterator<Item = u32>,
    open: &[bool],
    todo: &mut Vec<u32>,
    reached: &mut Vec<bool>,
) {
    reached.clear();
    reached.resize(open.len(), false);
    todo.clear();
    todo.extend(from.filter(|&node| open[node as usize]));
    todo.iter().for_each(|&node| reached[node as usize] = true);
    while let Some(node) = todo.pop() {
        for &next in moves.of(node as usize) {
            if open[next as usize] && !reached[next as usize] {
                reached[next as usize] = true;
                todo.push(next);
            }
        }
    }
}

impl GoodNodes {
    /// Finds the good nodes of a restricted session; false if there are more than `most` nodes, or if one does
    /// not fit a word. What was found for another session is forgotten, and its memory kept.
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
        self.locations.clear();
        self.locations
            .extend((0..question.trace.len()).filter(|&at| !question.trace[at].is_empty()));
        self.number_vectors();
        self.back.fill_reversed(&self.moves);
        self.open.clear();
        self.open.resize(self.nodes.len(), true);
        self.sweep();
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
        self.moves.clear();
        self.stops.clear();
        self.nodes.clear();
        self.nodes.extend(automaton.initial().iter().map(|state| state.index() as u64));
        self.initial = self.nodes.len();
        self.known.clear();
        self.known.extend(self.nodes.iter().copied().zip(0..));
        self.here.clear();
        self.here.resize(question.trace.len(), 0);
        let mut at = 0;
        while at < self.nodes.len() {
            if self.nodes.len() > most || self.moves.entry_count() > MOST_MOVES * most {
                return false;
            }
            self.moves.open();
            let node = self.nodes[at];
            let state = self.layout.unpack(&[node], &mut self.here);
            let may_stop = || question.may_stop(|| automaton.is_final(state), || true);
            if question.is_read(&self.here) && may_stop() {
                self.stops.push(at as u32);
            }
            for edge in edges.of(state) {
                let (location, to) =
                    (edge.location as usize, self.layout.with_state(node, edge.to));
                let position = self.here[location];
                if question.trace[location].get(position as usize) == Some(&edge.letter) {
                    self.go_to(to + self.layout.one_event(location));
                }
                if question.may_go_unobserved(location, position) {
                    self.go_to(to);
                }
            }
            at += 1;
        }
        self.moves.open();
        true
    }

    fn go_to(&mut self, node: u64) {
        let next = self.nodes.len() as u32;
        let target = *self.known.entry(node).or_insert(next);
        if target == next {
            self.nodes.push(node);
        }
        self.moves.push(target);
    }

    /// Many nodes differ in their states only.
    fn number_vectors(&mut self) {
        self.vectors.clear();
        self.vector_of.clear();
        self.positions.clear();
        for &node in &self.nodes {
            let next = self.vectors.len() as u32;
            let word = self.layout.with_state(node, StateId::new(0));
            let number = *self.vectors.entry(word).or_insert(next);
            if number == next {
                let position = |&at: &usize| self.layout.position_of(node, at);
                self.positions.extend(self.locations.iter().map(position));
            }
            self.vector_of.push(number);
        }
    }

    /// Finds what is good if runs go through `open` nodes only.
    fn sweep(&mut self) {
        let GoodNodes { moves, back, open, forward, good, todo, .. } = self;
        reach(moves, 0..self.initial as u32, open, todo, forward);
        reach(back, self.stops.iter().copied(), forward, todo, good);
        self.has_good.clear();
        self.has_good.resize(self.vectors.len(), false);
        for (&vector, _) in self.vector_of.iter().zip(&self.good).filter(|(_, good)| **good) {
            self.has_good[vector as usize] = true;
        }
    }

    /// Whether the cluster accepts the session as far as is known.
    pub(crate) fn are_there(&self) -> bool {
        self.good.contains(&true)
    }

    /// For how many nodes there is memory.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    /// How many nodes there are, good or not.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The locations that have events of the cluster.
    pub(crate) fn locations(&self) -> &[usize] {
        &self.locations
    }

    /// What a position of a location adds to the word of a vector.
    pub(crate) fn word(&self, location: usize, position: u32) -> u64 {
        u64::from(position) * self.layout.one_event(location)
    }

    /// Whether good nodes have the positions of a vector, given as its word.
    pub(crate) fn have(&self, word: u64) -> bool {
        self.vectors.get(&word).is_some_and(|&vector| self.has_good[vector as usize])
    }

    /// Leaves out the positions that `is_possible` refuses.
    pub(crate) fn retain(&mut self, is_possible: impl Fn(&[u32]) -> bool) {
        let is_good = |&(vector, _): &(usize, &[u32])| self.has_good[vector];
        let refused = self.all_positions().filter(is_good).filter(|it| !is_possible(it.1));
        let refused: Vec<usize> = refused.map(|(vector, _)| vector).collect();
        if refused.is_empty() {
            return;
        }
        refused.iter().for_each(|&vector| self.has_good[vector] = false);
        let is_open = |(&vector, &good): (&u32, &bool)| good && self.has_good[vector as usize];
        self.open.clear();
        self.open.extend(self.vector_of.iter().zip(&self.good).map(is_open));
        self.sweep();
    }

    /// The positions of all good nodes, one for each of `locations`.
    pub(crate) fn good_positions(&self) -> impl Iterator<Item = &[u32]> {
        self.all_positions().filter(|it| self.has_good[it.0]).map(|it| it.1)
    }

    /// All vectors with their numbers. Without any location there is one, which is empty.
    fn all_positions(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let length = self.locations.len();
        (0..self.vectors.len()).map(move |it| (it, &self.positions[it * length..][..length]))
    }
}
