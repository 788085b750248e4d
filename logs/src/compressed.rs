//! Compressed inputs, recognised by their first bytes.

use crate::packings::{LEAST_PACKED, MARKED_BYTES, Packing, of_bytes, of_name};
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

/// How often an input may be packed: twice is a slip that happens, more is an attack.
const MOST_LAYERS: usize = 3;
/// How many first bytes are read at once. Of a damaged frame of zstd, the piece with the damage is lost.
const PIECE: usize = 32;

/// The bytes of a reader, unpacked if they are gzip or zstd (also several packed files one after
/// the other, or packed again), else as they are; `name` is the input's.
///
/// # Errors
/// When the first bytes cannot be read, the input is packed in another way, or its name says that it is packed and it is
/// empty, cut off or neither packed nor a text. A damaged file is an error of the reader that is returned.
pub fn decompress<'r>(
    name: &Path,
    reader: impl Read + Send + 'r,
) -> io::Result<Box<dyn Read + Send + 'r>> {
    let (mut head, mut reader) = head_of(Box::new(reader))?;
    if of_bytes(&head).is_none()
        && let Some(packing) = of_name(name)
    {
        reject_other(packing, &head)?;
    }
    for _ in 0..MOST_LAYERS {
        let inner = match of_bytes(&head) {
            None => return Ok(reader),
            Some(packing) if !packing.is_read => {
                return Err(io::Error::other(format!(
                    "the input is packed with {}; unpack it, or pack it with gzip or zstd",
                    packing.name
                )));
            }
            Some(Packing { name: "gzip", .. }) => {
                Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(reader)))
            }
            Some(_) => unzstd(reader)?,
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

/// Rejects an input whose name says that it is packed and whose first bytes do not: if it is empty, shorter than any packed
/// file, or not a text. A text under such a name is read.
fn reject_other(packing: &Packing, head: &[u8]) -> io::Result<()> {
    let name = packing.name;
    let message = match head.len() {
        0 => "the file is empty, and no packed file is; pack it again, or rename it".to_owned(),
        1..LEAST_PACKED => format!(
            "the file is packed with {name} by its name, and cut off at byte {}; pack it again, or rename it",
            head.len()
        ),
        _ if is_text(head) => return Ok(()),
        _ if packing.is_read => format!(
            "the file is packed with {name} by its name, and its first bytes are neither {name} nor text; pack it again, \
             or rename it"
        ),
        _ => format!(
            "the input is packed with {name} by its name; unpack it, or pack it with gzip or zstd"
        ),
    };
    Err(io::Error::other(message))
}

/// Whether bytes begin a text in UTF-8, in which a terminal may have left its marks.
fn is_text(head: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(head).map_or_else(|it| it.error_len().is_none(), |_| true);
    is_utf8 && head.iter().all(|byte| !byte.is_ascii_control() || b"\t\n\r\x0c\x1b".contains(byte))
}

/// Whether a file is packed by its name.
pub(crate) fn is_named_packed(name: &Path) -> bool {
    of_name(name).is_some()
}

/// The first bytes of a reader, and a reader that still has them. Of a stream, no more is read than its first line, since
/// the next one may come much later. If the reader fails after its first byte, the returned one fails there.
fn head_of<'r>(
    mut reader: Box<dyn Read + Send + 'r>,
) -> io::Result<(Vec<u8>, Box<dyn Read + Send + 'r>)> {
    let (mut head, mut block) = (Vec::new(), [0; PIECE]);
    let mut rest = None;
    while head.len() < LEAST_PACKED || head.len() < MARKED_BYTES && !head.contains(&b'\n') {
        match reader.read(&mut block[..PIECE.min(MARKED_BYTES - head.len())]) {
            Ok(0) => break,
            Ok(read) => head.extend_from_slice(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if head.is_empty() => return Err(error),
            Err(error) => {
                rest = Some(Failing(Some(error)));
                break;
            }
        }
    }
    let bytes = Cursor::new(head.clone());
    Ok(match rest {
        Some(failing) => (head, Box::new(bytes.chain(failing))),
        None => (head, Box::new(bytes.chain(reader))),
    })
}

/// Whether a file that begins with these bytes is packed, and is unpacked here.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    of_bytes(head).is_some_and(|packing| packing.is_read)
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
