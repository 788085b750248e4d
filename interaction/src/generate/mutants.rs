//! Mutants: multi-traces that were changed at one place; most are no longer accepted
//! (papers 000 sec. 5.5, 003 sec. 6.1). A mutant always differs from its original.

use super::change::Change;
use super::dice::Dice;
use crate::alphabet::Alphabet;
use crate::id::{Id, LetterId, LocationId};
use crate::trace::MultiTrace;

/// With a random action inserted at a random place of its location; `None` if the alphabet is
/// empty.
pub(super) fn noise(
    trace: &MultiTrace,
    alphabet: &Alphabet,
    dice: &mut Dice,
) -> Option<(MultiTrace, Change)> {
    let count = alphabet.letters().len();
    let letter = (count > 0).then(|| LetterId::new(dice.below(count)))?;
    let location = alphabet.location_of(letter);
    let mut mutant = trace.clone();
    let local = &mut mutant[location.index()];
    let index = dice.below(local.len() + 1);
    local.insert(index, letter);
    Some((mutant, Change::Insert { location, index, letter }))
}

/// With one to three events inserted, replaced or removed at random places (paper 004 sec. 5); `None` if
/// the alphabet is empty. The result may be equal to the original.
pub(super) fn errors(
    trace: &MultiTrace,
    alphabet: &Alphabet,
    dice: &mut Dice,
) -> Option<(MultiTrace, Vec<Change>)> {
    let (mut mutant, mut changes) = (trace.clone(), Vec::new());
    for _ in 0..=dice.below(3) {
        let count = alphabet.letters().len();
        let letter = (count > 0).then(|| LetterId::new(dice.below(count)))?;
        let location = alphabet.location_of(letter);
        let local = &mut mutant[location.index()];
        let replaced = local.clone();
        let index = dice.below(local.len() + 1);
        match dice.below(3) {
            0 if index < local.len() => local[index] = letter,
            1 if index < local.len() => drop(local.remove(index)),
            _ => local.insert(index, letter),
        }
        changes.push(Change::Exchange { location, replaced });
    }
    Some((mutant, changes))
}

/// With the local traces that other multi-traces have, another one for every location but the first
/// (paper 004 sec. 5).
pub(super) fn mixture(
    trace: &MultiTrace,
    mut other: impl FnMut() -> MultiTrace,
) -> (MultiTrace, Vec<Change>) {
    let (mut mutant, mut changes) = (trace.clone(), Vec::new());
    for (at, local) in mutant.iter_mut().enumerate().skip(1) {
        let replaced = std::mem::replace(local, other().swap_remove(at));
        changes.push(Change::Exchange { location: LocationId::new(at), replaced });
    }
    (mutant, changes)
}

/// With two different actions of one local trace interchanged; `None` if no local trace has two.
pub(super) fn swap_actions(trace: &MultiTrace, dice: &mut Dice) -> Option<(MultiTrace, Change)> {
    let mixed: Vec<usize> = (0..trace.len())
        .filter(|&at| trace[at].iter().any(|&letter| letter != trace[at][0]))
        .collect();
    let at = *dice.pick(&mixed)?;
    let local = &trace[at];
    let one = dice.below(local.len());
    let others: Vec<usize> = (0..local.len()).filter(|&other| local[other] != local[one]).collect();
    let other = *dice.pick(&others)?;
    let (first, second) = (one.min(other), one.max(other));
    let mut mutant = trace.clone();
    mutant[at].swap(first, second);
    Some((mutant, Change::Swap { location: LocationId::new(at), first, second }))
}

/// With the local trace that another multi-trace has at some location where they differ; `None`
/// when they are equal.
pub(super) fn swap_components(
    trace: &MultiTrace,
    other: &MultiTrace,
    dice: &mut Dice,
) -> Option<(MultiTrace, Change)> {
    let different: Vec<usize> = (0..trace.len()).filter(|&at| trace[at] != other[at]).collect();
    let at = *dice.pick(&different)?;
    let mut mutant = trace.clone();
    let replaced = std::mem::replace(&mut mutant[at], other[at].clone());
    Some((mutant, Change::Exchange { location: LocationId::new(at), replaced }))
}
