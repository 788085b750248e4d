//! One JSON document: what was checked, the summary, the groups.

use crate::baseline::Known;
use crate::codes::Code;
use crate::explanation::Explanation;
use crate::groups::{Fingerprint, Member, Rest};
use crate::json_text::write_pretty;
use crate::repair_view::RepairView;
use crate::run_report::{InputError, MissingShards, ReportedGroup, RunReport, Standing};
use crate::summary::FullSummary;
use serde::Serialize;
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
    cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    count: u64,
    sessions: &'a [Member],
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u64>,
    example: &'a Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<&'a RepairView>,
}

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
            cause: group.cause(),
            location: group.finding.location.as_deref(),
            event: group.finding.event.as_deref(),
            count: group.count,
            sessions: &group.members,
            distance: group.distance,
            example: &group.example,
            repair: group.repair.as_ref(),
        }
    }
}

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let absent = report.absent.iter();
    let document = Document {
        kind: "report",
        version: 1,
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
