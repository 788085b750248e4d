//! A random walk over derivatives to an accepted trace of a given length.

use super::dice::Dice;
use super::unfolding::Unfolding;
use crate::id::{StepId, TermId};
use crate::term::Derivative;

/// The steps of a trace that a term accepts: `events` events, at least `min_loops` repetitions of
/// loops. Each step is drawn from those after which such an end can still be reached, all equally
/// likely.
///
/// # Panics
/// If the term accepts no such trace.
pub(super) fn walk(
    unfolding: &mut Unfolding,
    mut term: TermId,
    events: usize,
    min_loops: usize,
    dice: &mut Dice,
) -> Vec<StepId> {
    let (mut steps, mut left, mut begun) = (Vec::new(), events, 0);
    while left > 0 {
        let open: Vec<Derivative> = unfolding
            .moves(term)
            .into_iter()
            .filter(|next| leads_to_end(unfolding, next, left, begun, min_loops))
            .collect();
        let next = dice.pick(&open).expect("a trace of this length was accepted");
        steps.push(next.step);
        left -= unfolding.step_len(next.step);
        begun = unfolding.frame.add(begun, next.loops as usize).expect("within the frame");
        term = next.residual;
    }
    steps
}

fn leads_to_end(
    unfolding: &mut Unfolding,
    next: &Derivative,
    left: usize,
    begun: usize,
    min_loops: usize,
) -> bool {
    let left = left.checked_sub(unfolding.step_len(next.step));
    let begun = unfolding.frame.add(begun, next.loops as usize);
    left.zip(begun)
        .is_some_and(|(left, begun)| unfolding.can_end(next.residual, left, begun, min_loops))
}
