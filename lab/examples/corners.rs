//! The costs of sessions of random interactions, and the sessions that cost most: `corners [--smoke] [--interactions N]
//! [--sessions N] [--runs N] [--every N] [--seconds S] [--mode MODE]… [--only SPEC]… [--slowest N] [--without-automata]
//! [--write DIR]`. `scripts/corners` runs it.
//!
//! Two sets of specifications: the 20 random interactions of paper 003 with the multi-traces of its benchmark, where the
//! corpus is there; and interactions as `multitrace generate --interactions` makes them, each with sessions that are
//! accepted, cut as `missing`, `prefix` or `slice` allows, and one edit away from those. Every mode checks all sessions.
//! A run begins with a fresh monitor, so a session pays for the terms that it meets first; the time of a session is the
//! best of its runs.

#![allow(clippy::print_stdout, reason = "its output")]

mod sessions;

use crate::sessions::{is_open, percent_within, sessions};
use cpu_time::ThreadTime;
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat, Verdict};
use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf, sessions as session_texts};
use multitrace_interaction::generate::{Bounds, RandomInteractions, Shape};
use multitrace_interaction::{InconclusiveReason, Observation, Session};
use multitrace_runtime::{Budget, CheckConfig, Checker, EngineChoice, Monitor as Runtime};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest time that nearly every session is to take, and that every session is to take.
const USUAL: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(10);

/// How the sessions of random interactions are cut.
const CUTS: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// How many interactions of paper 003 the corpus has.
const INTERACTIONS_OF_PAPER: usize = 20;

struct Options {
    interactions: usize,
    sessions: usize,
    runs: usize,
    every: usize,
    budget: Option<Duration>,
    modes: Vec<Observation>,
    only: Vec<String>,
    slowest: usize,
    engine: EngineChoice,
    write: Option<PathBuf>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        interactions: 200,
        sessions: 80,
        runs: 3,
        every: 1,
        budget: None,
        modes: Vec::new(),
        only: Vec::new(),
        slowest: 0,
        engine: EngineChoice::Auto,
        write: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--smoke" => {
                let few = Options { interactions: 4, sessions: 16, runs: 1, every: 100, ..options };
                options = few;
                continue;
            }
            "--without-automata" => {
                options.engine = EngineChoice::Term;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or("an option without a value")?;
        match argument.as_str() {
            "--interactions" => options.interactions = value.parse()?,
            "--sessions" => options.sessions = value.parse()?,
            "--runs" => options.runs = value.parse()?,
            "--every" => options.every = value.parse()?,
            "--seconds" => options.budget = Some(Duration::from_secs_f64(value.parse()?)),
            "--mode" => options.modes.push(mode(&value)?),
            "--only" => options.only.push(value),
            "--slowest" => options.slowest = value.parse()?,
            "--write" => options.write = Some(value.into()),
            _ => return Err(format!("unknown option {argument}").into()),
        }
    }
    if options.modes.is_empty() {
        options.modes = Observation::ALL.to_vec();
    }
    Ok(options)
}

fn mode(name: &str) -> Result<Observation, String> {
    let named = Observation::ALL.into_iter().find(|mode| mode.name() == name);
    named.ok_or_else(|| {
        let names = Observation::ALL.map(Observation::name).join(", ");
        format!("no mode is called {name}; these are: {names}")
    })
}

/// A specification with its sessions.
struct Subject {
    name: String,
    monitor: Monitor,
    sessions: Vec<Session>,
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// The corpus of paper 003; says so if it is not there.
fn of_paper(options: &Options) -> Result<Vec<Subject>, Box<dyn Error>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let folder = std::env::var_os("MULTITRACE_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no corpus at {} (set MULTITRACE_CORPUS)", folder.display());
        return Ok(Vec::new());
    }
    let folder = folder.join("hibou-random");
    let names = (0..INTERACTIONS_OF_PAPER).map(|index| format!("i{index}"));
    names
        .filter(|name| options.wants(name))
        .map(|name| paper(&folder, name, options.every))
        .collect()
}

fn paper(folder: &Path, name: String, every: usize) -> Result<Subject, Box<dyn Error>> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let signature = hsf::parse(&Source::new("signature.hsf", read("signature.hsf")?));
    let signature = Some(signature.map_err(|_| "signature.hsf is not a signature")?);
    let file = format!("{name}.hif");
    let spec = Spec::parse(&file, &read(&file)?, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions { signature, ..CompileOptions::default() })?.monitor;
    let file = format!("{name}.jsonl");
    let mut sessions = Vec::new();
    for (index, line) in read(&file)?.lines().enumerate().step_by(every) {
        let session = session_texts::parse_line(&file, index + 1, line, monitor.alphabet());
        sessions.push(session.map_err(|_| format!("{file}:{}: no session", index + 1))?);
    }
    Ok(Subject { name, monitor, sessions })
}

/// Random interactions, named as `multitrace generate --interactions` names them.
fn random(options: &Options) -> Result<Vec<Subject>, Box<dyn Error>> {
    let mut interactions = RandomInteractions::new(Shape::default(), 0);
    let signature = interactions.signature().clone();
    let mut subjects = Vec::new();
    for (index, interaction) in interactions.by_ref().take(options.interactions).enumerate() {
        let name = format!("g{}", index + 1);
        let text = hif::print(&interaction?, &signature);
        if let Some(folder) = &options.write {
            std::fs::write(folder.join(format!("{name}.hif")), &text)?;
        }
        if !options.wants(&name) {
            continue;
        }
        let spec = Spec::parse(&format!("{name}.hif"), &text, SpecFormat::Hif);
        let monitor = spec.compile(&CompileOptions::default())?.monitor;
        let sessions = cut_sessions(&monitor, options.sessions, index as u64)?;
        subjects.push(Subject { name, monitor, sessions });
    }
    Ok(subjects)
}

/// Sessions of a specification, a quarter of them for each way to cut them.
fn cut_sessions(
    monitor: &Monitor,
    count: usize,
    seed: u64,
) -> Result<Vec<Session>, Box<dyn Error>> {
    let mut all = Vec::new();
    for cut in CUTS {
        let made = sessions(monitor, cut, (Bounds::default(), count / CUTS.len()), seed)?;
        all.extend(made.into_iter().map(|session| {
            let id = format!("{}-{}", cut.name(), session.id);
            Session { id, ..session }
        }));
    }
    Ok(all)
}

/// The time and the nodes of one session.
struct Taken<'a> {
    time: Duration,
    spec: &'a str,
    session: &'a Session,
    verdict: Verdict,
    nodes: u64,
}

/// Checks all sessions of a specification; the time of each is the best of all runs.
fn measure<'a>(
    subject: &'a Subject,
    observation: Observation,
    options: &Options,
) -> Result<Vec<Taken<'a>>, Box<dyn Error>> {
    let budget = Budget { time: options.budget, ..Budget::default() };
    let config =
        CheckConfig { observation, budget, engine: options.engine, ..CheckConfig::default() };
    let mut taken: Vec<Taken<'a>> = Vec::new();
    for run in 0..options.runs {
        let monitor = Runtime::new(subject.monitor.bundle().clone());
        let mut checker = Checker::new(&monitor, config)?;
        for (index, session) in subject.sessions.iter().enumerate() {
            // Of the processor, so that other programs on the machine do not count.
            let begin = ThreadTime::now();
            let checked = checker.check(session);
            let time = begin.elapsed();
            if run > 0 {
                taken[index].time = taken[index].time.min(time);
                continue;
            }
            let (verdict, nodes) = (checked.verdict, checked.explored);
            taken.push(Taken { time, spec: &subject.name, session, verdict, nodes });
        }
    }
    Ok(taken)
}

/// The line for the sessions of one set in one mode.
fn line(mut all: Vec<Taken<'_>>, slowest: usize) -> String {
    all.sort_by_key(|taken| std::cmp::Reverse(taken.time));
    let times: Vec<_> = all.iter().map(|taken| taken.time).collect();
    let lack = Verdict::Inconclusive(InconclusiveReason::LackOfObservation);
    let lacking = all.iter().filter(|taken| taken.verdict == lack).count();
    let open = all.iter().filter(|taken| is_open(&taken.verdict)).count() - lacking;
    let longer = times.iter().filter(|&&time| time > LONGEST).count();
    let nodes: u64 = all.iter().map(|taken| taken.nodes).sum();
    let events: usize = all.iter().map(|taken| taken.session.event_count()).sum();
    let worst: Vec<_> = all.iter().take(slowest.max(1)).map(|taken| taken.text()).collect();
    format!(
        "within 1 ms: {:.3} %, longer than 10 ms: {longer}, nodes per event: {:.2}, inconclusive: {open} \
         (and {lacking} for lack of observation) of {}, worst: {}",
        percent_within(&times, USUAL),
        nodes as f64 / events.max(1) as f64,
        all.len(),
        worst.join("\n    ")
    )
}

impl Taken<'_> {
    fn text(&self) -> String {
        let time = self.time.as_secs_f64() * 1e3;
        let (name, events) = (self.verdict.name(), self.session.event_count());
        format!("{time:.2} ms ({} {}, {events} events, {name})", self.spec, self.session.id)
    }
}

fn report(title: &str, subjects: &[Subject], options: &Options) -> Result<(), Box<dyn Error>> {
    if subjects.is_empty() {
        return Ok(());
    }
    let terms = subjects.iter().filter(|it| it.monitor.bundle().automaton().is_none()).count();
    println!("{title}: {} specifications, {terms} without an automaton", subjects.len());
    for &observation in &options.modes {
        let mut all = Vec::new();
        for subject in subjects {
            all.extend(measure(subject, observation, options)?);
        }
        println!("  {}: {}", observation.name(), line(all, options.slowest));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    report("the corpus of paper 003", &of_paper(&options)?, &options)?;
    report("generate --interactions", &random(&options)?, &options)
}
