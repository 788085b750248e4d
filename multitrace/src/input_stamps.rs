//! Size and checksum of the files that a run reads, for partial reports.

use flate2::Crc;
use multitrace_reports::partial::{InputStamp, InputStamps};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

/// Bytes that are read at once: some hundred microseconds of work.
const BLOCK: usize = 1 << 20;

/// The files that can be read twice; what cannot be read at all is reported by the run itself.
pub(crate) fn input_stamps(files: &[PathBuf]) -> InputStamps {
    let stamps = files.par_iter().filter_map(|path| {
        // Opening a pipe would take its writer away from the run.
        let file = path.is_file().then(|| File::open(path).ok()).flatten()?;
        Some((path.display().to_string(), vec![stamp(file).ok()?]))
    });
    stamps.collect()
}

/// The whole content, as it is on disk.
fn stamp(file: File) -> io::Result<InputStamp> {
    let (mut reader, mut size, mut checksum) =
        (BufReader::with_capacity(BLOCK, file), 0, Crc::new());
    loop {
        let block = reader.fill_buf()?;
        if block.is_empty() {
            return Ok(InputStamp { size, checksum: checksum.sum() });
        }
        checksum.update(block);
        let read = block.len();
        size += read as u64;
        reader.consume(read);
    }
}
