//! Tables in Parquet and Arrow IPC.

use super::common::{cases, fields, flat, grouped, mapping, read_with};
use super::tables::{Cells, Damage, NAMES, cells, count, damage, read, survives};
use arrow_array::TimestampMillisecondArray;
use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Float64Array, Int8Array,
    Int64Array, ListArray, NullArray, RecordBatch, StringArray, StructArray,
};
use arrow_cast::cast;
use arrow_schema::DataType::{LargeUtf8, Utf8View};
use arrow_schema::{DataType, Field, Schema};
use multitrace_logs::{Format, InputOptions, RecordBatches, propose};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::io::{Seek, Write};
use std::sync::Arc;

fn columns(cells: &Cells) -> RecordBatch {
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells.iter().map(|row| row[at].as_str())))
    };
    let columns = (0..3).map(|at| (NAMES[at], column(at)));
    RecordBatch::try_from_iter(columns).expect("a table")
}

fn parquet(rows: &RecordBatch, group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    parquet_with(rows, properties)
}

fn parquet_with(rows: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties));
    let mut writer = writer.expect("a writer");
    writer.write(rows).expect("written");
    writer.into_inner().expect("written")
}

fn arrow_file(rows: &RecordBatch) -> Vec<u8> {
    let writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &rows.schema());
    let mut writer = writer.expect("a writer");
    writer.write(rows).expect("written");
    writer.finish().expect("written");
    writer.into_inner().expect("written")
}

fn arrow_stream(rows: &RecordBatch) -> Vec<u8> {
    let writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &rows.schema());
    let mut writer = writer.expect("a writer");
    writer.write(rows).expect("written");
    writer.finish().expect("written");
    writer.into_inner().expect("written")
}

#[test]
fn json_in_a_column_is_opened_in_a_proposal() {
    let texts = |value: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..8).map(value)))
    };
    let node = texts(&|at| if at % 2 == 0 { "till".to_owned() } else { "bank".to_owned() });
    let detail = texts(&|at| format!("{{\"session\": \"s{}\", \"coins\": 3}}", at / 2));
    let rows = RecordBatch::try_from_iter([("node", node), ("detail", detail)]).expect("a table");
    for (name, bytes) in [("a.parquet", parquet(&rows, 8)), ("a.arrow", arrow_stream(&rows))] {
        let text = propose(name, bytes.as_slice()).expect("a proposal");
        assert!(text.contains("session = \"detail|json.session\""), "{name}: {text}");
        assert!(text.contains("#   detail (Utf8): JSON\n"), "{name}: {text}");
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_table_is_the_same_in_formats_of_columns(
        cells in cells(), size in 1_usize..200, group in 1_usize..5,
    ) {
        let rows = columns(&cells);
        for (bytes, format) in [
            (parquet(&rows, group), Format::Parquet),
            (arrow_file(&rows), Format::ArrowIpc),
            (arrow_stream(&rows), Format::ArrowIpc),
        ] {
            prop_assert_eq!(&read(&bytes, format, &NAMES, size), &cells, "{:?}", format);
        }
    }

    #[test]
    fn packed_tables_are_found_out(cells in cells()) {
        let table = parquet(&columns(&cells), 2);
        prop_assert_eq!(count(&table), cells.len());
        prop_assert_eq!(count(&super::tables::gzip(&table)), cells.len());
    }

    #[test]
    fn no_damage_breaks_a_reader_of_columns(
        bytes in prop_oneof![
            cells().prop_map(|cells| parquet(&columns(&cells), 2)),
            cells().prop_map(|cells| arrow_file(&columns(&cells))),
            cells().prop_map(|cells| arrow_stream(&columns(&cells))),
        ],
        damage in damage(),
    ) {
        let damage: Damage = damage;
        survives(bytes, &damage)?;
    }
}

/// Rows of few values, some of them absent: the session, the lifeline, the direction, the message, the time.
fn repeated_rows() -> impl Strategy<Value = Vec<[Option<String>; 5]>> {
    let value = |values: &[&'static str]| {
        prop::option::weighted(0.9, prop::sample::select(values.to_vec()).prop_map(str::to_owned))
    };
    let row = (
        value(&["s1", "s2", "s3", ""]),
        value(&["a", "b", "c"]),
        value(&["send", "receive", "other"]),
        value(&["m", "n", "noise", "a long message"]),
        value(&["1", "2", "3", "4", "no time"]),
    );
    prop::collection::vec(row.prop_map(|(s, l, d, m, t)| [s, l, d, m, t]), 1..60)
}

const REPEATED: [&str; 5] = ["session", "at", "direction", "message", "ts"];

fn table_of(rows: &[[Option<String>; 5]]) -> RecordBatch {
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter(rows.iter().map(|row| row[at].as_deref())))
    };
    let columns = (0..5).map(|at| (REPEATED[at], column(at), true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("a table")
}

/// The same table with texts of another type.
fn as_text(table: &RecordBatch, kind: &DataType) -> RecordBatch {
    let columns = table.columns().iter().map(|column| cast(column, kind).expect("a text"));
    let names = REPEATED.iter().zip(columns).map(|(name, column)| (*name, column, true));
    RecordBatch::try_from_iter_with_nullable(names).expect("a table")
}

fn lines_of(rows: &[[Option<String>; 5]]) -> String {
    let lines = rows.iter().map(|row| {
        let values = REPEATED.iter().zip(row).filter_map(|(name, value)| {
            value.as_ref().map(|value| format!("\"{name}\":\"{value}\""))
        });
        format!("{{{}}}\n", values.collect::<Vec<_>>().join(","))
    });
    lines.collect()
}

proptest! {
    #![proptest_config(cases(128))]

    // In columns of names, records are known by the numbers of their values, which mean other names in
    // the next row group.
    #[test]
    fn names_and_their_numbers_become_the_same_events(
        mut rows in repeated_rows(), group in 1_usize..30, is_ordered in any::<bool>(), is_wide in any::<bool>(),
    ) {
        // Equal times keep the order of a file that begins with the oldest one.
        if is_ordered {
            rows.sort_by(|one, other| one[4].cmp(&other[4]));
        }
        let order = if is_ordered { "order = \"ts\"\nties = \"file\"" } else { "" };
        // With a fifth field that decides, four numbers say too little.
        let fifth = if is_wide { "[[drop]]\nwhen = { session = { exists = false } }" } else { "" };
        let mapping = mapping(&format!(r#"
            [event]
            session = "session"
            lifeline = "at"
            direction = {{ field = "direction", emission = "send", reception = "receive" }}
            message = "message"
            {order}
            [[drop]]
            when = {{ message = "noise", ts = {{ exists = true }} }}
            {fifth}
        "#));
        let read = |bytes: &[u8], format| {
            let it = grouped(&mapping, bytes, format, 1 << 20);
            (it.sessions, it.damaged, it.problems.len(), it.counts)
        };
        let table = table_of(&rows);
        let expected = read(lines_of(&rows).as_bytes(), Format::JsonLines);
        prop_assert_eq!(&read(&parquet(&table, group), Format::Parquet), &expected);
        for table in [table.clone(), as_text(&table, &LargeUtf8), as_text(&table, &Utf8View)] {
            prop_assert_eq!(&read(&arrow_file(&table), Format::ArrowIpc), &expected);
        }
    }
}

#[test]
fn columns_of_other_types_are_as_documented() {
    let inner: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None]));
    let inner =
        StructArray::from(vec![(Arc::new(Field::new("name", DataType::Utf8, true)), inner)]);
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("n", Arc::new(Int64Array::from(vec![Some(7), None])) as ArrayRef, true),
        ("ok", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef, true),
        (
            "t",
            Arc::new(TimestampMillisecondArray::from(vec![0, 1500]).with_timezone("UTC"))
                as ArrayRef,
            true,
        ),
        ("local", Arc::new(TimestampMillisecondArray::from(vec![0, 1500])) as ArrayRef, true),
        ("event", Arc::new(inner) as ArrayRef, true),
    ]);
    let rows = rows.expect("a table");
    let paths = ["n", "ok", "t", "local", "event.name", "none", "event.deeper"];
    for bytes in [parquet(&rows, 1), arrow_file(&rows)] {
        let format = Format::guess("x", &bytes).expect("a format");
        let read = read_with(&bytes, format, &InputOptions::default(), &paths);
        let row = |place: &str, cells: [&str; 7]| {
            let cell = |cell: &str| (cell != "-").then(|| cell.to_owned());
            Ok((place.to_owned(), cells.map(cell).to_vec()))
        };
        assert_eq!(
            read,
            [
                row(
                    "row 1",
                    ["7", "true", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00", "x", "-", "-"]
                ),
                row(
                    "row 2",
                    [
                        "-",
                        "false",
                        "1970-01-01T00:00:01.500Z",
                        "1970-01-01T00:00:01.500",
                        "-",
                        "-",
                        "-"
                    ]
                ),
            ]
        );
    }
}

#[test]
fn elements_of_a_column_of_lists_make_records() {
    use arrow_array::builder::{ListBuilder, StringBuilder};
    let mut ids = ListBuilder::new(StringBuilder::new());
    ids.append_value([Some("x"), Some("y, \"z\"")]);
    ids.append_value([Some("7")]);
    let text = |text| Arc::new(StringArray::from(vec![text, text])) as ArrayRef;
    let columns = [("s", text("1")), ("k", text("m")), ("ids", Arc::new(ids.finish()) as ArrayRef)];
    let rows = RecordBatch::try_from_iter(columns).expect("a table");
    let map_of = |input: &str, message: &str| {
        mapping(&format!(
            "{input}[event]\nsession = \"s\"\nlifeline = \"k\"\ndirection = \"emission\"\nmessage = \"{message}\"\n"
        ))
    };
    for bytes in [parquet(&rows, 1), arrow_file(&rows)] {
        let format = Format::guess("x", &bytes).expect("a format");
        let map = |map| super::common::map(&map, &bytes, format);
        let each = map(map_of("[input]\nfor-each = \"ids[]\"\n", "each"));
        assert_eq!(each, ["1 m!x", "1 m!y, \"z\"", "1 m!7"]);
        assert_eq!(map(map_of("", "ids|json[0]")), ["1 m!x", "1 m!7"]);
    }
}

#[test]
fn parquet_files_are_read_where_needed() {
    let cells: Cells = (0..10).map(|n| [n.to_string(), "b".to_owned(), "c".to_owned()]).collect();
    let path = std::env::temp_dir().join(format!("multitrace-{}.parquet", std::process::id()));
    std::fs::write(&path, parquet(&columns(&cells), 3)).expect("written");
    let file = std::fs::File::open(&path).expect("a file");
    let batches = RecordBatches::from_file("f", file, &InputOptions::default(), &fields(&NAMES));
    let batches: Vec<_> = batches.expect("a table").map(|batch| batch.expect("a group")).collect();
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(batches.len(), 4);
    // Groups are decoded by several threads at once.
    let count = |batch: &multitrace_logs::RecordBatch| {
        let mut count = 0;
        batch.for_each(|record| {
            record.unwrap_or_else(|error| panic!("{}", flat(&error)));
            count += 1;
        });
        count
    };
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> = batches.iter().map(|batch| scope.spawn(|| count(batch))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<usize>>()
    });
    assert_eq!(counts, [3, 3, 3, 1]);
}

#[test]
fn a_proposal_lists_the_columns_of_a_table() {
    let text = |values: [&str; 4]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let time = TimestampMillisecondArray::from(vec![0, 1, 2, 3]).with_timezone("UTC");
    let columns: [(&str, ArrayRef); 5] = [
        ("trace_id", text(["t1", "t1", "t2", "t2"])),
        ("service", text(["a", "b", "a", "b"])),
        ("direction", text(["send", "receive", "send", "receive"])),
        ("message", text(["hello", "hello", "bye", "bye"])),
        ("time", Arc::new(time)),
    ];
    let rows = RecordBatch::try_from_iter(columns).expect("a table");
    for (bytes, name) in [
        (parquet(&rows, 2), "t.parquet"),
        (arrow_file(&rows), "t.arrow"),
        (arrow_stream(&rows), "t.arrows"),
    ] {
        let text = multitrace_logs::propose(name, &bytes[..]).expect("a proposal");
        for line in [
            "#   trace_id (Utf8): t1",
            "#   time (Timestamp(",
            "session = \"trace_id\"",
            "lifeline = \"service\"",
            "message = \"message\"",
        ] {
            assert!(text.contains(line), "{name}: {line} is missing in\n{text}");
        }
        let mapping = super::common::mapping(&text);
        let format = if name == "t.parquet" { Format::Parquet } else { Format::ArrowIpc };
        let events = super::common::map(&mapping, &bytes, format);
        assert_eq!(events, ["t1 a!hello", "t1 b?hello", "t2 a!bye", "t2 b?bye"], "{name}");
    }
}

/// A table packed by a codec, as a file and as a stream.
fn packed(rows: &RecordBatch, codec: arrow_ipc::CompressionType) -> [Vec<u8>; 2] {
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    let options = IpcWriteOptions::default().try_with_compression(Some(codec)).expect("built in");
    let schema = rows.schema();
    let file = FileWriter::try_new_with_options(Vec::new(), &schema, options.clone());
    let stream = StreamWriter::try_new_with_options(Vec::new(), &schema, options);
    let (mut file, mut stream) = (file.expect("a writer"), stream.expect("a writer"));
    file.write(rows).and_then(|()| file.finish()).expect("written");
    stream.write(rows).and_then(|()| stream.finish()).expect("written");
    [file.into_inner().expect("written"), stream.into_inner().expect("written")]
}

/// Nothing if there is a first row, or none; or the error.
fn first(bytes: &[u8]) -> Result<(), String> {
    let rows = read_with(bytes, Format::ArrowIpc, &InputOptions::default(), &["a"]);
    rows.into_iter().next().map_or(Ok(()), |row| row.map(drop))
}

/// Polars writes the schema of a file without its length, and readers look at the footer only.
#[test]
fn a_file_may_begin_with_a_schema_without_its_length() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let rows = RecordBatch::try_from_iter([("a", texts)]).expect("a table");
    let mut bytes = arrow_file(&rows);
    // Behind the magic stand a mark, the length of the message, and the message.
    let length = i32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    bytes.copy_within(16..16 + length, 8);
    bytes[8 + length..16 + length].fill(0);
    let names = read_with(&bytes, Format::ArrowIpc, &InputOptions::default(), &["a"]);
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(Result::is_ok), "{names:?}");
    // Anything else there is not named by the footer.
    bytes[8..16 + length].fill(7);
    assert!(first(&bytes).is_err());
}

/// The decoder made room for whatever a packed buffer, or a message of a stream, said its size was: a failed
/// allocation ended the process.
#[test]
fn a_table_that_says_it_is_huge_asks_for_no_memory() {
    const ROWS: usize = 100;
    const HUGE: [u8; 8] = (1_i64 << 60).to_le_bytes();
    const TEXT: &str = "the same text in every row";
    let texts = StringArray::from_iter_values((0..ROWS).map(|_| TEXT));
    let rows = RecordBatch::try_from_iter([("a", Arc::new(texts) as ArrayRef)]).expect("a table");
    // Before the texts stands their size.
    let size = (ROWS * TEXT.len()).to_le_bytes();
    for codec in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        for bytes in packed(&rows, codec) {
            assert_eq!(first(&bytes), Ok(()));
            let forge = |at: usize| {
                let mut forged = bytes.clone();
                forged[at..at + 8].copy_from_slice(&HUGE);
                first(&forged)
            };
            let sizes = (0..bytes.len() - 8).filter(|&at| bytes[at..at + 8] == size);
            let errors: Vec<String> = sizes.filter_map(|at| forge(at).err()).collect();
            assert!(errors.iter().any(|it| it.contains("says it unpacks to")), "{errors:?}");
            // Every other number of the input.
            (0..bytes.len() - 8).step_by(4).for_each(|at| drop(forge(at)));
        }
    }
}

/// A column without values takes no bytes: a table of less than a kilobyte had a check read rows for ever.
#[test]
fn a_table_of_more_rows_than_bits_is_refused() {
    let of_rows = |rows: usize| {
        let column: ArrayRef = Arc::new(arrow_array::NullArray::new(rows));
        RecordBatch::try_from_iter([("a", column)]).expect("a table")
    };
    let (most, huge) = (of_rows(1 << 20), of_rows(1 << 40));
    for (most, huge) in
        [(arrow_file(&most), arrow_file(&huge)), (arrow_stream(&most), arrow_stream(&huge))]
    {
        assert_eq!(first(&most), Ok(()));
        let error = first(&huge).expect_err("no rows");
        assert!(error.contains("says it has 1099511627776 rows, and has 0 bytes"), "{error}");
    }
    let bits = arrow_array::BooleanArray::from(vec![true; 2 << 20]);
    let bits = RecordBatch::try_from_iter([("a", Arc::new(bits) as ArrayRef)]).expect("a table");
    for codec in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        packed(&bits, codec).iter().for_each(|bytes| assert_eq!(first(bytes), Ok(())));
    }
    assert_eq!(first(&arrow_stream(&bits)), Ok(()));
}

/// The same for values that repeat: twelve million equal rows in one page of a file of some hundred bytes.
#[test]
fn a_file_of_many_rows_a_byte_is_refused() {
    let of_rows = |rows: usize| {
        let column: ArrayRef = Arc::new(arrow_array::NullArray::new(rows));
        let column = cast(&column, &DataType::Int32).expect("numbers");
        let rows = RecordBatch::try_from_iter([("a", column)]).expect("a table");
        let whole = WriterProperties::builder()
            .set_data_page_row_count_limit(usize::MAX)
            .set_max_row_group_row_count(None)
            .set_write_batch_size(usize::MAX)
            .build();
        let bytes = parquet_with(&rows, whole);
        let read = read_with(&bytes, Format::Parquet, &InputOptions::default(), &["a"]);
        (bytes.len(), read.into_iter().next().map(|row| row.map(drop)))
    };
    assert_eq!(of_rows(1 << 20).1, Some(Ok(())));
    let (bytes, row) = of_rows(12 << 20);
    let error = row.expect("an answer").expect_err("no rows");
    let said = format!("it says it has 12582912 rows, and has {bytes} bytes");
    assert!(error.contains(&said), "{error}");
}

/// The decoder skips the elements of a list that it does not know, and took a reader that had no more bytes for
/// one that had skipped them: minutes for a list that says it is long.
#[test]
fn a_page_that_says_it_is_huge_takes_no_time() {
    /// A field unknown to pages, which is a list (9) of two thousand million doubles (7).
    const HUGE: [u8; 7] = [0xF9, 0xF7, 0xFF, 0xFF, 0xFF, 0xFF, 0x07];
    let cells = vec![["a".to_owned(), "b".to_owned(), "c".to_owned()]];
    let mut bytes = parquet(&columns(&cells), 1);
    let header = b"PAR1".len();
    bytes[header..header + HUGE.len()].copy_from_slice(&HUGE);
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("written");
    file.rewind().expect("at its start");
    let options = InputOptions::default();
    let start = std::time::Instant::now();
    let in_memory =
        RecordBatches::new("t", bytes.as_slice(), Format::Parquet, &options, &fields(&NAMES));
    let in_file = RecordBatches::from_file("t", file, &options, &fields(&NAMES));
    for batches in [in_memory, in_file] {
        let mut rows = Vec::new();
        for batch in batches.expect("a table") {
            batch
                .expect("a group")
                .for_each(|row| rows.push(row.map(drop).map_err(|it| flat(&it))));
        }
        assert!(matches!(&rows[..], [Err(_)]), "{rows:?}");
    }
    assert!(start.elapsed().as_secs() < 20, "it took {:?}", start.elapsed());
}

/// The same in the footer, where elements that take no bytes made the decoder count.
#[test]
fn a_footer_that_says_it_is_huge_is_refused() {
    const FOOTER: [u8; 8] = [0xF9, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0];
    let file = [b"PAR1".as_slice(), &FOOTER, &8_u32.to_le_bytes(), b"PAR1"].concat();
    let options = InputOptions::default();
    let read = RecordBatches::new("t", file.as_slice(), Format::Parquet, &options, &fields(&NAMES));
    let error = read.map(drop).expect_err("no table").to_string();
    assert!(error.contains("a list of 2147483647 elements, and 1 bytes are left"), "{error}");
}

#[test]
fn dictionaries_have_keys_of_any_type() {
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("y"), Some("x")]));
    for key in [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
    ] {
        let kind = DataType::Dictionary(Box::new(key.clone()), Box::new(DataType::Utf8));
        let column = cast(&names, &kind).expect("a dictionary");
        let rows = RecordBatch::try_from_iter([("a", column)]).expect("a table");
        let read =
            read_with(&arrow_file(&rows), Format::ArrowIpc, &InputOptions::default(), &["a"]);
        let values: Vec<_> = read.into_iter().map(|row| row.expect("a row").1[0].clone()).collect();
        let expected = [Some("x"), None, Some("y"), Some("x")].map(|it| it.map(str::to_owned));
        assert_eq!(values, expected, "{key}");
    }
}

/// A row with the key `sid` and one with the key `a.b` in a map, as entries of a list, and as parts of a structure.
fn nested() -> RecordBatch {
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for (key, value) in [("sid", "x"), ("a.b", "y")] {
        map.keys().append_value(key);
        map.values().append_value(value);
        map.append(true).expect("an entry");
    }
    map.append(false).expect("a null");
    let map = map.finish();
    let fields =
        [Field::new("key", DataType::Utf8, true), Field::new("value", DataType::Utf8, true)];
    let entries = map.entries().columns().to_vec();
    let entries = StructArray::new(fields.to_vec().into(), entries, None);
    let item = Arc::new(Field::new("item", entries.data_type().clone(), true));
    let list = ListArray::new(item, map.offsets().clone(), Arc::new(entries), map.nulls().cloned());
    let ids = FixedSizeBinaryArray::try_from_iter([[0x12; 16]; 3].into_iter()).expect("ids");
    let id = Field::new("id", DataType::FixedSizeBinary(16), true);
    let id = id.with_metadata([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
    let names: Int8Array = [Some(0), Some(1), None].into_iter().collect();
    let of_names = DictionaryArray::new(names, Arc::new(StringArray::from(vec![Some("z"), None])));
    let columns: [(Field, ArrayRef); 5] = [
        (Field::new("map", map.data_type().clone(), true), Arc::new(map)),
        (Field::new("list", list.data_type().clone(), true), Arc::new(list)),
        (id, Arc::new(ids)),
        (Field::new("null", DataType::Null, true), Arc::new(NullArray::new(3))),
        (Field::new("names", of_names.data_type().clone(), true), Arc::new(of_names)),
    ];
    let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("a table")
}

#[test]
fn maps_lists_and_what_is_null_are_read_by_path() {
    let bytes = arrow_file(&nested());
    let rows = |path: &str| -> Vec<Option<String>> {
        let read = read_with(&bytes, Format::ArrowIpc, &InputOptions::default(), &[path]);
        read.into_iter().map(|row| row.expect("a row").1[0].clone()).collect()
    };
    let id = Some("12121212-1212-1212-1212-121212121212");
    for (path, expected) in [
        ("map.sid", [Some("x"), None, None]),
        ("map.a.b", [None, Some("y"), None]),
        ("map.\"a.b\"", [None, Some("y"), None]),
        ("list[key=sid].value", [Some("x"), None, None]),
        ("list[0].value", [Some("x"), Some("y"), None]),
        ("list[1].value", [None; 3]),
        ("id", [id; 3]),
        ("null", [None; 3]),
        ("null.deeper", [None; 3]),
        ("names", [Some("z"), None, None]),
    ] {
        assert_eq!(rows(path), expected.map(|it| it.map(str::to_owned)), "{path}");
    }
}

/// Rows of one map each, with these keys and values, and the same as entries of a list.
fn pairs(rows: &[&[(&str, Option<&str>)]]) -> RecordBatch {
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for row in rows {
        for (key, value) in *row {
            map.keys().append_value(key);
            map.values().append_option(*value);
        }
        map.append(true).expect("entries");
    }
    let map = map.finish();
    let fields =
        [Field::new("key", DataType::Utf8, true), Field::new("value", DataType::Utf8, true)];
    let entries = StructArray::new(fields.to_vec().into(), map.entries().columns().to_vec(), None);
    let item = Arc::new(Field::new("item", entries.data_type().clone(), true));
    let list = ListArray::new(item, map.offsets().clone(), Arc::new(entries), None);
    let columns: [(&str, ArrayRef); 2] = [("map", Arc::new(map)), ("list", Arc::new(list))];
    RecordBatch::try_from_iter(columns).expect("a table")
}

#[test]
fn a_key_that_stands_twice_is_an_error_of_its_row() {
    let rows: [&[(&str, Option<&str>)]; 6] = [
        &[("sid", Some("x")), ("n", Some("1")), ("n", Some("2"))],
        &[("sid", Some("x")), ("n", None), ("sid", Some("y"))],
        &[("sid", Some("x")), ("n", Some("1")), ("n", Some("1"))],
        &[("sid", Some("x")), ("sid", Some("x"))],
        &[],
        &[("n", Some("1")), ("sid", None), ("sid", Some("y"))],
    ];
    let bytes = arrow_file(&pairs(&rows));
    let said = |text: &str| Some(Some(text.to_owned()));
    // Objects of a list that say the same are one, and those without a value say nothing, as in JSON.
    for (path, same, after_null) in
        [("map.sid", None, None), ("list[key=sid].value", said("x"), said("y"))]
    {
        let read = read_with(&bytes, Format::ArrowIpc, &InputOptions::default(), &[path]);
        let message = format!("`{path}` stands twice");
        let read: Vec<Option<Option<String>>> = read
            .into_iter()
            .map(|row| match row {
                Ok(row) => Some(row.1[0].clone()),
                Err(error) => {
                    assert!(error.to_string().contains(&message), "{error}");
                    None
                }
            })
            .collect();
        assert_eq!(read, [said("x"), None, said("x"), same, Some(None), after_null], "{path}");
    }
}

#[test]
fn paths_that_no_row_can_have_and_float_sessions_are_refused() {
    let map = "[event]\nsession = [\"PATH\", \"id\"]\nlifeline = \"id\"\ndirection = \"emission\"\nmessage = \"id\"\n";
    for (path, part) in [
        ("map.sid", None),
        ("map[0]", Some("`map[0]` leads into a map")),
        ("list.sid", Some("`list.sid` leads into a list")),
        ("names.a.b", Some("`names.a.b` leads into a text")),
        ("id.part", Some("`id.part` leads into a value without parts")),
        ("null.part", None),
    ] {
        let why = refused(&map.replace("PATH", path), &nested());
        assert_eq!(why.is_some(), part.is_some(), "{path}: {why:?}");
        assert!(part.is_none_or(|part| why.unwrap_or_default().contains(part)), "{path}");
    }
    let inner: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let id: ArrayRef = Arc::new(StructArray::from(vec![(
        Arc::new(Field::new("x", DataType::Float64, true)),
        inner,
    )]));
    let rows = RecordBatch::try_from_iter([("id", id)]).expect("a table");
    let map = map.replace("\"id\"", "\"id.x\"").replace("PATH", "id.x");
    let by_pattern = map.replace("\"id.x\", \"id.x\"", "{ field = \"id.x\", match = '^1' }");
    assert_ne!(map, by_pattern);
    let join = map.replace("[\"id.x\", \"id.x\"]", "\"other\"") + "[[join]]\nfield = \"id.x\"\n";
    for map in [&map, &by_pattern, &join] {
        let why = refused(map, &rows);
        assert!(why.as_ref().is_some_and(|why| why.contains("has floats")), "{map}{why:?}");
    }
}

#[test]
fn columns_with_parts_name_no_messages() {
    let map =
        "[event]\nsession = \"id\"\nlifeline = \"id\"\ndirection = \"emission\"\nmessage = PATH\n";
    for (path, said) in [
        ("\"map\"", Some("the column `map`, which names messages, is a map")),
        ("[\"none\", \"list\"]", Some("the column `list`, which names messages, is a list")),
        ("\"{id}-{list}\"", Some("the column `list`, which names messages, is a list")),
        ("\"map.sid\"", None),
        ("{ field = \"map\", match = 'sid' }", None),
    ] {
        let why = refused(&map.replace("PATH", path), &nested());
        assert_eq!(why.is_some(), said.is_some(), "{path}: {why:?}");
        assert!(said.is_none_or(|said| why.unwrap_or_default().contains(said)), "{path}");
    }
    let map = map.replace("lifeline = \"id\"", "lifeline = \"map\"").replace("PATH", "\"id\"");
    let why = refused(&map, &nested()).expect("its lifeline has parts");
    assert!(why.contains("the column `map`, which names lifelines, is a map"), "{why}");
}

#[test]
fn floats_in_lists_name_no_sessions_either() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let parts = [("f", DataType::Float64, floats.clone()), ("n", DataType::Utf8, names.clone())];
    let parts = parts.map(|(name, kind, array)| (Arc::new(Field::new(name, kind, true)), array));
    let element: ArrayRef = Arc::new(StructArray::from(parts.to_vec()));
    let list = |element: ArrayRef| -> ArrayRef {
        let item = Arc::new(Field::new("item", element.data_type().clone(), true));
        let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 1]);
        Arc::new(ListArray::new(item, offsets, element, None))
    };
    let columns = [("l", list(element)), ("f", list(floats)), ("n", names)];
    let rows = RecordBatch::try_from_iter(columns).expect("a table");
    let event = |session: &str| {
        format!(
            "[event]\nsession = {session}\nlifeline = \"n\"\ndirection = \"emission\"\nmessage = \"n\"\n"
        )
    };
    let for_each =
        |list: &str, session: &str| format!("[input]\nfor-each = \"{list}[]\"\n{}", event(session));
    let join =
        |session: &str| format!("{}[[join]]\nfield = \"n\"\nsession = {session}\n", event("\"q\""));
    for (map, is_float) in [
        (event("\"f|json[0]\""), true),
        (event("\"l|json[0].f\""), true),
        (event("\"l|json[0].n\""), false),
        (event("{ field = \"f\", match = '\\d' }"), true),
        (for_each("f", "\"each\""), true),
        (for_each("l", "\"each.f\""), true),
        (for_each("l", "\"{each.n}-{each.f}\""), true),
        (for_each("l", "\"each.n\""), false),
        (join("\"l|json[0].f\""), true),
        (join("\"l|json[0].n\""), false),
    ] {
        let why = refused(&map, &rows);
        let is_refused = why.as_ref().is_some_and(|why| why.contains("has floats"));
        assert_eq!(is_refused, is_float, "{map}{why:?}");
    }
}

#[test]
fn a_part_of_a_structure_that_stands_twice_is_refused() {
    let column: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let part = |name: &str| (Arc::new(Field::new(name, DataType::Utf8, true)), column.clone());
    let id: ArrayRef = Arc::new(StructArray::from(vec![part("x"), part("x"), part("y")]));
    let rows = RecordBatch::try_from_iter([("id", id)]).expect("a table");
    let map = "[event]\nsession = \"id.y\"\nlifeline = \"id.y\"\ndirection = \"emission\"\nmessage = \"id.y\"\n";
    assert_eq!(refused(map, &rows), None);
    let why = refused(&map.replacen("id.y", "id.x", 1), &rows).expect("it stands twice");
    assert!(why.contains("the table has several columns `x`"), "{why}");
}

/// Why a table cannot be read by a mapping; nothing if it can.
fn refused(map: &str, rows: &RecordBatch) -> Option<String> {
    let mapping = mapping(map);
    let bytes = parquet(rows, 9);
    let batches = RecordBatches::new(
        "log",
        bytes.as_slice(),
        Format::Parquet,
        mapping.input(),
        mapping.fields(),
    );
    let mut batches = match batches {
        Ok(batches) => batches,
        Err(error) => return Some(flat(&error)),
    };
    batches.find_map(|it| it.err().map(|error| flat(&error)))
}

#[test]
fn a_table_without_a_column_that_all_events_need_is_refused() {
    let rows = columns(&vec![["s".to_owned(), "x".to_owned(), "m".to_owned()]]);
    let map = "[event]\nsession = \"a\"\nlifeline = \"bb\"\ndirection = \"emission\"\nmessage = \"long name\"\n";
    assert_eq!(refused(&map.replace("bb", "b"), &rows), None);
    let why = refused(map, &rows).expect("it has no `bb`");
    assert!(
        why.starts_with(
            "the table has no column `bb`, which [event] of the mapping (map.toml:3:12) needs"
        ),
        "{why}"
    );
    // Rows may be left out, and another rule may do.
    let filtered = format!("{map}[[drop]]\nwhen = {{ a = \"s\" }}\n");
    assert_eq!(refused(&filtered, &rows), None);
    let kept = format!("{map}[[keep]]\nwhen = {{ a = \"t\" }}\n");
    assert_eq!(refused(&kept, &rows), None);
    let other = format!("{map}[[rule]]\nlifeline = \"b\"\n");
    assert_eq!(refused(&other, &rows), None);
    // A rule that tests a column which is not there is for other tables.
    let tested = "[event]\nsession = \"a\"\ndirection = \"emission\"\n\
                  [[rule]]\nwhen = { c = \"x\" }\nlifeline = \"d\"\nmessage = \"b\"\n";
    assert_eq!(refused(tested, &rows), None);
    assert!(refused(&tested.replace("c =", "b ="), &rows).is_some_and(|it| it.contains("`d`")));
}

/// So many pairs of names that some share a place in the table of their numbers.
#[test]
fn many_names_and_their_numbers_become_the_same_events() {
    let row = |at: usize| {
        let (session, lifeline) = (format!("s{}", at % 7), format!("a{}", at / 30 % 30));
        let message = format!("m{}", at % 30);
        [Some(session), Some(lifeline), Some("send".to_owned()), Some(message), None]
    };
    let rows: Vec<_> = (0..9_000).map(row).collect();
    let mapping = mapping(
        "[event]\nsession = \"session\"\nlifeline = \"at\"\nmessage = \"message\"\n\
         direction = \"emission\"\n",
    );
    let expected = grouped(&mapping, lines_of(&rows).as_bytes(), Format::JsonLines, 1 << 24);
    let read = grouped(&mapping, &parquet(&table_of(&rows), 9_000), Format::Parquet, 1 << 24);
    assert_eq!(expected.sessions.len(), 7);
    assert!(read.sessions == expected.sessions);
}

/// A table whose end is not where the input ends may be a part of the table that was written.
#[test]
fn tables_with_another_end_are_refused() {
    let read = |bytes: &[u8], format: Format| {
        let options = InputOptions::default();
        super::common::read_with(bytes, format, &options, &["a"])
    };
    let column: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let table = RecordBatch::try_from_iter([("a", column)]).expect("a table");
    let (stream, parquet) = (arrow_stream(&table), parquet(&table, 10));
    let count = table.num_rows();
    assert_eq!(read(&stream, Format::ArrowIpc).len(), count);
    assert_eq!(read(&parquet, Format::Parquet).len(), count);
    let (cut, twice) = (stream[..stream.len() - 8].to_vec(), stream.repeat(2));
    let behind = [&stream[..], b"garbage"].concat();
    for (bytes, what) in [(cut, "no end marker"), (twice, "bytes behind"), (behind, "bytes behind")]
    {
        let read = read(&bytes, Format::ArrowIpc);
        let last = read.last().expect("an error").as_ref().expect_err("an error");
        assert!(last.contains(what), "{last}");
    }
    let before = read(&[b"before", &parquet[..]].concat(), Format::Parquet);
    assert!(matches!(&before[..], [Err(error)] if error.contains("PAR1")), "{before:?}");
}
