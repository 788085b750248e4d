//! The clusters of a monitor, as sessions are restricted to them and searched in them.

use crate::lists::Lists;
use crate::search::edges::Edges;
use multitrace_formats::bundle::Cluster;
use multitrace_interaction::{Alphabet, Id};

/// The clusters of a monitor.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// Per cluster, the transitions of its automaton.
    pub(crate) edges: Vec<Edges>,
    /// Per cluster, whether it has each letter of the alphabet.
    pub(crate) has: Vec<Vec<bool>>,
    /// Per letter, the clusters that have it.
    pub(crate) of_letter: Lists,
}

impl Clusters {
    pub(crate) fn new(clusters: &[Cluster], alphabet: &Alphabet) -> Clusters {
        let of = |cluster: &Cluster| Edges::new(&cluster.automaton, alphabet);
        let has = |cluster: &Cluster| {
            let mut has = vec![false; alphabet.letters().len()];
            cluster.letters.iter().for_each(|letter| has[letter.index()] = true);
            has
        };
        let mut of_letter = Lists::default();
        let letters = (0..).zip(clusters).flat_map(|(number, cluster): (u32, &Cluster)| {
            cluster.letters.iter().map(move |letter| (letter.index(), number))
        });
        of_letter.fill(alphabet.letters().len(), letters);
        Clusters {
            edges: clusters.iter().map(of).collect(),
            has: clusters.iter().map(has).collect(),
            of_letter,
        }
    }
}
