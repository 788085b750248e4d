//! The usual mistakes in mappings: each is reported with its file, line and column, with the text found there in the
//! log, and with the text to write instead.

use crate::common::run::multitrace_in;
use std::fmt::Write;
use tempfile::TempDir;

const SPEC: &str = "seq(client -- \"GET /cart\" -> shop, shop -- reply -> client)\n";

/// A mapping without mistakes, whose lines are replaced.
const MAPPING: &str = r#"[event]
session = "id"
lifeline = "at"
direction = { field = "dir", emission = "send", reception = "recv" }
message = "msg"
order = "ts"
"#;

const LOG: &str = r#"{"id":1,"at":"client","dir":"send","msg":"GET /cart","ts":"2024-05-01 10:00:00,123"}
"#;

const TEXT: &str = "Dec  9 04:05:05 client send GET /cart id=1\nstarted\n";

struct Mistake {
    title: &'static str,
    mapping: String,
    log: (&'static str, &'static str),
    command: &'static [&'static str],
}

const CHECK: &[&str] = &["check", "spec.hif", "--output-format", "json"];
const COMPARE: &[&str] = &["map", "--check", "spec.hif"];

/// One line of the mapping replaced, or, with nothing to replace, lines added.
fn edited(title: &'static str, line: &str, by: &str) -> Mistake {
    let mapping = match line {
        "" => format!("{MAPPING}{by}\n"),
        _ => {
            assert!(MAPPING.contains(line), "{title}");
            MAPPING.replace(line, by)
        }
    };
    Mistake { title, mapping, log: ("log.jsonl", LOG), command: CHECK }
}

impl Mistake {
    /// With records that no rule matches as errors.
    fn strict(self) -> Mistake {
        Mistake { mapping: format!("unmatched = \"error\"\n{}", self.mapping), ..self }
    }
}

/// A mapping of plain text.
fn of_text(title: &'static str, mapping: &str) -> Mistake {
    Mistake { title, mapping: mapping.to_owned(), log: ("log.txt", TEXT), command: CHECK }
}

fn shown(mistake: &Mistake) -> String {
    shown_with(mistake, "\n")
}

/// The output of the tool, with these line ends in all files.
fn shown_with(mistake: &Mistake, line_end: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let (name, log) = mistake.log;
    for (name, text) in [("spec.hif", SPEC), ("map.toml", &mistake.mapping), (name, log)] {
        std::fs::write(folder.path().join(name), text.replace('\n', line_end)).expect("a file");
    }
    let args = [mistake.command, &[name, "--events", "map.toml"]].concat();
    let run = multitrace_in(Some(folder.path()), &args, &[]);
    let told = if run.code == 2 { run.err } else { format!("{}{}", run.out, run.err) };
    format!("## {}\n\n{}\n", mistake.title, told.trim_end())
}

#[test]
fn usual_mistakes_are_told_with_place_value_and_remedy() {
    let text: String = mistakes().iter().map(shown).fold(String::new(), |mut all, text| {
        let _ = writeln!(all, "{text}");
        all
    });
    insta::assert_snapshot!(text);
}

#[test]
fn mistakes_in_files_with_line_ends_of_windows_are_told_in_the_same_way() {
    for mistake in mistakes() {
        assert_eq!(shown_with(&mistake, "\r\n"), shown(&mistake));
    }
}

fn mistakes() -> Vec<Mistake> {
    let groups = [
        in_keys_and_times(),
        in_rules(),
        of_records(),
        of_tables(),
        of_names(),
        of_several(),
        of_formats_and_days(),
    ];
    groups.into_iter().flatten().collect()
}

/// Mistakes that the mapping shows alone.
fn in_keys_and_times() -> Vec<Mistake> {
    let order = "order = \"ts\"";
    vec![
        edited("A misspelt key", "message =", "mesage ="),
        edited("A key that means nothing", "", "color = \"red\""),
        edited("A misspelt test", "", "[[drop]]\nwhen = { msg = { exist = false } }"),
        edited("New names of sessions", "", "[rename.sessions]\n\"1\" = \"one\""),
        edited("A value of another type", order, "order = 3"),
        edited("No TOML", "session = \"id\"", "session = id"),
        edited("An unknown format of the input", "", "[input]\nformat = \"jsno\""),
        edited(
            "An unknown letter of a format",
            order,
            "order = { field = \"ts\", format = \"%Y-%m-%d %K\" }",
        ),
        edited(
            "An unknown name of a format",
            order,
            "order = { field = \"ts\", format = \"sislog\" }",
        ),
        edited(
            "A format without its year",
            order,
            "order = { field = \"ts\", format = \"syslog\" }",
        ),
        edited(
            "An unknown zone",
            order,
            "order = { field = \"ts\", format = \"comma\", zone = \"Europe/Pari\" }",
        ),
        edited(
            "A bad gap",
            "session = \"id\"",
            "session = { field = \"id\", gap = \"thirty minutes\" }",
        ),
        Mistake {
            mapping: MAPPING.replace("\"id\"", "{ field = \"id\", gap = \"30m\" }")
                + "[[keep-session]]\nwhen = { dir = \"send\" }\nsession = { field = \"id\", gap = \"1h\" }\n",
            ..edited("Two gaps", "", "")
        },
    ]
}

/// The same in rules, patterns and parts of events.
fn in_rules() -> Vec<Mistake> {
    vec![
        edited("A bad regular expression", "", "[[drop]]\nwhen = { msg = '/GET (/' }"),
        edited(
            "An unknown group in a rename",
            "",
            "[rename.messages]\n'/^(?<method>\\w+) .*$/' = \"$verb\"",
        ),
        of_text(
            "An unknown fragment",
            "[input]\npatterns = ['^(?<id>%{wrod}) ']\n[event]\nsession = \"id\"\nlifeline = \"id\"\nmessage = \"id\"\ndirection = \"emission\"\n",
        ),
        edited("A drop without condition", "", "[[drop]]\nname = \"noise\""),
        edited("An action without mark", "", "[[rule]]\nactions = [\"{at} {msg}\"]"),
        edited("A field that is not closed", "message = \"msg\"", "message = \"{msg\""),
        edited("No session", "session = \"id\"\n", ""),
        edited(
            "No direction",
            "direction = { field = \"dir\", emission = \"send\", reception = \"recv\" }\n",
            "",
        ),
        edited(
            "A role for several without a number",
            "",
            "[[role]]\nlifeline = \"client\"\nfield = \"at\"\nmost = 3\nwhen = { dir = \"send\" }",
        ),
    ]
}

/// Mistakes that only a log shows.
fn of_records() -> Vec<Mistake> {
    let ties = "{\"id\":1,\"at\":\"shop\",\"dir\":\"recv\",\"msg\":\"GET /cart\",\"ts\":7}\n{\"id\":1,\"at\":\"shop\",\"dir\":\"send\",\"msg\":\"reply\",\"ts\":7}\n";
    vec![
        edited("A field that no record has", "message = \"msg\"", "message = \"mgs\""),
        edited("A session that no record has", "session = \"id\"", "session = \"trace_id\""),
        Mistake {
            log: (
                "log.jsonl",
                "{\"id\":1,\"at\":\"client\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"081109 203615\"}\n",
            ),
            ..edited("An order that is neither a number nor a time", "", "")
        },
        edited(
            "An order in another format",
            "order = \"ts\"",
            "order = { field = \"ts\", format = \"apache\" }",
        ),
        Mistake { log: ("log.jsonl", ties), ..edited("Two events with one order", "", "") },
        edited("A direction that is not listed", "emission = \"send\"", "emission = \"sent\"")
            .strict(),
        of_text(
            "A pattern that matches no line",
            "unmatched = \"error\"\n[input]\npatterns = ['^(?<at>\\w+): (?<msg>.*) id=(?<id>\\d+)$']\n[event]\nsession = \"id\"\nlifeline = \"at\"\nmessage = \"msg\"\ndirection = \"emission\"\n",
        ),
        of_text(
            "A group that no pattern has",
            "[input]\npatterns = ['(?<at>client) send (?<msg>.*) id=(?<id>\\d+)$']\n[event]\nsession = \"id\"\nlifeline = \"at\"\nmessage = \"message\"\ndirection = \"emission\"\n",
        ),
    ]
}

/// The same for parts that a table or a record lacks.
fn of_tables() -> Vec<Mistake> {
    let table = |title, mapping: &str, log| Mistake {
        title,
        mapping: mapping.to_owned(),
        log: ("log.csv", log),
        command: CHECK,
    };
    let rule = "[[rule]]\nwhen = { kind = \"call\" }\nactions = [\"{at}!{msg}\"]\n";
    let spans = "unmatched = \"error\"\n[spans]\nkind = \"kind\"\nstart = \"ts\"\nend = \"ts\"\nsession = \"id\"\nlifeline = \"at\"\nmessage = \"msg\"\n";
    let csv = "id,at,dir,msg,ts\n1,client,send,GET /cart,7\n";
    vec![
        table(
            "A column that the table does not have",
            &format!("unmatched = \"error\"\n[event]\nsession = \"id\"\n{rule}"),
            csv,
        ),
        table("A kind of spans that the table does not have", spans, csv),
        Mistake {
            log: ("log.jsonl", LOG),
            ..table("A kind of spans that no record has", spans, csv)
        },
        Mistake {
            log: ("log.jsonl", "{\"id\":1,\"at\":\"\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":7}\n"),
            ..edited("An empty lifeline", "", "")
        },
        Mistake {
            log: ("log.unknown", "what is this\n"),
            ..edited("A log of no known format", "", "")
        },
    ]
}

/// Names that the specification does not have.
fn of_names() -> Vec<Mistake> {
    let number = "order = { field = \"ts\", format = \"comma\" }";
    let named = |title, line, by| {
        let mistake = edited(title, line, by);
        let mapping = mistake.mapping.replace("order = \"ts\"", number);
        Mistake { mapping, command: COMPARE, ..mistake }
    };
    let role = "[[role]]\nlifeline = \"client{n}\"\nfield = \"at\"\nmost = 1";
    let two = "{\"id\":1,\"at\":\"a\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"2024-05-01 10:00:00,123\"}\n{\"id\":1,\"at\":\"b\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"2024-05-01 10:00:00,124\"}\n";
    vec![
        named(
            "A lifeline that the specification lacks",
            "lifeline = \"at\"",
            "lifeline = \"{at}s\"",
        ),
        named(
            "A message that the specification lacks",
            "message = \"msg\"",
            "message = \"{msg}s\"",
        ),
        Mistake { log: ("log.jsonl", two), ..named("A role over its limit", "", role) },
    ]
}

/// Records that contradict one another, or lack a part that another should have.
fn of_several() -> Vec<Mistake> {
    let of_log = |title, mapping: String, log: &'static str| Mistake {
        title,
        mapping,
        log: ("log.jsonl", log),
        command: CHECK,
    };
    let joined = "{\"id\":1,\"req\":\"r-7\",\"at\":\"shop\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":1}\n{\"id\":2,\"req\":\"r-7\",\"at\":\"shop\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":2}\n{\"at\":\"shop\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":3,\"req\":\"r-7\"}\n";
    let replicas = "{\"id\":1,\"at\":\"n1\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":7}\n{\"id\":1,\"at\":\"n2\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":7}\n";
    let spans = "{\"trace\":\"t\",\"span\":\"1\",\"kind\":\"CLIENT\",\"at\":\"a\",\"ts\":1,\"end\":2}\n{\"trace\":\"t\",\"span\":\"2\",\"up\":\"1\",\"kind\":\"SERVER\",\"at\":\"b\",\"ts\":1,\"end\":2}\n";
    let role = |name: &str, more: &str| {
        format!("{MAPPING}[[role]]\nlifeline = \"{name}\"\nfield = \"at\"\n{more}\n")
    };
    vec![
        of_log("An id of two sessions", format!("{MAPPING}[[join]]\nfield = \"req\"\n"), joined),
        of_log("Replicas whose order is not known", role("dn{n}", "most = 3"), replicas),
        of_log("A role that two have", role("leader", "when = { dir = \"send\" }"), replicas),
        of_log(
            "Two roles of one",
            role("a", "when = { at = \"n1\" }") + "[[role]]\nlifeline = \"b\"\nfield = \"at\"\nwhen = { dir = \"send\", at = \"n1\" }\n",
            replicas,
        ),
        of_log(
            "A field that the callee lacks",
            "[spans]\nid = \"span\"\nparent = \"up\"\nkind = \"kind\"\nstart = \"ts\"\nend = \"end\"\nsession = \"trace\"\nlifeline = \"at\"\nmessage = \"{callee.nam}\"\n".to_owned(),
            spans,
        ),
    ]
}

/// Inputs that are written in an unusual way, and times that do not say their day.
fn of_formats_and_days() -> Vec<Mistake> {
    let of_days = |title, format: &str, log| {
        let order = format!("order = {{ field = \"ts\", {format} }}");
        Mistake { log: ("log.jsonl", log), ..edited(title, "order = \"ts\"", &order) }
    };
    let night = "{\"id\":1,\"at\":\"client\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"23:59:58\"}\n{\"id\":1,\"at\":\"client\",\"dir\":\"recv\",\"msg\":\"reply\",\"ts\":\"00:00:02\"}\n";
    let new_year = "{\"id\":1,\"at\":\"client\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"Dec 31 23:59:58\"}\n{\"id\":1,\"at\":\"client\",\"dir\":\"recv\",\"msg\":\"reply\",\"ts\":\"Jan  1 00:00:02\"}\n";
    let role = "format = \"%H:%M:%S\" }\n[[role]]\nlifeline = \"client\"\nfield = \"at\"\nwhen = { id = \"1\" }\n#";
    let two_nodes = "{\"id\":1,\"at\":\"n1\",\"dir\":\"send\",\"msg\":\"GET /cart\",\"ts\":\"23:59:58\"}\n{\"id\":1,\"at\":\"n2\",\"dir\":\"send\",\"msg\":\"m\",\"ts\":\"00:00:02\"}\n";
    let elements =
        MAPPING.replace("\"msg\"", "\"each.name\"") + "[input]\nfor-each = \"calls[]\"\n";
    let calls = "{\"id\":1,\"at\":\"client\",\"dir\":\"send\",\"ts\":1,\"calls\":[{\"names\":\"GET /cart\"}]}\n";
    let reply = "reply-to = { request = \"id\", response = \"id\" }\n[[join]]\nfield = \"req\"";
    let table = "sep=;\nid;at;dir;msg;ts\n1;client;send;GET /cart;7\n";
    let stream = "36 <34>Oct 11 22:14:15 client GET /cart99 <34>Oct 11 22:14:15 client GET /cart\n";
    let damaged = "id=1 at=client dir=send msg=\"GET /cart\" ts=1\nid=1 at=client dir=recv msg=reply ts=2\nid=1 at=cl\n";
    vec![
        of_days("A session that passes midnight", "format = \"%H:%M:%S\"", night),
        of_days("A session that passes new year", "format = \"syslog\", year = 2024", new_year),
        of_days("A role whose first record may be of another day", role, two_nodes),
        of_days("A day without its month", "format = \"%d %H:%M:%S\"", night),
        Mistake {
            mapping: elements,
            log: ("log.jsonl", calls),
            ..edited("A field that the elements of a list lack", "", "")
        },
        edited("Replies beside joins", "order = \"ts\"", reply),
        edited("A delimiter of two characters", "", "[input]\ndelimiter = \", \""),
        Mistake {
            log: ("log.csv", table),
            ..edited("A table that names another delimiter", "", "")
        },
        Mistake {
            log: ("log", stream),
            ..edited("A message of syslog behind a wrong length", "", "")
        },
        Mistake { log: ("log", damaged), ..edited("A damaged line among pairs", "", "") },
    ]
}
