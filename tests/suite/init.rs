//! Proposals of `map --init` for logs of many kinds: each part of an event is right or asked for, and never wrong.

use crate::common;
use crate::common::run::multitrace;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A log, and for each part the texts one of which a right line of its proposal has. A part
/// without texts is one that nothing in the log tells.
struct LogCase {
    path: &'static str,
    parts: [&'static [&'static str]; 4],
}

const PARTS: [&str; 4] = ["session", "lifeline", "direction", "message"];

const fn log(path: &'static str, parts: [&'static [&'static str]; 4]) -> LogCase {
    LogCase { path, parts }
}

/// All parts are those of a preset or of spans.
const fn known(path: &'static str, format: &'static [&'static str]) -> LogCase {
    log(path, [format; 4])
}

const JAEGER: &[&str] = &["format = \"jaeger\""];
const TEMPO: &[&str] = &["format = \"tempo\""];
const SPANS: &[&str] = &["[spans]"];
/// Directions of templates of text, told by words.
const WORDS: &[&str] = &["means an emission", "an arrow leads"];

static LOGS: &[LogCase] = &[
    log("field/bitcoin/debug.log", [&["session = \"peer\""], &[], WORDS, &["version"]]),
    log(
        "field/bitcoin/alnum-ids.log",
        [&["session = \"peer\""], &[], WORDS, &["text = \"version"]],
    ),
    log(
        "field/bitcoin/numeric-ids.log",
        [&["session = \"peer\""], &[], WORDS, &["text = \"version"]],
    ),
    log(
        "field/ccf/election.ndjson",
        [&[], &["lifeline = \"msg.node\""], &[], &["message = \"msg.event.function\""]],
    ),
    log("field/fdb-xml/trace.xml", [&["session = \"commitid\""], &[], &[], &["{location}"]]),
    known("field/jaeger/ride.json", JAEGER),
    known("field/jaeger/graph.json", JAEGER),
    log(
        "field/jaeger/ride.jsonl",
        [
            &["session = \"traceID\""],
            &["lifeline = \"service\""],
            &["kind = \"kind\""],
            &["{callee.operationName}"],
        ],
    ),
    log(
        "field/jaeger/graph.jsonl",
        [
            &["session = \"traceID\""],
            &["lifeline = \"service\""],
            &["kind = \"kind\""],
            &["{callee.operationName}"],
        ],
    ),
    log("field/journald-json/j.jsonl", [&[], &["lifeline = \"_HOSTNAME\""], &[], &[]]),
    known("field/k8s-audit/audit.log", &["format = \"k8s-audit\""]),
    log("field/kafkajs/k.jsonl", [&["session = \"clientId\""], &[], &[], &[]]),
    known("field/lsp/jdtls.log", &["format = \"lsp\""]),
    known("field/mcp/stdin.jsonl", &["format = \"mcp\""]),
    log("field/ocel/ocel.json", [&["session = \"objectId\""], &[], &[], &["message = \"^.type\""]]),
    log("field/ocel/ocel.jsonl", [&[], &[], &[], &["message = \"type\""]]),
    known("field/ocpp/ha.log", &["format = \"ocpp\""]),
    known("field/ocpp/good.log", &["format = \"ocpp\""]),
    known("field/otlp-example/trace.json", SPANS),
    log(
        "field/otlp-example/logs.json",
        [&["session = \"trace_id\""], &["lifeline = \"resource.service.name\""], &[], &[]],
    ),
    known("field/tempo-variants/tempo-batches.json", TEMPO),
    known("field/tempo-variants/tempo-v2.json", TEMPO),
    known("field/tempo-variants/wrapped.json", SPANS),
    log(
        "field/small-init/lock.txt",
        [&["session = \"lockid\"", "session = \"clientid\""], &[], &[], &["{messagetype}"]],
    ),
    log(
        "field/small-order/three.jsonl",
        [
            &["session = \"id\""],
            &["lifeline = \"at\""],
            &["field = \"way\""],
            &["message = \"msg\""],
        ],
    ),
    log(
        "field/small-order/log.jsonl",
        [&["session = \"id\""], &["{from}!", "{to}?"], &["{from}!"], &["!{msg}"]],
    ),
    log(
        "field/small-role/log.jsonl",
        [&["session = \"id\""], &["{src}!"], &["{src}!"], &["!{msg}"]],
    ),
    log(
        "field/small-box/box_events.jsonl",
        [&["session = \"s\""], &["lifeline = \"svc\""], &["field = \"d\""], &["message = \"m\""]],
    ),
    log(
        "field/small-parent/log.csv",
        [&["session = \"t\""], &["lifeline = \"pod\""], &[], &["message = \"op\""]],
    ),
    log(
        "field/small-ties/log.csv",
        [
            &["session = \"s\""],
            &["lifeline = \"node\""],
            &["field = \"dir\""],
            &["message = \"msg\""],
        ],
    ),
    known("field/tshark/dhcp.json", &["format = \"tshark\""]),
    known("field/tshark/dhcp.ek", &["format = \"tshark\""]),
    log("field/tshark/dupkeys.jsonl", [&[], &[], &["field = \"d\""], &[]]),
    log(
        "field/zeebe-raft/raft.log",
        [&["session = \"term\""], &["lifeline: `default`"], WORDS, &["_{state}"]],
    ),
    log("examples/broker/broker.log", [&[], &[], WORDS, &["\"CONNACK\" }"]]),
    log("examples/broker/clients.log", [&[], &["lifeline: `source`"], WORDS, &["?CONNACK"]]),
    log("examples/hdfs/hdfs.log", [&["session = \"blk\""], &[], WORDS, &["block"]]),
    log(
        "examples/lock/lockd.log",
        [&["session = \"lock\""], &["lifeline: `source`"], WORDS, &["GRANTED"]],
    ),
    log(
        "examples/openstack/nova.log",
        [&["session = \"instance\""], &["lifeline: `nova`"], &[], &["VM_"]],
    ),
    log(
        "examples/shiviz/relay.log",
        [&["session = \"datamessage\""], &["lifeline: `path`"], WORDS, &["ACK"]],
    ),
    log(
        "examples/sip/capture.txt",
        [&["session = \"call_id\""], &["{address}!"], WORDS, &["INVITE"]],
    ),
    log(
        "examples/shop/spans.csv",
        [
            &["session = \"TraceID\""],
            &["lifeline = \"PodName\""],
            &[],
            &["message = \"OperationName\""],
        ],
    ),
    log(
        "examples/raft/events.jsonl",
        [&[], &["lifeline = \"event.nid\""], &[], &["message = \"event.name\""]],
    ),
    log(
        "examples/tls/messages.jsonl",
        [&["session = \"session\""], &["{src}!"], &["{src}!"], &["!{msg}"]],
    ),
    known("examples/spans/spans.json", SPANS),
    log(
        "examples/observation/cut.jsonl",
        [
            &["session = \"id\""],
            &["lifeline = \"at\""],
            &["field = \"dir\""],
            &["message = \"msg\""],
        ],
    ),
    known("examples/zipkin/queue.json", SPANS),
    log(
        "examples/xes/claims.xes",
        [
            &["session = \"trace.concept:name\""],
            &["lifeline = \"org:role\""],
            &[],
            &["message = \"concept:name\""],
        ],
    ),
    log(
        "corpus/events/openstack/OpenStack_2k.log",
        [&["session = \"req\"", "session = \"instance\""], &["lifeline: `nova`"], &[], &["VM_"]],
    ),
    log(
        "corpus/events/shiviz/reliable-broadcast.log",
        [&["session = \"datamessage\""], &["lifeline: `path`"], WORDS, &["ACK"]],
    ),
    log(
        "corpus/events/raft/example.ndjson",
        [&[], &["lifeline = \"event.nid\""], &[], &["message = \"event.name\""]],
    ),
    log(
        "corpus/events/tls/tls1_1.jsonl",
        [&["session = \"session\""], &["{src}!"], &["{src}!"], &["!{msg}"]],
    ),
    log(
        "corpus/events/nezha/online-boutique-17_00.csv",
        [
            &["session = \"TraceID\""],
            &["lifeline = \"PodName\""],
            &[],
            &["message = \"OperationName\""],
        ],
    ),
];

/// Where a log is, if it is there: beside this tree, or in it.
fn find(log: &str) -> Option<PathBuf> {
    let path = match log.split_once('/')? {
        ("examples", _) => Path::new(env!("CARGO_MANIFEST_DIR")).join(log),
        ("corpus", rest) => common::corpus()?.join(rest),
        _ => common::corpus()?.parent()?.join(log),
    };
    path.is_file().then_some(path)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    Right,
    Asked,
    Wrong,
}

/// The answer of a proposal for a part.
fn outcome(proposal: &str, part: &str, right: &[&str]) -> Guess {
    let is_asked = |line: &str| line.contains(&format!("{part}? "));
    let is_answer =
        |line: &&str| !line.starts_with("# ") || line.contains(": ") && !line.contains("? ");
    let says =
        proposal.lines().filter(is_answer).any(|line| right.iter().any(|it| line.contains(it)));
    match (says, proposal.lines().any(is_asked)) {
        (true, _) => Guess::Right,
        (false, true) => Guess::Asked,
        (false, false) => Guess::Wrong,
    }
}

#[test]
fn a_part_of_a_proposal_is_right_or_asked_for() {
    let (mut table, mut counts, mut wrong) = (String::new(), [0; 3], Vec::new());
    for LogCase { path, parts } in LOGS {
        let Some(file) = find(path) else {
            println!("skipped: no {path}");
            continue;
        };
        let run = multitrace(&["map", "--init", &file.display().to_string()]);
        assert_eq!(run.code, 0, "{path}: {}", run.err);
        let _ = write!(table, "{path}:");
        for (part, right) in PARTS.iter().zip(parts) {
            let outcome = outcome(&run.out, part, right);
            let _ = write!(table, " {part} {outcome:?}");
            counts[outcome as usize] += 1;
            if outcome == Guess::Wrong {
                wrong.push(format!("{path}: {part}\n{}", run.out));
            }
        }
        table.push('\n');
    }
    let [right, asked, _] = counts;
    println!("{table}right {right}, asked {asked}, wrong {}", wrong.len());
    assert!(wrong.is_empty(), "{table}{}", wrong.join("\n"));
    assert!(right * 10 >= (right + asked) * 6, "{table}");
}
