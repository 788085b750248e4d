//! Values by which documents say that records are missing, that another page follows, or how many there are.

use super::json_fields::{single, value_at};
use super::path_tree::PathTree;
use crate::field::PathStep;
use multitrace_formats::shorten::shorten;
use multitrace_formats::source::quote;

/// Values that say that nothing is missing, in small letters and without blanks.
const NOTHING: [&str; 7] = ["", "false", "no", "none", "null", "[]", "{}"];
/// How many characters of a value are shown.
const SHOWN_CHARS: usize = 60;

/// A value that says that a document is not whole, or that another page follows.
#[derive(Debug)]
pub(super) struct Sign {
    pub(super) kind: SignKind,
    pub(super) key: String,
    /// The path in the value, and the whole path.
    pub(super) path: PathTree,
    pub(super) text: String,
    pub(super) value: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignKind {
    Incomplete,
    NextPage,
    /// How many elements the lists of records beside it would have.
    Count,
    /// How many pages there are.
    Pages,
}

/// How many elements an object says that its lists have, or how many pages there are.
#[derive(Debug)]
pub(super) struct Count {
    pub(super) wanted: u64,
    /// The sign and its value, in words.
    pub(super) text: String,
    pub(super) line: u64,
}

/// A sign that records are missing, or that another page follows.
#[derive(Debug)]
pub(super) struct FoundSign<'p> {
    /// The sign and its value, in words.
    pub(super) words: String,
    /// The field and its value, which may say which page follows.
    pub(super) page: Option<(&'p str, String)>,
}

impl Sign {
    /// The count that a value has at its path, in a line.
    pub(super) fn count(&self, raw: &str, line: u64) -> Option<Count> {
        let found = value_at(raw, &self.path).ok()??;
        let count =
            found.parse::<f64>().ok().filter(|count| *count >= 1.0 && count.fract() == 0.0)?;
        // Elasticsearch counts no further than this.
        let relation = value_at(raw, &single(&[PathStep::Key("relation".to_owned())]));
        let is_least = u64::from(relation.is_ok_and(|it| it.as_deref() == Some("gte")));
        Some(Count { wanted: count as u64 + is_least, text: self.words(&found), line })
    }

    /// The sign that a value has at its path.
    pub(super) fn found(&self, raw: &str) -> Option<FoundSign<'_>> {
        let Sign { kind, path, text, value, .. } = self;
        let Ok(found) = value_at(raw, path) else {
            let words = format!("nobody knows the value of `{text}`");
            return Some(FoundSign { words, page: None });
        };
        let found = found?;
        let bare = found.split_whitespace().collect::<String>().to_ascii_lowercase();
        // A number below zero leads to none of the pages; of errors it says that their number is unknown.
        let is_zero = bare
            .parse::<f64>()
            .is_ok_and(|it| it == 0.0 || it < 0.0 && *kind == SignKind::NextPage);
        let is_sign = match value {
            Some(value) => *value == found,
            None => !is_zero && !NOTHING.contains(&bare.as_str()),
        };
        is_sign.then(|| {
            let is_page = value.is_none() && !text.contains(['[', '*']);
            let words = self.words(&found);
            FoundSign { words, page: is_page.then_some((text.as_str(), found)) }
        })
    }

    /// A value of it in words.
    fn words(&self, found: &str) -> String {
        format!("`{}` is {}", self.text, quote(&shorten(found, SHOWN_CHARS)))
    }
}
