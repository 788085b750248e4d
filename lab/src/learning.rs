//! Learning from sessions of specifications: sessions are generated, half of them are learnt from, and the learnt
//! interaction is compared with the specification.

use crate::corpus::corpus;
use crate::large_learning;
use crate::real_logs;
use crate::table::{Table, percent, seconds};
use crate::timing::Effort;
use multitrace::{
    Answer, CheckConfig, CompileOptions, DiffOptions, Inclusion, Monitor, Spec, SpecFormat,
};
use multitrace_formats::hif;
use multitrace_interaction::generate::{Bounds, Dice, Generator};
use multitrace_interaction::{Action, Alphabet, MultiTrace, Session, Signature, Verdict, names};
use multitrace_learn::{Learnt, Limits, Observations, learn};
use multitrace_runtime::Budget;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How sessions are generated, as `generate --max-loops` does.
const MOST_LOOPS: usize = 5;

/// A session by names: its logs.
pub(crate) type NamedLogs = Vec<(String, Vec<String>)>;

/// Specifications of one kind.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) specs: Vec<PathBuf>,
}

/// The result for one specification.
#[derive(Clone, Debug)]
struct SpecResult {
    name: String,
    sessions: usize,
    variants: usize,
    /// How many emissions and receptions are written in the learnt interaction, and in the specification.
    events: [usize; 2],
    /// Shares of sessions learnt from, of those held out, and of those of the learnt that the true one accepts.
    fitness: f64,
    held_out: f64,
    precision: f64,
    is_equal: bool,
    time: Duration,
    noise: Option<Noise>,
}

/// The result for a specification where some sessions are wrong.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// Whether it is the same as with right ones in their place.
    is_same: bool,
    /// Whether it is the same as without them.
    is_same_without: bool,
    /// How many wrong sessions it accepts, of how many.
    accepted: usize,
    of: usize,
    /// How many right sessions it does not accept, of how many.
    rejected: usize,
    right: usize,
}

/// One of this many sessions is wrong.
const WRONG: usize = 20;

pub fn run(effort: Effort) -> Vec<Table> {
    let full = effort.rounds > 1;
    let sizes: Vec<usize> = match std::env::var("MULTITRACE_LEARN_SESSIONS") {
        Ok(size) => vec![size.parse().expect("a number of sessions")],
        Err(_) if full => vec![50, 200, 1000],
        Err(_) => vec![50],
    };
    let mut all = Table::new(
        "Learning: all specifications",
        "From each specification, twice as many accepted sessions as the second column says are generated. One half is learnt from. Fitness: \
         sessions of that half that the learnt specification accepts; held out: of the other half; precision: of 100 sessions \
         generated from the learnt specification, those that the given one accepts. Means over specifications; \
         equal: `diff` proves that both accept the same sessions. Noise: one of 20 sessions is wrong, by one event or two that changed places.",
        &[
            "specifications",
            "sessions",
            "learnt",
            "all fit",
            "fitness",
            "held out",
            "all pass",
            "precision",
            "equal",
            "size",
            "longest",
            "same with noise",
            "same as without",
            "noise found",
            "wrongly found",
        ],
    );
    let mut tables = Vec::new();
    for field in fields(full) {
        for &size in &sizes {
            let outcomes = outcomes(&field.specs, size);
            all.row(summary(&field, size, &outcomes));
            if size == 200 || sizes.len() == 1 {
                tables.push(each(&field, &outcomes));
            }
        }
    }
    tables.insert(0, all);
    if std::env::var_os("MULTITRACE_LEARN_SESSIONS").is_none() {
        tables.extend(real_logs::table());
        tables.push(large_learning::table(effort));
    }
    tables
}

pub(crate) fn fields(full: bool) -> Vec<Field> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut written = listed(&root.join("examples"), "hif");
    let mut fields = Vec::new();
    if let Some(corpus) = corpus() {
        written.extend(listed(&corpus.join("usecases"), "hif"));
        let mut specs = listed(&corpus.join("diagrams/mermaid"), "mmd");
        specs.truncate(if full { usize::MAX } else { 5 });
        fields.push(Field { name: "wild Mermaid diagrams", specs });
    }
    written.truncate(if full { usize::MAX } else { 5 });
    fields.push(Field { name: "written by hand", specs: written });
    fields
}

fn listed(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(listed(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn outcomes(specs: &[PathBuf], size: usize) -> Vec<SpecResult> {
    let only = std::env::var("MULTITRACE_LEARN_ONLY").unwrap_or_default();
    let specs: Vec<_> =
        specs.iter().filter(|it| it.display().to_string().contains(&only)).collect();
    let of = |path: &&PathBuf| outcome(path, size);
    specs.par_iter().map(of).collect::<Vec<_>>().into_iter().flatten().collect()
}

/// `None` for a specification that cannot be read, or has no session.
fn outcome(path: &Path, size: usize) -> Option<SpecResult> {
    let spec = Spec::read(path).ok()?;
    let truth = spec.compile(&CompileOptions::default()).ok()?.monitor;
    let mut sessions = generated(&truth, 2 * size, 1)?;
    Dice::new(0, 9).shuffle(&mut sessions);
    let (train, test) = sessions.split_at(size);
    let observations = observations(train);
    let begin = Instant::now();
    let learnt = learn(&observations, Limits::default());
    let time = begin.elapsed();
    if std::env::var("MULTITRACE_LEARN_ONLY").is_ok() {
        eprintln!("{}", hif::print(&learnt.interaction, &observations.signature));
    }
    let monitor = compiled(&learnt, &observations);
    let made = generated_up_to(&monitor, 100, 3, 7).unwrap_or_default();
    let options = DiffOptions { max_events: 40, budget_sessions: 5_000 };
    let diff = truth.diff(&monitor, options).ok()?;
    // Sessions have no labels, so that none is learnt.
    let is_proved = |it: &Inclusion| matches!(it, Inclusion::Proved(_));
    let true_events = truth.interaction().map_or(0, |(_, it)| it.actions().count());
    Some(SpecResult {
        name: path.file_stem()?.display().to_string(),
        sessions: train.len(),
        variants: learnt.variants,
        events: [learnt.interaction.actions().count(), true_events],
        fitness: accepted(&monitor, train),
        held_out: accepted(&monitor, test),
        precision: accepted(&truth, &made),
        is_equal: is_proved(&diff.old_in_new) && is_proved(&diff.new_in_old),
        time,
        noise: noise(&truth, &monitor, train),
    })
}

/// Learns again, with some sessions replaced by wrong ones.
fn noise(truth: &Monitor, clean: &Monitor, sessions: &[NamedLogs]) -> Option<Noise> {
    let (signature, interaction) = truth.interaction()?;
    let bounds =
        Bounds { min_events: 0, max_events: None, min_loops: 0, max_loops: Some(MOST_LOOPS) };
    let locations = truth.locations()?;
    let mut generator = Generator::new(signature, interaction, &locations, bounds, 5).ok()?;
    let alphabet = generator.alphabet().clone();
    let (mut wrong, mut tries) = (Vec::new(), 0);
    while wrong.len() < sessions.len() / WRONG && tries < 20 * sessions.len() {
        tries += 1;
        let trace = generator.accepted();
        let changed =
            if tries % 2 == 0 { generator.noise(&trace) } else { generator.swap_actions(&trace) };
        let made = changed.map(|(trace, _)| named(&alphabet, trace));
        wrong.extend(made.filter(|it| accepted(truth, std::slice::from_ref(it)) < 1.0));
    }
    if wrong.len() < sessions.len() / WRONG {
        return None;
    }
    let mut noisy = sessions.to_vec();
    noisy.splice(..wrong.len(), wrong.iter().cloned());
    let observations = observations(&noisy);
    let learnt =
        learn(&observations, Limits { most_left_out: Some(wrong.len() as u64), min_support: 1 });
    let monitor = compiled(&learnt, &observations);
    if std::env::var("MULTITRACE_LEARN_ONLY").is_ok() {
        eprintln!("with noise: {}", hif::print(&learnt.interaction, &observations.signature));
        for it in wrong.iter().filter(|it| accepted(&monitor, std::slice::from_ref(it)) == 1.0) {
            eprintln!("wrong and accepted: {it:?}");
        }
    }
    let options = DiffOptions { max_events: 40, budget_sessions: 2_000 };
    let is_same =
        |other: &Monitor| Some(other.diff(&monitor, options).ok()?.answer() != Answer::Different);
    let right = self::observations(&noisy[wrong.len()..]);
    let (share, right_share) =
        (accepted(&monitor, &wrong), accepted(&monitor, &noisy[wrong.len()..]));
    let right_count = noisy.len() - wrong.len();
    Some(Noise {
        is_same: is_same(clean)?,
        is_same_without: is_same(&compiled(&learn(&right, Limits::default()), &right))?,
        accepted: (share * wrong.len() as f64).round() as usize,
        of: wrong.len(),
        rejected: ((1.0 - right_share) * right_count as f64).round() as usize,
        right: right_count,
    })
}

fn compiled(learnt: &Learnt, observations: &Observations) -> Monitor {
    let text = hif::print(&learnt.interaction, &observations.signature);
    let spec = Spec::parse("learnt.hif", &text, SpecFormat::Hif);
    spec.compile(&CompileOptions::default())
        .expect("learnt specifications are interactions")
        .monitor
}

pub(crate) fn generated(monitor: &Monitor, count: usize, seed: u64) -> Option<Vec<NamedLogs>> {
    generated_up_to(monitor, count, MOST_LOOPS, seed)
}

fn generated_up_to(
    monitor: &Monitor,
    count: usize,
    loops: usize,
    seed: u64,
) -> Option<Vec<NamedLogs>> {
    let (signature, interaction) = monitor.interaction()?;
    let locations = monitor.locations()?;
    let bounds = Bounds { min_events: 0, max_events: None, min_loops: 0, max_loops: Some(loops) };
    let mut generator = Generator::new(signature, interaction, &locations, bounds, seed).ok()?;
    let alphabet = generator.alphabet().clone();
    Some((0..count).map(|_| named(&alphabet, generator.accepted())).collect())
}

fn named(alphabet: &Alphabet, trace: MultiTrace) -> NamedLogs {
    let logs = alphabet.locations().zip(trace);
    logs.map(|(location, log)| {
        let events = log.into_iter().map(|it| alphabet.letter_name(it).to_owned());
        (alphabet.location_name(location).to_owned(), events.collect())
    })
    .collect()
}

fn observations(sessions: &[NamedLogs]) -> Observations {
    let mut signature = Signature::default();
    let mut action = |text: &String| {
        let (lifeline, kind, message) = names::split_action(text).expect("an action");
        let (lifeline, message) =
            (signature.intern_lifeline(&lifeline), signature.intern_message(message));
        Action { lifeline, kind, message }
    };
    let sessions = sessions
        .iter()
        .map(|logs| {
            (logs.iter().map(|(_, log)| log.iter().map(&mut action).collect()).collect(), 1)
        })
        .collect();
    Observations { signature, sessions }
}

fn accepted(monitor: &Monitor, sessions: &[NamedLogs]) -> f64 {
    let config = CheckConfig {
        budget: Budget { time: Some(Duration::from_secs(2)), ..Budget::default() },
        ..CheckConfig::default()
    };
    let mut checker = monitor.checker(config).expect("an engine");
    let session = |logs: &NamedLogs| -> Session {
        let builder = monitor.session("s");
        let add = |builder: multitrace::SessionBuilder, (at, log): &(String, Vec<String>)| {
            builder.trace(at, log.iter().map(String::as_str))
        };
        logs.iter().filter(|(_, log)| !log.is_empty()).fold(builder, add).build()
    };
    let mut passes = |logs: &&NamedLogs| checker.check(&session(logs)).verdict == Verdict::Pass;
    let count = sessions.iter().filter(&mut passes).count();
    if sessions.is_empty() { 1.0 } else { count as f64 / sessions.len() as f64 }
}

fn summary(field: &Field, size: usize, outcomes: &[SpecResult]) -> Vec<String> {
    let count = outcomes.len();
    let mean = |of: fn(&SpecResult) -> f64| {
        percent(outcomes.iter().map(of).sum::<f64>() / count.max(1) as f64)
    };
    let number =
        |of: fn(&SpecResult) -> bool| outcomes.iter().filter(|it| of(it)).count().to_string();
    let mut ratios: Vec<f64> =
        outcomes.iter().map(|it| it.events[0] as f64 / it.events[1].max(1) as f64).collect();
    ratios.sort_by(f64::total_cmp);
    let noise: Vec<Noise> = outcomes.iter().filter_map(|it| it.noise).collect();
    let same = |is_same: fn(&Noise) -> bool| {
        let count = noise.iter().filter(|it| is_same(it)).count();
        percent(count as f64 / noise.len().max(1) as f64)
    };
    let sum = |of: fn(&Noise) -> usize| noise.iter().map(of).sum::<usize>();
    let longest = outcomes.iter().map(|it| it.time).max().unwrap_or_default();
    vec![
        field.name.to_owned(),
        size.to_string(),
        format!("{count} of {}", field.specs.len()),
        number(|it| it.fitness >= 1.0),
        mean(|it| it.fitness),
        mean(|it| it.held_out),
        number(|it| it.held_out >= 1.0),
        mean(|it| it.precision),
        number(|it| it.is_equal),
        format!("{:.2}", ratios.get(count / 2).copied().unwrap_or(1.0)),
        seconds(longest.as_secs_f64()),
        same(|it| it.is_same),
        same(|it| it.is_same_without),
        percent(1.0 - sum(|it| it.accepted) as f64 / sum(|it| it.of).max(1) as f64),
        percent(sum(|it| it.rejected) as f64 / sum(|it| it.right).max(1) as f64),
    ]
}

fn each(field: &Field, outcomes: &[SpecResult]) -> Table {
    let mut table = Table::new(
        &format!("Learning: {}", field.name),
        "Those that are not learnt as they are, or not the same with noise. Size: emissions and receptions in the learnt specification, \
         and in the given one.",
        &[
            "specification",
            "sessions",
            "variants",
            "size",
            "fitness",
            "held out",
            "precision",
            "time",
            "equal",
            "same with noise",
            "same as without",
            "noise found",
            "wrongly found",
        ],
    );
    let is_changed = |it: &SpecResult| it.noise.is_some_and(|it| !it.is_same || it.accepted > 0);
    let mark = |is_so: bool| if is_so { "yes" } else { "no" }.to_owned();
    for it in outcomes.iter().filter(|it| !it.is_equal || it.fitness < 1.0 || is_changed(it)) {
        let noise = |of: &dyn Fn(Noise) -> String| it.noise.map_or_else(String::new, of);
        table.row([
            it.name.clone(),
            it.sessions.to_string(),
            it.variants.to_string(),
            format!("{} / {}", it.events[0], it.events[1]),
            percent(it.fitness),
            percent(it.held_out),
            percent(it.precision),
            seconds(it.time.as_secs_f64()),
            mark(it.is_equal),
            noise(&|it| mark(it.is_same)),
            noise(&|it| mark(it.is_same_without)),
            noise(&|it| format!("{} of {}", it.of - it.accepted, it.of)),
            noise(&|it| format!("{} of {}", it.rejected, it.right)),
        ]);
    }
    table
}
