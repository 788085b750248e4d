//! Text logs: which pattern wins, fragments, records over several lines, and ready formats.

use super::common::{Row, map, mapping, read, read_with, values};
use multitrace_formats::source::Source;
use multitrace_logs::{Format, InputOptions, Mapping, PatternsWin};

fn ok(place: &str, cells: &[&str]) -> Row {
    let cell = |cell: &&str| (*cell != "~").then(|| (*cell).to_owned());
    Ok((place.to_owned(), cells.iter().map(cell).collect()))
}

fn err(text: &str) -> Row {
    Err(text.to_owned())
}

/// A row for each line, from the first, with its cells between bars.
fn table(lines: &[&str]) -> Vec<Row> {
    let cells = lines.iter().map(|line| line.split(" | ").collect::<Vec<_>>());
    (1..).zip(cells).map(|(number, cells)| ok(&format!("line {number}"), &cells)).collect()
}

fn text(patterns: &[&str]) -> InputOptions {
    let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    InputOptions { patterns, ..InputOptions::default() }
}

#[test]
fn the_first_pattern_in_the_list_wins_wherever_it_matches() {
    let patterns = [r"(?<msg>\w+) received", r"^(?<rest>.*)$", r"(?<never>x)"];
    let input = b"12: hello received\nother\nx received\n";
    let paths = ["pattern", "msg", "rest"];
    let rows = read_with(input, Format::Text, &text(&patterns), &paths);
    let expected = [
        ok("line 1", &["1", "hello", "~"]),
        ok("line 2", &["2", "~", "other"]),
        ok("line 3", &["1", "x", "~"]),
    ];
    assert_eq!(rows, expected);
    let leftmost = InputOptions { patterns_win: PatternsWin::Leftmost, ..text(&patterns) };
    let rows = read_with(input, Format::Text, &leftmost, &paths);
    assert_eq!(rows[0], ok("line 1", &["2", "~", "12: hello received"]));
}

/// The rule, written down: the patterns are tried one after another.
#[test]
fn the_winner_is_the_one_that_trying_each_in_turn_finds() {
    let lists = [["b", "a", "^c", ".*"], ["^a", "ab", "b$", "c"], ["", "a", "b", "c"]];
    let letters = ["", "a", "b", "c"];
    for patterns in &lists {
        for first in letters {
            for second in letters {
                for third in letters {
                    let line = format!("{first}{second}{third}x");
                    let rows =
                        read_with(line.as_bytes(), Format::Text, &text(patterns), &["pattern"]);
                    let matches = |pattern: &&str| {
                        let regex = regex_automata::meta::Regex::new(pattern).expect("a pattern");
                        regex.is_match(&line)
                    };
                    let expected = patterns.iter().position(matches).map(|at| (at + 1).to_string());
                    let shown = expected.as_deref().unwrap_or("~");
                    assert_eq!(rows, [ok("line 1", &[shown])], "{patterns:?} on {line}");
                }
            }
        }
    }
}

const STACKS: &str =
    "tail of a record\n at x\n2024 a one\n at f\n\n at g\n2024 b two\r\n at h\r\n\r\n2024 c three";

fn started() -> InputOptions {
    InputOptions { start: Some("^2024".to_owned()), ..text(&[r"(?s)^2024 (?<who>\w) (?<msg>.*)"]) }
}

#[test]
fn records_go_on_up_to_the_next_start() {
    let expected = [
        ok("line 1", &["~", "~", "tail of a record"]),
        ok("line 2", &["~", "~", " at x"]),
        ok("line 3", &["a", "one\n at f\n\n at g", "2024 a one\n at f\n\n at g"]),
        ok("line 7", &["b", "two\n at h", "2024 b two\n at h"]),
        ok("line 10", &["c", "three", "2024 c three"]),
    ];
    for batch_bytes in [1, 2, 3, 7, 11, 20, 50, 1000] {
        let options = InputOptions { batch_bytes, ..started() };
        let rows = read_with(STACKS.as_bytes(), Format::Text, &options, &["who", "msg", "line"]);
        assert_eq!(rows, expected, "batches of {batch_bytes}");
    }
}

#[test]
fn a_record_over_lines_that_is_too_long_costs_only_itself() {
    let long = format!("2024 a {}\n", "x\n".repeat(40));
    let line = format!("2024 d {}\nat\n", "y".repeat(90));
    let input = format!("2024 z\n{long}2024 b hello\n{line}2024 c bye\nat {}\n", "z".repeat(90));
    for batch_bytes in [1, 5, 16, 64, 1000] {
        let options = InputOptions { batch_bytes, max_record_bytes: 40, ..started() };
        let rows = read_with(input.as_bytes(), Format::Text, &options, &["who", "msg"]);
        let too_long = |line: u32| err(&format!("{line}: the record is longer than 40 bytes"));
        assert_eq!(
            rows,
            [
                ok("line 1", &["~", "~"]),
                too_long(2),
                ok("line 43", &["b", "hello"]),
                too_long(44),
                too_long(46),
            ],
            "batches of {batch_bytes}"
        );
    }
}

#[test]
fn lines_without_a_pattern_are_unmatched_and_not_broken() {
    let mapping = mapping(
        "[input]\npatterns = ['^(?<s>\\d+) (?<who>\\w+) (?<msg>\\w+)']\n\
         [event]\nsession = \"s\"\nlifeline = \"who\"\ndirection = \"emission\"\nmessage = \"msg\"\n",
    );
    assert_eq!(map(&mapping, b"1 a hello\nstarting\n", Format::Text), ["1 a!hello", "unmatched"]);
}

fn errors_of(text: &str) -> String {
    let mapping = Mapping::parse(&Source::new("map.toml", text));
    mapping.expect_err("a wrong mapping").to_string()
}

const EVENT: &str =
    "[event]\nsession = \"s\"\nlifeline = \"a\"\ndirection = \"emission\"\nmessage = \"m\"\n";

#[test]
fn fragments_stand_in_patterns_and_conditions() {
    let map_text = r#"
[patterns]
request = 'req-%{hex}'
[input]
patterns = ['^%{syslog-time:t} %{host:a} \[%{request:s}\] %{data:m}(?: from %{ip:peer})?$']
[event]
session = "s"
[[rule]]
when = { peer = '/^%{ipv6}$/' }
actions = ["{a}!{m}_6"]
[[rule]]
actions = ["{a}!{m}"]
"#;
    let log = b"Mar  1 12:00:00 web-1 [req-0af] get from 10.0.0.1\nMar 11 12:00:00 web-1 [req-1] get from ::1\n";
    let shown = map(&mapping(map_text), log, Format::Text);
    assert_eq!(shown, ["req-0af web-1!get", "req-1 web-1!get_6"]);
}

#[test]
fn wrong_fragments_are_told_at_their_place() {
    let unknown = errors_of(&format!("[input]\npatterns = ['a', '^%{{ipp:s}} x']\n{EVENT}"));
    assert!(unknown.contains("map.toml:2:20"), "{unknown}");
    assert!(unknown.contains("unknown fragment `ipp`"), "{unknown}");
    assert!(unknown.contains("did you mean `ip`?"), "{unknown}");
    let endless = errors_of(&format!("[patterns]\na = 'x%{{b}}'\nb = '%{{a}}'\n{EVENT}"));
    assert!(endless.contains("fragment `a` contains itself"), "{endless}");
    assert!(endless.contains("map.toml:2:7"), "{endless}");
    assert!(endless.contains("the chain is b > a > b"), "{endless}");
    let regex = errors_of(&format!("[patterns]\na = '('\n{EVENT}"));
    assert!(regex.contains("map.toml:2:5"), "{regex}");
    let start = errors_of(&format!("[input]\nformat = \"csv\"\nstart = 'x'\n{EVENT}"));
    assert!(start.contains("`start` is for plain text"), "{start}");
    let win = errors_of(&format!("[input]\npatterns = ['x']\npatterns-win = \"last\"\n{EVENT}"));
    assert!(win.contains("expected \"first\" or \"leftmost\""), "{win}");
}

const ZEEK: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n\
#fields\tts\tid.orig_h\tnote\n#types\ttime\taddr\tstring\n1.5\t10.0.0.1\t-\n2.5\t::1\t(empty)\n3\ta\n\
4\tb\ttab\\x09\\xc3\\xa9\n#close\t2024-01-01-00-00-00\n#separator ,\n#path,dns\n#fields,note,ts\nx,9\n";

#[test]
fn zeek_has_several_headers_in_one_stream() {
    assert_eq!(Format::guess("conn.log", ZEEK.as_bytes()), Some(Format::Zeek));
    assert_eq!(
        read(ZEEK.as_bytes(), Format::Zeek, &["ts", "id.orig_h", "note", "_path"]),
        [
            ok("line 8", &["1.5", "10.0.0.1", "~", "conn"]),
            ok("line 9", &["2.5", "::1", "", "conn"]),
            err("10: 2 cells in a log of 3 fields"),
            ok("line 11", &["4", "b", "tab\t\u{e9}", "conn"]),
            ok("line 16", &["9", "~", "x", "dns"]),
        ]
    );
    assert_eq!(read(b"1\t2\n", Format::Zeek, &["ts"]), [err("1: a row before `#fields`")]);
    let twice = b"#separator \\x09\n#fields\ta\ta\n1\t2\n";
    assert_eq!(read(twice, Format::Zeek, &["a"]), [err("2: two columns are called `a`")]);
    let other = b"#fields\ta\n1\n#2\n3\n";
    assert_eq!(
        read(other, Format::Zeek, &["a"]),
        [ok("line 2", &["1"]), err("3: `#2` is not a setting of Zeek")]
    );
    let wrong = b"#separator tab\n#fields a\n";
    assert_eq!(read(wrong, Format::Zeek, &["a"]), [err("1: `tab` is not a separator")]);
}

#[test]
fn zeek_closes_the_logs_that_it_opened() {
    let opened = "#separator ,\n#open,2026-01-01-00-00-00\n#fields,a\nx\n";
    let rows = |text: &str| read(text.as_bytes(), Format::Zeek, &["a"]);
    let (row, not_closed) =
        (ok("line 4", &["x"]), "the log was opened with #open, and no #close ends it");
    assert_eq!(rows(opened), [row.clone(), err(&format!("5: {not_closed}"))]);
    assert_eq!(rows(&format!("{opened}#close,2026\n")), std::slice::from_ref(&row));
    // Two files in one stream: the first is cut off.
    let two = format!("{opened}#separator ,\n#fields,a\ny\n");
    assert_eq!(rows(&two), [row, err(&format!("5: {not_closed}"))]);
}

#[test]
fn lines_with_a_level_or_a_speaker_behind_the_time_are_no_syslog() {
    let other = ["INFO [a.B] up", "Warning db: slow", "[main] up", "(7) up", "till: sent bill 7"];
    for line in other {
        let input = format!("2024-05-01T10:00:00.100Z {line}\n");
        assert_ne!(Format::guess("log", input.as_bytes()), Some(Format::Syslog), "{line}");
    }
    for line in ["information [a.B] up", "10.0.0.1 db: slow", "fe80::1 up", "main.example-7.org up"]
    {
        let input = format!("2024-05-01T10:00:00.100Z {line}\n");
        assert_eq!(Format::guess("log", input.as_bytes()), Some(Format::Syslog), "{line}");
    }
}

#[test]
fn syslog_is_read_in_both_versions() {
    let input = "<165>1 2003-10-11T22:14:15.003Z host.example.com evntslog 77 ID47 \
        [ex@32473 iut=\"3\" a.b=\"q\\\"\\]\\n\"][two x=\"1\"] \u{feff}An event\n\
        <34>Oct 11 22:14:15 mymachine su[231]: 'su root' failed\n\
        Mar  1 02:04:05 host kernel: up\n\
        2003-10-11T22:14:15Z host last message repeated 2 times\n\
        <0>1 - - - - - -\n\
        <192>1 - - - - - -\n<13>yesterday host app: x\n<13>1 - h a - - [x y=\"1] z\n";
    assert_eq!(Format::guess("log", &input.as_bytes()[..200]), Some(Format::Syslog));
    let paths = [
        "facility",
        "severity",
        "time",
        "host",
        "app",
        "pid",
        "msgid",
        "data.ex@32473.iut",
        "data.ex@32473.a.b",
        "data.two.x",
        "message",
    ];
    let rows = read(input.as_bytes(), Format::Syslog, &paths);
    let expected = [
        r#"local4 | notice | 2003-10-11T22:14:15.003Z | host.example.com | evntslog | 77 | ID47 | 3 | q"]\n | 1 | An event"#,
        "auth | crit | Oct 11 22:14:15 | mymachine | su | 231 | ~ | ~ | ~ | ~ | 'su root' failed",
        "~ | ~ | Mar  1 02:04:05 | host | kernel | ~ | ~ | ~ | ~ | ~ | up",
        "~ | ~ | 2003-10-11T22:14:15Z | host | ~ | ~ | ~ | ~ | ~ | ~ | last message repeated 2 times",
        "kern | emerg | ~ | ~ | ~ | ~ | ~ | ~ | ~ | ~ | ~",
    ];
    assert_eq!(rows[..5], table(&expected));
    assert_eq!(
        rows[5..],
        [
            err("6: expected a priority from 0 to 191 and `>`"),
            err("7: expected a time, as in `Oct 11 22:14:15` or 2003-10-11T22:14:15Z"),
            err("8: expected a closing quote"),
        ]
    );
}

#[test]
fn a_parameter_of_syslog_has_one_value() {
    let line = |data: &str| format!("<13>1 2003-10-11T22:14:15Z h a - - {data} hello\n");
    let input = line("[x y=\"1\" z=\"1\" z=\"2\"]")
        + &line("[x y=\"1\" y=\"2\"]")
        + &line("[x y=\"1\"][x y=\"\\]\"]")
        + &line("[x y=\"\\]\"][x y=\"\\]\"]")
        + &line("[x y=\"\\]\"]");
    let twice = |line: u8| err(&format!("{line}: `data.x.y` stands twice, with different values"));
    assert_eq!(
        read(input.as_bytes(), Format::Syslog, &["data.x.y"]),
        [ok("line 1", &["1"]), twice(2), twice(3), ok("line 4", &["]"]), ok("line 5", &["]"])]
    );
}

/// The length before a message, as in streams, is skipped; it may count the line end.
#[test]
fn a_message_of_syslog_may_have_its_length_before_it() {
    let message = "<165>1 2003-10-11T22:14:15.003Z host proxy 77 OUT - invite";
    let length = message.len();
    let line = |length: usize| format!("{length} {message}\n");
    let input =
        line(length) + &line(length + 1) + message + "\n" + &line(length - 1) + &line(length + 9);
    let rows = read(input.as_bytes(), Format::Syslog, &["app", "message"]);
    assert_eq!(rows[..3], table(&["proxy | invite"; 3]));
    assert_eq!(
        rows[3],
        err(
            "4: more stands on the line than the length before the message says, and no other length begins there (RFC 6587)"
        )
    );
    assert_eq!(
        rows[4],
        err("5: the message goes on behind its line, as the length before it says (RFC 6587)")
    );
    assert_eq!(Format::guess("log", input.as_bytes()), Some(Format::Syslog));
}

#[test]
fn access_logs_are_common_or_combined() {
    let input = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326 "http://b/" "Mo \"z\""
::1 - - [10/Oct/2000:13:55:37 -0700] "POST /x y HTTP/1.1" 404 -
h - - [10/Oct/2000:13:55:37 -0700] "\x16\x03" 400 0 "-" "-" "10.0.0.9"
h - - [10/Oct/2000:13:55:37 -0700] GET 400 0
"#;
    assert_eq!(
        Format::guess("log", input[..200].lines().next().expect("a line").as_bytes()),
        Some(Format::AccessLog)
    );
    let paths = [
        "client", "user", "time", "method", "path", "protocol", "status", "bytes", "referer",
        "agent", "rest", "request",
    ];
    let rows = read(input.as_bytes(), Format::AccessLog, &paths);
    let expected = [
        r#"127.0.0.1 | frank | 10/Oct/2000:13:55:36 -0700 | GET | /a?b=c | HTTP/1.0 | 200 | 2326 | http://b/ | Mo \"z\" | ~ | GET /a?b=c HTTP/1.0"#,
        "::1 | ~ | 10/Oct/2000:13:55:37 -0700 | POST | /x y | HTTP/1.1 | 404 | ~ | ~ | ~ | ~ | POST /x y HTTP/1.1",
        r#"h | ~ | 10/Oct/2000:13:55:37 -0700 | ~ | ~ | ~ | 400 | 0 | ~ | ~ | "10.0.0.9" | \x16\x03"#,
    ];
    assert_eq!(rows[..3], table(&expected));
    assert_eq!(rows[3..], [err("4: expected the request in quotes")]);
}

/// A line with the host before the client, or with several clients, is an error: another word would be taken for the client.
#[test]
fn access_logs_have_three_words_before_the_time() {
    let rest = "[10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1";
    let starts =
        ["h:443 10.0.0.3 - -", "10.0.0.1, 10.0.0.2 - -", "10.0.0.1 - -", "10.0.0.1 - Ann Lee"];
    let input = starts.map(|start| format!("{start} {rest}\n")).concat();
    let error = "expected three words before the time: the client, its identity and the user";
    let rows = read(input.as_bytes(), Format::AccessLog, &["client", "user"]);
    let wrong = |line: u8| err(&format!("{line}: {error}"));
    let right = [ok("line 3", &["10.0.0.1", "~"]), ok("line 4", &["10.0.0.1", "Ann Lee"])];
    assert_eq!(rows, [&[wrong(1), wrong(2)], &right[..]].concat());
}

#[test]
fn a_record_of_logcat_behind_a_divider_is_no_part_of_it() {
    for divider in ["--------- beginning of main", "--------- switch to /dev/log/events "] {
        let input = format!("{divider}\nE/Tag( 17): bye\n{divider} E/Tag( 17): bye\n{divider}\r\n");
        let rows = read(input.as_bytes(), Format::Logcat, &["message"]);
        assert_eq!(rows[0], ok("line 2", &["bye"]));
        assert!(rows.len() == 2 && rows[1].is_err(), "{rows:?}");
    }
}

#[test]
fn logcat_is_threadtime_time_or_brief() {
    let input = "--------- beginning of main\n\
        03-17 16:13:38.811  1702  2395 D Window Manager: a: b\n\
        2024-03-17 16:13:38.811  u0  1 2 D x: y\n\
        03-17 16:13:38.811  1000  1702  2395 I Tag     : \n\
        03-17 16:13:38.811 W/Tag(x)( 1702): hello\n\
        E/Tag( 17): bye\n\
        X/Tag( 17): bye\nE/Tag: bye\n";
    assert_eq!(Format::guess("log", &input.as_bytes()[..82]), Some(Format::Logcat));
    let paths = ["time", "uid", "pid", "tid", "level", "tag", "message"];
    let time = "03-17 16:13:38.811";
    assert_eq!(
        read(input.as_bytes(), Format::Logcat, &paths),
        [
            ok("line 2", &[time, "~", "1702", "2395", "D", "Window Manager", "a: b"]),
            err("3: expected a level, one of V, D, I, W, E, F, A and S"),
            ok("line 4", &[time, "1000", "1702", "2395", "I", "Tag", ""]),
            ok("line 5", &[time, "~", "1702", "~", "W", "Tag(x)", "hello"]),
            ok("line 6", &["~", "~", "17", "~", "E", "Tag", "bye"]),
            err("7: expected a level, one of V, D, I, W, E, F, A and S"),
            err("8: expected a tag with `):` behind it"),
        ]
    );
}

#[test]
fn other_texts_keep_their_formats() {
    let logfmt = b"Mar  1 02:04:05 host app: a=1 b=2\nMar  1 02:04:05 host app: a=1 b=2\n";
    assert_eq!(Format::guess("log", logfmt), Some(Format::Logfmt));
    assert_eq!(Format::guess("log", b"<13>hello\n"), None);
    assert_eq!(Format::guess("log", b"<log><trace>\n"), Some(Format::Xes));
    assert_eq!(values(b"a,b\n1,2\n", Format::Csv, &["b"]), [["2"]]);
}

/// No token and one without signs before it lead to different templates, though their signs are the same.
#[test]
fn a_line_of_signs_alone_is_no_line_of_one_token() {
    for sign in ["!", "=", ",", ")", "\"", "}", "]", ">", ";", ":"] {
        let lines = format!("7{sign}\n{sign}\n");
        let _ = multitrace_logs::propose("x", lines.as_bytes());
    }
}

/// TOML has no control characters in comments, and the reasons of a proposal quote words of the log.
#[test]
fn a_word_with_a_control_character_does_not_break_the_proposal() {
    for control in (0..32_u8).chain([127]).map(char::from).filter(|it| !it.is_ascii_whitespace()) {
        let line = |number: usize| {
            format!(
                "09:12:{number}.100 [sensor-{number}] Sending CONNECT to x\n\
                 09:12:{number}.200 [sensor-{number}] Receive{control}d CONNACK from x\n"
            )
        };
        let lines: String = (10..24).map(line).collect();
        let text = multitrace_logs::propose("x", lines.as_bytes()).expect("a proposal");
        let proposed = Source::new("proposed.toml", super::answered::answered(&text));
        let read = Mapping::parse(&proposed);
        assert!(
            read.is_ok(),
            "{control:?}: {}",
            read.err().map_or_else(String::new, |it| it.to_string())
        );
    }
}

/// A field whose name has braces is read as a template, so a proposal puts it in braces.
#[test]
fn a_name_of_a_field_with_braces_does_not_break_the_proposal() {
    let table = "at{,id},{dir,{message}\nclient,1,send,order\nshop,1,receive,order\n\
                 client,2,send,stop\nshop,2,receive,stop\n";
    let text = multitrace_logs::propose("t.csv", table.as_bytes()).expect("a proposal");
    let mapping = super::common::mapping(&super::answered::answered(&text));
    let events = super::common::map(&mapping, table.as_bytes(), Format::Csv);
    assert_eq!(
        events,
        ["1 client!order", "1 shop?order", "2 client!stop", "2 shop?stop"],
        "{text}"
    );
}

#[test]
fn zeek_says_how_absent_and_empty_values_are_written() {
    let text = "#separator ,\n#unset_field,NA\n#empty_field,none\n#fields,a,b,c\nNA,none,-\n";
    let rows = read(text.as_bytes(), Format::Zeek, &["a", "b", "c"]);
    assert_eq!(rows, [ok("line 5", &["~", "", "-"])]);
}

#[test]
fn lines_that_begin_with_a_time_are_no_table() {
    for (text, format) in [
        ("a,b\n1,2\n", Some(Format::Csv)),
        ("10:00:00,1 x\n10:00:01,2 y\n", None),
        ("2024-05-01 10:00:00,1 x\n2024-05-01 10:00:01,2 y\n", None),
        ("2024/05/01 10:00:00,1 x\n2024/05/01 10:00:01,2 y\n", None),
        ("[a],b\n[c],d\n", None),
        ("100000,1\n100000,2\n", Some(Format::Csv)),
    ] {
        assert_eq!(Format::guess("log", text.as_bytes()), format, "{text}");
    }
}

#[test]
fn the_stem_of_a_file_has_no_folders_and_endings() {
    for (name, stem) in [
        ("logs/node-1.log.gz", "node-1"),
        ("C:\\logs\\a.b.jsonl", "a.b"),
        ("a.jsonl.zst", "a"),
        ("plain", "plain"),
        ("x/.jsonl", ".jsonl"),
        (".gz", ""),
    ] {
        let fields = super::common::fields(&["@stem", "@file"]);
        let options = multitrace_logs::InputOptions::default();
        let batches = multitrace_logs::RecordBatches::new(
            name,
            &b"{}\n"[..],
            Format::JsonLines,
            &options,
            &fields,
        );
        let mut found = Vec::new();
        for batch in batches.expect("readable") {
            batch.expect("readable").for_each(|record| {
                let record = record.expect("a record");
                found.extend(fields.iter().map(|(id, _)| record.get(id).map(str::to_owned)));
            });
        }
        assert_eq!(found, [Some(stem.to_owned()), Some(name.to_owned())]);
    }
}
