//! Reading: files in batches, batches to events on all threads, in the order of the input.

use super::assemble::{known_letter, write_action};
use super::files;
use super::stored_event::{StoredEvent, What, write};
use crate::grouping::Batch;
use crate::{
    Binding, Event, EventError, Events, Mapping, OrderKey, Outcome, Record, RecordBatch,
    RecordBatches, RecordPlace, Unit, Unmatched,
};
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::selection::Selection;
use multitrace_formats::workers::{Workers, guarded};
use multitrace_interaction::Alphabet;
use std::path::PathBuf;
use std::sync::Arc;

/// How many batches are handed out at once per thread.
const BATCHES_PER_THREAD: usize = 4;

/// What a batch gave.
pub struct Part {
    pub batch: Batch,
    pub counts: RecordCounts,
    /// What is wrong with the input.
    pub problems: Vec<InputProblem>,
    /// Whether its last record is broken.
    ends_broken: bool,
}

/// What events are made with. Shared by all threads.
pub struct Mapper {
    pub mapping: Mapping,
    pub alphabet: Alphabet,
    pub selection: Arc<Selection>,
    pub files: Arc<[Arc<str>]>,
    /// Whether events keep their order, because those of a session follow one another.
    pub in_order: bool,
}

/// What a thread keeps from batch to batch.
#[derive(Default)]
pub struct Scratch {
    events: Events,
    text: String,
}

/// All inputs.
pub struct EventReader {
    pub mapper: Mapper,
    paths: Vec<PathBuf>,
    /// The next file to be opened.
    next: usize,
    current: Option<RecordBatches<'static>>,
    workers: Workers<Scratch>,
    /// What has been read ahead.
    ahead: Vec<Item>,
    /// Whether the last record so far is broken.
    is_broken: bool,
}

/// A batch of the file of this number, or why there is none.
enum Item {
    Batch(u32, RecordBatch),
    Failed(EventError),
    /// The file is over.
    End,
}

impl EventReader {
    pub fn new(mapper: Mapper, paths: Vec<PathBuf>, threads: usize) -> EventReader {
        let workers = Workers::new(threads, Scratch::default);
        EventReader {
            mapper,
            paths,
            next: 0,
            current: None,
            workers,
            ahead: Vec::new(),
            is_broken: false,
        }
    }

    /// The next parts, in the order of the input; empty at the end. Called on a thread pool.
    pub fn next_parts(&mut self) -> Vec<Part> {
        let items = match std::mem::take(&mut self.ahead) {
            empty if empty.is_empty() => self.read_ahead(),
            items => items,
        };
        let EventReader { mapper, paths, next, current, workers, .. } = self;
        let (mut parts, ahead) = rayon::join(
            || workers.map(&items, |item, scratch| mapper.part(item, scratch)),
            || read_items(mapper, paths, next, current),
        );
        self.ahead = ahead;
        for (item, part) in items.iter().zip(&mut parts) {
            self.look_for_a_cut(item, part);
        }
        parts
    }

    /// A file is cut off where it could not be read on, or its last record is broken.
    fn look_for_a_cut(&mut self, item: &Item, part: &mut Part) {
        let is_cut = match item {
            Item::Failed(_) => true,
            Item::End => self.is_broken,
            Item::Batch(..) => false,
        };
        part.counts.cut_off = u64::from(is_cut);
        self.is_broken = part.ends_broken;
    }

    fn read_ahead(&mut self) -> Vec<Item> {
        read_items(&self.mapper, &self.paths, &mut self.next, &mut self.current)
    }
}

fn read_items(
    mapper: &Mapper,
    paths: &[PathBuf],
    next: &mut usize,
    current: &mut Option<RecordBatches<'static>>,
) -> Vec<Item> {
    let room = rayon::current_num_threads() * BATCHES_PER_THREAD;
    let mut items = Vec::new();
    while items.len() < room {
        if let Some(batches) = current {
            match batches.next() {
                Some(Ok(batch)) => items.push(Item::Batch(*next as u32 - 1, batch)),
                None => {
                    *current = None;
                    items.push(Item::End);
                }
                Some(Err(error)) => items.push(Item::Failed(error)),
            }
            continue;
        }
        let Some(path) = paths.get(*next) else { break };
        *next += 1;
        match files::open(path, &mapper.mapping) {
            Ok(batches) => *current = Some(batches),
            Err(error) => items.push(Item::Failed(error)),
        }
    }
    items
}

impl Mapper {
    fn part(&self, item: &Item, scratch: &mut Scratch) -> Part {
        let empty = || self.empty_part();
        let (file, records) = match item {
            Item::Batch(file, records) => (*file, records),
            Item::End => return empty(),
            Item::Failed(error) => {
                let mut part = empty();
                self.add_error(error, ProblemKind::Unreadable, &mut part);
                return part;
            }
        };
        let mapped = guarded(scratch, |scratch| {
            let mut part = empty();
            records.for_each(|record| {
                part.ends_broken = record.is_err();
                match record {
                    Ok(record) => self.map(file, record, scratch, &mut part),
                    Err(error) => {
                        part.counts.records += 1;
                        self.add_error(&error, ProblemKind::Malformed, &mut part);
                    }
                }
            });
            part
        });
        mapped.unwrap_or_else(|panicked| {
            let mut part = empty();
            let message = format!("{panicked}; please report this");
            self.add_problem((file, None), &message, "", ProblemKind::Internal, &mut part);
            part
        })
    }

    fn empty_part(&self) -> Part {
        let batch = if self.in_order { Batch::in_order() } else { Batch::by_session() };
        let counts = RecordCounts::default();
        Part { batch, counts, problems: Vec::new(), ends_broken: false }
    }

    /// Maps a record, and adds what it makes.
    fn map(&self, file: u32, record: &Record<'_>, scratch: &mut Scratch, part: &mut Part) {
        let Scratch { events, text } = scratch;
        events.clear();
        part.counts.records += 1;
        let place = (file, Some(record.place()));
        match self.mapping.map(record, events) {
            Outcome::Mapped { .. } => part.counts.mapped += 1,
            Outcome::Dropped { .. } => part.counts.dropped += 1,
            Outcome::Unmatched => {
                part.counts.unmatched += 1;
                if self.mapping.unmatched() == Unmatched::Error {
                    let help = "add a [[rule]] for it, or a [[drop]], or set unmatched = \"count\"";
                    let message = "no rule of the mapping matches this record";
                    self.add_problem(place, message, help, ProblemKind::Malformed, part);
                }
            }
            Outcome::Broken { rule, why } => {
                let why = self.mapping.explain(&why, record);
                let (name, line) = (self.mapping.rule_name(rule), self.mapping.rule_line(rule));
                let map = self.mapping.source().name();
                let message = format!("{why}, which {name} ({map}:{line}) needs");
                let help = "correct the rule, or let its condition leave such records out";
                self.add_problem(place, &message, help, ProblemKind::Malformed, part);
                self.mapping.each_session(rule, record, |session| {
                    self.add_written((session, file, record.place()), None, What::Lost, part);
                });
            }
        }
        for binding in events.bindings() {
            let Binding { role, session, value, order, place } = binding;
            let what = What::Binding { role, value };
            self.add_written((session, file, place), order, what, part);
        }
        for event in events.iter() {
            self.add(file, &event, text, part);
        }
    }

    fn add(&self, file: u32, event: &Event<'_>, text: &mut String, part: &mut Part) {
        if !self.selection.has(event.session) {
            part.counts.not_selected += 1;
            return;
        }
        let Event { session, location, lifeline, kind, message, order, place } = *event;
        let known = if self.mapping.has_roles() {
            None
        } else {
            write_action(lifeline, kind, message, text);
            known_letter((location, lifeline), (text, message), &self.alphabet)
        };
        let what = match known {
            Some(letter) => What::Known(letter),
            None => What::Event { location, lifeline, kind, message },
        };
        part.counts.events += 1;
        part.batch.add(session, |bytes| write(&StoredEvent { file, place, order, what }, bytes));
    }

    /// Adds what is no event, but belongs to a session.
    fn add_written(
        &self,
        (session, file, place): (&str, u32, RecordPlace),
        order: Option<OrderKey>,
        what: What<'_>,
        part: &mut Part,
    ) {
        if self.selection.has(session) {
            part.batch
                .add(session, |bytes| write(&StoredEvent { file, place, order, what }, bytes));
        }
    }

    fn add_error(&self, error: &EventError, kind: ProblemKind, part: &mut Part) {
        let place = ProblemPlace {
            file: error.file().to_owned(),
            line: error.line(),
            column: error.column(),
            message: error.message().to_owned(),
        };
        part.problems.push(InputProblem::new(kind, place, error.to_string()));
    }

    /// Adds what is wrong with a record.
    fn add_problem(
        &self,
        (file, place): (u32, Option<RecordPlace>),
        message: &str,
        help: &str,
        kind: ProblemKind,
        part: &mut Part,
    ) {
        let file = self.files.get(file as usize).map_or("", |file| &**file).to_owned();
        let line = place.filter(|place| place.unit == Unit::Line);
        let line = line.and_then(|place| usize::try_from(place.number).ok());
        let shown = place.map_or_else(String::new, |place| format!(", {place}"));
        let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
        let text = format!("error: {message}\n --> {file}{shown}{help}");
        let place = ProblemPlace { file, line, column: None, message: message.to_owned() };
        part.problems.push(InputProblem::new(kind, place, text));
    }
}
