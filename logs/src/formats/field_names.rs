//! The names of the fields that the first records of an input have, and how parts of values are written.

use crate::field::FieldPath;

/// How many records are looked at for a proposal: enough to see which values repeat, and few enough
/// that the answer comes at once.
pub(crate) const MAX_RECORDS: usize = 1000;

/// The most fields that are looked at. A proposal names at most six of them; the limit keeps logs
/// with values as keys from taking quadratic time here.
const MAX_FIELDS: usize = 500;

/// Names of fields as paths, without repetitions, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct FieldNames(Vec<String>);

impl FieldNames {
    pub(crate) fn add(&mut self, path: String) {
        if self.0.len() < MAX_FIELDS && !self.0.contains(&path) {
            self.0.push(path);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// How elements of a list are written.
pub(crate) fn of_list(name: &FieldPath) -> String {
    format!(
        "its elements are `{name}[0]`, and `{name}[key=text]` is the first one whose `key` is `text`"
    )
}

/// A key as part of a path.
pub(crate) fn quoted(key: &str) -> String {
    let is_plain = !key.is_empty() && key != "*" && !key.contains(['.', '[', ']', '"', '{', '}']);
    if is_plain {
        return key.to_owned();
    }
    format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}
