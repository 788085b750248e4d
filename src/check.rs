//! `multitrace check`: sessions in, verdicts out, in input order.

use crate::args::{
    CheckArgs, EngineArg, FailOn, MethodArg, OutputFormat, ProcedureChoice, ReductionArg,
};
use crate::failure::{Failure, Outcome};
use crate::human::HumanReport;
use crate::inputs::{Inputs, Item};
use crate::output::{Output, note};
use crate::{Exit, load};
use multitrace_formats::bundle::{Bundle, Central};
use multitrace_formats::report::{
    Engine, ErrorReport, SessionReport, Summary, broken_line, error_line, session_line,
    summary_line,
};
use multitrace_formats::sessions::{parse_htf_session, parse_line};
use multitrace_formats::source::{Source, SourceError};
use multitrace_interaction::{Session, Verdict};
use multitrace_runtime::{
    Budget, CheckConfig, Checked, EngineChoice, Method, Monitor, Panicked, Procedure, Reductions,
    Scratch, check_all,
};
use std::time::Instant;

/// Errors of inputs that are shown in full on standard error; more are counted.
const SHOWN_ERRORS: u64 = 20;

pub(crate) fn run(args: &CheckArgs) -> Outcome<Exit> {
    let begin = Instant::now();
    let bundle = load::bundle_or_spec(&args.spec, &args.options)?;
    let inputs = Inputs::new(&args.inputs)?;
    let config = config(args, &bundle)?;
    let monitor = Monitor::new(bundle);
    let engine = engine(&monitor, config.engine)?;
    if engine == Engine::Nfa && args.terms.any() {
        return Err(Failure::new(
            "--method, --reductions and --look-ahead are for terms; add --engine term".to_owned(),
        ));
    }
    let mut run = Run {
        args,
        config,
        engine,
        monitor,
        output: Output::open(args.output_file.as_deref())?,
        human: HumanReport::default(),
        summary: Summary::default(),
        violations: 0,
    };
    pool(args)?.install(|| run.check(inputs))?;
    run.summary.terms_replaced = run.monitor.cleared();
    run.summary.seconds = begin.elapsed().as_secs_f64();
    run.finish()
}

fn config(args: &CheckArgs, bundle: &Bundle) -> Outcome<CheckConfig> {
    Ok(CheckConfig {
        observation: args.observe.map_or(bundle.observation, load::observation),
        engine: match args.engine {
            EngineArg::Auto => EngineChoice::Auto,
            EngineArg::Nfa => EngineChoice::Nfa,
            EngineArg::Term => EngineChoice::Term,
        },
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
        budget: Budget {
            states: args.budget.budget_states,
            bytes: args.budget.budget_memory.as_u64(),
            time: args.budget.budget_time.map(Into::into),
        },
        witness: args.witness,
        ..CheckConfig::default()
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

fn engine(monitor: &Monitor, choice: EngineChoice) -> Outcome<Engine> {
    monitor.engine(choice).ok_or_else(|| {
        Failure::new(match &monitor.bundle().central {
            Central::Unsupported(unsupported) => format!("there is no automaton: {unsupported}"),
            Central::Automaton(_) => {
                "an automaton that was given directly has no terms; use --engine nfa".to_owned()
            }
        })
    })
}

fn pool(args: &CheckArgs) -> Outcome<rayon::ThreadPool> {
    let threads = args.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("cannot start the worker threads: {error}")))
}

/// What a worker makes of one item.
enum Processed {
    /// A session and its verdict; the line for machine-readable output is made by the worker.
    Session { session: Session, checked: Checked, line: Option<String> },
    /// An input error: as objects, and as text with the place shown.
    Error { reports: Vec<ErrorReport>, text: String },
}

struct Run<'a> {
    args: &'a CheckArgs,
    config: CheckConfig,
    engine: Engine,
    monitor: Monitor,
    output: Output,
    human: HumanReport,
    summary: Summary,
    violations: u64,
}

impl Run<'_> {
    fn check(&mut self, mut inputs: Inputs) -> Outcome<()> {
        loop {
            let batch = inputs.next_batch();
            if batch.is_empty() {
                return Ok(());
            }
            let results = check_all(&batch, |item, scratch| self.process(item, scratch));
            for (item, result) in batch.iter().zip(results) {
                self.report(item, result)?;
                if self.args.max_failures.is_some_and(|most| self.violations >= most) {
                    self.summary.stopped = true;
                    return Ok(());
                }
            }
        }
    }

    fn process(&self, item: &Item, scratch: &mut Scratch) -> Processed {
        let session = match item {
            Item::Line { file, line } => {
                parse_line(file, line.number, &line.text, self.monitor.alphabet())
            }
            Item::Htf(path) => match std::fs::read(path) {
                Ok(bytes) => self.read_htf(path.display().to_string(), bytes),
                Err(error) => return unreadable(path.display().to_string(), &error),
            },
            Item::Broken(error) => Err(error.clone()),
            Item::Unreadable { file, error } => return unreadable(file.clone(), error),
        };
        match session {
            Ok(session) => self.verdict(session, scratch),
            Err(error) => Processed::Error { reports: reports(&error), text: error.to_string() },
        }
    }

    fn read_htf(&self, name: String, bytes: Vec<u8>) -> Result<Session, SourceError> {
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            // The replacement character is no part of the format, so its place is reported.
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        parse_htf_session(&Source::new(name, text), self.monitor.alphabet())
    }

    fn verdict(&self, session: Session, scratch: &mut Scratch) -> Processed {
        let checked = self.monitor.check(&session, &self.config, scratch);
        let json = self.args.output_format == OutputFormat::JsonLines;
        let line = json.then(|| {
            let report = SessionReport {
                session: &session.id,
                verdict: &checked.verdict,
                witness: checked.witness.as_ref(),
                engine: self.engine,
            };
            session_line(&report, self.monitor.alphabet())
        });
        Processed::Session { session, checked, line }
    }

    fn report(&mut self, item: &Item, result: Result<Processed, Panicked>) -> Outcome<()> {
        match result {
            Ok(Processed::Session { session, checked, line }) => {
                self.summary.add(&checked.verdict, session.event_count());
                self.violations += u64::from(self.is_violation(&checked.verdict));
                match line {
                    Some(line) => self.write_line(&line),
                    None => {
                        self.human.add(&session, &checked.verdict, &self.monitor);
                        Ok(())
                    }
                }
            }
            Ok(Processed::Error { reports, text }) => {
                self.count_error(&text);
                reports.iter().try_for_each(|report| self.write_json(&error_line(report)))
            }
            Err(panicked) => {
                let place = place(item);
                self.count_error(&format!("error: {place}: {panicked}; please report this"));
                self.write_json(&broken_line(&place, &panicked.to_string()))
            }
        }
    }

    fn is_violation(&self, verdict: &Verdict) -> bool {
        let named = |choice| self.args.fail_on.contains(&choice);
        match verdict {
            Verdict::Pass => false,
            Verdict::WeakPass => named(FailOn::WeakPass),
            Verdict::Fail(_) => named(FailOn::Fail),
            Verdict::Inconclusive(_) => named(FailOn::Inconclusive),
        }
    }

    fn count_error(&mut self, text: &str) {
        self.summary.errors += 1;
        if self.summary.errors <= SHOWN_ERRORS {
            note(text);
        }
    }

    fn write_json(&mut self, line: &str) -> Outcome<()> {
        match self.args.output_format {
            OutputFormat::JsonLines => self.write_line(line),
            OutputFormat::Human => Ok(()),
        }
    }

    fn write_line(&mut self, line: &str) -> Outcome<()> {
        self.output.write(line.as_bytes())?;
        self.output.write(b"\n")
    }

    fn finish(mut self) -> Outcome<Exit> {
        match self.args.output_format {
            OutputFormat::JsonLines => self.write_line(&summary_line(&self.summary))?,
            OutputFormat::Human => {
                let text = self.human.render(&self.summary, &self.monitor, &self.config);
                self.output.write(text.as_bytes())?;
            }
        }
        self.output.finish()?;
        let Summary { errors, sessions, stopped, .. } = self.summary;
        if errors > SHOWN_ERRORS {
            note(&format!("error: {} more inputs could not be checked", errors - SHOWN_ERRORS));
        }
        if stopped {
            note(&format!(
                "note: stopped after {} violations; later input was not checked",
                self.violations
            ));
        }
        Ok(if errors > 0 {
            Exit::Error
        } else if sessions == 0 {
            note("error: nothing was checked: the inputs hold no session");
            Exit::NothingChecked
        } else if self.violations > 0 {
            Exit::Violations
        } else {
            Exit::Clean
        })
    }
}

fn unreadable(file: String, error: &std::io::Error) -> Processed {
    let text = format!("error: {file}: {error}");
    let report = ErrorReport { file, line: None, column: None, message: error.to_string() };
    Processed::Error { reports: vec![report], text }
}

fn reports(error: &SourceError) -> Vec<ErrorReport> {
    let source = error.file();
    let report = |diagnostic: &multitrace_formats::source::Diagnostic| {
        let position = source.position(diagnostic.span.start);
        ErrorReport {
            file: source.name().to_owned(),
            line: Some(position.line),
            column: Some(position.column),
            message: diagnostic.message.clone(),
        }
    };
    error.diagnostics().iter().map(report).collect()
}

fn place(item: &Item) -> String {
    match item {
        Item::Line { file, line } => format!("{file}:{}", line.number),
        Item::Htf(path) => path.display().to_string(),
        Item::Broken(error) => error.file().name().to_owned(),
        Item::Unreadable { file, .. } => file.clone(),
    }
}
