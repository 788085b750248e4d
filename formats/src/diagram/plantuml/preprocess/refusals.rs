//! Statements of the preprocessor that are not supported. The last error says how many there are.

use crate::source::{Diagnostic, Diagnostics, Span};
use std::collections::HashSet;

/// The statements that are not supported so far.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Their places and messages: a statement in a loop counts once.
    seen: HashSet<(Span, String)>,
    /// The last one, which is not reported yet.
    last: Option<Diagnostic>,
}

impl Refusals {
    /// Adds an error for a statement, and reports the one before it.
    pub(super) fn add(&mut self, diagnostic: Diagnostic, diagnostics: &mut Diagnostics) {
        if self.seen.insert((diagnostic.span, diagnostic.message.clone()))
            && let Some(before) = self.last.replace(diagnostic)
        {
            diagnostics.push(before);
        }
    }

    /// Reports the last one, with how many there are.
    pub(super) fn report(self, diagnostics: &mut Diagnostics) {
        let Some(mut last) = self.last else { return };
        let count = self.seen.len();
        if count > 1 {
            let total = format!("; {count} statements of the preprocessor are not supported");
            last.message.push_str(&total);
        }
        diagnostics.push(last);
    }
}
