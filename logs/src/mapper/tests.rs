//! A memo of the results of records, beside mapping each record.

use super::*;
use crate::batches::RecordBatches;
use crate::format::{Format, InputOptions};
use multitrace_formats::source::Source;
use proptest::prelude::*;

/// Mappings whose records are decided in different ways.
const MAPPINGS: [&str; 6] = [
    r#"
    [event]
    session = "s"
    lifeline = "at"
    direction = { field = "d", emission = "send", reception = "receive" }
    message = "m"
    "#,
    r#"
    [event]
    session = "{s}-{n}"
    lifeline = "at"
    direction = { field = "d", emission = "send", reception = "receive" }
    message = "m"
    order = "n"
    [rename]
    clean = true
    "#,
    r#"
    [event]
    session = "s"
    [[drop]]
    when = { d = "never" }
    [[keep]]
    when = { s = { exists = true } }
    [[rule]]
    when = { m = "/^y/" }
    actions = ["a!{m}", "b?{m}"]
    [[rule]]
    when = { d = "send", at = { exists = true } }
    actions = [{ action = "{at}!{m}", location = "at" }]
    "#,
    r#"
    unmatched = "error"
    [[rule]]
    when = { m = ["x", "/^y/"], n = { exists = false } }
    session = "{s}"
    lifeline = "a"
    direction = "emission"
    message = "x"
    [[rule]]
    when = { d = { not = "send" } }
    session = "s"
    actions = [{ action = "b?{d}", order = "n" }]
    "#,
    r#"
    [event]
    session = ["s", "n"]
    lifeline = ["at", "m"]
    direction = "emission"
    message = ["{d}{n}", "{m}", "n"]
    "#,
    r#"
    [event]
    session = "{s}-{n}"
    lifeline = "at"
    direction = "emission"
    message = "m"
    order = "1{n}"
    "#,
];

fn mapper(text: &str) -> Mapper {
    let mapping = Mapping::parse(&Source::new("map.toml", text)).expect("a mapping");
    let mut alphabet = Alphabet::default();
    for (lifeline, letters) in [("a", ["a!x", "a!y"]), ("b", ["b?x", "b?y"])] {
        let location = alphabet.add_location(lifeline).expect("a new name");
        alphabet.add_lifeline(lifeline, location);
        for letter in letters {
            alphabet.add_letter(letter, location).expect("a new name");
        }
    }
    let (selection, files) = (Arc::default(), Arc::from(["log".into()]));
    let late =
        Arc::new(LateProblems::new(Arc::clone(&files), crate::line_lookup::LineLookup::new([])));
    let (trends, follows_files) = (Arc::new(FileTrends::new(1)), false);
    let (in_order, tallies) = (true, false);
    Mapper { mapping, alphabet, selection, files, late, trends, in_order, tallies, follows_files }
}

/// The results of a mapper for records: counts, events as bytes, problems.
fn mapped(
    mapper: &Mapper,
    lines: &str,
    memo: Option<MappingMemo>,
) -> (String, Vec<u8>, Vec<String>) {
    let options = InputOptions::default();
    let fields = mapper.mapping.fields();
    let batches = RecordBatches::new("log", lines.as_bytes(), Format::JsonLines, &options, fields);
    let mut buffers = MappingBuffers { memo, ..MappingBuffers::default() };
    let mut whole = (String::new(), Vec::new(), Vec::new());
    for records in batches.expect("readable") {
        let batch = mapper.batch(0, &records.expect("readable"), &mut buffers);
        whole.0 += &format!("{:?}", batch.counts);
        whole.1.extend_from_slice(batch.events.only_partition());
        whole.2.extend(batch.problems.iter().map(|problem| format!("{problem:?}")));
    }
    whole
}

fn line((s, at, d, m, n): (usize, usize, usize, usize, usize)) -> String {
    let field = |key: &str, values: [&str; 5], chosen: usize| match values[chosen] {
        "-" => String::new(),
        value => format!("\"{key}\":\"{value}\","),
    };
    let fields = [
        field("s", ["s1", "s2", "s3", "", "-"], s),
        field("at", ["a", "b", "c 1", "", "-"], at),
        field("d", ["send", "receive", "never", "send", "-"], d),
        field("m", ["x", "y", "yy", "", "-"], m),
        field("n", ["1", "2", "2.5", "no", "-"], n),
    ];
    format!("{{{}\"other\":0}}\n", fields.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A remembered result is the one that mapping the record again would give.
    #[test]
    fn a_memo_changes_nothing(
        mapping in 0..MAPPINGS.len(),
        records in proptest::collection::vec((0_usize..5, 0_usize..5, 0_usize..5, 0_usize..5, 0_usize..5), 0..60),
    ) {
        let mapper = mapper(MAPPINGS[mapping]);
        let lines: String = records.into_iter().map(line).collect();
        // One that remembers nothing.
        let plain = mapped(&mapper, &lines, Some(MappingMemo::default()));
        prop_assert_eq!(mapped(&mapper, &lines, None), plain);
    }
}

#[test]
fn records_that_repeat_are_remembered() {
    for mapping in MAPPINGS {
        let mapper = mapper(mapping);
        let fields = mapper.mapping.fields();
        let lines = line((0, 0, 0, 0, 4)) + &line((1, 0, 0, 0, 4)) + &line((1, 0, 0, 0, 0));
        let options = InputOptions::default();
        let batches =
            RecordBatches::new("log", lines.as_bytes(), Format::JsonLines, &options, fields);
        let mut buffers = MappingBuffers::default();
        let mut found = 0;
        for records in batches.expect("readable") {
            let records = records.expect("readable");
            mapper.batch(0, &records, &mut buffers);
            let memo = buffers.memo.as_mut().expect("a memo");
            records.for_each(|record| {
                let record = record.expect("a record");
                found += usize::from(memo.find(record).is_some());
            });
        }
        assert!(found > 0, "{mapping}");
    }
}
