//! Per location, the interaction without the actions of all others (lifeline removal, papers 002 and 003).
//!
//! Sound to refute; `TermStore::remove_lifelines` says where it is exact, and does the same to terms, one location at a
//! time.
//
// Idea: one walk over the tree makes all of them. A node is one of a location only if both its operands are, so the
// maps from locations to their operands so far move to the larger one at each operator.
//
// Cost: the number of uses of locations by steps, times the loops around them; a logarithm for the moves.

use indexmap::IndexMap;
use multitrace_interaction::{
    Id, Interaction, LocationId, Locations, LoopKind, Node, NodeId, Step,
};
use rustc_hash::FxBuildHasher;

/// The operands so far, restricted to one location.
#[derive(Clone, Copy)]
struct Local {
    root: NodeId,
    /// In how many alternatives of a choice, if the operand is part of one.
    alternatives: usize,
}

type Locals = IndexMap<LocationId, Local, FxBuildHasher>;

/// The interactions of all locations, in order.
pub(crate) fn local_interactions(
    interaction: &Interaction,
    locations: &Locations,
) -> Vec<Interaction> {
    let nodes = interaction.nodes();
    let in_choice = within_choices(nodes);
    let mut pass = Pass { locations, made: vec![Vec::new(); locations.len()] };
    let mut locals: Vec<Locals> = Vec::with_capacity(nodes.len());
    // Per choice, the number of its alternatives so far.
    let mut alternatives = vec![1; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let mut take = |id: NodeId| std::mem::take(&mut locals[id.index()]);
        let own = match node {
            Node::Empty => Locals::default(),
            Node::Step(step) => pass.step(step),
            Node::Loop(kind, body) => pass.repeat(kind, take(*body)),
            Node::Alt(a, b) => {
                alternatives[index] = alternatives[a.index()] + alternatives[b.index()];
                let joined = pass.join(node, take(*a), take(*b));
                if in_choice[index] { joined } else { pass.choose(joined, alternatives[index]) }
            }
            Node::Strict(a, b) | Node::Seq(a, b) | Node::CoReg(_, a, b) | Node::Par(a, b) => {
                pass.join(node, take(*a), take(*b))
            }
        };
        locals.push(own);
    }
    pass.made.into_iter().map(interaction_of).collect()
}

/// Per node, whether it is a choice that is an alternative of another.
fn within_choices(nodes: &[Node]) -> Vec<bool> {
    let mut within = vec![false; nodes.len()];
    for node in nodes.iter().filter(|node| matches!(node, Node::Alt(..))) {
        node.children().for_each(|id| {
            within[id.index()] = matches!(nodes[id.index()], Node::Alt(..));
        });
    }
    within
}

fn interaction_of(mut nodes: Vec<Node>) -> Interaction {
    if nodes.is_empty() {
        nodes.push(Node::Empty);
    }
    Interaction::new(nodes).unwrap_or_else(|_| unreachable!("every node is used once"))
}

struct Pass<'a> {
    locations: &'a Locations,
    /// Per location, the nodes of its interaction.
    made: Vec<Vec<Node>>,
}

impl Pass<'_> {
    fn push(&mut self, location: LocationId, node: Node) -> Local {
        let nodes = &mut self.made[location.index()];
        nodes.push(node);
        Local { root: NodeId::new(nodes.len() - 1), alternatives: 1 }
    }

    fn step(&mut self, step: &Step) -> Locals {
        let mut actions: IndexMap<LocationId, Vec<_>, FxBuildHasher> = IndexMap::default();
        for &action in step.actions() {
            actions.entry(self.locations.of(action.lifeline)).or_default().push(action);
        }
        let steps = actions.into_iter().filter_map(|(at, own)| Some((at, Step::new(own)?)));
        steps.map(|(at, step)| (at, self.push(at, Node::Step(step)))).collect()
    }

    fn repeat(&mut self, kind: &LoopKind, body: Locals) -> Locals {
        let is_alone = body.len() == 1;
        let kind = match kind {
            // A repetition may begin with an action that is now removed, so the order in which repetitions begin is
            // unknown.
            LoopKind::HeadFirst if !is_alone => &LoopKind::Weak,
            kind => kind,
        };
        let repeat = |(at, body): (LocationId, Local)| {
            (at, self.push(at, Node::Loop(kind.clone(), body.root)))
        };
        body.into_iter().map(repeat).collect()
    }

    fn join(&mut self, node: &Node, a: Locals, b: Locals) -> Locals {
        let is_turned = a.len() < b.len();
        let (mut large, small) = if is_turned { (b, a) } else { (a, b) };
        for (at, new) in small {
            let joined = match large.get(&at).copied() {
                None => new,
                Some(old) => {
                    let (a, b) = if is_turned { (new, old) } else { (old, new) };
                    let (a, b, both) = (a.root, b.root, a.alternatives + b.alternatives);
                    match node {
                        Node::Strict(..) => self.push(at, Node::Strict(a, b)),
                        Node::CoReg(region, ..) => self.push(at, Node::CoReg(region.clone(), a, b)),
                        Node::Par(..) => self.push(at, Node::Par(a, b)),
                        Node::Alt(..) => {
                            Local { alternatives: both, ..self.push(at, Node::Alt(a, b)) }
                        }
                        _ => self.push(at, Node::Seq(a, b)),
                    }
                }
            };
            large.insert(at, joined);
        }
        large
    }

    /// Locations that do nothing in some alternative may do nothing.
    fn choose(&mut self, joined: Locals, alternatives: usize) -> Locals {
        let choose = |(at, local): (LocationId, Local)| {
            if local.alternatives == alternatives {
                return (at, Local { alternatives: 1, ..local });
            }
            let nothing = self.push(at, Node::Empty).root;
            (at, self.push(at, Node::Alt(local.root, nothing)))
        };
        joined.into_iter().map(choose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_formats::hif;
    use multitrace_formats::source::Source;
    use multitrace_interaction::{LifelineSet, TermStore};

    /// The removal of all other lifelines from the term, one location at a time.
    #[test]
    fn they_are_those_of_lifeline_removal() {
        for text in [
            "seq(a -- m -> b, b -- n -> c, a -- o -> c)",
            "alt(a -- m -> b, a -- n -> c, b -- o ->|, o)",
            "alt(a -- m ->|, alt(alt(b -- m ->|, a -- n ->|), loopW(m -> c)))",
            "loopH(seq(a -- m -> b, b -- n -> c))",
            "loopH(alt(a -- m ->|, a -- n ->|))",
            "loopP(seq(loopS(a -- m -> b), loopW(b -- n -> a)))",
            "coreg(a,c)(a -- m -> b, strict(a -- n -> c, o -> c))",
            "par(a -- m -> b, a -- m -> c, par(b -- n ->|, seq(n -> c, o -> c)))",
            "o",
        ] {
            let parsed = hif::parse(&Source::new("f", text), None).expect("an interaction");
            let (signature, interaction) = (parsed.signature, parsed.interaction);
            for groups in [vec![], vec![signature.lifelines().take(2).collect::<Vec<_>>()]] {
                let locations = Locations::new(&signature, &groups).expect("one group");
                let mut store = TermStore::new();
                let term = store.intern(&interaction).root();
                let locals = local_interactions(&interaction, &locations);
                for (location, local) in locations.iter().zip(locals) {
                    let own = locations.lifelines(location);
                    let others: LifelineSet =
                        signature.lifelines().filter(|it| !own.contains(it)).collect();
                    let removed = store.remove_lifelines(term, &others);
                    assert_eq!(store.intern(&local).root(), removed, "{text} at {location:?}");
                }
            }
        }
    }
}
