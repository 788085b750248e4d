//! Messages that can overtake one another (MT607).
//
// Idea: `seq` lets a lifeline receive y right after x. If x and y come from different senders,
// nothing that happens after x has arrived lies between, so nothing keeps y from arriving first.
// Messages from one sender to one receiver are taken to arrive in order, and the orders of `strict` and loops are taken
// to be ensured. If the specification has the other order of the two anywhere, it was thought of, and there is no
// warning.
//
// Cost: the last actions of one operand times the first of the other, at each lifeline of both; a few
// each.

use super::local_order::{LocalOrder, Occurrence};
use super::written::WrittenSpec;
use indexmap::IndexMap;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Action, ActionKind};
use rustc_hash::FxBuildHasher;

/// Receptions in a row, with where they are written first; `None` if they cannot overtake.
#[derive(Default)]
pub(super) struct Races {
    pairs: IndexMap<(Action, Action), Option<(Occurrence, Occurrence)>, FxBuildHasher>,
}

impl Races {
    /// Notes the receptions at the end of one part and at the start of the part after it.
    pub(super) fn note(&mut self, spec: &WrittenSpec<'_>, first: &LocalOrder, next: &LocalOrder) {
        let swap = first.ends.len() > next.starts.len();
        let lifelines: &mut dyn Iterator<Item = _> =
            if swap { &mut next.starts.keys() } else { &mut first.ends.keys() };
        for lifeline in lifelines {
            let (Some(end), Some(start)) = (first.ends.get(lifeline), next.starts.get(lifeline))
            else {
                continue;
            };
            for &x in &end.last {
                start.first().iter().for_each(|&y| self.pair(spec, x, y));
            }
        }
    }

    fn pair(&mut self, spec: &WrittenSpec<'_>, x: Occurrence, y: Occurrence) {
        let is_received = |it: &Occurrence| it.action.kind == ActionKind::Reception;
        if x.action == y.action || !is_received(&x) || !is_received(&y) {
            return;
        }
        let slot = self.pairs.entry((x.action, y.action)).or_default();
        let (Some(first), Some(second)) = (x.sender, y.sender) else { return };
        let is_near = spec.locations.of(second) == spec.locations.of(y.action.lifeline);
        if first != second && !is_near && slot.is_none() {
            *slot = Some((x, y));
        }
    }

    /// The warnings.
    pub(super) fn warnings(&self, spec: &WrittenSpec<'_>) -> Vec<Warning> {
        let one_way = self.pairs.iter().filter(|((x, y), _)| !self.pairs.contains_key(&(*y, *x)));
        let races = one_way.filter_map(|(_, race)| *race);
        races.map(|(x, y)| warning(spec, x, y)).collect()
    }
}

fn warning(spec: &WrittenSpec<'_>, x: Occurrence, y: Occurrence) -> Warning {
    let [first, second] = [x, y].map(|it| spec.message(it.action));
    let receiver = spec.lifeline(x.action.lifeline);
    let message = format!("`{second}` can arrive at `{receiver}` before `{first}`");
    let sender = |it: Occurrence| it.sender.map_or("", |sender| spec.lifeline(sender));
    let label = format!("`{}` does not know of `{first}`", sender(y));
    Warning::new(WarningCode::Race, spec.span(y.node), message, label)
        .with_related(spec.span(x.node), format!("comes from `{}`", sender(x)))
}
