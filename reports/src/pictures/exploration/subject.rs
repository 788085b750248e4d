//! The subject of a picture of an exploration.

use crate::exploration::{AnalysisVerdict, Exploration, PathEnd};
use crate::pictures::drawing::Tone;
use multitrace_interaction::{Locations, Signature};

/// The most nodes that are drawn: more fit no page.
pub const MOST_NODES: usize = 1_000;

/// The subject of a picture of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationPicture<'a> {
    /// The exploration.
    pub exploration: &'a Exploration,
    /// The lifelines and messages of the specification.
    pub signature: &'a Signature,
    /// Which lifelines one clock logs.
    pub locations: &'a Locations,
    /// The labels at the heads of the lifelines, as in [`Diagram`](crate::pictures::diagram::Diagram).
    pub labels: &'a [String],
    /// The title; none if it is empty.
    pub title: &'a str,
}

impl ExplorationPicture<'_> {
    /// How many nodes are drawn: the first ones.
    pub(crate) fn shown(&self) -> usize {
        self.exploration.nodes.len().min(MOST_NODES)
    }

    /// The lines above the picture, beside its title.
    pub(crate) fn remarks(&self) -> Vec<(String, Tone)> {
        let exploration = self.exploration;
        let mut remarks = Vec::new();
        if !exploration.after.is_empty() {
            remarks.push((format!("after {}", exploration.after.join(".")), Tone::Plain));
        }
        if let (Some(session), Some(verdict)) = (&exploration.session, exploration.verdict()) {
            let tone = match verdict {
                AnalysisVerdict::Pass => Tone::Good,
                AnalysisVerdict::Fail => Tone::Bad,
                AnalysisVerdict::Inconclusive => Tone::Doubtful,
            };
            remarks.push((format!("session {}: {}", session.id, verdict.describe()), tone));
        }
        let cuts = exploration.cut_totals();
        if !cuts.is_empty() {
            let cuts: Vec<String> = cuts.iter().map(|it| it.describe()).collect();
            remarks.push((format!("not followed: {}", cuts.join(", ")), Tone::Soft));
        }
        let left_out = exploration.nodes.len() - self.shown();
        if left_out > 0 {
            remarks.push((format!("not drawn: {left_out} nodes more"), Tone::Soft));
        }
        remarks
    }
}

/// The colour of an end.
pub(crate) fn tone_of(end: PathEnd) -> Tone {
    if end == PathEnd::Covered { Tone::Good } else { Tone::Bad }
}
