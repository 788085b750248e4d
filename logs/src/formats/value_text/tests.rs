//! Every type against `arrow-cast`.

use super::*;
use arrow_array::builder::*;
use arrow_array::*;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::Field;
use proptest::prelude::*;
use std::sync::Arc;

/// The text of each value, or its error, as `arrow-cast` has it.
fn expected(array: &dyn Array) -> Result<Vec<Result<String, String>>, String> {
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(array, &options).map_err(|error| error.to_string())?;
    let text = |row| formatter.value(row).try_to_string().map_err(|error| error.to_string());
    Ok((0..array.len()).map(text).collect())
}

fn written(
    array: &dyn Array,
    writer: WriterResult<'_>,
) -> Result<Vec<Result<String, String>>, String> {
    let writer = writer.map_err(|error| error.to_string())?;
    let text = |row| {
        let mut text = "before ".to_owned();
        let written = writer(row, &mut text).map_err(|error| error.to_string());
        written.map(|()| text.strip_prefix("before ").expect("what stood there").to_owned())
    };
    Ok((0..array.len()).map(text).collect())
}

/// A writer of values that have no type but that of their array.
fn plain_writer(array: &dyn Array) -> WriterResult<'_> {
    text_writer(&Field::new("x", array.data_type().clone(), true), array)
}

fn same(array: &dyn Array) {
    same_as(array, array);
}

/// The texts of one are those that `arrow-cast` has for the other.
fn same_as(array: &dyn Array, other: &dyn Array) {
    let (written, mut expected) = (written(array, plain_writer(array)), expected(other));
    for (one, other) in written.iter().flatten().zip(expected.iter_mut().flatten()) {
        let is_shown = |text: &String| text == "<invalid>" || text.starts_with("ERROR: ");
        if one.is_err() && other.as_ref().is_ok_and(is_shown) {
            other.clone_from(one);
        }
    }
    assert_eq!(written, expected, "{}", array.data_type());
}

fn same_numbers<T: ArrowPrimitiveType>(values: &[T::Native]) {
    let values = values.iter().copied().map(Some).chain([None]);
    same(&PrimitiveArray::<T>::from_iter(values));
}

/// Lists and the like are written in JSON; with `‹error›` stands a time that cannot be shown, so that none of it is.
fn in_json(array: &dyn Array, expected: &[&str]) {
    let error = plain_writer(&times()).expect("a writer")(1, &mut String::new());
    let error = error.expect_err("no time").to_string();
    let text = |text: &&str| match text.contains("‹error›") {
        true => Err(error.clone()),
        false => Ok((*text).to_owned()),
    };
    let expected = expected.iter().map(text).collect();
    assert_eq!(written(array, plain_writer(array)), Ok(expected), "{}", array.data_type());
}

const LONGS: [i64; 16] = [
    0,
    1,
    -1,
    59,
    60,
    -61,
    1_500,
    86_399_999,
    86_400_000,
    -3_661_001_001,
    1_714_564_800_123,
    1_714_564_800_123_456,
    1_714_564_800_123_456_789,
    253_402_300_800_000,
    i64::MIN,
    i64::MAX,
];

fn ints() -> Vec<i32> {
    LONGS.iter().map(|it| *it as i32).chain([86_399, 12, -12, -13, 3_000_000]).collect()
}

#[test]
fn numbers() {
    same_numbers::<Int8Type>(&[0, -1, i8::MIN, i8::MAX]);
    same_numbers::<Int16Type>(&[0, -1, i16::MIN, i16::MAX]);
    same_numbers::<Int32Type>(&ints());
    same_numbers::<Int64Type>(&LONGS);
    same_numbers::<UInt8Type>(&[0, u8::MAX]);
    same_numbers::<UInt16Type>(&[0, u16::MAX]);
    same_numbers::<UInt32Type>(&[0, u32::MAX]);
    same_numbers::<UInt64Type>(&[0, u64::MAX]);
    let doubles = [0.0, -0.0, 1.0, 0.1, -1.5, 1e15, 1e16, 1.5e16, 1e17, 1e-5, 1.2e-5, 1e-6, 1e300];
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 123.456];
    let doubles = [&doubles[..], &odd].concat();
    let floats: Vec<f32> = doubles.iter().map(|it| *it as f32).collect();
    same_numbers::<Float64Type>(&doubles);
    same_numbers::<Float32Type>(&floats);
    same_numbers::<Float32Type>(&[1e12, 1e13, 1.5e13, 1e14, 1e-6, 1.5e-6, 1e-7, 16_777_216.0]);
    let halves = Float16Array::from_iter(
        floats.iter().map(|it| Some(<<Float16Type as ArrowPrimitiveType>::Native>::from_f32(*it))),
    );
    // As texts of other floats, with a point.
    let wide = Float32Array::from_iter(halves.iter().map(|it| it.map(|it| it.to_f32())));
    same_as(&halves, &wide);
}

proptest! {
    #[test]
    fn floats(bits in any::<u64>(), exponent in -20_i32..20, digits in any::<i32>()) {
        let near = f64::from(digits) * 10_f64.powi(exponent);
        same_numbers::<Float64Type>(&[f64::from_bits(bits), near]);
        same_numbers::<Float32Type>(&[f32::from_bits(bits as u32), near as f32]);
    }
}

#[test]
fn decimals() {
    for scale in [-3, 0, 1, 2, 9] {
        let decimal = |it: &i32| Some(*it);
        let array = Decimal32Array::from_iter(ints().iter().map(decimal).chain([None]));
        same(&array.with_precision_and_scale(9, scale).expect("a scale"));
        let array = Decimal64Array::from_iter(LONGS.iter().copied().map(Some));
        same(&array.with_precision_and_scale(18, scale).expect("a scale"));
        let wide = LONGS.iter().map(|it| Some(i128::from(*it) * 1_000_003));
        let array = Decimal128Array::from_iter(wide.clone());
        same(&array.with_precision_and_scale(38, scale).expect("a scale"));
        let array = Decimal256Array::from_iter(
            wide.map(|it| it.map(<<Decimal256Type as ArrowPrimitiveType>::Native>::from_i128)),
        );
        same(&array.with_precision_and_scale(76, scale).expect("a scale"));
    }
}

#[test]
fn texts_and_bytes() {
    let texts = [Some("a \"b\"\n"), None, Some(""), Some("a text of more than twelve bytes, é")];
    same(&StringArray::from_iter(texts));
    same(&LargeStringArray::from_iter(texts));
    same(&StringViewArray::from_iter(texts));
    let bytes = texts.map(|text| text.map(str::as_bytes));
    same(&BinaryArray::from_iter(bytes));
    same(&LargeBinaryArray::from_iter(bytes));
    same(&BinaryViewArray::from_iter(bytes));
    let fixed = [Some([0_u8, 255, 16]), None].into_iter();
    same(&FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 3).expect("bytes"));
    same(&BooleanArray::from_iter([Some(true), Some(false), None]));
    same(&NullArray::new(2));
}

#[test]
fn dates_times_and_durations() {
    same_numbers::<Date32Type>(&ints());
    same_numbers::<Date64Type>(&LONGS.map(|it| if it % 86_400_000 == 0 { it + 1 } else { it }));
    let days = [0, 1, -1, 19_844];
    let millis = Date64Array::from_iter(days.map(|it| Some(i64::from(it) * 86_400_000)));
    same_as(&millis, &Date32Array::from_iter(days.map(Some)));
    same_numbers::<Time32SecondType>(&ints());
    same_numbers::<Time32MillisecondType>(&ints());
    same_numbers::<Time64MicrosecondType>(&LONGS);
    same_numbers::<Time64NanosecondType>(&LONGS);
    same_numbers::<DurationSecondType>(&LONGS);
    same_numbers::<DurationMillisecondType>(&LONGS);
    same_numbers::<DurationMicrosecondType>(&LONGS);
    same_numbers::<DurationNanosecondType>(&LONGS);
    same_numbers::<IntervalYearMonthType>(&ints());
    let months = [(12, 0, 0), (1, -2, 3), (3, 0, -3_661_000_000_001), (-1, 0, 59_999_999_999)];
    let months =
        months.map(|(months, days, time)| IntervalMonthDayNanoType::make_value(months, days, time));
    same_numbers::<IntervalMonthDayNanoType>(&months);
    // Without months they are lengths of time.
    let days = [(0, 0), (-3, 61_001), (0, -3_661_001), (7, 0), (0, -1)];
    let lengths = days.map(|(days, time)| Some(i64::from(days) * 86_400_000 + i64::from(time)));
    let lengths = DurationMillisecondArray::from_iter(lengths);
    let times = days.map(|(days, time)| Some(IntervalDayTimeType::make_value(days, time)));
    same_as(&IntervalDayTimeArray::from_iter(times), &lengths);
    let nanos = days.map(|(days, time)| {
        Some(IntervalMonthDayNanoType::make_value(0, days, i64::from(time) * 1_000_000))
    });
    same_as(&IntervalMonthDayNanoArray::from_iter(nanos), &lengths);
}

fn timestamps<T: ArrowTimestampType>() {
    let array = PrimitiveArray::<T>::from_iter(LONGS.into_iter().map(Some).chain([None]));
    same(&array);
    for zone in ["UTC", "+00:00", "+02:00", "-09:30", "Nowhere/Land"] {
        // Times are in UTC whatever their zone.
        let in_utc = array.clone().with_timezone("+00:00");
        same_as(&array.clone().with_timezone(zone), &in_utc);
    }
}

#[test]
fn timestamps_of_all_units() {
    timestamps::<TimestampSecondType>();
    timestamps::<TimestampMillisecondType>();
    timestamps::<TimestampMicrosecondType>();
    timestamps::<TimestampNanosecondType>();
}

/// Some times; one cannot be shown.
fn times() -> ArrayRef {
    Arc::new(TimestampSecondArray::from(vec![Some(0), Some(i64::MAX), None, Some(-1)]))
}

#[test]
fn dictionaries_and_runs() {
    let values: ArrayRef = times();
    let keys = Int8Array::from(vec![Some(0), Some(1), None, Some(2)]);
    same(&DictionaryArray::new(keys, values.clone()));
    let keys = UInt64Array::from(vec![Some(3), Some(1), None]);
    same(&DictionaryArray::new(keys, values.clone()));
    let ends = Int32Array::from(vec![2, 3, 5, 6]);
    same(&RunArray::try_new(&ends, values.as_ref()).expect("runs"));
    let ends = Int16Array::from(vec![1, 3, 5, 6]);
    same(&RunArray::try_new(&ends, values.as_ref()).expect("runs").slice(2, 3));
}

#[test]
fn lists() {
    let mut list = ListBuilder::new(TimestampSecondBuilder::new());
    list.append_value([Some(0), None, Some(i64::MAX)]);
    list.append_value([]);
    list.append(false);
    in_json(&list.finish(), &[r#"["1970-01-01T00:00:00", null, "‹error›"]"#, "[]", ""]);
    let mut list = LargeListBuilder::new(StringBuilder::new());
    list.append_value([Some("a"), None, Some("b, \"c\""), Some("")]);
    list.append(false);
    in_json(&list.finish(), &[r#"["a", null, "b, \"c\"", ""]"#, ""]);
    let mut list = ListBuilder::new(Float64Builder::new());
    list.append_value([Some(1.5), Some(f64::NAN), Some(f64::NEG_INFINITY), Some(1e300)]);
    in_json(&list.finish(), &[r#"[1.5, null, "-inf", 1e300]"#]);
    let mut list = ListBuilder::new(StringDictionaryBuilder::<Int8Type>::new());
    list.values().append_value("a");
    list.values().append_null();
    list.append(true);
    in_json(&list.finish(), &[r#"["a", null]"#]);
    let mut list = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    list.values().append_slice(&[1, 2, 3, 4]);
    list.append(true);
    list.append(false);
    in_json(&list.finish(), &["[1, 2]", ""]);
}

#[test]
fn views_of_lists() {
    let field = Arc::new(Field::new_list_field(times().data_type().clone(), true));
    let nulls = Some(vec![true, false, true].into());
    let (starts, sizes) = (vec![2, 0, 0].into(), vec![2, 0, 3].into());
    let texts =
        [r#"[null, "1969-12-31T23:59:59"]"#, "", r#"["1970-01-01T00:00:00", "‹error›", null]"#];
    let array = ListViewArray::new(Arc::clone(&field), starts, sizes, times(), nulls.clone());
    in_json(&array, &texts);
    let (starts, sizes) = (vec![1_i64, 0, 0].into(), vec![2_i64, 0, 3].into());
    let texts = [r#"["‹error›", null]"#, "", texts[2]];
    in_json(&LargeListViewArray::new(field, starts, sizes, times(), nulls), &texts);
}

#[test]
fn structures_maps_and_unions() {
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("d")]));
    let field =
        |name, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
    let fields = vec![(field("name", &names), names.clone()), (field("at", &times()), times())];
    in_json(
        &StructArray::from(fields),
        &[
            r#"{"name": "a", "at": "1970-01-01T00:00:00"}"#,
            r#"{"name": null, "at": "‹error›"}"#,
            r#"{"name": "c", "at": null}"#,
            r#"{"name": "d", "at": "1969-12-31T23:59:59"}"#,
        ],
    );
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k");
    map.values().append_value(1);
    map.keys().append_value("l");
    map.values().append_null();
    map.append(true).expect("as many keys as values");
    map.append(false).expect("as many keys as values");
    map.append(true).expect("as many keys as values");
    in_json(&map.finish(), &[r#"{"k": 1, "l": null}"#, "", "{}"]);
    let mut union = UnionBuilder::new_dense();
    union.append::<Int32Type>("n", 1).expect("a child");
    union.append::<TimestampSecondType>("t", i64::MAX).expect("a child");
    union.append_null::<Int32Type>("n").expect("a child");
    in_json(
        &union.build().expect("a union"),
        &[r#"{"n": 1}"#, r#"{"t": "‹error›"}"#, r#"{"n": null}"#],
    );
    let mut union = UnionBuilder::new_sparse();
    union.append::<Int32Type>("n", 1).expect("a child");
    union.append::<Float64Type>("f", 1.0).expect("a child");
    in_json(&union.build().expect("a union"), &[r#"{"n": 1}"#, r#"{"f": 1.0}"#]);
}
