//! The examples on event logs: the made-up logs beside them have the outcomes listed here, the logs of
//! the corpus too, and their pages show the output of the tool.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace_in;
use crate::common::shown::{shown, shows, without_times};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a page says that the logs of the corpus are.
const CORPUS: &str = "corpus/";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The outcome of each session: its verdict, or the cause of its failure.
fn outcomes(spec: &str, mapping: &str, log: &Path, options: &[&str]) -> Vec<(String, String)> {
    let examples = root().join("examples");
    let (spec, mapping) = (examples.join(spec), examples.join(mapping));
    let text = |path: &Path| path.to_str().expect("a text").to_owned();
    let (spec, mapping, log) = (text(&spec), text(&mapping), text(log));
    let fixed = ["check", &spec, "--events", &mapping, &log, "--output-format", "json-lines"];
    let run = multitrace_in(None, &[&fixed, options].concat(), &[]);
    assert!(run.code < 2, "{}", run.err);
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let objects: Vec<serde_json::Value> = lines.collect();
    let (summary, sessions) = objects.split_last().expect("a summary");
    assert_eq!(summary["errors"], 0);
    let outcome = |session: &serde_json::Value| {
        let outcome = session.get("cause").unwrap_or(&session["verdict"]);
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        (text(&session["session"]), text(outcome))
    };
    sessions.iter().map(outcome).collect()
}

fn made_up(spec: &str, mapping: &str, log: &str, expected: &[(&str, &str)]) {
    let got = outcomes(spec, mapping, &root().join("examples").join(log), &[]);
    let got: Vec<(&str, &str)> = got.iter().map(|(id, it)| (id.as_str(), it.as_str())).collect();
    assert_eq!(got, expected);
}

/// How often which outcome comes, and the sessions that do not pass where those are few.
fn of_corpus(
    (spec, mapping, log): (&str, &str, &str),
    options: &[&str],
    counts: &[(&str, usize)],
) -> Vec<String> {
    let Some(corpus) = common::corpus() else { return Vec::new() };
    let outcomes = outcomes(spec, mapping, &corpus.join("events").join(log), options);
    let mut got = BTreeMap::new();
    for (_, outcome) in &outcomes {
        *got.entry(outcome.as_str()).or_insert(0) += 1;
    }
    assert_eq!(got, counts.iter().copied().collect(), "{spec} {options:?}");
    let others = outcomes.into_iter().filter(|(_, outcome)| outcome != "pass");
    others.map(|(session, _)| session).collect()
}

/// Every command of a page prints the output shown after it. Commands on the corpus are left out where
/// it is missing.
fn page(name: &str, commands: usize) {
    let text = std::fs::read_to_string(root().join(name)).expect("the page is there");
    let blocks = shown(&text);
    assert_eq!(blocks.len(), commands, "{name}");
    for (command, lines) in blocks {
        let place = match command.contains(CORPUS) {
            false => String::new(),
            true => match common::corpus() {
                Some(corpus) => format!("{}/", corpus.display()),
                None => continue,
            },
        };
        let words: Vec<String> =
            command.split_whitespace().skip(1).map(|word| word.replace(CORPUS, &place)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = multitrace_in(Some(&root()), &words, &[]);
        let out = if place.is_empty() { run.out } else { run.out.replace(&place, CORPUS) };
        let printed: Vec<String> = out.lines().map(without_times).collect();
        if let Err(difference) = shows(&lines, &printed) {
            panic!("{name}: {command}: {difference}\nin\n{}{}", printed.join("\n"), run.err);
        }
    }
}

const TLS: (&str, &str, &str) = ("tls/tls.hif", "tls/tls.toml", "tls");

#[test]
fn tls() {
    made_up(
        TLS.0,
        TLS.1,
        "tls/messages.jsonl",
        &[
            ("full handshake", "pass"),
            ("client certificate", "pass"),
            ("resumed", "pass"),
            ("refused", "pass"),
            ("warned", "pass"),
            ("false start", "pass"),
            ("tls 1.3", "pass"),
            ("tls 1.3 early data", "pass"),
            ("tls 1.3 alert in flight", "pass"),
            ("not closed", "local"),
            ("keys not changed", "local"),
            ("begun before the capture", "local"),
        ],
    );
}

#[test]
fn tls_of_the_corpus() {
    let cut =
        of_corpus(TLS, &["--observe", "prefix"], &[("local", 1), ("pass", 24), ("weak_pass", 6)]);
    let whole = of_corpus(TLS, &[], &[("local", 7), ("pass", 24)]);
    assert_eq!(cut, whole);
}

#[test]
fn the_page_on_tls() {
    page("examples/tls/README.md", 4);
}

#[test]
fn hdfs() {
    made_up(
        "hdfs/write.hif",
        "hdfs/write.toml",
        "hdfs/hdfs.log",
        &[
            ("-8210447113302765519", "pass"),
            ("4410928390415587231", "pass"),
            ("7002185533097461118", "local"),
            ("-1530019284477360092", "local"),
            ("9914450071236604812", "local"),
        ],
    );
}

/// The same sessions pass if nothing tells the order within a second, nor the number of a node.
#[test]
fn hdfs_by_the_second() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(root().join("examples/hdfs/write.toml")).expect("a mapping");
    assert!(text.contains("ties = \"file\""));
    let any = folder.file("any.toml", &text.replace("ties = \"file\"", "ties = \"any\""));
    let log = root().join("examples/hdfs/hdfs.log");
    let got = outcomes("hdfs/write.hif", &any, &log, &[]);
    let passing = got.iter().filter(|(_, outcome)| outcome == "pass");
    let passing: Vec<&str> = passing.map(|(session, _)| session.as_str()).collect();
    assert_eq!(passing, ["-8210447113302765519", "4410928390415587231"]);
    assert_eq!(got.len(), 5);
}

#[test]
fn the_page_on_hdfs() {
    page("examples/hdfs/README.md", 2);
}

#[test]
fn lock() {
    made_up(
        "lock/lock.hif",
        "lock/lock.toml",
        "lock/lockd.log",
        &[
            ("orders", "pass"),
            ("stock", "pass"),
            ("mail", "pass"),
            ("prices", "local"),
            ("audit", "local"),
        ],
    );
}

#[test]
fn the_page_on_the_lock_service() {
    page("examples/lock/README.md", 1);
}

const OPENSTACK: (&str, &str, &str) = ("openstack/boot.hif", "openstack/boot.toml", "openstack");

#[test]
fn openstack() {
    let got = outcomes(OPENSTACK.0, OPENSTACK.1, &root().join("examples/openstack/nova.log"), &[]);
    let outcomes: Vec<&str> = got.iter().map(|(_, outcome)| outcome.as_str()).collect();
    assert_eq!(outcomes, ["pass", "pass", "local", "local", "local", "pass"]);
}

#[test]
fn openstack_of_the_corpus() {
    let cut = of_corpus(OPENSTACK, &["--observe", "slice"], &[("pass", 20), ("weak_pass", 2)]);
    let whole = of_corpus(OPENSTACK, &[], &[("local", 2), ("pass", 20)]);
    assert_eq!(cut, whole);
}

#[test]
fn the_page_on_openstack() {
    page("examples/openstack/README.md", 2);
}

/// The memory and the threads change nothing where records are joined and spilled.
#[test]
fn joined_sessions_are_the_same_in_little_memory() {
    let run = |options: &[&str]| {
        let log = root().join("examples/openstack/nova.log");
        outcomes(OPENSTACK.0, OPENSTACK.1, &log, options)
    };
    let expected = run(&[]);
    for options in [["--memory", "1KiB", "--jobs", "1"], ["--memory", "16KiB", "--jobs", "4"]] {
        assert_eq!(run(&options), expected, "{options:?}");
    }
}

const SHIVIZ: (&str, &str, &str) = ("shiviz/broadcast.hif", "shiviz/broadcast.toml", "shiviz");

#[test]
fn shiviz() {
    made_up(
        SHIVIZ.0,
        SHIVIZ.1,
        "shiviz/relay.log",
        &[
            ("relay 1", "pass"),
            ("relay 2", "pass"),
            ("relay 3", "pass"),
            ("relay 4", "local"),
            ("relay 5", "local"),
        ],
    );
}

#[test]
fn shiviz_of_the_corpus() {
    of_corpus(SHIVIZ, &[], &[("pass", 4)]);
}

#[test]
fn the_page_on_shiviz() {
    page("examples/shiviz/README.md", 2);
}

#[test]
fn spans() {
    let log = root().join("examples/spans/spans.json");
    let got = outcomes("spans/checkout.hif", "spans/checkout.toml", &log, &[]);
    let outcomes: Vec<&str> = got.iter().map(|(_, outcome)| outcome.as_str()).collect();
    assert_eq!(outcomes, ["pass", "pass", "local", "local", "pass"]);
}

#[test]
fn the_page_on_spans() {
    page("examples/spans/README.md", 1);
}

#[test]
fn sip() {
    made_up(
        "sip/call.hif",
        "sip/call.toml",
        "sip/capture.txt",
        &[
            ("3c26-71@10.0.0.21", "pass"),
            ("88d0-02@10.0.0.5", "pass"),
            ("91aa-17@10.0.0.21", "pass"),
            ("4471-09@10.0.0.30", "pass"),
            ("0b1e-55@10.0.0.21", "local"),
            ("77f3-40@10.0.0.5", "local"),
            ("c0de-13@10.0.0.30", "local"),
        ],
    );
}

#[test]
fn the_page_on_sip() {
    page("examples/sip/README.md", 1);
}

#[test]
fn xes() {
    let expected = |claim_3| {
        let others = [("claim-1", "pass"), ("claim-2", "pass"), ("claim-3", claim_3)];
        let others = others.into_iter().chain([("claim-4", "local"), ("claim-5", "local")]);
        others.map(|(id, outcome)| (id.to_owned(), outcome.to_owned())).collect::<Vec<_>>()
    };
    let log = root().join("examples/xes/claims.xes");
    let check = |options: &[&str]| outcomes("xes/claims.hif", "xes/claims.toml", &log, options);
    assert_eq!(check(&[]), expected("pass"));
    assert_eq!(check(&["--locations", "clerk,expert,manager"]), expected("local"));
}

#[test]
fn the_page_on_xes() {
    page("examples/xes/README.md", 2);
}

#[test]
fn broker() {
    made_up(
        "broker/connection.hif",
        "broker/connection.toml",
        "broker/*.log",
        &[("sensor-7", "pass"), ("gate-2", "pass"), ("pump-1", "local"), ("valve-3", "central")],
    );
}

#[test]
fn the_page_on_a_broker() {
    page("examples/broker/README.md", 1);
}

const SHOP: (&str, &str, &str) = ("shop/shop.hif", "shop/shop.toml", "nezha");

#[test]
fn shop() {
    made_up(
        SHOP.0,
        SHOP.1,
        "shop/spans.csv",
        &[
            ("redirection", "pass"),
            ("added", "pass"),
            ("home", "pass"),
            ("nothing-added", "local"),
            ("cart-not-reached", "inconclusive"),
            ("price-lost", "central"),
            ("ordered", "pass"),
            ("ordered-six", "pass"),
            ("ordered-traced", "pass"),
            ("charged-twice", "local"),
            ("never-shipped", "local"),
        ],
    );
}

#[test]
fn shop_of_the_corpus() {
    of_corpus(SHOP, &[], &[("pass", 502)]);
}

#[test]
fn the_page_on_the_shop() {
    page("examples/shop/README.md", 2);
}

#[test]
fn zipkin() {
    let run = |name: &str, expected: &[(&str, &str)]| {
        let (spec, log) = (format!("zipkin/{name}.hif"), format!("zipkin/{name}.json"));
        made_up(&spec, "zipkin/zipkin.toml", &log, expected);
    };
    run("queue", &[("taken", "pass"), ("left in the queue", "inconclusive")]);
    let topics =
        [("two", "pass"), ("one came back", "local"), ("serviceb got one twice", "central")];
    run("topics", &topics);
    let updates =
        [("mobile_api not called", "local"), ("without", "pass"), ("with a transaction", "pass")];
    run("location-update", &updates);
}

#[test]
fn zipkin_of_the_corpus() {
    for (spec, log) in [
        ("zipkin/queue.hif", "zipkin/messaging.json"),
        ("zipkin/location-update.hif", "zipkin/yelp.json"),
        ("zipkin/topics.hif", "zipkin/messaging-kafka.json"),
    ] {
        of_corpus((spec, "zipkin/zipkin.toml", log), &[], &[("pass", 1)]);
    }
}

#[test]
fn the_page_on_zipkin() {
    page("examples/zipkin/README.md", 5);
}

const ELECTION: (&str, &str, &str) = ("raft/election.hif", "raft/election.toml", "raft");
const HEARTBEATS: (&str, &str, &str) = ("raft/heartbeats.hif", "raft/heartbeats.toml", "raft");

#[test]
fn raft() {
    let terms = [("term 7", "pass"), ("term 8", "pass"), ("term 9", "local"), ("term 10", "inter")];
    made_up(ELECTION.0, ELECTION.1, "raft/events.jsonl", &terms);
    let pairs = [("2 leads 1", "pass"), ("2 leads 3", "pass"), ("2 leads 4", "local")];
    made_up(HEARTBEATS.0, HEARTBEATS.1, "raft/events.jsonl", &pairs);
}

#[test]
fn raft_of_the_corpus() {
    of_corpus(ELECTION, &[], &[("pass", 1)]);
    of_corpus(HEARTBEATS, &[], &[("pass", 9)]);
}

#[test]
fn the_page_on_raft() {
    page("examples/raft/README.md", 4);
}

#[test]
fn orders() {
    made_up(
        "orders/orders.mmd",
        "orders/orders.toml",
        "orders/orders.jsonl",
        &[("r-1001", "pass"), ("r-1002", "pass"), ("r-1003", "local"), ("r-1004", "pass")],
    );
}

#[test]
fn the_page_on_logs_of_three_services() {
    page("examples/deployment/README.md", 1);
}

#[test]
fn the_tutorial() {
    page("docs/tutorial.md", 6);
}

/// The diagrams beside the examples are those of their specifications.
#[test]
fn diagrams_beside_specifications_are_what_convert_writes() {
    let (mut diagrams, examples) = (0, root().join("examples"));
    for folder in std::fs::read_dir(&examples).expect("examples").flatten() {
        for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let (spec, diagram) = (file.path(), file.path().with_extension("mmd"));
            if spec.extension().is_none_or(|it| it != "hif") || !diagram.exists() {
                continue;
            }
            let spec = spec.display().to_string();
            let converted = multitrace_in(None, &["convert", &spec, "--to", "mermaid", "-q"], &[]);
            let written = std::fs::read_to_string(&diagram).expect("a diagram");
            assert_eq!(converted.out, written, "{spec}");
            diagrams += 1;
        }
    }
    assert_eq!(diagrams, 14);
}
