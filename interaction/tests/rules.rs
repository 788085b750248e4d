//! Every rewriting rule, one by one: on a left-hand side with random operands the rule is applied,
//! and the normal form has the traces of the left-hand side.

use multitrace_interaction::{
    Action, ActionKind, Id, LifelineId, LifelineSet, LoopKind, MessageId, Rule, Signature,
    TermStore,
};
use multitrace_testing::denotations::BinaryKind::{Alt, CoReg, Par, Seq, Strict};
use multitrace_testing::denotations::{
    BinaryKind, Tree, any_region, any_tree, derived_language, language, signature,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

const MOST: usize = 4;

fn binary(kind: &BinaryKind, a: Tree, b: Tree) -> Tree {
    Tree::Binary(kind.clone(), Box::new(a), Box::new(b))
}

fn repeat(kind: LoopKind, body: Tree) -> Tree {
    Tree::Loop(kind, Box::new(body))
}

fn emit(lifeline: usize) -> Tree {
    let (lifeline, message) = (LifelineId::new(lifeline), MessageId::new(0));
    Tree::Step(vec![Action { lifeline, kind: ActionKind::Emission, message }])
}

fn everything(signature: &Signature) -> LifelineSet {
    signature.lifelines().collect()
}

/// A left-hand side of the rule over these operands. `None` where the operands do not fit it.
fn left_hand_side(rule: Rule, x: Tree, y: Tree, z: Tree, r: LifelineSet) -> Tree {
    let all = everything(&signature());
    let twice = |kind: LoopKind, by: BinaryKind| {
        binary(&by, repeat(kind.clone(), x.clone()), repeat(kind, x.clone()))
    };
    let nested = |kind: &BinaryKind| binary(kind, binary(kind, x.clone(), y.clone()), z.clone());
    match rule {
        Rule::StrictEmpty => binary(&Strict, x, Tree::Empty),
        Rule::StrictAssociate => nested(&Strict),
        Rule::StrictLoopTwice => twice(LoopKind::Strict, Strict),
        Rule::CoRegEmpty => binary(&CoReg(r), Tree::Empty, x),
        Rule::CoRegIsPar => binary(&CoReg(all), x, y),
        Rule::CoRegNarrow => binary(&CoReg(r), x, y),
        Rule::SeqAssociate => nested(&Seq),
        Rule::CoRegLoopTwice => twice(LoopKind::CoReg(r.clone()), CoReg(r)),
        Rule::CoRegParOut => binary(&CoReg(r), x, binary(&Par, y, z)),
        Rule::CoRegSort => {
            // Both share a lifeline with the operand that follows. One of the two orders is the one that is kept.
            let follows = binary(&Strict, binary(&Strict, emit(0), emit(1)), z);
            let order = |first, second| {
                let rest = binary(&CoReg(r.clone()), emit(second), follows.clone());
                binary(&CoReg(r.clone()), emit(first), rest)
            };
            binary(&Strict, binary(&Alt, order(0, 1), order(1, 0)), x)
        }
        Rule::ParEmpty => binary(&Par, x, Tree::Empty),
        Rule::ParFlatten => nested(&Par),
        Rule::ParLoopTwice => twice(LoopKind::Parallel, Par),
        Rule::AltFlatten => nested(&Alt),
        Rule::AltSame => binary(&Alt, x.clone(), x),
        Rule::AltEmpty => binary(&Alt, Tree::Empty, repeat(LoopKind::Strict, x)),
        Rule::LoopEmpty => repeat(LoopKind::CoReg(r), Tree::Empty),
        Rule::LoopSkip => repeat(LoopKind::HeadFirst, binary(&Alt, Tree::Empty, x)),
        Rule::LoopLoop => repeat(LoopKind::CoReg(r.clone()), repeat(LoopKind::CoReg(r), x)),
        Rule::LoopNarrow => repeat(LoopKind::CoReg(r), x),
    }
}

/// The rule is applied to some of 150 random left-hand sides, and all of them keep their meaning.
fn check(rule: Rule) {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let operands = (any_tree(), any_tree(), any_tree(), any_region());
    let mut applied = 0;
    for _ in 0..150 {
        let (x, y, z, r) = operands.new_tree(&mut runner).expect("a tree").current();
        let tree = left_hand_side(rule, x, y, z, r);
        let interaction = tree.build();
        let mut store = TermStore::new();
        if matches!(rule, Rule::CoRegParOut | Rule::CoRegSort) {
            store.sort_orders();
        }
        let term = store.intern(&interaction).root();
        applied += u32::from(store.rule_count(rule) > 0);
        let derived = derived_language(&mut store, term, MOST, &mut |_, _, _| true);
        assert_eq!(derived, language(&interaction, MOST), "{rule:?}: {tree:?}");
    }
    assert!(applied >= 8, "{rule:?} ({}) was applied {applied} times", rule.describe());
}

#[test]
fn every_rule_is_applied_and_keeps_the_meaning() {
    for &rule in Rule::ALL {
        check(rule);
    }
}

#[test]
fn equal_terms_have_equal_ids() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let operands = (any_tree(), any_tree(), any_tree());
    for _ in 0..150 {
        let (x, y, z) = operands.new_tree(&mut runner).expect("a tree").current();
        let mut store = TermStore::new();
        for kind in [Alt, Par] {
            let left = binary(&kind, binary(&kind, x.clone(), y.clone()), z.clone());
            let right = binary(&kind, z.clone(), binary(&kind, y.clone(), x.clone()));
            let (left, right) =
                (store.intern(&left.build()).root(), store.intern(&right.build()).root());
            assert_eq!(left, right);
        }
    }
}

#[test]
fn no_rule_is_counted_for_a_term_in_normal_form() {
    let other = || binary(&Strict, emit(0), emit(1));
    for tree in [
        binary(&Strict, emit(0), emit(1)),
        binary(&Par, emit(0), emit(1)),
        binary(&Par, emit(0), emit(0)),
        binary(&Alt, emit(0), other()),
        binary(&Par, repeat(LoopKind::Parallel, emit(0)), repeat(LoopKind::Parallel, other())),
        repeat(LoopKind::Strict, other()),
    ] {
        let mut store = TermStore::new();
        store.intern(&tree.build());
        let counted: Vec<_> = Rule::ALL.iter().filter(|it| store.rule_count(**it) > 0).collect();
        assert!(counted.is_empty(), "{counted:?}: {tree:?}");
    }
}
