//! Events of which nothing tells the order: `ties` of the mapping. With `any`, the orders that the events of a session may have.

// Idea: events of a location that have one order, or come from several files without one, are chains: the
// events of a record, or those of a file, stay in their order, and chains are in no order among each other. The log of the
// location is any of the shuffles. Where first records of roles have one order, each way to give the roles makes a session of
// its own. A session is accepted if one of these is with one of its shuffles; who judges them decides over the shuffles.
//
// Cost: putting the session together, and a judgement, for each different way to give roles, at most 720.

use super::{AssembledPlaces, LocatedEvent, LocatedEvents, session_id};
use crate::mapping::{OrderKey, RoleNames, Ties};
use crate::record::RecordPlace;
use multitrace_formats::problem::InputProblem;
use multitrace_interaction::{LetterId, Session, TiedEvents};
use std::collections::BTreeMap;

const FINER: &str =
    "name a finer field in `order`, or write ties = \"file\", where the file is in order";

/// The remedy for events with one order.
pub(super) const EQUAL_ORDERS: &str = "name a finer field in `order`, add one, order = [\"ts\", \"seq\"], or write ties = \"file\", where \
                                       the file is in order, or ties = \"any\", if they may have happened in any order";

/// Whether the events of a location stand in their files with the newest one first, as far as their order says it.
pub(super) fn falls(events: impl Iterator<Item = (u32, Option<OrderKey>)>) -> bool {
    let (mut has_fall, mut before) = (false, None);
    for (file, order) in events {
        if let (Some((other, one)), Some(next)) = (before, order)
            && other == file
        {
            if one < next {
                return false;
            }
            has_fall |= one > next;
        }
        before = order.map(|order| (file, order)).or(before);
    }
    has_fall
}

/// A session with one way to give roles.
struct NamedSession {
    session: Session,
    located: LocatedEvents,
    ties: Vec<TiedEvents>,
}

impl AssembledPlaces<'_> {
    /// Gives the session the order that `judge` ranks highest, if the mapping says that some of its events are in no order.
    /// Of a session and the events that are in no order, `judge` gives per location the indexes of its events in an order,
    /// and a rank; the first one whose rank is best ends the search. Returns the rank; `None` if all events are in order.
    pub fn find_order<R: Ord>(
        &mut self,
        session: &mut Session,
        is_best: impl Fn(&R) -> bool,
        mut judge: impl FnMut(&Session, &[TiedEvents]) -> (Vec<Vec<usize>>, R),
    ) -> Option<R> {
        // A session of letters alone is in order.
        if self.assembler.mapping.ties() != Ties::Any || self.located.get().is_none() {
            return None;
        }
        let id = session_id(self.grouped);
        let names = self.names(&id);
        if names.len() < 2 && self.located().ties(session, session.trace.len()).is_empty() {
            return None;
        }
        let all = self.named_sessions(names);
        let mut found: Option<(R, usize, Vec<Vec<usize>>)> = None;
        for (at, NamedSession { session, ties, .. }) in all.iter().enumerate() {
            let (orders, rank) = judge(session, ties);
            if found.as_ref().is_none_or(|(highest, ..)| rank > *highest) {
                let is_best = is_best(&rank);
                found = Some((rank, at, orders));
                if is_best {
                    break;
                }
            }
        }
        let (rank, at, orders) = found?;
        let NamedSession { session: named, mut located, .. } = all.into_iter().nth(at)?;
        *session = named.in_order(&orders);
        for (events, order) in located.events.iter_mut().zip(&orders) {
            *events = order.iter().map(|&at| events[at].clone()).collect();
        }
        self.located = located.into();
        Some(rank)
    }

    /// The problem of a session that could not be decided over all its orders.
    pub fn undecided(&self, session: &Session) -> InputProblem {
        let message = format!(
            "session {:?}: its events are in no order (ties = \"any\"), and the budget was spent before all orders were \
             decided",
            session.id
        );
        self.tie_problem(session, &message)
    }

    /// Why no single order of its events is the session, if the mapping says that some of them are in no order.
    pub fn unordered(&self, session: &Session) -> Option<InputProblem> {
        if self.assembler.mapping.ties() != Ties::Any {
            return None;
        }
        let (id, located) = (session_id(self.grouped), self.located());
        let is_tied = || !located.ties(session, located.events.len()).is_empty();
        if !is_tied() && self.named_sessions(self.names(&id)).len() < 2 {
            return None;
        }
        let message = format!(
            "session {:?}: its events are in no order (ties = \"any\"), which a line of a session cannot say",
            session.id
        );
        Some(self.tie_problem(session, &message))
    }

    /// A problem at the first event that is in no order with another.
    fn tie_problem(&self, session: &Session, message: &str) -> InputProblem {
        let located = self.located();
        let ties = located.ties(session, located.events.len());
        let first = ties.first().and_then(|TiedEvents { location, chains }| {
            located.events[*location].get(*chains.iter().flatten().min()?)
        });
        let first = first.or_else(|| located.events.iter().flatten().next());
        let place = first.map_or((0, RecordPlace::line(1)), |event| event.place);
        self.assembler.late.problem(place, None, (message, FINER))
    }

    /// All names that the lifelines of the session may have; `None` is those of the log.
    fn names<'a>(&'a self, id: &'a str) -> Vec<Option<RoleNames<'a>>> {
        let names = self.assembler.names(self.grouped, id).unwrap_or_default();
        if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() }
    }

    /// The session with all names that make it a different one, the first one as it is.
    fn named_sessions(&self, names: Vec<Option<RoleNames<'_>>>) -> Vec<NamedSession> {
        let mut all: Vec<NamedSession> = Vec::new();
        for names in names {
            let (given, mut session) = ((self.grouped, &names), Session::default());
            let located = self.assembler.assemble_named(given, self.alphabet, &mut session);
            let Ok(located) = located else { continue };
            let ties = located.ties(&session, session.trace.len());
            if !all.iter().any(|it| it.session == session && it.ties == ties) {
                all.push(NamedSession { session, located, ties });
            }
        }
        all
    }
}

impl LocatedEvents {
    /// The events in no order of the first locations; those that the specification does not know come last.
    fn ties(&self, session: &Session, locations: usize) -> Vec<TiedEvents> {
        let known = session.trace.len();
        let word = |location: usize, at: usize| match location.checked_sub(known) {
            None => (session.trace[location][at], session.unknown_text(location, at)),
            Some(foreign) => (LetterId::UNKNOWN, Some(&*session.foreign[foreign].events[at])),
        };
        let key = |event: &LocatedEvent| event.order.map(|at| self.orders[at as usize]);
        let mut ties = Vec::new();
        for (location, events) in self.events.iter().take(locations).enumerate() {
            let mut start = 0;
            for events in events.chunk_by(|one, other| key(one) == key(other)) {
                // Without an order, the events of a file are in the order of the file.
                let is_ordered = key(&events[0]).is_some();
                let mut chains: BTreeMap<_, Vec<usize>> = BTreeMap::new();
                for (at, LocatedEvent { place: (file, place), .. }) in (start..).zip(events) {
                    chains.entry((file, is_ordered.then_some(place))).or_default().push(at);
                }
                let first = word(location, start);
                // Equal events have one order.
                let differ = (start..start + events.len()).any(|at| word(location, at) != first);
                if chains.len() > 1 && differ {
                    ties.push(TiedEvents { location, chains: chains.into_values().collect() });
                }
                start += events.len();
            }
        }
        ties
    }
}
