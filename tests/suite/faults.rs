//! Faults of repairs in small sessions, each once, with its cause first.

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use crate::repairs::{logs, monitor_of, session};
use multitrace_interaction::{Observation, Verdict};
use multitrace_reports::finding::Finding;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{CheckConfig, Checker, EngineChoice, Gaps};

/// An order: the client asks, the shop charges the bank, and answers.
const ORDER: &str = "seq(client -- order -> shop, shop -- charge -> bank, bank -- charged -> shop, shop -- done -> client)";

const CLIENT: &[&str] = &["client!order", "client?done"];
const SHOP: &[&str] = &["shop?order", "shop!charge", "shop?charged", "shop!done"];
const BANK: &[&str] = &["bank?charge", "bank!charged"];

/// The sentences on the faults, a line each, the same with automaton and terms.
fn faults(spec: &str, given: &[(&str, &[&str])]) -> Vec<String> {
    let monitor = monitor_of(spec, &[]);
    let session = session(&logs(given), monitor.alphabet());
    let of = |engine| {
        let config =
            CheckConfig { engine, observation: Observation::Complete, ..CheckConfig::default() };
        let mut checker = Checker::new(&monitor, config).expect("an engine");
        let repair = checker.repair(&session, Gaps::None).expect("a mode with repairs");
        let mut told: Vec<usize> = repair.faults.iter().flat_map(|it| it.edits.clone()).collect();
        told.sort_unstable();
        assert_eq!(told, (0..repair.edits.len()).collect::<Vec<_>>(), "each edit once");
        let names = SessionNames { session: &session, alphabet: monitor.alphabet() };
        Finding::of_failure(Some(&repair), Vec::new, &names, &None)
    };
    let (ours, on_terms) = (of(EngineChoice::Nfa), of(EngineChoice::Term));
    assert_eq!(ours, on_terms);
    ours.iter().map(|fault| format!("{} {}", fault.code.name(), fault.line())).collect()
}

#[test]
fn one_thing_that_went_wrong_is_one_fault() {
    let cases: [(&str, [&[&str]; 3], &str); 10] = [
        ("accepted", [CLIENT, SHOP, BANK], ""),
        (
            "the answer was lost",
            [&["client!order"], SHOP, BANK],
            "MT113 done: sent by shop, never received by client",
        ),
        (
            "the bank answered without being asked",
            [CLIENT, &["shop?order", "shop?charged", "shop!done"], BANK],
            "MT114 charge: received by bank, never sent by shop",
        ),
        (
            "the shop stopped",
            [&["client!order"], &["shop?order"], &[]],
            "MT118 shop stopped before shop!charge; and 5 events at 3 locations that depend on it",
        ),
        (
            "the answer came before the charge was made",
            [CLIENT, &["shop?order", "shop!done", "shop!charge", "shop?charged"], BANK],
            "MT111 shop!done came too early at shop",
        ),
        (
            "the order came twice",
            [
                &["client!order", "client!order", "client?done"],
                &["shop?order", "shop?order", "shop!charge", "shop?charged", "shop!done"],
                BANK,
            ],
            "MT115 client!order is repeated at client; and 1 event that depends on it",
        ),
        (
            "the order was sent twice and came once",
            [&["client!order", "client!order", "client?done"], SHOP, BANK],
            "MT113 order: sent once more by client than it was received",
        ),
        (
            "the charge came twice",
            [CLIENT, SHOP, &["bank?charge", "bank?charge", "bank!charged"]],
            "MT114 charge: received once more by bank than it was sent",
        ),
        (
            "something that nobody knows",
            [&["client!order", "client!cancel", "client?done"], SHOP, BANK],
            "MT102 client!cancel at client is not in the specification",
        ),
        (
            "the shop did not wait for the bank",
            [CLIENT, &["shop?order", "shop!charge", "shop!done"], BANK],
            "MT113 charged: sent by bank, never received by shop",
        ),
    ];
    for (name, [client, shop, bank], expected) in cases {
        let said = faults(ORDER, &[("client", client), ("shop", shop), ("bank", bank)]);
        assert_eq!(said.join("\n"), expected, "{name}");
    }
}

#[test]
fn two_things_at_unrelated_places_are_two_faults() {
    let said = faults(
        "seq(a -- m -> b, b -- n -> a, a -- o -> b, b -- p -> a, a -- q -> b, b -- r -> a)",
        &[
            ("a", &["a!m", "a?n", "a!o", "a?p", "a!q"]),
            ("b", &["b?m", "b?m", "b!n", "b?o", "b!p", "b?q", "b!r"]),
        ],
    );
    let expected = [
        "MT114 m: received once more by b than it was sent",
        "MT113 r: sent by b, never received by a",
    ];
    assert_eq!(said, expected);
}

#[test]
fn what_nobody_knows_and_what_is_repeated_came_in_place_of_nothing() {
    let said = faults(
        "seq(a -- m -> b, b -- ok -> a)",
        &[("a", &["a!m", "a?ok", "a!m", "a?denied"]), ("b", &["b?m", "b!ok", "b?m", "b!denied"])],
    );
    let expected = [
        "MT115 a!m is repeated at a; and 1 event that depends on it",
        "MT102 b!denied at b is not in the specification; and 1 event that depends on it",
    ];
    assert_eq!(said, expected);
    let said = faults(
        "seq(c -- login -> s, c -- auth -> s, c -- data -> s, s -- ok -> c)",
        &[
            ("c", &["c!login", "c!login", "c!data", "c?ok"]),
            ("s", &["s?login", "s?login", "s?data", "s!ok"]),
        ],
    );
    let expected = [
        "MT117 c!auth is missing at c; and 1 event that depends on it",
        "MT115 c!login is repeated at c; and 1 event that depends on it",
    ];
    assert_eq!(said, expected);
}

/// Participants may be declared in any order; the faults are the same, and in the same order.
#[test]
fn the_order_of_faults_is_not_that_of_participants() {
    let [ab, cd] = ["a -- m -> b", "seq(c -- n -> d, c -- o -> d)"];
    let logs: [(&str, &[&str]); 4] =
        [("a", &["a!m"]), ("b", &[]), ("c", &["c!n"]), ("d", &["d?n", "d?o"])];
    let of = |spec: String| faults(&spec, &logs);
    let expected =
        ["MT113 m: sent by a, never received by b", "MT114 o: received by d, never sent by c"];
    assert_eq!(of(format!("par({ab}, {cd})")), expected);
    assert_eq!(of(format!("par({cd}, {ab})")), expected);
}

#[test]
fn an_event_in_place_of_another_is_one_fault() {
    let said = faults(
        "seq(a -- m -> b, alt(a -- yes -> b, a -- no -> b), b -- n -> a)",
        &[("a", &["a!m", "a!no", "a?n"]), ("b", &["b?m", "b?yes", "b!n"])],
    );
    // Each end may be wrong; of equal repairs the one is taken whose accepted trace keeps the first events.
    let expected = ["MT112 b?yes came at b in place of b?no"];
    assert_eq!(said, expected);
}

/// Which of several equal events is missing no log says: it is the one beside the event that came in its place.
#[test]
fn an_event_in_place_of_one_of_several_equal_ones_is_one_fault() {
    let rings = "seq(bell -- ring ->|, bell -- ring ->|, bell -- ring ->|, bell -- off ->|)";
    let spec = format!("alt({rings}, seq(bell -- stop ->|, bell -- off ->|, bell -- off ->|))");
    for at in 0..3 {
        let mut log = ["bell!ring", "bell!ring", "bell!ring", "bell!off"];
        log[at] = "bell!stop";
        let said = faults(&spec, &[("bell", &log)]);
        assert_eq!(said, ["MT112 bell!stop came at bell in place of bell!ring"], "{at}");
    }
}

/// Both ends of a message that was never sent are one fault, though the same was sent to somebody else.
#[test]
fn a_message_that_was_never_sent_is_one_fault() {
    let spec =
        "seq(hub -- off -> left, hub -- off -> right, left -- bye -> hub, right -- bye -> hub)";
    let hub: &[&str] = &["hub!off", "hub?bye", "hub?bye"];
    for (left, right, silent) in [
        (&["left!bye"][..], &["right?off", "right!bye"][..], "left"),
        (&["left?off", "left!bye"], &["right!bye"], "right"),
    ] {
        let said = faults(spec, &[("hub", hub), ("left", left), ("right", right)]);
        let expected = "MT117 hub!off is missing at hub; and 1 event that depends on it";
        assert_eq!(said, [expected], "{silent}");
    }
}

/// A wrong answer after which everything ends came in place of the right one, and what follows that one is missing with it.
#[test]
fn a_wrong_answer_at_the_end_is_one_fault() {
    let spec = "seq(a -- ask -> b, b -- yes -> a, a -- thanks -> b, b -- bye -> a)";
    let said = faults(spec, &[("a", &["a!ask", "a?no"]), ("b", &["b?ask", "b!no"])]);
    let expected =
        "MT112 b!no came at b in place of b!yes; and 6 events at 2 locations that depend on it";
    assert_eq!(said, [expected]);
    let said = faults(spec, &[("a", &["a!ask"]), ("b", &["b?ask", "b!panic"])]);
    let expected =
        "MT112 b!panic came at b in place of b!yes; and 5 events at 2 locations that depend on it";
    assert_eq!(said, [expected]);
}

/// One of several equal messages was never sent: both ends of it are one fault, whichever log shows it.
#[test]
fn one_of_equal_messages_that_was_never_sent_is_one_fault() {
    let spec = "seq(seq(a -- get -> b, b -- row -> c), seq(a -- get -> b, b -- row -> c), a -- get -> b, b -- row -> c, b -- end -> a)";
    let a: &[&str] = &["a!get", "a!get", "a!get", "a?end"];
    let b = ["b?get", "b!row", "b?get", "b!row", "b?get", "b!row", "b!end"];
    for missing in [1, 3, 5] {
        let mut b = b.to_vec();
        b.remove(missing);
        let said = faults(spec, &[("a", a), ("b", &b), ("c", &["c?row", "c?row"])]);
        let expected = "MT117 b!row is missing at b; and 1 event that depends on it";
        assert_eq!(said, [expected], "{missing}");
    }
}

/// Behind an event that nobody knows no right event is accused: a message with a wrong name is replaced each time.
/// Of equal messages nobody can say which was lost, so all who sent one are named.
#[test]
fn a_lost_one_of_equal_messages_names_all_who_sent_one() {
    let spec = "seq(par(p -- yes -> c, q -- yes -> c, r -- yes -> c), c -- go -> p)";
    let c: &[&str] = &["c?yes", "c?yes", "c!go"];
    let given: [(&str, &[&str]); 4] =
        [("c", c), ("p", &["p!yes", "p?go"]), ("q", &["q!yes"]), ("r", &["r!yes"])];
    let expected = "MT113 yes: sent by p, q or r, never received by c";
    assert_eq!(faults(spec, &given), [expected]);
}

#[test]
fn a_message_with_a_wrong_name_in_a_loop_is_replaced_each_time() {
    let spec = "seq(a -- open -> b, loopW(seq(a -- ping -> b, b -- pong -> a)), a -- close -> b)";
    let (a, b) = (["a!ping", "a?pang"].repeat(3), ["b?ping", "b!pang"].repeat(3));
    let a = [&["a!open"], &a[..], &["a!close"]].concat();
    let b = [&["b?open"], &b[..], &["b?close"]].concat();
    let expected = "MT112 b!pang came at b in place of b!pong; and 2 events that depend on it";
    assert_eq!(faults(spec, &[("a", &a), ("b", &b)]), [expected; 3]);
}

/// Where nobody observes the ends of logs, an event may be too early all the same; in slices, too late.
#[test]
fn early_and_late_events_of_parts_are_moved() {
    let spec = "seq(a -- m -> b, b -- n -> c, c -- o -> a)";
    let monitor = monitor_of(spec, &[]);
    let said = |observation, given: &[(&str, &[&str])]| {
        let session = session(&logs(given), monitor.alphabet());
        let of = |engine| {
            let config = CheckConfig { engine, observation, ..CheckConfig::default() };
            let mut checker = Checker::new(&monitor, config).expect("an engine");
            let repair = checker.repair(&session, Gaps::None).expect("a mode with repairs");
            let names = SessionNames { session: &session, alphabet: monitor.alphabet() };
            Finding::of_failure(Some(&repair), Vec::new, &names, &None)
        };
        let (ours, on_terms) = (of(EngineChoice::Nfa), of(EngineChoice::Term));
        assert_eq!(ours, on_terms);
        ours.iter().map(|it| format!("{} {}", it.code.name(), it.line())).collect::<Vec<_>>()
    };
    use Observation::{Prefix, Slice};
    let early = [("a", &["a!m"][..]), ("b", &["b!n", "b?m"]), ("c", &["c?n"])];
    assert_eq!(said(Prefix, &early), ["MT111 b!n came too early at b"]);
    let alone = [("a", &["a?o", "a!m"][..]), ("b", &["b?m"]), ("c", &[])];
    assert_eq!(said(Prefix, &alone), ["MT111 a?o came too early at a"]);
    let late = [("a", &["a?o", "a!m"][..]), ("b", &["b?m", "b!n"]), ("c", &["c?n", "c!o"])];
    let of_slice = said(Slice, &late);
    assert!(of_slice.len() == 1 && of_slice[0].starts_with("MT111 a"), "{of_slice:?}");
    // An event that can come nowhere is not a move.
    let extra = [("a", &["a!m", "a!m"][..]), ("b", &["b?m"]), ("c", &[])];
    assert_eq!(said(Prefix, &extra), ["MT113 m: sent once more by a than it was received"]);
    // Nobody observed the events that have to come before it.
    let ahead = [("a", &[][..]), ("b", &["b!n"][..]), ("c", &["c?n"][..])];
    assert_eq!(said(Prefix, &ahead), ["MT111 b!n came too early at b"]);
    let far = [("a", &["a?o"][..]), ("b", &["b?m", "b!n"]), ("c", &["c?n", "c!o"])];
    assert_eq!(said(Prefix, &far), ["MT111 a?o came too early at a"]);
}

/// The logs of an automaton say which cause a failure has, whatever engine decided.
#[test]
fn causes_do_not_depend_on_the_engine() {
    let spec = "strict(a -- x -> b, alt(par(a -- u -> c, b -- v -> a), strict(b -- w -> a, a -- w -> b)), c -- end -> a)";
    let monitor = monitor_of(spec, &[]);
    let given: [(&str, &[&str]); 3] =
        [("a", &["a!x", "a!u", "a?v", "a?end"]), ("b", &["b?x", "b!v"]), ("c", &["c!end"])];
    let session = session(&logs(&given), monitor.alphabet());
    let of = |engine| {
        let config = CheckConfig { engine, ..CheckConfig::default() };
        Checker::new(&monitor, config).expect("an engine").check(&session).verdict
    };
    let verdict = of(EngineChoice::Nfa);
    assert!(matches!(verdict, Verdict::Fail(_)), "{verdict:?}");
    assert_eq!(verdict, of(EngineChoice::Term));
}

/// A message that was sent too often was received all the same, whichever of its emissions is the one too many.
#[test]
fn an_early_copy_of_a_message_is_sent_once_more() {
    let spec = "seq(a -- m -> b, a -- n -> b, a -- o -> b)";
    for log in [&["a!n", "a!m", "a!n", "a!o"][..], &["a!m", "a!n", "a!o", "a!n"]] {
        let said = faults(spec, &[("a", log), ("b", &["b?m", "b?n", "b?o"])]);
        assert_eq!(said, ["MT113 n: sent once more by a than it was received"], "{log:?}");
    }
}

#[test]
fn every_receiver_of_a_broadcast_is_matched() {
    let said = faults(
        "seq(a -- m -> (b, c), b -- n -> a)",
        &[("a", &["a!m", "a?n"]), ("b", &["b?m", "b!n"]), ("c", &[])],
    );
    assert_eq!(said, ["MT113 m: sent by a, never received by c"]);
}

#[test]
fn stops_after_an_error_stand_under_it() {
    let monitor = monitor_of(ORDER, &[]);
    let given = logs(&[
        ("client", &["client!order"]),
        ("shop", &["shop?order", "shop?order", "shop!charge", "shop?charged"]),
        ("bank", BANK),
    ]);
    let session = session(&given, monitor.alphabet());
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an engine");
    let repair = checker.repair(&session, Gaps::None).expect("a mode with repairs");
    let names = SessionNames { session: &session, alphabet: monitor.alphabet() };
    let said: Vec<_> = Finding::of_failure(Some(&repair), Vec::new, &names, &None)
        .into_iter()
        .map(|it| (it.code.name(), it.event, it.fault.expect("a fault")))
        .map(|(code, event, fault)| (code, event, fault.under, fault.consequences))
        .collect();
    let expected = [
        ("MT114", Some("shop?order".to_owned()), None, 0),
        ("MT118", Some("shop!done".to_owned()), Some(0), 1),
    ];
    assert_eq!(said, expected);
}

/// Neighbours that change places in a small loop accuse one of the two, at the location where they changed.
#[test]
fn a_swap_in_a_loop_accuses_one_of_the_two() {
    let sent = ["a!m", "a?n", "a!m", "a?n", "a!m"];
    let received = ["b?m", "b!n", "b?m", "b!n", "b?m"];
    for at in 0..4 {
        for is_sender in [true, false] {
            let (mut a, mut b) =
                ([&sent[..], &["a?n"]].concat(), [&received[..], &["b!n"]].concat());
            let log = if is_sender { &mut a } else { &mut b };
            log.swap(at, at + 1);
            let expected = format!("MT111 {} came too early", log[at]);
            let said = faults("loopS(strict(a -- m -> b, b -- n -> a))", &[("a", &a), ("b", &b)]);
            assert!(said.len() == 1 && said[0].starts_with(&expected), "{at}: {said:?}");
        }
    }
}

/// A deleted event that is inserted elsewhere is moved, though another event would cost the same there.
#[test]
fn what_was_deleted_is_inserted_before_anything_else() {
    let spec = "seq(clerk -- register ->|, alt(clerk -- pay ->|, clerk -- reject ->|), clerk -- close ->|)";
    let log: &[&str] = &["clerk!reject", "clerk!register", "clerk!close"];
    assert_eq!(faults(spec, &[("clerk", log)]), ["MT111 clerk!reject came too early at clerk"]);
}

/// The report in JSON on one session with these logs, and the same for people.
fn reports_on(spec: &str, logs: serde_json::Value) -> (serde_json::Value, String) {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", spec);
    let line = serde_json::json!({"session": "s", "traces": logs}).to_string();
    let input = folder.file("in.jsonl", &line);
    let json = multitrace(&["check", &spec, &input, "--output-format", "json"]).out;
    let people = multitrace(&["check", &spec, &input]).out;
    (serde_json::from_str(&json).expect("an object"), people)
}

/// The marks of the only group: location, index and code.
fn marks(report: &serde_json::Value) -> Vec<(&str, u64, &str)> {
    let groups = report["groups"].as_array().expect("a list");
    assert_eq!(groups.len(), 1, "{report}");
    let locations = groups[0]["example"]["locations"].as_array().expect("a list");
    let mut all = Vec::new();
    for location in locations {
        for mark in location["marks"].as_array().into_iter().flatten() {
            let index = mark["index"].as_u64().expect("a number");
            let code = mark["code"].as_str().expect("a code");
            all.push((location["location"].as_str().expect("a name"), index, code));
        }
    }
    all
}

/// The event that came too late is marked, and not those that it should have come before, though the first of them is
/// impossible where it stands.
#[test]
fn an_event_that_came_too_late_accuses_no_other() {
    let spec = "strict(cook -- wash ->|, cook -- cut ->|, cook -- boil ->|, cook -- serve ->|)";
    let late = serde_json::json!({"cook": ["cook!cut", "cook!boil", "cook!wash", "cook!serve"]});
    let (json, people) = reports_on(spec, late);
    assert_eq!(marks(&json), [("cook", 2, "MT111")]);
    let log = "cook  2/4  cook!cut cook!boil >cook!wash< cook!serve";
    assert!(people.contains(log) && !people.contains("MT101"), "{people}");
}

/// Events that are impossible in their logs are marked with the code of the fault that they belong to.
#[test]
fn marks_have_the_codes_of_their_faults() {
    let spec = "seq(guest -- order -> bar, bar -- drink -> guest)";
    let logs = serde_json::json!({
        "guest": ["guest!order", "guest?drink", "guest!order"],
        "bar": ["bar?order", "bar!drink", "bar?order"],
    });
    let (json, people) = reports_on(spec, logs);
    assert_eq!(marks(&json), [("guest", 2, "MT115"), ("bar", 2, "MT115")]);
    assert!(!people.contains("MT101"), "{people}");
}

/// A message that was lost on its way to a location without a record is marked at the end of that empty log.
#[test]
fn a_message_to_a_silent_location_is_marked_there() {
    let spec = "seq(shop -- parcel -> van, shop -- bill -> home)";
    let logs =
        serde_json::json!({"shop": ["shop!parcel", "shop!bill"], "home": ["home?bill"], "van": []});
    let (json, people) = reports_on(spec, logs);
    assert_eq!(marks(&json), [("van", 0, "MT113")]);
    assert!(people.contains("van  0/0  >end<"), "{people}");
    assert!(people.contains("it could go on with van?parcel"), "{people}");
}

/// Where nobody logged the other end of a message, it is repeated only if it was there before.
#[test]
fn a_message_to_a_silent_location_that_came_before_its_place_is_not_repeated() {
    let spec = "strict(desk -- open -> lab, lab -- ready -> desk, desk -- sample -> lab)";
    for (log, said) in [
        (&["desk!sample", "desk!open", "desk?ready", "desk!sample"][..], "should not be there"),
        (&["desk!open", "desk?ready", "desk!sample", "desk!sample"], "is repeated"),
        (&["desk!open", "desk?ready", "desk!open", "desk!sample"], "is repeated"),
    ] {
        let (_, people) = reports_on(spec, serde_json::json!({"desk": log, "lab": []}));
        let event = if log[2] == "desk!open" { "desk!open" } else { "desk!sample" };
        let said = format!("{event} {said} at desk");
        assert!(people.contains(&said), "{said}\n{people}");
    }
}

/// The flat fields of a line of JSON are those of the main fault: of a stop, too, the event that is needed.
#[test]
fn the_event_of_a_stop_is_the_one_that_is_needed() {
    let folder = Folder::new();
    let spec =
        folder.file("spec.hif", "strict(tap -- open ->|, tap -- fill ->|, tap -- close ->|)");
    let line = serde_json::json!({"session": "s", "traces": {"tap": ["tap!open"]}}).to_string();
    let input = folder.file("in.jsonl", &line);
    let run = multitrace(&["check", &spec, &input, "--output-format", "json-lines"]);
    let said: serde_json::Value =
        serde_json::from_str(run.out.lines().next().unwrap_or_default()).expect("an object");
    assert_eq!((&said["event"], &said["index"]), (&"tap!fill".into(), &1.into()), "{said}");
    assert_eq!(said["faults"][0]["code"], "MT118");
    assert_eq!(said["evidence"][0]["event"], serde_json::Value::Null, "{said}");
}

/// A message that may be lost is written as two events that the specification does not join. Sent and received once more than
/// it may be, it is one fault all the same.
#[test]
fn a_message_in_two_pieces_is_repeated_once() {
    let spec = "seq(probe -- ping ->|, alt(o, seq(ping -> host, host -- pong -> probe)))";
    let found = faults(
        spec,
        &[
            ("probe", &["probe!ping", "probe!ping", "probe?pong"]),
            ("host", &["host?ping", "host?ping", "host!pong"]),
        ],
    );
    assert_eq!(found, ["MT115 probe!ping is repeated at probe; and 1 event that depends on it"]);
}
