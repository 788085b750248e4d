//! A text that is edited, and where each piece of it stood before.

use crate::source::{Span, floor_char};
use std::ops::Range;

/// A stretch of the edited text that starts here and continues up to the next piece.
#[derive(Clone, Copy)]
struct Piece {
    /// Its start in the edited text.
    here: usize,
    /// Its start in the whole text.
    origin: usize,
}

/// An edited text: some bytes are removed, others replaced by as many.
pub(super) struct Mapped {
    text: String,
    /// In order of both offsets; the first starts at 0.
    pieces: Vec<Piece>,
    /// Where the text ends in the whole text.
    end: usize,
}

impl Mapped {
    /// A range of a text, not edited yet.
    pub(super) fn new(text: &str, range: Range<usize>) -> Mapped {
        let end = floor_char(text, range.end);
        let start = floor_char(text, range.start).min(end);
        let piece = Piece { here: 0, origin: start };
        Mapped { text: text[start..end].to_owned(), pieces: vec![piece], end }
    }

    /// The edited text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where an offset of the edited text stood.
    pub(super) fn origin(&self, offset: usize) -> usize {
        if offset >= self.text.len() {
            return self.end;
        }
        let after = self.pieces.partition_point(|piece| piece.here <= offset);
        let piece = self.pieces[after.saturating_sub(1)];
        piece.origin + offset - piece.here
    }

    /// The place of a range of the edited text. Text removed at its end does not count.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let start = self.origin(range.start);
        if range.end <= range.start {
            return Span::new(start, start);
        }
        // The last byte decides: text removed behind it does not belong to the range.
        Span::new(start, self.origin(range.end - 1) + 1)
    }

    /// Adds a line end, which is at the end of the whole text.
    pub(super) fn end_line(&mut self) {
        self.pieces.push(Piece { here: self.text.len(), origin: self.end });
        self.text.push('\n');
    }

    /// Replaces ASCII characters at these places, in any order, by others.
    pub(super) fn replace(&mut self, places: &[(usize, u8)]) {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        for &(at, byte) in places {
            if bytes[at].is_ascii() && byte.is_ascii() {
                bytes[at] = byte;
            }
        }
        // ASCII in place of ASCII keeps the text valid.
        self.text = String::from_utf8(bytes).unwrap_or_default();
    }

    /// Removes ranges, which are in order and do not overlap.
    pub(super) fn remove(&mut self, ranges: &[Range<usize>]) {
        if ranges.is_empty() {
            return;
        }
        let mut edited =
            Edited { text: String::with_capacity(self.text.len()), pieces: Vec::new() };
        let mut pieces = self.pieces.iter().copied().peekable();
        let mut from = 0;
        for range in ranges {
            edited.keep(self, from..range.start, &mut pieces);
            from = range.end;
        }
        edited.keep(self, from..self.text.len(), &mut pieces);
        if edited.pieces.is_empty() {
            edited.pieces.push(Piece { here: 0, origin: self.end });
        }
        (self.text, self.pieces) = (edited.text, edited.pieces);
    }
}

/// The text that [`Mapped::remove`] builds.
struct Edited {
    text: String,
    pieces: Vec<Piece>,
}

impl Edited {
    /// Adds a range of the old text. `pieces` are those of the old text, from here on.
    fn keep(
        &mut self,
        old: &Mapped,
        range: Range<usize>,
        pieces: &mut std::iter::Peekable<impl Iterator<Item = Piece>>,
    ) {
        if range.is_empty() {
            return;
        }
        let shift = self.text.len();
        self.pieces.push(Piece { here: shift, origin: old.origin(range.start) });
        while let Some(piece) = pieces.next_if(|piece| piece.here < range.end) {
            if piece.here > range.start {
                let here = shift + piece.here - range.start;
                self.pieces.push(Piece { here, ..piece });
            }
        }
        self.text.push_str(&old.text[range]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_survive_several_edits() {
        let mut mapped = Mapped::new("--abcdefgh--", 2..10);
        mapped.remove(&[0..1, 3..5]);
        assert_eq!(mapped.text(), "bcfgh");
        mapped.remove(&[1..2, 4..5]);
        assert_eq!(mapped.text(), "bfg");
        let origins: Vec<usize> = (0..=3).map(|at| mapped.origin(at)).collect();
        assert_eq!(origins, [3, 7, 8, 10]);
        assert_eq!(mapped.span(0..2), Span::new(3, 8));
        assert_eq!(mapped.span(1..1), Span::new(7, 7));
    }

    #[test]
    fn everything_can_be_removed() {
        let mut mapped = Mapped::new("abc", 0..99);
        mapped.remove(std::slice::from_ref(&(0..3)));
        mapped.end_line();
        assert_eq!((mapped.text(), mapped.origin(0), mapped.origin(1)), ("\n", 3, 3));
    }

    #[test]
    fn a_range_is_cut_to_whole_characters() {
        assert_eq!(Mapped::new("é", 1..2).text(), "é");
        assert_eq!(Mapped::new("aé", 0..2).text(), "a");
        assert_eq!(Mapped::new("ab", Range { start: 2, end: 1 }).text(), "");
    }
}
