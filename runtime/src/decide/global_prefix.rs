//! Stages for global prefixes: all locations stopped at one moment (paper 001 sec. 4.5).
//
// Idea: all events are read and nothing goes unobserved, so any path that reads them will do, final or not. A compiled
// automaton keeps only some interleavings, so the search runs on the interaction as it was written, or on the automaton
// that was given instead. A short search comes first, since most sessions need no other; then a longer one,
// constraints, which know all global traces, and a search within the budget. A session that cannot be read is asked as
// a prefix, which the compiled automaton may answer.
//
// Reductions: look-ahead by single locations is right, since every location reads its log as a prefix of its possible logs
// where the others are removed. So is reading an event whose places are free before all others: it is in every prefix that
// explains the logs, and moved to the front of it nothing else changes its place (`first_places.rs` of the interaction).
// Linearised terms and persistent locations are not: they keep multi-traces, by other global traces.
//
// Invariant: that no path reads all events is a failure if no extension of the local traces is accepted, which is the
// question of prefix mode; else a longer log might help.
//
// Cost: that of interleavings, without linearising: the dearest mode.

use crate::decide::answer::Answer;
use crate::decide::decider::{Decider, Run};
use crate::decide::run::run;
use crate::decider_name::DeciderName;
use crate::scratch::Scratch;
use crate::search::problem::Problem;
use crate::task::Task;
use multitrace_interaction::InconclusiveReason;

/// Whether all events can be read, and nothing else.
pub(super) struct AllEvents;

/// The stage that asks a plan of prefix mode whether a session is refused.
type Asked = fn(&Task<'_>, &mut Scratch) -> Option<Answer>;

/// The same within the budget; then whether longer logs might be accepted, if these cannot be read.
pub(super) struct AllEventsOrLonger(pub(super) Asked);

impl Decider for AllEvents {
    fn name(&self) -> DeciderName {
        DeciderName::AllEvents
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        if run.known.is_unreadable {
            return None;
        }
        let answer = read_all(run, limit);
        if matches!(answer, Answer::No) {
            run.known.is_unreadable = true;
            return None;
        }
        run.unless_cut(answer, limit)
    }
}

fn read_all(run: &mut Run<'_, '_>, limit: u64) -> Answer {
    let question = run.question(limit);
    let search = &mut run.scratch.search;
    match (&mut run.terms, run.task.monitor.bundle().automaton()) {
        (Some(problem), _) => {
            problem.question.allowance = question.allowance.on(problem.automaton);
            self::run(search, problem)
        }
        (None, Some(automaton)) => {
            let mut problem = Problem::plain(question, &automaton.full);
            problem.witness = run.task.config.witness;
            self::run(search, &problem)
        }
        (None, None) => Answer::No,
    }
}

impl Decider for AllEventsOrLonger {
    fn name(&self) -> DeciderName {
        DeciderName::AllEvents
    }

    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer> {
        if let answer @ Some(_) = AllEvents.decide(run, limit) {
            return answer;
        }
        run.scratch.keep_count();
        Some(match self.0(run.task, run.scratch) {
            Some(Answer::No) => Answer::No,
            _ => Answer::Unknown(InconclusiveReason::LackOfObservation),
        })
    }
}
