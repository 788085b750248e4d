//! The text of a mapping, read with all its errors.

mod conditions;
mod input;
mod matches;
mod orders;
mod parts;
mod patterns;
mod replies;
mod rules;
mod spans;
mod values;

use super::condition::Condition;
use super::definition::Mapping;
use super::event_parts::{EventParts, PARTS};
use super::fragments::Fragments;
use super::order_fields::OrderFields;
use super::presets::{with_preset, without_paths_out};
use super::relations::Relations;
use super::rule::{Named, RuleKind};
use super::tree::{TomlValue, Tree};
use crate::field::{FieldId, Fields};
use crate::format::Format;
use multitrace_formats::source::{Diagnostic, Diagnostics, Source, SourceError, Span};
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
        missing: Vec::new(),
        patterns_place: None,
        number: 0,
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
    let mut preset = DeTable::parse(preset).ok()?;
    let records = input.get("records").and_then(|it| it.get_ref().as_array());
    if records.is_some_and(|it| it.is_empty()) {
        without_paths_out(preset.get_mut());
    }
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
    /// Parts of events that are there and wrong, or most likely misspelt, or reported already: they are not missing.
    wrong_parts: Vec<&'static str>,
    /// Other parts that tables lack: the first of these tables, and their number.
    missing: Vec<(&'static str, Span, usize)>,
    /// Where the patterns of plain text stand.
    patterns_place: Option<Span>,
    /// The number of the table that is read in its list, from 1.
    number: usize,
}

impl MappingReader<'_> {
    fn mapping(&mut self, top: Tree<'_, '_>) -> Mapping {
        top.only(TOP, &mut self.errors);
        self.fragments(top);
        self.matches(top);
        let input = self.input(top);
        let event_tree = self.table(top, "event");
        let event = event_tree.map(|tree| {
            self.known_keys(tree);
            self.parts(tree)
        });
        let mut defaults = event.unwrap_or_default();
        let replies = self.replies(event_tree, &mut defaults);
        let keep = self.each(top, "keep", |reader, tree| reader.filter(tree));
        let drop = self.each(top, "drop", |reader, tree| reader.filter(tree));
        let session_filters = self.session_filters(top, &defaults);
        let joins = self.each(top, "join", |reader, tree| reader.join(tree, &defaults));
        let roles = self.each(top, "role", |reader, tree| reader.role(tree, &defaults));
        let (rules, relations) = self.rules(top, event_tree, &defaults);
        let (lifelines, messages) = self.renames(top);
        let unmatched = self.unmatched(top);
        self.check_gap(event_tree, &defaults);
        let relations = relations.and_then(|it| it.with_fields(&mut self.fields));
        let replies = replies.map(|it| it.with_fields(&mut self.fields));
        self.check_late(event_tree, replies.is_some(), relations.is_some() || !joins.is_empty());
        if let Some(field) = self.fields.resolve_derived() {
            self.made_of_itself(field);
        }
        self.field_places.resize(self.fields.len(), Span::default());
        self.check_around(&input);
        let ties = event_tree.and_then(|tree| tree.get("ties")).map(|node| self.ties(node));
        let tests = rules.iter().flat_map(|rule| rule.when.any.iter().flatten());
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
        mapping.with_tested_fields()
    }

    /// Reports keys that `[event]` does not have; those of `reply-to` with their place.
    fn known_keys(&mut self, tree: Tree<'_, '_>) {
        let inner = ["request", "response", "failed", "responses"];
        let misplaced = inner.into_iter().filter_map(|key| Some((key, tree.get(key)?)));
        let misplaced: Vec<(&str, TomlValue<'_, '_>)> = misplaced.collect();
        for (key, node) in &misplaced {
            let help =
                format!("write reply-to = {{ request = \"id\", response = \"id\", {key} = … }}");
            let message = format!("`{key}` stands inside of `reply-to`");
            self.errors.push(node.error(message, &help));
        }
        let misplaced: Vec<&str> = misplaced.iter().map(|(key, _)| *key).collect();
        let known = [&PARTS[..], &["ties", "reply-to"], &misplaced].concat();
        tree.only(&known, &mut self.errors);
    }

    /// The rules, with those that `[spans]` and `[event]` stand for, and the fields that spans read of one another.
    fn rules(
        &mut self,
        top: Tree<'_, '_>,
        event: Option<Tree<'_, '_>>,
        defaults: &EventParts,
    ) -> (Vec<Named<RuleKind>>, Option<Relations>) {
        let mut rules = self.each(top, "rule", |reader, tree| reader.rule(tree, defaults));
        let mut relations = None;
        if let Some(tree) = self.table(top, "spans") {
            let (spans, related) = self.spans(tree, defaults).unzip();
            rules.extend(spans.unwrap_or_default());
            relations = related;
        }
        if let Some(tree) = event {
            let has_others = ["rule", "spans"].iter().any(|key| top.get(key).is_some());
            rules.extend(self.event_rule(tree, defaults, !has_others));
        }
        self.report_missing();
        if rules.is_empty() && self.errors.is_empty() {
            let error = Diagnostic::new(Span::default(), "the mapping makes no events", "");
            self.errors.push(error.with_help("it needs [event], [[rule]] or [spans]"));
        }
        (rules, relations)
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

    fn made_of_itself(&mut self, field: FieldId) {
        let span = self.field_places.get(field.index()).copied().unwrap_or_default();
        let message = format!("the field `{}` is made of itself", self.fields.path(field));
        let help = "give the group another name, (?<rest>.*), or none, (.*)";
        self.errors.push(Diagnostic::new(span, message, "").with_help(help));
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
            self.errors.push(
                node.error(message, &format!("write [[{key}]] above each, or {key} = [{{ … }}]")),
            );
            return Vec::new();
        };
        let trees = list.into_iter().filter_map(|node| self.take(node.tree()));
        let trees: Vec<Tree<'t, 'i>> = trees.collect();
        let mut all = Vec::new();
        for (at, tree) in trees.into_iter().enumerate() {
            self.number = at + 1;
            all.extend(read(self, tree));
        }
        all
    }

    /// A part of the mapping with its `name`, or a name by its line; of a list within a line, where all have the same, by its number.
    fn named<T>(&mut self, tree: Tree<'_, '_>, kind: &str, when: Condition, then: T) -> Named<T> {
        let line = self.source.position(tree.span.start).line;
        let name = tree.get("name").and_then(|node| self.take(node.text()));
        let text = self.source.text().get(tree.span.start..);
        let is_headed = text.is_some_and(|it| it.starts_with('['));
        let usual = || match is_headed {
            true => format!("{kind} of line {line}"),
            false => format!("{kind} {}", self.number),
        };
        let name = name.map_or_else(usual, str::to_owned);
        Named { name, line, when, then }
    }

    fn needed<'t, 'i>(
        &mut self,
        tree: Tree<'t, 'i>,
        key: &str,
        help: &str,
    ) -> Option<TomlValue<'t, 'i>> {
        let node = tree.get(key);
        if node.is_none() {
            let error = Diagnostic::new(first_byte(tree.span), format!("`{key}` is missing"), "");
            self.errors.push(error.with_help(help));
        }
        node
    }
}

/// A place for the error that a table lacks something.
fn first_byte(span: Span) -> Span {
    Span::new(span.start, span.start + 1)
}
