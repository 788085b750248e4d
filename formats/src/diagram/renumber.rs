//! Statements with other ids of participants: those of the drawing, which are known only at the end, or those of another
//! diagram.

use crate::diagram::model::{End, Mark, MarkKind, Message, ParticipantId, Statement};

/// Replaces every id by its place. Frames are nested no deeper than the parser allows.
pub(super) fn statements(body: &mut [Statement], places: &[ParticipantId]) {
    for statement in body {
        match statement {
            Statement::Message(message) => renumber(message, places),
            Statement::Note(note) | Statement::Reference(note) => {
                note.over.iter_mut().for_each(|id| *id = place(*id, places));
            }
            Statement::Fragment(fragment) => {
                for operand in &mut fragment.operands {
                    statements(&mut operand.body, places);
                }
            }
            Statement::Mark(Mark { kind: MarkKind::Life(_, id), .. }) => *id = place(*id, places),
            Statement::Directive(_) | Statement::Mark(_) => {}
        }
    }
}

fn renumber(message: &mut Message, places: &[ParticipantId]) {
    for end in [&mut message.from, &mut message.to] {
        if let End::Participant(id) = end {
            *id = place(*id, places);
        }
    }
}

fn place(id: ParticipantId, places: &[ParticipantId]) -> ParticipantId {
    places.get(id.index()).copied().unwrap_or(id)
}
