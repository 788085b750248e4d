//! Regular expressions of a mapping: fragments, and the groups that they rename.

use super::MappingReader;
use crate::mapping::fragments::Fragments;
use crate::mapping::rename::{Renames, unknown_group};
use crate::mapping::tree::{TomlValue, Tree};
use crate::pattern_list::regex_message;
use multitrace_formats::source::{Diagnostic, Span, quote};
use regex_automata::PatternID;
use regex_automata::meta::Regex;

/// The remedy for texts that are not regular expressions.
pub(super) const REGEX_HELP: &str = "a sign that is meant as itself stands behind a backslash, `\\(`; \
                                     in 'single quotes' backslashes need no doubling";

impl MappingReader<'_> {
    /// The table `[patterns]`. Fragments that no pattern uses are checked, too.
    pub(super) fn fragments(&mut self, top: Tree<'_, '_>) {
        let Some(tree) = self.table(top, "patterns") else { return };
        let mut own = Vec::new();
        for (name, span, node) in tree.entries() {
            if !Fragments::is_name(name) {
                let error = Diagnostic::new(span, format!("{} is not a name", quote(name)), "");
                let help = "names of fragments are letters, digits, `_` and `-`";
                self.errors.push(error.with_help(help));
            }
            own.extend(self.take(node.text()).map(|text| (name.to_owned(), text.to_owned())));
        }
        self.fragments = Fragments::new(own);
        for (_, _, node) in tree.entries() {
            if let Some(text) = node.value.as_str() {
                self.regex(node, text);
            }
        }
    }

    /// A pattern with its fragments in place.
    pub(super) fn expanded(&mut self, node: TomlValue<'_, '_>, pattern: &str) -> Option<String> {
        let written = self.source.text().get(node.span.start..node.span.end).unwrap_or("");
        let expanded = self.fragments.expand(pattern).map_err(|error| {
            let at = written.find(&error.at).filter(|_| !error.at.is_empty());
            let span = at.map_or(node.span, |at| {
                let start = node.span.start + at;
                Span::new(start, start + error.at.len())
            });
            Diagnostic::new(span, error.message, "").with_help(error.help)
        });
        self.take(expanded)
    }

    pub(super) fn regex(&mut self, node: TomlValue<'_, '_>, pattern: &str) -> Option<Regex> {
        let pattern = self.expanded(node, pattern)?;
        let regex = Regex::new(&pattern).map_err(|error| {
            let message = format!("no regular expression: {}", regex_message(&error));
            node.error(message, REGEX_HELP)
        });
        self.take(regex)
    }

    pub(super) fn renames(&mut self, top: Tree<'_, '_>) -> (Renames, Renames) {
        let Some(tree) = self.table(top, "rename") else { return Default::default() };
        if let Some(node) = tree.get("sessions") {
            let help = "a session is the value of a field: take a part of it, session = { field = \"id\", match = '^\\w+' }";
            self.errors.push(node.error("sessions have no new names", help));
        } else {
            tree.only(&["lifelines", "messages", "clean", "every"], &mut self.errors);
        }
        let mut flag = |key| tree.get(key).and_then(|node| self.take(node.flag())).unwrap_or(false);
        let (clean, every) = (flag("clean"), flag("every"));
        let new = || Renames { clean, every, ..Renames::default() };
        let lifelines = self.table(tree, "lifelines");
        let lifelines = self.names(lifelines, new());
        let messages = self.table(tree, "messages");
        (lifelines, self.names(messages, new()))
    }

    fn names(&mut self, tree: Option<Tree<'_, '_>>, mut renames: Renames) -> Renames {
        for (key, span, node) in tree.into_iter().flat_map(Tree::entries) {
            let Some(new) = self.take(node.text()) else { continue };
            match key.strip_prefix('/').and_then(|key| key.strip_suffix('/')) {
                Some(pattern) => {
                    let key = TomlValue { span, ..node };
                    let regex = self.regex(key, pattern);
                    let unknown = regex.as_ref().and_then(|regex| unknown_group(regex, new));
                    if let Some(group) = unknown {
                        let message = format!("the pattern has no group {}", quote(&group));
                        let help = regex.as_ref().map_or_else(String::new, groups_help);
                        self.errors.push(node.error(message, &help));
                    }
                    renames.patterns.extend(regex.map(|regex| (regex, new.to_owned())));
                }
                None if new.is_empty() => {
                    let help =
                        "write another name; a [[drop]] leaves out the records with this one";
                    self.errors.push(node.error("the new name is empty", help));
                }
                None => {
                    renames.exact.insert(key.to_owned(), new.to_owned());
                }
            }
        }
        renames
    }
}

/// Which groups a pattern has, and how a new name refers to them.
fn groups_help(pattern: &Regex) -> String {
    let names = pattern.group_info().pattern_names(PatternID::ZERO).enumerate();
    let names: Vec<String> = names
        .map(|(number, name)| name.map_or_else(|| format!("${number}"), |name| format!("${name}")))
        .collect();
    format!(
        "it has {} ($0 is all that matches); ${{1}}_OK puts text behind a group, $$ is a dollar",
        names.join(", ")
    )
}
