//! The files that the paths of a command line stand for: files, folders, patterns and standard input.

// Idea: a folder is walked by name, and each real folder once per path, so that a link that leads
// back cannot make sessions count several times. Other files in a folder are left out by their extension, and the
// unfinished output of another run by its name; a file that was named is always read.

use crate::compressed::{decompress, is_named_packed};
use crate::log_error::LogError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files of some paths, and notes on them for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFiles {
    /// In the order of the paths, those of a folder or pattern in the order of their names.
    pub files: Vec<InputFile>,
    /// Folders that were not read a second time, files that are, files of folders that are not logs, unfinished
    /// outputs, and files and folders that are empty.
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

/// Extensions of files that are not logs but often lie beside them: files of this tool without events,
/// and texts for people.
const NO_LOGS: [&str; 11] =
    ["hif", "hsf", "mtb", "timbuk", "toml", "md", "rst", "adoc", "html", "yaml", "yml"];

impl InputFiles {
    /// Lists files, the files in folders and in the folders of these, the files that match
    /// patterns, and `-` for standard input. Opens none but small packed files.
    ///
    /// # Errors
    /// When a path does not exist, a folder cannot be listed or holds a pipe, a socket or a device, or no file matches a
    /// pattern.
    pub fn list(paths: &[PathBuf]) -> Result<InputFiles, LogError> {
        InputFiles::list_without(paths, &Exclusions::default())
    }

    /// The same without files and folders in folders, or of patterns, that are excluded.
    ///
    /// # Errors
    /// Those of [`InputFiles::list`].
    pub fn list_without(paths: &[PathBuf], exclude: &Exclusions) -> Result<InputFiles, LogError> {
        let mut listing = Listing {
            listed: InputFiles::default(),
            exclude,
            known: HashMap::new(),
            again: vec![],
            stdin: None,
        };
        paths.iter().try_for_each(|path| listing.add(path))?;
        let Listing { mut listed, again, .. } = listing;
        if let Some((path, first)) = again.first() {
            let (path, first) = (path.display(), first.display());
            listed.notes.push(match again.len() {
                1 => format!("{path}: the same file as {first}; it is read once more"),
                more => format!(
                    "{more} files are read once more under another name or path, first {path}: the same file as {first}"
                ),
            });
        }
        Ok(listed)
    }

    /// The files elsewhere that a folder or pattern stands for, without those that are left out of a folder or pattern here.
    pub fn elsewhere(
        top: &Path,
        paths: Vec<PathBuf>,
        is_folder: bool,
        exclude: &Exclusions,
    ) -> InputFiles {
        let ways = |path: &PathBuf, holds: &dyn Fn(&Path) -> bool| {
            path.ancestors().take_while(|way| *way != top).any(holds)
        };
        let mut listed = InputFiles::default();
        let (unfinished, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| ways(path, &is_unfinished));
        let (excluded, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| ways(path, &|way| exclude.has(way, top)));
        let (no_logs, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| is_folder && is_no_log(path));
        listed.note_left_out(top, &excluded, EXCLUDED);
        listed.note_left_out(top, &no_logs, NO_LOG);
        listed.note_unfinished(top, &unfinished);
        let file = |path| InputFile { path, folder: Some(top.to_owned()) };
        listed.files = paths.into_iter().map(file).collect();
        listed
    }

    /// Notes that files of a folder or pattern are left out, and why: of one file, and of several.
    fn note_left_out(&mut self, top: &Path, files: &[PathBuf], [one, several]: [&str; 2]) {
        let one = format!("file {one}, and left out");
        self.note(top, files, [&one, &format!("files {several}, and left out")]);
    }

    /// A note about one or several of the files or folders below a folder.
    fn note(&mut self, top: &Path, paths: &[PathBuf], [one, several]: [&str; 2]) {
        let Some(first) = paths.first() else { return };
        let (top, first) = (top.display(), first.display());
        self.notes.push(match paths.len() {
            1 => format!("{top}: 1 {one}: {first}"),
            more => format!("{top}: {more} {several}, first {first}"),
        });
    }

    fn note_unfinished(&mut self, top: &Path, files: &[PathBuf]) {
        let why = ["is an unfinished output of a run", "are unfinished outputs of runs"];
        self.note_left_out(top, files, why);
    }
}

/// Files while they are listed.
struct Listing<'e> {
    listed: InputFiles,
    exclude: &'e Exclusions,
    /// Each file, and the first path that leads to it.
    known: HashMap<Identity, PathBuf>,
    /// Other paths to files, and those first ones.
    again: Vec<(PathBuf, PathBuf)>,
    /// The first path that stands for standard input.
    stdin: Option<PathBuf>,
}

/// The numbers or the path by which two paths name one file.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_path: &Path, metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(path: &Path, _metadata: &fs::Metadata) -> Identity {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl Listing<'_> {
    fn add(&mut self, path: &Path) -> Result<(), LogError> {
        if is_stdin(path) {
            self.add_stdin(path);
            return Ok(());
        }
        let metadata = fs::metadata(path);
        if metadata.is_err() && path.to_string_lossy().contains(['*', '?', '[']) {
            return self.add_matches(path);
        }
        let metadata = metadata.map_err(|error| LogError::path(path, error))?;
        if metadata.is_dir() {
            return self.add_folder(path);
        }
        if is_empty(path, &metadata) {
            self.listed.notes.push(format!("{}: the file is empty", path.display()));
        }
        self.put(path.to_owned(), None, Some(&metadata));
        Ok(())
    }

    /// Adds standard input, which may be a file that is named, too.
    fn add_stdin(&mut self, path: &Path) {
        if let Some(first) = self.stdin.clone() {
            self.note_stream(path, &first);
            return self.put(path.to_owned(), None, None);
        }
        self.stdin = Some(path.to_owned());
        self.put(path.to_owned(), None, fs::metadata("/dev/stdin").ok().as_ref());
    }

    /// Adds a file.
    fn put(&mut self, path: PathBuf, folder: Option<PathBuf>, metadata: Option<&fs::Metadata>) {
        if let Some(metadata) = metadata {
            match self.known.entry(identity(&path, metadata)) {
                Entry::Occupied(first) if metadata.is_file() => {
                    self.again.push((path.clone(), first.get().clone()));
                }
                Entry::Occupied(first) => {
                    let first = first.get().clone();
                    self.note_stream(&path, &first);
                }
                Entry::Vacant(place) => _ = place.insert(path.clone()),
            }
        }
        self.listed.files.push(InputFile { path, folder });
    }

    /// Notes that a stream has a second name among the paths.
    fn note_stream(&mut self, path: &Path, first: &Path) {
        let (path, first) = (path.display(), first.display());
        let note = format!("{path}: the same stream as {first}, where all of it is read");
        self.listed.notes.push(note);
    }

    fn add_matches(&mut self, pattern: &Path) -> Result<(), LogError> {
        let (unfinished, finished): (Vec<_>, Vec<_>) =
            matches(pattern)?.into_iter().partition(|path| is_unfinished(path));
        self.listed.note_unfinished(pattern, &unfinished);
        let (excluded, read): (Vec<_>, Vec<_>) =
            finished.into_iter().partition(|path| self.exclude.has(path, Path::new("")));
        self.listed.note_left_out(pattern, &excluded, EXCLUDED);
        read.iter().try_for_each(|path| {
            reject_stream(path, fs::metadata(path).ok().as_ref())?;
            self.add(path)
        })
    }

    fn add_folder(&mut self, top: &Path) -> Result<(), LogError> {
        let before = self.listed.files.len();
        let mut walk = Walk {
            top,
            listing: self,
            read: HashMap::new(),
            no_logs: Vec::new(),
            unfinished: Vec::new(),
            excluded: Vec::new(),
            empty: Vec::new(),
            empty_folders: Vec::new(),
        };
        walk.folder(top)?;
        let Walk { no_logs, unfinished, excluded, empty, empty_folders, .. } = walk;
        let listed = &mut self.listed;
        if listed.files.len() == before {
            listed.notes.push(format!("{}: the folder holds no log", top.display()));
        }
        listed.note(top, &empty, ["file is empty", "files are empty"]);
        listed.note(top, &empty_folders, ["folder is empty", "folders are empty"]);
        listed.note_left_out(top, &excluded, EXCLUDED);
        listed.note_left_out(top, &no_logs, NO_LOG);
        listed.note_unfinished(top, &unfinished);
        Ok(())
    }
}

/// The notes on files that are excluded: on one, and on several.
const EXCLUDED: [&str; 2] =
    ["or folder is excluded by ‹exclude›", "or folders are excluded by ‹exclude›"];

/// The same on files that are not logs.
const NO_LOG: [&str; 2] = ["is not a log by its extension", "are not logs by their extensions"];

fn no_pattern(error: &glob::PatternError) -> String {
    format!("{error}; `[[]` is a bracket in a name")
}

/// Files and folders that are not read of folders and patterns: those whose name matches a pattern, or whose path from
/// the folder that was named, if there is a slash in the pattern.
#[derive(Clone, Debug, Default)]
pub struct Exclusions(Vec<glob::Pattern>);

impl Exclusions {
    /// The patterns.
    ///
    /// # Errors
    /// When one is not a pattern.
    pub fn parse(patterns: &[String]) -> Result<Exclusions, LogError> {
        let parsed = patterns.iter().map(|text| {
            let error = |error: glob::PatternError| LogError::Pattern {
                pattern: text.clone(),
                why: no_pattern(&error),
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
struct Walk<'a, 'e> {
    top: &'a Path,
    listing: &'a mut Listing<'e>,
    /// Each real folder, and the path by which it was read.
    read: HashMap<PathBuf, PathBuf>,
    no_logs: Vec<PathBuf>,
    unfinished: Vec<PathBuf>,
    excluded: Vec<PathBuf>,
    /// Files without a byte, which are read all the same.
    empty: Vec<PathBuf>,
    /// Folders inside of the one that is walked, without a file or a folder.
    empty_folders: Vec<PathBuf>,
}

impl Walk<'_, '_> {
    fn folder(&mut self, folder: &Path) -> Result<(), LogError> {
        let failure = |error| LogError::path(folder, error);
        // A system without links has no other name for it.
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if let Some(first) = self.read.get(&real) {
            let (folder, first) = (folder.display(), first.display());
            self.listing
                .listed
                .notes
                .push(format!("{folder}: the same folder as {first}; it is read once"));
            return Ok(());
        }
        self.read.insert(real, folder.to_owned());
        let entries = fs::read_dir(folder).map_err(failure)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>().map_err(failure)?;
        if paths.is_empty() && folder != self.top {
            self.empty_folders.push(folder.to_owned());
        }
        paths.sort();
        paths.into_iter().try_for_each(|path| self.entry(path))
    }

    fn entry(&mut self, path: PathBuf) -> Result<(), LogError> {
        let metadata = fs::metadata(&path).ok();
        if is_unfinished(&path) {
            self.unfinished.push(path);
        } else if self.listing.exclude.has(&path, self.top) {
            self.excluded.push(path);
        } else if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return self.folder(&path);
        } else if is_no_log(&path) {
            self.no_logs.push(path);
        } else {
            reject_stream(&path, metadata.as_ref())?;
            if metadata.as_ref().is_some_and(|it| is_empty(&path, it)) {
                self.empty.push(path.clone());
            }
            self.listing.put(path, Some(self.top.to_owned()), metadata.as_ref());
        }
        Ok(())
    }
}

/// Rejects a pipe, a socket or a device that nobody named itself: reading it may wait for ever.
fn reject_stream(path: &Path, metadata: Option<&fs::Metadata>) -> Result<(), LogError> {
    if metadata.is_none_or(|it| it.is_file() || it.is_dir()) {
        return Ok(());
    }
    let message = "no file but a pipe, a socket or a device, which is not read with its folder or by a pattern; name it \
                   itself, or leave it out by ‹exclude=NAME›";
    Err(LogError::path(path, io::Error::other(message)))
}

/// Whether a path leads to a file that has no byte, or is packed and has none inside.
pub fn is_empty_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| is_empty(path, &metadata))
}

/// Whether a file has no byte, or is packed and has none inside.
fn is_empty(path: &Path, metadata: &fs::Metadata) -> bool {
    metadata.is_file()
        && (metadata.len() == 0
            || metadata.len() <= MOST_PACKED_NOTHING
                && is_named_packed(path)
                && is_packed_nothing(path))
}

/// The most bytes that a packed file without content has: a header with a name, and a frame for other tools. An estimate.
const MOST_PACKED_NOTHING: u64 = 512;

fn is_packed_nothing(path: &Path) -> bool {
    let unpacked = || decompress(path, fs::File::open(path)?)?.take(1).read_to_end(&mut Vec::new());
    unpacked().is_ok_and(|bytes| bytes == 0)
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
    let paths = glob::glob(text).map_err(|error| pattern_error(no_pattern(&error)))?;
    let paths: Result<Vec<PathBuf>, _> = paths.collect();
    let paths = paths.map_err(|error| pattern_error(error.to_string()))?;
    if paths.is_empty() {
        return Err(pattern_error(
            "no file is called like that; correct the pattern, or name a file".to_owned(),
        ));
    }
    Ok(paths)
}
