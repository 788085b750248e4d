//! Budgets of a search.

use clap::Args;

/// Limits for one session; one that needs more is inconclusive.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Budget of a session")]
pub(crate) struct BudgetArgs {
    /// The most states one search may visit [default: 500 for each event of the session, at least
    /// 4000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 31))]
    pub(crate) budget_states: Option<u64>,
    /// The most memory one search may use, roughly: 512MiB, 2GB
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) budget_memory: bytesize::ByteSize,
    /// The most time for a session: 500ms, 10s; verdicts then depend on the machine [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget_time: Option<humantime::Duration>,
}
