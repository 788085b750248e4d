//! The execution of an interaction, step by step: the nodes and branches of an execution tree, or of the analysis graph
//! of one session (papers 000 sec. 3.2 and 001 sec. 4).

use crate::text::counted;
use multitrace_interaction::Interaction;
use serde::Serialize;

/// An execution tree, a graph if equal terms are merged, or the analysis graph of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exploration {
    /// The actions that came before the first nodes.
    pub after: Vec<String>,
    /// The nodes, in the order in which they were found. A node without a parent is a first one; there
    /// are several if the actions before can happen in several ways.
    pub nodes: Vec<ExploredNode>,
    /// The branches from a node to another, in the order in which they were found.
    pub branches: Vec<Branch>,
    /// The session, if this is its analysis graph.
    pub session: Option<AnalyzedSession>,
}

/// An interaction that remains, and how it was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploredNode {
    /// The interaction that remains; `None` if it is too large to be written out.
    pub interaction: Option<Interaction>,
    /// The same as text on one line, or its size.
    pub term: String,
    /// The least number of steps to get here.
    pub depth: usize,
    /// How many repetitions of loops were begun on the way here.
    pub loops: u32,
    /// The branch that it was first reached by; `None` for a first node.
    pub reached_by: Option<usize>,
    /// Whether a trace may end here.
    pub can_end: bool,
    /// The next actions that are possible and not followed.
    pub cuts: Vec<Cut>,
    /// The rest of each log of the session.
    pub logs: Vec<Vec<String>>,
    /// How the analysis of the session ends here, if it does.
    pub end: Option<PathEnd>,
}

/// A step from a node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The node before it.
    pub from: usize,
    /// The node after it.
    pub to: usize,
    /// The action that happens.
    pub action: String,
}

/// Actions that could happen next and are not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Why.
    pub reason: CutReason,
    /// The actions; empty if even they are unknown.
    pub actions: Vec<String>,
}

/// Why actions are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CutReason {
    /// They are deeper than the limit.
    Depth,
    /// There are as many nodes as the limit allows.
    Nodes,
    /// They begin more repetitions of loops than the limit allows.
    Loops,
    /// They happen at lifelines that were not asked for.
    Only,
    /// The search ended with the first path that covers the session.
    First,
    /// It took too much work to find them.
    Work,
}

impl CutReason {
    /// Every reason.
    pub const ALL: [CutReason; 6] = [
        CutReason::Depth,
        CutReason::Nodes,
        CutReason::Loops,
        CutReason::Only,
        CutReason::First,
        CutReason::Work,
    ];

    /// The reason in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            CutReason::Depth => "depth",
            CutReason::Nodes => "number of nodes",
            CutReason::Loops => "repetitions of loops",
            CutReason::Only => "other lifelines",
            CutReason::First => "a path was found",
            CutReason::Work => "too much work",
        }
    }
}

/// How a path of the analysis of a session ends (001 def. 11 and sec. 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathEnd {
    /// `Cov`: all events are explained, and the interaction can end.
    Covered,
    /// `TooShort`: all events are explained, but the interaction cannot end.
    TooShort,
    /// `LackObs`: no event that remains can happen next, and some log has ended.
    LackOfObservation,
    /// `Out`: no event that remains can happen next, and no log has ended.
    Out,
}

impl PathEnd {
    /// The end in plain words.
    pub fn describe(self) -> &'static str {
        match self {
            PathEnd::Covered => "covered: all events are explained, and the interaction can end",
            PathEnd::TooShort => "not covered: all events are explained, but more must happen",
            PathEnd::LackOfObservation => {
                "not covered: no event that remains can happen next (a log has ended)"
            }
            PathEnd::Out => "not covered: no event that remains can happen next",
        }
    }
}

/// The session of an analysis graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalyzedSession {
    /// The name of the session in the input.
    pub id: String,
    /// The names of its logs, in the order of [`ExploredNode::logs`].
    pub locations: Vec<String>,
}

/// The result of an analysis graph for its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnalysisVerdict {
    /// A path covers the session.
    Pass,
    /// No path covers it.
    Fail,
    /// No path that was followed covers it, and some were cut.
    Inconclusive,
}

impl AnalysisVerdict {
    /// The verdict as a word.
    pub fn name(self) -> &'static str {
        match self {
            AnalysisVerdict::Pass => "pass",
            AnalysisVerdict::Fail => "fail",
            AnalysisVerdict::Inconclusive => "inconclusive",
        }
    }

    /// The verdict with its reason.
    pub fn describe(self) -> &'static str {
        match self {
            AnalysisVerdict::Pass => "pass: a path covers it",
            AnalysisVerdict::Fail => "fail: no path covers it",
            AnalysisVerdict::Inconclusive => {
                "inconclusive: no path that was followed covers it, and not all were followed"
            }
        }
    }
}

impl Exploration {
    /// The rest of each log at a node, as short text: the name of the location stands once if all events begin with it.
    pub(crate) fn remaining(&self, node: usize) -> Vec<(&str, String)> {
        let names = self.session.iter().flat_map(|it| it.locations.iter().map(String::as_str));
        let text = |(name, events): (_, &Vec<String>)| (name, short_log(name, events));
        names.zip(&self.nodes[node].logs).map(text).collect()
    }

    /// The verdict of an analysis graph; `None` without a session.
    pub fn verdict(&self) -> Option<AnalysisVerdict> {
        self.session.as_ref()?;
        let is_covered = self.nodes.iter().any(|node| node.end == Some(PathEnd::Covered));
        Some(match self.is_cut() {
            _ if is_covered => AnalysisVerdict::Pass,
            true => AnalysisVerdict::Inconclusive,
            false => AnalysisVerdict::Fail,
        })
    }

    /// Whether anything is not followed.
    pub fn is_cut(&self) -> bool {
        self.nodes.iter().any(|node| !node.cuts.is_empty())
    }

    /// How many actions are not followed, and at how many nodes, by reason; only the reasons there are.
    pub fn cut_totals(&self) -> Vec<CutTotal> {
        let total = |reason| {
            let cuts =
                self.nodes.iter().flat_map(|node| &node.cuts).filter(|it| it.reason == reason);
            let start = CutTotal { reason, nodes: 0, actions: 0 };
            cuts.fold(start, |sum, cut| CutTotal {
                reason,
                nodes: sum.nodes + 1,
                actions: sum.actions + cut.actions.len(),
            })
        };
        CutReason::ALL.map(total).into_iter().filter(|total| total.nodes > 0).collect()
    }

    /// The branches that start in each node.
    pub fn branches_of(&self) -> Vec<Vec<usize>> {
        let mut of = vec![Vec::new(); self.nodes.len()];
        for (at, branch) in self.branches.iter().enumerate() {
            of[branch.from].push(at);
        }
        of
    }
}

fn short_log(name: &str, events: &[String]) -> String {
    let bare = |event: &String| {
        let rest = event.strip_prefix(name).filter(|rest| rest.starts_with(['!', '?']));
        rest.map(str::to_owned)
    };
    let short: Option<Vec<String>> = events.iter().map(bare).collect();
    short.map_or_else(|| events.join(" . "), |short| short.join(" "))
}

/// How much one limit left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CutTotal {
    /// The limit.
    pub reason: CutReason,
    /// The nodes where it did.
    pub nodes: usize,
    /// The actions there, as far as they are known.
    pub actions: usize,
}

impl CutTotal {
    /// `3 actions at 2 nodes (depth)`.
    pub fn describe(&self) -> String {
        let actions = counted(self.actions as u64, "action");
        let nodes = counted(self.nodes as u64, "node");
        match self.actions {
            0 => format!("what happens next at {nodes} ({})", self.reason.describe()),
            _ => format!("{actions} at {nodes} ({})", self.reason.describe()),
        }
    }
}
