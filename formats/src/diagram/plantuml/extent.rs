//! Where a diagram starts and ends in a text.

use crate::source::{Diagnostic, Span};
use std::ops::Range;

/// Where a diagram is.
#[derive(Debug)]
pub(super) struct Extent {
    /// Behind `@startuml`; may be empty.
    pub(super) name: String,
    /// The lines before `@startuml`.
    pub(super) before: Range<usize>,
    /// The lines of the diagram.
    pub(super) body: Range<usize>,
}

/// Finds the diagram in this range: the lines between `@startuml` and `@enduml`, or all lines.
pub(super) fn body(text: &str, range: Range<usize>) -> Result<Extent, Diagnostic> {
    let mut found: Option<Extent> = None;
    let mut is_open = false;
    let mut start = range.start;
    for piece in text[range.clone()].split_inclusive('\n') {
        // An included file may begin with a byte-order mark.
        let (line, end) = (piece.trim_start_matches('\u{feff}').trim(), start + piece.len());
        let span = line_span(piece, start);
        if let Some(kind) = line.strip_prefix("@start") {
            let name = kind.strip_prefix("uml").ok_or_else(|| other_kind(span))?;
            if found.is_some() {
                return Err(second(span));
            }
            found = Some(Extent {
                name: name.trim().to_owned(),
                before: range.start..start,
                body: end..range.end,
            });
            is_open = true;
        } else if is_open && line.starts_with("@enduml") {
            is_open = false;
            if let Some(found) = &mut found {
                found.body.end = start;
            }
        }
        start = end;
    }
    match found {
        Some(found) if is_open => Err(not_ended(found.body.start, &text[range])),
        Some(found) => Ok(found),
        None => Ok(Extent { name: String::new(), before: range.start..range.start, body: range }),
    }
}

/// The lines of one of several diagrams, from its `@start…` to the next one: by its number from 0, or its id.
pub(super) fn diagram(text: &str, name: &str) -> Option<Range<usize>> {
    let mut starts: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive('\n') {
        let line = piece.trim_start_matches('\u{feff}').trim();
        starts.extend(line.strip_prefix("@start").map(|rest| (start, rest)));
        start += piece.len();
    }
    let has_id = |rest: &str| {
        let inside = rest.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let id = inside.and_then(|it| it.trim().strip_prefix("id")?.trim_start().strip_prefix('='));
        id.is_some_and(|id| id.trim().trim_matches('"') == name)
    };
    let at = name.parse().ok().or_else(|| starts.iter().position(|(_, rest)| has_id(rest)))?;
    let (start, _) = *starts.get(at)?;
    Some(start..starts.get(at + 1).map_or(text.len(), |(next, _)| *next))
}

fn line_span(piece: &str, start: usize) -> Span {
    let blanks = piece.len() - piece.trim_start().len();
    Span::new(start + blanks, start + blanks + piece.trim().len())
}

fn other_kind(span: Span) -> Diagnostic {
    let error = Diagnostic::new(span, "not a sequence diagram", "only `@startuml` is read");
    error.with_help("name a sequence diagram, from `@startuml` to `@enduml`")
}

fn second(span: Span) -> Diagnostic {
    let message = "a second diagram in the same text";
    Diagnostic::new(span, message, "starts here").with_help("put each diagram in a file of its own")
}

fn not_ended(end: usize, text: &str) -> Diagnostic {
    let span = Span::new(end, end);
    let has_other_ends = text.contains('\r') && !text.contains('\n');
    let help =
        if has_other_ends { "end lines with \\n or \\r\\n, not \\r" } else { "add `@enduml`" };
    Diagnostic::new(span, "a diagram that is not ended", "starts here").with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, &str), String> {
        let found = body(text, 0..text.len()).map_err(|error| error.message)?;
        Ok((found.name, &text[found.body]))
    }

    #[test]
    fn the_diagram_is_found() {
        assert_eq!(read("a\nb"), Ok((String::new(), "a\nb")));
        assert_eq!(
            read("x\n@startuml \"My one\"\na\n @enduml\ny"),
            Ok(("\"My one\"".into(), "a\n"))
        );
        assert_eq!(read("@startuml(id=x)\na\n@enduml"), Ok(("(id=x)".into(), "a\n")));
    }

    #[test]
    fn one_of_several_diagrams_is_found() {
        let text = "@startuml(id=one)\na\n@enduml\n@startuml (id = two)\nb\n@enduml\n";
        let found = |name: &str| body(text, diagram(text, name)?).ok().map(|it| &text[it.body]);
        assert_eq!((found("0"), found("one")), (Some("a\n"), Some("a\n")));
        assert_eq!((found("1"), found("two")), (Some("b\n"), Some("b\n")));
        assert_eq!((found("2"), found("three")), (None, None));
    }

    #[test]
    fn what_is_no_single_sequence_diagram_is_refused() {
        assert!(read("@startmindmap\n@endmindmap").is_err());
        assert!(read("@startuml\nA->B").is_err());
        let help = |text: &str| body(text, 0..text.len()).expect_err("not ended").help;
        assert_eq!(help("@startuml\nA->B").as_deref(), Some("add `@enduml`"));
        let ends = help("@startuml\rA->B\r@enduml\r");
        assert_eq!(ends.as_deref(), Some("end lines with \\n or \\r\\n, not \\r"));
        assert!(read("@startuml\n@enduml\n@startuml\n@enduml").is_err());
    }
}
