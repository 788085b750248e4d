//! The texts of Arrow values: as `arrow-cast` displays them, except that times with a time zone are
//! in UTC, UUIDs have dashes, whole days are days, intervals without months are lengths of time, and lists, structures, maps and unions are written in JSON, so that
//! their elements can be read.

// `arrow-cast` takes 15 % of a build, mostly for casts, and only its texts are needed here. A test
// compares both for every type. A writer is made once a column; writing a value is one dynamic call
// and allocates nothing (but inside of lists and the like). A value that cannot be written is an error, also inside of
// others, where `arrow-cast` shows `ERROR: …`, and a length of time that is too long, which it shows as `<invalid>`.

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions as convert;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrowPrimitiveType, DictionaryArray, FixedSizeListArray, MapArray, OffsetSizeTrait,
    PrimitiveArray, RunArray, StringArray, StructArray, UnionArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, IntervalUnit, TimeUnit, UnionMode};
use chrono::{NaiveTime, TimeDelta};
use std::fmt::{Debug, Display, Write};
use std::ops::Range;

/// Writes the value of a row to the end of a text; nothing for a null.
pub(crate) type TextWriter<'a> = Box<dyn Fn(usize, &mut String) -> WriteResult + 'a>;

type WriteResult = Result<(), ArrowError>;
type WriterResult<'a> = Result<TextWriter<'a>, ArrowError>;

/// A writer of the values of a column, or of those inside of others.
pub(crate) fn text_writer<'a>(field: &Field, array: &'a dyn Array) -> WriterResult<'a> {
    if is_uuid(field, array) {
        return Ok(uuids(array));
    }
    if let Some(writer) = number(array).or_else(|| bytes(array)).or_else(|| temporal(array)) {
        return Ok(writer);
    }
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, _| Ok(())),
        DataType::Boolean => put(array.as_boolean(), |array, row, text| {
            text.push_str(if array.value(row) { "true" } else { "false" });
            Ok(())
        }),
        DataType::Timestamp(unit, zone) => {
            timestamp(array, *unit, if zone.is_some() { "Z" } else { "" })
        }
        DataType::Dictionary(key, _) => return dictionary(field, array, key),
        DataType::RunEndEncoded(ends, values) => return runs(values, array, ends.data_type()),
        _ => return nested(array),
    })
}

/// A writer that leaves nulls out.
fn put<'a, A: Array>(
    array: &'a A,
    write: impl Fn(&'a A, usize, &mut String) -> WriteResult + 'a,
) -> TextWriter<'a> {
    Box::new(move |row, text| if array.is_null(row) { Ok(()) } else { write(array, row, text) })
}

/// Where an array has no value: null, or not a number, which frames write for missing ones.
pub(crate) fn absent(array: &dyn Array) -> Option<NullBuffer> {
    let is_number = |is: &dyn Fn(usize) -> bool| {
        Some(NullBuffer::new(BooleanBuffer::collect_bool(array.len(), is)))
    };
    let numbers = match array.data_type() {
        DataType::Float16 => {
            let array = array.as_primitive::<Float16Type>();
            is_number(&|row| !array.value(row).is_nan())
        }
        DataType::Float32 => {
            let array = array.as_primitive::<Float32Type>();
            is_number(&|row| !array.value(row).is_nan())
        }
        DataType::Float64 => {
            let array = array.as_primitive::<Float64Type>();
            is_number(&|row| !array.value(row).is_nan())
        }
        _ => None,
    };
    NullBuffer::union(array.logical_nulls().as_ref(), numbers.as_ref())
}

/// The texts of a column as those of fields of records; nothing where it has no value.
///
/// # Errors
/// When a value cannot be written, such as a time beyond all years, or all of them take more than 2 GiB.
pub fn column_texts(field: &Field, array: &dyn Array) -> Result<StringArray, ArrowError> {
    if let Some(texts) = array.as_string_opt::<i32>() {
        return Ok(texts.clone());
    }
    let (writer, absent) = (text_writer(field, array)?, absent(array));
    let (mut texts, mut text) = (StringBuilder::new(), String::new());
    for row in 0..array.len() {
        if absent.as_ref().is_some_and(|absent| absent.is_null(row)) {
            texts.append_null();
            continue;
        }
        text.clear();
        writer(row, &mut text)?;
        if texts.values_slice().len() + text.len() > i32::MAX as usize {
            return Err(ArrowError::OffsetOverflowError(text.len()));
        }
        texts.append_value(&text);
    }
    Ok(texts.finish())
}

/// Writing into a text cannot fail.
fn shown(value: impl Display, text: &mut String) -> WriteResult {
    let _ = write!(text, "{value}");
    Ok(())
}

fn number(array: &dyn Array) -> Option<TextWriter<'_>> {
    Some(match array.data_type() {
        DataType::Int8 => integer::<Int8Type>(array),
        DataType::Int16 => integer::<Int16Type>(array),
        DataType::Int32 => integer::<Int32Type>(array),
        DataType::Int64 => integer::<Int64Type>(array),
        DataType::UInt8 => integer::<UInt8Type>(array),
        DataType::UInt16 => integer::<UInt16Type>(array),
        DataType::UInt32 => integer::<UInt32Type>(array),
        DataType::UInt64 => integer::<UInt64Type>(array),
        DataType::Float16 => put(array.as_primitive::<Float16Type>(), |array, row, text| {
            pushed(ryu::Buffer::new().format(array.value(row).to_f32()), text)
        }),
        DataType::Float32 => float::<Float32Type>(array),
        DataType::Float64 => float::<Float64Type>(array),
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array),
        _ => return None,
    })
}

fn integer<T: ArrowPrimitiveType>(array: &dyn Array) -> TextWriter<'_>
where
    T::Native: Display,
{
    put(array.as_primitive::<T>(), |array, row, text| shown(array.value(row), text))
}

/// The shortest digits that are read back as the same number; of two that are equally near, the even
/// one, unlike the standard library.
fn float<T: ArrowPrimitiveType>(array: &dyn Array) -> TextWriter<'_>
where
    T::Native: ryu::Float,
{
    put(array.as_primitive::<T>(), |array, row, text| {
        pushed(ryu::Buffer::new().format(array.value(row)), text)
    })
}

fn decimal<T: DecimalType>(array: &dyn Array) -> TextWriter<'_>
where
    T::Native: Display,
{
    let array = array.as_primitive::<T>();
    let scale = array.scale();
    put(array, move |array, row, text| {
        let start = text.len();
        let _ = write!(text, "{}", array.value(row));
        put_point(text, start, scale);
        Ok(())
    })
}

/// Puts the point into a decimal, `scale` digits before its end, or zeros after it.
fn put_point(text: &mut String, start: usize, scale: i8) {
    let first_digit = start + usize::from(text[start..].starts_with('-'));
    let Ok(decimals) = usize::try_from(scale) else {
        if &text[first_digit..] != "0" {
            text.extend(std::iter::repeat_n('0', usize::from(scale.unsigned_abs())));
        }
        return;
    };
    if decimals == 0 {
        return;
    }
    let digits = text.len() - first_digit;
    for _ in digits..=decimals {
        text.insert(first_digit, '0');
    }
    text.insert(text.len() - decimals, '.');
}

fn bytes(array: &dyn Array) -> Option<TextWriter<'_>> {
    Some(match array.data_type() {
        DataType::Utf8 => {
            put(array.as_string::<i32>(), |array, row, text| pushed(array.value(row), text))
        }
        DataType::LargeUtf8 => {
            put(array.as_string::<i64>(), |array, row, text| pushed(array.value(row), text))
        }
        DataType::Utf8View => {
            put(array.as_string_view(), |array, row, text| pushed(array.value(row), text))
        }
        DataType::Binary => {
            put(array.as_binary::<i32>(), |array, row, text| hex(array.value(row), text))
        }
        DataType::LargeBinary => {
            put(array.as_binary::<i64>(), |array, row, text| hex(array.value(row), text))
        }
        DataType::BinaryView => {
            put(array.as_binary_view(), |array, row, text| hex(array.value(row), text))
        }
        DataType::FixedSizeBinary(_) => {
            put(array.as_fixed_size_binary(), |array, row, text| hex(array.value(row), text))
        }
        _ => return None,
    })
}

fn pushed(value: &str, text: &mut String) -> WriteResult {
    text.push_str(value);
    Ok(())
}

fn hex(bytes: &[u8], text: &mut String) -> WriteResult {
    bytes.iter().try_for_each(|byte| shown(format_args!("{byte:02x}"), text))
}

fn is_uuid(field: &Field, array: &dyn Array) -> bool {
    field.extension_type_name() == Some("arrow.uuid")
        && *array.data_type() == DataType::FixedSizeBinary(16)
}

/// A writer of UUIDs, with the dashes that people write.
fn uuids(array: &dyn Array) -> TextWriter<'_> {
    put(array.as_fixed_size_binary(), |array, row, text| {
        let parts = [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate();
        for (at, range) in parts {
            text.push_str(if at > 0 { "-" } else { "" });
            hex(&array.value(row)[range], text)?;
        }
        Ok(())
    })
}

fn temporal(array: &dyn Array) -> Option<TextWriter<'_>> {
    use {TimeUnit::*, convert::*};
    Some(match array.data_type() {
        DataType::Date32 => {
            debugged::<Date32Type, _>(array, |days| Some(date32_to_datetime(days)?.date()))
        }
        DataType::Date64 => dates(array.as_primitive()),
        DataType::Time32(Second) => debugged::<Time32SecondType, _>(array, time32s_to_time),
        DataType::Time32(_) => debugged::<Time32MillisecondType, _>(array, time32ms_to_time),
        DataType::Time64(Nanosecond) => {
            debugged::<Time64NanosecondType, _>(array, time64ns_to_time)
        }
        DataType::Time64(_) => debugged::<Time64MicrosecondType, _>(array, time64us_to_time),
        DataType::Duration(Second) => {
            duration::<DurationSecondType, _>(array, try_duration_s_to_duration)
        }
        DataType::Duration(Millisecond) => {
            duration::<DurationMillisecondType, _>(array, try_duration_ms_to_duration)
        }
        DataType::Duration(Microsecond) => {
            duration::<DurationMicrosecondType, _>(array, |it| Some(duration_us_to_duration(it)))
        }
        DataType::Duration(Nanosecond) => {
            duration::<DurationNanosecondType, _>(array, |it| Some(duration_ns_to_duration(it)))
        }
        DataType::Interval(unit) => interval(array, *unit),
        _ => return None,
    })
}

/// Dates and times, whose debug form is RFC 3339.
fn debugged<T: ArrowPrimitiveType, D: Debug>(
    array: &dyn Array,
    convert: impl Fn(T::Native) -> Option<D> + 'static,
) -> TextWriter<'_>
where
    T::Native: Display,
{
    put(array.as_primitive::<T>(), move |array, row, text| {
        let value = array.value(row);
        let converted = convert(value).ok_or_else(|| not_converted(array, value, "temporal"))?;
        shown(format_args!("{converted:?}"), text)
    })
}

/// Days in milliseconds, which are whole days by the specification of Arrow; some writers have times in them.
fn dates(array: &PrimitiveArray<Date64Type>) -> TextWriter<'_> {
    put(array, |array, row, text| {
        let value = array.value(row);
        let time = convert::date64_to_datetime(value);
        let time = time.ok_or_else(|| not_converted(array, value, "temporal"))?;
        match time.time() == NaiveTime::MIN {
            true => shown(format_args!("{:?}", time.date()), text),
            false => shown(format_args!("{time:?}"), text),
        }
    })
}

fn not_converted(array: &dyn Array, value: impl Display, to: &str) -> ArrowError {
    ArrowError::CastError(format!("Failed to convert {value} to {to} for {}", array.data_type()))
}

fn duration<T: ArrowPrimitiveType, D: Display>(
    array: &dyn Array,
    convert: impl Fn(T::Native) -> Option<D> + 'static,
) -> TextWriter<'_>
where
    T::Native: Display,
{
    put(array.as_primitive::<T>(), move |array, row, text| {
        let value = array.value(row);
        let duration = convert(value).ok_or_else(|| not_converted(array, value, "temporal"))?;
        shown(duration, text)
    })
}

/// A writer of times, with `Z` behind them if they are in UTC.
fn timestamp<'a>(array: &'a dyn Array, unit: TimeUnit, zone: &'static str) -> TextWriter<'a> {
    match unit {
        TimeUnit::Second => timestamp_of::<TimestampSecondType>(array, zone),
        TimeUnit::Millisecond => timestamp_of::<TimestampMillisecondType>(array, zone),
        TimeUnit::Microsecond => timestamp_of::<TimestampMicrosecondType>(array, zone),
        TimeUnit::Nanosecond => timestamp_of::<TimestampNanosecondType>(array, zone),
    }
}

fn timestamp_of<'a, T: ArrowTimestampType>(
    array: &'a dyn Array,
    zone: &'static str,
) -> TextWriter<'a> {
    put(array.as_primitive::<T>(), move |array, row, text| {
        let value = array.value(row);
        let Some(time) = convert::as_datetime::<T>(value) else {
            return Err(no_time(array, value, zone));
        };
        shown(format_args!("{time:?}{zone}"), text)
    })
}

/// The error names the type that is shown.
fn no_time<T: ArrowTimestampType>(array: &PrimitiveArray<T>, value: i64, zone: &str) -> ArrowError {
    let in_utc = DataType::Timestamp(T::UNIT, Some("+00:00".into()));
    let shown = if zone.is_empty() { array.data_type() } else { &in_utc };
    ArrowError::CastError(format!("Failed to convert {value} to datetime for {shown}"))
}

fn interval(array: &dyn Array, unit: IntervalUnit) -> TextWriter<'_> {
    match unit {
        IntervalUnit::YearMonth => {
            put(array.as_primitive::<IntervalYearMonthType>(), |array, row, text| {
                let months = array.value(row);
                let (years, months) = (months.div_euclid(12), months.rem_euclid(12));
                shown(format_args!("{years} years {months} mons"), text)
            })
        }
        IntervalUnit::DayTime => {
            put(array.as_primitive::<IntervalDayTimeType>(), |array, row, text| {
                let value = array.value(row);
                let time = TimeDelta::milliseconds(i64::from(value.milliseconds));
                shown(TimeDelta::days(i64::from(value.days)) + time, text)
            })
        }
        IntervalUnit::MonthDayNano => {
            put(array.as_primitive::<IntervalMonthDayNanoType>(), |array, row, text| {
                let value = array.value(row);
                if value.months == 0 {
                    let time = TimeDelta::nanoseconds(value.nanoseconds);
                    return shown(TimeDelta::days(i64::from(value.days)) + time, text);
                }
                spans_of_time([value.months, value.days], value.nanoseconds, text)
            })
        }
    }
}

/// Months, days, and a time in nanoseconds, without those that are zero.
fn spans_of_time([months, days]: [i32; 2], time: i64, text: &mut String) -> WriteResult {
    let (seconds, part) = (time / 1_000_000_000, time % 1_000_000_000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let start = text.len();
    let large = [(i64::from(months), "mons"), (i64::from(days), "days"), (hours, "hours")];
    for (number, name) in large.into_iter().chain([(minutes % 60, "mins")]) {
        if number != 0 {
            shown(format_args!("{}{number} {name}", space(text, start)), text)?;
        }
    }
    let seconds = seconds % 60;
    if seconds != 0 || part != 0 {
        let sign = if seconds < 0 || part < 0 { "-" } else { "" };
        let (space, seconds, part) = (space(text, start), seconds.abs(), part.abs());
        shown(format_args!("{space}{sign}{seconds}.{part:09} secs"), text)?;
    }
    Ok(())
}

/// The space between a part and those before it.
fn space(text: &str, start: usize) -> &'static str {
    if text.len() == start { "" } else { " " }
}

fn dictionary<'a>(field: &Field, array: &'a dyn Array, key: &DataType) -> WriterResult<'a> {
    match key {
        DataType::Int8 => dictionary_of::<Int8Type>(field, array.as_dictionary()),
        DataType::Int16 => dictionary_of::<Int16Type>(field, array.as_dictionary()),
        DataType::Int32 => dictionary_of::<Int32Type>(field, array.as_dictionary()),
        DataType::Int64 => dictionary_of::<Int64Type>(field, array.as_dictionary()),
        DataType::UInt8 => dictionary_of::<UInt8Type>(field, array.as_dictionary()),
        DataType::UInt16 => dictionary_of::<UInt16Type>(field, array.as_dictionary()),
        DataType::UInt32 => dictionary_of::<UInt32Type>(field, array.as_dictionary()),
        _ => dictionary_of::<UInt64Type>(field, array.as_dictionary()),
    }
}

fn dictionary_of<'a, K: ArrowDictionaryKeyType>(
    field: &Field,
    array: &'a DictionaryArray<K>,
) -> WriterResult<'a> {
    let values = text_writer(field, array.values().as_ref())?;
    Ok(put(array, move |array, row, text| match array.key(row) {
        Some(at) => values(at, text),
        None => Ok(()),
    }))
}

fn runs<'a>(field: &Field, array: &'a dyn Array, ends: &DataType) -> WriterResult<'a> {
    match ends {
        DataType::Int16 => runs_of::<Int16Type>(field, array.as_run()),
        DataType::Int32 => runs_of::<Int32Type>(field, array.as_run()),
        _ => runs_of::<Int64Type>(field, array.as_run()),
    }
}

fn runs_of<'a, R: RunEndIndexType>(field: &Field, array: &'a RunArray<R>) -> WriterResult<'a> {
    let values = text_writer(field, array.values().as_ref())?;
    Ok(put(array, move |array, row, text| values(array.get_physical_index(row), text)))
}

/// A writer of elements of lists and the like, in JSON. A null is `null`.
fn json_writer<'a>(field: &Field, array: &'a dyn Array) -> WriterResult<'a> {
    let (values, nulls) = (text_writer(field, array)?, absent(array));
    let is_quoted = !is_json(array.data_type());
    Ok(Box::new(move |row, text| {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return pushed("null", text);
        }
        let start = text.len();
        values(row, text)?;
        // JSON has no such numbers.
        if is_quoted || matches!(&text[start..], "inf" | "-inf") {
            let value = serde_json::Value::from(text.split_off(start));
            shown(value, text)?;
        }
        Ok(())
    }))
}

/// Whether values are written as JSON has them, without quotes.
fn is_json(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_json(values),
        DataType::RunEndEncoded(_, values) => is_json(values.data_type()),
        kind => kind.is_numeric() || *kind == DataType::Boolean || kind.is_nested(),
    }
}

fn nested(array: &dyn Array) -> WriterResult<'_> {
    match array.data_type() {
        DataType::List(item) => list::<i32>(item, array),
        DataType::LargeList(item) => list::<i64>(item, array),
        DataType::ListView(item) => list_view::<i32>(item, array),
        DataType::LargeListView(item) => list_view::<i64>(item, array),
        DataType::FixedSizeList(item, _) => fixed_size_list(item, array.as_fixed_size_list()),
        DataType::Struct(_) => structure(array.as_struct()),
        DataType::Map(..) => map(array.as_map()),
        DataType::Union(..) => union(array.as_union()),
        other => {
            let message = format!("formatting {other} is not yet supported");
            Err(ArrowError::NotYetImplemented(message))
        }
    }
}

fn list<'a, O: OffsetSizeTrait>(item: &Field, array: &'a dyn Array) -> WriterResult<'a> {
    let array = array.as_list::<O>();
    let values = json_writer(item, array.values().as_ref())?;
    Ok(put(array, move |array, row, text| {
        let offsets = array.value_offsets();
        items(offsets[row].as_usize()..offsets[row + 1].as_usize(), &values, text)
    }))
}

fn list_view<'a, O: OffsetSizeTrait>(item: &Field, array: &'a dyn Array) -> WriterResult<'a> {
    let array = array.as_list_view::<O>();
    let values = json_writer(item, array.values().as_ref())?;
    Ok(put(array, move |array, row, text| {
        let start = array.value_offsets()[row].as_usize();
        items(start..start + array.value_sizes()[row].as_usize(), &values, text)
    }))
}

fn fixed_size_list<'a>(item: &Field, array: &'a FixedSizeListArray) -> WriterResult<'a> {
    let values = json_writer(item, array.values().as_ref())?;
    let length = array.value_length() as usize;
    Ok(put(array, move |_, row, text| items(row * length..(row + 1) * length, &values, text)))
}

fn items(range: Range<usize>, values: &TextWriter<'_>, text: &mut String) -> WriteResult {
    text.push('[');
    separated(range, text, values)?;
    text.push(']');
    Ok(())
}

fn separated<T>(
    items: impl IntoIterator<Item = T>,
    text: &mut String,
    mut write: impl FnMut(T, &mut String) -> WriteResult,
) -> WriteResult {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write(item, text)?;
    }
    Ok(())
}

fn structure(array: &StructArray) -> WriterResult<'_> {
    let fields = array.fields().iter().zip(array.columns());
    let fields =
        fields.map(|(field, column)| Ok((field.name(), json_writer(field, column.as_ref())?)));
    let fields = fields.collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(put(array, move |_, row, text| {
        text.push('{');
        separated(&fields, text, |(name, values), text| {
            shown(format_args!("{}: ", serde_json::Value::from(name.as_str())), text)?;
            values(row, text)
        })?;
        text.push('}');
        Ok(())
    }))
}

fn map(array: &MapArray) -> WriterResult<'_> {
    let entries = array.entries().fields();
    let keys = text_writer(&entries[0], array.keys().as_ref())?;
    let values = json_writer(&entries[1], array.values().as_ref())?;
    Ok(put(array, move |array, row, text| {
        let offsets = array.value_offsets();
        text.push('{');
        separated(offsets[row] as usize..offsets[row + 1] as usize, text, |at, text| {
            let start = text.len();
            keys(at, text)?;
            let key = serde_json::Value::from(text.split_off(start));
            shown(format_args!("{key}: "), text)?;
            values(at, text)
        })?;
        text.push('}');
        Ok(())
    }))
}

fn union(array: &UnionArray) -> WriterResult<'_> {
    let DataType::Union(fields, mode) = array.data_type() else {
        return Err(ArrowError::InvalidArgumentError("not a union".to_owned()));
    };
    let children = fields
        .iter()
        .map(|(id, field)| Ok((id, field.name(), json_writer(field, array.child(id).as_ref())?)));
    let children = children.collect::<Result<Vec<_>, ArrowError>>()?;
    let is_dense = *mode == UnionMode::Dense;
    Ok(put(array, move |array, row, text| {
        let id = array.type_id(row);
        let at = if is_dense { array.value_offset(row) } else { row };
        let Some((_, name, values)) = children.iter().find(|(other, ..)| *other == id) else {
            return Err(ArrowError::InvalidArgumentError(format!("no type {id} in a union")));
        };
        shown(format_args!("{{{}: ", serde_json::Value::from(name.as_str())), text)?;
        values(at, text)?;
        pushed("}", text)
    }))
}

#[cfg(test)]
mod tests;
