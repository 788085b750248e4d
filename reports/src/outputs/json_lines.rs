//! The format `json-lines`: one object for each session in input order, one for each input
//! error in its place, and a summary at the end.

use crate::codes::Code;
use crate::costs::Cost;
use crate::finding::Finding;
use crate::frontier_view::{FrontierRow, NamedEvent};
use crate::json_text::{write_compact, write_text};
use crate::outputs::finding_object::{self, CutObject, FaultObject, FindingObject};
use crate::reason::reason_text;
use crate::repair_view::RepairView;
use crate::run_report::RunReport;
use multitrace_formats::place::Place;
use multitrace_formats::problem::ProblemPlace;
use multitrace_formats::remedy::Words;
use multitrace_interaction::{Alphabet, Engine, Verdict, Witness};
use serde::Serialize;
use std::io::{self, Write};

/// One session's verdict.
#[derive(Clone, Copy, Debug)]
pub struct SessionLine<'a> {
    /// The name of the session in the input.
    pub session: &'a str,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The findings that are certain of a session that fails.
    pub findings: &'a [Finding],
    /// The findings that are certain of a session that fails.
    pub evidence: &'a [Finding],
    /// The place of each finding, where single events have places; empty if none has.
    pub places: &'a [Option<Place>],
    /// How many causes of a failure are left out, since they repeat others.
    pub omitted: u64,
    /// The repair of a failing session, if it was asked for.
    pub repair: Option<&'a RepairView>,
    /// The accepted global trace of a pass, if it was asked for.
    pub witness: Option<&'a Witness>,
    /// The engine that decided.
    pub engine: Engine,
    /// The cost of deciding it, if that was asked for and its verdict was not remembered.
    pub cost: Option<Cost>,
    /// Whether the log of an accepted session was cut off.
    pub cut_off: bool,
    /// Whether the session would fail the run, if the baseline had not all of its findings.
    pub known: bool,
    /// Where to look: the place of the wrong event if it is known, else of the session.
    pub place: Option<&'a Place>,
    /// The words of the front end.
    pub words: Words,
}

#[derive(Serialize)]
struct Typed<T> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    rest: T,
}

#[derive(Serialize, Default)]
struct SessionObject<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    session: &'a str,
    verdict: &'static str,
    /// Present and true if the session is accepted, and its log was cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut_off: bool,
    /// Present and true if the baseline has all findings of the session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    /// `null` if a local trace ended too early.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Option<&'a str>>,
    /// Present and true if the specification does not know the event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier: Option<&'a [FrontierRow]>,
    /// Present and false if the search for the furthest interleaving was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier_complete: Option<bool>,
    #[serde(skip_serializing_if = "<[NamedEvent]>::is_empty")]
    cycle: &'a [NamedEvent],
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The locations that logged nothing, if that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<&'a [String]>,
    /// How far the search got and the next budget to try, if a budget is the reason.
    #[serde(flatten)]
    cut: Option<CutObject<'a>>,
    /// Why it is not decided, or accepted only as a part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultObject<'a>>,
    /// Faults beyond the first of their location.
    #[serde(skip_serializing_if = "is_zero")]
    faults_omitted: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<FindingObject<'a>>,
    /// Items of evidence that repeat others of their location.
    #[serde(skip_serializing_if = "is_zero")]
    evidence_omitted: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<&'a RepairView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<WitnessObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<usize>,
}

#[derive(Serialize)]
struct WitnessObject<'a> {
    action: &'a str,
    observed: bool,
}

/// Writes the object of one session, and a line end. The alphabet names the actions of a witness.
pub fn write_session_line(report: &SessionLine<'_>, alphabet: &Alphabet, line: &mut Vec<u8>) {
    if is_short(report) {
        return write_short_line(report, line);
    }
    let mut object = SessionObject {
        kind: "session",
        session: report.session,
        verdict: report.verdict.name(),
        cost: report.cost,
        cut_off: report.cut_off,
        known: report.known,
        engine: Some(report.engine.name()),
        file: report.place.map(|place| &*place.file),
        line: report.place.and_then(|place| place.line),
        record: report.place.and_then(|place| place.record),
        ..SessionObject::default()
    };
    match report.verdict {
        Verdict::Pass | Verdict::WeakPass => {
            object.findings = finding_object::list(report.findings, report.places, report.words);
        }
        Verdict::Inconclusive(reason) => {
            object.findings = finding_object::list(report.findings, report.places, report.words);
            object.reason = Some(reason_text(reason, alphabet));
            let finding = report.findings.first();
            object.cut = finding.and_then(|it| finding_object::cut(it, report.words));
            object.absent = finding.map(|it| &it.absent[..]).filter(|absent| !absent.is_empty());
        }
        Verdict::Fail(failure) => {
            object.cause = Some(failure.main().name());
            describe_failure(&mut object, report);
        }
    }
    object.repair = report.repair;
    object.witness = report.witness.map(|witness| {
        let steps = witness.steps.iter();
        steps
            .map(|step| WitnessObject {
                action: alphabet.letter_name(step.letter),
                observed: step.observed,
            })
            .collect()
    });
    // Strings, numbers and lists of them can always be written, and a vector takes them.
    write_compact(&mut *line, &object).expect("plain data");
    line.push(b'\n');
}

/// Whether there is nothing to say of a session but that it is accepted, as of most sessions.
fn is_short(report: &SessionLine<'_>) -> bool {
    let is_accepted = matches!(report.verdict, Verdict::Pass | Verdict::WeakPass);
    let has_findings = !report.findings.is_empty() || report.omitted > 0;
    let is_extended = report.repair.is_some() || report.witness.is_some() || report.place.is_some();
    is_accepted && !has_findings && !is_extended && !report.cut_off && !report.known
}

/// Writes the line of such a session, as a [`SessionObject`] is written.
fn write_short_line(report: &SessionLine<'_>, line: &mut Vec<u8>) {
    line.extend_from_slice(br#"{"type":"session","session":"#);
    write_text(line, report.session);
    line.extend_from_slice(br#","verdict":""#);
    line.extend_from_slice(report.verdict.name().as_bytes());
    line.extend_from_slice(br#"","engine":""#);
    line.extend_from_slice(report.engine.name().as_bytes());
    line.extend_from_slice(b"\"}\n");
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Fills in the faults, with the flat fields of the main one, and the evidence.
fn describe_failure<'a>(object: &mut SessionObject<'a>, report: &SessionLine<'a>) {
    let SessionLine { findings, evidence, .. } = *report;
    object.faults = finding_object::faults(findings, report.places, report.words);
    object.faults_omitted = (findings.len() - object.faults.len()) as u64;
    object.evidence = finding_object::list(evidence, &[], report.words);
    object.evidence_omitted = report.omitted + (evidence.len() - object.evidence.len()) as u64;
    if let Some(main) = findings.first().filter(|main| main.location.is_some()) {
        let same = |it: &&Finding| it.location == main.location && it.index == main.index;
        let certain = evidence.iter().find(same).unwrap_or(main);
        object.location = main.location.as_deref();
        object.index = main.index;
        object.event = Some(main.event.as_deref());
        object.unknown = matches!(main.code, Code::UnknownEvent | Code::UnknownLocation);
        object.expected = Some(&certain.expected);
    }
    if let Some(frontier) = evidence.first().and_then(|first| first.frontier.as_ref()) {
        object.frontier = Some(&frontier.locations);
        object.frontier_complete = (!frontier.complete).then_some(false);
        object.cycle = &frontier.cycle;
        object.balance = frontier.balance.as_deref();
    }
}

/// Writes the end of the report: the summary. The lines of sessions are written as they come.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", line("summary", report.full_summary()))
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    #[serde(flatten)]
    error: &'a ProblemPlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    further: Option<u64>,
}

/// The object of an input error and of the number of further ones of its kind, without a line end.
pub fn error_line(error: &ProblemPlace, further: u64) -> String {
    line("error", ErrorLine { error, further: Some(further).filter(|&it| it > 0) })
}

fn line(kind: &'static str, rest: impl Serialize) -> String {
    // Strings, numbers and lists of them can always be written.
    let mut line = Vec::new();
    write_compact(&mut line, &Typed { kind, rest }).expect("plain data");
    String::from_utf8_lossy(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_names::SessionNames;
    use crate::summary::Summary;
    use multitrace_interaction::{
        Cause, Failure, Frontier, Id, LetterId, LocalFailure, LocationId, Session,
    };

    fn report(cause: Cause) -> String {
        let mut alphabet = Alphabet::default();
        let broker = alphabet.add_location("broker").expect("a new name");
        let publish = alphabet.add_letter("broker?pub", broker).expect("a new name");
        alphabet.add_letter("broker?end", broker).expect("a new name");
        let verdict = Verdict::Fail(Failure::single(cause));
        let mut session = Session { trace: vec![vec![publish; 3]], ..Session::default() };
        if matches!(&verdict, Verdict::Fail(failure) if matches!(failure.main(), Cause::Local(it) if it.event.is_some()))
        {
            session.trace[0].push(publish);
        }
        let findings =
            Finding::of(&verdict, &SessionNames { session: &session, alphabet: &alphabet });
        let report = SessionLine {
            words: Words::default(),
            session: "s\"1",
            verdict: &verdict,
            findings: &findings,
            evidence: &findings,
            places: &[],
            omitted: 0,
            repair: None,
            witness: None,
            engine: Engine::Nfa,
            cost: None,
            cut_off: false,
            known: false,
            place: None,
        };
        let mut line = Vec::new();
        write_session_line(&report, &alphabet, &mut line);
        String::from_utf8(line).expect("JSON is text").trim_end().to_owned()
    }

    /// The fourth event is impossible, or missing; the letters are `broker?pub` and `broker?end`.
    fn local(event: Option<usize>, expected: &[usize]) -> Cause {
        Cause::Local(LocalFailure {
            location: LocationId::ZERO,
            index: 3,
            event: event.map(LetterId::new),
            expected: expected.iter().map(|&letter| LetterId::new(letter)).collect(),
        })
    }

    #[test]
    fn a_local_failure_has_the_fields_scripts_rely_on() {
        let text = report(local(Some(0), &[1]));
        let start = r#"{"type":"session","session":"s\"1","verdict":"fail","cause":"local","location":"broker","index":3,"event":"broker?pub","expected":["broker?end"],"faults":[{"code":"MT101","location":"broker","index":3,"event":"broker?pub","after":null,"consequences":0,"exact":false,"sentence":"broker?pub is impossible at broker","kind":""#;
        assert!(text.starts_with(start), "{text}");
        assert!(text.ends_with(r#""}],"engine":"nfa"}"#), "{text}");
    }

    #[test]
    fn an_early_end_has_a_null_event() {
        let text = report(local(None, &[]));
        assert!(text.contains(r#""index":3,"event":null,"expected":[]"#), "{text}");
    }

    #[test]
    fn the_summary_counts_causes() {
        let mut summary = Summary::default();
        let inter = Failure::single(Cause::Inter(Frontier::default()));
        summary.add(&Verdict::Fail(inter), 17);
        summary.add(&Verdict::Pass, 3);
        let text = line("summary", summary);
        assert!(text.starts_with(r#"{"type":"summary","sessions":2,"events":20,"pass":1,"weak_pass":0,"fail":1,"inconclusive":0,"causes":{"local":0,"inter":1,"central":0},"errors":0"#), "{text}");
    }
}
