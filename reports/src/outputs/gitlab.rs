//! GitLab's code quality report: an array of findings, one a group.

use crate::codes::Code;
use crate::json_text::write_pretty;
use crate::outputs::concise;
use crate::run_report::{InputError, Level, Remark, ReportedGroup, RunReport, Standing};
use crate::text::counted;
use multitrace_formats::shorten::{json_without_commands, shorten};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// Characters of a description. The widget shows a line of it.
const MAX_TEXT: usize = 500;

#[derive(Serialize)]
struct Finding {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let errors = report.errors.iter().map(|error| of_error(report, error));
    let groups = report.groups.iter().map(|group| of_group(report, group));
    let remarks = report.remarks();
    let remarks = remarks.iter().enumerate().map(|(index, remark)| {
        let before = remarks[..index].iter().filter(|it| it.code == remark.code).count();
        of_remark(report, remark, before)
    });
    let findings = errors.chain(groups).chain(remarks).chain(left_out(report));
    let findings: Vec<Finding> = findings.collect();
    let mut json = Vec::new();
    write_pretty(&mut json, &findings)?;
    // Where it goes to standard output, it stands in the log of the job.
    let json = String::from_utf8(json).map_err(io::Error::other)?;
    writeln!(out, "{}", json_without_commands(&json))
}

fn of_group(report: &RunReport, reported: &ReportedGroup) -> Finding {
    let group = &reported.group;
    let count = counted(group.count, "session");
    let text =
        format!("{}: {} ({count})", group.finding.code.name(), reported.sentence(report.words));
    let place = group.place.as_ref();
    Finding {
        description: shorten(&text, MAX_TEXT).into_owned(),
        check_name: group.finding.code.name(),
        fingerprint: reported.fingerprint.to_string(),
        severity: severity(reported.standing),
        location: location(report, place.map(|it| &*it.file), place.and_then(|it| it.line)),
    }
}

fn severity(standing: Standing) -> &'static str {
    match standing {
        Standing::Violation => "major",
        Standing::Tolerated | Standing::Allowed => "minor",
        Standing::Known => "info",
    }
}

/// The fingerprint is of the place and the message: an error has no group.
fn of_error(report: &RunReport, error: &InputError) -> Finding {
    let text = concise::error_line(error);
    Finding {
        fingerprint: hash(&text),
        description: text,
        check_name: error.code.name(),
        severity: "blocker",
        location: location(report, Some(&error.place.file), error.place.line),
    }
}

/// The fingerprint is of the code, and of how many remarks of it come before: a message has counts in it.
fn of_remark(report: &RunReport, remark: &Remark, before: usize) -> Finding {
    let number = if before == 0 { String::new() } else { format!(" {before}") };
    Finding {
        description: shorten(&remark.message, MAX_TEXT).into_owned(),
        check_name: remark.code.name(),
        fingerprint: hash(&format!("{}{number}", remark.code.name())),
        severity: match remark.level {
            Level::Error => "major",
            Level::Warning => "minor",
            Level::Note => "info",
        },
        location: location(report, None, None),
    }
}

/// The sessions that a selection left out, which stand in no other finding.
fn left_out(report: &RunReport) -> Option<Finding> {
    let count = Some(report.summary.not_selected).filter(|count| *count > 0)?;
    Some(Finding {
        description: format!("{} not selected", counted(count, "session")),
        check_name: Code::InputNote.name(),
        fingerprint: hash("not selected"),
        severity: "info",
        location: location(report, None, None),
    })
}

fn hash(text: &str) -> String {
    Sha256::digest(text)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The platform wants a path for everything; a file outside of the repository has that of the specification.
fn location(report: &RunReport, file: Option<&str>, line: Option<usize>) -> Location {
    let known = file.and_then(|file| report.platform_path(file));
    let begin = if known.is_some() { line.unwrap_or(1) } else { 1 };
    let path = known.unwrap_or_else(|| report.specification.clone());
    Location { path, lines: Lines { begin } }
}
