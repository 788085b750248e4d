//! Statements about participants: declarations, boxes, activations, notes and links.

use super::Parser;
use crate::diagram::mermaid::cast::Declaration;
use crate::diagram::mermaid::color::box_texts;
use crate::diagram::mermaid::lexer::trimmed;
use crate::diagram::mermaid::options::{Options, options};
use crate::diagram::mermaid::text::{shown, wrapping};
use crate::diagram::mermaid::tokens::TokenKind;
use crate::diagram::model::{Life, Looks, Note, ParticipantId, Side, Statement};
use crate::source::{Diagnostic, Span};
use std::ops::Range;

impl Parser<'_> {
    /// `participant`, `actor` or `destroy`. The first two may follow `create`.
    pub(super) fn participant(&mut self, is_created: bool) -> Result<(), Diagnostic> {
        let is_destroyed = self.peek() == Some(TokenKind::Destroy);
        let kind = (!is_destroyed).then(|| self.found().to_lowercase());
        self.skip();
        let (id, span) = self.name("the name of a participant")?;
        let mut new = Declaration { kind, ..Declaration::used(id, span) };
        if !is_destroyed {
            self.describe(&mut new)?;
        }
        self.expect_end()?;
        match (is_created, is_destroyed) {
            (true, _) => {
                let span = new.span;
                let created = self.cast.create(new)?;
                self.life(Life::Create, created, span);
                Ok(())
            }
            (false, true) => {
                self.destroyed = self.cast.destroy(&new.id, new.span);
                Ok(())
            }
            (false, false) => self.cast.declare(new).map(drop),
        }
    }

    /// Reads the options and the alias of a declaration.
    fn describe(&mut self, new: &mut Declaration) -> Result<(), Diagnostic> {
        let Options { kind, alias } = self.options()?;
        new.kind = kind.or(new.kind.take());
        let mut label = None;
        if self.peek() == Some(TokenKind::As) {
            self.skip();
            let rest = self.expect(TokenKind::Rest, "a label")?;
            new.wrapping = self.wrapping(rest.clone());
            label = Some(self.text(rest).0);
        }
        // The alias of the options counts unless `as` says more than the name.
        let is_name = label.as_ref().is_none_or(|label| *label == new.id);
        new.label = if is_name { alias.map(|alias| shown(&alias)).or(label) } else { label };
        Ok(())
    }

    fn options(&mut self) -> Result<Options, Diagnostic> {
        if self.peek() != Some(TokenKind::OpenOptions) {
            return Ok(Options::default());
        }
        self.skip();
        let range =
            self.expect(TokenKind::Options, "options, as in `{ \"type\": \"database\" }`")?;
        self.expect(TokenKind::CloseOptions, "`}`")?;
        let range = trimmed(self.mapped.text(), range);
        options(&self.mapped.text()[range.clone()]).map_err(|problem| {
            let Range { start, end } = problem.range;
            let span = self.mapped.span(range.start + start..range.start + end);
            let message = "the options of the participant are not YAML";
            let help =
                "write them as JSON on one line: `{ \"type\": \"queue\", \"alias\": \"Jobs\" }`";
            Diagnostic::new(span, message, problem.message).with_help(help)
        })
    }

    /// `create participant …`.
    pub(super) fn create(&mut self) -> Result<(), Diagnostic> {
        self.skip();
        match self.peek() {
            Some(TokenKind::Participant | TokenKind::Destroy) => self.participant(true),
            _ => Err(self.expected("`participant` or `actor` after `create`")),
        }
    }

    /// `box …`.
    pub(super) fn open_box(&mut self) -> Result<(), Diagnostic> {
        let keyword = self.span();
        self.skip();
        let rest = self.expect(TokenKind::Rest, "the rest of the line")?;
        let text = &self.mapped.text()[rest];
        let (color, title) = box_texts(text);
        let before = wrapping(&text[color.len()..]);
        self.cast.open_box(title, (before, color.trim()), self.since(keyword));
        self.frames.open_box(keyword);
        self.box_has_error = false;
        Ok(())
    }

    /// `activate …` and `deactivate …`, which may name who takes no part.
    pub(super) fn activation(&mut self, kind: TokenKind) -> Result<(), Diagnostic> {
        self.skip();
        let (id, span) = self.name("the name of a participant")?;
        self.expect_end()?;
        let life = if kind == TokenKind::Deactivate {
            self.cast.deactivate(&id, span)?;
            Life::Deactivate
        } else {
            self.cast.activate(&id);
            Life::Activate
        };
        let participant = self.cast.known_or_later(&id);
        self.life(life, participant, span);
        Ok(())
    }

    /// `note left of A: …` or `note over A,B: …`.
    pub(super) fn note(&mut self) -> Result<(), Diagnostic> {
        let start = self.span();
        self.skip();
        let (over, side) = match self.peek() {
            Some(TokenKind::Beside) => {
                let is_left = self.found().starts_with(['l', 'L']);
                self.skip();
                (vec![self.used()?], if is_left { Side::Left } else { Side::Right })
            }
            Some(TokenKind::Over) => (self.pair()?, Side::Over),
            _ => return Err(self.expected("`over`, `left of` or `right of` after `note`")),
        };
        let (text, before) = self.note_text()?;
        let span = self.since(start);
        self.expect_end()?;
        let looks = Looks { before, ..Looks::default() };
        self.frames.push(Statement::Note(Note { over, side, text, looks, span }));
        Ok(())
    }

    /// `over A` or `over A,B`.
    fn pair(&mut self) -> Result<Vec<ParticipantId>, Diagnostic> {
        self.skip();
        let mut over = vec![self.used()?];
        if self.peek() == Some(TokenKind::Comma) {
            self.skip();
            over.push(self.used()?);
            over.dedup();
        }
        Ok(over)
    }

    /// The text behind `:`, and the `wrap:` or `nowrap:` in front of it.
    fn note_text(&mut self) -> Result<(String, String), Diagnostic> {
        let range = self.expect(TokenKind::Text, "`:` and a text")?;
        let range = range.start + 1..range.end;
        Ok((self.text(range.clone()).0, self.wrapping(range)))
    }

    /// `links A: …` and the like.
    pub(super) fn details(&mut self) -> Result<(), Diagnostic> {
        self.skip();
        self.used()?;
        self.note_text()?;
        self.expect_end()
    }

    /// A participant that a statement uses.
    fn used(&mut self) -> Result<ParticipantId, Diagnostic> {
        let (id, span) = self.name("the name of a participant")?;
        self.cast.declare(Declaration::used(id, span))
    }

    /// A name, and where it stands.
    pub(super) fn name(&mut self, what: &str) -> Result<(String, Span), Diagnostic> {
        let span = self.span();
        let range = self.expect(TokenKind::Name, what)?;
        Ok((self.mapped.text()[range].to_owned(), span))
    }
}
