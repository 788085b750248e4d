//! Directives that wait for the statement below them.

use super::super::directives::{Bounds, Fate, Meaning, Repetition};
use crate::source::Span;

/// Directives and their places. Whoever acts on one takes it; those that nobody takes are errors.
#[derive(Default)]
pub(super) struct Waiting {
    list: Vec<(Meaning, Span)>,
}

impl Waiting {
    pub(super) fn add(&mut self, meaning: &Meaning, span: Span) {
        self.list.push((meaning.clone(), span));
    }

    /// Where those are that nobody has taken.
    pub(super) fn spans(&self) -> Vec<Span> {
        self.list.iter().map(|(_, span)| *span).collect()
    }

    fn take(&mut self, is_it: impl Fn(&Meaning) -> bool) -> Option<Meaning> {
        let at = self.list.iter().position(|(meaning, _)| is_it(meaning))?;
        Some(self.list.remove(at).0)
    }

    pub(super) fn take_ignore(&mut self) -> bool {
        self.take(|it| matches!(it, Meaning::Ignore)).is_some()
    }

    pub(super) fn take_local(&mut self) -> bool {
        self.take(|it| matches!(it, Meaning::Local)).is_some()
    }

    pub(super) fn take_received(&mut self) -> bool {
        self.take(|it| matches!(it, Meaning::Received)).is_some()
    }

    pub(super) fn take_synchronous(&mut self) -> bool {
        self.take(|it| matches!(it, Meaning::Synchronous)).is_some()
    }

    pub(super) fn take_strict(&mut self) -> bool {
        self.take(|it| matches!(it, Meaning::Strict { .. })).is_some()
    }

    pub(super) fn take_not_logged(&mut self) -> Option<Vec<String>> {
        match self.take(|it| matches!(it, Meaning::NotLogged(_)))? {
            Meaning::NotLogged(names) => Some(names),
            _ => None,
        }
    }

    pub(super) fn take_fate(&mut self, of: Fate) -> bool {
        self.take(|it| matches!(it, Meaning::MayBe { fate, .. } if *fate == of)).is_some()
    }

    pub(super) fn take_any_of(&mut self) -> Option<Bounds> {
        match self.take(|it| matches!(it, Meaning::AnyOf(_)))? {
            Meaning::AnyOf(bounds) => Some(bounds),
            _ => None,
        }
    }

    pub(super) fn take_quorum(&mut self) -> Option<u32> {
        match self.take(|it| matches!(it, Meaning::Quorum(_)))? {
            Meaning::Quorum(enough) => Some(enough),
            _ => None,
        }
    }

    pub(super) fn take_for(&mut self) -> Option<(String, Vec<String>)> {
        match self.take(|it| matches!(it, Meaning::For { .. }))? {
            Meaning::For { participant, values } => Some((participant, values)),
            _ => None,
        }
    }

    pub(super) fn take_coregion(&mut self) -> Option<Vec<String>> {
        match self.take(|it| matches!(it, Meaning::Coregion(_)))? {
            Meaning::Coregion(names) => Some(names),
            _ => None,
        }
    }

    pub(super) fn take_repetition(&mut self) -> Option<Repetition> {
        match self.take(|it| matches!(it, Meaning::Loop { .. }))? {
            Meaning::Loop { repetition, .. } => Some(repetition),
            _ => None,
        }
    }
}
