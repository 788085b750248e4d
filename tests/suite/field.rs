//! Logs in the shapes that tools write: with mappings of at most 15 lines each has the verdict and the first fault that
//! it should have.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace;
use std::path::{Path, PathBuf};

/// The most lines of a mapping.
const MOST_LINES: usize = 15;

/// The folder of these logs, beside the corpus.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn field() -> Option<PathBuf> {
    let folder = common::corpus()?.parent()?.join("field");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no logs at {}", folder.display());
    None
}

/// A specification or a mapping: a file beside the first log, or a text.
#[derive(Clone, Copy)]
enum Given {
    File(&'static str),
    Text(&'static str),
}
use Given::{File, Text};

/// Logs with a specification and a mapping.
struct Case {
    /// The specification and the mapping.
    given: (Given, Given),
    /// With a space between them.
    logs: &'static str,
    /// The events that no log shows, as for `--unlogged`.
    unlogged: Option<&'static str>,
    /// How many sessions pass and fail.
    expected: (usize, usize),
    /// The text that the first fault must have; empty if all sessions pass.
    first: &'static str,
}

const fn case(
    given: (Given, Given),
    logs: &'static str,
    unlogged: Option<&'static str>,
    (expected, first): ((usize, usize), &'static str),
) -> Case {
    Case { given, logs, unlogged, expected, first }
}

impl Case {
    fn check(&self, field: &Path, files: &Folder, number: usize) {
        let path = |given: Given, name: &str| match given {
            File(name) => {
                let log = self.logs.split(' ').next().unwrap_or_default();
                field.join(log).with_file_name(name).display().to_string()
            }
            Text(text) => files.file(name, text),
        };
        let spec = path(self.given.0, &format!("{number}.mmd"));
        let mapping = path(self.given.1, &format!("{number}.toml"));
        let lines = std::fs::read_to_string(&mapping).expect("a mapping").lines().count();
        assert!(lines <= MOST_LINES, "{mapping}: {lines} lines");
        let logs: Vec<String> =
            self.logs.split(' ').map(|log| field.join(log).display().to_string()).collect();
        let mut args = vec!["check", &spec];
        args.extend(logs.iter().map(String::as_str));
        args.extend(["--events", &mapping]);
        args.extend(self.unlogged.into_iter().flat_map(|unlogged| ["--unlogged", unlogged]));
        let run = multitrace(&args);
        let what = format!("{:?}\n{}\n{}", self.logs, run.out, run.err);
        let count = |name: &str| {
            let counts = run.out.lines().filter_map(|line| line.trim().strip_prefix(name));
            counts.filter_map(|it| it.trim().parse::<usize>().ok()).next()
        };
        assert_eq!(
            (count("pass"), count("fail")),
            (Some(self.expected.0), Some(self.expected.1)),
            "{what}"
        );
        // Those of MT0 are remarks on the input.
        let is_fault = |line: &&str| line.starts_with("MT") && !line.starts_with("MT0");
        let first = run.out.lines().find(is_fault).unwrap_or_default();
        assert!(first.contains(self.first), "{what}");
        assert_eq!(first.is_empty(), self.first.is_empty(), "{what}");
        let is_ordered = |text: String| !text.contains("ties = \"any\"");
        if std::fs::read_to_string(&mapping).is_ok_and(is_ordered) {
            self.check_lines(files, (&spec, &mapping, &logs), first);
        }
    }

    /// The sessions as lines have the same counts and the same first fault.
    fn check_lines(
        &self,
        files: &Folder,
        (spec, mapping, logs): (&str, &str, &[String]),
        first: &str,
    ) {
        let mut args = vec!["sessions"];
        args.extend(logs.iter().map(String::as_str));
        let lines = multitrace(&[&args[..], &["--events", mapping]].concat());
        assert_eq!(lines.code, 0, "{}", lines.err);
        let lines = files.file("sessions.jsonl", &lines.out);
        let mut args = vec!["check", spec, &lines];
        args.extend(self.unlogged.into_iter().flat_map(|unlogged| ["--unlogged", unlogged]));
        let run = multitrace(&args);
        for (name, count) in [("pass", self.expected.0), ("fail", self.expected.1)] {
            let line = format!("  {name}{count:>18}");
            assert!(run.out.contains(&line), "{line}\n{}{}", run.out, run.err);
        }
        assert!(run.out.contains(first), "{first}\n{}", run.out);
    }
}

const GRAPH: &str = "sequenceDiagram
    participant service1
    participant service2
    %% multitrace: only these messages
    service1->>service2: op1
    service2-->>service1: op1_return
    service1-)service2: op3
";

const ITEM: &str = "sequenceDiagram
    participant shop
    %% multitrace: local all
    shop->>shop: place order
    opt
        shop->>shop: pick item
    end
    shop->>shop: ship
";

/// Reads and writes of a server are in two files, and nothing tells their order.
const MCP: &str = "[input]
format = \"mcp\"
[event]
ties = \"any\"
[rename.messages]
'/ result$/' = ' response'
";

const COARSE: &str = r#"[event]
session = "s"
lifeline = "node"
direction = { field = "dir", emission = "out", reception = "in" }
message = "msg"
order = "t"
ties = "any"
"#;

const JAEGER: &str = "[input]\nformat = \"jaeger\"\n[spans]\nreturns = true\n";

const OCPP: &str = "[input]\nformat = \"ocpp\"\n";

const OCEL: &str = r#"[input]
records = "events[].relationships[]"
[[keep]]
when = { qualifier = "item" }
[event]
session = "objectId"
lifeline = { text = "shop" }
direction = "emission"
message = "^.type"
order = "^.time"
"#;

const OCEL_LINES: &str = r#"[input]
for-each = "relationships[]"
[[keep]]
when = { "each.qualifier" = "item" }
[event]
session = "each.objectId"
lifeline = { text = "shop" }
direction = "emission"
message = "type"
order = "time"
"#;

const DHCP: &str = r#"[[keep]]
when = { timestamp = { exists = true } }
[event]
session = "layers.dhcp.dhcp_dhcp_hw_mac_addr[0]"
order = "layers.frame.frame_frame_time_epoch"
[[rule]]
when = { "layers.dhcp.dhcp_dhcp_type" = "1" }
actions = ["client!{layers.dhcp.dhcp_dhcp_option_dhcp}", "server?{layers.dhcp.dhcp_dhcp_option_dhcp}"]
[[rule]]
actions = ["server!{layers.dhcp.dhcp_dhcp_option_dhcp}", "client?{layers.dhcp.dhcp_dhcp_option_dhcp}"]
[rename.messages]
"1" = "DHCPDISCOVER"
"2" = "DHCPOFFER"
"3" = "DHCPREQUEST"
"5" = "DHCPACK"
"#;

/// Duplicate keys of tshark: the fields that are read are in the first of them.
const DHCP_JSON: &str = r#"[input]
format = "tshark"
[event]
session = '"_source".layers.dhcp."dhcp.hw.mac_addr"'
[[rule]]
when = { '"_source".layers.dhcp."dhcp.type"' = "1" }
actions = ['client!{"_source".layers.dhcp."dhcp.option.type_tree"."dhcp.option.dhcp"}', 'server?{"_source".layers.dhcp."dhcp.option.type_tree"."dhcp.option.dhcp"}']
[[rule]]
actions = ['server!{"_source".layers.dhcp."dhcp.option.type_tree"."dhcp.option.dhcp"}', 'client?{"_source".layers.dhcp."dhcp.option.type_tree"."dhcp.option.dhcp"}']
[rename.messages]
"1" = "DHCPDISCOVER"
"2" = "DHCPOFFER"
"3" = "DHCPREQUEST"
"5" = "DHCPACK"
"#;

/// A candidate that is not a leader is one of the others.
const ZEEBE: &str = r#"role = [
    { lifeline = "leader", field = "node", when = { state = "LEADER" } },
    { lifeline = "n{n}", most = 4, field = "node" },
]
[input]
patterns = ['^%{clock:time} \[(?<node>[\w-]+)\].*Transitioned to state (?<state>LEADER|CANDIDATE) in term (?<term>\d+)']
[event]
session = "term {term}"
order = { field = "time", format = "%H:%M:%S%.f" }
ties = "file"
lifeline = "node"
direction = "emission"
message = "state"
"#;

const CCF: &str = r#"drop = [{ when = { "msg.event.function" = ["add_configuration", "become_follower"] } }]
role = [{ lifeline = "L", field = "msg.node", when = { "msg.event.function" = "become_candidate" } },
        { lifeline = "f{n}", most = 2, field = "msg.node" }]
[event]
session = { text = "run" }
lifeline = "msg.node"
direction = { field = "msg.event.function", emission = "/^(become|send)_/", reception = "/^recv_/" }
message = "msg.event.function"
order = "h_ts"
[rename.messages]
"send_authenticated" = "append_entries"
'/^(send|recv)_request_vote_response$/' = "vote"
'/^(send|recv)_append_entries_response$/' = "append_entries_ok"
'/^(send|recv)_/' = ""
"#;

/// The events of a charge point are in no log.
const CP: Option<&str> = Some("CP!*, CP?*");

/// Events of a commit that have no record.
const UNLOGGED_COMMIT: Option<&str> =
    Some("resolver!resolved, proxy?resolved, proxy!push, tlog?push, tlog!durable");

/// What arrives has three forms.
const BITCOIN: &str = r#"[input]
patterns = [
    '^%{iso-time:time} (?<dir>sending|received:) (?<msg>\w+) \(%{int} bytes\) peer=(?<peer>\d+)',
    '^%{iso-time:time} (?<dir>ProcessMessages)\((?<msg>\w+),.* peer=(?<peer>\d+)',
    '^%{iso-time:time} (?<dir>receive) (?<msg>version) message:.* peer=(?<peer>\d+)',
]
[event]
session = "peer"
lifeline = { text = "A" }
direction = { field = "dir", emission = "sending", reception = "/^receive|^ProcessMessages/" }
message = "msg"
order = "time"
ties = "file"
"#;

/// An answer with an error has a second record at another level.
const KAFKA: &str = r#"match = [{ field = "message", patterns = ['^\[Connection\] (?<way>\w+) (?<api>\w+)\('] }]
drop = [{ when = [{ way = { exists = false } }, { level = "DEBUG", error = { exists = true } }] }]
rule = [
    { when = { way = "Request" }, direction = "emission", message = "api" },
    { when = { error = { exists = true } }, direction = "reception", message = "{api} error" },
    { direction = "reception", message = "{api} ok" },
]
[event]
session = "clientId"
lifeline = { text = "c" }
order = "timestamp"
"#;

/// A record of the proxy is two events.
const FDB: &str = r#"rule = [
    { when = { at = "NativeAPI.commit.Before" }, actions = ["client!commit"] },
    { when = { at = "NativeAPI.commit.After" }, actions = ["client?committed"] },
    { when = { at = "/^MasterProxy.*Before$/" }, actions = ["proxy?commit", "proxy!resolve"] },
    { when = { at = "/^MasterProxy.*AfterLogPush$/" }, actions = ["proxy?durable", "proxy!committed"] },
    { when = { at = "/^Resolver.*Before$/" }, actions = ["resolver?resolve"] },
    { when = { at = "/^Resolver.*After$/" }, actions = ["resolver!resolved"] },
    { when = { at = "/^TLog.*Before/" }, actions = ["tlog?push"] },
    { when = { at = "/^TLog.*After$/" }, actions = ["tlog!durable"] },
]
[input]
patterns = ['Time="(?<time>[\d.]+)".*Location="(?<at>[\w.]+)".*CommitID="(?<commit>\w+)"']
[event]
session = "commit"
order = "time"
"#;

const PASSES: ((usize, usize), &str) = ((1, 0), "");

static CASES: &[Case] = &[
    case((File("spec.mmd"), Text(JAEGER)), "jaeger/ride.json", None, PASSES),
    case(
        (Text(GRAPH), Text(JAEGER)),
        "jaeger/graph.json",
        None,
        ((0, 1), "op3: received by service2, never sent by service1"),
    ),
    case((File("ocpp.md"), Text(OCPP)), "ocpp/good.log", CP, PASSES),
    case((File("ocpp.md"), Text(OCPP)), "ocpp/ha.log", CP, ((0, 1), "CS!GetConfiguration.req")),
    case(
        (File("lsp.mmd"), Text("[input]\nformat = \"lsp\"\n")),
        "lsp/jdtls.log",
        Some("S"),
        ((0, 1), "C?window/logMessage"),
    ),
    case((Text(ITEM), Text(OCEL)), "ocel/ocel.json", None, ((2, 0), "")),
    case((Text(ITEM), Text(OCEL_LINES)), "ocel/ocel.jsonl", None, ((2, 0), "")),
    case((File("dhcp.mmd"), Text(DHCP)), "tshark/dhcp.ek", None, PASSES),
    case((File("dhcp.mmd"), Text(DHCP_JSON)), "tshark/dhcp.json", None, PASSES),
    case((File("term2.mmd"), Text(ZEEBE)), "zeebe-raft/raft.log", None, ((1, 1), "n1!LEADER")),
    case((File("term2.mmd"), Text(ZEEBE)), "zeebe-raft/loser.log", None, PASSES),
    case((File("spec3.mmd"), Text(CCF)), "ccf/election.ndjson", None, PASSES),
    case(
        (File("spec3.mmd"), Text(CCF)),
        "ccf/early-leader.ndjson",
        None,
        ((0, 1), "L!become_leader came too early"),
    ),
    case(
        (File("btc.mmd"), Text(BITCOIN)),
        "bitcoin/debug.log",
        Some("B, A!version"),
        ((1, 2), "A?verack came too early"),
    ),
    case((File("group.mmd"), Text(KAFKA)), "kafkajs/k.jsonl", Some("k"), ((0, 1), "c!Heartbeat")),
    case((File("commit.mmd"), Text(FDB)), "fdb-xml/trace.xml", UNLOGGED_COMMIT, PASSES),
    case((File("spec.mmd"), Text(COARSE)), "small-ties/log.csv", None, PASSES),
    case((File("mcp.md"), Text(MCP)), "mcp/stdin.jsonl mcp/stdout.jsonl", Some("Client"), PASSES),
    case(
        (File("mcp.md"), Text(MCP)),
        "mcp/bad-stdin.jsonl mcp/bad-stdout.jsonl",
        Some("Client"),
        ((0, 1), "Server?tools/list came at Server in place of Server?notifications/initialized"),
    ),
];

/// The same of files alone, a line each: the specification, the mapping and the log; the events that no log shows; how
/// many sessions pass and fail; the text of the first fault.
const OF_FILES: &str = r"three.mmd three.toml small-order/three.jsonl |  | 0 1 | server!read is missing
spec.mmd map.toml small-role/log.jsonl |  | 0 1 | (server = 10.0.0.9)
box.mmd box.toml small-box/box_events.jsonl |  | 1 0 |
spec.mmd map.toml otlp-example/trace.json | client | 1 0 |
pod.mmd map.toml k8s-audit/audit.log | controller, scheduler, kubelet | 1 1 | api?create binding is missing";

fn case_of_files(line: &'static str) -> Case {
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let [files, unlogged, counts, first] = parts[..] else { panic!("four parts: {line}") };
    let files: Vec<&str> = files.splitn(3, ' ').collect();
    let counts: Vec<usize> = counts.split(' ').map(|it| it.parse().expect("a number")).collect();
    let unlogged = (!unlogged.is_empty()).then_some(unlogged);
    case((File(files[0]), File(files[1])), files[2], unlogged, ((counts[0], counts[1]), first))
}

#[test]
fn logs_of_tools_have_the_verdicts_and_first_faults_that_they_should() {
    let Some(field) = field() else { return };
    let files = Folder::new();
    let of_files: Vec<Case> = OF_FILES.lines().map(case_of_files).collect();
    for (number, case) in CASES.iter().chain(&of_files).enumerate() {
        case.check(&field, &files, number);
    }
}

/// The spans of one server, by its own log: events of the client are missing, and the others fit.
#[test]
fn traces_of_tempo_are_read_whatever_is_around_them() {
    let names = ["a", "ils", "kindstring", "tempo-batches", "tempo-v2", "wrapped"];
    let Some(field) = field() else { return };
    let path = |name: &str| field.join("tempo-variants").join(name).display().to_string();
    for name in names {
        let log = path(&format!("{name}.json"));
        let args = [&path("spec.mmd"), &log, "--events", &path("map.toml"), "--unlogged", "client"];
        let run = multitrace(&[&["check"][..], &args].concat());
        assert_eq!(run.code, 0, "{name}\n{}{}", run.out, run.err);
        assert!(run.out.contains("pass                 1"), "{name}\n{}", run.out);
    }
}

/// A diagram as it was published, with a note where anything else happens.
#[test]
fn a_published_diagram_judges_the_messages_that_it_has() {
    let Some(field) = field() else { return };
    let path = |name: &str| field.join("mcp").join(name).display().to_string();
    let (spec, sessions) = (path("published.md"), path("session.jsonl"));
    let run = multitrace(&["check", &spec, &sessions, "--unjudged", "all"]);
    for text in ["  pass                 1\n", "Client!initialized notification is missing"] {
        assert!(run.out.contains(text), "{}{}", run.out, run.err);
    }
}

/// The session is a part of a text.
#[test]
fn sessions_are_found_in_the_text_of_a_journal() {
    let Some(field) = field() else { return };
    let files = Folder::new();
    let mapping = files.file(
        "map.toml",
        r#"[input]
format = "journald"
[event]
session = { field = "MESSAGE", match = 'at term (\d+)' }
lifeline = "_HOSTNAME"
direction = { field = "MESSAGE", emission = "/ sent /", reception = "/ received /" }
message = { field = "MESSAGE", match = 'Msg\w+' }
"#,
    );
    let log = field.join("journald-json/j.jsonl").display().to_string();
    let run = multitrace(&["map", "--explain", &log, "--events", &mapping]);
    for event in
        ["n1?MsgVote  in session 3", "n1!MsgVoteResp  in session 3", "n2!MsgVote  in session 3"]
    {
        assert!(run.out.contains(event), "{}{}", run.out, run.err);
    }
}

/// Records of these logs become events of their sessions.
#[test]
fn records_become_events_of_their_sessions() {
    let Some(field) = field() else { return };
    let path = |name: &str| field.join(name).display().to_string();
    let lines = |log: &str, mapping: &str| {
        multitrace(&["sessions", &path(log), "--events", &path(mapping)])
    };
    let others = lines("small-others/log.csv", "small-others/map.toml");
    for lifeline in ["leader!initiate", "leader!deliver", "peer1!deliver", "peer2!deliver"] {
        assert!(others.out.contains(lifeline), "{lifeline} {}{}", others.out, others.err);
    }
    for mapping in ["small-parent/map.toml", "small-parent/map_ok.toml"] {
        let parent = lines("small-parent/log.csv", mapping);
        assert!(parent.out.contains("\"session\":\"t1\""), "{}{}", parent.out, parent.err);
        assert!(parent.out.contains("web!/api/list"), "{}", parent.out);
    }
    let double = lines("tshark/dupkeys.jsonl", "tshark/dup.toml");
    assert_eq!(double.code, 2);
    assert!(double.err.contains("stands twice"), "{}", double.err);
}
