//! A specification as constraints are made of it: a tree of operators with any number of operands, letters instead of actions.
//
// Idea: nested operators of one kind are one operator, since the order between operands that are not side by side is the
// same. Made once for all sessions.
//
// Cost: linear in the specification; the letters of loops, once for each loop around them.

use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LetterId, LifelineId, LifelineSet, LocationId, LoopKind,
    Node, NodeId, Signature,
};
use rustc_hash::FxHashMap;

/// The number of an operator.
pub(super) type PlanId = usize;

/// An operator or a step.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Actions that happen together: what each is, where it is logged, and where it happens.
    Step(Vec<PlannedAction>),
    /// The operands one after the other.
    Chain(Order, Vec<PlanId>),
    /// All operands, in any order.
    Par(Vec<PlanId>),
    /// One of the operands.
    Alt(Vec<PlanId>),
    /// Repetitions of a part, and the letters in it.
    Loop(LoopOrder, PlanId, Vec<LetterId>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedAction {
    pub(super) letter: LetterId,
    pub(super) location: LocationId,
    pub(super) lifeline: LifelineId,
    /// Whether repetitions of all loops around it follow each other at its lifeline.
    is_ordered: bool,
}

/// How operands follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Strict,
    /// On each lifeline, but for these.
    Weak(LifelineSet),
}

/// How repetitions follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LoopOrder {
    Chain(Order),
    Parallel,
    /// Weakly, each after all before it have begun.
    HeadFirst,
}

/// A specification to make constraints of.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) parts: Vec<Part>,
    pub(super) root: PlanId,
}

impl Plan {
    /// `None` if some step has several actions at one location, which a log would have to show side by side.
    pub(crate) fn new(
        signature: &Signature,
        interaction: &Interaction,
        alphabet: &Alphabet,
    ) -> Option<Plan> {
        let locations = alphabet.locations_of(signature);
        let letters: FxHashMap<Action, LetterId> =
            alphabet.letters_of(signature, interaction.actions()).into_iter().collect();
        let planned = |&action: &Action| PlannedAction {
            letter: letters[&action],
            location: locations.of(action.lifeline),
            lifeline: action.lifeline,
            is_ordered: true,
        };
        let mut parts: Vec<Part> = Vec::with_capacity(interaction.nodes().len());
        for node in interaction.nodes() {
            let part = match node {
                Node::Empty => Part::Par(Vec::new()),
                Node::Step(step) => {
                    let actions: Vec<_> = step.actions().iter().map(planned).collect();
                    let mut used: Vec<_> = actions.iter().map(|it| it.location).collect();
                    used.sort_unstable();
                    if used.windows(2).any(|pair| pair[0] == pair[1]) {
                        return None;
                    }
                    Part::Step(actions)
                }
                Node::Strict(a, b) => chain(&mut parts, &Order::Strict, [*a, *b]),
                Node::Seq(a, b) => chain(&mut parts, &Order::Weak(LifelineSet::new()), [*a, *b]),
                Node::CoReg(region, a, b) => {
                    chain(&mut parts, &Order::Weak(region.clone()), [*a, *b])
                }
                Node::Par(a, b) => Part::Par(flat(&mut parts, [*a, *b], |part| match part {
                    Part::Par(operands) if !operands.is_empty() => Some(operands),
                    _ => None,
                })),
                Node::Alt(a, b) => Part::Alt(flat(&mut parts, [*a, *b], |part| match part {
                    Part::Alt(operands) => Some(operands),
                    _ => None,
                })),
                Node::Loop(kind, body) => {
                    Part::Loop(loop_order(kind), body.index(), letters_of(&parts, body.index()))
                }
            };
            parts.push(part);
        }
        note_unordered(&mut parts);
        Some(Plan { root: interaction.root().index(), parts })
    }

    /// How many steps and operators it has.
    pub(crate) fn size(&self) -> usize {
        self.parts.len()
    }

    /// Whether what a step does by a letter is in order at its lifeline, however often loops around it are repeated.
    pub(super) fn is_ordered(&self, step: PlanId, letter: LetterId) -> bool {
        let Part::Step(actions) = &self.parts[step] else { return false };
        actions.iter().any(|it| it.letter == letter && it.is_ordered)
    }
}

/// Notes which actions are in loops that do not order their repetitions at their lifeline.
fn note_unordered(parts: &mut [Part]) {
    // Per part, the loops around it that do not order all lifelines: all of them if there is no region.
    let mut around: Vec<Vec<Option<LifelineSet>>> = vec![Vec::new(); parts.len()];
    for at in (0..parts.len()).rev() {
        let mut own = std::mem::take(&mut around[at]);
        match &mut parts[at] {
            Part::Step(actions) => {
                for action in actions {
                    let is_unordered = |region: &Option<LifelineSet>| {
                        region.as_ref().is_none_or(|region| region.contains(action.lifeline))
                    };
                    action.is_ordered = !own.iter().any(is_unordered);
                }
            }
            Part::Chain(_, operands) | Part::Par(operands) | Part::Alt(operands) => {
                operands.iter().for_each(|&it| around[it].clone_from(&own));
            }
            Part::Loop(order, body, _) => {
                match order {
                    LoopOrder::Parallel => own.push(None),
                    LoopOrder::Chain(Order::Weak(region)) if !region.is_empty() => {
                        own.push(Some(region.clone()));
                    }
                    LoopOrder::Chain(_) | LoopOrder::HeadFirst => {}
                }
                around[*body] = own;
            }
        }
    }
}

fn chain(parts: &mut [Part], order: &Order, operands: [NodeId; 2]) -> Part {
    let operands = flat(parts, operands, |part| match part {
        Part::Chain(own, operands) if own == order => Some(operands),
        _ => None,
    });
    Part::Chain(order.clone(), operands)
}

/// The operands, with those of an operand of the same kind in its place, which takes them over.
fn flat(
    parts: &mut [Part],
    operands: [NodeId; 2],
    same: impl Fn(&mut Part) -> Option<&mut Vec<PlanId>>,
) -> Vec<PlanId> {
    let [first, second] = operands.map(Id::index);
    let mut all = same(&mut parts[first]).map_or_else(|| vec![first], std::mem::take);
    match same(&mut parts[second]) {
        // Chains that lean to the right would be copied again and again, if the shorter one were not put before the longer.
        Some(more) if all.len() < more.len() => {
            let mut more = std::mem::take(more);
            more.splice(0..0, all);
            return more;
        }
        Some(more) => all.append(more),
        None => all.push(second),
    }
    all
}

fn loop_order(kind: &LoopKind) -> LoopOrder {
    match kind {
        LoopKind::Strict => LoopOrder::Chain(Order::Strict),
        LoopKind::Weak => LoopOrder::Chain(Order::Weak(LifelineSet::new())),
        LoopKind::CoReg(region) => LoopOrder::Chain(Order::Weak(region.clone())),
        LoopKind::Parallel => LoopOrder::Parallel,
        LoopKind::HeadFirst => LoopOrder::HeadFirst,
    }
}

/// The letters below a part, sorted, each once.
fn letters_of(parts: &[Part], root: PlanId) -> Vec<LetterId> {
    let (mut found, mut todo) = (Vec::new(), vec![root]);
    while let Some(part) = todo.pop() {
        match &parts[part] {
            Part::Step(actions) => found.extend(actions.iter().map(|it| it.letter)),
            Part::Chain(_, operands) | Part::Par(operands) | Part::Alt(operands) => {
                todo.extend(operands);
            }
            Part::Loop(_, _, letters) => found.extend_from_slice(letters),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
