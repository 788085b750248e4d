//! A run: all sessions of the inputs, checked in parallel, reported in input order.

// One thread reads chunks while the others check those before; results are merged in input order, each as
// soon as those before it are merged, while other chunks are still checked.
// So a report does not depend on the number of threads. A run that stops at a number of violations
// checks the last chunk again, up to the violation that ends it.

use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::coverage::CoveragePlan;
use crate::error::{Contradiction, Error, stop};
use crate::input_stamps::input_stamps;
use crate::inputs::Inputs;
use crate::monitor::Monitor;
use crate::read_counts::ReadCounts;
use crate::report::{Report, Totals};
use crate::rows::NewRows;
use crate::rules::{Detail, InputNumbers, Rules};
use crate::selecting::{SampleSize, SessionFilter, Shard};
use crate::session_stream::SessionReader;
use crate::sinks::ChunkResult;
use crate::verdict::SessionVerdict;
use crate::worker::Worker;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::remedy::Words;
use multitrace_formats::workers::{Workers, in_pool};
use multitrace_logs::ReadStamps;
use multitrace_reports::first_errors::TOLD_PROBLEMS;
use multitrace_reports::gate::{Gate, Tolerance};
use multitrace_reports::groups::{EarlierKinds, GroupOrder};
use multitrace_reports::summary::Summary;
use multitrace_runtime::CheckConfig;
use std::any::Any;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use web_time::Instant;

/// The most threads of a run: more than the processors of nearly all machines, and fewer than systems refuse to start.
/// Each thread has memory of its own, so a slip such as 10000 would not be harmless.
pub const MOST_THREADS: usize = 1024;

/// The memory that event logs are grouped in, in bytes, unless a run says otherwise: 128 MiB. Ten million events in random order
/// took as long with it as with 1 GiB (tried by hand), and less than half the memory.
pub const DEFAULT_MEMORY: usize = 128 << 20;

/// How a run checks, and the details that it asks for.
#[derive(Debug)]
pub struct RunOptions {
    /// How sessions are decided.
    pub config: CheckConfig,
    /// Which sessions fail the run.
    pub gate: Gate,
    /// Which sessions are checked.
    pub filter: SessionFilter,
    /// The details that the run asks for beside its summary. By default the groups of findings.
    pub detail: Detail,
    /// Makes rows of the sessions, for [`RunObserver::rows`], which then gets more problems, too.
    pub rows: Option<NewRows>,
    /// Whether to repair every failing session: the least edits that make it accepted. Without,
    /// only the examples of groups are repaired.
    pub repair: bool,
    /// The order of the groups.
    pub order: GroupOrder,
    /// The number of threads, at most [`MOST_THREADS`]; `None` for one per processor.
    pub threads: Option<NonZeroUsize>,
    /// For event logs: the events of each session follow one another.
    pub grouped: bool,
    /// For event logs: sessions are grouped in about this much memory, in bytes. Beyond it, events
    /// wait on disk.
    pub memory: usize,
    /// Whether to find the parts of the specification that the passing sessions took.
    pub coverage: bool,
    /// The share of the parts of the specification, in percent, that passing sessions must take for
    /// the run to be clean. Asks for coverage.
    pub min_coverage: Option<f64>,
    /// Whether groups are ordered by the names of their sessions alone. For inputs whose places say
    /// nothing, such as the partitions of a data engine, which differ from run to run.
    pub by_name: bool,
    /// The words in which reports spell remedies.
    pub words: Words,
    /// When the run began, for the time that reports show; `None` for when it is called.
    pub started: Option<Instant>,
}

impl RunOptions {
    /// The options of a run against a monitor: in the observation mode of its bundle, with the
    /// groups of findings, one thread per processor.
    pub fn new(monitor: &Monitor) -> RunOptions {
        RunOptions {
            config: monitor.config(),
            gate: Gate::default(),
            filter: SessionFilter::default(),
            detail: Detail { groups: true, ..Detail::default() },
            rows: None,
            repair: false,
            order: GroupOrder::Count,
            threads: None,
            grouped: false,
            memory: DEFAULT_MEMORY,
            coverage: false,
            min_coverage: None,
            by_name: false,
            words: Words::default(),
            started: None,
        }
    }
}

/// Takes the results of a run while it goes on, in input order.
///
/// ```
/// use multitrace::{Inputs, RunObserver, RunOptions, Spec, SpecFormat};
/// struct Impatient;
/// impl RunObserver for Impatient {
///     fn is_cancelled(&self) -> bool {
///         true
///     }
/// }
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&Default::default())?.monitor;
/// let inputs = Inputs::sessions([monitor.session("s1").build()]);
/// let stopped = monitor.run(inputs, RunOptions::new(&monitor), &mut Impatient);
/// assert!(matches!(stopped, Err(multitrace::Error::Stopped)));
/// # Ok::<(), multitrace::Error>(())
/// ```
pub trait RunObserver: Send {
    /// Called with the lines of JSON of some sessions, if [`Detail::lines`] asks for them.
    /// [`ControlFlow::Break`] ends the run with [`Error::Stopped`].
    fn lines(&mut self, lines: &[u8]) -> ControlFlow<()> {
        let _ = lines;
        ControlFlow::Continue(())
    }

    /// Called with each session, if [`Detail::verdicts`] asks for them.
    fn session(&mut self, verdict: SessionVerdict) -> ControlFlow<()> {
        let _ = verdict;
        ControlFlow::Continue(())
    }

    /// Called with the value that [`SessionRows::finish`](crate::SessionRows::finish) made of some sessions, if
    /// [`RunOptions::rows`] asks for it. Cheaper than [`session`](RunObserver::session): nothing is copied, and all
    /// threads make rows.
    fn rows(&mut self, rows: Box<dyn Any + Send>) -> ControlFlow<()> {
        let _ = rows;
        ControlFlow::Continue(())
    }

    /// Called with the first 100 problems of the input.
    fn problem(&mut self, problem: &InputProblem) {
        let _ = problem;
    }

    /// Called with the number of records of event logs that have been read so far.
    fn records_read(&mut self, records: u64) {
        let _ = records;
    }

    /// Called with the counts so far, and how many sessions violate the specification, before the
    /// lines of those sessions.
    fn progress(&mut self, summary: &Summary, violations: u64) {
        let _ = (summary, violations);
    }

    /// Asked again and again; true ends the run with [`Error::Stopped`].
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that only waits for the end.
impl RunObserver for () {}

impl Monitor {
    /// Checks all sessions of the inputs.
    ///
    /// # Errors
    /// When the run cannot begin or go on: the engine is not available, a temporary file cannot be
    /// written, the observer ends it. An error in a part of the input does not end the run; it is in the report.
    ///
    /// ```
    /// use multitrace::{CompileOptions, Inputs, RunOptions, Spec, SpecFormat};
    /// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
    /// let monitor = spec.compile(&CompileOptions::default())?.monitor;
    /// let lines = br#"{"session":"s1","traces":{"a":["a!ping"],"b":["b?ping"]}}"#;
    /// let inputs = Inputs::reader("memory", &lines[..]);
    /// let report = monitor.run(inputs, RunOptions::new(&monitor), &mut ())?;
    /// assert_eq!(report.summary().pass, 1);
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn run(
        &self,
        mut inputs: Inputs,
        options: RunOptions,
        observer: &mut dyn RunObserver,
    ) -> Result<Report, Error> {
        let begin = Instant::now();
        let names = InputNumbers::new(inputs.names());
        let has_other_files = match options.filter.shard {
            Some(Shard::Files(shard)) => inputs.keep_files(|number| shard.has_file(number)),
            Some(Shard::Sessions(_)) | None => false,
        };
        let RunOptions { threads, grouped, memory, order, min_coverage, started, .. } = options;
        let sample = match options.filter.sample {
            Some(SampleSize::Count(count)) if inputs.are_events() => {
                Some((count, options.filter.seed))
            }
            _ => None,
        };
        let rules = Rules { numbers: names, ..self.rules(&inputs, options)? };
        let streams = inputs.stream_names();
        let notes = inputs.notes().iter().cloned().collect();
        let told = std::mem::take(&mut inputs.told);
        let grouping = Grouping {
            alphabet: self.alphabet(),
            selection: Arc::clone(&rules.selection),
            in_order: grouped,
            memory,
            sample,
        };
        let stamps = ReadStamps::kept();
        let files = if rules.detail.partial { inputs.note_reads(&stamps) } else { Vec::new() };
        let is_shard = rules.shard.is_some();
        let replaced_before = self.runtime().cleared();
        let totals = in_pool(pool_size(threads)?, || {
            let mut run = Run {
                workers: Workers::try_new(rayon::current_num_threads(), || Worker::new(&rules))?,
                merging: Merging { rules: &rules, observer, totals: Totals::new(&rules) },
                earlier: Arc::default(),
            };
            let merging = &mut run.merging;
            let (chunks, mut read) =
                Chunks::open(inputs.source, grouping, &mut |problems, records| {
                    merging.collected(problems, records)
                })?;
            run.check(chunks, &mut read)?;
            read.add(&told);
            run.merging.add_read(read);
            let mut totals = run.merging.totals;
            totals.inputs = input_stamps(&files, &stamps, is_shard);
            totals.has_others |= has_other_files;
            totals.notes = notes;
            Ok::<_, Error>(totals)
        })?;
        let mut report = Report::new(rules, totals, order, min_coverage, streams);
        let summary = report.summary_mut();
        summary.terms_replaced = self.runtime().cleared() - replaced_before;
        summary.peak_bytes = peak_bytes();
        summary.seconds = started.unwrap_or(begin).elapsed().as_secs_f64();
        Ok(report)
    }

    /// How the sessions of a run are checked.
    fn rules(&self, inputs: &Inputs, options: RunOptions) -> Result<Rules, Error> {
        let RunOptions { config, gate, filter, detail, rows, repair, by_name, words, .. } = options;
        let shard = filter.shard.map(|shard| (shard, filter.seed));
        let sample = filter.sample_text();
        if detail.partial {
            reject_counts(&filter, &gate)?;
        }
        let has_coverage = options.coverage || options.min_coverage.is_some();
        let coverage = has_coverage.then(|| CoveragePlan::new(self)).transpose()?;
        let shows_witness = config.witness;
        let witness = shows_witness || coverage.is_some();
        let config = CheckConfig { witness, without_cycles: true, ..config };
        let selection = Arc::new(filter.selection(inputs, self.alphabet())?);
        Ok(Rules {
            monitor: self.clone(),
            config,
            engine: self.engine(&config)?,
            gate,
            selection,
            reader: SessionReader::new(self.alphabet(), inputs.assembler()),
            detail,
            rows,
            repair,
            coverage,
            shows_witness,
            pairs: self.message_pairs(),
            numbers: InputNumbers::new(Vec::new()),
            by_name,
            words,
            shard,
            sample,
        })
    }
}

/// How many threads a pool is made of; 0 for one per processor.
pub(crate) fn pool_size(threads: Option<NonZeroUsize>) -> Result<usize, Error> {
    match threads.map_or(0, NonZeroUsize::get) {
        given if given > MOST_THREADS => Err(Error::Threads { given, most: MOST_THREADS }),
        given => Ok(given),
    }
}

/// A part of a run cannot depend on the other parts.
fn reject_counts(filter: &SessionFilter, gate: &Gate) -> Result<(), Contradiction> {
    match (&filter.sample, gate.tolerance) {
        (Some(SampleSize::Count(_)), _) => Err(Contradiction::CountOfPart),
        (_, Tolerance::StopAt(_)) => Err(Contradiction::PartThatStops),
        _ => Ok(()),
    }
}

/// The most memory this process has held at once, if the system says: Linux does.
pub fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

struct Run<'r, 'o> {
    workers: Workers<Worker<'r>>,
    merging: Merging<'r, 'o>,
    earlier: Arc<EarlierKinds>,
}

/// Merges the results of chunks, in the order of the input.
struct Merging<'r, 'o> {
    rules: &'r Rules,
    observer: &'o mut dyn RunObserver,
    totals: Totals,
}

impl Run<'_, '_> {
    /// Checks chunk after chunk; while some are checked the next ones are read.
    fn check(&mut self, mut chunks: Chunks, read: &mut ReadCounts) -> Result<(), Error> {
        let threads = rayon::current_num_threads();
        let mut current = chunks.next(threads)?;
        while !current.is_empty() && !self.merging.totals.summary.stopped {
            self.merging.end_if_cancelled()?;
            let (merged, next) =
                rayon::join(|| self.check_batch(&current), || chunks.next(threads));
            merged?;
            current = next?;
        }
        chunks.add_to(read);
        Ok(())
    }

    /// Checks chunks and merges their results, up to the violation that ends the run.
    fn check_batch(&mut self, chunks: &[Chunk]) -> Result<(), Error> {
        let Run { workers, merging, earlier } = self;
        let most = merging.most_violations();
        *earlier = merging.totals.groups.kinds(Arc::clone(earlier));
        let mut merged = Ok(());
        workers.each_in_order(
            chunks,
            |chunk, worker| worker.check(chunk, most, earlier),
            |chunk, found| {
                if merged.is_ok() && !merging.totals.summary.stopped {
                    merged = merging.report(chunk, found, most);
                }
            },
        );
        merged
    }
}

impl Merging<'_, '_> {
    /// Takes over the counts of records and files.
    fn add_read(&mut self, read: ReadCounts) {
        let totals = &mut self.totals;
        totals.summary.input = read.counts;
        totals.details = read.details;
        match self.rules.selection.reports_whole_input() {
            true => totals.summary.empty_files += read.empty_files,
            false => totals.leave_out_records(),
        }
    }

    fn end_if_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Reports problems of event logs while they are collected.
    fn collected(&mut self, problems: Vec<InputProblem>, records: u64) -> Result<(), Error> {
        self.observer.records_read(records);
        self.end_if_cancelled()?;
        if problems.is_empty() {
            return Ok(());
        }
        let chunk = Chunk::Problems(problems);
        let result = Worker::new(self.rules)?.check(&chunk, u64::MAX, &Arc::default());
        self.report(&chunk, result, u64::MAX)
    }

    /// How many more violations end the run.
    fn most_violations(&self) -> u64 {
        self.rules.gate.most() - self.totals.violations
    }

    /// Merges the results of a chunk, but nothing after the violation that ends the run.
    fn report(&mut self, chunk: &Chunk, mut found: ChunkResult, up_to: u64) -> Result<(), Error> {
        let most = self.most_violations();
        if found.violations >= most {
            if most < up_to {
                found = Worker::new(self.rules)?.check(chunk, most, &Arc::default());
            }
            self.totals.summary.stopped = true;
        }
        let room = TOLD_PROBLEMS.saturating_sub(self.totals.summary.errors) as usize;
        self.tell(found.items, room)?;
        found.made_rows.map_or(Ok(()), |rows| stop(self.observer.rows(rows)))?;
        self.totals.summary.merge(&found.summary);
        self.totals.violations += found.violations;
        self.observer.progress(&self.totals.summary, self.totals.violations);
        self.totals.known += found.known;
        self.totals.coverage.merge(&found.coverage);
        self.totals.costs.merge(&found.costs);
        self.totals.errors.merge(found.errors);
        self.totals.combinations.merge(found.combinations);
        self.totals.sessions_hash = self.totals.sessions_hash.wrapping_add(found.sessions_hash);
        self.totals.logged.merge(&found.logged);
        self.totals.groups.merge(found.groups);
        if found.lines.is_empty() { Ok(()) } else { stop(self.observer.lines(&found.lines)) }
    }

    fn tell(
        &mut self,
        items: Vec<Result<SessionVerdict, InputProblem>>,
        mut room: usize,
    ) -> Result<(), Error> {
        for item in items {
            match item {
                Ok(verdict) => stop(self.observer.session(verdict))?,
                Err(problem) => {
                    if room > 0 {
                        self.observer.problem(&problem);
                    }
                    room = room.saturating_sub(1);
                }
            }
        }
        Ok(())
    }
}
