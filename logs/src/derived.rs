//! Fields that are made of other fields: values in the JSON of a text, the parts that a pattern finds, and the
//! elements of a list that makes several records.

// Idea: readers of formats know nothing of them. They are made of each record when it was read, and stand beside
// its values. A mapping without such fields pays nothing.

use crate::field::{DerivedFields, EachFields, FieldId, Fields, InnerPaths, TextPiece};
use crate::formats::{PathTree, is_damaged, read_value};
use crate::record::{LookUp, Record, RecordPlace, Unknown, Values};
use regex_automata::PatternSet;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// How many records a number may make of one. Lists have no such limit: they are within `max-record`.
const MOST_EACH: usize = 100_000;

const DAMAGED_LIST: &str = "the JSON with the list of `for-each` is cut off or wrong, or has a key twice or something behind it, so that nobody knows its elements";

/// Makes the fields of records that are made of their others. Reused from record to record.
#[derive(Debug)]
pub(crate) struct DerivedValues<'f> {
    fields: &'f Fields,
    derived: Vec<Derived<'f>>,
    each: Option<EachElement>,
    values: Values,
    buffers: Buffers,
}

/// The list whose elements make a record each.
#[derive(Debug)]
struct EachElement {
    list: FieldId,
    /// The lists in elements, by one path each.
    inner: Vec<PathTree>,
    /// The fields of the innermost element, and of those around it.
    elements: Vec<PathTree>,
}

/// Fields that are made of others, with the reader that finds them.
#[derive(Debug)]
enum Derived<'f> {
    Json(FieldId, PathTree),
    Match(FieldId, &'f DerivedFields, Vec<Captures>, PatternSet),
    Text(&'f [Vec<TextPiece>], FieldId),
}

#[derive(Debug, Default)]
struct Buffers {
    text: String,
    /// The values in the JSON of one text.
    json: Values,
}

impl<'f> DerivedValues<'f> {
    /// For records with these fields.
    pub(crate) fn new(fields: &'f Fields) -> DerivedValues<'f> {
        let derived = fields.derived().iter().map(|derived| match derived {
            DerivedFields::Json(from, paths) => Derived::Json(*from, tree(paths)),
            DerivedFields::Match(from, patterns, _) => {
                let captures: Vec<Captures> =
                    patterns.regexes().map(Regex::create_captures).collect();
                let found = PatternSet::new(captures.len());
                Derived::Match(*from, derived, captures, found)
            }
            DerivedFields::Text(texts, field) => Derived::Text(texts, *field),
        });
        let each = fields.each().map(|EachFields { list, inner, elements }| {
            let inner = inner.iter().map(|steps| tree(&vec![(steps.clone(), FieldId::at(0))]));
            let elements = elements.iter().map(tree).collect();
            EachElement { list: *list, inner: inner.collect(), elements }
        });
        let (values, buffers) = (Values::default(), Buffers::default());
        DerivedValues { fields, derived: derived.collect(), each, values, buffers }
    }

    /// Calls a function with a record and the fields that are made of its others; where each element of a list makes a
    /// record, once for each. A record without the list, or with an empty one, is one record.
    ///
    /// # Errors
    /// In words, if nobody knows the elements: a number in place of the list that is not one from 0 to [`MOST_EACH`], or
    /// damaged JSON.
    pub(crate) fn each(
        &mut self,
        record: &Record<'_>,
        each: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), String> {
        self.values.reset(self.fields.len());
        self.fill(record);
        let Some(of_each) = &self.each else {
            each(&record.with_derived(&self.values));
            return Ok(());
        };
        let made = record.with_derived(&self.values);
        if made.is_damaged(of_each.list) {
            return Err(DAMAGED_LIST.to_owned());
        }
        let list = made.get(of_each.list).map(str::to_owned);
        let is_text = made.is_json_text(of_each.list);
        let first = list.as_deref().map(|list| elements(list, is_text)).transpose()?;
        let first = first.unwrap_or_default();
        if first.is_empty() {
            each(&record.with_derived(&self.values));
        }
        let chains = of_each.chains(&first, &mut self.buffers.json)?;
        for chain in chains {
            self.values.reset(self.fields.len());
            let trees = self.each.iter().flat_map(|each| &each.elements);
            for (tree, element) in trees.zip(chain.iter().rev()) {
                // An element that is not JSON is a text.
                let is_json = serde_json::from_str::<&RawValue>(element).is_ok();
                let quoted = match is_json {
                    true => Cow::Borrowed(&**element),
                    false => serde_json::Value::from(&**element).to_string().into(),
                };
                read_json(tree, &quoted, &mut self.buffers.json, &mut self.values);
            }
            self.fill(record);
            let made = record.with_derived(&self.values);
            let is_nothing = chain.last().is_some_and(|element| element == NOTHING);
            each(&if is_nothing { made } else { made.as_element() });
        }
        Ok(())
    }

    /// Makes the fields of a record, and looks up those in tables around it: of elements, and of parts of fields.
    fn fill(&mut self, record: &Record<'_>) {
        self.look_up(record);
        self.make(record);
        self.look_up(record);
    }

    fn look_up(&mut self, record: &Record<'_>) {
        for LookUp { field, by, table } in record.look_ups() {
            let made = record.with_derived(&self.values);
            let found = match made.get(*by) {
                Some(name) => table.get(name),
                None if made.is_damaged(*by) => Err(Unknown),
                None => Ok(None),
            };
            self.values.set_found(*field, found);
        }
    }

    fn make(&mut self, record: &Record<'_>) {
        let DerivedValues { derived, values, buffers: Buffers { text, json }, .. } = self;
        for derived in derived {
            text.clear();
            let seen = record.with_derived(values);
            match derived {
                Derived::Text(texts, field) => {
                    let found = texts
                        .iter()
                        .find(|it| write(it, &seen, text) || is_damaged_text(it, &seen));
                    if found.is_some_and(|it| is_damaged_text(it, &seen)) {
                        values.set_damaged(*field);
                    } else if let Some(pieces) = found {
                        let is_json_text = matches!(pieces[..], [TextPiece::Field(only)] if seen.is_json_text(only));
                        values.set_value(*field, text, is_json_text);
                    }
                }
                Derived::Json(from, tree) => {
                    if seen.is_damaged(*from) {
                        tree.each_field(&mut |field| values.set_damaged(field));
                    } else if let Some(value) = seen.get(*from) {
                        text.push_str(value);
                        read_json(tree, text, json, values);
                    }
                }
                Derived::Match(from, fields, captures, found) => {
                    let DerivedFields::Match(_, patterns, groups) = fields else { continue };
                    if seen.is_damaged(*from) {
                        let groups = groups.iter().flatten();
                        groups.for_each(|(_, field)| values.set_damaged(*field));
                        continue;
                    }
                    let Some(value) = seen.get(*from) else { continue };
                    text.push_str(value);
                    let Some((winner, _)) = patterns.winner(text, found) else { continue };
                    let captures = &mut captures[winner];
                    patterns.regex(winner).captures(text.as_str(), captures);
                    for (group, field) in &groups[winner] {
                        let Some(span) = captures.get_group(*group) else { continue };
                        let part = &text[span.range()];
                        // Nobody knows which of two `[[match]]` is meant.
                        match values.copied(*field) {
                            None if !values.is_set(*field) => values.set_text(*field, part),
                            Some(other) if other == part => {}
                            _ => values.set_damaged(*field),
                        }
                    }
                }
            }
        }
    }
}

impl EachElement {
    /// The elements that make a record each, behind those around them. One without an inner list counts once.
    fn chains<'t>(
        &self,
        first: &'t [Cow<'_, str>],
        json: &mut Values,
    ) -> Result<Vec<Vec<Cow<'t, str>>>, String> {
        let mut chains: Vec<Vec<Cow<'t, str>>> =
            first.iter().map(|element| vec![Cow::Borrowed(&**element)]).collect();
        for tree in &self.inner {
            let mut longer = Vec::new();
            for chain in chains {
                let list = match chain.last() {
                    Some(Cow::Borrowed(around)) => inner_list(tree, around, json)?,
                    Some(Cow::Owned(around)) => owned(inner_list(tree, around, json)?),
                    None => Vec::new(),
                };
                let elements = if list.is_empty() { vec![NOTHING.into()] } else { list };
                longer
                    .extend(elements.into_iter().map(|element| [&chain[..], &[element]].concat()));
            }
            chains = longer;
        }
        Ok(chains)
    }
}

/// An element that is not there: it has no fields.
const NOTHING: &str = "null";

/// The elements of a list in a value, or of a value in its place; none if there is neither.
fn inner_list<'t>(
    tree: &PathTree,
    around: &'t str,
    json: &mut Values,
) -> Result<Vec<Cow<'t, str>>, String> {
    json.reset(1);
    match read_value(around, tree, json) {
        Ok(()) => {}
        Err(error) if is_damaged(around, &error) => return Err(DAMAGED_LIST.to_owned()),
        Err(_) => return Ok(Vec::new()),
    }
    let (inside, list) = (json.record(around, RecordPlace::line(0)), FieldId::at(0));
    let is_text = inside.is_json_text(list);
    match inside.range(list).and_then(|place| around.get(place)) {
        Some(text) => elements(text, is_text),
        // A text with escapes is a copy.
        None => inside.get(list).map_or(Ok(Vec::new()), |text| elements(text, is_text).map(owned)),
    }
}

fn owned(elements: Vec<Cow<'_, str>>) -> Vec<Cow<'static, str>> {
    elements.into_iter().map(|element| Cow::Owned(element.into_owned())).collect()
}

fn tree(paths: &InnerPaths) -> PathTree {
    paths.iter().map(|(steps, field)| (steps.as_slice(), *field)).collect()
}

/// Whether a text has a field in damaged JSON.
fn is_damaged_text(pieces: &[TextPiece], record: &Record<'_>) -> bool {
    let is_damaged = |piece: &TextPiece| match piece {
        TextPiece::Text(_) => false,
        TextPiece::Field(field) => record.is_damaged(*field),
    };
    record.lacks_values() && pieces.iter().any(is_damaged)
}

/// Writes a text; false if the record lacks one of its fields.
fn write(pieces: &[TextPiece], record: &Record<'_>, text: &mut String) -> bool {
    text.clear();
    pieces.iter().all(|piece| {
        let part = match piece {
            TextPiece::Text(part) => Some(part.as_str()),
            TextPiece::Field(field) => record.get(*field),
        };
        text.push_str(part.unwrap_or_default());
        part.is_some()
    })
}

/// Reads fields of JSON. A text that is not JSON has none of them; of JSON that is damaged, nobody knows them.
fn read_json(tree: &PathTree, text: &str, json: &mut Values, values: &mut Values) {
    json.reset(values.len());
    match read_value(text, tree, json) {
        Ok(()) => {
            let inside = json.record(text, RecordPlace::line(0));
            tree.each_field(&mut |field| {
                if let Some(value) = inside.get(field) {
                    values.set_value(field, value, inside.is_json_text(field));
                }
            });
        }
        Err(error) if is_damaged(text, &error) => {
            tree.each_field(&mut |field| values.set_damaged(field));
        }
        Err(_) => {}
    }
}

/// The elements of a value: those of a list, as many as a number says, or one if it is another text. `is_text` says that it
/// stands in quotes.
///
/// # Errors
/// A number that is not one from 0 to [`MOST_EACH`], a truth value, an object, or a list that is cut off.
fn elements(text: &str, is_text: bool) -> Result<Vec<Cow<'_, str>>, String> {
    let text = text.trim();
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(list) => return Ok(list.into_iter().map(|raw| Cow::Borrowed(raw.get())).collect()),
        Err(error) if text.starts_with('[') && is_damaged(text, &error) => {
            return Err(DAMAGED_LIST.to_owned());
        }
        Err(_) => {}
    }
    match text.parse::<usize>() {
        Ok(count) if count <= MOST_EACH => {
            Ok((1..=count).map(|it| Cow::Owned(it.to_string())).collect())
        }
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Err(format!(
            "`for-each` says {text} records of this one, which is not a number from 0 to {MOST_EACH}"
        )),
        _ if text.starts_with('{') => Err(
            "`for-each` names an object in this record, and no list; name the list in it, as in `objects.list`".to_owned(),
        ),
        _ if matches!(text, "true" | "false") && !is_text => Err(format!(
            "`for-each` names the value {text} in this record, and no list"
        )),
        _ => Ok(vec![Cow::Borrowed(text)]),
    }
}
