//! The clusters of a monitor, as sessions are restricted to them and searched in them.

use crate::search::edges::Edges;
use multitrace_formats::bundle::{Bundle, Cluster};
use multitrace_interaction::Id;

/// The clusters of a monitor.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// Per cluster, the transitions of its automaton.
    pub(crate) edges: Vec<Edges>,
    /// Per cluster, whether it has each letter of the alphabet.
    pub(crate) has: Vec<Vec<bool>>,
}

impl Clusters {
    pub(crate) fn new(bundle: &Bundle) -> Clusters {
        let of = |cluster: &Cluster| Edges::new(&cluster.automaton, &bundle.alphabet);
        let has = |cluster: &Cluster| {
            let mut has = vec![false; bundle.alphabet.letters().len()];
            cluster.letters.iter().for_each(|letter| has[letter.index()] = true);
            has
        };
        Clusters {
            edges: bundle.clusters.iter().map(of).collect(),
            has: bundle.clusters.iter().map(has).collect(),
        }
    }
}
