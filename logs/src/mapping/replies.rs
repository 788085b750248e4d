//! Responses that are named after their requests: `reply-to`.

use super::condition::{Condition, Decision};
use super::template::Template;
use crate::field::{FieldId, FieldPath, Fields};
use crate::record::Record;

/// How responses find their requests, and which fields they ask of them.
#[derive(Clone, Debug)]
pub(crate) struct Replies {
    /// The session, if requests and responses name it themselves.
    pub(super) session: Option<Template>,
    /// Which records are requests: those with a message of their own.
    pub(super) asks: Condition,
    pub(super) request: FieldId,
    pub(super) response: FieldId,
    /// Whether both ids are values of the log, which JSON has as numbers or as texts, and not parts of texts.
    pub(super) has_types: bool,
    /// Which responses are errors.
    pub(super) failed: Condition,
    /// The field with the kind of a response: a result or an error.
    pub(super) reply: FieldId,
    /// Whether a request may have several responses, as in a stream.
    pub(crate) has_many: bool,
    /// The line of the mapping on which it stands.
    pub(super) line: usize,
    /// A field as the mapping names it, and its name in the request.
    pub(super) fields: Vec<(FieldId, FieldId)>,
}

/// The role of a record in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyRole {
    Request,
    Response,
}

/// How the fields of requests begin.
pub(super) const REQUEST: &str = "request.";

impl Replies {
    /// The role of a record, if it has an id.
    pub(crate) fn role(&self, record: &Record<'_>) -> Option<ReplyRole> {
        if record.lacks_values() && self.unknown(record).is_some() {
            return None;
        }
        let (id, role) = match self.asks.holds(record) {
            true => (self.request, ReplyRole::Request),
            false => (self.response, ReplyRole::Response),
        };
        record.get(id).filter(|id| !id.is_empty()).map(|_| role)
    }

    /// The first field in damaged JSON on which its role depends, or its kind if it is a response.
    pub(super) fn unknown(&self, record: &Record<'_>) -> Option<FieldId> {
        if let Decision::Lacks(field) = self.asks.decide(record) {
            return Some(field);
        }
        let is_request = self.asks.holds(record);
        let id = if is_request { self.request } else { self.response };
        if record.is_damaged(id) {
            return Some(id);
        }
        match self.failed.decide(record) {
            Decision::Lacks(field) if !is_request && record.get(id).is_some() => Some(field),
            _ => None,
        }
    }

    /// Writes the values that a request and its responses share.
    pub(crate) fn write_key(&self, record: &Record<'_>, role: ReplyRole, key: &mut String) {
        key.clear();
        if let Some(session) = &self.session
            && session.write(record, key).is_err()
        {
            key.clear();
        }
        key.push('\0');
        let field = if role == ReplyRole::Request { self.request } else { self.response };
        let id = record.get(field).unwrap_or_default();
        // A text that looks like a number is another id than the number.
        if self.has_types && record.is_json_text(field) && id.parse::<f64>().is_ok() {
            key.push('"');
        }
        key.push_str(id);
    }

    /// The kind of a response.
    pub(crate) fn reply(&self, record: &Record<'_>) -> (FieldId, &'static str) {
        (self.reply, if self.failed.holds(record) { "error" } else { "result" })
    }

    /// The field with the id of a response.
    pub(super) fn response(&self) -> FieldId {
        self.response
    }

    /// The fields of requests, with their names there.
    pub(crate) fn fields(&self) -> &[(FieldId, FieldId)] {
        &self.fields
    }

    /// Adds the fields of requests that a mapping asks for.
    pub(super) fn with_fields(mut self, fields: &mut Fields) -> Replies {
        let asked: Vec<(FieldId, FieldPath)> = fields
            .iter()
            .filter_map(|(id, path)| {
                let inner = path.text().strip_prefix(REQUEST)?;
                Some((id, FieldPath::parse(inner).ok()?))
            })
            .filter(|(id, _)| self.fields.iter().all(|(known, _)| known != id))
            .collect();
        self.fields.extend(asked.into_iter().map(|(id, path)| (id, fields.add(path))));
        self
    }

    /// Whether a field may be one of the request.
    pub(super) fn has(&self, field: FieldId) -> bool {
        field == self.reply || self.fields.iter().any(|(asked, _)| *asked == field)
    }

    /// Whether a field is one of the request, which a response needs for it.
    pub(super) fn is_of_request(&self, field: FieldId) -> bool {
        self.fields.iter().any(|(asked, _)| *asked == field)
    }
}
