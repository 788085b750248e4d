//! The bytes of an input, and errors of the input as a whole.

use crate::error::EventError;
use crate::record::RecordPlace;
use std::io::{self, Read};

/// The bytes of an input.
pub(crate) type InputReader<'r> = Box<dyn Read + Send + 'r>;

/// The remedy for tables that a decoder refuses.
#[cfg(feature = "columnar")]
pub(crate) const IS_CUT_OFF: &str = "is the file cut off, or still being written?";

/// Why bytes of a table's file are refused that its footer does not name: they may hold other tables.
#[cfg(feature = "columnar")]
pub(crate) fn unnamed_bytes(at: u64) -> String {
    format!(
        "from byte {at} on there are bytes that the footer does not name; if several files were joined, give each of them alone"
    )
}

/// The remedy for a record that is too long; the number is that of `MAX_RECORD_BYTES` in `batches.rs`.
pub(super) const RAISE: &str = "raise `max-record` in [input] (in bytes, at most 1073741824)";

/// All bytes of an input; an error if there are more than `most`.
#[cfg(feature = "columnar")]
pub(crate) fn whole(
    file: &str,
    reader: InputReader<'_>,
    most: usize,
) -> Result<Vec<u8>, EventError> {
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| EventError::unreadable(file, None, &error))?;
    if bytes.len() > most {
        let message = format!("the input is longer than {most} bytes and has to be read whole");
        let help = format!("{RAISE}, or give the file itself, not packed");
        return Err(EventError::without_text(file, None, message, &help));
    }
    Ok(bytes)
}

/// The reader, after a byte order mark if there is one.
pub(crate) fn without_mark<'r>(
    file: &str,
    mut reader: InputReader<'r>,
) -> Result<InputReader<'r>, EventError> {
    let mut head = Vec::new();
    let read = reader.by_ref().take(3).read_to_end(&mut head);
    read.map_err(|error| unreadable(file, 1, &error))?;
    reject_utf16(file, &head)?;
    if head == "\u{feff}".as_bytes() {
        head.clear();
    }
    Ok(Box::new(io::Cursor::new(head).chain(reader)))
}

pub(crate) fn reject_utf16(file: &str, head: &[u8]) -> Result<(), EventError> {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        let help = "convert it: iconv -f UTF-16 -t UTF-8";
        return Err(EventError::without_text(file, None, "the input is UTF-16", help));
    }
    Ok(())
}

/// The input cannot be read on from a line.
pub(crate) fn unreadable(file: &str, line: u64, error: &io::Error) -> EventError {
    EventError::unreadable(file, Some(RecordPlace::line(line)), error)
}
