//! Fields of records by path: `msg`, `event.name`, `prop.changes[0]`, `"a.b".c`.

use std::fmt;

/// Where a value stands in a record.
///
/// Keys are separated by dots. An element of a list is `[0]`, counted from 0. A key that has dots,
/// brackets or quotes itself stands in quotes, `"event.name"`; there, `\` takes the next character as
/// it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath {
    text: String,
    steps: Vec<Step>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into an object, by key.
    Key(String),
    /// Into a list, from 0.
    Index(usize),
}

/// A text that is no path, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no field: {reason}")]
pub struct BadPath {
    text: String,
    reason: &'static str,
}

impl FieldPath {
    /// Reads a path.
    ///
    /// # Errors
    /// When a key is empty, a quote or bracket is not closed, or an index is no number.
    ///
    /// ```
    /// use multitrace_logs::{FieldPath, Step};
    /// let path = FieldPath::parse(r#"a."b.c"[2]"#).expect("a path");
    /// let key = |key: &str| Step::Key(key.to_owned());
    /// assert_eq!(path.steps(), [key("a"), key("b.c"), Step::Index(2)]);
    /// ```
    pub fn parse(text: &str) -> Result<FieldPath, BadPath> {
        let mut steps = Vec::new();
        let mut rest = text;
        let bad = |reason| BadPath { text: text.to_owned(), reason };
        loop {
            let (key, after) = read_key(rest).map_err(bad)?;
            steps.push(Step::Key(key));
            rest = after;
            while let Some(inside) = rest.strip_prefix('[') {
                let (index, after) = read_index(inside).map_err(bad)?;
                steps.push(Step::Index(index));
                rest = after;
            }
            if rest.is_empty() {
                return Ok(FieldPath { text: text.to_owned(), steps });
            }
            rest = rest
                .strip_prefix('.')
                .ok_or("a dot is missing after `]` or a quote")
                .map_err(bad)?;
        }
    }

    /// The path as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The steps from the record to the value; the first is a key.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The columns of a table that may hold the value: those called like the whole path, with its dots, and
    /// the one that it begins with.
    pub fn column_names(&self) -> Vec<String> {
        let first = match self.steps.first() {
            Some(Step::Key(key)) => Some(key.clone()),
            _ => None,
        };
        let mut names = vec![self.text.clone(), self.flat_name()];
        names.extend(first);
        names.sort();
        names.dedup();
        names
    }

    /// The path as one name, for formats whose fields are flat and may have dots in their names.
    pub fn flat_name(&self) -> String {
        flat(&self.steps)
    }
}

/// Steps as one name: `a.b[0]`, without the quotes of keys.
pub(crate) fn flat(steps: &[Step]) -> String {
    let mut name = String::new();
    for step in steps {
        match step {
            Step::Key(key) => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(key);
            }
            Step::Index(index) => name.push_str(&format!("[{index}]")),
        }
    }
    name
}

/// A key and what follows it.
fn read_key(text: &str) -> Result<(String, &str), &'static str> {
    if let Some(inside) = text.strip_prefix('"') {
        return read_quoted(inside);
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    match key {
        "" => Err("a key is empty"),
        key if key.contains(['"', ']']) => Err("a key with `\"` or `]` in it must stand in quotes"),
        key => Ok((key.to_owned(), rest)),
    }
}

fn read_quoted(inside: &str) -> Result<(String, &str), &'static str> {
    let mut key = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((key, &inside[at + 1..])),
            '\\' => key.extend(chars.next().map(|(_, c)| c)),
            c => key.push(c),
        }
    }
    Err("a quote is not closed")
}

fn read_index(inside: &str) -> Result<(usize, &str), &'static str> {
    let (number, rest) = inside.split_once(']').ok_or("`[` is not closed")?;
    let index = number.parse().map_err(|_| "an index is a number from 0, as in `[0]`")?;
    Ok((index, rest))
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One of the asked-for fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(u32);

impl FieldId {
    /// The field at a position.
    pub(crate) fn at(index: usize) -> FieldId {
        FieldId(index as u32)
    }

    /// The position among the fields.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The fields that are asked of every record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    paths: Vec<FieldPath>,
    #[cfg(feature = "columnar")]
    table_needs: TableNeeds,
}

impl Fields {
    /// Asks for a field; one that is asked for already keeps its id.
    ///
    /// # Panics
    /// With more than 2^32 fields.
    pub fn add(&mut self, path: FieldPath) -> FieldId {
        let known = self.paths.iter().position(|other| other.steps == path.steps);
        let index = known.unwrap_or_else(|| {
            self.paths.push(path);
            self.paths.len() - 1
        });
        FieldId(u32::try_from(index).expect("mappings have few fields"))
    }

    /// What a table must have.
    #[cfg(feature = "columnar")]
    pub(crate) fn table_needs(&self) -> &TableNeeds {
        &self.table_needs
    }

    /// Says what a table must have.
    #[cfg(feature = "columnar")]
    pub(crate) fn set_table_needs(&mut self, needs: TableNeeds) {
        self.table_needs = needs;
    }

    /// The path of a field.
    pub fn path(&self, id: FieldId) -> &FieldPath {
        &self.paths[id.index()]
    }

    /// All fields, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &FieldPath)> {
        (0..).map(FieldId).zip(&self.paths)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether it asks for no field.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// What a table must have, so that its rows can become events.
#[cfg(feature = "columnar")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableNeeds {
    /// The needs of one rule are enough.
    pub(crate) rules: Vec<RuleNeeds>,
    /// Whether rows may be left out before any rule looks at them.
    pub(crate) leaves_rows_out: bool,
}

/// What a rule needs of a table.
#[cfg(feature = "columnar")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleNeeds {
    /// Without these fields it does not hold.
    pub(crate) tested: Vec<NeededField>,
    /// Without these it is an error where it holds.
    pub(crate) read: Vec<NeededField>,
}

/// A field that a rule needs.
#[cfg(feature = "columnar")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeededField {
    pub(crate) field: FieldId,
    /// What needs it, in words.
    pub(crate) by: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        FieldPath::parse(text).expect("a path").steps
    }

    fn key(key: &str) -> Step {
        Step::Key(key.to_owned())
    }

    #[test]
    fn paths_have_keys_indices_and_quotes() {
        assert_eq!(steps("msg"), [key("msg")]);
        assert_eq!(
            steps("a.b[0][12].c"),
            [key("a"), key("b"), Step::Index(0), Step::Index(12), key("c")]
        );
        assert_eq!(steps(r#""a.b\"".c"#), [key("a.b\""), key("c")]);
        assert_eq!(FieldPath::parse(r#"a."b.c"[1]"#).expect("a path").flat_name(), "a.b.c[1]");
    }

    #[test]
    fn what_is_no_path_is_an_error() {
        for text in ["", ".", "a.", "a..b", "[0]", "a[", "a[x]", "a[0]b", "\"a", "a\"b", "\"a\"b"] {
            assert!(FieldPath::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_field_asked_for_twice_is_one() {
        let mut fields = Fields::default();
        let path = |text| FieldPath::parse(text).expect("a path");
        let a = fields.add(path("a"));
        assert_eq!((fields.add(path("b")).index(), fields.add(path("\"a\""))), (1, a));
        assert_eq!(fields.len(), 2);
    }
}
