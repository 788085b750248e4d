//! Files of sessions: which format each has, and the chunks in them.

use crate::chunk::{Chunk, HtfFile};
use crate::error::{Error, FileError};
use crate::files;
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::sessions::{FormatGuess, LineChunks, MAX_LINE_BYTES, SessionFormat};
use multitrace_logs::{
    Exclusions, InputFile, InputFiles, ReadStamps, decompress, is_empty_file, is_stdin,
};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options for files of sessions: their format, and those that are not read.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// The format of all of them; `None` to go by their extensions, and then by their first bytes.
    pub format: Option<SessionFormat>,
    /// The name of standard input in messages; its extension gives the format.
    pub stdin_name: Option<String>,
    /// Files that are not read of folders and patterns.
    pub exclude: Exclusions,
}

/// The bytes of a chunk of lines. Threads wait for each other where a batch of chunks ends, for no longer than one
/// chunk takes: 0.2 ms.
const CHUNK_BYTES: usize = 1 << 16;
/// Chunks of lines handed out at once per thread: 1 MiB, so that they keep a thread busy for milliseconds and
/// a million sessions take no more memory than a thousand.
const LINES_PER_THREAD: usize = 16;
/// Files of one session handed out at once per thread: enough to outweigh waking the threads. An
/// estimate, not measured.
const FILES_PER_THREAD: usize = 256;
/// How many first bytes may be blank before a file has no format. Nobody begins with a page of them.
const MOST_SNIFFED: usize = 1 << 12;

/// A file of sessions.
#[derive(Clone, Debug)]
struct SessionFile {
    path: PathBuf,
    /// The name of the file in messages.
    name: PathBuf,
    /// Its number among the inputs.
    input: u32,
    /// The format; `None` for a stream whose first bytes tell it, and for a file of a folder that has none.
    format: Option<SessionFormat>,
    is_stream: bool,
    /// The collector of files that were read.
    stamps: ReadStamps,
}

type Lines = LineChunks<Box<dyn BufRead + Send>>;
type Bytes = Box<dyn Read + Send>;

/// Files of sessions.
pub(crate) struct SessionFiles {
    files: VecDeque<SessionFile>,
    /// The file that is read, its number, and its lines.
    current: Option<(Arc<str>, u32, Lines)>,
    /// That file, as long as nothing but blanks came of it.
    blank: Option<SessionFile>,
    /// How many files held no session, beside those without a byte.
    empty: u64,
    /// Its name and bytes, if they are in memory.
    in_memory: Option<(Arc<str>, Arc<[u8]>)>,
}

impl std::fmt::Debug for SessionFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionFiles").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl SessionFiles {
    /// Finds out the formats of files that can be read twice.
    ///
    /// # Errors
    /// When a file that was named itself has no format of sessions.
    pub(crate) fn new(listed: InputFiles, options: &FileOptions) -> Result<SessionFiles, Error> {
        let mut files = VecDeque::new();
        for (input, InputFile { path, folder }) in (0..).zip(listed.files) {
            let file = SessionFile::new(&path, input, options);
            if folder.is_none() && file.format.is_none() && !file.is_stream {
                return Err(FileError::UnknownFormat(path).into());
            }
            files.push_back(file);
        }
        Ok(SessionFiles::of(files))
    }

    fn of(files: VecDeque<SessionFile>) -> SessionFiles {
        SessionFiles { files, current: None, blank: None, empty: 0, in_memory: None }
    }

    /// How many files held no session so far, beside those without a byte, which the list of files tells.
    pub(crate) fn empty(&self) -> u64 {
        self.empty
    }

    /// The sessions of a reader, and nothing else.
    pub(crate) fn reader(name: &str, reader: Box<dyn BufRead + Send>) -> SessionFiles {
        let lines = LineChunks::new(name, reader).with_bounds(CHUNK_BYTES, MAX_LINE_BYTES);
        let current = Some((name.into(), 0, lines));
        SessionFiles { current, ..SessionFiles::of(VecDeque::new()) }
    }

    /// The sessions of lines in memory.
    pub(crate) fn lines(name: &str, lines: Arc<[u8]>) -> SessionFiles {
        let in_memory = Some((name.into(), Arc::clone(&lines)));
        SessionFiles { in_memory, ..SessionFiles::reader(name, Box::new(Cursor::new(lines))) }
    }

    /// Keeps the files with certain numbers, from 0; returns whether there are others.
    pub(crate) fn keep(&mut self, keep: impl Fn(u32) -> bool) -> bool {
        let before = self.files.len() + usize::from(self.current.is_some());
        self.files.retain(|file| keep(file.input));
        if self.current.take_if(|(_, input, _)| !keep(*input)).is_some() {
            self.in_memory = None;
        }
        self.files.len() + usize::from(self.current.is_some()) < before
    }

    /// Notes the files that are read to their end.
    pub(crate) fn note_reads(&mut self, stamps: &ReadStamps) {
        self.files.iter_mut().for_each(|file| file.stamps.clone_from(stamps));
    }

    /// The names of the files with their numbers.
    pub(crate) fn names(&self) -> Vec<(Arc<str>, u32)> {
        let current = self.current.iter().map(|(name, input, _)| (Arc::clone(name), *input));
        let files = self.files.iter();
        current
            .chain(files.map(|file| (file.name.display().to_string().into(), file.input)))
            .collect()
    }

    /// The paths of those that can be read twice, and whether the name of each is that of its session.
    pub(crate) fn paths(&self) -> Vec<(PathBuf, bool)> {
        let path =
            |it: &SessionFile| (it.noted_path().to_owned(), it.format == Some(SessionFormat::Htf));
        self.files.iter().map(path).collect()
    }

    /// The same files, to be read once more; `None` if one of them cannot be.
    pub(crate) fn again(&self) -> Option<SessionFiles> {
        if let Some((name, lines)) = &self.in_memory {
            return Some(SessionFiles::lines(name, Arc::clone(lines)));
        }
        let once = self.current.is_some() || self.files.iter().any(|file| file.is_stream);
        (!once).then(|| SessionFiles::of(self.files.clone()))
    }

    /// The files of one session each that can be read twice.
    pub(crate) fn htf_files(&self) -> impl Iterator<Item = HtfFile> {
        let htf = Some(SessionFormat::Htf);
        let files = self.files.iter().filter(move |file| file.format == htf && !file.is_stream);
        files.map(SessionFile::htf)
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
            if let Some((file, input, chunks)) = &mut self.current {
                match chunks.next() {
                    Some(Ok(lines)) => {
                        self.blank.take_if(|_| lines.lines().next().is_some());
                        let (file, input) = (Arc::clone(file), *input);
                        return Some(Chunk::Lines { file, input, lines });
                    }
                    Some(Err(error)) => {
                        self.blank = None;
                        return Some(Chunk::Problems(vec![InputProblem::from(&error)]));
                    }
                    None => self.current = None,
                }
                let is_over = self.current.is_none();
                let ended = self.blank.take_if(|_| is_over);
                if let Some(file) = ended {
                    file.stamps.note_empty(file.noted_path());
                    self.empty += u64::from(!file.is_told());
                }
            }
            let file = self.files.pop_front()?;
            match file.open() {
                Ok(Opened::Lines(lines)) => {
                    self.current = Some((lines.name().into(), file.input, lines));
                    self.blank = Some(file);
                }
                Ok(Opened::Htf(file)) => return Some(Chunk::Htf(file)),
                Err(error) => {
                    let problem =
                        InputProblem::unreadable(&file.name.display().to_string(), &error);
                    return Some(Chunk::Problems(vec![problem]));
                }
            }
        }
    }
}

/// A file that was opened.
enum Opened {
    Lines(Lines),
    Htf(HtfFile),
}

impl SessionFile {
    /// A file that cannot be read has any format: reading it reports why.
    fn new(path: &Path, input: u32, options: &FileOptions) -> SessionFile {
        let name = match (&options.stdin_name, is_stdin(path)) {
            (Some(name), true) => PathBuf::from(name),
            (None, true) => PathBuf::from(STANDARD_INPUT),
            (_, false) => path.to_owned(),
        };
        let is_stream = files::is_stream(path);
        let mut format = options.format.or_else(|| SessionFormat::of_path(&name));
        if format.is_none() && !is_stream {
            let sniffed = || sniff(decompress(path, File::open(path)?)?);
            format = match sniffed() {
                Ok(Sniffed { format, .. }) => format,
                Err(_) => Some(SessionFormat::JsonLines),
            };
        }
        SessionFile {
            path: path.to_owned(),
            name,
            input,
            format,
            is_stream,
            stamps: ReadStamps::default(),
        }
    }

    /// Whether the list of files tells that it holds nothing.
    fn is_told(&self) -> bool {
        !self.is_stream && is_empty_file(&self.path)
    }

    /// The path under which it is noted that it was read.
    fn noted_path(&self) -> &Path {
        if is_stdin(&self.path) { &self.name } else { &self.path }
    }

    fn htf(&self) -> HtfFile {
        let (name, stamps) = (self.path.clone(), self.stamps.clone());
        HtfFile { name, input: self.input, bytes: None, stamps }
    }

    fn open(&self) -> io::Result<Opened> {
        if self.format.is_none() && !self.is_stream {
            let message = "neither .htf nor JSON Lines, and not excluded; leave it out by ‹exclude=NAME›, or name \
                           the format by ‹input_format›; event logs take ‹events=MAP.toml›";
            return Err(io::Error::other(message));
        }
        if self.format == Some(SessionFormat::Htf) && !self.is_stream {
            return Ok(Opened::Htf(self.htf()));
        }
        let mut bytes: Bytes = match is_stdin(&self.path) {
            true => decompress(&self.name, self.stamps.stream(&self.name, io::stdin()))?,
            false => decompress(&self.path, self.stamps.open(&self.path)?)?,
        };
        if self.is_stream {
            let sniffed = sniff(bytes)?;
            if sniffed.has_zero {
                return Err(files::no_text());
            }
            bytes = sniffed.bytes;
            if self.format.or(sniffed.format) == Some(SessionFormat::Htf) {
                let bytes = Some(files::whole(bytes, Vec::new())?);
                let name = self.name.clone();
                return Ok(Opened::Htf(HtfFile { name, bytes, ..self.htf() }));
            }
        }
        // A buffer smaller than a chunk is passed by, so that nothing is copied.
        let reader: Box<dyn BufRead + Send> = Box::new(BufReader::new(bytes));
        // A line that is not a session is reported with its place.
        let lines = LineChunks::new(self.name.display().to_string(), reader);
        Ok(Opened::Lines(lines.with_bounds(CHUNK_BYTES, MAX_LINE_BYTES)))
    }
}

/// The beginning of an input, and a reader that still has it.
struct Sniffed {
    /// The format that the first bytes tell, if they tell one.
    format: Option<SessionFormat>,
    has_zero: bool,
    bytes: Bytes,
}

/// Reads no more than is needed to tell the format, since more may come much later.
fn sniff(mut reader: Bytes) -> io::Result<Sniffed> {
    let mut head = Vec::new();
    let format = loop {
        match SessionFormat::of_first_bytes(&head) {
            FormatGuess::Format(format) => break Some(format),
            FormatGuess::MoreBytes if head.len() < MOST_SNIFFED => {}
            _ => break None,
        }
        let before = head.len();
        reader.by_ref().take(1).read_to_end(&mut head)?;
        if head.len() == before {
            // Nothing but blanks holds no session.
            let is_blank = head.iter().all(u8::is_ascii_whitespace);
            break is_blank.then_some(SessionFormat::JsonLines);
        }
    };
    let has_zero = head.contains(&0);
    Ok(Sniffed { format, has_zero, bytes: Box::new(Cursor::new(head).chain(reader)) })
}
