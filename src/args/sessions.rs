//! The arguments of `sessions`.

use super::InputArgs;
use super::gate::sample_size;
use clap::Args;
use multitrace::SampleSize;
use std::path::PathBuf;

/// Write the sessions that a check would judge, one a line
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace sessions logs/ --events map.toml -o sessions.jsonl
  multitrace sessions app.log --events map.toml --session order-7
  multitrace sessions app.log --events map.toml -o events.parquet
  multitrace sessions app.log --events map.toml --sample 20 --anonymise > to-share.jsonl

`multitrace check SPEC sessions.jsonl` gives these lines the verdicts of the logs.

Exit codes: 0 written, 2 bad usage or something in the input that cannot be read, 3 no session.")]
pub(crate) struct SessionsArgs {
    /// Event logs, or files of sessions without --events: files, folders, patterns, or - for standard input
    #[arg(required = true, value_name = "LOG")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The mapping (docs/events.md) that makes sessions of event logs
    #[arg(long, value_name = "MAP.toml")]
    pub(crate) events: Option<PathBuf>,
    /// Where to write, lines or, for a name that ends in .parquet, a table [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only this session; may be given several times
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) session: Vec<String>,
    /// Only a share of the sessions, 1%, or a number of them, drawn by their ids and --seed
    #[arg(long, value_name = "RATE|N", value_parser = sample_size)]
    pub(crate) sample: Option<SampleSize>,
    /// Another number samples other sessions
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    pub(crate) seed: u64,
    /// Letters for lifelines, numbers for messages and sessions, and no places; the order of events is kept
    #[arg(long)]
    pub(crate) anonymise: bool,
    /// Which lifelines share a clock: "a,b;c" [default: each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// Group sessions in about this much memory: 512M, 4GiB; more events wait on disk [default: 128MiB]
    #[arg(long, value_name = "SIZE", requires = "events")]
    pub(crate) memory: Option<bytesize::ByteSize>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}
