//! Messages: who, how, to whom. The order of the pieces is that of PlantUML's own expressions.

use super::names::{Name, code, code_or_quoted, looks, name};
use crate::diagram::model::{Arrow, Head, Looks, Sign};

/// A message as its line says it.
#[derive(Debug)]
pub(super) struct Parsed<'t> {
    /// Whether it starts with `&`.
    pub(super) is_parallel: bool,
    /// The sender; `None` for the edge of the diagram.
    pub(super) from: Option<Name<'t>>,
    /// The receiver; `None` for the edge of the diagram.
    pub(super) to: Option<Name<'t>>,
    /// Further receivers, `A -> B & C`.
    pub(super) also_to: Vec<&'t str>,
    /// How it is drawn.
    pub(super) arrow: Arrow,
    /// Whether it is not drawn.
    pub(super) is_hidden: bool,
    /// Whether an end that is outside is near the participant (`?`).
    pub(super) is_near: bool,
    /// Whether it points to the left.
    pub(super) is_reversed: bool,
    /// `++`, `--`, `**`, `!!` or two of them; may be empty.
    pub(super) activation: &'t str,
    /// The text after the colon.
    pub(super) text: Option<&'t str>,
    /// Its further looks.
    pub(super) looks: Looks,
}

/// Why a line that looks like a message is not a message.
#[derive(Debug)]
pub(super) struct Problem<'t> {
    /// Where.
    pub(super) at: &'t str,
    /// The error.
    pub(super) message: &'static str,
    /// The text for its place.
    pub(super) label: &'static str,
    /// The remedy.
    pub(super) help: &'static str,
}

/// A side of an arrow: a participant, or the edge.
struct Side<'t> {
    name: Option<Name<'t>>,
    decoration: Option<char>,
    /// Whether it is written `?`.
    is_near: bool,
}

/// The line of an arrow with the signs at its ends.
struct Shaft<'t> {
    left: &'t str,
    right: &'t str,
    left_decoration: Option<char>,
    right_decoration: Option<char>,
    is_dotted: bool,
    is_hidden: bool,
    /// With its brackets; may be empty.
    style: &'t str,
    /// With its parentheses; may be empty.
    slant: &'t str,
}

impl Shaft<'_> {
    fn has_head(&self) -> bool {
        let is_cross = |decoration| decoration == Some('x');
        let decorations = is_cross(self.left_decoration) || is_cross(self.right_decoration);
        !self.left.is_empty() || !self.right.is_empty() || decorations
    }
}

/// Reads a message; `None` if the line has no arrow where a message has it.
pub(super) fn parse(line: &str) -> Option<Result<Parsed<'_>, Problem<'_>>> {
    let (is_parallel, rest) = match line.strip_prefix('&') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line),
    };
    let without_anchor = skip_anchor(rest);
    let before = rest[..rest.len() - without_anchor.len()].trim();
    let (left, rest) = left_side(without_anchor);
    let start = skip_anchor(rest);
    // `B (10)<- A`
    let straight = Some(slant(start)).filter(|rest| rest.starts_with('<')).unwrap_or(start);
    let (mut shaft, after) = shaft(straight, &left)?;
    if straight.len() < start.len() {
        shaft.slant = &start[..start.len() - straight.len()];
    }
    let whole = &rest[..rest.len() - after.len()];
    let (right, rest) = right_side(after, shaft.right_decoration);
    if !shaft.has_head() && (left.name.is_none() || right.name.is_none()) {
        return None;
    }
    let (also_to, rest) = more_receivers(rest);
    let (activation, rest) = activation(skip_anchor(rest));
    let (behind, rest) = looks(rest);
    let text = match rest.strip_prefix(':') {
        Some(text) => Some(text.trim()),
        None if rest.is_empty() => None,
        None => return Some(Err(no_colon(rest))),
    };
    let directed = match direct(shaft, left, right, whole) {
        Ok(directed) => directed,
        Err(problem) => return Some(Err(problem)),
    };
    let mut looks = directed.looks;
    (looks.before, looks.behind) = (before.to_owned(), behind.to_owned());
    Some(Ok(Parsed { is_parallel, also_to, activation, text, looks, ..directed }))
}

fn no_colon(rest: &str) -> Problem<'_> {
    Problem {
        at: rest,
        message: "a message that goes on after the participant",
        label: "expected `:` and the text of the message",
        help: "write `A -> B : text`; a name with blanks or signs stands in quotes",
    }
}

/// `{start}` before a participant.
fn skip_anchor(text: &str) -> &str {
    let text = text.trim_start();
    let anchor = text.strip_prefix('{').and_then(|inner| inner.split_once('}'));
    match anchor {
        Some((name, rest)) if rest.starts_with([' ', '\t']) && code(name) == Some((name, "")) => {
            rest.trim_start()
        }
        _ => text,
    }
}

fn left_side(text: &str) -> (Side<'_>, &str) {
    if let Some((name, rest)) = name(text) {
        return (Side { name: Some(name), decoration: None, is_near: false }, rest);
    }
    let Some(rest) = text.strip_prefix(['[', ']', '?']) else {
        return (Side { name: None, decoration: None, is_near: false }, text);
    };
    // `[[` opens a link and `[#red]->` a style.
    if text.starts_with("[#") || text.starts_with("[[") {
        return (Side { name: None, decoration: None, is_near: false }, text);
    }
    let decoration = decoration(rest).filter(|_| rest.starts_with(DECORATIONS));
    let rest = if decoration.is_some() { &rest[1..] } else { rest };
    (Side { name: None, decoration, is_near: text.starts_with('?') }, rest)
}

/// The arrow itself. Its text starts after the participant or the edge on the left.
fn shaft<'t>(text: &'t str, left: &Side<'t>) -> Option<(Shaft<'t>, &'t str)> {
    let (left_decoration, rest) = match text.strip_prefix(DECORATIONS) {
        Some(rest) if left.name.is_some() && rest.starts_with(['<', '/', '\\', '-', '[']) => {
            (decoration(text), rest)
        }
        _ => (left.decoration, text),
    };
    let (left_head, rest) = head(rest, '<');
    let first = rest.len() - rest.trim_start_matches('-').len();
    let (style, after) = style(&rest[first..]);
    let style_text = &rest[first..rest.len() - after.len()];
    let second = after.len() - after.trim_start_matches('-').len();
    if first + second == 0 || (style.is_none() && second > 0) {
        return None;
    }
    let (right_head, rest) = head(&after[second..], '>');
    let straight = slant(rest);
    let slant = &rest[..rest.len() - straight.len()];
    let (right_decoration, rest) = right_decoration(straight);
    let shaft = Shaft {
        left: left_head,
        right: right_head,
        left_decoration,
        right_decoration,
        is_dotted: first + second > 1,
        is_hidden: style.is_some_and(|style| style.split(',').any(|part| part == "hidden")),
        style: style_text,
        slant,
    };
    Some((shaft, rest))
}

/// `<`, `<<`, `/`, `//`, `\`, `\\` or nothing.
fn head(text: &str, sign: char) -> (&str, &str) {
    let first = text.chars().next().filter(|c| *c == sign || matches!(c, '/' | '\\'));
    let length = match first {
        None => 0,
        Some(first) => text.chars().take_while(|c| *c == first).count().min(2),
    };
    text.split_at(length)
}

/// `[#red,dashed]` within an arrow.
fn style(text: &str) -> (Option<&str>, &str) {
    let style = text.strip_prefix('[').and_then(|inner| inner.split_once(']'));
    match style {
        Some((style, rest)) if rest.starts_with(['-', '>', '/', '\\', ' ', 'o', 'x']) => {
            (Some(style), rest)
        }
        _ => (None, text),
    }
}

/// The characters at an end of an arrow, in any case.
const DECORATIONS: [char; 4] = ['o', 'x', 'O', 'X'];

/// The decoration at the start of a text, in lower case.
fn decoration(text: &str) -> Option<char> {
    text.chars().next().map(|c| c.to_ascii_lowercase())
}

/// The text after `(10)`, by which an arrow is slanted.
fn slant(text: &str) -> &str {
    let inside = text.strip_prefix('(').and_then(|inside| inside.split_once(')'));
    match inside {
        Some((pixels, rest))
            if !pixels.is_empty() && pixels.bytes().all(|b| b.is_ascii_digit()) =>
        {
            rest
        }
        _ => text,
    }
}

/// `o` or `x` after an arrow, before a blank or an edge.
fn right_decoration(text: &str) -> (Option<char>, &str) {
    match text.strip_prefix(DECORATIONS) {
        Some(rest) if rest.starts_with([' ', '\t', ']', '?', '[', '"']) => (decoration(text), rest),
        _ => (None, text),
    }
}

fn right_side(text: &str, decoration: Option<char>) -> (Side<'_>, &str) {
    if let Some(rest) = text.strip_prefix([']', '[', '?']) {
        return (Side { name: None, decoration, is_near: text.starts_with('?') }, rest);
    }
    match name(skip_anchor(text)) {
        Some((name, rest)) => (Side { name: Some(name), decoration, is_near: false }, rest),
        None => (Side { name: None, decoration, is_near: false }, text.trim_start()),
    }
}

/// ` & C & D`.
fn more_receivers(text: &str) -> (Vec<&str>, &str) {
    let (mut names, mut rest) = (Vec::new(), text);
    while let Some(after) = rest.trim_start().strip_prefix('&') {
        let Some((name, after)) = code_or_quoted(after.trim_start()) else { break };
        names.push(name);
        rest = after;
    }
    (names, rest)
}

fn activation(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(['+', '-', '*', '!']);
    (&text[..text.len() - rest.len()], rest)
}

/// Finds out which way the arrow points.
fn direct<'t>(
    shaft: Shaft<'t>,
    left: Side<'t>,
    right: Side<'t>,
    whole: &'t str,
) -> Result<Parsed<'t>, Problem<'t>> {
    if !shaft.has_head() {
        return Err(no_head(whole));
    }
    let is_right =
        !shaft.right.is_empty() || (shaft.left.is_empty() && shaft.right_decoration == Some('x'));
    if left.name.is_none() && right.name.is_none() {
        return Err(no_participant(whole));
    }
    let (tail, tip, from, to) = if is_right {
        (shaft.left_decoration, (shaft.right, shaft.right_decoration), left, right)
    } else {
        (shaft.right_decoration, (shaft.left, shaft.left_decoration), right, left)
    };
    Ok(Parsed {
        is_parallel: false,
        from: from.name,
        to: to.name,
        also_to: Vec::new(),
        arrow: Arrow {
            is_dotted: shaft.is_dotted,
            head: head_of(tip.0, tip.1),
            tail: (is_right && !shaft.left.is_empty()).then(|| head_of(shaft.left, None)),
            is_reversed: false,
            signs: [tail, tip.1.filter(|it| *it == 'o')].map(|it| it.map(sign)),
        },
        is_hidden: shaft.is_hidden,
        is_near: from.is_near || to.is_near,
        is_reversed: !is_right,
        activation: "",
        text: None,
        looks: Looks { within: within(&shaft, is_right), ..Looks::default() },
    })
}

/// Style, halves of heads and slant, of an arrow to the right.
fn within(shaft: &Shaft<'_>, is_right: bool) -> String {
    let half = |head: &str| {
        if head.starts_with(['/', '\\']) { head.to_owned() } else { String::new() }
    };
    let mut halves = if is_right { half(shaft.right) } else { turned(&half(shaft.left)) };
    let tail = if is_right { half(shaft.left) } else { String::new() };
    if !tail.is_empty() {
        halves = format!("{halves},{tail}");
    }
    format!("{}{halves}{}", shaft.style, shaft.slant)
}

/// A head of an arrow in the other direction.
pub(crate) fn turned(head: &str) -> String {
    let turn = |c| match c {
        '/' => '\\',
        '\\' => '/',
        '>' => '<',
        other => other,
    };
    head.chars().map(turn).collect()
}

fn sign(decoration: char) -> Sign {
    if decoration == 'x' { Sign::Cross } else { Sign::Circle }
}

fn head_of(head: &str, decoration: Option<char>) -> Head {
    match (head, decoration) {
        (_, Some('x')) => Head::Cross,
        ("<" | ">", _) => Head::Filled,
        _ => Head::Open,
    }
}

fn no_head(whole: &str) -> Problem<'_> {
    Problem {
        at: whole,
        message: "an arrow without a head",
        label: "this line",
        help: "write `->` or `<-`",
    }
}

fn no_participant(whole: &str) -> Problem<'_> {
    Problem {
        at: whole,
        message: "an arrow without a participant",
        label: "both of its ends are outside",
        help: "name a participant at one end",
    }
}

#[cfg(test)]
mod tests;
