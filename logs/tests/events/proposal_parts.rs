//! The parts of proposed mappings: each is right or asked for where a log has several fields that may be it.

use super::answered::answered;
use super::common::{map, mapping};
use multitrace_logs::{Format, propose};
use std::fmt::Write;

fn proposed(name: &str, log: &str) -> String {
    propose(name, log.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A log of numbered records.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

/// A time, a second for each number.
fn time(at: usize) -> String {
    format!("2024-05-01T10:{:02}:{:02}Z", at / 60, at % 60)
}

#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    for line in wanted {
        assert!(text.contains(line), "{line}\nin\n{text}");
    }
}

/// Records of both ends, each logged by the end that `host` names, once as sent and once as received.
fn of_both_ends(more: impl Fn(bool) -> String) -> String {
    lines(40, |at| {
        let (from, to) = if (at / 2).is_multiple_of(2) { ("web", "shop") } else { ("shop", "web") };
        let (is_sent, what) =
            (at.is_multiple_of(2), if (at / 2).is_multiple_of(2) { "order" } else { "bill" });
        let host = if is_sent { from } else { to };
        let (call, more) = (at / 4, more(is_sent));
        let more = more.replace("HOST", host);
        format!(
            r#"{{"ts":{at},"trace_id":"c{call}","from":"{from}","to":"{to}","what":"{what}"{more}}}"#
        )
    })
}

#[test]
fn records_of_both_ends_have_the_lifeline_that_logged_them() {
    let events = ["c0 web!order", "c0 shop?order", "c0 shop!bill", "c0 web?bill"];
    let way = |is_sent| format!(r#","way":"{}""#, if is_sent { "S" } else { "R" });
    let told = of_both_ends(|is_sent| format!(r#","host":"HOST"{}"#, way(is_sent)));
    let text = proposed("log.jsonl", &told);
    has(&text, &["\nlifeline = \"host\"\n", "emission = \"S\", reception = \"R\""]);
    assert_eq!(map(&mapping(&text), told.as_bytes(), Format::JsonLines)[..4], events);
    // Nothing but the host tells the direction.
    let told = of_both_ends(|_| r#","host":"HOST""#.to_owned());
    let text = proposed("log.jsonl", &told);
    let direction = "direction = { field = \"host\", emission = \"{from}\", reception = \"{to}\" }";
    has(&text, &["\nlifeline = \"host\"\n", direction, "\nmessage = \"what\"\n"]);
    assert_eq!(map(&mapping(&text), told.as_bytes(), Format::JsonLines)[..4], events);
    // Nothing but the direction tells the host.
    let way = |is_sent| format!(r#","dir":"{}""#, if is_sent { "out" } else { "in" });
    let told = of_both_ends(way);
    let text = proposed("log.jsonl", &told);
    assert_eq!(map(&mapping(&text), told.as_bytes(), Format::JsonLines)[..4], events, "{text}");
    // One end logs all.
    let sender = lines(20, |at| {
        let (from, to) = if at.is_multiple_of(2) { ("a", "b") } else { ("b", "a") };
        format!(
            r#"{{"trace_id":"c{}","from":"{from}","to":"{to}","host":"{from}","what":"m"}}"#,
            at / 4
        )
    });
    has(&proposed("log.jsonl", &sender), &["# direction? All records were logged by the sender."]);
}

/// States before and behind a step are not peers.
#[test]
fn states_are_no_ends_of_messages() {
    let log = lines(24, |at| {
        let [from, to] = [["new", "paid"], ["paid", "sent"], ["sent", "done"]][at % 3];
        let (order, service) = (at / 3, if at.is_multiple_of(2) { "shop" } else { "bank" });
        format!(
            r#"{{"request_id":"o{order}","service":"{service}","from":"{from}","to":"{to}","event":"step"}}"#
        )
    });
    let text = proposed("log.jsonl", &log);
    has(&text, &["\nlifeline = \"service\"\n", "# direction? "]);
    assert!(!text.contains("{from}!"), "{text}");
}

#[test]
fn the_order_is_a_time_and_no_length_of_time() {
    let line = |at: usize, more: &str| {
        let (session, service) = (at / 4, if at.is_multiple_of(2) { "web" } else { "shop" });
        format!(r#"{{"service":"{service}",{more},"session":"s{session}","event":"e{}"}}"#, at % 4)
    };
    let of = |more: &dyn Fn(usize) -> String| {
        proposed("log.jsonl", &lines(40, |at| line(at, &more(at))))
    };
    let length = |at: usize| at * 37 % 41;
    let epoch = |at: usize| 1_714_557_600_000 + at * 350;
    let found = of(&|at| format!(r#""responseTime":{}.5,"time":{}"#, length(at), epoch(at)));
    has(&found, &["\norder = \"time\"\n"]);
    let found = of(&|at| {
        let arrived = time(at + length(at));
        format!(r#""receiveTimestamp":"{arrived}","timestamp":"{}""#, time(at))
    });
    has(&found, &["\norder = \"timestamp\"\n"]);
    has(&of(&|at| format!(r#""t":"{}""#, time(at))), &["\norder = \"t\"\n"]);
    has(&of(&|at| format!(r#""elapsedTime":{}"#, length(at))), &["order of the file"]);
    // Numbers that fall are asked for, and so are times of something else.
    has(&of(&|at| format!(r#""ts":{}"#, length(at))), &["# order? ", "#   ts: "]);
    has(&of(&|at| format!(r#""expires":"{}""#, time(at))), &["# order? ", "#   expires: "]);
    let two = of(&|at| format!(r#""startTime":"{}","logTime":"{}""#, time(at), time(length(at))));
    has(&two, &["# order? "]);
    // A length of time is not a lifeline.
    let source = lines(40, |at| {
        format!(
            r#"{{"_source":{{"duration":{},"traceID":"t{}","name":"n{}"}}}}"#,
            at % 3,
            at / 4,
            at % 4
        )
    });
    has(&proposed("log.jsonl", &source), &["# lifeline? "]);
}

#[test]
fn equal_times_are_in_no_order_unless_the_log_shows_it() {
    let raw = |messages: &dyn Fn(usize) -> [(&'static str, &'static str); 2]| {
        let mut log = "session,ts,node,dir,msg\n".to_owned();
        for at in 0..40 {
            for (dir, msg) in messages(at) {
                let _ = writeln!(log, "s{at},{},shop,{dir},{msg}", time(at));
            }
        }
        log
    };
    let log = |messages: &dyn Fn(usize) -> [(&'static str, &'static str); 2]| {
        proposed("log.csv", &raw(messages))
    };
    let (ask, answer) = (("in", "ask"), ("out", "reply"));
    let open = ["# ties? 80 of 80 events share their time", "\n# ties = \"file\""];
    has(&log(&|_| [answer, ask]), &open);
    let both = |at: usize| {
        if at.is_multiple_of(2) { [ask, answer] } else { [("out", "call"), ("in", "back")] }
    };
    has(&log(&both), &["Times never fall", "ties = \"file\""]);
    let shuffled = |at: usize| if at.is_multiple_of(3) { [answer, ask] } else { both(at) };
    has(&log(&shuffled), &open);
    // The first session ended last: the log is in another order than its times.
    let falling = raw(&both).replace(&time(0), &time(50));
    has(&proposed("log.csv", &falling), &["\nties = \"any\""]);
}

#[test]
fn a_journal_has_ids_in_its_texts_and_fields_may_stand_twice() {
    let journal = lines(40, |at| {
        format!(
            r#"{{"__REALTIME_TIMESTAMP":"{at}","_COMM":"q","MESSAGE":"4BX7Z{}: step {}"}}"#,
            at / 4,
            at % 4
        )
    });
    has(
        &proposed("log.jsonl", &journal),
        &["# session = { field = \"MESSAGE\", match = '^(\\w*\\d\\w*): ' }"],
    );
    let twice = lines(40, |at| format!(r#"{{"trace_id":"t{}","k":1,"k":2}}"#, at / 4));
    has(&proposed("log.jsonl", &twice), &["session = \"trace_id\""]);
}

#[test]
fn a_message_is_no_name_of_a_thing() {
    let log = lines(60, |at| {
        let reason = ["Scheduled", "Pulled", "Created", "Started"][at % 4];
        let (pod, seen) = (at / 4, time(at));
        format!(
            r#"{{"involvedObject":{{"kind":"Pod","name":"pod-{pod}"}},"reason":"{reason}","type":"Normal","source":{{"component":"c{}"}},"firstTimestamp":"{seen}"}}"#,
            at % 2
        )
    });
    let text = proposed("log.jsonl", &log);
    has(&text, &["\nmessage = \"reason\"\n", "# session = \"involvedObject.name\"\n"]);
}

/// Ids whose records stand together come first, and a direction is not a session.
#[test]
fn the_likeliest_sessions_come_first() {
    let log = lines(60, |at| {
        let (order, actor, node) = (70_000 + at / 4, ["web", "ops", "batch"][at % 3], at % 2);
        format!(
            r#"{{"at":"{}","actor":"{actor}","order_no":{order},"node":"n{node}","d":"{}"}}"#,
            time(at),
            ["out", "in"][at % 2]
        )
    });
    let text = proposed("log.jsonl", &log);
    has(&text, &["# session = \"order_no\"\n", "\ndirection = { field = \"d\""]);
    let syslog = lines(60, |at| {
        format!("May  1 10:00:{:02} host1 sshd[{}]: step {at} of it", at % 60, 4000 + at / 4 * 7)
    });
    has(&proposed("auth.log", &syslog), &["# session = \"pid\"\n"]);
    let spring = lines(60, |at| {
        let [service, text] = [
            ["gateway", "c.a.GatewayController : Sending 201 to orders"],
            ["orders", "c.a.OrdersController : Received 201 from gateway"],
        ][at % 2];
        let trace = 0x6e77_2afa_58e0 + at / 4 * 0x1_0f0f;
        format!(
            "2024-05-01 10:00:{at:02}.095  INFO [{service},{trace:016x}] 2224 --- [exec-{}] {text}",
            at % 7
        )
    });
    let text = proposed("app.log", &spring);
    has(&text, &["# session = \"hex\"\n", "lifeline: `source`"]);
    let made = map(&mapping(&answered(&text)), spring.as_bytes(), Format::Text);
    let events: Vec<&str> = made[..2].iter().filter_map(|it| it.split(' ').nth(1)).collect();
    assert_eq!(events, ["gateway!201", "orders?201"], "{text}");
}

/// Words such as `to` and `from` stand in any sentence.
#[test]
fn a_step_from_one_state_to_another_is_no_message() {
    let log = lines(30, |at| {
        let text =
            ["Transitioned to state LEADER", "Taking transition from state FOLLOWER"][at % 2];
        format!(
            "2024-05-01 10:00:{at:02},000 [node-{}] DEBUG raft - {text} in term {}",
            at % 3,
            at / 3
        )
    });
    let text = proposed("raft.log", &log);
    assert!(!text.contains("means"), "{text}");
    has(&text, &["# 1: direction? "]);
}

/// A preset is proposed if it reads the log, perhaps with records elsewhere.
#[test]
fn presets_are_tried() {
    let event = r#"{"kind":"Event","stage":"ResponseComplete","auditID":"1","requestURI":"/a","verb":"get","objectRef":{"name":"x"},"stageTimestamp":"2024-05-01T12:00:00Z"}"#;
    let list = format!(r#"{{"kind":"EventList","items":[{event},{event}]}}"#);
    has(&proposed("audit.json", &list), &["format = \"k8s-audit\"\nrecords = \"items[]\"\n"]);
    has(&proposed("audit.log", event), &["format = \"k8s-audit\"\n"]);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    has(&proposed("calls.jsonl", &format!("[{call},{call}]\n")), &["format = \"mcp\"\n"]);
    let arrows = "[info] --> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}\n";
    let arrows = format!("2024-05-01 10:00:00.123 {arrows}");
    has(&proposed("lsp.log", &arrows), &["format = \"lsp\"\n"]);
    // Text that the preset does not read.
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let log = format!(
        "2024-05-01T10:00:00.000Z [fs] started\n2024-05-01T10:00:00.100Z [fs] Message from client: {call}\n\
         2024-05-01T10:00:00.200Z [fs] Message from server: {answer}\n"
    );
    let text = proposed("mcp.log", &log);
    has(
        &text,
        &[
            "patterns = [",
            "emission = '/from server/', reception = '/from client/'",
            "message = \"payload|json.method\"",
            "\norder = \"time\"\n",
        ],
    );
    mapping(&answered(&text));
}

/// Packets are called after their protocols, which seldom names the message.
#[test]
fn messages_of_packets_are_asked_for() {
    let packet = |at: u32| {
        format!(
            r#"{{"_index":"p","_source":{{"layers":{{"frame":{{"frame.time_epoch":"{at}.5","frame.protocols":"eth:ip:udp:mqtt"}},"ip":{{"ip.src":"10.0.0.{}","ip.dst":"10.0.0.9"}},"mqtt":{{"mqtt.msgtype":"{}"}}}}}}}}"#,
            at % 3,
            at % 4
        )
    };
    let log = format!("[{},{},{}]", packet(1), packet(2), packet(3));
    let text = proposed("p.json", &log);
    has(&text, &["format = \"tshark\"\n", "# message? ", "{src}!", "mqtt.msgtype"]);
    mapping(&answered(&text));
}

/// As in OCEL 1, which has its objects beside its events.
#[test]
fn records_that_are_values_of_an_object_are_found() {
    let events: Vec<String> = (0..6)
        .map(|at| format!(r#""e{at}":{{"ocel:activity":"a","ocel:timestamp":"{}"}}"#, time(at)))
        .collect();
    let objects: Vec<String> = (0..9).map(|at| format!(r#""o{at}":{{"ocel:type":"t"}}"#)).collect();
    let (events, objects) = (events.join(","), objects.join(","));
    let log = format!(r#"{{"ocel:events":{{{events}}},"ocel:objects":{{{objects}}}}}"#);
    let text = proposed("log.json", &log);
    has(&text, &["\nrecords = \"ocel:events.*\"\n", "order = \"ocel:timestamp\"\n", "# session? "]);
    let events = map(&mapping(&answered(&text)), log.as_bytes(), Format::Json);
    assert_eq!(events.len(), 6, "{events:?}");
}

/// Ids that a server calls in several ways are one, also where it writes more of itself than of its sessions.
#[test]
fn ids_with_several_names_are_one_candidate() {
    let of_session = |at: usize| {
        let (id, minute) = (format!("0x14ede63a5a7{:04x}", at / 4), at / 60);
        let text = match at % 4 {
            0 => format!("[Processor@595] - Established session {id} with timeout 10000"),
            1 => format!("[Processor@12] - Processing request sessionid:{id} type:create"),
            2 => format!("[Tracker@325] - Expiring session {id}, timeout exceeded"),
            _ => format!("[Server@476] - Processed termination for sessionid: {id}"),
        };
        format!("2015-07-29 17:{minute:02}:{:02},744 - INFO  {text}\n", at % 60)
    };
    let sessions: Vec<String> = (0..80).map(of_session).collect();
    let text = proposed("zookeeper.log", &sessions.concat());
    has(
        &text,
        &["\nsession = \"sessionid\"\n", "in 80 of 80 lines", "session\\s+%{hex:sessionid}"],
    );
    let noise = |line: &String| {
        let of_itself = [
            "Listener@493] - Received request 10.10.34.1:4530",
            "Worker@688] - Send worker leaving thread",
        ];
        let more =
            (0..6).map(|at| format!("2015-07-29 19:04:12,394 - WARN  [{}\n", of_itself[at % 2]));
        format!("{line}{}", more.collect::<String>())
    };
    let text = proposed("zookeeper.log", &sessions.iter().map(noise).collect::<String>());
    has(
        &text,
        &["# session? ", "\n#   `sessionid` (hex) has 20 values", "\n# session = \"sessionid\"\n"],
    );
}

/// The id of a queue stands in the text of a mail server.
#[test]
fn sessions_in_texts_are_candidates() {
    let lines = lines(48, |at| {
        let id = format!("4BX7Z{:03X}", at / 4);
        let text = match at % 4 {
            0 => "connect from client.example[10.0.0.5]".to_owned(),
            1 => format!("{id}: client=client.example[10.0.0.5]"),
            2 => format!("{id}: from=<a@b.example>, size=12, nrcpt=1 (queue active)"),
            _ => format!("{id}: removed"),
        };
        format!("Nov 27 10:00:{:02} mail postfix/qmgr[900]: {text}", at % 60)
    });
    let text = proposed("mail.log", &lines);
    let first = "\n#   a part of message: in 36 of 48 records, 12 different: 4BX7Z000, 4BX7Z001, 4BX7Z002\n";
    let line = "\n# session = { field = \"message\", match = '^(\\w*\\d\\w*): ' }\n";
    let rest = "[[drop]] when = { message = { not = '/^(\\w*\\d\\w*): /' } }\n";
    has(&text, &[first, line, rest]);
    assert!(text.find("# session? ") < text.find(first), "{text}");
    let map = format!(
        "[input]\nformat = \"syslog\"\n[event]{}lifeline = \"app\"\ndirection = \"emission\"\nmessage = \"app\"\n{}",
        line.replace("# ", ""),
        rest.replace("]] ", "]]\n")
    );
    let events = crate::events::common::map(&mapping(&map), lines.as_bytes(), Format::Syslog);
    let dropped = "dropped by filter of line 8";
    assert_eq!(events[..2], [dropped, "4BX7Z000 postfix/qmgr!postfix/qmgr"]);
    let closed = r#"{"at":1,"text":"closed session 0x1f"}"#;
    let opened = r#"{"at":1,"text":"session id = 0x1f is open"}"#;
    let both: String = (0..9)
        .map(|at| format!("{opened}\n{closed}\n").replace("0x1f", &format!("0x{at}f")))
        .collect();
    has(
        &proposed("log.jsonl", &both),
        &["\n#   a part of text: in 18 of 18 records, 9 different: 0x0f, 0x1f, 0x2f\n"],
    );
}

#[test]
fn lines_without_a_time_belong_to_the_record_before_them() {
    let log = lines(80, |at| {
        let (time, pid) = (time(at), 4700 + at / 4);
        let what = [
            "BEGIN",
            "INSERT INTO orders\n\t(id)\n\tVALUES (1)",
            "SELECT 1\nFROM orders",
            "COMMIT",
        ];
        format!("{time} UTC [{pid}] app@shop LOG:  statement: {}", what[at % 4])
    });
    let text = proposed("db.log", &log);
    has(&text, &["\nstart = \"^%{iso-time}\"\n", "\nsession = \"pid\"\n", "\norder = \"time\"\n"]);
    let events = map(&mapping(&answered(&text)), log.as_bytes(), Format::Text);
    assert_eq!(events.len(), 80, "{events:?}");
    assert_eq!(events[1], "4700 log!INSERT_INTO_orders", "{text}");
}

#[test]
fn a_table_may_have_blanks_between_its_cells() {
    let log = lines(20, |at| {
        let interface = at / 2;
        format!(
            "2 if-{interface} 10.0.0.4 10.0.0.{at} {} 443 {} ACCEPT",
            41000 + at,
            1418530010 + at
        )
    });
    let log = format!("version interface-id srcaddr dstaddr srcport dstport start action\n{log}");
    let text = proposed("flow.log", &log);
    has(&text, &["\nformat = \"csv\"\ndelimiter = \" \"\n", "\norder = \"start\"\n"]);
    // Sentences of one length are no table.
    let text =
        proposed("a.log", "take a seat there 1 2\ntake my hat there 3 4\ntake a hat there 5 6\n");
    has(&text, &["\nformat = \"text\"\n"]);
}

#[test]
fn words_in_quotes_tell_no_direction() {
    let log = lines(20, |at| format!("{} call={} \"GET /cart\" \"forward\" ok", time(at), at / 2));
    let text = proposed("balancer.log", &log);
    assert!(!text.contains("means an emission"), "{text}");
}

#[test]
fn a_field_with_a_verb_alone_is_no_message() {
    let log = lines(80, |at| {
        let (way, at_end) = [("send", "api"), ("recv", "worker")][at % 2];
        let topic = ["job", "done"][at / 2 % 2];
        format!(
            r#"{{"ts":{at}.5,"logger":"{at_end}","msg":"{way}","topic":"{topic}","rid":"r{}"}}"#,
            at / 4
        )
    });
    let text = proposed("log.jsonl", &log);
    has(&text, &["\n# message? ", "\n#   topic: "]);
    assert!(!text.contains("#   msg: "), "{text}");
}

#[test]
fn texts_of_balancers_have_a_connection_and_a_request() {
    let log = lines(60, |at| {
        let (client, what) = (at / 3, ["POST /login", "GET /cart?id=1", "POST /pay"][at % 3]);
        let clock = format!("12:{:02}:{:02}", at / 60, at % 60);
        format!(
            "Feb  6 {clock} lb haproxy[14389]: 10.0.1.{client}:300{client:02} [06/Feb/2009:{clock}.655] in shop/srv 1/0/30 200 27{at} \"{what} HTTP/1.1\""
        )
    });
    let text = proposed("balancer.log", &log);
    has(
        &text,
        &[
            "a part of message: in 60 of 60 records, 20 different: 10.0.1.0:30000",
            r#"message = { field = "message", match = '"([A-Z]+ [^ ?"]+)' }"#,
        ],
    );
}

#[test]
fn ids_of_sessions_are_found_in_the_rest_of_a_request() {
    let log = lines(60, |at| {
        let (sid, status) = (at / 3, 200 + at % 3);
        format!(
            "10.0.0.9 - - [01/May/2024:12:00:{at:02} +0000] \"GET /cart HTTP/1.1\" {status} 5 \"-\" \"M\" sid=a{sid}b rt=0.1"
        )
    });
    has(&proposed("access.log", &log), &["a part of rest: in 60 of 60 records, 20 different: a0b"]);
}

#[test]
fn a_number_that_counts_the_records_of_a_session_is_asked_about() {
    let steps = ["Started", "Scheduled", "Succeeded", "Ended"];
    let log = lines(40, |it| {
        let (run, step) = (it / 4, it % 4);
        format!(
            "{{\"id\": {}, \"type\": \"{}\", \"timestamp\": \"{}\", \"runArn\": \"arn:run:{:08x}-{run}\"}}",
            step + 1,
            steps[step],
            time(it),
            0x1234_5678 * (run + 1),
        )
    });
    let proposal = proposed("history.jsonl", &log);
    has(&proposal, &["# session? ", "#   runArn: in 40 of 40 records, 10 different"]);
    // Without such ids, numbers of kinds are asked for, and others are sessions.
    let without_ids = |log: &str| -> String {
        log.lines()
            .map(|line| line.split(", \"runArn").next().unwrap_or("").to_owned() + "}\n")
            .collect()
    };
    has(&proposed("history.jsonl", &without_ids(&log)), &["# session? "]);
    let plain = log.replacen("Started", "Resumed", 5);
    has(&proposed("history.jsonl", &without_ids(&plain)), &["\nsession = \"id\"\n"]);
}

#[test]
fn threads_are_no_certain_lifelines_and_few_values_no_certain_sessions() {
    let log = lines(40, |it| {
        let way = if it % 2 == 0 { "Sending" } else { "Received" };
        format!(
            "{} [http-8080-exec-{}] INFO {way} offer for order {}",
            time(it),
            it / 2 % 3,
            it / 4
        )
    });
    let proposal = proposed("server.log", &log);
    has(&proposal, &["# lifeline? These may be parts of one program", "\nsession = \"order\"\n"]);
    let log = lines(160, |it| format!("{} can{} frame {:08x}", time(it), it % 3, it * 77_777));
    has(&proposed("can.log", &log), &["# session? "]);
}

#[test]
fn got_is_a_reception() {
    let log = lines(40, |it| {
        let (node, what) = if it % 2 == 0 { ("a", "Sent offer") } else { ("b", "Got offer") };
        format!(
            "{{\"time\": \"{}\", \"session\": \"s{}\", \"node\": \"{node}\", \"msg\": \"{what}\"}}",
            time(it),
            it / 2
        )
    });
    has(
        &proposed("log.jsonl", &log),
        &["\ndirection = { field = \"msg\"", "the first word is the direction"],
    );
}

#[test]
fn offsets_and_zones_belong_to_times() {
    let log = |zone: &dyn Fn(usize) -> &'static str| {
        lines(40, |it| {
            let way = if it % 2 == 0 { "Sending" } else { "Received" };
            let clock = format!("2024-05-01 10:{:02}:{:02}.5{}", it / 60, it % 60, zone(it % 2));
            format!("{clock} web{} {way} offer for order {}", it % 2, it / 4)
        })
    };
    for zones in [[" +0200", " +0000"], ["+02", "+00"], ["Z", "+0130"]] {
        let log = log(&|it| zones[it]);
        let events = answered(&proposed("server.log", &log));
        has(&events, &["%{iso-time:time}\\s+", "\norder = "]);
        let rows = map(&mapping(&events), log.as_bytes(), Format::Text);
        assert_eq!(rows.len(), 40, "{rows:?}");
    }
    let named = proposed("server.log", &log(&|it| [" CEST", " CET"][it]));
    has(&named, &["# order? The names of several zones"]);
    assert!(!named.contains("\n# lifeline: "), "{named}");
}

#[test]
fn a_message_is_called_alike_at_both_ends() {
    let log = lines(40, |it| {
        let (node, peer, way) =
            if it % 2 == 0 { ("a", "b", "sent") } else { ("b", "a", "received") };
        let verb = if it % 2 == 0 { "Sending offer to" } else { "Received offer from" };
        format!(
            "{{\"time\": \"{}\", \"session\": \"s{}\", \"node\": \"{node}\", \"type\": \"offer.{way}\", \
             \"op\": \"offer{}\", \"way\": \"{way}\", \"msg\": \"{verb} {peer}\"}}",
            time(it),
            it / 4,
            it / 2 % 2
        )
    });
    has(&proposed("log.jsonl", &log), &["\nmessage = \"op\"\n"]);
    let without =
        log.replace("\"op\"", "\"n\"").replace("\"offer0\"", "0").replace("\"offer1\"", "1");
    has(&proposed("log.jsonl", &without), &["# message? "]);
}
