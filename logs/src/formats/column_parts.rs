//! Parts of the columns of a table by path: parts of structures, values of maps, and elements of lists.

// A part is an array with a value for each row. Values of maps and elements of lists are gathered, once for each batch
// of rows, so that reading a part is the same as reading a column.

use super::field_names::{of_list, quoted};
use super::text_numbers::TextArray;
use super::value_text::{TextWriter, absent, text_writer};
use crate::field::{FieldPath, PathStep, flat};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, GenericListArray, GenericListViewArray, OffsetSizeTrait, RecordBatch,
    UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use arrow_select::take::take;
use std::ops::Range;
use std::sync::Arc;

/// How many parts of a structure a message lists: about a line.
const SHOWN_PARTS: usize = 10;

/// A column, or a part of one.
#[derive(Debug)]
pub(crate) struct ColumnPart {
    pub(crate) field: FieldRef,
    /// By row.
    pub(crate) values: ArrayRef,
    /// Where the value or one around it is null; `None` if none is.
    pub(crate) nulls: Option<NullBuffer>,
    /// Rows in which a key on the path stands twice, in their order.
    pub(crate) twice: Vec<usize>,
    /// A name on the path that several parts of a structure have.
    pub(crate) repeated: Option<String>,
    /// How many steps of the path are left: values of this type have no such parts.
    left: usize,
}

impl ColumnPart {
    /// Whether the path ends here.
    pub(crate) fn is_whole(&self) -> bool {
        self.left == 0
    }

    /// Why the path leads nowhere, if the type says it, and how such parts are written. A structure may lack a part.
    pub(crate) fn misfit(&self, path: &FieldPath) -> Option<(&'static str, String)> {
        let until = path.steps().len().saturating_sub(self.left);
        let name = FieldPath::from_steps(&path.steps()[..until]);
        let rest = path.text().strip_prefix(name.text()).unwrap_or(".part");
        let kind = encoded(self.field.data_type());
        if is_variant(kind) {
            let help = format!(
                "make columns of its parts before, as `select {name}.part::text` of DuckDB does"
            );
            return Some(("a VARIANT, whose parts are not read", help));
        }
        if self.is_whole() {
            return None;
        }
        Some(match kind {
            DataType::Struct(_) | DataType::Null => return None,
            kind if kind.is_nested() => nested(kind, &name)?,
            kind if kind.is_string() => {
                ("a text", format!("`{name}|json{rest}` reads a part of the JSON in it"))
            }
            _ => ("a value without parts", format!("name `{name}` itself")),
        })
    }

    /// The kind of values with parts, and how the parts are written; `None` for other values.
    pub(crate) fn with_parts(&self, path: &FieldPath) -> Option<(&'static str, String)> {
        nested(encoded(self.field.data_type()), path)
    }
}

/// The kind of values with parts at a path, and how the parts are written; `None` for other values.
fn nested(kind: &DataType, name: &FieldPath) -> Option<(&'static str, String)> {
    Some(match kind {
        DataType::Struct(parts) => {
            let shown = parts.iter().take(SHOWN_PARTS);
            let shown: Vec<String> =
                shown.map(|part| format!("`{name}.{}`", quoted(part.name()))).collect();
            let more = if parts.len() > SHOWN_PARTS { ", …" } else { "" };
            ("a structure", format!("its parts are {}{more}", shown.join(", ")))
        }
        DataType::Map(..) => (
            "a map",
            format!(
                "its values are `{name}.key`, and `{name}.\"a key\".part` where they have parts"
            ),
        ),
        kind if element(kind).is_some_and(|it| is_list(encoded(it.data_type()))) => (
            "a list of lists",
            format!(
                "`{name}[0][1]` is the second value of the first one; of pairs make maps before, as frame[{:?}].map(dict) of \
                 pandas does, whose values are `{name}.key`",
                name.text()
            ),
        ),
        kind if element(kind).is_some() => ("a list", of_list(name)),
        _ => return None,
    })
}

fn is_list(kind: &DataType) -> bool {
    element(kind).is_some() && !matches!(kind, DataType::Map(..))
}

/// The type of the values of a column that has each of them once.
fn encoded(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => values,
        DataType::RunEndEncoded(_, values) => values.data_type(),
        other => other,
    }
}

/// Whether a structure is the binary form of a value of any type.
fn is_variant(kind: &DataType) -> bool {
    let DataType::Struct(fields) = kind else { return false };
    let is_binary = |name| fields.find(name).is_some_and(|(_, it)| it.data_type().is_binary());
    is_binary("metadata") && is_binary("value")
}

/// The column a path begins with, and the steps below it. A column may be called like the whole
/// path, with its dots.
pub(crate) fn root<'p>(path: &'p FieldPath, schema: &Schema) -> Option<(usize, &'p [PathStep])> {
    let flat = schema.index_of(path.text()).or_else(|_| schema.index_of(&path.flat_name()));
    flat.ok().map(|index| (index, &[][..])).or_else(|| first_column(path, schema))
}

/// Whether a table has a column called like a path, and a structure with a part at the path.
pub(crate) fn is_flat_and_nested(path: &FieldPath, schema: &Schema) -> bool {
    let flat = [path.text(), &path.flat_name()].map(|name| schema.index_of(name).is_ok());
    path.steps().len() > 1 && flat.contains(&true) && has_part(schema.fields(), path.steps())
}

/// The column that is called like the first key of a path, and the steps below it.
fn first_column<'p>(path: &'p FieldPath, schema: &Schema) -> Option<(usize, &'p [PathStep])> {
    let [PathStep::Key(first), rest @ ..] = path.steps() else { return None };
    Some((schema.index_of(first).ok()?, rest))
}

/// The part of a table at a path, or that above it whose values have no such part; `None` without the column.
pub(crate) fn part(path: &FieldPath, rows: &RecordBatch) -> Option<ColumnPart> {
    let (index, steps) = root(path, rows.schema_ref())?;
    let mut found = part_of(index, steps, rows)?;
    let other = first_column(path, rows.schema_ref()).filter(|(other, _)| *other != index);
    let other = other.and_then(|(other, steps)| part_of(other, steps, rows));
    let Some(other) = other.filter(ColumnPart::is_whole) else { return Some(found) };
    // A column called like the path, and a part of another one: rows that have the part say it twice.
    let has_value = |row: &usize| other.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
    found.twice.extend((0..rows.num_rows()).filter(has_value));
    Some(found)
}

/// The part of a column at some steps, or that above it whose values have no such part.
fn part_of(index: usize, steps: &[PathStep], rows: &RecordBatch) -> Option<ColumnPart> {
    let mut steps = steps;
    let mut field = FieldRef::clone(rows.schema_ref().fields().get(index)?);
    let mut values = ArrayRef::clone(rows.columns().get(index)?);
    let (mut nulls, mut twice, mut repeated) = (absent(&values), Vec::new(), None);
    while let Some((next, inner, rest)) = below(&values, steps, &mut twice) {
        repeated = repeated.or_else(|| repeated_name(&values, steps));
        (field, values, steps) = (next, inner, rest);
        nulls = NullBuffer::union(nulls.as_ref(), absent(&values).as_ref());
    }
    // Nothing is in a column of nulls, whatever its type would be.
    let left = if values.data_type().is_null() { 0 } else { steps.len() };
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    twice.sort_unstable();
    Some(ColumnPart { field, values, nulls, twice, repeated, left })
}

/// The name of the next step, if several parts of a structure have it.
fn repeated_name(array: &ArrayRef, steps: &[PathStep]) -> Option<String> {
    let (parts, name) = match (array.data_type(), steps) {
        (DataType::Struct(parts), [PathStep::Key(name), ..]) => (parts.clone(), name.clone()),
        (kind, [PathStep::With { key, .. }, ..]) => match element(kind)?.data_type() {
            DataType::Struct(parts) => (parts.clone(), key.clone()),
            _ => return None,
        },
        _ => return None,
    };
    let several = |name: &str| parts.iter().filter(|part| part.name() == name).nth(1).is_some();
    let whole = flat(steps);
    let is_both = steps.len() > 1 && parts.find(&whole).is_some() && has_part(&parts, steps);
    if is_both {
        return Some(whole);
    }
    [name, whole].into_iter().find(|name| several(name))
}

/// Whether structures have a part at some steps.
fn has_part(parts: &Fields, steps: &[PathStep]) -> bool {
    let [PathStep::Key(key), rest @ ..] = steps else { return false };
    parts.find(key).is_some_and(|(_, part)| match part.data_type() {
        _ if rest.is_empty() => true,
        DataType::Struct(parts) => has_part(parts, rest),
        _ => false,
    })
}

type Below<'p> = (FieldRef, ArrayRef, &'p [PathStep]);

/// The values one step down, and the steps that are left. Adds the rows in which the key of the step stands twice.
fn below<'p>(array: &ArrayRef, steps: &'p [PathStep], twice: &mut Vec<usize>) -> Option<Below<'p>> {
    let (step, rest) = steps.split_first()?;
    let are_keys = steps.iter().all(|step| matches!(step, PathStep::Key(_)));
    match (array.data_type(), step) {
        (DataType::Struct(fields), PathStep::Key(key)) => {
            let whole = fields.find(&flat(steps)).filter(|_| are_keys).map(|it| (it, &[][..]));
            let ((at, field), rest) = whole.or_else(|| Some((fields.find(key)?, rest)))?;
            Some((FieldRef::clone(field), ArrayRef::clone(array.as_struct().column(at)), rest))
        }
        (DataType::Map(..), PathStep::Key(key)) => {
            let (_, ranges) = elements(array)?;
            let entries = array.as_map().entries();
            let values = entries.column(1).as_ref();
            // Where values have no parts, a key may have dots.
            let is_flat = are_keys && !values.data_type().is_nested();
            let (key, rest) = if is_flat { (flat(steps), &[][..]) } else { (key.clone(), rest) };
            let keys = RowTexts::new(&entries.fields()[0], entries.column(0).as_ref())?;
            let at = with_key(&keys, &key, &ranges, None, twice);
            Some((FieldRef::clone(&entries.fields()[1]), take(values, &at, None).ok()?, rest))
        }
        (kind, PathStep::Index(index)) if !matches!(kind, DataType::Map(..)) => {
            let (elements, ranges) = elements(array)?;
            let at = ranges.into_iter().map(|mut range| range.nth(*index).map(|at| at as u64));
            let at: UInt64Array = at.collect();
            Some((element(kind)?, take(elements.as_ref(), &at, None).ok()?, rest))
        }
        (kind, PathStep::With { key, is }) => {
            let (elements, ranges) = elements(array)?;
            let (parts, (at, field)) =
                (elements.as_struct_opt()?, elements.as_struct_opt()?.fields().find(key)?);
            let keys = RowTexts::new(field, parts.column(at).as_ref())?;
            let said = part_in_all(&elements, rest);
            let at = with_key(&keys, is, &ranges, Some(said.as_ref()), twice);
            Some((element(kind)?, take(elements.as_ref(), &at, None).ok()?, rest))
        }
        _ => None,
    }
}

/// The part of structures at the first steps that lead into structures.
fn part_in_all(values: &ArrayRef, steps: &[PathStep]) -> ArrayRef {
    let parts = values.as_struct_opt();
    match (parts, steps) {
        (Some(parts), [PathStep::Key(key), rest @ ..]) => parts
            .column_by_name(key)
            .map_or_else(|| ArrayRef::clone(values), |it| part_in_all(it, rest)),
        _ => ArrayRef::clone(values),
    }
}

/// By row the first of its keys that is this text. Adds the rows with a second one, unless `said`, the values that are asked for, is
/// given: tracers write a tag twice, so those that say the same or nothing count once.
fn with_key(
    keys: &RowTexts<'_>,
    text: &str,
    ranges: &[Range<usize>],
    said: Option<&dyn Array>,
    twice: &mut Vec<usize>,
) -> UInt64Array {
    let mut room = String::new();
    let mut found = |(row, range): (usize, &Range<usize>)| {
        let mut all = range.clone().filter(|&at| keys.text(at, &mut room) == Some(text));
        let mut first = all.next()?;
        for other in all {
            match said {
                Some(said) if said.is_null(other) => {}
                Some(said) if said.is_null(first) => first = other,
                Some(said) if *said.slice(first, 1) == *said.slice(other, 1) => {}
                _ => twice.push(row),
            }
        }
        Some(first as u64)
    };
    ranges.iter().enumerate().map(&mut found).collect()
}

/// Values as texts.
struct RowTexts<'a> {
    texts: Result<TextArray<'a>, TextWriter<'a>>,
    nulls: Option<NullBuffer>,
}

impl<'a> RowTexts<'a> {
    fn new(field: &Field, values: &'a dyn Array) -> Option<RowTexts<'a>> {
        let texts = match TextArray::new(values) {
            Some(texts) => Ok(texts),
            None => Err(text_writer(field, values).ok()?),
        };
        Some(RowTexts { texts, nulls: values.logical_nulls() })
    }

    /// The text of a value that is not null, written into `room` if it is not a text itself.
    fn text<'t>(&'t self, at: usize, room: &'t mut String) -> Option<&'t str> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) {
            return None;
        }
        match &self.texts {
            Ok(texts) => Some(texts.value(at)),
            Err(writer) => {
                room.clear();
                writer(at, room).is_ok().then_some(room)
            }
        }
    }
}

/// The type of the elements of lists, and of the entries of maps.
fn element(kind: &DataType) -> Option<FieldRef> {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView, Map};
    match kind {
        List(it)
        | LargeList(it)
        | ListView(it)
        | LargeListView(it)
        | FixedSizeList(it, _)
        | Map(it, _) => Some(FieldRef::clone(it)),
        _ => None,
    }
}

/// The type of the values that some steps lead to in the JSON of values; `None` if they lead nowhere.
pub(crate) fn kind_below(kind: &DataType, steps: &[PathStep]) -> Option<DataType> {
    let [step, rest @ ..] = steps else { return Some(kind.clone()) };
    let below = match (kind, step) {
        (DataType::Struct(parts), PathStep::Key(key)) => parts.find(key)?.1.data_type().clone(),
        (DataType::Map(entries, _), PathStep::Key(_)) => match entries.data_type() {
            DataType::Struct(entry) => entry.get(1)?.data_type().clone(),
            _ => return None,
        },
        (DataType::Struct(_) | DataType::Map(..), _) => return None,
        _ => element(kind)?.data_type().clone(),
    };
    kind_below(&below, rest)
}

/// The type of the values in lists, and of those that a dictionary stands for.
pub(crate) fn innermost(kind: &DataType) -> &DataType {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView};
    match encoded(kind) {
        List(it) | LargeList(it) | ListView(it) | LargeListView(it) | FixedSizeList(it, _) => {
            innermost(it.data_type())
        }
        kind => kind,
    }
}

/// The elements of all lists or maps, and by row where its own are.
fn elements(array: &ArrayRef) -> Option<(ArrayRef, Vec<Range<usize>>)> {
    Some(match array.data_type() {
        DataType::List(_) => list(array.as_list::<i32>()),
        DataType::LargeList(_) => list(array.as_list::<i64>()),
        DataType::ListView(_) => list_view(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => list_view(array.as_list_view::<i64>()),
        DataType::FixedSizeList(_, length) => {
            let (array, length) = (array.as_fixed_size_list(), *length as usize);
            let ranges = (0..array.len()).map(|row| row * length..(row + 1) * length);
            (ArrayRef::clone(array.values()), ranges.collect())
        }
        DataType::Map(..) => {
            let array = array.as_map();
            (Arc::new(array.entries().clone()), between(array.value_offsets()))
        }
        _ => return None,
    })
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>) -> (ArrayRef, Vec<Range<usize>>) {
    (ArrayRef::clone(array.values()), between(array.value_offsets()))
}

fn list_view<O: OffsetSizeTrait>(array: &GenericListViewArray<O>) -> (ArrayRef, Vec<Range<usize>>) {
    let starts = array.value_offsets().iter().zip(array.value_sizes());
    let ranges = starts.map(|(start, size)| start.as_usize()..start.as_usize() + size.as_usize());
    (ArrayRef::clone(array.values()), ranges.collect())
}

fn between<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<Range<usize>> {
    offsets.windows(2).map(|ends| ends[0].as_usize()..ends[1].as_usize()).collect()
}
