//! Event logs as inputs: files to records, records to events by a mapping, events to sessions.
//!
//! One thread cuts the files into batches (`event_reader`), all threads parse and map them (`mapper`).
//! The events are stored as bytes (`stored_event`) and grouped by session (`grouping`). Then a session
//! is put together from its events (`assemble`): roles, locations, local order, and where each event
//! was read.

use crate::assemble::Assembler;
use crate::batches::RecordBatch;
use crate::error::EventError;
use crate::event_reader::EventReader;
use crate::file_trends::{FileTrends, follows_files};
use crate::files::LogSource;
use crate::input_files::{InputFiles, is_stdin};
use crate::line_lookup::LineLookup;
use crate::mapper::Mapper;
use crate::mapping::Mapping;
use crate::read_stamps::ReadStamps;
use crate::record_problem::LateProblems;
use multitrace_formats::selection::Selection;
use multitrace_interaction::Alphabet;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Event logs, and the mapping that makes sessions of them.
pub struct EventLog {
    mapping: Mapping,
    /// With their numbers in the list of inputs.
    sources: Vec<(u32, LogSource)>,
    names: Arc<[Arc<str>]>,
    late: Arc<LateProblems>,
    trends: Arc<FileTrends>,
}

impl EventLog {
    /// The event logs in these files; `stdin_name` is the name of standard input in messages, and its extension tells
    /// the format if nothing else does.
    pub fn of_files(mapping: Mapping, files: InputFiles, stdin_name: &str) -> EventLog {
        let source = |path: PathBuf| match is_stdin(&path) {
            true => LogSource::Stdin(stdin_name.to_owned(), ReadStamps::default()),
            false => LogSource::Path(path, ReadStamps::default()),
        };
        let sources = files.files.into_iter().map(|file| source(file.path));
        EventLog::new(mapping, sources.collect())
    }

    /// One event log from a reader, packed or not, in a format that its first bytes or the mapping
    /// tell; `name` is its name in messages.
    pub fn of_reader(mapping: Mapping, name: &str, reader: impl Read + Send + 'static) -> EventLog {
        EventLog::new(mapping, vec![LogSource::Reader(name.to_owned(), Box::new(reader))])
    }

    /// Tables in memory with one event a row; `name` is their name in messages. The format that
    /// the mapping names does not matter.
    #[cfg(feature = "columnar")]
    pub fn of_tables(
        mapping: Mapping,
        name: &str,
        tables: crate::formats::ArrowBatches<'static>,
    ) -> EventLog {
        EventLog::new(mapping, vec![LogSource::Tables(name.to_owned(), tables)])
    }

    fn new(mapping: Mapping, sources: Vec<LogSource>) -> EventLog {
        let names: Arc<[Arc<str>]> = sources.iter().map(|source| source.name().into()).collect();
        let paths = sources.iter().map(|source| match source {
            // Opening a pipe again would wait for another writer.
            LogSource::Path(path, _) if path.is_file() => Some(path.clone()),
            _ => None,
        });
        let lines = LineLookup::new(paths);
        let late = Arc::new(LateProblems::new(Arc::clone(&names), lines));
        let trends = Arc::new(FileTrends::new(names.len()));
        let sources = (0..).zip(sources).collect();
        EventLog { mapping, sources, names, late, trends }
    }

    /// Keeps the files with certain numbers in the list, from 0; returns whether there are others.
    pub fn keep_files(&mut self, keep: impl Fn(u32) -> bool) -> bool {
        let before = self.sources.len();
        self.sources.retain(|(number, _)| keep(*number));
        self.sources.len() < before
    }

    /// Notes the files and standard input that are read to their end.
    pub fn note_reads(&mut self, stamps: &ReadStamps) {
        for (_, source) in &mut self.sources {
            if let LogSource::Path(_, noted) | LogSource::Stdin(_, noted) = source {
                noted.clone_from(stamps);
            }
        }
    }

    /// The names of all files in the list, also of those that are not kept.
    pub fn names(&self) -> &Arc<[Arc<str>]> {
        &self.names
    }

    /// The paths of those that are files, and the name of standard input.
    pub fn paths(&self) -> Vec<PathBuf> {
        let paths = self.sources.iter().filter_map(|(_, source)| match source {
            LogSource::Path(path, _) => Some(path.clone()),
            LogSource::Stdin(name, _) => Some(PathBuf::from(name)),
            _ => None,
        });
        paths.collect()
    }

    /// Whether records have their file by its name, so that equal records of two files may say different things.
    pub fn reads_names(&self) -> bool {
        let mut fields = self.mapping.fields().iter();
        fields.any(|(_, path)| crate::formats::is_of_file(path))
    }

    /// The names of those that are not files and cannot be read again.
    pub fn stream_names(&self) -> Vec<Arc<str>> {
        let streams = self.sources.iter().filter(|(_, it)| !matches!(it, LogSource::Path(..)));
        streams.filter_map(|(number, _)| self.names.get(*number as usize).cloned()).collect()
    }

    /// The assembler of their sessions.
    pub fn assembler(&self) -> Assembler {
        let (names, late, trends) = (&self.names, &self.late, &self.trends);
        Assembler::new(
            self.mapping.clone(),
            Arc::clone(names),
            Arc::clone(late),
            Arc::clone(trends),
        )
    }

    /// Reads them, on the threads of the current pool. `in_order`: the events of a session
    /// follow one another.
    pub fn reader(
        self,
        alphabet: &Alphabet,
        selection: Arc<Selection>,
        in_order: bool,
    ) -> EventReader {
        let EventLog { mapping, sources, names: files, late, trends } = self;
        let (alphabet, tallies) = (alphabet.clone(), false);
        trends.are_late.get_or_init(|| in_order);
        let follows_files = follows_files(&mapping);
        let mapper = Mapper {
            mapping,
            alphabet,
            selection,
            files,
            late,
            trends,
            in_order,
            tallies,
            follows_files,
        };
        EventReader::new(mapper, sources, rayon::current_num_threads())
    }

    /// Its records, in their order.
    pub fn records(self) -> impl Iterator<Item = Result<RecordBatch, EventError>> {
        let EventLog { mapping, sources, .. } = self;
        sources.into_iter().flat_map(move |(_, source)| {
            let (batches, error) = match source.open(&mapping) {
                Ok(batches) => (Some(batches), None),
                Err(error) => (None, Some(Err(error))),
            };
            batches.into_iter().flatten().chain(error)
        })
    }

    /// The mapping.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }
}

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog").field("names", &self.names).finish_non_exhaustive()
    }
}
