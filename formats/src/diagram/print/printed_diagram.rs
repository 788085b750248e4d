//! Diagrams as they are written. The first one may refer to the others.

use crate::diagram::Notation;

/// One of the diagrams that an interaction is written as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedDiagram {
    /// Its title, which others refer to; the main one has none.
    pub title: Option<String>,
    /// The diagram.
    pub text: String,
}

/// Diagrams as blocks of Markdown, each under its title.
///
/// ```
/// use multitrace_formats::diagram::{Notation, PrintedDiagram, in_markdown, markdown_of};
/// let diagram = PrintedDiagram { title: Some("Login".to_owned()), text: "sequenceDiagram\n".to_owned() };
/// let text = markdown_of(Notation::Mermaid, &[diagram]);
/// assert_eq!(in_markdown(&text)[0].heading.as_deref(), Some("Login"));
/// ```
pub fn markdown_of(notation: Notation, diagrams: &[PrintedDiagram]) -> String {
    let language = notation.name().to_lowercase();
    let block = |PrintedDiagram { title, text }: &PrintedDiagram| {
        let heading = title.as_ref().map_or_else(String::new, |it| format!("\n## {it}\n"));
        format!("{heading}\n```{language}\n{text}```\n")
    };
    diagrams.iter().map(block).collect()
}
