//! What `compile` takes, and what shapes a bundle elsewhere.

use super::DiagramArgs;
use super::named::observations;
use super::search::COMPARISON;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use multitrace::{Observation, Reduction};
use std::path::PathBuf;

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
    /// The observation mode the bundle is checked in unless `check` asks for another
    #[arg(long, value_parser = observations(), default_value = "complete")]
    pub(crate) observe: Observation,
    /// Keep this mapping in the bundle: it is then checked against event logs (docs/events.md)
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// Treat warnings of the specification (docs/specifications.md) as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// How to print what compiling did
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ReportFormat,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
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
    #[arg(long, value_parser = reductions(), value_delimiter = ',', value_name = "REDUCTIONS",
          hide_short_help = true, help_heading = COMPARISON)]
    pub(crate) without: Vec<Reduction>,
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

/// The reductions by their names.
fn reductions() -> impl TypedValueParser<Value = Reduction> {
    let value = |it: Reduction| PossibleValue::new(it.name()).help(it.title());
    let values = PossibleValuesParser::new(Reduction::ALL.map(value));
    values.try_map(|name| Reduction::named(&name).ok_or("no reduction has this name"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For reading
    Human,
    /// One JSON object
    Json,
}
