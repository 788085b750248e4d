//! The inputs that could not be checked: the first ones by their places, and all counted by kind. They are the same
//! in whatever order they were found, and wherever the input was cut into parts.

use crate::run_report::InputError;
use crate::text::counted;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::remedy::Words;
use std::collections::BTreeMap;

/// How many problems texts for people show: a screen of them; more are counted.
pub const SHOWN_PROBLEMS: u64 = 20;

/// How many problems are kept, and listed by reports that programs read: a few screens. The texts for two million nulls
/// would take gigabytes.
pub const TOLD_PROBLEMS: u64 = 100;

/// How many kinds of problems are counted apart: more than anybody reads.
pub(crate) const MOST_KINDS: usize = 64;

/// How many of them a remark names.
const NAMED_KINDS: usize = 5;

/// The first problems of the input, and how many there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstErrors {
    /// In order, at most [`TOLD_PROBLEMS`].
    problems: Vec<PlacedProblem>,
    /// How many problems there are of each of the first [`MOST_KINDS`] kinds, in the order of their names, and of all
    /// others under the empty name. More input adds names and takes none away. So a kind that is once too far back in the
    /// order stays so, and no count depends on the order in which problems are found.
    kinds: BTreeMap<String, u64>,
}

/// A problem with the number of its input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlacedProblem {
    pub(crate) input: u32,
    /// At least one, each with its place.
    pub(crate) errors: Vec<InputError>,
    /// All of it, as people see it.
    pub(crate) text: String,
}

impl FirstErrors {
    /// Adds a problem of the input with this number.
    pub fn add(&mut self, input: u32, problem: &InputProblem) {
        self.count(&problem.pattern(), problem.count());
        let errors = InputError::of(problem).collect();
        self.insert(PlacedProblem { input, errors, text: problem.to_string() });
    }

    pub(crate) fn insert(&mut self, problem: PlacedProblem) {
        let place = self.problems.partition_point(|it| *it <= problem);
        if place < TOLD_PROBLEMS as usize {
            self.problems.insert(place, problem);
            self.problems.truncate(TOLD_PROBLEMS as usize);
        }
    }

    /// Counts problems of a kind.
    pub(crate) fn count(&mut self, kind: &str, more: u64) {
        if let Some(count) = self.kinds.get_mut(kind) {
            *count = count.saturating_add(more);
            return;
        }
        self.kinds.insert(kind.to_owned(), more);
        let others = usize::from(self.kinds.contains_key(""));
        if self.kinds.len() > MOST_KINDS + others
            && let Some((_, last)) = self.kinds.pop_last()
        {
            let rest = self.kinds.entry(String::new()).or_default();
            *rest = rest.saturating_add(last);
        }
    }

    /// The problems of each kind, all further ones under the empty name.
    pub(crate) fn kinds(&self) -> &BTreeMap<String, u64> {
        &self.kinds
    }

    /// Adds those of another part of the input.
    pub fn merge(&mut self, other: FirstErrors) {
        other.kinds.iter().for_each(|(kind, &count)| self.count(kind, count));
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

    /// How many problems there are of the commonest kinds, if there are more than people are shown.
    pub fn by_kind(&self) -> Option<String> {
        let all = self.kinds.values().fold(0_u64, |sum, count| sum.saturating_add(*count));
        if all <= SHOWN_PROBLEMS {
            return None;
        }
        let mut kinds: Vec<(&str, u64)> =
            self.kinds.iter().map(|(kind, &count)| (kind.as_str(), count)).collect();
        kinds.sort_by_key(|&(kind, count)| (kind.is_empty(), std::cmp::Reverse(count)));
        let named = kinds.iter().take(NAMED_KINDS).filter(|(kind, _)| !kind.is_empty());
        let mut texts: Vec<String> =
            named.map(|&(kind, count)| format!("{}: {kind}", counted(count, "time"))).collect();
        let named: u64 = kinds.iter().take(texts.len()).map(|(_, count)| count).sum();
        if named < all {
            texts.push(format!("{} of other kinds", all - named));
        }
        Some(format!(
            "{all} parts of the input could not be checked; by kind: {}",
            texts.join("; ")
        ))
    }

    pub(crate) fn problems(&self) -> &[PlacedProblem] {
        &self.problems
    }

    /// The problems as they were found, each with all of its text.
    pub fn found(&self) -> impl Iterator<Item = InputProblem> + '_ {
        self.problems.iter().map(|problem| {
            let places = problem.errors.iter().map(|error| error.place.clone()).collect();
            InputProblem::again(places, problem.text.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_formats::problem::{ProblemKind, ProblemPlace};
    use proptest::prelude::*;

    fn problem(line: usize, message: &str) -> InputProblem {
        let (file, message) = ("log".to_owned(), message.to_owned());
        let place = ProblemPlace { file, line: Some(line), column: None, message };
        InputProblem::in_a_line(ProblemKind::Malformed, place, "")
    }

    /// Messages of three times as many kinds as are counted apart.
    fn message(number: usize) -> String {
        let letters = (b'a' + (number % 26) as u8, b'a' + (number / 26 % 8) as u8);
        format!("{}{} {number}: no field `f{number}`", letters.0 as char, letters.1 as char)
    }

    #[test]
    fn a_kind_has_no_names_and_numbers() {
        let kind = |message| problem(1, message).pattern();
        assert_eq!(kind("line 12, column 3: no field `id`"), "line …, column …: no field `…`");
        assert_eq!(kind("`a 1`: \"x `y` z\" is null"), "`…`: \"…\" is null");
        assert_eq!(kind("an open ` quote"), "an open `…");
    }

    proptest! {
        #[test]
        fn counts_by_kind_do_not_depend_on_order_and_parts(
            numbers in prop::collection::vec((0_usize..200, 0_usize..3), 0..600),
        ) {
            let mut whole = FirstErrors::default();
            let mut parts = vec![FirstErrors::default(); 3];
            for (line, &(number, _)) in numbers.iter().enumerate() {
                whole.add(0, &problem(line, &message(number)));
            }
            for (line, &(number, part)) in numbers.iter().enumerate().rev() {
                parts[part].add(0, &problem(line, &message(number)));
            }
            let mut merged = FirstErrors::default();
            parts.into_iter().for_each(|part| merged.merge(part));
            prop_assert_eq!(&merged, &whole);
            let mut naive = BTreeMap::<String, u64>::new();
            let kinds = numbers.iter().map(|it| problem(0, &message(it.0)).pattern());
            kinds.for_each(|it| *naive.entry(it).or_default() += 1);
            let others: u64 = naive.values().skip(MOST_KINDS).sum();
            naive = naive.into_iter().take(MOST_KINDS).collect();
            naive.extend((others > 0).then(|| (String::new(), others)));
            prop_assert_eq!(whole.kinds(), &naive);
            prop_assert_eq!(whole.by_kind().is_some(), numbers.len() > SHOWN_PROBLEMS as usize);
        }
    }
}
