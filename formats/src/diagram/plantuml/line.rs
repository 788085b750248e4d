//! Lines of a diagram with their places: comments are taken out, continued lines are joined.

use crate::diagram::directives::of_comment;
use crate::source::{Diagnostic, Diagnostics, Span};
use std::ops::Range;
use std::rc::Rc;

/// A line of a diagram.
#[derive(Clone, Debug)]
pub(super) struct SourceLine {
    /// The text of the line, without its end.
    pub(super) text: String,
    /// Where it stands.
    place: LineOrigin,
    /// The included file that it is in.
    file: Option<FileLine>,
}

/// A line of an included file.
#[derive(Clone, Debug)]
struct FileLine {
    /// The path of the file, as `!include` resolves it.
    path: Rc<str>,
    /// The number of the line, from 1.
    number: usize,
}

/// An included file.
#[derive(Clone, Debug)]
pub(super) struct Included {
    /// Its path, as `!include` resolves it.
    pub(super) path: Rc<str>,
    /// The place of the `!include`, which all lines have.
    pub(super) span: Span,
}

impl Included {
    /// The place of the line at this byte of the file, which its errors start with.
    pub(super) fn words(&self, text: &str, at: usize) -> String {
        let number = 1 + text[..at].matches('\n').count();
        FileLine { path: Rc::clone(&self.path), number }.words()
    }
}

impl FileLine {
    fn words(&self) -> String {
        format!("in {}, line {}: ", self.path, self.number)
    }
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
enum LineOrigin {
    /// The text stands as it is at this byte.
    At(usize),
    /// The text comes from this stretch, but was changed.
    From(Span),
}

impl SourceLine {
    /// A line that stands as it is at this byte.
    fn at(text: &str, start: usize) -> SourceLine {
        SourceLine { text: text.to_owned(), place: LineOrigin::At(start), file: None }
    }

    /// This line with another text, which comes from this stretch.
    pub(super) fn moved(&self, text: String, span: Span) -> SourceLine {
        SourceLine { text, place: LineOrigin::From(span), file: self.file.clone() }
    }

    /// The path of the included file that the line is in.
    pub(super) fn path(&self) -> Option<&str> {
        self.file.as_ref().map(|file| &*file.path)
    }

    /// The place in an included file, which errors in the line start with.
    pub(super) fn place_in_words(&self) -> String {
        self.file.as_ref().map(FileLine::words).unwrap_or_default()
    }

    /// Says in the messages of the errors after the first `count` which line of an included file this
    /// is.
    pub(super) fn add_place(&self, count: usize, diagnostics: &mut Diagnostics) {
        if self.file.is_some() {
            diagnostics.add_before_messages(count, &self.place_in_words());
        }
    }

    /// The place of the whole line, without the blanks around it.
    pub(super) fn span(&self) -> Span {
        self.span_of(self.text.trim())
    }

    /// The place of a part of this line's text. A text outside of it has the place of the
    /// line.
    pub(super) fn span_of(&self, part: &str) -> Span {
        match self.place {
            LineOrigin::From(span) => span,
            LineOrigin::At(start) => {
                let (own, part_at) = (self.text.as_ptr() as usize, part.as_ptr() as usize);
                let offset =
                    part_at.checked_sub(own).filter(|at| at + part.len() <= self.text.len());
                let offset = offset.unwrap_or(0);
                let length = part.len().min(self.text.len());
                Span::new(start + offset, start + offset + length)
            }
        }
    }

    /// This line with another text.
    pub(super) fn changed(&self, text: String) -> SourceLine {
        if text == self.text { self.clone() } else { self.moved(text, self.span()) }
    }

    /// The text of a comment, if the line is one.
    pub(super) fn comment(&self) -> Option<&str> {
        self.text.trim_start().strip_prefix('\'').map(str::trim)
    }

    /// The text of a comment for this tool, if the line is one.
    pub(super) fn directive(&self) -> Option<&str> {
        self.comment().and_then(of_comment)
    }
}

/// The lines of a range of a text. A comment that has a line of its own stays as a line. If the text is
/// that of an included file, every line has the place of its `!include`.
pub(super) fn lines(
    text: &str,
    range: Range<usize>,
    included: Option<&Included>,
    diagnostics: &mut Diagnostics,
) -> Vec<SourceLine> {
    let mut reader = LineReader { lines: Vec::new(), comment: None, is_continued: false };
    let mut start = range.start;
    let first = 1 + text[..start].matches('\n').count();
    for (number, piece) in (first..).zip(text[range].split_inclusive('\n')) {
        let bare = piece.trim_end_matches(['\n', '\r']);
        reader.line(match included {
            Some(Included { path, span }) => {
                let file = Some(FileLine { path: Rc::clone(path), number });
                SourceLine { text: bare.to_owned(), place: LineOrigin::From(*span), file }
            }
            None => SourceLine::at(bare, start),
        });
        start += piece.len();
    }
    if let Some(line) = reader.comment {
        let (message, count) = ("a comment that is not closed", diagnostics.count());
        let error = Diagnostic::new(line.span(), message, "opened here");
        diagnostics.push(error.with_help("add `'/`"));
        line.add_place(count, diagnostics);
    }
    reader.lines
}

/// Lines read so far.
struct LineReader {
    lines: Vec<SourceLine>,
    /// The open comment of several lines.
    comment: Option<SourceLine>,
    /// Whether the last line goes on in the next one.
    is_continued: bool,
}

impl LineReader {
    fn line(&mut self, line: SourceLine) {
        if self.comment.is_some() {
            let text = line.text.trim_end();
            let inner = text.strip_suffix("'/").unwrap_or(text);
            self.block_comment(&line, inner);
            if inner.len() < text.len() {
                self.comment = None;
            }
            return;
        }
        let trimmed = line.text.trim_start();
        if self.is_continued {
            self.add(&line);
        } else if trimmed.starts_with('\'') {
            self.lines.push(line);
        } else if trimmed.starts_with("/'") {
            self.opening_comment(&line);
        } else {
            self.add(&line);
        }
    }

    /// A line that starts with a comment. As in PlantUML it is all comment if it ends with one, too.
    fn opening_comment(&mut self, line: &SourceLine) {
        let trimmed = line.text.trim();
        let inner = &trimmed[2..];
        if let Some(inner) = inner.strip_suffix("'/") {
            return self.block_comment(line, inner);
        }
        let Some((comment, rest)) = inner.split_once("'/") else {
            self.block_comment(line, inner);
            self.comment = Some(line.clone());
            return;
        };
        self.block_comment(line, comment);
        if !rest.trim().is_empty() {
            self.add(&part(line, rest));
        }
    }

    /// A line of a comment of several lines, as one of its own.
    fn block_comment(&mut self, line: &SourceLine, inner: &str) {
        let inner = inner.trim();
        if !inner.is_empty() {
            self.lines.push(line.moved(format!("' {inner}"), line.span_of(inner)));
        }
    }

    /// A line of the diagram itself.
    fn add(&mut self, line: &SourceLine) {
        let (line, mut comments) = without_last_comment(line);
        let line = &without_marked_comments(&line, &mut comments);
        let goes_on = line.text.ends_with('\\') && !line.text.ends_with("\\\\");
        let text = if goes_on { &line.text[..line.text.len() - 1] } else { line.text.as_str() };
        let before = if self.is_continued { self.lines.pop() } else { None };
        let line = match before {
            None => part(line, text),
            Some(mut before) => {
                let span = before.span().to(line.span());
                let mut joined = std::mem::take(&mut before.text);
                joined.push_str(text);
                before.moved(joined, span)
            }
        };
        // Before the statement, so that a directive is about it.
        comments.iter().for_each(|comment| self.block_comment(&line, comment));
        self.lines.push(line);
        self.is_continued = goes_on;
    }
}

/// A part of a line as a line of its own.
fn part(line: &SourceLine, text: &str) -> SourceLine {
    match line.place {
        LineOrigin::From(span) => line.moved(text.to_owned(), span),
        LineOrigin::At(_) => SourceLine::at(text, line.span_of(text).start),
    }
}

/// The line without a comment at its end, and that comment.
fn without_last_comment(line: &SourceLine) -> (SourceLine, Vec<String>) {
    let inner = line.text.trim_end().strip_suffix("'/");
    match inner.and_then(|inner| inner.rsplit_once("/'")) {
        Some((before, comment)) if !before.is_empty() => {
            (part(line, before.trim_end()), vec![comment.to_owned()])
        }
        _ => (line.clone(), Vec::new()),
    }
}

/// The line without comments `/'''word'''/`, the only ones that PlantUML takes out of the middle of a line; any other
/// is text there.
fn without_marked_comments(line: &SourceLine, comments: &mut Vec<String>) -> SourceLine {
    let (mut text, mut rest) = (String::new(), line.text.as_str());
    while let Some((before, after)) = rest.split_once("/'''") {
        text.push_str(before);
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let behind = after.trim_start_matches(is_word);
        match behind.strip_prefix("'''/") {
            Some(behind_comment) => {
                comments.push(after[..after.len() - behind.len()].to_owned());
                rest = behind_comment;
            }
            None => {
                text.push_str("/'''");
                rest = after;
            }
        }
    }
    if rest.len() == line.text.len() {
        return line.clone();
    }
    text.push_str(rest);
    line.changed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, Span)>, usize) {
        let mut diagnostics = Diagnostics::default();
        let lines = lines(text, 0..text.len(), None, &mut diagnostics);
        (lines.iter().map(|line| (line.text.clone(), line.span())).collect(), diagnostics.count())
    }

    #[test]
    fn comments_are_lines_and_places_stay() {
        let (lines, errors) = read("a\n 'x\n/' y\n z '/\n/' c '/ b\nb /' d '/\n");
        assert_eq!(errors, 0);
        let comment = |text: &str, start| (text.to_owned(), Span::new(start, start + 1));
        assert_eq!(
            lines,
            [
                comment("a", 0),
                (" 'x".into(), Span::new(3, 5)),
                comment("' y", 9),
                comment("' z", 12),
                comment("' c", 20),
                comment(" b", 25),
                comment("' d", 27),
                comment("b", 27),
            ]
        );
    }

    #[test]
    fn comments_in_a_line_are_those_of_plantuml() {
        let texts = |text: &str| read(text).0.into_iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(texts("/' c '/ a -> b /' d '/"), ["' c '/ a -> b /' d"]);
        assert_eq!(texts("a -> b : x /' c '/ y"), ["a -> b : x /' c '/ y"]);
        assert_eq!(texts("a -> b : x /' c"), ["a -> b : x /' c"]);
        assert_eq!(texts("a /'''c-1'''/-> b : /'''d e'''/ x"), ["' c-1", "a -> b : /'''d e'''/ x"]);
    }

    #[test]
    fn directives_stay() {
        let (lines, _) = read("' multitrace: x y \n' other\n");
        let directives =
            lines.iter().map(|(text, _)| SourceLine::at(text, 0).directive().map(str::to_owned));
        assert_eq!(directives.collect::<Vec<_>>(), [Some("x y".to_owned()), None]);
    }

    #[test]
    fn continued_lines_are_joined() {
        let (lines, _) = read("a\\\n b\\\nc\nd\\\\\ne");
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["a bc", "d\\\\", "e"]);
        assert_eq!(lines[0].1, Span::new(0, 8));
    }

    #[test]
    fn an_open_comment_is_an_error() {
        assert_eq!(read("a\n/' b\nc").1, 1);
    }
}
