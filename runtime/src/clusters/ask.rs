//! What clusters say of a session: first those that only refute, then those that order its events.

use crate::budget::{Allowance, Budget};
use crate::clusters::orders::{Orders, Refusal};
use crate::clusters::refute::{refutes, refuting};
use crate::clusters::restricted::ClusterScratch;
use crate::monitor::Monitor;
use crate::scratch::Scratch;
use crate::search::question::Question;
use crate::task::Task;
use multitrace_formats::bundle::Cluster;
use multitrace_interaction::{MultiTrace, Observation};

/// What clusters say of a session, if they may be asked.
///
/// # Errors
/// If no run explains the session.
pub(crate) fn ask(
    task: &Task<'_>,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Result<Option<Orders>, Refusal> {
    if !task.config.asks_clusters() {
        return Ok(None);
    }
    if refutes(question, scratch) {
        return Err(Refusal::Cluster);
    }
    scratch.clusters.visits = 0;
    let orders = Orders::of(question, &mut scratch.clusters, &mut scratch.orders);
    scratch.visits += scratch.clusters.visits;
    orders
}

impl Monitor {
    /// The first cluster of the bundle that refuses a session, if one does: then the session is not
    /// accepted in the observation mode. `None` in global-prefix mode.
    pub fn refuting_cluster(
        &self,
        trace: &MultiTrace,
        observation: Observation,
    ) -> Option<&Cluster> {
        if observation == Observation::GlobalPrefix {
            return None;
        }
        let cluster = refuting(&self.plain_question(trace, observation), &mut Scratch::default())?;
        self.bundle().clusters.get(cluster)
    }

    /// Whether the order that the clusters of the bundle give to the events of a session refuses it: then
    /// it is not accepted in the observation mode. False in global-prefix mode.
    pub fn is_refused_by_order(&self, trace: &MultiTrace, observation: Observation) -> bool {
        let question = self.plain_question(trace, observation);
        observation != Observation::GlobalPrefix
            && Orders::of(&question, &mut ClusterScratch::default(), &mut Orders::default())
                .is_err()
    }

    fn plain_question<'a>(
        &'a self,
        trace: &'a MultiTrace,
        observation: Observation,
    ) -> Question<'a> {
        let allowance = Allowance::begin(&Budget::default(), 0);
        Question { monitor: self, trace, observation, open_ends: &[], allowance }
    }
}
