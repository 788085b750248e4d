//! Reading the usual form of a line without copying: `{"session":"s1","traces":{…}}` in this order,
//! names as the alphabet has them, nothing escaped. The full parser reads every other line,
//! and makes the errors. It reads these lines with the same result.

use super::names::NameTable;
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
    /// What the session is called.
    pub id: &'a str,
    /// The text between the outer braces of the traces and the end of the line.
    pub traces: &'a [u8],
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
        let Some(LineParts { id, traces }) = split(line) else { return false };
        session.id.clear();
        session.id.push_str(id);
        self.read_traces(traces, session)
    }

    /// Reads what [`split`] calls the traces of a line into a session, leaving its id as it is.
    pub fn read_traces(&self, traces: &[u8], session: &mut Session) -> bool {
        session.trace.resize(self.locations.len(), Vec::new());
        session.trace.iter_mut().for_each(Vec::clear);
        session.unknown.clear();
        session.foreign.clear();
        self.fill(traces, session).is_some()
    }

    fn fill(&self, traces: &[u8], session: &mut Session) -> Option<()> {
        let mut cursor = Cursor { rest: traces };
        // One bit per location; with more than 64, the others may not be left out.
        let mut seen = 0u64;
        if !cursor.eat(b'}') {
            loop {
                let location = self.locations.find(cursor.string()?)?;
                let bit = 1u64.checked_shl(location as u32)?;
                if seen & bit != 0 {
                    return None;
                }
                seen |= bit;
                cursor.expect(b':')?;
                let location = LocationId::new(location);
                self.events(&mut cursor, location, &mut session.trace[location.index()])?;
                if !cursor.eat(b',') {
                    break;
                }
            }
            cursor.expect(b'}')?;
        }
        cursor.expect(b'}')?;
        cursor.skip_space();
        cursor.rest.is_empty().then_some(())
    }

    fn events(
        &self,
        cursor: &mut Cursor<'_>,
        location: LocationId,
        trace: &mut Vec<LetterId>,
    ) -> Option<()> {
        cursor.expect(b'[')?;
        if cursor.eat(b']') {
            return Some(());
        }
        loop {
            let letter = self.letters.find(cursor.string()?)?;
            if self.location_of[letter] != location {
                return None;
            }
            trace.push(LetterId::new(letter));
            if !cursor.eat(b',') {
                return cursor.expect(b']');
            }
        }
    }
}

/// A name as a line has it. Control characters have to be escaped, and what is escaped is left to the
/// full parser.
fn written(name: &str) -> Cow<'_, str> {
    let is_escaped = name.bytes().any(|byte| byte < 0x20);
    if is_escaped { Cow::Owned(names::quoted(name)) } else { Cow::Borrowed(name) }
}

/// Splits a line of the usual form; `None` for any other. The traces are not looked into.
pub fn split(line: &[u8]) -> Option<LineParts<'_>> {
    let mut cursor = Cursor { rest: line };
    cursor.expect(b'{')?;
    cursor.name("session")?;
    let id = cursor.string()?;
    // Control characters have to be escaped.
    if id.iter().any(|&byte| byte < 0x20) {
        return None;
    }
    let id = std::str::from_utf8(id).ok()?;
    cursor.expect(b',')?;
    cursor.name("traces")?;
    cursor.expect(b'{')?;
    Some(LineParts { id, traces: cursor.rest })
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline]
    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Reads a byte after white space, if it is there.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// The name of a field and the colon behind it.
    fn name(&mut self, name: &str) -> Option<()> {
        (self.string()? == name.as_bytes()).then_some(())?;
        self.expect(b':')
    }

    /// The bytes of a string without escapes.
    #[inline]
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let end = self.rest.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
        let (text, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        if self.rest[end] == b'\\' {
            return None;
        }
        self.rest = rest;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::parse_line;

    fn alphabet() -> Alphabet {
        let mut alphabet = Alphabet::default();
        for (location, letters) in
            [("a", &["a!x", "a?y", "a!a_long_message_name"][..]), ("b,c", &["b!x", "c?ü"])]
        {
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
        let full = parse_line("f", 1, line, &alphabet);
        if quick {
            assert_eq!(full.as_ref().ok(), Some(&session), "{line}");
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
        ] {
            assert!(read(line).is_some(), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_full_parser() {
        for line in [
            r#"{"session":"s","traces":{},"expect":"pass"}"#,
            r#"{"traces":{},"session":"s"}"#,
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

        /// Lines of pieces of lines: what is read is what the full parser reads.
        #[test]
        fn agrees_with_the_full_parser(pieces in proptest::collection::vec(0usize..16, 0..14)) {
            const PIECES: [&str; 16] = [
                "{", "}", "[", "]", ",", ":", r#""a""#, r#""a!x""#, r#""b,c":["#, r#""a":["a!x""#,
                r#","a?y""#, "]", "}}", r#"{"session":"s","traces":{"#, " ", r#""c?ü""#,
            ];
            let tail: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
            read(&tail);
            read(&format!(r#"{{"session":"s","traces":{{{tail}"#));
            read(&format!(r#"{{"session":"s","traces":{{"a":["a!x"{tail}"#));
        }
    }
}
