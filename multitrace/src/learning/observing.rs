//! Sessions as they are observed, without a specification.

// No name is known, so every log is one of a location that the specification does not have, and comes as texts.

use super::naming::Renaming;
use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::Error;
use crate::inputs::Inputs;
use crate::session_stream::{ReadSession, SessionPlaces, SessionReader, for_each};
use indexmap::IndexMap;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::Selection;
use multitrace_interaction::{Action, Alphabet, Id, Session, Signature, names};
use multitrace_learn::Observations;
use multitrace_runtime::Gaps;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most ids of equal sessions that are kept.
const MOST_IDS: usize = 5;

/// Sessions as they are observed.
pub(super) struct Observed {
    pub(super) observations: Observations,
    /// The ids of the first sessions of each kind.
    pub(super) ids: Vec<Vec<String>>,
    /// Lifelines whose events are in one log, where several are.
    pub(super) locations: Vec<Vec<String>>,
    /// How many sessions are not among them, since they are not known as a whole.
    pub(super) skipped: u64,
    /// What could not be read.
    pub(super) problems: Vec<InputProblem>,
}

#[derive(Default)]
struct Observer {
    signature: Signature,
    sessions: IndexMap<Vec<Vec<Action>>, (u64, Vec<String>)>,
    /// Per lifeline, the first one of those whose events are in its log.
    shared: Vec<usize>,
    skipped: u64,
    problems: Vec<InputProblem>,
}

/// Reads all sessions.
pub(super) fn observe(inputs: Inputs, memory: usize) -> Result<Observed, Error> {
    let alphabet = Alphabet::default();
    let reader = SessionReader::new(&alphabet, inputs.assembler());
    let selection = Arc::new(Selection::default());
    let grouping =
        Grouping { alphabet: &alphabet, selection, in_order: false, memory, sample: None };
    let mut observer = Observer::default();
    let (mut chunks, _) = Chunks::open(inputs.source, grouping, &mut |problems, _| {
        observer.problems.extend(problems);
        Ok(())
    })?;
    loop {
        let current = chunks.next(1)?;
        if current.is_empty() {
            return Ok(observer.finish());
        }
        current.iter().for_each(|chunk| observer.chunk(chunk, &reader));
    }
}

impl Observer {
    fn chunk(&mut self, chunk: &Chunk, reader: &SessionReader) {
        let mut session = Session::default();
        let _ = for_each(chunk, |item| {
            match item.map_err(InputProblem::clone).and_then(|it| reader.read(&it, &mut session)) {
                Ok(read) => self.session(&session, read),
                Err(problem) => self.problems.push(problem),
            }
            ControlFlow::Continue(())
        });
    }

    fn session(&mut self, session: &Session, mut read: ReadSession<'_>) {
        // An order that the log does not tell makes no structure.
        if let SessionPlaces::Events(places) = &read.places {
            read.problem = read.problem.or(places.unordered(session));
        }
        let is_whole = matches!(read.gaps, Gaps::None | Gaps::Locations) && read.problem.is_none();
        self.problems.extend(read.problem);
        session.foreign.iter().for_each(|log| self.lifelines(&log.location));
        let logs = session.foreign.iter().map(|log| self.log(&log.events)).collect();
        let logs: Option<Vec<Vec<Action>>> = logs;
        let Some(mut logs) = logs.filter(|_| is_whole) else {
            self.skipped += 1;
            return;
        };
        logs.retain(|log| !log.is_empty());
        logs.sort();
        let (count, ids) = self.sessions.entry(logs).or_default();
        *count += 1;
        if ids.len() < MOST_IDS {
            ids.push(session.id.clone());
        }
    }

    /// The lifelines of a log, whether or not they have an event.
    fn lifelines(&mut self, log: &str) {
        let own: Vec<usize> = names::split(log, ',')
            .map(|name| self.signature.intern_lifeline(&names::name_of(name)).index())
            .collect();
        self.shared.resize_with(self.signature.lifelines().len(), || usize::MAX);
        own.windows(2).for_each(|pair| self.share(pair[0], pair[1]));
    }

    /// The events of a log; `None` if one is no action.
    fn log(&mut self, events: &[String]) -> Option<Vec<Action>> {
        let action = |text: &String| {
            let (lifeline, kind, message) = names::split_action(text)?;
            let lifeline = self.signature.intern_lifeline(&lifeline);
            Some(Action { lifeline, kind, message: self.signature.intern_message(message) })
        };
        let log: Vec<Action> = events.iter().map(action).collect::<Option<_>>()?;
        self.shared.resize_with(self.signature.lifelines().len(), || usize::MAX);
        for pair in log.windows(2) {
            self.share(pair[0].lifeline.index(), pair[1].lifeline.index());
        }
        Some(log)
    }

    fn share(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        if a != b {
            self.shared[a.max(b)] = a.min(b);
        }
    }

    fn first(&self, mut lifeline: usize) -> usize {
        while self.shared[lifeline] != usize::MAX {
            lifeline = self.shared[lifeline];
        }
        lifeline
    }

    fn finish(self) -> Observed {
        let mut groups: IndexMap<usize, Vec<String>> = IndexMap::new();
        for lifeline in self.signature.lifelines() {
            let name = self.signature.lifeline_name(lifeline).to_owned();
            groups.entry(self.first(lifeline.index())).or_default().push(name);
        }
        let locations = groups.into_values().filter(|group| group.len() > 1).collect();
        let mut renaming = Renaming::sorted(&self.signature);
        let renamed =
            self.sessions.into_iter().map(|(logs, (count, ids))| (renaming.logs(logs), count, ids));
        let mut renamed: Vec<_> = renamed.collect();
        renamed.sort_unstable();
        let (sessions, ids) =
            renamed.into_iter().map(|(logs, count, ids)| ((logs, count), ids)).unzip();
        let observations = Observations { signature: renaming.new, sessions };
        Observed { observations, ids, locations, skipped: self.skipped, problems: self.problems }
    }
}
