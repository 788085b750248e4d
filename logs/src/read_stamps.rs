//! Reading files to their end: a file that becomes shorter meanwhile is an error, and each may leave its size and checksum.

// To read a large file takes longer than to sum it up, so no file is read once more for its checksum. crc32fast uses
// the instructions of the processor for it; flate2 with its backend in Rust does not.

use crc32fast::Hasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The size and the CRC-32 of each file that was read to its end, packed or not: its bytes as they are on disk. By default
/// nothing is kept.
#[derive(Clone, Debug, Default)]
pub struct ReadStamps(Option<Arc<Mutex<Kept>>>);

type Stamp = (u64, u32);

#[derive(Debug, Default)]
struct Kept {
    stamps: BTreeMap<PathBuf, Stamp>,
    /// The files that hold nothing.
    empty: BTreeSet<PathBuf>,
}

/// Bytes that are read at once where nothing else is done with them.
const BLOCK: usize = 1 << 16;

impl ReadStamps {
    /// Stamps that are kept.
    pub fn kept() -> ReadStamps {
        ReadStamps(Some(Arc::default()))
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When it cannot be opened. A file that becomes shorter while it is read is an error of the reader.
    pub fn open(&self, path: &Path) -> io::Result<impl Read + use<>> {
        let file = File::open(path)?;
        let size = size(&file);
        Ok(self.reader(path, size, file))
    }

    /// The bytes of standard input, which has a name.
    pub fn stream<R: Read>(&self, name: &Path, reader: R) -> impl Read + use<R> {
        self.reader(name, 0, reader)
    }

    /// The bytes of a file that has this size where it is opened.
    pub(crate) fn reader<R: Read>(&self, path: &Path, size: u64, reader: R) -> WholeFile<R> {
        let stamps = self.clone();
        WholeFile { reader, path: path.to_owned(), size, read: 0, sum: Hasher::new(), stamps }
    }

    /// The size and the checksum of a file, which is read now if nobody has read it to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_file(&self, path: &Path) -> io::Result<(u64, u32)> {
        if let Some(stamp) = self.get(path) {
            return Ok(stamp);
        }
        let mut reader = BufReader::with_capacity(BLOCK, self.open(path)?);
        io::copy(&mut reader, &mut io::sink())?;
        self.get(path).ok_or_else(|| io::Error::other("no stamps are kept"))
    }

    /// The size and the checksum of a file that was read to its end.
    pub fn get(&self, path: &Path) -> Option<(u64, u32)> {
        self.locked()?.stamps.get(path).copied()
    }

    /// Notes that a file, which was read to its end, holds no session or record.
    pub fn note_empty(&self, path: &Path) {
        if let Some(mut kept) = self.locked() {
            kept.empty.insert(path.to_owned());
        }
    }

    /// Whether a file was read to its end, and holds no session or record.
    pub fn is_empty(&self, path: &Path) -> bool {
        self.locked().is_some_and(|kept| kept.empty.contains(path))
    }

    fn locked(&self) -> Option<MutexGuard<'_, Kept>> {
        Some(self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The bytes that a regular file has now; 0 for others, whose size says nothing.
pub(crate) fn size(file: &File) -> u64 {
    file.metadata().ok().filter(std::fs::Metadata::is_file).map_or(0, |it| it.len())
}

/// A reader of a file.
pub(crate) struct WholeFile<R> {
    reader: R,
    path: PathBuf,
    /// The size of the file at first.
    size: u64,
    read: u64,
    sum: Hasher,
    stamps: ReadStamps,
}

impl<R: Read> Read for WholeFile<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.read += read as u64;
        if self.stamps.0.is_some() {
            self.sum.update(&buffer[..read]);
        }
        if read == 0
            && !buffer.is_empty()
            && let Some(mut kept) = self.stamps.locked()
        {
            let stamp = (self.read, self.sum.clone().finalize());
            kept.stamps.insert(self.path.clone(), stamp);
        }
        if read == 0 && !buffer.is_empty() && self.read < self.size {
            let (read, size) = (self.read, std::mem::take(&mut self.size));
            let message =
                format!("the file became shorter meanwhile: {read} bytes, and not {size}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path) -> PathBuf {
        let path = folder.join("log");
        std::fs::write(&path, "123456789").expect("a file");
        path
    }

    #[test]
    fn what_was_read_to_its_end_is_not_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = file(folder.path());
        // The check value of CRC-32.
        let whole = (9, 0xcbf4_3926);
        for most in [0, 4, 9, 100] {
            let stamps = ReadStamps::kept();
            let reader = stamps.open(&path).expect("a file");
            io::copy(&mut reader.take(most), &mut io::sink()).expect("bytes");
            assert_eq!(stamps.get(&path), (most > 9).then_some(whole), "{most}");
            assert_eq!(stamps.of_file(&path).expect("a stamp"), whole);
        }
        assert!(ReadStamps::kept().of_file(&folder.path().join("none")).is_err());
    }

    #[test]
    fn a_file_that_becomes_shorter_is_an_error_and_one_that_grows_is_read_on() {
        let folder = tempfile::tempdir().expect("a folder");
        for (size, expected) in [(6, None), (9, Some("789")), (11, Some("789\0\0"))] {
            let path = file(folder.path());
            let mut reader = ReadStamps::default().open(&path).expect("a file");
            reader.read_exact(&mut [0; 6]).expect("bytes");
            let file = File::options().write(true).open(&path).expect("a file");
            file.set_len(size).expect("another size");
            let mut rest = String::new();
            let read = reader.read_to_string(&mut rest);
            assert_eq!(read.is_ok().then_some(&*rest), expected);
            assert!(read.is_ok() || reader.read(&mut [0]).is_ok_and(|read| read == 0), "told once");
        }
    }
}
