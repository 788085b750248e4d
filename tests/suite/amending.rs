//! `learn --against SPEC --apply`: a diagram with differences accepted lets their sessions pass, and keeps the rest of its text.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace;
use multitrace::{
    CompileOptions, ConvertTo, Deviation, Inputs, LearnOptions, Monitor, RunOptions, Spec,
    SpecFormat, Written, learn,
};
use multitrace_formats::diagram::Notation;
use multitrace_formats::hif;
use multitrace_interaction::generate::{Bounds, Generator, RandomInteractions, Shape};
use multitrace_interaction::{Interaction, Locations, Signature};
use std::fmt::Write;
use std::sync::Arc;

const SPEC: &str = "\
# Shop

```mermaid
sequenceDiagram
    participant c as Client
    participant shop
    %% the till
    participant bank

    c->>shop: order
    Note over shop: looks at the price
    shop->>+bank: charge
    bank-->>-shop: charged
    par
        shop->>c: confirmed
    and
        shop->>bank: settle
    end
    c->>shop: thanks
```

Thank you.
";

/// A session of arrows, each a sender, a receiver and a message.
fn session(id: &str, arrows: &str) -> String {
    let mut logs: Vec<(&str, Vec<String>)> = Vec::new();
    let mut add = |at, event| match logs.iter_mut().find(|(name, _)| *name == at) {
        Some((_, log)) => log.push(event),
        None => logs.push((at, vec![event])),
    };
    for arrow in arrows.split(", ") {
        let [from, to, message] = arrow.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{arrow}")
        };
        add(from, format!("{from}!{message}"));
        add(to, format!("{to}?{message}"));
    }
    let logs: Vec<String> = logs.iter().map(|(at, log)| format!("{at:?}:{log:?}")).collect();
    format!("{{\"session\":{id:?},\"traces\":{{{}}}}}\n", logs.join(","))
}

/// The diagram after all differences of sessions are accepted, which then all pass.
fn amended(spec: &str, sessions: &str) -> String {
    let folder = Folder::new();
    let name = if spec.starts_with('#') { "SPEC.md" } else { "spec.mmd" };
    let (spec, log) = (folder.file(name, spec), folder.file("log.jsonl", sessions));
    let run =
        multitrace(&["learn", &log, "--all", "--against", &spec, "--apply", "all", "-o", &spec]);
    assert_eq!(run.code, 0, "{} {}", run.out, run.err);
    let check = multitrace(&["check", &spec, &log]);
    assert_eq!(check.code, 0, "{}", check.out);
    std::fs::read_to_string(&spec).expect("a diagram")
}

#[test]
fn a_message_that_is_missing_becomes_an_option() {
    let sessions = session(
        "s",
        "c shop order, shop bank charge, bank shop charged, shop c confirmed, shop bank settle",
    );
    let expected = SPEC.replace(
        "    c->>shop: thanks\n",
        "    opt not in 1 of 1 session\n        c->>shop: thanks\n    end\n",
    );
    assert_eq!(amended(SPEC, &sessions), expected);
}

#[test]
fn a_new_message_becomes_an_option_where_it_was_seen() {
    let before = "c shop order, shop bank charge, ";
    let after = ", shop c confirmed, shop bank settle, c shop thanks";
    let sessions = [
        session("s", &format!("{before}bank shop charged{after}")),
        session("t", &format!("{before}bank auditor audit, bank shop charged{after}")),
    ];
    let expected = SPEC.replace(
        "    bank-->>-shop: charged\n",
        "    opt 1 of 2 sessions\n        bank->>auditor: audit\n    end\n    bank-->>-shop: charged\n",
    );
    assert_eq!(amended(SPEC, &sessions.concat()), expected);
}

#[test]
fn other_messages_become_an_alternative() {
    let sessions = session(
        "s",
        "c shop order, shop bank charge, bank shop declined, shop c refused, c shop thanks",
    );
    let text = amended(SPEC, &sessions);
    let expected = "
    alt
        bank-->>-shop: charged
        par
            shop->>c: confirmed
        and
            shop->>bank: settle
        end
    else 1 of 1 session
        bank->>shop: declined
        shop->>c: refused
    end
    c->>shop: thanks
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("    shop->>+bank: charge\n    alt\n"), "{text}");
}

#[test]
fn messages_that_changed_places_are_an_alternative_in_the_other_order() {
    let spec = "sequenceDiagram\n  a->>b: x\n  a->>b: y\n  b->>a: z\n";
    let sessions = session("s", "a b y, a b x, b a z");
    let folder = Folder::new();
    let (spec, log) = (folder.file("s.mmd", spec), folder.file("log.jsonl", &sessions));
    let run = multitrace(&["learn", &log, "--all", "--against", &spec, "--apply", "1"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let alternatives = [
        "  alt\n      a->>b: x\n      a->>b: y\n  else 1 of 1 session\n      a->>b: y\n      a->>b: x\n  end\n  b->>a: z\n",
    ];
    assert!(alternatives.iter().any(|it| run.out.ends_with(it)), "{}", run.out);
}

const CHARGE: &str = "sequenceDiagram\n    c->>shop: order\n    shop->>bank: charge\n    bank->>shop: charged\n    shop->>c: confirmed\n";

/// Sessions that order and get a confirmation, each with the arrows between.
fn orders(between: &[&str]) -> String {
    let sessions = between.iter().enumerate().map(|(id, arrows)| {
        session(&format!("s{id}"), &format!("c shop order, {arrows}, shop c confirmed"))
    });
    sessions.collect()
}

#[test]
fn what_comes_again_becomes_a_loop() {
    let (once, no) =
        ("shop bank charge, bank shop charged", "shop bank charge, bank shop declined");
    let sessions =
        orders(&[once, &format!("{once}, {once}"), once, &format!("{once}, {once}, {once}")]);
    let expected = CHARGE.replace(
        "    shop->>bank: charge\n    bank->>shop: charged\n",
        "    loop 1..*\n        shop->>bank: charge\n        bank->>shop: charged\n    end\n",
    );
    assert_eq!(amended(CHARGE, &sessions), expected);
    let sessions = orders(&[once, &format!("{no}, {once}"), &format!("{no}, {no}, {once}")]);
    let expected = CHARGE.replace(
        "    bank->>shop: charged\n",
        "    loop\n        bank->>shop: declined\n        shop->>bank: charge\n    end\n    bank->>shop: charged\n",
    );
    assert_eq!(amended(CHARGE, &sessions), expected);
}

/// Of 30 sessions 28 are audited, 15 have a note and 6 have none of an end.
#[test]
fn labels_count_the_sessions_that_take_a_part() {
    let between = |id: usize| {
        let audit = if id < 2 { "" } else { "bank auditor audit, " };
        let end = if id.is_multiple_of(5) { "" } else { ", bank shop charged" };
        let note = if id.is_multiple_of(2) { "" } else { ", shop mail note" };
        format!("shop bank charge, {audit}bank shop seen{end}{note}")
    };
    let between: Vec<String> = (0..30).map(between).collect();
    let between: Vec<&str> = between.iter().map(String::as_str).collect();
    let spec = CHARGE.replace("charge\n", "charge\n    bank->>shop: seen\n");
    let text = amended(&spec, &orders(&between));
    let parts = [
        "opt 28 of 30 sessions\n        bank->>auditor: audit",
        "opt not in 6 of 30 sessions\n        bank->>shop: charged",
        "opt 15 of 30 sessions\n        shop->>mail: note",
    ];
    assert!(parts.iter().all(|it| text.contains(it)), "{text}");
    assert_eq!(text.matches(" of 30 sessions").count(), parts.len(), "{text}");
}

/// One difference for all places, and what else is new beside it.
#[test]
fn a_message_with_another_name_is_one_difference() {
    let spec = CHARGE.replace(
        "    shop->>c",
        "    opt more\n        shop->>+bank: charge \n        bank-->>-shop: charged\n    end\n    shop->>c",
    );
    let once = "shop bank debit, bank shop charged";
    let sessions = orders(&[once, &format!("{once}, {once}")]);
    assert_eq!(
        amended(&spec, &sessions),
        spec.replace(": charge", ": debit").replace("debitd", "charged")
    );
    let folder = Folder::new();
    let (path, log) = (folder.file("s.mmd", &spec), folder.file("log.jsonl", &sessions));
    let run = multitrace(&["learn", &log, "--all", "--against", &path]);
    let piece = "\n     to accept it: `charge` is called `debit`\n\n";
    assert!(run.out.contains(piece) && !run.out.contains("  2: "), "{}", run.out);
    let sessions = orders(&[once, &format!("bank auditor audit, {once}")]);
    let text = amended(&spec, &sessions);
    assert!(text.contains("opt 1 of 2 sessions\n        bank->>auditor: audit"), "{text}");
    assert!(!text.contains(": charge\n") && text.contains("+bank: debit"), "{text}");
    // Logs may call participants by their labels.
    let spec = spec.replace("sequenceDiagram\n", "sequenceDiagram\n    participant bank as Bank\n");
    let sessions = sessions.replace("bank", "Bank");
    assert!(amended(&spec, &sessions).contains("        bank->>auditor: audit"));
    // A new message elsewhere is not one that no session happens to have.
    let refund = "    opt\n        shop->>bank: refund\n    end\n";
    let spec = CHARGE.replace("    shop->>c", &format!("{refund}    shop->>c"));
    let sessions = orders(&["shop bank check, shop bank charge, bank shop charged"]);
    assert!(amended(&spec, &sessions).contains(refund));
}

#[test]
fn sessions_that_still_fail_are_listed() {
    let sessions = orders(&["shop bank charge, bank shop charged, bank auditor audit"])
        + "{\"session\":\"half\",\"traces\":{\"c\":[\"c!order\",\"c?confirmed\"]}}\n";
    let folder = Folder::new();
    let (spec, log) =
        (folder.file("s.mmd", CHARGE), folder.file("log.jsonl", &sessions.repeat(20)));
    let out = folder.path("new.mmd");
    let run = multitrace(&["learn", &log, "--against", &spec, "--apply", "all", "-o", &out]);
    let listed = "20 sessions more pass, and 20 sessions still do not (as half, ";
    assert!(run.code == 1 && run.err.contains(listed), "{}", run.err);
}

#[test]
fn a_message_before_its_participant_is_created_has_advice() {
    let spec = CHARGE.replace("    shop->>bank", "    create participant bank\n    shop->>bank");
    let sessions = orders(&["shop bank hello, shop bank charge, bank shop charged"]);
    let folder = Folder::new();
    let (path, log) = (folder.file("s.mmd", &spec), folder.file("log.jsonl", &sessions));
    let run = multitrace(&["learn", &log, "--all", "--against", &path]);
    let advice = "note: line 3 creates `bank`, which has `hello` before";
    assert!(run.out.contains(advice), "{}", run.out);
    let spec = "sequenceDiagram\n    participant bank\n".to_owned() + &CHARGE[16..];
    assert!(amended(&spec, &sessions).contains("opt 1 of 1 session\n        shop->>bank: hello\n"));
}

/// Each difference is accepted on its own; a session that lacks a log changes no diagram.
#[test]
fn differences_are_accepted_one_by_one() {
    let usual = "c shop order, shop bank charge, bank shop charged, shop c confirmed, shop bank settle, c shop thanks";
    let mut sessions: String = (0..10).map(|id| session(&format!("s{id}"), usual)).collect();
    sessions += &session("twice", &usual.replace("c shop thanks", "c shop thanks, c shop thanks"));
    sessions += &session(
        "early",
        &usual.replace("shop bank charge,", "shop bank check, shop bank charge,"),
    );
    sessions +=
        "{\"session\":\"half\",\"traces\":{\"c\":[\"c!order\",\"c?confirmed\",\"c!thanks\"]}}\n";
    let folder = Folder::new();
    let (spec, log) = (folder.file("SPEC.md", SPEC), folder.file("log.jsonl", &sessions));
    let against = ["learn", &log, "--against", &spec];
    let run = multitrace(&against);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.out.starts_with(&format!("{spec} does not accept 3 of 13 sessions\n")),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("cannot be accepted: a log or the end of one is missing"),
        "{}",
        run.out
    );
    let number = |id: &str| {
        let line =
            run.out.lines().find(|it| it.ends_with(&format!("(as {id})"))).expect("a difference");
        line.trim().split(':').next().expect("a number").to_owned()
    };
    let out = folder.path("new.md");
    let one = multitrace(&[&against[..], &["--apply", &number("early"), "-o", &out]].concat());
    assert_eq!(one.code, 0, "{}", one.err);
    let check = multitrace(&["check", &out, &log]);
    assert!(check.out.contains("pass                11"), "{}", check.out);
    let all = multitrace(&[&against[..], &["--apply", "all", "-o", &out]].concat());
    assert!(all.code == 1 && all.err.contains("cannot be accepted"), "{}", all.err);
    let check = multitrace(&["check", &out, &log]);
    assert!(check.out.contains("pass                12"), "{}", check.out);
}

#[test]
fn wrong_uses_are_refused() {
    let folder = Folder::new();
    let log = folder.file("log.jsonl", &session("s", "a b y"));
    let (hif, spec) = (folder.file("s.hif", "a -- x -> b"), folder.file("SPEC.md", SPEC));
    let run = multitrace(&["learn", &log, "--all", "--against", &hif, "--apply", "all"]);
    assert!(run.code == 2 && run.err.contains("only a Mermaid or PlantUML diagram"), "{}", run.err);
    let wrong = [
        (&["--apply", "9"][..], "--apply 9: the only difference is 1"),
        (&["--apply", "x"], "neither `all` nor numbers"),
        (&["--apply", "all", "-o", "x.puml"], "keeps the notation"),
        (&["-o", "x.md"], "--against writes nothing"),
    ];
    for (arguments, error) in wrong {
        let run =
            multitrace(&[&["learn", &log, "--all", "--against", &spec][..], arguments].concat());
        assert!(run.code == 2 && run.err.contains(error), "{arguments:?}: {}", run.err);
    }
}

/// Sessions of an interaction, as lines.
/// A diagram of several parts is refused with the remedy, which works.
#[test]
fn a_diagram_of_several_parts_is_written_as_one_first() {
    let folder = Folder::new();
    let [old, new] = ["orders", "orders-next"]
        .map(|it| format!("{}/examples/learn/{it}.jsonl", env!("CARGO_MANIFEST_DIR")));
    let [parts, one, next] = ["parts.md", "one.mmd", "next.mmd"].map(|it| folder.path(it));
    let run = multitrace(&["learn", &old, "--max-arrows", "6", "-o", &parts]);
    assert_eq!(run.code, 0, "{}", run.err);
    let apply = |spec: &str, out: &str| {
        multitrace(&["learn", &new, "--against", spec, "--apply", "all", "-o", out])
    };
    let run = apply(&parts, &folder.path("next.md"));
    assert!(run.code == 2 && run.err.contains("`convert` writes it as one"), "{}", run.err);
    assert_eq!(multitrace(&["convert", &parts, "-o", &one]).code, 0);
    let run = apply(&one, &next);
    assert!(run.code <= 1 && run.err.contains("more pass"), "{} {}", run.code, run.err);
}

fn lines(signature: &Signature, interaction: &Interaction, seed: u64) -> Option<String> {
    let locations = Locations::discrete(signature);
    let bounds = Bounds::events(0, 12);
    let mut generator = Generator::new(signature, interaction, &locations, bounds, seed).ok()?;
    let alphabet = generator.alphabet().clone();
    let mut lines = String::new();
    for id in 0..10 {
        let logs = alphabet.locations().zip(generator.accepted()).map(|(location, log)| {
            let events: Vec<&str> = log.iter().map(|it| alphabet.letter_name(*it)).collect();
            format!("{:?}:{events:?}", alphabet.location_name(location))
        });
        let logs: Vec<String> = logs.collect();
        let _ = writeln!(lines, "{{\"session\":\"s{id}\",\"traces\":{{{}}}}}", logs.join(","));
    }
    Some(lines)
}

fn failing(monitor: &Monitor, lines: &str) -> u64 {
    let lines: Arc<[u8]> = lines.as_bytes().into();
    let report = monitor.run(Inputs::lines("logs", lines), RunOptions::new(monitor), &mut ());
    let summary = *report.expect("a report").summary();
    assert_eq!(summary.errors, 0);
    summary.fail + summary.inconclusive
}

/// A random diagram, its own sessions, and those of another one over the same names.
fn random_case(seed: u64, to: ConvertTo) -> Option<(String, String, String)> {
    let mut random = RandomInteractions::new(Shape::default(), seed);
    let signature = random.signature().clone();
    let (own, other) = (random.next()?.ok()?, random.next()?.ok()?);
    let spec = Spec::parse("own.hif", &hif::print(&own, &signature), SpecFormat::Hif);
    let text = spec.convert(to, &CompileOptions::default()).ok()?.text;
    // `check` refuses the log of a lifeline that the diagram lacks, even an empty one, which no message can add.
    if !signature.lifelines().all(|it| text.contains(signature.lifeline_name(it))) {
        return None;
    }
    Some((text, lines(&signature, &own, seed)?, lines(&signature, &other, seed)?))
}

/// Whether the lines of a text stand in another one, in their order.
fn is_kept(text: &str, other: &str) -> bool {
    let mut lines = other.lines().map(str::trim);
    text.lines().all(|line| lines.any(|it| it == line.trim()))
}

/// Sessions whose differences are accepted pass, those that passed before as well, and each line of the author is kept. A
/// sample, since each case takes seconds; `MULTITRACE_FULL=1` tries more.
#[test]
fn sessions_that_are_accepted_pass() {
    for seed in 0..if common::full() { 1_000 } else { 2 } {
        let (to, notation) = match seed % 2 {
            0 => (ConvertTo::Mermaid, Notation::Mermaid),
            _ => (ConvertTo::PlantUml, Notation::PlantUml),
        };
        if let Some(case) = random_case(seed, to) {
            accepted_sessions_pass(seed, &case, SpecFormat::Diagram(notation));
        }
    }
}

fn accepted_sessions_pass(
    seed: u64,
    (text, own, other): &(String, String, String),
    format: SpecFormat,
) {
    let written = Written::new(Spec::parse("spec", text, format)).expect("a diagram");
    let logs: Arc<[u8]> = other.as_bytes().into();
    let options = LearnOptions { outliers: None, ..LearnOptions::default() };
    let learnt = learn(Inputs::lines("logs", logs), options).expect("an interaction");
    let differences = learnt.deviations(&written).expect("an engine");
    let (chosen, refused): (Vec<&Deviation>, Vec<&Deviation>) =
        differences.iter().partition(|it| it.change.is_ok());
    let count = |of: &[&Deviation]| -> u64 { of.iter().map(|it| it.count).sum() };
    assert_eq!(count(&chosen) + count(&refused), failing(&written.monitor, other), "{seed}");
    if chosen.is_empty() {
        return;
    }
    let new = learnt.accepted(&written, &chosen).expect("an engine").expect("a text");
    assert_eq!(new.failing, 0, "{seed}");
    let new = new.text;
    let has_names = chosen.iter().all(|it| it.renames.is_empty());
    assert!(!has_names || is_kept(text, &new), "{seed}: {text}\n{new}");
    let spec = Spec::parse("spec", &new, format);
    let monitor = spec.compile(&CompileOptions::default()).expect("a diagram").monitor;
    assert!(failing(&monitor, other) <= count(&refused), "{seed}: {text}\n{new}\n{other}");
    assert_eq!(failing(&monitor, own), 0, "{seed}: {text}\n{new}");
}
