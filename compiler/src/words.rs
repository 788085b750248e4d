//! Sets of states and of transitions, by whole words.

// The tables of a location have a set for each of its events, and among many locations a set holds most states of the
// automaton. Visited state by state, tables are the product of states and transitions, at some nanoseconds each. By words
// the same product is 64 times smaller: closures that are known are united instead of walked, and the work that a walk
// would have taken is counted from the set that it ends with.

use fixedbitset::FixedBitSet;
use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
use std::ops::Range;

/// How often the words of a set may be united into one closure. Closures that overlap more are walked. An estimate.
const UNIONS: usize = 4;

/// The letters of a location as a set, and the states at one end of its transitions.
pub(crate) fn own(
    nfa: &Nfa,
    letters: &[LetterId],
    end: impl Fn(&Transition) -> StateId,
) -> (FixedBitSet, FixedBitSet) {
    let is_own = FixedBitSet::from_iter(letters.iter().map(|letter| letter.index()));
    let own = nfa.transitions().iter().filter(|it| is_own.contains(it.letter.index()));
    let mut ends = FixedBitSet::with_capacity(nfa.state_count());
    ends.extend(own.map(|it| end(it).index()));
    (is_own, ends)
}

/// The bits that two sets share, in order.
pub(crate) fn common<'a>(
    one: &'a FixedBitSet,
    other: &'a FixedBitSet,
) -> impl Iterator<Item = usize> + 'a {
    let words = one.as_slice().iter().zip(other.as_slice()).map(|(one, other)| one & other);
    words.enumerate().filter(|&(_, word)| word != 0).flat_map(|(at, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(at * usize::BITS as usize + bit)
        })
    })
}

/// The words of a set between its first and its last bit.
pub(crate) fn span(set: &FixedBitSet) -> Range<usize> {
    let words = set.as_slice();
    let first = words.iter().position(|&word| word != 0).unwrap_or(0);
    let behind = words.iter().rposition(|&word| word != 0).map_or(first, |last| last + 1);
    first..behind
}

/// Adds the bits of some words of a set of the same length.
pub(crate) fn unite(target: &mut FixedBitSet, source: &FixedBitSet, words: Range<usize>) {
    let source = &source.as_slice()[words.clone()];
    for (word, more) in target.as_mut_slice()[words].iter_mut().zip(source) {
        *word |= more;
    }
}

/// A set as a bundle has it, in words of 64 bits.
pub(crate) fn long_words(set: &FixedBitSet) -> impl Iterator<Item = u64> + '_ {
    let parts = (u64::BITS / usize::BITS) as usize;
    set.as_slice().chunks(parts).map(|chunk| {
        let part = |(at, &word): (usize, &usize)| (word as u64) << (at as u32 * usize::BITS);
        chunk.iter().enumerate().map(part).sum()
    })
}

/// A number for each state: for each binary digit, the states whose number has it. The sum over a set then takes a count
/// of common bits for each digit.
#[derive(Clone, Debug)]
pub(crate) struct Degrees(Vec<FixedBitSet>);

impl Degrees {
    pub(crate) fn new(numbers: impl ExactSizeIterator<Item = usize>) -> Degrees {
        let states = numbers.len();
        let mut digits = Vec::new();
        for (state, number) in numbers.enumerate() {
            for digit in (0..usize::BITS - number.leading_zeros()).map(|it| it as usize) {
                if digit == digits.len() {
                    digits.push(FixedBitSet::with_capacity(states));
                }
                digits[digit].set(state, number >> digit & 1 == 1);
            }
        }
        Degrees(digits)
    }

    /// The sum over the states of a set.
    pub(crate) fn sum(&self, set: &FixedBitSet) -> usize {
        let digits = self.0.iter().enumerate();
        digits.map(|(digit, states)| set.intersection_count(states) << digit).sum()
    }
}

/// Which known set is the closure of a state alone.
#[derive(Debug)]
pub(crate) struct Closures {
    of_state: Vec<u32>,
}

/// For a state whose closure is unknown.
const UNKNOWN: u32 = u32::MAX;

impl Closures {
    pub(crate) fn new(states: usize) -> Closures {
        Closures { of_state: vec![UNKNOWN; states] }
    }

    /// Notes the set of some states, if there is one state.
    pub(crate) fn note(&mut self, states: &[StateId], set: u32) {
        if let [state] = states {
            self.of_state[state.index()] = set;
        }
    }

    pub(crate) fn of(&self, state: StateId) -> Option<usize> {
        let set = self.of_state[state.index()];
        (set != UNKNOWN).then_some(set as usize)
    }
}

/// The words that may still be united into one closure.
#[derive(Debug)]
pub(crate) struct Allowance(usize);

impl Allowance {
    /// For sets of this many words.
    pub(crate) fn new(words: usize) -> Allowance {
        Allowance(words * UNIONS)
    }

    /// Whether some words are still allowed, which are taken then.
    pub(crate) fn take(&mut self, words: usize) -> bool {
        let left = self.0.checked_sub(words);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bits: &[usize]) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(300);
        set.extend(bits.iter().copied());
        set
    }

    #[test]
    fn sets_share_bits_in_every_word() {
        let (one, other) = (set(&[0, 63, 64, 130, 299]), set(&[1, 63, 64, 131, 299]));
        assert_eq!(common(&one, &other).collect::<Vec<_>>(), [63, 64, 299]);
        assert_eq!(common(&one, &set(&[])).count(), 0);
    }

    #[test]
    fn a_span_has_all_bits_of_a_set() {
        assert!(span(&set(&[])).is_empty());
        for bits in [vec![0], vec![299], vec![70, 130], vec![0, 299]] {
            let mut copy = set(&[5]);
            unite(&mut copy, &set(&bits), span(&set(&bits)));
            let mut both = set(&bits);
            both.insert(5);
            assert_eq!(copy, both);
        }
        assert!(span(&set(&[70, 130])).len() < span(&set(&[0, 299])).len());
    }

    #[test]
    fn degrees_sum_to_what_states_have() {
        let degrees = Degrees::new((0..300).map(|state| state * state % 17));
        for bits in [vec![], vec![0], vec![3, 77, 299], (0..300).collect()] {
            let sum: usize = bits.iter().map(|state| state * state % 17).sum();
            assert_eq!(degrees.sum(&set(&bits)), sum);
        }
    }

    #[test]
    fn long_words_hold_the_bits_of_a_set() {
        let words: Vec<u64> = long_words(&set(&[0, 33, 64, 299])).collect();
        assert_eq!(words, [1 | 1 << 33, 1, 0, 0, 1 << (299 - 256)]);
    }

    #[test]
    fn an_allowance_ends() {
        let mut allowance = Allowance::new(2);
        assert!(allowance.take(5));
        assert!(!allowance.take(4));
        assert!(allowance.take(3));
        assert!(!allowance.take(1));
    }

    #[test]
    fn closures_are_those_of_single_states() {
        let [one, other] = [0, 1].map(StateId::new);
        let mut closures = Closures::new(2);
        closures.note(&[one, other], 3);
        assert_eq!((closures.of(one), closures.of(other)), (None, None));
        closures.note(&[other], 7);
        assert_eq!((closures.of(one), closures.of(other)), (None, Some(7)));
    }
}
