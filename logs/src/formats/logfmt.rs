//! Lines of logfmt: `time=12 msg="hello \"you\"" done`, or of pairs with other signs, `8=FIX.4.4|35=A`.
//! A key without a value is `true`.

use super::context::InputContext;
use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use super::frames::{Frame, Lines};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, each_record};
use super::twice::{KEEP_ONE, stands_twice};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::format::PairSigns;
use crate::record::Values;
use multitrace_formats::shorten::shorten;
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::ops::Range;

pub(crate) struct Logfmt;

/// How many characters of a part that is not a pair are shown.
const SHOWN_CHARS: usize = 60;

impl LogFormat for Logfmt {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let (lines, words) = (head.lines(), |line: &str| {
            line.split_ascii_whitespace().filter(|word| word.contains('=')).count()
        });
        let begins =
            |line: &&&str| key_length(line.trim_start(), "=").is_some() && words(line) >= 2;
        // One line among others may be damaged, such as the last one of a file that was cut off.
        let are_most = lines.len() > 2 && lines.iter().filter(begins).count() + 1 >= lines.len();
        let is_pairs = !lines.is_empty() && lines.iter().all(|line| words(line) >= 2) || are_most;
        let is_plain = |sign: &str| !lines.iter().all(|line| is_delimited(line, sign, "="));
        let is_pairs = is_pairs && [",", ";"].into_iter().all(is_plain);
        head.has_extension(&["logfmt"]).or_else(|| is_pairs.then_some(Sign::Pairs))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let keys = Keys::new(&opening.context.fields);
        match opening.options.pairs.clone() {
            None => opening.parsed(Lines, keys),
            Some(signs) => opening.parsed(Lines, DelimitedKeys { keys, signs }),
        }
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let (mut names, signs) = (FieldNames::default(), pair_signs(head));
        for line in head.lines().take(MAX_RECORDS) {
            add_names(line, signs.as_ref(), &mut names);
        }
        Ok(Proposal::Pairs { names: names.into_vec(), signs })
    }
}

/// Adds the keys of a line; those before an error count, too.
fn add_names(line: &str, signs: Option<&PairSigns>, names: &mut FieldNames) {
    let add = |key: Range<usize>, _| {
        names.add(quoted(&line[key]));
        Ok(())
    };
    let _ = match signs {
        None => each_pair(line, add),
        Some(signs) => each_delimited(line, signs, add),
    };
}

/// The keys of a line that begins with a pair; `None` for others.
pub(crate) fn pair_names(line: &str, signs: Option<&PairSigns>) -> Option<Vec<String>> {
    key_length(line.trim_start(), signs.map_or("=", |signs| &signs.within))?;
    let mut names = FieldNames::default();
    add_names(line, signs, &mut names);
    Some(names.into_vec())
}

/// The signs of pairs that logs have; those of LTSV, and of FIX where its delimiter is spelled, are among them.
const SIGNS: [(&str, &str); 11] = [
    ("\t", "="),
    (";", "="),
    (",", "="),
    ("||", "="),
    ("|", "="),
    ("^A", "="),
    ("\u{1}", "="),
    ("\t", ":"),
    (";", ":"),
    ("||", ":"),
    ("|", ":"),
];

/// The signs of the pairs of all lines of a log, if they are not those of logfmt.
pub(crate) fn pair_signs(head: &str) -> Option<PairSigns> {
    let lines = head.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let fit = |(between, within): &(&str, &str)| {
        lines.clone().all(|it| is_delimited(it, between, within))
    };
    let (between, within) = SIGNS.into_iter().find(fit)?;
    lines.clone().next()?;
    Some(PairSigns { between: between.to_owned(), within: within.to_owned() })
}

/// Whether a line is pairs with these signs, whose values have no quotes.
pub(super) fn is_delimited(line: &str, between: &str, within: &str) -> bool {
    let parts = line.split(between).map(str::trim).filter(|part| !part.is_empty());
    // Another pair behind a blank would be a part of the value.
    let is_pair = |part: &str| {
        let value = key_length(part, within).map(|length| &part[length + within.len()..]);
        let has_pair = |value: &str| {
            value.split_whitespace().skip(1).any(|it| key_length(it, within).is_some())
        };
        value.is_some_and(|value| !value.starts_with('"') && !has_pair(value))
    };
    parts.clone().count() > 1 && parts.clone().all(is_pair)
}

/// The length of the key that a text begins with, before a sign: a name, no number.
fn key_length(text: &str, within: &str) -> Option<usize> {
    let (key, _) = text.split_once(within)?;
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
        each_record(context, frame, Lines, each, |line, values| self.read(line, values));
    }
}

/// The asked-for keys.
#[derive(Clone, Debug)]
struct Keys(Vec<(String, FieldId)>);

/// The same in lines with other signs.
struct DelimitedKeys {
    keys: Keys,
    signs: PairSigns,
}

impl DelimitedKeys {
    /// Reads the asked-for values of a line. In a line with pairs, a part that is neither one nor an asked-for key may be the
    /// rest of one.
    fn read(&self, line: &str, values: &mut Values) -> Result<(), Diagnostic> {
        let (mut rest, mut has_pair) = (None, false);
        each_delimited(line, &self.signs, |key, value| {
            let is_asked = || self.keys.0.iter().any(|(name, _)| *name == line[key.clone()]);
            if matches!(value, PairValue::Flag) && !is_asked() {
                rest.get_or_insert(key);
                return Ok(());
            }
            has_pair = true;
            self.keys.take(line, (key, value), values)
        })?;
        match rest.filter(|_| has_pair) {
            None => Ok(()),
            Some(part) => Err(self.no_pair(line, part)),
        }
    }

    fn no_pair(&self, line: &str, part: Range<usize>) -> Diagnostic {
        let shown = quote(&shorten(&line[part.clone()], SHOWN_CHARS));
        let message =
            format!("{shown} is not a pair of a key, {} and a value", quote(&self.signs.within));
        let help = "correct the line, or read such lines by `patterns`, with format = \"text\" in [input]; a key without a \
                    value is `true` if the mapping asks for it";
        Diagnostic::new(Span::from(part), message, "").with_help(help)
    }
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
            let error = Diagnostic::new(Span::from(key), stands_twice(text), "second time");
            return Err(error.with_help(KEEP_ONE));
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

/// The same for pairs with other signs. A key is one word, so that a time may stand before the first one.
fn each_delimited(
    line: &str,
    PairSigns { between, within }: &PairSigns,
    mut each: impl FnMut(Range<usize>, PairValue) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let (mut start, line_end) = (0, line.len());
    while start <= line_end {
        let part_end = line[start..].find(&**between).map_or(line_end, |at| start + at);
        let (mut end, mut value) = (part_end, PairValue::Flag);
        let mut name = start..part_end;
        if let Some(at) = line[name.clone()].find(&**within) {
            name.end = start + at;
            let from = name.end + within.len();
            (value, end) = delimited_value(line, from..part_end, between);
        }
        let written = line[name.clone()].trim();
        let key_end = name.start + line[name.clone()].trim_end().len();
        let mut key = key_end - written.len()..key_end;
        if !matches!(value, PairValue::Flag) {
            let word = written.split_whitespace().next_back();
            key.start = key_end - word.map_or(0, str::len);
            if word.is_none() {
                // A value without a key is not a pair.
                (key, value) = (name.end..end, PairValue::Flag);
            }
        }
        if !key.is_empty() {
            each(key, value)?;
        }
        start = end + between.len();
    }
    Ok(())
}

/// The value at a place, without the blanks around it, and where it ends: where the part does, unless it is in quotes, which
/// may hold the sign between pairs.
fn delimited_value(line: &str, part: Range<usize>, between: &str) -> (PairValue, usize) {
    let from = part.end - line[part.clone()].trim_start().len();
    let plain = from..from + line[from..part.end].trim_end().len();
    let quoted = read_value(line.as_bytes(), from).ok().filter(|_| line[from..].starts_with('"'));
    match quoted {
        Some((value, end)) => {
            let behind = line[end..].trim_start_matches(' ');
            let is_all = behind.is_empty()
                || behind.starts_with(between)
                || line[end..].starts_with(between);
            let next = line[end..].find(between).map_or(line.len(), |at| end + at);
            if is_all { (value, next) } else { (PairValue::Plain(plain), part.end) }
        }
        None => (PairValue::Plain(plain), part.end),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_may_have_any_signs() {
        let read = |line: &str, between: &str, within: &str| {
            let mut pairs = Vec::new();
            let signs = PairSigns { between: between.to_owned(), within: within.to_owned() };
            each_delimited(line, &signs, |key, value| {
                let value = if let PairValue::Plain(range) = value { &line[range] } else { "true" };
                pairs.push((line[key].to_owned(), value.to_owned()));
                Ok(())
            })
            .expect("pairs");
            pairs
        };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let fix = "2024-05-01 12:00 : 8=FIX.4.4\u{1}35=A\u{1}58=a=b c\u{1}";
        assert_eq!(
            read(fix, "\u{1}", "="),
            [pair("8", "FIX.4.4"), pair("35", "A"), pair("58", "a=b c")]
        );
        let bars = read("a= 1 | b =|done|", "|", "=");
        assert_eq!(bars, [pair("a", "1"), pair("b", ""), pair("done", "true")]);
        assert_eq!(read("a=1|2||b=x", "||", "="), [pair("a", "1|2"), pair("b", "x")]);
        assert_eq!(read("8=FIX.4.4^A35=A^A", "^A", "="), [pair("8", "FIX.4.4"), pair("35", "A")]);
        let ltsv = read("time:[10:00:00]\thost:::1\tua:", "\t", ":");
        assert_eq!(ltsv, [pair("time", "[10:00:00]"), pair("host", "::1"), pair("ua", "")]);
        // Quotes hold the sign, if the value ends with them.
        let quoted = read(r#"a="x, y", b="z" w, c="""#, ", ", "=");
        assert_eq!(quoted, [pair("a", "x, y"), pair("b", "\"z\" w"), pair("c", "")]);
        assert_eq!(read("a -> 1 ; b -> x y", ";", "->"), [pair("a", "1"), pair("b", "x y")]);
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
