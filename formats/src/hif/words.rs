//! An interaction in English, for those who check how it was understood. An outline, two blanks a level.

use super::printer::{Dialect, Printer};
use super::printer::{MAX_INDENT, indent_by};
use crate::source::quote;
use multitrace_interaction::{
    Action, ActionKind, Interaction, LifelineId, LifelineSet, LoopKind, Node, NodeId, Passing,
    Signature,
};

/// An interaction in words, one line for each operator and each message. The nodes for which `is_own` holds are drawn as
/// arrows to oneself.
///
/// # Panics
/// When the interaction is not over this signature.
///
/// ```
/// use multitrace_formats::{hif, source::Source};
/// let source = Source::new("a.hif", "seq(a -- m -> b, opt(b -- n ->|))");
/// let spec = hif::parse(&source, None).expect("an interaction");
/// assert_eq!(hif::in_words(&spec.interaction, &spec.signature, &|_| false), "\
/// - `a` sends `m` to `b`
/// - maybe:
///   - `b` emits `n`, which nobody here receives
/// ");
/// ```
pub fn in_words(
    interaction: &Interaction,
    signature: &Signature,
    is_own: &dyn Fn(NodeId) -> bool,
) -> String {
    let printer = Printer::new(Dialect::Ours, interaction, signature);
    let words = Words { printer: &printer, interaction, signature, is_own };
    let root = interaction.root();
    let mut todo = vec![(root, 0)];
    // Order down the page needs no word.
    if matches!(interaction.node(root), Node::Seq(..)) && printer.passings.passing(root).is_none() {
        todo = printer.passings.operands(root).into_iter().rev().map(|node| (node, 0)).collect();
    }
    let mut out = String::new();
    while let Some((node, depth)) = todo.pop() {
        indent_by(&mut out, 2, depth.min(MAX_INDENT));
        let (line, operands) = words.line(node);
        out.push_str(&format!("- {line}\n"));
        todo.extend(operands.into_iter().rev().map(|node| (node, depth + 1)));
    }
    out
}

struct Words<'a> {
    printer: &'a Printer<'a>,
    interaction: &'a Interaction,
    signature: &'a Signature,
    is_own: &'a dyn Fn(NodeId) -> bool,
}

impl Words<'_> {
    /// A node in words, and the operands that follow it.
    fn line(&self, id: NodeId) -> (String, Vec<NodeId>) {
        if let Some(passing) = self.printer.passings.passing(id) {
            return (self.passing(&passing, (self.is_own)(id)), Vec::new());
        }
        let node = self.interaction.node(id);
        let mut operands = self.printer.passings.operands(id);
        let text = match node {
            Node::Empty => "nothing".to_owned(),
            Node::Step(step) => return (self.step(step.actions()), Vec::new()),
            Node::Strict(..) => {
                "one after the other, each ends everywhere before the next begins:".to_owned()
            }
            Node::Seq(..) => "one after the other at each lifeline:".to_owned(),
            Node::Par(..) => "at once, in any interleaving:".to_owned(),
            Node::CoReg(region, ..) => {
                format!("one after the other, but in any order at {}:", self.region(region))
            }
            Node::Alt(..) if self.printer.is_optional(node, &operands) => {
                operands.truncate(1);
                "maybe:".to_owned()
            }
            Node::Alt(..) => "one of these:".to_owned(),
            Node::Loop(kind, _) => format!("any number of times, or never, {}:", self.kind(kind)),
        };
        (text, operands)
    }

    fn kind(&self, kind: &LoopKind) -> String {
        match kind {
            LoopKind::Strict => "each ends everywhere before the next begins".to_owned(),
            LoopKind::Weak => "one after the other at each lifeline".to_owned(),
            LoopKind::Parallel => "at once, in any interleaving".to_owned(),
            LoopKind::HeadFirst => "each begins after all before it have begun".to_owned(),
            LoopKind::CoReg(region) => {
                format!("one after the other, but in any order at {}", self.region(region))
            }
        }
    }

    fn passing(&self, passing: &Passing, is_own: bool) -> String {
        let Passing { origin, message, targets, is_synchronous } = passing;
        let message = quote(self.signature.message_name(*message));
        let (from, to) = (origin.map(|it| self.lifeline(it)), self.list(targets));
        let at_once = if *is_synchronous { ", at once" } else { "" };
        match from {
            None => format!("{to} receives {message} from outside{at_once}"),
            Some(from) if targets.is_empty() && is_own => format!("{from} does {message}"),
            Some(from) if targets.is_empty() => {
                format!("{from} emits {message}, which nobody here receives")
            }
            Some(from) => format!("{from} sends {message} to {to}{at_once}"),
        }
    }

    /// A step that is not a passing.
    fn step(&self, actions: &[Action]) -> String {
        let all: Vec<String> = actions.iter().map(|it| self.action(*it)).collect();
        format!("together: {}", all.join(", "))
    }

    fn action(&self, action: Action) -> String {
        let message = quote(self.signature.message_name(action.message));
        let lifeline = self.lifeline(action.lifeline);
        match action.kind {
            ActionKind::Emission => format!("{lifeline} emits {message}"),
            ActionKind::Reception => format!("{lifeline} receives {message}"),
        }
    }

    fn lifeline(&self, lifeline: LifelineId) -> String {
        quote(self.signature.lifeline_name(lifeline))
    }

    fn region(&self, region: &LifelineSet) -> String {
        self.list(&region.iter().collect::<Vec<_>>())
    }

    fn list(&self, lifelines: &[LifelineId]) -> String {
        let all: Vec<String> = lifelines.iter().map(|it| self.lifeline(*it)).collect();
        match &all[..] {
            [] => "no lifeline".to_owned(),
            [only] => only.clone(),
            [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
        }
    }
}
