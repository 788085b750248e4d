//! From the steps of a walk to the logs of locations.

use super::unfolding::Unfolding;
use crate::alphabet::Alphabet;
use crate::id::{Id, StepId};
use crate::location::Locations;
use crate::signature::Signature;
use crate::trace::MultiTrace;
use crate::tree::Interaction;

/// The letters of actions, and the locations that log them.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    pub(super) alphabet: Alphabet,
}

impl Letters {
    /// The letters of an interaction, at the locations that log them.
    pub(super) fn new(
        signature: &Signature,
        locations: &Locations,
        interaction: &Interaction,
    ) -> Letters {
        let alphabet = Alphabet::of_actions(signature, locations, interaction.actions());
        Letters { alphabet }
    }

    /// Adds the events of a step to the logs of their locations.
    pub(super) fn log(&self, unfolding: &Unfolding, step: StepId, trace: &mut MultiTrace) {
        for action in unfolding.store.step_of(step).actions() {
            let letter = self.alphabet.letter_of(*action).expect("an action of the interaction");
            trace[self.alphabet.location_of(letter).index()].push(letter);
        }
    }

    /// The multi-trace without events.
    pub(super) fn nothing(&self) -> MultiTrace {
        vec![Vec::new(); self.alphabet.locations().len()]
    }
}
