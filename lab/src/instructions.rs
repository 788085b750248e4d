//! Instructions of whole runs, where the machine counts them or there is a simulator that does:
//! figures that do not depend on other work of the machine.

use crate::sessions::write_file;
use crate::table::{Table, count};
use crate::timing::Effort;
use crate::tool::tool_under;
use crate::workload::{self, CORRUPTED, Variants};
use multitrace_formats::bundle;
use std::path::Path;
use std::process::Command;

/// A command that counts the instructions of another one, and where its output says how many.
type Counter = (&'static [&'static str], fn(&str) -> Option<u64>);

const COUNTERS: [Counter; 2] = [
    (&["perf", "stat", "-x,", "-e", "instructions:u"], |text| {
        let line = text.lines().find(|line| line.contains("instructions"))?;
        line.split(',').next()?.parse().ok()
    }),
    (&["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], |text| {
        let (_, rest) = text.split_once("Collected : ")?;
        rest.split_whitespace().next()?.parse().ok()
    }),
];

pub fn run(effort: Effort) -> Vec<Table> {
    let mut table = Table::new(
        "Instructions",
        "`multitrace check` on one thread: the difference between runs of many and of few \
         sessions, for each session. Reading, checking and the output are in it.",
        &["variants", "sessions", "instructions a session"],
    );
    let (few, many) = if effort.rounds > 1 { (1_000, 11_000) } else { (100, 1_100) };
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = folder.path().join("bench.mtb");
    let bytes = bundle::encode(&workload::compile(&workload::interaction()));
    std::fs::write(&compiled, bytes).expect("room for the bundle");
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let measure = |sessions| {
            let path = folder.path().join("sessions.jsonl");
            write_file(&path, sessions, variants, CORRUPTED);
            COUNTERS.iter().find_map(|counter| instructions(counter, &compiled, &path))
        };
        let Some((least, most)) = measure(few).zip(measure(many)) else {
            eprintln!("skipped: neither perf nor valgrind counts instructions here");
            return Vec::new();
        };
        let each = most.saturating_sub(least) as f64 / (many - few) as f64;
        table.row([name.to_owned(), count((many - few) as f64), count(each.round())]);
    }
    vec![table]
}

/// The instructions of a check; `None` where they cannot be counted this way.
fn instructions((command, find): &Counter, bundle: &Path, sessions: &Path) -> Option<u64> {
    let mut run = Command::new(command[0]);
    run.args(&command[1..]);
    let mut run = tool_under(run);
    run.arg("check").args([bundle, sessions]).args([
        "--output-format",
        "json-lines",
        "--jobs",
        "1",
    ]);
    let output = run.output().ok()?;
    find(&String::from_utf8_lossy(&output.stderr))
}
