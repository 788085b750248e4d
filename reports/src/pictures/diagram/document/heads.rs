//! The columns: participants with their boxes.

use super::style::{Style, wrapped, wrapped_at_words};
use crate::pictures::columns::Need;
use crate::pictures::diagram::subject::{Diagram, Document};
use crate::pictures::drawing::{Anchor, BoxKind, DotKind, Drawing, Stroke, Tone, Type, at};
use crate::pictures::measure::Label;
use multitrace_formats::diagram::model::Statement;
use multitrace_interaction::names;
use std::collections::BTreeMap;

/// The height of the figure of an actor in pixels.
const FIGURE: i32 = 38;

pub(super) struct Heads {
    heads: Vec<Head>,
    boxes: Vec<Around>,
    /// The boxes for which there is no room, in words.
    undrawn: Vec<Label>,
}

struct Head {
    lines: Vec<Label>,
    is_actor: bool,
}

/// A box around neighbours.
struct Around {
    first: usize,
    last: usize,
    label: Label,
    tone: Tone,
}

impl Heads {
    pub(super) fn new(subject: &Diagram<'_>, document: Document<'_>, style: &Style) -> Heads {
        let participants = document.diagram.participants.iter();
        // A terminal has no room for whole words.
        let wrap = if style.is_fine() { wrapped_at_words } else { wrapped };
        let heads = participants
            .map(|it| {
                let label = if it.label.is_empty() { &it.id } else { &it.label };
                // One that stands for several is not a lifeline of its own.
                let label = match values_of(&it.id, &document.diagram.body) {
                    Some(values) => format!("{label} in {values}"),
                    None => label.clone(),
                };
                Head { lines: wrap(&label, style.name), is_actor: it.kind == "actor" }
            })
            .collect();
        let mut boxes = Vec::new();
        for each in &document.diagram.boxes {
            let members = each.members.iter().map(|it| it.index() + 1).collect();
            add_box(members, &each.label, Tone::Soft, &mut boxes);
        }
        if boxes.is_empty() {
            let column = |name: &str| {
                document.diagram.participants.iter().position(|it| it.id == name).map(|it| it + 1)
            };
            for location in subject.locations.iter() {
                let lifelines = subject.locations.lifelines(location).iter();
                let names = lifelines.map(|it| subject.signature.lifeline_name(*it));
                let members: Vec<usize> = names.filter_map(column).collect();
                let name = subject.locations.name(location, subject.signature);
                if members.len() > 1 {
                    add_box(members, &name, Tone::Accent, &mut boxes);
                }
            }
        }
        let mut undrawn = Vec::new();
        if !style.has_boxes() {
            let named = boxes.drain(..).filter(|it| !it.label.shown.is_empty());
            let line = |it: Around| {
                let members = &document.diagram.participants[it.first - 1..it.last];
                let members: Vec<&str> = members.iter().map(|it| it.id.as_str()).collect();
                wrapped(&format!("{}: {}", it.label.shown, members.join(", ")), style.title)
            };
            undrawn.extend(named.flat_map(line));
        }
        Heads { heads, boxes, undrawn }
    }

    /// The boxes that are not drawn, each with its participants.
    pub(super) fn undrawn(&self) -> &[Label] {
        &self.undrawn
    }

    /// With the edges.
    pub(super) fn count(&self) -> usize {
        self.heads.len().max(1) + 2
    }

    fn half(&self, column: usize, style: &Style) -> i32 {
        let head = self.heads.get(column.wrapping_sub(1));
        let width = head.map_or(0, |it| style.width(&it.lines));
        (width + 1) / 2 + style.metrics.pad
    }

    pub(super) fn needs(&self, style: &Style) -> Vec<Need> {
        let (mut needs, gap) = (Vec::new(), style.metrics.gap);
        let count = self.heads.len();
        for column in 1..=count {
            let half = self.half(column, style);
            needs.push(Need { from: column - 1, to: column, distance: half });
            let next = if column < count { self.half(column + 1, style) + gap } else { 0 };
            needs.push(Need { from: column, to: column + 1, distance: half + next });
        }
        for it in &self.boxes {
            let (left, right) = self.sides(it, style);
            let text = (style.metrics.width)(&it.label.shown) + 2 * style.metrics.pad;
            let other =
                |column| if column == 0 || column > count { 0 } else { self.half(column, style) };
            let (before, after) = (other(it.first - 1), other(it.last + 1));
            needs.push(Need { from: it.first - 1, to: it.first, distance: left + before + gap });
            needs.push(Need { from: it.last, to: it.last + 1, distance: right + after + gap });
            // A text that is wider than its only column goes beyond it to the right.
            needs.push(if it.first == it.last {
                Need { from: it.last, to: it.last + 1, distance: text - left + gap + after }
            } else {
                Need { from: it.first, to: it.last, distance: text - left - right }
            });
        }
        needs
    }

    fn sides(&self, it: &Around, style: &Style) -> (i32, i32) {
        let side = |column| self.half(column, style) + style.metrics.inset;
        let (left, right) = (side(it.first), side(it.last));
        let text = (style.metrics.width)(&it.label.shown) + 2 * style.metrics.pad;
        if it.first == it.last { (left, right.max(text - left)) } else { (left, right) }
    }

    fn figure(style: &Style) -> i32 {
        if style.is_fine() { FIGURE } else { 0 }
    }

    fn height_of(head: &Head, style: &Style) -> i32 {
        let metrics = &style.metrics;
        let more = (head.lines.len() as i32 - 1).max(0) * metrics.line;
        metrics.head + more + if head.is_actor { Self::figure(style) } else { 0 }
    }

    /// The height of the highest head.
    fn height(&self, style: &Style) -> i32 {
        let heights = self.heads.iter().map(|it| Self::height_of(it, style));
        heights.max().unwrap_or(style.metrics.head)
    }

    fn lead(&self, style: &Style) -> i32 {
        if self.boxes.is_empty() { 0 } else { style.metrics.tab }
    }

    /// Where the lifelines begin.
    pub(super) fn end(&self, top: i32, style: &Style) -> i32 {
        top + self.lead(style) + self.height(style)
    }

    /// The height of the heads below the lifelines, which only tall pictures have.
    pub(super) fn foot(&self, bottom: i32, style: &Style) -> i32 {
        if bottom < style.metrics.tall { 0 } else { self.height(style) }
    }

    /// Draws boxes, lifelines down to `bottom` or to their own end, and heads.
    pub(super) fn draw(
        &self,
        (top, bottom): (i32, i32),
        ends: &BTreeMap<usize, i32>,
        x: &[i32],
        style: &Style,
        drawing: &mut Drawing,
    ) {
        let metrics = &style.metrics;
        for it in &self.boxes {
            let (left, right) = self.sides(it, style);
            let (from, to) = (x[it.first] - left, x[it.last] + right);
            let bottom = bottom + self.foot(bottom, style) + metrics.foot;
            drawing.rectangle(at(from, top), at(to, bottom), BoxKind::Location, it.tone);
            let place = at(from + metrics.pad, top + metrics.tab_baseline);
            drawing.text((place, Anchor::Start), it.label.clone(), Type::Plain, it.tone);
        }
        let foot = self.end(top, style);
        for (column, head) in (1..).zip(&self.heads) {
            let end = ends.get(&column).copied().unwrap_or(bottom);
            drawing.line(at(x[column], foot), at(x[column], end), Stroke::Plain, Tone::Soft);
            self.draw_head((column, head), foot, x, style, drawing);
            if bottom >= metrics.tall {
                let foot = bottom + self.height(style);
                let own = foot - (self.height(style) - Self::height_of(head, style));
                self.draw_head((column, head), own, x, style, drawing);
            }
        }
    }

    /// Draws a head above `foot`.
    fn draw_head(
        &self,
        (column, head): (usize, &Head),
        foot: i32,
        x: &[i32],
        style: &Style,
        drawing: &mut Drawing,
    ) {
        let (metrics, x, half) = (&style.metrics, x[column], self.half(column, style));
        let top = foot - Self::height_of(head, style);
        let figure = if head.is_actor { Self::figure(style) } else { 0 };
        let has_box = !head.is_actor;
        let (from, to) = (at(x - half, top + figure), at(x + half, foot));
        if has_box {
            drawing.rectangle(from, to, BoxKind::Solid, Tone::Plain);
        } else if figure > 0 {
            draw_figure(x, top, drawing);
        }
        let inner = head.lines.len() as i32 * metrics.line;
        let first = top + figure + (metrics.head - metrics.line) / 2;
        let first = if has_box { first } else { foot - inner - (metrics.head - metrics.line) / 4 };
        for (number, label) in (0..).zip(&head.lines) {
            let y = first + number * metrics.line + metrics.baseline + i32::from(has_box);
            drawing.text((at(x, y), Anchor::Middle), label.clone(), Type::Name, Tone::Plain);
        }
    }
}

/// The values that a directive `for` gives to a participant.
fn values_of<'d>(participant: &str, body: &'d [Statement]) -> Option<&'d str> {
    body.iter().find_map(|statement| match statement {
        Statement::Directive(directive) => {
            let (name, values) = directive.text.strip_prefix("for ")?.split_once(" in ")?;
            (names::name_of(name.trim()) == participant).then_some(values)
        }
        Statement::Fragment(fragment) => {
            fragment.operands.iter().find_map(|it| values_of(participant, &it.body))
        }
        _ => None,
    })
}

/// Adds a box if its members are neighbours.
fn add_box(mut members: Vec<usize>, label: &str, tone: Tone, boxes: &mut Vec<Around>) {
    members.sort_unstable();
    let (Some(&first), Some(&last)) = (members.first(), members.last()) else { return };
    let is_row = last - first + 1 == members.len();
    let is_free = boxes.iter().all(|it: &Around| last < it.first || first > it.last);
    if is_row && is_free {
        let label = wrapped(&label.replace('\n', " "), usize::MAX).pop().unwrap_or_default();
        boxes.push(Around { first, last, label, tone });
    }
}

/// A person of lines.
fn draw_figure(x: i32, top: i32, drawing: &mut Drawing) {
    let tone = Tone::Plain;
    let (neck, hip) = (top + 12, top + 24);
    drawing.dot(at(x, top + 7), DotKind::Person, tone);
    for (from, to) in [
        (at(x, neck), at(x, hip)),
        (at(x - 9, neck + 5), at(x + 9, neck + 5)),
        (at(x, hip), at(x - 7, hip + 10)),
        (at(x, hip), at(x + 7, hip + 10)),
    ] {
        drawing.line(from, to, Stroke::Plain, tone);
    }
}
