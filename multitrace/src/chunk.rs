//! A part of the input for one thread.

use crate::files::whole;
use crate::memory_session::MemorySession;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::sessions::LineChunk;
use multitrace_logs::{Grouped, ReadStamps, SessionsLeftOut, decompress};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A part of the input for one thread.
#[derive(Debug)]
pub(crate) enum Chunk {
    /// Lines of a JSON Lines file with its number among the inputs, one session each.
    Lines { file: Arc<str>, input: u32, lines: LineChunk },
    /// A file that holds one session.
    Htf(HtfFile),
    /// Sessions in memory, and how many came before them.
    Memory { before: u64, sessions: Vec<MemorySession> },
    /// Sessions out of event logs, whether some of their events may lie behind a cut, and the
    /// sessions among them that the mapping leaves out.
    Grouped { sessions: Vec<Grouped>, cut: bool, left_out: SessionsLeftOut },
    /// Problems of the input.
    Problems(Vec<InputProblem>),
}

/// A file that holds one session.
#[derive(Debug)]
pub(crate) struct HtfFile {
    /// Its path, or its name in messages.
    pub(crate) name: PathBuf,
    /// Its number among the inputs.
    pub(crate) input: u32,
    /// Its text, if it was read already: a stream is read in the order of the inputs.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The collector of files that were read.
    pub(crate) stamps: ReadStamps,
}

impl HtfFile {
    /// Whether it holds nothing but blanks, unless it is a file without a byte, which the list of files tells.
    pub(crate) fn is_blank(&self) -> bool {
        let is_blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
        let is_stream = self.bytes.is_some();
        self.read().is_ok_and(|it| is_blank(&it) && (is_stream || !it.is_empty()))
    }

    /// Its text, unpacked.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        match &self.bytes {
            Some(bytes) => Ok(bytes.clone()),
            None => whole(decompress(&self.name, self.stamps.open(&self.name)?)?, Vec::new()),
        }
    }
}
