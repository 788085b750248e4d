//! Shapes at whole coordinates, which layouts make and writers write.

pub use crate::paint::Tone;
use crate::pictures::measure::Label;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

pub(crate) fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

/// A rectangle; both corners belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) from: Point,
    pub(crate) to: Point,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    Plain,
    Dashed,
    /// Of actions that happen together.
    Double,
}

/// The kinds of rectangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxKind {
    /// Hides the lines behind it.
    Solid,
    /// An outline.
    Frame,
    /// The corner of a frame that names it.
    Tab,
    /// Around lifelines that one clock logs.
    Location,
    /// Behind a row.
    Band,
    /// A text beside events; hides the lines behind it.
    Note,
    /// While a lifeline is active.
    Bar,
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Plain,
    Bold,
    /// Bold, in a box of its own.
    Name,
    /// On an arrow.
    Message,
    /// On a band.
    Note,
    /// Crossed out.
    Struck,
    Italic,
}

/// The marks of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DotKind {
    Filled,
    Hollow,
    Cross,
    /// An event or state that is wrong.
    Diamond,
    /// A node that is not looked at.
    Small,
    /// The head of an actor.
    Person,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Line { from: Point, to: Point, stroke: Stroke, has_head: bool, tone: Tone },
    Box { area: Area, kind: BoxKind, tone: Tone },
    Text { at: Point, anchor: Anchor, label: Label, set: Type, tone: Tone },
    Dot { at: Point, kind: DotKind, tone: Tone },
}

impl Point {
    fn moved(self, by: Point) -> Point {
        at(self.x + by.x, self.y + by.y)
    }
}

impl Shape {
    /// The shape, moved to the right and down.
    fn moved(self, by: Point) -> Shape {
        match self {
            Shape::Line { from, to, stroke, has_head, tone } => {
                Shape::Line { from: from.moved(by), to: to.moved(by), stroke, has_head, tone }
            }
            Shape::Box { area: Area { from, to }, kind, tone } => {
                let area = Area { from: from.moved(by), to: to.moved(by) };
                Shape::Box { area, kind, tone }
            }
            Shape::Text { at, anchor, label, set, tone } => {
                Shape::Text { at: at.moved(by), anchor, label, set, tone }
            }
            Shape::Dot { at, kind, tone } => Shape::Dot { at: at.moved(by), kind, tone },
        }
    }
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    /// A text on the content of the picture, for those who do not see it.
    pub(crate) description: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// In the order of drawing.
    pub(crate) shapes: Vec<Shape>,
}

impl Drawing {
    /// Adds another drawing below this one.
    pub(crate) fn stack(&mut self, below: Drawing) {
        if self.shapes.is_empty() {
            *self = below;
            return;
        }
        let dy = self.height;
        self.shapes.extend(below.shapes.into_iter().map(|shape| shape.moved(at(0, dy))));
        self.width = self.width.max(below.width);
        self.height += below.height;
        self.description = format!("{}. {}", self.description, below.description);
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke, tone: Tone) {
        self.shapes.push(Shape::Line { from, to, stroke, has_head: false, tone });
    }

    pub(crate) fn arrow(&mut self, from: Point, to: Point, stroke: Stroke, tone: Tone) {
        self.shapes.push(Shape::Line { from, to, stroke, has_head: true, tone });
    }

    /// A head alone, at the tip of a line that goes this way: 1 to the right, -1 to the left.
    pub(crate) fn head(&mut self, tip: Point, way: i32, tone: Tone) {
        self.arrow(at(tip.x - way, tip.y), tip, Stroke::Plain, tone);
    }

    pub(crate) fn rectangle(&mut self, from: Point, to: Point, kind: BoxKind, tone: Tone) {
        self.shapes.push(Shape::Box { area: Area { from, to }, kind, tone });
    }

    pub(crate) fn dot(&mut self, at: Point, kind: DotKind, tone: Tone) {
        self.shapes.push(Shape::Dot { at, kind, tone });
    }

    pub(crate) fn text(
        &mut self,
        (at, anchor): (Point, Anchor),
        label: impl Into<Label>,
        set: Type,
        tone: Tone,
    ) {
        self.shapes.push(Shape::Text { at, anchor, label: label.into(), set, tone });
    }

    /// Adds the shapes of another picture, its corner here.
    pub(crate) fn insert(&mut self, other: Drawing, corner: Point) {
        self.shapes.extend(other.shapes.into_iter().map(|shape| shape.moved(corner)));
    }

    /// Where the last text ends that begins at its place.
    pub(crate) fn end_of_texts(&self, width: fn(&str) -> i32) -> i32 {
        let end = |shape: &Shape| match shape {
            Shape::Text { at, anchor: Anchor::Start, label, .. } => at.x + width(&label.shown),
            _ => 0,
        };
        self.shapes.iter().map(end).max().unwrap_or(0)
    }
}
