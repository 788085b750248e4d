//! Messages that can overtake one another (MT607).
//
// Idea: `seq` lets a lifeline receive y right after x. If x and y come from different senders,
// nothing that happens after x has arrived lies between, so nothing keeps y from arriving first.
// Messages from one sender to one receiver are taken to arrive in order, so is a message that is sent because of the
// other, and the orders of `strict` and loops are taken to be ensured. If the specification has the other order of the
// two anywhere, it was thought of, and there is no warning. Nor is there one in a diagram where the second message is
// from a person, who sees more than messages, of arrows with two heads, or of arrows that `par2` draws beside others; nor
// where one of the two only acknowledges a request, as `200 OK` does: nobody waits for it in an order.
//
// Cost: the last actions of one operand times the first of the other, at each lifeline of both; a few
// each. For those that may overtake, the nodes between them.

use super::causes::Causes;
use super::drawn::Drawn;
use super::local_order::{LocalOrder, Occurrence};
use super::passings::Passings;
use super::written::WrittenSpec;
use indexmap::IndexMap;
use multitrace_formats::source::Span;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Action, ActionKind, NodeId};
use rustc_hash::FxBuildHasher;

/// A walk over an interaction: its text, its diagram, its messages.
type Walk<'w> = (&'w WrittenSpec<'w>, &'w Drawn<'w>, &'w Passings);

/// Receptions in a row, with where they are written first; `None` if they cannot overtake.
pub(super) struct Races {
    causes: Causes,
    pairs: IndexMap<(Action, Action), Option<(Occurrence, Occurrence)>, FxBuildHasher>,
}

impl Races {
    pub(super) fn new(spec: &WrittenSpec<'_>) -> Races {
        Races { causes: Causes::new(spec), pairs: IndexMap::default() }
    }

    /// Notes the receptions at the end of one operand of a `seq` and at the start of the other.
    pub(super) fn note(
        &mut self,
        walk: Walk<'_>,
        order: NodeId,
        (first, next): (&LocalOrder, &LocalOrder),
    ) {
        let swap = first.ends.len() > next.starts.len();
        let lifelines: &mut dyn Iterator<Item = _> =
            if swap { &mut next.starts.keys() } else { &mut first.ends.keys() };
        for lifeline in lifelines {
            let (Some(end), Some(start)) = (first.ends.get(lifeline), next.starts.get(lifeline))
            else {
                continue;
            };
            for &x in &end.last {
                start.first().iter().for_each(|&y| self.pair(walk, order, x, y));
            }
        }
    }

    fn pair(&mut self, walk: Walk<'_>, order: NodeId, x: Occurrence, y: Occurrence) {
        let (spec, drawn, passings) = walk;
        let is_received = |it: &Occurrence| it.action.kind == ActionKind::Reception;
        if x.action == y.action || !is_received(&x) || !is_received(&y) {
            return;
        }
        let Races { causes, pairs } = self;
        let slot = pairs.entry((x.action, y.action)).or_default();
        let (Some(first), Some(second)) = (x.sender, y.sender) else { return };
        let is_near = spec.locations.of(second) == spec.locations.of(y.action.lifeline);
        if first == second || is_near || slot.is_some() || drawn.is_person(spec, second) {
            return;
        }
        if [x, y].iter().any(|it| is_acknowledgement(spec.message(it.action))) {
            return;
        }
        let places = [x, y].map(|it| spec.span(it.node));
        let is_drawn = |it: &Span| drawn.has_two_heads(*it) || drawn.is_beside_others(*it);
        if !places.iter().any(is_drawn) && !causes.follows((spec, passings), (x, y), order) {
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

/// Words of messages that only say that a request arrived.
const ACKNOWLEDGING: [&str; 5] = ["ok", "ack", "acknowledged", "acknowledgement", "acknowledgment"];
/// The most words of such a message, such as `Respond HTTP - 202 (Accepted)`.
const MOST_WORDS: usize = 5;

/// Whether a message is an acknowledgement by its text: `ack`, `200 OK`, `HTTP 202`.
fn is_acknowledgement(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let is_status = |word: &str| word.len() == 3 && matches!(word.parse(), Ok(100..=599));
    let has_status = |at: usize| is_status(words[at]) && (at == 0 || words[at - 1] == "http");
    words.len() <= MOST_WORDS
        && (words.iter().any(|it| ACKNOWLEDGING.contains(it)) || (0..words.len()).any(has_status))
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
