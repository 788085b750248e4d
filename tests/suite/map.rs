//! `multitrace map`: explaining and proposing mappings, on examples of our own and on the event
//! logs of the corpus.

#![allow(clippy::print_stdout, reason = "tests say what they skipped")]

use crate::answered::answered;
use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_with_input};
use multitrace_formats::source::Source;
use multitrace_logs::Mapping;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Runs on a folder with these files; `@` before a name stands for the folder.
fn run(files: &[(&str, &str)], args: &[&str]) -> Run {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let path = |arg: &&str| match arg.strip_prefix('@') {
        Some(name) => folder.path().join(name).display().to_string(),
        None => (*arg).to_owned(),
    };
    let args: Vec<String> = args.iter().map(path).collect();
    let mut run = multitrace(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let prefix = format!("{}/", folder.path().display());
    run.out = run.out.replace(&prefix, "");
    run.err = run.err.replace(&prefix, "");
    run
}

const MAPPING: &str = r#"[event]
session = "id"

[[drop]]
name = "health checks"
when = { msg = "ping" }

[[rule]]
name = "messages"
when = { from = { exists = true } }
actions = ["{from}!{msg}", "{to}?{msg}"]
"#;

const LOG: &str = r#"{"id":1,"from":"a","to":"b","msg":"hello"}
{"id":1,"from":"a","to":"b","msg":"ping"}
{"id":1,"from":"a","msg":"bye"}
{"id":1,"msg":"other"}
{"id":1,
"#;

#[test]
fn explain_shows_what_records_become_and_counts_the_rest() {
    let files = [("map.toml", MAPPING), ("log.jsonl", LOG)];
    let run =
        run(&files, &["map", "--explain", "@log.jsonl", "--events", "@map.toml", "--records", "2"]);
    assert_eq!(run.code, 2, "one line cannot be read\n{}", run.err);
    let expected = "\
line 1  id=`1`  msg=`hello`  from=`a`  to=`b`
  a!hello  in session 1
  b?hello  in session 1
  by messages (line 8)
line 2  id=`1`  msg=`ping`  from=`a`  to=`b`
  dropped by health checks (line 4)
line 3  id=`1`  msg=`bye`  from=`a`
  messages (line 8) cannot be applied: it has no field `to`; the record has `from`, `id`, `msg`; { text = \"to\" } is that text in every event; or leave such records out with [[drop]]
line 4  id=`1`  msg=`other`
  no rule matches
         4  records
         2  events
         1  records by messages (line 8)
         1  records dropped by health checks (line 4)
         1  records that no rule matches
            line 4  id=`1`  msg=`other`
         1  records to which their rule cannot be applied
            line 3: messages (line 8): it has no field `to`
         1  records that cannot be read
            error: not JSON: EOF while parsing a value
             --> log.jsonl:5:9
              |
            5 | {\"id\":1,
              |         ^
              |
              = help: is the file cut off, or still being written?
";
    assert_eq!(run.out, expected);
}

#[test]
fn constants_are_not_shown_as_fields() {
    let map = r#"
[event]
session = "t"

[spans]
id = "id"
parent = "up"
kind = { text = "server" }
start = "at"
end = "end"
lifeline = "pod"
message = "op"
"#;
    let log = "t,id,up,pod,op,at,end\nt1,1,,web,get,1,9\n";
    let files = [("map.toml", map), ("log.csv", log)];
    let run = run(&files, &["map", "--explain", "@log.csv", "--events", "@map.toml"]);
    assert!(run.out.contains("web?get"), "{}", run.out);
    assert!(!run.out.contains("=`server`") && run.out.contains("pod=`web`"), "{}", run.out);
}

#[test]
fn explain_reads_packed_standard_input() {
    let folder = TempDir::new().expect("a folder");
    let map = folder.path().join("map.toml");
    std::fs::write(&map, MAPPING).expect("a file");
    let args = ["map", "--explain", "-", "--events", map.to_str().expect("plain")];
    let run =
        multitrace_with_input(&args, "{\"id\":1,\"from\":\"a\",\"to\":\"b\",\"msg\":\"m\"}\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("b?m  in session 1"), "{}", run.out);
}

#[test]
fn a_wrong_mapping_is_told_at_its_place() {
    let files = [("map.toml", "[evnt]\n"), ("log.jsonl", LOG)];
    let run = run(&files, &["map", "--explain", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("map.toml:1:2"), "{}", run.err);
    assert!(run.err.contains("did you mean `event`?"), "{}", run.err);
}

#[test]
fn inputs_of_no_known_format_and_missing_ones_are_told() {
    let files = [("map.toml", MAPPING), ("log", "hello\n")];
    let run = self::run(&files, &["map", "--explain", "@log", "--events", "@map.toml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("the format of the input is not known"), "{}", run.err);
    let run = self::run(&[], &["map", "--init", "@none"]);
    assert_eq!((run.code, run.err.contains("none")), (2, true));
}

const SPEC: &str = "seq(a -- hello -> b, seq(b -- answer -> a, c -- bye -> a))";

const CHECKED: &str = r#"{"id":1,"from":"a","to":"b","msg":"hello"}
{"id":1,"from":"b","to":"a","msg":"answr"}
{"id":2,"from":"a","to":"b","msg":"ping"}
{"id":2,"from":"a","msg":"bye"}
{"id":2,"from":"d","to":"b","msg":"hello"}
{"id":3,"msg":"other"}
"#;

#[test]
fn check_compares_the_events_of_a_log_with_those_of_a_specification() {
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", CHECKED)];
    let check = ["map", "--check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"];
    let found = run(&files, &check);
    // The rule cannot be applied to a record, with which a check ends, too.
    assert_eq!(found.code, 2, "{}{}", found.err, found.out);
    assert!(found.err.contains("1 part of the log cannot be used"), "{}", found.err);
    let judged = run(&files, &["check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(judged.code, 2, "{}", judged.err);
    let expected = "         6  records
         3  events that the specification knows
         3  events that it does not know
         4  events of the specification that no record became
            b!answer
            a?answer
            c!bye
            a?bye
         3  logged events that the specification lacks
            b!answr  1 event, first at log.jsonl:2; if it is `answer`: [rename.messages] \"answr\" = \"answer\"
            a?answr  1 event, first at log.jsonl:2; if it is `answer`: [rename.messages] \"answr\" = \"answer\"
            d!hello  1 event, first at log.jsonl:5; did you mean a!hello?
         1  locations of the specification without any event
            c
         1  logged lifelines that the specification does not know
            d  1 event, first at log.jsonl:5; if it is `a`: [rename.lifelines] \"d\" = \"a\"
         1  records by health checks (line 4)
         3  records by messages (line 8)
         2  sessions
            events in a session: least 2, half at most 2, 90 % at most 4, most 4
         0  sessions with a single event
         1  records that no rule matches
            1  from=(none), first at log.jsonl:6
            make events of them by a [[rule]], or leave them out: [[drop]] when = { FIELD = \"VALUE\" }
         1  records to which messages (line 8) cannot be applied
            it has no field `to`: log.jsonl:4  id=`2`  msg=`bye`  from=`a`
            the record has `from`, `id`, `msg`; { text = \"to\" } is that text in every event; or leave such records out with [[drop]]
";
    assert_eq!(found.out, expected);
    let json = run(&files, &[&check[..], &["--output-format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("an object");
    assert_eq!(json["unknown"][0]["closest"], "b!answer", "{json}");
    assert_eq!(json["sessions"]["count"], 2, "{json}");
    assert_eq!(json["rules"][0]["records"], 1, "{json}");
}

/// A lifeline that is called otherwise in the log, and one that the specification lacks.
/// A name of a file is one line, whatever is in it.
#[cfg(unix)]
#[test]
fn check_keeps_the_name_of_a_file_on_one_line() {
    let files = [
        (
            "m.toml",
            "[event]\nsession = \"s\"\nlifeline = \"n\"\ndirection = { field = \"d\", emission = \"out\", reception = \"in\" }\nmessage = \"m\"\n",
        ),
        ("ab.hif", "a -- m -> b"),
        ("log\n::error::x.jsonl", "{\"s\":\"1\",\"n\":\"a\",\"d\":\"zz\",\"m\":\"m\"}\n"),
    ];
    let run = run(
        &files,
        &["map", "--check", "@ab.hif", "@log\n::error::x.jsonl", "--events", "@m.toml"],
    );
    assert!(run.out.contains("log\\n::error::x.jsonl:1"), "{}", run.out);
    assert!(run.out.lines().all(|line| !line.trim_start().starts_with("::")), "{}", run.out);
}

#[test]
fn check_gives_a_line_that_mends_each_unknown_name() {
    let log = r#"{"id":1,"from":"a","to":"srv-7","msg":"hello"}
{"id":1,"from":"srv-7","to":"a","msg":"answer"}
{"id":1,"from":"a","to":"cache 1","msg":"get"}
"#;
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", log)];
    let check = ["map", "--check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"];
    let found = run(&files, &check);
    for line in [
        "srv-7  2 events, first at log.jsonl:1; if it is `b`: [rename.lifelines] \"srv-7\" = \"b\"",
        "cache 1  1 event, first at log.jsonl:3; to leave its events out: --unjudged 'cache 1'",
    ] {
        assert!(found.out.contains(line), "{line}\n{}", found.out);
    }
}

/// A check of a mapping reads the same files as a check of sessions.
#[test]
fn check_leaves_out_what_is_excluded_and_takes_a_format() {
    let log = "id,from,to,msg\n1,a,b,hello\n";
    let files = [("map.toml", MAPPING), ("spec.hif", SPEC), ("log", log), ("look.bin", "\u{1}")];
    let check = ["map", "--check", "@spec.hif", "@lo*", "--events", "@map.toml"];
    assert_eq!(run(&files, &check).code, 2);
    let found =
        run(&files, &[&check[..], &["--exclude", "*.bin", "--input-format", "csv"]].concat());
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);
    assert!(found.err.contains("excluded by --exclude"), "{}", found.err);
    let options = ["--exclude", "*.bin", "--input-format", "csv", "--events", "@map.toml"];
    let explained = run(&files, &[&["map", "--explain", "@lo*"], &options[..]].concat());
    assert!(explained.code == 0 && explained.out.contains("a!hello"), "{}", explained.err);
    let refused = run(&files, &["map", "--preset", "jaeger", "--exclude", "x"]);
    assert!(refused.code == 2 && refused.err.contains("are for logs"), "{}", refused.err);
}

/// Several logs are shown as one input, with the names that a check would judge.
#[test]
fn explain_takes_several_logs_and_tells_who_has_a_role() {
    let map = "[event]\nsession = \"call\"\n[[role]]\nlifeline = \"caller\"\nfield = \"from\"\n\
        when = { msg = \"dial\" }\n[[rule]]\nactions = [\"{from}!{msg}\", \"{to}?{msg}\"]\n";
    let line = |call: u32, from: &str, msg: &str| {
        format!("{{\"call\":{call},\"from\":\"{from}\",\"to\":\"desk\",\"msg\":\"{msg}\"}}\n")
    };
    let (first, other) = (line(1, "10.1.1.4", "ring"), line(1, "10.1.1.4", "dial"));
    // Who dials later has the role, too, but the call is not shown.
    let rest = line(2, "10.1.1.9", "dial");
    let other = format!("{other}{rest}");
    let files = [("map.toml", map), ("a.jsonl", first.as_str()), ("b.jsonl", other.as_str())];
    let logs = ["map", "--explain", "@a.jsonl", "@b.jsonl", "--events", "@map.toml"];
    let run = run(&files, &[&logs[..], &["--records", "2"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    for text in [
        "line 1  call=`1`",
        "b.jsonl, line 1  call=`1`",
        "\nin session 1, 10.1.1.4 is caller\n",
        "         3  records\n",
    ] {
        assert!(run.out.contains(text), "{text}\n{}", run.out);
    }
    assert!(!run.out.contains("in session 2, "), "{}", run.out);
}

/// The format that the command line names is not guessed.
#[test]
fn init_takes_a_format() {
    let log = "id,from,to,msg\n1,a,b,hello\n1,b,a,hello\n";
    let init = |format: &str| {
        run(&[("log.json", log)], &["map", "--input-format", format, "--init", "@log.json"])
    };
    let csv = init("csv");
    assert!(csv.code == 0 && csv.out.contains("format = \"csv\""), "{}{}", csv.out, csv.err);
    let text = init("text");
    assert!(text.code == 0 && text.out.contains("format = \"text\""), "{}{}", text.out, text.err);
    let sessions = init("htf");
    assert!(
        sessions.code == 2 && sessions.err.contains("is a format of sessions"),
        "{}",
        sessions.err
    );
}

/// Names that a mapping asks for and no record has, and sessions whose order is not known.
#[test]
fn check_tells_what_is_idle_and_what_is_tied() {
    let map = r#"[input]
format = "text"
patterns = ['^(?<at>\d+) (?<id>\w+) (?<from>\w) hello$', '^(?<at>\d+) (?<id>\w+) (?<from>\w) bye$']

[event]
session = "id"
order = "at"

[[rule]]
name = "greetings"
when = { pattern = 1 }
actions = ["{from}!hello"]

[[rule]]
name = "partings"
when = { pattern = 2 }
actions = ["{from}!bye"]
"#;
    let log = "1 s a hello\n1 t a hello\n2 t a hello\n";
    let tied = "1 u a hello\n1 u a hello\n";
    let files = [("spec.hif", SPEC), ("map.toml", map), ("log.txt", log), ("tied.txt", tied)];
    let check = ["map", "--check", "@spec.hif", "@log.txt", "--events", "@map.toml"];
    let found = run(&files, &check);
    for line in [
        "         3  records by greetings (line 9)",
        "         1  rules that no record reaches",
        "            partings (line 14)",
        "         1  patterns that no line matches",
        "         1  sessions with a single event",
    ] {
        assert!(found.out.lines().any(|it| it.starts_with(line)), "{line}\n{}", found.out);
    }
    // The same event twice has one order; another event at that time has not.
    let other = map.replace("actions = [\"{from}!bye\"]", "actions = [\"a?answer\"]");
    let tied = tied.replacen("hello\n1 u a hello", "hello\n1 u a bye", 1);
    let files = [("spec.hif", SPEC), ("map.toml", other.as_str()), ("log.txt", tied.as_str())];
    let found = run(&files, &check);
    let line = "at a, an event has the same order as the one at log.txt:1";
    assert!(found.code == 2 && found.out.contains(line), "{}", found.out);
    let judged = run(&files, &["check", "@spec.hif", "@log.txt", "--events", "@map.toml"]);
    assert_eq!(judged.code, 2, "{}", judged.err);
    // The remedy for a file with the newest event first is right for tables, too.
    let by_file = other.replace("[event]\n", "[event]\nties = \"file\"\n");
    let newest_first = format!("2 u a hello\n{tied}");
    let files = [("spec.hif", SPEC), ("map.toml", &by_file), ("log.txt", &newest_first)];
    let found = run(&files, &check);
    assert!(found.out.contains("turn its records round"), "{}", found.out);
}

/// Names beyond the limit are counted, not kept.
#[test]
fn check_keeps_a_thousand_unknown_names() {
    let line = |n: usize| format!("{{\"id\":1,\"from\":\"a\",\"to\":\"b\",\"msg\":\"m{n}\"}}\n");
    let log: String = (0..1500).map(line).collect();
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", log.as_str())];
    let json = ["--output-format", "json"];
    let check = ["map", "--check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"];
    let found = run(&files, &[&check[..], &json].concat());
    let json: serde_json::Value = serde_json::from_str(&found.out).expect("an object");
    assert_eq!(json["unknown_events"], 3000, "{json}");
    assert_eq!(json["unknown"].as_array().map(Vec::len), Some(1000), "a limit of names");
    assert_eq!(json["unknown_left_out"], 2000);
}

#[test]
fn a_log_of_which_nothing_is_usable_ends_with_1() {
    let other = "{\"id\":1,\"from\":\"x\",\"to\":\"y\",\"msg\":\"z\"}\n";
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", other)];
    let found =
        run(&files, &["map", "--check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(found.code, 1, "{}", found.out);
    assert!(found.err.contains("nothing of the log is usable"), "{}", found.err);
    let files = [("map.toml", MAPPING), ("log.jsonl", "{\"id\":1}\n")];
    let found = run(&files, &["map", "--explain", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(found.code, 1, "{}", found.out);
    assert!(found.err.contains("nothing of the log is usable"), "{}", found.err);
    let found = run(&files, &["map", "--check", "@spec.hif", "@log.jsonl"]);
    assert_eq!(found.code, 2, "there is no specification");
}

/// `map --check` ends as a check does, also where records without a rule are errors.
#[test]
fn records_without_a_rule_end_a_comparison_as_they_end_a_check() {
    let log =
        "{\"id\":1,\"from\":\"a\",\"to\":\"b\",\"msg\":\"hello\"}\n{\"id\":1,\"msg\":\"other\"}\n";
    for (unmatched, code) in [("count", 0), ("error", 2)] {
        let map = format!("unmatched = \"{unmatched}\"\n{MAPPING}");
        let files = [("spec.hif", "a -- hello -> b"), ("map.toml", &*map), ("log.jsonl", log)];
        for command in [&["check"][..], &["map", "--check"]] {
            let rest = ["@spec.hif", "@log.jsonl", "--events", "@map.toml"];
            let run = run(&files, &[command, &rest].concat());
            assert_eq!(run.code, code, "{command:?} {unmatched}\n{}{}", run.out, run.err);
        }
    }
}

/// A proposal, which must be a mapping when its questions are answered.
fn proposal(name: &str, text: &str) -> String {
    let run = run(&[(name, text)], &["map", "--init", &format!("@{name}")]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = answered(&run.out);
    if let Err(error) = Mapping::parse(&Source::new("proposal", text.as_str())) {
        panic!("{error}\n{text}");
    }
    text
}

#[test]
fn init_proposes_what_the_fields_look_like() {
    let log = "ts,trace_id,node,direction,message\n1,s1,a,send,hello\n2,s1,b,receive,hello\n\
               3,s2,a,send,bye\n4,s2,b,receive,bye\n";
    let text = proposal("log.csv", log);
    for line in [
        "format = \"csv\"",
        "session = \"trace_id\"",
        "\norder = \"ts\"\n",
        "lifeline = \"node\"",
        "direction = { field = \"direction\"",
        "message = \"message\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let log = "{\"id\":1,\"from\":\"a\",\"to\":\"b\",\"msg\":\"hi\"}\n{\"id\":1,\"from\":\"b\",\"to\":\"a\",\"msg\":\"ho\"}\n";
    let pairs = proposal("log.jsonl", log);
    assert!(pairs.contains("actions = [\"{from}!{msg}\", \"{to}?{msg}\"]"), "{pairs}");
}

#[test]
fn init_sees_what_separates_cells() {
    let log = "sid;svc;dir;what\ns1;a;send;m\ns1;b;receive;m\ns1;b;send;n\ns1;a;receive;n\n";
    let run = run(&[("log.csv", log)], &["map", "--init", "@log.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for line in
        ["delimiter = \";\"", "session = \"sid\"", "lifeline = \"svc\"", "message = \"what\""]
    {
        assert!(run.out.contains(line), "{line} in\n{}", run.out);
    }
    let mapping = Mapping::parse(&Source::new("m", answered(&run.out)));
    mapping.unwrap_or_else(|error| panic!("{error}"));
}

/// A part that nothing in the log tells is left out, and a comment asks for it.
#[test]
fn init_asks_for_what_the_log_does_not_tell() {
    let log = "{\"status\":200,\"at\":\"a\",\"size\":7}\n{\"status\":404,\"at\":\"b\",\"size\":7}\n\
               {\"status\":200,\"at\":\"a\",\"size\":9}\n{\"status\":404,\"at\":\"b\",\"size\":9}\n";
    let asked = run(&[("log.jsonl", log)], &["map", "--init", "@log.jsonl"]);
    assert!(asked.out.contains("\n# session? Which field"), "{}", asked.out);
    assert!(asked.out.contains("\nlifeline = \"at\""), "{}", asked.out);
    let map = asked.out.as_str();
    let explained = run(
        &[("log.jsonl", log), ("map.toml", map)],
        &["map", "--explain", "@log.jsonl", "--events", "@map.toml"],
    );
    assert_eq!(explained.code, 2);
    assert!(explained.err.contains("which field is the session?"), "{}", explained.err);
}

#[test]
fn init_tells_what_cannot_be_read() {
    let doubled = "{\"s\":1,\"k\":1,\"k\":2}\n{\"s\":1,\"k\":1,\"k\":2}\n";
    let run =
        |name: &str, text: &str| run(&[(name, text)], &["map", "--init", &format!("@{name}")]);
    let found = run("log.jsonl", doubled);
    assert!(found.out.contains("#   s: in 2 of 2 records"), "{}", found.out);
    let found = run("log.jsonl", "{\"s\":1,\"s\":2}\n{\"s\":1,\"s\":2}\n");
    assert!(found.out.contains("# 2 of the first records cannot be read."), "{}", found.out);
    assert!(found.out.contains("`s` stands twice"), "{}", found.out);
    let edn = run("log.edn", "{:type :invoke, :f :read, :process 0}\n");
    assert_eq!(edn.code, 2);
    assert!(edn.err.contains("this looks like EDN, which is not read"), "{}", edn.err);
    let document = r#"{"shop":"x","orders":[{"id":"o1","what":"pay"},{"id":"o1","what":"ship"}]}"#;
    let found = run("log.json", document);
    assert!(found.out.contains("records = \"orders[]\""), "{}", found.out);
    assert!(found.out.contains("message = \"what\""), "{}", found.out);
}

#[test]
fn init_says_what_it_cannot_read() {
    let text: Vec<u8> = "\u{feff}{\"id\":1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let run = multitrace_with_input(&["map", "--init", "-"], &text);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("UTF-16"), "{}", run.err);
}

#[test]
fn init_always_proposes_a_mapping() {
    for (name, text) in [
        ("a.txt", "12:00 a sends b\nand 'so' on\u{7}\n"),
        ("a.jsonl", "{\"a'b\":1,\"c.d\":{\"\\n\":2},\"session\":\"x\\ny\"}\n"),
        ("a.json", "[{\"msg\":\"x\"}]"),
        ("a.csv", "\"from\",\"to, or not\"\n1,2\n"),
        ("a.csv", ""),
        ("a", "a=1 b=2 msg=\"x\"\n"),
        ("empty", ""),
    ] {
        proposal(name, text);
    }
}

/// Which files a proposal is for, and which not, is told.
#[test]
fn a_proposal_looks_at_all_files_of_one_kind() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().display().to_string();
    let found = run(&[], &["map", "--init", &path]);
    assert!(found.code == 2 && found.err.contains("there is no file"), "{}", found.err);
    let header = "session,node,dir,msg\n";
    let rows = |node: &str, dir: &str| {
        let row = |at: usize| format!("s{},{node},{dir},m{}\n", at / 2, at % 2);
        (0..4).map(row).collect::<String>()
    };
    let files = [
        ("a.csv", &*(header.to_owned() + &rows("web", "send"))),
        ("b.csv", &*(header.to_owned() + &rows("shop", "recv"))),
        ("c.csv", "other,columns\n1,2\n"),
        ("d.jsonl", "{\"a\":1}\n"),
    ];
    let found = run(&files, &["map", "--init", "@*.csv", "@d.jsonl"]);
    assert_eq!(found.code, 0, "{}", found.err);
    for part in [
        "lifeline = \"node\"",
        "8 records, 2 different: shop, web",
        "direction = { field = \"dir\"",
    ] {
        assert!(found.out.contains(part), "{part}\n{}", found.out);
    }
    assert!(!found.out.contains("[[drop]]"), "{}", found.out);
    for part in
        ["for 2 files (csv), first ", "2 files are not looked at, first ", "c.csv (other columns)"]
    {
        assert!(found.err.contains(part), "{part}\n{}", found.err);
    }
    let found = run(&files, &["map", "--init", "@*.csv", "--exclude", "*a.csv"]);
    assert!(found.err.contains("the proposal is for"), "{}", found.err);
    assert!(
        found.err.contains("not looked at: ")
            && found.err.contains("propose a mapping for it alone"),
        "{}",
        found.err
    );
}

#[test]
fn values_in_comments_that_go_on_have_a_mark() {
    let log =
        "{\"id\":\"abcdefghijklmnopqrstuvwx\"}\n{\"id\":\"abcdefghijklmnopqrstuvwxy\"}\n".repeat(2);
    let text = proposal("log.jsonl", &log);
    assert!(text.contains("abcdefghijklmnopqrstuvwx, abcdefghijklmnopqrstuvwx…\n"), "{text}");
}

#[test]
fn init_asks_what_packets_say_that_do_not_name_their_protocols() {
    let packet = |at: u32, kind: &str| {
        format!(
            "{{\"index\":{{}}}}\n{{\"layers\":{{\"frame\":{{\"frame_frame_time_epoch\":\"{at}\"}},\
             \"ip\":{{\"ip_ip_src\":\"10.0.0.1\",\"ip_ip_dst\":\"10.0.0.2\"}},\"dns\":{{\"dns_type\":\"{kind}\"}}}}}}\n"
        )
    };
    let log = packet(1, "A") + &packet(2, "MX");
    let map = proposal("log.ek", &log);
    assert!(map.contains("# message? No packet names its protocols"), "{map}");
    let files = [("log.ek", log.as_str()), ("map.toml", &map)];
    let explained = run(&files, &["map", "--explain", "@log.ek", "--events", "@map.toml"]);
    assert_eq!(explained.code, 0, "{}{map}", explained.err);
    assert!(explained.out.contains("10.0.0.1!A"), "{}", explained.out);
    let named = log.replace("\"ip\"", "\"x_frame_protocols\":\"eth:dns\",\"ip\"");
    assert!(proposal("log.ek", &named).contains("# message? Packets are called after their"));
}

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("MULTITRACE_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        PathBuf::from,
    );
    let events = folder.join("events");
    if !events.is_dir() {
        println!("skipped: {} is not there", events.display());
        return None;
    }
    Some(events)
}

/// The counts of `--explain` on a file of the corpus.
fn counts(file: &Path, mapping: &str) -> Vec<String> {
    let folder = TempDir::new().expect("a folder");
    let map = folder.path().join("map.toml");
    std::fs::write(&map, mapping).expect("a file");
    let (file, map) = (file.display().to_string(), map.display().to_string());
    let run = multitrace(&["map", "--explain", &file, "--events", &map, "--records", "0"]);
    assert_eq!(run.code, 0, "{}{}", run.err, run.out);
    run.out.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn tls_handshakes_have_roles() {
    let Some(events) = corpus() else { return };
    let mapping = "[event]\nsession = \"session\"\n\
        [[role]]\nlifeline = \"client\"\nfield = \"src\"\nwhen = { msg = \"ClientHello\" }\n\
        [[role]]\nlifeline = \"server\"\nfield = \"dst\"\nwhen = { msg = \"ClientHello\" }\n\
        [[rule]]\nactions = [\"{src}!{msg}\", \"{dst}?{msg}\"]\n";
    let counted = counts(&events.join("tls/tls1_1.jsonl"), mapping);
    assert_eq!(counted[..3], ["12  records", "24  events", "2  records that bind roles"]);
}

#[test]
fn a_shop_of_pods_is_renamed() {
    let Some(events) = corpus() else { return };
    let mapping = "[event]\nsession = \"TraceID\"\norder = \"StartTimeUnixNano\"\n\
        [[rule]]\nname = \"root\"\nwhen = { ParentID = \"root\" }\nactions = [\"{PodName}?{OperationName}\"]\n\
        [[rule]]\nname = \"inner\"\nactions = [\"{PodName}!{OperationName}\", \
        { action = \"{PodName}?{OperationName}_return\", order = \"EndTimeUnixNano\" }]\n\
        [rename]\nclean = true\n[rename.lifelines]\n'/-[0-9a-f]+-\\w{5}$/' = \"\"\n";
    let counted = counts(&events.join("nezha/online-boutique-17_00.csv"), mapping);
    assert!(counted[0].ends_with("records") && counted[0] != "0  records", "{counted:?}");
    assert!(counted.contains(&"0  records that no rule matches".to_owned()), "{counted:?}");
}

#[test]
fn raft_messages_are_emitted_and_received() {
    let Some(events) = corpus() else { return };
    let mapping = "[event]\nsession = { text = \"run\" }\nlifeline = \"event.nid\"\n\
        direction = { field = \"event.name\", emission = \"/^Send/\", reception = \"/^Receive/\" }\n\
        message = \"{event.msg.type}_{event.msg.from}_{event.msg.to}\"\norder = \"ts\"\n";
    let counted = counts(&events.join("raft/example.ndjson"), mapping);
    let sent_and_received = 4 + 5 + 5 + 4 + 931 + 847 + 845 + 807;
    assert_eq!(counted[0], "4888  records");
    assert!(counted[1].ends_with("events"), "{counted:?}");
    let events: u64 = counted[1].split(' ').next().expect("a number").parse().expect("a number");
    assert!(events >= sent_and_received, "{events}");
}

#[test]
fn zipkin_spans_need_two_lines() {
    let Some(events) = corpus() else { return };
    let mapping = "[spans]\n[rename]\nclean = true\n";
    let counted = counts(&events.join("zipkin/messaging.json"), mapping);
    assert_eq!(counted[..2], ["4  records", "3  events"], "{counted:?}");
    let counted = counts(&events.join("zipkin/yelp.json"), mapping);
    // One span of it has no kind, and is told.
    assert!(counted.contains(&"1  records that no rule matches".to_owned()), "{counted:?}");
}

#[test]
fn init_proposes_mappings_of_the_corpus() {
    let Some(events) = corpus() else { return };
    for file in [
        "tls/tls1_1.jsonl",
        "zipkin/messaging.json",
        "zipkin/yelp.json",
        "nezha/online-boutique-17_00.csv",
        "raft/example.ndjson",
    ] {
        let run = multitrace(&["map", "--init", &events.join(file).display().to_string()]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(Mapping::parse(&Source::new(file, answered(&run.out))).is_ok(), "{}", run.out);
        if file.starts_with("raft") {
            assert!(run.out.contains("lifeline = \"event.nid\""), "{}", run.out);
        }
    }
}

/// The result of the proposal for a log: the lines of the proposal, records and events.
fn proposed(name: &str, log: &str) -> (String, u64, u64) {
    let text = proposal(name, log);
    let files = [(name, log), ("map.toml", text.as_str())];
    let log = format!("@{name}");
    let args = ["map", "--explain", log.as_str(), "--events", "@map.toml", "--records", "0"];
    let run = run(&files, &args);
    assert_eq!(run.code, 0, "{}{}\n{text}", run.err, run.out);
    let number = |line: &str| line.split_whitespace().next().expect("a number").parse();
    let mut lines = run.out.lines().map(|line| number(line).unwrap_or(0));
    let (records, events) = (lines.next().unwrap_or(0), lines.next().unwrap_or(0));
    (text, records, events)
}

/// Forty repetitions of some lines with a number.
fn repeated(lines: impl Fn(u32) -> String) -> String {
    (10..50).map(lines).collect()
}

/// Text logs of seven kinds.
fn text_logs() -> [String; 7] {
    let broker = repeated(|n| {
        format!(
            "17000000{n}: New client connected from 127.0.0.1:400{n} as client{m} (p2, c1).\n\
             17000000{n}: Sending CONNACK to client{m} (0, 0)\n\
             17000000{n}: Received PUBLISH from client{m} (d0, q1, m{n})\n",
            m = n % 6
        )
    });
    let lock = repeated(|n| {
        format!(
            "10:00:{n},123 INFO lockd: recv request lock=L1 from client{m} req=r-{n}\n\
             10:00:{n},456 INFO lockd: send grant lock=L1 to client{m} req=r-{n}\n",
            m = n % 3
        )
    });
    let blocks = repeated(|n| {
        format!(
            "081109 2036{n} 140 INFO dfs.DataNode$DataXceiver: Receiving block blk_-16{n} src: /10.2.1.{n}:50\n\
             081109 2036{n} 150 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block blk_-16{n} terminating\n"
        )
    });
    let boots = repeated(|n| {
        let id = format!("[req-3ea4052c-895d-4b64-9e2d-04d64c4d94{n} - -]");
        format!(
            "nova-api.log 2017-05-16 00:00:{n}.900 257 INFO nova.osapi.server {id} \"POST /servers HTTP/1.1\" status: 202\n\
             nova-compute.log 2017-05-16 00:00:{n}.950 293 INFO nova.compute.manager {id} VM Started (Lifecycle Event)\n"
        )
    });
    let dialogues = repeated(|n| {
        format!(
            "2024-05-01 12:00:{n} 10.0.0.1:5060 -> 10.0.0.2:5060 INVITE Call-ID: a84b4c76{n}\n\
             2024-05-01 12:00:{n} 10.0.0.2:5060 -> 10.0.0.1:5060 200 OK Call-ID: a84b4c76{n}\n"
        )
    });
    let clocks = repeated(|n| {
        format!(
            "alice {{\"alice\":{n}}} send ping {n}\nbob {{\"alice\":{n}, \"bob\":{n}}} receive ping {n}\n"
        )
    });
    let levels =
        repeated(|n| format!("[INFO] node{} got ack {n}\n[INFO] node1 sent ack {n}\n", n % 4));
    [broker, lock, blocks, boots, dialogues, clocks, levels]
}

#[test]
fn init_learns_templates_of_text() {
    let [broker, lock, blocks, boots, dialogues, clocks, levels] = text_logs();
    let expected: [(&str, &str, &[&str]); 7] = [
        (
            "broker.log",
            &broker,
            &[
                "session = \"client\"",
                "{ text = \"CONNACK\" }\ndirection = \"emission\"",
                "{ text = \"PUBLISH\" }\ndirection = \"reception\"",
            ],
        ),
        (
            "lock.log",
            &lock,
            &[
                "session = \"req\"",
                "{ text = \"request\" }\ndirection = \"reception\"",
                "{ text = \"grant\" }\ndirection = \"emission\"",
                "%H:%M:%S,%f",
            ],
        ),
        (
            "blocks.log",
            &blocks,
            &["session = \"blk\"", "\ndirection = \"reception\"", "%y%m%d %H%M%S"],
        ),
        (
            "boots.log",
            &boots,
            &["session = \"req\"", "{ text = \"VM_Started", "\norder = \"time\"\n"],
        ),
        (
            "sip.log",
            &dialogues,
            &["session = \"call_id\"", "{address}!INVITE", "{address_2}?INVITE"],
        ),
        ("clocks.log", &clocks, &["{source}!ping", "{source}?ping"]),
        (
            "levels.log",
            &levels,
            &[
                "format = \"text\"",
                "{ text = \"ack\" }\ndirection = \"emission\"",
                "direction = \"reception\"",
            ],
        ),
    ];
    for (name, log, wanted) in expected {
        let (text, records, events) = proposed(name, log);
        assert!(events * 2 > records, "{name}: {events} events of {records} records\n{text}");
        for part in wanted {
            assert!(text.contains(part), "{name}: {part} is missing in\n{text}");
        }
    }
}

#[test]
fn init_knows_process_mining_and_spans() {
    let csv = "case:concept:name,concept:name,time:timestamp,org:resource\n\
               c1,register,2024-05-01T12:00:00Z,ann\nc1,decide,2024-05-01T12:01:00Z,bob\n\
               c2,register,2024-05-01T12:02:00Z,ann\n";
    let (text, records, events) = proposed("log.csv", csv);
    assert_eq!((records, events), (3, 3), "{text}");
    for line in [
        "session = \"case:concept:name\"",
        "message = \"concept:name\"",
        "lifeline = \"org:resource\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let xes = "<log><trace><string key=\"concept:name\" value=\"c1\"/>\n\
               <event><string key=\"concept:name\" value=\"decide\"/></event></trace></log>";
    let (text, records, events) = proposed("log.xes", xes);
    assert_eq!((records, events), (1, 1), "{text}");
    assert!(text.contains("lifeline = \"@stem\""), "nobody is named\n{text}");
    let zipkin = "[{\"traceId\":\"t1\",\"id\":\"1\",\"kind\":\"CLIENT\",\"name\":\"get\",\"timestamp\":10,\
                  \"duration\":9,\"localEndpoint\":{\"serviceName\":\"front\"}}]";
    assert_eq!(proposed("spans.json", zipkin).2, 1);
}

#[test]
fn init_says_that_sessions_need_no_mapping() {
    for (name, text) in [
        ("s.jsonl", "{\"session\":\"s1\",\"traces\":{\"a\":[\"a!m\"]}}\n"),
        ("s.jsonl", "{\"session\":\"s1\",\"htf\":\"{[a] a!m}\"}\n"),
        ("s.htf", "{[a] a!m; [b] b?m}\n"),
    ] {
        let run = run(&[(name, text)], &["map", "--init", &format!("@{name}")]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}");
        assert!(run.err.contains("which need no mapping"), "{}", run.err);
    }
}

#[test]
fn a_check_hints_at_the_mapping_when_sessions_fail_alike() {
    let log: String = (0..12)
        .map(|n| format!("{{\"id\":{n},\"from\":\"a\",\"to\":\"b\",\"msg\":\"hallo\"}}\n"))
        .collect();
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", log.as_str())];
    let found = run(&files, &["check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(found.code, 1, "{}", found.err);
    assert_eq!(found.err.matches("multitrace map --check").count(), 1, "{}", found.err);
    let few: String = log.lines().take(9).map(|line| format!("{line}\n")).collect();
    let files = [("spec.hif", SPEC), ("map.toml", MAPPING), ("log.jsonl", few.as_str())];
    let found = run(&files, &["check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"]);
    assert!(!found.err.contains("map --check"), "{}", found.err);
}

#[test]
fn explain_tells_which_names_renames_make_one() {
    let mapping = "[event]\nsession = \"id\"\nlifeline = \"pod\"\ndirection = \"emission\"\n\
        message = \"op\"\n[rename.lifelines]\n'/-[0-9a-f]+$/' = \"\"\n[rename.messages]\n\
        '/ .*/' = \"\"\n";
    let log = "id,pod,op\n1,cart-1,GET /a\n1,cart-2,GET /b\n1,cart-3,POST /a\n1,shop-1,PUT /x\n";
    let files = [("map.toml", mapping), ("log.csv", log)];
    let run =
        run(&files, &["map", "--explain", "@log.csv", "--events", "@map.toml", "--records", "0"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let expected = "\
         1  lifelines that are several names in the log
            cart: 3 names, as cart-1 and cart-2
         1  messages that are several names in the log
            GET: 2 names, as GET /a and GET /b
";
    assert!(run.out.contains(expected), "{}", run.out);
}

#[test]
fn names_of_any_characters_need_no_rename() {
    let spec = "client -- \"GET /cart\" -> \"order-service\"";
    let mapping = "[event]\nsession = \"id\"\n[[rule]]\n\
        actions = [\"client!{op}\", '\"{to}\"?{op}']\n";
    let log = "{\"id\":1,\"to\":\"order-service\",\"op\":\"GET /cart\"}\n";
    let files = [("spec.hif", spec), ("map.toml", mapping), ("log.jsonl", log)];
    let run = run(&files, &["check", "@spec.hif", "@log.jsonl", "--events", "@map.toml"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let proposed = self::run(&files, &["map", "--init", "@log.jsonl"]);
    assert!(!proposed.out.contains("rename"), "{}", proposed.out);
}

/// The edits of a person in a proposal: a line of it, and its replacement.
type Edits = [(&'static str, &'static str)];

/// How the rules of a proposal begin.
const FIRST_RULE: &str = "[[rule]]\nname = \"pattern 1,";

/// The proposals for the logs of the examples, with at most two edits each, find the sessions that the
/// mappings beside them find, and nothing that they cannot read.
#[test]
fn init_needs_two_edits_at_most_on_the_examples() {
    let examples: [(&str, u64, &Edits); 9] = [
        ("hdfs/hdfs.log", 5, &[]),
        ("sip/capture.txt", 7, &[]),
        ("lock/lockd.log", 5, &[]),
        ("openstack/nova.log", 6, &[]),
        ("spans/spans.json", 5, &[]),
        ("xes/claims.xes", 5, &[]),
        (
            "broker/broker.log",
            4,
            &[
                ("session = \"code\"", "session = [\"as\", \"from\", \"to\", \"gate\"]"),
                (FIRST_RULE, "[[drop]]\nwhen = { pattern = 6 }\n\n[[rule]]\nname = \"pattern 1,"),
            ],
        ),
        (
            "broker/clients.log",
            4,
            &[
                ("session = \"code_3\"", "session = \"source\""),
                (
                    FIRST_RULE,
                    "[[drop]]\nwhen = { source = { exists = false } }\n\n[[rule]]\nname = \"pattern 1,",
                ),
            ],
        ),
        (
            "shiviz/relay.log",
            5,
            &[
                ("session = \"datamessage\"", "session = [\"datamessage\", \"ack\"]"),
                (
                    FIRST_RULE,
                    "[[drop]]\nwhen = { datamessage = { exists = false }, ack = { exists = false } }\n\n[[rule]]\nname = \"pattern 1,",
                ),
            ],
        ),
    ];
    for (log, sessions, edits) in examples {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(log);
        let log = log.display().to_string();
        let proposal = multitrace(&["map", "--init", &log]);
        assert_eq!(proposal.code, 0, "{}", proposal.err);
        let mut map = answered(&proposal.out);
        for (before, after) in edits {
            assert!(map.contains(before), "{log}: no {before} in\n{map}");
            map = map.replace(before, after);
        }
        let files = [("map.toml", map.as_str()), ("any.hif", "o")];
        let json = ["--output-format", "json-lines"];
        let run = run(
            &files,
            &[&["check", "@any.hif", "--events", "@map.toml", &log], &json[..]].concat(),
        );
        assert!(run.code < 2, "{log}: {}\n{map}", run.err);
        let summary = run.out.lines().last().expect("a summary");
        assert!(summary.contains(&format!("\"sessions\":{sessions},")), "{log}: {summary}\n{map}");
    }
}

#[test]
fn explain_takes_the_beginning_of_an_id() {
    let map =
        "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = \"emission\"\nmessage = \"m\"\n";
    let log = "s,at,m\nreq-17,a,x\nreq-23,a,x\nreq-29,a,x\n";
    let files = [("map.toml", map), ("log.csv", log), ("spec.hif", "a -- x ->|")];
    let explain = |id: &str| {
        let args = ["explain", "@spec.hif", "@log.csv", "--events", "@map.toml", "--session", id];
        run(&files, &args)
    };
    let one = explain("req-1");
    assert_eq!(one.code, 0, "{}", one.err);
    assert!(one.out.starts_with("req-17: pass"), "{}", one.out);
    assert!(
        one.err.contains("no session is called \"req-1\", but \"req-17\" begins so"),
        "{}",
        one.err
    );
    let several = explain("req-2");
    assert_eq!((several.code, several.out.as_str()), (3, ""));
    assert!(
        several.err.contains("\"req-23\" begins so") && several.err.contains("\"req-29\""),
        "{}",
        several.err
    );
    assert_eq!(explain("x").code, 3);
}

/// Docker calls the log of a container after its id, with `-json` behind it, and numbers old ones.
#[test]
fn containers_are_called_like_their_files() {
    let files = Folder::new();
    let mapping = "[input]\nformat = \"docker\"\n[event]\nsession = { text = \"run\" }\ndirection = \"emission\"\n\
                   message = { field = \"log\", match = '\\w+' }\n";
    let mapping = files.file("map.toml", mapping);
    let line = r#"{"log":"up\n","stream":"stdout","time":"2031-02-03T04:05:06Z"}"#;
    for (name, event) in
        [("a1-json.log", "a1!up"), ("b2-json.log.1", "b2!up"), ("web.log", "web!up")]
    {
        let log = files.file(name, line);
        let run = multitrace(&["sessions", &log, "--events", &mapping]);
        assert!(run.out.contains(&format!("[\"{event}\"]")), "{name} {}{}", run.out, run.err);
    }
}

/// The errors of spans say which key of `[spans]` is missing.
#[test]
fn spans_of_a_table_lack_a_session_or_have_other_kinds() {
    let files = Folder::new();
    let log = files.file(
        "spans.csv",
        "id,parent,type,at,end,svc,name\n1,,client,1,2,a,get\n2,1,Entry,1,2,b,get\n",
    );
    let mapping = files.file(
        "map.toml",
        "[spans]\nid = \"id\"\nparent = \"parent\"\nkind = \"type\"\nstart = \"at\"\nend = \"end\"\nlifeline = \"svc\"\n\
         message = \"name\"\n",
    );
    let run = multitrace(&["sessions", &log, "--events", &mapping]);
    for help in [
        "`span.trace_id` is for spans of OTLP and Zipkin: write session = \"FIELD\" in [spans]; ",
        "say which of these it is, kind = { field = \"type\", client = \"Entry\" }; or leave",
    ] {
        assert!(run.err.contains(help), "{help}\n{}", run.err);
    }
}
