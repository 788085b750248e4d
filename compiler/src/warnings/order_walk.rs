//! One walk over the interaction for all warnings that need the order at each lifeline.

use super::choices::Choices;
use super::drawn::Drawn;
use super::local_order::{LocalOrder, Occurrence};
use super::passings::Passings;
use super::races::Races;
use super::written::WrittenSpec;
use multitrace_formats::warning::Warning;
use multitrace_interaction::{Id, Node, NodeId, Step};

pub(super) fn warnings(spec: &WrittenSpec<'_>, drawn: &Drawn<'_>) -> Vec<Warning> {
    let nodes = spec.parsed.interaction.nodes();
    let mut walk = Walk {
        spec,
        drawn,
        passings: Passings::new(spec),
        built: nodes.iter().map(|_| Built::Taken).collect(),
        choices: Choices::new(),
        races: Races::new(spec),
        found: Vec::new(),
    };
    for index in 0..nodes.len() {
        walk.built[index] = walk.build(NodeId::new(index));
    }
    walk.take(spec.parsed.interaction.root());
    walk.found.extend(walk.races.warnings(spec));
    walk.found
}

/// The order built for a node, until its parent takes it.
enum Built {
    Taken,
    Whole(LocalOrder),
    /// The operands of an `alt` that may have more of them further up.
    Operands(Vec<LocalOrder>),
}

struct Walk<'s> {
    spec: &'s WrittenSpec<'s>,
    drawn: &'s Drawn<'s>,
    passings: Passings,
    built: Vec<Built>,
    choices: Choices,
    races: Races,
    found: Vec<Warning>,
}

impl Walk<'_> {
    fn build(&mut self, node: NodeId) -> Built {
        let whole = match self.spec.parsed.interaction.node(node).clone() {
            Node::Empty => LocalOrder::default(),
            Node::Step(step) => self.step(node, &step),
            Node::Strict(a, b) => {
                let (a, b) = (self.take(a), self.take(b));
                a.schedule(b, Some(&Default::default()))
            }
            Node::Seq(a, b) => {
                let (a, b) = (self.take(a), self.take(b));
                let walk = (self.spec, self.drawn, &self.passings);
                self.races.note(walk, node, (&a, &b));
                a.schedule(b, Some(&Default::default()))
            }
            Node::Par(a, b) => {
                let (a, b) = (self.take(a), self.take(b));
                a.schedule(b, None)
            }
            Node::CoReg(region, a, b) => {
                let (a, b) = (self.take(a), self.take(b));
                a.schedule(b, Some(&region))
            }
            Node::Alt(a, b) => return self.alternatives(node, a, b),
            Node::Loop(_, body) => self.take(body).repeated(),
        };
        Built::Whole(whole)
    }

    fn step(&self, node: NodeId, step: &Step) -> LocalOrder {
        let is_single = step.actions().len() == 1;
        LocalOrder::step(step.actions().iter().map(|&action| {
            let sender = if is_single { self.passings.sender(node, action) } else { None };
            Occurrence { node, action, sender }
        }))
    }

    /// An `alt` with many operands is folded to the right, all at one place. They are kept from the
    /// last to the first.
    fn alternatives(&mut self, node: NodeId, a: NodeId, b: NodeId) -> Built {
        let first = self.take(a);
        let is_same = self.spec.span(b) == self.spec.span(node);
        let mut operands = match std::mem::replace(&mut self.built[b.index()], Built::Taken) {
            Built::Operands(operands) if is_same => operands,
            other => {
                self.built[b.index()] = other;
                vec![self.take(b)]
            }
        };
        operands.push(first);
        Built::Operands(operands)
    }

    /// Takes the order built for a node. An `alt` has all its operands then.
    fn take(&mut self, node: NodeId) -> LocalOrder {
        match std::mem::replace(&mut self.built[node.index()], Built::Taken) {
            Built::Taken => LocalOrder::default(),
            Built::Whole(order) => order,
            Built::Operands(mut operands) => {
                operands.reverse();
                let walk = (self.spec, self.drawn);
                self.choices.check(walk, node, &operands, &mut self.found);
                LocalOrder::one_of(operands)
            }
        }
    }
}
