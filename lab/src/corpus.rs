//! The benchmark of paper 003, against the seconds that HIBOU took for the same multi-traces, which
//! are recorded with them. Those were measured on another day; the ratios say orders of magnitude.

use crate::table::{Table, count, ratio, seconds};
use crate::timing::{Effort, median};
use multitrace_compiler::{Config, InteractionSpec, compile_interaction};
use multitrace_formats::bundle::Provenance;
use multitrace_formats::sessions::parse_line;
use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf};
use multitrace_interaction::{Locations, Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Checker, Monitor};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The folder of the corpus; says so if it is missing.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let path = std::env::var_os("MULTITRACE_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    if !path.is_dir() {
        eprintln!("skipped: no corpus at {} (set MULTITRACE_CORPUS)", path.display());
        return None;
    }
    Some(path)
}

const MODES: [Observation; 3] =
    [Observation::Complete, Observation::Prefix, Observation::GlobalPrefix];

/// Checks that take less time than this, in seconds, are repeated: looking at the clock takes part
/// of it.
const SHORT: f64 = 1e-5;
const REPEATS: u32 = 20;

/// One session with the answer of HIBOU and its time, per mode.
struct Case {
    session: Session,
    hibou: Vec<Option<(String, f64)>>,
}

pub fn run(effort: Effort) -> Vec<Table> {
    let Some(folder) = corpus().map(|corpus| corpus.join("hibou-random")) else {
        return Vec::new();
    };
    let every = if effort.rounds > 1 { 1 } else { 100 };
    let mut table = Table::new(
        "The corpus of paper 003",
        "Multi-traces of two to six events on average. Per interaction and mode: the median and the longest time that HIBOU 0.8.7 took for a \
         multi-trace, those of ours (on one thread, explanations included; short checks are repeated, so caches are warm), and the median of the \
         ratios. HIBOU was cut at 2 s; a multi-trace that it did not decide until then has no time.",
        &[
            "interaction",
            "mode",
            "sessions",
            "HIBOU",
            "its longest",
            "ours",
            "our longest",
            "median ratio",
        ],
    );
    let mut all = MODES.map(|_| Measured::default());
    for index in 0..20 {
        let (monitor, cases) = read(&folder, index, every);
        for (mode, observation) in MODES.into_iter().enumerate() {
            let measured = measure(&monitor, &cases, mode, observation);
            table.row(measured.clone().row(&format!("i{index}"), observation));
            all[mode].add(measured);
        }
    }
    for (measured, observation) in all.into_iter().zip(MODES) {
        table.row(measured.row("all", observation));
    }
    vec![table]
}

/// Does nothing but check, in complete mode, the sessions of an interaction in the middle of the field.
pub fn repeat(times: u32) {
    let folder = corpus().expect("the corpus was there").join("hibou-random");
    let (monitor, cases) = read(&folder, 4, 1);
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an engine");
    for _ in 0..times {
        for case in &cases {
            let checked = checker.check(&case.session);
            std::hint::black_box(checked);
        }
    }
}

fn read(folder: &Path, index: usize, every: usize) -> (Monitor, Vec<Case>) {
    let source = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect("the corpus is readable");
        Source::new(name, text)
    };
    let signature = hsf::parse(&source("signature.hsf")).expect("a signature");
    let spec = hif::parse(&source(&format!("i{index}.hif")), Some(signature)).expect("a spec");
    let locations = Locations::discrete(&spec.signature);
    let place_of = &|_| String::new();
    let (signature, interaction) = (&spec.signature, &spec.interaction);
    let spec = InteractionSpec { signature, interaction, locations: &locations, place_of };
    let provenance = Provenance::new("bench", "", b"", String::new());
    let compiled = compile_interaction(spec, provenance, &Config::default());
    let monitor = Monitor::new(compiled.expect("it is within the limits").bundle);
    let name = format!("i{index}.jsonl");
    let text = source(&name);
    let case = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        let hibou = MODES.iter().map(|mode| {
            let said = &record["hibou"][mode.name()];
            Some((said["verdict"].as_str()?.to_owned(), said["seconds"].as_f64()?))
        });
        let session = parse_line(&name, 1, line, monitor.alphabet()).expect("a session");
        Case { session, hibou: hibou.collect() }
    };
    let cases = text.text().lines().step_by(every).map(case).collect();
    (monitor, cases)
}

fn measure(monitor: &Monitor, cases: &[Case], mode: usize, observation: Observation) -> Measured {
    let config = CheckConfig { observation, ..CheckConfig::default() };
    let mut checker = Checker::new(monitor, config).expect("an engine");
    let mut measured = Measured::default();
    for case in cases {
        let start = Instant::now();
        let mut checked = checker.check(&case.session);
        let mut time = start.elapsed().as_secs_f64();
        if time < SHORT {
            let start = Instant::now();
            for _ in 0..REPEATS {
                checked = checker.check(&case.session);
            }
            time = start.elapsed().as_secs_f64() / f64::from(REPEATS);
        }
        measured.ours.push(time);
        if let Some((verdict, seconds)) = &case.hibou[mode] {
            assert!(agree(verdict, &checked.verdict), "{}: {verdict}", case.session.id);
            measured.theirs.push(*seconds);
            measured.ratios.push(seconds / time);
        }
    }
    measured
}

/// Times in seconds, per multi-trace, and the ratios for those that HIBOU decided.
#[derive(Clone, Default)]
struct Measured {
    theirs: Vec<f64>,
    ours: Vec<f64>,
    ratios: Vec<f64>,
}

impl Measured {
    fn add(&mut self, other: Measured) {
        self.theirs.extend(other.theirs);
        self.ours.extend(other.ours);
        self.ratios.extend(other.ratios);
    }

    fn row(self, name: &str, observation: Observation) -> Vec<String> {
        let longest = |times: &[f64]| seconds(times.iter().copied().fold(0.0, f64::max));
        let (their_longest, our_longest) = (longest(&self.theirs), longest(&self.ours));
        vec![
            name.to_owned(),
            observation.name().to_owned(),
            count(self.ours.len() as f64),
            seconds(median(self.theirs)),
            their_longest,
            seconds(median(self.ours)),
            our_longest,
            ratio(median(self.ratios)),
        ]
    }
}

/// Whether HIBOU's verdict and ours say the same.
fn agree(hibou: &str, ours: &Verdict) -> bool {
    match hibou {
        "Pass" => *ours == Verdict::Pass,
        "WeakPass" => matches!(ours, Verdict::Pass | Verdict::WeakPass),
        "Fail" => matches!(ours, Verdict::Fail(_)),
        "Inconc" => matches!(ours, Verdict::Inconclusive(_) | Verdict::Fail(_)),
        _ => false,
    }
}
