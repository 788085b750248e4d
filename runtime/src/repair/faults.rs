//! What went wrong, from the edits of a repair (DESIGN, section "Blame": faults).
//
// Idea: an event is directly after its neighbour in its own log, and a reception directly after its emission. A fault is a
// connected component of the edits under this; the first of them is its root, which says what the fault is. Events
// that are kept and inserted have the order of the accepted trace; one that is deleted comes right behind its neighbour and
// its emission.
//
// Invariant: each edit is in one fault, and a fault does not depend on events that no edit touches.
//
// Cost: near linear in the events of the session; failing sessions only.

use crate::monitor::messages::{Messages, Waiting};
use crate::repair::aligned::{Aligned, Role};
use multitrace_interaction::{Fault, FaultKind, Id, LetterId, LocationId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The faults of an aligned session, in the order of their roots. `ranks` are those of the aligned events among the edits;
/// `known` is the number of locations that the specification has.
pub(crate) fn faults(
    aligned: &[Aligned],
    ranks: &[Option<usize>],
    messages: &Messages,
    known: usize,
) -> Vec<Fault> {
    if ranks.iter().all(Option::is_none) {
        return Vec::new();
    }
    let session = AlignedSession::new(aligned, messages, known);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut parts = session.parts();
    for at in (0..aligned.len()).filter(|&at| session.is_edit(at)) {
        groups.entry(parts.find(at)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    for group in &mut groups {
        group.sort_by_key(|&at| session.times[at]);
    }
    groups.sort_by_key(|group| session.times[group[0]]);
    let mut faults: Vec<Fault> = groups.iter().map(|group| session.fault(group, ranks)).collect();
    let roots: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    for (number, fault) in faults.iter_mut().enumerate() {
        if fault.kind == FaultKind::Stopped {
            fault.under = session.under(roots[number], &roots[..number]);
        }
    }
    faults
}

/// When an event comes: the rank of the last event that is kept or inserted before it, and how many deleted ones lie
/// between; at last its own rank, so that no two are equal.
type Time = (usize, usize, usize);

/// A session with its neighbours and the ends of its messages.
struct AlignedSession<'a> {
    aligned: &'a [Aligned],
    messages: &'a Messages,
    known: usize,
    /// Per event, the one before it in its log, as repaired, with the deleted ones at their places.
    before: Vec<Option<usize>>,
    /// Per reception, its emission.
    emission: Vec<Option<usize>>,
    /// Per emission, its first reception.
    reception: Vec<Option<usize>>,
    /// Per event of a move, its other edit.
    moved: Vec<Option<usize>>,
    times: Vec<Time>,
}

impl<'a> AlignedSession<'a> {
    fn new(aligned: &'a [Aligned], messages: &'a Messages, known: usize) -> AlignedSession<'a> {
        let nothing = vec![None; aligned.len()];
        let mut session = AlignedSession {
            aligned,
            messages,
            known,
            before: before(aligned),
            emission: nothing.clone(),
            reception: nothing.clone(),
            moved: nothing,
            times: Vec::new(),
        };
        session.match_accepted();
        session.match_deleted();
        session.match_moves();
        session.times = (0..aligned.len()).map(|at| (at + 1, 0, at)).collect();
        session.find_times();
        session
    }

    fn is_edit(&self, at: usize) -> bool {
        self.aligned[at].role != Role::Read
    }

    /// Gives each reception of the accepted trace the first emission that may be its own and has none there yet.
    fn match_accepted(&mut self) {
        let mut waiting = Waiting::new(self.messages);
        for (at, event) in self.aligned.iter().enumerate() {
            if event.role != Role::Deleted {
                waiting.send(event.letter, at);
                self.join_ends(waiting.receive(event.letter), at);
            }
        }
    }

    /// The same among deleted events, which have no order: in that of their logs.
    fn match_deleted(&mut self) {
        let mut waiting = Waiting::new(self.messages);
        let all = self.aligned.iter().enumerate();
        let deleted = all.filter(|(_, event)| event.role == Role::Deleted);
        deleted.clone().for_each(|(at, event)| waiting.send(event.letter, at));
        for (at, event) in deleted {
            self.join_ends(waiting.receive(event.letter), at);
        }
    }

    fn join_ends(&mut self, emission: Option<usize>, reception: usize) {
        self.emission[reception] = emission;
        if let Some(emission) = emission {
            self.reception[emission].get_or_insert(reception);
        }
    }

    /// A deletion and an insertion of one event at one location are one move.
    fn match_moves(&mut self) {
        let mut inserted: BTreeMap<LetterId, VecDeque<usize>> = BTreeMap::new();
        for (at, event) in self.aligned.iter().enumerate() {
            if event.role == Role::Inserted {
                inserted.entry(event.letter).or_default().push_back(at);
            }
        }
        for at in 0..self.aligned.len() {
            if self.aligned[at].role != Role::Deleted {
                continue;
            }
            let queue = inserted.get_mut(&self.aligned[at].letter);
            if let Some(insertion) = queue.and_then(VecDeque::pop_front) {
                (self.moved[at], self.moved[insertion]) = (Some(insertion), Some(at));
            }
        }
    }

    /// Finds when deleted events come. Two logs may each have deleted a reception before the emission that the other
    /// waits for; then no order has both, and each comes behind its neighbour only.
    fn find_times(&mut self) {
        let mut done: Vec<bool> = self.aligned.iter().map(|it| it.role != Role::Deleted).collect();
        for start in 0..self.aligned.len() {
            let mut stack = vec![start];
            let mut open = BTreeSet::new();
            while let Some(&at) = stack.last() {
                if done[at] {
                    stack.pop();
                    continue;
                }
                open.insert(at);
                let all = [self.before[at], self.emission[at]];
                let missing = all.into_iter().flatten().find(|it| !done[*it] && !open.contains(it));
                if let Some(missing) = missing {
                    stack.push(missing);
                    continue;
                }
                let known = all.into_iter().flatten().filter(|&it| done[it]);
                let last = known.map(|it| self.times[it]).max().unwrap_or_default();
                (self.times[at], done[at]) = ((last.0, last.1 + 1, at), true);
            }
        }
    }

    /// Which edits belong together.
    fn parts(&self) -> Parts {
        let mut parts = Parts((0..self.aligned.len()).collect());
        for at in (0..self.aligned.len()).filter(|&at| self.is_edit(at)) {
            let beside = [self.before[at], self.emission[at], self.moved[at]];
            for other in beside.into_iter().flatten().filter(|&other| self.is_edit(other)) {
                parts.join(at, other);
            }
        }
        parts
    }

    /// The fault of some edits in their order.
    fn fault(&self, group: &[usize], ranks: &[Option<usize>]) -> Fault {
        let root = group[0];
        let (kind, other) = self.kind(group);
        let rank = |at: usize| ranks[at].expect("edits have ranks");
        let end = match kind {
            FaultKind::Lost => self.emission[root],
            FaultKind::NotSent => self.reception[root],
            _ => None,
        };
        let end = end.filter(|&at| !self.is_edit(at));
        Fault {
            kind,
            edits: group.iter().map(|&at| rank(at)).collect(),
            other: other.map(rank),
            end: end.map(|at| (self.aligned[at].location, self.aligned[at].index)),
            after: self.kept_before(root).map(|at| self.aligned[at].letter),
            under: None,
        }
    }

    /// What the root of some edits says, and the other edit of a move or a replacement.
    fn kind(&self, group: &[usize]) -> (FaultKind, Option<usize>) {
        let root = group[0];
        let event = self.aligned[root];
        if event.location.index() >= self.known {
            return (FaultKind::UnknownLocation, None);
        }
        if let Some(other) = self.moved[root] {
            return (FaultKind::Moved, Some(other));
        }
        if let Some(other) = self.beside(root, group) {
            return (FaultKind::Replaced, Some(other));
        }
        let kind = match event.role {
            Role::Deleted => self.kind_of_deletion(root),
            _ => self.kind_of_insertion(root),
        };
        (kind, None)
    }

    /// An edit of the other kind beside one at its location, that is no part of a move.
    fn beside(&self, root: usize, group: &[usize]) -> Option<usize> {
        let is_other = |&other: &usize| {
            self.aligned[other].location == self.aligned[root].location
                && self.aligned[other].role != self.aligned[root].role
                && self.moved[other].is_none()
                && (self.before[other] == Some(root) || self.before[root] == Some(other))
        };
        group.iter().copied().find(is_other)
    }

    fn kind_of_deletion(&self, root: usize) -> FaultKind {
        let letter = self.aligned[root].letter;
        let is_message = self.emission[root].is_some() || self.reception[root].is_some();
        if letter == LetterId::UNKNOWN {
            FaultKind::Unknown
        } else if is_message {
            match self.was_before(root) {
                true => FaultKind::Repeated,
                false => FaultKind::Extra,
            }
        } else if self.messages.is_emission(letter) {
            FaultKind::Lost
        } else if self.messages.is_reception(letter) {
            FaultKind::NotSent
        } else {
            FaultKind::Unexpected
        }
    }

    fn kind_of_insertion(&self, root: usize) -> FaultKind {
        let is_logged = |end: Option<usize>| end.is_some_and(|at| !self.is_edit(at));
        let AlignedSession { aligned, .. } = self;
        let goes_on = || {
            let location = aligned[root].location;
            let mut later = aligned[root + 1..].iter();
            later.any(|it| it.location == location && it.role != Role::Inserted)
        };
        if is_logged(self.emission[root]) {
            FaultKind::Lost
        } else if is_logged(self.reception[root]) {
            FaultKind::NotSent
        } else if goes_on() {
            FaultKind::Missing
        } else {
            FaultKind::Stopped
        }
    }

    /// Whether the same event is kept earlier in its log.
    fn was_before(&self, at: usize) -> bool {
        let mut earlier = std::iter::successors(self.before[at], |&at| self.before[at]);
        earlier.any(|it| !self.is_edit(it) && self.aligned[it].letter == self.aligned[at].letter)
    }

    /// The last event that is kept before one in its log.
    fn kept_before(&self, at: usize) -> Option<usize> {
        std::iter::successors(self.before[at], |&at| self.before[at]).find(|&it| !self.is_edit(it))
    }

    /// The last of some roots that the last event before a stop comes after.
    fn under(&self, stop: usize, roots: &[usize]) -> Option<usize> {
        let last = self.kept_before(stop)?;
        let mut causes = BTreeSet::from([last]);
        let mut todo = vec![last];
        while let Some(at) = todo.pop() {
            for cause in [self.before[at], self.emission[at]].into_iter().flatten() {
                if causes.insert(cause) {
                    todo.push(cause);
                }
            }
        }
        roots.iter().rposition(|root| causes.contains(root))
    }
}

/// Per event, the one before it at its location.
fn before(aligned: &[Aligned]) -> Vec<Option<usize>> {
    let mut last: BTreeMap<LocationId, usize> = BTreeMap::new();
    aligned.iter().enumerate().map(|(at, event)| last.insert(event.location, at)).collect()
}

/// Sets that are joined: union-find with path halving.
struct Parts(Vec<usize>);

impl Parts {
    fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
