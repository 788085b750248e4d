//! Items that traces take of an interaction, against all ways to resolve its choices: an operand for each alternative,
//! a number of repetitions for each loop. An interaction so resolved has no choice, and its traces are those of the
//! denotations.

use multitrace_interaction::coverage::{
    Followed, Item, ItemKind, Outline, Repetition, TermFollower,
};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LoopKind, MessageId, Node, NodeId, Step,
};
use multitrace_testing::denotations::{any_interaction, language};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The most actions of a trace. The number of structures grows quickly with it.
const MOST: usize = 4;

/// An interaction without choices, the choices that were made, and the steps it has.
#[derive(Clone, Debug)]
struct Resolved {
    nodes: Vec<Node>,
    taken: BTreeSet<(NodeId, ItemKind)>,
    actions: usize,
}

impl Resolved {
    fn leaf(node: Node) -> Resolved {
        let actions = if let Node::Step(step) = &node { step.actions().len() } else { 0 };
        Resolved { nodes: vec![node], taken: BTreeSet::new(), actions }
    }

    fn with(mut self, node: NodeId, kind: ItemKind) -> Resolved {
        self.taken.insert((node, kind));
        self
    }

    fn join(&self, other: &Resolved, operator: &dyn Fn(NodeId, NodeId) -> Node) -> Resolved {
        let shift = self.nodes.len();
        let moved = |id: NodeId| NodeId::new(id.index() + shift);
        let right = other.nodes.iter().map(|node| match node.clone() {
            Node::Strict(a, b) => Node::Strict(moved(a), moved(b)),
            Node::Seq(a, b) => Node::Seq(moved(a), moved(b)),
            Node::Par(a, b) => Node::Par(moved(a), moved(b)),
            Node::CoReg(region, a, b) => Node::CoReg(region, moved(a), moved(b)),
            leaf => leaf,
        });
        let mut nodes: Vec<Node> = self.nodes.iter().cloned().chain(right).collect();
        nodes.push(operator(NodeId::new(shift - 1), NodeId::new(nodes.len() - 1)));
        let taken = self.taken.union(&other.taken).copied().collect();
        Resolved { nodes, taken, actions: self.actions + other.actions }
    }

    fn accepts(&self, word: &[Action]) -> bool {
        let interaction = Interaction::new(self.nodes.clone()).expect("a tree");
        self.actions == word.len()
            && language(&interaction, MOST).iter().any(|trace| flat(trace) == word)
    }
}

fn flat(trace: &[Step]) -> Vec<Action> {
    trace.iter().flat_map(|step| step.actions().iter().copied()).collect()
}

/// The interactions that are left of each node, by all ways to choose in it.
fn resolved(interaction: &Interaction, places: &[u32]) -> Vec<Resolved> {
    let mut of: Vec<Vec<Resolved>> = Vec::new();
    for (index, node) in interaction.nodes().iter().enumerate() {
        let id = NodeId::new(index);
        let pairs = |a: &NodeId, b: &NodeId, operator: &dyn Fn(NodeId, NodeId) -> Node| {
            let all = of[a.index()].iter().flat_map(|x| of[b.index()].iter().map(move |y| (x, y)));
            let small = all.filter(|(x, y)| x.actions + y.actions <= MOST);
            small.map(|(x, y)| x.join(y, operator)).collect::<Vec<_>>()
        };
        of.push(match node {
            Node::Empty => vec![Resolved::leaf(Node::Empty)],
            Node::Step(_) => vec![Resolved::leaf(node.clone()).with(id, ItemKind::Message)],
            Node::Strict(a, b) => pairs(a, b, &Node::Strict),
            Node::Seq(a, b) => pairs(a, b, &Node::Seq),
            Node::Par(a, b) => pairs(a, b, &Node::Par),
            Node::CoReg(region, a, b) => pairs(a, b, &|a, b| Node::CoReg(region.clone(), a, b)),
            Node::Alt(..) => (0..)
                .zip(operands(interaction, places, id))
                .flat_map(|(operand, (node, _))| {
                    let kind = ItemKind::Operand { alternative: id, index: operand };
                    of[node.index()].iter().map(move |it| it.clone().with(node, kind))
                })
                .collect(),
            Node::Loop(kind, body) => repetitions(&of[body.index()], id, kind),
        });
    }
    of.pop().expect("a root")
}

/// The operands of an `alt` as it is written.
fn operands(interaction: &Interaction, places: &[u32], id: NodeId) -> Vec<(NodeId, bool)> {
    let Node::Alt(a, b) = *interaction.node(id) else { return vec![(id, true)] };
    let is_same = places[b.index()] == places[id.index()];
    let rest = if is_same { operands(interaction, places, b) } else { vec![(b, false)] };
    [(a, false)].into_iter().chain(rest).collect()
}

fn repetitions(bodies: &[Resolved], id: NodeId, kind: &LoopKind) -> Vec<Resolved> {
    let operator = |a, b| match kind {
        LoopKind::Strict => Node::Strict(a, b),
        LoopKind::Weak => Node::Seq(a, b),
        LoopKind::Parallel => Node::Par(a, b),
        LoopKind::CoReg(region) => Node::CoReg(region.clone(), a, b),
        LoopKind::HeadFirst => unreachable!("left out"),
    };
    let mut found = vec![Resolved::leaf(Node::Empty).with(id, ItemKind::Loop(Repetition::Zero))];
    let mut last: Vec<Resolved> = bodies.iter().filter(|it| it.actions > 0).cloned().collect();
    let once = ItemKind::Loop(Repetition::Once);
    found.extend(last.iter().map(|it| it.clone().with(id, once)));
    while !last.is_empty() {
        let pairs = last.iter().flat_map(|x| bodies.iter().map(move |y| (x, y)));
        let small = pairs.filter(|(x, y)| y.actions > 0 && x.actions + y.actions <= MOST);
        last = small.map(|(x, y)| x.join(y, &operator)).collect();
        let more = ItemKind::Loop(Repetition::More);
        found.extend(last.iter().map(|it| it.clone().with(id, more)));
    }
    found
}

/// A place for each node; a random choice of nested `alt`s has one place together.
fn places(interaction: &Interaction, joined: &[bool]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..interaction.nodes().len() as u32).collect();
    for (index, node) in interaction.nodes().iter().enumerate() {
        if let Node::Alt(_, b) = node
            && matches!(interaction.node(*b), Node::Alt(..))
            && joined[index % joined.len()]
        {
            places[index] = places[b.index()];
        }
    }
    places
}

fn has_head_first(interaction: &Interaction) -> bool {
    interaction.nodes().iter().any(|it| matches!(it, Node::Loop(LoopKind::HeadFirst, _)))
}

fn items(outline: &Outline, of: &[u32]) -> BTreeSet<(NodeId, ItemKind)> {
    let pair = |&index: &u32| {
        let Item { node, kind } = outline.items()[index as usize];
        (node, kind)
    };
    of.iter().map(pair).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_global_rejects: 1_000_000,
        ..multitrace_testing::cases(600)
    })]

    #[test]
    fn taken_is_one_derivation_and_possible_are_all(
        interaction in any_interaction(),
        joined in proptest::collection::vec(any::<bool>(), 4),
    ) {
        prop_assume!(!has_head_first(&interaction));
        let places = places(&interaction, &joined);
        let outline = Outline::new(&interaction, &places);
        let all = resolved(&interaction, &places);
        prop_assume!(all.len() < 3_000);
        let known = items(&outline, &(0..outline.items().len() as u32).collect::<Vec<_>>());
        let mut follower = TermFollower::new(&interaction, &outline);
        let words: BTreeSet<Vec<Action>> =
            language(&interaction, MOST).iter().map(|trace| flat(trace)).collect();
        for word in words.iter().take(40) {
            let followed = follower.follow(word, &|_| 0).expect("the trace is accepted");
            let accepting: Vec<&Resolved> = all.iter().filter(|it| it.accepts(word)).collect();
            let taken = items(&outline, &followed.taken);
            prop_assert!(accepting.iter().any(|it| it.taken == taken), "{word:?} takes {taken:?}");
            let possible: BTreeSet<_> =
                accepting.iter().flat_map(|it| it.taken.iter().copied()).collect();
            prop_assert!(possible.is_subset(&known), "{possible:?} and {known:?}");
            prop_assert!(is_answered(&followed, &possible, &outline), "{possible:?} of {word:?}");
            // With a log for each lifeline, those of all accepted orders.
            let log_of = |action: &Action| action.lifeline.index();
            let logs = |word: &[Action]| {
                let mut logs: BTreeMap<usize, Vec<Action>> = BTreeMap::new();
                word.iter().for_each(|it| logs.entry(log_of(it)).or_default().push(*it));
                logs
            };
            let own = logs(word);
            let orders = words.iter().filter(|it| logs(it) == own);
            let possible: BTreeSet<_> = orders
                .flat_map(|order| all.iter().filter(|it| it.accepts(order)))
                .flat_map(|it| it.taken.iter().copied())
                .collect();
            let followed = follower.follow(word, &log_of).expect("the trace is accepted");
            prop_assert!(is_answered(&followed, &possible, &outline), "{possible:?} of {word:?}");
        }
        for word in words.iter().take(5) {
            let longer: Vec<Action> = word.iter().chain(word).copied().collect();
            let accepted = longer.len() > MOST || words.contains(&longer);
            prop_assert!(accepted || follower.follow(&longer, &|_| 0).is_none());
        }
    }

    #[test]
    fn every_item_is_taken_by_some_trace(interaction in any_interaction()) {
        prop_assume!(!has_head_first(&interaction));
        let places: Vec<u32> = (0..interaction.nodes().len() as u32).collect();
        let outline = Outline::new(&interaction, &places);
        let steps = interaction.actions().count();
        // Within the bound: each step twice, for loops.
        prop_assume!(steps * 2 <= MOST);
        let all = resolved(&interaction, &places);
        let seen: BTreeSet<_> = all.iter().flat_map(|it| it.taken.iter().copied()).collect();
        let bodies = interaction.nodes().iter().filter(|it| matches!(it, Node::Loop(..))).count();
        let known = items(&outline, &(0..outline.items().len() as u32).collect::<Vec<_>>());
        // Inside a loop, an item may need more repetitions than fit.
        prop_assume!(bodies <= 1);
        let missing: Vec<_> = known.difference(&seen).collect();
        prop_assert!(missing.is_empty(), "{missing:?}");
    }
}

/// Whether these items are possible: exactly those of the derivations, or at least those where there are too many to be
/// looked at.
fn is_answered(
    followed: &Followed,
    possible: &BTreeSet<(NodeId, ItemKind)>,
    outline: &Outline,
) -> bool {
    let said = items(outline, &followed.possible);
    if followed.is_cut { said.is_superset(possible) } else { said == *possible }
}

fn action(lifeline: usize, message: usize) -> Action {
    Action {
        lifeline: LifelineId::new(lifeline),
        kind: ActionKind::Emission,
        message: MessageId::new(message),
    }
}

fn step(lifeline: usize, message: usize) -> Node {
    Node::Step(Step::single(action(lifeline, message)))
}

fn followed(nodes: Vec<Node>, word: &[Action]) -> (Outline, Followed) {
    let interaction = Interaction::new(nodes).expect("a tree");
    let places: Vec<u32> = (0..interaction.nodes().len() as u32).collect();
    let outline = Outline::new(&interaction, &places);
    let followed = TermFollower::new(&interaction, &outline).follow(word, &|_| 0);
    (outline, followed.expect("accepted"))
}

#[test]
fn the_first_derivation_is_that_of_the_text() {
    // alt(a, a): the first is taken, the second could have been.
    let id = NodeId::new;
    let (outline, followed) =
        followed(vec![step(0, 0), step(0, 0), Node::Alt(id(0), id(1))], &[action(0, 0)]);
    let operand = |index| ItemKind::Operand { alternative: id(2), index };
    let taken = items(&outline, &followed.taken);
    assert_eq!(taken, BTreeSet::from([(id(0), ItemKind::Message), (id(0), operand(0))]));
    assert!(items(&outline, &followed.possible).contains(&(id(1), operand(1))));
    assert!(!followed.is_cut);
}

#[test]
fn too_many_derivations_say_so() {
    // Each of the actions belongs to any pair that is open, of any loop that has begun, or begins one.
    let id = NodeId::new;
    let coregion = LoopKind::CoReg([LifelineId::new(0)].into_iter().collect());
    let pairs = vec![
        step(0, 0),
        step(0, 0),
        Node::Par(id(0), id(1)),
        Node::Loop(LoopKind::Strict, id(2)),
        Node::Loop(coregion, id(3)),
    ];
    let (outline, followed) = followed(pairs, &[action(0, 0); 4]);
    assert!(followed.is_cut);
    let taken = items(&outline, &followed.taken);
    assert!(taken.is_subset(&items(&outline, &followed.possible)));
}

#[test]
fn long_loops_of_a_partial_order_are_followed() {
    // Of alt(a, b) on two lifelines, many times; in the coregion the first lifeline has no order.
    let id = NodeId::new;
    let coregion = LoopKind::CoReg([LifelineId::new(0)].into_iter().collect());
    for kind in [LoopKind::Weak, coregion] {
        let nodes = vec![step(0, 0), step(1, 0), Node::Alt(id(0), id(1)), Node::Loop(kind, id(2))];
        let word: Vec<Action> = (0..3_000).map(|at| action(at % 2, 0)).collect();
        let (outline, followed) = followed(nodes, &word);
        let more = (id(3), ItemKind::Loop(Repetition::More));
        let taken = items(&outline, &followed.taken);
        assert!(taken.contains(&more) && taken.len() == 5, "{taken:?}");
    }
}

#[test]
fn long_specifications_are_followed() {
    let id = NodeId::new;
    let count = 20_000;
    let mut nodes: Vec<Node> = (0..count).map(|at| step(at % 7, at)).collect();
    let mut last = id(count - 1);
    for at in (0..count - 1).rev() {
        nodes.push(Node::Seq(id(at), last));
        last = id(nodes.len() - 1);
    }
    let word: Vec<Action> = (0..count).map(|at| action(at % 7, at)).collect();
    let (outline, followed) = followed(nodes, &word);
    assert_eq!((outline.items().len(), followed.taken.len()), (count, count));
}

#[test]
fn loops_under_way_at_once_are_counted_apart() {
    // loopP(strict(a, loopS(strict(b, d)), c)): two at once, the loop in each repeated twice.
    let id = NodeId::new;
    let [a, b, c, d] = [0, 1, 2, 3];
    let nodes = vec![
        step(0, a),
        step(0, b),
        step(0, d),
        Node::Strict(id(1), id(2)),
        Node::Loop(LoopKind::Strict, id(3)),
        step(0, c),
        Node::Strict(id(4), id(5)),
        Node::Strict(id(0), id(6)),
        Node::Loop(LoopKind::Parallel, id(7)),
    ];
    let word = [a, a, b, b, d, d, b, b, d, d, c, c].map(|message| action(0, message));
    let (outline, followed) = followed(nodes, &word);
    let taken = items(&outline, &followed.taken);
    let inner = |repetition| (id(4), ItemKind::Loop(repetition));
    assert!(taken.contains(&inner(Repetition::More)), "{taken:?}");
    assert!(!taken.contains(&inner(Repetition::Once)), "{taken:?}");
}
