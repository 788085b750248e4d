//! An interaction as it is drawn down the page: messages, steps and frames, in order.
//
// Order down the page is weak sequencing, so `seq` needs no frame. A stack of tasks takes the place of
// recursion, so that no interaction is too deep.

use crate::pictures::overlay::{Mark, Overlay, worst};
use multitrace_interaction::{
    Action, Interaction, LifelineId, LifelineSet, LoopKind, Node, NodeId, Passing, Passings,
};

/// A row, or where a frame or a lane of it begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Open {
        tab: String,
        lifelines: Vec<LifelineId>,
        mark: Mark,
    },
    /// An operand of the frame.
    Lane {
        mark: Mark,
        is_first: bool,
    },
    Close,
    Passing(Passing, Mark),
    /// Several messages that happen together.
    Step(Vec<Action>, Mark),
}

/// The items drawn of an interaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
    /// Messages and steps.
    pub(crate) messages: usize,
    /// Those of them that are not drawn, since there are too many.
    pub(crate) omitted: usize,
}

enum Task {
    Visit(NodeId),
    Lane(NodeId, bool),
    Close,
}

struct Writer<'a> {
    interaction: &'a Interaction,
    passings: Passings<'a>,
    overlay: &'a Overlay,
    /// The name of a lifeline.
    name: &'a dyn Fn(LifelineId) -> String,
    most: usize,
    script: Script,
    todo: Vec<Task>,
}

impl Script {
    /// The script of an interaction, of at most `most` items beside the ends of frames.
    pub(crate) fn new(
        interaction: &Interaction,
        overlay: &Overlay,
        name: &dyn Fn(LifelineId) -> String,
        most: usize,
    ) -> Script {
        let todo = vec![Task::Visit(interaction.root())];
        let passings = Passings::new(interaction);
        let script = Script::default();
        let mut writer = Writer { interaction, passings, overlay, name, most, script, todo };
        while let Some(task) = writer.todo.pop() {
            writer.perform(task);
        }
        writer.script
    }
}

impl Writer<'_> {
    fn perform(&mut self, task: Task) {
        match task {
            Task::Visit(id) => self.visit(id),
            Task::Close => self.script.items.push(Item::Close),
            Task::Lane(..) if self.is_full() => {}
            Task::Lane(id, is_first) => {
                let mark = self.overlay.operands.get(&id).cloned().unwrap_or_default();
                self.script.items.push(Item::Lane { mark, is_first });
            }
        }
    }

    fn is_full(&self) -> bool {
        self.script.items.len() >= self.most
    }

    fn visit(&mut self, id: NodeId) {
        if let Some(passing) = self.passings.passing(id) {
            let mark = self.mark_within(id);
            return self.add_message(Item::Passing(passing, mark));
        }
        match self.interaction.node(id) {
            Node::Empty => {}
            Node::Step(step) => {
                let actions = step.actions().to_vec();
                self.add_message(Item::Step(actions, self.mark_within(id)));
            }
            &Node::Seq(first, second) => {
                self.todo.extend([Task::Visit(second), Task::Visit(first)]);
            }
            node => self.open(id, node.clone()),
        }
    }

    fn add_message(&mut self, item: Item) {
        self.script.messages += 1;
        match self.is_full() {
            true => self.script.omitted += 1,
            false => self.script.items.push(item),
        }
    }

    fn open(&mut self, id: NodeId, node: Node) {
        let mut operands = self.passings.operands(id);
        let mut mark = self.overlay.nodes.get(&id).cloned().unwrap_or_default();
        let tab = match self.skipped(&node, &operands) {
            Some(empty) => {
                operands.retain(|&it| it != empty);
                add_skipped(&mut mark, self.overlay.operands.get(&empty));
                "opt".to_owned()
            }
            None => self.tab(&node),
        };
        if !self.is_full() {
            let lifelines = region(&node).into_iter().flat_map(LifelineSet::iter).collect();
            self.script.items.push(Item::Open { tab, lifelines, mark });
            self.todo.push(Task::Close);
        }
        for (rank, &operand) in operands.iter().enumerate().rev() {
            self.todo.extend([Task::Visit(operand), Task::Lane(operand, rank == 0)]);
        }
    }

    /// The empty operand of an `opt`.
    fn skipped(&self, node: &Node, operands: &[NodeId]) -> Option<NodeId> {
        match (node, operands) {
            (Node::Alt(..), &[a, b]) => [b, a].into_iter().find(|&it| self.is_empty(it)),
            _ => None,
        }
    }

    fn is_empty(&self, id: NodeId) -> bool {
        *self.interaction.node(id) == Node::Empty
    }

    fn tab(&self, node: &Node) -> String {
        let word = word(node);
        match region(node) {
            None => word.to_owned(),
            Some(region) => {
                let names: Vec<String> = region.iter().map(self.name).collect();
                format!("{word} {}", names.join(", ")).trim_end().to_owned()
            }
        }
    }

    /// The marks of the nodes of a message or step, as one.
    fn mark_within(&self, id: NodeId) -> Mark {
        let mut all = Mark::default();
        let mut at = Some(id);
        while let Some(id) = at {
            let mut nodes = self.interaction.node(id).children();
            let (first, second) = (nodes.next(), nodes.next());
            let marks = [Some(id), first].into_iter().flatten();
            marks.filter_map(|id| self.overlay.nodes.get(&id)).for_each(|it| all.add(it));
            at = second;
        }
        all
    }
}

/// Adds the mark of the empty operand of an `opt`, which has no lane.
fn add_skipped(mark: &mut Mark, skipped: Option<&Mark>) {
    let Some(skipped) = skipped.filter(|it| !it.note.is_empty()) else { return };
    let comma = if mark.note.is_empty() { "" } else { ", " };
    mark.note = format!("{}{comma}skipped: {}", mark.note, skipped.note);
    mark.tone = worst(mark.tone, skipped.tone);
}

fn word(node: &Node) -> &'static str {
    match node {
        Node::Empty | Node::Step(_) => "",
        Node::Strict(..) => "strict",
        Node::Seq(..) => "seq",
        Node::Par(..) => "par",
        Node::CoReg(..) => "coreg",
        Node::Alt(..) => "alt",
        Node::Loop(LoopKind::Strict, _) => "loop strict",
        Node::Loop(LoopKind::Weak, _) => "loop weak",
        Node::Loop(LoopKind::Parallel, _) => "loop parallel",
        Node::Loop(LoopKind::HeadFirst, _) => "loop head-first",
        Node::Loop(LoopKind::CoReg(_), _) => "loop coreg",
    }
}

/// The lifelines where a frame allows any order.
fn region(node: &Node) -> Option<&LifelineSet> {
    match node {
        Node::CoReg(region, ..) | Node::Loop(LoopKind::CoReg(region), _) => Some(region),
        _ => None,
    }
}

/// The lifelines of a passing, and of actions.
impl Item {
    pub(crate) fn lifelines(&self) -> Vec<LifelineId> {
        match self {
            Item::Passing(passing, _) => {
                passing.origin.iter().chain(&passing.targets).copied().collect()
            }
            Item::Step(actions, _) => actions.iter().map(|it| it.lifeline).collect(),
            Item::Open { lifelines, .. } => lifelines.clone(),
            Item::Lane { .. } | Item::Close => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_formats::{hif, source::Source};

    /// One word an item.
    fn words(text: &str, most: usize) -> (String, usize) {
        let spec = hif::parse(&Source::new("f", text), None).expect("an interaction");
        let name = |id| spec.signature.lifeline_name(id).to_owned();
        let script = Script::new(&spec.interaction, &Overlay::default(), &name, most);
        let word = |item: &Item| match item {
            Item::Open { tab, .. } => format!("{tab}("),
            Item::Lane { is_first: true, .. } => String::new(),
            Item::Lane { .. } => "/".to_owned(),
            Item::Close => ")".to_owned(),
            Item::Passing(it, _) => format!("{}", it.targets.len()),
            Item::Step(..) => "{}".to_owned(),
        };
        let words: Vec<String> = script.items.iter().map(word).collect();
        (words.join(""), script.omitted)
    }

    #[test]
    fn order_down_the_page_needs_no_frame() {
        let text = "seq(a -- m -> b, seq(par(a -- m -> (b, c), o), strict(a -- m -> b, m -> b)))";
        assert_eq!(words(text, 99).0, "1par(2/)strict(1/1)");
        assert_eq!(words("alt(a -- m ->|, o)", 99).0, "opt(0)");
        assert_eq!(
            words("loopC(a)(coreg(a, b)(m -> (a, b), {a!m, b!n}))", 99).0,
            "loop coreg a(coreg a, b(2/{}))"
        );
    }

    #[test]
    fn what_is_too_long_is_counted() {
        let text = "par(a -- m -> b, a -- n -> b, loopS(a -- k -> b))";
        assert_eq!(words(text, 4), ("par(1/)".to_owned(), 2));
    }
}
