//! The first inputs that could not be checked, by their places: the same ones in whatever order they
//! were found, and wherever the input was cut into parts.

use crate::run_report::InputError;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::remedy::Words;

/// How many problems are kept: a screen of them; more are counted.
pub const SHOWN_PROBLEMS: u64 = 20;

/// The first problems of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstErrors {
    /// In order, at most [`SHOWN_PROBLEMS`].
    problems: Vec<PlacedProblem>,
}

/// A problem with the number of its input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlacedProblem {
    pub(crate) input: u32,
    /// At least one, each with its place.
    pub(crate) errors: Vec<InputError>,
}

impl FirstErrors {
    /// Adds a problem of the input with this number.
    pub fn add(&mut self, input: u32, problem: &InputProblem) {
        self.insert(PlacedProblem { input, errors: InputError::of(problem).collect() });
    }

    pub(crate) fn insert(&mut self, problem: PlacedProblem) {
        let place = self.problems.partition_point(|it| *it <= problem);
        if place < SHOWN_PROBLEMS as usize {
            self.problems.insert(place, problem);
            self.problems.truncate(SHOWN_PROBLEMS as usize);
        }
    }

    /// Adds those of another part of the input.
    pub fn merge(&mut self, other: FirstErrors) {
        other.problems.into_iter().for_each(|problem| self.insert(problem));
    }

    /// As reports show them, in the words of the front end: one for each place of a problem.
    pub fn errors(&self, words: Words) -> Vec<InputError> {
        let mut errors: Vec<InputError> =
            self.problems.iter().flat_map(|problem| problem.errors.iter().cloned()).collect();
        for InputError { place, .. } in &mut errors {
            place.message = words.text(&place.message).into_owned();
        }
        errors
    }

    pub(crate) fn problems(&self) -> &[PlacedProblem] {
        &self.problems
    }
}
