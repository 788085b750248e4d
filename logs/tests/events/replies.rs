//! Responses named after their requests.

use super::common::{grouped, mapping};
use multitrace_formats::source::Source;
use multitrace_interaction::{Alphabet, Session};
use multitrace_logs::{
    Collected, Collector, EventItem, EventLog, EventSessions, Format, InputFiles, Mapping,
};
use std::sync::Arc;

const MAP: &str = r#"
[event]
session = { text = "s" }
lifeline = "at"
direction = { field = "dir", emission = "out", reception = "in" }
message = "method"
reply-to = { request = "id", response = "id" }
"#;

/// The events of each location, and how many requests and responses are without each other.
fn made(map: &str, lines: &[&str]) -> (Vec<String>, (u64, u64)) {
    let made = grouped(&mapping(map), lines.join("\n").as_bytes(), Format::JsonLines, 1 << 20);
    assert_eq!(made.problems, Vec::<String>::new());
    let events = made.sessions.into_iter().flat_map(|(_, events)| events).collect();
    (events, (made.counts.unanswered, made.counts.unasked))
}

#[test]
fn responses_are_named_after_their_requests_and_stay_at_their_places() {
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"open"}"#,
        r#"{"at":"a","dir":"in","id":1,"method":"ask"}"#,
        r#"{"at":"a","dir":"in","id":1,"result":{}}"#,
        r#"{"at":"a","dir":"out","method":"note"}"#,
        r#"{"at":"a","dir":"out","id":1,"error":{"code":-1}}"#,
        r#"{"at":"a","dir":"out","id":"2","method":"close"}"#,
        r#"{"at":"a","dir":"in","id":"2","result":null}"#,
    ];
    let (events, counts) = made(MAP, &lines);
    let expected =
        ["a!open", "a?ask", "a?open result", "a!note", "a!ask error", "a!close", "a?close result"];
    assert_eq!((events, counts), (expected.map(str::to_owned).to_vec(), (0, 0)));
}

/// A workflow tells what became of each activity, which is scheduled by name.
#[test]
fn a_message_names_responses_also_where_another_field_names_requests() {
    let map = r#"
[event]
session = { text = "s" }
lifeline = { text = "flow" }
direction = { field = "type", emission = "scheduled", reception = "/./" }
message = ["{request.activity.name} {type}", "activity.name"]
reply-to = { request = "id", response = ["done.of", "late.of"], message = "activity.name" }
"#;
    let lines = [
        r#"{"id":1,"type":"scheduled","activity":{"name":"charge"}}"#,
        r#"{"id":2,"type":"completed","done":{"of":1}}"#,
        r#"{"id":3,"type":"scheduled","activity":{"name":"ship"}}"#,
        r#"{"id":4,"type":"timed out","late":{"of":3}}"#,
    ];
    let expected = ["flow!charge", "flow?charge completed", "flow!ship", "flow?ship timed out"];
    assert_eq!(made(map, &lines), (expected.map(str::to_owned).to_vec(), (0, 0)));
}

/// In JSON-RPC, `1` and `"1"` are two ids.
#[test]
fn a_number_and_a_text_are_two_ids() {
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"number"}"#,
        r#"{"at":"a","dir":"out","id":"1","method":"text"}"#,
        r#"{"at":"a","dir":"in","id":1}"#,
        r#"{"at":"a","dir":"in","id":"\u0031"}"#,
        r#"{"at":"a","dir":"out","id":2,"method":"open"}"#,
        r#"{"at":"a","dir":"in","id":"2"}"#,
    ];
    let expected =
        ["a!number", "a!text", "a?number result", "a?text result", "a!open", "a?unasked result"];
    let expected = expected.map(str::to_owned).to_vec();
    assert_eq!(made(MAP, &lines), (expected.clone(), (1, 1)));
    // The same in the JSON of a text, and in a list of fields.
    let map = MAP.replace("\"id\"", "[\"p|json.id\", \"other\"]");
    let inner = lines.map(|line| {
        let (before, id) = line.split_once("\"id\":").expect("an id");
        let (id, rest) = id.split_once(['}', ',']).expect("an end");
        let text = serde_json::Value::from(format!("{{\"id\":{id}}}")).to_string();
        let end = if rest.is_empty() { "}" } else { "," };
        format!("{before}\"p\":{text}{end}{rest}")
    });
    let inner: Vec<&str> = inner.iter().map(String::as_str).collect();
    assert_eq!(made(&map, &inner), (expected, (1, 1)));
    // A part of a text has no type.
    let map =
        MAP.replace("response = \"id\"", "response = { field = \"note\", match = 'for (\\d+)' }");
    let lines = [
        r#"{"at":"a","dir":"out","id":"1","method":"open"}"#,
        r#"{"at":"a","dir":"in","note":"for 1"}"#,
    ];
    assert_eq!(made(&map, &lines).1, (0, 0));
}

#[test]
fn an_id_that_comes_again_means_the_last_request_before() {
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"lost"}"#,
        r#"{"at":"a","dir":"out","id":1,"method":"one"}"#,
        r#"{"at":"a","dir":"in","id":1}"#,
        r#"{"at":"a","dir":"out","id":1,"method":"two"}"#,
        r#"{"at":"a","dir":"in","id":1}"#,
        r#"{"at":"a","dir":"in","id":9}"#,
        r#"{"at":"a","dir":"out","id":9,"method":"late"}"#,
    ];
    let (events, counts) = made(MAP, &lines);
    let expected =
        ["a!lost", "a!one", "a?one result", "a!two", "a?two result", "a?unasked result", "a!late"];
    assert_eq!((events, counts), (expected.map(str::to_owned).to_vec(), (2, 1)));
}

/// Times without a day say nothing about two messages around midnight.
#[test]
fn a_response_after_midnight_is_that_of_the_request_before_it() {
    let map = format!("{MAP}order = {{ field = \"t\", format = \"%H:%M:%S\" }}\n");
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"one","t":"23:59:57"}"#,
        r#"{"at":"b","dir":"out","id":1,"t":"00:00:01"}"#,
        r#"{"at":"c","dir":"out","id":1,"method":"two","t":"00:00:00"}"#,
        r#"{"at":"b","dir":"out","id":1,"t":"00:00:02"}"#,
    ];
    let mut asked = made(&map, &lines);
    asked.0.sort();
    let expected = ["a!one", "b!one result", "b!two result", "c!two"];
    assert_eq!(asked, (expected.map(str::to_owned).to_vec(), (0, 0)));
}

#[test]
fn the_other_end_may_have_logged_the_request() {
    let lines = [
        r#"{"at":"b","dir":"out","id":1}"#,
        r#"{"at":"a","dir":"out","id":1,"method":"open"}"#,
        r#"{"at":"b","dir":"in","id":2,"method":"shut"}"#,
        r#"{"at":"a","dir":"in","id":2}"#,
        r#"{"at":"b","dir":"out","id":2}"#,
    ];
    let mut asked = made(MAP, &lines);
    // One file: a response before its request is at another lifeline, and those are in no order.
    asked.0.sort();
    let expected = ["a!open", "a?shut result", "b!shut result", "b!unasked result", "b?shut"];
    assert_eq!(asked.0, expected);
}

#[test]
fn requests_that_are_left_out_have_their_responses_all_the_same() {
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"beat"}"#,
        r#"{"at":"b","dir":"out","id":1}"#,
        r#"{"at":"a","dir":"in","id":1}"#,
        r#"{"at":"a","dir":"out","id":1,"method":"open"}"#,
        r#"{"at":"b","dir":"out","id":1,"error":{}}"#,
        r#"{"at":"a","dir":"in","id":1,"error":{}}"#,
    ];
    let kept = ["a!open", "a?open error", "b!open error"];
    for left_out in [
        r#"[[drop]]
        when = [{ method = "beat" }, { "request.method" = "beat" }]"#,
        "[[rule]]
        when = { method = \"beat\" }
        drop = true
        [[rule]]
        when = { \"request.method\" = \"beat\" }
        drop = true
        [[rule]]
        lifeline = \"at\"",
    ] {
        let (mut events, counts) = made(&format!("{left_out}\n{MAP}"), &lines);
        events.sort();
        assert_eq!((events, counts), (kept.map(str::to_owned).to_vec(), (0, 0)), "{left_out}");
    }
}

#[test]
fn responses_that_are_left_out_answer_no_request() {
    let lines = [
        r#"{"at":"a","dir":"out","id":1,"method":"ask"}"#,
        r#"{"at":"a","dir":"in","id":1,"dup":"true","error":{}}"#,
        r#"{"at":"a","dir":"in","id":1}"#,
        r#"{"at":"a","dir":"in","id":9,"dup":"true","error":{}}"#,
    ];
    let expected = ["a!ask", "a?ask result"].map(str::to_owned).to_vec();
    for left_out in [
        "[[drop]]\nwhen = { dup = \"true\" }\n",
        "[[drop]]\nwhen = { reply = \"error\" }\n",
        "[[keep]]\nwhen = { dup = { exists = false } }\n",
        "[[rule]]\nwhen = { dup = \"true\" }\ndrop = true\n",
        "[[rule]]\nwhen = { dup = \"true\" }\nactions = []\n",
        "[[drop]]\nwhen = { dup = \"true\", \"request.method\" = { not = \"ask\" } }\n[[keep]]\nwhen = [{ method = { exists = true } }, { \"request.method\" = \"ask\", dup = { exists = false } }]\n",
    ] {
        let map = format!("{MAP}{left_out}");
        assert_eq!(made(&map, &lines), (expected.clone(), (0, 0)), "{left_out}");
    }
    // What depends on the request is decided when it is known.
    let of_request = format!("{MAP}[[drop]]\nwhen = {{ \"request.method\" = \"ask\" }}\n");
    let expected = ["a!ask", "a?unasked result", "a?unasked error"].map(str::to_owned).to_vec();
    assert_eq!(made(&of_request, &lines), (expected, (0, 2)));
}

#[test]
fn a_mapping_may_name_responses_itself() {
    let map = r#"
        [event]
        session = ["sid", "request.sid"]
        lifeline = "at"
        direction = { field = "dir", emission = "out", reception = "in" }
        message = ["{p|json[2]}.req", "{request.p|json[2]}.conf({p|json[2].status})", "{request.p|json[2]}.{reply}"]
        reply-to = { request = "p|json[1]", response = "p|json[1]", message = { field = "p", match = '^\[2,"[^"]*","(\w+)"' }, failed = { "p|json[0]" = "4" } }
        [[rule]]
        when = { "p|json[0]" = "2" }
        message = "{p|json[2]}.req"
        [[rule]]
        when = { "p|json[2].status" = { exists = true } }
        message = "{request.p|json[2]}.conf({p|json[2].status})"
        [[rule]]
        message = "{request.p|json[2]}.{reply}"
    "#;
    let lines = [
        r#"{"at":"cp","dir":"out","sid":"k","p":"[2,\"x\",\"Boot\",{}]"}"#,
        r#"{"at":"cp","dir":"in","p":"[3,\"x\",{\"status\":\"Accepted\"}]"}"#,
        r#"{"at":"cp","dir":"out","sid":"k","p":"[2,\"y\",\"Beat\",{}]"}"#,
        r#"{"at":"cp","dir":"in","p":"[4,\"y\",\"Internal\"]"}"#,
    ];
    let (events, counts) = made(map, &lines);
    let expected = ["cp!Boot.req", "cp?Boot.conf(Accepted)", "cp!Beat.req", "cp?Beat.error"];
    assert_eq!((events, counts), (expected.map(str::to_owned).to_vec(), (0, 0)));
}

#[test]
fn requests_and_responses_may_be_in_two_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("out.jsonl", "{\"id\":1}\n{\"id\":1,\"error\":{}}\n");
    write("in.jsonl", "{\"id\":1,\"method\":\"a\"}\n{\"id\":1,\"method\":\"b\"}\n");
    let map = r#"
        [event]
        session = { text = "s" }
        location = "@stem"
        lifeline = { text = "server" }
        message = "method"
        reply-to = { request = "id", response = "id" }
        [[rule]]
        when = { method = { exists = true } }
        direction = "reception"
        [[rule]]
        direction = "emission"
    "#;
    let files = InputFiles::list(&[folder.path().to_owned()]).expect("a folder");
    let log = EventLog::of_files(mapping(map), files, "-");
    let (alphabet, assembler) = (Alphabet::default(), log.assembler());
    let mut collector = Collector::new(log.reader(&alphabet, Arc::default(), false), 1 << 20);
    while collector.read().expect("room").is_some() {}
    let Collected { sessions, .. } = collector.finish().expect("room");
    let (mut sessions, mut session) = (EventSessions::Merged(sessions), Session::default());
    let mut events = Vec::new();
    for item in sessions.next_batch(1).expect("room") {
        let EventItem::Sessions { sessions, .. } = item else { continue };
        for of in &sessions {
            assembler
                .assemble(of, &alphabet, &mut session)
                .unwrap_or_else(|error| panic!("{}", error.problem));
            events.extend(session.foreign.iter().flat_map(|trace| trace.events.clone()));
        }
    }
    events.sort();
    assert_eq!(events, ["server!a result", "server!b error", "server?a", "server?b"]);
}

#[test]
fn what_cannot_be_a_reply_is_told() {
    let errors = |text: &str| {
        Mapping::parse(&Source::new("map.toml", text))
            .err()
            .map_or(String::new(), |it| it.to_string())
    };
    let with = |reply: &str, more: &str| {
        errors(
            &MAP.replace("{ request = \"id\", response = \"id\" }", reply)
                .replace("[event]", &format!("{more}\n[event]")),
        )
    };
    assert!(with("{ request = \"id\" }", "").contains("`response` is missing"));
    assert!(
        with("{ request = \"id\", response = \"id\", to = \"x\" }", "").contains("unknown key")
    );
    assert!(
        with("{ request = \"id\", response = \"id\" }", "[[join]]\nfield = \"k\"")
            .contains("goes neither with")
    );
    for message in ["", "message = [\"{request.method}\"]\n"] {
        let error = errors(&MAP.replace("message = \"method\"\n", message));
        assert!(error.contains("which field names requests?"), "{message}: {error}");
    }
}
