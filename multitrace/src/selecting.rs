//! Which sessions of a run are checked.

use crate::error::{Contradiction, Error};
use crate::inputs::{InputSource, Inputs};
use crate::memory_session::MemorySession;
use crate::session_files::SessionFiles;
use crate::session_stream::{SessionReader, for_each};
use multitrace_formats::selection::{
    Draw, IdList, Rate, Sample, Selection, SessionShard, ShardNumber,
};
use multitrace_interaction::{Alphabet, Session};
use std::ops::ControlFlow;

/// Which sessions are checked: all, unless a list or a sample says otherwise.
#[derive(Debug, Default)]
pub struct SessionFilter {
    /// Only the sessions of this list.
    pub only: Option<IdList>,
    /// Of those, a sample. Which sessions it has depends on their ids and the seed alone.
    pub sample: Option<SampleSize>,
    /// Another seed samples other sessions, and gives other sessions to each shard.
    pub seed: u64,
    /// Of all that, the part that is checked here.
    pub shard: Option<Shard>,
}

/// A part of the input, checked apart from the others. The partial reports of all shards merge to the
/// report of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shard {
    /// The sessions whose ids have certain hashes. A problem without a session, such as a line that cannot be read,
    /// belongs to the first shard.
    Sessions(ShardNumber),
    /// Every n-th file of the inputs, with all its sessions.
    Files(ShardNumber),
}

/// How large a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleSize {
    /// A share of the sessions.
    Rate(Rate),
    /// A number of sessions. Files are read twice for it; sessions of event logs are kept in
    /// memory.
    Count(usize),
}

impl SessionFilter {
    /// The sample as text, with its seed.
    pub(crate) fn sample_text(&self) -> Option<String> {
        let size = match self.sample? {
            SampleSize::Rate(rate) => rate.to_string(),
            SampleSize::Count(count) => count.to_string(),
        };
        Some(format!("{size}, seed {}", self.seed))
    }

    /// The selection of a run over these inputs.
    ///
    /// # Errors
    /// When the inputs would have to be read twice and cannot be.
    pub(crate) fn selection(
        self,
        inputs: &Inputs,
        alphabet: &Alphabet,
    ) -> Result<Selection, Error> {
        let shard = match self.shard {
            Some(Shard::Sessions(number)) => Some(SessionShard::new(number, self.seed)),
            Some(Shard::Files(_)) | None => None,
        };
        if self.shard.is_some() && matches!(self.sample, Some(SampleSize::Count(_))) {
            return Err(Contradiction::CountOfShard.into());
        }
        let mut selection = Selection { only: self.only, sample: None, shard };
        selection.sample = match (self.sample, &inputs.source) {
            (None, _) => None,
            (Some(SampleSize::Rate(rate)), _) => Some(Sample::share(rate, self.seed)),
            // Their sessions are drawn when all events have been read.
            (Some(SampleSize::Count(_)), InputSource::Events(_)) => None,
            (Some(SampleSize::Count(count)), source) => {
                let mut draw = Draw::new(count, self.seed);
                let add = |id: &str| {
                    if selection.has(id) {
                        draw.add(id, ());
                    }
                };
                match source {
                    InputSource::Memory(sessions) => {
                        sessions.iter().filter_map(MemorySession::id).for_each(add);
                    }
                    InputSource::Files(files) => each_id(files.again(), alphabet, add)?,
                    InputSource::Events(_) => {}
                }
                Some(draw.finish())
            }
        };
        Ok(selection)
    }
}

/// Reads files for the ids of their sessions. Problems are left to the second reading.
fn each_id(
    files: Option<SessionFiles>,
    alphabet: &Alphabet,
    mut add: impl FnMut(&str),
) -> Result<(), Error> {
    let mut files = files.ok_or(Contradiction::CountOfStream)?;
    let reader = SessionReader::new(alphabet, None);
    let mut session = Session::default();
    loop {
        let chunks = files.next_chunks(1);
        if chunks.is_empty() {
            return Ok(());
        }
        for chunk in &chunks {
            let _ = for_each(chunk, |item| {
                let Ok(unread) = item else { return ControlFlow::Continue(()) };
                match unread.id() {
                    Some(id) => add(&id),
                    None => {
                        if reader.read(&unread, &mut session).is_ok() {
                            add(&session.id);
                        }
                    }
                }
                ControlFlow::Continue(())
            });
        }
    }
}
