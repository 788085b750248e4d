//! Sequence diagrams of Mermaid, read as Mermaid 11 reads them.
//!
//! Mermaid edits a text before it reads it (line ends, front matter, `%%{…}%%`, comments, entities),
//! splits the rest into tokens by an ordered list of patterns, reads the tokens by a small
//! grammar, and then checks participants and activations while it builds the diagram. Each of these
//! steps is one module here, in this order: `prepare`, `lexer`, `parser`, `cast`. The steps follow
//! Mermaid even where it surprises, so that a text is accepted here exactly if Mermaid draws it. Each
//! step takes time linear in the text.

mod arrow;
mod cast;
mod color;
mod entities;
mod frames;
mod lexer;
mod mapped;
mod options;
mod parser;
mod prepare;
mod scan;
mod text;
mod tokens;
mod yaml;

use super::model::Diagram;
use crate::source::Diagnostics;
use std::ops::Range;

pub(super) use color::{box_texts, is_color_name};

/// Whether a text in a diagram is read as this one.
pub(super) fn reads_as(written: &str, text: &str) -> bool {
    let read = prepare::marked_entities(written);
    !read.contains(['#', ';', '\n'])
        && !written.contains("%%{")
        && text::shown(text::unwrapped(&read)) == text
}

/// Reads the diagram in this range of a text. A range that leaves the text, or cuts a character, is cut to the
/// characters inside of it.
///
/// ```
/// use multitrace_formats::diagram::mermaid;
/// let text = "sequenceDiagram\n  Alice->>Bob: hello";
/// let diagram = mermaid::parse(text, 0..text.len())?;
/// assert_eq!(diagram.participants.len(), 2);
/// # Ok::<(), multitrace_formats::source::Diagnostics>(())
/// ```
///
/// # Errors
///
/// Everything in the text that Mermaid refuses, as far as one error does not hide another.
pub fn parse(text: &str, range: Range<usize>) -> Result<Diagram, Diagnostics> {
    let prepared = prepare::prepare(text, range)?;
    parser::parse(&prepared)
}

#[cfg(test)]
mod tests;
