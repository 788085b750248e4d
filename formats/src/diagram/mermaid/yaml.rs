//! The little of YAML that stands in a Mermaid text: a mapping of names to scalars, in lines or
//! between braces. Nested values are skipped unread.

use super::scan::{line_end, run};
use std::borrow::Cow;
use std::ops::Range;

mod scalars;

/// An error in a YAML text, with its range.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: &'static str,
    pub(super) range: Range<usize>,
}

/// A name and its value; `None` for a nested value.
pub(super) type Entry<'a> = (Cow<'a, str>, Option<Cow<'a, str>>);

/// The value of a name, unless it is missing, or JavaScript takes it for false.
pub(super) fn scalar_of(entries: &[Entry<'_>], name: &str) -> Option<String> {
    let value = entries.iter().find(|entry| entry.0 == name)?.1.as_deref()?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// The deepest nesting that is checked; deeper values are skipped.
const MAX_NESTING: usize = 20;

/// The entries of a mapping that is written in lines.
pub(super) fn document(text: &str) -> Result<Vec<Entry<'_>>, Problem> {
    let mut reader = YamlReader { text, at: 0, is_flow: false, depth: 0 };
    let entries = reader.mapping()?;
    reader.skip_blank();
    if reader.rest().is_empty() || reader.starts_with(&['[', '{']) {
        return Ok(entries);
    }
    Err(reader.problem("this line is indented less than the first"))
}

/// The entries of a mapping between braces, which are not part of the text.
pub(super) fn flow(text: &str) -> Result<Vec<Entry<'_>>, Problem> {
    let mut reader = YamlReader { text, at: 0, is_flow: true, depth: 0 };
    let mut entries = Entries::default();
    loop {
        reader.skip_blank();
        if reader.at == text.len() {
            return Ok(entries.list);
        }
        let start = reader.at;
        let name = reader.scalar()?;
        let has_value = reader.colon() || name.is_quoted && reader.take(':');
        let value = if has_value { reader.flow_value()? } else { None };
        entries.push(start, name.text, value.and_then(Scalar::meaning))?;
        reader.skip_blank();
        if !reader.take(',') && reader.at < text.len() {
            return Err(reader.problem("expected `,` before this"));
        }
    }
}

/// The entries so far.
#[derive(Default)]
struct Entries<'a> {
    list: Vec<Entry<'a>>,
    names: std::collections::HashSet<Cow<'a, str>>,
}

impl<'a> Entries<'a> {
    fn push(
        &mut self,
        start: usize,
        name: Cow<'a, str>,
        value: Option<Cow<'a, str>>,
    ) -> Result<(), Problem> {
        if !self.names.insert(name.clone()) {
            let range = start..start + name.len();
            return Err(Problem { message: "this name has a value already", range });
        }
        self.list.push((name, value));
        Ok(())
    }
}

/// A name or a value.
struct Scalar<'a> {
    text: Cow<'a, str>,
    is_quoted: bool,
}

impl<'a> Scalar<'a> {
    /// The text, unless it says that there is no value.
    fn meaning(self) -> Option<Cow<'a, str>> {
        let nothing = ["", "~", "0", "null", "Null", "NULL", "false", "False", "FALSE"];
        let is_nothing = !self.is_quoted && nothing.contains(&&*self.text);
        (!is_nothing).then_some(self.text)
    }
}

/// A place in a YAML text.
struct YamlReader<'a> {
    text: &'a str,
    at: usize,
    /// Whether the mapping stands between braces.
    is_flow: bool,
    /// How many mappings are around this one.
    depth: usize,
}

impl<'a> YamlReader<'a> {
    /// The entries of the mapping in lines that comes next, up to a line that is indented less.
    fn mapping(&mut self) -> Result<Vec<Entry<'a>>, Problem> {
        let mut entries = Entries::default();
        self.skip_blank();
        let indent = self.column();
        while !self.rest().is_empty() && !self.starts_with(&['[', '{']) && self.column() >= indent {
            if self.column() > indent {
                return Err(self.problem("this line is indented deeper than the one before"));
            }
            let start = self.at;
            let name = self.scalar()?;
            let is_one_line = !self.text[start..self.at].contains('\n');
            if !(is_one_line && self.colon()) {
                return self.only_scalar(start, entries.list);
            }
            let value = self.line_value(indent)?;
            entries.push(start, name.text, value.and_then(Scalar::meaning))?;
            self.end_of_line()?;
            self.skip_blank();
        }
        Ok(entries.list)
    }

    /// The mapping that is the value of a name.
    fn nested(&mut self, column: usize) -> Result<(), Problem> {
        if self.depth == MAX_NESTING {
            self.skip_deeper(column);
            return Ok(());
        }
        self.depth += 1;
        self.mapping()?;
        self.depth -= 1;
        self.at = self.text[..self.at].trim_end_matches(is_blank).len();
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn starts_with(&self, signs: &[char]) -> bool {
        self.rest().starts_with(signs)
    }

    /// A problem from here to the end of the line.
    fn problem(&self, message: &'static str) -> Problem {
        let end = line_end(self.text, self.at);
        let length = self.text[self.at..end].trim_end().len();
        Problem { message, range: self.at..self.at + length }
    }

    /// How far the place is from the start of its line.
    fn column(&self) -> usize {
        self.at - self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Skips white space and comments, within the line or beyond it.
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        loop {
            self.at = run(self.text, self.at, &is_skipped);
            let before = self.text[..self.at].chars().next_back();
            if !self.starts_with(&['#']) || !before.is_none_or(is_blank) {
                return;
            }
            self.at = line_end(self.text, self.at);
        }
    }

    fn skip_blank(&mut self) {
        self.skip(is_blank);
    }

    fn skip_in_line(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    /// Accepts a text that is a single scalar, and holds no entries then.
    fn only_scalar(
        &mut self,
        start: usize,
        list: Vec<Entry<'a>>,
    ) -> Result<Vec<Entry<'a>>, Problem> {
        self.skip_blank();
        if list.is_empty() && self.rest().is_empty() {
            return Ok(list);
        }
        self.at = start;
        Err(self.problem("expected a name, `:` and a value"))
    }

    /// Takes a `:` that white space, or the end of the text, follows.
    fn colon(&mut self) -> bool {
        self.skip_in_line();
        let after = self.rest().strip_prefix(':');
        let is_colon = after.is_some_and(|after| after.chars().next().is_none_or(is_end_of_colon));
        is_colon && self.take(':')
    }

    fn end_of_line(&mut self) -> Result<(), Problem> {
        self.skip_in_line();
        if self.rest().is_empty() || self.starts_with(&['\n']) {
            return Ok(());
        }
        Err(self.problem("expected the end of the line after the value"))
    }

    /// The value behind the colon of a name in this column; `None` if it is missing or nested.
    fn line_value(&mut self, column: usize) -> Result<Option<Scalar<'a>>, Problem> {
        self.skip_in_line();
        if self.rest().is_empty() || self.starts_with(&['\n']) {
            let before = self.at;
            self.skip_blank();
            if self.rest().starts_with("- ") && self.column() >= column {
                self.skip_deeper(column);
                return Ok(None);
            }
            if self.is_name_deeper_than(column) {
                return self.nested(column).map(|()| None);
            }
            if self.column() <= column || self.rest().is_empty() {
                self.at = before;
                return Ok(None);
            }
        }
        if self.starts_with(&['|', '>', '&', '*', '!']) {
            self.skip_deeper(column);
            return Ok(None);
        }
        if self.starts_with(&['[', '{']) {
            return self.flow_value();
        }
        if self.starts_with(&['"', '\'']) { self.scalar() } else { self.plain_lines(column) }
            .map(Some)
    }

    /// Whether a nested mapping starts here, as the value of a name in this column.
    fn is_name_deeper_than(&self, column: usize) -> bool {
        let mut ahead = YamlReader { ..*self };
        self.column() > column && ahead.scalar().is_ok() && ahead.colon()
    }

    /// Skips up to the next line that is not indented deeper than this.
    fn skip_deeper(&mut self, column: usize) {
        loop {
            let end = line_end(self.text, self.at);
            self.at = end;
            self.skip_blank();
            let is_list = self.rest().starts_with("- ") && self.column() == column;
            if self.rest().is_empty() || self.column() <= column && !is_list {
                self.at = end;
                return;
            }
        }
    }

    fn flow_value(&mut self) -> Result<Option<Scalar<'a>>, Problem> {
        self.skip_blank();
        if self.rest().is_empty() || self.starts_with(&[',']) {
            return Ok(None);
        }
        if !self.starts_with(&['[', '{']) {
            return self.scalar().map(Some);
        }
        let mut depth = 0_usize;
        for (at, c) in self.rest().char_indices() {
            depth += usize::from(matches!(c, '[' | '{'));
            depth -= usize::from(matches!(c, ']' | '}') && depth > 0);
            if depth == 0 {
                self.at += at + 1;
                return Ok(None);
            }
        }
        Err(self.problem("the brackets are not closed"))
    }
}

/// Whether YAML takes a character for white space.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// Whether a character ends a `:` that separates a name and its value.
fn is_end_of_colon(c: char) -> bool {
    is_blank(c) || matches!(c, ',' | '[' | ']' | '{' | '}')
}
