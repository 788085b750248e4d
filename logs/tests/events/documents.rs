//! Records inside of JSON documents, and fields that are made of others.

use super::common::{Row, cases, grouped, map, mapping, read_with, values};
use multitrace_formats::source::Source;
use multitrace_logs::{FieldPath, Fields, Format, InputOptions, Mapping, RecordBatches};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::{self, Read};

fn options(records: &[&str], batch_bytes: usize) -> InputOptions {
    let records = records.iter().map(|path| FieldPath::parse(path).expect("a path")).collect();
    InputOptions { records, batch_bytes, ..InputOptions::default() }
}

/// The records of documents, whatever the size of batches.
fn rows(text: &str, records: &[&str], paths: &[&str]) -> Vec<Row> {
    let read = |size| read_with(text.as_bytes(), Format::Json, &options(records, size), paths);
    let rows = read(1 << 18);
    for size in [1, 2, 3, 7, 50, 400] {
        assert_eq!(read(size), rows, "batches of {size}");
    }
    rows
}

fn texts(text: &str, records: &[&str], paths: &[&str]) -> Vec<Vec<String>> {
    let text_of = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let rows = rows(text, records, paths).into_iter();
    rows.map(|row| row.expect("a record").1.into_iter().map(text_of).collect()).collect()
}

const ROOMS: &str = r#"{"house":"h\"1","floors":[
  {"level":0,"rooms":[{"door":"d1","n":1},{"door":"d2","n":2}],"doors":{"d1":{"w":"oak"},"d2":{"w":"steel"}}},
  {"rooms":[],"level":1},
  {"rooms":{"door":"k","n":{"deep":[1]}},"level":2,"keys":[{"id":"k","w":"iron"},{"id":"l","w":"tin"}]}
 ],"street":"s"}
{"floors":[{"level":7,"rooms":[{"n":3}]}],"house":null}"#;

#[test]
fn records_know_what_is_around_them_wherever_it_stands() {
    let paths = [
        "n",
        "^.level",
        "^.^.house",
        "^.^.street",
        "^.doors[$.door].w",
        "floors[].keys[id=$.door].w",
        "floors[].level",
    ];
    assert_eq!(
        texts(ROOMS, &["floors[].rooms[]"], &paths),
        [
            ["1", "0", "h\"1", "s", "oak", "-", "0"],
            ["2", "0", "h\"1", "s", "steel", "-", "0"],
            [r#"{"deep":[1]}"#, "2", "h\"1", "s", "-", "iron", "2"],
            ["3", "7", "-", "-", "-", "-", "7"],
        ]
    );
}

/// Nobody knows which value is meant, whether records were handed out with the first one or not.
#[test]
fn a_field_around_records_has_no_value_if_it_stands_twice() {
    for (text, path) in [
        (r#"{"t":1,"t":1,"a":[{"x":1},{"x":2}]}"#, "^.t"),
        (r#"{"t":1,"a":[{"x":1},{"x":2}],"t":1}"#, "^.t"),
        (r#"{"t":null,"a":[{"x":1},{"x":2}],"t":1}"#, "^.t"),
        (r#"{"p":{"1":{"y":1},"1":{"y":2}},"a":[{"x":1}]}"#, "^.p[$.x].y"),
    ] {
        for size in [1, 7, 1 << 18] {
            let rows = read_with(text.as_bytes(), Format::Json, &options(&["a[]"], size), &[path]);
            let is_told = |row: &Row| row.as_ref().is_err_and(|it| it.contains("`t` stands twice"));
            let has_none = |row: &Row| row.as_ref().is_ok_and(|(_, values)| values[0].is_none());
            let is_behind = text.ends_with("\"t\":1}");
            assert_eq!(rows.iter().any(is_told), is_behind && size < 100, "{text}: {rows:?}");
            assert!(rows.iter().any(is_told) || rows.iter().all(has_none), "{text}: {rows:?}");
        }
    }
}

#[test]
fn records_of_several_lists_come_as_they_stand() {
    let text = r#"[{"a":[{"x":1}],"b":{"c":[[{"x":2},{"x":3}],[]]}},{"b":null,"a":[{"x":4}]}]"#;
    let paths = ["[].a[]", "b.c[][]"];
    assert_eq!(texts(text, &paths, &["x"]), [["1"], ["2"], ["3"], ["4"]]);
    let places: Vec<String> = rows("{\"a\":[{},{}\n,{}]}", &["a[]"], &["x"])
        .into_iter()
        .map(|row| row.expect("a record").0)
        .collect();
    assert_eq!(places, ["line 1, record 1", "line 1, record 2", "line 2, record 1"]);
}

const KEYED: &str = r#"{"by":"hand","ev.s":{"e1":{"x":1,"of":["a"]},"e\u00fc":{"x":2,"@key":"own"}},"at":"end","traces":{
  "t1":{"spans":[{"x":3},{"x":4}],"n":7},"t2":{"spans":{"x":5},"n":8}}}"#;

#[test]
fn values_of_an_object_are_records_that_know_their_keys() {
    assert_eq!(
        texts(KEYED, &["\"ev.s\".*"], &["x", "@key", "^.by", "^.at", "of[0]"]),
        [["1", "e1", "hand", "end", "a"], ["2", "own", "hand", "end", "-"]]
    );
    assert_eq!(
        texts(KEYED, &["traces.*.spans[]"], &["x", "@key", "^.n", "^.^.by", "traces.*.n"]),
        [
            ["3", "t1", "7", "hand", "7"],
            ["4", "t1", "7", "hand", "7"],
            ["5", "t2", "8", "hand", "8"]
        ]
    );
    let lists = r#"{"t1":[{"x":1},{"x":2}],"t2":{"x":3},"t3":[]}"#;
    assert_eq!(texts(lists, &["*[]"], &["x", "@key"]), [["1", "t1"], ["2", "t1"], ["3", "t2"]]);
    let tables = r#"{"a":{"k":{"x":1}},"b":{"l":{"x":2},"m":{"x":3}}}"#;
    assert_eq!(texts(tables, &["*.*"], &["x", "@key"]), [["1", "k"], ["2", "l"], ["3", "m"]]);
    assert_eq!(
        texts(KEYED, &["\"ev.s\".*", "traces.*.spans[]"], &["x", "@key"]).concat().join(" "),
        "1 e1 2 own 3 t1 4 t1 5 t2"
    );
    // A key that is a star itself stands in quotes.
    let star = r#"{"a":{"*":[{"x":1}],"b":[{"x":2}]}}"#;
    assert_eq!(texts(star, &["a.\"*\"[]"], &["x", "@key"]), [["1", "-"]]);
}

#[test]
fn each_value_of_an_object_must_be_what_the_path_says() {
    for fine in ["{\"a\":{}}", "{\"a\":{\"k\":{}}}", ""] {
        assert_eq!(told(fine, "a.*"), Vec::<String>::new(), "{fine}");
    }
    for none in ["{}", "{\"a\":null}", "{\"a\":7}"] {
        assert_eq!(told(none, "a.*"), ["there is no list at `a.*`"], "{none}");
    }
    assert_eq!(
        told("{\"a\":{\"k\":{\"x\":1},\n\"l\":7}}", "a.*"),
        ["2: invalid type: integer `7`, expected a record, which is an object"]
    );
    let no_object = "1: a value of this object is not an object, so that no record can be in it";
    assert_eq!(told("{\"a\":{\"k\":7}}", "a.*.b[]"), [no_object]);
    assert_eq!(told("{\"a\":[]}", "a.*"), ["1: a list stands where an object should be"]);
    for none in ["{\"a\":{\"k\":{},\"l\":{\"b\":[]}}}", "{\"a\":{\"k\":null}}"] {
        assert_eq!(told(none, "a.*.b[]").len(), 1, "{none}");
    }
    let refused = |records: &str| {
        let text = format!(
            "[input]\nrecords = {records}\n[event]\nsession = 'x'\nlifeline = 'x'\ndirection = 'emission'\nmessage = 'x'\n"
        );
        Mapping::parse(&Source::new("m", text)).expect_err("no records").to_string()
    };
    assert!(refused("['a.*', 'a.b[]']").contains("is inside of the records at"));
    assert!(refused("'a.*.b'").contains("leads to no list of records"));
    let help = "write records = \"a[].b[]\", and `c.d.` before the fields";
    assert!(refused("'a[].b[].c.d'").contains(help));
}

fn told(text: &str, path: &str) -> Vec<String> {
    rows(text, &[path], &["x"]).into_iter().filter_map(Result::err).collect()
}

#[test]
fn what_is_wrong_with_a_document_is_told_at_its_line() {
    assert_eq!(
        told("{\"a\":[{\"x\":1},\n7]}", "a[]"),
        ["2: invalid type: integer `7`, expected a record, which is an object"]
    );
    assert_eq!(
        told("{\"a\":[{\"x\":1},\n{\"x\":", "a[]"),
        ["2: the input ends inside of a document"]
    );
    assert_eq!(told("{\"a\":[{\"x\":1}", "a[]"), ["1: the input ends inside of a document"]);
    assert_eq!(told("{\"a\":[{\"x\":1} {}]}", "a[]"), ["1: not JSON: unexpected `{`"]);
    assert_eq!(told("{\"a\":[{\"x\":1,}]}", "a[]").len(), 1);
    assert_eq!(told("{\"b\":[]}", "a[]"), ["there is no list at `a[]`"]);
    assert_eq!(told("hello", "a[]"), ["1: not JSON: unexpected `h`"]);
    for fine in ["{\"a\":[]}", "{\"a\":\"\"}{\"a\":[]}", "", "[{\"a\":[]},{\"a\":[{}]}]"] {
        assert_eq!(told(fine, "a[]"), Vec::<String>::new(), "{fine}");
    }
    // APIs send null with an error.
    assert_eq!(told("{\"a\":null}", "a[]"), ["there is no list at `a[]`"]);
    assert_eq!(told("{\"a\":null}", "a[].b[]"), ["there is no list at `a[].b[]`"]);
    assert_eq!(told("{\"b\":[]}", "b[].a[]"), Vec::<String>::new(), "no element, no list");
}

/// Behind a lost quote, records would look like a part of the value before them.
#[test]
fn values_beside_records_are_json() {
    let told_at = |line: u64| [format!("{line}: not JSON beside the records")];
    for beside in [
        "[1,]",
        "{\"x\":1,}",
        "{x:1}",
        "{\"x\":\"}, \"a\":[{\"}",
        "[\"\\q\"]",
        "tru",
        "01",
        "\"\t\"",
    ] {
        assert_eq!(told(&format!("{{\"b\":{beside},\"a\":[]}}"), "a[]"), told_at(1), "{beside}");
    }
    assert_eq!(told("{\"a\":[],\n\"b\":{\n\"x\":nul}}", "a[]"), told_at(3));
    for fine in ["[1,{}]", "{\"x\":[\"\\u00e4\"]}", "-1.5e3", "null"] {
        assert_eq!(told(&format!("{{\"b\":{fine},\"a\":[]}}"), "a[]"), Vec::<String>::new());
    }
}

#[test]
fn each_element_of_a_list_on_the_way_to_records_has_the_list() {
    let elements = |count: u64, line: u64| {
        format!(
            "there is no list at `a[].b[]` in {count} of the elements of the lists around it, first in the one of line {line}"
        )
    };
    for (text, count, line) in [
        ("{\"a\":[{\"b\":null},null]}", 2, 1),
        ("{\"a\":[{\"b\":null},{\"b\":[]}]}", 1, 1),
        ("{\"a\":[{\"b\":[]},\n{\"B\":[]},{}]}\n{\"a\":[]}", 2, 2),
        ("{\"a\":[]}\n{\"a\":{\"c\":1}}", 1, 2),
    ] {
        assert_eq!(told(text, "a[].b[]"), [elements(count, line)], "{text}");
    }
    for fine in ["{\"a\":[{\"b\":\"\"},{\"b\":{}}]}", "{\"a\":{\"b\":[]}}", "{\"a\":[]}"] {
        assert_eq!(told(fine, "a[].b[]"), Vec::<String>::new(), "{fine}");
    }
}

#[test]
fn documents_that_are_torn_or_of_another_shape_are_refused() {
    let nul = "1: there are NUL bytes in the document";
    for damaged in ["{\"a\":[],\"x\0\":1}", "{\"a\":[],\"x\":\"\0\"}"] {
        assert_eq!(told(damaged, "a[]"), [nul], "{damaged:?}");
    }
    let no_object = "an element of this list is not an object, so that no record can be in it";
    assert_eq!(told("{\"a\":[\n[{\"b\":[]}]]}", "a[].b[]"), [format!("2: {no_object}")]);
    let list = "a list stands where an object should be";
    assert_eq!(told("{\"a\":[{\"b\":[{}]}]}", "a.b[]"), [format!("1: {list}")]);
    for (torn, why) in [
        ("{\"a\":[]}\n]", "2: a `]` closes no list"),
        (",{\"a\":[]}", "1: the input begins with a comma"),
        ("[{\"a\":[]}", "1: the input ends inside of a list"),
        ("{\"a\":[]},\n", "2: the input ends behind a comma, as if an object behind it were lost"),
        ("{\"a\":[]},,{\"a\":[]}", "1: not JSON: unexpected `,`"),
        ("{\"a\":[],}", "1: not JSON: unexpected `}`"),
        ("{\"a\":[{\"x\":1},]}", "1: not JSON: unexpected `]`"),
    ] {
        assert_eq!(told(torn, "a[]"), [why]);
    }
    assert_eq!(
        told("{\"a\":[]} {\"b\":[]}\n{\"a\":[{\"x\":1}]}\n{}", "a[]"),
        ["there is no list at `a[]` in 2 of 4 documents, first in the one of line 1"]
    );
    for other in ["\"x\"", "7", "true"] {
        assert_eq!(
            told(&format!("{{\"a\":[]}}\n{{\"a\":{other}}}"), "a[]"),
            ["2: a text or a number stands where a list should be"]
        );
    }
}

/// A line that is broken ends the reading, and the length of the rest is reported.
#[test]
fn what_is_not_read_behind_a_broken_line_is_counted() {
    let more = "{\"a\":[{\"x\":2}]}\n".repeat(1000);
    let text = format!("{{\"a\":[{{\"x\":1}}]}}\n{{\"a\":[}}\n{more}");
    for batch_bytes in [1, 100, 1 << 18] {
        let mut fields = Fields::default();
        fields.add(FieldPath::parse("x").expect("a path"));
        let options = options(&["a[]"], batch_bytes);
        let batches =
            RecordBatches::new("log", text.as_bytes(), Format::JsonLines, &options, &fields);
        let problems = batches.expect("a reader").filter_map(Result::err).map(|it| it.to_string());
        let problems: Vec<String> = problems.collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        let unread = format!("not read: {} bytes with 1001 ends of lines", more.len() + 2);
        assert!(problems[0].contains(&unread), "{unread} {}", problems[0]);
    }
}

/// A document of any length, whose last field is asked for or not.
struct Endless {
    left: usize,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const HEAD: &[u8] = br#"{"id":"d","list":["#;
        const RECORD: &[u8] = br#"{"x":"some text of a record"},"#;
        let (text, next) = match (self.at, self.left) {
            (0, _) => (HEAD, 1),
            (1, 0) => (&br#"{}],"end":1}"#[..], 2),
            (1, _) => (RECORD, 1),
            _ => return Ok(0),
        };
        self.left = self.left.saturating_sub(usize::from(self.at == 1));
        self.at = next;
        buffer[..text.len()].copy_from_slice(text);
        Ok(text.len())
    }
}

#[test]
fn a_long_document_is_handed_out_in_batches_unless_its_end_is_asked_for() {
    let read = |path: &str| {
        let mut fields = Fields::default();
        fields.add(FieldPath::parse(path).expect("a path"));
        let options = InputOptions { max_record_bytes: 1 << 16, ..options(&["list[]"], 1 << 12) };
        let input = io::BufReader::with_capacity(1 << 10, Endless { left: 100_000, at: 0 });
        let batches = RecordBatches::new("log", input, Format::Json, &options, &fields);
        batches.expect("an input").map(|batch| batch.map(drop)).collect::<Result<Vec<()>, _>>()
    };
    let batches = read("^.id").expect("all of it");
    assert!(batches.len() > 500, "{}", batches.len());
    let error = read("^.end").expect_err("too much waits").to_string();
    assert!(error.contains("the records wait for `end` around them"), "{error}");
}

/// Exports of tracers hold many traces, or one, and the paths for both stand in a mapping.
#[test]
fn records_do_not_wait_for_the_fields_of_another_path() {
    let trace = format!(r#"{{"spans":[{}],"p":1}}"#, [r#"{"x":"a span"}"#; 20].join(","));
    let text = format!(r#"{{"data":[{}]}}"#, vec![trace; 1_000].join(","));
    let mut fields = Fields::default();
    let field = fields.add(FieldPath::parse("^.p").expect("a path"));
    let paths = ["data[].spans[]", "spans[]"];
    let options = InputOptions { max_record_bytes: 1 << 14, ..options(&paths, 1 << 12) };
    let batches = RecordBatches::new("log", io::Cursor::new(text), Format::Json, &options, &fields);
    let (mut count, mut batch_count) = (0, 0);
    for batch in batches.expect("an input") {
        batch_count += 1;
        batch.expect("a batch").for_each(|record| {
            count += usize::from(record.is_ok_and(|it| it.get(field) == Some("1")));
        });
    }
    assert_eq!(count, 20_000);
    assert!(batch_count > 50, "{batch_count}");
}

/// Documents with two levels of lists, and values that look like structure.
fn document() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just("a"), Just("}]\\\""), Just("ü\n"), Just("[{")];
    let record =
        (0..9_u8, text.clone()).prop_map(|(n, t)| json!({"n": n, "t": t, "o": {"p": [n]}}));
    let records = proptest::collection::vec(record, 0..4);
    let parent = (records, text, any::<bool>()).prop_map(|(records, t, first)| match first {
        true => json!({"a": {"in": t}, "skip": [[{"r": 1}], "}"], "r": records}),
        false => json!({"r": records, "z": t, "a": {"in": t}}),
    });
    proptest::collection::vec(parent, 0..4).prop_map(|parents| json!({"ps": parents, "x": "ps"}))
}

proptest! {
    #![proptest_config(cases(200))]

    /// The walk finds the records of documents that are read whole.
    #[test]
    fn records_are_those_of_the_whole_document(
        documents in proptest::collection::vec(document(), 0..3),
        is_pretty in any::<bool>(),
    ) {
        let text: String = documents.iter().map(|it| {
            if is_pretty { serde_json::to_string_pretty(it) } else { serde_json::to_string(it) }.expect("JSON") + "\n"
        }).collect();
        let mut expected = Vec::new();
        for parent in documents.iter().flat_map(|it| it["ps"].as_array().expect("a list")) {
            for record in parent["r"].as_array().expect("a list") {
                let text = |value: &Value| value.as_str().map(str::to_owned);
                expected.push(vec![
                    Some(record["n"].to_string()), text(&record["t"]), Some(record["o"]["p"][0].to_string()),
                    text(&parent["a"]["in"]), Some("ps".to_owned()),
                ]);
            }
        }
        let paths = ["n", "t", "o.p[0]", "^.a.in", "^.^.x"];
        let found: Vec<_> = rows(&text, &["ps[].r[]"], &paths).into_iter().map(|row| row.expect("a record").1).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn elements_of_lists_are_found_by_a_text_in_them() {
    let text = br#"{"t":[{"v":"no","k":"y"},{"v":"yes","k":"x"},{"k":"w","v":"late"}],"one":"1","l":["2","3"],"o":{"p":4}}"#;
    let paths = ["t[k=x].v", "t[k=z].v", "one[0]", "l[0]", "l[1]", "o[0].p", "t[v=late].k"];
    assert_eq!(values(text, Format::JsonLines, &paths), [["yes", "-", "1", "2", "3", "4", "w"]]);
}

/// Mappings that ask for a field of damaged JSON in every way, and the words of the error.
const DAMAGED: &[(&str, &str)] = &[
    ("message = \"m\"\nsession = [\"e|json.s\", \"s\"]\n", "`e|json.s`"),
    ("session = \"s\"\nmessage = [\"x {e|json.s}\", \"m\"]\n", "`e|json.s`"),
    (
        "session = \"s\"\nmessage = [{ field = \"e|json.s\", match = \"(.*)\" }, \"m\"]\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = [{ field = [\"e|json.s\", \"m\"], match = \"(.*)\" }]\n",
        "e|json.s",
    ),
    ("session = \"s\"\nmessage = [\"e|json.s|json.t\", \"m\"]\n", "`e|json.s`"),
    (
        "session = \"s\"\nmessage = \"m\"\n[[role]]\nlifeline = \"boss\"\nfield = \"n\"\nwhen = { \"e|json.s\" = \"1\" }\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = \"m\"\n[[drop]]\nwhen = { \"e|json.s\" = { exists = false } }\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = \"m\"\nreply-to = { request = \"e|json.s\", response = \"i\" }\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = \"q\"\nreply-to = { request = \"i\", response = \"e|json.s\" }\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = \"q\"\nreply-to = { request = \"i\", response = \"i\", failed = { \"e|json.s\" = \"1\" } }\n",
        "`e|json.s`",
    ),
    (
        "session = \"s\"\nmessage = \"m\"\n[input]\nfor-each = \"e|json.s[]\"\n",
        "the JSON with the list of `for-each` is cut off",
    ),
    (
        "session = \"s\"\nmessage = \"m\"\n[input]\nfor-each = \"l\"\n",
        "the JSON with the list of `for-each` is cut off",
    ),
    (
        "session = \"s\"\nmessage = \"m\"\n[input]\nfor-each = \"k[].l[]\"\n",
        "the JSON with the list of `for-each` is cut off",
    ),
];

/// Nobody knows which fields JSON has that is cut off, so that no other value takes their place.
#[test]
fn damaged_json_is_an_error_wherever_its_fields_are_asked_for() {
    const BASE: &str = "[event]\nlifeline = \"n\"\ndirection = \"emission\"\n";
    for &(rest, message) in DAMAGED {
        let text =
            r#"{"s":"1","n":"a","m":"x","i":7,"e":"{\"s\":1","l":"[1,2","k":[{"l":[1],"l":[2]}]}"#;
        let map = mapping(&format!("{BASE}{rest}"));
        let made = grouped(&map, text.as_bytes(), Format::JsonLines, 1 << 20);
        assert_eq!(made.sessions.iter().map(|it| it.1.len()).sum::<usize>(), 0, "{rest}");
        assert!(
            made.problems.len() == 1 && made.problems[0].contains(message),
            "{rest}: {:?}",
            made.problems
        );
        // A [[drop]] for which other fields are enough leaves it out.
        let drop = mapping(&format!("{BASE}{rest}[[drop]]\nwhen = {{ n = \"a\" }}\n"));
        let made = grouped(&drop, text.as_bytes(), Format::JsonLines, 1 << 20);
        let is_left_out = made.problems.is_empty() && made.counts.dropped == 1;
        assert!(
            is_left_out || rest.contains("for-each") || rest.contains("[[drop]]"),
            "{rest}: {:?}",
            made.problems
        );
    }
}

#[test]
fn fields_are_made_of_the_json_in_texts_and_of_parts() {
    let mapping = mapping(
        r#"
        [[match]]
        field = "m|json.note"
        patterns = ['^call (?<what>\w+) of (?<who>\w+)', '^(?<who>\w+) calls (?<what>\w+)']

        [event]
        session = { field = "head", match = ['id=(\d+)', '#(?<session>\w+)'] }
        lifeline = ["who", "m|json.by"]
        direction = { field = ["m|json.way", "way"], emission = "out", reception = "in" }
        message = "{what}/{m|json.n[1]|json.x}"
        "#,
    );
    let text = concat!(
        r#"{"head":"x id=17;","m":"{\"note\":\"call up of bob\",\"way\":\"out\",\"n\":[0,\"{\\\"x\\\":5}\"]}"}"#,
        "\n",
        r#"{"head":"see #k9","way":"in","m":"{\"note\":\"eve calls back\",\"n\":[0,\"{\\\"x\\\":6}\"]}"}"#,
        "\n",
        r#"{"head":"none","way":"in","m":"no JSON"}"#,
        "\n",
        // The first pattern of the list counts, although the second matches further left.
        r##"{"head":"#no id=18","way":"in","m":"{\"note\":\"eve calls back\",\"n\":[0,\"{\\\"x\\\":6}\"]}"}"##,
    );
    assert_eq!(
        map(&mapping, text.as_bytes(), Format::JsonLines),
        [
            "17 bob!up/5",
            "k9 eve?back/6",
            "`head` is `none`, in which its `match` finds nothing",
            "18 eve?back/6"
        ]
    );
    let table = "head,way,m\n#t1,out,\"{\"\"note\"\":\"\"a calls b\"\",\"\"n\"\":[1,\"\"{\\\"\"x\\\"\":7}\"\"]}\"\n";
    assert_eq!(map(&mapping, table.as_bytes(), Format::Csv), ["t1 a!b/7"]);
}

#[test]
fn spans_in_documents_have_kinds_ends_and_names_of_others() {
    let map = mapping(
        r#"
        [input]
        records = "traces[].spans[]"
        [spans]
        session = "^.id"
        id = "s"
        parent = "refs[type=child].s"
        lifeline = "^.nodes[$.node].name"
        kind = ["tags[k=kind].v", { text = "internal" }]
        start = "at"
        end = { field = "at", plus = "took", unit = "ms" }
        message = ["{callee.op}", "{op}"]
        returns = true
        "#,
    );
    let text = r#"{"traces":[{"id":"t1","spans":[
        {"s":"1","node":"n1","op":"run","at":1,"took":90},
        {"s":"2","node":"n1","op":"GET","at":2,"took":9,"tags":[{"k":"x","v":1},{"k":"kind","v":"client"}],"refs":[{"type":"child","s":"1"}]},
        {"s":"3","node":"n2","op":"list","at":3,"took":5,"tags":[{"k":"kind","v":"SPAN_KIND_SERVER"}],"refs":[{"type":"link","s":"1"},{"type":"child","s":"2"}]}],
        "nodes":{"n1":{"name":"web"},"n2":{"name":"shop"}}}]}"#;
    let made = grouped(&map, text.as_bytes(), Format::Json, 1 << 20);
    assert_eq!(made.problems, Vec::<String>::new());
    let events: Vec<String> = made.sessions.into_iter().flat_map(|(_, events)| events).collect();
    assert_eq!(events, ["web!list", "web?list_return", "shop?list", "shop!list_return"]);
}

#[test]
fn what_leads_out_of_records_is_checked_when_the_mapping_is_read() {
    let errors = |input: &str, field: &str| -> String {
        let text = format!(
            "[input]\n{input}\n[event]\nsession = '{field}'\nlifeline = \"l\"\ndirection = \"emission\"\nmessage = \"m\"\n"
        );
        Mapping::parse(&Source::new("map.toml", text.as_str()))
            .err()
            .map_or(String::new(), |it| it.to_string())
    };
    assert_eq!(errors("records = \"a[].b[]\"", "^.^.x"), "");
    assert_eq!(errors("records = [\"a[].b[]\", \"c[]\"]", "a[].x"), "");
    for (input, field, told) in [
        ("", "^.x", "this leads out of the record"),
        ("records = \"a[]\"", "^.^.x", "this is not a field of the objects around"),
        ("records = \"a[]\"", "^.a", "this is not a field of the objects around"),
        ("records = \"a[]\"", "b[].x", "this is not a field of the objects around"),
        ("records = \"a\"", "x", "leads to no list of records"),
        ("records = \"a[0]\"", "x", "leads to no list of records"),
        ("records = [\"a[]\", \"a[].b[]\"]", "x", "is inside of the records at"),
        ("records = \"a[]\"\nformat = \"csv\"", "x", "`records` is for JSON"),
    ] {
        let error = errors(input, field);
        assert!(error.contains(told), "{input} {field}: {error}");
    }
}

#[test]
fn each_element_of_a_list_makes_a_record() {
    let map_of = |each: &str, more: &str| {
        mapping(&format!(
            "[input]\nfor-each = {each}\n[event]\nsession = [\"each.id\", \"s\"]\nlifeline = \"a\"\ndirection = \"emission\"\nmessage = [\"{{what}} {{each.n|json.k}}\", \"{{what}} {{each}}\", \"what\"]\n{more}"
        ))
    };
    let lines = concat!(
        r#"{"s":1,"a":"x","what":"go","of":[{"id":"i1","q":"item"},{"id":"o1","q":"order","n":"{\"k\":5}"}]}"#,
        "\n",
        r#"{"s":2,"a":"x","what":"rest"}"#,
        "\n",
        r#"{"s":3,"a":"x","what":"say","of":["up","\"down\""]}"#,
        "\n",
        r#"{"s":4,"a":"x","what":"none","of":[]}"#,
    );
    let lines = lines.as_bytes();
    assert_eq!(
        map(&map_of("\"of[]\"", ""), lines, Format::JsonLines),
        [
            r#"i1 x!go {"id":"i1","q":"item"}"#,
            "o1 x!go 5",
            "2 x!rest",
            "3 x!say up",
            "3 x!say \"down\"",
            "4 x!none"
        ]
    );
    let kept = map(
        &map_of("\"of\"", "[[keep]]\nwhen = { \"each.q\" = \"order\" }\n"),
        lines,
        Format::JsonLines,
    );
    assert_eq!(
        kept.iter().filter(|it| !it.starts_with("dropped")).collect::<Vec<_>>(),
        ["o1 x!go 5"]
    );
    let table = "s,a,what\n1,x,message repeated 3 times: [go]\n1,x,go\n";
    let often = map_of(
        "{ field = \"what\", match = 'repeated (\\d+) times' }",
        "[rename.messages]\n'/^.*\\[(\\w+)\\].*$/' = '$1'\n'/ .*/' = ''\n",
    );
    assert_eq!(
        map(&often, table.as_bytes(), Format::Csv),
        ["1 x!go", "1 x!go", "1 x!go", "1 x!go"]
    );
}

#[test]
fn elements_of_lists_in_lists_make_records() {
    let map_of = |each: &str, message: &str| {
        mapping(&format!(
            "[input]\nfor-each = \"{each}\"\n[event]\nsession = \"s\"\nlifeline = \"s\"\ndirection = \"emission\"\nmessage = {message}\n"
        ))
    };
    let batches = br#"{"s":1,"batches":[{"id":"b1","msgs":["a","b"]},{"id":"b2"},{"id":"b3","msgs":[]},{"id":"b4","msgs":[{"n":5}]}]}"#;
    let message = "[\"{each.^.id} {each.n}\", \"{each.^.id} {each}\", \"each.^.id\"]";
    assert_eq!(
        map(&map_of("batches[].msgs[]", message), batches, Format::JsonLines),
        ["1 1!b1 a", "1 1!b1 b", "1 1!b2", "1 1!b3", "1 1!b4 5"]
    );
    let lists = br#"{"s":1,"of":[[1,2],[],[[3]],4]}
{"s":2,"of":[]}
{"s":3,"of":[[{"n":1}]]}"#;
    assert_eq!(
        map(
            &map_of("of[][]", "[\"each.n\", \"each\", { text = \"none\" }]"),
            lists,
            Format::JsonLines
        ),
        [
            "1 1!1", "1 1!2", "1 1!none", "1 1![3]", "1 1!1", "1 1!2", "1 1!3", "1 1!4",
            "2 2!none", "3 3!1"
        ]
    );
    let deep =
        br#"{"s":1,"p":"{\"a\":[{\"k\":1,\"b\":[{\"k\":2,\"c\":[{\"k\":3},{\"k\":4}]}]}]}"}"#;
    assert_eq!(
        map(
            &map_of("p|json.a[].b[].c[]", "\"{each.^.^.k} {each.^.k} {each.k}\""),
            deep,
            Format::JsonLines
        ),
        ["1 1!1 2 3", "1 1!1 2 4"]
    );
    let refused = |text: &str, message: &str| {
        let text = format!(
            "[input]\nfor-each = \"{text}\"\n[event]\nsession = \"s\"\nlifeline = \"s\"\ndirection = \"emission\"\nmessage = \"{message}\"\n"
        );
        Mapping::parse(&Source::new("m", text)).expect_err("no element").to_string()
    };
    assert!(refused("a[].b|json.c[]", "each").contains("leads to no list in the elements"));
    assert!(refused("a[]", "each.^.x").contains("this leads out of the record"));
}

#[test]
fn elements_and_parts_of_fields_are_looked_up_in_tables_around_the_record() {
    let map_of = |look_up: &str, more: &str| {
        mapping(&format!(
            "{more}[event]\nsession = \"s\"\nlifeline = {{ text = \"a\" }}\ndirection = \"emission\"\nmessage = [\"{look_up}\", {{ text = \"none\" }}]\n[[drop]]\nwhen = {{ \"{look_up}\" = \"order\" }}\n"
        ))
    };
    let document =
        br#"{"events":[{"s":1,"text":"of o2.","of":["o1","o2","o3"],"by":[{"id":"o2"}]}],
"objects":{"o1":{"type":"item"},"o2":{"type":"order"}},"in":{"list":[{"id":"o2","type":"item"}]}}"#;
    let input = "[input]\nrecords = \"events[]\"\n";
    let map = |mapping| map(&mapping, document, Format::Json);
    assert_eq!(
        map(map_of("^.objects[$.each].type", &format!("{input}for-each = \"of[]\"\n"))),
        ["1 a!item", "dropped by filter of line 9", "1 a!none"]
    );
    assert_eq!(
        map(map_of("^.in.list[id=$.each.id].type", &format!("{input}for-each = \"by[]\"\n"))),
        ["1 a!item"]
    );
    let part = "[[match]]\nfield = \"text\"\npatterns = ['of (?<o>\\w+)']\n";
    assert_eq!(
        map(map_of("^.objects[$.o].type", &format!("{input}{part}"))),
        ["dropped by filter of line 11"]
    );
    let refused = Mapping::parse(&Source::new(
        "m",
        format!("{input}[event]\nsession = \"^.objects[$.x|json.y].type\"\n"),
    ));
    assert!(
        refused
            .expect_err("no field")
            .to_string()
            .contains("this is not a field of the objects around")
    );
}

#[test]
fn a_part_that_a_field_does_not_have_is_told_with_its_value() {
    let line =
        br#"{"s":"1","text":"no id here","j":"{\"orderId\":7}","bad":"{'a'}","no":"[main] a"}"#;
    for (message, told) in [
        (
            r"{ field = 'text', match = 'id=(\w+)' }",
            "`text` is `no id here`, in which its `match` finds nothing",
        ),
        ("'j|json.order_id'", "it has no field `j|json.order_id`"),
        ("'no|json.a'", "it has no field `no|json.a`: `no` is `[main] a`"),
        (
            "'bad|json.a'",
            "the JSON that holds `bad|json.a` is cut off or wrong, or has a key twice or something behind it: `bad` is `{'a'}`",
        ),
    ] {
        let map_of = mapping(&format!(
            "[event]\nsession = \"s\"\nlifeline = \"s\"\ndirection = \"emission\"\nmessage = {message}\n"
        ));
        assert_eq!(map(&map_of, line, Format::JsonLines), [told]);
    }
}

#[test]
fn a_number_of_records_has_a_limit() {
    let map = mapping(
        "[input]\nfor-each = \"n\"\n[event]\nsession = \"s\"\nlifeline = \"s\"\ndirection = \"emission\"\nmessage = \"s\"\n",
    );
    let made = grouped(
        &map,
        b"{\"s\":1,\"n\":4000000000}\n{\"s\":2,\"n\":0}\n",
        Format::JsonLines,
        1 << 20,
    );
    assert_eq!(made.problems.len(), 1);
    assert!(made.problems[0].contains("4000000000 records of this one"), "{:?}", made.problems);
    assert_eq!(made.sessions, [("2".to_owned(), vec!["2!2".to_owned()])]);
}
