//! Concurrent actions that look the same in a log, and have different partners (MT609): of
//! `par(a -- ok -> c, b -- ok -> c)` the log of c does not say whose ok came first.
//
// Cost: the actions of a part move up the tree, the smaller set into the larger.

use super::drawn::Drawn;
use super::passings::Passings;
use super::written::WrittenSpec;
use indexmap::IndexMap;
use multitrace_formats::diagram::UNLABELLED;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Action, Id, LifelineId, LifelineSet, Node, NodeId};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// Per action, up to two places with different partners: two tell whether a third differs from one.
type Actions = IndexMap<Action, Vec<ActionPlace>, FxBuildHasher>;

#[derive(Clone, PartialEq, Eq)]
struct ActionPlace {
    node: NodeId,
    partners: Vec<LifelineId>,
}

pub(super) fn warnings(spec: &WrittenSpec<'_>, drawn: &Drawn<'_>) -> Vec<Warning> {
    let nodes = spec.parsed.interaction.nodes();
    let passings = Passings::new(spec);
    let mut sets: Vec<Actions> = vec![Actions::default(); nodes.len()];
    let (mut found, mut warned) = (Vec::new(), FxHashSet::default());
    for (index, node) in nodes.iter().enumerate() {
        let id = NodeId::new(index);
        let mut take = |id: NodeId| std::mem::take(&mut sets[id.index()]);
        let set = match node {
            Node::Empty => Actions::default(),
            Node::Step(step) => {
                let place = |&action: &Action| {
                    let partners = passings.partners(id, step, action);
                    (action, vec![ActionPlace { node: id, partners }])
                };
                step.actions().iter().map(place).collect()
            }
            Node::Loop(_, body) => take(*body),
            Node::Strict(a, b) | Node::Seq(a, b) | Node::Alt(a, b) => {
                join(take(*a), take(*b), |_, _, _| {})
            }
            Node::Par(a, b) | Node::CoReg(_, a, b) => {
                let region = if let Node::CoReg(region, ..) = node { Some(region) } else { None };
                join(take(*a), take(*b), |action, x, y| {
                    let differ = is_concurrent(region, action) && x.partners != y.partners;
                    let is_meant = is_meant((spec, drawn), action, [x.node, y.node]);
                    if differ && !is_meant && warned.insert(action) {
                        found.push(warning(spec, action, [x, y]));
                    }
                })
            }
        };
        sets[index] = set;
    }
    found
}

/// Whether two equal arrows are intended. They are where each of several participants sends the one arrow, where a
/// directive chooses some of the parts around them, where they have no text, and in a frame without its end.
fn is_meant(
    (spec, drawn): (&WrittenSpec<'_>, &Drawn<'_>),
    action: Action,
    at: [NodeId; 2],
) -> bool {
    let places = at.map(|node| spec.span(node));
    places[0] == places[1]
        || drawn.are_chosen(places)
        || places.iter().all(|place| drawn.is_unclosed(*place))
        || drawn.is_some() && spec.message(action) == UNLABELLED
}

fn is_concurrent(region: Option<&LifelineSet>, action: Action) -> bool {
    region.is_none_or(|region| region.contains(action.lifeline))
}

/// The actions of both; `both` is told of two places of one action.
fn join(
    a: Actions,
    b: Actions,
    mut both: impl FnMut(Action, &ActionPlace, &ActionPlace),
) -> Actions {
    let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
    for (action, places) in small {
        let known = large.entry(action).or_default();
        let own = known.len();
        for place in places {
            known[..own].iter().for_each(|other| both(action, other, &place));
            if known.len() < 2 && known.iter().all(|other| other.partners != place.partners) {
                known.push(place);
            }
        }
    }
    large
}

fn warning(spec: &WrittenSpec<'_>, action: Action, places: [&ActionPlace; 2]) -> Warning {
    let mut spans = places.map(|place| (spec.span(place.node), place));
    spans.sort_by_key(|(span, _)| *span);
    let [(first, _), (second, _)] = spans;
    let text = spec.action(action);
    let message = format!("a log does not tell this `{text}` from another one");
    Warning::new(WarningCode::Indistinct, second, message, format!("`{text}`"))
        .with_related(first, format!("also `{text}`, at the same time"))
}
