//! Edits that Mermaid makes in a text before it reads it: line ends, front matter, `%%{…}%%`, comments and
//! entities; and the check whether the text is a sequence diagram at all.

use super::entities::{ENTITY_END, ENTITY_START};
use super::mapped::Mapped;
use super::scan::{is_space, is_word, line_end, run, starts_with};
use super::yaml;
use crate::diagram::directives::of_comment;
use crate::diagram::model::{Directive, Looks, Mark, MarkKind, Statement};
use crate::other_diagrams::other_kind;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use memchr::{memchr, memmem};
use std::ops::Range;

/// A text that is ready to be split into tokens.
pub(super) struct Prepared {
    /// The edited text; ends with a line end.
    pub(super) text: Mapped,
    /// The title of the front matter.
    pub(super) title: Option<String>,
    /// The comments that were removed.
    pub(super) comments: Vec<Statement>,
    /// The front matter and the `%%{…}%%` that were removed.
    pub(super) settings: Vec<Statement>,
}

/// Edits a range of a text.
pub(super) fn prepare(text: &str, range: Range<usize>) -> Result<Prepared, Diagnostics> {
    let mut mapped = Mapped::new(text, range);
    line_ends(&mut mapped);
    quotes_in_tags(&mut mapped);
    let (title, matter) = front_matter(&mut mapped)?;
    let settings = settings(mapped.text());
    let found = settings.iter().map(|range| setting(&mapped, range.clone()));
    let written = matter.into_iter().chain(found).collect();
    mapped.remove(&settings);
    let comments = comments(mapped.text());
    let find = |range: &Range<usize>| comment(&mapped, range.clone());
    let written_comments = comments.iter().filter_map(find).collect();
    mapped.remove(&comments);
    check_header(&mapped)?;
    entities(&mut mapped);
    mapped.end_line();
    Ok(Prepared { text: mapped, title, comments: written_comments, settings: written })
}

/// Makes `\r\n` and `\r` a `\n`.
fn line_ends(mapped: &mut Mapped) {
    let bytes = mapped.text().as_bytes();
    let returns: Vec<usize> = memchr::memchr_iter(b'\r', bytes).collect();
    let (paired, lone): (Vec<usize>, Vec<usize>) =
        returns.into_iter().partition(|&at| bytes.get(at + 1) == Some(&b'\n'));
    let lone: Vec<(usize, u8)> = lone.into_iter().map(|at| (at, b'\n')).collect();
    mapped.replace(&lone);
    let paired: Vec<Range<usize>> = paired.into_iter().map(|at| at..at + 1).collect();
    mapped.remove(&paired);
}

/// Makes `<a b="c">` a `<a b='c'>`.
fn quotes_in_tags(mapped: &mut Mapped) {
    let text = mapped.text();
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(open) = memchr(b'<', &text.as_bytes()[from..]).map(|at| from + at) {
        from = open + 1;
        let name = run(text, from, is_word);
        if name > from {
            let Some(close) = memchr(b'>', &text.as_bytes()[name..]) else { break };
            from = name + close + 1;
            quotes(text, name..from, &mut places);
        }
    }
    mapped.replace(&places);
}

/// Replaces the quotes around the values in a tag.
fn quotes(text: &str, tag: Range<usize>, places: &mut Vec<(usize, u8)>) {
    let bytes = &text.as_bytes()[..tag.end];
    let mut from = tag.start;
    while let Some(open) = memmem::find(&bytes[from..], b"=\"").map(|at| from + at + 1) {
        let Some(close) = memchr(b'"', &bytes[open + 1..]) else { return };
        let close = open + 1 + close;
        places.extend([(open, b'\''), (close, b'\'')]);
        from = close + 1;
    }
}

/// Removes the front matter. Returns its title, and all of it if it has more than that.
fn front_matter(mapped: &mut Mapped) -> Result<(Option<String>, Option<Statement>), Diagnostics> {
    let text = mapped.text();
    let Some(matter) = find_front_matter(text) else {
        return if text.starts_with("---") {
            Err(open_front_matter(mapped).into())
        } else {
            Ok((None, None))
        };
    };
    let entries = yaml::document(&text[matter.body.clone()]).map_err(|problem| {
        let start = matter.body.start + problem.range.start;
        let span = mapped.span(start..matter.body.start + problem.range.end);
        let help = "mend it, or remove the lines from `---` to `---`";
        Diagnostic::new(span, "the front matter is not YAML", problem.message).with_help(help)
    })?;
    let title = yaml::scalar_of(&entries, "title");
    let has_more = entries.iter().any(|(name, _)| name != "title");
    let written = 0..text[..matter.end].trim_end().len();
    let written = has_more.then(|| setting(mapped, written));
    mapped.remove(std::slice::from_ref(&(0..matter.end)));
    Ok((title, written))
}

fn open_front_matter(mapped: &Mapped) -> Diagnostic {
    let span = mapped.span(0..3);
    let message = "the front matter is not closed";
    let help = "write `---` on a line of its own before `sequenceDiagram`";
    Diagnostic::new(span, message, "it starts here").with_help(help)
}

/// Where the front matter stands.
struct FrontMatter {
    /// Between the lines of `---`.
    body: Range<usize>,
    /// Where the diagram starts.
    end: usize,
}

fn find_front_matter(text: &str) -> Option<FrontMatter> {
    let indent = run(text, 0, |c| is_space(c) && c != '\n');
    let fence = format!("\n{}---", &text[..indent]);
    if !text[indent..].starts_with("---") {
        return None;
    }
    let space = indent + 3..run(text, indent + 3, is_space);
    // Empty lines before the first entry do not belong to the body, unless it has no entry.
    let last = space.start + text[space.clone()].rfind('\n')?;
    let first = space.start + text[space].find('\n')?;
    [last, first].into_iter().find_map(|start| close_front_matter(text, start + 1, &fence))
}

/// Finds the line that closes a front matter whose body starts here.
fn close_front_matter(text: &str, start: usize, fence: &str) -> Option<FrontMatter> {
    for at in memmem::find_iter(&text.as_bytes()[start..], fence.as_bytes()) {
        let after = start + at + fence.len();
        let space = &text[after..run(text, after, is_space)];
        if let Some(last) = space.rfind('\n') {
            return Some(FrontMatter { body: start..start + at, end: after + last + 1 });
        }
    }
    None
}

/// Where the settings of the text stand: `%%{init: …}%%`.
fn settings(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = memmem::find(&text.as_bytes()[from..], b"%%{") {
        let start = from + at;
        from = start + 3;
        if let Some(end) = end_of_setting(text, from) {
            found.push(start..end);
            from = end;
        }
    }
    found
}

/// Where the setting whose name starts after this `%%{` ends; `None` without a name.
fn end_of_setting(text: &str, open: usize) -> Option<usize> {
    let name = run(text, open, is_space);
    let name_end = run(text, name, is_word);
    if name_end == name {
        return None;
    }
    let colon = run(text, name_end, is_space);
    let value = if text[colon..].starts_with(':') { colon + 1 } else { name_end };
    let value = run(text, value, is_space);
    let word = run(text, value, is_word);
    // Searched only where it is needed, since the search may go to the end of the text.
    let closing = || memmem::find(&text.as_bytes()[value..], b"}%%");
    let value_end = if word > value { word } else { closing().map_or(text.len(), |at| value + at) };
    let end = run(text, value_end, is_space);
    Some(if text[end..].starts_with("}%%") { end + 3 } else { end })
}

/// Where the lines stand that are comments, each with the empty lines before it.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let first = run(text, start, is_space);
        let end = line_end(text, first);
        let next = (end + 1).min(text.len());
        let comment = text[first..end].strip_prefix("%%");
        if comment.is_some_and(|comment| !comment.is_empty() && !comment.starts_with('{')) {
            found.push(start..next);
        }
        start = next;
    }
    found
}

/// `%%{…}%%` or a front matter, where it stands.
fn setting(mapped: &Mapped, range: Range<usize>) -> Statement {
    let kind = MarkKind::Looks(mapped.text()[range.clone()].to_owned());
    Statement::Mark(Mark { kind, looks: Looks::default(), span: mapped.span(range) })
}

/// A comment with `%%`, or its directive to this tool: the text after `multitrace:`.
pub(super) fn comment(mapped: &Mapped, comment: Range<usize>) -> Option<Statement> {
    let text = &mapped.text()[..comment.end];
    let marks = comment.start + text[comment.start..].find("%%")?;
    let word = run(text, run(text, marks, |c| c == '%'), is_space);
    let said = super::scan::trim(&text[word..]);
    let Some(found) = of_comment(said) else {
        let kind = MarkKind::Comment(super::text::written(said));
        let span = mapped.span(word..word + said.len());
        return Some(Statement::Mark(Mark { kind, looks: Looks::default(), span }));
    };
    let start = found.as_ptr() as usize - text.as_ptr() as usize;
    let span = mapped.span(start..start + found.len());
    Some(Statement::Directive(Directive { text: super::text::written(found), span }))
}

/// Whether the text starts as a sequence diagram does.
fn check_header(mapped: &Mapped) -> Result<(), Diagnostics> {
    let text = mapped.text();
    let mut start = run(text, 0, is_space);
    while text[start..].starts_with("%%") {
        start = run(text, line_end(text, start), is_space);
    }
    if text[start..].starts_with("sequenceDiagram") {
        return Ok(());
    }
    let word = run(text, start, |c| !is_space(c));
    let span = mapped.span(start..word);
    let other = other_kind(&text[start..line_end(text, start)], span.start);
    Err(other.unwrap_or_else(|| no_header(text, start..word, span)).into())
}

fn no_header(text: &str, word: Range<usize>, span: Span) -> Diagnostic {
    let message = match &text[word.clone()] {
        "" => "there is no diagram in this text".to_owned(),
        found => format!("expected `sequenceDiagram`, found {}", quote(found)),
    };
    let help = if starts_with(text, word.start, "sequenceDiagram") {
        "upper and lower case matter: write `sequenceDiagram`"
    } else {
        "a sequence diagram of Mermaid starts with a line `sequenceDiagram`"
    };
    Diagnostic::new(span, message, "the diagram starts here").with_help(help)
}

/// A text with its entities marked.
pub(super) fn marked_entities(text: &str) -> String {
    let mut mapped = Mapped::new(text, 0..text.len());
    quotes_in_tags(&mut mapped);
    entities(&mut mapped);
    mapped.text().to_owned()
}

/// Marks the entities, so that their `#` and `;` stand for nothing else.
fn entities(mapped: &mut Mapped) {
    for keyword in ["style", "classDef"] {
        let ends = ends_of_styles(mapped.text(), keyword);
        mapped.remove(&ends);
    }
    let text = mapped.text();
    let mut places = Vec::new();
    for start in memchr::memchr_iter(b'#', text.as_bytes()) {
        let end = run(text, start + 1, is_word);
        if end > start + 1 && text[end..].starts_with(';') {
            places.extend([(start, ENTITY_START as u8), (end, ENTITY_END as u8)]);
        }
    }
    mapped.replace(&places);
}

/// The `;` that Mermaid drops at the end of a possible style: `style …:…#…;`.
fn ends_of_styles(text: &str, keyword: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = memmem::find(&text.as_bytes()[from..], keyword.as_bytes()) {
        let start = from + at + keyword.len();
        let end = line_end(text, start);
        let last = text[start..end].rfind(';').map(|at| start + at);
        if let Some(last) = last.filter(|&last| has_color(&text[start..last])) {
            found.push(last..last + 1);
        }
        from = end;
    }
    found
}

/// Whether a `#` follows a `:` without white space between them.
fn has_color(text: &str) -> bool {
    let words = text.split(is_space);
    let mut colons = words.filter_map(|word| word.split_once(':'));
    colons.any(|(_, value)| value.contains('#'))
}
