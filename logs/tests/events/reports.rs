//! Reports on whole logs: the preview of a mapping, and the comparison of a log with a specification.

use super::common::mapping;
use multitrace_formats::hif;
use multitrace_formats::remedy::Words;
use multitrace_formats::source::Source;
use multitrace_interaction::{Alphabet, Locations};
use multitrace_logs::{
    EventLog, Format, LogCheck, Previewed, RecordBatches, check_log, write_preview,
};
use std::io::Cursor;

/// Records of a mapping with rules, filters and roles, with one of each trouble.
const JSON: &str = r#"{"id":"s1","at":"a","do":"!","m":"ping","t":1}
{"id":"s1","at":"b-1","do":"?","m":"ping","t":2}
{"id":"s1","at":"b-2","do":"!","m":"pong","t":3}
{"id":"s1","at":"a","do":"?","m":"pong","t":4}
{"id":"s1","at":"a","do":"!","m":"pung","t":5}
{"id":"s1","at":"a","do":"!","m":"pung","t":6}
{"id":"s2","at":"a","do":"!","m":"ping"}
{"id":"s2","at":"z","do":"!","m":"other"}
{"id":"s3","at":"a","do":"!","m":"ping","t":1}
{"id":"s3","at":"a","do":"?","m":"pong","t":1}
{"id":"s2","at":"a","do":"!","m":"ping","level":"debug"}
{"id":"s4","hello":"10.0.0.1","t":0}
{"id":"s4","at":"10.0.0.1","do":"!","m":"ping","t":9}
{"id":"s4","at":"a","do":"~","m":"ping","t":1}
{"id":"s4","at":"a","do":"!","t":1}
{"id":"s4","at":"a","do":"!","t":2}
{"id":"s4","at":"","do":"!","m":"ping","t":3}
{"x":1}
{"x":2
"#;

const MAP: &str = r#"unmatched = "count"

[event]
session = "id"
order = "t"

[[drop]]
name = "noise"
when = { level = "debug" }

[[role]]
lifeline = "client"
field = "hello"
when = { hello = { exists = true } }

[[rule]]
name = "events"
when = { do = ["!", "?"] }
lifeline = "at"
direction = { field = "do", emission = "!", reception = "?" }
message = "m"

[[rule]]
name = "never"
when = { do = "never" }
actions = ["a!{m}"]

[rename.lifelines]
'/^b-\d$/' = "b"
"#;

/// Lines of text, some before the first start of a record.
const TEXT: &str = "first
10:00 a sends ping to b of s1
  and more
10:01 b got ping of s1
10:02 nothing
10:03 a sends pung to b of s2
";

const TEXT_MAP: &str = r#"unmatched = "count"
[input]
format = "text"
start = '^\d\d:\d\d '
patterns = ['(?<at>\w+) (?<how>sends) (?<m>\w+) to \w+ of (?<s>\w+)', '(?<at>\w+) (?<how>got) (?<m>\w+) of (?<s>\w+)', 'sends and got']
[event]
session = "s"
lifeline = "at"
direction = { field = "how", emission = "sends", reception = "got" }
message = "m"
"#;

fn preview(map: &str, log: &str, format: Format, most: u64) -> (String, Previewed) {
    let mapping = mapping(map);
    let batches =
        RecordBatches::new("log", log.as_bytes(), format, mapping.input(), mapping.fields());
    let mut out = Vec::new();
    let found = write_preview(batches.expect("readable"), &mapping, most, &mut out);
    (String::from_utf8(out).expect("a text"), found.expect("room"))
}

/// The letters of `a` and `b`, which exchange `ping` and `pong`, and of `c`, which is never heard of.
fn alphabet() -> Alphabet {
    let text = "seq(a -- ping -> b, b -- pong -> a, c -- pang -> a)";
    let parsed = hif::parse(&Source::new("f", text), None).expect("an interaction");
    let locations = Locations::discrete(&parsed.signature);
    Alphabet::of_actions(&parsed.signature, &locations, parsed.interaction.actions())
}

fn checked(map: &str, log: &str, format: Format) -> LogCheck {
    let mapping = mapping(map).with_format(format);
    let log = EventLog::of_reader(mapping, "log", Cursor::new(log.as_bytes().to_vec()));
    check_log(log, &alphabet(), 1 << 20).expect("room for temporary files")
}

fn human(check: &LogCheck) -> String {
    let mut out = Vec::new();
    check.write_human(Words::default(), &mut out).expect("room");
    String::from_utf8(out).expect("a text")
}

fn json(check: &LogCheck) -> String {
    let mut out = Vec::new();
    check.write_json(&mut out).expect("room");
    let value: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    serde_json::to_string_pretty(&value).expect("JSON") + "\n"
}

#[test]
fn a_preview_shows_records_of_each_kind_and_counts_them() {
    let (text, found) = preview(MAP, JSON, Format::JsonLines, 1);
    assert_eq!(text, include_str!("reports/preview.txt"), "{text}");
    assert_eq!(found, Previewed { unreadable: 1, events: 9 });
    let (text, found) = preview(TEXT_MAP, TEXT, Format::Text, 9);
    assert_eq!(text, include_str!("reports/preview-text.txt"), "{text}");
    assert_eq!(found, Previewed { unreadable: 0, events: 3 });
}

#[test]
fn a_comparison_counts_what_the_log_and_the_specification_share() {
    let check = checked(MAP, JSON, Format::JsonLines);
    assert!(check.is_usable());
    assert_eq!(human(&check), include_str!("reports/check.txt"), "{}", human(&check));
    assert_eq!(json(&check), include_str!("reports/check.json"), "{}", json(&check));
    let check = checked(TEXT_MAP, TEXT, Format::Text);
    assert_eq!(human(&check), include_str!("reports/check-text.txt"), "{}", human(&check));
}

#[test]
fn a_comparison_cuts_long_lists_and_says_so() {
    let mut log = String::new();
    for number in 0..25 {
        log += &format!(
            "{{\"id\":\"s\",\"at\":\"l{number}\",\"do\":\"!\",\"m\":\"x{number}\",\"t\":{number}}}\n"
        );
    }
    let text = human(&checked(MAP, &log, Format::JsonLines));
    assert!(text.contains("l19!x19") && !text.contains("l20!x20"), "{text}");
    assert_eq!(text.matches("and 5 more").count(), 2, "{text}");
    assert!(!checked(MAP, &log, Format::JsonLines).is_usable());
}

#[test]
fn sizes_of_sessions_are_ranks_of_their_numbers_of_events() {
    // Sessions of 1, 1, 2, …, 10 events.
    let mut log = String::new();
    for (number, size) in [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].into_iter().enumerate() {
        for at in 0..size {
            log += &format!(
                "{{\"id\":\"s{number}\",\"at\":\"a\",\"do\":\"!\",\"m\":\"ping\",\"t\":{at}}}\n"
            );
        }
    }
    let sizes = checked(MAP, &log, Format::JsonLines).sessions;
    let shown = (sizes.count, sizes.single, sizes.min, sizes.median, sizes.p90, sizes.max);
    assert_eq!(shown, (11, 2, 1, 5, 9, 10));
}

#[test]
fn names_that_become_one_are_listed_up_to_a_number() {
    let of = |names: usize| {
        let line = |at: usize| {
            format!(
                "{{\"id\":\"s\",\"at\":\"l{}-{}\",\"do\":\"!\",\"m\":\"m\",\"t\":{at}}}\n",
                at / 2,
                at % 2
            )
        };
        let log: String = (0..2 * names).map(line).collect();
        let map = MAP.replace("'/^b-\\d$/' = \"b\"", "'/-\\d$/' = \"\"");
        preview(&map, &log, Format::JsonLines, 1).0
    };
    let all = of(20);
    assert!(all.contains("        20  lifelines that are several names in the log\n"), "{all}");
    assert!(
        all.contains("l19: 2 names, as l19-0 and l19-1\n") && !all.contains(" more\n"),
        "{all}"
    );
    assert!(of(21).contains("            and 1 more\n"), "{}", of(21));
}

#[test]
fn a_preview_says_which_groups_a_pattern_has_and_which_other_pattern_would_win() {
    let map = "[input]\npatterns = ['to (?<s>\\w+) (?<a>\\w+) (?<m>\\w+)$', '(?<s>\\w+) (?<a>\\w+)']\n\
               [event]\nsession = \"s\"\nlifeline = \"a\"\ndirection = \"emission\"\nmessage = \"m\"\n";
    let (text, found) = preview(map, "x to y z w\nto y z w\ns a\n", Format::Text, 9);
    assert_eq!(found, Previewed { unreadable: 0, events: 2 });
    let broken = "it has no field `m`; the record has `s`, `a`; { text = \"m\" } is that text";
    assert!(text.contains(broken), "{text}");
    let other = "         1  records that `patterns-win = \"leftmost\"` gives to another pattern\n";
    assert!(text.contains(other), "{text}");
    assert_eq!(checked(map, "x to y z w\nto y z w\ns a\n", Format::Text).input.other_pattern, 1);
    let first = map.replace("[event]", "patterns-win = \"first\"\n[event]");
    assert_eq!(checked(&first, "x to y z w\n", Format::Text).input.other_pattern, 0);
}

#[test]
fn names_beyond_a_thousand_are_counted() {
    let line = |at: usize| {
        format!("{{\"id\":\"s\",\"at\":\"a\",\"do\":\"!\",\"m\":\"x{at}\",\"t\":{at}}}\n")
    };
    let log: String = (0..1_003).map(line).collect();
    let check = checked(MAP, &log, Format::JsonLines);
    assert_eq!((check.unknown.len(), check.unknown_left_out), (1_000, 3));
    assert_eq!(check.unknown_events, 1_003);
    let text = human(&check);
    assert!(text.contains("and 3 events with names beyond the first 1000\n"), "{text}");
}
