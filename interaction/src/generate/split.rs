//! Letters at random locations (paper 004 sec. 5).

use super::dice::Dice;
use crate::id::{Id, LetterId};
use std::collections::BTreeSet;

/// Per letter, the index of a location, drawn at random. Every location has at least one
/// of the letters that are used, if there are enough of these.
///
/// # Panics
/// If there is a letter and no location.
pub fn split(
    letters: usize,
    used: &BTreeSet<LetterId>,
    locations: usize,
    dice: &mut Dice,
) -> Vec<usize> {
    let mut used: Vec<LetterId> = used.iter().copied().collect();
    dice.shuffle(&mut used);
    let mut split: Vec<usize> = (0..letters).map(|_| dice.below(locations)).collect();
    for (location, letter) in used.iter().take(locations).enumerate() {
        split[letter.index()] = location;
    }
    split
}
