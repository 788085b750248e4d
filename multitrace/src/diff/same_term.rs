//! Whether two interactions have the same normal form, whatever their names are numbered like.

use super::automata::MOST_WORK;
use super::joint::{Pair, SignatureDiff};
use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LifelineSet, LoopKind, Node, Signature, Step, TermId,
    TermStore, WorkLimit,
};

/// Whether the terms are equal, as they were written or after linearising: then the multi-traces are,
/// too. False says nothing.
pub(super) fn have_same_term(
    sources: Pair<&(Signature, Interaction)>,
    alphabet: &Alphabet,
    signature: &SignatureDiff,
) -> bool {
    // Other locations, other observations of the same traces.
    if !signature.regrouped.is_empty() {
        return false;
    }
    let [(names, old), (other_names, new)] = sources;
    let mut names = names.clone();
    let new = renumbered(new, other_names, &mut names);
    // A lifeline that only one has is a location of its own here; equal terms do not use it.
    let locations = alphabet.locations_of(&names);
    let are_same = |store: &mut TermStore| {
        let [old, new] = [old, &new].map(|it| {
            let it = with_parallel_loops(it, store);
            store.intern(&it).root()
        });
        let mut linear = |term| store.linearize(term, &locations).term;
        old == new || linear(old) == linear(new)
    };
    TermStore::new().within(&mut WorkLimit::work(MOST_WORK), are_same) == Some(true)
}

/// The interaction with `loopP` for loops of weak order that have the same traces: if all but one lifeline of the body are in the
/// concurrent region, and that one has at most one event in a repetition, the repetitions can be numbered in its order.
fn with_parallel_loops(interaction: &Interaction, store: &mut TermStore) -> Interaction {
    let terms = store.intern(interaction).terms().to_vec();
    let mut is_parallel = |region: &LifelineSet, body: TermId| {
        let outside = store.lifelines(body).difference(region);
        if outside.len() > 1 {
            return false;
        }
        let log = store.write_out(body).at_lifelines(&outside);
        let log = store.intern(&log).root();
        let facts = store.loop_facts(log);
        facts.count == 0 && facts.actions_outside <= 1
    };
    let nodes = interaction.nodes().iter().map(|node| match node {
        Node::Loop(kind @ (LoopKind::Weak | LoopKind::CoReg(_)), body) => {
            let none = LifelineSet::new();
            let region = if let LoopKind::CoReg(region) = kind { region } else { &none };
            let is_parallel = is_parallel(region, terms[body.index()]);
            let kind = if is_parallel { LoopKind::Parallel } else { kind.clone() };
            Node::Loop(kind, *body)
        }
        other => other.clone(),
    });
    Interaction::new(nodes.collect())
        .unwrap_or_else(|_| unreachable!("the nodes keep their operands"))
}

/// An interaction over the names of another signature, to which new names are added.
fn renumbered(interaction: &Interaction, own: &Signature, names: &mut Signature) -> Interaction {
    let nodes = interaction.nodes().iter().map(|node| match node {
        Node::Step(step) => {
            let actions: Vec<Action> =
                step.actions().iter().map(|&it| action(it, own, names)).collect();
            Step::new(actions).map_or(Node::Empty, Node::Step)
        }
        Node::CoReg(region, a, b) => Node::CoReg(lifelines(region, own, names), *a, *b),
        Node::Loop(LoopKind::CoReg(region), body) => {
            Node::Loop(LoopKind::CoReg(lifelines(region, own, names)), *body)
        }
        other => other.clone(),
    });
    Interaction::new(nodes.collect())
        .unwrap_or_else(|_| unreachable!("the nodes keep their operands"))
}

fn action(it: Action, own: &Signature, names: &mut Signature) -> Action {
    Action {
        lifeline: names.intern_lifeline(own.lifeline_name(it.lifeline)),
        message: names.intern_message(own.message_name(it.message)),
        ..it
    }
}

fn lifelines(region: &LifelineSet, own: &Signature, names: &mut Signature) -> LifelineSet {
    region.iter().map(|it| names.intern_lifeline(own.lifeline_name(it))).collect()
}
