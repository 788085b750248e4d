//! The command line as clap sees it.

mod check;
mod compare;
mod compile;
mod coverage;
mod diff;
mod draw;
mod events;
mod explain;
mod explore;
mod gate;
mod generate;
mod input;
mod learn;
mod local;
mod merge;
mod named;
mod notations;
mod other;
mod paper;
mod reading;
mod search;
mod sessions;

pub(crate) use coverage::CoverageArgs;
pub(crate) use diff::{DiffArgs, DiffFailOn, DiffFormat};
pub(crate) use gate::{
    ColorChoice, ConfigArgs, DemandArgs, GateArgs, MaxFailures, OutputArgs, OutputChoice,
    SelectionArgs, ToleranceArgs,
};

pub(crate) use check::{CheckArgs, CheckingArgs};
pub(crate) use compare::{CompareArgs, CompareFormat};
pub(crate) use compile::{
    CompileArgs, CompileOptionArgs, ReportFormat, ShownWarnings, WarningArgs,
};
pub(crate) use draw::{DrawArgs, DrawFormat, DrawWhat};
pub(crate) use events::{EventArgs, MapArgs, RecordFormat, grouping_memory};
pub(crate) use explain::{ExplainArgs, ExplainFormat};
pub(crate) use explore::{ExploreArgs, ExploreFormat};
pub(crate) use generate::{GenerateArgs, GenerateFormat};
pub(crate) use input::{InputArgs, InputFormat, Operands};
pub(crate) use learn::{ApplyChoice, LearnArgs};
pub(crate) use local::{CombineArgs, LocalArgs};
pub(crate) use merge::MergeArgs;
pub(crate) use named::GenerateKind;
pub(crate) use notations::{ConvertArgs, FmtArgs, ReadArgs};
pub(crate) use other::{CompletionsArgs, ExportFormat, InspectArgs, ManArgs};
pub(crate) use paper::Paper;
pub(crate) use reading::ReadingArgs;
pub(crate) use search::BudgetArgs;
pub(crate) use sessions::SessionsArgs;

use clap::{Args, Parser, Subcommand};

/// Does this log conform to that sequence diagram?
#[derive(Debug, Parser)]
#[command(name = "multitrace", version, about, long_about = None, max_term_width = 100)]
#[command(after_help = "\
Examples:
  multitrace compile examples/mqtt/mqtt.hif            write examples/mqtt/mqtt.mtb
  multitrace check mqtt.mtb sessions.jsonl             check one session a line
  multitrace check mqtt.hif logs/ --observe prefix     compile and check in one go
  multitrace merge 1.part 2.part                       one report of two partial ones
  multitrace local shop.mtb shop.jsonl -o shop.part    judge the logs of one location where they are
  multitrace combine all.mtb *.part --ask requests     one report of the parts of all locations
  multitrace explain mqtt.mtb sessions.jsonl --session s1    one session in full
  multitrace inspect mqtt.mtb                          show the content of a bundle
  multitrace map --init events.jsonl                   propose a mapping for an event log
  multitrace sessions events.jsonl --events map.toml   write the sessions that a check would judge, one a line
  multitrace generate mqtt.hif --kind noise -n 100     sessions to test with
  multitrace explore mqtt.hif                          follow its executions step by step
  multitrace learn sessions.jsonl -o SPEC.md           learn a diagram from sessions
  multitrace diff old.hif new.hif                      do two specifications accept the same?

Every option --some-option can also be set by a variable MULTITRACE_SOME_OPTION of the environment.
Options of the command line win over variables, and variables over multitrace.toml.

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked,
128 + signal when interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

/// The arguments of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "All commands")]
pub(crate) struct GlobalArgs {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE decide for auto, else whether it is a terminal
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Only errors and remarks on the input on standard error, no progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Where options come from that were not given on the command line, for the reports.
    #[arg(skip)]
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compile(CompileArgs),
    Check(Box<CheckArgs>),
    Merge(Box<MergeArgs>),
    Local(Box<LocalArgs>),
    Combine(Box<CombineArgs>),
    Explain(Box<ExplainArgs>),
    Diff(DiffArgs),
    Generate(GenerateArgs),
    Inspect(InspectArgs),
    Read(ReadArgs),
    Convert(ConvertArgs),
    Fmt(FmtArgs),
    Draw(DrawArgs),
    Explore(Box<ExploreArgs>),
    Map(MapArgs),
    Sessions(SessionsArgs),
    Learn(LearnArgs),
    Compare(CompareArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
