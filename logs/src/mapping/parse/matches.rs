//! Fields that are parts of others, by patterns.

use super::MappingReader;
use super::patterns::REGEX_HELP;
use crate::field::{BY_MATCH, DerivedFields, FieldId, FieldPath};
use crate::mapping::tree::{TomlValue, Tree};
use crate::pattern_list::regex_message;
use multitrace_formats::source::Span;
use regex_automata::PatternID;
use regex_automata::meta::Regex;

impl MappingReader<'_> {
    /// The tables `[[match]]`: the named groups of the first pattern that matches a field are fields.
    pub(super) fn matches(&mut self, top: Tree<'_, '_>) {
        self.each(top, "match", |reader, tree| {
            tree.only(&["field", "patterns"], &mut reader.errors);
            let help = "write field = \"MESSAGE\" and patterns = ['term (?<term>\\d+)']";
            let from = reader.needed(tree, "field", help).and_then(|node| reader.field(node));
            let node = reader.needed(tree, "patterns", help)?;
            let regex = reader.regexes(node)?;
            let mut groups = Vec::new();
            for pattern in 0..regex.pattern_len() {
                let of_pattern: Vec<(usize, FieldId)> = named(&regex, pattern)
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
            reader.fields.derive(DerivedFields::Match(from?, regex, groups));
            Some(())
        });
    }

    /// `{ field = "MESSAGE", match = 'term (?<term>\\d+)' }`: the group with the name of the part of the event, else the
    /// first group with a name, else the first group, else the whole match.
    pub(super) fn matched(&mut self, tree: Tree<'_, '_>, part: &str) -> Option<FieldId> {
        let help = "write { field = \"MESSAGE\", match = 'term (?<session>\\d+)' }";
        let from = self.needed(tree, "field", help).and_then(|node| self.field(node))?;
        let node = self.needed(tree, "match", help)?;
        let regex = self.regexes(node)?;
        let text = format!("{}{BY_MATCH}", self.fields.path(from));
        let made = self.made(text, node.span);
        let group = |pattern: usize| {
            let all = regex.group_info().group_len(PatternID::must(pattern));
            let like = named(&regex, pattern).find(|(_, name)| *name == part);
            let first = like.or_else(|| named(&regex, pattern).next());
            first.map_or(usize::from(all > 1), |(group, _)| group)
        };
        let groups = (0..regex.pattern_len()).map(|pattern| vec![(group(pattern), made)]).collect();
        self.fields.derive(DerivedFields::Match(from, regex, groups));
        Some(made)
    }

    /// A field that is made of others, with a place in the mapping.
    pub(super) fn made(&mut self, text: String, span: Span) -> FieldId {
        let made = self.fields.add_made(text);
        self.field_places.resize(self.fields.len(), span);
        made
    }

    /// A regular expression, or a list of them: the first that matches counts.
    fn regexes(&mut self, node: TomlValue<'_, '_>) -> Option<Regex> {
        let mut texts = Vec::new();
        for node in node.list().unwrap_or_else(|_| vec![node]) {
            let text = self.take(node.text())?;
            self.regex(node, text)?;
            texts.push(self.expanded(node, text)?);
        }
        let regex = Regex::new_many(&texts).map_err(|error| {
            let message = format!("no regular expression: {}", regex_message(&error));
            node.error(message, REGEX_HELP)
        });
        self.take(regex)
    }
}

/// The groups of a pattern that have names.
fn named(regex: &Regex, pattern: usize) -> impl Iterator<Item = (usize, &str)> {
    let names = regex.group_info().pattern_names(PatternID::must(pattern)).enumerate();
    names.filter_map(|(group, name)| Some((group, name?)))
}
