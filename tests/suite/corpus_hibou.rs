//! The benchmark of paper 003: on 20 random interactions of up to 1,200 multi-traces each, our
//! verdicts are those of HIBOU, in the three modes both have.
//!
//! HIBOU's *accept* is our `complete`: Pass or Fail. HIBOU's *eliminate* is our `prefix`: Fail is
//! our fail; WeakPass says that the multi-trace is a multi-prefix, and HIBOU gives it, too, to many
//! that are accepted as they are, so it is our weak pass or pass; Pass implies acceptance, so it is
//! our pass. HIBOU's *prefix* is our `global-prefix`: its Inconc is our inconclusive for lack of
//! observation, or our fail where no extension of the local traces is accepted, so that a longer
//! observation would not help either. `null` means that there is no answer: HIBOU ran out of time.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_formats::sessions;
use multitrace_interaction::{InconclusiveReason, Observation, Session, Verdict};
use multitrace_runtime::{CheckConfig, Monitor};
use std::path::Path;

/// The interactions with a loop that keeps the term growing; they are checked on terms.
const WITHOUT_AUTOMATON: [usize; 4] = [2, 3, 12, 13];
const INTERACTIONS: usize = 20;
/// Of all of them: 1,200 each, but i6 (250), i9 (1,191) and i17 (330).
const SESSIONS: usize = 22_171;
const MODES: [Observation; 3] =
    [Observation::Complete, Observation::Prefix, Observation::GlobalPrefix];

/// Counts of comparisons for one interaction.
#[derive(Debug, Default)]
struct Tally {
    sessions: usize,
    compared: usize,
    /// HIBOU has no answer.
    skipped: usize,
    /// Ours, in the order of the enum.
    verdicts: [usize; 4],
    wrong: Vec<String>,
}

/// Whether our verdict can stand beside HIBOU's, in the mode they were asked for.
fn agrees(hibou: &str, ours: &Verdict, observation: Observation) -> bool {
    match (hibou, ours) {
        ("Pass", Verdict::Pass) | ("Fail", Verdict::Fail(_)) => true,
        ("WeakPass", Verdict::Pass | Verdict::WeakPass) => observation != Observation::Complete,
        ("Inconc", Verdict::Inconclusive(InconclusiveReason::LackOfObservation)) => true,
        // No extension of the local traces is accepted: more of them would not help.
        ("Inconc", Verdict::Fail(_)) => true,
        _ => false,
    }
}

fn compare(monitor: &Monitor, session: &Session, hibou: &serde_json::Value, tally: &mut Tally) {
    tally.sessions += 1;
    for observation in MODES {
        let check = CheckConfig { observation, ..CheckConfig::default() };
        let ours = common::check(monitor, session, &check).verdict;
        let mut wrong = |text: &str| {
            let ours = common::verdict_name(&ours);
            let mode = observation.name();
            tally.wrong.push(format!("{} {mode}: {text}, ours is {ours}", session.id));
        };
        let lack = Verdict::Inconclusive(InconclusiveReason::LackOfObservation);
        if matches!(ours, Verdict::Inconclusive(_)) && ours != lack {
            wrong("every session is decided");
        }
        match hibou[observation.name()]["verdict"].as_str() {
            None => tally.skipped += 1,
            Some(theirs) => {
                tally.compared += 1;
                let row = match &ours {
                    Verdict::Pass => 0,
                    Verdict::WeakPass => 1,
                    Verdict::Fail(_) => 2,
                    Verdict::Inconclusive(_) => 3,
                };
                if !agrees(theirs, &ours, observation) {
                    wrong(&format!("HIBOU says {theirs}"));
                }
                tally.verdicts[row] += 1;
            }
        }
    }
}

fn run(folder: &Path, index: usize) -> Tally {
    let (signature, interaction) = common::hibou_random(folder, index);
    let monitor = common::monitor(&signature, &interaction);
    let has_automaton = monitor.bundle().automaton().is_some();
    let expected = !WITHOUT_AUTOMATON.contains(&index);
    assert_eq!(has_automaton, expected, "i{index}: whether there is an automaton");
    let name = format!("i{index}.jsonl");
    let text = std::fs::read_to_string(folder.join(&name)).expect("the sessions are readable");
    let mut tally = Tally::default();
    for (number, line) in text.lines().enumerate() {
        let session = sessions::parse_line(&name, number + 1, line, monitor.alphabet());
        let record: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
        compare(&monitor, &session.expect("a session"), &record["hibou"], &mut tally);
    }
    tally
}

#[test]
fn verdicts_are_those_of_hibou() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("hibou-random")) else { return };
    let mut wrong = Vec::new();
    let (mut sessions, mut compared, mut skipped) = (0, 0, 0);
    for index in 0..INTERACTIONS {
        let tally = run(&folder, index);
        let [pass, weak_pass, fail, inconclusive] = tally.verdicts;
        println!(
            "i{index}: {} sessions, {} compared ({pass} pass, {weak_pass} weak_pass, {fail} fail, \
             {inconclusive} for lack of observation), \
             {} skipped where HIBOU has no answer",
            tally.sessions, tally.compared, tally.skipped
        );
        sessions += tally.sessions;
        assert!(pass > 0 && weak_pass > 0 && fail > 0, "i{index}: verdicts all the same");
        compared += tally.compared;
        skipped += tally.skipped;
        wrong.extend(tally.wrong.into_iter().map(|text| format!("i{index} {text}")));
    }
    println!("{sessions} sessions, {compared} verdicts compared, {skipped} skipped");
    assert_eq!(sessions, SESSIONS, "sessions of all interactions");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
