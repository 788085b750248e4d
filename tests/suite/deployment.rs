//! Logs that are judged where they are: `compile --split`, `local` and `combine` give the rows of a check of all logs,
//! and nothing of the logs leaves a location beyond the promise.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_in};
use crate::common::shown::{shows, without_times};
use multitrace::{Inputs, LocalMonitor, LocalOptions};
use multitrace_formats::bundle::FORMAT_VERSION;
use multitrace_interaction::Observation;
use multitrace_testing::cases;
use multitrace_testing_engines::agreement::any_case;
use multitrace_testing_engines::locations::compare;
use multitrace_testing_engines::ways::configs;
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Cursor;
use std::num::NonZeroUsize;
use std::path::Path;

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn combined_rows_are_those_of_a_check(case in any_case(), config in 0..configs().len()) {
        let (name, config) = &configs()[config];
        for observation in Observation::ALL {
            let compared = compare(&case, config, observation);
            prop_assert!(compared.is_ok(), "{name}, {}: {:?}", observation.name(), compared);
        }
    }
}

const SPEC: &str = "seq(client -- order -> shop, shop -- charge -> bank, alt(bank -- paid -> shop, bank -- refused -> shop))";
const LOCATIONS: [&str; 3] = ["client", "shop", "bank"];
/// The names of messages. If one of them were in a file, a search for its text would find it.
const NAMES: [&str; 5] = ["order", "charge", "paid", "refused", "secret"];

/// A specification that leaves events open keeps them open at each location.
#[test]
fn events_that_are_not_judged_are_not_judged_at_a_location() {
    let folder = written();
    let (spec, all, split) =
        (folder.path("shop.hif"), folder.path("all.mtb"), folder.path("split"));
    let compiled =
        multitrace(&["compile", &spec, "--unjudged", "all", "-o", &all, "--split", &split]);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    let ask = folder.path("ask");
    let log = folder.file(
        "log.jsonl",
        r#"{"session":"s1","traces":{"client":["client!other","client!order"],"shop":["shop?order","shop!charge","shop?x","shop?paid"],"bank":["bank?charge","bank!paid"],"clerk":["clerk!note"]}}
{"session":"s2","traces":{"client":["client!order"],"shop":["shop!charge","shop?x"],"bank":[],"clerk":[]}}
"#,
    );
    let names = bundle_names(&folder);
    let parts: Vec<String> = names.iter().map(|it| format!("{it}.part")).collect();
    names.iter().for_each(|it| assert_eq!(local(&folder, it, "log.jsonl", false).code, 0));
    assert_eq!(combine(&folder, &parts, &["--ask", &ask]).code, 3);
    let asked: Vec<&String> = names
        .iter()
        .filter(|it| std::fs::exists(folder.path(&format!("ask/{it}.request"))).expect("a folder"))
        .collect();
    asked.iter().for_each(|it| assert_eq!(local(&folder, it, "log.jsonl", true).code, 0));
    let files: Vec<String> =
        parts.into_iter().chain(asked.iter().map(|it| format!("{it}.letters"))).collect();
    let combined = combine(&folder, &files, &["--output-format", "json-lines"]);
    let checked = multitrace(&["check", &all, &log, "--output-format", "json-lines"]);
    let faults = |run: &Run| -> Vec<Value> {
        let rows = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        rows.map(|row| Value::from(vec![row["verdict"].clone(), row["faults"].clone()])).collect()
    };
    assert_eq!(checked.code, 1, "{}", checked.err);
    assert_eq!(faults(&combined), faults(&checked), "{}", combined.err);
    assert!(checked.out.contains("\"pass\""), "{}", checked.out);
}

/// The logs of three locations, one file each.
fn written() -> Folder {
    let folder = Folder::new();
    folder.file("shop.hif", SPEC);
    folder.file(
        "client.jsonl",
        r#"{"session":"s1","traces":{"client":["client!order"]}}
{"session":"s2","traces":{"client":["client!order"]}}
{"session":"s3","traces":{"client":["client!order","client!secret"]}}
"#,
    );
    folder.file(
        "shop.jsonl",
        r#"{"session":"s1","traces":{"shop":["shop?order","shop!charge","shop?paid"]}}
{"session":"s2","traces":{"shop":["shop?order","shop!charge","shop?refused"]}}
{"session":"s3","traces":{"shop":["shop!charge","shop?order"]}}
"#,
    );
    folder.file(
        "bank.jsonl",
        r#"{"session":"s1","traces":{"bank":["bank?charge","bank!paid"]}}
{"session":"s2","traces":{"bank":["bank?charge","bank!paid"]}}
{"session":"s3","traces":{"bank":[]}}
"#,
    );
    let (spec, out, split) =
        (folder.path("shop.hif"), folder.path("all.mtb"), folder.path("split"));
    let compiled = multitrace(&["compile", &spec, "-o", &out, "--split", &split]);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    folder
}

/// The names of the bundles of locations.
fn bundle_names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("split")).expect("a folder");
    let names = entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter_map(|it| it.strip_suffix(".mtb").map(str::to_owned)).collect();
    names.sort();
    names
}

fn local(folder: &Folder, location: &str, log: &str, answer: bool) -> Run {
    let (bundle, log) = (folder.path(&format!("split/{location}.mtb")), folder.path(log));
    let request = folder.path(&format!("ask/{location}.request"));
    let (options, kind) =
        if answer { (vec!["--answer", &request], "letters") } else { (Vec::new(), "part") };
    let out = folder.path(&format!("{location}.{kind}"));
    multitrace(&[&["local", &bundle, &log, "-o", &out], &options[..]].concat())
}

fn combine(folder: &Folder, files: &[String], options: &[&str]) -> Run {
    let files: Vec<String> = files.iter().map(|it| folder.path(it)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    multitrace(&[&["combine", &folder.path("all.mtb")], &files[..], options].concat())
}

fn files(kind: &str) -> Vec<String> {
    LOCATIONS.iter().map(|it| format!("{it}.{kind}")).collect()
}

/// All parts; then all letters that are asked for.
fn two_rounds(options: &[&str]) -> (Folder, Run) {
    let folder = written();
    for location in LOCATIONS {
        let run = local(&folder, location, &format!("{location}.jsonl"), false);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let ask = folder.path("ask");
    let asked = combine(&folder, &files("part"), &[&["--ask", &ask], options].concat());
    assert_eq!((asked.code, asked.out.as_str()), (3, ""), "{}", asked.err);
    assert!(asked.err.contains("nothing is decided yet"), "{}", asked.err);
    let mut all = files("part");
    for location in LOCATIONS {
        if std::fs::exists(folder.path(&format!("ask/{location}.request"))).expect("a folder") {
            let run = local(&folder, location, &format!("{location}.jsonl"), true);
            assert_eq!(run.code, 0, "{}", run.err);
            all.push(format!("{location}.letters"));
        }
    }
    let run = combine(&folder, &all, &[&["--output-format", "json-lines"], options].concat());
    (folder, run)
}

fn unpacked(path: &str) -> String {
    let output = std::process::Command::new("gzip").args(["-dc", path]).output().expect("gzip");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn no_name_leaves_a_location_but_texts_of_unknown_events_that_are_asked_for() {
    let (folder, combined) = two_rounds(&[]);
    assert_eq!(combined.code, 1, "{}", combined.err);
    let rows: Vec<Value> =
        combined.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let verdicts: Vec<&Value> = rows.iter().map(|row| &row["verdict"]).collect();
    assert_eq!(verdicts[..3], ["pass", "fail", "fail"]);
    assert_eq!(rows[2]["faults"][0]["event"], "client!secret");
    for location in LOCATIONS {
        let part = unpacked(&folder.path(&format!("{location}.part")));
        let letters = unpacked(&folder.path(&format!("{location}.letters")));
        assert!(part.contains("\"word\"") && letters.contains("\"letters\""), "{part}{letters}");
        for name in NAMES {
            assert!(!part.contains(name), "{location} sends {name}:\n{part}");
            let is_asked = location == "client" && name == "secret";
            assert_eq!(letters.contains(name), is_asked, "{location}: {name}:\n{letters}");
        }
        // Its bundle names its own letters, and no others.
        let bundle =
            std::fs::read(folder.path(&format!("split/{location}.mtb"))).expect("a bundle");
        let bundle = String::from_utf8_lossy(&bundle);
        for (other, letter) in
            [("client", "client!order"), ("shop", "shop?order"), ("bank", "bank!refused")]
        {
            assert_eq!(bundle.contains(letter), location == other, "{location}: {letter}");
        }
    }
}

#[test]
fn verdicts_alone_need_no_letters_of_logs_that_are_impossible_alone() {
    let (folder, combined) = two_rounds(&["--verdicts-only"]);
    // The areas of s2 do not meet; s3 has an event nobody knows, whose text is asked for.
    let row: Value =
        combined.out.lines().nth(1).map(|it| serde_json::from_str(it).expect("JSON")).expect("s2");
    assert_eq!((&row["verdict"], &row["cause"]), (&"fail".into(), &"inter".into()), "{row}");
    let letters = unpacked(&folder.path("shop.letters"));
    assert_eq!(letters.matches("\"letters\":{").count(), 2, "{letters}");
}

#[test]
fn letters_of_earlier_days_are_asked_for_once() {
    let (folder, _) = two_rounds(&[]);
    let log = folder.read("client.jsonl").replace(":\"s", ":\"t");
    folder.file("client.jsonl", &log);
    assert_eq!(local(&folder, "client", "client.jsonl", false).code, 0);
    let all = [files("part"), files("letters")].concat();
    let combined = combine(&folder, &all, &["--output-format", "json-lines"]);
    assert_eq!((combined.code, combined.out.lines().count()), (1, 7), "{}", combined.err);
}

#[test]
fn a_location_without_a_part_has_logged_nothing() {
    let (folder, _) = two_rounds(&[]);
    let some: Vec<String> =
        ["client.part", "shop.part", "client.letters", "shop.letters"].map(str::to_owned).to_vec();
    let combined = combine(&folder, &some, &["--output-format", "json-lines"]);
    for format in ["human", "json-lines", "junit"] {
        let quiet = combine(&folder, &some, &["--quiet", "--output-format", format]);
        assert!(quiet.out.contains("there is no part of bank"), "{}", quiet.out);
    }
    let (spec, client, shop) =
        (folder.path("shop.hif"), folder.path("client.jsonl"), folder.path("shop.jsonl"));
    // The two logs as one session a line.
    let lines: Vec<String> =
        std::iter::zip(folder.read("client.jsonl").lines(), folder.read("shop.jsonl").lines())
            .map(|(client, shop)| {
                let shop = shop.split_once("\"traces\":{").expect("traces").1;
                format!("{},{shop}", client.strip_suffix("}}").expect("a line"))
            })
            .collect();
    assert!(!client.is_empty() && !shop.is_empty());
    let log = folder.file("both.jsonl", &lines.join("\n"));
    let checked = multitrace(&["check", &spec, &log, "--output-format", "json-lines"]);
    let verdicts = |run: &Run| -> Vec<Value> {
        let rows = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        rows.map(|row| row["faults"].clone()).collect()
    };
    assert_eq!(verdicts(&combined), verdicts(&checked), "{}", combined.err);
}

#[test]
fn files_that_are_damaged_or_of_another_bundle_are_refused() {
    let (folder, _) = two_rounds(&[]);
    let all = [files("part"), files("letters")].concat();
    let whole = std::fs::read(folder.path("shop.part")).expect("a part");
    let text = unpacked(&folder.path("shop.part"));
    let lines: Vec<&str> = text.lines().collect();
    let without_last = lines[..lines.len() - 1].join("\n") + "\n";
    let cases: [(Vec<u8>, &str); 7] = [
        (whole[..whole.len() / 2].to_vec(), "write or copy the file again"),
        (without_last.into_bytes(), "the file is cut off"),
        (text.replace("s1", "s9").into_bytes(), "the file is damaged"),
        (
            text.replace("\"words\":[0", "\"words\":[9").into_bytes(),
            "the number of a word is wrong",
        ),
        (text.replace("multitrace-local\":", "multitrace-local\":9").into_bytes(), "version 9"),
        (text.replace("bundle\":\"", "bundle\":\"0").into_bytes(), "of another bundle"),
        (b"{}\n".to_vec(), "this is not a file of"),
    ];
    for (bytes, message) in cases {
        std::fs::write(folder.path("shop.part"), bytes).expect("a file");
        let run = combine(&folder, &all, &[]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{message}");
        assert!(
            run.err.contains(message) && run.err.contains("shop.part: line"),
            "{message}: {}",
            run.err
        );
    }
    std::fs::write(folder.path("shop.part"), whole).expect("a file");
    let twice = [all.clone(), vec!["shop.part".to_owned()]].concat();
    let run = combine(&folder, &twice, &[]);
    assert!(run.code == 2 && run.err.contains("in two parts of one location"), "{}", run.err);
    let request = [all, vec!["ask/shop.request".to_owned()]].concat();
    let run = combine(&folder, &request, &[]);
    assert!(run.code == 2 && run.err.contains("this is a request"), "{}", run.err);
}

#[test]
fn bundles_and_requests_of_others_are_refused() {
    let (folder, _) = two_rounds(&[]);
    let part = files("part");
    let missing = combine(&folder, &part, &[]);
    assert!(missing.code == 2 && missing.err.contains("add --ask DIR"), "{}", missing.err);
    let (bank, log, out) =
        (folder.path("split/bank.mtb"), folder.path("bank.jsonl"), folder.path("bank.part"));
    let request = folder.path("ask/shop.request");
    let run = multitrace(&["local", &bank, &log, "-o", &out, "--answer", &request]);
    assert!(run.code == 2 && run.err.contains("it is for \"shop\""), "{}", run.err);
    let run = multitrace(&["check", &bank, &log]);
    assert!(run.code == 2 && run.err.contains("the bundle of one location"), "{}", run.err);
    let run = multitrace(&["local", &folder.path("all.mtb"), &log, "-o", &out]);
    assert!(run.code == 2 && run.err.contains("the bundle of all locations"), "{}", run.err);
    // A log that cannot be read whole gives no part.
    folder.file("bank.jsonl", "{\"session\":\"s1\"");
    std::fs::remove_file(&out).expect("a part");
    let run = local(&folder, "bank", "bank.jsonl", false);
    assert!(run.code == 2 && run.err.contains("bank.jsonl:1"), "{}", run.err);
    assert!(!std::fs::exists(&out).expect("a folder"));
    let line = "{\"session\":\"s1\",\"traces\":{}}\n";
    // Another session has logged the same as the second of them.
    let other = line.replace("{}", "{\"bank\":[\"bank?charge\"]}");
    folder.file("bank.jsonl", &[line, &other, &other.replace("s1", "s2")].concat());
    let run = local(&folder, "bank", "bank.jsonl", false);
    let told = "bank.jsonl:2: session \"s1\" is there twice";
    assert!(run.code == 2 && run.err.contains(told), "{}", run.err);
}

/// The commands of the page, one after another in a folder with the examples.
#[test]
fn the_page_on_deployment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/deployment.md")).expect("the page");
    let folder = Folder::new();
    for file in [
        "orders/orders.mmd",
        "orders/orders.toml",
        "deployment/web.jsonl",
        "deployment/shop.jsonl",
        "deployment/store.jsonl",
    ] {
        let name = format!("examples/{file}");
        folder.file(&name, &std::fs::read_to_string(root.join(&name)).expect("an example"));
    }
    let place = folder.path("");
    let blocks = page.split("```sh\n").skip(1).map(|it| it.split_once("```").expect("an end").0);
    let mut runs = Vec::new();
    for command in blocks.flat_map(str::lines).filter(|it| it.starts_with("multitrace")) {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let run = multitrace_in(Some(Path::new(&place)), &words, &[]);
        runs.push((command, run));
    }
    let codes: Vec<i32> = runs.iter().map(|it| it.1.code).collect();
    assert_eq!(codes, [0, 0, 0, 0, 3, 0, 0, 0, 1], "{}", runs[8].1.err);
    let (_, shown) = page.split_once("```text\n4 sessions").expect("the report");
    let shown = format!("4 sessions{}", shown.split_once("\n```").expect("an end").0);
    let lines = |text: &str| text.lines().map(without_times).collect::<Vec<_>>();
    if let Err(difference) = shows(&lines(&shown), &lines(&runs[8].1.out)) {
        panic!("{difference}\nin\n{}", runs[8].1.out);
    }
    // The report is that of all logs at once, but for the places.
    let logs = ["web", "shop", "store"].map(|it| format!("examples/deployment/{it}.jsonl"));
    let rows = |run: Run| -> Vec<Value> {
        let row = |line: &str| {
            let mut row: Value = serde_json::from_str(line).expect("JSON");
            let found = row.as_object_mut().expect("an object");
            ["file", "line", "places", "input"].iter().for_each(|name| _ = found.remove(*name));
            row
        };
        let rows = run.out.lines().map(row).collect::<Vec<_>>();
        rows[..rows.len() - 1].to_vec()
    };
    let json = ["--output-format", "json-lines"];
    let check = [&["check", "all.mtb"], &logs.each_ref().map(String::as_str)[..], &json].concat();
    let combine: Vec<&str> = runs[8].0.split_whitespace().skip(1).chain(json).collect();
    let run = |words: &[&str]| rows(multitrace_in(Some(Path::new(&place)), words, &[]));
    let (checked, combined) = (run(&check), run(&combine));
    assert_eq!(checked.len(), 4);
    for (all, parts) in std::iter::zip(checked, combined) {
        for field in ["session", "verdict", "cause", "repair"] {
            assert_eq!(all[field], parts[field], "{field}");
        }
        let keys = |row: &Value| -> Vec<Value> {
            row["faults"]
                .as_array()
                .map_or_else(Vec::new, |it| it.iter().map(|it| it["place"].clone()).collect())
        };
        assert_eq!(keys(&all), keys(&parts));
    }
}

/// A file with this payload, and the header of the bundle of a location.
fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89MTL\r\n\x1a\n".to_vec();
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(Sha256::digest(payload));
    bytes.extend(payload);
    bytes
}

#[test]
fn a_forged_bundle_of_a_location_never_panics() {
    const HEADER: usize = 8 + 4 + 8 + 32;
    let folder = written();
    let bytes = std::fs::read(folder.path("split/shop.mtb")).expect("a bundle");
    assert_eq!(sealed(&bytes[HEADER..]), bytes);
    let log = folder.read("shop.jsonl");
    let part = |bytes: &[u8]| {
        let local = LocalMonitor::from_bytes(bytes).ok()?;
        let log = Inputs::reader("log", Cursor::new(log.clone()));
        let options = LocalOptions { threads: NonZeroUsize::new(1), ..LocalOptions::default() };
        local.part(log, &options).expect("a log in memory").bytes
    };
    assert!(part(&bytes).is_some());
    let mut parts = 0;
    for offset in HEADER..bytes.len() {
        for value in [0, 1, 0x7f, 0xfa, 0xff] {
            let mut payload = bytes[HEADER..].to_vec();
            payload[offset - HEADER] = value;
            parts += usize::from(part(&sealed(&payload)).is_some());
        }
    }
    assert!(parts > 100, "{parts}");
}

/// Rules for two ways of writing a direction; records with another one match none.
const RULES: &str = r#"
[event]
session = "s"
[[rule]]
when = { way = "out" }
actions = ["{at}!{what}"]
[[rule]]
when = { way = "in" }
actions = ["{at}?{what}"]
"#;

/// Records that no rule matches at a location count against the gate, and files that it left out are told.
#[test]
fn what_a_location_did_not_read_is_told_where_parts_are_combined() {
    let folder = Folder::new();
    let spec = folder.file("ab.hif", "a -- m -> b");
    let map = folder.file("map.toml", RULES);
    let line = |at: &str, way: &str| {
        format!("{{\"s\":\"1\",\"at\":\"{at}\",\"way\":\"{way}\",\"what\":\"m\"}}\n")
    };
    folder.file("a/log.jsonl", &line("a", "out"));
    folder.file("b/log.jsonl", &(line("b", "in") + &line("b", "IN") + &line("a", "out")));
    folder.file("b/notes.md", "nothing");
    let all = folder.path("all.mtb");
    let run = multitrace(&["compile", &spec, "-o", &all, "--split", &folder.path("split")]);
    assert_eq!(run.code, 0, "{}", run.err);
    let mut parts = Vec::new();
    for (name, round) in [("a", "part"), ("b", "part")] {
        let (bundle, log) = (folder.path(&format!("split/{name}.mtb")), folder.path(name));
        let out = folder.path(&format!("{name}.{round}"));
        let run = multitrace(&["local", &bundle, &log, "--events", &map, "-q", "-o", &out]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(run.err.contains("matched 1 record"), name == "b", "{}", run.err);
        assert_eq!(run.err.contains("notes.md"), name == "b", "{}", run.err);
        assert_eq!(run.err.contains("1 event of other locations"), name == "b", "{}", run.err);
        parts.push(format!("{name}.{round}"));
    }
    combine(&folder, &parts, &["--ask", &folder.path("ask")]);
    for name in ["a", "b"] {
        let (bundle, log) = (folder.path(&format!("split/{name}.mtb")), folder.path(name));
        let (request, out) =
            (folder.path(&format!("ask/{name}.request")), folder.path(&format!("{name}.letters")));
        let run = multitrace(&[
            "local", &bundle, &log, "--events", &map, "--answer", &request, "-o", &out,
        ]);
        assert_eq!(run.code, 0, "{}", run.err);
        parts.push(format!("{name}.letters"));
    }
    let run = combine(&folder, &parts, &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("no rule of the mapping matched 1 record"), "{}", run.out);
    assert!(run.out.contains("b: ") && run.out.contains("notes.md"), "{}", run.out);
    assert!(run.out.contains("b: 1 event of other locations in the log"), "{}", run.out);
    let run = combine(&folder, &parts, &["--max-unmatched", "0"]);
    assert_eq!(run.code, 2, "{}", run.err);
}
