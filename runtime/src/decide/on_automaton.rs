//! Deciding on a compiled automaton (paper 004 sec. 4), in every mode except global-prefix.
//
// Idea: most sessions pass, and few paths lead into dead ends. So a short blind search comes first;
// then the local pass, which refutes or gives look-ahead; then a longer search with look-ahead;
// then clusters, which refute what the interleavings of `par` would hide, and look ahead for what
// follows: a search on sets of states, for sessions that must be searched to the end; then constraints
// after a while of the plain search; and last the plain search alone, which always decides within the
// budget. Slices are tried by constraints before clusters, and on terms, which tell the shortest ways to
// where the logs begin.
//
// Invariant: a quick search answers only what is certain, so the order changes no verdict.
//
// Cost: most sessions end in the blind search (table "The central search" of docs/BENCHMARKS.md).

use crate::config::{Procedure, SearchChoice};
use crate::decide::answer::Answer;
use crate::decide::by_constraints::{briefly_by_constraints, soon_by_constraints};
use crate::decide::run::run;
use crate::decide::searches_on_terms::FAIR_NODES;
use crate::decide::slices_on_terms::{SOON, decide_on_terms_within};
use crate::look_ahead::dead_ends::DeadEnds;
use crate::look_ahead::local_pass::LookAhead;
use crate::scratch::Scratch;
use crate::search::layered_search::LayeredProblem;
use crate::search::packed_search::{PackedProblem, PackedSearch};
use crate::search::problem::Problem;
use crate::search::question::Question;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_formats::bundle::Automaton;
use multitrace_interaction::{BudgetLimit, Nfa, Observation};

/// How many nodes or vectors each quick search may visit; 0 leaves it out.
struct QuickVisits {
    blind: u64,
    looking: u64,
    sets: u64,
}

impl QuickVisits {
    /// `None` if no quick search is wanted.
    ///
    /// The limits balance a fruitless first search against starting a second one. An accepted session without
    /// dead ends takes one visit per event, so the blind search gets a quarter more. With
    /// look-ahead a session takes a few visits per event, and 16 leave room for some choice. Sets
    /// of states get a quarter of the budget, since the plain search comes after them.
    fn of(task: &Task<'_>) -> Option<QuickVisits> {
        let (all, events) = (task.allowance.states, task.session.event_count() as u64);
        let none = QuickVisits { blind: 0, looking: 0, sets: 0 };
        match task.config.comparison.search {
            SearchChoice::Auto => Some(QuickVisits {
                blind: (32 + events + events / 4).min(all),
                looking: (1_000 + 16 * events).min(all),
                sets: all / 4,
            }),
            SearchChoice::Packed => Some(QuickVisits { looking: all, ..none }),
            SearchChoice::Sets => Some(QuickVisits { sets: all, ..none }),
            SearchChoice::Blind | SearchChoice::Nodes | SearchChoice::Constraints => None,
        }
    }
}

/// Whether the compiled automaton accepts the session in an observation mode.
pub(crate) fn decide_on_automaton(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Answer {
    let Ok(automaton) = task.monitor.central() else { return Answer::No };
    let question = task.question(observation);
    match task.config.comparison.procedure {
        Procedure::Centralized => centralized(task, &automaton.full, question, &mut scratch.search),
        Procedure::SemiCentralized => semi_centralized(task, automaton, question, scratch),
    }
}

/// Algorithm 1 of paper 004.
fn centralized(
    task: &Task<'_>,
    full: &Nfa,
    question: Question<'_>,
    search: &mut ShuffleSearch,
) -> Answer {
    let mut problem = Problem::plain(question, full);
    problem.witness = task.config.witness;
    run(search, &problem)
}

/// Local checks, then searches with look-ahead.
fn semi_centralized(
    task: &Task<'_>,
    automaton: &Automaton,
    question: Question<'_>,
    scratch: &mut Scratch,
) -> Answer {
    let quick = decide_quickly(task, automaton, &question, scratch);
    // What is accepted has a path still to be found, if it is wanted.
    let lacks_path = task.config.witness && matches!(quick, Some(Answer::Yes(None)));
    if lacks_path {
        return with_path(task, automaton, &question, scratch);
    }
    quick.unwrap_or_else(|| longer(task, automaton, &question, scratch))
}

/// The answer for a session that is accepted, with a path, if one is found within the budget.
fn with_path(
    task: &Task<'_>,
    automaton: &Automaton,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Answer {
    // The quick searches found a path within a few nodes, and so will this one, most often.
    let soon = scratch
        .look_ahead
        .fill(&automaton.search, question)
        .then(|| plainly(task, automaton, question, PLAIN_NODES, scratch));
    match soon.flatten().unwrap_or_else(|| longer(task, automaton, question, scratch)) {
        Answer::Yes(path) => Answer::Yes(path),
        _ => Answer::Yes(None),
    }
}

/// Searches with look-ahead that take longer than the quick ones: constraints, what clusters say, and what may take the whole
/// budget.
fn longer(
    task: &Task<'_>,
    automaton: &Automaton,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Answer {
    if !scratch.look_ahead.fill(&automaton.search, question) {
        return Answer::No;
    }
    if question.observation == Observation::Slice
        && let Some(answer) = briefly_by_constraints(task, question.observation, scratch)
    {
        return answer;
    }
    if let Some(answer) = decide_slice(task, question, SOON, scratch) {
        return answer;
    }
    if !task.config.witness
        && let Some(answer) = decide_in_turns(task, question, scratch)
    {
        return answer;
    }
    if task.config.compares_nothing() && question.allowance.states > PLAIN_NODES {
        let answer = plainly(task, automaton, question, PLAIN_NODES, scratch)
            .or_else(|| soon_by_constraints(task, question.observation, scratch));
        if let Some(answer) = answer {
            return answer;
        }
    }
    plain(task, automaton, question, scratch)
}

/// The answer of the plain search, if it visits at most so many nodes.
fn plainly(
    task: &Task<'_>,
    automaton: &Automaton,
    question: &Question<'_>,
    most: u64,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let allowance = question.allowance.with_states(most);
    let question = Question { allowance, ..question.clone() };
    match plain(task, automaton, &question, scratch) {
        Answer::Spent(BudgetLimit::States(_), _) => {
            scratch.keep_count();
            None
        }
        answer => Some(answer),
    }
}

fn plain(
    task: &Task<'_>,
    automaton: &Automaton,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Answer {
    let Scratch { look_ahead, search, .. } = scratch;
    let mut problem = Problem::plain(question.clone(), &automaton.search);
    if task.config.comparison.search != SearchChoice::Blind {
        problem.dead_ends = DeadEnds::Rows(look_ahead);
    }
    problem.witness = task.config.witness;
    run(search, &problem)
}

/// The answer of the quick searches; `None` if all of them give up.
fn decide_quickly(
    task: &Task<'_>,
    automaton: &Automaton,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let visits = QuickVisits::of(task)?;
    let Scratch { look_ahead, packed, .. } = scratch;
    let blind = attempt(packed, &automaton.search, question, None, visits.blind);
    scratch.visits += packed.visits();
    if blind.is_some() {
        return blind;
    }
    if !look_ahead.fill(&automaton.search, question) {
        return Some(Answer::No);
    }
    if !packed.fits() && visits.looking > 0 {
        return plainly(task, automaton, question, visits.looking, scratch);
    }
    let looking = attempt(packed, &automaton.search, question, Some(look_ahead), visits.looking);
    scratch.visits += packed.visits();
    looking
}

/// The answer of the search on nodes of one word.
fn attempt(
    packed: &mut PackedSearch,
    automaton: &Nfa,
    question: &Question<'_>,
    look_ahead: Option<&LookAhead>,
    most: u64,
) -> Option<Answer> {
    let allowance = question.allowance.with_states(most);
    let question = Question { allowance, ..question.clone() };
    let edges = question.monitor.edges();
    Answer::certain(packed.run(&PackedProblem { question, automaton, edges, look_ahead }))
}

/// The most vectors of the search on sets of states before more choices of constraints are tried for a slice, which leaves
/// much to choose: some milliseconds (an estimate).
const SETS_OF_SLICE: u64 = 2_000;

/// The most nodes of the plain search before constraints are asked: some 50 ms at 1 us a node (an estimate).
const PLAIN_NODES: u64 = 50_000;

/// The answer of the search on sets of states; for slices in turns with constraints and with a search on terms.
fn decide_in_turns(
    task: &Task<'_>,
    question: &Question<'_>,
    scratch: &mut Scratch,
) -> Option<Answer> {
    let all = QuickVisits::of(task)?.sets;
    if question.observation != Observation::Slice {
        return decide_on_sets(question, all, scratch);
    }
    decide_on_sets(question, all.min(SETS_OF_SLICE), scratch)
        .or_else(|| soon_by_constraints(task, question.observation, scratch))
        .or_else(|| decide_slice(task, question, FAIR_NODES, scratch))
        .or_else(|| decide_on_sets(question, all, scratch))
}

/// The answer that a search on terms finds for a slice within so many nodes.
fn decide_slice(
    task: &Task<'_>,
    question: &Question<'_>,
    most: u64,
    scratch: &mut Scratch,
) -> Option<Answer> {
    if question.observation != Observation::Slice || task.config.witness {
        return None;
    }
    let answer = decide_on_terms_within(task, most, &mut scratch.search);
    if answer.is_none() {
        scratch.keep_count();
    }
    answer
}

/// The answer of the search on sets of states, after the local pass.
fn decide_on_sets(question: &Question<'_>, most: u64, scratch: &mut Scratch) -> Option<Answer> {
    let allowance = question.allowance.with_states(most);
    let outcome = scratch.layered.run(&LayeredProblem {
        question: Question { allowance, ..question.clone() },
        table: question.monitor.search_sets()?,
        look_ahead: Some(&scratch.look_ahead),
        beam: 0,
    });
    scratch.visits += scratch.layered.visits();
    Answer::certain(outcome)
}
