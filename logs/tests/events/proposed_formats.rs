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
    has(&text, &["\nsession = \"cid\"\n", "{@stem}?PING", "{@stem}!PONG"]);
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
