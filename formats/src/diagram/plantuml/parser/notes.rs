//! Notes and references.

use super::super::creole::{dedented, plain, plain_lines, text_looks};
use super::super::line::SourceLine;
use super::super::names::{list, looks, strip_any, strip_word};
use super::super::styling::is_end_of;
use super::Parser;
use crate::diagram::model::{Looks, Note, ParticipantId, Side, Statement};

/// The kinds of notes.
const KINDS: [&str; 3] = ["note", "hnote", "rnote"];
/// Where a note may stand.
const POSITIONS: [&str; 7] = ["left", "right", "over", "across", "accross", "top", "bottom"];

impl<'a> Parser<'a> {
    /// `note left of A : text`, or lines up to `end note`.
    pub(super) fn note(&mut self, line: &'a SourceLine, text: &str) -> bool {
        let text = text.trim_start_matches('&').trim_start();
        let in_row = text.strip_prefix('/');
        let text = in_row.unwrap_or(text).trim_start();
        let Some((kind, rest)) = strip_any(text, &KINDS) else { return false };
        let (first, rest) = looks(rest);
        let Some((position, rest)) = strip_any(rest, &POSITIONS) else {
            let help = "write `note left`, `note right`, `note over A` or `note across`";
            self.error(line.span(), "a note without a position", "this note", help);
            return true;
        };
        let (second, rest) = looks(rest);
        let after_of = strip_word(rest, "of").filter(|after| after.starts_with([' ', '\t', '"']));
        let rest = after_of.unwrap_or(rest);
        let (names, rest) = list(rest).unwrap_or((Vec::new(), rest));
        let (third, rest) = looks(rest);
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
        let looks = Looks {
            before: in_row.map(|_| "/".to_owned()).unwrap_or_default(),
            within: if kind == 0 { String::new() } else { KINDS[kind].to_owned() },
            behind: joined(&[first, second, third]),
            text: String::new(),
        };
        let note = Note { over, side, text: String::new(), looks, span: line.span() };
        self.note_text(line, rest, note, &KINDS, Statement::Note);
        true
    }

    /// `ref over A, B : text`, or lines up to `end ref`.
    pub(super) fn reference(&mut self, line: &'a SourceLine, text: &str) -> bool {
        let Some(rest) = strip_word(text, "ref") else { return false };
        let (first, rest) = looks(rest);
        let Some(rest) = strip_word(rest, "over") else { return false };
        let Some((names, rest)) = list(rest) else {
            let help = "write `ref over A, B : text`";
            self.error(line.span(), "a reference without participants", "this line", help);
            return true;
        };
        let over = self.members(&names, line);
        let (second, rest) = looks(rest);
        let looks = Looks { behind: joined(&[first, second]), ..Looks::default() };
        let note = Note { over, side: Side::Over, text: String::new(), looks, span: line.span() };
        self.note_text(line, rest, note, &["ref", ""], Statement::Reference);
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
        mut note: Note,
        endings: &[&str],
        statement: fn(Note) -> Statement,
    ) {
        if let Some(text) = rest.strip_prefix(':') {
            let text = text.trim();
            note.text = plain(text);
            note.looks.text = text_looks(text, &note.text).text;
            self.frames.push(statement(note));
            return;
        }
        if !rest.is_empty() {
            let help = format!("write `: text`, or the text in lines up to `end {}`", endings[0]);
            return self.error(line.span(), "expected `:` and a text", "in this line", &help);
        }
        let ends = |text: &str| endings.iter().any(|ending| is_end_of(text, ending));
        match self.block(ends) {
            Some((lines, end)) => {
                let marked = dedented(lines.iter().map(|line| line.text.as_str()));
                note.text = plain_lines(marked.iter().map(String::as_str));
                note.looks.text = text_looks(marked.join("\n").trim(), &note.text).text;
                note.span = line.span().to(end.span());
                self.frames.push(statement(note));
            }
            None => self.not_ended(line, format!("add `end {}`", endings[0])),
        }
    }
}

/// Looks that stand at several places of a statement.
fn joined(looks: &[&str]) -> String {
    let found: Vec<&str> = looks.iter().copied().filter(|it| !it.is_empty()).collect();
    found.join(" ")
}
