//! Decoders of binary tables panic on some damaged inputs. Here that becomes an error of the input.

use multitrace_formats::workers;

/// The result of a decoder, or why it fails. Callers do not use a decoder again after an error.
pub(crate) fn contained<T, E: ToString>(
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    match workers::contained(decode) {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("the table is damaged".to_owned()),
    }
}
