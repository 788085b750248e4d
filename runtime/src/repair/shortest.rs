//! The length of the shortest session that a mode accepts, which fitness compares with.
//
// Idea: on an interaction, every way to schedule two operands keeps all their actions, and some
// order is always allowed; so the length of an operator is the sum of those of its operands, or the
// smaller one, or nothing. On an automaton it is the least number of letters on a path.
//
// In prefix and slice mode the empty session is accepted. In missing mode, logs are missing that
// the session lacks, and only the others count: so a repair never costs more than deleting all
// events and inserting a shortest session.
//
// Cost: linear in the specification, once for each set of missing logs.

use crate::monitor::Monitor;
use crate::repair::known_logs::KnownLogs;
use multitrace_interaction::{
    Alphabet, Id, Interaction, LetterId, LifelineId, LocationId, Nfa, Node, NodeId, Observation,
    Signature,
};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// With more sets of missing logs than this, all are forgotten: a few megabytes at most with
/// hundreds of locations.
const MOST_KNOWN: usize = 1 << 14;

/// The lengths that were needed so far.
#[derive(Debug, Default)]
pub(crate) struct ShortestLengths {
    /// By whether each location counts.
    known: FxHashMap<Vec<bool>, Option<u64>>,
    counts: Vec<bool>,
}

impl ShortestLengths {
    /// The length for a session with these logs; `None` if the specification accepts nothing.
    pub(crate) fn of(&mut self, monitor: &Monitor, logs: &KnownLogs) -> Option<u64> {
        let is_open = matches!(logs.observation(), Observation::Prefix | Observation::Slice);
        self.counts.clear();
        let counts = |location| !is_open && !logs.is_missing(location);
        self.counts.extend((0..logs.locations()).map(counts));
        if let Some(&known) = self.known.get(&self.counts) {
            return known;
        }
        let length = shortest(monitor, &self.counts);
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(self.counts.clone(), length);
        length
    }
}

fn shortest(monitor: &Monitor, counts: &[bool]) -> Option<u64> {
    let at = |location: LocationId| u64::from(counts[location.index()]);
    match &monitor.bundle().source {
        Some((signature, interaction)) => {
            let of = |lifeline| at(location_of(signature, monitor.alphabet(), lifeline));
            Some(of_interaction(interaction, &of))
        }
        None => {
            of_automaton(&monitor.central().ok()?.search, &|letter| at(monitor.location_of(letter)))
        }
    }
}

fn location_of(signature: &Signature, alphabet: &Alphabet, lifeline: LifelineId) -> LocationId {
    let location = alphabet.location_of_lifeline(signature.lifeline_name(lifeline));
    location.expect("every lifeline of the interaction has a location")
}

fn of_interaction(interaction: &Interaction, of: &dyn Fn(LifelineId) -> u64) -> u64 {
    let mut lengths: Vec<u64> = Vec::new();
    for node in interaction.nodes() {
        let at = |id: &NodeId| lengths[id.index()];
        let length = match node {
            Node::Empty | Node::Loop(..) => 0,
            Node::Step(step) => step.actions().iter().map(|action| of(action.lifeline)).sum(),
            Node::Alt(a, b) => at(a).min(at(b)),
            Node::Strict(a, b) | Node::Seq(a, b) | Node::Par(a, b) | Node::CoReg(_, a, b) => {
                at(a).saturating_add(at(b))
            }
        };
        lengths.push(length);
    }
    lengths.last().copied().unwrap_or(0)
}

/// The least cost from an initial to a final state, where letters cost 0 or 1.
fn of_automaton(nfa: &Nfa, cost: &dyn Fn(LetterId) -> u64) -> Option<u64> {
    let mut least = vec![u64::MAX; nfa.state_count()];
    let mut queue: VecDeque<_> = nfa.initial().iter().map(|&state| (0, state)).collect();
    while let Some((so_far, state)) = queue.pop_front() {
        if so_far >= least[state.index()] {
            continue;
        }
        least[state.index()] = so_far;
        if nfa.is_final(state) {
            return Some(so_far);
        }
        for transition in nfa.outgoing(state) {
            match cost(transition.letter) {
                0 => queue.push_front((so_far, transition.to)),
                more => queue.push_back((so_far + more, transition.to)),
            }
        }
    }
    None
}
