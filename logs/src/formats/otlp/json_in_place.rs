//! A request of OTLP in JSON of the usual form, read in place: attributes that nobody asks for are checked and skipped, and
//! nothing is copied but texts with escapes.

// Idea: exporters write requests alike: one list of resources, names in camel case, no null. A request of another form is
// left to the full reader, which reads the usual form with the same result and makes all errors; a test compares both.
// Records are handed out behind the request, since a resource may follow its spans, and an error costs the whole request.

use super::cells::{Cell, MOST_NESTED, RequestCells, resource_key};
use super::fields::{AskedFields, LogField, OtlpField, SpanField, kind};
use super::json_messages::{kind_of, text_of_value};
use crate::formats::log_format::Each;
use crate::formats::twice::Seen;
use crate::record::RecordPlace;
use multitrace_formats::json_cursor::JsonCursor;
use std::borrow::Cow;

/// A number of this many digits is below 2^63.
const MOST_DIGITS: usize = 18;

/// Reads the request at the beginning of these bytes, of at most this many, hands its records out, numbered behind that of
/// the place, and returns where it ends, with the number of the last one. `None`, and nothing is handed out, if it has
/// another form.
pub(super) fn each_record(
    asked: &AskedFields,
    (bytes, most): (&[u8], usize),
    place: RecordPlace,
    each: &mut Each<'_>,
) -> Option<(usize, u32)> {
    if asked.0.is_empty() || bytes.first() != Some(&b'{') {
        return None;
    }
    let (cursor, cells) = (JsonCursor::new(bytes), RequestCells::new(asked));
    let mut request = Request { cursor, cells, is_log: false };
    request.read()?;
    let length = bytes.len() - request.cursor.rest().len();
    if length > most {
        return None;
    }
    Some((length, request.cells.hand_out(place, each)))
}

struct Request<'t, 'a> {
    cursor: JsonCursor<'t>,
    cells: RequestCells<'t, 'a>,
    is_log: bool,
}

/// The kind of value at a key.
#[derive(Clone, Copy)]
enum Shape {
    Id,
    Text,
    Time,
    Kind,
    Value,
    Attributes,
    Status,
}

/// The key of the number of attributes that an exporter left out.
const DROPPED: &[u8] = b"droppedAttributesCount";

/// A key, the kind of its value, and the field that has it.
type Key = (&'static [u8], Shape, OtlpField);

static OF_SPAN: [Key; 9] = [
    (b"traceId", Shape::Id, OtlpField::OfSpan(SpanField::TraceId)),
    (b"spanId", Shape::Id, OtlpField::OfSpan(SpanField::Id)),
    (b"parentSpanId", Shape::Id, OtlpField::OfSpan(SpanField::ParentId)),
    (b"name", Shape::Text, OtlpField::OfSpan(SpanField::Name)),
    (b"kind", Shape::Kind, OtlpField::OfSpan(SpanField::Kind)),
    (b"startTimeUnixNano", Shape::Time, OtlpField::OfSpan(SpanField::Start)),
    (b"endTimeUnixNano", Shape::Time, OtlpField::OfSpan(SpanField::End)),
    (b"attributes", Shape::Attributes, OtlpField::Unknown),
    (b"status", Shape::Status, OtlpField::Unknown),
];

static OF_STATUS: [Key; 2] = [
    (b"message", Shape::Text, OtlpField::OfSpan(SpanField::StatusMessage)),
    (b"code", Shape::Kind, OtlpField::OfSpan(SpanField::StatusCode)),
];

static OF_LOG: [Key; 9] = [
    (b"traceId", Shape::Id, OtlpField::OfLog(LogField::TraceId)),
    (b"spanId", Shape::Id, OtlpField::OfLog(LogField::SpanId)),
    (b"timeUnixNano", Shape::Time, OtlpField::OfLog(LogField::Time)),
    (b"observedTimeUnixNano", Shape::Time, OtlpField::OfLog(LogField::ObservedTime)),
    (b"severityNumber", Shape::Kind, OtlpField::OfLog(LogField::SeverityNumber)),
    (b"severityText", Shape::Text, OtlpField::OfLog(LogField::Severity)),
    (b"body", Shape::Value, OtlpField::OfLog(LogField::Body)),
    (b"eventName", Shape::Text, OtlpField::OfLog(LogField::EventName)),
    (b"attributes", Shape::Attributes, OtlpField::Unknown),
];

impl<'t> Request<'t, '_> {
    fn read(&mut self) -> Option<()> {
        self.cursor.expect(b'{')?;
        self.is_log = match self.cursor.key()? {
            b"resourceSpans" => false,
            b"resourceLogs" => true,
            _ => return None,
        };
        self.cells.begin(self.is_log);
        self.list(Self::group)?;
        self.cursor.expect(b'}')
    }

    fn list(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let mut list = self.cursor.open(b'[')?;
        while self.cursor.has_next(&mut list)? {
            element(self)?;
        }
        Some(())
    }

    /// An object: its keys without escapes, each with the cursor at its value.
    fn object(&mut self, mut field: impl FnMut(&mut Self, &'t [u8]) -> Option<()>) -> Option<()> {
        let mut fields = self.cursor.open(b'{')?;
        while self.cursor.has_next(&mut fields)? {
            let key = self.cursor.key()?;
            field(self, key)?;
        }
        Some(())
    }

    fn group(&mut self) -> Option<()> {
        let (mut seen, mut resource) = (Seen::default(), self.cells.open_cells());
        let scopes: &[u8] = if self.is_log { b"scopeLogs" } else { b"scopeSpans" };
        self.object(|it, key| match key {
            b"resource" => {
                seen.first(0)?;
                it.resource(&mut resource)
            }
            b"schemaUrl" => {
                seen.first(1)?;
                it.cursor.skip_value()
            }
            key if key == scopes => {
                seen.first(2)?;
                it.list(Self::scope)
            }
            _ => None,
        })?;
        self.cells.end_group(resource);
        Some(())
    }

    fn resource(&mut self, cells: &mut [Cell<'t>]) -> Option<()> {
        let mut seen = Seen::default();
        self.object(|it, key| match key {
            b"attributes" => {
                seen.first(0)?;
                it.attributes(cells, MOST_NESTED, resource_key)
            }
            DROPPED => {
                seen.first(1)?;
                it.nothing_dropped()
            }
            _ => None,
        })
    }

    fn scope(&mut self) -> Option<()> {
        let mut seen = Seen::default();
        let entries: &[u8] = if self.is_log { b"logRecords" } else { b"spans" };
        self.object(|it, key| match key {
            b"scope" => {
                seen.first(0)?;
                it.library()
            }
            b"schemaUrl" => {
                seen.first(1)?;
                it.cursor.skip_value()
            }
            key if key == entries => {
                seen.first(2)?;
                it.list(Self::entry)
            }
            _ => None,
        })
    }

    /// The description of a scope. Nothing in it is read.
    fn library(&mut self) -> Option<()> {
        const KEYS: [&[u8]; 4] = [b"name", b"version", b"attributes", DROPPED];
        let mut seen = Seen::default();
        self.object(|it, key| {
            let at = KEYS.iter().position(|known| *known == key)?;
            seen.first(at as u32)?;
            it.cursor.skip_value()
        })
    }

    /// A span or a log record.
    fn entry(&mut self) -> Option<()> {
        let mut cells = self.cells.begin_record();
        self.keys(if self.is_log { &OF_LOG } else { &OF_SPAN }, &mut cells)?;
        self.cells.end_record(cells);
        Some(())
    }

    /// An object with these keys and others, which are skipped.
    fn keys(&mut self, known: &[Key], cells: &mut [Cell<'t>]) -> Option<()> {
        let mut seen = Seen::default();
        self.object(|it, key| {
            let Some(at) = known.iter().position(|it| it.0 == key) else {
                // It may be another name of a known key, as protobuf has it.
                return match key {
                    DROPPED => it.nothing_dropped(),
                    _ if key.contains(&b'_') => None,
                    _ => it.cursor.skip_value(),
                };
            };
            seen.first(at as u32)?;
            let (_, shape, field) = &known[at];
            it.field(*shape, field, cells)
        })
    }

    /// How many attributes were left out: where there are some, the full reader says which values are unknown.
    fn nothing_dropped(&mut self) -> Option<()> {
        (self.cursor.value()? == b"0").then_some(())
    }

    fn field(&mut self, shape: Shape, field: &OtlpField, cells: &mut [Cell<'t>]) -> Option<()> {
        let text = match shape {
            Shape::Attributes => return self.attributes(cells, MOST_NESTED, OtlpField::attribute),
            Shape::Status => return self.keys(&OF_STATUS, cells),
            Shape::Value => {
                let value = self.any(self.cells.asks_for(field), MOST_NESTED)?;
                // Its text may be empty.
                if let Some(text) = value {
                    self.cells.set_field(cells, field, &Cell::Text(text));
                }
                return Some(());
            }
            Shape::Id => self.id()?,
            Shape::Text => self.text(self.cells.asks_for(field))?,
            Shape::Time => self.time()?,
            Shape::Kind => match (self.kind()?, field) {
                (number, OtlpField::OfSpan(SpanField::Kind)) => kind(number).into(),
                (number, OtlpField::OfSpan(_)) => SpanField::status(number).into(),
                (0, _) => "".into(),
                (number, _) => number.to_string().into(),
            },
        };
        self.cells.set_field(cells, field, &Cell::of_text(text));
        Some(())
    }

    /// Takes the attributes that are asked for; `key_of` says the key that a field asks for here.
    fn attributes(
        &mut self,
        cells: &mut [Cell<'t>],
        depth: u32,
        key_of: impl Fn(&OtlpField) -> Option<&String>,
    ) -> Option<()> {
        self.list(|it| {
            // The key stands first as exporters write it.
            it.cursor.expect(b'{')?;
            if it.cursor.key()? != b"key" {
                return None;
            }
            let key = it.cursor.string()?;
            let is_it = |field: &OtlpField| key_of(field).is_some_and(|it| it.as_bytes() == key);
            let is_asked = it.cells.asked.0.iter().any(|(_, field)| is_it(field));
            let mut value = None;
            if it.cursor.eat(b',') {
                if it.cursor.key()? != b"value" {
                    return None;
                }
                value = it.any(is_asked, depth)?;
            }
            it.cursor.expect(b'}')?;
            it.cells.set_attribute(cells, &key_of, (key, &value.map_or(Cell::Empty, Cell::Text)))
        })
    }

    /// A value of an attribute, as a text if it is asked for and there is one.
    fn any(&mut self, is_asked: bool, depth: u32) -> Option<Option<Cow<'t, str>>> {
        let mut value = None;
        self.cursor.expect(b'{')?;
        if self.cursor.eat(b'}') {
            return Some(value);
        }
        let key = self.cursor.key()?;
        match key {
            b"stringValue" | b"bytesValue" => value = Some(self.text(is_asked)?),
            b"boolValue" if matches!(self.cursor.peek()?, b't' | b'f') => {
                value = Some(text_of(self.cursor.value()?)?);
            }
            b"intValue" => value = Some(self.integer()?),
            b"doubleValue" => {
                let number = text_of(self.cursor.value()?)?;
                let is_small = number.len() < MOST_DIGITS && !number.contains(['e', 'E']);
                if !is_small || !number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
                    return None;
                }
                if is_asked {
                    value = Some(text_of_value(&format!("{{\"doubleValue\":{number}}}"))?.into());
                }
            }
            b"arrayValue" | b"kvlistValue" if !is_asked => {
                let depth = depth.checked_sub(1)?;
                self.values(key == b"kvlistValue", depth)?;
            }
            _ => return None,
        }
        self.cursor.expect(b'}')?;
        Some(value.filter(|_| is_asked))
    }

    /// The values of a list or a table, which nobody asks for.
    fn values(&mut self, is_table: bool, depth: u32) -> Option<()> {
        let mut seen = Seen::default();
        self.object(|it, key| {
            if key != b"values" {
                return it.cursor.skip_value();
            }
            seen.first(0)?;
            match is_table {
                true => it.attributes(&mut [], depth, |_| None),
                false => it.list(|it| it.any(false, depth).map(drop)),
            }
        })
    }

    /// A string; without its content if nobody asks for it.
    fn text(&mut self, is_asked: bool) -> Option<Cow<'t, str>> {
        if self.cursor.peek()? != b'"' {
            return None;
        }
        let raw = self.cursor.value()?;
        // Half of a surrogate pair is not a text, though it can be skipped.
        if memchr::memchr(b'\\', raw).is_some() {
            return serde_json::from_slice(raw).ok().map(Cow::Owned);
        }
        if is_asked { text_of(&raw[1..raw.len() - 1]) } else { Some(Cow::Borrowed("")) }
    }

    /// An id in hex, in small letters.
    fn id(&mut self) -> Option<Cow<'t, str>> {
        let id = self.cursor.string()?;
        let is_hex = id.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && id.len() % 2 == 0 { text_of(id) } else { None }
    }

    /// A number from 0, or a text of one; empty if it is 0.
    fn time(&mut self) -> Option<Cow<'t, str>> {
        let digits = self.digits()?;
        if digits == b"0" { Some(Cow::Borrowed("")) } else { plain(digits) }
    }

    /// An integer, or a text of one.
    fn integer(&mut self) -> Option<Cow<'t, str>> {
        let digits = self.digits()?;
        plain(digits)?;
        text_of(digits)
    }

    fn digits(&mut self) -> Option<&'t [u8]> {
        if self.cursor.peek()? == b'"' { self.cursor.string() } else { self.cursor.value() }
    }

    /// A kind, as its number.
    fn kind(&mut self) -> Option<i32> {
        if self.cursor.peek()? == b'"' {
            return self.cursor.text().map(kind_of);
        }
        plain(self.cursor.value()?)?.parse().ok()
    }
}

/// A number of digits only, without zeros in front.
fn plain(digits: &[u8]) -> Option<Cow<'_, str>> {
    let is_plain = matches!(digits, [b'0'] | [b'1'..=b'9', ..])
        && digits.len() <= MOST_DIGITS + 1
        && digits.iter().all(u8::is_ascii_digit);
    // Nineteen digits may be beyond an integer with a sign.
    let is_within = digits.len() <= MOST_DIGITS || digits.first() < Some(&b'9');
    if is_plain && is_within { text_of(digits) } else { None }
}

fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::super::cells::testing::{ASKED, Records, asked, records};
    use super::super::json_messages::JsonRequest;
    use super::*;
    use proptest::prelude::*;

    /// The records of the quick reader, and those of the full one.
    fn both(names: &[&str], text: &str) -> (Option<Records>, Option<Records>) {
        let (asked, count) = asked(names);
        let mut length = None;
        let quick = records(count, |each| {
            let bytes = (text.as_bytes(), text.len());
            length = each_record(&asked, bytes, RecordPlace::line(1), each).map(|it| it.0);
        });
        assert!(length.is_some() || quick.is_empty(), "{text}");
        let full = serde_json::from_str::<JsonRequest>(&text[..length.unwrap_or(text.len())]).ok();
        let full = full.map(|it| {
            records(count, |each| {
                asked.each_record("log", (&it.0, RecordPlace::line(1)), each);
            })
        });
        (length.map(|_| quick), full)
    }

    const SPANS: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"front"}}],"droppedAttributesCount":0},"scopeSpans":[{"scope":{"name":"x"},"spans":[{"traceId":"0a0b","spanId":"01","parentSpanId":"","flags":257,"name":"GET \/a","kind":3,"startTimeUnixNano":"17","endTimeUnixNano":18,"attributes":[{"key":"a","value":{"intValue":"5"}},{"key":"b.c","value":{"doubleValue":1.50}},{"key":"d","value":{"arrayValue":{"values":[{"boolValue":true},{"kvlistValue":{"values":[{"key":"e","value":{}}]}}]}}}],"events":[{"name":"n"}],"status":{"code":2,"message":"no"}},{"kind":"SPAN_KIND_SERVER","status":{}}],"schemaUrl":""}]},{"scopeSpans":[{"spans":[{"attributes":[{"key":"a"},{"key":"b.c","value":{"boolValue":false}}]}]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":""}}]}}]}"#;
    const LOGS: &str = r#"{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"timeUnixNano":"0","observedTimeUnixNano":"9","severityNumber":9,"severityText":"INFO","body":{"stringValue":"a \"b\" \u00fc"},"traceId":"ff","spanId":"","eventName":"e","attributes":[{"key":"a","value":{"bytesValue":"AA=="}}]},{"severityNumber":"SEVERITY_NUMBER_WARN2","body":{"stringValue":""}}]}]}]}"#;

    #[test]
    fn the_usual_form_is_read_quickly_and_alike() {
        for text in [SPANS, LOGS] {
            let (quick, full) = both(&ASKED, text);
            assert!(quick.as_ref().is_some_and(|it| it.len() >= 2), "{text}");
            assert_eq!(quick, full, "{text}");
            let twice = text.replacen(r#""key":"a""#, r#""key":"a"},{"key":"a""#, 1);
            assert!(both(&ASKED, &twice).0.is_none(), "left to the full reader, which tells it");
            // A list that is asked for is left to the full reader.
            let (quick, full) = both(&["attributes.d"], text);
            assert_eq!(quick.is_none(), text == SPANS);
            assert!(full.is_some());
        }
    }

    /// Deeper than any stack.
    #[test]
    fn tables_in_tables_are_left_to_the_full_reader() {
        const DEPTH: usize = 200_000;
        let table = r#"{"kvlistValue":{"values":[{"key":"e","value":"#;
        let tables = |depth| format!("{}{{}}{}", table.repeat(depth), "}]}}".repeat(depth));
        let nested = |depth| {
            let (asked, _) = asked(&["attributes.a"]);
            let text = SPANS.replace(r#"{"stringValue":"front"}"#, &tables(depth));
            let place = RecordPlace::line(1);
            each_record(&asked, (text.as_bytes(), text.len()), place, &mut |_| {}).is_some()
        };
        assert!(nested(MOST_NESTED as usize));
        assert!(!nested(MOST_NESTED as usize + 1));
        assert!(!nested(DEPTH));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Whatever is read quickly, the full reader reads alike.
        #[test]
        fn mutated_requests_are_read_alike(
            is_log in any::<bool>(),
            edits in proptest::collection::vec((0usize..2_000, 0usize..4, 0usize..28), 1..4),
        ) {
            const PIECES: [&str; 28] = [
                "null", "\"\"", "5", "-1", "01", "1e999", "9223372036854775808", "\"name\":\"x\",", "\"kind\":1,", "{}", "[]", "\"A\"",
                "\"a\"", "\\u00e9", "\\ud800", "\"key\":", "\"value\":", "{\"stringValue\":\"v\"}", "\"trace_id\":\"00\",", ",",
                "}", "]", "true", "\"intValue\":", "\"SPAN_KIND_CLIENT\"", "ü", "\"007\"", "{\"key\":\"a\",\"value\":{\"intValue\":-7}},",
            ];
            let mut text = if is_log { LOGS } else { SPANS }.to_owned();
            for (at, kind, piece) in edits {
                // Between tokens, most of the time.
                let marks: Vec<usize> = text.char_indices().filter(|it| "{}[],:\"".contains(it.1)).map(|it| it.0).collect();
                let Some(&from) = marks.get(at % marks.len().max(1)) else { break };
                let next = marks.iter().copied().find(|it| *it > from).unwrap_or(text.len());
                match kind {
                    0 => text.replace_range(from..next, ""),
                    1 => text.insert_str(from, PIECES[piece]),
                    2 => text.insert_str(from + 1, PIECES[piece]),
                    _ => text.replace_range(from + 1..next.max(from + 1), PIECES[piece]),
                }
            }
            let (quick, full) = both(&ASKED, &text);
            if quick.is_some() {
                prop_assert_eq!(quick, full, "{}", text);
            }
        }
    }
}
