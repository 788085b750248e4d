//! Whether files stand with their newest event first, by the orders of all of their events.

// Idea: `ties = "file"` and `reply-to` take events of one order as the file has them, which is right for a file with the
// oldest event first. Whether it is one shows wherever two of its events have different orders. Events of one session and
// location say most; where none of them differ, as in short sessions with coarse times, those that follow one another in
// the file do.
//
// Invariant: each thread compares within a batch, and sums of counts do not depend on threads.
//
// Cost: a hash of the session and the location of an event, only for mappings that ask. A table of fixed size has the last
// events, so that of very many sessions side by side some comparisons are left out.

use crate::mapping::{Mapping, OrderKey, Ties};
use crate::record::RecordPlace;
use crate::stored_event::{StoredEvent, StoredKind};
use multitrace_interaction::{Alphabet, Id};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The remedy for a file with the newest event first.
pub(crate) const NEWEST_FIRST: &str = "ties = \"file\" is for a file with the oldest record first: turn its records round (the header of a table \
                                       stays first), name a finer field in `order`, or write ties = \"any\", if they may have happened in any order";
/// How many last events are kept: as many as sessions side by side have logs, in about 150 kB.
const KEPT: usize = 1024;

/// How often the order of events rises and falls in each file.
#[derive(Debug)]
pub(crate) struct FileTrends {
    files: Vec<[AtomicU64; 4]>,
    /// Whether sessions are put together before all files were read. Then files are judged at the end.
    pub(crate) are_late: OnceLock<bool>,
}

/// Counts of one file: rises and falls at one location of one session, and between neighbours.
type Counts = [u64; 4];

impl FileTrends {
    pub(crate) fn new(files: usize) -> FileTrends {
        let files = (0..files).map(|_| Default::default()).collect();
        FileTrends { files, are_late: OnceLock::new() }
    }

    /// Whether a file is known to stand with its newest event first.
    pub(crate) fn falls(&self, file: u32) -> bool {
        self.are_late.get() != Some(&true) && self.falls_at_end(file)
    }

    /// The same once all files were read.
    pub(crate) fn falls_at_end(&self, file: u32) -> bool {
        let Some(counts) = self.files.get(file as usize) else { return false };
        let [rises, falls, all_rises, all_falls] =
            counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        if rises == falls { all_falls > all_rises } else { falls > rises }
    }
}

/// Whether a mapping takes events of one order as their file has them.
pub(crate) fn follows_files(mapping: &Mapping) -> bool {
    mapping.order_place().is_some() && (mapping.ties() == Ties::File || mapping.replies().is_some())
}

/// The last events of a batch.
#[derive(Debug, Default)]
pub(crate) struct LastEvents {
    by_log: Vec<Option<LastEvent>>,
    before: Option<LastEvent>,
    /// By file, in the order in which they came.
    counts: Vec<(u32, Counts)>,
}

#[derive(Clone, Copy, Debug)]
struct LastEvent {
    log: u64,
    place: RecordPlace,
    order: OrderKey,
}

impl LastEvents {
    /// Adds the next event of a batch, whose session is given by its name or its number.
    pub(crate) fn add(&mut self, session: impl Hash, event: &StoredEvent<'_>, alphabet: &Alphabet) {
        let StoredEvent { file, place, order: Some(order), kind } = *event else { return };
        let mut hasher = DefaultHasher::new();
        (file, session).hash(&mut hasher);
        match kind {
            StoredKind::Known(letter) => alphabet.location_of(letter).index().hash(&mut hasher),
            StoredKind::Event { location, lifeline, .. } => {
                location.unwrap_or(lifeline).hash(&mut hasher);
            }
            _ => return,
        }
        self.by_log.resize(KEPT, None);
        let this = LastEvent { log: hasher.finish(), place, order };
        if self.counts.last().is_none_or(|(last, _)| *last != file) {
            self.before = None;
            self.counts.push((file, Counts::default()));
        }
        let Some((_, [rises, falls, all_rises, all_falls])) = self.counts.last_mut() else {
            return;
        };
        let last = &mut self.by_log[this.log as usize % KEPT];
        this.compare(last, last.is_none_or(|last| last.log == this.log), (rises, falls));
        this.compare(&mut self.before, true, (all_rises, all_falls));
    }

    /// Ends a batch, and adds what it says of its files.
    pub(crate) fn end(&mut self, trends: &FileTrends) {
        for (file, counts) in mem::take(&mut self.counts) {
            let all = trends.files.get(file as usize).into_iter().flatten();
            all.zip(counts).for_each(|(all, count)| _ = all.fetch_add(count, Ordering::Relaxed));
        }
        self.by_log.fill(None);
    }
}

impl LastEvent {
    /// Compares it with the last one, and takes its place. The events of one record say nothing of the file.
    fn compare(
        self,
        last: &mut Option<LastEvent>,
        is_of_log: bool,
        (rises, falls): (&mut u64, &mut u64),
    ) {
        if let Some(LastEvent { place, order, .. }) = *last
            && is_of_log
        {
            if place == self.place {
                return;
            }
            if order.kinds() == self.order.kinds() {
                *rises += u64::from(order < self.order);
                *falls += u64::from(order > self.order);
            }
        }
        *last = Some(self);
    }
}
