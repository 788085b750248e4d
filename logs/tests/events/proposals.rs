//! Proposed mappings of small logs: their text, and the events they make of the log they were proposed for.

use super::answered::answered;
use super::common::{grouped, map, mapping};
use multitrace_logs::{Format, propose};

fn proposed(name: &str, log: &str) -> String {
    propose(name, log.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The proposal of a log is this text, and makes these events of it when its questions are answered.
fn gives(name: &str, log: &str, expected: &str, format: Format, events: &[&str]) {
    let text = proposed(name, log);
    assert_eq!(text, expected, "{name}:\n{text}");
    assert_eq!(map(&mapping(&answered(&text)), log.as_bytes(), format), events, "{name}");
}

macro_rules! log {
    ($name:literal) => {
        include_str!(concat!("proposals/", $name))
    };
}

#[test]
fn text_with_a_header_has_a_pattern_for_each_template() {
    gives(
        "http.log",
        log!("http.log"),
        log!("http.toml"),
        Format::Text,
        &[
            "req-17 shop.Cart!order",
            "req-17 bank.Teller?order",
            "req-17 bank.Teller!receipt",
            "req-17 shop.Cart?receipt",
            "req-18 shop.Cart!order",
            "req-18 bank.Teller?order",
            "req-18 bank.Teller!receipt",
            "req-18 shop.Cart?receipt",
            "dropped by lines of no session",
            "req-19 shop.Cart!order",
            "req-19 bank.Teller?order",
        ],
    );
}

#[test]
fn arrows_name_both_ends() {
    gives(
        "arrows.log",
        log!("arrows.log"),
        log!("arrows.toml"),
        Format::Text,
        &[
            "req-1 n1!ping",
            "req-1 n2?ping",
            "req-1 n3!pong",
            "req-1 n2?pong",
            "req-1 n1!stop",
            "req-1 n3?stop",
            "req-2 n2!ping",
            "req-2 n1?ping",
            "req-2 n3!pong",
            "req-2 n1?pong",
            "req-2 n3!stop",
            "req-2 n2?stop",
            "req-3 n2!ping",
            "req-3 n1?ping",
        ],
    );
    // Blanks around arrows tell nothing.
    let close = |log: &str| {
        [" --> ", " <-- ", " => "]
            .map(str::trim)
            .iter()
            .fold(log.to_owned(), |it, arrow| it.replace(&format!(" {arrow} "), arrow))
    };
    let [wide, narrow] = [log!("arrows.log").to_owned(), close(log!("arrows.log"))].map(|log| {
        map(&mapping(&answered(&proposed("arrows.log", &log))), log.as_bytes(), Format::Text)
    });
    assert_eq!(wide, narrow);
}

#[test]
fn ids_of_a_session_join_it() {
    let asked = |session: &str| format!("{session} log!asked");
    let took = |id: &str| format!("{id} log!took_it");
    gives(
        "join.log",
        log!("join.log"),
        log!("join.toml"),
        Format::Text,
        &[
            &asked("0f0e0d0c"),
            &took("req-1"),
            &asked("0f0e0d0c"),
            &took("req-2"),
            &asked("1a1b1c1d"),
            &took("req-3"),
            &asked("1a1b1c1d"),
            &took("req-4"),
            "dropped by lines of no session",
        ],
    );
}

#[test]
fn fields_of_both_ends_make_two_actions() {
    gives(
        "pairs.jsonl",
        log!("pairs.jsonl"),
        log!("pairs.toml"),
        Format::JsonLines,
        &[
            "s1 a!ping",
            "s1 b?ping",
            "s1 b!pong",
            "s1 a?pong",
            "s2 a!ping",
            "s2 b?ping",
            "s2 b!pong",
            "s2 a?pong",
        ],
    );
}

#[test]
fn fields_of_one_end_are_found_by_their_names_and_values() {
    gives(
        "single.csv",
        log!("single.csv"),
        log!("single.toml"),
        Format::Csv,
        &["r1 shop!order", "r1 bank?order", "r2 bank!receipt", "r2 shop?receipt"],
    );
    gives(
        "many.tsv",
        log!("many.tsv"),
        log!("many.toml"),
        Format::Tsv,
        &["u1 log!m1", "u1 log!m2", "u1 log!m3", "u1 log!m4", "u1 log!m5"],
    );
}

#[test]
fn a_log_without_such_fields_is_one_session_of_one_lifeline() {
    gives(
        "poor.jsonl",
        log!("poor.jsonl"),
        log!("poor.toml"),
        Format::JsonLines,
        &["run log!event", "run log!event"],
    );
}

#[test]
fn a_log_without_records_gets_a_mapping_to_be_changed() {
    for (name, log) in [("empty.jsonl", ""), ("blank.log", "\n\n")] {
        let text = proposed(name, log);
        let format = mapping(&answered(&text)).input().format.expect("a format");
        assert!(text.contains(&format!("format = \"{}\"", format.name())), "{text}");
        assert!(text.contains("session = \"session\""), "{text}");
    }
}

#[test]
fn values_are_named_by_the_words_before_them() {
    let line =
        |at: usize| format!("10:00:0{at} INFO a: user--id=5{at} line=7{at} -x-=9{at} took 3ms\n");
    let log: String = (0..9).map(line).collect();
    let text = proposed("log", &log);
    for name in ["user_id", "line_value", "x"] {
        assert!(text.contains(&format!(":{name}}}")), "{name} in\n{text}");
    }
    assert_eq!(mapping(&answered(&text)).input().patterns.len(), 1);
}

#[test]
fn a_name_fits_by_whole_words() {
    let line = |at: usize| {
        format!(
            "{{\"id\":\"s{}\",\"src\":\"a{}\",\"total\":\"b\",\"msg\":\"m{}\"}}\n",
            at / 2,
            at % 2,
            at % 2
        )
    };
    let text = proposed("log.jsonl", &(0..4).map(line).collect::<String>());
    assert!(text.contains("lifeline = \"src\"") && !text.contains("total"), "{text}");
}

#[test]
fn numbers_are_sessions_unless_they_are_called_otherwise() {
    let of = |word: &str, value: &str| {
        let line = |at: usize| {
            format!("2024-05-01 10:00:{at:02},000 INFO a: {word} {value}{} went on\n", at % 4)
        };
        proposed("log", &(0..12).map(line).collect::<String>())
    };
    assert!(of("step", "10").contains("\n# session? "), "{}", of("step", "10"));
    assert!(of("peer", "10").contains("\nsession = \"peer\""), "{}", of("peer", "10"));
    assert!(of("request", "10").contains("session = \"request\""), "{}", of("request", "10"));
    assert!(of("of", "node-").contains("session = \"node\""), "{}", of("of", "node-"));
}

/// The lines of a proposal that are not comments and belong to its events.
fn event_of(name: &str, log: &str) -> String {
    let text = proposed(name, log);
    let (_, event) = text.split_once("[event]").unwrap_or_else(|| panic!("{name}: {text}"));
    let lines = event.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Messages of JSON-RPC that are parts of records are not those of the preset.
#[test]
fn calls_inside_of_records_are_found() {
    let calls = [
        ("web", "out", r#"{"jsonrpc":"2.0","id":1,"method":"login"}"#),
        ("web", "in", r#"{"jsonrpc":"2.0","id":1,"result":true}"#),
        ("shop", "out", r#"{"jsonrpc":"2.0","id":2,"method":"pay"}"#),
        ("shop", "in", r#"{"jsonrpc":"2.0","id":2,"error":{"code":1}}"#),
    ];
    let log = |written: fn(&str) -> String| -> String {
        let line = |(ts, (side, dir, message)): (u32, &(&str, &str, &str))| {
            let message = written(message);
            format!(r#"{{"ts":{ts},"side":"{side}","dir":"{dir}","msg":{message}}}"#) + "\n"
        };
        (1..).zip(&calls).map(line).collect()
    };
    let events = ["run web!login", "run web?login result", "run shop!pay", "run shop?pay error"];
    let (whole, in_text) = (log(str::to_owned), log(|it| format!("{it:?}")));
    for (log, path) in [(&*whole, "msg"), (&*in_text, "msg|json")] {
        let text = answered(&proposed("rpc.jsonl", log));
        assert!(text.contains(&format!("message = \"{path}.method\"")), "{text}");
        assert!(text.contains("#   side: in 4 of 4 records, 2 different: shop, web\nlifeline"));
        let made = grouped(&mapping(&text), log.as_bytes(), Format::JsonLines, 1 << 20);
        assert_eq!(made.problems, Vec::<String>::new(), "{text}");
        let made: Vec<String> = made
            .sessions
            .into_iter()
            .flat_map(|(id, events)| events.into_iter().map(move |event| format!("{id} {event}")))
            .collect();
        assert_eq!(made, events, "{text}");
    }
    // A mapping for other records names the id that they lack.
    let preset = mapping("[input]\nformat = \"json-rpc\"\n");
    let made = grouped(&preset, whole.as_bytes(), Format::JsonLines, 1 << 20);
    assert!(made.problems[0].contains("it has no field `id`"), "{:?}", made.problems);
}

/// The first column of `docker compose logs` is one field, whichever container a template has.
#[test]
fn a_column_has_one_name_in_all_templates() {
    let mut log = String::new();
    for (id, at) in [(7, 0), (8, 1), (9, 2)] {
        for (who, what) in [
            ("web-1 ", "sent order"),
            ("shop-1", "received order"),
            ("shop-1", "sent bill"),
            ("web-1 ", "received bill"),
        ] {
            log += &format!("{who} | 2024-05-01T12:00:0{at}.100Z INFO {what} id={id}\n");
        }
    }
    let text = proposed("compose.log", &log);
    assert_eq!(text.matches("%{value:source}").count(), 4, "{text}");
    let made = map(&mapping(&answered(&text)), log.as_bytes(), Format::Text);
    assert_eq!(
        made[..4],
        ["7 web-1!order", "7 shop-1?order", "7 shop-1!bill", "7 web-1?bill"],
        "{text}"
    );
}

#[test]
fn fix_is_pairs_of_numbers_and_values() {
    let log = "8=FIX.4.4|9=90|35=A|34=1|49=BUY|56=SELL|52=20240501-11:59:59.000|98=0|10=001|\n\
               8=FIX.4.4|9=100|35=D|34=2|49=BUY|56=SELL|52=20240501-12:00:00.000|11=o1|10=001|\n\
               8=FIX.4.4|9=100|35=8|34=2|49=SELL|56=BUY|52=20240501-12:00:00.100|11=o1|39=0|10=001|\n";
    for delimiter in ["|", "\u{1}"] {
        let log = log.replace('|', delimiter);
        let text = proposed("fix.log", &log);
        let made = map(&mapping(&text), log.as_bytes(), Format::Logfmt);
        assert_eq!(
            made,
            ["dropped by messages of the connection", "o1 BUY!D", "o1 SELL!8"],
            "{text}"
        );
    }
    // So is one that a tool spelled.
    assert!(proposed("fix.log", &log.replace('|', "^A")).contains("\ndelimiter = \"^A\"\n"));
}

/// A verb in the text of a message is its direction, and no part of its name.
#[test]
fn a_verb_is_taken_out_of_the_message() {
    let mut log = String::new();
    for id in ["r1", "r2", "r3"] {
        for (who, what) in [
            ("web", "sending order"),
            ("shop", "received order"),
            ("shop", "sending bill"),
            ("web", "received bill"),
        ] {
            log += &format!("level=info msg=\"{what}\" service={who} request_id={id}\n");
        }
    }
    let text = proposed("app.logfmt", &log);
    let made = map(&mapping(&answered(&text)), log.as_bytes(), Format::Logfmt);
    assert_eq!(
        made[..4],
        ["r1 web!order", "r1 shop?order", "r1 shop!bill", "r1 web?bill"],
        "{text}"
    );
    // A verb alone says nothing of the message.
    let alone = log.replace("sending bill", "sending").replace("received bill", "received");
    let text = proposed("app.logfmt", &alone);
    assert!(text.contains("# message? "), "{text}");
}

#[test]
fn columns_of_process_mining_are_proposed_or_shown() {
    let mut log = "Case ID;Activity;Resource;Timestamp\n".to_owned();
    for case in 1..4 {
        for (what, who, hour) in [("create", "web", 10), ("ship", "store", 11)] {
            log += &format!("{case};{what};{who};01.05.2024 {hour}:00:00\n");
        }
    }
    let event = event_of("ev.csv", &log);
    assert!(
        event.contains("session = \"Case ID\"\n") && event.contains("message = \"Activity\"\n")
    );
    let text = proposed("ev.csv", &log);
    assert!(
        text.contains("\n#   Resource: in 6 of 6 records, 2 different: store, web\n"),
        "{text}"
    );
}
