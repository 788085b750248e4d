//! The gain of each stage of deciding: each left out in turn, on specifications and sessions of different kinds.
//! Verdicts must be the same; only the time changes, and how many sessions stay open.

use crate::corpus::corpus;
use crate::multitraces::{Maker, TestSet, split};
use crate::table::{Table, ratio, seconds};
use crate::table1;
use crate::timing::Effort;
use crate::workload::Random;
use cpu_time::ThreadTime;
use multitrace::{CompileOptions, Spec, SpecFormat, Verdict};
use multitrace_compiler::{Config, compile_automaton};
use multitrace_formats::bundle::{Bundle, Provenance, encode};
use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf, sessions as session_texts};
use multitrace_interaction::generate::{Bounds, Dice, RandomInteractions, Shape};
use multitrace_interaction::{InconclusiveReason, Observation, Session};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, Comparison, DeciderName, EngineChoice, Monitor,
};
use std::collections::BTreeMap;
use std::time::Duration;

#[path = "../examples/diagrams/mod.rs"]
mod diagrams;
#[path = "../examples/sessions/mod.rs"]
#[allow(dead_code, reason = "examples use more of it")]
mod made;

/// The most time of a session, so that the work that a missing stage leaves to others ends.
const LONGEST: Duration = Duration::from_millis(100);

/// The modes of sets that are not one of a mode.
const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// A specification with sessions for each mode.
struct Subject {
    bundle: Bundle,
    sessions: Vec<(Observation, Vec<Session>)>,
}

/// Specifications of one kind.
struct Workload {
    name: String,
    engine: EngineChoice,
    subjects: Vec<Subject>,
    compiling: Duration,
}

/// The sums over all sessions of a set.
#[derive(Default)]
struct SetResult {
    time: Duration,
    verdicts: Vec<&'static str>,
    open: usize,
    /// The sessions that each stage decided.
    by: BTreeMap<DeciderName, usize>,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let full = effort.rounds > 1;
    let workloads = workloads(full);
    // The first time warms the memory that all of them share.
    let all = workloads.iter().map(|it| [check(it, None), check(it, None)]);
    let all: Vec<SetResult> = all.map(|[_, second]| second).collect();
    vec![sizes(&workloads, &all), stages(&workloads, &all)]
}

fn workloads(full: bool) -> Vec<Workload> {
    let mut workloads = Vec::new();
    let (specs, count) = if full { (10, 20) } else { (2, 4) };
    let sizes: &[_] = if full { &[(8, 20), (12, 40), (20, 80)] } else { &[(8, 20)] };
    for &(lifelines, messages) in sizes {
        let text = |seed| diagrams::Author::new(seed, lifelines).part(messages, true);
        let name = format!("{lifelines} lifelines, {messages} messages");
        workloads.push(texts(&name, specs, count, 3 * messages, &text));
    }
    workloads.push(random(if full { 40 } else { 3 }, count));
    workloads.push(texts("concurrent calls", 4, count / 2, 200, &|seed| calls(4 << seed)));
    let mut apart = texts("clients of a server", 2, 4, 400, &|seed| clients(20 >> seed));
    // In other modes, and with more clients, sessions stay open until the budget is spent, without each stage in turn.
    let whole = |it: &(Observation, _)| it.0 == Observation::Complete;
    apart.subjects.iter_mut().for_each(|it| it.sessions.retain(whole));
    workloads.push(apart);
    workloads.push(formulas(if full { 10 } else { 1 }));
    if let Some(corpus) = corpus() {
        let every = if full { 100 } else { 1_000 };
        for engine in [EngineChoice::Auto, EngineChoice::Term] {
            workloads.push(of_paper_003(&corpus.join("hibou-random"), every, engine));
        }
        workloads.push(of_paper_004(&corpus.join("automatark"), if full { 20 } else { 2 }));
    }
    workloads
}

fn compiled(spec: &Spec, options: &CompileOptions) -> multitrace::Monitor {
    spec.compile(options).expect("a specification").monitor
}

/// Interactions as text by their seeds, with sessions of every mode.
fn texts(
    name: &str,
    specs: u64,
    count: usize,
    events: usize,
    text: &dyn Fn(u64) -> String,
) -> Workload {
    let begin = ThreadTime::now();
    let spec = |seed| Spec::parse("bench.hif", &text(seed), SpecFormat::Hif);
    let monitors = (0..specs).map(|seed| compiled(&spec(seed), &CompileOptions::default()));
    let monitors: Vec<_> = monitors.collect();
    let compiling = begin.elapsed();
    let subjects = (0..).zip(&monitors).map(|(seed, monitor)| {
        let bounds = || Bounds::events(0, events);
        let of = |mode| (mode, sessions(monitor, mode, bounds(), count, seed));
        Subject { bundle: monitor.bundle().clone(), sessions: MODES.map(of).into() }
    });
    let (name, engine) = (name.to_owned(), EngineChoice::Auto);
    Workload { name, engine, subjects: subjects.collect(), compiling }
}

fn sessions(
    monitor: &multitrace::Monitor,
    mode: Observation,
    bounds: Bounds,
    count: usize,
    seed: u64,
) -> Vec<Session> {
    made::sessions(monitor, mode, (bounds, count), seed).expect("sessions of an interaction")
}

/// Interactions as `multitrace generate --interactions` makes them.
fn random(count: usize, sessions_each: usize) -> Workload {
    let mut interactions = RandomInteractions::new(Shape::default(), 0);
    let signature = interactions.signature().clone();
    let drawn = interactions.by_ref().take(count);
    let drawn: Vec<_> = drawn.map(|it| hif::print(&it.expect("one"), &signature)).collect();
    let text = |seed: u64| drawn[seed as usize].clone();
    let mut workload = texts("random interactions", count as u64, sessions_each, 60, &text);
    for subject in &mut workload.subjects {
        let (_, complete) = subject.sessions[0].clone();
        subject.sessions.push((Observation::GlobalPrefix, complete));
    }
    workload
}

/// Calls of tools that run at the same time, each told by its number.
fn calls(count: u64) -> String {
    let call = |number| {
        let server = number % 3;
        format!("seq(client -- call{number} -> s{server}, s{server} -- result{number} -> client)")
    };
    format!("par({})", (0..count).map(call).collect::<Vec<_>>().join(", "))
}

/// Clients in loops of their own, which have one server in common.
fn clients(count: usize) -> String {
    format!(
        "par for $c in c1..c{count} (loopW(seq($c -- ask -> server, alt(server -- yes -> $c, server -- no -> $c))))"
    )
}

/// Random formulas of 20 variables and 91 clauses of three, as paper 003 sec. 4.5 makes interactions of them.
fn formulas(count: u64) -> Workload {
    const VARIABLES: u64 = 20;
    const CLAUSES: u64 = 91;
    let text = |seed| {
        let mut random = Random::new(seed + 1);
        let clauses = (0..CLAUSES).map(|_| [0; 3].map(|_| random.below(2 * VARIABLES)));
        let clauses: Vec<_> = clauses.collect();
        let side = |literal: u64| {
            let true_in = (0..clauses.len()).filter(|&it| clauses[it].contains(&literal));
            let steps: Vec<_> = true_in.map(|clause| format!("m -> l{clause}")).collect();
            if steps.is_empty() { "o".to_owned() } else { format!("seq({})", steps.join(", ")) }
        };
        let variable = |it| format!("alt({}, {})", side(2 * it), side(2 * it + 1));
        let variables: Vec<_> = (0..VARIABLES).map(variable).collect();
        format!("seq({})", variables.join(", ").replace("seq()", "o"))
    };
    let mut workload = texts("3-SAT", count, 0, 1_000, &text);
    for subject in &mut workload.subjects {
        let alphabet = &subject.bundle.alphabet;
        let trace = alphabet.letters_by_location();
        let session = Session { id: "formula".to_owned(), trace, ..Session::default() };
        subject.sessions = vec![(Observation::Prefix, vec![session])];
    }
    workload
}

/// The interactions of paper 003, and some of the multi-traces of its benchmark.
fn of_paper_003(folder: &std::path::Path, every: usize, engine: EngineChoice) -> Workload {
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).expect("the corpus is readable");
    let begin = ThreadTime::now();
    let monitors = (0..20).map(|index| {
        let signature = hsf::parse(&Source::new("signature.hsf", read("signature.hsf")));
        let options = CompileOptions {
            signature: Some(signature.expect("a signature")),
            ..CompileOptions::default()
        };
        let file = format!("i{index}.hif");
        compiled(&Spec::parse(&file, &read(&file), SpecFormat::Hif), &options)
    });
    let monitors: Vec<_> = monitors.collect();
    let compiling = begin.elapsed();
    let subjects = monitors.iter().enumerate().map(|(index, monitor)| {
        let file = format!("i{index}.jsonl");
        let text = read(&file);
        let session = |line: &str| session_texts::parse_line(&file, 1, line, monitor.alphabet());
        let lines = text.lines().step_by(every);
        let sessions: Vec<_> = lines.map(|line| session(line).expect("a session")).collect();
        let of = |mode| (mode, sessions.clone());
        Subject { bundle: monitor.bundle().clone(), sessions: Observation::ALL.map(of).into() }
    });
    let name = match engine {
        EngineChoice::Term => "paper 003 on terms".to_owned(),
        _ => "paper 003".to_owned(),
    };
    Workload { name, engine, subjects: subjects.collect(), compiling }
}

/// The automata of the table of paper 004, their letters at three locations.
fn of_paper_004(folder: &std::path::Path, count: usize) -> Workload {
    let (mut subjects, mut compiling) = (Vec::new(), Duration::ZERO);
    for (index, (_, file)) in table1::AUTOMATA.into_iter().enumerate() {
        let (letters, nfa) = table1::load(&folder.join(format!("{file}.timbuk")));
        let seed = index as u64;
        let alphabet = split(&letters, &nfa, 3, &mut Dice::new(seed, 5));
        let mut maker = Maker::new(&alphabet, &nfa, seed);
        let sets = TestSet::ALL.into_iter().flat_map(|kind| maker.set(kind, count));
        let sessions: Vec<_> =
            sets.map(|(trace, _)| Session { trace, ..Session::default() }).collect();
        let provenance = Provenance::new("bench", "", b"", String::new());
        let begin = ThreadTime::now();
        let compiled = compile_automaton(alphabet.clone(), nfa, provenance, &Config::default());
        compiling += begin.elapsed();
        let of = |mode| (mode, sessions.clone());
        subjects.push(Subject { bundle: compiled.bundle, sessions: MODES.map(of).into() });
    }
    Workload { name: "paper 004".to_owned(), engine: EngineChoice::Auto, subjects, compiling }
}

/// Checks all sessions of a workload without a stage.
fn check(workload: &Workload, without: Option<DeciderName>) -> SetResult {
    let mut outcome = SetResult::default();
    for subject in &workload.subjects {
        let monitor = Monitor::new(subject.bundle.clone());
        for (observation, sessions) in &subject.sessions {
            let comparison = Comparison { without, ..Comparison::default() };
            let budget = Budget { time: Some(LONGEST), ..Budget::default() };
            let (observation, engine) = (*observation, workload.engine);
            let config =
                CheckConfig { observation, engine, budget, comparison, ..CheckConfig::default() };
            let mut checker = Checker::new(&monitor, config).expect("an engine");
            for session in sessions {
                let begin = ThreadTime::now();
                let checked = checker.check(session);
                outcome.time += begin.elapsed();
                outcome.verdicts.push(checked.verdict.name());
                outcome.open += usize::from(is_open(&checked.verdict));
                *outcome.by.entry(checked.decided_by).or_default() += 1;
            }
        }
    }
    outcome
}

/// Whether a session was not decided. That longer logs may still show it is an answer.
fn is_open(verdict: &Verdict) -> bool {
    let lack = Verdict::Inconclusive(InconclusiveReason::LackOfObservation);
    made::is_open(verdict) && *verdict != lack
}

fn sizes(workloads: &[Workload], all: &[SetResult]) -> Table {
    let mut table = Table::new(
        "Specifications and sessions of the stages",
        "The input of the next table. *On terms* have no automaton. Times are of the processor.",
        &["", "specifications", "on terms", "compiling", "bundles", "sessions", "time", "open"],
    );
    for (workload, outcome) in workloads.iter().zip(all) {
        let bundles = || workload.subjects.iter().map(|it| &it.bundle);
        let bytes: usize = bundles().map(|it| encode(it).len()).sum();
        let on_terms = match workload.engine {
            EngineChoice::Term => bundles().count(),
            _ => bundles().filter(|it| it.automaton().is_none()).count(),
        };
        table.row([
            workload.name.clone(),
            workload.subjects.len().to_string(),
            on_terms.to_string(),
            seconds(workload.compiling.as_secs_f64()),
            format!("{} kB", bytes / 1_000),
            outcome.verdicts.len().to_string(),
            seconds(outcome.time.as_secs_f64()),
            outcome.open.to_string(),
        ]);
    }
    table
}

/// # Panics
/// If a verdict depends on the stage that is left out.
fn stages(workloads: &[Workload], all: &[SetResult]) -> Table {
    let names: Vec<&str> = workloads.iter().map(|it| it.name.as_str()).collect();
    let mut table = Table::new(
        "Stages of deciding",
        "Each stage left out in turn: the time of all sessions, as a multiple of that with all stages, how many more \
         (or fewer) sessions stay open, and, in brackets, how many it decides where it is asked. No other verdict changes. \
         The last stage of a plan is always asked.",
        &[&["left out"], &names[..]].concat(),
    );
    for name in DeciderName::ALL {
        let mut row = vec![name.name().to_owned()];
        for (workload, whole) in workloads.iter().zip(all) {
            let without = check(workload, Some(name));
            for (at, (one, other)) in whole.verdicts.iter().zip(&without.verdicts).enumerate() {
                let is_same = one == other || [one, other].contains(&&"inconclusive");
                assert!(is_same, "{}, without {}: {at}", workload.name, name.name());
            }
            let time = without.time.as_secs_f64() / whole.time.as_secs_f64();
            let open = match without.open as i64 - whole.open as i64 {
                0 => String::new(),
                more => format!(" {more:+}"),
            };
            let decided = whole.by.get(&name).copied().unwrap_or_default();
            row.push(format!("{}{open} ({decided})", ratio(time)));
        }
        table.row(row);
    }
    table
}
