//! From a raw multi-trace to a session over an alphabet.

use crate::htf::{Component, Header, RawEvent, RawSession};
use crate::locations::option_text;
use crate::remedy::Remedy;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use indexmap::IndexMap;
use multitrace_interaction::{
    Alphabet, ForeignTrace, Id, LetterId, LocationId, Session, UnknownEvent, names,
};
use std::borrow::Cow;

/// The session of a raw multi-trace.
pub(super) fn resolve(
    id: &str,
    raw: &RawSession<'_>,
    alphabet: &Alphabet,
) -> Result<Session, Diagnostics> {
    let headers: Vec<Names<'_>> =
        raw.components.iter().map(|component| names_of(component, alphabet)).collect();
    let mut resolver = Resolver {
        alphabet,
        components: &raw.components,
        headers: &headers,
        owners: Vec::new(),
        errors: Diagnostics::default(),
        session: Session {
            id: id.to_owned(),
            trace: vec![Vec::new(); alphabet.locations().len()],
            ..Session::default()
        },
    };
    resolver.find_owners();
    for (index, place) in resolver.places().into_iter().enumerate() {
        if let Some(place) = place {
            resolver.read_events(index, place);
        }
    }
    resolver.session.unknown.sort_by_key(|unknown| (unknown.location, unknown.index));
    resolver.errors.check(resolver.session)
}

/// The lifelines a header names, with the place of each.
type Names<'a> = Cow<'a, [(Cow<'a, str>, Span)]>;

/// The locations that a header stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderMeaning {
    /// A location of the alphabet. When the header is its name, or `[#all]`, it stands for all
    /// lifelines of it, otherwise for those it names.
    Known { location: LocationId, is_whole: bool },
    /// A location that the alphabet does not know.
    Foreign,
    /// Nothing: `[#any]` without events.
    Nothing,
}

struct Resolver<'a> {
    alphabet: &'a Alphabet,
    components: &'a [Component<'a>],
    /// Per component the lifelines of its header; none for `[#all]`.
    headers: &'a [Names<'a>],
    /// Every lifeline of a header with the index of the component, sorted.
    owners: Vec<(&'a str, usize)>,
    errors: Diagnostics,
    session: Session,
}

/// Whether headers name locations, and not lifelines: the alphabet has no lifelines.
fn names_locations(alphabet: &Alphabet) -> bool {
    alphabet.lifelines().len() == 0 && alphabet.locations().len() > 0
}

fn names_of<'a>(component: &'a Component<'_>, alphabet: &Alphabet) -> Names<'a> {
    match &component.header {
        Header::Names(names) => Cow::Borrowed(names),
        Header::All if alphabet.locations().len() > 0 => Cow::Borrowed(&[]),
        Header::Any if names_locations(alphabet) => Cow::Borrowed(&[]),
        Header::All | Header::Any => {
            let mut names = IndexMap::new();
            for event in &component.events {
                if let Some(lifeline) = event.lifeline() {
                    names.entry(lifeline).or_insert(event.span);
                }
            }
            names.into_iter().collect()
        }
    }
}

impl<'a> Resolver<'a> {
    /// Lists the lifelines of all headers, and reports those that stand there twice.
    fn find_owners(&mut self) {
        for (index, names) in self.headers.iter().enumerate() {
            self.owners.extend(names.iter().map(|(name, _)| (&**name, index)));
        }
        self.owners.sort_unstable();
        for pair in self.owners.windows(2) {
            if pair[0].0 == pair[1].0 {
                let (name, index) = pair[1];
                self.errors.push(stands_twice(name, pair[0].1 == index, &self.headers[index]));
            }
        }
    }

    /// The locations of the headers; `None` for those with an error.
    fn places(&mut self) -> Vec<Option<HeaderMeaning>> {
        let names_twice = !self.errors.is_empty();
        let mut taken: Vec<Option<usize>> = vec![None; self.session.trace.len()];
        let mut places = Vec::with_capacity(self.components.len());
        for (index, component) in self.components.iter().enumerate() {
            let place = self.place(index, component);
            if let Some(HeaderMeaning::Known { location, .. }) = place {
                match taken[location.index()] {
                    // A lifeline in two headers has been reported, and is the cause of this.
                    // Logs of unknown locations have no order.
                    Some(_) if self.alphabet.others() == Some(location) => {}
                    Some(first) if !names_twice => self.report_split(first, index, location),
                    _ => taken[location.index()] = Some(index),
                }
            }
            places.push(place);
        }
        places
    }

    fn place(&mut self, index: usize, component: &Component<'_>) -> Option<HeaderMeaning> {
        match component.header {
            Header::All if !self.session.trace.is_empty() => self.place_of_all(component),
            Header::Any | Header::All if component.events.is_empty() => {
                Some(HeaderMeaning::Nothing)
            }
            Header::Any if names_locations(self.alphabet) => self.place_of_letters(component),
            _ => self.place_of_names(index, component),
        }
    }

    /// `[#all]`
    fn place_of_all(&mut self, component: &Component<'_>) -> Option<HeaderMeaning> {
        let mut locations: Vec<LocationId> = if self.alphabet.lifelines().len() > 0 {
            self.alphabet.lifelines().map(|(_, location)| location).collect()
        } else {
            self.alphabet.locations().collect()
        };
        locations.sort_unstable();
        locations.dedup();
        if let [location] = locations[..] {
            return Some(HeaderMeaning::Known { location, is_whole: true });
        }
        let lifelines: Vec<&str> = self.alphabet.lifelines().map(|(name, _)| name).collect();
        let help = if lifelines.is_empty() {
            format!("recompile with all letters in one group of `{}`", Remedy::Locations)
        } else {
            format!("recompile with `{}`", option_text([lifelines]))
        };
        let message =
            format!("[#all] is one log, but the specification has {} locations", locations.len());
        let error = Diagnostic::new(component.header_span, message, "one log of all lifelines");
        self.errors.push(error.with_help(help));
        None
    }

    /// `[#any]` over an alphabet without lifelines: the location of its letters.
    fn place_of_letters(&mut self, component: &Component<'_>) -> Option<HeaderMeaning> {
        let letter = component.events.iter().find_map(|event| self.letter(&event.text));
        if let Some(letter) = letter {
            let location = self.alphabet.location_of(letter);
            return Some(HeaderMeaning::Known { location, is_whole: true });
        }
        let message = "no event of this log tells its location";
        let error = Diagnostic::new(component.header_span, message, "[#any] is not enough here");
        self.errors.push(error.with_help("name the location in the header"));
        None
    }

    fn place_of_names(&mut self, index: usize, component: &Component<'_>) -> Option<HeaderMeaning> {
        let names = &self.headers[index];
        if let Some(location) = self.alphabet.location(&joined(names)) {
            return Some(HeaderMeaning::Known { location, is_whole: true });
        }
        if names.is_empty() {
            let message = "no event of this log tells its location";
            let error = Diagnostic::new(component.header_span, message, "no lifeline");
            self.errors.push(error.with_help("name the lifelines of the location in the header"));
            return None;
        }
        let mut known =
            names.iter().filter_map(|(name, _)| self.alphabet.location_of_lifeline(name));
        let Some(location) = known.next() else {
            let others = self.alphabet.others();
            return Some(others.map_or(HeaderMeaning::Foreign, |location| HeaderMeaning::Known {
                location,
                is_whole: true,
            }));
        };
        if known.all(|other| other == location) {
            return Some(HeaderMeaning::Known { location, is_whole: false });
        }
        self.report_joined(index, component);
        None
    }

    /// One log of lifelines that the alphabet has at several locations.
    fn report_joined(&mut self, index: usize, component: &Component<'_>) {
        let message = format!(
            "[{}] is one log, but the specification has these lifelines at several locations",
            joined(&self.headers[index])
        );
        let groups = (0..self.headers.len()).map(|index| self.known_names(index));
        let help =
            format!("recompile with `{}`", option_text(groups.filter(|names| names.len() > 1)));
        let error = Diagnostic::new(component.header_span, message, "logged together");
        self.errors.push(error.with_help(help));
    }

    /// Several logs of lifelines that the alphabet has at one location.
    fn report_split(&mut self, first: usize, second: usize, location: LocationId) {
        let message = format!(
            "[{}] and [{}] are two logs of the one location `{}`",
            self.header_text(first),
            self.header_text(second),
            self.alphabet.location_name(location)
        );
        let is_there = |name: &&str| self.alphabet.location_of_lifeline(name) == Some(location);
        let groups: Vec<Vec<&str>> = (0..self.headers.len())
            .map(|index| self.known_names(index))
            .filter(|names| names.iter().any(is_there))
            .collect();
        let help = if groups.len() > 1 {
            format!(
                "the order between them is unknown; recompile with these lifelines in separate \
                 locations: `{}`",
                option_text(groups)
            )
        } else {
            "the order between them is unknown; merge them into one log in the order of events"
                .to_owned()
        };
        let span = self.components[second].header_span;
        self.errors.push(Diagnostic::new(span, message, "second log").with_help(help));
    }

    /// The lifelines of a header that the alphabet knows.
    fn known_names(&self, index: usize) -> Vec<&str> {
        let names = self.headers[index].iter().map(|(name, _)| &**name);
        names.filter(|name| self.alphabet.location_of_lifeline(name).is_some()).collect()
    }

    /// A header as it is written, without its brackets.
    fn header_text(&self, index: usize) -> Cow<'a, str> {
        match self.components[index].header {
            Header::All => Cow::Borrowed("#all"),
            Header::Any if self.headers[index].is_empty() => Cow::Borrowed("#any"),
            _ => joined(&self.headers[index]),
        }
    }

    fn read_events(&mut self, index: usize, place: HeaderMeaning) {
        let component = &self.components[index];
        match place {
            HeaderMeaning::Known { location, is_whole } => {
                let mut trace = std::mem::take(&mut self.session.trace[location.index()]);
                trace.reserve(component.events.len());
                for event in &component.events {
                    let letter = self.known_event(index, event, location, is_whole);
                    if letter == LetterId::UNKNOWN {
                        let text = event.text.clone().into_owned();
                        let unknown =
                            UnknownEvent { location: location.index(), index: trace.len(), text };
                        self.session.unknown.push(unknown);
                    }
                    trace.push(letter);
                }
                self.session.trace[location.index()] = trace;
            }
            HeaderMeaning::Foreign => self.read_foreign(index, component),
            HeaderMeaning::Nothing => {}
        }
    }

    /// The letter of an event at a location of the alphabet, which may be unknown.
    fn known_event(
        &mut self,
        index: usize,
        event: &RawEvent<'_>,
        location: LocationId,
        is_whole: bool,
    ) -> LetterId {
        let letter = self.letter(&event.text);
        let letter = letter.or_else(|| self.alphabet.any_letter(&event.text, location));
        let is_here = letter.is_some_and(|letter| self.alphabet.location_of(letter) == location);
        if !(is_here && is_whole) {
            let place = HeaderMeaning::Known { location, is_whole };
            let is_elsewhere = letter.is_some() && !is_here;
            if is_elsewhere || !self.belongs(index, event, place) {
                self.report_misplaced(index, event, place);
            }
        }
        letter.unwrap_or(LetterId::UNKNOWN)
    }

    fn read_foreign(&mut self, index: usize, component: &Component<'_>) {
        for event in &component.events {
            if self.letter(&event.text).is_some()
                || !self.belongs(index, event, HeaderMeaning::Foreign)
            {
                self.report_misplaced(index, event, HeaderMeaning::Foreign);
            }
        }
        let events = component.events.iter().map(|event| event.text.to_string()).collect();
        let location = joined(&self.headers[index]).into_owned();
        self.session.foreign.push(ForeignTrace { location, events });
    }

    /// Whether an event may be logged there as far as its lifeline tells.
    fn belongs(&self, index: usize, event: &RawEvent<'_>, place: HeaderMeaning) -> bool {
        let Some(lifeline) = event.lifeline() else { return true };
        let lifeline = &*lifeline;
        if let Some(at) = self.alphabet.location_of_lifeline(lifeline) {
            return match place {
                HeaderMeaning::Known { location, is_whole } => {
                    at == location && (is_whole || self.is_named(index, lifeline))
                }
                HeaderMeaning::Foreign | HeaderMeaning::Nothing => false,
            };
        }
        // Over an alphabet without lifelines headers name locations, so they tell nothing here.
        if names_locations(self.alphabet) {
            return true;
        }
        let owner = self.owners.binary_search_by_key(&lifeline, |&(name, _)| name);
        owner.is_err() || self.is_named(index, lifeline)
    }

    fn is_named(&self, index: usize, lifeline: &str) -> bool {
        self.headers[index].iter().any(|(name, _)| name == lifeline)
    }

    fn report_misplaced(&mut self, index: usize, event: &RawEvent<'_>, place: HeaderMeaning) {
        let header = self.header_text(index);
        let lifeline = event.lifeline().filter(|_| self.alphabet.lifelines().len() > 0);
        let message = match (&lifeline, place) {
            (Some(lifeline), HeaderMeaning::Known { location, .. })
                if self.alphabet.location_of_lifeline(lifeline) == Some(location) =>
            {
                format!(
                    "{} is logged at {header}, but the header does not name {lifeline}",
                    event.text
                )
            }
            (Some(lifeline), _) => {
                format!(
                    "{} is logged at {header}, but {lifeline} is not of that location",
                    event.text
                )
            }
            (None, _) => {
                format!("{} is logged at {header}, but belongs to another location", event.text)
            }
        };
        let error = Diagnostic::new(event.span, message, "logged at the wrong location");
        let help = self.home(event).map(|home| format!("it belongs to the log of {}", quote(home)));
        self.errors.push(Diagnostic { help, ..error });
    }

    /// The location where an event should be logged, if the alphabet tells.
    fn home(&self, event: &RawEvent<'_>) -> Option<&'a str> {
        let of_letter = self.letter(&event.text).map(|letter| self.alphabet.location_of(letter));
        let of_lifeline = || self.alphabet.location_of_lifeline(&event.lifeline()?);
        of_letter.or_else(of_lifeline).map(|location| self.alphabet.location_name(location))
    }

    fn letter(&self, text: &str) -> Option<LetterId> {
        self.alphabet.read_letter(text)
    }
}

/// The name of a location that consists of these lifelines.
fn joined<'a>(names: &'a [(Cow<'_, str>, Span)]) -> Cow<'a, str> {
    match names {
        [(name, _)] => names::lifeline_text(name),
        _ => Cow::Owned(names::location_text(names.iter().map(|(name, _)| &**name))),
    }
}

fn stands_twice(name: &str, in_one: bool, names: &Names<'_>) -> Diagnostic {
    // Points at the last occurrence, in this header or in another.
    let span = names.iter().rev().find(|(other, _)| other == name).map(|&(_, span)| span);
    let message = if in_one { "stands twice in one location" } else { "has two logs" };
    let message = format!("{} {message}", quote(name));
    let error = Diagnostic::new(span.unwrap_or_default(), message, "second time");
    error.with_help("each location has one log per session; put all its events into it")
}
