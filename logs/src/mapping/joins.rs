//! Sessions of records that do not name theirs: `[[join]]`.

use super::buffer::{BufferedLink, BufferedSession, Events};
use super::definition::{Mapping, write};
use super::ids::JoinId;
use super::mapped::{Broken, EventPart};
use super::rule::{JoinRule, Lost, Named};
use super::session_ref::SessionRef;
use super::template::Template;
use crate::record::Record;
use multitrace_formats::source::quote;
use std::ops::Range;

impl Mapping {
    /// Whether the sessions of some records are known when all records have been read.
    pub fn has_joins(&self) -> bool {
        !self.joins.is_empty()
    }

    /// The treatment of events that have an id of a join that leads to no session.
    pub(crate) fn lost(&self, JoinId(index): JoinId) -> Lost {
        self.joins.get(index as usize).map_or(Lost::Error, |join| join.then.lost)
    }

    /// The name of a join in messages: the id, and where the mapping asks for it.
    pub fn join_name(&self, JoinId(index): JoinId) -> String {
        let Some(join) = self.joins.get(index as usize) else { return String::new() };
        format!("{} of {}:{}", self.id_name(join), self.source.name(), join.line)
    }

    fn id_name(&self, join: &Named<JoinRule>) -> String {
        let paths = join.then.id.fields().map(|field| format!("`{}`", self.fields.path(field)));
        paths.collect::<Vec<_>>().join(", ")
    }

    /// A session in words.
    pub fn session_name(&self, session: SessionRef<'_>) -> String {
        match session {
            SessionRef::Named(name) => name.to_owned(),
            SessionRef::Joined { join: JoinId(index), id } => {
                let name = self.joins.get(index as usize).map(|join| self.id_name(join));
                format!("of {} {}", name.unwrap_or_default(), quote(id))
            }
        }
    }

    /// Writes the session of a record. Without one, the first id that the record has tells it.
    pub(super) fn write_session(
        &self,
        session: &Template,
        record: &Record<'_>,
        text: &mut String,
    ) -> Result<BufferedSession, Broken> {
        let start = text.len();
        match write(session, EventPart::Session, record, text) {
            Ok(range) => Ok(BufferedSession { join: None, range }),
            Err(why) => {
                text.truncate(start);
                let first = self.joins_of(record).find_map(|(join, rule)| {
                    let range = write_id(rule, record, text)?;
                    Some(BufferedSession { join: Some(join), range })
                });
                first.ok_or(why)
            }
        }
    }

    /// Adds the ids of a record: each belongs to its session. Without a session, all its ids
    /// belong to the same one.
    pub(super) fn link_sessions(&self, record: &Record<'_>, events: &mut Events) {
        if self.joins.is_empty() {
            return;
        }
        let text = &mut events.text;
        let mut first: Option<(JoinId, Range<usize>)> = None;
        for (join, rule) in self.joins_of(record) {
            let Some(id) = write_id(rule, record, text) else { continue };
            let from = (join, id);
            let start = text.len();
            if let Ok(range) = write(&rule.then.session, EventPart::Session, record, text) {
                let to = BufferedSession { join: None, range };
                events.links.push(BufferedLink { from, to });
                continue;
            }
            text.truncate(start);
            let Some(first) = &first else {
                first = Some(from);
                continue;
            };
            for (from, to) in [(&from, first), (first, &from)] {
                let to = BufferedSession { join: Some(to.0), range: to.1.clone() };
                events.links.push(BufferedLink { from: from.clone(), to });
            }
        }
    }

    fn joins_of<'m>(
        &'m self,
        record: &'m Record<'_>,
    ) -> impl Iterator<Item = (JoinId, &'m Named<JoinRule>)> {
        let joins = (0..).map(JoinId).zip(&self.joins);
        joins.filter(|(_, join)| join.when.holds(record))
    }
}

/// Writes the id that a record has for a join, if it has one.
fn write_id(
    join: &Named<JoinRule>,
    record: &Record<'_>,
    text: &mut String,
) -> Option<Range<usize>> {
    let start = text.len();
    let range = write(&join.then.id, EventPart::Session, record, text);
    if range.is_err() {
        text.truncate(start);
    }
    range.ok()
}
