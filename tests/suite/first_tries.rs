//! Logs as people have them: the proposed mapping, with its questions answered by the lines that stand below them, gives the
//! verdict and the first fault that the log should have.

use crate::answered::answered;
use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace};
use std::fmt::Write;

/// The till of a café orders at the bar, and the bar answers when the drink is ready.
const SPEC: &str = "sequenceDiagram
    participant till
    participant bar
    till->>bar: brew
    bar->>till: ready
";

/// An event of a log: its time in milliseconds, the number of its ticket, who logged it, whether that one sent it, and what.
struct Logged {
    ms: usize,
    ticket: usize,
    who: &'static str,
    is_sent: bool,
    what: &'static str,
}

impl Logged {
    fn id(&self) -> String {
        format!("{:08x}", 0x3f21_4a00 + self.ticket * 7919)
    }

    fn time(&self) -> String {
        format!(
            "2025-06-02T08:{:02}:{:02}.{:03}Z",
            self.ms / 60_000,
            self.ms / 1000 % 60,
            self.ms % 1000
        )
    }

    fn peer(&self) -> &'static str {
        if self.who == "till" { "bar" } else { "till" }
    }

    fn way(&self, sent: &'static str, received: &'static str) -> &'static str {
        if self.is_sent { sent } else { received }
    }
}

/// Nine tickets that overlap. For the fifth one the bar said that it was ready before it was asked.
fn logged() -> Vec<Logged> {
    const STEPS: [(&str, bool, &str); 4] = [
        ("till", true, "brew"),
        ("bar", false, "brew"),
        ("bar", true, "ready"),
        ("till", false, "ready"),
    ];
    let event = |ticket: usize, at: usize, step: usize| {
        let (who, is_sent, what) = STEPS[step];
        Logged { ms: ticket * 450 + at * 310 + ticket % 3, ticket, who, is_sent, what }
    };
    let order = |ticket: usize| if ticket == 5 { [0, 2, 1, 3] } else { [0, 1, 2, 3] };
    let mut all: Vec<Logged> = (1..10)
        .flat_map(|ticket| {
            order(ticket).into_iter().enumerate().map(move |(at, step)| event(ticket, at, step))
        })
        .collect();
    all.sort_by_key(|it| it.ms);
    all
}

fn lines(line: impl Fn(&Logged) -> String) -> String {
    logged().iter().fold(String::new(), |text, it| text + &line(it) + "\n")
}

/// The texts of the events of each ticket, with the id of the ticket.
fn by_ticket(text: impl Fn(&Logged) -> String) -> Vec<(String, Vec<String>)> {
    let all = logged();
    let of = |ticket: usize| all.iter().filter(move |it| it.ticket == ticket);
    (1..10)
        .map(|ticket| {
            (of(ticket).map(Logged::id).next().unwrap_or_default(), of(ticket).map(&text).collect())
        })
        .collect()
}

/// The proposal for inputs, answered, with other lines in place of some, and the check with it.
fn tried(folder: &Folder, logs: &[&str], changes: &[(&str, &str)]) -> (String, Run) {
    let proposal = multitrace(&[&["map", "--init"], logs].concat());
    assert_eq!(proposal.code, 0, "{}", proposal.err);
    let mut mapping = answered(&proposal.out);
    for (old, new) in changes {
        assert!(mapping.contains(old), "{old}\n{mapping}");
        mapping = mapping.replace(old, new);
    }
    let spec = folder.file("spec.mmd", SPEC);
    let path = folder.file("map.toml", &mapping);
    (mapping, multitrace(&[&["check", &spec], logs, &["--events", &path]].concat()))
}

/// Eight tickets pass, and the bar was too early for the other one.
fn is_right((mapping, run): &(String, Run)) {
    let what = format!("{mapping}\n{}{}", run.out, run.err);
    assert!(run.out.contains("  pass                 8\n  fail                 1\n"), "{what}");
    let first = run.out.lines().find(|line| line.starts_with("MT1")).unwrap_or_default();
    assert!(first.contains("bar!ready came too early at bar"), "{what}");
}

/// Checks a log in one file with its proposal, in which texts must stand.
fn check(name: &str, log: &str, wanted: &[&str], changes: &[(&str, &str)]) {
    let folder = Folder::new();
    let log = folder.file(name, log);
    let tried = tried(&folder, &[&log], changes);
    wanted.iter().for_each(|text| assert!(tried.0.contains(text), "{text}\n{}", tried.0));
    is_right(&tried);
}

fn object(it: &Logged) -> String {
    format!(
        r#"{{"at":"{}","service":"{}","way":"{}","type":"{}"}}"#,
        it.time(),
        it.who,
        it.way("send", "receive"),
        it.what
    )
}

#[test]
fn lists_with_the_events_of_one_session_each_are_read() {
    let of = |ticket: fn(&(String, Vec<String>)) -> String| {
        by_ticket(object).iter().map(ticket).collect::<Vec<_>>().join(",\n")
    };
    let in_objects = of(|(id, events)| {
        format!(
            r#"{{"ticket":"{id}","createdAt":"2025-06-02T08:00:00Z","steps":[{}]}}"#,
            events.join(",")
        )
    });
    check("a.json", &format!("[{in_objects}]"), &["records = \"steps[]\"", "order = \"at\""], &[]);
    let by_ids = of(|(id, events)| format!("\"{id}\":[{}]", events.join(",")));
    check("b.json", &format!("{{{by_ids}}}"), &["records = \"*[]\"", "session = \"@key\""], &[]);
}

#[test]
fn records_may_be_lists() {
    let pairs = |it: &Logged| {
        let pair = |name: &str, value: &str| format!(r#"{{"field":"{name}","value":"{value}"}}"#);
        let all = [
            pair("@timestamp", it.time().trim_end_matches('Z')),
            pair("service", it.who),
            pair("way", it.way("out", "in")),
            pair("op", it.what),
            pair("ticket", &it.id()),
        ];
        format!("[{}]", all.join(","))
    };
    let all: Vec<String> = logged().iter().map(pairs).collect();
    let document = format!(r#"{{"results":[{}],"status":"Complete"}}"#, all.join(","));
    check(
        "found.json",
        &document,
        &["records = \"results[]\"", "session = \"each[field=ticket].value\""],
        &[],
    );
    let folder = Folder::new();
    let log = folder.file("found.json", &document);
    let text = "[input]\nrecords = \"results[]\"\n[event]\nsession = \"ticket\"\nlifeline = \"service\"\n\
                direction = \"emission\"\nmessage = \"op\"\n";
    let mapping = folder.file("map.toml", text);
    let run = multitrace(&["map", "--explain", &log, "--events", &mapping]);
    assert!(run.out.contains("name them: each[0], or each[field=op].value"), "{}", run.out);
}

#[test]
fn json_in_the_lines_of_streams_has_fields() {
    let stream = |who: &str| {
        let own: Vec<String> = logged()
            .iter()
            .rev()
            .filter(|it| it.who == who)
            .map(|it| {
                let line = format!(
                    r#"{{"ticket":"{}","dir":"{}","msg":"{}"}}"#,
                    it.id(),
                    it.way("out", "in"),
                    it.what
                );
                format!(
                    "[\"{}\",{}]",
                    1_748_851_200_000_000_000 + it.ms * 1_000_000,
                    serde_json::Value::from(line)
                )
            })
            .collect();
        format!(r#"{{"stream":{{"app":"{who}"}},"values":[{}]}}"#, own.join(","))
    };
    let document = format!(
        r#"{{"status":"success","data":{{"resultType":"streams","result":[{},{}]}}}}"#,
        stream("till"),
        stream("bar")
    );
    check("l.json", &document, &["session = \"each[1]|json.ticket\"", "order = \"each[0]\""], &[]);
}

#[test]
fn programs_are_lifelines_and_their_processes_and_addresses_are_not() {
    let line = |it: &Logged| {
        let (pid, host) = if it.who == "till" { (812, "10.0.0.4") } else { (4410, "10.0.0.5") };
        format!(
            r#"{{"time":"{}","ProcessId":{pid},"host":"{host}","Application":"{}","ticket":"{}","Direction":"{}","Message":"{}"}}"#,
            it.time(),
            it.who,
            it.id(),
            it.way("out", "in"),
            it.what
        )
    };
    check("a.jsonl", &lines(line), &["\nlifeline = \"Application\"\n"], &[]);
    let hit = |it: &Logged| {
        format!(
            r#"{{"_source":{{"@timestamp":"{}","service":{{"name":"{}"}},"event":{{"action":"{}"}},"network":{{"direction":"{}"}},"trace":{{"id":"{}"}}}}}}"#,
            it.time(),
            it.who,
            it.what,
            it.way("outbound", "inbound"),
            it.id()
        )
    };
    check("hits.jsonl", &lines(hit), &["\nlifeline = \"_source.service.name\"\n"], &[]);
}

#[test]
fn files_name_sessions_that_no_field_names() {
    let cases =
        [(".jsonl", "session = \"@stem\""), ("/events.jsonl", "session = { field = \"@file\"")];
    for (end, session) in cases {
        let folder = Folder::new();
        for (id, events) in by_ticket(object) {
            folder.file(&format!("logs/{id}{end}"), &(events.join("\n") + "\n"));
        }
        let tried = tried(&folder, &[&folder.path("logs")], &[]);
        assert!(tried.0.contains(session), "{}", tried.0);
        is_right(&tried);
    }
}

#[test]
fn lines_of_text_name_their_program_before_the_verb_or_as_the_logger() {
    let bare = |it: &Logged| {
        format!(
            "[{}] {:4} {} {} (order {})",
            it.time(),
            it.who,
            it.way("send", "recv"),
            it.what,
            70_001 + it.ticket
        )
    };
    check("bare.log", &lines(bare), &["actions = [\"{source}!brew\"]"], &[]);
    let logger = |it: &Logged| {
        let thread = it.ms % 7;
        format!(
            "{} INFO  [exec-{thread}] com.cafe.{}.Bus - {} {} {} for order {}",
            it.time(),
            it.who,
            it.way("Sending", "Received"),
            it.what,
            it.way("to", "from").to_owned() + " " + it.peer(),
            70_001 + it.ticket
        )
    };
    let rename = "# [rename.lifelines]\n# '/^com\\.cafe\\.([^.]+)\\.Bus$/' = \"$1\"";
    let uncommented = rename.replace("# ", "");
    check("logger.log", &lines(logger), &[], &[(rename, &uncommented)]);
    let python = |it: &Logged| {
        format!("INFO:{}:[{}] {} {}", it.who, 70_001 + it.ticket, it.way("send", "recv"), it.what)
    };
    check("python.log", &lines(python), &["session = \"pid\""], &[]);
    let compose = |it: &Logged| {
        format!(
            "{}-1 | {} {} {} order={}",
            it.who,
            it.time(),
            it.way("send", "recv"),
            it.what,
            it.id()
        )
    };
    let rename = "# [rename.lifelines]\n# '/^(bar|till)[._-]?\\d+$/' = \"$1\"";
    check("compose.log", &lines(compose), &[], &[(rename, &rename.replace("# ", ""))]);
}

#[test]
fn records_of_several_lines_may_begin_with_a_level() {
    let console = |it: &Logged| {
        format!(
            "info: {}[0]\n      Order {}: {} {}",
            it.who,
            70_001 + it.ticket,
            it.way("sending", "received"),
            it.what
        )
    };
    check("console.log", &lines(console), &["start = '^\\w+'", "session = \"order\""], &[]);
    let report = |it: &Logged| {
        format!(
            "\n=INFO REPORT==== 2-Jun-2025::08:00:00 ===\n{}: order {}\n{} {}",
            it.who,
            70_001 + it.ticket,
            it.way("publish", "deliver"),
            it.what
        )
    };
    check(
        "report.log",
        &lines(report),
        &["start = '^=\\w+'", "message = { text = \"brew\" }"],
        &[],
    );
}

#[test]
fn texts_in_fields_have_verbs_and_ids_anywhere() {
    let syslog = |it: &Logged| {
        format!(
            "<134>1 {} host {} 7 MSG [ticket@32473 id=\"{}\" dir=\"{}\"] {}",
            it.time(),
            it.who,
            it.id(),
            it.way("out", "in"),
            it.what
        )
    };
    check("sys.log", &lines(syslog), &["session = \"data.ticket@32473.id\""], &[]);
    let text = |it: &Logged| {
        let message = format!("[{}] {} {}", it.id(), it.way("send", "recv"), it.what);
        format!(r#"{{"stream":"{}","timestamp":"{}","message":"{message}"}}"#, it.who, it.time())
    };
    check("text.jsonl", &lines(text), &["emission = '/send/', reception = '/rec/'"], &[]);
    let alone = |it: &Logged| {
        let mut line = format!(
            "time={} level=INFO msg=\"message {}\" ",
            it.time(),
            it.way("sent", "received")
        );
        let _ = write!(line, "svc={} trace={} op={}", it.who, it.id(), it.what);
        line
    };
    check("alone.log", &lines(alone), &["\nmessage = \"op\"\n"], &[]);
}

#[test]
fn a_title_above_the_names_of_columns_says_nothing_of_their_delimiter() {
    let row = |it: &Logged| {
        format!("{};{};{};{};{}", it.time(), it.id(), it.who, it.way("sent", "received"), it.what)
    };
    let folder = Folder::new();
    let log = folder.file(
        "e.csv",
        &format!("Orders of June 2025\n\ntime;ticket;system;way;message\n{}", lines(row)),
    );
    let run = multitrace(&["map", "--init", &log]);
    assert!(run.code == 2 && run.err.contains("tail -n +3 FILE"), "{}{}", run.out, run.err);
}

/// A message in one field with its direction is the part that both ends have.
#[test]
fn messages_beside_their_directions_are_split() {
    let field = |text: fn(&Logged) -> String| {
        let line = |it: &Logged| {
            let (id, at, who) = (it.id(), it.time(), it.who);
            format!(r#"{{"ticket":"{id}","at":"{at}","service":"{who}","event":"{}"}}"#, text(it))
        };
        lines(line)
    };
    let before = field(|it| format!("{}:{}", it.way("SEND", "RECV"), it.what));
    let part = r#"message = { field = "event", match = '^(?:SEND|RECV)[\W_]+(?<message>.+)$' }"#;
    check("a.jsonl", &before, &[part], &[]);
    let behind = field(|it| format!("{}_{}", it.what, it.way("sent", "received")));
    let part =
        r#"message = { field = "event", match = '^(?<message>.+?)[\W_]+(?:sent|received)$' }"#;
    check("b.jsonl", &behind, &[part], &[]);
    // Other values are messages as they are.
    let line = r#"{"ticket":"x","at":"2025-06-02T09:00:00Z","service":"till","event":"closed"}"#;
    let text = proposed("c.jsonl", &format!("{before}{line}\n"));
    assert!(text.contains("[\\W_]+(?<message>.+)$' }, \"event\"]"), "{text}");
}

/// The proposal for a log.
fn proposed(name: &str, log: &str) -> String {
    let folder = Folder::new();
    let proposal = multitrace(&["map", "--init", &folder.file(name, log)]);
    assert_eq!(proposal.code, 0, "{}", proposal.err);
    proposal.out
}

/// Whether lines are in a proposal, as they stand.
fn has(proposal: &str, lines: &[&str]) {
    for line in lines {
        assert!(proposal.lines().any(|it| it == *line), "{line}\n{proposal}");
    }
}

#[test]
fn one_value_is_never_the_order() {
    let row = |it: &Logged| {
        format!("2025-06-02 08:00:00,{:08x},{},{}", it.ticket * 7919, it.who, it.what)
    };
    let text = proposed("a.csv", &format!("time,ticket,service,op\n{}", lines(row)));
    has(&text, &["# order = \"time\"", "order = []"]);
    let text =
        proposed("a.log", &lines(|it| format!("2025-06-02 08:00:00 {} {}", it.who, it.what)));
    has(&text, &["# order = \"time\"", "order = []"]);
    // Beside another time, a rounded one does not count.
    let row = |it: &Logged| format!("2025-06-02 08:00:00,{},{},{}", it.time(), it.who, it.what);
    let text = proposed("b.csv", &format!("date,time,service,op\n{}", lines(row)));
    assert!(!text.contains("\norder = \"date\""), "{text}");
}

#[test]
fn attributes_of_elements_keep_their_names() {
    let element = |it: &Logged| {
        let shape = match it.what {
            "brew" => format!("Dir=\"{}\" Op=\"brew\"", it.way("out", "in")),
            other => format!("Op=\"{other}\""),
        };
        format!(
            "<Entry Level=\"3\" Time=\"{}.{:03}\" Day=\"2025-06-02T08:00:00Z\" Machine=\"{}\" TicketID=\"{}\" {shape}/>",
            1_748_851_200 + it.ms / 1000,
            it.ms % 1000,
            it.who,
            it.id()
        )
    };
    let text = proposed("a.xml.log", &lines(element));
    for part in
        [r#"^<Entry\s+Level="%{number:level}"\s+Time="%{number:time}"\s+Day="#, r#""/>\s*$"#]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    has(&text, &["session = \"ticketid\"", "order = \"time\"", "# lifeline = \"machine\""]);
    assert!(!text.contains("source") && !text.contains("message = \"{machine}"), "{text}");
}

#[test]
fn numbers_that_several_clients_count_are_no_session_unasked() {
    let client = |it: &Logged, of: usize| {
        format!(
            r#"{{"at":"{}","clientId":"c{}","correlationId":{},"message":"[{}] {} {}(key: {})"}}"#,
            it.time(),
            if of == 1 { 1 } else { it.ticket % 3 },
            it.ticket / 3 + 4,
            if it.what == "brew" { "Net" } else { "Group" },
            it.way("Request", "Response"),
            it.what,
            it.ms
        )
    };
    // Not all texts are of a message.
    let joined = r#"{"at":"2025-06-02T08:00:00.000Z","message":"[Group] Member has joined"}"#;
    let log = |of: usize| format!("{joined}\n{}", lines(|it| client(it, of)));
    let text = proposed("k.jsonl", &log(3));
    assert!(text.contains("One `correlationId` stands under several `clientId`."), "{text}");
    has(
        &text,
        &[
            "# session = \"{clientId}/{correlationId}\"",
            "# message = { field = \"message\", match = '^\\[[^\\]]*\\]\\s+(?:(?:Request|Response)\\s+)?(?<message>\\w+)' }",
        ],
    );
    has(&proposed("k.jsonl", &log(1)), &["session = \"correlationId\""]);
}

#[test]
fn questions_offer_what_is_likely() {
    // Names of one letter: the lifeline is that which does not receive what it sent.
    let short = |it: &Logged| {
        let (dir, who) = (it.way("send", "receive"), if it.who == "till" { "n1" } else { "n2" });
        format!(
            r#"{{"s":"r{}","p":"{who}","d":"{dir}","m":"{}","t":{}}}"#,
            it.ticket, it.what, it.ms
        )
    };
    let text = proposed("a.jsonl", &lines(short));
    has(&text, &["# session = \"s\"", "# lifeline = \"p\"", "# message = \"m\""]);
    assert!(text.contains("{ text = \"NAME\" }"), "{text}");
    // Directions as parts of names, and the message is not the session.
    let function = |it: &Logged| {
        format!(
            r#"{{"ts":"{}","node":"{}","event":"{}_{}"}}"#,
            it.time(),
            it.who,
            it.way("send", "recv"),
            it.what
        )
    };
    let text = proposed("f.jsonl", &lines(function));
    has(
        &text,
        &[
            "# session = { text = \"run\" }",
            "# direction = { field = \"event\", emission = '/^send_/', reception = '/^recv_/' }",
            r#"# message = { field = "event", match = '^(?:send|recv)[\W_]+(?<message>.+)$' }"#,
        ],
    );
    // One template for both directions.
    let pairs = |it: &Logged| {
        let way = it.way("REQUEST", "RESPONSE");
        format!("{} [main] INFO Log - : Way={way}, Ticket={}, Op={}", it.time(), it.ticket, it.what)
    };
    has(
        &proposed("p.log", &lines(pairs)),
        &["# direction = { field = \"way\", emission = \"REQUEST\", reception = \"RESPONSE\" }"],
    );
    // The id of the object around is that of an event, not of who logged it.
    let around = r#"{"events":[
        {"id":"e1","type":"pack","time":"2026-01-01T00:00:00Z","parts":[{"of":"o1"},{"of":"o2"}]},
        {"id":"e2","type":"send","time":"2026-01-01T01:00:00Z","parts":[{"of":"o1"},{"of":"o2"}]}]}"#;
    assert!(!proposed("o.json", around).contains("# lifeline = \"^.id\""));
    // Nor is it the object of an event, or how that takes part.
    let objects = around.replace("\"}", "\",\"qualifier\":\"box\"}").replacen("box", "lid", 1);
    let text = proposed("q.json", &objects.replace("\"of\"", "\"objectId\""));
    has(&text, &["# session = \"objectId\"", "# lifeline = \"@stem\""]);
    // Threads take locks, and a lock may be the session.
    let lock = |n: u32| {
        let (thread, lock, op) = (n % 5, n % 7 % 3, ["wait", "take", "free"][n as usize % 3]);
        format!(
            "{{\"ms\":{n},\"lock\":\"gate-{lock}\",\"thread\":\"w{thread}\",\"op\":\"{op}\"}}\n"
        )
    };
    let text = proposed("l.jsonl", &(0..200).map(lock).collect::<String>());
    has(&text, &["# session = \"lock\"", "# lifeline = \"thread\""]);
}

#[test]
fn an_unanswered_proposal_has_one_error_for_each_question() {
    let folder = Folder::new();
    let line = |it: &Logged| {
        format!("{} {} {} for {}", it.time(), it.way("send", "recv"), it.what, it.id())
    };
    let log = folder.file("a.log", &lines(line));
    let spec = folder.file("spec.mmd", SPEC);
    let proposal = multitrace(&["map", "--init", &log]).out;
    assert!(proposal.matches("[[rule]]").count() > 2, "{proposal}");
    let path = folder.file("map.toml", &proposal);
    let run = multitrace(&["check", &spec, &log, "--events", &path]);
    assert_eq!(run.err.matches("the lifeline is missing in ").count(), 1, "{}", run.err);
    assert!(!run.err.contains("the message is missing"), "{}", run.err);
    let path = folder.file("order.toml", "[event]\nsession = \"s\"\nlifeline = \"l\"\ndirection = \"emission\"\nmessage = \"m\"\norder = []\n");
    let run = multitrace(&["check", &spec, &log, "--events", &path]);
    assert!(
        run.err.contains("take the line away if the oldest record stands first"),
        "{}",
        run.err
    );
}
