//! Reading: files in batches, batches to events on all threads, in the order of the input.

use super::assemble::{known_letter, write_action};
use super::encode::{What, Written, write};
use super::open;
use crate::grouping::Batch;
use multitrace_formats::codes::Code;
use multitrace_formats::events::{
    Binding, Event, EventError, Events, Mapping, OrderKey, Outcome, Place, Record, RecordBatch,
    RecordBatches, Unit, Unmatched,
};
use multitrace_formats::outputs::InputError;
use multitrace_formats::report::{ErrorReport, InputCounts};
use multitrace_formats::selection::Selection;
use multitrace_interaction::Alphabet;
use multitrace_runtime::{Workers, guarded};
use std::path::PathBuf;
use std::sync::Arc;

/// How many batches are handed out at once per thread.
const BATCHES_PER_THREAD: usize = 4;

/// Something wrong with the input, as it is shown and for reports.
pub(crate) type Problem = (String, InputError);

/// What a batch gave.
pub(crate) struct Part {
    pub(crate) batch: Batch,
    pub(crate) counts: InputCounts,
    /// What is wrong with the input.
    pub(crate) problems: Vec<Problem>,
    /// Whether its last record is broken.
    ends_broken: bool,
}

/// What events are made with. Shared by all threads.
pub(crate) struct Mapper {
    pub(crate) mapping: Mapping,
    pub(crate) alphabet: Alphabet,
    pub(crate) selection: Arc<Selection>,
    pub(crate) files: Arc<[Arc<str>]>,
    /// Whether events keep their order, because those of a session follow one another.
    pub(crate) in_order: bool,
}

/// What a thread keeps from batch to batch.
#[derive(Default)]
pub(crate) struct Scratch {
    events: Events,
    text: String,
}

/// All inputs.
pub(crate) struct Reader {
    pub(crate) mapper: Mapper,
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

impl Reader {
    pub(crate) fn new(mapper: Mapper, paths: Vec<PathBuf>, threads: usize) -> Reader {
        let workers = Workers::new(threads, Scratch::default);
        Reader {
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
    pub(crate) fn next_parts(&mut self) -> Vec<Part> {
        let items = match std::mem::take(&mut self.ahead) {
            empty if empty.is_empty() => self.read_ahead(),
            items => items,
        };
        let Reader { mapper, paths, next, current, workers, .. } = self;
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
        match open::open(path, &mapper.mapping) {
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
                self.add_error(error, Code::UnreadableInput, &mut part);
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
                        self.add_error(&error, Code::MalformedInput, &mut part);
                    }
                }
            });
            part
        });
        mapped.unwrap_or_else(|panicked| {
            let mut part = empty();
            let message = format!("{panicked}; please report this");
            self.add_problem((file, None), &message, "", Code::Internal, &mut part);
            part
        })
    }

    fn empty_part(&self) -> Part {
        let batch = if self.in_order { Batch::in_order() } else { Batch::by_session() };
        let counts = InputCounts::default();
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
                    self.add_problem(place, message, help, Code::MalformedInput, part);
                }
            }
            Outcome::Broken { rule, why } => {
                let why = self.mapping.explain(&why, record);
                let (name, line) = (self.mapping.rule_name(rule), self.mapping.rule_line(rule));
                let map = self.mapping.source().name();
                let message = format!("{why}, which {name} ({map}:{line}) needs");
                let help = "correct the rule, or let its condition leave such records out";
                self.add_problem(place, &message, help, Code::MalformedInput, part);
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
        part.batch.add(session, |bytes| write(&Written { file, place, order, what }, bytes));
    }

    /// Adds what is no event, but belongs to a session.
    fn add_written(
        &self,
        (session, file, place): (&str, u32, Place),
        order: Option<OrderKey>,
        what: What<'_>,
        part: &mut Part,
    ) {
        if self.selection.has(session) {
            part.batch.add(session, |bytes| write(&Written { file, place, order, what }, bytes));
        }
    }

    fn add_error(&self, error: &EventError, code: Code, part: &mut Part) {
        let report = ErrorReport {
            file: error.file().to_owned(),
            line: error.line(),
            column: error.column(),
            message: error.message().to_owned(),
        };
        part.problems.push((error.to_string(), InputError { code, report }));
    }

    /// Adds what is wrong with a record.
    fn add_problem(
        &self,
        (file, place): (u32, Option<Place>),
        message: &str,
        help: &str,
        code: Code,
        part: &mut Part,
    ) {
        let file = self.files.get(file as usize).map_or("", |file| &**file).to_owned();
        let line = place.filter(|place| place.unit == Unit::Line);
        let line = line.and_then(|place| usize::try_from(place.number).ok());
        let shown = place.map_or_else(String::new, |place| format!(", {place}"));
        let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
        let text = format!("error: {message}\n --> {file}{shown}{help}");
        let report = ErrorReport { file, line, column: None, message: message.to_owned() };
        part.problems.push((text, InputError { code, report }));
    }
}
