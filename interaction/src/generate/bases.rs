//! Bases of mutants: accepted multi-traces, drawn or all of them, whole or in parts.

use super::change::Change;
use super::cut::{AllCuts, Cut};
use super::exhaustive::{Exhaustive, TooMany};
use super::fresh::Fresh;
use super::generator::Generator;
use super::recipe::{Recipe, TracePart};
use crate::trace::MultiTrace;

/// A multi-trace with its number, and how it was cut.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) trace: MultiTrace,
    pub(super) number: u64,
    /// The number of the accepted multi-trace it was cut from, and how.
    pub(super) of: Option<(u64, Vec<Change>)>,
}

/// The bases of a recipe, one by one.
#[derive(Debug)]
pub(super) struct Bases {
    /// All accepted multi-traces, where they are not drawn.
    exhaustive: Option<Exhaustive>,
    cut: Option<Cut>,
    all: bool,
    /// How many more accepted multi-traces to take; only those of `all` are counted here.
    left: Option<usize>,
    fresh: Fresh,
    accepted: u64,
    /// The parts of the last accepted multi-trace, with its number.
    parts: Option<(u64, AllCuts)>,
    number: u64,
}

impl Bases {
    pub(super) fn new(generator: &Generator, recipe: &Recipe) -> Bases {
        let cut = match recipe.part {
            TracePart::Accepted => None,
            TracePart::Prefix => Some(Cut::Prefix),
            TracePart::Slice => Some(Cut::Slice),
        };
        Bases {
            exhaustive: recipe.exhaustive.then(|| generator.all_accepted()).flatten(),
            cut,
            all: recipe.all,
            left: recipe.count.filter(|_| recipe.all),
            fresh: Fresh::new(recipe.duplicates || !recipe.all),
            accepted: 0,
            parts: None,
            number: 0,
        }
    }

    /// How many accepted multi-traces were asked for and not found.
    pub(super) fn missing(&self) -> usize {
        self.left.unwrap_or(0)
    }

    /// The next base; `None` if there is no other, or none was found in many draws.
    pub(super) fn next(&mut self, generator: &mut Generator) -> Option<Result<Base, TooMany>> {
        match self.cut {
            Some(cut) if self.all => self.next_part(cut, generator),
            cut => Some(self.next_accepted(generator)?.map(|(number, trace)| match cut {
                None => Base { trace, number, of: None },
                Some(cut) => {
                    let (trace, did) = generator.cut(cut, &trace);
                    Base { trace, number, of: Some((number, did)) }
                }
            })),
        }
    }

    fn next_part(&mut self, cut: Cut, generator: &mut Generator) -> Option<Result<Base, TooMany>> {
        loop {
            if let Some((of, parts)) = &mut self.parts
                && let Some((trace, did)) = parts.next()
            {
                self.number += 1;
                return Some(Ok(Base { trace, number: self.number, of: Some((*of, did)) }));
            }
            match self.next_new(generator)? {
                Ok((number, trace)) => self.parts = Some((number, cut.all(trace))),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// The next new accepted multi-trace, as long as more are asked for.
    fn next_new(
        &mut self,
        generator: &mut Generator,
    ) -> Option<Result<(u64, MultiTrace), TooMany>> {
        if self.left == Some(0) {
            return None;
        }
        while !self.fresh.is_hopeless() {
            match self.next_accepted(generator)? {
                Ok((_, trace)) if !self.fresh.accept(&trace) => {}
                found => {
                    self.left = self.left.map(|left| left - 1);
                    return Some(found);
                }
            }
        }
        None
    }

    fn next_accepted(
        &mut self,
        generator: &mut Generator,
    ) -> Option<Result<(u64, MultiTrace), TooMany>> {
        self.accepted += 1;
        let number = self.accepted;
        match &mut self.exhaustive {
            Some(all) => Some(all.next()?.map(|trace| (number, trace))),
            None => Some(Ok((number, generator.accepted()))),
        }
    }
}
