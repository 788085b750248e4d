//! Names of any characters: every format that prints them reads them back.

use multitrace_formats::sessions::{
    QuickReader, parse_htf_session, parse_line, print_htf, print_json_line,
};
use multitrace_formats::source::Source;
use multitrace_formats::{hif, hsf, locations};
use multitrace_interaction::{
    Action, ActionKind, Alphabet, Id, Interaction, LetterId, LifelineId, MessageId, Node, NodeId,
    Session, Signature, Step, names,
};
use proptest::prelude::*;

const KINDS: [ActionKind; 2] = [ActionKind::Emission, ActionKind::Reception];

fn any_name() -> impl Strategy<Value = String> {
    let words =
        ["o", "seq", "GET /cart", "order-service", "a!b", "\"", "\\n", "#all", "//", "/*", "%"];
    prop_oneof![
        prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        ".{1,5}",
        r#"[ab!?,;=." \\\n\r\t{}\[\]$#]{1,5}"#,
        any::<String>().prop_filter("a name", |name| !name.is_empty()),
    ]
}

fn any_signature() -> impl Strategy<Value = Signature> {
    let names = || prop::collection::vec(any_name(), 1..4);
    (names(), names()).prop_map(|(lifelines, messages)| {
        let mut signature = Signature::default();
        for name in &lifelines {
            signature.intern_lifeline(name);
        }
        for name in &messages {
            signature.intern_message(name);
        }
        signature
    })
}

/// Every action of a signature.
fn actions(signature: &Signature) -> Vec<Action> {
    let pairs = signature.lifelines().flat_map(|l| signature.messages().map(move |m| (l, m)));
    pairs
        .flat_map(|(lifeline, message)| KINDS.map(|kind| Action { lifeline, kind, message }))
        .collect()
}

/// The actions one by one, and all of them at once.
fn interaction(signature: &Signature) -> Interaction {
    let all = actions(signature);
    let mut nodes = vec![Node::Step(Step::new(all.clone()).expect("actions"))];
    for action in all {
        let last = NodeId::new(nodes.len() - 1);
        nodes.push(Node::Step(Step::single(action)));
        nodes.push(Node::Strict(NodeId::new(nodes.len() - 1), last));
    }
    let region = signature.lifelines().collect();
    let last = NodeId::new(nodes.len() - 1);
    nodes.push(Node::Empty);
    nodes.push(Node::CoReg(region, NodeId::new(nodes.len() - 1), last));
    Interaction::new(nodes).expect("a tree")
}

/// The alphabet of all actions, the first two lifelines at one location.
fn alphabet(signature: &Signature) -> (String, Alphabet) {
    let lifelines: Vec<&str> = signature.lifelines().map(|l| signature.lifeline_name(l)).collect();
    let text = locations::text([lifelines.into_iter().take(2)]);
    let groups = locations::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let locations = locations::for_signature(&groups, signature).expect("locations");
    (text, Alphabet::of_actions(signature, &locations, actions(signature)))
}

/// A session in which everything happens.
fn session(alphabet: &Alphabet) -> Session {
    let at = |location| alphabet.letters().filter(move |&it| alphabet.location_of(it) == location);
    let trace = alphabet.locations().map(|location| at(location).collect()).collect();
    Session { id: "s".to_owned(), trace, ..Session::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn specifications_read_back(signature in any_signature()) {
        let printed = Source::new("f.hsf", hsf::print(&signature));
        let again = hsf::parse(&printed).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(&again, &signature);
        let interaction = interaction(&signature);
        let printed = Source::new("f.hif", hif::print(&interaction, &signature));
        let spec = hif::parse(&printed, Some(again)).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(spec.interaction, interaction);
    }

    #[test]
    fn locations_read_back(signature in any_signature()) {
        let (text, alphabet) = alphabet(&signature);
        let members = names::split(&text, ',').map(names::name_of);
        for member in members {
            let location = alphabet.location_of_lifeline(&member).expect("a lifeline");
            prop_assert_eq!(alphabet.location_name(location), &text);
        }
    }

    #[test]
    fn sessions_read_back(signature in any_signature()) {
        let (_, alphabet) = alphabet(&signature);
        let session = session(&alphabet);
        let source = Source::new("s.htf", print_htf(&session, &alphabet));
        let again = parse_htf_session(&source, &alphabet).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(&again, &session);
        let line = print_json_line(&session, &alphabet);
        let again = parse_line("f", 1, &line, &alphabet).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(&again, &session);
        let mut quick = Session::default();
        if QuickReader::new(&alphabet).read(line.as_bytes(), &mut quick) {
            prop_assert_eq!(quick, session);
        } else {
            prop_assert!(line.contains('\\'), "{}", line);
        }
    }
}

#[test]
fn the_quick_reader_reads_names_without_escapes() {
    let signature =
        hsf::parse(&Source::new("f", r#"@lifeline{"order-service"} @message{"GET /cart"}"#));
    let (_, alphabet) = alphabet(&signature.expect("a signature"));
    let line = r#"{"session":"s","traces":{"order-service":["order-service?GET /cart"]}}"#;
    let mut session = Session::default();
    assert!(QuickReader::new(&alphabet).read(line.as_bytes(), &mut session));
    assert_eq!(session.trace, [[LetterId::new(1)]]);
}

#[test]
fn quotes_make_names_of_anything() {
    let text = r#"seq("order-service" -- "GET /cart" -> "o", m -> ("a\"b", "\\"), {"x" ! "y"})"#;
    let spec = hif::parse(&Source::new("f", text), None).expect("an interaction");
    let lifelines = spec.signature.lifelines().map(|l| spec.signature.lifeline_name(l));
    assert_eq!(lifelines.collect::<Vec<_>>(), ["order-service", "o", "a\"b", "\\", "x"]);
    let action =
        Action { lifeline: LifelineId::new(0), kind: KINDS[0], message: MessageId::new(0) };
    assert_eq!(spec.signature.action_text(action), "order-service!GET /cart");
    let first = &spec.names[0].span;
    assert_eq!(&text[first.start..first.end], "\"order-service\"");
    let plain = hif::parse(&Source::new("f", r#""a" -- "m" -> "b""#), None).expect("the same");
    assert_eq!(hif::print(&plain.interaction, &plain.signature), "a -- m -> b\n");
}

#[test]
fn quotes_without_a_name_are_errors() {
    let errors = |text: &str| -> Vec<String> {
        hif::parse(&Source::new("f", text), None).expect_err("no name").lines().collect()
    };
    assert_eq!(
        errors("seq(a -- \"\" -> b,\n a -- \"m\\x\" -> b,\n a -- m -> \"b, c\n)"),
        ["f:1:10: an empty name", "f:2:7: unknown escape in a name", "f:3:12: name without end",]
    );
    assert_eq!(errors("\"seq\"(o)"), ["f:1:1: unknown operator `\"seq\"`"]);
}
