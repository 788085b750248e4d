//! One session explained: per location its events, how far they are explained, every place where it
//! goes wrong, and what was expected there.

use crate::codes::Code;
use crate::finding::{Blocked, Finding};
use crate::view::{Expected, View, is_zero};
use multitrace_formats::place::{Place, Places};
use multitrace_interaction::{
    Alphabet, Frontier, FrontierEntry, LetterId, Session, SessionLocations,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// One session, as far as a [`View`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// What the input calls it.
    pub session: String,
    /// Where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// How many events its logs have together.
    pub events: usize,
    /// How many of them the furthest interleaving explains, where one was looked for.
    pub explained: Option<usize>,
    /// Its locations, in order.
    pub locations: Vec<LocationExplanation>,
    /// Locations that are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_locations: usize,
    /// False when the search for the furthest interleaving was cut.
    pub complete: bool,
}

/// The log of one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationExplanation {
    /// The location by name.
    pub location: String,
    /// How many events its log has.
    pub length: usize,
    /// How many of them are explained before the first that is wrong; `None` where that was not
    /// looked for.
    pub explained: Option<usize>,
    /// Whether it is here that the session goes wrong.
    pub blamed: bool,
    /// What was possible after those that are explained.
    #[serde(flatten)]
    pub expected: Expected,
    /// Everything that is wrong here, in the order of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Events before the first one shown.
    pub before: usize,
    /// The events that are shown. Those between two of them that are not have the indices between.
    pub log: Vec<EventExplanation>,
    /// Events after the last one shown.
    pub after: usize,
}

/// A place in a log where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What is wrong.
    pub code: Code,
    /// The index of the event, from 0; the length of the log at its end.
    pub index: usize,
    /// The event; `None` at the end of the log.
    pub event: Option<String>,
    /// What was possible there.
    #[serde(flatten)]
    pub expected: Expected,
}

/// One event of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventExplanation {
    /// Its index in the log, from 0.
    pub index: usize,
    /// The event.
    pub event: String,
    /// What became of it.
    pub state: EventState,
    /// Where it was read, where that is known of single events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventState {
    /// Part of what is explained.
    Explained,
    /// Wrong where it stands, or in the way.
    Blocked,
    /// After the first wrong event.
    NotReached,
    /// Not examined.
    NotExamined,
}

/// The findings of one location, by index.
#[derive(Default)]
struct LocationBlame<'a> {
    explained: Option<usize>,
    is_silent: bool,
    expected: &'a [String],
    /// By index, each kind once.
    marks: Vec<(usize, Code, &'a [String])>,
}

impl Explanation {
    /// Explains the findings of a session over an alphabet.
    ///
    /// # Panics
    /// When the session is not over this alphabet.
    pub fn new(
        session: &Session,
        findings: &[Finding],
        alphabet: &Alphabet,
        places: &dyn Places,
        view: &View,
    ) -> Explanation {
        let locations = SessionLocations::new(session, alphabet);
        let (count, findings) = (locations.count(), FindingsByLocation::new(findings));
        let blames: Vec<LocationBlame<'_>> =
            (0..count).map(|at| findings.blame(locations.name(at))).collect();
        let shown = shown(&blames, view.locations);
        let log = ShownLog { session, alphabet, locations: &locations, places, view };
        let frontier = findings.of_all.iter().find_map(|finding| finding.frontier.as_ref());
        Explanation {
            session: view.name(&session.id),
            place: places.session(),
            events: session.event_count(),
            explained: frontier.map(explained),
            omitted_locations: count - shown.len(),
            locations: shown.iter().map(|&at| log.explain(at, &blames[at])).collect(),
            complete: frontier.is_none_or(|frontier| frontier.complete),
        }
    }
}

impl LocationExplanation {
    /// What is wrong at an event.
    pub fn mark(&self, index: usize) -> Option<&Mark> {
        let first = self.marks.partition_point(|mark| mark.index < index);
        self.marks.get(first).filter(|mark| mark.index == index)
    }
}

/// The place to point at for a finding of a session: that of the event that is wrong, of the last
/// event before an end that comes too early, of the first event that is blocked; else that of the
/// session.
pub fn place_of(
    finding: &Finding,
    locations: &SessionLocations<'_>,
    places: &dyn Places,
) -> Option<Place> {
    let (location, index) = match (&finding.location, &finding.frontier) {
        (Some(location), _) => {
            let index = finding.index.unwrap_or(0);
            (location, if finding.event.is_some() { index } else { index.saturating_sub(1) })
        }
        (None, Some(frontier)) => {
            let is_blocked = |entry: &&FrontierEntry| entry.event.is_some();
            match frontier.locations.iter().find(is_blocked) {
                Some(entry) => (&entry.location, entry.index),
                None => return places.session(),
            }
        }
        (None, None) => return places.session(),
    };
    event_place(location, index, locations, places).or_else(|| places.session())
}

/// The place of one event of a location by name, if single events have places.
pub(crate) fn event_place(
    location: &str,
    index: usize,
    locations: &SessionLocations<'_>,
    places: &dyn Places,
) -> Option<Place> {
    places.event(locations.index_of(location)?, index)
}

/// The indices of the locations to show, at most `most`; those to blame come first.
fn shown(blames: &[LocationBlame<'_>], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..blames.len()).collect();
    order.sort_by_key(|&at| !blames[at].is_blamed());
    order.truncate(most);
    order.sort_unstable();
    order
}

fn explained(frontier: &Frontier) -> usize {
    frontier.locations.iter().map(|entry| entry.explained).sum()
}

/// The findings of a session, to be looked up by location.
struct FindingsByLocation<'a> {
    by_location: HashMap<&'a str, Vec<&'a Finding>>,
    /// Those that concern several locations.
    of_all: Vec<&'a Finding>,
}

impl<'a> FindingsByLocation<'a> {
    fn new(findings: &'a [Finding]) -> FindingsByLocation<'a> {
        let (mut by_location, mut of_all) = (HashMap::<_, Vec<_>>::new(), Vec::new());
        for finding in findings {
            match &finding.location {
                Some(location) => by_location.entry(location.as_str()).or_default().push(finding),
                None => of_all.push(finding),
            }
        }
        FindingsByLocation { by_location, of_all }
    }

    /// Collects the findings of a location.
    fn blame(&self, location: &str) -> LocationBlame<'a> {
        let mut blame = LocationBlame::default();
        for finding in self.by_location.get(location).into_iter().flatten() {
            let index = finding.index.unwrap_or(0);
            blame.marks.push((index, finding.code, &finding.expected));
        }
        for finding in &self.of_all {
            blame.add(finding, location);
        }
        // One event may be impossible alone and in the way of the others.
        blame.marks.sort_by_key(|(index, code, _)| (*index, *code));
        blame.marks.dedup_by_key(|(index, code, _)| (*index, *code));
        if let Some(&(index, _, expected)) = blame.marks.first() {
            blame.explained = Some(blame.explained.map_or(index, |explained| explained.min(index)));
            blame.expected = expected;
        }
        blame
    }
}

impl<'a> LocationBlame<'a> {
    /// Adds what a finding of several locations says of this one.
    fn add(&mut self, finding: &'a Finding, location: &str) {
        self.is_silent |= finding.absent.iter().any(|name| name == location);
        let Some(frontier) = &finding.frontier else { return };
        if let Some(entry) = frontier.locations.iter().find(|entry| entry.location == location) {
            self.explained = Some(entry.index);
            self.expected = &entry.expected;
        }
        let is_here = |(blocked, _): &Blocked<'_>| *blocked == location;
        if finding.blocked().iter().any(is_here) {
            self.marks.push((self.explained.unwrap_or(0), finding.code, self.expected));
        }
    }
}

impl LocationBlame<'_> {
    fn is_blamed(&self) -> bool {
        self.is_silent || !self.marks.is_empty()
    }

    fn state(&self, index: usize, is_unknown: bool) -> EventState {
        match self.explained {
            _ if is_unknown => EventState::Blocked,
            None => EventState::NotExamined,
            Some(_) if self.marks.binary_search_by_key(&index, |(at, ..)| *at).is_ok() => {
                EventState::Blocked
            }
            Some(explained) if index < explained => EventState::Explained,
            Some(_) => EventState::NotReached,
        }
    }
}

/// A session that is being explained.
struct ShownLog<'a> {
    session: &'a Session,
    alphabet: &'a Alphabet,
    locations: &'a SessionLocations<'a>,
    places: &'a dyn Places,
    view: &'a View,
}

impl ShownLog<'_> {
    fn length(&self, at: usize) -> usize {
        match at.checked_sub(self.session.trace.len()) {
            None => self.session.trace[at].len(),
            Some(foreign) => self.session.foreign[foreign].events.len(),
        }
    }

    fn event(&self, at: usize, index: usize) -> &str {
        match at.checked_sub(self.session.trace.len()) {
            None => match self.session.trace[at][index] {
                LetterId::UNKNOWN => self.session.unknown_text(at, index).unwrap_or("?"),
                letter => self.alphabet.letter_name(letter),
            },
            Some(foreign) => &self.session.foreign[foreign].events[index],
        }
    }

    fn is_unknown(&self, at: usize, index: usize) -> bool {
        self.session.trace.get(at).is_none_or(|local| local[index] == LetterId::UNKNOWN)
    }

    fn explain(&self, at: usize, blame: &LocationBlame<'_>) -> LocationExplanation {
        let length = self.length(at);
        let indices = self.shown_indices(length, blame);
        let explain = |index| EventExplanation {
            index,
            event: self.view.name(self.event(at, index)),
            // Lists of findings have a limit; what the specification does not know is marked all the same.
            state: blame.state(index, self.is_unknown(at, index)),
            place: self.places.event(at, index),
        };
        let mark = |&(index, code, expected): &(usize, Code, &[String])| Mark {
            code,
            index,
            event: (index < length).then(|| self.view.name(self.event(at, index))),
            expected: self.view.list(expected),
        };
        LocationExplanation {
            location: self.view.name(self.locations.name(at)),
            length,
            explained: blame.explained,
            blamed: blame.is_blamed(),
            expected: self.view.list(blame.expected),
            marks: blame.marks.iter().map(mark).collect(),
            before: indices.first().copied().unwrap_or(0),
            after: length - indices.last().map_or(0, |last| last + 1),
            log: indices.into_iter().map(explain).collect(),
        }
    }

    /// The indices of the events around everything that is wrong, else around the first that is not
    /// explained.
    fn shown_indices(&self, length: usize, blame: &LocationBlame<'_>) -> Vec<usize> {
        let context = self.view.context;
        let middle = [blame.explained.unwrap_or(0)];
        let marks: Vec<usize> = blame.marks.iter().map(|(index, ..)| *index).collect();
        let mut shown = Vec::new();
        for &mark in if marks.is_empty() { &middle[..] } else { &marks } {
            let next = shown.last().map_or(0, |last| last + 1);
            let end = mark.saturating_add(context).saturating_add(1).min(length);
            shown.extend(mark.saturating_sub(context).max(next)..end);
        }
        shown
    }
}
