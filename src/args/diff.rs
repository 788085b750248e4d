//! Arguments of `diff`.

use super::{DiagramArgs, RecordFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Say whether two specifications accept the same sessions, and show sessions that only one accepts
#[derive(Debug, Args)]
#[command(after_help = "\
Specifications are compared by the names of their locations and events, as complete logs
(docs/diff.md). The log of a location that a specification does not have is empty.

Examples:
  multitrace diff old.hif new.hif
  multitrace diff released.mtb SPEC.md#login                   a bundle and a diagram
  multitrace diff old.puml new.puml --fail-on different        accept what is neither proved nor refuted
  multitrace diff old.timbuk new.timbuk --locations \"left=a,b;right=c\"

Exit codes: 0 proved equal, 1 different or not proved (see --fail-on), 2 bad usage, specification or
bundle.")]
pub(crate) struct DiffArgs {
    /// The old specification: an interaction (.hif), a diagram (.mmd, .puml, .md), an automaton
    /// (.timbuk) or a bundle (.mtb); - for standard input
    pub(crate) old: PathBuf,
    /// The new specification
    pub(crate) new: PathBuf,
    /// Which lifelines of both share a clock: "a,b;c" [default: as the diagram or the bundle says, else
    /// each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// Try sessions of up to this many events; a difference of more is shown if it is found otherwise
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max_events: usize,
    /// Try at most this many sessions each way, complete ones and beginnings of others
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) budget_sessions: usize,
    /// Which answer ends with 1
    #[arg(long, value_enum, default_value = "not-proved", value_name = "ANSWER")]
    pub(crate) fail_on: DiffFailOn,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: RecordFormat,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

/// Which answers are violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFailOn {
    /// A difference, or no proof that both accept the same
    NotProved,
    /// A difference
    Different,
}
