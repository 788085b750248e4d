//! A script over columns instead of lifelines, with texts that are short enough.

use crate::paint::Tone;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::extents::Extents;
use crate::pictures::diagram::heads::Heads;
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use crate::pictures::overlay::Mark;
use crate::pictures::script::{Item, Script};
use multitrace_interaction::{Action, LifelineId, Passing, Signature};

/// The most actions of a step that are shown.
const MOST_ACTIONS: usize = 20;

/// A row of the picture, over columns.
#[derive(Debug)]
pub(crate) enum Row {
    Open { label: Label, region: Option<Extent>, tone: Tone },
    Lane { guard: Label, is_first: bool, tone: Tone },
    Close,
    Arrow(Arrow),
    Step { lines: Vec<Label>, extent: Extent, tone: Tone },
}

/// The rows of a script.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
}

/// A message.
#[derive(Debug)]
pub(crate) struct Arrow {
    /// The column it comes from; `None` from outside.
    pub(crate) origin: Option<usize>,
    /// The columns it goes to, sorted; none for the outside.
    pub(crate) targets: Vec<usize>,
    pub(crate) label: Label,
    pub(crate) is_synchronous: bool,
    pub(crate) tone: Tone,
}

impl Rows {
    pub(crate) fn new(
        script: &Script,
        heads: &Heads,
        signature: &Signature,
        metrics: &Metrics,
    ) -> Rows {
        let mut maker = RowMaker { heads, signature, metrics, rows: Vec::new() };
        script.items.iter().for_each(|item| maker.add(item));
        Rows { rows: maker.rows }
    }

    /// How wide each row and frame is.
    pub(crate) fn extents<'a>(&self, metrics: &'a Metrics) -> Extents<'a> {
        let mut extents = Extents::new(self.rows.len(), metrics, false);
        for (at, row) in self.rows.iter().enumerate() {
            match row {
                Row::Open { region, label, .. } => {
                    extents.open(at, *region, (metrics.width)(&label.shown) + 4 * metrics.pad);
                }
                Row::Lane { guard, .. } => {
                    extents.add_text((metrics.width)(&guard.shown) + 2 * metrics.pad);
                }
                Row::Close => extents.close(),
                Row::Arrow(arrow) => {
                    extents.needs.extend(arrow.need(metrics));
                    extents.add(at, arrow.extent(metrics));
                }
                Row::Step { lines, extent, .. } => {
                    let extent = of_step(lines, *extent, &mut extents, metrics);
                    extents.add(at, extent);
                }
            }
        }
        extents
    }
}

/// The texts of a step stand in the middle of its box.
fn of_step(
    lines: &[Label],
    extent: Extent,
    extents: &mut Extents<'_>,
    metrics: &Metrics,
) -> Extent {
    let widest = lines.iter().map(|line| (metrics.width)(&line.shown)).max().unwrap_or(0);
    let pad = metrics.pad;
    if extent.low == extent.high {
        let half = (widest + 1) / 2 + pad;
        return Extent { left: half, right: half, ..extent };
    }
    extents.wide_enough(Extent { left: 2 * pad, right: 2 * pad, ..extent }, widest + 2 * pad)
}

struct RowMaker<'a> {
    heads: &'a Heads,
    signature: &'a Signature,
    metrics: &'a Metrics,
    rows: Vec<Row>,
}

impl RowMaker<'_> {
    fn add(&mut self, item: &Item) {
        let row = match item {
            Item::Passing(passing, mark) => return self.add_passing(passing, mark),
            Item::Close => Row::Close,
            Item::Step(actions, mark) => self.step(item, actions, mark),
            Item::Lane { mark, is_first } => {
                let guard = self.guard(mark);
                Row::Lane { guard, is_first: *is_first, tone: mark.tone }
            }
            Item::Open { tab, mark, .. } => {
                let note = self.note(mark, "  ");
                let label = Label::new(tab, self.metrics.name).followed_by(&note);
                Row::Open { label, region: self.extent(item), tone: mark.tone }
            }
        };
        self.rows.push(row);
    }

    fn step(&self, item: &Item, actions: &[Action], mark: &Mark) -> Row {
        let line =
            |action: &Action| Label::new(&self.signature.action_text(*action), self.metrics.name);
        let mut lines: Vec<Label> = actions.iter().take(MOST_ACTIONS).map(line).collect();
        if let Some(more) = actions.len().checked_sub(MOST_ACTIONS).filter(|it| *it > 0) {
            lines.push(format!("… and {more} more").into());
        }
        let note = self.note(mark, "  ");
        let last = lines.pop().unwrap_or_default();
        lines.push(last.followed_by(&note));
        let extent = self.extent(item).unwrap_or(Extent::new(1, 1));
        Row::Step { lines, extent, tone: mark.tone }
    }

    /// From the first to the last column of an item.
    fn extent(&self, item: &Item) -> Option<Extent> {
        let lifelines = item.lifelines();
        let columns = || lifelines.iter().map(|&it| self.heads.column(it));
        Some(Extent::new(columns().min()?, columns().max()?))
    }

    fn guard(&self, mark: &Mark) -> Label {
        match mark.note.is_empty() {
            true => Label::default(),
            false => Label::new(&format!("[{}]", mark.note), self.metrics.name),
        }
    }

    fn note(&self, mark: &Mark, before: &str) -> String {
        match mark.note.is_empty() {
            true => String::new(),
            false => format!("{before}[{}]", Label::new(&mark.note, self.metrics.name).shown),
        }
    }

    /// A message to its sender among others is an arrow of its own.
    fn add_passing(&mut self, passing: &Passing, mark: &Mark) {
        let origin = passing.origin.map(|it| self.heads.column(it));
        let mut targets: Vec<usize> = self.columns(&passing.targets);
        if targets.len() > 1 && origin.is_some_and(|it| targets.contains(&it)) {
            targets.retain(|&it| Some(it) != origin);
            self.add_arrow(passing, origin, targets, mark);
            targets = origin.into_iter().collect();
        }
        self.add_arrow(passing, origin, targets, mark);
    }

    fn columns(&self, lifelines: &[LifelineId]) -> Vec<usize> {
        let mut columns: Vec<usize> = lifelines.iter().map(|&it| self.heads.column(it)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn add_arrow(
        &mut self,
        passing: &Passing,
        origin: Option<usize>,
        targets: Vec<usize>,
        mark: &Mark,
    ) {
        let name = self.signature.message_name(passing.message);
        let label = Label::new(name, self.metrics.name).followed_by(&self.note(mark, " "));
        let is_synchronous = passing.is_synchronous;
        let arrow = Arrow { origin, targets, label, is_synchronous, tone: mark.tone };
        self.rows.push(Row::Arrow(arrow));
    }
}
