//! JSON objects one after another, or in lists, over any number of lines.

// Brackets and quotes alone say where an object ends; the parser of the format then checks that it
// is JSON. What stands between objects (commas, the brackets of lists, blanks) goes with the object
// after it.

use super::context::InputContext;
use super::frames::{Frame, Framer, count_lines};
use super::log_format::Each;
use super::records::text_of;
use memchr::memchr2;

/// Finds the objects of a frame one by one, each with its line.
pub(crate) fn each_object(
    context: &InputContext,
    frame: &Frame,
    each: &mut Each<'_>,
    mut read: impl FnMut(u64, &str, &mut Each<'_>),
) {
    let (mut rest, mut line) = (frame.bytes.as_slice(), frame.line);
    while !rest.is_empty() {
        let end = Objects::default().first_end(rest).unwrap_or(rest.len());
        let (bytes, after) = rest.split_at(end);
        let gap = bytes.iter().take_while(|byte| is_between(**byte)).count();
        let (gap, object) = bytes.split_at(gap);
        line += count_lines(gap);
        if !object.is_empty() {
            match text_of(context, line, object, None) {
                Ok(text) => read(line, text, each),
                Err(error) => each(Err(error)),
            }
        }
        line += count_lines(object);
        rest = after;
    }
}

/// Whether a byte may stand between objects.
pub(crate) fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']')
}

/// JSON objects one after another, or in lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// Brackets of lists around the objects.
    lists: u32,
    /// Open brackets of the object that is being read, of both kinds.
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl Objects {
    /// Behind the first bracket of an object or a list.
    pub(super) fn inside() -> Objects {
        Objects { depth: 1, ..Objects::default() }
    }

    fn structural(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => self.in_string = true,
            b'[' if self.depth == 0 => self.lists = self.lists.saturating_add(1),
            b']' if self.depth == 0 => self.lists = self.lists.saturating_sub(1),
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
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
            if self.in_string {
                at = self.string(bytes, at);
                continue;
            }
            at += 1;
            if self.structural(bytes[at - 1]) {
                return Some(at);
            }
        }
        None
    }

    fn cut_off(&self) -> Option<&'static str> {
        if self.depth > 0 || self.in_string {
            return Some("the input ends inside of an object");
        }
        (self.lists > 0).then_some("the input ends inside of a list")
    }
}
