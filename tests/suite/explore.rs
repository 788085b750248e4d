//! `multitrace explore`: the execution tree against the denotations of interactions, the analysis graph
//! against the checker, and the command itself.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace_in};
use multitrace::{
    CheckConfig, CompileOptions, ExploreOptions, Monitor, Session, Spec, SpecFormat, Strategy,
    explore,
};
use multitrace_formats::hif;
use multitrace_interaction::{Action, Interaction, Signature};
use multitrace_reports::exploration::Exploration;
use multitrace_reports::exploration::{AnalysisVerdict, CutReason, PathEnd};
use multitrace_testing::cases;
use multitrace_testing::denotations::{
    any_action, any_interaction, any_locations, language, signature,
};
use proptest::prelude::{Strategy as Generator, *};
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Fig. 2 of paper 000.
const FIGURE_2: &str = "seq(
    coreg(l2)(
        alt(l1 -- m1 -> (l2, l3), o),
        loopW(alt(l1 -- m2 -> l2, l2 -- m3 -> l3))
    ),
    loopP(seq(l3 -- m4 -> l2, l2 -- m5 -> l3))
)";

/// Accepted traces of at most this many actions are enumerated.
const MOST: usize = 3;

fn read(text: &str) -> (Signature, Interaction) {
    let spec = Spec::parse("a.hif", text, SpecFormat::Hif);
    let read = spec.interaction(&CompileOptions::default()).expect("it is right");
    let parsed = read.expect("an interaction").parsed;
    (parsed.signature, parsed.interaction)
}

fn explored(text: &str, after: &str, options: &ExploreOptions) -> Exploration {
    let (signature, interaction) = read(text);
    explore(&signature, &interaction, after, options).expect("the trace can happen")
}

/// Without limits but that of depth.
fn deep(depth: usize) -> ExploreOptions {
    ExploreOptions { depth: Some(depth), nodes: usize::MAX, ..ExploreOptions::default() }
}

fn texts(actions: &[Action]) -> Vec<String> {
    actions.iter().map(|&action| signature().action_text(action)).collect()
}

fn actions_of(branch: &str) -> Vec<String> {
    branch.trim_matches(['{', '}']).split(", ").map(str::to_owned).collect()
}

/// The accepted traces of at most `most` actions: those of the paths to nodes where a trace may end. Each
/// path has at most as many steps as its trace has actions.
fn accepted(exploration: &Exploration, most: usize) -> BTreeSet<Vec<Vec<String>>> {
    let branches = exploration.branches_of();
    let mut accepted = BTreeSet::new();
    let mut todo = vec![(0, Vec::<Vec<String>>::new())];
    while let Some((node, trace)) = todo.pop() {
        if exploration.nodes[node].can_end {
            accepted.insert(trace.clone());
        }
        for branch in branches[node].iter().map(|&branch| &exploration.branches[branch]) {
            let mut trace = trace.clone();
            trace.push(actions_of(&branch.action));
            if trace.iter().map(Vec::len).sum::<usize>() <= most {
                todo.push((branch.to, trace));
            }
        }
    }
    accepted
}

fn naive(interaction: &Interaction, most: usize) -> BTreeSet<Vec<Vec<String>>> {
    let words = language(interaction, most).into_iter();
    words.map(|word| word.iter().map(|step| texts(step.actions())).collect()).collect()
}

/// The actions that can happen at a node, followed or not.
fn executable(exploration: &Exploration, node: usize) -> BTreeSet<String> {
    let followed = exploration.branches.iter().filter(|it| it.from == node);
    let cut = exploration.nodes[node].cuts.iter().flat_map(|it| &it.actions);
    followed.map(|it| &it.action).chain(cut).cloned().collect()
}

#[test]
fn figure_4_four_actions_can_be_executed_in_figure_2() {
    let tree = explored(FIGURE_2, "", &deep(1));
    let next: Vec<&str> = tree.branches.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(next, ["l1!m1", "l1!m2", "l2!m3", "l3!m4"]);
    assert_eq!(tree.nodes.len(), 5, "four follow-ups");
    // Fig. 3: l3!m4 leaves nothing before it that has an action of l3.
    let last = &tree.nodes[4].term;
    assert!(last.starts_with("seq(loopW(l1 -- m2 -> l2), ") && !last.contains("m1"), "{last}");
}

#[test]
fn figure_19_as_many_repetitions_as_loops_are_deep_show_every_action() {
    let nested = "loopS(seq(a -- m -> b, loopW(b -- n -> a)))";
    let options = ExploreOptions { loops: Some(2), ..deep(20) };
    let tree = explored(nested, "", &options);
    let shown: BTreeSet<&str> = tree.branches.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(shown, BTreeSet::from(["a!m", "a?n", "b!n", "b?m"]));
    assert!(tree.nodes.iter().all(|node| node.loops <= 2));
    assert!(tree.cut_totals().iter().all(|total| total.reason == CutReason::Loops));
    assert!(tree.is_cut());
    let fewer = explored(nested, "", &ExploreOptions { loops: Some(1), ..options });
    assert!(fewer.branches.iter().all(|it| it.action != "b!n"));
}

#[test]
fn a_trace_that_cannot_happen_says_where_and_what_could() {
    let (signature, interaction) =
        read("seq(a -- m -> b, alt(b -- x -> a, b -- y -> a), {a!p, b?p})");
    let error = |trace: &str| {
        let result = explore(&signature, &interaction, trace, &ExploreOptions::default());
        result.expect_err("it cannot happen").to_string()
    };
    let said = error("a!m.a?x.b?m");
    assert_eq!(said, "‹after›: a?x cannot happen after a!m; possible: b?m");
    let said = error("a!m.b?m.a!p");
    assert!(said.ends_with("possible: b!x, b!y"), "{said}");
    assert!(error("b?m").starts_with("‹after›: b?m cannot happen at the start; possible: a!m"));
    let said = error("a!m.b?m.b!x.a?x.a!p");
    assert_eq!(said, "‹after›: the trace ends inside a step; possible: b?p");
    let said = error("a!m.a!nothing");
    assert!(
        said.contains(
            "\"a!nothing\" is not an action of the specification; its actions are a!m, a!p"
        )
    );
    let said = error("a!m . b?m . b!y . a?y . a!p . b?p . a!m");
    assert!(said.ends_with("b?p; nothing can"), "{said}");
    // Messages may hold dots.
    let dotted = explored("a -- \"v1.0\" -> b", "a!v1.0", &deep(1));
    assert_eq!(dotted.branches[0].action, "b?v1.0");
    // A trace that can happen in two ways leaves two interactions.
    let two =
        explored("alt(seq(a -- m ->|, a -- x ->|), seq(a -- m ->|, a -- y ->|))", "a!m", &deep(1));
    assert_eq!(two.nodes.iter().filter(|node| node.reached_by.is_none()).count(), 2);
}

#[test]
fn only_some_lifelines_are_followed_and_the_rest_is_told() {
    let (signature, interaction) = read(FIGURE_2);
    let only = signature.lifeline("l1").into_iter().collect();
    let options = ExploreOptions { only: Some(only), ..deep(2) };
    let tree = explore(&signature, &interaction, "", &options).expect("it is explored");
    assert!(tree.branches.iter().all(|it| it.action.starts_with("l1")));
    assert_eq!(executable(&tree, 0).len(), 4);
    assert!(!tree.cut_totals().is_empty());
}

/// High coverage follows every action early, where breadth would not get there.
#[test]
fn coverage_prefers_actions_that_were_not_followed() {
    let text = "par(loopS(a -- m ->|), loopS(b -- n ->|), seq(c -- x ->|, c -- y ->|, c -- z ->|))";
    let actions = |strategy| {
        let options = ExploreOptions { strategy, nodes: 8, depth: None, ..deep(0) };
        let tree = explored(text, "", &options);
        tree.branches.into_iter().map(|it| it.action).collect::<BTreeSet<_>>()
    };
    assert_eq!(actions(Strategy::Coverage).len(), 5);
    assert!(actions(Strategy::Breadth).len() < 5 && actions(Strategy::Depth).len() < 5);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_tree_has_the_accepted_traces(interaction in any_interaction()) {
        let names = signature();
        let expected = naive(&interaction, MOST);
        for strategy in [Strategy::Breadth, Strategy::Depth, Strategy::Coverage] {
            for merge in [false, true] {
                let options = ExploreOptions { strategy, merge, ..deep(MOST) };
                let found = explore(&names, &interaction, "", &options).expect("it is explored");
                prop_assert_eq!(&accepted(&found, MOST), &expected, "{:?} {}", strategy, merge);
            }
        }
    }

    /// After a prefix of an accepted trace, the next actions are those of accepted traces.
    #[test]
    fn executable_actions_are_those_of_accepted_traces(
        interaction in any_interaction(), which in any::<Index>(), length in any::<Index>(),
    ) {
        let words: Vec<_> = naive(&interaction, MOST + 1).into_iter().collect();
        if words.is_empty() {
            return Ok(());
        }
        let word = which.get(&words);
        let prefix = &word[..length.index(word.len() + 1)];
        let flat: Vec<String> = prefix.iter().flatten().cloned().collect();
        let found = explore(&signature(), &interaction, &flat.join("."), &deep(MOST + 1));
        let found = found.expect("a prefix can happen");
        let roots = (0..found.nodes.len()).filter(|&it| found.nodes[it].reached_by.is_none());
        let next: BTreeSet<String> = roots.flat_map(|root| executable(&found, root)).collect();
        // Where a trace goes on after exactly these actions, between steps.
        let goes_on = |word: &Vec<Vec<String>>| {
            let ends = (0..word.len()).find(|&at| word[..at].concat() == flat)?;
            Some(word[ends].clone())
        };
        let naive: BTreeSet<Vec<String>> = words.iter().filter_map(goes_on).collect();
        let possible: BTreeSet<Vec<String>> = next.iter().map(|it| actions_of(it)).collect();
        prop_assert!(naive.is_subset(&possible), "{:?} and {:?}", naive, possible);
        // Each action that can happen leads to an accepted trace.
        for action in &next {
            let longer: Vec<String> = flat.iter().cloned().chain(actions_of(action)).collect();
            let after = explore(&signature(), &interaction, &longer.join("."), &deep(0));
            prop_assert!(after.is_ok(), "{:?}", after);
        }
    }

    /// A part that a limit leaves out is reported at its node.
    #[test]
    fn nothing_is_left_out_in_silence(
        interaction in any_interaction(), nodes in 1usize..12, depth in 0usize..4,
        loops in proptest::option::of(0u32..3), merge in any::<bool>(), strategy in 0usize..3,
    ) {
        let strategy = [Strategy::Breadth, Strategy::Depth, Strategy::Coverage][strategy];
        let options = ExploreOptions { nodes, depth: Some(depth), loops, merge, strategy, ..ExploreOptions::default() };
        let found = explore(&signature(), &interaction, "", &options).expect("it is explored");
        prop_assert!(found.nodes.len() <= nodes);
        for (id, node) in found.nodes.iter().enumerate() {
            prop_assert!(node.depth <= depth && loops.is_none_or(|most| node.loops <= most));
            let rest = node.interaction.as_ref().expect("it is small");
            let all = explore(&signature(), rest, "", &deep(0)).expect("it is explored");
            prop_assert_eq!(executable(&found, id), executable(&all, 0));
            let is_cut = found.branches.iter().filter(|it| it.from == id).count() < executable(&all, 0).len();
            prop_assert!(!is_cut || !node.cuts.is_empty());
        }
        let again = explore(&signature(), &interaction, "", &options).expect("it is explored");
        prop_assert_eq!(found, again);
    }

    /// The analysis graph and the checker agree; a path that covers the session leaves no event.
    #[test]
    fn the_verdict_of_the_graph_is_that_of_the_checker(
        interaction in any_interaction(), locations in any_locations(), session in any_session(),
        strategy in 0usize..3, merge in any::<bool>(), first in any::<bool>(),
    ) {
        let names = signature();
        let text = hif::print(&interaction, &names);
        let groups = locations.iter().map(|it| locations.name(it, &names)).collect::<Vec<_>>().join(";");
        let options = CompileOptions {
            locations: Some(groups), signature: Some(names), ..CompileOptions::default()
        };
        let monitor = Spec::parse("a.hif", &text, SpecFormat::Hif).compile(&options).expect("right").monitor;
        let session = session.build(&interaction, &monitor);
        let expected = monitor.check(&session, CheckConfig::default()).expect("an engine").verdict;
        let strategy = [Strategy::Breadth, Strategy::Depth, Strategy::Coverage][strategy];
        let options = ExploreOptions { strategy, merge, first, nodes: usize::MAX, ..ExploreOptions::of_session() };
        let graph = monitor.explore(&session, &options).expect("an interaction");
        let verdict = graph.verdict().expect("a session");
        prop_assert_eq!(verdict.name(), expected.name());
        for node in &graph.nodes {
            let is_read = node.logs.iter().all(Vec::is_empty);
            prop_assert!(node.end != Some(PathEnd::Covered) || is_read && node.can_end);
        }
        // With few nodes the graph is right, or says that it does not know.
        let few = ExploreOptions { nodes: 2, ..options };
        let cut = monitor.explore(&session, &few).expect("an interaction").verdict().expect("a session");
        prop_assert!(cut == verdict || cut == AnalysisVerdict::Inconclusive);
    }
}

/// An accepted trace or events of any kind, with some changes.
#[derive(Clone, Debug)]
struct AnySession {
    word: Option<Index>,
    changes: Vec<(Index, Option<Action>)>,
    foreign: bool,
}

fn any_session() -> impl Generator<Value = AnySession> {
    let word = proptest::option::weighted(0.9, any::<Index>());
    let change = (any::<Index>(), proptest::option::of(any_action()));
    let changes = proptest::collection::vec(change, 0..3);
    (word, changes, proptest::bool::weighted(0.05))
        .prop_map(|(word, changes, foreign)| AnySession { word, changes, foreign })
}

impl AnySession {
    fn build(&self, interaction: &Interaction, monitor: &Monitor) -> Session {
        let words: Vec<_> = language(interaction, MOST + 2).into_iter().collect();
        let word = self.word.filter(|_| !words.is_empty()).map(|it| it.get(&words));
        let steps = word.into_iter().flatten();
        let mut actions: Vec<Action> = steps.flat_map(|it| it.actions().to_vec()).collect();
        for (at, change) in &self.changes {
            match change {
                Some(action) => actions.insert(at.index(actions.len() + 1), *action),
                None if actions.is_empty() => {}
                None => drop(actions.remove(at.index(actions.len()))),
            }
        }
        let mut logs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let alphabet = monitor.alphabet();
        for action in actions {
            let names = signature();
            let lifeline = names.lifeline_name(action.lifeline);
            let location = alphabet.location_of_lifeline(lifeline).expect("a known lifeline");
            let log = logs.entry(alphabet.location_name(location).to_owned()).or_default();
            log.push(names.action_text(action));
        }
        if self.foreign {
            logs.insert("elsewhere".to_owned(), vec!["elsewhere!m".to_owned()]);
        }
        let session = logs.iter().fold(monitor.session("s"), |session, (location, log)| {
            session.trace(location, log.iter().map(String::as_str))
        });
        session.build()
    }
}

fn at_root(words: &str) -> Run {
    let words: Vec<&str> = words.split(' ').collect();
    multitrace_in(Some(Path::new(env!("CARGO_MANIFEST_DIR"))), &words, &[("COLUMNS", "100")])
}

const ORDER: &str = "examples/observation/order.hif";
const SESSIONS: &str = "examples/observation/sessions.jsonl";

#[test]
fn the_command_writes_text_pictures_and_json() {
    let folder = Folder::new();
    let spec = folder.file("fig2.hif", FIGURE_2);
    let command = format!("explore {spec} --depth 2 --merge");
    let text = at_root(&command);
    assert!(text.out.contains("├─ l1!m1  [1] seq("), "{}{}", text.out, text.err);
    assert!(text.out.contains("not followed: "), "{}", text.out);
    for (extension, start) in [("svg", "<svg"), ("dot", "digraph {"), ("json", "{"), ("txt", "[0]")]
    {
        let out = folder.path(&format!("out.{extension}"));
        let mut before = None;
        for _ in 0..2 {
            let run = at_root(&format!("{command} -o {out}"));
            assert_eq!(run.code, 0, "{}", run.err);
            let written = std::fs::read_to_string(&out).expect("a file");
            assert!(written.starts_with(start), "{written}");
            assert!(before.is_none_or(|before| before == written), "the same bytes each time");
            before = Some(written);
        }
    }
    let json = at_root(&format!("{command} --output-format json"));
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let node = &json["nodes"][1];
    assert_eq!(
        (&node["id"], &node["parent"], &node["action"]),
        (&1.into(), &0.into(), &"l1!m1".into())
    );
    assert_eq!(json["cut"][0]["reason"], "depth");
    let unknown = at_root(&format!("{command} -o out.png"));
    assert!(unknown.code == 2 && unknown.err.contains("known are .svg, .dot, .json and .txt"));
    let lifeline = at_root(&format!("{command} --only l9"));
    assert!(
        lifeline.code == 2 && lifeline.err.contains("its lifelines are l2, l1, l3"),
        "{}",
        lifeline.err
    );
}

#[test]
fn the_command_shows_how_a_session_is_explained() {
    let whole = at_root(&format!("explore {ORDER} {SESSIONS} --session whole"));
    assert_eq!(whole.code, 0, "{}", whole.err);
    assert!(whole.out.contains("session whole: pass: a path covers it"), "{}", whole.out);
    let twice = at_root(&format!("explore {ORDER} {SESSIONS} --session twice"));
    assert!(
        twice.out.contains("not covered: no event that remains can happen next"),
        "{}",
        twice.out
    );
    assert!(twice.out.contains("left at shop: !charge"), "{}", twice.out);
    let cut = at_root(&format!("explore {ORDER} {SESSIONS} --session whole --most-nodes 3"));
    assert!(
        cut.out.contains("inconclusive") && cut.out.contains("(number of nodes)"),
        "{}",
        cut.out
    );
    let svg = at_root(&format!("explore {ORDER} {SESSIONS} --session twice --output-format svg"));
    assert!(svg.out.contains(">not covered</text>"), "{}", svg.err);
    let none = at_root(&format!("explore {ORDER} {SESSIONS} --session nobody"));
    assert!(none.code == 3 && none.err.contains("no session is called \"nobody\""), "{}", none.err);
    let alone = at_root(&format!("explore {ORDER} {SESSIONS}"));
    assert!(alone.code == 2 && alone.err.contains("--session"), "{}", alone.err);
}

#[test]
fn bundles_and_diagrams_can_be_explored_and_automata_cannot() {
    let folder = Folder::new();
    let bundle = folder.path("order.mtb");
    assert_eq!(at_root(&format!("compile {ORDER} -o {bundle}")).code, 0);
    let from = |spec: &str| at_root(&format!("explore {spec} --depth 2"));
    assert_eq!(from(&bundle).out, from(ORDER).out);
    let session = format!("{SESSIONS} --session whole");
    let [of_bundle, of_text] =
        [&bundle, ORDER].map(|spec| at_root(&format!("explore {spec} {session}")).out);
    assert_eq!(of_bundle, of_text);
    let diagram = from("examples/checkout/SPEC.md");
    assert!(diagram.out.contains("client!POST /checkout"), "{}", diagram.err);
    let automaton = folder.file(
        "a.timbuk",
        "Ops x:1 start:0\n\nAutomaton A\nStates q0 q1\nFinal States q1\nTransitions\nstart -> q0\nx(q0) -> q1\n",
    );
    let none = from(&automaton);
    assert!(none.code == 2 && none.err.contains("an automaton has no terms"), "{}", none.err);
}
