//! How wide texts may be, and where those of arrows stand.

use crate::pictures::measure::{Label, lines};
use crate::pictures::metrics::Metrics;
use multitrace_formats::shorten::visible;

#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) metrics: Metrics,
    /// The most characters in a line of a head, of an arrow or a note, and beside the keyword of a frame.
    pub(super) name: usize,
    pub(super) text: usize,
    pub(super) guard: usize,
    /// The same for the title.
    pub(super) title: usize,
    /// Texts of arrows stand on lines of their own, over other lifelines if need be, within this width.
    pub(super) room: Option<i32>,
}

impl Style {
    /// The lengths keep pictures about as narrow as PlantUML's, which wraps nothing.
    pub(super) const PIXELS: Style =
        Style { metrics: Metrics::PIXELS, name: 22, text: 42, guard: 60, title: 84, room: None };

    /// For a terminal of this width, from wide to narrow.
    pub(super) fn cells(width: usize) -> impl Iterator<Item = Style> {
        let own = width.saturating_sub(4).clamp(20, 76);
        let wide = [(24, 42), (16, 28)].map(|(name, text)| (name, text, own.min(60), None));
        let room = i32::try_from(width).unwrap_or(i32::MAX);
        // Names become short before the conditions do, which keep their frames wide.
        let names = [16, 12, 9, 7, 5, 3].map(|name| (name, 60));
        let conditions = [(12, 40), (9, 32), (7, 24), (5, 20), (3, 16), (2, 12), (1, 8)];
        let narrow = names.into_iter().chain(conditions);
        let narrow = narrow.map(move |(name, guard)| (name, own, own.min(guard), Some(room)));
        wide.into_iter().chain(narrow).map(move |(name, text, guard, room)| {
            let gap = if room.is_some() { 1 } else { 2 };
            let pad = if name < 9 { i32::from(name > 1) } else { 2 };
            let metrics = Metrics { gap, pad, ..Metrics::CELLS };
            Style { metrics, name, text, guard, title: own, room }
        })
    }

    /// Whether it is for pixels.
    pub(super) fn is_fine(&self) -> bool {
        self.metrics.has_tab_box
    }

    /// Whether there is room for the boxes around participants and their titles.
    pub(super) fn has_boxes(&self) -> bool {
        self.room.is_none() || self.name > 9
    }

    pub(super) fn width(&self, lines: &[Label]) -> i32 {
        lines.iter().map(|it| (self.metrics.width)(&it.shown)).max().unwrap_or(0)
    }

    /// The most characters in a line of a note.
    pub(super) fn note(&self) -> usize {
        self.text.min(42)
    }
}

/// A text in lines, each of at most this many characters.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<Label> {
    let mut all = Vec::new();
    for line in text.split('\n').map(visible) {
        let parts = lines(&line, most);
        let is_empty = parts.is_empty();
        all.extend(parts.into_iter().map(Label::from));
        all.extend(is_empty.then(Label::default));
    }
    if all.iter().all(|it| it.shown.is_empty()) { Vec::new() } else { all }
}

/// The same, but a word stays whole if it is at most half as long again as a line.
pub(super) fn wrapped_at_words(text: &str, most: usize) -> Vec<Label> {
    let longest = text.split_whitespace().map(|it| it.chars().count()).max().unwrap_or(0);
    wrapped(text, most.max(longest.min(most + most / 2)))
}
