//! The costs of specifications of the size of real diagrams: `large [--smoke] [--from N] [--specs N] [--sessions N]
//! [--seconds S] [--size L/M]… [--mode MODE]… [--slowest N] [--write DIR]`. `scripts/large` runs it. Times are of the processor.
//!
//! Random interactions of each size (lifelines and messages), with `par`, `alt` and loops over shared lifelines. Of each, half
//! of the sessions are accepted, and half are one edit away: an event dropped, two events of a log swapped, a message
//! lost with both its events, an unknown event. A line per size and mode says which share of them was decided within the
//! limit, the worst, and how many stay inconclusive.

#![allow(clippy::print_stdout, reason = "its output")]

mod diagrams;
mod sessions;

use crate::diagrams::Author;
use crate::sessions::{is_open, percent_within, sessions};
use cpu_time::ThreadTime;
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat, Verdict};
use multitrace_interaction::Observation;
use multitrace_interaction::generate::Bounds;
use multitrace_runtime::{Budget, CheckConfig, Checker};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// Lifelines and messages of the sizes that are measured.
const SIZES: [(usize, usize); 3] = [(8, 20), (12, 40), (20, 80)];

/// The modes that are measured, with the milliseconds that a session may take.
const MODES: [(Observation, u64); 4] = [
    (Observation::Complete, 10),
    (Observation::Missing, 20),
    (Observation::Prefix, 20),
    (Observation::Slice, 20),
];

/// The most events of a session: two for each message, and half as many for repetitions.
const EVENTS_PER_MESSAGE: usize = 3;

struct Options {
    from: u64,
    specs: u64,
    sessions: usize,
    budget: Option<Duration>,
    sizes: Vec<(usize, usize)>,
    modes: Vec<String>,
    slowest: usize,
    write: Option<PathBuf>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        from: 0,
        specs: 100,
        sessions: 400,
        budget: None,
        sizes: Vec::new(),
        modes: Vec::new(),
        slowest: 0,
        write: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--smoke" {
            (options.specs, options.sessions, options.sizes) = (3, 8, vec![SIZES[0]]);
            continue;
        }
        let value = arguments.next().ok_or("an option without a value")?;
        match argument.as_str() {
            "--from" => options.from = value.parse()?,
            "--specs" => options.specs = value.parse()?,
            "--sessions" => options.sessions = value.parse()?,
            "--seconds" => options.budget = Some(Duration::from_secs_f64(value.parse()?)),
            "--size" => {
                let (lifelines, messages) = value.split_once('/').ok_or("LIFELINES/MESSAGES")?;
                options.sizes.push((lifelines.parse()?, messages.parse()?));
            }
            "--mode" if MODES.iter().any(|(mode, _)| mode.name() == value) => {
                options.modes.push(value);
            }
            "--mode" => {
                return Err(format!(
                    "no mode is called {value}; complete, missing, prefix, slice are"
                )
                .into());
            }
            "--slowest" => options.slowest = value.parse()?,
            "--write" => options.write = Some(value.into()),
            _ => return Err(format!("unknown option {argument}").into()),
        }
    }
    if options.sizes.is_empty() {
        options.sizes = SIZES.to_vec();
    }
    Ok(options)
}

/// The longest time that compiling a specification is to take.
const LONG_COMPILE: Duration = Duration::from_secs(1);

/// The times of the sessions of one size in one mode.
#[derive(Default)]
struct Tally {
    accepted: Vec<Duration>,
    refused: Vec<Duration>,
    inconclusive: usize,
    worst: (Duration, u64, usize),
    /// Time, specification, session, verdict and nodes of each.
    sessions: Vec<(Duration, u64, usize, &'static str, u64)>,
}

impl Tally {
    fn line(&mut self, limit: u64) -> String {
        let within = |times: &[Duration]| percent_within(times, Duration::from_millis(limit));
        let all: Vec<_> = self.accepted.iter().chain(&self.refused).copied().collect();
        let total: Duration = all.iter().sum();
        let mean = total.as_secs_f64() * 1e6 / all.len().max(1) as f64;
        let (time, seed, index) = self.worst;
        format!(
            "within {limit} ms: {:.2} % (passing {:.2} %, others {:.2} %), mean {mean:.0} us, \
             worst {:.1} ms (spec {seed}, session {index}), inconclusive {} of {}",
            within(&all),
            within(&self.accepted),
            within(&self.refused),
            time.as_secs_f64() * 1e3,
            self.inconclusive,
            all.len()
        )
    }
}

fn measure(
    monitor: &Monitor,
    mode: Observation,
    (options, seed, messages): (&Options, u64, usize),
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    let budget = Budget { time: options.budget, ..Budget::default() };
    let config = CheckConfig { observation: mode, budget, ..CheckConfig::default() };
    let mut checker = Checker::new(monitor.runtime(), config)?;
    let bounds = Bounds::events(0, EVENTS_PER_MESSAGE * messages);
    let made = sessions(monitor, mode, (bounds, options.sessions), seed)?;
    // Making sessions leaves many freed pieces of memory, which the allocator puts together when the next larger one is asked
    // for: that is not a cost of the first session.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 16)));
    for (index, session) in made.iter().enumerate() {
        // Of the processor, so that other programs on the machine do not count.
        let begin = ThreadTime::now();
        let checked = checker.check(session);
        let time = begin.elapsed();
        let verdict = checked.verdict.name();
        tally.sessions.push((time, seed, index, verdict, checked.explored));
        tally.inconclusive += usize::from(is_open(&checked.verdict));
        tally.worst = tally.worst.max((time, seed, index));
        match checked.verdict {
            Verdict::Pass | Verdict::WeakPass => tally.accepted.push(time),
            _ => tally.refused.push(time),
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    if let Some(folder) = &options.write {
        std::fs::create_dir_all(folder)?;
    }
    for &(lifelines, messages) in &options.sizes {
        let mut monitors = Vec::new();
        let mut compiled = Vec::new();
        for seed in options.from..options.from + options.specs {
            let text = Author::new(seed, lifelines).part(messages, true);
            if let Some(folder) = &options.write {
                std::fs::write(folder.join(format!("{lifelines}-{messages}-{seed}.hif")), &text)?;
            }
            let begin = ThreadTime::now();
            let spec = Spec::parse(&format!("{seed}.hif"), &text, SpecFormat::Hif);
            monitors.push(spec.compile(&CompileOptions::default())?.monitor);
            compiled.push((begin.elapsed(), seed));
        }
        let bytes: usize = monitors.iter().map(|monitor| monitor.to_bytes().len()).sum();
        let searched = |monitor: &Monitor| Some(monitor.bundle().automaton()?.search.state_count());
        let product: usize = monitors.iter().filter_map(searched).sum();
        let terms = monitors.iter().filter(|it| it.bundle().automaton().is_none()).count();
        let worst = compiled.iter().max().copied().unwrap_or_default();
        let slow = compiled.iter().filter(|it| it.0 > LONG_COMPILE).count();
        println!(
            "{lifelines} lifelines, {messages} messages: {} specifications, {terms} without an automaton, \
             compiled in at most {:.2} s (spec {}), {slow} in more than {} s; {product} states, {bytes} bytes of bundles",
            monitors.len(),
            worst.0.as_secs_f64(),
            worst.1,
            LONG_COMPILE.as_secs()
        );
        for (mode, limit) in MODES {
            if !options.modes.is_empty() && !options.modes.iter().any(|it| it == mode.name()) {
                continue;
            }
            let mut tally = Tally::default();
            for (seed, monitor) in (options.from..).zip(&monitors) {
                measure(monitor, mode, (&options, seed, messages), &mut tally)?;
            }
            println!("  {mode:?}: {}", tally.line(limit));
            tally.sessions.sort_unstable_by(|one, other| other.cmp(one));
            for (time, seed, index, verdict, nodes) in tally.sessions.iter().take(options.slowest) {
                println!("    {time:.1?}  spec {seed}, session {index}: {verdict}, {nodes} nodes");
            }
        }
    }
    Ok(())
}
