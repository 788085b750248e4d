//! Size and checksum of the files that a run has read, for partial reports.

use multitrace_logs::ReadStamps;
use multitrace_reports::partial::{InputStamp, InputStamps};
use rayon::prelude::*;
use std::path::PathBuf;

/// Those of files that can be read twice; files that cannot be read at all are reported by the run itself.
pub(crate) fn input_stamps(files: &[PathBuf], read: &ReadStamps) -> InputStamps {
    // Opening a pipe would take its writer away from the run.
    let files = files.par_iter().filter(|path| path.is_file());
    let stamps = files.filter_map(|path| {
        let (size, checksum) = read.of_file(path).ok()?;
        Some((path.display().to_string(), vec![InputStamp { size, checksum }]))
    });
    stamps.collect()
}
