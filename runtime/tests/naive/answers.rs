//! Answers by the definitions, from a visit of every node: a state, and a position in each log.

use crate::specification::{Specification, States};
use multitrace_interaction::{LetterId, MultiTrace, Observation};
use std::collections::BTreeSet;

pub type Node = (usize, Vec<usize>);

/// A session in one observation mode.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub specification: &'a Specification,
    pub trace: &'a MultiTrace,
    pub observation: Observation,
    /// Per location, whether its log was cut, so that it may go on after its end; empty if none was.
    pub open_ends: &'a [bool],
}

/// The verdict that a checker must give, without the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Pass,
    WeakPass,
    Fail,
    /// Some log ends where more of it might explain the others.
    Lack,
}

impl<'a> Question<'a> {
    pub fn new(
        specification: &'a Specification,
        trace: &'a MultiTrace,
        observation: Observation,
    ) -> Question<'a> {
        Question { specification, trace, observation, open_ends: &[] }
    }

    pub fn in_mode(self, observation: Observation) -> Question<'a> {
        Question { observation, ..self }
    }

    /// Whether a location may act unobserved at a position of its log.
    pub fn is_open(&self, location: usize, position: usize) -> bool {
        let length = self.trace[location].len();
        if position == length && self.is_cut(location) {
            return true;
        }
        match self.observation {
            Observation::Complete | Observation::GlobalPrefix => false,
            Observation::Missing => length == 0,
            Observation::Prefix => position == length,
            Observation::Slice => position == length || position == 0,
        }
    }

    fn is_cut(&self, location: usize) -> bool {
        self.open_ends.get(location) == Some(&true)
    }

    fn may_go_on(&self, location: usize) -> bool {
        match self.observation {
            _ if self.is_cut(location) => true,
            Observation::Complete => false,
            Observation::Missing => self.trace[location].is_empty(),
            Observation::Prefix | Observation::Slice | Observation::GlobalPrefix => true,
        }
    }

    fn start(&self) -> Vec<Node> {
        let positions = vec![0; self.trace.len()];
        self.specification.initial().into_iter().map(|it| (it, positions.clone())).collect()
    }

    fn successors(&self, (state, positions): &Node) -> Vec<Node> {
        let mut found = Vec::new();
        for (letter, to) in self.specification.outgoing(*state) {
            let location = self.specification.location_of(letter);
            let position = positions[location];
            if self.is_open(location, position) {
                found.push((to, positions.clone()));
            }
            if self.trace[location].get(position) == Some(&letter) {
                let mut positions = positions.clone();
                positions[location] += 1;
                found.push((to, positions));
            }
        }
        found
    }

    /// All nodes, as far as `follow` lets them be.
    pub fn nodes(&self, follow: impl Fn(&Node) -> bool) -> BTreeSet<Node> {
        let mut todo: Vec<Node> = self.start().into_iter().filter(&follow).collect();
        let mut nodes: BTreeSet<Node> = todo.iter().cloned().collect();
        while let Some(node) = todo.pop() {
            for next in self.successors(&node) {
                if follow(&next) && nodes.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        nodes
    }

    /// Whether a path may stop in a node.
    fn is_goal(&self, (state, positions): &Node) -> bool {
        let is_read = self.trace.iter().zip(positions).all(|(log, at)| log.len() == *at);
        is_read
            && match self.observation {
                Observation::Complete | Observation::Missing => self.specification.is_final(*state),
                // A prefix of a global trace does not end inside a step.
                Observation::GlobalPrefix => !self.specification.inside.contains(state),
                Observation::Prefix | Observation::Slice => true,
            }
    }

    /// Whether the mode accepts the session.
    pub fn accepts(&self) -> bool {
        self.nodes(|_| true).iter().any(|node| self.is_goal(node))
    }

    /// The verdict, for a question to the automaton.
    pub fn expected(&self) -> Expected {
        if self.in_mode(Observation::Complete).accepts() {
            return Expected::Pass;
        }
        match self.observation {
            Observation::Complete => Expected::Fail,
            _ if self.accepts() => Expected::WeakPass,
            Observation::GlobalPrefix if self.in_mode(Observation::Prefix).accepts() => {
                Expected::Lack
            }
            _ => Expected::Fail,
        }
    }

    /// Whether the rest of every log can be read from a node, each for itself.
    pub fn is_alive(&self, (state, positions): &Node) -> bool {
        (0..self.trace.len()).all(|at| self.is_alive_at(at, *state, positions[at]))
    }

    fn is_alive_at(&self, location: usize, state: usize, position: usize) -> bool {
        let specification = self.specification;
        let is_other = |letter: LetterId| specification.location_of(letter) != location;
        let rest = &self.trace[location][position..];
        let mut states = States::from([state]);
        if self.observation == Observation::Slice && position == 0 {
            states = specification.closure(&states, |_| true);
        }
        states = specification.closure(&states, is_other);
        for &letter in rest {
            let read = states.iter().flat_map(|&state| specification.outgoing(state));
            let read: States = read.filter(|it| it.0 == letter).map(|it| it.1).collect();
            states = specification.closure(&read, is_other);
        }
        match self.may_go_on(location) {
            true => !states.is_empty(),
            false => states.iter().any(|&state| specification.is_final(state)),
        }
    }

    /// Whether some log alone is impossible.
    pub fn is_locally_impossible(&self) -> bool {
        let starts = self.specification.initial();
        let possible = |location| starts.iter().any(|&state| self.is_alive_at(location, state, 0));
        !(0..self.trace.len()).all(possible)
    }
}
