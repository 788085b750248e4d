//! Workflow commands of GitHub Actions: annotations of files. The platform shows ten of each level
//! for a step and drops the others, so more are counted in a line of the log.

use crate::outputs::concise::left_out;
use crate::run_report::{InputError, Level, ReportedGroup, RunReport};
use crate::text::counted;
use multitrace_formats::place::Place;
use multitrace_formats::shorten::{shorten, visible, visible_lines};
use std::io::{self, Write};

/// Annotations of each level: the platform drops further ones.
const MAX_PER_LEVEL: usize = 10;
/// Characters of a message. A page shows ten of them.
const MAX_TEXT: usize = 1_000;

/// One annotation.
struct Annotation {
    level: Level,
    place: Option<Place>,
    title: String,
    message: String,
}

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let all = annotations(report);
    let mut omitted = 0;
    for level in [Level::Error, Level::Warning, Level::Note] {
        let of: Vec<&Annotation> = all.iter().filter(|one| one.level == level).collect();
        let shown = of.len().min(MAX_PER_LEVEL);
        omitted += of.len() - shown;
        of[..shown].iter().try_for_each(|annotation| write_one(annotation, out))?;
    }
    if omitted > 0 {
        let more = counted(omitted as u64, "more annotation");
        writeln!(out, "multitrace: {more} left out; the platform shows ten of each level")?;
    }
    let summary = &report.summary;
    writeln!(
        out,
        "multitrace: {} checked, {} fail, {} inconclusive, {}{}",
        counted(summary.sessions, "session"),
        summary.fail,
        summary.inconclusive,
        counted(summary.errors, "error"),
        left_out(summary.not_selected)
    )
}

fn annotations(report: &RunReport) -> Vec<Annotation> {
    let errors = report.errors.iter().map(|error| of_error(report, error));
    let groups = report.groups.iter().map(|group| of_group(report, group));
    let remarks = report.remarks().into_iter().map(|remark| Annotation {
        level: remark.level,
        place: None,
        title: remark.code.name().to_owned(),
        message: visible(&remark.message).into_owned(),
    });
    errors.chain(groups).chain(remarks).collect()
}

fn of_error(report: &RunReport, error: &InputError) -> Annotation {
    let place = Place::new(error.place.file.as_str(), error.place.line);
    Annotation {
        level: Level::Error,
        place: known(report, &place),
        title: error.code.name().to_owned(),
        message: visible(&error.place.message).into_owned(),
    }
}

fn of_group(report: &RunReport, reported: &ReportedGroup) -> Annotation {
    let group = &reported.group;
    let count = counted(group.count, "session");
    let command = report.explain_command(group);
    Annotation {
        level: reported.standing.level(),
        place: group.place.as_ref().and_then(|place| known(report, place)),
        title: report.spelled(&format!(
            "{} {}",
            group.finding.code.name(),
            group.finding.code.title()
        )),
        message: format!(
            "{} ({count}: {})\n{command}",
            reported.sentence(report.words),
            reported.members()
        ),
    }
}

/// The place as the platform knows it.
fn known(report: &RunReport, place: &Place) -> Option<Place> {
    let file = report.platform_path(&place.file)?;
    Some(Place { file: file.into(), ..place.clone() })
}

fn write_one(annotation: &Annotation, out: &mut dyn Write) -> io::Result<()> {
    let word = match annotation.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    write!(out, "::{word} ")?;
    if let Some(place) = &annotation.place {
        write!(out, "file={},", property(&place.file))?;
        if let Some(line) = place.line {
            write!(out, "line={line},")?;
        }
    }
    let message = shorten(annotation.message.trim_end(), MAX_TEXT);
    let message = data(&without_hashes(&visible_lines(&message)));
    writeln!(out, "title={}::{message}", property(&annotation.title))
}

/// A message as the runner reads it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text that holds no command of older runners, which look for `##[` anywhere in a line.
fn without_hashes(text: &str) -> String {
    text.replace("##", r"#\u{23}")
}

/// A property as the runner reads it.
fn property(text: &str) -> String {
    data(&without_hashes(&visible(text))).replace(':', "%3A").replace(',', "%2C")
}
