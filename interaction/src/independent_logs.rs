//! Interactions whose logs are independent: each log that a location may have goes with all that the others may have.

// Such an interaction accepts every session of another one whose logs are among its own, location by location. Automata of
// single locations say that, and stay small where those of whole sessions grow with the product of the locations.
//
// It is shown by induction: whichever logs of the operands are combined, some trace has them.
// * In sequence, on each location the logs are put one behind the other, and traces likewise.
// * Where operands may mix, traces of theirs can be merged for every merge of the logs if they share at most one location: an order
//   that goes from one trace to the other and back does so at that location, where it is the merge itself.
// * Of alternatives whose logs differ at one location only, that location chooses.
// * Repetitions at one location are nothing but its logs.
// The logs of a location are then those of the interaction without the events of others. Of any other interaction they are among
// these, so that side needs no condition.

use crate::effort::WorkLimit;
use crate::id::{LocationId, TermId};
use crate::idset::{LifelineSet, LocationSet};
use crate::location::Locations;
use crate::term::{Term, TermStore};
use crate::tree::Interaction;
use std::collections::BTreeSet;

/// Whether an interaction is shown to accept each combination of logs that it accepts one by one: those of
/// [`Interaction::at_lifelines`] of the locations. False says nothing; so does a limit that is reached.
///
/// ```
/// # use multitrace_interaction::*;
/// let mut signature = Signature::default();
/// let [a, b] = ["a", "b"].map(|it| signature.intern_lifeline(it));
/// let message = signature.intern_message("m");
/// let step = |lifeline| {
///     Node::Step(Step::single(Action { lifeline, kind: ActionKind::Emission, message }))
/// };
/// let both = |node: fn(NodeId, NodeId) -> Node| {
///     let nodes = vec![step(a), step(b), node(NodeId::new(0), NodeId::new(1))];
///     let interaction = Interaction::new(nodes).expect("a tree");
///     let locations = Locations::discrete(&signature);
///     has_independent_logs(&interaction, &locations, &mut WorkLimit::work(1_000))
/// };
/// assert!(both(Node::Par));
/// assert!(!both(Node::Alt)); // not both, and not neither
/// ```
pub fn has_independent_logs(
    interaction: &Interaction,
    locations: &Locations,
    limit: &mut WorkLimit,
) -> bool {
    let is_shown = |store: &mut TermStore| {
        let root = store.intern(interaction).root();
        let mut independence = Independence { store, locations };
        let (mut todo, mut seen) = (vec![root], BTreeSet::new());
        while let Some(term) = todo.pop() {
            if !seen.insert(term) {
                continue;
            }
            if !independence.keeps(term) {
                return false;
            }
            todo.extend(operands(independence.store.term(term)));
        }
        true
    };
    TermStore::new().within(limit, is_shown) == Some(true)
}

fn operands(term: &Term) -> Vec<TermId> {
    match term {
        Term::Empty | Term::Step(_) => Vec::new(),
        Term::Strict(a, b) | Term::CoReg(_, a, b) => vec![*a, *b],
        Term::Par(parts) | Term::Alt(parts) => parts.to_vec(),
        Term::Loop(_, body) => vec![*body],
    }
}

struct Independence<'a> {
    store: &'a mut TermStore,
    locations: &'a Locations,
}

impl Independence<'_> {
    /// Whether the logs of a term are independent if those of its operands are.
    fn keeps(&mut self, term: TermId) -> bool {
        match self.store.term(term).clone() {
            Term::Empty | Term::Step(_) | Term::Strict(..) => true,
            Term::Loop(_, body) => self.locations_of(body).len() <= 1,
            Term::Alt(parts) => self.chooses_one_log(&parts),
            Term::Par(parts) => self.share_little(&parts),
            Term::CoReg(region, a, b) => {
                let region = self.store.region_set(region).clone();
                self.share_little(&[a, b]) || !self.may_mix([a, b], &region)
            }
        }
    }

    fn locations_of(&self, term: TermId) -> LocationSet {
        self.locations.of_set(self.store.lifelines(term))
    }

    /// Whether each operand shares at most one location with those before it together.
    fn share_little(&self, parts: &[TermId]) -> bool {
        let mut before = LocationSet::new();
        parts.iter().all(|&part| {
            let own = self.locations_of(part);
            let shares = before.intersection(&own).len();
            before.extend(&own);
            shares <= 1
        })
    }

    /// Whether at some location of both, events of the second may come before events of the first.
    fn may_mix(&self, [a, b]: [TermId; 2], region: &LifelineSet) -> bool {
        let both = self.store.lifelines(a).union(self.store.lifelines(b));
        let shared = self.locations_of(a).intersection(&self.locations_of(b));
        shared.iter().any(|at| {
            let mut used = self.locations.lifelines(at).iter().filter(|&&it| both.contains(it));
            used.clone().any(|&it| region.contains(it)) || used.nth(1).is_some()
        })
    }

    /// Whether the logs of alternatives differ at one location at most.
    fn chooses_one_log(&mut self, parts: &[TermId]) -> bool {
        let mut all = LocationSet::new();
        parts.iter().for_each(|&part| all.extend(&self.locations_of(part)));
        let mut differing = all.iter().filter(|&at| self.differ_at(parts, at));
        differing.nth(1).is_none()
    }

    fn differ_at(&mut self, parts: &[TermId], at: LocationId) -> bool {
        let lifelines: LifelineSet = self.locations.lifelines(at).iter().copied().collect();
        let mut logs = parts.iter().map(|&part| {
            let log = self.store.write_out(part).at_lifelines(&lifelines);
            self.store.intern(&log).root()
        });
        let first = logs.next();
        logs.any(|it| Some(it) != first)
    }
}
