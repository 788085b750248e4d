//! Which activations, creations and destructions Mermaid draws.

// Mermaid refuses a `deactivate` of who is not active, a `create` of who was declared or used before, and
// a message behind `create` or `destroy` that does not go to the participant. It counts activations down
// the page, through all operands.

use super::losses::{Loss, Losses};
use crate::diagram::model::{
    End, Life, Looks, Mark, MarkKind, Message, Participant, ParticipantBox, ParticipantId,
    Statement,
};
use std::collections::{HashMap, HashSet};

pub(super) struct Lives {
    /// How often each participant is active.
    active: HashMap<ParticipantId, usize>,
    /// The participants that may be created: those behind all others, in their order.
    created: Vec<ParticipantId>,
    used: HashSet<ParticipantId>,
    boxed: HashSet<ParticipantId>,
    count: u32,
}

impl Lives {
    pub(super) fn new(participants: &[Participant], boxes: &[ParticipantBox]) -> Lives {
        Lives {
            active: HashMap::new(),
            created: Vec::new(),
            used: HashSet::new(),
            boxed: boxes.iter().flat_map(|it| it.members.iter().copied()).collect(),
            count: participants.len() as u32,
        }
    }

    /// Leaves out changes of life that Mermaid refuses.
    pub(super) fn keep_allowed(mut self, body: &mut Vec<Statement>, losses: &mut Losses) {
        let mut created = Vec::new();
        self.find_created(body, &mut created);
        let first = self.count - created.len() as u32;
        let is_tail = created.iter().zip(first..).all(|(it, place)| it.0 == place);
        self.created = if is_tail { created } else { Vec::new() };
        self.used.clear();
        self.keep(body, losses);
    }

    /// Those whose creation stands before any use of them, and right before a message to them.
    fn find_created(&mut self, body: &[Statement], created: &mut Vec<ParticipantId>) {
        for (at, statement) in body.iter().enumerate() {
            match statement {
                Statement::Mark(Mark { kind: MarkKind::Life(Life::Create, who), .. }) => {
                    let goes_there = matches!(
                        next_message(&body[at + 1..]),
                        Some(Message { to: End::Participant(to), .. }) if to == who
                    );
                    if goes_there && self.used.insert(*who) && !self.boxed.contains(who) {
                        created.push(*who);
                    }
                }
                Statement::Fragment(it) => {
                    it.operands.iter().for_each(|it| self.find_created(&it.body, created));
                }
                other => self.used.extend(participants(other)),
            }
        }
    }

    fn keep(&mut self, body: &mut Vec<Statement>, losses: &mut Losses) {
        let mut kept: Vec<Statement> = Vec::with_capacity(body.len());
        for mut statement in std::mem::take(body) {
            if let Statement::Fragment(fragment) = &mut statement {
                fragment.operands.iter_mut().for_each(|it| self.keep(&mut it.body, losses));
            }
            let is_allowed = match &statement {
                Statement::Mark(Mark { kind: MarkKind::Life(life, who), .. }) => {
                    self.is_allowed(*life, *who, &kept)
                }
                _ => true,
            };
            if is_allowed {
                kept.push(statement);
            } else {
                losses.add(Loss::Life);
            }
        }
        *body = kept;
    }

    fn is_allowed(&mut self, life: Life, who: ParticipantId, before: &[Statement]) -> bool {
        let active = self.active.entry(who).or_default();
        match life {
            Life::Activate => *active += 1,
            Life::Deactivate if *active == 0 => return false,
            Life::Deactivate => *active -= 1,
            Life::Create => return self.created.contains(&who) && self.used.insert(who),
            Life::Destroy => {
                let message = match before {
                    [.., Statement::Message(message)] => message,
                    [.., Statement::Message(message), mark] if suffix(message, mark).is_some() => {
                        message
                    }
                    _ => return false,
                };
                return [message.from, message.to].contains(&End::Participant(who));
            }
        }
        true
    }
}

/// The sign in a message for an activation behind it: `+` of its receiver, `-` of its sender.
pub(super) fn suffix(message: &Message, next: &Statement) -> Option<char> {
    let Statement::Mark(Mark { kind: MarkKind::Life(life, who), looks, .. }) = next else {
        return None;
    };
    // A colour needs a line of its own.
    if *looks != Looks::default() {
        return None;
    }
    let who = End::Participant(*who);
    match life {
        Life::Activate if message.to == who => Some('+'),
        Life::Deactivate if message.from == who => Some('-'),
        _ => None,
    }
}

/// The next message, if it comes before any other statement.
fn next_message(rest: &[Statement]) -> Option<&Message> {
    match rest.iter().find(|it| it.is_meant()) {
        Some(Statement::Message(message)) => Some(message),
        _ => None,
    }
}

fn participants(statement: &Statement) -> Vec<ParticipantId> {
    match statement {
        Statement::Message(it) => it.participants().collect(),
        Statement::Note(it) | Statement::Reference(it) => it.over.clone(),
        Statement::Mark(Mark { kind: MarkKind::Life(_, who), .. }) => vec![*who],
        _ => Vec::new(),
    }
}
