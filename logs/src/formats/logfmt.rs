//! Lines of logfmt: `time=12 msg="hello \"you\"" done`. A key without a value is `true`.

use super::context::InputContext;
use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use super::frames::{Frame, Lines};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, each_record};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::record::Values;
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::ops::Range;

pub(crate) struct Logfmt;

impl LogFormat for Logfmt {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let has_pairs =
            |line: &&str| line.split(' ').filter(|word| word.contains('=')).count() >= 2;
        let is_pairs = !head.lines().is_empty() && head.lines().iter().all(has_pairs);
        head.has_extension(&["logfmt"]).or_else(|| is_pairs.then_some(Sign::Pairs))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = Keys::new(&opening.context.fields);
        opening.parsed(Lines, parser)
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let mut names = FieldNames::default();
        for line in head.lines().take(MAX_RECORDS) {
            // The keys before an error in a line still count.
            let _ = each_pair(line, |key, _| {
                names.add(quoted(&line[key]));
                Ok(())
            });
        }
        Ok(Proposal::Fields { names: names.into_vec(), delimiter: None })
    }
}

impl FrameParser for Keys {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        each_record(context, frame, Lines, each, |line, values| self.read(line, values));
    }
}

/// The asked-for keys.
#[derive(Clone, Debug)]
struct Keys(Vec<(String, FieldId)>);

impl Keys {
    fn new(fields: &Fields) -> Keys {
        Keys(fields.iter().map(|(field, path)| (path.flat_name(), field)).collect())
    }

    /// Reads the asked-for values of a line.
    fn read(&self, line: &str, values: &mut Values) -> Result<(), Diagnostic> {
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
                PairValue::Flag => values.set_text(field, "true"),
                PairValue::Plain(range) => values.set_input(field, range),
                PairValue::Escaped(range) => values.set_text(field, &unescape(&line[range])),
            }
            Ok(())
        })
    }
}

/// A value as it is written.
enum PairValue {
    /// The key alone.
    Flag,
    /// Without escapes.
    Plain(Range<usize>),
    /// With escapes, from inside of quotes.
    Escaped(Range<usize>),
}

/// Calls a function for every key and value of a line.
fn each_pair(
    line: &str,
    mut each: impl FnMut(Range<usize>, PairValue) -> Result<(), Diagnostic>,
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
            each(key, PairValue::Flag)?;
            continue;
        }
        let value;
        (value, at) = read_value(bytes, at + 1)?;
        each(key, value)?;
    }
}

/// The value at a place, and where it ends.
fn read_value(bytes: &[u8], start: usize) -> Result<(PairValue, usize), Diagnostic> {
    if bytes.get(start) != Some(&b'"') {
        let end = word_end(bytes, start, false);
        return Ok((PairValue::Plain(start..end), end));
    }
    let (mut at, mut is_escaped) = (start + 1, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' if is_escaped => return Ok((PairValue::Escaped(start + 1..at), at + 1)),
            b'"' => return Ok((PairValue::Plain(start + 1..at), at + 1)),
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
fn unescape(text: &str) -> String {
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
