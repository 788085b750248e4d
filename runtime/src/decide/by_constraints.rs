//! The stage that decides by constraints (`constraints.rs`), where a search for an interleaving takes long.

use crate::constraints::{Constrained, decide_by_constraints};
use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decider_name::DeciderName;
use multitrace_interaction::Observation;

/// Clauses, and a graph of the order of events. Its limit is one on choices.
pub(super) struct Constraints;

/// A choice takes about as long as this many nodes of a search on an automaton, which the budget counts (an estimate).
const NODES_PER_CHOICE: u64 = 10;

impl Decider for Constraints {
    fn name(&self) -> DeciderName {
        DeciderName::Constraints
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        let most = limit.min(run.task.allowance.states / NODES_PER_CHOICE);
        // The same choices would be made again.
        if most <= run.known.constrained || run.known.is_unreadable {
            return None;
        }
        let plan = run.task.monitor.plan()?;
        let question = run.task.question(run.observation);
        let memory = &mut run.scratch.constraints;
        let (found, visits) = decide_by_constraints(plan, &question, most, memory);
        run.scratch.visits += visits;
        match found {
            Constrained::Accepted(path) => {
                Some(Answer::Yes(run.task.config.witness.then_some(path)))
            }
            Constrained::Refused if run.observation == Observation::GlobalPrefix => {
                run.known.is_unreadable = true;
                None
            }
            Constrained::Refused => Some(Answer::No),
            Constrained::Open => {
                run.known.constrained = most;
                None
            }
        }
    }
}
