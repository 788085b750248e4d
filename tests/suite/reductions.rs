//! The reductions of paper 003: how many vertices searches have with each of them, in the manner of
//! its figures 15 (whole graphs) and 17 (until the first interleaving), and that none of them
//! changes a verdict. The paper counts searches that time out; vertices do not depend on the
//! machine, so here those are counted that go over a number of vertices.

#![allow(clippy::print_stdout, reason = "the tables are the point")]

use crate::common;
use crate::common::{generated, reductions};
use multitrace_formats::sessions;
use multitrace_interaction::generate::{Bounds, Generator, RandomInteractions, Shape};
use multitrace_interaction::{Locations, Observation, Session, Verdict};
use multitrace_runtime::{
    Budget, CheckConfig, Comparison, Criterion, EngineChoice, Method, Monitor, States,
};
use std::collections::BTreeMap;

/// Searches with more vertices are counted as such.
const MOST_VERTICES: u64 = 20_000;
const WAYS: usize = 4;

/// The sums over the searches of one kind of session.
#[derive(Clone, Debug, Default)]
struct Column {
    total: usize,
    over: [usize; WAYS],
    vertices: [Vec<u64>; WAYS],
}

/// Columns by kind of session and whether they are multi-prefixes.
type Table = BTreeMap<(String, &'static str), Column>;

fn config(way: usize) -> CheckConfig {
    CheckConfig {
        observation: Observation::Prefix,
        engine: EngineChoice::Term,
        comparison: Comparison {
            method: Method::Removal,
            reductions: Some(reductions()[way].1),
            ..Comparison::default()
        },
        budget: Budget { states: States::Fixed(MOST_VERTICES), ..Budget::default() },
        ..CheckConfig::default()
    }
}

fn measure(table: &mut Table, monitor: &Monitor, kind: &str, session: &Session, whole: bool) {
    let graphs: Vec<_> = (0..WAYS)
        .map(|way| monitor.removal_graph(session, &config(way), whole).expect("there are terms"))
        .collect();
    let answers: Vec<bool> = graphs.iter().filter_map(|graph| graph.is_prefix).collect();
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{}: reductions change the answer: {graphs:?}",
        session.id
    );
    let answer = match answers.first() {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    };
    let column = table.entry((kind.to_owned(), answer)).or_default();
    column.total += 1;
    for (way, graph) in graphs.iter().enumerate() {
        column.over[way] += usize::from(graph.is_prefix.is_none());
        column.vertices[way].push(graph.vertices);
    }
}

fn print(title: &str, table: &Table) {
    println!("\n{title}");
    println!("sessions over {MOST_VERTICES} vertices, and vertices of the median session:");
    print!("{:18}{:>5}{:>8}", "kind", "", "total");
    for (name, _) in reductions() {
        print!("{name:>18}");
    }
    println!();
    for ((kind, answer), column) in table {
        print!("{kind:18}{answer:>5}{:>8}", column.total);
        for (over, vertices) in column.over.iter().zip(&column.vertices) {
            let mut vertices = vertices.clone();
            vertices.sort_unstable();
            print!("{over:>8}{:>10}", vertices[vertices.len() / 2]);
        }
        println!();
    }
}

/// Every method, with every reduction, gives the verdict of the engine that decides, or none.
/// Without our own reductions, and with a small budget, that may be none for any method.
fn agree(
    monitor: &Monitor,
    session: &Session,
    ways: &[(String, CheckConfig)],
    tally: &mut Agreement,
) {
    for observation in common::MODES {
        let plain = CheckConfig { observation, budget: SMALL, ..CheckConfig::default() };
        let expected = common::check(monitor, session, &plain).verdict;
        tally.checks += 1;
        if is_open(&expected) {
            tally.open += 1;
            continue;
        }
        for (name, way) in ways {
            let key = (name.clone(), observation);
            let given_up = tally.given_up.entry(key).or_default();
            if *given_up >= PATIENCE {
                tally.left_out += 1;
                continue;
            }
            let check = CheckConfig { observation, ..*way };
            let verdict = common::check(monitor, session, &check).verdict;
            tally.checks += 1;
            *given_up += usize::from(is_open(&verdict));
            tally.open_by_way += usize::from(is_open(&verdict));
            assert!(
                is_open(&verdict) || verdict.name() == expected.name(),
                "{} {observation:?} {name}: {verdict:?}, not {expected:?}",
                session.id
            );
        }
    }
}

/// A way that so often has no verdict within the small budget is left out for the rest of an
/// interaction: it takes the whole budget each time, and compares nothing.
const PATIENCE: usize = 5;

const SMALL: Budget =
    Budget { states: States::Fixed(MOST_VERTICES / 10), bytes: 64 << 20, time: None };

/// Counts of compared answers.
#[derive(Default)]
struct Agreement {
    checks: usize,
    /// Without a verdict by the way that is usual, and by the others.
    open: usize,
    open_by_way: usize,
    left_out: usize,
    /// For the present interaction, how often each way had no verdict.
    given_up: BTreeMap<(String, Observation), usize>,
}

fn is_open(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Inconclusive(_))
}

/// Terms with our reductions, and with each of paper 003's by each method.
fn ways(methods: &[Method], depths: &[Option<u32>]) -> Vec<(String, CheckConfig)> {
    let engine = EngineChoice::Term;
    let terms = CheckConfig { engine, budget: SMALL, ..CheckConfig::default() };
    let mut ways = vec![("terms".to_owned(), terms)];
    for (name, reductions) in reductions() {
        for &method in methods {
            for &look_ahead_depth in depths {
                let name = format!("{name} {method:?} {look_ahead_depth:?}");
                let reductions = Some(reductions);
                let comparison =
                    Comparison { reductions, method, look_ahead_depth, ..Comparison::default() };
                ways.push((name, CheckConfig { comparison, ..terms }));
            }
        }
    }
    ways
}

fn all_ways() -> Vec<(String, CheckConfig)> {
    let methods = [Method::Exact, Method::Removal, Method::Simulation(Criterion::default())];
    ways(&methods, &[None, Some(1)])
}

/// Calls `visit` with the sessions of random interactions: a monitor and a kind with each.
fn random_sessions(
    interactions: usize,
    accepted: usize,
    mut visit: impl FnMut(&Monitor, &'static str, &Session),
) {
    let mut random = RandomInteractions::new(Shape::default(), 3);
    let signature = random.signature().clone();
    let locations = Locations::discrete(&signature);
    let mut made = 0;
    while made < interactions {
        let interaction = random.next().expect("no end").expect("of the shape");
        let bounds = Bounds::events(1, 24);
        let generator = Generator::new(&signature, &interaction, &locations, bounds, made as u64);
        // Some have no multi-trace of so few events.
        let Ok(mut generator) = generator else { continue };
        made += 1;
        let monitor = common::monitor(&signature, &interaction);
        for (number, (kind, trace)) in generated(&mut generator, accepted).into_iter().enumerate() {
            let id = format!("i{made} {kind} {number}");
            visit(&monitor, kind, &Session { id, trace, ..Session::default() });
        }
    }
}

#[test]
fn random_interactions_as_in_paper_003() {
    let (interactions, accepted) = if common::full() { (100, 8) } else { (6, 6) };
    let (mut whole, mut first) = (Table::new(), Table::new());
    random_sessions(interactions, accepted, |monitor, kind, session| {
        measure(&mut whole, monitor, kind, session, true);
        measure(&mut first, monitor, kind, session, false);
    });
    println!("\n{interactions} random interactions");
    print("whole graphs (as paper 003 fig. 15)", &whole);
    print("until an interleaving is found (as paper 003 fig. 17)", &first);
}

/// The compiled automaton, terms, and each reduction on and off.
#[test]
fn engines_and_reductions_agree() {
    let (interactions, accepted) = if common::full() { (300, 72) } else { (8, 4) };
    let ways = if common::full() { ways(&[Method::Exact], &[None]) } else { all_ways() };
    let (mut tally, mut sessions) = (Agreement::default(), 0);
    let mut interaction = String::new();
    random_sessions(interactions, accepted, |monitor, _, session| {
        let of = session.id.split(' ').next().unwrap_or_default();
        if of != interaction {
            interaction = of.to_owned();
            tally.given_up.clear();
        }
        agree(monitor, session, &ways, &mut tally);
        sessions += 1;
    });
    println!(
        "{sessions} multi-traces of {interactions} interactions in {} modes: {} checks agree; \
         without a verdict {} as usual, {} by other ways, and {} left out after those",
        common::MODES.len(),
        tally.checks,
        tally.open,
        tally.open_by_way,
        tally.left_out
    );
    assert!(sessions >= if common::full() { 100_000 } else { 100 }, "{sessions} multi-traces");
    assert!(tally.open * 50 < tally.checks, "{} of {} are open", tally.open, tally.checks);
}

#[test]
fn the_corpus_of_paper_003() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("hibou-random")) else { return };
    let every = if common::full() { 1 } else { 97 };
    let (mut whole, mut first) = (Table::new(), Table::new());
    let (mut tally, ways) = (Agreement::default(), all_ways());
    for index in 0..20 {
        let (signature, interaction) = common::hibou_random(&folder, index);
        let monitor = common::monitor(&signature, &interaction);
        let name = format!("i{index}.jsonl");
        let text = std::fs::read_to_string(folder.join(&name)).expect("the sessions are readable");
        tally.given_up.clear();
        for (number, line) in text.lines().enumerate().step_by(every) {
            let session = sessions::parse_line(&name, number + 1, line, monitor.alphabet());
            let session = session.expect("a session");
            let kind = session.id.split('/').next().unwrap_or_default().to_owned();
            measure(&mut whole, &monitor, &kind, &session, true);
            measure(&mut first, &monitor, &kind, &session, false);
            if number % (every * 5) == 0 {
                agree(&monitor, &session, &ways, &mut tally);
            }
        }
    }
    print("corpus, whole graphs (as paper 003 fig. 15)", &whole);
    print("corpus, until an interleaving is found (as paper 003 fig. 17)", &first);
}
