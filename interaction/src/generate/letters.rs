//! From the steps of a walk to the logs of locations.

use super::unfolding::Unfolding;
use crate::action::Action;
use crate::alphabet::Alphabet;
use crate::id::{Id, LetterId, StepId};
use crate::location::Locations;
use crate::signature::Signature;
use crate::trace::MultiTrace;
use crate::tree::Interaction;
use rustc_hash::FxHashMap;

/// The letters of actions, and the locations that log them.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    pub(super) alphabet: Alphabet,
    pub(super) of: FxHashMap<Action, LetterId>,
}

impl Letters {
    /// The letters of an interaction, at the locations that log them.
    pub(super) fn new(
        signature: &Signature,
        locations: &Locations,
        interaction: &Interaction,
    ) -> Letters {
        let alphabet = Alphabet::of_actions(signature, locations, interaction.actions());
        let letter = |action| alphabet.letter(&signature.action_text(action));
        let of = interaction.actions().filter_map(|action| Some((action, letter(action)?)));
        Letters { of: of.collect(), alphabet }
    }

    /// Adds the events of a step to the logs of their locations.
    pub(super) fn log(&self, unfolding: &Unfolding, step: StepId, trace: &mut MultiTrace) {
        for action in unfolding.store.step_of(step).actions() {
            let letter = self.of[action];
            trace[self.alphabet.location_of(letter).index()].push(letter);
        }
    }

    /// The multi-trace without events.
    pub(super) fn nothing(&self) -> MultiTrace {
        vec![Vec::new(); self.alphabet.locations().len()]
    }
}
