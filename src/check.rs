//! `multitrace check`: sessions in, verdicts out, in input order.

use crate::args::{CheckArgs, EngineArg, MethodArg, OutputFormat, ProcedureChoice, ReductionArg};
use crate::failure::{Failure, Outcome};
use crate::human::HumanReport;
use crate::inputs::{Input, Inputs};
use crate::output::{Output, note};
use crate::worker::{Checker, Findings, Memory, SHOWN_ERRORS};
use crate::{Exit, load};
use multitrace_formats::bundle::{Bundle, Central};
use multitrace_formats::report::{Engine, Summary, summary_line};
use multitrace_runtime::{
    Budget, CheckConfig, EngineChoice, Method, Monitor, Procedure, Reductions, Workers,
};
use std::time::Instant;

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
    let pool = pool(args)?;
    let mut run = Run {
        args,
        checker: Checker::new(args, config, engine, monitor),
        workers: Workers::new(pool.current_num_threads(), Memory::default),
        output: Output::open(args.output_file.as_deref())?,
        human: HumanReport::default(),
        summary: Summary::default(),
        violations: 0,
    };
    pool.install(|| run.check(inputs))?;
    run.summary.terms_replaced = run.checker.monitor.cleared();
    run.summary.peak_bytes = peak_bytes();
    run.summary.seconds = begin.elapsed().as_secs_f64();
    run.finish()
}

/// The most memory this process has held at once; Linux says.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
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

struct Run<'a> {
    args: &'a CheckArgs,
    checker: Checker<'a>,
    workers: Workers<Memory>,
    output: Output,
    human: HumanReport,
    summary: Summary,
    violations: u64,
}

impl Run<'_> {
    /// Checks batch after batch; while one is checked the next one is read.
    fn check(&mut self, mut inputs: Inputs) -> Outcome<()> {
        let threads = rayon::current_num_threads();
        let mut batch = inputs.next_batch(threads);
        while !batch.is_empty() && !self.summary.stopped {
            let most = self.most_violations();
            let check =
                |input: &Input, memory: &mut Memory| self.checker.check(input, memory, most);
            let (found, next) =
                rayon::join(|| self.workers.map(&batch, check), || inputs.next_batch(threads));
            for (input, findings) in batch.iter().zip(found) {
                self.report(input, findings, most)?;
                if self.summary.stopped {
                    break;
                }
            }
            batch = next;
        }
        Ok(())
    }

    /// How many more violations end the run.
    fn most_violations(&self) -> u64 {
        self.args.max_failures.map_or(u64::MAX, |most| most - self.violations)
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
        findings.errors.iter().take(shown).for_each(|text| note(text));
        self.summary.merge(&findings.summary);
        self.violations += findings.violations;
        for (session, verdict) in &findings.failures {
            self.human.add(session, verdict, &self.checker.monitor);
        }
        self.output.write(&findings.lines)
    }

    fn finish(mut self) -> Outcome<Exit> {
        let text = match self.args.output_format {
            OutputFormat::JsonLines => summary_line(&self.summary) + "\n",
            OutputFormat::Human => {
                self.human.render(&self.summary, &self.checker.monitor, &self.checker.config)
            }
        };
        self.output.write(text.as_bytes())?;
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
