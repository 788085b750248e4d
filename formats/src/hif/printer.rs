//! Interactions as text. An explicit stack takes the place of recursion, so that no interaction is
//! too deep.

use super::parsed::MAX_NESTING;
use crate::lexer::name_text;
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, LoopKind, MessageId, Node,
    NodeId, Signature, names,
};
use std::borrow::Cow;

/// Writes an interaction, four spaces a level, such that [`parse`](super::parse) with the same
/// signature reads an equal one. That holds up to [`MAX_NESTING`] levels of operators, where those nested
/// on the right of their like count once. Names stand in quotes where they need them.
///
/// # Panics
/// When the interaction is not over this signature.
///
/// ```
/// use multitrace_formats::{hif, source::Source};
/// let source = Source::new("a.hif", "loopS(seq(a -- m -> b, seq(b--n->a, o)))");
/// let spec = hif::parse(&source, None).expect("an interaction");
/// let text = hif::print(&spec.interaction, &spec.signature);
/// assert_eq!(text, "\
/// loopS(
///     seq(
///         a -- m -> b,
///         b -- n -> a,
///         o
///     )
/// )
/// ");
/// ```
pub fn print(interaction: &Interaction, signature: &Signature) -> String {
    print_in(Dialect::Hibou, interaction, signature)
}

/// The same as [`print()`], with these operators.
///
/// # Panics
/// When the interaction is not over this signature.
pub fn print_in(dialect: Dialect, interaction: &Interaction, signature: &Signature) -> String {
    let printer = Printer::new(dialect, interaction, signature);
    let mut out = String::new();
    let mut todo = vec![Task::Print(interaction.root(), 0)];
    while let Some(task) = todo.pop() {
        match task {
            Task::Print(node, depth) => {
                indent(&mut out, depth);
                printer.open(node, depth, &mut out, &mut todo);
            }
            Task::Comma => out.push_str(",\n"),
            Task::Close(depth) => {
                out.push('\n');
                indent(&mut out, depth);
                out.push(')');
            }
        }
    }
    out.push('\n');
    out
}

/// What is left to write, last first.
enum Task {
    Print(NodeId, usize),
    Comma,
    Close(usize),
}

/// Which operators may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Those that HIBOU knows, as far as they can say the interaction.
    Hibou,
    /// `opt` too.
    Ours,
}

pub(super) struct Printer<'a> {
    interaction: &'a Interaction,
    signature: &'a Signature,
    dialect: Dialect,
    /// See [`broadcasts`].
    broadcasts: Vec<Option<MessageId>>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(
        dialect: Dialect,
        interaction: &'a Interaction,
        signature: &'a Signature,
    ) -> Printer<'a> {
        Printer { interaction, signature, dialect, broadcasts: broadcasts(interaction) }
    }

    /// Writes a whole message passing, or the head of an operator, leaving its operands to do.
    fn open(&self, id: NodeId, depth: usize, out: &mut String, todo: &mut Vec<Task>) {
        if let Some(text) = self.passing(id) {
            out.push_str(&text);
            return;
        }
        match self.interaction.node(id) {
            Node::Empty => out.push('o'),
            Node::Step(step) => out.push_str(&self.actions(step.actions())),
            node => {
                let mut operands = self.operands(id);
                if self.is_optional(node, &operands) {
                    out.push_str("opt");
                    operands.truncate(1);
                } else {
                    out.push_str(&self.head(node));
                }
                out.push_str("(\n");
                todo.push(Task::Close(depth));
                for (rank, &operand) in operands.iter().enumerate().rev() {
                    todo.push(Task::Print(operand, depth + 1));
                    if rank > 0 {
                        todo.push(Task::Comma);
                    }
                }
            }
        }
    }

    /// Whether an operator is written `opt(…)`.
    pub(super) fn is_optional(&self, node: &Node, operands: &[NodeId]) -> bool {
        self.dialect == Dialect::Ours
            && matches!(node, Node::Alt(..))
            && matches!(operands, [_, second] if *self.interaction.node(*second) == Node::Empty)
    }

    /// The operands of an operator and of its like nested on the right.
    pub(super) fn operands(&self, id: NodeId) -> Vec<NodeId> {
        let mut operands = Vec::new();
        let mut at = id;
        loop {
            let mut children = self.interaction.node(at).children();
            let (first, second) = (children.next(), children.next());
            operands.extend(first);
            let Some(right) = second else { return operands };
            if !self.continues(id, right) {
                operands.push(right);
                return operands;
            }
            at = right;
        }
    }

    /// Whether the right operand of an operator is the same operator, not written as an arrow.
    fn continues(&self, id: NodeId, right: NodeId) -> bool {
        let same = match (self.interaction.node(id), self.interaction.node(right)) {
            (Node::Strict(..), Node::Strict(..))
            | (Node::Seq(..), Node::Seq(..))
            | (Node::Par(..), Node::Par(..))
            | (Node::Alt(..), Node::Alt(..)) => true,
            (Node::CoReg(a, ..), Node::CoReg(b, ..)) => a == b,
            _ => false,
        };
        same && !self.is_arrow(right)
    }

    fn head(&self, node: &Node) -> String {
        match node {
            Node::Empty | Node::Step(_) => String::new(),
            Node::Strict(..) => "strict".to_owned(),
            Node::Seq(..) => "seq".to_owned(),
            Node::Par(..) => "par".to_owned(),
            Node::CoReg(region, ..) => format!("coreg{}", self.region(region)),
            Node::Alt(..) => "alt".to_owned(),
            Node::Loop(LoopKind::Strict, _) => "loopS".to_owned(),
            Node::Loop(LoopKind::Weak, _) => "loopW".to_owned(),
            Node::Loop(LoopKind::Parallel, _) => "loopP".to_owned(),
            Node::Loop(LoopKind::HeadFirst, _) => "loopH".to_owned(),
            Node::Loop(LoopKind::CoReg(region), _) => format!("loopC{}", self.region(region)),
        }
    }

    fn region(&self, region: &LifelineSet) -> String {
        let names: Vec<Cow<'_, str>> = region.iter().map(|l| self.lifeline(l)).collect();
        format!("({})", names.join(","))
    }

    /// Whether an operator is written as one message passing.
    pub(super) fn is_arrow(&self, id: NodeId) -> bool {
        match *self.interaction.node(id) {
            Node::Strict(left, right) => self.strict_arrow(left, right).is_some(),
            _ => self.broadcasts[id.index()].is_some(),
        }
    }

    /// The emission of `strict(l!m, receptions of m)`.
    fn strict_arrow(&self, left: NodeId, right: NodeId) -> Option<Action> {
        let emission = single(self.interaction.node(left))?;
        let is_passed = emission.kind == ActionKind::Emission
            && self.broadcasts[right.index()] == Some(emission.message);
        is_passed.then_some(emission)
    }

    /// A node as a message passing, when it has that shape.
    fn passing(&self, id: NodeId) -> Option<String> {
        let (origin, message, targets) = self.passing_parts(id)?;
        Some(self.arrow(origin, "", message, &targets))
    }

    /// Who sends which message to whom, when a node is that.
    pub(super) fn passing_parts(
        &self,
        id: NodeId,
    ) -> Option<(Option<LifelineId>, MessageId, Vec<LifelineId>)> {
        if let Some(message) = self.broadcasts[id.index()] {
            return Some((None, message, self.receivers(id)));
        }
        let Node::Strict(left, right) = *self.interaction.node(id) else { return None };
        let emission = self.strict_arrow(left, right)?;
        Some((Some(emission.lifeline), emission.message, self.receivers(right)))
    }

    /// The lifelines of a reception, or of receptions in weak sequence.
    fn receivers(&self, id: NodeId) -> Vec<LifelineId> {
        let mut receivers = Vec::new();
        let mut at = id;
        while let Node::Seq(first, others) = *self.interaction.node(at) {
            receivers.extend(single(self.interaction.node(first)).map(|action| action.lifeline));
            at = others;
        }
        receivers.extend(single(self.interaction.node(at)).map(|action| action.lifeline));
        receivers
    }

    /// A step: as a passing if it passes a message, otherwise with its actions.
    fn actions(&self, actions: &[Action]) -> String {
        let emission = actions.first().filter(|action| action.kind == ActionKind::Emission);
        let receptions = &actions[usize::from(emission.is_some())..];
        let one_message = actions.iter().all(|action| action.message == actions[0].message);
        if !one_message || receptions.iter().any(|action| action.kind == ActionKind::Emission) {
            let texts: Vec<String> = actions.iter().map(|&action| self.action(action)).collect();
            return format!("{{{}}}", texts.join(", "));
        }
        let kind = if actions.len() > 1 { "<synch>" } else { "" };
        let targets: Vec<LifelineId> = receptions.iter().map(|action| action.lifeline).collect();
        self.arrow(emission.map(|action| action.lifeline), kind, actions[0].message, &targets)
    }

    fn arrow(
        &self,
        origin: Option<LifelineId>,
        kind: &str,
        message: MessageId,
        targets: &[LifelineId],
    ) -> String {
        let origin = origin.map(|l| format!("{} -- ", self.lifeline(l)));
        let targets: Vec<Cow<'_, str>> = targets.iter().map(|&l| self.lifeline(l)).collect();
        let targets = match &targets[..] {
            [] => "|".to_owned(),
            [target] => format!(" {target}"),
            _ => format!(" ({})", targets.join(",")),
        };
        let message = hif_name(self.signature.message_name(message));
        format!("{}{kind}{message} ->{targets}", origin.unwrap_or_default())
    }

    /// An action of a step in braces.
    fn action(&self, action: Action) -> String {
        let message = hif_name(self.signature.message_name(action.message));
        format!("{}{}{message}", self.lifeline(action.lifeline), action.kind.mark())
    }

    fn lifeline(&self, lifeline: LifelineId) -> Cow<'_, str> {
        hif_name(self.signature.lifeline_name(lifeline))
    }
}

/// A name as interactions have it, where `$$` in quotes is a dollar.
pub(super) fn hif_name(name: &str) -> Cow<'_, str> {
    match name.contains('$') {
        true => Cow::Owned(names::quoted(&name.replace('$', "$$"))),
        false => name_text(name),
    }
}

/// Per node the message m when it is a single reception of m, or `seq(l?m, …)` with receptions of
/// m all the way: what is written `m -> (l1,l2)`. Found bottom-up, because a spine that was looked
/// down from each of its nodes would take quadratic time.
fn broadcasts(interaction: &Interaction) -> Vec<Option<MessageId>> {
    let mut broadcasts: Vec<Option<MessageId>> = Vec::with_capacity(interaction.nodes().len());
    for node in interaction.nodes() {
        broadcasts.push(match *node {
            Node::Step(_) => reception(node),
            Node::Seq(first, others) => reception(interaction.node(first))
                .filter(|&message| broadcasts[others.index()] == Some(message)),
            _ => None,
        });
    }
    broadcasts
}

fn single(node: &Node) -> Option<Action> {
    if let Node::Step(step) = node { step.as_single() } else { None }
}

fn reception(node: &Node) -> Option<MessageId> {
    single(node).filter(|a| a.kind == ActionKind::Reception).map(|action| action.message)
}

/// The deepest indentation, in levels: deeper text cannot be read back anyhow, and would be mostly
/// blanks.
pub(super) const MAX_INDENT: usize = MAX_NESTING;

fn indent(out: &mut String, depth: usize) {
    indent_by(out, 4, depth.min(MAX_INDENT));
}

pub(super) fn indent_by(out: &mut String, blanks: usize, depth: usize) {
    out.extend(std::iter::repeat_n(' ', blanks * depth));
}
