//! Arguments of `check` that turn verdicts into reports and an exit code.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use multitrace::{OutputFormat, SampleSize};
use multitrace_formats::selection::{Rate, ShardNumber};
use multitrace_reports::demands::{Demands, MostUnmatched};
use multitrace_reports::gate::Gate;
use std::path::PathBuf;

/// The reports, and where each is written.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// How to report; may be given several times, at most once without an --output-file [default: human]
    #[arg(long = "output-format", value_parser = output_formats(), value_name = "FORMAT")]
    pub(crate) formats: Vec<OutputFormat>,
    /// Where to write the report of the --output-format before it [default: standard output]
    #[arg(long = "output-file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The two above as pairs.
    #[arg(skip)]
    pub(crate) pairs: Vec<OutputChoice>,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputChoice {
    pub(crate) format: OutputFormat,
    /// `None` for standard output.
    pub(crate) file: Option<PathBuf>,
}

/// The formats by their names.
fn output_formats() -> impl TypedValueParser<Value = OutputFormat> {
    let value = |format: OutputFormat| PossibleValue::new(format.name()).help(format.title());
    let values = PossibleValuesParser::new(OutputFormat::ALL.map(value));
    values.try_map(|name| OutputFormat::of_name(&name).ok_or("no format has this name"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On terminals
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Conditions that make a run fail.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Violations")]
pub(crate) struct GateArgs {
    /// Which verdicts are violations
    #[arg(long, value_parser = failing(), value_delimiter = ',', value_name = "VERDICTS",
          default_values = ["fail", "inconclusive"])]
    pub(crate) fail_on: Vec<&'static str>,
    #[command(flatten)]
    pub(crate) tolerance: ToleranceArgs,
    #[command(flatten)]
    pub(crate) demands: DemandArgs,
}

/// Conditions on the input. If one does not hold, a run ends with 2.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input that is demanded")]
pub(crate) struct DemandArgs {
    /// The most records of event logs that no rule of the mapping matches: a number, or a share of all records, 1%
    #[arg(long, value_name = "N|RATE")]
    pub(crate) max_unmatched: Option<MostUnmatched>,
    /// The least number of sessions
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) min_sessions: u64,
    /// A location that must have an event in some session; may be given several times
    #[arg(long, value_name = "LOCATION")]
    pub(crate) require_location: Vec<String>,
}

impl DemandArgs {
    /// The demands.
    pub(crate) fn demands(&self) -> Demands {
        Demands {
            max_unmatched: self.max_unmatched.into_iter().collect(),
            min_sessions: self.min_sessions,
            locations: self.require_location.clone(),
        }
    }
}

/// Which violations are known or tolerated.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Violations")]
pub(crate) struct ToleranceArgs {
    /// End with 0 although there are violations; reports still list them
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// A number: stop after that many violations. A rate, 0.5%: check everything, and exit with 0
    /// when violations are at most that share of the sessions
    #[arg(long, value_name = "N|RATE", value_parser = max_failures)]
    pub(crate) max_failures: Option<MaxFailures>,
    /// Known places of faults. A session whose faults are all at known places is not a violation
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the violations of this run, known ones too, as a baseline; changes no exit code
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
}

/// The verdicts that can be violations, by the names that a gate knows them by.
fn failing() -> impl TypedValueParser<Value = &'static str> {
    let values = PossibleValuesParser::new([
        PossibleValue::new("fail"),
        PossibleValue::new("inconclusive"),
        PossibleValue::new("weak-pass").alias("weak_pass"),
        PossibleValue::new("cut-off").help("Accepted sessions whose event log was cut off"),
    ]);
    values.try_map(|name| Gate::name_of(&name).ok_or("no verdict has this name"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaxFailures {
    /// Stop after this many.
    Count(u64),
    /// This share of the sessions is tolerated.
    Rate(Rate),
}

fn max_failures(text: &str) -> Result<MaxFailures, String> {
    if text.contains('%') {
        return text.parse().map(MaxFailures::Rate).map_err(|error| format!("{error}"));
    }
    match text.parse() {
        Ok(count) if count > 0 => Ok(MaxFailures::Count(count)),
        _ => Err("neither a number from 1 nor a rate, as in 0.5%".to_owned()),
    }
}

/// Which sessions are checked.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Selection")]
#[command(group(ArgGroup::new("seeded").args(["sample", "shard"]).multiple(true)))]
pub(crate) struct SelectionArgs {
    /// Check only the sessions whose ids are in this file, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) only_sessions: Option<PathBuf>,
    /// Check only a share of the sessions, 1%, or a number of them. For a number, session files are
    /// read twice, and drawn sessions of event logs stay in memory. Which sessions are drawn depends
    /// on their ids and --seed alone
    #[arg(long, value_name = "RATE|N", value_parser = sample_size)]
    pub(crate) sample: Option<SampleSize>,
    /// Another number samples other sessions, and gives other sessions to each shard
    #[arg(long, value_name = "S", default_value_t = 0, requires = "seeded")]
    pub(crate) seed: u64,
    /// Check only the sessions of one of N parts, by hashes of their ids; `multitrace merge` makes one
    /// report of the partial reports of all. Remarks that belong to no session are in the first part
    #[arg(long, value_name = "I/N", conflicts_with = "shard_files")]
    pub(crate) shard: Option<ShardNumber>,
    /// Check only every N-th of the input files, from the I-th on
    #[arg(long, value_name = "I/N")]
    pub(crate) shard_files: Option<ShardNumber>,
}

pub(super) fn sample_size(text: &str) -> Result<SampleSize, String> {
    if text.contains('%') {
        return text.parse().map(SampleSize::Rate).map_err(|error| format!("{error}"));
    }
    let count = text.parse().map(SampleSize::Count);
    count.map_err(|_| "neither a number nor a rate, as in 0.5%".to_owned())
}

/// Where defaults come from.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigArgs {
    /// Defaults for these options [default: multitrace.toml here or in a folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
}
