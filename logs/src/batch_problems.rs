//! The problems of a batch: a group of rows may have a million with one each, whose texts would take gigabytes.

use multitrace_formats::problem::InputProblem;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How many problems of a batch are kept apart: a few megabytes.
const MOST: usize = 4_096;

/// The first problems of a batch. Behind them, those of one pattern are one, which counts them.
#[derive(Debug, Default)]
pub(crate) struct BatchProblems {
    problems: Vec<InputProblem>,
    /// The places of those behind the first ones, by their pattern.
    behind: BTreeMap<String, usize>,
}

impl BatchProblems {
    pub(crate) fn push(&mut self, problem: InputProblem) {
        if self.problems.len() < MOST {
            self.problems.push(problem);
            return;
        }
        let last = self.problems.len() - 1;
        let at = match self.behind.entry(problem.pattern()) {
            Entry::Occupied(known) => *known.get(),
            // There are too many patterns: the last problem counts for those of all further ones, too.
            Entry::Vacant(_) if last >= 2 * MOST => last,
            Entry::Vacant(new) => {
                new.insert(last + 1);
                return self.problems.push(problem);
            }
        };
        let further = &mut self.problems[at].further;
        *further = further.saturating_add(problem.count());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &InputProblem> {
        self.problems.iter()
    }

    pub(crate) fn into_vec(self) -> Vec<InputProblem> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_problem::problem_at;

    #[test]
    fn all_problems_are_counted_and_few_are_kept() {
        let mut of_batch = BatchProblems::default();
        let all = 10 * MOST;
        for number in 0..all {
            // One in ten is another problem.
            let message = if number % 10 == 0 { "no session" } else { "no message" };
            of_batch.push(problem_at(&format!("log {number}"), None, (message, "")));
        }
        let problems = of_batch.into_vec();
        assert_eq!(problems.len(), MOST + 2);
        assert_eq!(problems.iter().map(InputProblem::count).sum::<u64>(), all as u64);
        let others = problems.iter().filter(|it| it.pattern() == "no session");
        assert_eq!(others.map(InputProblem::count).sum::<u64>(), all as u64 / 10);
        let mut patterns = BatchProblems::default();
        for number in 0..all {
            let letters: String =
                number.to_string().bytes().map(|it| char::from(b'a' + it - b'0')).collect();
            patterns.push(problem_at("log", None, (&letters, "")));
        }
        let problems = patterns.into_vec();
        assert_eq!(problems.len(), 2 * MOST + 1);
        assert_eq!(problems.iter().map(InputProblem::count).sum::<u64>(), all as u64);
    }
}
