//! Records: the values of the asked-for fields, and the place of the record.

use crate::field::{FieldId, FieldPath, Fields, PathStep};
use multitrace_formats::place::Place;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Where a record stands in its file. The places of a file have the order of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordPlace {
    /// Which line or row, from 1.
    pub number: u64,
    /// Which record of that line, from 1, in formats whose lines may hold several (spans of a
    /// document); else 0.
    pub item: u32,
    /// The unit that is counted.
    pub unit: Unit,
}

/// The unit of `number` of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Lines of text.
    Line,
    /// Rows of a table, or messages of a binary file.
    Row,
}

impl RecordPlace {
    /// A record that is a line of its own.
    pub fn line(number: u64) -> RecordPlace {
        RecordPlace { number, item: 0, unit: Unit::Line }
    }

    /// A record that is a row.
    pub fn row(number: u64) -> RecordPlace {
        RecordPlace { number, item: 0, unit: Unit::Row }
    }

    /// One of several records of this place.
    #[must_use]
    pub fn item(self, item: u32) -> RecordPlace {
        RecordPlace { item, ..self }
    }

    /// The place as people and reports name it.
    pub(crate) fn in_file(self, file: impl Into<Arc<str>>) -> Place {
        let record = (self.item > 1).then_some(self.item as usize);
        Place { record, ..Place::new(file, usize::try_from(self.number).ok()) }
    }
}

/// Counts the records that begin on a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineCounter {
    line: u64,
    count: u32,
}

impl LineCounter {
    /// Some records of a line come before.
    pub(crate) fn behind(line: u64, count: u32) -> LineCounter {
        LineCounter { line, count }
    }

    /// How many records of a line come before the next one.
    pub(crate) fn before(self, line: u64) -> u32 {
        if self.line == line { self.count } else { 0 }
    }

    /// Counts a record of a line, and returns its number there, from 1.
    pub(crate) fn next(&mut self, line: u64) -> u32 {
        *self = LineCounter { line, count: self.before(line).saturating_add(1) };
        self.count
    }

    /// The place of the next record of a line, with its number there.
    pub(crate) fn next_item(&mut self, line: u64) -> RecordPlace {
        RecordPlace::line(line).item(self.next(line))
    }

    /// The place of the next record of a line. The first one is named by the line alone: where an input is cut, nobody knows
    /// if others follow.
    pub(crate) fn next_place(&mut self, line: u64) -> RecordPlace {
        match self.next(line) {
            1 => RecordPlace::line(line),
            number => RecordPlace::line(line).item(number),
        }
    }
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Line => "line",
            Unit::Row => "row",
        };
        write!(f, "{unit} {}", self.number)?;
        match self.item {
            0 => Ok(()),
            item => write!(f, ", record {item}"),
        }
    }
}

/// Where the text of a value is.
#[derive(Clone, Copy, Debug, Default)]
enum Slot<'v> {
    #[default]
    Absent,
    /// Met as null, which counts as absent.
    Null,
    /// Outside of the input, in memory that outlives the record.
    Borrowed(&'v str),
    /// In a column of names, at the row of the record.
    Named(&'v NameColumn<'v>),
    /// In the input, as it was written there.
    Input(usize, usize),
    /// Among the copies.
    Copied(usize, usize),
    /// The same, of a text in JSON.
    CopiedText(usize, usize),
    /// In JSON that cannot be used, or twice.
    Damaged,
    /// Several other records may be meant, and they have different values.
    Ambiguous,
    /// It may be one of those that an exporter left out.
    Dropped,
}

/// The result of the patterns of `[input]` for a record of plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatternMatch {
    /// The record is not read by patterns.
    #[default]
    NotAsked,
    /// No pattern matches.
    Nowhere,
    /// It is a line before the first one that matches `start`.
    BeforeStart,
    /// A pattern matches.
    By {
        /// Which one, from 0.
        pattern: u32,
        /// Whether the leftmost match is of another pattern.
        is_moved: bool,
    },
}

impl PatternMatch {
    /// Whether a pattern matches the record, if it is read by patterns.
    pub(crate) fn is_read(self) -> bool {
        matches!(self, PatternMatch::NotAsked | PatternMatch::By { .. })
    }
}

/// A column whose values are numbers of names. Texts are looked up when they are asked for, since the number
/// is often enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameColumn<'v> {
    /// By row; the number of a null does not matter.
    pub(crate) numbers: &'v [i32],
    pub(crate) names: &'v dyn Names,
}

/// Texts by number.
pub(crate) trait Names: fmt::Debug + Sync {
    fn name(&self, number: usize) -> &str;
}

impl<'v> NameColumn<'v> {
    #[inline]
    fn number(&self, row: usize) -> Option<u32> {
        self.numbers.get(row).map(|number| *number as u32)
    }

    fn name(&self, row: usize) -> Option<&'v str> {
        Some(self.names.name(self.number(row)? as usize))
    }
}

/// The values of one record while it is read, in the input or copied.
pub(crate) type Values = RowValues<'static>;

/// The values of one record while it is read, which may also stand in columns that outlive it. Reused from
/// record to record.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowValues<'v> {
    slots: Vec<Slot<'v>>,
    copies: String,
    patterns: PatternMatch,
    /// Whether the input is JSON, where texts stand in quotes.
    is_json: bool,
    /// Whether fields stand in JSON that cannot be used.
    is_damaged: bool,
    /// Which names the numbers of its values mean, counted from the beginning of a batch.
    names: u32,
    /// The row of the record in columns of names.
    row: usize,
}

#[cfg_attr(not(feature = "columnar"), expect(dead_code, reason = "for tables in columns"))]
impl<'v> RowValues<'v> {
    pub(crate) fn reset(&mut self, fields: usize) {
        self.copies.clear();
        self.slots.clear();
        self.slots.resize(fields, Slot::Absent);
        self.patterns = PatternMatch::NotAsked;
        self.is_json = false;
        self.is_damaged = false;
    }

    /// Its values stand in JSON.
    pub(crate) fn set_json(&mut self) {
        self.is_json = true;
    }

    /// Goes on to a row, and makes room for its copies: values that stand in no column of names are set
    /// again for each row.
    #[inline]
    pub(crate) fn begin_row(&mut self, row: usize) {
        self.row = row;
        self.copies.clear();
    }

    /// Makes a field absent.
    #[inline]
    pub(crate) fn remove(&mut self, field: FieldId) {
        self.slots[field.index()] = Slot::Absent;
    }

    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        self.copies.clear();
        self.slots.fill(Slot::Absent);
    }

    pub(crate) fn set_patterns(&mut self, patterns: PatternMatch) {
        self.patterns = patterns;
    }

    /// From here on, numbers mean these names of the batch.
    pub(crate) fn set_names(&mut self, names: u32) {
        self.names = names;
    }

    /// A value that outlives the record.
    #[inline]
    pub(crate) fn set_borrowed(&mut self, field: FieldId, text: &'v str) {
        self.slots[field.index()] = Slot::Borrowed(text);
    }

    /// A value that stands in a column of names, at the row of the record.
    #[inline]
    pub(crate) fn set_named(&mut self, field: FieldId, column: &'v NameColumn<'v>) {
        self.slots[field.index()] = Slot::Named(column);
    }

    pub(crate) fn is_set(&self, field: FieldId) -> bool {
        !matches!(self.slots[field.index()], Slot::Absent | Slot::Null)
    }

    /// Whether a field was met, be it as null: a second value may be meant as well as the first.
    #[inline]
    pub(crate) fn is_met(&self, field: FieldId) -> bool {
        !matches!(self.slots[field.index()], Slot::Absent)
    }

    /// Notes a field that is null.
    pub(crate) fn set_null(&mut self, field: FieldId) {
        self.slots[field.index()] = Slot::Null;
    }

    /// A value that stands in the input at these bytes.
    pub(crate) fn set_input(&mut self, field: FieldId, range: Range<usize>) {
        self.slots[field.index()] = Slot::Input(range.start, range.end);
    }

    /// A value that `write` writes; the field stays absent if `write` returns false.
    pub(crate) fn set_with(&mut self, field: FieldId, write: impl FnOnce(&mut String) -> bool) {
        let start = self.copies.len();
        if write(&mut self.copies) {
            let end = self.copies.len();
            self.slots[field.index()] = Slot::Copied(start, end);
        } else {
            self.copies.truncate(start);
        }
    }

    pub(crate) fn set_text(&mut self, field: FieldId, text: &str) {
        self.set_with(field, |copies| {
            copies.push_str(text);
            true
        });
    }

    /// A text of JSON, or another value.
    pub(crate) fn set_value(&mut self, field: FieldId, value: &str, is_json_text: bool) {
        self.set_text(field, value);
        if let (true, Slot::Copied(start, end)) = (is_json_text, self.slots[field.index()]) {
            self.slots[field.index()] = Slot::CopiedText(start, end);
        }
    }

    /// A field in JSON that cannot be used: nobody knows its value.
    pub(crate) fn set_damaged(&mut self, field: FieldId) {
        self.slots[field.index()] = Slot::Damaged;
        self.is_damaged = true;
    }

    /// A field of another record, where several fit and give different values.
    pub(crate) fn set_ambiguous(&mut self, field: FieldId) {
        self.slots[field.index()] = Slot::Ambiguous;
        self.is_damaged = true;
    }

    /// A field that is not there, where an exporter left some out.
    pub(crate) fn set_dropped(&mut self, field: FieldId) {
        self.slots[field.index()] = Slot::Dropped;
        self.is_damaged = true;
    }

    /// Sets a field to the text that was found, if one was; one that nobody knows makes it damaged.
    pub(crate) fn set_found(&mut self, field: FieldId, found: Found<&str>) {
        match found {
            Ok(Some(text)) => self.set_text(field, text),
            Ok(None) => {}
            Err(Unknown) => self.set_damaged(field),
        }
    }

    /// How many fields there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// A value among the copies.
    #[inline]
    pub(crate) fn copied(&self, field: FieldId) -> Option<&str> {
        match self.slots.get(field.index())? {
            Slot::Copied(start, end) | Slot::CopiedText(start, end) => {
                self.copies.get(*start..*end)
            }
            _ => None,
        }
    }

    /// The record of these values; the borrowed ones stand in `input`.
    pub(crate) fn record<'a>(&'a self, input: &'a str, place: RecordPlace) -> Record<'a> {
        Record {
            input,
            values: self,
            place,
            of_file: &[],
            derived: None,
            table: None,
            look_ups: &[],
            is_element: false,
        }
    }
}

/// The columns of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableColumns {
    pub(crate) names: Vec<String>,
    /// The columns whose type is a time.
    pub(crate) times: Vec<String>,
    /// The fields that conditions of the mapping test and that are neither columns nor made of some, with the columns that
    /// they would be made of.
    lacking: Vec<(FieldId, Vec<FieldId>)>,
}

impl TableColumns {
    pub(crate) fn new(names: Vec<String>, fields: &Fields) -> TableColumns {
        let lacks = |field: &FieldId| !has_column(&names, fields.path(*field));
        let are_lacking = |(_, from): &&(FieldId, Vec<FieldId>)| from.iter().all(lacks);
        let lacking = fields.tested().iter().filter(are_lacking).cloned().collect();
        TableColumns { names, times: Vec::new(), lacking }
    }
}

/// Whether one of these columns is the field at a path.
pub(crate) fn has_column(columns: &[String], path: &FieldPath) -> bool {
    let is_named = |name: &str| columns.iter().any(|column| column == name);
    match path.steps() {
        [PathStep::Key(key)] => is_named(key),
        _ => is_named(path.text()) || is_named(&path.flat_name()),
    }
}

/// One record: the values of the asked-for fields.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    input: &'a str,
    values: &'a RowValues<'a>,
    place: RecordPlace,
    of_file: &'a [(FieldId, String)],
    derived: Option<&'a Values>,
    table: Option<&'a TableColumns>,
    look_ups: &'a [LookUp<'a>],
    /// Whether it is one of several that a list in a record makes.
    is_element: bool,
}

/// A field in a table around the record, at the value of a field that is made of the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookUp<'a> {
    pub(crate) field: FieldId,
    pub(crate) by: FieldId,
    pub(crate) table: &'a Table,
}

/// A value, if there is one; nobody knows it where it stands twice, or in JSON that cannot be used.
pub(crate) type Found<T> = Result<Option<T>, Unknown>;

/// The mark of a value that nobody knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown;

/// A text that was found, without a copy.
pub(crate) fn as_text(found: &Found<String>) -> Found<&str> {
    found.as_ref().map(Option::as_deref).map_err(|unknown| *unknown)
}

/// The values of the entries of a table, by the names of these.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: HashMap<String, Found<String>>,
    /// Whether each name may be that of an entry that cannot be read.
    is_unknown: bool,
}

impl Table {
    /// A table that cannot be read.
    pub(crate) fn unknown() -> Table {
        Table { is_unknown: true, ..Table::default() }
    }

    /// Adds an entry. Of two entries with one name, nobody knows which is meant.
    pub(crate) fn add(&mut self, name: String, value: Found<String>) {
        let entry = self.entries.entry(name);
        entry.and_modify(|known| *known = Err(Unknown)).or_insert(value);
    }

    pub(crate) fn get(&self, name: &str) -> Found<&str> {
        match self.entries.get(name) {
            _ if self.is_unknown => Err(Unknown),
            None => Ok(None),
            Some(found) => as_text(found),
        }
    }
}

impl<'a> Record<'a> {
    /// The same record, with fields that describe its file. A field of the record itself counts first.
    pub(crate) fn in_file<'b>(&self, of_file: &'b [(FieldId, String)]) -> Record<'b>
    where
        'a: 'b,
    {
        Record { of_file, ..*self }
    }

    /// The same record, with the fields that are made of its others.
    pub(crate) fn with_derived<'b>(&self, derived: &'b Values) -> Record<'b>
    where
        'a: 'b,
    {
        Record { derived: Some(derived), ..*self }
    }

    /// The same record as one of several that a list makes of one.
    pub(crate) fn as_element(self) -> Record<'a> {
        Record { is_element: true, ..self }
    }

    pub(crate) fn is_element(&self) -> bool {
        self.is_element
    }

    /// The same record, with the columns of its table.
    pub(crate) fn in_table<'b>(&self, table: &'b TableColumns) -> Record<'b>
    where
        'a: 'b,
    {
        Record { table: Some(table), ..*self }
    }

    /// The same record, with fields that are looked up when its others are made.
    pub(crate) fn with_look_ups<'b>(&self, look_ups: &'b [LookUp<'b>]) -> Record<'b>
    where
        'a: 'b,
    {
        Record { look_ups, ..*self }
    }

    pub(crate) fn look_ups(&self) -> &'a [LookUp<'a>] {
        self.look_ups
    }

    /// The same record with the text of its line, if it has no text. Its values must be copies.
    pub(crate) fn or_of_line<'b>(&self, line: &'b str) -> Record<'b>
    where
        'a: 'b,
    {
        let input = if self.input.is_empty() { line } else { self.input };
        Record { input, ..*self }
    }

    /// The names of all columns of its table; `None` for formats without a row of names.
    pub fn columns(&self) -> Option<&'a [String]> {
        self.table.map(|table| table.names.as_slice())
    }

    /// Whether the type of a column of its table is a time.
    pub(crate) fn is_time(&self, column: &String) -> bool {
        self.table.is_some_and(|table| table.times.contains(column))
    }

    /// Whether values that conditions test may be unknown: its table lacks columns, or a text is damaged JSON.
    #[inline]
    pub(crate) fn lacks_values(&self) -> bool {
        self.table.is_some_and(|table| !table.lacking.is_empty())
            || self.values.is_damaged
            || self.derived.is_some_and(|it| it.is_damaged)
    }

    /// Whether nobody knows the value of a field that a condition tests: its table has no column with it, and nothing else
    /// gives it, or its text is damaged JSON.
    pub(crate) fn lacks_value(&self, field: FieldId) -> bool {
        if self.get(field).is_some() {
            return false;
        }
        let lacking = self.table.into_iter().flat_map(|table| &table.lacking);
        let is_given = |from: &[FieldId]| from.iter().any(|it| self.get(*it).is_some());
        self.is_damaged(field) || { lacking }
            .any(|(other, from)| *other == field && !is_given(from))
    }

    /// Whether nobody knows a field: it stands in JSON that cannot be used, is one of several records, or is made of such
    /// fields.
    pub(crate) fn is_damaged(&self, field: FieldId) -> bool {
        let is_it = |slots: &[Slot<'_>]| {
            matches!(
                slots.get(field.index()),
                Some(Slot::Damaged | Slot::Ambiguous | Slot::Dropped)
            )
        };
        let is_damaged =
            is_it(&self.values.slots) || self.derived.is_some_and(|it| is_it(&it.slots));
        is_damaged && self.get(field).is_none()
    }

    /// Whether a field may be one of those that an exporter left out.
    pub(crate) fn is_dropped(&self, field: FieldId) -> bool {
        matches!(self.values.slots.get(field.index()), Some(Slot::Dropped))
    }

    /// Whether a field belongs to another record and several records fit, with different values.
    pub(crate) fn is_ambiguous(&self, field: FieldId) -> bool {
        matches!(self.values.slots.get(field.index()), Some(Slot::Ambiguous))
    }

    /// The result of the patterns.
    pub fn patterns(&self) -> PatternMatch {
        self.values.patterns
    }

    /// The value of a field as text; `None` if the record has no such field, or has it as null.
    #[inline]
    pub fn get(&self, field: FieldId) -> Option<&'a str> {
        match *self.values.slots.get(field.index())? {
            Slot::Absent | Slot::Null | Slot::Damaged | Slot::Ambiguous | Slot::Dropped => {
                self.beside(field)
            }
            Slot::Borrowed(text) => Some(text),
            Slot::Named(column) => column.name(self.values.row),
            Slot::Input(start, end) => self.input.get(start..end),
            Slot::Copied(start, end) | Slot::CopiedText(start, end) => {
                self.values.copies.get(start..end)
            }
        }
    }

    /// Whether a value is a text in JSON, as `"1"` is and `1` is not.
    pub(crate) fn is_json_text(&self, field: FieldId) -> bool {
        match self.values.slots.get(field.index()) {
            Some(Slot::Input(start, _)) if self.values.is_json => {
                self.input.get(..*start).is_some_and(|before| before.ends_with('"'))
            }
            Some(Slot::CopiedText(..)) => true,
            Some(Slot::Absent | Slot::Null) => self.derived.is_some_and(|it| {
                matches!(it.slots.get(field.index()), Some(Slot::CopiedText(..)))
            }),
            _ => false,
        }
    }

    /// Whether a value is an object or a list in JSON.
    #[inline]
    pub(crate) fn has_parts(&self, field: FieldId) -> bool {
        let Some(Slot::Input(start, _)) = self.values.slots.get(field.index()) else {
            return false;
        };
        self.values.is_json
            && matches!(self.input.as_bytes().get(*start), Some(b'{' | b'['))
            && !self.is_json_text(field)
    }

    /// The value of a field that does not stand in the record itself.
    fn beside(&self, field: FieldId) -> Option<&'a str> {
        let of_file = self.of_file.iter().find(|(other, _)| *other == field);
        let of_file = of_file.map(|(_, text)| text.as_str());
        of_file.or_else(|| self.derived?.copied(field))
    }

    /// Its text in the input; empty where it has none.
    pub(crate) fn text(&self) -> &'a str {
        self.input
    }

    /// Where the value of a field stands in the text, if it is written there as it is.
    pub(crate) fn range(&self, field: FieldId) -> Option<Range<usize>> {
        match *self.values.slots.get(field.index())? {
            Slot::Input(start, end) => Some(start..end),
            _ => None,
        }
    }

    /// The number of a value among the names of its column, from 1; 0 if it is absent. `None` if it has no
    /// number. Records of a batch with the same [`Record::names`] have the same value at the same number.
    #[inline]
    pub(crate) fn number(&self, field: FieldId) -> Option<u32> {
        let slot = self.values.slots.get(field.index())?;
        if let Slot::Named(column) = slot {
            return column.number(self.values.row)?.checked_add(1);
        }
        let is_absent = matches!(slot, Slot::Absent | Slot::Null);
        // A field made of others differs although it has no number.
        (is_absent && self.derived.is_none_or(|it| it.copied(field).is_none())).then_some(0)
    }

    /// Which names numbers mean.
    #[inline]
    pub(crate) fn names(&self) -> u32 {
        self.values.names
    }

    /// Its place in the file.
    pub fn place(&self) -> RecordPlace {
        self.place
    }

    /// Its fields with their values, in the order in which they were asked for.
    pub fn iter<'f>(&self, fields: &'f Fields) -> impl Iterator<Item = (&'f str, &'a str)> {
        let record = *self;
        // Constants have no name, and are not of the record.
        let named = fields.iter().filter(|(_, path)| !path.text().is_empty());
        named.filter_map(move |(id, path)| Some((path.text(), record.get(id)?)))
    }
}
