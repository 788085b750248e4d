//! The arguments of `check`, and the options for checking sessions.

use super::named::{engines, observations, orders};
use super::{
    BudgetArgs, CompileOptionArgs, ConfigArgs, CoverageArgs, EventArgs, GateArgs, InputArgs,
    Operands, OutputArgs, SelectionArgs, WarningArgs,
};
use clap::Args;
use multitrace::{MOST_THREADS, Observation};
use multitrace_reports::groups::GroupOrder;
use multitrace_runtime::EngineChoice;

/// Check sessions against a bundle or a specification
#[derive(Debug, Args)]
#[command(after_help = "\
Inputs are .htf files (one session each, called like the file), .jsonl files (one session a line),
plain or compressed (gzip, zstd), folders of such files, patterns in quotes, pipes, or - for standard
input. A session of JSON Lines:
  {\"session\":\"s1\",\"traces\":{\"client\":[\"client!hello\"],\"server\":[\"server?hello\"]}}

Examples:
  multitrace check mqtt.mtb sessions.jsonl
  multitrace check mqtt.hif logs/ --observe prefix --output-format json-lines
  kubectl logs gate | multitrace check mqtt.mtb - --stdin-filename gate.jsonl
  multitrace check mqtt.mtb logs/ --output-format human --output-format junit --output-file out.xml
  multitrace check mqtt.mtb logs/ --baseline known.json --max-failures 0.1%

Defaults for all of these can stand in a file multitrace.toml, here or in a folder above.

Every option --some-option can also be set by a variable MULTITRACE_SOME_OPTION of the environment.
Options of the command line win over variables, and variables over multitrace.toml.

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked,
128 + signal when interrupted.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) operands: Operands,
    /// Threads, at most 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub(crate) jobs: Option<u16>,
    #[command(flatten)]
    pub(crate) warnings: WarningArgs,
    /// Give the accepted global trace behind every pass (json-lines)
    #[arg(long)]
    pub(crate) witness: bool,
    /// Say for every failing session which events to insert and delete so that it is accepted; without,
    /// only for the example of each group
    #[arg(long)]
    pub(crate) repair: bool,
    /// Measure the time and the search of each session: medians and extremes for people, histograms in the
    /// page, a number for each session in json-lines
    #[arg(long)]
    pub(crate) stats: bool,
    /// Which groups of findings come first, among those of one level
    #[arg(long, value_parser = orders(), default_value = "gravest", value_name = "ORDER")]
    pub(crate) order_groups: GroupOrder,
    #[command(flatten)]
    pub(crate) checking: CheckingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    /// For event logs: the events of each session are contiguous, so sessions are checked while reading
    #[arg(long, help_heading = "Event logs")]
    pub(crate) grouped: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) coverage: Box<CoverageArgs>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The options that `explain` needs to decide alike, with a blank before each.
    #[arg(skip)]
    pub(crate) explain_options: String,
}

/// How sessions are decided.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckingArgs {
    /// The observation mode: which parts of logs may be missing [default: as the bundle says, else complete]
    #[arg(long, value_parser = observations())]
    pub(crate) observe: Option<Observation>,
    /// Which engine decides
    #[arg(long, value_parser = engines(), default_value = "auto")]
    pub(crate) engine: EngineChoice,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
}
