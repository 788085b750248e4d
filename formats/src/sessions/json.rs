//! One line of JSON Lines as a session. Read by visitors and not into a map, because maps forget
//! the order and the duplicates of their keys.

use super::remarks::{LineRemarks, meant_field};
use super::resolve::resolve;
use crate::htf::{Component, Header, RawEvent, RawSession, parse_text};
use crate::source::{Diagnostic, Diagnostics, Span};
use multitrace_interaction::{Alphabet, Session, names};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

/// The remedy for most errors.
const FORM: &str = r#"a line is {"session":"s1","traces":{"l1":["l1!m"]}} or {"session":"s1","htf":"{[l1] l1!m}"}"#;

/// The session on a line, and the other fields of the line.
pub(super) fn parse<'l>(
    line: &'l str,
    alphabet: &Alphabet,
) -> Result<(Session, LineRemarks<'l>), Diagnostics> {
    let context = Context { line, at: Cell::default(), errors: RefCell::default() };
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let fields = LineSeed(&context).deserialize(&mut deserializer);
    let fields = fields.and_then(|fields| deserializer.end().map(|()| fields));
    let fields = fields.map_err(|error| not_json(line, &error))?;
    let mut errors = context.errors.into_inner();
    let id = session_id(line, fields.session, &mut errors);
    let session = match (fields.traces, fields.htf) {
        (Some(raw), None) => resolve(&id, &errors.check(raw)?, alphabet),
        (None, Some(htf)) => {
            errors.check(())?;
            resolve_htf(line, &id, htf, alphabet)
        }
        (traces, _) => {
            let message = if traces.is_some() {
                "both `traces` and `htf`: which one is meant?"
            } else {
                "neither `traces` nor `htf`: the session has no logs"
            };
            errors.push(Diagnostic::new(start_of(line), message, "").with_help(FORM));
            Err(errors)
        }
    };
    Ok((session?, fields.remarks))
}

/// The name of the session; the empty one after an error.
fn session_id<'a>(line: &str, raw: Option<&'a str>, errors: &mut Diagnostics) -> Cow<'a, str> {
    let Some(raw) = raw else {
        let message = "the line has no `session`";
        errors.push(Diagnostic::new(start_of(line), message, "").with_help(FORM));
        return Cow::Borrowed("");
    };
    if raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Cow::Borrowed(raw);
    }
    decoded(line, raw, "`session` must be a string or a number").unwrap_or_else(|error| {
        errors.push(error);
        Cow::Borrowed("")
    })
}

/// The text of a JSON string.
fn decoded<'a>(line: &str, raw: &'a str, otherwise: &str) -> Result<Cow<'a, str>, Diagnostic> {
    let span = Span::new(offset_in(line, raw), offset_in(line, raw) + raw.len());
    let Some(inner) = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else {
        return Err(Diagnostic::new(span, otherwise, "not a string").with_help(FORM));
    };
    if !inner.contains('\\') {
        return Ok(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw).map(Cow::Owned).map_err(|error| {
        Diagnostic::new(span, format!("not JSON: {}", reason(&error)), "in this string")
            .with_help(FORM)
    })
}

fn resolve_htf(
    line: &str,
    id: &str,
    raw: &str,
    alphabet: &Alphabet,
) -> Result<Session, Diagnostics> {
    let text = decoded(line, raw, "`htf` must be a string")?;
    let session = parse_text(&text).and_then(|session| resolve(id, &session, alphabet));
    session.map_err(|mut errors| {
        let start = offset_in(line, raw) + 1;
        let inner = &raw[1..];
        errors.map_spans(|span| {
            Span::new(
                start + escaped_offset(inner, span.start),
                start + escaped_offset(inner, span.end),
            )
        });
        errors
    })
}

/// Maps an offset in the text of a string to its offset in the JSON source.
fn escaped_offset(raw: &str, offset: usize) -> usize {
    let (mut at, mut in_text) = (0, 0);
    while in_text < offset && at < raw.len() {
        let (written, meant) = match raw.as_bytes()[at] {
            b'\\' => escape_lengths(&raw[at..]),
            _ => (1, 1),
        };
        at += written;
        in_text += meant;
    }
    at.min(raw.len())
}

/// How many bytes an escape takes as it is written, and in the text it stands for.
fn escape_lengths(escape: &str) -> (usize, usize) {
    let Some(code) = escape.strip_prefix("\\u").and_then(|hex| hex.get(..4)) else {
        return (2, 1);
    };
    let code = u32::from_str_radix(code, 16).unwrap_or_default();
    match char::from_u32(code) {
        Some(c) => (6, c.len_utf8()),
        // The first half of a pair of escapes.
        None => (12, 4),
    }
}

/// Where a part of the line begins.
fn offset_in(line: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len())
}

/// A place for errors of the line as a whole.
fn start_of(line: &str) -> Span {
    let start = line.len() - line.trim_start().len();
    Span::new(start, (start + 1).min(line.len()))
}

fn not_json(line: &str, error: &serde_json::Error) -> Diagnostic {
    // serde_json counts columns in bytes, and lines should the caller pass several.
    let before: usize =
        line.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let place = match error.classify() {
        serde_json::error::Category::Eof => line.trim_end().len(),
        _ => (before + error.column().saturating_sub(1)).min(line.len()),
    };
    let message = match error.classify() {
        serde_json::error::Category::Data => reason(error),
        _ => format!("not JSON: {}", reason(error)),
    };
    let end = line.len().min(place + 1);
    Diagnostic::new(Span::new(place, end), message, "").with_help(FORM)
}

/// The message of an error without the place that serde_json adds to it.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or(text.clone(), str::to_owned)
}

/// The line and the buffers that the visitors share.
struct Context<'de> {
    line: &'de str,
    /// The end of the last string whose place is known, for strings that come as copies.
    at: Cell<Option<usize>>,
    errors: RefCell<Diagnostics>,
}

impl<'de> Context<'de> {
    /// The place of a string that is part of the line.
    fn place_borrowed(&self, text: &'de str) -> Span {
        let start = offset_in(self.line, text);
        self.at.set(Some(start + text.len() + 1));
        Span::new(start, start + text.len())
    }

    /// The place of a string with escapes: the next one after the last known. Only brackets,
    /// commas and colons stand between two strings that are read here.
    fn place_copied(&self) -> Span {
        let whole = Span::new(0, self.line.len());
        let Some(rest) = self.at.get().and_then(|at| self.line.get(at..)) else { return whole };
        let Some(quote) = rest.find('"') else { return whole };
        let start = self.line.len() - rest.len() + quote + 1;
        let end = start + string_length(&self.line[start..]);
        self.at.set(Some(end + 1));
        Span::new(start, end)
    }

    fn report(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }
}

/// How long a JSON string is as it is written, up to its closing quote.
fn string_length(raw: &str) -> usize {
    let mut escaped = false;
    let end = raw.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(raw.len())
}

/// The fields of a line, as far as they matter.
#[derive(Default)]
struct Fields<'de> {
    session: Option<&'de str>,
    traces: Option<RawSession<'de>>,
    htf: Option<&'de str>,
    remarks: LineRemarks<'de>,
}

struct LineSeed<'c, 'de>(&'c Context<'de>);

impl<'de> DeserializeSeed<'de> for LineSeed<'_, 'de> {
    type Value = Fields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LineSeed<'_, 'de> {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some((key, span)) = map.next_key_seed(TextSeed::new(self.0, "a field"))? {
            let as_written = match &*key {
                "session" => Some(&mut fields.session),
                "htf" => Some(&mut fields.htf),
                other => fields.remarks.field(other.as_bytes()),
            };
            let is_again = match (as_written, &*key) {
                (Some(field), _) => field.replace(map.next_value::<&RawValue>()?.get()).is_some(),
                (None, "traces") => {
                    fields.traces.replace(map.next_value_seed(TracesSeed(self.0))?).is_some()
                }
                (None, other) => {
                    if let Some(meant) = meant_field(other.as_bytes()) {
                        let message = format!("field `{key}` is not read");
                        let help = format!("is it `{meant}`? give it another name if not");
                        self.0.report(Diagnostic::new(span, message, "").with_help(help));
                    }
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            // Strings may have gone by that were not looked at.
            self.0.at.set(None);
            if is_again {
                let message = format!("field `{key}` stands twice");
                self.0.report(
                    Diagnostic::new(span, message, "second time").with_help("keep one of them"),
                );
            }
        }
        Ok(fields)
    }
}

struct TracesSeed<'c, 'de>(&'c Context<'de>);

impl<'de> DeserializeSeed<'de> for TracesSeed<'_, 'de> {
    type Value = RawSession<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TracesSeed<'_, 'de> {
    type Value = RawSession<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a list of events per location")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut components = Vec::new();
        while let Some((key, span)) = map.next_key_seed(TextSeed::new(self.0, "a location"))? {
            let header = self.header(key, span);
            let events = map.next_value_seed(EventsSeed(self.0))?;
            components.push(Component { header, header_span: span, events });
        }
        Ok(RawSession { components })
    }
}

impl<'de> TracesSeed<'_, 'de> {
    /// The lifelines of a key, which are separated by commas outside of quotes.
    fn header(&self, key: Cow<'de, str>, span: Span) -> Header<'de> {
        let names: Vec<(Cow<'de, str>, Span)> = match key {
            Cow::Borrowed(key) => {
                let pieces = names::split(key, ',').map(str::trim);
                pieces.map(|piece| (names::name_of(piece), self.part(piece))).collect()
            }
            // The parts of a key with escapes have the place of the key.
            Cow::Owned(key) => names::split(&key, ',')
                .map(|piece| (Cow::Owned(names::name_of(piece).into_owned()), span))
                .collect(),
        };
        if names.iter().any(|(name, _)| name.is_empty()) {
            let message = "a location with an empty name";
            let error = Diagnostic::new(span, message, "expected lifelines, separated by commas");
            self.0.report(error.with_help("write \"l1\" or \"l1,l2\""));
        }
        Header::Names(names)
    }

    fn part(&self, name: &str) -> Span {
        let start = offset_in(self.0.line, name);
        Span::new(start, start + name.len())
    }
}

struct EventsSeed<'c, 'de>(&'c Context<'de>);

impl<'de> DeserializeSeed<'de> for EventsSeed<'_, 'de> {
    type Value = Vec<RawEvent<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EventsSeed<'_, 'de> {
    type Value = Vec<RawEvent<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut events = Vec::new();
        let what = "an event, which is a string such as \"l1!m\"";
        while let Some((text, span)) = seq.next_element_seed(TextSeed::new(self.0, what))? {
            events.push(RawEvent { text, span });
        }
        Ok(events)
    }
}

/// A string and its place.
struct TextSeed<'c, 'de> {
    context: &'c Context<'de>,
    what: &'static str,
}

impl<'c, 'de> TextSeed<'c, 'de> {
    fn new(context: &'c Context<'de>, what: &'static str) -> TextSeed<'c, 'de> {
        TextSeed { context, what }
    }
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_, 'de> {
    type Value = (Cow<'de, str>, Span);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_, 'de> {
    type Value = (Cow<'de, str>, Span);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok((Cow::Borrowed(text), self.context.place_borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok((Cow::Owned(text.to_owned()), self.context.place_copied()))
    }
}
