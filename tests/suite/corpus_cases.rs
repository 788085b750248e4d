//! The cases of the corpus: every answer that is known must be ours, under every configuration,
//! and every witness must replay.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_interaction::{InconclusiveReason, Observation, Verdict};
use multitrace_runtime::{Monitor, replay};

/// Counts of decided cases.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    without_automaton: usize,
    answers: usize,
    inconclusive: usize,
    witnesses: usize,
    wrong: Vec<String>,
}

fn run_case(case: &serde_json::Value, tally: &mut Tally) {
    let text = |field: &str| case[field].as_str().expect("a text");
    let (mut signature, interaction) = common::parse(text("hif"));
    common::declare_lifelines(text("htf"), &mut signature);
    let locations = common::locations_of(text("htf"), &signature);
    tally.cases += 1;
    for (name, mut config) in common::configs() {
        config.limits.states = 5_000;
        let compiled = common::compile(&signature, &interaction, &locations, &config);
        if name == "all" && compiled.report.unsupported.is_some() {
            tally.without_automaton += 1;
        }
        let monitor = Monitor::new(compiled.bundle);
        let session = common::session(text("htf"), monitor.alphabet());
        for observation in common::ALL_MODES {
            let Some(expected) = case["expect"][observation.name()].as_str() else { continue };
            let automaton = monitor.bundle().automaton().is_some();
            // Terms are as they are whatever the automaton was reduced by.
            let terms = (name == "all").then(|| common::term_check(observation));
            let checks = common::checks(observation).into_iter().filter(|_| automaton);
            for (procedure, check) in checks.chain(terms) {
                let checked = common::check(&monitor, &session, &check);
                tally.answers += 1;
                let answer = match &checked.verdict {
                    Verdict::Pass | Verdict::WeakPass => "yes",
                    Verdict::Fail(_)
                    | Verdict::Inconclusive(InconclusiveReason::LackOfObservation) => "no",
                    Verdict::Inconclusive(_) => {
                        assert!(procedure == "terms" && observation != Observation::Complete);
                        tally.inconclusive += 1;
                        continue;
                    }
                };
                if answer != expected {
                    tally.wrong.push(format!(
                        "{} {} {name} {procedure}: {answer}, expected {expected}",
                        text("name"),
                        observation.name(),
                    ));
                }
                if let Some(witness) = &checked.witness {
                    tally.witnesses += 1;
                    let mode = match checked.verdict {
                        Verdict::Pass => Observation::Complete,
                        _ => observation,
                    };
                    replay(&monitor, &session, witness, mode).expect("a witness replays");
                }
            }
        }
    }
}

fn run_file(name: &str) -> Option<Tally> {
    let path = common::corpus()?.join("cases").join(name);
    let text = std::fs::read_to_string(path).expect("the cases are readable");
    let mut tally = Tally::default();
    for line in text.lines() {
        run_case(&serde_json::from_str(line).expect("a case"), &mut tally);
    }
    println!(
        "{name}: {} cases, {} without an automaton, {} answers, {} inconclusive, {} witnesses",
        tally.cases, tally.without_automaton, tally.answers, tally.inconclusive, tally.witnesses
    );
    assert!(tally.wrong.is_empty(), "{} wrong:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
    assert!(tally.witnesses > 0 && tally.answers > 2 * tally.inconclusive);
    Some(tally)
}

#[test]
fn cases_of_the_papers() {
    run_file("papers.jsonl");
}

#[test]
fn random_cases() {
    run_file("random.jsonl");
}
