//! A sample of the sessions of event logs.

// The number of sessions is known when all events have been read. So the sessions drawn so far stay
// in memory, at most as many as are asked for, and come out in the order of the input.

use crate::event_item::{CHUNK_BYTES, EventItem, SessionsLeftOut};
use crate::grouping::Grouped;
use crate::stored_event::read;
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use multitrace_formats::selection::Draw;
use std::collections::VecDeque;

/// The drawn sessions, and the problems of the input.
#[derive(Debug)]
pub struct Drawn {
    inputs: VecDeque<EventItem>,
    counts: RecordCounts,
    /// Patterns that won and records that no rule matches, if the records were read while sessions were drawn.
    details: Option<RecordDetails>,
}

/// A session with its place among all, and whether it may be cut.
struct DrawnSession {
    number: u64,
    session: Grouped,
    cut: bool,
}

/// A sample while it is drawn.
pub(crate) struct SessionDraw {
    draw: Draw<DrawnSession>,
    /// Problems of the input.
    problems: VecDeque<EventItem>,
    /// How many sessions there were.
    number: u64,
    /// How many sessions the mapping leaves out.
    left_out: SessionsLeftOut,
    /// How many events are in sessions that were not drawn.
    dropped: u64,
}

impl SessionDraw {
    pub(crate) fn new(count: usize, seed: u64) -> SessionDraw {
        let (draw, left_out) = (Draw::new(count, seed), SessionsLeftOut::NONE);
        SessionDraw { draw, problems: VecDeque::new(), number: 0, left_out, dropped: 0 }
    }

    /// Adds the sessions of an input. Some of them replace others.
    pub(crate) fn add(&mut self, input: EventItem) {
        let EventItem::Sessions { sessions, cut, left_out } = input else {
            self.problems.push_back(input);
            return;
        };
        self.left_out.add(left_out);
        for session in sessions {
            self.number += 1;
            let id = session.session();
            let out = self.draw.add(&id, DrawnSession { number: self.number, session, cut });
            self.dropped += out.iter().map(|drawn| events(&drawn.session)).sum::<u64>();
        }
    }

    /// The sample, with the counts of records.
    pub(crate) fn finish(self, mut counts: RecordCounts, details: Option<RecordDetails>) -> Drawn {
        counts.not_selected += self.dropped;
        counts.events -= self.dropped;
        let mut drawn: Vec<DrawnSession> = self.draw.into_items().collect();
        drawn.sort_by_key(|drawn| drawn.number);
        let mut inputs = self.problems;
        if self.left_out.all > 0 {
            let (sessions, left_out) = (Vec::new(), self.left_out);
            inputs.push_back(EventItem::Sessions { sessions, cut: false, left_out });
        }
        inputs.extend(chunks(drawn));
        Drawn { inputs, counts, details }
    }
}

impl Drawn {
    /// The next inputs for some threads; empty at the end.
    pub fn next_batch(&mut self, threads: usize) -> Vec<EventItem> {
        let most = self.inputs.len().min(threads * 4);
        self.inputs.drain(..most).collect()
    }

    /// Patterns that won and records that no rule matches, if the records were read while sessions were drawn.
    pub(crate) fn details(&self) -> Option<&RecordDetails> {
        self.details.as_ref()
    }

    /// Counts of the records.
    pub fn counts(&self) -> RecordCounts {
        self.counts
    }
}

fn events(session: &Grouped) -> u64 {
    session.records().filter(|(_, content)| read(content).kind.is_event()).count() as u64
}

fn chunks(items: Vec<DrawnSession>) -> Vec<EventItem> {
    let mut chunks: Vec<EventItem> = Vec::new();
    let mut size = 0;
    for DrawnSession { session, cut, .. } in items {
        size += session.size();
        match chunks.last_mut() {
            Some(EventItem::Sessions { sessions, cut: same, left_out: SessionsLeftOut::NONE })
                if *same == cut && size < CHUNK_BYTES =>
            {
                sessions.push(session);
            }
            _ => {
                size = session.size();
                let left_out = SessionsLeftOut::NONE;
                chunks.push(EventItem::Sessions { sessions: vec![session], cut, left_out });
            }
        }
    }
    chunks
}
