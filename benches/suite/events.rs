//! Event logs in random order: whole runs, grouping included.

use crate::table::{Table, count};
use crate::timing::Effort;
use crate::workload::{self, Shuffled};
use multitrace::formats::bundle;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const MAPPING: &str = r#"
[event]
session = "session"
lifeline = "at"
direction = { field = "direction", emission = "send", reception = "receive" }
message = "message"
"#;

#[derive(Deserialize)]
struct Run {
    sessions: u64,
    fail: u64,
    errors: u64,
    peak_bytes: Option<u64>,
    input: Counts,
}

#[derive(Deserialize)]
struct Counts {
    events: u64,
    spilled_bytes: u64,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let mut table = Table::new(
        "Event logs",
        "`multitrace check --events` on one JSON Lines file of events, in an order drawn at random \
         that keeps that of each log: 18 events a session, two sessions in a hundred corrupted. \
         Events a second from the start of the process to its end, the most memory it held, and \
         how much it had to put on disk.",
        &[
            "events",
            "sessions",
            "--memory",
            "threads",
            "seconds",
            "events/s",
            "peak MB",
            "on disk MB",
        ],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let compiled = bundle::encode(&workload::compile(&workload::interaction()));
    std::fs::write(path("bench.mtb"), compiled).expect("room for the bundle");
    std::fs::write(path("map.toml"), MAPPING).expect("room for the mapping");
    let full = effort.rounds > 1;
    for sessions in if full { [55_556, 555_556] } else { [100, 1_000] } {
        let events = Shuffled::new(sessions, 7);
        let (corrupted, number) = (events.corrupted, events.events());
        let file = File::create(path("events.jsonl")).expect("a file");
        let mut file = BufWriter::new(file);
        events.write(&mut file).expect("room for the log");
        file.flush().expect("room for the log");
        for (memory, threads) in [("4GiB", "1"), ("4GiB", "2"), ("512M", "2"), ("64M", "2")] {
            let start = Instant::now();
            let run = check(folder.path(), memory, threads);
            let seconds = start.elapsed().as_secs_f64();
            assert_eq!((run.sessions, run.fail, run.errors), (sessions, corrupted, 0));
            assert_eq!(run.input.events, number);
            let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
            table.row([
                count(number as f64),
                count(sessions as f64),
                memory.to_owned(),
                threads.to_owned(),
                format!("{seconds:.2}"),
                count((number as f64 / seconds).round()),
                run.peak_bytes.map_or("-".to_owned(), megabytes),
                megabytes(run.input.spilled_bytes),
            ]);
        }
    }
    vec![table]
}

fn check(folder: &Path, memory: &str, threads: &str) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .current_dir(folder)
        .args(["check", "bench.mtb", "events.jsonl", "--events", "map.toml", "--jobs", threads])
        .args(["--memory", memory, "--output-format", "json-lines", "--output-file", "out"])
        .output()
        .expect("the tool runs");
    assert!(output.status.code() <= Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let out = std::fs::read_to_string(folder.join("out")).expect("the output");
    serde_json::from_str(out.lines().last().expect("a summary")).expect("a summary")
}
