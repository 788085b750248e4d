//! The arguments of `local` and `combine`.

use super::named::orders;
use super::{EventArgs, GateArgs, InputArgs, OutputArgs};
use clap::Args;
use multitrace::MOST_THREADS;
use multitrace_reports::groups::GroupOrder;
use std::path::PathBuf;

/// Judge the logs of one location where they are, and write its part for `combine`
#[derive(Debug, Args)]
#[command(after_help = "\
The bundle is one of those that `multitrace compile SPEC --split DIR` has written. A part holds the names of the
sessions, findings and areas as numbers, and hashes of logs; no names of messages, and nothing else of the logs.
docs/deployment.md shows the whole procedure.

Examples:
  multitrace local bank.mtb bank.jsonl -o bank.part
  multitrace local bank.mtb logs/ --events map.toml -o bank.part
  multitrace local bank.mtb bank.jsonl --answer bank.request -o bank.answer

Exit codes: 0 written, 2 bad usage, bundle or something in the logs that cannot be read, 3 no session, or no log that
is asked for; the file is written.")]
pub(crate) struct LocalArgs {
    /// The bundle of the location
    pub(crate) bundle: PathBuf,
    /// Its logs, as for `check`: sessions, or event logs with a mapping; events of other locations are left out
    #[arg(required = true, value_name = "LOG")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write the part, packed; - for standard output
    #[arg(short, long, value_name = "FILE", required = true)]
    pub(crate) output: PathBuf,
    /// Write instead the events, as numbers, of the logs that this request of `combine` asks for
    #[arg(long, value_name = "REQUEST")]
    pub(crate) answer: Option<PathBuf>,
    /// Threads, at most 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub(crate) jobs: Option<u16>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
}

/// Combine the parts of all locations into the report that `check` gives on all logs
#[derive(Debug, Args)]
#[command(after_help = "\
Files are those that `multitrace local` has written: parts, and answers, also of earlier days. Where events are needed that
no answer has, a request for each location is written, and nothing is decided yet. docs/deployment.md shows the whole procedure.

Examples:
  multitrace combine shop.mtb client.part shop.part bank.part --ask requests
  multitrace combine shop.mtb *.part *.answer --output-format junit --output-file out.xml
  multitrace combine shop.mtb *.part --ask requests --verdicts-only

Exit codes: 0 clean, 1 violations, 2 bad usage or files, 3 events are asked for, or there is no session,
128 + signal when interrupted.")]
pub(crate) struct CombineArgs {
    /// The whole bundle, which `multitrace compile SPEC --split DIR` has written beside those of the locations
    pub(crate) bundle: PathBuf,
    /// Parts and answers of locations, folders of them, or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) parts: Vec<PathBuf>,
    /// A folder for the requests to the locations whose events are needed, DIR/LOCATION.request
    #[arg(long, value_name = "DIR")]
    pub(crate) ask: Option<PathBuf>,
    /// Ask for no events of sessions that fail at one location, or whose logs follow different branches, and report them
    /// without faults
    #[arg(long)]
    pub(crate) verdicts_only: bool,
    /// Files of folders and patterns that are not read: names such as '*.log', or paths from the folder; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Threads, at most 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub(crate) jobs: Option<u16>,
    /// Say for every failing session which events to insert and delete so that it is accepted; without,
    /// only for the example of each group
    #[arg(long)]
    pub(crate) repair: bool,
    /// Which groups of findings come first, among those of one level
    #[arg(long, value_parser = orders(), default_value = "gravest", value_name = "ORDER")]
    pub(crate) order_groups: GroupOrder,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
}
