//! Notes and references.

use super::super::creole::{plain, plain_lines};
use super::super::line::SourceLine;
use super::super::names::{list, skip_looks, strip_any, strip_word};
use super::super::styling::is_end_of;
use super::Parser;
use crate::diagram::model::{Note, ParticipantId, Side, Statement};

/// The kinds of notes.
const KINDS: [&str; 3] = ["note", "hnote", "rnote"];
/// Where a note may stand.
const POSITIONS: [&str; 7] = ["left", "right", "over", "across", "accross", "top", "bottom"];

impl<'a> Parser<'a> {
    /// `note left of A : text`, or lines up to `end note`.
    pub(super) fn note(&mut self, line: &'a SourceLine, text: &str) -> bool {
        let text = text.trim_start_matches('&').trim_start();
        let text = text.strip_prefix('/').unwrap_or(text).trim_start();
        let Some((_, rest)) = strip_any(text, &KINDS) else { return false };
        let Some((position, rest)) = strip_any(skip_looks(rest), &POSITIONS) else {
            let help = "write `note left`, `note right`, `note over A` or `note across`";
            self.error(line.span(), "a note without a position", "this note", help);
            return true;
        };
        let rest = skip_looks(rest);
        let after_of = strip_word(rest, "of").filter(|after| after.starts_with([' ', '\t', '"']));
        let rest = after_of.unwrap_or(rest);
        let (names, rest) = list(rest).unwrap_or((Vec::new(), rest));
        let rest = skip_looks(rest);
        let needs_name = POSITIONS[position] == "over" || after_of.is_some();
        if (names.is_empty() && needs_name) || !(rest.is_empty() || rest.starts_with(':')) {
            let help =
                "write `note over A, B : text`; a name with blanks or signs stands in quotes";
            self.error(line.span(), "a note that cannot be read", "this note", help);
            return true;
        }
        let over = self.members(&names, line);
        let side = match POSITIONS[position] {
            "left" => Side::Left,
            "right" => Side::Right,
            _ => Side::Over,
        };
        self.note_text(line, rest, (over, side), &KINDS, Statement::Note);
        true
    }

    /// `ref over A, B : text`, or lines up to `end ref`.
    pub(super) fn reference(&mut self, line: &'a SourceLine, text: &str) -> bool {
        let Some(rest) = strip_word(text, "ref") else { return false };
        let Some(rest) = strip_word(skip_looks(rest), "over") else { return false };
        let Some((names, rest)) = list(rest) else {
            let help = "write `ref over A, B : text`";
            self.error(line.span(), "a reference without participants", "this line", help);
            return true;
        };
        let over = self.members(&names, line);
        self.note_text(
            line,
            skip_looks(rest),
            (over, Side::Over),
            &["ref", ""],
            Statement::Reference,
        );
        true
    }

    fn members(&mut self, names: &[&str], line: &SourceLine) -> Vec<ParticipantId> {
        names.iter().filter_map(|name| self.named(name, line)).collect()
    }

    /// The text of a note, after a colon or in the lines that follow.
    fn note_text(
        &mut self,
        line: &'a SourceLine,
        rest: &str,
        (over, side): (Vec<ParticipantId>, Side),
        endings: &[&str],
        statement: fn(Note) -> Statement,
    ) {
        if let Some(text) = rest.strip_prefix(':') {
            self.frames.push(statement(Note { over, side, text: plain(text), span: line.span() }));
            return;
        }
        if !rest.is_empty() {
            let help = format!("write `: text`, or the text in lines up to `end {}`", endings[0]);
            return self.error(line.span(), "expected `:` and a text", "in this line", &help);
        }
        let ends = |text: &str| endings.iter().any(|ending| is_end_of(text, ending));
        match self.block(ends) {
            Some((lines, end)) => {
                let text = plain_lines(lines.iter().map(|line| line.text.trim()));
                let span = line.span().to(end.span());
                self.frames.push(statement(Note { over, side, text, span }));
            }
            None => self.not_ended(line, format!("add `end {}`", endings[0])),
        }
    }
}
