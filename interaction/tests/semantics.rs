//! The small-step semantics, pruning, removal, linearisation and persistent locations against the
//! denotations of paper 000 sec. 3.3, over random interactions and random partitions.

use multitrace_interaction::{
    Derivative, Id, LifelineId, LifelineSet, Locations, LoopKind, Node, PersistentLocations,
    TermStore,
};
use multitrace_testing::denotations::{
    Language, any_interaction, any_locations, any_region, derived_language, language, project,
    signature,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Global traces are compared up to this many actions.
const MOST: usize = 5;

fn words_avoiding(words: &Language, avoid: &LifelineSet) -> Language {
    words.iter().filter(|w| w.iter().all(|s| s.lifelines().is_disjoint(avoid))).cloned().collect()
}

proptest! {
    #![proptest_config(multitrace_testing::cases(1_000))]

    #[test]
    fn derivatives_give_the_denotations(interaction in any_interaction()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let derived = derived_language(&mut store, term, MOST, &mut |_, _, _| true);
        prop_assert_eq!(derived, language(&interaction, MOST));
    }

    #[test]
    fn writing_out_and_interning_again_gives_the_same_term(interaction in any_interaction()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let written = store.write_out(term);
        prop_assert_eq!(store.intern(&written).root(), term);
        prop_assert_eq!(language(&written, MOST), language(&interaction, MOST));
    }

    #[test]
    fn pruning_keeps_what_avoids_the_lifelines(interaction in any_interaction(), avoid in any_region()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let region = store.region(avoid.clone());
        let pruned = match store.prune(term, region) {
            Some(pruned) => derived_language(&mut store, pruned, MOST, &mut |_, _, _| true),
            None => Language::new(),
        };
        prop_assert_eq!(pruned, words_avoiding(&language(&interaction, MOST), &avoid));
    }

    #[test]
    fn linearising_keeps_the_multi_traces(interaction in any_interaction(), locations in any_locations()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let linear = store.linearize(term, &locations).term;
        let words = derived_language(&mut store, linear, MOST, &mut |_, _, _| true);
        let all = language(&interaction, MOST);
        prop_assert!(words.is_subset(&all), "linearising adds global traces");
        prop_assert_eq!(project(&words, &locations), project(&all, &locations));
    }

    #[test]
    fn persistent_locations_keep_the_multi_traces(interaction in any_interaction(), locations in any_locations()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let mut persistent = PersistentLocations::new(&locations);
        let words = derived_language(&mut store, term, MOST, &mut |store, term, derivative| {
            match persistent.of(store, term).iter().next() {
                Some(only) => store
                    .step_of(derivative.step)
                    .actions()
                    .iter()
                    .all(|action| locations.of(action.lifeline) == only),
                None => true,
            }
        });
        prop_assert_eq!(project(&words, &locations), project(&language(&interaction, MOST), &locations));
    }

    #[test]
    fn one_unambiguous_actions_can_be_done_first(interaction in any_interaction(), locations in any_locations()) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let accepted = project(&language(&interaction, MOST), &locations);
        for &Derivative { step, residual, .. } in &*store.derivatives(term) {
            let Some(action) = store.step_of(step).as_single() else { continue };
            let location = locations.of(action.lifeline);
            let lifelines = locations.lifelines(location).iter().copied().collect();
            if !store.is_one_unambiguous(term, action, &lifelines) {
                continue;
            }
            let after = derived_language(&mut store, residual, MOST - 1, &mut |_, _, _| true);
            let after = project(&after, &locations);
            for trace in &accepted {
                if trace[location.index()].first() == Some(&action) {
                    let mut rest = trace.clone();
                    rest[location.index()].remove(0);
                    prop_assert!(after.contains(&rest), "{action:?} first loses {trace:?}");
                }
            }
        }
    }

    #[test]
    fn removal_keeps_every_local_behaviour(interaction in any_interaction(), kept in 0..multitrace_testing::denotations::LIFELINES) {
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let kept = LifelineId::new(kept);
        let removed: LifelineSet = signature().lifelines().filter(|&l| l != kept).collect();
        let rest = store.remove_lifelines(term, &removed);
        let locations = Locations::discrete(&signature());
        let local = |words: &Language| -> BTreeSet<_> {
            project(words, &locations).into_iter().map(|trace| trace[kept.index()].clone()).collect()
        };
        let seen = local(&language(&interaction, MOST));
        let allowed = local(&derived_language(&mut store, rest, MOST, &mut |_, _, _| true));
        prop_assert!(seen.is_subset(&allowed));
        if removal_is_exact(&interaction, kept) && interaction.actions().count() <= MOST {
            // Longer global traces may project onto short local ones, so compare the short half.
            let short = |traces: BTreeSet<Vec<_>>| -> BTreeSet<_> {
                traces.into_iter().filter(|trace| trace.len() <= 1).collect()
            };
            let seen = short(local(&language(&interaction, MOST + 1)));
            prop_assert_eq!(seen, short(allowed));
        }
    }
}

/// Removal is exact for one lifeline that no concurrent region covers and no head-first loop hides.
fn removal_is_exact(interaction: &multitrace_interaction::Interaction, kept: LifelineId) -> bool {
    interaction.nodes().iter().all(|node| match node {
        Node::CoReg(region, ..) | Node::Loop(LoopKind::CoReg(region), _) => !region.contains(kept),
        Node::Loop(LoopKind::HeadFirst, _) => false,
        _ => true,
    })
}

/// Definition 11 of paper 003 alone would lose a multi-trace: `l2!m` has one place at l2, and the
/// term can do it, but it gives up `l1!m`, which may come before.
#[test]
fn actions_behind_a_strict_order_are_ambiguous() {
    use multitrace_interaction::{Action, ActionKind, Interaction, MessageId, NodeId, Step};
    let emission = |lifeline: usize| Action {
        lifeline: LifelineId::new(lifeline),
        kind: ActionKind::Emission,
        message: MessageId::new(0),
    };
    let emit = |lifeline| Node::Step(Step::single(emission(lifeline)));
    let id = NodeId::new;
    for (operator, unambiguous) in
        [(Node::Strict as fn(NodeId, NodeId) -> Node, false), (Node::Seq, true), (Node::Par, true)]
    {
        let nodes =
            vec![emit(1), Node::Empty, Node::Alt(id(0), id(1)), emit(2), operator(id(2), id(3))];
        let interaction = Interaction::new(nodes).expect("a tree");
        let mut store = TermStore::new();
        let term = store.intern(&interaction).root();
        let at = [LifelineId::new(2)].into_iter().collect();
        assert_eq!(store.is_one_unambiguous(term, emission(2), &at), unambiguous);
        let can_begin = store
            .derivatives(term)
            .iter()
            .any(|derivative| store.step_of(derivative.step).as_single() == Some(emission(2)));
        assert!(can_begin);
        assert_eq!(language(&interaction, 2).len(), if unambiguous { 3 } else { 2 });
    }
}

#[test]
fn removal_over_approximates_co_located_lifelines() {
    // seq(strict(l1!x, l0!h), strict(l0!g, l2!y)): with l0 gone, y may come before x.
    use multitrace_interaction::{Action, ActionKind, Interaction, MessageId, NodeId, Step};
    let emit = |lifeline: usize| {
        Node::Step(Step::single(Action {
            lifeline: LifelineId::new(lifeline),
            kind: ActionKind::Emission,
            message: MessageId::new(0),
        }))
    };
    let id = NodeId::new;
    let nodes = vec![
        emit(1),
        emit(0),
        Node::Strict(id(0), id(1)),
        emit(0),
        emit(2),
        Node::Strict(id(3), id(4)),
        Node::Seq(id(2), id(5)),
    ];
    let interaction = Interaction::new(nodes).expect("a tree");
    let mut store = TermStore::new();
    let term = store.intern(&interaction).root();
    let removed = [LifelineId::new(0)].into_iter().collect();
    let rest = store.remove_lifelines(term, &removed);
    let words = derived_language(&mut store, rest, 2, &mut |_, _, _| true);
    assert_eq!(words.len(), 2, "both orders of l1!m0 and l2!m0");
    assert_eq!(language(&interaction, 4).len(), 1, "but l0 orders them");
}
