//! The plain text of labels: the characters that a person reads in the drawing, without marks of style.

use super::names::starts_with_ignoring_case;
use crate::diagram::model::Looks;

/// Marks that change how the text between a pair of them looks.
const MARKS: [&str; 6] = ["**", "//", "\"\"", "--", "__", "~~"];
/// Tags whose content stays.
const TAGS: [&str; 17] = [
    "b", "i", "u", "s", "w", "back", "color", "font", "size", "sub", "sup", "plain", "strong",
    "em", "code", "del", "strike",
];
/// A tab in the lines of a note, as wide as PlantUML draws it.
const TAB: &str = "        ";
/// Tags whose content is a formula, drawn as a picture.
const FORMULAS: [&str; 2] = ["math", "latex"];

/// The plain text of a label. Lines are separated by `\n`.
pub(crate) fn plain(label: &str) -> String {
    let without_formulas = lines(label, false);
    if without_formulas.is_empty() { lines(label, true) } else { without_formulas }
}

/// The looks of a text alone: bold, coloured, with links or pictures. From the text with its marks, and the plain one.
pub(super) fn text_looks(marked: &str, plain: &str) -> Looks {
    const OTHERS: [&str; 14] = [
        "<b>", "<i>", "<u>", "<s>", "<w", "<color", "<size", "<back", "<font", "<img", "<&", "<$",
        "[[", "|",
    ];
    let count = |text: &str, mark| text.to_lowercase().matches(mark).count();
    let is_item = |line: &str| line.trim_start().starts_with(['*', '#', '=']);
    let items = |text: &str| text.lines().filter(|line| is_item(line)).count();
    let has_marks = MARKS.iter().chain(&OTHERS).any(|it| count(marked, it) > count(plain, it))
        || items(marked) > items(plain);
    let text = if has_marks { marked.to_owned() } else { String::new() };
    Looks { text, ..Looks::default() }
}

/// The same for a text that already has several lines; their indentation stays.
pub(super) fn plain_lines<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> =
        texts.map(|text| format!("{}{}", &text[..indentation(text)], plain(text))).collect();
    texts.join("\n").trim().to_owned()
}

/// The bytes before the first character of a line that is not blank; none in a blank line.
fn indentation(line: &str) -> usize {
    let text = line.trim_start();
    if text.is_empty() { 0 } else { line.len() - text.len() }
}

/// Lines without blanks at their ends and without the indentation that all have.
pub(super) fn dedented<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<String> = lines.map(|it| it.trim_end().replace('\t', TAB)).collect();
    let written = lines.iter().filter(|it| !it.is_empty());
    let common = written.map(|it| indentation(it)).min().unwrap_or(0);
    lines.iter().map(|it| it.get(common..).unwrap_or_default().to_owned()).collect()
}

fn lines(label: &str, keeps_formulas: bool) -> String {
    let lines = split(label).into_iter().map(|line| {
        let mut out = String::with_capacity(line.len());
        let absent = [false; MARKS.len()];
        Text {
            out: &mut out,
            keeps_formulas,
            absent,
            has_no_tag: false,
            has_no_link: false,
            has_no_formula: [false; FORMULAS.len()],
        }
        .read(without_bullet(&line));
        out.trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim().to_owned()
}

/// A line without the mark of a list or a heading.
fn without_bullet(line: &str) -> &str {
    let rest = line.trim_start_matches(['*', '#', '=']);
    let is_open_bold = line.starts_with("**") && !rest.is_empty() && !rest.contains("**");
    let is_bullet = rest.len() < line.len() && rest.starts_with(' ') || is_open_bold;
    if is_bullet && !rest.trim().is_empty() { rest.trim_start() } else { line }
}

/// The lines of a label: `\n`, `\l` and `\r` end one.
fn split(label: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut chars = label.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next_if(|c| "nlrt\\".contains(*c)) } else { None };
        match escaped {
            Some('n' | 'l' | 'r') => lines.push(String::new()),
            _ => {
                let c = if escaped == Some('t') { '\t' } else { c };
                if let Some(line) = lines.last_mut() {
                    line.push(c);
                }
            }
        }
    }
    lines
}

/// One line while its marks are taken out.
struct Text<'a> {
    out: &'a mut String,
    keeps_formulas: bool,
    /// The marks that do not occur any more in the rest of the text, so that it is not searched again.
    absent: [bool; MARKS.len()],
    /// Whether no `>` follows.
    has_no_tag: bool,
    /// Whether no `]]` follows.
    has_no_link: bool,
    /// Of each kind of formula: one is not closed, and so no later one of its kind is.
    has_no_formula: [bool; FORMULAS.len()],
}

impl Text<'_> {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let taken = self.special(rest).unwrap_or_else(|| {
                self.out.push(c);
                c.len_utf8()
            });
            rest = &rest[taken..];
        }
    }

    /// Reads a mark with a meaning at the start of this text; returns its length in bytes.
    fn special(&mut self, rest: &str) -> Option<usize> {
        match rest.as_bytes().first()? {
            b'~' if !rest.starts_with("~~") => self.escape(rest),
            b'*' | b'/' | b'"' | b'-' | b'_' | b'~' => self.marked(rest),
            b'<' => self.tag(rest),
            b'[' => self.link(rest),
            b'&' => self.entity(rest),
            _ => None,
        }
    }

    /// `~` before a mark keeps the mark as it is.
    fn escape(&mut self, rest: &str) -> Option<usize> {
        let after = &rest[1..];
        let first = after.chars().next().filter(|c| "*/\"-_[<#=&~|".contains(*c))?;
        let same = after.chars().take_while(|c| *c == first).count().min(2);
        self.out.push_str(&after[..same]);
        Some(1 + same)
    }

    /// A text between two marks.
    fn marked(&mut self, rest: &str) -> Option<usize> {
        let index = MARKS.iter().position(|mark| rest.starts_with(mark))?;
        if self.absent[index] {
            return None;
        }
        let inner_and_more = &rest[2..];
        let first = inner_and_more.chars().next()?.len_utf8();
        let Some(end) = inner_and_more[first..].find(MARKS[index]) else {
            self.absent[index] = true;
            return None;
        };
        let inner = &inner_and_more[..first + end];
        let keeps_formulas = self.keeps_formulas;
        // The same mark cannot occur inside, so the depth is at most the number of marks.
        let mut absent = [false; MARKS.len()];
        absent[index] = true;
        Text {
            out: self.out,
            keeps_formulas,
            absent,
            has_no_tag: false,
            has_no_link: false,
            has_no_formula: [false; FORMULAS.len()],
        }
        .read(inner);
        Some(2 + inner.len() + 2)
    }

    /// `<…>`: a tag, an icon, a character by its number.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let end = rest.char_indices().take(MAX_TAG).find(|(_, c)| *c == '>').map(|(at, _)| at);
        if !self.has_no_tag && starts_with_ignoring_case(rest, "<img") {
            let end = rest.find('>');
            self.has_no_tag = end.is_none();
            return end.map(|end| end + 1);
        }
        let end = end?;
        let inside = &rest[1..end];
        if let Some(code) = inside.strip_prefix("U+").or_else(|| inside.strip_prefix("u+")) {
            self.out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
            return Some(end + 1);
        }
        if let Some(formula) = self.formula(rest, inside, end) {
            return Some(formula);
        }
        is_style(inside).then_some(end + 1)
    }

    /// `<math>…</math>`.
    fn formula(&mut self, rest: &str, inside: &str, end: usize) -> Option<usize> {
        let kind = FORMULAS.iter().position(|name| inside.eq_ignore_ascii_case(name))?;
        let closing = format!("</{}>", FORMULAS[kind]);
        if self.has_no_formula[kind] {
            return None;
        }
        let Some(length) = rest[end + 1..].find(&closing) else {
            self.has_no_formula[kind] = true;
            return None;
        };
        if self.keeps_formulas {
            self.out.push_str(&rest[end + 1..end + 1 + length]);
        }
        Some(end + 1 + length + closing.len())
    }

    /// `[[url label]]` or `[[url]]`.
    fn link(&mut self, rest: &str) -> Option<usize> {
        let inner = rest.strip_prefix("[[").filter(|_| !self.has_no_link)?;
        let Some(end) = inner.find("]]") else {
            self.has_no_link = true;
            return None;
        };
        let inner = &inner[..end];
        let (url, label) = split_link(inner);
        self.out.push_str(if label.is_empty() { url } else { label });
        Some(2 + inner.len() + 2)
    }

    /// `&#8734;`.
    fn entity(&mut self, rest: &str) -> Option<usize> {
        let digits = rest.strip_prefix("&#")?;
        let end = digits.bytes().take(8).position(|byte| byte == b';')?;
        self.out.push(char::from_u32(digits[..end].parse().ok()?)?);
        Some(2 + end + 1)
    }
}

/// The longest tag, in characters.
const MAX_TAG: usize = 200;

/// The address and the label of a link; a tooltip in braces stands between them.
fn split_link(inner: &str) -> (&str, &str) {
    let inner = inner.trim();
    let end = inner.find([' ', '\t', '{']).unwrap_or(inner.len());
    let (url, rest) = inner.split_at(end);
    let label = match rest.strip_prefix('{').and_then(|tip| tip.split_once('}')) {
        Some((_, label)) => label,
        None => rest,
    };
    (url.trim_matches('"'), label.trim())
}

/// Whether the inside of a tag only says how something looks, or is a picture.
fn is_style(inside: &str) -> bool {
    if inside.starts_with(['$', '&', ':']) && inside.len() > 1 {
        return !inside.contains(' ') || inside.contains(',');
    }
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let end = name.find([':', ' ', '=', '#']).unwrap_or(name.len());
    let name = name[..end].to_ascii_lowercase();
    TAGS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn marks_and_tags_are_taken_out() {
        for (label, expected) in [
            ("**a** //b// \"\"c\"\" __d__ --e-- ~~f~~", "a b c d e f"),
            ("<b>a</b> <color:red>b</color> <size:10>c <back:#fff>d", "a b c d"),
            ("<color #red>a</color> <font color=red>b</font>", "a b"),
            ("**a //b// c**", "a b c"),
            ("* item", "item"),
            ("**a\\nb**", "a\nb**"),
            ("a <&icon> b <$sprite{scale=2}> <img:x.png>", "a  b"),
            ("<U+221E> &#8734; &amp;", "∞ ∞ &amp;"),
            ("[[http://x.y lab el]] [[foo]] [[u{tip} l]]", "lab el foo l"),
        ] {
            assert_eq!(plain(label), expected, "{label}");
        }
    }

    #[test]
    fn other_text_stays() {
        for label in ["a*b", "2 ** 3", "<ID> <foo>", "~5 min", "a - b", "get_x", "[a]", "f(\"x\")"]
        {
            assert_eq!(plain(label), label);
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(plain("~**q** ~[[x]]"), "**q** [[x]]");
        assert_eq!(plain("a\\nb\\tc \\\\n d\\q"), "a\nb\tc \\n d\\q");
        assert_eq!(plain("\\n a \\n"), "a");
    }

    #[test]
    fn formulas_are_pictures_unless_they_are_all() {
        assert_eq!(plain("solve <math>x^2</math>"), "solve");
        assert_eq!(plain("<math>x^2</math>"), "x^2");
    }

    #[test]
    fn many_marks_are_read_in_linear_time() {
        let text = "**a ".repeat(100_001) + "//" + &"[[ < ~ <math>".repeat(10_000);
        assert!(plain(&text).len() > 100_000);
    }
}
