//! Why a rule cannot be applied to a record, in words, with the values of the record and the text to write.

use super::definition::Mapping;
use super::ids::RuleId;
use super::mapped::{Broken, EventPart};
use super::role::beyond;
use super::rule::{Named, RoleRule, RuleKind};
use super::span_rules::SPANS_NAME;
use super::template::Template;
use crate::field::{BY_MATCH, EACH, EachFields, FieldId, FieldPath, PathStep, RELATIONS};
use crate::formats::{object_fields, of_list, pair_names};
use crate::record::{PatternMatch, Record};
use multitrace_formats::shorten::shorten;
use multitrace_formats::source::{Position, Span, quote};
use multitrace_formats::suggest::closest;
use serde_json::Value;

/// Why a rule cannot be applied to a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The error in the record.
    pub message: String,
    /// The text to write instead.
    pub help: String,
    /// The field whose value is wrong, if it has one.
    pub field: Option<FieldId>,
}

/// How many fields of a record are listed: about a line.
const SHOWN_FIELDS: usize = 10;
pub(super) const DAMAGED_HELP: &str = "correct the text, or let a [[drop]] before, or the `when` of what needs it, leave such records out";
const AMBIGUOUS_HELP: &str =
    "give them times or ids that differ, or do not ask for fields of other records there";
const DROPPED_HELP: &str =
    "raise the limits of attributes where the telemetry is made, or do not ask for this one there";
/// How many characters of a value are shown.
const SHOWN_CHARS: usize = 80;
/// Longer records are not looked at for their fields: each record that is broken would be read again.
const MOST_BYTES: usize = 1 << 14;

impl Mapping {
    /// Why a rule could not be applied to a record, and the remedy.
    pub fn explain(&self, why: &Broken, record: &Record<'_>) -> Explained {
        match *why {
            Broken::NoField(field) => self.explain_missing(field, record),
            Broken::Empty(part) => Explained {
                message: format!("its {} is empty", part.name()),
                help: format!(
                    "name another field as the {}, or leave such records out with [[drop]]",
                    part.name()
                ),
                field: self.empty_field(record),
            },
            Broken::Renamed(part) => Explained {
                message: format!("[rename] makes the name of its {} empty", part.name()),
                help: "let the pattern leave a part of the name, give it another new name before, or leave such records out \
                       with [[drop]]"
                    .to_owned(),
                field: None,
            },
            Broken::Parts(field, part) => self.explain_parts(field, part, record),
            Broken::Direction(field) => self.explain_direction(
                (field, record),
                "neither an emission nor a reception",
                "list it under emission or reception, or leave such records out with [[drop]]",
            ),
            Broken::BothDirections(field) => self.explain_direction(
                (field, record),
                "both an emission and a reception",
                "list it under one of them; tell them apart by a [[rule]] for each, with another field in its `when`; or leave such \
                 records out with [[drop]]",
            ),
            Broken::Order(order) => {
                let (message, help, field) = self.orders.explain(order, record, &self.fields);
                Explained { message, help, field }
            }
        }
    }

    fn explain_direction(
        &self,
        (field, record): (FieldId, &Record<'_>),
        meaning: &str,
        help: &str,
    ) -> Explained {
        let path = self.fields.path(field).text();
        let value = quote(record.get(field).unwrap_or_default());
        let message = format!("`{path}` is {value}, which is {meaning}");
        Explained { message, help: help.to_owned(), field: Some(field) }
    }

    /// A value that is an object or a list names a part of the event.
    fn explain_parts(&self, field: FieldId, part: EventPart, record: &Record<'_>) -> Explained {
        let path = self.fields.path(field);
        let value = record.get(field).unwrap_or_default();
        let keys = object_fields(value).into_iter().take(SHOWN_FIELDS);
        let keys: Vec<String> = keys.map(|key| format!("`{path}.{key}`")).collect();
        let (kind, help) = match value.starts_with('[') {
            true => ("a list", of_list(path)),
            false if keys.is_empty() => ("an object", "name another field".to_owned()),
            false => ("an object", format!("its parts are {}", keys.join(", "))),
        };
        Explained {
            message: format!("`{path}`, which names the {}, is {kind}", part.name()),
            help: format!("{help}; or leave such records out with [[drop]]"),
            field: Some(field),
        }
    }

    /// A path leads into a list of the record, which is JSON, or into a value without parts.
    fn explain_misled(&self, field: FieldId, record: &Record<'_>) -> Option<Explained> {
        let path = self.fields.path(field);
        let text = Some(record.text()).filter(|text| text.len() <= MOST_BYTES)?;
        let record: Value = serde_json::from_str(text).ok()?;
        let (mut value, mut steps) = (&record, path.steps());
        while let ([PathStep::Key(key), rest @ ..], Value::Object(parts)) = (steps, value) {
            (value, steps) = (parts.get(key)?, rest);
        }
        let until = path.steps().len() - steps.len();
        let name = FieldPath::from_steps(&path.steps()[..until]);
        let (kind, help) = match value {
            _ if until == 0 || steps.is_empty() => return None,
            Value::Array(_) if matches!(steps, [PathStep::Key(_), ..]) => {
                ("a list", of_list(&name))
            }
            Value::String(text) if text.starts_with('{') => {
                let rest = path.text().strip_prefix(name.text()).unwrap_or(".part");
                ("a text", format!("`{name}|json{rest}` reads a part of the JSON in it"))
            }
            _ => return None,
        };
        Some(Explained {
            message: format!("`{path}` leads into {kind}"),
            help: format!("{help}; or leave such records out with [[drop]]"),
            field: None,
        })
    }

    /// The record lacks a field.
    fn explain_missing(&self, field: FieldId, record: &Record<'_>) -> Explained {
        // A response without its id is not known as one.
        let id = self.replies.as_ref().filter(|it| it.has(field)).map(|it| it.response());
        let field = id.filter(|id| record.get(*id).is_none()).unwrap_or(field);
        if let Some(explained) = self.explain_part(field, record) {
            return explained;
        }
        if record.is_damaged(field) {
            let help = match () {
                () if record.is_ambiguous(field) => AMBIGUOUS_HELP,
                () if record.is_dropped(field) => DROPPED_HELP,
                () => DAMAGED_HELP,
            };
            let message = self.damaged(field, record);
            return Explained { message, help: help.to_owned(), field: None };
        }
        if let Some(explained) = self.explain_misled(field, record) {
            return explained;
        }
        let path = self.fields.path(field).text();
        let mut known = self.fields_of_element(record);
        known.extend(self.fields_of(record));
        // Fields of other spans are called as those of this one.
        let (other, name) = match path.split_once('.') {
            Some((other, name)) if self.is_relation(field) => (format!("{other}."), name),
            _ => (String::new(), path),
        };
        if known.iter().any(|it| it == name) {
            let help = "fill it in, leave such records out before, or let the condition of the rule do that";
            let message = format!("`{path}` has no value");
            return Explained { message, help: help.to_owned(), field: None };
        }
        let needed = || needed_for(path, &known).or_else(|| self.needed_by_spans(path, &known));
        let needed = if other.is_empty() { needed() } else { None };
        let help = match closest(name, known.iter().map(String::as_str)) {
            _ if needed.is_some() => needed.unwrap_or_default(),
            Some(close) => format!("did you mean {}? ", quote(&format!("{other}{close}"))),
            None => String::new(),
        };
        let fields = match known.is_empty() {
            true => "correct the name of the field".to_owned(),
            false => format!("the record has {}", listed(&known)),
        };
        let is_word = path.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let text = match is_word && self.is_name(field) {
            true => format!("; {{ text = \"{path}\" }} is that text in every event"),
            false => String::new(),
        };
        let help = format!("{help}{fields}{text}; or leave such records out with [[drop]]");
        Explained { message: format!("it has no field `{path}`"), help, field: None }
    }

    /// The key of `[spans]` that names another field, if it is one of those of OTLP and the record is another one.
    fn needed_by_spans(&self, path: &str, known: &[String]) -> Option<String> {
        let key = match path {
            "span.trace_id" => "session",
            "resource.service.name" => "lifeline",
            "span.name" => "message",
            "span.start" => "start",
            "span.end" => "end",
            _ => return None,
        };
        let is_other = !known.iter().any(|it| it.starts_with("span."));
        (is_other && self.rules.iter().any(|rule| rule.name.starts_with(SPANS_NAME))).then(|| {
            format!(
                "`{path}` is for spans of OTLP and Zipkin: write {key} = \"FIELD\" in [spans]; "
            )
        })
    }

    /// The record lacks a part of a field: the match of a pattern, or a value in its JSON.
    fn explain_part(&self, field: FieldId, record: &Record<'_>) -> Option<Explained> {
        let (whole, is_json) = self.fields.whole_of(field)?;
        let (path, of) = (self.fields.path(field).text(), self.fields.path(whole).text());
        let Some(value) = record.get(whole) else {
            // The JSON may be that of another record.
            let is_elsewhere = record.is_damaged(field) && !record.is_damaged(whole);
            return (!is_elsewhere).then(|| self.explain_missing(whole, record));
        };
        let shown = quote(&shorten(value, SHOWN_CHARS));
        if record.is_damaged(field) {
            let message = format!("{}: `{of}` is {shown}", self.damaged(field, record));
            return Some(Explained { message, help: DAMAGED_HELP.to_owned(), field: Some(whole) });
        }
        let keys = if is_json { object_fields(value) } else { Vec::new() };
        let (message, help) = match is_json {
            false if path.ends_with(BY_MATCH) => {
                (format!("`{of}` is {shown}, in which its `match` finds nothing"), String::new())
            }
            false => {
                (format!("`{of}` is {shown}, in which no [[match]] finds `{path}`"), String::new())
            }
            true if keys.is_empty() => (
                format!("it has no field `{path}`: `{of}` is {shown}"),
                "see whether it is JSON; ".to_owned(),
            ),
            true => {
                let name = path.rsplit_once("|json.").map_or(path, |(_, name)| name);
                let close = closest(name, keys.iter().map(String::as_str));
                let close =
                    close.map_or_else(String::new, |it| format!("did you mean {}? ", quote(it)));
                (
                    format!("it has no field `{path}`"),
                    format!("{close}the JSON has {}; ", listed(&keys)),
                )
            }
        };
        let help = format!("{help}correct it, or leave such records out with [[drop]]");
        Some(Explained { message, help, field: Some(whole) })
    }

    /// That a field stands in damaged JSON, or that it is that of several records or several parts of texts.
    pub(super) fn damaged(&self, field: FieldId, record: &Record<'_>) -> String {
        let value = quote(self.fields.path(field).text());
        if record.is_ambiguous(field) {
            return format!(
                "{value} may be that of several records, which differ in it: nothing tells which of them came first"
            );
        }
        if record.is_dropped(field) {
            return format!(
                "{value} is not there, and attributes were left out, as `droppedAttributesCount` says: it may be one of them"
            );
        }
        let whole = self.fields.whole_of(field).filter(|(_, is_json)| !is_json);
        if whole.is_some_and(|(whole, _)| !record.is_damaged(whole)) {
            return format!("several [[match]] find {value}, with different values");
        }
        format!(
            "the JSON that holds {value} is cut off or wrong, or has a key twice or something behind it"
        )
    }

    /// Whether a field alone is the lifeline or the message of an event.
    fn is_name(&self, field: FieldId) -> bool {
        let is_it = |template: &Template| template.fields().eq([field]);
        let actions = self.rules.iter().filter_map(|rule| match &rule.then {
            RuleKind::Actions(actions) => Some(actions),
            RuleKind::Drop => None,
        });
        actions.flatten().any(|action| is_it(&action.lifeline) || is_it(&action.message))
    }

    /// Whether a field is one of another record.
    pub(super) fn is_relation(&self, field: FieldId) -> bool {
        self.relations.as_ref().is_some_and(|relations| relations.has(field))
            || self.replies.as_ref().is_some_and(|replies| replies.has(field))
    }

    /// The names of the fields of a record, as far as its format or its pattern says them.
    fn fields_of(&self, record: &Record<'_>) -> Vec<String> {
        match (record.columns(), record.patterns()) {
            (Some(columns), _) => columns.to_vec(),
            (None, PatternMatch::By { pattern, .. }) => {
                self.input.patterns.get(pattern as usize).map_or_else(Vec::new, |it| groups(it))
            }
            _ if record.text().len() <= MOST_BYTES => {
                let of_pairs = pair_names(record.text(), self.input.pairs.as_ref());
                of_pairs.unwrap_or_else(|| object_fields(record.text()))
            }
            _ => Vec::new(),
        }
    }

    /// The names of the fields of the elements that make a record each, where `for-each` names their list.
    fn fields_of_element(&self, record: &Record<'_>) -> Vec<String> {
        let Some(EachFields { list, inner, .. }) = self.fields.each() else { return Vec::new() };
        let text = record.get(*list).filter(|text| text.len() <= MOST_BYTES).unwrap_or_default();
        let mut items: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        for steps in inner {
            let lists = items.iter().filter_map(|item| {
                steps.iter().try_fold(item, |value, step| match step {
                    PathStep::Key(key) => value.get(key),
                    PathStep::Index(at) => value.get(at),
                    _ => None,
                })
            });
            items = lists.filter_map(Value::as_array).flatten().cloned().collect();
        }
        if items.iter().any(|item| !item.is_object()) {
            return vec![EACH.to_owned()];
        }
        let names = object_fields(&Value::Array(items).to_string());
        names.iter().map(|name| format!("{EACH}.{name}")).collect()
    }

    /// The part of the mapping that cannot be applied: `map.toml:5:11`.
    pub fn place_of(&self, rule: RuleId, why: &Broken, record: &Record<'_>) -> String {
        match *why {
            Broken::NoField(field)
            | Broken::Parts(field, _)
            | Broken::Direction(field)
            | Broken::BothDirections(field) => self.field_place(field),
            Broken::Order(order) => self.shown(self.orders.place(order)),
            Broken::Empty(_) | Broken::Renamed(_) => match self.empty_field(record) {
                Some(field) if matches!(why, Broken::Empty(_)) => self.field_place(field),
                _ => format!("{}:{}", self.source.name(), self.rule_line(rule)),
            },
        }
    }

    /// The remedy for a span that has a start and no end.
    pub(crate) fn explain_endless(&self, rule: RuleId, record: &Record<'_>) -> Option<String> {
        let RuleId::Rule(index) = rule else { return None };
        let rule = self.rules.get(index as usize)?;
        let RuleKind::Actions(actions) = &rule.then else { return None };
        let [start, end] = actions.as_slice() else { return None };
        let kind = rule.name.strip_prefix(SPANS_NAME)?;
        let (field, is_empty) = self.orders.lacking(end.order?, record)?;
        if self.orders.lacking(start.order?, record).is_some() || record.is_damaged(field) {
            return None;
        }
        let (path, test) =
            (self.fields.path(field), if is_empty { "\"\"" } else { "{ exists = false }" });
        Some(format!(
            "for a call that was never answered, take its start alone by a [[rule]] of your own for{kind} spans, with {:?} = {test} in \
             `when`; or leave such records out with [[drop]]",
            path.to_string()
        ))
    }

    /// The remedy for a lifeline that stands for those beyond the most that a role may have.
    pub(crate) fn explain_lifeline(&self, lifeline: &str) -> Option<String> {
        let is_over = |role: &&Named<RoleRule>| {
            role.then.most.is_some_and(|most| beyond(&role.then.lifeline, most) == lifeline)
        };
        let role = self.roles.iter().find(is_over)?;
        Some(format!(
            "{} ({}:{}) has more names than its `most`; raise it, or let the condition of the role leave \
             records out",
            role.name,
            self.source.name(),
            role.line
        ))
    }

    /// The first field of a record that is empty.
    fn empty_field(&self, record: &Record<'_>) -> Option<FieldId> {
        let mut fields = self.fields.iter().map(|(field, _)| field);
        fields.find(|field| record.get(*field) == Some(""))
    }

    /// Where the mapping names a field first.
    pub(super) fn field_place(&self, field: FieldId) -> String {
        self.shown(self.field_places.get(field.index()).copied().unwrap_or_default())
    }

    /// The templates of the names of sessions.
    pub(super) fn session_templates(&self) -> impl Iterator<Item = &Template> {
        let actions = self.rules.iter().flat_map(|rule| match &rule.then {
            RuleKind::Actions(actions) => actions.as_slice(),
            RuleKind::Drop => &[],
        });
        let events = actions.map(|action| &action.session);
        let roles = self.roles.iter().map(|role| &role.then.session);
        let filters = self.session_filters.iter().filter(|it| it.then.is_own);
        events.chain(roles).chain(filters.map(|it| &it.then.session))
    }

    /// The fields that sessions are named by: one list for each way in which rules do that.
    pub fn session_fields(&self) -> Vec<Vec<String>> {
        let mut ways: Vec<Vec<String>> = self
            .session_templates()
            .map(|template| {
                let fields = template.alternatives().flat_map(Template::fields);
                let mut names: Vec<String> =
                    fields.map(|field| self.fields.path(field).flat_name()).collect();
                names.sort();
                names.dedup();
                names
            })
            .collect();
        ways.sort();
        ways.dedup();
        ways
    }

    /// The ways to the values that sessions are named by, or that these are made of.
    #[cfg(feature = "columnar")]
    pub fn session_paths(&self) -> Vec<Vec<PathStep>> {
        let templates = self.session_templates().flat_map(Template::alternatives);
        let fields = templates.flat_map(Template::fields);
        fields.flat_map(|field| self.paths_to(field)).collect()
    }

    #[cfg(feature = "columnar")]
    fn paths_to(&self, field: FieldId) -> Vec<Vec<PathStep>> {
        let Some(sources) = self.fields.sources_of(field) else {
            return vec![self.fields.path(field).steps().to_vec()];
        };
        let whole = |(from, steps): (FieldId, Vec<PathStep>)| {
            let paths = self.paths_to(from).into_iter();
            paths.map(move |path| [path, steps.clone()].concat())
        };
        sources.into_iter().flat_map(whole).collect()
    }

    /// Whether it says how the events of a location are ordered, at one place at least.
    pub fn has_order(&self) -> bool {
        self.orders.first_place().is_some()
    }

    /// Where the first order of the mapping stands, if it has one.
    pub(crate) fn order_place(&self) -> Option<String> {
        self.orders.first_place().map(|span| self.shown(span))
    }

    /// A place in the mapping.
    pub(super) fn shown(&self, span: Span) -> String {
        let Position { line, column } = self.source.position(span.start);
        format!("{}:{line}:{column}", self.source.name())
    }
}

/// The missing part of a mapping for a path that begins with the name of another record, or of a field without fields.
fn needed_for(path: &str, known: &[String]) -> Option<String> {
    let (first, name) = path.split_once('.')?;
    let is_object =
        known.iter().any(|it| it.starts_with(first) && it[first.len()..].starts_with('.'));
    match first {
        _ if is_object => None,
        "request" => Some("`request.` needs `reply-to` in [event]; ".to_owned()),
        _ if RELATIONS.contains(&first) => Some(format!(
            "`{first}.` is a field of another span, and needs [spans] with `session`, `id` and `parent`; "
        )),
        _ if known.iter().any(|it| it == first) => {
            Some(format!("if `{first}` is a text with JSON, write `{first}|json.{name}`; "))
        }
        _ => None,
    }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN_FIELDS).map(|name| quote(name)).collect();
    let more = if names.len() > SHOWN_FIELDS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The names of the groups of a pattern.
fn groups(pattern: &str) -> Vec<String> {
    let after =
        pattern.split("(?").skip(1).filter_map(|it| it.trim_start_matches('P').strip_prefix('<'));
    let names = after.filter_map(|it| it.split_once('>')).map(|(name, _)| name.to_owned());
    names.collect()
}
