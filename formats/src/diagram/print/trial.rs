//! Tiny diagrams, written to see the interaction that is read from them.

use super::lines::{NotationLine, Writer};
use crate::diagram::model::Diagram;
use crate::diagram::{
    Chosen, DiagramOptions, IncludeError, Notation, in_markdown, meaning, parse, parse_whole, whole,
};
use crate::hif::ParsedSpec;
use crate::locations::LocationGroup;
use crate::source::Diagnostics;
use multitrace_interaction::ActionKind;

/// The interaction and the locations of a whole text.
pub(super) fn read(
    notation: Notation,
    text: &str,
) -> Result<(ParsedSpec, Vec<LocationGroup>), Diagnostics> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let diagram = parse(text, &whole(text, notation), &no_files)?;
    meant(text, &diagram)
}

/// The label of the first participant of a text, if it can be read.
pub(super) fn label_read(notation: Notation, text: &str) -> Option<String> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let diagram = parse(text, &whole(text, notation), &no_files).ok()?;
    Some(diagram.participants.into_iter().next()?.label)
}

/// The same for the first diagram of a Markdown text, which refers to the others.
pub(super) fn read_first(text: &str) -> Result<(ParsedSpec, Vec<LocationGroup>), Diagnostics> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let found = in_markdown(text);
    meant(text, &parse_whole(text, Chosen { all: &found, at: 0 }, &no_files)?.diagram)
}

fn meant(text: &str, diagram: &Diagram) -> Result<(ParsedSpec, Vec<LocationGroup>), Diagnostics> {
    let meant = meaning::meaning(text, diagram, &DiagramOptions::default())?;
    Ok((meant.parsed, meant.locations))
}

/// An action by its names.
type Named = (String, ActionKind, String);

/// A diagram of two participants.
pub(super) struct Trial<'a> {
    pub(super) notation: Notation,
    /// A line for all of the diagram.
    pub(super) setting: Option<&'a str>,
    /// The names of the participants, and how they are written.
    pub(super) participants: [(&'a str, &'a str); 2],
    /// The names of messages, and how they are written.
    pub(super) messages: [(&'a str, &'a str); 2],
}

impl Trial<'_> {
    /// Whether the diagram is read as it is meant: each participant in each place, and then a last
    /// message, which shows that the lines before it ended.
    pub(super) fn succeeds(&self) -> bool {
        let mut writer = Writer::new(self.notation, true);
        writer.settings(self.setting);
        let [(first, a), (second, b)] = self.participants;
        writer.line(&NotationLine::Participant(a, None));
        writer.line(&NotationLine::Participant(b, None));
        let mut expected: Vec<Named> = Vec::new();
        let [(name, text), last] = self.messages;
        for (from, to, from_text, to_text) in
            [(first, second, a, b), (second, first, b, a), (first, first, a, a)]
        {
            writer.line(&NotationLine::Arrow(from_text, to_text, text));
            expected.push((from.to_owned(), ActionKind::Emission, name.to_owned()));
            expected.push((to.to_owned(), ActionKind::Reception, name.to_owned()));
        }
        writer.line(&NotationLine::Emission(a, text));
        expected.push((first.to_owned(), ActionKind::Emission, name.to_owned()));
        writer.line(&NotationLine::Reception(a, text));
        expected.push((first.to_owned(), ActionKind::Reception, name.to_owned()));
        writer.line(&NotationLine::Emission(b, last.1));
        expected.push((second.to_owned(), ActionKind::Emission, last.0.to_owned()));
        let read = read(self.notation, &writer.finish());
        read.is_ok_and(|(read, _)| actions(&read) == expected && has(&read, &[first, second]))
    }
}

fn has(read: &ParsedSpec, names: &[&str]) -> bool {
    let signature = &read.signature;
    signature.lifelines().map(|it| signature.lifeline_name(it)).eq(names.iter().copied())
}

fn actions(read: &ParsedSpec) -> Vec<Named> {
    let signature = &read.signature;
    let named = |action: multitrace_interaction::Action| {
        let lifeline = signature.lifeline_name(action.lifeline).to_owned();
        (lifeline, action.kind, signature.message_name(action.message).to_owned())
    };
    read.interaction.actions().map(named).collect()
}
