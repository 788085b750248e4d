//! Failing sessions of event logs that were judged before: equal ones have equal faults, whatever they are called and wherever
//! their events stand.

// Idea: the decision takes a microsecond, and the faults of a failure fifty times that. So a session is decided, and if it fails,
// looked up by its logs. The order of several faults also depends on the order of the events of all logs, so those sessions are
// looked up by both. Lines of sessions are found by their text, before they are read.

use crate::judging::Judged;
use multitrace_formats::content_cache::ContentCache;
use multitrace_formats::place::{EventOrder, Place, Places};
use multitrace_interaction::{Id, Session, Verdict};
use multitrace_runtime::Gaps;

#[derive(Default)]
pub(crate) struct KnownFailures {
    judged: ContentCache<Judged>,
    /// The key of the session that was looked up last: its logs, and behind them the order of its events. Empty if it has none.
    key: Vec<u8>,
    /// Where the order begins.
    order_at: usize,
}

impl KnownFailures {
    /// The same session, judged before.
    pub(crate) fn find(
        &mut self,
        session: &Session,
        gaps: Gaps,
        places: &dyn Places,
    ) -> Option<&Judged> {
        self.key.clear();
        if self.judged.is_resting() {
            return self.judged.find(&[]);
        }
        if !session.unknown.is_empty() || !session.foreign.is_empty() {
            return None;
        }
        self.key.push(gaps as u8);
        for log in &session.trace {
            let numbers = [log.len()].into_iter().chain(log.iter().map(|it| it.index()));
            numbers.for_each(|it| self.key.extend((it as u32).to_le_bytes()));
        }
        self.order_at = self.key.len();
        match ranks(session, places) {
            Some(ranks) => {
                ranks.into_iter().for_each(|it| self.key.extend((it as u32).to_le_bytes()));
            }
            None => self.key.clear(),
        }
        if self.key.is_empty() {
            return None;
        }
        self.judged.find_first([&self.key[..self.order_at], &self.key])
    }

    /// Remembers the session that was looked up last and not found.
    pub(crate) fn insert(&mut self, judged: Judged) {
        if self.key.is_empty() {
            return;
        }
        let key = match has_order(&judged) {
            true => &self.key[..],
            false => &self.key[..self.order_at],
        };
        let holds = judged.held_bytes();
        self.judged.insert(key, judged, holds);
    }
}

/// Whether the order of all events made a difference to the findings.
fn has_order(judged: &Judged) -> bool {
    let causes = match &judged.checked.verdict {
        Verdict::Fail(failure) => failure.causes.len(),
        _ => 0,
    };
    causes > 1 || judged.findings.len() > 1
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
