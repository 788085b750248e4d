//! Open choices of a specification: the interactions that it stands for, and that leaving events out of the logs leaves
//! exactly them out.

use multitrace_formats::diagram::{DiagramOptions, IncludeError, Notation, read, whole};
use multitrace_formats::hif::{self, OpenError, ParsedSpec};
use multitrace_formats::open::{Unjudged, UnloggedEvents};
use multitrace_formats::source::Source;
use multitrace_interaction::{Action, Interaction, Locations, Node, Step};
use multitrace_testing::denotations::{self, Language, Tree};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f.hif", text), None).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// A specification written out, on one line.
fn written_out(
    spec: ParsedSpec,
    unjudged: Option<&str>,
    unlogged: &str,
) -> Result<String, OpenError> {
    let locations = Locations::discrete(&spec.signature);
    let (unjudged, unlogged) =
        (unjudged.map(Unjudged::parse), UnloggedEvents::parse_list(unlogged));
    let spec = spec.written_out(unjudged.as_ref(), &unlogged, &locations)?;
    let printed = hif::print_in(hif::Dialect::Ours, &spec.interaction, &spec.signature);
    let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(printed.replace("( ", "(").replace(" )", ")"))
}

fn of_hif(text: &str) -> String {
    written_out(parsed(text), None, "").unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn of_mermaid(body: &str) -> String {
    let text = format!("sequenceDiagram\n{body}\n");
    let source = Source::new("f.mmd", &*text);
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let read =
        read(&source, &whole(&text, Notation::Mermaid), &DiagramOptions::default(), &no_files);
    let parsed = read.unwrap_or_else(|error| panic!("{body}\n{error}")).parsed;
    written_out(parsed, None, "").unwrap_or_else(|error| panic!("{body}: {error}"))
}

#[test]
fn operators_stand_for_the_usual_ones() {
    for (text, expected) in [
        (
            "seq(a -- m -> b, anything(a), b -- n -> a)",
            "seq(a -- m -> b, loopS(alt(a -- \"*\" ->|, \"*\" -> a)), b -- n -> a)",
        ),
        ("any[2](a -- m -> b, a -- n -> b)", "par(a -- m -> b, a -- n -> b)"),
        ("any[1](a -- m -> b, a -- n -> b)", "alt(a -- m -> b, a -- n -> b)"),
        (
            "any[1..](a -- m -> b, a -- n -> b)",
            "alt(par(a -- m -> b, opt(a -- n -> b)), a -- n -> b)",
        ),
        ("any[0](a -- m -> b)", "o"),
        ("any[2] for $c in c1..c2 (a -- m -> $c)", "par(a -- m -> c1, a -- m -> c2)"),
        (
            "seq(unlogged(a -- m -> b), b -- n -> a)",
            "seq(strict(opt(a -- m ->|), opt(m -> b)), b -- n -> a)",
        ),
        (
            "seq(unlogged[a](a -- m -> b), b -- n -> a)",
            "seq(strict(opt(a -- m ->|), m -> b), b -- n -> a)",
        ),
        (
            "any[2](unlogged[a](a -- m -> b), a -- n -> b)",
            "par(strict(opt(a -- m ->|), m -> b), a -- n -> b)",
        ),
        (
            "unlogged[a](loopS[2](unlogged[b](a -- m -> b)))",
            "strict(strict(opt(a -- m ->|), opt(m -> b)), opt(a -- m ->|), opt(m -> b))",
        ),
    ] {
        assert_eq!(of_hif(text), expected, "{text}");
    }
}

/// A directive, the diagram behind it, and the interaction that both stand for.
const DIRECTIVES: [(&str, &str, &str); 16] = [
    (
        "only these messages",
        "a->>b: m",
        "par(a -- m -> b, par(loopS(alt(a -- \"*\" ->|, \"*\" -> a)), \
         loopS(alt(b -- \"*\" ->|, \"*\" -> b))), loopS(alt(\"*\" -- \"*\" ->|, \"*\" -> \"*\")))",
    ),
    (
        "only these messages at b",
        "a->>b: m",
        "par(a -- m -> b, loopS(alt(b -- \"*\" ->|, \"*\" -> b)))",
    ),
    ("anything here at a", "a->>b: m", "seq(loopS(alt(a -- \"*\" ->|, \"*\" -> a)), a -- m -> b)"),
    ("not logged", "a->>b: m\nb->>a: n", "seq(strict(opt(a -- m ->|), opt(m -> b)), b -- n -> a)"),
    ("not logged by a", "a->>b: m\nb->>a: n", "seq(strict(opt(a -- m ->|), m -> b), b -- n -> a)"),
    ("never logged a!*", "a->>b: m\nb->>a: n", "seq(strict(opt(a -- m ->|), m -> b), b -- n -> a)"),
    (
        "never logged a",
        "a->>b: m\nb->>a: n",
        "seq(strict(opt(a -- m ->|), m -> b), strict(b -- n ->|, opt(n -> a)))",
    ),
    ("may be lost", "a->>b: m", "strict(a -- m ->|, opt(m -> b))"),
    ("may be repeated", "a->>b: m", "strict(a -- m ->|, m -> b, loopS(m -> b))"),
    (
        "may be lost all",
        "a->>b: m\nb->>a: n",
        "seq(strict(a -- m ->|, opt(m -> b)), strict(b -- n ->|, opt(n -> a)))",
    ),
    ("any 1", "par x\na->>b: m\nand y\na->>b: n\nend", "alt(a -- m -> b, a -- n -> b)"),
    (
        "quorum 1",
        "par x\na->>b: m\nb->>a: r\nand y\na->>c: m\nc->>a: r\nend\na->>a: go",
        "alt(coreg(a)(opt(seq(a -- m -> c, c -- r -> a)), seq(seq(a -- m -> b, b -- r -> a), a -- go ->|)), \
         coreg(a)(opt(seq(a -- m -> b, b -- r -> a)), seq(seq(a -- m -> c, c -- r -> a), a -- go ->|)))",
    ),
    (
        "quorum 2",
        "par x\na->>b: m\nand y\na->>c: m\nend\na->>a: go",
        "seq(par(a -- m -> b, a -- m -> c), a -- go ->|)",
    ),
    (
        "for c in c1..c2",
        "par each\na->>c: m $c\nend",
        "par(a -- \"m c1\" -> c1, a -- \"m c2\" -> c2)",
    ),
    (
        "any 1\n%% multitrace: for c in c1..c3 except c2",
        "par each\na->>c: m\nend\na->>b: n",
        "seq(alt(a -- m -> c1, a -- m -> c3), a -- n -> b)",
    ),
    ("for c in b, d", "alt leader\nc->>a: lead\nend", "alt(b -- lead -> a, d -- lead -> a)"),
];

#[test]
fn directives_stand_for_the_same() {
    for (directive, body, expected) in DIRECTIVES {
        let meant = of_mermaid(&format!("%% multitrace: {directive}\n{body}"));
        assert_eq!(meant, expected, "{directive}");
    }
}

/// A choice that would be too large is an error, and in time.
#[test]
fn choices_are_bounded() {
    let error =
        |text: &str| hif::parse(&Source::new("f.hif", text), None).map(drop).expect_err("an error");
    let error = |text: &str| error(text).to_string();
    assert!(
        error("any[100] for $c in 1..200 (a -- \"$c\" -> b)")
            .contains("more than 1048576 operators")
    );
    assert!(
        error("any[1] for $c in 1..2000 (a -- \"$c\" -> b)").contains("choose of fewer operands")
    );
    assert!(error("any[3](a -- m -> b, a -- n -> b)").contains("3 of 2 operands"));
    let mermaid = |directive: &str| {
        let text = format!(
            "sequenceDiagram\n%% multitrace: {directive}\n%% multitrace: for c in 1..200\npar\na->>c: m\nend\na->>a: go\n"
        );
        let source = Source::new("f.mmd", &*text);
        let no_files = |_: &str| Err(IncludeError::NoFolder);
        let found = whole(&text, Notation::Mermaid);
        read(&source, &found, &DiagramOptions::default(), &no_files)
            .map(drop)
            .map_err(|it| it.to_string())
    };
    for directive in ["any 100", "quorum 100"] {
        let error = mermaid(directive).expect_err(directive);
        assert!(error.contains("choices written out") && error.contains("fewer parts"), "{error}");
    }
    // All but one are few choices.
    assert_eq!(mermaid("quorum 199"), Ok(()));
    let many = format!("for c in {}", ["c1..c9000"; 2].join(", "));
    assert!(mermaid(&many).expect_err("too many").contains("at most 10,000"));
    let step = format!(
        "unlogged({{{}}})",
        (0..11).map(|at| format!("a{at}!m")).collect::<Vec<_>>().join(", ")
    );
    let error = written_out(parsed(&step), None, "").expect_err("too many").to_string();
    assert!(error.contains("more than 10 actions"), "{error}");
}

/// Any events need no message that a signature declares.
#[test]
fn a_signature_declares_no_wildcard() {
    let signature = parsed("a -- m -> b").signature;
    let text = "seq(a -- m -> b, anything(a))";
    assert!(hif::parse(&Source::new("f.hif", text), Some(signature)).is_ok());
}

#[test]
fn what_cannot_be_written_out_is_said() {
    let error = |text: &str, unlogged: &str| {
        written_out(parsed(text), None, unlogged).expect_err(text).to_string()
    };
    assert_eq!(error("a -- m -> b", "c"), "no lifeline is called `c`; the specification has a,b");
    // A directive is told at its own place.
    for (directive, event) in [("never logged b?nope", "b?nope"), ("never logged a, c", "c")] {
        let text =
            format!("sequenceDiagram\nparticipant c\na->>b: m\n%% multitrace: {directive}\n");
        let source = Source::new("f.mmd", &*text);
        let no_files = |_: &str| Err(IncludeError::NoFolder);
        let found = whole(&text, Notation::Mermaid);
        let read = read(&source, &found, &DiagramOptions::default(), &no_files);
        let error = read.map(drop).expect_err(directive).to_string();
        let told = format!("no event of the diagram is {event}\n --> f.mmd:4:16");
        assert!(error.contains(&told), "{error}");
    }
    let text = "sequenceDiagram\nparticipant c\n%% multitrace: not logged by c\na->>b: m\n";
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let (source, found) = (Source::new("f.mmd", text), whole(text, Notation::Mermaid));
    let read = read(&source, &found, &DiagramOptions::default(), &no_files);
    let told = read.map(drop).expect_err("no event").to_string();
    assert!(told.contains("nothing here is an event of c"), "{told}");
    assert_eq!(
        error("a -- m -> b", "a?m"),
        "no event of the specification is a?m, which is said to be not logged; write it as the specification has it"
    );
    // b receives n, which a sends after m: without a!m in the log, a?k before it still orders b's events.
    let crossing = "par(seq(a -- x ->|, a -- m -> b), b -- n -> a)";
    assert!(
        error(crossing, "a!m").starts_with("a!m need not be logged, but it orders other events")
    );
    // c orders k behind n, and both senders write one log.
    let shared = parsed("seq(a -- n -> c, c -- k -> b)");
    let groups = [["a", "b"].map(|it| shared.signature.lifeline(it).expect("a lifeline")).to_vec()];
    let locations = Locations::new(&shared.signature, &groups).expect("a partition");
    let events = UnloggedEvents::parse_list("c?*");
    let error = shared.written_out(None, &events, &locations).expect_err("observable").to_string();
    assert!(error.contains("lifelines share a log (a,b)"), "{error}");
    let span = written_out(parsed(crossing), None, "a!m").expect_err("observable").span();
    assert_eq!(span.map(|it| &crossing[it.start..it.end]), Some("a -- m -> b"));
}

/// Words with and without these actions, each occurrence by itself, as multi-traces.
fn left_out(
    words: &Language,
    unlogged: impl Fn(Action) -> bool,
    locations: &Locations,
) -> std::collections::BTreeSet<Vec<Vec<Action>>> {
    let mut all = Language::new();
    for word in words {
        let mut ways: Vec<Vec<Step>> = vec![Vec::new()];
        for step in word {
            let places: Vec<usize> =
                (0..step.actions().len()).filter(|&at| unlogged(step.actions()[at])).collect();
            let mut next = Vec::new();
            for left in 0..1u32 << places.len() {
                let is_left = |at: &usize| {
                    let place = places.iter().position(|it| it == at);
                    place.is_some_and(|place| left & (1 << place) != 0)
                };
                let kept = (0..step.actions().len()).filter(|at| !is_left(at));
                let kept: Vec<Action> = kept.map(|at| step.actions()[at]).collect();
                for way in &ways {
                    let mut way = way.clone();
                    way.extend(Step::new(kept.clone()));
                    next.push(way);
                }
            }
            ways = next;
        }
        all.extend(ways);
    }
    denotations::project(&all, locations)
}

/// A term whose words all have a bounded length.
fn without_loops(tree: &Tree) -> Tree {
    let boxed = |tree: &Tree| Box::new(without_loops(tree));
    match tree {
        Tree::Empty | Tree::Step(_) => tree.clone(),
        Tree::Binary(kind, a, b) => Tree::Binary(kind.clone(), boxed(a), boxed(b)),
        Tree::Loop(_, body) => without_loops(body),
    }
}

fn spec_of(interaction: Interaction) -> ParsedSpec {
    let text = hif::print(&interaction, &denotations::signature());
    let source = Source::new("f", text);
    let parsed = hif::parse(&source, Some(denotations::signature())).expect("printed");
    ParsedSpec { interaction, ..parsed }
}

/// Events left out of random terms leave exactly them out of all multi-traces, or this is refused.
#[test]
fn leaving_events_out_is_exact_or_refused() {
    const CASES: usize = 4000;
    let mut runner = TestRunner::deterministic();
    let mut written = 0;
    for _ in 0..CASES {
        let tree = denotations::any_tree().new_tree(&mut runner).expect("a term").current();
        let locations = denotations::any_locations().new_tree(&mut runner).expect("some").current();
        let unlogged = denotations::any_action().new_tree(&mut runner).expect("one").current();
        let whole = tree.build();
        let interaction = without_loops(&tree).build();
        if !whole.actions().any(|action| action == unlogged) {
            continue;
        }
        let signature = denotations::signature();
        let events = UnloggedEvents::parse_list(&signature.action_text(unlogged));
        let spec = spec_of(interaction.clone());
        let Ok(spec) = spec.written_out(None, &events, &locations) else { continue };
        written += 1;
        let before = denotations::language(&interaction, 12);
        let after = denotations::language(&spec.interaction, 12);
        let shown = hif::print(&interaction, &signature);
        assert_eq!(
            left_out(&before, |action| action == unlogged, &locations),
            denotations::project(&after, &locations),
            "{shown} without {}",
            signature.action_text(unlogged)
        );
        // With loops, all that is left of short words is accepted.
        let Ok(spec) = spec_of(whole.clone()).written_out(None, &events, &locations) else {
            continue;
        };
        let (before, after) =
            (denotations::language(&whole, 4), denotations::language(&spec.interaction, 4));
        let before = left_out(&before, |action| action == unlogged, &locations);
        let after = denotations::project(&after, &locations);
        assert!(before.is_subset(&after), "{} ", hif::print(&whole, &signature));
    }
    assert!(written > 500, "only {written} of {CASES} were written out");
}

/// A node list stays a tree whatever is written out of it.
#[test]
fn spans_fit_nodes() {
    let text = "seq(anything(a, b), any[1..2](a -- m -> b, unlogged[a](a -- n -> b), a -- k -> b))";
    let spec = parsed(text);
    let locations = Locations::discrete(&spec.signature);
    let spec = spec.written_out(Some(&Unjudged::All), &[], &locations).expect("written out");
    assert_eq!(spec.spans.len(), spec.interaction.nodes().len());
    assert!(spec.interaction.node(spec.interaction.root()) != &Node::Empty);
}
