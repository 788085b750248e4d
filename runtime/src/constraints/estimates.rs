//! Bounds and estimates of how often each part of a plan is there, from the numbers of events, before anything is
//! written out.

use crate::monitor::written_plan::{Plan, PlanPart};
use crate::question::Question;
use multitrace_interaction::Id;

/// Per part, how often it can be there: a step whose log would show it as often as the log does, a chain as often as each of
/// its operands, an `alt` as often as all of them together.
pub(super) fn rooms(plan: &Plan, question: &Question<'_>, counts: &[usize]) -> Vec<usize> {
    let mut rooms: Vec<usize> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let room = match part {
            PlanPart::Step(actions) => {
                let shown = actions.iter().filter(|it| !question.may_go_on(it.location.index()));
                shown.map(|it| counts[it.letter.index()]).min().unwrap_or(usize::MAX)
            }
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) => {
                operands.iter().map(|&it| rooms[it]).min().unwrap_or(usize::MAX)
            }
            PlanPart::Alt(operands) => {
                operands.iter().fold(0_usize, |all, &it| all.saturating_add(rooms[it]))
            }
            PlanPart::Loop(..) => usize::MAX,
        };
        rooms.push(room);
    }
    rooms
}

/// Per part, about how often it must be there for all events that it could have: too few copies to choose from are hard to
/// refute, since clauses cannot count. A letter of several steps is shared out evenly.
pub(super) fn usual(plan: &Plan, counts: &[usize]) -> Vec<usize> {
    let mut usual: Vec<usize> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let own = match part {
            PlanPart::Step(actions) => {
                let shared = actions.iter().map(|it| counts[it.letter.index()].div_ceil(it.steps));
                shared.max().unwrap_or(0)
            }
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) => {
                operands.iter().map(|&it| usual[it]).max().unwrap_or(0)
            }
            PlanPart::Alt(operands) => {
                operands.iter().fold(0_usize, |all, &it| all.saturating_add(usual[it]))
            }
            PlanPart::Loop(it) => usual[it.body].min(1),
        };
        usual.push(own);
    }
    usual
}

/// Per part, whether the logs have an event that it could have.
pub(super) fn shown(plan: &Plan, counts: &[usize]) -> Vec<bool> {
    let mut shown: Vec<bool> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let is_shown = match part {
            PlanPart::Step(actions) => actions.iter().any(|it| counts[it.letter.index()] > 0),
            PlanPart::Chain(_, operands) | PlanPart::Par(operands) | PlanPart::Alt(operands) => {
                operands.iter().any(|&it| shown[it])
            }
            PlanPart::Loop(it) => shown[it.body],
        };
        shown.push(is_shown);
    }
    shown
}
