//! The participants of a diagram, and the checks of Mermaid on them: one box each, created and
//! destroyed by a message, active before they are deactivated.

use crate::diagram::model::{
    Life, Looks, Mark, MarkKind, Participant, ParticipantBox, ParticipantId, Statement,
};
use crate::source::{Diagnostic, Span, quote};
use std::collections::{HashMap, HashSet};

/// A declaration, or a use, of a participant.
pub(super) struct Declaration {
    pub(super) id: String,
    pub(super) span: Span,
    /// The label drawn at its head, if the declaration has one.
    pub(super) label: Option<String>,
    /// The kind it is declared as; `None` for a mere use.
    pub(super) kind: Option<String>,
    /// The `wrap:` or `nowrap:` of the label; may be empty.
    pub(super) wrapping: String,
}

impl Declaration {
    /// A mere use.
    pub(super) fn used(id: String, span: Span) -> Declaration {
        Declaration { id, span, label: None, kind: None, wrapping: String::new() }
    }
}

/// The participants so far, and their state.
#[derive(Default)]
pub(super) struct Cast {
    pub(super) participants: Vec<Participant>,
    pub(super) boxes: Vec<ParticipantBox>,
    by_id: HashMap<String, ParticipantId>,
    /// For each participant, its box.
    box_of: Vec<Option<usize>>,
    /// The boxes with the participants listed in them.
    listed: HashSet<(usize, ParticipantId)>,
    /// The box that is open.
    open_box: Option<usize>,
    /// The names that are active before their participants, if there are any.
    later: Vec<String>,
    /// How often each name is active.
    active: HashMap<String, usize>,
    /// A participant that the next message must create.
    created: Option<(String, Span)>,
    /// A participant that the next message must destroy.
    destroyed: Option<(String, Span)>,
}

impl Cast {
    /// Opens a box.
    pub(super) fn open_box(&mut self, label: String, (before, color): (String, &str), span: Span) {
        self.open_box = Some(self.boxes.len());
        // A box without a colour looks the same.
        let color = if color.eq_ignore_ascii_case("transparent") { "" } else { color };
        let looks = Looks { before, behind: color.to_owned(), ..Looks::default() };
        self.boxes.push(ParticipantBox { label, members: Vec::new(), looks, span });
    }

    /// Closes the box that is open.
    pub(super) fn close_box(&mut self) {
        self.open_box = None;
    }

    /// Declares a participant, or uses one.
    pub(super) fn declare(&mut self, new: Declaration) -> Result<ParticipantId, Diagnostic> {
        let Some(&known) = self.by_id.get(&new.id) else { return Ok(self.add(new)) };
        self.check_box(known, &new)?;
        if let Some(label) = new.label {
            let participant = &mut self.participants[known.index()];
            participant.label = label;
            participant.kind = new.kind.unwrap_or_else(plain_kind);
            participant.looks.before = new.wrapping;
            self.join_box(known);
        }
        Ok(known)
    }

    fn add(&mut self, new: Declaration) -> ParticipantId {
        let Declaration { id, span, label, kind, wrapping } = new;
        // A text has less than 2^30 bytes, and so fewer participants.
        let added = ParticipantId(u32::try_from(self.participants.len()).unwrap_or(u32::MAX));
        self.by_id.insert(id.clone(), added);
        let label = label.unwrap_or_else(|| super::text::shown(&id));
        let id = super::text::written(&id);
        let kind = kind.unwrap_or_else(plain_kind);
        let looks = Looks { before: wrapping, ..Looks::default() };
        self.participants.push(Participant { id, label, kind, looks, span });
        self.box_of.push(self.open_box);
        self.join_box(added);
        added
    }

    /// Lists a participant in the box that is open. As in Mermaid, a participant that was used
    /// before joins a box only if its label is declared there.
    fn join_box(&mut self, id: ParticipantId) {
        if let Some(open) = self.open_box {
            let members = &mut self.boxes[open].members;
            if self.listed.insert((open, id)) {
                members.push(id);
            }
        }
    }

    /// Checks that a participant that is known already is in no other box than the open one.
    fn check_box(&mut self, known: ParticipantId, new: &Declaration) -> Result<(), Diagnostic> {
        let Some(open) = self.open_box else { return Ok(()) };
        match self.box_of[known.index()] {
            None => {
                self.box_of[known.index()] = Some(open);
                Ok(())
            }
            Some(other) if other == open => Ok(()),
            Some(_) => {
                let message = format!("{} is in another box already", quoted(&new.id));
                let error = Diagnostic::new(new.span, message, "here it is in a second box");
                Err(error.with_help("declare each participant in one box only"))
            }
        }
    }

    /// Declares a participant that the next message creates.
    pub(super) fn create(&mut self, new: Declaration) -> Result<ParticipantId, Diagnostic> {
        let (id, span) = (new.id.clone(), new.span);
        if self.by_id.contains_key(&id) {
            let message = format!("{} exists already and cannot be created", quoted(&id));
            let error = Diagnostic::new(span, message, "created here");
            return Err(error.with_help("write another name, and draw this one with `as`"));
        }
        let added = self.declare(new)?;
        self.created = Some((id, span));
        Ok(added)
    }

    /// Notes that the next message destroys a participant, which need not exist.
    pub(super) fn destroy(&mut self, id: &str, span: Span) -> Option<ParticipantId> {
        self.destroyed = Some((id.to_owned(), span));
        self.known(id)
    }

    /// The participant of this name, if it was declared or used.
    pub(super) fn known(&self, id: &str) -> Option<ParticipantId> {
        self.by_id.get(id).copied()
    }

    /// The participant of this name, or an id for one that comes later, which [`Cast::settle`] replaces.
    pub(super) fn known_or_later(&mut self, id: &str) -> ParticipantId {
        self.known(id).unwrap_or_else(|| {
            let at = self.later.iter().position(|it| it == id).unwrap_or(self.later.len());
            if at == self.later.len() {
                self.later.push(id.to_owned());
            }
            // Counted down from the largest id: participants are numbered from 0, and no text has so many names.
            ParticipantId(u32::MAX - at as u32)
        })
    }

    /// Gives activations before their participants these. Mermaid draws nothing for who never takes part; such a statement
    /// stays as it is written.
    pub(super) fn settle(&self, body: &mut [Statement]) {
        if self.later.is_empty() {
            return;
        }
        for statement in body {
            match statement {
                Statement::Mark(Mark { kind, .. }) => self.settle_life(kind),
                Statement::Fragment(it) => {
                    it.operands.iter_mut().for_each(|it| self.settle(&mut it.body));
                }
                _ => {}
            }
        }
    }

    fn settle_life(&self, kind: &mut MarkKind) {
        let MarkKind::Life(life, who) = kind else { return };
        let Some(name) = self.later.get((u32::MAX - who.0) as usize) else { return };
        match self.known(name) {
            Some(known) => *who = known,
            None => {
                let word = if *life == Life::Activate { "activate" } else { "deactivate" };
                *kind = MarkKind::Looks(format!("{word} {}", super::text::written(name)));
            }
        }
    }

    /// Checks that a message creates or destroys whom the statement before it says.
    pub(super) fn check_message(&mut self, from: &str, to: &str) -> Result<(), Diagnostic> {
        if let Some((id, span)) = self.created.take() {
            return if to == id { Ok(()) } else { Err(not_created(&id, span)) };
        }
        match self.destroyed.take() {
            Some((id, span)) if id != from && id != to => Err(not_destroyed(&id, span)),
            _ => Ok(()),
        }
    }

    /// Activates a name.
    pub(super) fn activate(&mut self, id: &str) {
        *self.active.entry(id.to_owned()).or_default() += 1;
    }

    /// Ends the last activation of a name.
    pub(super) fn deactivate(&mut self, id: &str, span: Span) -> Result<(), Diagnostic> {
        match self.active.get_mut(id) {
            Some(count) if *count > 0 => {
                *count -= 1;
                Ok(())
            }
            _ => Err(inactive(id, span)),
        }
    }
}

fn plain_kind() -> String {
    "participant".to_owned()
}

fn quoted(id: &str) -> String {
    quote(&super::text::written(id))
}

fn not_created(id: &str, span: Span) -> Diagnostic {
    let message = format!("the next message does not create {}", quoted(id));
    let help = format!("send {} the first message after this line", quoted(id));
    Diagnostic::new(span, message, "created here").with_help(help)
}

fn not_destroyed(id: &str, span: Span) -> Diagnostic {
    let message = format!("the next message does not destroy {}", quoted(id));
    let help = format!("let the first message after this line start or end at {}", quoted(id));
    Diagnostic::new(span, message, "destroyed here").with_help(help)
}

fn inactive(id: &str, span: Span) -> Diagnostic {
    let message = format!("{} is not active and cannot be deactivated", quoted(id));
    let help = "activate it before with `activate` or `+`, or remove this";
    Diagnostic::new(span, message, "deactivated here").with_help(help)
}
