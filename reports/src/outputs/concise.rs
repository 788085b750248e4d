//! One line a group, as compilers print errors: place, severity, code, finding, count.

use crate::run_report::{InputError, ReportedGroup, RunReport};
use crate::text::counted;
use multitrace_formats::place::Place;
use multitrace_formats::problem::ProblemPlace;
use multitrace_formats::shorten::{shorten, visible};
use std::io::{self, Write};

/// Characters of a line before it is cut: some lines of a terminal.
const MAX_TEXT: usize = 500;

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    for error in &report.errors {
        writeln!(out, "{}", error_line(error))?;
    }
    for group in &report.groups {
        writeln!(out, "{}", group_line(report, group))?;
    }
    for remark in report.remarks() {
        let message = visible(&remark.message);
        writeln!(out, "{}[{}]: {message}", remark.level.name(), remark.code.name())?;
    }
    let summary = &report.summary;
    writeln!(
        out,
        "{}: {} pass, {} weak-pass, {} fail, {} inconclusive, {}{}",
        counted(summary.sessions, "session"),
        summary.pass,
        summary.weak_pass,
        summary.fail,
        summary.inconclusive,
        counted(summary.errors, "error"),
        left_out(summary.not_selected)
    )
}

/// How many sessions a selection left out, behind other counts.
pub(super) fn left_out(not_selected: u64) -> String {
    if not_selected == 0 { String::new() } else { format!(", {not_selected} not selected") }
}

fn group_line(report: &RunReport, reported: &ReportedGroup) -> String {
    let group = &reported.group;
    // Editors know a line, and no record of it.
    let place = match &group.place {
        Some(Place { file, line, .. }) => {
            format!("{}: ", visible(&Place::new(&**file, *line).to_string()))
        }
        None => String::new(),
    };
    let level = reported.standing.level().name();
    let sentence = reported.sentence(report.words);
    let text = shorten(&sentence, MAX_TEXT);
    let count = counted(group.count, "session");
    let session = visible(&group.example.session);
    format!("{place}{level}[{}]: {text} ({count}, as {session})", group.finding.code.name())
}

/// A problem of the input in one line.
pub fn error_line(error: &InputError) -> String {
    let ProblemPlace { file, line, column, message } = &error.place;
    let number = |number: &Option<usize>| number.map_or_else(String::new, |at| format!(":{at}"));
    let place = format!("{}{}{}", visible(file), number(line), number(column));
    let message = visible(message);
    format!("{place}: error[{}]: {}", error.code.name(), shorten(&message, MAX_TEXT))
}
