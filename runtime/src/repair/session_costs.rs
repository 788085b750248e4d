//! The rows of cost tables for one session: the estimate of a search on a compiled automaton.

use crate::budget::Allowance;
use crate::monitor::Monitor;
use crate::monitor::local_classes::LocalClasses;
use crate::repair::cost::Cost;
use crate::repair::cost_tables::{CostTables, Costs, ZEROS};
use crate::repair::estimate::Estimate;
use crate::repair::known_logs::KnownLogs;
use crate::repair::local_view::LocalView;
use multitrace_interaction::{Id, Observation, StateId};

/// The rows of a session may take one byte in this many of its budget; the rest is for the nodes. An
/// even split, not measured against others.
const TABLES_OF_BUDGET: u64 = 4;

/// Per location and position, the costs of the rest of the log.
#[derive(Debug, Default)]
pub(crate) struct SessionCosts {
    costs: Vec<Costs>,
    /// Per location, where its positions begin.
    starts: Vec<usize>,
    /// Per row, the last session that used it, by its number.
    used: Vec<u32>,
    session: u32,
    /// The bytes that the rows of this session take.
    bytes: u64,
    /// At the positions of a node: per location, where its row begins and the cost to add to its entries; and the sum
    /// of the latter.
    here: Vec<(usize, Cost)>,
    plus: Cost,
}

impl SessionCosts {
    /// Finds the rows of a session. A location whose rows do not fit the bytes that are left has
    /// zeros instead. The charge of a session does not depend on the sessions before.
    pub(crate) fn fill(
        &mut self,
        tables: &mut CostTables,
        monitor: &Monitor,
        logs: &KnownLogs,
        allowance: &Allowance,
    ) {
        tables.begin(monitor);
        self.session = self.session.wrapping_add(1);
        self.costs.clear();
        self.starts.clear();
        self.bytes = 0;
        for location in monitor.locations() {
            let start = self.costs.len();
            self.starts.push(start);
            let length = logs.log(location.index()).len();
            self.costs.resize(start + length + 1, Costs { row: ZEROS, plus: Cost::ZERO });
            let before = self.bytes;
            if self.walk(tables, LocalView::new(monitor, location), logs, allowance).is_none() {
                self.costs[start..].fill(Costs { row: ZEROS, plus: Cost::ZERO });
                self.bytes = before;
            }
        }
    }

    /// Walks back over one log; `None` if its rows take more bytes than there are.
    fn walk(
        &mut self,
        tables: &mut CostTables,
        view: LocalView<'_>,
        logs: &KnownLogs,
        allowance: &Allowance,
    ) -> Option<()> {
        let location = view.location;
        let log = logs.log(location.index());
        let start = self.starts[location.index()];
        let mut costs = match logs.may_go_on(location.index()) {
            true => Costs { row: ZEROS, plus: Cost::ZERO },
            false => tables.end(view),
        };
        self.note(tables, start + log.len(), costs, allowance)?;
        for (position, &letter) in log.iter().enumerate().rev() {
            let zone = logs.zone(location.index(), position as u32);
            costs = tables.read(view, costs, (letter, zone));
            self.note(tables, start + position, costs, allowance)?;
        }
        if logs.observation() == Observation::Slice && !log.is_empty() {
            costs = tables.not_begun(view, costs);
            self.note(tables, start, costs, allowance)?;
        }
        Some(())
    }

    /// Notes the costs of a rest, and charges for their row if the session has not used it before.
    fn note(
        &mut self,
        tables: &CostTables,
        at: usize,
        costs: Costs,
        allowance: &Allowance,
    ) -> Option<()> {
        if self.used.len() < tables.len() {
            self.used.resize(tables.len(), self.session.wrapping_sub(1));
        }
        self.costs[at] = costs;
        self.bytes += size_of::<Costs>() as u64;
        if self.used[costs.row as usize] != self.session {
            self.used[costs.row as usize] = self.session;
            self.bytes += tables.bytes_of(costs.row) as u64;
        }
        let fits = self.bytes <= allowance.bytes / TABLES_OF_BUDGET && !allowance.is_late();
        fits.then_some(())
    }
}

/// The estimate of a search: the rows of a session, with the tables they are in.
pub(crate) struct TableEstimate<'a> {
    pub(crate) tables: &'a CostTables,
    pub(crate) costs: &'a mut SessionCosts,
    pub(crate) classes: Option<&'a LocalClasses>,
}

impl Estimate for TableEstimate<'_> {
    fn load(&mut self, positions: &[u32]) {
        let SessionCosts { costs, starts, here, plus, .. } = &mut *self.costs;
        here.clear();
        *plus = Cost::ZERO;
        for (start, &position) in starts.iter().zip(positions) {
            let costs = costs[start + position as usize];
            here.push((self.tables.start(costs.row), costs.plus));
            *plus = *plus + costs.plus;
        }
    }

    #[inline]
    fn at(&mut self, state: StateId) -> Cost {
        let (entries, here) = (self.tables.entries(), self.costs.here.iter());
        let rest: Cost = match self.classes {
            Some(classes) => {
                let rows = here.zip(classes.of(state));
                rows.map(|((row, _), class)| entries[row + *class as usize]).sum()
            }
            None => here.map(|(row, _)| entries[row + state.index()]).sum(),
        };
        self.costs.plus + rest
    }

    #[inline]
    fn moved(&mut self, state: StateId, location: usize, position: u32) -> Cost {
        let there = self.costs.costs[self.costs.starts[location] + position as usize];
        let after = (self.tables.start(there.row), there.plus);
        let before = std::mem::replace(&mut self.costs.here[location], after);
        let plus = std::mem::replace(&mut self.costs.plus, Cost::ZERO);
        let moved = self.at(state) + (plus + there.plus).minus(before.1);
        (self.costs.here[location], self.costs.plus) = (before, plus);
        moved
    }

    fn bytes(&self) -> u64 {
        self.costs.bytes
    }
}
