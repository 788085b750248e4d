//! Statements of the preprocessor that are not supported. The last error says how many there are.

use crate::source::{Diagnostic, Diagnostics, Span};
use std::collections::HashSet;

/// The statements that are not supported so far.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Their places and messages: a statement in a loop counts once.
    seen: HashSet<(Span, String)>,
    /// Their errors, not reported yet.
    list: Vec<Diagnostic>,
}

impl Refusals {
    /// Adds the error for a statement.
    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        if self.seen.insert((diagnostic.span, diagnostic.message.clone())) {
            self.list.push(diagnostic);
        }
    }

    /// Reports them all; the last one says how many there are.
    pub(super) fn report(mut self, diagnostics: &mut Diagnostics) {
        let count = self.list.len();
        if let Some(last) = self.list.last_mut().filter(|_| count > 1) {
            let total = format!("; {count} statements of the preprocessor are not supported");
            last.message.push_str(&total);
        }
        self.list.into_iter().for_each(|it| diagnostics.push(it));
    }
}
