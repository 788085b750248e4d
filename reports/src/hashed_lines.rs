//! Files that machines exchange: lines of JSON, packed or not. The first line names the kind and its version, and the last
//! one has the hash of those before it.

// Such files come from other machines, so that reading one trusts nothing. Lines are read one at a time out of a stream
// that may be packed, and a line, and all of them together, may be no longer than the limits below: a small file cannot
// ask for much memory.

use crate::json_text::write_compact;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read, Take, Write};

/// The longest line: a set of a million fingerprints.
const MOST_LINE: u64 = 64 << 20;
/// The size that does no harm, however small the file is packed.
const HARMLESS: u64 = 64 << 20;

/// Why bytes are not a file of a kind. Its `Display` names the line and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}; {remedy}")]
pub struct LineError {
    /// The line, from 1, in the file without compression.
    pub line: usize,
    /// The problem.
    pub message: String,
    /// The remedy.
    pub remedy: &'static str,
}

/// A kind of files.
pub(crate) struct FileKind {
    /// The field of the first line that has the version.
    pub(crate) magic: &'static str,
    /// The version that this code writes and reads.
    pub(crate) version: u32,
    /// How many times larger than packed a file may be, beyond a size that does no harm.
    pub(crate) most_ratio: u64,
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The remedy where the file is of another kind.
    pub(crate) name_files: &'static str,
    /// The remedy where it is of another version.
    pub(crate) other_version: &'static str,
    /// The remedy where it is damaged.
    pub(crate) write_again: &'static str,
}

/// The lines of a file, one after another.
pub(crate) struct HashedLines<'b> {
    kind: &'static FileKind,
    reader: BufReader<Take<Box<dyn Read + 'b>>>,
    number: usize,
    /// Of all lines so far.
    pub(crate) hash: Sha256,
    pub(crate) line: Vec<u8>,
}

impl<'b> HashedLines<'b> {
    /// Those of some bytes, packed by gzip or not.
    pub(crate) fn new(kind: &'static FileKind, bytes: &'b [u8]) -> HashedLines<'b> {
        let most = HARMLESS.saturating_add((bytes.len() as u64).saturating_mul(kind.most_ratio));
        let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
        let unpacked: Box<dyn Read + 'b> =
            if is_packed { Box::new(MultiGzDecoder::new(bytes)) } else { Box::new(bytes) };
        let reader = BufReader::new(unpacked.take(most));
        HashedLines { kind, reader, number: 0, hash: Sha256::new(), line: Vec::new() }
    }

    /// An error in the line that was read last.
    pub(crate) fn error(&self, message: impl Display) -> LineError {
        let (line, remedy) = (self.number, self.kind.write_again);
        LineError { line, message: message.to_string(), remedy }
    }

    /// Reads the next line; false at the end.
    fn read(&mut self) -> Result<bool, LineError> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.reader).take(MOST_LINE).read_until(b'\n', &mut self.line);
        read.map_err(|error| self.error(format!("the file cannot be unpacked: {error}")))?;
        if self.line.is_empty() {
            return Ok(false);
        }
        if self.line.last() != Some(&b'\n') {
            return Err(self.error("the file is cut off, or the line is too long"));
        }
        self.hash.update(&self.line);
        Ok(true)
    }

    /// The first line, if it is of this kind and version.
    pub(crate) fn header<H: DeserializeOwned>(&mut self) -> Result<H, LineError> {
        let FileKind { magic, version, name, name_files, write_again, .. } = self.kind;
        let foreign =
            |remedy| LineError { line: 1, message: format!("this is not a {name}"), remedy };
        let read = self.read();
        let head = &self.line[..self.line.len().min(magic.len() + 3)];
        let is_known = String::from_utf8_lossy(head).contains(magic);
        match read {
            Ok(true) if is_known => {}
            // Only of a file of this kind it is known that its end is missing.
            Err(error) if is_known || self.line.is_empty() => return Err(error),
            _ => return Err(foreign(name_files)),
        }
        let value: serde_json::Value =
            serde_json::from_slice(&self.line).map_err(|_| foreign(write_again))?;
        let found = value.get(magic).and_then(serde_json::Value::as_u64);
        let found = found.ok_or_else(|| foreign(write_again))?;
        if found != u64::from(*version) {
            let message = format!("a {name} of version {found}; this tool reads {version}");
            return Err(LineError { line: 1, message, remedy: self.kind.other_version });
        }
        self.parsed()
    }

    /// The next line.
    pub(crate) fn next<L: DeserializeOwned>(&mut self) -> Result<L, LineError> {
        if !self.read()? {
            return Err(self.error("the file is cut off"));
        }
        self.parsed()
    }

    fn parsed<L: DeserializeOwned>(&self) -> Result<L, LineError> {
        serde_json::from_slice(&self.line).map_err(|error| self.error(plain(&error)))
    }

    /// Whether the file ends behind its last line, which gave `told` as the hash of those before it.
    pub(crate) fn end(&mut self, before: Sha256, told: &str) -> Result<(), LineError> {
        if told != hex(&before.finalize()) || self.read()? {
            return Err(self.error("the file is damaged: its hash differs"));
        }
        Ok(())
    }
}

/// The error in a line, without the number of the line, which is always 1.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
    format!("{text}, column {}", error.column())
}

/// Writes a line.
pub(crate) fn put(out: &mut Vec<u8>, line: &impl Serialize) -> io::Result<()> {
    write_compact(&mut *out, line)?;
    out.push(b'\n');
    Ok(())
}

/// Bytes as two digits each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lines that are packed while they are written.
pub(crate) struct PackedLines {
    gzip: GzEncoder<Vec<u8>>,
    hash: Sha256,
    line: Vec<u8>,
}

impl PackedLines {
    /// The first line.
    pub(crate) fn begin(header: &impl Serialize) -> PackedLines {
        let gzip = GzEncoder::new(Vec::new(), Compression::best());
        let mut lines = PackedLines { gzip, hash: Sha256::new(), line: Vec::new() };
        lines.put(header);
        lines
    }

    /// Writes a line. Memory takes everything, and strings, numbers and lists can always be written.
    pub(crate) fn put(&mut self, line: &impl Serialize) {
        self.line.clear();
        put(&mut self.line, line).expect("memory takes everything");
        self.hash.update(&self.line);
        self.gzip.write_all(&self.line).expect("memory takes everything");
    }

    /// Writes the last line, made of the hash of those before it.
    pub(crate) fn finish<L: Serialize>(mut self, end: impl FnOnce(String) -> L) -> Vec<u8> {
        let hash = hex(&self.hash.clone().finalize());
        self.put(&end(hash));
        self.gzip.finish().expect("memory takes everything")
    }
}
