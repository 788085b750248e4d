//! The places of events in lines of sessions: where they were read before the session was written as a line, and their
//! order.

use super::remarks::LineRemarks;
use crate::json_cursor::JsonCursor;
use crate::place::{EventOrder, Place, Places};
use crate::source::quote;
use memchr::{memchr_iter, memchr2};
use multitrace_interaction::{Alphabet, Id, Session, names};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The places of the events of a line, looked into when somebody asks: most sessions pass.
#[derive(Debug)]
pub struct LinePlaces<'a> {
    remarks: LineRemarks<'a>,
    session: Option<Place>,
    alphabet: &'a Alphabet,
    /// The locations that the alphabet does not know, which come after the others.
    foreign: Vec<String>,
    read: OnceCell<PerEvent<EventPlace>>,
    orders: OnceCell<PerEvent<EventOrder>>,
    machines: OnceCell<HashMap<String, String>>,
}

/// Something of each event, by location.
type PerEvent<T> = HashMap<usize, Vec<Option<T>>>;

/// Where one event was read.
#[derive(Debug)]
struct EventPlace {
    place: Place,
    is_line: bool,
}

/// Between a file and the number of a line, or of a record that is not a line.
const MARKS: [(char, bool); 2] = [(':', true), ('#', false)];

impl EventPlace {
    /// As a line has it.
    fn text(&self) -> String {
        let Place { file, line, record } = &self.place;
        let marks = MARKS.into_iter().find(|(_, is_line)| *is_line == self.is_line);
        match (marks, line, record) {
            (Some((mark, _)), Some(line), None) => format!("{file}{mark}{line}"),
            (Some((mark, _)), Some(line), Some(record)) => format!("{file}{mark}{line},{record}"),
            _ => file.to_string(),
        }
    }

    fn parse(text: &str) -> EventPlace {
        let parts = text.rfind([MARKS[0].0, MARKS[1].0]).map(|at| text.split_at(at));
        let numbered = parts.and_then(|(file, rest)| {
            let mut rest = rest.chars();
            let mark = rest.next()?;
            let (_, is_line) = MARKS.into_iter().find(|(it, _)| *it == mark)?;
            let (line, record) = match rest.as_str().split_once(',') {
                Some((line, record)) => (line, Some(record.parse().ok()?)),
                None => (rest.as_str(), None),
            };
            let line = Some(line.parse().ok()?);
            Some(EventPlace { place: Place { file: file.into(), line, record }, is_line })
        });
        numbered.unwrap_or_else(|| EventPlace { place: Place::new(text, None), is_line: false })
    }
}

impl<'a> LinePlaces<'a> {
    /// The places of events that the line of a session names; `line` is the place of that line.
    pub fn new(
        remarks: LineRemarks<'a>,
        line: Option<Place>,
        session: &Session,
        alphabet: &'a Alphabet,
    ) -> LinePlaces<'a> {
        let foreign = session.foreign.iter().map(|it| it.location.clone()).collect();
        let (read, orders, machines) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        LinePlaces { remarks, session: line, alphabet, foreign, read, orders, machines }
    }

    /// A field that is not of the form is ignored: any field may stand in a line.
    fn read<T>(&self, text: Option<&str>, parse: impl Fn(&str) -> Option<T>) -> PerEvent<T> {
        let logs = text.and_then(|text| serde_json::from_str(text).ok());
        let logs: HashMap<String, Vec<Option<String>>> = logs.unwrap_or_default();
        let parse = |it: Option<String>| it.and_then(|text| parse(&text));
        let logs = logs.into_iter().filter_map(|(key, texts)| {
            let parsed: Vec<Option<T>> = texts.into_iter().map(parse).collect();
            Some((self.location(&key)?, parsed))
        });
        logs.collect()
    }

    /// The first list of places or of orders that is not as long as its log, in words.
    pub fn wrong_length(&self, session: &Session) -> Option<String> {
        let fields = [("places", self.remarks.places), ("order", self.remarks.order)];
        fields.into_iter().find_map(|(field, text)| {
            let lengths = lengths(text?).unwrap_or_default();
            lengths.into_iter().find_map(|(log, length)| {
                let events = self.events(session, log)?;
                (length != events).then(|| {
                    format!(
                        "`{field}` has {length} at {}, whose log has {events}: an event was lost or added; write the \
                         session again, or leave `{field}` out",
                        quote(log)
                    )
                })
            })
        })
    }

    /// How many events the log has that a key stands for. Logs of unknown locations that the
    /// specification takes for one have none of their own.
    fn events(&self, session: &Session, key: &str) -> Option<usize> {
        let location = self.location(key)?;
        if self.alphabet.others().is_some_and(|others| others.index() == location) {
            return None;
        }
        let foreign = || session.foreign.get(location - session.trace.len());
        let known = session.trace.get(location).map(Vec::len);
        known.or_else(|| Some(foreign()?.events.len()))
    }

    /// The location that a key stands for.
    fn location(&self, key: &str) -> Option<usize> {
        let mut lifelines = names::split(key, ',').map(|it| names::name_of(it.trim()));
        let of_lifeline = |name: &str| self.alphabet.location_of_lifeline(name);
        let known = self.alphabet.location(key);
        let known = known.or_else(|| lifelines.find_map(|it| of_lifeline(&it)));
        match known {
            Some(location) => Some(location.index()),
            None => {
                let foreign = self.foreign.iter().position(|it| it == key)?;
                Some(self.alphabet.locations().len() + foreign)
            }
        }
    }

    fn at(&self, location: usize, index: usize) -> Option<&EventPlace> {
        let read = || self.read(self.remarks.places, |text| Some(EventPlace::parse(text)));
        self.read.get_or_init(read).get(&location)?.get(index)?.as_ref()
    }
}

/// How many elements the list has that comes next.
fn list_length(cursor: &mut JsonCursor<'_>) -> Option<usize> {
    let mut behind = *cursor;
    let mut list = cursor.open(b'[')?;
    behind.expect(b'[')?;
    // Places are texts without commas nearly always: then counts of bytes tell, which is faster.
    let text = behind.until_outside_strings(b']')?;
    let count = |byte| memchr_iter(byte, text).count();
    if count(b'"') == 2 * (count(b',') + 1) && memchr2(b'\\', b'[', text).is_none() {
        *cursor = behind;
        return Some(count(b',') + 1);
    }
    let mut length = 0;
    while cursor.has_next(&mut list)? {
        cursor.skip_value()?;
        length += 1;
    }
    Some(length)
}

/// How long the lists in an object are, by key; `None` for anything else, and keys with escapes.
fn lengths(text: &str) -> Option<Vec<(&str, usize)>> {
    let (mut cursor, mut all) = (JsonCursor::new(text.as_bytes()), Vec::new());
    let mut logs = cursor.open(b'{')?;
    while cursor.has_next(&mut logs)? {
        let key = std::str::from_utf8(cursor.key()?).ok()?;
        let length = list_length(&mut cursor)?;
        all.push((key, length));
    }
    Some(all)
}

/// The fields of the line of a session that say where its events were read: names, and JSON.
pub fn event_fields(
    session: &Session,
    alphabet: &Alphabet,
    places: &dyn Places,
) -> Vec<(&'static str, String)> {
    let known = alphabet.locations().zip(&session.trace);
    let known = known.map(|(it, trace)| (alphabet.location_name(it), trace.len()));
    let foreign = session.foreign.iter().map(|it| (it.location.as_str(), it.events.len()));
    let logs: Vec<_> = known.chain(foreign).collect();
    let place = |location, index| {
        let place = places.event(location, index)?;
        let is_line = places.is_line(location, index);
        Some(EventPlace { place, is_line }.text())
    };
    let order = |location, index| places.order(location, index).map(order_text);
    let lifelines = logs.iter().flat_map(|(name, _)| names::split(name, ',').map(names::name_of));
    let machine = |name: Cow<'_, str>| Some((name.to_string(), places.machine(&name)?.into()));
    let fields = [
        ("places", per_event(&logs, place)),
        ("order", per_event(&logs, order)),
        ("machines", lifelines.filter_map(machine).collect()),
    ];
    let fields = fields.into_iter().filter(|(_, fields)| !fields.is_empty());
    fields.map(|(name, fields)| (name, Value::Object(fields).to_string())).collect()
}

/// A list of texts for each log that has some.
fn per_event(
    logs: &[(&str, usize)],
    text: impl Fn(usize, usize) -> Option<String>,
) -> Map<String, Value> {
    let log = |(location, (name, events)): (usize, &(&str, usize))| {
        let texts: Vec<Option<String>> = (0..*events).map(|index| text(location, index)).collect();
        let has_text = texts.iter().any(Option::is_some);
        has_text.then(|| ((*name).to_owned(), Value::from(texts)))
    };
    logs.iter().enumerate().filter_map(log).collect()
}

/// How many units of an order are one.
const ONE: u128 = 10_u128.pow(18);

/// A number as it is, a time in seconds since 1970 behind this mark.
const TIME: char = '@';

fn order_text(order: EventOrder) -> String {
    let mark = if order.is_time { String::from(TIME) } else { String::new() };
    let sign = if order.value < 0 { "-" } else { "" };
    let (whole, part) = (order.value.unsigned_abs() / ONE, order.value.unsigned_abs() % ONE);
    let text = format!("{mark}{sign}{whole}.{part:018}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn parse_order(text: &str) -> Option<EventOrder> {
    let number = text.strip_prefix(TIME);
    let is_time = number.is_some();
    let number = number.unwrap_or(text);
    let digits = number.strip_prefix('-');
    let (whole, part) =
        digits.unwrap_or(number).split_once('.').unwrap_or((digits.unwrap_or(number), ""));
    let is_number = !whole.is_empty() && part.len() <= 18;
    let digits_of = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    if !(is_number && digits_of(whole) && digits_of(part)) {
        return None;
    }
    let value: i128 = format!("{whole}{part:0<18}").parse().ok()?;
    Some(EventOrder { is_time, value: if digits.is_some() { -value } else { value } })
}

impl Places for LinePlaces<'_> {
    fn session(&self) -> Option<Place> {
        self.session.clone()
    }

    fn event(&self, location: usize, index: usize) -> Option<Place> {
        self.at(location, index).map(|it| it.place.clone())
    }

    fn is_line(&self, location: usize, index: usize) -> bool {
        self.at(location, index).is_some_and(|it| it.is_line)
    }

    fn order(&self, location: usize, index: usize) -> Option<EventOrder> {
        let orders = self.orders.get_or_init(|| self.read(self.remarks.order, parse_order));
        *orders.get(&location)?.get(index)?
    }

    fn machine(&self, lifeline: &str) -> Option<&str> {
        let read = || self.remarks.machines.and_then(|text| serde_json::from_str(text).ok());
        let machines = self.machines.get_or_init(|| read().unwrap_or_default());
        machines.get(lifeline).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        for text in [
            "a.log:7",
            "C:\\logs\\a#b.log:7",
            "t.parquet#12",
            "a.json:1,3",
            "a.pb#2,3",
            "a.log",
            "a:b",
            "a#b",
            "a:1,b",
        ] {
            assert_eq!(EventPlace::parse(text).text(), text);
        }
        assert_eq!(EventPlace::parse("a.json:1,3").place.to_string(), "a.json:1, record 3");
        assert!(EventPlace::parse("a.log:7").is_line);
        assert!(!EventPlace::parse("a.log#7").is_line);
    }

    #[test]
    fn lists_are_counted() {
        for (list, length) in [
            ("[]", Some(0)),
            ("[ ]", Some(0)),
            (r#"["a:1"]"#, Some(1)),
            (r#"["a:1", "b]:2"]"#, Some(2)),
            (r#"["a.json:1,3", "b"]"#, Some(2)),
            (r#"["a,b",null]"#, Some(2)),
            (r#"[null,"a","b"]"#, Some(3)),
            (r#"["a\"",",\""]"#, Some(2)),
            (r#"[1,[2,3],{"a":[4]}]"#, Some(3)),
            (r#"["a""#, None),
            ("7", None),
        ] {
            let object = format!(r#"{{"l":{list},"m":[]}}"#);
            let lengths = lengths(&object);
            assert_eq!(lengths, length.map(|it| vec![("l", it), ("m", 0)]), "{list}");
        }
    }

    #[test]
    fn orders_are_read_as_they_are_written() {
        let values = [
            0,
            1,
            -1,
            ONE as i128,
            -(ONE as i128) - 5,
            i128::MAX,
            -i128::MAX,
            25 * 10_i128.pow(17),
        ];
        for value in values {
            for is_time in [false, true] {
                let order = EventOrder { is_time, value };
                assert_eq!(parse_order(&order_text(order)), Some(order));
            }
        }
        assert_eq!(order_text(EventOrder { is_time: true, value: 25 * 10_i128.pow(17) }), "@2.5");
        for text in ["", "@", "-", ".5", "1e3", "+1", "--1", "1.0000000000000000001", "٣"] {
            assert!(parse_order(text).is_none(), "{text}");
        }
    }
}
