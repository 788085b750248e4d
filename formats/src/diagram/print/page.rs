//! The text of a diagram: its settings, its participants, and its statements.

use super::lines::{NotationLine, Writer};
use super::names::Names;
use super::outline::{FrameKind, Most, OutlineItem, Repetition};
use super::parts::{Part, Parts};
use crate::diagram::Notation;
use crate::hif::ParsedSpec;
use crate::locations::LocationGroup;
use multitrace_interaction::{ActionKind, LifelineSet, NodeId, names};
use std::collections::BTreeMap;

/// The conditions of operands.
pub type FrameTexts = BTreeMap<NodeId, String>;

/// The names of an interaction as they are written, and the conditions of its operands.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) notation: Notation,
    pub(super) parsed: &'a ParsedSpec,
    pub(super) names: &'a Names,
    pub(super) texts: &'a FrameTexts,
}

/// The text of a diagram.
pub(super) fn write(
    written: Written<'_>,
    locations: &[LocationGroup],
    parts: &Parts,
    items: &[OutlineItem],
) -> String {
    let Written { notation, parsed, names, .. } = written;
    let mut writer = Writer::new(notation, parts.sends_to_itself);
    writer.settings(names.directives());
    if locations.iter().any(|it| it.members.len() > 1 || it.name.is_some()) {
        writer.line(&NotationLine::Directive(&locations_directive(locations)));
    }
    for lifeline in parsed.signature.lifelines() {
        writer.line(&NotationLine::Participant(names.lifeline(lifeline), names.label(lifeline)));
    }
    statements(&mut writer, written, parts, items);
    writer.finish()
}

/// The text of a part, with its own participants. Its settings are those of the main diagram.
pub(super) fn write_part(written: Written<'_>, parts: &Parts, part: &Part) -> String {
    let mut writer = Writer::part(written.notation, parts.sends_to_itself);
    writer.line(&NotationLine::Title(&part.title));
    for &lifeline in &part.lifelines {
        let names = written.names;
        writer.line(&NotationLine::Participant(names.lifeline(lifeline), names.label(lifeline)));
    }
    statements(&mut writer, written, parts, &part.items);
    writer.finish()
}

fn statements(writer: &mut Writer, written: Written<'_>, parts: &Parts, items: &[OutlineItem]) {
    let mut open = Vec::new();
    items.iter().for_each(|item| write_item(writer, written, parts, item, &mut open));
}

/// Writes an item; `open` has the keywords of the frames around it.
fn write_item(
    writer: &mut Writer,
    Written { parsed, names, texts, .. }: Written<'_>,
    parts: &Parts,
    item: &OutlineItem,
    open: &mut Vec<&'static str>,
) {
    let text = |operand: NodeId| texts.get(&operand).map_or("", String::as_str);
    match item {
        OutlineItem::Arrow(from, to, message) => {
            let (from, to) = (names.lifeline(*from), names.lifeline(*to));
            writer.line(&NotationLine::Arrow(from, to, names.message(*message)));
        }
        OutlineItem::Synchronous(from, to, message) => {
            writer.line(&NotationLine::Directive("synchronous"));
            let (from, to) = (names.lifeline(*from), names.lifeline(*to));
            writer.line(&NotationLine::Arrow(from, to, names.message(*message)));
        }
        OutlineItem::Single(action) => {
            let (at, text) = (names.lifeline(action.lifeline), names.message(action.message));
            writer.line(&match action.kind {
                ActionKind::Emission => NotationLine::Emission(at, text),
                ActionKind::Reception => NotationLine::Reception(at, text),
            });
        }
        OutlineItem::Open(frame, operand) => {
            let (keyword, directive) = head(frame, parsed);
            writer.settings(directive.as_deref());
            let count = match frame {
                FrameKind::Repeated(least, Most::Any) => Some(format!("{least}..*")),
                FrameKind::Repeated(count, Most::Same) => Some(format!("{count} times")),
                _ => None,
            };
            let said = count.as_deref().unwrap_or_else(|| operand.map_or("", text));
            writer.line(&NotationLine::Open(keyword, said));
            open.push(keyword);
        }
        OutlineItem::Section(operand) => {
            writer.line(&NotationLine::Section(
                open.last().copied().unwrap_or("alt"),
                text(*operand),
            ));
        }
        OutlineItem::Part(at) => {
            let Part { title, lifelines, .. } = &parts.all[*at];
            if let (Some(&first), Some(&last)) = (lifelines.first(), lifelines.last()) {
                let ends = [names.lifeline(first), names.lifeline(last)];
                writer.line(&NotationLine::Part(ends, title));
            }
        }
        OutlineItem::Close => {
            open.pop();
            writer.line(&NotationLine::Close);
        }
    }
}

/// The keyword of a frame, and the directive before it.
fn head(frame: &FrameKind, parsed: &ParsedSpec) -> (&'static str, Option<String>) {
    let said = |text: &str| Some(text.to_owned());
    match frame {
        FrameKind::Alt => ("alt", None),
        FrameKind::Opt => ("opt", None),
        FrameKind::Par => ("par", None),
        FrameKind::Coregion(region) => ("par", Some(coregion(region, parsed))),
        FrameKind::Loop(None) | FrameKind::Repeated(..) => ("loop", None),
        FrameKind::Loop(Some(Repetition::Weak)) => ("loop", said("loop weak")),
        FrameKind::Loop(Some(Repetition::Strict)) => ("loop", said("loop strict")),
        FrameKind::Loop(Some(Repetition::Parallel)) => ("loop", said("loop parallel")),
        FrameKind::Loop(Some(Repetition::HeadFirst)) => ("loop", said("loop head-first")),
        FrameKind::Strict => ("group", said("strict")),
    }
}

fn coregion(region: &LifelineSet, parsed: &ParsedSpec) -> String {
    let names_of = region.iter().map(|it| parsed.signature.lifeline_name(it));
    format!("coregion {}", names::location_text(names_of))
}

fn locations_directive(locations: &[LocationGroup]) -> String {
    let group = |group: &LocationGroup| {
        let members = names::location_text(group.members.iter().map(String::as_str));
        let name = group.name.as_deref().map(|name| format!("{}=", names::lifeline_text(name)));
        name.unwrap_or_default() + &members
    };
    let groups: Vec<String> = locations.iter().map(group).collect();
    format!("locations {}", groups.join(";"))
}
