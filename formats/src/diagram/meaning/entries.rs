//! A body as a flat list, and cut at its breaks.

use super::super::directives::{self, Meaning};
use super::super::model::{Directive, Fragment, FragmentOperator, Statement};
use crate::source::Diagnostics;

/// A statement, or a directive for the one below it.
pub(super) enum Entry<'d> {
    Directive(&'d Directive),
    Statement(&'d Statement),
}

/// A break, and the directives for it.
pub(super) struct Exit<'d> {
    pub(super) fragment: &'d Fragment,
    pub(super) directives: Vec<&'d Directive>,
}

/// A part of a body: what stands before a break, and the break; no break behind the last part.
pub(super) struct Stretch<'d> {
    pub(super) entries: Vec<Entry<'d>>,
    pub(super) exit: Option<Exit<'d>>,
}

/// What stands in a body, with what stands in frames that only group. Directives for the whole diagram
/// are left out. A frame stays if a directive is about it, or if the message behind it is parallel to it.
pub(super) fn entries(body: &[Statement]) -> Vec<Entry<'_>> {
    let mut all: Vec<Entry<'_>> = Vec::new();
    for (index, statement) in body.iter().enumerate() {
        let is_meant = matches!(all.last(), Some(Entry::Directive(_)));
        let next = body.get(index + 1);
        let is_parallel = matches!(next, Some(Statement::Message(it)) if it.is_parallel);
        match statement {
            Statement::Directive(directive) => {
                if is_for_next(directive) {
                    all.push(Entry::Directive(directive));
                }
            }
            Statement::Fragment(Fragment {
                operator: FragmentOperator::Group, operands, ..
            }) if operands.len() == 1 && !is_meant && !is_parallel => {
                all.extend(entries(&operands[0].body));
            }
            _ => all.push(Entry::Statement(statement)),
        }
    }
    all
}

/// Whether a directive is about the statement below it. Wrong ones are told elsewhere.
fn is_for_next(directive: &Directive) -> bool {
    match directives::meaning(directive, &mut Diagnostics::default()) {
        Some(
            Meaning::Loop { is_for_all, .. }
            | Meaning::Local { is_for_all }
            | Meaning::Strict { is_for_all },
        ) => !is_for_all,
        Some(Meaning::Received | Meaning::Synchronous | Meaning::Ignore | Meaning::Coregion(_)) => {
            true
        }
        Some(
            Meaning::Locations(_)
            | Meaning::Message { .. }
            | Meaning::Messages(_)
            | Meaning::Allow(_),
        )
        | None => false,
    }
}

/// A body cut at its breaks, but for those that are to be ignored.
pub(super) fn stretches(entries: Vec<Entry<'_>>) -> Vec<Stretch<'_>> {
    let mut stretches = Vec::new();
    let mut now: Vec<Entry<'_>> = Vec::new();
    for entry in entries {
        match entry {
            Entry::Statement(Statement::Fragment(fragment))
                if fragment.operator == FragmentOperator::Break && !is_ignored(&now) =>
            {
                let directives = last_directives(&mut now);
                let exit = Some(Exit { fragment, directives });
                stretches.push(Stretch { entries: std::mem::take(&mut now), exit });
            }
            entry => now.push(entry),
        }
    }
    stretches.push(Stretch { entries: now, exit: None });
    stretches
}

/// Whether the statement behind these is to be ignored.
fn is_ignored(entries: &[Entry<'_>]) -> bool {
    entries.iter().rev().map_while(directive_of).any(|directive| {
        let meaning = directives::meaning(directive, &mut Diagnostics::default());
        matches!(meaning, Some(Meaning::Ignore))
    })
}

fn directive_of<'d>(entry: &Entry<'d>) -> Option<&'d Directive> {
    if let Entry::Directive(directive) = entry { Some(directive) } else { None }
}

/// Takes the directives from the end of a list.
fn last_directives<'d>(entries: &mut Vec<Entry<'d>>) -> Vec<&'d Directive> {
    let kept = entries.iter().rposition(|it| directive_of(it).is_none()).map_or(0, |at| at + 1);
    entries.drain(kept..).filter_map(|it| directive_of(&it)).collect()
}
