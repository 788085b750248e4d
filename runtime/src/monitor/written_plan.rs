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
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The number of an operator.
pub(crate) type PlanId = usize;

/// An operator or a step.
#[derive(Clone, Debug)]
pub(crate) enum PlanPart {
    /// Actions that happen together, each with its letter, location and lifeline.
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
pub(crate) struct PlannedLoop {
    pub(crate) order: LoopOrder,
    pub(crate) body: PlanId,
    /// The letters in it, sorted.
    pub(crate) letters: Vec<LetterId>,
    /// How many actions a repetition has at most; `usize::MAX` if it has loops.
    pub(crate) most_actions: usize,
    pub(crate) numbering: Numbering,
}

impl PlannedLoop {
    /// Whether a step is one that numbers the repetitions.
    fn is_numbered_by(&self, step: PlanId) -> bool {
        matches!(&self.numbering, Numbering::BySteps(steps) if steps.binary_search(&step).is_ok())
    }
}

/// The same repetitions can often be numbered in several ways. Trying one of them is enough; this says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// Any; no other is known.
    Any,
    /// In the order in which these steps happen. Each repetition has at most one of them; they are sorted.
    BySteps(Vec<PlanId>),
    /// Repetitions with these two alternatives may change places. In the numbering that is tried, one with the first of the
    /// two is never right before one with the second.
    ByAlternatives(Vec<(PlanId, PlanId)>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedAction {
    pub(crate) letter: LetterId,
    pub(crate) location: LocationId,
    pub(crate) lifeline: LifelineId,
    /// How many steps have its letter, this one included.
    pub(crate) steps: usize,
    /// Whether repetitions of all loops around it follow each other at its lifeline.
    is_ordered: bool,
}

/// How operands follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Strict,
    /// On each lifeline, but for these.
    Weak(LifelineSet),
}

/// How repetitions follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LoopOrder {
    Chain(Order),
    Parallel,
    /// Weakly, each after all before it have begun.
    HeadFirst,
}

/// A specification to make constraints of.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<PlanPart>,
    pub(crate) root: PlanId,
    /// Whether some operator leaves an order open at one location.
    pub(crate) is_concurrent: bool,
}

impl Plan {
    /// `None` if some step has several actions at one location, which a log would have to show side by side.
    pub(crate) fn new(
        signature: &Signature,
        interaction: &Interaction,
        alphabet: &Alphabet,
    ) -> Option<Plan> {
        let locations = alphabet.locations_of(signature);
        let planned = |&action: &Action| PlannedAction {
            letter: alphabet.letter_of(action).unwrap_or(LetterId::UNKNOWN),
            location: locations.of(action.lifeline),
            lifeline: action.lifeline,
            steps: 1,
            is_ordered: true,
        };
        let mut parts: Vec<PlanPart> = Vec::with_capacity(interaction.nodes().len());
        for node in interaction.nodes() {
            let part = match node {
                Node::Empty => PlanPart::Par(Vec::new()),
                Node::Step(step) => {
                    let actions: Vec<_> = step.actions().iter().map(planned).collect();
                    let mut used: Vec<_> = actions.iter().map(|it| it.location).collect();
                    used.sort_unstable();
                    if used.windows(2).any(|pair| pair[0] == pair[1]) {
                        return None;
                    }
                    PlanPart::Step(actions)
                }
                Node::Strict(a, b) => chain(&mut parts, &Order::Strict, [*a, *b]),
                Node::Seq(a, b) => chain(&mut parts, &Order::Weak(LifelineSet::new()), [*a, *b]),
                Node::CoReg(region, a, b) => {
                    chain(&mut parts, &Order::Weak(region.clone()), [*a, *b])
                }
                Node::Par(a, b) => PlanPart::Par(flat(&mut parts, [*a, *b], |part| match part {
                    PlanPart::Par(operands) if !operands.is_empty() => Some(operands),
                    _ => None,
                })),
                Node::Alt(a, b) => PlanPart::Alt(flat(&mut parts, [*a, *b], |part| match part {
                    PlanPart::Alt(operands) => Some(operands),
                    _ => None,
                })),
                Node::Loop(kind, body) => PlanPart::Loop(PlannedLoop {
                    order: loop_order(kind),
                    body: body.index(),
                    letters: letters_of(&parts, body.index()),
                    most_actions: usize::MAX,
                    numbering: Numbering::Any,
                }),
            };
            parts.push(part);
        }
        count_steps(&mut parts, alphabet.letters().len());
        number_loops(&mut parts);
        note_unordered(&mut parts);
        let is_concurrent = interaction.nodes().iter().any(|node| match node {
            Node::Par(..) | Node::CoReg(..) => true,
            Node::Loop(kind, _) => matches!(kind, LoopKind::Parallel | LoopKind::CoReg(_)),
            _ => false,
        });
        Some(Plan { root: interaction.root().index(), parts, is_concurrent })
    }

    /// The actions of a step; none for any other part.
    pub(crate) fn actions(&self, step: PlanId) -> &[PlannedAction] {
        match &self.parts[step] {
            PlanPart::Step(actions) => actions,
            _ => &[],
        }
    }

    /// Whether the actions of a step by a letter are in order at its lifeline, however often loops around it are
    /// repeated.
    pub(crate) fn is_ordered(&self, step: PlanId, letter: LetterId) -> bool {
        self.actions(step).iter().any(|it| it.letter == letter && it.is_ordered)
    }
}

/// Counts the steps of each letter.
fn count_steps(parts: &mut [PlanPart], letters: usize) {
    let mut steps = vec![0; letters];
    let actions = |part: &PlanPart| match part {
        PlanPart::Step(actions) => actions.clone(),
        _ => Vec::new(),
    };
    parts.iter().flat_map(actions).for_each(|it| steps[it.letter.index()] += 1);
    for part in parts {
        if let PlanPart::Step(actions) = part {
            actions.iter_mut().for_each(|it| it.steps = steps[it.letter.index()]);
        }
    }
}

/// Notes which actions are in loops that do not order their repetitions at their lifeline.
fn note_unordered(parts: &mut [PlanPart]) {
    // Per part, the loops around it that do not order all that is in them; parts share these lists.
    let mut around: Vec<Rc<[PlanId]>> = vec![Rc::default(); parts.len()];
    for at in (0..parts.len()).rev() {
        let own = std::mem::take(&mut around[at]);
        match &parts[at] {
            PlanPart::Step(actions) => {
                let unordered = |action: &PlannedAction| {
                    own.iter().any(|&it| !orders(&parts[it], (at, action.lifeline)))
                };
                let unordered: Vec<bool> = actions.iter().map(unordered).collect();
                if let PlanPart::Step(actions) = &mut parts[at] {
                    let noted = actions.iter_mut().zip(unordered);
                    noted.for_each(|(action, unordered)| action.is_ordered = !unordered);
                }
            }
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) | PlanPart::Alt(operands) => {
                operands.iter().for_each(|&it| around[it] = Rc::clone(&own));
            }
            PlanPart::Loop(it) => {
                around[it.body] = match &it.order {
                    LoopOrder::Chain(Order::Weak(region)) if region.is_empty() => own,
                    LoopOrder::Chain(Order::Strict) | LoopOrder::HeadFirst => own,
                    LoopOrder::Chain(Order::Weak(_)) | LoopOrder::Parallel => {
                        own.iter().copied().chain([at]).collect()
                    }
                };
            }
        }
    }
}

/// Whether repetitions of a loop order the actions of a step at a lifeline.
fn orders(part: &PlanPart, (step, lifeline): (PlanId, LifelineId)) -> bool {
    let PlanPart::Loop(it) = part else { return true };
    match &it.order {
        LoopOrder::Parallel => it.is_numbered_by(step),
        LoopOrder::Chain(Order::Weak(region)) => !region.contains(lifeline),
        LoopOrder::Chain(Order::Strict) | LoopOrder::HeadFirst => true,
    }
}

fn chain(parts: &mut [PlanPart], order: &Order, operands: [NodeId; 2]) -> PlanPart {
    let operands = flat(parts, operands, |part| match part {
        PlanPart::Chain(own, operands) if own == order => Some(operands),
        _ => None,
    });
    PlanPart::Chain(order.clone(), operands)
}

/// The operands, with those of an operand of the same kind in its place, which takes them over.
fn flat(
    parts: &mut [PlanPart],
    operands: [NodeId; 2],
    same: impl Fn(&mut PlanPart) -> Option<&mut Vec<PlanId>>,
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

/// Says of each loop which numbering of its repetitions is tried, and how large they are.
fn number_loops(parts: &mut [PlanPart]) {
    let marks = Marks::new(parts);
    let most_actions = most_actions(parts);
    for at in 0..parts.len() {
        let PlanPart::Loop(it) = &parts[at] else { continue };
        let numbering = match &it.order {
            LoopOrder::Parallel => Numbering::BySteps(marks.below(parts, it.body)),
            LoopOrder::Chain(Order::Weak(region)) => {
                Numbering::ByAlternatives(that_commute(parts, it.body, region))
            }
            LoopOrder::Chain(Order::Strict) | LoopOrder::HeadFirst => Numbering::Any,
        };
        if let PlanPart::Loop(it) = &mut parts[at] {
            it.numbering = numbering;
            it.most_actions = most_actions[it.body];
        }
    }
}

/// Per part, how many actions it has at most.
fn most_actions(parts: &[PlanPart]) -> Vec<usize> {
    let mut most: Vec<usize> = Vec::with_capacity(parts.len());
    for part in parts {
        let own = match part {
            PlanPart::Step(actions) => actions.len(),
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) => {
                operands.iter().fold(0, |all, &it| most[it].saturating_add(all))
            }
            PlanPart::Alt(operands) => operands.iter().map(|&it| most[it]).max().unwrap_or(0),
            PlanPart::Loop(_) => usize::MAX,
        };
        most.push(own);
    }
    most
}

/// Which steps can number the repetitions of a part: each repetition has at most one of them.
struct Marks {
    /// Per part, how many such steps it has.
    count: Vec<usize>,
    /// Per part, whether each repetition has one of them.
    is_sure: Vec<bool>,
}

impl Marks {
    fn new(parts: &[PlanPart]) -> Marks {
        let mut marks = Marks { count: Vec::new(), is_sure: Vec::new() };
        for part in parts {
            let (count, is_sure) = match part {
                PlanPart::Step(_) => (1, true),
                PlanPart::Chain(_, operands) | PlanPart::Par(operands) => marks
                    .best(operands)
                    .map_or((0, false), |it| (marks.count[it], marks.is_sure[it])),
                PlanPart::Alt(operands) => (
                    operands.iter().fold(0, |all, &it| marks.count[it].saturating_add(all)),
                    operands.iter().all(|&it| marks.is_sure[it]),
                ),
                PlanPart::Loop(_) => (0, false),
            };
            marks.count.push(count);
            marks.is_sure.push(is_sure);
        }
        marks
    }

    /// The operand with the best mark: one that is surely there, of few steps.
    fn best(&self, operands: &[PlanId]) -> Option<PlanId> {
        let marked = operands.iter().copied().filter(|&it| self.count[it] > 0);
        marked.min_by_key(|&it| (!self.is_sure[it], self.count[it]))
    }

    /// The steps of a part, sorted.
    fn below(&self, parts: &[PlanPart], root: PlanId) -> Vec<PlanId> {
        let (mut found, mut todo) = (Vec::new(), vec![root]);
        while let Some(part) = todo.pop() {
            match &parts[part] {
                PlanPart::Step(_) => found.push(part),
                PlanPart::Chain(_, operands) | PlanPart::Par(operands) => {
                    todo.extend(self.best(operands))
                }
                PlanPart::Alt(operands) => todo.extend(operands),
                PlanPart::Loop(_) => {}
            }
        }
        found.sort_unstable();
        found
    }
}

/// Loops with more alternatives, or with more parts in them, are numbered in any way: comparing all pairs would take the square.
/// Estimates.
const MOST_ALTERNATIVES: usize = 32;
const MOST_PARTS: usize = 1_000;

/// Which alternatives of a part share no lifeline but these, so that in a weak sequence either may come first: each pair with
/// the later one first.
fn that_commute(parts: &[PlanPart], root: PlanId, region: &LifelineSet) -> Vec<(PlanId, PlanId)> {
    let PlanPart::Alt(operands) = &parts[root] else { return Vec::new() };
    if operands.len() > MOST_ALTERNATIVES {
        return Vec::new();
    }
    let mut left = MOST_PARTS;
    let lifelines: Option<Vec<_>> =
        operands.iter().map(|&it| lifelines_of(parts, it, region, &mut left)).collect();
    let Some(lifelines) = lifelines else { return Vec::new() };
    let mut pairs = Vec::new();
    for (at, &first) in operands.iter().enumerate() {
        let apart = |&(index, _): &(usize, &PlanId)| lifelines[index].is_disjoint(&lifelines[at]);
        let later = operands.iter().enumerate().skip(at + 1).filter(apart);
        pairs.extend(later.map(|(_, &later)| (later, first)));
    }
    pairs
}

/// The lifelines below a part, without these; `None` if it has more parts than are left.
fn lifelines_of(
    parts: &[PlanPart],
    root: PlanId,
    without: &LifelineSet,
    left: &mut usize,
) -> Option<FxHashSet<LifelineId>> {
    let (mut found, mut todo) = (FxHashSet::default(), vec![root]);
    while let Some(part) = todo.pop() {
        *left = left.checked_sub(1)?;
        match &parts[part] {
            PlanPart::Step(actions) => {
                let lifelines = actions.iter().map(|it| it.lifeline);
                found.extend(lifelines.filter(|&it| !without.contains(it)));
            }
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) | PlanPart::Alt(operands) => {
                todo.extend(operands);
            }
            PlanPart::Loop(it) => todo.push(it.body),
        }
    }
    Some(found)
}

/// The letters below a part, sorted, each once.
fn letters_of(parts: &[PlanPart], root: PlanId) -> Vec<LetterId> {
    let (mut found, mut todo) = (Vec::new(), vec![root]);
    while let Some(part) = todo.pop() {
        match &parts[part] {
            PlanPart::Step(actions) => found.extend(actions.iter().map(|it| it.letter)),
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) | PlanPart::Alt(operands) => {
                todo.extend(operands);
            }
            PlanPart::Loop(it) => found.extend_from_slice(&it.letters),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
