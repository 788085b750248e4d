//! Random multi-traces of an interaction, one by one.

use super::bounds::{Bounds, BoundsError};
use super::change::Change;
use super::cut::Cut;
use super::dice::Dice;
use super::exhaustive::Exhaustive;
use super::letters::Letters;
use super::mutants;
use super::reach::Frame;
use super::unfolding::Unfolding;
use super::walk::walk;
use crate::alphabet::Alphabet;
use crate::id::TermId;
use crate::location::Locations;
use crate::signature::Signature;
use crate::trace::MultiTrace;
use crate::tree::Interaction;

/// The most pairs of events and loop repetitions that are counted. It bounds
/// the memory of each term; an estimate, not measured.
const MAX_FRAME: usize = 1 << 22;
/// If terms take more than about this many bytes after a walk, they are dropped and made again. It
/// bounds the memory; a smaller number derives terms more often.
const MAX_BYTES: usize = 256 << 20;

/// Makes random accepted multi-traces within bounds, parts of multi-traces, and mutants. Walks,
/// cuts and mutations draw from three streams of the seed, so cutting or mutating a multi-trace
/// does not change those that are generated after it.
#[derive(Debug)]
pub struct Generator {
    interaction: Interaction,
    locations: Locations,
    bounds: Bounds,
    letters: Letters,
    unfolding: Unfolding,
    root: TermId,
    /// The numbers of events that accepted traces within the bounds have.
    aims: Vec<usize>,
    walks: Dice,
    cuts: Dice,
    mutations: Dice,
}

impl Generator {
    /// A generator for an interaction, whose locations are these.
    ///
    /// # Errors
    /// If no accepted multi-trace is within the bounds, or they are too wide.
    ///
    /// # Panics
    /// If the interaction or the locations are not of the signature.
    pub fn new(
        signature: &Signature,
        interaction: &Interaction,
        locations: &Locations,
        bounds: Bounds,
        seed: u64,
    ) -> Result<Generator, BoundsError> {
        let frame = frame(interaction, &bounds)?;
        let (mut unfolding, root) = Unfolding::new(interaction, frame);
        let aims: Vec<usize> = (bounds.min_events..=frame.events)
            .filter(|&events| unfolding.can_end(root, events, 0, bounds.min_loops))
            .collect();
        if aims.is_empty() {
            return Err(BoundsError::Nothing { bounds, shortest: unfolding.shortest(root) });
        }
        Ok(Generator {
            interaction: interaction.clone(),
            locations: locations.clone(),
            bounds,
            letters: Letters::new(signature, locations, interaction),
            unfolding,
            root,
            aims,
            walks: Dice::new(seed, 0),
            cuts: Dice::new(seed, 1),
            mutations: Dice::new(seed, 2),
        })
    }

    /// The alphabet of the multi-traces: all actions of the interaction, as when it is compiled.
    pub fn alphabet(&self) -> &Alphabet {
        &self.letters.alphabet
    }

    /// A random accepted multi-trace: first its number of events, all possible ones equally likely,
    /// then a random walk to an accepted trace of that length.
    pub fn accepted(&mut self) -> MultiTrace {
        if self.unfolding.bytes() > MAX_BYTES {
            (self.unfolding, self.root) = Unfolding::new(&self.interaction, self.unfolding.frame);
        }
        let events = self.aims[self.walks.below(self.aims.len())];
        let min_loops = self.bounds.min_loops;
        let steps = walk(&mut self.unfolding, self.root, events, min_loops, &mut self.walks);
        let mut trace = self.letters.nothing();
        for step in steps {
            self.letters.log(&self.unfolding, step, &mut trace);
        }
        trace
    }

    /// Every accepted multi-trace within the bounds, once: shorter ones first, and equally long
    /// ones in the order of their letters.
    pub fn all_accepted(&self) -> Exhaustive {
        let frame = self.unfolding.frame;
        Exhaustive::new(&self.interaction, frame, &self.bounds, &self.locations, &self.letters)
    }

    /// Each local trace cut at a random length, and what was cut off.
    pub fn prefix(&mut self, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        self.cut(Cut::Prefix, trace)
    }

    /// A random contiguous part of each local trace, and what was cut off.
    pub fn slice(&mut self, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        self.cut(Cut::Slice, trace)
    }

    pub(super) fn cut(&mut self, cut: Cut, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        cut.random(trace, &mut self.cuts)
    }

    /// With a random action inserted at a random place of the log it belongs to; `None` if there
    /// is no action.
    pub fn noise(&mut self, trace: &MultiTrace) -> Option<(MultiTrace, Change)> {
        mutants::noise(trace, &self.letters.alphabet, &mut self.mutations)
    }

    /// With two different actions of one local trace interchanged; `None` if no local trace has
    /// two.
    pub fn swap_actions(&mut self, trace: &MultiTrace) -> Option<(MultiTrace, Change)> {
        mutants::swap_actions(trace, &mut self.mutations)
    }

    /// With the local trace that another multi-trace has at some location where they differ; `None`
    /// when they are equal.
    pub fn swap_components(
        &mut self,
        trace: &MultiTrace,
        other: &MultiTrace,
    ) -> Option<(MultiTrace, Change)> {
        mutants::swap_components(trace, other, &mut self.mutations)
    }

    /// The stream of choices for mutations.
    pub(super) fn mutations(&mut self) -> &mut Dice {
        &mut self.mutations
    }
}

/// How far to count. An action happens at most once per repetition of a loop around it, so
/// bounded repetitions bound the events, too.
fn frame(interaction: &Interaction, bounds: &Bounds) -> Result<Frame, BoundsError> {
    let by_loops =
        bounds.max_loops.map(|loops| interaction.actions().count().saturating_mul(loops.max(1)));
    let events =
        bounds.max_events.into_iter().chain(by_loops).min().ok_or(BoundsError::Unbounded)?;
    let loops = bounds.max_loops.unwrap_or(bounds.min_loops);
    let frame = Frame { events, loops, open: bounds.max_loops.is_none() };
    if events >= MAX_FRAME || loops >= MAX_FRAME || frame.size() > MAX_FRAME {
        return Err(BoundsError::TooWide { events, loops });
    }
    Ok(frame)
}
