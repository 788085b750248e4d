//! Mappings: the results of records, and errors in the text of a mapping.

use super::common::{grouped, map, mapping};
use multitrace_formats::source::Source;
use multitrace_interaction::{ActionKind, names};
use multitrace_logs::{
    Binding, Events, Format, MappedRecord, Mapping, OrderKey, RecordBatches, RecordPlace, RoleId,
    Unmatched,
};
use proptest::prelude::*;

fn errors(text: &str) -> Vec<String> {
    match Mapping::parse(&Source::new("m", text)) {
        Ok(_) => Vec::new(),
        Err(error) => error.lines().collect(),
    }
}

#[test]
fn an_event_of_fields() {
    let mapping = mapping(
        r#"
        unmatched = "error"
        [event]
        session = "id"
        lifeline = "at"
        direction = { field = "dir", emission = ["send", "->"], reception = "/^rec/" }
        message = "{kind}_{n}"
        order = "t"
        "#,
    );
    assert_eq!(mapping.unmatched(), Unmatched::Error);
    let input = br#"{"id":1,"at":"a","dir":"send","kind":"m","n":7,"t":1}
{"id":1,"at":"b","dir":"received","kind":"m","n":7,"t":"2"}
{"id":1,"at":"b","dir":"other"}
{"id":1,"at":"b","dir":"->","kind":"m","t":3}
{"id":1,"at":"b","dir":"->","kind":"m","n":1,"t":"soon"}
{"id":1,"at":"","dir":"->","kind":"m","n":1,"t":3}
"#;
    assert_eq!(
        map(&mapping, input, Format::JsonLines),
        [
            "1 a!m_7",
            "1 b?m_7",
            "`dir` is `other`, which is neither an emission nor a reception",
            "it has no field `n`",
            "`t` is `soon`, which is neither a number nor a time",
            "its lifeline is empty",
        ]
    );
}

#[test]
fn rules_make_several_actions_filters_leave_out() {
    let mapping = mapping(
        r#"
        [event]
        session = "{src}~{dst}"
        [[drop]]
        name = "noise"
        when = { level = "debug", src = { exists = true } }
        [[keep]]
        when = { src = { exists = true } }
        [[rule]]
        name = "skip"
        when = { msg = ["Ping", "Pong"] }
        drop = true
        [[rule]]
        when = [{ msg = "/^Hello/", ok = true }, { msg = "Bye" }]
        actions = ["{src}!{msg}", "{dst}?{msg}"]
        [[rule]]
        when = { msg = { not = "Secret" } }
        lifeline = "dst"
        direction = "reception"
        message = { text = "other" }
        session = { text = "one" }
        "#,
    );
    let input = br#"{"src":"a","dst":"b","msg":"Hello1","ok":true}
{"src":"a","dst":"b","msg":"Hello2","ok":false}
{"src":"a","dst":"b","msg":"Bye"}
{"src":"a","dst":"b","msg":"Ping"}
{"src":"a","dst":"b","msg":"Bye","level":"debug"}
{"msg":"Bye"}
{"src":"a","dst":"b","msg":"Secret"}
"#;
    assert_eq!(
        map(&mapping, input, Format::JsonLines),
        [
            "a~b a!Hello1",
            "a~b b?Hello1",
            "one b?other",
            "a~b a!Bye",
            "a~b b?Bye",
            "dropped by skip",
            "dropped by noise",
            "dropped by [[keep]]",
            "unmatched",
        ]
    );
}

#[test]
fn names_are_changed_exactly_or_by_pattern() {
    let mapping = mapping(
        r#"
        [event]
        session = "s"
        lifeline = "pod"
        direction = "emission"
        message = "op"
        [rename]
        clean = true
        [rename.lifelines]
        "db-0" = "database"
        '/-[0-9a-f]+-\w{5}$/' = ""
        [rename.messages]
        '/^.*\/(\w+)$/' = "$1"
        "#,
    );
    let input = b"s,pod,op\n1,frontend-579b9bff58-t2dbm,shop.Cart/Add\n1,db-0,get /\n";
    assert_eq!(map(&mapping, input, Format::Csv), ["1 frontend!Add", "1 database!get__"]);
}

#[test]
fn each_action_can_have_its_own_order() {
    let mapping = mapping(
        r#"
        [[rule]]
        session = "id"
        actions = [
            { action = "c!{op}", order = "start" },
            { action = "c?{op}_return", order = "end" },
        ]
        "#,
    );
    let input = b"id,op,start,end\n1,get,10,20\n";
    let batches =
        RecordBatches::new("f", &input[..], Format::Csv, mapping.input(), mapping.fields());
    let mut events = Events::default();
    for batch in batches.expect("readable") {
        batch.expect("readable").for_each(|record| {
            let outcome = mapping.map(record.expect("a record"), &mut events);
            assert!(
                matches!(outcome, MappedRecord::Mapped { rule } if mapping.rule_line(rule) == 2)
            );
        });
    }
    let orders: Vec<_> = events.iter().map(|event| event.order).collect();
    assert_eq!(orders, [OrderKey::parse("10"), OrderKey::parse("20")]);
    assert!(mapping.is_ordered());
}

/// The result of one record with this order and these fields.
fn with_order(order: &str, record: &str) -> String {
    let text = format!(
        "[event]\nsession = {{ text = \"s\" }}\nlifeline = {{ text = \"a\" }}\n\
         direction = \"emission\"\nmessage = {{ text = \"m\" }}\norder = {order}\n"
    );
    map(&mapping(&text), record.as_bytes(), Format::JsonLines).join("\n")
}

#[test]
fn orders_are_read_as_their_formats_say() {
    for (order, record) in [
        (r#"["ts", "seq"]"#, r#"{"ts":5,"seq":"2024-05-01T10:00:00Z"}"#),
        (r#"{ field = "{d} {t}", format = "%y%m%d %H%M%S" }"#, r#"{"d":"081109","t":"203615"}"#),
        (r#"{ field = "ts", format = "syslog", year = 2024 }"#, r#"{"ts":"Feb 29 10:00:00"}"#),
        (r#"[{ field = "ts", format = "date" }, "n"]"#, r#"{"ts":"2024-05-01","n":1}"#),
    ] {
        assert_eq!(with_order(order, record), "s a!m", "{order} {record}");
    }
}

#[test]
fn an_order_that_cannot_be_read_names_the_format_that_would() {
    for (order, record, expected) in [
        (
            r#""ts""#,
            r#"{"ts":"081109 203615"}"#,
            "`ts` is `081109 203615`, which is neither a number nor a time",
        ),
        (
            r#"{ field = "{d} {t}", format = "apache" }"#,
            r#"{"d":"Dec  9","t":"04:05:05"}"#,
            "its order is `Dec  9 04:05:05`, which is not written as `%d/%b/%Y:%H:%M:%S %z`, or no \
             time of its zone",
        ),
        (
            r#"{ field = "ts", format = "epoch-ms" }"#,
            r#"{"ts":"soon"}"#,
            "`ts` is `soon`, which is not written as `epoch-ms`, or no time of its zone",
        ),
        (r#"["ts", "seq"]"#, r#"{"ts":5}"#, "it has no field `seq`"),
    ] {
        assert_eq!(with_order(order, record), expected, "{order}");
    }
}

const ROLES: &str = r#"
    [event]
    session = "s"
    order = "t"
    [[role]]
    lifeline = "client"
    field = "src"
    when = { msg = "Hello" }
    [[role]]
    lifeline = "server"
    field = "dst"
    when = { msg = "Hello" }
    [[rule]]
    actions = ["{src}!{msg}", "{dst}?{msg}"]
"#;

/// The actions of an input of one session with its roles.
fn with_roles(input: &str) -> Result<Vec<String>, String> {
    let mapping = mapping(ROLES);
    let batches =
        RecordBatches::new("f", input.as_bytes(), Format::Csv, mapping.input(), mapping.fields());
    let mut events = Events::default();
    for batch in batches.expect("readable") {
        batch.expect("readable").for_each(|record| {
            mapping.map(record.expect("a record"), &mut events);
        });
    }
    let roles =
        mapping.all_role_names(events.bindings(), |_| false).map_err(|error| error.to_string())?;
    let roles = &roles[0];
    let shown = events.iter().map(|event| {
        let event = multitrace_logs::Event { lifeline: roles.name(event.lifeline), ..event };
        event.to_string()
    });
    Ok(shown.collect())
}

#[test]
fn roles_are_bound_by_the_first_record_in_order() {
    let input = "s,t,src,dst,msg\n1,5,9.9:1,1.1:443,Hello\n1,3,1.1:443,9.9:1,Early\n1,4,9.9:1,1.1:443,Hello\n";
    let actions = with_roles(input).expect("roles");
    assert_eq!(
        actions,
        [
            "client!Hello",
            "server?Hello",
            "server!Early",
            "client?Early",
            "client!Hello",
            "server?Hello"
        ]
    );
}

#[test]
fn roles_that_nobody_or_two_have_are_told() {
    let actions = with_roles("s,t,src,dst,msg\n1,5,a,b,Bye\n").expect("roles");
    assert_eq!(actions, ["a!Bye", "b?Bye"], "nobody says Hello, so nobody has a role");
    let tie = with_roles("s,t,src,dst,msg\n1,5,a,b,Hello\n1,5,c,b,Hello\n").expect_err("a tie");
    assert!(tie.contains("lifeline `client` (map.toml:5:1) is `a` or `c`"), "{tie}");
    let same = with_roles("s,t,src,dst,msg\n1,5,a,a,Hello\n").expect_err("the same");
    assert!(same.contains("`a` is both lifeline `client`"), "{same}");
}

/// Records `node,at`, one a line, of a mapping with this role.
fn replicas(role: &str, records: &str) -> Vec<String> {
    let text = format!(
        "[event]\nsession = {{ text = \"s\" }}\n[[role]]\nlifeline = \"dn{{n}}\"\nmost = 2\n\
         field = \"node\"\n{role}[[rule]]\nactions = [\"{{node}}!m\"]\n"
    );
    let input = format!("node,at\n{records}");
    let shown = map(&mapping(&text), input.as_bytes(), Format::Csv);
    shown.iter().map(|line| line["s ".len()..line.len() - "!m".len()].to_owned()).collect()
}

#[test]
fn replicas_are_numbered_by_their_first_record_or_their_order() {
    assert_eq!(replicas("", "b,9\na,1\nb,2\nc,3\nd,4\n"), ["dn1", "dn2", "dn1", "dn>2", "dn>2"]);
    assert_eq!(replicas("order = \"at\"\n", "b,9\na,1\nb,2\n"), ["dn2", "dn1", "dn2"]);
    // Found in two ways, they are numbered together.
    let other = "when = { at = \"1\" }\n[[role]]\nlifeline = \"dn{n}\"\nmost = 2\nfield = \"node\"\n\
                 when = { at = \"2\" }\n";
    assert_eq!(replicas(other, "b,2\na,1\nc,3\n"), ["dn1", "dn2", "c"]);
}

#[test]
fn replicas_with_one_order_are_not_numbered_by_guessing() {
    let text = |ties: &str| {
        format!(
            "[event]\nsession = \"s\"\norder = \"t\"\n{ties}[[role]]\nlifeline = \"dn{{n}}\"\nmost = 2\n\
             field = \"node\"\n[[rule]]\nactions = [\"{{node}}!m\"]\n"
        )
    };
    let names = |ties: &str| {
        let mapping = mapping(&text(ties));
        let binding = |value| Binding {
            role: RoleId::new(0),
            session: multitrace_logs::SessionRef::Named("s"),
            value,
            order: OrderKey::parse("7"),
            place: RecordPlace::line(1),
            file: 0,
        };
        let all = mapping.all_role_names(["b", "a"].map(binding), |_| false);
        let names = all.map(|all| all.iter().map(|it| it.name("a").to_owned()).collect::<Vec<_>>());
        names.map_err(|error| error.to_string())
    };
    assert!(names("").expect_err("a tie").contains("lifeline `dn{n}` "));
    assert_eq!(names("ties = \"file\"\n"), Ok(vec!["dn2".to_owned()]));
    assert_eq!(names("ties = \"any\"\n"), Ok(vec!["dn2".to_owned(), "dn1".to_owned()]));
}

#[test]
fn replicas_need_a_number_and_how_many_there_are() {
    let role = |lines: &str| {
        let text = format!(
            "[event]\nsession = \"s\"\n[[role]]\nfield = \"x\"\nwhen = {{ x = 1 }}\n{lines}[[rule]]\nactions = []\n"
        );
        errors(&text)
    };
    assert_eq!(
        role("lifeline = \"dn{n}\"\n"),
        ["m:6:12: how many replicas may there be? `most` is a number from 1"]
    );
    assert_eq!(
        role("lifeline = \"dn{n}\"\nmost = 0\n"),
        ["m:7:8: how many replicas may there be? `most` is a number from 1"]
    );
    assert_eq!(
        role("lifeline = \"dn\"\nmost = 2\n"),
        ["m:7:8: the lifeline of this role has no number"]
    );
}

#[test]
fn all_errors_of_a_mapping_are_told_at_their_places() {
    let text = "unmatched = \"never\"\n[evnt]\n[event]\nsession = \"a..b\"\nmesage = \"x\"\n\
                [[rule]]\nactions = [\"no action\", \"{a!b\", \"!m\"]\n\
                [[rule]]\nwhen = { a = \"/(/\" }\nactions = []\n\
                [input]\nformat = \"jsonlines\"\n";
    assert_eq!(
        errors(text),
        [
            "m:1:13: expected \"ignore\", \"count\" or \"error\"",
            "m:2:2: unknown key `evnt`",
            "m:4:11: `a..b` names no field: a key is empty",
            "m:5:1: unknown key `mesage`",
            "m:7:12: `no action` is not an action",
            "m:7:25: `{a!b` is not an action",
            "m:7:33: the action has no lifeline",
            "m:9:14: no regular expression: unclosed group",
            "m:12:10: unknown format `jsonlines`",
        ]
    );
    assert_eq!(errors("[event\n"), ["m:1:7: not TOML: unclosed table, expected `]`"]);
    assert_eq!(errors(""), ["m:1:1: the mapping makes no events"]);
    // Of a misspelt preset nothing else is known.
    for more in ["", "[event]\nsession = 'a'\n"] {
        let text = format!("[input]\nformat = 'jaegr'\n{more}");
        assert_eq!(errors(&text), ["m:2:10: unknown format `jaegr`"]);
    }
    assert_eq!(
        errors("[event]\nsession = 'a'"),
        [
            "m:1:1: the lifeline is missing",
            "m:1:1: the direction is missing",
            "m:1:1: the message is missing",
        ]
    );
}

#[test]
fn a_rename_with_an_unknown_group_is_an_error_at_its_place() {
    let text = "[event]\nsession = 'a'\nlifeline = 'b'\ndirection = 'emission'\nmessage = 'c'\n\
                [rename.messages]\n'/(\\d+)_OK/' = '$1_done'\n'/(\\d+)_NO/' = '${1}_failed'\n";
    assert_eq!(errors(text), ["m:7:16: the pattern has no group `1_done`"]);
    let text = text.replace("(\\d+)_OK", "(\\d+)_(?<how>OK)");
    let error = Mapping::parse(&Source::new("m", text)).expect_err("no such group").to_string();
    assert!(error.contains("it has $0, $1, $how ($0 is all that matches)"), "{error}");
}

#[test]
fn a_new_name_that_is_empty_is_an_error_at_its_place() {
    let text = "[event]\nsession = 'a'\nlifeline = 'b'\ndirection = 'emission'\nmessage = 'c'\n\
                [rename.messages]\n'/x/' = ''\n'y' = ''\n";
    assert_eq!(errors(text), ["m:8:7: the new name is empty"]);
}

#[test]
fn a_condition_compares_two_fields() {
    let mapping = mapping(
        "[event]\nsession = 's'\nlifeline = 'at'\nmessage = 'msg'\n\
         direction = { field = 'at', emission = '{src}', reception = ['{dst}', '{\"via.x\"}'] }\n\
         [[drop]]\nwhen = { dst = { not = [{ not = '{src}' }, 'all'] } }\n\
         [[drop]]\nwhen = { msg = { equals = '{src}' } }\n",
    );
    let row = |at: &str, src: &str, dst: &str, msg: &str| format!("1,{at},{src},{dst},{msg},v\n");
    let rows = [
        row("a", "a", "b", "sent"),
        row("b", "a", "b", "got"),
        row("v", "a", "b", "passed"),
        row("c", "a", "b", "seen"),
        row("a", "a", "a", "own"),
        row("a", "a", "all", "cast"),
        row("a", "a", "b", "{src}"),
        // Remembered results are those of the same fields.
        row("a", "b", "a", "sent"),
    ];
    let text = format!("s,at,src,dst,msg,via.x\n{}", rows.concat());
    let expected = [
        "1 a!sent",
        "1 b?got",
        "1 v?passed",
        "`at` is `c`, which is neither an emission nor a reception",
        "dropped by filter of line 6",
        "1 a!cast",
        "dropped by filter of line 8",
        "1 a?sent",
    ];
    assert_eq!(map(&mapping, text.as_bytes(), Format::Csv), expected);
    let made =
        grouped(&mapping, text.replace("1,c,a,b,seen,v\n", "").as_bytes(), Format::Csv, 1 << 20);
    let events = ["a!sent", "a!cast", "a?sent", "b?got", "v?passed"];
    let mut found: Vec<String> = made.sessions.into_iter().flat_map(|(_, it)| it).collect();
    found.sort();
    let mut events = events.map(str::to_owned).to_vec();
    events.sort();
    assert_eq!(found, events);
    // A table without the column of the other field has no answer.
    let lacking = map(&mapping, b"s,at,src,msg\n1,a,a,x\n", Format::Csv);
    assert_eq!(lacking, ["unmatched"]);
}

/// Braces around anything else are a text.
#[test]
fn texts_with_braces_are_compared_as_they_are() {
    let of = |test: &str| {
        let text = format!(
            "[event]\nsession = 'a'\nlifeline = 'b'\ndirection = 'emission'\nmessage = 'c'\n\
             [[drop]]\nwhen = {{ b = {test} }}\n"
        );
        let json = serde_json::json!({"a": 1, "b": test.trim_matches(['\'', ' ']), "c": "x"});
        map(&mapping(&text), json.to_string().as_bytes(), Format::JsonLines)
    };
    for text in ["'/users/{id}'", "'{}'", "'{\"a\":1}'", "'{a}{c}'"] {
        assert_eq!(of(text), ["dropped by filter of line 6"], "{text}");
    }
    let errors = errors(
        "[event]\nsession = 'a'\nlifeline = 'b'\ndirection = 'emission'\nmessage = 'c'\n\
         [[drop]]\nwhen = { b = '{a..c}' }\n",
    );
    assert_eq!(errors, ["m:7:14: `a..c` names no field: a key is empty"]);
}

#[test]
fn a_mapping_has_one_gap() {
    let of = |other: &str| {
        format!(
            "[event]\nsession = {{ field = 'a', gap = '30m' }}\nlifeline = 'b'\ndirection = 'emission'\n\
             message = 'c'\norder = 't'\n[[rule]]\nsession = {{ field = 'd', gap = '{other}' }}\n"
        )
    };
    assert_eq!(errors(&of("30m")), [""; 0]);
    assert_eq!(errors(&of("1800s")), [""; 0]);
    assert_eq!(errors(&of("1h")), ["m:8:32: the gap `1h` differs from the one before"]);
    assert_eq!(errors(&of("soon")), ["m:8:32: no length of time `soon`"]);
}

#[test]
fn records_that_no_rule_matches_are_errors_with_a_reason_or_ignored() {
    let of = |unmatched: &str, log: &str| {
        let text = format!(
            "unmatched = \"{unmatched}\"\n[event]\nsession = \"s\"\nlifeline = \"a\"\n\
             direction = \"emission\"\n[[rule]]\nwhen = {{ kind = \"x\" }}\nmessage = {{ text = \"x\" }}\n"
        );
        super::common::grouped(&mapping(&text), log.as_bytes(), Format::Csv, 1 << 20)
    };
    let without = "s,a,m,kinds\n1,a,n,y\n";
    assert_eq!(
        of("error", without).problems,
        ["error: the table has no column `kind`, which rule of line 6 (map.toml:7:10) tests\n \
          --> log:2:1\n  |\n2 | 1,a,n,y\n  | ^\n  |\n  = help: did you mean `kinds`? its columns are s, a, m, kinds"]
    );
    let with = "s,a,m,kind\n1,a,n,y\n";
    assert_eq!(
        of("error", with).problems,
        [
            "error: no rule of the mapping matches this record; rule of line 6 tests `kind` (map.toml:7:10), which is `y` here\n \
          --> log:2:1\n  |\n2 | 1,a,n,y\n  | ^\n  |\n  = help: add a [[rule]] for it, or a [[drop]], or set unmatched = \"count\""
        ]
    );
    for (unmatched, ignored) in [("ignore", 1), ("count", 0), ("error", 0)] {
        let counts = of(unmatched, with).counts;
        assert_eq!((counts.unmatched, counts.ignored, counts.without_column), (1, ignored, 0));
        assert_eq!(of(unmatched, without).counts.without_column, 1);
    }
}

#[test]
fn spans_emit_and_receive_by_their_kind() {
    let mapping = mapping(
        r#"
        [spans]
        session = "trace"
        lifeline = "service"
        message = "{name}"
        kind = "kind"
        start = "start"
        end = "end"
        returns = "{name}_reply"
        "#,
    );
    let input = b"trace,service,name,kind,start,end\n\
        1,a,get,client,1,9\n1,b,get,SERVER,2,8\n1,b,log,internal,3,4\n1,b,job,producer,5,6\n\
        1,c,job,consumer,7,8\n1,c,job,strange,7,8\n";
    assert_eq!(
        map(&mapping, input, Format::Csv),
        [
            "1 a!get",
            "1 a?get_reply",
            "1 b?get",
            "1 b!get_reply",
            "dropped by [spans] internal",
            "1 b!job",
            "1 c?job",
            "unmatched",
        ]
    );
}

/// A mapping says what kinds are called, also where spans ask for fields of others.
#[test]
fn kinds_of_spans_may_be_called_otherwise() {
    let spans = |kind: &str| {
        format!(
            "[spans]\nsession = \"trace\"\nid = \"id\"\nparent = \"parent\"\nlifeline = \"service\"\n\
             message = [\"{{callee.name}}\", \"{{name}}\"]\nkind = {kind}\nstart = \"start\"\nend = \"end\"\n"
        )
    };
    let kind =
        r#"{ field = "type", client = ["/^Exit/", 3], server = "Entry", internal = "Local" }"#;
    let input = "trace,id,parent,service,name,type,start,end\n1,1,,a,call,ExitSpan,1,9\n1,2,1,b,get,Entry,2,8\n\
                 1,3,2,b,log,Local,3,4\n1,4,2,b,job,PRODUCER,5,6\n1,5,2,b,ask,3,6,7\n";
    let made = grouped(&mapping(&spans(kind)), input.as_bytes(), Format::Csv, 1 << 20);
    let events = made.sessions.into_iter().flat_map(|(_, events)| events).collect::<Vec<_>>();
    assert_eq!(events, ["a!get", "b?get", "b!job", "b!ask"], "{:?}", made.problems);
    // Other keys of the table are slips.
    for wrong in ["{ field = \"type\", client = \"x\", sever = \"y\" }", "{ client = \"x\" }"] {
        assert!(Mapping::parse(&Source::new("m", spans(wrong))).is_err(), "{wrong}");
    }
}

#[test]
fn lifelines_of_actions_may_stand_in_quotes() {
    let mapping = mapping(
        r#"
        [event]
        session = "s"
        [[rule]]
        actions = ['"what?" !{op}', "order-service?GET /{page}!", '"{{{op}\""!m']
        "#,
    );
    assert_eq!(
        map(&mapping, br#"{"s":1,"op":"a?b","page":"x"}"#, Format::JsonLines),
        [r#"1 "what?"!a?b"#, "1 order-service?GET /x!", r#"1 "{a?b\""!m"#]
    );
}

proptest! {
    /// Names of lifelines and messages in a log become those of actions, with any characters.
    #[test]
    fn values_of_any_characters_are_names(lifeline in ".{1,6}", message in r#"[a!?," ]{1,4}"#) {
        let mapping = mapping(
            "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = \"emission\"\nmessage = \"op\"\n",
        );
        let record = serde_json::json!({"s": "1", "at": lifeline, "op": message});
        let shown = map(&mapping, record.to_string().as_bytes(), Format::JsonLines);
        let action = names::action_text(&lifeline, ActionKind::Emission, &message);
        prop_assert_eq!(shown, [format!("1 {action}")]);
    }
}

#[test]
fn signs_that_a_document_is_not_whole_are_fields_around_its_records() {
    let of = |input: &str| {
        errors(&format!(
            "[input]\n{input}\n[event]\nsession = \"s\"\nlifeline = \"a\"\ndirection = \"emission\"\nmessage = \"m\"\n"
        ))
    };
    let records = "records = \"data[].spans[]\"\n";
    for fine in ["\"errors\"", "[\"meta.status = timeout\", \"data[].cut\", \"errors[0].message\"]"]
    {
        assert_eq!(of(&format!("{records}incomplete = {fine}")), [""; 0], "{fine}");
    }
    for wrong in ["data[].spans[].x", "data[].spans", "data", "data[]", "data[0]", "^.x"] {
        let told = of(&format!("{records}incomplete = [\"errors\", \"{wrong}\"]"));
        let message = format!("m:3:25: `{wrong}` is not a field of the objects around the records");
        assert_eq!(told, [message], "{wrong}");
    }
    assert_eq!(of("incomplete = \"errors\""), ["m:2:14: `incomplete` without `records`"]);
}
