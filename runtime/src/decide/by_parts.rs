//! The stage that decides sessions of specifications whose parts have one location in common (`search/part_search.rs`).

use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decider_name::DeciderName;
use crate::search::part_search::{Visits, accepts};
use multitrace_interaction::Observation;

/// Each part alone, and the log of the common location. It asks for logs without an unobserved beginning.
pub(super) struct PartsApart;

impl Decider for PartsApart {
    fn name(&self) -> DeciderName {
        DeciderName::PartsApart
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        if matches!(run.observation, Observation::Slice | Observation::GlobalPrefix) {
            return None;
        }
        let monitor = run.task.monitor;
        let parts = monitor.parts()?;
        let question = run.task.question(run.observation);
        let terms = parts.terms(monitor.alphabet(), question.allowance.stop());
        let mut visits = Visits { question: &question, most: limit, made: 0, kept: 0 };
        let found = accepts(parts, &terms, &mut visits);
        run.scratch.visits += visits.made;
        found.map(|is_accepted| if is_accepted { Answer::Yes(None) } else { Answer::No })
    }

    fn gives_paths(&self) -> bool {
        false
    }
}
