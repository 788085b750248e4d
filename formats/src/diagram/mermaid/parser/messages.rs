//! Messages: `A->>+B: text`.

use super::Parser;
use crate::diagram::mermaid::arrow::Drawn;
use crate::diagram::mermaid::cast::Declaration;
use crate::diagram::mermaid::tokens::TokenKind;
use crate::diagram::model::{End, Life, Looks, Message, ParticipantId, Statement};
use crate::source::{Diagnostic, Span};

/// The sign between an arrow and the name behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    None,
    Activate,
    Deactivate,
    /// A central connection.
    Central,
}

/// A message before its participants are known.
struct Signal {
    from: (String, Span),
    to: (String, Span),
    drawn: Drawn,
    /// Whether it has a central connection where it starts.
    is_central: bool,
    suffix: Suffix,
    text: String,
    text_span: Span,
    wrapping: String,
    span: Span,
}

impl Parser<'_> {
    /// A message, whose first name comes next.
    pub(super) fn message(&mut self) -> Result<(), Diagnostic> {
        let signal = self.signal()?;
        let Signal { from: (from, from_span), to: (to, to_span), suffix, .. } = &signal;
        let start = self.end_of_message(from, *from_span)?;
        let end = self.end_of_message(to, *to_span)?;
        self.cast.check_message(from, to)?;
        match suffix {
            Suffix::Activate => self.cast.activate(to),
            Suffix::Deactivate => self.cast.deactivate(from, signal.span)?,
            Suffix::None | Suffix::Central => {}
        }
        let life = match suffix {
            Suffix::Activate => Some((Life::Activate, end)),
            Suffix::Deactivate => Some((Life::Deactivate, start)),
            Suffix::None | Suffix::Central => None,
        };
        let circles = [signal.is_central, *suffix == Suffix::Central];
        let Signal { drawn, text, text_span, wrapping, span, .. } = signal;
        let (from, to) = (End::Participant(start), End::Participant(end));
        let looks = Looks { before: wrapping, ..drawn.looks() };
        let (is_parallel, arrow) = (false, drawn.arrow(circles));
        let message = Message { from, to, text, text_span, arrow, is_parallel, looks, span };
        self.frames.push(Statement::Message(message));
        if let Some((life, participant)) = life {
            self.life(life, participant, span);
        }
        if let Some(destroyed) = self.destroyed.take() {
            self.life(Life::Destroy, destroyed, span);
        }
        Ok(())
    }

    fn end_of_message(&mut self, id: &str, span: Span) -> Result<ParticipantId, Diagnostic> {
        self.cast.declare(Declaration::used(id.to_owned(), span))
    }

    fn signal(&mut self) -> Result<Signal, Diagnostic> {
        let start = self.tokens.get(self.at).map_or(0, |token| token.range.start);
        let from = self.name("a name")?;
        let is_central = self.peek() == Some(TokenKind::Central);
        if is_central {
            self.skip();
        }
        let drawn = self.arrow(start)?;
        let suffix = self.suffix(is_central);
        let to = self.name("the name of who receives the message")?;
        let range = self.expect(TokenKind::Text, "`:` and a text").map_err(without_text)?;
        let wrapping = self.wrapping(range.start + 1..range.end);
        let (text, text_span) = self.text(range.start + 1..range.end);
        let span = self.since(from.1);
        Ok(Signal { from, to, drawn, is_central, suffix, text, text_span, wrapping, span })
    }

    /// The arrow of a message that starts at this byte.
    fn arrow(&mut self, start: usize) -> Result<Drawn, Diagnostic> {
        let Some(TokenKind::Arrow(drawn)) = self.peek() else {
            let error = self.expected("an arrow");
            let before = self.mapped.text()[..start].trim_end_matches([' ', '\t']);
            return Err(error.with_help(if before.ends_with(';') {
                "the `;` before it ends a statement; in a text write it as `#59;`"
            } else {
                "write a message as `A->>B: text`"
            }));
        };
        self.skip();
        Ok(drawn)
    }

    /// `+`, `-` or `()`. After a central connection at the start, only `()` is allowed.
    fn suffix(&mut self, is_central: bool) -> Suffix {
        let suffix = match self.peek() {
            Some(TokenKind::Plus) if !is_central => Suffix::Activate,
            Some(TokenKind::Minus) if !is_central => Suffix::Deactivate,
            Some(TokenKind::Central) => Suffix::Central,
            _ => return Suffix::None,
        };
        self.skip();
        suffix
    }
}

fn without_text(error: Diagnostic) -> Diagnostic {
    error.with_help("write a message as `A->>B: text`; the text may be empty, but not the `:`")
}
