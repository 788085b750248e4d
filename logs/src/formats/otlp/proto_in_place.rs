//! A request of OTLP in protobuf, read in place: attributes that nobody asks for are checked and skipped, and nothing is
//! copied but numbers.

// Idea: exporters write requests alike: each field once, spans alone or log records alone. A request of another form is left
// to the full reader, which reads the usual form with the same result and makes all errors; a test compares both. The field
// numbers are those of opentelemetry-proto 1, the wire format that of protobuf.

use super::cells::{Cell, MOST_NESTED, RequestCells, resource_key};
use super::fields::{AskedFields, LogField, OtlpField, SpanField, kind};
use crate::formats::log_format::Each;
use crate::formats::twice::Seen;
use crate::record::RecordPlace;
use std::borrow::Cow;

/// Reads a request and hands its records out. `None`, and nothing is handed out, if it has another form.
pub(super) fn each_record(
    asked: &AskedFields,
    bytes: &[u8],
    place: RecordPlace,
    each: &mut Each<'_>,
) -> Option<()> {
    if asked.0.is_empty() {
        return None;
    }
    let mut request = Request { cells: RequestCells::new(asked), is_log: None };
    each_field(bytes, |number, value| match number {
        1 => request.group(value.bytes()?),
        _ => None,
    })?;
    request.cells.hand_out(place, each);
    Some(())
}

/// The value of a field on the wire.
#[derive(Clone, Copy)]
enum Wire<'t> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'t [u8]),
    Fixed32,
}

impl<'t> Wire<'t> {
    fn bytes(self) -> Option<&'t [u8]> {
        if let Wire::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    fn text(self) -> Option<&'t str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn varint(self) -> Option<u64> {
        if let Wire::Varint(number) = self { Some(number) } else { None }
    }

    /// An integer of 32 bits, which is written with 64.
    fn int32(self) -> Option<i32> {
        self.varint().map(|number| number as i32)
    }

    fn fixed64(self) -> Option<u64> {
        if let Wire::Fixed64(number) = self { Some(number) } else { None }
    }
}

/// Calls a function for each field of a message with its number and value; `None` if the message is not well formed, has
/// groups, or the function says so.
fn each_field<'t>(
    mut bytes: &'t [u8],
    mut each: impl FnMut(u32, Wire<'t>) -> Option<()>,
) -> Option<()> {
    while !bytes.is_empty() {
        let key = u32::try_from(varint(&mut bytes)?).ok()?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut bytes)?),
            1 => Wire::Fixed64(u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Wire::Bytes(take(&mut bytes, length)?)
            }
            5 => {
                take(&mut bytes, 4)?;
                Wire::Fixed32
            }
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        each(key >> 3, value)?;
    }
    Some(())
}

fn take<'t>(bytes: &mut &'t [u8], length: usize) -> Option<&'t [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// A number of at most 63 bits; one of more is left to the full reader.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            *bytes = &bytes[place + 1..];
            return Some(number);
        }
    }
    None
}

struct Request<'t, 'a> {
    cells: RequestCells<'t, 'a>,
    /// Whether the records are log records; `None` before the first one.
    is_log: Option<bool>,
}

impl<'t> Request<'t, '_> {
    fn group(&mut self, bytes: &'t [u8]) -> Option<()> {
        let (mut seen, mut resource) = (Seen::default(), self.cells.open_cells());
        each_field(bytes, |number, value| match number {
            1 => {
                seen.first(1)?;
                each_field(value.bytes()?, |number, value| match number {
                    1 => self.attribute(value.bytes()?, &mut resource, resource_key),
                    2 => value.varint().filter(|dropped| *dropped == 0).map(drop),
                    _ => None,
                })
            }
            2 => each_field(value.bytes()?, |number, value| match number {
                1 => library(value.bytes()?),
                2 => self.record(value.bytes()?),
                3 => value.text().filter(|text| is_name(text)).map(drop),
                _ => None,
            }),
            3 => value.text().filter(|text| is_name(text)).map(drop),
            _ => None,
        })?;
        self.cells.end_group(resource);
        Some(())
    }

    /// A span has its trace id, which is bytes, as field 1; log records have a number there, or begin with a later field.
    fn record(&mut self, bytes: &'t [u8]) -> Option<()> {
        const TRACE_ID: u8 = 1 << 3 | 2;
        let is_log = bytes.first() != Some(&TRACE_ID);
        if self.is_log.is_none() {
            self.cells.begin(is_log);
        }
        if *self.is_log.get_or_insert(is_log) != is_log {
            return None;
        }
        let mut cells = self.cells.begin_record();
        let mut seen = Seen::default();
        each_field(bytes, |number, value| match is_log {
            true => self.of_log((number, value), &mut seen, &mut cells),
            false => self.of_span((number, value), &mut seen, &mut cells),
        })?;
        self.cells.end_record(cells);
        Some(())
    }

    fn of_span(
        &self,
        (number, value): (u32, Wire<'t>),
        seen: &mut Seen,
        cells: &mut [Cell<'t>],
    ) -> Option<()> {
        let (field, value) = match number {
            1 => (SpanField::TraceId, bytes(value)?),
            2 => (SpanField::Id, bytes(value)?),
            4 => (SpanField::ParentId, bytes(value)?),
            5 => (SpanField::Name, Cell::of_text(value.text()?.into())),
            6 => (SpanField::Kind, Cell::of_text(kind(value.int32()?).into())),
            7 => (SpanField::Start, self.time(value, SpanField::Start.into())?),
            8 => (SpanField::End, self.time(value, SpanField::End.into())?),
            9 => return self.attribute(value.bytes()?, cells, OtlpField::attribute),
            // Where attributes were dropped, the full reader says which are unknown.
            10 => return value.varint().filter(|dropped| *dropped == 0).map(drop),
            15 => {
                seen.first(15)?;
                return self.status(value.bytes()?, cells);
            }
            _ => return Some(()),
        };
        seen.first(number)?;
        self.cells.set_field(cells, &field.into(), &value);
        Some(())
    }

    fn status(&self, bytes: &'t [u8], cells: &mut [Cell<'t>]) -> Option<()> {
        let mut seen = Seen::default();
        each_field(bytes, |number, value| {
            let (field, text) = match number {
                2 => (SpanField::StatusMessage, value.text()?),
                3 => (SpanField::StatusCode, SpanField::status(value.int32()?)),
                _ => return Some(()),
            };
            seen.first(number)?;
            self.cells.set_field(cells, &field.into(), &Cell::of_text(text.into()));
            Some(())
        })
    }

    fn of_log(
        &self,
        (number, value): (u32, Wire<'t>),
        seen: &mut Seen,
        cells: &mut [Cell<'t>],
    ) -> Option<()> {
        let (field, value) = match number {
            1 => (LogField::Time, self.time(value, LogField::Time.into())?),
            2 => (LogField::SeverityNumber, number_cell(value.int32()?.into())),
            3 => (LogField::Severity, Cell::of_text(value.text()?.into())),
            5 => {
                let is_asked = self.cells.asks_for(&LogField::Body.into());
                (LogField::Body, value_cell(value.bytes()?, is_asked, MOST_NESTED)?)
            }
            6 => return self.attribute(value.bytes()?, cells, OtlpField::attribute),
            7 => return value.varint().filter(|dropped| *dropped == 0).map(drop),
            9 => (LogField::TraceId, bytes(value)?),
            10 => (LogField::SpanId, bytes(value)?),
            11 => (LogField::ObservedTime, self.time(value, LogField::ObservedTime.into())?),
            12 => (LogField::EventName, Cell::of_text(value.text()?.into())),
            _ => return Some(()),
        };
        seen.first(number)?;
        self.cells.set_field(cells, &field.into(), &value);
        Some(())
    }

    /// A time, as text if it is asked for.
    fn time(&self, value: Wire<'t>, field: OtlpField) -> Option<Cell<'t>> {
        let time = value.fixed64()?;
        Some(if self.cells.asks_for(&field) { number_cell(time.into()) } else { Cell::Empty })
    }

    /// Takes an attribute if it is asked for; `key_of` gives the key that a field asks for here.
    fn attribute(
        &self,
        bytes: &'t [u8],
        cells: &mut [Cell<'t>],
        key_of: impl Fn(&OtlpField) -> Option<&String>,
    ) -> Option<()> {
        let (key, value) = key_value(bytes)?;
        let is_it = |field: &OtlpField| key_of(field).is_some_and(|it| it == key);
        let is_asked = self.cells.asked.0.iter().any(|(_, field)| is_it(field));
        let cell =
            value.map_or(Some(Cell::Empty), |value| value_cell(value, is_asked, MOST_NESTED))?;
        if is_asked {
            self.cells.set_attribute(cells, key_of, (key.as_bytes(), &cell))?;
        }
        Some(())
    }
}

/// Whether a text can be a name or an address: messages in place of one have control characters.
pub(super) fn is_name(text: &str) -> bool {
    !text.contains(|char: char| char.is_control())
}

/// The description of a scope. Nothing in it is read.
fn library(bytes: &[u8]) -> Option<()> {
    each_field(bytes, |number, value| match number {
        1 | 2 => value.text().filter(|text| is_name(text)).map(drop),
        3 => {
            let value = key_value(value.bytes()?)?.1;
            value.map_or(Some(()), |value| value_cell(value, false, MOST_NESTED).map(drop))
        }
        4 => value.varint().map(drop),
        _ => None,
    })
}

/// The key of an attribute, and its value, which is not read.
fn key_value(bytes: &[u8]) -> Option<(&str, Option<&[u8]>)> {
    let (mut seen, mut key, mut found) = (Seen::default(), "", None);
    each_field(bytes, |number, value| {
        match number {
            1 => key = value.text()?,
            2 => found = Some(value.bytes()?),
            _ => return Some(()),
        }
        seen.first(number)
    })?;
    Some((key, found))
}

fn bytes(value: Wire<'_>) -> Option<Cell<'_>> {
    let bytes = value.bytes()?;
    Some(if bytes.is_empty() { Cell::Empty } else { Cell::Hex(bytes) })
}

/// A zero means that there is no value.
fn number_cell<'t>(number: i128) -> Cell<'t> {
    if number == 0 { Cell::Empty } else { Cell::Text(number.to_string().into()) }
}

/// A value of an attribute, which is checked, and a text if it is asked for. Values without a text of their own are left to the full
/// reader if it is asked for.
fn value_cell(bytes: &[u8], is_asked: bool, depth: u32) -> Option<Cell<'_>> {
    let (mut has_one, mut cell) = (false, Cell::Empty);
    each_field(bytes, |number, value| {
        if !(1..=7).contains(&number) {
            return Some(());
        }
        // A second value takes the place of the first, or is joined with it.
        if std::mem::replace(&mut has_one, true) {
            return None;
        }
        match number {
            1 => cell = Cell::Text(value.text()?.into()),
            2 => cell = Cell::Text(if value.varint()? == 0 { "false" } else { "true" }.into()),
            3 => {
                let number = value.varint()? as i64;
                let text = if is_asked { number.to_string().into() } else { Cow::Borrowed("") };
                cell = Cell::Text(text);
            }
            4 if !is_asked => drop(value.fixed64()?),
            5 | 6 if !is_asked => values(value.bytes()?, number == 6, depth.checked_sub(1)?)?,
            7 if !is_asked => drop(value.bytes()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(cell)
}

/// The values of a list or a table, which nobody asks for.
fn values(bytes: &[u8], is_table: bool, depth: u32) -> Option<()> {
    each_field(bytes, |number, value| {
        if number != 1 {
            return Some(());
        }
        let value = match is_table {
            true => key_value(value.bytes()?)?.1,
            false => Some(value.bytes()?),
        };
        value.map_or(Some(()), |value| value_cell(value, false, depth).map(drop))
    })
}

#[cfg(test)]
mod tests {
    use super::super::cells::testing::{ASKED, Records, asked, records};
    use super::super::proto::read;
    use super::*;
    use proptest::prelude::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len() % 128).expect("below 128");
        let more = u8::try_from(bytes.len() / 128).expect("short");
        let length = if more == 0 { vec![length] } else { vec![length | 0x80, more] };
        [&[number << 3 | 2], &length[..], bytes].concat()
    }

    fn time(number: u8, time: u64) -> Vec<u8> {
        [&[number << 3 | 1], &time.to_le_bytes()[..]].concat()
    }

    fn pair(key: &str, value: &[u8]) -> Vec<u8> {
        [field(1, key.as_bytes()), field(2, value)].concat()
    }

    fn request(records: &[Vec<u8>]) -> Vec<u8> {
        let resource = field(1, &field(1, &pair("service.name", &field(1, b"front"))));
        let records: Vec<u8> = records.iter().flat_map(|it| field(2, it)).collect();
        let scope = field(2, &[field(1, &field(1, b"scope")), records].concat());
        // The second resource stands behind its records, which a request need not have.
        [field(1, &[resource, scope].concat()), field(1, &field(1, &[]))].concat()
    }

    fn spans() -> Vec<u8> {
        let list = field(
            5,
            &[field(1, &[2 << 3, 1]), field(1, &field(6, &field(1, &pair("e", &[]))))].concat(),
        );
        let span = [
            field(1, &[10, 11]),
            field(2, &[1]),
            field(5, b"GET /a"),
            vec![6 << 3, 3],
            time(7, 17),
            time(8, 18),
            field(9, &pair("a", &[3 << 3, 0x85, 1])),
            field(9, &pair("b.c", &field(1, "ü".as_bytes()))),
            field(9, &pair("d", &list)),
            field(9, &pair("n", &time(4, 1.5_f64.to_bits()))),
            field(15, &[field(2, b"no"), vec![3 << 3, 2]].concat()),
        ];
        let silent =
            [field(1, &[]), field(9, &pair("a", &[])), field(9, &pair("b.c", &[2 << 3, 1]))];
        request(&[span.concat(), silent.concat()])
    }

    fn logs() -> Vec<u8> {
        let log = [
            time(1, 0),
            vec![2 << 3, 9],
            field(3, b"INFO"),
            field(5, &field(1, b"a \"b\"")),
            field(6, &pair("a", &field(7, &[1, 2]))),
            field(9, &[0xff]),
            time(11, 9),
            field(12, b"e"),
        ];
        request(&[log.concat(), field(5, &field(1, b""))])
    }

    /// The records of the quick reader, and those of the full one.
    fn both(names: &[&str], bytes: &[u8]) -> (Option<Records>, Option<Records>) {
        let ((asked, count), place) = (asked(names), RecordPlace::row(1));
        let mut is_read = false;
        let quick =
            records(count, |each| is_read = each_record(&asked, bytes, place, each).is_some());
        assert!(is_read || quick.is_empty());
        let full = read(bytes).ok();
        let full = full.map(|it| {
            records(count, |each| {
                asked.each_record("log", (&it, place), each);
            })
        });
        (is_read.then_some(quick), full)
    }

    #[test]
    fn the_usual_form_is_read_in_place_and_alike() {
        for (bytes, has_list) in [(spans(), true), (logs(), false)] {
            let without_bytes: Vec<&str> =
                ASKED.into_iter().filter(|it| has_list || *it != "attributes.a").collect();
            let (quick, full) = both(&without_bytes, &bytes);
            assert!(quick.as_ref().is_some_and(|it| it.len() == 2), "{bytes:?}");
            assert_eq!(quick, full);
            // A list and bytes that are asked for are left to the full reader.
            let (quick, full) = both(&["attributes.d", "attributes.a"], &bytes);
            assert!(quick.is_none() && full.is_some());
        }
    }

    #[test]
    fn other_forms_are_left_to_the_full_reader() {
        let (span, log) = (field(1, &[1]), time(1, 5));
        let pairs = [field(9, &pair("a", &[])), field(9, &pair("a", &[2 << 3, 1]))].concat();
        let pairs = [&span[..], &pairs].concat();
        for records in [[span.clone(), log], [span.clone(), pairs]] {
            let (quick, full) = both(&ASKED, &request(&records));
            assert!(quick.is_none() && full.is_some());
        }
        let twice = [&span[..], &span].concat();
        let two_values = field(2, &[field(1, b"x"), vec![2 << 3, 1]].concat());
        let two_keys = [field(1, b"a"), field(1, b"b")].concat();
        let status = [span.clone(), field(15, &[3 << 3, 1, 3 << 3, 2])].concat();
        let with = |inside: &[u8]| [&span[..], &field(9, inside)].concat();
        let inner = field(2, &field(5, &field(1, &field(6, &field(1, &two_keys)))));
        for wrong in [twice, status, with(&two_values), with(&two_keys), with(&inner)] {
            let bytes = request(&[wrong]);
            let error = read(&bytes).expect_err("a field stands twice");
            assert!(error.0.ends_with("stands twice"), "{}", error.0);
            assert!(both(&ASKED, &bytes).0.is_none());
        }
        let nested = (0..100).fold(Vec::new(), |value, _| field(5, &field(1, &value)));
        let deep = request(&[[field(1, &[1]), field(9, &pair("d", &nested))].concat()]);
        assert!(both(&ASKED, &deep).0.is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Whatever is read in place, the full reader reads alike.
        #[test]
        fn mutated_requests_are_read_alike(
            is_log in any::<bool>(),
            edits in proptest::collection::vec((any::<usize>(), 0..4_u8, any::<u8>()), 1..4),
        ) {
            let mut bytes = if is_log { logs() } else { spans() };
            for (at, kind, byte) in edits {
                let at = at % bytes.len().max(1);
                match kind {
                    0 if at < bytes.len() => drop(bytes.remove(at)),
                    1 => bytes.insert(at, byte),
                    2 if at < bytes.len() => bytes[at] = byte,
                    // A small change keeps lengths and numbers of fields likely.
                    _ if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(byte % 5),
                    _ => {}
                }
            }
            let (quick, full) = both(&ASKED, &bytes);
            if quick.is_some() {
                prop_assert_eq!(quick, full, "{:?}", bytes);
            }
        }
    }
}
