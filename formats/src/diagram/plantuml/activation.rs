//! Which messages wait for their `return`. This follows PlantUML: an activation belongs to the message
//! before it, whoever is activated.

use crate::diagram::model::{Arrow, End, Head, ParticipantId};
use std::collections::HashSet;

/// A message that may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) from: End,
    pub(super) to: End,
    pub(super) arrow: Arrow,
}

/// The last statement, if an activation can belong to it.
#[derive(Clone, Copy, Debug)]
enum Last {
    Nothing,
    Message(Call),
    Frame,
}

/// The activations of a diagram.
#[derive(Debug)]
pub(super) struct Activations {
    waiting: Vec<Call>,
    last: Last,
    /// The participants that are active from the start.
    pub(super) from_start: HashSet<ParticipantId>,
    /// Whether messages activate by themselves.
    pub(super) is_automatic: bool,
    /// The created participant, which must get the next message.
    pub(super) created: Option<ParticipantId>,
}

impl Activations {
    /// The activations before the first line.
    pub(super) fn new() -> Activations {
        Activations {
            waiting: Vec::new(),
            last: Last::Nothing,
            from_start: HashSet::new(),
            is_automatic: false,
            created: None,
        }
    }

    /// A message was sent.
    pub(super) fn message(&mut self, call: Call) {
        self.last = Last::Message(call);
    }

    /// A frame was closed.
    pub(super) fn frame(&mut self) {
        self.last = Last::Frame;
    }

    /// Somebody is activated.
    pub(super) fn activate(&mut self) {
        if let Last::Message(call) = self.last {
            self.waiting.push(call);
        }
    }

    /// Somebody is deactivated.
    pub(super) fn deactivate(&mut self) {
        if !matches!(self.last, Last::Nothing) {
            self.waiting.pop();
        }
    }

    /// Whether nothing happened yet, so that nobody can be deactivated who is not active from the
    /// start.
    pub(super) fn is_start(&self) -> bool {
        matches!(self.last, Last::Nothing)
    }

    /// Whether a message waits for its `return`.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Changes activations by the signs after a message: `++`, `--`, or two of them.
    pub(super) fn signs(&mut self, signs: &str) {
        for sign in [signs.chars().next(), signs.chars().nth(2)].into_iter().flatten() {
            match sign {
                '+' => self.activate(),
                '-' => self.deactivate(),
                _ => {}
            }
        }
    }

    /// Changes activations by a message without signs after `autoactivate on`.
    pub(super) fn automatic(&mut self, call: Call) {
        match self.change_by(call) {
            Some('-') => self.deactivate(),
            Some(_) => self.activate(),
            None => {}
        }
    }

    /// The sign that such a message stands for.
    pub(super) fn change_by(&self, call: Call) -> Option<char> {
        let is_call = self.is_automatic && matches!(call.arrow.head, Head::Filled | Head::Open);
        let is_answer = call.arrow.is_dotted && call.from != call.to;
        is_call.then_some(if is_answer { '-' } else { '+' })
    }

    /// The message that `return` answers: the last that waits, or the last message.
    pub(super) fn answered(&mut self) -> Option<Call> {
        match (self.waiting.last(), self.last) {
            (Some(call), _) => Some(*call),
            (None, Last::Message(call)) => Some(call),
            (None, _) => None,
        }
    }
}
