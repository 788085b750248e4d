//! What checking allocates, once its memory is warm: nothing for sessions that pass, and for those
//! that fail no more for a long one than for a short one.

#[path = "suite/common/mod.rs"]
mod common;

use allocation_counter::measure;
use common::MODES;
use multitrace::compiler::Config;
use multitrace::interaction::{Locations, Observation, Session, Verdict};
use multitrace::runtime::{CheckConfig, Checker, Comparison, Monitor, SearchChoice};

/// Two locations that ask and answer, again and again.
fn monitor() -> Monitor {
    let text = "loopW(seq(a -- ask -> b, alt(b -- yes -> a, b -- no -> a)))";
    let (signature, interaction) = common::parse(text);
    let locations = Locations::discrete(&signature);
    let config = Config::default();
    Monitor::new(common::compile(&signature, &interaction, &locations, &config).bundle)
}

/// This many rounds. If the session fails, only its last answers differ.
fn session(monitor: &Monitor, rounds: usize, passes: bool) -> Session {
    let letter = |text: &str| monitor.alphabet().letter(text).expect("a letter");
    let mut trace = vec![Vec::new(), Vec::new()];
    for round in 0..rounds {
        let answer = if round % 3 == 0 { "yes" } else { "no" };
        let other = if !passes && round + 1 == rounds { "yes" } else { answer };
        trace[0].extend([letter("a!ask"), letter(&format!("a?{other}"))]);
        trace[1].extend([letter("b?ask"), letter(&format!("b!{answer}"))]);
    }
    Session { trace, ..Session::default() }
}

/// How many allocations checking a session makes after others like it.
fn allocations(monitor: &Monitor, session: &Session, config: &CheckConfig) -> u64 {
    let mut checker = Checker::new(monitor, *config).expect("an engine");
    let mut check = || checker.check(session).verdict;
    let first = check();
    let mut again = None;
    let counted = measure(|| again = Some(check()));
    assert_eq!(again.as_ref(), Some(&first));
    counted.count_total
}

#[test]
fn sessions_that_pass_allocate_nothing() {
    let monitor = monitor();
    for observation in MODES {
        let searches =
            [SearchChoice::Auto, SearchChoice::Nodes, SearchChoice::Packed, SearchChoice::Sets];
        for search in searches {
            let comparison = Comparison { search, ..Comparison::default() };
            let config = CheckConfig { observation, comparison, ..CheckConfig::default() };
            for rounds in [1, 200, 3_000] {
                let count = allocations(&monitor, &session(&monitor, rounds, true), &config);
                assert_eq!(count, 0, "{observation:?} by {search:?}, {rounds} rounds");
            }
        }
    }
}

#[test]
fn what_failures_allocate_does_not_grow_with_the_session() {
    let monitor = monitor();
    for observation in [Observation::Complete, Observation::Prefix] {
        let config = CheckConfig { observation, ..CheckConfig::default() };
        let count = |rounds| {
            let session = session(&monitor, rounds, false);
            let verdict = common::check(&monitor, &session, &config).verdict;
            assert!(matches!(verdict, Verdict::Fail(_)), "{rounds} rounds: {verdict:?}");
            allocations(&monitor, &session, &config)
        };
        let (short, long) = (count(20), count(2_000));
        assert!(short <= 100 && long <= short + 20, "{short} and {long}");
    }
}
