//! The files that the paths of a command line stand for: files, folders, patterns and standard input.

// Idea: a folder is walked by name, and each real folder once per path, so that a link that leads
// back cannot make sessions count several times. What a folder holds beside logs is left out by its
// extension, and the unfinished output of another run by its name; a file that was named is always read.

use crate::log_error::LogError;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of some paths, and what people should know of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFiles {
    /// In the order of the paths, those of a folder or pattern in the order of their names.
    pub files: Vec<InputFile>,
    /// Folders that were not read a second time, files of folders that are no logs, unfinished outputs, and files and
    /// folders that are empty.
    pub notes: Vec<String>,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Its path; `-` for standard input.
    pub path: PathBuf,
    /// The folder among the paths that it was found in; `None` if it was named itself.
    pub folder: Option<PathBuf>,
}

/// How the names of files and folders begin that a run of this tool has not finished.
pub const UNFINISHED: &str = ".multitrace-";

/// Extensions of files that are no logs but often lie beside them: files of this tool without events,
/// and texts for people.
const NO_LOGS: [&str; 11] =
    ["hif", "hsf", "mtb", "timbuk", "toml", "md", "rst", "adoc", "html", "yaml", "yml"];

impl InputFiles {
    /// Lists files, the files in folders and in the folders of these, the files that match
    /// patterns, and `-` for standard input. Opens none.
    ///
    /// # Errors
    /// When a path does not exist, a folder cannot be listed, or no file matches a pattern.
    pub fn list(paths: &[PathBuf]) -> Result<InputFiles, LogError> {
        InputFiles::list_without(paths, &Exclusions::default())
    }

    /// The same without files and folders in folders, or of patterns, that are excluded.
    ///
    /// # Errors
    /// Those of [`InputFiles::list`].
    pub fn list_without(paths: &[PathBuf], exclude: &Exclusions) -> Result<InputFiles, LogError> {
        let mut listed = InputFiles::default();
        paths.iter().try_for_each(|path| listed.add(path, exclude))?;
        Ok(listed)
    }

    fn add(&mut self, path: &Path, exclude: &Exclusions) -> Result<(), LogError> {
        if is_stdin(path) {
            self.files.push(InputFile { path: path.to_owned(), folder: None });
            return Ok(());
        }
        let metadata = fs::metadata(path);
        if metadata.is_err() && path.to_string_lossy().contains(['*', '?', '[']) {
            return self.add_matches(path, exclude);
        }
        let metadata = metadata.map_err(|error| LogError::path(path, error))?;
        if metadata.is_dir() {
            return self.add_folder(path, exclude);
        }
        if is_empty(&metadata) {
            self.notes.push(format!("{}: the file is empty", path.display()));
        }
        self.files.push(InputFile { path: path.to_owned(), folder: None });
        Ok(())
    }

    fn add_matches(&mut self, pattern: &Path, exclude: &Exclusions) -> Result<(), LogError> {
        let (unfinished, finished): (Vec<_>, Vec<_>) =
            matches(pattern)?.into_iter().partition(|path| is_unfinished(path));
        self.note_unfinished(pattern, &unfinished);
        let (excluded, read): (Vec<_>, Vec<_>) =
            finished.into_iter().partition(|path| exclude.has(path, Path::new("")));
        self.note_left_out(pattern, &excluded, EXCLUDED);
        read.iter().try_for_each(|path| self.add(path, exclude))
    }

    fn add_folder(&mut self, top: &Path, exclude: &Exclusions) -> Result<(), LogError> {
        let before = self.files.len();
        let mut walk = Walk {
            top,
            exclude,
            listed: self,
            read: HashMap::new(),
            no_logs: Vec::new(),
            unfinished: Vec::new(),
            excluded: Vec::new(),
            empty: Vec::new(),
        };
        walk.folder(top)?;
        let Walk { no_logs, unfinished, excluded, empty, .. } = walk;
        if self.files.len() == before {
            self.notes.push(format!("{}: the folder holds no log", top.display()));
        }
        if let Some(first) = empty.first() {
            let (top, first) = (top.display(), first.display());
            self.notes.push(match empty.len() {
                1 => format!("{top}: 1 file is empty: {first}"),
                more => format!("{top}: {more} files are empty, first {first}"),
            });
        }
        self.note_left_out(top, &excluded, EXCLUDED);
        let why = ["is no log by its extension", "are no logs by their extensions"];
        self.note_left_out(top, &no_logs, why);
        self.note_unfinished(top, &unfinished);
        Ok(())
    }

    fn note_unfinished(&mut self, top: &Path, files: &[PathBuf]) {
        let why = ["is an unfinished output of a run", "are unfinished outputs of runs"];
        self.note_left_out(top, files, why);
    }

    /// Notes that files of a folder or pattern are left out, and why: of one file, and of several.
    fn note_left_out(&mut self, top: &Path, files: &[PathBuf], [one, several]: [&str; 2]) {
        let Some(first) = files.first() else { return };
        let (top, first) = (top.display(), first.display());
        self.notes.push(match files.len() {
            1 => format!("{top}: 1 file {one}, and left out: {first}"),
            more => format!("{top}: {more} files {several}, and left out, first {first}"),
        });
    }
}

/// The notes on files that are excluded: on one, and on several.
const EXCLUDED: [&str; 2] =
    ["or folder is excluded by ‹exclude›", "or folders are excluded by ‹exclude›"];

/// What is not read of folders and patterns: files and folders whose name matches a pattern, or whose path from the folder
/// that was named, if there is a slash in the pattern.
#[derive(Clone, Debug, Default)]
pub struct Exclusions(Vec<glob::Pattern>);

impl Exclusions {
    /// The patterns.
    ///
    /// # Errors
    /// When one is no pattern.
    pub fn parse(patterns: &[String]) -> Result<Exclusions, LogError> {
        let parsed = patterns.iter().map(|text| {
            let error = |error: glob::PatternError| LogError::Pattern {
                pattern: text.clone(),
                why: error.to_string(),
            };
            glob::Pattern::new(text.trim_end_matches('/')).map_err(error)
        });
        parsed.collect::<Result<_, _>>().map(Exclusions)
    }

    fn has(&self, path: &Path, top: &Path) -> bool {
        let relative = path.strip_prefix(top).unwrap_or(path);
        let name = path.file_name().map(Path::new).unwrap_or(path);
        self.0.iter().any(|pattern| {
            let compared = if pattern.as_str().contains('/') { relative } else { name };
            pattern.matches(&compared.to_string_lossy())
        })
    }
}

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdin")
}

/// A folder while it is walked.
struct Walk<'a> {
    top: &'a Path,
    exclude: &'a Exclusions,
    listed: &'a mut InputFiles,
    /// Each real folder, and the path by which it was read.
    read: HashMap<PathBuf, PathBuf>,
    no_logs: Vec<PathBuf>,
    unfinished: Vec<PathBuf>,
    excluded: Vec<PathBuf>,
    /// Files without a byte, which are read all the same.
    empty: Vec<PathBuf>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path) -> Result<(), LogError> {
        let failure = |error| LogError::path(folder, error);
        // A system without links has no other name for it.
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if let Some(first) = self.read.get(&real) {
            let (folder, first) = (folder.display(), first.display());
            self.listed
                .notes
                .push(format!("{folder}: the same folder as {first}; it is read once"));
            return Ok(());
        }
        self.read.insert(real, folder.to_owned());
        let entries = fs::read_dir(folder).map_err(failure)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>().map_err(failure)?;
        paths.sort();
        paths.into_iter().try_for_each(|path| self.entry(path))
    }

    fn entry(&mut self, path: PathBuf) -> Result<(), LogError> {
        let metadata = fs::metadata(&path).ok();
        if is_unfinished(&path) {
            self.unfinished.push(path);
        } else if self.exclude.has(&path, self.top) {
            self.excluded.push(path);
        } else if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return self.folder(&path);
        } else if is_no_log(&path) {
            self.no_logs.push(path);
        } else {
            self.empty.extend(metadata.filter(is_empty).map(|_| path.clone()));
            self.listed.files.push(InputFile { path, folder: Some(self.top.to_owned()) });
        }
        Ok(())
    }
}

fn is_empty(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && metadata.len() == 0
}

fn is_no_log(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|it| NO_LOGS.iter().any(|other| it.eq_ignore_ascii_case(other)))
}

fn is_unfinished(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()))
}

/// The paths that match a pattern, by name. Shells do not expand quoted patterns, and some expand no
/// pattern.
fn matches(pattern: &Path) -> Result<Vec<PathBuf>, LogError> {
    let pattern_error =
        |why: String| LogError::Pattern { pattern: pattern.display().to_string(), why };
    let text = pattern.to_str().ok_or_else(|| pattern_error("not UTF-8".to_owned()))?;
    let paths = glob::glob(text).map_err(|error| pattern_error(error.to_string()))?;
    let paths: Result<Vec<PathBuf>, _> = paths.collect();
    let paths = paths.map_err(|error| pattern_error(error.to_string()))?;
    if paths.is_empty() {
        return Err(pattern_error("no file is called like that".to_owned()));
    }
    Ok(paths)
}
