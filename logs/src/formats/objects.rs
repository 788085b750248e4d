//! JSON objects one after another, or in lists, over any number of lines.

// Brackets and quotes alone say where an object ends; the parser of the format then checks that it
// is JSON. The signs between objects (commas, the brackets of lists, blanks) go with the object after them.

use super::context::InputContext;
use super::frames::{Frame, Framer, count_lines};
use super::log_format::Each;
use super::records::text_of;
use crate::record::{LineCounter, RecordPlace};
use memchr::memchr2;

/// Finds the objects of a frame one by one, each with its place.
pub(crate) fn each_object(
    context: &InputContext,
    frame: &Frame,
    each: &mut Each<'_>,
    read: impl FnMut(RecordPlace, &str, &mut Each<'_>),
) {
    each_object_but(|_, _, _| None, (context, frame), each, read);
}

/// The same, but for objects that `quick` reads from the beginning of the bytes that it gets: it answers where they end.
pub(crate) fn each_object_but(
    quick: impl Fn(u64, &[u8], &mut Each<'_>) -> Option<usize>,
    (context, frame): (&InputContext, &Frame),
    each: &mut Each<'_>,
    mut read: impl FnMut(RecordPlace, &str, &mut Each<'_>),
) {
    let (mut rest, mut line, mut on_line) = (frame.bytes.as_slice(), frame.line, frame.before);
    loop {
        let gap = rest.iter().take_while(|byte| is_between(**byte)).count();
        let lines = count_lines(&rest[..gap]);
        line += lines;
        on_line = if lines > 0 { 0 } else { on_line };
        rest = &rest[gap..];
        if rest.is_empty() {
            return;
        }
        let place = LineCounter::behind(line, on_line).next_place(line);
        let mut objects = Objects { on_line, ..Objects::default() };
        let end = quick(line, rest, each).unwrap_or_else(|| {
            let end = objects.first_end(rest).unwrap_or(rest.len());
            match text_of(context, line, &rest[..end], None) {
                Ok(text) => read(place, text, each),
                Err(error) => each(Err(error)),
            }
            end
        });
        on_line = objects.on_last_line;
        line += count_lines(&rest[..end]);
        rest = &rest[end..];
    }
}

/// Whether a byte may stand between objects: blanks, the signs of lists, and the one before each object of a sequence
/// (RFC 7464).
pub(crate) fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']' | 0x1e)
}

/// How many bytes are read at once, at most: as many as a number has bits.
const BLOCK: usize = 64;

/// Whether a byte that is meant is in a block.
#[inline]
fn has(block: &[u8; BLOCK], is_meant: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(0, |found, byte| found | u8::from(is_meant(*byte))) != 0
}

/// Whether a byte is a bracket, or one of the few others that have all bits but those that tell brackets from one another.
#[inline]
fn is_like_bracket(byte: u8) -> bool {
    byte | 0x26 == 0x7f
}

/// A bit for each byte that is meant, that of the first one lowest.
#[inline]
fn mask(block: &[u8; BLOCK], is_meant: impl Fn(u8) -> bool) -> u64 {
    /// Brings the lowest bits of eight bytes into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let bits = block.map(|byte| u8::from(is_meant(byte)));
    let (words, _) = bits.as_chunks::<8>();
    let word = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56;
    words.iter().rev().fold(0, |all, bits| all << 8 | word(bits))
}

/// A bit for each byte behind an odd number of quotes: the bytes of strings, with the quote before and without that behind.
#[inline]
fn in_strings(mut quotes: u64, is_open: bool) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        quotes ^= quotes << shift;
    }
    if is_open { !quotes } else { quotes }
}

const CLOSES_NOTHING: &str = "a `]` before here closes a list that the input does not open";
pub(super) const ENDS_BEHIND: &str =
    "the input ends behind a comma, as if an object behind it were lost";
const NOTHING_BETWEEN: &str = "two commas before here have no object between them";
const BEGINS_BEHIND: &str = "the input begins with a comma, as if an object before it were lost";

/// JSON objects one after another, or in lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// Brackets of lists around the objects.
    lists: u32,
    /// Whether an object has begun.
    has_begun: bool,
    /// Whether the last sign between objects is a comma.
    is_behind_comma: bool,
    /// Why the input lacks a part, if it does.
    torn: Option<&'static str>,
    /// Open brackets of the object that is being read, of both kinds.
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    /// How many objects began on the line that is being read, and on the one where the last whole object ended.
    on_line: u32,
    on_last_line: u32,
    /// Whether the bytes that were read may hold the end of a line.
    has_lines: bool,
}

/// How far a block was read.
enum InBlock {
    /// Up to the end of the object, behind as many bytes.
    End(usize),
    /// To its end, within the object.
    Whole,
    /// Not at all: no object is open, or there are escapes.
    Unread,
}

impl Objects {
    /// Behind the first bracket of an object or a list.
    pub(super) fn inside() -> Objects {
        Objects { depth: 1, has_begun: true, ..Objects::default() }
    }

    /// Whether the objects that were read may stand on several lines.
    pub(super) fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// Reads 64 bytes at once, or up to the end of the object that is open.
    fn read_block(&mut self, block: &[u8; BLOCK]) -> InBlock {
        if self.is_escaped || self.depth == 0 {
            return InBlock::Unread;
        }
        // Of most blocks, only the number of their quotes counts.
        if !has(block, |byte| is_like_bracket(byte) | (byte == b'\\') | (byte == b'\n')) {
            let quotes = block.iter().fold(0, |count, byte| count + u8::from(*byte == b'"'));
            self.in_string ^= quotes % 2 == 1;
            return InBlock::Whole;
        }
        if has(block, |byte| byte == b'\\') {
            return InBlock::Unread;
        }
        let strings = in_strings(mask(block, |byte| byte == b'"'), self.in_string);
        let brackets = mask(block, is_like_bracket) & !strings;
        let end = self.end_among(block, brackets);
        if has(block, |byte| byte == b'\n') {
            let behind = end.map_or(0, |at| u64::MAX << at);
            let lines = mask(block, |byte| byte == b'\n') & !behind;
            self.has_lines |= lines != 0;
            self.on_line = if lines & !strings == 0 { self.on_line } else { 0 };
        }
        if let Some(at) = end {
            (self.in_string, self.on_last_line) = (false, self.on_line);
            return InBlock::End(at as usize + 1);
        }
        self.in_string = strings >> 63 == 1;
        InBlock::Whole
    }

    /// Follows brackets up to the one that closes the object that is open, and returns where that stands.
    #[inline]
    fn end_among(&mut self, block: &[u8; BLOCK], mut brackets: u64) -> Option<u32> {
        while brackets != 0 {
            let at = brackets.trailing_zeros();
            match block[at as usize % BLOCK] {
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' if self.depth == 1 => {
                    self.depth = 0;
                    return Some(at);
                }
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            brackets &= brackets - 1;
        }
        None
    }

    fn structural(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => self.in_string = true,
            b'\n' => self.on_line = 0,
            b'[' if self.depth == 0 => {
                self.lists = self.lists.saturating_add(1);
                self.is_behind_comma = false;
            }
            b']' if self.depth == 0 && self.lists == 0 => self.torn = Some(CLOSES_NOTHING),
            b']' if self.depth == 0 => {
                self.lists -= 1;
                self.is_behind_comma = false;
            }
            b'{' | b'[' => {
                self.has_begun = true;
                self.is_behind_comma = false;
                self.on_line = self.on_line.saturating_add(u32::from(self.depth == 0));
                self.depth = self.depth.saturating_add(1);
            }
            b',' if !self.has_begun && self.lists == 0 => self.torn = Some(BEGINS_BEHIND),
            b',' if self.depth == 0 => {
                if self.is_behind_comma {
                    self.torn = Some(NOTHING_BETWEEN);
                }
                self.is_behind_comma = true;
            }
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.on_last_line = self.on_line;
                    return true;
                }
            }
            _ => {}
        }
        false
    }

    /// Where the string ends that is open at `from`.
    fn string(&mut self, bytes: &[u8], mut from: usize) -> usize {
        if self.is_escaped && from < bytes.len() {
            self.is_escaped = false;
            from += 1;
        }
        while let Some(at) = memchr2(b'"', b'\\', &bytes[from..]) {
            let at = from + at;
            if bytes[at] == b'"' {
                self.in_string = false;
                return at + 1;
            }
            self.is_escaped = at + 1 == bytes.len();
            from = (at + 2).min(bytes.len());
        }
        bytes.len()
    }
}

impl Framer for Objects {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at..].first_chunk().map(|block| self.read_block(block)) {
                Some(InBlock::End(end)) => return Some(at + end),
                Some(InBlock::Whole) => {
                    at += BLOCK;
                    continue;
                }
                Some(InBlock::Unread) | None => {}
            }
            let end = bytes.len().min(at + BLOCK);
            self.has_lines = true;
            while at < end {
                if self.in_string {
                    at = self.string(bytes, at);
                    continue;
                }
                at += 1;
                if self.structural(bytes[at - 1]) {
                    return Some(at);
                }
            }
        }
        None
    }

    fn before_next(&self) -> u32 {
        self.on_last_line
    }

    fn cut_off(&self) -> Option<&'static str> {
        if self.depth > 0 || self.in_string {
            return Some("the input ends inside of an object");
        }
        let is_open = (self.lists > 0).then_some("the input ends inside of a list");
        is_open.or(self.torn).or(self.is_behind_comma.then_some(ENDS_BEHIND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where objects end, byte by byte.
    fn ends(bytes: &[u8]) -> Vec<usize> {
        let (mut depth, mut is_string, mut is_escaped) = (0_u32, false, false);
        let mut ends = Vec::new();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_string => is_escaped = true,
                b'"' => is_string = !is_string,
                _ if is_string => {}
                b'{' => depth += 1,
                b'[' if depth > 0 => depth += 1,
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        ends.push(at + 1);
                    }
                }
                _ => {}
            }
        }
        ends
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        /// Objects end where they end byte by byte, however the input is cut.
        #[test]
        fn objects_end_where_their_brackets_do(
            pieces in proptest::collection::vec(0usize..16, 0..120),
            cuts in proptest::collection::vec(0usize..400, 0..4),
        ) {
            const PIECES: [&str; 16] = [
                "{", "}", "[", "]", "\"", "\\", "{\"key\":\"value\"}", "text of some length, ", "[1,2,{}]", "\"a{b\"", "\"\\\"}\"", ",",
                "\n", "{\"a\":[{\"b\":\"", "0123456789012345678901234567890123456789", "\"}]}",
            ];
            let text: String = pieces.iter().map(|it| PIECES[*it]).collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|it| it.min(text.len())).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let (mut framer, mut found, mut from) = (Objects::default(), Vec::new(), 0);
            for cut in cuts {
                while let Some(end) = framer.first_end(&text.as_bytes()[from..cut]) {
                    from += end;
                    found.push(from);
                }
                from = cut;
            }
            prop_assert_eq!(found, ends(text.as_bytes()), "{}", text);
        }
    }
}
