//! SARIF 2.1.0: a rule for each code, a result for each group, and in it a thread flow for each
//! location with its events as steps.

use crate::codes::Code;
use crate::explanation::{EventExplanation, LocationExplanation};
use crate::groups::{FindingGroup, Member};
use crate::json_text::write_pretty;
use crate::repair_view::RepairView;
use crate::run_report::{InputError, Remark, ReportedGroup, RunReport, Standing};
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
    let groups = report.groups_and_news().map(|(group, is_new)| result(report, group, is_new));
    let remarks = report.remarks().into_iter().map(remark_result);
    let driver = json!({
        "name": "multitrace",
        "version": report.version,
        "rules": Code::ALL.iter().map(|code| rule(report, *code)).collect::<Vec<_>>(),
    });
    let run = json!({
        "tool": {"driver": driver},
        "invocations": [{
            "executionSuccessful": report.summary.errors == 0,
            "toolExecutionNotifications": report.errors.iter().map(|it| notification(report, it)).collect::<Vec<_>>(),
        }],
        "columnKind": "unicodeCodePoints",
        "results": groups.chain(remarks).collect::<Vec<_>>(),
        "properties": {
            "specification": report.specification,
            "observation": report.observation,
            "summary": report.summary,
        },
    });
    let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]});
    write_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn rule(report: &RunReport, code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": {"text": report.spelled(code.title())},
        "help": {"text": report.spelled(code.remedy())},
    })
}

fn index(code: Code) -> usize {
    Code::ALL.iter().position(|&other| other == code).unwrap_or_default()
}

fn text(words: &str) -> Value {
    json!({"text": shorten(words, MAX_TEXT)})
}

fn result(report: &RunReport, reported: &ReportedGroup, is_new: bool) -> Value {
    let ReportedGroup { fingerprint, group, standing, .. } = reported;
    let fault = |(code, it): &(Code, String)| format!("{} {}", code.name(), report.spelled(it));
    let faults: Vec<String> = group.faults.iter().map(fault).collect();
    let blocked = group.finding.blocked();
    let count = counted(group.count, "session");
    let message = format!("{} ({count}: {})", reported.sentence(report.words), reported.members());
    let mut result = json!({
        "ruleId": group.finding.code.name(),
        "ruleIndex": index(group.finding.code),
        "level": standing.level().name(),
        "message": text(&message),
        "locations": [location(report, group.place.as_ref(), blocked.first().map(|(location, _)| *location))],
        "partialFingerprints": {"multitraceFinding/v3": fingerprint},
        "occurrenceCount": group.count,
        "properties": {
            "verdict": group.verdict,
            "faults": faults,
            "knownPlaces": reported.known_places,
            "standing": standing,
            "sessions": members(report, group),
            "repair": group.repair.clone().map(RepairView::without_places),
        },
    });
    let session = group.example.place.as_ref();
    let flows: Vec<Value> =
        group.example.locations.iter().filter_map(|it| thread_flow(report, it, session)).collect();
    if is_new && !flows.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": flows}]);
    }
    if report.has_baseline {
        let known = *standing == Standing::Known;
        result["baselineState"] = json!(if known { "unchanged" } else { "new" });
    }
    if *standing == Standing::Known {
        let suppression =
            json!({"kind": "external", "justification": report.spelled(standing.excuse())});
        result["suppressions"] = json!([suppression]);
    }
    result
}

/// The sessions that are named, with their places inside the repository.
fn members(report: &RunReport, group: &FindingGroup) -> Vec<Value> {
    let member = |member: &Member| {
        let mut object = json!({"session": member.session});
        let place = member.place.as_ref();
        if let Some((place, file)) =
            place.and_then(|it| Some((it, report.platform_path(&it.file)?)))
        {
            object["file"] = json!(file);
            object["line"] = json!(place.line);
            if let Some(record) = place.record {
                object["record"] = json!(record);
            }
        }
        object
    };
    group.members.iter().map(member).collect()
}

fn remark_result(remark: Remark) -> Value {
    let Remark { code, level, message, sessions } = remark;
    let mut result = json!({
        "ruleId": code.name(),
        "ruleIndex": index(code),
        "level": level.name(),
        "message": text(&message),
    });
    if sessions > 0 {
        result["occurrenceCount"] = json!(sessions);
    }
    result
}

/// Where to look: a place in a file, and the location of the system.
fn location(report: &RunReport, place: Option<&Place>, blamed: Option<&str>) -> Value {
    let mut location = json!({});
    let known = place.and_then(|it| Some((report.platform_path(&it.file)?, it.line)));
    if let Some((path, line)) = known {
        location["physicalLocation"] = file(&path, line);
    }
    if let Some(blamed) = blamed {
        location["logicalLocations"] = json!([{"name": blamed, "kind": "location"}]);
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

/// A relative path as the reference of a URI.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let encode = |byte: u8| match byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(encode).collect()
}

/// The log of one location; `None` if it has nothing to show. Platforms want a place for every
/// step, so one that has none stands where the session does.
fn thread_flow(
    report: &RunReport,
    location: &LocationExplanation,
    session: Option<&Place>,
) -> Option<Value> {
    let place = |event: &EventExplanation| event.place.as_ref().or(session).cloned();
    let mut steps: Vec<Value> =
        location.log.iter().map(|event| step(report, location, event, place(event))).collect();
    if let Some(end) = location.mark(location.length) {
        let expected = end.expected.text_at(end.code, false);
        let message = format!("{}: the log ends here; {expected}", location.location);
        let last = location.log.last().and_then(place).or(session.cloned());
        steps.push(essential(report, &message, last));
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

fn step(
    report: &RunReport,
    location: &LocationExplanation,
    event: &EventExplanation,
    place: Option<Place>,
) -> Value {
    let name = visible(&event.event);
    if let Some(mark) = location.mark(event.index) {
        let expected = mark.expected.text_at(mark.code, true);
        return essential(report, &format!("{name} does not fit; {expected}"), place);
    }
    json!({"location": described(report, &name, place)})
}

fn essential(report: &RunReport, message: &str, place: Option<Place>) -> Value {
    json!({"location": described(report, message, place), "importance": "essential"})
}

fn described(report: &RunReport, message: &str, place: Option<Place>) -> Value {
    let mut described = location(report, place.as_ref(), None);
    described["message"] = text(message);
    described
}

fn notification(report: &RunReport, error: &InputError) -> Value {
    let place = Place::new(error.place.file.as_str(), error.place.line);
    json!({
        "descriptor": {"id": error.code.name()},
        "level": "error",
        "message": text(&visible(&error.place.message)),
        "locations": [location(report, Some(&place), None)],
    })
}
