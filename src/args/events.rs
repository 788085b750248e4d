//! How event logs are read, and the arguments of `map`.

use super::{InputArgs, ReadingArgs, ReportFormat};
use clap::{Args, ValueEnum};
use multitrace::DEFAULT_MEMORY;
use std::path::PathBuf;

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
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 128MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<bytesize::ByteSize>,
}

impl EventArgs {
    /// The memory to group sessions in, in bytes.
    pub(crate) fn memory(&self) -> usize {
        grouping_memory(self.memory)
    }
}

/// Event logs in place of sessions, where no bundle has a mapping.
#[derive(Debug, Args)]
#[command(next_help_heading = "Event logs")]
pub(crate) struct EventLogArgs {
    /// The inputs are event logs, which this mapping (docs/events.md) turns into sessions
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 128MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<bytesize::ByteSize>,
}

/// The memory to group sessions in, in bytes.
pub(crate) fn grouping_memory(size: Option<bytesize::ByteSize>) -> usize {
    size.map_or(DEFAULT_MEMORY, |it| usize::try_from(it.as_u64()).unwrap_or(usize::MAX))
}

/// How records are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordFormat {
    /// For reading
    Human,
    /// One JSON object a line
    JsonLines,
}

/// Write a mapping for an event log, or see the events that a mapping makes of one
#[derive(Debug, Args)]
#[command(after_help = "\
Event logs are JSON Lines, JSON, CSV, TSV, logfmt, text, Parquet, Arrow IPC, OTLP (JSON, protobuf),
Zipkin or XES, plain or compressed (gzip, zstd). docs/events.md describes mappings.

Examples:
  multitrace map --init shop.csv > map.toml                 propose a mapping
  multitrace map --preset jaeger > map.toml                 begin with the mapping for a tool
  multitrace map --explain shop.csv --events map.toml       the events of records, and why
  multitrace map --check shop.hif shop.csv --events map.toml    the log's events against the spec's

Exit codes: 0 usable, 1 nothing of the log is usable, 2 bad usage or a record that cannot be read,
for --check also one that cannot be used.")]
pub(crate) struct MapArgs {
    /// Propose a mapping for these event logs of one kind: files, folders, patterns, or - for standard input
    #[arg(long, value_name = "LOG", num_args = 1.., required_unless_present_any = ["explain", "check", "preset"],
          conflicts_with_all = ["explain", "check", "events"])]
    pub(crate) init: Vec<PathBuf>,
    /// Print the mapping for the logs of a tool: jaeger, tempo, har, mcp and others, which format = "NAME" in [input] stands for
    #[arg(long, value_name = "NAME", conflicts_with_all = ["init", "explain", "check", "events"])]
    pub(crate) preset: Option<String>,
    /// Show the events of the first records by each rule, and count the others
    #[arg(long, value_name = "LOG", num_args = 1.., requires = "events", conflicts_with = "check")]
    pub(crate) explain: Vec<PathBuf>,
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
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 128MiB]
    #[arg(long, value_name = "SIZE", requires = "check")]
    pub(crate) memory: Option<bytesize::ByteSize>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}
