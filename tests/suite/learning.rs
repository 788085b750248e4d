//! A learnt interaction accepts its sessions, or names those it does not; and the output of the command.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace;
use multitrace::{
    CompileOptions, ConvertTo, Inputs, Lack, LearnOptions, Learnt, RunOptions, Spec, SpecFormat,
    learn,
};
use multitrace_formats::diagram::Notation;
use multitrace_interaction::generate::{Bounds, Generator, RandomInteractions, Shape};
use multitrace_interaction::{ActionKind, Locations, names};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// A session as a line.
fn line(id: usize, logs: &[(String, Vec<String>)]) -> String {
    let logs: Vec<String> = logs.iter().map(|(at, events)| format!("{at:?}:{events:?}")).collect();
    format!("{{\"session\":\"s{id}\",\"traces\":{{{}}}}}\n", logs.join(","))
}

fn learnt(lines: &str, options: LearnOptions) -> Learnt {
    let lines: Arc<[u8]> = lines.as_bytes().into();
    learn(Inputs::lines("logs", lines), options).expect("a specification")
}

/// How many sessions fail the learnt interaction, as a diagram and as text.
fn failing(learnt: &Learnt, lines: &str) -> Vec<u64> {
    let markdown = learnt.write(ConvertTo::Markdown, "logs").expect("a diagram").text;
    let diagram = Spec::parse("SPEC.md", &markdown, SpecFormat::Markdown);
    let specs = [(learnt.spec(), learnt.compile_options()), (diagram, CompileOptions::default())];
    let failing = |(spec, options): (Spec, CompileOptions)| {
        let monitor = spec.compile(&options).expect("a specification").monitor;
        let lines: Arc<[u8]> = lines.as_bytes().into();
        let report = monitor.run(Inputs::lines("logs", lines), RunOptions::new(&monitor), &mut ());
        let summary = *report.expect("a report").summary();
        assert_eq!(summary.errors, 0);
        summary.fail + summary.inconclusive
    };
    specs.into_iter().map(failing).collect()
}

fn assert_keeps_its_word(lines: &str, options: LearnOptions) {
    let learnt = learnt(lines, options);
    let left_out: u64 = learnt.outliers.iter().map(|it| it.count).sum();
    assert_eq!(failing(&learnt, lines), [left_out, left_out], "{lines}");
    let rare: u64 = learnt.outliers.iter().filter(|it| it.lack.is_none()).map(|it| it.count).sum();
    let most = (learnt.sessions as f64 * options.outliers.unwrap_or(0.0)) as u64;
    assert!(rare <= most, "{rare} of at most {most} are left out:\n{lines}");
}

/// A server asks another one for each call, and calls overlap: each is a repetition, and begins before the last has ended.
#[test]
fn calls_that_overlap_are_repetitions_at_the_same_time() {
    let folder = Folder::new();
    let call = "seq(c -- ask -> s, s -- look -> d, d -- found -> s, s -- answer -> c)";
    let spec = folder.file("calls.hif", &format!("loopP({call})"));
    let options = ["--kind", "accepted", "-n", "100", "--duplicates", "--max-loops", "3"];
    let sessions = multitrace(&[&["generate", &spec], &options[..]].concat()).out;
    let learnt = learnt(&sessions, LearnOptions::default());
    let text = learnt.write(ConvertTo::Hif, "calls").expect("a term").text;
    let words: String = text.lines().filter(|it| !it.starts_with("//")).collect();
    let words = words.replace(char::is_whitespace, "");
    assert!(words.contains(&format!("loopP({}", call.replace(' ', ""))), "{text}");
    assert_eq!(learnt.evidence.arrows, 4, "{text}");
    assert_eq!(failing(&learnt, &sessions), [0, 0]);
}

/// Events of lifelines and messages by their numbers, and whether some lifelines share a log.
type RandomSession = (Vec<(usize, char, usize)>, bool);

fn any_lines() -> impl Strategy<Value = String> {
    let event = (0..3_usize, prop::sample::select(vec!['!', '?']), 0..3_usize);
    let log = prop::collection::vec(event, 0..6);
    let session = (log, prop::bool::ANY);
    prop::collection::vec(session, 1..8).prop_map(|sessions| {
        let is_shared = sessions[0].1;
        let text = |(id, (events, _)): (usize, RandomSession)| {
            let mut logs: Vec<(String, Vec<String>)> = Vec::new();
            for (lifeline, kind, message) in events {
                let at = if is_shared && lifeline < 2 {
                    "l0,l1".to_owned()
                } else {
                    format!("l{lifeline}")
                };
                let event = format!("l{lifeline}{kind}m{message}");
                match logs.iter_mut().find(|(name, _)| *name == at) {
                    Some((_, log)) => log.push(event),
                    None => logs.push((at, vec![event])),
                }
            }
            line(id, &logs)
        };
        sessions.into_iter().enumerate().map(text).collect()
    })
}

/// Sessions of a random interaction.
fn lines_of_interaction(seed: u64) -> Option<String> {
    let mut random = RandomInteractions::new(Shape::default(), seed);
    let signature = random.signature().clone();
    let interaction = random.next()?.ok()?;
    let locations = Locations::discrete(&signature);
    let bounds = Bounds::events(0, 12);
    let mut generator = Generator::new(&signature, &interaction, &locations, bounds, seed).ok()?;
    let alphabet = generator.alphabet().clone();
    let mut lines = String::new();
    for id in 0..30 {
        let trace = generator.accepted();
        let logs = alphabet.locations().zip(trace).map(|(location, log)| {
            let events = log.into_iter().map(|it| alphabet.letter_name(it).to_owned());
            (alphabet.location_name(location).to_owned(), events.collect())
        });
        lines += &line(id, &logs.collect::<Vec<_>>());
    }
    Some(lines)
}

proptest! {
    #![proptest_config(cases(50))]

    /// Every session passes the learnt interaction, or is listed.
    #[test]
    fn each_session_passes_or_is_listed(
        lines in any_lines(),
        is_all in prop::bool::ANY,
        is_divided in prop::bool::ANY,
    ) {
        let outliers = (!is_all).then_some(0.3);
        let most_arrows = is_divided.then_some(4);
        assert_keeps_its_word(&lines, LearnOptions { outliers, most_arrows, ..LearnOptions::default() });
    }

    #[test]
    fn sessions_of_an_interaction_pass_or_are_listed(seed in 0..1_000_000_u64) {
        if let Some(lines) = lines_of_interaction(seed) {
            let most_arrows = (seed % 2 == 0).then_some(4);
            assert_keeps_its_word(&lines, LearnOptions { most_arrows, ..LearnOptions::default() });
        }
    }
}

/// The order of sessions makes no difference, nor does one that is there before.
#[test]
fn the_order_of_sessions_makes_no_difference() {
    let mut lines: Vec<String> = Vec::new();
    for id in 0..40 {
        let mut logs = vec![
            ("a".to_owned(), vec!["a!ask".to_owned()]),
            ("b".to_owned(), vec!["b?ask".to_owned()]),
        ];
        let answer = if id % 3 == 0 { "no" } else { "yes" };
        logs[0].1.push(format!("a?{answer}"));
        logs[1].1.push(format!("b!{answer}"));
        lines.push(line(id, &logs));
    }
    let text = |lines: &[String]| {
        let learnt = learnt(&lines.concat(), LearnOptions::default());
        learnt.write(ConvertTo::Markdown, "logs").expect("a diagram").text
    };
    let first = text(&lines);
    assert!(first.contains(" 65 %"), "{first}");
    lines.reverse();
    assert_eq!(text(&lines), first);
}

/// A message of a name that stands at two places has two places in the diagram.
#[test]
fn one_message_may_stand_at_several_places() {
    let mut lines = String::new();
    for id in 0..20 {
        let middle = if id % 2 == 0 { "left" } else { "right" };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for message in ["ping", middle, "ping"] {
            a.push(format!("a!{message}"));
            b.push(format!("b?{message}"));
        }
        let _ = write!(lines, "{}", line(id, &[("a".to_owned(), a), ("b".to_owned(), b)]));
    }
    let learnt = learnt(&lines, LearnOptions::default());
    let text = learnt.write(ConvertTo::Mermaid, "logs").expect("a diagram").text;
    assert_eq!(text.matches("a->>b: ping").count(), 2, "{text}");
}

/// A message: its sender, its receiver, its name.
type Message<'a> = (&'a str, &'a str, &'a str);

/// The Mermaid diagram of sessions, each with how often it is there and its messages.
fn diagram_of(sessions: &[(usize, &[Message<'_>])]) -> String {
    let mut lines = String::new();
    for (at, (count, messages)) in sessions.iter().enumerate() {
        let mut logs: Vec<(String, Vec<String>)> = Vec::new();
        let mut add = |lifeline: &str, event: String| match logs
            .iter_mut()
            .find(|(name, _)| name == lifeline)
        {
            Some((_, log)) => log.push(event),
            None => logs.push((lifeline.to_owned(), vec![event])),
        };
        for (from, to, message) in *messages {
            add(from, format!("{from}!{message}"));
            add(to, format!("{to}?{message}"));
        }
        (0..*count).for_each(|id| lines += &line(1_000 * at + id, &logs));
    }
    let learnt = learnt(&lines, LearnOptions::default());
    assert_eq!(failing(&learnt, &lines), [0, 0]);
    let text = learnt.write(ConvertTo::Mermaid, "logs").expect("a diagram").text;
    let body = text.lines().map(str::trim).filter(|it| !it.starts_with("%%"));
    body.filter(|it| !it.starts_with("participant")).skip(1).collect::<Vec<_>>().join("\n")
}

/// An answer goes to the lifeline that asked, also where several wait for one of its name; where a way leads to events
/// without another end, another one is taken.
#[test]
fn messages_of_one_name_go_where_all_logs_fit() {
    let relayed = [
        ("web", "cache", "get"),
        ("cache", "store", "get"),
        ("store", "cache", "found"),
        ("cache", "web", "found"),
    ];
    let expected = "web->>cache: get\ncache->>store: get\nstore->>cache: found\ncache->>web: found";
    assert_eq!(diagram_of(&[(20, &relayed)]), expected);
    // The first answer must go to the second client, since only that asks again.
    let asked = [
        ("one", "s", "put"),
        ("two", "s", "put"),
        ("s", "two", "ok"),
        ("two", "s", "put"),
        ("s", "one", "ok"),
        ("s", "two", "ok"),
    ];
    let text = diagram_of(&[(20, &asked)]);
    assert!(!text.contains("s->>s") && !text.contains("one->>one"), "{text}");
}

/// The choice is known behind messages that all have.
#[test]
fn choices_that_depend_on_one_another_are_one() {
    let [yes, no] = [("ok", "token"), ("bad", "refusal")].map(|(judged, said)| {
        [("a", "b", "login"), ("b", "c", judged), ("c", "b", "noted"), ("b", "a", said)]
    });
    let text = diagram_of(&[(50, &yes), (50, &no)]);
    assert_eq!(text.matches("alt").count(), 1, "{text}");
    assert_eq!(text.matches("noted").count(), 2, "{text}");
}

#[test]
fn alternatives_that_may_be_nothing_have_their_shares() {
    let [left, right] = [("a", "b", "left"), ("a", "b", "right")];
    let go = ("a", "c", "go");
    let text = diagram_of(&[(10, &[go, left]), (20, &[go, right]), (70, &[go])]);
    let shares: Vec<&str> = text.lines().filter(|it| it.contains('%')).collect();
    assert_eq!(shares, ["alt 10 %", "else 20 %", "else 70 %"], "{text}");
}

/// Repetitions have bounds where many sessions say so, and the diagram says each once.
#[test]
fn repetitions_have_a_least_number() {
    let [beat, answer] = [("a", "b", "beat"), ("b", "a", "answer")];
    let [open, close] = [("a", "b", "open"), ("a", "b", "close")];
    let text = |body: &[(&str, &str, &str)], numbers: &[usize], count: usize| {
        let session = |beats: &usize| [&[open][..], &body.repeat(*beats), &[close]].concat();
        let sessions: Vec<_> = numbers.iter().map(session).collect();
        diagram_of(&sessions.iter().map(|it| (count, &it[..])).collect::<Vec<_>>())
    };
    for body in [&[beat][..], &[beat, answer]] {
        for (numbers, count, expected) in [
            (&[2, 3, 4, 5][..], 50, "loop 2..*"),
            (&[4, 5, 6, 7, 8], 50, "loop 4..*"),
            (&[6, 7, 8, 9, 10, 11], 50, "loop 6..*"),
            (&[5], 50, "loop 5 times"),
            (&[2, 5], 1, "loop 1..*"),
        ] {
            let text = text(body, numbers, count);
            assert!(text.contains(expected), "{text}");
            assert_eq!(text.matches("beat").count(), 1, "{text}");
        }
    }
}

/// A lifeline that no notation can write has another name, and its own as a label, by which logs call it.
#[test]
fn names_that_cannot_be_written_are_labels() {
    let session = [("[::1]:80", "svc@2", "m"), ("svc@2", "end", "n")];
    let text = diagram_of(&[(12, &session)]);
    assert!(text.contains("svc_2"), "{text}");
}

/// Names that mean something in a notation, in a list of lifelines, or in the text of an action.
const ODD: [&str; 34] = [
    "  a",
    "A,B",
    "a:b",
    "x->y",
    "x->>y",
    "é→",
    "end",
    "alt",
    "loop",
    "note",
    "par",
    "and",
    "else",
    "opt",
    "a b",
    "a;b",
    "a#b",
    "participant",
    "a!b",
    "who?",
    "%%x",
    "<b>",
    "as",
    "over",
    "[x]",
    "{y}",
    "a(b)",
    "--",
    "@startuml",
    "activate",
    "title",
    "a|b",
    "'x",
    "o",
];

proptest! {
    #![proptest_config(cases(64))]

    /// `check` accepts what was learnt, whatever lifelines and messages are called, in each notation.
    #[test]
    fn odd_names_are_learnt_and_checked(
        lifelines in prop::sample::subsequence(ODD.to_vec(), 2..4),
        messages in prop::sample::subsequence(ODD.to_vec(), 2..4),
        sessions in prop::collection::vec(prop::collection::vec((0..4_usize, 0..4_usize, 0..4_usize), 1..4), 1..4),
    ) {
        let mut lines = String::new();
        for (id, arrows) in sessions.iter().enumerate() {
            let mut logs: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (from, to, message) in arrows {
                let message = messages[message % messages.len()];
                for (at, kind) in [(from, ActionKind::Emission), (to, ActionKind::Reception)] {
                    let lifeline = lifelines[at % lifelines.len()];
                    let log = logs.entry(names::location_text([lifeline])).or_default();
                    log.push(names::action_text(lifeline, kind, message));
                }
            }
            lines += &format!("{}\n", serde_json::json!({"session": format!("s{id}"), "traces": logs}));
        }
        let learnt = learnt(&lines, LearnOptions { outliers: None, ..LearnOptions::default() });
        let mut specs = vec![(learnt.spec(), learnt.compile_options())];
        for notation in [Notation::Mermaid, Notation::PlantUml] {
            let to = match notation {
                Notation::Mermaid => ConvertTo::Mermaid,
                Notation::PlantUml => ConvertTo::PlantUml,
            };
            match learnt.write(to, "logs") {
                Ok(written) => {
                    let spec = Spec::parse("SPEC", &written.text, SpecFormat::Diagram(notation));
                    specs.push((spec, CompileOptions::default()));
                }
                // Some names cannot even be labels: nothing is written then.
                Err(error) => {
                    let error = format!("{error}");
                    assert!(error.contains("cannot be"), "{lines}{error}");
                }
            }
        }
        for (spec, options) in specs {
            let monitor = spec.compile(&options).expect("a specification").monitor;
            let logs: Arc<[u8]> = lines.as_bytes().into();
            let report = monitor.run(Inputs::lines("logs", logs), RunOptions::new(&monitor), &mut ());
            let summary = *report.expect("a report").summary();
            let wrong = (summary.fail, summary.inconclusive, summary.errors);
            assert_eq!(wrong, (0, 0, 0), "{lines}{}", spec.source().text());
        }
    }
}

/// `check` asks that a log names the lifelines of its events, so `learn` does, too; `compare` needs no names.
#[test]
fn a_log_names_the_lifelines_of_its_events() {
    let folder = Folder::new();
    let log = folder.file("a.jsonl", "{\"session\":\"s\",\"traces\":{\"host,b\":[\"a!x\"]}}\n");
    let run = multitrace(&["learn", &log]);
    assert!(
        run.code == 2 && run.err.contains("a!x is logged at host,b"),
        "{} {}",
        run.code,
        run.err
    );
    assert_eq!(multitrace(&["compare", &log, &log]).code, 0);
    let log = folder.file("b.jsonl", "{\"session\":\"s\",\"traces\":{\"a\":[\"a!\"]}}\n");
    let run = multitrace(&["learn", &log]);
    assert!(run.code == 3 && run.err.contains("1 session not learnt from"), "{}", run.err);
}

/// Another order of messages that one session alone has is told.
#[test]
fn an_order_that_few_sessions_have_is_told() {
    let log = |at: &str, events: &[&str]| {
        (at.to_owned(), events.iter().map(|it| (*it).to_owned()).collect())
    };
    let mut lines = String::new();
    for id in 0..8 {
        let sent = if id == 0 { ["a!y", "a!x"] } else { ["a!x", "a!y"] };
        lines += &line(id, &[log("a", &sent), log("b", &["b?x"]), log("c", &["c?y"])]);
    }
    let learnt = learnt(&lines, LearnOptions { outliers: None, ..LearnOptions::default() });
    let text = learnt.write(ConvertTo::Markdown, "logs").expect("a diagram").text;
    assert!(text.contains("par another order in 1 session\n"), "{text}");
    assert!(text.contains("* 1 parallel part where fewer than 5 sessions"), "{text}");
    assert_eq!(failing(&learnt, &lines), [0, 0]);
}

/// Nothing to learn from is not a wrong mapping, and the extension of a file is not contradicted.
#[test]
fn empty_logs_and_contradictions_are_told() {
    let folder = Folder::new();
    let (empty, some) = (folder.file("a.log", "\n"), folder.file("b.jsonl", &line(1, &[])));
    let run = multitrace(&["learn", &folder.file("c.log", "")]);
    assert!(run.code == 3 && !run.err.contains("mapping"), "{} {}", run.code, run.err);
    let run = multitrace(&["compare", &empty, &some]);
    assert!(run.code >= 2 && !run.err.contains("mapping"), "{} {}", run.code, run.err);
    for command in ["learn", "convert"] {
        let run = multitrace(&[command, &some, "--to", "plantuml", "-o", &folder.path("out.hif")]);
        assert!(run.code == 2 && run.err.contains("another notation than"), "{}", run.err);
    }
}

/// The commands that follow a diagram whose mapping was proposed work as they are printed.
#[test]
fn a_proposed_mapping_leads_to_the_next_command() {
    let folder = Folder::new();
    let spans = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/spans/spans.json");
    let spec = folder.path("SPEC.md");
    let run = multitrace(&["learn", spans, "--all", "-o", &spec]);
    assert!(run.code == 0, "{}", run.err);
    let next = format!(
        "multitrace map --init {spans} > map.toml\n  multitrace check {spec} {spans} --events map.toml"
    );
    assert!(run.err.contains(&next), "{}", run.err);
    let map = folder.file("map.toml", &multitrace(&["map", "--init", spans]).out);
    let run = multitrace(&["check", &spec, spans, "--events", &map]);
    assert_eq!(run.code, 0, "{} {}", run.out, run.err);
    let run = multitrace(&["compare", spans, spans]);
    assert!(run.code == 0 && run.err.contains("this one is proposed"), "{}", run.err);
    // A folder and a pattern stand for their files.
    let log = std::fs::read_to_string(spans).expect("a log");
    folder.file("logs/spans.json", &log);
    for input in ["logs", "logs/*.json"].map(|it| folder.path(it)) {
        let run = multitrace(&["learn", &input, "--all", "-o", &spec]);
        assert!(run.code == 0 && run.err.contains("this one is proposed"), "{}", run.err);
    }
}

/// Parts of a diagram that no session takes stand with their places.
#[test]
fn parts_that_no_session_takes_are_told() {
    let folder = Folder::new();
    let text = "sequenceDiagram\n  a->>b: ask\n  opt\n    b->>c: look up\n  end\n  b->>a: answer\n";
    let spec = folder.file("SPEC.mmd", text);
    let logs = [("a", ["a!ask", "a?answer"]), ("b", ["b?ask", "b!answer"])]
        .map(|(name, log)| (name.to_owned(), log.map(str::to_owned).to_vec()));
    let log = folder.file("log.jsonl", &(0..3).map(|id| line(id, &logs)).collect::<String>());
    let run = multitrace(&["learn", &log, "--against", &spec]);
    assert_eq!(run.code, 0, "{} {}", run.out, run.err);
    assert!(run.out.contains("3 passing sessions took 3 of 5 parts of"), "{}", run.out);
    assert!(run.out.contains("SPEC.mmd:4:5: message: b->>c: look up"), "{}", run.out);
}

/// Sessions that alternate in fives: each alternative is learnt from some, and tried on others.
#[test]
fn sessions_that_alternate_are_held_out_evenly() {
    let lines = (0..100).map(|id| {
        let message = format!("m{}", id % 5);
        let log = |lifeline: &str, kind| {
            (lifeline.to_owned(), vec![format!("{lifeline}{kind}{message}")])
        };
        line(id, &[log("a", '!'), log("b", '?')])
    });
    let learnt = learnt(&lines.collect::<String>(), LearnOptions::default());
    assert_eq!(learnt.evidence.held_out, Some(1.0));
}

/// Sessions without a log, or without the end of one, make no alternative.
#[test]
fn sessions_that_lack_something_make_no_structure() {
    let mut lines = String::new();
    for id in 0..40 {
        let mut logs = vec![
            ("a".to_owned(), vec!["a!ask".to_owned(), "a?yes".to_owned()]),
            ("b".to_owned(), vec!["b?ask".to_owned(), "b!yes".to_owned()]),
        ];
        match id {
            0..10 => drop(logs.remove(1)),
            10 => drop(logs[1].1.pop()),
            _ => {}
        }
        lines += &line(id, &logs);
    }
    let found = learnt(&lines, LearnOptions::default());
    let text = found.write(ConvertTo::Mermaid, "logs").expect("a diagram").text;
    assert!(!text.contains("alt") && !text.contains("opt"), "{text}");
    let lacking: Vec<_> = found.outliers.iter().map(|it| (it.lack, it.count)).collect();
    assert_eq!(lacking, [(Some(Lack::Logs), 10), (Some(Lack::Events), 1)]);
    let all = learnt(&lines, LearnOptions { outliers: None, ..LearnOptions::default() });
    assert!(all.outliers.is_empty());
    assert_eq!(failing(&all, &lines), [0, 0]);
}

/// A session where a message overtakes another one is left out, and does not set the ends of messages apart in the others.
#[test]
fn a_seldom_crossing_is_left_out() {
    let logs = |crosses: bool| {
        let mut received = vec!["b?first".to_owned(), "b?second".to_owned()];
        if crosses {
            received.reverse();
        }
        received.push("b!done".to_owned());
        let sent = ["a!first", "a!second", "a?done"].map(str::to_owned).to_vec();
        vec![("a".to_owned(), sent), ("b".to_owned(), received)]
    };
    let lines =
        |crossing: usize| -> String { (0..100).map(|id| line(id, &logs(id < crossing))).collect() };
    let found = learnt(&lines(3), LearnOptions::default());
    let text = found.write(ConvertTo::Mermaid, "logs").expect("a diagram").text;
    assert!(!text.contains("alt") && text.contains("a->>b: first\n"), "{text}");
    assert_eq!(found.outliers.iter().map(|it| it.count).sum::<u64>(), 3);
    // Where many do so, that is what sessions do.
    let all = learnt(&lines(40), LearnOptions::default());
    assert!(all.outliers.is_empty());
    assert_eq!(failing(&all, &lines(40)), [0, 0]);
}

/// Ends that are alone are reported, an order that nobody knows is not learnt, and without events there is no diagram.
#[test]
fn what_is_missing_is_told() {
    let folder = Folder::new();
    let alone = "{\"session\":\"s\",\"traces\":{\"a\":[\"a!x\",\"a!y\"],\"b\":[\"b?y\"]}}\n";
    let run = multitrace(&["learn", &folder.file("alone.jsonl", alone)]);
    assert!(
        run.code == 0 && run.out.contains("1 arrow whose other end is in no log"),
        "{}",
        run.out
    );
    let rows = "s,l,d,m,t\n1,a,out,x,1\n1,a,in,y,1\n1,b,in,x,1\n1,b,out,y,2\n";
    let mapping = "[event]\nsession = \"s\"\nlifeline = \"l\"\norder = \"t\"\nties = \"any\"\nmessage = \"m\"\n\
                   direction = { field = \"d\", emission = \"out\", reception = \"in\" }\n";
    let (log, map) = (folder.file("t.csv", rows), folder.file("map.toml", mapping));
    let run = multitrace(&["learn", &log, "--events", &map]);
    assert!(run.code == 2 && run.err.contains("in no order"), "{} {}", run.code, run.err);
    let two = alone.to_owned() + &alone.replace("\"s\"", "\"t\"").replace("a!y", "a!z");
    let run = multitrace(&["learn", &folder.file("two.jsonl", &two), "--min-support", "9"]);
    assert!(run.code == 3 && run.err.contains("every session is left out"), "{}", run.err);
    let run = multitrace(&["sessions", &folder.file("none.csv", "s,l,d,m,t\n"), "--events", &map]);
    assert!(run.code == 3 && run.err.contains("the inputs hold no session"), "{}", run.err);
    let odd = "{\"session\":\"s\",\"traces\":{\"a\\nb\":[\"a\\nb!x\"]}}\n";
    let run = multitrace(&["learn", &folder.file("odd.jsonl", odd)]);
    assert!(run.code == 2 && run.err.contains("--to hif writes every name"), "{}", run.err);
    assert!(!run.err.contains("learnt.hif"), "{}", run.err);
    let odd = "{\"session\":\"t\",\"traces\":{\"a\":[\"a!x\",\"nothing\"]}}\n\
               {\"session\":\"u\",\"gaps\":\"ends\",\"traces\":{\"a\":[\"a!x\"]}}\n";
    let run = multitrace(&["learn", &folder.file("odd.jsonl", &(alone.to_owned() + odd))]);
    let [out, err] = [&run.out, &run.err].map(|it| it.contains("2 sessions not learnt from"));
    assert!(run.code == 0 && out && err, "{} {}", run.out, run.err);
}

/// Lines that are too many to show are counted, and an input that cannot be read makes the run fail, whatever is
/// written.
#[test]
fn what_is_left_unsaid_is_counted() {
    let folder = Folder::new();
    let mut lines = String::new();
    for id in 0..60 {
        let message = if id < 25 { format!("m{id}") } else { "usual".to_owned() };
        lines += &line(id, &[("a".to_owned(), vec![format!("a!{message}")])]);
    }
    let (log, spec) = (folder.file("a.jsonl", &lines), folder.path("SPEC.md"));
    let run = multitrace(&["learn", &log, "--min-support", "30", "-o", &spec]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = std::fs::read_to_string(&spec).expect("a diagram");
    assert!(text.contains("\n5 sessions more left out"), "{text}");
    let run = multitrace(&["learn", &log, "--against", &spec]);
    assert!(run.code == 1 && run.out.contains("\n  25: 1 session"), "{}", run.out);
    let wrong = folder.file("b.jsonl", "{\n");
    let run = multitrace(&["learn", &log, &wrong, "--against", &spec]);
    assert!(run.code == 2 && run.out.contains("does not accept 25 of 60"), "{}", run.out);
    let many = [&log, &log, &log, &log, &log, &log, &log].map(String::as_str);
    let run = multitrace(&[&["learn", "--to", "timbuk"][..], &many].concat());
    assert!(run.code == 0 && run.err.contains(" and 2 more: it shows"), "{}", run.err);
}

/// Arrows that are too many are reported, and every session is checked all the same: the diagram is of few of them.
#[test]
fn too_many_arrows_are_too_many_to_learn() {
    let mut lines = String::new();
    for id in 0..4_000 {
        // The first ones do the same.
        let message = if id < 100 { "m".to_owned() } else { format!("m{id}") };
        let (a, b) = (vec![format!("a!{message}")], vec![format!("b?{message}")]);
        lines += &line(id, &[("a".to_owned(), a), ("b".to_owned(), b)]);
    }
    let found = learnt(&lines, LearnOptions::default());
    assert!(found.evidence.has_too_many_arrows && found.evidence.is_cut);
    assert_eq!(found.evidence.sample, Some(3_000));
    let text = found.write(ConvertTo::Markdown, "logs").expect("a diagram").text;
    assert!(text.contains("all together have too many"), "{text}");
    // 200 more are alternatives of their own, and the others are listed.
    let left_out: u64 = found.outliers.iter().map(|it| it.count).sum();
    assert_eq!(left_out, 3_901 - 3_000 - 200);
    let explained = found.outliers.iter().filter(|it| it.finding.is_some()).count();
    assert_eq!(explained, 100);
}

/// Sessions that say the same in other words are the same, however they are read.
#[test]
fn texts_of_sessions_that_were_read_before_count() {
    let mut lines = String::new();
    for id in 0..60_000 {
        let space = if id % 1_000 == 0 { " " } else { "" };
        let answer = if id % 3 == 0 { "no" } else { "yes" };
        let _ = writeln!(
            lines,
            "{{\"session\":\"s{id}\",\"traces\":{{\"a\":[{space}\"a!ask\",\"a?{answer}\"],\"b\":[\"b?ask\",\"b!{answer}\"]}}}}"
        );
    }
    let found = learnt(&lines, LearnOptions { outliers: Some(0.0), ..LearnOptions::default() });
    assert_eq!((found.sessions, found.evidence.variants), (60_000, 2));
    let text = found.write(ConvertTo::Mermaid, "logs").expect("a diagram").text;
    assert!(text.contains("alt 33 %") && text.contains("else 67 %"), "{text}");
}

/// What docs/learn.md says of two real logs.
#[test]
fn real_logs_give_the_diagrams_of_the_page() {
    let Some(logs) = common::corpus().map(|corpus| corpus.join("events")) else { return };
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let learn = |log: &str, events: &str, options: &[&str]| {
        let (log, events) = (logs.join(log).display().to_string(), format!("{examples}/{events}"));
        let run = multitrace(&[&["learn", &log, "--events", &events], options].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let machines = ["openstack/OpenStack_2k.log", "openstack/boot.toml"];
    let few = learn(machines[0], machines[1], &["--min-support", "2"]);
    let all = learn(machines[0], machines[1], &[]);
    for said in ["14 arrows in 2 lifelines", "3 sessions left out", "api!boot is missing at api"] {
        assert!(few.contains(said), "{said}: {few}");
    }
    assert!(!few.contains("opt ") && !few.contains("par\n"), "{few}");
    assert_eq!(all.matches("opt 95 %, left out by 1 session").count(), 2, "{all}");
    let shop = learn("nezha/online-boutique-17_00.csv", "shop/shop.toml", &[]);
    for said in ["88 arrows in 10 lifelines", "it accepts 100.0 % of the others"] {
        assert!(shop.contains(said), "{said}: {shop}");
    }
}
