//! Deciding a session by constraints instead of a search for an interleaving: which parts of the specification are there, and
//! what comes before what.
//
// Idea: a search for an interleaving tries orders that make no difference; what is hard about a session is which operands,
// repetitions and events belong together. A solver of clauses learns from each contradiction which of these do not.
//
// Invariant: what is accepted has a global trace. What is refused has none, however often loops are repeated.
//
// Cost: that of writing the session out (`encoding.rs`); then some microseconds for each contradiction, within a limit.

mod encoding;
mod event_graph;
pub(crate) mod plan;
mod solver;

use plan::Plan;

use crate::constraints::encoding::{Encoding, Repetitions};
use crate::constraints::solver::{Solved, Solver};
use crate::search::question::Question;
use multitrace_interaction::Witness;

/// What constraints say of a session.
#[derive(Debug)]
pub(crate) enum Constrained {
    /// It is accepted, and this global trace shows it.
    Accepted(Witness),
    /// It is not accepted.
    Refused,
    /// It is not known.
    Open,
}

/// How often more repetitions of loops are written out than before.
const ROUNDS: usize = 6;

/// Decides a session in any observation mode within about so many choices; says how many it made.
pub(crate) fn decide_by_constraints(
    plan: &Plan,
    question: &Question<'_>,
    most: u64,
) -> (Constrained, u64) {
    let mut repetitions = Repetitions::default();
    let mut visits = 0;
    for _ in 0..ROUNDS {
        let Some(mut encoding) = Encoding::new(plan, question, &repetitions) else { break };
        let left = most.saturating_sub(visits);
        let solved = solve(&mut encoding, question, left);
        visits += encoding.solver.visits();
        match solved {
            Round::Accepted(witness) => return (Constrained::Accepted(witness), visits),
            Round::Refused => return (Constrained::Refused, visits),
            Round::Stopped => break,
            Round::More(loops) => {
                for (part, written) in loops {
                    repetitions.insert(part, written);
                }
            }
        }
    }
    (Constrained::Open, visits)
}

enum Round {
    Accepted(Witness),
    Refused,
    Stopped,
    /// These loops need more repetitions, at least so many.
    More(Vec<(usize, usize)>),
}

fn solve(encoding: &mut Encoding, question: &Question<'_>, most: u64) -> Round {
    let Encoding { solver, graph, more, .. } = encoding;
    let none_more: Vec<_> = more.iter().map(|&(more, _)| !more).collect();
    let allowance = &question.allowance;
    let mut stop = |solver: &Solver| {
        solver.visits() > most || solver.bytes() > allowance.bytes || allowance.is_late()
    };
    if stop(solver) {
        return Round::Stopped;
    }
    match solver.solve(&none_more, graph, &mut stop) {
        Solved::Satisfied => return Round::Accepted(encoding.witness()),
        Solved::Stopped => return Round::Stopped,
        Solved::Violated if more.is_empty() => return Round::Refused,
        Solved::Violated => {}
    }
    match solver.solve(&[], graph, &mut stop) {
        Solved::Violated => Round::Refused,
        Solved::Stopped => Round::Stopped,
        Solved::Satisfied => {
            let loops = more.iter().filter(|&&(more, _)| solver.is_true(more));
            let loops: Vec<_> = loops.map(|&(_, part)| part).collect();
            let doubled = |part| (part, encoding.twice_written(part));
            Round::More(loops.into_iter().map(doubled).collect())
        }
    }
}
