//! Lines of logfmt: `time=12 msg="hello \"you\"" done`, or of pairs with another character between them, `8=FIX.4.4|35=A`.
//! A key without a value is `true`.

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
        let (lines, words) = (head.lines(), |line: &str| {
            line.split_ascii_whitespace().filter(|word| word.contains('=')).count()
        });
        let begins = |line: &&&str| key_length(line.trim_start()).is_some() && words(line) >= 2;
        // One line among others may be damaged, such as the last one of a file that was cut off.
        let are_most = lines.len() > 2 && lines.iter().filter(begins).count() + 1 >= lines.len();
        let is_pairs = !lines.is_empty() && lines.iter().all(|line| words(line) >= 2) || are_most;
        let is_plain = |delimiter: u8| !lines.iter().all(|line| is_delimited(line, delimiter));
        let is_pairs = is_pairs && is_plain(b',') && is_plain(b';');
        head.has_extension(&["logfmt"]).or_else(|| is_pairs.then_some(Sign::Pairs))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let keys = Keys::new(&opening.context.fields);
        match opening.options.delimiter {
            None => opening.parsed(Lines, keys),
            Some(delimiter) => opening.parsed(Lines, DelimitedKeys { keys, delimiter }),
        }
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let (mut names, delimiter) = (FieldNames::default(), pairs_delimiter(head));
        for line in head.lines().take(MAX_RECORDS) {
            add_names(line, delimiter, &mut names);
        }
        Ok(Proposal::Fields { names: names.into_vec(), delimiter })
    }
}

/// Adds the keys of a line; those before an error count, too.
fn add_names(line: &str, delimiter: Option<u8>, names: &mut FieldNames) {
    let add = |key: Range<usize>, _| {
        names.add(quoted(&line[key]));
        Ok(())
    };
    let _ = match delimiter {
        None => each_pair(line, add),
        Some(delimiter) => each_delimited(line, delimiter, add),
    };
}

/// The keys of a line that begins with a pair; `None` for others.
pub(crate) fn pair_names(line: &str, delimiter: Option<u8>) -> Option<Vec<String>> {
    key_length(line.trim_start())?;
    let mut names = FieldNames::default();
    add_names(line, delimiter, &mut names);
    Some(names.into_vec())
}

/// The character between the pairs of all lines of a log, if it is another one than a blank.
pub(crate) fn pairs_delimiter(head: &str) -> Option<u8> {
    let lines = head.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let are_delimited = |delimiter: &u8| lines.clone().all(|line| is_delimited(line, *delimiter));
    let found = b"\t;,|".iter().copied().find(are_delimited);
    found.filter(|_| lines.clone().next().is_some())
}

/// Whether a line is pairs with a character between them, whose values have no quotes.
pub(super) fn is_delimited(line: &str, delimiter: u8) -> bool {
    let parts = line.split(char::from(delimiter)).map(str::trim).filter(|part| !part.is_empty());
    // Another pair behind a blank would be a part of the value.
    let is_pair = |part: &str| {
        let value = key_length(part).map(|length| &part[length + 1..]);
        let has_pair =
            |value: &str| value.split_whitespace().skip(1).any(|it| key_length(it).is_some());
        value.is_some_and(|value| !value.starts_with('"') && !has_pair(value))
    };
    parts.clone().count() > 1 && parts.clone().all(is_pair)
}

/// The length of the key that a text begins with, before `=`: a name, no number.
fn key_length(text: &str) -> Option<usize> {
    let (key, _) = text.split_once('=')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
    (key.starts_with(|c: char| c.is_alphabetic() || c == '_') && key.chars().all(is_part))
        .then_some(key.len())
}

impl FrameParser for Keys {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        each_record(context, frame, Lines, each, |line, values| self.read(line, values));
    }
}

impl FrameParser for DelimitedKeys {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        each_record(context, frame, Lines, each, |line, values| {
            each_delimited(line, self.delimiter, |key, value| {
                self.keys.take(line, (key, value), values)
            })
        });
    }
}

/// The asked-for keys.
#[derive(Clone, Debug)]
struct Keys(Vec<(String, FieldId)>);

/// The same in lines with this character between pairs.
struct DelimitedKeys {
    keys: Keys,
    delimiter: u8,
}

impl Keys {
    fn new(fields: &Fields) -> Keys {
        Keys(fields.iter().map(|(field, path)| (path.flat_name(), field)).collect())
    }

    /// Reads the asked-for values of a line.
    fn read(&self, line: &str, values: &mut Values) -> Result<(), Diagnostic> {
        each_pair(line, |key, value| self.take(line, (key, value), values))
    }

    /// Keeps a value that is asked for.
    fn take(
        &self,
        line: &str,
        (key, value): (Range<usize>, PairValue),
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
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
        // Some write commas between quoted pairs.
        if matches!(bytes.get(at), Some(b',' | b';')) {
            at += 1;
        }
        if bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            let error =
                Diagnostic::new(Span::new(at, at + 1), "there is more behind a quoted value", "");
            return Err(
                error.with_help("write a space here; a quote inside of quotes is written \\\"")
            );
        }
        each(key, value)?;
    }
}

/// The same for pairs with a character between them. A key is one word, so that a time may stand before the first one;
/// values have no quotes.
fn each_delimited(
    line: &str,
    delimiter: u8,
    mut each: impl FnMut(Range<usize>, PairValue) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let mut start = 0;
    for part in line.split(char::from(delimiter)) {
        let end = start + part.len();
        let (name, value) = match part.find('=') {
            Some(at) => {
                let value = part[at + 1..].trim();
                let from = start + part.len() - part[at + 1..].trim_start().len();
                (start..start + at, PairValue::Plain(from..from + value.len()))
            }
            None => (start..end, PairValue::Flag),
        };
        let name = name.start..name.start + line[name].trim_end().len();
        let word = line[name.clone()].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let key = name.start + word..name.end;
        if !key.is_empty() {
            each(key, value)?;
        }
        start = end + 1;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_may_have_any_character_between_them() {
        let read = |line: &str, delimiter| {
            let mut pairs = Vec::new();
            each_delimited(line, delimiter, |key, value| {
                let value = if let PairValue::Plain(range) = value { &line[range] } else { "true" };
                pairs.push((line[key].to_owned(), value.to_owned()));
                Ok(())
            })
            .expect("pairs");
            pairs
        };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let fix = "2024-05-01 12:00 : 8=FIX.4.4\u{1}35=A\u{1}58=a=b c\u{1}";
        assert_eq!(read(fix, 1), [pair("8", "FIX.4.4"), pair("35", "A"), pair("58", "a=b c")]);
        let bars = read("a= 1 | b =|done|", b'|');
        assert_eq!(bars, [pair("a", "1"), pair("b", ""), pair("done", "true")]);
    }
    #[test]
    fn quoted_pairs_may_have_commas_between_them() {
        let read = |line: &str| {
            let mut pairs = Vec::new();
            each_pair(line, |key, value| {
                let PairValue::Plain(range) = value else { return Ok(()) };
                pairs.push(format!("{}={}", &line[key], &line[range]));
                Ok(())
            })?;
            Ok::<_, Diagnostic>(pairs)
        };
        let pairs = read(r#"time="12:00", level="info"; msg="a, b" n=1"#).expect("pairs");
        assert_eq!(pairs, ["time=12:00", "level=info", "msg=a, b", "n=1"]);
        assert!(read(r#"m="x"bad"#).is_err());
        assert!(read(r#"m="x",n=1"#).is_err());
    }
}
