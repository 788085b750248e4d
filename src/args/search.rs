//! Budgets of a search, and the choices of the papers.

use clap::{Args, ValueEnum};
use multitrace::runtime::{ActionLimit, Criterion, LoopLimit};

/// What one session may cost; one that needs more is inconclusive.
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

/// The heading of options that only comparisons with the papers need.
pub(super) const COMPARISON: &str = "For comparison with the papers";

/// How terms decide; for comparison with the papers, exact verdicts stay the same.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = COMPARISON)]
pub(crate) struct TermArgs {
    /// How prefixes and slices are decided on terms
    #[arg(long, value_enum, default_value = "exact", hide_short_help = true)]
    pub(crate) method: MethodArg,
    /// Check the interaction as it was written with these reductions alone, none or several of
    /// por,loc (paper 003) [default: our own]
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "REDUCTIONS",
        hide_short_help = true
    )]
    pub(crate) reductions: Option<Vec<ReductionArg>>,
    /// How many events of each log look-ahead on terms reads [default: all]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) look_ahead: Option<u32>,
    /// When --method simulation stops: loops=depth|count|N, actions=outside|N, multiply, reset,
    /// before (paper 000 sec. 7.3)
    #[arg(long, value_name = "CRITERION", default_value = "loops=depth,actions=outside,reset,before",
          value_parser = criterion, hide_short_help = true)]
    pub(crate) simulation: Criterion,
}

impl TermArgs {
    /// Whether any of them was asked for.
    pub(crate) fn any(&self) -> bool {
        self.method != MethodArg::Exact || self.reductions.is_some() || self.look_ahead.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Lifeline removal refutes, simulation confirms, as far as the budget goes
    Exact,
    /// Lifeline removal alone (papers 002, 003); prefixes only
    Removal,
    /// Simulation alone, as far as a criterion goes (paper 000)
    Simulation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReductionArg {
    /// None of them
    None,
    /// Partial order reduction by one-unambiguous actions
    Por,
    /// Local analyses
    Loc,
}

/// Reads `loops=depth,actions=outside,reset,before`. Flags that are not named are off.
fn criterion(text: &str) -> Result<Criterion, String> {
    let mut read = Criterion { reset: false, before: false, ..Criterion::default() };
    for part in text.split(',') {
        match part.split_once('=') {
            Some(("loops", "depth")) => read.loops = LoopLimit::Depth,
            Some(("loops", "count")) => read.loops = LoopLimit::Count,
            Some(("loops", most)) => read.loops = LoopLimit::AtMost(number("loops", most)?),
            Some(("actions", "outside")) => read.actions = ActionLimit::Outside,
            Some(("actions", most)) => {
                read.actions = ActionLimit::AtMost(number("actions", most)?);
            }
            None if part == "multiply" => read.multiply = true,
            None if part == "reset" => read.reset = true,
            None if part == "before" => read.before = true,
            _ => {
                return Err(format!(
                    "{part:?} is none of loops=depth|count|N, actions=outside|N, multiply, reset, \
                     before"
                ));
            }
        }
    }
    Ok(read)
}

fn number(name: &str, text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("{name}={text:?} is not a number"))
}
