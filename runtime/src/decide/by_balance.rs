//! Refusing complete sessions by the laws of balance.

use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decider_name::DeciderName;

/// The numbers of events alone. Only where nothing went unobserved do they say anything.
pub(super) struct Balance;

impl Decider for Balance {
    fn name(&self) -> DeciderName {
        DeciderName::Balance
    }

    fn decide(&self, run: &mut Run<'_, '_>, _: u64) -> Option<Answer> {
        let question = run.task.question(run.observation);
        let bundle = run.task.monitor.bundle();
        let (letters, counts) = (bundle.alphabet.letters().len(), &mut run.scratch.counts);
        let is_refused = question.is_closed()
            && bundle.balance.broken(question.trace, letters, counts).is_some();
        is_refused.then_some(Answer::No)
    }

    fn gives_paths(&self) -> bool {
        false
    }
}
