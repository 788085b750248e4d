//! Reports with everything in them that formats may stumble over, in every format.

use super::*;
use crate::codes::Code;
use crate::coverage::{Coverage, CoveredPart, PartKind};
use crate::demands::remark;
use crate::explanation::{Explanation, place_of};
use crate::finding::Finding;
use crate::groups::{FindingGroup, MAX_GROUPS, Member, Rest};
use crate::repository::Repository;
use crate::run_report::{ExplainCommand, InputError, MissingShards, ReportedGroup, Standing};
use crate::session_names::SessionNames;
use crate::summary::Summary;
use crate::view::View;
use multitrace_formats::place::{Place, Places};
use multitrace_formats::problem::ProblemPlace;
use multitrace_formats::remedy::{Remedy, Words};
use multitrace_interaction::{
    Alphabet, Cause, CycleEvent, ForeignTrace, Frontier, FrontierEntry, LetterId, LocalFailure,
    LocationId, Session,
};
use quick_xml::Reader;
use quick_xml::events::Event;

const NASTY: &str = "a!<m>&\"'\u{1b}[31m\n\u{fffe},:%0A\u{202e}]]>";

/// A failure at many locations with long names.
fn group(number: usize, length: usize) -> FindingGroup {
    let long = format!("{NASTY}{}", "&\"é".repeat(length));
    let names: Vec<String> = (0..25).map(|at| format!("{at}{long}")).collect();
    let mut alphabet = Alphabet::default();
    for name in &names {
        let location = alphabet.add_location(name).expect("a new name");
        alphabet.add_letter(name, location).expect("a new name");
    }
    let event = alphabet.add_letter(&long, LocationId::ZERO).expect("a new name");
    let entry = FrontierEntry {
        explained: 10,
        index: 10,
        length: 30,
        event: Some(event),
        expected: alphabet.letters().take(names.len()).collect(),
    };
    let frontier = Frontier {
        locations: vec![entry; names.len()],
        complete: number.is_multiple_of(2),
        cycle: vec![CycleEvent { location: LocationId::ZERO, index: 10 }],
        imbalance: None,
    };
    let id = format!("s{number}{NASTY}");
    let trace = vec![vec![event; 30]; names.len()];
    let session = Session { id: id.clone(), trace, ..Session::default() };
    let names = SessionNames { session: &session, alphabet: &alphabet };
    let finding = Finding::of_cause(&Cause::Central(frontier), &names);
    let place = Place::new("./logs, a:b/100%.jsonl", Some(number + 1));
    let findings = std::slice::from_ref(&finding);
    let example = Explanation::new(&names, (&[], findings), &place, &View::EXCERPT);
    let group =
        FindingGroup::new(&finding, "fail", (example, Vec::new()), None, Some(place.clone()));
    FindingGroup {
        count: 7,
        members: vec![Member { session: id, place: Some(place), ..Member::default() }],
        ..group
    }
}

fn never_taken() -> CoveredPart {
    CoveredPart {
        kind: PartKind::Message,
        line: 1,
        column: 1,
        text: NASTY.to_owned(),
        sessions: 0,
        ambiguous: false,
        branch_of: None,
    }
}

/// Remedies as options.
fn option(remedy: Remedy, _: Option<&str>) -> String {
    format!("--{}", remedy.name().replace('_', "-"))
}

fn report(groups: usize, length: usize) -> RunReport {
    let standings = [Standing::Violation, Standing::Tolerated, Standing::Allowed, Standing::Known];
    let template = group(1, length);
    let reported = |number: usize| ReportedGroup {
        fingerprint: format!("{number:032x}").parse().expect("a fingerprint"),
        group: if length > 100 { template.clone() } else { group(number, length) },
        standing: if length > 100 { Standing::Violation } else { standings[number % 4] },
        known_places: 0,
        new_place: None,
    };
    let error = |line| InputError {
        code: Code::MalformedInput,
        place: ProblemPlace {
            file: "in.jsonl".to_owned(),
            line: Some(line),
            column: Some(3),
            message: format!("broken{NASTY}"),
        },
    };
    RunReport {
        words: Words::new(option),
        version: "1.2.3".to_owned(),
        specification: "a & b.hif".to_owned(),
        observation: "complete",
        summary: Summary { sessions: 9, errors: 2, fail: 7, ..Summary::default() },
        violations: 7,
        known: 0,
        groups: (0..groups).map(reported).collect(),
        rest: Rest { kinds: 2, sessions: 3, violations: 1, uncounted: 0 },
        errors: vec![error(1), error(2)],
        errors_apart: true,
        has_baseline: true,
        absent: Vec::new(),
        repository: Some(Repository { here: "/r".into(), root: "/r".into() }),
        coverage: Some(Coverage { parts: vec![never_taken()], ..Coverage::default() }),
        min_coverage: Some(80.0),
        costs: None,
        input: vec![
            remark(Code::Unmet, format!("no{NASTY}")),
            remark(Code::InputNote, NASTY.to_owned()),
        ],
        unmatched: Vec::new(),
        diagram: None,
        missing_shards: Some(MissingShards { numbers: vec![3, 5], missing: 2, shards: 8 }),
        explain: Some(ExplainCommand {
            spec: "ab.hif".to_owned(),
            inputs: None,
            options: String::new(),
        }),
    }
}

type Writer = fn(&RunReport, &mut dyn std::io::Write) -> std::io::Result<()>;

fn written(writer: Writer, report: &RunReport) -> String {
    let mut bytes = Vec::new();
    writer(report, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("text")
}

fn written_human(report: &RunReport) -> String {
    written(|report, out| human::write(report, Paint::PLAIN, out), report)
}

/// The names of the elements of a well-formed document.
fn elements(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut names = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(start) | Event::Empty(start) => {
                names.push(start.name().as_ref().to_owned());
                start.attributes().for_each(|attribute| {
                    attribute.expect("an attribute");
                });
            }
            Event::Eof => return names,
            _ => {}
        }
    }
}

#[test]
fn junit_is_well_formed_with_a_case_for_each_group() {
    let text = written(junit::write, &report(8, 3));
    assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text}");
    assert!(!text.contains('\u{fffe}') && text.contains("\\u{fffe}"));
    let names = elements(&text);
    let count = |name: &str| names.iter().filter(|other| *other == name).count();
    // Eight groups, those that conform, the rest, coverage, shards, two remarks on the input, and the errors.
    assert_eq!(count("testcase"), 15);
    assert_eq!((count("failure"), count("skipped"), count("error")), (5, 8, 1));
    assert!(text.contains("tests=\"15\" failures=\"5\" errors=\"1\""), "{text}");
}

#[test]
fn junit_stays_under_30_megabytes() {
    let text = written(junit::write, &report(MAX_GROUPS, 5_000));
    assert!(text.len() < 30_000_000, "{}", text.len());
    assert!(text.contains("… (cut)"));
    assert_eq!(elements(&text).iter().filter(|name| *name == "testcase").count(), MAX_GROUPS + 7);
}

#[test]
fn github_escapes_and_keeps_to_ten_of_each_level() {
    let text = written(github::write, &report(60, 3));
    let of = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((of("::error "), of("::warning "), of("::notice ")), (10, 10, 10));
    assert!(text.lines().any(|line| line.starts_with("multitrace: 37 more annotations left out")));
    let group = "::error file=logs%2C a%3Ab/100%25.jsonl,line=1,title=MT301 each log is";
    assert!(text.contains(group), "{text}");
    // Every line is a command or of ours: nothing in a log can add one.
    assert!(text.lines().all(|line| line.starts_with("::") || line.starts_with("multitrace: ")));
}

#[test]
fn gitlab_fingerprints_differ() {
    let text = written(gitlab::write, &report(9, 3));
    let findings: Vec<serde_json::Value> = serde_json::from_str(&text).expect("an array");
    let mut prints: Vec<&str> =
        findings.iter().filter_map(|one| one["fingerprint"].as_str()).collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!((findings.len(), prints.len()), (16, 16));
    assert_eq!(findings[2]["location"]["path"], "logs, a:b/100%.jsonl");
}

#[test]
fn texts_for_people_hold_no_control_characters() {
    for text in [written_human(&report(8, 3)), written(concise::write, &report(8, 3))] {
        assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text}");
        assert!(text.contains("\\u{1b}[31m"));
    }
}

#[test]
fn every_format_tells_that_too_little_was_taken() {
    let writers: [Writer; 4] = [junit::write, github::write, gitlab::write, sarif::write];
    for writer in writers.into_iter().chain([concise::write as Writer]) {
        let text = written(writer, &report(0, 0));
        assert!(text.contains("MT002") && text.contains("--min-coverage asks for 80"), "{text}");
        assert!(
            text.contains("MT003") && text.contains("2 of 8 shards are missing: 3, 5"),
            "{text}"
        );
    }
    let text = written_human(&report(0, 0));
    assert!(text.contains("MT002") && text.contains("MT003"), "{text}");
    let summary: serde_json::Value =
        serde_json::from_str(&written(json_lines::write, &report(0, 0))).expect("an object");
    assert_eq!((&summary["min_coverage"], &summary["violations"]), (&80.0.into(), &7.into()));
}

#[test]
fn sarif_bounds_flows_and_marks_the_event_that_blocks() {
    let text = written(sarif::write, &report(8, 3));
    let log: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let result = &log["runs"][0]["results"][0];
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    assert_eq!(flows.len(), View::EXCERPT.locations);
    let essential = |step: &&serde_json::Value| step["importance"] == "essential";
    let steps = flows[0]["locations"].as_array().expect("steps");
    assert_eq!((steps.len(), steps.iter().filter(essential).count()), (11, 1));
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "logs%2C%20a%3Ab/100%25.jsonl"
    );
    assert_eq!(result["baselineState"], "new");
    assert_eq!(log["runs"][0]["results"][3]["baselineState"], "unchanged");
}

/// Places of single events, as event logs give them.
struct EventPlaces;

impl Places for EventPlaces {
    fn session(&self) -> Option<Place> {
        Some(Place::new("events.csv", None))
    }

    fn event(&self, location: usize, index: usize) -> Option<Place> {
        Some(Place::new("events.csv", Some(100 * location + index + 1)))
    }
}

#[test]
fn reports_point_at_the_event_where_its_place_is_known() {
    let foreign = |location: &str| ForeignTrace {
        location: location.to_owned(),
        events: vec!["x".to_owned(); 12],
    };
    let foreign = vec![foreign("a"), foreign("b")];
    let session = Session { id: "s".to_owned(), foreign, ..Session::default() };
    let failure = LocalFailure {
        location: session.foreign_location(1),
        index: 7,
        event: Some(LetterId::UNKNOWN),
        expected: Vec::new(),
    };
    let names = SessionNames { session: &session, alphabet: &Alphabet::default() };
    let finding = Finding::of_cause(&Cause::Local(failure), &names);
    let fingerprint = finding.kind;
    let findings = std::slice::from_ref(&finding);
    let example = Explanation::new(&names, (&[], findings), &EventPlaces, &View::EXCERPT);
    let place = place_of(&finding, &EventPlaces);
    let group = FindingGroup::new(&finding, "fail", (example, Vec::new()), None, place);
    let group = ReportedGroup {
        fingerprint,
        group,
        standing: Standing::Violation,
        known_places: 0,
        new_place: None,
    };
    let report = RunReport { groups: vec![group], ..report(0, 0) };
    let line = written(concise::write, &report);
    assert!(line.contains("events.csv:108: error[MT104]"), "{line}");
    assert!(written(github::write, &report).contains("file=events.csv,line=108,"));
    assert!(written_human(&report).contains(">x< (events.csv:108)"));
    let sarif = written(sarif::write, &report);
    let log: serde_json::Value = serde_json::from_str(&sarif).expect("an object");
    let result = &log["runs"][0]["results"][0];
    let line =
        |holder: &serde_json::Value| holder["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!(line(&result["locations"][0]), 108);
    let steps = &result["codeFlows"][0]["threadFlows"][1]["locations"];
    assert_eq!(
        (line(&steps[0]["location"]), line(&steps[5]["location"])),
        (103.into(), 108.into())
    );
}

#[test]
fn the_document_counts_what_it_leaves_out() {
    let text = written(json::write, &report(2, 3));
    let document: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let example = &document["groups"][0]["example"];
    assert_eq!(example["omitted_locations"], 5);
    assert_eq!(example["locations"][0]["expected_omitted"], 5);
    let location = &example["locations"][0];
    assert_eq!((&location["before"], &location["after"]), (&5.into(), &14.into()));
}
