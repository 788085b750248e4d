//! Rules of a mapping for whole sessions: which of them count, and where one ends and the next begins.

use crate::cycles::turn;
use crate::event_item::SessionsLeftOut;
use crate::grouping::Grouped;
use crate::mapping::{Mapping, OrderKey, SessionFilterId};
use crate::stored_event::{StoredEvent, StoredKind, read};

/// Rules of a mapping for whole sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionRules {
    /// Whether a session needs an event that asks for it.
    needs_keep: bool,
    /// After so long without an event another session begins, in units of 10^-18 seconds.
    gap: Option<i128>,
    /// Whether the times of events may lack a part of the date.
    has_partial_times: bool,
}

/// A record of a group: its number and its bytes.
type Stored<'a> = (u64, &'a [u8]);

impl SessionRules {
    /// The rules of a mapping; `None` if all sessions count as they are.
    pub(crate) fn from_mapping(mapping: &Mapping) -> Option<SessionRules> {
        let (needs_keep, gap) = (mapping.keeps_sessions(), mapping.gap());
        let has_partial_times = mapping.has_partial_times();
        let rules = SessionRules { needs_keep, gap, has_partial_times };
        (mapping.has_session_filters() || gap.is_some()).then_some(rules)
    }

    /// Adds the sessions that a group of records comes to, and counts those that are left out.
    pub(crate) fn apply(
        &self,
        group: Grouped,
        sessions: &mut Vec<Grouped>,
        left_out: &mut SessionsLeftOut,
    ) {
        let Some(gap) = self.gap else {
            let is_kept = self.keeps(group.records(), left_out);
            return sessions.extend(is_kept.then_some(group));
        };
        let parts = parts(&group, gap, self.has_partial_times);
        let numbered = parts.iter().zip(1..);
        let kept = numbered.filter(|(part, _)| self.keeps(part.iter().copied(), left_out));
        sessions.extend(kept.map(|(part, number)| {
            let id = format!("{}#{number}", group.session());
            Grouped::new(id.as_bytes(), part.iter().copied())
        }));
    }

    /// Whether a session counts; if not, it is counted as left out.
    fn keeps<'a>(
        &self,
        records: impl Iterator<Item = Stored<'a>>,
        left_out: &mut SessionsLeftOut,
    ) -> bool {
        let (mut is_asked_for, mut is_refused) = (false, false);
        for (_, content) in records {
            match read(content).kind {
                StoredKind::Mark(SessionFilterId::Keep) => is_asked_for = true,
                StoredKind::Mark(SessionFilterId::Drop) => is_refused = true,
                _ => {}
            }
        }
        let is_missed = self.needs_keep && !is_asked_for && !is_refused;
        let is_left_out = is_refused || is_missed;
        let (all, not_kept) = (u64::from(is_left_out), u64::from(is_missed));
        left_out.add(SessionsLeftOut { all, not_kept });
        !is_left_out
    }
}

/// The records of a group, parted where no event happens for longer than a gap. A record without an order belongs to
/// every part: nobody knows where it happened. Records whose times do not say their order stay together, as an error.
fn parts(group: &Grouped, gap: i128, has_partial_times: bool) -> Vec<Vec<Stored<'_>>> {
    let events = group.records().map(|(_, content)| read(content));
    let events = events.map(|StoredEvent { file, order, .. }| (file, order, ()));
    if has_partial_times && turn(false, events).is_some() {
        return vec![group.records().collect()];
    }
    let (mut ordered, mut others): (Vec<(OrderKey, Stored<'_>)>, Vec<Stored<'_>>) =
        Default::default();
    for record in group.records() {
        let StoredEvent { order, .. } = read(record.1);
        match order {
            Some(order) => ordered.push((order, record)),
            None => others.push(record),
        }
    }
    ordered.sort_by_key(|(order, (number, _))| (*order, *number));
    let begins = |pair: &(OrderKey, Stored<'_>), next: &(OrderKey, Stored<'_>)| {
        next.0.event_order().value.saturating_sub(pair.0.event_order().value) <= gap
    };
    let parts = ordered.chunk_by(begins).map(|part| {
        let mut part: Vec<Stored<'_>> = part.iter().map(|(_, record)| *record).collect();
        part.extend(&others);
        // Records of a session stand in the order of the input.
        part.sort_by_key(|(number, _)| *number);
        part
    });
    let parts: Vec<Vec<Stored<'_>>> = parts.collect();
    if parts.is_empty() { vec![others] } else { parts }
}
