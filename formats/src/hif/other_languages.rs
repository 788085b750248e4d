//! Texts in other languages than `.hif`, recognised so that errors name a remedy.

use crate::cursor::Cursor;
use crate::other_diagrams::other_kind;
use crate::source::{Diagnostic, Span};

/// The error of a diagram in Mermaid or PlantUML: all other errors of its text follow from that.
pub(super) fn diagram(text: &str) -> Option<Diagnostic> {
    let lines = text.split_inclusive('\n').scan(0, |start, line| {
        let at = *start;
        *start += line.len();
        Some((at, line))
    });
    let is_code =
        |line: &str| !line.is_empty() && !["%%", "'", "```"].iter().any(|it| line.starts_with(it));
    let mut code = lines.filter(|(_, line)| is_code(line.trim())).peekable();
    // Mermaid may have a preamble between two lines of dashes.
    if code.peek().is_some_and(|(_, line)| line.trim() == "---") {
        code.next();
        code.find(|(_, line)| line.trim() == "---");
    }
    let (at, line) = code.next()?;
    let word = line.trim();
    let start = at + (line.len() - line.trim_start().len());
    if let Some(other) = other_kind(word, start) {
        return Some(other);
    }
    let (language, extension) = if word == "sequenceDiagram" {
        ("Mermaid", ".mmd")
    } else if word.starts_with("@start") {
        ("PlantUML", ".puml")
    } else {
        return None;
    };
    let message = format!("this is a {language} diagram, not an interaction");
    let help = format!(
        "give the file the extension {extension}, or .md if the diagram stands in Markdown; it is then \
         read as it is"
    );
    Some(Diagnostic::new(Span::new(start, start + word.len()), message, language).with_help(help))
}

/// Reports the first `#`, which no interaction has, and skips all of them with the rest of their lines:
/// most likely they begin comments.
pub(super) fn skip_hash_comments(text: &str, cursor: &mut Cursor<'_>) {
    let Some(first) = cursor.skip_hashed() else { return };
    let line = text[first.start..].lines().next().unwrap_or_default();
    let span = Span::new(first.start, first.start + line.len());
    let error = Diagnostic::new(span, "`#` is not part of the language", "a comment?");
    cursor.report(error.with_help("comments are `// …` to the end of the line, and `/* … */`"));
}
