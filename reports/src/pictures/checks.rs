//! Properties of every picture, for tests.

use crate::pictures::drawing::{Anchor, Area, BoxKind, Drawing, Point, Shape, Stroke, Tone, at};
use quick_xml::events::Event;
use std::collections::BTreeSet;

/// The area of a text; a point of `y` is its line.
fn text_area(shape: &Shape, width: fn(&str) -> i32) -> Option<(Area, &str)> {
    let Shape::Text { at: place, anchor, label, .. } = shape else { return None };
    let width = width(&label.shown);
    let left = match anchor {
        Anchor::Start => place.x,
        Anchor::Middle => place.x - width / 2,
        Anchor::End => place.x - width,
    };
    Some((Area { from: at(left, place.y), to: at(left + width, place.y) }, &label.shown))
}

fn corners(shape: &Shape, width: fn(&str) -> i32) -> Vec<Point> {
    match shape {
        Shape::Line { from, to, .. } => vec![*from, *to],
        Shape::Box { area, .. } => vec![area.from, area.to],
        Shape::Dot { at, .. } => vec![*at],
        Shape::Text { .. } => {
            text_area(shape, width).map_or(Vec::new(), |(area, _)| vec![area.from, area.to])
        }
    }
}

/// Fails if something is outside the picture, or two texts of a line overlap. `line` is its height.
pub(crate) fn check_layout(drawing: &Drawing, width: fn(&str) -> i32, line: i32) {
    for shape in &drawing.shapes {
        for Point { x, y } in corners(shape, width) {
            let inside = (0..=drawing.width).contains(&x) && (0..=drawing.height).contains(&y);
            assert!(inside, "{shape:?} is outside of {} x {}", drawing.width, drawing.height);
        }
    }
    let texts: Vec<(Area, &str)> =
        drawing.shapes.iter().filter_map(|shape| text_area(shape, width)).collect();
    for (at, (a, text)) in texts.iter().enumerate() {
        for (b, other) in &texts[at + 1..] {
            let apart = a.to.x <= b.from.x || b.to.x <= a.from.x;
            let same_line = (a.from.y - b.from.y).abs() < line * 2 / 3 || a.from.y == b.from.y;
            assert!(apart || !same_line, "{text:?} and {other:?} overlap: {a:?} {b:?}");
        }
    }
}

/// Fails if an arrow of a sequence diagram starts or ends elsewhere than at a lifeline, a dot or its own
/// turn; or if frames cross each other, or an arrow the border of its frame.
pub(crate) fn check_arrows_and_frames(drawing: &Drawing, dot: i32) {
    let is_lifeline = |shape: &&Shape| {
        matches!(shape, Shape::Line { from, to, stroke: Stroke::Plain, tone: Tone::Soft, .. }
            if from.x == to.x)
    };
    let lifelines = drawing.shapes.iter().filter(is_lifeline);
    let mut ends: BTreeSet<(i32, Option<i32>)> = BTreeSet::new();
    for shape in drawing.shapes.iter() {
        match shape {
            Shape::Dot { at, .. } => {
                ends.extend([-dot, 0, dot].map(|by| (at.x + by, Some(at.y))));
            }
            Shape::Line { from, to, has_head: false, .. } if from.x == to.x => {
                ends.insert((to.x, Some(to.y)));
            }
            _ => {}
        }
    }
    let columns: BTreeSet<i32> =
        lifelines.flat_map(|it| corners(it, |_| 0)).map(|it| it.x).collect();
    let frames: Vec<&Area> = drawing.shapes.iter().filter_map(frame).collect();
    for shape in &drawing.shapes {
        let Shape::Line { from, to, has_head: true, .. } = shape else { continue };
        assert_eq!(from.y, to.y, "{shape:?} is level");
        for end in [from, to] {
            let ends = columns.contains(&end.x) || ends.contains(&(end.x, Some(end.y)));
            assert!(ends, "{shape:?} ends nowhere");
            for frame in &frames {
                let is_beside = end.y <= frame.from.y || frame.to.y <= end.y;
                let is_inside = (frame.from.x..=frame.to.x).contains(&end.x);
                assert!(is_beside || is_inside, "{shape:?} leaves {frame:?}");
            }
        }
    }
    for (at, a) in frames.iter().enumerate() {
        for b in &frames[at + 1..] {
            let apart = a.to.y <= b.from.y || b.to.y <= a.from.y;
            assert!(apart || holds(a, b) || holds(b, a), "{a:?} and {b:?} cross");
        }
    }
}

/// Fails if two areas overlap.
pub(crate) fn check_apart(areas: &[Area]) {
    for (at, a) in areas.iter().enumerate() {
        for b in &areas[at + 1..] {
            let apart = a.to.x <= b.from.x
                || b.to.x <= a.from.x
                || a.to.y <= b.from.y
                || b.to.y <= a.from.y;
            assert!(apart, "{a:?} and {b:?} overlap");
        }
    }
}

fn frame(shape: &Shape) -> Option<&Area> {
    match shape {
        Shape::Box { area, kind: BoxKind::Frame, .. } => Some(area),
        _ => None,
    }
}

fn holds(outer: &Area, inner: &Area) -> bool {
    outer.from.x < inner.from.x
        && inner.to.x < outer.to.x
        && outer.from.y < inner.from.y
        && inner.to.y < outer.to.y
}

/// Fails if a text is not well-formed XML. The number of elements with text.
pub(crate) fn check_svg(svg: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(svg);
    let mut texts = 0;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::Start(it) if it.name().as_ref() == "text" => texts += 1,
            _ => {}
        }
    }
    let is_hidden = |it: char| it.is_control() && it != '\n';
    assert!(!svg.chars().any(is_hidden), "control characters are written out");
    texts
}
