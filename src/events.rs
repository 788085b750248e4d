//! Event logs as inputs of `check`: from files to records, by a mapping to events, and these
//! together to sessions.
//!
//! Reading cuts the files into batches, which threads parse and map ([`read`]); what they make is
//! written as bytes ([`encode`]) and grouped by session. A session is then put together from its
//! events ([`assemble`]): roles, locations, local order, and where each event was read.

mod assemble;
mod encode;
mod open;
mod read;
mod sessions;

pub(crate) use assemble::Assembler;
pub(crate) use read::Problem;
pub(crate) use sessions::{Collector, EventSessions, Streamed};

use crate::args::EventArgs;
use crate::failure::{Failure, Outcome};
use crate::load;
use multitrace_formats::events::Mapping;
use multitrace_formats::selection::Selection;
use multitrace_interaction::Alphabet;
use read::{Mapper, Reader};
use std::path::PathBuf;
use std::sync::Arc;

/// Event logs and what makes sessions of them.
pub(crate) struct EventLog {
    mapping: Mapping,
    paths: Vec<PathBuf>,
    names: Arc<[Arc<str>]>,
}

impl EventLog {
    /// Reads the mapping and lists the files; `None` when the inputs are no event logs.
    ///
    /// Fails when the mapping is wrong, and when a file does not exist.
    pub(crate) fn open(args: &EventArgs, paths: &[PathBuf]) -> Outcome<Option<EventLog>> {
        let Some(path) = &args.events else { return Ok(None) };
        let source = load::text(path, load::read(path)?)?;
        let mapping = Mapping::parse(&source).map_err(Failure::source)?;
        let paths = open::files(paths)?;
        let names = paths.iter().map(|path| open::name(path).into()).collect();
        Ok(Some(EventLog { mapping, paths, names }))
    }

    /// What puts their sessions together.
    pub(crate) fn assembler(&self) -> Assembler {
        Assembler::new(self.mapping.clone(), Arc::clone(&self.names))
    }

    /// What reads them, for the threads of this pool.
    pub(crate) fn reader(
        self,
        alphabet: &Alphabet,
        selection: Arc<Selection>,
        in_order: bool,
    ) -> Reader {
        let EventLog { mapping, paths, names: files } = self;
        let alphabet = alphabet.clone();
        let mapper = Mapper { mapping, alphabet, selection, files, in_order };
        Reader::new(mapper, paths, rayon::current_num_threads())
    }
}
