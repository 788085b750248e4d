//! The text of a mapping, read with all its errors.

mod conditions;
mod input;
mod matches;
mod orders;
mod patterns;
mod replies;

use super::condition::Condition;
use super::definition::Mapping;
use super::fragments::Fragments;
use super::ids::SessionFilterId;
use super::order_fields::{OrderField, OrderFields, OrderRule};
use super::presets::with_preset;
use super::relations::Relations;
use super::role::NUMBER;
use super::rule::{ActionTemplate, Direction, JoinRule, Named, RoleRule, RuleKind, SessionFilter};
use super::span_rules::SpanRules;
use super::template::{Template, action_mark};
use super::tree::{Node, Tree};
use crate::field::{DerivedFields, FieldId, FieldPath, Fields};
use crate::format::Format;
use multitrace_formats::source::{Diagnostic, Diagnostics, Source, SourceError, Span, quote};
use multitrace_formats::suggest::did_you_mean;
use multitrace_interaction::{ActionKind, names};
use std::collections::BTreeSet;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TOP: &[&str] = &[
    "input",
    "event",
    "rule",
    "keep",
    "drop",
    "join",
    "match",
    "keep-session",
    "drop-session",
    "role",
    "rename",
    "spans",
    "unmatched",
    "patterns",
];
const SPANS: &[&str] = &[
    "session", "location", "lifeline", "message", "kind", "start", "end", "returns", "id", "parent",
];
const DIRECTION_HELP: &str = "write direction = \"emission\", \"reception\", or { field = \"dir\", \
                              emission = \"send\", reception = \"receive\" }";
const PARTS: &[&str; 6] = &["session", "location", "lifeline", "direction", "message", "order"];

impl Mapping {
    /// Reads a mapping in TOML; docs/events.md describes it.
    ///
    /// # Errors
    /// Everything that is wrong with it, at its line and column.
    ///
    /// ```
    /// use multitrace_logs::Mapping;
    /// use multitrace_formats::source::Source;
    /// let text = r#"
    ///     [event]
    ///     session = "id"
    ///
    ///     [[rule]]
    ///     when = { type = "message" }
    ///     actions = ["{from}!{text}", "{to}?{text}"]
    /// "#;
    /// let mapping = Mapping::parse(&Source::new("map.toml", text))?;
    /// assert_eq!(mapping.fields().len(), 5);
    /// # Ok::<(), multitrace_formats::source::SourceError>(())
    /// ```
    pub fn parse(source: &Source) -> Result<Mapping, SourceError> {
        parse(source).map_err(|errors| errors.of(source.clone()))
    }
}

fn parse(source: &Source) -> Result<Mapping, Diagnostics> {
    let text = source.spec_text()?;
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().map_or_else(Span::default, Span::from);
        let error = Diagnostic::new(span, format!("not TOML: {}", error.message()), "");
        error.with_help(
            "texts stand in quotes, key = \"text\", and tables are headed by [name] or [[name]]",
        )
    })?;
    let mut reader = MappingReader {
        source,
        fields: Fields::default(),
        field_places: Vec::new(),
        orders: OrderFields::default(),
        gap: None,
        fragments: Fragments::default(),
        errors: Diagnostics::default(),
        wrong_parts: Vec::new(),
        patterns_place: None,
    };
    let merged = with_named_preset(table.get_ref());
    let table = merged.as_ref().unwrap_or(table.get_ref());
    let mapping = reader.mapping(Tree::new(table, Span::default()));
    reader.errors.check(mapping)
}

/// A mapping with the preset that its `format` names, if it names one.
fn with_named_preset<'i>(table: &DeTable<'i>) -> Option<DeTable<'i>> {
    let input = table.get("input")?.get_ref().as_table()?;
    let (key, format) = input.get_key_value("format")?;
    let name = format.get_ref().as_str()?;
    // Formats of spans are read without a mapping that names their messages otherwise.
    let preset = Mapping::preset(name).filter(|_| Format::named(name).is_none())?;
    let preset = DeTable::parse(preset).ok()?;
    let mut own = table.clone();
    let (mut input, place) = (input.clone(), format.span());
    input.remove(key);
    let head = table.get_key_value("input")?;
    own.insert(head.0.clone(), Spanned::new(head.1.span(), DeValue::Table(input)));
    Some(with_preset(&own, preset.get_ref(), &place))
}

/// How many fields show which kind of record one is that no rule matches: a line of them.
const SHOWN_TESTED: usize = 6;

struct MappingReader<'s> {
    source: &'s Source,
    fields: Fields,
    /// Where each of them is named first.
    field_places: Vec<Span>,
    orders: OrderFields,
    gap: Option<i128>,
    /// The named parts of patterns.
    fragments: Fragments,
    errors: Diagnostics,
    /// Parts of events that are there and wrong, or most likely misspelt: they are not missing.
    wrong_parts: Vec<&'static str>,
    /// Where the patterns of plain text stand.
    patterns_place: Option<Span>,
}

/// The parts of events that a table of the mapping gives.
#[derive(Clone, Default)]
struct EventParts {
    session: Option<Template>,
    location: Option<Template>,
    lifeline: Option<Template>,
    direction: Option<Direction>,
    message: Option<Template>,
    order: Option<OrderRule>,
}

impl EventParts {
    /// Which of [`PARTS`] are there.
    fn are_there(&self) -> [bool; 6] {
        [
            self.session.is_some(),
            self.location.is_some(),
            self.lifeline.is_some(),
            self.direction.is_some(),
            self.message.is_some(),
            self.order.is_some(),
        ]
    }

    /// These parts, and those of the other for what is missing.
    fn or(self, other: &EventParts) -> EventParts {
        let other = other.clone();
        EventParts {
            session: self.session.or(other.session),
            location: self.location.or(other.location),
            lifeline: self.lifeline.or(other.lifeline),
            direction: self.direction.or(other.direction),
            message: self.message.or(other.message),
            order: self.order.or(other.order),
        }
    }
}

impl MappingReader<'_> {
    fn mapping(&mut self, top: Tree<'_, '_>) -> Mapping {
        top.only(TOP, &mut self.errors);
        self.fragments(top);
        self.matches(top);
        let event_tree = self.table(top, "event");
        let event = event_tree.map(|tree| {
            tree.only(&[&PARTS[..], &["ties", "reply-to"]].concat(), &mut self.errors);
            self.parts(tree)
        });
        let mut defaults = event.unwrap_or_default();
        let replies = self.replies(event_tree, &mut defaults);
        let keep = self.each(top, "keep", |reader, tree| reader.filter(tree));
        let drop = self.each(top, "drop", |reader, tree| reader.filter(tree));
        let session_filters = self.session_filters(top, &defaults);
        let joins = self.each(top, "join", |reader, tree| reader.join(tree, &defaults));
        let roles = self.each(top, "role", |reader, tree| reader.role(tree, &defaults));
        let mut rules = self.each(top, "rule", |reader, tree| reader.rule(tree, &defaults));
        let mut relations = None;
        if let Some(tree) = self.table(top, "spans") {
            let (spans, related) = self.spans(tree, &defaults).unzip();
            rules.extend(spans.unwrap_or_default());
            relations = related;
        }
        if let Some(tree) = event_tree {
            rules.extend(self.event_rule(tree, &defaults, rules.is_empty()));
        }
        if rules.is_empty() && self.errors.is_empty() {
            let error = Diagnostic::new(Span::default(), "the mapping makes no events", "");
            self.errors.push(error.with_help("it needs [event], [[rule]] or [spans]"));
        }
        let (lifelines, messages) = self.renames(top);
        let input = self.input(top);
        let unmatched = self.unmatched(top);
        self.check_gap(event_tree, &defaults);
        let relations = relations.and_then(|it: Relations| it.with_fields(&mut self.fields));
        let replies = replies.map(|it| it.with_fields(&mut self.fields));
        self.check_late(event_tree, replies.is_some(), relations.is_some() || !joins.is_empty());
        self.fields.resolve_derived();
        self.field_places.resize(self.fields.len(), Span::default());
        self.check_around(&input);
        let ties = event_tree.and_then(|tree| tree.get("ties")).map(|node| self.ties(node));
        let tests = rules.iter().flat_map(|rule: &Named<RuleKind>| rule.when.any.iter().flatten());
        let tested: BTreeSet<FieldId> = tests.map(|(field, _)| *field).collect();
        let mapping = Mapping {
            tested: tested.into_iter().take(SHOWN_TESTED).collect(),
            source: self.source.clone(),
            input,
            fields: std::mem::take(&mut self.fields),
            field_places: std::mem::take(&mut self.field_places),
            orders: std::mem::take(&mut self.orders),
            ties: ties.unwrap_or_default(),
            keep,
            drop,
            session_filters,
            joins,
            gap: self.gap,
            roles,
            rules,
            relations,
            replies,
            lifelines,
            messages,
            unmatched,
            patterns_place: self.patterns_place,
        };
        #[cfg(feature = "columnar")]
        let mapping = mapping.with_table_needs();
        mapping
    }

    fn session_filters(
        &mut self,
        top: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Vec<Named<SessionFilter>> {
        let kinds =
            [("keep-session", SessionFilterId::Keep), ("drop-session", SessionFilterId::Drop)];
        let mut filters = Vec::new();
        for (key, kind) in kinds {
            let read =
                |reader: &mut Self, tree: Tree<'_, '_>| reader.session_filter(tree, kind, defaults);
            filters.extend(self.each(top, key, read));
        }
        filters
    }

    /// Records wait for others in one way.
    fn check_late(&mut self, event: Option<Tree<'_, '_>>, replies: bool, others: bool) {
        if let Some(node) = event.and_then(|tree| tree.get("reply-to"))
            && replies
            && others
        {
            let message = "`reply-to` goes neither with [[join]] nor with fields of other spans";
            let help = "leave one of them out, or check the records in two runs";
            self.errors.push(node.error(message, help));
        }
    }

    /// A gap needs an order.
    fn check_gap(&mut self, event: Option<Tree<'_, '_>>, defaults: &EventParts) {
        if self.gap.is_some() && defaults.order.is_none() {
            let span = event.map_or_else(Span::default, |tree| first_byte(tree.span));
            let message = "a gap is a length of time, and the mapping has no order";
            let error = Diagnostic::new(span, message, "");
            self.errors.push(error.with_help("write order = \"FIELD\" in [event]"));
        }
    }

    /// The value, or its error reported.
    fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn table<'t, 'i>(&mut self, tree: Tree<'t, 'i>, key: &str) -> Option<Tree<'t, 'i>> {
        self.take(tree.get(key)?.tree())
    }

    /// The tables of a list, `[[key]]`, each read by a function.
    fn each<'t, 'i, T>(
        &mut self,
        top: Tree<'t, 'i>,
        key: &str,
        mut read: impl FnMut(&mut Self, Tree<'t, 'i>) -> Option<T>,
    ) -> Vec<T> {
        let Some(node) = top.get(key) else { return Vec::new() };
        let Ok(list) = node.list() else {
            let message = format!("`{key}` is a list of tables");
            self.errors.push(node.error(message, &format!("write [[{key}]] above each")));
            return Vec::new();
        };
        let trees = list.into_iter().filter_map(|node| self.take(node.tree()));
        let trees: Vec<Tree<'t, 'i>> = trees.collect();
        trees.into_iter().filter_map(|tree| read(self, tree)).collect()
    }

    /// A part of the mapping with its `name`, or a name by its line.
    fn named<T>(&mut self, tree: Tree<'_, '_>, kind: &str, when: Condition, then: T) -> Named<T> {
        let line = self.source.position(tree.span.start).line;
        let name = tree.get("name").and_then(|node| self.take(node.text()));
        let name = name.map_or_else(|| format!("{kind} of line {line}"), str::to_owned);
        Named { name, line, when, then }
    }

    fn filter(&mut self, tree: Tree<'_, '_>) -> Option<Named<()>> {
        tree.only(&["name", "when"], &mut self.errors);
        let when = self.when(tree, true)?;
        Some(self.named(tree, "filter", when, ()))
    }

    fn session_filter(
        &mut self,
        tree: Tree<'_, '_>,
        filter: SessionFilterId,
        defaults: &EventParts,
    ) -> Option<Named<SessionFilter>> {
        tree.only(&["name", "when", "session", "order"], &mut self.errors);
        let when = self.when(tree, true)?;
        let parts = self.parts_of(tree, &["session", "order"]).or(defaults);
        let session = self.session(tree, parts.session)?;
        let is_own = tree.get("session").is_some();
        let then = SessionFilter { filter, session, is_own, order: parts.order };
        Some(self.named(tree, "filter", when, then))
    }

    /// An id that tells the session of records without one.
    fn join(&mut self, tree: Tree<'_, '_>, defaults: &EventParts) -> Option<Named<JoinRule>> {
        tree.only(&["name", "when", "field", "session", "lost"], &mut self.errors);
        let parts = self.parts_of(tree, &["session"]).or(defaults);
        let help = "the field with the id, field = \"request\"";
        let id = self.needed(tree, "field", help).and_then(|node| self.value(node))?;
        let when = match tree.get("when") {
            None => Condition::always(),
            Some(_) => self.when(tree, true)?,
        };
        let session = self.session(tree, parts.session)?;
        let may_lead_nowhere = match tree.get("lost").map(|node| (node, node.value.as_str())) {
            None | Some((_, Some("error"))) => false,
            Some((_, Some("count"))) => true,
            Some((node, _)) => {
                let help =
                    "what becomes of events whose id leads to no session: \"error\" or \"count\"";
                self.errors.push(node.error("this is neither \"error\" nor \"count\"", help));
                false
            }
        };
        Some(self.named(tree, "join", when, JoinRule { id, session, may_lead_nowhere }))
    }

    fn role(&mut self, tree: Tree<'_, '_>, defaults: &EventParts) -> Option<Named<RoleRule>> {
        let known = ["name", "when", "lifeline", "field", "session", "order", "most"];
        tree.only(&known, &mut self.errors);
        let parts = self.parts_of(tree, &["session", "order"]).or(defaults);
        let lifeline =
            self.needed(tree, "lifeline", "what the role is called in specifications")?;
        let most = self.most(tree, lifeline);
        let lifeline = self.take(lifeline.text())?.to_owned();
        let value = self.needed(tree, "field", "the field that tells who has the role")?;
        let value = self.value(value)?;
        let when = match tree.get("when") {
            None if most.is_some_and(|most| most.is_some()) => {
                Condition::has_all(value.alternatives().map(Template::fields))
            }
            _ => self.when(tree, true)?,
        };
        let session = self.session(tree, parts.session)?;
        let role = RoleRule { lifeline, most: most?, session, value, order: parts.order };
        Some(self.named(tree, "role", when, role))
    }

    /// How many replicas may have a role: the outer option is missing if that is an error.
    fn most(&mut self, tree: Tree<'_, '_>, lifeline: Node<'_, '_>) -> Option<Option<u32>> {
        let name = self.take(lifeline.text())?;
        let is_numbered = name.contains(NUMBER);
        let most = tree.get("most");
        let number = most.map(|node| node.number().map(u32::try_from));
        let stem = name.replace(NUMBER, "");
        let help = &format!("write lifeline = \"{stem}{{n}}\" and most = 3 for {stem}1 to {stem}3");
        match (is_numbered, most, number) {
            (false, None, _) => Some(None),
            (true, Some(_), Some(Ok(Ok(most @ 1..)))) => Some(Some(most)),
            (false, Some(node), _) => {
                self.errors.push(node.error("the lifeline of this role has no number", help));
                None
            }
            (_, node, _) => {
                let place = node.unwrap_or(lifeline);
                let message = "how many replicas may there be? `most` is a number from 1";
                self.errors.push(place.error(message, help));
                None
            }
        }
    }

    fn rule(&mut self, tree: Tree<'_, '_>, defaults: &EventParts) -> Option<Named<RuleKind>> {
        let known = [&["name", "when", "actions", "drop"], &PARTS[..]].concat();
        tree.only(&known, &mut self.errors);
        let when = self.when(tree, false)?;
        let parts = self.parts(tree).or(defaults);
        let is_drop = tree.get("drop").and_then(|node| self.take(node.flag())) == Some(true);
        let then = if is_drop {
            RuleKind::Drop
        } else if let Some(node) = tree.get("actions") {
            let list = self.take(node.list())?;
            let actions = list.into_iter().filter_map(|node| self.action(node, &parts));
            RuleKind::Actions(actions.collect())
        } else {
            RuleKind::Actions(vec![self.whole(tree, parts)?])
        };
        Some(self.named(tree, "rule", when, then))
    }

    /// The event that `[event]` describes, if it is a whole one.
    fn event_rule(
        &mut self,
        tree: Tree<'_, '_>,
        parts: &EventParts,
        is_needed: bool,
    ) -> Option<Named<RuleKind>> {
        let is_whole =
            parts.lifeline.is_some() && parts.direction.is_some() && parts.message.is_some();
        if !is_whole && !is_needed {
            return None;
        }
        let action = self.whole(tree, parts.clone())?;
        let line = self.source.position(tree.span.start).line;
        let (when, then) = (Condition::always(), RuleKind::Actions(vec![action]));
        Some(Named { name: "[event]".to_owned(), line, when, then })
    }

    /// One action of all its parts.
    fn whole(&mut self, tree: Tree<'_, '_>, parts: EventParts) -> Option<ActionTemplate> {
        let session = self.session(tree, parts.session);
        let lifeline = self.present(tree, "lifeline", parts.lifeline);
        let direction = self.present(tree, "direction", parts.direction);
        let message = self.present(tree, "message", parts.message);
        Some(ActionTemplate {
            session: session?,
            location: parts.location,
            lifeline: lifeline?,
            direction: direction?,
            message: message?,
            order: parts.order,
        })
    }

    /// One entry of `actions`: a text, or a table with parts of its own.
    fn action(&mut self, node: Node<'_, '_>, parts: &EventParts) -> Option<ActionTemplate> {
        let (text, parts) = match node.tree() {
            Ok(tree) => {
                tree.only(&["action", "session", "location", "order"], &mut self.errors);
                let own = self.parts_of(tree, &["session", "location", "order"]).or(parts);
                (self.needed(tree, "action", "for example \"{src}!{msg}\"")?, own)
            }
            Err(_) => (node, parts.clone()),
        };
        let written = self.take(text.text())?;
        let Some(mark) = action_mark(written) else {
            let message = format!("{} is no action", quote(written));
            let help = "write lifeline!message for an emission, lifeline?message for a reception";
            self.errors.push(text.error(message, help));
            return None;
        };
        let emits = written.as_bytes()[mark] == b'!';
        let kind = if emits { ActionKind::Emission } else { ActionKind::Reception };
        let lifeline = self.template(text, &names::name_of(&written[..mark]))?;
        let message = self.template(text, &written[mark + 1..])?;
        for (part, what) in [(&lifeline, "lifeline"), (&message, "message")] {
            if part.as_text() == Some("") {
                let help = "write lifeline!message or lifeline?message";
                self.errors.push(text.error(format!("the action has no {what}"), help));
            }
        }
        Some(ActionTemplate {
            session: self.session(Tree::new(&DeTable::new(), node.span), parts.session)?,
            location: parts.location,
            lifeline,
            direction: Direction::Fixed(kind),
            message,
            order: parts.order,
        })
    }

    fn session(&mut self, tree: Tree<'_, '_>, session: Option<Template>) -> Option<Template> {
        if session.is_none() && !self.wrong_parts.contains(&"session") {
            let error = Diagnostic::new(first_byte(tree.span), "which field is the session?", "");
            let help = "write session = \"FIELD\" in [event], or session = { text = \"run\" } if \
                        the input is one session";
            self.errors.push(error.with_help(help));
        }
        session
    }

    /// A part that must be given, here or in `[event]`.
    fn present<T>(&mut self, tree: Tree<'_, '_>, what: &str, part: Option<T>) -> Option<T> {
        if part.is_none() && !self.wrong_parts.contains(&what) {
            let message = format!("the {what} is missing");
            let error = Diagnostic::new(first_byte(tree.span), message, "");
            let help = match what {
                "direction" => format!("{DIRECTION_HELP}, here or in [event], or list `actions`"),
                _ => format!("write {what} = \"FIELD\" here or in [event], or list `actions`"),
            };
            self.errors.push(error.with_help(help));
        }
        part
    }

    fn needed<'t, 'i>(
        &mut self,
        tree: Tree<'t, 'i>,
        key: &str,
        help: &str,
    ) -> Option<Node<'t, 'i>> {
        let node = tree.get(key);
        if node.is_none() {
            let error = Diagnostic::new(first_byte(tree.span), format!("`{key}` is missing"), "");
            self.errors.push(error.with_help(help));
        }
        node
    }

    fn parts(&mut self, tree: Tree<'_, '_>) -> EventParts {
        let parts = self.parts_of(tree, PARTS);
        let misspelt = |part: &str| {
            let keys = tree.entries().map(|(key, ..)| key).filter(|key| !PARTS.contains(key));
            keys.into_iter().any(|key| did_you_mean(key, [part]).is_some())
        };
        for (part, is_read) in PARTS.iter().zip(parts.are_there()) {
            if !is_read && (tree.get(part).is_some() || misspelt(part)) {
                self.wrong_parts.push(part);
            }
        }
        parts
    }

    /// Some parts of events as this table gives them.
    fn parts_of(&mut self, tree: Tree<'_, '_>, keys: &[&str]) -> EventParts {
        let get = |key: &str| if keys.contains(&key) { tree.get(key) } else { None };
        EventParts {
            session: get("session").and_then(|node| self.session_value(node)),
            location: get("location").and_then(|node| self.value_of(node, "location")),
            lifeline: get("lifeline").and_then(|node| self.value_of(node, "lifeline")),
            direction: get("direction").and_then(|node| self.direction(node)),
            message: get("message").and_then(|node| self.value_of(node, "message")),
            order: get("order").and_then(|node| self.order(node)),
        }
    }

    /// The name of a field, a template, `{ text = "…" }`, `{ field = "…", match = '…' }`, or a list of them: the first
    /// one counts whose fields the record has.
    fn value(&mut self, node: Node<'_, '_>) -> Option<Template> {
        self.value_of(node, "value")
    }

    /// The value of a part of an event, which a group of `match` may be called like.
    fn value_of(&mut self, node: Node<'_, '_>, part: &str) -> Option<Template> {
        let Ok(list) = node.list() else { return self.one_value(node, part) };
        if list.is_empty() {
            let help = "write [\"{peer.service}\", \"{name}\"]: the first whose fields a record has counts";
            self.errors.push(node.error("the list is empty", help));
        }
        let templates: Option<Vec<Template>> =
            list.into_iter().map(|node| self.one_value(node, part)).collect();
        templates.and_then(Template::first_of)
    }

    fn one_value(&mut self, node: Node<'_, '_>, part: &str) -> Option<Template> {
        if let Ok(tree) = node.tree() {
            if tree.get("match").is_some() || tree.get("field").is_some() {
                tree.only(&["field", "match"], &mut self.errors);
                return self.matched(tree, part).map(Template::field);
            }
            tree.only(&["text"], &mut self.errors);
            let text = self.needed(tree, "text", "write { text = \"run\" }")?;
            return self.take(text.text()).map(Template::text);
        }
        let text = self.take(node.text())?;
        if text.contains('{') {
            return self.template(node, text);
        }
        self.field(node).map(Template::field)
    }

    fn template(&mut self, node: Node<'_, '_>, text: &str) -> Option<Template> {
        let template = Template::parse(text, &mut self.fields);
        self.field_places.resize(self.fields.len(), node.span);
        let help = "a field stands in braces, \"{src}-{dst}\"; {{ and }} mean braces";
        self.take(template.map_err(|error| node.error(error.to_string(), help)))
    }

    /// A field by its name; or one that is made of others, as values are.
    fn field(&mut self, node: Node<'_, '_>) -> Option<FieldId> {
        if node.list().is_ok() || node.tree().is_ok() {
            let template = self.value(node)?;
            if let Some(field) = template.as_field() {
                return Some(field);
            }
            let first = template.fields().next();
            let text = first.map_or(String::new(), |field| self.fields.path(field).to_string());
            let made = self.made(text, node.span);
            self.fields.derive(DerivedFields::Text(template.texts(), made));
            return Some(made);
        }
        let text = self.take(node.text())?;
        self.path(text, node.span)
    }

    fn path(&mut self, text: &str, span: Span) -> Option<FieldId> {
        let path = FieldPath::parse(text).map_err(|error| {
            let help = "fields are a, a.b or a[0]; keys with dots stand in quotes, '\"a.b\".c'";
            Diagnostic::new(span, error.to_string(), "").with_help(help)
        });
        let field = self.take(path).map(|path| self.fields.add(path));
        self.field_places.resize(self.fields.len(), span);
        field
    }

    /// `"emission"`, `"reception"`, or a field and the values that mean either.
    fn direction(&mut self, node: Node<'_, '_>) -> Option<Direction> {
        let help = DIRECTION_HELP;
        match node.value.as_str() {
            Some("emission") => return Some(Direction::Fixed(ActionKind::Emission)),
            Some("reception") => return Some(Direction::Fixed(ActionKind::Reception)),
            _ => {}
        }
        let Ok(tree) = node.tree() else {
            self.errors.push(node.error("this is no direction", help));
            return None;
        };
        tree.only(&["field", "emission", "reception"], &mut self.errors);
        let field = self.needed(tree, "field", help).and_then(|node| self.field(node));
        let emission = self.needed(tree, "emission", help).and_then(|node| self.test(node));
        let reception = self.needed(tree, "reception", help).and_then(|node| self.test(node));
        Some(Direction::Field { field: field?, emission: emission?, reception: reception? })
    }

    /// The rules `[spans]` stands for.
    fn spans(
        &mut self,
        tree: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Option<(Vec<Named<RuleKind>>, Relations)> {
        tree.only(SPANS, &mut self.errors);
        let own = self.parts_of(tree, &["session", "location", "lifeline", "message"]);
        let [kind, id, parent] =
            [("kind", "span.kind"), ("id", "span.id"), ("parent", "span.parent_id")].map(
                |(key, default)| match tree.get(key) {
                    Some(node) => self.field(node),
                    None => self.path(default, tree.span),
                },
            );
        let moments = ["start", "end"].map(|key| match tree.get(key) {
            Some(node) => self.order(node),
            None => self.path(&format!("span.{key}"), tree.span).map(|field| {
                let (value, place) = (Template::field(field), tree.span);
                self.orders.add([OrderField { value, format: None, plus: None, place }])
            }),
        });
        let [start, end] = moments;
        let (kind, start, end) = (kind?, start?, end?);
        let mut default = |path: &str| self.path(path, tree.span).map(Template::field);
        // Where spans have no such field, the session of [event] is theirs, too.
        let session = own.session.or_else(|| {
            Template::first_of(
                default("span.trace_id").into_iter().chain(defaults.session.clone()).collect(),
            )
        });
        let lifeline = own.lifeline.or_else(|| default("resource.service.name"));
        let message = own.message.or_else(|| default("span.name"));
        let (session, lifeline, message) = (session?, lifeline?, message?);
        let returns = tree.get("returns").and_then(|node| self.returns(node, &message));
        let line = self.source.position(tree.span.start).line;
        let location = own.location;
        let trace = session.clone();
        let relations =
            Relations { trace, id: id?, parent: parent?, kind, start, fields: Vec::new() };
        let rules =
            SpanRules { kind, start, end, session, location, lifeline, message, returns, line };
        Some((rules.rules(), relations))
    }

    /// The message of returns; `true` stands for that of the call with `_return` after it.
    fn returns(&mut self, node: Node<'_, '_>, message: &Template) -> Option<Template> {
        match node.value.as_bool() {
            Some(false) => None,
            Some(true) => Some(message.clone().followed_by("_return")),
            None => self.value(node),
        }
    }
}

/// A place for what is missing in a table.
fn first_byte(span: Span) -> Span {
    Span::new(span.start, span.start + 1)
}
