//! Sessions that cannot be put together.

use multitrace_formats::place::Place;
use multitrace_formats::problem::InputProblem;

/// Why a session cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unassembled {
    /// The problem, at its place.
    pub problem: InputProblem,
    /// The remedy.
    pub help: &'static str,
}

impl Unassembled {
    /// Where it is wrong.
    pub fn place(&self) -> Option<Place> {
        let place = self.problem.places.first()?;
        Some(Place::new(place.file.as_str(), place.line))
    }
}

impl From<Unassembled> for InputProblem {
    fn from(error: Unassembled) -> InputProblem {
        error.problem
    }
}
