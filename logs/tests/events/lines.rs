//! Formats of lines: JSON, CSV, logfmt, text.

use super::common::{map, mapping, read, read_with, values};
use multitrace_logs::{Format, InputOptions, PairSigns};

fn ok(place: &str, cells: &[&str]) -> super::common::Row {
    let cell = |cell: &&str| (*cell != "-").then(|| (*cell).to_owned());
    Ok((place.to_owned(), cells.iter().map(cell).collect()))
}

fn err(text: &str) -> super::common::Row {
    Err(text.to_owned())
}

#[test]
fn json_values_are_as_they_are_written() {
    let input = br#"
{"a":"x","n":1.50e3,"b":true,"o":{"k":[1,{"z":"q\u00e9\n"}]},"u":null}

{"o":{"k":[7]},"a":"\"","skip":[{"a":"no"}]}
"#;
    assert_eq!(
        read(input, Format::JsonLines, &["a", "n", "b", "o.k[1].z", "o.k[0]", "o.k", "u"]),
        [
            ok(
                "line 2",
                &["x", "1.50e3", "true", "q\u{e9}\n", "1", r#"[1,{"z":"q\u00e9\n"}]"#, "-"]
            ),
            ok("line 4", &["\"", "-", "-", "-", "7", "[7]", "-"]),
        ]
    );
}

#[test]
fn keys_with_dots_are_quoted() {
    let input = br#"{"a.b":1,"a":{"b":2,"c.d":{"e":3}}}"#;
    let paths = ["a.b", r#""a.b""#, r#"a."c.d".e"#];
    assert_eq!(values(input, Format::JsonLines, &paths), [["2", "1", "3"]]);
}

#[test]
fn a_broken_line_does_not_break_the_next() {
    let input = b"{\"a\":1}\n{\"a\":\n[1]\n{\"a\":1,\"a\":2}\n{\"a\":\"\xff\"}\n{\"a\":\"\\ud800\"}\n{\"a\":2} x\n{\"a\":3}";
    let rows = read(input, Format::JsonLines, &["a"]);
    assert_eq!(rows[0], ok("line 1", &["1"]));
    assert_eq!(rows[1], err("2: not JSON: EOF while parsing a value"));
    assert!(matches!(&rows[2], Err(text) if text.contains("a record, which is an object")));
    assert_eq!(rows[3], err("4: `a` stands twice"));
    assert_eq!(rows[4], err("5: not UTF-8"));
    assert!(matches!(&rows[5], Err(text) if text.starts_with("6: ")), "{:?}", rows[5]);
    assert_eq!(rows[6], err("7: not JSON: trailing characters"));
    assert_eq!(rows[7], ok("line 8", &["3"]));
}

#[test]
fn a_long_record_is_an_error_and_the_rest_goes_on() {
    let input = format!("{{\"a\":1}}\n{{\"a\":\"{}\"}}\n{{\"a\":2}}\n{{\"a\":3}}", "x".repeat(300));
    for batch_bytes in [1, 10, 64, 1000] {
        for format in [Format::JsonLines, Format::Json] {
            let options =
                InputOptions { batch_bytes, max_record_bytes: 50, ..InputOptions::default() };
            let rows = read_with(input.as_bytes(), format, &options, &["a"]);
            assert_eq!(
                rows,
                [
                    ok("line 1", &["1"]),
                    err("2: the record is longer than 50 bytes"),
                    ok("line 3", &["2"]),
                    ok("line 4", &["3"]),
                ]
            );
        }
    }
}

#[test]
fn byte_order_marks_are_no_text() {
    assert_eq!(values(b"\xef\xbb\xbf{\"a\":1}", Format::JsonLines, &["a"]), [["1"]]);
    assert_eq!(values(b"\xef\xbb\xbfa,b\n1,2", Format::Csv, &["a"]), [["1"]]);
    assert_eq!(read(b"\xff\xfe{\0", Format::JsonLines, &["a"]), [err("the input is UTF-16")]);
}

#[test]
fn json_objects_stand_in_lists_or_over_lines() {
    let input = b"[\n  {\"a\": 1,\n   \"s\": \"}]{\\\"\"},\n  {\"a\": [2]}\n]\n{\"a\":3}{\"a\":4}";
    assert_eq!(
        read(input, Format::Json, &["a", "s"]),
        [
            ok("line 2", &["1", "}]{\""]),
            ok("line 4", &["[2]", "-"]),
            ok("line 6", &["3", "-"]),
            ok("line 6, record 2", &["4", "-"]),
        ]
    );
    assert_eq!(
        read(b"[{\"a\":1},\n", Format::Json, &["a"]),
        [ok("line 1", &["1"]), err("2: the input ends inside of a list")]
    );
    let rows = read(b"{\"a\":1}\n {\"a\":", Format::Json, &["a"]);
    assert_eq!(rows[1], err("2: the input ends inside of an object"));
    assert!(read(b"[1, {\"a\":1}]", Format::Json, &["a"])[0].is_err());
}

/// However the input is cut into batches.
#[test]
fn objects_beside_each_other_have_places_of_their_own() {
    let input = b"{\"a\":1}{\"a\":2} {\"a\":3},{\"a\":4}\n{\"a\":5}\n{\"a\":6}, {\"a\":}\n";
    let rows = |format, bytes| {
        let options = InputOptions { batch_bytes: bytes, ..InputOptions::default() };
        read_with(input, format, &options, &["a"])
    };
    for bytes in [1, 3, 11, 64, 1000] {
        let lines = rows(Format::JsonLines, bytes);
        let item = |at: usize| ok(&format!("line 1, record {at}"), &[&at.to_string()]);
        assert_eq!(lines[..4], [item(1), item(2), item(3), item(4)]);
        assert_eq!(lines[4..6], [ok("line 2", &["5"]), ok("line 3, record 1", &["6"])]);
        assert_eq!(lines[6], err("3: not JSON: expected value (record 2 of its line)"));
        let objects = rows(Format::Json, bytes);
        assert_eq!(objects[..4], [ok("line 1", &["1"]), item(2), item(3), item(4)]);
        assert_eq!(objects[4..6], [ok("line 2", &["5"]), ok("line 3", &["6"])]);
        assert_eq!(objects[6], err("3: not JSON: expected value (record 2 of its line)"));
    }
    // Other texts between objects are parts of them, wherever a batch ends.
    let input = b"x {\"a\":1}\ny <\n {\"a\":2} z [\"{\n\"]{\"a\":3}, {\"a\":4}";
    let read_by = |bytes| {
        let options = InputOptions { batch_bytes: bytes, ..InputOptions::default() };
        read_with(input, Format::Json, &options, &["a"])
    };
    for bytes in [1, 2, 7, 20, 64] {
        assert_eq!(read_by(bytes), read_by(1000), "{bytes}");
    }
    // Anything else between them is an error of the line.
    let rows = read(b"{\"a\":1};{\"a\":2}\n{\"a\":3},\n{\"a\":4}", Format::JsonLines, &["a"]);
    assert_eq!(
        rows[..2],
        [1, 2].map(|line| err(&format!("{line}: not JSON: trailing characters")))
    );
    assert_eq!(rows[2], ok("line 3", &["4"]));
}

#[test]
fn several_messages_of_syslog_stand_on_a_line_behind_their_lengths() {
    let message = |text: &str| format!("<34>Oct 11 22:14:15 host su: {text}");
    let counted = |text: &str| format!("{} {}", message(text).len(), message(text));
    let line = counted("a 1 <2") + &counted("b") + &counted("c");
    let input = format!("{line}\n{}\n", counted("d"));
    let rows = read(input.as_bytes(), Format::Syslog, &["message"]);
    let item = |at: usize, text: &str| ok(&format!("line 1, record {at}"), &[text]);
    assert_eq!(rows[..3], [item(1, "a 1 <2"), item(2, "b"), item(3, "c")]);
    assert_eq!(rows[3], ok("line 2", &["d"]));
    // A message before a wrong length is read.
    let wrong = format!("{}99 {}\n", counted("a"), message("b"));
    let rows = read(wrong.as_bytes(), Format::Syslog, &["message"]);
    assert_eq!(rows[0], item(1, "a"));
    let goes_on = "the message goes on behind its line, as the length before it says (RFC 6587)";
    assert_eq!(rows[1], err(&format!("1: {goes_on} (record 2 of its line)")));
    let more = format!("{} and more\n", counted("a"));
    let [Err(error)] = &read(more.as_bytes(), Format::Syslog, &["message"])[..] else {
        panic!("more stands on the line")
    };
    assert!(error.contains("more stands on the line than the length"), "{error}");
}

#[test]
fn csv_has_quotes_with_delimiters_and_line_ends() {
    let input =
        b"id,\"the name\",x\r\n1,\"a,\"\"b\"\"\nc\",\r\n\r\n2,d\"e,f\r\n3,g\n\"4\"x,h,i\n5,,\n";
    let rows = read(input, Format::Csv, &["the name", "id", "x", "none"]);
    assert_eq!(
        rows,
        [
            ok("line 2", &["a,\"b\"\nc", "1", "", "-"]),
            ok("line 5", &["d\"e", "2", "f", "-"]),
            err("6: 2 cells in a table of 3 columns"),
            err("7: text after a closing quote"),
            ok("line 8", &["", "5", "", "-"]),
        ]
    );
    assert_eq!(values(b"a\tb\n1\t2", Format::Tsv, &["b"]), [["2"]]);
    let options = InputOptions { delimiter: Some(b';'), ..InputOptions::default() };
    assert_eq!(read_with(b"a;b\n1;2", Format::Csv, &options, &["b"]), [ok("line 2", &["2"])]);
    assert_eq!(
        read(b"a,b\n1,\"2\n3", Format::Csv, &["a"]),
        [err("2: a quote is not closed before the input ends")]
    );
    assert_eq!(read(b"a,a\n1,2", Format::Csv, &["a"]), [err("1: two columns are called `a`")]);
}

/// Minutes, if the time grew with the square of the columns.
#[test]
fn a_table_may_have_very_many_columns() {
    const COLUMNS: usize = 500_000;
    let row = |cell: &dyn Fn(usize) -> String| (0..COLUMNS).map(cell).collect::<Vec<_>>().join(",");
    let (names, cells) = (row(&|at| format!("c{at}")), row(&|at| format!("{}", at % 10)));
    let paths = ["c7", "c499999", "c500000"];
    let read =
        |text: String| read_with(text.as_bytes(), Format::Csv, &InputOptions::default(), &paths);
    assert_eq!(read(format!("{names}\n{cells}\n")), [ok("line 2", &["7", "9", "-"])]);
    let [Err(error)] = &read(format!("{names},c1\n"))[..] else { panic!("a name stands twice") };
    assert!(error.contains("two columns are called `c1`"), "{error}");
}

#[test]
fn logfmt_has_quotes_and_flags() {
    let input = b"a=1 b=\"x \\\"y\\\" z\" done c=\n b=q\"r a=\"\"\na=1 a=2\n=1\na=\"x\n";
    let rows = read(input, Format::Logfmt, &["a", "b", "done", "c"]);
    assert_eq!(
        rows,
        [
            ok("line 1", &["1", "x \"y\" z", "true", ""]),
            ok("line 2", &["", "q\"r", "-", "-"]),
            err("3: `a` stands twice"),
            err("4: a key is missing before `=`"),
            err("5: a quote is not closed"),
        ]
    );
}

#[test]
fn parts_between_delimiters_are_pairs() {
    let pairs = |between: &str, within: &str| {
        let signs = PairSigns { between: between.to_owned(), within: within.to_owned() };
        InputOptions { pairs: Some(signs), ..InputOptions::default() }
    };
    let rows = |input: &[u8], between, within| {
        read_with(input, Format::Logfmt, &pairs(between, within), &["a", "b", "done"])
    };
    for (between, within) in [("\t", ":"), (";", "="), ("||", "="), ("^A", "="), ("; ", "->")] {
        let text = "a:1\tb:x y\t\na:1\tgarbage\tb:2\ndone\ta:1\n:5\ta:1\na note\n at 12 a:1\tb:2\na:1\t \tb:2\n";
        let text = text.replace('\t', between).replace(':', within);
        let wrong = |line: u8, part: &str| {
            err(&format!("{line}: `{part}` is not a pair of a key, `{within}` and a value"))
        };
        assert_eq!(
            rows(text.as_bytes(), between, within),
            [
                ok("line 1", &["1", "x y", "-"]),
                wrong(2, "garbage"),
                // A key that is asked for may stand alone.
                ok("line 3", &["1", "-", "true"]),
                wrong(4, &format!("{within}5")),
                // A line without a pair is another one.
                ok("line 5", &["-", "-", "-"]),
                ok("line 6", &["1", "2", "-"]),
                ok("line 7", &["1", "2", "-"]),
            ],
            "{between}"
        );
    }
    // Whatever blanks have how many bytes.
    assert_eq!(rows("x\u{3000}a=1;b=2".as_bytes(), ";", "="), [ok("line 1", &["1", "2", "-"])]);
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    let options = |delimiter| InputOptions { delimiter, ..InputOptions::default() };
    let rows =
        |input: &[u8], delimiter| read_with(input, Format::Csv, &options(delimiter), &["a", "b"]);
    let row = ok("line 3", &["1", "x;y"]);
    assert_eq!(rows(b"sep=;\na;b\n1;\"x;y\"\n", Some(b';')), [row]);
    assert_eq!(rows(b"\xef\xbb\xbfSEP=,\r\na,b\r\n1,2\r\n", None), [ok("line 3", &["1", "2"])]);
    let error = "1: the first line says that another character stands between cells";
    assert_eq!(rows(b"sep=;\na;b\n1;2\n", None), [err(error)]);
    assert_eq!(rows(b"sep=;;\n1\n", None), [ok("line 2", &["-", "-"])]);
}

#[test]
fn text_is_read_by_patterns() {
    let patterns = [r"^(?<time>\d+) send (?<msg>\w+)", r"(?<msg>\w+) received(?: by (?<who>\w+))?"];
    let patterns = patterns.map(str::to_owned).to_vec();
    let options = InputOptions { patterns, ..InputOptions::default() };
    let input = b"12 send hello\nx: hello received\nnothing\nhello received by b\n";
    let rows = read_with(input, Format::Text, &options, &["time", "msg", "who", "pattern", "line"]);
    assert_eq!(
        rows,
        [
            ok("line 1", &["12", "hello", "-", "1", "12 send hello"]),
            ok("line 2", &["-", "hello", "-", "2", "x: hello received"]),
            ok("line 3", &["-", "-", "-", "-", "nothing"]),
            ok("line 4", &["-", "hello", "b", "2", "hello received by b"]),
        ]
    );
    let rows = read(b"x", Format::Text, &["a"]);
    assert_eq!(rows, [err("plain text without patterns")]);
}

#[test]
fn values_with_parts_name_nothing() {
    let mapping = mapping(
        "[event]\nsession = \"s\"\nlifeline = \"l.name\"\ndirection = \"emission\"\nmessage = \"{m}!\"\n",
    );
    let log = r#"{"s":"1","l":{"name":"a"},"m":"[m]"}
{"s":"1","l":{"name":"a"},"m":{"x":1,"y z":2}}
{"s":"1","l":{"name":["a"]},"m":"m"}
{"s":{"id":1},"l":{"name":"a"},"m":"m"}
{"s":"1","l":[{"name":"a"}],"m":"m"}
{"s":"1","l":"{\"name\":1}","m":"m"}
"#;
    assert_eq!(
        map(&mapping, log.as_bytes(), Format::JsonLines),
        [
            "1 a![m]!",
            "`m`, which names the message, is an object",
            "`l.name`, which names the lifeline, is a list",
            "`s`, which names the session, is an object",
            "`l.name` leads into a list",
            "`l.name` leads into a text",
        ]
    );
}
