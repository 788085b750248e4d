//! Seeded random choices. Only whole 64-bit words of ChaCha8 are used, and all sampling is done
//! here, so that neither a platform nor another version of a crate changes the draws of a seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random choices. Streams of one seed are independent of each other.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The choices of a stream of a seed.
    pub fn new(seed: u64, stream: u64) -> Dice {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream);
        Dice(words)
    }

    /// A number below a bound, all equally likely.
    ///
    /// # Panics
    /// If the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        // The upper half of word × bound. The lowest products do not fall equally often on every
        // result, so they are drawn again.
        let surplus = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= surplus {
                return (product >> 64) as usize;
            }
        }
    }

    /// One of the items; `None` if the list is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| &items[self.below(items.len())])
    }

    /// Brings items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }

    /// An index, each as likely as its weight says; `None` if all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let sum: usize = weights.iter().map(|&weight| weight as usize).sum();
        let mut left = if sum == 0 { return None } else { self.below(sum) };
        weights.iter().position(|&weight| match left.checked_sub(weight as usize) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut dice = Dice::new(1, 0);
        let numbers: Vec<usize> = (0..8).map(|_| dice.below(1000)).collect();
        assert_eq!(numbers, [381, 294, 798, 916, 855, 139, 733, 784]);
        let mut other = Dice::new(1, 1);
        assert_ne!(numbers, (0..8).map(|_| other.below(1000)).collect::<Vec<_>>());
    }

    #[test]
    fn all_numbers_below_a_bound_come() {
        let mut dice = Dice::new(0, 0);
        let mut counts = [0; 7];
        for _ in 0..7_000 {
            counts[dice.below(7)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn all_orders_are_equally_likely() {
        let mut dice = Dice::new(0, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut items = [0, 1, 2];
            dice.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn weights_are_kept() {
        let mut dice = Dice::new(0, 0);
        let mut counts = [0; 3];
        for _ in 0..4_000 {
            counts[dice.weighted(&[1, 0, 3]).expect("a weight")] += 1;
        }
        assert!(counts[1] == 0 && (2800..3200).contains(&counts[2]), "{counts:?}");
        assert_eq!(dice.weighted(&[0, 0]), None);
        assert_eq!(dice.pick::<u8>(&[]), None);
    }
}
