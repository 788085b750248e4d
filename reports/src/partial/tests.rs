//! Parts of random sessions, merged in any order.

use super::coverage_totals::CoverageTotals;
use super::error::MergeError;
use super::input_stamps::InputStamps;
use super::part::PartialReport;
use super::settings::Settings;
use super::shards::Shards;
use super::wire::VERSION;
use crate::combinations::Combinations;
use crate::costs::{Cost, Costs};
use crate::demands::Demands;
use crate::explanation::Explanation;
use crate::finding::{Finding, unknown_event};
use crate::first_errors::FirstErrors;
use crate::gate::Gate;
use crate::groups::{FindingGroup, FindingGroups, Illustration, Member};
use crate::hashed_lines::hex;
use crate::pictures::space_time::scene::Scene;
use crate::position::{FindingKey, Position};
use crate::session_names::SessionNames;
use crate::summary::Summary;
use crate::view::View;
use multitrace_formats::place::Place;
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use multitrace_formats::selection::ShardNumber;
use multitrace_interaction::{
    Alphabet, Cause, Failure, LetterId, LocalFailure, LocationId, Session, Verdict,
};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A session: its finding, its input, and its part.
type Made = (Vec<u8>, u32, usize);

fn finding(kind: u8) -> Finding {
    // Some names are longer than reports show.
    let name = if kind == 3 { "n".repeat(300) } else { format!("a!{kind}") };
    unknown_event("a", &name)
}

fn empty(parts: usize, index: usize) -> PartialReport {
    let some = || Some("some".to_owned());
    let number = ShardNumber::new(index as u32 + 1, parts as u32).expect("a shard");
    PartialReport {
        settings: Settings {
            coverage: true,
            stats: true,
            // Of the bundle, as many digits as its hash is shown with.
            bundle: hex(&Sha256::digest(b"bundle"))[..32].to_owned(),
            fail_on: vec!["fail".to_owned()],
            only_sessions: some(),
            mapping: some(),
            inputs: some(),
            ..Settings::default()
        },
        bundle: b"bundle".to_vec(),
        shards: Shards::one(number, false, 3),
        runs: BTreeSet::from([index.to_string()]),
        inputs: InputStamps::default(),
        summary: Summary { input: Some(RecordCounts::default()), ..Summary::default() },
        nanoseconds: 0,
        groups: FindingGroups::of_part(),
        combinations: Combinations::default(),
        errors: FirstErrors::default(),
        coverage: Some(CoverageTotals::default()),
        costs: Some(Costs::default()),
        details: RecordDetails { pattern_wins: vec![0, 0], ..RecordDetails::default() },
        notes: BTreeSet::new(),
        logged: BTreeSet::new(),
        demands: Demands::default(),
        min_coverage: None,
        missing: vec!["x".to_owned(), "y".to_owned()],
        explain: None,
    }
}

fn add(part: &mut PartialReport, id: usize, (kinds, input, _): &Made) {
    let mut kinds = kinds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    let (location, event) = (LocationId::ZERO, Some(LetterId::UNKNOWN));
    let cause = || Cause::Local(LocalFailure { location, index: 0, event, expected: Vec::new() });
    let causes: Vec<Cause> = kinds.iter().map(|_| cause()).collect();
    let verdict = match causes.is_empty() {
        true => Verdict::Pass,
        false => Verdict::Fail(Failure { causes, omitted: 0 }),
    };
    part.summary.add(&verdict, id + 1);
    let counts = part.summary.input.as_mut().expect("counts of records");
    (counts.records, counts.unmatched) = (counts.records + 1, counts.unmatched + 1);
    counts.events += id as u64 + 1;
    part.nanoseconds += id as u64;
    part.notes.insert(format!("note {}", id % 3));
    part.logged.insert(format!("location {}", id % 3));
    part.details.pattern_wins[id % 2] += 1;
    let place = || Place::new(format!("{input}.jsonl"), Some(id));
    part.details.unmatched.add(["a", ["b", "c"][id % 2]].into_iter(), (*input, id as u64), place);
    if id.is_multiple_of(7) {
        part.missing.retain(|id| id != "x");
    }
    if let Some(costs) = &mut part.costs {
        let stage = ["one", "other"][id % 2];
        costs.add(Cost { nanoseconds: id as u64 * 100, nodes: id as u64, stage });
    }
    if let Some(coverage) = part.coverage.as_mut().filter(|_| kinds.is_empty()) {
        coverage.sessions += 1;
        coverage.taken.resize(coverage.taken.len().max(id % 4 + 1), 0);
        coverage.taken[id % 4] += 1;
    }
    if id.is_multiple_of(5) {
        let (file, message) = (format!("{input}.jsonl"), "wrong".to_owned());
        let place = ProblemPlace { file, line: Some(id), column: None, message };
        part.summary.errors += 1;
        part.errors.add(*input, &InputProblem::new(ProblemKind::Malformed, place, String::new()));
    }
    let findings: Vec<Finding> = kinds.iter().map(|kind| finding(*kind)).collect();
    add_findings(part, id, *input, &findings);
}

fn add_findings(part: &mut PartialReport, id: usize, input: u32, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    part.combinations.add("fail", findings);
    let file: Arc<str> = format!("{input}.jsonl").into();
    let (name, place) = (format!("s{id}"), Some(Place::new(file.clone(), Some(id))));
    let position = Position { input, name: Some(file), number: id as u64, item: 0 };
    for (number, finding) in (0..).zip(findings) {
        let (is_known, position) = (false, &position);
        let key = FindingKey { is_known, distance: 0, position, session: &name, finding: number };
        let member = |key: FindingKey<'_>| Member::new(key, place.clone());
        let group = |finding: &Finding| {
            let session = Session { id: name.clone(), ..Session::default() };
            let names = SessionNames { session: &session, alphabet: &Alphabet::default() };
            let example = Explanation::new(&names, (&[], &[]), &place, &View::EXCERPT);
            let scene = Some(Scene::default());
            let group =
                FindingGroup::new(finding, "fail", (example, Vec::new()), None, place.clone());
            FindingGroup { illustration: Illustration { scene, rows: Vec::new() }, ..group }
        };
        part.groups.add(&[(number, finding)], None, key, member, group);
    }
}

fn parts(made: &[Made], count: usize) -> Vec<PartialReport> {
    let mut parts: Vec<PartialReport> = (0..count).map(|index| empty(count, index)).collect();
    for (id, session) in made.iter().enumerate() {
        add(&mut parts[session.2 % count], id, session);
    }
    parts.into_iter().map(|part| part.of_one_run(0)).collect()
}

fn bytes(part: &PartialReport) -> Vec<u8> {
    part.to_bytes().expect("few kinds")
}

fn sum(mut one: PartialReport, other: &PartialReport) -> PartialReport {
    one.merge(other.clone()).expect("parts of one run");
    one
}

fn sessions() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec((prop::collection::vec(0u8..9, 0..3), 0u32..3, 0usize..5), 0..50)
}

proptest! {
    #[test]
    fn merging_is_associative_and_commutative(made in sessions()) {
        let parts = parts(&made, 3);
        let [a, b, c] = [&parts[0], &parts[1], &parts[2]];
        let one = bytes(&sum(sum(a.clone(), b), c));
        prop_assert_eq!(&one, &bytes(&sum(a.clone(), &sum(b.clone(), c))));
        prop_assert_eq!(&one, &bytes(&sum(sum(c.clone(), b), a)));
        prop_assert_eq!(&one, &bytes(&sum(b.clone(), &sum(c.clone(), a))));
    }

    #[test]
    fn parts_are_the_whole(made in sessions(), count in 1usize..5) {
        let mut whole = empty(count, 0);
        made.iter().enumerate().for_each(|(id, session)| add(&mut whole, id, session));
        let mut parts = parts(&made, count).into_iter();
        let first = parts.next().expect("a part");
        let mut merged = parts.fold(first, |all, part| sum(all, &part));
        prop_assert_eq!(merged.combinations.judge(&Gate::default()), whole.combinations.judge(&Gate::default()));
        (merged.shards, merged.runs) = (whole.shards.clone(), whole.runs.clone());
        prop_assert_eq!(
            String::from_utf8(bytes(&merged)).expect("text"),
            String::from_utf8(bytes(&whole)).expect("text")
        );
    }

    #[test]
    fn what_is_read_is_what_was_written(made in sessions()) {
        for part in parts(&made, 2) {
            let read = PartialReport::from_bytes(&bytes(&part)).expect("a part");
            prop_assert_eq!(bytes(&read), bytes(&part));
            let packed = part.to_packed().expect("few kinds");
            let read = PartialReport::from_bytes(&packed).expect("a part");
            prop_assert_eq!(read.to_packed().expect("few kinds"), packed);
        }
    }
}

#[test]
fn runs_of_equal_results_are_told_apart_by_their_sessions() {
    let part = |sessions: u64| {
        let part = PartialReport { shards: Shards::default(), ..empty(1, 0) };
        let settings = Settings { inputs: None, ..part.settings.clone() };
        PartialReport { settings, ..part }.of_one_run(sessions)
    };
    let mut all = part(1);
    assert!(all.merge(part(2)).is_ok());
    assert!(matches!(all.merge(part(1)), Err(MergeError::SameRun)));
    // A problem that is added is a result, and the sessions are the same.
    let message = "2 events came after it was over".to_owned();
    let place = ProblemPlace { file: "the stream".to_owned(), line: None, column: None, message };
    let problem = InputProblem::new(ProblemKind::Malformed, place, String::new());
    let told = part(1).with_problem(0, &problem);
    let read = PartialReport::from_bytes(&bytes(&told)).expect("a part");
    assert_eq!((read.summary.errors, read.runs.len()), (1, 1));
    assert_ne!(read.runs, part(1).runs);
    assert!(part(2).merge(read).is_ok());
}

#[test]
fn what_is_no_part_is_refused() {
    let part = bytes(&empty(2, 0).of_one_run(0));
    let error = |bytes: &[u8]| PartialReport::from_bytes(bytes).expect_err("an error").to_string();
    assert!(error(b"").starts_with("line 1: this is not a partial report; ‹name_parts›"));
    for other in [&b"{\"type\":\"report\"}\n"[..], b"{\"type\":\"report\"}"] {
        assert!(error(other).starts_with("line 1: this is not a partial report"));
    }
    let (own, next) = (VERSION, VERSION + 1);
    let newer = String::from_utf8(part.clone()).expect("text");
    let newer = error(newer.replacen(&format!(":{own},"), &format!(":{next},"), 1).as_bytes());
    let told = format!("of version {next}; this tool reads {own}; merge with the version");
    assert!(newer.contains(&told), "{newer}");
    assert!(error(&part[..part.len() - 5]).contains("cut off"));
    let changed = String::from_utf8(part).expect("text").replace("\"fail\":0", "\"fail\":1");
    assert!(error(changed.as_bytes()).contains("verdicts that are not as many as sessions"));
}
