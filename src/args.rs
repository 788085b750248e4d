//! The command line as clap sees it.

mod coverage;
mod diff;
mod gate;
mod input;

pub(crate) use coverage::CoverageArgs;
pub(crate) use diff::{DiffArgs, DiffFailOn};
pub(crate) use gate::{
    ColorChoice, ConfigArgs, GateArgs, MaxFailures, OutputArgs, OutputChoice, SelectionArgs,
};

pub(crate) use input::{InputArgs, InputFormat, Operands};

use clap::{Args, Parser, Subcommand, ValueEnum};
use multitrace::reports::groups::GroupOrder;
use multitrace::runtime::{ActionLimit, Criterion, LoopLimit};
use multitrace::{DiagramOptions, MessageNames};
use std::path::PathBuf;

/// Does this log conform to that sequence diagram?
#[derive(Debug, Parser)]
#[command(name = "multitrace", version, about, long_about = None, max_term_width = 100)]
#[command(after_help = "\
Examples:
  multitrace compile examples/mqtt/mqtt.hif            write examples/mqtt/mqtt.mtb
  multitrace check mqtt.mtb sessions.jsonl             check one session a line
  multitrace check mqtt.hif logs/ --observe prefix     compile and check in one go
  multitrace explain mqtt.mtb sessions.jsonl --session s1    one session in full
  multitrace inspect mqtt.mtb                          what is in a bundle
  multitrace map --init events.jsonl                   propose a mapping for an event log
  multitrace generate mqtt.hif --kind noise -n 100     sessions to test with
  multitrace diff old.hif new.hif                      do two specifications accept the same?

Every option --some-option can also be set by a variable MULTITRACE_SOME_OPTION of the environment.
What is given on the command line wins, then the environment, then multitrace.toml.

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked,
128 + signal when interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "All commands")]
pub(crate) struct GlobalArgs {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE decide for auto, else whether it is a terminal
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// No notes and no progress on standard error, only errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Compile(CompileArgs),
    Check(Box<CheckArgs>),
    Explain(Box<ExplainArgs>),
    Diff(DiffArgs),
    Generate(GenerateArgs),
    Inspect(InspectArgs),
    Read(ReadArgs),
    Convert(ConvertArgs),
    Fmt(FmtArgs),
    Draw(DrawArgs),
    Map(MapArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Compile a specification into a verifier bundle
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace compile mqtt.hif
  multitrace compile shop.hif --locations \"api,cache;db\" -o shop.mtb
  multitrace compile protocol.timbuk --locations \"left=a0,a1;right=a2\" --output-format json")]
pub(crate) struct CompileArgs {
    /// The specification: an interaction (.hif), a diagram (.mmd, .puml, .md) or an automaton (.timbuk); -
    /// for standard input
    pub(crate) spec: PathBuf,
    /// Where to write the bundle [default: SPEC with the extension .mtb; required for -]
    #[arg(short, long, value_name = "OUT.mtb")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
    /// The observation mode the bundle is checked in unless `check` asks for another
    #[arg(long, value_enum, default_value = "complete")]
    pub(crate) observe: Observe,
    /// Keep this mapping in the bundle: it is then checked against event logs (docs/events.md)
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// Treat warnings of the specification (docs/specifications.md) as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// How to print what compiling did
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ReportFormat,
}

/// What shapes a bundle, also when `check` is given a specification.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct CompileOptionArgs {
    /// Which lifelines share a clock: "a,b;c" [default: the boxes of a diagram, else each has its own]
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
    /// The most time to compile: 500ms, 10s; terms take over then, and the bundle depends on the
    /// machine [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) limit_time: Option<humantime::Duration>,
    /// Leave out reductions, for comparison; verdicts stay the same
    #[arg(long, value_enum, value_delimiter = ',', value_name = "REDUCTIONS",
          hide_short_help = true, help_heading = COMPARISON)]
    pub(crate) without: Vec<ReductionChoice>,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

impl CompileOptionArgs {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.locations.is_some()
            || self.signature.is_some()
            || self.diagrams.any()
            || self.limit_states.is_some()
            || self.limit_local_states.is_some()
            || self.limit_time.is_some()
            || !self.without.is_empty()
    }
}

/// How diagrams are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Diagrams")]
pub(crate) struct DiagramArgs {
    /// How the texts on arrows name messages: label, first-word, call, or /REGEX/ [default: as a directive
    /// of the diagram says, else label]
    #[arg(long, value_name = "RULE")]
    pub(crate) messages: Option<MessageNames>,
    /// The participants of a box have a clock each
    #[arg(long)]
    pub(crate) no_boxes: bool,
}

impl DiagramArgs {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.messages.is_some() || self.no_boxes
    }

    pub(crate) fn options(&self) -> DiagramOptions {
        DiagramOptions { messages: self.messages.clone(), boxes_are_locations: !self.no_boxes }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReductionChoice {
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
    /// Each log is whole, or missing: it has no events
    Missing,
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
What is given on the command line wins, then the environment, then multitrace.toml.

Exit codes: 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked,
128 + signal when interrupted.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) operands: Operands,
    /// Threads, at most 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_JOBS))]
    pub(crate) jobs: Option<u16>,
    /// Treat warnings of the specification (docs/specifications.md) as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Give the accepted global trace behind every pass (json-lines)
    #[arg(long)]
    pub(crate) witness: bool,
    /// Say for every failing session which events to insert and delete so that it is accepted; without,
    /// only for the example of each group
    #[arg(long)]
    pub(crate) repair: bool,
    /// Which groups of findings come first, among those of one level
    #[arg(long, value_enum, default_value = "count", value_name = "ORDER")]
    pub(crate) order_groups: OrderChoice,
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

/// The most threads: more than the processors of nearly all machines, and less than what systems
/// refuse to start. Each thread has memory of its own, so a slip such as 10000 would not be harmless.
const MOST_JOBS: i64 = 1024;

/// The order of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderChoice {
    /// Those with most sessions
    Count,
    /// Those whose sessions are furthest from an accepted one
    Distance,
}

impl From<OrderChoice> for GroupOrder {
    fn from(choice: OrderChoice) -> GroupOrder {
        match choice {
            OrderChoice::Count => GroupOrder::Count,
            OrderChoice::Distance => GroupOrder::Distance,
        }
    }
}

/// How sessions are decided.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckingArgs {
    /// What the logs contain [default: as the bundle says, else complete]
    #[arg(long, value_enum)]
    pub(crate) observe: Option<Observe>,
    /// Which engine decides
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) engine: EngineArg,
    /// Which procedure decides on the automaton; centralized is for comparison, verdicts stay the same
    #[arg(long, value_enum, default_value = "semi-centralized", hide_short_help = true,
          help_heading = COMPARISON)]
    pub(crate) procedure: ProcedureChoice,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) terms: TermArgs,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
}

/// Explain one session (what is wrong, where, what was expected) or a code such as MT103
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace explain mqtt.hif sessions.jsonl --session s1
  multitrace explain MT103                                 what a code means

Sessions of that name are explained one after the other. The exit code is 0 if a session has this
name, 2 on errors, and 3 if no session has it.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) operands: Operands,
    /// The session to explain
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) session: Option<String>,
    /// How many events to show before and after each one that is wrong; short sessions are whole
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) context: usize,
    /// Show all events (pictures: at most 2,000)
    #[arg(long, conflicts_with = "context")]
    pub(crate) full: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ExplainFormat,
    #[command(flatten)]
    pub(crate) checking: CheckingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// How a session is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For reading
    Human,
    /// One JSON object
    Json,
    /// A picture for the terminal: one lane a location, arrows between what belongs together
    Picture,
    /// The same as SVG
    Svg,
    /// The same as a Mermaid diagram
    Mermaid,
    /// A log with vector clocks, for ShiViz
    Shiviz,
}

/// Inputs that are logs of events and not of sessions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Event logs")]
pub(crate) struct EventArgs {
    /// The inputs are event logs, which this mapping (docs/events.md) turns into sessions
    /// [default: the mapping in the bundle, if it has one]
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// The inputs are sessions, although the bundle has a mapping
    #[arg(long, conflicts_with = "events")]
    pub(crate) no_events: bool,
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<bytesize::ByteSize>,
}

impl EventArgs {
    /// The memory to group sessions in, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let size = self.memory.unwrap_or(bytesize::ByteSize::gib(1));
        usize::try_from(size.as_u64()).unwrap_or(usize::MAX)
    }
}

/// What one session may cost; one that needs more is inconclusive.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Budget of a session")]
pub(crate) struct BudgetArgs {
    /// The most states one search may visit [default: 500 for each event of the session, at least
    /// 4000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 31))]
    pub(crate) budget_states: Option<u64>,
    /// The most memory one search may use, roughly: 512MiB, 2GB
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) budget_memory: bytesize::ByteSize,
    /// The most time for a session: 500ms, 10s; verdicts then depend on the machine [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget_time: Option<humantime::Duration>,
}

/// The heading of options that only comparisons with the papers need.
const COMPARISON: &str = "For comparison with the papers";

/// How terms decide; for comparison with the papers, exact verdicts stay the same.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = COMPARISON)]
pub(crate) struct TermArgs {
    /// How prefixes and slices are decided on terms
    #[arg(long, value_enum, default_value = "exact", hide_short_help = true)]
    pub(crate) method: MethodArg,
    /// Check the interaction as it was written with these reductions alone, none or several of
    /// por,loc (paper 003) [default: our own]
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "REDUCTIONS",
        hide_short_help = true
    )]
    pub(crate) reductions: Option<Vec<ReductionArg>>,
    /// How many events of each log look-ahead on terms reads [default: all]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) look_ahead: Option<u32>,
    /// When --method simulation stops: loops=depth|count|N, actions=outside|N, multiply, reset,
    /// before (paper 000 sec. 7.3)
    #[arg(long, value_name = "CRITERION", default_value = "loops=depth,actions=outside,reset,before",
          value_parser = criterion, hide_short_help = true)]
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
    text.parse().map_err(|_| format!("{name}={text:?} is not a number"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The automaton if the specification has one, else terms
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

/// Generate sessions of a specification, right and wrong ones, or random specifications
#[derive(Debug, Args)]
#[command(after_help = "\
The same seed gives the same sessions. They are called after their kind and the number of the draw,
noise-17; draws that gave nothing new are left out. `of` in the field `made` names what a session
was made of: noise-17 of prefix-17, which --kind prefix --duplicates prints for the same seed.

Examples:
  multitrace generate mqtt.hif --kind accepted -n 1000 -o right.jsonl
  multitrace generate mqtt.mtb --kind noise -n 1000 --seed 7 | multitrace check mqtt.mtb - --observe prefix
  multitrace generate mqtt.hif --kind slice --all --exhaustive --max-loops 2 --output-format htf -o slices/
  multitrace generate protocol.timbuk --split 3 --kind central-error -n 100 --max-events 50
  multitrace generate --interactions 100 --lifelines 5 --messages 6 -o specs/")]
pub(crate) struct GenerateArgs {
    /// An interaction (.hif), a diagram (.mmd, .puml, .md), an automaton (.timbuk) or a bundle (.mtb); -
    /// for standard input
    #[arg(required_unless_present = "interactions")]
    pub(crate) spec: Option<PathBuf>,
    /// What to make
    #[arg(long, value_enum, required_unless_present = "interactions")]
    pub(crate) kind: Option<GenerateKind>,
    /// How many sessions; with --all, from how many accepted ones [default: 10, with --exhaustive all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Where random choices begin
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The fewest events of the accepted ones [default: 1, with --exhaustive 0]
    #[arg(long, value_name = "N")]
    pub(crate) min_events: Option<usize>,
    /// The most events of the accepted ones [default: 30, unless --max-loops bounds them]
    #[arg(long, value_name = "N")]
    pub(crate) max_events: Option<usize>,
    /// The fewest repetitions of loops in the accepted ones, all loops together [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) min_loops: Option<usize>,
    /// The most repetitions of loops in the accepted ones, all loops together
    #[arg(long, value_name = "N")]
    pub(crate) max_loops: Option<usize>,
    /// From all accepted ones within the bounds, the shortest first, in place of random ones
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// From all prefixes or slices of each accepted one, in place of one random one
    #[arg(long)]
    pub(crate) all: bool,
    /// What noise and swaps are applied to [default: prefix]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) of: Option<GenerateOf>,
    /// Keep sessions that were there before; takes constant memory
    #[arg(long)]
    pub(crate) duplicates: bool,
    /// Which lifelines share a clock: "a,b;c" [default: each has its own]; for an automaton, where its
    /// letters are logged: "left=a,b;right=c"
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// The participants of a box in a diagram have a clock each
    #[arg(long)]
    pub(crate) no_boxes: bool,
    /// Log the letters of an automaton at N locations, drawn at random by the seed
    #[arg(long, value_name = "N", conflicts_with = "locations",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) split: Option<u16>,
    /// A signature (.hsf): names it does not declare are errors [default: read off the spec]
    #[arg(long, value_name = "FILE.hsf")]
    pub(crate) signature: Option<PathBuf>,
    /// Where to write: a file, or for htf and --interactions a new folder [default: standard output]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,
    /// How to write sessions
    #[arg(long, value_enum, default_value = "json-lines", value_name = "FORMAT")]
    pub(crate) output_format: GenerateFormat,
    #[command(flatten)]
    pub(crate) interactions: InteractionArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateKind {
    /// What the specification accepts
    Accepted,
    /// Accepted, each local trace cut at its end
    Prefix,
    /// Accepted, each local trace cut at both ends
    Slice,
    /// With a random action inserted
    Noise,
    /// With two actions of a local trace interchanged
    SwapActions,
    /// With the local trace of another one at one location
    SwapComponents,
    /// With a few wrong events, so that some local trace alone is impossible
    LocalError,
    /// Of local traces that are possible, but follow no common path
    InterError,
    /// Of local traces that follow a common path, but in no order that is accepted
    CentralError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateOf {
    /// Accepted ones
    Accepted,
    /// Prefixes of accepted ones
    Prefix,
    /// Slices of accepted ones
    Slice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateFormat {
    /// One JSON object a session
    JsonLines,
    /// One .htf file a session
    Htf,
}

/// What random interactions look like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Random specifications")]
pub(crate) struct InteractionArgs {
    /// Write this many random interactions, i1.hif, i2.hif, …, and their signature.hsf
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = [
        "spec", "kind", "count", "min_events", "max_events", "min_loops", "max_loops", "exhaustive",
        "all", "of", "duplicates", "locations", "split", "signature", "output_format",
    ])]
    pub(crate) interactions: Option<usize>,
    /// How many lifelines they may use [default: 5]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) lifelines: Option<u16>,
    /// How many messages they may use [default: 6]; without --interactions, how the texts on the arrows
    /// of a diagram name messages: label, first-word, call, or /REGEX/
    #[arg(long, value_name = "N|RULE")]
    pub(crate) messages: Option<String>,
    /// The least depth of their normal form [default: 6]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) min_depth: Option<u16>,
    /// The least number of symbols of their normal form [default: 20]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) min_symbols: Option<u16>,
    /// The largest number of symbols [default: 60, or three times the least]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_symbols: Option<u16>,
}

/// Show how a specification is understood
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace read SPEC.md                     all diagrams of a Markdown file
  multitrace read SPEC.md#login               one of them, by the heading above it
  multitrace read login.puml --output-format json-lines")]
pub(crate) struct ReadArgs {
    /// The specification (.hif, .mmd, .puml, .md); - for standard input
    pub(crate) spec: PathBuf,
    /// Which lifelines share a clock: "a,b;c" [default: the boxes of the diagram, else each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: RecordFormat,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

/// Write a specification in another notation
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace convert shop.hif -o shop.mmd              an interaction as a Mermaid diagram
  multitrace convert SPEC.md#login --to hif            a diagram in the form that HIBOU reads
  multitrace convert shop.hif -o shop.timbuk           its automaton

What the notation cannot say is refused, with its place.")]
pub(crate) struct ConvertArgs {
    /// The specification (.hif, .mmd, .puml, .md, .timbuk); - for standard input
    pub(crate) spec: PathBuf,
    /// Where to write; the extension says the notation [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The notation [default: as the extension of OUT says]
    #[arg(long, value_enum, value_name = "NOTATION")]
    pub(crate) to: Option<ConvertChoice>,
    /// Which lifelines share a clock: "a,b;c" [default: the boxes of the diagram, else each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

/// A notation for specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertChoice {
    /// An interaction, without what HIBOU does not know
    Hif,
    /// A Mermaid diagram
    Mermaid,
    /// A PlantUML diagram
    Plantuml,
    /// A Mermaid diagram in Markdown
    Markdown,
    /// An automaton
    Timbuk,
}

/// Draw a specification, or its automaton
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace draw SPEC.md#login                      in the terminal
  multitrace draw shop.hif -o shop.svg               for a page; light and dark
  multitrace draw shop.mtb --what nfa -o shop.dot    the automaton, for Graphviz")]
pub(crate) struct DrawArgs {
    /// The specification (.hif, .mmd, .puml, .md), for an automaton also .timbuk and bundles (.mtb); - for
    /// standard input
    pub(crate) spec: PathBuf,
    /// Where to write; the extension says the format: .svg, .txt, .dot [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: as the extension of OUT says, else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<DrawFormat>,
    /// What to draw
    #[arg(long, value_enum, default_value = "diagram", value_name = "WHAT")]
    pub(crate) what: DrawWhat,
    /// Fill the background of SVG, for viewers that have none
    #[arg(long)]
    pub(crate) background: bool,
    /// Which lifelines share a clock: "a,b;c" [default: the boxes of the diagram, else each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawFormat {
    /// For pages
    Svg,
    /// For a terminal
    Text,
    /// For Graphviz, automata only
    Dot,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawWhat {
    /// The sequence diagram
    Diagram,
    /// The automaton
    Nfa,
}

/// Lay out interactions (.hif) in one way; comments stay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace fmt specs/*.hif              in place
  multitrace fmt --check specs/*.hif      exit code 1 if a file would change

Exit codes: 0 laid out, 1 with --check: a file would change, 2 bad usage or a file with errors.")]
pub(crate) struct FmtArgs {
    /// The files; - for standard input, which is written to standard output
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; name the files that would change, and end with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

/// How records are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordFormat {
    /// For reading
    Human,
    /// One JSON object a line
    JsonLines,
}

/// Show what is in a bundle
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The bundle (.mtb)
    pub(crate) bundle: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ReportFormat,
}

/// Write a mapping for an event log, or see what a mapping makes of one
#[derive(Debug, Args)]
#[command(after_help = "\
Event logs are JSON Lines, JSON, CSV, TSV, logfmt, text, Parquet, Arrow IPC, OTLP (JSON, protobuf),
Zipkin or XES, plain or compressed (gzip, zstd). docs/events.md describes mappings.

Examples:
  multitrace map --init shop.csv > map.toml                 propose a mapping
  multitrace map --explain shop.csv --events map.toml       what each record becomes, and why
  multitrace map --check shop.hif shop.csv --events map.toml    the log's events against the spec's

Exit codes: 0 usable, 1 nothing of the log is usable, 2 bad usage or a record that cannot be read.")]
pub(crate) struct MapArgs {
    /// Propose a mapping for this event log, or - for standard input
    #[arg(long, value_name = "FILE", required_unless_present_any = ["explain", "check"],
          conflicts_with_all = ["explain", "check", "events"])]
    pub(crate) init: Option<PathBuf>,
    /// Show what the first records become by each rule, and count the others
    #[arg(long, value_name = "FILE", requires = "events", conflicts_with = "check")]
    pub(crate) explain: Option<PathBuf>,
    /// Compare the events of logs with those of a specification, without judging sessions
    #[arg(long, value_names = ["SPEC", "LOG"], num_args = 2..)]
    pub(crate) check: Vec<PathBuf>,
    /// The mapping [default for --check: the mapping in the bundle, if it has one]
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// How many records are shown of each rule and of each reason
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "check")]
    pub(crate) records: u64,
    /// How the result of --check is written
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT", requires = "check")]
    pub(crate) output_format: ReportFormat,
    /// Which lifelines of the specification share a clock: "a,b;c" [default: each has its own]
    #[arg(long, value_name = "GROUPS", requires = "check")]
    pub(crate) locations: Option<String>,
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 1GiB]
    #[arg(long, value_name = "SIZE", requires = "check")]
    pub(crate) memory: Option<bytesize::ByteSize>,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
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

/// Write the man pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace man | man -l -                            the page of the tool
  multitrace man --output-dir ~/.local/share/man/man1  one page for the tool and one for each command")]
pub(crate) struct ManArgs {
    /// Write all pages into this folder [default: the page of the tool on standard output]
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
}
