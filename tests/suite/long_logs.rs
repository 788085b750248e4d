//! Logs with far more events than the rows of look-ahead that are kept where a location has no
//! table: the verdicts are those of the tables, and memory stays bounded.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::Config;
use multitrace_interaction::{Cause, Locations, Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Comparison, Monitor, SearchChoice};

/// A row of all states for every event would take some 70 MB a location, of which 64 MB are kept.
const PASSINGS: usize = 17_000;

fn monitor(local_states: usize) -> Monitor {
    let passings = (0..PASSINGS).map(|n| format!("a -- m{} -> b", n % 7));
    let text = format!("seq({})", passings.collect::<Vec<_>>().join(", "));
    let (signature, interaction) = common::parse(&text);
    let mut config = Config::default();
    config.limits.local_states = local_states;
    let locations = Locations::discrete(&signature);
    Monitor::new(common::compile(&signature, &interaction, &locations, &config).bundle)
}

/// The accepted session; one with a log that ends early; one with an event of another kind in
/// the middle; and one whose logs tell of different numbers of passings.
fn sessions(monitor: &Monitor) -> Vec<Session> {
    let letter = |text: &str| monitor.alphabet().letter(text).expect("a letter");
    let log = |side: &str| (0..PASSINGS).map(|n| letter(&format!("{side}m{}", n % 7))).collect();
    let accepted = Session { trace: vec![log("a!"), log("b?")], ..Session::default() };
    let (mut early, mut other) = (accepted.clone(), accepted.clone());
    early.trace[1].pop();
    other.trace[0][PASSINGS / 2] = letter("a!m0");
    let mut behind = accepted.clone();
    behind.trace[0].truncate(PASSINGS / 3);
    vec![accepted, early, other, behind]
}

#[test]
fn verdicts_do_not_depend_on_which_rows_are_kept() {
    let (tabled, untabled) = (monitor(100_000), monitor(0));
    let mut passes = 0;
    for session in sessions(&tabled) {
        for observation in [Observation::Complete, Observation::Slice] {
            let usual = CheckConfig { observation, ..CheckConfig::default() };
            let expected = common::check(&tabled, &session, &usual).verdict;
            passes += usize::from(matches!(expected, Verdict::Pass | Verdict::WeakPass));
            assert!(!matches!(expected, Verdict::Inconclusive(_)), "{expected:?}");
            for search in [SearchChoice::Auto, SearchChoice::Nodes] {
                let comparison = Comparison { search, ..Comparison::default() };
                let config = CheckConfig { comparison, ..usual };
                let verdict = common::check(&untabled, &session, &config).verdict;
                let same = match (&verdict, &expected) {
                    // How far an interleaving gets may be looked for in several ways.
                    (Verdict::Fail(found), Verdict::Fail(other)) => {
                        match (found.main(), other.main()) {
                            (Cause::Central(_), Cause::Central(_))
                            | (Cause::Inter(_), Cause::Inter(_)) => true,
                            _ => found == other,
                        }
                    }
                    _ => verdict == expected,
                };
                assert!(same, "{observation:?} by {search:?}: {}", verdict.name());
            }
        }
    }
    println!("long logs: {passes} of 8 pass");
    assert!((2..8).contains(&passes), "{passes}");
}
