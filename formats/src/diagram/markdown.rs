//! The diagrams of a text. A Markdown or PlantUML file may hold several.

use super::Notation;
use crate::other_diagrams;
use crate::source::{Diagnostic, Span};
use std::iter::Peekable;
use std::ops::Range;

/// A diagram in a text, not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramText {
    /// The notation it is written in.
    pub notation: Notation,
    /// Where it stands.
    pub range: Range<usize>,
    /// The heading above it, if it stands in Markdown.
    pub heading: Option<String>,
    /// How many diagrams before it stand under the same heading.
    pub before: usize,
    /// Whether it stands in a quote: its lines start with `>`, so that it cannot be read.
    pub is_quoted: bool,
}

impl DiagramText {
    /// Its place.
    pub fn span(&self) -> Span {
        self.range.clone().into()
    }

    /// Whether it can be read where it stands.
    ///
    /// # Errors
    /// It stands in a quote.
    pub fn check(&self) -> Result<(), Diagnostic> {
        if !self.is_quoted {
            return Ok(());
        }
        let Range { start, end } = self.range;
        let span = Span::new(start, end.min(start + 1));
        let error = Diagnostic::new(span, "a diagram in a quote", "its lines start with `>`");
        Err(error.with_help("take the `>` away"))
    }
}

/// The sequence diagrams of a Markdown text, in order: fenced blocks in Mermaid that begin with
/// `sequenceDiagram`, fenced blocks in PlantUML, and `@startuml` to `@enduml`. Fenced blocks in quotes
/// are listed, but cannot be read. Fenced blocks in comments of HTML do not count: nobody sees them.
///
/// ````
/// use multitrace_formats::diagram::in_markdown;
/// let text = "# Login\n```mermaid\nsequenceDiagram\n a->>b: m\n```\n";
/// let found = in_markdown(text);
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].heading.as_deref(), Some("Login"));
/// assert_eq!(&text[found[0].range.clone()], "sequenceDiagram\n a->>b: m\n");
/// ````
pub fn in_markdown(text: &str) -> Vec<DiagramText> {
    let mut blocks = Vec::new();
    let (mut heading, mut before): (Option<String>, usize) = (None, 0);
    let mut comment: Option<Comment> = None;
    let mut lines = lines(text).peekable();
    while let Some((start, line)) = lines.next() {
        let line = line.trim_start_matches(BYTE_ORDER_MARK);
        let code = line.trim();
        comment = comment.filter(|it| it.holds(line)).or_else(|| Comment::opened_by(line));
        let is_hidden = comment.is_some();
        comment = comment.filter(|_| !line.contains(END_OF_COMMENT));
        let is_plantuml = code.starts_with("@startuml");
        if is_hidden && !is_plantuml {
            continue;
        }
        if let Some(title) = heading_of(code) {
            (heading, before) = (Some(title.to_owned()), 0);
            continue;
        }
        let fence_in_quote = in_quote(line).and_then(Fence::parse);
        let is_quoted = fence_in_quote.is_some();
        let found = if let Some(fence) = fence_in_quote {
            quoted_block(&fence, text, &mut lines)
        } else if let Some(fence) = Fence::parse(line) {
            fenced_block(&fence, text, &mut lines)
        } else if is_plantuml {
            let end = lines.by_ref().find(|(_, line)| line.trim().starts_with("@enduml"));
            let range = start..end.map_or(text.len(), |(at, line)| at + line.len());
            comment = comment.filter(|_| !text[range.clone()].contains(END_OF_COMMENT));
            Some((Notation::PlantUml, range))
        } else {
            None
        };
        if let Some((notation, range)) = found {
            let heading = heading.clone();
            blocks.push(DiagramText { notation, range, heading, before, is_quoted });
            before += 1;
        }
    }
    blocks
}

/// A comment of HTML (CommonMark sec. 4.6, the second kind of block), whose blocks no reader sees. PlantUML itself draws
/// the diagrams that start with `@startuml` in it.
struct Comment {
    /// How far it is indented.
    indent: usize,
    is_quoted: bool,
}

const END_OF_COMMENT: &str = "-->";

impl Comment {
    fn opened_by(line: &str) -> Option<Comment> {
        let inner = in_quote(line);
        let comment = Comment { indent: indent(line), is_quoted: inner.is_some() };
        inner.unwrap_or(line).trim_start().starts_with("<!--").then_some(comment)
    }

    /// Whether it goes on in this line: it ends with its quote or its item of a list.
    fn holds(&self, line: &str) -> bool {
        if self.is_quoted {
            return in_quote(line).is_some();
        }
        // A block may be indented by three more blanks than what holds it.
        line.trim().is_empty() || indent(line) + 3 >= self.indent
    }
}

/// How many blanks a line starts with; a tab reaches to the next multiple of four.
fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.fold(0, |at, c| if c == '\t' { (at / 4 + 1) * 4 } else { at + 1 })
}

/// The diagram in a fenced block.
fn fenced_block<'t>(
    fence: &Fence<'_>,
    text: &str,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
) -> Option<(Notation, Range<usize>)> {
    let start = lines.peek().map_or(text.len(), |(start, _)| *start);
    let end = lines.find(|(_, line)| fence.is_closed_by(line)).map_or(text.len(), |(at, _)| at);
    fence.notation(&text[start..end]).map(|notation| (notation, start..end))
}

/// The diagram in a fenced block of a quote, which ends with the quote at the latest.
fn quoted_block<'t>(
    fence: &Fence<'_>,
    text: &str,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
) -> Option<(Notation, Range<usize>)> {
    let start = lines.peek().map_or(text.len(), |(start, _)| *start);
    let (mut block, mut end) = (String::new(), start);
    while let Some((at, line)) = lines.next_if(|(_, line)| in_quote(line).is_some()) {
        let inner = in_quote(line).unwrap_or_default();
        if fence.is_closed_by(inner) {
            break;
        }
        block.push_str(inner);
        end = at + line.len();
    }
    fence.notation(&block).map(|notation| (notation, start..end))
}

/// The text of a line of a quote.
fn in_quote(line: &str) -> Option<&str> {
    let mut inner = line.trim_start().strip_prefix('>')?;
    while let Some(deeper) = inner.trim_start().strip_prefix('>') {
        inner = deeper;
    }
    Some(inner)
}

/// A file may begin with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether this is nothing at the start of a line.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == BYTE_ORDER_MARK
}

/// The diagrams of a PlantUML file: each `@startuml` to `@enduml`, or the whole text without one.
pub fn in_plantuml(text: &str) -> Vec<DiagramText> {
    let mut starts: Vec<usize> = lines(text)
        .filter(|(_, line)| line.trim_start_matches(is_blank).starts_with("@startuml"))
        .map(|(start, _)| start)
        .collect();
    if starts.is_empty() {
        return vec![whole(text, Notation::PlantUml)];
    }
    // Comments for a diagram may stand before it.
    let ends: Vec<usize> = lines(text)
        .filter(|(_, line)| line.trim_start().starts_with("@enduml"))
        .map(|(at, line)| at + line.len())
        .collect();
    for start in &mut starts {
        let before = ends.partition_point(|end| *end <= *start);
        *start = before.checked_sub(1).map_or(0, |at| ends[at]);
    }
    starts.dedup();
    let ends = starts[1..].iter().copied().chain([text.len()]);
    let block = |(before, (start, end)): (usize, (usize, usize))| DiagramText {
        notation: Notation::PlantUml,
        range: start..end,
        heading: None,
        before,
        is_quoted: false,
    };
    starts.iter().copied().zip(ends).enumerate().map(block).collect()
}

/// A whole text as one diagram.
pub fn whole(text: &str, notation: Notation) -> DiagramText {
    DiagramText { notation, range: 0..text.len(), heading: None, before: 0, is_quoted: false }
}

/// The lines of a text with their ends, and where they start.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

fn heading_of(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let is_heading = (1..=6).contains(&level) && (title.is_empty() || title.starts_with(' '));
    is_heading.then(|| title.trim().trim_end_matches('#').trim())
}

/// The line that opens a fenced block (CommonMark sec. 4.5), or `:::mermaid`, as wikis have it.
struct Fence<'t> {
    mark: char,
    length: usize,
    language: &'t str,
}

impl<'t> Fence<'t> {
    fn parse(line: &'t str) -> Option<Fence<'t>> {
        let code = line.trim();
        let mark = code.chars().next().filter(|mark| matches!(mark, '`' | '~' | ':'))?;
        let info = code.trim_start_matches(mark);
        let length = code.len() - info.len();
        let info = info.trim();
        if length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        let language = language(info);
        // Other blocks of colons hold Markdown.
        let is_block = mark != ':' || language.eq_ignore_ascii_case("mermaid");
        is_block.then_some(Fence { mark, length, language })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let code = line.trim();
        code.len() >= self.length && code.chars().all(|c| c == self.mark)
    }

    /// The notation of the block, if it is a sequence diagram.
    fn notation(&self, block: &str) -> Option<Notation> {
        match &*self.language.to_ascii_lowercase() {
            "mermaid" | "mmd" => is_mermaid_sequence(block).then_some(Notation::Mermaid),
            "plantuml" | "puml" | "uml" => Some(Notation::PlantUml),
            _ => None,
        }
    }
}

/// The language of a block: `mermaid`, `mermaid {x}`, `{.mermaid #id}`, `{mermaid}`.
fn language(info: &str) -> &str {
    let info = info.strip_prefix('{').map_or(info, |attributes| {
        let attributes = attributes.trim_end_matches('}').trim_start();
        attributes.strip_prefix('.').unwrap_or(attributes)
    });
    let end = info.find(|c: char| c.is_whitespace() || c == '{' || c == ',');
    &info[..end.unwrap_or(info.len())]
}

/// Whether a Mermaid text is a sequence diagram: its first line of code says so.
pub(crate) fn is_mermaid_sequence(text: &str) -> bool {
    code_line(text).is_some_and(|line| line.to_ascii_lowercase().starts_with("sequencediagram"))
}

/// The error of a Markdown text whose first block in Mermaid is a diagram of another kind, if it has one.
pub(crate) fn other_kind(text: &str) -> Option<Diagnostic> {
    let is_mermaid = |(_, line): &(usize, &str)| {
        let language = Fence::parse(line).map_or("", |fence| fence.language);
        ["mermaid", "mmd"].iter().any(|it| language.eq_ignore_ascii_case(it))
    };
    let (at, fence) = lines(text).find(is_mermaid)?;
    let line = code_line(&text[at + fence.len()..])?;
    other_diagrams::other_kind(line, line.as_ptr() as usize - text.as_ptr() as usize)
}

/// The first line of code of a Mermaid text.
fn code_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).peekable();
    let is_comment =
        |line: &&str| line.is_empty() || (line.starts_with("%%") && !line.starts_with("%%{"));
    while lines.next_if(is_comment).is_some() {}
    if lines.peek() == Some(&"---") {
        lines.next();
        while lines.next().is_some_and(|line| line != "---") {}
    }
    let mut is_init = false;
    lines.find(|line| {
        let is_comment = is_init || line.is_empty() || line.starts_with("%%");
        is_init = (is_init || line.starts_with("%%{")) && !line.contains("}%%");
        !is_comment
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Notation, &str, Option<String>, usize)> {
        let of = |it: DiagramText| (it.notation, text[it.range].trim(), it.heading, it.before);
        in_markdown(text).into_iter().map(of).collect()
    }

    #[test]
    fn diagrams_of_markdown_are_found_with_their_headings() {
        let text = "```mermaid\nsequenceDiagram\nx\n```\n# One #\n\n```mermaid\ngraph TD\n```\n\
                    ~~~ puml\n```\n~~~\n## Two\n  ````mermaid {x}\n  %%{init: {\n }}%%\n  sequenceDiagram; y\n  ```\n  ````\n\
                    @startuml\nz\n@enduml\n```rust\n# Three\n```mermaid\nsequenceDiagram\n```\n";
        let (one, two) = (Some("One".to_owned()), Some("Two".to_owned()));
        let mermaid = "%%{init: {\n }}%%\n  sequenceDiagram; y\n  ```";
        assert_eq!(
            found(text),
            [
                (Notation::Mermaid, "sequenceDiagram\nx", None, 0),
                (Notation::PlantUml, "```", one, 0),
                (Notation::Mermaid, mermaid, two.clone(), 0),
                (Notation::PlantUml, "@startuml\nz\n@enduml", two, 1),
            ]
        );
        assert_eq!(
            found("```mermaid\nsequenceDiagram\n").len(),
            1,
            "a block may end with the text"
        );
        for (open, close) in [
            (":::mermaid", ":::"),
            ("::: mermaid", ":::"),
            ("```{.mermaid #x}", "```"),
            ("```{mermaid}", "```"),
            ("``` {.mermaid}", "```"),
        ] {
            let text = format!("::: note\n{open}\nsequenceDiagram\n{close}\n:::\n");
            assert_eq!(found(&text).len(), 1, "{open}");
        }
    }

    #[test]
    fn a_file_may_begin_with_a_byte_order_mark() {
        for text in
            ["```mermaid\nsequenceDiagram\n```\n", "@startuml\n@enduml\n", "# One\n```puml\n```\n"]
        {
            let headings =
                |text: &str| in_markdown(text).into_iter().map(|it| it.heading).collect::<Vec<_>>();
            let plain = headings(text);
            assert_eq!((headings(&format!("\u{feff}{text}")), plain.len()), (plain, 1), "{text}");
        }
    }

    #[test]
    fn diagrams_in_quotes_are_listed_but_cannot_be_read() {
        let text = "# One\n> x\n> ```mermaid\n> sequenceDiagram\n> a->>b: m\n> ```\n> > ~~~puml\n> > a -> b\n\n\
                    > ```rust\n> ```mermaid\n> ```\n```mermaid\nsequenceDiagram\n> ```puml\n```\n";
        let blocks: Vec<(&str, usize, bool)> = in_markdown(text)
            .iter()
            .map(|it| (text[it.range.clone()].trim(), it.before, it.is_quoted))
            .collect();
        assert_eq!(
            blocks,
            [
                ("> sequenceDiagram\n> a->>b: m", 0, true),
                ("> > a -> b", 1, true),
                ("sequenceDiagram\n> ```puml", 2, false),
            ]
        );
        let blocks = in_markdown(text);
        let error = blocks[0].check().expect_err("a quote");
        assert_eq!(&text[error.span.start..error.span.end], ">");
        assert_eq!(error.message, "a diagram in a quote");
        assert_eq!(error.help.as_deref(), Some("take the `>` away"));
        assert_eq!(blocks[2].check(), Ok(()));
    }

    #[test]
    fn blocks_in_comments_are_hidden() {
        let block = |text: &str| format!("```mermaid\nsequenceDiagram\n{text}\n```\n");
        let (old, new) = (block("old-->>shop: m"), block("new"));
        let indented = |blanks: usize| {
            let lines = format!("<!--\n{}-->\n", block("old"));
            lines.lines().map(|it| format!("{}{it}\n", " ".repeat(blanks))).collect::<String>()
        };
        let quoted: String = indented(0).lines().map(|it| format!("> {it}\n")).collect();
        for (text, count) in [
            (format!("<!--\n{}-->\n{new}", block("old")), 1),
            (format!("<!-- note -->\n{new}"), 1),
            (format!("<!-- {old}{new}"), 0),
            (format!("a note <!--\n{new}-->\n"), 1),
            (format!("<!--\n# Hidden\n{new}\n\n{new}"), 0),
            // An arrow ends the comment as any other `-->` does; the fence that closed the block opens one then.
            (format!("<!--\n{old}{new}"), 0),
            (format!("<!-- # Old -->\n{old}<!---->\n{new}"), 2),
            (format!("1. item\n\n{}{new}", indented(3)), 1),
            // A comment that lacks its end ends with the item of the list.
            (format!("- item\n\n      <!-- x\n\n{new}"), 1),
            (format!("```html\n<!--\n```\n{new}"), 1),
            (format!("{quoted}{new}"), 1),
            (format!("> <!-- x\n{new}"), 1),
            (format!("Example:\n\n\t<!-- x\n\n{new}"), 1),
        ] {
            assert_eq!(in_markdown(&text).len(), count, "{text}");
        }
        // The source of a picture.
        let text =
            "<!--\n```puml\n@startuml\na --> b\n@enduml\n```\n-->\n# Two\n@startuml\n@enduml\n";
        let expected = [(Notation::PlantUml, "@startuml\na --> b\n@enduml", None, 0)];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn plantuml_files_hold_several() {
        let text = "' multitrace: strict all\n@startuml a\nx\n@enduml\n@startuml\ny\n@enduml\n";
        let ranges: Vec<&str> = in_plantuml(text).into_iter().map(|it| &text[it.range]).collect();
        let second = text.rfind("@startuml").expect("there");
        assert_eq!(ranges, [&text[..second], &text[second..]]);
        assert_eq!(in_plantuml("a -> b").len(), 1);
    }
}
