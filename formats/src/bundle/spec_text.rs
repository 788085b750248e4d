//! The text of a specification inside its bundle, so that findings, warnings and coverage can point
//! into it.

use crate::source::{Source, Span};

/// A specification as it was written, and where its parts stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecText {
    /// The path as it was given.
    pub path: String,
    /// The content of the file; empty in bundles that were made without a text.
    pub text: String,
    /// One for each node of the interaction, by the index of its id; for an automaton one for each
    /// transition, in the order of the text. Empty in bundles that were made without a text.
    pub spans: Vec<Span>,
}

impl SpecText {
    /// Of a source and the places of its parts.
    pub fn new(source: &Source, spans: Vec<Span>) -> SpecText {
        SpecText { path: source.name().to_owned(), text: source.text().to_owned(), spans }
    }

    /// The text as a source, for places and snippets.
    pub fn source(&self) -> Source {
        Source::new(self.path.as_str(), self.text.as_str())
    }
}
