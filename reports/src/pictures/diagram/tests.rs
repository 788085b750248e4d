//! Tests of sequence diagrams.

use super::*;
use crate::pictures::checks::{check_layout, check_svg};
use crate::pictures::measure::{cells, pixels};
use crate::pictures::overlay::{Mark, Overlay};
use crate::pictures::{Tone, drawing::Drawing};
use multitrace_formats::hif::ParsedSpec;
use multitrace_formats::{hif, source::Source};
use multitrace_interaction::{Id, Interaction, Locations, Node, NodeId, Signature};
use proptest::prelude::*;

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
            rows: self.rows,
        }
    }

    fn text(&self, width: usize) -> String {
        diagram_text(&self.diagram(), width, Paint::PLAIN)
    }

    /// Draws it in both ways and checks both.
    fn check(&self) {
        let pixels_drawn: Drawing = layout::draw(&self.diagram(), &Metrics::PIXELS);
        check_layout(&pixels_drawn, pixels, Metrics::PIXELS.line);
        check_layout(&layout::draw(&self.diagram(), &Metrics::CELLS), cells, 1);
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
