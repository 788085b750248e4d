//! The use case of papers 002 and 000 in which a customer orders books: a parallel loop over six
//! parties, which no finite automaton holds. Generated accepted multi-traces and mutants of them are
//! all decided on terms, and it is printed how long that takes.

#![allow(clippy::print_stdout, reason = "times are the point")]

use crate::common;
use multitrace_interaction::generate::{Bounds, Generator};
use multitrace_interaction::{Locations, MultiTrace, Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Checker, Monitor};
use std::time::Instant;

/// The median that is published for HIBOU, in milliseconds.
const HIBOU: f64 = 0.63;

fn session(trace: MultiTrace) -> Session {
    Session { id: "coping".to_owned(), trace, ..Session::default() }
}

/// The verdicts in one mode, and the median time of a check in milliseconds.
fn check(monitor: &Monitor, sessions: &[Session], observation: Observation) -> (Vec<Verdict>, f64) {
    let config = CheckConfig { observation, ..CheckConfig::default() };
    let mut checker = Checker::new(monitor, config).expect("an engine");
    let mut times = Vec::new();
    let verdicts = sessions.iter().map(|session| {
        let start = Instant::now();
        let checked = checker.check(session);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        checked.verdict
    });
    let verdicts = verdicts.collect();
    times.sort_by(f64::total_cmp);
    (verdicts, times[times.len() / 2])
}

#[test]
fn every_order_is_decided() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("usecases")) else { return };
    let signature = common::signature_file(&folder.join("coping.hsf"));
    let interaction = common::interaction_file(&folder.join("coping.hif"), &signature);
    let monitor = common::monitor(&signature, &interaction);
    assert!(monitor.bundle().automaton().is_none(), "this tests terms");
    let locations = Locations::discrete(&signature);
    let bounds = Bounds::events(10, 60);
    let mut generator =
        Generator::new(&signature, &interaction, &locations, bounds, 5).expect("a generator");
    let count = if common::full() { 2_500 } else { 100 };
    let accepted: Vec<MultiTrace> = (0..count).map(|_| generator.accepted()).collect();
    let mutants = accepted.iter().enumerate().filter_map(|(index, trace)| {
        let other = &accepted[(index + 1) % count];
        match index % 3 {
            0 => Some(generator.noise(trace)?.0),
            1 => Some(generator.swap_actions(trace)?.0),
            _ => Some(generator.swap_components(trace, other)?.0),
        }
    });
    let mutants: Vec<Session> = mutants.map(session).collect();
    let accepted: Vec<Session> = accepted.into_iter().map(session).collect();
    assert!(mutants.len() * 10 > count * 9, "{} mutants", mutants.len());
    for observation in [Observation::Complete, Observation::Prefix] {
        for (name, sessions) in [("accepted", &accepted), ("mutants", &mutants)] {
            let (verdicts, median) = check(&monitor, sessions, observation);
            let count = |name| verdicts.iter().filter(|verdict| verdict.name() == name).count();
            let [pass, weak, fail, open] = ["pass", "weak_pass", "fail", "inconclusive"].map(count);
            println!(
                "{} {name}, {}: {pass} pass, {weak} weak_pass, {fail} fail, {open} inconclusive; \
                 {median:.4} ms in the median (HIBOU: {HIBOU} ms)",
                sessions.len(),
                observation.name()
            );
            assert_eq!(open, 0, "every one is decided");
            assert!(name == "mutants" || pass == sessions.len(), "accepted ones pass");
            assert!(name == "accepted" || fail > 0, "some mutants fail");
        }
    }
}
