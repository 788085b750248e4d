//! One JSON document: the specification and inputs, the summary, the groups.

use crate::baseline::Known;
use crate::codes::Code;
use crate::explanation::Explanation;
use crate::groups::{FindingGroup, Fingerprint, Member, Rest};
use crate::json_text::write_pretty;
use crate::repair_view::RepairView;
use crate::run_report::{InputError, MissingShards, ReportedGroup, RunReport, Standing};
use crate::summary::FullSummary;
use crate::view::is_zero;
use serde::Serialize;
use std::cmp::Reverse;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    tool: Tool<'a>,
    specification: &'a str,
    observation: &'a str,
    summary: FullSummary<'a>,
    groups: Vec<GroupObject<'a>>,
    rest: Rest,
    errors: &'a [InputError],
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_shards: Option<&'a MissingShards>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    baseline_absent: Vec<AbsentObject<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct GroupObject<'a> {
    fingerprint: Fingerprint,
    code: Code,
    title: String,
    standing: Standing,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    count: u64,
    /// Where in their logs, those of most sessions first.
    places: Vec<PlaceObject<'a>>,
    /// Places that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    places_omitted: usize,
    /// How many of its places the baseline has.
    #[serde(skip_serializing_if = "is_zero")]
    known_places: usize,
    sessions: &'a [Member],
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u64>,
    example: &'a Explanation,
    /// Everything that went wrong in the example.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<&'a RepairView>,
}

#[derive(Serialize)]
struct PlaceObject<'a> {
    fingerprint: Fingerprint,
    title: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct FaultLine<'a> {
    code: Code,
    sentence: &'a str,
}

/// Places of a group that are listed; a report has up to 1,000 groups.
const LISTED_PLACES: usize = 20;

#[derive(Serialize)]
struct AbsentObject<'a> {
    fingerprint: Fingerprint,
    #[serde(flatten)]
    known: &'a Known,
}

impl<'a> GroupObject<'a> {
    fn new(report: &RunReport, reported: &'a ReportedGroup) -> GroupObject<'a> {
        let group = &reported.group;
        GroupObject {
            fingerprint: reported.fingerprint,
            code: group.finding.code,
            title: report.spelled(&group.finding.title()),
            standing: reported.standing,
            verdict: group.verdict,
            location: group.finding.location.as_deref(),
            event: group.finding.event.as_deref(),
            other: group.finding.fault.as_ref().and_then(|it| it.other.as_deref()),
            count: group.count,
            places_omitted: group.places.len().saturating_sub(LISTED_PLACES),
            places: places(group),
            known_places: reported.known_places,
            sessions: &group.members,
            distance: group.distance,
            example: &group.example,
            faults: group
                .faults
                .iter()
                .map(|(code, sentence)| FaultLine { code: *code, sentence })
                .collect(),
            repair: group.repair.as_ref(),
        }
    }
}

/// The places of a group that have most sessions.
fn places(group: &FindingGroup) -> Vec<PlaceObject<'_>> {
    let all = group.places.iter();
    let mut all: Vec<PlaceObject<'_>> = all
        .map(|(&fingerprint, it)| PlaceObject { fingerprint, title: &it.title, count: it.count })
        .collect();
    all.sort_by_key(|it| Reverse(it.count));
    all.truncate(LISTED_PLACES);
    all
}

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let absent = report.absent.iter();
    let document = Document {
        kind: "report",
        version: 2,
        tool: Tool { name: "multitrace", version: &report.version },
        specification: &report.specification,
        observation: report.observation,
        summary: report.full_summary(),
        groups: report.groups.iter().map(|it| GroupObject::new(report, it)).collect(),
        rest: report.rest,
        errors: &report.errors,
        missing_shards: report.missing_shards.as_ref(),
        baseline_absent: absent
            .map(|(fingerprint, known)| AbsentObject { fingerprint: *fingerprint, known })
            .collect(),
    };
    write_pretty(&mut *out, &document)?;
    writeln!(out)
}
