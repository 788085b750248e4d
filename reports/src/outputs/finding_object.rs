//! Findings as JSON, the same in every output that lists them.

use crate::codes::Code;
use crate::finding::{Finding, listed};
use crate::fingerprint::Fingerprint;
use multitrace_formats::place::Place;
use multitrace_formats::remedy::Words;
use multitrace_interaction::{CycleEvent, Frontier, FrontierEntry};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct FindingObject<'a> {
    code: Code,
    location: Option<&'a str>,
    index: Option<usize>,
    event: Option<&'a str>,
    expected: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier: Option<Vec<FrontierObject<'a>>>,
    /// Present and false if the search for the furthest interleaving was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier_complete: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<CycleObject<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    absent: &'a [String],
    #[serde(flatten)]
    cut: Option<CutObject<'a>>,
    fingerprint: Fingerprint,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct FrontierObject<'a> {
    location: &'a str,
    explained: usize,
    index: usize,
    length: usize,
    event: Option<&'a str>,
    expected: &'a [String],
}

/// One of several events that would have to come before each other.
#[derive(Serialize)]
pub(super) struct CycleObject<'a> {
    location: &'a str,
    index: usize,
    event: &'a str,
}

/// How far a search got that was cut, and what to try next.
#[derive(Serialize)]
pub(super) struct CutObject<'a> {
    reached: Vec<ReachedObject<'a>>,
    r#try: String,
}

#[derive(Serialize)]
struct ReachedObject<'a> {
    location: &'a str,
    read: usize,
    length: usize,
}

/// The fields of a finding that the search was cut; `None` for all others.
pub(super) fn cut(finding: &Finding, words: Words) -> Option<CutObject<'_>> {
    let cut = finding.cut.as_ref()?;
    let reached = cut.reached.iter();
    let reached = reached.map(|it| ReachedObject {
        location: &it.location,
        read: it.read,
        length: it.length,
    });
    Some(CutObject { reached: reached.collect(), r#try: words.text(&cut.remedy()).into_owned() })
}

impl<'a> From<&'a FrontierEntry> for FrontierObject<'a> {
    fn from(entry: &'a FrontierEntry) -> Self {
        FrontierObject {
            location: &entry.location,
            explained: entry.explained,
            index: entry.index,
            length: entry.length,
            event: entry.event.as_deref(),
            expected: &entry.expected,
        }
    }
}

impl<'a> From<&'a CycleEvent> for CycleObject<'a> {
    fn from(it: &'a CycleEvent) -> Self {
        CycleObject { location: &it.location, index: it.index, event: &it.event }
    }
}

/// The entries of a frontier.
pub(super) fn frontier(frontier: &Frontier) -> Vec<FrontierObject<'_>> {
    frontier.locations.iter().map(FrontierObject::from).collect()
}

/// Events that would have to come before each other.
pub(super) fn cycle(frontier: &Frontier) -> Vec<CycleObject<'_>> {
    frontier.cycle.iter().map(CycleObject::from).collect()
}

/// The findings that lists show. `places` are those of all findings, empty if no single event has one.
pub(super) fn list<'a>(
    findings: &'a [Finding],
    places: &'a [Option<Place>],
    words: Words,
) -> Vec<FindingObject<'a>> {
    let place = |at: usize| places.get(at).and_then(Option::as_ref);
    listed(findings).map(|(at, finding)| object(finding, place(at), words)).collect()
}

fn object<'a>(finding: &'a Finding, place: Option<&'a Place>, words: Words) -> FindingObject<'a> {
    let complete = finding.frontier.as_ref().is_none_or(|frontier| frontier.complete);
    FindingObject {
        code: finding.code,
        location: finding.location.as_deref(),
        index: finding.index,
        event: finding.event.as_deref(),
        expected: &finding.expected,
        frontier: finding.frontier.as_ref().map(frontier),
        frontier_complete: (!complete).then_some(false),
        cycle: finding.frontier.as_ref().map_or_else(Vec::new, cycle),
        absent: &finding.absent,
        cut: cut(finding, words),
        fingerprint: finding.fingerprint,
        file: place.map(|place| &*place.file),
        line: place.and_then(|place| place.line),
    }
}
