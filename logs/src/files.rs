//! The files of event logs: their list, and how each is opened.

use crate::batches::RecordBatches;
use crate::error::EventError;
use crate::log_error::LogError;
use crate::mapping::Mapping;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// All files, in the order of the command line, those of a folder in the order of their names.
///
/// Fails when a path does not exist or a folder cannot be listed.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LogError> {
    let mut files = Vec::new();
    for path in paths {
        add(path, &mut files)?;
    }
    Ok(files)
}

fn add(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), LogError> {
    if path.as_os_str() == "-" {
        files.push(path.to_owned());
        return Ok(());
    }
    let failure = |error: io::Error| LogError::path(path, error);
    let metadata = std::fs::metadata(path);
    if metadata.is_err() && path.to_string_lossy().contains(['*', '?', '[']) {
        return expand(path, files);
    }
    if !metadata.map_err(failure)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(failure)?;
    let inside = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut inside = inside.collect::<io::Result<Vec<_>>>().map_err(failure)?;
    inside.sort();
    inside.iter().try_for_each(|path| add(path, files))
}

/// Adds the files that match a pattern, by name. Shells do not expand quoted patterns, and some expand
/// no pattern.
fn expand(pattern: &Path, files: &mut Vec<PathBuf>) -> Result<(), LogError> {
    let pattern_error =
        |why: String| LogError::Pattern { pattern: pattern.display().to_string(), why };
    let text = pattern.to_str().ok_or_else(|| pattern_error("not UTF-8".to_owned()))?;
    let paths = glob::glob(text).map_err(|error| pattern_error(error.to_string()))?;
    let paths: Result<Vec<PathBuf>, _> = paths.collect();
    let paths = paths.map_err(|error| pattern_error(error.to_string()))?;
    if paths.is_empty() {
        return Err(pattern_error("no file is called like that".to_owned()));
    }
    paths.iter().try_for_each(|path| add(path, files))
}

/// One event log.
pub(crate) enum LogSource {
    /// A file, or `-` for standard input.
    Path(PathBuf),
    /// A reader, and what messages call it.
    Reader(String, Box<dyn io::Read + Send>),
}

impl LogSource {
    /// What messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            LogSource::Path(path) => name(path),
            LogSource::Reader(name, _) => name.clone(),
        }
    }

    /// Its records.
    pub(crate) fn open(self, mapping: &Mapping) -> Result<RecordBatches<'static>, EventError> {
        match self {
            LogSource::Path(path) => open(&path, mapping),
            LogSource::Reader(name, reader) => {
                RecordBatches::detect(&name, reader, mapping.input(), mapping.fields())
            }
        }
    }
}

/// The name of a file in messages.
fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The records of a file, unpacked if it is compressed.
///
/// # Errors
/// When it cannot be read, or its format is not known.
fn open(path: &Path, mapping: &Mapping) -> Result<RecordBatches<'static>, EventError> {
    let (name, options, fields) = (name(path), mapping.input(), mapping.fields());
    if path.as_os_str() == "-" {
        return RecordBatches::detect(&name, io::stdin(), options, fields);
    }
    let file = File::open(path).map_err(|error| EventError::Binary {
        file: name.clone(),
        place: None,
        message: error.to_string(),
        help: None,
    })?;
    RecordBatches::from_file(&name, file, options, fields)
}
