//! Source texts, places in them, and the errors found there.

use crate::shorten::visible;
use annotate_snippets::{Annotation, AnnotationKind, Level, Origin, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The longest specification, in bytes: ids of its parts must fit 32 bits.
const MAX_SPEC_BYTES: usize = 1 << 30;
/// The most errors listed per source; further ones are counted. More than a few screens of them help
/// nobody.
const MAX_DIAGNOSTICS: usize = 100;
/// The longest line that is shown whole, in characters: two lines of a terminal.
const MAX_LINE: usize = 200;
/// The longest piece of a source that is quoted in a message, in characters: most of a line.
const MAX_QUOTE: usize = 60;

/// A text and its name: a file, or one line of it. Copies share both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    first_line: usize,
}

impl Source {
    /// A whole file.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Source {
        Source::at_line(name, text, 1)
    }

    /// A piece of a file that starts at this line, counted from 1.
    pub fn at_line(
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        first_line: usize,
    ) -> Source {
        Source { name: name.into(), text: text.into(), first_line }
    }

    /// The name of the text, usually its path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a specification, unless it is too long for one.
    pub fn spec_text(&self) -> Result<&str, Diagnostics> {
        if self.text.len() <= MAX_SPEC_BYTES {
            return Ok(&self.text);
        }
        let message = format!("a specification of more than {MAX_SPEC_BYTES} bytes");
        Err(Diagnostic::new(Span::default(), message, "starts here").into())
    }

    /// Line and column of a byte offset. An offset beyond the end, or inside a character, counts
    /// as the nearest place before it.
    ///
    /// ```
    /// use multitrace_formats::source::{Position, Source};
    /// let source = Source::new("a.hif", "seq(\n  ∅)");
    /// let closing = source.text().len() - 1;
    /// assert_eq!(source.position(closing), Position { line: 2, column: 4 });
    /// ```
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char(&self.text, offset);
        let before = &self.text[..offset];
        let line = self.first_line + before.bytes().filter(|&b| b == b'\n').count();
        let range = self.line_range(offset);
        let column = 1 + self.text[range.start..offset.min(range.end)].chars().count();
        Position { line, column }
    }

    /// The line around an offset, without its end, which may be that of Windows.
    fn line_range(&self, offset: usize) -> Range<usize> {
        let start = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let end = match self.text[offset..].find('\n') {
            Some(at) if self.text[start..offset + at].ends_with('\r') => offset + at - 1,
            Some(at) => offset + at,
            None => self.text.len(),
        };
        start..end
    }

    /// The line of a span, shortened around it when it is long. A span over several lines is cut
    /// at the end of its first.
    fn excerpt(&self, span: Span) -> Excerpt {
        let start = floor_char(&self.text, span.start);
        let line = self.line_range(start);
        let start = start.min(line.end);
        let end = floor_char(&self.text, span.end).clamp(start, line.end);
        let window = window(&self.text, &line, start);
        let before = if window.start > line.start { "…" } else { "" };
        let after = if window.end < line.end { "…" } else { "" };
        let text = format!("{before}{}{after}", &self.text[window.clone()]);
        let shift = |offset: usize| offset.min(window.end) - window.start + before.len();
        Excerpt { range: shift(start)..shift(end), is_cut: !before.is_empty(), text }
    }
}

struct Excerpt {
    text: String,
    range: Range<usize>,
    /// Whether the line is cut on the left.
    is_cut: bool,
}

/// At most [`MAX_LINE`] characters of a line, around a place in it.
fn window(text: &str, line: &Range<usize>, place: usize) -> Range<usize> {
    // Bytes bound characters from above, and spare counting a line of a gigabyte.
    if text[line.clone()].chars().take(MAX_LINE + 1).count() <= MAX_LINE {
        return line.clone();
    }
    let before = text[line.start..place].char_indices().rev().take(MAX_LINE / 2).last();
    let start = line.start + before.map_or(place - line.start, |(at, _)| at);
    let after = text[start..line.end].char_indices().nth(MAX_LINE);
    start..after.map_or(line.end, |(at, _)| start + at)
}

/// The offset itself, or the start of the character it is inside of, or the end.
pub(crate) fn floor_char(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The span, grown where it starts or ends inside of a character, and cut at the end of the text.
fn whole_chars(text: &str, span: Span) -> Span {
    let start = floor_char(text, span.start);
    let mut end = span.end.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Span::new(start, end.max(start))
}

/// A stretch of a source, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Where it starts.
    pub start: usize,
    /// Where it ends; this byte is no longer part of it.
    pub end: usize,
}

impl Span {
    /// From this byte up to that one.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// From the start of this span to the end of the other.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}

/// A place as people count: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// One error in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// The error.
    pub message: String,
    /// The part that was expected or found at the place; may be empty.
    pub label: String,
    /// The remedy, if there is one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a remedy.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { span, message: message.into(), label: label.into(), help: None }
    }

    /// The same with a remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }
}

/// Errors while they are collected. Only the first of a flood are kept, so that a file of garbage
/// costs no more memory than its own size.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    omitted: usize,
}

impl Diagnostics {
    /// Adds a diagnostic; beyond the most that are listed, it is counted.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.push_with(|| diagnostic);
    }

    /// Adds an error that is costly to word, unless the list is full.
    pub fn push_with(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic());
        } else {
            self.omitted += 1;
        }
    }

    /// Whether there is no diagnostic.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many errors there are, with those that are not kept.
    pub fn count(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// Adds words to the messages of the errors after the first `count`.
    pub(crate) fn add_to_messages(&mut self, count: usize, words: &str) {
        for diagnostic in self.list.iter_mut().skip(count) {
            diagnostic.message.push_str(words);
        }
    }

    /// Puts words before the messages of the errors after the first `count`.
    pub(crate) fn add_before_messages(&mut self, count: usize, words: &str) {
        for diagnostic in self.list.iter_mut().skip(count) {
            diagnostic.message.insert_str(0, words);
        }
    }

    /// Moves every error to another place.
    pub fn map_spans(&mut self, place: impl Fn(Span) -> Span) {
        for diagnostic in &mut self.list {
            diagnostic.span = place(diagnostic.span);
        }
    }

    /// Keeps those that a function wants; those that were only counted stay.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Diagnostic) -> bool) {
        self.list.retain(keep);
    }

    /// Adds those of another list.
    pub fn append(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
        self.omitted += other.omitted;
    }

    /// The errors, without those that are only counted.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }

    /// The value when there is no error.
    pub fn check<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    /// These errors as errors of a source.
    pub fn of(self, source: Source) -> SourceError {
        let Diagnostics { mut list, mut omitted } = self;
        for diagnostic in &mut list {
            diagnostic.span = whole_chars(&source.text, diagnostic.span);
        }
        list.sort_by_key(|diagnostic| diagnostic.span);
        omitted += list.len().saturating_sub(MAX_DIAGNOSTICS);
        list.truncate(MAX_DIAGNOSTICS);
        SourceError { source, diagnostics: list, omitted }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics { list: vec![diagnostic], omitted: 0 }
    }
}

/// All that is wrong with a source: at least one error, at most a hundred listed.
///
/// `Display` shows each with file, line, column and the line itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    source: Source,
    diagnostics: Vec<Diagnostic>,
    omitted: usize,
}

impl SourceError {
    /// A single error.
    pub fn new(source: Source, diagnostic: Diagnostic) -> SourceError {
        Diagnostics::from(diagnostic).of(source)
    }

    /// Where the errors are.
    pub fn file(&self) -> &Source {
        &self.source
    }

    /// The errors in order of their places; never empty.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many more there are than are listed.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Each error on one line, `file:line:column: message`.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.diagnostics.iter().map(|diagnostic| {
            let Position { line, column } = self.source.position(diagnostic.span.start);
            let text = format!("{}:{line}:{column}: {}", self.source.name, diagnostic.message);
            visible(&text).into_owned()
        })
    }
}

/// A diagnostic with the lines of its places, as rustc shows them. `related` are further places with their texts. Names and
/// quoted texts cannot begin lines of their own.
pub(crate) fn render(
    source: &Source,
    level: Level<'_>,
    code: Option<&str>,
    diagnostic: &Diagnostic,
    related: &[(Span, String)],
) -> String {
    let primary = AnnotationKind::Primary;
    let (origin, snippet) = snippet(source, diagnostic.span, primary, &diagnostic.label);
    let help = diagnostic.help.as_deref().map(|help| Level::HELP.message(visible(help)));
    let title = level.primary_title(visible(&diagnostic.message));
    let title = match code {
        Some(code) => title.id(code),
        None => title,
    };
    let mut group = title.elements(origin).element(snippet);
    for (span, label) in related {
        let (origin, snippet) = self::snippet(source, *span, AnnotationKind::Context, label);
        group = group.elements(origin).element(snippet);
    }
    Renderer::plain().render(&[group.elements(help)])
}

/// The line of a span, and where it is if the line is cut.
fn snippet<'a>(
    source: &'a Source,
    span: Span,
    kind: AnnotationKind,
    label: &'a str,
) -> (Option<Origin<'a>>, Snippet<'a, Annotation<'a>>) {
    let Position { line, column } = source.position(span.start);
    let excerpt = source.excerpt(span);
    let path = visible(&source.name);
    // A snippet of a line that is cut on the left would show a wrong column.
    let origin = excerpt.is_cut.then(|| Origin::path(path.clone()).line(line).char_column(column));
    let snippet = Snippet::source(excerpt.text)
        .line_start(line)
        .path((!excerpt.is_cut).then_some(path))
        .annotation(kind.span(excerpt.range).label(visible(label)));
    (origin, snippet)
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            let gap = if index > 0 { "\n\n" } else { "" };
            let shown = render(&self.source, Level::ERROR, None, diagnostic, &[]);
            write!(f, "{gap}{shown}")?;
        }
        match self.omitted {
            0 => Ok(()),
            1 => write!(f, "\n\nand 1 more error in {}", visible(&self.source.name)),
            more => write!(f, "\n\nand {more} more errors in {}", visible(&self.source.name)),
        }
    }
}

impl std::error::Error for SourceError {}

/// A piece of a source between backquotes, shortened when it is long.
pub fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        None => format!("`{}`", visible(text)),
        Some((end, _)) => format!("`{}…`", visible(&text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, start: usize, end: usize) -> SourceError {
        let diagnostic = Diagnostic::new(Span::new(start, end), "wrong", "here");
        SourceError::new(Source::new("f.hif", text), diagnostic.with_help("do it right"))
    }

    #[test]
    fn display_shows_place_line_label_and_help() {
        let shown = error("seq(\n  é bad)", 10, 13).to_string();
        assert_eq!(
            shown,
            "error: wrong\n --> f.hif:2:5\n  |\n2 |   é bad)\n  |     ^^^ here\n  |\n  = help: do it right"
        );
    }

    #[test]
    fn line_ends_of_windows_are_not_shown() {
        for end in [2, 3, 4] {
            let [unix, windows] = ["a\nbc\nd", "a\r\nbc\r\nd"].map(|text| {
                let start = text.find('b').expect("there");
                error(text, start + end - 2, start + end).to_string()
            });
            assert_eq!(windows, unix);
        }
        // Behind a line, on either byte of its end.
        let shown = [1, 2].map(|at| error("a\r\nb", at, at).to_string());
        assert_eq!(shown, [1, 1].map(|at| error("a\nb", at, at).to_string()));
    }

    #[test]
    fn an_empty_source_can_be_shown() {
        let error = error("", 0, 0);
        assert_eq!(error.lines().collect::<Vec<_>>(), ["f.hif:1:1: wrong"]);
        assert!(error.to_string().contains("f.hif:1:1"), "{error}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place_but_keeps_its_column() {
        let text = format!("{}BAD{}", "é".repeat(1000), "x".repeat(1000));
        let shown = error(&text, 2000, 2003).to_string();
        assert!(shown.contains("f.hif:1:1001"), "{shown}");
        let line = shown.lines().find(|line| line.contains("BAD")).expect("the line is shown");
        assert!(line.chars().count() <= MAX_LINE + 10, "{line}");
        let place = line.chars().position(|c| c == 'B');
        let marks = shown.lines().find(|line| line.contains("^^^")).expect("the place is marked");
        assert_eq!(marks.chars().position(|c| c == '^'), place);
    }

    #[test]
    fn a_flood_of_errors_is_counted() {
        let mut diagnostics = Diagnostics::default();
        for start in 0..130 {
            diagnostics.push(Diagnostic::new(Span::new(start, start), "wrong", ""));
        }
        let error = diagnostics.of(Source::new("f", "x".repeat(130)));
        assert_eq!((error.diagnostics().len(), error.omitted()), (100, 30));
        assert!(error.to_string().ends_with("and 30 more errors in f"));
    }

    #[test]
    fn any_span_can_be_shown() {
        for (start, end) in [(0, 99), (5, 2), (99, 99), (1, 2), (3, 4)] {
            assert!(error("é\né", start, end).to_string().contains("f.hif"));
        }
        assert_eq!(error("é\né", 4, 4).diagnostics()[0].span, Span::new(3, 5));
    }
}
