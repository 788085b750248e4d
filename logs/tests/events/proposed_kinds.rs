//! Proposals for kinds of logs that people tried: a part that nothing tells is asked for, and no mapping is read until then.

use super::answered::answered;
use super::common::{grouped, map, mapping};
use multitrace_formats::source::Source;
use multitrace_logs::{Format, Mapping, propose};

fn proposed(name: &str, log: &str) -> String {
    propose(name, log.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    for line in wanted {
        assert!(text.contains(line), "{line}\nin\n{text}");
    }
}

fn is_read(text: &str) -> bool {
    Mapping::parse(&Source::new("map.toml", text)).is_ok()
}

/// A record of one end, with a time as it is.
fn record(time: &str, at: usize) -> String {
    let (node, way) = [("till", "sent"), ("bank", "received")][at % 2];
    let what = ["bill", "thanks"][at / 2 % 2];
    format!(
        r#"{{"time":"{time}","session":"s{}","node":"{node}","direction":"{way}","action":"{what}"}}"#,
        at / 4
    )
}

#[test]
fn a_question_of_a_text_log_leaves_no_value_that_counts() {
    let line = |at: usize, node: &str, text: &str| {
        format!("2031-02-03T04:05:{at:02}Z [{node}] order={} {text}", at / 3 + 70)
    };
    let log = lines(24, |at| match at % 3 {
        0 => line(at, "till", "printed bill"),
        1 => line(at, "bank", "sent thanks to till"),
        _ => line(at, "bank", "moved money"),
    });
    let text = proposed("shop.log", &log);
    has(
        &text,
        &["direction? No word tells", "\n# direction = ", "actions = [\"{source}!thanks\"]"],
    );
    assert!(!is_read(&text), "{text}");
    let events = map(&mapping(&answered(&text)), log.as_bytes(), Format::Text);
    assert_eq!(events[..3], ["70 till!printed_bill", "70 bank!thanks", "70 bank!moved_money"]);
    // Nobody is named, so that the lifeline is asked for once.
    let nameless = log.replace("[till] ", "").replace("[bank] ", "");
    let text = proposed("shop.log", &nameless);
    assert_eq!(text.matches("\n# lifeline = ").count(), 1, "{text}");
    assert!(!is_read(&text) && is_read(&answered(&text)), "{text}");
}

#[test]
fn an_order_that_is_asked_for_is_not_that_of_the_file() {
    let log = |time: &dyn Fn(usize) -> String| lines(16, |at| record(&time(59 - at), at));
    for (format, time) in [
        (
            "epoch-ms",
            &(|at: usize| format!("/Date({})/", 1_900_000_000_000_u64 + at as u64 * 10))
                as &dyn Fn(usize) -> String,
        ),
        ("%m/%d/%Y %I:%M:%S%.f %p", &|at: usize| format!("3/17/2031 1:02:{at:02} PM")),
        ("%b %d, %Y %I:%M:%S%.f %p", &|at: usize| format!("Mar 7, 2031 1:02:{at:02} AM")),
    ] {
        let text = proposed("log.jsonl", &log(time));
        has(&text, &[&format!("\norder = {{ field = \"time\", format = \"{format}\" }}\n")]);
    }
    // Of a day alone, the newest first; in words; days and months that nobody tells apart.
    for time in [
        &(|at: usize| format!("12:00:{at:02},250")) as &dyn Fn(usize) -> String,
        &|at: usize| format!("minute {at} of lunch"),
        &|at: usize| format!("0{}/0{}/2031 10:00:00", at % 7 + 1, at % 9 + 1),
    ] {
        let text = proposed("log.jsonl", &log(time));
        has(&text, &["# order? ", "\norder = []\n"]);
        assert!(!is_read(&text) && is_read(&answered(&text)), "{text}");
    }
    let oldest_first = lines(16, |at| record(&format!("12:00:{at:02},250"), at));
    let text = proposed("log.jsonl", &oldest_first);
    assert!(!text.contains("order?") && is_read(&text), "{text}");
}

#[test]
fn times_in_lines_of_text_may_have_half_a_day() {
    let line = |at: usize, time: &str| {
        let what = ["[till] sent bill", "[bank] received bill"][at % 2];
        format!("{time} {what} for order={}", at / 4 + 10)
    };
    let log = lines(20, |at| line(at, &format!("3/17/2031 1:02:{:02} PM", 59 - at)));
    has(
        &proposed("a.log", &log),
        &["order = { field = \"time\", format = \"%m/%d/%Y %I:%M:%S%.f %p\" }"],
    );
    let log = lines(20, |at| line(at, &format!("noon+0:{:02}", 59 - at)));
    has(&proposed("a.log", &log), &["# order? ", "\norder = []\n"]);
}

#[test]
fn names_of_containers_stand_before_json() {
    let json = |at: usize| {
        let (way, what) = (["send", "recv"][at % 2], ["bill", "thanks"][at / 2 % 2]);
        format!(
            r#"{{"ts":"2031-02-03T04:05:{at:02}Z","trace":"t{}","dir":"{way}","event":"{what}"}}"#,
            at / 6
        )
    };
    let names = ["till-1", "bank-1", "post-1"];
    let bars = lines(24, |at| format!("{:8} | {}", names[at % 3], json(at)));
    let prefixed = lines(24, |at| format!("[pod/{0}/{0}] {1}", names[at % 3], json(at)));
    for (log, lifeline, field) in [(bars, "till-1", "container"), (prefixed, "till-1", "pod")] {
        let text = proposed("all.log", &log);
        has(
            &text,
            &[&format!("\nlifeline = \"{field}\"\n"), "\nsession = \"payload|json.trace\"\n"],
        );
        let events = map(&mapping(&text), log.as_bytes(), Format::Text);
        assert_eq!(events[0], format!("t0 {lifeline}!bill"));
        assert_eq!(events.len(), 24);
    }
}

#[test]
fn lines_with_names_of_cells_are_read() {
    let names = "#Version: 1.0\n#Fields: date time s-ip cs-method cs(User-Agent) sc-status\n";
    let row = |at: usize| {
        let (host, method) = (at % 2 + 1, ["GET", "PUT"][at / 2 % 2]);
        format!("2031-02-03 04:05:{at:02} 10.1.1.{host} {method} Some+agent/5.0+(x) 200")
    };
    let log = names.to_owned() + &lines(12, row);
    let text = proposed("web.log", &log);
    has(
        &text,
        &["\norder = \"time\"\n", "\nmessage = \"cs_method\"\n", "# session? ", "# direction? "],
    );
    let events = map(&mapping(&answered(&text)), log.as_bytes(), Format::Text);
    let dropped = events.iter().filter(|it| it.contains("comments")).count();
    assert_eq!((events.len(), dropped), (14, 2), "{events:?}");
    // Lines behind other names are told, and not read by the old ones in silence.
    let other = log.clone() + "#Fields: date time cs-method s-ip cs(User-Agent) sc-status\n";
    let events = map(&mapping(&answered(&text)), other.as_bytes(), Format::Text);
    assert!(!events[14].contains("comments"), "{events:?}");
    has(&text, &["\nunmatched = \"error\"\n"]);
    // Cells may have other signs between them than their names.
    let tabs = log.replace(" 10.", "\t10.").replace(" GET ", "\tGET\t").replace(" PUT ", "\tPUT\t");
    let tabs = tabs.replace(" 04:", "\t04:").replace(" 200", "\t200");
    has(
        &proposed("web.log", &tabs),
        &["\norder = \"{date} {time}\"\n", "\nmessage = \"cs_method\"\n"],
    );
    // Mail servers write commas; the line with the names is no row.
    let mail = lines(12, |at| {
        format!(
            "2031-02-03T04:05:{at:02}.1Z,mx{},{},m{}",
            at % 2,
            ["RECEIVE", "SEND"][at % 2],
            at / 3
        )
    });
    let mail = "#Fields: date-time,server-hostname,event-id,call-id\n".to_owned() + &mail;
    let text = proposed("mail.log", &mail);
    has(
        &text,
        &["\norder = \"date_time\"\n", "\nlifeline = \"server_hostname\"\n", "in 12 of 12 records"],
    );
}

#[test]
fn messages_of_sip_have_several_lines() {
    let message = |at: usize, head: &str| {
        let first = ["INVITE sip:b@x SIP/2.0", "SIP/2.0 200 OK", "ACK sip:b@x SIP/2.0"][at % 3];
        let headers = "Via: SIP/2.0/UDP x;branch=z9\nFrom: <sip:a@x>\nCSeq: 1 INVITE";
        format!("{head}{first}\n{headers}\nCall-ID: c{}@x\nContent-Length: 0\n", at / 3)
    };
    let ends = ["10.1.1.1:5060 -> 10.1.1.2:5060", "10.1.1.2:5060 -> 10.1.1.1:5060"];
    let log = lines(9, |at| {
        message(at, &format!("2031-02-03 04:05:{at:02}.5 {}\n", ends[usize::from(at % 3 == 1)]))
    });
    let text = proposed("sip.log", &log);
    has(&text, &["\nsession = \"call_id\"\n", "\norder = \"time\"\n"]);
    let made = grouped(&mapping(&text), log.as_bytes(), Format::Text, 1 << 20);
    assert_eq!(made.problems, Vec::<String>::new());
    let (id, events) = &made.sessions[0];
    assert_eq!((id.as_str(), events.len()), ("c0@x", 6));
    let bare = lines(9, |at| message(at, ""));
    let text = proposed("sip.log", &bare);
    has(&text, &["# order? ", "# lifeline? ", "# direction? ", "start = '^(?:[A-Z]+"]);
    assert!(!is_read(&text));
    let events = map(&mapping(&answered(&text)), bare.as_bytes(), Format::Text);
    assert_eq!(events[..2], ["c0@x log!INVITE", "c0@x log!200"]);
}

#[test]
fn numbers_of_kinds_are_no_sessions_and_parts_of_programs_no_sure_lifelines() {
    let log = lines(24, |at| {
        let (id, text) = [(4624, "came in"), (4672, "has rights"), (4634, "left")][at % 3];
        format!(
            r#"{{"Created":"2031-02-03T04:05:{at:02}Z","Id":{id},"Machine":"m{}","Message":"{text}"}}"#,
            at % 2
        )
    });
    has(&proposed("events.jsonl", &log), &["# session? "]);
    for part in ["SourceContext", "grpc.component", "loggerName", "class"] {
        let log = lines(24, |at| {
            let (of, what) = (["a.Till", "a.Bank"][at % 2], ["bill", "thanks"][at / 2 % 2]);
            format!(
                r#"{{"time":"2031-02-03T04:05:{at:02}Z","{part}":"{of}","trace_id":"t{}","event":"{what}"}}"#,
                at / 4
            )
        });
        let text = proposed("log.jsonl", &log);
        has(&text, &["# lifeline? ", "\nsession = \"trace_id\"\n"]);
        // A service beside it is better known.
        let text = proposed(
            "log.jsonl",
            &log.replace("\"time\"", "\"service\":\"x\",\"time\"").replacen("\"x\"", "\"y\"", 9),
        );
        has(&text, &["\nlifeline = \"service\"\n"]);
    }
}

/// What radios call sending and receiving tells a direction if one message has both, and is no part of its name.
#[test]
fn short_words_for_both_directions_tell_them() {
    let log = |words: [&str; 2]| {
        lines(24, |at| {
            let way = words[at % 2];
            format!("04:05:{at:02} node{} {way} JOIN grp={}", at % 3, at / 2)
        })
    };
    let rules = ["emission", "reception"]
        .map(|told| format!("\nmessage = {{ text = \"JOIN\" }}\ndirection = \"{told}\"\n"));
    has(&proposed("a.log", &log(["TX", "RX"])), &rules.each_ref().map(String::as_str));
    has(&proposed("a.log", &log(["TX", "UP"])), &["# 1: direction? ", "# 2: direction? "]);
}

/// Lists of records may stand in a list, one for each trace.
#[test]
fn records_in_lists_of_lists_have_fields() {
    let trace = |at: usize| {
        format!(
            r#"[{{"id":"t-{at:04}","at":"till","dir":"sent","op":"bill"}},{{"id":"t-{at:04}","at":"bank","dir":"received","op":"bill"}}]"#
        )
    };
    let log = format!("[{},{},{}]", trace(1), trace(2), trace(3));
    has(
        &proposed("traces.json", &log),
        &["session = \"id\"\n", "\nlifeline = \"at\"\n", "\ndirection = { field = \"dir\""],
    );
}

/// A line of the program is not who logged.
#[test]
fn lines_of_programs_are_no_lifelines() {
    let log = |files: [&str; 2]| {
        lines(24, |at| {
            let (file, way) = (files[at % 2], ["acquires", "releases"][at % 2]);
            format!("I0203 04:05:{at:02}.000000 7 {file}] order {} {way} a lock", at / 2 + 100)
        })
    };
    has(&proposed("a.log", &log(["locks.cc:12", "locks.cc:40"])), &["\n# lifeline? "]);
    has(&proposed("a.log", &log(["locks-north:12", "locks-south:12"])), &["\n# lifeline: "]);
}

#[test]
fn pods_in_lines_of_text_are_renamed_or_asked_for() {
    let log = |names: [&str; 2]| {
        lines(24, |at| {
            let (name, way) = (names[at % 2], ["sent", "received"][at % 2]);
            format!("2031-02-03T04:05:{at:02}Z [{name}] {way} bill for order={}", at / 4 + 10)
        })
    };
    let text = proposed("pods.log", &log(["till-7d9f8b6c5d-x2x4z", "bank-66bb9d7c8-ab1cd"]));
    has(&text, &["\n[rename.lifelines]\n"]);
    let events = map(
        &mapping(&text),
        log(["till-7d9f8b6c5d-x2x4z", "bank-66bb9d7c8-ab1cd"]).as_bytes(),
        Format::Text,
    );
    assert_eq!(events[..2], ["10 till!bill", "10 bank?bill"]);
    let text = proposed("pods.log", &log(["till-7d9f8b6c5d-x2x4z", "till-7d9f8b6c5d-ab1cd"]));
    has(&text, &["# replicas? ", "\n# [rename.lifelines]\n"]);
}

#[test]
fn json_in_sequences_and_in_texts_is_read() {
    let time = |at: usize| format!("2031-02-03T04:05:{at:02}Z");
    let sequence = lines(16, |at| format!("\u{1e}{}", record(&time(at), at)));
    let text = proposed("log.json-seq", &sequence);
    has(&text, &["\nformat = \"json\"\n", "\nsession = \"session\"\n"]);
    let format = Format::guess("log.json-seq", sequence.as_bytes());
    assert_eq!(format, Some(Format::Json));
    assert_eq!(map(&mapping(&text), sequence.as_bytes(), Format::Json).len(), 16);
    let inside = lines(16, |at| {
        let inner = record(&time(at), at).replace('"', "\\\"");
        format!(r#"{{"host":"h1","msg":"{inner}"}}"#)
    });
    let text = proposed("log.jsonl", &inside);
    has(&text, &["\nsession = \"msg|json.session\"\n", "\nmessage = \"msg|json.action\"\n"]);
    assert_eq!(map(&mapping(&text), inside.as_bytes(), Format::JsonLines)[1], "s0 bank?bill");
    let journal = lines(8, |at| {
        format!(
            "{{\n\"__REALTIME_TIMESTAMP\": \"17000000000000{at:02}\",\n\"_COMM\": \"till\",\n\"MESSAGE\": \"id=a1 sent bill\"\n}}"
        )
    });
    has(&proposed("journal.json", &journal), &["\nformat = \"json\"\n", "a log of journald"]);
}

#[test]
fn exports_say_when_they_lack_records() {
    let rows: Vec<String> =
        (0..16).map(|at| record(&format!("2031-02-03T04:05:{at:02}Z"), at)).collect();
    let found = format!(r#"{{"preview":false,"messages":[],"results":[{}]}}"#, rows.join(","));
    has(&proposed("splunk.json", &found), &["\nincomplete = [\"preview\"]\n"]);
    let text = answered(&proposed("splunk.json", &found));
    assert_eq!(map(&mapping(&text), found.as_bytes(), Format::Json).len(), 16);
    let streamed = lines(16, |at| format!(r#"{{"preview":{},"result":{}}}"#, at == 0, rows[at]));
    let text = proposed("splunk.jsonl", &streamed);
    has(&text, &["\nsession = \"result.session\"\n", "name = \"previews\""]);
    let events = map(&mapping(&text), streamed.as_bytes(), Format::JsonLines);
    assert_eq!(events[..2], ["dropped by previews", "s0 bank?bill"]);
    let values: Vec<String> = (0..6).map(|at| format!(r#"["190000000{at}","id {at}"]"#)).collect();
    let streams = format!(
        r#"{{"status":"success","data":{{"resultType":"streams","result":[{{"stream":{{"app":"till"}},"values":[{0}]}},{{"stream":{{"app":"bank"}},"values":[{0}]}}]}}}}"#,
        values.join(",")
    );
    has(&proposed("loki.json", &streams), &["\nincomplete = [\"warnings\", \"status = error\"]\n"]);
}

#[test]
fn tables_without_names_or_below_a_title_have_a_remedy() {
    let row = |at: usize| {
        let start = format!(
            "2031-02-03 04:05:{at:02}.5 UTC,\"app\",\"shop\",{},\"10.1.1.1:4{at:03}\"",
            70 + at / 4
        );
        let tag = ["BEGIN", "INSERT", "COMMIT"][at % 3];
        format!(
            "{start},6a{}.7b,{at},\"{tag}\",2031-02-03 04:00:00 UTC,3/{at},0,LOG,00000,\"statement: x\",,,,,,,,,\"psql\",\"client backend\",,0",
            at / 4
        )
    };
    let log = lines(16, row);
    let text = proposed("postgresql.csv", &log);
    has(
        &text,
        &[
            "\nsession = \"session_id\"\n",
            "\norder = { field = \"log_time\", format = \"utc\" }",
            "# lifeline? ",
        ],
    );
    let events = map(&mapping(&answered(&text)), log.as_bytes(), Format::Text);
    assert_eq!((events.len(), events[0].split(' ').next()), (16, Some("6a0.7b")));
    let table = "time,session,node\n".to_owned() + &lines(5, |at| format!("{at},s{at},till"));
    for (title, line) in [("Bills of March\n", 2), ("\"Bills\",,\n,,\n", 3)] {
        let error = propose("bills.csv", (title.to_owned() + &table).as_bytes());
        let error = error.expect_err("a title").to_string();
        assert!(error.contains(&format!("tail -n +{line} FILE")), "{error}");
    }
}

#[test]
fn a_direction_has_the_values_that_were_seen() {
    let log = |ways: [&str; 4]| {
        lines(24, |at| {
            record(&format!("2031-02-03T04:05:{at:02}Z"), at)
                .replace("\"sent\"", &format!("\"{}\"", ways[at / 2 % 2 * 2]))
                .replace("\"received\"", &format!("\"{}\"", ways[at / 2 % 2 * 2 + 1]))
        })
    };
    let text = proposed("log.jsonl", &log(["Sent", "received", "publish", "consumed"]));
    let lists = "emission = [\"Sent\", \"publish\"], reception = [\"consumed\", \"received\"]";
    has(&text, &[&format!("\ndirection = {{ field = \"direction\", {lists} }}")]);
    assert!(is_read(&text), "{text}");
    for other in ["send_failed", "sender_blocked", "outage", "rec_timeout", "sent-twice"] {
        let text = proposed("log.jsonl", &log(["sent", "received", other, "received"]));
        let line = "\n# direction = { field = \"direction\", emission = \"sent\", reception = \"received\" }";
        has(&text, &["# direction? ", line, &format!("drop their records: {other}\n")]);
        assert!(!is_read(&text), "{text}");
    }
    let text = |words: [&str; 3]| {
        let log = lines(24, |at| {
            let (node, what) = (["till", "bank"][at % 2], ["bill", "thanks"][at / 2 % 2]);
            let word = if at == 10 { words[2] } else { words[at % 2] };
            format!(
                r#"{{"time":"2031-02-03T04:05:{at:02}Z","session":"s{}","node":"{node}","msg":"{word} {what}"}}"#,
                at / 4
            )
        });
        (proposed("log.jsonl", &log), log)
    };
    let (sure, log) = text(["sent", "Got", "sending:"]);
    has(
        &sure,
        &[r"emission = '/^(sending|sent)([:,;]?\s|$)/', reception = '/^(Got)([:,;]?\s|$)/' }"],
    );
    let events = map(&mapping(&sure), log.as_bytes(), Format::JsonLines);
    assert_eq!(events[..2], ["s0 till!bill", "s0 bank?bill"]);
    for other in ["send-failed", "reconstructed", "sent_late"] {
        let (open, _) = text(["sent", "got", other]);
        has(&open, &["# direction? ", &format!("drop their records: {other} ")]);
    }
}

#[test]
fn elements_of_lists_have_an_order_of_their_own() {
    let stream = |app: &str, first: &dyn Fn(usize) -> String| {
        let rows: Vec<String> =
            (0..8).map(|at| format!(r#"[{},"op bill {at}"]"#, first(90 - at))).collect();
        format!(r#"{{"labels":{{"app":"{app}"}},"rows":[{}]}}"#, rows.join(","))
    };
    let document = |first: &dyn Fn(usize) -> String| {
        format!(r#"{{"found":{{"list":[{},{}]}}}}"#, stream("till", first), stream("bank", first))
    };
    let text = proposed("rows.json", &document(&|at| format!("\"19000000{at}000000000\"")));
    has(&text, &["\nfor-each = \"rows[]\"\n", "\norder = \"each[0]\"\n"]);
    let text = proposed("rows.json", &document(&|at| format!("\"row {at}\"")));
    has(&text, &["# order? ", "#   each[0]: in 16 of 16 records", "\norder = []\n"]);
    assert!(!is_read(&text), "{text}");
    has(&text, &["# message = \"each[1]\"\n"]);
    let found = r#"{"status":"done","results":[ [{"field":"when","value":"9"}], [{"field":"when","value":"8"}]]}"#;
    has(&proposed("found.json", found), &["# order? ", "\norder = []\n"]);
    let pairs = |at: usize| format!(r#"{{"field":"when","value":"{at}"}}"#);
    let text = proposed("rows.json", &document(&pairs));
    has(&text, &["# order? ", "\norder = []\n"]);
}

#[test]
fn coarse_times_with_the_newest_first_are_asked_for() {
    let row = |at: usize| record(&format!("2031-02-03T04:05:{:02}Z", at / 4), at);
    let newest_first = lines(32, |at| row(31 - at));
    let text = proposed("log.jsonl", &newest_first);
    has(&text, &["# ties? ", ", and the newest stands first.", "\n# ties = \"any\"\n"]);
    assert!(!text.contains("\nties = "), "{text}");
    has(&proposed("log.jsonl", &lines(32, row)), &["# ties? "]);
    // Where the mapping says that the file is in order, it must be.
    let asked = text.replace("# ties = \"any\"", "ties = \"file\"");
    let made = grouped(&mapping(&asked), lines(32, row).as_bytes(), Format::JsonLines, 1 << 20);
    assert_eq!(made.sessions.len(), 8);
}

#[test]
fn two_times_that_sort_one_lifeline_differently_are_asked_for() {
    let log = |late: usize| {
        lines(24, |at| {
            let arrived = if at % 8 == 2 { at + late } else { at };
            let record = record(&format!("2031-02-03T04:05:{at:02}Z"), at);
            record.replace(
                "\"time\"",
                &format!("\"@timestamp\":\"2031-02-03T04:06:{arrived:02}.5Z\",\"event_time\""),
            )
        })
    };
    has(&proposed("log.jsonl", &log(0)), &["\norder = \"@timestamp\"\n"]);
    // One behind the next event of another lifeline, and one behind that of its own.
    has(&proposed("log.jsonl", &log(1)), &["\norder = \"@timestamp\"\n"]);
    let text = proposed("log.jsonl", &log(3));
    has(&text, &["# order? ", "#   @timestamp: ", "#   event_time: ", "\norder = []\n"]);
}

#[test]
fn words_with_long_numbers_are_ids() {
    let log = lines(32, |at| {
        let (thread, way) = (at % 7, ["Sending", "Received"][at % 2]);
        let id = 4410 + at / 16 * 2 + at / 2 % 2;
        format!(
            "2031-02-03 04:05:{at:02},100 INFO [pool-exec-{thread}] a.shop.Till - [tab-{id}] {way} bill"
        )
    });
    let text = proposed("app.log", &log);
    has(&text, &["# session? ", "# session = \"tab\"\n"]);
    assert!(!text.contains("lifeline: `tab`"), "{text}");
    // Hosts with their ports are lifelines.
    let hosts = proposed("app.log", &log.replace("tab-", "till-0-").replace("a.shop.Till", "till"));
    has(&hosts, &["lifeline: `till`"]);
}

#[test]
fn json_in_a_field_called_line_has_a_session() {
    let log = lines(24, |at| {
        let (way, what) = (["out", "in"][at % 2], ["bill", "thanks"][at / 2 % 2]);
        format!(
            r#"{{"labels":{{"app":"{}"}},"line":"{{\"req\":\"a{}\",\"dir\":\"{way}\",\"op\":\"{what}\"}}","time":"2031-02-03T04:05:{at:02}Z"}}"#,
            ["till", "bank"][at % 2],
            at / 4
        )
    });
    let text = proposed("log.jsonl", &log);
    has(&text, &["\nsession = \"line|json.req\"\n", "\nmessage = \"line|json.op\"\n"]);
    assert_eq!(map(&mapping(&text), log.as_bytes(), Format::JsonLines)[1], "a0 bank?bill");
}

#[test]
fn machines_and_texts_with_ids_are_no_messages() {
    let log = |field: &str, value: &dyn Fn(usize) -> String| {
        lines(32, |at| {
            record(&format!("2031-02-03T04:05:{at:02}Z"), at)
                .replace(
                    &format!(r#""{}""#, ["bill", "thanks"][at / 2 % 2]),
                    &format!("\"{}\"", value(at)),
                )
                .replace("\"action\"", &format!("\"{field}\""))
        })
    };
    let text = proposed("log.jsonl", &log("MachineName", &|at| format!("M{}.till", at % 2)));
    has(&text, &["# message? "]);
    let text = proposed("log.jsonl", &log("message", &|at| format!("id=a{at} bill")));
    has(&text, &["# message? ", "#   message: in 32 of 32 records, 32 different"]);
}
