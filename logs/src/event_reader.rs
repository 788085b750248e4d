//! Reading: files in batches, batches to events on all threads, in the order of the input.

use crate::batches::{RecordBatch, RecordBatches};
use crate::error::EventError;
use crate::event_item::CHUNK_BYTES;
use crate::file_trends::NEWEST_FIRST;
use crate::files::{LogSource, SourceKind};
use crate::formats::Pages;
use crate::grouping::{Grouped, RunMerge};
use crate::mapper::{MappedBatch, Mapper, MappingBuffers};
use crate::record_problem::problem_at;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use multitrace_formats::workers::Workers;
use std::fmt;
use std::io;
use std::sync::Arc;

/// How many batches are handed out at once per thread. Some take longer than others, so each thread
/// gets several; all of them are in memory (a quarter of a megabyte each).
const BATCHES_PER_THREAD: usize = 4;

/// The inputs of a run, read ahead by one thread while others map earlier batches.
pub struct EventReader {
    pub(crate) mapper: Mapper,
    /// The files that were not opened yet, with their numbers.
    sources: Sources,
    /// The number of the file that was opened last.
    opened: u32,
    current: Option<OpenFile>,
    /// The pages of the files that were read to their ends.
    pages: Pages,
    workers: Workers<MappingBuffers>,
    /// Batches that were read ahead.
    ahead: Vec<ReadAhead>,
    /// Whether the last record so far is broken.
    is_broken: bool,
    /// The counts of the file so far.
    of_file: RecordCounts,
    /// Whether it had a problem so far.
    has_problem: bool,
    /// Patterns that won and records that no rule matches.
    details: RecordDetails,
}

/// Files with their numbers in the list of inputs.
type Sources = std::vec::IntoIter<(u32, LogSource)>;

/// The file that is read.
type OpenFile = (SourceKind, RecordBatches<'static>);

/// A batch and the number of its file, or why the file cannot be read on.
enum ReadAhead {
    Batch(u32, RecordBatch),
    Failed(EventError),
    /// The file was read to its end; how many of its documents say that another page follows.
    FileEnd(SourceKind, u64),
}

impl EventReader {
    pub(crate) fn new(
        mapper: Mapper,
        sources: Vec<(u32, LogSource)>,
        threads: usize,
    ) -> EventReader {
        let workers = Workers::new(threads, MappingBuffers::default);
        let pattern_wins = vec![0; mapper.mapping.input().patterns.len()];
        let details = RecordDetails { pattern_wins, ..RecordDetails::default() };
        EventReader {
            mapper,
            sources: sources.into_iter(),
            opened: 0,
            current: None,
            pages: Pages::default(),
            workers,
            ahead: Vec::new(),
            is_broken: false,
            of_file: RecordCounts::default(),
            has_problem: false,
            details,
        }
    }

    /// Patterns that won and records that no rule matches, so far.
    pub(crate) fn details(&self) -> &RecordDetails {
        &self.details
    }

    /// The next batches, in the order of the input; empty at the end. Called on a thread pool.
    pub(crate) fn next_batches(&mut self) -> Vec<MappedBatch> {
        let items = match std::mem::take(&mut self.ahead) {
            empty if empty.is_empty() => self.read_ahead(),
            items => items,
        };
        let EventReader { mapper, sources, opened, current, pages, workers, .. } = self;
        let (mut mapped, ahead) = rayon::join(
            || workers.map(&items, |item, buffers| item.mapped(mapper, buffers)),
            || read_items(mapper, sources, (opened, current), pages),
        );
        self.ahead = ahead;
        for (item, batch) in items.iter().zip(&mut mapped) {
            self.look_at_file(item, batch);
            for (wins, more) in self.details.pattern_wins.iter_mut().zip(&batch.pattern_wins) {
                *wins += more;
            }
            self.details.unmatched.merge(&batch.unmatched);
            self.details.add_unused_order(batch.unused_order.as_ref());
        }
        mapped
    }

    /// Problems of files that stand with their newest event first, where the mapping takes their order, and sessions were put
    /// together before that was known.
    pub(crate) fn newest_first(&self) -> Option<Vec<InputProblem>> {
        let Mapper { trends, files, follows_files, .. } = &self.mapper;
        let falls = (0..)
            .zip(files.iter())
            .filter(|(file, _)| *follows_files && trends.falls_at_end(*file));
        let message =
            "the newest event stands first in the file, and ties = \"file\" takes its order";
        let problem = |(_, name): (u32, &Arc<str>)| problem_at(name, None, (message, NEWEST_FIRST));
        let problems: Vec<InputProblem> = falls.map(problem).collect();
        (!problems.is_empty()).then_some(problems)
    }

    /// Maps the next traces on all threads; empty at the end.
    pub(crate) fn map_traces(&mut self, traces: &mut RunMerge) -> io::Result<Vec<MappedBatch>> {
        let mut chunks: Vec<Vec<Grouped>> = Vec::new();
        while chunks.len() < rayon::current_num_threads() * BATCHES_PER_THREAD {
            let chunk = traces.chunk(CHUNK_BYTES)?;
            if chunk.is_empty() {
                break;
            }
            chunks.push(chunk);
        }
        let EventReader { mapper, workers, .. } = self;
        let mapped = workers.map(&chunks, |chunk, buffers| mapper.related(chunk, buffers));
        for batch in &mapped {
            self.details.unmatched.merge(&batch.unmatched);
            self.details.add_repeated_span(batch.repeated_span.as_ref());
        }
        Ok(mapped)
    }

    /// A file is cut off if it cannot be read on, or if its last record is broken. Its end shows whether filters left
    /// anything of it.
    fn look_at_file(&mut self, item: &ReadAhead, batch: &mut MappedBatch) {
        self.of_file.add(&batch.counts);
        self.has_problem |= !batch.problems.is_empty();
        if !matches!(item, ReadAhead::Batch(..)) {
            let RecordCounts { records, dropped, .. } = std::mem::take(&mut self.of_file);
            batch.counts.dropped_files = u64::from(records > 0 && dropped == records);
            let is_empty = !std::mem::take(&mut self.has_problem) && records == 0;
            if let ReadAhead::FileEnd(kind, unfinished_pages) = item {
                batch.counts.empty_files = u64::from(is_empty && kind.is_untold());
                if is_empty {
                    kind.note_empty();
                }
                batch.counts.unfinished_pages = *unfinished_pages;
            }
        }
        let is_cut = match item {
            ReadAhead::Failed(_) => true,
            ReadAhead::FileEnd(..) => self.is_broken,
            ReadAhead::Batch(..) => false,
        };
        batch.counts.cut_off = u64::from(is_cut);
        self.is_broken = batch.ends_broken;
    }

    fn read_ahead(&mut self) -> Vec<ReadAhead> {
        let EventReader { mapper, sources, opened, current, pages, .. } = self;
        read_items(mapper, sources, (opened, current), pages)
    }
}

impl ReadAhead {
    fn mapped(&self, mapper: &Mapper, buffers: &mut MappingBuffers) -> MappedBatch {
        match self {
            ReadAhead::Batch(file, records) => mapper.batch(*file, records, buffers),
            ReadAhead::Failed(error) => mapper.failed(error),
            ReadAhead::FileEnd(..) => mapper.empty_batch(),
        }
    }
}

fn read_items(
    mapper: &Mapper,
    sources: &mut Sources,
    (opened, current): (&mut u32, &mut Option<OpenFile>),
    pages: &mut Pages,
) -> Vec<ReadAhead> {
    let room = rayon::current_num_threads() * BATCHES_PER_THREAD;
    let mut items = Vec::new();
    while items.len() < room {
        if let Some((kind, mut batches)) = current.take() {
            items.push(match batches.next() {
                Some(Ok(batch)) => {
                    *current = Some((kind, batches));
                    ReadAhead::Batch(*opened, batch)
                }
                None => {
                    let of_file = batches.take_pages();
                    let unfinished = of_file.unfinished;
                    pages.add(of_file);
                    ReadAhead::FileEnd(kind, unfinished)
                }
                Some(Err(error)) => ReadAhead::Failed(error),
            });
            continue;
        }
        let Some((number, source)) = sources.next() else {
            items.extend(pages.take_errors().map(ReadAhead::Failed));
            break;
        };
        *opened = number;
        let kind = source.kind();
        match source.open(&mapper.mapping) {
            Ok(batches) => *current = Some((kind, batches)),
            Err(error) => items.push(ReadAhead::Failed(error)),
        }
    }
    items
}

impl fmt::Debug for EventReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("opened", &self.opened).finish_non_exhaustive()
    }
}
