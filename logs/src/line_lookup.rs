//! Lines of event logs, read again by their numbers: for problems that are found when the text of a
//! record is no longer there.

// Idea: the first look into a file notes where every `STRIDE`th line starts; each look reads on from
// there. The problems of a file together cost one pass over it, and a stretch of lines each.
//
// Only files that can be read again are looked into. Packed files are not: they have no lines as they
// stand.

use crate::compressed::is_packed;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::OnceLock;

/// How many lines are between two places that are kept: 8 bytes of memory for some 10 KiB of a log.
const STRIDE: u64 = 128;
/// The longest line that is shown. Of longer ones messages show a piece, and they are seldom logs.
const MOST_BYTES: u64 = 1 << 20;

/// Finds lines of event logs.
#[derive(Debug)]
pub(crate) struct LineLookup {
    files: Vec<LineFile>,
}

#[derive(Debug)]
struct LineFile {
    /// Where it is read again, if it can be.
    path: Option<PathBuf>,
    /// Where the lines 1, 1 + STRIDE, … start. Empty if the file cannot be read.
    starts: OnceLock<Vec<u64>>,
}

impl LineLookup {
    /// For the files of a run, in their order; `None` is an input that cannot be read again.
    pub(crate) fn new(paths: impl IntoIterator<Item = Option<PathBuf>>) -> LineLookup {
        let file = |path| LineFile { path, starts: OnceLock::new() };
        LineLookup { files: paths.into_iter().map(file).collect() }
    }

    /// A line of a file, from 1, without its end; `None` if it is not there, not UTF-8, or too long.
    pub(crate) fn line(&self, file: u32, number: u64) -> Option<String> {
        let LineFile { path, starts } = self.files.get(file as usize)?;
        let path = path.as_ref()?;
        let starts = starts.get_or_init(|| File::open(path).map_or(Vec::new(), line_starts));
        let before = number.checked_sub(1)?;
        let start = starts.get(usize::try_from(before / STRIDE).ok()?)?;
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(*start)).ok()?;
        let mut reader = BufReader::new(file);
        for _ in 0..before % STRIDE {
            reader.skip_until(b'\n').ok()?;
        }
        let mut line = Vec::new();
        reader.take(MOST_BYTES).read_until(b'\n', &mut line).ok()?;
        let is_whole = line.len() as u64 != MOST_BYTES;
        if line.pop_if(|last| *last == b'\n').is_some() {
            line.pop_if(|last| *last == b'\r');
        } else if !is_whole || line.is_empty() {
            return None;
        }
        String::from_utf8(line).ok()
    }
}

/// Where every `STRIDE`th line starts; nothing if the file cannot be read to its end.
fn line_starts(file: File) -> Vec<u64> {
    let (mut reader, mut starts) = (BufReader::with_capacity(1 << 18, file), Vec::new());
    if reader.fill_buf().is_ok_and(is_packed) {
        return starts;
    }
    let (mut at, mut lines) = (0_u64, 0_u64);
    loop {
        if lines.is_multiple_of(STRIDE) {
            starts.push(at);
        }
        match reader.skip_until(b'\n') {
            Ok(0) => return starts,
            Ok(length) => at += length as u64,
            Err(_) => return Vec::new(),
        }
        lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_line_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let text: String = (1..=3000).map(|number| format!("line {number}\r\n")).collect();
        std::fs::write(&path, text.trim_end()).expect("a file");
        let lookup = LineLookup::new([None, Some(path), Some(folder.path().join("none"))]);
        for number in [1, 2, 128, 129, 130, 256, 257, 3000] {
            assert_eq!(lookup.line(1, number), Some(format!("line {number}")));
        }
        for (file, number) in [(1, 0), (1, 3001), (1, 9000), (0, 1), (2, 1), (3, 1)] {
            assert_eq!(lookup.line(file, number), None, "{file} {number}");
        }
    }
}
