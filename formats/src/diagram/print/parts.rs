//! A diagram of many arrows as several: a main one, and parts that it refers to.

use super::outline::{FrameKind, OutlineItem};
use crate::diagram::references::slug;
use multitrace_interaction::{LifelineId, NodeId, Signature};
use std::collections::BTreeSet;

/// A frame is worth a part of its own from this share of a diagram on; an estimate by looking at some.
const WORTH: usize = 4;

/// A diagram that others refer to.
pub(super) struct Part {
    pub(super) title: String,
    /// Its participants and those of its parts, in the order in which they are drawn.
    pub(super) lifelines: BTreeSet<LifelineId>,
    pub(super) items: Vec<OutlineItem>,
}

/// The diagrams that others refer to; [`OutlineItem::Part`] has their numbers.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    /// Whether a participant sends messages to itself, in any of them or in the main one.
    pub(super) sends_to_itself: bool,
}

/// A statement or a frame.
enum Element {
    Line(OutlineItem),
    Frame(FrameKind, Vec<(Option<NodeId>, Vec<Element>)>),
}

impl Element {
    /// How many lines it has.
    fn size(&self) -> usize {
        match self {
            Element::Line(_) => 1,
            Element::Frame(_, operands) => operands.iter().map(|(_, body)| size(body)).sum(),
        }
    }
}

fn size(body: &[Element]) -> usize {
    body.iter().map(Element::size).sum()
}

/// Divides statements, such that no diagram has many more than `most` arrows and references; the main one stays.
pub(super) fn divided(
    items: Vec<OutlineItem>,
    most: Option<usize>,
    signature: &Signature,
) -> (Vec<OutlineItem>, Parts) {
    let is_to_itself =
        |item: &OutlineItem| matches!(item, OutlineItem::Arrow(from, to, _) if from == to);
    let parts = Parts { all: Vec::new(), sends_to_itself: items.iter().any(is_to_itself) };
    let Some(most) = most else { return (items, parts) };
    let mut divider = Divider { most, signature, parts, titles: BTreeSet::new() };
    let main = divider.body(elements(&mut items.into_iter()));
    let mut items = Vec::new();
    flat(main, &mut items);
    (items, divider.parts)
}

impl Parts {
    /// The numbers of those that statements refer to, in order, each before its own parts.
    pub(super) fn in_order(&self, items: &[OutlineItem]) -> Vec<usize> {
        let referred = |items: &[OutlineItem]| -> Vec<usize> {
            let of =
                |it: &OutlineItem| if let OutlineItem::Part(at) = it { Some(*at) } else { None };
            items.iter().filter_map(of).collect()
        };
        let (mut order, mut todo) = (Vec::new(), referred(items));
        todo.reverse();
        while let Some(at) = todo.pop() {
            order.push(at);
            todo.extend(referred(&self.all[at].items).into_iter().rev());
        }
        order
    }
}

/// The statements up to the end of a frame, or of its operand, which `items` then has behind it.
fn elements(items: &mut impl Iterator<Item = OutlineItem>) -> Vec<Element> {
    operands(None, items).into_iter().flat_map(|(_, body)| body).collect()
}

fn operands(
    first: Option<NodeId>,
    items: &mut impl Iterator<Item = OutlineItem>,
) -> Vec<(Option<NodeId>, Vec<Element>)> {
    let mut all = vec![(first, Vec::new())];
    while let Some(item) = items.next() {
        let body = all.last_mut().map(|(_, body)| body);
        match (item, body) {
            (OutlineItem::Close, _) | (_, None) => break,
            (OutlineItem::Section(operand), _) => all.push((Some(operand), Vec::new())),
            (OutlineItem::Open(kind, operand), Some(body)) => {
                body.push(Element::Frame(kind, operands(operand, items)));
            }
            (line, Some(body)) => body.push(Element::Line(line)),
        }
    }
    all
}

struct Divider<'a> {
    most: usize,
    signature: &'a Signature,
    parts: Parts,
    /// As they are looked up.
    titles: BTreeSet<String>,
}

impl Divider<'_> {
    fn add(&mut self, body: Vec<Element>) -> Element {
        let mut items = Vec::new();
        flat(body, &mut items);
        let lifelines = items.iter().flat_map(|it| self.lifelines(it)).collect();
        let title = self.title(&items);
        self.parts.all.push(Part { title, lifelines, items });
        Element::Line(OutlineItem::Part(self.parts.all.len() - 1))
    }

    fn lifelines(&self, item: &OutlineItem) -> Vec<LifelineId> {
        match item {
            OutlineItem::Arrow(from, to, _) | OutlineItem::Synchronous(from, to, _) => {
                vec![*from, *to]
            }
            OutlineItem::Single(action) => vec![action.lifeline],
            OutlineItem::Part(at) => self.parts.all[*at].lifelines.iter().copied().collect(),
            OutlineItem::Open(FrameKind::Coregion(region), _) => region.iter().collect(),
            OutlineItem::Open(..) | OutlineItem::Section(_) | OutlineItem::Close => Vec::new(),
        }
    }

    /// The first message, in letters and digits, and a number if another part begins with it.
    fn title(&mut self, items: &[OutlineItem]) -> String {
        let first = items.iter().find_map(|item| match item {
            OutlineItem::Arrow(.., message) | OutlineItem::Synchronous(.., message) => {
                Some(self.signature.message_name(*message))
            }
            OutlineItem::Single(action) => Some(self.signature.message_name(action.message)),
            OutlineItem::Part(at) => Some(&*self.parts.all[*at].title),
            _ => None,
        });
        let first = first.unwrap_or_default();
        let words: String =
            first.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        let words: Vec<&str> = words.split_whitespace().collect();
        let base = format!("from {}", words.join(" "));
        let numbered = (2_u64..).map(|number| format!("{base}, part {number}"));
        let mut titles = std::iter::once(base.clone()).chain(numbered);
        titles.find(|it| self.titles.insert(slug(it))).unwrap_or(base)
    }

    /// Takes parts out of statements until few enough are left.
    fn body(&mut self, body: Vec<Element>) -> Vec<Element> {
        let mut row: Vec<Element> = body.into_iter().map(|it| self.element(it)).collect();
        while size(&row) > self.most {
            let largest = (0..row.len()).max_by_key(|&at| row[at].size());
            match largest.filter(|&at| row[at].size() * WORTH >= self.most && row[at].size() > 1) {
                Some(at) => {
                    let frame = std::mem::replace(&mut row[at], Element::Line(OutlineItem::Close));
                    row[at] = self.add(vec![frame]);
                }
                None => row = self.runs(row),
            }
        }
        row
    }

    /// Statements in runs, each a part.
    fn runs(&mut self, row: Vec<Element>) -> Vec<Element> {
        let (mut runs, mut run, mut length) = (Vec::new(), Vec::new(), 0);
        for element in row {
            if length + element.size() > self.most && run.len() > 1 {
                runs.push(self.add(std::mem::take(&mut run)));
                length = 0;
            }
            length += element.size();
            run.push(element);
        }
        runs.push(self.add(run));
        runs
    }

    fn element(&mut self, element: Element) -> Element {
        let Element::Frame(kind, operands) = element else { return element };
        let mut operands: Vec<_> =
            operands.into_iter().map(|(node, body)| (node, self.body(body))).collect();
        while operands.iter().map(|(_, body)| size(body)).sum::<usize>() > self.most {
            let largest = operands.iter_mut().max_by_key(|(_, body)| size(body));
            let Some((_, body)) = largest.filter(|(_, body)| size(body) > 1) else { break };
            let part = std::mem::take(body);
            body.push(self.add(part));
        }
        Element::Frame(kind, operands)
    }
}

fn flat(body: Vec<Element>, items: &mut Vec<OutlineItem>) {
    for element in body {
        match element {
            Element::Line(item) => items.push(item),
            Element::Frame(kind, operands) => {
                let mut kind = Some(kind);
                for (operand, body) in operands {
                    match (kind.take(), operand) {
                        (Some(kind), operand) => items.push(OutlineItem::Open(kind, operand)),
                        (None, Some(operand)) => items.push(OutlineItem::Section(operand)),
                        (None, None) => {}
                    }
                    flat(body, items);
                }
                items.push(OutlineItem::Close);
            }
        }
    }
}
