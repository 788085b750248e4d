//! The answers of an independent reference (`tests/answers/README.md`): every engine, procedure and configuration gives
//! them, and its witnesses replay. A sample of the specifications, or with `MULTITRACE_FULL=1` all of them.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_formats::sessions;
use multitrace_interaction::{
    Alphabet, InconclusiveReason, Interaction, Locations, Observation, Session, Signature, Verdict,
};
use multitrace_runtime::{
    CheckConfig, Comparison, Criterion, EngineChoice, Method, Monitor, SearchChoice, replay,
};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/answers/cases.jsonl");
/// The sample takes one specification out of this many.
const SAMPLE: usize = 16;

/// A specification and its cases.
#[derive(Debug, Deserialize)]
struct SpecCases {
    spec: String,
    locations: Vec<Vec<String>>,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    /// The actions of each location.
    traces: Vec<Vec<String>>,
    /// By the name of the observation mode.
    #[serde(flatten)]
    answers: BTreeMap<String, String>,
}

/// Counts of decided cases.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    without_automaton: usize,
    /// By way and mode: how often it decided, and how often it could not.
    ways: BTreeMap<String, (usize, usize)>,
    witnesses: usize,
    wrong: Vec<String>,
}

fn lines() -> Vec<SpecCases> {
    let text = std::fs::read_to_string(CASES).expect("the cases are readable");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the format")).collect()
}

/// A specification with its locations.
struct Spec {
    signature: Signature,
    interaction: Interaction,
    locations: Locations,
}

impl Spec {
    fn new(line: &SpecCases) -> Spec {
        let (mut signature, interaction) = common::parse(&line.spec);
        let mut ids = |group: &Vec<String>| {
            group.iter().map(|name| signature.intern_lifeline(name)).collect()
        };
        let groups: Vec<Vec<_>> = line.locations.iter().map(&mut ids).collect();
        let locations = Locations::new(&signature, &groups).expect("no lifeline twice");
        Spec { signature, interaction, locations }
    }
}

fn session(line: &SpecCases, case: &Case, alphabet: &Alphabet) -> Session {
    let names = line.locations.iter().map(|group| group.join(","));
    let traces: BTreeMap<String, &Vec<String>> = names.zip(&case.traces).collect();
    let text = json!({ "session": "case", "traces": traces }).to_string();
    sessions::parse_line("cases.jsonl", 1, &text, alphabet).expect("a session")
}

/// Every way to ask that the monitor of one configuration has.
fn ways(observation: Observation, config: &str, automaton: bool) -> Vec<(String, CheckConfig)> {
    let mut ways = Vec::new();
    if automaton {
        ways.extend(common::checks(observation).map(|(way, check)| (way.to_owned(), check)));
    }
    // Terms are as they are whatever the automaton was reduced by.
    if config == "all" {
        ways.extend(ways_on_terms(observation));
    }
    ways
}

fn ways_on_terms(observation: Observation) -> Vec<(String, CheckConfig)> {
    let engine = EngineChoice::Term;
    let on_terms = CheckConfig { observation, engine, witness: true, ..Default::default() };
    let with = |comparison| CheckConfig { comparison, ..on_terms };
    let blind = Comparison { search: SearchChoice::Blind, ..Comparison::default() };
    let mut ways =
        vec![("terms".to_owned(), on_terms), ("terms without look-ahead".to_owned(), with(blind))];
    for (name, reductions) in common::reductions() {
        let comparison = Comparison { reductions: Some(reductions), ..Comparison::default() };
        ways.push((format!("terms reduced by {name}"), with(comparison)));
    }
    if observation == Observation::Prefix {
        let comparison = Comparison { method: Method::Removal, ..Comparison::default() };
        ways.push(("removal".to_owned(), with(comparison)));
    }
    if matches!(observation, Observation::Prefix | Observation::Slice) {
        let method = Method::Simulation(Criterion::default());
        ways.push(("simulation".to_owned(), with(Comparison { method, ..Comparison::default() })));
    }
    ways
}

/// The answer that a verdict is; `None` if it leaves the question open.
fn answer(verdict: &Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Pass | Verdict::WeakPass => Some("yes"),
        Verdict::Fail(_) | Verdict::Inconclusive(InconclusiveReason::LackOfObservation) => {
            Some("no")
        }
        Verdict::Inconclusive(_) => None,
    }
}

/// The state shared by the checks of one specification.
struct Run<'a> {
    line: &'a SpecCases,
    config: &'static str,
    monitor: Monitor,
}

impl Run<'_> {
    fn check(&self, case: &Case, observation: Observation, tally: &mut Tally) {
        let session = session(self.line, case, self.monitor.alphabet());
        let expected = case.answers[observation.name()].as_str();
        let automaton = self.monitor.bundle().automaton().is_some();
        for (way, check) in ways(observation, self.config, automaton) {
            let checked = common::check(&self.monitor, &session, &check);
            // Without a witness other searches run, and record less.
            let check = CheckConfig { witness: false, ..check };
            let plain = common::check(&self.monitor, &session, &check);
            assert_eq!(plain.verdict, checked.verdict, "{way}, {case:?} of {}", self.line.spec);
            let answer = answer(&checked.verdict);
            if answer.is_some_and(|answer| answer != expected) {
                tally.wrong.push(self.complaint(case, observation, &way, &checked.verdict));
            }
            if let Some(witness) = &checked.witness {
                let mode = common::proven(&checked.verdict, observation);
                replay(&self.monitor, &session, witness, mode).expect("a witness replays");
                tally.witnesses += 1;
            }
            let way = tally.ways.entry(format!("{way}, {}", observation.name())).or_default();
            *(if answer.is_some() { &mut way.0 } else { &mut way.1 }) += 1;
        }
    }

    fn complaint(&self, case: &Case, mode: Observation, way: &str, verdict: &Verdict) -> String {
        format!(
            "{}\n  {:?} {:?}\n  {way}, {}, {}: {verdict:?}, expected {}",
            self.line.spec,
            self.line.locations,
            case.traces,
            self.config,
            mode.name(),
            case.answers[mode.name()],
        )
    }
}

fn check_line(line: &SpecCases, tally: &mut Tally) {
    let spec = Spec::new(line);
    tally.cases += line.cases.len();
    for (config, mut options) in common::configs() {
        options.limits.states = 5_000;
        let Spec { signature, interaction, locations } = &spec;
        let compiled = common::compile(signature, interaction, locations, &options);
        tally.without_automaton +=
            usize::from(config == "all" && compiled.report.unsupported.is_some());
        let run = Run { line, config, monitor: Monitor::new(compiled.bundle) };
        for case in &line.cases {
            for observation in common::ALL_MODES {
                run.check(case, observation, tally);
            }
        }
    }
}

#[test]
fn answers_are_those_of_the_reference() {
    let step = if common::full() { 1 } else { SAMPLE };
    let mut tally = Tally::default();
    let mut specs = 0;
    for line in lines().iter().step_by(step) {
        check_line(line, &mut tally);
        specs += 1;
    }
    println!(
        "{} cases of {specs} specifications, {} without an automaton; {} witnesses",
        tally.cases, tally.without_automaton, tally.witnesses
    );
    let wrong = &tally.wrong;
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (way, (decided, open)) in &tally.ways {
        println!("{way}: {decided} decided, {open} open");
        let may_be_open = way.starts_with("removal") || way.starts_with("simulation");
        assert!(may_be_open || *open == 0, "{way} leaves {open} open");
        assert!(decided > open, "{way} leaves most open");
    }
    assert!(tally.witnesses > tally.cases, "passes come with witnesses");
}

#[test]
fn frozen_answers_are_balanced() {
    let lines = lines();
    let cases: Vec<&Case> = lines.iter().flat_map(|line| &line.cases).collect();
    assert!(cases.len() >= 5_000);
    for observation in common::ALL_MODES {
        let is_yes = |case: &&&Case| case.answers[observation.name()] == "yes";
        let share = cases.iter().filter(is_yes).count() * 100 / cases.len();
        assert!((30..=70).contains(&share), "{share} % yes in {} mode", observation.name());
    }
    for word in [
        "strict(", "seq(", "par(", "alt(", "coreg(", "loopS(", "loopW(", "loopP(", "loopH(",
        "<synch>",
    ] {
        let count = lines.iter().filter(|line| line.spec.contains(word)).count();
        assert!(count * 20 > lines.len(), "{word} in {count} specifications only");
    }
}
