//! The statements in the diagram of an interaction, down the page.

// Tasks wait on a stack, so that no interaction is too deep.

use super::operands::{self, Associative, flat};
use super::refusal::{Refusal, refuse};
use crate::diagram::model::MAX_FRAMES;
use crate::hif::ParsedSpec;
use crate::source::{Diagnostics, Span};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, LoopKind, MessageId, Node,
    NodeId, Passing,
};
use std::collections::{BTreeMap, HashSet};

/// A statement, or a border of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutlineItem {
    /// A message from one lifeline to another, or to itself.
    Arrow(LifelineId, LifelineId, MessageId),
    /// The same, emitted and received at once.
    Synchronous(LifelineId, LifelineId, MessageId),
    /// One end of a message.
    Single(Action),
    /// A frame, and its first operand.
    Open(FrameKind, Option<NodeId>),
    /// The next operand of the frame.
    Section(NodeId),
    Close,
    /// Another diagram, by its number.
    Part(usize),
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Alt,
    Opt,
    Par,
    /// Parallel at these lifelines only.
    Coregion(LifelineSet),
    /// A loop; `None` if it repeats as loops do in that order without a directive.
    Loop(Option<Repetition>),
    /// A weak loop that repeats at least so often, or exactly.
    Repeated(usize, Most),
    Strict,
}

/// From how many repetitions on statements are written as a loop, and how many statements it has at most; estimates, not
/// measured.
const LEAST_RUN: usize = 3;
const LONGEST_RUN: usize = 50;

/// How often a weak loop repeats at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Most {
    Same,
    Any,
}

/// How a loop repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repetition {
    Weak,
    Strict,
    Parallel,
    HeadFirst,
}

/// How statements follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Weak,
    Strict,
}

impl Order {
    /// How loops repeat in it without a directive.
    fn repetition(self) -> Repetition {
        match self {
            Order::Weak => Repetition::Weak,
            Order::Strict => Repetition::Strict,
        }
    }
}

enum OutlineTask {
    /// A node as the whole of an operand.
    Body(NodeId, Order),
    /// A node as one statement.
    Statement(NodeId, Order),
    /// A body that repeats at least so often.
    Repeated(NodeId, usize),
    /// Statements that repeat so often.
    Counted(Vec<NodeId>, usize),
    Item(OutlineItem),
}

/// The same statements several times.
struct Run {
    length: usize,
    count: usize,
    /// Whether a loop of the same stands behind them: then they are its first repetitions.
    is_looped: bool,
}

struct Outline<'a> {
    parsed: &'a ParsedSpec,
    interaction: &'a Interaction,
    items: Vec<OutlineItem>,
    todo: Vec<OutlineTask>,
    /// How many frames are open.
    depth: usize,
    joins_loops: bool,
    refusals: &'a mut Diagnostics,
    /// Where something was refused, so that the ends of one message are reported once.
    refused: HashSet<Span>,
}

/// The statements of an interaction. A part without a form is refused and left out. A part before a loop of the same
/// part is its first repetition, if that is asked for.
pub(super) fn outline(
    parsed: &ParsedSpec,
    joins_loops: bool,
    refusals: &mut Diagnostics,
) -> Vec<OutlineItem> {
    let interaction = &parsed.interaction;
    let todo = vec![OutlineTask::Body(interaction.root(), Order::Weak)];
    let refused = HashSet::new();
    let mut outline = Outline {
        parsed,
        interaction,
        items: Vec::new(),
        todo,
        depth: 0,
        joins_loops,
        refusals,
        refused,
    };
    while let Some(task) = outline.todo.pop() {
        match task {
            OutlineTask::Body(node, order) => outline.body(node, order),
            OutlineTask::Statement(node, order) => outline.statement(node, order),
            OutlineTask::Repeated(body, least) => {
                let kind = FrameKind::Repeated(least, Most::Any);
                outline.frame(body, kind, vec![body], Order::Weak);
            }
            OutlineTask::Counted(statements, count) => outline.counted(&statements, count),
            OutlineTask::Item(item) => outline.item(item),
        }
    }
    outline.items
}

impl Outline<'_> {
    fn refuse(&mut self, node: NodeId, refusal: &Refusal) {
        let span = self.parsed.spans.get(node.index()).copied().unwrap_or_default();
        if self.refused.insert(span) {
            refuse(self.parsed, refusal, self.refusals);
        }
    }

    fn item(&mut self, item: OutlineItem) {
        if item == OutlineItem::Close {
            self.depth -= 1;
        }
        self.items.push(item);
    }

    fn body(&mut self, node: NodeId, order: Order) {
        let kind = match order {
            Order::Weak => Associative::Seq,
            Order::Strict => Associative::Strict,
        };
        let statements = flat(self.interaction, node, kind);
        let tasks = match order {
            Order::Weak if self.joins_loops => self.with_counted(&statements),
            Order::Weak => {
                statements.into_iter().map(|id| OutlineTask::Statement(id, order)).collect()
            }
            Order::Strict => self.with_arrows(&statements),
        };
        self.todo.extend(tasks.into_iter().rev());
    }

    /// Statements in weak order, where repetitions of the same ones are one loop.
    fn with_counted(&self, statements: &[NodeId]) -> Vec<OutlineTask> {
        let (mut tasks, mut start, mut at) = (Vec::new(), 0, 0);
        while at < statements.len() {
            let Some(Run { length, count, is_looped }) = self.run(&statements[at..]) else {
                at += 1;
                continue;
            };
            if !is_looped {
                tasks.extend(self.with_repeated(&statements[start..at]));
                tasks.push(OutlineTask::Counted(statements[at..at + length].to_vec(), count));
                start = at + length * count;
            }
            at += length * count;
        }
        tasks.extend(self.with_repeated(&statements[start..]));
        tasks
    }

    /// The statements that repeat from the first one on, if that is worth a loop.
    fn run(&self, statements: &[NodeId]) -> Option<Run> {
        let is_same = |a: &[NodeId], b: &[NodeId]| {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(&a, &b)| self.interaction.is_same_part(a, b))
        };
        (1..=LONGEST_RUN.min(statements.len() / LEAST_RUN)).find_map(|length| {
            let first = &statements[..length];
            let count = statements.chunks(length).take_while(|it| is_same(it, first)).count();
            let is_looped = statements.get(length * count).is_some_and(|&id| {
                matches!(*self.interaction.node(id), Node::Loop(LoopKind::Weak, body)
                    if is_same(&flat(self.interaction, body, Associative::Seq), first))
            });
            (count >= LEAST_RUN).then_some(Run { length, count, is_looped })
        })
    }

    fn counted(&mut self, statements: &[NodeId], count: usize) {
        if self.open(statements[0], FrameKind::Repeated(count, Most::Same), None) {
            self.todo.extend(self.with_repeated(statements).into_iter().rev());
        }
    }

    /// Statements in weak order, where a loop and its first repetitions before it are one.
    fn with_repeated(&self, statements: &[NodeId]) -> Vec<OutlineTask> {
        // Each with the first of its statements.
        let mut tasks: Vec<(usize, OutlineTask)> = Vec::with_capacity(statements.len());
        for (at, &id) in statements.iter().enumerate() {
            let repeated = self.repeated(&statements[..at], id);
            let start = repeated.map_or(at, |(start, ..)| start);
            let begun = tasks.iter().rposition(|(first, _)| *first == start);
            match (repeated, begun) {
                (Some((_, body, least)), Some(begun)) => {
                    tasks.truncate(begun);
                    tasks.push((start, OutlineTask::Repeated(body, least)));
                }
                _ => tasks.push((at, OutlineTask::Statement(id, Order::Weak))),
            }
        }
        tasks.into_iter().map(|(_, task)| task).collect()
    }

    /// Where the statements begin that are the first repetitions of the loop behind them, its body, and how many they are.
    fn repeated(&self, before: &[NodeId], id: NodeId) -> Option<(usize, NodeId, usize)> {
        let Node::Loop(LoopKind::Weak, body) = *self.interaction.node(id) else { return None };
        let own = flat(self.interaction, body, Associative::Seq);
        let is_body = |part: &&[NodeId]| {
            let mut pairs = part.iter().zip(&own);
            part.len() == own.len() && pairs.all(|(&a, &b)| self.interaction.is_same_part(a, b))
        };
        let least = before.rchunks(own.len().max(1)).take_while(is_body).count();
        (least > 0).then(|| (before.len() - least * own.len(), body, least))
    }

    /// Statements in strict order, where an emission and its reception are one arrow.
    fn with_arrows(&self, statements: &[NodeId]) -> Vec<OutlineTask> {
        let mut tasks = Vec::with_capacity(statements.len());
        let mut rest = statements;
        while let [first, after @ ..] = rest {
            rest = after;
            let arrow = after.first().and_then(|&second| self.arrow(*first, second));
            if arrow.is_some() {
                rest = &after[1..];
            }
            tasks.push(
                arrow.map_or(OutlineTask::Statement(*first, Order::Strict), OutlineTask::Item),
            );
        }
        tasks
    }

    /// The message whose ends are these nodes.
    fn arrow(&self, first: NodeId, second: NodeId) -> Option<OutlineItem> {
        let (emission, reception) = (self.single(first)?, self.single(second)?);
        let is_one = emission.kind == ActionKind::Emission
            && reception.kind == ActionKind::Reception
            && emission.message == reception.message;
        is_one.then_some(OutlineItem::Arrow(
            emission.lifeline,
            reception.lifeline,
            emission.message,
        ))
    }

    fn single(&self, node: NodeId) -> Option<Action> {
        if let Node::Step(step) = self.interaction.node(node) { step.as_single() } else { None }
    }

    fn statement(&mut self, id: NodeId, order: Order) {
        let interaction = self.interaction;
        match interaction.node(id) {
            Node::Empty => {}
            Node::Step(_) => self.step(id),
            Node::Strict(..) => self.strict(id),
            node if Associative::Seq.is_of(node) => self.weak_in_strict(id),
            Node::Seq(..) => {}
            Node::Par(..) => self.parallel(id, order),
            Node::CoReg(region, ..) => {
                let operands = operands::of_region(interaction, id);
                self.frame(id, FrameKind::Coregion(region.clone()), operands, order);
            }
            Node::Alt(..) => self.alternatives(id, order),
            Node::Loop(kind, body) => match self.repetition(kind, *body) {
                Some(repetition) => {
                    let said = Some(repetition).filter(|it| *it != order.repetition());
                    self.frame(id, FrameKind::Loop(said), vec![*body], order);
                }
                None => self.refuse(id, &Refusal::RegionLoop(id)),
            },
        }
    }

    fn step(&mut self, id: NodeId) {
        match self.single(id) {
            Some(action) => self.items.push(OutlineItem::Single(action)),
            None => match synchronous(self.interaction, id) {
                Some((from, to, message)) => {
                    self.items.push(OutlineItem::Synchronous(from, to, message))
                }
                None => self.refuse(id, &Refusal::Synchronous(id)),
            },
        }
    }

    /// A strict order among weak ones.
    fn strict(&mut self, id: NodeId) {
        let operands = flat(self.interaction, id, Associative::Strict);
        match operands[..] {
            [] => {}
            [only] => self.todo.push(OutlineTask::Body(only, Order::Weak)),
            [first, second] if self.arrow(first, second).is_some() => {
                self.items.extend(self.arrow(first, second));
            }
            _ => self.frame(id, FrameKind::Strict, vec![id], Order::Strict),
        }
    }

    /// A weak order among strict ones: a coregion of a lifeline that the operands do not share.
    fn weak_in_strict(&mut self, id: NodeId) {
        let operands = flat(self.interaction, id, Associative::Seq);
        if let [] | [_] = operands[..] {
            self.todo.extend(operands.first().map(|&only| OutlineTask::Body(only, Order::Strict)));
            return;
        }
        let mut users: BTreeMap<LifelineId, usize> = BTreeMap::new();
        for &operand in &operands {
            for lifeline in operands::lifelines(self.interaction, operand).iter() {
                *users.entry(lifeline).or_default() += 1;
            }
        }
        let is_shared = |lifeline: &LifelineId| users.get(lifeline).is_some_and(|&count| count > 1);
        let mut lifelines = self.parsed.signature.lifelines();
        let frame = if !users.keys().any(is_shared) {
            FrameKind::Par
        } else if let Some(own) = lifelines.find(|it| !is_shared(it)) {
            FrameKind::Coregion([own].into_iter().collect())
        } else {
            return self.refuse(id, &Refusal::WeakInStrict(id));
        };
        self.frame(id, frame, operands, Order::Strict);
    }

    fn parallel(&mut self, id: NodeId, order: Order) {
        let operands = flat(self.interaction, id, Associative::Par);
        match operands[..] {
            [] => {}
            [only] => self.todo.push(OutlineTask::Body(only, order)),
            _ => self.frame(id, FrameKind::Par, operands, order),
        }
    }

    fn alternatives(&mut self, id: NodeId, order: Order) {
        let mut operands = flat(self.interaction, id, Associative::Alt);
        let is_optional = matches!(operands[..], [_, second]
            if *self.interaction.node(second) == Node::Empty);
        if is_optional {
            operands.truncate(1);
        }
        self.frame(id, if is_optional { FrameKind::Opt } else { FrameKind::Alt }, operands, order);
    }

    /// How a loop repeats; `None` if its region has some but not all lifelines of its body.
    fn repetition(&self, kind: &LoopKind, body: NodeId) -> Option<Repetition> {
        Some(match kind {
            LoopKind::Weak => Repetition::Weak,
            LoopKind::Strict => Repetition::Strict,
            LoopKind::Parallel => Repetition::Parallel,
            LoopKind::HeadFirst => Repetition::HeadFirst,
            LoopKind::CoReg(region) => {
                let inside = operands::lifelines(self.interaction, body);
                let own = inside.intersection(region);
                match () {
                    () if own.is_empty() => Repetition::Weak,
                    () if inside.is_subset(region) => Repetition::Parallel,
                    () => return None,
                }
            }
        })
    }

    /// Opens a frame, and leaves its end to do; false, and it is refused, if it would be too deep.
    fn open(&mut self, id: NodeId, frame: FrameKind, operand: Option<NodeId>) -> bool {
        if self.depth == MAX_FRAMES {
            self.refuse(id, &Refusal::TooDeep(id));
            return false;
        }
        self.depth += 1;
        self.items.push(OutlineItem::Open(frame, operand));
        self.todo.push(OutlineTask::Item(OutlineItem::Close));
        true
    }

    /// Opens a frame, and leaves its operands and its end to do.
    fn frame(&mut self, id: NodeId, frame: FrameKind, operands: Vec<NodeId>, order: Order) {
        if !self.open(id, frame, operands.first().copied()) {
            return;
        }
        for (rank, operand) in operands.into_iter().enumerate().rev() {
            self.todo.push(OutlineTask::Body(operand, order));
            if rank > 0 {
                self.todo.push(OutlineTask::Item(OutlineItem::Section(operand)));
            }
        }
    }
}

/// Sender, receiver and message of a step of an emission and one reception of it.
fn synchronous(
    interaction: &Interaction,
    id: NodeId,
) -> Option<(LifelineId, LifelineId, MessageId)> {
    let Node::Step(step) = interaction.node(id) else { return None };
    let passing = Passing::of_step(step.actions())?;
    let [to] = passing.targets[..] else { return None };
    Some((passing.origin?, to, passing.message))
}
