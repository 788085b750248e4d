//! Diagrams of Mermaid that are not sequence diagrams, by the word that begins them.

use crate::source::{Diagnostic, Span};

/// The words as <https://mermaid.js.org> has them, without `-v2` and `-beta`, and what they begin.
const KINDS: [(&str, &str); 22] = [
    ("flowchart", "flowchart"),
    ("graph", "flowchart"),
    ("classDiagram", "class diagram"),
    ("stateDiagram", "state diagram"),
    ("erDiagram", "diagram of entities"),
    ("requirementDiagram", "diagram of requirements"),
    ("gitGraph", "graph of commits"),
    ("C4Context", "C4 diagram"),
    ("C4Container", "C4 diagram"),
    ("C4Component", "C4 diagram"),
    ("C4Dynamic", "C4 diagram"),
    ("C4Deployment", "C4 diagram"),
    ("architecture", "diagram of architecture"),
    ("block", "block diagram"),
    ("gantt", "Gantt chart"),
    ("journey", "diagram of a journey"),
    ("kanban", "Kanban board"),
    ("mindmap", "mind map"),
    ("pie", "pie chart"),
    ("quadrantChart", "quadrant chart"),
    ("sankey", "Sankey diagram"),
    ("timeline", "timeline"),
];

/// The error of a diagram that this line begins, at `start`, if it is one of another kind.
pub(crate) fn other_kind(line: &str, start: usize) -> Option<Diagnostic> {
    let word = line.split(|c: char| c.is_whitespace() || matches!(c, ';' | ':')).next()?;
    let name = word.trim_end_matches("-v2").trim_end_matches("-beta");
    let (_, kind) = KINDS.iter().find(|(begin, _)| *begin == name)?;
    let span = Span::new(start, start + word.len());
    let message = format!("this is a {kind} of Mermaid, and sequence diagrams are read");
    let help = "say who sends which message to whom: a line `sequenceDiagram`, and lines such as `A->>B: message`";
    Some(Diagnostic::new(span, message, format!("a {kind}")).with_help(help))
}
