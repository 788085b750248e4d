//! Why a record makes no event although nothing is wrong with it.

use super::condition::{Condition, Decision, Test};
use super::definition::Mapping;
use super::explain::DAMAGED_HELP;
use super::ids::RuleId;
use super::relations::Relations;
use super::rule::{Named, RuleKind, Unmatched};
use super::span_rules::SPANS_NAME;
use crate::field::FieldId;
use crate::formats::NO_KIND;
use crate::record::{PatternMatch, Record, has_column};
use multitrace_formats::source::quote;
use multitrace_formats::suggest::closest;

/// Why no rule matches a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyUnmatched {
    /// No rule is made for it.
    Rule,
    /// No pattern matches it, in plain text.
    Pattern,
    /// It is a line before the first one that matches `start`.
    BeforeStart,
    /// Its table has no column that a rule tests, or the text of that field is damaged JSON.
    Column {
        /// The field.
        field: FieldId,
        /// The first rule that tests it.
        rule: RuleId,
    },
}

/// How many columns a message lists: about a line.
const SHOWN_COLUMNS: usize = 10;

impl Mapping {
    /// Why no rule matches a record, for which [`Mapping::map`] said
    /// [`Unmatched`](super::MappedRecord::Unmatched).
    pub fn why_unmatched(&self, record: &Record<'_>) -> WhyUnmatched {
        match record.patterns() {
            PatternMatch::Nowhere => WhyUnmatched::Pattern,
            PatternMatch::BeforeStart => WhyUnmatched::BeforeStart,
            PatternMatch::By { .. } => WhyUnmatched::Rule,
            PatternMatch::NotAsked => self.missing_column(record).unwrap_or(WhyUnmatched::Rule),
        }
    }

    /// Whether a record may be a span: a pattern matches it, and its table has the kinds of spans, unless
    /// rules need none.
    pub(crate) fn may_be_span(&self, relations: &Relations, record: &Record<'_>) -> bool {
        let is_read = record.patterns().is_read();
        let has_kind = |columns| has_column(columns, self.fields.path(relations.kind));
        let needs_kind = self.rules.iter().all(|rule| rule.name.starts_with(SPANS_NAME));
        is_read && (!needs_kind || record.columns().is_none_or(has_kind))
    }

    /// The first filter or rule that depends on a value that nobody knows, since the table of the record has no column for it
    /// or its text is damaged JSON. A test of `exists` is decided without a column.
    pub(crate) fn undecided(&self, record: &Record<'_>) -> Option<(FieldId, RuleId)> {
        if !record.lacks_values() {
            return None;
        }
        for (index, drop) in (0..).zip(&self.drop) {
            match drop.when.decide(record) {
                Decision::Holds => return self.unknown_mark(record, true),
                Decision::Lacks(field) => return Some((field, RuleId::Drop(index))),
                Decision::Fails => {}
            }
        }
        let (mut is_kept, mut lacking) = (self.keep.is_empty(), None);
        for keep in &self.keep {
            match keep.when.decide(record) {
                Decision::Holds => is_kept = true,
                Decision::Lacks(field) => lacking = lacking.or(Some(field)),
                Decision::Fails => {}
            }
        }
        if !is_kept {
            let lacking = lacking.map(|field| (field, RuleId::Keep));
            return lacking.or_else(|| self.unknown_mark(record, true));
        }
        if let Some(unknown) = self.unknown_mark(record, false) {
            return Some(unknown);
        }
        // Records that no rule matches do not matter then.
        let rules = self.rules.iter().filter(|_| self.unmatched != Unmatched::Ignore);
        for (index, rule) in (0..).zip(rules) {
            match rule.when.decide(record) {
                Decision::Holds => return None,
                Decision::Lacks(field) => return Some((field, RuleId::Rule(index))),
                Decision::Fails => {}
            }
        }
        None
    }

    /// The first filter of sessions that depends on a value that nobody knows; of records that are left out, only if it stands in
    /// damaged JSON.
    fn unknown_mark(&self, record: &Record<'_>, is_left_out: bool) -> Option<(FieldId, RuleId)> {
        let mut filters = (0..).map(RuleId::SessionFilter).zip(&self.session_filters);
        filters.find_map(|(rule, filter)| match filter.when.decide(record) {
            Decision::Lacks(field) if !is_left_out || record.is_damaged(field) => {
                Some((field, rule))
            }
            _ => None,
        })
    }

    /// The first column that a rule needs and the table of the record does not have.
    fn missing_column(&self, record: &Record<'_>) -> Option<WhyUnmatched> {
        if let Some((field, rule)) = self.undecided(record) {
            return Some(WhyUnmatched::Column { field, rule });
        }
        let columns = record.columns()?;
        let keeps = self.keep.iter().map(|keep| (RuleId::Keep, &keep.when));
        let rules = (0..).map(RuleId::Rule).zip(self.rules.iter().map(|rule| &rule.when));
        keeps.chain(rules).find_map(|(rule, when)| {
            let field = needed(when).find(|field| self.lacks(columns, *field, record))?;
            Some(WhyUnmatched::Column { field, rule })
        })
    }

    /// Whether a record is a span of a kind that `[spans]` does not know, or of none. It selects every span, so that
    /// one without an event is a mistake of the log or of the mapping.
    pub(crate) fn is_span_of_no_kind(&self, record: &Record<'_>) -> bool {
        let Some((rule, kind)) = self.kind_of_spans() else { return false };
        let RuleKind::Actions(actions) = &rule.then else { return false };
        let start = actions.first().and_then(|action| action.order);
        let found = record.get(kind);
        if found == Some(NO_KIND) {
            return false;
        }
        found.is_some() || self.order_key(start, record, &mut String::new()).is_ok()
    }

    /// The first rule that `[spans]` stands for, and the field with the kind of a span.
    fn kind_of_spans(&self) -> Option<(&Named<RuleKind>, FieldId)> {
        let rule = self.rules.iter().find(|rule| rule.name.starts_with(SPANS_NAME))?;
        let (kind, _) = rule.when.any.first()?.first()?;
        Some((rule, *kind))
    }

    /// Why a span makes no event: its kind.
    fn explain_kind(&self, record: &Record<'_>) -> Option<(String, String)> {
        let (_, kind) = self.kind_of_spans().filter(|_| self.is_span_of_no_kind(record))?;
        let path = self.fields.path(kind).text();
        let (why, test, named) = match record.get(kind) {
            None => (format!("it has no `{path}`"), "{ exists = false }".to_owned(), String::new()),
            Some(value) => {
                let why = format!("its `{path}` is {}, which is not a kind of span", quote(value));
                let named = format!(
                    "say which of these it is, kind = {{ field = {path:?}, client = {value:?} }}; or "
                );
                (why, format!("{value:?}"), named)
            }
        };
        let place = self.field_place(kind);
        let message = format!("no rule of the mapping matches this record: {why} ({place})");
        let help = format!(
            "a span that is client, server, producer, consumer or internal makes events; {named}leave this one out with \
             [[drop]] when = {{ {path:?} = {test} }}, or add a [[rule]] for it"
        );
        Some((message, help))
    }

    /// Whether no record of such a table can make an event: each rule, or each `[[keep]]`, tests a column that
    /// the table does not have.
    pub(crate) fn fits_no_table(&self, record: &Record<'_>) -> bool {
        let Some(columns) = record.columns() else { return false };
        let can_hold = |when: &Condition| {
            let lacks = |(field, test): &(FieldId, Test)| {
                test.needs_value() && self.lacks(columns, *field, record)
            };
            when.any.iter().any(|tests| !tests.iter().any(lacks))
        };
        !self.keep.is_empty() && !self.keep.iter().any(|keep| can_hold(&keep.when))
            || !self.rules.iter().any(|rule| can_hold(&rule.when))
    }

    /// Whether a table with these columns has no such field.
    fn lacks(&self, columns: &[String], field: FieldId, record: &Record<'_>) -> bool {
        record.get(field).is_none()
            && self.fields.is_read(field)
            && !has_column(columns, self.fields.path(field))
            && !self.is_relation(field)
    }

    /// Why no rule matches a record, in words, and the remedy.
    pub fn explain_unmatched(&self, why: WhyUnmatched, record: &Record<'_>) -> (String, String) {
        if let (WhyUnmatched::Rule, Some(of_kind)) = (why, self.explain_kind(record)) {
            return of_kind;
        }
        match why {
            WhyUnmatched::Rule => (
                format!("no rule of the mapping matches this record{}", self.first_rule(record)),
                "add a [[rule]] for it, or a [[drop]], or set unmatched = \"count\"".to_owned(),
            ),
            WhyUnmatched::Pattern => (
                format!("no pattern of the mapping matches this line{}", self.patterns_shown()),
                "add a pattern for it to [input] patterns, or leave it out with [[drop]] when = { \
                 line = \"/…/\" }"
                    .to_owned(),
            ),
            WhyUnmatched::BeforeStart => (
                "this line stands before the first one that matches `start`".to_owned(),
                "correct `start` in [input], or leave the line out with [[drop]] when = { line = \
                 \"/…/\" }"
                    .to_owned(),
            ),
            WhyUnmatched::Column { field, rule } => self.explain_column(field, rule, record),
        }
    }

    fn explain_column(
        &self,
        field: FieldId,
        rule: RuleId,
        record: &Record<'_>,
    ) -> (String, String) {
        let (name, place) = (self.rule_name(rule), self.field_place(field));
        if record.is_damaged(field) {
            let message = format!("{}, and {name} ({place}) tests it", self.damaged(field, record));
            return (message, DAMAGED_HELP.to_owned());
        }
        let column = self.fields.made_of(field).and_then(|it| it.first().copied());
        let column = self.fields.path(column.unwrap_or(field)).text();
        let message =
            format!("the table has no column {}, which {name} ({place}) tests", quote(column));
        let columns = record.columns().unwrap_or_default();
        let close = closest(column, columns.iter().map(String::as_str));
        let close = close.map_or_else(String::new, |it| format!("did you mean {}? ", quote(it)));
        let other = match self.fits_no_table(record) {
            true => "",
            false => {
                "; for tables of another kind, a [[rule]] or [[drop]] with { exists = false } comes first"
            }
        };
        (message, format!("{close}its columns are {}{other}", listed(columns)))
    }

    /// Why the first rule does not match a record: the first of its tests that fails.
    fn first_rule(&self, record: &Record<'_>) -> String {
        let failing = self.rules.iter().find_map(|rule| {
            let tests = rule.when.any.first()?;
            let fails = |(field, test): &&(FieldId, Test)| !test.holds(record.get(*field), record);
            tests.iter().find(fails).map(|(field, _)| (rule, *field))
        });
        let Some((rule, field)) = failing else { return String::new() };
        let path = self.fields.path(field).text();
        let found = match record.get(field) {
            None => "which it does not have".to_owned(),
            Some(value) => format!("which is {} here", quote(value)),
        };
        format!("; {} tests `{path}` ({}), {found}", rule.name, self.field_place(field))
    }

    fn patterns_shown(&self) -> String {
        let place = self.patterns_place.map(|span| self.shown(span));
        place.map_or_else(String::new, |place| format!(" ({place})"))
    }
}

/// The fields without which a condition does not hold.
fn needed(when: &Condition) -> impl Iterator<Item = FieldId> {
    let tests = when.any.iter().flatten();
    tests.filter(|(_, test)| test.needs_value()).map(|(field, _)| *field)
}

fn listed(columns: &[String]) -> String {
    let shown: Vec<&str> = columns.iter().take(SHOWN_COLUMNS).map(String::as_str).collect();
    let more = if columns.len() > SHOWN_COLUMNS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
