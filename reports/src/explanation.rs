//! One session explained: per location its events, how far they are explained, every place where it goes wrong, and the
//! events expected there.

use crate::codes::Code;
use crate::finding::Finding;
use crate::frontier_view::{FrontierRow, FrontierView};
use crate::session_names::SessionNames;
use crate::view::{Expected, View, is_zero};
use multitrace_formats::place::{Place, Places};
use multitrace_interaction::{Id, LocationId};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// One session, as far as a [`View`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The name of the session in the input.
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
    /// How many of them are explained: in the longest explanation of all logs, else before the first that is wrong. `None`
    /// where that was not looked for.
    pub explained: Option<usize>,
    /// Whether it is here that the session goes wrong.
    pub blamed: bool,
    /// The events that were possible after those that are explained.
    #[serde(flatten)]
    pub expected: Expected,
    /// The errors of this log, in its order; the first ones of very many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// How many more are wrong here, behind those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_marks: usize,
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
    /// The kind of finding.
    pub code: Code,
    /// The index of the event, from 0; the length of the log at its end.
    pub index: usize,
    /// The event; `None` at the end of the log.
    pub event: Option<String>,
    /// The events that were possible there.
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
    /// Whether it is explained, blocked or not reached.
    pub state: EventState,
    /// Where it was read, where that is known of single events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// The state of an event in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventState {
    /// Part of the events that are explained.
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
    /// Explains the findings of a session, and the evidence for them.
    ///
    /// # Panics
    /// When the session is not over the alphabet of its names, or the findings are not its own.
    pub fn new(
        names: &SessionNames<'_>,
        (findings, evidence): (&[Finding], &[Finding]),
        places: &dyn Places,
        view: &View,
    ) -> Explanation {
        let findings = FindingsByLocation::new(findings, evidence);
        let blames: Vec<LocationBlame<'_>> =
            names.locations().map(|location| findings.blame(location, names)).collect();
        let shown = shown(&blames, view.locations);
        let log = ShownLog { names, places, view };
        let mut frontiers =
            findings.of_all.iter().filter_map(|finding| finding.frontier.as_deref());
        let frontier = frontiers.find(|it| !it.locations.is_empty());
        let explain = |&at: &usize| log.explain(LocationId::new(at), &blames[at]);
        Explanation {
            session: view.name(&names.session.id),
            place: places.session(),
            events: names.session.event_count(),
            explained: frontier.map(explained),
            omitted_locations: blames.len() - shown.len(),
            locations: shown.iter().map(explain).collect(),
            complete: frontier.is_none_or(|frontier| frontier.complete),
        }
    }
}

impl LocationExplanation {
    /// The finding at an event.
    pub fn mark(&self, index: usize) -> Option<&Mark> {
        let first = self.marks.partition_point(|mark| mark.index < index);
        self.marks.get(first).filter(|mark| mark.index == index)
    }
}

/// The place to point at for a finding of a session: that of the event to look at, else that of the session.
pub fn place_of(finding: &Finding, places: &dyn Places) -> Option<Place> {
    let event =
        finding.event_at.and_then(|(location, index)| places.event(location.index(), index));
    event.or_else(|| places.session())
}

/// The indices of the locations to show, at most `most`; those to blame come first.
fn shown(blames: &[LocationBlame<'_>], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..blames.len()).collect();
    order.sort_by_key(|&at| !blames[at].is_blamed());
    order.truncate(most);
    order.sort_unstable();
    order
}

fn explained(frontier: &FrontierView) -> usize {
    frontier.locations.iter().map(|row| row.explained).sum()
}

/// The findings of a session, to be looked up by location.
struct FindingsByLocation<'a> {
    /// With the code of the fault that an item of evidence belongs to.
    by_location: HashMap<LocationId, Vec<(Code, &'a Finding)>>,
    /// Those that concern several locations.
    of_all: Vec<&'a Finding>,
    has_faults: bool,
}

impl<'a> FindingsByLocation<'a> {
    fn new(findings: &'a [Finding], evidence: &'a [Finding]) -> FindingsByLocation<'a> {
        let (mut by_location, mut of_all) = (HashMap::<_, Vec<_>>::new(), Vec::new());
        let faults = || findings.iter().filter(|it| it.fault.is_some());
        let has_faults = faults().next().is_some();
        // A log that ends because of a fault elsewhere is not marked: the fault says how many events depend on it.
        fn ends(finding: &Finding) -> Option<&String> {
            finding.location.as_ref().filter(|_| finding.is_stop())
        }
        let stopped: HashSet<&String> = faults().filter_map(ends).collect();
        let is_told = |it: &&Finding| {
            !has_faults || ends(it).is_none_or(|location| stopped.contains(location))
        };
        // An event that is impossible where it stands may be right: another one should have come before it. Then it is not
        // marked, and else it says more of its fault.
        let mut touching: HashMap<(LocationId, usize), Code> = HashMap::new();
        for fault in faults() {
            fault.touched.iter().for_each(|&at| _ = touching.entry(at).or_insert(fault.code));
        }
        let code = |finding: &Finding| match finding.event_at {
            Some(at) if has_faults && finding.code == Code::ImpossibleEvent => {
                touching.get(&at).copied()
            }
            _ => Some(finding.code),
        };
        for finding in evidence.iter().filter(is_told).chain(faults()) {
            let Some(code) = code(finding) else { continue };
            match finding.event_at {
                Some((location, _)) if finding.location.is_some() => {
                    by_location.entry(location).or_default().push((code, finding));
                }
                _ => of_all.push(finding),
            }
        }
        FindingsByLocation { by_location, of_all, has_faults }
    }

    /// Collects the findings of a location.
    fn blame(&self, location: LocationId, names: &SessionNames<'_>) -> LocationBlame<'a> {
        let (mut blame, mut marked) = (LocationBlame::default(), HashSet::new());
        for &(code, finding) in self.by_location.get(&location).into_iter().flatten() {
            let index = finding.index.unwrap_or(0);
            // Evidence comes first, and says more of an event than the fault does.
            if marked.insert(index) || finding.fault.is_none() {
                blame.marks.push((index, code, &finding.expected));
            }
        }
        for finding in &self.of_all {
            blame.add(finding, location, (names, self.has_faults));
        }
        // One event may be impossible alone and in the way of the others.
        blame.marks.sort_by_key(|(index, code, _)| (*index, *code));
        blame.marks.dedup_by_key(|(index, code, _)| (*index, *code));
        if let Some(&(index, _, expected)) = blame.marks.first() {
            // A fault may be at an event that an explanation of all logs reads: it is what the others wait for.
            blame.explained.get_or_insert(index);
            blame.expected = expected;
        }
        blame
    }
}

impl<'a> LocationBlame<'a> {
    /// Adds how far a finding of several locations explains this one. Its marks are where the logs are stuck; where faults
    /// are known, these are marked instead, and the rest waits for them.
    fn add(
        &mut self,
        finding: &'a Finding,
        location: LocationId,
        (names, has_faults): (&SessionNames<'_>, bool),
    ) {
        let is_absent = |name: &String| name == names.location(location);
        self.is_silent |= finding.absent.iter().any(is_absent);
        let Some(frontier) = &finding.frontier else { return };
        // A frontier has a row for each location of the alphabet, in their order.
        let Some(row) = frontier.locations.get(location.index()) else { return };
        self.explained = Some(row.index);
        if has_faults {
            return;
        }
        self.expected = &row.expected;
        let is_here = |blocked: &FrontierRow| std::ptr::eq(blocked, row);
        if frontier.blocked().any(is_here) {
            self.marks.push((row.index, finding.code, self.expected));
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
    names: &'a SessionNames<'a>,
    places: &'a dyn Places,
    view: &'a View,
}

impl ShownLog<'_> {
    fn explain(&self, at: LocationId, blame: &LocationBlame<'_>) -> LocationExplanation {
        let length = self.names.length(at);
        let indices = self.shown_indices(length, blame);
        let event = |index| self.names.event(at, index).map(|event| self.view.name(event));
        let explain = |index| EventExplanation {
            index,
            event: event(index).unwrap_or_default(),
            // Lists of findings have a limit; unknown events are marked all the same.
            state: blame.state(index, self.names.is_unknown(at, index)),
            place: self.places.event(at.index(), index),
        };
        let mark = |&(index, code, expected): &(usize, Code, &[String])| Mark {
            code,
            index,
            event: event(index),
            expected: self.view.list(expected),
        };
        LocationExplanation {
            location: self.view.name(self.names.location(at)),
            length,
            explained: blame.explained.map(|end| self.names.known(at, end)),
            blamed: blame.is_blamed(),
            expected: self.view.list(blame.expected),
            marks: self.shown_marks(blame).iter().map(mark).collect(),
            omitted_marks: blame.marks.len() - self.shown_marks(blame).len(),
            before: indices.first().copied().unwrap_or(0),
            after: length - indices.last().map_or(0, |last| last + 1),
            log: indices.into_iter().map(explain).collect(),
        }
    }

    fn shown_marks<'b, 'f>(
        &self,
        blame: &'b LocationBlame<'f>,
    ) -> &'b [(usize, Code, &'f [String])] {
        &blame.marks[..blame.marks.len().min(self.view.marks)]
    }

    /// The indices of the events around everything that is wrong, else around the first that is not
    /// explained.
    fn shown_indices(&self, length: usize, blame: &LocationBlame<'_>) -> Vec<usize> {
        let context = self.view.context;
        let middle = [blame.explained.unwrap_or(0)];
        let marks: Vec<usize> = self.shown_marks(blame).iter().map(|(index, ..)| *index).collect();
        let mut shown = Vec::new();
        for &mark in if marks.is_empty() { &middle[..] } else { &marks } {
            let next = shown.last().map_or(0, |last| last + 1);
            let end = mark.saturating_add(context).saturating_add(1).min(length);
            shown.extend(mark.saturating_sub(context).max(next)..end);
        }
        shown
    }
}
