//! Many short sessions: how many are checked in a second.

use crate::table::{Table, count, ratio};
use crate::timing::{Effort, Way, compare};
use crate::workload::{self, Variants};
use multitrace_formats::sessions::{QuickReader, parse_line};
use multitrace_interaction::{Session, Verdict};
use multitrace_runtime::{CheckConfig, Monitor, Scratch};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::HashMap;

/// A line as another program would read it.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "session")]
    _session: String,
    traces: HashMap<String, Vec<String>>,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let sessions = if effort.rounds > 1 { 200_000 } else { 500 };
    vec![in_memory(effort, sessions), reading(effort, sessions)]
}

fn in_memory(effort: Effort, sessions: u64) -> Table {
    let mut table = Table::new(
        "Sessions in memory",
        "Sessions of 18 events at 5 locations, one in 50 corrupted, parsed before. Sessions a \
         second; with look-ahead or without (paper 004 algorithm 1).",
        &["variants", "one thread", "two threads", "centralized, one thread"],
    );
    let monitor = Monitor::new(workload::compile(&workload::interaction()));
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let (text, corrupted) = workload::lines(sessions, variants);
        let parse = |line| parse_line("bench", 1, line, monitor.alphabet()).expect("a session");
        let parsed: Vec<Session> = text.lines().map(parse).collect();
        let plain = CheckConfig::default();
        let procedure = multitrace_runtime::Procedure::Centralized;
        let centralized = CheckConfig { procedure, ..plain };
        let times = compare(
            effort,
            &corrupted,
            &mut [
                Way::new("one", || check_all(&monitor, &parsed, &plain)),
                Way::new("two", || {
                    parsed.par_chunks(1_000).map(|part| check_all(&monitor, part, &plain)).sum()
                }),
                Way::new("centralized", || check_all(&monitor, &parsed, &centralized)),
            ],
        );
        let rates = times.iter().map(|time| count(sessions as f64 / time));
        table.row(std::iter::once(name.to_owned()).chain(rates));
    }
    table
}

fn check_all(monitor: &Monitor, sessions: &[Session], config: &CheckConfig) -> u64 {
    let mut scratch = Scratch::default();
    let failed = sessions.iter().filter(|session| {
        matches!(monitor.check(session, config, &mut scratch).verdict, Verdict::Fail(_))
    });
    failed.count() as u64
}

fn reading(effort: Effort, sessions: u64) -> Table {
    let mut table = Table::new(
        "Reading sessions",
        "The same sessions as JSON Lines in memory: sessions a second on one thread, and megabytes \
         a second of our reader. serde_json reads into a map of lists of strings.",
        &["variants", "serde_json", "full parser", "quick reader", "MB/s", "quick / serde_json"],
    );
    let monitor = Monitor::new(workload::compile(&workload::interaction()));
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let (text, _) = workload::lines(sessions, variants);
        let reader = QuickReader::new(monitor.alphabet());
        let lines = || text.lines();
        let events = lines().map(serde_events).sum::<usize>();
        let mut session = Session::default();
        let times = compare(
            effort,
            &events,
            &mut [
                Way::new("serde_json", || lines().map(serde_events).sum()),
                Way::new("full", || {
                    let parse = |line| parse_line("bench", 1, line, monitor.alphabet());
                    lines().map(|line| parse(line).map_or(0, |s| s.event_count())).sum()
                }),
                Way::new("quick", || {
                    let mut read = |line: &str| match reader.read(line.as_bytes(), &mut session) {
                        true => session.event_count(),
                        false => 0,
                    };
                    lines().map(&mut read).sum()
                }),
            ],
        );
        let rate = |time: f64| count(sessions as f64 / time);
        let megabytes = count(text.len() as f64 / times[2] / 1e6);
        let cells = [rate(times[0]), rate(times[1]), rate(times[2]), megabytes];
        let last = ratio(times[0] / times[2]);
        table.row(std::iter::once(name.to_owned()).chain(cells).chain([last]));
    }
    table
}

fn serde_events(line: &str) -> usize {
    let line: Line = serde_json::from_str(line).expect("a line");
    line.traces.values().map(Vec::len).sum()
}
