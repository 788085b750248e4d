//! Compressed inputs, recognised by their first bytes.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Frames with contents for other tools may come first.
const ZSTD_SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// The first bytes of formats that are not unpacked, and their names.
const REFUSED: [(&[u8], &str); 8] = [
    (&[0xfd, b'7', b'z', b'X'], "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (&[b'7', b'z', 0xbc, 0xaf], "7z"),
    (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
    (&[0x1f, 0x9d], "compress"),
    (b"Rar!", "rar"),
];
/// Extensions of files that are never empty, since they are packed.
const PACKED: [&str; 8] = ["gz", "zst", "zstd", "xz", "bz2", "zip", "lz4", "7z"];
/// How often an input may be packed: twice is a slip that happens, more is an attack.
const MOST_LAYERS: usize = 3;

/// The bytes of a reader, unpacked if they are gzip or zstd (also several packed files one after
/// the other, or packed again), else as they are; `name` is the input's.
///
/// # Errors
/// When the first bytes cannot be read, the input is packed in another way, or it is empty and should be packed by its
/// name. A damaged file is an error of the reader that is returned.
pub fn decompress<'r>(
    name: &Path,
    reader: impl Read + Send + 'r,
) -> io::Result<Box<dyn Read + Send + 'r>> {
    let (mut head, mut reader) = head_of(Box::new(reader))?;
    if head.is_empty() && is_named_packed(name) {
        return Err(io::Error::other("the file is empty, and no packed file is; pack it again"));
    }
    for _ in 0..MOST_LAYERS {
        let inner = match () {
            () if is_gzip(&head) => {
                Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(reader)))
            }
            () if is_zstd(&head) => unzstd(reader)?,
            () => {
                let refused = REFUSED.iter().find(|(first, _)| head.starts_with(first));
                let Some((_, format)) = refused else { return Ok(reader) };
                let message = format!(
                    "the input is packed with {format}; unpack it, or pack it with gzip or zstd"
                );
                return Err(io::Error::other(message));
            }
        };
        (head, reader) = head_of(inner)?;
    }
    if is_packed(&head) {
        return Err(io::Error::other(format!(
            "the input is packed more than {MOST_LAYERS} times; unpack it"
        )));
    }
    Ok(reader)
}

/// Whether a file is packed by its name.
pub(crate) fn is_named_packed(name: &Path) -> bool {
    let extension = name.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|it| PACKED.contains(&&*it.to_ascii_lowercase()))
}

/// The first bytes of a reader, and a reader that still has them.
fn head_of<'r>(
    mut reader: Box<dyn Read + Send + 'r>,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send + 'r>)> {
    let mut head = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(reader))))
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
    Ok(Box::new(Zstd(zstd::Decoder::new(packed)?)))
}

/// Says that data is damaged where the library of zstd has an error of no kind.
#[cfg(feature = "columnar")]
struct Zstd<R>(R);

#[cfg(feature = "columnar")]
impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Other => {
                let message = format!("the data is damaged: {error}");
                io::Error::new(io::ErrorKind::InvalidData, message)
            }
            _ => error,
        })
    }
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
