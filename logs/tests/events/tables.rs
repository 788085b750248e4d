//! One table in every format that can hold it, packed or not, cut anywhere; and bytes that are no
//! input at all.

use super::common::{cases, fields, flat, options, read_with};
use arrow_array::TimestampMillisecondArray;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use multitrace_logs::{Format, InputOptions, RecordBatches, propose};
use proptest::prelude::*;
use std::io::Write;
use std::sync::Arc;

const NAMES: [&str; 3] = ["a", "b", "long name"];

type Cells = Vec<[String; 3]>;

fn cells() -> impl Strategy<Value = Cells> {
    let cell = prop_oneof!["[a-z0-9]{1,8}", "[ -~]{1,12}", "[é\"\\\\,;\t= \n]{1,6}"];
    proptest::collection::vec([cell.clone(), cell.clone(), cell], 1..12)
}

fn json(cells: &Cells, between: &str) -> Vec<u8> {
    let object = |row: &[String; 3]| {
        let pairs = NAMES.iter().zip(row).map(|(k, v)| ((*k).to_owned(), v.as_str().into()));
        serde_json::Value::Object(pairs.collect()).to_string()
    };
    cells.iter().map(object).collect::<Vec<_>>().join(between).into_bytes()
}

fn csv(cells: &Cells, delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record(NAMES).expect("written");
    cells.iter().for_each(|row| writer.write_record(row).expect("written"));
    writer.into_inner().expect("written")
}

fn logfmt(cells: &Cells) -> Vec<u8> {
    let value = |text: &str| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("\"{text}\"")
    };
    let line = |row: &[String; 3]| {
        format!("a={} b={} long_name={}\n", value(&row[0]), value(&row[1]), value(&row[2]))
    };
    cells.iter().map(line).collect::<String>().into_bytes()
}

fn columns(cells: &Cells) -> RecordBatch {
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells.iter().map(|row| row[at].as_str())))
    };
    let columns = (0..3).map(|at| (NAMES[at], column(at)));
    RecordBatch::try_from_iter(columns).expect("a table")
}

fn parquet(rows: &RecordBatch, group: usize) -> Vec<u8> {
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).expect("written");
    writer.finish().expect("written")
}

/// The values of all records.
fn read(bytes: &[u8], format: Format, paths: &[&str], batch_bytes: usize) -> Cells {
    let rows = read_with(bytes, format, &options(batch_bytes), paths);
    let text = |value: Option<String>| value.expect("a value");
    let row = |row: super::common::Row| row.expect("a record").1.into_iter().map(text);
    rows.into_iter().map(|r| row(r).collect::<Vec<_>>().try_into().expect("three")).collect()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_table_is_the_same_in_all_formats(cells in cells(), size in 1_usize..200, group in 1_usize..5) {
        let rows = columns(&cells);
        for (bytes, format) in [
            (json(&cells, "\n"), Format::JsonLines),
            (json(&cells, "\r\n \n"), Format::JsonLines),
            (json(&cells, ""), Format::Json),
            ([&b"[\n"[..], &json(&cells, " ,\n"), b"]"].concat(), Format::Json),
            (csv(&cells, b','), Format::Csv),
            (csv(&cells, b'\t'), Format::Tsv),
            (parquet(&rows, group), Format::Parquet),
            (arrow_file(&rows), Format::ArrowIpc),
            (arrow_stream(&rows), Format::ArrowIpc),
        ] {
            prop_assert_eq!(&read(&bytes, format, &NAMES, size), &cells, "{:?}", format);
        }
        let paths = ["a", "b", "long_name"];
        prop_assert_eq!(&read(&logfmt(&cells), Format::Logfmt, &paths, size), &cells);
    }

    #[test]
    fn packed_inputs_are_found_out(cells in cells()) {
        let (lines, table) = (json(&cells, "\n"), parquet(&columns(&cells), 2));
        let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).expect("packed");
        for bytes in [&lines, &gzip(&lines), &zstd(&lines), &table, &zstd(&table)] {
            let batches = RecordBatches::detect(
                "log", bytes.as_slice(), &InputOptions::default(), &fields(&NAMES));
            let mut count = 0;
            for batch in batches.expect("an input") {
                batch.expect("a batch").for_each(|record| count += usize::from(record.is_ok()));
            }
            prop_assert_eq!(count, cells.len());
        }
    }

    #[test]
    fn no_bytes_break_a_reader(
        mut bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            cells().prop_map(|cells| json(&cells, "\n")),
            cells().prop_map(|cells| csv(&cells, b',')),
            cells().prop_map(|cells| parquet(&columns(&cells), 2)),
            cells().prop_map(|cells| arrow_file(&columns(&cells))),
            cells().prop_map(|cells| arrow_stream(&columns(&cells))),
            "[\\[\\]{}\",:a\\\\ \n<>/=te]{0,80}".prop_map(String::into_bytes),
        ],
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        keep in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        for (at, byte) in damage {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        if is_cut && !bytes.is_empty() {
            bytes.truncate(keep.index(bytes.len()));
        }
        let paths = ["a", "b.c", "te[0]", "span.end", "trace.x", "attributes.a", "long name"];
        for format in Format::names().filter_map(Format::named) {
            let patterns = vec!["(?<a>[a-z]+)".to_owned()];
            let whole = InputOptions { patterns, ..InputOptions::default() };
            let rows = read_with(&bytes, format, &whole, &paths);
            if !matches!(format, Format::Xes) {
                let cut = InputOptions { batch_bytes: 5, ..whole };
                prop_assert_eq!(read_with(&bytes, format, &cut, &paths), rows, "{:?}", format);
            }
        }
        let detected = RecordBatches::detect(
            "x", bytes.as_slice(), &InputOptions::default(), &fields(&paths));
        if let Ok(batches) = detected {
            batches.flatten().for_each(|batch| batch.for_each(|_| {}));
        }
        let _ = propose("x", bytes.as_slice());
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
    let paths = ["n", "ok", "t", "local", "event.name", "none", "n.deeper"];
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
