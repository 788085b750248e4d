//! Names in an order that does not depend on the order of sessions: while learning that of the alphabet, afterwards that of
//! appearance.

use multitrace_interaction::{
    Action, Id, Interaction, LifelineId, LifelineSet, LoopKind, MessageId, Node, NodeId, Signature,
    Step,
};
use multitrace_learn::SessionLogs;

/// An interaction that means the same and names all lifelines: those without an event are a region of it.
pub(super) fn with_all_lifelines(interaction: &Interaction, signature: &Signature) -> Interaction {
    let used: LifelineSet = interaction.actions().map(|it| it.lifeline).collect();
    let others: LifelineSet = signature.lifelines().filter(|it| !used.contains(*it)).collect();
    if others.is_empty() {
        return interaction.clone();
    }
    let (root, mut nodes) = (interaction.root(), interaction.nodes().to_vec());
    let nothing = NodeId::new(nodes.len());
    nodes.extend([Node::Empty, Node::CoReg(others, root, nothing)]);
    same_tree(nodes)
}

fn same_tree(nodes: Vec<Node>) -> Interaction {
    Interaction::new(nodes).unwrap_or_else(|error| unreachable!("it is the same tree: {error}"))
}

/// New ids for the names of a signature.
pub(crate) struct Renaming<'a> {
    old: &'a Signature,
    pub(crate) new: Signature,
}

impl<'a> Renaming<'a> {
    /// In the order of the alphabet.
    pub(crate) fn sorted(old: &'a Signature) -> Renaming<'a> {
        let mut lifelines: Vec<&str> = old.lifelines().map(|it| old.lifeline_name(it)).collect();
        let mut messages: Vec<&str> = old.messages().map(|it| old.message_name(it)).collect();
        lifelines.sort_unstable();
        messages.sort_unstable();
        let mut new = Signature::default();
        for lifeline in lifelines {
            new.intern_lifeline(lifeline);
        }
        for message in messages {
            new.intern_message(message);
        }
        Renaming { old, new }
    }

    /// Those that another signature has.
    pub(crate) fn onto(old: &'a Signature, new: Signature) -> Renaming<'a> {
        Renaming { old, new }
    }

    /// In the order in which they appear in an interaction: no messages that do not, and at last the lifelines that do
    /// not, since they have logs.
    pub(super) fn by_appearance(old: &'a Signature, interaction: &Interaction) -> Renaming<'a> {
        let mut renaming = Renaming { old, new: Signature::default() };
        for action in interaction.actions() {
            renaming.action(action);
        }
        for lifeline in old.lifelines() {
            renaming.lifeline(lifeline);
        }
        renaming
    }

    fn lifeline(&mut self, lifeline: LifelineId) -> LifelineId {
        self.new.intern_lifeline(self.old.lifeline_name(lifeline))
    }

    fn message(&mut self, message: MessageId) -> MessageId {
        self.new.intern_message(self.old.message_name(message))
    }

    fn action(&mut self, action: Action) -> Action {
        let Action { lifeline, kind, message } = action;
        Action { lifeline: self.lifeline(lifeline), kind, message: self.message(message) }
    }

    /// Logs with the new ids, in order.
    pub(crate) fn logs(&mut self, mut logs: Vec<Vec<Action>>) -> SessionLogs {
        logs.iter_mut().flatten().for_each(|it| *it = self.action(*it));
        logs.sort_unstable();
        logs.into()
    }

    /// An interaction with the new ids.
    pub(super) fn interaction(&mut self, interaction: &Interaction) -> Interaction {
        let nodes = interaction.nodes().iter().map(|node| self.node(node)).collect();
        same_tree(nodes)
    }

    fn node(&mut self, node: &Node) -> Node {
        match node {
            Node::Step(step) => {
                let actions: Vec<Action> =
                    step.actions().iter().map(|&it| self.action(it)).collect();
                Step::new(actions).map_or(Node::Empty, Node::Step)
            }
            Node::CoReg(region, a, b) => {
                Node::CoReg(region.iter().map(|it| self.lifeline(it)).collect(), *a, *b)
            }
            Node::Loop(LoopKind::CoReg(region), body) => {
                let region = region.iter().map(|it| self.lifeline(it)).collect();
                Node::Loop(LoopKind::CoReg(region), *body)
            }
            other => other.clone(),
        }
    }
}
