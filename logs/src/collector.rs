//! Event logs that are read to their end before sessions come out.

use crate::event_reader::EventReader;
use crate::event_sessions::MergedSessions;
use crate::grouping::{EventStore, RunMerge, records};
use crate::joining::Joining;
use crate::log_error::LogError;
use crate::mapper::MappedBatch;
use crate::session_rules::SessionRules;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use std::io;

/// Events that are all read before the first session is handed out.
#[derive(Debug)]
pub struct Collector {
    pub(crate) reader: EventReader,
    store: EventStore,
    /// Spans by trace, if they ask fields of one another: while records are read, and afterwards.
    spans: Option<EventStore>,
    traces: Option<RunMerge>,
    /// Records that wait for their session, if the mapping joins records.
    waiting: Option<EventStore>,
    memory: usize,
    counts: RecordCounts,
}

/// All sessions of event logs.
#[derive(Debug)]
pub struct Collected {
    /// The sessions.
    pub sessions: MergedSessions,
    /// Counts of the records.
    pub counts: RecordCounts,
    /// Problems of the input as a whole.
    pub problems: Vec<InputProblem>,
    /// Patterns that won and records that no rule matches.
    pub details: RecordDetails,
}

impl Collector {
    /// Uses about `memory` bytes, and disk for the rest.
    pub fn new(reader: EventReader, memory: usize) -> Collector {
        let mapping = &reader.mapper.mapping;
        let (relates, joins) = (mapping.maps_late(), mapping.has_joins());
        // All stores hold records at once; joining has a third one for chains of ids.
        let memory = memory / (1 + usize::from(relates) + 2 * usize::from(joins));
        let store = |is_needed: bool| is_needed.then(|| EventStore::new(memory));
        Collector {
            reader,
            store: EventStore::new(memory),
            spans: store(relates),
            traces: None,
            waiting: store(joins),
            memory,
            counts: RecordCounts::default(),
        }
    }

    /// Reads on, and returns the problems of that part of the input; `None` at the end.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn read(&mut self) -> Result<Option<Vec<InputProblem>>, LogError> {
        let batches = self.next_batches()?;
        if batches.is_empty() {
            return Ok(None);
        }
        Ok(Some(batches.into_iter().flat_map(|batch| batch.problems.into_vec()).collect()))
    }

    /// Reads on, and returns the collected batches; empty at the end.
    pub(crate) fn next_batches(&mut self) -> Result<Vec<MappedBatch>, LogError> {
        let batches = match self.reader.next_batches() {
            none if none.is_empty() => self.next_traces().map_err(LogError::temporary)?,
            batches => batches,
        };
        batches.iter().try_for_each(|batch| self.collect(batch)).map_err(LogError::temporary)?;
        Ok(batches)
    }

    /// Maps the next traces, once all spans are known.
    fn next_traces(&mut self) -> io::Result<Vec<MappedBatch>> {
        if let Some(spans) = self.spans.take() {
            self.counts.spilled_bytes += spans.spilled();
            self.traces = Some(RunMerge::new(spans.into_runs()?)?);
        }
        match &mut self.traces {
            None => Ok(Vec::new()),
            Some(traces) => self.reader.map_traces(traces),
        }
    }

    fn collect(&mut self, batch: &MappedBatch) -> io::Result<()> {
        self.counts.add(&batch.counts);
        if let Some(spans) = &mut self.spans {
            match self.reader.mapper.mapping.replies() {
                Some(_) => spans.add_beside(&self.store, &batch.spans)?,
                None => spans.add(&batch.spans)?,
            }
        }
        if let Some(waiting) = &mut self.waiting {
            waiting.add_beside(&self.store, &batch.waiting)?;
        }
        if batch.numbers.is_empty() {
            return self.store.add(&batch.events);
        }
        let mut numbers = batch.numbers.iter().peekable();
        let mut own = 0;
        for record in records(0, batch.events.only_partition()) {
            while let Some((_, number)) = numbers.next_if(|(from, _)| *from <= record.number) {
                own = *number;
            }
            self.store.add_record(own, record.session, record.content)?;
        }
        Ok(())
    }

    /// How many records have been read.
    pub fn records(&self) -> u64 {
        self.counts.records
    }

    /// All sessions, and the counts of records.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub fn finish(self) -> Result<Collected, LogError> {
        let Collector { reader, mut store, waiting, memory, mut counts, .. } = self;
        let problems = match waiting {
            None => Vec::new(),
            Some(waiting) => Joining::new(&reader.mapper, &mut store, &mut counts)
                .run(waiting, memory)
                .map_err(LogError::temporary)?,
        };
        counts.spilled_bytes += store.spilled();
        let details = reader.details().clone();
        counts.unused_patterns = details.unused_patterns();
        let rules = SessionRules::from_mapping(&reader.mapper.mapping);
        let merge = store.into_runs().and_then(RunMerge::new).map_err(LogError::temporary)?;
        let sessions = MergedSessions::new(merge, rules, counts.cut_off > 0);
        Ok(Collected { sessions, counts, problems, details })
    }
}
