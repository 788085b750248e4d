//! Explorations in the language of Graphviz.

use crate::exploration::ExploredNode;
use crate::pictures::drawing::Tone;
use crate::pictures::exploration::subject::{ExplorationPicture, tone_of};
use crate::pictures::measure::{self, Label};

/// The most characters of a line of a label.
const LINE: usize = 60;
/// The most characters of a term.
const TERM: usize = 240;

/// An exploration as DOT, with the term that remains in each node. Two borders mean that a trace may end.
/// Of very many nodes the first are drawn, and the others counted.
///
/// ```
/// use multitrace_interaction::{Locations, Signature};
/// use multitrace_reports::exploration::Exploration;
/// use multitrace_reports::pictures::exploration::{ExplorationPicture, exploration_dot};
/// let signature = Signature::default();
/// let picture = ExplorationPicture {
///     exploration: &Exploration::default(),
///     signature: &signature,
///     locations: &Locations::discrete(&signature),
///     labels: &[],
///     title: "nothing",
/// };
/// assert!(exploration_dot(&picture).starts_with("digraph {\n"));
/// ```
pub fn exploration_dot(picture: &ExplorationPicture<'_>) -> String {
    let mut out = "digraph {\n  node [shape=box];\n".to_owned();
    let mut heading = vec![Label::new(picture.title, LINE * 2).shown];
    heading
        .extend(picture.remarks().into_iter().map(|(text, _)| Label::new(&text, LINE * 2).shown));
    heading.retain(|line| !line.is_empty());
    if !heading.is_empty() {
        out.push_str(&format!("  labelloc=t;\n  label={};\n", quoted(&heading)));
    }
    let shown = picture.shown();
    for (id, node) in picture.exploration.nodes[..shown].iter().enumerate() {
        let borders = if node.can_end { ", peripheries=2" } else { "" };
        let color = match node.end.map(tone_of) {
            Some(Tone::Good) => ", color=darkgreen",
            Some(_) => ", color=red",
            None => "",
        };
        let label = quoted(&lines(picture, id, node));
        out.push_str(&format!("  {id} [label={label}{borders}{color}];\n"));
    }
    for branch in &picture.exploration.branches {
        if branch.from < shown && branch.to < shown {
            let action = quoted(&[Label::new(&branch.action, LINE).shown]);
            out.push_str(&format!("  {} -> {} [label={action}];\n", branch.from, branch.to));
        }
    }
    out + "}\n"
}

fn lines(picture: &ExplorationPicture<'_>, id: usize, node: &ExploredNode) -> Vec<String> {
    let mut lines = vec![id.to_string()];
    lines.extend(measure::lines(&Label::new(&node.term, TERM).shown, LINE));
    for (name, rest) in picture.exploration.remaining(id) {
        let rest = if rest.is_empty() { "all read" } else { &rest };
        lines.push(Label::new(&format!("{name}: {rest}"), LINE).shown);
    }
    lines.extend(node.end.map(|end| end.describe().to_owned()));
    for cut in &node.cuts {
        let actions = Label::new(&cut.actions.join(", "), LINE).shown;
        lines.push(format!("… {actions} ({})", cut.reason.describe()));
    }
    lines
}

/// Lines between quotes.
fn quoted(lines: &[String]) -> String {
    let escaped = |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", lines.iter().map(escaped).collect::<Vec<_>>().join("\\n"))
}
