//! Event logs as inputs of `check`: from files to records, by a mapping to events, and these
//! together to sessions.
//!
//! Reading cuts the files into batches, which threads parse and map ([`read`]); what they make is
//! written as bytes ([`encode`]) and grouped by session. A session is then put together from its
//! events ([`assemble`]): roles, locations, local order, and where each event was read.

mod assemble;
mod draw;
mod encode;
mod open;
mod read;
mod sessions;

pub(crate) use assemble::Assembler;
pub(crate) use draw::Drawn;
pub(crate) use read::Problem;
pub(crate) use sessions::{Collector, EventSessions, Streamed};

use crate::args::EventArgs;
use crate::failure::{Failure, Outcome};
use crate::load;
use multitrace_formats::bundle::{Bundle, EventMapping};
use multitrace_formats::events::Mapping;
use multitrace_formats::selection::Selection;
use multitrace_formats::source::Source;
use multitrace_interaction::Alphabet;
use read::{Mapper, Reader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The mapping in a file.
pub(crate) fn mapping(path: &Path) -> Outcome<Mapping> {
    parse(&load::text(path, load::read(path)?)?)
}

fn parse(source: &Source) -> Outcome<Mapping> {
    Mapping::parse(source).map_err(Failure::source)
}

/// The text of a mapping, which must be right, for a bundle.
pub(crate) fn text(path: &Path) -> Outcome<EventMapping> {
    let mapping = mapping(path)?;
    let name = path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    Ok(EventMapping { name, text: mapping.source().text().to_owned() })
}

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
    pub(crate) fn open(
        args: &EventArgs,
        bundle: &Bundle,
        paths: &[PathBuf],
    ) -> Outcome<Option<EventLog>> {
        let mapping = match (&args.events, &bundle.events) {
            _ if args.no_events => return Ok(None),
            (Some(path), _) => mapping(path)?,
            (None, Some(EventMapping { name, text })) => {
                parse(&Source::new(name.as_str(), text.as_str()))?
            }
            (None, None) => return Ok(None),
        };
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
