//! Reading the usual form of a line without copying: `{"session":"s1","traces":{…}}`, names as the
//! alphabet has them, nothing escaped in the fields that are read. Other fields may stand anywhere; they are
//! skipped. The full parser reads every other line, and makes the errors. It reads these lines with
//! the same result.

use super::names::NameTable;
use super::remarks::{LineRemarks, meant_field};
use crate::json_cursor::JsonCursor;
use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Session, names};
use std::borrow::Cow;

/// Reads lines of the usual form against one alphabet.
///
/// ```
/// use multitrace_formats::sessions::QuickReader;
/// use multitrace_interaction::{Alphabet, Session};
/// let mut alphabet = Alphabet::default();
/// let l1 = alphabet.add_location("l1").expect("a new name");
/// let hello = alphabet.add_letter("l1!hello", l1).expect("a new name");
/// let reader = QuickReader::new(&alphabet);
/// let mut session = Session::default();
/// let line = r#"{"session":"s1","traces":{"l1":["l1!hello"]}}"#;
/// assert!(reader.read(line.as_bytes(), &mut session));
/// assert_eq!((session.id.as_str(), session.trace), ("s1", vec![vec![hello]]));
/// ```
#[derive(Debug)]
pub struct QuickReader {
    locations: NameTable,
    letters: NameTable,
    /// Per letter, its location.
    location_of: Vec<LocationId>,
}

/// The parts of a line of the usual form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineParts<'a> {
    /// The id of the session.
    pub id: &'a str,
    /// The text between the outer braces of the traces.
    pub traces: &'a [u8],
    /// Its other fields.
    pub remarks: LineRemarks<'a>,
}

impl QuickReader {
    /// For sessions over an alphabet.
    pub fn new(alphabet: &Alphabet) -> QuickReader {
        let locations = alphabet.locations().map(|location| alphabet.location_name(location));
        let letters = alphabet.letters().map(|letter| alphabet.letter_name(letter));
        let table = |names: Vec<Cow<'_, str>>| NameTable::new(names.iter().map(|name| &**name));
        QuickReader {
            locations: table(locations.map(written).collect()),
            letters: table(letters.map(written).collect()),
            location_of: alphabet.letters().map(|letter| alphabet.location_of(letter)).collect(),
        }
    }

    /// Reads a line into a session; false, with the session in any state, when the line is not of
    /// the usual form, or an event is not in the alphabet.
    pub fn read(&self, line: &[u8], session: &mut Session) -> bool {
        let Some(LineParts { id, traces, .. }) = split(line) else { return false };
        session.id.clear();
        session.id.push_str(id);
        self.read_traces(traces, session)
    }

    /// Reads the traces of a line, as [`split`] finds them, into a session, leaving its id as it is.
    pub fn read_traces(&self, traces: &[u8], session: &mut Session) -> bool {
        session.trace.resize(self.locations.len(), Vec::new());
        session.trace.iter_mut().for_each(Vec::clear);
        session.unknown.clear();
        session.foreign.clear();
        self.fill(traces, session).is_some()
    }

    fn fill(&self, traces: &[u8], session: &mut Session) -> Option<()> {
        let mut cursor = JsonCursor::new(traces);
        if cursor.end().is_some() {
            return Some(());
        }
        // One bit per location; with more than 64, the others may not be left out.
        let mut seen = 0u64;
        loop {
            let location = place_of_name(&self.locations, &mut cursor)?;
            let bit = 1u64.checked_shl(location as u32)?;
            if seen & bit != 0 {
                return None;
            }
            seen |= bit;
            cursor.expect(b':')?;
            let location = LocationId::new(location);
            self.events(&mut cursor, location, &mut session.trace[location.index()])?;
            if !cursor.eat(b',') {
                return cursor.end();
            }
        }
    }

    fn events(
        &self,
        cursor: &mut JsonCursor<'_>,
        location: LocationId,
        trace: &mut Vec<LetterId>,
    ) -> Option<()> {
        let mut events = cursor.open(b'[')?;
        while cursor.has_next(&mut events)? {
            let letter = place_of_name(&self.letters, cursor)?;
            if self.location_of[letter] != location {
                return None;
            }
            trace.push(LetterId::new(letter));
        }
        Some(())
    }
}

/// The place of the name that comes next.
#[inline]
fn place_of_name(names: &NameTable, cursor: &mut JsonCursor<'_>) -> Option<usize> {
    match cursor.short_string() {
        Some(name) => names.find_short(name),
        None => place_of_long_name(names, cursor),
    }
}

/// Apart, so that the code for most names is short.
#[inline(never)]
fn place_of_long_name(names: &NameTable, cursor: &mut JsonCursor<'_>) -> Option<usize> {
    names.find(cursor.string()?)
}

/// A name as a line has it. Control characters have to be escaped, and escaped names are left to the full parser.
fn written(name: &str) -> Cow<'_, str> {
    let is_escaped = name.bytes().any(|byte| byte < 0x20);
    if is_escaped { Cow::Owned(names::quoted(name)) } else { Cow::Borrowed(name) }
}

/// Splits a line of the usual form; `None` for any other. Fields that no session has are checked and
/// skipped. The traces are not looked into.
pub fn split(line: &[u8]) -> Option<LineParts<'_>> {
    let mut cursor = JsonCursor::new(line);
    let (mut id, mut traces) = (None, None);
    let mut remarks = LineRemarks::default();
    let mut fields = cursor.open(b'{')?;
    while cursor.has_next(&mut fields)? {
        let key = cursor.key()?;
        match key {
            b"session" if id.is_none() => id = Some(cursor.text()?),
            b"traces" if traces.is_none() => traces = Some(traces_text(&mut cursor)?),
            // The full parser says which fields stand twice, and reads `htf`.
            b"session" | b"traces" | b"htf" => return None,
            _ => match remarks.field(key) {
                Some(field @ None) => *field = Some(value_text(&mut cursor)?),
                None if meant_field(key).is_none() && std::str::from_utf8(key).is_ok() => {
                    cursor.skip_value()?;
                }
                _ => return None,
            },
        }
    }
    cursor.end()?;
    Some(LineParts { id: id?, traces: traces?, remarks })
}

/// A value as it is written.
fn value_text<'a>(cursor: &mut JsonCursor<'a>) -> Option<&'a str> {
    std::str::from_utf8(cursor.value()?).ok()
}

/// The text between the braces of the traces.
//
// It ends at the first closing brace outside of strings. Escaped quotes may end it too early or too late; then
// `QuickReader::read_traces` does not read it.
fn traces_text<'a>(cursor: &mut JsonCursor<'a>) -> Option<&'a [u8]> {
    cursor.expect(b'{')?;
    cursor.until_outside_strings(b'}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::parse_line_with_remarks;

    fn alphabet() -> Alphabet {
        let mut alphabet = Alphabet::default();
        for (location, letters) in [
            ("a", &["a!x", "a?y", "a!GET /{id}", "a!a_long_message_name"][..]),
            ("b,c", &["b!x", "c?ü"]),
        ] {
            let id = alphabet.add_location(location).expect("a new name");
            for letter in letters {
                alphabet.add_letter(letter, id).expect("a new name");
            }
            for lifeline in location.split(',') {
                alphabet.add_lifeline(lifeline, id);
            }
        }
        alphabet
    }

    fn read(line: &str) -> Option<Session> {
        let alphabet = alphabet();
        let mut session = Session::default();
        let quick = QuickReader::new(&alphabet).read(line.as_bytes(), &mut session);
        let full = parse_line_with_remarks("f", 1, line, &alphabet);
        if quick {
            let remarks = split(line.as_bytes()).expect("the usual form").remarks;
            assert_eq!(full.as_ref().ok(), Some(&(session.clone(), remarks)), "{line}");
        }
        quick.then_some(session)
    }

    #[test]
    fn the_usual_form_is_read() {
        for line in [
            r#"{"session":"s","traces":{}}"#,
            r#"{"session":"","traces":{"a":[]}}"#,
            r#" { "session" : "ü 1" , "traces" : { "b,c" : [ "b!x" , "c?ü" ] , "a":["a!x","a?y"] } } "#,
            r#"{"session":"s","traces":{"a":["a!a_long_message_name","a!x","a!x"],"b,c":[]}}"#,
            r#"{"session":"s","traces":{"a":["a!GET /{id}","a?y"]},"at":"{id}"}"#,
            r#"{"traces":{},"session":"s"}"#,
            r#"{"session":"s","traces":{"a":["a!x"]},"expect":"pass"}"#,
            r#"{"gaps":"ends","session":"s","traces":{"a":["a!x"]},"places": {"a":["f:1"]}, "order": 1 }"#,
            r#"{"made":{"of":[1,{"traces":{}}]},"session":"s","x":"\"}","traces":{"a":["a!x"]}}"#,
            r#"{ "n" : -1.5e3 , "session" : "s" , "n" : null , "traces" : { } , "" : "ü" } "#,
        ] {
            assert!(read(line).is_some(), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_full_parser() {
        for line in [
            r#"{"session":"s","traces":{},"expect":pass}"#,
            r#"{"session":"s","traces":{},"expect":"pass",}"#,
            r#"{"session":"s","traces":{},"htf":"{}"}"#,
            r#"{"session":"s","traces":{},"session":"s"}"#,
            r#"{"session":"s","traces":{},"gaps":"ends","gaps":"ends"}"#,
            r#"{"session":"s","traces":{},"places":{},"places":{}}"#,
            r#"{"session":"s","traces":{},"order":{},"order":{}}"#,
            r#"{"session":"s","traces":{},"\u0068tf":"{}"}"#,
            r#"{"session":"s","traces":{"a":["a!x}","a!x"]}}"#,
            r#"{"session":"s","traces":{},"Gaps":"events"}"#,
            r#"{"traces":{}}"#,
            r#"{"session":"s"}"#,
            r#"{"session":1,"traces":{}}"#,
            r#"{"session":"a\"b","traces":{}}"#,
            "{\"session\":\"a\tb\",\"traces\":{}}",
            r#"{"session":"s","traces":{"a":["b!x"]}}"#,
            r#"{"session":"s","traces":{"a":["a!z"]}}"#,
            r#"{"session":"s","traces":{"a":[],"a":[]}}"#,
            r#"{"session":"s","traces":{"b":["b!x"]}}"#,
            r#"{"session":"s","traces":{"a":["a!x",]}}"#,
            r#"{"session":"s","traces":{"a":["a!x"],}}"#,
            r#"{"session":"s","traces":{"a":[]}"#,
            r#"{"session":"s","traces":{"a":[]}}}"#,
            r#"{"session":"s","traces":{"a":[]}} x"#,
            r#"{"session":"s","htf":"{}"}"#,
            "",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(2_000))]

        /// Lines of pieces of lines: the session is that of the full parser.
        #[test]
        fn agrees_with_the_full_parser(pieces in proptest::collection::vec(0usize..17, 0..14)) {
            const PIECES: [&str; 17] = [
                r#","a!GET /{id}""#,
                "{", "}", "[", "]", ",", ":", r#""a""#, r#""a!x""#, r#""b,c":["#, r#""a":["a!x""#,
                r#","a?y""#, "]", "}}", r#"{"session":"s","traces":{"#, " ", r#""c?ü""#,
            ];
            let tail: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
            read(&tail);
            read(&format!(r#"{{"session":"s","traces":{{{tail}"#));
            read(&format!(r#"{{"session":"s","traces":{{"a":["a!x"{tail}"#));
        }

        /// The same with fields that no session has, whole or broken.
        #[test]
        fn agrees_on_lines_with_other_fields(pieces in proptest::collection::vec(0usize..23, 0..8)) {
            const PIECES: [&str; 23] = [
                r#""order":[]"#,
                r#""gaps":"ends""#, r#""places":{"a":["f:1"]}"#,
                r#""session":"s""#, r#""session":"t""#, r#""traces":{"a":["a!x"]}"#, r#""traces":{}"#,
                r#""traces":{"a":["}"]}"#, r#""htf":"{}""#, r#""made":{"of":["a!x",-1.5,{"x":null}]}"#,
                r#""made":"a \"}\u00e9""#, r#""ses\u0073ion":"u""#, r#""":[[],{}]"#, r#""made":01"#,
                r#""made":"#, "{", "}", "[", "]", "\"", ",", " ", r#""x":"a!x"]},"traces":{"a":["b""#,
            ];
            let named: Vec<&str> = pieces.iter().map(|&piece| PIECES[piece]).collect();
            read(&format!("{{{}}}", named.join(",")));
            read(&format!("{{{}", named.concat()));
            let line = |parts: String| format!(r#"{{"session":"s",{parts}"traces":{{"a":["a!x"]}}}}"#);
            read(&line(named.iter().map(|part| format!("{part},")).collect()));
        }
    }
}
