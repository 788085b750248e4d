//! The content of the page, in the words and order in which the template shows it.

use crate::codes::Code;
use crate::coverage::Coverage;
use crate::explanation::EventState;
use crate::groups::FindingGroup;
use crate::groups::{Illustration, NAMED_SESSIONS};
use crate::outputs::html::charts::{Bar, Column, columns, verdict_bars};
use crate::outputs::{concise, difference, logs};
use crate::paint::Paint;
use crate::pictures::SvgOptions;
use crate::run_report::{ReportedGroup, RunReport, Standing};
use crate::text::{counted, for_people};
use crate::timeline::TimelineRow;
use multitrace_formats::shorten::{shorten, visible};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most bytes of one picture of a finding.
const MOST_PICTURE: usize = 30_000;

/// How much a page shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The most bytes of all pictures of findings, before they are packed.
    pictures: usize,
    /// The most bytes of the diagram of the specification.
    diagram: usize,
    /// The most characters of a text.
    text: usize,
    /// The most characters of a cell of a row of logs.
    cell: usize,
    /// The most rows of logs of a finding.
    rows: usize,
}

impl Room {
    /// From the first one, which is enough for 1,000 groups with names of usual lengths, to the last one, in which any
    /// 1,000 groups have room: 600 bytes for the tags of a group, and 25 characters for each text.
    pub(super) const ALL: [Room; 3] = [
        Room { pictures: 8_000_000, diagram: 1_000_000, text: 400, cell: 160, rows: 12 },
        Room { pictures: 2_000_000, diagram: 500_000, text: 100, cell: 40, rows: 6 },
        Room { pictures: 500_000, diagram: 250_000, text: 25, cell: 15, rows: 3 },
    ];

    /// A text from a log or a specification, cut where it is long. Characters that cannot be seen are written out.
    fn text(self, text: &str) -> String {
        visible(&shorten(text, self.text)).into_owned()
    }

    fn cell(self, text: &str) -> String {
        visible(&shorten(text, self.cell)).into_owned()
    }
}

#[derive(Serialize)]
pub(super) struct Content<'a> {
    title: String,
    version: &'a str,
    observation: &'a str,
    outcome: &'static str,
    is_bad: bool,
    sessions: String,
    seconds: String,
    bars: Vec<Bar>,
    facts: Vec<(&'static str, String)>,
    search_costs: Vec<(&'static str, Vec<Column>)>,
    filters: Vec<Filter>,
    pub(super) findings: Vec<FindingView>,
    /// The details of the findings after the first 100, packed.
    pub(super) packed: String,
    remarks: Vec<RemarkView>,
    errors: Vec<String>,
    more_errors: u64,
    absent: usize,
    diagram: Option<&'a str>,
    /// Whether the diagram is left out.
    is_without_diagram: bool,
    coverage: Option<CoverageView>,
}

/// A choice of findings.
#[derive(Serialize)]
struct Filter {
    name: &'static str,
    label: &'static str,
    choices: Vec<(String, usize)>,
}

#[derive(Serialize)]
pub(super) struct FindingView {
    /// Its details, which stand below its title, as HTML.
    pub(super) body: String,
    /// Where the page can be entered.
    anchor: String,
    code: &'static str,
    kind: String,
    title: String,
    verdict: &'static str,
    standing: &'static str,
    level: &'static str,
    excuse: String,
    /// Everything that went wrong in the session: code and sentence.
    faults: Vec<(&'static str, String)>,
    count: u64,
    sessions: String,
    share: f64,
    expectation: String,
    heading: String,
    remedy: String,
    picture: Option<String>,
    /// Why there is no picture.
    no_picture: String,
    rows: Vec<Row>,
    /// Rows that are not shown.
    more_rows: usize,
    repair: String,
    members: String,
    command: String,
    fingerprint: String,
}

/// A line of the logs.
#[derive(Serialize)]
struct Row {
    before: usize,
    location: String,
    event: String,
    state: &'static str,
    code: &'static str,
    place: String,
    line: String,
}

#[derive(Serialize)]
struct RemarkView {
    code: &'static str,
    level: &'static str,
    message: String,
}

#[derive(Serialize)]
struct CoverageView {
    title: String,
    percent: f64,
    parts: Vec<(String, String, String)>,
    more: usize,
}

impl<'a> Content<'a> {
    pub(super) fn new(report: &'a RunReport, room: Room) -> Content<'a> {
        let summary = &report.summary;
        let is_bad = report.groups.iter().any(|it| it.standing == Standing::Violation)
            || summary.errors > 0
            || report.remarks().iter().any(|it| it.level == crate::run_report::Level::Error);
        let outcome = match (is_bad, summary.sessions) {
            (true, _) => "violations",
            (false, 0) => "nothing was checked",
            (false, _) => "clean",
        };
        Content {
            title: room.text(&report.specification),
            version: &report.version,
            observation: report.observation,
            outcome: if summary.errors > 0 { "errors" } else { outcome },
            is_bad,
            sessions: counted(summary.sessions, "session"),
            seconds: format!("{:.3}", summary.seconds),
            bars: verdict_bars(summary),
            facts: facts(report),
            search_costs: report.costs.as_ref().map_or_else(Vec::new, columns),
            filters: filters(&report.groups),
            findings: findings(report, room),
            packed: String::new(),
            remarks: remarks(report, room),
            errors: report.errors.iter().map(|it| room.text(&concise::error_line(it))).collect(),
            more_errors: summary.errors.saturating_sub(report.errors.len() as u64),
            absent: report.absent.len(),
            diagram: report.diagram.as_deref().filter(|it| it.len() <= room.diagram),
            is_without_diagram: report.diagram.as_ref().is_some_and(|it| it.len() > room.diagram),
            coverage: report.coverage.as_ref().map(|it| coverage(it, room)),
        }
    }
}

fn facts(report: &RunReport) -> Vec<(&'static str, String)> {
    let summary = &report.summary;
    let mut facts = vec![
        ("sessions", spaced(summary.sessions)),
        ("events", spaced(summary.events)),
        ("violations", spaced(report.violations)),
    ];
    let mut add = |name, count: u64| {
        if count > 0 {
            facts.push((name, spaced(count)));
        }
    };
    if report.has_baseline {
        add("known", report.known);
    }
    add("errors of the input", summary.errors);
    add("cut off", summary.cut_off);
    add("not selected", summary.not_selected);
    if let Some(repairs) = &summary.repairs {
        facts.push(("mean distance", format!("{:.2}", repairs.mean())));
        facts.push(("worst distance", spaced(repairs.worst)));
    }
    if let Some(coverage) = &report.coverage {
        facts.push(("coverage", format!("{:.1} %", coverage.percent())));
    }
    facts
}

/// A number in groups of three digits.
fn spaced(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

fn filters(groups: &[ReportedGroup]) -> Vec<Filter> {
    let of = |name, label, key: &dyn Fn(&ReportedGroup) -> &'static str| {
        let mut choices: BTreeMap<&str, usize> = BTreeMap::new();
        for group in groups {
            *choices.entry(key(group)).or_default() += 1;
        }
        let choices = choices.into_iter().map(|(key, count)| (key.to_owned(), count)).collect();
        Filter { name, label, choices }
    };
    let all = [
        of("code", "Code", &|it| it.group.finding.code.name()),
        of("verdict", "Verdict", &|it| for_people(it.group.verdict)),
        of("standing", "Standing", &standing),
    ];
    all.into_iter().filter(|it| it.choices.len() > 1).collect()
}

fn standing(group: &ReportedGroup) -> &'static str {
    match group.standing {
        Standing::Violation => "violation",
        Standing::Tolerated => "tolerated",
        Standing::Allowed => "allowed",
        Standing::Known => "known",
    }
}

fn findings(report: &RunReport, mut room: Room) -> Vec<FindingView> {
    let most = report.groups.iter().map(|it| it.group.count).max().unwrap_or(1);
    let view = |reported: &ReportedGroup| finding(report, reported, most, &mut room);
    report.groups.iter().map(view).collect()
}

const TOO_LARGE: &str =
    "Its picture would make this page too large; the command below draws it with ‹svg›.";
const TOO_LONG: &str =
    "The session is too long to be drawn here; the command below draws it with ‹svg›.";

fn finding(
    report: &RunReport,
    reported: &ReportedGroup,
    most: u64,
    room: &mut Room,
) -> FindingView {
    let group = &reported.group;
    let code = group.finding.code;
    let Illustration { scene, rows } = &group.illustration;
    let picture = scene.as_ref().map(|it| it.svg(report.words, SvgOptions::IN_PAGE));
    let fits = picture.as_ref().filter(|it| it.len() <= MOST_PICTURE.min(room.pictures)).cloned();
    room.pictures -= fits.as_ref().map_or(0, String::len);
    // Without places they say nothing that the picture does not show.
    let rows = if rows.iter().any(|it| it.place.is_some()) { &rows[..] } else { &[] };
    let repair = group.repair.as_ref();
    FindingView {
        body: String::new(),
        anchor: format!("f{}", &reported.fingerprint.to_string()[..12]),
        code: code.name(),
        kind: report.spelled(code.title()),
        title: room.text(&report.spelled(&group.line())),
        verdict: for_people(group.verdict),
        standing: standing(reported),
        level: reported.standing.level().name(),
        excuse: reported.excuse(report.words),
        faults: faults(report, group, *room),
        count: group.count,
        sessions: format!(
            "{} {}",
            spaced(group.count),
            if group.count == 1 { "session" } else { "sessions" }
        ),
        share: 100.0 * group.count as f64 / most.max(1) as f64,
        expectation: room.text(&report.spelled(&group.expectation)),
        heading: room.text(&logs::heading(group)),
        remedy: report.spelled(code.remedy()),
        no_picture: match (picture, &fits) {
            (Some(_), None) => report.spelled(TOO_LARGE),
            (None, _) => report.spelled(TOO_LONG),
            _ => String::new(),
        },
        picture: fits,
        rows: rows.iter().take(room.rows).map(|it| row(it, *room)).collect(),
        more_rows: rows.len().saturating_sub(room.rows),
        repair: repair
            .map_or_else(String::new, |it| difference::lines(it, "", room.text, Paint::PLAIN)),
        members: shorten(&reported.members(), NAMED_SESSIONS * room.text).into_owned(),
        command: room.text(&report.explain_command(group)),
        fingerprint: reported.fingerprint.to_string(),
    }
}

/// The faults of the example, if there are more than the one of the title.
fn faults(report: &RunReport, group: &FindingGroup, room: Room) -> Vec<(&'static str, String)> {
    let fault =
        |(code, sentence): &(Code, String)| (code.name(), room.text(&report.spelled(sentence)));
    group.faults.iter().filter(|_| group.faults.len() > 1).map(fault).collect()
}

fn row(row: &TimelineRow, room: Room) -> Row {
    let cut = |text: &str| room.cell(text);
    Row {
        before: row.before,
        location: cut(&row.location),
        event: row.event.as_deref().map_or_else(|| "ends here".to_owned(), cut),
        state: match row.state {
            EventState::Explained => "good",
            EventState::Blocked => "bad",
            EventState::NotReached | EventState::NotExamined => "soft",
        },
        code: row.code.map_or("", |code| code.name()),
        place: row.place.as_ref().map_or_else(String::new, |it| cut_at_front(&it.to_string())),
        line: row.line.as_deref().map_or_else(String::new, cut),
    }
}

/// A place by its end, which has the line.
fn cut_at_front(place: &str) -> String {
    const SHOWN: usize = 48;
    let place = visible(place);
    match place.chars().count().checked_sub(SHOWN) {
        None | Some(0) => place.into_owned(),
        Some(more) => format!("…{}", place.chars().skip(more).collect::<String>()),
    }
}

fn remarks(report: &RunReport, room: Room) -> Vec<RemarkView> {
    let remark = |it: crate::run_report::Remark| RemarkView {
        code: it.code.name(),
        level: it.level.name(),
        message: room.text(&it.message),
    };
    report.remarks().into_iter().map(remark).collect()
}

fn coverage(coverage: &Coverage, room: Room) -> CoverageView {
    /// A screen.
    const SHOWN: usize = 40;
    let never: Vec<_> = coverage.parts.iter().filter(|it| it.sessions == 0).collect();
    let part = |it: &&crate::coverage::CoveredPart| {
        let place = format!("{}:{}:{}", room.text(&coverage.path), it.line, it.column);
        (place, it.kind.title(), room.text(it.text.lines().next().unwrap_or_default()))
    };
    CoverageView {
        title: coverage.title(),
        percent: coverage.percent(),
        parts: never.iter().take(SHOWN).map(part).collect(),
        more: never.len().saturating_sub(SHOWN),
    }
}
