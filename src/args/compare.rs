//! The arguments of `compare`.

use super::InputArgs;
use super::coverage::percent;
use super::events::EventLogArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Compare the sessions of two logs: which behaviour is new, gone, more or less frequent
#[derive(Debug, Args)]
#[command(after_help = "\
A behaviour is an event, an event directly after another in a log, or an event several times. It is reported if its numbers of
old and new sessions differ beyond chance.

Examples:
  multitrace compare main.jsonl branch.jsonl                      before a change and after it
  multitrace compare monday/ tuesday/ --events map.toml           event logs
  multitrace compare a.jsonl b.jsonl --output-format markdown     a comment on a pull request
  multitrace compare a.jsonl b.jsonl --output-format html > changes.html   with the learnt diagrams of both

Without --events, a mapping is proposed for files that are not sessions, as `map --init` does.

Exit codes: 0 nothing is new or gone, 1 something is, 2 bad usage or an input that cannot be read, 3 one side has no session.")]
pub(crate) struct CompareArgs {
    /// Sessions from before: a .htf or .jsonl file, packed or not, a folder of them, a pattern, or - for standard input; or
    /// event logs, see --events
    pub(crate) old: PathBuf,
    /// Sessions from now
    pub(crate) new: PathBuf,
    /// How a comparison is printed
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) output_format: CompareFormat,
    /// How often anything may be reported although nothing changed
    #[arg(long, value_name = "SHARE%", value_parser = percent, default_value = "0.01%")]
    pub(crate) chance: f64,
    #[command(flatten)]
    pub(crate) logs: EventLogArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For reading
    Human,
    /// A page with the diagrams that are learnt from both sides, in which the changes are marked
    Html,
    /// These diagrams alone
    Svg,
    /// For a comment on a pull request
    Markdown,
    /// One JSON object
    Json,
}
