//! Merging equivalent states: by their futures (bisimulation), and by their pasts
//! (bisimulation of the reversed automaton). Either keeps the accepted words.
//!
//! Partition refinement by signatures: when a class splits, its largest part keeps its name, so a
//! state is renamed at most log n times and only the sources of renamed states are looked at again.

use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Merges states with equal futures, then states with equal pasts, until neither changes anything.
pub fn merge(nfa: &Nfa) -> Nfa {
    let mut current = merge_futures(nfa);
    loop {
        let before = current.state_count();
        current = reverse(&merge_futures(&reverse(&current)));
        current = merge_futures(&current);
        if current.state_count() == before {
            return current;
        }
    }
}

/// Merges states from which the same transitions lead to the same merged states. On a trimmed
/// deterministic automaton this minimises.
pub fn merge_futures(nfa: &Nfa) -> Nfa {
    let mut refinement = Refinement::new(nfa);
    refinement.run();
    quotient(nfa, &refinement.class)
}

fn reverse(nfa: &Nfa) -> Nfa {
    let flipped =
        nfa.transitions().iter().map(|t| Transition { from: t.to, letter: t.letter, to: t.from });
    Nfa::new(nfa.state_count(), nfa.finals(), nfa.initial().iter().copied(), flipped.collect())
        .unwrap_or_else(|_| unreachable!("states stay in range"))
}

type Signature = Vec<(LetterId, u32)>;

struct Refinement<'a> {
    nfa: &'a Nfa,
    sources: Vec<Vec<StateId>>,
    class: Vec<u32>,
    members: Vec<BTreeSet<StateId>>,
    /// States whose signature may have changed, by class.
    dirty: BTreeMap<u32, BTreeSet<StateId>>,
}

impl<'a> Refinement<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        let class: Vec<u32> = nfa.states().map(|s| u32::from(nfa.is_final(s))).collect();
        let mut members = vec![BTreeSet::new(), BTreeSet::new()];
        for state in nfa.states() {
            members[class[state.index()] as usize].insert(state);
        }
        let dirty = members.iter().cloned().enumerate().map(|(c, all)| (c as u32, all)).collect();
        Refinement { nfa, sources: crate::trim::sources(nfa), class, members, dirty }
    }

    fn run(&mut self) {
        while let Some((class, changed)) = self.dirty.pop_first() {
            self.split(class, changed);
        }
    }

    fn signature(&self, state: StateId) -> Signature {
        let outgoing = self.nfa.outgoing(state).iter();
        let mut signature: Signature =
            outgoing.map(|t| (t.letter, self.class[t.to.index()])).collect();
        signature.sort_unstable();
        signature.dedup();
        signature
    }

    /// Splits a class by signature. The members that did not change still have one in common, so
    /// one of them speaks for all. The largest part keeps the class.
    fn split(&mut self, class: u32, changed: BTreeSet<StateId>) {
        let members = &self.members[class as usize];
        let unchanged = members.len() - changed.len();
        let common = members.iter().find(|state| !changed.contains(state));
        let common = common.map(|&state| self.signature(state));
        let mut parts: BTreeMap<Signature, Vec<StateId>> = BTreeMap::new();
        for &state in &changed {
            parts.entry(self.signature(state)).or_default().push(state);
        }
        if let Some(common) = &common {
            parts.entry(common.clone()).or_default();
        }
        let size = |(signature, states): &(&Signature, &Vec<StateId>)| {
            states.len() + if common.as_ref() == Some(*signature) { unchanged } else { 0 }
        };
        let largest = parts.iter().max_by_key(size).map(|(signature, _)| signature.clone());
        for (signature, mut states) in parts {
            if Some(&signature) == largest.as_ref() {
                continue;
            }
            if Some(&signature) == common.as_ref() {
                states.extend(self.members[class as usize].difference(&changed));
            }
            self.rename(class, &states);
        }
    }

    /// Moves states to a new class and marks the sources of their transitions.
    fn rename(&mut self, old: u32, states: &[StateId]) {
        let new = self.members.len() as u32;
        self.members.push(states.iter().copied().collect());
        for state in states {
            self.members[old as usize].remove(state);
            self.class[state.index()] = new;
            if let Some(dirty) = self.dirty.get_mut(&old)
                && dirty.remove(state)
            {
                self.dirty.entry(new).or_default().insert(*state);
            }
        }
        for state in states {
            for source in &self.sources[state.index()] {
                let class = self.class[source.index()];
                self.dirty.entry(class).or_default().insert(*source);
            }
        }
    }
}

/// One state per class, numbered by the smallest member.
fn quotient(nfa: &Nfa, class: &[u32]) -> Nfa {
    let mut rank: FxHashMap<u32, StateId> = FxHashMap::default();
    for &class in class {
        let next = StateId::new(rank.len());
        rank.entry(class).or_insert(next);
    }
    let renamed = |state: StateId| rank[&class[state.index()]];
    let transitions = nfa.transitions().iter();
    let transitions = transitions.map(|t| Transition {
        from: renamed(t.from),
        letter: t.letter,
        to: renamed(t.to),
    });
    let initial = nfa.initial().iter().map(|&state| renamed(state));
    let finals = nfa.finals().map(renamed);
    Nfa::new(rank.len(), initial, finals, transitions.collect())
        .unwrap_or_else(|_| unreachable!("renamed states are in range"))
}
