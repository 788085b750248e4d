//! `multitrace generate` as scripts see it: its sessions have the verdicts they should have, the same
//! seed gives the same bytes, and the experiments of the papers can be repeated.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use crate::common::run::{multitrace, multitrace_with_input};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

const MQTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mqtt/mqtt.hif");
const COMMIT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/two-phase-commit/two-phase-commit.hif");
const KINDS: [&str; 6] =
    ["accepted", "prefix", "slice", "noise", "swap-actions", "swap-components"];

fn generate(spec: &str, kind: &str, options: &[&str]) -> String {
    let run = multitrace(&[&["generate", spec, "--kind", kind], options].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{kind} {options:?}");
    run.out
}

/// How many of each verdict: pass, weak_pass, fail, inconclusive.
fn verdicts(spec: &str, sessions: &str, options: &[&str]) -> [u64; 4] {
    let args = [&["check", spec, "-", "--output-format", "json-lines"], options].concat();
    let run = multitrace_with_input(&args, sessions);
    assert!(run.code <= 1, "{}", run.err);
    let summary = run.out.lines().last().expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(summary).expect("an object");
    ["pass", "weak_pass", "fail", "inconclusive"]
        .map(|name| summary[name].as_u64().expect("a count"))
}

fn objects(lines: &str) -> Vec<serde_json::Value> {
    lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn what_is_generated_has_the_verdicts_it_should_have() {
    for spec in [MQTT, COMMIT] {
        let some = ["-n", "100", "--duplicates", "--seed", "3"];
        let accepted = generate(spec, "accepted", &some);
        assert_eq!(verdicts(spec, &accepted, &[]), [100, 0, 0, 0]);
        let prefixes = generate(spec, "prefix", &some);
        let [pass, weak_pass, ..] = verdicts(spec, &prefixes, &["--observe", "prefix"]);
        assert_eq!(pass + weak_pass, 100);
        assert!(verdicts(spec, &prefixes, &[])[2] > 50, "prefixes are not accepted as they are");
        let slices = generate(spec, "slice", &some);
        let [pass, weak_pass, ..] = verdicts(spec, &slices, &["--observe", "slice"]);
        assert_eq!(pass + weak_pass, 100);
        assert!(verdicts(spec, &slices, &["--observe", "prefix"])[2] > 50);
        for mutant in ["noise", "swap-actions"] {
            let mutants = generate(spec, mutant, &some);
            assert_eq!(mutants.lines().count(), 100);
            let failed = verdicts(spec, &mutants, &["--observe", "prefix"])[2];
            assert!(failed > 40, "{mutant}: {failed}");
        }
        // Local traces are right each for itself, and in prefix mode mostly together.
        let swapped = generate(spec, "swap-components", &some);
        let failed = verdicts(spec, &swapped, &["--observe", "prefix"])[2];
        assert!((1..60).contains(&failed), "{failed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for kind in KINDS {
        let with = |seed| generate(MQTT, kind, &["-n", "20", "--seed", seed]);
        assert_eq!(with("1"), with("1"), "{kind}");
        assert_ne!(with("1"), with("2"), "{kind}");
        assert_eq!(generate(MQTT, kind, &["-n", "20"]), with("0"), "{kind}");
    }
}

/// No platform and no version of a dependency may change these bytes. Another normal form of terms
/// may; the changelog says so then.
#[test]
fn a_seed_gives_these_bytes_everywhere() {
    let folder = TempDir::new().expect("a folder");
    let spec = folder.path().join("ab.hif");
    std::fs::write(&spec, "loopW(alt(a -- m -> b, b -- n -> a))").expect("a file");
    let spec = spec.to_str().expect("a plain path");
    let lines: Vec<String> = ["noise", "swap-components"]
        .into_iter()
        .flat_map(|kind| {
            let out = generate(spec, kind, &["-n", "2", "--max-events", "6", "--of", "slice"]);
            out.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
{"session":"noise-1","traces":{"a":["a?n","a?n","a?n"],"b":["b!n","b!n"]},"made":{"kind":"noise","of":"slice-1","seed":0,"did":[{"insert":"a?n","location":"a","index":1}]}}
{"session":"noise-2","traces":{"a":["a!m"],"b":["b?m"]},"made":{"kind":"noise","of":"slice-2","seed":0,"did":[{"insert":"a!m","location":"a","index":0}]}}
{"session":"swap-components-1","traces":{"a":["a?n","a?n"],"b":["b!n","b!n","b!n"]},"made":{"kind":"swap-components","of":"slice-1","with":"slice-489","seed":0,"did":[{"replace":["b!n","b!n"],"location":"b"}]}}
{"session":"swap-components-2","traces":{"a":["a!m"],"b":["b?m"]},"made":{"kind":"swap-components","of":"slice-2","with":"slice-28","seed":0,"did":[{"replace":[],"location":"a"}]}}
"#);
}

#[test]
fn sessions_say_how_they_were_made() {
    let all = ["-n", "200", "--duplicates", "--seed", "1"];
    let prefixes = objects(&generate(MQTT, "prefix", &all));
    let noisy = objects(&generate(MQTT, "noise", &["-n", "50", "--seed", "1"]));
    for session in noisy {
        let made = &session["made"];
        assert_eq!((&made["kind"], &made["seed"]), (&"noise".into(), &1.into()));
        let of = prefixes.iter().find(|prefix| prefix["session"] == made["of"]);
        let did = &made["did"][0];
        let (location, index) = (did["location"].as_str(), did["index"].as_u64());
        let (location, index) = (location.expect("a name"), index.expect("a number") as usize);
        let mut traces = session["traces"].clone();
        let log = traces[location].as_array_mut().expect("a log");
        assert_eq!(log.remove(index), did["insert"]);
        assert_eq!(Some(&traces), of.map(|prefix| &prefix["traces"]));
    }
    let accepted = objects(&generate(MQTT, "accepted", &all));
    assert_eq!(accepted[6]["session"], "accepted-7");
    assert_eq!(accepted[6]["made"], serde_json::json!({"kind": "accepted", "seed": 1}));
    let cut = &prefixes[6]["made"];
    assert_eq!(cut["of"], "accepted-7");
    for did in cut["did"].as_array().expect("a list") {
        let location = did["location"].as_str().expect("a name");
        let mut whole = prefixes[6]["traces"][location].as_array().expect("a log").clone();
        whole.extend(did["cut"][1].as_array().expect("the rest of a log").iter().cloned());
        assert_eq!(accepted[6]["traces"][location], serde_json::Value::Array(whole));
    }
}

#[test]
fn folders_of_htf_files_are_read_by_check() {
    let folder = TempDir::new().expect("a folder");
    for kind in KINDS {
        let path = folder.path().join(kind);
        let path = path.to_str().expect("a plain path");
        let lines = generate(MQTT, kind, &["-n", "30", "--seed", "4"]);
        let options = ["-n", "30", "--seed", "4", "--output-format", "htf", "-o", path];
        assert_eq!(generate(MQTT, kind, &options), "");
        let run = multitrace(&["check", MQTT, path, "--output-format", "json-lines"]);
        assert!(run.code <= 1 && run.err.is_empty(), "{}", run.err);
        let checked: BTreeSet<String> = objects(&run.out)
            .iter()
            .filter_map(|object| object["session"].as_str().map(str::to_owned))
            .collect();
        let made: BTreeSet<String> = objects(&lines)
            .iter()
            .filter_map(|object| object["session"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(checked, made);
        let summary = verdicts(MQTT, &lines, &[]);
        let last = run.out.lines().last().expect("a summary").to_owned();
        assert!(last.contains(&format!(r#""pass":{},"#, summary[0])), "{last}");
        let first = objects(&lines)[0].clone();
        let file =
            Path::new(path).join(format!("{}.htf", first["session"].as_str().expect("a name")));
        let text = std::fs::read_to_string(file).expect("a session");
        let comment = text.strip_prefix("/* ").and_then(|rest| rest.split_once(" */"));
        let made: serde_json::Value =
            serde_json::from_str(comment.expect("a comment").0).expect("an object");
        assert_eq!(made, first["made"]);
    }
}

#[test]
fn bundles_and_locations_generate() {
    let folder = TempDir::new().expect("a folder");
    let bundle = folder.path().join("mqtt.mtb");
    let bundle = bundle.to_str().expect("a plain path");
    let together = ["--locations", "publisher,subscriber"];
    let run = multitrace(&[&["compile", MQTT, "-o", bundle], &together[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let sessions = generate(bundle, "accepted", &["-n", "40"]);
    assert_eq!(sessions, generate(MQTT, "accepted", &[&["-n", "40"], &together[..]].concat()));
    assert!(sessions.contains(r#""publisher,subscriber":["#));
    assert_eq!(verdicts(bundle, &sessions, &[]), [40, 0, 0, 0]);
    // The locations of a bundle are fixed.
    let run = multitrace(&[&["generate", bundle, "--kind", "accepted"], &together[..]].concat());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("leave out --locations"), "{}", run.err);
}

#[test]
fn exhaustive_ones_are_counted_and_capped() {
    let bounds = ["--exhaustive", "--max-events", "14"];
    let all = generate(MQTT, "accepted", &bounds);
    assert_eq!(verdicts(MQTT, &all, &[])[0] as usize, all.lines().count());
    let capped = generate(MQTT, "accepted", &[&bounds[..], &["-n", "3"]].concat());
    assert_eq!(all.lines().take(3).collect::<Vec<_>>(), capped.lines().collect::<Vec<_>>());
    let ids: Vec<String> = (1..=all.lines().count()).map(|n| format!("accepted-{n}")).collect();
    let found = objects(&all);
    assert!(found.iter().map(|object| &object["session"]).eq(ids.iter()), "{all}");
    // A mutant for each slice of each.
    let noisy = generate(MQTT, "noise", &[&bounds[..], &["--of", "slice", "--all"]].concat());
    assert!(noisy.lines().count() > 100);
}

#[test]
fn fewer_than_asked_for_are_noted() {
    let run =
        multitrace(&["generate", MQTT, "--kind", "accepted", "--max-events", "7", "-n", "50"]);
    assert_eq!(run.code, 0);
    let found = run.out.lines().count();
    assert!((1..50).contains(&found));
    assert!(run.err.starts_with(&format!("note: {found} of 50 sessions: ")), "{}", run.err);
    let args =
        ["generate", MQTT, "--kind", "accepted", "--max-events", "7", "-n", "50", "--duplicates"];
    assert_eq!(multitrace(&args).out.lines().count(), 50);
}

#[test]
fn errors_say_what_to_do() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_owned();
    let timbuk = path("n.timbuk");
    std::fs::write(
        &timbuk,
        "Ops a:1 x:0\n\nAutomaton N\nStates p\nFinal States p\nTransitions\nx -> p\na(p) -> p\n",
    )
    .expect("a file");
    let automaton = path("n.mtb");
    let run = multitrace(&["compile", &timbuk, "--locations", "left=a", "-o", &automaton]);
    assert_eq!(run.code, 0, "{}", run.err);
    let full = path("");
    let accepted = ["generate", MQTT, "--kind", "accepted"];
    let cases: [(Vec<&str>, &str); 16] = [
        (vec!["generate", &timbuk, "--kind", "noise"], "or --split N"),
        (vec!["generate", &timbuk, "--kind", "noise", "--split", "2"], "use --split 1 or less"),
        (vec!["generate", &automaton, "--kind", "noise", "--split", "2"], "a bundle has its"),
        (
            vec!["generate", &automaton, "--kind", "accepted", "--exhaustive", "--max-events", "3"],
            "--exhaustive is for interactions",
        ),
        ([&accepted[..], &["--split", "2"]].concat(), "--split is for automata"),
        (vec!["generate", "/no/such.hif", "--kind", "noise"], "/no/such.hif"),
        (vec!["generate", MQTT], "--kind"),
        (vec!["generate", "--kind", "noise"], "<SPEC>"),
        ([&accepted[..], &["--exhaustive"]].concat(), "--max-events N, --max-loops N"),
        (
            [&accepted[..], &["--max-events", "3"]].concat(),
            "from 1 to 3 events; the shortest has 4 events; widen",
        ),
        ([&accepted[..], &["--max-events", "9999999"]].concat(), "lower --max-events"),
        ([&accepted[..], &["--of", "slice"]].concat(), "leave it out"),
        ([&accepted[..], &["--all"]].concat(), "use --exhaustive"),
        ([&accepted[..], &["--output-format", "htf"]].concat(), "-o DIR"),
        ([&accepted[..], &["--output-format", "htf", "-o", &full]].concat(), "not empty"),
        (vec!["generate", "--interactions", "2"], "--output"),
    ];
    for (args, expected) in cases {
        let run = multitrace(&args);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
        assert!(
            run.err.starts_with("error") && run.err.contains(expected),
            "{args:?}: {}",
            run.err
        );
    }
}

#[test]
fn random_interactions_compile_and_generate() {
    let folder = TempDir::new().expect("a folder");
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    for path in [&one, &other] {
        let path = path.to_str().expect("a plain path");
        let args = ["generate", "--interactions", "20", "--lifelines", "3", "--messages", "2"];
        let shape = ["--min-depth", "4", "--min-symbols", "10", "--seed", "8", "-o", path];
        let run = multitrace(&[&args[..], &shape[..]].concat());
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    }
    let signature = one.join("signature.hsf");
    let signature = signature.to_str().expect("a plain path");
    for index in 1..=20 {
        let name = format!("i{index}.hif");
        let read = |folder: &Path| std::fs::read_to_string(folder.join(&name)).expect("a file");
        assert_eq!(read(&one), read(&other), "the same seed");
        let spec = one.join(&name);
        let spec = spec.to_str().expect("a plain path");
        let options = ["--signature", signature];
        let generated = ["-n", "20", "--duplicates", "--max-events", "30", "--min-events", "0"];
        let sessions = generate(spec, "accepted", &[&options[..], &generated[..]].concat());
        assert_eq!(verdicts(spec, &sessions, &options), [20, 0, 0, 0], "{name}");
    }
}

/// The first experiment of paper 000 sec. 5.5: exploring with just three repetitions of loops gives
/// 16 accepted multi-traces of two locations, and those have 7,996 slices, where slices are told
/// apart by their places, and by the multi-trace they are cut from.
#[test]
fn the_slices_of_paper_000() {
    let Some(spec) = common::corpus().map(|corpus| corpus.join("usecases/jot-i1.hif")) else {
        return;
    };
    let spec = spec.to_str().expect("a plain path");
    let locations = ["--locations", "l2,l3"];
    let exploration = ["--exhaustive", "--min-loops", "3", "--max-loops", "3", "--all"];
    let accepted = generate(spec, "accepted", &[&locations[..], &exploration[..5]].concat());
    assert_eq!(accepted.lines().count(), 16);
    let slices =
        generate(spec, "slice", &[&locations[..], &exploration, &["--duplicates"]].concat());
    assert_eq!(slices.lines().count(), 7_996);
    let mode = [&locations[..], &["--observe", "slice"]].concat();
    let [pass, weak_pass, fail, inconclusive] = verdicts(spec, &slices, &mode);
    assert_eq!((pass + weak_pass, fail, inconclusive), (7_996, 0, 0));
    // The paper's own way: bounded simulation alone, by its criterion.
    let simulation = ["--engine", "term", "--paper", "method=simulation"];
    let [pass, weak_pass, fail, inconclusive] =
        verdicts(spec, &slices, &[&mode[..], &simulation].concat());
    println!("7,996 slices by simulation: {} recognised", pass + weak_pass);
    assert_eq!((pass + weak_pass, fail, inconclusive), (7_996, 0, 0));
    let distinct = generate(spec, "slice", &[&locations[..], &exploration].concat());
    assert_eq!(distinct.lines().count(), 2_448);
}

/// The sets of paper 004 sec. 5 on its automata: each generated session has the verdict of its kind.
#[test]
fn sessions_of_automata_have_the_verdicts_of_their_kinds() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("automatark")) else { return };
    for (number, locations) in [("11", "2"), ("6", "3"), ("12", "4")] {
        let file = format!("Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_{number}.timbuk");
        let spec = folder.join(file);
        let spec = spec.to_str().expect("a plain path");
        let some = ["-n", "20", "--seed", "3", "--min-events", "20", "--max-events", "40"];
        let options = [&["--split", locations][..], &some].concat();
        let of =
            |kind: &str| multitrace(&[&["generate", spec, "--kind", kind], &options[..]].concat());
        let accepted = of("accepted");
        assert_eq!(
            (accepted.code, of("accepted").out),
            (0, accepted.out.clone()),
            "{}",
            accepted.err
        );
        let groups = printed_groups(&accepted.err);
        let check = |kind: &str, sessions: &str, cause: &str| {
            let args = ["check", spec, "-", "--locations", groups, "--output-format", "json-lines"];
            let run = multitrace_with_input(&args, sessions);
            let all = objects(&run.out);
            let (_, sessions) = all.split_last().expect("a summary");
            println!("NFA {number}, {locations} locations, {kind}: {}", sessions.len());
            for session in sessions {
                let said = session["cause"].as_str().unwrap_or("pass");
                assert_eq!(said, cause, "{kind}: {session}");
            }
            sessions.len()
        };
        assert_eq!(check("accepted", &accepted.out, "pass"), 20);
        for (kind, cause) in
            [("local-error", "local"), ("inter-error", "inter"), ("central-error", "central")]
        {
            let made = of(kind);
            assert_eq!(made.code, 0, "{}", made.err);
            let count = if made.out.is_empty() { 0 } else { check(kind, &made.out, cause) };
            assert!(count == 20 || made.err.contains("of 20 sessions"), "{kind}: {}", made.err);
            assert!(kind != "local-error" || count == 20, "{}", made.err);
        }
    }
}

/// The locations that `--split` has drawn, for `--locations`.
fn printed_groups(errors: &str) -> &str {
    let line = errors.lines().find_map(|line| line.split_once("--locations \"")).expect("a note");
    line.1.strip_suffix('"').expect("a quoted list")
}

#[test]
fn an_automaton_is_split_into_as_many_locations_as_it_uses_letters() {
    let folder = TempDir::new().expect("a folder");
    let spec = folder.path().join("n.timbuk");
    let text = "Ops a:1 b:1 c:1 x:0\nAutomaton A\nStates q0 q1\nFinal States q0\nTransitions\n\
                x -> q0\na(q0) -> q1\nb(q1) -> q0\n";
    std::fs::write(&spec, text).expect("a file");
    let spec = spec.to_str().expect("a plain path");
    let made = multitrace(&["generate", spec, "--kind", "accepted", "--split", "2", "-n", "1"]);
    let traces = &objects(&made.out)[0]["traces"];
    assert!(traces["l1"].is_array() && traces["l2"].is_array(), "{}", made.out);
    // What was drawn is said, so that the sessions can be checked.
    let args = ["check", spec, "-", "--locations", printed_groups(&made.err)];
    assert_eq!(multitrace_with_input(&args, &made.out).code, 0);
    let many = multitrace(&["generate", spec, "--kind", "accepted", "--split", "3"]);
    let remedy = "--split 3: its transitions have 2 letters; use --split 2 or less";
    assert!(many.code == 2 && many.err.contains(remedy), "{}", many.err);
}

#[test]
fn mutants_and_parts_of_an_automaton() {
    let folder = TempDir::new().expect("a folder");
    let spec = folder.path().join("n.timbuk");
    std::fs::write(
        &spec,
        "Ops a:1 b:1 c:1 x:0\nAutomaton A\nStates q0 q1 q2\nFinal States q0\nTransitions\nx -> q0\n\
         a(q0) -> q1\nc(q1) -> q2\nb(q2) -> q0\n",
    )
    .expect("a file");
    let spec = spec.to_str().expect("a plain path");
    let locations = ["--locations", "left=a,c;right=b"];
    for kind in KINDS {
        let options = [&locations[..], &["-n", "5", "--max-events", "20"]].concat();
        let made = generate(spec, kind, &options);
        assert_eq!(made.lines().count(), 5, "{kind}");
        if kind == "accepted" {
            assert_eq!(verdicts(spec, &made, &locations), [5, 0, 0, 0]);
        }
    }
    let alone = multitrace(&[
        "generate",
        spec,
        "--kind",
        "accepted",
        "--locations",
        "left=a,b,c",
        "--max-events",
        "0",
        "--min-events",
        "0",
    ]);
    assert!(alone.err.contains("1 of 10 sessions"), "{}", alone.err);
    // The letters of one location each in turn: the logs are possible alone, but not together.
    let inter = generate(spec, "central-error", &[&locations[..], &["-n", "5"]].concat());
    let run = multitrace_with_input(
        &[&["check", spec, "-", "--output-format", "json-lines"], &locations[..]].concat(),
        &inter,
    );
    let all = objects(&run.out);
    let causes: Vec<_> = all[..5].iter().map(|it| it["cause"].as_str()).collect();
    assert_eq!(causes, [Some("central"); 5]);
}
