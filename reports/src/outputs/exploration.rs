//! An execution tree or an analysis graph, as text for a terminal and as JSON.

use crate::exploration::{
    AnalysisVerdict, Branch, Cut, CutTotal, Exploration, ExploredNode, PathEnd,
};
use crate::json_text::write_pretty;
use crate::outputs::explain::Layout;
use crate::outputs::table::cut;
use crate::paint::Paint;
use crate::paint::Tone;
use crate::text::counted;
use multitrace_formats::shorten::visible;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The least cells for a term, however deep it stands.
const LEAST_TERM: usize = 24;

/// Writes the tree: one line for each step, with the term that remains after it. Where there is one way to go on, it
/// stands below without an indent.
///
/// # Errors
/// When `out` takes no more.
pub fn write_exploration(
    exploration: &Exploration,
    layout: Layout,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !exploration.after.is_empty() {
        writeln!(out, "after {}", visible(&exploration.after.join(".")))?;
    }
    let mut tree = Tree { exploration, branches: exploration.branches_of(), layout, out };
    let roots = exploration.nodes.iter().enumerate().filter(|(_, it)| it.reached_by.is_none());
    for (root, _) in roots {
        tree.write(root)?;
    }
    write_totals(exploration, layout.paint, out)
}

fn write_totals(exploration: &Exploration, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let (nodes, steps) = (exploration.nodes.len(), exploration.branches.len());
    let (nodes, steps) = (counted(nodes as u64, "node"), counted(steps as u64, "step"));
    writeln!(out, "\n{nodes}, {steps}")?;
    for total in exploration.cut_totals() {
        writeln!(out, "not followed: {}", total.describe())?;
    }
    if let (Some(session), Some(verdict)) = (&exploration.session, exploration.verdict()) {
        let tone = match verdict {
            AnalysisVerdict::Pass => Tone::Good,
            AnalysisVerdict::Fail => Tone::Bad,
            AnalysisVerdict::Inconclusive => Tone::Doubtful,
        };
        let text = paint.toned(tone, verdict.describe());
        writeln!(out, "session {}: {text}", visible(&session.id))?;
    }
    Ok(())
}

struct Tree<'a> {
    exploration: &'a Exploration,
    branches: Vec<Vec<usize>>,
    layout: Layout,
    out: &'a mut dyn Write,
}

/// A line or a branch that is left to write.
enum Task {
    /// The step that leads to a node, and the lines below it.
    Branch { branch: usize, indent: String, last: Option<bool> },
    /// A line below a node.
    Note { text: String, tone: Tone, indent: String, last: Option<bool> },
}

impl Tree<'_> {
    fn write(&mut self, root: usize) -> io::Result<()> {
        self.write_node(root, "", "")?;
        let mut todo = self.below(root, "");
        while let Some(task) = todo.pop() {
            match task {
                Task::Note { text, tone, indent, last } => {
                    let room = self.room(&indent, last);
                    let text = self.layout.paint.toned(tone, &cut(&visible(&text), room));
                    writeln!(self.out, "{indent}{}{text}", connector(last))?;
                }
                Task::Branch { branch, indent, last } => {
                    let at = &self.exploration.branches[branch];
                    let start = format!("{indent}{}", connector(last));
                    let is_first_way = self.exploration.nodes[at.to].reached_by == Some(branch);
                    if is_first_way {
                        self.write_node(at.to, &start, &at.action)?;
                        let inner = match last {
                            None => indent,
                            Some(false) => indent + "│  ",
                            Some(true) => indent + "   ",
                        };
                        todo.extend(self.below(at.to, &inner));
                    } else {
                        writeln!(self.out, "{start}{} → [{}]", visible(&at.action), at.to)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The lines and branches below a node, last first.
    fn below(&self, node: usize, indent: &str) -> Vec<Task> {
        let steps = self.branches[node].clone();
        let notes = notes(self.exploration, node);
        let count = steps.len() + notes.len();
        let last = |rank: usize| (count > 1).then_some(rank + 1 == count);
        let indent = indent.to_owned();
        let ways = steps.len();
        let steps = steps.into_iter().enumerate().map(|(rank, branch)| Task::Branch {
            branch,
            indent: indent.clone(),
            last: last(rank),
        });
        let notes = notes.into_iter().enumerate().map(|(rank, (text, tone))| Task::Note {
            text,
            tone,
            indent: indent.clone(),
            last: last(ways + rank),
        });
        let mut tasks: Vec<Task> = steps.chain(notes).collect();
        tasks.reverse();
        tasks
    }

    fn room(&self, indent: &str, last: Option<bool>) -> usize {
        let used = indent.chars().count() + connector(last).chars().count();
        self.layout.width.saturating_sub(used).max(LEAST_TERM)
    }

    fn write_node(&mut self, id: usize, start: &str, action: &str) -> io::Result<()> {
        let node = &self.exploration.nodes[id];
        let paint = self.layout.paint;
        let action = visible(action);
        let head = if action.is_empty() { String::new() } else { format!("{action}  ") };
        let (number, end) = (format!("[{id}]"), if node.can_end { "  (can end)" } else { "" });
        let used = [start, &head, &number, end].map(|it| it.chars().count()).iter().sum::<usize>();
        let room = self.layout.width.saturating_sub(used + 1).max(LEAST_TERM);
        let term = if node.term == "o" {
            "nothing remains".to_owned()
        } else {
            cut(&visible(&node.term), room)
        };
        let head = paint.bold(&head);
        let (number, end) = (paint.dim(&number), paint.good(end));
        writeln!(self.out, "{start}{head}{number} {term}{end}")
    }
}

fn connector(last: Option<bool>) -> &'static str {
    match last {
        None => "",
        Some(false) => "├─ ",
        Some(true) => "└─ ",
    }
}

/// How a path ends at a node, and the steps that are not followed from there.
fn notes(exploration: &Exploration, id: usize) -> Vec<(String, Tone)> {
    let node = &exploration.nodes[id];
    let mut notes = Vec::new();
    if let Some(end) = node.end {
        let tone = if end == PathEnd::Covered { Tone::Good } else { Tone::Bad };
        notes.push((end.describe().to_owned(), tone));
        let left = exploration.remaining(id).into_iter().filter(|(_, events)| !events.is_empty());
        notes.extend(left.map(|(name, events)| (format!("left at {name}: {events}"), Tone::Plain)));
    }
    for cut in &node.cuts {
        let actions = if cut.actions.is_empty() { "?".to_owned() } else { cut.actions.join(", ") };
        notes.push((format!("… {actions} ({})", cut.reason.describe()), Tone::Soft));
    }
    notes
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    after: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<AnalysisVerdict>,
    nodes: Vec<NodeObject<'a>>,
    branches: &'a [Branch],
    cut: Vec<CutTotal>,
}

#[derive(Serialize)]
struct NodeObject<'a> {
    id: usize,
    parent: Option<usize>,
    action: Option<&'a str>,
    depth: usize,
    loops: u32,
    term: &'a str,
    can_end: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<BTreeMap<&'a str, &'a [String]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<PathEnd>,
    cut: &'a [Cut],
}

/// Writes one JSON object.
///
/// # Errors
/// When `out` takes no more.
pub fn write_exploration_json(exploration: &Exploration, out: &mut dyn Write) -> io::Result<()> {
    let node = |(id, node)| node_object(exploration, id, node);
    let object = Object {
        kind: "exploration",
        after: &exploration.after,
        session: exploration.session.as_ref().map(|it| it.id.as_str()),
        verdict: exploration.verdict(),
        nodes: exploration.nodes.iter().enumerate().map(node).collect(),
        branches: &exploration.branches,
        cut: exploration.cut_totals(),
    };
    write_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn node_object<'a>(
    exploration: &'a Exploration,
    id: usize,
    node: &'a ExploredNode,
) -> NodeObject<'a> {
    let reached_by = node.reached_by.map(|branch| &exploration.branches[branch]);
    let names = exploration.session.as_ref().map(|it| it.locations.iter().map(String::as_str));
    let logs = node.logs.iter().map(Vec::as_slice);
    NodeObject {
        id,
        parent: reached_by.map(|it| it.from),
        action: reached_by.map(|it| it.action.as_str()),
        depth: node.depth,
        loops: node.loops,
        term: &node.term,
        can_end: node.can_end,
        logs: names.map(|names| names.zip(logs).collect()),
        end: node.end,
        cut: &node.cuts,
    }
}
