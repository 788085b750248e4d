//! Fields that are parts of others, by patterns.

use super::MappingReader;
use super::patterns::REGEX_HELP;
use crate::field::{BY_MATCH, DerivedFields, FieldId, FieldPath};
use crate::mapping::tree::{TomlValue, Tree};
use crate::pattern_list::{Compiled, PatternsWin};
use multitrace_formats::source::Span;
use regex_automata::PatternID;
use regex_automata::meta::Regex;
use std::sync::Arc;

impl MappingReader<'_> {
    /// The tables `[[match]]`: the named groups of the first pattern that matches a field are fields.
    pub(super) fn matches(&mut self, top: Tree<'_, '_>) {
        self.each(top, "match", |reader, tree| {
            tree.only(&["field", "patterns"], &mut reader.errors);
            let help = "write field = \"MESSAGE\" and patterns = ['term (?<term>\\d+)']";
            let from = reader.needed(tree, "field", help).and_then(|node| reader.field(node));
            let node = reader.needed(tree, "patterns", help)?;
            let patterns = reader.patterns_of(node)?;
            let mut groups = Vec::new();
            for regex in patterns.regexes() {
                let of_pattern: Vec<(usize, FieldId)> = named(regex)
                    .filter_map(|(group, name)| Some((group, FieldPath::parse(name).ok()?)))
                    .map(|(group, path)| (group, reader.fields.add(path)))
                    .collect();
                if of_pattern.is_empty() {
                    let help = "name the parts that are fields, (?<term>\\d+)";
                    reader.errors.push(node.error("a pattern has no named group", help));
                }
                groups.push(of_pattern);
            }
            reader.field_places.resize(reader.fields.len(), node.span);
            reader.fields.derive(DerivedFields::Match(from?, patterns, groups));
            Some(())
        });
    }

    /// `{ field = "MESSAGE", match = 'term (?<term>\\d+)' }`: the group with the name of the part of the event, else the
    /// first group with a name, else the first group, else the whole match.
    pub(super) fn matched(&mut self, tree: Tree<'_, '_>, part: &str) -> Option<FieldId> {
        let help = format!("write {{ field = \"MESSAGE\", match = '(?<{part}>\\w+)' }}");
        let from = self.needed(tree, "field", &help).and_then(|node| self.field(node))?;
        let help = format!(
            "{help} for a part of a field; the whole is {part} = \"{}\"",
            self.fields.path(from)
        );
        let node = self.needed(tree, "match", &help)?;
        let patterns = self.patterns_of(node)?;
        let text = format!("{}{BY_MATCH}", self.fields.path(from));
        let made = self.made(text, node.span);
        let group = |regex: &Regex| {
            let like = named(regex).find(|(_, name)| *name == part);
            let first = like.or_else(|| named(regex).next());
            first.map_or(usize::from(regex.captures_len() > 1), |(group, _)| group)
        };
        let groups = patterns.regexes().map(|regex| vec![(group(regex), made)]).collect();
        self.fields.derive(DerivedFields::Match(from, patterns, groups));
        Some(made)
    }

    /// A field that is made of others, with a place in the mapping.
    pub(super) fn made(&mut self, text: String, span: Span) -> FieldId {
        let made = self.fields.add_made(text);
        self.field_places.resize(self.fields.len(), span);
        made
    }

    /// A regular expression, or a list of them: the first that matches counts, wherever it does.
    fn patterns_of(&mut self, node: TomlValue<'_, '_>) -> Option<Arc<Compiled>> {
        let mut texts = Vec::new();
        for node in node.list().unwrap_or_else(|_| vec![node]) {
            let text = self.take(node.text())?;
            self.regex(node, text)?;
            texts.push(self.expanded(node, text)?);
        }
        let patterns = Compiled::new(&texts, PatternsWin::First).map(Arc::new);
        let patterns = patterns.map_err(|error| {
            let message = format!("no regular expression: {}", error.message);
            node.error(message, REGEX_HELP)
        });
        self.take(patterns)
    }
}

/// The groups of a pattern that have names.
fn named(regex: &Regex) -> impl Iterator<Item = (usize, &str)> {
    let names = regex.group_info().pattern_names(PatternID::ZERO).enumerate();
    names.filter_map(|(group, name)| Some((group, name?)))
}
