//! The inputs of `check`, one item after another in the order of the command line; the files of a
//! folder in the order of their names.

use crate::events::{EventSessions, Problem};
use crate::failure::{Failure, Outcome};
use crate::grouping::Grouped;
use crate::progress::Messages;
use multitrace_formats::sessions::{LineChunk, LineChunks};
use multitrace_formats::source::SourceError;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something to check, or the reason why it cannot be.
pub(crate) enum Input {
    /// Lines of a JSON Lines file, one session each.
    Lines { file: Arc<str>, chunk: LineChunk },
    /// A file that holds one session.
    Htf(PathBuf),
    /// Not readable to its end.
    Broken(SourceError),
    /// Sessions out of event logs, and whether some of their events may lie behind a cut.
    Sessions { sessions: Vec<Grouped>, cut: bool },
    /// What is wrong with event logs.
    Problems(Vec<Problem>),
    /// Not readable at all.
    Unreadable { file: String, error: std::io::Error },
}

/// The most inputs handed out at once per thread: enough to keep all of them busy, and no more
/// memory for a million sessions than for a thousand.
const LINES_PER_THREAD: usize = 4;
const FILES_PER_THREAD: usize = 256;

enum Kind {
    Htf,
    Lines,
    Stdin,
}

type Lines = LineChunks<Box<dyn BufRead + Send>>;

/// Where sessions come from.
pub(crate) enum Sessions {
    Files(Inputs),
    Events(EventSessions),
}

impl Sessions {
    /// The next inputs for some threads; empty at the end.
    ///
    /// Fails when a temporary file cannot be read.
    pub(crate) fn next_batch(&mut self, threads: usize) -> Outcome<Vec<Input>> {
        match self {
            Sessions::Files(inputs) => Ok(inputs.next_batch(threads)),
            Sessions::Events(events) => events.next_batch(threads),
        }
    }
}

/// All inputs of a run.
#[derive(Default)]
pub(crate) struct Inputs {
    files: VecDeque<(PathBuf, Kind)>,
    current: Option<(Arc<str>, Lines)>,
}

impl Inputs {
    /// Lists the files; opens none yet.
    ///
    /// Fails when a path does not exist or its extension tells no format. Files of a folder with
    /// other extensions are counted on standard error.
    pub(crate) fn new(paths: &[PathBuf], messages: &Messages) -> Outcome<Inputs> {
        let mut files = VecDeque::new();
        for path in paths {
            if path.as_os_str() == "-" {
                files.push_back((path.clone(), Kind::Stdin));
            } else if path.is_dir() {
                let mut others = 0;
                add_folder(path, &mut files, &mut others)?;
                if others > 0 {
                    let shown = path.display();
                    messages.note(&format!("{shown}: {others} files are neither .htf nor .jsonl"));
                }
            } else {
                std::fs::metadata(path).map_err(|error| Failure::io(path, &error))?;
                let kind = kind(path).ok_or_else(|| unknown_kind(path))?;
                files.push_back((path.clone(), kind));
            }
        }
        Ok(Inputs { files, current: None })
    }

    /// The next inputs for some threads; empty at the end.
    pub(crate) fn next_batch(&mut self, threads: usize) -> Vec<Input> {
        let mut batch = Vec::new();
        let mut room = threads * FILES_PER_THREAD;
        while room > 0
            && let Some(input) = self.next()
        {
            let takes = match input {
                Input::Lines { .. } => FILES_PER_THREAD / LINES_PER_THREAD,
                Input::Htf(_)
                | Input::Broken(_)
                | Input::Unreadable { .. }
                | Input::Sessions { .. }
                | Input::Problems(_) => 1,
            };
            room = room.saturating_sub(takes);
            batch.push(input);
        }
        batch
    }

    fn next(&mut self) -> Option<Input> {
        loop {
            if let Some((file, lines)) = &mut self.current {
                match lines.next() {
                    Some(Ok(chunk)) => {
                        return Some(Input::Lines { file: Arc::clone(file), chunk });
                    }
                    Some(Err(error)) => return Some(Input::Broken(error)),
                    None => self.current = None,
                }
            }
            let (path, kind) = self.files.pop_front()?;
            match open(&path, &kind) {
                Ok(Some(lines)) => self.current = Some((lines.name().into(), lines)),
                Ok(None) => return Some(Input::Htf(path)),
                Err(error) => {
                    return Some(Input::Unreadable { file: path.display().to_string(), error });
                }
            }
        }
    }
}

/// The lines of a file; `None` for a file that is one session.
fn open(path: &Path, kind: &Kind) -> std::io::Result<Option<Lines>> {
    let (name, reader): (String, Box<dyn BufRead + Send>) = match kind {
        Kind::Htf => return Ok(None),
        Kind::Lines => {
            let reader = BufReader::with_capacity(1 << 16, File::open(path)?);
            (path.display().to_string(), Box::new(reader))
        }
        Kind::Stdin => ("standard input".to_owned(), Box::new(BufReader::new(std::io::stdin()))),
    };
    Ok(Some(LineChunks::new(name, reader)))
}

fn kind(path: &Path) -> Option<Kind> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "htf" => Some(Kind::Htf),
        "jsonl" | "ndjson" => Some(Kind::Lines),
        _ => None,
    }
}

fn unknown_kind(path: &Path) -> Failure {
    Failure::new(format!(
        "{}: the extension tells no format of sessions; known are .htf and .jsonl, \
         and - reads JSON Lines from standard input; event logs take --events MAP.toml \
         (`multitrace map --init FILE` proposes a mapping)",
        path.display()
    ))
}

/// Adds the files of a folder and of the folders in it, by name.
fn add_folder(
    folder: &Path,
    files: &mut VecDeque<(PathBuf, Kind)>,
    others: &mut usize,
) -> Outcome<()> {
    let failure = |error: std::io::Error| Failure::io(folder, &error);
    let entries = std::fs::read_dir(folder).map_err(failure)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<std::io::Result<Vec<_>>>().map_err(failure)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_folder(&path, files, others)?;
        } else if let Some(kind) = kind(&path) {
            files.push_back((path, kind));
        } else {
            *others += 1;
        }
    }
    Ok(())
}
