//! `--output-format json-lines`: one object for each session in input order, one for each input
//! error in its place, and a summary at the end.

use crate::run_report::RunReport;
use crate::summary::Summary;
use multitrace_formats::place::Place;
use multitrace_formats::problem::ProblemPlace;
use multitrace_interaction::{
    Alphabet, Cause, Engine, Frontier, FrontierEntry, InconclusiveReason, Verdict, Witness,
};
use serde::Serialize;
use std::io::{self, Write};

/// One session's verdict.
#[derive(Clone, Copy, Debug)]
pub struct SessionLine<'a> {
    /// What the input calls the session.
    pub session: &'a str,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The accepted global trace of a pass, if it was asked for.
    pub witness: Option<&'a Witness>,
    /// What gave the verdict.
    pub engine: Engine,
    /// Where to look: the place of the wrong event if it is known, else of the session.
    pub place: Option<&'a Place>,
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
    frontier: Option<Vec<FrontierObject<'a>>>,
    /// Present and false if the search for the furthest interleaving was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier_complete: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The locations that logged nothing, if that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<WitnessObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Serialize)]
struct FrontierObject<'a> {
    location: &'a str,
    explained: usize,
    length: usize,
    event: Option<&'a str>,
    expected: &'a [String],
}

#[derive(Serialize)]
struct WitnessObject<'a> {
    action: &'a str,
    observed: bool,
}

impl<'a> From<&'a FrontierEntry> for FrontierObject<'a> {
    fn from(entry: &'a FrontierEntry) -> Self {
        FrontierObject {
            location: &entry.location,
            explained: entry.explained,
            length: entry.length,
            event: entry.event.as_deref(),
            expected: &entry.expected,
        }
    }
}

/// Writes the object of one session, and a line end. The alphabet names the actions of a witness.
pub fn write_session_line(report: &SessionLine<'_>, alphabet: &Alphabet, line: &mut Vec<u8>) {
    let mut object = SessionObject {
        kind: "session",
        session: report.session,
        verdict: report.verdict.name(),
        engine: Some(report.engine.name()),
        file: report.place.map(|place| &*place.file),
        line: report.place.and_then(|place| place.line),
        ..SessionObject::default()
    };
    match report.verdict {
        Verdict::Pass | Verdict::WeakPass => {}
        Verdict::Inconclusive(reason) => {
            object.reason = Some(reason.to_string());
            if let InconclusiveReason::Partial(locations) = reason {
                object.absent = Some(locations);
            }
        }
        Verdict::Fail(cause) => describe_cause(&mut object, cause),
    }
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
    serde_json::to_writer(&mut *line, &object).expect("plain data");
    line.push(b'\n');
}

fn describe_cause<'a>(object: &mut SessionObject<'a>, cause: &'a Cause) {
    object.cause = Some(cause.name());
    match cause {
        Cause::Local(failure) => {
            object.location = Some(&failure.location);
            object.index = Some(failure.index);
            object.event = Some(failure.event.as_deref());
            object.unknown = !failure.known;
            object.expected = Some(&failure.expected);
        }
        Cause::Inter(frontier) | Cause::Central(frontier) => describe_frontier(object, frontier),
    }
}

fn describe_frontier<'a>(object: &mut SessionObject<'a>, frontier: &'a Frontier) {
    object.frontier = Some(frontier.locations.iter().map(FrontierObject::from).collect());
    object.frontier_complete = (!frontier.complete).then_some(false);
}

/// Writes the end of the report: the summary. The lines of sessions are written as they come.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", summary_line(&report.summary))
}

/// The object of an input error, without a line end.
pub fn error_line(error: &ProblemPlace) -> String {
    line("error", error)
}

/// The object that ends a run, without a line end.
pub fn summary_line(summary: &Summary) -> String {
    line("summary", summary)
}

fn line(kind: &'static str, rest: impl Serialize) -> String {
    // Strings, numbers and lists of them can always be written.
    serde_json::to_string(&Typed { kind, rest }).expect("plain data")
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::LocalFailure;

    fn report(verdict: &Verdict) -> String {
        let report = SessionLine {
            session: "s\"1",
            verdict,
            witness: None,
            engine: Engine::Nfa,
            place: None,
        };
        let mut line = Vec::new();
        write_session_line(&report, &Alphabet::default(), &mut line);
        String::from_utf8(line).expect("JSON is text").trim_end().to_owned()
    }

    #[test]
    fn a_local_failure_has_the_fields_scripts_rely_on() {
        let failure = LocalFailure {
            location: "broker".to_owned(),
            index: 3,
            event: Some("broker?pub".to_owned()),
            known: true,
            expected: vec!["broker?end".to_owned()],
        };
        assert_eq!(
            report(&Verdict::Fail(Cause::Local(failure))),
            r#"{"type":"session","session":"s\"1","verdict":"fail","cause":"local","location":"broker","index":3,"event":"broker?pub","expected":["broker?end"],"engine":"nfa"}"#
        );
    }

    #[test]
    fn an_early_end_has_a_null_event() {
        let failure = LocalFailure {
            location: "a".to_owned(),
            index: 1,
            event: None,
            known: true,
            expected: vec![],
        };
        let text = report(&Verdict::Fail(Cause::Local(failure)));
        assert!(text.contains(r#""index":1,"event":null,"expected":[]"#), "{text}");
    }

    #[test]
    fn the_summary_counts_causes() {
        let mut summary = Summary::default();
        summary.add(&Verdict::Fail(Cause::Inter(Frontier::default())), 17);
        summary.add(&Verdict::Pass, 3);
        let text = summary_line(&summary);
        assert!(text.starts_with(r#"{"type":"summary","sessions":2,"events":20,"pass":1,"weak_pass":0,"fail":1,"inconclusive":0,"causes":{"local":0,"inter":1,"central":0},"errors":0"#), "{text}");
    }
}
