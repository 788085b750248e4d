//! The reductions of paper 003: how many vertices searches have with each of them, in the manner of
//! its figures 15 (whole graphs) and 17 (until the first interleaving), and that none of them
//! changes a verdict. The paper counts searches that time out; vertices do not depend on the
//! machine, so here those are counted that go over a number of vertices.

#![allow(clippy::print_stdout, reason = "the tables are the point")]

mod common;

use common::reductions;
use multitrace_formats::sessions;
use multitrace_interaction::{Observation, Session, Verdict};
use multitrace_runtime::{Budget, CheckConfig, Criterion, EngineChoice, Method, Monitor, Scratch};
use std::collections::BTreeMap;

/// Searches with more vertices are counted as such.
const MOST_VERTICES: u64 = 20_000;
const WAYS: usize = 4;

/// What the searches of one kind of session came to.
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
        method: Method::Removal,
        reductions: Some(reductions()[way].1),
        budget: Budget { states: MOST_VERTICES, ..Budget::default() },
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
fn agree(monitor: &Monitor, session: &Session, scratch: &mut Scratch) {
    for observation in common::MODES {
        let plain = CheckConfig { observation, ..CheckConfig::default() };
        let expected = monitor.check(session, &plain, scratch).verdict;
        if matches!(expected, Verdict::Inconclusive(_)) {
            assert_eq!(observation, Observation::Slice, "{}: {expected:?}", session.id);
            continue;
        }
        let budget = Budget { states: MOST_VERTICES / 10, ..Budget::default() };
        let terms = CheckConfig { engine: EngineChoice::Term, budget, ..plain };
        for (name, reductions) in reductions() {
            for method in [Method::Exact, Method::Removal, Method::Simulation(Criterion::default())]
            {
                for look_ahead_depth in [None, Some(1)] {
                    let reductions = Some(reductions);
                    let check = CheckConfig { method, reductions, look_ahead_depth, ..terms };
                    let verdict = monitor.check(session, &check, scratch).verdict;
                    let same = verdict.name() == expected.name();
                    assert!(
                        same || matches!(verdict, Verdict::Inconclusive(_)),
                        "{} {observation:?} {name} {method:?}: {verdict:?}, not {expected:?}",
                        session.id
                    );
                }
            }
        }
    }
}

#[test]
fn the_corpus_of_paper_003() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("hibou-random")) else { return };
    let every = if common::full() { 1 } else { 97 };
    let (mut whole, mut first) = (Table::new(), Table::new());
    let mut scratch = Scratch::default();
    for index in 0..20 {
        let (signature, interaction) = common::hibou_random(&folder, index);
        let monitor = common::monitor(&signature, &interaction);
        let name = format!("i{index}.jsonl");
        let text = std::fs::read_to_string(folder.join(&name)).expect("the sessions are readable");
        for (number, line) in text.lines().enumerate().step_by(every) {
            let session = sessions::parse_line(&name, number + 1, line, monitor.alphabet());
            let session = session.expect("a session");
            let kind = session.id.split('/').next().unwrap_or_default().to_owned();
            measure(&mut whole, &monitor, &kind, &session, true);
            measure(&mut first, &monitor, &kind, &session, false);
            if number % (every * 5) == 0 {
                agree(&monitor, &session, &mut scratch);
            }
        }
    }
    print("corpus, whole graphs (as paper 003 fig. 15)", &whole);
    print("corpus, until an interleaving is found (as paper 003 fig. 17)", &first);
}
