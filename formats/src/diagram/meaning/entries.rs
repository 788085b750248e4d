//! A body as a flat list, and cut at its breaks.

use super::super::directives::{Meaning, for_next};
use super::super::model::{Fragment, FragmentOperator, Statement, messages};
use crate::source::Span;

/// A statement, or a directive for the one below it.
pub(super) enum Entry<'d> {
    Directive(Meaning, Span),
    /// Any events of these participants.
    Anything(Vec<String>, Span),
    Statement(&'d Statement),
}

impl Entry<'_> {
    /// Whether it has an arrow, or any events.
    pub(super) fn has_events(&self) -> bool {
        match self {
            Entry::Directive(..) => false,
            Entry::Anything(..) => true,
            Entry::Statement(statement) => {
                messages(std::slice::from_ref(*statement)).next().is_some()
            }
        }
    }
}

/// A break, and the directives for it.
pub(super) struct Exit<'d> {
    pub(super) fragment: &'d Fragment,
    pub(super) directives: Vec<(Meaning, Span)>,
}

/// A part of a body: the statements before a break, and the break; no break behind the last part.
pub(super) struct Stretch<'d> {
    pub(super) entries: Vec<Entry<'d>>,
    pub(super) exit: Option<Exit<'d>>,
}

/// The statements of a body and of frames in it that only group. Directives for the whole diagram are left out. A frame
/// stays if a directive is about it, or if the message behind it is parallel to it.
pub(super) fn entries(body: &[Statement]) -> Vec<Entry<'_>> {
    let mut all: Vec<Entry<'_>> = Vec::new();
    let body: Vec<&Statement> =
        body.iter().filter(|it| !matches!(it, Statement::Mark(_))).collect();
    for (index, statement) in body.iter().copied().enumerate() {
        let is_meant = matches!(all.last(), Some(Entry::Directive(..)));
        let next = body.get(index + 1).copied();
        let is_parallel = matches!(next, Some(Statement::Message(it)) if it.is_parallel);
        match statement {
            Statement::Directive(directive) => {
                all.extend(for_next(directive).map(|meaning| match meaning {
                    Meaning::Anything(names) => Entry::Anything(names, directive.span),
                    meaning => Entry::Directive(meaning, directive.span),
                }));
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
    let directives = entries.iter().rev().take_while(|it| is_directive(it));
    directives.into_iter().any(|it| matches!(it, Entry::Directive(Meaning::Ignore, _)))
}

fn is_directive(entry: &Entry<'_>) -> bool {
    matches!(entry, Entry::Directive(..))
}

/// Takes the directives from the end of a list.
fn last_directives(entries: &mut Vec<Entry<'_>>) -> Vec<(Meaning, Span)> {
    let kept = entries.iter().rposition(|it| !is_directive(it)).map_or(0, |at| at + 1);
    let directive = |entry| match entry {
        Entry::Directive(meaning, span) => Some((meaning, span)),
        Entry::Statement(_) | Entry::Anything(..) => None,
    };
    entries.drain(kept..).filter_map(directive).collect()
}
