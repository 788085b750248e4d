//! Learning from a log of many sessions, as users run it.

use crate::table::{Table, count};
use crate::timing::{Effort, median};
use crate::tool::{Cost, cost};
use crate::workload::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// The messages of a session that has all; every fourth may be left out.
const ARROWS: usize = 61;
const LIFELINES: [&str; 5] = ["web", "shop", "bank", "stock", "mail"];

pub fn table(effort: Effort) -> Table {
    let [sessions, variants] = if effort.rounds > 1 { [1_000_000, 20_000] } else { [2_000, 200] };
    let mut table = Table::new(
        "Learning: a large log",
        "`multitrace learn` on JSON Lines of sessions among 5 lifelines. A session has 61 messages at most; 15 of them are optional. From the start of \
         the process to its end; medians of three runs.",
        &["sessions", "variants", "MB", "seconds", "processor seconds", "peak MB"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let [log, spec] = ["sessions.jsonl", "spec.md"].map(|it| folder.path().join(it));
    write(&log, sessions, variants);
    let megabytes = std::fs::metadata(&log).map_or(0.0, |it| it.len() as f64 / 1e6);
    let [log, spec] = [log, spec].map(|it| it.display().to_string());
    let run = || cost(&["learn", &log, "-o", &spec]);
    let runs: Vec<Cost> = (0..effort.rounds.min(3)).filter_map(|_| run()).collect();
    let learnt = std::fs::read_to_string(&spec).expect("the specification");
    let orders = format!("{ARROWS} arrows in 5 lifelines, from {variants} orders of messages");
    assert!(learnt.contains(&orders), "{learnt}");
    let of = |value: fn(&Cost) -> f64| {
        if runs.is_empty() { f64::NAN } else { median(runs.iter().map(value).collect()) }
    };
    table.row([
        count(sessions as f64),
        count(variants as f64),
        count(megabytes),
        format!("{:.2}", of(|it| it.seconds)),
        format!("{:.2}", of(|it| it.processor)),
        format!("{:.1}", of(|it| it.peak_bytes) / 1e6),
    ]);
    table
}

/// Writes sessions: one of each variant, then some of any; variants with small numbers are drawn more often.
fn write(path: &Path, sessions: usize, variants: usize) {
    let mut random = Random::new(1);
    let arrows: Vec<[&str; 2]> = (0..ARROWS)
        .map(|_| {
            let from = random.index(LIFELINES.len());
            let to = (from + 1 + random.index(LIFELINES.len() - 1)) % LIFELINES.len();
            [LIFELINES[from], LIFELINES[to]]
        })
        .collect();
    let mut left_out = BTreeSet::new();
    while left_out.len() < variants {
        left_out.insert(random.below(1 << (ARROWS / 4)));
    }
    let texts: Vec<String> = left_out.iter().map(|&out| logs(&arrows, out)).collect();
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    for number in 0..sessions {
        let drawn = random.below(variants as u64) * random.below(variants as u64);
        let variant = if number < variants { number } else { drawn as usize / variants };
        let text = &texts[variant];
        writeln!(file, "{{\"session\":\"s{number}\",\"traces\":{text}}}")
            .expect("room for the file");
    }
    file.flush().expect("room for the file");
}

/// The logs of a session without the messages whose bit is set.
fn logs(arrows: &[[&str; 2]], left_out: u64) -> String {
    let mut logs = [const { String::new() }; LIFELINES.len()];
    for (number, ends) in arrows.iter().enumerate() {
        if number % 4 == 3 && left_out >> (number / 4) & 1 == 1 {
            continue;
        }
        for (end, mark) in ends.iter().zip(["!", "?"]) {
            let log = &mut logs[LIFELINES.iter().position(|it| it == end).expect("a lifeline")];
            // Writing to a string cannot fail.
            let _ =
                write!(log, "{}\"{end}{mark}m{number}\"", if log.is_empty() { "" } else { "," });
        }
    }
    let named = LIFELINES.iter().zip(&logs).map(|(name, log)| format!("\"{name}\":[{log}]"));
    format!("{{{}}}", named.collect::<Vec<_>>().join(","))
}
