//! A session out of its events: the names of its lifelines, and the local trace of each location.

// Idea: most sessions have known actions only, and no order field: their letters go straight to the local
// traces, in the order of the input. Places are asked for where something is wrong, so such a session is
// put together in full when they are.

mod ties;
mod unassembled;

pub use self::unassembled::Unassembled;

use self::ties::{EQUAL_ORDERS, falls};
use crate::cycles::{Turn, TurnSign, turn};
use crate::file_trends::{FileTrends, NEWEST_FIRST};
use crate::grouping::Grouped;
use crate::mapping::{
    Binding, Cycle, Mapping, OrderKey, OrderKind, RoleError, RoleNames, SessionRef, Ties,
};
use crate::record::{RecordPlace, Unit};
use crate::record_problem::LateProblems;
use crate::stored_event::{StoredEvent, StoredKind, read, read_unordered_letter};
use indexmap::IndexMap;
use multitrace_formats::place::{EventOrder, Place, Places};
use multitrace_interaction::{
    ActionKind, Alphabet, ForeignTrace, Id, LetterId, LocationId, Session, UnknownEvent, names,
};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Puts sessions together.
#[derive(Debug)]
pub struct Assembler {
    mapping: Mapping,
    /// Whether the times of events may lack a part of the date.
    has_partial_times: bool,
    files: Arc<[Arc<str>]>,
    late: Arc<LateProblems>,
    trends: Arc<FileTrends>,
}

/// Where a session and its events were read.
#[derive(Clone, Debug)]
pub struct AssembledPlaces<'g> {
    assembler: &'g Assembler,
    grouped: &'g Grouped,
    alphabet: &'g Alphabet,
    /// Known from the beginning, or once somebody asks.
    located: OnceCell<LocatedEvents>,
    /// Whether records of the session could not be used.
    pub is_damaged: bool,
}

/// The events of a session with their places.
#[derive(Clone, Debug, Default)]
struct LocatedEvents {
    /// Per location, those unknown to the specification last.
    events: Vec<Vec<LocatedEvent>>,
    orders: Vec<OrderKey>,
    /// The lifelines that roles name, with their names in the log; those beyond the most that a role may have share a name.
    machines: HashMap<String, Option<String>>,
    /// Whether records of the session could not be used.
    is_damaged: bool,
    /// Whether they are in the order of the input: all come from one file, and none has an order that tells more.
    is_in_file_order: bool,
    /// Whether another day or year may have begun between them: their times lack it, so they tell no order.
    is_turned: bool,
}

/// One event at its location.
#[derive(Clone, Debug)]
struct LocatedEvent {
    letter: LetterId,
    /// The action, if it is not a letter of the specification, until it is in the session.
    text: Option<String>,
    /// Which of the orders of the session it has. An order is larger than all the rest.
    order: Option<u32>,
    place: (u32, RecordPlace),
    /// How many records of the session come before it.
    before: u32,
}

/// An event of a session, as the specification sees it.
pub(crate) enum SessionEvent<'a> {
    /// A letter of the specification.
    Known(LetterId),
    /// Any other.
    Unknown {
        /// Its location, if the specification has it.
        at: Option<LocationId>,
        lifeline: Option<&'a str>,
        /// The action.
        text: &'a str,
        place: Place,
    },
}

/// Where an event was logged.
enum EventLocation<'a> {
    Known(LocationId),
    Foreign(Cow<'a, str>),
}

impl Assembler {
    /// For events of these files, made by a mapping.
    pub(crate) fn new(
        mapping: Mapping,
        files: Arc<[Arc<str>]>,
        late: Arc<LateProblems>,
        trends: Arc<FileTrends>,
    ) -> Assembler {
        let has_partial_times = mapping.has_partial_times();
        Assembler { has_partial_times, mapping, files, late, trends }
    }

    /// The mapping.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Where a session stands in the input, by its first record: the number of the file, its name, the
    /// line or row, and which record of it.
    pub fn position(&self, grouped: &Grouped) -> (u32, Option<Arc<str>>, u64, u32) {
        let place = |content| {
            let StoredEvent { file, place, .. } = read(content);
            (file, place.number, place.item)
        };
        let first = grouped.records().map(|(_, content)| place(content)).min();
        let (file, number, item) = first.unwrap_or_default();
        (file, self.files.get(file as usize).cloned(), number, item)
    }

    /// Whether the mapping gives sessions their names; where gaps end them, they are named later.
    pub fn names_sessions(&self) -> bool {
        self.mapping.gap().is_none()
    }

    /// The session, and where its events were read.
    ///
    /// # Errors
    /// When its roles or the order of its events are not known. The session then has no events.
    pub fn assemble<'g>(
        &'g self,
        grouped: &'g Grouped,
        alphabet: &'g Alphabet,
        session: &mut Session,
    ) -> Result<AssembledPlaces<'g>, Unassembled> {
        let (mut located, mut is_damaged) = (OnceCell::new(), false);
        if self.mapping.gap().is_some() {
            // Where the session ends depends on all of its times.
            let found = self.turn(false, placed_orders(grouped));
            self.reject_turn(&session_id(grouped), "", found)
                .inspect_err(|_| clear(session, grouped, alphabet))?;
        }
        if self.mapping.has_roles() || !self.assemble_letters(grouped, alphabet, session) {
            let events = self.assemble_located(grouped, alphabet, session)?;
            is_damaged = events.is_damaged;
            located = OnceCell::from(events);
        }
        Ok(AssembledPlaces { assembler: self, grouped, alphabet, located, is_damaged })
    }

    /// Puts a session of any events together, with their places.
    fn assemble_located(
        &self,
        grouped: &Grouped,
        alphabet: &Alphabet,
        session: &mut Session,
    ) -> Result<LocatedEvents, Unassembled> {
        let id = session_id(grouped);
        // A session without its roles has its own name, and not the events of the session before.
        let names = self.names(grouped, &id).inspect_err(|_| clear(session, grouped, alphabet))?;
        let names = names.into_iter().next();
        self.assemble_named((grouped, &names), alphabet, session)
    }

    /// The same with given names of its lifelines.
    fn assemble_named(
        &self,
        (grouped, names): (&Grouped, &Option<RoleNames<'_>>),
        alphabet: &Alphabet,
        session: &mut Session,
    ) -> Result<LocatedEvents, Unassembled> {
        clear(session, grouped, alphabet);
        let mut known: Vec<Vec<LocatedEvent>> = vec![Vec::new(); alphabet.locations().len()];
        let mut foreign: IndexMap<String, Vec<LocatedEvent>> = IndexMap::new();
        let (mut text, mut orders, mut is_damaged) = (String::new(), Vec::new(), false);
        let (mut is_of_one_file, mut has_order, mut only) = (true, false, None);
        for (before, (_, content)) in (0..).zip(grouped.records()) {
            let stored = read(content);
            is_damaged |= stored.kind == StoredKind::Lost;
            let located = located(&stored, names, alphabet, (&mut text, &mut orders));
            let located = located.map(|(at, item)| (at, LocatedEvent { before, ..item }));
            if let Some((_, item)) = &located {
                is_of_one_file &= *only.get_or_insert(item.place.0) == item.place.0;
                has_order |= item.order.is_some();
            }
            match located {
                None => {}
                Some((EventLocation::Known(location), item)) => known[location.index()].push(item),
                Some((EventLocation::Foreign(name), item)) => match foreign.get_mut(&*name) {
                    Some(items) => items.push(item),
                    None => drop(foreign.insert(name.into_owned(), vec![item])),
                },
            }
        }
        for (location, items) in alphabet.locations().zip(&mut known) {
            self.sort(&session.id, alphabet.location_name(location), items, &orders)?;
        }
        for (name, items) in &mut foreign {
            self.sort(&session.id, name, items, &orders)?;
        }
        let mut machines = HashMap::new();
        for (lifeline, machine) in names.iter().flat_map(RoleNames::machines) {
            let found = machines.entry(lifeline.to_owned());
            found.and_modify(|it| *it = None).or_insert_with(|| Some(machine.to_owned()));
        }
        fill(session, &mut known, &mut foreign);
        let events = known.into_iter().chain(foreign.into_values()).collect();
        let is_turned = self.turn(false, placed_orders(grouped)).is_some();
        let is_in_file_order = is_of_one_file && (!has_order || is_turned);
        Ok(LocatedEvents { events, orders, machines, is_damaged, is_in_file_order, is_turned })
    }

    /// Calls a function with every event of a session, in no certain order. Lifelines whose roles are
    /// not known keep their names in the log.
    pub(crate) fn each_event(
        &self,
        grouped: &Grouped,
        alphabet: &Alphabet,
        mut each: impl FnMut(&SessionEvent<'_>),
    ) {
        let session = grouped.session();
        let names = self.names(grouped, &session).unwrap_or_default().into_iter().next();
        let (mut text, mut orders) = (String::new(), Vec::new());
        for (_, content) in grouped.records() {
            let stored = read(content);
            let room = (&mut text, &mut orders);
            let Some((spot, item)) = located(&stored, &names, alphabet, room) else {
                continue;
            };
            let lifeline = match stored.kind {
                StoredKind::Event { lifeline, .. } => {
                    Some(names.as_ref().map_or(lifeline, |names| names.name(lifeline)))
                }
                _ => None,
            };
            let place = self.place(item.place);
            match (spot, item.text) {
                (EventLocation::Known(_), None) => each(&SessionEvent::Known(item.letter)),
                (EventLocation::Known(at), Some(text)) => {
                    each(&SessionEvent::Unknown { at: Some(at), lifeline, text: &text, place });
                }
                (EventLocation::Foreign(_), _) => {
                    each(&SessionEvent::Unknown { at: None, lifeline, text: &text, place });
                }
            }
        }
    }

    /// The lifelines that roles name in a session, with their names in the log.
    ///
    /// # Errors
    /// When nobody knows them.
    pub(crate) fn machines(&self, grouped: &Grouped) -> Result<Vec<(String, String)>, Unassembled> {
        let session = grouped.session();
        let names = self.names(grouped, &session)?;
        let machines = names.iter().take(1).flat_map(RoleNames::machines);
        Ok(machines.map(|(name, machine)| (name.to_owned(), machine.to_owned())).collect())
    }

    /// All names that the lifelines of a session may have, if roles give them.
    fn names<'a>(
        &'a self,
        grouped: &'a Grouped,
        session: &'a str,
    ) -> Result<Vec<RoleNames<'a>>, Unassembled> {
        if !self.mapping.has_roles() {
            return Ok(Vec::new());
        }
        let bindings = grouped.records().filter_map(|(_, content)| {
            let StoredEvent { file, place, order, kind } = read(content);
            let StoredKind::Binding { role, value } = kind else { return None };
            let session = SessionRef::Named(session);
            Some(Binding { role, session, value, order, place, file })
        });
        let bindings: Vec<Binding<'_>> = bindings.collect();
        let orders = bindings.iter().map(|it| ((it.file, it.place), it.order));
        let found = self.turn(false, orders);
        self.reject_turn(session, "the first record of a role is not known: ", found)?;
        self.mapping.all_role_names(bindings, |file| self.trends.falls(file)).map_err(|error| {
            let RoleError { message, help, value, file, place } = error;
            let problem = self.late.problem((file, place), Some(&value), (&message, help));
            Unassembled { problem, help }
        })
    }

    fn misordered(
        &self,
        (place, order): ((u32, RecordPlace), Option<OrderKey>),
        message: &str,
        help: &'static str,
    ) -> Unassembled {
        let key = order.map_or_else(String::new, |order| order.to_string());
        let problem = self.late.problem(place, Some(&key), (message, help));
        Unassembled { problem, help }
    }

    /// Brings the events of a location into their order.
    fn sort(
        &self,
        session: &str,
        location: &str,
        items: &mut [LocatedEvent],
        orders: &[OrderKey],
    ) -> Result<(), Unassembled> {
        let order =
            |item: &LocatedEvent| item.order.and_then(|at| orders.get(at as usize).copied());
        let error = |item: &LocatedEvent, what: &str, help| {
            let message = format!("session {session:?}: at {location}, {what}");
            self.misordered((item.place, order(item)), &message, help)
        };
        let kind = |item: &LocatedEvent| order(item).map(OrderKey::kinds);
        let Some(first) = items.first() else { return Ok(()) };
        if let Some(other) = items.iter().find(|item| kind(item) != kind(first)) {
            let place = self.place(first.place);
            let [own, its] = OrderKind::names_of(order(other), order(first));
            let what = format!(
                "events are ordered in different ways: this one by {own}, and {place} by {its}"
            );
            let help = "give all events of a location an order field of one kind, or none of them";
            return Err(error(other, &what, help));
        }
        if first.order.is_none() {
            let other = items.iter().find(|item| item.place.0 != first.place.0);
            let Some(other) = other.filter(|_| self.mapping.ties() == Ties::Report) else {
                return Ok(());
            };
            let place = self.place(first.place);
            let what =
                format!("events come from several files, this one and {place}, and have no order");
            return Err(error(other, &what, SEVERAL_FILES));
        }
        let orders = items.iter().map(|item| (item.place, order(item)));
        self.reject_turn(session, &format!("at {location}, "), self.turn(true, orders))?;
        let by_file = self.mapping.ties() == Ties::File;
        let falls_here = by_file && falls(items.iter().map(|item| (item.place.0, order(item))));
        let is_newest_first = |file| falls_here || self.trends.falls(file);
        items.sort_by_key(order);
        let tied = self.tied(items, order, |file| by_file && !is_newest_first(file));
        let Some((one, other)) = tied else { return Ok(()) };
        let one = self.place(one.place);
        let key = order(other).map_or_else(String::new, |order| order.to_string());
        let by = self.mapping.order_place().unwrap_or_default();
        let what =
            format!("an event has the same order as the one at {one}: {key} by `order` ({by})");
        match by_file && is_newest_first(other.place.0) {
            true => {
                let what = format!("{what}; and the newest event stands first in its file");
                Err(error(other, &what, NEWEST_FIRST))
            }
            false => Err(error(other, &what, EQUAL_ORDERS)),
        }
    }

    /// Two sorted events whose order is not known, since they have the same one.
    fn tied<'i>(
        &self,
        items: &'i [LocatedEvent],
        order: impl Fn(&LocatedEvent) -> Option<OrderKey>,
        by_file: impl Fn(u32) -> bool,
    ) -> Option<(&'i LocatedEvent, &'i LocatedEvent)> {
        if self.mapping.ties() == Ties::Any {
            return None;
        }
        let tied = items.windows(2).find(|pair| {
            order(&pair[0]).is_some()
                && order(&pair[0]) == order(&pair[1])
                // Events of one record come as its rule lists them.
                && pair[0].place != pair[1].place
                && !(pair[0].place.0 == pair[1].place.0 && by_file(pair[0].place.0))
                && (pair[0].letter, &pair[0].text) != (pair[1].letter, &pair[1].text)
        });
        tied.map(|pair| (&pair[0], &pair[1]))
    }

    /// Rejects events between which another day or year may have begun, where their times lack it.
    fn reject_turn(
        &self,
        session: &str,
        of: &str,
        found: Option<Turn<Stand>>,
    ) -> Result<(), Unassembled> {
        let Some(Turn { cycle, first, next, sign }) = found else { return Ok(()) };
        let (name, first) = (cycle.name(), self.place(first));
        let what = match sign {
            TurnSign::Falls => format!(
                "times have no {name}, and this one is before the one at {first}, which stands before it in the file: another \
                 {name} may have begun between them"
            ),
            TurnSign::IsFar => format!(
                "times have no {name}, and this one is more than half a {name} away from the one at {first}: another {name} may \
                 have begun between them"
            ),
            TurnSign::OtherFile => format!(
                "times have no {name}, and events come from several files, this one and {first}: nobody knows which was first"
            ),
            TurnSign::OtherKind => format!(
                "times with and without a {name} stand together, this one and the one at {first}: nobody knows which was first"
            ),
        };
        let message = format!("session {session:?}: {of}{what}");
        let help = match cycle {
            Cycle::Day => NO_DAY,
            Cycle::Year => NO_YEAR,
        };
        Err(self.misordered((next, None), &message, help))
    }

    /// The first two events between which another day or year may have begun, where their times lack it.
    fn turn(
        &self,
        is_one_location: bool,
        events: impl Iterator<Item = PlacedOrder>,
    ) -> Option<Turn<Stand>> {
        let events = self.has_partial_times.then_some(events)?;
        turn(is_one_location, events.map(|(place, order)| (place.0, order, place)))
    }

    /// Puts a session together whose events are known actions without order fields; false if it has others, or if
    /// those of a location come from several files, whose order nobody told.
    fn assemble_letters(
        &self,
        grouped: &Grouped,
        alphabet: &Alphabet,
        session: &mut Session,
    ) -> bool {
        clear(session, grouped, alphabet);
        let mut files = FilesOfLocations::default();
        let keeps_order = self.mapping.ties() == Ties::File || self.files.len() < 2;
        grouped.records().all(|(_, content)| {
            let Some(letter) = read_unordered_letter(content) else { return false };
            let location = alphabet.location_of(letter).index();
            session.trace[location].push(letter);
            keeps_order || files.has_one(location, || read(content).file)
        })
    }

    fn place(&self, place: (u32, RecordPlace)) -> Place {
        shown(&self.files, place)
    }
}

/// The place of a record, by the number of its file.
pub(crate) fn shown(files: &[Arc<str>], (file, place): (u32, RecordPlace)) -> Place {
    let name = files.get(file as usize).cloned().unwrap_or_else(|| "".into());
    place.in_file(name)
}

/// An event with its location; `None` for the binding of a role.
fn located<'a>(
    stored: &StoredEvent<'a>,
    names: &'a Option<RoleNames<'_>>,
    alphabet: &Alphabet,
    (text, orders): (&mut String, &mut Vec<OrderKey>),
) -> Option<(EventLocation<'a>, LocatedEvent)> {
    let StoredEvent { file, place, order, kind } = *stored;
    let order = order.map(|order| {
        orders.push(order);
        orders.len() as u32 - 1
    });
    let item = |letter, text| LocatedEvent { letter, text, order, place: (file, place), before: 0 };
    match kind {
        StoredKind::Binding { .. }
        | StoredKind::Mark(_)
        | StoredKind::Link(_)
        | StoredKind::Span(_)
        | StoredKind::Lost => None,
        StoredKind::Known(letter) => {
            Some((EventLocation::Known(alphabet.location_of(letter)), item(letter, None)))
        }
        StoredKind::Event { location, lifeline, kind, message } => {
            let name = |it: &'a str| names.as_ref().map_or(it, |names| names.name(it));
            let (location, lifeline) = (location.map(name), name(lifeline));
            let spot = spot(location, lifeline, alphabet);
            let message = match names {
                Some(names) => names.message(message),
                None => Cow::Borrowed(message),
            };
            write_action(lifeline, kind, &message, text);
            let letter = match spot {
                EventLocation::Known(at) => letter(at, text, &message, alphabet),
                EventLocation::Foreign(_) => None,
            };
            let item = match letter {
                Some(letter) => item(letter, None),
                None => item(LetterId::UNKNOWN, Some(text.clone())),
            };
            Some((spot, item))
        }
    }
}

/// Writes an action as specifications do.
pub(crate) fn write_action(lifeline: &str, kind: ActionKind, message: &str, text: &mut String) {
    text.clear();
    names::write_action(lifeline, kind, message, text);
}

/// Where an event is logged: at the location the mapping names, else at that of its lifeline.
fn spot<'a>(
    location: Option<&'a str>,
    lifeline: &'a str,
    alphabet: &Alphabet,
) -> EventLocation<'a> {
    let name = location.unwrap_or(lifeline);
    let of_lifeline = alphabet.location_of_lifeline(name);
    let known = of_lifeline.or_else(|| alphabet.location(name)).or_else(|| alphabet.others());
    if let Some(known) = known {
        return EventLocation::Known(known);
    }
    EventLocation::Foreign(match location {
        Some(location) => location_text(location),
        None => names::lifeline_text(lifeline),
    })
}

/// The location that a mapping names, as keys of sessions have it: one lifeline, or several separated
/// by commas.
fn location_text(location: &str) -> Cow<'_, str> {
    let text = names::lifeline_text(location);
    if text == location {
        return text;
    }
    let lifelines: Vec<Cow<'_, str>> = names::split(location, ',').map(names::name_of).collect();
    if lifelines.iter().any(|lifeline| lifeline.is_empty()) {
        return text;
    }
    Cow::Owned(names::location_text(lifelines.iter().map(|lifeline| &**lifeline)))
}

/// The letter of an action that is logged at a location. Automata that are given directly have
/// letters of any form; there the message alone is the letter.
fn letter(
    location: LocationId,
    action: &str,
    message: &str,
    alphabet: &Alphabet,
) -> Option<LetterId> {
    let is_free = alphabet.lifelines().len() == 0;
    let letter = alphabet.letter(action);
    let letter = letter.or_else(|| if is_free { alphabet.letter(message) } else { None });
    let letter = letter.filter(|&letter| alphabet.location_of(letter) == location);
    letter.or_else(|| alphabet.any_letter(action, location))
}

/// The letter of an event, if it is the same in every session and at its own location.
pub(crate) fn known_letter(
    (location, lifeline): (Option<&str>, &str),
    (action, message): (&str, &str),
    alphabet: &Alphabet,
) -> Option<LetterId> {
    match spot(location, lifeline, alphabet) {
        EventLocation::Known(at) => letter(at, action, message, alphabet),
        EventLocation::Foreign(_) => None,
    }
}

/// The remedies for times that lack a part of the date.
const NO_DAY: &str = "let `order` have the day, order = { field = \"{day} {time}\", format = \"%Y-%m-%d %H:%M:%S\" }; or, where the \
                      file is in order, leave `order` out";
const NO_YEAR: &str = "let `order` have the year in place of `year`, order = { field = \"{year} {time}\", format = \
                       \"%Y %b %e %H:%M:%S\" }; or, where the file is in order, leave `order` out";

/// The remedy for a location whose events come from several files.
const SEVERAL_FILES: &str = "name a field as `order`; or write ties = \"file\" in [event], if the files are named with the \
                             oldest first, as rotated logs can be, or ties = \"any\", if nothing tells their order; or give each file a \
                             `location` of its own";

/// The file that the events of each location come from.
#[derive(Default)]
struct FilesOfLocations(Vec<Option<u32>>);

impl FilesOfLocations {
    /// Whether the events of a location come from one file so far.
    fn has_one(&mut self, location: usize, file: impl FnOnce() -> u32) -> bool {
        if self.0.len() <= location {
            self.0.resize(location + 1, None);
        }
        let file = file();
        *self.0[location].get_or_insert(file) == file
    }
}

/// The number of a file and a place in it.
type Stand = (u32, RecordPlace);

type PlacedOrder = (Stand, Option<OrderKey>);

/// Where the records of a session stand, and their orders.
fn placed_orders(grouped: &Grouped) -> impl Iterator<Item = PlacedOrder> {
    let events = grouped.records().map(|(_, content)| read(content));
    events.map(|it| ((it.file, it.place), it.order))
}

fn session_id(grouped: &Grouped) -> Cow<'_, str> {
    String::from_utf8_lossy(grouped.key())
}

/// Removes all events of a session, and names it.
fn clear(session: &mut Session, grouped: &Grouped, alphabet: &Alphabet) {
    session.id.clear();
    session.id.push_str(&session_id(grouped));
    session.unknown.clear();
    session.foreign.clear();
    session.trace.resize_with(alphabet.locations().len(), Vec::new);
    session.trace.iter_mut().for_each(Vec::clear);
}

/// Puts events into an empty session.
fn fill(
    session: &mut Session,
    known: &mut [Vec<LocatedEvent>],
    foreign: &mut IndexMap<String, Vec<LocatedEvent>>,
) {
    for (location, items) in known.iter_mut().enumerate() {
        let trace = &mut session.trace[location];
        for (index, item) in items.iter_mut().enumerate() {
            trace.push(item.letter);
            if let Some(text) = item.text.take() {
                session.unknown.push(UnknownEvent { location, index, text });
            }
        }
    }
    let trace = |(location, items): (&String, &mut Vec<LocatedEvent>)| ForeignTrace {
        location: location.clone(),
        events: items.iter_mut().map(|item| item.text.take().unwrap_or_default()).collect(),
    };
    session.foreign = foreign.iter_mut().map(trace).collect();
}

impl AssembledPlaces<'_> {
    fn located(&self) -> &LocatedEvents {
        self.located.get_or_init(|| {
            let (grouped, session) = (self.grouped, &mut Session::default());
            // It was put together before, so that nothing is wrong.
            self.assembler.assemble_located(grouped, self.alphabet, session).unwrap_or_default()
        })
    }

    fn located_at(&self, location: usize, index: usize) -> Option<&LocatedEvent> {
        self.located().events.get(location)?.get(index)
    }
}

impl Places for AssembledPlaces<'_> {
    fn session(&self) -> Option<Place> {
        let first = self.located().events.iter().flatten().map(|event| event.place).min()?;
        Some(self.assembler.place(first))
    }

    fn event(&self, location: usize, index: usize) -> Option<Place> {
        Some(self.assembler.place(self.located_at(location, index)?.place))
    }

    fn is_line(&self, location: usize, index: usize) -> bool {
        self.located_at(location, index).is_some_and(|event| event.place.1.unit == Unit::Line)
    }

    fn order(&self, location: usize, index: usize) -> Option<EventOrder> {
        let event = self.located_at(location, index)?;
        if self.located().is_in_file_order {
            return Some(EventOrder { is_time: false, value: event.before.into() });
        }
        if self.located().is_turned {
            return None;
        }
        self.located().orders.get(event.order? as usize).copied().map(OrderKey::event_order)
    }

    fn machine(&self, lifeline: &str) -> Option<&str> {
        if !self.assembler.mapping.has_roles() {
            return None;
        }
        let machine = self.located().machines.get(lifeline)?.as_deref();
        machine.filter(|it| *it != lifeline)
    }
}
