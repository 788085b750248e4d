//! Balance: laws about the numbers of events that every accepted session obeys, and the law that a session breaks.
//
// Idea: the counts of all accepted sessions span an affine space, and the laws are equations of it. Letters that
// always differ by a constant are linked in a chain, each law with the letter after it: people understand those, so
// they come first. The remaining laws relate the first letters of the chains.

use crate::id::{Id, LetterId};
use crate::trace::MultiTrace;

/// The sum of counts, each times its coefficient, is a constant in every accepted session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law {
    /// Letters in order, each once, and their coefficients, which are not 0.
    pub letters: Vec<(LetterId, i64)>,
    /// The sum.
    pub constant: i64,
}

/// Laws that hold in every accepted session. Not all of them, if a limit was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Letters with a constant count and pairs with a constant difference, which form chains; then all others.
    pub laws: Vec<Law>,
}

/// A law that a session breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// The law.
    pub law: Law,
    /// How often each of its letters occurs.
    pub counts: Vec<u32>,
}

impl Law {
    /// By how much the sum exceeds the constant. `counts` has an entry for each letter of the alphabet.
    ///
    /// # Panics
    /// If the law names a letter beyond the counts.
    pub fn difference(&self, counts: &[u32]) -> i128 {
        // 2^32 letters times 2^32 events times 2^63 fits.
        let term = |&(letter, coefficient): &(LetterId, i64)| {
            i128::from(coefficient) * i128::from(counts[letter.index()])
        };
        self.letters.iter().map(term).sum::<i128>() - i128::from(self.constant)
    }

    /// Both letters of a law that they differ by a constant.
    fn pair(&self) -> Option<[LetterId; 2]> {
        match self.letters[..] {
            [(a, 1), (b, -1)] => Some([a, b]),
            _ => None,
        }
    }
}

impl Balance {
    /// The first law that a session of these logs breaks. `counts` is memory for its counts by letter; events
    /// beyond the `letters` of the alphabet are not counted.
    pub fn broken(
        &self,
        trace: &MultiTrace,
        letters: usize,
        counts: &mut Vec<u32>,
    ) -> Option<&Law> {
        if self.laws.is_empty() {
            return None;
        }
        counts.clear();
        counts.resize(letters, 0);
        for letter in trace.iter().flatten() {
            if let Some(count) = counts.get_mut(letter.index()) {
                *count += 1;
            }
        }
        self.laws.iter().find(|law| law.difference(counts) != 0)
    }

    /// Events that must be inserted or deleted, at the least, before no law is broken.
    //
    // An edit changes one count by one. No letter is in two chains, so the edits of chains add up. A chain obeys its
    // laws if all of its counts, less their constants, equal one number. The median of them takes the fewest edits.
    pub fn least_edits(&self, counts: &[u32]) -> u32 {
        let (mut edits, mut one_law) = (0, 0);
        let mut rest = &self.laws[..];
        while let [law, after @ ..] = rest {
            rest = after;
            let difference = law.difference(counts);
            if let Some([_, mut last]) = law.pair() {
                let mut levels = vec![0, -difference];
                while let [next, after @ ..] = rest
                    && let Some([first, second]) = next.pair()
                    && first == last
                {
                    levels.push(levels[levels.len() - 1] - next.difference(counts));
                    (last, rest) = (second, after);
                }
                levels.sort_unstable();
                let median = levels[levels.len() / 2];
                edits += levels.iter().map(|level| level.abs_diff(median)).sum::<u128>();
            } else if let [(_, 1)] = law.letters[..] {
                edits += difference.unsigned_abs();
            } else {
                let coefficients = law.letters.iter().map(|(_, it)| it.unsigned_abs());
                let each = coefficients.max().map_or(1, u128::from);
                one_law = one_law.max(difference.unsigned_abs().div_ceil(each));
            }
        }
        edits.max(one_law).try_into().unwrap_or(u32::MAX)
    }
}

impl Imbalance {
    /// Of a law, and the counts of all letters.
    ///
    /// # Panics
    /// If the law names a letter beyond the counts.
    pub fn new(law: &Law, counts: &[u32]) -> Imbalance {
        let counts = law.letters.iter().map(|(letter, _)| counts[letter.index()]).collect();
        Imbalance { law: law.clone(), counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(letters: &[(usize, i64)], constant: i64) -> Law {
        let letter = |&(index, coefficient): &(usize, i64)| (LetterId::new(index), coefficient);
        Law { letters: letters.iter().map(letter).collect(), constant }
    }

    #[test]
    fn edits_of_chains_add_up_and_other_laws_need_some() {
        let laws = vec![
            law(&[(0, 1), (1, -1)], 0),
            law(&[(1, 1), (2, -1)], 0),
            law(&[(3, 1)], 2),
            law(&[(4, 1), (5, -1)], 1),
            law(&[(0, 2), (4, -3)], 0),
        ];
        let balance = Balance { laws };
        assert_eq!(balance.least_edits(&[3, 3, 3, 2, 2, 1]), 0);
        // The middle one is cheaper to change than both of its neighbours.
        assert_eq!(balance.least_edits(&[3, 5, 3, 2, 2, 1]), 2);
        assert_eq!(balance.least_edits(&[3, 2, 2, 0, 2, 2]), 1 + 2 + 1);
        assert_eq!(balance.least_edits(&[9, 9, 9, 2, 2, 1]), 4);
        assert_eq!(balance.least_edits(&[u32::MAX, 0, 0, u32::MAX, 2, 1]), u32::MAX);
    }

    #[test]
    fn the_first_broken_law_is_named() {
        let balance = Balance { laws: vec![law(&[(0, 1), (1, -1)], 0), law(&[(2, 1)], 1)] };
        let [a, b, c] = [0, 1, 2].map(LetterId::new);
        let mut counts = Vec::new();
        let mut broken = |trace: &[LetterId]| {
            balance.broken(&vec![trace.to_vec(), vec![LetterId::UNKNOWN]], 3, &mut counts)
        };
        assert_eq!(broken(&[a, b, c]), None);
        assert_eq!(broken(&[a, c]), Some(&balance.laws[0]));
        assert_eq!(broken(&[a, b]), Some(&balance.laws[1]));
    }
}
