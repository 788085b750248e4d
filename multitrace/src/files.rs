//! Reading whole files.

// A file is in memory as a whole, and some inputs never end. So all reading stops at a limit, which
// a regular file is compared with before it is read, and a device of zeros ends at its first block.

use crate::error::{Error, FileError};
use multitrace_formats::bundle::is_bundle;
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_formats::source::Source;
use multitrace_logs::is_stdin;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file that is read whole: as many as a specification or a line of JSON may have.
const MOST_BYTES: u64 = 1 << 30;

/// How many bytes of a pipe or device are looked at first: the size of a pipe of Linux.
const HEAD_BYTES: u64 = 1 << 16;

/// The bytes of a file, at most 1 GiB.
///
/// # Errors
/// When the file cannot be read, or is larger.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    of_file(file).map_err(|error| Error::io(path, error))
}

/// The bytes of a file, or of standard input for the path `-`, at most 1 GiB.
///
/// # Errors
/// When the file cannot be read, or is larger.
pub fn read_or_stdin(path: &Path) -> Result<Vec<u8>, Error> {
    if !is_stdin(path) {
        return read(path);
    }
    of_stream(io::stdin().lock()).map_err(|error| Error::io(Path::new(STANDARD_INPUT), error))
}

/// The name of a file in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}

/// Whether a path is standard input, a pipe or a device: it can be read once, and its name may tell
/// nothing of its content.
pub fn is_stream(path: &Path) -> bool {
    let is_file = |metadata: std::fs::Metadata| metadata.is_file() || metadata.is_dir();
    is_stdin(path) || std::fs::metadata(path).is_ok_and(|metadata| !is_file(metadata))
}

pub(crate) fn of_file(file: File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return of_stream(file);
    }
    if metadata.len() > MOST_BYTES {
        return Err(too_large());
    }
    whole(file, Vec::with_capacity(metadata.len() as usize))
}

fn of_stream(mut reader: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.len() as u64 == HEAD_BYTES && head.contains(&0) && !is_bundle(&head) {
        return Err(no_text());
    }
    whole(reader, head)
}

/// All bytes of a reader, behind those that were read.
///
/// # Errors
/// When it cannot be read, or has more than 1 GiB.
pub(crate) fn whole(reader: impl Read, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let room = MOST_BYTES - bytes.len() as u64;
    reader.take(room + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// The error of an input that begins like no text.
pub(crate) fn no_text() -> io::Error {
    let message = "not a text: it has bytes that are zero; check that it is the right input, and \
                   convert UTF-16 to UTF-8";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn too_large() -> io::Error {
    let message = "larger than 1 GiB, which is the most for a file that is read whole; check that it \
                   is the right file, and split it";
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// The text of a file.
///
/// # Errors
/// When the file cannot be read, is larger than 1 GiB, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<Source, Error> {
    text_of(path, read(path)?)
}

/// The text in the bytes of a file.
///
/// # Errors
/// When it is not UTF-8.
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Source, Error> {
    let name = name(path);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        FileError::NoText { name: name.clone(), line }
    })?;
    Ok(Source::new(name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_zeros_ends_at_its_first_block() {
        let error = of_stream(io::repeat(0)).expect_err("no text");
        assert!(error.to_string().starts_with("not a text"), "{error}");
        let short = of_stream(io::repeat(0).take(100)).expect("few enough to be reported in place");
        assert_eq!(short.len(), 100);
    }

    #[test]
    fn what_has_more_than_a_gibibyte_is_not_read() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("multitrace-sparse-{}", std::process::id()));
        let file = File::create(&path).expect("a file");
        file.set_len(MOST_BYTES + 1).expect("a sparse file");
        let error = read(&path).expect_err("too large");
        std::fs::remove_file(&path).expect("removed");
        assert!(error.to_string().contains("larger than 1 GiB"), "{error}");
    }
}
