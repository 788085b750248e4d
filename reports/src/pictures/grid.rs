//! Shapes as text of box-drawing characters, for terminals.
//
// Lines set bits in cells, one for each side that a line goes to, so that lines that meet become
// corners and crossings. A slanted line becomes a level one at its end.

use crate::paint::Paint;
use crate::pictures::drawing::{
    Anchor, Area, BoxKind, DotKind, Drawing, Point, Shape, Stroke, Tone, Type, at,
};
use crate::pictures::measure::cells;
use unicode_width::UnicodeWidthChar;

const NORTH: u8 = 1;
const EAST: u8 = 2;
const SOUTH: u8 = 4;
const WEST: u8 = 8;
const DASHED: u8 = 16;
const DOUBLE: u8 = 32;

/// The names that are tried, from long to short.
const NAMES: [usize; 6] = [40, 24, 16, 12, 8, 6];

/// The first drawing that fits a width, by the length of its names; else that with the shortest.
pub(crate) fn fitting(draw: impl Fn(usize) -> Drawing, width: usize) -> Drawing {
    let mut drawing = Drawing::default();
    for name in NAMES {
        drawing = draw(name);
        if usize::try_from(drawing.width).is_ok_and(|it| it < width) {
            break;
        }
    }
    drawing
}

/// Writes a drawing in lines of at most `width` cells.
pub(crate) fn write(drawing: &Drawing, width: usize, paint: Paint) -> String {
    let columns = usize::try_from(drawing.width + 1).unwrap_or(0).min(width.max(1));
    let rows = usize::try_from(drawing.height + 1).unwrap_or(0);
    let mut grid = Grid { columns, cells: vec![Cell::default(); columns * rows] };
    drawing.shapes.iter().for_each(|shape| grid.draw(shape));
    grid.text(drawing.width >= grid.columns as i32, paint)
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Of the lines through it.
    bits: u8,
    tone: Tone,
    content: Content,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Content {
    /// Lines, if any.
    #[default]
    Lines,
    /// A character that lines do not cross.
    Char(char),
    /// The second cell of a wide character.
    Behind,
}

struct Grid {
    columns: usize,
    cells: Vec<Cell>,
}

impl Grid {
    fn cell(&mut self, Point { x, y }: Point) -> Option<&mut Cell> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x >= self.columns {
            return None;
        }
        self.cells.get_mut(y * self.columns + x)
    }

    fn set_bits(&mut self, at: Point, bits: u8, tone: Tone) {
        let Some(cell) = self.cell(at).filter(|cell| cell.content == Content::Lines) else {
            return;
        };
        cell.bits |= bits;
        if cell.tone == Tone::Plain || tone != Tone::Soft {
            cell.tone = tone;
        }
    }

    /// Half of a wide character becomes a blank.
    fn set_char(&mut self, place: Point, content: Content, tone: Tone) {
        let Some(cell) = self.cell(place) else { return };
        let before = std::mem::replace(cell, Cell { bits: 0, tone, content });
        let other = match before.content {
            Content::Behind if content != Content::Behind => place.x - 1,
            Content::Char(char) if char.width() == Some(2) => place.x + 1,
            _ => return,
        };
        if let Some(cell) = self.cell(at(other, place.y)) {
            *cell = Cell { content: Content::Char(' '), ..*cell };
        }
    }

    /// A character of a text. A wide one takes two cells, and needs both.
    fn set_text(&mut self, place: Point, char: char, tone: Tone) -> i32 {
        let width = char.width().unwrap_or(0) as i32;
        let behind = at(place.x + 1, place.y);
        match width {
            0 => {}
            1 => self.set_char(place, Content::Char(char), tone),
            _ if self.cell(behind).is_none() => self.set_char(place, Content::Char(' '), tone),
            _ => {
                self.set_char(behind, Content::Behind, tone);
                self.set_char(place, Content::Char(char), tone);
                self.set_char(behind, Content::Behind, tone);
            }
        }
        width
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { from, to, stroke, has_head, tone } => {
                self.draw_line(*from, *to, *stroke, *tone);
                if *has_head {
                    self.draw_head(*from, *to, *tone);
                }
            }
            Shape::Box { kind: BoxKind::Band | BoxKind::Bar, .. } => {}
            Shape::Box { area, kind, tone } => self.draw_box(*area, *kind, *tone),
            Shape::Text { at, anchor, label, set, tone } => {
                self.draw_text((*at, *anchor), &label.shown, *set, *tone);
            }
            Shape::Dot { at, kind, tone } => {
                let char = match kind {
                    DotKind::Filled => '●',
                    DotKind::Hollow => '○',
                    DotKind::Cross => '✗',
                    DotKind::Diamond => '◆',
                    DotKind::Small => '•',
                    DotKind::Person => 'o',
                };
                self.set_char(*at, Content::Char(char), *tone);
            }
        }
    }

    fn draw_line(&mut self, from: Point, to: Point, stroke: Stroke, tone: Tone) {
        if from.x == to.x {
            for y in from.y.min(to.y)..from.y.max(to.y) {
                self.set_bits(at(from.x, y), SOUTH, tone);
                self.set_bits(at(from.x, y + 1), NORTH, tone);
            }
            return;
        }
        let style = match stroke {
            Stroke::Plain => 0,
            Stroke::Dashed => DASHED,
            Stroke::Double => DOUBLE,
        };
        for x in from.x.min(to.x)..from.x.max(to.x) {
            self.set_bits(at(x, to.y), EAST | style, tone);
            self.set_bits(at(x + 1, to.y), WEST | style, tone);
        }
    }

    /// Beside the end of a line, so that its target stays visible.
    fn draw_head(&mut self, from: Point, to: Point, tone: Tone) {
        let (char, x) = if to.x >= from.x { ('►', to.x - 1) } else { ('◄', to.x + 1) };
        self.set_char(at(x, to.y), Content::Char(char), tone);
        // The end of the line is the head.
        if let Some(cell) = self.cell(to).filter(|cell| cell.content == Content::Lines) {
            cell.bits &= if to.x >= from.x { !WEST } else { !EAST };
        }
    }

    fn draw_box(&mut self, Area { from, to }: Area, kind: BoxKind, tone: Tone) {
        if matches!(kind, BoxKind::Solid | BoxKind::Note) {
            for y in from.y..=to.y {
                for x in from.x..=to.x {
                    self.set_char(at(x, y), Content::Lines, tone);
                }
            }
        }
        let corners = [from, at(to.x, from.y), to, at(from.x, to.y), from];
        for side in corners.windows(2) {
            self.draw_line(side[0], side[1], Stroke::Plain, tone);
        }
    }

    /// Blanks on either side keep a text on a line readable.
    fn draw_text(&mut self, (place, anchor): (Point, Anchor), text: &str, set: Type, tone: Tone) {
        let width = cells(text);
        let mut x = match anchor {
            Anchor::Start => place.x,
            Anchor::Middle => place.x - width / 2,
            Anchor::End => place.x - width,
        };
        if matches!(set, Type::Message | Type::Note | Type::Bold) {
            self.set_char(at(x - 1, place.y), Content::Char(' '), tone);
            self.set_char(at(x + width, place.y), Content::Char(' '), tone);
        }
        for char in text.chars() {
            x += self.set_text(at(x, place.y), char, tone);
        }
    }

    fn text(&self, is_cut: bool, paint: Paint) -> String {
        let mut out = String::new();
        for row in self.cells.chunks(self.columns.max(1)) {
            let shown = row.iter().rposition(|cell| !cell.is_blank()).map_or(0, |last| last + 1);
            let is_cut = is_cut && shown == row.len() && shown > 0;
            let half = usize::from(is_cut && row[shown - 1].content == Content::Behind);
            let shown = if is_cut { shown - 1 - half } else { shown };
            for run in row[..shown].chunk_by(|a, b| a.tone == b.tone) {
                let text: String = run.iter().filter_map(Cell::shown).collect();
                out.push_str(&paint.toned(run[0].tone, &text));
            }
            out.push_str(if is_cut { "…\n" } else { "\n" });
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

impl Cell {
    fn is_blank(&self) -> bool {
        self.shown() == Some(' ')
    }

    fn shown(&self) -> Option<char> {
        match self.content {
            Content::Char(char) => Some(char),
            Content::Behind => None,
            Content::Lines => Some(line_char(self.bits)),
        }
    }
}

/// The character of the lines through a cell.
fn line_char(bits: u8) -> char {
    const ALL: [char; 16] =
        [' ', '╵', '╶', '└', '╷', '│', '┌', '├', '╴', '┘', '─', '┴', '┐', '┤', '┬', '┼'];
    let sides = bits & (NORTH | EAST | SOUTH | WEST);
    match (sides, bits & DASHED > 0, bits & DOUBLE > 0) {
        (10, true, _) => '╌',
        (10, _, true) => '═',
        (7, _, true) => '╞',
        (13, _, true) => '╡',
        (15, _, true) => '╪',
        _ => ALL[usize::from(sides)],
    }
}
