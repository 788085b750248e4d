//! The arguments of `compile`, and the options that shape a bundle elsewhere.

use super::ReadingArgs;
use super::named::observations;
use super::paper::Paper;
use clap::{Args, ValueEnum};
use multitrace::Observation;
use std::path::PathBuf;

/// Compile a specification into a bundle
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace compile mqtt.hif
  multitrace compile shop.hif --locations \"api,cache;db\" -o shop.mtb
  multitrace compile shop.hif -o shop.mtb --split locations
  multitrace compile protocol.timbuk --locations \"left=a0,a1;right=a2\" --output-format json")]
pub(crate) struct CompileArgs {
    /// The specification: an interaction (.hif), a diagram (.mmd, .puml, .md) or an automaton (.timbuk); -
    /// for standard input
    pub(crate) spec: PathBuf,
    /// Where to write the bundle [default: SPEC with the extension .mtb; required for -]
    #[arg(short, long, value_name = "OUT.mtb")]
    pub(crate) output: Option<PathBuf>,
    /// Write a bundle for each location, too, DIR/LOCATION.mtb, which judges its logs where they are (docs/deployment.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) split: Option<PathBuf>,
    /// The observation mode the bundle is checked in unless `check` asks for another
    #[arg(long, value_parser = observations(), default_value = "complete")]
    pub(crate) observe: Observation,
    /// Keep this mapping in the bundle: it is then checked against event logs (docs/events.md)
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) warnings: WarningArgs,
    /// How to print the steps of compiling
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ReportFormat,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
}

/// Options that shape a bundle, also when `check` is given a specification.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct CompileOptionArgs {
    /// The most states of the global automaton [default: 100000]
    #[arg(long, value_name = "N")]
    pub(crate) limit_states: Option<usize>,
    /// The most states of one local table [default: 20000]
    #[arg(long, value_name = "N")]
    pub(crate) limit_local_states: Option<usize>,
    /// The most memory to compile with; terms take over then [default: 2GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) limit_memory: Option<bytesize::ByteSize>,
    /// The most time to compile: 500ms, 10s; terms take over then, and the bundle depends on the
    /// machine [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) limit_time: Option<humantime::Duration>,
    /// How the papers do it, for comparison: KEY=VALUE,… (docs/papers.md); exact verdicts stay the same
    #[arg(long, value_name = "KEY=VALUE,…", hide_short_help = true)]
    pub(crate) paper: Option<Paper>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

impl CompileOptionArgs {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.reading.any()
            || self.limit_states.is_some()
            || self.limit_local_states.is_some()
            || self.limit_memory.is_some()
            || self.limit_time.is_some()
            || self.paper.as_ref().is_some_and(|paper| !paper.without.is_empty())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For reading
    Human,
    /// One JSON object
    Json,
}

/// How warnings of a specification are treated.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct WarningArgs {
    /// Treat warnings of the specification (docs/specifications.md) as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Which warnings of the specification are shown
    #[arg(long, value_enum, default_value = "first", value_name = "WHICH")]
    pub(crate) warnings: ShownWarnings,
}

/// Which warnings of a specification are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShownWarnings {
    /// The first of each code, on a line
    #[default]
    First,
    /// Each, with its lines
    All,
}
