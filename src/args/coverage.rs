//! Arguments of `check` on the parts of the specification that sessions take.

use clap::Args;
use std::path::PathBuf;

/// How the parts of the specification that sessions take are reported.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Coverage")]
pub(crate) struct CoverageArgs {
    /// Report which parts of the specification the passing sessions took (human, json, json-lines)
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Write it in the format of lcov, which shows it on the lines of the specification
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_file: Option<PathBuf>,
    /// Exit with 1 if the passing sessions took less than this share of the parts, such as 80%
    #[arg(long, value_name = "N%", value_parser = percent)]
    pub(crate) min_coverage: Option<f64>,
}

impl CoverageArgs {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.coverage || self.coverage_file.is_some() || self.min_coverage.is_some()
    }
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(str::trim).and_then(|text| text.parse().ok());
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "not a share from 0% to 100%, such as 80%".to_owned())
}
