//! Generated multi-traces, against the denotations of paper 000 sec. 3.3: accepted ones are exactly those of the
//! denotation, parts are parts, mutants are one change away.

use multitrace_interaction::generate::{
    Bounds, BoundsError, Change, Generator, Made, Mutation, RandomInteractions, Recipe, Sessions,
    Shape, TracePart, Weights,
};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LetterId, LifelineId, LocationId, Locations, LoopKind,
    MessageId, MultiTrace, Node, Signature, TermStore,
};
use multitrace_testing::denotations::{
    BinaryKind, Tree, any_interaction, any_locations, counted_language, language, project,
    signature,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Multi-traces are compared up to this many events.
const MOST: usize = 5;
/// And up to this many repetitions of loops.
const LOOPS: usize = 3;

fn generator(interaction: &Interaction, locations: &Locations, bounds: Bounds) -> Generator {
    Generator::new(&signature(), interaction, locations, bounds, 1).expect("within the bounds")
}

/// Multi-traces of actions as multi-traces of letters.
fn letters(traces: BTreeSet<Vec<Vec<Action>>>, interaction: &Interaction) -> BTreeSet<MultiTrace> {
    let names: Vec<String> =
        interaction.actions().map(|action| signature().action_text(action)).collect();
    let distinct: Vec<&String> = names
        .iter()
        .enumerate()
        .filter(|(at, name)| !names[..*at].contains(name))
        .map(|(_, n)| n)
        .collect();
    let letter = |action: Action| {
        let name = signature().action_text(action);
        LetterId::new(distinct.iter().position(|known| **known == name).expect("a letter"))
    };
    let local = |actions: Vec<Action>| actions.into_iter().map(letter).collect();
    traces.into_iter().map(|trace| trace.into_iter().map(local).collect()).collect()
}

fn events(trace: &MultiTrace) -> usize {
    trace.iter().map(Vec::len).sum()
}

/// All accepted multi-traces of the denotations, with their numbers of events and repetitions
/// within bounds. Repetitions are those of the normal form.
fn denoted(
    interaction: &Interaction,
    locations: &Locations,
    bounds: Bounds,
) -> BTreeSet<MultiTrace> {
    let mut store = TermStore::new();
    let term = store.intern(interaction).root();
    let normal = store.write_out(term);
    let most = bounds.max_events.expect("bounded");
    let words = match bounds.max_loops {
        None => language(interaction, most),
        Some(loops) => counted_language(&normal, most, loops)
            .into_iter()
            .filter(|(_, count)| *count >= bounds.min_loops)
            .map(|(word, _)| word)
            .collect(),
    };
    let traces = letters(project(&words, locations), interaction);
    traces.into_iter().filter(|trace| events(trace) >= bounds.min_events).collect()
}

fn any_bounds() -> impl Strategy<Value = Bounds> {
    let loops = proptest::option::of((0..=LOOPS, 0..=LOOPS));
    (0..=MOST, 0..=MOST, loops).prop_map(|(a, b, loops)| Bounds {
        min_events: a.min(b),
        max_events: Some(a.max(b)),
        min_loops: loops.map_or(0, |(a, b)| a.min(b)),
        max_loops: loops.map(|(a, b)| a.max(b)),
    })
}

proptest! {
    #![proptest_config(multitrace_testing::cases(1_000))]

    #[test]
    fn exhaustive_gives_what_is_accepted_and_draws_stay_within(
        interaction in any_interaction(),
        locations in any_locations(),
        bounds in any_bounds(),
    ) {
        let expected = denoted(&interaction, &locations, bounds);
        match Generator::new(&signature(), &interaction, &locations, bounds, 1) {
            Err(error) => {
                prop_assert!(matches!(error, BoundsError::Nothing { .. }), "{error}");
                prop_assert!(expected.is_empty(), "{error}, but there is {expected:?}");
            }
            Ok(mut generator) => {
                let all: Vec<MultiTrace> =
                    generator.all_accepted().expect("of an interaction").collect::<Result<_, _>>().expect("few enough");
                prop_assert!(all.is_sorted_by_key(|trace| (events(trace), trace.clone())));
                let distinct: BTreeSet<MultiTrace> = all.iter().cloned().collect();
                prop_assert_eq!(distinct.len(), all.len(), "one twice");
                prop_assert_eq!(&distinct, &expected);
                for _ in 0..10 {
                    prop_assert!(expected.contains(&generator.accepted()));
                }
            }
        }
    }

    #[test]
    fn loops_may_be_bounded_from_below_alone(
        interaction in any_interaction(),
        locations in any_locations(),
        min_loops in 1..=LOOPS,
    ) {
        // A repetition has an event, so there are no more repetitions than this.
        let bounds = Bounds { max_loops: Some(MOST * 4), min_loops, ..Bounds::events(0, MOST) };
        let expected = denoted(&interaction, &locations, bounds);
        let open = Bounds { max_loops: None, ..bounds };
        let found: BTreeSet<MultiTrace> =
            match Generator::new(&signature(), &interaction, &locations, open, 1) {
                Ok(generator) => {
                    generator.all_accepted().expect("of an interaction").collect::<Result<_, _>>().expect("few enough")
                }
                Err(_) => BTreeSet::new(),
            };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn parts_and_mutants_are_undone(interaction in any_interaction(), locations in any_locations()) {
        let Ok(mut generator) =
            Generator::new(&signature(), &interaction, &locations, Bounds::events(1, 12), 1)
        else {
            return Ok(());
        };
        for _ in 0..5 {
            let trace = generator.accepted();
            let (prefix, did) = generator.prefix(&trace);
            prop_assert!(trace.iter().zip(&prefix).all(|(all, kept)| all.starts_with(kept)));
            prop_assert_eq!(undo(prefix.clone(), &did), trace.clone());
            let (slice, did) = generator.slice(&trace);
            prop_assert_eq!(undo(slice, &did), trace.clone());
            let noisy = generator.noise(&trace);
            prop_assert!(noisy.is_some(), "there are letters");
            let swapped = generator.swap_actions(&trace);
            let mixed = trace.iter().any(|local| local.iter().any(|letter| *letter != local[0]));
            prop_assert_eq!(swapped.is_some(), mixed);
            let exchanged = generator.swap_components(&trace, &prefix);
            prop_assert_eq!(exchanged.is_some(), trace != prefix);
            if let Some((mutant, change)) = &exchanged {
                let at = change.location().index();
                prop_assert_eq!(&mutant[at], &prefix[at]);
            }
            for (mutant, change) in [noisy, swapped, exchanged].into_iter().flatten() {
                prop_assert_ne!(&mutant, &trace);
                for at in (0..trace.len()).filter(|&at| at != change.location().index()) {
                    prop_assert_eq!(&mutant[at], &trace[at], "only one location changes");
                }
                prop_assert_eq!(undo(mutant, &[change]), trace.clone());
            }
        }
    }
}

fn undo(mut trace: MultiTrace, did: &[Change]) -> MultiTrace {
    did.iter().rev().for_each(|change| change.undo(&mut trace));
    trace
}

fn emit(lifeline: usize, message: usize) -> Tree {
    Tree::Step(vec![Action {
        lifeline: LifelineId::new(lifeline),
        kind: ActionKind::Emission,
        message: MessageId::new(message),
    }])
}

fn pair(kind: BinaryKind, a: Tree, b: Tree) -> Tree {
    Tree::Binary(kind, Box::new(a), Box::new(b))
}

fn repeat(kind: LoopKind, body: Tree) -> Tree {
    Tree::Loop(kind, Box::new(body))
}

/// `loopS(alt(l0!m0, seq(l1!m0, l1!m1, l2!m0)))`: repetitions of a, or of b, c and d.
fn example() -> Interaction {
    let rest = pair(BinaryKind::Seq, emit(1, 1), emit(2, 0));
    let rest = pair(BinaryKind::Seq, emit(1, 0), rest);
    repeat(LoopKind::Strict, pair(BinaryKind::Alt, emit(0, 0), rest)).build()
}

fn discrete() -> Locations {
    Locations::discrete(&signature())
}

#[test]
fn all_lengths_are_equally_likely_and_all_traces_come() {
    // In one log: a^n, and with one of bcd, bdc, dbc at any place among them.
    let together = Locations::new(&signature(), &[signature().lifelines().collect()]).expect("one");
    let mut generator = generator(&example(), &together, Bounds::events(1, 5));
    let (mut lengths, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for _ in 0..5_000 {
        let trace = generator.accepted();
        *lengths.entry(events(&trace)).or_insert(0) += 1;
        seen.insert(trace);
    }
    assert!(lengths.values().all(|count| (850..1150).contains(count)), "{lengths:?}");
    let all: BTreeSet<MultiTrace> = generator
        .all_accepted()
        .expect("of an interaction")
        .collect::<Result<_, _>>()
        .expect("few enough");
    assert_eq!((all.len(), &seen), (5 + 3 * (1 + 2 + 3), &all));
}

#[test]
fn bounds_without_a_trace_are_an_error_that_says_so() {
    let new = |bounds| Generator::new(&signature(), &example(), &discrete(), bounds, 1);
    let loops = Bounds { min_loops: 3, max_loops: Some(3), ..Bounds::events(1, 2) };
    let error = new(loops).expect_err("three repetitions have three events");
    assert_eq!(
        error.to_string(),
        "no accepted multi-trace has from 1 to 2 events and from 3 to 3 loop repetitions; the \
         shortest has 0 events"
    );
    // Bounds that exclude nothing are not named.
    let loops = Bounds { min_events: 0, max_events: None, min_loops: 2, max_loops: Some(3) };
    let once = Generator::new(&signature(), &emit(0, 0).build(), &discrete(), loops, 1);
    assert_eq!(
        once.expect_err("no loop").to_string(),
        "no accepted multi-trace has from 2 to 3 loop repetitions; the shortest has 1 events"
    );
    let open = Bounds { max_events: None, ..Bounds::default() };
    assert_eq!(new(open).expect_err("no end"), BoundsError::Unbounded);
    let wide = new(Bounds::events(0, usize::MAX)).expect_err("no memory is that large");
    assert!(matches!(wide, BoundsError::TooWide { .. }), "{wide}");
}

#[test]
fn repetitions_bound_the_events() {
    let bounds = Bounds { max_events: None, min_events: 0, min_loops: 0, max_loops: Some(3) };
    let generator = generator(&example(), &discrete(), bounds);
    // Of each k of three repetitions, how many are a; their order shows nowhere.
    assert_eq!(generator.all_accepted().expect("of an interaction").count(), 1 + 2 + 3 + 4);
}

#[test]
fn a_loop_that_is_left_alone_in_a_loop_still_counts() {
    // loopW(alt(l0!m0, loopS(l1!m0))): once l0!m0 has happened, the loop before it is a loop of a loop.
    let inner = repeat(LoopKind::Strict, emit(1, 0));
    let nested = repeat(LoopKind::Weak, pair(BinaryKind::Alt, emit(0, 0), inner)).build();
    let with = |loops| Bounds { max_loops: Some(loops), ..Bounds::events(2, 2) };
    let traces = |loops| {
        generator(&nested, &discrete(), with(loops))
            .all_accepted()
            .expect("of an interaction")
            .count()
    };
    // Twice l0!m0; then l1!m0 twice in one loop, then one of each.
    assert_eq!([traces(2), traces(3)], [1, 3]);
    // loopS(loopP(l0!m0)) accepts what loopS(l0!m0) does, with twice the repetitions.
    let twice = repeat(LoopKind::Strict, repeat(LoopKind::Parallel, emit(0, 0))).build();
    let one = Bounds { min_events: 0, max_loops: Some(1), ..Bounds::default() };
    assert_eq!(
        generator(&twice, &discrete(), one).all_accepted().expect("of an interaction").count(),
        1,
        "the empty one"
    );
}

fn made(recipe: Recipe) -> Vec<Made> {
    made_of(recipe, Bounds::events(1, 8))
}

fn made_of(recipe: Recipe, bounds: Bounds) -> Vec<Made> {
    let generator = generator(&example(), &discrete(), bounds);
    Sessions::new(generator, recipe).collect::<Result<_, _>>().expect("few enough")
}

fn by_id(made: Vec<Made>) -> BTreeMap<String, MultiTrace> {
    made.into_iter().map(|made| (made.id, made.trace)).collect()
}

const MUTATIONS: [Mutation; 3] = [Mutation::Noise, Mutation::SwapActions, Mutation::SwapComponents];

#[test]
fn sessions_name_what_they_are_made_of() {
    for part in [TracePart::Accepted, TracePart::Prefix, TracePart::Slice] {
        let draws = Recipe { part, count: Some(2_000), duplicates: true, ..Recipe::default() };
        let bases = by_id(made(draws));
        assert_eq!(bases.len(), 2_000);
        for mutation in MUTATIONS {
            let recipe = Recipe { mutation: Some(mutation), count: Some(30), ..draws };
            for Made { id, trace, of, with, did, .. } in made(recipe) {
                let of = of.expect("a base");
                let number = id.strip_prefix(mutation.name()).expect("its kind");
                assert_eq!(of, format!("{}{number}", part.name()));
                assert_eq!(undo(trace.clone(), &did), bases[&of], "{id}");
                let with = with.map(|with| &bases[&with]);
                assert_eq!(with.is_some(), mutation == Mutation::SwapComponents);
                let at = did[0].location().index();
                assert!(with.is_none_or(|other| other[at] == trace[at]), "{id}");
            }
        }
    }
}

#[test]
fn sessions_are_distinct_and_keep_the_ids_of_their_draws() {
    let recipe = Recipe { part: TracePart::Prefix, count: Some(50), ..Recipe::default() };
    let distinct = made(recipe);
    assert_eq!(distinct.len(), 50);
    let again = made(recipe);
    assert_eq!(distinct, again, "the same seed");
    let traces: BTreeSet<&MultiTrace> = distinct.iter().map(|made| &made.trace).collect();
    assert_eq!(traces.len(), 50);
    let all = by_id(made(Recipe { count: Some(1_000), duplicates: true, ..recipe }));
    for made in &distinct {
        assert_eq!(all[&made.id], made.trace, "{}", made.id);
    }
}

#[test]
fn all_parts_of_all_accepted() {
    let bounds = Bounds { min_events: 0, ..Bounds::events(0, 4) };
    // aaaa, aaa, aa, a, nothing; bcd, abcd: at l0, l1 and l2.
    let lengths = [[4, 0, 0], [3, 0, 0], [2, 0, 0], [1, 0, 0], [0, 0, 0], [0, 2, 1], [1, 2, 1]];
    let by_place = |count: fn(usize) -> usize| -> usize {
        lengths.iter().map(|l: &[usize; 3]| l.iter().map(|&n| count(n)).product::<usize>()).sum()
    };
    let exhaustive = Recipe { exhaustive: true, ..Recipe::default() };
    assert_eq!(made_of(exhaustive, bounds).len(), lengths.len());
    let all =
        |part, duplicates| made_of(Recipe { part, all: true, duplicates, ..exhaustive }, bounds);
    assert_eq!(all(TracePart::Prefix, true).len(), by_place(|n| n + 1));
    assert_eq!(all(TracePart::Slice, true).len(), by_place(|n| n * (n + 1) / 2 + 1));
    // Factors of a^4 are 5, of bc 4, of d 2; those of bcd and abcd: with and without a.
    assert_eq!(all(TracePart::Slice, false).len(), 5 + 2 * (4 * 2 - 1));
    let two = Recipe { part: TracePart::Prefix, all: true, count: Some(2), ..Recipe::default() };
    let of: BTreeSet<String> =
        made_of(two, bounds).into_iter().filter_map(|made| made.of).collect();
    assert_eq!(of.len(), 2, "of two accepted ones");
}

#[test]
fn what_is_missing_is_told() {
    let missing = |recipe: Recipe, bounds: Bounds| {
        let mut sessions = Sessions::new(generator(&example(), &discrete(), bounds), recipe);
        (sessions.by_ref().count(), sessions.missing())
    };
    let few = Bounds::events(1, 3);
    let recipe = Recipe { count: Some(10), ..Recipe::default() };
    assert_eq!(missing(recipe, few), (4, 6), "a, aa, aaa, bcd");
    assert_eq!(missing(Recipe { exhaustive: true, ..recipe }, few), (4, 6));
    assert_eq!(missing(Recipe { duplicates: true, ..recipe }, few), (10, 0));
    let all = Recipe { part: TracePart::Prefix, all: true, ..recipe };
    assert_eq!(missing(all, few).1, 6);
    // No local trace of a, aa has two different actions.
    let swaps = Recipe { mutation: Some(Mutation::SwapActions), ..recipe };
    assert_eq!(missing(swaps, Bounds::events(1, 2)), (0, 10));
}

#[test]
fn random_interactions_have_their_shape() {
    let shape = Shape { lifelines: 4, messages: 3, ..Shape::default() };
    let mut interactions = RandomInteractions::new(shape, 5);
    assert_eq!(interactions.signature().lifelines().len(), 4);
    let found: Vec<Interaction> =
        interactions.by_ref().take(200).collect::<Result<_, _>>().expect("enough of them");
    let again: Vec<Interaction> =
        RandomInteractions::new(shape, 5).take(200).collect::<Result<_, _>>().expect("the same");
    assert_eq!(found, again);
    let mut symbols = BTreeSet::new();
    for (index, interaction) in found.iter().enumerate() {
        assert!((20..=60).contains(&interaction.nodes().len()));
        assert!((6..=12).contains(&depth(interaction)));
        assert!(!found[..index].contains(interaction), "one twice");
        let mut store = TermStore::new();
        let term = store.intern(interaction).root();
        assert_eq!(store.write_out(term).nodes().len(), interaction.nodes().len(), "a normal form");
        symbols.extend(interaction.nodes().iter().map(symbol));
    }
    assert_eq!(symbols.len(), 13, "every operator: {symbols:?}");
}

fn depth(interaction: &Interaction) -> usize {
    fn of(interaction: &Interaction, node: &Node) -> usize {
        let below = node.children().map(|child| of(interaction, interaction.node(child)));
        1 + below.max().unwrap_or(0)
    }
    of(interaction, interaction.node(interaction.root()))
}

fn symbol(node: &Node) -> String {
    match node {
        Node::Loop(kind, _) => format!("loop {kind:?}").chars().take(9).collect(),
        Node::Step(step) => format!("step {}", step.actions().len()),
        other => format!("{other:?}").chars().take(3).collect(),
    }
}

#[test]
fn a_synchronous_message_passes_between_two_lifelines() {
    let synchronous = Weights { action: 0, synchronous: 46, ..Weights::default() };
    let shape = Shape { lifelines: 3, weights: synchronous, ..Shape::default() };
    for interaction in RandomInteractions::new(shape, 1).take(50) {
        let interaction = interaction.expect("a shape that is possible");
        let steps = interaction.nodes().iter().filter_map(|node| match node {
            Node::Step(step) => Some(step.actions()),
            _ => None,
        });
        for actions in steps {
            let [from, to] = *actions else { panic!("{actions:?}") };
            assert_ne!(from.lifeline, to.lifeline);
            assert_ne!(from.kind, to.kind);
            assert_eq!(from.message, to.message);
        }
    }
}

#[test]
fn shapes_that_cannot_be_are_an_error() {
    let shape = Shape { min_symbols: 70, ..Shape::default() };
    assert!(RandomInteractions::new(shape, 0).next().expect("an answer").is_err());
    let silent = Shape { messages: 0, ..Shape::default() };
    assert!(RandomInteractions::new(silent, 0).next().expect("an answer").is_err());
    let mut constants = Shape { min_depth: 1, min_symbols: 1, lifelines: 1, ..Shape::default() };
    constants.max_depth = 1;
    let all = RandomInteractions::new(constants, 0).map_while(Result::ok);
    assert_eq!(all.count(), 1 + 2 * 6, "nothing, and one action");
}

#[test]
fn random_interactions_generate() {
    let mut interactions = RandomInteractions::new(Shape::default(), 9);
    let signature: Signature = interactions.signature().clone();
    let locations = Locations::discrete(&signature);
    for interaction in interactions.by_ref().take(50) {
        let interaction = interaction.expect("one of the shape");
        let bounds = Bounds::events(0, 60);
        let mut generator =
            Generator::new(&signature, &interaction, &locations, bounds, 0).expect("something");
        for _ in 0..20 {
            let trace = generator.accepted();
            assert!(events(&trace) <= 60);
            let wrong = |location: &LocationId| {
                let at = |&letter: &LetterId| generator.alphabet().location_of(letter);
                trace[location.index()].iter().any(|letter| at(letter) != *location)
            };
            assert_eq!(generator.alphabet().locations().find(wrong), None);
        }
    }
}
