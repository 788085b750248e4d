//! The texts of Arrow values: as `arrow-cast` displays them, except that times with a time zone are
//! in UTC, and that lists, structures, maps and unions are written in JSON, so that their elements can be read.

// `arrow-cast` takes 15 % of a build, mostly for casts, and only its texts are needed here. A test
// compares both for every type. A writer is made once a column; writing a value is one dynamic call
// and allocates nothing (but inside of lists and the like). A value that cannot be written is an error, also inside of
// others, where `arrow-cast` shows `ERROR: …`, and a length of time that is too long, which it shows as `<invalid>`.

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions as convert;
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrowPrimitiveType, DictionaryArray, FixedSizeListArray, MapArray, OffsetSizeTrait,
    PrimitiveArray, RunArray, StructArray, UnionArray,
};
use arrow_schema::{ArrowError, DataType, IntervalUnit, TimeUnit, UnionMode};
use chrono::SecondsFormat;
use std::fmt::{Debug, Display, Write};
use std::ops::Range;

/// Writes the value of a row to the end of a text; nothing for a null.
pub(crate) type TextWriter<'a> = Box<dyn Fn(usize, &mut String) -> WriteResult + 'a>;

type WriteResult = Result<(), ArrowError>;
type WriterResult<'a> = Result<TextWriter<'a>, ArrowError>;

/// A writer of the values of a column.
pub(crate) fn text_writer(array: &dyn Array) -> WriterResult<'_> {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => Ok(timestamp(array, *unit, Zone::Utc)),
        _ => inner_writer(array),
    }
}

/// A writer of values inside of others, where times keep their time zone.
fn inner_writer(array: &dyn Array) -> WriterResult<'_> {
    if let Some(writer) = number(array).or_else(|| bytes(array)).or_else(|| temporal(array)) {
        return Ok(writer);
    }
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, _| Ok(())),
        DataType::Boolean => put(array.as_boolean(), |array, row, text| {
            text.push_str(if array.value(row) { "true" } else { "false" });
            Ok(())
        }),
        DataType::Timestamp(unit, None) => timestamp(array, *unit, Zone::Unknown),
        DataType::Timestamp(unit, Some(zone)) => {
            timestamp(array, *unit, Zone::Offset(zone.parse()?))
        }
        DataType::Dictionary(key, _) => return dictionary(array, key),
        DataType::RunEndEncoded(ends, _) => return runs(array, ends.data_type()),
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
        DataType::Float16 => integer::<Float16Type>(array),
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

/// A writer of UUIDs, with the dashes that people write.
pub(crate) fn uuid_writer(array: &dyn Array) -> TextWriter<'_> {
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
        DataType::Date64 => debugged::<Date64Type, _>(array, date64_to_datetime),
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

/// In which time zone a time is shown.
#[derive(Clone, Copy)]
enum Zone {
    /// It has none.
    Unknown,
    Utc,
    Offset(Tz),
}

fn timestamp(array: &dyn Array, unit: TimeUnit, zone: Zone) -> TextWriter<'_> {
    match unit {
        TimeUnit::Second => timestamp_of::<TimestampSecondType>(array, zone),
        TimeUnit::Millisecond => timestamp_of::<TimestampMillisecondType>(array, zone),
        TimeUnit::Microsecond => timestamp_of::<TimestampMicrosecondType>(array, zone),
        TimeUnit::Nanosecond => timestamp_of::<TimestampNanosecondType>(array, zone),
    }
}

fn timestamp_of<T: ArrowTimestampType>(array: &dyn Array, zone: Zone) -> TextWriter<'_> {
    put(array.as_primitive::<T>(), move |array, row, text| {
        let value = array.value(row);
        let Some(time) = convert::as_datetime::<T>(value) else {
            return Err(no_time(array, value, zone));
        };
        match zone {
            Zone::Unknown => shown(format_args!("{time:?}"), text),
            Zone::Utc => shown(format_args!("{time:?}Z"), text),
            Zone::Offset(zone) => {
                let time = time.and_utc().with_timezone(&zone);
                pushed(&time.to_rfc3339_opts(SecondsFormat::AutoSi, true), text)
            }
        }
    })
}

/// The error names the type that is shown.
fn no_time<T: ArrowTimestampType>(array: &PrimitiveArray<T>, value: i64, zone: Zone) -> ArrowError {
    let in_utc = DataType::Timestamp(T::UNIT, Some("+00:00".into()));
    let shown = if matches!(zone, Zone::Utc) { &in_utc } else { array.data_type() };
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
                let milliseconds = i64::from(value.milliseconds);
                spans_of_time([0, value.days], milliseconds, 3, text)
            })
        }
        IntervalUnit::MonthDayNano => {
            put(array.as_primitive::<IntervalMonthDayNanoType>(), |array, row, text| {
                let value = array.value(row);
                spans_of_time([value.months, value.days], value.nanoseconds, 9, text)
            })
        }
    }
}

/// Months, days, and a time, without those that are zero. The unit of the time is a second with
/// `decimals` decimals.
fn spans_of_time(
    [months, days]: [i32; 2],
    time: i64,
    decimals: u32,
    text: &mut String,
) -> WriteResult {
    let unit = 10_i64.pow(decimals);
    let (seconds, part) = (time / unit, time % unit);
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
        let (space, width) = (space(text, start), decimals as usize);
        let (seconds, part) = (seconds.abs(), part.abs());
        shown(format_args!("{space}{sign}{seconds}.{part:0width$} secs"), text)?;
    }
    if text.len() == start { pushed("0 secs", text) } else { Ok(()) }
}

/// The space between a part and those before it.
fn space(text: &str, start: usize) -> &'static str {
    if text.len() == start { "" } else { " " }
}

fn dictionary<'a>(array: &'a dyn Array, key: &DataType) -> WriterResult<'a> {
    match key {
        DataType::Int8 => dictionary_of::<Int8Type>(array.as_dictionary()),
        DataType::Int16 => dictionary_of::<Int16Type>(array.as_dictionary()),
        DataType::Int32 => dictionary_of::<Int32Type>(array.as_dictionary()),
        DataType::Int64 => dictionary_of::<Int64Type>(array.as_dictionary()),
        DataType::UInt8 => dictionary_of::<UInt8Type>(array.as_dictionary()),
        DataType::UInt16 => dictionary_of::<UInt16Type>(array.as_dictionary()),
        DataType::UInt32 => dictionary_of::<UInt32Type>(array.as_dictionary()),
        _ => dictionary_of::<UInt64Type>(array.as_dictionary()),
    }
}

fn dictionary_of<K: ArrowDictionaryKeyType>(array: &DictionaryArray<K>) -> WriterResult<'_> {
    let values = inner_writer(array.values().as_ref())?;
    Ok(put(array, move |array, row, text| match array.key(row) {
        Some(at) => values(at, text),
        None => Ok(()),
    }))
}

fn runs<'a>(array: &'a dyn Array, ends: &DataType) -> WriterResult<'a> {
    match ends {
        DataType::Int16 => runs_of::<Int16Type>(array.as_run()),
        DataType::Int32 => runs_of::<Int32Type>(array.as_run()),
        _ => runs_of::<Int64Type>(array.as_run()),
    }
}

fn runs_of<R: RunEndIndexType>(array: &RunArray<R>) -> WriterResult<'_> {
    let values = inner_writer(array.values().as_ref())?;
    Ok(put(array, move |array, row, text| values(array.get_physical_index(row), text)))
}

/// A writer of elements of lists and the like, in JSON. A null is `null`.
fn json_writer(array: &dyn Array) -> WriterResult<'_> {
    let (values, nulls) = (inner_writer(array)?, array.logical_nulls());
    let is_quoted = !is_json(array.data_type());
    Ok(Box::new(move |row, text| {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return pushed("null", text);
        }
        let start = text.len();
        values(row, text)?;
        // JSON has no such numbers.
        if is_quoted || matches!(&text[start..], "NaN" | "inf" | "-inf") {
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
        DataType::List(_) => list::<i32>(array),
        DataType::LargeList(_) => list::<i64>(array),
        DataType::ListView(_) => list_view::<i32>(array),
        DataType::LargeListView(_) => list_view::<i64>(array),
        DataType::FixedSizeList(..) => fixed_size_list(array.as_fixed_size_list()),
        DataType::Struct(_) => structure(array.as_struct()),
        DataType::Map(..) => map(array.as_map()),
        DataType::Union(..) => union(array.as_union()),
        other => {
            let message = format!("formatting {other} is not yet supported");
            Err(ArrowError::NotYetImplemented(message))
        }
    }
}

fn list<O: OffsetSizeTrait>(array: &dyn Array) -> WriterResult<'_> {
    let array = array.as_list::<O>();
    let values = json_writer(array.values().as_ref())?;
    Ok(put(array, move |array, row, text| {
        let offsets = array.value_offsets();
        items(offsets[row].as_usize()..offsets[row + 1].as_usize(), &values, text)
    }))
}

fn list_view<O: OffsetSizeTrait>(array: &dyn Array) -> WriterResult<'_> {
    let array = array.as_list_view::<O>();
    let values = json_writer(array.values().as_ref())?;
    Ok(put(array, move |array, row, text| {
        let start = array.value_offsets()[row].as_usize();
        items(start..start + array.value_sizes()[row].as_usize(), &values, text)
    }))
}

fn fixed_size_list(array: &FixedSizeListArray) -> WriterResult<'_> {
    let values = json_writer(array.values().as_ref())?;
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
    let fields = fields.map(|(field, column)| Ok((field.name(), json_writer(column.as_ref())?)));
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
    let keys = inner_writer(array.keys().as_ref())?;
    let values = json_writer(array.values().as_ref())?;
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
        .map(|(id, field)| Ok((id, field.name(), json_writer(array.child(id).as_ref())?)));
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
