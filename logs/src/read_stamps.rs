//! Size and checksum of files, made while they are read.

// To read a large file takes longer than to sum it up, so no file is read once more for its checksum.

use flate2::Crc;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The size and the CRC-32 of each file that was read to its end, packed or not: its bytes as they are on disk.
#[derive(Clone, Debug, Default)]
pub struct ReadStamps(Arc<Mutex<BTreeMap<PathBuf, Stamp>>>);

type Stamp = (u64, u32);

/// Bytes that are read at once where nothing else is done with them.
const BLOCK: usize = 1 << 16;

impl ReadStamps {
    /// The bytes of a file, which gets its stamp where they end.
    pub fn reader<R: Read>(&self, path: &Path, reader: R) -> impl Read + use<R> {
        Stamping { reader, path: path.to_owned(), size: 0, sum: Crc::new(), stamps: self.clone() }
    }

    /// The size and the checksum of a file, which is read now if nobody has read it to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_file(&self, path: &Path) -> io::Result<(u64, u32)> {
        if let Some(stamp) = self.get(path) {
            return Ok(stamp);
        }
        let reader = self.reader(path, File::open(path)?);
        io::copy(&mut BufReader::with_capacity(BLOCK, reader), &mut io::sink())?;
        self.get(path).ok_or_else(|| io::Error::other("it has no end"))
    }

    fn get(&self, path: &Path) -> Option<Stamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }
}

/// A reader of a file.
struct Stamping<R> {
    reader: R,
    path: PathBuf,
    size: u64,
    sum: Crc,
    stamps: ReadStamps,
}

impl<R: Read> Read for Stamping<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.sum.update(&buffer[..read]);
        self.size += read as u64;
        if read == 0 && !buffer.is_empty() {
            let mut stamps = self.stamps.0.lock().unwrap_or_else(PoisonError::into_inner);
            stamps.insert(self.path.clone(), (self.size, self.sum.sum()));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_to_its_end_is_not_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        std::fs::write(&path, "123456789").expect("a file");
        // The check value of CRC-32.
        let whole = (9, 0xcbf4_3926);
        for most in [0, 4, 9, 100] {
            let stamps = ReadStamps::default();
            let file = File::open(&path).expect("a file");
            io::copy(&mut stamps.reader(&path, file).take(most), &mut io::sink()).expect("bytes");
            assert_eq!(stamps.get(&path), (most > 9).then_some(whole), "{most}");
            assert_eq!(stamps.of_file(&path).expect("a stamp"), whole);
        }
        assert!(ReadStamps::default().of_file(&folder.path().join("none")).is_err());
    }
}
