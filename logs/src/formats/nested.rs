//! Where the records of a document stand: in the longest of its lists of objects.

use super::field_names::{FieldNames, quoted};
use super::json_fields::{MAX_DEPTH, collect};
use indexmap::IndexMap;
use serde_json::Value;
use std::cmp::Reverse;

/// How many keys may lead to records: more than any format of a tool has.
const MOST_KEYS: usize = 6;

/// How many values of an object, all with the same keys, look like records.
const LEAST_KEYED: usize = 5;

/// A document whose records stand in a list.
pub(crate) struct Nested {
    /// The document, closed where the beginning of the input cut it off.
    pub(crate) text: String,
    /// The path to the records, `data[].spans[]`.
    pub(crate) path: String,
    /// The paths of their fields, and those of the objects around them.
    pub(crate) names: Vec<String>,
}

/// The keys on the way to a place in a document, each with whether its value is a list whose elements are meant.
type Way = Vec<(String, bool)>;

/// The records in the beginning of an input; `None` if its objects are the records.
pub(crate) fn nested(head: &str) -> Option<Nested> {
    let mut documents = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    let (text, document) = match documents.next()? {
        Ok(document) => {
            // Several documents are records themselves.
            documents.next().is_none().then(|| (head.to_owned(), document))?
        }
        Err(_) => {
            let text = closed(head)?;
            let document = serde_json::from_str(&text).ok()?;
            (text, document)
        }
    };
    let mut lists = IndexMap::new();
    find(&document, &Way::new(), &mut lists);
    let (way, count) = lists.into_iter().max_by_key(|(way, count)| (*count, Reverse(way.len())))?;
    if count < 2 {
        return None;
    }
    let mut names = FieldNames::default();
    add_names(&document, &way, &mut names);
    let steps = way.iter().map(|(key, is_list)| quoted(key) + if *is_list { "[]" } else { "" });
    let path = steps.collect::<Vec<_>>().join(".");
    Some(Nested { text, path, names: names.into_vec() })
}

/// The path to an object of the only document whose values are objects with the same keys, as records are: an object may
/// name its events by their ids. The longest one counts.
pub(crate) fn keyed_records(head: &str) -> Option<String> {
    let document: Value = match serde_json::from_str(head) {
        Ok(document) => document,
        Err(_) => serde_json::from_str(&closed(head)?).ok()?,
    };
    let mut found = Vec::new();
    find_keyed(&document, "", MOST_KEYS, &mut found);
    found.into_iter().max_by_key(|(_, count)| *count).map(|(path, _)| path)
}

/// The objects below a value whose values are objects with the same keys, and how many these are.
fn find_keyed(value: &Value, before: &str, depth: usize, found: &mut Vec<(String, usize)>) {
    let Some(object) = value.as_object().filter(|_| depth > 0) else { return };
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let first = object.values().next().map(keys).unwrap_or_default();
    if object.len() >= LEAST_KEYED
        && !first.is_empty()
        && object.values().all(|it| keys(it) == first)
    {
        found.push((before.to_owned(), object.len()));
        return;
    }
    for (key, value) in object {
        let key = quoted(key);
        let path = if before.is_empty() { key } else { format!("{before}.{key}") };
        find_keyed(value, &path, depth - 1, found);
    }
}

/// The lists of objects below an object, and how many objects each has.
fn find(value: &Value, before: &Way, found: &mut IndexMap<Way, usize>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let mut way = before.clone();
        way.push((key.clone(), value.is_array()));
        match value {
            Value::Array(items) if way.len() <= MOST_KEYS => {
                let objects = items.iter().filter(|item| item.is_object()).count();
                if objects > 0 {
                    *found.entry(way.clone()).or_default() += objects;
                }
                items.iter().for_each(|item| find(item, &way, found));
            }
            Value::Object(_) if way.len() <= MOST_KEYS => find(value, &way, found),
            _ => {}
        }
    }
}

/// The fields of the records on this way, and of the objects around them.
fn add_names(value: &Value, way: &[(String, bool)], names: &mut FieldNames) {
    let Some(((key, is_list), rest)) = way.split_first() else {
        return collect(value, "", MAX_DEPTH, names);
    };
    let Some(object) = value.as_object() else { return };
    let up = "^.".repeat(way.len());
    let is_plain = |value: &Value| !value.is_array() && !value.is_object() && !value.is_null();
    let plain = object.iter().filter(|(_, value)| is_plain(value));
    plain.for_each(|(key, _)| names.add(format!("{up}{}", quoted(key))));
    match object.get(key) {
        Some(Value::Array(items)) if *is_list => {
            items.iter().for_each(|item| add_names(item, rest, names));
        }
        Some(value) => add_names(value, rest, names),
        None => {}
    }
}

/// A document that is cut off, up to its last whole element of a list, with the brackets that close it.
fn closed(head: &str) -> Option<String> {
    let (mut open, mut last) = (Vec::new(), None);
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in head.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => {
                open.pop();
                if open.last() == Some(&b'[') {
                    last = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (end, open) = last?;
    let closing = open.iter().rev().map(|byte| if *byte == b'{' { '}' } else { ']' });
    Some(head[..end].chars().chain(closing).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Option<(String, Vec<String>)> {
        nested(head).map(|it| (it.path, it.names))
    }

    #[test]
    fn the_longest_list_of_objects_has_the_records() {
        let text = r#"{"n":1,"data":[{"id":"a","spans":[{"x":1,"tags":[{"k":1}]},{"y":{"z":2}}]},{"spans":[{}]}]}"#;
        let names = ["^.^.n", "^.id", "x", "y.z"].map(str::to_owned).to_vec();
        assert_eq!(of(text), Some(("data[].spans[]".to_owned(), names)));
        // It may be cut off anywhere.
        assert_eq!(of(&text[..text.len() - 15]).map(|it| it.0), Some("data[].spans[]".to_owned()));
        for none in ["", "[]", "{\"a\":1}", "{\"a\":[{}]}", "{\"a\":[1,2]}", "{\"a\":[{},{}]}\n{}"]
        {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(
            of(r#"{"log":{"entries":[{"a":1},{"a":2}]}}"#),
            Some(("log.entries[]".to_owned(), vec!["a".to_owned()]))
        );
    }
}
