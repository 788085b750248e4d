//! Actions and steps: the events of lifelines (paper 000 sec. 2).

use crate::id::{LifelineId, MessageId};
use crate::idset::LifelineSet;

/// Whether a message leaves a lifeline or arrives at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// `l!m`: lifeline l emits m.
    Emission,
    /// `l?m`: lifeline l receives m.
    Reception,
}

impl ActionKind {
    /// The character between lifeline and message in the text of an action: `!` or `?`.
    pub fn mark(self) -> char {
        match self {
            ActionKind::Emission => '!',
            ActionKind::Reception => '?',
        }
    }
}

/// One emission or reception, `l!m` or `l?m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// Where it happens.
    pub lifeline: LifelineId,
    /// Its direction.
    pub kind: ActionKind,
    /// The message that is emitted or received.
    pub message: MessageId,
}

/// A non-empty sequence of actions that happen together, uninterrupted; usually one action.
/// A synchronous passing is the step `l1!m l2?m`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(Box<[Action]>);

impl Step {
    /// The step of these actions, in this order; `None` if the list is empty.
    pub fn new(actions: impl Into<Box<[Action]>>) -> Option<Step> {
        let actions = actions.into();
        (!actions.is_empty()).then_some(Step(actions))
    }

    /// The step of one action.
    pub fn single(action: Action) -> Step {
        Step(Box::new([action]))
    }

    /// Its actions, in order; never empty.
    pub fn actions(&self) -> &[Action] {
        &self.0
    }

    /// Its action, if it has only one.
    pub fn as_single(&self) -> Option<Action> {
        if let [action] = *self.0 { Some(action) } else { None }
    }

    /// The lifelines it happens at.
    pub fn lifelines(&self) -> LifelineSet {
        self.0.iter().map(|action| action.lifeline).collect()
    }
}
