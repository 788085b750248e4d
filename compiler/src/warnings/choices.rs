//! Choices that no single location makes (MT605, MT606).
//
// Idea: compare two alternatives lifeline by lifeline. Where the rows of first actions part, the
// lifeline either receives, and is told, or it sends in one of them a message that it does not send in the other: then
// it decides. Where two locations decide, each may decide otherwise. If one of them has done the same in both before,
// it must act without knowing (MT606); else both may start (MT605).
//
// Cost: pairs of alternatives times their lifelines, up to a number for the whole specification.

use super::drawn::Drawn;
use super::local_order::{LocalOrder, LocalStart, Occurrence};
use super::written::WrittenSpec;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{ActionKind, NodeId};

/// The most lifelines compared in a specification: some milliseconds.
const MAX_COMPARISONS: usize = 200_000;

/// Where a lifeline decides between two alternatives.
#[derive(Clone, Copy)]
struct Decision {
    occurrence: Occurrence,
    /// How much it does before that in both.
    before: usize,
}

/// Looks for choices, as long as its fuel lasts.
pub(super) struct Choices {
    fuel: usize,
}

impl Choices {
    pub(super) fn new() -> Choices {
        Choices { fuel: MAX_COMPARISONS }
    }

    /// Warns of the first two alternatives that two locations decide between, of each kind.
    pub(super) fn check(
        &mut self,
        walk: (&WrittenSpec<'_>, &Drawn<'_>),
        alternative: NodeId,
        operands: &[LocalOrder],
        found: &mut Vec<Warning>,
    ) {
        let (spec, drawn) = walk;
        // An option may take over at any time, whoever is at work.
        if drawn.is_option(spec.span(alternative)) {
            return;
        }
        let mut warned = [false; 2];
        for (index, second) in operands.iter().enumerate() {
            for first in &operands[..index] {
                let cost = first.starts.len() + second.starts.len();
                let Some(left) = self.fuel.checked_sub(cost) else { return };
                self.fuel = left;
                let Some(pair) = undecided(walk, first, second) else { continue };
                let is_late = pair[1].before > 0;
                if !std::mem::replace(&mut warned[usize::from(is_late)], true) {
                    found.push(warning(spec, alternative, pair));
                }
            }
        }
    }
}

/// Two decisions at different locations, if there are; the one with more before it comes last.
fn undecided(
    walk: (&WrittenSpec<'_>, &Drawn<'_>),
    first: &LocalOrder,
    second: &LocalOrder,
) -> Option<[Decision; 2]> {
    let nothing = LocalStart::default();
    let own = second.starts.keys().filter(|lifeline| !first.starts.contains_key(*lifeline));
    let decisions = first.starts.keys().chain(own).filter_map(|lifeline| {
        let start = |order: &LocalOrder| order.starts.get(lifeline).cloned();
        let (a, b) = (start(first), start(second));
        decision(walk, a.as_ref().unwrap_or(&nothing), b.as_ref().unwrap_or(&nothing))
    });
    let mut decisions: Vec<Decision> = decisions.collect();
    decisions.sort_by_key(|it| (it.before, it.occurrence.node));
    let (spec, _) = walk;
    let at = |decision: &Decision| spec.locations.of(decision.occurrence.action.lifeline);
    let place = |decision: &Decision| spec.span(decision.occurrence.node);
    let last = *decisions.last()?;
    // One arrow of each of several is written once: exactly one of them sends it.
    let other =
        decisions.into_iter().find(|it| at(it) != at(&last) && place(it) != place(&last))?;
    Some([other, last])
}

/// Where a lifeline decides between two parts that begin like this.
fn decision(
    (spec, drawn): (&WrittenSpec<'_>, &Drawn<'_>),
    a: &LocalStart,
    b: &LocalStart,
) -> Option<Decision> {
    let same = a.straight.iter().zip(&b.straight).take_while(|(x, y)| x.action == y.action);
    let before = same.count();
    let (x, y) = (next(a, before)?, next(b, before)?);
    let differs = |from: &[Occurrence], to: &[Occurrence]| {
        let sent = from.iter().filter(|it| it.action.kind == ActionKind::Emission);
        let sent = sent.filter(|it| {
            !drawn.is_way_back(spec, **it) && !drawn.is_beside_others(spec.span(it.node))
        });
        sent.copied().find(|it| to.iter().all(|other| other.action != it.action))
    };
    let occurrence = differs(x, y).or_else(|| differs(y, x))?;
    Some(Decision { occurrence, before })
}

/// The occurrences that can come after this number of actions; `None` if they are unknown.
fn next(start: &LocalStart, done: usize) -> Option<&[Occurrence]> {
    match start.straight.get(done..=done) {
        Some(next) => Some(next),
        None if start.is_cut => None,
        None => Some(&start.then),
    }
}

fn warning(spec: &WrittenSpec<'_>, alternative: NodeId, pair: [Decision; 2]) -> Warning {
    let [first, last] = pair.map(|it| it.occurrence);
    let [early, late] = [first, last].map(|it| spec.lifeline(it.action.lifeline));
    let operator = spec.operator(alternative);
    let (code, message, label) = if pair[1].before > 0 {
        let sent = spec.message(last.action);
        let message =
            format!("`{late}` cannot know which alternative was taken when it sends `{sent}`");
        (WarningCode::UnclearChoice, message, format!("`{early}` decides as well"))
    } else {
        let message = format!("`{early}` and `{late}` both decide which alternative is taken");
        (WarningCode::NonLocalChoice, message, "nobody decides alone".to_owned())
    };
    let mut warning = Warning::new(code, operator, message, label);
    for occurrence in [first, last] {
        let text = format!("`{}`", spec.action(occurrence.action));
        warning = warning.with_related(spec.span(occurrence.node), text);
    }
    warning
}
