//! Refusing sessions by single logs.

use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decider_name::DeciderName;
use crate::local_walk::is_impossible;
use multitrace_interaction::Observation;

/// Each log alone. On an automaton it finds the look-ahead for later stages, too.
pub(super) struct SingleLogs;

impl Decider for SingleLogs {
    fn name(&self) -> DeciderName {
        DeciderName::SingleLogs
    }

    fn decide(&self, run: &mut Run<'_, '_>, _: u64) -> Option<Answer> {
        let question = run.task.question(run.observation);
        let automaton = run.task.monitor.bundle().automaton();
        let is_possible = match automaton {
            Some(automaton)
                if run.terms.is_none() && run.observation != Observation::GlobalPrefix =>
            {
                run.known.looks_ahead = run.scratch.look_ahead.fill(&automaton.search, &question);
                run.known.looks_ahead
            }
            _ => !is_impossible(&question),
        };
        (!is_possible).then_some(Answer::No)
    }
}
