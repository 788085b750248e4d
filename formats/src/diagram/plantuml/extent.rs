//! Where a diagram starts and ends in a text.

use crate::source::{Diagnostic, Span};
use std::ops::Range;

/// Where a diagram is.
#[derive(Debug)]
pub(super) struct Extent {
    /// The name, if `@startuml` has one.
    pub(super) name: Option<String>,
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
                name: title(name),
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
        Some(found) if is_open => Err(not_ended(found.body.start)),
        Some(found) => Ok(found),
        None => Ok(Extent { name: None, before: range.start..range.start, body: range }),
    }
}

fn line_span(piece: &str, start: usize) -> Span {
    let blanks = piece.len() - piece.trim_start().len();
    Span::new(start + blanks, start + blanks + piece.trim().len())
}

/// The name after `@startuml`, unless it is empty or an id.
fn title(name: &str) -> Option<String> {
    let name = name.trim();
    let is_name = !name.is_empty() && !name.starts_with('(');
    is_name.then(|| name.trim_matches('"').to_owned())
}

fn other_kind(span: Span) -> Diagnostic {
    let error = Diagnostic::new(span, "not a sequence diagram", "only `@startuml` is read");
    error.with_help("name a sequence diagram, from `@startuml` to `@enduml`")
}

fn second(span: Span) -> Diagnostic {
    let message = "a second diagram in the same text";
    Diagnostic::new(span, message, "starts here").with_help("put each diagram in a file of its own")
}

fn not_ended(end: usize) -> Diagnostic {
    let span = Span::new(end, end);
    Diagnostic::new(span, "a diagram that is not ended", "starts here").with_help("add `@enduml`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Option<String>, &str), String> {
        let found = body(text, 0..text.len()).map_err(|error| error.message)?;
        Ok((found.name, &text[found.body]))
    }

    #[test]
    fn the_diagram_is_found() {
        assert_eq!(read("a\nb"), Ok((None, "a\nb")));
        assert_eq!(
            read("x\n@startuml \"My one\"\na\n @enduml\ny"),
            Ok((Some("My one".into()), "a\n"))
        );
        assert_eq!(read("@startuml(id=x)\na\n@enduml"), Ok((None, "a\n")));
    }

    #[test]
    fn what_is_no_single_sequence_diagram_is_refused() {
        assert!(read("@startmindmap\n@endmindmap").is_err());
        assert!(read("@startuml\nA->B").is_err());
        assert!(read("@startuml\n@enduml\n@startuml\n@enduml").is_err());
    }
}
