//! Size and checksum of the files that a run has read, for partial reports.

use multitrace_logs::ReadStamps;
use multitrace_reports::partial::{InputStamp, InputStamps};
use rayon::prelude::*;
use std::path::PathBuf;

/// Those of files, and of streams that were read to their end; files that cannot be read at all are reported by the run
/// itself. Each file has with it whether sessions depend on its name. In runs over inputs of their own, a file that holds
/// nothing, such as a table without rows, may be the same everywhere.
pub(crate) fn input_stamps(
    files: &[(PathBuf, bool)],
    read: &ReadStamps,
    is_shard: bool,
) -> InputStamps {
    let files = files.par_iter().filter(|(path, _)| is_shard || !read.is_empty(path));
    let stamps = files.filter_map(|(path, is_named)| {
        // Opening a pipe would take its writer away from the run.
        let stamp = if path.is_file() { read.of_file(path).ok() } else { read.get(path) };
        let (size, checksum) = stamp?;
        Some((path.display().to_string(), InputStamp { size, checksum, is_named: *is_named }))
    });
    let stamps: Vec<_> = stamps.collect();
    stamps.into_iter().collect()
}
