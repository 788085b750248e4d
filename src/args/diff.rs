//! Arguments of `diff`.

use super::ReadingArgs;
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
  multitrace diff old.puml new.puml --fail-on different        exit with 0 if there is no proof
  multitrace diff old.timbuk new.timbuk --locations \"left=a,b;right=c\"

Exit codes: 0 proved equal, 1 different or not proved (see --fail-on), 2 bad usage, specification or
bundle.")]
pub(crate) struct DiffArgs {
    /// The old specification: an interaction (.hif), a diagram (.mmd, .puml, .md), an automaton
    /// (.timbuk) or a bundle (.mtb); - for standard input; HEAD~1:SPEC.md for a file as git has it
    pub(crate) old: PathBuf,
    /// The new specification
    pub(crate) new: PathBuf,
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
    pub(crate) output_format: DiffFormat,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The same without the defaults of the configuration of today, which a revision of git does not have.
    #[arg(skip)]
    pub(crate) given: ReadingArgs,
}

/// Which answers are violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFailOn {
    /// A difference, or no proof that both accept the same
    NotProved,
    /// A difference
    Different,
    /// The new one refuses sessions that the old one accepts, or there is no proof of the contrary
    Narrower,
    /// The new one accepts sessions that the old one refuses, or there is no proof of the contrary
    Wider,
}

/// How a difference is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For reading
    Human,
    /// A page with the pictures of both, in which the difference is marked
    Html,
    /// The pictures of both, in which the difference is marked
    Svg,
    /// For a comment on a pull request
    Markdown,
    /// One JSON object a line
    JsonLines,
}
