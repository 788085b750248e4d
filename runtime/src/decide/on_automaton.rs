//! Stages that search the compiled automaton (paper 004 sec. 4), in every mode except global-prefix.
//
// Idea: most sessions pass, and few paths lead into dead ends. So a short blind search comes first; then single logs, which
// refuse or give look-ahead; then a longer search with look-ahead, and at last one within the budget, which always decides.
//
// Cost: most sessions end in the blind search (table "The central search" of docs/BENCHMARKS.md).

use crate::config::SearchChoice;
use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decide::run::run;
use crate::decider_name::DeciderName;
use crate::look_ahead::dead_ends::DeadEnds;
use crate::search::outcome::SearchOutcome;
use crate::search::packed_search::PackedProblem;
use crate::search::problem::Problem;
use crate::search::shuffle_search::ShuffleSearch;
use multitrace_interaction::Nfa;

/// Node by node, where nodes are words, without look-ahead.
pub(super) struct BlindSearch;

/// The same with look-ahead; also where nodes are larger, and where a witness is wanted, which words do not keep.
pub(super) struct AheadSearch;

/// Node by node, of any size.
pub(super) struct NodeSearch;

/// Algorithm 1 of paper 004.
pub(super) struct Centralized;

impl Decider for BlindSearch {
    fn name(&self) -> DeciderName {
        DeciderName::BlindSearch
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        Answer::certain(search_words(run, limit, false)?)
    }

    fn gives_paths(&self) -> bool {
        false
    }
}

impl Decider for AheadSearch {
    fn name(&self) -> DeciderName {
        DeciderName::AheadSearch
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        if run.task.config.witness {
            return search_nodes(run, limit);
        }
        match search_words(run, limit, true)? {
            SearchOutcome::DoesNotFit => search_nodes(run, limit),
            outcome => Answer::certain(outcome),
        }
    }
}

/// How the search on nodes of one word ends.
fn search_words(run: &mut Run<'_, '_>, limit: u64, looks_ahead: bool) -> Option<SearchOutcome> {
    let question = run.question(limit);
    let automaton = &run.task.monitor.bundle().automaton()?.search;
    let looks_ahead = looks_ahead && run.known.looks_ahead;
    let look_ahead = looks_ahead.then_some(&run.scratch.look_ahead);
    let edges = run.task.monitor.edges();
    let problem = PackedProblem { question, automaton, edges, look_ahead };
    let outcome = run.scratch.packed.run(&problem);
    run.scratch.visits += run.scratch.packed.visits();
    Some(outcome)
}

impl Decider for NodeSearch {
    fn name(&self) -> DeciderName {
        DeciderName::NodeSearch
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        search_nodes(run, limit)
    }
}

fn search_nodes(run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
    let mut problem =
        Problem::plain(run.question(limit), &run.task.monitor.bundle().automaton()?.search);
    let is_blind = run.task.config.comparison.search == SearchChoice::Blind;
    let looks_ahead = run.known.looks_ahead && !is_blind;
    if looks_ahead {
        problem.dead_ends = DeadEnds::Rows(&run.scratch.look_ahead);
    }
    problem.witness = run.task.config.witness;
    let answer = self::run(&mut run.scratch.search, &problem);
    run.unless_cut(answer, limit)
}

impl Decider for Centralized {
    fn name(&self) -> DeciderName {
        DeciderName::Centralized
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let full: &Nfa = &run.task.monitor.bundle().automaton()?.full;
        let mut problem = Problem::plain(run.question(limit), full);
        problem.witness = run.task.config.witness;
        let search: &mut ShuffleSearch = &mut run.scratch.search;
        Some(self::run(search, &problem))
    }
}
