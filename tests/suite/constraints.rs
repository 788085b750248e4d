//! Constraints, the usual plan and terms give the verdict of the plain search on the automaton, in every mode that both decide, on
//! sessions long enough that loops in one another are repeated; and sessions that constraints accept have a global
//! trace. Thousands of concurrent events are decided without a search.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use crate::common::{proven, unless_too_large};
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat, Verdict};
use multitrace_formats::hif;
use multitrace_interaction::generate::{Bounds, Dice, Generator, RandomInteractions, Shape};
use multitrace_interaction::{MultiTrace, Observation, Session};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, Comparison, EngineChoice, SearchChoice, States, replay,
};
use std::collections::BTreeMap;

const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

fn checker(
    monitor: &Monitor,
    observation: Observation,
    (engine, search): (EngineChoice, SearchChoice),
) -> Checker<'_> {
    let comparison = Comparison { search, ..Comparison::default() };
    // Some stages are for sessions without a witness.
    let witness = search == SearchChoice::Constraints;
    let budget = Budget { states: States::Fixed(20_000), ..Budget::default() };
    let config =
        CheckConfig { observation, engine, comparison, witness, budget, without_cycles: true };
    Checker::new(monitor.runtime(), config).expect("the bundle has an automaton and its source")
}

/// The part of an accepted multi-trace that a mode may see; of two in three with an event less, or with two in another
/// order.
fn cut(generator: &mut Generator, mode: Observation, index: usize, dice: &mut Dice) -> MultiTrace {
    let accepted = generator.accepted();
    let mut trace = match mode {
        Observation::Prefix => generator.prefix(&accepted).0,
        Observation::Slice => generator.slice(&accepted).0,
        _ => accepted,
    };
    if mode == Observation::Missing {
        let at = dice.below(trace.len());
        trace[at].clear();
    }
    let long: Vec<_> = (0..trace.len()).filter(|&at| trace[at].len() > 1).collect();
    if let (Some(&at), 1 | 2) = (dice.pick(&long), index % 3) {
        let event = 1 + dice.below(trace[at].len() - 1);
        match index % 3 {
            1 => drop(trace[at].remove(event - 1)),
            _ => trace[at].swap(event - 1, event),
        }
    }
    trace
}

/// Per mode and verdict, how many sessions constraints were compared on; and how many the other ways decide.
type Tally = BTreeMap<(&'static str, &'static str), usize>;

/// Compares sessions of a specification in every mode; none if it has no automaton.
fn compare(text: &str, seed: u64, tally: &mut Tally) {
    let spec = Spec::parse("random.hif", text, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions::default()).expect("compiles").monitor;
    if monitor.bundle().automaton().is_none() {
        return;
    }
    let (signature, interaction) = monitor.interaction().expect("compiled from one");
    let locations = monitor.locations().expect("compiled from one");
    let made = Generator::new(signature, interaction, &locations, Bounds::default(), seed);
    let mut generator = made.expect("it has accepted multi-traces");
    let mut dice = Dice::new(seed, 5);
    for observation in MODES {
        let checker = |engine, search| checker(&monitor, observation, (engine, search));
        let mut plain = checker(EngineChoice::Nfa, SearchChoice::Nodes);
        let mut constrained = checker(EngineChoice::Nfa, SearchChoice::Constraints);
        let mut usual = checker(EngineChoice::Auto, SearchChoice::Auto);
        let mut terms = checker(EngineChoice::Term, SearchChoice::Auto);
        for index in 0..12 {
            let trace = cut(&mut generator, observation, index, &mut dice);
            let session = Session { id: index.to_string(), trace, ..Session::default() };
            let expected = plain.check(&session).verdict.name();
            for (way, checker) in [("usual", &mut usual), ("terms", &mut terms)] {
                let found = checker.check(&session).verdict.name();
                let is_open = [expected, found].contains(&"inconclusive");
                *tally.entry((way, if is_open { "open" } else { "decided" })).or_default() += 1;
                let place = || format!("{way}, {observation:?}: {text}\n{session:?}");
                assert!(is_open || found == expected, "{found}, not {expected} by {}", place());
            }
            let found = constrained.check(&session);
            if [expected, found.verdict.name()].contains(&"inconclusive") {
                continue;
            }
            assert_eq!(found.verdict.name(), expected, "{observation:?}: {text}\n{session:?}");
            if matches!(found.verdict, Verdict::Pass | Verdict::WeakPass) {
                let witness = found.witness.expect("one was asked for");
                let mode = proven(&found.verdict, observation);
                let replayed = replay(monitor.runtime(), &session, &witness, mode);
                let replayed = unless_too_large(replayed);
                assert_eq!(replayed, Ok(()), "{observation:?}: {text}\n{session:?}");
            }
            *tally.entry((observation.name(), expected)).or_default() += 1;
        }
    }
}

fn assert_compared(tally: &Tally, least: usize) {
    println!("{tally:?}");
    let by_constraints = tally.iter().filter(|(key, _)| !["usual", "terms"].contains(&key.0));
    let compared: Vec<usize> = by_constraints.map(|(_, count)| *count).collect();
    assert!(compared.iter().sum::<usize>() > least && compared.len() >= 7, "{tally:?}");
    for way in ["usual", "terms"] {
        let of = |what| tally.get(&(way, what)).copied().unwrap_or_default();
        assert!(of("open") * 20 < of("decided"), "{way}: {tally:?}");
    }
}

#[test]
fn constraints_give_the_verdict_of_the_plain_search() {
    let mut tally = Tally::new();
    let interactions = RandomInteractions::new(Shape::default(), 11);
    let signature = interactions.signature().clone();
    for (seed, interaction) in (0..).zip(interactions.take(60)) {
        let text = hif::print(&interaction.expect("within bounds"), &signature);
        compare(&text, seed, &mut tally);
    }
    assert_compared(&tally, 1_000);
}

/// A loop of alternatives. Some share no lifeline, so that repetitions can be numbered in many ways. Sometimes it is in another
/// loop, or has something before or after it.
fn loop_of_alternatives(dice: &mut Dice) -> String {
    let step = |dice: &mut Dice| {
        let from = dice.below(4);
        let message = dice.below(3);
        match dice.below(4) {
            0 => format!("l{from} -- m{message} ->|"),
            _ => format!("l{from} -- m{message} -> l{}", (from + 1 + dice.below(3)) % 4),
        }
    };
    let operand = |dice: &mut Dice| match dice.below(5) {
        0 => format!("strict({}, {})", step(dice), step(dice)),
        1 => format!("seq({}, {})", step(dice), step(dice)),
        2 => format!("par({}, alt(o, {}))", step(dice), step(dice)),
        _ => step(dice),
    };
    let operands: Vec<String> = (0..2 + dice.below(3)).map(|_| operand(dice)).collect();
    let kinds = ["loopP", "loopW", "loopH", "loopS"];
    let mut text = format!("{}(alt({}))", kinds[dice.below(4)], operands.join(", "));
    if dice.below(4) == 0 {
        text = format!("{}(seq({text}, {}))", kinds[dice.below(4)], step(dice));
    }
    match dice.below(4) {
        0 => format!("seq({text}, {})", step(dice)),
        1 => format!("seq({}, {text})", step(dice)),
        2 => format!("par({}, {text})", step(dice)),
        _ => text,
    }
}

#[test]
fn repetitions_that_can_be_numbered_in_several_ways_are_judged_as_by_the_plain_search() {
    let mut tally = Tally::new();
    let mut dice = Dice::new(7, 3);
    // `MULTITRACE_FULL=1` compares many more.
    let specifications = if multitrace_testing::corpus::full() { 4_000 } else { 120 };
    for seed in 0..specifications {
        compare(&loop_of_alternatives(&mut dice), seed, &mut tally);
    }
    assert_compared(&tally, 2_000);
}

/// Short searches leave out terms that no session met, if terms are large: that changes no verdict, and nothing that sessions
/// behind them are reported.
#[test]
fn sessions_on_large_terms_have_the_verdict_of_constraints_whatever_terms_are_known() {
    let mut tally = BTreeMap::<(&str, &str), usize>::new();
    let mut dice = Dice::new(5, 9);
    let specifications = if multitrace_testing::corpus::full() { 400 } else { 24 };
    for seed in 0..specifications {
        let mut part = || {
            let loops: Vec<_> = (0..5).map(|_| loop_of_alternatives(&mut dice)).collect();
            format!("seq({})", loops.join(", "))
        };
        let text = format!("par({}, {}, {})", part(), part(), part());
        let spec = Spec::parse("large.hif", &text, SpecFormat::Hif);
        let options = CompileOptions { limit_states: Some(1_000), ..CompileOptions::default() };
        let monitor = spec.compile(&options).expect("compiles").monitor;
        let (signature, interaction) = monitor.interaction().expect("compiled from one");
        assert!(interaction.nodes().len() > 100, "{}", interaction.nodes().len());
        let locations = monitor.locations().expect("compiled from one");
        let made = Generator::new(signature, interaction, &locations, Bounds::default(), seed);
        let mut generator = made.expect("it has accepted multi-traces");
        let mut dice = Dice::new(seed, 6);
        let checker = |search, witness| {
            let comparison = Comparison { search, ..Comparison::default() };
            let budget = Budget { states: States::Fixed(20_000), ..Budget::default() };
            let engine = EngineChoice::Term;
            let config =
                CheckConfig { engine, comparison, budget, witness, ..CheckConfig::default() };
            Checker::new(monitor.runtime(), config).expect("it has terms")
        };
        let mut constrained = checker(SearchChoice::Constraints, false);
        let mut usual = checker(SearchChoice::Auto, false);
        for index in 0..12 {
            let trace = cut(&mut generator, Observation::Complete, index, &mut dice);
            let session = Session { id: index.to_string(), trace, ..Session::default() };
            let expected = constrained.check(&session).verdict.name();
            let found = usual.check(&session).verdict.name();
            if ![expected, found].contains(&"inconclusive") {
                assert_eq!(found, expected, "{text}\n{session:?}");
            }
            *tally.entry((expected, found)).or_default() += 1;
        }
    }
    println!("{tally:?}");
    assert!(["pass", "fail"].iter().all(|it| tally[&(*it, *it)] > 20), "{tally:?}");
}

/// The line of a session by its logs.
fn line(logs: &BTreeMap<String, Vec<String>>) -> String {
    serde_json::json!({"session": "s", "traces": logs}).to_string()
}

#[test]
fn a_thousand_clients_of_one_server_are_decided_apart() {
    let clients = || (1..=1_000).map(|it| format!("c{it}"));
    let of = |client: String| {
        let log = vec![format!("{client}!ask"), format!("{client}?answer")];
        (client, log)
    };
    let mut logs: BTreeMap<String, Vec<String>> = clients().map(of).collect();
    let server = ["server?ask", "server!answer"].map(|it| vec![it.to_owned(); 1_000]).concat();
    logs.insert("server".to_owned(), server);
    let folder = Folder::new();
    let spec = "par for $c in c1..c1000 (seq($c -- ask -> server, server -- answer -> $c))";
    let spec = folder.file("clients.hif", spec);
    let run = |logs: &BTreeMap<String, Vec<String>>| {
        multitrace(&["check", &spec, &folder.file("in.jsonl", &line(logs)), "--stats"])
    };
    let accepted = run(&logs);
    assert_eq!(accepted.code, 0, "{}", accepted.out);
    assert!(accepted.out.contains("decided by parts apart"), "{}", accepted.out);
    logs.get_mut("c7").expect("a client").push("c7!unknown".to_owned());
    let refused = run(&logs);
    assert!(refused.code == 1 && refused.out.contains("MT102"), "{}", refused.out);
}

#[test]
fn a_thousand_calls_at_a_time_are_decided_by_constraints() {
    let ids = || (1..=1_000).map(|it| format!("i{it}"));
    // Answers come in another order than calls do.
    let log = |first: &str, then: &str| {
        let (first, then) =
            (ids().map(|id| format!("{first}{id}")), ids().map(|id| format!("{then}{id}")));
        first.chain(then.collect::<Vec<_>>().into_iter().rev()).collect::<Vec<String>>()
    };
    let logs = [("a", log("a!call ", "a?done ")), ("b", log("b?call ", "b!done "))];
    let logs = logs.map(|(name, log)| (name.to_owned(), log)).into();
    let folder = Folder::new();
    let spec = r#"par for $i in i1..i1000 (seq(a -- "call $i" -> b, b -- "done $i" -> a))"#;
    let run = multitrace(&[
        "check",
        &folder.file("calls.hif", spec),
        &folder.file("in.jsonl", &line(&logs)),
        "--stats",
    ]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("decided by constraints"), "{}", run.out);
}
