//! Interactions: their meaning, their errors, and that a printed one is read back.

use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::source::{Source, Span};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, LoopKind, MessageId, Node,
    NodeId, Signature, Step,
};
use proptest::prelude::*;

fn read(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).unwrap_or_else(|error| panic!("{text}:\n{error}"))
}

fn signature(lifelines: &[&str], messages: &[&str]) -> Signature {
    let mut signature = Signature::default();
    for name in lifelines {
        signature.intern_lifeline(name);
    }
    for name in messages {
        signature.intern_message(name);
    }
    signature
}

/// Both texts over one signature are the same interaction.
fn assert_same(text: &str, other: &str) {
    let first = read(text);
    let second = hif::parse(&Source::new("g", other), Some(first.signature.clone()));
    let second = second.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(first.interaction, second.interaction, "{text} is not {other}");
}

fn errors_with(text: &str, signature: Option<Signature>) -> Vec<String> {
    let error = hif::parse(&Source::new("f", text), signature).expect_err("not an interaction");
    assert!(error.to_string().contains("f:"), "{error}");
    error.lines().collect()
}

fn errors(text: &str) -> Vec<String> {
    errors_with(text, None)
}

fn action(lifeline: usize, kind: ActionKind, message: usize) -> Action {
    Action { lifeline: LifelineId::new(lifeline), kind, message: MessageId::new(message) }
}

#[test]
fn figure_15_has_the_tree_of_figure_2() {
    let text =
        "seq(coreg(l2)(alt(l1 -- m1 -> (l2,l3), o), loopW(alt(l1 -- m2 -> l2, l2 -- m3 -> l3))),
                loopP(seq(l3 -- m4 -> l2, l2 -- m5 -> l3)))";
    let spec = read(text);
    let names: Vec<&str> =
        spec.signature.lifelines().map(|l| spec.signature.lifeline_name(l)).collect();
    assert_eq!(names, ["l2", "l1", "l3"], "in order of appearance");
    let Node::Seq(left, right) = spec.interaction.node(spec.interaction.root()) else {
        panic!("the root is a seq");
    };
    assert!(matches!(spec.interaction.node(*right), Node::Loop(LoopKind::Parallel, _)));
    let Node::CoReg(region, alt, _) = spec.interaction.node(*left) else { panic!("a coreg") };
    assert_eq!(region.iter().collect::<Vec<_>>(), [LifelineId::new(0)]);
    let Node::Alt(passing, empty) = spec.interaction.node(*alt) else { panic!("an alt") };
    assert_eq!(spec.interaction.node(*empty), &Node::Empty);
    let Node::Strict(emission, receptions) = spec.interaction.node(*passing) else {
        panic!("a strict");
    };
    let emission = spec.interaction.node(*emission);
    let expected = Step::single(action(1, ActionKind::Emission, 0));
    assert_eq!(emission, &Node::Step(expected));
    assert!(matches!(spec.interaction.node(*receptions), Node::Seq(..)));
}

#[test]
fn operators_fold_to_the_right() {
    for op in ["strict", "seq", "par", "alt", "coreg(l)"] {
        let many = format!("{op}(m -> l, n -> l, o, p -> l)");
        let nested = format!("{op}(m -> l, {op}(n -> l, {op}(o, p -> l)))");
        assert_same(&many, &nested);
        assert_same(&format!("{op}(m -> l)"), "m -> l");
    }
}

#[test]
fn passings_are_short_forms() {
    assert_same("a -- m -> b", "strict(a -- m ->|, m -> b)");
    assert_same("a--m->(b,c,d)", "strict({a!m}, seq({b?m}, seq({c?m}, {d?m})))");
    assert_same("m -> (b, c)", "seq(m -> b, m -> c)");
    assert_same("a -- <synch>m -> (b,c)", "{a!m, b?m, c?m}");
    assert_same("< synch > m -> (b,c)", "{b?m, c?m}");
    assert_same("a -- <asynch>m -> b", "a -- m -> b");
    assert_same("a -- <synch>m ->|", "a -- m ->|");
    assert_same("/* x */ ∅", "o");
}

#[test]
fn words_of_the_language_are_names_too() {
    assert_same("alt(o -- m -> l, o -> l, o)", "alt(strict({o!m}, {l?m}), {l?o}, ∅)");
    assert_same("seq -- alt -> strict", "strict({seq!alt}, {strict?alt})");
    assert_same("synch -- <synch>asynch -> coreg", "{synch!asynch, coreg?asynch}");
}

#[test]
fn regions_may_be_empty() {
    let spec = read("loopC()(coreg()(m -> a, n -> b))");
    let root = spec.interaction.node(spec.interaction.root());
    assert!(matches!(root, Node::Loop(LoopKind::CoReg(region), _) if region.is_empty()));
}

#[test]
fn spans_cover_the_text_of_each_node() {
    let text = "seq( l1 -- m -> l2,\n loopS(o), {l1!n} )";
    let spec = read(text);
    let texts: Vec<(&Node, &str)> = spec
        .interaction
        .nodes()
        .iter()
        .zip(&spec.spans)
        .map(|(node, span)| (node, &text[span.start..span.end]))
        .collect();
    assert_eq!(texts.len(), 8);
    for (node, written) in texts {
        let expected = match node {
            Node::Empty => "o",
            Node::Loop(..) => "loopS(o)",
            Node::Seq(..) => text,
            Node::Step(step) if step.actions()[0].message == MessageId::new(1) => "{l1!n}",
            _ => "l1 -- m -> l2",
        };
        assert_eq!(written, expected);
    }
    assert_eq!(spec.spans.last(), Some(&Span::new(0, text.len())));
}

#[test]
fn undeclared_names_are_reported_at_their_places() {
    let declared = signature(&["client", "broker"], &["pub"]);
    let text = "seq(\n  cleint -- pub -> broker,\n  {client!sub},\n  coreg(x)(o, pub -> broker))";
    let error =
        hif::parse(&Source::new("f", text), Some(declared.clone())).expect_err("undeclared");
    let helps: Vec<&str> = error.diagnostics().iter().filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(
        helps,
        ["did you mean `client`?", "did you mean `pub`?", "declare it in `@lifeline{…}`"]
    );
    assert_eq!(
        errors_with(text, Some(declared)),
        [
            "f:2:3: undeclared lifeline `cleint`",
            "f:3:11: undeclared message `sub`",
            "f:4:9: undeclared lifeline `x`",
        ]
    );
}

#[test]
fn all_errors_of_a_file_are_reported() {
    let text = "seq(\n  l1 -- m -> ,\n  foo(o, m ->),\n  l1 -- <sync>m -> l2,\n  alt(),\n  \
        {l1 m, l2?n},\n  m -> |,\n  loopS(o, o),\n  m -> (),\n  $ o,\n  sek(l1)(o,),\n  {},\n  l1 l2\n)";
    assert_eq!(
        errors(text),
        [
            "f:2:14: expected `|`, a lifeline or `(`, found `,`",
            "f:3:3: unknown operator `foo`",
            "f:3:14: expected `|`, a lifeline or `(`, found `)`",
            "f:4:10: unknown kind of passing `sync`",
            "f:5:3: `alt` has no operand",
            "f:6:7: expected `!` or `?`, found `m`",
            "f:7:3: a message that nobody emits or receives",
            "f:8:3: `loopS` takes one interaction, found 2",
            "f:9:8: a list of no receivers",
            "f:10:3: unknown text `$`",
            "f:11:3: unknown operator `sek`",
            "f:11:12: nothing between `,` and `)`",
            "f:12:3: a step without action",
            "f:13:6: expected `--`, `->` or `(` after `l1`, found `l2`",
        ]
    );
}

#[test]
fn texts_that_do_not_end_as_they_should() {
    assert_eq!(errors(""), ["f:1:1: there is no interaction in this text"]);
    assert_eq!(errors(" /* o */ "), ["f:1:1: there is no interaction in this text"]);
    assert_eq!(errors("o\n/* o"), ["f:2:1: comment without end"]);
    assert_eq!(errors("seq(o, o))"), ["f:1:10: expected the end of the text, found `)`"]);
    assert_eq!(errors("m -> l\nm -> l"), ["f:2:1: expected the end of the text, found `m`"]);
    assert_eq!(
        errors("seq(o,\n alt(o"),
        ["f:1:4: `(` is never closed", "f:2:5: `(` is never closed"]
    );
    assert_eq!(errors("seq(o,)"), ["f:1:6: nothing between `,` and `)`"]);
    assert_eq!(errors("seq o"), ["f:1:5: expected `--`, `->` or `(` after `seq`, found `o`"]);
    assert_eq!(errors("coreg(l)"), ["f:1:9: expected `(`, found the end of the text"]);
}

#[test]
fn operators_of_newer_hibou_are_refused_by_name() {
    for name in ["sync", "and"] {
        let text = format!("{name}(o, l -- m ->|)");
        let error = hif::parse(&Source::new("f", text.as_str()), None).expect_err("not supported");
        assert_eq!(error.diagnostics().len(), 1);
        let shown = error.to_string();
        assert!(shown.contains(&format!("does not support the operator `{name}`")), "{shown}");
        assert!(shown.contains("newer versions of HIBOU"), "{shown}");
    }
}

#[test]
fn unknown_operators_get_suggestions() {
    let error = hif::parse(&Source::new("f", "loopw(o)"), None).expect_err("unknown");
    let help = error.diagnostics()[0].help.clone().unwrap_or_default();
    assert!(help.starts_with("did you mean `loop"), "{help}");
}

#[test]
fn nesting_is_limited_and_width_is_not() {
    let nested = |depth: usize| format!("{}o{}", "loopS(".repeat(depth), ")".repeat(depth));
    assert_eq!(read(&nested(hif::MAX_NESTING)).interaction.nodes().len(), hif::MAX_NESTING + 1);
    let found = errors(&nested(hif::MAX_NESTING + 1));
    assert_eq!(found, ["f:1:1201: operators nest deeper than 200 levels"]);
    // Neither balanced nor closed depth may overflow the stack.
    assert_eq!(errors(&nested(100_000)).len(), 1);
    assert!(!errors(&"seq(".repeat(100_000)).is_empty());
    assert!(!errors(&"(".repeat(100_000)).is_empty());
    let wide = format!("seq({}o)", "l -- m ->|,".repeat(100_000));
    let spec = read(&wide);
    assert_eq!(spec.interaction.nodes().len(), 200_001);
    assert_reads_back(&spec.interaction, &spec.signature);
}

fn assert_reads_back(interaction: &Interaction, signature: &Signature) {
    let text = hif::print(interaction, signature);
    let again = hif::parse(&Source::new("printed", text.as_str()), Some(signature.clone()));
    let again = again.unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert_eq!(&again.interaction, interaction, "printed:\n{text}");
    assert_eq!(&again.signature, signature);
    assert_eq!(again.spans.len(), again.interaction.nodes().len());
}

/// `op(step, op(step, …))`, or the same nested on the left.
fn spine(length: usize, make: impl Fn(NodeId, NodeId) -> Node) -> Interaction {
    let step = || Node::Step(Step::single(action(0, ActionKind::Reception, 0)));
    let mut nodes = vec![step()];
    for _ in 0..length {
        let last = NodeId::new(nodes.len() - 1);
        nodes.push(step());
        let leaf = NodeId::new(nodes.len() - 1);
        nodes.push(make(leaf, last));
    }
    Interaction::new(nodes).expect("a tree")
}

#[test]
fn long_spines_print() {
    let signature = signature(&["l"], &["m"]);
    for make in [Node::Strict as fn(_, _) -> _, Node::Seq, Node::Par, Node::Alt] {
        assert_reads_back(&spine(100_000, make), &signature);
    }
    // Too deep to be read back, but not to be printed.
    let left = spine(10_000, |leaf, last| Node::Alt(last, leaf));
    assert!(hif::print(&left, &signature).matches("alt(").count() == 10_000);
}

#[test]
fn printing_uses_the_short_forms() {
    let text = "seq(\n    a -- m -> (b,c),\n    a -- <synch>m -> b,\n    alt(\n        m -> (a,b),\n        \
        a -- m ->|,\n        o\n    ),\n    {a!m, b?n}\n)\n";
    let spec = read(text);
    assert_eq!(hif::print(&spec.interaction, &spec.signature), text);
}

/// An interaction as a value of its own, to be generated.
#[derive(Clone, Debug)]
enum Tree {
    Empty,
    Step(Vec<Action>),
    Binary(usize, LifelineSet, Box<Tree>, Box<Tree>),
    Loop(LoopKind, Box<Tree>),
}

fn flatten(tree: &Tree, nodes: &mut Vec<Node>) -> NodeId {
    let node = match tree {
        Tree::Empty => Node::Empty,
        Tree::Step(actions) => Node::Step(Step::new(actions.clone()).expect("some action")),
        Tree::Binary(op, region, left, right) => {
            let (left, right) = (flatten(left, nodes), flatten(right, nodes));
            match op {
                0 => Node::Strict(left, right),
                1 => Node::Seq(left, right),
                2 => Node::Par(left, right),
                3 => Node::Alt(left, right),
                _ => Node::CoReg(region.clone(), left, right),
            }
        }
        Tree::Loop(kind, body) => Node::Loop(kind.clone(), flatten(body, nodes)),
    };
    nodes.push(node);
    NodeId::new(nodes.len() - 1)
}

const LIFELINES: [&str; 4] = ["o", "l1", "seq", "synch"];
const MESSAGES: [&str; 3] = ["o", "m", "coreg"];

fn any_action() -> impl Strategy<Value = Action> {
    // Few messages and many receptions, so that the shapes of passings are frequent.
    let kind = prop_oneof![
        Just(ActionKind::Emission),
        Just(ActionKind::Reception),
        Just(ActionKind::Reception)
    ];
    (0..LIFELINES.len(), kind, prop_oneof![4 => Just(0), 1 => 1..MESSAGES.len()])
        .prop_map(|(lifeline, kind, message)| action(lifeline, kind, message))
}

fn any_region() -> impl Strategy<Value = LifelineSet> {
    prop::collection::vec(0..LIFELINES.len(), 0..3)
        .prop_map(|ids| ids.into_iter().map(LifelineId::new).collect())
}

fn any_loop() -> impl Strategy<Value = LoopKind> {
    prop_oneof![
        Just(LoopKind::Strict),
        Just(LoopKind::Weak),
        Just(LoopKind::Parallel),
        Just(LoopKind::HeadFirst),
        any_region().prop_map(LoopKind::CoReg),
    ]
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        1 => Just(Tree::Empty),
        4 => any_action().prop_map(|action| Tree::Step(vec![action])),
        2 => prop::collection::vec(any_action(), 1..4).prop_map(Tree::Step),
    ];
    leaf.prop_recursive(6, 40, 2, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            5 => (0..6_usize, any_region(), boxed.clone(), boxed.clone())
                .prop_map(|(op, region, left, right)| Tree::Binary(op, region, left, right)),
            1 => (any_loop(), boxed).prop_map(|(kind, body)| Tree::Loop(kind, body)),
        ]
    })
}

fn any_interaction() -> impl Strategy<Value = Interaction> {
    any_tree().prop_map(|tree| {
        let mut nodes = Vec::new();
        flatten(&tree, &mut nodes);
        Interaction::new(nodes).expect("a tree")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_printed_reads_back(interaction in any_interaction()) {
        let signature = signature(&LIFELINES, &MESSAGES);
        assert_reads_back(&interaction, &signature);
    }

    #[test]
    fn printing_is_stable(interaction in any_interaction()) {
        let text = hif::print(&interaction, &signature(&LIFELINES, &MESSAGES));
        let again = read(&text);
        let twice = hif::print(&again.interaction, &again.signature);
        // Only the order of lifelines in a region depends on the signature.
        let third = read(&twice);
        prop_assert_eq!(&twice, &hif::print(&third.interaction, &third.signature));
        prop_assert_eq!(twice.len(), text.len());
    }
}

/// The errors of a text, as they are shown.
fn shown(text: &str) -> String {
    hif::parse(&Source::new("f", text), None).expect_err("not an interaction").to_string()
}

#[test]
fn diagrams_in_other_languages_are_one_error_with_a_remedy() {
    for (text, place, language) in [
        ("sequenceDiagram\n  A->>B: hello\n  B-->>A: hi", "f:1:1", "Mermaid"),
        ("%% a comment\n\n  sequenceDiagram\n A->>B: hello", "f:3:3", "Mermaid"),
        ("---\ntitle: T\n---\nsequenceDiagram\n A->>B: hello", "f:4:1", "Mermaid"),
        ("```mermaid\nsequenceDiagram\n A->>B: hello\n```", "f:2:1", "Mermaid"),
        ("@startuml name\nA -> B : hello\n@enduml", "f:1:1", "PlantUML"),
        ("' a comment\n@startuml\nA -> B : hello\n@enduml", "f:2:1", "PlantUML"),
    ] {
        assert_eq!(
            errors(text),
            [format!("{place}: this is a {language} diagram, not an interaction")]
        );
        assert!(shown(text).contains("give the file the extension"), "{}", shown(text));
    }
    for (text, place, kind) in [
        ("flowchart TD\n  A-->B", "f:1:1", "flowchart"),
        ("%% a comment\ngraph LR; A-->B", "f:2:1", "flowchart"),
        (" classDiagram-v2\n  A <|-- B", "f:1:2", "class diagram"),
        ("pie title Pets\n", "f:1:1", "pie chart"),
    ] {
        let message = format!("this is a {kind} of Mermaid, and sequence diagrams are read");
        assert_eq!(errors(text), [format!("{place}: {message}")]);
    }
    read("sequenceDiagram -- m -> b");
    read("graph\n  -- m -> b");
}

#[test]
fn hash_comments_are_one_error_with_a_remedy() {
    let text = "# don't read (this\nseq(a -- m -> b, # nor this)\n  a -- n -> b)";
    assert_eq!(errors(text), ["f:1:1: `#` is not part of the language"]);
    assert!(shown(text).contains("comments are `// …` to the end of the line, and `/* … */`"));
    let found = errors("# here\nseq(a -- m -> b");
    assert_eq!(found, ["f:1:1: `#` is not part of the language", "f:2:4: `(` is never closed"]);
}

#[test]
fn actions_alone_are_errors_that_say_how_they_are_written() {
    assert_eq!(
        errors("seq(a!m, b?m, a -- n -> b)"),
        ["f:1:5: `a!m` alone is not an interaction", "f:1:10: `b?m` alone is not an interaction"]
    );
    let emission = shown("a!m");
    assert!(
        emission.contains("write `a -- m ->|` for an emission that nobody receives"),
        "{emission}"
    );
    let reception = shown("b?m");
    assert!(reception.contains("write `m -> b` for a reception without emission"), "{reception}");
    read("seq(a -- m ->|, m -> b)");
}
