//! The end of a value of JSON in a stream of bytes.

use super::frames::Framer;
use super::objects::Objects;
use memchr::memchr2;
use std::mem;

/// Finds the end of a value.
pub(super) enum ValueEnd {
    Brackets { objects: Objects, is_begun: bool },
    Text { is_begun: bool, is_escaped: bool },
    Word,
}

impl ValueEnd {
    pub(super) fn new(first: u8) -> ValueEnd {
        match first {
            b'{' | b'[' => ValueEnd::Brackets { objects: Objects::inside(), is_begun: false },
            b'"' => ValueEnd::Text { is_begun: false, is_escaped: false },
            _ => ValueEnd::Word,
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self, ValueEnd::Brackets { .. })
    }

    pub(super) fn in_string(&self) -> bool {
        matches!(self, ValueEnd::Text { .. })
    }

    /// Whether the bytes that were read may hold the end of a line.
    pub(super) fn has_lines(&self) -> bool {
        match self {
            ValueEnd::Brackets { objects, .. } => objects.has_lines(),
            _ => true,
        }
    }

    /// Reads on up to the end of the value; `None` if it goes on behind the bytes.
    pub(super) fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            ValueEnd::Brackets { objects, is_begun } => {
                let from = usize::from(!mem::replace(is_begun, true)).min(bytes.len());
                objects.first_end(&bytes[from..]).map(|end| from + end)
            }
            ValueEnd::Text { is_begun, is_escaped } => {
                let mut at = usize::from(!mem::replace(is_begun, true)).min(bytes.len());
                if mem::take(is_escaped) {
                    at += 1;
                }
                while let Some(found) = memchr2(b'"', b'\\', bytes.get(at..)?) {
                    at += found + 1;
                    if bytes[at - 1] == b'"' {
                        return Some(at);
                    }
                    *is_escaped = at == bytes.len();
                    at += 1;
                }
                None
            }
            ValueEnd::Word => bytes
                .iter()
                .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()),
        }
    }
}
