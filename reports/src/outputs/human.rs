//! For a person on call: the counts, then for every group the finding, its place and logs, the events expected, the
//! number of sessions, and how to see one session whole.

use crate::first_errors::SHOWN_PROBLEMS;
use crate::groups::FindingGroup;
use crate::outputs::{concise, difference, logs};
use crate::paint::Paint;
use crate::run_report::{Level, ReportedGroup, RunReport, Standing};
use crate::text::{counted, for_people};
use multitrace_formats::remedy::Remedy;
use multitrace_formats::shorten::visible;
use std::io::{self, Write};

/// The most groups shown; further ones are counted. A person on call reads the first few.
const SHOWN_GROUPS: usize = 50;

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    counts(report, paint, out)?;
    if let Some(coverage) = &report.coverage {
        coverage.write_human(report.words, out)?;
    }
    for (group, is_new) in report.groups_and_news().take(SHOWN_GROUPS) {
        write_group(report, group, is_new, paint, out)?;
    }
    write_legend(report, paint, out)?;
    let more = report.groups.len().saturating_sub(SHOWN_GROUPS);
    if more > 0 {
        writeln!(
            out,
            "\n{}; {} has them all",
            counted(more as u64, "more group"),
            report.spelled("‹json›")
        )?;
    }
    for remark in report.remarks() {
        let code = paint.level(remark.level, remark.code.name());
        writeln!(out, "\n{code} {}", visible(&remark.message))?;
    }
    if !report.absent.is_empty() {
        let count = counted(report.absent.len() as u64, "place");
        writeln!(out, "\n{count} of the baseline did not occur")?;
    }
    Ok(())
}

fn counts(report: &RunReport, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    let sessions = paint.bold(&counted(summary.sessions, "session"));
    let RunReport { specification, observation, .. } = report;
    let specification = visible(specification);
    let seconds = summary.seconds;
    writeln!(
        out,
        "{sessions} against {specification} ({}) in {seconds:.3} s",
        assumption(observation)
    )?;
    for (name, count) in [
        ("events", summary.events),
        ("pass", summary.pass),
        ("weak-pass", summary.weak_pass),
        ("fail", summary.fail),
        ("inconclusive", summary.inconclusive),
        ("errors", summary.errors),
        ("cut off", summary.cut_off),
        ("not selected", summary.not_selected),
    ] {
        if count > 0 || matches!(name, "events" | "pass" | "fail") {
            let line = format!("  {name:<13}{count:>9}");
            let good = name == "pass" && count == summary.sessions && count > 0;
            writeln!(out, "{}", if good { paint.good(&line) } else { line })?;
        }
    }
    write_errors(report, out)?;
    if let Some(repairs) = &summary.repairs {
        writeln!(out, "  {}", repairs.text())?;
    }
    if let Some(costs) = &report.costs {
        costs.text().iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}

/// The first errors, unless they are told beside the report. A remark counts all of many.
fn write_errors(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let errors = report.errors.iter().filter(|_| !report.errors_apart);
    errors
        .take(SHOWN_PROBLEMS as usize)
        .try_for_each(|it| writeln!(out, "  {}", concise::error_line(it)))
}

fn write_group(
    report: &RunReport,
    reported: &ReportedGroup,
    is_new: bool,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ReportedGroup { fingerprint, group, standing, .. } = reported;
    let code = paint.level(standing.level(), group.finding.code.name());
    let count = counted(group.count, "session");
    writeln!(
        out,
        "\n{code} {}: {} (in {count})",
        for_people(group.verdict),
        paint.bold(&report.spelled(&group.line()))
    )?;
    let excuse = reported.excuse(report.words);
    match standing {
        Standing::Violation if excuse.is_empty() => {}
        Standing::Violation => writeln!(out, "  {excuse}")?,
        _ => writeln!(out, "  does not fail the run: {excuse}")?,
    }
    writeln!(out, "  {}", reported.members())?;
    // That of an event stands with the event.
    let is_of_event = group.finding.location.is_some() || group.finding.frontier.is_some();
    if !is_of_event && !group.expectation.is_empty() {
        writeln!(out, "  {}", report.spelled(&group.expectation))?;
    }
    match is_new {
        true => write_example(report, group, paint, out)?,
        false => writeln!(out, "  {}", logs::shown_above(group))?,
    }
    writeln!(out, "  {}", paint.dim(&format!("fingerprint {fingerprint} (the same in every run)")))
}

/// Explains the signs of the groups, in one line.
fn write_legend(report: &RunReport, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = report.groups.first() else { return Ok(()) };
    let code = first.group.finding.code.name();
    let has_logs = report.groups.iter().any(|it| logs::has_signs(&it.group.example));
    let signs = if has_logs {
        "n/m: n of the m events of a log are explained; >event<: a wrong event, or the first one after a missing one; "
    } else {
        ""
    };
    let command = report.spelled(&Remedy::ExplainCode.to(code));
    writeln!(out, "{}", paint.dim(&format!("{signs}meaning of the code: {command}")))
}

/// The words for an observation mode.
fn assumption(observation: &str) -> &str {
    match observation {
        "complete" => "with complete logs",
        "missing" => "logs may be missing",
        "prefix" => "logs may end early",
        "slice" => "logs may begin late and end early",
        "global-prefix" => "all logs end at one moment",
        other => other,
    }
}

/// A session with everything that went wrong in it.
fn write_example(
    report: &RunReport,
    group: &FindingGroup,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  {}", logs::heading(group))?;
    write!(out, "{}", logs::lines(&group.example, "    ", false, paint))?;
    if group.faults.len() > 1 {
        for (code, sentence) in &group.faults {
            let code = paint.level(Level::Error, code.name());
            writeln!(out, "    {code} {}", report.spelled(sentence))?;
        }
    }
    if let Some(repair) = &group.repair {
        writeln!(out, "  {}", difference::summary(repair))?;
    }
    let command = report.explain_command(group);
    if !command.is_empty() {
        let told = match group.repair.is_some() {
            true => "to see this session and its edits",
            false => "to see this session alone",
        };
        writeln!(out, "  {}", paint.dim(&format!("{told}: {command}")))?;
    }
    Ok(())
}
