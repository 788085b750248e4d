//! One session explained: everything that is wrong, the events around it with their places and lines,
//! and for a pass the accepted global trace.

use crate::codes::Code;
use crate::explanation::{EventState, Explanation};
use crate::finding::{Finding, listed};
use crate::json_text::write_pretty;
use crate::outputs::finding_object::{self, FaultObject, FindingObject};
use crate::outputs::table::{self, cut, cut_start, wrapped};
use crate::outputs::{difference, logs};
use crate::paint::Paint;
use crate::repair_view::RepairView;
use crate::run_report::Level;
use crate::spec_places::{SpecPlace, SpecPlaces};
use crate::text::{counted, for_people};
use crate::timeline::{Timeline, TimelineRow};
use multitrace_formats::place::Place;
use multitrace_formats::remedy::Words;
use multitrace_formats::shorten::visible;
use multitrace_formats::warning::WarningCode;
use multitrace_interaction::Engine;
use multitrace_interaction::{Alphabet, Verdict, Witness};
use serde::Serialize;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// A session with its verdict.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// Why it is not decided, as a sentence.
    pub reason: Option<&'a str>,
    /// The findings, the main one first: of a session that fails, its faults.
    pub findings: &'a [Finding],
    /// The findings that are certain of a session that fails.
    pub evidence: &'a [Finding],
    /// How many causes of a failure are left out, since they repeat others.
    pub omitted: u64,
    /// The logs.
    pub explanation: &'a Explanation,
    /// The rows to show.
    pub timeline: &'a Timeline,
    /// The repair of a failing session, if there is one.
    pub repair: Option<&'a RepairView>,
    /// Where the events of the findings stand in the specification.
    pub specification: &'a SpecPlaces,
    /// The accepted global trace of a pass.
    pub witness: Option<&'a Witness>,
    /// The engine that decided.
    pub engine: Engine,
    /// The words of the front end.
    pub words: Words,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    engine: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<FindingObject<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    evidence_omitted: u64,
    #[serde(flatten)]
    explanation: &'a Explanation,
    timeline: &'a Timeline,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<&'a RepairView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<&'a SpecPlaces>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<Step<'a>>>,
}

#[derive(Serialize)]
struct Step<'a> {
    action: &'a str,
    observed: bool,
}

impl Explained<'_> {
    /// How many items of evidence the list leaves out.
    fn unlisted(&self) -> u64 {
        let unlisted = self.evidence.len() - listed(self.evidence).count();
        self.omitted + unlisted as u64
    }

    fn is_failure(&self) -> bool {
        matches!(self.verdict, Verdict::Fail(_))
    }

    fn cause(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Fail(failure) => Some(failure.main().name()),
            _ => None,
        }
    }

    fn steps<'a>(&'a self, alphabet: &'a Alphabet) -> Option<Vec<Step<'a>>> {
        let steps = self.witness?.steps.iter();
        let step = |step: &multitrace_interaction::WitnessStep| Step {
            action: alphabet.letter_name(step.letter),
            observed: step.observed,
        };
        Some(steps.map(step).collect())
    }
}

/// Writes one JSON object.
///
/// # Errors
/// When `out` takes no more.
pub fn write_json(
    explained: &Explained<'_>,
    alphabet: &Alphabet,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (faults, findings) = match explained.is_failure() {
        true => (explained.findings, &[][..]),
        false => (&[][..], explained.findings),
    };
    let object = Object {
        kind: "explanation",
        verdict: explained.verdict.name(),
        cause: explained.cause(),
        code: explained.findings.first().map(|main| main.code),
        reason: explained.reason,
        engine: explained.engine.name(),
        findings: finding_object::list(findings, &[], explained.words),
        faults: finding_object::faults(faults, &[], explained.words),
        evidence: finding_object::list(explained.evidence, &[], explained.words),
        evidence_omitted: explained.unlisted(),
        explanation: explained.explanation,
        timeline: explained.timeline,
        repair: explained.repair,
        specification: Some(explained.specification).filter(|it| !it.places.is_empty()),
        witness: explained.steps(alphabet),
    };
    write_pretty(&mut *out, &object)?;
    writeln!(out)
}

/// How the text for people is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cells of a line.
    pub width: usize,
    /// Where colours are used.
    pub paint: Paint,
}

/// The longest global trace that is shown whole: two screens, four actions a line.
const LONGEST_WITNESS: usize = 240;

/// Writes the text for people.
///
/// # Errors
/// When `out` takes no more.
pub fn write_human(
    explained: &Explained<'_>,
    alphabet: &Alphabet,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_verdict(explained, layout, out)?;
    for (_, finding) in listed(explained.findings) {
        write_finding(finding, explained, layout, out)?;
    }
    let unlisted = explained.findings.len() - listed(explained.findings).count();
    if unlisted > 0 {
        writeln!(out, "{}, which the repair below has", counted(unlisted as u64, "more finding"))?;
    }
    // Certain findings at single events are marked below.
    let of_faults = explained.findings.iter().any(|it| it.fault.is_some());
    for finding in explained.evidence.iter().filter(|it| of_faults && it.frontier.is_some()) {
        write_finding(finding, explained, layout, out)?;
    }
    writeln!(out)?;
    write_timeline(explained, layout, out)?;
    write_spec_places(explained.specification, layout, out)?;
    if let Some(repair) = explained.repair {
        writeln!(out)?;
        for line in difference::lines(repair, "", layout.width, layout.paint).lines() {
            writeln!(out, "{line}")?;
        }
    }
    if let Some(steps) = explained.steps(alphabet) {
        writeln!(out)?;
        write_witness(&steps, explained.words, layout, out)?;
    }
    let mut codes: Vec<Code> = explained.findings.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    for code in codes {
        let remedy = explained.words.text(code.remedy());
        write_wrapped(&format!("{}, what to do: {remedy}", code.name()), 2, layout, out)?;
    }
    Ok(())
}

/// Session, verdict, place, and how far it is explained.
fn write_verdict(explained: &Explained<'_>, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let Layout { paint, .. } = layout;
    let explanation = explained.explanation;
    let name = for_people(explained.verdict.name());
    let name = match explained.verdict {
        Verdict::Pass => paint.good(name),
        Verdict::Fail(_) => paint.level(Level::Error, name),
        _ => paint.level(Level::Warning, name),
    };
    let session = paint.bold(&cut(&visible(&explanation.session), layout.width / 2));
    let events = counted(explanation.events as u64, "event");
    let locations = explanation.locations.len() + explanation.omitted_locations;
    let at = counted(locations as u64, "location");
    let told = format!("{events} at {at}, engine {}", explained.engine.name());
    let one_line = explanation.session.width() + told.width() + explained.verdict.name().len() + 4;
    if one_line <= layout.width {
        writeln!(out, "{session}: {name}, {told}")?;
    } else {
        writeln!(out, "{session}: {name}")?;
        write_wrapped(&told, 2, layout, out)?;
    }
    if let Some(place) = &explanation.place {
        let place = visible(&place.to_string()).into_owned();
        writeln!(out, "  {}", cut_start(&place, layout.width.saturating_sub(2)))?;
    }
    if let Some(reason) = explained.reason {
        write_wrapped(reason, 2, layout, out)?;
    }
    Ok(())
}

/// Writes the finding, its place, and the events that were expected.
fn write_finding(
    finding: &Finding,
    explained: &Explained<'_>,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Layout { paint, .. } = layout;
    let level = match explained.verdict {
        Verdict::Fail(_) => Level::Error,
        _ => Level::Warning,
    };
    let code = paint.level(level, finding.code.name());
    let title = wrapped(&explained.words.text(&finding.line()), layout.width.saturating_sub(8));
    for (number, line) in title.iter().enumerate() {
        let start = if number == 0 { code.clone() } else { " ".repeat(finding.code.name().len()) };
        writeln!(out, "{start} {line}")?;
    }
    let mut told = logs::whereabouts(finding, explained.explanation);
    let expected = finding.expectation();
    if !expected.is_empty() {
        told = format!("{told}; {expected}");
    }
    write_wrapped(&explained.words.text(&told), 6, layout, out)?;
    // Where no event is blocked, the title has it.
    let balance = finding.balance().filter(|_| !finding.blocked().is_empty());
    let told = balance.map(str::to_owned).into_iter().chain(finding.cycle());
    told.into_iter().try_for_each(|text| write_wrapped(&visible(&text), 6, layout, out))
}

fn write_wrapped(text: &str, indent: usize, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let lines = wrapped(text, layout.width.saturating_sub(indent));
    lines.iter().try_for_each(|line| writeln!(out, "{:indent$}{line}", ""))
}

/// Where the events that are wrong, or possible instead, stand in the specification.
fn write_spec_places(places: &SpecPlaces, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    const TITLE: &str = "in the specification, ";
    if places.places.is_empty() {
        return Ok(());
    }
    let room = layout.width.saturating_sub(TITLE.len());
    writeln!(out, "\n{TITLE}{}", cut_start(&visible(&places.path), room))?;
    let cells = |place: &SpecPlace| -> Vec<String> {
        let at = format!("{}:{}", place.line, place.column);
        [&*place.event, &*at, &*place.text].map(|cell| visible(cell).into_owned()).to_vec()
    };
    let rows: Vec<Vec<String>> = places.places.iter().map(cells).collect();
    let widths = table::widths(&rows, layout.width.saturating_sub(2));
    for row in &rows {
        writeln!(out, "  {}", table::line(row, &widths))?;
    }
    if places.left_out > 0 {
        let more = format!("… and {}", counted(places.left_out as u64, "more place"));
        writeln!(out, "  {}", layout.paint.dim(&more))?;
    }
    Ok(())
}

/// The rows: place, location, event, the line of the log.
fn write_timeline(
    explained: &Explained<'_>,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (timeline, words) = (explained.timeline, explained.words);
    // The mark and the blanks before the columns.
    const INDENT: usize = 2;
    let one_file = one_file(timeline);
    if let Some(file) = one_file {
        let room = layout.width.saturating_sub("  lines of ".len());
        writeln!(out, "  lines of {}", cut_start(&visible(file), room))?;
    }
    let cells = timeline.rows.iter().map(|row| cells(row, one_file.is_some()));
    let cells: Vec<Vec<String>> = cells.collect();
    let widths = table::widths(&cells, layout.width.saturating_sub(INDENT));
    let mut last: Option<&str> = None;
    for (row, cells) in timeline.rows.iter().zip(&cells) {
        if row.before > 0 {
            let skipped = counted(row.before as u64, "event");
            writeln!(out, "  {}", layout.paint.dim(&format!("… {skipped}")))?;
        }
        if !timeline.in_order && last.is_some_and(|last| last != row.location) {
            writeln!(out)?;
        }
        last = Some(&row.location);
        write_row(row, &table::line(cells, &widths), layout, out)?;
    }
    if timeline.after > 0 {
        let skipped = counted(timeline.after as u64, "event");
        let note = format!("… {skipped}; {} shows all", words.text("‹full›"));
        writeln!(out, "  {}", layout.paint.dim(&note))?;
    }
    Ok(())
}

/// The file of all rows, if they come from one and have lines.
fn one_file(timeline: &Timeline) -> Option<&str> {
    let mut places = timeline.rows.iter().filter_map(|row| row.place.as_ref());
    let first = places.next()?;
    let same = |place: &Place| place.file == first.file && place.line.is_some();
    (first.line.is_some() && places.all(same)).then_some(&first.file)
}

/// Characters of a place; the end of a path tells more than its start.
const MAX_PLACE: usize = 30;

fn place(place: &Place, is_in_one_file: bool) -> String {
    let whole = place.to_string();
    match is_in_one_file {
        true => whole[place.file.len()..].to_owned(),
        false => cut_start(&whole, MAX_PLACE),
    }
}

fn cells(row: &TimelineRow, is_in_one_file: bool) -> Vec<String> {
    let place = row.place.as_ref().map_or_else(String::new, |it| place(it, is_in_one_file));
    // People count from 1.
    let number = row.event.as_ref().map_or_else(String::new, |_| (row.index + 1).to_string());
    let event = row.event.as_deref().unwrap_or("(end of the log)");
    let line = row.line.as_deref().unwrap_or("");
    let cells = [&*row.location, &*number, event, &*place, line];
    cells.iter().map(|cell| visible(cell).into_owned()).collect()
}

fn write_row(row: &TimelineRow, text: &str, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let Layout { paint, width } = layout;
    let (Some(code), Some(expected)) = (row.code, &row.expected) else {
        return match row.state {
            EventState::NotReached | EventState::NotExamined => {
                writeln!(out, "  {}", paint.dim(text))
            }
            EventState::Explained => writeln!(out, "  {text}"),
            EventState::Blocked => {
                let [mark, text] = [">", text].map(|it| paint.level(Level::Error, it));
                writeln!(out, "{mark} {text}")
            }
        };
    };
    writeln!(out, "{} {}", paint.level(Level::Error, ">"), paint.level(Level::Error, text))?;
    let expected = expected.text_at(code, row.event.is_some());
    let told = format!("{}: {expected}", code.name());
    for line in wrapped(&told, width.saturating_sub(4)) {
        writeln!(out, "    {}", paint.dim(&line))?;
    }
    Ok(())
}

/// The actions in order, those nobody observed in parentheses.
fn write_witness(
    steps: &[Step<'_>],
    words: Words,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unobserved = steps.iter().filter(|step| !step.observed).count();
    let note = match unobserved {
        0 => String::new(),
        number => format!(", {number} of them unobserved, in parentheses"),
    };
    let count = counted(steps.len() as u64, "action");
    writeln!(out, "an accepted global trace of {count}{note}:")?;
    let word = |step: &Step<'_>| match step.observed {
        true => visible(step.action).into_owned(),
        false => format!("({})", visible(step.action)),
    };
    let shown: Vec<String> = steps.iter().take(LONGEST_WITNESS).map(word).collect();
    write_wrapped(&shown.join(" "), 2, layout, out)?;
    if steps.len() > LONGEST_WITNESS {
        let more = counted((steps.len() - LONGEST_WITNESS) as u64, "more action");
        writeln!(out, "  … {more}; {} has them all", words.text("‹json›"))?;
    }
    Ok(())
}

/// The meaning of a code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeMeaning {
    #[serde(rename = "type")]
    kind: &'static str,
    /// The code as it is printed.
    #[serde(rename = "code")]
    pub name: &'static str,
    /// The meaning of the code, in a few words.
    pub title: String,
    /// The name of the cause, for failures.
    pub cause: Option<&'static str>,
    /// The remedy.
    pub remedy: String,
}

impl CodeMeaning {
    /// The code of this name, of a finding or of a warning, in the words of a front end.
    ///
    /// # Errors
    /// When no code has this name: a text that lists all.
    pub fn of_name(name: &str, words: Words) -> Result<CodeMeaning, String> {
        let codes = || {
            let findings = Code::ALL.into_iter().map(|code| CodeMeaning::of_finding(code, words));
            let warnings = WarningCode::ALL.into_iter();
            findings.chain(warnings.map(|code| CodeMeaning::of_warning(code, words)))
        };
        codes().find(|code| code.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<&str> = codes().map(|code| code.name).collect();
            format!("{name} is not a code; the codes are {}", names.join(", "))
        })
    }

    /// The code of a finding, in the words of a front end.
    pub fn of_finding(code: Code, words: Words) -> CodeMeaning {
        CodeMeaning::new(code.name(), code.cause(), [code.title(), code.remedy()], words)
    }

    /// The code of a warning of a specification, in the words of a front end.
    pub fn of_warning(code: WarningCode, words: Words) -> CodeMeaning {
        CodeMeaning::new(code.name(), None, [code.title(), code.remedy()], words)
    }

    fn new(
        name: &'static str,
        cause: Option<&'static str>,
        texts: [&str; 2],
        words: Words,
    ) -> CodeMeaning {
        let [title, remedy] = texts.map(|text| words.text(text).into_owned());
        CodeMeaning { kind: "code", name, title, cause, remedy }
    }
}

/// Writes the meaning of a code and its remedy.
///
/// # Errors
/// When `out` takes no more.
pub fn write_code(code: &CodeMeaning, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", layout.paint.bold(code.name))?;
    write_wrapped(&code.title, 2, layout, out)?;
    if let Some(cause) = code.cause {
        let told = match cause {
            "local" => "one log alone is impossible",
            "inter" => "no path through the specification has all logs",
            _ => "no order of the events has all logs",
        };
        write_wrapped(&format!("cause: {told} ({cause})"), 2, layout, out)?;
    }
    write_wrapped(&format!("what to do: {}", code.remedy), 2, layout, out)
}

/// Writes the same as one JSON object.
///
/// # Errors
/// When `out` takes no more.
pub fn write_code_json(code: &CodeMeaning, out: &mut dyn Write) -> io::Result<()> {
    write_pretty(&mut *out, code)?;
    writeln!(out)
}
