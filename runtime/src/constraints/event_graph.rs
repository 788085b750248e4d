//! The order of events under conditions: a graph whose nodes and edges are there where literals are true.
//
// Idea: events that are there, and the orders between them, must not go round in a circle. While the solver assigns values,
// the graph keeps an order of its nodes that all edges which are there allow; an edge against it reorders the nodes between
// its ends, or closes a circle (Pearce and Kelly, JEA 2006). A circle is violated by one clause: that some node or edge of it
// is not there.
//
// Invariant: values are taken back in the opposite order, so the lists of edges that are there are stacks. The order stays
// right when edges go. After a circle, the value that closed it is taken back before another one comes.
//
// Cost: for an edge that is in order, nothing; else the nodes between its ends.

use crate::constraints::solver::{Literal, Solver, Theory};
use crate::lists::Lists;
use std::collections::VecDeque;

/// The number of a node.
pub(super) type EventId = u32;

/// The number of an edge.
type EdgeId = u32;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: EventId,
    to: EventId,
    condition: Literal,
    /// How many of the three literals that it needs are not true yet: its own and those of its ends.
    missing: u32,
}

/// Events and the points between them, with their order.
#[derive(Debug, Default)]
pub(super) struct EventGraph {
    /// Per node, when it is there.
    conditions: Vec<Literal>,
    edges: Vec<Edge>,
    /// Per literal, the edges that need it, as often as they need it.
    needing: Lists,
    /// Per node, the edges that are there and leave it, and those that enter it. Those of nodes that there are not any more
    /// are empty.
    leaving: Vec<Vec<EdgeId>>,
    entering: Vec<Vec<EdgeId>>,
    /// Per node, its place in the order.
    places: Vec<u32>,
    /// The edges of the circle that was found last, backwards.
    circle: Vec<EdgeId>,
    memory: WalkBuffers,
}

/// Buffers of walks over the graph.
#[derive(Debug, Default)]
struct WalkBuffers {
    /// Per node, the number of the walk that met it last, and the edge it came by.
    met: Vec<u32>,
    by: Vec<EdgeId>,
    walk: u32,
    todo: VecDeque<EventId>,
}

impl WalkBuffers {
    /// Makes room for walks over a graph of this many nodes.
    fn begin_all(&mut self, nodes: usize) {
        self.walk = 0;
        for own in [&mut self.met, &mut self.by] {
            own.clear();
            own.resize(nodes, 0);
        }
    }

    fn begin(&mut self) {
        self.walk += 1;
        self.todo.clear();
    }

    /// Meets a node by an edge; whether it is the first time in this walk.
    fn meet(&mut self, node: EventId, by: EdgeId) -> bool {
        let is_new = self.met[node as usize] != self.walk;
        if is_new {
            self.met[node as usize] = self.walk;
            self.by[node as usize] = by;
            self.todo.push_back(node);
        }
        is_new
    }
}

impl EventGraph {
    /// A node that is there where a literal is true.
    pub(super) fn node(&mut self, condition: Literal) -> EventId {
        self.conditions.push(condition);
        self.conditions.len() as EventId - 1
    }

    /// A point in time, which is always there.
    pub(super) fn point(&mut self) -> EventId {
        self.node(Literal::TRUE)
    }

    /// One node comes before another, where both are there.
    pub(super) fn before(&mut self, one: EventId, other: EventId) {
        self.before_if(Literal::TRUE, one, other);
    }

    /// The same where a literal is true, too.
    pub(super) fn before_if(&mut self, condition: Literal, one: EventId, other: EventId) {
        self.edges.push(Edge { from: one, to: other, condition, missing: 3 });
    }

    /// Forgets all nodes and edges, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.conditions.clear();
        self.edges.clear();
        self.leaving.iter_mut().chain(&mut self.entering).for_each(Vec::clear);
    }

    /// Begins once all nodes and edges are known.
    pub(super) fn begin(&mut self, literals: usize) {
        self.note_needing(literals);
        let nodes = self.conditions.len();
        let most = nodes.max(self.leaving.len());
        self.leaving.resize_with(most, Vec::new);
        self.entering.resize_with(most, Vec::new);
        self.memory.begin_all(nodes);
        self.circle.clear();
        self.places = self.first_places();
    }

    fn note_needing(&mut self, literals: usize) {
        let EventGraph { conditions, edges, needing, .. } = self;
        let needed = |(number, edge): (usize, &Edge)| {
            let ends = [edge.from, edge.to].map(|end| conditions[end as usize]);
            [edge.condition, ends[0], ends[1]].map(|it| (it.code(), number as EdgeId))
        };
        needing.fill(literals, edges.iter().enumerate().flat_map(needed));
    }

    /// The places of nodes in an order that edges without a condition allow, as far as they go round in no circle.
    fn first_places(&self) -> Vec<u32> {
        let fixed = || self.edges.iter().filter(|it| it.condition == Literal::TRUE);
        let nodes = self.conditions.len();
        let mut after = Lists::default();
        after.fill(nodes, fixed().map(|edge| (edge.from as usize, edge.to)));
        let mut waiting = vec![0_u32; nodes];
        fixed().for_each(|edge| waiting[edge.to as usize] += 1);
        let mut todo: VecDeque<_> = (0..nodes).filter(|&it| waiting[it] == 0).collect();
        let mut places = vec![u32::MAX; nodes];
        let mut place = 0;
        while let Some(node) = todo.pop_front() {
            places[node] = place;
            place += 1;
            for &next in after.of(node) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    todo.push_back(next as usize);
                }
            }
        }
        for left in places.iter_mut().filter(|it| **it == u32::MAX) {
            *left = place;
            place += 1;
        }
        places
    }

    /// The nodes in an order that all edges which are there allow.
    pub(super) fn order(&self) -> Vec<EventId> {
        let mut nodes: Vec<_> = (0..self.conditions.len() as EventId).collect();
        nodes.sort_unstable_by_key(|&node| self.places[node as usize]);
        nodes
    }

    /// Brings an edge that is there into the order; the clause of a circle, if it closes one.
    fn insert(&mut self, number: EdgeId) -> Option<Vec<Literal>> {
        let Edge { from, to, .. } = self.edges[number as usize];
        let (low, high) = (self.places[to as usize], self.places[from as usize]);
        if high < low {
            return None;
        }
        if from == to {
            return Some(self.violated(vec![number]));
        }
        let mut behind = vec![to];
        self.memory.begin();
        self.memory.meet(to, number);
        while let Some(node) = self.memory.todo.pop_front() {
            for at in 0..self.leaving[node as usize].len() {
                let edge = self.leaving[node as usize][at];
                let next = self.edges[edge as usize].to;
                if next == from {
                    self.memory.by[from as usize] = edge;
                    return Some(self.circle(number));
                }
                if self.places[next as usize] < high && self.memory.meet(next, edge) {
                    behind.push(next);
                }
            }
        }
        let mut ahead = vec![from];
        self.memory.begin();
        self.memory.meet(from, number);
        while let Some(node) = self.memory.todo.pop_front() {
            for at in 0..self.entering[node as usize].len() {
                let edge = self.entering[node as usize][at];
                let next = self.edges[edge as usize].from;
                if self.places[next as usize] > low && self.memory.meet(next, edge) {
                    ahead.push(next);
                }
            }
        }
        self.exchange(ahead, behind);
        None
    }

    /// Puts all that must be ahead into the first of their places, and the others behind them, each part in its order.
    fn exchange(&mut self, mut ahead: Vec<EventId>, mut behind: Vec<EventId>) {
        let places = &mut self.places;
        ahead.sort_unstable_by_key(|&node| places[node as usize]);
        behind.sort_unstable_by_key(|&node| places[node as usize]);
        ahead.extend(behind);
        let mut free: Vec<_> = ahead.iter().map(|&node| places[node as usize]).collect();
        free.sort_unstable();
        for (node, place) in ahead.into_iter().zip(free) {
            places[node as usize] = place;
        }
    }

    /// The clause of the circle that an edge closes, by the edges that the last walk came by.
    fn circle(&mut self, closing: EdgeId) -> Vec<Literal> {
        let Edge { from, to, .. } = self.edges[closing as usize];
        let mut circle = vec![closing];
        let mut node = from;
        while node != to {
            let edge = self.memory.by[node as usize];
            circle.push(edge);
            node = self.edges[edge as usize].from;
        }
        self.violated(circle)
    }

    fn violated(&mut self, circle: Vec<EdgeId>) -> Vec<Literal> {
        self.circle = circle;
        self.clause(&self.circle)
    }

    /// The ends of the edges of the circle that was found last, in order; none if some of them need not be there.
    pub(super) fn last_circle(&self, solver: &Solver) -> impl Iterator<Item = (EventId, EventId)> {
        let edges = self.circle.iter().rev().map(|&number| self.edges[number as usize]);
        let is_forced = edges.clone().all(|edge| {
            let ends = [edge.from, edge.to].map(|end| self.conditions[end as usize]);
            [edge.condition, ends[0], ends[1]].into_iter().all(|it| solver.is_forced(it))
        });
        edges.filter(move |_| is_forced).map(|edge| (edge.from, edge.to))
    }

    /// That some node or edge of a circle, given backwards, is not there. The condition of an edge says that the event at
    /// one of its ends is there, too.
    fn clause(&self, circle: &[EdgeId]) -> Vec<Literal> {
        let mut clause = Vec::new();
        for (at, &number) in circle.iter().enumerate() {
            let edge = self.edges[number as usize];
            let before = self.edges[circle[(at + 1) % circle.len()] as usize];
            let node = self.conditions[edge.from as usize];
            let is_said = [edge, before].iter().any(|it| it.condition != Literal::TRUE);
            clause.extend((edge.condition != Literal::TRUE).then_some(!edge.condition));
            clause.extend((node != Literal::TRUE && !is_said).then_some(!node));
        }
        clause
    }
}

impl Theory for EventGraph {
    fn assigned(&mut self, literal: Literal) -> Option<Vec<Literal>> {
        let mut violated = None;
        for at in self.needing.places_of(literal.code()) {
            let number = self.needing.entry(at);
            let edge = &mut self.edges[number as usize];
            edge.missing -= 1;
            if edge.missing == 0 {
                let Edge { from, to, .. } = *edge;
                violated = violated.or_else(|| self.insert(number));
                self.leaving[from as usize].push(number);
                self.entering[to as usize].push(number);
            }
        }
        violated
    }

    fn taken_back(&mut self, literal: Literal) {
        for at in self.needing.places_of(literal.code()).rev() {
            let number = self.needing.entry(at);
            let edge = &mut self.edges[number as usize];
            if edge.missing == 0 {
                let Edge { from, to, .. } = *edge;
                self.leaving[from as usize].pop();
                self.entering[to as usize].pop();
            }
            self.edges[number as usize].missing += 1;
        }
    }
}
