//! The errors of documents with records, each with how much of the file is not read.

use super::super::frames::count_lines;
use super::super::input::RAISE;
use super::super::objects::ENDS_BEHIND;
use super::super::records::{SHOWN_BYTES, at_start};
use super::super::twice::stands_twice;
use super::{Bytes, Documents};
use crate::error::EventError;
use crate::record::RecordPlace;
use std::io::Read;
use std::ops::Range;

/// How many bytes of skipped text are counted at once.
const UNREAD_BYTES: usize = 1 << 16;

impl Documents<'_> {
    /// A value beside records is not JSON.
    pub(super) fn no_json(
        &mut self,
        value: &Range<usize>,
        error: &serde_json::Error,
    ) -> EventError {
        let before = error.line().saturating_sub(1);
        let line = self.input.line + before as u64;
        let lines = self.input.buffer[value.clone()].split_inclusive(|byte| *byte == b'\n');
        let behind = lines.take(before).map(<[u8]>::len).sum::<usize>() + error.column();
        self.input.at = (value.start + behind.saturating_sub(1)).min(value.end);
        let help = format!("is a comma, a quote or a bracket missing? {}", self.unread());
        self.at_line(line, "not JSON beside the records", &help)
    }

    pub(super) fn at_line(&self, line: u64, message: &str, help: &str) -> EventError {
        let rest = self.input.buffer.get(self.input.at..).unwrap_or_default();
        at_start(&self.context, line, &rest[..rest.len().min(SHOWN_BYTES)], message, help)
    }

    /// There is another value where records are looked for inside of an object.
    pub(super) fn no_object(&mut self, message: &str) -> EventError {
        let help = format!("do the `records` of [input] lead to the right list? {}", self.unread());
        self.at_line(self.input.line, message, &help)
    }

    /// A key of an object on the way stands twice, and records before this place are those of the first value, or have it.
    pub(super) fn twice_around(&mut self, key: &[u8]) -> EventError {
        let message = stands_twice(&String::from_utf8_lossy(key));
        let help = format!("leave all but one of them out of the object; {}", self.unread());
        self.at_line(self.input.line, &message, &help)
    }

    pub(super) fn unexpected(&mut self, byte: u8) -> EventError {
        let sign = char::from(byte).escape_default();
        let help = format!("is a comma or a quote missing? {}", self.unread());
        self.at_line(self.input.line, &format!("not JSON: unexpected `{sign}`"), &help)
    }

    /// Zeros may stand in place of records.
    pub(super) fn has_nul(&mut self) -> EventError {
        let help = format!("is the file cut off, or not a text? {}", self.unread());
        self.at_line(self.input.line, "there are NUL bytes in the document", &help)
    }

    pub(super) fn unexpected_here(&mut self) -> EventError {
        let help = format!("is a quote missing? {}", self.unread());
        self.at_line(self.input.line, "not JSON: `:` is missing behind a key", &help)
    }

    /// How much of the file is not read, in words. Reads it, to count it.
    pub(super) fn unread(&mut self) -> String {
        let Bytes { reader, buffer, at, .. } = &mut self.input;
        let here = buffer.get(*at..).unwrap_or_default();
        let (mut bytes, mut lines) = (here.len() as u64, count_lines(here));
        let mut part = vec![0; UNREAD_BYTES];
        while let Ok(read @ 1..) = reader.read(&mut part) {
            bytes += read as u64;
            lines += count_lines(&part[..read]);
        }
        format!("the rest of the file was not read: {bytes} bytes with {lines} ends of lines")
    }

    pub(super) fn cut_off(&self) -> EventError {
        let message = match (self.open.is_empty(), self.lists) {
            (true, 0) => ENDS_BEHIND,
            (true, _) => "the input ends inside of a list",
            (false, _) => "the input ends inside of a document",
        };
        self.at_line(self.input.line, message, "is the file cut off?")
    }

    pub(super) fn no_beginning(&mut self, message: &str) -> EventError {
        let help = format!("did the file lose its beginning? {}", self.unread());
        self.at_line(self.input.line, message, &help)
    }

    /// A value that the mapping asks for stands too far behind the records.
    pub(super) fn too_late(&mut self) -> EventError {
        let unread = self.unread();
        let known = self.open.iter().flat_map(|open| &open.known);
        let missing: Vec<String> = known
            .flat_map(|known| known.missing(&self.paths))
            .map(|key| format!("`{key}`"))
            .collect();
        let message = format!(
            "the records wait for {} around them, which has not come after {} bytes of records",
            missing.join(", "),
            self.context.max_bytes
        );
        let help = format!("{RAISE}, or ask for fields that stand before the records; {unread}");
        self.at_line(self.input.line, &message, &help)
    }

    /// The paths led nowhere in some documents or elements, so that their records are not known.
    pub(super) fn without_records(&self) -> Option<EventError> {
        let paths = self.paths.texts().join("`, nor at `");
        let (message, what) = match (self.without.documents, self.without.elements) {
            (Some(_), _) if self.documents == 1 => {
                (format!("there is no list at `{paths}`"), "documents")
            }
            (Some((count, first)), _) => {
                let all = self.documents;
                let message = format!(
                    "there is no list at `{paths}` in {count} of {all} documents, first in the one of line {first}"
                );
                (message, "documents")
            }
            (None, Some((count, first))) => {
                let message = format!(
                    "there is no list at `{paths}` in {count} of the elements of the lists around it, first in the one of \
                     line {first}"
                );
                (message, "elements")
            }
            (None, None) => return None,
        };
        let help = format!(
            "correct `records` in [input]: a.b[] for the elements of the list at b, which null is not, and a.b.* for the values \
             of an object; or leave such {what} \
             out of the file"
        );
        Some(EventError::without_text(&self.context.file, None, message, help))
    }

    /// A document says itself that records are missing.
    pub(super) fn not_whole(&self) -> Option<EventError> {
        let (line, sign) = self.incomplete.as_ref()?;
        let place = Some(RecordPlace::line(*line));
        let message = format!("the document says itself that it is not whole: {sign}");
        let help = "get it again, in smaller parts if that is why; or take the sign out of `incomplete` in [input]";
        Some(EventError::without_text(&self.context.file, place, message, help))
    }
}
