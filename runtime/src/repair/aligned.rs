//! A session aligned with the accepted trace that its repair makes of it: the events read, inserted and deleted, in one
//! order.

use crate::repair::known_logs::KnownLogs;
use crate::repair::node_arena::Move;
use crate::task::Task;
use multitrace_interaction::{Edit, EditKind, Id, LetterId, LocationId};
use std::collections::BTreeSet;

/// The place of an event in a repaired session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is kept.
    Read,
    /// It is missing.
    Inserted,
    /// It should not be there.
    Deleted,
}

/// One event of the session, or one that is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aligned {
    pub(crate) location: LocationId,
    /// The index in the log as given; of one that is missing, that of the event it goes before.
    pub(crate) index: usize,
    pub(crate) letter: LetterId,
    pub(crate) role: Role,
}

/// Follows the path of a search through all logs. A deleted event stands in front of the next event that is kept
/// at its location, or at the end.
pub(crate) fn align(task: &Task<'_>, logs: &KnownLogs, path: &[Move]) -> Vec<Aligned> {
    let mut follower = Follower {
        task,
        logs,
        positions: vec![0; logs.locations()],
        next: vec![0; logs.locations()],
        found: Vec::with_capacity(task.session.event_count() + path.len()),
    };
    for &step in path {
        match step {
            Move::Start | Move::Unobserved => {}
            Move::Insert(letter, deleted) => {
                let location = task.monitor.location_of(letter);
                follower.delete(location, deleted as usize);
                follower.insert(location, letter);
            }
            Move::Read(letter, deleted) => {
                let location = task.monitor.location_of(letter);
                follower.delete(location, deleted as usize);
                follower.read(location);
            }
            Move::Skip(location) => follower.delete_rest(LocationId::new(location as usize)),
        }
    }
    for location in task.monitor.locations() {
        follower.delete_rest(location);
        follower.pass_unknown(location, task.session.trace[location.index()].len());
    }
    let Follower { mut found, .. } = follower;
    gather(&mut found, logs);
    let mut found = interleave(found, logs);
    found.extend(foreign(task));
    found
}

/// Puts the missing events between two kept ones in front of the events that came there instead, one by one, as far as that
/// costs as much: the repaired log is the same.
fn interleave(found: Vec<Aligned>, logs: &KnownLogs) -> Vec<Aligned> {
    let count = |role: Role| found.iter().filter(|it| it.role == role).count();
    if count(Role::Deleted) == 0 || count(Role::Inserted) < 2 {
        return found;
    }
    let instead = instead(&found, logs);
    let mut is_moved = vec![false; found.len()];
    instead.iter().flatten().for_each(|&wrong| is_moved[wrong] = true);
    // Per location, the index behind the last event.
    let mut next = vec![0; logs.locations()];
    let mut all = Vec::with_capacity(found.len());
    for (at, &event) in found.iter().enumerate().filter(|(at, _)| !is_moved[*at]) {
        let next = &mut next[event.location.index()];
        match instead[at] {
            Some(wrong) => {
                *next = found[wrong].index + 1;
                all.extend([Aligned { index: found[wrong].index, ..event }, found[wrong]]);
            }
            None if event.role == Role::Inserted => {
                all.push(Aligned { index: event.index.max(*next), ..event });
            }
            None => {
                *next = event.index + 1;
                all.push(event);
            }
        }
    }
    all
}

/// Per missing event, the event that came instead of it, where there is one.
fn instead(found: &[Aligned], logs: &KnownLogs) -> Vec<Option<usize>> {
    let mut instead = vec![None; found.len()];
    for (location, own) in by_location(found, logs).iter().enumerate() {
        let cost = |at: usize| {
            let position = logs.position(location, found[at].index);
            logs.zone(location, position).insertion()
        };
        for run in own.split(|&at| found[at].role == Role::Read) {
            let missing = run.iter().filter(|&&at| found[at].role == Role::Inserted);
            let wrong = run.iter().filter(|&&at| found[at].role == Role::Deleted);
            let pairs = missing.zip(wrong).take_while(|&(&a, &b)| cost(a) == cost(b));
            pairs.for_each(|(&missing, &wrong)| instead[missing] = Some(wrong));
        }
    }
    instead
}

/// Per location, its events in the order of its log.
fn by_location(found: &[Aligned], logs: &KnownLogs) -> Vec<Vec<usize>> {
    let mut own = vec![Vec::new(); logs.locations()];
    found.iter().enumerate().for_each(|(at, it)| own[it.location.index()].push(at));
    own
}

/// Puts a missing event beside one that should not be there, if it may stand anywhere among events that are equal to it:
/// the repaired log is the same. So an event that came in place of one of several equal ones is one fault, and not two.
fn gather(found: &mut [Aligned], logs: &KnownLogs) {
    let of = |role: Role| found.iter().filter(move |it| it.role == role).map(|it| it.letter);
    if of(Role::Deleted).next().is_none() || of(Role::Inserted).next().is_none() {
        return;
    }
    // The deleted half of a move stays by itself.
    let inserted: BTreeSet<LetterId> = of(Role::Inserted).collect();
    for own in by_location(found, logs) {
        for place in 0..own.len() {
            if let Some((to, index)) = beside(found, &own, place, logs, &inserted) {
                exchange(found, &own, (place, to), index);
            }
        }
    }
}

/// The place of an inserted event beside a deleted one, in its log, and its index there; the repair costs as much. `None` if
/// it stands beside one already, or if there is no such place among the equal events around it.
fn beside(
    found: &[Aligned],
    own: &[usize],
    place: usize,
    logs: &KnownLogs,
    inserted: &BTreeSet<LetterId>,
) -> Option<(usize, usize)> {
    let (at, event) = (|place: usize| found[own[place]], found[own[place]]);
    if event.role != Role::Inserted {
        return None;
    }
    let is_other =
        |place: &usize| at(*place).role != Role::Read || at(*place).letter != event.letter;
    let is_deleted = |place: &usize| at(*place).role == Role::Deleted;
    let before = (0..place).rev().find(is_other).filter(is_deleted);
    let after = (place + 1..own.len()).find(is_other).filter(is_deleted);
    if before == place.checked_sub(1) && before.is_some() || after == Some(place + 1) {
        return None;
    }
    let location = event.location.index();
    let cost = |index| logs.zone(location, logs.position(location, index)).insertion();
    let is_free = |place: &usize| !inserted.contains(&at(*place).letter);
    let behind = before.filter(is_free).map(|it| (it + 1, at(it).index + 1));
    // In front of deleted events it stands as well behind them, which has to cost the same.
    let is_kept = |place: &usize| at(*place).role != Role::Deleted;
    let next = after.and_then(|after| (after..own.len()).find(is_kept)).map(|it| at(it).index);
    let next = next.unwrap_or(usize::MAX);
    let in_front = after.filter(is_free).filter(|_| cost(next) == cost(event.index));
    let in_front = in_front.map(|it| (it - 1, at(it).index));
    let mut both = [behind, in_front].into_iter().flatten();
    both.find(|&(_, index)| cost(index) == cost(event.index))
}

/// Inserts another one of equal events of a log instead.
fn exchange(found: &mut [Aligned], own: &[usize], (from, to): (usize, usize), index: usize) {
    let mut places = own[from.min(to)..=from.max(to)].to_vec();
    if to < from {
        places.reverse();
    }
    // Each event takes over the role and the index of the next one, and the last one is missing.
    for pair in places.windows(2) {
        (found[pair[0]].role, found[pair[0]].index) = (found[pair[1]].role, found[pair[1]].index);
    }
    let last = &mut found[own[to]];
    (last.role, last.index) = (Role::Inserted, index);
}

/// The edits of aligned events, by location, index and kind; and the rank of each aligned event among them.
pub(crate) fn edits(aligned: &[Aligned]) -> (Vec<Edit>, Vec<Option<usize>>) {
    let kind = |aligned: &Aligned| match aligned.role {
        Role::Read => None,
        Role::Inserted => Some(EditKind::Insert),
        Role::Deleted => Some(EditKind::Delete),
    };
    let mut order: Vec<_> = aligned
        .iter()
        .enumerate()
        .filter_map(|(at, it)| Some((it.location, it.index, kind(it)?, at)))
        .collect();
    order.sort_unstable();
    let mut ranks = vec![None; aligned.len()];
    let mut edits = Vec::with_capacity(order.len());
    for (rank, (location, index, kind, at)) in order.into_iter().enumerate() {
        ranks[at] = Some(rank);
        edits.push(Edit { location, index, letter: aligned[at].letter, kind });
    }
    (edits, ranks)
}

struct Follower<'a, 't> {
    task: &'a Task<'t>,
    logs: &'a KnownLogs,
    /// Per location, how many of the known events are passed, and the index after the last event that was.
    positions: Vec<usize>,
    next: Vec<usize>,
    found: Vec<Aligned>,
}

impl Follower<'_, '_> {
    fn insert(&mut self, location: LocationId, letter: LetterId) {
        let index = self.next[location.index()];
        self.found.push(Aligned { location, index, letter, role: Role::Inserted });
    }

    fn read(&mut self, location: LocationId) {
        self.pass(location, Role::Read);
    }

    fn delete(&mut self, location: LocationId, count: usize) {
        (0..count).for_each(|_| self.pass(location, Role::Deleted));
    }

    fn delete_rest(&mut self, location: LocationId) {
        let at = location.index();
        self.delete(location, self.logs.log(at).len() - self.positions[at]);
    }

    fn pass(&mut self, location: LocationId, role: Role) {
        let at = location.index();
        let index = self.logs.index(at, self.positions[at]);
        self.pass_unknown(location, index);
        let letter = self.logs.log(at)[self.positions[at]];
        self.found.push(Aligned { location, index, letter, role });
        self.positions[at] += 1;
        self.next[at] = index + 1;
    }

    /// Deletes the unknown events before an index.
    fn pass_unknown(&mut self, location: LocationId, index: usize) {
        let (log, role) = (&self.task.session.trace[location.index()], Role::Deleted);
        let unknown = self.next[location.index()]..index;
        let deleted = |index: usize| Aligned { location, index, letter: log[index], role };
        self.found.extend(unknown.map(deleted));
        self.next[location.index()] = index;
    }
}

/// All events of locations that the specification does not have are deleted.
fn foreign<'a>(task: &'a Task<'_>) -> impl Iterator<Item = Aligned> + 'a {
    let logs = task.session.foreign.iter().enumerate();
    logs.flat_map(|(number, foreign)| {
        let location = task.session.foreign_location(number);
        let (letter, role) = (LetterId::UNKNOWN, Role::Deleted);
        (0..foreign.events.len()).map(move |index| Aligned { location, index, letter, role })
    })
}
