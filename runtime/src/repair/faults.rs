//! Faults, from the edits of a repair (DESIGN, section "Blame": faults).
//
// Idea: an event is directly after its neighbour in its own log, and a reception directly after its emission. A fault is a
// connected component of the edits under this; the first of them is its root, which gives the kind of the fault. Two
// neighbours have nothing to do with each other all the same if the specification does not know one of two deleted
// ones, which would hide among known events, and if one belongs to a repeated message, which came in place of nothing.
//
// Invariant: each edit is in one fault, and a fault does not depend on events that no edit touches. The order of faults is
// that of logs and messages; where these leave it open, that of the order field, of places in the input, or of the names
// of locations. Its root depends on names alone, so that a fault is the same in whatever input its session comes.
//
// Cost: n log n in the events of the session, and a byte for each letter of the specification; failing sessions only.

use crate::disjoint_sets::DisjointSets;
use crate::lists::{Lists, ranks_of};
use crate::local_walk::LocalWalk;
use crate::monitor::messages::Waiting;
use crate::repair::aligned::{Aligned, Role};
use crate::task::Task;
use multitrace_formats::place::{EventOrder, Place, Places};
use multitrace_interaction::{
    ActionKind, Fault, FaultKind, Id, LetterId, LocationId, Observation, Session, names,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// The faults of an aligned session, in the order of their roots. `ranks` are those of the aligned events among the
/// edits; `known` is the number of locations that the specification has.
pub(crate) fn faults(
    aligned: &[Aligned],
    ranks: &[Option<usize>],
    (task, places): (&Task<'_>, &dyn Places),
    known: usize,
) -> Vec<Fault> {
    if ranks.iter().all(Option::is_none) {
        return Vec::new();
    }
    let session = AlignedSession::new(aligned, task, known);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut parts = session.parts();
    for at in (0..aligned.len()).filter(|&at| session.is_edit(at)) {
        groups.entry(parts.find(at)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    let times = |places| Timing::new(&session, &session.unforced(places)).times();
    if groups.iter().any(|group| group.len() > 1) {
        let times = times(&None);
        groups.iter_mut().for_each(|group| group.sort_by_key(|&at| times[at]));
    }
    let mut unknown = Vec::new();
    for group in &mut groups {
        session.put_root_first(group);
        unknown.extend(session.take_unknown(group));
    }
    groups.extend(unknown);
    // The faults do not depend on clocks and files, only their order does.
    if groups.len() > 1 {
        let times = times(places);
        groups.sort_by_key(|group| times[group[0]]);
    }
    let mut faults: Vec<Fault> = groups.iter().map(|group| session.fault(group, ranks)).collect();
    let roots: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    for (number, fault) in faults.iter_mut().enumerate() {
        if fault.kind == FaultKind::Stopped {
            fault.under = session.under(roots[number], &roots[..number]);
        }
    }
    faults
}

/// A session with its neighbours and the ends of its messages.
struct AlignedSession<'a> {
    aligned: &'a [Aligned],
    task: &'a Task<'a>,
    known: usize,
    /// Per event, the one before it in its log, as repaired, with the deleted ones at their places.
    before: Vec<Option<usize>>,
    /// Per event, the last one before it in its log that is kept.
    kept: Vec<Option<usize>>,
    /// Per reception, its emission.
    emission: Vec<Option<usize>>,
    /// Per emission, its first reception.
    reception: Vec<Option<usize>>,
    /// Per event of a move, its other edit.
    moved: Vec<Option<usize>>,
    /// Per location, its last event that is logged.
    last_logged: Vec<Option<usize>>,
    /// Per event, whether the same one is kept earlier in its log.
    repeats: Vec<bool>,
    /// The same for events that are kept later.
    recurs: Vec<bool>,
}

impl<'a> AlignedSession<'a> {
    fn new(aligned: &'a [Aligned], task: &'a Task<'a>, known: usize) -> AlignedSession<'a> {
        let nothing = vec![None; aligned.len()];
        let letters = task.monitor.bundle().alphabet.letters().len();
        let mut session = AlignedSession {
            aligned,
            task,
            known,
            before: last_before(aligned, |_| true),
            kept: last_before(aligned, |event| event.role == Role::Read),
            emission: nothing.clone(),
            reception: nothing.clone(),
            moved: nothing,
            last_logged: last_logged(aligned),
            repeats: repeats(0..aligned.len(), aligned, letters),
            recurs: repeats((0..aligned.len()).rev(), aligned, letters),
        };
        session.match_accepted();
        session.match_equal();
        if aligned.iter().any(|it| it.role == Role::Deleted) {
            session.match_deleted();
            session.match_by_name();
            session.match_moves();
        }
        session
    }

    fn is_edit(&self, at: usize) -> bool {
        self.aligned[at].role != Role::Read
    }

    /// Gives each reception of the accepted trace the first emission that may be its own and has none there yet; missing
    /// ends belong together where they can, so that a message that was never sent is one fault.
    fn match_accepted(&mut self) {
        let mut waiting = Waiting::new(self.task.monitor.messages(), self.aligned.len() / 2);
        for (at, event) in self.aligned.iter().enumerate() {
            if event.role != Role::Deleted {
                let is_missing = event.role == Role::Inserted;
                waiting.send(event.letter, at, is_missing);
                self.join_ends(waiting.receive(event.letter, is_missing), at);
            }
        }
    }

    /// Of equal events in a row no log says which is missing: of emissions the one whose message nobody received, of
    /// receptions the one of a message that nobody sent. Equal emissions come after the same events, and equal receptions
    /// before the same, so that any of them may be an end of any of their messages.
    fn match_equal(&mut self) {
        let messages = self.task.monitor.messages();
        for at in (0..self.aligned.len()).filter(|&at| self.aligned[at].role == Role::Inserted) {
            let letter = self.aligned[at].letter;
            if messages.is_emission(letter) && messages.broadcast(letter).is_none() {
                self.match_equal_emissions(at);
            } else if let Some(emission) = self.emission[at].filter(|&it| !self.is_edit(it))
                && messages.broadcast(self.aligned[emission].letter).is_none()
            {
                self.match_equal_receptions(at, emission);
            }
        }
    }

    /// The kept events before one in its log that are equal to it, the nearest first, without any others between.
    fn row(&self, at: usize) -> impl Iterator<Item = usize> + use<'_, 'a> {
        // An estimate: rows are short.
        const MOST_LOOKED_AT: usize = 16;
        let letter = self.aligned[at].letter;
        let row = std::iter::successors(self.before[at], |&it| self.before[it]);
        let is_equal = move |it: &usize| {
            self.aligned[*it].letter == letter && self.aligned[*it].role != Role::Deleted
        };
        row.take(MOST_LOOKED_AT).take_while(is_equal).filter(|&it| !self.is_edit(it))
    }

    fn match_equal_emissions(&mut self, at: usize) {
        let is_kept = |reception: Option<usize>| reception.is_none_or(|it| !self.is_edit(it));
        if !is_kept(self.reception[at]) {
            return;
        }
        let kept = self.row(at).find(|&it| !is_kept(self.reception[it]));
        let Some(kept) = kept else { return };
        let (received, missing) = (self.reception[at].take(), self.reception[kept].take());
        (self.reception[kept], self.reception[at]) = (received, missing);
        missing.into_iter().for_each(|it| self.emission[it] = Some(at));
        received.into_iter().for_each(|it| self.emission[it] = Some(kept));
    }

    /// The same for a missing reception, whose emission is kept.
    fn match_equal_receptions(&mut self, at: usize, emission: usize) {
        let messages = self.task.monitor.messages();
        let is_one =
            |&it: &usize| self.is_edit(it) && messages.broadcast(self.aligned[it].letter).is_none();
        let missing = |it: usize| Some((it, self.emission[it].filter(is_one)?));
        let Some((kept, missing)) = self.row(at).find_map(missing) else { return };
        (self.emission[at], self.emission[kept]) = (Some(missing), Some(emission));
        (self.reception[missing], self.reception[emission]) = (Some(at), Some(kept));
    }

    /// Matches deleted events, which have no order, in that of their logs.
    fn match_deleted(&mut self) {
        let mut waiting = Waiting::new(self.task.monitor.messages(), 0);
        let all = self.aligned.iter().enumerate();
        let deleted = all.filter(|(_, event)| event.role == Role::Deleted);
        deleted.clone().for_each(|(at, event)| waiting.send(event.letter, at, false));
        for (at, event) in deleted {
            self.join_ends(waiting.receive(event.letter, false), at);
        }
    }

    /// Matches deleted events that are an end of no message of the specification, by the texts of their messages: the
    /// first emission at another location. Those that the specification does not know, and those that it has apart, as
    /// where a message may be lost.
    fn match_by_name(&mut self) {
        let Task { monitor, session, .. } = *self.task;
        let messages = monitor.messages();
        let is_apart = |it: LetterId| !messages.is_emission(it) && !messages.is_reception(it);
        let all = self.aligned.iter().enumerate();
        let ends = all.filter_map(|(at, event)| {
            let is_known = event.letter != LetterId::UNKNOWN;
            let text = match is_known {
                false => text(session, event.location, event.index)?,
                true if event.role == Role::Deleted && is_apart(event.letter) => {
                    monitor.bundle().alphabet.letter_name(event.letter)
                }
                true => return None,
            };
            let (_, kind, message) = names::split_action(text)?;
            Some((at, kind, (is_known, message)))
        });
        let (sent, received): (Vec<_>, Vec<_>) =
            ends.partition(|(_, kind, _)| *kind == ActionKind::Emission);
        let mut waiting: BTreeMap<(bool, &str), BTreeMap<LocationId, VecDeque<usize>>> =
            BTreeMap::new();
        for (at, _, message) in sent {
            let logs = waiting.entry(message).or_default();
            logs.entry(self.aligned[at].location).or_default().push_back(at);
        }
        for (at, _, message) in received {
            let own = self.aligned[at].location;
            let logs = waiting.get_mut(&message).into_iter().flatten();
            let others = logs.filter(|(location, _)| **location != own).map(|(_, queue)| queue);
            let first = others.filter(|queue| !queue.is_empty()).min_by_key(|queue| queue[0]);
            self.join_ends(first.and_then(VecDeque::pop_front), at);
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
        let mut inserted: FxHashMap<LetterId, VecDeque<usize>> = FxHashMap::default();
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

    /// The events in the order that holds between those that neither logs nor messages order: by the order field, else
    /// by places in the input, else by the names of their locations.
    fn unforced(&self, places: &dyn Places) -> Vec<usize> {
        // A missing event has the place of the event behind it, or of the last one.
        let at = |event: &Aligned| {
            let length = log_length(self.task.session, event.location);
            (event.location.index(), event.index.min(length.saturating_sub(1)))
        };
        let order = |event: &Aligned| Some(at(event)).and_then(|(log, it)| places.order(log, it));
        let place = |event: &Aligned| Some(at(event)).and_then(|(log, it)| places.event(log, it));
        let orders: Option<Vec<EventOrder>> = self.aligned.iter().map(order).collect();
        let orders = orders.filter(|all| all.windows(2).all(|it| it[0].is_time == it[1].is_time));
        let read: Option<Vec<Place>> = match orders {
            Some(_) => None,
            None => self.aligned.iter().map(place).collect(),
        };
        let ranks = self.location_ranks();
        let rank = |at: usize| ranks[self.aligned[at].location.index()];
        let key = |&at: &usize| {
            let (order, place) =
                (orders.as_ref().map(|it| it[at]), read.as_ref().map(|it| &it[at]));
            (order, place, rank(at), at)
        };
        let mut sorted: Vec<usize> = (0..self.aligned.len()).collect();
        match orders.is_some() || read.is_some() {
            true => sorted.sort_by(|a, b| key(a).cmp(&key(b))),
            false => sorted.sort_unstable_by_key(|&at| (rank(at), at)),
        }
        sorted
    }

    /// Per location, its rank by name.
    fn location_ranks(&self) -> Vec<u32> {
        let Task { monitor, session, .. } = self.task;
        let name = |at: usize| match session.foreign_log(LocationId::new(at)) {
            Some(foreign) => &*foreign.location,
            None => monitor.bundle().alphabet.location_name(LocationId::new(at)),
        };
        let locations = session.trace.len() + session.foreign.len();
        ranks_of(&(0..locations).map(name).collect::<Vec<&str>>())
    }

    /// Which edits belong together.
    fn parts(&self) -> DisjointSets {
        let mut parts = DisjointSets::new(self.aligned.len());
        for at in (0..self.aligned.len()).filter(|&at| self.is_edit(at)) {
            let before = self.before[at].filter(|&before| self.belong_together(before, at));
            let beside = [before, self.emission[at], self.moved[at]];
            for other in beside.into_iter().flatten().filter(|&other| self.is_edit(other)) {
                parts.join(at, other);
            }
        }
        parts
    }

    /// Whether two edits that are neighbours in a log are one thing.
    fn belong_together(&self, before: usize, after: usize) -> bool {
        let [a, b] = [before, after].map(|at| self.aligned[at]);
        match a.role == b.role {
            // All events of a location that the specification does not have are one thing.
            true if a.location.index() >= self.known => true,
            true => ![a.letter, b.letter].contains(&LetterId::UNKNOWN),
            false => !self.is_repeated(before) && !self.is_repeated(after),
        }
    }

    /// Whether an event belongs to a message that should not be there, and was there before.
    fn is_repeated(&self, at: usize) -> bool {
        self.aligned[at].role == Role::Deleted && self.has_other_end(at) && self.repeats[at]
    }

    /// Whether an edit says more than that a location stopped.
    fn tells(&self, at: usize) -> bool {
        let is_kept = |end: Option<usize>| end.is_some_and(|at| !self.is_edit(at));
        self.aligned[at].role == Role::Deleted || is_kept(self.reception[at]) || self.goes_on(at)
    }

    /// A location that stopped says less than any other edit that does not come after it: a message that was lost, say.
    fn put_root_first(&self, group: &mut [usize]) {
        // An estimate: each look costs a pass over the session.
        const MOST_LOOKED_AT: usize = 8;
        let root = group[0];
        if self.kind(group).0 != FaultKind::Stopped {
            return;
        }
        let begins = |&at: &usize| {
            let causes = [self.before[at], self.emission[at]];
            !causes.into_iter().flatten().any(|cause| self.is_edit(cause))
        };
        let says_more = |&at: &usize| {
            let role = self.aligned[at].role;
            role == Role::Deleted || self.kind_of_insertion(at) != FaultKind::Stopped
        };
        let others = group.iter().copied().enumerate().skip(1);
        let mut others = others.filter(|(_, at)| begins(at) && says_more(at)).take(MOST_LOOKED_AT);
        if let Some((rank, _)) = others.find(|&(_, at)| !self.causes(at).contains(&root)) {
            group[..=rank].rotate_right(1);
        }
    }

    /// Takes events out that the specification does not know and the fault would not name: they are faults of their own,
    /// so that none hides behind a known one.
    fn take_unknown(&self, group: &mut Vec<usize>) -> Vec<Vec<usize>> {
        let root = group[0];
        let (_, other) = self.kind(group);
        let ends = |at: usize| [Some(at), self.emission[at], self.reception[at]];
        let named = std::iter::once(root).chain(other);
        let told: Vec<usize> = named.flat_map(ends).flatten().collect();
        let is_foreign = |at: usize| self.aligned[at].location.index() >= self.known;
        let is_told = |at: usize| {
            told.contains(&at)
                || is_foreign(root) && self.aligned[at].location == self.aligned[root].location
        };
        let is_taken = |at: &usize| self.aligned[*at].letter == LetterId::UNKNOWN && !is_told(*at);
        let taken: Vec<usize> = group.iter().copied().filter(is_taken).collect();
        group.retain(|at| !is_taken(at));
        let mut first: BTreeMap<LocationId, usize> = BTreeMap::new();
        for &at in &taken {
            first.entry(self.aligned[at].location).or_insert(at);
        }
        let is_there: FxHashSet<usize> = taken.iter().copied().collect();
        let mut faults: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &at in &taken {
            let first = match is_foreign(at) {
                true => first.get(&self.aligned[at].location).copied(),
                false => self.emission[at].filter(|emission| is_there.contains(emission)),
            };
            faults.entry(first.unwrap_or(at)).or_default().push(at);
        }
        faults.into_values().collect()
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
        let peers = self.peers(root, kind, end);
        Fault {
            kind,
            edits: group.iter().map(|&at| rank(at)).collect(),
            other: other.map(rank),
            end: end.map(|at| (self.aligned[at].location, self.aligned[at].index)),
            after: group.iter().map(|&at| Some(self.aligned[self.kept[at]?].letter)).collect(),
            peers,
            possible: match kind {
                FaultKind::Stopped => self.possible_beside(root),
                _ => Vec::new(),
            },
            late: kind == FaultKind::Moved && self.aligned[root].role == Role::Inserted,
            again: self.is_there_again(root),
            telling: group[1..].iter().filter(|&&at| self.tells(at)).map(|&at| rank(at)).collect(),
            under: None,
        }
    }

    /// The locations that have or may have the other end of a lost message, or of one that was not sent, beside `end`.
    fn peers(&self, root: usize, kind: FaultKind, end: Option<usize>) -> Vec<LocationId> {
        let location = |at: usize| self.aligned[at].location;
        let mut peers: Vec<LocationId> = match (kind, end) {
            (FaultKind::Lost | FaultKind::NotSent, None) => {
                let letters = self.task.monitor.messages().peers(self.aligned[root].letter);
                letters.into_iter().map(|letter| self.task.monitor.location_of(letter)).collect()
            }
            // Equal receptions in a row may belong to any of their messages, so any of these may be the lost one.
            (FaultKind::Lost, Some(_)) => {
                let sent = self.row(root).filter_map(|at| self.emission[at]);
                sent.filter(|&at| !self.is_edit(at)).map(location).collect()
            }
            _ => Vec::new(),
        };
        peers.sort_unstable();
        peers.dedup();
        peers.retain(|&peer| end.is_none_or(|at| location(at) != peer));
        peers
    }

    /// The other events that are possible where one is missing, in its log alone.
    fn possible_beside(&self, root: usize) -> Vec<LetterId> {
        let (task, event) = (self.task, self.aligned[root]);
        let stop = task.allowance.stop();
        let mut walk = LocalWalk::until(task.monitor, event.location, Observation::Complete, stop);
        let own = self.aligned[..root].iter().filter(|it| it.location == event.location);
        let is_possible = own.filter(|it| it.role != Role::Deleted).all(|it| walk.read(it.letter));
        let possible = if is_possible { walk.possible() } else { Vec::new() };
        possible.into_iter().filter(|&letter| letter != event.letter).collect()
    }

    /// The kind of a fault by the root of its edits, and the other edit of a move or a replacement.
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

    /// An edit of the other kind beside one at its location, that is not part of a move.
    fn beside(&self, root: usize, group: &[usize]) -> Option<usize> {
        let is_other = |&other: &usize| {
            self.aligned[other].location == self.aligned[root].location
                && self.aligned[other].role != self.aligned[root].role
                && self.moved[other].is_none()
                && (self.before[other] == Some(root) || self.before[root] == Some(other))
                && self.belong_together(root, other)
        };
        group.iter().copied().find(is_other)
    }

    fn kind_of_deletion(&self, root: usize) -> FaultKind {
        let letter = self.aligned[root].letter;
        let messages = self.task.monitor.messages();
        if letter == LetterId::UNKNOWN {
            FaultKind::Unknown
        } else if self.has_other_end(root) {
            match self.repeats[root] {
                true => FaultKind::Repeated,
                false => FaultKind::Extra,
            }
        } else if self.has_free_end(root) {
            FaultKind::Unexpected
        } else if messages.is_emission(letter) {
            FaultKind::Lost
        } else if messages.is_reception(letter) {
            FaultKind::NotSent
        } else {
            FaultKind::Unexpected
        }
    }

    /// Whether the other end of an event's message is in the logs, or missing there.
    fn has_other_end(&self, at: usize) -> bool {
        self.emission[at].is_some() || self.reception[at].is_some()
    }

    /// Whether an event that is kept can be the other end of the message of a deleted one: that other end belongs to one
    /// that nobody observed, so that nothing says that the message was lost or not sent.
    fn has_free_end(&self, deleted: usize) -> bool {
        if self.task.config.observation == Observation::Complete {
            return false;
        }
        let peers = self.task.monitor.messages().peers(self.aligned[deleted].letter);
        let mut all = (0..self.aligned.len()).filter(|&at| !self.is_edit(at));
        all.any(|at| peers.contains(&self.aligned[at].letter) && !self.has_other_end(at))
    }

    /// Whether the event of a root is kept elsewhere in its log: earlier, or, if it is deleted without another end, later.
    fn is_there_again(&self, root: usize) -> bool {
        let event = self.aligned[root];
        let is_alone = event.role == Role::Deleted && !self.has_other_end(root);
        self.repeats[root] || is_alone && self.recurs[root]
    }

    fn kind_of_insertion(&self, root: usize) -> FaultKind {
        let is_logged = |end: Option<usize>| end.is_some_and(|at| !self.is_edit(at));
        if is_logged(self.emission[root]) {
            FaultKind::Lost
        } else if is_logged(self.reception[root]) {
            FaultKind::NotSent
        } else if self.goes_on(root) {
            FaultKind::Missing
        } else {
            FaultKind::Stopped
        }
    }

    /// Whether anything is logged behind an event at its location.
    fn goes_on(&self, at: usize) -> bool {
        self.last_logged[self.aligned[at].location.index()].is_some_and(|last| last > at)
    }

    /// The last of some roots that the last event before a stop comes after.
    fn under(&self, stop: usize, roots: &[usize]) -> Option<usize> {
        let causes = self.causes(self.kept[stop]?);
        roots.iter().rposition(|root| causes.contains(root))
    }

    /// An event, and all that come before it by logs and messages.
    fn causes(&self, at: usize) -> BTreeSet<usize> {
        let (mut causes, mut todo) = (BTreeSet::from([at]), vec![at]);
        while let Some(at) = todo.pop() {
            for cause in [self.before[at], self.emission[at]].into_iter().flatten() {
                if causes.insert(cause) {
                    todo.push(cause);
                }
            }
        }
        causes
    }
}

/// Finds when events come: each after the one before it in its log and after its emission.
//
// Two logs may each have deleted a reception before the emission that the other waits for. Then no order has both, and
// where nothing else can come, a deleted reception comes without its emission.
struct Timing<'a> {
    session: &'a AlignedSession<'a>,
    /// Events in the order that holds where nothing else does, and per event its rank in it.
    unforced: &'a [usize],
    ranks: Vec<usize>,
    /// Per event, the events directly after it.
    after: Lists,
    /// Per event, whether the one before it in its log, and its emission, have yet to come.
    waits: Vec<[bool; 2]>,
    ready: BinaryHeap<Reverse<usize>>,
    /// Ranks of deleted receptions that wait for their emissions only.
    stalled: BTreeSet<usize>,
}

impl<'a> Timing<'a> {
    fn new(session: &'a AlignedSession<'a>, unforced: &'a [usize]) -> Timing<'a> {
        let (events, mut ranks) = (unforced.len(), vec![0; unforced.len()]);
        unforced.iter().enumerate().for_each(|(rank, &at)| ranks[at] = rank);
        let causes = |at: usize| [session.before[at], session.emission[at]].into_iter().flatten();
        let mut after = Lists::default();
        after.fill(events, (0..events).flat_map(|at| causes(at).map(move |it| (it, at as u32))));
        let waits = |at: usize| [session.before[at].is_some(), session.emission[at].is_some()];
        let waits = (0..events).map(waits).collect();
        let (ready, stalled) = (BinaryHeap::new(), BTreeSet::new());
        let mut timing = Timing { session, unforced, ranks, after, waits, ready, stalled };
        (0..events).for_each(|at| timing.look_at(at));
        timing
    }

    /// Queues an event as far as it may come.
    fn look_at(&mut self, at: usize) {
        let rank = self.ranks[at];
        match self.waits[at] {
            [false, false] => {
                self.stalled.remove(&rank);
                self.ready.push(Reverse(rank));
            }
            [false, true] if self.session.aligned[at].role == Role::Deleted => {
                self.stalled.insert(rank);
            }
            _ => {}
        }
    }

    /// Per event, its number in the order in which all come.
    fn times(mut self) -> Vec<usize> {
        let mut times = vec![usize::MAX; self.unforced.len()];
        let mut time = 0;
        loop {
            let ready = self.ready.pop().map(|Reverse(rank)| rank);
            let Some(rank) = ready.or_else(|| self.stalled.pop_first()) else { return times };
            let at = self.unforced[rank];
            if times[at] != usize::MAX {
                continue;
            }
            (times[at], time) = (time, time + 1);
            for place in self.after.places_of(at) {
                let (next, session) = (self.after.entry(place) as usize, self.session);
                let [log, message] = &mut self.waits[next];
                *log &= session.before[next] != Some(at);
                *message &= session.emission[next] != Some(at);
                self.look_at(next);
            }
        }
    }
}

/// An event that the specification does not know, as it was written.
fn text(session: &Session, location: LocationId, index: usize) -> Option<&str> {
    match session.foreign_log(location) {
        Some(foreign) => foreign.events.get(index).map(String::as_str),
        None => session.unknown_text(location.index(), index),
    }
}

fn log_length(session: &Session, location: LocationId) -> usize {
    match session.foreign_log(location) {
        Some(foreign) => foreign.events.len(),
        None => session.trace[location.index()].len(),
    }
}

/// Nothing per location.
fn none_by_location(aligned: &[Aligned]) -> Vec<Option<usize>> {
    let locations = aligned.iter().map(|event| event.location.index() + 1).max();
    vec![None; locations.unwrap_or(0)]
}

fn last_logged(aligned: &[Aligned]) -> Vec<Option<usize>> {
    let mut last = none_by_location(aligned);
    let logged = aligned.iter().enumerate().filter(|(_, it)| it.role != Role::Inserted);
    logged.for_each(|(at, it)| last[it.location.index()] = Some(at));
    last
}

/// Per event, the last one before it at its location that counts.
fn last_before(aligned: &[Aligned], counts: impl Fn(&Aligned) -> bool) -> Vec<Option<usize>> {
    let mut last = none_by_location(aligned);
    let all = aligned.iter().enumerate();
    let before = all.map(|(at, event)| {
        let last = &mut last[event.location.index()];
        let before = *last;
        if counts(event) {
            *last = Some(at);
        }
        before
    });
    before.collect()
}

/// Per event, whether the same one is kept before it in its log, in an order of the events.
fn repeats(order: impl Iterator<Item = usize>, aligned: &[Aligned], letters: usize) -> Vec<bool> {
    let (mut repeats, mut kept) = (vec![false; aligned.len()], vec![false; letters]);
    for at in order {
        // An event that the specification does not know is not kept.
        let Some(kept) = kept.get_mut(aligned[at].letter.index()) else { continue };
        repeats[at] = *kept;
        *kept |= aligned[at].role == Role::Read;
    }
    repeats
}
