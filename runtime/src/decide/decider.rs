//! The interface of the stages that decide sessions, and the state that they share.

use crate::decide::answer::Answer;
use crate::decide::limit::Limit;
use crate::decider_name::DeciderName;
use crate::lazy_automaton::LazyAutomaton;
use crate::question::Question;
use crate::scratch::Scratch;
use crate::search::problem::Problem;
use crate::task::Task;
use multitrace_interaction::Observation;

/// The answer for a session in one mode, and the stage that gave it.
pub(crate) struct Decided {
    pub(crate) answer: Answer,
    pub(crate) by: DeciderName,
}

/// A way to decide.
pub(super) trait Decider: Sync {
    fn name(&self) -> DeciderName;

    /// The answer, if it is certain within a limit; `None` if another stage must decide.
    fn decide(&self, run: &mut Run<'_, '_>, limit: u64) -> Option<Answer>;

    /// Whether it finds a path of the sessions it accepts, if one can be found at all. The others are not asked for
    /// sessions that are known to be accepted and lack a witness.
    fn gives_paths(&self) -> bool {
        true
    }
}

/// A row of a plan.
pub(super) struct Stage {
    pub(super) decider: &'static dyn Decider,
    pub(super) limit: Limit,
    /// It is asked where all of these hold.
    pub(super) when: &'static [When],
}

/// When a stage is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// No witness is wanted.
    NoWitness,
    /// The specification is an interaction of more nodes than this.
    NodesOver(usize),
    /// The session has no more events than this.
    EventsUpTo(usize),
}

impl When {
    pub(super) fn holds(self, task: &Task<'_>) -> bool {
        match self {
            When::NoWitness => !task.config.witness,
            When::NodesOver(count) => {
                let source = task.monitor.bundle().source.as_ref();
                source.is_some_and(|(_, interaction)| interaction.nodes().len() > count)
            }
            When::EventsUpTo(count) => task.session.event_count() <= count,
        }
    }
}

/// A session on its way through a plan.
pub(super) struct Run<'r, 't> {
    pub(super) task: &'r Task<'t>,
    pub(super) observation: Observation,
    pub(super) scratch: &'r mut Scratch,
    /// The search problem of a plan on terms.
    pub(super) terms: Option<&'r mut Problem<'t, LazyAutomaton>>,
    pub(super) known: Known,
}

/// Results of earlier stages that did not decide the session.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The look-ahead of the automaton is that of this session.
    pub(super) looks_ahead: bool,
    /// This many choices of constraints were made in vain.
    pub(super) constrained: u64,
    /// No order of the events alone explains the logs.
    pub(super) is_unreadable: bool,
}

impl<'t> Run<'_, 't> {
    /// The question of this run, within a number of nodes.
    pub(super) fn question(&self, most: u64) -> Question<'t> {
        let question = self.task.question(self.observation);
        Question { allowance: question.allowance.with_states(most), ..question }
    }

    /// An answer that is certain: not that a limit was reached which is less than the budget.
    pub(super) fn unless_cut(&self, answer: Answer, limit: u64) -> Option<Answer> {
        let is_cut = answer.is_spent_on_nodes() && limit < self.task.allowance.states;
        (!is_cut).then_some(answer)
    }
}
