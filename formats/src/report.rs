//! The objects of `--output-format json-lines` (one per session in input
//! order, one per input error in its place, and one summary at the end).

use crate::explanation::Place;
use multitrace_interaction::{
    Alphabet, Cause, Engine, Frontier, FrontierEntry, InconclusiveReason, Verdict, Witness,
};
use serde::Serialize;

/// One session's verdict.
#[derive(Clone, Copy, Debug)]
pub struct SessionReport<'a> {
    /// What the input calls the session.
    pub session: &'a str,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The accepted global trace, where asked for and there is one.
    pub witness: Option<&'a Witness>,
    /// What gave the verdict.
    pub engine: Engine,
    /// Where to look: the place of the wrong event where that is known, else of the session.
    pub place: Option<&'a Place>,
}

/// An input that could not be read or understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// The file as it was named.
    pub file: String,
    /// The line, from 1, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Sessions checked.
    pub sessions: u64,
    /// Events in them.
    pub events: u64,
    /// Sessions accepted as they are.
    pub pass: u64,
    /// Sessions accepted as parts.
    pub weak_pass: u64,
    /// Sessions not accepted.
    pub fail: u64,
    /// Sessions not decided.
    pub inconclusive: u64,
    /// The failures by cause.
    pub causes: CauseCounts,
    /// Inputs that could not be checked.
    pub errors: u64,
    /// Sessions that were read and not selected for checking. Present where there are any.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_selected: u64,
    /// Whether the run ended at `--max-failures`, leaving later input unchecked.
    pub stopped: bool,
    /// How often the terms derived so far were given up because there were too many, and derived
    /// anew. Present where that happened.
    #[serde(skip_serializing_if = "is_zero")]
    pub terms_replaced: u64,
    /// What became of the records, where the input is event logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputCounts>,
    /// How long the run took.
    pub seconds: f64,
    /// The most memory the run held at once, in bytes, where the system says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What became of the records of event logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputCounts {
    /// Records read.
    pub records: u64,
    /// Records that made events.
    pub mapped: u64,
    /// Events made, of sessions that were selected.
    pub events: u64,
    /// Records left out by filters.
    pub dropped: u64,
    /// Records that no rule matches.
    pub unmatched: u64,
    /// Events of sessions that were not selected.
    pub not_selected: u64,
    /// Files that were cut off: their last record is broken, or they could not be read on.
    pub cut_off: u64,
    /// Bytes of events that had to be put on disk for a while.
    pub spilled_bytes: u64,
}

impl InputCounts {
    /// Adds the counts of another part of the input.
    pub fn add(&mut self, part: &InputCounts) {
        self.records += part.records;
        self.mapped += part.mapped;
        self.events += part.events;
        self.dropped += part.dropped;
        self.unmatched += part.unmatched;
        self.not_selected += part.not_selected;
        self.cut_off += part.cut_off;
        self.spilled_bytes += part.spilled_bytes;
    }
}

/// Failures by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CauseCounts {
    /// A local trace alone is impossible.
    pub local: u64,
    /// The areas of the local traces do not meet.
    pub inter: u64,
    /// No interleaving is accepted.
    pub central: u64,
}

impl Summary {
    /// Adds the counts of a part of the run; whether it was stopped and its time are of the whole.
    pub fn merge(&mut self, part: &Summary) {
        self.sessions += part.sessions;
        self.events += part.events;
        self.pass += part.pass;
        self.weak_pass += part.weak_pass;
        self.fail += part.fail;
        self.inconclusive += part.inconclusive;
        self.causes.local += part.causes.local;
        self.causes.inter += part.causes.inter;
        self.causes.central += part.causes.central;
        self.errors += part.errors;
        self.not_selected += part.not_selected;
    }

    /// Counts one session.
    pub fn add(&mut self, verdict: &Verdict, events: usize) {
        self.sessions += 1;
        self.events += events as u64;
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::WeakPass => self.weak_pass += 1,
            Verdict::Inconclusive(_) => self.inconclusive += 1,
            Verdict::Fail(cause) => {
                self.fail += 1;
                match cause {
                    Cause::Local(_) => self.causes.local += 1,
                    Cause::Inter(_) => self.causes.inter += 1,
                    Cause::Central(_) => self.causes.central += 1,
                }
            }
        }
    }
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
    /// `null` where a local trace ended too early.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Option<&'a str>>,
    /// Present and true where the specification does not know the event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier: Option<Vec<FrontierObject<'a>>>,
    /// Present and false where the furthest interleaving was not looked for to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier_complete: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The locations that logged nothing, where that is the reason.
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
pub fn write_session_line(report: &SessionReport<'_>, alphabet: &Alphabet, line: &mut Vec<u8>) {
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

/// The object of an input error, without a line end.
pub fn error_line(error: &ErrorReport) -> String {
    line("error", error)
}

/// The object of a session whose check broke down, without a line end.
pub fn broken_line(session: &str, message: &str) -> String {
    #[derive(Serialize)]
    struct Broken<'a> {
        session: &'a str,
        message: &'a str,
    }
    line("error", Broken { session, message })
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
        let report = SessionReport {
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
