//! The command line as clap sees it.

use clap::{Args, Parser, Subcommand, ValueEnum};
use multitrace_runtime::{ActionLimit, Criterion, LoopLimit};
use std::path::PathBuf;

/// Does this log conform to that sequence diagram?
#[derive(Debug, Parser)]
#[command(name = "multitrace", version, about, long_about = None, max_term_width = 100)]
#[command(after_help = "\
Examples:
  multitrace compile examples/mqtt/mqtt.hif            write examples/mqtt/mqtt.mtb
  multitrace check mqtt.mtb sessions.jsonl             check one session a line
  multitrace check mqtt.hif logs/ --observe prefix     compile and check in one go
  multitrace inspect mqtt.mtb                          what is in a bundle

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compile(CompileArgs),
    Check(CheckArgs),
    Inspect(InspectArgs),
    Completions(CompletionsArgs),
}

/// Compile a specification into a verifier bundle
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace compile mqtt.hif
  multitrace compile shop.hif --locations \"api,cache;db\" -o shop.mtb
  multitrace compile protocol.timbuk --locations \"left=a0,a1;right=a2\" --report json")]
pub(crate) struct CompileArgs {
    /// The specification: an interaction (.hif) or an automaton (.timbuk)
    pub(crate) spec: PathBuf,
    /// Where to write the bundle [default: SPEC with the extension .mtb]
    #[arg(short, long, value_name = "OUT.mtb")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: CompileOptions,
    /// The observation mode the bundle is checked in unless `check` asks for another
    #[arg(long, value_enum, default_value = "complete")]
    pub(crate) observe: Observe,
    /// How to print what compiling did
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) report: ReportFormat,
}

/// What shapes a bundle, also when `check` is given a specification.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct CompileOptions {
    /// Which lifelines share a clock: "a,b;c" [default: each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// A signature (.hsf): names it does not declare are errors [default: read off the spec]
    #[arg(long, value_name = "FILE.hsf")]
    pub(crate) signature: Option<PathBuf>,
    /// The most states of the global automaton [default: 100000]
    #[arg(long, value_name = "N")]
    pub(crate) limit_states: Option<usize>,
    /// The most states of one local table [default: 20000]
    #[arg(long, value_name = "N")]
    pub(crate) limit_local_states: Option<usize>,
    /// Leave out reductions, for comparison; verdicts stay the same
    #[arg(long, value_enum, value_delimiter = ',', value_name = "REDUCTIONS")]
    pub(crate) without: Vec<Reduction>,
}

impl CompileOptions {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.locations.is_some()
            || self.signature.is_some()
            || self.limit_states.is_some()
            || self.limit_local_states.is_some()
            || !self.without.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduction {
    /// Weak order made strict where no location can tell
    Linearize,
    /// Persistent locations while synthesising
    PersistentTerms,
    /// Merging states with equal futures or pasts
    Merge,
    /// Persistent locations of the automaton
    PersistentStates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Observe {
    /// Everything was observed
    Complete,
    /// Each location may have stopped early, or never begun
    Prefix,
    /// Each location may have begun late and stopped early
    Slice,
    /// All locations stopped at one moment
    GlobalPrefix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For reading
    Human,
    /// One JSON object
    Json,
}

/// Check sessions against a bundle or a specification
#[derive(Debug, Args)]
#[command(after_help = "\
Inputs are .htf files (one session each, called like the file), .jsonl files (one session a line),
folders of such files, or - for session JSON Lines on standard input:
  {\"session\":\"s1\",\"traces\":{\"client\":[\"client!hello\"],\"server\":[\"server?hello\"]}}

Examples:
  multitrace check mqtt.mtb sessions.jsonl
  multitrace check mqtt.hif logs/ --observe prefix --output-format json-lines
  zcat sessions.jsonl.gz | multitrace check mqtt.mtb - --fail-on fail

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked.")]
pub(crate) struct CheckArgs {
    /// A bundle (.mtb), or a specification (.hif, .timbuk) to compile in memory
    pub(crate) spec: PathBuf,
    /// Sessions: .htf and .jsonl files, folders of them, or - for standard input
    #[arg(required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// What the logs contain [default: as the bundle says, else complete]
    #[arg(long, value_enum)]
    pub(crate) observe: Option<Observe>,
    /// How to print the verdicts
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: OutputFormat,
    /// Where to write them [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Give the accepted global trace behind every pass (json-lines)
    #[arg(long)]
    pub(crate) witness: bool,
    /// Which engine decides
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) engine: EngineArg,
    /// Which procedure decides on the automaton; centralized is for comparison, verdicts stay the same
    #[arg(long, value_enum, default_value = "semi-centralized")]
    pub(crate) procedure: ProcedureChoice,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) terms: TermArgs,
    /// Which verdicts are violations
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICTS",
          default_values = ["fail", "inconclusive"])]
    pub(crate) fail_on: Vec<FailOn>,
    /// Stop after this many violations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_failures: Option<u64>,
    #[command(flatten)]
    pub(crate) options: CompileOptions,
}

/// What one session may cost; one that needs more is inconclusive.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Budget of a session")]
pub(crate) struct BudgetArgs {
    /// The most states one search may visit
    #[arg(long, value_name = "N", default_value_t = 4_000_000,
          value_parser = clap::value_parser!(u64).range(1..=1 << 31))]
    pub(crate) budget_states: u64,
    /// The most memory one search may use, roughly: 512MiB, 2GB
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) budget_memory: bytesize::ByteSize,
    /// The most time for a session: 500ms, 10s; verdicts then depend on the machine [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget_time: Option<humantime::Duration>,
}

/// How terms decide; for comparison with the papers, exact verdicts stay the same.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Terms, for comparison")]
pub(crate) struct TermArgs {
    /// How prefixes and slices are decided on terms
    #[arg(long, value_enum, default_value = "exact")]
    pub(crate) method: MethodArg,
    /// Check the interaction as it was written with these reductions alone, none or several of
    /// por,loc (paper 003) [default: our own]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "REDUCTIONS")]
    pub(crate) reductions: Option<Vec<ReductionArg>>,
    /// How many events of each log look-ahead on terms reads [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) look_ahead: Option<u32>,
    /// When --method simulation stops: loops=depth|count|N, actions=outside|N, multiply, reset,
    /// before (paper 000 sec. 7.3)
    #[arg(long, value_name = "CRITERION", default_value = "loops=depth,actions=outside,reset,before",
          value_parser = criterion)]
    pub(crate) simulation: Criterion,
}

impl TermArgs {
    /// Whether any of them was asked for.
    pub(crate) fn any(&self) -> bool {
        self.method != MethodArg::Exact || self.reductions.is_some() || self.look_ahead.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Lifeline removal refutes, simulation confirms, as far as the budget goes
    Exact,
    /// Lifeline removal alone (papers 002, 003); prefixes only
    Removal,
    /// Simulation alone, as far as a criterion goes (paper 000)
    Simulation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReductionArg {
    /// None of them
    None,
    /// Partial order reduction by one-unambiguous actions
    Por,
    /// Local analyses
    Loc,
}

/// Reads `loops=depth,actions=outside,reset,before`. Flags that are not named are off.
fn criterion(text: &str) -> Result<Criterion, String> {
    let mut read = Criterion { reset: false, before: false, ..Criterion::default() };
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("loops", "depth")) => read.loops = LoopLimit::Depth,
            Some(("loops", "count")) => read.loops = LoopLimit::Count,
            Some(("loops", most)) => read.loops = LoopLimit::AtMost(number("loops", most)?),
            Some(("actions", "outside")) => read.actions = ActionLimit::Outside,
            Some(("actions", most)) => {
                read.actions = ActionLimit::AtMost(number("actions", most)?);
            }
            None if part == "multiply" => read.multiply = true,
            None if part == "reset" => read.reset = true,
            None if part == "before" => read.before = true,
            _ => {
                return Err(format!(
                    "{part:?} is none of loops=depth|count|N, actions=outside|N, multiply, reset, \
                     before"
                ));
            }
        }
    }
    Ok(read)
}

fn number(name: &str, text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("{name}={text:?} is no number"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// A summary, then the failures by cause with an example each
    Human,
    /// One JSON object a session, in input order, then a summary object
    JsonLines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The automaton where there is one, else terms
    Auto,
    /// The compiled automaton; without one, an error
    Nfa,
    /// Terms, rewritten on demand; for what has no automaton, and for comparison
    Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProcedureChoice {
    /// Local checks, then a search with look-ahead
    SemiCentralized,
    /// A plain search (paper algorithm 1)
    Centralized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    #[value(name = "fail")]
    Fail,
    #[value(name = "inconclusive")]
    Inconclusive,
    #[value(name = "weak_pass")]
    WeakPass,
}

/// Show what is in a bundle
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The bundle (.mtb)
    pub(crate) bundle: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  multitrace completions bash > ~/.local/share/bash-completion/completions/multitrace"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
