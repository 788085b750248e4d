//! Texts with fields in them: `{src}-{dst}`.

use crate::field::{BadPath, FieldId, FieldPath, Fields, TextPiece};
use crate::record::Record;
use multitrace_interaction::names;

/// A text with fields in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<TemplatePiece>,
    /// The template for records without one of its fields.
    otherwise: Option<Box<Template>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Field(FieldId),
}

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadTemplate {
    #[error("`{{` is not closed")]
    Open,
    #[error("`}}` closes nothing")]
    Closed,
    #[error(transparent)]
    Path(#[from] BadPath),
}

impl Template {
    /// One field.
    pub(crate) fn field(field: FieldId) -> Template {
        Template { pieces: vec![TemplatePiece::Field(field)], otherwise: None }
    }

    /// The text itself.
    pub(crate) fn text(text: &str) -> Template {
        Template { pieces: vec![TemplatePiece::Text(text.to_owned())], otherwise: None }
    }

    /// Reads a template; `{{` and `}}` mean the braces themselves.
    pub(crate) fn parse(text: &str, fields: &mut Fields) -> Result<Template, BadTemplate> {
        let mut template = Template::default();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            template.push_text(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                template.push_text(&from[..1]);
                rest = after;
                continue;
            }
            let inside = from.strip_prefix('{').ok_or(BadTemplate::Closed)?;
            let end = field_end(inside).ok_or(BadTemplate::Open)?;
            let path = FieldPath::parse(inside[..end].trim())?;
            template.pieces.push(TemplatePiece::Field(fields.add(path)));
            rest = &inside[end + 1..];
        }
        template.push_text(rest);
        Ok(template)
    }

    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(TemplatePiece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(TemplatePiece::Text(text.to_owned())),
        }
    }

    /// The same with a text behind it.
    pub(crate) fn followed_by(mut self, text: &str) -> Template {
        self.push_text(text);
        self.otherwise = self.otherwise.map(|it| Box::new(it.followed_by(text)));
        self
    }

    /// Its ways as texts that fields can be made of.
    pub(crate) fn texts(&self) -> Vec<Vec<TextPiece>> {
        let piece = |piece: &TemplatePiece| match piece {
            TemplatePiece::Text(text) => TextPiece::Text(text.clone()),
            TemplatePiece::Field(field) => TextPiece::Field(*field),
        };
        self.alternatives().map(|way| way.pieces.iter().map(piece).collect()).collect()
    }

    /// The same with a field behind it.
    pub(crate) fn and_field(mut self, field: FieldId) -> Template {
        self.pieces.push(TemplatePiece::Field(field));
        self
    }

    /// It, and those that count for records without its fields, each by itself.
    pub(crate) fn each_way(&self) -> impl Iterator<Item = Template> {
        self.alternatives().map(|it| Template { pieces: it.pieces.clone(), otherwise: None })
    }

    /// The same with other fields.
    pub(crate) fn with_fields(&self, mut other: impl FnMut(FieldId) -> FieldId) -> Template {
        let pieces = self.pieces.iter().map(|piece| match piece {
            TemplatePiece::Field(field) => TemplatePiece::Field(other(*field)),
            TemplatePiece::Text(text) => TemplatePiece::Text(text.clone()),
        });
        Template { pieces: pieces.collect(), otherwise: None }
    }

    /// The first of some templates whose fields a record has; `None` without any.
    pub(crate) fn first_of(templates: Vec<Template>) -> Option<Template> {
        let before = |otherwise: Option<Template>, template: Template| {
            Some(Template { otherwise: otherwise.map(Box::new), ..template })
        };
        templates.into_iter().rev().fold(None, before)
    }

    /// Writes the text for a record; fails with the field it does not have.
    pub(crate) fn write(&self, record: &Record<'_>, text: &mut String) -> Result<(), FieldId> {
        let start = text.len();
        match (self.write_pieces(record, text), &self.otherwise) {
            // Nobody knows whether a record with damaged JSON has a field.
            (Err(field), Some(otherwise)) if !record.is_damaged(field) => {
                text.truncate(start);
                otherwise.write(record, text)
            }
            (written, _) => written,
        }
    }

    fn write_pieces(&self, record: &Record<'_>, text: &mut String) -> Result<(), FieldId> {
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Text(part) => text.push_str(part),
                TemplatePiece::Field(field) => text.push_str(record.get(*field).ok_or(*field)?),
            }
        }
        Ok(())
    }

    /// The fields in it; of several, those in the first.
    pub(crate) fn fields(&self) -> impl Iterator<Item = FieldId> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Field(field) => Some(*field),
            TemplatePiece::Text(_) => None,
        })
    }

    /// It, and those that count for records without its fields.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = &Template> {
        std::iter::successors(Some(self), |template| template.otherwise.as_deref())
    }

    /// The field it is, if it is nothing else.
    pub(crate) fn as_field(&self) -> Option<FieldId> {
        match self.pieces.as_slice() {
            [TemplatePiece::Field(field)] if self.otherwise.is_none() => Some(*field),
            _ => None,
        }
    }

    /// Whether it is the same for every record.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [TemplatePiece::Text(text)] if self.otherwise.is_none() => Some(text),
            _ => None,
        }
    }
}

/// Where a field ends, outside of quotes.
fn field_end(inside: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    inside.bytes().position(|byte| {
        let ends = byte == b'}' && !quoted;
        quoted ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// Where `!` or `?` stands in the text of an action, outside of fields and quotes.
pub(crate) fn action_mark(text: &str) -> Option<usize> {
    let blanks = text.len() - text.trim_start().len();
    let mut at = blanks + names::quoted_end(&text[blanks..]).unwrap_or(0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(['!', '?']) {
            return Some(at);
        }
        let field = rest.strip_prefix('{').filter(|inside| !inside.starts_with('{'));
        at += match field {
            Some(inside) => field_end(inside)? + 2,
            None if rest.starts_with("{{") => 2,
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    None
}
