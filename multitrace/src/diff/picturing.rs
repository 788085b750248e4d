//! Two specifications as pictures beside each other, with their difference marked.

use super::SpecDiff;
use super::inclusion::{Difference, Inclusion};
use super::joint::Pair;
use crate::monitor::Monitor;
use multitrace_reports::pictures::overlay::{Mark, Overlay};
use multitrace_reports::pictures::{Picture, Tone};

#[doc(hidden)]
impl SpecDiff {
    /// The old specification and the new one, each with a caption, once for each way in which they differ, or only once: where
    /// a session of one only leaves the other is marked in both, in the other all that is wrong with the session, and in each
    /// every message that the other does not have.
    pub fn pictures(
        &self,
        monitors: &Pair<Monitor>,
        names: &Pair<String>,
    ) -> Vec<Vec<(String, Picture)>> {
        let ways = [&self.old_in_new, &self.new_in_old].into_iter().enumerate();
        let refuted = ways.filter_map(|(accepting, way)| match way {
            Inclusion::Refuted(found) => Some((accepting, &**found)),
            _ => None,
        });
        let mut rows: Vec<_> = refuted.map(Some).collect();
        if rows.is_empty() {
            rows.push(None);
        }
        let side = |side: usize, found: Option<(usize, &Difference)>| {
            let (monitor, name) = (&monitors[side], &names[side]);
            let (caption, overlay) = match found {
                None => (name.clone(), Overlay::default()),
                Some((accepting, found)) if accepting == side => {
                    (format!("accepted by {name} only"), found.marks_where_accepted())
                }
                Some((_, found)) => {
                    (format!("refused by {name}"), found.marks_where_refused(monitor))
                }
            };
            (caption, monitor.drawn(&self.with_own_messages(side, overlay, monitor)))
        };
        rows.into_iter().map(|found| vec![side(0, found), side(1, found)]).collect()
    }

    /// Marks the messages that only this side has.
    fn with_own_messages(&self, side: usize, overlay: Overlay, monitor: &Monitor) -> Overlay {
        let Some((signature, interaction)) = monitor.interaction() else { return overlay };
        let mark = Mark::new(Tone::Accent, "only here");
        overlay.with_events(interaction, signature, &self.signature.letters[side], &mark)
    }
}

impl Difference {
    fn marks_where_accepted(&self) -> Overlay {
        let mut overlay = Overlay::default();
        if let Some(node) = self.own_node {
            overlay.nodes.insert(node, Mark::new(Tone::Good, "accepted here"));
        }
        overlay
    }

    fn marks_where_refused(&self, monitor: &Monitor) -> Overlay {
        let Some((signature, interaction)) = monitor.interaction() else {
            return Overlay::default();
        };
        let findings = self.findings.iter().map(|it| (it, 1));
        Overlay::default().with_findings(interaction, signature, findings)
    }
}
