//! The graph that paper 003 sec. 6 measures, for comparison.

use crate::budget::Allowance;
use crate::config::CheckConfig;
use crate::decide::search_setup::{analysis, problem, traces};
use crate::monitor::Monitor;
use crate::search::outcome::SearchOutcome;
use crate::search::problem::Unobserved;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{Engine, Observation, Session};

/// The nodes that a search with lifeline removal visited, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovalGraph {
    /// How many nodes it visited.
    pub vertices: u64,
    /// Whether it found an interleaving; `None` if the budget was spent first.
    pub is_prefix: Option<bool>,
}

impl Monitor {
    /// Searches for an interleaving of a prefix with lifeline removal (paper 003 sec. 6): to the
    /// end of the graph if `whole`, else until one is found. `None` if the bundle has no terms.
    ///
    /// Paper 003 removes a lifeline in a step of its own; here the step that ends its log removes
    /// it. Nodes that a local analysis refuses are not counted.
    pub fn removal_graph(
        &self,
        session: &Session,
        config: &CheckConfig,
        whole: bool,
    ) -> Option<RemovalGraph> {
        let allowance = Allowance::begin(&config.budget, session.event_count());
        let terms = self.terms(traces(config), allowance.stop())?;
        let engine = Engine::Term;
        let task = Task { monitor: self, session, config, engine, open_ends: &[], allowance };
        let analysis = analysis(&terms, &task, Observation::Prefix);
        let mut problem = problem(&terms, &task, Observation::Prefix, &analysis);
        problem.unobserved = Unobserved::Removed;
        problem.whole_graph = whole;
        problem.witness = false;
        let mut search = ShuffleSearch::default();
        let is_prefix = match search.run(&problem, &mut |_, _| {}) {
            SearchOutcome::Found => Some(true),
            SearchOutcome::Exhausted => Some(false),
            SearchOutcome::Spent(_) | SearchOutcome::Cut | SearchOutcome::DoesNotFit => None,
        };
        Some(RemovalGraph { vertices: search.explored(), is_prefix })
    }
}
