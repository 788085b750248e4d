//! The asked-for fields of a JSON object.

// The quick path: the object is walked once, along the tree of asked-for paths. What lies beside
// them is checked to be JSON and skipped. A value on a path is taken as the text it is written as;
// strings without escapes and numbers stay where they are in the input (`Values::set_input`), so a
// record of plain values costs no copy and no allocation. Only a value that is asked for itself and
// by its parts is walked twice.

use super::field_names::{FieldNames, MAX_RECORDS, quoted};
use crate::field::{FieldId, Fields, Step};
use crate::record::Values;
use multitrace_formats::source::{Diagnostic, Span};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Paths as a tree, by their steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTree {
    field: Option<FieldId>,
    keys: Vec<(String, PathTree)>,
    items: Vec<(usize, PathTree)>,
}

impl PathTree {
    pub(crate) fn new(fields: &Fields) -> PathTree {
        let mut tree = PathTree::default();
        for (field, path) in fields.iter() {
            tree.node(path.steps()).field = Some(field);
        }
        tree
    }

    /// The node at the end of some steps; it is made if it is missing.
    fn node(&mut self, steps: &[Step]) -> &mut PathTree {
        match steps {
            [] => self,
            [Step::Key(key), rest @ ..] => child(&mut self.keys, key.as_str()).node(rest),
            [Step::Index(index), rest @ ..] => child(&mut self.items, index).node(rest),
        }
    }

    fn key(&self, key: &str) -> Option<&PathTree> {
        self.keys.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    fn is_leaf(&self) -> bool {
        self.keys.is_empty() && self.items.is_empty()
    }
}

fn child<'t, K, Q>(children: &'t mut Vec<(K, PathTree)>, key: &Q) -> &'t mut PathTree
where
    K: std::borrow::Borrow<Q>,
    Q: PartialEq + ToOwned<Owned = K> + ?Sized,
{
    let known = children.iter().position(|(other, _)| other.borrow() == key);
    let index = known.unwrap_or_else(|| {
        children.push((key.to_owned(), PathTree::default()));
        children.len() - 1
    });
    &mut children[index].1
}

/// Reads the fields of one object. `text` is all of it; values refer to its bytes.
pub(crate) fn read(text: &str, tree: &PathTree, values: &mut Values) -> Result<(), Diagnostic> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut walk = FieldWalk { line: text, values, is_root: true, tree };
    let read = (&mut walk).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    read.map_err(|error| not_json(text, &error))
}

/// A value on the way to asked-for fields.
struct FieldWalk<'w, 'de> {
    line: &'de str,
    values: &'w mut Values,
    is_root: bool,
    tree: &'w PathTree,
}

impl<'de> FieldWalk<'_, 'de> {
    fn below<'s>(&'s mut self, tree: &'s PathTree) -> FieldWalk<'s, 'de> {
        FieldWalk { line: self.line, values: self.values, is_root: false, tree }
    }

    /// Takes a value as it is written.
    fn take<E: Error>(&mut self, field: FieldId, raw: &'de str) -> Result<(), E> {
        if self.values.is_set(field) {
            return Err(E::custom("a field stands twice"));
        }
        let start = raw.as_ptr() as usize - self.line.as_ptr() as usize;
        match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
            Some(inner) if !inner.contains('\\') => {
                self.values.set_input(field, start + 1..start + raw.len() - 1);
            }
            Some(_) => {
                let text: String = serde_json::from_str(raw)
                    .map_err(|error| E::custom(format_args!("{}", reason(&error))))?;
                self.values.set_text(field, &text);
            }
            None if raw == "null" => {}
            None => self.values.set_input(field, start..start + raw.len()),
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut FieldWalk<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(field) = self.tree.field else {
            return match self.is_root {
                true => deserializer.deserialize_map(self),
                false => deserializer.deserialize_any(self),
            };
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
        while let Some(Key(key)) = map.next_key()? {
            match self.tree.key(&key) {
                Some(tree) => map.next_value_seed(&mut self.below(tree))?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0.. {
            let tree = self.tree.items.iter().find(|(other, _)| *other == index);
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

    // Below a value of these kinds there are no fields.

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
        serde_json::error::Category::Eof => text.trim_end().len(),
        _ => (before + error.column().saturating_sub(1)).min(text.len()),
    };
    let message = match error.classify() {
        serde_json::error::Category::Data => reason(error),
        _ => format!("not JSON: {}", reason(error)),
    };
    Diagnostic::new(Span::new(place, text.len().min(place + 1)), message, "")
}

/// The message of an error without the place that serde_json adds to it.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or(text.clone(), str::to_owned)
}

/// How deep fields are looked for in objects. Loggers nest two or three levels; deeper objects are
/// mostly the data of one message.
const MAX_DEPTH: usize = 8;

/// The paths of the values in the first objects of a text, in lists or not.
pub(crate) fn object_fields(head: &str) -> Vec<String> {
    let mut names = FieldNames::default();
    let values = serde_json::Deserializer::from_str(head).into_iter::<Value>();
    for value in values.take(MAX_RECORDS) {
        match value {
            Ok(Value::Array(items)) => {
                items.iter().for_each(|item| collect(item, "", MAX_DEPTH, &mut names));
            }
            Ok(value) => collect(&value, "", MAX_DEPTH, &mut names),
            Err(_) => break,
        }
    }
    names.into_vec()
}

/// The paths of the values in an object that are no objects themselves.
fn collect(value: &Value, before: &str, depth: usize, names: &mut FieldNames) {
    let Some(object) = value.as_object().filter(|_| depth > 0) else { return };
    for (key, value) in object {
        let key = quoted(key);
        let path = if before.is_empty() { key } else { format!("{before}.{key}") };
        match value {
            Value::Object(_) => collect(value, &path, depth - 1, names),
            Value::Array(_) | Value::Null => {}
            _ => names.add(path),
        }
    }
}
