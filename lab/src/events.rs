//! Event logs in random order: whole runs, grouping included; and beside polars.

use crate::spans;
use crate::table::{Table, count, ratio};
use crate::timing::{Effort, median};
use crate::tool::tool;
use crate::workload::{self, Shuffled};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use multitrace_formats::bundle;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
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
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let compiled = bundle::encode(&workload::compile(&workload::interaction()));
    std::fs::write(path("bench.mtb"), compiled).expect("room for the bundle");
    std::fs::write(path("map.toml"), MAPPING).expect("room for the mapping");
    let is_full = effort.rounds > 1;
    let (sessions, rounds) = if is_full { (55_556, 5) } else { (100, 1) };
    let beside = beside_polars(folder.path(), (sessions, rounds));
    let as_spans = as_spans(folder.path(), (sessions, rounds));
    let as_document = as_document(folder.path(), (sessions, rounds));
    let sizes = if is_full { [55_556, 555_556] } else { [100, 1_000] };
    vec![whole_runs(folder.path(), sizes), beside, as_document, as_spans]
}

/// The sessions and events of a log, and how many sessions are corrupted.
#[derive(Clone, Copy)]
struct Expected {
    sessions: u64,
    corrupted: u64,
    events: u64,
}

/// Writes a log of some sessions.
fn write_log(path: &Path, sessions: u64) -> Expected {
    let shuffled = Shuffled::new(sessions, 7);
    let expected = Expected { sessions, corrupted: shuffled.corrupted, events: shuffled.events() };
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    shuffled.write(&mut file).expect("room for the log");
    file.flush().expect("room for the log");
    expected
}

fn whole_runs(folder: &Path, sizes: [u64; 2]) -> Table {
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
    for sessions in sizes {
        let expected = write_log(&folder.join("events.jsonl"), sessions);
        for (memory, threads) in [("4GiB", "1"), ("4GiB", "2"), ("512M", "2"), ("64M", "2")] {
            let (seconds, run) = check(folder, ("events.jsonl", memory, threads), expected);
            let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
            table.row([
                count(expected.events as f64),
                count(sessions as f64),
                memory.to_owned(),
                threads.to_owned(),
                format!("{seconds:.2}"),
                count((expected.events as f64 / seconds).round()),
                run.peak_bytes.map_or("-".to_owned(), megabytes),
                megabytes(run.input.spilled_bytes),
            ]);
        }
    }
    table
}

/// The mapping of lines, for records inside of a document.
const IN_A_DOCUMENT: &str = "[input]\nformat = \"json\"\nrecords = \"data[].events[]\"\n";

/// The same events as records inside of one document.
fn as_document(folder: &Path, (sessions, rounds): (u64, usize)) -> Table {
    let mut table = Table::new(
        "Records inside of a document",
        "The smaller of these files, and its records in lists of 64 inside of one JSON document: `multitrace check --events`, \
         from the start of the process to its end. They take turns; medians of five.",
        &["threads", "lines, seconds", "document, seconds", "lines / document"],
    );
    let expected = write_log(&folder.join("events.jsonl"), sessions);
    write_document(&folder.join("events.jsonl"), &folder.join("document.json"));
    let mapping = format!("{IN_A_DOCUMENT}{MAPPING}");
    std::fs::write(folder.join("document.toml"), mapping).expect("room for the mapping");
    for threads in ["1", "2"] {
        let (mut lines, mut document) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let run = ("document.json", "4GiB", threads);
            lines.push(check(folder, ("events.jsonl", "4GiB", threads), expected).0);
            document.push(check_by(folder, "document.toml", run, expected).0);
        }
        let [lines, document] = [median(lines), median(document)];
        table.row([
            threads.to_owned(),
            format!("{lines:.2}"),
            format!("{document:.2}"),
            ratio(lines / document),
        ]);
    }
    table
}

fn write_document(from: &Path, to: &Path) {
    let lines = BufReader::new(File::open(from).expect("the log")).lines();
    let lines: Vec<String> = lines.map(|line| line.expect("a line")).collect();
    let lists = lines.chunks(64).map(|list| format!("{{\"events\":[{}]}}", list.join(",")));
    let document = format!("{{\"data\":[{}]}}\n", lists.collect::<Vec<_>>().join(","));
    std::fs::write(to, document).expect("room for the document");
}

/// The same events as spans.
fn as_spans(folder: &Path, (sessions, rounds): (u64, usize)) -> Table {
    let mut table = Table::new(
        "Spans of OpenTelemetry",
        "The events of the smaller of these files as spans in JSON, 64 a request and a request a line, with six attributes \
         each that the mapping does not ask for: `multitrace check --events`, from the start of the process to its end. \
         Medians of five.",
        &["spans", "MB", "threads", "seconds", "spans/s", "MB/s"],
    );
    let expected = write_log(&folder.join("events.jsonl"), sessions);
    let bytes = spans::write(logged(&folder.join("events.jsonl")), &folder.join("spans.jsonl"));
    std::fs::write(folder.join("spans.toml"), spans::MAPPING).expect("room for the mapping");
    for threads in ["1", "2"] {
        let mut seconds = Vec::new();
        for _ in 0..rounds {
            seconds
                .push(check_by(folder, "spans.toml", ("spans.jsonl", "4GiB", threads), expected).0);
        }
        let seconds = median(seconds);
        table.row([
            count(expected.events as f64),
            format!("{:.0}", bytes as f64 / 1e6),
            threads.to_owned(),
            format!("{seconds:.2}"),
            count((expected.events as f64 / seconds).round()),
            format!("{:.0}", bytes as f64 / 1e6 / seconds),
        ]);
    }
    table
}

/// The events of a JSON Lines file.
fn logged(from: &Path) -> impl Iterator<Item = spans::Event> + use<> {
    BufReader::new(File::open(from).expect("the log")).lines().map(|line| {
        let line = line.expect("a line");
        let LoggedEvent { session, at, direction, message } =
            serde_json::from_str(&line).expect("an event");
        [session, at, direction, message]
    })
}

/// Where the Python is that has polars. `scripts/bench` says it.
const POLARS: &str = "POLARS_PYTHON";

/// Verdicts beside a table of the same events by session.
fn beside_polars(folder: &Path, (sessions, rounds): (u64, usize)) -> Table {
    let mut table = Table::new(
        "Event logs beside polars",
        "The smaller of these files, as JSON Lines and as Parquet (row groups of 131,072 rows, zstd, \
         dictionaries): `multitrace check --events`, from the start of the process to its end, and \
         polars reading the file and grouping it by session, without its start. They take turns; \
         medians of five.",
        &[
            "format",
            "threads",
            "seconds",
            "events/s",
            "polars seconds",
            "polars events/s",
            "polars / ours",
        ],
    );
    let expected = write_log(&folder.join("events.jsonl"), sessions);
    write_parquet(&folder.join("events.jsonl"), &folder.join("events.parquet"));
    let python = std::env::var(POLARS).ok();
    if python.is_none() {
        eprintln!("no {POLARS}: polars is not measured");
    }
    for (name, file) in [("JSON Lines", "events.jsonl"), ("Parquet", "events.parquet")] {
        for threads in ["1", "2"] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                ours.push(check(folder, (file, "4GiB", threads), expected).0);
                let python = python.iter();
                theirs.extend(python.map(|it| grouped(it, &folder.join(file), threads, expected)));
            }
            table.row(beside(name, threads, expected, [median(ours), median(theirs)]));
        }
    }
    table
}

fn beside(name: &str, threads: &str, expected: Expected, [ours, theirs]: [f64; 2]) -> [String; 7] {
    let shown = |seconds: f64, text: String| match seconds.is_finite() {
        true => text,
        false => "-".to_owned(),
    };
    let rate = |seconds: f64| count((expected.events as f64 / seconds).round());
    [
        name.to_owned(),
        threads.to_owned(),
        format!("{ours:.2}"),
        rate(ours),
        shown(theirs, format!("{theirs:.2}")),
        shown(theirs, rate(theirs)),
        ratio(theirs / ours),
    ]
}

#[derive(Deserialize)]
struct GroupedRun {
    seconds: f64,
    sessions: u64,
    events: u64,
}

/// The seconds polars takes to read a file and to group it.
fn grouped(python: &str, file: &Path, threads: &str, expected: Expected) -> f64 {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/group_events.py");
    let output = Command::new(python)
        .arg(script)
        .arg(file)
        .env("POLARS_MAX_THREADS", threads)
        .output()
        .expect("polars runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: GroupedRun = serde_json::from_slice(&output.stdout).expect("what polars found");
    assert_eq!((run.sessions, run.events), (expected.sessions, expected.events), "a wrong answer");
    run.seconds
}

/// The fields of an event, in the order of the columns.
#[derive(Deserialize)]
struct LoggedEvent {
    session: String,
    at: String,
    direction: String,
    message: String,
}

/// The rows of a row group.
const ROWS: usize = 1 << 17;

/// Writes the events of a JSON Lines file as Parquet.
fn write_parquet(from: &Path, to: &Path) {
    let lines = BufReader::new(File::open(from).expect("the log")).lines();
    let mut events = lines.map(|line| {
        let event: LoggedEvent = serde_json::from_str(&line.expect("a line")).expect("an event");
        event
    });
    let mut writer = None;
    loop {
        let rows: Vec<LoggedEvent> = events.by_ref().take(ROWS).collect();
        if rows.is_empty() {
            break;
        }
        let rows = columns(&rows);
        let writer = writer.get_or_insert_with(|| parquet_writer(to, &rows));
        writer.write(&rows).expect("room for the log");
    }
    writer.expect("some events").close().expect("room for the log");
}

fn columns(events: &[LoggedEvent]) -> RecordBatch {
    let column = |text: fn(&LoggedEvent) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(events.iter().map(text)))
    };
    RecordBatch::try_from_iter([
        ("session", column(|event| &event.session)),
        ("at", column(|event| &event.at)),
        ("direction", column(|event| &event.direction)),
        ("message", column(|event| &event.message)),
    ])
    .expect("columns of one length")
}

fn parquet_writer(to: &Path, rows: &RecordBatch) -> ArrowWriter<File> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(ROWS))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let file = File::create(to).expect("a file");
    ArrowWriter::try_new(file, rows.schema(), Some(properties)).expect("a file")
}

/// Checks a log with some memory and threads; the seconds of the whole process.
fn check(folder: &Path, run: (&str, &str, &str), expected: Expected) -> (f64, Run) {
    check_by(folder, "map.toml", run, expected)
}

/// The same by another mapping.
fn check_by(
    folder: &Path,
    mapping: &str,
    (log, memory, threads): (&str, &str, &str),
    expected: Expected,
) -> (f64, Run) {
    let start = Instant::now();
    let output = tool()
        .current_dir(folder)
        .args(["check", "bench.mtb", log, "--events", mapping, "--jobs", threads])
        .args(["--memory", memory, "--output-format", "json-lines", "--output-file", "out"])
        .output()
        .expect("the tool runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.code() <= Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let out = std::fs::read_to_string(folder.join("out")).expect("the output");
    let run: Run = serde_json::from_str(out.lines().last().expect("a summary")).expect("a summary");
    let Expected { sessions, corrupted, events } = expected;
    assert_eq!((run.sessions, run.fail, run.errors), (sessions, corrupted, 0), "a wrong answer");
    assert_eq!(run.input.events, events, "a wrong answer");
    (seconds, run)
}
