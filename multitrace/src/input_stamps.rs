//! Size and checksum of the files that a run has read, for partial reports.

use multitrace_logs::ReadStamps;
use multitrace_reports::partial::{InputStamp, InputStamps};
use rayon::prelude::*;
use std::path::PathBuf;

/// Those of files, and of streams that were read to their end; files that cannot be read at all are reported by the run
/// itself.
pub(crate) fn input_stamps(files: &[PathBuf], read: &ReadStamps) -> InputStamps {
    let stamps = files.par_iter().filter_map(|path| {
        // Opening a pipe would take its writer away from the run.
        let stamp = if path.is_file() { read.of_file(path).ok() } else { read.get(path) };
        let (size, checksum) = stamp?;
        Some((path.display().to_string(), vec![InputStamp { size, checksum }]))
    });
    stamps.collect()
}
