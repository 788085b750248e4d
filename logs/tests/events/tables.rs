//! One table in every format that can hold it, packed or not, cut anywhere; and bytes that are no
//! input at all.

use super::common::{cases, fields, options, read_with};
use multitrace_logs::{Format, InputOptions, RecordBatches, propose};
use proptest::prelude::*;
use std::io::Write;

pub(crate) const NAMES: [&str; 3] = ["a", "b", "long name"];

pub(crate) type Cells = Vec<[String; 3]>;

pub(crate) fn cells() -> impl Strategy<Value = Cells> {
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

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).expect("written");
    writer.finish().expect("written")
}

/// The values of all records.
pub(crate) fn read(bytes: &[u8], format: Format, paths: &[&str], batch_bytes: usize) -> Cells {
    let options = InputOptions { multi_line_cells: true, ..options(batch_bytes) };
    let rows = read_with(bytes, format, &options, paths);
    let text = |value: Option<String>| value.expect("a value");
    let row = |row: super::common::Row| row.expect("a record").1.into_iter().map(text);
    rows.into_iter().map(|r| row(r).collect::<Vec<_>>().try_into().expect("three")).collect()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_table_is_the_same_in_all_formats(cells in cells(), size in 1_usize..200) {
        for (bytes, format) in [
            (json(&cells, "\n"), Format::JsonLines),
            (json(&cells, "\r\n \n"), Format::JsonLines),
            (json(&cells, ""), Format::Json),
            ([&b"[\n"[..], &json(&cells, " ,\n"), b"]"].concat(), Format::Json),
            (csv(&cells, b','), Format::Csv),
            (csv(&cells, b'\t'), Format::Tsv),
        ] {
            prop_assert_eq!(&read(&bytes, format, &NAMES, size), &cells, "{:?}", format);
        }
        let paths = ["a", "b", "long_name"];
        prop_assert_eq!(&read(&logfmt(&cells), Format::Logfmt, &paths, size), &cells);
    }

    /// Quotes that are added anywhere to a table without lines in its cells take no row away without a word.
    #[test]
    fn stray_quotes_take_no_row(
        rows in (1_usize..5).prop_flat_map(|columns| {
            proptest::collection::vec(proptest::collection::vec("[a-z,\"]{0,4}", columns), 2..7)
        }),
        places in proptest::collection::vec(any::<prop::sample::Index>(), 0..5),
        size in 1_usize..200,
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names = rows[0].iter().enumerate().map(|(number, name)| format!("{number}{name}"));
        writer.write_record(names).expect("written");
        rows[1..].iter().for_each(|row| writer.write_record(row).expect("written"));
        let mut bytes = writer.into_inner().expect("written");
        places.iter().for_each(|place| bytes.insert(place.index(bytes.len()), b'"'));
        let found = read_with(&bytes, Format::Csv, &options(size), &["0"]);
        let is_told = found.iter().any(Result::is_err) || found.len() == rows.len() - 1;
        prop_assert!(is_told, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn packed_inputs_are_found_out(cells in cells()) {
        let lines = json(&cells, "\n");
        prop_assert_eq!(count(&lines), cells.len());
        prop_assert_eq!(count(&gzip(&lines)), cells.len());
    }

    #[test]
    fn inputs_packed_with_zstd_are_found_out(cells in cells()) {
        let packed = zstd::encode_all(json(&cells, "\n").as_slice(), 1).expect("packed");
        prop_assert_eq!(count(&packed), cells.len());
    }

    #[test]
    fn no_bytes_break_a_reader(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            cells().prop_map(|cells| json(&cells, "\n")),
            cells().prop_map(|cells| csv(&cells, b',')),
            "[\\[\\]{}\",:a\\\\ \n<>/=te]{0,80}".prop_map(String::into_bytes),
        ],
        damage in damage(),
    ) {
        survives(bytes, &damage)?;
    }
}

/// Bytes that are replaced, and where the input is cut off.
pub(crate) type Damage = (Vec<(prop::sample::Index, u8)>, Option<prop::sample::Index>);

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    let bytes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (bytes, proptest::option::of(any::<prop::sample::Index>()))
}

/// Damages an input and reads it in every format.
pub(crate) fn survives(mut bytes: Vec<u8>, damage: &Damage) -> Result<(), TestCaseError> {
    let (replaced, cut) = damage;
    if !bytes.is_empty() {
        let length = bytes.len();
        replaced.iter().for_each(|(at, byte)| bytes[at.index(length)] = *byte);
        cut.iter().for_each(|keep| bytes.truncate(keep.index(length)));
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
    let detected =
        RecordBatches::detect("x", bytes.as_slice(), &InputOptions::default(), &fields(&paths));
    if let Ok(batches) = detected {
        batches.flatten().for_each(|batch| batch.for_each(|_| {}));
    }
    let _ = propose("x", bytes.as_slice());
    Ok(())
}

/// How many records an input of unknown format has.
pub(crate) fn count(bytes: &[u8]) -> usize {
    let batches = RecordBatches::detect("log", bytes, &InputOptions::default(), &fields(&NAMES));
    let mut count = 0;
    for batch in batches.expect("an input") {
        batch.expect("a batch").for_each(|record| count += usize::from(record.is_ok()));
    }
    count
}

#[cfg(not(feature = "columnar"))]
#[test]
fn a_build_without_columns_says_which_build_reads_them() {
    for (bytes, format) in [(&b"PAR1"[..], "Parquet"), (b"ARROW1\0\0", "Arrow IPC")] {
        let expected = format!(
            "error: this build of multitrace cannot read {format}\n --> log\n  = help: install a \
             release or the wheel, or build with: cargo build --release --features columnar"
        );
        let batches =
            RecordBatches::detect("log", bytes, &InputOptions::default(), &fields(&NAMES));
        assert_eq!(batches.expect_err("it is left out").to_string(), expected);
        assert_eq!(propose("log", bytes).expect_err("it is left out").to_string(), expected);
    }
}
