//! Shapes as SVG.
//
// Colours are rules of a style sheet, once for light and once for dark pages. Each rule names the class
// of the picture, so that a page with several pictures keeps its own styles. No ids, which would clash.

use crate::pictures::drawing::{
    Anchor, Area, BoxKind, DotKind, Drawing, Point, Shape, Stroke, Tone, Type,
};
use crate::pictures::measure::{FONT_SIZE, Label};
use std::fmt::Write;

/// The class of each picture, and the start of each rule.
const CLASS: &str = "multitrace";

/// Colours on light and on dark pages: GitHub's, which keep the contrast of WCAG AA on either.
fn colors(tone: Tone) -> [&'static str; 2] {
    match tone {
        Tone::Plain => ["#1f2328", "#e6edf3"],
        Tone::Soft => ["#6e7781", "#8b949e"],
        Tone::Good => ["#1a7f37", "#3fb950"],
        Tone::Bad => ["#cf222e", "#ff7b72"],
        Tone::Doubtful => ["#9a6700", "#d29922"],
        Tone::Accent => ["#0969da", "#58a6ff"],
    }
}

/// The colour behind texts, on light and on dark pages.
const PAPER: [&str; 2] = ["#ffffff", "#0d1117"];
/// Behind rows where something is wrong.
const BAND: [&str; 2] = ["#ffebe9", "#2d1517"];
/// The inside of notes.
const REMARK: [&str; 2] = ["#fff8c5", "#2e2a1f"];
/// The inside of heads and tabs.
const FILL: [&str; 2] = ["#f3f5f8", "#1c232c"];

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Soft => "soft",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Doubtful => "doubtful",
        Tone::Accent => "accent",
    }
}

/// Which colours a picture has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// For light or dark pages, as the reader's system prefers.
    #[default]
    AsPreferred,
    /// For light pages.
    Light,
    /// For dark pages.
    Dark,
}

/// How an SVG looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SvgOptions {
    /// Whether the picture has a background. Without one it shows that of the page, which must be light
    /// or dark as its readers prefer.
    pub has_background: bool,
    /// Which colours it has.
    pub colors: Colors,
    /// Whether it stands in an HTML page that has the [`style_sheet`]; it then has none of its own.
    pub in_page: bool,
}

impl SvgOptions {
    /// For pages that have the [`style_sheet`].
    pub const IN_PAGE: SvgOptions =
        SvgOptions { has_background: false, colors: Colors::AsPreferred, in_page: true };
}

/// A picture that can be written, alone or beside others.
#[derive(Clone, Debug)]
pub struct Picture(pub(crate) Drawing);

impl Picture {
    /// The picture as SVG: the same bytes each time.
    pub fn svg(&self, options: SvgOptions) -> String {
        write(&self.0, options)
    }
}

/// The style sheet for pages with pictures of [`SvgOptions::in_page`].
pub fn style_sheet() -> String {
    style(Colors::AsPreferred)
}

/// Writes a drawing.
pub(crate) fn write(drawing: &Drawing, options: SvgOptions) -> String {
    let Drawing { width, height, .. } = drawing;
    let namespace = if options.in_page { "" } else { " xmlns=\"http://www.w3.org/2000/svg\"" };
    let mut out = format!(
        "<svg{namespace} class=\"{CLASS}\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n"
    );
    let title = if drawing.title.is_empty() { &drawing.description } else { &drawing.title };
    put(&mut out, format_args!("<title>{}</title>\n", escaped(title)));
    if !options.in_page {
        put(&mut out, format_args!("<desc>{}</desc>\n", escaped(&drawing.description)));
        put(&mut out, format_args!("<style>\n{}</style>\n", style(options.colors)));
    }
    if options.has_background {
        out.push_str("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    }
    drawing.shapes.iter().for_each(|shape| write_shape(shape, &mut out));
    out.push_str("</svg>\n");
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

fn style(colors: Colors) -> String {
    let scheme = match colors {
        Colors::AsPreferred => "light dark",
        Colors::Light => "light",
        Colors::Dark => "dark",
    };
    let mut out = format!(
        "svg.{CLASS} {{ color-scheme: {scheme}; font: {FONT_SIZE}px system-ui, 'DejaVu Sans', \
         'Segoe UI', Helvetica, Arial, sans-serif }}\n"
    );
    let rules = [
        "line, .{} path, .{} rect, .{} circle { stroke-width: 1.3; fill: none }",
        ".double { stroke-width: 3.2 }",
        ".dashed { stroke-dasharray: 6 4 }",
        ".location { stroke-dasharray: 2 3; fill-opacity: 0.06 }",
        "text { white-space: pre }",
        "text.message, .{} text.italic, .{} text.note { stroke-width: 4px; stroke-linejoin: round; paint-order: stroke }",
        ".bold { font-weight: 600 }",
        ".italic { font-style: italic }",
        ".struck { text-decoration: line-through }",
    ];
    for rule in rules {
        put(&mut out, format_args!(".{CLASS} {}\n", rule.replace(".{}", &format!(".{CLASS}"))));
    }
    write_colors(usize::from(colors == Colors::Dark), &mut out);
    if colors == Colors::AsPreferred {
        // Paper is light.
        out.push_str("@media screen and (prefers-color-scheme: dark) {\n");
        write_colors(1, &mut out);
        out.push_str("}\n");
    }
    out
}

fn write_colors(scheme: usize, out: &mut String) {
    for tone in Tone::ALL {
        let (class, color) = (tone_class(tone), colors(tone)[scheme]);
        let filled = ["head", "filled", "location"]
            .map(|kind| format!(", .{CLASS} .{class}.{kind}"))
            .concat();
        put(out, format_args!(".{CLASS} .{class} {{ stroke: {color} }}\n"));
        put(out, format_args!(".{CLASS} text.{class}{filled} {{ fill: {color} }}\n"));
        put(out, format_args!(".{CLASS} text.{class} {{ stroke: none }}\n"));
    }
    let (paper, fill, band) = (PAPER[scheme], FILL[scheme], BAND[scheme]);
    put(out, format_args!(".{CLASS} .paper {{ fill: {paper}; stroke: none }}\n"));
    put(out, format_args!(".{CLASS} .head, .{CLASS} .band {{ stroke: none }}\n"));
    put(out, format_args!(".{CLASS} .band {{ fill: {band} }}\n"));
    put(out, format_args!(".{CLASS} text.note {{ stroke: {band} }}\n"));
    put(out, format_args!(".{CLASS} .hollow {{ fill: {paper} }}\n"));
    put(out, format_args!(".{CLASS} text.message, .{CLASS} text.italic {{ stroke: {paper} }}\n"));
    let remark = REMARK[scheme];
    put(out, format_args!(".{CLASS} .solid, .{CLASS} .tab, .{CLASS} .bar {{ fill: {fill} }}\n"));
    put(out, format_args!(".{CLASS} .remark {{ fill: {remark} }}\n"));
}

fn write_shape(shape: &Shape, out: &mut String) {
    match shape {
        Shape::Line { from, to, stroke, has_head, tone } => {
            write_line(*from, *to, *stroke, *tone, out);
            if *has_head {
                write_head(*from, *to, *tone, out);
            }
        }
        Shape::Box { area, kind, tone } => write_box(*area, *kind, *tone, out),
        Shape::Text { at, anchor, label, set, tone } => {
            write_text((*at, *anchor), label, *set, *tone, out);
        }
        Shape::Dot { at, kind, tone } => write_dot(*at, *kind, *tone, out),
    }
}

fn write_line(from: Point, to: Point, stroke: Stroke, tone: Tone, out: &mut String) {
    let kind = match stroke {
        Stroke::Plain => "",
        Stroke::Dashed => " dashed",
        Stroke::Double => " double",
    };
    let class = tone_class(tone);
    let (Point { x: x1, y: y1 }, Point { x: x2, y: y2 }) = (from, to);
    put(
        out,
        format_args!(
            "<line class=\"{class}{kind}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\n"
        ),
    );
}

/// A triangle at the end of a line, in its direction.
fn write_head(from: Point, to: Point, tone: Tone, out: &mut String) {
    const LENGTH: f64 = 9.0;
    const HALF: f64 = 4.0;
    let (dx, dy) = (f64::from(to.x - from.x), f64::from(to.y - from.y));
    let length = dx.hypot(dy).max(1.0);
    let (dx, dy) = (dx / length, dy / length);
    let (x, y) = (f64::from(to.x), f64::from(to.y));
    let (bx, by) = (x - LENGTH * dx, y - LENGTH * dy);
    let (ax, ay) = (bx - HALF * dy, by + HALF * dx);
    let (cx, cy) = (bx + HALF * dy, by - HALF * dx);
    let class = tone_class(tone);
    put(
        out,
        format_args!(
            "<path class=\"{class} head\" d=\"M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{cx:.1} {cy:.1}Z\"/>\n"
        ),
    );
}

fn write_box(area: Area, kind: BoxKind, tone: Tone, out: &mut String) {
    let class = match kind {
        BoxKind::Solid => "solid",
        BoxKind::Frame => "frame",
        BoxKind::Tab => "tab",
        BoxKind::Location => "location",
        BoxKind::Band => "band",
        BoxKind::Note => "remark",
        BoxKind::Bar => "bar",
    };
    let Area { from: Point { x, y }, to } = area;
    let (width, height, tone) = (to.x - x, to.y - y, tone_class(tone));
    put(
        out,
        format_args!(
            "<rect class=\"{tone} {class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
             height=\"{height}\" rx=\"3\"/>\n"
        ),
    );
}

fn write_text(
    (at, anchor): (Point, Anchor),
    label: &Label,
    set: Type,
    tone: Tone,
    out: &mut String,
) {
    let set = match set {
        Type::Plain => "",
        Type::Bold | Type::Name => " bold",
        Type::Message => " message",
        Type::Note => " note",
        Type::Struck => " struck",
        Type::Italic => " italic",
    };
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let (Point { x, y }, class) = (at, tone_class(tone));
    put(out, format_args!("<text class=\"{class}{set}\" x=\"{x}\" y=\"{y}\"{anchor}>"));
    if let Some(full) = &label.full {
        put(out, format_args!("<title>{}</title>", escaped(full)));
    }
    put(out, format_args!("{}</text>\n", escaped(&label.shown)));
}

fn write_dot(at: Point, kind: DotKind, tone: Tone, out: &mut String) {
    let (Point { x, y }, tone) = (at, tone_class(tone));
    let (class, radius) = match kind {
        DotKind::Filled => ("filled", 4),
        DotKind::Small => ("filled", 3),
        DotKind::Hollow => ("hollow", 4),
        DotKind::Person => ("solid", 6),
        DotKind::Diamond => {
            let (l, r, t, b) = (x - 6, x + 6, y - 6, y + 6);
            let path = format!("M{l} {y}L{x} {t}L{r} {y}L{x} {b}Z");
            return put(out, format_args!("<path class=\"{tone} head\" d=\"{path}\"/>\n"));
        }
        DotKind::Cross => {
            let (l, r, t, b) = (x - 5, x + 5, y - 5, y + 5);
            let path = format!("M{l} {t}L{r} {b}M{l} {b}L{r} {t}");
            return put(out, format_args!("<path class=\"{tone} double\" d=\"{path}\"/>\n"));
        }
    };
    put(
        out,
        format_args!("<circle class=\"{tone} {class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n"),
    );
}

/// A text as XML has it. Control characters are written out before.
fn escaped(text: &str) -> std::borrow::Cow<'_, str> {
    quick_xml::escape::escape(text)
}
