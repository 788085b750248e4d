//! Reads the parts of a line in turn, and names the part that was expected where it stops.

use super::log_format::{Head, Sign};
use crate::field::{FieldId, Fields};
use crate::record::Values;
use multitrace_formats::source::{Diagnostic, Span};
use std::ops::Range;

/// A place in a line.
#[derive(Clone, Debug)]
pub(crate) struct LineCursor<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> LineCursor<'l> {
    pub(crate) fn new(line: &'l str) -> LineCursor<'l> {
        LineCursor { line, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text that was not read yet.
    pub(crate) fn rest(&self) -> &'l str {
        &self.line[self.at..]
    }

    /// The place of the rest of the line, which is read by this.
    pub(crate) fn take_rest(&mut self) -> Range<usize> {
        let start = self.at;
        self.at = self.line.len();
        start..self.at
    }

    /// Reads some bytes, which end between two characters.
    pub(crate) fn skip(&mut self, bytes: usize) -> Range<usize> {
        let start = self.at;
        self.at += bytes;
        start..self.at
    }

    /// Reads a text if it stands here.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Reads the spaces that stand here.
    pub(crate) fn spaces(&mut self) {
        self.at += self.rest().bytes().take_while(|byte| *byte == b' ').count();
    }

    /// Reads a text.
    pub(crate) fn expect(&mut self, text: &str, what: &str) -> Result<(), Diagnostic> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Reads up to a space or the end; not empty.
    pub(crate) fn word(&mut self, what: &str) -> Result<Range<usize>, Diagnostic> {
        let length = self.rest().find(' ').unwrap_or(self.rest().len());
        if length == 0 { Err(self.expected(what)) } else { Ok(self.skip(length)) }
    }

    /// Reads a word and the space behind it.
    pub(crate) fn cell(&mut self, what: &str) -> Result<Range<usize>, Diagnostic> {
        let word = self.word(what)?;
        self.expect(" ", "a space")?;
        Ok(word)
    }

    /// Reads up to a text, and that text.
    pub(crate) fn until(&mut self, end: &str, what: &str) -> Result<Range<usize>, Diagnostic> {
        let Some(length) = self.rest().find(end) else { return Err(self.expected(what)) };
        let range = self.skip(length);
        self.at += end.len();
        Ok(range)
    }

    /// Reads some digits, at least one.
    pub(crate) fn digits(&mut self, what: &str) -> Result<Range<usize>, Diagnostic> {
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 { Err(self.expected(what)) } else { Ok(self.skip(length)) }
    }

    /// Reads a text of the same shape: `0` stands for a digit, `a` for a letter, `_` for a digit or a
    /// space, and everything else for itself.
    pub(crate) fn shape(&mut self, shape: &str) -> Option<Range<usize>> {
        let here = self.rest().as_bytes().get(..shape.len())?;
        let fits = |(byte, shape): (&u8, u8)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            b'_' => byte.is_ascii_digit() || *byte == b' ',
            _ => *byte == shape,
        };
        here.iter().zip(shape.bytes()).all(fits).then(|| self.skip(shape.len()))
    }

    /// The error that something else stands here.
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        Diagnostic::new(Span::new(self.at, self.at + width), format!("expected {what}"), "")
    }
}

/// The asked-for ones of the fields that all lines of a format have.
#[derive(Clone, Debug)]
pub(crate) struct LineFields<const N: usize>([Option<FieldId>; N]);

/// Where the values of a line are; `None` for those it does not have.
pub(crate) type LineValues<const N: usize> = [Option<Range<usize>>; N];

impl<const N: usize> LineFields<N> {
    /// The fields with these names.
    pub(crate) fn new(names: [&str; N], fields: &Fields) -> LineFields<N> {
        let asked = |name: &str| fields.iter().find(|(_, path)| path.flat_name() == name);
        LineFields(names.map(|name| asked(name).map(|(field, _)| field)))
    }

    /// Sets the asked-for values of a line.
    pub(crate) fn set(&self, found: LineValues<N>, values: &mut Values) {
        for (field, range) in self.0.iter().zip(found) {
            if let (Some(field), Some(range)) = (field, range) {
                values.set_input(*field, range);
            }
        }
    }

    /// Sets a value that does not stand in the line as such.
    pub(crate) fn set_text(&self, index: usize, text: &str, values: &mut Values) {
        if let Some(field) = self.0[index] {
            values.set_text(field, text);
        }
    }
}

/// A place unless a dash stands there, which means that there is no value.
pub(crate) fn unless_dash(line: &str, range: Range<usize>) -> Option<Range<usize>> {
    (line.get(range.clone()) != Some("-")).then_some(range)
}

/// A sign if all of the first lines can be read, and there is one.
pub(crate) fn sign_of_lines(
    head: &Head<'_>,
    sign: Sign,
    can_read: impl Fn(&str) -> bool,
) -> Option<Sign> {
    let lines = head.lines();
    (!lines.is_empty() && lines.iter().all(|line| can_read(line))).then_some(sign)
}
