//! Slices of random interactions: the searches that look for where logs can begin, on terms and beside an automaton, give
//! the verdict of the plain search on the automaton.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use multitrace::{CompileOptions, Monitor, Spec, SpecFormat, Verdict};
use multitrace_formats::hif;
use multitrace_interaction::generate::{Bounds, Dice, Generator, RandomInteractions, Shape};
use multitrace_interaction::{MultiTrace, Observation, Session};
use multitrace_runtime::{CheckConfig, Checker, Comparison, EngineChoice, SearchChoice};
use std::collections::BTreeMap;

/// The text of what each search says, without the parts that tell how it was found.
fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::WeakPass => "weak_pass",
        Verdict::Fail(_) => "fail",
        Verdict::Inconclusive(_) => "inconclusive",
    }
}

fn checker(monitor: &Monitor, engine: EngineChoice, search: SearchChoice) -> Checker<'_> {
    let comparison = Comparison { search, ..Comparison::default() };
    let observation = Observation::Slice;
    let config = CheckConfig { observation, engine, comparison, ..CheckConfig::default() };
    Checker::new(monitor.runtime(), config).expect("the bundle has an automaton and its source")
}

/// A slice of an accepted multi-trace, every other one with an event less or with two in another order.
fn slice(generator: &mut Generator, index: usize, dice: &mut Dice) -> MultiTrace {
    let accepted = generator.accepted();
    let (mut trace, _) = generator.slice(&accepted);
    let long: Vec<_> = (0..trace.len()).filter(|&at| trace[at].len() > 1).collect();
    if index % 2 == 1
        && let Some(&at) = dice.pick(&long)
    {
        let event = 1 + dice.below(trace[at].len() - 1);
        match dice.below(2) {
            0 => drop(trace[at].remove(event - 1)),
            _ => trace[at].swap(event - 1, event),
        }
    }
    trace
}

#[test]
fn slices_are_those_of_the_plain_search() {
    let mut tally: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let interactions = RandomInteractions::new(Shape::default(), 3);
    let signature = interactions.signature().clone();
    for (seed, interaction) in (0..).zip(interactions.take(60)) {
        let text = hif::print(&interaction.expect("within bounds"), &signature);
        let spec = Spec::parse("random.hif", &text, SpecFormat::Hif);
        let monitor = spec.compile(&CompileOptions::default()).expect("compiles").monitor;
        if monitor.bundle().automaton().is_none() {
            continue;
        }
        let mut plain = checker(&monitor, EngineChoice::Nfa, SearchChoice::Nodes);
        let mut usual = checker(&monitor, EngineChoice::Auto, SearchChoice::Auto);
        let mut terms = checker(&monitor, EngineChoice::Term, SearchChoice::Auto);
        let (signature, interaction) = monitor.interaction().expect("compiled from one");
        let locations = monitor.locations().expect("compiled from one");
        let made = Generator::new(signature, interaction, &locations, Bounds::default(), seed);
        let mut generator = made.expect("it has accepted multi-traces");
        let mut dice = Dice::new(seed, 5);
        for index in 0..30 {
            let trace = slice(&mut generator, index, &mut dice);
            let session = Session { id: index.to_string(), trace, ..Session::default() };
            let expected = kind(&plain.check(&session).verdict);
            assert_eq!(kind(&usual.check(&session).verdict), expected, "{text}\n{session:?}");
            let on_terms = kind(&terms.check(&session).verdict);
            assert!(
                on_terms == expected || on_terms == "inconclusive",
                "{on_terms} on terms, not {expected}: {text}\n{session:?}"
            );
            assert!(index % 2 == 1 || expected != "fail", "{text}\n{session:?}");
            *tally.entry((expected, on_terms)).or_default() += 1;
        }
    }
    println!("expected and on terms: {tally:?}");
    let all: usize = tally.values().sum();
    let open: usize = tally.iter().filter(|it| it.0.1 == "inconclusive").map(|it| it.1).sum();
    assert!(all > 500 && open * 20 < all, "{open} of {all} stay open on terms");
    assert!(["weak_pass", "fail"].iter().all(|it| tally.keys().any(|key| key.0 == *it)));
}
