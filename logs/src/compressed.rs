//! Compressed inputs, recognised by their first bytes.

use std::io::{self, BufReader, Cursor, Read};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Frames with contents for other tools may come first.
const ZSTD_SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// The bytes of a reader, unpacked if they are gzip or zstd (also several packed files one after
/// the other), else as they are.
///
/// # Errors
/// When the first bytes cannot be read. A damaged file is an error of the reader that is returned.
pub fn decompress<'r>(mut reader: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut head = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut head)?;
    let (is_gzip, is_zstd) = (is_gzip(&head), is_zstd(&head));
    let whole = Cursor::new(head).chain(reader);
    if is_gzip {
        return Ok(Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(whole))));
    }
    if is_zstd {
        return unzstd(whole);
    }
    Ok(Box::new(whole))
}

/// Whether a file that begins with these bytes is packed.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    is_gzip(head) || is_zstd(head)
}

fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(GZIP)
}

fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(ZSTD)
        || matches!(head, [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(ZSTD_SKIPPABLE))
}

#[cfg(feature = "columnar")]
fn unzstd<'r>(packed: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(zstd::Decoder::new(packed)?))
}

#[cfg(not(feature = "columnar"))]
fn unzstd<'r>(packed: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(crate::zstd_frames::ZstdFrames::new(packed)))
}

/// The first `most` bytes of a reader, and a reader that still has them. If the reader fails after its
/// first byte, the returned one fails there.
///
/// # Errors
/// When not even the first byte can be read.
pub fn peek<'r>(
    mut reader: impl Read + Send + 'r,
    most: usize,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send + 'r>)> {
    let mut head = Vec::new();
    let rest: Box<dyn Read + Send + 'r> =
        match reader.by_ref().take(most as u64).read_to_end(&mut head) {
            Ok(_) => Box::new(reader),
            Err(error) if head.is_empty() => return Err(error),
            Err(error) => Box::new(Failing(Some(error))),
        };
    Ok((head.clone(), Box::new(Cursor::new(head).chain(rest))))
}

/// Fails once, as another reader did.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
