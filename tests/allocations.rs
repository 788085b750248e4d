//! Allocations of checking, once its memory is warm: none for sessions that pass, and for those that fail no more for a
//! long one than for a short one. And allocations of loading a forged bundle.

#![allow(clippy::print_stdout, reason = "tests say what they measured")]

#[path = "suite/common/mod.rs"]
mod common;

use allocation_counter::measure;
use common::MODES;
use multitrace_compiler::Config;
use multitrace_formats::bundle::decode;
use multitrace_interaction::{Locations, Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Checker, Comparison, Monitor, SearchChoice};

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
        for search in [SearchChoice::Auto, SearchChoice::Nodes, SearchChoice::Packed] {
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

/// How many times larger than a bundle loading it may make the memory, and the bytes it may take besides: serde
/// makes room for 1 MiB when a list says that it is longer.
const MOST_TIMES: u64 = 128;
const MOST_BESIDES: u64 = 8 << 20;

/// The payload of a bundle whose lists are empty, up to the lifelines of its source.
fn beginning() -> Vec<u8> {
    let provenance = [vec![0, 0], vec![7; 32], vec![0, 0]].concat();
    let (text, observation_and_events, alphabet) = ([0, 0, 0], [0, 0], [0, 0, 0]);
    [provenance, text.to_vec(), observation_and_events.to_vec(), alphabet.to_vec()].concat()
}

/// A number as five bytes of the payload.
fn long(number: u32) -> Vec<u8> {
    [vec![252], number.to_le_bytes().to_vec()].concat()
}

#[test]
fn a_forged_bundle_takes_a_small_multiple_of_its_size() {
    const COUNT: u32 = 200_000;
    let many = |item: &[u8]| [long(COUNT), item.repeat(COUNT as usize)].concat();
    let (source, no_source) = ([1].as_slice(), [0].as_slice());
    let unsupported = [1, 0, 0, 0].as_slice();
    let payloads = [
        ("lifelines of the source", [&beginning(), source, &many(&[0])].concat()),
        ("nodes", [&beginning(), source, &[0, 0], &many(&[0])].concat()),
        ("steps", [&beginning(), source, &[0, 0], &many(&[1, 0])].concat()),
        ("coregions", [&beginning(), source, &[0, 0], &many(&[5, 0, 0, 0])].concat()),
        ("locals", [&beginning(), no_source, unsupported, &many(&[0, 0, 0])].concat()),
        ("transitions", [&beginning(), no_source, &[0, 0, 0, 0], &many(&[0, 0, 0])].concat()),
        ("a list that is not there", [&beginning(), source, &long(u32::MAX)].concat()),
    ];
    for (what, payload) in payloads {
        let forged = multitrace_testing_engines::forged::sealed(&payload);
        let mut loaded = Ok(());
        let counted = measure(|| loaded = decode(&forged).map(drop));
        assert!(loaded.is_err(), "{what}");
        let most = forged.len() as u64 * MOST_TIMES + MOST_BESIDES;
        assert!(counted.bytes_max <= most, "{what}: {} of {most} bytes", counted.bytes_max);
        println!("{what}: {} times", counted.bytes_max / forged.len() as u64);
    }
}
