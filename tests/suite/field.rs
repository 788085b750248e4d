//! Logs in the shapes that tools write: with mappings of at most 15 lines each has the verdict and the first fault that
//! it should have.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace;
use std::path::PathBuf;

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

/// A specification or a mapping: a file of the folder, or a text.
#[derive(Clone, Copy)]
enum Given {
    File(&'static str),
    Text(&'static str),
}
use Given::{File, Text};

struct Case {
    spec: Given,
    mapping: Given,
    logs: &'static [&'static str],
    options: &'static [&'static str],
    /// How many sessions pass and fail.
    expected: (usize, usize),
    /// What the first fault says.
    first: &'static str,
}

impl Case {
    fn check(&self, files: &Folder, number: usize) {
        let Some(field) = field() else { return };
        let path = |given: Given, name: &str| match given {
            File(name) => field.join(name).display().to_string(),
            Text(text) => files.file(name, text),
        };
        let spec = path(self.spec, &format!("{number}.mmd"));
        let mapping = path(self.mapping, &format!("{number}.toml"));
        let lines = std::fs::read_to_string(&mapping).expect("a mapping").lines().count();
        assert!(matches!(self.mapping, File(_)) || lines <= MOST_LINES, "{lines} lines");
        let logs: Vec<String> =
            self.logs.iter().map(|log| field.join(log).display().to_string()).collect();
        let mut args = vec!["check", &spec];
        args.extend(logs.iter().map(String::as_str));
        args.extend(["--events", &mapping]);
        args.extend(self.options);
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
        let first = run.out.lines().find(|line| line.starts_with("MT")).unwrap_or_default();
        assert!(first.contains(self.first), "{what}");
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

/// What a server reads and writes is in two files, and nothing tells their order.
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

const UNLOGGED_CP: &[&str] = &["--unlogged", "CP!*, CP?*"];

#[test]
fn logs_of_tools_have_the_verdicts_and_first_faults_that_they_should() {
    let all = [
        Case {
            spec: File("jaeger/spec.mmd"),
            mapping: Text(JAEGER),
            logs: &["jaeger/ride.json"],
            options: &[],
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: Text(GRAPH),
            mapping: Text(JAEGER),
            logs: &["jaeger/graph.json"],
            options: &[],
            expected: (0, 1),
            first: "op3: received by service2, never sent",
        },
        Case {
            spec: File("ocpp/ocpp.md"),
            mapping: Text(OCPP),
            logs: &["ocpp/good.log"],
            options: UNLOGGED_CP,
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: File("ocpp/ocpp.md"),
            mapping: Text(OCPP),
            logs: &["ocpp/ha.log"],
            options: UNLOGGED_CP,
            expected: (0, 1),
            first: "CS!GetConfiguration.req",
        },
        Case {
            spec: File("lsp/lsp.mmd"),
            mapping: Text("[input]\nformat = \"lsp\"\n"),
            logs: &["lsp/jdtls.log"],
            options: &["--unlogged", "S"],
            expected: (0, 1),
            first: "C?window/logMessage",
        },
        Case {
            spec: Text(ITEM),
            mapping: Text(OCEL),
            logs: &["ocel/ocel.json"],
            options: &[],
            expected: (2, 0),
            first: "",
        },
        Case {
            spec: Text(ITEM),
            mapping: Text(OCEL_LINES),
            logs: &["ocel/ocel.jsonl"],
            options: &[],
            expected: (2, 0),
            first: "",
        },
        Case {
            spec: File("tshark/dhcp.mmd"),
            mapping: Text(DHCP),
            logs: &["tshark/dhcp.ek"],
            options: &[],
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: File("k8s-audit/pod.mmd"),
            mapping: File("k8s-audit/map.toml"),
            logs: &["k8s-audit/audit.log"],
            options: &["--unlogged", "controller, scheduler, kubelet"],
            expected: (1, 1),
            first: "api?create binding is missing",
        },
        Case {
            spec: File("fdb-xml/commit.mmd"),
            mapping: File("fdb-xml/map.toml"),
            logs: &["fdb-xml/trace.xml"],
            options: &[
                "--unlogged",
                "resolver!resolved, proxy?resolved, proxy!push, tlog?push, tlog!durable",
            ],
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: File("bitcoin/btc.mmd"),
            mapping: File("bitcoin/map.toml"),
            logs: &["bitcoin/debug.log"],
            options: &["--unlogged", "B, A!version"],
            expected: (1, 2),
            first: "A?verack came too early",
        },
        Case {
            spec: File("kafkajs/group.mmd"),
            mapping: File("kafkajs/map.toml"),
            logs: &["kafkajs/k.jsonl"],
            options: &["--unlogged", "k"],
            expected: (0, 1),
            first: "c!Heartbeat",
        },
    ];
    let unordered = [
        Case {
            spec: File("small-ties/spec.mmd"),
            mapping: Text(COARSE),
            logs: &["small-ties/log.csv"],
            options: &[],
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: File("mcp/mcp.md"),
            mapping: Text(MCP),
            logs: &["mcp/stdin.jsonl", "mcp/stdout.jsonl"],
            options: &["--unlogged", "Client"],
            expected: (1, 0),
            first: "",
        },
        Case {
            spec: File("mcp/mcp.md"),
            mapping: Text(MCP),
            logs: &["mcp/bad-stdin.jsonl", "mcp/bad-stdout.jsonl"],
            options: &["--unlogged", "Client"],
            expected: (0, 1),
            first: "Server?",
        },
    ];
    let files = Folder::new();
    for (number, case) in all.iter().chain(&unordered).enumerate() {
        case.check(&files, number);
    }
}

/// The spans of one server, by its own log: nothing of the client is there, and what is there fits.
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
