//! Random multi-traces of an interaction, one by one.

use super::bounds::{Bounds, BoundsError};
use super::change::Change;
use super::cut::Cut;
use super::dice::Dice;
use super::exhaustive::Exhaustive;
use super::letters::Letters;
use super::mutants;
use super::reach::CountBounds;
use super::unfolding::Unfolding;
use super::walk::walk;
use super::words::Words;
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

/// Makes random accepted multi-traces within bounds, parts of multi-traces, and mutants. Walks, cuts,
/// mutations and partners draw from four streams of the seed, so cutting or mutating a multi-trace
/// does not change those that are generated after it.
#[derive(Debug)]
pub struct Generator {
    source: Source,
    alphabet: Alphabet,
    walks: Dice,
    cuts: Dice,
    mutations: Dice,
    partners: Dice,
}

/// The specification whose multi-traces are drawn.
#[derive(Debug)]
enum Source {
    Interaction(Box<Terms>),
    Automaton(Box<Words>),
}

/// An interaction, unfolded.
#[derive(Debug)]
struct Terms {
    interaction: Interaction,
    locations: Locations,
    bounds: Bounds,
    letters: Letters,
    unfolding: Unfolding,
    root: TermId,
    /// The numbers of events that accepted traces within the bounds have.
    aims: Vec<usize>,
}

impl Terms {
    fn accepted(&mut self, dice: &mut Dice) -> MultiTrace {
        if self.unfolding.bytes() > MAX_BYTES {
            (self.unfolding, self.root) = Unfolding::new(&self.interaction, self.unfolding.frame);
        }
        let events = self.aims[dice.below(self.aims.len())];
        let steps = walk(&mut self.unfolding, self.root, events, self.bounds.min_loops, dice);
        let mut trace = self.letters.nothing();
        for step in steps {
            self.letters.log(&self.unfolding, step, &mut trace);
        }
        trace
    }
}

impl Source {
    fn accepted(&mut self, dice: &mut Dice) -> MultiTrace {
        match self {
            Source::Interaction(terms) => terms.accepted(dice),
            Source::Automaton(words) => words.accepted(dice),
        }
    }
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
        let letters = Letters::new(signature, locations, interaction);
        let (interaction, locations) = (interaction.clone(), locations.clone());
        let alphabet = letters.alphabet.clone();
        let terms = Terms { interaction, locations, bounds, letters, unfolding, root, aims };
        Ok(Generator::from_source(Source::Interaction(Box::new(terms)), alphabet, seed))
    }

    /// A generator for the words of an automaton.
    pub fn of_words(words: Words, seed: u64) -> Generator {
        let alphabet = words.alphabet().clone();
        Generator::from_source(Source::Automaton(Box::new(words)), alphabet, seed)
    }

    fn from_source(source: Source, alphabet: Alphabet, seed: u64) -> Generator {
        let [walks, cuts, mutations, partners] = [0, 1, 2, 3].map(|stream| Dice::new(seed, stream));
        Generator { source, alphabet, walks, cuts, mutations, partners }
    }

    /// The alphabet of the multi-traces: all actions of the interaction, as when it is compiled, or
    /// all letters of the automaton.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// A random accepted multi-trace: first its number of events, all possible ones equally likely,
    /// then a random walk to an accepted trace of that length.
    pub fn accepted(&mut self) -> MultiTrace {
        self.source.accepted(&mut self.walks)
    }

    /// Every accepted multi-trace within the bounds, once: shorter ones first, and equally long
    /// ones in the order of their letters. `None` for an automaton.
    pub fn all_accepted(&self) -> Option<Exhaustive> {
        let Source::Interaction(terms) = &self.source else { return None };
        let Terms { interaction, locations, bounds, letters, unfolding, .. } = &**terms;
        Some(Exhaustive::new(interaction, unfolding.frame, bounds, locations, letters))
    }

    /// Each local trace cut at a random length, and the events that were cut off.
    pub fn prefix(&mut self, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        self.cut(Cut::Prefix, trace)
    }

    /// A random contiguous part of each local trace, and the events that were cut off.
    pub fn slice(&mut self, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        self.cut(Cut::Slice, trace)
    }

    pub(super) fn cut(&mut self, cut: Cut, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        cut.random(trace, &mut self.cuts)
    }

    /// With a random action inserted at a random place of the log it belongs to; `None` if there
    /// is not an action.
    pub fn noise(&mut self, trace: &MultiTrace) -> Option<(MultiTrace, Change)> {
        mutants::noise(trace, &self.alphabet, &mut self.mutations)
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

    /// With one to three random events inserted, replaced or removed; `None` if there is no letter.
    pub fn errors(&mut self, trace: &MultiTrace) -> Option<(MultiTrace, Vec<Change>)> {
        mutants::errors(trace, &self.alphabet, &mut self.mutations)
    }

    /// With the local traces of other accepted multi-traces, at every location but the first.
    pub fn mixture(&mut self, trace: &MultiTrace) -> (MultiTrace, Vec<Change>) {
        let Generator { source, partners, .. } = self;
        mutants::mixture(trace, || source.accepted(partners))
    }

    /// The stream of choices for mutations.
    pub(super) fn mutations(&mut self) -> &mut Dice {
        &mut self.mutations
    }
}

/// How far to count. An action happens at most once per repetition of a loop around it, so
/// bounded repetitions bound the events, too.
fn frame(interaction: &Interaction, bounds: &Bounds) -> Result<CountBounds, BoundsError> {
    let by_loops =
        bounds.max_loops.map(|loops| interaction.actions().count().saturating_mul(loops.max(1)));
    let events =
        bounds.max_events.into_iter().chain(by_loops).min().ok_or(BoundsError::Unbounded)?;
    let loops = bounds.max_loops.unwrap_or(bounds.min_loops);
    let frame = CountBounds { events, loops, open: bounds.max_loops.is_none() };
    if events >= MAX_FRAME || loops >= MAX_FRAME || frame.size() > MAX_FRAME {
        return Err(BoundsError::TooWide { events, loops });
    }
    Ok(frame)
}
