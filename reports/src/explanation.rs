//! One session explained: per location its events, how far they are explained, where it goes
//! wrong and what was expected there.

use multitrace_formats::place::{Place, Places};
use multitrace_formats::shorten::shorten;
use multitrace_interaction::{
    Alphabet, Cause, Frontier, Id, InconclusiveReason, LetterId, LocalFailure, LocationId, Session,
    Verdict,
};
use serde::Serialize;

/// How much of a session is shown. What is left out is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Events before and after the one that is wrong.
    pub context: usize,
    /// Locations; those that are to blame come first.
    pub locations: usize,
    /// Events that were expected, for each location.
    pub expected: usize,
    /// Characters of a name.
    pub characters: usize,
}

impl View {
    /// For one session among many: what fits a screen, and keeps a report of 1,000 groups small.
    pub const EXCERPT: View = View { context: 5, locations: 20, expected: 20, characters: 200 };
    /// Everything.
    pub const WHOLE: View = View {
        context: usize::MAX,
        locations: usize::MAX,
        expected: usize::MAX,
        characters: usize::MAX,
    };

    fn list(&self, names: &[String]) -> Expected {
        let shown = &names[..names.len().min(self.expected)];
        let events = shown.iter().map(|name| self.name(name)).collect();
        Expected { events, omitted: names.len() - shown.len() }
    }

    pub(crate) fn name(&self, name: &str) -> String {
        shorten(name, self.characters).into_owned()
    }
}

/// One session, as far as a [`View`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_locations: usize,
    /// False when the search for the furthest interleaving was cut.
    pub complete: bool,
}

/// The log of one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocationExplanation {
    /// The location by name.
    pub location: String,
    /// How many events its log has.
    pub length: usize,
    /// How many of them are explained; `None` where that was not looked for.
    pub explained: Option<usize>,
    /// Whether it is here that the session goes wrong.
    pub blamed: bool,
    /// What was possible after those that are explained.
    #[serde(flatten)]
    pub expected: Expected,
    /// Events before the first one shown.
    pub before: usize,
    /// The events that are shown.
    pub log: Vec<EventExplanation>,
    /// Events after the last one shown.
    pub after: usize,
}

/// Names of events that were possible somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expected {
    /// The names, sorted.
    #[serde(rename = "expected")]
    pub events: Vec<String>,
    /// Names that are not shown.
    #[serde(rename = "expected_omitted", skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// One event of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventState {
    /// Part of what is explained.
    Explained,
    /// The first that is not.
    Blocked,
    /// After that.
    NotReached,
    /// Not looked at.
    NotExamined,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What is known of one location of a session.
#[derive(Clone, Copy, Default)]
struct LocationBlame<'a> {
    explained: Option<usize>,
    blamed: bool,
    expected: &'a [String],
}

impl Explanation {
    /// Explains a verdict on a session over an alphabet.
    ///
    /// # Panics
    /// When the session is not over this alphabet.
    pub fn new(
        session: &Session,
        verdict: &Verdict,
        alphabet: &Alphabet,
        places: &dyn Places,
        view: &View,
    ) -> Explanation {
        let count = session.trace.len() + session.foreign.len();
        let blames: Vec<LocationBlame<'_>> =
            (0..count).map(|at| blame(verdict, name(session, alphabet, at))).collect();
        let shown = shown(&blames, view.locations);
        let log = ShownLog { session, alphabet, places, view };
        Explanation {
            session: view.name(&session.id),
            place: places.session(),
            events: session.event_count(),
            explained: frontier(verdict).map(explained),
            omitted_locations: count - shown.len(),
            locations: shown.iter().map(|&at| log.explain(at, blames[at])).collect(),
            complete: frontier(verdict).is_none_or(|frontier| frontier.complete),
        }
    }

    /// The locations where the session goes wrong.
    pub fn blamed(&self) -> impl Iterator<Item = &LocationExplanation> {
        self.locations.iter().filter(|location| location.blamed)
    }

    /// The place to point at: that of the first event that is wrong, else of the session.
    pub fn points_at(&self) -> Option<&Place> {
        let blocked = self.blamed().find_map(|location| location.points_at());
        blocked.or(self.place.as_ref())
    }
}

impl LocationExplanation {
    /// The event that is wrong; `None` where the log ended.
    pub fn blocked(&self) -> Option<&EventExplanation> {
        self.log.iter().find(|event| event.state == EventState::Blocked)
    }

    /// The place of the event that is wrong, or of the last one before the end.
    fn points_at(&self) -> Option<&Place> {
        self.blocked().or(self.log.last())?.place.as_ref()
    }
}

/// The places of those shown: all, or as many as may be, those to blame before the others.
fn shown(blames: &[LocationBlame<'_>], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..blames.len()).collect();
    order.sort_by_key(|&at| !blames[at].blamed);
    order.truncate(most);
    order.sort_unstable();
    order
}

fn name<'a>(session: &'a Session, alphabet: &'a Alphabet, at: usize) -> &'a str {
    match at.checked_sub(session.trace.len()) {
        None => alphabet.location_name(LocationId::new(at)),
        Some(foreign) => &session.foreign[foreign].location,
    }
}

/// What a verdict says of a location.
fn blame<'a>(verdict: &'a Verdict, location: &str) -> LocationBlame<'a> {
    match verdict {
        Verdict::Fail(Cause::Local(failure)) => local(failure, location),
        Verdict::Inconclusive(InconclusiveReason::Partial(absent)) => {
            let blamed = absent.iter().any(|name| name == location);
            LocationBlame { blamed, ..LocationBlame::default() }
        }
        _ => {
            frontier(verdict).map_or_else(LocationBlame::default, |frontier| of(frontier, location))
        }
    }
}

fn frontier(verdict: &Verdict) -> Option<&Frontier> {
    match verdict {
        Verdict::Fail(Cause::Inter(frontier) | Cause::Central(frontier)) => Some(frontier),
        _ => None,
    }
}

fn explained(frontier: &Frontier) -> usize {
    frontier.locations.iter().map(|entry| entry.explained).sum()
}

fn local<'a>(failure: &'a LocalFailure, location: &str) -> LocationBlame<'a> {
    if failure.location != location {
        return LocationBlame::default();
    }
    LocationBlame { explained: Some(failure.index), blamed: true, expected: &failure.expected }
}

fn of<'a>(frontier: &'a Frontier, location: &str) -> LocationBlame<'a> {
    let entry = frontier.locations.iter().find(|entry| entry.location == location);
    // When every event is read, what is missing is whatever could go on.
    let all_read = frontier.locations.iter().all(|entry| entry.event.is_none());
    entry.map_or_else(LocationBlame::default, |entry| LocationBlame {
        explained: Some(entry.explained),
        blamed: entry.event.is_some() || (all_read && !entry.expected.is_empty()),
        expected: &entry.expected,
    })
}

/// A session that is being explained.
struct ShownLog<'a> {
    session: &'a Session,
    alphabet: &'a Alphabet,
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

    fn explain(&self, at: usize, blame: LocationBlame<'_>) -> LocationExplanation {
        let length = self.length(at);
        let middle = blame.explained.unwrap_or(0);
        let start = middle.saturating_sub(self.view.context);
        let end = middle.saturating_add(self.view.context).saturating_add(1).min(length);
        let explain = |index| EventExplanation {
            index,
            event: self.view.name(self.event(at, index)),
            state: state(index, blame),
            place: self.places.event(at, index),
        };
        LocationExplanation {
            location: self.view.name(name(self.session, self.alphabet, at)),
            length,
            explained: blame.explained,
            blamed: blame.blamed,
            expected: self.view.list(blame.expected),
            before: start,
            log: (start..end).map(explain).collect(),
            after: length - end,
        }
    }
}

fn state(index: usize, blame: LocationBlame<'_>) -> EventState {
    match blame.explained {
        None => EventState::NotExamined,
        Some(explained) if index < explained => EventState::Explained,
        Some(explained) if index == explained => EventState::Blocked,
        Some(_) => EventState::NotReached,
    }
}
