//! Lines of logfmt: `time=12 msg="hello \"you\"" done`. A key without a value is `true`.

use super::field::{FieldId, Fields};
use super::record::Values;
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::ops::Range;

/// The asked-for keys.
#[derive(Clone, Debug)]
pub(crate) struct Keys(Vec<(String, FieldId)>);

impl Keys {
    pub(crate) fn new(fields: &Fields) -> Keys {
        Keys(fields.iter().map(|(field, path)| (path.flat_name(), field)).collect())
    }

    /// Reads the asked-for values of a line.
    pub(crate) fn read(&self, line: &str, values: &mut Values) -> Result<(), Diagnostic> {
        each_pair(line, |key, value| {
            let text = &line[key.clone()];
            let Some(&(_, field)) = self.0.iter().find(|(name, _)| name == text) else {
                return Ok(());
            };
            if values.is_set(field) {
                let message = format!("{} stands twice", quote(text));
                let error = Diagnostic::new(Span::from(key), message, "second time");
                return Err(error.with_help("keep one of them"));
            }
            match value {
                Value::Flag => values.set_text(field, "true"),
                Value::Plain(range) => values.set_input(field, range),
                Value::Escaped(range) => values.set_text(field, &unescape(&line[range])),
            }
            Ok(())
        })
    }
}

/// A value as it is written.
pub(crate) enum Value {
    /// None: the key alone.
    Flag,
    /// What means itself.
    Plain(Range<usize>),
    /// With escapes, from inside of quotes.
    Escaped(Range<usize>),
}

/// Calls a function for every key and value of a line.
pub(crate) fn each_pair(
    line: &str,
    mut each: impl FnMut(Range<usize>, Value) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if at == bytes.len() {
            return Ok(());
        }
        let start = at;
        at = word_end(bytes, at, true);
        let key = start..at;
        if key.is_empty() {
            let error = Diagnostic::new(Span::new(at, at + 1), "a key is missing before `=`", "");
            return Err(error.with_help("logfmt is key=value, separated by spaces"));
        }
        if bytes.get(at) != Some(&b'=') {
            each(key, Value::Flag)?;
            continue;
        }
        let value;
        (value, at) = read_value(bytes, at + 1)?;
        each(key, value)?;
    }
}

/// The value at a place, and where it ends.
fn read_value(bytes: &[u8], start: usize) -> Result<(Value, usize), Diagnostic> {
    if bytes.get(start) != Some(&b'"') {
        let end = word_end(bytes, start, false);
        return Ok((Value::Plain(start..end), end));
    }
    let (mut at, mut is_escaped) = (start + 1, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' if is_escaped => return Ok((Value::Escaped(start + 1..at), at + 1)),
            b'"' => return Ok((Value::Plain(start + 1..at), at + 1)),
            b'\\' => (at, is_escaped) = (at + 2, true),
            _ => at += 1,
        }
    }
    let error = Diagnostic::new(Span::new(start, start + 1), "a quote is not closed", "");
    Err(error.with_help("a quote inside of quotes is written \\\""))
}

/// Where a word ends: at white space, or at `=` if that ends it.
fn word_end(bytes: &[u8], start: usize, at_equals: bool) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || (at_equals && *byte == b'=');
    bytes[start..].iter().position(ends).map_or(bytes.len(), |at| start + at)
}

/// A text without its escapes; an unknown one stands for the character after the backslash.
pub(crate) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('n')) => plain.push('\n'),
            (_, Some('r')) => plain.push('\r'),
            (_, Some('t')) => plain.push('\t'),
            (_, Some(escaped)) => plain.push(escaped),
            (c, None) => plain.push(c),
        }
    }
    plain
}
