//! Repairs on a compiled automaton.

use crate::repair::alignment_search::{AlignmentRun, AlignmentSearch, Distance};
use crate::repair::cost_tables::CostTables;
use crate::repair::known_logs::KnownLogs;
use crate::repair::problem::AlignmentProblem;
use crate::repair::session_costs::{SessionCosts, TableEstimate};
use crate::search::problem::Unobserved;
use crate::task::Task;

/// The distance of some logs from the multi-traces of the compiled automaton; the search has the path.
pub(crate) fn align(
    task: &Task<'_>,
    logs: &KnownLogs,
    search: &mut AlignmentSearch,
    tables: &mut CostTables,
    costs: &mut SessionCosts,
) -> Distance {
    let Ok(automaton) = task.monitor.central() else { return Distance::UNKNOWN };
    costs.fill(tables, task.monitor, logs, &task.allowance);
    let problem = AlignmentProblem {
        monitor: task.monitor,
        logs,
        automaton: &automaton.search,
        allowance: &task.allowance,
        unobserved: Unobserved::Moves,
        heaviest: u32::MAX,
    };
    let estimate = &mut TableEstimate { tables, costs, classes: task.monitor.classes() };
    AlignmentRun { search, problem: &problem, estimate }.run()
}
