//! The little of YAML that stands in a Mermaid text: a mapping of names to scalars, in lines or
//! between braces. Nested values are accepted as they are and not read.

use super::scan::{is_space, run};
use std::borrow::Cow;
use std::ops::Range;

/// What is wrong with a YAML text, and where.
pub(super) struct Problem {
    pub(super) message: &'static str,
    pub(super) range: Range<usize>,
}

/// A name and its value; a nested value counts as none.
pub(super) type Entry<'a> = (Cow<'a, str>, Option<Cow<'a, str>>);

/// The value of a name, unless it is missing, or is what JavaScript takes for false.
pub(super) fn scalar_of(entries: Vec<Entry<'_>>, name: &str) -> Option<String> {
    let mut values = entries.into_iter().filter(|entry| entry.0 == name);
    let value = values.next_back()?.1?;
    (!value.is_empty()).then(|| value.into_owned())
}

/// The entries of a mapping that is written in lines. Lines that are indented deeper than the first
/// belong to the entry before them.
pub(super) fn document(text: &str) -> Result<Vec<Entry<'_>>, Problem> {
    let mut entries = Vec::new();
    let mut indent = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let first = run(line, 0, |c| c == ' ');
        let content = line[first..].trim_end_matches(is_space);
        let at = start + first;
        start += line.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if first < *indent.get_or_insert(first) {
            return Err(problem("this line is indented less than the first", at, content.len()));
        }
        if indent == Some(first) {
            entries.extend(line_entry(text, at, content)?);
        }
    }
    Ok(entries)
}

/// The entry on a line, whose content starts here.
fn line_entry<'a>(text: &'a str, at: usize, content: &str) -> Result<Option<Entry<'a>>, Problem> {
    if content.starts_with("- ") || content.starts_with(['{', '}', ']', '[', '|', '>']) {
        return Ok(None);
    }
    let mut reader = Reader { text: &text[..at + content.len()], at, is_flow: false };
    let name = reader.scalar()?;
    if !reader.colon() {
        let message = "expected a name, `:` and a value";
        return Err(problem(message, at, content.len()));
    }
    let value = reader.value()?;
    reader.skip_space();
    if reader.at < reader.text.len() {
        let message = "expected the end of the line after the value";
        return Err(problem(message, reader.at, reader.text.len() - reader.at));
    }
    Ok(Some((name.text, value.map(Scalar::meaning).unwrap_or_default())))
}

/// The entries of a mapping between braces, which are not part of the text.
pub(super) fn flow(text: &str) -> Result<Vec<Entry<'_>>, Problem> {
    let mut reader = Reader { text, at: 0, is_flow: true };
    let mut entries = Vec::new();
    loop {
        reader.skip_space();
        if reader.at == text.len() {
            return Ok(entries);
        }
        let name = reader.scalar()?;
        let value =
            if reader.colon() || reader.colon_after(&name) { reader.value()? } else { None };
        entries.push((name.text, value.and_then(Scalar::meaning)));
        reader.skip_space();
        if !reader.take(',') && reader.at < text.len() {
            return Err(problem("expected `,` before this", reader.at, text.len() - reader.at));
        }
    }
}

fn problem(message: &'static str, start: usize, length: usize) -> Problem {
    Problem { message, range: start..start + length }
}

/// A name or a value.
struct Scalar<'a> {
    text: Cow<'a, str>,
    is_quoted: bool,
}

impl<'a> Scalar<'a> {
    /// The text, unless it says that there is no value.
    fn meaning(self) -> Option<Cow<'a, str>> {
        let text = &*self.text;
        let is_nothing = !self.is_quoted && (matches!(text, "" | "~" | "0") || is_false(text));
        (!is_nothing).then_some(self.text)
    }
}

/// Whether YAML reads the word as null or false.
fn is_false(text: &str) -> bool {
    ["null", "Null", "NULL", "false", "False", "FALSE"].contains(&text)
}

/// A place in a YAML text.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Whether the mapping stands between braces.
    is_flow: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = run(self.text, self.at, is_space);
        let before = self.text[..self.at].chars().next_back();
        if self.rest().starts_with('#') && before.is_none_or(is_space) {
            self.at = super::scan::line_end(self.text, self.at);
            self.at = run(self.text, self.at, is_space);
        }
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    /// Takes a `:` that white space, or the end of the text, follows.
    fn colon(&mut self) -> bool {
        self.skip_space();
        let after = self.rest().strip_prefix(':');
        let found =
            after.is_some_and(|after| after.is_empty() || after.starts_with(is_end_of_colon));
        found && self.take(':')
    }

    /// Takes a `:` right after a quoted name.
    fn colon_after(&mut self, name: &Scalar<'_>) -> bool {
        name.is_quoted && self.take(':')
    }

    /// A scalar, or a nested value, which is `None`.
    fn value(&mut self) -> Result<Option<Scalar<'a>>, Problem> {
        self.skip_space();
        if self.rest().starts_with(['[', '{', '|', '>', '&', '*', '!']) {
            self.skip_nested();
            return Ok(None);
        }
        let start = self.at;
        let scalar = self.scalar()?;
        if !scalar.is_quoted && !self.is_flow && scalar.text.contains(": ") {
            let message = "a value with `: ` needs quotes around it";
            return Err(problem(message, start, self.at - start));
        }
        Ok(Some(scalar))
    }

    /// Skips a value that is no scalar, with the brackets in it.
    fn skip_nested(&mut self) {
        let mut depth = 0_usize;
        for (at, c) in self.rest().char_indices() {
            match c {
                '[' | '{' => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 && self.is_flow => {
                    self.at += at;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }

    fn scalar(&mut self) -> Result<Scalar<'a>, Problem> {
        match self.rest().chars().next() {
            Some('"') => self.double_quoted(),
            Some('\'') => self.single_quoted(),
            _ => self.plain(),
        }
    }

    fn plain(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at;
        let mut before = ' ';
        for c in self.rest().chars() {
            let rest = self.rest();
            let is_comment = c == '#' && is_space(before);
            let is_end = self.is_flow && matches!(c, ',' | '[' | ']' | '{' | '}');
            let is_colon = c == ':' && rest[1..].chars().next().is_none_or(is_end_of_colon);
            // In lines the first colon separates name and value, so that a later one is an error.
            if is_comment || is_end || is_colon && (self.is_flow || !self.is_in_value(start)) {
                break;
            }
            self.at += c.len_utf8();
            before = c;
        }
        if self.is_flow && self.at == start {
            return Err(problem("expected a name", start, self.text.len() - start));
        }
        let text = self.text[start..self.at].trim_end_matches(is_space);
        Ok(Scalar { text: Cow::Borrowed(text), is_quoted: false })
    }

    /// Whether what starts here is a value, behind a name and `:`.
    fn is_in_value(&self, start: usize) -> bool {
        self.text[..start].trim_end_matches(' ').ends_with(':')
    }

    fn single_quoted(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at + 1;
        let mut from = start;
        while let Some(at) = self.text[from..].find('\'') {
            from += at + 1;
            if !self.text[from..].starts_with('\'') {
                self.at = from;
                let text = self.text[start..from - 1].replace("''", "'");
                return Ok(Scalar { text: Cow::Owned(text), is_quoted: true });
            }
            from += 1;
        }
        Err(self.unclosed())
    }

    fn double_quoted(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at + 1;
        let mut text = String::new();
        let mut characters = self.text[start..].char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at = start + at + 1;
                    return Ok(Scalar { text: Cow::Owned(text), is_quoted: true });
                }
                '\\' => text.extend(characters.next().map(|(_, c)| escaped(c))),
                c => text.push(c),
            }
        }
        Err(self.unclosed())
    }

    fn unclosed(&self) -> Problem {
        problem("the quotes are not closed", self.at, self.text.len() - self.at)
    }
}

/// What ends a `:` that separates a name and its value.
fn is_end_of_colon(c: char) -> bool {
    is_space(c) || matches!(c, ',' | '[' | ']' | '{' | '}')
}

/// The character that a backslash and this character stand for.
fn escaped(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        other => other,
    }
}
