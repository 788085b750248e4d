//! Inputs of a run: files of sessions, a reader, sessions in memory, or event logs. All of them
//! come as chunks in input order, which threads then read ([`session_stream`](crate::session_stream)).

use crate::error::Error;
use crate::memory_session::MemorySession;
use crate::read_counts::ReadCounts;
use crate::session_files::{FileOptions, SessionFiles};
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_interaction::Session;
use multitrace_logs::{Assembler, EventLog, InputFiles, Mapping, ReadStamps};
use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;

/// The inputs of a run, in order.
#[derive(Debug)]
pub struct Inputs {
    pub(crate) source: InputSource,
    notes: Vec<String>,
    /// Counts of records and files that were read elsewhere.
    pub(crate) told: ReadCounts,
}

/// Where sessions come from.
#[derive(Debug)]
pub(crate) enum InputSource {
    Files(Box<SessionFiles>),
    Memory(VecDeque<MemorySession>),
    Events(Box<EventLog>),
}

impl Inputs {
    /// Files of sessions (`.htf`: one session, called like the file; `.jsonl`: one a line), packed or
    /// not, folders of them, patterns, or `-` for standard input. A file whose extension tells no
    /// format is recognised by its first bytes.
    ///
    /// # Errors
    /// When a path does not exist, a folder cannot be listed, or a file has no format of sessions.
    pub fn files(paths: &[PathBuf]) -> Result<Inputs, Error> {
        Inputs::files_with(paths, &FileOptions::default())
    }

    /// The same with options for the files.
    ///
    /// # Errors
    /// Those of [`Inputs::files`].
    pub fn files_with(paths: &[PathBuf], options: &FileOptions) -> Result<Inputs, Error> {
        let listed = InputFiles::list_without(paths, &options.exclude)?;
        let notes = listed.notes.clone();
        let files = SessionFiles::new(listed, options)?;
        Ok(Inputs { notes, ..Inputs::of(InputSource::Files(Box::new(files))) })
    }

    /// Sessions as JSON Lines from a reader; `name` is its name in errors.
    pub fn reader(name: &str, reader: impl BufRead + Send + 'static) -> Inputs {
        let files = SessionFiles::reader(name, Box::new(reader));
        Inputs::of(InputSource::Files(Box::new(files)))
    }

    /// The same for lines in memory, which can be read twice.
    pub fn lines(name: &str, lines: Arc<[u8]>) -> Inputs {
        Inputs::of(InputSource::Files(Box::new(SessionFiles::lines(name, lines))))
    }

    /// Sessions in memory.
    pub fn sessions(sessions: impl IntoIterator<Item = Session>) -> Inputs {
        let sessions = sessions.into_iter().map(MemorySession::Read).collect();
        Inputs::in_memory(sessions)
    }

    pub(crate) fn in_memory(sessions: VecDeque<MemorySession>) -> Inputs {
        Inputs::of(InputSource::Memory(sessions))
    }

    /// The same with remarks of those who read their records.
    pub(crate) fn read_elsewhere(self, told: ReadCounts, notes: Vec<String>) -> Inputs {
        Inputs { told, notes, ..self }
    }

    /// The same with more remarks on their paths.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Inputs {
        self.notes.extend(notes);
        self
    }

    /// Event logs, which a mapping turns into sessions: files, folders, patterns, or `-` for
    /// standard input.
    ///
    /// # Errors
    /// When a path does not exist or a folder cannot be listed.
    pub fn event_logs(paths: &[PathBuf], mapping: Mapping) -> Result<Inputs, Error> {
        Inputs::event_logs_with(paths, mapping, &FileOptions::default())
    }

    /// The same with options for the files, except their format, which the mapping gives.
    ///
    /// # Errors
    /// Those of [`Inputs::event_logs`].
    pub fn event_logs_with(
        paths: &[PathBuf],
        mapping: Mapping,
        options: &FileOptions,
    ) -> Result<Inputs, Error> {
        let listed = InputFiles::list_without(paths, &options.exclude)?;
        let notes = listed.notes.clone();
        let log = EventLog::of_files(
            mapping,
            listed,
            options.stdin_name.as_deref().unwrap_or(STANDARD_INPUT),
        );
        Ok(Inputs { notes, ..Inputs::of(InputSource::Events(Box::new(log))) })
    }

    /// An event log from a reader, which a mapping turns into sessions; `name` is its name in messages.
    pub fn event_reader(
        name: &str,
        reader: impl io::Read + Send + 'static,
        mapping: Mapping,
    ) -> Inputs {
        Inputs::of(InputSource::Events(Box::new(EventLog::of_reader(mapping, name, reader))))
    }

    /// Tables in memory with one event a row, which a mapping turns into sessions; `name` is their name in messages.
    #[cfg(feature = "columnar")]
    pub fn event_tables(
        name: &str,
        tables: multitrace_logs::ArrowBatches<'static>,
        mapping: Mapping,
    ) -> Inputs {
        Inputs::of(InputSource::Events(Box::new(EventLog::of_tables(mapping, name, tables))))
    }

    /// The names of event logs that are not files and cannot be read again.
    pub(crate) fn stream_names(&self) -> Vec<Arc<str>> {
        match &self.source {
            InputSource::Events(log) => log.stream_names(),
            InputSource::Files(_) | InputSource::Memory(_) => Vec::new(),
        }
    }

    /// Keeps the files with certain numbers in the list, from 0; returns whether there are others. An input that is not
    /// a file has the number 0.
    pub(crate) fn keep_files(&mut self, keep: impl Fn(u32) -> bool) -> bool {
        match &mut self.source {
            InputSource::Events(log) => log.keep_files(keep),
            InputSource::Files(files) => files.keep(keep),
            InputSource::Memory(sessions) if !keep(0) => {
                sessions.clear();
                true
            }
            InputSource::Memory(_) => false,
        }
    }

    /// The names of the inputs with their numbers.
    pub(crate) fn names(&self) -> Vec<(Arc<str>, u32)> {
        match &self.source {
            InputSource::Events(log) => log.names().iter().cloned().zip(0..).collect(),
            InputSource::Files(files) => files.names(),
            InputSource::Memory(_) => Vec::new(),
        }
    }

    /// Notes the files that are read to their end; the paths of all, and whether sessions depend on the name of each.
    pub(crate) fn note_reads(&mut self, stamps: &ReadStamps) -> Vec<(PathBuf, bool)> {
        match &mut self.source {
            InputSource::Events(log) => {
                log.note_reads(stamps);
                let reads_names = log.reads_names();
                log.paths().into_iter().map(|path| (path, reads_names)).collect()
            }
            InputSource::Files(files) => {
                files.note_reads(stamps);
                files.paths()
            }
            InputSource::Memory(_) => Vec::new(),
        }
    }

    /// The assembler of sessions of event logs.
    pub(crate) fn assembler(&self) -> Option<Assembler> {
        match &self.source {
            InputSource::Events(log) => Some(log.assembler()),
            InputSource::Files(_) | InputSource::Memory(_) => None,
        }
    }

    fn of(source: InputSource) -> Inputs {
        Inputs { source, notes: Vec::new(), told: ReadCounts::default() }
    }

    /// Notes on the paths, for people: files of a folder that are left out, and folders that
    /// are there twice.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether these are event logs.
    pub fn are_events(&self) -> bool {
        matches!(self.source, InputSource::Events(_))
    }
}
