//! Repairs of failing sessions: how many are found in a second, and how long the slowest takes.

use crate::sessions::{whole_run, write_file};
use crate::table::{Table, count, ratio, seconds};
use crate::timing::{Effort, Way, compare, median};
use crate::workload::{self, CORRUPTED, Variants};
use multitrace_formats::bundle;
use multitrace_formats::sessions::parse_line;
use multitrace_interaction::Session;
use multitrace_runtime::{CheckConfig, Checker, Gaps, Monitor};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(effort: Effort) -> Vec<Table> {
    match effort.rounds {
        1 => vec![of_failing(effort, 30), whole_runs(2_000, 1)],
        _ => vec![of_failing(effort, 20_000), whole_runs(1_000_000, 5)],
    }
}

/// Whole runs of the tool, with repairs and without, on three files: none of their sessions fails, some do, and all.
fn whole_runs(sessions: u64, rounds: usize) -> Table {
    let mut table = Table::new(
        "Whole runs with failures",
        &format!(
            "`multitrace check` and `check --repair` on three files of {} sessions: none is corrupted, one in 50, and all. On two \
             threads, by turns: medians, the ratio to the run in which none fails, and its least and greatest in a turn.",
            count(sessions as f64)
        ),
        &["variants", "failing", "run", "seconds", "sessions/s", "ratio", "least", "greatest"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = folder.path().join("bench.mtb");
    let compiled = workload::compile(&workload::interaction());
    std::fs::write(&bundle, bundle::encode(&compiled)).expect("a file");
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let files = FAILING.map(|(failing, one_in)| {
            let file = folder.path().join(failing.replace(' ', "-"));
            let corrupted = write_file(&file, sessions, variants, one_in);
            assert_eq!(corrupted > 0, failing != "none");
            file
        });
        let times = by_turns(&bundle, &files, rounds);
        for ((at, run), seconds_of) in RUNS.iter().zip(&times) {
            let mut ratios: Vec<f64> =
                seconds_of.iter().zip(&times[0]).map(|(a, b)| a / b).collect();
            ratios.sort_by(f64::total_cmp);
            let seconds_of = median(seconds_of.clone());
            table.row([
                name.to_owned(),
                FAILING[*at].0.to_owned(),
                std::iter::once("check").chain(run.iter().copied()).collect::<Vec<_>>().join(" "),
                seconds(seconds_of),
                count(sessions as f64 / seconds_of),
                ratio(seconds_of / median(times[0].clone())),
                ratio(ratios[0]),
                ratio(ratios[ratios.len() - 1]),
            ]);
        }
    }
    table
}

/// The kinds of files: a name, and of how many sessions one fails.
const FAILING: [(&str, u64); 3] = [("none", u64::MAX), ("one in 50", CORRUPTED), ("all", 1)];

/// The runs that take turns: the file, and the options.
const RUNS: [(usize, &[&str]); 5] =
    [(0, &[]), (1, &[]), (1, &["--repair"]), (2, &[]), (2, &["--repair"])];

/// The seconds of each run.
fn by_turns(bundle: &Path, files: &[PathBuf; 3], rounds: usize) -> [Vec<f64>; 5] {
    let mut times = [const { Vec::new() }; 5];
    for _ in 0..rounds {
        for ((file, options), times) in RUNS.iter().zip(&mut times) {
            let options = [&["--jobs", "2", "--output-format", "human"], *options].concat();
            times.push(whole_run(bundle, &files[*file], &options));
            let repairs = options.contains(&"--repair");
            assert_eq!(repairs, counts_repairs(&files[*file]), "nothing was repaired");
        }
    }
    times
}

/// Whether the output counts repairs, as it does with `--repair` alone.
fn counts_repairs(file: &Path) -> bool {
    let output = std::fs::read_to_string(file.with_extension("out")).expect("the output");
    output.contains("edits to an accepted session")
}

fn of_failing(effort: Effort, sessions: u64) -> Table {
    let mut table = Table::new(
        "Repairs",
        "The failing ones among sessions of 18 events at 5 locations, parsed before: a log that ends \
         early (one edit), two events in the wrong order, or an answer that another location did \
         not get (two edits). Repairs a second, their edits as text included; the time of one, in \
         the order of the sessions after others have warmed up the checker.",
        &["variants", "one thread", "two threads", "median", "99 %", "worst"],
    );
    let monitor = Monitor::new(workload::compile(&workload::interaction()));
    for (name, variants) in [("few", Variants::Few), ("many", Variants::Many)] {
        let (text, edits) = workload::failing(sessions, variants);
        let parse = |line| parse_line("bench", 1, line, monitor.alphabet()).expect("a session");
        let parsed: Vec<Session> = text.lines().map(parse).collect();
        let times = compare(
            effort,
            &edits,
            &mut [
                Way::new("one", || repair_all(&monitor, &parsed)),
                Way::new("two", || {
                    let half = parsed.len().div_ceil(2);
                    parsed.par_chunks(half).map(|part| repair_all(&monitor, part)).sum()
                }),
            ],
        );
        let mut each = times_of_each(&monitor, &parsed);
        each.sort_by(f64::total_cmp);
        let at = |part: f64| seconds(each[(part * (each.len() - 1) as f64) as usize]);
        let rates = times.iter().map(|time| count(parsed.len() as f64 / time));
        let cells = std::iter::once(name.to_owned()).chain(rates);
        table.row(cells.chain([at(0.5), at(0.99), at(1.0)]));
    }
    table
}

/// Repairs sessions; how many edits they need together.
fn repair_all(monitor: &Monitor, sessions: &[Session]) -> u64 {
    let mut checker = Checker::new(monitor, CheckConfig::default()).expect("an engine");
    sessions.iter().map(|session| edits(&mut checker, session)).sum()
}

fn edits(checker: &mut Checker<'_>, session: &Session) -> u64 {
    let repair = checker.repair(session, Gaps::None).expect("a repair in complete mode");
    assert!(repair.exact, "the budget is enough");
    repair.edits.len() as u64
}

fn times_of_each(monitor: &Monitor, sessions: &[Session]) -> Vec<f64> {
    let mut checker = Checker::new(monitor, CheckConfig::default()).expect("an engine");
    let mut time = |session| {
        let start = Instant::now();
        std::hint::black_box(edits(&mut checker, session));
        start.elapsed().as_secs_f64()
    };
    sessions.iter().for_each(|session| _ = time(session));
    sessions.iter().map(time).collect()
}
