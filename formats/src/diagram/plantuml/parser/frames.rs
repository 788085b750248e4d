//! Frames with operands: `alt … else … end` and the like.

use super::super::creole::{plain, text_looks};
use super::super::line::SourceLine;
use super::super::names::strip_any;
use super::Parser;
use crate::diagram::model::{FragmentOperand, FragmentOperator, Looks, MAX_FRAMES};

/// The keywords that start the next operand of a frame.
const DIVIDING: [&str; 2] = ["else", "also"];
/// The frames with one operand.
const UNDIVIDED: [(&str, FragmentOperator); 2] =
    [("loop", FragmentOperator::Loop), ("break", FragmentOperator::Break)];
/// The keywords of frames.
const OPENING: [(&str, FragmentOperator); 9] = [
    ("opt", FragmentOperator::Opt),
    ("alt", FragmentOperator::Alt),
    ("loop", FragmentOperator::Loop),
    ("par2", FragmentOperator::Par),
    ("par", FragmentOperator::Par),
    ("break", FragmentOperator::Break),
    ("critical", FragmentOperator::Critical),
    ("group", FragmentOperator::Group),
    ("partition", FragmentOperator::Group),
];

impl Parser<'_> {
    /// `alt text`, `else text`, `end`.
    pub(super) fn frame(&mut self, line: &SourceLine, text: &str) -> bool {
        let (before, text) = match text.strip_prefix('&') {
            Some(rest) => ("&", rest.trim_start()),
            None => ("", text),
        };
        if let Some((word, rest)) = strip_any(text, &DIVIDING) {
            let within = if word == 0 { "" } else { DIVIDING[word] };
            self.divide(line, DIVIDING[word], operand(line, rest, ("", within)));
        } else if let Some((_, rest)) = strip_any(text, &["end"]) {
            if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
                return false;
            }
            self.activations.frame();
            let is_open = self.frames.close(line.span());
            self.within_frame(is_open, line, "`end` without a frame");
        } else {
            let opening = OPENING.iter().find_map(|(word, operator)| {
                strip_any(text, &[word]).map(|(_, rest)| (*word, *operator, rest))
            });
            let Some((word, operator, rest)) = opening else { return false };
            if !(rest.is_empty() || rest.starts_with([' ', '\t', '#'])) {
                return false;
            }
            let within = if word == operator.keyword() { "" } else { word };
            self.open_frame(line, operator, operand(line, rest, (before, within)));
        }
        true
    }

    /// Starts the next operand. PlantUML draws a line in every kind of frame; it has a meaning in some.
    fn divide(&mut self, line: &SourceLine, word: &str, operand: FragmentOperand) {
        let undivided = self.frames.innermost_operator().and_then(|innermost| {
            UNDIVIDED.iter().find(|(_, operator)| *operator == innermost).map(|(name, _)| *name)
        });
        if let Some(name) = undivided {
            let message = format!("`{word}` in `{name}`");
            let help = format!(
                "`{word}` divides `alt`, `opt`, `par`, `critical` and `group` only: put an `alt` into the `{name}`"
            );
            return self.error(line.span(), &message, "this line", &help);
        }
        let is_open = self.frames.divide(operand);
        self.within_frame(is_open, line, &format!("`{word}` without a frame"));
    }

    fn open_frame(
        &mut self,
        line: &SourceLine,
        operator: FragmentOperator,
        operand: FragmentOperand,
    ) {
        // A frame beyond the limit is reported once, and ends the diagram.
        if self.frames.depth() < MAX_FRAMES {
            self.frames.open(operator, operand);
            return;
        }
        self.next = self.lines.len();
        let message = format!("frames nested deeper than {MAX_FRAMES} levels");
        self.error(line.span(), &message, "this one", "close a frame before, or split the diagram");
        self.frames.forget_open();
    }

    fn within_frame(&mut self, is_open: bool, line: &SourceLine, message: &str) {
        if !is_open {
            let help = "remove it, or open a frame before";
            self.error(line.span(), message, "no frame is open here", help);
        }
    }
}

fn operand(line: &SourceLine, rest: &str, (before, within): (&str, &str)) -> FragmentOperand {
    let whole = rest.trim_start();
    let mut rest = whole;
    while rest.starts_with('#') {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[end..].trim_start();
    }
    let color = whole[..whole.len() - rest.len()].trim_end().to_owned();
    let text = plain(rest);
    let (before, within) = (before.to_owned(), within.to_owned());
    let looks = Looks { before, within, ..text_looks(rest.trim(), &text) };
    FragmentOperand { text, color, looks, header: line.span(), body: Vec::new() }
}
