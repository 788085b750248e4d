//! Many sensors that ask one station for its clock again and again, and a question that is lost: the numbers of events
//! refuse such a session before any search, and reports say which.

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use serde_json::Value;
use std::fmt::Write;

/// Sensors in parallel. Each asks a question and gets an answer, any number of times.
fn spec(sensors: usize) -> String {
    let mut loops = Vec::new();
    for sensor in 1..=sensors {
        let question = format!("sensor{sensor} -- time{sensor} -> station");
        loops.push(format!("loopW(seq({question}, station -- now{sensor} -> sensor{sensor}))"));
    }
    format!("par({})\n", loops.join(", "))
}

/// All sensors ask and are answered in turns; the station lacks the last question of the first `lost` ones, with its answer.
fn session(id: &str, sensors: usize, rounds: usize, lost: usize) -> String {
    let mut logs = vec![Vec::new(); sensors + 1];
    for round in 1..=rounds {
        for sensor in 1..=sensors {
            let sent =
                [format!("sensor{sensor}!time{sensor}"), format!("sensor{sensor}?now{sensor}")];
            logs[sensor].extend(sent);
            if round < rounds || sensor > lost {
                let received = [format!("station?time{sensor}"), format!("station!now{sensor}")];
                logs[0].extend(received);
            }
        }
    }
    let mut traces = String::new();
    for (at, log) in logs.iter().enumerate() {
        let name = if at == 0 { "station".to_owned() } else { format!("sensor{at}") };
        let comma = if at == 0 { "" } else { "," };
        write!(traces, "{comma}\"{name}\":{}", serde_json::json!(log)).expect("a text");
    }
    format!("{{\"session\":\"{id}\",\"traces\":{{{traces}}}}}")
}

fn files(folder: &Folder, sensors: usize, rounds: usize) -> [String; 2] {
    let sessions = [(0, "kept"), (1, "one"), (2, "two")];
    let sessions = sessions.map(|(lost, id)| session(id, sensors, rounds, lost)).join("\n");
    [folder.file("clock.hif", &spec(sensors)), folder.file("in.jsonl", &sessions)]
}

fn check(sensors: usize, rounds: usize, options: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    let [spec, input] = files(&folder, sensors, rounds);
    let arguments = ["check", &spec, &input, "--output-format", "json-lines", "--stats"];
    let run = multitrace(&[&arguments, options].concat());
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    lines.take(3).collect()
}

#[test]
fn a_question_that_is_lost_among_many_is_found_without_a_search() {
    let [kept, one, two] = check(10, 10, &[]).try_into().expect("three sessions");
    assert_eq!(kept["verdict"], "pass");
    for lost in [&one, &two] {
        assert_eq!((&lost["verdict"], &lost["cause"]), (&"fail".into(), &"central".into()));
        assert_eq!(lost["balance"], "time1: sent 10, received 9");
        assert_eq!(lost["evidence"][0]["balance"], lost["balance"]);
        assert_eq!(
            (&lost["cost"]["stage"], &lost["cost"]["nodes"]),
            (&"balance".into(), &0.into())
        );
    }
    // Of both the same is wrong, whatever the numbers.
    assert_eq!(one["evidence"][0]["kind"], two["evidence"][0]["kind"]);
}

/// Where a search for an order ends soon, it says more than the numbers do.
#[test]
fn a_small_session_has_its_frontier() {
    for options in [&["--engine", "nfa"], &["--engine", "term"]] {
        let [kept, one, _] = check(2, 2, options).try_into().expect("three sessions");
        assert_eq!((&kept["verdict"], &one["verdict"]), (&"pass".into(), &"fail".into()));
        assert_eq!((&one["cost"]["stage"], &one["balance"]), (&"balance".into(), &Value::Null));
        assert_eq!(one["frontier"].as_array().map(Vec::len), Some(3));
        assert_eq!(one["frontier_complete"], Value::Null);
    }
}

/// Logs that may have ended early, or whose location logged nothing, excuse numbers.
#[test]
fn numbers_refuse_only_what_is_complete() {
    for mode in ["prefix", "slice", "missing"] {
        for session in check(2, 2, &["--observe", mode]) {
            let refused = mode == "missing" && session["session"] != "kept";
            assert_eq!(session["verdict"] == "fail", refused, "{mode}: {session}");
        }
    }
}

#[test]
fn the_numbers_are_explained() {
    let folder = Folder::new();
    let [spec, input] = files(&folder, 10, 2);
    let run = multitrace(&["explain", &spec, &input, "--session", "one"]);
    assert!(run.out.contains("time1: sent 2, received 1"), "{}", run.out);
    assert!(!run.out.contains("events can be explained"), "{}", run.out);
}
