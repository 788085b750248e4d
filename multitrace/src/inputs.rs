//! What a run reads: files of sessions, a reader, sessions in memory, or event logs. All of them
//! come as chunks in input order, which threads then read ([`session_stream`](crate::session_stream)).

use crate::error::Error;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::sessions::{LineChunk, LineChunks};
use multitrace_interaction::Session;
use multitrace_logs::{Assembler, EventLog, Grouped, Mapping};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The inputs of a run, in order.
#[derive(Debug)]
pub struct Inputs {
    pub(crate) source: InputSource,
    /// The paths of files, which can be read twice.
    pub(crate) paths: Vec<PathBuf>,
    notes: Vec<String>,
}

/// Where sessions come from.
#[derive(Debug)]
pub(crate) enum InputSource {
    Files(SessionFiles),
    Memory(VecDeque<Session>),
    Events(Box<EventLog>),
}

impl Inputs {
    /// Files of sessions (`.htf`: one session, called like the file; `.jsonl`: one a line), folders
    /// of them, or `-` for JSON Lines from standard input. Opens none yet.
    ///
    /// # Errors
    /// When a path does not exist, a folder cannot be listed, or the extension of a file tells no
    /// format.
    pub fn files(paths: &[PathBuf]) -> Result<Inputs, Error> {
        let mut notes = Vec::new();
        let files = SessionFiles::new(paths, &mut notes)?;
        Ok(Inputs { source: InputSource::Files(files), paths: paths.to_owned(), notes })
    }

    /// Sessions as JSON Lines from a reader; `name` is what errors call it.
    pub fn reader(name: &str, reader: impl BufRead + Send + 'static) -> Inputs {
        let lines: Lines = LineChunks::new(name, Box::new(reader));
        let files = SessionFiles { files: VecDeque::new(), current: Some((name.into(), lines)) };
        Inputs::of(InputSource::Files(files))
    }

    /// Sessions in memory.
    pub fn sessions(sessions: impl IntoIterator<Item = Session>) -> Inputs {
        let sessions = sessions.into_iter().collect();
        Inputs::of(InputSource::Memory(sessions))
    }

    /// Event logs, which a mapping turns into sessions: files, folders, patterns, or `-` for
    /// standard input.
    ///
    /// # Errors
    /// When a path does not exist or a folder cannot be listed.
    pub fn event_logs(paths: &[PathBuf], mapping: Mapping) -> Result<Inputs, Error> {
        let log = EventLog::open(mapping, paths)?;
        Ok(Inputs::of(InputSource::Events(Box::new(log))))
    }

    /// An event log from a reader, which a mapping turns into sessions; `name` is what messages call
    /// it.
    pub fn event_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        mapping: Mapping,
    ) -> Inputs {
        Inputs::of(InputSource::Events(Box::new(EventLog::of_reader(mapping, name, reader))))
    }

    /// What puts sessions of event logs together.
    pub(crate) fn assembler(&self) -> Option<Assembler> {
        match &self.source {
            InputSource::Events(log) => Some(log.assembler()),
            InputSource::Files(_) | InputSource::Memory(_) => None,
        }
    }

    fn of(source: InputSource) -> Inputs {
        Inputs { source, paths: Vec::new(), notes: Vec::new() }
    }

    /// What people should know about the paths: files of a folder that hold no sessions.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether these are event logs.
    pub fn are_events(&self) -> bool {
        matches!(self.source, InputSource::Events(_))
    }
}

/// A part of the input for one thread.
#[derive(Debug)]
pub(crate) enum Chunk {
    /// Lines of a JSON Lines file, one session each.
    Lines { file: Arc<str>, lines: LineChunk },
    /// A file that holds one session.
    Htf(PathBuf),
    /// Sessions in memory.
    Memory(Vec<Session>),
    /// Sessions out of event logs, and whether some of their events may lie behind a cut.
    Grouped { sessions: Vec<Grouped>, cut: bool },
    /// What is wrong with the input.
    Problems(Vec<InputProblem>),
}

/// Chunks of lines handed out at once per thread. A chunk has 256 KiB, so that four keep a thread
/// busy for milliseconds and a million sessions take no more memory than a thousand.
const LINES_PER_THREAD: usize = 4;
/// Files of one session handed out at once per thread: enough to outweigh waking the threads. An
/// estimate, not measured.
const FILES_PER_THREAD: usize = 256;

enum FileKind {
    Htf,
    Lines,
    Stdin,
}

type Lines = LineChunks<Box<dyn BufRead + Send>>;

/// Files of sessions.
pub(crate) struct SessionFiles {
    files: VecDeque<(PathBuf, FileKind)>,
    current: Option<(Arc<str>, Lines)>,
}

impl std::fmt::Debug for SessionFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionFiles").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl SessionFiles {
    fn new(paths: &[PathBuf], notes: &mut Vec<String>) -> Result<SessionFiles, Error> {
        let mut files = VecDeque::new();
        for path in paths {
            if path.as_os_str() == "-" {
                files.push_back((path.clone(), FileKind::Stdin));
            } else if path.is_dir() {
                let mut others = 0;
                add_folder(path, &mut files, &mut others)?;
                if others > 0 {
                    let shown = path.display();
                    notes.push(format!("{shown}: {others} files are neither .htf nor .jsonl"));
                }
            } else {
                std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
                let kind = kind(path).ok_or_else(|| unknown_kind(path))?;
                files.push_back((path.clone(), kind));
            }
        }
        Ok(SessionFiles { files, current: None })
    }

    /// The next chunks for some threads; empty at the end.
    pub(crate) fn next_chunks(&mut self, threads: usize) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut room = threads * FILES_PER_THREAD;
        while room > 0
            && let Some(chunk) = self.next()
        {
            let takes = match chunk {
                Chunk::Lines { .. } => FILES_PER_THREAD / LINES_PER_THREAD,
                _ => 1,
            };
            room = room.saturating_sub(takes);
            chunks.push(chunk);
        }
        chunks
    }

    fn next(&mut self) -> Option<Chunk> {
        loop {
            if let Some((file, chunks)) = &mut self.current {
                match chunks.next() {
                    Some(Ok(lines)) => {
                        return Some(Chunk::Lines { file: Arc::clone(file), lines });
                    }
                    Some(Err(error)) => {
                        return Some(Chunk::Problems(vec![InputProblem::from(&error)]));
                    }
                    None => self.current = None,
                }
            }
            let (path, kind) = self.files.pop_front()?;
            match open(&path, &kind) {
                Ok(Some(lines)) => self.current = Some((lines.name().into(), lines)),
                Ok(None) => return Some(Chunk::Htf(path)),
                Err(error) => {
                    let problem = InputProblem::unreadable(&path.display().to_string(), &error);
                    return Some(Chunk::Problems(vec![problem]));
                }
            }
        }
    }
}

/// The lines of a file; `None` for a file that holds one session.
fn open(path: &Path, kind: &FileKind) -> std::io::Result<Option<Lines>> {
    let (name, reader): (String, Box<dyn BufRead + Send>) = match kind {
        FileKind::Htf => return Ok(None),
        FileKind::Lines => {
            let reader = BufReader::with_capacity(1 << 16, File::open(path)?);
            (path.display().to_string(), Box::new(reader))
        }
        FileKind::Stdin => {
            ("standard input".to_owned(), Box::new(BufReader::new(std::io::stdin())))
        }
    };
    Ok(Some(LineChunks::new(name, reader)))
}

fn kind(path: &Path) -> Option<FileKind> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "htf" => Some(FileKind::Htf),
        "jsonl" | "ndjson" => Some(FileKind::Lines),
        _ => None,
    }
}

fn unknown_kind(path: &Path) -> Error {
    Error::unfit(format!(
        "{}: the extension tells no format of sessions; known are .htf and .jsonl, \
         and - reads JSON Lines from standard input; event logs take --events MAP.toml \
         (`multitrace map --init FILE` proposes a mapping)",
        path.display()
    ))
}

/// Adds the files of a folder and of the folders in it, by name.
fn add_folder(
    folder: &Path,
    files: &mut VecDeque<(PathBuf, FileKind)>,
    others: &mut usize,
) -> Result<(), Error> {
    let failure = |error| Error::io(folder, error);
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
