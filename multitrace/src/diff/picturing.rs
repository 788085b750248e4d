//! Two specifications as pictures beside each other, with their difference marked.

use super::SpecDiff;
use super::inclusion::{Difference, Inclusion};
use super::joint::Pair;
use crate::monitor::Monitor;
use multitrace_formats::diagram::model::Statement;
use multitrace_formats::source::Span;
use multitrace_reports::pictures::overlay::{Mark, Overlay};
use multitrace_reports::pictures::{Picture, Tone};
use std::collections::HashSet;

#[doc(hidden)]
impl SpecDiff {
    /// The old specification and the new one, each with a caption, once for each way in which they differ, or only once: where
    /// a session of one only leaves the other is marked in both, in the other all that is wrong with the session, and in each
    /// every message, note and condition that the other does not have.
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
        let own = own_texts(monitors);
        let side = |side: usize, found: Option<(usize, &Difference)>| {
            let (monitor, name) = (&monitors[side], &names[side]);
            let (caption, mut overlay) = match found {
                None => (name.clone(), Overlay::default()),
                Some((accepting, found)) if accepting == side => {
                    (format!("accepted by {name} only"), found.marks_where_accepted())
                }
                Some((_, found)) => {
                    (format!("refused by {name}"), found.marks_where_refused(monitor))
                }
            };
            let mark = || Mark::new(Tone::Accent, "only here");
            overlay.texts = own[side].iter().map(|place| (*place, mark())).collect();
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

/// Where the notes and the conditions stand that only one of the diagrams has.
fn own_texts(monitors: &Pair<Monitor>) -> Pair<Vec<Span>> {
    let documents = monitors.each_ref().map(Monitor::document);
    let [Some((old, _)), Some((new, _))] = &documents else { return Pair::default() };
    let texts = [old, new].map(|diagram| {
        let mut texts = Vec::new();
        add_texts(&diagram.body, &mut texts);
        texts
    });
    let known = texts.each_ref().map(|it| it.iter().map(|(text, _)| text).collect::<HashSet<_>>());
    [0, 1].map(|side| {
        let own = texts[side].iter().filter(|(text, _)| !known[1 - side].contains(text));
        own.map(|(_, place)| *place).collect()
    })
}

fn add_texts(body: &[Statement], texts: &mut Vec<(String, Span)>) {
    for statement in body {
        match statement {
            Statement::Note(note) | Statement::Reference(note) => {
                texts.push((note.text.clone(), note.span));
            }
            Statement::Fragment(fragment) => {
                for operand in &fragment.operands {
                    texts.push((operand.text.clone(), operand.header));
                    add_texts(&operand.body, texts);
                }
            }
            Statement::Message(_) | Statement::Directive(_) | Statement::Mark(_) => {}
        }
    }
}
