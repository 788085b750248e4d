//! The log of one location, judged where it is (paper 004 sec. 4.4, the local verifier): sessions in, files without names out.

use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::Error;
use crate::files;
use crate::input_remarks::input_notes;
use crate::inputs::Inputs;
use crate::monitor::Monitor;
use crate::problems::Problems;
use crate::read_counts::ReadCounts;
use crate::run::{DEFAULT_MEMORY, pool_size};
use crate::session_stream::{SessionPlaces, SessionReader, UnreadSession, for_each};
use multitrace_formats::bundle::{LocationBundle, decode_location};
use multitrace_formats::place::Place;
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::workers::{Workers, in_pool};
use multitrace_interaction::{Id, LetterId, LocationId, Session};
use multitrace_reports::local_files::{
    LineError, LocalContent, LocalHeader, LocalLine, LocalReader, LocalStop, LocalWord,
    LocalWriter, LoggedEvent, LoggedWord, SessionBatch, WordDigest,
};
use multitrace_reports::text::counted;
use multitrace_runtime::{AreaRows, Gaps, LocalWalk};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// How many sessions are in one line of a part: enough that numbers of words stand together, which packs them well.
const BATCH: usize = 1_000;

/// The verifier of one location, loaded. It judges logs of this location alone; [`Monitor::combine`] decides sessions.
#[derive(Clone, Debug)]
pub struct LocalMonitor {
    monitor: Monitor,
    location: LocationId,
    whole: [u8; 32],
}

/// How logs of a location are read.
#[derive(Clone, Copy, Debug)]
pub struct LocalOptions {
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
    /// The number of threads; `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
}

impl Default for LocalOptions {
    fn default() -> LocalOptions {
        LocalOptions { memory: DEFAULT_MEMORY, threads: None }
    }
}

/// The file that a location makes of its logs.
#[derive(Debug, Default)]
pub struct LocalFile {
    /// The file, packed; `None` if something in the logs cannot be read.
    pub bytes: Option<Vec<u8>>,
    /// How many sessions the logs have.
    pub sessions: u64,
    /// How many words it has.
    pub words: usize,
    /// The problems of the logs.
    pub problems: Problems,
    /// Remarks on the logs: records that no rule matches, files that were left out.
    pub notes: Vec<String>,
}

impl LocalFile {
    fn with(self, bytes: Vec<u8>, words: usize) -> LocalFile {
        let bytes = (self.problems.count() == 0).then_some(bytes);
        LocalFile { bytes, words, ..self }
    }
}

/// Counts and remarks on the logs of the location.
struct LocalRead {
    read: ReadCounts,
    /// Remarks on files that were left out.
    files: Vec<String>,
    /// An event log was cut off.
    is_cut: bool,
}

/// A session of the location.
struct LocalSession {
    id: String,
    place: Option<Place>,
    gaps: Gaps,
    digest: WordDigest,
    /// The word, unless the same thread had it before.
    word: Option<JudgedWord>,
    /// How many events its logs at other locations have, which are not judged here.
    elsewhere: usize,
}

/// A word, the answer of the location to it, and its area.
type JudgedWord = (LoggedWord, LocalWord, Option<AreaRows>);

impl LocalMonitor {
    /// Loads the bytes of the bundle of a location, which [`Monitor::split`] has made.
    ///
    /// # Errors
    /// When the bytes are not those of such a bundle, or those of another version, cut off, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<LocalMonitor, Error> {
        let bundle = decode_location(bytes).map_err(|error| Error::Bundle { name: None, error })?;
        Ok(LocalMonitor::new(bundle))
    }

    /// Loads the bundle in a file; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read, and those of [`LocalMonitor::from_bytes`].
    pub fn load(path: &Path) -> Result<LocalMonitor, Error> {
        let bytes = files::read_or_stdin(path)?;
        let error = |error| Error::Bundle { name: Some(files::name(path)), error };
        Ok(LocalMonitor::new(decode_location(&bytes).map_err(error)?))
    }

    fn new(bundle: LocationBundle) -> LocalMonitor {
        let (location, whole) = (bundle.location, bundle.whole);
        LocalMonitor { monitor: Monitor::new(bundle.into_bundle()), location, whole }
    }

    /// The name of the location.
    pub fn location(&self) -> &str {
        self.monitor.alphabet().location_name(self.location)
    }

    /// Its bundle as a monitor, for reading logs. It decides no session.
    #[doc(hidden)]
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// The part of the location: its sessions, with numbers for their words; and for each word its name, the finding at this
    /// location or the number of its area. Names of events are not in it.
    ///
    /// # Errors
    /// When the inputs cannot be grouped.
    pub fn part(&self, inputs: Inputs, options: &LocalOptions) -> Result<LocalFile, Error> {
        let writer = LocalWriter::begin(LocalContent::Part, &self.whole, self.location());
        let mut part = Part::begin(writer);
        let (file, logs) = self.each_session(inputs, options, |session| part.add(session))?;
        let words = part.words.len();
        Ok(file.with(part.finish(logs), words))
    }

    /// The letters of the words that a request of [`Monitor::combine`] names, as far as these logs have them: the
    /// numbers of letters, and the texts of events that the specification does not know.
    ///
    /// # Errors
    /// When the inputs cannot be grouped, and when the request is damaged or one to another location.
    pub fn answer(
        &self,
        inputs: Inputs,
        request: &[u8],
        options: &LocalOptions,
    ) -> Result<LocalFile, Error> {
        let name = || "the request".to_owned();
        let error = |error| Error::LocalFile { name: name(), error };
        let mut needed = self.needed(request).map_err(error)?;
        let mut writer = LocalWriter::begin(LocalContent::Letters, &self.whole, self.location());
        let mut words = 0;
        let take = |session: LocalSession| {
            if let Some((logged, ..)) = session.word.filter(|_| needed.remove(&session.digest)) {
                writer.put(&LocalLine::Letters(logged));
                words += 1;
            }
            Ok(())
        };
        let (file, _) = self.each_session(inputs, options, take)?;
        Ok(file.with(writer.finish(), words))
    }

    /// The words of a request.
    fn needed(&self, request: &[u8]) -> Result<HashSet<WordDigest>, LineError> {
        let (header, mut reader) = LocalReader::begin(request)?;
        self.check_header(&header).map_err(|why| reader.error(why))?;
        let mut needed = HashSet::new();
        while let Some(line) = reader.next_line()? {
            let LocalLine::Need(digest) = line else {
                return Err(reader.error("a line that belongs to another kind of file"));
            };
            needed.insert(digest);
        }
        Ok(needed)
    }

    fn check_header(&self, header: &LocalHeader) -> Result<(), String> {
        let own = self.location();
        match header {
            it if it.content != LocalContent::Request => Err("this is not a request".to_owned()),
            it if !it.is_of(&self.whole) => Err("it is of another bundle than this one".to_owned()),
            it if it.location != own => {
                Err(format!("it is for {:?}, and not for {own:?}", it.location))
            }
            _ => Ok(()),
        }
    }

    /// Hands on each session in the order of the inputs; also returns counts of records.
    fn each_session(
        &self,
        inputs: Inputs,
        options: &LocalOptions,
        mut take: impl FnMut(LocalSession) -> Result<(), InputProblem> + Send,
    ) -> Result<(LocalFile, LocalRead), Error> {
        let mut files = inputs.notes().to_vec();
        let reader = SessionReader::new(self.monitor.alphabet(), inputs.assembler());
        let grouping = Grouping {
            alphabet: self.monitor.alphabet(),
            selection: Arc::default(),
            in_order: false,
            memory: options.memory,
            sample: None,
        };
        let (mut file, mut is_cut, mut elsewhere) = (LocalFile::default(), false, 0);
        let read = in_pool(pool_size(options.threads)?, || {
            let threads = rayon::current_num_threads();
            let open = &mut |problems: Vec<InputProblem>, _| {
                problems.into_iter().for_each(|problem| file.problems.push(problem));
                Ok(())
            };
            let (mut chunks, mut read) = Chunks::open(inputs.source, grouping, open)?;
            let workers = Workers::new(threads, || Worker {
                local: self,
                reader: &reader,
                session: Session::default(),
                seen: HashSet::new(),
            });
            loop {
                let current = chunks.next(threads)?;
                if current.is_empty() {
                    chunks.add_to(&mut read);
                    return Ok::<_, Error>(read);
                }
                is_cut |= current.iter().any(|it| matches!(it, Chunk::Grouped { cut: true, .. }));
                let work = |chunk: &Chunk, worker: &mut Worker<'_>| worker.sessions(chunk);
                workers.each_in_order(&current, work, |_, sessions| {
                    for session in sessions {
                        file.sessions += 1;
                        elsewhere += session.as_ref().map_or(0, |it| it.elsewhere as u64);
                        if let Err(problem) = session.and_then(&mut take) {
                            file.problems.push(problem);
                        }
                    }
                });
            }
        })?;
        if elsewhere > 0 {
            let count = counted(elsewhere, "event");
            files.push(format!(
                "{count} of other locations in the log, which only their own parts judge"
            ));
        }
        file.notes = input_notes(&read, &files);
        Ok((file, LocalRead { read, files, is_cut }))
    }

    /// The answer of the location to a word.
    fn judge(
        &self,
        digest: WordDigest,
        log: &[LetterId],
        unknown: bool,
    ) -> (LocalWord, Option<AreaRows>) {
        let (runtime, observation) = (self.monitor.runtime(), self.monitor.bundle().observation);
        let mut walk = LocalWalk::new(runtime, self.location, observation);
        let number = |letter: &LetterId| letter.index() as u32;
        let known = log.iter().enumerate().filter(|it| *it.1 != LetterId::UNKNOWN);
        let found = known.into_iter().find(|(_, letter)| !walk.read(**letter));
        let stop = match found {
            Some((index, letter)) => Some((index, Some(number(letter)))),
            None if observation.may_go_on(log.len()) || walk.may_end() => None,
            None => Some((log.len(), None)),
        };
        let stop = stop.map(|(index, letter)| {
            let expected = walk.possible().iter().map(number).collect();
            LocalStop { index: index as u32, letter, expected }
        });
        let is_possible = stop.is_none() && !unknown;
        let area =
            is_possible.then(|| runtime.area_rows(self.location, log, observation)).flatten();
        (LocalWord { digest, length: log.len() as u32, area: None, stop, unknown }, area)
    }
}

/// The work of one thread: it reads sessions, and judges their words.
struct Worker<'l> {
    local: &'l LocalMonitor,
    reader: &'l SessionReader,
    session: Session,
    seen: HashSet<WordDigest>,
}

impl Worker<'_> {
    fn sessions(&mut self, chunk: &Chunk) -> Vec<Result<LocalSession, InputProblem>> {
        let mut sessions = Vec::new();
        let _ = for_each(chunk, |item| {
            sessions.push(item.map_err(InputProblem::clone).and_then(|it| self.session(&it)));
            ControlFlow::Continue(())
        });
        sessions
    }

    fn session(&mut self, unread: &UnreadSession<'_>) -> Result<LocalSession, InputProblem> {
        let (local, session) = (self.local, &mut self.session);
        let place = unread.place();
        let mut read = self.reader.read(unread, session)?;
        if let SessionPlaces::Events(places) = &read.places {
            read.problem = read.problem.or(places.unordered(session));
        }
        if let Some(problem) = read.problem {
            return Err(problem);
        }
        let at = local.location.index();
        let log = &session.trace[at];
        let event = |(index, letter): (usize, &LetterId)| match *letter {
            LetterId::UNKNOWN => {
                LoggedEvent::Unknown(session.unknown_text(at, index).unwrap_or_default().to_owned())
            }
            letter => LoggedEvent::Letter(letter.index() as u32),
        };
        let foreign = session.foreign.iter().map(|it| (it.location.clone(), it.events.clone()));
        let word = LoggedWord {
            events: log.iter().enumerate().map(event).collect(),
            foreign: foreign.collect(),
        };
        let digest = WordDigest::of(&local.whole, at, &word);
        let judged = self.seen.insert(digest).then(|| {
            let unknown = log.contains(&LetterId::UNKNOWN) || !word.foreign.is_empty();
            let (said, area) = local.judge(digest, log, unknown);
            (word, said, area)
        });
        let elsewhere = session.trace.iter().map(|log| log.len()).sum::<usize>() - log.len();
        let (id, gaps) = (session.id.clone(), read.gaps);
        Ok(LocalSession { id, place, gaps, digest, word: judged, elsewhere })
    }
}

/// A part while it is written.
struct Part {
    writer: LocalWriter,
    areas: HashMap<(Vec<u32>, u32), u32>,
    words: HashMap<WordDigest, u32>,
    names: HashSet<String>,
    /// Areas and words that the batch names.
    new: Vec<LocalLine>,
    batch: SessionBatch,
    /// The name of the session before.
    before: String,
}

impl Part {
    fn begin(writer: LocalWriter) -> Part {
        Part {
            writer,
            areas: HashMap::new(),
            words: HashMap::new(),
            names: HashSet::new(),
            new: Vec::new(),
            batch: SessionBatch::default(),
            before: String::new(),
        }
    }

    fn add(&mut self, session: LocalSession) -> Result<(), InputProblem> {
        let LocalSession { id, place, gaps, digest, word, .. } = session;
        if !self.names.insert(id.clone()) {
            // Later sessions may have logged the same.
            self.number_of(digest, word);
            return Err(named_twice(&id, place));
        }
        let gaps = gaps.name().map(str::to_owned);
        if self.batch.words.len() == BATCH || self.batch.gaps != gaps {
            self.flush();
            self.batch.gaps = gaps;
        }
        let word = self.number_of(digest, word);
        self.batch.push(&self.before, &id, word);
        self.before = id;
        Ok(())
    }

    /// The number of a word, which is added if it is new.
    fn number_of(&mut self, digest: WordDigest, judged: Option<JudgedWord>) -> u32 {
        if let Some(word) = self.words.get(&digest) {
            return *word;
        }
        // Threads take chunks in the order in which their sessions are handed on.
        let Some((_, said, area)) = judged else {
            unreachable!("the first session with a word brings it")
        };
        let area = area.map(|AreaRows { rows, last, .. }| {
            let next = self.areas.len() as u32;
            *self.areas.entry((rows, last)).or_insert_with_key(|(rows, last)| {
                self.new.push(LocalLine::Area(rows.clone(), *last));
                next
            })
        });
        self.new.push(LocalLine::Word(LocalWord { area, ..said }));
        let word = self.words.len() as u32;
        self.words.insert(digest, word);
        word
    }

    fn flush(&mut self) {
        self.new.drain(..).for_each(|line| self.writer.put(&line));
        if !self.batch.words.is_empty() {
            self.writer.put(&LocalLine::Sessions(std::mem::take(&mut self.batch)));
        }
    }

    fn finish(mut self, logs: LocalRead) -> Vec<u8> {
        self.flush();
        if logs.is_cut {
            self.writer.put(&LocalLine::Cut);
        }
        if let Some(counts) = logs.read.counts {
            self.writer.put(&LocalLine::Records(counts.by_name()));
        }
        if logs.read.empty_files > 0 {
            self.writer.put(&LocalLine::EmptyFiles(logs.read.empty_files));
        }
        logs.files.into_iter().for_each(|note| self.writer.put(&LocalLine::Note(note)));
        self.writer.finish()
    }
}

fn named_twice(id: &str, place: Option<Place>) -> InputProblem {
    let message = format!(
        "session {id:?} is there twice, and its logs at other locations would fit neither; give each session a name of its \
         own"
    );
    let text = match &place {
        Some(place) => format!("{place}: {message}"),
        None => message.clone(),
    };
    let (file, line) = place.map_or((String::new(), None), |it| (it.file.to_string(), it.line));
    let place = ProblemPlace { file, line, column: None, message };
    InputProblem::in_a_line(ProblemKind::Malformed, place, &text)
}
