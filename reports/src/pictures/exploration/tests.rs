//! Tests of pictures of explorations.

use super::layout::{Plan, draw};
use super::*;
use crate::exploration::{
    AnalyzedSession, Branch, Cut, CutReason, Exploration, ExploredNode, PathEnd,
};
use crate::pictures::checks::{check_apart, check_layout, check_svg};
use crate::pictures::measure::pixels;
use multitrace_formats::hif::{self, ParsedSpec};
use multitrace_formats::source::Source;
use multitrace_interaction::{Interaction, Locations};
use proptest::prelude::*;

/// The terms at nodes: empty, small, a loop, too large to be drawn.
fn terms() -> [(ParsedSpec, String); 4] {
    let many = (0..30).map(|at| format!("a -- m{at} -> b")).collect::<Vec<_>>().join(", ");
    let texts = [
        "o",
        "a -- hello -> b",
        "loopW(alt(a -- x -> (b, c), {b!y, c?y}))",
        &format!("seq({many})"),
    ];
    texts.map(|text| {
        // One signature for all: each declares all names.
        let all = format!(
            "seq({}, {many}, loopW(alt(a -- x -> (b, c), {{b!y, c?y}})), a -- hello -> b)",
            text
        );
        let signature = hif::parse(&Source::new("f", all), None).expect("an interaction").signature;
        let names = ["a", "b", "c"];
        assert!(names.iter().all(|it| signature.lifeline(it).is_some()));
        let parsed = hif::parse(&Source::new("f", text), Some(signature)).expect("an interaction");
        (parsed, text.to_owned())
    })
}

fn node(interaction: Option<Interaction>, term: &str, depth: usize) -> ExploredNode {
    ExploredNode {
        interaction,
        term: term.to_owned(),
        depth,
        loops: 0,
        reached_by: None,
        can_end: depth.is_multiple_of(2),
        cuts: Vec::new(),
        logs: Vec::new(),
        end: None,
    }
}

/// A graph whose nodes are at their distance from the first ones.
fn graph(
    spec: &(ParsedSpec, String),
    parents: &[usize],
    others: &[(usize, usize)],
    session: bool,
) -> Exploration {
    let mut found = Exploration::default();
    let names = ["a!m", "b?a long name of a message that goes on and on and on", "{a!m, b?m}"];
    let root = if session { None } else { Some(spec.0.interaction.clone()) };
    found.nodes.push(node(root, &spec.1, 0));
    for (at, parent) in parents.iter().enumerate() {
        let from = parent % found.nodes.len();
        let interaction = (at % 3 > 0).then(|| spec.0.interaction.clone());
        let mut next = node(interaction, &spec.1, found.nodes[from].depth + 1);
        next.reached_by = Some(found.branches.len());
        if at.is_multiple_of(4) {
            let actions = vec!["a!<cut>".to_owned(); at + 1];
            next.cuts.push(Cut { reason: CutReason::Depth, actions });
        }
        let to = found.nodes.len();
        found.nodes.push(next);
        found.branches.push(Branch { from, to, action: names[at % 3].to_owned() });
    }
    for (from, to) in others {
        let (from, to) = (from % found.nodes.len(), to % found.nodes.len());
        if found.nodes[to].depth <= found.nodes[from].depth + 1 {
            found.branches.push(Branch { from, to, action: "c!more".to_owned() });
        }
    }
    if session {
        let locations = vec!["a".to_owned(), "b,c".to_owned()];
        found.session = Some(AnalyzedSession { id: "s<1>".to_owned(), locations });
        for (at, node) in found.nodes.iter_mut().enumerate() {
            node.logs = vec![vec!["a!m".to_owned(); at], Vec::new()];
            let ends = [PathEnd::Covered, PathEnd::Out, PathEnd::TooShort];
            node.end = ends.get(at % 5).copied();
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_overlaps(
        which in 0usize..4,
        parents in proptest::collection::vec(0usize..40, 0..24),
        others in proptest::collection::vec((0usize..40, 0usize..40), 0..8),
        session in any::<bool>(),
    ) {
        let spec = &terms()[which];
        let exploration = graph(spec, &parents, &others, session);
        let signature = &spec.0.signature;
        let locations = Locations::discrete(signature);
        let picture = ExplorationPicture {
            exploration: &exploration, signature, locations: &locations, labels: &[], title: "t",
        };
        let metrics = Metrics::PIXELS;
        check_layout(&draw(&picture, &metrics), pixels, metrics.line);
        let plan = Plan::new(&picture, &metrics, 0);
        let labels = plan.labels(&metrics).into_iter().map(|(_, area)| area);
        check_apart(&plan.areas().into_iter().chain(labels).collect::<Vec<_>>());
        let svg = exploration_svg(&picture, SvgOptions::default());
        check_svg(&svg);
        prop_assert_eq!(svg, exploration_svg(&picture, SvgOptions::default()));
        prop_assert_eq!(exploration_dot(&picture), exploration_dot(&picture));
    }
}

#[test]
fn dot_has_terms_actions_and_cuts() {
    let spec = &terms()[1];
    let exploration = graph(spec, &[0], &[(1, 0)], false);
    let signature = &spec.0.signature;
    let picture = ExplorationPicture {
        exploration: &exploration,
        signature,
        locations: &Locations::discrete(signature),
        labels: &[],
        title: "",
    };
    let expected = "\
digraph {
  node [shape=box];
  labelloc=t;
  label=\"not followed: 1 action at 1 node (depth)\";
  0 [label=\"0\\na -- hello -> b\", peripheries=2];
  1 [label=\"1\\na -- hello -> b\\n… a!<cut> (depth)\"];
  0 -> 1 [label=\"a!m\"];
  1 -> 0 [label=\"c!more\"];
}
";
    assert_eq!(exploration_dot(&picture), expected);
}
