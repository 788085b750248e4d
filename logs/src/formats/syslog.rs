//! Lines of syslog: RFC 5424, and RFC 3164 as it is met in files, where the priority may be left out
//! and the time may be in RFC 3339.
//!
//! ```text
//! <34>1 2003-10-11T22:14:15.003Z host su 231 ID47 [origin@32473 ip="10.0.0.1"] hello
//! <34>Oct 11 22:14:15 host su[231]: hello
//! ```

use super::context::InputContext;
use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use super::frames::{Frame, Lines};
use super::line_cursor::{LineCursor, LineFields, LineValues, sign_of_lines, unless_dash};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, each_part, each_text, one};
use super::twice::{KEEP_ONE, differs};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::record::{RecordPlace, Values};
use multitrace_formats::source::{Diagnostic, Span};
use std::borrow::Cow;
use std::ops::Range;

pub(crate) struct Syslog;

/// The fields whose values stand in the line.
const NAMES: [&str; 8] = ["priority", "time", "host", "app", "pid", "msgid", "data", "message"];
const HOST: usize = 2;
const DATA: usize = 6;

/// The levels that stand behind the time in logs of programs, where syslog has a host.
const LEVELS: [&str; 12] = [
    "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "critical", "crit",
    "fatal", "severe",
];

/// Whether a word may be the name or the address of a host, and is neither a level nor the name of a program that speaks.
fn is_host(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '_' | '-');
    let is_speaker = word.ends_with(':') && !word.ends_with("::");
    word.chars().all(is_part)
        && !is_speaker
        && !LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

/// The fields that the priority stands for.
const OF_PRIORITY: [&str; 2] = ["facility", "severity"];

/// By their numbers (RFC 5424, sec. 6.2.1), as the configuration of syslog daemons calls them.
const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv",
    "ftp", "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7",
];
const SEVERITIES: [&str; 8] =
    ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

impl LogFormat for Syslog {
    /// Lines with a priority are syslog. Without it a line may be anything with a date, so other signs
    /// count first.
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let has_priority = |line: &str| {
            has_length(line) || line.starts_with('<') && parse(line, |_| Ok(())).is_ok()
        };
        let sign = sign_of_lines(head, Sign::Syntax, has_priority);
        let can_read = |line: &str| {
            let found = parse(line, |_| Ok(()));
            found.is_ok_and(|mut it| it[HOST].take().is_none_or(|host| is_host(&line[host])))
        };
        sign.or_else(|| sign_of_lines(head, Sign::Pairs, can_read))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = SyslogFields::new(&opening.context.fields);
        opening.parsed(Lines, parser)
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let mut parameters = FieldNames::default();
        for line in head.lines().take(MAX_RECORDS) {
            // A line that cannot be read is told by the survey.
            let _ = parse(line, |Parameter { id, name, .. }| {
                parameters.add(format!("data.{}.{}", quoted(&line[id]), quoted(&line[name])));
                Ok(())
            });
        }
        let mut names = parameters.into_vec();
        let has_parameters = !names.is_empty();
        let whole =
            OF_PRIORITY.iter().chain(&NAMES).filter(|it| !has_parameters || **it != NAMES[DATA]);
        names.extend(whole.map(|name| (*name).to_owned()));
        Ok(Proposal::Fields { names, delimiter: None })
    }
}

/// The asked-for fields.
struct SyslogFields {
    of_line: LineFields<{ NAMES.len() }>,
    of_priority: LineFields<{ OF_PRIORITY.len() }>,
    /// Parameters of structured data, as `ID.PARAM`.
    parameters: Vec<(FieldId, String)>,
}

impl SyslogFields {
    fn new(fields: &Fields) -> SyslogFields {
        let parameter = |name: String| name.strip_prefix("data.").map(str::to_owned);
        let parameters = fields
            .iter()
            .filter_map(|(field, path)| Some((field, parameter(path.flat_name())?)))
            .collect();
        SyslogFields {
            of_line: LineFields::new(NAMES, fields),
            of_priority: LineFields::new(OF_PRIORITY, fields),
            parameters,
        }
    }

    fn read(&self, line: &str, values: &mut Values) -> Result<(), Diagnostic> {
        let found = parse(line, |parameter| self.set(line, parameter, values))?;
        if let Some(priority) = found[0].clone().and_then(|range| line[range].parse().ok()) {
            let priority: usize = priority;
            self.of_priority.set_text(0, FACILITIES[priority / 8], values);
            self.of_priority.set_text(1, SEVERITIES[priority % 8], values);
        }
        self.of_line.set(found, values);
        Ok(())
    }

    /// Sets a parameter if it is asked for. RFC 5424 allows several of one name, which must have one value then.
    fn set(&self, line: &str, parameter: Parameter, values: &mut Values) -> Result<(), Diagnostic> {
        let (id, name) = (&line[parameter.id], &line[parameter.name]);
        let is_this =
            |key: &str| key.strip_prefix(id).and_then(|rest| rest.strip_prefix('.')) == Some(name);
        let asked = self.parameters.iter().filter(|(_, key)| is_this(key));
        for (field, key) in asked {
            let written = &line[parameter.value.clone()];
            let value = match parameter.is_escaped {
                true => Cow::Owned(unescape(written)),
                false => Cow::Borrowed(written),
            };
            let known = values.record(line, RecordPlace::line(1)).get(*field);
            if known.is_some_and(|known| known != value) {
                let message = differs(&format!("data.{key}"));
                let error = Diagnostic::new(Span::from(parameter.value), message, "second time");
                return Err(error.with_help(KEEP_ONE));
            }
            match parameter.is_escaped {
                true => values.set_text(*field, &value),
                false => values.set_input(*field, parameter.value.clone()),
            }
        }
        Ok(())
    }
}

impl FrameParser for SyslogFields {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let mut values = Values::default();
        let mut read = |text: &str, values: &mut Values| self.read(text, values);
        each_text(
            |_| false,
            (context, frame),
            Lines,
            each,
            |line, text, each| {
                let place = RecordPlace::line(line);
                match messages(text) {
                    None => one(context, (place, text), &mut values, each, &mut read),
                    Some(all) => each_part(context, (place, &all), &mut values, each, &mut read),
                }
            },
        );
    }
}

/// The messages of a line that holds several, each with its length before it (RFC 6587). One whose length leads to no other
/// message goes on to the end of the line, and is an error there.
fn messages(line: &str) -> Option<Vec<&str>> {
    let (first, mut rest) = split_message(line)?;
    let mut messages = vec![first];
    while let Some((first, behind)) = split_message(rest) {
        messages.push(first);
        rest = behind;
    }
    messages.push(rest);
    Some(messages)
}

/// A message behind its length, and the text behind it, where another one begins.
fn split_message(line: &str) -> Option<(&str, &str)> {
    if !has_length(line) {
        return None;
    }
    let (length, message) = line.split_once(' ')?;
    let end = line.len() - message.len() + length.parse::<usize>().ok()?;
    line.split_at_checked(end).filter(|(_, behind)| has_length(behind))
}

/// A parameter of structured data.
struct Parameter {
    id: Range<usize>,
    name: Range<usize>,
    value: Range<usize>,
    /// Whether its value has backslashes.
    is_escaped: bool,
}

type Found = LineValues<{ NAMES.len() }>;

/// Where the values of a line are; calls a function for every parameter of structured data.
fn parse(
    line: &str,
    each: impl FnMut(Parameter) -> Result<(), Diagnostic>,
) -> Result<Found, Diagnostic> {
    let mut cursor = LineCursor::new(line);
    let mut found = Found::default();
    if has_length(line) {
        skip_length(&mut cursor)?;
    }
    found[0] = priority(&mut cursor)?;
    let is_new = cursor.shape("0 ").or_else(|| cursor.shape("00 ")).is_some();
    let read = match is_new {
        true => read_5424(line, &mut cursor, &mut found, each),
        false => read_3164(&mut cursor, &mut found),
    };
    read.map_err(|error| match is_new {
        true => error.with_help("RFC 5424: <priority>1 time host app pid msgid [data] message"),
        false => error.with_help("RFC 3164: <priority>Oct 11 22:14:15 host app[pid]: message"),
    })?;
    Ok(found)
}

/// Whether a line begins with the length of its message, as messages in a stream do (RFC 6587): `123 <34>1 …`.
pub(crate) fn has_length(line: &str) -> bool {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < line.len()
        && behind
            .strip_prefix(" <")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Skips the length of the only message of a line. It may count the line end.
fn skip_length(cursor: &mut LineCursor<'_>) -> Result<(), Diagnostic> {
    let line = cursor.rest();
    let length = line[cursor.digits("a length")?].parse::<usize>().ok();
    cursor.expect(" ", "a space")?;
    let rest = cursor.rest().len();
    let message = match length {
        Some(length) if (rest..=rest + 2).contains(&length) => return Ok(()),
        Some(length) if length < rest => {
            "more stands on the line than the length before the message says, and no other length begins there (RFC 6587)"
        }
        _ => "the message goes on behind its line, as the length before it says (RFC 6587)",
    };
    let error = Diagnostic::new(Span::new(0, cursor.at()), message, "");
    Err(error.with_help("write each message on a line of its own"))
}

/// The highest priority: facility 23, severity 7.
const MAX_PRIORITY: usize = 191;

fn priority(cursor: &mut LineCursor<'_>) -> Result<Option<Range<usize>>, Diagnostic> {
    if !cursor.eat("<") {
        return Ok(None);
    }
    let before = cursor.clone();
    let what = "a priority from 0 to 191 and `>`";
    let digits = cursor.digits(what)?;
    let number = before.rest()[..digits.len()].parse::<usize>();
    if !number.is_ok_and(|number| number <= MAX_PRIORITY) {
        return Err(before.expected(what));
    }
    cursor.expect(">", what)?;
    Ok(Some(digits))
}

fn read_5424(
    line: &str,
    cursor: &mut LineCursor<'_>,
    found: &mut Found,
    mut each: impl FnMut(Parameter) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    for (index, what) in (1..).zip(["a time", "a host", "an app", "a process", "a message id"]) {
        let cell = cursor.cell(what)?;
        found[index] = unless_dash(line, cell);
    }
    let start = cursor.at();
    if !cursor.eat("-") {
        cursor.expect("[", "structured data, or `-`")?;
        element(cursor, &mut each)?;
        while cursor.eat("[") {
            element(cursor, &mut each)?;
        }
        found[DATA] = Some(start..cursor.at());
    }
    if cursor.eat(" ") {
        cursor.eat("\u{feff}");
        found[DATA + 1] = Some(cursor.take_rest());
    } else if !cursor.rest().is_empty() {
        return Err(cursor.expected("a space and the message"));
    }
    Ok(())
}

/// `id name="value" name="value"]`
fn element(
    cursor: &mut LineCursor<'_>,
    each: &mut impl FnMut(Parameter) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let ends = |c: char| matches!(c, ' ' | ']' | '=' | '"');
    let length = cursor.rest().find(ends).unwrap_or(0);
    if length == 0 {
        return Err(cursor.expected("the id of structured data"));
    }
    let id = cursor.skip(length);
    while cursor.eat(" ") {
        let name = cursor.until("=\"", "a parameter, name=\"value\"")?;
        let (value, is_escaped) = parameter_value(cursor)?;
        each(Parameter { id: id.clone(), name, value, is_escaped })?;
    }
    cursor.expect("]", "`]` behind the structured data")
}

/// The rest of a value in quotes, and whether it has backslashes.
fn parameter_value(cursor: &mut LineCursor<'_>) -> Result<(Range<usize>, bool), Diagnostic> {
    let (mut is_escaped, mut has_escapes) = (false, false);
    let length = cursor.rest().bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        has_escapes |= is_escaped;
        ends
    });
    let Some(length) = length else { return Err(cursor.expected("a closing quote")) };
    let value = cursor.skip(length);
    cursor.skip(1);
    Ok((value, has_escapes))
}

/// A backslash means something before a quote, a backslash and `]` only (RFC 5424, sec. 6.3.3).
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.next_if(|next| c == '\\' && matches!(next, '"' | '\\' | ']'));
        plain.push(escaped.unwrap_or(c));
    }
    plain
}

fn read_3164(cursor: &mut LineCursor<'_>, found: &mut Found) -> Result<(), Diagnostic> {
    let time = cursor.shape("aaa _0 00:00:00").map(Ok);
    let rfc_3339 = |cursor: &mut LineCursor<'_>| {
        let mut ahead = cursor.clone();
        let is_date = ahead.shape("0000-00-00T00:00:00").is_some();
        is_date.then(|| cursor.word("a time"))
    };
    let time = time.or_else(|| rfc_3339(cursor));
    let missing = || cursor.expected("a time, as in `Oct 11 22:14:15` or 2003-10-11T22:14:15Z");
    found[1] = Some(time.ok_or_else(missing)??);
    cursor.expect(" ", "a space")?;
    found[2] = Some(cursor.cell("a host")?);
    [found[3], found[4]] = tag(cursor);
    found[DATA + 1] = Some(cursor.take_rest());
    Ok(())
}

/// `app:` or `app[pid]:` and the space behind it. Messages without either are all text.
fn tag(cursor: &mut LineCursor<'_>) -> [Option<Range<usize>>; 2] {
    let (start, rest) = (cursor.at(), cursor.rest());
    let word = &rest[..rest.find(' ').unwrap_or(rest.len())];
    let Some(tag) = word.strip_suffix(':').filter(|tag| !tag.is_empty()) else {
        return [None, None];
    };
    cursor.skip(word.len());
    cursor.eat(" ");
    match tag.strip_suffix(']').and_then(|tag| tag.rsplit_once('[')) {
        Some((app, pid)) if !app.is_empty() => {
            let pid_start = start + app.len() + 1;
            [Some(start..start + app.len()), Some(pid_start..pid_start + pid.len())]
        }
        _ => [Some(start..start + tag.len()), None],
    }
}
