//! Printed diagrams are read as the interactions that they were printed from, or the printer names the parts that have
//! no form.

use multitrace_formats::diagram::{
    DiagramOptions, IncludeError, Notation, ReadDiagram, print, read, whole,
};
use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::locations::{self, LocationGroup};
use multitrace_formats::source::{Diagnostics, Source};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LoopKind, Node, Signature, names,
};
use multitrace_testing::corpus::folder as corpus;
use multitrace_testing::denotations::{self, BinaryKind, Tree};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const BOTH: [Notation; 2] = [Notation::Mermaid, Notation::PlantUml];

/// All that a refusal may say.
const REASONS: [&str; 7] = [
    "actions that happen together",
    "a loop with a concurrent region",
    "this weak order inside of a strict one",
    "200 frames inside of each other",
    "cannot be the name of a participant",
    "cannot be the name of a message",
    "without participants and messages",
];

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).unwrap_or_else(|error| panic!("{text}:\n{error}"))
}

fn read_back(notation: Notation, text: &str) -> ReadDiagram {
    let source = Source::new("printed", text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    read(&source, &whole(text, notation), &DiagramOptions::default(), &no_files)
        .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The interaction over the signature of another one.
fn over(signature: &Signature, read: &ReadDiagram) -> Interaction {
    let printed = hif::print(&read.parsed.interaction, &read.parsed.signature);
    let again = hif::parse(&Source::new("again", printed), Some(signature.clone()));
    again.unwrap_or_else(|error| panic!("{error}")).interaction
}

/// The reasons of a refusal, one for each error.
fn reasons(errors: Diagnostics) -> Vec<&'static str> {
    let error = errors.of(Source::new("f", " ".repeat(10_000)));
    let reason = |message: &str| REASONS.into_iter().find(|reason| message.contains(reason));
    let messages = error.diagnostics().iter().map(|it| it.message.as_str());
    messages.map(|message| reason(message).unwrap_or_else(|| panic!("{message}"))).collect()
}

/// The lines printed for a text, without those that are always the same.
fn body(notation: Notation, text: &str) -> String {
    let printed = print(notation, &parsed(text), &[]);
    let printed = printed.unwrap_or_else(|error| panic!("{}", error.of(Source::new("f", text))));
    let lines = printed.lines().filter(|line| {
        !["sequenceDiagram", "@startuml", "@enduml"].contains(line)
            && !line.trim_start().starts_with("participant ")
            && !line.contains("multitrace: self send-receive")
    });
    let indent = if notation == Notation::Mermaid { 4 } else { 0 };
    lines.map(|line| &line[indent..]).collect::<Vec<_>>().join("\n")
}

#[test]
fn operators_are_frames() {
    for (text, mermaid, plantuml) in [
        ("a -- m -> b", "a->>b: m", "a -> b : m"),
        ("seq(a -- m -> b, o, b -- n -> a)", "a->>b: m\nb->>a: n", "a -> b : m\nb -> a : n"),
        ("a -- m ->|", "a->>a: m", "a ->] : m"),
        (
            "seq(a -- m ->|, a -- n -> a)",
            "%% multitrace: local\na->>a: m\na->>a: n",
            "a ->] : m\na -> a : n",
        ),
        (
            "opt(loopW(a -- m -> b))",
            "opt\n    loop\n        a->>b: m\n    end\nend",
            "opt\n    loop\n        a -> b : m\n    end\nend",
        ),
        (
            "alt(o, a -- m -> b, a -- n -> b)",
            "alt\nelse\n    a->>b: m\nelse\n    a->>b: n\nend",
            "alt\nelse\n    a -> b : m\nelse\n    a -> b : n\nend",
        ),
        (
            "par(a -- m -> b, o, a -- n -> b)",
            "par\n    a->>b: m\nand\n    a->>b: n\nend",
            "par\n    a -> b : m\nelse\n    a -> b : n\nend",
        ),
        (
            "coreg(b)(a -- m -> b, a -- n -> b)",
            "%% multitrace: coregion b\npar\n    a->>b: m\nand\n    a->>b: n\nend",
            "' multitrace: coregion b\npar\n    a -> b : m\nelse\n    a -> b : n\nend",
        ),
        (
            "loopH(strict(a -- m -> b, a -- n -> b))",
            "%% multitrace: loop head-first\nloop\n    %% multitrace: strict\n    \
             rect rgb(240, 240, 240)\n        a->>b: m\n        a->>b: n\n    end\nend",
            "' multitrace: loop head-first\nloop\n    ' multitrace: strict\n    \
             group\n        a -> b : m\n        a -> b : n\n    end\nend",
        ),
    ] {
        assert_eq!(body(Notation::Mermaid, text), mermaid, "{text}");
        assert_eq!(body(Notation::PlantUml, text), plantuml, "{text}");
    }
}

#[test]
fn receptions_alone_come_from_the_edge() {
    assert_eq!(body(Notation::Mermaid, "m -> b"), "%% multitrace: received\nb->>b: m");
    assert_eq!(
        body(Notation::Mermaid, "a -- <synch>m -> b"),
        "%% multitrace: synchronous\na->>b: m"
    );
    assert_eq!(body(Notation::PlantUml, "m -> b"), "[-> b : m");
    assert_eq!(
        body(Notation::PlantUml, "a -- m -> (b, c)"),
        "' multitrace: strict\ngroup\n    a ->] : m\n    par\n        [-> b : m\n    else\n        \
         [-> c : m\n    end\nend"
    );
}

#[test]
fn what_has_no_form_is_refused_at_its_place() {
    let lines = |notation, text: &str| -> Vec<String> {
        let errors = print(notation, &parsed(text), &[]).expect_err("no form");
        errors.of(Source::new("f", text)).lines().collect()
    };
    for notation in BOTH {
        assert_eq!(
            lines(notation, "seq(a -- <synch>m -> (b, c),\n loopC(a)(a -- m -> b))"),
            [
                "f:1:5: a diagram has no form for these actions that happen together",
                "f:2:2: a diagram has no form for a loop with a concurrent region",
            ]
        );
        let weak = "strict(seq(a -- m -> b, a -- n -> b), a -- m -> b)";
        let message = "f:1:8: a diagram has no form for this weak order inside of a strict one";
        assert_eq!(lines(notation, weak), [message]);
    }
    assert_eq!(
        lines(Notation::Mermaid, "seq(a -- m -> (b,c), \"a;b\" -- m -> b)"),
        ["f:1:22: `a;b` cannot be the name of a participant in Mermaid"]
    );
    assert_eq!(
        lines(Notation::PlantUml, "\"say \\\"hi\\\"\" -- m -> b"),
        ["f:1:1: `say \"hi\"` cannot be the name of a participant in PlantUML"]
    );
    assert_eq!(
        lines(Notation::PlantUml, "o"),
        ["f:1:1: PlantUML has no diagram without participants and messages"]
    );
    assert_eq!(
        print(Notation::Mermaid, &parsed("o"), &[]).expect("a diagram"),
        "sequenceDiagram\n"
    );
}

#[test]
fn frames_have_a_limit_and_lists_have_none() {
    let nested =
        |depth: usize| format!("{}a -- m -> b{}", "loopS(".repeat(depth), ")".repeat(depth));
    let wide = format!("seq({}b -- n -> a)", "a -- m -> b,".repeat(20_000));
    // A text cannot nest that deep.
    let deepest = parsed(&nested(hif::MAX_NESTING));
    let mut nodes = deepest.interaction.nodes().to_vec();
    nodes.push(Node::Loop(LoopKind::Strict, deepest.interaction.root()));
    let interaction = Interaction::new(nodes).expect("a tree");
    let too_deep = ParsedSpec { interaction, ..deepest };
    for notation in BOTH {
        print(notation, &parsed(&nested(200)), &[]).expect("a diagram");
        let deep = print(notation, &too_deep, &[]).expect_err("a frame too many");
        assert_eq!(reasons(deep), ["200 frames inside of each other"]);
        print(notation, &parsed(&wide), &[]).expect("a diagram");
    }
}

#[test]
fn odd_names_are_escaped_quoted_or_named_by_a_directive() {
    for (name, mermaid, plantuml) in [
        ("GET /cart", "a->>b: GET /cart", "a -> b : GET /cart"),
        ("a; b #1", "a->>b: a#59; b #35;1", "a -> b : a; b #1"),
        (
            "**x** ~~",
            "a->>b: **x** ~~",
            "a -> b : <U+002A><U+002A>x<U+002A><U+002A> <U+007E><U+007E>",
        ),
        (
            "a  b",
            "%% multitrace: message \"a b\" is \"a  b\"\na->>b: a b",
            "' multitrace: message \"a b\" is \"a  b\"\na -> b : a b",
        ),
    ] {
        let text = format!("a -- {} -> b", names::quoted(name));
        assert_eq!(body(Notation::Mermaid, &text), mermaid);
        assert_eq!(body(Notation::PlantUml, &text), plantuml);
    }
    let text = "\"order-service\" -- m -> \"the shop\"";
    assert_eq!(body(Notation::Mermaid, text), "order-service->>the shop: m");
    assert_eq!(body(Notation::PlantUml, text), "\"order-service\" -> \"the shop\" : m");
}

#[test]
fn locations_are_a_directive() {
    let text = "seq(a -- m -> b, b -- m -> c)";
    for notation in BOTH {
        for (groups, word) in
            [("b,c", "multitrace: locations b,c"), ("a,c;b", "multitrace: locations a,c;b")]
        {
            let groups = locations::parse(groups).expect("groups");
            let printed = print(notation, &parsed(text), &groups).expect("a diagram");
            assert!(printed.contains(word), "{printed}");
            let large = |groups: &[LocationGroup]| -> Vec<LocationGroup> {
                groups.iter().filter(|it| it.members.len() > 1).cloned().collect()
            };
            assert_eq!(large(&read_back(notation, &printed).drawing.locations), large(&groups));
        }
    }
}

/// Prints in a notation, and checks the interaction that is read back. Returns why there is no diagram.
fn check(notation: Notation, spec: &ParsedSpec) -> Vec<&'static str> {
    let text = match print(notation, spec, &[]) {
        Err(errors) => return reasons(errors),
        Ok(text) => text,
    };
    let read = read_back(notation, &text);
    let lifelines = |it: &Signature| -> Vec<String> {
        it.lifelines().map(|id| it.lifeline_name(id).to_owned()).collect()
    };
    assert_eq!(lifelines(&read.parsed.signature), lifelines(&spec.signature), "{text}");
    assert!(print(notation, &read.parsed, &[]).is_ok(), "{text}");
    Vec::new()
}

/// Checks that a diagram means the same, by the traces up to a length.
fn check_meaning(notation: Notation, spec: &ParsedSpec) {
    let Ok(text) = print(notation, spec, &[]) else { return };
    let read = over(&spec.signature, &read_back(notation, &text));
    let language = |interaction| denotations::language(interaction, 4);
    let shown = hif::print(&spec.interaction, &spec.signature);
    assert_eq!(language(&spec.interaction), language(&read), "{shown}\n{text}");
}

/// A term in which every action alone is a message with both ends.
fn with_arrows(tree: &Tree) -> Tree {
    let boxed = |tree: &Tree| Box::new(with_arrows(tree));
    match tree {
        Tree::Empty => Tree::Empty,
        Tree::Loop(kind, body) => Tree::Loop(kind.clone(), boxed(body)),
        Tree::Binary(kind, a, b) => Tree::Binary(kind.clone(), boxed(a), boxed(b)),
        Tree::Step(actions) => {
            let emission = Action { kind: ActionKind::Emission, ..actions[0] };
            let lifeline = LifelineId::new((emission.lifeline.index() + 1) % 3);
            let reception = Action { lifeline, kind: ActionKind::Reception, ..emission };
            let [a, b] = [emission, reception].map(|it| Box::new(Tree::Step(vec![it])));
            Tree::Binary(BinaryKind::Strict, a, b)
        }
    }
}

/// Checks random terms. Returns how many have a diagram, in a hundred.
fn check_random(what: &str, notation: Notation, change: fn(&Tree) -> Tree) -> usize {
    const CASES: usize = 2000;
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in 0..CASES {
        let tree = denotations::any_tree().new_tree(&mut runner).expect("a term");
        let interaction = change(&tree.current()).build();
        let signature = denotations::signature();
        let text = hif::print(&interaction, &signature);
        let spec = hif::parse(&Source::new("f", text), Some(signature)).expect("printed");
        let reasons = check(notation, &spec);
        *counts.entry(reasons.first().copied().unwrap_or("printed")).or_default() += 1;
        if case % 3 == 0 {
            check_meaning(notation, &spec);
        }
    }
    report(&format!("{what}, {}, {CASES} terms", notation.name()), &counts);
    counts.get("printed").copied().unwrap_or_default() * 100 / CASES
}

#[test]
fn random_interactions_are_read_back_or_refused_for_a_known_reason() {
    for (notation, of_actions, of_arrows) in
        [(Notation::Mermaid, 10, 70), (Notation::PlantUml, 50, 70)]
    {
        assert!(check_random("actions", notation, Tree::clone) >= of_actions);
        assert!(check_random("arrows", notation, with_arrows) >= of_arrows);
    }
}

#[expect(clippy::print_stderr, reason = "shown with --nocapture")]
fn report(what: &str, counts: &BTreeMap<&str, usize>) {
    eprintln!("{what}: {counts:?}");
}

proptest! {
    #![proptest_config(multitrace_testing::cases(300))]

    /// Names of any characters, mostly those that mean something somewhere.
    #[test]
    fn any_names_are_read_back_or_refused(
        lifelines in prop::collection::hash_set("[a-c \"'#;:<>@.\\-+|!%&\\$/\\[\\](){}*~_=\\\\]{1,6}|\\PC{1,3}", 2..4),
        messages in prop::collection::vec("[a-c \"'#;:<>@.\\-+|!%&\\$/\\[\\](){}*~_=\\\\]{1,8}|\\PC{1,4}|[a\n\t\r ]{1,3}", 1..4),
    ) {
        let quoted: Vec<String> =
            lifelines.iter().map(|it| names::quoted(&it.replace('$', "$$"))).collect();
        let arrows: Vec<String> = messages
            .iter()
            .map(|it| names::quoted(&it.replace('$', "$$")))
            .map(|it| format!("{} -- {it} -> {}", quoted[0], quoted[1]))
            .collect();
        let spec = parsed(&format!("seq({})", arrows.join(", ")));
        for notation in BOTH {
            let reasons = check(notation, &spec);
            prop_assert!(reasons.iter().all(|it| it.contains("the name of a participant")), "{reasons:?}");
        }
    }
}

/// Words and signs of the notations.
const WORDS: [&str; 57] = [
    "alt",
    "end",
    "loop",
    "par",
    "and",
    "else",
    "opt",
    "note",
    "over",
    "box",
    "title",
    "actor",
    "as",
    "activate",
    "participant",
    "create",
    "destroy",
    "autonumber",
    "return",
    "group",
    "ref",
    "o",
    "x",
    "style",
    "links",
    "off",
    "sequenceDiagram",
    "%%{init: {}}%%",
    "wrap: a",
    ":wrap:a",
    "<br>",
    "[[a b]]",
    "&#35;",
    "#35;",
    "%date()",
    "/' a",
    "a '/",
    "'a",
    "!include x",
    "** a",
    "= a",
    "a\\",
    "a\\nb",
    "<U+0041>",
    "@startuml",
    "@enduml",
    "~~~",
    "...",
    "||",
    "==x==",
    "classDef a:b#c;d",
    "unlabelled",
    "1. x",
    "a // b",
    "\"x\"",
    "other",
    "$x",
];

#[test]
fn words_of_the_notations_are_names_or_refused() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for notation in BOTH {
        for word in WORDS {
            let quoted = names::quoted(&word.replace('$', "$$"));
            let message = parsed(&format!("a -- {quoted} -> b"));
            assert_eq!(check(notation, &message), Vec::<&str>::new(), "{word}");
            let lifeline = parsed(&format!("{quoted} -- m -> b"));
            let reasons = check(notation, &lifeline);
            *counts.entry(reasons.first().copied().unwrap_or("printed")).or_default() += 1;
        }
    }
    report("words as participants", &counts);
    assert!(counts["printed"] > WORDS.len(), "{counts:?}");
}

/// The `.hif` files below a folder.
fn hif_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            hif_files(&path, found);
        } else if path.extension().is_some_and(|it| it == "hif") {
            found.push(path);
        }
    }
    found.sort();
}

/// How many files have a diagram in each notation.
fn check_files(what: &str, folder: &Path) -> [usize; 2] {
    let mut files = Vec::new();
    hif_files(folder, &mut files);
    assert!(!files.is_empty(), "no .hif file in {}", folder.display());
    BOTH.map(|notation| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in &files {
            let text =
                fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let reasons = check(notation, &parsed(&text));
            *counts.entry(reasons.first().copied().unwrap_or("printed")).or_default() += 1;
        }
        report(&format!("{what}, {}, {} files", notation.name(), files.len()), &counts);
        counts.get("printed").copied().unwrap_or_default()
    })
}

#[test]
fn examples_have_diagrams() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let [mermaid, plantuml] = check_files("examples", &folder);
    assert!(mermaid > 0 && plantuml >= mermaid);
}

#[test]
fn use_cases_have_diagrams() {
    let Some(corpus) = corpus() else { return };
    let [mermaid, plantuml] = check_files("use cases", &corpus.join("usecases"));
    assert!(mermaid > 0 && plantuml >= mermaid);
    check_files("random interactions", &corpus.join("hibou-random"));
}
