//! Many short sessions: how many are checked in a second.

use crate::table::{Table, count, ratio};
use crate::timing::{Effort, Way, compare};
use crate::tool::tool;
use crate::workload::{self, CORRUPTED, Variants};
use multitrace_formats::bundle;
use multitrace_formats::sessions::{LineChunks, QuickReader, parse_line};
use multitrace_interaction::{Alphabet, Session, Verdict};
use multitrace_runtime::{CheckConfig, Checker, Comparison, Monitor, Procedure};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// A line as another program would read it.
#[derive(Deserialize)]
struct ParsedLine {
    #[serde(rename = "session")]
    _session: String,
    traces: HashMap<String, Vec<String>>,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let sessions = if effort.rounds > 1 { 200_000 } else { 500 };
    let whole: &[u64] = if effort.rounds > 1 { &[1_000_000, 10_000_000] } else { &[2_000] };
    vec![in_memory(effort, sessions), reading(effort, sessions), whole_runs(whole)]
}

/// Runs of the tool on a file, as users run it.
fn whole_runs(counts: &[u64]) -> Table {
    let mut table = Table::new(
        "Whole runs",
        "`multitrace check` on a file of such sessions, its bundle compiled before: sessions a \
         second from the start of the process to its end, the most memory it held, and the time \
         beside that of reading and parsing the same file alone (quick reader, one thread).",
        &["sessions", "variants", "threads", "seconds", "sessions/s", "peak MB", "to reading"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let bundle = workload::compile(&workload::interaction());
    std::fs::write(path("bench.mtb"), bundle::encode(&bundle)).expect("a file");
    for &count in counts {
        for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
            let corrupted = write_file(&path("sessions.jsonl"), count, variants, CORRUPTED);
            let reading = read_file(&path("sessions.jsonl"), &bundle.alphabet);
            for threads in ["1", "2"] {
                let options = ["--output-format", "json-lines", "--jobs", threads];
                let run = whole_run(&path("bench.mtb"), &path("sessions.jsonl"), &options);
                let run = WholeRun { seconds: run, ..summary(&path("sessions.out")) };
                assert_eq!((run.sessions, run.fail), (count, corrupted), "a wrong answer");
                table.row([
                    crate::table::count(count as f64),
                    name.to_owned(),
                    threads.to_owned(),
                    format!("{:.2}", run.seconds),
                    crate::table::count(count as f64 / run.seconds),
                    run.peak_bytes
                        .map_or("-".to_owned(), |peak| format!("{:.1}", peak as f64 / 1e6)),
                    ratio(run.seconds / reading),
                ]);
            }
        }
    }
    table
}

/// Writes a file of sessions, one of `one_in` corrupted; how many are.
pub fn write_file(path: &Path, count: u64, variants: Variants, one_in: u64) -> u64 {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let mut corrupted = 0;
    let mut line = String::new();
    for number in 0..count {
        line.clear();
        corrupted += u64::from(workload::write_line(&mut line, number, variants, one_in));
        file.write_all(line.as_bytes()).expect("room for the file");
    }
    file.flush().expect("room for the file");
    corrupted
}

/// The seconds it takes to read and parse all lines of a file.
fn read_file(path: &Path, alphabet: &Alphabet) -> f64 {
    let start = Instant::now();
    let (reader, mut session) = (QuickReader::new(alphabet), Session::default());
    let file = BufReader::new(File::open(path).expect("the file"));
    for chunk in LineChunks::new("bench", file) {
        for line in chunk.expect("lines").lines() {
            assert!(reader.read(line.bytes, &mut session), "every line is of the usual form");
        }
    }
    start.elapsed().as_secs_f64()
}

#[derive(Deserialize)]
struct WholeRun {
    sessions: u64,
    fail: u64,
    peak_bytes: Option<u64>,
    #[serde(skip)]
    seconds: f64,
}

/// The seconds that a run of `check` takes with these options. It writes to a file beside that of the
/// sessions, with the extension `out`.
pub fn whole_run(bundle: &Path, sessions: &Path, options: &[&str]) -> f64 {
    let start = Instant::now();
    let output = tool()
        .arg("check")
        .args([bundle, sessions])
        .args(options)
        .arg("--output-file")
        .arg(sessions.with_extension("out"))
        .output()
        .expect("the tool runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.code() <= Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    seconds
}

/// The last line of an output in JSON lines.
fn summary(path: &Path) -> WholeRun {
    let out = File::open(path).expect("the output");
    let last = BufReader::new(out).lines().last().expect("a summary").expect("text");
    serde_json::from_str(&last).expect("a summary")
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
        let procedure = Procedure::Centralized;
        let comparison = Comparison { procedure, ..Comparison::default() };
        let centralized = CheckConfig { comparison, ..plain };
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
    let mut checker = Checker::new(monitor, *config).expect("an engine");
    let failed = sessions
        .iter()
        .filter(|session| matches!(checker.check(session).verdict, Verdict::Fail(_)));
    failed.count() as u64
}

fn reading(effort: Effort, sessions: u64) -> Table {
    let mut table = Table::new(
        "Reading sessions",
        "The same sessions as JSON Lines in memory: sessions a second on one thread, and megabytes \
         a second of our reader. serde_json reads into a map of lists of strings. At the end, our \
         reader on the same lines with a field that no session has, as `generate` writes it, and \
         its time beside that without the field.",
        &[
            "variants",
            "serde_json",
            "full parser",
            "quick reader",
            "MB/s",
            "quick / serde_json",
            "with `made`",
            "to without",
        ],
    );
    let monitor = Monitor::new(workload::compile(&workload::interaction()));
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let (text, _) = workload::lines(sessions, variants);
        let more = with_made(&text);
        let reader = QuickReader::new(monitor.alphabet());
        let lines = || text.lines();
        let events = lines().map(serde_events).sum::<usize>();
        let times = compare(
            effort,
            &events,
            &mut [
                Way::new("serde_json", || lines().map(serde_events).sum()),
                Way::new("full", || {
                    let parse = |line| parse_line("bench", 1, line, monitor.alphabet());
                    lines().map(|line| parse(line).map_or(0, |s| s.event_count())).sum()
                }),
                Way::new("quick", || read_all(&reader, &text)),
                Way::new("with `made`", || read_all(&reader, &more)),
            ],
        );
        let rate = |time: f64| count(sessions as f64 / time);
        let megabytes = count(text.len() as f64 / times[2] / 1e6);
        let cells = [rate(times[0]), rate(times[1]), rate(times[2]), megabytes];
        let to_others = [ratio(times[0] / times[2]), rate(times[3]), ratio(times[3] / times[2])];
        table.row(std::iter::once(name.to_owned()).chain(cells).chain(to_others));
    }
    table
}

/// The same lines with a field that no session has.
fn with_made(text: &str) -> String {
    const MADE: &str = r#"},"made":{"kind":"slice","of":"accepted-17","seed":7,"did":[]}}"#;
    let lines = text.lines().map(|line| line.strip_suffix("}}").expect("the end of a session"));
    lines.map(|line| format!("{line}{MADE}\n")).collect()
}

/// How many events the quick reader reads.
fn read_all(reader: &QuickReader, text: &str) -> usize {
    let mut session = Session::default();
    let mut read = |line: &str| match reader.read(line.as_bytes(), &mut session) {
        true => session.event_count(),
        false => 0,
    };
    text.lines().map(&mut read).sum()
}

fn serde_events(line: &str) -> usize {
    let line: ParsedLine = serde_json::from_str(line).expect("a line");
    line.traces.values().map(Vec::len).sum()
}
