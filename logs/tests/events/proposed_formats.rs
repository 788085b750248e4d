//! Proposals for inputs whose format is unusual: a right format, or a question, and no value that was taken for a name.

use super::answered::answered;
use super::common::{map, mapping};
use multitrace_logs::{Format, propose};

fn proposed(name: &str, log: &str) -> String {
    propose(name, log.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The events of a log by its proposal, whose questions are answered by the lines below them.
fn events(text: &str, log: &str, format: Format) -> Vec<String> {
    map(&mapping(&answered(text)), log.as_bytes(), format)
}

#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    for line in wanted {
        assert!(text.contains(line), "{line}\nin\n{text}");
    }
}

/// Documents of a service of logs, one a line: the events stand in a list of each.
#[test]
fn lists_of_events_in_several_documents_are_the_records() {
    let event =
        |at: usize| format!(r#"{{"id":"{at}","timestamp":{},"message":"m{}"}}"#, at * 1000, at % 2);
    let document = |at: usize| {
        let events = [event(2 * at), event(2 * at + 1)].join(",");
        format!(r#"{{"owner":"1","logStream":"s{at}","logEvents":[{events}],"flags":[]}}"#)
    };
    let lines: String = (0..3).map(|at| document(at) + "\n").collect();
    let text = proposed("log.json", &lines);
    has(
        &text,
        &["\nrecords = \"logEvents[]\"\n", "\norder = \"timestamp\"\n", "in 6 of 6 records"],
    );
    // One that is cut off, and documents over several lines.
    has(&proposed("log.json", &lines[..lines.len() - 9]), &["\nrecords = \"logEvents[]\"\n"]);
    has(&proposed("log.json", &lines.replace(",\"", ",\n  \"")), &["records = \"logEvents[]\""]);
    // Documents with times of their own are records, and so are those without any time.
    let own = lines.replace("\"owner\"", "\"time\"");
    assert!(!proposed("log.json", &own).contains("records = "));
    let none = lines.replace("timestamp", "number");
    assert!(!proposed("log.json", &none).contains("records = "));
}

/// Pairs with any signs are read as the proposal says.
#[test]
fn the_signs_of_pairs_are_proposed() {
    let rows = [
        ["s1", "web", "send", "buy"],
        ["s1", "shop", "recv", "buy"],
        ["s2", "web", "send", "pay"],
        ["s2", "shop", "recv", "pay"],
    ];
    for (between, within, lines) in [
        ("\t", ":", &["delimiter = \"\\t\"", "separator = \":\""][..]),
        ("||", "=", &["delimiter = \"||\"\n"]),
        (" | ", "=", &["delimiter = \"|\"\n"]),
        (", ", "=", &["delimiter = \",\"\n"]),
        ("|", ": ", &["delimiter = \"|\"", "separator = \":\""]),
        ("^A", "=", &["delimiter = \"^A\"\n"]),
    ] {
        let line = |row: &[&str; 4]| {
            let pairs = ["session", "service", "direction", "message"].into_iter().zip(row);
            let pairs: Vec<String> =
                pairs.map(|(key, value)| format!("{key}{within}{value}")).collect();
            pairs.join(between) + "\n"
        };
        let log: String = rows.iter().map(line).collect();
        let text = proposed("log.txt", &log);
        has(&text, lines);
        let made = events(&text, &log, Format::Logfmt);
        assert_eq!(made, ["s1 web!buy", "s1 shop?buy", "s2 web!pay", "s2 shop?pay"], "{text}");
    }
    let fix = "8=FIX.4.4^A9=5^A35=D^A49=BUYER^A11=o7^A\n8=FIX.4.4^A9=5^A35=8^A49=BROKER^A11=o7^A\n";
    let text = proposed("log.txt", fix);
    has(&text, &["delimiter = \"^A\""]);
    assert_eq!(events(&text, fix, Format::Logfmt), ["o7 BUYER!D", "o7 BROKER!8"]);
}

/// The other end of a message did not log it, whatever its field is called.
#[test]
fn the_other_end_is_no_lifeline() {
    let log = |own: &str, other: &str| -> String {
        let line = |(at, dir, msg): (usize, &str, &str)| {
            let (own_name, other_name) = if at % 2 == 0 { ("n1", "n2") } else { ("n2", "n1") };
            format!(
                "{{\"ts\":{},\"session\":\"s{}\",\"{own}\":\"{own_name}\",\"{other}\":\"{other_name}\",\"dir\":\"{dir}\",\"msg\":\"{msg}\"}}\n",
                1_714_557_600 + at,
                at / 4
            )
        };
        let all =
            [(0, "send", "vote"), (1, "recv", "vote"), (3, "send", "ack"), (4, "recv", "ack")];
        all.iter().map(|(at, dir, msg)| line((*at, dir, msg))).collect()
    };
    for other in ["peer", "remote", "dst", "to", "target", "peer_service", "dst.host", "partner"] {
        for own in ["node", "self", "me", "local", "service"] {
            let text = proposed("log.jsonl", &log(own, other));
            has(&text, &[&format!("\nlifeline = \"{own}\"\n")]);
        }
        // A field whose name says nothing may be the lifeline, and is asked for before the other end.
        let text = proposed("log.jsonl", &log("x", other));
        assert!(text.contains("# lifeline? "), "{text}");
        let [one, two] = ["#   x: ", &format!("#   {other}: ")].map(|it| text.find(it));
        assert!(one.is_some() && two.is_none_or(|two| one < Some(two)), "{text}");
    }
}

/// Specifications name programs, and logs name their pods.
#[test]
fn replicas_are_one_lifeline_if_no_session_has_two() {
    let log = |names: &dyn Fn(usize) -> [String; 2]| -> String {
        let line = |session: usize, node: &str, dir: &str, msg: &str| {
            format!(
                "{{\"trace_id\":\"t{session}\",\"pod\":\"{node}\",\"dir\":\"{dir}\",\"msg\":\"{msg}\"}}\n"
            )
        };
        let session = |at: usize| {
            let [one, other] = names(at);
            line(at, &one, "send", "get")
                + &line(at, &other, "recv", "get")
                + &line(at, &one, "send", "put")
        };
        (0..6).map(session).collect()
    };
    let pods = log(&|at| {
        let web = ["web-6d4b75cb6d-x2x9z", "web-6d4b75cb6d-pq8rs"][at % 2];
        [web.to_owned(), format!("db-{}", at % 3)]
    });
    let text = proposed("log.jsonl", &pods);
    has(
        &text,
        &[
            "\n[rename.lifelines]\n\"/^(web)-[0-9a-z]{6,10}-[0-9a-z]{5}$/\" = \"$1\"\n'/^(db)[._-]?\\d+$/' = \"$1\"\n",
        ],
    );
    assert_eq!(events(&text, &pods, Format::JsonLines)[..2], ["t0 web!get", "t0 db?get"]);
    let hosts = log(&|at| [format!("web{}", at % 2), format!("db.eu-{}", at % 3)]);
    has(&proposed("log.jsonl", &hosts), &["'/^(db\\.eu|web)[._-]?\\d+$/' = \"$1\""]);
    // Nodes of a protocol meet in a session, and stay themselves.
    let nodes = log(&|at| [format!("n{}", at % 3), format!("n{}", (at + 1) % 3)]);
    assert!(!proposed("log.jsonl", &nodes).contains("rename"));
    // Pods that meet are asked for.
    let pods = log(&|_| ["api-7c9d8f6b5-abcd1", "api-7c9d8f6b5-abcd2"].map(str::to_owned));
    has(&proposed("log.jsonl", &pods), &["# replicas? ", "\n# [rename.lifelines]\n# \"/^(api)-"]);
    let words = log(&|_| ["order-service-alpha", "order-service-gamma"].map(str::to_owned));
    assert!(!proposed("log.jsonl", &words).contains("rename"));
}

/// A service of logs exports streams, each with a list of times and lines.
#[test]
fn the_lines_of_streams_are_records() {
    let stream = |app: &str, way: &str, at: usize| {
        let line = |it: usize| {
            format!(r#"["{}","session={} {way} get"]"#, 1_714_557_600_000_000_000 + it + at, 7 + it)
        };
        let lines = (0..4).map(line).collect::<Vec<_>>().join(",");
        format!(r#"{{"stream":{{"app":"{app}"}},"values":[{lines}]}}"#)
    };
    let of = |streams: &[String]| {
        format!(
            r#"{{"status":"success","data":{{"resultType":"streams","result":[{}]}}}}"#,
            streams.join(",")
        )
    };
    let log = of(&[stream("web", "send", 0), stream("shop", "recv", 9)]);
    let text = proposed("log.json", &log);
    has(
        &text,
        &[
            "\nrecords = \"data.result[]\"\n",
            "\nfor-each = \"values[]\"\n",
            "\nlifeline = \"stream.app\"\n",
        ],
    );
    has(&text, &["field = \"each[1]\"", "each[0]: in 8 of 8 records"]);
    // One stream is a list of lines, too.
    has(&proposed("log.json", &of(&[stream("web", "send", 0)])), &["\nfor-each = \"values[]\"\n"]);
}

#[test]
fn rows_with_the_names_of_columns_again_are_no_records() {
    let rows = "ts,session,node,dir,msg\n1,s1,a,send,x\n2,s1,b,recv,x\nts,session,node,dir,msg\n3,s2,a,send,y\n4,s2,b,recv,y\n";
    let text = proposed("log.csv", rows);
    has(
        &text,
        &[
            "in 4 of 4 records",
            "\n[[drop]]\nname = \"names of columns\"\nwhen = { \"ts\" = \"ts\", \"session\" = \"session\" }",
        ],
    );
    let made = events(&text, rows, Format::Csv);
    assert_eq!(
        made.iter().filter(|it| it.contains('!') || it.contains('?')).count(),
        4,
        "{made:?}"
    );
}

/// Times without a day tell no order, and truths name nothing.
#[test]
fn values_that_tell_nothing_are_not_proposed() {
    let line = |at: usize, way: &str| {
        format!(
            "{{\"time\":\"10:00:0{at}\",\"session\":\"s{}\",\"host\":\"h{}\",\"dir\":\"{way}\",\"operation\":{{\"first\":{}}}}}\n",
            at / 3,
            at % 2,
            at.is_multiple_of(2)
        )
    };
    let log: String = (0..6).map(|at| line(at, ["send", "recv"][at % 2])).collect();
    let text = proposed("log.jsonl", &log);
    has(
        &text,
        &["# The times have no day", "\n# order = { field = \"time\", format = \"%H:%M:%S%.f\" }"],
    );
    has(&text, &["# message? "]);
    assert!(!text.contains("operation.first"), "{text}");
}

#[test]
fn formats_whose_lines_are_no_records_are_refused_by_name() {
    for (log, name) in [
        ("__CURSOR=s=1\n__REALTIME_TIMESTAMP=1\nMESSAGE=a\n\n", "the export format of journald"),
        ("<?xml version=\"1.0\"?>\n<Events>\n<Event><System/></Event>\n</Events>\n", "XML"),
    ] {
        let refused = propose("log.txt", log.as_bytes()).expect_err("no records").to_string();
        assert!(
            refused.contains(&format!("this looks like {name}, which is not read")),
            "{refused}"
        );
    }
}

#[test]
fn a_first_row_of_values_names_no_columns() {
    let rows = "2024-05-01 10:00:01,s1,a,send,x\n2024-05-01 10:00:02,s1,b,recv,x\n\
                2024-05-01 10:00:03,s2,a,send,x\n2024-05-01 10:00:04,s2,b,recv,x\n";
    let text = proposed("log.csv", rows);
    has(
        &text,
        &[
            "no names of columns",
            "(?<c5>",
            "\norder = \"c1\"\n",
            "\ndirection = { field = \"c4\"",
            "# session? ",
        ],
    );
    // Values come again in other rows; some are in quotes, and another sign stands between them.
    let again = "a|\"out\"|m\nb|in|m\na|\"out\"|n\n";
    has(&proposed("log.csv", again), &["no names of columns", r#"\|"?(?<c2>[^|"]*)"?"#]);
    let quoted = "\"s1\",1,\"a, \"\"b\"\"\"\n\"s1\",2,\"c\"\n";
    let pattern = r#"'^"(?<c1>(?:[^"]|"")*)",(?<c2>[^,]*),"(?<c3>(?:[^"]|"")*)"$'"#;
    has(&proposed("log.csv", quoted), &["no names of columns", pattern, "first 2 records"]);
    // Columns have names, though one is called like a value, and though the header comes again.
    for named in [
        "id,m\n1,m\n2,n\n",
        "host,type\na,type\nb,call\n",
        "id,m\n1,a\nid,m\n2,b\n",
        "n1,n2\n1,2\n3,4\n",
    ] {
        assert!(!proposed("log.csv", named).contains("c1"), "{named}");
    }
}

#[test]
fn cells_may_have_their_names_before_them() {
    let row = |at: usize, node: &str, way: &str| {
        format!(
            "time: 2024-05-01T10:00:0{at}Z, node: {node}, dir: {way}, msg-type: m{}, id: 7\n",
            at / 2
        )
    };
    let rows = row(0, "a", "sent")
        + &row(1, "b", "received")
        + &row(2, "b", "sent")
        + &row(3, "a", "received");
    let text = proposed("app.log", &rows);
    has(
        &text,
        &[
            "Each cell has its name",
            "\norder = \"time\"\n",
            "\nlifeline = \"node\"\n",
            "\nmessage = \"msg_type\"\n",
        ],
    );
    let made = events(&text, &rows, Format::Text);
    assert_eq!(made[..2], ["7 a!m0", "7 b?m0"], "{text}");
}

#[test]
fn pairs_with_any_sign_between_them_are_logfmt() {
    let row = |at: usize, node: &str, way: &str| {
        format!("ts={at};txn={};node={node};ev={way};type=hello {}\n", at / 4, at / 2 % 2)
    };
    let rows: String =
        (0..8).map(|at| row(at, ["a", "b"][at % 2], ["send", "recv"][at % 2])).collect();
    for (sign, written) in [(";", ";"), (",", ","), (", ", ","), ("|", "|"), ("\t", "\\t")] {
        let rows = rows.replace(';', sign);
        let text = proposed("app.log", &rows);
        has(
            &text,
            &[
                "format = \"logfmt\"",
                &format!("delimiter = \"{written}\""),
                "\nmessage = \"type\"\n",
            ],
        );
        let made = events(&text, &rows, Format::Logfmt);
        assert_eq!(made[..2], ["0 a!hello 0", "0 b?hello 0"], "{text}");
        // Without a mapping that names the sign, they are no table.
        let guessed = Format::guess("app.log", rows.as_bytes());
        assert!(matches!(guessed, None | Some(Format::Logfmt)), "{sign:?}: {guessed:?}");
    }
    // A comma behind a quoted value does not belong to the value.
    let quoted = "ts=\"1\", a=\"x\"\nts=\"2\", a=\"y\"\n";
    assert!(!proposed("app.log", quoted).contains("delimiter"));
    // One damaged line among others, as at the end of a file that was cut off.
    let lines = "a=1 b=2\na=1 b=3\na=";
    assert_eq!(Format::guess("app.log", lines.as_bytes()), Some(Format::Logfmt));
}

#[test]
fn cells_of_a_header_with_bars_are_no_names() {
    let cef = "Sep 19 08:26:10 host CEF:0|Security|threats|1.0|100|worm \\| stopped|10|src=10.0.0.1 dst=2.1.2.2 externalId=77\n";
    let leef = "LEEF:1.0|Microsoft|Exchange|4.0 SP1|15345|src=192.0.2.0\tdst=172.50.123.1\tsev=5\n";
    let second =
        "LEEF:2.0|Microsoft|Exchange|4.0 SP1|15346|x09|src=192.0.2.0\tdst=172.50.123.1\tsev=5\n";
    for (log, keys, event) in [
        (cef.to_owned(), "`dst`, `externalId`, `src`", "77 10.0.0.1!worm \\| stopped"),
        (leef.to_owned() + second, "`dst`, `sev`, `src`", "5 192.0.2.0!15345"),
        // Values with blanks, bars and other signs between pairs.
        (
            "CEF:0|Security|threats|1.0|100|worm|10|src=web server externalId=7 7 cs1=a|b\n"
                .to_owned(),
            "`cs1`, `externalId`, `src`",
            "7 7 web server!worm",
        ),
        (
            "LEEF:2.0|Microsoft|Exchange|1.0|15346|^|src=web server^sev=5\n".to_owned(),
            "`sev`, `src`",
            "5 web server!15346",
        ),
    ] {
        let text = proposed("events.log", &log);
        has(&text, &[keys, "# session? ", "# lifeline? ", "# direction? ", "# order? "]);
        let session = if log.contains("externalId") { "externalId" } else { "sev" };
        let text = answered(&text).replacen("KEY", session, 1).replace("KEY", "src");
        let made = map(&mapping(&text), log.as_bytes(), Format::Text);
        assert_eq!(made[0], event, "{text}");
    }
}

#[test]
fn arrows_tell_the_direction_and_the_end_that_logged_a_line() {
    let broker: String = (0..8)
        .map(|at| {
            let (arrow, what) = [("<<-", "PING"), ("->>", "PONG")][at % 2];
            format!("[7] 2024/05/01 10:00:0{at}.000001 [TRC] 10.0.0.{}:5222 - cid:{} - {arrow} [{what}]\n", at / 2, at / 2)
        })
        .collect();
    let text = proposed("broker.log", &broker);
    has(
        &text,
        &[
            "\nsession = \"cid\"\n",
            "\nmessage = { text = \"PING\" }\ndirection = \"reception\"",
            "\n# lifeline = \"@stem\"",
        ],
    );
    let phone: String = (0..8)
        .map(|at| {
            let (way, from, to, what) = [("SENT", 1, 2, "INVITE"), ("RECV", 2, 1, "Trying")][at % 2];
            format!("2024-05-01 10:00:0{at}.1 {way} 10.0.0.{from}:5060 -> 10.0.0.{to}:5060 {what} Call-ID: abc{}@x\n", at / 2)
        })
        .collect();
    let text = proposed("phone.log", &phone);
    has(
        &text,
        &[
            "\nsession = \"call_id\"\n",
            "actions = [\"{sent}!INVITE\"]",
            "actions = [\"{address}?Trying\"]",
        ],
    );
    // A log that says it of one direction alone may stand for both ends.
    let sent = phone.replace("RECV", "SENT");
    has(&proposed("phone.log", &sent), &["\"{sent}!INVITE\", \"{address}?INVITE\""]);
}

#[test]
fn a_journal_without_names_of_programs_has_another_lifeline() {
    let line = |at: usize, more: &str| {
        format!(
            "{{\"__REALTIME_TIMESTAMP\":\"{at}\",\"MESSAGE\":\"hello {at}\",\"_HOSTNAME\":\"h\"{more}}}\n"
        )
    };
    let units =
        line(1, r#","_SYSTEMD_UNIT":"u.service""#) + &line(2, r#","_SYSTEMD_UNIT":"v.service""#);
    has(&proposed("journal.json", &units), &["\nlifeline = \"_SYSTEMD_UNIT\"\n"]);
    has(
        &proposed("journal.json", &(line(1, "") + &line(2, ""))),
        &["\n# lifeline? ", "\n# lifeline = \"@stem\"\n"],
    );
    let named = line(1, r#","_COMM":"app""#) + &line(2, r#","_COMM":"db""#);
    has(&proposed("journal.json", &named), &["\"_COMM[0]\""]);
}
