//! Findings and faults as JSON, the same in every output that lists them.

use crate::codes::Code;
use crate::finding::{Finding, listed};
use crate::fingerprint::Fingerprint;
use crate::frontier_view::{FrontierRow, NamedEvent, ReachedRow};
use multitrace_formats::place::Place;
use multitrace_formats::remedy::Words;
use serde::Serialize;
use std::collections::BTreeMap;

/// The code, place and event of a finding.
#[derive(Serialize)]
struct About<'a> {
    code: Code,
    location: Option<&'a str>,
    index: Option<usize>,
    event: Option<&'a str>,
}

/// The fingerprints of a finding, and where it is.
#[derive(Serialize)]
struct Keys<'a> {
    kind: Fingerprint,
    place: Fingerprint,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<usize>,
}

impl<'a> About<'a> {
    fn of(finding: &'a Finding) -> About<'a> {
        About {
            code: finding.code,
            location: finding.location.as_deref(),
            index: finding.index,
            event: finding.event.as_deref(),
        }
    }
}

impl<'a> Keys<'a> {
    fn of(finding: &Finding, place: Option<&'a Place>) -> Keys<'a> {
        Keys {
            kind: finding.kind,
            place: finding.place,
            file: place.map(|place| &*place.file),
            line: place.and_then(|place| place.line),
            record: place.and_then(|place| place.record),
        }
    }
}

#[derive(Serialize)]
pub(super) struct FindingObject<'a> {
    #[serde(flatten)]
    about: About<'a>,
    expected: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier: Option<&'a [FrontierRow]>,
    /// Present and false if the search for the furthest interleaving was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier_complete: Option<bool>,
    #[serde(skip_serializing_if = "<[NamedEvent]>::is_empty")]
    cycle: &'a [NamedEvent],
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    absent: &'a [String],
    #[serde(flatten)]
    cut: Option<CutObject<'a>>,
    #[serde(flatten)]
    keys: Keys<'a>,
}

/// How far a search got that was cut, and the next budget to try.
#[derive(Serialize)]
pub(super) struct CutObject<'a> {
    reached: &'a [ReachedRow],
    r#try: String,
}

/// The fields of a finding that the search was cut; `None` for all others.
pub(super) fn cut(finding: &Finding, words: Words) -> Option<CutObject<'_>> {
    let cut = finding.cut.as_ref()?;
    Some(CutObject { reached: &cut.reached, r#try: words.text(&cut.remedy()).into_owned() })
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
    let frontier = finding.frontier.as_ref();
    FindingObject {
        about: About::of(finding),
        expected: &finding.expected,
        frontier: frontier.map(|frontier| &frontier.locations[..]),
        frontier_complete: frontier.filter(|frontier| !frontier.complete).map(|_| false),
        cycle: frontier.map_or(&[], |frontier| &frontier.cycle),
        balance: finding.balance(),
        absent: &finding.absent,
        cut: cut(finding, words),
        keys: Keys::of(finding, place),
    }
}

/// A fault, or an item of evidence of a session without exact repair, which stands for one.
#[derive(Serialize)]
pub(super) struct FaultObject<'a> {
    #[serde(flatten)]
    about: About<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    after: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    under: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machines: Option<&'a BTreeMap<String, String>>,
    consequences: usize,
    /// Present and false if it is an item of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    sentence: String,
    #[serde(flatten)]
    keys: Keys<'a>,
}

/// The faults that lists show. `places` are those of all faults, empty if no single event has one.
pub(super) fn faults<'a>(
    findings: &'a [Finding],
    places: &'a [Option<Place>],
    words: Words,
) -> Vec<FaultObject<'a>> {
    let place = |at: usize| places.get(at).and_then(Option::as_ref);
    listed(findings).map(|(at, finding)| fault(finding, place(at), words)).collect()
}

fn fault<'a>(finding: &'a Finding, place: Option<&'a Place>, words: Words) -> FaultObject<'a> {
    let detail = finding.fault.as_ref();
    FaultObject {
        about: About::of(finding),
        other: detail.and_then(|it| it.other.as_deref()),
        after: detail.and_then(|it| it.after.as_deref()),
        under: detail.and_then(|it| it.under),
        machines: detail.map(|it| &it.machines).filter(|it| !it.is_empty()),
        consequences: detail.map_or(0, |it| it.consequences),
        exact: detail.is_none().then_some(false),
        sentence: words.text(&finding.title()).into_owned(),
        keys: Keys::of(finding, place),
    }
}
