//! Failing sessions of event logs that were judged before: equal ones have equal faults, whatever they are called and wherever
//! their events stand.

// Idea: the decision takes a microsecond, and the faults of a failure fifty times that. So a session is decided, and if it fails,
// looked up by its logs and the order of the causes. The order of several faults also depends on the order of the events of all
// logs, so those sessions are looked up by that, too. Lines of sessions are found by their text, before they are read.

use crate::judging::Judged;
use multitrace_formats::content_cache::ContentCache;
use multitrace_formats::place::{EventOrder, Place, Places};
use multitrace_interaction::{Cause, Failure, Id, Session};
use multitrace_runtime::Gaps;

#[derive(Default)]
pub(crate) struct KnownFailures {
    judged: ContentCache<Judged>,
    /// The key of the session that was looked up last: its logs and causes, and behind them the order of its events. Empty if it
    /// has none.
    key: Vec<u8>,
    /// Where the order begins.
    order_at: usize,
}

impl KnownFailures {
    /// The same session, judged before.
    pub(crate) fn find(
        &mut self,
        (session, gaps): (&Session, Gaps),
        failure: &Failure,
        places: &dyn Places,
    ) -> Option<&Judged> {
        self.key.clear();
        // It counts its look-ups while it rests, and finds nothing.
        if self.judged.is_resting() {
            return self.judged.find(&[]);
        }
        if !session.unknown.is_empty() || !session.foreign.is_empty() {
            return None;
        }
        self.key.push(gaps as u8);
        for log in &session.trace {
            self.add(log.len());
            log.iter().for_each(|it| self.add(it.index()));
        }
        for cause in &failure.causes {
            let Cause::Local(cause) = cause else { continue };
            self.add(cause.location.index());
            self.add(cause.index);
        }
        self.order_at = self.key.len();
        let Some(ranks) = ranks(session, places) else {
            self.key.clear();
            return None;
        };
        ranks.into_iter().for_each(|it| self.add(it));
        self.judged.find_first([&self.key[..self.order_at], &self.key])
    }

    fn add(&mut self, number: usize) {
        self.key.extend((number as u32).to_le_bytes());
    }

    /// Remembers the session that was looked up last and not found.
    pub(crate) fn insert(&mut self, judged: Judged) {
        if self.key.is_empty() {
            return;
        }
        let key = match judged.findings.len() {
            0 | 1 => &self.key[..self.order_at],
            _ => &self.key[..],
        };
        let holds = judged.held_bytes();
        self.judged.insert(key, judged, holds);
    }
}

/// Per event, its rank among all of the session, by the order field or else by its place, equal ones together; `None` if some
/// events have one and others do not.
fn ranks(session: &Session, places: &dyn Places) -> Option<Vec<usize>> {
    let logs = session.trace.iter().enumerate();
    let events =
        || logs.clone().flat_map(|(log, events)| (0..events.len()).map(move |it| (log, it)));
    let orders: Vec<EventOrder> = events().map_while(|(log, it)| places.order(log, it)).collect();
    if orders.len() == events().count() {
        let is_one_kind = orders.windows(2).all(|it| it[0].is_time == it[1].is_time);
        return is_one_kind.then(|| ranks_of(&orders));
    }
    if events().any(|(log, it)| places.order(log, it).is_some()) {
        return None;
    }
    let read: Option<Vec<Place>> = events().map(|(log, it)| places.event(log, it)).collect();
    Some(ranks_of(&read?))
}

fn ranks_of<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut sorted: Vec<&T> = values.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    values.iter().map(|it| sorted.partition_point(|other| *other < it)).collect()
}
