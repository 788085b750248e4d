//! Marks in the diagram of an interaction.

use crate::explanation::{EventExplanation, EventState, Explanation, LocationExplanation};
use crate::finding::Finding;
use crate::paint::Tone;
use multitrace_formats::source::Span;
use multitrace_interaction::coverage::{Item, ItemKind, Repetition};
use multitrace_interaction::{ActionKind, Id, Interaction, MessageId, Node, NodeId, Signature};
use std::collections::{BTreeMap, BTreeSet};

/// A mark: a colour and a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The colour.
    pub tone: Tone,
    /// The text beside it, such as a count or `possible here`; or empty.
    pub note: String,
}

impl Mark {
    /// A mark with a note.
    pub fn new(tone: Tone, note: impl Into<String>) -> Mark {
        Mark { tone, note: note.into() }
    }
}

/// Between the notes of a part.
const SEPARATOR: &str = "; ";

/// An event wherever it stands in the interaction, or at one of its nodes.
type EventPlace<'a> = (&'a str, Option<u32>);

/// By event, its colour and its notes.
type EventMarks<'a> = BTreeMap<EventPlace<'a>, (Tone, Vec<String>)>;

/// Adds a note on an event, each once.
fn add_to<'a>(marks: &mut EventMarks<'a>, event: EventPlace<'a>, tone: Tone, note: String) {
    let (worst_so_far, notes) = marks.entry(event).or_default();
    *worst_so_far = worst(*worst_so_far, tone);
    if !notes.contains(&note) {
        notes.push(note);
    }
}

impl Mark {
    /// Adds another mark of the same part: all notes, each once, and the colour that matters more.
    pub(crate) fn add(&mut self, other: &Mark) {
        self.tone = worst(self.tone, other.tone);
        if other.note.is_empty() || self.note.split(SEPARATOR).any(|it| it == other.note) {
            return;
        }
        let comma = if self.note.is_empty() { "" } else { SEPARATOR };
        self.note = format!("{}{comma}{}", self.note, other.note);
    }
}

/// The marks of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Of messages and steps, by any of the nodes they consist of; of operators, by their node.
    pub nodes: BTreeMap<NodeId, Mark>,
    /// Of operands of an operator, by the node of the operand.
    pub operands: BTreeMap<NodeId, Mark>,
    /// Of texts without a meaning in a drawn diagram, by the place of the note, or of the line with the condition.
    pub texts: BTreeMap<Span, Mark>,
}

/// How often a part was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The part.
    pub item: Item,
    /// How many sessions took it.
    pub sessions: u64,
    /// None took it, but some could have.
    pub is_ambiguous: bool,
}

impl Taken {
    fn mark(&self) -> Mark {
        match (self.sessions, self.is_ambiguous) {
            (0, true) => Mark::new(Tone::Doubtful, "ambiguous"),
            (0, false) => Mark::new(Tone::Doubtful, "never"),
            (sessions, _) => Mark::new(Tone::Good, sessions.to_string()),
        }
    }
}

impl Overlay {
    /// Marks for the parts of an interaction that were taken.
    ///
    /// ```
    /// use multitrace_interaction::NodeId;
    /// use multitrace_interaction::coverage::{Item, ItemKind};
    /// use multitrace_reports::pictures::overlay::{Overlay, Taken};
    /// let item = Item { node: NodeId::ZERO, kind: ItemKind::Message };
    /// let overlay = Overlay::of_coverage([Taken { item, sessions: 3, is_ambiguous: false }]);
    /// assert_eq!(overlay.nodes[&NodeId::ZERO].note, "3");
    /// ```
    pub fn of_coverage(taken: impl IntoIterator<Item = Taken>) -> Overlay {
        let mut overlay = Overlay::default();
        for part in taken {
            let Item { node, kind } = part.item;
            match kind {
                ItemKind::Message => drop(overlay.nodes.insert(node, part.mark())),
                ItemKind::Operand { .. } => drop(overlay.operands.insert(node, part.mark())),
                ItemKind::Loop(repetition) => overlay.add_loop(node, repetition, part.mark()),
            }
        }
        overlay
    }

    /// The same with the events of findings marked, each with the number of sessions it is wrong in: the
    /// events that cannot be where they are, or else those that are missing.
    #[must_use]
    pub fn with_findings<'f>(
        mut self,
        interaction: &Interaction,
        signature: &Signature,
        findings: impl IntoIterator<Item = (&'f Finding, u64)>,
    ) -> Overlay {
        let mut counts: BTreeMap<EventPlace<'_>, [u64; 2]> = BTreeMap::new();
        for (finding, sessions) in findings {
            if let Some((event, is_missing)) = occurrence(finding) {
                counts.entry(event).or_default()[usize::from(is_missing)] += sessions;
                continue;
            }
            let wrong = finding.wrong_events();
            let which = usize::from(wrong.is_empty());
            let missing = if wrong.is_empty() { &finding.expected[..] } else { &[] };
            for event in wrong.into_iter().chain(missing.iter().map(String::as_str)) {
                counts.entry((event, None)).or_default()[which] += sessions;
            }
        }
        let mut marks = EventMarks::new();
        for (event, [wrong, missing]) in counts {
            for (count, word) in [(wrong, "wrong"), (missing, "missing")] {
                if count > 0 {
                    add_to(&mut marks, event, Tone::Bad, format!("{count} {word}"));
                }
            }
        }
        self.mark_events(interaction, signature, &marks);
        self
    }

    /// The same with a mark on each of these events, wherever it stands.
    #[must_use]
    pub fn with_events(
        mut self,
        interaction: &Interaction,
        signature: &Signature,
        events: &[String],
        mark: &Mark,
    ) -> Overlay {
        for (index, node) in interaction.nodes().iter().enumerate() {
            let Node::Step(step) = node else { continue };
            let mut texts = step.actions().iter().map(|it| signature.action_text(*it));
            if texts.any(|text| events.contains(&text)) {
                self.nodes.entry(NodeId::new(index)).or_default().add(mark);
            }
        }
        self
    }

    /// Marks for a session: which events it has that are explained and how often, which are wrong or
    /// missing, and which are not reached. A fault is marked where the repaired session goes through it, any other event
    /// wherever it stands in the interaction.
    pub fn of_session(
        interaction: &Interaction,
        signature: &Signature,
        session: &Explanation,
        findings: &[Finding],
    ) -> Overlay {
        let has_faults = findings.iter().any(|it| it.fault.is_some());
        // A repair explains all events of a log without a fault.
        let state = |location: &LocationExplanation, event: &EventExplanation| match event.state {
            _ if findings.is_empty() => EventState::Explained,
            EventState::NotReached | EventState::NotExamined if has_faults && !location.blamed => {
                EventState::Explained
            }
            state => state,
        };
        let mut events: Vec<(EventState, &EventExplanation)> = Vec::new();
        for location in &session.locations {
            events.extend(location.log.iter().map(|event| (state(location, event), event)));
        }
        let is_explained = |it: &&(EventState, &EventExplanation)| it.0 == EventState::Explained;
        let mut explained: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, event) in events.iter().filter(is_explained) {
            *explained.entry(&event.event).or_default() += 1;
        }
        let mut marks = EventMarks::new();
        let located: Vec<&str> = findings.iter().filter_map(occurrence).map(|it| it.0.0).collect();
        let is_located = |it: &EventExplanation| located.contains(&it.event.as_str());
        for (state, event) in events.iter().filter(|it| !is_located(it.1)) {
            let (tone, note) = match state {
                EventState::Blocked => (Tone::Bad, "wrong"),
                EventState::NotReached => (Tone::Accent, "not reached"),
                EventState::Explained | EventState::NotExamined => continue,
            };
            add_to(&mut marks, (&event.event, None), tone, note.to_owned());
        }
        for (event, count) in explained {
            add_to(&mut marks, (event, None), Tone::Good, format!("{count}×"));
        }
        for finding in findings {
            if let Some((event, is_missing)) = occurrence(finding) {
                let note = if is_missing { "missing" } else { "wrong" };
                add_to(&mut marks, event, Tone::Bad, note.to_owned());
                continue;
            }
            let missing = match &finding.fault {
                Some(fault) if fault.is_missing => finding.event.iter(),
                Some(fault) => fault.other.iter(),
                None => None.iter(),
            };
            let is_end = finding.fault.is_none() && finding.wrong_events().is_empty();
            let expected = finding.expected.iter().filter(|_| is_end);
            for event in missing.chain(expected) {
                add_to(&mut marks, (event, None), Tone::Bad, "missing".to_owned());
            }
        }
        let mut overlay = Overlay::default();
        overlay.mark_events(interaction, signature, &marks);
        overlay
    }

    /// Marks events wherever they stand, and says which half of a message each is.
    fn mark_events(
        &mut self,
        interaction: &Interaction,
        signature: &Signature,
        marks: &EventMarks<'_>,
    ) {
        let actions = interaction.actions();
        let receptions = actions.filter(|it| it.kind == ActionKind::Reception);
        let received: BTreeSet<MessageId> = receptions.map(|it| it.message).collect();
        for (index, node) in interaction.nodes().iter().enumerate() {
            let Node::Step(step) = node else { continue };
            for action in step.actions() {
                let text = signature.action_text(*action);
                let half = match action.kind {
                    // It has no other half.
                    ActionKind::Emission if !received.contains(&action.message) => "",
                    ActionKind::Emission => "sent ",
                    ActionKind::Reception => "received ",
                };
                let places = [Some(index as u32), None].map(|place| (text.as_str(), place));
                let found: Vec<_> = places.iter().filter_map(|place| marks.get(place)).collect();
                if found.is_empty() {
                    continue;
                }
                let tone = found.iter().fold(Tone::Plain, |all, (tone, _)| worst(all, *tone));
                let notes: Vec<&str> =
                    found.iter().flat_map(|(_, notes)| notes).map(String::as_str).collect();
                let mark = Mark::new(tone, format!("{half}{}", notes.join(", ")));
                self.nodes.entry(NodeId::new(index)).or_default().add(&mark);
            }
        }
    }

    /// A loop has a mark for zero, one and more repetitions: its colour is that of the worst.
    fn add_loop(&mut self, node: NodeId, repetition: Repetition, mark: Mark) {
        let times = match repetition {
            Repetition::Zero => "0 times",
            Repetition::Once => "1",
            Repetition::More => "more",
        };
        let note = format!("{times}: {}", mark.note);
        let Some(all) = self.nodes.get_mut(&node) else {
            self.nodes.insert(node, Mark::new(mark.tone, note));
            return;
        };
        all.note = format!("{}, {note}", all.note);
        all.tone = worst(all.tone, mark.tone);
    }
}

/// The event of a fault at the only place that it is about, and whether it is missing there; `None` if the place is not
/// known.
fn occurrence(finding: &Finding) -> Option<(EventPlace<'_>, bool)> {
    let fault = finding.fault.as_ref()?;
    let (event, is_missing) = fault.event_there(finding.event.as_ref());
    Some(((event?, Some(fault.node?)), is_missing))
}

/// The tone that matters more.
pub(crate) fn worst(a: Tone, b: Tone) -> Tone {
    let rank = |tone| match tone {
        Tone::Plain => 0,
        Tone::Soft => 1,
        Tone::Good => 2,
        Tone::Accent => 3,
        Tone::Doubtful => 4,
        Tone::Bad => 5,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_as_bad_as_its_worst() {
        let taken = |repetition, sessions, is_ambiguous| Taken {
            item: Item { node: NodeId::ZERO, kind: ItemKind::Loop(repetition) },
            sessions,
            is_ambiguous,
        };
        let overlay = Overlay::of_coverage([
            taken(Repetition::Zero, 2, false),
            taken(Repetition::Once, 0, true),
            taken(Repetition::More, 0, false),
        ]);
        let mark = Mark::new(Tone::Doubtful, "0 times: 2, 1: ambiguous, more: never");
        assert_eq!(overlay.nodes[&NodeId::ZERO], mark);
    }
}
