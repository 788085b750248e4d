//! The mapping from records to events.

use super::buffer::{Binding, BufferedBinding, BufferedEvent, BufferedMark, Events};
use super::condition::{Condition, Decision, Test};
use super::ids::{JoinId, RoleId, RuleId, SessionFilterId};
use super::mapped::{Broken, EventPart, MappedRecord};
use super::order::OrderKey;
use super::order_fields::{OrderFields, OrderRule};
use super::relations::Relations;
use super::rename::{KnownNames, Renames};
use super::replies::Replies;
use super::role::{RoleError, RoleLifeline, RoleNames};
use super::rule::{
    ActionTemplate, JoinRule, Named, RoleRule, RuleKind, SessionFilter, Ties, Unmatched,
};
use super::session_ref::SessionRef;
use super::span_rules::SPANS_NAME;
use super::template::Template;
use crate::field::{FieldId, Fields};
use crate::format::{Format, InputOptions};
use crate::record::Record;
use multitrace_formats::source::{Source, Span, quote};
use std::ops::Range;

/// The mapping from records to events.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub(super) source: Source,
    pub(super) input: InputOptions,
    pub(super) fields: Fields,
    /// Where the text names each of them first.
    pub(super) field_places: Vec<Span>,
    pub(super) orders: OrderFields,
    pub(super) ties: Ties,
    /// At least one must hold, if there is any.
    pub(super) keep: Vec<Named<()>>,
    pub(super) drop: Vec<Named<()>>,
    pub(super) session_filters: Vec<Named<SessionFilter>>,
    pub(super) joins: Vec<Named<JoinRule>>,
    /// After so long without an event another session begins, in units of 10^-18 seconds.
    pub(super) gap: Option<i128>,
    pub(super) roles: Vec<Named<RoleRule>>,
    /// The first that matches counts.
    pub(super) rules: Vec<Named<RuleKind>>,
    /// The fields that spans read of one another, if they do.
    pub(super) relations: Option<Relations>,
    /// How responses find their requests.
    pub(super) replies: Option<Replies>,
    pub(super) lifelines: Renames,
    pub(super) messages: Renames,
    pub(super) unmatched: Unmatched,
    /// The first fields that conditions of rules test.
    pub(super) tested: Vec<FieldId>,
    /// Where the patterns of plain text stand.
    pub(super) patterns_place: Option<Span>,
}

impl Mapping {
    /// The text it was read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// How inputs are read.
    pub fn input(&self) -> &InputOptions {
        &self.input
    }

    /// The same mapping for inputs in another format than its `[input]` says.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Mapping {
        self.input.format = Some(format);
        self
    }

    /// The fields records must be read with.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The treatment of records that no rule matches.
    pub fn unmatched(&self) -> Unmatched {
        self.unmatched
    }

    /// The treatment of events of one location that have the same order.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// Whether some sessions are left out because of their records.
    pub fn has_session_filters(&self) -> bool {
        !self.session_filters.is_empty()
    }

    /// Whether only sessions count that have a record of `[[keep-session]]`.
    pub fn keeps_sessions(&self) -> bool {
        self.session_filters.iter().any(|it| it.then.filter == SessionFilterId::Keep)
    }

    /// After how long without an event another session begins, in units of 10^-18 seconds.
    pub fn gap(&self) -> Option<i128> {
        self.gap
    }

    /// Whether events carry the value of an order field. Those that do not keep the order of the
    /// input.
    pub fn is_ordered(&self) -> bool {
        let actions = self.rules.iter().filter_map(|rule| match &rule.then {
            RuleKind::Actions(actions) => Some(actions),
            RuleKind::Drop => None,
        });
        actions.flatten().any(|action| action.order.is_some())
    }

    /// Whether times of an order lack the day or the year, so that they may begin again.
    pub(crate) fn has_partial_times(&self) -> bool {
        self.orders.have_partial_times()
    }

    /// The fields that spans read of one another, if they do: then all of a trace are read before any is mapped.
    pub(crate) fn relations(&self) -> Option<&Relations> {
        self.relations.as_ref()
    }

    /// How responses find their requests, if they ask for them.
    pub(crate) fn replies(&self) -> Option<&Replies> {
        self.replies.as_ref()
    }

    /// Whether some records wait for others, since they ask for fields of them.
    pub(crate) fn maps_late(&self) -> bool {
        self.relations.is_some() || self.replies.is_some()
    }

    /// When a span began, if its record says so.
    pub(crate) fn start_of(&self, relations: &Relations, record: &Record<'_>) -> Option<OrderKey> {
        self.orders.key(relations.start, record, &mut String::new()).ok()
    }

    /// Whether lifelines have roles: their names are then known when the whole session is.
    pub fn has_roles(&self) -> bool {
        !self.roles.is_empty()
    }

    /// The name of a rule, for explanations.
    pub fn rule_name(&self, rule: RuleId) -> &str {
        match rule {
            RuleId::Rule(index) => self.rules.get(index as usize).map_or("", |rule| &rule.name),
            RuleId::Drop(index) => self.drop.get(index as usize).map_or("", |rule| &rule.name),
            RuleId::Role(index) => self.roles.get(index as usize).map_or("", |role| &role.name),
            RuleId::SessionFilter(index) => {
                self.session_filters.get(index as usize).map_or("", |rule| &rule.name)
            }
            RuleId::Join(index) => self.joins.get(index as usize).map_or("", |join| &join.name),
            RuleId::ReplyTo => "reply-to",
            RuleId::Keep => "[[keep]]",
        }
    }

    /// The line of the mapping on which a rule stands.
    pub fn rule_line(&self, rule: RuleId) -> usize {
        match rule {
            RuleId::Rule(index) => self.rules.get(index as usize).map_or(0, |rule| rule.line),
            RuleId::Drop(index) => self.drop.get(index as usize).map_or(0, |rule| rule.line),
            RuleId::Role(index) => self.roles.get(index as usize).map_or(0, |role| role.line),
            RuleId::SessionFilter(index) => {
                self.session_filters.get(index as usize).map_or(0, |rule| rule.line)
            }
            RuleId::Join(index) => self.joins.get(index as usize).map_or(0, |join| join.line),
            RuleId::ReplyTo => self.replies.as_ref().map_or(0, |replies| replies.line),
            RuleId::Keep => self.keep.first().map_or(0, |rule| rule.line),
        }
    }

    /// Makes events of a record, which was read with [`Mapping::fields`], and adds them to a buffer, with the bindings
    /// of roles.
    pub fn map(&self, record: &Record<'_>, events: &mut Events) -> MappedRecord {
        let (bindings, before) = (events.bindings.len(), events.events.len());
        let mapped = self.map_known(record, events);
        let marked = self.mark_sessions(record, events, before);
        let has_pattern = record.patterns().is_read();
        match (mapped, marked) {
            // Nobody knows which session counts, or does not.
            (MappedRecord::Mapped { .. } | MappedRecord::Unmatched, Some(broken))
                if has_pattern =>
            {
                broken
            }
            // Such a record lacks a pattern, so it has no other fields.
            (MappedRecord::Broken { why: Broken::NoField(_), .. }, _) if !has_pattern => {
                events.bindings.truncate(bindings);
                MappedRecord::Unmatched
            }
            (mapped, _) => mapped,
        }
    }

    fn map_known(&self, record: &Record<'_>, events: &mut Events) -> MappedRecord {
        if let Err((JoinId(join), why)) = self.link_sessions(record, events) {
            return MappedRecord::Broken { rule: RuleId::Join(join), why };
        }
        // Without a value nobody knows whether a filter or rule is meant for the record.
        if record.lacks_values() && self.undecided(record).is_some() {
            return MappedRecord::Unmatched;
        }
        match self.dropped(record) {
            // The table cannot have it, so it is not left out on purpose.
            Some(RuleId::Keep) if self.fits_no_table(record) => return MappedRecord::Unmatched,
            Some(by) => return MappedRecord::Dropped { by },
            None => {}
        }
        if let Some(field) = self.unknown_reply(record) {
            return MappedRecord::Broken { rule: RuleId::ReplyTo, why: Broken::NoField(field) };
        }
        if let Some(field) = self.unknown_relation(record) {
            let rule = (0..).zip(&self.rules).find(|(_, it)| it.name.starts_with(SPANS_NAME));
            let rule = RuleId::Rule(rule.map_or(0, |(index, _)| index));
            return MappedRecord::Broken { rule, why: Broken::NoField(field) };
        }
        self.map_kept(record, events, |_| true)
    }

    /// The field in damaged JSON that would tell the request of a record that no rule leaves out, or whether it is an error.
    fn unknown_reply(&self, record: &Record<'_>) -> Option<FieldId> {
        let replies = self.replies.as_ref().filter(|_| record.lacks_values())?;
        let field = replies.unknown(record)?;
        (!self.leaves_out(replies, record)).then_some(field)
    }

    /// The field in damaged JSON that would tell how a span is related to others of its trace.
    fn unknown_relation(&self, record: &Record<'_>) -> Option<FieldId> {
        let relations = self.relations.as_ref().filter(|_| record.lacks_values())?;
        [relations.id, relations.parent].into_iter().find(|field| record.is_damaged(*field))
    }

    /// Maps a record as if no filter or rule dropped it: a request that is left out has its place all the same.
    pub(crate) fn map_anyway(&self, record: &Record<'_>, events: &mut Events) {
        _ = self.map_kept(record, events, |rule| matches!(rule, RuleKind::Actions(_)));
    }

    /// Whether a response is left out, or makes no event, whatever its request is.
    pub(crate) fn leaves_out(&self, replies: &Replies, response: &Record<'_>) -> bool {
        let holds = |when: &Condition, if_asks_request: bool| {
            let of_test = |(field, test): &(FieldId, Test)| {
                let mut asked = std::iter::once(*field).chain(test.compared());
                match asked.any(|it| replies.is_of_request(it)) {
                    true => if_asks_request,
                    false => test.holds(response.get(*field), response),
                }
            };
            when.any.iter().any(|tests| tests.iter().all(of_test))
        };
        let is_dropped = self.drop.iter().any(|it| holds(&it.when, false));
        let may_be_kept = self.keep.is_empty() || self.keep.iter().any(|it| holds(&it.when, true));
        let rule = self.rules.iter().find(|it| holds(&it.when, true));
        let makes_nothing = |rule: &Named<RuleKind>| match &rule.then {
            RuleKind::Drop => holds(&rule.when, false),
            RuleKind::Actions(actions) => actions.is_empty() && holds(&rule.when, false),
        };
        is_dropped || !may_be_kept || rule.is_some_and(makes_nothing)
    }

    fn map_kept(
        &self,
        record: &Record<'_>,
        events: &mut Events,
        is_taken: impl Fn(&RuleKind) -> bool,
    ) -> MappedRecord {
        for (index, role) in (0..).zip(&self.roles) {
            if let Err(why) = self.bind((RoleId(index), role), record, events) {
                return MappedRecord::Broken { rule: RuleId::Role(index), why };
            }
        }
        let mut rules = (0..).zip(&self.rules);
        let rule = rules.find(|(_, rule)| is_taken(&rule.then) && rule.when.holds(record));
        let Some((index, rule)) = rule else { return MappedRecord::Unmatched };
        let id = RuleId::Rule(index);
        let RuleKind::Actions(actions) = &rule.then else {
            return MappedRecord::Dropped { by: id };
        };
        match self.add_all(actions, record, events) {
            Ok(()) => MappedRecord::Mapped { rule: id },
            Err(why) => MappedRecord::Broken { rule: id, why },
        }
    }

    /// Marks the sessions that a record makes count, or not: those of its events, which follow the first
    /// `before`. If it makes none, or the filter has a session of its own, that of the filter. Returns the first filter
    /// whose session the record does not have.
    fn mark_sessions(
        &self,
        record: &Record<'_>,
        events: &mut Events,
        before: usize,
    ) -> Option<MappedRecord> {
        let mut broken = None;
        for (index, filter) in (0..).zip(&self.session_filters) {
            if !filter.when.holds(record) {
                continue;
            }
            let SessionFilter { filter, session, is_own, order } = &filter.then;
            if !is_own && events.events.len() > before {
                let mark = |event: &BufferedEvent| BufferedMark {
                    filter: *filter,
                    session: event.session.clone(),
                    order: event.order,
                    place: event.place,
                };
                events.marks.extend(events.events[before..].iter().map(mark));
                continue;
            }
            let order = self.order_key(*order, record, &mut events.text).ok().flatten();
            let start = events.text.len();
            match self.write_session(session, record, &mut events.text) {
                Ok(session) => {
                    let (filter, place) = (*filter, record.place());
                    events.marks.push(BufferedMark { filter, session, order, place });
                }
                Err(why) => {
                    events.text.truncate(start);
                    let rule = RuleId::SessionFilter(index);
                    let is_damaged =
                        matches!(why, Broken::NoField(field) if record.is_damaged(field));
                    let is_wrong = *is_own || is_damaged;
                    broken =
                        broken.or_else(|| is_wrong.then_some(MappedRecord::Broken { rule, why }));
                }
            }
        }
        broken
    }

    fn dropped(&self, record: &Record<'_>) -> Option<RuleId> {
        let mut drops = (0..).zip(&self.drop);
        if let Some((index, _)) = drops.find(|(_, filter)| filter.when.holds(record)) {
            return Some(RuleId::Drop(index));
        }
        let is_kept = self.keep.is_empty() || self.keep.iter().any(|keep| keep.when.holds(record));
        (!is_kept).then_some(RuleId::Keep)
    }

    fn bind(
        &self,
        (role, named): (RoleId, &Named<RoleRule>),
        record: &Record<'_>,
        events: &mut Events,
    ) -> Result<(), Broken> {
        match named.when.decide(record) {
            Decision::Holds => {}
            Decision::Fails => return Ok(()),
            Decision::Lacks(field) => return Err(Broken::NoField(field)),
        }
        let RoleRule { session, value, order, .. } = &named.then;
        let session = self.write_session(session, record, &mut events.text)?;
        let renames = (&self.lifelines, &mut events.lifelines);
        let value = write_name((value, EventPart::Role), record, &mut events.text, renames)?;
        let order = self.order_key(*order, record, &mut events.text)?;
        let place = record.place();
        events.bindings.push(BufferedBinding { role, session, value, order, place });
        Ok(())
    }

    /// Adds the events of all actions, or none.
    fn add_all(
        &self,
        actions: &[ActionTemplate],
        record: &Record<'_>,
        events: &mut Events,
    ) -> Result<(), Broken> {
        let (before, text) = (events.events.len(), events.text.len());
        for action in actions {
            if let Err(why) = self.add(action, record, events) {
                events.events.truncate(before);
                events.text.truncate(text);
                return Err(why);
            }
        }
        Ok(())
    }

    fn add(
        &self,
        action: &ActionTemplate,
        record: &Record<'_>,
        events: &mut Events,
    ) -> Result<(), Broken> {
        let kind = action.direction.of(record)?;
        let order = self.order_key(action.order, record, &mut events.text)?;
        let text = &mut events.text;
        let session = self.write_session(&action.session, record, text)?;
        let location = match &action.location {
            None => None,
            Some(location) => {
                let renames = (&self.lifelines, &mut events.lifelines);
                Some(write_name((location, EventPart::Location), record, text, renames)?)
            }
        };
        let renames = (&self.lifelines, &mut events.lifelines);
        let lifeline = write_name((&action.lifeline, EventPart::Lifeline), record, text, renames)?;
        let renames = (&self.messages, &mut events.messages);
        let message = write_name((&action.message, EventPart::Message), record, text, renames)?;
        let place = record.place();
        events.events.push(BufferedEvent {
            session,
            location,
            lifeline,
            message,
            kind,
            order,
            place,
        });
        Ok(())
    }

    /// All names that the lifelines of one session may have, by all its bindings in the order of the input: several where
    /// first records have one order, and the mapping says that they may have happened in any. The first ones are those by
    /// the order of the input. `falls` says which files have their newest record first.
    ///
    /// # Errors
    /// When the bindings contradict each other.
    pub fn all_role_names<'a>(
        &'a self,
        bindings: impl IntoIterator<Item = Binding<'a>>,
        falls: impl Fn(u32) -> bool,
    ) -> Result<Vec<RoleNames<'a>>, RoleError> {
        let lifeline = |role: &'a Named<RoleRule>| RoleLifeline {
            name: &role.then.lifeline,
            most: role.then.most,
            in_messages: role.then.in_messages,
            rule: (self.source.name(), role.line),
        };
        let roles: Vec<RoleLifeline<'a>> = self.roles.iter().map(lifeline).collect();
        RoleNames::all(&roles, bindings, (self.ties, &falls))
    }

    /// Calls a function with the session of each event that a rule would make of a record. Sessions
    /// whose fields the record does not have are left out.
    pub fn each_session(
        &self,
        rule: RuleId,
        record: &Record<'_>,
        mut each: impl FnMut(SessionRef<'_>),
    ) {
        let sessions: Vec<&Template> = match rule {
            RuleId::Rule(index) => {
                self.rules.get(index as usize).into_iter().flat_map(sessions_of).collect()
            }
            // A record whose role is unknown makes no events, so the sessions of its rule miss them.
            RuleId::Role(index) => {
                let role = self.roles.get(index as usize).map(|role| &role.then.session);
                let rule = self.rules.iter().find(|rule| rule.when.holds(record));
                role.into_iter().chain(rule.into_iter().flat_map(sessions_of)).collect()
            }
            // A record that a filter cannot judge may count.
            RuleId::SessionFilter(_)
            | RuleId::Join(_)
            | RuleId::ReplyTo
            | RuleId::Drop(_)
            | RuleId::Keep => {
                let rule = self.rules.iter().find(|rule| rule.when.holds(record));
                rule.into_iter().flat_map(sessions_of).collect()
            }
        };
        let mut text = String::new();
        for session in sessions {
            text.clear();
            if let Ok(session) = self.write_session(session, record, &mut text) {
                each(session.of(&text));
            }
        }
    }

    /// The lifeline a role stands for.
    pub fn role_name(&self, role: RoleId) -> &str {
        self.roles.get(role.index()).map_or("", |role| &role.then.lifeline)
    }

    /// A record in words: its place, and the fields the mapping asks for.
    pub fn describe(&self, record: &Record<'_>) -> String {
        let mut text = record.place().to_string();
        for (path, value) in record.iter(&self.fields) {
            text.push_str(&format!("  {path}={}", quote(value)));
        }
        text
    }

    pub(super) fn order_key(
        &self,
        rule: Option<OrderRule>,
        record: &Record<'_>,
        text: &mut String,
    ) -> Result<Option<OrderKey>, Broken> {
        rule.map(|rule| self.orders.key(rule, record, text)).transpose()
    }
}

/// The sessions of the events that a rule makes.
fn sessions_of(rule: &Named<RuleKind>) -> impl Iterator<Item = &Template> {
    let actions = match &rule.then {
        RuleKind::Actions(actions) => actions.as_slice(),
        RuleKind::Drop => &[],
    };
    actions.iter().map(|action| &action.session)
}

/// Writes a name to the end of a text, and gives it its new name.
fn write_name(
    (template, part): (&Template, EventPart),
    record: &Record<'_>,
    text: &mut String,
    (renames, known): (&Renames, &mut KnownNames),
) -> Result<Range<usize>, Broken> {
    let start = write(template, part, record, text)?.start;
    renames.apply(text, start, known);
    if text.len() == start { Err(Broken::Renamed(part)) } else { Ok(start..text.len()) }
}

/// Writes a template to the end of a text.
pub(super) fn write(
    template: &Template,
    part: EventPart,
    record: &Record<'_>,
    text: &mut String,
) -> Result<Range<usize>, Broken> {
    let start = text.len();
    template.write(record, text).map_err(Broken::NoField)?;
    if let Some(field) = template.fields().find(|field| record.has_parts(*field)) {
        return Err(Broken::Parts(field, part));
    }
    if text.len() == start { Err(Broken::Empty(part)) } else { Ok(start..text.len()) }
}
