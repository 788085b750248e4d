//! The arguments of `merge`.

use super::named::orders;
use super::{DemandArgs, OutputArgs, ToleranceArgs};
use crate::args::coverage::percent;
use clap::Args;
use multitrace_reports::groups::GroupOrder;
use std::path::PathBuf;

/// Merge partial reports into the report of the whole run
#[derive(Debug, Args)]
#[command(after_help = "\
`multitrace check --output-format partial` writes parts, on any machine, over any parts of the input.
Merged in any order they give the report of a run over the whole input. The verdicts
that fail the run are fixed when the parts are checked; baselines and rates are given here.

Examples:
  multitrace check mqtt.mtb logs/ --shard 1/2 --output-format partial --output-file 1.part
  multitrace check mqtt.mtb logs/ --shard 2/2 --output-format partial --output-file 2.part
  multitrace merge 1.part 2.part
  multitrace merge parts/ --baseline known.json --output-format html --output-file report.html

Exit codes: 0 clean, 1 violations, 2 bad usage, parts or input, 3 nothing was checked,
128 + signal when interrupted.")]
pub(crate) struct MergeArgs {
    /// Partial reports, packed or not, folders of them, patterns, or - for standard input
    #[arg(required = true, value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,
    /// Files of folders and patterns that are not read: names such as '*.log', or paths from the folder; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Report although shards are missing
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Which groups of findings come first, among those of one level
    #[arg(long, value_parser = orders(), default_value = "gravest", value_name = "ORDER")]
    pub(crate) order_groups: GroupOrder,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Write the coverage in the format of lcov, if the parts have it
    #[arg(long, value_name = "FILE", help_heading = "Coverage")]
    pub(crate) coverage_file: Option<PathBuf>,
    /// Exit with 1 if the passing sessions took less than this share of the parts, such as 80%
    #[arg(long, value_name = "N%", value_parser = percent, help_heading = "Coverage")]
    pub(crate) min_coverage: Option<f64>,
    #[command(flatten)]
    pub(crate) tolerance: ToleranceArgs,
    #[command(flatten)]
    pub(crate) demands: DemandArgs,
}
