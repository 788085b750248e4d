//! GitLab's code quality report: an array of findings, one a group.

use crate::codes::Code;
use crate::outputs::concise;
use crate::run_report::{InputError, Level, ReportedGroup, RunReport, Standing};
use crate::text::counted;
use multitrace_formats::shorten::shorten;
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
    let errors = report.errors.iter().map(of_error);
    let groups = report.groups.iter().map(|group| of_group(report, group));
    let rest = (report.rest.sessions > 0).then(|| of_rest(report));
    let findings: Vec<Finding> = errors.chain(groups).chain(rest).collect();
    serde_json::to_writer_pretty(&mut *out, &findings)?;
    writeln!(out)
}

fn of_group(report: &RunReport, reported: &ReportedGroup) -> Finding {
    let group = &reported.group;
    let count = counted(group.count, "session");
    let text = format!("{}: {} ({count})", group.code.name(), reported.sentence());
    let place = group.example.points_at();
    Finding {
        description: shorten(&text, MAX_TEXT).into_owned(),
        check_name: group.code.name(),
        fingerprint: reported.fingerprint.to_string(),
        severity: severity(reported.standing),
        location: match place {
            Some(place) => location(&place.file, place.line),
            None => location(&report.specification, None),
        },
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
fn of_error(error: &InputError) -> Finding {
    let text = concise::error_line(error);
    Finding {
        fingerprint: hash(&text),
        description: text,
        check_name: error.code.name(),
        severity: "blocker",
        location: location(&error.place.file, error.place.line),
    }
}

fn of_rest(report: &RunReport) -> Finding {
    Finding {
        description: report.rest_title(),
        check_name: Code::Rest.name(),
        fingerprint: hash(Code::Rest.name()),
        severity: if report.rest_level() == Level::Error { "major" } else { "minor" },
        location: location(&report.specification, None),
    }
}

fn hash(text: &str) -> String {
    Sha256::digest(text)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Paths are relative to the repository; a leading `./` is not understood.
fn location(file: &str, line: Option<usize>) -> Location {
    let path = file.strip_prefix("./").unwrap_or(file).to_owned();
    Location { path, lines: Lines { begin: line.unwrap_or(1) } }
}
