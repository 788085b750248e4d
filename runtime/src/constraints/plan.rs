//! A specification as constraints are made of it: a tree of operators with any number of operands, letters instead of actions.
//
// Idea: nested operators of one kind are one operator, since the order between operands that are not side by side is the
// same. Made once for all sessions.
//
// Cost: linear in the specification; the letters and lifelines of loops, once for each loop around them; the square of the
// alternatives of a loop.

use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LetterId, LifelineId, LifelineSet, LocationId, LoopKind,
    Node, NodeId, Signature,
};
use rustc_hash::{FxHashMap, FxHashSet};

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
    Loop(PlannedLoop),
}

/// Repetitions of a part.
#[derive(Clone, Debug)]
pub(super) struct PlannedLoop {
    pub(super) order: LoopOrder,
    pub(super) body: PlanId,
    /// The letters in it, sorted.
    pub(super) letters: Vec<LetterId>,
    pub(super) numbering: Numbering,
}

impl PlannedLoop {
    /// The steps that number its repetitions.
    pub(super) fn numbered_by(&self) -> &[PlanId] {
        if let Numbering::BySteps(steps) = &self.numbering { steps } else { &[] }
    }
}

/// Which of several ways to number the same repetitions is the one that is looked at: the others would be tried for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// There is one way only, as far as is known.
    Any,
    /// A repetition has at most one of these steps, and repetitions are numbered in the order in which these happen.
    BySteps(Vec<PlanId>),
    /// A repetition that takes the first of a pair of alternatives is not followed by one that takes the second, since it
    /// makes no difference which of them comes first.
    ByAlternatives(Vec<(PlanId, PlanId)>),
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
                Node::Loop(kind, body) => planned_loop(&parts, kind, body.index()),
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

/// What a loop does not order.
#[derive(Clone)]
enum Unordered {
    /// What happens at these lifelines.
    At(LifelineSet),
    /// All steps but these.
    But(Vec<PlanId>),
}

/// Notes which actions are in loops that do not order their repetitions at their lifeline.
fn note_unordered(parts: &mut [Part]) {
    // Per part, the loops around it that do not order all that is in them.
    let mut around: Vec<Vec<Unordered>> = vec![Vec::new(); parts.len()];
    for at in (0..parts.len()).rev() {
        let mut own = std::mem::take(&mut around[at]);
        match &mut parts[at] {
            Part::Step(actions) => {
                for action in actions {
                    let is_unordered = |it: &Unordered| match it {
                        Unordered::At(region) => region.contains(action.lifeline),
                        Unordered::But(steps) => !steps.contains(&at),
                    };
                    action.is_ordered = !own.iter().any(is_unordered);
                }
            }
            Part::Chain(_, operands) | Part::Par(operands) | Part::Alt(operands) => {
                operands.iter().for_each(|&it| around[it].clone_from(&own));
            }
            Part::Loop(it) => {
                match &it.order {
                    LoopOrder::Parallel => own.push(Unordered::But(it.numbered_by().to_vec())),
                    LoopOrder::Chain(Order::Weak(region)) if !region.is_empty() => {
                        own.push(Unordered::At(region.clone()));
                    }
                    LoopOrder::Chain(_) | LoopOrder::HeadFirst => {}
                }
                around[it.body] = own;
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

fn planned_loop(parts: &[Part], kind: &LoopKind, body: PlanId) -> Part {
    let order = loop_order(kind);
    let numbering = match &order {
        LoopOrder::Parallel => Numbering::BySteps(one_step(parts, body)),
        LoopOrder::Chain(Order::Weak(region)) => {
            Numbering::ByAlternatives(that_commute(parts, body, region))
        }
        LoopOrder::Chain(Order::Strict) | LoopOrder::HeadFirst => Numbering::Any,
    };
    Part::Loop(PlannedLoop { order, body, letters: letters_of(parts, body), numbering })
}

/// Steps of which at most one is there whenever a part is, and exactly one wherever that is known.
fn one_step(parts: &[Part], root: PlanId) -> Vec<PlanId> {
    match &parts[root] {
        Part::Step(_) => vec![root],
        Part::Chain(_, operands) | Part::Par(operands) => {
            let found = operands.iter().map(|&it| one_step(parts, it));
            found.filter(|steps| !steps.is_empty()).min_by_key(Vec::len).unwrap_or_default()
        }
        Part::Alt(operands) => operands.iter().flat_map(|&it| one_step(parts, it)).collect(),
        Part::Loop(_) => Vec::new(),
    }
}

/// Which alternatives of a part share no lifeline but these, so that in a weak sequence either may come first: each pair with
/// the later one first.
fn that_commute(parts: &[Part], root: PlanId, region: &LifelineSet) -> Vec<(PlanId, PlanId)> {
    let Part::Alt(operands) = &parts[root] else { return Vec::new() };
    let lifelines: Vec<_> = operands.iter().map(|&it| lifelines_of(parts, it, region)).collect();
    let mut pairs = Vec::new();
    for (at, &first) in operands.iter().enumerate() {
        let apart = |&(index, _): &(usize, &PlanId)| lifelines[index].is_disjoint(&lifelines[at]);
        let later = operands.iter().enumerate().skip(at + 1).filter(apart);
        pairs.extend(later.map(|(_, &later)| (later, first)));
    }
    pairs
}

/// The lifelines below a part, without these.
fn lifelines_of(parts: &[Part], root: PlanId, without: &LifelineSet) -> FxHashSet<LifelineId> {
    let (mut found, mut todo) = (FxHashSet::default(), vec![root]);
    while let Some(part) = todo.pop() {
        match &parts[part] {
            Part::Step(actions) => {
                let lifelines = actions.iter().map(|it| it.lifeline);
                found.extend(lifelines.filter(|&it| !without.contains(it)));
            }
            Part::Chain(_, operands) | Part::Par(operands) | Part::Alt(operands) => {
                todo.extend(operands);
            }
            Part::Loop(it) => todo.push(it.body),
        }
    }
    found
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
            Part::Loop(it) => found.extend_from_slice(&it.letters),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
