//! `multitrace diff`: its answers for two specifications are those of the definitions (denotations of
//! paper 000 sec. 3.3, projected), as far as those can be enumerated.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_in};
use multitrace::{Answer, DiffOptions, Difference, Inclusion, Monitor, Proof, SpecDiff};
use multitrace_compiler::{Config, Limits};
use multitrace_formats::bundle::encode;
use multitrace_interaction::{Action, Alphabet, Interaction, Locations, LoopKind, Signature};
use multitrace_testing::denotations::{
    BinaryKind, Tree, any_action, any_interaction, any_locations, any_loop_kind, any_region,
    any_tree, language, project, signature,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Sessions of at most this many events are enumerated by the definitions.
const MOST: usize = 4;

/// One local trace per location.
type Trace = Vec<Vec<Action>>;
type Traces = BTreeSet<Trace>;

fn monitor(signature: &Signature, interaction: &Interaction, locations: &Locations) -> Monitor {
    // Some random terms have no automaton. Small limits find that out sooner.
    let limits = Limits { states: 2_000, ..Limits::default() };
    let config = Config { limits, ..Config::default() };
    let compiled = common::compile(signature, interaction, locations, &config);
    Monitor::from_bytes(&encode(&compiled.bundle)).expect("a bundle")
}

fn compared(old: &Interaction, new: &Interaction, locations: &Locations) -> SpecDiff {
    let monitors = [old, new].map(|it| monitor(&signature(), it, locations));
    // All of so few events are tried with this budget; a larger one is for pairs that neither proof nor session decides.
    let options = DiffOptions { max_events: MOST + 2, budget_sessions: 10_000 };
    monitors[0].diff(&monitors[1], options).expect("an engine")
}

/// The accepted multi-traces of at most [`MOST`] events.
fn accepted(interaction: &Interaction, locations: &Locations) -> Traces {
    project(&language(interaction, MOST), locations)
}

fn events(trace: &Trace) -> usize {
    trace.iter().map(Vec::len).sum()
}

/// The actions of a session, over the alphabet of an interaction.
fn actions(difference: &Difference, interaction: &Interaction, locations: &Locations) -> Trace {
    let signature = signature();
    let alphabet = Alphabet::of_actions(&signature, locations, interaction.actions());
    let action_of: BTreeMap<_, _> = interaction
        .actions()
        .map(|action| (alphabet.letter(&signature.action_text(action)), action))
        .collect();
    let local = |local: &Vec<_>| local.iter().map(|&letter| action_of[&Some(letter)]).collect();
    difference.session.trace.iter().map(local).collect()
}

/// Whether one direction is as the definitions say.
fn is_right(
    way: &Inclusion,
    (from, own): (&Interaction, &Traces),
    other: &Traces,
    locations: &Locations,
) -> Result<(), String> {
    let shortest = own.difference(other).map(events).min();
    match (way, shortest) {
        (Inclusion::Proved(_), None) => Ok(()),
        (Inclusion::NotRefuted { .. }, None) => Ok(()),
        (Inclusion::Refuted(found), shortest) => {
            let (trace, count) = (actions(found, from, locations), found.session.event_count());
            if !found.is_shortest {
                return Err("a shorter one may exist".to_owned());
            }
            if shortest.is_some_and(|shortest| shortest != count) {
                return Err(format!("{count} events instead of {shortest:?}"));
            }
            if count > MOST {
                return Ok(());
            }
            let is_difference = own.contains(&trace) && !other.contains(&trace);
            if is_difference { Ok(()) } else { Err(format!("no difference: {trace:?}")) }
        }
        (found, shortest) => Err(format!("{found:?}, and the shortest has {shortest:?} events")),
    }
}

fn check(
    old: &Interaction,
    new: &Interaction,
    locations: &Locations,
) -> Result<(SpecDiff, bool), String> {
    let diff = compared(old, new, locations);
    let traces = [accepted(old, locations), accepted(new, locations)];
    is_right(&diff.old_in_new, (old, &traces[0]), &traces[1], locations)?;
    is_right(&diff.new_in_old, (new, &traces[1]), &traces[0], locations)?;
    Ok((diff, traces[0] != traces[1]))
}

// ---- Mutated terms

/// The change of one node of a term.
#[derive(Clone, Debug)]
enum Mutation {
    Action(Action),
    Binary(BinaryKind),
    Loop(LoopKind),
    Swap,
    Drop,
    Option,
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let kind = prop_oneof![
        Just(BinaryKind::Strict),
        Just(BinaryKind::Seq),
        Just(BinaryKind::Par),
        any_region().prop_map(BinaryKind::CoReg),
        Just(BinaryKind::Alt),
    ];
    prop_oneof![
        2 => any_action().prop_map(Mutation::Action),
        3 => kind.prop_map(Mutation::Binary),
        2 => any_loop_kind().prop_map(Mutation::Loop),
        1 => Just(Mutation::Swap),
        1 => Just(Mutation::Drop),
        1 => Just(Mutation::Option),
    ]
}

fn size(tree: &Tree) -> usize {
    1 + match tree {
        Tree::Empty | Tree::Step(_) => 0,
        Tree::Binary(_, a, b) => size(a) + size(b),
        Tree::Loop(_, body) => size(body),
    }
}

/// The tree with the mutation at the node of a number, counted from the root down.
fn mutated(tree: &Tree, number: usize, mutation: &Mutation) -> Tree {
    if number == 0 {
        return mutated_root(tree, mutation);
    }
    match tree {
        Tree::Binary(kind, a, b) if number <= size(a) => {
            Tree::Binary(kind.clone(), Box::new(mutated(a, number - 1, mutation)), b.clone())
        }
        Tree::Binary(kind, a, b) => {
            let b = mutated(b, number - 1 - size(a), mutation);
            Tree::Binary(kind.clone(), a.clone(), Box::new(b))
        }
        Tree::Loop(kind, body) => {
            Tree::Loop(kind.clone(), Box::new(mutated(body, number - 1, mutation)))
        }
        other => other.clone(),
    }
}

fn mutated_root(tree: &Tree, mutation: &Mutation) -> Tree {
    let tree = tree.clone();
    match (mutation, tree) {
        (Mutation::Action(action), Tree::Step(mut actions)) => {
            actions[0] = *action;
            Tree::Step(actions)
        }
        (Mutation::Binary(kind), Tree::Binary(_, a, b)) => Tree::Binary(kind.clone(), a, b),
        (Mutation::Loop(kind), Tree::Loop(_, body)) => Tree::Loop(kind.clone(), body),
        (Mutation::Loop(kind), tree) => Tree::Loop(kind.clone(), Box::new(tree)),
        (Mutation::Swap, Tree::Binary(kind, a, b)) => Tree::Binary(kind, b, a),
        (Mutation::Drop, Tree::Loop(_, body)) => *body,
        (Mutation::Drop, _) => Tree::Empty,
        (_, tree) => Tree::Binary(BinaryKind::Alt, Box::new(tree), Box::new(Tree::Empty)),
    }
}

fn any_mutated_pair() -> impl Strategy<Value = (Interaction, Interaction, Locations)> {
    (any_tree(), any::<Index>(), any_mutation(), any_locations()).prop_map(
        |(tree, at, mutation, locations)| {
            let new = mutated(&tree, at.index(size(&tree)), &mutation);
            (tree.build(), new.build(), locations)
        },
    )
}

/// How often each answer came.
#[derive(Default, Debug)]
struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, diff: &SpecDiff, differs: bool) {
        let proof = diff.proof().map_or("", Proof::name);
        let bound = if differs { "differs" } else { "no difference" };
        let key = format!("{} {proof} ({bound} up to {MOST} events)", diff.answer().name());
        *self.0.entry(key).or_default() += 1;
    }
}

#[test]
fn answers_on_random_pairs_are_those_of_the_definitions() {
    let counts = RefCell::new(Counts::default());
    let mut runner = TestRunner::new(multitrace_testing::cases(300));
    let pairs = (any_interaction(), any_interaction(), any_locations());
    let outcome = runner.run(&pairs, |(old, new, locations)| {
        let (diff, differs) = check(&old, &new, &locations).map_err(TestCaseError::fail)?;
        counts.borrow_mut().add(&diff, differs);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    println!("{:#?}", counts.into_inner());
}

/// Of pairs that differ in one node, a number of those whose sessions differ within the bound; with
/// `MULTITRACE_FULL=1` a thousand.
#[test]
fn every_difference_of_mutated_pairs_is_found() {
    let wanted = if common::full() { 1_000 } else { 60 };
    let (mut counts, mut found) = (Counts::default(), 0);
    let mut runner = TestRunner::deterministic();
    while found < wanted {
        let case = any_mutated_pair().new_tree(&mut runner).expect("a pair");
        let (old, new, locations) = case.current();
        let (diff, differs) = check(&old, &new, &locations)
            .unwrap_or_else(|error| panic!("{error}\n{old:?}\n{new:?}\n{locations:?}"));
        assert!(!differs || diff.answer() == Answer::Different);
        counts.add(&diff, differs);
        found += usize::from(differs);
    }
    println!("{counts:#?}");
}

// ---- Examples

fn diff(folder: &Folder, old: &str, new: &str, options: &[&str]) -> Run {
    multitrace(&[&["diff", &folder.path(old), &folder.path(new)], options].concat())
}

fn objects(folder: &Folder, old: &str, new: &str, options: &[&str]) -> Vec<serde_json::Value> {
    let options = [options, &["--output-format", "json-lines"]].concat();
    let run = diff(folder, old, new, &options);
    assert!(run.code <= 1, "{}", run.err);
    run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.file(name, text);
    }
    folder
}

/// Strict order that no clock could tell from weak, and a loop that ends where nobody sees it.
#[test]
fn an_order_that_nobody_observes_makes_no_difference() {
    let strict = "strict(a -- x ->|, b -- y ->|, loopS(b -- y ->|), c -- z ->|)";
    let weak = "seq(c -- z ->|, a -- x ->|, seq(b -- y ->|, loopW(b -- y ->|)))";
    // Messages that pass in one step, two of them at once, and the same with an event at each end.
    let of = |way: &str, repeated: &str| {
        format!(
            "{repeated}(par(seq(a -- {way}ask -> b, b -- {way}answer -> a), \
             seq(a -- {way}call -> c, c -- {way}result -> a)))"
        )
    };
    let (one_step, two_steps) = (of("<synch>", "loopS"), of("", "loopW"));
    let files = [("0.hif", strict), ("1.hif", weak), ("2.hif", &one_step), ("3.hif", &two_steps)];
    let folder = folder(&files);
    let pairs = [
        ("0.hif", "1.hif", "logs", "both accept the same logs"),
        ("2.hif", "3.hif", "reordering", "the events of the other's sessions in some order"),
    ];
    for (old, new, proof, said) in pairs {
        let run = diff(&folder, old, new, &[]);
        assert_eq!(run.code, 0, "{}", run.out);
        assert!(run.out.contains(said), "{}", run.out);
        assert_eq!(objects(&folder, old, new, &[]).pop().expect("a summary")["proof"], proof);
    }
    // No two words are the same, and in each loop the events change places.
    folder.file("x-first.hif", "loopS(strict(a -- x ->|, b -- y ->|))");
    folder.file("y-first.hif", "loopS(strict(b -- y ->|, a -- x ->|))");
    assert_eq!(diff(&folder, "x-first.hif", "y-first.hif", &[]).code, 0);
}

/// Repetitions that only the one with a single event orders can be numbered in its order.
#[test]
fn repetitions_ordered_by_one_event_are_concurrent_ones() {
    let body = "seq(a -- x -> b, a -- y ->|)";
    let folder = folder(&[
        ("region.hif", &format!("loopC(a)({body})")),
        ("concurrent.hif", &format!("loopP({body})")),
        ("weak.hif", &format!("loopW({body})")),
    ]);
    let run = diff(&folder, "region.hif", "concurrent.hif", &[]);
    assert!(run.out.ends_with("they have the same normal form\n"), "{}", run.out);
    assert_eq!(diff(&folder, "weak.hif", "concurrent.hif", &[]).code, 1);
}

#[test]
fn one_protocol_in_three_notations_is_one() {
    let files = [
        ("login.hif", "seq(user -- login -> app, alt(app -- ok -> user, app -- no -> user))"),
        (
            "login.mmd",
            "sequenceDiagram\n  participant app\n  participant user\n  user->>app: login\n  \
             alt right\n    app->>user: ok\n  else wrong\n    app->>user: no\n  end\n",
        ),
    ];
    let folder = folder(&files);
    let text = folder.read("login.mmd");
    folder.file("SPEC.md", &format!("# Other\n\n# Login\n\n```mermaid\n{text}```\n"));
    for new in ["login.mmd", "SPEC.md#Login"] {
        let run = diff(&folder, "login.hif", new, &[]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{new}: {}", run.out);
        assert!(run.out.ends_with("they have the same normal form\n"), "{}", run.out);
    }
    let (spec, bundle) = (folder.path("login.hif"), folder.path("login.mtb"));
    assert_eq!(multitrace(&["compile", &spec, "-o", &bundle]).code, 0);
    assert_eq!(diff(&folder, "login.mtb", "login.mmd", &[]).code, 0);
}

#[test]
fn a_difference_is_shown_with_its_session_and_why_the_other_rejects_it() {
    let folder = folder(&[
        ("old.hif", "seq(a -- order -> b, opt(b -- paid -> a))"),
        ("new.hif", "seq(a -- order -> b, b -- paid -> a)"),
    ]);
    let run = diff(&folder, "old.hif", "new.hif", &[]);
    assert_eq!(run.code, 1);
    let (old, new) = (folder.path("old.hif"), folder.path("new.hif"));
    let expected = format!(
        "{old} and {new} are different\n\n\
         accepted by {old} only, 2 events:\n  \
         {{\"session\":\"old-only\",\"traces\":{{\"a\":[\"a!order\"],\"b\":[\"b?order\"]}}}}\n  \
         a: a!order\n  b: b?order\n  \
         {new}: MT118 b stopped before b!paid; and 1 event that depends on it\n  \
         they part at {old}:1:5 `a -- order -> b` and {new}:1:22 `b -- paid -> a`\n\n\
         {old} accepts all that {new} accepts: its automaton accepts every word of the other\n"
    );
    assert_eq!(run.out, expected);
    // The printed session can be checked.
    let line = run.out.lines().find(|line| line.contains("old-only\"")).expect("the session");
    let session = folder.file("session.jsonl", line.trim());
    assert_eq!(multitrace(&["check", &old, &session]).code, 0);
    assert_eq!(multitrace(&["check", &new, &session]).code, 1);
    let [difference, summary] = &objects(&folder, "old.hif", "new.hif", &[])[..] else {
        panic!("two objects")
    };
    assert_eq!(
        (&difference["type"], &difference["accepted_by"]),
        (&"difference".into(), &"old".into())
    );
    assert_eq!((&difference["events"], &difference["shortest"]), (&2.into(), &true.into()));
    assert_eq!(difference["session"]["traces"]["a"][0], "a!order");
    assert_eq!((&summary["type"], &summary["answer"]), (&"summary".into(), &"different".into()));
    assert_eq!(summary["new_in_old"]["proof"], "automaton");
}

/// An answer in another place of a diagram: the occurrence that the session goes through is meant, in both.
#[test]
fn lines_and_pictures_say_where_they_part() {
    let diagram = |last: &str| {
        format!("sequenceDiagram\na->>b: go\nb->>a: ok\na->>b: go\n{last}\nb->>a: ok\n")
    };
    let old = diagram("alt warm\nb->>a: ok\nend");
    let folder = folder(&[("old.mmd", &old), ("new.mmd", &diagram("b->>a: <late>"))]);
    let run = diff(&folder, "old.mmd", "new.mmd", &["--output-format", "json-lines"]);
    assert_eq!(run.code, 1);
    let objects = objects(&folder, "old.mmd", "new.mmd", &[]);
    let found = objects.iter().filter(|it| it["type"] == "difference");
    let lines: Vec<Vec<(String, u64)>> = found
        .map(|it| {
            let places = it["places"].as_array().expect("places").iter();
            let place = |it: &serde_json::Value| {
                let side = it["specification"].as_str().expect("a side").to_owned();
                (side, it["line"].as_u64().expect("a line"))
            };
            places.map(place).collect()
        })
        .collect();
    let at = |side: &str, line: u64| (side.to_owned(), line);
    let expected = [vec![at("old", 8), at("new", 5)], vec![at("new", 5), at("old", 4)]];
    assert_eq!(lines, expected, "{}", run.out);
    let page = diff(&folder, "old.mmd", "new.mmd", &["--output-format", "html"]);
    assert_eq!(page.out.matches("<svg").count(), 4);
    assert!(page.out.contains("accepted here") && page.out.contains("1 missing"), "{}", page.out);
    assert!(page.out.contains("&lt;late&gt;") && !page.out.contains("<late>"), "{}", page.out);
    let picture = diff(&folder, "old.mmd", "new.mmd", &["--output-format", "svg"]);
    assert_eq!((picture.code, picture.out.matches("<svg").count()), (1, 1));
    for text in ["accepted here", "1 missing", "&lt;late&gt; [accepted here; only here]"] {
        assert!(picture.out.contains(text), "{text}: {}", picture.out);
    }
    // The old one is at the left, and each way has its row.
    let captions = picture.out.split("<text class=\"plain bold\"").map(|it| it.split(['>', '<']));
    let captions = captions.filter_map(|mut it| it.nth(1));
    let captions = captions.filter_map(|it| Some((it.split(" by ").next()?, it.contains("old"))));
    let captions: Vec<_> = captions.filter(|(verb, _)| verb.ends_with("ed")).collect();
    let (accepted, refused) = ("accepted", "refused");
    let expected = [(accepted, true), (refused, false), (refused, true), (accepted, false)];
    assert_eq!(captions, expected, "{}", picture.out);
}

/// Notes and conditions mean nothing, but a reviewer should see that they changed.
#[test]
fn pictures_mark_changed_notes_and_conditions() {
    let diagram = |note: &str, condition: &str| {
        format!(
            "sequenceDiagram\na->>b: go\nnote over b: {note}\nalt {condition}\nb->>a: ok\nelse\nb->>a: no\nend\n"
        )
    };
    let folder = folder(&[
        ("old.mmd", &diagram("for 3 days", "in stock")),
        ("note.mmd", &diagram("for 5 days", "in stock")),
        ("condition.mmd", &diagram("for 3 days", "on hand")),
        ("none.mmd", "sequenceDiagram\na->>b: go\nalt in stock\nb->>a: ok\nelse\nb->>a: no\nend\n"),
        ("same.hif", "seq(a -- go -> b, alt(b -- ok -> a, b -- no -> a))"),
    ]);
    for (new, marked) in [
        ("note.mmd", &["for 3 days", "for 5 days"][..]),
        ("condition.mmd", &["[in stock]", "[on hand]"]),
        ("none.mmd", &["for 3 days"]),
        ("old.mmd", &[]),
        ("same.hif", &[]),
    ] {
        let picture = diff(&folder, "old.mmd", new, &["--output-format", "svg"]);
        assert_eq!(picture.code, 0, "{}", picture.err);
        assert_eq!(
            picture.out.matches("[only here]").count(),
            marked.len(),
            "{new}: {}",
            picture.out
        );
        for text in marked {
            assert!(picture.out.contains(&format!("{text} [only here]")), "{new}: {}", picture.out);
        }
    }
}

/// Events that only an open place matches stand at its directive, not at an arrow.
#[test]
fn differences_of_open_places_stand_at_their_directives() {
    let arrows = "a->>b: go\nb->>a: ok\n";
    let old = format!("sequenceDiagram\n{arrows}");
    let new = format!("sequenceDiagram\n%% multitrace: only these messages at b\n{arrows}");
    let folder = folder(&[("old.mmd", &old), ("new.mmd", &new)]);
    let run = diff(&folder, "old.mmd", "new.mmd", &[]);
    assert!(run.out.contains("new.mmd:2:16 `only these messages at b`"), "{}", run.out);
    let picture = diff(&folder, "old.mmd", "new.mmd", &["--output-format", "svg"]);
    assert!(!picture.out.contains("go ["), "{}", picture.out);
}

#[test]
fn other_names_and_locations_are_told_first() {
    let folder = folder(&[
        ("old.hif", "seq(a -- m -> b, b -- n -> a)"),
        ("new.hif", "seq(a -- m -> b, b -- n -> c)"),
    ]);
    let run = diff(&folder, "old.hif", "new.hif", &[]);
    let first: Vec<&str> = run.out.lines().take(3).collect();
    let (old, new) = (folder.path("old.hif"), folder.path("new.hif"));
    let locations = format!("locations only in {new}: c");
    let letters = [format!("events only in {old}: a?n"), format!("events only in {new}: c?n")];
    assert_eq!(first, [locations, letters[0].clone(), letters[1].clone()]);
    assert_eq!(objects(&folder, "old.hif", "new.hif", &[])[0]["type"], "signature");
    // The same lifelines with another clock.
    let bundle = folder.path("together.mtb");
    let made = multitrace(&["compile", &old, "--locations", "a,b", "-o", &bundle]);
    assert_eq!(made.code, 0, "{}", made.err);
    let run = diff(&folder, "together.mtb", "old.hif", &[]);
    assert!(run.code == 1 && run.out.contains("a is logged at a,b in "), "{}", run.out);
    assert!(run.out.contains("use --locations to give both the same locations"), "{}", run.out);
    let run = diff(&folder, "together.mtb", "old.hif", &["--locations", "b,a"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn equality_of_finitely_many_sessions_is_proved_by_checking_all() {
    // One y comes behind more x than a proof by their order looks at, and neither comes alone.
    let [x, y] = ["a -- x ->|", "b -- y ->|"].map(str::to_owned);
    let many = vec![x; 9].join(", ");
    let [first, last] = [format!("opt(strict({y}, {many}))"), format!("opt(strict({many}, {y}))")];
    let folder = folder(&[("x.hif", &last), ("y.hif", &first)]);
    let run = diff(&folder, "x.hif", "y.hif", &[]);
    let why = "the sessions that the automata leave open were checked one by one";
    assert!(run.code == 0 && run.out.contains(why), "{}", run.out);
    let summary = objects(&folder, "x.hif", "y.hif", &[]).pop().expect("a summary");
    assert_eq!((&summary["answer"], &summary["proof"]), (&"equal".into(), &"sessions".into()));
    // Both are drawn, although nothing is to be marked.
    let picture = diff(&folder, "x.hif", "y.hif", &["--output-format", "svg"]);
    assert!(picture.code == 0 && picture.out.contains("y.hif</text>"), "{}", picture.out);
    assert!(!picture.out.contains("here"), "{}", picture.out);
}

#[test]
fn what_is_neither_proved_nor_refuted_is_told_with_its_bound() {
    // For nine x at a, both give a y at b: it comes first or last.
    let [x, y] = ["a -- x ->|", "b -- y ->|"].map(str::to_owned);
    let many = vec![x; 9].join(", ");
    let loops = [format!("loopS(strict({many}, {y}))"), format!("loopS(strict({y}, {many}))")];
    let folder = folder(&[("x.hif", &loops[0]), ("y.hif", &loops[1])]);
    let run = diff(&folder, "x.hif", "y.hif", &["--max-events", "10"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.starts_with("no difference up to 10 events; "), "{}", run.out);
    let accepted =
        diff(&folder, "x.hif", "y.hif", &["--max-events", "10", "--fail-on", "different"]);
    assert_eq!(accepted.code, 0);
    let few = diff(&folder, "x.hif", "y.hif", &["--budget-sessions", "20"]);
    assert!(few.out.starts_with("no difference up to "), "{}", few.out);
    let differs = folder.file("z.hif", "loopS(strict(a -- x ->|, a -- x ->|, b -- y ->|))");
    let run = multitrace(&["diff", &folder.path("x.hif"), &differs, "--fail-on", "different"]);
    assert_eq!(run.code, 1, "{}", run.out);
}

#[test]
fn automata_are_compared_by_their_letters() {
    const ONE: &str = "Ops a:1 b:1 x:0\nAutomaton A\nStates q0 q1\nFinal States q0\nTransitions\n\
                       x -> q0\na(q0) -> q1\nb(q1) -> q0\n";
    const TWO: &str = "Ops b:1 a:1 x:0\nAutomaton B\nStates p0 p1 p2 p3\nFinal States p0 p2\n\
                       Transitions\nx -> p0\na(p0) -> p1\nb(p1) -> p2\na(p2) -> p3\nb(p3) -> p0\n";
    let folder = folder(&[("one.timbuk", ONE), ("two.timbuk", TWO)]);
    let at = ["--locations", "left=a;right=b"];
    let run = diff(&folder, "one.timbuk", "two.timbuk", &at);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    folder.file("three.timbuk", &TWO.replace("Final States p0 p2", "Final States p0"));
    let all = objects(&folder, "one.timbuk", "three.timbuk", &at);
    assert_eq!(all[0]["session"]["traces"]["left"], serde_json::json!(["a"]));
    assert_eq!(diff(&folder, "one.timbuk", "two.timbuk", &[]).code, 2);
}

#[test]
fn misuse_is_told_with_its_remedy() {
    let folder = Folder::new();
    assert_eq!(multitrace(&["diff", "-", "-"]).code, 2);
    assert_eq!(diff(&folder, "ab.hif", "none.hif", &[]).code, 2);
    let (spec, bundle) = (folder.path("ab.hif"), folder.path("ab.mtb"));
    assert_eq!(multitrace(&["compile", &spec, "-o", &bundle]).code, 0);
    let run = diff(&folder, "ab.mtb", "ab.mtb", &["--locations", "a,b"]);
    assert!(run.code == 2 && run.err.contains("compiled already"), "{}", run.err);
}

/// Logs may call participants by their labels, so another label refuses logs that were accepted.
fn labels_are_names_of_logs(folder: &Folder) {
    let diagram = |label: &str| {
        format!("sequenceDiagram\nparticipant T{label}\nparticipant X as Unused\nT->>B: charge\n")
    };
    folder.file("till.mmd", &diagram(" as Till"));
    folder.file("desk.mmd", &diagram(" as Desk"));
    folder.file("plain.mmd", &diagram("").replace("Unused", "Other"));
    let log = "{\"session\":\"s\",\"traces\":{\"Till\":[\"Till!charge\"],\"B\":[\"B?charge\"]}}\n";
    let log = folder.file("till.jsonl", log);
    for (spec, code) in [("till.mmd", 0), ("desk.mmd", 1), ("plain.mmd", 1)] {
        assert_eq!(multitrace(&["check", &folder.path(spec), &log]).code, code, "{spec}");
    }
    for (old, new, narrower, wider) in [
        ("till.mmd", "till.mmd", 0, 0),
        ("till.mmd", "desk.mmd", 1, 1),
        ("till.mmd", "plain.mmd", 1, 0),
        ("plain.mmd", "till.mmd", 0, 1),
    ] {
        for (fail_on, code) in [("narrower", narrower), ("wider", wider)] {
            let run = diff(folder, old, new, &["--fail-on", fail_on]);
            assert_eq!(run.code, code, "{old} {new} {fail_on}: {}", run.out);
        }
    }
    let run = diff(folder, "till.mmd", "desk.mmd", &[]);
    let wanted = format!(
        "logs may call participants by the labels `Till` in {} only\n",
        folder.path("till.mmd")
    );
    assert!(run.code == 1 && run.out.starts_with(&wanted), "{}", run.out);
    assert!(run.out.contains(", but logs with such labels: they have the same"), "{}", run.out);
    let found = objects(folder, "till.mmd", "desk.mmd", &[]);
    assert_eq!(found[0]["old_only"]["labels"], serde_json::json!(["Till"]));
    assert_eq!(found[1]["answer"], "different");
}

/// As a gate: narrower, wider, a comment, a message that was renamed, a file as git has it.
#[test]
fn diff_is_a_gate() {
    let folder = Folder::new();
    folder.file("old.hif", "alt(a -- m -> b, a -- n -> b)");
    folder.file("new.hif", "a -- m -> b");
    folder.file("renamed.hif", "alt(a -- m -> b, a -- k -> b)");
    let run = |words: &[&str]| {
        let words: Vec<String> = words
            .iter()
            .map(|word| if word.ends_with(".hif") { folder.path(word) } else { (*word).to_owned() })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        multitrace(&words)
    };
    for (old, new, fail_on, code) in [
        ("old.hif", "new.hif", "narrower", 1),
        ("old.hif", "new.hif", "wider", 0),
        ("new.hif", "old.hif", "narrower", 0),
        ("new.hif", "old.hif", "wider", 1),
        ("old.hif", "old.hif", "narrower", 0),
    ] {
        let run = run(&["diff", old, new, "--fail-on", fail_on]);
        assert_eq!(run.code, code, "{old} {new} {fail_on}: {}{}", run.out, run.err);
    }
    labels_are_names_of_logs(&folder);
    let renamed = run(&["diff", "old.hif", "renamed.hif"]);
    assert!(renamed.out.contains("was `n` renamed to `k`?"), "{}", renamed.out);
    let comment = run(&["diff", "old.hif", "new.hif", "--output-format", "markdown"]);
    let (heading, rest) = comment.out.split_once('\n').expect("a heading");
    assert!(heading.ends_with("new.hif` refuses sessions that it accepted"), "{heading}");
    assert!(rest.starts_with("\n```text\n") && rest.ends_with("```\n"), "{rest}");
    let none = run(&["diff", "no/where:x", "new.hif"]);
    assert!(none.code == 2 && none.err.contains("git shows none of"), "{}", none.err);
    let option = run(&["diff", "--", "--output=x:y", "new.hif"]);
    assert!(option.code == 2 && !option.err.contains("git"), "{}", option.err);
}

/// Where only one of the two has a line, the other one is named where it is missing.
#[test]
fn a_line_that_only_one_has_is_told_for_both() {
    let folder = folder(&[
        ("old.mmd", "sequenceDiagram\na->>b: order\nb->>a: paid\n"),
        ("new.mmd", "sequenceDiagram\na->>b: order\n"),
    ]);
    let run = diff(&folder, "old.mmd", "new.mmd", &[]);
    let (old, new) = (folder.path("old.mmd"), folder.path("new.mmd"));
    let told = format!(
        "they part at {old}:3:1 `b->>a: paid` and behind {new}:2:1 `a->>b: order`, where such a line is missing"
    );
    assert!(run.out.contains(&told), "{}", run.out);
    let found = objects(&folder, "old.mmd", "new.mmd", &[]);
    let places = found.iter().find_map(|it| it["places"].as_array()).expect("places");
    assert_eq!((&places[1]["line"], &places[1]["missing"]), (&2.into(), &"behind".into()));
}

/// A file of a revision would be read with the included files of today.
#[test]
fn a_revision_with_included_files_is_refused() {
    let folder = Folder::new();
    folder.file("part.iuml", "a -> b : first\n");
    folder.file("whole.puml", "@startuml\na -> b : m\n@enduml\n");
    folder.file("own.puml", "@startuml\na -> a : m\n@enduml\n");
    folder.file("s.puml", "@startuml\n!include part.iuml\na -> b : m\n@enduml\n");
    let here = folder.path("");
    let git = |words: &[&str]| {
        let name = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let mut git = std::process::Command::new("git");
        git.current_dir(&here).args(name).args(words);
        git.output().is_ok_and(|it| it.status.success())
    };
    if !(git(&["init", "-q"]) && git(&["add", "-A"]) && git(&["commit", "-qm", "one"])) {
        eprintln!("no git here; skipped");
        return;
    }
    folder.file("part.iuml", "a -> b : changed\n");
    // The revision is read with its own configuration, here with none.
    folder.file("multitrace.toml", "[diagrams]\nself = \"send-receive\"\n");
    let diff =
        |old: &str, new: &str| multitrace_in(Some(Path::new(&here)), &["diff", old, new], &[]);
    let same = diff("HEAD:whole.puml", "whole.puml");
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    let own = diff("HEAD:own.puml", "own.puml");
    assert!(own.code == 1 && own.out.contains("events only in own.puml: a?m"), "{}", own.out);
    let given = multitrace_in(
        Some(Path::new(&here)),
        &["diff", "HEAD:own.puml", "own.puml", "--diagrams", "self=local"],
        &[],
    );
    assert_eq!(given.code, 0, "{}{}", given.out, given.err);
    let read = multitrace_in(Some(Path::new(&here)), &["read", "HEAD:own.puml"], &[]);
    assert!(read.code == 2 && read.err.contains("git show HEAD:own.puml > FILE"), "{}", read.err);
    let refused = diff("HEAD:s.puml", "s.puml");
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.err.contains("HEAD:s.puml includes part.iuml"), "{}", refused.err);
}
