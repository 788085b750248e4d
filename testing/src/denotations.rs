//! Helpers of property tests: random interactions, and their meaning computed slowly from the
//! definitions of paper 000 sec. 3.3, without terms, pruning or derivatives.
#![allow(missing_docs, missing_debug_implementations, reason = "for tests only")]

use multitrace_interaction::{
    Action, ActionKind, Derivative, Id, Interaction, LifelineId, LifelineSet, Locations, LoopKind,
    MessageId, Node, NodeId, Signature, Step, TermId, TermStore,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// How many lifelines and messages random interactions use.
pub const LIFELINES: usize = 3;
pub const MESSAGES: usize = 2;

pub type Word = Vec<Step>;
pub type Language = BTreeSet<Word>;

/// The signature of random interactions: l0, l1, l2 and m0, m1.
pub fn signature() -> Signature {
    let mut signature = Signature::default();
    for lifeline in 0..LIFELINES {
        signature.intern_lifeline(&format!("l{lifeline}"));
    }
    for message in 0..MESSAGES {
        signature.intern_message(&format!("m{message}"));
    }
    signature
}

fn weight(word: &[Step]) -> usize {
    word.iter().map(|step| step.actions().len()).sum()
}

/// All accepted global traces of at most `most` actions, by the denotations.
pub fn language(interaction: &Interaction, most: usize) -> Language {
    let mut of: Vec<Language> = Vec::new();
    for node in interaction.nodes() {
        let at = |id: &NodeId| &of[id.index()];
        let words = match node {
            Node::Empty => Language::from([vec![]]),
            Node::Step(step) if step.actions().len() > most => Language::new(),
            Node::Step(step) => Language::from([vec![step.clone()]]),
            Node::Strict(a, b) => compose(at(a), at(b), &Order::Strict, most),
            Node::Seq(a, b) => compose(at(a), at(b), &Order::Weak(LifelineSet::new()), most),
            Node::Par(a, b) => compose(at(a), at(b), &Order::None, most),
            Node::CoReg(region, a, b) => compose(at(a), at(b), &Order::Weak(region.clone()), most),
            Node::Alt(a, b) => at(a).union(at(b)).cloned().collect(),
            Node::Loop(kind, body) => closure(at(body), kind, most),
        };
        of.push(words);
    }
    of.pop().expect("an interaction has a root")
}

/// The order that keeps the actions of a second operand behind those of the first.
enum Order {
    Strict,
    /// Same lifeline, unless it is in this concurrent region.
    Weak(LifelineSet),
    None,
}

fn compose(first: &Language, second: &Language, order: &Order, most: usize) -> Language {
    let mut all = Language::new();
    for x in first {
        for y in second {
            if weight(x) + weight(y) <= most {
                weave(&mut Vec::new(), x, y, order, &mut all);
            }
        }
    }
    all
}

fn weave(begun: &mut Word, x: &[Step], y: &[Step], order: &Order, all: &mut Language) {
    if let [first, rest @ ..] = x {
        begun.push(first.clone());
        weave(begun, rest, y, order, all);
        begun.pop();
    }
    if let [first, rest @ ..] = y
        && !blocked(x, first, order)
    {
        begun.push(first.clone());
        weave(begun, x, rest, order, all);
        begun.pop();
    }
    if x.is_empty() && y.is_empty() {
        all.insert(begun.clone());
    }
}

fn blocked(x: &[Step], step: &Step, order: &Order) -> bool {
    match order {
        Order::Strict => !x.is_empty(),
        Order::None => false,
        Order::Weak(region) => {
            let ordered = step.lifelines().difference(region);
            x.iter().any(|other| !other.lifelines().is_disjoint(&ordered))
        }
    }
}

fn closure(body: &Language, kind: &LoopKind, most: usize) -> Language {
    let body: Language = body.iter().filter(|word| !word.is_empty()).cloned().collect();
    let mut all = Language::from([vec![]]);
    loop {
        let next = match kind {
            LoopKind::Strict => compose(&body, &all, &Order::Strict, most),
            LoopKind::Weak => compose(&body, &all, &Order::Weak(LifelineSet::new()), most),
            LoopKind::Parallel => compose(&body, &all, &Order::None, most),
            LoopKind::CoReg(region) => compose(&body, &all, &Order::Weak(region.clone()), most),
            LoopKind::HeadFirst => head_first(&body, &all, most),
        };
        let before = all.len();
        all.extend(next);
        if all.len() == before {
            return all;
        }
    }
}

/// The first step of the first repetition, then the rest of it woven with the others.
fn head_first(body: &Language, others: &Language, most: usize) -> Language {
    let mut all = Language::new();
    for word in body {
        for other in others.iter().filter(|other| weight(word) + weight(other) <= most) {
            let mut begun = vec![word[0].clone()];
            weave(&mut begun, &word[1..], other, &Order::Weak(LifelineSet::new()), &mut all);
        }
    }
    all
}

/// Global traces, each with how many repetitions of loops it takes in some way.
pub type CountedLanguage = BTreeSet<(Word, usize)>;

/// As [`language`], with the repetitions counted, up to `loops` of them.
pub fn counted_language(interaction: &Interaction, most: usize, loops: usize) -> CountedLanguage {
    let mut of: Vec<CountedLanguage> = Vec::new();
    for node in interaction.nodes() {
        let at = |id: &NodeId| &of[id.index()];
        let pair = |a, b, order: Order| counted_compose(at(a), at(b), &order, (most, loops));
        let words = match node {
            Node::Empty | Node::Step(_) => {
                let alone = Interaction::new(vec![node.clone()]).expect("a tree");
                language(&alone, most).into_iter().map(|word| (word, 0)).collect()
            }
            Node::Strict(a, b) => pair(a, b, Order::Strict),
            Node::Seq(a, b) => pair(a, b, Order::Weak(LifelineSet::new())),
            Node::Par(a, b) => pair(a, b, Order::None),
            Node::CoReg(region, a, b) => pair(a, b, Order::Weak(region.clone())),
            Node::Alt(a, b) => at(a).union(at(b)).cloned().collect(),
            Node::Loop(kind, body) => counted_closure(at(body), kind, (most, loops)),
        };
        of.push(words);
    }
    of.pop().expect("an interaction has a root")
}

fn counted_compose(
    first: &CountedLanguage,
    second: &CountedLanguage,
    order: &Order,
    (most, loops): (usize, usize),
) -> CountedLanguage {
    let mut all = CountedLanguage::new();
    for (x, in_x) in first {
        for (y, in_y) in second.iter().filter(|(_, in_y)| in_x + in_y <= loops) {
            let (x, y) = (Language::from([x.clone()]), Language::from([y.clone()]));
            let words = compose(&x, &y, order, most);
            all.extend(words.into_iter().map(|word| (word, in_x + in_y)));
        }
    }
    all
}

fn counted_closure(
    body: &CountedLanguage,
    kind: &LoopKind,
    (most, loops): (usize, usize),
) -> CountedLanguage {
    let repetition: CountedLanguage = body
        .iter()
        .filter(|(word, count)| !word.is_empty() && *count < loops)
        .map(|(word, count)| (word.clone(), count + 1))
        .collect();
    let mut all = CountedLanguage::from([(vec![], 0)]);
    loop {
        let order = match kind {
            LoopKind::Strict => Order::Strict,
            LoopKind::Weak => Order::Weak(LifelineSet::new()),
            LoopKind::Parallel => Order::None,
            LoopKind::CoReg(region) => Order::Weak(region.clone()),
            LoopKind::HeadFirst => {
                let next = counted_head_first(&repetition, &all, (most, loops));
                if next.is_subset(&all) {
                    return all;
                }
                all.extend(next);
                continue;
            }
        };
        let next = counted_compose(&repetition, &all, &order, (most, loops));
        if next.is_subset(&all) {
            return all;
        }
        all.extend(next);
    }
}

fn counted_head_first(
    repetition: &CountedLanguage,
    others: &CountedLanguage,
    (most, loops): (usize, usize),
) -> CountedLanguage {
    let mut all = CountedLanguage::new();
    for (x, in_x) in repetition {
        for (y, in_y) in others.iter().filter(|(_, in_y)| in_x + in_y <= loops) {
            let (x, y) = (Language::from([x.clone()]), Language::from([y.clone()]));
            all.extend(head_first(&x, &y, most).into_iter().map(|word| (word, in_x + in_y)));
        }
    }
    all
}

/// All accepted global traces of at most `most` actions, by derivatives that pass a filter.
pub fn derived_language(
    store: &mut TermStore,
    term: TermId,
    most: usize,
    follow: &mut impl FnMut(&TermStore, TermId, Derivative) -> bool,
) -> Language {
    let mut memo = BTreeMap::new();
    derive(store, term, most, follow, &mut memo)
}

fn derive(
    store: &mut TermStore,
    term: TermId,
    most: usize,
    follow: &mut impl FnMut(&TermStore, TermId, Derivative) -> bool,
    memo: &mut BTreeMap<(TermId, usize), Language>,
) -> Language {
    if let Some(known) = memo.get(&(term, most)) {
        return known.clone();
    }
    let mut all = Language::new();
    if store.is_nullable(term) {
        all.insert(vec![]);
    }
    for &derivative in &*store.derivatives(term) {
        let step = store.step_of(derivative.step).clone();
        if step.actions().len() > most || !follow(store, term, derivative) {
            continue;
        }
        for rest in derive(store, derivative.residual, most - step.actions().len(), follow, memo) {
            all.insert(std::iter::once(step.clone()).chain(rest).collect());
        }
    }
    memo.insert((term, most), all.clone());
    all
}

/// The projections of global traces onto locations: the multi-traces.
pub fn project(words: &Language, locations: &Locations) -> BTreeSet<Vec<Vec<Action>>> {
    let project_word = |word: &Word| {
        let mut trace = vec![Vec::new(); locations.len()];
        for action in word.iter().flat_map(|step| step.actions()) {
            trace[locations.of(action.lifeline).index()].push(*action);
        }
        trace
    };
    words.iter().map(project_word).collect()
}

/// Partitions of the three lifelines, from all apart to all together.
pub fn any_locations() -> impl Strategy<Value = Locations> {
    proptest::collection::vec(0..LIFELINES, LIFELINES).prop_map(|colours| {
        let mut groups = vec![Vec::new(); LIFELINES];
        for (lifeline, colour) in colours.into_iter().enumerate() {
            groups[colour].push(LifelineId::new(lifeline));
        }
        Locations::new(&signature(), &groups).expect("colours are disjoint")
    })
}

pub fn any_action() -> impl Strategy<Value = Action> {
    (0..LIFELINES, any::<bool>(), 0..MESSAGES).prop_map(|(lifeline, emission, message)| Action {
        lifeline: LifelineId::new(lifeline),
        kind: if emission { ActionKind::Emission } else { ActionKind::Reception },
        message: MessageId::new(message),
    })
}

pub fn any_region() -> impl Strategy<Value = LifelineSet> {
    proptest::collection::vec(0..LIFELINES, 0..=LIFELINES)
        .prop_map(|ids| ids.into_iter().map(LifelineId::new).collect())
}

pub fn any_loop_kind() -> impl Strategy<Value = LoopKind> {
    prop_oneof![
        2 => Just(LoopKind::Strict),
        3 => Just(LoopKind::Weak),
        2 => Just(LoopKind::Parallel),
        1 => any_region().prop_map(LoopKind::CoReg),
        1 => Just(LoopKind::HeadFirst),
    ]
}

/// Interactions as nested boxes, which proptest can grow and shrink.
#[derive(Clone, Debug)]
pub enum Tree {
    Empty,
    Step(Vec<Action>),
    Binary(BinaryKind, Box<Tree>, Box<Tree>),
    Loop(LoopKind, Box<Tree>),
}

#[derive(Clone, Debug)]
pub enum BinaryKind {
    Strict,
    Seq,
    Par,
    CoReg(LifelineSet),
    Alt,
}

pub fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        1 => Just(Tree::Empty),
        8 => any_action().prop_map(|action| Tree::Step(vec![action])),
        2 => proptest::collection::vec(any_action(), 2..=2).prop_map(Tree::Step),
    ];
    leaf.prop_recursive(4, 8, 2, |inner| {
        let kind = prop_oneof![
            2 => Just(BinaryKind::Strict),
            3 => Just(BinaryKind::Seq),
            2 => Just(BinaryKind::Par),
            1 => any_region().prop_map(BinaryKind::CoReg),
            2 => Just(BinaryKind::Alt),
        ];
        prop_oneof![
            3 => (kind, inner.clone(), inner.clone())
                .prop_map(|(kind, a, b)| Tree::Binary(kind, Box::new(a), Box::new(b))),
            1 => (any_loop_kind(), inner).prop_map(|(kind, body)| Tree::Loop(kind, Box::new(body))),
        ]
    })
}

pub fn any_interaction() -> impl Strategy<Value = Interaction> {
    any_tree().prop_map(|tree| tree.build())
}

impl Tree {
    pub fn build(&self) -> Interaction {
        let mut nodes = Vec::new();
        self.push(&mut nodes);
        Interaction::new(nodes).expect("pushed as a tree")
    }

    fn push(&self, nodes: &mut Vec<Node>) -> NodeId {
        let node = match self {
            Tree::Empty => Node::Empty,
            Tree::Step(actions) => Node::Step(Step::new(actions.clone()).expect("an action")),
            Tree::Loop(kind, body) => Node::Loop(kind.clone(), body.push(nodes)),
            Tree::Binary(kind, a, b) => {
                let (a, b) = (a.push(nodes), b.push(nodes));
                match kind {
                    BinaryKind::Strict => Node::Strict(a, b),
                    BinaryKind::Seq => Node::Seq(a, b),
                    BinaryKind::Par => Node::Par(a, b),
                    BinaryKind::CoReg(region) => Node::CoReg(region.clone(), a, b),
                    BinaryKind::Alt => Node::Alt(a, b),
                }
            }
        };
        nodes.push(node);
        NodeId::new(nodes.len() - 1)
    }
}
