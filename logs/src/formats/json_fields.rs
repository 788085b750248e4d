//! The asked-for fields of a JSON object.

// The object is walked once, along the tree of asked-for paths. Values beside them are checked to be JSON and skipped.
// A value on a path is taken as the text it is written as; strings without escapes and numbers stay where they are in
// the input (`Values::set_input`), so a record of plain values costs no copy and no allocation. `quick_json` walks the
// usual form; `serde_json` walks every other one, and makes all errors. Only a value that is asked for itself and by
// its parts is walked twice.

use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use super::path_tree::PathTree;
use super::quick_json;
use super::twice::{KEEP_ONE, Seen, TWICE, differs, stands_twice};
use crate::field::{FieldId, PathStep};
use crate::record::{Found, RecordPlace, Unknown, Values};
use multitrace_formats::source::{Diagnostic, Span};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::slice::from_ref;

/// Reads the fields of one object into values that are not set. `text` is all of it; values refer to
/// its bytes.
pub(crate) fn read(text: &str, tree: &PathTree, values: &mut Values) -> Result<(), Diagnostic> {
    values.set_json();
    if quick_json::read(text, tree, values) {
        return Ok(());
    }
    values.clear();
    read_fully(text, tree, values)
}

/// Reads the fields of a value of any kind into values that are not set. A field at the root of the tree is the value
/// itself.
pub(crate) fn read_value(
    text: &str,
    tree: &PathTree,
    values: &mut Values,
) -> Result<(), serde_json::Error> {
    values.set_json();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut walk = FieldWalk { line: text, values, is_root: false, is_again: false, tree };
    (&mut walk).deserialize(&mut deserializer).and_then(|()| deserializer.end())
}

/// Whether a text with this error is JSON that cannot be used: an object or a list of objects or texts that is wrong anywhere,
/// or another list that is cut off, has an asked-for key twice, or stands before something else. Any other text may not be meant to
/// be JSON, such as `[main] ready`.
pub(crate) fn is_damaged(text: &str, error: &serde_json::Error) -> bool {
    let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    let is_list = || {
        let reason = reason(error);
        error.is_eof() || reason.contains(TWICE) || reason.contains("trailing characters")
    };
    let inside = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    text.starts_with('{') || text.starts_with('[') && (inside.starts_with(['{', '"']) || is_list())
}

/// The same by the full reader alone.
pub(super) fn read_fully(
    text: &str,
    tree: &PathTree,
    values: &mut Values,
) -> Result<(), Diagnostic> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut walk = FieldWalk { line: text, values, is_root: true, is_again: false, tree };
    let read = (&mut walk).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    read.map_err(|error| not_json(text, &error))
}

/// A value on the way to asked-for fields.
struct FieldWalk<'w, 'de> {
    line: &'de str,
    values: &'w mut Values,
    is_root: bool,
    /// Whether this is in a second pair with one key.
    is_again: bool,
    tree: &'w PathTree,
}

impl<'de> FieldWalk<'_, 'de> {
    fn below<'s>(&'s mut self, tree: &'s PathTree) -> FieldWalk<'s, 'de> {
        let (line, is_again) = (self.line, self.is_again);
        FieldWalk { line, values: self.values, is_root: false, is_again, tree }
    }

    /// An element of a list: `tree` asks for it by its place, and the list may ask for an object with a text at a key. `seen`
    /// are the objects that were found. Tracers write a tag twice, so objects that say the same are one.
    fn item(
        &mut self,
        raw: &'de str,
        tree: Option<&PathTree>,
        seen: &mut Seen,
    ) -> Result<(), serde_json::Error> {
        if let Some(tree) = tree {
            self.below(tree).deserialize(&mut serde_json::Deserializer::from_str(raw))?;
        }
        for (at, ((key, is), tree)) in (0..).zip(&self.tree.with) {
            if !has_text(raw, key, is)? {
                continue;
            }
            let is_second = self.is_again || seen.first(at).is_none();
            let mut walk = FieldWalk { is_again: is_second, ..self.below(tree) };
            let found = walk.deserialize(&mut serde_json::Deserializer::from_str(raw));
            found.map_err(|error| match is_second {
                true => serde_json::Error::custom(differs(is)),
                false => error,
            })?;
        }
        Ok(())
    }

    /// Whether a value is null, or the same as that of the field.
    fn adds_nothing(&self, field: FieldId, raw: &str) -> bool {
        let known = self.values.record(self.line, RecordPlace::line(1));
        let text = serde_json::from_str::<Cow<'_, str>>(raw);
        raw == "null" || known.get(field) == Some(text.as_deref().unwrap_or(raw))
    }

    /// Takes a value as it is written.
    fn take<E: Error>(&mut self, field: FieldId, raw: &'de str) -> Result<(), E> {
        match self.is_again {
            true if self.values.is_set(field) => {
                let is_same = self.adds_nothing(field, raw);
                return if is_same { Ok(()) } else { Err(E::custom(TWICE)) };
            }
            false if self.values.is_met(field) => {
                return Err(E::custom(format_args!("an element of a list {TWICE}")));
            }
            _ => {}
        }
        let start = raw.as_ptr() as usize - self.line.as_ptr() as usize;
        match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
            Some(inner) if !inner.contains('\\') => {
                self.values.set_input(field, start + 1..start + raw.len() - 1);
            }
            Some(_) => {
                let text: String = serde_json::from_str(raw)
                    .map_err(|error| E::custom(format_args!("{}", reason(&error))))?;
                self.values.set_value(field, &text, true);
            }
            None if raw == "null" => self.values.set_null(field),
            None => self.values.set_input(field, start..start + raw.len()),
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut FieldWalk<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(field) = self.tree.field else {
            if self.is_root {
                return deserializer.deserialize_map(self);
            }
            let Some(single) = self.tree.of_single().and_then(|tree| tree.field) else {
                return deserializer.deserialize_any(self);
            };
            let raw = <&RawValue as serde::Deserialize>::deserialize(deserializer)?.get();
            if !raw.starts_with(['[', '{']) {
                return self.take(single, raw);
            }
            let mut inner = serde_json::Deserializer::from_str(raw);
            return (&mut inner)
                .deserialize_any(self)
                .map_err(|error| D::Error::custom(format_args!("{}", reason(&error))));
        };
        let raw = <&RawValue as serde::Deserialize>::deserialize(deserializer)?.get();
        self.take(field, raw)?;
        if self.tree.is_leaf() {
            return Ok(());
        }
        // The value itself is asked for, and parts of it, too: they are read in a second walk.
        let parts = PathTree { field: None, ..self.tree.clone() };
        let mut inner = serde_json::Deserializer::from_str(raw);
        (&mut self.below(&parts))
            .deserialize(&mut inner)
            .map_err(|error| D::Error::custom(format_args!("{}", reason(&error))))
    }
}

impl<'de> Visitor<'de> for &mut FieldWalk<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if let Some(single) = self.tree.of_single().filter(|_| self.tree.keys.is_empty()) {
            return self.below(single).visit_map(map);
        }
        let mut place = 0;
        while let Some(Key(key)) = map.next_key()? {
            match self.tree.key_from(key.as_bytes(), &mut place) {
                // Tools write an object part by part, each at the same key.
                Some(tree)
                    if !self.is_again
                        && tree.field.is_some_and(|field| self.values.is_met(field)) =>
                {
                    return Err(A::Error::custom(stands_twice(&key)));
                }
                Some(tree) => map.next_value_seed(&mut self.below(tree))?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut seen = Seen::default();
        for index in 0.. {
            let tree = self.tree.items.iter().find(|(other, _)| *other == index);
            if !self.tree.with.is_empty() {
                let Some(raw) = items.next_element::<&RawValue>()? else { break };
                let tree = tree.map(|(_, tree)| tree);
                self.item(raw.get(), tree, &mut seen)
                    .map_err(|error| A::Error::custom(format_args!("{}", reason(&error))))?;
                continue;
            }
            let more = match tree {
                Some((_, tree)) => items.next_element_seed(&mut self.below(tree))?.is_some(),
                None => items.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    // A value of these kinds has no fields below it, except that it may stand for a list of one.

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Whether a value is an object that has a text, or another value that is written so, at a key.
fn has_text(raw: &str, key: &str, is: &str) -> Result<bool, serde_json::Error> {
    if !raw.starts_with('{') || !raw.contains(key) && !raw.contains('\\') {
        return Ok(false);
    }
    let mut found = None;
    for (name, value) in serde_json::from_str::<Members<'_>>(raw)?.0 {
        if name == key && found.replace(value.get()).is_some() {
            return Err(serde_json::Error::custom(stands_twice(key)));
        }
    }
    let is_it = |raw: &str| match serde_json::from_str::<String>(raw) {
        Ok(text) => text == is,
        Err(_) => raw == is,
    };
    Ok(found.is_some_and(is_it))
}

/// The keys of an object with their values, in their order.
pub(super) struct Members<'r>(pub(super) Vec<(Cow<'r, str>, &'r RawValue)>);

impl<'de: 'r, 'r> serde::Deserialize<'de> for Members<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'r>, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// A key of an object, borrowed where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key<'de>, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// An error of serde_json at its place in the text, which may have several lines.
pub(crate) fn not_json(text: &str, error: &serde_json::Error) -> Diagnostic {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let place = match error.classify() {
        Category::Eof => text.trim_end().len(),
        _ => (before + error.column().saturating_sub(1)).min(text.len()),
    };
    let not_json = || format!("not JSON: {}", reason(error));
    let (message, help) = match error.classify() {
        Category::Data => match reason(error) {
            twice if twice.contains(TWICE) => (twice, KEEP_ONE),
            message => (message, "correct it, or name its format: [input] format = \"…\""),
        },
        Category::Eof => (not_json(), "is the file cut off, or still being written?"),
        _ => (not_json(), "correct it, or name the format of the file: [input] format = \"…\""),
    };
    Diagnostic::new(Span::new(place, text.len().min(place + 1)), message, "").with_help(help)
}

/// The message of an error without the place that serde_json adds to it.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or(text.clone(), str::to_owned)
}

/// How deep fields are looked for in objects. Loggers nest two or three levels; deeper objects are
/// mostly the data of one message.
pub(super) const MAX_DEPTH: usize = 8;

/// The paths of the values in the first objects of a text, in lists, in lists of lists, or not.
pub(crate) fn object_fields(head: &str) -> Vec<String> {
    let mut names = FieldNames::default();
    let values = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    for value in values.take(MAX_RECORDS) {
        match value {
            Ok(Value::Array(items)) => {
                let inner = |item| Value::as_array(item).map_or(from_ref(item), Vec::as_slice);
                let all = items.iter().flat_map(inner);
                all.for_each(|item| collect(item, "", MAX_DEPTH, &mut names));
            }
            Ok(value) => collect(&value, "", MAX_DEPTH, &mut names),
            Err(_) => break,
        }
    }
    names.into_vec()
}

/// The paths of the values in an object that are not objects themselves.
pub(super) fn collect(value: &Value, before: &str, depth: usize, names: &mut FieldNames) {
    let Some(object) = value.as_object().filter(|_| depth > 0) else { return };
    for (key, value) in object {
        let key = quoted(key);
        let path = if before.is_empty() { key } else { format!("{before}.{key}") };
        match value {
            Value::Object(_) => collect(value, &path, depth - 1, names),
            Value::Array(items) => collect_items(items, &path, names),
            Value::Null => {}
            _ => names.add(path),
        }
    }
}

/// How many elements of a message that is a list are looked at: its kind, its id, and its name.
const MOST_ITEMS: usize = 4;

/// The paths of the values in a list of names with values, as tags are, and in a message that is a list: `[2,"7","Start",{}]`.
fn collect_items(items: &[Value], path: &str, names: &mut FieldNames) {
    if matches!(items, [Value::Number(_), Value::String(_), ..]) {
        let plain = items.iter().enumerate().take(MOST_ITEMS).filter(|(_, it)| is_plain(it));
        plain.for_each(|(at, _)| names.add(format!("{path}[{at}]")));
    }
    collect_pairs(items, path, names);
}

/// The paths of the values in a list of objects with a name and a value each; whether it is one.
pub(super) fn collect_pairs(items: &[Value], path: &str, names: &mut FieldNames) -> bool {
    let is_pair = |item: &Value, key: &str| {
        item.get(key).is_some_and(Value::is_string) && item.get("value").is_some_and(is_plain)
    };
    let are_pairs = |key: &&str| items.iter().all(|item| is_pair(item, key));
    let Some(key) = ["key", "name", "field"].into_iter().find(are_pairs) else { return false };
    let is_bare = |name: &&str| !name.contains(']') && !name.starts_with(['"', '$']);
    let all = items.iter().filter_map(|item| item[key].as_str()).filter(is_bare);
    all.for_each(|name| names.add(format!("{path}[{key}={name}].value")));
    !items.is_empty()
}

/// Whether a value has no parts.
pub(super) fn is_plain(value: &Value) -> bool {
    !value.is_array() && !value.is_object() && !value.is_null()
}

/// The tree of one path, whose field is the first.
pub(super) fn single(steps: &[PathStep]) -> PathTree {
    [(steps, FieldId::at(0))].into_iter().collect()
}

/// The value at the path of [`single`] in a value.
pub(super) fn value_at(raw: &str, tree: &PathTree) -> Found<String> {
    let mut values = Values::default();
    values.reset(1);
    read_value(raw, tree, &mut values).map_err(|_| Unknown)?;
    Ok(values.record(raw, RecordPlace::line(0)).get(FieldId::at(0)).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldPath, Fields};
    use crate::record::RecordPlace;
    use proptest::prelude::*;

    /// The value of each path.
    type Texts = Vec<Option<String>>;

    #[test]
    fn fields_are_looked_for_down_to_a_depth() {
        let nested = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert_eq!(object_fields(&nested(MAX_DEPTH)), ["a.".repeat(MAX_DEPTH - 1) + "a"]);
        assert_eq!(object_fields(&nested(MAX_DEPTH + 2)), [""; 0]);
    }

    /// The values that the quick reader reads of a text, and those of the full one.
    fn both(text: &str, paths: &[&str]) -> (Option<Texts>, Option<Texts>) {
        let mut fields = Fields::default();
        for path in paths {
            fields.add(FieldPath::parse(path).expect("a path"));
        }
        let tree = PathTree::new(&fields);
        let read = |read: &dyn Fn(&mut Values) -> bool| {
            let mut values = Values::default();
            values.reset(fields.len());
            let is_read = read(&mut values);
            let record = values.record(text, RecordPlace::line(1));
            let value = |(field, _)| record.get(field).map(str::to_owned);
            is_read.then(|| fields.iter().map(value).collect())
        };
        (
            read(&|values| quick_json::read(text, &tree, values)),
            read(&|values| read_fully(text, &tree, values).is_ok()),
        )
    }

    #[test]
    fn the_usual_form_is_read_quickly() {
        let paths = ["a", "o.b", "o.p.c", "n", "list", "t[k=x].v", "t[k=1].v", "u[1].a", "w[0]"];
        for text in [
            r#"{}"#,
            r#" { "a" : "x" , "n" : -1.5e3 , "list" : [ 1 , { } ] , "o" : { } } "#,
            r#"{"x":{"a":1},"o":{"b":true,"x":["a"],"p":{"c":"ü"}},"a":null,"x":"y"}"#,
            r#"{"o":"text","n":null,"x":"\u00e9"}"#,
            r#"{"t":[{"v":[],"k":"y"},7,{"v":3,"k":"x"},{"k":"y","v":4},{"k":1,"v":{"a":"x"}}]}"#,
            r#"{"u":[{"a":1},{"b":2,"a":"z"}],"w":"one"}"#,
            r#"{"u":[],"w":["two","three"],"t":[]}"#,
        ] {
            let (quick, full) = both(text, &paths);
            assert!(quick.is_some(), "{text}");
            assert_eq!(quick, full, "{text}");
        }
        for text in ["", "[]", r#"{"a":"\n"}"#, r#"{"\u0061":1}"#, r#"{"a":1,"a":2}"#, "{} {}"] {
            assert_eq!(both(text, &paths).0, None, "{text}");
        }
    }

    #[test]
    fn keys_with_dots_stand_for_several_steps() {
        let paths = ["a.b.c", "\"a.b\".d"];
        for text in [
            r#"{"a.b.c":"x"}"#,
            r#"{"a":{"b.c":"x"}}"#,
            r#"{"a":{"b":{"c":"x"}}}"#,
            r#"{"a":{"b":{"d":1}},"a.b":{"d":null},"a.b.c":"x"}"#,
        ] {
            let found = Some(vec![Some("x".to_owned()), None]);
            assert_eq!(both(text, &paths), (found.clone(), found), "{text}");
        }
        assert_eq!(both(r#"{"a.b":{"c":"x"}}"#, &paths).1, Some(vec![None, None]));
    }

    #[test]
    fn a_field_that_stands_twice_on_the_way_is_an_error() {
        let paths = ["a.b", "c", "t[key=k].value", "t[key=k].type", "u[name=1].v", "w[0].x"];
        for text in [
            r#"{"a":{"b":1},"a":{"b":1}}"#,
            r#"{"a":{"b":1},"a":{"x":2,"b":null}}"#,
            r#"{"a":{"b":1,"b":null}}"#,
            r#"{"a":{"b":null},"a":{"b":1}}"#,
            r#"{"c":null,"c":null}"#,
            r#"{"t":[{"key":"k","value":1},{"key":"k","value":2}]}"#,
            r#"{"t":[{"key":"k","value":"a"},{"key":"k","value":null},{"value":"b","key":"k"}]}"#,
            r#"{"t":[{"key":"k","value":"a\\n"},{"key":"k","value":"a"}]}"#,
            r#"{"t":[{"key":"j","key":"k","value":1}]}"#,
            r#"{"t":[{"key":{},"key":"k","value":1}]}"#,
            r#"{"u":[{"name":1,"v":1},{"v":2,"name":"1"}]}"#,
            r#"{"u":[{"name":1,"v":1},{"v":1,"v":2,"name":"1"}]}"#,
            r#"{"w":[{"x":1,"x":1}]}"#,
            r#"{"w":{"x":1,"x":1}}"#,
            r#"{"w":[{"x":1}],"w":[{"x":2}]}"#,
            r#"{"a.b":1,"a":{"b":1}}"#,
            r#"{"a":{"b":1},"a.b":1}"#,
        ] {
            assert_eq!(both(text, &paths), (None, None), "{text}");
        }
        let beside = r#"{"z":1,"z":2,"a":{"b":1,"z":1,"z":2},"t":[{"key":"j"},{"key":"j"},{"key":"k","value":3}]}"#;
        assert!(both(beside, &paths).0.is_some());
        let in_parts = r#"{"a":null,"a":{"z":1},"a":{"b":2},"a":{"y":3}}"#;
        assert!(both(in_parts, &paths).0.is_some());
        for pairs in [
            r#"[{"key":"k","value":"a\u0062"},{"key":"k","type":1,"value":"ab"}]"#,
            r#"[{"key":"k","value":null},{"key":"k","value":1},{"key":"k","value":null}]"#,
        ] {
            let text = format!(r#"{{"t":{pairs}}}"#);
            assert!(both(&text, &paths).1.is_some(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        /// Pieces of objects in any order: both readers read the same.
        #[test]
        fn the_quick_reader_agrees_with_the_full_one(
            pieces in proptest::collection::vec(0_usize..24, 0..10),
            closed in 0_usize..3,
        ) {
            const PIECES: [&str; 24] = [
                r#""list":[{"c":1,"a":"x"},{"a":"y","c":2}]"#, r#""list":"x""#, r#"{"a":"x","c":3}"#,
                r#""o":1e999"#,
                r#""a":"x""#, r#""a":"#, r#""o":{"b":1"#, r#""o":[{"b":2}]"#, r#""b":"#, r#""n":-1.50"#,
                r#""list":[1,{"a":"x"}]"#, r#""p":{"#, r#""c":null"#, "{", "}", ",", ",", ",", "01",
                "\"", r"a", " ", "[", "]",
            ];
            let inside: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
            let text = format!("{{{inside}{}", "}".repeat(closed));
            let (quick, full) = both(&text, &["a", "o.b", "o.p.c", "n", "list", "list[1].a", "o[0].b"]);
            prop_assert!(quick.is_none() || quick == full, "{text}");
            let (quick, full) = both(&text, &["a", "list[a=x].c", "list[0]", "o[0].b"]);
            prop_assert!(quick.is_none() || quick == full, "{text}");
            let (quick, full) = both(&text, &["o[b=1].a", "list[c=2].a", "n[0].x"]);
            prop_assert!(quick.is_none() || quick == full, "{text}");
            let (quick, full) = both(&text, &["a", "o.b", "o.p.c", "n", "b"]);
            prop_assert!(quick.is_none() || quick == full, "{text}");
        }
    }
}
