//! Deciding a session by constraints instead of a search for an interleaving: which parts of the specification are
//! there, and in which order.
//
// Idea: a search for an interleaving tries orders that make no difference; the hard question about a session is which
// operands, repetitions and events belong together. A solver of clauses learns from each contradiction which of these
// do not.
//
// Invariant: an accepted session has a global trace. A refused one has none, however often loops are repeated.
//
// Cost: that of writing the session out (`encoding.rs`); then some microseconds for each contradiction, within a limit.

mod cardinality;
mod encoding;
mod estimates;
mod event_graph;
mod log_ways;
mod solver;

pub(crate) use crate::constraints::encoding::Encoding;
use crate::constraints::encoding::Repetitions;
use crate::constraints::solver::{Solved, Solver};
use crate::monitor::written_plan::Plan;
use crate::question::Question;
use multitrace_interaction::Witness;

/// The answer of constraints for a session.
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
const ROUNDS: u32 = 6;

/// How many steps are written out in all rounds together for each choice that may be made. Writing one out takes longer than a
/// choice; without a limit, sessions that need many repetitions would wait for all rounds. An estimate.
const STEPS_PER_CHOICE: u64 = 2;

/// Decides a session in any observation mode, with at most about `most` choices beside one for each step that is written out.
/// Returns how many it made, too.
pub(crate) fn decide_by_constraints(
    plan: &Plan,
    question: &Question<'_>,
    most: u64,
    encoding: &mut Encoding,
) -> (Constrained, u64) {
    let decided = decide_in_rounds(plan, question, most, encoding);
    encoding.shrink();
    decided
}

fn decide_in_rounds(
    plan: &Plan,
    question: &Question<'_>,
    most: u64,
    encoding: &mut Encoding,
) -> (Constrained, u64) {
    let mut repetitions = Repetitions::default();
    let (mut visits, mut steps) = (0, 0_u64);
    for round in 0..ROUNDS {
        if !encoding.write(plan, question, &repetitions) {
            break;
        }
        // A choice for each step that was written out takes next to no time.
        let left = most.saturating_sub(visits).saturating_add(encoding.size());
        let first = LEAST_PATIENCE
            .max(most / PATIENCE)
            .saturating_mul(PATIENCE_GROWTH.saturating_pow(round));
        let solved = solve(encoding, (plan, question), left, first.min(left));
        visits += encoding.solver.visits();
        steps += encoding.size();
        match solved {
            Round::Accepted(witness) => return (Constrained::Accepted(witness), visits),
            Round::Refused => return (Constrained::Refused, visits),
            Round::Stopped => break,
            Round::More(loops) => {
                // The next round writes out about twice as many.
                if steps + 2 * encoding.size() > most.saturating_mul(STEPS_PER_CHOICE) {
                    break;
                }
                for (part, written) in loops {
                    repetitions.insert(part, written);
                }
            }
        }
    }
    (Constrained::Open, visits)
}

/// The most contradictions from which clauses are learnt before a circle is given up: most need none (an estimate).
const CONFLICTS_OF_CIRCLE: u64 = 100;

/// Events, as location and index, each of which must come before the next one and the last before the first, whatever is
/// chosen; of events that follow each other in one log the first and the last. Empty if clauses refuse the session, if it is
/// not refused before anything is chosen, or if it is too large.
pub(crate) fn forced_circle(
    plan: &Plan,
    question: &Question<'_>,
    encoding: &mut Encoding,
) -> Vec<(usize, usize)> {
    let mut circle = Vec::new();
    if encoding.write(plan, question, &Repetitions::default()) {
        let mut conflicts = 0;
        let stop = &mut |_: &Solver| {
            conflicts += 1;
            conflicts > CONFLICTS_OF_CIRCLE || question.allowance.is_late()
        };
        if encoding.solver.solve(&[], &mut encoding.graph, stop) == Solved::Violated {
            circle = encoding.forced_circle();
        }
    }
    encoding.shrink();
    circle
}

enum Round {
    Accepted(Witness),
    Refused,
    Stopped,
    /// These loops need more repetitions: each with the number to write out next.
    More(Vec<(usize, usize)>),
}

/// Which part of the choices is made for the parts that are written out alone, at least how many, and how many times as
/// many in each later round. That it is too little is hard to show, since clauses cannot count; with more repetitions
/// the session may be accepted after few choices. Estimates, by `scripts/large`.
const PATIENCE: u64 = 8;
const LEAST_PATIENCE: u64 = 1_000;
const PATIENCE_GROWTH: u64 = 4;

fn solve(
    encoding: &mut Encoding,
    (plan, question): (&Plan, &Question<'_>),
    most: u64,
    most_alone: u64,
) -> Round {
    let Encoding { solver, graph, more, .. } = encoding;
    let none_more: Vec<_> = more.iter().map(|&(more, _)| !more).collect();
    let allowance = &question.allowance;
    let is_spent = |solver: &Solver, most: u64| {
        solver.visits() > most || solver.bytes() > allowance.bytes || allowance.is_late()
    };
    if is_spent(solver, most) {
        return Round::Stopped;
    }
    let first = if more.is_empty() { most } else { most_alone };
    match solver.solve(&none_more, graph, &mut |solver| is_spent(solver, first)) {
        Solved::Satisfied => return Round::Accepted(encoding.witness(plan)),
        Solved::Stopped if more.is_empty() || is_spent(solver, most) => return Round::Stopped,
        Solved::Stopped => return Round::More(encoding.doubled(|_| true)),
        Solved::Violated if more.is_empty() => return Round::Refused,
        Solved::Violated => {}
    }
    match solver.solve(&[], graph, &mut |solver| is_spent(solver, most)) {
        Solved::Violated => Round::Refused,
        Solved::Stopped => Round::Stopped,
        Solved::Satisfied => Round::More(encoding.doubled(|more| encoding.solver.is_true(more))),
    }
}

#[cfg(test)]
mod tests {
    use crate::constraints::event_graph::EventGraph;
    use crate::constraints::solver::{Literal, Solved, Solver};
    use proptest::prelude::*;

    const VARIABLES: usize = 7;
    const NODES: usize = 5;

    /// The number of a variable, and whether it is meant to be true.
    type Sign = (usize, bool);

    fn any_sign() -> impl Strategy<Value = Sign> {
        (0..VARIABLES, any::<bool>())
    }

    /// Clauses, conditions of nodes, conditional edges, and assumptions.
    #[derive(Clone, Debug)]
    struct Puzzle {
        clauses: Vec<Vec<Sign>>,
        nodes: Vec<Option<Sign>>,
        edges: Vec<(Option<Sign>, usize, usize)>,
        assumed: Vec<Sign>,
    }

    fn any_puzzle() -> impl Strategy<Value = Puzzle> {
        let clauses = proptest::collection::vec(proptest::collection::vec(any_sign(), 1..4), 0..24);
        let nodes = proptest::collection::vec(proptest::option::of(any_sign()), NODES);
        let edge = (proptest::option::weighted(0.7, any_sign()), 0..NODES, 0..NODES);
        let edges = proptest::collection::vec(edge, 0..16);
        let assumed = proptest::collection::vec(any_sign(), 0..3);
        (clauses, nodes, edges, assumed).prop_map(|(clauses, nodes, edges, assumed)| Puzzle {
            clauses,
            nodes,
            edges,
            assumed,
        })
    }

    impl Puzzle {
        /// Whether values satisfy it, edge by edge and clause by clause.
        fn holds(&self, values: &[bool], assumed: &[Sign]) -> bool {
            let is = |&(variable, sign): &Sign| values[variable] == sign;
            let here: Vec<_> = self.nodes.iter().map(|it| it.as_ref().is_none_or(is)).collect();
            let mut before = [[false; NODES]; NODES];
            for (condition, from, to) in &self.edges {
                let is_there = condition.as_ref().is_none_or(is) && here[*from] && here[*to];
                before[*from][*to] |= is_there;
            }
            for middle in 0..NODES {
                for from in 0..NODES {
                    for to in 0..NODES {
                        before[from][to] |= before[from][middle] && before[middle][to];
                    }
                }
            }
            (0..NODES).all(|node| !before[node][node])
                && self.clauses.iter().all(|clause| clause.iter().any(is))
                && assumed.iter().all(is)
        }

        fn is_satisfiable(&self, assumed: &[Sign]) -> bool {
            (0..1_u32 << VARIABLES).any(|bits| {
                let values: Vec<_> = (0..VARIABLES).map(|it| bits >> it & 1 == 1).collect();
                self.holds(&values, assumed)
            })
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn puzzles_are_solved_as_by_trying_all_values(puzzle in any_puzzle()) {
            let mut solver = Solver::new();
            let variables: Vec<_> = (0..VARIABLES).map(|_| solver.variable()).collect();
            let literal = |&(variable, sign): &Sign| {
                if sign { variables[variable] } else { !variables[variable] }
            };
            let condition = |it: &Option<Sign>| it.as_ref().map_or(Literal::TRUE, literal);
            for clause in &puzzle.clauses {
                solver.add(&clause.iter().map(literal).collect::<Vec<_>>());
            }
            let mut graph = EventGraph::default();
            let nodes: Vec<_> = puzzle.nodes.iter().map(|it| graph.node(condition(it))).collect();
            for (when, from, to) in &puzzle.edges {
                // The condition of an edge says that its ends are there.
                let by = solver.variable();
                for implied in [condition(when), condition(&puzzle.nodes[*from]), condition(&puzzle.nodes[*to])] {
                    solver.add(&[!by, implied]);
                }
                let parts = [condition(when), condition(&puzzle.nodes[*from]), condition(&puzzle.nodes[*to])];
                solver.add(&[!parts[0], !parts[1], !parts[2], by]);
                graph.before_if(by, nodes[*from], nodes[*to]);
            }
            graph.begin(solver.literals());
            let assumed: Vec<_> = puzzle.assumed.iter().map(literal).collect();
            for (given, assumed) in [(&puzzle.assumed[..], &assumed[..]), (&[], &[])] {
                let solved = solver.solve(assumed, &mut graph, &mut |_| false);
                let expected = puzzle.is_satisfiable(given);
                prop_assert_eq!(solved == Solved::Satisfied, expected, "{:?}", solved);
                if expected {
                    let values: Vec<_> = variables.iter().map(|&it| solver.is_true(it)).collect();
                    prop_assert!(puzzle.holds(&values, given), "{:?}", values);
                    let order = graph.order();
                    let place = |node| order.iter().position(|&it| it == node);
                    for (when, from, to) in &puzzle.edges {
                        let is = |it: &Option<Sign>| it.is_none_or(|(at, sign)| values[at] == sign);
                        if is(when) && is(&puzzle.nodes[*from]) && is(&puzzle.nodes[*to]) {
                            prop_assert!(place(nodes[*from]) < place(nodes[*to]));
                        }
                    }
                }
            }
        }
    }
}
