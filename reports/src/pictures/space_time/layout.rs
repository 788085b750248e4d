//! From a scene to shapes.
//
// A text stands on the side of its lane where no arrow comes or goes. Arrows are behind all texts.

use crate::explanation::EventState;
use crate::pictures::columns::{self, Need};
use crate::pictures::drawing::{Anchor, BoxKind, DotKind, Drawing, Shape, Stroke, Tone, Type, at};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::notes::lines;
use crate::pictures::space_time::scene::{Scene, SceneRow};
use multitrace_formats::remedy::Words;

/// Draws a scene in the words of a front end; a line of a note has at most `note` characters.
pub(crate) fn draw(scene: &Scene, words: Words, metrics: &Metrics, note: usize) -> Drawing {
    let sides = sides(scene);
    let texts = texts(scene, metrics);
    let x = place_lanes(scene, (&texts, &sides), metrics);
    let title = Label::new(&scene.title, metrics.name * 2);
    let top = metrics.margin + if title.shown.is_empty() { 0 } else { metrics.line + metrics.lead };
    let lane_top = top + metrics.head;
    let mut pen = Pen {
        scene,
        metrics,
        x: &x,
        note,
        y: lane_top + metrics.line / 2 + 1,
        places: vec![None; scene.events.len()],
        bands: Drawing::default(),
        back: Drawing::default(),
        front: Drawing::default(),
    };
    for (row, text) in scene.rows.iter().zip(texts) {
        pen.draw_row(row, text, &sides);
    }
    let bottom = pen.y;
    scene.notes.iter().for_each(|it| pen.draw_note(&words.text(it), Tone::Bad));
    pen.draw_arrows();
    pen.draw_orders();
    pen.finish(title, describe(scene, words), (top, bottom))
}

/// A description of the picture: its size and the first findings.
fn describe(scene: &Scene, words: Words) -> String {
    let (events, lanes) = (scene.length, scene.lanes.len());
    let mut text = format!("A space-time diagram of {events} events at {lanes} locations.");
    for (code, title) in &scene.findings {
        let title = Label::new(&words.text(title), 200).shown;
        text.push_str(&format!(" {code}: {title}."));
    }
    text
}

/// A row is as high as its text.
fn row_height(metrics: &Metrics) -> i32 {
    metrics.line + metrics.foot
}

/// Per event, whether its text stands on the left, since its arrows are on the right.
fn sides(scene: &Scene) -> Vec<bool> {
    let mut is_left = vec![false; scene.events.len()];
    for (at, source) in scene.sources.iter().enumerate() {
        let Some(source) = *source else { continue };
        let (from, to) = (scene.events[source].lane, scene.events[at].lane);
        is_left[at] |= from > to;
        is_left[source] |= from < to;
    }
    is_left
}

/// The text of each row.
fn texts(scene: &Scene, metrics: &Metrics) -> Vec<Label> {
    let label = |event: &Event| {
        let text = Label::new(&event.label(&scene.lanes), metrics.name);
        match event.origin {
            Origin::Inserted => Label { shown: format!("+ {}", text.shown), ..text },
            Origin::End => "ends here".to_owned().into(),
            Origin::Logged | Origin::Deleted => text,
        }
    };
    let text = |row: &SceneRow| match row {
        SceneRow::Event(at) => label(&scene.events[*at]),
        SceneRow::Omitted(count, _) => format!("… {count} events").into(),
    };
    scene.rows.iter().map(text).collect()
}

/// The places of the lanes. Column 0 and the last are the edges.
fn place_lanes(scene: &Scene, (texts, sides): (&[Label], &[bool]), metrics: &Metrics) -> Vec<i32> {
    let mut needs = Vec::new();
    let mut half = 0;
    for (lane, name) in scene.lanes.iter().enumerate() {
        let width = (metrics.width)(&Label::new(name, metrics.name).shown);
        let next = (width + 1) / 2 + metrics.pad;
        needs.push(Need { from: lane, to: lane + 1, distance: half + next + metrics.gap });
        half = next;
    }
    let count = scene.lanes.len();
    needs.push(Need { from: count, to: count + 1, distance: half + metrics.gap });
    for (row, text) in scene.rows.iter().zip(texts) {
        let SceneRow::Event(at) = *row else { continue };
        let lane = scene.events[at].lane + 1;
        let distance = (metrics.width)(&text.shown) + 2 * metrics.pad + metrics.gap;
        let (from, to) = if sides[at] { (lane - 1, lane) } else { (lane, lane + 1) };
        needs.push(Need { from, to, distance });
    }
    columns::place(count + 2, metrics.margin, &mut needs)
}

struct Pen<'a> {
    scene: &'a Scene,
    metrics: &'a Metrics,
    x: &'a [i32],
    note: usize,
    y: i32,
    /// Per event, where it stands, and whether it is shown. An event that is left out has the place of the row that
    /// says so.
    places: Vec<Option<(i32, bool)>>,
    bands: Drawing,
    back: Drawing,
    front: Drawing,
}

impl Pen<'_> {
    fn draw_row(&mut self, row: &SceneRow, text: Label, sides: &[bool]) {
        let middle = self.y + self.metrics.line / 2;
        match row {
            SceneRow::Omitted(_, omitted) => {
                omitted.iter().for_each(|&at| self.places[at] = Some((middle, false)));
                self.draw_text((self.x[0] + self.metrics.pad, self.y), text, Type::Message);
            }
            &SceneRow::Event(at) => {
                self.places[at] = Some((middle, true));
                self.draw_event(at, middle, text, sides[at]);
            }
        }
        let top = self.y;
        self.y += row_height(self.metrics);
        if let &SceneRow::Event(at) = row {
            let scene = self.scene;
            scene.events[at].notes.iter().for_each(|note| self.draw_note(note, Tone::Bad));
            if !scene.events[at].notes.is_empty() {
                self.draw_band(top);
            }
        }
    }

    /// Behind a row with its notes. Its end is moved when the width of the picture is known.
    fn draw_band(&mut self, top: i32) {
        let from = at(self.x[0], top - self.metrics.foot / 2);
        let to = at(self.x[0], self.y - self.metrics.foot / 2);
        self.bands.rectangle(from, to, BoxKind::Band, Tone::Bad);
    }

    fn draw_text(&mut self, (x, y): (i32, i32), text: Label, set: Type) {
        let place = (at(x, y + self.metrics.baseline), Anchor::Start);
        self.front.text(place, text, set, Tone::Plain);
    }

    fn draw_event(&mut self, event: usize, y: i32, text: Label, is_left: bool) {
        let (metrics, it) = (self.metrics, &self.scene.events[event]);
        let (x, tone) = (self.x[it.lane + 1], tone(it));
        let (kind, set) = match it.origin {
            Origin::Logged => (dot(it), Type::Message),
            Origin::Inserted => (DotKind::Hollow, Type::Message),
            Origin::Deleted => (DotKind::Cross, Type::Struck),
            Origin::End => (DotKind::Hollow, Type::Italic),
        };
        self.front.dot(at(x, y), kind, tone);
        let set = if it.notes.is_empty() || set == Type::Struck { set } else { Type::Note };
        let (x, anchor) =
            if is_left { (x - metrics.pad, Anchor::End) } else { (x + metrics.pad, Anchor::Start) };
        self.front.text((at(x, self.y + metrics.baseline), anchor), text, set, tone);
    }

    /// A note stands in lines of its own, from the left edge.
    fn draw_note(&mut self, note: &str, tone: Tone) {
        for line in lines(note, self.note) {
            let place = at(self.x[0] + self.metrics.pad, self.y + self.metrics.baseline);
            self.front.text((place, Anchor::Start), line, Type::Note, tone);
            self.y += self.metrics.line;
        }
        self.y += self.metrics.foot;
    }

    fn draw_arrows(&mut self) {
        for (target, source) in self.scene.sources.iter().enumerate() {
            let Some(source) = *source else { continue };
            let (Some(from), Some(to)) = (self.places[source], self.places[target]) else {
                continue;
            };
            if from.1 || to.1 {
                self.draw_arrow((source, from.0), (target, to.0));
            }
        }
    }

    /// A dashed arrow from each event of a cycle to the next one.
    fn draw_orders(&mut self) {
        for &(before, after) in &self.scene.orders {
            let (Some(from), Some(to)) = (self.places[before], self.places[after]) else {
                continue;
            };
            let [x, end] = [before, after].map(|event| self.x[self.scene.events[event].lane + 1]);
            let end = end + self.metrics.dot * (x - end).signum();
            self.back.arrow(at(x, from.0), at(end, to.0), Stroke::Dashed, Tone::Bad);
        }
    }

    fn draw_arrow(&mut self, (source, from): (usize, i32), (target, to): (usize, i32)) {
        let events = &self.scene.events;
        let x = |event: usize| self.x[events[event].lane + 1];
        let is_inserted = |event: usize| events[event].origin == Origin::Inserted;
        let (stroke, tone) = match is_inserted(source) || is_inserted(target) {
            true => (Stroke::Dashed, Tone::Accent),
            false => (Stroke::Plain, tone(&events[target])),
        };
        let end = x(target) + self.metrics.dot * (x(source) - x(target)).signum();
        if x(source) != x(target) {
            self.back.arrow(at(x(source), from), at(end, to), stroke, tone);
        }
    }

    /// Bands behind lanes, lanes behind arrows, arrows behind texts.
    fn finish(self, title: Label, description: String, (top, bottom): (i32, i32)) -> Drawing {
        let Pen { scene, metrics, x, y, bands, mut back, mut front, .. } = self;
        let mut all = Drawing { title: title.shown.clone(), description, ..bands };
        for (lane, name) in scene.lanes.iter().enumerate() {
            draw_head(
                x[lane + 1],
                (top, bottom),
                Label::new(name, metrics.name),
                metrics,
                &mut all,
            );
        }
        all.shapes.append(&mut back.shapes);
        all.shapes.append(&mut front.shapes);
        if !title.shown.is_empty() {
            let place = at(metrics.margin, metrics.margin + metrics.baseline);
            all.text((place, Anchor::Start), title, Type::Bold, Tone::Plain);
        }
        let last = x.last().copied().unwrap_or(0);
        all.width = last.max(all.end_of_texts(metrics.width)) + metrics.margin;
        all.height = y + metrics.margin;
        widen_bands(&mut all, metrics);
        all
    }
}

fn widen_bands(drawing: &mut Drawing, metrics: &Metrics) {
    for shape in &mut drawing.shapes {
        if let Shape::Box { area, kind: BoxKind::Band, .. } = shape {
            area.to.x = drawing.width - metrics.margin;
        }
    }
}

fn draw_head(
    x: i32,
    (top, bottom): (i32, i32),
    label: Label,
    metrics: &Metrics,
    drawing: &mut Drawing,
) {
    let half = ((metrics.width)(&label.shown) + 1) / 2 + metrics.pad;
    let foot = top + metrics.head;
    drawing.line(at(x, foot), at(x, bottom), Stroke::Plain, Tone::Soft);
    drawing.rectangle(at(x - half, top), at(x + half, foot), BoxKind::Solid, Tone::Plain);
    let place = at(x, top + (metrics.head - metrics.line) / 2 + metrics.baseline + 1);
    drawing.text((place, Anchor::Middle), label, Type::Bold, Tone::Plain);
}

/// Signs that tell the states apart without colours.
fn dot(event: &Event) -> DotKind {
    match event.state {
        EventState::Blocked => DotKind::Diamond,
        EventState::NotReached => DotKind::Small,
        EventState::Explained | EventState::NotExamined => DotKind::Filled,
    }
}

fn tone(event: &Event) -> Tone {
    match (event.origin, event.state) {
        (Origin::Inserted, _) => Tone::Accent,
        (Origin::Deleted, _) | (_, EventState::Blocked) => Tone::Bad,
        (_, EventState::Explained) => Tone::Good,
        (_, EventState::NotReached) => Tone::Soft,
        (_, EventState::NotExamined) => Tone::Plain,
    }
}
