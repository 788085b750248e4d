//! HIBOU signature files, `.hsf`: the messages and lifelines of a system (paper 000 fig. 14).

use crate::cursor::Cursor;
use crate::lexer::{TokenKind, name_text};
use crate::source::{Diagnostic, Diagnostics, Source, SourceError, Span};
use indexmap::IndexMap;
use multitrace_interaction::Signature;
use std::borrow::Cow;
use std::fmt::Write;

/// Reads `@message{ a;"GET /" } @lifeline{ l1;l2 }`, the sections in either order. A section that is not
/// there declares nothing.
///
/// # Errors
/// All errors of syntax, names that are declared twice, and sections that stand twice.
///
/// ```
/// use multitrace_formats::{hsf, source::Source};
/// let source = Source::new("a.hsf", "@message{ hello } @lifeline{ client; server }");
/// let signature = hsf::parse(&source).expect("a signature");
/// assert!(signature.lifeline("server").is_some());
/// ```
pub fn parse(source: &Source) -> Result<Signature, SourceError> {
    source.spec_text().and_then(parse_text).map_err(|errors| errors.of(source.clone()))
}

fn parse_text(text: &str) -> Result<Signature, Diagnostics> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        sections: [None, None],
        signature: Signature::default(),
    };
    while parser.cursor.peek().is_some() {
        if parser.section().is_none() {
            parser.skip_section();
        }
    }
    parser.cursor.diagnostics.check(parser.signature)
}

/// Writes a signature such that [`parse`] reads the same one.
pub fn print(signature: &Signature) -> String {
    let messages = signature.messages().map(|m| signature.message_name(m));
    let lifelines = signature.lifelines().map(|l| signature.lifeline_name(l));
    let mut text = String::new();
    print_section(&mut text, "message", &messages.map(name_text).collect::<Vec<_>>());
    print_section(&mut text, "lifeline", &lifelines.map(name_text).collect::<Vec<_>>());
    text
}

fn print_section(text: &mut String, section: &str, names: &[Cow<'_, str>]) {
    let indent = if names.is_empty() { "" } else { "    " };
    let end = if names.is_empty() { "" } else { "\n" };
    // Writing to a string does not fail.
    let _ = write!(text, "@{section}{{\n{indent}{}{end}}}\n", names.join(";"));
}

#[derive(Clone, Copy)]
enum Section {
    Message,
    Lifeline,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    /// Where each kind of section stands.
    sections: [Option<Span>; 2],
    signature: Signature,
}

impl<'a> Parser<'a> {
    /// `@kind{ names }`; `None` after an error.
    fn section(&mut self) -> Option<()> {
        let at = self.cursor.expect(TokenKind::At, "`@message` or `@lifeline`")?;
        let (name, span) = self.cursor.word("`message` or `lifeline`")?;
        let section = self.section_kind(name, span)?;
        self.cursor.expect(TokenKind::LeftBrace, "`{`")?;
        let open = self.cursor.previous();
        if self.sections[section as usize].replace(at).is_some() {
            let message = format!("section `@{name}` stands twice");
            let error = Diagnostic::new(at.to(span), message, "second section of this kind");
            self.cursor.report(error.with_help("put all names into one section"));
        }
        self.names(section, open);
        Some(())
    }

    fn section_kind(&mut self, name: &str, span: Span) -> Option<Section> {
        match name {
            "message" => Some(Section::Message),
            "lifeline" => Some(Section::Lifeline),
            _ => {
                let message = format!("unknown section {}", crate::source::quote(name));
                let label = "expected `message` or `lifeline`";
                self.cursor.report(Diagnostic::new(span, message, label));
                None
            }
        }
    }

    fn names(&mut self, section: Section, open: Span) {
        let mut declared = IndexMap::new();
        while !matches!(self.cursor.peek(), Some(TokenKind::RightBrace | TokenKind::At) | None) {
            match self.cursor.name("a name") {
                Some((name, span)) => self.declare(section, name, span, &mut declared),
                None => self.skip_name(),
            }
            self.end_of_name();
        }
        if self.cursor.eat(TokenKind::RightBrace).is_none() {
            let error = Diagnostic::new(open, "`{` is never closed", "opened here");
            self.cursor.report(error.with_help("end the section with `}`"));
        }
    }

    fn declare(
        &mut self,
        section: Section,
        name: Cow<'a, str>,
        span: Span,
        declared: &mut IndexMap<Cow<'a, str>, Span>,
    ) {
        match section {
            Section::Message => {
                self.signature.intern_message(&name);
            }
            Section::Lifeline => {
                self.signature.intern_lifeline(&name);
            }
        }
        let message = format!("{} is declared twice", crate::source::quote(&name));
        if declared.insert(name, span).is_some() {
            self.cursor.report(Diagnostic::new(span, message, "declared before"));
        }
    }

    fn end_of_name(&mut self) {
        let next = self.cursor.peek();
        if self.cursor.eat(TokenKind::Semicolon).is_some()
            || matches!(next, Some(TokenKind::RightBrace | TokenKind::At) | None)
        {
            return;
        }
        self.cursor.expected("`;` or `}`");
        self.skip_name();
        self.cursor.eat(TokenKind::Semicolon);
    }

    fn skip_name(&mut self) {
        use TokenKind::{At, Name, RightBrace, Semicolon};
        // At least one token goes, unless it is one that the caller stops at: no endless loop.
        if self.cursor.peek() != Some(Name) {
            while !matches!(self.cursor.peek(), Some(Semicolon | RightBrace | At | Name) | None) {
                self.cursor.advance();
            }
        }
    }

    fn skip_section(&mut self) {
        self.cursor.advance();
        while !matches!(self.cursor.peek(), Some(TokenKind::At) | None) {
            self.cursor.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        parse(&Source::new("f", text)).expect_err("not a signature").lines().collect()
    }

    fn read(text: &str) -> Signature {
        parse(&Source::new("f", text)).expect("a signature")
    }

    #[test]
    fn sections_in_either_order_with_trailing_semicolon() {
        let signature = read("@lifeline{ a; b; }\n@message{ m }");
        assert_eq!(signature, read("@message{m} @lifeline{a;b}"));
        assert_eq!((signature.lifelines().len(), signature.messages().len()), (2, 1));
        assert_eq!(read("/* nothing */"), Signature::default());
        assert_eq!(read("@message{}"), Signature::default());
    }

    #[test]
    fn printing_reads_back() {
        for text in ["", "@message{m}", "@lifeline{a;b}", "@message{m;n}@lifeline{a}"] {
            let signature = read(text);
            assert_eq!(read(&print(&signature)), signature);
        }
        assert_eq!(print(&read("@message{m;n}")), "@message{\n    m;n\n}\n@lifeline{\n}\n");
    }

    #[test]
    fn all_errors_are_reported() {
        let text = "@message{ a, b; a; ! }\n@mesage{ x }\n@lifeline{ l1; l2\n@lifeline{}";
        assert_eq!(
            errors(text),
            [
                "f:1:12: expected `;` or `}`, found `,`",
                "f:1:17: `a` is declared twice",
                "f:1:20: expected a name, found `!`",
                "f:2:2: unknown section `mesage`",
                "f:3:10: `{` is never closed",
                "f:4:1: section `@lifeline` stands twice",
            ]
        );
        assert_eq!(errors("x"), ["f:1:1: expected `@message` or `@lifeline`, found `x`"]);
    }
}
