//! Sessions: how traces meet the locations of a specification, which errors there are and where,
//! and that printing reads back.

use multitrace_formats::locations;
use multitrace_formats::sessions::{
    parse_htf_session, parse_line, print_htf, print_json_line, print_json_line_with,
};
use multitrace_formats::source::{Source, SourceError};
use multitrace_interaction::{
    Action, ActionKind, Alphabet, ForeignTrace, Id, LetterId, Session, Signature, UnknownEvent,
    names,
};
use proptest::prelude::*;

/// The alphabet of all actions of l1, l2, l3 and the messages m, n.
fn alphabet(groups: &str) -> Alphabet {
    let mut signature = Signature::default();
    let lifelines: Vec<_> = ["l1", "l2", "l3"].map(|name| signature.intern_lifeline(name)).into();
    let messages: Vec<_> = ["m", "n"].map(|name| signature.intern_message(name)).into();
    let mut actions = Vec::new();
    for &lifeline in &lifelines {
        for &message in &messages {
            for kind in [ActionKind::Emission, ActionKind::Reception] {
                actions.push(Action { lifeline, kind, message });
            }
        }
    }
    let groups =
        if groups.is_empty() { Vec::new() } else { locations::parse(groups).expect("groups") };
    let locations = locations::for_signature(&groups, &signature).expect("locations");
    Alphabet::of_actions(&signature, &locations, actions)
}

/// An alphabet without lifelines.
fn letters() -> Alphabet {
    let mut alphabet = Alphabet::default();
    let left = alphabet.add_location("left").expect("new");
    let right = alphabet.add_location("b,c").expect("new");
    alphabet.add_letter("a1", left).expect("new");
    alphabet.add_letter("l1!m", left).expect("new");
    alphabet.add_letter("b", right).expect("new");
    alphabet
}

fn htf(text: &str, alphabet: &Alphabet) -> Result<Session, SourceError> {
    parse_htf_session(&Source::new("dir/s1.htf", text), alphabet)
}

fn json(text: &str, alphabet: &Alphabet) -> Result<Session, SourceError> {
    parse_line("s.jsonl", 7, text, alphabet)
}

/// The events by location, unknown ones in brackets.
fn texts(session: &Session, alphabet: &Alphabet) -> Vec<String> {
    let locations = session.trace.iter().enumerate();
    let text = |(location, trace): (usize, &Vec<LetterId>)| {
        let events = trace.iter().enumerate().map(|(index, &letter)| match letter {
            LetterId::UNKNOWN => {
                format!("[{}]", session.unknown_text(location, index).expect("its text"))
            }
            _ => alphabet.letter_name(letter).to_owned(),
        });
        events.collect::<Vec<_>>().join(".")
    };
    locations.map(text).collect()
}

fn read(text: &str, alphabet: &Alphabet) -> Vec<String> {
    texts(&htf(text, alphabet).unwrap_or_else(|error| panic!("{error}")), alphabet)
}

fn htf_errors(text: &str, alphabet: &Alphabet) -> Vec<String> {
    shown(&htf(text, alphabet).expect_err("not a session"))
}

fn json_errors(text: &str, alphabet: &Alphabet) -> Vec<String> {
    shown(&json(text, alphabet).expect_err("not a session"))
}

/// Place, message and help of each error.
fn shown(error: &SourceError) -> Vec<String> {
    assert!(error.to_string().contains(error.file().name()));
    let helps = error.diagnostics().iter().map(|d| d.help.clone().unwrap_or_default());
    error.lines().zip(helps).map(|(line, help)| format!("{line} / {help}")).collect()
}

#[test]
fn traces_go_to_their_locations() {
    let alphabet = alphabet("l1,l3");
    let session = htf("{[l2] l2?m.l2!n; [l3,l1] l1!m.l3?n}", &alphabet).expect("a session");
    assert_eq!(session.id, "s1");
    assert_eq!(texts(&session, &alphabet), ["l1!m.l3?n", "l2?m.l2!n"]);
    assert_eq!(read("{[l1] l1!m}", &alphabet), ["l1!m", ""], "no header, no events");
    assert_eq!(read("{[l3,l9] l9!m.l3!m; [l2]}", &alphabet), ["[l9!m].l3!m", ""]);
    assert_eq!(read("{}", &alphabet), ["", ""]);
}

#[test]
fn all_and_any() {
    let one = alphabet("l1,l2,l3");
    assert_eq!(read("[#all] l1!m.l3?m.l9!x.{l1!n,l2?n}", &one), ["l1!m.l3?m.[l9!x].l1!n.l2?n"]);
    let two = alphabet("l1,l2");
    assert_eq!(read("[#any] l1!m.l2?m; [#any] l3?m; [#any]", &two), ["l1!m.l2?m", "l3?m"]);
    assert_eq!(
        htf_errors("[#all] l1!m", &two),
        ["dir/s1.htf:1:1: [#all] is one log, but the specification has 2 locations / \
          recompile with `‹locations=\"l1,l2,l3\"›`"]
    );
    let foreign = htf("[#any] x!m.y?m; [l3] l3!m", &two).expect("a session").foreign;
    let events = vec!["x!m".to_owned(), "y?m".to_owned()];
    assert_eq!(foreign, [ForeignTrace { location: "x,y".to_owned(), events }]);
    let nothing = Alphabet::default();
    assert_eq!(htf("[#all] x!m", &nothing).expect("a session").foreign.len(), 1);
}

#[test]
fn what_the_specification_does_not_know_is_kept() {
    let alphabet = alphabet("");
    let session = htf("{[l3] l3!zz; [x,y] x!m.a17; [z]; [l1] l1!m.l1?zz.b}", &alphabet);
    let session = session.expect("a session");
    assert_eq!(texts(&session, &alphabet), ["l1!m.[l1?zz].[b]", "", "[l3!zz]"]);
    let places: Vec<_> = session.unknown.iter().map(|u| (u.location, u.index)).collect();
    assert_eq!(places, [(0, 1), (0, 2), (2, 0)]);
    let events = vec!["x!m".to_owned(), "a17".to_owned()];
    // An empty log of an unknown location is kept, too.
    let empty = ForeignTrace { location: "z".to_owned(), events: Vec::new() };
    assert_eq!(session.foreign, [ForeignTrace { location: "x,y".to_owned(), events }, empty]);
}

#[test]
fn logs_that_join_locations_are_refused_with_the_remedy() {
    assert_eq!(
        htf_errors("{[l1,l2] l1!m;\n [l3] l3!m}", &alphabet("")),
        [
            "dir/s1.htf:1:2: [l1,l2] is one log, but the specification has these lifelines at several \
          locations / recompile with `‹locations=\"l1,l2\"›`"
        ]
    );
    // A foreign lifeline is not part of the remedy: compiling would not know it.
    let found = htf_errors("{[l1,x,l3] l1!m}", &alphabet(""));
    assert!(found[0].ends_with("`‹locations=\"l1,l3\"›`"), "{found:?}");
}

#[test]
fn logs_that_split_a_location_are_refused_with_the_remedy() {
    let alphabet = alphabet("l1,l2");
    assert_eq!(
        htf_errors("{[l1] l1!m; [l2] l2!m}", &alphabet),
        [
            "dir/s1.htf:1:13: [l1] and [l2] are two logs of the one location `l1,l2` / the order between \
          them is unknown; recompile with these lifelines in separate locations: \
          `‹locations=\"l1;l2\"›`"
        ]
    );
}

#[test]
fn a_lifeline_has_one_log() {
    let alphabet = alphabet("l1,l2");
    let help = "each location has one log per session; put all its events into it";
    assert_eq!(
        htf_errors("{[l1,l2,l1] ; [x] ; [l3] ; [y,x]}", &alphabet),
        [
            format!("dir/s1.htf:1:9: `l1` stands twice in one location / {help}"),
            format!("dir/s1.htf:1:31: `x` has two logs / {help}"),
        ]
    );
    let line = r#"{"session":"s","traces":{"l3":[],"l3":["l3!m"]}}"#;
    assert_eq!(json_errors(line, &alphabet), [format!("s.jsonl:7:35: `l3` has two logs / {help}")]);
    let any = htf_errors("{[#any] x!m; [x]}", &alphabet);
    assert_eq!(any, [format!("dir/s1.htf:1:15: `x` has two logs / {help}")]);
}

#[test]
fn events_at_the_wrong_location_are_refused() {
    let split = alphabet("");
    assert_eq!(
        htf_errors("{[l1] l1!m.l2!m.l2!zz; [x] l3!m.y!m; [y]}", &split),
        [
            "dir/s1.htf:1:12: l2!m is logged at l1, but l2 is not of that location / it belongs to the log of `l2`",
            "dir/s1.htf:1:17: l2!zz is logged at l1, but l2 is not of that location / it belongs to the log of `l2`",
            "dir/s1.htf:1:28: l3!m is logged at x, but l3 is not of that location / it belongs to the log of `l3`",
            "dir/s1.htf:1:33: y!m is logged at x, but y is not of that location / ",
        ]
    );
    let joined = alphabet("l1,l2");
    assert_eq!(
        htf_errors("{[l1] l2!m; [l3]}", &joined),
        [
            "dir/s1.htf:1:7: l2!m is logged at l1, but the header does not name l2 / it belongs to the log of `l1,l2`"
        ]
    );
}

#[test]
fn an_alphabet_without_lifelines_goes_by_names() {
    let letters = letters();
    assert_eq!(read("{[left] a1.l1!m.zz.b17; [b,c] b}", &letters), ["a1.l1!m.[zz].[b17]", "b"]);
    assert_eq!(read("{[#any] zz.b; [#any] l1!m}", &letters), ["l1!m", "[zz].b"]);
    let foreign = htf("[right] zz", &letters).expect("a session").foreign;
    assert_eq!(
        foreign,
        [ForeignTrace { location: "right".to_owned(), events: vec!["zz".to_owned()] }]
    );
    assert_eq!(
        htf_errors("{[left] b; [right] a1; [#any] zz}", &letters),
        [
            "dir/s1.htf:1:9: b is logged at left, but belongs to another location / it belongs to the log of `b,c`",
            "dir/s1.htf:1:20: a1 is logged at right, but belongs to another location / it belongs to the log of `left`",
            "dir/s1.htf:1:24: no event of this log tells its location / name the location in the header",
        ]
    );
    assert!(
        htf_errors("[#all] b", &letters)[0]
            .ends_with("recompile with all letters in one group of `‹locations›`")
    );
}

#[test]
fn lines_of_both_forms() {
    let alphabet = alphabet("l1,l2");
    let line = r#" {"time":[1,{"session":2}],"traces":{" l2 , l1 ":["l1!m"," l2 ? n "],"x":["q"]},"session":"a\"b"} "#;
    let session = json(line, &alphabet).expect("a session");
    assert_eq!(session.id, "a\"b");
    assert_eq!(texts(&session, &alphabet), ["l1!m.l2?n", ""]);
    assert_eq!(session.foreign[0].location, "x");
    let session =
        json(r#"{"session":-1.50e3,"htf":"{[l3]\tl3!m;\n[l1,\u006c2] l2?n}"}"#, &alphabet);
    let session = session.expect("a session");
    assert_eq!(session.id, "-1.50e3");
    assert_eq!(texts(&session, &alphabet), ["l2?n", "l3!m"]);
    let session =
        json(r#"{"session":"","traces":{"l\u0033":["l3\u0021m","l3!\ud83d\ude00"]}}"#, &alphabet);
    assert_eq!(texts(&session.expect("a session"), &alphabet), ["", "l3!m.[l3!😀]"]);
}

#[test]
fn lines_with_errors() {
    let alphabet = alphabet("");
    let place = |text: &str| {
        let found = json_errors(text, &alphabet);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].split(" / ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        place(r#"{"session":"s"}"#),
        "s.jsonl:7:1: neither `traces` nor `htf`: the session has no logs"
    );
    assert_eq!(
        place(r#"{"session":"s","traces":{},"htf":"{}"}"#),
        "s.jsonl:7:1: both `traces` and `htf`: which one is meant?"
    );
    assert_eq!(place(r#"{"traces":{}}"#), "s.jsonl:7:1: the line has no `session`");
    assert_eq!(
        place(r#"{"session":null,"traces":{}}"#),
        "s.jsonl:7:12: `session` must be a string or a number"
    );
    assert_eq!(place(r#"{"session":"s","htf":[]}"#), "s.jsonl:7:22: `htf` must be a string");
    assert_eq!(
        place(r#"{"session":"s","traces":{},"session":"t"}"#),
        "s.jsonl:7:29: field `session` stands twice"
    );
    assert_eq!(
        place(r#"{"é":1,"session":"s","traces":{"l1":["l1!m",3]}}"#),
        "s.jsonl:7:45: invalid type: integer `3`, expected an event, which is a string such as \"l1!m\""
    );
    assert_eq!(
        place(r#"{"session":"s","traces":{"l1":"l1!m"}}"#),
        "s.jsonl:7:36: invalid type: string \"l1!m\", expected a list of events"
    );
    assert_eq!(
        place(r#"["s"]"#),
        "s.jsonl:7:1: invalid type: sequence, expected a session, which is an object"
    );
    assert_eq!(
        place(r#"{"session":"s","traces":{}} x"#),
        "s.jsonl:7:29: not JSON: trailing characters"
    );
    assert_eq!(
        place(r#"{"session":"s","traces":{"#),
        "s.jsonl:7:26: not JSON: EOF while parsing an object"
    );
    assert_eq!(
        place(r#"{"session":"s","traces":{"l1,":[]}}"#),
        "s.jsonl:7:27: a location with an empty name"
    );
    assert!(place(r#"{"session":"\ud800","traces":{}}"#).starts_with("s.jsonl:7:12: not JSON"));
    assert!(place(r#"{"session":"s","htf":"\ud800"}"#).starts_with("s.jsonl:7:22: not JSON"));
}

#[test]
fn places_inside_strings_are_those_of_the_line() {
    let alphabet = alphabet("");
    let place = |text: &str| {
        let error = json(text, &alphabet).expect_err("an event at the wrong place");
        let span = error.diagnostics()[0].span;
        text[span.start..span.end].to_owned()
    };
    assert_eq!(place(r#"{"session":"s","htf":"[l1] l1!m.l2!m"}"#), "l2!m");
    assert_eq!(
        place(r#"{"session":"s","htf":"[l1]\t\u006c1!m.\n/*\ud83d\ude00é*/l2!\u006d; [l3]"}"#),
        "l2!\\u006d"
    );
    assert_eq!(place(r#"{"session":"s","traces":{"l1":["l1!m", "l2!m"]}}"#), "l2!m");
    assert_eq!(
        place(r#"{"session":"s","traces":{"l1":["l1!\\\"", "l1\u0021m", "\u006c2!m","l1!m"]}}"#),
        "\\u006c2!m"
    );
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let events = vec!["\"l1!m\""; 1000].join(",");
    let line = format!("{{\"session\":\"s\",\"traces\":{{\"l1\":[{events},\"l2!m\",{events}]}}}}");
    let error = json(&line, &alphabet("")).expect_err("an event at the wrong place");
    let shown = error.to_string();
    assert!(shown.contains("s.jsonl:7:7033"), "{shown}");
    assert!(shown.len() < 1000, "{shown}");
}

#[test]
fn names_that_are_not_plain_stand_in_quotes() {
    let alphabet = alphabet("");
    let line = r#"{"session":"s1","traces":{"l1":["l1! hello world","\"l1\"!m","z!"],"l2":[],"l3":[],"a-1,\"b,c\"":["a-1!GET /","\"b,c\"?\"m\""]}}"#;
    let session = json(line, &alphabet).expect("a session");
    let text = print_htf(&session, &alphabet);
    assert_eq!(
        text,
        r#"{[l1] l1!" hello world".l1!m."z!"; [l2]; [l3]; ["a-1","b,c"] "a-1"!"GET /"."b,c"?"\"m\""}"#
    );
    assert_eq!(htf(&text, &alphabet).expect("a session"), session);
    assert_eq!(session.foreign[0].location, "a-1,\"b,c\"");
}

#[test]
fn an_event_may_be_quoted_more_than_it_needs() {
    let alphabet = alphabet("");
    let session = htf(r#"["l1"] "l1"!"m"; [l2] "l2?m" ; [l3] {"l3" ! m}"#, &alphabet);
    let plain = htf("[l1] l1!m; [l2] l2?m; [l3] l3!m", &alphabet).expect("a session");
    assert_eq!(session.expect("a session"), plain);
}

#[test]
fn printed_forms() {
    let alphabet = alphabet("l1,l3");
    let session = htf("{[l2] l2?m.zz; [x] x!m.x!n; [l1,l3] }", &alphabet).expect("a session");
    let text = print_htf(&session, &alphabet);
    assert_eq!(text, "{[l1,l3]; [l2] l2?m.zz; [x] x!m.x!n}");
    let line = print_json_line(&session, &alphabet);
    assert_eq!(
        line,
        r#"{"session":"s1","traces":{"l1,l3":[],"l2":["l2?m","zz"],"x":["x!m","x!n"]}}"#
    );
    let with = print_json_line_with(&session, &alphabet, &[("how \"so\"", "{\"traces\":1}")]);
    assert_eq!(with, line.replace("]}}", r#"]},"how \"so\"":{"traces":1}}"#));
    assert_eq!(json(&with, &alphabet).expect("a session"), session, "other fields are ignored");
    assert_eq!(print_htf(&Session::default(), &Alphabet::default()), "{}");
}

/// Events of a location: letters, or texts that are not letters. `kinds` gives the forms of such texts.
fn any_trace(
    letters: Vec<LetterId>,
    unknown: BoxedStrategy<String>,
) -> impl Strategy<Value = Vec<Result<LetterId, String>>> {
    let event = prop_oneof![
        4 => prop::sample::select(letters).prop_map(Ok),
        1 => unknown.prop_map(Err),
    ];
    prop::collection::vec(event, 0..6)
}

/// A session over an alphabet with foreign texts of the given kinds; `prefix` keeps them apart
/// from the names the alphabet knows.
fn any_session(
    alphabet: &Alphabet,
    id: BoxedStrategy<String>,
    word: BoxedStrategy<String>,
) -> BoxedStrategy<Session> {
    let traces: Vec<_> = alphabet
        .locations()
        .map(|location| {
            let letters = alphabet.letters().filter(|&l| alphabet.location_of(l) == location);
            let unknown = word.clone().prop_map(|word| format!("zz{word}"));
            any_trace(letters.collect(), unknown.boxed())
        })
        .collect();
    let events = prop::collection::vec(word.clone().prop_map(|word| format!("yy{word}")), 1..4);
    let foreign = prop::collection::vec((word, events), 0..3);
    (id, traces, foreign).prop_map(|(id, traces, foreign)| session(id, traces, foreign)).boxed()
}

fn session(
    id: String,
    traces: Vec<Vec<Result<LetterId, String>>>,
    foreign: Vec<(String, Vec<String>)>,
) -> Session {
    let mut session = Session { id, ..Session::default() };
    for (location, events) in traces.into_iter().enumerate() {
        let mut trace = Vec::new();
        for (index, event) in events.into_iter().enumerate() {
            trace.push(event.unwrap_or_else(|text| {
                session.unknown.push(UnknownEvent { location, index, text });
                LetterId::UNKNOWN
            }));
        }
        session.trace.push(trace);
    }
    for (rank, (name, events)) in foreign.into_iter().enumerate() {
        let location = [format!("x{rank}{name}"), format!("y{rank}{name}")];
        let location = names::location_text(location.iter().map(String::as_str));
        session.foreign.push(ForeignTrace { location, events });
    }
    session
}

fn any_text() -> BoxedStrategy<String> {
    let any = prop_oneof!["[ -~]{0,6}", "\\PC{0,6}", Just("\"\\\n\u{0}/".to_owned())];
    prop_oneof![any, "[a-z_0-9]{0,3}([!?][a-z]{1,3})?", r#"[a"!?\\,;]{0,6}"#].boxed()
}

fn alphabets() -> [Alphabet; 3] {
    [alphabet("l1,l3"), alphabet(""), letters()]
}

fn htf_sessions() -> impl Strategy<Value = (usize, Session)> {
    let sessions = |index: usize| {
        any_session(&alphabets()[index], "[a-zé ]{1,5}".boxed(), any_text())
            .prop_map(move |s| (index, s))
    };
    prop_oneof![sessions(0), sessions(1), sessions(2)]
}

fn json_sessions() -> impl Strategy<Value = (usize, Session)> {
    let sessions = |index: usize| {
        any_session(&alphabets()[index], any::<String>().boxed(), any_text())
            .prop_map(move |s| (index, s))
    };
    prop_oneof![sessions(0), sessions(1), sessions(2)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn printed_htf_reads_back((index, session) in htf_sessions()) {
        let alphabet = &alphabets()[index];
        let text = print_htf(&session, alphabet);
        let source = Source::new(format!("dir/{}.htf", session.id), text);
        let again = parse_htf_session(&source, alphabet).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(again, session);
    }

    #[test]
    fn printed_json_reads_back((index, session) in json_sessions()) {
        let alphabet = &alphabets()[index];
        let line = print_json_line(&session, alphabet);
        prop_assert!(!line.contains('\n'));
        let again = parse_line("f", 1, &line, alphabet).unwrap_or_else(|error| panic!("{line}\n{error}"));
        prop_assert_eq!(again, session);
    }

    #[test]
    fn both_forms_say_the_same((index, session) in htf_sessions()) {
        let alphabet = &alphabets()[index];
        let text = serde_json::Value::from(print_htf(&session, alphabet));
        let line = format!("{{\"htf\":{text},\"session\":\"{}\"}}", session.id);
        let again = parse_line("f", 1, &line, alphabet).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(again, session);
    }
}

#[test]
fn ids_of_the_session_are_dense() {
    // The tests above compare letters by name; this one by id.
    let alphabet = alphabet("");
    let session = htf("[l1] l1!m", &alphabet).expect("a session");
    assert_eq!(session.trace[0], [LetterId::new(0)]);
    assert_eq!(session.event_count(), 1);
}
