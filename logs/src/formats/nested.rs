//! Where the records of a document stand: in the longest of its lists of objects, else in the longest object of objects.

use super::document_records::KEY;
use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use super::json_fields::{MAX_DEPTH, collect, collect_pairs, is_plain};
use crate::field::EACH;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// How many keys may lead to records: more than any format of a tool has.
const MOST_KEYS: usize = 6;

/// How many values of an object, all with the same keys, look like records.
const LEAST_KEYED: usize = 5;

/// How many lists of an object, all of objects with the same keys, look like those of one session each.
const LEAST_LISTS: usize = 2;

/// The step to all values of an object.
const EACH_VALUE: (Option<String>, bool) = (None, false);

/// OCEL 1 has its objects beside its events.
const OCEL_OBJECTS: &str = "ocel:objects";

/// A document whose records stand in a list, or are the values of an object.
pub(crate) struct Nested {
    /// The document, closed where the beginning of the input cut it off.
    pub(crate) text: String,
    /// The path to the records, `data[].spans[]` or `events.*`.
    pub(crate) path: String,
    /// The paths of their fields, and those of the objects around them.
    pub(crate) names: Vec<String>,
    /// The list of lists in each record whose elements are the records instead: then `text` is these, one a line.
    pub(crate) rows: Option<String>,
}

/// The keys on the way to a place in a document, each with whether its value is a list whose elements are meant. Without a
/// key, all values of an object are meant.
type Way = Vec<(Option<String>, bool)>;

/// The records in the beginning of an input; `None` if its objects are the records.
pub(crate) fn nested(head: &str) -> Option<Nested> {
    let mut documents = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    let (text, document) = match documents.next()? {
        Ok(document) if documents.next().is_none() => (head.to_owned(), document),
        Ok(_) => return nested_in_each(head),
        Err(_) => {
            let text = closed(head)?;
            let document = serde_json::from_str(&text).ok()?;
            (text, document)
        }
    };
    let document = match document {
        Value::Array(all) => return in_each(text, &all[..all.len().min(MAX_RECORDS)]),
        document => document,
    };
    let mut lists = IndexMap::new();
    find(&document, &Way::new(), &mut lists);
    if let Some(rows) = lists.iter().find_map(|(way, count)| rows(&document, way, *count)) {
        return Some(rows);
    }
    let longest = lists.into_iter().max_by_key(|(way, count)| (*count, Reverse(way.len())));
    let way = match longest.filter(|(_, count)| *count > 1) {
        Some((way, _)) => way,
        None => keyed_records(&document)?,
    };
    Some(with_names(text, &way, &[document]))
}

/// The records in several documents. They are mostly records themselves, unless each has a list of objects with times, and no
/// time of its own.
fn nested_in_each(head: &str) -> Option<Nested> {
    let mut documents = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    let mut all = Vec::new();
    while let Some(Ok(document)) = documents.next()
        && all.len() < MAX_RECORDS
    {
        all.push(document);
    }
    in_each(head[..documents.byte_offset()].to_owned(), &all)
}

/// The same for documents that are read.
fn in_each(text: String, all: &[Value]) -> Option<Nested> {
    let longest = |document: &Value| {
        let mut lists = IndexMap::new();
        find(document, &Way::new(), &mut lists);
        lists.into_iter().max_by_key(|(way, count)| (*count, Reverse(way.len())))
    };
    let (way, _) = longest(all.first()?)?;
    let is_around = |document: &Value| {
        let found = longest(document).is_some_and(|(other, _)| other == way);
        found && !has_time(document) && all_hold(document, &way, has_own_time)
    };
    all.iter().all(is_around).then(|| with_names(text, &way, all))
}

/// Whether all values at the end of a way through lists and objects are such.
fn all_hold(value: &Value, way: &[(Option<String>, bool)], holds: fn(&Value) -> bool) -> bool {
    let Some(((key, is_list), rest)) = way.split_first() else { return holds(value) };
    match key.as_ref().and_then(|key| value.get(key)) {
        Some(Value::Array(items)) if *is_list => items.iter().all(|it| all_hold(it, rest, holds)),
        Some(value) => all_hold(value, rest, holds),
        None => true,
    }
}

/// Whether a field of an object is called like a time.
fn has_time(value: &Value) -> bool {
    let is_time = |key: &String| {
        let key = key.to_ascii_lowercase();
        key.contains("time") || key.ends_with("date") || key == "ts"
    };
    value.as_object().is_some_and(|object| object.keys().any(is_time))
}

/// The same for an element of a list, whose time may be called `at` or `changed_at`.
fn has_own_time(value: &Value) -> bool {
    let is_moment = |key: &String| key == "at" || key.ends_with("_at") || key.ends_with("At");
    has_time(value) || value.as_object().is_some_and(|object| object.keys().any(is_moment))
}

/// The records on a way in some documents, with the names of their fields.
fn with_names(text: String, way: &[(Option<String>, bool)], documents: &[Value]) -> Nested {
    let mut names = FieldNames::default();
    documents.iter().for_each(|document| add_names(document, way, &mut names));
    if way.iter().any(|(key, _)| key.is_none()) {
        names.add(KEY.to_owned());
    }
    Nested { text, path: path_of(way), names: names.into_vec(), rows: None }
}

fn path_of(way: &[(Option<String>, bool)]) -> String {
    let steps = way.iter().map(|(key, is_list)| {
        key.as_ref().map_or("*".to_owned(), |key| quoted(key)) + if *is_list { "[]" } else { "" }
    });
    steps.collect::<Vec<_>>().join(".")
}

/// The lists in a list of each of some objects, if they are more than these: a service of logs exports streams of lines with
/// their times, `"values":[["1714557600","a line"]]`.
fn rows(document: &Value, way: &[(Option<String>, bool)], objects: usize) -> Option<Nested> {
    let mut records = Vec::new();
    at_end(document, way, &mut records);
    let list = |record: &Value, key: &str| record.get(key).and_then(Value::as_array).cloned();
    let are_lists = |key: &&String| {
        let mut all = records.iter().map(|record| list(record, key));
        all.all(|rows| rows.is_some_and(|rows| rows.iter().all(Value::is_array)))
    };
    let key = records.first()?.as_object()?.keys().find(are_lists)?;
    let (mut names, mut text, mut count) = (FieldNames::default(), String::new(), 0);
    for record in &records {
        let mut line = record.as_object()?.clone();
        line.remove(key);
        collect(&Value::from(line.clone()), "", MAX_DEPTH, &mut names);
        for row in list(record, key)? {
            let cells = row.as_array().map_or(0, Vec::len);
            (0..cells).for_each(|at| names.add(format!("each[{at}]")));
            line.insert("each".to_owned(), row);
            text.push_str(&Value::from(line.clone()).to_string());
            text.push('\n');
            count += 1;
        }
    }
    let rows = Some(format!("{}[]", quoted(key)));
    (count > objects).then(|| Nested { text, path: path_of(way), names: names.into_vec(), rows })
}

/// The values at the end of a way.
fn at_end<'v>(value: &'v Value, way: &[(Option<String>, bool)], found: &mut Vec<&'v Value>) {
    let Some(((key, is_list), rest)) = way.split_first() else { return found.push(value) };
    match key.as_ref().and_then(|key| value.get(key)) {
        Some(Value::Array(items)) if *is_list => {
            items.iter().for_each(|item| at_end(item, rest, found));
        }
        Some(value) => at_end(value, rest, found),
        None => {}
    }
}

/// The way to the values of an object that have the same keys, as records have: an object may name its events by their
/// ids. The longest one counts.
fn keyed_records(document: &Value) -> Option<Way> {
    let mut found = Vec::new();
    find_keyed(document, &Way::new(), &mut found);
    found.into_iter().max_by_key(|(_, count)| *count).map(|(way, _)| way)
}

/// The objects below a value whose values are objects with the same keys, and how many these are.
fn find_keyed(value: &Value, before: &Way, found: &mut Vec<(Way, usize)>) {
    let Some(object) = value.as_object().filter(|_| before.len() < MOST_KEYS) else { return };
    let with = |step: (Option<String>, bool)| [&before[..], &[step]].concat();
    if is_keyed(object) {
        found.push((with(EACH_VALUE), object.len()));
        return;
    }
    for (key, value) in object.iter().filter(|(key, _)| *key != OCEL_OBJECTS) {
        find_keyed(value, &with((Some(key.clone()), false)), found);
    }
}

/// Whether an object has records as its values: they are objects with the same keys.
fn is_keyed(object: &Map<String, Value>) -> bool {
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let first = object.values().next().map(keys).unwrap_or_default();
    object.len() >= LEAST_KEYED && !first.is_empty() && object.values().all(|it| keys(it) == first)
}

/// Whether an object has lists of records as its values: they are objects with the same keys, as those of sessions by their ids.
fn has_keyed_lists(object: &Map<String, Value>) -> bool {
    let keys =
        |item: &Value| -> Option<Vec<String>> { Some(item.as_object()?.keys().cloned().collect()) };
    let mut firsts = object.values().map(|list| keys(list.as_array()?.first()?));
    let first = firsts.next().flatten().filter(|keys| !keys.is_empty());
    object.len() >= LEAST_LISTS && first.is_some() && firsts.all(|it| it == first)
}

/// The lists of records below an object, and how many records each has.
fn find(value: &Value, before: &Way, found: &mut IndexMap<Way, usize>) {
    let Some(object) = value.as_object() else { return };
    let has_keys = !is_keyed(object) && !has_keyed_lists(object);
    for (key, value) in object {
        let mut way = before.clone();
        way.push((has_keys.then(|| key.clone()), value.is_array()));
        match value {
            Value::Array(items) if way.len() <= MOST_KEYS => {
                let mut records = items.iter().filter(|item| item.is_object()).count();
                if items.iter().all(|item| item.as_array().is_some_and(|it| !it.is_empty())) {
                    records += items.len();
                }
                if records > 0 {
                    *found.entry(way.clone()).or_default() += records;
                }
                items.iter().for_each(|item| find(item, &way, found));
            }
            Value::Object(_) if way.len() <= MOST_KEYS => find(value, &way, found),
            _ => {}
        }
    }
}

/// The fields of the records on this way, and of the objects around them.
fn add_names(value: &Value, way: &[(Option<String>, bool)], names: &mut FieldNames) {
    let Some(((key, is_list), rest)) = way.split_first() else {
        return match value {
            Value::Array(items) => add_elements(items, names),
            _ => collect(value, "", MAX_DEPTH, names),
        };
    };
    let Some(object) = value.as_object() else { return };
    let Some(key) = key else {
        let lists = object.values().filter_map(Value::as_array).filter(|_| *is_list).flatten();
        lists.for_each(|item| add_names(item, rest, names));
        let values = object.values().filter(|_| !is_list);
        return values.for_each(|value| add_names(value, rest, names));
    };
    let up = "^.".repeat(way.iter().filter(|step| **step != EACH_VALUE).count());
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

/// The elements of a record that is a list.
fn add_elements(items: &[Value], names: &mut FieldNames) {
    if !collect_pairs(items, EACH, names) {
        let plain = items.iter().enumerate().filter(|(_, item)| is_plain(item));
        plain.for_each(|(at, _)| names.add(format!("{EACH}[{at}]")));
    }
}

/// An open bracket of a document: the bracket that closes it, how many brackets were closed in it, and the end of the last.
struct OpenBracket {
    closing: char,
    values: usize,
    end: usize,
}

/// A document that is cut off, up to its last whole element of a list, else up to the last value of the object of most, with
/// the brackets that close it.
fn closed(head: &str) -> Option<String> {
    let (mut open, mut last): (Vec<OpenBracket>, _) = (Vec::new(), None);
    let (mut in_string, mut is_escaped) = (false, false);
    let closing = |open: &[OpenBracket]| open.iter().rev().map(|it| it.closing).collect::<String>();
    for (at, c) in head.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '{' | '[' => {
                let closing = if c == '{' { '}' } else { ']' };
                open.push(OpenBracket { closing, values: 0, end: 0 });
            }
            '}' | ']' => {
                open.pop();
                if let Some(around) = open.last_mut() {
                    (around.values, around.end) = (around.values + 1, at + 1);
                    if around.closing == ']' {
                        last = Some((at + 1, closing(&open)));
                    }
                }
            }
            _ => {}
        }
    }
    let (end, closing) = last.or_else(|| {
        let of_many = (0..open.len()).max_by_key(|at| open[*at].values)?;
        Some((open[of_many].end, closing(&open[..=of_many])))
    })?;
    Some(format!("{}{closing}", &head[..end]))
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
        // Values of an object may be records, or have lists of them.
        let many = |value: &str| {
            let values: Vec<String> = (0..6).map(|at| format!(r#""k{at}":{value}"#)).collect();
            format!(r#"{{"by":"x","of":{{{}}}}}"#, values.join(","))
        };
        let names = ["^.by", "x", "@key"].map(str::to_owned).to_vec();
        let records = many(r#"{"x":1,"n":["a"]}"#);
        assert_eq!(of(&records), Some(("of.*".to_owned(), names.clone())));
        assert_eq!(of(&records[..records.len() - 9]), Some(("of.*".to_owned(), names)));
        let names = ["^.^.by", "^.s", "x", "@key"].map(str::to_owned).to_vec();
        let lists = many(r#"{"s":1,"l":[{"x":1}]}"#);
        assert_eq!(of(&lists), Some(("of.*.l[]".to_owned(), names)));
        assert_eq!(
            of(r#"{"log":{"entries":[{"a":1},{"a":2}]}}"#),
            Some(("log.entries[]".to_owned(), vec!["a".to_owned()]))
        );
    }
}
