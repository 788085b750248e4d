//! Refuting a session by parts of the specification alone.
//
// Idea: where `par` interleaves parts over shared lifelines, two locations that disagree inside one
// part are seen only after all interleavings with the other parts. So the session is restricted to
// the letters of each cluster, and searched in the automaton of that cluster, which is small.
//
// Invariant: only "no" means something. A run that explains the session, with all other letters
// hidden, explains the restricted session in the cluster: each log stays the whole, a prefix or a
// factor of what its location did there. What may go unobserved is decided on the log as given: in
// missing mode a log that has no event of a cluster is not missing unless it is empty.
//
// Cost: a look at every event for each cluster, and the nodes of a search in which only the events of
// one part interleave. No allocation once warm.

use crate::budget::Allowance;
use crate::clusters::restricted::ClusterScratch;
use crate::scratch::Scratch;
use crate::search::outcome::SearchOutcome;
use crate::search::packed_search::{PackedProblem, PackedSearch};
use crate::search::question::Question;
use multitrace_interaction::Observation;

/// The most nodes that are visited in all clusters together: some 3 ms at 15 ns a node
/// (`packed_search.rs`). A larger number refutes in larger clusters; a smaller one leaves more time to
/// the search that follows.
const NODES: u64 = 200_000;

/// Whether some cluster refuses the session, in any mode but global-prefix.
pub(crate) fn refutes(question: &Question<'_>, scratch: &mut Scratch) -> bool {
    refuting(question, scratch).is_some()
}

/// The first cluster that refuses the session.
pub(crate) fn refuting(question: &Question<'_>, scratch: &mut Scratch) -> Option<usize> {
    let monitor = question.monitor;
    let mode = scratch.clusters.settle(question);
    let mut left = NODES;
    (0..monitor.bundle().clusters.len()).find(|&cluster| {
        scratch.clusters.restrict(question, &monitor.clusters().has[cluster]);
        let Scratch { clusters, packed, .. } = &mut *scratch;
        let allowance = question.allowance.with_states(left);
        let refused = is_refused(question, cluster, (clusters, mode, allowance), packed);
        let visits = scratch.packed.visits();
        scratch.visits += visits;
        left = left.saturating_sub(visits);
        refused
    })
}

fn is_refused(
    question: &Question<'_>,
    cluster: usize,
    (restricted, observation, allowance): (&ClusterScratch, Observation, Allowance),
    search: &mut PackedSearch,
) -> bool {
    let monitor = question.monitor;
    let outcome = search.run(&PackedProblem {
        question: Question {
            monitor,
            trace: &restricted.trace,
            observation,
            open_ends: &restricted.open_ends,
            allowance,
        },
        automaton: &monitor.bundle().clusters[cluster].automaton,
        edges: &monitor.clusters().edges[cluster],
        look_ahead: None,
    });
    outcome == SearchOutcome::Exhausted
}
