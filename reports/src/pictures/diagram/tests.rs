//! Tests of sequence diagrams.

use super::*;
use crate::pictures::checks::{check_arrows_and_frames, check_layout, check_svg};
use crate::pictures::measure::{cells, pixels};
use crate::pictures::overlay::{Mark, Overlay};
use crate::pictures::{Tone, drawing::Drawing};
use multitrace_formats::diagram::{self, DiagramOptions, Notation, in_markdown, in_plantuml};
use multitrace_formats::hif::ParsedSpec;
use multitrace_formats::{hif, source::Source};
use multitrace_interaction::{Id, Interaction, Locations, Node, NodeId, Signature};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn parsed(text: &str) -> ParsedSpec {
    hif::parse(&Source::new("f", text), None).expect("an interaction")
}

/// Something with each kind of row and frame.
const ALL: &str = "seq(
    a -- start -> (b, c), tick -> b, c -- dropped ->|, b -- think -> b,
    b -- <synch>shake -> c, {a!x, b?y}, a -- <synch>all -> (a, b, c),
    coreg(b, c)(a -- m -> b, alt(c -- m -> b, o, strict(c -- q -> a, a -- r -> c))),
    par(loopS(a -- p -> b), loopW(loopP(c -- q -> b)), loopH(b -- r -> c), loopC(a)(a -- s -> b)),
    opt(b -- u -> a))";

struct Shown {
    spec: ParsedSpec,
    locations: Locations,
    overlay: Overlay,
    title: &'static str,
    rows: usize,
}

impl Shown {
    fn new(text: &str) -> Shown {
        let spec = parsed(text);
        let locations = Locations::discrete(&spec.signature);
        Shown { spec, locations, overlay: Overlay::default(), title: "", rows: MOST_ROWS }
    }

    fn together(text: &str, names: [&str; 2]) -> Shown {
        let shown = Shown::new(text);
        let ids = names.map(|name| shown.spec.signature.lifeline(name).expect("a lifeline"));
        let locations = Locations::new(&shown.spec.signature, &[ids.to_vec()]).expect("disjoint");
        Shown { locations, ..shown }
    }

    fn diagram(&self) -> Diagram<'_> {
        Diagram {
            interaction: &self.spec.interaction,
            signature: &self.spec.signature,
            locations: &self.locations,
            labels: &[],
            title: self.title,
            overlay: &self.overlay,
            document: None,
            rows: self.rows,
        }
    }

    fn text(&self, width: usize) -> String {
        diagram_text(&self.diagram(), width, Paint::PLAIN)
    }

    /// Lays it out in both ways and checks both.
    fn check_layout(&self) {
        let drawn: Drawing = layout::draw(&self.diagram(), &Metrics::PIXELS);
        check_layout(&drawn, pixels, Metrics::PIXELS.line);
        check_arrows_and_frames(&drawn, Metrics::PIXELS.dot);
        let drawn = layout::draw(&self.diagram(), &Metrics::CELLS);
        check_layout(&drawn, cells, 1);
        check_arrows_and_frames(&drawn, Metrics::CELLS.dot);
    }

    /// Draws it in both ways and checks both.
    fn check(&self) {
        self.check_layout();
        let options = SvgOptions { has_background: true, ..SvgOptions::default() };
        let svg = diagram_svg(&self.diagram(), options);
        check_svg(&svg);
        assert_eq!(svg, diagram_svg(&self.diagram(), options), "the same bytes each time");
    }
}

#[test]
fn messages_and_frames() {
    let text = "seq(a -- m -> b, opt(loopS(b -- n -> (a, c))), c -- x ->|, y -> b, a -- z -> a)";
    let expected = "
     ┌─────┐   ┌─────┐ ┌─────┐
     │  a  │   │  b  │ │  c  │
     └─────┘   └─────┘ └─────┘
        ├─── m ──►│       │
  ┌ opt ┼─────────┼───────┼─────┐
  │ ┌ loop strict ┼───────┼───┐ │
  │ │   │◄────────●── n ─►│   │ │
  │ └───┼─────────┼───────┼───┘ │
  └─────┼─────────┼───────┼─────┘
        │         │       ├── x ─►○
        │ ●── y ─►│       │
        ├──┐ z    │       │
        │◄─┘      │       │
        ╵         ╵       ╵
";
    assert_eq!(format!("\n{}", Shown::new(text).text(80)), expected);
}

#[test]
fn every_kind_of_row_is_drawn_within_bounds() {
    Shown::new(ALL).check();
    Shown { title: "A title that is longer than the picture is wide", ..Shown::new("o") }.check();
    Shown::together(ALL, ["a", "c"]).check();
    let tall = Shown::together(&format!("seq({ALL}, {ALL}, {ALL})"), ["b", "c"]);
    tall.check();
    assert_eq!(tall.text(200).matches("│  a  │").count(), 2, "heads stand below too");
    assert!(Shown::together("a -- m -> b", ["a", "b"]).text(80).contains("a,b"));
}

#[test]
fn a_narrow_terminal_gets_short_names_then_cut_lines() {
    let shown = Shown::new("\"a long name\" -- \"a longer message\" -> \"another long name\"");
    let text = shown.text(40);
    assert!(text.lines().all(|line| cells(line) <= 40), "{text}");
    assert!(text.contains("another lon…") && !text.contains("…\n"), "{text}");
    let text = shown.text(10);
    assert!(text.lines().all(|line| cells(line) <= 10) && text.contains("…\n"), "{text}");
}

#[test]
fn marks_are_shown() {
    let mut shown = Shown::new("alt(a -- m -> b, a -- n -> b)");
    let root = shown.spec.interaction.root();
    let operands: Vec<NodeId> = shown.spec.interaction.node(root).children().collect();
    shown.overlay.operands.insert(operands[1], Mark::new(Tone::Bad, "never"));
    shown.overlay.nodes.insert(NodeId::ZERO, Mark::new(Tone::Good, "12"));
    let text = shown.text(80);
    assert!(text.contains("m [12]") && text.contains("[never]"), "{text}");
    shown.check();
    let svg = diagram_svg(&shown.diagram(), SvgOptions::default());
    assert!(svg.contains("class=\"bad italic\"") && svg.contains("good message"), "{svg}");
}

/// A tree of one operator, nested on the left or on the right.
fn chain(count: usize, is_left: bool, make: fn(NodeId, NodeId) -> Node) -> Interaction {
    let mut nodes = vec![Node::Empty];
    for _ in 0..count {
        let before = NodeId::new(nodes.len() - 1);
        nodes.push(Node::Empty);
        let leaf = NodeId::new(nodes.len() - 1);
        nodes.push(if is_left { make(before, leaf) } else { make(leaf, before) });
    }
    Interaction::new(nodes).expect("a tree")
}

#[test]
fn nothing_is_too_deep_or_too_long() {
    for (is_left, make) in
        [(false, Node::Alt as fn(_, _) -> _), (true, Node::Par), (true, Node::Seq)]
    {
        let interaction = chain(100_000, is_left, make);
        let (signature, overlay) = (Signature::default(), Overlay::default());
        let locations = Locations::discrete(&signature);
        let shown = Shown::new("o");
        let diagram = Diagram {
            interaction: &interaction,
            signature: &signature,
            locations: &locations,
            overlay: &overlay,
            rows: 300,
            ..shown.diagram()
        };
        assert!(diagram_svg(&diagram, SvgOptions::default()).len() < 1_000_000);
        assert!(diagram_text(&diagram, 80, Paint::PLAIN).lines().count() < 2_000);
    }
    let many = vec!["a -- m -> b"; 1_000].join(",");
    let shown = Shown { rows: 10, ..Shown::new(&format!("par({many})")) };
    assert!(shown.text(80).contains("… and 996 more"), "{}", shown.text(80));
    shown.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn hostile_names_do_no_harm(names in proptest::collection::vec("\\PC{0,90}|[<&\"'>\u{0}-\u{1f}a]{1,20}|.{1,9}", 3..4)) {
        let mut shown = Shown::new(ALL);
        let labels = names.clone();
        let mut signature = Signature::default();
        for (at, lifeline) in shown.spec.signature.lifelines().enumerate() {
            let name = shown.spec.signature.lifeline_name(lifeline);
            signature.intern_lifeline(&format!("{name}{}", names[at % names.len()]));
        }
        for message in shown.spec.signature.messages() {
            let name = shown.spec.signature.message_name(message);
            signature.intern_message(&format!("{name}{}", names[message.index() % names.len()]));
        }
        shown.spec.signature = signature;
        shown.check();
        let svg = diagram_svg(&Diagram { labels: &labels, ..shown.diagram() }, SvgOptions::default());
        check_svg(&svg);
    }
}

/// The texts of files of these extensions in a folder and those in it.
fn texts(folder: &Path, extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if path.is_dir() {
            found.extend(texts(&path, extensions));
        } else if extensions.contains(&extension)
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// Checks the layouts of the files that can be read; returns their number.
fn check_all(files: &[(PathBuf, String)]) -> usize {
    let mut checked = 0;
    for (path, text) in files {
        let source = Source::new(path.display().to_string(), text.as_str());
        let found = match path.extension().and_then(|it| it.to_str()) {
            Some("hif") => Vec::new(),
            Some("md") => in_markdown(text),
            Some("mmd") => vec![diagram::whole(text, Notation::Mermaid)],
            _ => in_plantuml(text),
        };
        let no_files = |_: &str| Err(diagram::IncludeError::NoFolder);
        let read = found
            .iter()
            .filter_map(|it| diagram::read(&source, it, &DiagramOptions::default(), &no_files).ok())
            .map(|it| it.parsed);
        let hif = path.extension().is_some_and(|it| it == "hif");
        let hif = hif.then(|| hif::parse(&source, None).ok()).flatten();
        for spec in read.chain(hif) {
            let locations = Locations::discrete(&spec.signature);
            let overlay = Overlay::default();
            Shown { spec, locations, overlay, title: "t", rows: MOST_ROWS }.check_layout();
            checked += 1;
        }
    }
    checked
}

#[test]
fn the_examples_are_laid_out_well() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let checked = check_all(&texts(&examples, &["hif", "md"]));
    assert!(checked >= 22, "{checked}");
}

#[test]
fn the_diagrams_of_the_corpus_are_laid_out_well() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let corpus = std::env::var_os("MULTITRACE_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    if !corpus.is_dir() {
        return eprintln!("skipped: no corpus at {} (set MULTITRACE_CORPUS)", corpus.display());
    }
    let diagrams = check_all(&texts(&corpus.join("diagrams"), &["mmd", "puml"]));
    let interactions = check_all(&texts(&corpus, &["hif"]));
    assert!(diagrams > 300 && interactions > 30, "{diagrams} and {interactions}");
}

#[test]
fn a_thousand_messages_are_drawn_soon() {
    let rows: Vec<String> = (0..250)
        .map(|at| {
            format!(
                "alt(seq(a -- m{at} -> b, c -- n -> (a, d)), loopS(seq(b -- o -> d, d -- p -> c)))"
            )
        })
        .collect();
    let shown = Shown { rows: usize::MAX, ..Shown::new(&format!("seq({})", rows.join(", "))) };
    let begin = std::time::Instant::now();
    let svg = diagram_svg(&shown.diagram(), SvgOptions::default());
    let taken = begin.elapsed();
    assert!(svg.matches("message\"").count() >= 1_000);
    // The machine may be busy with other tests.
    assert!(taken.as_millis() < 100, "{taken:?}");
}

/// A random interaction as text.
fn interaction() -> impl Strategy<Value = String> {
    let lifeline = || prop::sample::select(vec!["a", "b", "c", "d", "\"a long lifeline\""]);
    let message = || prop::sample::select(vec!["m", "n", "\"GET /a/longer/name?of=a&message\""]);
    let leaf = prop_oneof![
        8 => (lifeline(), message(), lifeline()).prop_map(|(a, m, b)| format!("{a} -- {m} -> {b}")),
        1 => (lifeline(), message()).prop_map(|(a, m)| format!("{a} -- {m} ->|")),
        1 => (lifeline(), message()).prop_map(|(a, m)| format!("{m} -> {a}")),
        1 => (lifeline(), message()).prop_map(|(a, m)| format!("{a} -- {m} -> (a, b, c)")),
        1 => (message(), message()).prop_map(|(m, n)| format!("{{a!{m}, d?{n}}}")),
        1 => Just("o".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let operator = prop::sample::select(vec!["seq", "alt", "par", "strict", "coreg(a, c)"]);
        let repetition =
            prop::sample::select(vec!["loopS", "loopW", "loopH", "loopP", "loopC(b)", "opt"]);
        prop_oneof![
            3 => (operator, prop::collection::vec(inner.clone(), 2..5))
                .prop_map(|(operator, operands)| format!("{operator}({})", operands.join(", "))),
            1 => (repetition, inner).prop_map(|(repetition, inner)| format!("{repetition}({inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]
    #[test]
    fn any_interaction_is_laid_out_well(text in interaction(), is_together in any::<bool>()) {
        let shown = Shown::new(&text);
        let has = |name: &str| shown.spec.signature.lifeline(name).is_some();
        match is_together && has("a") && has("c") {
            true => Shown::together(&text, ["a", "c"]).check_layout(),
            false => shown.check_layout(),
        }
    }
}
