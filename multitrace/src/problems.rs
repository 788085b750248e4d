//! Problems of the inputs of runs that have no report: the first ones, and how many there are.

use multitrace_formats::problem::InputProblem;
use multitrace_reports::first_errors::TOLD_PROBLEMS;

/// The first hundred problems of an input, in its order, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    first: Vec<InputProblem>,
    count: u64,
}

impl Problems {
    /// The first hundred.
    pub fn first(&self) -> &[InputProblem] {
        &self.first
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a problem that comes after those before.
    pub fn push(&mut self, problem: InputProblem) {
        let before = self.count;
        self.count = before.saturating_add(problem.count());
        if before < TOLD_PROBLEMS {
            self.first.push(problem);
        }
    }

    /// Adds problems that come after those before.
    pub(crate) fn append(&mut self, later: Problems) {
        let room = (TOLD_PROBLEMS as usize).saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
        self.count += later.count;
    }
}

impl Extend<InputProblem> for Problems {
    fn extend<T: IntoIterator<Item = InputProblem>>(&mut self, later: T) {
        later.into_iter().for_each(|problem| self.push(problem));
    }
}
