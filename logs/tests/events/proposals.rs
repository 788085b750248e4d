//! Proposed mappings of small logs: their text, and the events they make of the log they were proposed for.

use super::answered::answered;
use super::common::{map, mapping};
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
            "req-17 shop.Cart!order_bank",
            "req-17 bank.Teller?order_shop",
            "req-17 bank.Teller!receipt_shop",
            "req-17 shop.Cart?receipt_bank",
            "req-18 shop.Cart!order_bank",
            "req-18 bank.Teller?order_shop",
            "req-18 bank.Teller!receipt_shop",
            "req-18 shop.Cart?receipt_bank",
            "dropped by what belongs to no session",
            "req-19 shop.Cart!order_bank",
            "req-19 bank.Teller?order_shop",
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
}

#[test]
fn ids_of_a_session_join_it() {
    let asked = |session: &str| format!("{session} log!asked_vm");
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
            "dropped by what belongs to no session",
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
