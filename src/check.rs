//! `multitrace check`: sessions in, verdicts out, in input order.

use crate::args::{CheckArgs, CheckingArgs, EngineArg, MethodArg, Operands, ProcedureChoice};
use crate::args::{OutputFormat, ReductionArg, SampleSize};
use crate::events::{Collector, Drawn, EventLog, EventSessions, Streamed};
use crate::failure::{Failure, Outcome};
use crate::gate::{self, Gate};
use crate::inputs::{Input, Inputs, Sessions};
use crate::output::{Output, reject_inputs};
use crate::progress::Messages;
use crate::reports::Reports;
use crate::worker::{Checker, Findings, Memory, Parts, SHOWN_ERRORS, Wanted};
use crate::{Exit, load, select};
use clap::ValueEnum;
use multitrace_formats::bundle::Bundle;
use multitrace_formats::groups::Groups;
use multitrace_formats::outputs::{
    ExplainCommand, InputError, ReportedGroup, RunReport, Standing, counted, quoted,
};
use multitrace_formats::report::{InputCounts, Summary};
use multitrace_formats::shorten::{shorten, visible};
use multitrace_interaction::Engine;
use multitrace_runtime::{
    self as runtime, Budget, CheckConfig, Comparison, EngineChoice, Method, Monitor, Procedure,
    Reductions, Workers,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs) -> Outcome<Exit> {
    let begin = Instant::now();
    let mut messages = Messages::new(args.output.quiet);
    let (spec, paths) = operands(&args.operands)?;
    let bundle = load::bundle_or_spec(spec, &args.checking.options)?;
    let log = EventLog::open(&args.events, &bundle, paths)?;
    if log.is_none() && (args.grouped || args.events.memory.is_some()) {
        let message = "--grouped and --memory are for event logs; add --events MAP.toml";
        return Err(Failure::new(message.to_owned()));
    }
    let inputs = if log.is_some() { None } else { Some(Inputs::new(paths, &messages)?) };
    let (config, engine, monitor) = monitor(&args.checking, args.witness, bundle)?;
    let gate = Gate::new(&args.gate)?;
    let selection = select::selection(&args.selection, paths, monitor.alphabet(), log.is_some())?;
    reject_inputs(outputs(args), &reads(args, spec, paths))?;
    let reports = Reports::open(&args.output)?;
    let baseline = args.gate.write_baseline.as_deref();
    let baseline = baseline.map(|path| Output::open(Some(path))).transpose()?;
    let pool = pool(args)?;
    messages.start();
    let wanted = wanted(args);
    let mut run = Run {
        args,
        checker: Checker::new(Parts {
            config,
            engine,
            monitor: &monitor,
            gate,
            selection: Arc::new(selection),
            assembler: log.as_ref().map(EventLog::assembler),
            wanted,
        }),
        workers: Workers::new(pool.current_num_threads(), Memory::default),
        messages,
        reports,
        baseline,
        groups: Groups::default(),
        errors: Vec::new(),
        summary: Summary::default(),
        violations: 0,
    };
    pool.install(|| {
        let sessions = match (log, inputs) {
            (Some(log), _) => Sessions::Events(run.events(log)?),
            (None, inputs) => Sessions::Files(inputs.unwrap_or_default()),
        };
        run.check(sessions)
    })?;
    run.messages.stop();
    run.summary.terms_replaced = run.checker.parts.monitor.cleared();
    run.summary.peak_bytes = peak_bytes();
    run.summary.seconds = begin.elapsed().as_secs_f64();
    run.finish()
}

/// The files that the run makes.
fn outputs(args: &CheckArgs) -> impl Iterator<Item = &Path> {
    let reports = args.output.pairs.iter().filter_map(|pair| pair.file.as_deref());
    reports.chain(args.gate.write_baseline.as_deref())
}

/// The files that it reads; but for the baseline, which it may read and write.
fn reads<'a>(args: &'a CheckArgs, spec: &'a Path, paths: &'a [PathBuf]) -> Vec<&'a Path> {
    let others = [&args.events.events, &args.selection.only_sessions];
    let others = others.into_iter().flatten().map(PathBuf::as_path);
    paths.iter().map(PathBuf::as_path).chain([spec]).chain(others).collect()
}

/// What is checked, and against what.
pub(crate) fn operands(operands: &Operands) -> Outcome<(&Path, &[PathBuf])> {
    let Some(spec) = &operands.spec else {
        return Err(Failure::new(
            "no specification: name a bundle or a specification, or set `spec` in multitrace.toml"
                .to_owned(),
        ));
    };
    if operands.inputs.is_empty() {
        return Err(Failure::new(
            "no input: name files or folders of sessions, or - for standard input".to_owned(),
        ));
    }
    Ok((spec, &operands.inputs))
}

/// What machine-readable lines and groups the reports need.
fn wanted(args: &CheckArgs) -> Wanted {
    let lines = |format: OutputFormat| format == OutputFormat::JsonLines;
    let mut pairs = args.output.pairs.iter();
    Wanted {
        lines: pairs.clone().any(|pair| lines(pair.format)),
        groups: args.gate.write_baseline.is_some()
            || args.gate.baseline.is_some()
            || pairs.any(|pair| !lines(pair.format)),
    }
}

/// What sessions are checked with.
pub(crate) fn monitor(
    args: &CheckingArgs,
    witness: bool,
    bundle: Bundle,
) -> Outcome<(CheckConfig, Engine, Monitor)> {
    let config = CheckConfig { witness, ..config(args, &bundle)? };
    let monitor = Monitor::new(bundle);
    let checker = runtime::Checker::new(&monitor, config);
    let engine = checker.map_err(|error| Failure::new(error.to_string()))?.engine();
    if engine == Engine::Nfa && args.terms.any() {
        return Err(Failure::new(
            "--method, --reductions and --look-ahead are for terms; add --engine term".to_owned(),
        ));
    }
    Ok((config, engine, monitor))
}

/// The most memory this process has held at once; Linux says.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn config(args: &CheckingArgs, bundle: &Bundle) -> Outcome<CheckConfig> {
    Ok(CheckConfig {
        observation: args.observe.map_or(bundle.observation, load::observation),
        engine: match args.engine {
            EngineArg::Auto => EngineChoice::Auto,
            EngineArg::Nfa => EngineChoice::Nfa,
            EngineArg::Term => EngineChoice::Term,
        },
        comparison: comparison(args)?,
        budget: Budget {
            states: args.budget.budget_states,
            bytes: args.budget.budget_memory.as_u64(),
            time: args.budget.budget_time.map(Into::into),
        },
        ..CheckConfig::default()
    })
}

fn comparison(args: &CheckingArgs) -> Outcome<Comparison> {
    Ok(Comparison {
        procedure: match args.procedure {
            ProcedureChoice::SemiCentralized => Procedure::SemiCentralized,
            ProcedureChoice::Centralized => Procedure::Centralized,
        },
        look_ahead_depth: args.terms.look_ahead,
        method: match args.terms.method {
            MethodArg::Exact => Method::Exact,
            MethodArg::Removal => Method::Removal,
            MethodArg::Simulation => Method::Simulation(args.terms.simulation),
        },
        reductions: args.terms.reductions.as_deref().map(reductions).transpose()?,
        ..Comparison::default()
    })
}

fn reductions(named: &[ReductionArg]) -> Outcome<Reductions> {
    let partial_order = named.contains(&ReductionArg::Por);
    let local_analyses = named.contains(&ReductionArg::Loc);
    if named.contains(&ReductionArg::None) && (partial_order || local_analyses) {
        let message = "--reductions none excludes the others; leave it out";
        return Err(Failure::new(message.to_owned()));
    }
    Ok(Reductions { partial_order, local_analyses })
}

fn pool(args: &CheckArgs) -> Outcome<rayon::ThreadPool> {
    let threads = args.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("cannot start the worker threads: {error}")))
}

struct Run<'a> {
    args: &'a CheckArgs,
    checker: Checker<'a>,
    workers: Workers<Memory<'a>>,
    messages: Messages,
    reports: Reports,
    /// Where the new baseline goes.
    baseline: Option<Output>,
    groups: Groups,
    /// The first of them.
    errors: Vec<InputError>,
    summary: Summary,
    violations: u64,
}

impl<'a> Run<'a> {
    /// Checks batch after batch; while one is checked the next one is read.
    fn check(&mut self, mut sessions: Sessions) -> Outcome<()> {
        let threads = rayon::current_num_threads();
        let mut batch = sessions.next_batch(threads)?;
        while !batch.is_empty() && !self.summary.stopped {
            let most = self.most_violations();
            let check =
                |input: &Input, memory: &mut Memory<'a>| self.checker.check(input, memory, most);
            let (found, next) =
                rayon::join(|| self.workers.map(&batch, check), || sessions.next_batch(threads));
            for (input, findings) in batch.iter().zip(found) {
                self.report(input, findings, most)?;
                if self.summary.stopped {
                    break;
                }
            }
            batch = next?;
        }
        if let Sessions::Events(events) = &sessions {
            self.summary.input = events.counts().or(self.summary.input);
        }
        Ok(())
    }

    /// The sessions of event logs. Unless they come one after the other, all events are read first.
    fn events(&mut self, log: EventLog) -> Outcome<EventSessions> {
        let parts = &self.checker.parts;
        let selection = Arc::clone(&parts.selection);
        let in_order = self.args.grouped;
        let reader = log.reader(parts.monitor.alphabet(), selection, in_order);
        if in_order {
            let sessions = EventSessions::Streamed(Box::new(Streamed::new(reader)));
            return self.drawn(sessions, None);
        }
        let memory = self.args.events.memory();
        let mut collector = Collector::new(reader, memory);
        while let Some(problems) = collector.read()? {
            self.messages.read(collector.records());
            if !problems.is_empty() {
                let input = Input::Problems(problems);
                let findings = self.checker.check(&input, &mut Memory::default(), u64::MAX);
                self.report(&input, findings, u64::MAX)?;
            }
        }
        let (sessions, counts) = collector.finish()?;
        self.summary.input = Some(counts);
        self.drawn(sessions, Some(counts))
    }

    /// All sessions, or as many as are to be drawn.
    fn drawn(&self, all: EventSessions, counts: Option<InputCounts>) -> Outcome<EventSessions> {
        let args = &self.args.selection;
        let Some(SampleSize::Count(count)) = args.sample else { return Ok(all) };
        Ok(EventSessions::Drawn(Drawn::new(all, (count, args.seed), counts)?))
    }

    /// How many more violations end the run.
    fn most_violations(&self) -> u64 {
        self.checker.parts.gate.most() - self.violations
    }

    /// Reports what was found in an input up to so many violations, and no further than the last
    /// one that counts.
    fn report(&mut self, input: &Input, mut findings: Findings, up_to: u64) -> Outcome<()> {
        let most = self.most_violations();
        if findings.violations >= most {
            if most < up_to {
                findings = self.checker.check(input, &mut Memory::default(), most);
            }
            self.summary.stopped = true;
        }
        let shown = SHOWN_ERRORS.saturating_sub(self.summary.errors) as usize;
        for (text, errors) in findings.errors.into_iter().take(shown) {
            self.messages.error(&text);
            self.errors.extend(errors);
        }
        self.summary.merge(&findings.summary);
        self.violations += findings.violations;
        self.messages.checked(self.summary.sessions);
        let gate = &self.checker.parts.gate;
        let is_violation = |key: &_, verdict: &str| gate.is_violation(verdict, Some(*key));
        self.groups.merge(findings.groups, is_violation);
        self.reports.lines(&findings.lines)
    }

    fn finish(self) -> Outcome<Exit> {
        let checker = self.checker;
        let tolerated = checker.parts.gate.tolerates(self.violations, &self.summary);
        let (groups, rest) = self.groups.finish();
        let groups = checker.parts.gate.judge(groups, tolerated);
        // What is not among the groups may be among the rest, or in input that was not read.
        let all = rest.sessions == 0 && !self.summary.stopped;
        let report = RunReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            specification: checker.parts.monitor.bundle().provenance.spec_name.clone(),
            observation: checker.parts.config.observation.name(),
            summary: self.summary,
            absent: if all { checker.parts.gate.absent(&groups) } else { Vec::new() },
            groups,
            rest,
            errors: self.errors,
            has_baseline: checker.parts.gate.baseline.is_some(),
            explain: explain_command(self.args, checker.parts.assembler.is_some()),
        };
        self.reports.finish(&report)?;
        if let Some(mut output) = self.baseline {
            output.write(gate::baseline(&report.groups).print().as_bytes())?;
            output.finish()?;
        }
        checker.say_what_is_left(&report, &self.messages);
        Ok(exit(&report, self.violations, tolerated, &self.messages))
    }
}

impl Checker<'_> {
    /// What reports of sessions do not show.
    fn say_what_is_left(&self, report: &RunReport, messages: &Messages) {
        let summary = &report.summary;
        if summary.errors > SHOWN_ERRORS {
            let more = summary.errors - SHOWN_ERRORS;
            messages.error(&format!("error: {more} more inputs could not be checked"));
        }
        if self.parts.assembler.is_none() && summary.errors > 0 && summary.sessions == 0 {
            messages.note(
                "event logs, with one event a line, take --events MAP.toml; `multitrace map --init \
                 FILE` proposes a mapping",
            );
        }
        if let Some(input) = &summary.input
            && input.unmatched > 0
        {
            let count = counted(input.unmatched, "record");
            messages.note(&format!(
                "no rule of the mapping matched {count}; `multitrace map --explain` shows them"
            ));
        }
        if !summary.stopped
            && let Some(only) = &self.parts.selection.only
            && let missing = only.missing()
            && let [first, ..] = *missing
        {
            let count = counted(missing.len() as u64, "session");
            let id = shorten(first, 100);
            messages.note(&format!("{count} of --only-sessions did not occur, first {id:?}"));
        }
        for (key, known) in report.absent.iter().take(SHOWN_ERRORS as usize) {
            let text = format!("of the baseline, {key} did not occur: {}", visible(&known.title));
            messages.note(&text);
        }
        if report.rest.sessions > 0 && report.has_baseline {
            messages.note("there are more kinds of failures than a baseline can hold");
        }
    }
}

/// How the run ends: errors win over violations.
fn exit(report: &RunReport, violations: u64, tolerated: bool, messages: &Messages) -> Exit {
    let summary = &report.summary;
    let known = |it: &&ReportedGroup| it.standing == Standing::Known;
    let known: u64 = report.groups.iter().filter(known).map(|it| it.group.count).sum();
    if known > 0 {
        let count = counted(known, "session");
        messages.note(&format!("{count} failed for causes that are in the baseline"));
    }
    if summary.stopped {
        let count = counted(violations, "violation");
        messages.note(&format!("stopped after {count}; later input was not checked"));
    }
    if summary.errors > 0 {
        Exit::Error
    } else if summary.sessions == 0 {
        let events = summary.input.map_or(0, |input| input.not_selected);
        messages.error(&match summary.not_selected {
            0 if events > 0 => {
                format!(
                    "error: nothing was checked: no session of {} was selected",
                    counted(events, "event")
                )
            }
            0 => "error: nothing was checked: the inputs hold no session".to_owned(),
            other => format!(
                "error: nothing was checked: none of {} was selected",
                counted(other, "session")
            ),
        });
        Exit::NothingChecked
    } else if !tolerated {
        Exit::Violations
    } else {
        if violations > 0 {
            let count = counted(violations, "violation");
            let of = counted(summary.sessions, "session");
            messages.note(&format!("{count} in {of}, within --max-failures"));
        }
        Exit::Clean
    }
}

/// Inputs that take more characters than this are not listed in every command.
const LONGEST_INPUTS: usize = 1000;

/// How to explain one of the sessions; standard input cannot be read again. The events of a session
/// may be spread over all event logs.
fn explain_command(args: &CheckArgs, are_events: bool) -> Option<ExplainCommand> {
    let Operands { spec, inputs } = &args.operands;
    if inputs.iter().any(|input| input.as_os_str() == "-") {
        return None;
    }
    let CheckingArgs { observe, options, .. } = &args.checking;
    let observe = observe.and_then(|observe| observe.to_possible_value());
    let observe = observe.map(|value| format!(" --observe {}", value.get_name()));
    let events = args.events.events.as_ref();
    let events = events.map(|path| format!(" --events {}", quoted(&path.display().to_string())));
    let locations =
        options.locations.as_ref().map(|groups| format!(" --locations {}", quoted(groups)));
    let named: Vec<String> =
        inputs.iter().map(|path| quoted(&path.display().to_string())).collect();
    let named = named.join(" ");
    Some(ExplainCommand {
        spec: spec.as_ref()?.display().to_string(),
        inputs: (are_events && named.len() <= LONGEST_INPUTS).then_some(named),
        options: observe.into_iter().chain(events).chain(locations).collect(),
    })
}
