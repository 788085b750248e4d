//! Scalars of YAML: plain, and in quotes.

use super::{Problem, Scalar, YamlReader, is_blank, is_end_of_colon};
use crate::diagram::mermaid::scan::line_end;
use std::borrow::Cow;

/// The characters that a scalar without quotes cannot start with.
const INDICATORS: &str = "#&*!|>%@`,[]{}";

impl<'a> YamlReader<'a> {
    /// A scalar; without quotes, up to the end of the line at most.
    pub(super) fn scalar(&mut self) -> Result<Scalar<'a>, Problem> {
        match self.rest().chars().next() {
            Some('"') => self.double_quoted(),
            Some('\'') => self.single_quoted(),
            _ => self.plain(),
        }
    }

    fn plain(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at;
        let rest = self.rest();
        let is_dash =
            rest.starts_with(['-', '?']) && rest[1..].chars().next().is_none_or(is_end_of_colon);
        let length = self.plain_length();
        let is_missing = length == 0 && !(self.is_flow && self.starts_with(&[':']));
        if is_missing || is_dash || rest.starts_with(|c| INDICATORS.contains(c)) {
            return Err(self.problem("expected a name or a value"));
        }
        self.at += length;
        let text = self.text[start..self.at].trim_end_matches(is_blank);
        self.at = start + text.len();
        Ok(Scalar { text: Cow::Borrowed(text), is_quoted: false })
    }

    /// How long the plain scalar is that starts here, with white space behind it.
    fn plain_length(&self) -> usize {
        let rest = self.rest();
        let mut before = ' ';
        for (at, c) in rest.char_indices() {
            let is_comment = c == '#' && is_blank(before);
            let is_end = self.is_flow && matches!(c, ',' | '[' | ']' | '{' | '}');
            let after = rest[at + c.len_utf8()..].chars().next();
            let is_colon =
                c == ':' && after.is_none_or(|c| is_blank(c) || self.is_flow && is_end_of_colon(c));
            if is_comment || is_end || is_colon || c == '\n' {
                return at;
            }
            before = c;
        }
        rest.len()
    }

    /// A plain scalar with the lines below it that are indented deeper than this.
    pub(super) fn plain_lines(&mut self, column: usize) -> Result<Scalar<'a>, Problem> {
        let mut scalar = self.plain()?;
        loop {
            let end = self.at;
            self.skip_in_line();
            if self.starts_with(&[':']) {
                return Err(self.problem("a value with `: ` in it needs quotes around it"));
            }
            if self.rest().is_empty() || !self.starts_with(&['\n']) || self.skipped_comment(end) {
                return Ok(scalar);
            }
            self.at += 1;
            self.skip(is_blank);
            if self.rest().is_empty() || self.column() <= column {
                self.at = end;
                return Ok(scalar);
            }
            let more = self.plain()?;
            let text = scalar.text.to_mut();
            text.push(' ');
            text.push_str(&more.text);
        }
    }

    /// Whether a comment stands between this place and the next.
    fn skipped_comment(&self, from: usize) -> bool {
        self.text[from..self.at].contains('#')
    }

    fn single_quoted(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at + 1;
        let mut from = start;
        while let Some(at) = self.text[from..].find('\'') {
            from += at + 1;
            if !self.text[from..].starts_with('\'') {
                self.at = from;
                let text = folded(&self.text[start..from - 1]).replace("''", "'");
                return Ok(Scalar { text: text.into(), is_quoted: true });
            }
            from += 1;
        }
        Err(self.problem("the quotes are not closed"))
    }

    fn double_quoted(&mut self) -> Result<Scalar<'a>, Problem> {
        let start = self.at + 1;
        let mut characters = self.text[start..].char_indices();
        while let Some((at, c)) = characters.next() {
            if c == '\\' {
                characters.next();
            } else if c == '"' {
                let end = start + at;
                let text = self.unescaped(&folded(&self.text[start..end]))?;
                self.at = end + 1;
                return Ok(Scalar { text: text.into(), is_quoted: true });
            }
        }
        Err(self.problem("the quotes are not closed"))
    }

    /// The text that escapes in it stand for.
    fn unescaped(&self, text: &str) -> Result<String, Problem> {
        let mut unescaped = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            unescaped.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some((length, c)) = escape(rest) else {
                return Err(self.problem("a backslash here starts no escape that YAML knows"));
            };
            unescaped.push(c);
            rest = &rest[length..];
        }
        unescaped.push_str(rest);
        Ok(unescaped)
    }
}

/// The length of an escape behind its backslash, and the character it stands for.
fn escape(text: &str) -> Option<(usize, char)> {
    let first = text.chars().next()?;
    let digits = match first {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return simple_escape(first).map(|c| (1, c)),
    };
    let code = text.get(1..=digits)?;
    let c = char::from_u32(u32::from_str_radix(code, 16).ok()?);
    Some((1 + digits, c.unwrap_or(char::REPLACEMENT_CHARACTER)))
}

fn simple_escape(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '/' | '\\' => c,
        _ => return None,
    })
}

/// The text on one line: a line end is a space, and each empty line a line end.
fn folded(text: &str) -> String {
    let mut folded = String::new();
    let mut start = 0;
    loop {
        let end = line_end(text, start);
        if end == text.len() {
            folded.push_str(&text[start..]);
            return folded;
        }
        folded.push_str(text[start..end].trim_end_matches([' ', '\t']));
        let next = super::run(text, end, is_blank);
        let breaks = text[end..next].matches('\n').count();
        folded.push_str(&if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) });
        start = next;
    }
}
