//! The conditions of rules and filters.

use super::MappingReader;
use crate::field::FieldId;
use crate::mapping::condition::{Condition, Test};
use crate::mapping::tree::{TomlValue, Tree};
use multitrace_formats::suggest::closest;

impl MappingReader<'_> {
    /// The condition of a rule or filter.
    pub(super) fn when(&mut self, tree: Tree<'_, '_>, is_needed: bool) -> Option<Condition> {
        let Some(node) = tree.get("when") else {
            if is_needed {
                self.needed(tree, "when", "write when = { FIELD = \"value\" }");
                return None;
            }
            return Some(Condition::always());
        };
        Some(self.condition(node))
    }

    /// A table of tests, which must all hold; or a list of such tables, and one of them must.
    pub(super) fn condition(&mut self, node: TomlValue<'_, '_>) -> Condition {
        let list = node.list().unwrap_or_else(|_| vec![node]);
        let any = list.into_iter().filter_map(|node| {
            let tree = self.take(node.tree())?;
            Some(self.tests(tree))
        });
        Condition { any: any.collect() }
    }

    /// A test per field. TOML makes nested tables of dotted keys.
    fn tests(&mut self, tree: Tree<'_, '_>) -> Vec<(FieldId, Test)> {
        let mut tests = Vec::new();
        self.collect_tests("", tree, &mut tests);
        tests
    }

    pub(super) fn collect_tests(
        &mut self,
        before: &str,
        tree: Tree<'_, '_>,
        tests: &mut Vec<(FieldId, Test)>,
    ) {
        for (key, span, node) in tree.entries() {
            let path = if before.is_empty() { key.to_owned() } else { format!("{before}.{key}") };
            match node.tree() {
                Ok(inner) if !is_test(inner) => self.collect_tests(&path, inner, tests),
                _ => {
                    let field = self.path(&path, span);
                    let test = self.test(node);
                    tests.extend(field.zip(test));
                }
            }
        }
    }

    pub(super) fn test(&mut self, node: TomlValue<'_, '_>) -> Option<Test> {
        if let Ok(list) = node.list() {
            let tests = list.into_iter().filter_map(|node| self.test(node));
            return Some(Test::Any(tests.collect()));
        }
        if let Ok(tree) = node.tree() {
            return self.test_table(node, tree);
        }
        let Some(text) = node.scalar() else {
            let help = "write a text, a number, a list of them, or { matches = \"…\" }";
            self.errors.push(node.error("this cannot be the value of a field", help));
            return None;
        };
        // An object of JSON, whose keys stand in quotes, is a text.
        let is_json = |inner: &str| inner.contains('"') && inner.contains(':');
        let is_field = |it: &&str| !it.is_empty() && !it.contains(['{', '}']) && !is_json(it);
        let inner = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        if let Some(other) = inner.filter(is_field) {
            return self.path(other, node.span).map(Test::Same);
        }
        match text.strip_prefix('/').and_then(|text| text.strip_suffix('/')) {
            Some(pattern) => self.regex(node, pattern).map(Test::Matches),
            None => Some(Test::Equals(text)),
        }
    }

    pub(super) fn test_table(
        &mut self,
        node: TomlValue<'_, '_>,
        tree: Tree<'_, '_>,
    ) -> Option<Test> {
        if tree.entries().any(|(key, ..)| !TESTS.contains(&key)) {
            tree.only(TESTS, &mut self.errors);
            return None;
        }
        let mut tests = tree.entries().filter(|(key, ..)| TESTS.contains(key));
        let (Some((key, _, inner)), None) = (tests.next(), tests.next()) else {
            self.errors.push(node.error("expected one test", "for example { not = \"x\" }"));
            return None;
        };
        match key {
            "exists" => self.take(inner.flag()).map(Test::Exists),
            "not" => Some(Test::Not(Box::new(self.test(inner)?))),
            "matches" => {
                let pattern = self.take(inner.text())?;
                self.regex(inner, pattern).map(Test::Matches)
            }
            _ => {
                let text = inner.scalar();
                if text.is_none() {
                    let help = "write { equals = \"text\" }";
                    self.errors.push(inner.error("expected a text or a number", help));
                }
                text.map(Test::Equals)
            }
        }
    }
}

const TESTS: &[&str] = &["equals", "matches", "exists", "not"];

/// Whether a table is a test, and not a path of several keys. A key that is nearly a test is a slip: a field of such a
/// name is written in quotes, with its path.
fn is_test(tree: Tree<'_, '_>) -> bool {
    let is_slip = |key: &str, node: TomlValue<'_, '_>| {
        closest(key, ["equals", "matches", "exists"]).is_some() && node.tree().is_err()
    };
    let mut entries = tree.entries();
    entries.all(|(key, _, node)| TESTS.contains(&key) || is_slip(key, node))
}
