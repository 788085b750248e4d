//! Bundles as bytes: a fixed header, then the payload of `wire.rs` by bincode. The only module
//! that names bincode.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic; not text, and broken by every line-end conversion |
//! | 4 | format version, little-endian |
//! | 8 | length of the payload, little-endian |
//! | 32 | SHA-256 of the payload |
//! | … | payload |

use super::wire::{Wire, WireLocation};
use super::{Bundle, BundleError, LocationBundle};
use bincode::enc::write::SizeWriter;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The version of the format this code writes and reads.
pub const FORMAT_VERSION: u32 = 8;

const MAGIC: [u8; 8] = *b"\x89MTB\r\n\x1a\n";
/// That of the bundle of one location.
const LOCATION_MAGIC: [u8; 8] = *b"\x89MTL\r\n\x1a\n";
/// Where the checksum begins.
const CHECKSUM: usize = 8 + 4 + 8;
const HEADER: usize = CHECKSUM + 32;

/// Whether these bytes begin as a bundle does, one of a location, too.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&LOCATION_MAGIC)
}

/// Whether a path has the extension of bundles.
///
/// ```
/// use multitrace_formats::bundle::is_bundle_path;
/// assert!(is_bundle_path("specs/shop.mtb".as_ref()));
/// assert!(!is_bundle_path("specs/shop.hif".as_ref()));
/// ```
pub fn is_bundle_path(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mtb")
}

/// The bytes of a bundle; the same for equal bundles.
///
/// # Panics
/// Never: every bundle can be encoded.
pub fn encode(bundle: &Bundle) -> Vec<u8> {
    framed(MAGIC, &Wire::from_bundle(bundle))
}

/// The bytes of the bundle of one location; the same for equal ones.
///
/// # Panics
/// Never: every bundle can be encoded.
pub fn encode_location(bundle: &LocationBundle) -> Vec<u8> {
    framed(LOCATION_MAGIC, &WireLocation::new(bundle))
}

/// The payload is made twice, first for its length alone: so its bytes are in memory once.
fn framed(magic: [u8; 8], wire: &impl Serialize) -> Vec<u8> {
    const ENCODABLE: &str = "numbers, strings and lists can be encoded";
    let mut size = SizeWriter::default();
    bincode::serde::encode_into_writer(wire, &mut size, config()).expect(ENCODABLE);
    let length = size.bytes_written;
    let mut bytes = Vec::with_capacity(HEADER + length);
    bytes.extend(magic);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((length as u64).to_le_bytes());
    bytes.resize(HEADER, 0);
    bincode::serde::encode_into_std_write(wire, &mut bytes, config()).expect(ENCODABLE);
    let (header, payload) = bytes.split_at_mut(HEADER);
    header[CHECKSUM..].copy_from_slice(&Sha256::digest(payload));
    bytes
}

/// The bundle in these bytes, every index of it checked.
///
/// # Errors
/// When they are not those of a bundle, are of another version, cut short, or changed.
pub fn decode(bytes: &[u8]) -> Result<Bundle, BundleError> {
    if bytes.starts_with(&LOCATION_MAGIC) {
        return Err(BundleError::OneLocation);
    }
    unframed::<Wire<'_>>(checked_payload(MAGIC, bytes)?)?.into_bundle()
}

/// The bundle of one location in these bytes, every index of it checked.
///
/// # Errors
/// Those of [`decode`].
pub fn decode_location(bytes: &[u8]) -> Result<LocationBundle, BundleError> {
    if bytes.starts_with(&MAGIC) {
        return Err(BundleError::AllLocations);
    }
    unframed::<WireLocation<'_>>(checked_payload(LOCATION_MAGIC, bytes)?)?.into_bundle()
}

fn unframed<'b, W: Deserialize<'b>>(payload: &'b [u8]) -> Result<W, BundleError> {
    let corrupt = |error: bincode::error::DecodeError| BundleError::Corrupt(error.to_string());
    let (wire, read) =
        bincode::serde::borrow_decode_from_slice(payload, config()).map_err(corrupt)?;
    if read != payload.len() {
        return Err(BundleError::Corrupt("bytes after the end".to_owned()));
    }
    Ok(wire)
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
}

fn checked_payload(magic: [u8; 8], bytes: &[u8]) -> Result<&[u8], BundleError> {
    let found = bytes.len() as u64;
    let Some(rest) = bytes.strip_prefix(&magic) else {
        let cut = bytes.len() < magic.len() && magic.starts_with(bytes) && !bytes.is_empty();
        let expected = HEADER as u64;
        return Err(if cut {
            BundleError::Truncated { found, expected }
        } else {
            BundleError::NotABundle
        });
    };
    let truncated = |expected: u64| BundleError::Truncated { found, expected };
    let (version, rest) = rest.split_first_chunk().ok_or(truncated(HEADER as u64))?;
    let version = u32::from_le_bytes(*version);
    if version != FORMAT_VERSION {
        return Err(BundleError::WrongVersion { found: version, expected: FORMAT_VERSION });
    }
    let (length, rest) = rest.split_first_chunk().ok_or(truncated(HEADER as u64))?;
    let length = u64::from_le_bytes(*length);
    let (checksum, payload) = rest.split_first_chunk::<32>().ok_or(truncated(HEADER as u64))?;
    if (payload.len() as u64) < length {
        return Err(truncated((HEADER as u64).saturating_add(length)));
    }
    if payload.len() as u64 > length {
        return Err(BundleError::Corrupt("longer than it says".to_owned()));
    }
    if Sha256::digest(payload)[..] != checksum[..] {
        return Err(BundleError::Corrupt("the checksum differs".to_owned()));
    }
    Ok(payload)
}
