//! Text logs through the command line: the reports of a run on patterns, lines and columns, and that the
//! number of threads changes nothing.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace};

fn check(folder: &Folder, map: &str, log: &str, options: &[&str]) -> Run {
    let (map, log) = (folder.file("map.toml", map), folder.file("log", log));
    let spec = folder.path("ab.hif");
    multitrace(&[&["check", &spec, &log, "--events", &map], options].concat())
}

fn explain(folder: &Folder, map: &str, log: &str) -> Run {
    let (map, log) = (folder.file("map.toml", map), folder.file("log", log));
    multitrace(&["map", "--explain", &log, "--events", &map, "--records", "0"])
}

const EVENT: &str = r#"
[event]
session = "s"
lifeline = "at"
direction = { field = "way", emission = "!", reception = "?" }
message = "msg"
"#;

/// The last pattern matches every line furthest left; the third never wins.
fn patterns(more: &str) -> String {
    format!(
        "[input]\n{more}\npatterns = ['(?<s>\\d+) (?<at>a)(?<way>!)(?<msg>m)', '(?<s>\\d+) \
         (?<at>b)(?<way>\\?)(?<msg>m)', '3 a!m', '^(?<other>.*)$']\n\n[[drop]]\nwhen = {{ pattern = \
         4 }}\n{EVENT}"
    )
}

const LOG: &str = "x 1 a!m\nstarting\nx 1 b?m\n";

#[test]
fn a_run_says_how_many_lines_go_to_another_pattern_and_which_never_wins() {
    let folder = Folder::new();
    let run = check(&folder, &patterns(""), LOG, &[]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("2 records went to another pattern than the leftmost"), "{}", run.out);
    assert!(run.out.contains("1 pattern of the mapping won no record"), "{}", run.out);
    let first = check(&folder, &patterns("patterns-win = \"first\""), LOG, &[]);
    assert_eq!((first.code, first.out.contains("another pattern")), (0, false), "{}", first.err);
    let old = check(&folder, &patterns("patterns-win = \"leftmost\""), LOG, &[]);
    assert_eq!(old.code, 3, "nothing was checked: {}", old.err);
    let run = explain(&folder, &patterns(""), LOG);
    for line in [
        "         1  records by pattern 1\n",
        "         0  records by pattern 3, which matches no line that an earlier one does not match\n",
        "         2  records that `patterns-win = \"leftmost\"` gives to another pattern\n",
    ] {
        assert!(run.out.contains(line), "{line}{}", run.out);
    }
}

const PLAIN: &str = "[input]\npatterns = ['^(?<s>\\d+) (?<at>\\w)(?<way>.)(?<msg>\\w)$']\n[[rule]]\nsession = \"s\"\nactions = [\"{at}!{msg}\"]\n";

#[test]
fn lines_without_a_pattern_are_told_as_such() {
    let folder = Folder::new();
    let log = "1 a!m\nstarting\n";
    let run = check(&folder, PLAIN, log, &["--observe", "prefix"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let note = "no pattern of the mapping matched 1 line; add a pattern, or leave such lines out";
    assert!(run.out.contains(note), "{}", run.out);
    assert!(!run.out.contains("no rule"), "{}", run.out);
    let shown = explain(&folder, PLAIN, log);
    assert!(
        shown.out.contains("         1  lines that no pattern matches\n            line 2\n"),
        "{}",
        shown.out
    );
    let strict = check(&folder, &format!("unmatched = \"error\"\n{PLAIN}"), log, &[]);
    assert_eq!(strict.code, 2, "{}", strict.err);
    assert!(strict.err.contains("no pattern of the mapping matches this line"), "{}", strict.err);
    assert!(strict.err.contains("log:2:1"), "{}", strict.err);
}

#[test]
fn ignored_records_make_no_note_and_stay_in_the_counts() {
    let folder = Folder::new();
    let map = format!("unmatched = \"ignore\"\n{PLAIN}");
    let log = "1 a!m\nstarting\n";
    let options = ["--observe", "prefix", "--output-format", "json"];
    let run = check(&folder, &map, log, &options);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(!run.err.contains("note"), "{}", run.err);
    assert!(
        run.out.contains("\"unmatched\": 1") || run.out.contains("\"unmatched\":1"),
        "{}",
        run.out
    );
    let shown = explain(&folder, &map, log);
    assert!(shown.out.contains("1  lines that no pattern matches, ignored\n"), "{}", shown.out);
    assert!(!shown.out.contains("line 2"), "{}", shown.out);
}

#[test]
fn a_table_without_the_column_of_a_rule_says_so() {
    let folder = Folder::new();
    let map = "[[rule]]\nname = \"sends\"\nsession = \"s\"\nwhen = { knid = \"send\" }\nactions = [\"{at}!m\"]\n";
    let log = "s,at,kind\n1,a,send\n";
    let shown = explain(&folder, map, log);
    let line = "map.toml:4:10) tests; did you mean `kind`?";
    assert!(shown.out.contains("the table has no column `knid`, which sends ("), "{}", shown.out);
    assert!(shown.out.contains(line), "{}", shown.out);
    let strict = check(&folder, &format!("unmatched = \"error\"\n{map}"), log, &[]);
    assert_eq!(strict.code, 2, "{}", strict.err);
    assert!(strict.err.contains("the table has no column `knid`"), "{}", strict.err);
    assert!(strict.err.contains("did you mean `kind`?"), "{}", strict.err);
    let run = check(&folder, map, log, &[]);
    assert!(run.out.contains("without a value that a rule or filter tests"), "{}", run.out);
    // An absent value in a column that is there is another matter.
    let whole = explain(&folder, &map.replace("knid", "kind").replace("\"send\"", "\"x\""), log);
    assert!(!whole.out.contains("no column"), "{}", whole.out);
}

#[test]
fn records_over_lines_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let map = "[input]\nstart = '^\\d+ '\npatterns = ['(?s)^(?<s>\\d+) (?<at>\\w)(?<way>.)(?<msg>\\w)\\n at']\n".to_owned() + EVENT;
    let mut log = "the end of another record\n".to_owned();
    for session in 0..20_000 {
        let stack = " at f\n".repeat(session % 7 + 1);
        let second = if session % 5_000 == 0 { "b?x" } else { "b?m" };
        log += &format!("{session} a!m\n{stack}{session} {second}\n{stack}");
    }
    let runs = ["1", "2", "7"].map(|jobs| {
        let run = check(&folder, &map, &log, &["--jobs", jobs, "--output-format", "concise"]);
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("1 line came before the first one"), "{}", run.out);
        run.out
    });
    assert!(runs[0].contains("log:4"), "the place is the first line: {}", runs[0]);
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn a_span_without_an_end_names_the_rule_that_takes_its_start() {
    let folder = Folder::new();
    let map = "[input]\nformat = \"csv\"\n[spans]\nsession = \"s\"\nid = \"id\"\nparent = \"of\"\nkind = \"kind\"\nstart = \"from\"\n\
        end = \"to\"\nlifeline = \"at\"\nmessage = \"what\"\nreturns = true\n";
    let of =
        |span: &str| check(&folder, map, &format!("s,id,of,kind,from,to,at,what\n{span}\n"), &[]);
    let endless = of("1,1,,client,1,,a,m");
    assert_eq!(endless.code, 2, "{}", endless.err);
    let help = "by a [[rule]] of your own for client spans, with \"to\" = \"\" in `when`";
    assert!(endless.err.contains(help), "{}", endless.err);
    for other in ["1,1,,client,,,a,m", "1,1,,client,1,soon,a,m"] {
        assert!(!of(other).err.contains("of your own"), "{other}");
    }
}

#[test]
fn a_failure_without_an_order_names_the_column_that_may_be_it() {
    let folder = Folder::new();
    let log = "s,id,event_ts,at,way,msg\n1,5,2,b,?,m\n1,4,1,a,?,m\n";
    let note = "if rows are not sorted by `event_ts`, write order = \"event_ts\" in [event]";
    let plain = format!("[input]\nformat = \"csv\"\n{EVENT}");
    assert!(check(&folder, &plain, log, &[]).out.contains(note));
    let part = folder.path("1.part");
    check(&folder, &plain, log, &["--output-format", "partial", "--output-file", &part]);
    assert!(multitrace(&["merge", &part]).out.contains(note));
    for (map, log) in [
        (format!("{plain}order = \"event_ts\"\n"), log.to_owned()),
        (plain.clone(), log.replace("event_ts", "trust")),
        (plain.clone(), log.replace("a,?,m", "a,!,m")),
    ] {
        assert!(!check(&folder, &map, &log, &[]).out.contains("no `order`"), "{map}{log}");
    }
}
