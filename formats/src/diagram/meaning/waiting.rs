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

    /// Takes the first directive for which `of` gives a value.
    fn take<T>(&mut self, of: impl Fn(&Meaning) -> Option<T>) -> Option<T> {
        let mut found = self.list.iter().enumerate().map(|(at, (meaning, _))| (at, of(meaning)));
        let (at, taken) = found.find_map(|(at, taken)| Some((at, taken?)))?;
        self.list.remove(at);
        Some(taken)
    }

    fn has_taken(&mut self, is_it: impl Fn(&Meaning) -> bool) -> bool {
        self.take(|meaning| is_it(meaning).then_some(())).is_some()
    }

    pub(super) fn take_ignore(&mut self) -> bool {
        self.has_taken(|it| matches!(it, Meaning::Ignore))
    }

    pub(super) fn take_local(&mut self) -> bool {
        self.has_taken(|it| matches!(it, Meaning::Local))
    }

    pub(super) fn take_received(&mut self) -> bool {
        self.has_taken(|it| matches!(it, Meaning::Received))
    }

    pub(super) fn take_synchronous(&mut self) -> bool {
        self.has_taken(|it| matches!(it, Meaning::Synchronous))
    }

    pub(super) fn take_strict(&mut self) -> bool {
        self.has_taken(|it| matches!(it, Meaning::Strict { .. }))
    }

    pub(super) fn take_fate(&mut self, of: Fate) -> bool {
        self.has_taken(|it| matches!(it, Meaning::MayBe { fate, .. } if *fate == of))
    }

    pub(super) fn take_not_logged(&mut self) -> Option<Vec<String>> {
        self.take(|it| if let Meaning::NotLogged(names) = it { Some(names.clone()) } else { None })
    }

    pub(super) fn take_any_of(&mut self) -> Option<Bounds> {
        self.take(|it| if let Meaning::AnyOf(bounds) = it { Some(*bounds) } else { None })
    }

    pub(super) fn take_quorum(&mut self) -> Option<u32> {
        self.take(|it| if let Meaning::Quorum(enough) = it { Some(*enough) } else { None })
    }

    pub(super) fn take_for(&mut self) -> Option<(String, Vec<String>)> {
        self.take(|it| match it {
            Meaning::For { participant, values } => Some((participant.clone(), values.clone())),
            _ => None,
        })
    }

    pub(super) fn take_coregion(&mut self) -> Option<Vec<String>> {
        self.take(|it| if let Meaning::Coregion(names) = it { Some(names.clone()) } else { None })
    }

    pub(super) fn take_repetition(&mut self) -> Option<Repetition> {
        self.take(|it| match it {
            Meaning::Loop { repetition, .. } => Some(*repetition),
            _ => None,
        })
    }
}
