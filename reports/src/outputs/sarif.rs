//! SARIF 2.1.0: a rule for each code, a result for each group, and in it a thread flow for each
//! location with its events as steps.

use crate::codes::Code;
use crate::explanation::{EventExplanation, EventState, LocationExplanation};
use crate::run_report::{InputError, ReportedGroup, RunReport, Standing};
use crate::text::counted;
use multitrace_formats::place::Place;
use multitrace_formats::shorten::{shorten, visible};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Characters of a message. Code scanning accepts longer ones; 1,000 groups then stay small.
const MAX_TEXT: usize = 1_000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let groups = report.groups.iter().map(|group| result(report, group));
    let rest = (report.rest.sessions > 0).then(|| rest_result(report));
    let driver = json!({
        "name": "multitrace",
        "version": report.version,
        "rules": Code::ALL.map(rule),
    });
    let run = json!({
        "tool": {"driver": driver},
        "invocations": [{
            "executionSuccessful": report.summary.errors == 0,
            "toolExecutionNotifications": report.errors.iter().map(notification).collect::<Vec<_>>(),
        }],
        "columnKind": "unicodeCodePoints",
        "results": groups.chain(rest).collect::<Vec<_>>(),
        "properties": {
            "specification": report.specification,
            "observation": report.observation,
            "summary": report.summary,
        },
    });
    let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": {"text": code.title()},
        "help": {"text": code.remedy()},
    })
}

fn index(code: Code) -> usize {
    Code::ALL.iter().position(|&other| other == code).unwrap_or_default()
}

fn text(words: &str) -> Value {
    json!({"text": shorten(words, MAX_TEXT)})
}

fn result(report: &RunReport, reported: &ReportedGroup) -> Value {
    let ReportedGroup { fingerprint, group, standing } = reported;
    let count = counted(group.count, "session");
    let message = format!("{} ({count}: {})", reported.sentence(), reported.members());
    let mut result = json!({
        "ruleId": group.code.name(),
        "ruleIndex": index(group.code),
        "level": standing.level().name(),
        "message": text(&message),
        "locations": [location(group.example.points_at(), group.example.blamed().next())],
        "partialFingerprints": {"multitraceGroup/v1": fingerprint},
        "occurrenceCount": group.count,
        "properties": {
            "verdict": group.verdict,
            "cause": group.cause,
            "standing": standing,
            "sessions": group.members,
        },
    });
    let session = group.example.place.as_ref();
    let flows: Vec<Value> =
        group.example.locations.iter().filter_map(|it| thread_flow(it, session)).collect();
    if !flows.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": flows}]);
    }
    if report.has_baseline {
        let known = *standing == Standing::Known;
        result["baselineState"] = json!(if known { "unchanged" } else { "new" });
    }
    if *standing == Standing::Known {
        let suppression = json!({"kind": "external", "justification": standing.excuse()});
        result["suppressions"] = json!([suppression]);
    }
    result
}

fn rest_result(report: &RunReport) -> Value {
    json!({
        "ruleId": Code::Rest.name(),
        "ruleIndex": index(Code::Rest),
        "level": report.rest_level().name(),
        "message": text(&report.rest_title()),
        "locations": [{"physicalLocation": file(&report.specification, None)}],
        "occurrenceCount": report.rest.sessions,
    })
}

/// Where to look: a place in a file, and the location of the system.
fn location(place: Option<&Place>, blamed: Option<&LocationExplanation>) -> Value {
    let mut location = json!({});
    if let Some(place) = place {
        location["physicalLocation"] = file(&place.file, place.line);
    }
    if let Some(blamed) = blamed {
        location["logicalLocations"] = json!([{"name": blamed.location, "kind": "location"}]);
    }
    location
}

fn file(name: &str, line: Option<usize>) -> Value {
    let mut file = json!({"artifactLocation": {"uri": uri(name)}});
    if let Some(line) = line {
        file["region"] = json!({"startLine": line.max(1)});
    }
    file
}

/// A path as the reference of a URI: relative ones stay so.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let encode = |byte: u8| match byte {
        b'\\' if cfg!(windows) => "/".to_owned(),
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let encoded: String = path.bytes().map(encode).collect();
    if encoded.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

/// The log of one location; `None` if it has nothing to show. Platforms want a place for every
/// step, so one that has none stands where the session does.
fn thread_flow(location: &LocationExplanation, session: Option<&Place>) -> Option<Value> {
    let place = |event: &EventExplanation| event.place.as_ref().or(session).cloned();
    let mut steps: Vec<Value> =
        location.log.iter().map(|event| step(location, event, place(event))).collect();
    if location.blamed && location.blocked().is_none() {
        let expected = location.expected.text(None);
        let message = format!("{}: the log ends here; {expected}", location.location);
        let last = location.log.last().and_then(place).or(session.cloned());
        steps.push(essential(&message, last));
    }
    if steps.is_empty() {
        return None;
    }
    Some(json!({
        "id": location.location,
        "message": text(&visible(&location.location)),
        "locations": steps,
        "properties": {
            "events": location.length,
            "explained": location.explained,
            "expected": location.expected.events,
        },
    }))
}

fn step(location: &LocationExplanation, event: &EventExplanation, place: Option<Place>) -> Value {
    let name = visible(&event.event);
    if event.state == EventState::Blocked {
        let expected = location.expected.text(Some(event));
        return essential(&format!("{name} does not fit; {expected}"), place);
    }
    json!({"location": described(&name, place)})
}

fn essential(message: &str, place: Option<Place>) -> Value {
    json!({"location": described(message, place), "importance": "essential"})
}

fn described(message: &str, place: Option<Place>) -> Value {
    let mut described = location(place.as_ref(), None);
    described["message"] = text(message);
    described
}

fn notification(error: &InputError) -> Value {
    json!({
        "descriptor": {"id": error.code.name()},
        "level": "error",
        "message": text(&visible(&error.place.message)),
        "locations": [{"physicalLocation": file(&error.place.file, error.place.line)}],
    })
}
