//! A sample of so many sessions out of event logs. Which there are is known when all events have been
//! read, so the sessions drawn so far are kept in memory; they come in the order of the input.

use super::session_stream::{CHUNK_BYTES, EventItem, EventSessions};
use super::stored_event::{What, read};
use crate::grouping::Grouped;
use crate::log_error::LogError;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::selection::Draw;
use std::collections::VecDeque;

/// What was drawn, and what is wrong with the input.
pub struct Drawn {
    inputs: VecDeque<EventItem>,
    counts: RecordCounts,
}

/// A session with its place among all, and whether it may be cut.
struct Item {
    number: u64,
    session: Grouped,
    cut: bool,
}

impl Drawn {
    /// Draws so many, by a seed. `counts` says what became of the records, where the sessions do not say
    /// so at their end. Called on a thread pool.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub fn new(
        mut from: EventSessions,
        (count, seed): (usize, u64),
        counts: Option<RecordCounts>,
    ) -> Result<Drawn, LogError> {
        let mut draw = Draw::new(count, seed);
        let (mut inputs, mut number, mut dropped) = (VecDeque::new(), 0, 0);
        loop {
            let batch = from.next_batch(rayon::current_num_threads())?;
            if batch.is_empty() {
                break;
            }
            for input in batch {
                let EventItem::Sessions { sessions, cut } = input else {
                    inputs.push_back(input);
                    continue;
                };
                for session in sessions {
                    number += 1;
                    let id = session.session();
                    let out = draw.add(&id, Item { number, session, cut });
                    dropped += out.iter().map(|item| events(&item.session)).sum::<u64>();
                }
            }
        }
        let mut counts = counts.or(from.counts()).unwrap_or_default();
        counts.not_selected += dropped;
        counts.events -= dropped;
        let mut items: Vec<Item> = draw.into_items().collect();
        items.sort_by_key(|item| item.number);
        inputs.extend(chunks(items));
        Ok(Drawn { inputs, counts })
    }

    /// The next inputs for some threads; empty at the end.
    pub fn next_batch(&mut self, threads: usize) -> Vec<EventItem> {
        let most = self.inputs.len().min(threads * 4);
        self.inputs.drain(..most).collect()
    }

    /// What became of the records.
    pub fn counts(&self) -> RecordCounts {
        self.counts
    }
}

fn events(session: &Grouped) -> u64 {
    let is_event =
        |content: &[u8]| matches!(read(content).what, What::Known(_) | What::Event { .. });
    session.records().filter(|(_, content)| is_event(content)).count() as u64
}

fn chunks(items: Vec<Item>) -> Vec<EventItem> {
    let mut chunks: Vec<EventItem> = Vec::new();
    let mut size = 0;
    for Item { session, cut, .. } in items {
        size += session.size();
        match chunks.last_mut() {
            Some(EventItem::Sessions { sessions, cut: same })
                if *same == cut && size < CHUNK_BYTES =>
            {
                sessions.push(session);
            }
            _ => {
                size = session.size();
                chunks.push(EventItem::Sessions { sessions: vec![session], cut });
            }
        }
    }
    chunks
}
