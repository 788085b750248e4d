//! The lines of logs that events were read from, read again.

use multitrace_formats::place::Place;
use multitrace_logs::raw_lines;
use multitrace_reports::timeline::TimelineRow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Adds the lines of the logs to rows. A line of several records stands at the first. Inputs that cannot be read again leave their rows without: `streams` are
/// the names of such inputs, which may be those of other files.
pub(crate) fn add_lines(mut rows: Vec<&mut TimelineRow>, streams: &[Arc<str>]) {
    let mut wanted: BTreeMap<Arc<str>, BTreeSet<usize>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_line) {
        if let Some(Place { file, line: Some(line), record: None }) = &row.place {
            wanted.entry(Arc::clone(file)).or_default().insert(*line);
        }
    }
    wanted.retain(|file, _| !streams.contains(file));
    for (file, numbers) in wanted {
        let Ok(lines) = raw_lines(Path::new(&*file), &numbers) else { continue };
        for row in rows.iter_mut().filter(|row| row.is_line) {
            let is_whole = |place: &&Place| place.file == file && place.record.is_none();
            let place = row.place.as_ref().filter(is_whole);
            row.line = place.and_then(|place| lines.get(&place.line?).cloned()).or(row.line.take());
        }
    }
}
