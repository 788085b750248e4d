//! Many multi-traces of one kind: drawn or exhaustive, distinct or not, each with how it was made.

use super::bases::{Base, Bases};
use super::change::Change;
use super::exhaustive::TooMany;
use super::fresh::Fresh;
use super::generator::Generator;
use super::recipe::{Mutation, Recipe, TracePart};
use super::window::Window;
use crate::trace::MultiTrace;

/// A multi-trace and how it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name: its kind, and the number of the draw. Draws without a new multi-trace are left
    /// out.
    pub id: String,
    /// Its kind.
    pub kind: &'static str,
    /// The multi-trace.
    pub trace: MultiTrace,
    /// The name of the multi-trace that it was made of.
    pub of: Option<String>,
    /// The name of the multi-trace that lent a local trace.
    pub with: Option<String>,
    /// The changes made to the accepted multi-trace, in order.
    pub did: Vec<Change>,
}

/// The multi-traces of a recipe.
#[derive(Debug)]
pub struct Sessions {
    generator: Generator,
    recipe: Recipe,
    bases: Bases,
    window: Window<Base>,
    fresh: Fresh,
    /// How many more to make.
    left: Option<usize>,
}

impl Sessions {
    /// The sessions of a generator. If the recipe has no count and is not exhaustive, they end only
    /// when no new ones are found.
    pub fn new(generator: Generator, recipe: Recipe) -> Sessions {
        let bases = Bases::new(&generator, &recipe);
        Sessions {
            generator,
            recipe,
            bases,
            window: Window::new(),
            fresh: Fresh::new(recipe.duplicates),
            left: recipe.count.filter(|_| !recipe.all),
        }
    }

    /// The generator.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// At the end: how many are missing from the count of the recipe.
    pub fn missing(&self) -> usize {
        self.left.unwrap_or(0) + self.bases.missing()
    }

    /// The next one, new or not; the inner `None` means that this base has no such mutant.
    fn make(&mut self) -> Option<Result<Option<Made>, TooMany>> {
        if self.recipe.mutation == Some(Mutation::SwapComponents) {
            return self.make_swapped();
        }
        let base = match self.bases.next(&mut self.generator)? {
            Ok(base) => base,
            Err(error) => return Some(Err(error)),
        };
        let mutant = match self.recipe.mutation {
            Some(Mutation::Noise) => self.generator.noise(&base.trace).map(one),
            Some(Mutation::SwapActions) => self.generator.swap_actions(&base.trace).map(one),
            Some(Mutation::LocalError) => self.generator.errors(&base.trace),
            Some(Mutation::InterError | Mutation::CentralError) => {
                Some(self.generator.mixture(&base.trace))
            }
            Some(Mutation::SwapComponents) | None => return Some(Ok(Some(self.part(base)))),
        };
        Some(Ok(mutant.map(|mutant| self.mutant(mutant, base.number, None))))
    }

    fn make_swapped(&mut self) -> Option<Result<Option<Made>, TooMany>> {
        let (bases, generator) = (&mut self.bases, &mut self.generator);
        let at = match self.window.advance(|| bases.next(generator))? {
            Ok(at) => at,
            Err(error) => return Some(Err(error)),
        };
        let items = self.window.items();
        let partner = items[self.generator.mutations().below(items.len())].clone();
        let base = &items[at];
        let number = base.number;
        let mutant = self.generator.swap_components(&base.trace, &partner.trace);
        let with = self.name(self.recipe.part.name(), partner.number);
        Some(Ok(mutant.map(|mutant| self.mutant(one(mutant), number, Some(with)))))
    }

    fn name(&self, kind: &str, number: u64) -> String {
        format!("{kind}-{number}")
    }

    fn part(&self, base: Base) -> Made {
        let kind = self.recipe.part.name();
        let id = self.name(kind, base.number);
        let (of, did) = base.of.unzip();
        let of = of.map(|number| self.name(TracePart::Accepted.name(), number));
        Made { id, kind, trace: base.trace, of, with: None, did: did.unwrap_or_default() }
    }

    fn mutant(
        &self,
        (trace, did): (MultiTrace, Vec<Change>),
        number: u64,
        with: Option<String>,
    ) -> Made {
        let kind = self.recipe.mutation.map_or("", Mutation::name);
        let of = Some(self.name(self.recipe.part.name(), number));
        Made { id: self.name(kind, number), kind, trace, of, with, did }
    }
}

/// A mutant of one change.
fn one((trace, change): (MultiTrace, Change)) -> (MultiTrace, Vec<Change>) {
    (trace, vec![change])
}

impl Sessions {
    /// The next one that is wanted; the others are left out, and do not count.
    pub fn next_wanted(
        &mut self,
        mut is_wanted: impl FnMut(&MultiTrace) -> bool,
    ) -> Option<Result<Made, TooMany>> {
        if self.left == Some(0) {
            return None;
        }
        let endless = !self.recipe.exhaustive && !self.recipe.all;
        while !(endless && self.fresh.is_hopeless()) {
            match self.make()? {
                Err(error) => return Some(Err(error)),
                Ok(Some(made)) if !is_wanted(&made.trace) => self.fresh.miss(),
                Ok(Some(made)) if self.fresh.accept(&made.trace) => {
                    self.left = self.left.map(|left| left - 1);
                    return Some(Ok(made));
                }
                Ok(Some(_)) => {}
                Ok(None) => self.fresh.miss(),
            }
        }
        None
    }
}

impl Iterator for Sessions {
    type Item = Result<Made, TooMany>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_wanted(|_| true)
    }
}
