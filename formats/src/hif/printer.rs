//! Interactions as text. An explicit stack takes the place of recursion, so that no interaction is
//! too deep.

use super::parsed::MAX_NESTING;
use crate::lexer::name_text;
use multitrace_interaction::{
    Action, Interaction, LifelineId, LifelineSet, LoopKind, Node, NodeId, Passing, Passings,
    Signature, names,
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
    let mut todo = vec![PrintTask::Print(interaction.root(), 0)];
    while let Some(task) = todo.pop() {
        match task {
            PrintTask::Print(node, depth) => {
                indent(&mut out, depth);
                printer.open(node, depth, &mut out, &mut todo);
            }
            PrintTask::Comma => out.push_str(",\n"),
            PrintTask::Close(depth) => {
                out.push('\n');
                indent(&mut out, depth);
                out.push(')');
            }
        }
    }
    out.push('\n');
    out
}

/// A node or sign that is left to write, last first.
enum PrintTask {
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
    pub(super) passings: Passings<'a>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(
        dialect: Dialect,
        interaction: &'a Interaction,
        signature: &'a Signature,
    ) -> Printer<'a> {
        Printer { interaction, signature, dialect, passings: Passings::new(interaction) }
    }

    /// Writes a whole message passing, or the head of an operator, leaving its operands to do.
    fn open(&self, id: NodeId, depth: usize, out: &mut String, todo: &mut Vec<PrintTask>) {
        if let Some(passing) = self.passings.passing(id) {
            out.push_str(&self.arrow(&passing));
            return;
        }
        match self.interaction.node(id) {
            Node::Empty => out.push('o'),
            Node::Step(step) => out.push_str(&self.actions(step.actions())),
            node => {
                let mut operands = self.passings.operands(id);
                if self.is_optional(node, &operands) {
                    out.push_str("opt");
                    operands.truncate(1);
                } else {
                    out.push_str(&self.head(node));
                }
                out.push_str("(\n");
                todo.push(PrintTask::Close(depth));
                for (rank, &operand) in operands.iter().enumerate().rev() {
                    todo.push(PrintTask::Print(operand, depth + 1));
                    if rank > 0 {
                        todo.push(PrintTask::Comma);
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

    /// `origin -- message -> targets`
    fn arrow(&self, passing: &Passing) -> String {
        let Passing { origin, message, targets, is_synchronous } = passing;
        let origin = origin.map(|l| format!("{} -- ", self.lifeline(l)));
        let targets: Vec<Cow<'_, str>> = targets.iter().map(|&l| self.lifeline(l)).collect();
        let targets = match &targets[..] {
            [] => "|".to_owned(),
            [target] => format!(" {target}"),
            _ => format!(" ({})", targets.join(",")),
        };
        let kind = if *is_synchronous { "<synch>" } else { "" };
        let message = hif_name(self.signature.message_name(*message));
        format!("{}{kind}{message} ->{targets}", origin.unwrap_or_default())
    }

    /// A step that is not a passing.
    fn actions(&self, actions: &[Action]) -> String {
        let texts: Vec<String> = actions.iter().map(|&action| self.action(action)).collect();
        format!("{{{}}}", texts.join(", "))
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

/// The deepest indentation, in levels: deeper text cannot be read back anyhow, and would be mostly
/// blanks.
pub(super) const MAX_INDENT: usize = MAX_NESTING;

fn indent(out: &mut String, depth: usize) {
    indent_by(out, 4, depth.min(MAX_INDENT));
}

pub(super) fn indent_by(out: &mut String, blanks: usize, depth: usize) {
    out.extend(std::iter::repeat_n(' ', blanks * depth));
}
