//! Non-deterministic finite automata (paper 004 def. 2) over the letters of an
//! [`Alphabet`](crate::Alphabet), with several initial states allowed.

use crate::id::{Id, LetterId, StateId, TransitionId};
use fixedbitset::FixedBitSet;

/// `from –letter→ to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// Where it starts.
    pub from: StateId,
    /// The letter that it reads.
    pub letter: LetterId,
    /// Where it leads.
    pub to: StateId,
}

/// An automaton whose transitions are sorted by source, letter and target, without repetition.
///
/// ```
/// use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
/// let (q0, q1) = (StateId::new(0), StateId::new(1));
/// let step = Transition { from: q0, letter: LetterId::new(0), to: q1 };
/// let nfa = Nfa::new(2, [q0], [q1], vec![step]).expect("states in range");
/// assert_eq!(nfa.outgoing(q0), [step]);
/// assert!(nfa.is_final(q1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nfa {
    initial: Vec<StateId>,
    finals: FixedBitSet,
    transitions: Vec<Transition>,
    rows: Vec<u32>,
}

/// A state named by a transition, or as initial or final, is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("state {} is out of range", .0.index())]
pub struct StateOutOfRange(pub StateId);

impl Nfa {
    /// The automaton with these parts, in any order, repetitions allowed.
    ///
    /// # Errors
    /// If a state is not below `states`.
    pub fn new(
        states: usize,
        initial: impl IntoIterator<Item = StateId>,
        finals: impl IntoIterator<Item = StateId>,
        mut transitions: Vec<Transition>,
    ) -> Result<Nfa, StateOutOfRange> {
        let in_range = |state: StateId| {
            if state.index() < states { Ok(state) } else { Err(StateOutOfRange(state)) }
        };
        let mut initial = initial.into_iter().map(in_range).collect::<Result<Vec<_>, _>>()?;
        initial.sort();
        initial.dedup();
        let mut final_set = FixedBitSet::with_capacity(states);
        for state in finals {
            final_set.insert(in_range(state)?.index());
        }
        for transition in &transitions {
            in_range(transition.from)?;
            in_range(transition.to)?;
        }
        transitions.sort_unstable();
        transitions.dedup();
        let rows = row_starts(states, &transitions);
        Ok(Nfa { initial, finals: final_set, transitions, rows })
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.finals.len()
    }

    /// Every state in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.state_count()).map(StateId::new)
    }

    /// The states a path starts from, in order.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// Whether a path may end here.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    #[inline]
    pub fn is_final(&self, state: StateId) -> bool {
        self.finals[state.index()]
    }

    /// The final states in order.
    pub fn finals(&self) -> impl Iterator<Item = StateId> + '_ {
        self.finals.ones().map(StateId::new)
    }

    /// Every transition, by source, letter and target.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The transitions that start at a state.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    #[inline]
    pub fn outgoing(&self, state: StateId) -> &[Transition] {
        &self.transitions[self.row(state)]
    }

    /// The transitions that start at a state, each with its id.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn outgoing_ids(
        &self,
        state: StateId,
    ) -> impl Iterator<Item = (TransitionId, Transition)> + '_ {
        self.row(state).map(|index| (TransitionId::new(index), self.transitions[index]))
    }

    /// The transitions that start at a state and read a letter.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn reading(&self, state: StateId, letter: LetterId) -> &[Transition] {
        let row = self.outgoing(state);
        let start = row.partition_point(|t| t.letter < letter);
        let length = row[start..].partition_point(|t| t.letter == letter);
        &row[start..start + length]
    }

    #[inline]
    fn row(&self, state: StateId) -> std::ops::Range<usize> {
        self.rows[state.index()] as usize..self.rows[state.index() + 1] as usize
    }
}

/// Where the transitions of each state start in the sorted list, and the end.
fn row_starts(states: usize, transitions: &[Transition]) -> Vec<u32> {
    let mut rows = vec![0_u32; states + 1];
    for transition in transitions {
        rows[transition.from.index() + 1] += 1;
    }
    for state in 0..states {
        rows[state + 1] += rows[state];
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(from: usize, letter: usize, to: usize) -> Transition {
        Transition { from: StateId::new(from), letter: LetterId::new(letter), to: StateId::new(to) }
    }

    #[test]
    fn transitions_are_sorted_and_unique() {
        let list = vec![
            transition(1, 0, 0),
            transition(0, 1, 1),
            transition(0, 0, 1),
            transition(0, 1, 1),
        ];
        let nfa = Nfa::new(2, [StateId::new(0)], [StateId::new(1)], list).expect("in range");
        assert_eq!(
            nfa.transitions(),
            [transition(0, 0, 1), transition(0, 1, 1), transition(1, 0, 0)]
        );
        assert_eq!(nfa.outgoing(StateId::new(1)), [transition(1, 0, 0)]);
        assert_eq!(nfa.reading(StateId::new(0), LetterId::new(1)), [transition(0, 1, 1)]);
        assert_eq!(nfa.reading(StateId::new(0), LetterId::new(2)), []);
    }

    #[test]
    fn states_out_of_range_are_refused() {
        let bad = Nfa::new(1, [], [], vec![transition(0, 0, 1)]);
        assert_eq!(bad, Err(StateOutOfRange(StateId::new(1))));
    }
}
