//! For a person on call: the counts, then for every group the finding, its place and logs, the events expected, the
//! number of sessions, and how to see one session whole.

use crate::groups::FindingGroup;
use crate::outputs::{difference, logs};
use crate::paint::Paint;
use crate::run_report::{Level, ReportedGroup, RunReport, Standing};
use crate::text::counted;
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
        "{sessions} against {specification} ({observation} observation) in {seconds:.3} s"
    )?;
    for (name, count) in [
        ("events", summary.events),
        ("pass", summary.pass),
        ("weak_pass", summary.weak_pass),
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
    if let Some(repairs) = &summary.repairs {
        writeln!(out, "  {}", repairs.text())?;
    }
    if let Some(costs) = &report.costs {
        costs.text().iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
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
        "\n{code} {}: {}: {count}",
        group.verdict,
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
    writeln!(out, "  {}", paint.dim(&format!("fingerprint {fingerprint}")))
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
        writeln!(out, "  {}", difference::heading(repair))?;
    }
    let command = report.explain_command(group);
    if !command.is_empty() {
        writeln!(out, "  {}", paint.dim(&command))?;
    }
    Ok(())
}
