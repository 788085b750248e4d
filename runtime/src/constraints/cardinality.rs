//! How many of some literals may be true.

use crate::constraints::solver::{Literal, Solver};

/// From this many on, pairs are not written out.
const MANY: usize = 8;

/// No two of these are true.
pub(super) fn at_most_one(solver: &mut Solver, ones: &[Literal]) {
    if ones.len() < MANY {
        for (at, &one) in ones.iter().enumerate() {
            ones[at + 1..].iter().for_each(|&other| solver.add(&[!one, !other]));
        }
        return;
    }
    // Whether one of the first ones is true, for each number of them.
    let mut before = ones[0];
    for (index, &one) in ones.iter().enumerate().skip(1) {
        solver.add(&[!before, !one]);
        if index + 1 < ones.len() {
            let next = solver.auxiliary();
            solver.add(&[!before, next]);
            solver.add(&[!one, next]);
            before = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::event_graph::EventGraph;
    use crate::constraints::solver::Solved;

    /// Up to many literals: any one of them may be true, or none, and no two.
    #[test]
    fn at_most_one_allows_each_alone_and_no_two() {
        for count in 1..=MANY + 4 {
            let mut solver = Solver::new();
            let ones: Vec<_> = (0..count).map(|_| solver.variable()).collect();
            at_most_one(&mut solver, &ones);
            let mut graph = EventGraph::default();
            graph.begin(solver.literals());
            let mut solve = |assumed: &[Literal]| solver.solve(assumed, &mut graph, &mut |_| false);
            let none: Vec<_> = ones.iter().map(|&it| !it).collect();
            assert_eq!(solve(&none), Solved::Satisfied);
            for (at, &one) in ones.iter().enumerate() {
                assert_eq!(solve(&[one]), Solved::Satisfied, "{at} of {count}");
                for &other in &ones[..at] {
                    assert_eq!(solve(&[one, other]), Solved::Violated, "{at} of {count}");
                }
            }
        }
    }
}
