//! A search that runs to its end, and its answer.

use crate::automaton::Automaton;
use crate::decide::answer::Answer;
use crate::search::problem::Problem;
use crate::search::shuffle_search::ShuffleSearch;

/// The answer of the search that serves every automaton.
pub(crate) fn run<A: Automaton>(search: &mut ShuffleSearch, problem: &Problem<'_, A>) -> Answer {
    let outcome = search.run(problem, &mut |_, _| {});
    Answer::of(outcome, search.explored(), || search.witness(problem), || search.furthest())
}
