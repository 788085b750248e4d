//! From arguments to the options of the library.

use crate::args::{
    CheckingArgs, CompileOptionArgs, EngineArg, EventArgs, MethodArg, Observe, Operands,
    ProcedureChoice, ReductionArg, ReductionChoice,
};
use crate::failure::{CommandResult, Failure};
use multitrace::runtime::{Budget, Comparison, EngineChoice, Method, Procedure, Reductions};
use multitrace::{
    CheckConfig, CompileOptions, Engine, Inputs, Mapping, Monitor, Observation, Reduction,
    read_signature, read_text,
};
use std::path::{Path, PathBuf};

/// What is checked, and against what.
pub(crate) fn operands(operands: &Operands) -> CommandResult<(&Path, &[PathBuf])> {
    let Some(spec) = &operands.spec else {
        return Err(Failure::new(
            "no specification: name a bundle or a specification, or set `spec` in multitrace.toml",
        ));
    };
    if operands.inputs.is_empty() {
        return Err(Failure::new(
            "no input: name files or folders of sessions, or - for standard input",
        ));
    }
    Ok((spec, &operands.inputs))
}

pub(crate) fn observation(choice: Observe) -> Observation {
    match choice {
        Observe::Complete => Observation::Complete,
        Observe::Missing => Observation::Missing,
        Observe::Prefix => Observation::Prefix,
        Observe::Slice => Observation::Slice,
        Observe::GlobalPrefix => Observation::GlobalPrefix,
    }
}

/// How to compile.
pub(crate) fn compile(args: &CompileOptionArgs, observe: Observe) -> CommandResult<CompileOptions> {
    let reduction = |choice: &ReductionChoice| match choice {
        ReductionChoice::Linearize => Reduction::Linearize,
        ReductionChoice::PersistentTerms => Reduction::PersistentTerms,
        ReductionChoice::Merge => Reduction::Merge,
        ReductionChoice::PersistentStates => Reduction::PersistentStates,
    };
    Ok(CompileOptions {
        locations: args.locations.clone(),
        signature: args.signature.as_deref().map(read_signature).transpose()?,
        observation: observation(observe),
        limit_states: args.limit_states,
        limit_local_states: args.limit_local_states,
        without: args.without.iter().map(reduction).collect(),
    })
}

/// The bundle in a file, or its specification, compiled.
pub(crate) fn monitor(path: &Path, args: &CompileOptionArgs) -> CommandResult<Monitor> {
    let options = args.any().then(|| compile(args, Observe::Complete)).transpose()?;
    Ok(Monitor::open(path, options.as_ref())?)
}

/// How to check, and the engine that does.
pub(crate) fn check(
    args: &CheckingArgs,
    witness: bool,
    monitor: &Monitor,
) -> CommandResult<(CheckConfig, Engine)> {
    let config = CheckConfig { witness, ..config(args, monitor)? };
    let engine = monitor.engine(&config)?;
    if engine == Engine::Nfa && args.terms.any() {
        return Err(Failure::new(
            "--method, --reductions and --look-ahead are for terms; add --engine term",
        ));
    }
    Ok((config, engine))
}

fn config(args: &CheckingArgs, monitor: &Monitor) -> CommandResult<CheckConfig> {
    Ok(CheckConfig {
        observation: args.observe.map_or(monitor.config().observation, observation),
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

/// What only comparisons with the papers need.
fn comparison(args: &CheckingArgs) -> CommandResult<Comparison> {
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

fn reductions(named: &[ReductionArg]) -> CommandResult<Reductions> {
    let partial_order = named.contains(&ReductionArg::Por);
    let local_analyses = named.contains(&ReductionArg::Loc);
    if named.contains(&ReductionArg::None) && (partial_order || local_analyses) {
        return Err(Failure::new("--reductions none excludes the others; leave it out"));
    }
    Ok(Reductions { partial_order, local_analyses })
}

/// The inputs: event logs if there is a mapping, else sessions.
pub(crate) fn inputs(
    args: &EventArgs,
    monitor: &Monitor,
    paths: &[PathBuf],
) -> CommandResult<Inputs> {
    Ok(match &args.events {
        _ if args.no_events => Inputs::files(paths)?,
        Some(path) => Inputs::event_logs(paths, read_mapping(path)?)?,
        None => monitor.inputs(paths)?,
    })
}

/// The mapping in a file.
pub(crate) fn read_mapping(path: &Path) -> CommandResult<Mapping> {
    Mapping::parse(&read_text(path)?).map_err(Failure::source)
}
