//! Sessions of records that do not name theirs: `[[join]]`.

use super::buffer::{BufferedLink, BufferedSession, Events};
use super::condition::Decision;
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
        match write_known(session, record, text)? {
            Ok(range) => Ok(BufferedSession { join: None, range }),
            Err(why) => {
                for (join, rule) in self.joins_of(record) {
                    if let Ok(range) = write_known(&rule.then.id, record, text)? {
                        return Ok(BufferedSession { join: Some(join), range });
                    }
                }
                Err(why)
            }
        }
    }

    /// Adds the ids of a record: each belongs to its session. Without a session, all its ids
    /// belong to the same one.
    ///
    /// # Errors
    /// When an id, a session, or a value that tells whether the record takes part stands in damaged JSON.
    pub(super) fn link_sessions(
        &self,
        record: &Record<'_>,
        events: &mut Events,
    ) -> Result<(), (JoinId, Broken)> {
        let text = &mut events.text;
        let mut first: Option<(JoinId, Range<usize>)> = None;
        for (join, rule) in (0..).map(JoinId).zip(&self.joins) {
            if record.lacks_values()
                && let Decision::Lacks(field) = rule.when.decide(record)
                && record.is_damaged(field)
            {
                return Err((join, Broken::NoField(field)));
            }
            if !rule.when.holds(record) {
                continue;
            }
            let damaged = |why: Broken| (join, why);
            let Ok(id) = write_known(&rule.then.id, record, text).map_err(damaged)? else {
                continue;
            };
            let from = (join, id);
            let session = write_known(&rule.then.session, record, text).map_err(damaged)?;
            if let Ok(range) = session {
                let to = BufferedSession { join: None, range };
                events.links.push(BufferedLink { from, to });
                continue;
            }
            let Some(first) = &first else {
                first = Some(from);
                continue;
            };
            for (from, to) in [(&from, first), (first, &from)] {
                let to = BufferedSession { join: Some(to.0), range: to.1.clone() };
                events.links.push(BufferedLink { from: from.clone(), to });
            }
        }
        Ok(())
    }

    fn joins_of<'m>(
        &'m self,
        record: &'m Record<'_>,
    ) -> impl Iterator<Item = (JoinId, &'m Named<JoinRule>)> {
        let joins = (0..).map(JoinId).zip(&self.joins);
        joins.filter(|(_, join)| join.when.holds(record))
    }
}

/// Writes a session, or an id that tells one; `Ok(Err(…))` if the record has none.
///
/// # Errors
/// When nobody knows it, since it stands in damaged JSON.
fn write_known(
    template: &Template,
    record: &Record<'_>,
    text: &mut String,
) -> Result<Result<Range<usize>, Broken>, Broken> {
    let start = text.len();
    let written = write(template, EventPart::Session, record, text);
    match written {
        Err(Broken::NoField(field)) if record.is_damaged(field) => return written.map(Ok),
        Err(_) => text.truncate(start),
        Ok(_) => {}
    }
    Ok(written)
}
