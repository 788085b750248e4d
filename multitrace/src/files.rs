//! Reading whole files.

use crate::error::Error;
use multitrace_formats::source::Source;
use std::path::Path;

/// The bytes of a file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| Error::io(path, error))
}

/// The text of a file.
///
/// # Errors
/// When the file cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<Source, Error> {
    text_of(path, read(path)?)
}

/// The text in the bytes of a file.
///
/// # Errors
/// When it is not UTF-8.
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Source, Error> {
    let name = path.display().to_string();
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Error::unfit(format!("{name}:{line}: not UTF-8 text; convert the file to UTF-8"))
    })?;
    Ok(Source::new(name, text))
}
