//! Fields of records by path: `msg`, `event.name`, `prop.changes[0]`, `"a.b".c`, and from elsewhere than the record:
//! `^.trace`, `text|json.a`.

use crate::pattern_list::Compiled;
use std::fmt;
use std::sync::Arc;

/// Where a value stands in a record.
///
/// Keys are separated by dots. An element of a list is `[0]`, counted from 0, or `[key=name]`, the first one whose
/// `key` is `name`. A key that has dots, brackets or quotes itself stands in quotes, `"event.name"`; there, `\` takes
/// the next character as it is. `a.*` are the values of an object. `text|json` is the JSON that a text holds. With records inside documents, `^` is the
/// object around the record, and `table[$.id]` the entry of a table at a field of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath {
    text: String,
    steps: Vec<PathStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Into an object, by key.
    Key(String),
    /// Into a list, from 0.
    Index(usize),
    /// Into the first object of a list that has a text at a key.
    With {
        /// The key.
        key: String,
        /// The text.
        is: String,
    },
    /// Into each element of a list.
    Each,
    /// Into each value of an object.
    EachValue,
    /// To the object around.
    Up,
    /// Into a table, an object or a list of objects, by a field of the record.
    At {
        /// The key of the objects that is compared; `None` for the keys of an object.
        key: Option<String>,
        /// The field of the record.
        is: Vec<PathStep>,
    },
    /// Into the JSON that is written in a text.
    Json,
}

/// A text that is not a path, with the reason.
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
    /// When a key is empty, a quote or bracket is not closed, or an index is not a number.
    ///
    /// ```
    /// use multitrace_logs::{FieldPath, PathStep};
    /// let path = FieldPath::parse(r#"a."b.c"[2]"#).expect("a path");
    /// let key = |key: &str| PathStep::Key(key.to_owned());
    /// assert_eq!(path.steps(), [key("a"), key("b.c"), PathStep::Index(2)]);
    /// ```
    pub fn parse(text: &str) -> Result<FieldPath, BadPath> {
        let bad = |reason| BadPath { text: text.to_owned(), reason };
        let mut steps = Vec::new();
        let mut rest = text;
        while let Some(inside) = rest.strip_prefix("^.") {
            steps.push(PathStep::Up);
            rest = inside;
        }
        let is_inner = steps.is_empty() && rest.starts_with("[]");
        if is_inner {
            rest = read_steps_in(rest, &mut steps).map_err(bad)?;
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        while !(is_inner && rest.is_empty()) {
            let (key, after) = read_key(rest).map_err(bad)?;
            let is_each = key == EACH_VALUE && !rest.starts_with('"');
            steps.push(if is_each { PathStep::EachValue } else { PathStep::Key(key) });
            rest = read_steps_in(after, &mut steps).map_err(bad)?;
            if rest.is_empty() {
                break;
            }
            rest = rest
                .strip_prefix('.')
                .ok_or("a dot is missing after `]` or a quote")
                .map_err(bad)?;
            while leads_to_element(&steps)
                && let Some(inside) = rest.strip_prefix("^.")
            {
                steps.push(PathStep::Up);
                rest = inside;
            }
        }
        Ok(FieldPath { text: text.to_owned(), steps })
    }

    /// The path of a field that is made of others. Errors call it `text`; no reader looks for it.
    fn made(text: String) -> FieldPath {
        let steps = vec![PathStep::Key(text.clone()), PathStep::Json, PathStep::Json];
        FieldPath { text, steps }
    }

    /// A path of these steps.
    pub(crate) fn from_steps(steps: &[PathStep]) -> FieldPath {
        FieldPath { text: flat(steps), steps: steps.to_vec() }
    }

    /// Whether it leads out of the record, into the objects around it.
    pub(crate) fn is_around(&self) -> bool {
        // A field of another span may stand around that one.
        let is_of_other = matches!(&*self.steps, [PathStep::Key(first), PathStep::Key(_), ..] if RELATIONS.contains(&&**first));
        !is_of_other
            && !self.is_around_element()
            && self.steps.iter().any(|step| {
                use PathStep::{At, Each, EachValue, Up};
                matches!(step, Up | Each | EachValue | At { .. })
            })
    }

    /// Whether it leads to an element around the one that makes a record.
    pub(crate) fn is_around_element(&self) -> bool {
        matches!(&*self.steps, [first, PathStep::Up, ..] if is_each(first))
    }

    /// Whether readers of formats look for it: it stands in the record itself.
    pub(crate) fn is_read(&self) -> bool {
        !self.is_around() && !self.steps.contains(&PathStep::Json)
    }

    /// The path as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The steps from the record to the value; the first is a key.
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    /// The columns of a table that may hold the value: those called like the whole path, with its dots, and
    /// the one that it begins with.
    pub fn column_names(&self) -> Vec<String> {
        let first = match self.steps.first() {
            Some(PathStep::Key(key)) => Some(key.clone()),
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

/// Whether a step leads to the element of a list that makes a record.
fn is_each(step: &PathStep) -> bool {
    matches!(step, PathStep::Key(key) if key == EACH)
}

/// Whether steps lead to such an element, or to one around it.
fn leads_to_element(steps: &[PathStep]) -> bool {
    steps
        .split_first()
        .is_some_and(|(first, ups)| is_each(first) && ups.iter().all(|step| *step == PathStep::Up))
}

/// Steps as one name: `a.b[0]`, without the quotes of keys.
pub(crate) fn flat(steps: &[PathStep]) -> String {
    let mut name = String::new();
    for step in steps {
        match step {
            PathStep::Key(_) | PathStep::EachValue => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(if let PathStep::Key(key) = step { key } else { EACH_VALUE });
            }
            PathStep::Index(index) => name.push_str(&format!("[{index}]")),
            PathStep::With { key, is } => name.push_str(&format!("[{key}={is}]")),
            PathStep::Each => name.push_str("[]"),
            PathStep::Up => name.push('^'),
            PathStep::At { key: None, is } => name.push_str(&format!("[$.{}]", flat(is))),
            PathStep::At { key: Some(key), is } => {
                name.push_str(&format!("[{key}=$.{}]", flat(is)))
            }
            PathStep::Json => name.push_str("|json"),
        }
    }
    name
}

/// The indices in brackets and `|json` that follow a key.
fn read_steps_in<'t>(text: &'t str, steps: &mut Vec<PathStep>) -> Result<&'t str, &'static str> {
    let mut rest = text;
    loop {
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = read_brackets(inside)?;
            steps.push(step);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(JSON) {
            steps.push(PathStep::Json);
            rest = after;
        } else {
            return Ok(rest);
        }
    }
}

/// How the fields of other records begin.
pub(crate) const RELATIONS: [&str; 5] = ["parent", "peer", "caller", "callee", "request"];

/// The step into each value of an object.
const EACH_VALUE: &str = "*";

/// How fields of an element begin, if each element of a list makes a record.
pub(crate) const EACH: &str = "each";

/// How the name of a field ends that a `match` finds in another one.
pub(crate) const BY_MATCH: &str = " by its `match`";

/// The suffix of a path whose text holds JSON.
const JSON: &str = "|json";

/// A key and the text after it.
fn read_key(text: &str) -> Result<(String, &str), &'static str> {
    if let Some(inside) = text.strip_prefix('"') {
        return read_quoted(inside);
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    let (key, rest) = match key.strip_suffix(JSON) {
        Some(key) => (key, &text[key.len()..]),
        None => (key, rest),
    };
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

fn read_brackets(inside: &str) -> Result<(PathStep, &str), &'static str> {
    let (name, after) = match inside.starts_with(['"', '$']) {
        true => ("", inside),
        false => {
            let end = inside.find([']', '=']).ok_or("`[` is not closed")?;
            inside.split_at(end)
        }
    };
    let closed = |rest: &'static str, after: &str| after.strip_prefix(']').map(|_| ()).ok_or(rest);
    if let Some(after) = after.strip_prefix('=') {
        if after.starts_with('$') {
            return read_lookup(Some(name.to_owned()), after);
        }
        let (is, after) = if let Some(inside) = after.strip_prefix('"') {
            read_quoted(inside)?
        } else {
            let (is, _) = after.split_once(']').ok_or("`[` is not closed")?;
            (is.to_owned(), &after[is.len()..])
        };
        closed("`[` is not closed", after)?;
        return Ok((PathStep::With { key: name.to_owned(), is }, &after[1..]));
    }
    if after.starts_with('$') {
        return read_lookup(None, after);
    }
    closed("an index is a number from 0, as in `[0]`", after)?;
    let after = &after[1..];
    if name.is_empty() {
        return Ok((PathStep::Each, after));
    }
    let index =
        name.parse().map_err(|_| "an index is a number from 0, as in `[0]`, or `[key=text]`")?;
    Ok((PathStep::Index(index), after))
}

/// `$.id]` and the text after it.
fn read_lookup(key: Option<String>, text: &str) -> Result<(PathStep, &str), &'static str> {
    let inside = text.strip_prefix("$.").ok_or("a field of the record is `$.field` here")?;
    let end = inside.find(']').ok_or("`[` is not closed")?;
    let path = FieldPath::parse(&inside[..end]).map_err(|error| error.reason)?;
    Ok((PathStep::At { key, is: path.steps }, &inside[end + 1..]))
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

/// Where fields stand inside of one value.
pub(crate) type InnerPaths = Vec<(Vec<PathStep>, FieldId)>;

/// A piece of a text that is made of fields.
#[derive(Clone, Debug)]
pub(crate) enum TextPiece {
    Text(String),
    Field(FieldId),
}

/// Fields that are made of others.
#[derive(Clone, Debug)]
pub(crate) enum DerivedFields {
    /// The values at these paths in the JSON that a field holds.
    Json(FieldId, InnerPaths),
    /// The groups of the first pattern that matches a field, by the pattern.
    Match(FieldId, Arc<Compiled>, Vec<Vec<(usize, FieldId)>>),
    /// The first of several texts whose fields a record has.
    Text(Vec<Vec<TextPiece>>, FieldId),
}

impl DerivedFields {
    /// The fields that they are made of.
    fn from(&self) -> impl Iterator<Item = FieldId> {
        let (one, texts) = match self {
            DerivedFields::Json(from, _) | DerivedFields::Match(from, ..) => (Some(*from), None),
            DerivedFields::Text(texts, _) => (None, Some(texts)),
        };
        let pieces = texts.into_iter().flatten().flatten().filter_map(|piece| match piece {
            TextPiece::Field(field) => Some(*field),
            TextPiece::Text(_) => None,
        });
        one.into_iter().chain(pieces)
    }

    /// Whether it makes a field.
    fn makes(&self, field: FieldId) -> bool {
        match self {
            DerivedFields::Json(_, paths) => paths.iter().any(|(_, it)| *it == field),
            DerivedFields::Match(_, _, groups) => {
                groups.iter().flatten().any(|(_, it)| *it == field)
            }
            DerivedFields::Text(_, it) => *it == field,
        }
    }
}

/// The list whose elements make a record each, and the fields of the element.
#[derive(Clone, Debug)]
pub(crate) struct EachFields {
    pub(crate) list: FieldId,
    /// The ways from an element to the list in it, if it is elements of lists in lists that make records.
    pub(crate) inner: Vec<Vec<PathStep>>,
    /// The fields of the innermost element, and of those around it.
    pub(crate) elements: Vec<InnerPaths>,
}

/// The fields that are asked of every record.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    paths: Vec<FieldPath>,
    /// Fields made of others, each after those that it is made of.
    derived: Vec<DerivedFields>,
    /// The list whose elements make a record each.
    each: Option<EachFields>,
    /// The fields of records whose values conditions test, each with those that it is made of.
    tested: Vec<(FieldId, Vec<FieldId>)>,
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

    /// Asks for a field that is made of others. Errors call it `text`.
    pub(crate) fn add_made(&mut self, text: String) -> FieldId {
        self.paths.push(FieldPath::made(text));
        FieldId::at(self.paths.len() - 1)
    }

    /// Whether readers of formats look for a field, and nothing else gives it.
    pub(crate) fn is_read(&self, field: FieldId) -> bool {
        !self.is_of_element(field)
            && self.path(field).is_read()
            && !self.derived.iter().any(|it| it.makes(field))
    }

    /// The fields that formats read and that a field is made of, or it itself; `None` if something else gives a value.
    pub(crate) fn made_of(&self, field: FieldId) -> Option<Vec<FieldId>> {
        if self.is_read(field) {
            return Some(vec![field]);
        }
        let makers = self.derived.iter().filter(|it| it.makes(field));
        let from: Option<Vec<_>> =
            makers.flat_map(DerivedFields::from).map(|it| self.made_of(it)).collect();
        from.map(|it| it.concat()).filter(|it| !it.is_empty())
    }

    /// Whether a field is a part of another one, which a pattern finds.
    pub(crate) fn is_part(&self, field: FieldId) -> bool {
        self.derived.iter().any(|it| matches!(it, DerivedFields::Match(..)) && it.makes(field))
    }

    /// The field that another one is a part of, by a pattern or in its JSON, and whether it is JSON.
    pub(crate) fn whole_of(&self, field: FieldId) -> Option<(FieldId, bool)> {
        let made = self.derived.iter().find(|it| it.makes(field))?;
        match made {
            DerivedFields::Json(from, _) => Some((*from, true)),
            DerivedFields::Match(from, ..) => Some((*from, false)),
            DerivedFields::Text(..) => None,
        }
    }

    /// Adds fields that are made of another one.
    pub(crate) fn derive(&mut self, fields: DerivedFields) {
        self.derived.push(fields);
    }

    /// Whether a field is one of an element that makes a record.
    pub(crate) fn is_of_element(&self, field: FieldId) -> bool {
        let mut fields = self.each.iter().flat_map(|each| each.elements.iter().flatten());
        fields.any(|(_, it)| *it == field)
    }

    /// Says that each element of a list makes a record of its own; or each one of the lists that `inner` leads to in its
    /// elements.
    pub(crate) fn set_each(&mut self, list: FieldId, inner: Vec<Vec<PathStep>>) {
        let elements = vec![InnerPaths::new(); inner.len() + 1];
        self.each = Some(EachFields { list, inner, elements });
    }

    /// The list whose elements make a record each, if there is one.
    pub(crate) fn each(&self) -> Option<&EachFields> {
        self.each.as_ref()
    }

    /// The fields that are made of others, each after those that it is made of.
    pub(crate) fn derived(&self) -> &[DerivedFields] {
        &self.derived
    }

    /// Where a field stands in the values of others, or in elements of their lists: those fields, and the steps from each. `None`
    /// if it is not made of others.
    #[cfg(feature = "columnar")]
    pub(crate) fn sources_of(&self, field: FieldId) -> Option<Vec<(FieldId, Vec<PathStep>)>> {
        if let Some((each, around, steps)) = self.in_element(field) {
            let ways = each.inner[..each.inner.len() - around]
                .iter()
                .flat_map(|way| [&way[..], &[PathStep::Each]].concat());
            let steps = [PathStep::Each].into_iter().chain(ways).chain(steps.iter().cloned());
            return Some(vec![(each.list, steps.collect())]);
        }
        let made = self.derived.iter().find(|it| it.makes(field))?;
        let in_json = match made {
            DerivedFields::Json(_, paths) => paths.iter().find(|(_, it)| *it == field),
            DerivedFields::Match(..) | DerivedFields::Text(..) => None,
        };
        let steps = in_json.map_or(&[][..], |(steps, _)| steps);
        Some(made.from().map(|from| (from, steps.to_vec())).collect())
    }

    /// The list that makes records in whose elements a field stands, how many lists stand between, and the steps there.
    #[cfg(feature = "columnar")]
    fn in_element(&self, field: FieldId) -> Option<(&EachFields, usize, &[PathStep])> {
        let each = self.each.as_ref()?;
        each.elements.iter().enumerate().find_map(|(around, paths)| {
            let (steps, _) = paths.iter().find(|(_, it)| *it == field)?;
            Some((each, around, &**steps))
        })
    }

    /// Finds the fields inside of the JSON of texts, and brings all that are made of others into their order. Returns a
    /// field that is made of itself, if there is one.
    pub(crate) fn resolve_derived(&mut self) -> Option<FieldId> {
        let mut at = 0;
        while at < self.paths.len() {
            self.resolve_json(FieldId::at(at));
            self.resolve_look_up(FieldId::at(at));
            at += 1;
        }
        if let Some(each) = &mut self.each {
            for (field, path) in (0..).map(FieldId).zip(&self.paths) {
                let Some((_, steps)) = path.steps().split_first().filter(|(it, _)| is_each(it))
                else {
                    continue;
                };
                let ups = steps.iter().take_while(|step| **step == PathStep::Up).count();
                if let Some(element) = each.elements.get_mut(ups).filter(|_| path.is_read()) {
                    element.push((steps[ups..].to_vec(), field));
                }
            }
        }
        let mut waiting = std::mem::take(&mut self.derived);
        while !waiting.is_empty() {
            let is_made = |field: FieldId| waiting.iter().any(|it| it.makes(field));
            let (ready, rest): (Vec<_>, Vec<_>) =
                waiting.iter().cloned().partition(|it| !it.from().any(is_made));
            if ready.is_empty() {
                return waiting.iter().flat_map(DerivedFields::from).find(|it| is_made(*it));
            }
            waiting = rest;
            self.derived.extend(ready);
        }
        None
    }

    fn resolve_json(&mut self, field: FieldId) {
        if self.derived.iter().any(|it| it.makes(field)) {
            return;
        }
        let steps = self.path(field).steps.clone();
        let Some(at) = steps.iter().rposition(|step| *step == PathStep::Json) else { return };
        let from = self.add(FieldPath::from_steps(&steps[..at]));
        let path = (steps[at + 1..].to_vec(), field);
        let known = self.derived.iter_mut().find_map(|it| match it {
            DerivedFields::Json(other, paths) if *other == from => Some(paths),
            _ => None,
        });
        match known {
            Some(paths) => paths.push(path),
            None => self.derived.push(DerivedFields::Json(from, vec![path])),
        }
    }

    /// Asks for the field of an element, or the key, that a table is looked up by: no reader finds it in the record.
    fn resolve_look_up(&mut self, field: FieldId) {
        let by = self.path(field).steps.iter().find_map(|step| match step {
            PathStep::At { is, .. } => Some(FieldPath::from_steps(is)),
            _ => None,
        });
        let is_beside =
            |it: &FieldPath| it.steps.first().is_some_and(is_each) || it.text.starts_with('@');
        by.filter(is_beside).map(|by| self.add(by));
    }

    /// The fields of records whose values conditions test, each with those that it is made of: without such a column, a
    /// table has no answer.
    pub(crate) fn tested(&self) -> &[(FieldId, Vec<FieldId>)] {
        &self.tested
    }

    pub(crate) fn set_tested(&mut self, fields: Vec<(FieldId, Vec<FieldId>)>) {
        self.tested = fields;
    }

    /// The fields that a table must have.
    #[cfg(feature = "columnar")]
    pub(crate) fn table_needs(&self) -> &TableNeeds {
        &self.table_needs
    }

    /// Sets the fields that a table must have.
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

/// The fields that a table must have, so that its rows can become events.
#[cfg(feature = "columnar")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableNeeds {
    /// The needs of one rule are enough.
    pub(crate) rules: Vec<RuleNeeds>,
    /// The fields that name sessions.
    pub(crate) sessions: Vec<FieldId>,
    /// The fields that name other parts of events, each with the name of the part.
    pub(crate) names: Vec<(FieldId, &'static str)>,
    /// Whether rows may be left out before any rule looks at them.
    pub(crate) leaves_rows_out: bool,
}

/// The fields that a rule needs of a table.
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
    /// The part of the mapping that needs it, in words.
    pub(crate) by: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<PathStep> {
        FieldPath::parse(text).expect("a path").steps
    }

    fn key(key: &str) -> PathStep {
        PathStep::Key(key.to_owned())
    }

    #[test]
    fn paths_have_keys_indices_and_quotes() {
        assert_eq!(steps("msg"), [key("msg")]);
        assert_eq!(
            steps("a.b[0][12].c"),
            [key("a"), key("b"), PathStep::Index(0), PathStep::Index(12), key("c")]
        );
        assert_eq!(steps(r#""a.b\"".c"#), [key("a.b\""), key("c")]);
        assert_eq!(FieldPath::parse(r#"a."b.c"[1]"#).expect("a path").flat_name(), "a.b.c[1]");
    }

    #[test]
    fn paths_lead_into_lists_texts_and_what_is_around() {
        let with = |key: &str, is: &str| PathStep::With { key: key.to_owned(), is: is.to_owned() };
        let at = |key: Option<&str>, is: &str| PathStep::At {
            key: key.map(str::to_owned),
            is: vec![key_of(is)],
        };
        assert_eq!(steps("a[key=x.y].v"), [key("a"), with("key", "x.y"), key("v")]);
        assert_eq!(steps(r#"a[k="]"][0]"#), [key("a"), with("k", "]"), PathStep::Index(0)]);
        assert_eq!(steps("^.^.t"), [PathStep::Up, PathStep::Up, key("t")]);
        assert_eq!(steps("each.^.t"), [key("each"), PathStep::Up, key("t")]);
        assert_eq!(steps("a.^.t"), [key("a"), key("^"), key("t")]);
        assert_eq!(steps("^.p[$.id].n"), [PathStep::Up, key("p"), at(None, "id"), key("n")]);
        assert_eq!(steps("^.p[k=$.id]"), [PathStep::Up, key("p"), at(Some("k"), "id")]);
        assert_eq!(steps("a[].b[]"), [key("a"), PathStep::Each, key("b"), PathStep::Each]);
        assert_eq!(steps("[].b[]"), [PathStep::Each, key("b"), PathStep::Each]);
        assert_eq!(
            steps("a.b|json[2].c"),
            [key("a"), key("b"), PathStep::Json, PathStep::Index(2), key("c")]
        );
        assert_eq!(steps("\"a|json\""), [key("a|json")]);
        assert_eq!(steps("a.*[]"), [key("a"), PathStep::EachValue, PathStep::Each]);
        assert_eq!(steps("\"*\".*"), [key("*"), PathStep::EachValue]);
        for text in ["a[key=x.y].v", "a[].b[]", "a.*.b[]", "*", "a.b|json[2].c", "p[k=$.id]"] {
            assert_eq!(flat(&steps(text)), text);
        }
    }

    fn key_of(text: &str) -> PathStep {
        PathStep::Key(text.to_owned())
    }

    #[test]
    fn what_is_no_path_is_an_error() {
        for text in [
            "", ".", "a.", "a..b", "[0]", "a[", "a[x]", "^.", "a[b=", "a[$x]", "a[$.]", "|json",
            "a|json[", "a[0]b", "\"a", "a\"b", "\"a\"b",
        ] {
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
