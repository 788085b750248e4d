//! Allocations of checking, once its memory is warm: none for sessions that pass, and for those that fail no more for a
//! long one than for a short one. And allocations of loading a forged bundle, and of making a large one.

#![allow(clippy::print_stdout, reason = "tests say what they measured")]

#[path = "suite/common/mod.rs"]
mod common;

use allocation_counter::measure;
use common::MODES;
use multitrace_compiler::{Config, Limits};
use multitrace_formats::bundle::{Bundle, decode, encode};
use multitrace_formats::workers::in_pool;
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

/// A message each time, from one of 20 senders to one of 30 receivers: sets of most states, for each event.
fn strangers(messages: usize) -> String {
    let message = |at: usize| format!("a{} -- m -> b{}", at % 20, at * 7 % 30);
    format!("seq({})", (0..messages).map(message).collect::<Vec<_>>().join(", "))
}

/// A specification compiled and written within a limit of memory, and the most bytes that it took. One thread does all, whose
/// allocations are counted.
fn compiled_within(text: &str, memory: usize) -> (Bundle, Vec<u8>, u64) {
    let config = Config { limits: Limits { memory, ..Limits::default() }, ..Config::default() };
    in_pool(1, || {
        let mut made = None;
        let counted = measure(|| {
            let (signature, interaction) = common::parse(text);
            let locations = Locations::discrete(&signature);
            let bundle = common::compile(&signature, &interaction, &locations, &config).bundle;
            let bytes = encode(&bundle);
            made = Some((bundle, bytes));
        });
        let (bundle, bytes) = made.expect("it was made");
        (bundle, bytes, counted.bytes_max)
    })
}

/// All tables of 2,000 messages are more than a third of the first limits.
#[test]
fn compiling_and_writing_stay_within_the_limit_of_memory() {
    let text = strangers(2_000);
    let tables = |bundle: &Bundle| {
        let of = bundle.locals.iter();
        of.map(|it| it.forward.is_some() as usize + it.backward.is_some() as usize).sum::<usize>()
    };
    let mut sizes = Vec::new();
    for limit in [8 << 20, 16 << 20, 32 << 20, 256 << 20] {
        let (bundle, bytes, most) = compiled_within(&text, limit);
        assert!(bundle.automaton().is_some(), "{limit}");
        assert!(most <= limit as u64, "{most} of {limit} bytes");
        assert_eq!(decode(&bytes).expect("it can be read"), bundle);
        println!("{limit}: {most}, {} bytes, {} tables", bytes.len(), tables(&bundle));
        sizes.push(tables(&bundle));
    }
    assert!(sizes.is_sorted() && sizes[0] < sizes[3], "{sizes:?}");
    assert_eq!(sizes[3], 100);
}

#[test]
fn writing_a_bundle_takes_its_bytes_once_and_those_of_a_location() {
    let (bundle, bytes, _) = compiled_within(&strangers(1_000), 1 << 30);
    let counted = measure(|| assert_eq!(encode(&bundle), bytes));
    let most = bytes.len() as u64 * 3 / 2;
    assert!(counted.bytes_max <= most, "{} of {most} bytes", counted.bytes_max);
}
