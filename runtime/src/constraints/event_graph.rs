//! What comes before what, under conditions: a graph whose nodes and edges are there where literals are true.
//
// Idea: events that are there, and the orders between them, must not go round in a circle. A circle is violated by one
// clause: that some node or edge of it is not there. Short circles make short clauses, so each is a shortest one through
// its first node.
//
// Cost: a walk over the graph for each assignment, and one more for each circle.

use crate::constraints::solver::Literal;
use std::collections::VecDeque;

/// The number of a node.
pub(super) type EventId = u32;

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: EventId,
    condition: Literal,
}

/// Events and the points between them, with what comes before what.
#[derive(Debug, Default)]
pub(super) struct EventGraph {
    /// Per node, when it is there.
    conditions: Vec<Literal>,
    edges: Vec<Vec<Edge>>,
}

/// The most circles that one assignment is said to have: each makes a clause.
const MOST_CIRCLES: usize = 16;

const NO_NODE: EventId = EventId::MAX;

impl EventGraph {
    /// A node that is there where a literal is true.
    pub(super) fn node(&mut self, condition: Literal) -> EventId {
        self.conditions.push(condition);
        self.edges.push(Vec::new());
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
        self.edges[one as usize].push(Edge { to: other, condition });
    }

    /// The nodes that are there, in an order that all edges allow; `None` if there is none.
    pub(super) fn order(&self, holds: &dyn Fn(Literal) -> bool) -> Option<Vec<EventId>> {
        let (left, order) = self.peel(holds);
        (left == 0).then_some(order)
    }

    /// How many nodes are on circles or behind them; and the others in order, lower numbers first where both may come.
    fn peel(&self, holds: &dyn Fn(Literal) -> bool) -> (usize, Vec<EventId>) {
        let nodes = 0..self.conditions.len() as EventId;
        let here: Vec<_> = self.conditions.iter().map(|&it| holds(it)).collect();
        let mut waiting = vec![0_u32; here.len()];
        for node in nodes.clone().filter(|&it| here[it as usize]) {
            self.next(node, &here, holds).for_each(|it| waiting[it as usize] += 1);
        }
        let free = |&it: &EventId| here[it as usize] && waiting[it as usize] == 0;
        let mut todo: VecDeque<_> = nodes.filter(free).collect();
        let mut order = Vec::with_capacity(here.len());
        while let Some(node) = todo.pop_front() {
            order.push(node);
            for next in self.next(node, &here, holds) {
                waiting[next as usize] -= 1;
                if waiting[next as usize] == 0 {
                    todo.push_back(next);
                }
            }
        }
        (here.iter().filter(|&&it| it).count() - order.len(), order)
    }

    fn next<'a>(
        &'a self,
        node: EventId,
        here: &'a [bool],
        holds: &'a dyn Fn(Literal) -> bool,
    ) -> impl Iterator<Item = EventId> + 'a {
        let edges = self.edges[node as usize].iter();
        edges.filter(|it| here[it.to as usize] && holds(it.condition)).map(|it| it.to)
    }

    /// Clauses that the circles violate; none if there is no circle.
    pub(super) fn violated(&self, holds: &dyn Fn(Literal) -> bool) -> Vec<Vec<Literal>> {
        let (left, order) = self.peel(holds);
        if left == 0 {
            return Vec::new();
        }
        let mut open: Vec<_> = self.conditions.iter().map(|&it| holds(it)).collect();
        order.iter().for_each(|&it| open[it as usize] = false);
        let mut found = Vec::new();
        let mut met = vec![false; open.len()];
        for start in 0..open.len() as EventId {
            if found.len() >= MOST_CIRCLES {
                break;
            }
            if !open[start as usize] || met[start as usize] {
                continue;
            }
            match self.circle(start, &open, holds) {
                Some(circle) => {
                    circle.iter().for_each(|&(node, _)| met[node as usize] = true);
                    found.push(self.clause(&circle));
                }
                // It is behind a circle.
                None => open[start as usize] = false,
            }
        }
        found
    }

    /// A shortest way from a node back to itself: each node with the condition of the edge behind it.
    fn circle(
        &self,
        start: EventId,
        open: &[bool],
        holds: &dyn Fn(Literal) -> bool,
    ) -> Option<Vec<(EventId, Literal)>> {
        let mut from = vec![(NO_NODE, Literal::TRUE); open.len()];
        let mut todo = VecDeque::from([start]);
        while let Some(node) = todo.pop_front() {
            for edge in &self.edges[node as usize] {
                if !open[edge.to as usize] || !holds(edge.condition) {
                    continue;
                }
                if edge.to == start {
                    let mut circle = vec![(node, edge.condition)];
                    let mut at = node;
                    while at != start {
                        let (before, condition) = from[at as usize];
                        circle.push((before, condition));
                        at = before;
                    }
                    return Some(circle);
                }
                if from[edge.to as usize].0 == NO_NODE {
                    from[edge.to as usize] = (node, edge.condition);
                    todo.push_back(edge.to);
                }
            }
        }
        None
    }

    /// That some node or edge of a circle is not there.
    fn clause(&self, circle: &[(EventId, Literal)]) -> Vec<Literal> {
        let nodes = circle.iter().map(|&(node, _)| self.conditions[node as usize]);
        let edges = circle.iter().map(|&(_, condition)| condition);
        nodes.chain(edges).filter(|&it| it != Literal::TRUE).map(|it| !it).collect()
    }
}
