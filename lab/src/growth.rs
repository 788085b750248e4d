//! How costs grow: with the length of a session, the number of parallel pairs, of locations, and of
//! states.

use crate::table::{Table, count, seconds};
use crate::timing::{Effort, Way, compare};
use crate::workload;
use multitrace_formats::bundle::{self, Central};
use multitrace_formats::sessions::parse_line;
use multitrace_interaction::Session;
use multitrace_runtime::{CheckConfig, Checker, Monitor};
use std::collections::BTreeMap;
use std::time::Instant;

pub fn run(effort: Effort) -> Vec<Table> {
    let full = effort.rounds > 1;
    vec![
        lengths(effort, if full { &[60, 600, 6_000, 60_000, 600_000] } else { &[60, 600] }),
        pairs(effort, if full { &[2, 4, 6, 8, 10, 12] } else { &[2, 4] }),
        locations(effort, if full { &[2, 3, 4, 5, 6, 7, 8] } else { &[2, 3] }),
        states(effort, if full { &[10, 100, 1_000, 10_000, 99_998] } else { &[10, 100] }),
        compiling(full),
    ]
}

/// Local traces by location, as they are built up.
#[derive(Clone, Debug, Default)]
struct Logs(BTreeMap<String, Vec<String>>);

impl Logs {
    fn pass(&mut self, from: &str, message: &str, to: &str) {
        self.log(from, format!("{from}!{message}"));
        self.log(to, format!("{to}?{message}"));
    }

    fn log(&mut self, location: &str, event: String) {
        self.0.entry(location.to_owned()).or_default().push(event);
    }

    fn session(&self, monitor: &Monitor) -> Session {
        let list = |events: &Vec<String>| format!("[\"{}\"]", events.join("\",\""));
        let logs = self.0.iter().filter(|(_, events)| !events.is_empty());
        let logs = logs.map(|(location, events)| format!("\"{location}\":{}", list(events)));
        let logs = logs.collect::<Vec<_>>().join(",");
        let line = format!("{{\"session\":\"s\",\"traces\":{{{logs}}}}}");
        parse_line("bench", 1, &line, monitor.alphabet()).expect("a session")
    }
}

/// The median time to check one session with this verdict.
fn time(effort: Effort, monitor: &Monitor, session: &Session, verdict: &'static str) -> f64 {
    let mut checker = Checker::new(monitor, CheckConfig::default()).expect("an engine");
    let check = || checker.check(session).verdict.name();
    compare(effort, &verdict, &mut [Way::new("check", check)])[0]
}

fn lengths(effort: Effort, events: &[usize]) -> Table {
    let mut table = Table::new(
        "Length of a session",
        "One session of a request/response loop between two locations, accepted; without its last \
         event, which one log shows; and without the last round in one log, which only both show.",
        &["events", "accepted", "per event", "event missing", "round missing", "per event"],
    );
    let monitor = Monitor::new(workload::compile("loopS(seq(a -- req -> b, b -- res -> a))"));
    for &events in events {
        let mut logs = Logs::default();
        for _ in 0..events / 4 {
            logs.pass("a", "req", "b");
            logs.pass("b", "res", "a");
        }
        let passing = time(effort, &monitor, &logs.session(&monitor), "pass");
        logs.0.get_mut("a").and_then(Vec::pop);
        let failing = time(effort, &monitor, &logs.session(&monitor), "fail");
        logs.0.get_mut("a").and_then(Vec::pop);
        let round_missing = time(effort, &monitor, &logs.session(&monitor), "fail");
        let per_event = |time: f64| seconds(time / events as f64);
        table.row([
            count(events as f64),
            seconds(passing),
            per_event(passing),
            seconds(failing),
            seconds(round_missing),
            per_event(round_missing),
        ]);
    }
    table
}

/// So many request/response pairs at once, in a loop.
fn parallel_pairs(pairs: usize) -> (String, Logs) {
    let pair = |n| format!("seq(a{n} -- req{n} -> b{n}, b{n} -- res{n} -> a{n})");
    let all: Vec<String> = (1..=pairs).map(pair).collect();
    let mut logs = Logs::default();
    for _ in 0..5 {
        for n in 1..=pairs {
            let (a, b) = (format!("a{n}"), format!("b{n}"));
            logs.pass(&a, &format!("req{n}"), &b);
            logs.pass(&b, &format!("res{n}"), &a);
        }
    }
    (format!("loopS(par({}))", all.join(", ")), logs)
}

fn pairs(effort: Effort, pairs: &[usize]) -> Table {
    let mut table = Table::new(
        "Parallel pairs in a loop",
        "So many request/response pairs in parallel, five times in a loop: a session that is \
         accepted; the same with one event missing; and with one round missing in one log, which \
         no log shows alone. HIBOU 0.8.7 takes over 100 s for 8 pairs with one event missing.",
        &["pairs", "states", "compile", "accepted", "event missing", "round missing"],
    );
    for &pairs in pairs {
        let (text, mut logs) = parallel_pairs(pairs);
        let start = Instant::now();
        let bundle = workload::compile(&text);
        let compile = start.elapsed().as_secs_f64();
        let states = bundle.automaton().map_or(0, |automaton| automaton.search.state_count());
        let monitor = Monitor::new(bundle);
        let passing = time(effort, &monitor, &logs.session(&monitor), "pass");
        // The last pair's last but one response is never received.
        logs.0.get_mut(&format!("a{pairs}")).and_then(Vec::pop);
        let failing = time(effort, &monitor, &logs.session(&monitor), "fail");
        logs.0.get_mut(&format!("a{pairs}")).and_then(Vec::pop);
        let round_missing = time(effort, &monitor, &logs.session(&monitor), "fail");
        let cells = [compile, passing, failing, round_missing].map(seconds);
        table.row([pairs.to_string(), count(states as f64)].into_iter().chain(cells));
    }
    table
}

fn locations(effort: Effort, locations: &[usize]) -> Table {
    let mut table = Table::new(
        "Locations",
        "A token goes round a ring of this many locations; about 600 events, accepted, and with the \
         last event missing.",
        &["locations", "accepted", "last event missing"],
    );
    for &locations in locations {
        let name = |n: usize| format!("l{}", n % locations);
        let hops: Vec<String> =
            (0..locations).map(|n| format!("{} -- m{n} -> {}", name(n), name(n + 1))).collect();
        let monitor = Monitor::new(workload::compile(&format!("loopS(seq({}))", hops.join(", "))));
        let mut logs = Logs::default();
        for hop in 0..300 / locations * locations {
            logs.pass(&name(hop), &format!("m{}", hop % locations), &name(hop + 1));
        }
        let passing = time(effort, &monitor, &logs.session(&monitor), "pass");
        logs.0.get_mut("l0").and_then(Vec::pop);
        let failing = time(effort, &monitor, &logs.session(&monitor), "fail");
        table.row([locations.to_string(), seconds(passing), seconds(failing)]);
    }
    table
}

fn states(effort: Effort, states: &[usize]) -> Table {
    let mut table = Table::new(
        "States",
        "A chain of this many states: ten kinds of messages between two locations, one after the \
         other. Compiling, the size of the bundle, loading it, and checking the one session it \
         accepts.",
        &["states", "compile", "bundle bytes", "load", "check", "per event"],
    );
    for &states in states {
        let messages: Vec<String> = (0..states / 2).map(|n| format!("m{}", n * n % 10)).collect();
        let passings = messages.iter().map(|message| format!("a -- {message} -> b"));
        let text = format!("seq({})", passings.collect::<Vec<_>>().join(", "));
        let start = Instant::now();
        let compiled = workload::compile(&text);
        let compile = start.elapsed().as_secs_f64();
        let bytes = bundle::encode(&compiled);
        let load =
            compare(effort, &true, &mut [Way::new("load", || bundle::decode(&bytes).is_ok())])[0];
        let monitor = Monitor::new(compiled);
        let mut logs = Logs::default();
        messages.iter().for_each(|message| logs.pass("a", message, "b"));
        let check = time(effort, &monitor, &logs.session(&monitor), "pass");
        table.row([
            count(states as f64),
            seconds(compile),
            count(bytes.len() as f64),
            seconds(load),
            seconds(check),
            seconds(check / states as f64),
        ]);
    }
    table
}

/// An operator, the message with each number, and how many of them.
type Case<'a> = (&'a str, &'a dyn Fn(usize) -> String, &'a [usize]);

fn compiling(full: bool) -> Table {
    let mut table = Table::new(
        "Compiling large specifications",
        "Messages in one operator: in parallel, each between a location and the next one; alternatives \
         between two locations; in parallel between two locations, which has no automaton: counted \
         work ends, and terms take over. Compiling, and its result.",
        &["operator", "messages", "compile", "result", "bundle bytes"],
    );
    let chained = |n: usize| format!("l{n} -- m{n} -> l{}", n + 1);
    let between_two = |n: usize| format!("a -- m{n} -> b");
    let cases: [Case<'_>; 3] = [
        ("par", &chained, if full { &[160, 320, 640, 1_280, 20_000] } else { &[40] }),
        ("alt", &between_two, if full { &[4_000, 60_000] } else { &[400] }),
        ("par", &between_two, if full { &[160, 3_000] } else { &[4] }),
    ];
    for (operator, message, counts) in cases {
        for &messages in counts {
            let all = (0..messages).map(message).collect::<Vec<_>>();
            let text = format!("{operator}({})", all.join(", "));
            let start = Instant::now();
            let compiled = workload::compile(&text);
            let compile = start.elapsed().as_secs_f64();
            let result = match &compiled.central {
                Central::Automaton(automaton) => format!("{} states", automaton.full.state_count()),
                Central::Unsupported(unsupported) => unsupported.limit.clone(),
            };
            let bytes = count(bundle::encode(&compiled).len() as f64);
            let messages = count(messages as f64);
            table.row([operator.to_owned(), messages, seconds(compile), result, bytes]);
        }
    }
    table
}
