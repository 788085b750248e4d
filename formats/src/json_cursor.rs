//! A cursor over a line of JSON: values in use are read in place, and the rest is checked and skipped.

// Idea: most lines have strings without escapes, numbers and little nesting. A quick reader takes these
// as they stand, and leaves every other line to a full parser, which makes all errors.
//
// Invariant: a skipped value is one that `serde_json` skips, too; a test compares both.
//
// Cost: strings are searched eight bytes at a time, for most are shorter than a vector.

use memchr::{memchr, memchr_iter};

/// How deep skipped values may be nested. Metadata of sessions has a few levels; the full parser reads deeper ones.
pub const MOST_NESTED: u32 = 32;

/// The rest of a line. A function that answers `None` has met text that is not JSON, or that only a full parser reads.
#[derive(Clone, Copy, Debug)]
pub struct JsonCursor<'a> {
    rest: &'a [u8],
}

/// An open object or list that a cursor is in.
#[derive(Clone, Copy, Debug)]
pub struct OpenBrackets {
    closing: u8,
    is_first: bool,
}

impl<'a> JsonCursor<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a [u8]) -> JsonCursor<'a> {
        JsonCursor { rest: text }
    }

    /// The bytes that are left.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The text before a byte that stands outside of strings, and skips both. Escaped quotes count as
    /// quotes.
    pub fn until_outside_strings(&mut self, byte: u8) -> Option<&'a [u8]> {
        let (mut end, mut is_open) = (0, false);
        loop {
            let from = &self.rest[end..];
            let length = memchr(byte, from)?;
            is_open ^= memchr_iter(b'"', &from[..length]).count() % 2 == 1;
            end += length;
            if !is_open {
                break;
            }
            end += 1;
        }
        let text = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(text)
    }

    /// The next byte after white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.rest.first().copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Reads a byte after white space, if it is there.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        if let [first, rest @ ..] = self.rest
            && *first == byte
        {
            self.rest = rest;
            return true;
        }
        self.skip_space();
        self.skip_byte(|first| first == byte)
    }

    /// Reads a byte after white space, which must be there.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Reads the bracket before an object or a list, which must be there.
    #[inline]
    pub fn open(&mut self, bracket: u8) -> Option<OpenBrackets> {
        self.expect(bracket)?;
        // Both brackets of a kind are two apart.
        Some(OpenBrackets { closing: bracket + 2, is_first: true })
    }

    /// Whether a field or an element comes; reads the comma before it, or the bracket behind the last one.
    ///
    /// ```
    /// use multitrace_formats::json_cursor::JsonCursor;
    /// let mut cursor = JsonCursor::new(br#"["a", "b"]"#);
    /// let (mut list, mut texts) = (cursor.open(b'[').expect("a list"), Vec::new());
    /// while cursor.has_next(&mut list).expect("JSON") {
    ///     texts.extend(cursor.text());
    /// }
    /// assert_eq!((texts, cursor.end()), (vec!["a", "b"], Some(())));
    /// ```
    #[inline]
    pub fn has_next(&mut self, brackets: &mut OpenBrackets) -> Option<bool> {
        let comes = match std::mem::take(&mut brackets.is_first) {
            true => return Some(!self.eat(brackets.closing)),
            false => self.eat(b','),
        };
        if !comes {
            self.expect(brackets.closing)?;
        }
        Some(comes)
    }

    /// The key of a field without escapes, and the colon behind it.
    #[inline]
    pub fn key(&mut self) -> Option<&'a [u8]> {
        let key = self.string()?;
        self.expect(b':')?;
        Some(key)
    }

    /// Nothing but white space is left.
    #[inline]
    pub fn end(&mut self) -> Option<()> {
        self.skip_space();
        self.rest.is_empty().then_some(())
    }

    /// The bytes of a string without escapes. They need not be UTF-8.
    #[inline]
    pub fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let end = string_length(self.rest)?;
        let text = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(text)
    }

    /// A short string up to the next quote, as most names are, and the cursor behind it; `None` for every other string and
    /// for other values. Then the cursor stays before it. One with a backslash or a control character is not a whole
    /// string: compare it with texts that have neither.
    #[inline]
    pub fn short_string(&mut self) -> Option<ShortText> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let from = &self.rest[1..];
        let word = match from.first_chunk::<16>() {
            Some(bytes) => u128::from_le_bytes(*bytes),
            None => padded(from),
        };
        // Padding is not mistaken for text: it is not a quote.
        let end = first_quote(word)?;
        self.rest = from.get(end + 1..)?;
        Some(ShortText::of(word & ((1 << (8 * end)) - 1), end))
    }

    /// The text of a string without escapes.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.string()?).ok()
    }

    /// Checks a value, and returns it as it is written.
    pub fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let start = self.rest;
        self.skip_value()?;
        Some(&start[..start.len() - self.rest.len()])
    }

    /// Checks a value and skips it.
    pub fn skip_value(&mut self) -> Option<()> {
        self.skip_nested(MOST_NESTED)
    }

    fn skip_nested(&mut self, depth: u32) -> Option<()> {
        self.skip_space();
        match self.rest.first()? {
            b'"' => self.skip_string(),
            b'{' => self.skip_fields(depth.checked_sub(1)?),
            b'[' => self.skip_items(depth.checked_sub(1)?),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.skip_number(),
        }
    }

    fn skip_fields(&mut self, depth: u32) -> Option<()> {
        let mut fields = self.open(b'{')?;
        while self.has_next(&mut fields)? {
            self.skip_string()?;
            self.expect(b':')?;
            self.skip_nested(depth)?;
        }
        Some(())
    }

    fn skip_items(&mut self, depth: u32) -> Option<()> {
        let mut items = self.open(b'[')?;
        while self.has_next(&mut items)? {
            self.skip_nested(depth)?;
        }
        Some(())
    }

    fn skip_string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        match short_ascii(self.rest) {
            Some(end) => self.rest = &self.rest[end + 1..],
            None => self.skip_long_string()?,
        }
        Some(())
    }

    /// Skips the rest of a string that is long, or has escapes or other letters than those of ASCII.
    fn skip_long_string(&mut self) -> Option<()> {
        let start = self.rest;
        loop {
            let end = special(self.rest)?;
            let mark = self.rest[end];
            self.rest = &self.rest[end + 1..];
            match mark {
                b'"' => break,
                b'\\' => self.skip_escape()?,
                _ => return None,
            }
        }
        let text = &start[..start.len() - self.rest.len() - 1];
        std::str::from_utf8(text).ok().map(drop)
    }

    fn skip_escape(&mut self) -> Option<()> {
        let (&kind, rest) = self.rest.split_first()?;
        self.rest = rest;
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let (code, rest) = self.rest.split_at_checked(4)?;
                self.rest = rest;
                code.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// Skips these bytes, which must be there.
    #[inline]
    fn literal(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(bytes)?;
        Some(())
    }

    fn skip_number(&mut self) -> Option<()> {
        self.skip_byte(|byte| byte == b'-');
        match self.skip_byte(|byte| byte == b'0') {
            true => {}
            false => self.skip_digits()?,
        }
        if self.skip_byte(|byte| byte == b'.') {
            self.skip_digits()?;
        }
        if self.skip_byte(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_byte(|byte| matches!(byte, b'+' | b'-'));
            self.skip_digits()?;
        }
        Some(())
    }

    /// Skips a byte of a kind, if it is there.
    #[inline]
    fn skip_byte(&mut self, is_it: impl Fn(u8) -> bool) -> bool {
        match self.rest {
            [first, rest @ ..] if is_it(*first) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Skips one digit or more.
    fn skip_digits(&mut self) -> Option<()> {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        self.skip_byte(is_digit).then_some(())?;
        while self.skip_byte(is_digit) {}
        Some(())
    }
}

/// How long a string without escapes is, by the bytes behind its first quote.
///
/// ```
/// use multitrace_formats::json_cursor::string_length;
/// assert_eq!(string_length(br#"text", more"#), Some(4));
/// assert_eq!(string_length(br#"te\"xt""#), None);
/// ```
#[inline]
pub fn string_length(bytes: &[u8]) -> Option<usize> {
    special(bytes).filter(|&end| bytes[end] == b'"')
}

/// A text of at most 15 bytes as a number, its length in the highest byte: two are equal if their numbers are.
///
/// ```
/// use multitrace_formats::json_cursor::{JsonCursor, ShortText};
/// let mut cursor = JsonCursor::new(br#""a!ping","b""#);
/// assert_eq!(cursor.short_string(), ShortText::new(b"a!ping"));
/// assert_eq!(cursor.rest(), br#","b""#);
/// assert_eq!(ShortText::new(b"more than 15 bytes"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortText(u128);

impl ShortText {
    /// Equal to no text.
    pub const NONE: ShortText = ShortText(u128::MAX);

    /// The short text of these bytes; `None` if they are too many.
    pub fn new(text: &[u8]) -> Option<ShortText> {
        (text.len() < 16).then(|| ShortText::of(padded(text), text.len()))
    }

    #[inline]
    fn of(padded: u128, length: usize) -> ShortText {
        ShortText(padded | (length as u128) << 120)
    }

    /// Its bytes, the first one lowest, zeros, and its length.
    #[inline]
    pub fn word(self) -> u128 {
        self.0
    }
}

/// Less than 16 bytes and zeros behind them, as a number whose lowest byte is the first. Apart, since few
/// texts are that close to the end.
#[inline(never)]
fn padded(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(word)
}

/// Where the first quote of 16 bytes is.
#[inline]
fn first_quote(word: u128) -> Option<usize> {
    let quotes = |word: u64| is_zero(word ^ QUOTES) & HIGHEST;
    let found = u128::from(quotes(word as u64)) | u128::from(quotes((word >> 64) as u64)) << 64;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// Where the quote is that ends a string of less than 16 letters of ASCII without escapes, as most keys
/// and words are.
#[inline]
fn short_ascii(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().take(2).enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = special_bits(word) | (word & HIGHEST);
        if found != 0 {
            let end = 8 * index + found.trailing_zeros() as usize / 8;
            return (bytes[end] == b'"').then_some(end);
        }
    }
    None
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
/// The highest bit of each byte.
const HIGHEST: u64 = ONES << 7;
const QUOTES: u64 = ONES * b'"' as u64;

/// The highest bit of the first byte that is zero is set; other bits mean nothing.
#[inline]
fn is_zero(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

/// Where the first byte is that cannot stand in a string as it is: a quote, a backslash, or a control
/// character.
#[inline]
fn special(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = special_bits(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(8 * index + found.trailing_zeros() as usize / 8);
        }
    }
    let is_special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
    let found = rest.iter().position(is_special)?;
    Some(bytes.len() - rest.len() + found)
}

/// The highest bit of the first such byte of a word is set. Bits of later bytes may be set for no reason,
/// by the borrow of a subtraction.
#[inline]
fn special_bits(word: u64) -> u64 {
    let quotes = is_zero(word ^ QUOTES);
    let backslashes = is_zero(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | backslashes | controls) & HIGHEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IgnoredAny;

    /// Whether a text is one value, which is skipped.
    fn is_skipped(text: &[u8]) -> bool {
        let mut cursor = JsonCursor { rest: text };
        cursor.skip_value().and_then(|()| cursor.end()).is_some()
    }

    #[test]
    fn values_are_skipped() {
        for text in [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "10",
            "-1.50",
            "1e5",
            "0E-07",
            "1.5e+3",
            r#""""#,
            r#""ü \" \\ \/ \b\f\n\r\t \u00fC""#,
            "[]",
            "{}",
            "[ 1 , [ ] , { } ]",
            r#"{ "a" : { "" : [ null ] } , "a" : "}" }"#,
        ] {
            assert!(is_skipped(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_not_skipped() {
        for text in [
            "",
            "nul",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e",
            "1 2",
            r#"""#,
            r#""\x""#,
            r#""\u12g4""#,
            r#""\"#,
            "\"\t\"",
            "[",
            "[1",
            "[1,]",
            "[,]",
            "[1}",
            "{1}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1"#,
            "NaN",
            "'a'",
        ] {
            assert!(!is_skipped(text.as_bytes()), "{text}");
            assert!(serde_json::from_str::<IgnoredAny>(text).is_err(), "{text}");
        }
        assert!(!is_skipped(b"\"\xff\""));
    }

    #[test]
    fn deep_values_are_left_to_the_full_parser() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_skipped(nested(MOST_NESTED as usize).as_bytes()));
        assert!(!is_skipped(nested(MOST_NESTED as usize + 1).as_bytes()));
        assert!(!is_skipped(&[b'['; 1_000_000]));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(5_000))]

        #[test]
        fn special_bytes_are_found(bytes in proptest::collection::vec(0x1c_u8..0x80, 0..40)) {
            let is_special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
            assert_eq!(special(&bytes), bytes.iter().position(is_special));
        }

        /// A short string is read as any string is, and no other is read.
        #[test]
        fn short_strings_are_strings(
            before in 0usize..2,
            bytes in proptest::collection::vec(0x1c_u8..0x80, 0..24),
            end in 0usize..3,
        ) {
            let text = [[&b" \""[..], b"\""][before], &bytes, [&b"\""[..], b"\" and more text", b""][end]].concat();
            let (mut short, mut any) = (JsonCursor::new(&text), JsonCursor::new(&text));
            let expected = any.string().filter(|text| text.len() < 16).and_then(ShortText::new);
            let found = short.short_string();
            if found.is_some() && expected.is_none() {
                // It equals no text that can stand there as it is.
                let quote = bytes.iter().position(|&it| it == b'"').unwrap_or(bytes.len());
                assert_eq!(found, ShortText::new(&bytes[..quote]));
                assert!(bytes[..quote].iter().any(|&it| it == b'\\' || it < 0x20));
                return Ok(());
            }
            assert_eq!(found, expected);
            let rest = if expected.is_some() { any.rest() } else { &text[1 - before..] };
            assert_eq!(short.rest(), rest);
        }

        /// Pieces of JSON in any order: the cursor skips as much as the full parser.
        #[test]
        fn skips_what_serde_json_skips(pieces in proptest::collection::vec(0usize..24, 0..9)) {
            const PIECES: [&str; 24] = [
                "{", "}", "[", "]", ",", ":", r#""a""#, r#""b":"#, "1", "-", "0", ".", "e", "E+",
                "\"", "\\", r"\u", "00e9", "ü", " ", "true", "null", "[1,{\"a\":[]}]", "\u{1}",
            ];
            let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
            let full = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            assert_eq!(is_skipped(text.as_bytes()), full, "{text}");
        }
    }
}
